//! One frame: systems, then what they put off.

use juliet_core::entity::EntityHandle;

use super::World;
use super::commands::{Command, CommandError, Made, SpawnTicket};
use crate::ecs::FirstPanic;
use crate::schedule::{Schedule, ScheduleError, SystemConfig};

/// What the end of a frame did.
#[derive(Debug, Default)]
pub struct FrameReport {
    /// The entities that commands made, in order.
    pub spawned: Vec<(SpawnTicket, EntityHandle)>,
    /// Commands that did nothing, in order; also those of frames before that ended in a panic.
    pub errors: Vec<CommandError>,
}

/// A schedule that is back in its world at the end, also in a panic.
struct Running<'w> {
    world: &'w mut World,
    schedule: Option<Box<Schedule<World>>>,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if self.world.game.schedule.is_none() {
            self.world.game.schedule = self.schedule.take();
        } else if let Some(mut gone) = self.schedule.take() {
            // A system has put another world in its place, which has a schedule of its own: that of the world that is gone ends.
            let mut panics = FirstPanic::default();
            panics.guard(|| gone.exit(self.world));
            panics.resume_in_drop();
        }
    }
}

impl World {
    /// Adds a system to those that [`update`](Self::update) runs; its `init` is called before it runs first. A system or a command may
    /// add others: they come in at the end of the frame, and what is wrong with them is told in its report.
    ///
    /// # Errors
    /// [`ScheduleError`] if there is no such stage, or a system of this name; nothing has changed then.
    #[track_caller]
    pub fn add_system(&mut self, config: SystemConfig<Self>) -> Result<(), ScheduleError> {
        match &mut self.game.schedule {
            Some(schedule) => schedule.add(config),
            None => {
                self.game.commands.try_run(move |world| world.add_system(config));
                Ok(())
            }
        }
    }

    /// Takes a system out, also of the list that is saved; its `exit` is called if `init` was. While systems run that is put off to the end of
    /// the frame, as in [`add_system`](Self::add_system).
    ///
    /// # Errors
    /// [`ScheduleError`] if there is no such system, or another one is said to stand before or after it: that one has to go first.
    ///
    /// # Panics
    /// If the `exit` of the system does; it is gone by then.
    #[track_caller]
    pub fn remove_system(&mut self, name: &str) -> Result<(), ScheduleError> {
        if self.game.schedule.is_none() {
            let name: Box<str> = name.into();
            self.game.commands.try_run(move |world| world.remove_system(&name));
            return Ok(());
        }
        let is_running = self.schedule().is_some_and(|schedule| schedule.contains(name));
        let was_listed = self.game.list.contains(name);
        if is_running || !was_listed {
            self.with_schedule(|schedule, world| schedule.remove(name, world))?;
        }
        self.game.list.remove(name);
        Ok(())
    }

    /// The systems: their names, stages and timings. `None` while they run.
    pub fn schedule(&self) -> Option<&Schedule<Self>> {
        self.game.schedule.as_deref()
    }

    /// The systems, to change the stages. `None` while they run.
    pub fn schedule_mut(&mut self) -> Option<&mut Schedule<Self>> {
        self.game.schedule.as_deref_mut()
    }

    /// Calls `work` with the schedule beside its world.
    fn with_schedule<R>(
        &mut self,
        work: impl FnOnce(&mut Schedule<Self>, &mut Self) -> Result<R, ScheduleError>,
    ) -> Result<R, ScheduleError> {
        let schedule = self.game.schedule.take();
        let mut running = Running { world: self, schedule };
        match &mut running.schedule {
            Some(schedule) => work(schedule, running.world),
            None => Err(ScheduleError::Running),
        }
    }

    /// One frame, or one tick: runs every system whose condition holds, in order, and then ends the frame with [`cleanup`](Self::cleanup).
    /// No allocation of its own unless something was put off.
    ///
    /// A system or a command may put another world in the place of this one, such as the next level: the systems of the world that is gone
    /// exit then, for a system at the end of its pass and with the new world.
    ///
    /// # Errors
    /// [`ScheduleError`] if the rules of systems cannot be kept, or a system calls this; nothing has run then and the frame has not ended.
    ///
    /// # Panics
    /// If a system does. The systems before it have run and those behind it have not, the world has its schedule again, and what was put off
    /// waits for the end of the next frame. Or as `cleanup` does.
    pub fn update(&mut self) -> Result<FrameReport, ScheduleError> {
        if self.is_in_frame() {
            return Err(ScheduleError::Running);
        }
        self.with_schedule(|schedule, world| schedule.run(world))?;
        self.cleanup()
    }

    /// Ends a frame: carries out what was put off, in the order in which it was given, and drops the events of the frame before. What commands
    /// put off themselves is for the next frame. [`update`](Self::update) does this; a program with a loop of its own calls it.
    ///
    /// # Errors
    /// [`ScheduleError::Running`] if a system or a command calls this.
    ///
    /// # Panics
    /// If a command or the drop of a value does, with the first panic, after everything was done; errors are then in the next report.
    pub fn cleanup(&mut self) -> Result<FrameReport, ScheduleError> {
        if self.is_in_frame() {
            return Err(ScheduleError::Running);
        }
        let commands = self.game.commands.take();
        let mut made = Made::default();
        let mut panics = FirstPanic::default();
        self.carry_out(commands, &mut made, &mut panics);
        self.game.events.swap(&mut panics);
        panics.resume();
        Ok(FrameReport { spawned: made.spawned, errors: std::mem::take(&mut self.game.untold) })
    }

    fn carry_out(&mut self, commands: Vec<Command>, made: &mut Made, panics: &mut FirstPanic) {
        for Command { at, act } in commands {
            let Some(act) = act else { continue };
            self.game.is_cleaning = true;
            if let Some(Err(failure)) = panics.guard(|| act(self, made)) {
                self.game.untold.push(CommandError { at, failure });
            }
        }
        self.game.is_cleaning = false;
    }

    /// Calls `exit` of every system that has run, the last one first; [`update`](Self::update) would begin with `init` again. Dropping the world does
    /// the same.
    ///
    /// # Errors
    /// [`ScheduleError::Running`] if a system or a command calls this.
    ///
    /// # Panics
    /// If an `exit` does, with the first panic, after all were called.
    pub fn exit_systems(&mut self) -> Result<(), ScheduleError> {
        if self.is_in_frame() {
            return Err(ScheduleError::Running);
        }
        self.with_schedule(|schedule, world| {
            schedule.exit(world);
            Ok(())
        })
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A command may have put another world in the place of this one: its frame has ended with it.
        self.game.is_cleaning = false;
        let mut panics = FirstPanic::default();
        panics.guard(|| self.exit_systems());
        panics.resume_in_drop();
    }
}
