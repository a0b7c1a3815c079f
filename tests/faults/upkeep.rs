//! Work on a whole project that breaks on the way: each file is old or new, and after the next load all are one or the other.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use juliet::prelude::*;
use juliet::{Binding, Code, MigrateError, Migration, Mode, Selection, UpkeepError, UpkeepReport};

use super::{Faulty, quick};
use crate::support::TestProject;

#[derive(Entity)]
#[jasset(alias = "Stone", version = 2, migrate(1 => weigh))]
struct Boulder {
    mass: f32,
    label: String,
}

/// Whether [`weigh`] panics at the label `bang`; of one test.
static ARMED: AtomicBool = AtomicBool::new(false);

fn weigh(file: &mut Migration<'_>) -> Result<(), MigrateError> {
    assert!(!(file.get("Label") == Some("bang") && ARMED.load(Ordering::SeqCst)), "bang");
    file.rename("Weight", "Mass");
    Ok(())
}

const TEMPLATE: &str = "; class: Stone\nWeight: 1\nOld: 1\n; component: Soul\nX: 1\n";
const LOW: &str = "; template: Assets/Templates/T.jasset\nOld: 2\n";
const INSTANCE: &str = "; template: Assets/Templates/Low.jasset\n; class: Stone\n; id: 0x01\nWeight: 2\nOld: 3\n";
const ALONE: &str = "; class\nStone\n; id\n0x02\n; weight\n3\n; old\n4\n; component\nSoul\n; y\n2";

fn boulders() -> ClassRegistry {
    registry![Boulder].unwrap()
}

fn project(registry: ClassRegistry) -> TestProject {
    let project = TestProject::with(registry, &[("A.jasset", INSTANCE), ("B.jasset", ALONE)]);
    project.put("../../../Templates/T.jasset", TEMPLATE);
    project.put("../../../Templates/Low.jasset", LOW);
    project
}

fn texts(project: &TestProject) -> BTreeMap<String, String> {
    project.picture().into_iter().map(|(path, (bytes, _))| (path, String::from_utf8(bytes).unwrap())).collect()
}

fn open(project: &TestProject, disk: &Faulty, registry: ClassRegistry) -> Option<Project> {
    Project::open_on(Arc::new(disk.clone()), project.root(), registry).ok()
}

/// One of the works, and the classes of the program that does it.
type Case = (fn() -> ClassRegistry, fn(&Project, Mode) -> Result<UpkeepReport, UpkeepError>);

fn golems() -> ClassRegistry {
    registry![Golem].unwrap()
}

/// `Stone` is not known to this one.
#[derive(Entity)]
struct Golem {
    weight: f32,
    old: u32,
    label: String,
}

const CASES: [Case; 6] = [
    (boulders, |project, mode| project.migrate(mode)),
    (boulders, |project, mode| project.bind(&Binding::key("Boulder", "Old", "Label"), mode)),
    (boulders, |project, mode| project.bind(&Binding::section("Soul", "Spirit"), mode)),
    (golems, |project, mode| project.bind(&Binding::class("Stone", "Golem"), mode)),
    (boulders, |project, mode| {
        project.delete_unknown(&[Selection::key("Boulder", "Old"), Selection::section("Soul")], mode)
    }),
    (golems, |project, mode| project.delete_unknown(&[Selection::class("Stone")], mode)),
];

/// What the work makes of the files when nothing breaks.
fn done(case: &Case) -> BTreeMap<String, String> {
    let project = project(case.0());
    let report = (case.1)(&project.open(), Mode::Write).unwrap();
    assert!(!report.files.is_empty());
    let after = texts(&project);
    assert_ne!(after, texts(&self::project(case.0())));
    assert!((case.1)(&project.open(), Mode::Write).unwrap().files.is_empty());
    assert_eq!(texts(&project), after);
    after
}

#[test]
fn after_a_crash_at_any_step_all_files_are_old_or_all_are_new() {
    for case in &CASES {
        let (old, new) = (texts(&project(case.0())), done(case));
        for number in 0.. {
            let project = project(case.0());
            let disk = quick().kill_at(number, number % 2 == 0);
            let Some(opened) = open(&project, &disk, case.0()) else { continue };
            let _ = (case.1)(&opened, Mode::Write);
            drop(opened);
            for (path, text) in texts(&project) {
                assert!(old.get(&path) == Some(&text) || new.get(&path) == Some(&text), "{number} {path}\n{text}");
            }
            let _ = project.load();
            let now = texts(&project);
            assert!(now == old || now == new, "{number} {now:#?}");
            let _ = (case.1)(&project.open(), Mode::Write).unwrap();
            assert_eq!(texts(&project), new, "{number}");
            if !disk.is_dead() {
                break;
            }
            assert!(number < 1000);
        }
    }
}

#[test]
fn after_a_step_that_fails_the_work_can_be_done_again() {
    for (index, case) in CASES.iter().enumerate() {
        let (old, new) = (texts(&project(case.0())), done(case));
        let count = {
            let disk = quick();
            let project = project(case.0());
            let _ = (case.1)(&open(&project, &disk, case.0()).unwrap(), Mode::Write).unwrap();
            disk.counts().operations
        };
        for number in 0..count {
            for kind in [ErrorKind::PermissionDenied, ErrorKind::StorageFull] {
                let project = project(case.0());
                let disk = quick().fail_at(number, kind);
                let Some(opened) = open(&project, &disk, case.0()) else { continue };
                let report = (case.1)(&opened, Mode::Write);
                let now = texts(&project);
                for (path, text) in &now {
                    assert!(old.get(path) == Some(text) || new.get(path) == Some(text), "{number} {path}\n{text}");
                }
                match report {
                    Err(_) => assert_eq!(now, old, "{index} {number}"),
                    Ok(report) => {
                        let changed = old.keys().filter(|path| now.get(*path) != old.get(*path)).count();
                        assert_eq!(report.files.len(), changed, "{index} {number} {kind} {report:#?}");
                        assert!(report.is_complete() <= (now == new), "{index} {number} {kind} {report:#?} {now:#?}");
                    }
                }
                disk.mend();
                disk.mend();
                let again = (case.1)(&opened, Mode::Write).unwrap();
                assert!(again.is_complete(), "{index} {number} {kind} {again:#?}");
                assert_eq!(texts(&project), new, "{index} {number} {kind}");
            }
        }
    }
}

#[test]
fn a_file_that_is_held_is_told_and_comes_after() {
    for (index, case) in CASES.iter().enumerate() {
        let new = done(case);
        for path in ["Templates/T.jasset", "Templates/Low.jasset", "Worlds/W/Entities/A.jasset"] {
            let project = project(case.0());
            let disk = quick().held(&fs::canonicalize(project.root().join(path)).unwrap());
            let opened = open(&project, &disk, case.0()).unwrap();
            let before = texts(&project);
            let report = (case.1)(&opened, Mode::Write).unwrap();
            let changes = new.get(path) != before.get(path);
            assert_eq!(report.is_complete(), !changes, "{index} {path} {report:#?}");
            assert_eq!(texts(&project)[path], before[path]);
            disk.mend();
            assert!((case.1)(&opened, Mode::Write).unwrap().is_complete(), "{index} {path}");
            assert_eq!(texts(&project), new, "{index} {path}");
        }
        let project = project(case.0());
        let before = texts(&project);
        let disk = quick().read_only(&fs::canonicalize(project.root()).unwrap());
        assert!((case.1)(&open(&project, &disk, case.0()).unwrap(), Mode::Write).is_err());
        assert_eq!(texts(&project), before);
        assert!((case.1)(&open(&project, &disk, case.0()).unwrap(), Mode::Preview).is_ok());
    }
}

#[test]
fn what_an_earlier_save_left_is_finished_first_and_a_preview_leaves_it() {
    for case in &CASES {
        let new = done(case);
        for left in [&b"no record of a save"[..], &[0; 40], b""] {
            let project = project(case.0());
            let local = project.root().join(".juliet");
            fs::create_dir_all(&local).unwrap();
            fs::write(local.join("redo"), left).unwrap();
            let before = texts(&project);
            let _ = (case.1)(&project.open(), Mode::Preview).unwrap();
            assert_eq!((texts(&project), &fs::read(local.join("redo")).unwrap()[..]), (before, left));
            let _ = (case.1)(&project.open(), Mode::Write).unwrap();
            assert_eq!(texts(&project), new);
        }
    }
}

#[test]
fn a_step_that_panics_changes_nothing_and_leaves_a_world_that_works() {
    let bang = INSTANCE.replace("Old: 3", "Label: bang");
    let project = project(boulders());
    project.put("A.jasset", &bang);
    let before = texts(&project);
    let (mut world, _) = project.load();
    let handle = world.find_by_id(1).unwrap();
    world.set(handle, "Mass", 9.0_f32).unwrap();
    ARMED.store(true, Ordering::SeqCst);
    let outcomes = [
        catch_unwind(AssertUnwindSafe(|| drop(world.save()))).is_err(),
        catch_unwind(AssertUnwindSafe(|| drop(project.load()))).is_err(),
        catch_unwind(AssertUnwindSafe(|| drop(project.open().migrate(Mode::Write)))).is_err(),
        catch_unwind(AssertUnwindSafe(|| drop(project.open().bind(&Binding::section("Soul", "Spirit"), Mode::Write))))
            .is_err(),
    ];
    ARMED.store(false, Ordering::SeqCst);
    assert_eq!(outcomes, [true; 4]);
    assert_eq!(texts(&project), before);
    world.entities().validate().unwrap();
    assert_eq!(world.save().unwrap().written.len(), 1);
    let (again, _) = project.load();
    assert_eq!(again.get::<Boulder>(again.find_by_id(1).unwrap()).unwrap().mass, 9.0);
    assert!(project.open().migrate(Mode::Write).unwrap().is_complete());
}

#[test]
fn a_world_that_was_loaded_before_refuses_to_save_over_what_was_migrated() {
    let project = project(boulders());
    let (mut world, _) = project.load();
    for id in [1, 2] {
        world.set(world.find_by_id(id).unwrap(), "Label", "new".to_owned()).unwrap();
    }
    assert!(project.open().migrate(Mode::Write).unwrap().is_complete());
    let after = texts(&project);
    let report = world.save().unwrap();
    let codes: Vec<Code> = report.diagnostics.iter().map(|it| it.code).collect();
    assert_eq!((report.written.len(), codes), (0, vec![Code::ChangedOnDisk; 2]));
    assert_eq!(texts(&project), after);
}

#[cfg(unix)]
#[test]
fn a_file_that_two_names_lead_to_is_changed_once() {
    for case in &CASES[..3] {
        let project = project(case.0());
        std::os::unix::fs::symlink("B.jasset", project.path("C.jasset")).unwrap();
        fs::hard_link(project.path("B.jasset"), project.path("D.jasset")).unwrap();
        let report = (case.1)(&project.open(), Mode::Write).unwrap();
        assert!(report.diagnostics.iter().all(|it| it.file.ends_with("C.jasset")), "{:#?}", report.diagnostics);
        let now = texts(&project);
        assert_eq!(now, {
            let _ = (case.1)(&project.open(), Mode::Write).unwrap();
            texts(&project)
        });
        assert_eq!(now["Worlds/W/Entities/B.jasset"], now["Worlds/W/Entities/C.jasset"]);
        assert_eq!(now["Worlds/W/Entities/B.jasset"], now["Worlds/W/Entities/D.jasset"]);
        assert!(fs::symlink_metadata(project.path("C.jasset")).unwrap().is_symlink());
    }
}
