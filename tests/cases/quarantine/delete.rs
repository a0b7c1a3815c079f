//! Deletion: what the program does not know goes on command, and by name.

use std::fs;

use juliet::{BindError, Code, Mode, Selection, UpkeepError, UpkeepReport};

use super::{based_on, label, put, template_text};
use crate::support::TestProject;

const ROCK: &str = "; reviewed: yes\n; entity_type: Rock\n; id: 0x01\nScale: 2\nOldArmor: 1\n# of the loot\nOldLoot[a].Count: 1\n\n; component: Soul\nX: 1\n# inside\nY: 2\n\n# of the next\n; component: Motion\nSpeed: 1\n";

/// Previews, deletes, and deletes again.
#[track_caller]
fn delete_fully(project: &TestProject, selections: &[Selection]) -> UpkeepReport {
    let before = project.picture();
    let preview = project.open().delete_unknown(selections, Mode::Preview).unwrap();
    assert_eq!(project.picture(), before);
    let report = project.open().delete_unknown(selections, Mode::Write).unwrap();
    assert_eq!(report, preview);
    let after = project.picture();
    let again = project.open().delete_unknown(selections, Mode::Write).unwrap();
    assert!(again.files.is_empty());
    assert_eq!(project.picture(), after);
    report
}

#[test]
fn only_what_is_selected_goes() {
    for (selection, gone, lines) in [
        (Selection::key("Rock", "old_armor"), "OldArmor: 1\n", vec![(5, "OldArmor")]),
        (Selection::key("Rock", "OldLoot"), "OldLoot[a].Count: 1\n", vec![(7, "OldLoot[a].Count")]),
        (Selection::section("Soul"), "; component: Soul\nX: 1\n# inside\nY: 2\n", vec![(9, "Soul")]),
        (Selection::section("Motion"), "; component: Motion\nSpeed: 1\n", vec![(15, "Motion")]),
        (Selection::directive("reviewed"), "; reviewed: yes\n", vec![(1, "reviewed")]),
        (Selection::key("Rock", "Old"), "", vec![]),
        (Selection::key("Golem", "OldArmor"), "", vec![]),
        (Selection::class("Golem"), "", vec![]),
        (Selection::directive("component"), "", vec![]),
        (Selection::directive("id"), "", vec![]),
    ] {
        let project = TestProject::new(&[("A.jasset", ROCK)]);
        let report = delete_fully(&project, &[selection]);
        assert_eq!(project.text("A.jasset"), ROCK.replacen(gone, "", 1));
        let found = report.files.iter().flat_map(|it| &it.lines).map(|it| (it.line, &*it.property));
        assert_eq!(found.collect::<Vec<_>>(), lines);
        assert!(report.diagnostics.is_empty());
    }
    let project = TestProject::new(&[("A.jasset", ROCK)]);
    let all = [Selection::section("Soul"), Selection::key("Rock", "OldLoot"), Selection::directive("reviewed")];
    let _ = delete_fully(&project, &all);
    assert_eq!(
        project.text("A.jasset"),
        "; entity_type: Rock\n; id: 0x01\nScale: 2\nOldArmor: 1\n# of the loot\n\n\n# of the next\n; component: Motion\nSpeed: 1\n"
    );
}

#[test]
fn what_is_known_is_never_deleted() {
    let project = TestProject::new(&[("A.jasset", ROCK)]);
    for selection in [Selection::key("Rock", "Scale"), Selection::key("Rock", "position"), Selection::class("Rock")] {
        let error = project.open().delete_unknown(&[selection], Mode::Write).unwrap_err();
        assert!(matches!(error, UpkeepError::Bind(BindError::Known { .. })), "{error}");
    }
    assert_eq!(project.text("A.jasset"), ROCK);
}

#[test]
fn keys_of_files_of_an_unknown_class_go_by_its_name() {
    let text = "; class\nGolem\n; id\n0x01\n; heart\nstone\n; limbs\n4";
    let project = TestProject::new(&[("A.jasset", text), ("B.jasset", "; class: Giant\n; id: 0x02\nHeart: 1\n")]);
    let _ = delete_fully(&project, &[Selection::key("Golem", "Limbs"), Selection::key("Golem", "Position")]);
    assert_eq!(project.text("A.jasset"), "; class\nGolem\n; id\n0x01\n; heart\nstone\n");
    assert_eq!(project.text("B.jasset"), "; class: Giant\n; id: 0x02\nHeart: 1\n");
}

#[test]
fn files_of_an_unknown_class_are_removed_with_their_templates() {
    let project = TestProject::new(&[
        ("A.jasset", based_on("Golem", "; id: 0x01\n")),
        ("B.jasset", "; class: Giant\n; id: 0x02\n".to_owned()),
        ("C.jasset", "; class: Golem\n; id: 0x03\n".to_owned()),
    ]);
    put(&project, "Golem", "; class: Golem\n");
    let report = delete_fully(&project, &[Selection::class("Golem")]);
    assert!(report.files.iter().all(|it| it.removed) && report.diagnostics.is_empty());
    assert_eq!(report.files.len(), 3);
    let left: Vec<String> = project.picture().into_keys().collect();
    assert_eq!(left, ["Worlds/W/Entities/B.jasset"]);
}

#[test]
fn a_template_stays_as_long_as_something_that_cannot_be_read_may_be_based_on_it() {
    for torn in [true, false] {
        let project = TestProject::new(&[("A.jasset", based_on("Golem", "; id: 0x01\n"))]);
        put(&project, "Golem", "; class: Golem\n");
        if torn {
            project.put("B.jasset", based_on("Golem", "; id: none\n"));
        } else {
            fs::write(project.path("B.jasset"), [0xff]).unwrap();
        }
        let report = delete_fully(&project, &[Selection::class("Golem")]);
        let files: Vec<&str> = report.files.iter().map(|it| &*it.file).collect();
        assert_eq!(files, [label("A.jasset")]);
        assert!(report.diagnostics.iter().any(|it| it.code == Code::WriteFailed), "{:?}", report.diagnostics);
        assert_eq!(template_text(&project, "Golem"), "; class: Golem\n");
    }
}

#[test]
fn a_file_with_a_fault_keeps_what_it_has() {
    let text = "; entity_type: Rock\n; id: 0x01\nScale: x\nOldArmor: 1\n";
    let project = TestProject::new(&[("A.jasset", text)]);
    let report = delete_fully(&project, &[Selection::key("Rock", "OldArmor")]);
    assert_eq!((report.files.len(), report.diagnostics[0].line, project.text("A.jasset").as_str()), (0, 3, text));
}
