//! Two schemas of one class, and what is told of each change.

use juliet_derive::{Entity, Property};

use super::{Change, What, compare};
use crate::ClassRegistry;
use crate::diag::Severity;
use crate::schema::data::{ClassSchema, PropertySchema, Shape, TypeSchema};
use crate::schema::{SCHEMA_VERSION, Schema};

/// The schema of the class `Rock` among the items.
macro_rules! schema {
    ($($items:tt)*) => {{
        $($items)*
        ClassRegistry::new().with::<Rock>().unwrap().schema()
    }};
}

/// The schema of a class `Rock` of these fields.
macro_rules! fields {
    ($($fields:tt)*) => {
        schema! {
            #[derive(Entity)]
            #[jasset(crate = "crate")]
            struct Rock { $($fields)* }
        }
    };
}

fn told(old: &Schema, new: &Schema) -> Vec<String> {
    compare(old, new).iter().map(ToString::to_string).collect()
}

fn only(old: &Schema, new: &Schema) -> Change {
    let mut changes = compare(old, new);
    assert_eq!(changes.len(), 1, "{changes:?}");
    changes.remove(0)
}

#[test]
fn nothing_is_found_in_what_stays_grows_or_is_reordered() {
    let old = fields! { hits: u8, name: String };
    assert!(compare(&old, &old).is_empty());
    assert!(compare(&old, &fields! { #[jasset(since = 1)] extra: f32, name: String, hits: u8 }).is_empty());
}

#[test]
fn a_property_that_vanished_asks_for_an_alias() {
    let (old, new) = (fields! { hit_points: u8 }, fields! { health: u8 });
    let change = only(&old, &new);
    assert_eq!((change.statement.as_str(), change.severity), ("alias = \"HitPoints\"", Severity::Error));
    assert_eq!(
        change.to_string(),
        "Rock.hit_points: vanished; add #[jasset(alias = \"HitPoints\")] to the property that took its place, or \
         #[jasset(removed(\"hit_points\"))] to what held it if its values may go, or raise the version of the class with a `migrate` function that says where its value goes"
    );
    assert!(compare(&old, &fields! { #[jasset(alias = "HitPoints")] health: u8 }).is_empty());
    assert!(compare(&old, &fields! { #[jasset(alias = "hit_points")] health: u8 }).is_empty());
}

#[test]
fn a_property_that_is_said_to_be_removed_is_settled() {
    macro_rules! with {
        ([$($options:tt)*] $($fields:tt)*) => {{
            #[derive(Property)]
            #[jasset(crate = "crate", $($options)*)]
            struct Light { $($fields)* }
            fields! { light: Light }
        }};
    }
    let old = with!([] #[jasset(alias("Dim", "Faint"))] dark: bool, on: bool);
    assert_eq!(compare(&old, &with!([] on: bool)).len(), 1);
    assert!(compare(&old, &with!([removed("Dark")] on: bool)).is_empty());
    let change = only(&old, &with!([removed("dim")] #[jasset(alias = "Dark")] bright: bool, on: bool));
    assert_eq!(change.what, What::AliasVanished { alias: "Faint".to_owned() });
}

#[test]
fn steps_of_a_migration_answer_for_the_versions_they_take() {
    macro_rules! class {
        ([$($options:tt)*] $($fields:tt)*) => {{
            #[derive(Entity)]
            #[jasset(crate = "crate", $($options)*)]
            struct Rock { $($fields)* }
            ClassRegistry::new().with::<Rock>().unwrap().schema()
        }};
    }
    fn step(_: &mut crate::class::Migration<'_>) -> Result<(), crate::class::MigrateError> {
        Ok(())
    }
    let old = |version| {
        let mut schema = class!([version = 3] hits: u8);
        schema.classes[0].version = version;
        schema
    };
    let new = class!([version = 5, migrate(1 => step, 2 => step)] blows: u8);
    assert_eq!(new.classes[0].migrates_until, 2);
    assert!(compare(&old(1), &new).is_empty() && compare(&old(2), &new).is_empty());
    assert_eq!(compare(&old(3), &new).len(), 1, "no step takes files of version 3");
    let whole = class!([version = 5, migrate = step] blows: u8);
    assert!(compare(&old(4), &whole).is_empty());
}

#[test]
fn an_alias_outlives_the_next_renaming() {
    let old = fields! { #[jasset(alias = "Hp")] hits: u8 };
    let new = fields! { #[jasset(alias = "Hits")] health: u8 };
    assert_eq!(
        told(&old, &new),
        ["Rock.hits: the alias `Hp` vanished; add #[jasset(alias = \"Hp\")] to the property again"]
    );
}

#[test]
fn an_alias_counts_in_either_spelling() {
    let old = fields! { #[jasset(alias = "old_hits")] hits: u8 };
    assert!(compare(&old, &fields! { #[jasset(alias = "OldHits")] hits: u8 }).is_empty());
    assert!(compare(&fields! { #[jasset(alias = "OldHits")] hits: u8 }, &old).is_empty());
}

#[test]
fn a_migration_answers_for_its_class() {
    let old = fields! { hits: u8 };
    let new = schema! {
        #[derive(Entity)]
        #[jasset(crate = "crate", version = 2, migrate = migrate)]
        struct Rock { health: f32 }
        fn migrate(_: &mut crate::class::Migration<'_>) -> Result<(), crate::class::MigrateError> {
            Ok(())
        }
    };
    assert!(compare(&old, &new).is_empty());
    let back = told(&new, &old);
    assert_eq!(back[0], "Rock: version went back from 2 to 1; add #[jasset(version = 2)] to the class");
}

#[test]
fn another_type_asks_for_a_migration() {
    let change = only(&fields! { hits: i32 }, &fields! { hits: String });
    assert_eq!(
        change.to_string(),
        "Rock.hits: type changed from `i32` to `String`; add #[jasset(version = 2, migrate = path)] to the class"
    );
    assert_eq!(change.severity, Severity::Error);
    assert_eq!(only(&fields! { hits: u8 }, &fields! { hits: i16 }).severity, Severity::Warning);
    assert_eq!(only(&fields! { hits: i16 }, &fields! { hits: u16 }).severity, Severity::Error);
    assert_eq!(only(&fields! { hits: f64 }, &fields! { hits: f32 }).severity, Severity::Error);
    assert_eq!(only(&fields! { a: [u8; 2] }, &fields! { a: [u8; 3] }).property, "a");
}

#[test]
fn defaults_units_and_ranges_mean_something() {
    let old = fields! { #[jasset(default = 1.0, unit = "kg", range = 0.0..=9.0)] mass: f32 };
    let new = fields! { #[jasset(default = 2.0, unit = "g", range = 0.0..=5.0)] mass: f32 };
    let migrate = "add #[jasset(version = 2, migrate = path)] to the class";
    assert_eq!(
        told(&old, &new),
        [
            format!(
                "Rock.mass: default changed from `1.0` to `2.0`; {migrate} if files that leave it out shall keep the old value"
            ),
            format!("Rock.mass: unit changed from `kg` to `g`; {migrate}"),
            format!("Rock.mass: range narrowed from `0..=9` to `0..=5`; {migrate}"),
        ]
    );
    let wider = fields! { #[jasset(default = 1.0, unit = "kg", range = -1.0..)] mass: f32 };
    assert!(compare(&old, &wider).is_empty());
}

#[test]
fn variants_are_paired_by_name_in_any_order() {
    macro_rules! mode {
        ($($variants:tt)*) => {
            schema! {
                #[derive(Property)]
                #[jasset(crate = "crate")]
                enum Mode { $($variants)* }
                #[derive(Entity)]
                #[jasset(crate = "crate")]
                struct Rock { modes: Vec<Mode> }
            }
        };
    }
    let old = mode!(Idle, Walk);
    assert!(compare(&old, &mode!(Walk, Idle)).is_empty());
    assert!(
        compare(
            &old,
            &mode!(
                Walk,
                #[jasset(alias = "Idle")]
                Rest,
                Run
            )
        )
        .is_empty()
    );
    assert!(
        compare(
            &old,
            &mode!(
                Walk,
                Idle,
                Fly(
                    #[jasset(default = 1.0)]
                    f32
                )
            )
        )
        .is_empty()
    );
    let change = only(&old, &mode!(Walk));
    assert_eq!((change.property.as_str(), change.statement.as_str()), ("modes[]", "alias = \"Idle\""));
    let old = mode!(Idle, Move { speed: f32 }, Wait(f32));
    assert_eq!(only(&old, &mode!(Idle, Move { pace: f32 }, Wait(f32))).property, "modes[](Move).speed");
    assert_eq!(only(&old, &mode!(Idle, Move { speed: f32 }, Wait(String))).property, "modes[](Wait).0");
    assert_eq!(only(&old, &mode!(Idle, Move { speed: f32 }, Wait(f32, f32))).property, "modes[](Wait)");
}

#[test]
fn structs_are_compared_where_they_stand() {
    macro_rules! lamp {
        ($name:ident { $($fields:tt)* } $lamp:ty, $($more:tt)*) => {
            schema! {
                #[derive(Property)]
                #[jasset(crate = "crate")]
                struct $name { $($fields)* }
                #[derive(Entity)]
                #[jasset(crate = "crate")]
                struct Rock { lamp: $lamp, $($more)* }
            }
        };
    }
    let old = lamp!(Lamp { #[jasset(default = 1)] power: u8, on: bool } Lamp,);
    assert!(compare(&old, &lamp!(Light { on: bool, #[jasset(default = 1)] power: u8 } Light,)).is_empty());
    let changes = compare(&old, &lamp!(Lamp { #[jasset(default = 2)] power: u8 } Lamp,));
    let places: Vec<_> = changes.iter().map(|change| (change.property.as_str(), change.statement.as_str())).collect();
    assert_eq!(places, [("lamp.power", "version = 2, migrate = path"), ("lamp.on", "alias = \"On\"")]);
    let old = lamp!(Lamp { #[jasset(key)] name: String, on: u8 } Vec<Lamp>,);
    let new = lamp!(Lamp { name: String, #[jasset(key)] on: u8 } Vec<Lamp>,);
    assert_eq!(
        told(&old, &new),
        [
            "Rock.lamp: key of the items changed from `name` to `on`; add #[jasset(version = 2, migrate = path)] to the class"
        ]
    );
    let renamed = lamp!(Lamp { #[jasset(key, alias = "name")] what: String, on: u8 } Vec<Lamp>,);
    assert!(compare(&old, &renamed).is_empty());
}

#[test]
fn classes_are_found_by_their_former_names() {
    let old = fields! { hits: u8 };
    let new = |alias: &str| {
        let mut new = fields! { hits: u8 };
        new.classes[0].name = "Stone".to_owned();
        new.classes[0].aliases = vec![alias.to_owned()];
        new
    };
    assert!(compare(&old, &new("Rock")).is_empty());
    assert_eq!(
        told(&old, &new("Pebble")),
        ["Rock: vanished; add #[jasset(alias = \"Rock\")] to the class that took its place, or register it again"]
    );
    assert_eq!(
        told(&new("Pebble"), &new("Rock")),
        ["Stone: the alias `Pebble` vanished; add #[jasset(alias = \"Pebble\")] to the class"]
    );
}

#[test]
fn a_type_that_holds_itself_comes_to_an_end() {
    macro_rules! tree {
        ($($fields:tt)*) => {
            schema! {
                #[derive(Property)]
                #[jasset(crate = "crate")]
                struct Branch { branches: Vec<Branch>, $($fields)* }
                #[derive(Entity)]
                #[jasset(crate = "crate")]
                struct Rock { tree: Branch }
            }
        };
    }
    let changes = compare(&tree! { length: f32 }, &tree! { girth: f32 });
    let places: Vec<_> = changes.iter().map(|change| change.property.as_str()).collect();
    assert_eq!(places, ["tree.length", "tree.branches[].length"]);
}

/// A schema of `count` classes that all lead to the struct `S0`, and of `ring` structs of which each holds a list of the next one, the last one of
/// the first, and a leaf whose type `leaf` says.
fn ring(count: usize, ring: usize, leaf: impl Fn(usize) -> &'static str) -> Schema {
    let property = |name: &str, ty: &str| PropertySchema::plain(name, name, ty);
    let class = |index: usize| ClassSchema {
        name: format!("C{index}"),
        crc: crc32fast::hash(format!("C{index}").as_bytes()),
        version: 1,
        aliases: Vec::new(),
        doc: String::new(),
        schema_hash: "0".repeat(16),
        blittable: false,
        migrates: false,
        migrates_until: 0,
        removed: Vec::new(),
        properties: vec![property("a", "S0")],
    };
    let ty = |name: String, shape| TypeSchema { name, doc: String::new(), default: None, value: None, shape };
    let structs = (0..ring).flat_map(|index| {
        let fields = vec![property("l", leaf(index)), property("n", &format!("Vec<S{}>", (index + 1) % ring))];
        [
            ty(format!("S{index}"), Shape::Struct { fields, removed: Vec::new() }),
            ty(format!("Vec<S{index}>"), Shape::List { item: format!("S{index}") }),
        ]
    });
    let leaves = [ty("bool".to_owned(), Shape::Bool), ty("char".to_owned(), Shape::Char)];
    Schema {
        schema_version: SCHEMA_VERSION,
        classes: (0..count).map(class).collect(),
        components: Vec::new(),
        types: structs.chain(leaves).collect(),
    }
}

#[test]
fn thousands_of_classes_that_share_thousands_of_types_are_compared_in_their_sum() {
    let (count, changed) = (20_000, 19_000);
    let old = ring(count, count, |_| "bool");
    assert!(compare(&old, &old).is_empty());
    let change = only(&old, &ring(count, count, |index| if index == changed { "char" } else { "bool" }));
    assert_eq!(change.class, "C0");
    assert!(change.property.starts_with('…') && change.property.ends_with(".n[].n[].l"), "{}", change.property);
    assert!(change.property.len() < 1100);
}

#[test]
fn rings_of_types_that_meet_in_every_pair_come_to_an_end() {
    let (old, new) = (ring(1, 1999, |_| "bool"), ring(1, 2000, |_| "bool"));
    let changes = compare(&old, &new);
    assert_eq!(changes.len(), 1);
    assert!(matches!(&changes[0].what, What::TypeChanged { .. }), "{changes:?}");
}

#[test]
fn a_change_behind_hundreds_of_types_is_found_and_told_whole() {
    let old = ring(1, 1000, |_| "bool");
    let change = only(&old, &ring(1, 1000, |index| if index == 120 { "char" } else { "bool" }));
    assert_eq!(change.property, format!("a{}.l", ".n[]".repeat(120)));
    let change = only(&old, &ring(1, 1000, |index| if index == 200 { "char" } else { "bool" }));
    assert!(change.property.starts_with('…') && change.property.ends_with(".n[].n[].l"));
    let wrapped = |leaf: &str| {
        let mut schema = ring(1, 1, |_| "bool");
        let name = |depth: usize| if depth == 200 { leaf.to_owned() } else { format!("W{depth}") };
        schema.classes[0].properties.push(PropertySchema::plain("w", "w", "W0"));
        schema.types.extend((0..200).map(|depth| TypeSchema {
            name: format!("W{depth}"),
            doc: String::new(),
            default: None,
            value: None,
            shape: Shape::Newtype { item: name(depth + 1) },
        }));
        schema
    };
    assert_eq!(only(&wrapped("bool"), &wrapped("char")).property, "w");
    assert!(compare(&wrapped("W0"), &wrapped("W0")).is_empty());
}

#[test]
fn every_property_of_a_type_that_changed_is_told() {
    let (old, new) = (fields! { a: u8, b: u8, c: Option<u8> }, fields! { a: bool, b: bool, c: Option<bool> });
    let places: Vec<_> = compare(&old, &new).into_iter().map(|change| change.property).collect();
    assert_eq!(places, ["a", "b", "c"]);
}

#[test]
fn defaults_of_renamed_fields_are_paired_with_what_took_their_place() {
    macro_rules! lamp {
        ($($fields:tt)*) => {{
            #[derive(Property)]
            #[jasset(crate = "crate")]
            struct Lamp { $($fields)* }
            fields! { lamp: Lamp }
        }};
    }
    let old = lamp!(#[jasset(default = 1)] power: u8, on: bool);
    let new = lamp!(on: bool, #[jasset(default = 2, alias = "power")] force: u8);
    assert_eq!(only(&old, &new).what, What::DefaultChanged { from: "1".to_owned(), to: "2".to_owned() });
    assert!(compare(&old, &lamp!(#[jasset(default = 1, alias = "power")] force: u8, on: bool)).is_empty());
}
