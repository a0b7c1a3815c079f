//! Schemas of strangers: refused with a reason, whatever they hold, in bounded time and memory.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::fmt::Write as _;

use super::*;
use crate::mem::OwnedValue;

/// A schema of one class with the properties, and of the types; both as JSON.
fn schema(properties: &str, types: &str) -> Schema {
    let crc = crc32fast::hash(b"Thing");
    let json = format!(
        r#"{{"schema_version": 1, "classes": [{{"name": "Thing", "crc": {crc}, "version": 1, "schema_hash": "0123456789abcdef",
            "properties": [{properties}]}}], "types": [{types}]}}"#
    );
    Schema::from_json(&json).unwrap()
}

fn property(name: &str, ty: &str, default: Option<&str>) -> String {
    let key = crate::class::colon_spelling(name);
    let default =
        default.map_or(String::new(), |text| format!(r#", "default": {}"#, serde_json::to_string(text).unwrap()));
    format!(r#"{{"key": "{key}", "name": "{name}", "type": "{ty}"{default}}}"#)
}

fn refused(properties: &str, types: &str) -> String {
    schema(properties, types).registry().unwrap_err().to_string()
}

const U8: &str = r#"{"name": "u8", "kind": "integer", "signed": false, "bits": 8}"#;

#[test]
fn types_that_hold_themselves_by_value_are_refused() {
    for (ty, inner) in [
        (r#"{"name": "T", "kind": "struct", "fields": [{"key": "A", "name": "a", "type": "T"}]}"#, ""),
        (r#"{"name": "T", "kind": "array", "count": 2, "item": "T"}"#, ""),
        (r#"{"name": "T", "kind": "array", "count": 0, "item": "T"}"#, ""),
        (r#"{"name": "T", "kind": "option", "item": "T"}"#, ""),
        (r#"{"name": "T", "kind": "newtype", "item": "T"}"#, ""),
        (r#"{"name": "T", "kind": "list", "item": "T"}"#, ""),
        (r#"{"name": "T", "kind": "map", "key": "u8", "item": "T"}"#, ""),
        (
            r#"{"name": "T", "kind": "map", "key": "N", "item": "u8"}"#,
            r#", {"name": "N", "kind": "newtype", "item": "N"}"#,
        ),
        (
            r#"{"name": "T", "kind": "enum", "variants": [{"name": "A", "style": "tuple", "fields": [{"key": "0", "name": "0", "type": "O"}]}]}"#,
            r#", {"name": "O", "kind": "option", "item": "T"}"#,
        ),
        (
            r#"{"name": "T", "kind": "newtype", "item": "S"}"#,
            r#", {"name": "S", "kind": "struct", "fields": [{"key": "A", "name": "a", "type": "T"}]}"#,
        ),
    ] {
        let told = refused(&property("a", "T", None), &format!("{U8}, {ty}{inner}"));
        assert!(told.contains("would never end"), "{ty}: {told}");
    }
}

#[test]
fn a_type_may_hold_itself_in_a_list_and_have_items_by_default() {
    let types = format!(
        r#"{{"name": "Tree", "kind": "struct", "fields": [{}, {}]}}, {{"name": "Vec<Tree>", "kind": "list", "item": "Tree"}},
           {{"name": "Pair", "kind": "array", "count": 2, "item": "Tree"}}, {U8}"#,
        property("size", "u8", Some("3")),
        property("trees", "Vec<Tree>", Some("[{}, { Size: 1, Trees: [{}] }]")),
    );
    let registry = schema(&property("pair", "Pair", None), &types).registry().unwrap();
    let value = OwnedValue::new(&registry, 0).unwrap();
    let copy = OwnedValue::copy_of(value.as_ref());
    assert!(crate::class::value::same(value.as_ref(), copy.as_ref()));
    let text = registry.schema().to_json();
    assert!(text.contains("[{ Size: 3, Trees: [{ Size: "), "{text}");
}

#[test]
fn what_no_table_can_hold_is_refused_by_name() {
    let one = |ty: &str| refused(&property("a", "T", None), &format!("{U8}, {ty}"));
    for (ty, why) in [
        (r#"{"name": "T", "kind": "integer", "signed": true, "bits": 7}"#, "`T`: there is no such type"),
        (r#"{"name": "T", "kind": "float", "bits": 16}"#, "no such type"),
        (r#"{"name": "T", "kind": "vector", "count": 5, "float": true}"#, "no such type"),
        (r#"{"name": "T", "kind": "vector", "count": 4, "float": false}"#, "no such type"),
        (r#"{"name": "T", "kind": "vector", "count": 0, "float": true}"#, "no such type"),
        (r#"{"name": "T", "kind": "enum", "variants": []}"#, "at least one variant"),
        (
            r#"{"name": "T", "kind": "enum", "variants": [{"name": "A"}, {"name": "B", "aliases": ["A"]}]}"#,
            "`A` stands for two",
        ),
        (r#"{"name": "T", "kind": "enum", "variants": [{"name": "none"}]}"#, "absent value"),
        (r#"{"name": "T", "kind": "enum", "variants": [{"name": "a(b"}]}"#, "is no name"),
        (
            r#"{"name": "T", "kind": "enum", "variants": [{"name": "A", "fields": [{"key": "A", "name": "a", "type": "u8"}]}]}"#,
            "`T.A`: a variant without a style holds nothing",
        ),
        (
            r#"{"name": "T", "kind": "map", "key": "L", "item": "u8"}, {"name": "L", "kind": "list", "item": "u8"}"#,
            "`L` cannot be a key",
        ),
        (r#"{"name": "T", "kind": "keyed_list", "item": "u8", "key_field": "a"}"#, "`u8` is no struct"),
        (
            r#"{"name": "T", "kind": "keyed_list", "item": "S", "key_field": "b"}, {"name": "S", "kind": "struct", "fields": []}"#,
            "`S` has no field `b`",
        ),
        (
            r#"{"name": "T", "kind": "struct", "fields": [{"key": "MeshA", "name": "mesh_a", "type": "u8"}, {"key": "B", "name": "b", "aliases": ["MeshA"], "type": "u8"}]}"#,
            "the key `MeshA` stands for two",
        ),
        (
            r#"{"name": "T", "kind": "struct", "fields": [{"key": "A: 1\nB", "name": "a", "type": "u8"}]}"#,
            "not the colon spelling",
        ),
        (r#"{"name": "T", "kind": "struct", "fields": [{"key": "A.b", "name": "a.b", "type": "u8"}]}"#, "`T`: "),
        (r#"{"name": "T", "kind": "struct", "fields": [{"key": "", "name": "_", "type": "u8"}]}"#, "`T`: "),
        (r#"{"name": "T", "kind": "array", "count": 18446744073709551615, "item": "u8"}"#, "limited to 65536"),
        (
            r#"{"name": "T", "kind": "array", "count": 60000, "item": "A"}, {"name": "A", "kind": "array", "count": 60000, "item": "u8"}"#,
            "`T`: parts of a value are limited to 65536",
        ),
        (
            r#"{"name": "T", "kind": "list", "item": "A"}, {"name": "A", "kind": "array", "count": 60000, "item": "u8"}"#,
            "`T`: parts of an item are limited to 4096",
        ),
    ] {
        let told = one(ty);
        assert!(told.contains(why), "{ty}\n{told}");
    }
}

#[test]
fn classes_that_no_registry_takes_are_refused() {
    for (property_of, why) in [
        (property("class_version", "u8", None), "directive"),
        (property("position", "u8", None), "position"),
        (property("x", "u8", None) + "," + &property("x", "u8", None), "the key `X` stands for two"),
    ] {
        let told = refused(&property_of, U8);
        assert!(told.contains(why), "{told}");
    }
    let good = schema(&property("x", "u8", Some("3")), U8);
    assert!(good.registry().is_ok());
    let changed = |change: &dyn Fn(&mut ClassSchema)| {
        let mut schema = good.clone();
        change(&mut schema.classes[0]);
        schema.registry().unwrap_err()
    };
    assert!(matches!(changed(&|it| it.crc ^= 1), SchemaError::CrcMismatch { .. }));
    assert!(changed(&|it| it.schema_hash = "xyz".into()).to_string().contains("16 hexadecimal digits"));
    assert!(changed(&|it| it.version = 0).to_string().contains("begin at 1"));
    assert!(matches!(changed(&|it| it.aliases = vec!["Thing".into()]), SchemaError::Registry(_)));
    assert!(matches!(changed(&|it| it.properties[0].ty = "u9".into()), SchemaError::UnknownType { .. }));
    assert!(changed(&|it| it.name = "A b".into()).to_string().contains("CRC"));
}

#[test]
fn defaults_that_do_not_read_name_their_place() {
    let told = refused(&property("x", "u8", Some("300")), U8);
    assert!(
        told.starts_with("`Thing.x`: the default `300` does not read: expected a whole number in 0..=255"),
        "{told}"
    );
    let told = refused(&property("x", "u8", Some("")), U8);
    assert!(told.contains("does not read"), "{told}");
    let fields = r#"{"key": "X", "name": "x", "type": "u8", "default": {"A": "1"}}"#;
    assert!(refused(fields, U8).contains("no such field"));
    let list = format!(r#"{{"name": "L", "kind": "list", "item": "u8"}}, {U8}"#);
    let long = format!("[{}1]", "1, ".repeat(40_000));
    assert!(refused(&property("x", "L", Some(&long)), &list).contains("bytes of a default are limited"));
}

/// A short schema cannot ask for a world of memory.
#[test]
fn defaults_of_lists_of_defaults_of_lists_are_refused_before_they_are_made() {
    let items = format!("[{}{{}}]", "{}, ".repeat(5_000));
    let mut types = U8.to_owned();
    for level in 0..6 {
        let inner = if level == 0 { "u8".to_owned() } else { format!("L{}", level - 1) };
        let default = (level > 0).then_some(items.as_str());
        write!(
            types,
            r#", {{"name": "S{level}", "kind": "struct", "fields": [{}]}}, {{"name": "L{level}", "kind": "list", "item": "S{level}"}}"#,
            property("x", &inner, default)
        )
        .unwrap();
    }
    // Lists of types that come later hold blank items: the order of making is that of values inside each other.
    let many =
        (0..6).map(|level| property(&format!("x{level}"), &format!("S{level}"), None)).collect::<Vec<_>>().join(", ");
    let told = refused(&many, &types);
    // What is made is counted, so that neither memory nor time grow past it.
    assert!(told.ends_with("bytes of all defaults are limited to 268435456"), "{told}");
}

#[test]
fn deep_and_wide_types_are_refused() {
    let chain = |count: usize, kind: &str| {
        let types = (0..count).map(|level| {
            let inner = if level + 1 == count { "u8".to_owned() } else { format!("T{}", level + 1) };
            match kind {
                "list" if level % 2 == 0 => format!(r#"{{"name": "T{level}", "kind": "list", "item": "{inner}"}}"#),
                _ => {
                    format!(r#"{{"name": "T{level}", "kind": "struct", "fields": [{}]}}"#, property("a", &inner, None))
                }
            }
        });
        types.chain([U8.to_owned()]).collect::<Vec<_>>().join(", ")
    };
    let told = refused(&property("a", "T0", None), &chain(10_000, "struct"));
    assert!(told.contains("limited to"), "{told}");
    let told = refused(&property("a", "T0", None), &chain(100_000, "list"));
    assert!(told.contains("types that lead to one another are limited to 256"), "{told}");
    assert!(schema(&property("a", "T0", None), &chain(60, "struct")).registry().is_ok());
    // On the stack of a thread of a test, a schema at the limit is made, and told again.
    let deep = schema(&property("a", "T0", None), &chain(255, "list"));
    assert_eq!(deep.registry().unwrap().schema().types.len(), 256);
    // Two fields of the type before, 60 times: 2⁶⁰ parts.
    let double = (0..60).map(|level| {
        let inner = if level == 59 { "u8".to_owned() } else { format!("T{}", level + 1) };
        let fields = [property("a", &inner, None), property("b", &inner, None)].join(", ");
        format!(r#"{{"name": "T{level}", "kind": "struct", "fields": [{fields}]}}"#)
    });
    let types = double.chain([U8.to_owned()]).collect::<Vec<_>>().join(", ");
    assert!(refused(&property("a", "T0", None), &types).contains("parts of a value"));
    let many = (0..9_000).map(|index| property(&format!("p{index}"), "u8", None)).collect::<Vec<_>>().join(", ");
    assert!(refused(&many, U8).contains("keys are limited to 8192"));
}

#[test]
fn keys_that_are_gone_are_keys_and_none_that_is_there() {
    let good = schema(&property("x_y", "u8", None), U8);
    let of_class = |removed: &[&str]| {
        let mut schema = good.clone();
        schema.classes[0].properties[0].aliases = vec!["Old".to_owned()];
        schema.classes[0].removed = removed.iter().map(|&key| key.to_owned()).collect();
        schema.registry().map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(of_class(&["gone", "Older"]), Ok(()));
    for (removed, why) in [
        (&["x_y"][..], "`Thing`: the removed key \"x_y\" is that of a property as well"),
        (&["XY"], "`Thing`: the removed key \"XY\" is that of a property as well"),
        (&["old"], "`Thing`: the removed key \"old\" is that of a property as well"),
        (&["a", "b", "A"], "`Thing`: the key \"A\" is removed twice"),
        (&["position"], "`Thing`: \"position\" is the key of a directive or of the position"),
        (&["class_version"], "directive"),
        (&[""], "`Thing`: \"\" would not be read back as one key"),
        (&["a.b"], "`Thing`: \"a.b\" would not be read back as one key"),
        (&["a: 1\nb"], "`Thing`: \"a: 1\\nb\" would not be read back as one key"),
        (&["a\"b"], "would not be read back"),
        (&["\u{202E} %"], "\\u{202e} %"),
    ] {
        let told = of_class(removed).err().unwrap_or_default();
        assert!(told.contains(why), "{removed:?}: {told}");
    }
    let of_type = |ty: &str| refused(&property("a", "T", None), &format!("{U8}, {ty}"));
    for (ty, why) in [
        (
            r#"{"name": "T", "kind": "struct", "fields": [{"key": "A", "name": "a", "type": "u8"}], "removed": ["a"]}"#,
            "`T`: the removed key \"a\" is that of a property as well",
        ),
        (
            r#"{"name": "T", "kind": "enum", "variants": [{"name": "V", "style": "struct", "removed": ["a", "a"]}]}"#,
            "`T.V`: the key \"a\" is removed twice",
        ),
        (
            r#"{"name": "T", "kind": "enum", "variants": [{"name": "V", "style": "tuple", "removed": ["a"]}]}"#,
            "`T.V`: only a variant with named fields",
        ),
    ] {
        let told = of_type(ty);
        assert!(told.contains(why), "{ty}: {told}");
    }
}

/// What a schema says of sizes is judged before anything of that size is asked for.
#[test]
fn sizes_of_a_schema_ask_for_no_memory() {
    let thing = property("a", "T", None);
    for count in ["65537", "2147483648", "1099511627776", "18446744073709551615"] {
        let told =
            refused(&thing, &format!(r#"{U8}, {{"name": "T", "kind": "array", "count": {count}, "item": "u8"}}"#));
        assert!(told.contains("`T`: items of an array are limited to 65536"), "{told}");
        let text = format!(r#"{{"name": "T", "kind": "text", "capacity": {count}}}"#);
        let registry = schema(&thing, &text).registry().unwrap();
        assert!(OwnedValue::new(&registry, 0).is_ok());
    }
    // 2¹⁶ structs of 2¹⁶ items each, beside and inside each other.
    let block = |level: usize, inner: &str| {
        format!(
            r#"{{"name": "A{level}", "kind": "array", "count": 65535, "item": "{inner}"}},
               {{"name": "S{level}", "kind": "struct", "fields": [{}]}}"#,
            property("a", &format!("A{level}"), None)
        )
    };
    let told = refused(&property("a", "S1", None), &[block(0, "u8"), block(1, "S0"), U8.to_owned()].join(", "));
    assert!(told.contains("parts of a value are limited to 65536"), "{told}");
    let none = r#"{"name": "N", "kind": "array", "count": 0, "item": "u8"}"#;
    let told = refused(&property("a", "S1", None), &[block(0, "N"), block(1, "S0"), U8.into(), none.into()].join(", "));
    assert!(told.contains("parts of a value are limited to 65536"), "{told}");
    let beside: Vec<_> = (0..8000).map(|index| property(&format!("p{index}"), "A0", None)).collect();
    let told = refused(&beside.join(", "), &format!("{}, {U8}", block(0, "u8")));
    assert!(told.contains("`Thing`: parts of a value are limited to 65536"), "{told}");
}

#[test]
fn strange_names_are_told_on_one_short_line() {
    let long = "n".repeat(1 << 20);
    let mut refusals = 0;
    for name in [&*long, "a\nb", "\u{202E}evil", "\"quoted\"", "100%s", "a\u{1b}[2J"] {
        let quoted = serde_json::to_string(name).unwrap();
        let crc = crc32fast::hash(name.as_bytes());
        for json in [
            format!(
                r#"{{"schema_version": 1, "types": [], "classes": [{{"name": {quoted}, "crc": {crc}, "version": 1,
                "schema_hash": "x", "properties": []}}]}}"#
            ),
            format!(
                r#"{{"schema_version": 1, "types": [{U8}], "classes": [{{"name": "A", "crc": 1, "version": 1,
                "schema_hash": {quoted}, "properties": []}}, {{"name": {quoted}, "crc": 1, "version": 1, "schema_hash": "0",
                "properties": []}}, {{"name": {quoted}, "crc": 1, "version": 1, "schema_hash": "0", "properties": []}}]}}"#
            ),
            format!(
                r#"{{"schema_version": 1, "types": [], "classes": [{{"name": "A", "crc": 1, "version": 1,
                "schema_hash": "0", "properties": [{{"key": {quoted}, "name": {quoted}, "type": {quoted}}}]}}]}}"#
            ),
            format!(
                r#"{{"schema_version": 1, "types": [{U8}], "classes": [{{"name": "Thing", "crc": 2592932743, "version": 1,
                "schema_hash": "0", "properties": [{{"key": {quoted}, "name": {quoted}, "type": "u8"}}]}}]}}"#
            ),
            format!(
                r#"{{"schema_version": 1, "types": [{{"name": {quoted}, "kind": "float", "bits": 7}}], "classes":
                [{{"name": "Thing", "crc": 2592932743, "version": 1, "schema_hash": "0", "properties": [{{"key": "A",
                "name": "a", "type": {quoted}}}]}}]}}"#
            ),
            format!(
                r#"{{"schema_version": 1, "types": [{U8}], "classes": [{{"name": "Thing", "crc": 2592932743, "version": 1,
                "schema_hash": "0", "properties": [{{"key": "A", "name": "a", "type": "u8", "default": {quoted}}}]}}]}}"#
            ),
            format!(r#"{{"schema_version": 1, {quoted}: 1}}"#),
            format!(r#"{{"schema_version": {quoted}}}"#),
            format!(r#"{{"schema_version": 1, "classes": [], "types": [{{"name": "A", "kind": {quoted}}}]}}"#),
        ] {
            let refused = Schema::from_json(&json).and_then(|schema| schema.registry().map(|_| ()));
            // Some are a key.
            let told = refused.err().map(|error| error.to_string()).unwrap_or_default();
            refusals += usize::from(!told.is_empty());
            assert!(told.len() < 1000, "{} bytes: {told:.300}", told.len());
            assert!(!told.contains(crate::text::is_invisible), "{told:?}");
        }
    }
    assert!(refusals >= 6 * 8, "{refusals}");
}

#[test]
fn migrations_of_the_program_are_taken_if_they_are_those_of_the_schema() {
    use crate::class::{MigrateError, Migration};

    fn nothing(_: &mut Migration<'_>) -> Result<(), MigrateError> {
        Ok(())
    }
    static STEPS: [(u32, MigrateFn); 4] = [(1, nothing), (3, nothing), (2, nothing), (u32::MAX, nothing)];
    let with = |migrates: bool, until: u32, steps: &'static [(u32, MigrateFn)]| {
        let mut schema = schema(&property("a", "u8", Some("3")), U8);
        (schema.classes[0].version, schema.classes[0].migrates, schema.classes[0].migrates_until) =
            (4, migrates, until);
        let registry = schema.registry_with(&|_| Some(steps))?;
        assert_eq!(registry.schema().to_json(), schema.to_json());
        let only_told = schema.registry()?;
        assert_eq!((only_told.schema(), only_told.classes() == registry.classes()), (registry.schema(), false));
        Ok::<_, SchemaError>(registry)
    };
    assert!(with(true, 3, &STEPS[..2]).unwrap().classes()[0].has_migrate());
    assert!(with(true, 0, &STEPS[3..]).unwrap().classes()[0].has_migrate());
    let twice = [with(true, 1, &STEPS[..1]).unwrap(), with(true, 1, &STEPS[..1]).unwrap()];
    assert_eq!(twice[0].classes(), twice[1].classes());
    for (migrates, until, steps, why) in [
        (true, 2, &STEPS[..3], "order"),
        (true, 1, &STEPS[..2], "another version"),
        (true, 3, &STEPS[3..], "another version"),
        (true, 0, &[], "another version"),
        (false, 0, &STEPS[3..], "another version"),
        (false, 1, &STEPS[..1], "another version"),
    ] {
        let told = with(migrates, until, steps).unwrap_err().to_string();
        assert!(told.contains(why), "{migrates} {until}: {told}");
    }
}
