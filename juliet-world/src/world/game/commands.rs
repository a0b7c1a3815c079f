//! What systems put off to the end of the frame, so that a walk over entities meets each of them once and nothing moves below it.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::fmt;
use std::panic::Location;

use juliet_core::class::TypeIdentity;
use juliet_core::entity::{AddError, EntityHandle, Position, Stale};
use juliet_core::{Class, Component, Entity};

use super::super::{SpawnError, TemplateHandle};
use super::World;
use crate::ecs::Exclusive;

/// An entity that a command will make. Later commands of the frame name it by this; the report of the frame says which handle it got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SpawnTicket(u64);

/// Which entity a command is for: one that is there, or one that an earlier command of the frame makes.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// One that is there.
    Entity(EntityHandle),
    /// One that is to be made.
    New(SpawnTicket),
}

impl From<EntityHandle> for Target {
    fn from(handle: EntityHandle) -> Self {
        Self::Entity(handle)
    }
}

impl From<SpawnTicket> for Target {
    fn from(ticket: SpawnTicket) -> Self {
        Self::New(ticket)
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entity(handle) => handle.fmt(f),
            Self::New(SpawnTicket(number)) => write!(f, "new entity {number}"),
        }
    }
}

/// Why a command did nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandFailure {
    /// There is no new entity.
    #[error("no new entity: {0}")]
    Spawn(#[from] SpawnError),
    /// There is no new component.
    #[error("`{component}` is not added to {target:?}: {source}")]
    Add {
        /// Name of the component.
        component: &'static str,
        /// The entity.
        target: Target,
        /// Why.
        source: AddError,
    },
    /// The entity that the command is for was not made, or in an earlier frame: then it is named by its handle.
    #[error("{target:?} was not made in this frame")]
    NotMade {
        /// The entity.
        target: Target,
    },
    /// A command of the program's own.
    #[error(transparent)]
    Failed(Box<dyn Error + Send + Sync>),
}

/// A command that did nothing, and where in the program it was given.
#[derive(Debug, thiserror::Error)]
#[error("command of {at}: {failure}")]
#[non_exhaustive]
pub struct CommandError {
    /// The call that gave the command.
    pub at: &'static Location<'static>,
    /// Why.
    pub failure: CommandFailure,
}

type Act = Box<dyn FnOnce(&mut World, &mut Made) -> Result<(), CommandFailure> + Send>;

/// What the commands of a frame have made so far.
#[derive(Default)]
pub(super) struct Made {
    by_ticket: HashMap<SpawnTicket, EntityHandle>,
    /// In the order in which they were made.
    pub(super) spawned: Vec<(SpawnTicket, EntityHandle)>,
}

impl Made {
    fn resolve(&self, target: Target) -> Result<EntityHandle, CommandFailure> {
        match target {
            Target::Entity(handle) => Ok(handle),
            Target::New(ticket) => self.by_ticket.get(&ticket).copied().ok_or(CommandFailure::NotMade { target }),
        }
    }
}

pub(super) struct Command {
    pub(super) at: &'static Location<'static>,
    /// `None` if it was called off.
    pub(super) act: Option<Act>,
}

/// Commands that wait for the end of the frame: [`World::commands`].
///
/// They are carried out in the order in which they were given. One that cannot be carried out does nothing and is told in the report of
/// the frame; those behind it are carried out all the same.
#[derive(Default)]
pub struct Commands {
    queue: Exclusive<Vec<Command>>,
    len: usize,
    next_ticket: u64,
    /// Entities that are to be removed.
    removals: HashSet<Target>,
    /// Components that are to be taken away, and the places of the commands that do.
    component_removals: HashMap<(EntityHandle, TypeIdentity), Vec<usize>>,
}

impl Commands {
    fn push(
        &mut self,
        at: &'static Location<'static>,
        act: impl FnOnce(&mut World, &mut Made) -> Result<(), CommandFailure> + Send + 'static,
    ) {
        self.queue.get().push(Command { at, act: Some(Box::new(act)) });
        self.len += 1;
    }

    fn push_spawn(
        &mut self,
        at: &'static Location<'static>,
        spawn: impl FnOnce(&mut World) -> Result<EntityHandle, SpawnError> + Send + 'static,
    ) -> SpawnTicket {
        let ticket = SpawnTicket(self.next_ticket);
        self.next_ticket += 1;
        self.push(at, move |world, made| {
            let handle = spawn(world)?;
            made.by_ticket.insert(ticket, handle);
            made.spawned.push((ticket, handle));
            Ok(())
        });
        ticket
    }

    /// How many commands wait, those that were called off included.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A new entity, as by [`World::spawn`].
    #[track_caller]
    pub fn spawn<T: Entity>(&mut self, value: T, position: impl Into<Position>) -> SpawnTicket {
        let position = position.into();
        self.push_spawn(Location::caller(), move |world| world.spawn(value, position))
    }

    /// A new instance of a template, as by [`World::spawn_from`].
    #[track_caller]
    pub fn spawn_from(&mut self, template: TemplateHandle, position: impl Into<Position>) -> SpawnTicket {
        let position = position.into();
        self.push_spawn(Location::caller(), move |world| world.spawn_from(template, position))
    }

    /// Ends an entity with its components. Asking twice is asking once, and one that is gone by then is no error. Until then
    /// [`World::is_pending_removal`] is true of it. What is added to it meanwhile goes with it.
    ///
    /// An entity that has a file can be restored until the next save; one that was never saved is gone for good.
    #[track_caller]
    pub fn remove(&mut self, target: impl Into<Target>) {
        let target = target.into();
        if self.removals.insert(target) {
            self.push(Location::caller(), move |world, made| {
                let handle = made.resolve(target)?;
                world.remove_for_good(handle);
                Ok(())
            });
        }
    }

    /// Adds a component, or gives the one that the entity has this value.
    #[track_caller]
    pub fn add_component<T: Component>(&mut self, target: impl Into<Target>, value: T) {
        let target = target.into();
        self.push(Location::caller(), move |world, made| {
            let handle = made.resolve(target)?;
            let failure = |source| CommandFailure::Add { component: T::CLASS.name(), target, source };
            if let Some(mut there) = world.component_mut::<T>(handle) {
                *there = value;
                return Ok(());
            }
            world.add_component(handle, value).map(|_| ()).map_err(failure)
        });
    }

    /// Takes a component away. One that the entity does not have by then is no error.
    ///
    /// [`World::add_component`] before the end of the frame wins: the component stays.
    #[track_caller]
    pub fn remove_component<T: Component>(&mut self, target: impl Into<Target>) {
        let target = target.into();
        if let Target::Entity(handle) = target {
            self.component_removals.entry((handle, T::CLASS.value_type_id())).or_default().push(self.len);
        }
        self.push(Location::caller(), move |world, made| {
            let handle = made.resolve(target)?;
            // Gone is gone, with all its components.
            let _ = world.remove_component::<T>(handle);
            Ok(())
        });
    }

    /// Calls `work` with the world.
    #[track_caller]
    pub fn run(&mut self, work: impl FnOnce(&mut World) + Send + 'static) {
        self.push(Location::caller(), move |world, _| {
            work(world);
            Ok(())
        });
    }

    /// Calls `work` with the world; its error is told in the report of the frame.
    #[track_caller]
    pub fn try_run<E: Into<Box<dyn Error + Send + Sync>>>(
        &mut self,
        work: impl FnOnce(&mut World) -> Result<(), E> + Send + 'static,
    ) {
        self.push(Location::caller(), move |world, _| {
            work(world).map_err(|error| CommandFailure::Failed(error.into()))
        });
    }

    /// Calls the removals of a component off that wait: it was added again.
    pub(in crate::world) fn keep_component(&mut self, handle: EntityHandle, component: &Class) {
        if self.component_removals.is_empty() {
            return;
        }
        let queue = self.queue.get();
        for place in self.component_removals.remove(&(handle, component.value_type_id())).unwrap_or_default() {
            if let Some(command) = queue.get_mut(place) {
                command.act = None;
            }
        }
    }

    /// No ticket from now on is one of `other`.
    pub(in crate::world) fn count_on(&mut self, other: &Self) {
        self.next_ticket = self.next_ticket.max(other.next_ticket);
    }

    /// All commands so far, which wait no longer. Tickets go on counting.
    pub(super) fn take(&mut self) -> Vec<Command> {
        self.len = 0;
        self.removals.clear();
        self.component_removals.clear();
        std::mem::take(self.queue.get())
    }
}

impl fmt::Debug for Commands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Commands").field("len", &self.len).finish_non_exhaustive()
    }
}

impl World {
    /// What is put off to the end of the frame: entities and components that come and go, and work of any kind.
    ///
    /// ```
    /// # use juliet_core::{Component, Entity};
    /// # use juliet_world::World;
    /// # fn demo<Orc: Entity + Default, Armed: Component + Default>(world: &mut World) {
    /// let commands = world.commands();
    /// let orc = commands.spawn(Orc::default(), glam::Vec3::ZERO);
    /// commands.add_component(orc, Armed::default());
    /// # }
    /// ```
    pub fn commands(&mut self) -> &mut Commands {
        &mut self.game.commands
    }

    /// Whether a command waits that ends this entity.
    pub fn is_pending_removal(&self, handle: EntityHandle) -> bool {
        self.game.commands.removals.contains(&Target::Entity(handle))
    }

    /// Ends an entity that a running game has no more use for. What was never saved is not kept for `restore`: a game would fill the memory.
    fn remove_for_good(&mut self, handle: EntityHandle) -> Option<u64> {
        let id: Result<u64, Stale> = self.remove(handle);
        let id = id.ok()?;
        if self.pending.last().is_some_and(|removed| removed.id == id && removed.saved_file().is_none()) {
            self.pending.pop();
        }
        Some(id)
    }
}
