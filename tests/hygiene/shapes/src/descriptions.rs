//! What properties say about themselves.

use juliet::{Entity, Property};

use crate::support::outlives_its_type;

#[derive(Property, Clone, Copy)]
struct Kilograms(f32);

/// A static prop.
///
/// Nothing moves it.
#[derive(Entity)]
#[jasset(version = 4)]
struct Inert {
    /// Mass of the thing,
    /// all of it.
    ///
    /// More about it.
    #[jasset(default = Kilograms(1.0), range = 0.0..=1.0e6, step = 0.5, unit = "kg", group = "Physics", since = 2)]
    mass: Kilograms,
    #[jasset(hidden, read_only, range = ..=-1)]
    depth: i64,
    plain: bool,
}

#[test]
fn options_reach_the_tables() {
    let [mass, depth, plain] = Inert::PROPERTIES else { panic!("three properties") };
    let meta = mass.meta();
    assert_eq!(meta.doc, "Mass of the thing,\nall of it.\n\nMore about it.");
    assert_eq!((meta.default, meta.unit, meta.group, meta.since), ("Kilograms(1.0)", "kg", "Physics", 2));
    assert_eq!(meta.range.map(|range| (range.min, range.max)), Some((0.0, 1.0e6)));
    assert!((meta.step - 0.5).abs() < f64::EPSILON);
    let meta = depth.meta();
    assert_eq!(meta.range.map(|range| (range.min, range.max)), Some((f64::NEG_INFINITY, -1.0)));
    assert!(meta.hidden && meta.read_only);
    assert!(plain.meta().doc.is_empty() && plain.meta().aliases.is_empty());
    assert_eq!(Inert::CLASS.doc(), "A static prop.\n\nNothing moves it.");
}

#[test]
fn offsets_are_those_of_the_struct() {
    let inert = Inert::default_value();
    let base = (&raw const inert).addr();
    let at = |address: usize| address - base;
    let [mass, depth, plain] = Inert::PROPERTIES else { panic!("three properties") };
    assert_eq!(mass.offset(), at((&raw const inert.mass).addr()));
    assert_eq!(depth.offset(), at((&raw const inert.depth).addr()));
    assert_eq!(plain.offset(), at((&raw const inert.plain).addr()));
    assert!((inert.mass.0 - 1.0).abs() < f32::EPSILON);
}

#[test]
fn these_classes_outlive_their_types() {
    outlives_its_type::<Inert>();
}
