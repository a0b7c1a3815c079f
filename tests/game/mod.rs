//! A world that runs: systems and what they share, commands at the end of the frame, the saved list of systems, values by path, play and stop.

mod commands;
mod dungeon;
mod frame;
mod list;
mod play;
mod shared;
mod tags;
mod values;

use juliet::prelude::*;

/// Something that fights.
#[derive(Entity, Debug, PartialEq)]
pub(crate) struct Orc {
    /// What it withstands.
    #[jasset(default = 10)]
    health: i32,
    /// What it is called.
    name: String,
}

/// How it moves.
#[derive(Component, Debug, PartialEq)]
pub(crate) struct Velocity {
    /// Metres a second.
    linear: Vec3,
    /// What it does.
    note: String,
}

/// A tag.
#[derive(Component, Debug, PartialEq)]
pub(crate) struct Asleep;

/// Another one.
#[derive(Component, Debug, PartialEq)]
pub(crate) struct Frozen {}

pub(crate) fn registry() -> ClassRegistry {
    registry![Orc, Velocity, Asleep, Frozen].unwrap()
}

pub(crate) fn world() -> World {
    World::new(registry()).unwrap()
}

pub(crate) fn orc(name: &str) -> Orc {
    Orc { health: 10, name: name.into() }
}

/// A world with orcs called 0, 1, …
pub(crate) fn orcs(count: usize) -> (World, Vec<EntityHandle>) {
    let mut world = world();
    let handles = (0..count).map(|i| world.spawn(orc(&i.to_string()), Vec3::ZERO).unwrap()).collect();
    (world, handles)
}
