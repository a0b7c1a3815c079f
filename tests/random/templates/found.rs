//! What the model test found, each by itself.

use std::fs;

use juliet::prelude::*;
use tempfile::TempDir;

use super::put;
use super::values::{Prop, Spare};

const TEMPLATE: &str = "Assets/Templates/T.jasset";
const CHILD: &str = "Assets/Templates/C.jasset";
const ENTITY: &str = "Assets/Worlds/W/Entities/E.jasset";

fn project(files: &[(&str, &str)]) -> (TempDir, Project) {
    let home = tempfile::tempdir().unwrap();
    files.iter().for_each(|(path, text)| put(&home, path, text));
    let project = Project::open(home.path().join("Assets"), registry![Prop, Spare].unwrap()).unwrap();
    (home, project)
}

fn load(project: &Project) -> World {
    let (world, report) = project.load_world("W").unwrap();
    assert_eq!(report.diagnostics, []);
    world
}

fn only(world: &World) -> EntityHandle {
    world.iter().next().unwrap().handle()
}

fn saved(world: &mut World) -> Vec<String> {
    let report = world.save().unwrap();
    assert_eq!(report.diagnostics, []);
    report.written.iter().chain(&report.removed).map(|path| path.to_string()).collect()
}

fn x(world: &World, handle: EntityHandle) -> f32 {
    world.position(handle).unwrap().x
}

#[test]
fn a_struct_in_braces_takes_in_a_leaf_that_is_said_with_its_inherited_value() {
    let (home, project) = project(&[
        (TEMPLATE, "; class: Prop\nPosition: 0, 0, 0\n# kept\nLight: { Radius: 2 }\n"),
        (ENTITY, "; template: Assets/Templates/T.jasset\n; id: 0x1\nPosition: 0, 0, 0\nLight.Label: \"\"\n"),
    ]);
    let mut world = load(&project);
    let template = world.find_template(TEMPLATE).unwrap();
    assert_eq!(world.apply_override(only(&world), "Light.Label", template), Ok(true));
    assert_eq!(world.overrides(template), ["Light.Radius", "Light.Label"]);
    assert!(world.is_dirty(template));
    assert_eq!(saved(&mut world), [TEMPLATE, ENTITY]);
    let text = fs::read_to_string(home.path().join(TEMPLATE)).unwrap();
    let lines = "# kept\nLight.Radius: 2.0\nLight.Label: \"\"\n";
    assert_eq!(text, format!("; class: Prop\nPosition: 0, 0, 0\n{lines}"));
    let world = load(&project);
    assert_eq!(world.overrides(world.find_template(TEMPLATE).unwrap()), ["Light.Radius", "Light.Label"]);
    assert_eq!(world.overrides(only(&world)), [""; 0]);
}

#[test]
fn a_template_whose_file_names_no_position_is_where_its_parent_is() {
    let (_home, project) = project(&[
        (TEMPLATE, "; class: Prop\nPosition: 3, 0, 0\n"),
        (CHILD, "; template: Assets/Templates/T.jasset\n"),
        (ENTITY, "; template: Assets/Templates/C.jasset\n; id: 0x1\n"),
    ]);
    let mut world = load(&project);
    assert_eq!(x(&world, only(&world)), 3.0);
    assert_eq!(world.save_all().unwrap().written.len(), 0);
}

#[test]
fn a_template_that_moves_leaves_those_whose_files_name_no_position_where_they_are() {
    for on_disk in [false, true] {
        let (home, project) = project(&[
            (TEMPLATE, "; class: Prop\nPosition: 3, 0, 0\n"),
            (CHILD, "; template: Assets/Templates/T.jasset\n"),
            (ENTITY, "; template: Assets/Templates/T.jasset\n; id: 0x1\n"),
        ]);
        let mut world = load(&project);
        let (template, child) = (world.find_template(TEMPLATE).unwrap(), world.load_template(CHILD).unwrap());
        if on_disk {
            put(&home, TEMPLATE, "; class: Prop\nPosition: 4, 0, 0\n");
            assert_eq!(world.reread_templates().changed, [template]);
        } else {
            assert_eq!(world.set_position(template, [4.0, 0.0, 0.0]), Ok(true));
        }
        assert_eq!(x(&world, only(&world)), 3.0);
        assert!(world.is_dirty(only(&world)) && world.is_dirty(child));
        let written = saved(&mut world);
        assert_eq!(written.iter().filter(|path| *path != TEMPLATE).collect::<Vec<_>>(), [CHILD, ENTITY]);
        let mut world = load(&project);
        assert_eq!(x(&world, only(&world)), 3.0);
        assert_eq!(world.save_all().unwrap().written.len(), 0);
    }
}

#[test]
fn a_template_made_in_the_place_of_a_faulty_one_can_be_loaded() {
    let (home, project) =
        project(&[(TEMPLATE, "; class: Prop\nMass: heavy\n"), (ENTITY, "; class: Prop\n; id: 0x1\n")]);
    let mut world = load(&project);
    assert!(world.load_template(TEMPLATE).is_err());
    fs::remove_file(home.path().join(TEMPLATE)).unwrap();
    let template = world.create_template(only(&world), TEMPLATE).unwrap();
    assert_eq!(world.load_template(TEMPLATE).unwrap(), template);
    assert_eq!(saved(&mut world), [TEMPLATE, ENTITY]);
    load(&project);
}

#[test]
fn a_removed_template_that_is_loaded_again_keeps_its_file() {
    let (home, project) = project(&[
        (TEMPLATE, "; class: Prop\n"),
        (CHILD, "; template: Assets/Templates/T.jasset\n"),
        (ENTITY, "; class: Prop\n; id: 0x1\n"),
    ]);
    let mut world = load(&project);
    let child = world.load_template(CHILD).unwrap();
    let template = world.find_template(TEMPLATE).unwrap();
    world.remove_template(child).unwrap();
    world.remove_template(template).unwrap();
    let child = world.load_template(CHILD).unwrap();
    assert_eq!(saved(&mut world), [""; 0]);
    assert!(home.path().join(TEMPLATE).exists() && home.path().join(CHILD).exists());
    world.remove_template(child).unwrap();
    assert_eq!(saved(&mut world), [CHILD]);
}
