//! Tests of enums with data.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::time::Duration;

use indexmap::IndexMap;
use juliet_derive::Property;

use super::*;
use crate::class::Kind;

/// Durations as `12ns`.
mod nanoseconds {
    use std::time::Duration;

    pub(super) fn read(text: &str) -> Result<Duration, String> {
        let digits = text.strip_suffix("ns").ok_or("a duration such as 12ns")?;
        digits.parse().map(Duration::from_nanos).map_err(|error| error.to_string())
    }

    pub(super) fn write(value: &Duration) -> String {
        format!("{}ns", value.as_nanos())
    }
}

#[derive(Property, Clone, Copy)]
#[jasset(crate = "crate")]
struct Speed(#[jasset(default = 2.0)] f32);

#[derive(Property)]
#[jasset(crate = "crate")]
enum Mode {
    #[jasset(alias = "Still")]
    Idle,
    Wait(#[jasset(default = 1.0)] f32),
    Move(i32, f32),
    Aim(glam::Vec3, Vec<Mode>),
    Say(String, Option<Box2>),
    Nothing(),
    #[jasset(default)]
    Patrol {
        speed: Speed,
        #[jasset(alias = "Way")]
        path: Vec<i32>,
        #[jasset(skip, default = 9)]
        step: usize,
        #[jasset(with = nanoseconds)]
        rest: Duration,
    },
}

#[derive(Property)]
#[jasset(crate = "crate")]
struct Box2 {
    name: String,
    mode: Mode2,
}

#[derive(Property, Clone, Copy)]
#[jasset(crate = "crate")]
enum Mode2 {
    Off,
    On(u8),
}

#[derive(Property)]
#[jasset(crate = "crate")]
enum Either<T> {
    Left { it: T },
    Right(T, T),
}

fn written<T: PropertyValue>(value: &T) -> String {
    let mut out = Vec::new();
    value::write(ErasedRef::new(value), &mut ValueWriter::new(&mut out));
    String::from_utf8(out).unwrap()
}

fn read<T: PropertyValue>(text: &str) -> Result<T, Fault<'_>> {
    let mut value = T::default_value();
    value::read(ErasedMut::new(&mut value), text, Place::Line).map(|()| value)
}

/// Reads and writes back.
#[track_caller]
fn check<T: PropertyValue>(text: &str, expected: &str) {
    let value: T = read(text).unwrap();
    assert_eq!(written(&value), expected);
    let again: T = read(expected).unwrap();
    assert!(value::same(ErasedRef::new(&value), ErasedRef::new(&again)));
    let mut copy = T::default_value();
    assert!(value::assign(ErasedMut::new(&mut copy), ErasedRef::new(&value)));
    assert_eq!(written(&copy), expected);
}

#[track_caller]
fn refused<T: PropertyValue>(text: &str, code: Code, expected: &str, found: &str) {
    let fault = read::<T>(text).err().unwrap();
    assert_eq!((fault.code, &*fault.expected, fault.found), (code, expected, found), "{text}");
}

const REST: &str = "Patrol { Speed: 2.0, Path: [], Rest: 0ns }";

#[test]
fn variants_of_all_styles_come_back() {
    check::<Mode>("Idle", "Idle");
    check::<Mode>("Still", "Idle");
    check::<Mode>("Wait(2.5)", "Wait(2.5)");
    check::<Mode>("Wait \t( 2.5, )", "Wait(2.5)");
    check::<Mode>("Move(1,2.5)", "Move(1, 2.5)");
    check::<Mode>("Nothing()", "Nothing()");
    check::<Mode>("Patrol{Path: [1, 2], Rest: 3ns}", "Patrol { Speed: 2.0, Path: [1, 2], Rest: 3ns }");
    check::<Mode>("Patrol { way: [1] }", "Patrol { Speed: 2.0, Path: [1], Rest: 0ns }");
    check::<Mode>("Patrol {}", REST);
    check::<Mode>("Patrol", REST);
    assert_eq!(written(&Mode::default_value()), REST);
    check::<Mode>(
        "Aim(1 2 3, [Wait(1), Move (1, 2), Aim([1, 2, 3], []), Idle])",
        "Aim([1.0, 2.0, 3.0], [Wait(1.0), Move(1, 2.0), Aim([1.0, 2.0, 3.0], []), Idle])",
    );
    check::<Mode>(r#"Say("a) (b", { Name: x) y, Mode: On (3) })"#, r#"Say("a) (b", { Name: "x) y", Mode: On(3) })"#);
    check::<Option<Mode>>("none", "none");
    check::<Option<Mode>>("Move(1, 2)", "Move(1, 2.0)");
    check::<Vec<Option<Mode>>>("[none, Move(1, 2), Say(a, none)]", "[none, Move(1, 2.0), Say(a, none)]");
    check::<[Mode2; 2]>("[On(1), Off]", "[On(1), Off]");
    check::<IndexMap<String, Mode>>("{ (a: Move(1, 2), b: Idle }", "{ \"(a\": Move(1, 2.0), b: Idle }");
    check::<Either<Vec<u8>>>("Right([1], [2, 3])", "Right([1], [2, 3])");
    check::<Either<String>>("Left", "Left { It: \"\" }");
}

#[test]
fn parentheses_in_older_texts_are_letters() {
    check::<Vec<String>>("[a (b, :-), c)]", r#"["a (b", ":-)", "c)"]"#);
    check::<IndexMap<u8, String>>("{ 1: a (b, 2: c) }", r#"{ 1: "a (b", 2: "c)" }"#);
    check::<Box2>("{ Name: a (b, Mode: On(1) }", r#"{ Name: "a (b", Mode: On(1) }"#);
    check::<String>("a (b", "a (b");
}

#[test]
fn faults_point_at_the_part_that_is_wrong() {
    const ALL: &str = "one of `Idle`, `Wait`, `Move`, `Aim`, `Say`, `Nothing`, `Patrol`";
    refused::<Mode>("Wiat(1)", Code::UnknownVariant, ALL, "Wiat");
    assert_eq!(read::<Mode>("Wiat(1)").err().unwrap().help.as_deref(), Some("did you mean `Wait`?"));
    refused::<Mode>("", Code::MissingValue, ALL, "");
    refused::<Mode>("(1)", Code::UnknownVariant, ALL, "(1)");
    refused::<Mode>("Idle(1)", Code::WrongCount, "nothing after `Idle`", "(1)");
    refused::<Mode>("Move", Code::WrongCount, "2 values in parentheses after `Move`", "Move");
    refused::<Mode>("Wait { A: 1 }", Code::WrongCount, "1 value in parentheses after `Wait`", "{ A: 1 }");
    refused::<Mode>("Patrol(1)", Code::WrongCount, "fields in braces after `Patrol`", "(1)");
    refused::<Mode>("Move(1)", Code::WrongCount, "2 values in parentheses after `Move`", "(1)");
    assert_eq!(read::<Mode>("Move(1, 2, 3)").err().unwrap().told, "3");
    refused::<Mode>("Move(x, 2)", Code::NotANumber, "a whole number in -2147483648..=2147483647", "x");
    refused::<Mode>("Move(1, 2", Code::Mismatch, "a closing bracket", "");
    refused::<Mode>("Move(1, 2) x", Code::Mismatch, "nothing after the closing bracket", " x");
    refused::<Mode>("Move(1, 2]", Code::Mismatch, "the bracket that closes what was opened", "]");
    refused::<Mode>("Patrol { Sped: 1 }", Code::Mismatch, "one of the keys Speed, Path, Rest", "Sped");
    refused::<Mode>("Patrol { Path: [], Way: [] }", Code::DuplicateKey, "each key once", "Way");
    refused::<Mode>("Patrol { Step: 1 }", Code::Mismatch, "one of the keys Speed, Path, Rest", "Step");
    let deep = format!("{}Idle{}", "Aim(1 2 3, [".repeat(20), "])".repeat(20));
    assert_eq!(read::<Mode>(&deep).err().unwrap().code, Code::NestingTooDeep);
    assert_eq!(read::<Vec<Mode>>(&"[".repeat(60_000)).err().unwrap().code, Code::NestingTooDeep);
    assert!(read::<Vec<Mode2>>(&"[On(".repeat(20_000)).is_err());
}

#[test]
fn the_other_variant_takes_over_on_assignment() {
    let (mut to, from) = (read::<Mode>("Move(1, 2)").unwrap(), read::<Mode>("Patrol { Path: [4] }").unwrap());
    assert!(!value::same(ErasedRef::new(&to), ErasedRef::new(&from)));
    value::assign(ErasedMut::new(&mut to), ErasedRef::new(&from));
    assert!(value::same(ErasedRef::new(&to), ErasedRef::new(&from)));
    assert!(matches!(to, Mode::Patrol { step: 9, .. }));
    let mut numbers = Vec::new();
    value::for_each_number(ErasedRef::new(&read::<Mode>("Move(1, 2)").unwrap()), &mut |number| numbers.push(number));
    assert_eq!(numbers, [1.0, 2.0]);
}

#[test]
fn plain_data_alone_is_blittable() {
    assert!(Mode2::TYPE.is_blittable() && Either::<f32>::TYPE.is_blittable());
    assert!(!Mode::TYPE.is_blittable() && !Either::<String>::TYPE.is_blittable());
    assert!(matches!(Mode::TYPE.kind(), Kind::DataEnum { variants } if variants.len() == 7));
    assert_eq!((Mode::TYPE.leaves(), Mode::TYPE.name()), (1, "Mode"));
}
