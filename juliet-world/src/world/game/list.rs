//! The systems that are saved with a world: names, in the order in which they are added.
//!
//! ```text
//! WorldSettings.jasset            program
//! Systems[move]: true      ──┐    SystemTable: name ─► maker ─► SystemConfig ─► Schedule
//! Systems[weather]: false    ├──► on and known: started       off: stays in the list
//! Systems[rumours]: true   ──┘    on and unknown: stays in the list, and is told
//! ```
//!
//! A line for each system, in the order of stages: two people who add systems to different stages touch different lines, and one who switches
//! a system off touches one.

use std::collections::BTreeMap;

use juliet_core::diag::Diagnostic;

use super::super::settings;
use super::World;
use crate::schedule::{Schedule, ScheduleError, SystemConfig};

type Maker = Box<dyn Fn() -> SystemConfig<World> + Send + Sync>;

/// What a program can run: a maker for each name, so that a world can name its systems in a file.
///
/// ```
/// use juliet_world::schedule::system;
/// use juliet_world::{SystemTable, World};
///
/// fn move_all(world: &mut World) { /* … */ }
///
/// let mut table = SystemTable::default();
/// table.add("move", || system("move", move_all).in_stage("physics"));
/// assert_eq!(table.names().collect::<Vec<_>>(), ["move"]);
/// ```
#[derive(Default)]
pub struct SystemTable {
    makers: BTreeMap<Box<str>, Maker>,
}

impl SystemTable {
    /// The system of this name is made by `maker`, in place of an earlier maker. What `maker` makes is called `name`, whatever it says.
    pub fn add(
        &mut self,
        name: impl Into<Box<str>>,
        maker: impl Fn() -> SystemConfig<World> + Send + Sync + 'static,
    ) -> &mut Self {
        self.makers.insert(name.into(), Box::new(maker));
        self
    }

    /// The names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.makers.keys().map(|name| &**name)
    }

    fn make(&self, name: &str) -> Option<SystemConfig<World>> {
        Some(self.makers.get(name)?().named(name))
    }
}

impl std::fmt::Debug for SystemTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.makers.keys()).finish()
    }
}

/// What [`World::start_listed`] did.
#[derive(Debug, Default)]
#[must_use = "it says which systems are not known"]
pub struct ListedReport {
    /// The systems that were added, in order.
    pub started: Vec<Box<str>>,
    /// What the program has no maker for, in order: it stays in the list.
    pub unknown: Vec<Box<str>>,
    /// The same with their lines in the file: the first ones, and a count of the rest.
    pub diagnostics: Vec<Diagnostic>,
    /// Systems that the schedule refused.
    pub errors: Vec<ScheduleError>,
}

/// A system in the list of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::world) struct Listed {
    pub(in crate::world) name: Box<str>,
    pub(in crate::world) is_on: bool,
}

/// The list, and the settings file that it is in.
#[derive(Clone, Debug, Default)]
pub(in crate::world) struct SystemList {
    pub(in crate::world) systems: Vec<Listed>,
    /// What the file held when it was read or written; `None` if there is none.
    pub(in crate::world) file: Option<Box<str>>,
    /// The file could not be understood: it is not written.
    pub(in crate::world) is_faulty: bool,
}

impl SystemList {
    pub(super) fn contains(&self, name: &str) -> bool {
        self.systems.iter().any(|it| &*it.name == name)
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.systems.retain(|it| &*it.name != name);
    }

    /// Behind the last system that runs in the same stage or an earlier one.
    fn insert(&mut self, name: &str, schedule: &Schedule<World>) {
        let stage = schedule.stage_number(name);
        let at =
            self.systems.iter().rposition(|it| schedule.stage_number(&it.name).is_some_and(|it| Some(it) <= stage));
        self.systems.insert(at.map_or(0, |at| at + 1), Listed { name: name.into(), is_on: true });
    }
}

impl World {
    /// The systems that are saved with the world, in their order, and whether each is on.
    pub fn listed_systems(&self) -> impl Iterator<Item = (&str, bool)> {
        self.game.list.systems.iter().map(|it| (&*it.name, it.is_on))
    }

    /// Adds the systems of the list that are on to the schedule, unless they are there already. Those that `table` does not know stay in the
    /// list, and are told with their line in the file. O(systems of the list and bytes of the file).
    ///
    /// # Panics
    /// If a maker does; the systems before it have been added.
    pub fn start_listed(&mut self, table: &SystemTable) -> ListedReport {
        let mut report = ListedReport::default();
        let names: Vec<Box<str>> =
            self.game.list.systems.iter().filter(|it| it.is_on).map(|it| it.name.clone()).collect();
        for name in names {
            if self.schedule().is_some_and(|schedule| schedule.contains(&name)) {
                continue;
            }
            match table.make(&name) {
                Some(config) => match self.add_system(config) {
                    Ok(()) => report.started.push(name),
                    Err(error) => report.errors.push(error),
                },
                None => report.unknown.push(name),
            }
        }
        if !report.unknown.is_empty() {
            let names = report.unknown.iter().map(|name| &**name).collect();
            let text = self.game.list.file.as_deref().unwrap_or_default();
            report.diagnostics = settings::unknown_systems(&self.settings_label(), text, &names, table.names());
        }
        report
    }

    /// Adds a system to the schedule and to the list that is saved, behind the others of its stage.
    ///
    /// # Errors
    /// [`ScheduleError`] if the table has no such system, there is one of this name, or systems are running; nothing has changed then.
    pub fn list_system(&mut self, table: &SystemTable, name: &str) -> Result<(), ScheduleError> {
        let config = table.make(name).ok_or_else(|| ScheduleError::unknown_system(name, table.names()))?;
        let schedule = self.game.schedule.as_mut().ok_or(ScheduleError::Running)?;
        schedule.add(config)?;
        match self.game.list.systems.iter_mut().find(|it| &*it.name == name) {
            Some(listed) => listed.is_on = true,
            None => self.game.list.insert(name, schedule),
        }
        Ok(())
    }

    /// Switches a system of the list on or off for the next [`start_listed`](Self::start_listed), and says whether that is a change. The
    /// schedule stays as it is.
    pub fn switch_listed(&mut self, name: &str, is_on: bool) -> bool {
        let listed = self.game.list.systems.iter_mut().find(|it| &*it.name == name);
        listed.is_some_and(|it| std::mem::replace(&mut it.is_on, is_on) != is_on)
    }
}
