//! K36.5: templates and instances of older class versions: each file is migrated by its own version.

use juliet::prelude::*;

use super::{based_on, find, get, label, path, project_with, text_of};
use crate::cases::versions::rocks_of_version_2;
use crate::support::{entity_in, save, save_all};

#[test]
fn k36_each_file_of_a_chain_is_migrated_once_by_its_own_version() {
    let project = project_with(
        rocks_of_version_2(),
        &[("Old", "; entity_type: Rock\nHits: 5\n"), ("New", "; entity_type: Rock\n; class_version: 2\nHits: 5\n")],
        &[
            ("A.jasset", &based_on("Old", "; class_version: 2\n; id: 0x0100000000000001\nScale: 1\n")),
            ("B.jasset", &based_on("Old", "; id: 0x0100000000000002\nScale: 1\n")),
            ("C.jasset", &based_on("New", "; id: 0x0100000000000003\nPosition: 1.0, 2.0, 3.0\nHits: 4\n")),
            ("D.jasset", &based_on("New", "; class_version: 2\n; id: 0x0100000000000004\nHits: 4\n")),
        ],
    );
    let before = project.picture();
    let mut world = project.load_clean();
    let hits =
        |world: &World| ["A", "B", "C", "D"].map(|it| get(world, entity_in(world, &format!("{it}.jasset")), "Hits"));
    assert_eq!(hits(&world), ["10", "10", "8", "4"]);
    let a = entity_in(&world, "A.jasset");
    assert_eq!((world.overrides(a), get(&world, a, "Armor").as_str()), (vec!["Scale".to_owned()], "10"));
    // Old files are no change by themselves.
    assert!(world.dirty().is_empty() && world.dirty_templates().is_empty());
    assert!(save_all(&mut world).written.is_empty());
    assert_eq!(project.picture(), before);
    // With a change each is written in the current version, once.
    let (old, c) = (find(&world, "Old"), entity_in(&world, "C.jasset"));
    world.set(old, "Scale", 6.0_f32).unwrap();
    world.set(c, "Scale", 7.0_f32).unwrap();
    assert_eq!(save(&mut world).written, [path("Old"), label("C.jasset")]);
    let text = text_of(&project, "Old");
    assert!(text.contains("; class_version: 2\n") && text.contains("Hits: 10\n"), "{text}");
    let text = project.text("C.jasset");
    assert!(
        text.contains("; class_version: 2\n") && text.contains("Hits: 8\n") && text.contains("Scale: 7.0\n"),
        "{text}"
    );
    let mut again = project.load_clean();
    assert_eq!(hits(&again), ["10", "10", "8", "4"]);
    assert!(save_all(&mut again).written.is_empty());
    assert_eq!(again.overrides(entity_in(&again, "C.jasset")), ["Scale", "Hits"]);
}

#[test]
fn k36_a_new_instance_without_overrides_names_no_class_version() {
    let project =
        project_with(rocks_of_version_2(), &[("T", "; entity_type: Rock\n; class_version: 2\nHits: 5\n")], &[]);
    let mut world = project.load_clean();
    let template = world.load_template(&path("T")).unwrap();
    let bare = world.spawn_from(template, Vec3::ZERO).unwrap();
    let own = world.spawn_from(template, Vec3::ZERO).unwrap();
    world.set(own, "Hits", 6_u8).unwrap();
    let names = [bare, own].map(|it| world.file_of(it).unwrap().rsplit('/').next().unwrap().to_owned());
    save(&mut world);
    assert!(!project.text(&names[0]).contains("class_version"), "{}", project.text(&names[0]));
    assert!(project.text(&names[1]).contains("; class_version: 2\n"), "{}", project.text(&names[1]));
    // An override that comes later brings the version, so that it is not migrated.
    world.set(bare, "Hits", 7_u8).unwrap();
    save(&mut world);
    let mut again = project.load_clean();
    assert_eq!(names.each_ref().map(|it| get(&again, entity_in(&again, it), "Hits")), ["7", "6"]);
    // The last override goes, and one comes back.
    let bare = entity_in(&again, &names[0]);
    again.revert_all(bare).unwrap();
    save(&mut again);
    again.set(bare, "Hits", 9_u8).unwrap();
    save(&mut again);
    let last = project.load_clean();
    assert_eq!(get(&last, entity_in(&last, &names[0]), "Hits"), "9");
    assert!(save_all(&mut again).written.is_empty());
}

#[test]
fn k36_an_old_instance_whose_only_override_is_reverted_takes_the_templates_value() {
    let project = project_with(
        rocks_of_version_2(),
        &[("T", "; entity_type: Rock\n; class_version: 2\nHits: 5\n")],
        &[("A.jasset", &based_on("T", "; id: 0x0100000000000001\nPosition: 1.0, 2.0, 3.0\nHits: 4\n"))],
    );
    let mut world = project.load_clean();
    let a = entity_in(&world, "A.jasset");
    assert_eq!(get(&world, a, "Hits"), "8");
    assert!(world.revert(a, "Hits").unwrap());
    save(&mut world);
    let again = project.load_clean();
    assert_eq!(get(&again, entity_in(&again, "A.jasset"), "Hits"), "5");
    world.set(a, "Scale", 2.0_f32).unwrap();
    world.set(a, "Hits", 3_u8).unwrap();
    save(&mut world);
    let again = project.load_clean();
    assert_eq!(get(&again, entity_in(&again, "A.jasset"), "Hits"), "3", "{}", project.text("A.jasset"));
}

#[test]
fn k36_a_newer_template_is_refused_with_its_instances() {
    let project = project_with(
        rocks_of_version_2(),
        &[("T", "; entity_type: Rock\n; class_version: 3\nMoss: 4\n")],
        &[("A.jasset", &based_on("T", ""))],
    );
    let (world, report) = project.load();
    assert!(world.is_empty());
    assert_eq!(super::one_of(&report, &path("T")).line, 2);
    assert!(super::one_of(&report, &label("A.jasset")).message.contains("version 3"));
}
