//! Systems in stages: what a game does in a tick, in an order that is known before it runs.
//!
//! ```text
//! stage      pre-frame │ input │ gameplay │ pre-physics │ physics │ post-physics │ pre-graphics │ graphics │ post-frame
//! systems                        move ─► collide                                     draw
//! ```
//!
//! In: systems with a name, a stage, and the systems they stand before or after. Out: calls of `init`, `update` and `exit` with the world, which
//! is borrowed by one system at a time. Stages run one after the other; within a stage a system runs behind those it is said to follow, and
//! else in the order in which they were added, whatever the order of the rules. Invariant: nothing runs unless every rule holds.

mod error;
mod order;
mod system;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::time::{Duration, Instant};

pub use error::ScheduleError;
pub use system::{System, SystemConfig, system};

use crate::ecs::FirstPanic;

/// The stages of a new schedule, in their order.
pub const STAGES: [&str; 9] = [
    "pre-frame",
    "input",
    "gameplay",
    "pre-physics",
    "physics",
    "post-physics",
    "pre-graphics",
    "graphics",
    "post-frame",
];

/// Systems over a world of type `W`, in stages.
///
/// ```
/// use juliet_world::schedule::{Schedule, system};
///
/// let mut schedule = Schedule::<Vec<&str>>::new();
/// schedule.add(system("draw", |world: &mut Vec<&str>| world.push("draw")).in_stage("graphics")).unwrap();
/// schedule.add(system("collide", |world: &mut Vec<&str>| world.push("collide")).after("move")).unwrap();
/// let mut world = Vec::new();
/// assert!(schedule.run(&mut world).is_err(), "there is no `move`");
/// schedule.add(system("move", |world: &mut Vec<&str>| world.push("move"))).unwrap();
/// schedule.run(&mut world).unwrap();
/// assert_eq!(world, ["move", "collide", "draw"]);
/// ```
pub struct Schedule<W> {
    stages: Vec<Box<str>>,
    /// In the order in which they run, if that is known.
    systems: Vec<Entry<W>>,
    names: HashSet<Box<str>>,
    /// Number of the next system that is added.
    next: u64,
    /// Whether the order is known.
    is_built: bool,
    is_measured: bool,
}

struct Entry<W> {
    config: SystemConfig<W>,
    stage: usize,
    /// When it was added.
    number: u64,
    /// Whether `init` was called.
    is_ready: bool,
    timing: Timing,
}

/// What a system took so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// How often `update` ran.
    pub runs: u64,
    /// How often a condition kept it from running.
    pub skips: u64,
    /// The last `update` that was [measured](Schedule::measure), with the conditions that were asked since the system before it ended.
    pub last: Duration,
    /// All that were measured.
    pub total: Duration,
}

impl<W> Default for Schedule<W> {
    fn default() -> Self {
        Self::new()
    }
}

impl<W> Schedule<W> {
    /// No systems, and the stages of [`STAGES`].
    pub fn new() -> Self {
        Self::with_stages(STAGES.into_iter().map(Into::into).collect())
    }

    fn with_stages(stages: Vec<Box<str>>) -> Self {
        Self { stages, systems: Vec::new(), names: HashSet::new(), next: 0, is_built: true, is_measured: false }
    }

    /// The stages, in their order.
    pub fn stages(&self) -> impl Iterator<Item = &str> {
        self.stages.iter().map(|stage| &**stage)
    }

    /// A new stage behind `stage`.
    ///
    /// # Errors
    /// [`ScheduleError`] if there is no such stage, or the new name is taken.
    pub fn add_stage_after(&mut self, stage: &str, new: &str) -> Result<(), ScheduleError> {
        let at = self.find_stage(stage)?;
        self.insert_stage(at + 1, new)
    }

    /// A new stage before `stage`.
    ///
    /// # Errors
    /// [`ScheduleError`] if there is no such stage, or the new name is taken.
    pub fn add_stage_before(&mut self, stage: &str, new: &str) -> Result<(), ScheduleError> {
        let at = self.find_stage(stage)?;
        self.insert_stage(at, new)
    }

    fn insert_stage(&mut self, at: usize, new: &str) -> Result<(), ScheduleError> {
        if self.stages.iter().any(|stage| &**stage == new) {
            return Err(ScheduleError::DuplicateStage { stage: new.into() });
        }
        self.stages.insert(at, new.into());
        for entry in self.systems.iter_mut().filter(|entry| entry.stage >= at) {
            entry.stage += 1;
        }
        Ok(())
    }

    fn find_stage(&self, stage: &str) -> Result<usize, ScheduleError> {
        let found = self.stages.iter().position(|it| &**it == stage);
        found.ok_or_else(|| ScheduleError::unknown_stage(stage, self.stages()))
    }

    /// Adds a system; `init` is called before its first `update`. The systems that its rules name may be added later.
    ///
    /// # Errors
    /// [`ScheduleError`] if there is no such stage, or a system of this name; nothing has changed then.
    pub fn add(&mut self, config: SystemConfig<W>) -> Result<(), ScheduleError> {
        let stage = self.find_stage(config.stage())?;
        if let Some(there) = self.find(config.name()) {
            return Err(ScheduleError::DuplicateSystem {
                system: config.name().into(),
                first: there.config.stage().into(),
                second: config.stage().into(),
            });
        }
        self.names.insert(config.name().into());
        self.systems.push(Entry { config, stage, number: self.next, is_ready: false, timing: Timing::default() });
        self.next += 1;
        self.is_built = false;
        Ok(())
    }

    /// Finds the order of all systems, if that is not known. O(systems + their rules, and a logarithm).
    ///
    /// # Errors
    /// [`ScheduleError`], with the names: a rule names a system that is not there, two systems stand in stages that contradict their rule, or
    /// rules lead in a circle.
    pub fn build(&mut self) -> Result<(), ScheduleError> {
        if !self.is_built {
            let order = order::order(&self.systems, &self.stages)?;
            self.arrange(order);
            self.is_built = true;
        }
        Ok(())
    }

    /// `order[i]` is the present place of what comes to stand at `i`.
    fn arrange(&mut self, order: Vec<usize>) {
        let mut entries: Vec<Option<Entry<W>>> = self.systems.drain(..).map(Some).collect();
        self.systems.extend(order.into_iter().filter_map(|place| entries.get_mut(place)?.take()));
    }

    /// Takes a system out; `exit` is called if `init` was.
    ///
    /// # Errors
    /// [`ScheduleError`] if there is no such system, or another one is said to stand before or after it: that one has to go first.
    pub fn remove(&mut self, system: &str, world: &mut W) -> Result<(), ScheduleError> {
        let at = self.systems.iter().position(|entry| entry.config.name() == system);
        let at = at.ok_or_else(|| ScheduleError::unknown_system(system, self.systems()))?;
        if let Some(other) = self.systems.iter().find(|entry| entry.config.names(system)) {
            return Err(ScheduleError::InUse { system: system.into(), by: other.config.name().into() });
        }
        let mut entry = self.systems.remove(at);
        self.names.remove(system);
        if entry.is_ready {
            entry.config.system_mut().exit(world);
        }
        Ok(())
    }

    /// Whether there is a system of this name. O(1).
    pub fn contains(&self, system: &str) -> bool {
        self.names.contains(system)
    }

    /// The system of this name. O(1) if there is none.
    fn find(&self, system: &str) -> Option<&Entry<W>> {
        self.contains(system).then(|| self.systems.iter().find(|entry| entry.config.name() == system))?
    }

    /// The names of all systems, in the order in which they run once [`build`](Self::build) was called.
    pub fn systems(&self) -> impl Iterator<Item = &str> {
        self.systems.iter().map(|entry| entry.config.name())
    }

    /// The names of the systems of a stage, in the order in which they run once [`build`](Self::build) was called.
    pub fn systems_of(&self, stage: &str) -> impl Iterator<Item = &str> {
        let at = self.stages.iter().position(|it| &**it == stage);
        self.systems.iter().filter(move |entry| Some(entry.stage) == at).map(|entry| entry.config.name())
    }

    /// Where the stage of a system stands among the stages.
    pub(crate) fn stage_number(&self, system: &str) -> Option<usize> {
        self.find(system).map(|entry| entry.stage)
    }

    /// Whether the clock is read for each system from now on; it is not in a new schedule, since that costs more than all else that is
    /// done for a system: some 25 ns.
    pub fn measure(&mut self, is_measured: bool) {
        self.is_measured = is_measured;
    }

    /// What a system took so far. Times are those of runs that were [measured](Self::measure).
    pub fn timing(&self, system: &str) -> Option<Timing> {
        self.find(system).map(|entry| entry.timing)
    }

    /// Runs every system whose condition holds once, in order. A system that was added since the last run is initialised first, whether its
    /// condition holds or not. No allocation of its own, unless systems came or went.
    ///
    /// # Errors
    /// Those of [`build`](Self::build); nothing has run then.
    ///
    /// # Panics
    /// If a system does; those before it have run, those behind it have not.
    pub fn run(&mut self, world: &mut W) -> Result<(), ScheduleError> {
        self.build()?;
        // One reading of the clock a system: where one ends, the next begins.
        let now = |is_measured: bool| is_measured.then(Instant::now);
        let mut start = now(self.is_measured);
        for entry in &mut self.systems {
            if !entry.is_ready {
                entry.config.system_mut().init(world);
                entry.is_ready = true;
                start = now(self.is_measured);
            }
            if !entry.config.is_due(world) {
                entry.timing.skips += 1;
                continue;
            }
            entry.config.system_mut().update(world);
            entry.timing.runs += 1;
            if let Some(started) = start {
                let end = Instant::now();
                entry.timing.last = end - started;
                entry.timing.total += entry.timing.last;
                start = Some(end);
            }
        }
        Ok(())
    }

    /// Calls `exit` of every system that was initialised, the last one first. A later [`run`](Self::run) initialises them again.
    ///
    /// # Panics
    /// If an `exit` does, with the first panic, after all were called.
    pub fn exit(&mut self, world: &mut W) {
        let mut panics = FirstPanic::default();
        for entry in self.systems.iter_mut().rev().filter(|entry| entry.is_ready) {
            entry.is_ready = false;
            panics.guard(|| entry.config.system_mut().exit(world));
        }
        panics.resume();
    }
}

impl<W> std::fmt::Debug for Schedule<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let stages = self.stages.iter().enumerate().map(|(at, stage)| {
            let systems: Vec<&str> =
                self.systems.iter().filter(|entry| entry.stage == at).map(|entry| entry.config.name()).collect();
            (stage, systems)
        });
        f.debug_map().entries(stages.filter(|(_, systems)| !systems.is_empty())).finish()
    }
}
