//! Worlds of entities as folders of text files: load, edit, save what changed.
//!
//! ```text
//! Project (content folder, classes) ──load_world──► World { EntityManager, the file each entity came from }
//!                                                     │ get_mut, set, spawn, remove
//!                                                     ▼
//!                      disk ◄──one transaction── save(): only what differs from disk
//!
//!                                           World ──preload──► Assets { files read and decoded on other threads } ──► handles
//!
//! clock ──► GameLoop ──ticks──► the simulation, in the numbers of a SimMath backend ──► PresentationSnapshot ──► frames
//! ```
#![forbid(unsafe_code)]

#[cfg(feature = "assets")]
pub mod assets;
pub mod ecs;
pub mod folder;
pub mod game_loop;
pub mod presentation;
mod project;
pub mod schedule;
pub mod sim_math;
mod upkeep;
mod world;

pub use project::{Project, ProjectError};
pub use upkeep::{
    BindError, Binding, FileChange, LineChange, Mode, Selection, UnknownReport, UpkeepError, UpkeepReport,
};
pub use world::{
    CommandError, CommandFailure, Commands, ComponentError, ComponentRow, CreateTemplateError, Difference, FrameReport,
    Impact, KeepError, KeepFailure, Level, ListedReport, LoadOptions, LoadReport, OverrideError, PlayError, Progress,
    PutError, Reason, RereadReport, RestoreError, Row, SETTINGS_FILE, SaveError, SaveReport, SetError, SpawnError,
    SpawnTicket, StopReport, Subject, SystemTable, TEMPLATE_CAPACITY, TEMPLATE_DEPTH, Target, TemplateError,
    TemplateHandle, TemplateInUse, TemplateRefused, Timings, Unknown, UnknownData, Why, World,
};
