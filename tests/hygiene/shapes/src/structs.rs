//! Shapes of structs: empty, aligned, local, from macros, with attributes (K03, K04, K05).

use juliet::{Entity, Property, PropertyValue};

use crate::support::{load, outlives_its_type, read, write};

#[derive(Entity)]
#[jasset()]
struct Marker;

#[derive(Entity)]
#[jasset]
struct Empty {}

#[test]
fn k03_structs_without_fields_have_size_zero_and_no_properties() {
    assert_eq!((Marker::CLASS.ty().size(), Empty::CLASS.ty().size()), (0, 0));
    assert!(Marker::PROPERTIES.is_empty() && Empty::PROPERTIES.is_empty());
    assert!(Marker::CLASS.is_blittable());
    let Marker = Marker::default_value();
    let Empty {} = Empty::default_value();
    let (manager, handle) = load::<Marker>("; entity_type: Marker\n");
    assert!(manager.get::<Marker>(handle).is_some());
}

/// Doc text
#[derive(Entity)]
/// more doc text
#[jasset(version = 3)]
/// and more
struct Documented {
    /** doc */
    x: f32,
}

#[derive(Entity)]
struct Plain {
    x: f32,
}

#[test]
fn k04_docs_around_the_attribute_do_not_hide_it() {
    assert_eq!(Documented::CLASS.version(), 3);
    assert_eq!(Documented::CLASS.doc(), "Doc text\nmore doc text\nand more");
    assert_eq!(Documented::PROPERTIES[0].meta().doc, "doc");
    assert!(Documented::default_value().x >= 0.0);
}

#[test]
fn k04_a_type_without_the_attribute_has_the_documented_defaults() {
    assert_eq!((Plain::CLASS.name(), Plain::CLASS.version()), ("Plain", 1));
    assert!(Plain::CLASS.aliases().is_empty());
    assert!(Plain::default_value().x >= 0.0);
}

#[derive(Entity)]
#[jasset()]
#[repr(align(64))]
struct Tag;

#[derive(Entity)]
#[jasset()]
#[repr(C, align(64))]
struct Fat {
    v: u8,
}

#[test]
fn k05_alignment_reaches_the_tables() {
    assert_eq!((Tag::CLASS.ty().size(), Tag::CLASS.ty().align()), (0, 64));
    assert_eq!((Fat::CLASS.ty().size(), Fat::CLASS.ty().align()), (64, 64));
    let Tag = Tag::default_value();
    assert_eq!(Fat::default_value().v, 0);
}

#[test]
fn types_inside_functions_derive() {
    const LIMIT: u32 = 7;
    #[derive(Entity)]
    struct Local {
        #[jasset(default = LIMIT)]
        limit: u32,
        #[cfg(any())]
        absent: NoSuchType,
        #[cfg(test)]
        present: bool,
        #[cfg_attr(test, jasset(default = 2))]
        two: u8,
    }
    let local = Local::default_value();
    assert_eq!((local.limit, local.present, local.two), (7, false, 2));
    assert_eq!(Local::PROPERTIES.len(), 3);
}

/// Types made by a macro, whose fragments come in invisible groups.
macro_rules! entity {
    ($name:ident, $field:ident: $ty:ty = $default:expr, $text:literal, $version:literal) => {
        #[derive(Entity)]
        #[jasset(version = $version, alias = $text)]
        struct $name {
            #[jasset(default = $default, unit = $text)]
            $field: $ty,
            #[jasset(range = 0.0..=$version, default = $version)]
            level: u32,
        }
    };
}

entity!(Made, size: [Option<f32>; 2] = [Some(1.0 + 1.0), None], "metres", 4);

#[test]
fn types_from_macros_derive() {
    let made = Made::default_value();
    assert_eq!((made.size, made.level), ([Some(2.0), None], 4));
    assert_eq!(Made::CLASS.version(), 4);
    assert_eq!(Made::PROPERTIES[0].meta().unit, "metres");
    assert_eq!(Made::PROPERTIES[1].meta().range.map(|range| (range.min, range.max)), Some((0.0, 4.0)));
}

#[derive(Property)]
struct Nested {
    spot: Spot,
    spots: Vec<Spot>,
    maybe: Option<Spot>,
    tall: Metres,
}

#[derive(Property, Clone, Copy)]
struct Spot {
    at: glam::Vec2,
    mood: Mood,
}

#[derive(Property, Clone, Copy, Debug, PartialEq)]
enum Mood {
    Calm = 3,
    Angry = 1,
}

#[derive(Property, Debug, PartialEq)]
struct Metres(#[jasset(default = 1.5, unit = "m", range = 0.0..)] f64);

#[test]
fn nested_values_are_read_and_written() {
    let fresh = Nested::default_value();
    assert_eq!((fresh.spot.mood, fresh.tall), (Mood::Calm, Metres(1.5)));
    let again: Nested = read(&write(&fresh_again())).expect("what is written is read");
    assert_eq!((again.spots.len(), again.maybe.is_some()), (2, true));
    assert_eq!(write(&again), write(&fresh_again()));
}

fn fresh_again() -> Nested {
    let spot = Spot { at: glam::Vec2::new(1.0, 2.0), mood: Mood::Angry };
    Nested { spot, spots: vec![spot, spot], maybe: Some(spot), tall: Metres(3.0) }
}

#[derive(Property)]
struct SkipsPlain {
    a: f32,
    #[jasset(skip)]
    b: Option<u8>,
}
/// Not `Copy`, without anything to drop: its bytes may still not be doubled.
#[derive(Default)]
struct Unique;
#[derive(Property)]
struct SkipsUnique {
    a: f32,
    #[jasset(skip)]
    b: Unique,
}

#[test]
fn plain_types_are_blittable_and_others_are_not() {
    assert!(Spot::TYPE.is_blittable() && Mood::TYPE.is_blittable() && Metres::TYPE.is_blittable());
    assert!(!Nested::TYPE.is_blittable());
    assert!(SkipsPlain::TYPE.is_blittable());
    assert!(!SkipsUnique::TYPE.is_blittable());
    let (plain, unique) = (SkipsPlain::default_value(), SkipsUnique::default_value());
    assert_eq!((plain.a.to_bits(), plain.b), (0, None));
    let (Unique, 0) = (unique.b, unique.a.to_bits()) else { panic!("defaults") };
}

/// A type that holds itself.
#[derive(Property)]
struct Tree {
    height: f32,
    branches: Vec<Self>,
}

#[test]
fn a_type_may_hold_itself_in_a_list() {
    let text = "{ Height: 2.0, Branches: [{ Height: 1.0, Branches: [] }] }";
    let tree: Tree = read(text).expect("valid");
    assert_eq!((tree.height, tree.branches[0].height, tree.branches[0].branches.len()), (2.0, 1.0, 0));
    assert_eq!(write(&tree), text);
}

#[derive(Entity)]
struct Forest {
    tree: Tree,
    nested: Nested,
    plain: SkipsPlain,
    unique: SkipsUnique,
}

#[test]
fn structs_of_every_shape_outlive_their_types() {
    outlives_its_type::<Marker>();
    outlives_its_type::<Empty>();
    outlives_its_type::<Documented>();
    outlives_its_type::<Plain>();
    outlives_its_type::<Tag>();
    outlives_its_type::<Fat>();
    outlives_its_type::<Made>();
    outlives_its_type::<Forest>();
    let Forest { tree, nested, plain, unique } = Forest::default_value();
    assert!(tree.branches.is_empty() && nested.spots.is_empty() && plain.a.to_bits() == unique.a.to_bits());
}
