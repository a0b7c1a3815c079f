//! What is bound is written in one transaction: all or nothing after a crash, and no file is lost that cannot be written.

use std::fs;
use std::sync::Arc;

use juliet::folder::DiskFileSystem;
use juliet::folder::testing::FaultyFileSystem;
use juliet::prelude::*;
use juliet::{Binding, Code, Mode};

use crate::support::TestProject;

const OLD: &str = "; class: Golem\n; component: Old\nX: 1\n";
const NEW: &str = "; class: Golem\n; component: New\nX: 1\n";

fn golems() -> TestProject {
    TestProject::with(ClassRegistry::new(), &[("A.jasset", OLD), ("B.jasset", OLD), ("C.jasset", OLD)])
}

fn texts(project: &TestProject) -> Vec<String> {
    ["A.jasset", "B.jasset", "C.jasset"].iter().map(|name| project.text(name)).collect()
}

fn open(project: &TestProject, disk: &FaultyFileSystem<DiskFileSystem>) -> Project {
    Project::open_on(Arc::new(disk.clone()), project.root(), ClassRegistry::new()).unwrap()
}

#[test]
fn a_file_that_cannot_be_replaced_is_told_and_the_others_are_written() {
    let project = golems();
    let disk = FaultyFileSystem::new(DiskFileSystem).held(&fs::canonicalize(project.path("B.jasset")).unwrap());
    let report = open(&project, &disk).bind(&Binding::section("Old", "New"), Mode::Write).unwrap();
    let files: Vec<&str> = report.files.iter().map(|it| it.file.rsplit('/').next().unwrap()).collect();
    assert_eq!((files, report.diagnostics.len()), (vec!["A.jasset", "C.jasset"], 1));
    assert_eq!(report.diagnostics[0].code, Code::WriteFailed);
    assert_eq!(texts(&project), [NEW, OLD, NEW]);
    disk.mend();
    let again = open(&project, &disk).bind(&Binding::section("Old", "New"), Mode::Write).unwrap();
    assert_eq!((again.files.len() <= 1, texts(&project)), (true, vec![NEW.into(); 3]));
}

#[test]
fn a_full_disk_or_a_read_only_folder_loses_nothing() {
    for room in [0, 60, 150] {
        let project = golems();
        let disk = FaultyFileSystem::new(DiskFileSystem).with_room(room);
        let report = open(&project, &disk).bind(&Binding::section("Old", "New"), Mode::Write);
        assert!(report.is_err() || report.is_ok_and(|it| !it.is_complete()), "{room}");
        assert!(texts(&project).iter().all(|text| text == OLD || text == NEW), "{room}");
    }
    let project = golems();
    let disk = FaultyFileSystem::new(DiskFileSystem).read_only(&fs::canonicalize(project.path("")).unwrap());
    let report = open(&project, &disk).bind(&Binding::section("Old", "New"), Mode::Write).unwrap();
    assert_eq!((report.files.len(), report.diagnostics.len(), texts(&project)), (0, 3, vec![OLD.into(); 3]));
}

#[test]
fn after_a_crash_at_any_step_all_files_are_bound_or_none() {
    for number in 0.. {
        let project = golems();
        let disk = FaultyFileSystem::new(DiskFileSystem).without_flushes().kill_at(number, number % 2 == 0);
        let Ok(opened) = Project::open_on(Arc::new(disk.clone()), project.root(), ClassRegistry::new()) else {
            continue;
        };
        let _ = opened.bind(&Binding::section("Old", "New"), Mode::Write);
        let done = !disk.is_dead();
        drop(opened);
        assert!(texts(&project).iter().all(|text| text == OLD || text == NEW), "{number}");
        let (world, _) = project.load();
        assert_eq!(world.len(), 3, "{number}");
        let after = texts(&project);
        assert!(after == [OLD; 3] || after == [NEW; 3], "{number}: {after:?}");
        if done {
            assert_eq!(after, [NEW; 3]);
            break;
        }
        assert!(number < 1000);
    }
}
