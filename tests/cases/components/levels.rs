//! Templates of templates with components: what passes, what is applied, and how templates are made, changed and left.

use juliet::prelude::*;
use juliet::{Level, OverrideError};

use super::inherited::{based, path, project, put, text_of};
use super::{Asleep, Bag, Velocity, get, names};
use crate::support::{TestProject, changed_lines, entity_in, only, save, save_all};

const TOP: &str =
    "; entity_type: Rock\n; component: Velocity\nLinear: 1.0, 0.0, 0.0\nDrag: 2.0\n; component: Bag\nRoom: 3\n";

/// Base ← Mid ← Low, and an instance of Low.
fn three(mid: &str, low: &str, own: &str) -> (TestProject, World, [TemplateHandle; 3], EntityHandle) {
    let project = project(TOP, &[("A.jasset", &based("Low", own))]);
    put(&project, "Mid", &format!("; template: {}\n{mid}", path("Base")));
    put(&project, "Low", &format!("; template: {}\n{low}", path("Mid")));
    let world = project.load_clean();
    let templates = ["Base", "Mid", "Low"].map(|name| world.find_template(&path(name)).unwrap());
    let handle = only(&world);
    (project, world, templates, handle)
}

/// The world and the one that its files give say the same.
#[track_caller]
fn reads_back(project: &TestProject, world: &mut World) {
    save(world);
    world.entities().validate().unwrap();
    let again = project.load_clean();
    assert_eq!(world.len(), again.len());
    for base in world.iter() {
        let other = again.find_by_id(base.id()).unwrap();
        let (own, theirs) = (base.handle(), other);
        assert_eq!(names(world, own), names(&again, theirs), "{:?}", world.file_of(own));
        assert_eq!(world.overrides(own), again.overrides(theirs), "{:?}", world.file_of(own));
        for row in world.rows(own) {
            assert_eq!(Some(row.value), again.get_text(theirs, &row.key), "{}", row.key);
        }
    }
}

#[test]
fn a_level_that_takes_a_component_away_shields_what_is_below() {
    let (project, mut world, [base, mid, low], handle) =
        three("; without: Velocity\n", "; component: Velocity\nDrag: 5.0\n", "; component: Velocity\n");
    assert!(!names(&world, mid).contains(&"Velocity"));
    assert_eq!(world.component::<Velocity>(handle), Some(&Velocity { linear: Vec3::ZERO, drag: 5.0 }));
    world.set_text(base, "Velocity/Linear", "0, 0, 7").unwrap();
    assert_eq!(world.component::<Velocity>(handle).unwrap().linear, Vec3::ZERO);
    let why = world.why(handle, "Velocity/Linear").unwrap();
    assert_eq!((why.source(), why.reasons.iter().filter(|it| it.value.is_some()).count()), (Level::ClassDefault, 1));
    let impact = world.impact(base, Some("Velocity/Linear")).unwrap();
    assert_eq!(
        (impact.reached_templates.len(), impact.shielded_templates, impact.shielded),
        (0, vec![mid, low], vec![handle])
    );
    let impact = world.impact(base, Some("Bag/")).unwrap();
    assert_eq!((impact.reached_templates, impact.reached), (vec![mid, low], vec![handle]));
    assert_eq!(world.impact(base, None).unwrap().reached, [handle]);
    // Once the level between has it again, everything arrives.
    assert!(world.revert(mid, "Velocity/").unwrap());
    assert_eq!(world.component::<Velocity>(handle), Some(&Velocity { linear: Vec3::Z * 7.0, drag: 5.0 }));
    reads_back(&project, &mut world);
    assert_eq!(text_of(&project, "Mid"), format!("; template: {}\n", path("Base")));
}

#[test]
fn overrides_are_applied_to_any_level_above() {
    let own = "; component: Velocity\nDrag: 9.0\n; component: Asleep\n; component: Bag\nNote: hello\nLoot[gold]: 1\n";
    let (project, mut world, [base, mid, low], handle) = three("", "", own);
    let before: Vec<_> = world.rows(handle).into_iter().map(|row| (row.key, row.value)).collect();
    assert!(world.apply_override(handle, "Velocity/Drag", mid).unwrap());
    assert!(!world.apply_override(handle, "Velocity/Drag", mid).unwrap());
    assert_eq!((get(&world, mid, "Velocity/Drag"), get(&world, base, "Velocity/Drag")), ("9.0".into(), "2.0".into()));
    assert_eq!(world.overrides(mid), ["Velocity/Drag"]);
    assert!(world.apply_override(handle, "Asleep/", base).unwrap());
    assert_eq!(names(&world, base), ["Velocity", "Bag", "Asleep"]);
    assert_eq!(world.overrides(handle), ["Bag/Note", "Bag/Loot[gold]"]);
    assert!(world.apply_all(handle, low).unwrap());
    assert_eq!(
        (world.overrides(handle), world.overrides(low)),
        (vec![], vec!["Bag/Note".into(), "Bag/Loot[gold]".to_owned()])
    );
    let after: Vec<_> = world.rows(handle).into_iter().map(|row| (row.key, row.value)).collect();
    assert_eq!(before, after);
    reads_back(&project, &mut world);
    assert_eq!(project.text("A.jasset"), based("Low", ""));
    assert_eq!(text_of(&project, "Base"), format!("{TOP}; component: Asleep\n"));
    // The absence of a component is applied, too.
    assert!(world.remove_component::<Bag>(handle).unwrap());
    assert!(world.apply_override(handle, "Bag/", mid).unwrap());
    assert!(!names(&world, mid).contains(&"Bag") && names(&world, base).contains(&"Bag"));
    // The level between has said something about it, and so has it still.
    assert_eq!(names(&world, low), ["Velocity", "Bag", "Asleep"]);
    assert_eq!(world.overrides(handle), ["Bag/"]);
    reads_back(&project, &mut world);
    assert!(world.apply_all(handle, low).unwrap());
    assert_eq!((names(&world, low), world.overrides(handle)), (vec!["Velocity", "Asleep"], vec![]));
    reads_back(&project, &mut world);
    let error = world.apply_override(low, "Velocity/Drag", low).unwrap_err();
    assert!(matches!(error, OverrideError::NotAbove { .. }), "{error}");
}

#[test]
fn a_template_made_of_an_entity_has_its_components() {
    let project = project(
        TOP,
        &[
            ("A.jasset", "; class: Rock\n; id: 0x1\n; component: Velocity\nDrag: 4.0\n; component: Asleep\n"),
            ("B.jasset", &based("Base", "; without: Bag\n; component: Velocity\nDrag: 6.0\n; component: Asleep\n")),
        ],
    );
    let mut world = project.load_clean();
    let a = entity_in(&world, "A.jasset");
    let made = world.create_template(a, "Made").unwrap();
    assert_eq!((names(&world, made), names(&world, a)), (vec!["Velocity", "Asleep"], vec!["Velocity", "Asleep"]));
    assert_eq!((world.overrides(a), get(&world, made, "Velocity/Drag")), (vec![], "4.0".to_owned()));
    let b = entity_in(&world, "B.jasset");
    let other = world.create_template(b, "Other").unwrap();
    assert_eq!(world.overrides(other), ["Velocity/Drag", "Bag/", "Asleep/"]);
    assert_eq!((world.overrides(b), names(&world, b)), (vec![], vec!["Velocity", "Asleep"]));
    reads_back(&project, &mut world);
    assert_eq!(project.text("B.jasset"), format!("; template: {}\n; id: 0x42\n", path("Other")));
    assert!(
        text_of(&project, "Made")
            .ends_with("Hits: 0\n; component: Velocity\nLinear: 0.0, 0.0, 0.0\nDrag: 4.0\n; component: Asleep\n")
    );
    assert!(text_of(&project, "Other").contains("; without: Bag\n"));
    world.set_text(made, "Velocity/Drag", "7").unwrap();
    assert_eq!(get(&world, a, "Velocity/Drag"), "7.0");
}

#[test]
fn a_class_without_properties_makes_a_template() {
    /// A mark in the world.
    #[derive(Entity)]
    struct Mark;
    let project = TestProject::with(registry![Mark].unwrap(), &[("A.jasset", "; class: Mark\n; id: 0x1\n")]);
    let mut world = project.load_clean();
    let handle = only(&world);
    world.create_template(handle, "Marks").unwrap();
    save(&mut world);
    assert!(text_of(&project, "Marks").starts_with("; entity_type: Mark\n"));
    assert_eq!(project.load_clean().len(), 1);
}

#[test]
fn an_entity_that_becomes_an_instance_looks_as_before() {
    let text =
        "; class: Rock\n; id: 0x1\n; component: Velocity\nLinear: 1.0, 0.0, 0.0\nDrag: 8.0\n; component: Asleep\n";
    let project = project(TOP, &[("A.jasset", text), ("B.jasset", &based("Base", ""))]);
    let mut world = project.load_clean();
    let (a, base) = (entity_in(&world, "A.jasset"), world.find_template(&path("Base")).unwrap());
    assert!(world.set_template(a, base).unwrap());
    assert_eq!(names(&world, a), ["Velocity", "Asleep"]);
    assert_eq!(world.overrides(a), ["Velocity/Drag", "Bag/", "Asleep/"]);
    assert_eq!(world.component::<Velocity>(a), Some(&Velocity { linear: Vec3::X, drag: 8.0 }));
    reads_back(&project, &mut world);
    let expected = format!(
        "; template: {}\n; id: 0x1\n; without: Bag\n; component: Velocity\nDrag: 8.0\n; component: Asleep\n",
        path("Base")
    );
    assert_eq!(project.text("A.jasset"), expected);
    // And one that stands alone again says everything.
    assert!(world.unlink(a).unwrap());
    reads_back(&project, &mut world);
    let text = project.text("A.jasset");
    assert!(
        text.contains("Linear: 1.0, 0.0, 0.0\nDrag: 8.0\n; component: Asleep\n") && !text.contains("Bag"),
        "{text}"
    );
    let b = entity_in(&world, "B.jasset");
    assert!(world.unlink(b).unwrap());
    reads_back(&project, &mut world);
    assert!(
        project.text("B.jasset").ends_with("Drag: 2.0\n; component: Bag\nRoom: 3\nNote: \"\"\n"),
        "{}",
        project.text("B.jasset")
    );
    assert!(world.set_template(b, base).unwrap());
    assert_eq!(world.overrides(b), [""; 0]);
    reads_back(&project, &mut world);
}

#[test]
fn templates_change_their_parents_with_their_components() {
    let (project, mut world, [base, mid, low], handle) =
        three("; component: Velocity\nDrag: 3.0\n", "; without: Bag\n", "; component: Asleep\n");
    assert!(world.set_template(low, base).unwrap());
    assert_eq!(get(&world, handle, "Velocity/Drag"), "2.0");
    reads_back(&project, &mut world);
    assert!(world.set_template(low, mid).unwrap());
    assert_eq!(get(&world, handle, "Velocity/Drag"), "3.0");
    // A template that is based on none says what it has, and nothing of what it does without.
    assert!(world.unlink(low).unwrap());
    assert_eq!(names(&world, low), ["Velocity"]);
    assert_eq!(world.overrides(low), ["Velocity/", "Velocity/Linear", "Velocity/Drag"]);
    reads_back(&project, &mut world);
    assert!(text_of(&project, "Low").ends_with("; component: Velocity\nLinear: 1.0, 0.0, 0.0\nDrag: 3.0\n"));
    world.remove_component_of(mid, "Velocity").unwrap();
    assert_eq!(names(&world, handle), ["Velocity", "Asleep"]);
    reads_back(&project, &mut world);
}

#[test]
fn a_file_that_changed_brings_its_components() {
    let (project, mut world, [_, mid, _], handle) = three("", "", "; component: Velocity\nDrag: 9.0\n");
    let text = format!(
        "; template: {}\n; without: Bag\n; component: Asleep\n; component: Velocity\nSpeed: 0 4 0\n",
        path("Base")
    );
    put(&project, "Mid", &text);
    let report = world.reread_templates();
    assert_eq!((report.changed, report.diagnostics), (vec![mid], vec![]));
    assert_eq!(names(&world, handle), ["Velocity", "Asleep"]);
    assert_eq!(world.component::<Velocity>(handle), Some(&Velocity { linear: Vec3::Y * 4.0, drag: 9.0 }));
    assert!(world.dirty().is_empty() && world.dirty_templates().is_empty());
    put(&project, "Mid", &format!("; template: {}\n; component: Velocity\nSpeed: 0 4\n", path("Base")));
    let report = world.reread_templates();
    assert_eq!((report.changed, report.diagnostics.len()), (vec![], 2));
    assert_eq!(names(&world, handle), ["Velocity", "Asleep"]);
    put(&project, "Mid", &format!("; template: {}\n", path("Base")));
    assert_eq!(world.reread_templates().changed, [mid]);
    assert_eq!(names(&world, handle), ["Velocity", "Bag"]);
    assert_eq!(world.component::<Velocity>(handle), Some(&Velocity { linear: Vec3::X, drag: 9.0 }));
    assert!(world.dirty().is_empty());
    reads_back(&project, &mut world);
}

#[test]
fn everything_is_reverted_but_template_id_and_position() {
    let own =
        "; without: Bag\nPosition: 1.0, 2.0, 3.0\nScale: 4.0\n; component: Velocity\nDrag: 9.0\n; component: Asleep\n";
    let (project, mut world, [_, mid, _], handle) = three("; component: Asleep\n", "", own);
    assert_eq!(world.overrides(handle), ["Scale", "Velocity/Drag", "Bag/"]);
    assert!(world.revert_all(handle).unwrap() && !world.revert_all(handle).unwrap());
    assert_eq!(names(&world, handle), ["Velocity", "Bag", "Asleep"]);
    save(&mut world);
    assert_eq!(project.text("A.jasset"), based("Low", "Position: 1.0, 2.0, 3.0\n"));
    assert!(world.revert_all(mid).unwrap());
    assert_eq!(names(&world, handle), ["Velocity", "Bag"]);
    assert!(world.component::<Asleep>(handle).is_none());
    reads_back(&project, &mut world);
    let before = text_of(&project, "Mid");
    assert!(save_all(&mut world).written.is_empty());
    assert_eq!(changed_lines(&before, &text_of(&project, "Mid")), [""; 0]);
}
