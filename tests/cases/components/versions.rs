//! Sections of older versions, former names, and what the program does not know in them: read, migrated, bound and deleted.

use std::fs;

use juliet::prelude::*;
use juliet::{BindError, Binding, Code, MigrateError, Migration, Mode, Selection, UnknownData, UpkeepError};

use super::get;
use crate::support::classes::Rock;
use crate::support::{TestProject, changed_lines, entity_in, only, save, save_all};

/// How something moves, since version 3.
#[derive(Component, Clone, PartialEq, Debug)]
#[jasset(version = 3, alias = "Motion", migrate(1 => from_1, 2 => from_2), removed("Wobble"))]
struct Velocity {
    #[jasset(alias = "Speed")]
    linear: f32,
    #[jasset(default = 1.0)]
    drag: f32,
}

/// Version 1 had the speed in kilometres an hour.
fn from_1(file: &mut Migration<'_>) -> Result<(), MigrateError> {
    if let Some(speed) = file.get("Speed") {
        let speed: f32 = speed.parse().map_err(|_| "the speed is no number")?;
        file.set("Speed", (speed / 3.6).to_string());
    }
    Ok(())
}

/// Version 2 had friction.
fn from_2(file: &mut Migration<'_>) -> Result<(), MigrateError> {
    file.rename("Friction", "Drag");
    Ok(())
}

fn registry() -> ClassRegistry {
    registry![Rock, Velocity].unwrap()
}

fn project(files: &[(&str, &str)]) -> TestProject {
    let project = TestProject::with(registry(), files);
    fs::create_dir_all(project.root().join("Templates")).unwrap();
    project
}

const OLD: &str =
    "; class: Rock\n; id: 0x42\nScale: 2.0\n; component: Motion\n# fast\nSpeed: 36\nFriction: 0.5\nWobble: 3\n";

#[test]
fn an_old_section_is_migrated_when_it_is_read_and_rewritten_when_it_changes() {
    let project = project(&[("A.jasset", OLD)]);
    let mut world = project.load_clean();
    let handle = only(&world);
    assert_eq!(world.component::<Velocity>(handle), Some(&Velocity { linear: 10.0, drag: 0.5 }));
    assert!(save_all(&mut world).written.is_empty());
    // A change of the entity leaves the old section as it is.
    assert!(world.set(handle, "Scale", 3.0_f32).unwrap());
    save(&mut world);
    assert_eq!(changed_lines(OLD, &project.text("A.jasset")), ["-Scale: 2.0\n", "+Scale: 3.0\n"]);
    assert!(world.set(handle, "Velocity/Drag", 0.75_f32).unwrap());
    save(&mut world);
    let expected = "; class: Rock\n; id: 0x42\nScale: 3.0\n; component: Velocity\n; class_version: 3\n# fast\nLinear: 10.0\nDrag: 0.75\n";
    assert_eq!(project.text("A.jasset"), expected);
    let again = project.load_clean();
    assert_eq!(again.component::<Velocity>(only(&again)), Some(&Velocity { linear: 10.0, drag: 0.75 }));
}

#[test]
fn each_section_has_a_version_of_its_own() {
    let text = "; class: Rock\n; class_version: 1\n; component: Velocity\n; class_version: 2\nSpeed: 36\nFriction: 2\n";
    let project = project(&[("A.jasset", text)]);
    let world = project.load_clean();
    assert_eq!(world.component::<Velocity>(only(&world)), Some(&Velocity { linear: 36.0, drag: 2.0 }));
    for (section, code, line) in [
        ("; class_version: 4\nSpeed: 1\n", Code::NewerClassVersion, 3),
        ("; class_version: 1\nSpeed: fast\n", Code::MigrationFailed, 3),
        ("Speed: fast\n", Code::MigrationFailed, 2),
    ] {
        let error =
            crate::support::refused_once(registry(), format!("; class: Rock\n; component: Velocity\n{section}"));
        assert_eq!((error.code, error.line), (code, line), "{section}{error}");
    }
}

#[test]
fn a_new_section_says_its_version() {
    let project = project(&[("A.jasset", "; class: Rock\n; id: 0x42\n")]);
    let mut world = project.load_clean();
    let handle = only(&world);
    world.add_component(handle, Velocity { linear: 1.0, drag: 2.0 }).unwrap();
    save(&mut world);
    let expected = "; class: Rock\n; id: 0x42\n; component: Velocity\n; class_version: 3\nLinear: 1.0\nDrag: 2.0\n";
    assert_eq!(project.text("A.jasset"), expected);
}

#[test]
fn a_whole_project_is_brought_to_the_current_versions() {
    let project = project(&[
        ("A.jasset", OLD),
        ("B.jasset", "; template: Assets/Templates/T.jasset\n; without: Motion\n"),
        ("C.jasset", "; template: Assets/Templates/T.jasset\n; component: Motion\nSpeed: 72\n"),
        ("D.jasset", "; class: Golem\nStrange: 1\n; component: Motion\n; class_version: 2\nSpeed: 5\nFriction: 1\n"),
    ]);
    fs::write(project.root().join("Templates/T.jasset"), "; class: Rock\n; component: Velocity\nSpeed: 36\n").unwrap();
    let (before, _) = project.load();
    let report = project.open().migrate(Mode::Write).unwrap();
    assert!(report.is_complete(), "{:?}", report.diagnostics);
    assert_eq!(report.files.len(), 5);
    let a = report.files.iter().find(|it| it.file.ends_with("A.jasset")).unwrap();
    let lines: Vec<_> = a.lines.iter().map(|it| (it.line, it.before.as_deref(), it.after.as_deref())).collect();
    assert_eq!(
        lines,
        [
            (4, Some("; component: Motion"), Some("; component: Velocity")),
            (5, None, Some("; class_version: 3")),
            (6, Some("Speed: 36"), Some("Linear: 10.0")),
            (7, Some("Friction: 0.5"), None),
            (7, None, Some("Drag: 0.5")),
            (8, Some("Wobble: 3"), None),
        ]
    );
    assert_eq!(
        project.text("A.jasset"),
        "; class: Rock\n; id: 0x42\nScale: 2.0\n; component: Velocity\n; class_version: 3\n# fast\nLinear: 10.0\nDrag: 0.5\n"
    );
    assert_eq!(project.text("B.jasset"), "; template: Assets/Templates/T.jasset\n; without: Velocity\n");
    assert!(project.text("C.jasset").ends_with("; component: Velocity\n; class_version: 3\nLinear: 20.0\n"));
    assert!(
        project
            .text("D.jasset")
            .ends_with("Strange: 1\n; component: Velocity\n; class_version: 3\nLinear: 5\nDrag: 1.0\n")
    );
    let (after, _) = project.load();
    for base in before.iter() {
        let handle = after.find_by_id(base.id()).unwrap();
        assert_eq!(before.component::<Velocity>(base.handle()), after.component::<Velocity>(handle));
    }
    assert!(project.open().migrate(Mode::Write).unwrap().files.is_empty());
}

const STRAYS: &str = "; class: Rock\n; id: 0x42\n; component: Velocity\n; class_version: 3\nFriction: 0.5\n; component: Soul\nWeight: 21\n";

#[test]
fn what_is_not_known_in_sections_is_listed() {
    let project = project(&[("A.jasset", STRAYS)]);
    let (world, _) = project.load();
    let listed = world.unknown();
    let found: Vec<_> = listed.iter().map(|it| (&*it.class, it.line, it.what.clone())).collect();
    let key = UnknownData::Key { key: "Friction".into(), text: "0.5".into() };
    assert_eq!(found, [("Velocity", 5, key), ("Rock", 6, UnknownData::Section { name: "Soul".into() })]);
    let report = project.open().unknown().unwrap();
    let lines: Vec<_> = report.unknown.iter().map(|it| (&*it.class, it.line)).collect();
    assert_eq!(lines, [("Velocity", 5), ("Rock", 6)]);
}

#[test]
fn unknown_keys_and_components_are_bound() {
    let project = project(&[("A.jasset", STRAYS)]);
    let bound = project.open().bind(&Binding::key("Velocity", "Friction", "Drag"), Mode::Write).unwrap();
    assert_eq!((bound.files.len(), bound.diagnostics), (1, vec![]));
    assert_eq!(changed_lines(STRAYS, &project.text("A.jasset")), ["-Friction: 0.5\n", "+Drag: 0.5\n"]);
    let (world, _) = project.load();
    assert_eq!(get(&world, only(&world), "Velocity/Drag"), "0.5");
    // A second component of the type is refused, and what the section holds has to read.
    let refused = project.open().bind(&Binding::section("Soul", "Velocity"), Mode::Write).unwrap();
    assert_eq!((refused.files.len(), refused.diagnostics[0].code), (0, Code::DuplicateSection));
    let error = project.open().bind(&Binding::section("Motion", "Soul"), Mode::Write).unwrap_err();
    assert!(matches!(error, UpkeepError::Bind(BindError::Known { .. })), "{error}");
    let error = project.open().bind(&Binding::key("Velocity", "Speed", "Drag"), Mode::Write).unwrap_err();
    assert!(matches!(error, UpkeepError::Bind(BindError::Known { .. })), "{error}");
    fs::write(project.path("A.jasset"), "; class: Rock\n; component: Soul\nSpeed: 36\n").unwrap();
    fs::write(project.path("B.jasset"), "; template: Assets/Templates/T.jasset\n; without: Soul\n").unwrap();
    fs::write(project.root().join("Templates/T.jasset"), "; class: Rock\n; component: Soul\n").unwrap();
    let bound = project.open().bind(&Binding::section("Soul", "Velocity"), Mode::Write).unwrap();
    assert_eq!((bound.files.len(), bound.diagnostics), (3, vec![]));
    let world = project.load_clean();
    assert_eq!(get(&world, entity_in(&world, "A.jasset"), "Velocity/Linear"), "10.0");
    assert!(world.component::<Velocity>(entity_in(&world, "B.jasset")).is_none());
    assert_eq!(project.text("B.jasset"), "; template: Assets/Templates/T.jasset\n; without: Velocity\n");
}

#[test]
fn unknown_keys_and_components_are_deleted_and_known_ones_are_not() {
    let text = format!("{STRAYS}\n# end\n");
    let project = project(&[("A.jasset", &text)]);
    for selection in [Selection::section("Velocity"), Selection::section("Motion"), Selection::key("Velocity", "Drag")]
    {
        let error = project.open().delete_unknown(&[selection], Mode::Write).unwrap_err();
        assert!(matches!(error, UpkeepError::Bind(BindError::Known { .. })), "{error}");
    }
    // Keys of the class of a file are others than those of its components.
    let report = project.open().delete_unknown(&[Selection::key("Rock", "Friction")], Mode::Write).unwrap();
    assert!(report.files.is_empty());
    let all = [Selection::key("Motion", "Friction"), Selection::section("Soul")];
    let report = project.open().delete_unknown(&all, Mode::Write).unwrap();
    assert_eq!((report.files.len(), report.diagnostics), (1, vec![]));
    let expected = "; class: Rock\n; id: 0x42\n; component: Velocity\n; class_version: 3\n\n# end\n";
    assert_eq!(project.text("A.jasset"), expected);
}
