//! Play and stop: a simulation runs on copies, and what was authored is set aside as it is.
//!
//! ```text
//! play   authored ──fork──► simulated        the same handles, ids, files, overrides
//!           │                   │ update, set, spawn, remove, …
//! stop   authored ◄─kept values─┘ dropped
//! ```
//!
//! Nothing is restored, since nothing that was authored is ever changed: stop puts it back in its place. The price is the copy.

use juliet_core::Class;
use juliet_core::class::ClassKind;
use juliet_core::entity::{EntityHandle, EntityManager};
use juliet_core::mem::ReserveError;
use juliet_core::value::Value;

use super::game::{Commands, SystemList};
use super::templates::{Instances, Templates};
use super::{EntityFile, PutError, Removed, World};
use crate::ecs::FirstPanic;
use crate::folder::IdSource;
use crate::schedule::ScheduleError;

/// Why a world does not play, or does not stop.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// It plays already.
    #[error("the world plays already")]
    Playing,
    /// It does not play.
    #[error("the world does not play")]
    NotPlaying,
    /// A system or a command asked for it.
    #[error(transparent)]
    Running(#[from] ScheduleError),
    /// There is no memory for the copy.
    #[error("no memory for a copy of the world")]
    Memory(#[from] ReserveError),
}

/// A value that was to be kept and is not.
#[derive(Debug, thiserror::Error)]
#[error("`{path}` of {entity:?} is not kept: {why}")]
#[non_exhaustive]
pub struct KeepError {
    /// The entity.
    pub entity: EntityHandle,
    /// The path of the value.
    pub path: Box<str>,
    /// Why.
    pub why: KeepFailure,
}

/// Why a value is not kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeepFailure {
    /// The simulated entity is gone, or has no such value.
    #[error("the simulation has no such value")]
    Gone,
    /// The authored entity does not take it.
    #[error(transparent)]
    Put(#[from] PutError),
}

/// What [`World::stop_keeping`] kept.
#[derive(Debug, Default)]
#[must_use = "it says what was not kept"]
pub struct StopReport {
    /// How many authored values are other ones now.
    pub changed: usize,
    /// Values that are not kept.
    pub errors: Vec<KeepError>,
}

/// Everything that a simulation works on a copy of.
pub(super) struct State {
    manager: EntityManager,
    templates: Templates,
    instances: Instances,
    /// Of a simulation, those that are its own: the others are found in the authored state.
    files: Vec<Option<EntityFile>>,
    pending: Vec<Removed>,
    reserved: Vec<u64>,
    ids: Option<IdSource>,
    commands: Commands,
    list: SystemList,
}

impl State {
    /// The text of an entity that is part of this state.
    pub(super) fn file(&self, handle: EntityHandle) -> Option<&EntityFile> {
        let file = self.files.get(handle.index() as usize)?.as_ref();
        file.filter(|_| self.manager.contains(handle))
    }
}

impl World {
    /// Begins to play: from now on everything that is asked of this world or done to it is about a copy, until [`stop`](Self::stop).
    ///
    /// Handles of entities and templates hold in the copy, and hold again after the stop, whatever became of the copies. Handles of what is made
    /// while the world plays name nothing afterwards. What was put off to the end of the frame waits until after the stop. Resources and
    /// systems are the world's own, authored or not: a system that puts a resource in at `init` takes it away at `exit`. The list of systems that is
    /// saved is authored.
    ///
    /// The copy of a value is what a load would make of it: of classes that are not blittable, skipped fields have their defaults, and then
    /// `post_init` runs. New entities get ids that no file has. Templates that are read again while the world plays are read into the copy.
    ///
    /// O(entities + their values). Texts of files are looked up among the authored ones, and copied for an entity that is removed or moves.
    ///
    /// # Errors
    /// [`PlayError`]; nothing has changed then.
    ///
    /// # Panics
    /// If a default, clone or `post_init` of the user does; the world does not play then.
    pub fn play(&mut self) -> Result<(), PlayError> {
        if self.is_in_frame() {
            return Err(ScheduleError::Running.into());
        }
        if self.is_playing() {
            return Err(PlayError::Playing);
        }
        let mut state = Box::new(State {
            manager: self.manager.fork()?,
            templates: self.templates.fork()?,
            instances: self.instances.clone(),
            files: Vec::new(),
            pending: Vec::new(),
            // Ids of entities that were removed are not given out before their files are gone.
            reserved: self.reserved.iter().copied().chain(self.removed()).collect(),
            ids: None,
            commands: Commands::default(),
            list: self.game.list.clone(),
        });
        run_post_init(&mut state.manager);
        self.exchange(&mut state);
        self.authored = Some(state);
        Ok(())
    }

    /// Whether the world plays.
    pub fn is_playing(&self) -> bool {
        self.authored.is_some()
    }

    /// Ends playing: `exit` of every system is called with the simulated world, and then every authored byte is where it was: values, positions,
    /// components, overrides, templates, what is dirty, what was removed.
    ///
    /// O(what was simulated), to drop it.
    ///
    /// # Errors
    /// [`PlayError`]; nothing has changed then.
    ///
    /// # Panics
    /// If the `exit` of a system does: the world plays on then. If the drop of a simulated value does: the world has stopped then, and all else
    /// was done.
    pub fn stop(&mut self) -> Result<(), PlayError> {
        self.stop_keeping::<&str>(&[]).map(drop)
    }

    /// As [`stop`](Self::stop), and gives authored entities the values that their simulated copies had at these paths, as by
    /// [`set_value`](Self::set_value): `Health`, `Position`, `Light.Color`, `Velocity/Linear`, or the empty path for all properties.
    ///
    /// # Errors
    /// [`PlayError`]; nothing has changed then. What cannot be kept is told in the report.
    ///
    /// # Panics
    /// As `stop`.
    pub fn stop_keeping<P: AsRef<str>>(&mut self, kept: &[(EntityHandle, P)]) -> Result<StopReport, PlayError> {
        if self.is_in_frame() {
            return Err(ScheduleError::Running.into());
        }
        if !self.is_playing() {
            return Err(PlayError::NotPlaying);
        }
        self.exit_systems()?;
        let values: Vec<Option<Value>> =
            kept.iter().map(|(entity, path)| self.get_value(*entity, path.as_ref())).collect();
        let Some(mut state) = self.authored.take() else { return Err(PlayError::NotPlaying) };
        self.exchange(&mut state);
        let (mut report, mut panics) = (StopReport::default(), FirstPanic::default());
        for ((entity, path), value) in kept.iter().zip(values) {
            let put = panics.guard(|| match value {
                Some(value) => self.set_value(*entity, path.as_ref(), &value).map_err(KeepFailure::Put),
                None => Err(KeepFailure::Gone),
            });
            match put {
                Some(Ok(changed)) => report.changed += usize::from(changed),
                Some(Err(why)) => report.errors.push(KeepError { entity: *entity, path: path.as_ref().into(), why }),
                None => {}
            }
        }
        // The user's drops come last, and all of them.
        panics.guard(|| drop(state));
        self.clear_events(&mut panics);
        panics.resume();
        Ok(report)
    }

    /// What the world works on becomes what is set aside, and the other way round.
    fn exchange(&mut self, other: &mut State) {
        let State { manager, templates, instances, files, pending, reserved, ids, commands, list } = other;
        std::mem::swap(&mut self.manager, manager);
        std::mem::swap(&mut self.templates, templates);
        std::mem::swap(&mut self.instances, instances);
        std::mem::swap(&mut self.files, files);
        std::mem::swap(&mut self.pending, pending);
        std::mem::swap(&mut self.reserved, reserved);
        std::mem::swap(&mut self.ids, ids);
        let waiting = self.commands();
        std::mem::swap(waiting, commands);
        waiting.count_on(commands);
        std::mem::swap(&mut self.game.list, list);
    }
}

/// Makes the skipped fields that a copy does not have.
fn run_post_init(manager: &mut EntityManager) {
    let registry = manager.registry().clone();
    let made = |class: &Class| class.has_post_init() && !class.is_blittable();
    for (kind, &class) in registry.classes().iter().enumerate().filter(|(_, class)| made(class)) {
        for handle in &manager.list().of_class(kind as ClassKind).collect() {
            if let Some(value) = manager.value_mut_unmarked(handle) {
                class.run_post_init(value);
            }
        }
    }
    for (kind, &class) in registry.components().iter().enumerate().filter(|(_, class)| made(class)) {
        for handle in &manager.list().with_component(kind as ClassKind).collect() {
            if let Some(value) = manager.component_value_mut_unmarked(handle, kind as ClassKind) {
                class.run_post_init(value);
            }
        }
    }
}
