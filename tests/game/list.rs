//! The list of systems that is saved with a world.

use std::fs;
use std::path::{Path, PathBuf};

use juliet::prelude::*;
use juliet::{Code, LoadReport, ScheduleError};
use tempfile::TempDir;

use super::registry;

const HEAD: &str = "; asset_type: world_settings\n; version: 1\n";

struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A home whose world has these settings.
    fn with(settings: &str) -> Self {
        let home = Self::new();
        fs::create_dir_all(home.0.path().join("Worlds/W/Entities")).unwrap();
        fs::write(home.settings(), settings).unwrap();
        home
    }

    fn settings(&self) -> PathBuf {
        self.0.path().join("Worlds/W/WorldSettings.jasset")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.settings()).unwrap()
    }

    fn project(&self) -> Project {
        let path: &Path = self.0.path();
        Project::open(path, registry()).unwrap()
    }

    fn load(&self) -> (World, LoadReport) {
        self.project().load_world("W").unwrap()
    }
}

fn table() -> SystemTable {
    let mut table = SystemTable::default();
    for (name, stage) in [("move", "physics"), ("think", "gameplay"), ("collide", "physics"), ("draw", "graphics")] {
        // The name that a maker gives does not matter.
        table.add(name, move || system("x", |_: &mut World| {}).in_stage(stage));
    }
    table.add("two words: a]", || system("x", |_: &mut World| {}));
    table
}

fn listed(world: &World) -> Vec<(&str, bool)> {
    world.listed_systems().collect()
}

#[test]
fn systems_are_saved_in_the_order_of_their_stages_and_read_again() {
    let home = Home::new();
    let mut world = home.project().new_world("W").unwrap();
    for name in ["move", "draw", "think", "collide", "two words: a]"] {
        world.list_system(&table(), name).unwrap();
    }
    assert!(world.save().unwrap().is_complete());
    let lines = "Systems[think]: true\nSystems[\"two words: a]\"]: true\nSystems[move]: true\nSystems[collide]: true\nSystems[draw]: true\n";
    assert_eq!(home.text(), format!("{HEAD}{lines}"));
    world.update().unwrap();
    let order: Vec<String> = world.schedule().unwrap().systems().map(str::to_owned).collect();
    let (mut again, report) = home.load();
    assert_eq!(report.diagnostics, []);
    let report = again.start_listed(&table());
    assert_eq!((report.started.len(), report.diagnostics.len(), report.errors.len()), (5, 0, 0));
    again.update().unwrap();
    assert_eq!(again.schedule().unwrap().systems().collect::<Vec<_>>(), order);
    // Nothing to write, and nothing twice.
    assert!(again.start_listed(&table()).started.is_empty());
    assert!(again.save().unwrap().written.is_empty());
}

#[test]
fn one_change_touches_one_line() {
    let text =
        format!("{HEAD}# mine\r\nGravity: 9.81  \nSystems[think]: true\n# of Ann\nSystems[move]:   true\nOther[a]: b");
    let home = Home::with(&text);
    let (mut world, report) = home.load();
    assert_eq!(report.diagnostics, []);
    let _ = world.start_listed(&table());
    world.list_system(&table(), "draw").unwrap();
    assert!(world.save().unwrap().is_complete());
    let added = text.replace("true\nOther", "true\nSystems[draw]: true\nOther");
    assert_eq!(home.text(), added);
    assert!(world.switch_listed("move", false) && !world.switch_listed("move", false));
    world.remove_system("think").unwrap();
    assert!(world.save().unwrap().is_complete());
    assert_eq!(home.text(), added.replace("Systems[think]: true\n", "").replace("[move]:   true", "[move]:   false"));
    let (mut again, _) = home.load();
    assert_eq!(listed(&again), [("move", false), ("draw", true)]);
    assert_eq!(*again.start_listed(&table()).started, ["draw".into()]);
}

#[test]
fn unknown_system_is_told_with_its_line_and_kept() {
    let home = Home::with(&format!("{HEAD}Systems[thinc]: true\nSystems[rumours]: false\nSystems[move]: true\n"));
    let (mut world, report) = home.load();
    assert_eq!(report.diagnostics, []);
    let report = world.start_listed(&table());
    assert_eq!(*report.started, ["move".into()]);
    let [told] = &report.diagnostics[..] else { panic!("one is told") };
    assert_eq!((told.code, told.line), (Code::UnknownSystem, 3));
    assert!(told.message.ends_with("did you mean `think`?"), "{}", told.message);
    world.list_system(&table(), "draw").unwrap();
    assert!(world.save().unwrap().is_complete());
    assert!(
        home.text()
            .contains("Systems[thinc]: true\nSystems[rumours]: false\nSystems[move]: true\nSystems[draw]: true\n")
    );
    world.remove_system("thinc").unwrap();
    assert!(world.save().unwrap().is_complete());
    assert!(!home.text().contains("thinc"));
}

#[test]
fn node_spelling_is_kept() {
    let text = "; asset_type\nworld_settings\n; version\n1\n; systems[move]\ntrue\n";
    let home = Home::with(text);
    let (mut world, report) = home.load();
    assert_eq!(report.diagnostics, []);
    world.list_system(&table(), "think").unwrap();
    assert!(world.save().unwrap().is_complete());
    // The stage of `move` is not known before it is started.
    assert_eq!(
        home.text(),
        "; asset_type\nworld_settings\n; version\n1\n; systems[think]\ntrue\n; systems[move]\ntrue\n"
    );
}

#[test]
fn list_that_is_not_understood_is_told_and_never_written() {
    for (lines, line, code) in [
        ("Systems: move, draw\n", 3, Code::BadSettings),
        ("Systems[move]: yes\n", 3, Code::BadSettings),
        ("Systems[move].On: true\n", 3, Code::BadSettings),
        ("Systems[]: true\n", 3, Code::BadSettings),
        ("Systems[move]: true\nSystems[move]: true\n", 4, Code::DuplicateKey),
        ("Systems[move]: true\n<<<<<<< ours\n", 4, Code::ConflictMarker),
    ] {
        let text = format!("{HEAD}{lines}");
        let home = Home::with(&text);
        let (mut world, report) = home.load();
        let [told] = &report.diagnostics[..] else { panic!("{lines}: {:?}", report.diagnostics) };
        assert_eq!((told.code, told.line), (code, line), "{lines}");
        assert!(world.save().unwrap().is_complete());
        world.list_system(&table(), "draw").unwrap();
        let report = world.save().unwrap();
        assert!(!report.is_complete() && report.diagnostics[0].code == Code::WriteFailed, "{lines}");
        assert_eq!(home.text(), text);
    }
}

#[test]
fn world_without_settings_gets_them_with_its_first_system() {
    let home = Home::with(HEAD);
    fs::remove_file(home.settings()).unwrap();
    let (mut world, report) = home.load();
    assert_eq!(report.diagnostics, []);
    assert!(world.save().unwrap().written.is_empty());
    world.list_system(&table(), "move").unwrap();
    assert!(world.save().unwrap().is_complete());
    assert_eq!(home.text(), format!("{HEAD}Systems[move]: true\n"));
}

#[test]
fn settings_that_changed_on_disk_are_not_overwritten() {
    let home = Home::with(HEAD);
    let (mut world, _) = home.load();
    let theirs = format!("{HEAD}Systems[draw]: true\n");
    fs::write(home.settings(), &theirs).unwrap();
    world.list_system(&table(), "move").unwrap();
    let report = world.save().unwrap();
    assert_eq!(report.diagnostics.iter().map(|it| it.code).collect::<Vec<_>>(), [Code::ChangedOnDisk]);
    assert_eq!(home.text(), theirs);
}

#[test]
fn system_that_the_table_does_not_have_is_not_listed() {
    let home = Home::with(HEAD);
    let (mut world, _) = home.load();
    let error = world.list_system(&table(), "moove").unwrap_err();
    assert_eq!(error.to_string(), "there is no system `moove`; did you mean `move`?");
    world.list_system(&table(), "move").unwrap();
    assert!(matches!(world.list_system(&table(), "move"), Err(ScheduleError::DuplicateSystem { .. })));
    assert_eq!(listed(&world), [("move", true)]);
}

#[test]
fn hundred_thousand_systems_are_read_told_and_written_in_one_pass_each() {
    let lines: String = (0..100_000).map(|i| format!("Systems[s{i}]: true\n")).collect();
    let home = Home::with(&format!("{HEAD}{lines}"));
    let (mut world, report) = home.load();
    assert_eq!(report.diagnostics, []);
    let report = world.start_listed(&table());
    assert_eq!((report.unknown.len(), report.diagnostics.len()), (100_000, 21));
    assert_eq!(report.diagnostics[20].code, Code::TooManyFindings);
    world.list_system(&table(), "move").unwrap();
    assert!(world.switch_listed("s99999", false));
    assert!(world.save().unwrap().is_complete());
    let expected = format!("{HEAD}Systems[move]: true\n{lines}").replace("[s99999]: true", "[s99999]: false");
    assert!(home.text() == expected);
}
