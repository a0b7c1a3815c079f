//! K14: integers are whole, in range and never pass through a float.

use juliet::Code;
use juliet::prelude::*;

use crate::support::classes::{Rock, rocks};
use crate::support::{TestProject, accepted, only, refused_once, save};

/// Integers of several widths.
#[derive(Entity)]
struct Counter {
    /// With a sign.
    delta: i32,
    /// As wide as an id.
    key: u64,
}

fn counters() -> ClassRegistry {
    registry![Counter].unwrap()
}

#[test]
fn k14_integers_in_range_load() {
    for (text, hits) in
        [("255", 255), (" 5 ", 5), ("\t5\t", 5), ("0x1F", 31), ("007", 7), ("+5", 5), ("0", 0), ("-0", 0)]
    {
        let (world, handle) = accepted(rocks(), format!("; entity_type: Rock\nHits: {text}\n"));
        assert_eq!(world.get::<Rock>(handle).unwrap().hits, hits, "{text:?}");
    }
}

#[test]
fn k14_what_is_no_integer_in_range_is_refused() {
    for (text, code) in [
        ("256", Code::IntegerRange),
        ("300", Code::IntegerRange),
        ("-1", Code::IntegerRange),
        ("0x100", Code::IntegerRange),
        ("99999999999999999999999999999999999999999999", Code::IntegerRange),
        ("1.0", Code::NotANumber),
        ("1e2", Code::NotANumber),
        ("५", Code::NotANumber),
        ("1_000", Code::NotANumber),
        ("0x", Code::NotANumber),
        ("- 1", Code::NotANumber),
        ("1 2", Code::NotANumber),
        ("true", Code::NotANumber),
        ("", Code::MissingValue),
    ] {
        let error = refused_once(rocks(), format!("; entity_type: Rock\nHits: {text}\n"));
        assert_eq!((error.code, error.line, &*error.property), (code, 2, "Hits"), "{text:?}: {error}");
        assert_eq!(&*error.found, text);
        assert!(error.expected.contains("0..=255") && error.message.contains("0..=255"), "{text:?}: {error}");
    }
}

#[test]
fn k14_a_negative_number_keeps_its_sign() {
    let (world, handle) = accepted(counters(), "; entity_type: Counter\nDelta: -2147483648\n");
    assert_eq!(world.get::<Counter>(handle).unwrap().delta, i32::MIN);
    let error = refused_once(counters(), "; entity_type: Counter\nDelta: 4294967295\n");
    assert_eq!((error.code, error.line, &*error.found), (Code::IntegerRange, 2, "4294967295"));
    assert!(error.expected.contains("-2147483648..=2147483647"), "{error}");
}

const WIDE: [(&str, u64); 5] = [
    ("0x0100000000000042", 72_057_594_037_928_002),
    ("0xFFFFFFFFFFFFFFFF", u64::MAX),
    ("0xffffffffffffffff", u64::MAX),
    ("18446744073709551615", u64::MAX),
    ("9223372036854775809", 9_223_372_036_854_775_809),
];
const NOT_WIDE: [&str; 4] = ["18446744073709551616", "0x10000000000000000", "0x", "0xZZ"];

#[test]
fn k14_sixty_four_bits_are_exact() {
    for (text, number) in WIDE {
        let (world, handle) = accepted(counters(), format!("; entity_type: Counter\nKey: {text}\n"));
        assert_eq!(world.get::<Counter>(handle).unwrap().key, number, "{text}");
        let (world, handle) = accepted(counters(), format!("; entity_type: Counter\n; id: {text}\n"));
        assert_eq!(world.base(handle).unwrap().id(), number, "{text}");
        let (world, handle) = accepted(counters(), format!("; class\nCounter\n; id\n{text}\n"));
        assert_eq!(world.base(handle).unwrap().id(), number, "{text}");
    }
    for text in NOT_WIDE {
        let error = refused_once(counters(), format!("; entity_type: Counter\nKey: {text}\n"));
        assert_eq!((error.line, &*error.property, &*error.found), (2, "Key", text));
        let error = refused_once(counters(), format!("; entity_type: Counter\n; id: {text}\n"));
        assert_eq!((error.code, error.line, &*error.property, &*error.found), (Code::BadId, 2, "id", text));
    }
    for text in ["0", "0x0", "-1", "none", ""] {
        let error = refused_once(counters(), format!("; entity_type: Counter\n; id: {text}\n"));
        assert_eq!((error.code, error.line), (Code::BadId, 2), "{text:?}");
    }
}

#[test]
fn k14_an_id_is_written_as_sixteen_hex_digits() {
    let project = TestProject::with(
        counters(),
        &[
            ("A.jasset", "; entity_type: Counter\n; id: 0x0100000000000042\nKey: 1\n"),
            ("B.jasset", "; entity_type: Counter\n; id: 72057594037928003\nKey: 1\n"),
        ],
    );
    let mut world = project.load_clean();
    let original = world.find_by_id(72_057_594_037_928_002).unwrap();
    assert!(world.find_by_id(72_057_594_037_928_003).is_some());
    world.set(original, "Key", u64::MAX).unwrap();
    let copy = world.duplicate(original).unwrap();
    let id = world.base(copy).unwrap().id();
    let file = world.file_of(copy).unwrap();
    save(&mut world);
    let copied = project.text(file.rsplit('/').next().unwrap());
    assert_eq!(copied, format!("; entity_type: Counter\n; id: 0x{id:016X}\nKey: 18446744073709551615\n"));
    assert_eq!(
        project.text("A.jasset"),
        "; entity_type: Counter\n; id: 0x0100000000000042\nKey: 18446744073709551615\n"
    );
    // Nobody changed it: the id stays as it was written.
    assert!(project.text("B.jasset").contains("; id: 72057594037928003\n"));
}

#[test]
fn k14_a_file_that_names_no_id_gets_one_with_the_next_change() {
    let project = TestProject::with(counters(), &[("A.jasset", "; entity_type: Counter\nKey: 1\n")]);
    let mut world = project.load_clean();
    let handle = only(&world);
    let id = world.base(handle).unwrap().id();
    world.set(handle, "Key", 2_u64).unwrap();
    save(&mut world);
    assert_eq!(project.text("A.jasset"), format!("; entity_type: Counter\n; id: 0x{id:016X}\nKey: 2\n"));
}
