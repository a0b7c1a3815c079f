//! A world that runs: its systems, what they share, and what they have put off to the end of the frame.
//!
//! ```text
//! update ─► systems, stage by stage ─► cleanup ─► 1. commands, in the order in which they were given
//!              │ resources                        2. events of the frame before are dropped
//!              │ events
//!              └ commands: put off
//! ```
//!
//! Invariants: the schedule is with the world but while its systems run; a command that is given while commands are carried out is for the next
//! frame, so that a frame ends; whatever panics, the schedule and every lent resource are back, and every command was tried.

mod commands;
mod frame;
mod list;
mod shared;

pub use commands::{CommandError, CommandFailure, Commands, SpawnTicket, Target};
pub use frame::FrameReport;
pub(super) use list::{Listed, SystemList};
pub use list::{ListedReport, SystemTable};

use super::World;
use crate::ecs::{AllEvents, FirstPanic, Resources};
use crate::schedule::Schedule;

/// What a world has beside its entities.
pub(super) struct Game {
    resources: Resources,
    events: AllEvents,
    commands: Commands,
    /// Errors that no report has told yet, since the frame ended in a panic.
    untold: Vec<CommandError>,
    /// `None` while its systems run.
    schedule: Option<Box<Schedule<World>>>,
    /// Whether commands are being carried out.
    is_cleaning: bool,
    pub(super) list: SystemList,
}

impl Game {
    pub(super) fn new() -> Self {
        Self {
            resources: Resources::default(),
            events: AllEvents::default(),
            commands: Commands::default(),
            untold: Vec::new(),
            schedule: Some(Box::default()),
            is_cleaning: false,
            list: SystemList::default(),
        }
    }
}

impl World {
    /// Whether a system or a command is running.
    pub(super) fn is_in_frame(&self) -> bool {
        self.game.schedule.is_none() || self.game.is_cleaning
    }

    /// Drops all events: those of a simulation are nobody's afterwards.
    pub(super) fn clear_events(&mut self, panics: &mut FirstPanic) {
        self.game.events.swap(panics);
        self.game.events.swap(panics);
    }
}
