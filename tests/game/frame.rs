//! Frames: the order of things, and what is left when something panics.

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::{Arc, Mutex};

use juliet::prelude::*;
use juliet::{ScheduleError, System};

use super::{orc, orcs, world};

/// What happened, in order.
#[derive(Clone, Default)]
struct Told(Arc<Mutex<Vec<String>>>);

impl Told {
    fn tell(&self, text: impl Into<String>) {
        self.0.lock().unwrap().push(text.into());
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

struct Tells {
    name: &'static str,
    told: Told,
}

impl System<World> for Tells {
    fn init(&mut self, _: &mut World) {
        self.told.tell(format!("init {}", self.name));
    }

    fn update(&mut self, _: &mut World) {
        self.told.tell(self.name);
    }

    fn exit(&mut self, world: &mut World) {
        self.told.tell(format!("exit {} of {}", self.name, world.len()));
    }
}

#[test]
fn frame_runs_systems_by_stage_then_commands() {
    let (mut world, told) = (world(), Told::default());
    let tell = told.clone();
    world.add_system(system("draw", Tells { name: "draw", told: told.clone() }).in_stage("graphics")).unwrap();
    world
        .add_system(system("move", move |world: &mut World| {
            tell.tell("move");
            let tell = tell.clone();
            world.commands().run(move |_| tell.tell("command"));
        }))
        .unwrap();
    assert!(world.update().unwrap().errors.is_empty());
    assert_eq!(told.take(), ["move", "init draw", "draw", "command"]);
    world.update().unwrap();
    assert_eq!(told.take(), ["move", "draw", "command"]);
    assert_eq!(world.schedule().unwrap().timing("move").unwrap().runs, 2);
}

#[test]
fn exit_is_called_once_for_a_removed_system_and_for_those_of_a_dropped_world() {
    let ((mut world, _), told) = (orcs(3), Told::default());
    for name in ["a", "b", "never"] {
        let config = system(name, Tells { name, told: told.clone() });
        world.add_system(if name == "never" { config.run_if(|_| false) } else { config }).unwrap();
    }
    world.update().unwrap();
    assert_eq!(told.take(), ["init a", "a", "init b", "b", "init never"]);
    world.remove_system("a").unwrap();
    assert_eq!(told.take(), ["exit a of 3"]);
    let error = world.remove_system("a").unwrap_err();
    assert!(matches!(error, ScheduleError::UnknownSystem { .. }));
    drop(world);
    assert_eq!(told.take(), ["exit never of 3", "exit b of 3"]);
}

#[test]
fn system_that_was_never_initialised_does_not_exit() {
    let (mut world, told) = (world(), Told::default());
    world.add_system(system("a", Tells { name: "a", told: told.clone() })).unwrap();
    drop(world);
    assert_eq!(told.take(), [""; 0]);
}

#[test]
fn panic_in_a_system_leaves_the_world_whole_with_its_schedule() {
    let ((mut world, handles), told) = (orcs(2), Told::default());
    let (first, second) = (handles[0], handles[1]);
    let mut runs = 0;
    world.add_system(system("a", Tells { name: "a", told: told.clone() })).unwrap();
    world
        .add_system(system("b", move |world: &mut World| {
            runs += 1;
            world.commands().remove(if runs == 1 { first } else { second });
            assert!(runs != 1, "bad system");
        }))
        .unwrap();
    world.add_system(system("c", Tells { name: "c", told: told.clone() })).unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| world.update())).is_err());
    assert_eq!(told.take(), ["init a", "a"]);
    assert_eq!(world.schedule().unwrap().systems().collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!((world.len(), world.is_pending_removal(first)), (2, true));
    // What was put off waits for the next frame.
    assert!(world.update().unwrap().errors.is_empty());
    assert_eq!(told.take(), ["a", "init c", "c"]);
    assert!(world.is_empty());
    world.entities().validate().unwrap();
}

#[test]
fn panic_in_a_command_does_not_keep_the_others() {
    let (mut world, handles) = orcs(2);
    let commands = world.commands();
    commands.remove(handles[0]);
    commands.run(|_| panic!("bad command"));
    commands.try_run(|_| Err("refused"));
    commands.remove(handles[1]);
    let panic = catch_unwind(AssertUnwindSafe(|| world.cleanup())).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"bad command"));
    assert!(world.is_empty());
    let report = world.cleanup().unwrap();
    assert_eq!(report.errors.len(), 1);
    assert!(report.errors[0].to_string().ends_with(": refused"), "{}", report.errors[0]);
    assert!(world.cleanup().unwrap().errors.is_empty());
}

#[test]
fn frame_in_a_frame_is_refused() {
    let mut world = world();
    world
        .add_system(system("a", |world: &mut World| {
            assert!(matches!(world.update(), Err(ScheduleError::Running)));
            assert!(matches!(world.cleanup(), Err(ScheduleError::Running)));
            assert!(matches!(world.exit_systems(), Err(ScheduleError::Running)));
            assert!(world.schedule().is_none());
            world.commands().run(|world| assert!(matches!(world.update(), Err(ScheduleError::Running))));
        }))
        .unwrap();
    world.update().unwrap();
    world.update().unwrap();
}

#[test]
fn systems_come_and_go_while_others_run() {
    let (mut world, told) = (world(), Told::default());
    let tell = told.clone();
    let mut frame = 0;
    world
        .add_system(system("a", move |world: &mut World| {
            frame += 1;
            if frame == 1 {
                world.add_system(system("b", Tells { name: "b", told: tell.clone() })).unwrap();
                world.add_system(system("a", |_: &mut World| {})).unwrap();
            } else {
                world.remove_system("b").unwrap();
            }
        }))
        .unwrap();
    let report = world.update().unwrap();
    assert_eq!(told.take(), [""; 0]);
    let error = report.errors[0].to_string();
    assert!(error.contains("tests/game/frame.rs") && error.contains("there is a system `a` already"), "{error}");
    assert!(world.update().unwrap().errors.is_empty());
    assert_eq!(told.take(), ["init b", "b", "exit b of 0"]);
}

#[test]
fn faulty_rules_are_told_and_nothing_runs() {
    let (mut world, handles) = orcs(1);
    world.commands().remove(handles[0]);
    world.add_system(system("a", |_: &mut World| panic!("runs")).after("b")).unwrap();
    assert!(matches!(world.update(), Err(ScheduleError::MissingSystem { .. })));
    assert_eq!((world.len(), world.commands().len()), (1, 1));
}

#[test]
fn world_that_a_system_puts_in_place_of_its_own_keeps_its_own_systems() {
    let (mut level, told) = (world(), Told::default());
    let mut other = world();
    other.add_system(system("other", Tells { name: "other", told: told.clone() })).unwrap();
    let mut next = Some(other);
    level.add_system(system("first", Tells { name: "first", told: told.clone() })).unwrap();
    level
        .add_system(system("swap", move |world: &mut World| {
            if let Some(next) = next.take() {
                *world = next;
            }
        }))
        .unwrap();
    level.update().unwrap();
    assert_eq!(level.schedule().unwrap().systems().collect::<Vec<_>>(), ["other"]);
    assert_eq!(told.take(), ["init first", "first", "exit first of 0"]);
    level.update().unwrap();
    assert_eq!(told.take(), ["init other", "other"]);
}

#[test]
fn world_that_a_command_puts_another_one_in_place_of_ends_its_systems() {
    let ((mut level, _), told) = (orcs(2), Told::default());
    level.add_system(system("first", Tells { name: "first", told: told.clone() })).unwrap();
    let mut other = world();
    other.add_system(system("other", Tells { name: "other", told: told.clone() })).unwrap();
    level.commands().run(move |world| *world = other);
    level.update().unwrap();
    assert_eq!(told.take(), ["init first", "first", "exit first of 2"]);
    level.update().unwrap();
    assert_eq!(told.take(), ["init other", "other"]);
}

#[test]
fn payload_of_a_panic_that_panics_itself_leaves_the_world_running() {
    struct Bad;
    impl Drop for Bad {
        fn drop(&mut self) {
            assert!(std::thread::panicking(), "bad payload");
        }
    }
    let (mut world, handles) = orcs(1);
    let commands = world.commands();
    commands.run(|_| panic!("bad command"));
    commands.run(|_| panic_any(Bad));
    commands.remove(handles[0]);
    for _ in 0..2 {
        world.send(Bad);
    }
    let panic = catch_unwind(AssertUnwindSafe(|| world.cleanup())).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"bad command"));
    assert!(world.is_empty());
    let panic = catch_unwind(AssertUnwindSafe(|| world.cleanup())).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"bad payload"));
    world.update().unwrap();
}

#[test]
fn world_can_be_shared_and_sent() {
    fn check<T: Send + Sync>(_: &T) {}
    let mut world = world();
    world.add_system(system("a", |_: &mut World| {})).unwrap();
    world.spawn(orc("a"), Vec3::ZERO).unwrap();
    check(&world);
}
