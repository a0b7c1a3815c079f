//! Files that need one another: what a save that fails in part leaves on disk, and what only looks like a template.

use std::sync::Arc;

use juliet::LoadOptions;
use juliet::folder::DiskFileSystem;
use juliet::folder::testing::FaultyFileSystem;
use juliet::prelude::*;

use super::{based_on, find, get, label, path, project, text_of};
use crate::support::{TestProject, classes, entity_in, save, save_all};

type Faulty = FaultyFileSystem<DiskFileSystem>;

fn load_on(project: &TestProject, disk: &Faulty) -> World {
    let opened = Project::open_on(Arc::new(disk.clone()), project.root(), classes::registry()).unwrap();
    opened.load_world("W").unwrap().0
}

fn quick() -> Faulty {
    FaultyFileSystem::new(DiskFileSystem).without_flushes()
}

const ROCK: &str = "; entity_type: Rock\n; id: 0x0100000000000001\nPosition: 1.0, 2.0, 3.0\nScale: 2.5\nHits: 7\n";

#[test]
fn an_instance_is_not_written_before_the_template_it_was_made_to() {
    let project =
        project(&[("T", "; entity_type: Rock\n")], &[("A.jasset", ROCK), ("B.jasset", "; entity_type: Rock\n")]);
    let disk = quick().read_only(&project.root().join("Templates"));
    let mut world = load_on(&project, &disk);
    let (a, b) = (entity_in(&world, "A.jasset"), entity_in(&world, "B.jasset"));
    let first = world.create_template(a, "New").unwrap();
    let second = world.create_template(a, "Newer").unwrap();
    world.set(b, "Hits", 3_u8).unwrap();
    let copy = world.duplicate(a).unwrap();
    let report = world.save().unwrap();
    assert!(!report.is_complete());
    assert_eq!(report.written.iter().map(|it| it.to_string()).collect::<Vec<_>>(), [label("B.jasset")]);
    // What is on disk loads: A as it was.
    assert_eq!(project.text("A.jasset"), ROCK);
    let fresh = project.load_clean();
    assert_eq!((fresh.len(), get(&fresh, entity_in(&fresh, "A.jasset"), "Scale").as_str()), (2, "2.5"));
    assert_eq!((world.dirty(), world.dirty_templates()), (vec![a, copy], vec![first, second]));
    // Nothing is lost: the next save writes all of it.
    disk.mend();
    assert_eq!(save(&mut world).written.len(), 4);
    let fresh = project.load_clean();
    assert_eq!((fresh.len(), get(&fresh, entity_in(&fresh, "A.jasset"), "Scale").as_str()), (3, "2.5"));
    assert!(save_all(&mut world).written.is_empty());
}

#[test]
fn a_template_is_not_removed_while_a_file_on_disk_still_names_it() {
    let text = based_on("T", "; id: 0x0100000000000001\nHits: 3\n");
    let base = "; entity_type: Rock\nScale: 2\n";
    let project = project(&[("T", base)], &[("A.jasset", &text)]);
    let disk = quick().held(&project.path("A.jasset"));
    let mut world = load_on(&project, &disk);
    let (a, t) = (entity_in(&world, "A.jasset"), find(&world, "T"));
    world.unlink(a).unwrap();
    world.remove_template(t).unwrap();
    let report = world.save().unwrap();
    assert!(!report.is_complete() && report.written.is_empty() && report.removed.is_empty(), "{report:?}");
    assert_eq!((project.text("A.jasset"), text_of(&project, "T")), (text, base.to_owned()));
    let fresh = project.load_clean();
    assert_eq!(get(&fresh, entity_in(&fresh, "A.jasset"), "Scale"), "2.0");
    disk.mend();
    let saved = save(&mut world);
    assert_eq!((saved.written, saved.removed), (vec![label("A.jasset")], vec![path("T")]));
    let fresh = project.load_clean();
    assert_eq!(get(&fresh, entity_in(&fresh, "A.jasset"), "Scale"), "2.0");
}

#[test]
fn k26_looking_at_instances_and_templates_changes_nothing() {
    let files: Vec<(String, String)> = (0..100)
        .map(|index| (format!("{index:02}.jasset"), based_on(["B", "M"][index % 2], ["", "Hits: 4\n"][index / 2 % 2])))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let project = project(&[("B", "; entity_type: Rock\nScale: 2\n"), ("M", &based_on("B", "Scale: 2\n"))], &files);
    let mut world = project.load_clean();
    let before = project.picture();
    let templates: Vec<TemplateHandle> = world.templates().collect();
    for handle in world.iter().map(|base| base.handle()).collect::<Vec<_>>() {
        for row in world.rows(handle) {
            assert_eq!(world.why(handle, &row.key).unwrap().value, row.value);
            let text = get(&world, handle, &row.key);
            assert!(!world.set_text(handle, &row.key, &text).unwrap());
        }
        let _read = world.get_mut::<classes::Rock>(handle).map(|rock| rock.hits);
        let _moved = world.position_mut(handle).map(|position| position.x);
        let _known = (world.diff(handle), world.overrides(handle), world.is_overridden(handle, "Scale"));
    }
    for &template in &templates {
        for row in world.rows(template) {
            let text = get(&world, template, &row.key);
            assert!(!world.set_text(template, &row.key, &text).unwrap());
        }
        world.impact(template, None).unwrap();
    }
    assert!(world.dirty().is_empty() && world.dirty_templates().is_empty());
    assert!(save_all(&mut world).written.is_empty());
    assert_eq!(project.picture(), before);
    // There and back by a revert.
    world.set(templates[1], "Hits", 9_u8).unwrap();
    world.revert(templates[1], "Hits").unwrap();
    let first = entity_in(&world, "00.jasset");
    world.set(first, "MeshAsset", "m".to_owned()).unwrap();
    world.revert(first, "MeshAsset").unwrap();
    assert!(world.dirty().is_empty() && world.dirty_templates().is_empty());
    save(&mut world);
    assert_eq!(project.picture(), before);
}

#[test]
fn a_batch_that_does_not_fit_leaves_nothing() {
    let project = project(&[("R", "; entity_type: Rock\nHits: 1\n"), ("P", "; entity_type: Prop\nScale: 2\n")], &[]);
    let options = LoadOptions { capacity: Some(10), ..LoadOptions::default() };
    let (mut world, _) = project.open().load_world_with("W", &options).unwrap();
    for name in ["R", "P"] {
        let template = world.load_template(&path(name)).unwrap();
        let many = vec![Position::new(1.0, 2.0, 3.0); 20];
        assert!(world.spawn_many_from(template, &many).is_err());
        assert_eq!((world.len(), world.instances_of(template).len()), (0, 0));
        let some = world.spawn_many_from(template, &many[..4]).unwrap();
        assert_eq!((some.len(), world.instances_of(template)), (4, some));
        world.entities().validate().unwrap();
        for handle in world.instances_of(template) {
            world.remove(handle).unwrap();
        }
        save(&mut world);
    }
    assert!(world.spawn_many_from(find(&world, "R"), &[]).unwrap().is_empty());
}

#[test]
fn lines_that_a_template_or_an_instance_does_not_need_stay() {
    let base = "; asset_type: entity_template\n; id: 0x0100000000000001\n; entity_type: Rock\n; version: 1\nScale: 2\n; component: Velocity\nSpeed: 3\n";
    let both = format!(
        "; entity_type: Rock\n{}",
        based_on("T", "; id: 0x0100000000000001\nPosition: 1.0, 2.0, 3.0\n; component: Velocity\nSpeed: 3\n")
    );
    let project = project(&[("T", base)], &[("A.jasset", &both)]);
    let (mut world, report) = project.load();
    assert_eq!(
        (report.loaded, report.diagnostics.iter().filter(|it| it.is_error()).count()),
        (1, 0),
        "{:#?}",
        report.diagnostics
    );
    assert!(save_all(&mut world).written.is_empty());
    let (a, t) = (entity_in(&world, "A.jasset"), find(&world, "T"));
    world.set(t, "Hits", 4_u8).unwrap();
    world.set(a, "Scale", 5.0_f32).unwrap();
    save(&mut world);
    assert_eq!(text_of(&project, "T"), base.replace("Scale: 2\n", "Scale: 2\nHits: 4\n"));
    assert_eq!(project.text("A.jasset"), both.replace("3.0\n;", "3.0\nScale: 5.0\n;"));
    world.unlink(a).unwrap();
    save(&mut world);
    let alone = project.text("A.jasset");
    assert!(
        alone.starts_with("; entity_type: Rock\n; id: ") && alone.ends_with("; component: Velocity\nSpeed: 3\n"),
        "{alone}"
    );
    let (again, _) = project.load();
    let a = entity_in(&again, "A.jasset");
    assert_eq!((get(&again, a, "Hits").as_str(), get(&again, a, "Scale").as_str()), ("4", "5.0"));
    // An entity with a section becomes a template: its section stays with it.
    world.set_template(entity_in(&world, "A.jasset"), t).unwrap();
    save(&mut world);
    assert_eq!(project.text("A.jasset").matches("Speed").count(), 1);
}
