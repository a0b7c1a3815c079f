//! The scenarios of the specification's own tests of templates: reading, the cache, instantiation, deltas and reverts.

use std::sync::Arc;

use juliet::folder::DiskFileSystem;
use juliet::folder::testing::FaultyFileSystem;
use juliet::prelude::*;

use super::{based_on, diff, find, get, path, project_with};
use crate::support::{entity_in, save, save_all};

/// A static prop.
#[derive(Entity)]
struct Inert {
    mesh_asset: String,
    #[jasset(default = Vec3::ONE)]
    scale: Vec3,
    is_active: bool,
    #[jasset(default = 100)]
    mesh_instance: u32,
}

const TEMPLATE: &str = "; entity_type: Inert\n# This is a comment\nPosition: 1.0, 2.0, 3.0\nScale: 2.0, 2.0, 2.0\nMeshAsset: Assets/Meshes/Cube.obj\nIsActive: true\nMeshInstance: 42\n";

fn project(entities: &[(&str, &str)]) -> crate::support::TestProject {
    project_with(registry![Inert].unwrap(), &[("TestRock", TEMPLATE)], entities)
}

#[test]
fn test_1_the_text_of_a_template_is_read_line_by_line() {
    let project = project(&[]);
    let mut world = project.load_clean();
    let template = world.load_template(&path("TestRock")).unwrap();
    assert_eq!(get(&world, template, "Position"), "1.0, 2.0, 3.0");
    assert_eq!(world.get_property::<Vec3>(template, "Scale"), Some(&Vec3::splat(2.0)));
    assert_eq!(get(&world, template, "MeshAsset"), "Assets/Meshes/Cube.obj");
    assert_eq!(world.get_property::<bool>(template, "is_active"), Some(&true));
    assert_eq!(world.overrides(template), ["MeshAsset", "Scale", "IsActive", "MeshInstance"]);
}

#[test]
fn test_2_a_template_is_loaded_once() {
    let project = project(&[]);
    let disk = FaultyFileSystem::new(DiskFileSystem).without_flushes();
    let opened = Project::open_on(Arc::new(disk.clone()), project.root(), registry![Inert].unwrap()).unwrap();
    let (mut world, _) = opened.load_world("W").unwrap();
    assert_eq!(world.find_template(&path("TestRock")), None);
    let first = world.load_template(&path("TestRock")).unwrap();
    let reads = disk.counts().opened_for_reading;
    let second = world.load_template(&path("TestRock")).unwrap();
    assert_eq!((first, disk.counts().opened_for_reading), (second, reads));
    assert_eq!(find(&world, "TestRock"), first);
    assert_eq!(world.templates().collect::<Vec<_>>(), [first]);
}

#[test]
fn test_3_an_instance_is_a_copy_with_its_own_position_and_both_links() {
    let project = project(&[("I.jasset", &based_on("TestRock", "Position: 100.0, 200.0, 300.0\n"))]);
    let mut world = project.load_clean();
    let (i, template) = (entity_in(&world, "I.jasset"), find(&world, "TestRock"));
    assert_eq!(world.position(i).unwrap().to_array(), [100.0, 200.0, 300.0, 1.0]);
    assert_eq!(world.get::<Inert>(i).unwrap().mesh_instance, 42);
    let spawned = world.spawn_from(template, Vec3::new(4.0, 5.0, 6.0)).unwrap();
    let many = world.spawn_many_from(template, &[Vec3::ZERO.into(), Vec3::ONE.into()]).unwrap();
    for handle in [i, spawned, many[0], many[1]] {
        let inert = world.get::<Inert>(handle).unwrap();
        assert_eq!(
            (&*inert.mesh_asset, inert.scale, inert.is_active),
            ("Assets/Meshes/Cube.obj", Vec3::splat(2.0), true)
        );
        assert_eq!(world.template_of(handle), Some(template));
        let id = world.base(handle).unwrap().id();
        assert_eq!(world.find_by_id(id), Some(handle));
    }
    assert_eq!(world.position(many[1]).unwrap().to_array(), [1.0, 1.0, 1.0, 1.0]);
    assert_eq!(world.instances_of(template).len(), 4);
    // Links of base and row lead to one another for all of them.
    world.entities().validate().unwrap();
    // A value of its own: nobody else changes.
    world.get_mut::<Inert>(spawned).unwrap().mesh_asset.push_str(".old");
    assert_eq!(get(&world, template, "MeshAsset"), "Assets/Meshes/Cube.obj");
    assert_eq!(get(&world, i, "MeshAsset"), "Assets/Meshes/Cube.obj");
}

#[test]
fn test_4_a_delta_is_applied_and_a_revert_keeps_position_and_links() {
    let project = project(&[(
        "I.jasset",
        &based_on("TestRock", "; id: 0x0100000000000001\nMeshInstance: 999\nPosition: 5.0, 5.0, 5.0\n"),
    )]);
    let mut world = project.load_clean();
    let i = entity_in(&world, "I.jasset");
    assert_eq!(world.get::<Inert>(i).unwrap().mesh_instance, 999);
    assert_eq!(diff(&world, i), [("MeshInstance".to_owned(), "999".to_owned(), "42".to_owned())]);
    assert!(world.revert_all(i).unwrap());
    assert_eq!(world.get::<Inert>(i).unwrap().mesh_instance, 42);
    assert_eq!(world.position(i).unwrap().to_array(), [5.0, 5.0, 5.0, 1.0]);
    assert_eq!(world.base(i).unwrap().id(), 0x0100_0000_0000_0001);
    world.entities().validate().unwrap();
    save(&mut world);
    assert_eq!(project.text("I.jasset"), based_on("TestRock", "; id: 0x0100000000000001\nPosition: 5.0, 5.0, 5.0\n"));
    assert!(save_all(&mut world).written.is_empty());
}
