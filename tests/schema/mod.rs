//! The schema of the tour's classes: JSON against its published form, an old file, pages, and the text of examples.

mod components;
mod html;
mod json_schema;
mod pages;
mod reading;
mod reference;

use juliet::core::archive::{Components, EntityText, Findings, open, read_values, write_entity};
use juliet::prelude::*;
use juliet::schema::{Schema, Shape, compare, example};
use juliet::{ErasedRef, OwnedValue, Spelling};

use crate::sample::classes::{Collectible, Door, Inert, SpikeTrap};

fn registry() -> ClassRegistry {
    registry![Inert, Collectible, SpikeTrap, Door].unwrap()
}

#[test]
fn json_is_of_the_published_form() {
    let published = serde_json::from_str(include_str!("../../docs/schema.json")).unwrap();
    let check = |text: &str| json_schema::faults(&published, &serde_json::from_str(text).unwrap());
    assert_eq!(check(&registry().schema().to_json()), Vec::<String>::new());
    assert_eq!(check(&shapes().schema().to_json()), Vec::<String>::new());
    assert_eq!(check(include_str!("version_1.json")), Vec::<String>::new());
    let wrong = registry().schema().to_json().replace("\"kind\": \"vector\"", "\"kind\": \"victor\"");
    assert!(!check(&wrong).is_empty());
    let wrong = registry().schema().to_json().replace("\"crc\": ", "\"crc\": -");
    assert!(check(&wrong)[0].contains("crc"), "{:?}", check(&wrong));
}

#[test]
fn a_schema_of_version_1_stays_readable() {
    let old = Schema::from_json(include_str!("version_1.json")).unwrap();
    assert_eq!(old.schema_version, 1);
    assert_eq!(old.classes.iter().map(|class| class.name.as_str()).collect::<Vec<_>>(), ["Boulder", "Door"]);
    let door = (old.classes[1].crc, registry().find_by_name("Door").unwrap().1.crc());
    assert_eq!(door.0, door.1);
    let told: Vec<_> = compare(&old, &registry().schema()).iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "Boulder: vanished; add #[jasset(alias = \"Boulder\")] to the class that took its place, or register it again",
            "Door.is_open: vanished; add #[jasset(alias = \"IsOpen\")] to the property that took its place, or \
             #[jasset(removed(\"is_open\"))] to what held it if its values may go, or raise the version of the class with a `migrate` function that says where its value goes",
            "Door.code: type changed from `String` to `u32`; add #[jasset(version = 2, migrate = path)] to the class",
        ]
    );
}

#[test]
fn nothing_changed_since_the_text_was_written() {
    let schema = registry().schema();
    assert!(compare(&Schema::from_json(&schema.to_json()).unwrap(), &schema).is_empty());
}

#[test]
fn examples_are_what_the_writer_writes_and_read_back_without_a_word() {
    for registry in [registry(), shapes()] {
        let schema = registry.schema();
        for (kind, class) in registry.classes().iter().enumerate() {
            let mut value = OwnedValue::new(&registry, kind.try_into().unwrap()).unwrap();
            for spelling in [Spelling::Colon, Spelling::Node] {
                let text = example(&schema, schema.find_class(class.name()).unwrap(), spelling);
                let entity = EntityText {
                    class,
                    id: 0x0100_0000_0000_0001,
                    position: [0.0, 0.0, 0.0, 1.0],
                    value: value.as_ref(),
                    inherits: None,
                    components: Components::NONE,
                };
                let mut written = Vec::new();
                write_entity(&entity, spelling, &mut written);
                // The writer says nothing of a map without items.
                let said = text.replace("Letters: {}\n", "").replace("; letters\n{}\n", "");
                assert_eq!(said, String::from_utf8(written).unwrap());
                let mut findings = Findings::new();
                let opened = open(&registry, "example", &text, &mut findings).unwrap();
                read_values(&opened, value.as_mut(), &mut findings);
                let told = findings.into_diagnostics("example");
                assert!(told.is_empty(), "{told:?}");
            }
        }
    }
}

#[test]
fn defaults_of_structs_stand_field_by_field() {
    let json: serde_json::Value = serde_json::from_str(&registry().schema().to_json()).unwrap();
    let light = &json["classes"][2]["properties"][5];
    assert_eq!(light["key"], "Light");
    let default = &light["default"];
    assert_eq!(
        (&default["Color"], &default["Radius"], &default["Intensity"]),
        (&"1.0, 0.5, 0.2".into(), &"2.0".into(), &"1.0".into())
    );
}

#[test]
fn every_kind_of_type_is_described() {
    let schema = shapes().schema();
    let mut kinds: Vec<_> = schema.types.iter().map(|ty| core::mem::discriminant(&ty.shape)).collect();
    kinds.dedup();
    for (name, expected) in [
        ("Table", Shape::Newtype { item: "Vec<u8>".into() }),
        ("[i64; 2]", Shape::Array { count: 2, item: "i64".into() }),
        ("BTreeMap<u8, char>", Shape::Map { key: "u8".into(), item: "char".into() }),
        ("InlineString<8>", Shape::Text { capacity: Some(8) }),
        ("IVec2", Shape::Vector { count: 2, float: false }),
    ] {
        assert_eq!(schema.find_type(name).map(|ty| &ty.shape), Some(&expected), "{name}");
    }
}

/// Numbers in a list.
#[derive(Property)]
struct Table(Vec<u8>);

/// What goes on.
#[derive(Property)]
enum Mode {
    /// Nothing.
    Idle,
    /// Waits.
    #[jasset(alias = "Rest")]
    Wait(#[jasset(unit = "s", range = 0.0..)] f32),
    /// Walks.
    Patrol {
        /// How fast.
        speed: f64,
        /// Where.
        path: Vec<Vec3>,
    },
}

/// Every kind of value, and `code` with a | in it.
///
/// # More
///
/// ```text
/// <not html>
/// ```
#[derive(Entity)]
#[jasset(version = 3, alias = "Forms")]
struct Shapes {
    /// Numbers.
    table: Table,
    pair: [i64; 2],
    letters: std::collections::BTreeMap<u8, char>,
    short: InlineString<8>,
    cell: IVec2,
    turn: Quat,
    mode: Mode,
    maybe: Option<Mode>,
    tint: Option<Color>,
    #[jasset(default = 1.0, range = 1.0e-9..=1.0e20, step = 0.125, hidden, since = 2)]
    wide: f64,
    /// Text with <tags>.
    #[jasset(default = "a, b", read_only, group = "Text")]
    words: String,
}

fn shapes() -> ClassRegistry {
    registry![Shapes].unwrap()
}

/// Uses what the derive leaves to programs.
#[test]
fn values_of_examples_have_the_types_of_their_classes() {
    let value = Shapes::default_value();
    assert_eq!(ErasedRef::of_entity(&value).ty().fields().len(), shapes().schema().classes[0].properties.len());
    assert!(value.letters.is_empty());
}
