//! What an instance says about the components of its template, and what an edit makes of its file.

use juliet::prelude::*;
use juliet::{Code, Level, OverrideError};

use super::{Asleep, Bag, Velocity, get, names, registry};
use crate::support::{TestProject, changed_lines, entity_in, only, refused_once, save, save_all};

const BASE: &str = "; entity_type: Rock\nScale: 2.0\n; component: Velocity\nLinear: 1.0, 0.0, 0.0\n; component: Bag\nRoom: 3\nLoot[gold]: 7\n";

pub(super) fn path(name: &str) -> String {
    format!("Assets/Templates/{name}.jasset")
}

/// A text based on a template: the lines of `rest` follow.
pub(super) fn based(name: &str, rest: &str) -> String {
    format!("; template: {}\n; id: 0x42\n{rest}", path(name))
}

pub(super) fn project(base: &str, entities: &[(&str, &str)]) -> TestProject {
    let project = TestProject::with(registry(), entities);
    std::fs::create_dir_all(project.root().join("Templates")).unwrap();
    put(&project, "Base", base);
    project
}

pub(super) fn put(project: &TestProject, name: &str, text: &str) {
    std::fs::write(project.root().join("Templates").join(format!("{name}.jasset")), text).unwrap();
}

pub(super) fn text_of(project: &TestProject, name: &str) -> String {
    std::fs::read_to_string(project.root().join("Templates").join(format!("{name}.jasset"))).unwrap()
}

fn base(world: &World) -> TemplateHandle {
    world.find_template(&path("Base")).unwrap()
}

#[test]
fn sections_override_leaf_by_leaf() {
    let text = based("Base", "; component: Velocity\nDrag: 5.0\n; component: Asleep\n");
    let project = project(BASE, &[("A.jasset", &text)]);
    let mut world = project.load_clean();
    let handle = only(&world);
    assert_eq!(names(&world, handle), ["Velocity", "Bag", "Asleep"]);
    assert_eq!(world.component::<Velocity>(handle), Some(&Velocity { linear: Vec3::X, drag: 5.0 }));
    assert_eq!(world.component::<Bag>(handle).unwrap().loot.get("gold"), Some(&7));
    assert_eq!(world.overrides(handle), ["Velocity/Drag", "Asleep/"]);
    assert!(world.is_overridden(handle, "Velocity/Drag") && !world.is_overridden(handle, "Velocity/Linear"));
    assert!(world.is_overridden(handle, "Asleep/") && world.is_overridden(handle, "Velocity/"));
    assert!(!world.is_overridden(handle, "Bag/"));
    assert!(save_all(&mut world).written.is_empty());
    let template = base(&world);
    let found: Vec<_> = world.diff(handle).into_iter().map(|it| (it.key, it.value, it.inherited, it.source)).collect();
    let template_level = Level::Template(template);
    assert_eq!(
        found,
        [
            ("Velocity/Drag".to_owned(), "5.0".to_owned(), "1.0".to_owned(), Level::ClassDefault),
            ("Asleep/".to_owned(), "{}".to_owned(), String::new(), Level::ClassDefault),
        ]
    );
    let rows = world.rows(handle);
    let row = rows.iter().find(|row| row.key == "Velocity/Linear").unwrap();
    assert_eq!((row.source, row.inherited_from, row.overridden), (template_level, template_level, false));
    assert!(rows.iter().any(|row| row.key == "Bag/Loot[gold]" && row.value == "7"));
    let why = world.why(handle, "velocity_/drag").unwrap_err();
    assert!(why.to_string().contains("no component `velocity_`"), "{why}");
    let why = world.why(handle, "Bag/Loot[none]").unwrap_err();
    assert_eq!(why.to_string(), "`Bag` has no property `Loot[none]`");
    let why = world.why(handle, "Velocity/drag").unwrap();
    assert_eq!((why.key.as_str(), why.source()), ("Velocity/Drag", Level::Own));
    let said: Vec<_> = why.reasons.iter().map(|it| (&*it.place, it.line, it.value.as_deref())).collect();
    let own = world.file_of(handle).unwrap();
    assert_eq!(said, [("Velocity", None, Some("1.0")), (&*path("Base"), None, None), (&*own, Some(4), Some("5.0"))]);
    let why = world.why(handle, "Velocity/Linear").unwrap();
    assert_eq!((why.source(), why.reasons[1].line), (template_level, Some(4)));
}

#[test]
fn guards_and_sets_mark_what_differs() {
    let text = based("Base", "");
    let project = project(BASE, &[("A.jasset", &text)]);
    let mut world = project.load_clean();
    let handle = only(&world);
    world.component_mut::<Velocity>(handle).unwrap().drag = 3.0;
    assert_eq!(world.overrides(handle), ["Velocity/Drag"]);
    assert!(world.set_text(handle, "Velocity/Linear", "0 0 1").unwrap());
    assert!(world.set(handle, "Bag/Loot[gem]", 1_u32).unwrap());
    assert_eq!(world.overrides(handle), ["Velocity/Linear", "Velocity/Drag", "Bag/Loot[gem]"]);
    save(&mut world);
    let expected = "; component: Velocity\nLinear: 0.0, 0.0, 1.0\nDrag: 3.0\n; component: Bag\nLoot[gem]: 1\n";
    // The position of an instance is said where its file says nothing.
    assert_eq!(project.text("A.jasset"), format!("{text}{expected}"));
    let again = project.load_clean();
    assert_eq!(get(&again, only(&again), "Bag/Loot"), "{ gold: 7, gem: 1 }");
    // What is set back is said all the same; what is reverted is not.
    assert!(world.set_text(handle, "Velocity/Drag", "1").unwrap());
    assert!(world.revert(handle, "Bag/Loot[gem]").unwrap() && !world.revert(handle, "Bag/Loot[gem]").unwrap());
    save(&mut world);
    let expected = "; component: Velocity\nLinear: 0.0, 0.0, 1.0\nDrag: 1.0\n";
    assert_eq!(project.text("A.jasset"), format!("{text}{expected}"));
    assert!(world.revert(handle, "Velocity/").unwrap());
    save(&mut world);
    assert_eq!(project.text("A.jasset"), text);
    assert_eq!(world.component::<Velocity>(handle), Some(&Velocity { linear: Vec3::X, drag: 1.0 }));
}

#[test]
fn a_section_with_a_comment_or_an_unknown_line_stays_when_nothing_is_said() {
    for kept in ["# mine\n", "Strange: 1\n"] {
        let text = based("Base", &format!("; component: Velocity\n{kept}Drag: 2.0\n"));
        let project = project(BASE, &[("A.jasset", &text)]);
        let (mut world, _) = project.load();
        let handle = only(&world);
        assert!(world.revert(handle, "Velocity/Drag").unwrap());
        save(&mut world);
        assert_eq!(project.text("A.jasset"), text.replace("Drag: 2.0\n", ""));
        assert_eq!(get(&world, handle, "Velocity/Drag"), "1.0");
        let before = project.picture();
        assert!(save_all(&mut world).written.is_empty());
        assert_eq!(project.picture(), before);
    }
}

#[test]
fn an_inherited_component_is_taken_away_by_one_line() {
    for spelling in ["; without: Velocity\n", "; without: Velocity\nPosition: 1.0, 2.0, 3.0\n; component: Asleep\n"] {
        let text = based("Base", spelling);
        let project = project(BASE, &[("A.jasset", &text)]);
        let mut world = project.load_clean();
        let handle = only(&world);
        assert!(!names(&world, handle).contains(&"Velocity"));
        assert!(world.overrides(handle).contains(&"Velocity/".to_owned()) && world.is_overridden(handle, "Velocity/"));
        let row = world.components(handle).into_iter().find(|it| it.class.name() == "Velocity").unwrap();
        assert!(!row.is_there && row.overridden && row.source == Level::Template(base(&world)));
        let diff = world.diff(handle).into_iter().find(|it| it.key == "Velocity/").unwrap();
        assert_eq!((diff.value.as_str(), diff.inherited.as_str()), ("", "{ Linear: [1.0, 0.0, 0.0], Drag: 1.0 }"));
        assert!(save_all(&mut world).written.is_empty());
        // It stays away whatever the template says.
        assert!(world.set(base(&world), "Velocity/Drag", 4.0_f32).unwrap());
        assert!(!names(&world, handle).contains(&"Velocity"));
        assert!(world.revert(handle, "Velocity/").unwrap());
        assert_eq!(get(&world, handle, "Velocity/Drag"), "4.0");
        save(&mut world);
        assert_eq!(project.text("A.jasset"), text.replace("; without: Velocity\n", ""));
    }
}

#[test]
fn removing_an_inherited_component_writes_that_line() {
    let text = based("Base", "Position: 1.0, 2.0, 3.0\n; component: Velocity\nDrag: 2.0\n; component: Asleep\n");
    let project = project(BASE, &[("A.jasset", &text)]);
    let mut world = project.load_clean();
    let handle = only(&world);
    assert!(world.remove_component::<Velocity>(handle).unwrap());
    assert!(world.remove_component_of(handle, "Asleep").unwrap());
    save(&mut world);
    let expected = based("Base", "; without: Velocity\nPosition: 1.0, 2.0, 3.0\n");
    assert_eq!(project.text("A.jasset"), expected);
    assert!(save_all(&mut world).written.is_empty());
    // Added again it is inherited again, and overrides what differs.
    world.add_component(handle, Velocity { linear: Vec3::X, drag: 8.0 }).unwrap();
    assert_eq!(world.overrides(handle), ["Velocity/Drag"]);
    save(&mut world);
    let expected = based("Base", "Position: 1.0, 2.0, 3.0\n; component: Velocity\nDrag: 8.0\n");
    assert_eq!(project.text("A.jasset"), expected);
    world.remove_component::<Velocity>(handle).unwrap();
    assert!(world.add_component_of(handle, "Velocity").unwrap());
    assert_eq!((world.overrides(handle), get(&world, handle, "Velocity/Linear")), (vec![], "1.0, 0.0, 0.0".to_owned()));
}

#[test]
fn without_lines_are_checked() {
    let project = project(BASE, &[]);
    drop(project);
    for (rest, code, line) in [
        ("; without: Velocity\n; without: Velocity\n", Code::DuplicateSection, 4),
        ("; without: Bag\n; component: Sack\n", Code::DuplicateSection, 4),
        ("; component: Bag\n; without: Velocity\n", Code::MisplacedDirective, 4),
    ] {
        let text = based("Base", rest);
        let project = project_with_neighbour(&text);
        let (world, report) = project.load();
        let error = report.diagnostics.iter().find(|it| it.is_error()).unwrap();
        assert_eq!((error.code, error.line, world.len()), (code, line, 1), "{rest}: {error}");
    }
    let text = based("Base", "; without: Soul\n");
    let project = project_with_neighbour(&text);
    let (mut world, report) = project.load();
    assert_eq!((report.diagnostics[0].code, report.diagnostics[0].line), (Code::UnknownSection, 3));
    let handle = entity_in(&world, "A.jasset");
    world.set(handle, "Hits", 1_u8).unwrap();
    save(&mut world);
    assert_eq!(project.text("A.jasset"), format!("{text}Hits: 1\n"));
    let error = refused_once(registry(), "; class: Rock\n; without: Velocity\n");
    assert_eq!((error.code, error.line), (Code::SyntaxLine, 2));
}

fn project_with_neighbour(text: &str) -> TestProject {
    project(BASE, &[("A.jasset", text), ("B.jasset", "; class: Rock\n; id: 0x07\n")])
}

#[test]
fn a_component_of_a_template_comes_and_goes_below_it() {
    let (own, away) = ("; component: Asleep\n", "; without: Asleep\n");
    let a = based("Base", "").replace("0x42", "0x1");
    let b = based("Base", own).replace("0x42", "0x2");
    let c = format!("{}{away}", based("Base", "").replace("0x42", "0x3"));
    let project = project(BASE, &[("A.jasset", &a), ("B.jasset", &b), ("C.jasset", &c)]);
    let mut world = project.load_clean();
    let [a, b, c] = [1, 2, 3].map(|id| world.find_by_id(id).unwrap());
    let template = base(&world);
    let has = |world: &World| [a, b, c].map(|it| world.component::<Asleep>(it).is_some());
    assert_eq!(has(&world), [false, true, false]);
    let before = project.picture();
    assert!(world.add_component_of(template, "Asleep").unwrap());
    assert_eq!((has(&world), world.dirty()), ([true, true, false], vec![]));
    assert_eq!(save(&mut world).written, [path("Base")]);
    assert_eq!(changed_lines(BASE, &text_of(&project, "Base")), ["+; component: Asleep\n"]);
    assert!(world.remove_component_of(template, "Asleep").unwrap());
    assert_eq!(has(&world), [false, true, false]);
    save(&mut world);
    assert_eq!(text_of(&project, "Base"), BASE);
    assert_eq!(before.keys().collect::<Vec<_>>(), project.picture().keys().collect::<Vec<_>>());
    for name in ["A", "B", "C"] {
        let file = format!("Worlds/W/Entities/{name}.jasset");
        assert_eq!(project.picture()[&file], before[&file]);
    }
    // One that the instance said something about is its own from then on.
    assert!(world.set(a, "Velocity/Drag", 6.0_f32).unwrap());
    assert!(world.remove_component_of(template, "Velocity").unwrap());
    assert_eq!(world.component::<Velocity>(a), Some(&Velocity { linear: Vec3::ZERO, drag: 6.0 }));
    assert_eq!([b, c].map(|it| world.component::<Velocity>(it).is_some()), [false, false]);
    assert_eq!(world.overrides(a), ["Velocity/", "Velocity/Drag"]);
    assert!(world.add_component_of(template, "Velocity").unwrap());
    assert!(world.set_text(template, "Velocity/Linear", "0, 9, 0").unwrap());
    assert_eq!(world.component::<Velocity>(a), Some(&Velocity { linear: Vec3::Y * 9.0, drag: 6.0 }));
    assert_eq!(world.component::<Velocity>(c).unwrap().drag, 1.0);
    save(&mut world);
    let again = project.load_clean();
    for id in [1, 2, 3] {
        let (old, new) = (world.find_by_id(id).unwrap(), again.find_by_id(id).unwrap());
        assert_eq!(names(&world, old), names(&again, new));
        for key in ["Velocity/", "Bag/"] {
            assert_eq!(world.get_text(old, key), again.get_text(new, key), "{id} {key}");
        }
    }
}

#[test]
fn new_instances_have_the_components_of_their_template() {
    let project = project(BASE, &[("A.jasset", &based("Base", ""))]);
    let mut world = project.load_clean();
    let template = base(&world);
    let one = world.spawn_from(template, Vec3::ZERO).unwrap();
    let many = world.spawn_many_from(template, &[Position::ORIGIN; 3]).unwrap();
    for handle in many.into_iter().chain([one]) {
        assert_eq!(names(&world, handle), ["Velocity", "Bag"]);
        assert_eq!((world.overrides(handle).len(), get(&world, handle, "Bag/Loot[gold]")), (0, "7".to_owned()));
    }
    save(&mut world);
    let again = project.load_clean();
    assert_eq!((again.len(), again.list().with::<Bag>().len()), (5, 5));
    let _ = world.remove(one);
    world.set(template, "Bag/Room", 77_u32).unwrap();
    world.remove_component_of(template, "Velocity").unwrap();
    let id = world.removed().next().unwrap();
    let back = world.restore(id).unwrap();
    assert_eq!((names(&world, back), get(&world, back, "Bag/Room")), (vec!["Bag"], "77".to_owned()));
}

#[test]
fn an_override_without_a_template_is_refused() {
    let project = project(BASE, &[("A.jasset", "; class: Rock\n; component: Asleep\n")]);
    let mut world = project.load_clean();
    let handle = only(&world);
    let error = world.revert(handle, "Asleep/").unwrap_err();
    assert!(matches!(error, OverrideError::NoTemplate { .. }), "{error}");
    assert_eq!(world.overrides(handle), [""; 0]);
    assert!(world.diff(handle).is_empty() && !world.is_overridden(handle, "Asleep/"));
}
