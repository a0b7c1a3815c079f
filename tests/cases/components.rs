//! Components in files: sections, what they inherit, and what an edit does to their lines. Here: what the tests share.

mod alone;
mod hostile;
mod inherited;
mod levels;
mod versions;

use juliet::prelude::*;
use juliet::{Code, Subject};

use crate::support::TestProject;
use crate::support::classes::Rock;

/// How something moves.
#[derive(Component, Clone, PartialEq, Debug)]
struct Velocity {
    /// Metres a second.
    #[jasset(alias = "Speed")]
    linear: Vec3,
    #[jasset(default = 1.0)]
    drag: f32,
}

/// What it carries.
#[derive(Component, Clone, PartialEq, Debug)]
#[jasset(alias = "Sack")]
struct Bag {
    #[jasset(default = 10)]
    room: u32,
    note: String,
    loot: IndexMap<String, u32>,
}

/// A mark.
#[derive(Component, Clone, Copy, PartialEq, Debug)]
struct Asleep;

fn registry() -> ClassRegistry {
    registry![Rock, Velocity, Bag, Asleep].unwrap()
}

/// The entity of a world with one file.
fn alone(text: &str) -> (TestProject, World, EntityHandle) {
    let project = TestProject::with(registry(), &[("A.jasset", text)]);
    let world = project.load_clean();
    let handle = crate::support::only(&world);
    (project, world, handle)
}

/// The text of a property.
#[track_caller]
fn get(world: &World, subject: impl Into<Subject>, key: &str) -> String {
    world.get_text(subject, key).unwrap_or_else(|| panic!("no {key}"))
}

/// The names of the components that are there.
fn names(world: &World, subject: impl Into<Subject>) -> Vec<&'static str> {
    world.components(subject).into_iter().filter(|it| it.is_there).map(|it| it.class.name()).collect()
}

/// The code of the only error of a text, and its line.
#[track_caller]
fn refused(text: &str) -> (Code, u32) {
    let error = crate::support::refused_once(registry(), text);
    (error.code, error.line)
}
