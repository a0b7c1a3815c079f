//! New entities hold what they are given, and user code that panics leaves the world whole.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use juliet::prelude::*;

thread_local! {
    static DEFAULTS: Cell<u32> = const { Cell::new(0) };
}

/// Counts how often its default is asked for.
#[derive(Entity)]
struct Costly {
    #[jasset(default = counted())]
    mass: f32,
}

fn counted() -> f32 {
    DEFAULTS.set(DEFAULTS.get() + 1);
    1.0
}

/// A place that cannot be told.
struct Nowhere;

impl From<Nowhere> for Position {
    fn from(_: Nowhere) -> Self {
        panic!("nowhere")
    }
}

#[test]
fn a_spawned_value_is_moved_in_without_a_default() {
    let mut world = World::new(registry![Costly].unwrap()).unwrap();
    let handle = world.spawn(Costly { mass: 5.0 }, Vec3::X).unwrap();
    assert_eq!((DEFAULTS.get(), world.get::<Costly>(handle).map(|it| it.mass)), (0, Some(5.0)));
    assert_eq!(world.position(handle).map(|at| at.x), Some(1.0));
    let id = world.base(handle).map_or(0, |base| base.id());
    assert!(id != 0 && world.find_by_id(id) == Some(handle));
}

#[test]
fn a_place_that_panics_leaves_no_entity_behind() {
    let mut world = World::new(registry![Costly].unwrap()).unwrap();
    let spawned = catch_unwind(AssertUnwindSafe(|| world.spawn(Costly { mass: 5.0 }, Nowhere)));
    let made = catch_unwind(AssertUnwindSafe(|| world.spawn_class("Costly", Nowhere)));
    assert!(spawned.is_err() && made.is_err() && world.is_empty());
    world.entities().validate().unwrap();
}
