//! Sections that nobody would write: each gives a clear error or loads, at a cost that grows with the text alone.

use std::fmt::Write;

use juliet::Code;
use juliet::prelude::*;

use super::inherited::{based, project};
use super::{Velocity, registry};
use crate::support::{TestProject, entity_in, only, save, save_all};

fn load(text: &str) -> (TestProject, World, Vec<Diagnostic>) {
    let project = TestProject::with(registry(), &[("A.jasset", text)]);
    let (world, report) = project.load();
    (project, world, report.diagnostics)
}

#[test]
fn a_hundred_thousand_unknown_sections_are_kept() {
    let mut text = "; class: Rock\n; id: 0x42\n".to_owned();
    for index in 0..100_000 {
        writeln!(text, "; component: Soul{}\nWeight: {index}", index % 7).unwrap();
    }
    text.push_str("; component: Velocity\nDrag: 2.0\n");
    let (project, mut world, found) = load(&text);
    assert_eq!((world.len(), found.len()), (1, 21));
    let handle = only(&world);
    world.set(handle, "Velocity/Drag", 3.0_f32).unwrap();
    world.set(handle, "Hits", 3_u8).unwrap();
    save(&mut world);
    let expected = text.replacen("0x42\n", "0x42\nHits: 3\n", 1).replace("Drag: 2.0", "Drag: 3.0");
    assert_eq!(project.text("A.jasset"), expected);
    assert_eq!(world.unknown().len(), 100_000);
}

#[test]
fn a_hundred_thousand_sections_of_one_component_are_refused_once_each() {
    let mut text = "; class: Rock\n".to_owned();
    (0..100_000).for_each(|_| text.push_str("; component: Velocity\n"));
    let (_project, world, found) = load(&text);
    assert_eq!((world.len(), found.len()), (0, 21));
    assert_eq!(found.iter().filter(|it| it.code == Code::DuplicateSection).count(), 20);
}

#[test]
fn a_hundred_thousand_lines_in_one_section_are_read() {
    let mut text = "; class: Rock\n; id: 0x42\n; component: Bag\n".to_owned();
    (0..50_000).for_each(|index| writeln!(text, "Loot[k{index}]: {index}").unwrap());
    (0..50_000).for_each(|index| writeln!(text, "Odd{index}: {index}").unwrap());
    let (project, mut world, found) = load(&text);
    assert_eq!((world.len(), found.len()), (1, 21));
    let handle = only(&world);
    assert_eq!(super::get(&world, handle, "Bag/Loot[k49999]"), "49999");
    assert!(save_all(&mut world).written.is_empty());
    world.set(handle, "Bag/Room", 11_u32).unwrap();
    save(&mut world);
    assert_eq!(project.text("A.jasset"), text.replace("; component: Bag\n", "; component: Bag\nRoom: 11\n"));
}

#[test]
fn a_hundred_thousand_lines_without_a_component_are_kept() {
    let mut rest = String::new();
    (0..100_000).for_each(|index| writeln!(rest, "; without: Soul{index}").unwrap());
    let text = based("Base", &format!("{rest}; without: Velocity\n"));
    let project = project("; class: Rock\n; component: Velocity\n", &[("A.jasset", &text)]);
    let (mut world, report) = project.load();
    assert_eq!((world.len(), report.diagnostics.len()), (1, 21));
    let handle = entity_in(&world, "A.jasset");
    assert!(world.component::<Velocity>(handle).is_none());
    world.add_component_of(handle, "Velocity").unwrap();
    save(&mut world);
    assert_eq!(project.text("A.jasset"), based("Base", &rest));
}

#[test]
fn odd_names_open_sections_of_nobody() {
    let long = "x".repeat(60_000);
    for name in ["", "Rock", "velocity", "Velocity/", "Velocity Bag", "none", "; x", "Ve\u{301}locity", &long] {
        let text = format!("; class: Rock\n; id: 0x42\n; component: {name}\nDrag: x\n");
        let (project, mut world, found) = load(&text);
        assert_eq!(found.iter().map(|it| it.code).collect::<Vec<_>>(), [Code::UnknownSection], "{name}");
        let handle = only(&world);
        assert_eq!(super::names(&world, handle), [""; 0]);
        world.add_component_of(handle, "Velocity").unwrap();
        save(&mut world);
        assert!(project.text("A.jasset").starts_with(&text), "{name}");
        assert!(project.text("A.jasset").contains("; component: Velocity\nLinear: "));
    }
    let (_project, world, found) = load("; class\nRock\n; component\n; class\nRock\n");
    assert!(world.is_empty() && found[0].is_error());
}

#[test]
fn keys_of_odd_forms_name_nothing() {
    let (_project, mut world, _) = load("; class: Rock\n; component: Velocity\n; component: Bag\nLoot[a/b]: 1\n");
    let handle = only(&world);
    assert_eq!(super::get(&world, handle, "Bag/Loot[a/b]"), "1");
    assert!(world.set(handle, "Bag/Loot[\"c/d\"]", 2_u32).unwrap());
    for key in ["/", "//", "Velocity", "Velocity//Drag", "/Drag", "Velocity/Drag/", "Bag/Velocity/Drag", "Loot[a/b]"] {
        assert!(world.set_text(handle, key, "1").is_err(), "{key}");
        assert_eq!(world.get_text(handle, key), None, "{key}");
        assert!(!world.is_overridden(handle, key) && world.why(handle, key).is_err(), "{key}");
    }
    assert!(world.set_text(handle, "Velocity/", "{}").is_err() && world.reset(handle, "Velocity/").is_err());
}

#[test]
fn components_of_an_unknown_class_are_read_and_written() {
    let text =
        "; class: Golem\n; id: 0x42\nPosition: 1, 2, 3\nStrange: 1\nStrange: 2\n; component: Velocity\nDrag: 2.0\n";
    let (project, mut world, found) = load(text);
    assert_eq!(found.iter().map(|it| it.code).collect::<Vec<_>>(), [Code::UnknownClass]);
    let handle = only(&world);
    assert_eq!(super::get(&world, handle, "Velocity/Drag"), "2.0");
    assert!(world.set(handle, "Velocity/Drag", 3.0_f32).unwrap());
    world.add_component_of(handle, "Asleep").unwrap();
    save(&mut world);
    assert_eq!(project.text("A.jasset"), format!("{}; component: Asleep\n", text.replace("Drag: 2.0", "Drag: 3.0")));
    assert!(world.set_text(handle, "Strange", "1").is_err());
    // Its templates, too.
    let base = "; class: Golem\nStrange: 1\n; component: Velocity\nDrag: 5.0\n";
    let project = project_of_golems(base);
    let (mut world, _) = project.load();
    let handle = entity_in(&world, "A.jasset");
    assert_eq!(super::get(&world, handle, "Velocity/Drag"), "5.0");
    world.set_text(handle, "Velocity/Linear", "0 0 2").unwrap();
    save(&mut world);
    assert_eq!(project.text("A.jasset"), based("Base", "; component: Velocity\nLinear: 0.0, 0.0, 2.0\n"));
}

fn project_of_golems(base: &str) -> TestProject {
    project(base, &[("A.jasset", &based("Base", ""))])
}
