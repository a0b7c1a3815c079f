//! K31, and what a schedule does with systems that come and go.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use super::{STAGES, Schedule, ScheduleError, System, SystemConfig, Timing, system};

type Log = Vec<String>;

fn say(name: &'static str) -> SystemConfig<Log> {
    system(name, move |log: &mut Log| log.push(name.to_owned()))
}

fn run(schedule: &mut Schedule<Log>) -> Log {
    let mut log = Log::new();
    schedule.run(&mut log).unwrap();
    log
}

fn refused(systems: Vec<SystemConfig<Log>>) -> ScheduleError {
    let (mut schedule, mut log) = (Schedule::new(), Log::new());
    for system in systems {
        schedule.add(system).unwrap();
    }
    let error = schedule.run(&mut log).unwrap_err();
    assert_eq!((log.len(), schedule.build().unwrap_err()), (0, error.clone()), "nothing runs");
    error
}

#[test]
fn k31_1_the_order_of_adding_does_not_matter_for_rules() {
    let mut schedule = Schedule::new();
    schedule.add(say("physics").after("input")).unwrap();
    schedule.add(say("collision").after("physics")).unwrap();
    schedule.add(say("input")).unwrap();
    assert_eq!(run(&mut schedule), ["input", "physics", "collision"]);
}

#[test]
fn k31_2_a_ring_is_told_with_its_names() {
    let error = refused(vec![say("a").after("b"), say("b").after("c"), say("c").after("a"), say("d").after("a")]);
    let ScheduleError::Cycle { stage, systems } = &error else { panic!("{error}") };
    let at = systems.iter().position(|it| &**it == "a").unwrap();
    let ring: Vec<&str> = systems.iter().cycle().skip(at).take(3).map(|it| &**it).collect();
    assert_eq!((&**stage, systems.len(), ring), ("gameplay", 3, vec!["a", "c", "b"]));
    assert!(error.to_string().contains("`a` before `c`"), "{error}");
}

#[test]
fn k31_3_and_4_a_rule_has_to_name_another_system() {
    let error = refused(vec![say("x").after("nope"), say("note")]);
    assert_eq!(
        error.to_string(),
        "`x` is to run after `nope`, and there is no system of this name; did you mean `note`?"
    );
    let error = refused(vec![say("a").after("a")]);
    assert_eq!(error, ScheduleError::Cycle { stage: "gameplay".into(), systems: vec!["a".into()] });
}

#[test]
fn k31_5_two_systems_of_one_name_are_told() {
    let mut schedule = Schedule::new();
    schedule.add(say("move").in_stage("physics")).unwrap();
    let error = schedule.add(say("move")).unwrap_err().to_string();
    assert!(error.contains("`move`") && error.contains("`physics`") && error.contains("`gameplay`"), "{error}");
    assert_eq!(run(&mut schedule), ["move"]);
}

#[test]
fn k31_6_without_rules_the_order_is_that_of_addition() {
    let mut schedule = Schedule::new();
    let names: Vec<&'static str> = vec!["m", "n", "o", "b", "a", "z"];
    names.iter().for_each(|name| schedule.add(say(name)).unwrap());
    assert_eq!(run(&mut schedule), names);
}

#[test]
fn k31_7_a_system_that_another_one_names_is_not_removed() {
    let (mut schedule, mut log) = (Schedule::new(), Log::new());
    for config in [say("physics").after("input"), say("collision").after("physics"), say("input")] {
        schedule.add(config).unwrap();
    }
    let error = schedule.remove("physics", &mut log).unwrap_err();
    assert_eq!(error, ScheduleError::InUse { system: "physics".into(), by: "collision".into() });
    schedule.remove("collision", &mut log).unwrap();
    schedule.remove("physics", &mut log).unwrap();
    assert_eq!(run(&mut schedule), ["input"]);
    let error = schedule.remove("inptu", &mut log).unwrap_err().to_string();
    assert_eq!(error, "there is no system `inptu`; did you mean `input`?");
}

#[test]
fn stages_run_in_their_order_and_new_ones_among_them() {
    let mut schedule = Schedule::new();
    for (index, stage) in STAGES.into_iter().rev().enumerate() {
        schedule
            .add(system(format!("{index}"), move |log: &mut Log| log.push(stage.to_owned())).in_stage(stage))
            .unwrap();
    }
    schedule.add_stage_after("input", "network").unwrap();
    schedule.add_stage_before("pre-frame", "first").unwrap();
    schedule.add(say("receive").in_stage("network").after("7")).unwrap();
    schedule.add(say("boot").in_stage("first").before("receive")).unwrap();
    let mut wanted: Vec<&str> = STAGES.to_vec();
    wanted.insert(2, "receive");
    wanted.insert(0, "boot");
    assert_eq!(run(&mut schedule), wanted);
    assert_eq!(schedule.systems_of("network").collect::<Vec<_>>(), ["receive"]);
    let error = schedule.add(say("x").in_stage("phisics")).unwrap_err().to_string();
    assert_eq!(error, "there is no stage `phisics`; did you mean `physics`?");
    assert!(
        schedule.add_stage_after("nowhere", "x").is_err() && schedule.add_stage_after("input", "graphics").is_err()
    );
    let error = refused(vec![say("draw").in_stage("graphics").before("move"), say("move")]).to_string();
    assert_eq!(error, "`draw` is to run before `move`, but its stage `graphics` comes after `gameplay`");
}

/// Says what is called.
struct Loud(&'static str);

impl System<Log> for Loud {
    fn init(&mut self, log: &mut Log) {
        log.push(format!("{} init", self.0));
    }

    fn update(&mut self, log: &mut Log) {
        log.push(format!("{} update", self.0));
    }

    fn exit(&mut self, log: &mut Log) {
        log.push(format!("{} exit", self.0));
    }
}

#[test]
fn init_and_exit_are_called_once_also_of_systems_that_come_late() {
    let (mut schedule, mut log) = (Schedule::new(), Log::new());
    schedule.add(system("a", Loud("a"))).unwrap();
    schedule.run(&mut log).unwrap();
    schedule.add(system("b", Loud("b")).before("a").run_if(|log: &Log| log.len() > 3)).unwrap();
    schedule.add(system("never", Loud("never"))).unwrap();
    schedule.remove("never", &mut log).unwrap();
    schedule.run(&mut log).unwrap();
    schedule.run(&mut log).unwrap();
    schedule.remove("a", &mut log).unwrap_err();
    schedule.exit(&mut log);
    schedule.exit(&mut log);
    let wanted = ["a init", "a update", "b init", "a update", "b update", "a update", "a exit", "b exit"];
    assert_eq!(log, wanted);
    let timing = schedule.timing("b").unwrap();
    assert_eq!((timing.runs, timing.skips, timing.total), (1, 1, Duration::ZERO));
    assert!(schedule.timing("c").is_none());
    log.clear();
    schedule.run(&mut log).unwrap();
    assert_eq!(log, ["b init", "a init", "a update"], "a schedule that ended begins anew");
}

#[test]
fn times_are_those_of_measured_runs() {
    let mut schedule = Schedule::<()>::new();
    let nap = Duration::from_millis(2);
    schedule.add(system("nap", move |(): &mut ()| std::thread::sleep(nap))).unwrap();
    schedule.run(&mut ()).unwrap();
    assert_eq!(schedule.timing("nap").unwrap(), Timing { runs: 1, ..Timing::default() });
    schedule.measure(true);
    schedule.run(&mut ()).unwrap();
    let Timing { runs, last, total, .. } = schedule.timing("nap").unwrap();
    assert!(runs == 2 && last >= nap && total == last);
    schedule.measure(false);
    schedule.run(&mut ()).unwrap();
    assert_eq!(schedule.timing("nap").unwrap().total, total);
}

#[test]
fn a_long_chain_of_rules_is_ordered_in_little_time() {
    let mut schedule = Schedule::<u64>::new();
    for index in (0..20_000_u64).rev() {
        let config = system(format!("{index}"), move |next: &mut u64| {
            assert_eq!(*next, index);
            *next += 1;
        });
        let config = if index > 0 { config.after(format!("{}", index - 1)) } else { config };
        schedule.add(config).unwrap_or_else(|error| panic!("{error}"));
        if index == 19_000 {
            assert!(schedule.build().is_err());
        }
    }
    let mut next = 0;
    schedule.run(&mut next).unwrap();
    assert_eq!(next, 20_000);
}

#[test]
fn every_exit_is_called_whatever_panics_in_another() {
    struct Leaves(&'static str);
    impl System<Log> for Leaves {
        fn update(&mut self, _: &mut Log) {}
        fn exit(&mut self, log: &mut Log) {
            log.push(self.0.to_owned());
            assert!(self.0 == "a", "bad exit of {}", self.0);
        }
    }
    let (mut schedule, mut log) = (Schedule::new(), Log::new());
    for name in ["a", "b", "c"] {
        schedule.add(system(name, Leaves(name))).unwrap();
    }
    schedule.run(&mut log).unwrap();
    let panic = catch_unwind(AssertUnwindSafe(|| schedule.exit(&mut log))).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>().unwrap(), "bad exit of c");
    schedule.exit(&mut log);
    assert_eq!(log, ["c", "b", "a"]);
}
