//! Formats, trees and code of the user's made to break something.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ::serde::de::{DeserializeSeed, Deserializer, Visitor, value::Error};
use ::serde::forward_to_deserialize_any;
use serde_json::json;

use super::*;
use crate::mem::Entity;

/// A format that says `Some` whatever it is asked for, and then says it again.
struct Always(usize);

impl<'de> Deserializer<'de> for Always {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        assert!(self.0 < 1000, "it was followed without an end");
        visitor.visit_some(Self(self.0 + 1))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[test]
fn a_format_that_always_says_some_comes_to_an_end() {
    fn check<T: PropertyValue>() {
        let error = SerdeSeed(ErasedMut::new(&mut T::default_value())).deserialize(Always(0)).unwrap_err().to_string();
        assert!(error.contains("deeper than 128 levels") || error.contains("invalid type: Option"), "{error}");
    }
    check::<u8>();
    check::<Option<String>>();
    check::<Vec<u8>>();
    check::<Lamp>();
    check::<Mode>();
    check::<IndexMap<String, u8>>();
    check::<AssetRef<u8>>();
    let error = <Value as ::serde::Deserialize>::deserialize(Always(0)).unwrap_err().to_string();
    assert!(error.contains("deeper than 128 levels"), "{error}");
}

#[test]
fn trees_grow_no_deeper_by_setting_than_can_be_shown() {
    let mut tree = Value::List(vec![Value::None]);
    let mut path = "[0]".to_owned();
    let mut levels = 1;
    while tree.set(&path, vec![Value::None]).is_ok() {
        path.push_str("[0]");
        levels += 1;
        assert!(levels < 1000, "no end");
    }
    assert_eq!(tree.set(&path, vec![Value::None]).unwrap_err().code, Code::NestingTooDeep);
    let text = serde_json::to_string(&tree).unwrap();
    assert_eq!(text.matches('[').count(), levels);
    let mut outer = Value::List(vec![tree.clone()]);
    assert_eq!(serde_json::to_string(&outer).unwrap_err().to_string(), "the value nests deeper than text may");
    assert_eq!(outer.set("[0]", tree.clone()).unwrap_err().code, Code::NestingTooDeep);
    outer.set("[0]", 1).unwrap();
    let mut count = 0;
    for _ in 0..2000 {
        tree = Value::List(vec![tree]);
    }
    tree.walk(|_, _| count += 1);
    assert_eq!(count, levels + 2001);
    assert!(serde_json::to_string(&tree).is_err() && tree.put(ErasedMut::new(&mut lamp())).is_err());
}

#[test]
fn fields_are_named_in_brackets_too() {
    let mut at = lamp();
    for path in ["[Light].Color", "[\"light\"][beam_width]", "Loot[\"two words\"][Count]", "[Cost][none]", "[Mode]"] {
        let value = get_path(ErasedRef::new(&at), path).unwrap_or_else(|| panic!("{path}"));
        set_path(ErasedMut::new(&mut at), path, &value).unwrap();
        let tree = of(&at);
        if !path.contains("Cost") {
            assert_eq!(tree.get(path).as_deref(), Some(&value), "{path}");
            tree.clone().set(path, value).unwrap();
        }
    }
    assert!(same(ErasedRef::new(&at), ErasedRef::new(&lamp())));
    for path in ["[\"Light\\q\"]", "[Light", "[]", "[0]", "Light.[Color]", "Lights[0].[At]"] {
        assert_eq!((get_path(ErasedRef::new(&at), path), of(&at).get(path)), (None, None), "{path}");
        assert!(set_path(ErasedMut::new(&mut at), path, &Value::None).is_err(), "{path}");
    }
}

thread_local! {
    /// The call of a copy or drop that panics, counted down; below 0 none.
    static FUSE: Cell<i32> = const { Cell::new(-1) };
}

/// A value whose copy and drop panic when the fuse has burnt down.
#[derive(Debug, Default)]
struct Fused(u8);

fn burn() {
    let left = FUSE.get();
    FUSE.set(left - 1);
    assert!(left != 0 || std::thread::panicking(), "the fuse has burnt down");
}

impl Clone for Fused {
    fn clone(&self) -> Self {
        burn();
        Self(self.0)
    }
}

impl Drop for Fused {
    fn drop(&mut self) {
        burn();
    }
}

mod fused {
    use super::Fused;

    pub(super) fn read(text: &str) -> Result<Fused, std::num::ParseIntError> {
        text.parse().map(Fused)
    }

    pub(super) fn write(value: &Fused) -> String {
        value.0.to_string()
    }
}

#[derive(juliet_derive::Entity)]
#[jasset(crate = "crate")]
struct Bomb {
    mass: f32,
    #[jasset(with = fused)]
    first: Fused,
    name: String,
    #[jasset(with = fused)]
    second: Fused,
    count: u8,
}

#[test]
fn an_entity_is_whole_whoever_panics_while_data_is_put_into_it() {
    let data = json!({"Position": [1, 2, 3], "Mass": 2, "First": "3", "Name": "b", "Second": "4", "Count": 5});
    let mut outcomes = [0, 0];
    for after in 0..40 {
        FUSE.set(-1);
        let mut manager = crate::EntityManager::new(crate::registry![Bomb].unwrap()).unwrap();
        let handle = manager.spawn(Bomb::default_value(), Vec3::ZERO).unwrap();
        manager.mark_clean(handle).unwrap();
        let told = |manager: &crate::EntityManager| {
            (serde_json::to_value(EntityAsSerde { manager, handle }).unwrap(), manager.is_dirty(handle))
        };
        let before = told(&manager);
        FUSE.set(after);
        let result = catch_unwind(AssertUnwindSafe(|| {
            EntitySeed { manager: &mut manager, handle }.deserialize(data.clone()).unwrap();
        }));
        FUSE.set(-1);
        let (is, is_dirty) = told(&manager);
        assert_eq!(is_dirty, is != before.0, "{after}: {is}");
        if is_dirty {
            for key in ["Position", "Mass", "First", "Name", "Second", "Count"] {
                assert_ne!(is[key], before.0[key], "{after}: {is}");
            }
        }
        assert!(is_dirty || result.is_err());
        outcomes[usize::from(is_dirty)] += usize::from(result.is_err());
    }
    assert!(outcomes[0] > 1 && outcomes[1] > 0, "{outcomes:?}");
}

#[test]
fn odd_data_is_refused_with_its_place() {
    fn told<T: PropertyValue>(text: &str) -> String {
        let read: Result<T, _> = from_serde(&mut serde_json::Deserializer::from_str(text));
        read.map(|_| ()).unwrap_err().to_string()
    }
    let mut wrong = Vec::new();
    for (text, why) in [
        (r#"{"Light": {"At": [1, 2, "x"]}}"#, "Light.At"),
        (r#"{"Light": {"BeamWidth": 1e999}}"#, "number out of range"),
        (r#"{"Light": {"BeamWidth": "one"}}"#, "Light.BeamWidth"),
        (r#"{"Light": null}"#, "a struct at `Light`"),
        (r#"{"Light": [1]}"#, "a struct at `Light`"),
        (r#"{"Big": -1}"#, "number out of range"),
        (r#"{"Big": 1e300}"#, "line 1 column 10"),
        (r#"{"Big": 0.5}"#, "line 1 column 10"),
        (r#"{"Mode": {"Wait": 1, "Say": 2}}"#, "expected value"),
        (r#"{"Mode": {}}"#, "expected value"),
        (r#"{"Mode": 3}"#, "expected value"),
        (r#"{"Mode": "Wait"}"#, "expected newtype variant"),
        (r#"{"Mode": "\u202eIdle"}"#, "`\\u{202e}Idle`"),
        (r#"{"100%\n\"x": 1}"#, "`100%\\n\"x`"),
        (r#"{"\u202e": 1}"#, "`\\u{202e}`"),
        (r#"{"Label": "123456789"}"#, "Label: expected at most 8 bytes of text"),
        (r#"{"Levels": {"300": "Iron"}}"#, "Levels[300]"),
        (r#"{"Levels": {"x\ny": "Iron"}}"#, "a number in quotes"),
        (r#"{"Lights": [{}]}"#, "Lights: expected a list of 2 items"),
        (r#"{"Lights": [{}, {}, {}]}"#, "Lights: expected a list of 2 items"),
        (r#"{"Loot": [{"Name": "a"}, {"Name": "a"}]}"#, "each key once"),
        (r#"{"Steps": {"0": 1}}"#, "a list at `Steps`"),
        (r#"{"Mesh": 7}"#, "Mesh: expected the path of an asset"),
        (r#"{"Target": -1}"#, "Target: expected an entity id"),
        (r#"{"Target": "42; drop"}"#, "Target: expected an entity id"),
    ] {
        let told = told::<Lamp>(text);
        if !told.contains(why) || told.contains(crate::text::is_invisible) {
            wrong.push(format!("{text}: {told:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
