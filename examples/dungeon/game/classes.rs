//! What there is in the dungeon. A unit of length is a cell.

use juliet::prelude::*;
use juliet::sim_math::Vec2;

/// The rooms.
#[derive(Entity)]
pub(crate) struct Level {
    /// Rows of cells from the top: `#` is wall.
    pub(crate) rows: IndexMap<u8, String>,
}

/// Who the keys move.
#[derive(Entity)]
pub(crate) struct Hero {
    /// Blows that can be taken.
    #[jasset(default = 10)]
    pub(crate) health: i32,
    /// Cells a second.
    #[jasset(default = 4.0)]
    pub(crate) speed: f32,
}

/// Who hunts the hero.
#[derive(Entity)]
pub(crate) struct Monster {
    /// What it looks like.
    pub(crate) look: Look,
    /// Blows that can be taken.
    #[jasset(default = 1)]
    pub(crate) health: i32,
    /// Cells a second.
    #[jasset(default = 2.0)]
    pub(crate) speed: f32,
    /// How far it sees, in cells.
    #[jasset(default = 6.0)]
    pub(crate) sight: f32,
    /// What one blow of it takes.
    #[jasset(default = 1)]
    pub(crate) damage: i32,
}

/// How a monster is drawn.
#[derive(Property, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    /// Green.
    Goblin,
    /// Large.
    Ogre,
    /// Small and grey.
    Bat,
}

/// Where monsters come from.
#[derive(Entity)]
pub(crate) struct Den {
    /// Path of the template of what comes.
    pub(crate) brood: String,
    /// How many ticks there are between two of them; none come if 0.
    #[jasset(default = 300)]
    pub(crate) every_ticks: u32,
    /// How many monsters there are at most.
    #[jasset(default = 10)]
    pub(crate) most: u32,
}

/// What the hero is after.
#[derive(Entity)]
pub(crate) struct Treasure {
    /// What it is worth.
    pub(crate) value: u32,
}

/// Where something is in the simulation and how it moves, in 65,536ths of a cell: the same bits on every machine.
#[derive(Component, Clone, Copy)]
pub(crate) struct Body {
    /// Place, to the right.
    pub(crate) x: i32,
    /// Place, downwards.
    pub(crate) y: i32,
    /// Step of a tick.
    pub(crate) dx: i32,
    /// Step of a tick.
    pub(crate) dy: i32,
}

impl Body {
    /// One that stands still.
    pub(crate) fn at(position: Position) -> Self {
        let [x, y] = [position.x, position.z].map(|it| Fpx16_16::from_f32(it).raw());
        Self { x, y, dx: 0, dy: 0 }
    }

    /// The place.
    pub(crate) fn place(&self) -> Vec2<Fpx16_16> {
        Vec2::new(Fix::from_raw(self.x), Fix::from_raw(self.y))
    }

    /// It goes this way from now on.
    pub(crate) fn head(&mut self, step: Vec2<Fpx16_16>) {
        (self.dx, self.dy) = (step.x.raw(), step.y.raw());
    }
}

/// A monster that has seen the hero.
#[derive(Component, Clone, Copy)]
pub(crate) struct Alert;
