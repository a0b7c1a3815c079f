//! Room for templates, and paths with one CRC-32.

use juliet::prelude::*;
use juliet::{Code, CreateTemplateError, LoadOptions};

use super::{based_on, find, get, label, one_of, path, printed, project};
use crate::support::{entity_in, save, save_all};

#[test]
fn two_paths_with_one_crc_are_never_taken_for_one_another() {
    let (whale, moss) = ("DarkWhaleSmall", "MossEnemyGrass");
    let project = project(
        &[(whale, "; entity_type: Rock\nScale: 2\n"), (moss, "; entity_type: Rock\nScale: 3\n")],
        &[
            ("A.jasset", &based_on(whale, "")),
            ("B.jasset", &based_on(moss, "")),
            ("C.jasset", &based_on(whale, "")),
            ("D.jasset", &based_on(moss, "")),
        ],
    );
    let (mut world, report) = project.load();
    assert_eq!((report.loaded, report.skipped, report.diagnostics.len()), (2, 2, 2), "{:#?}", printed(&report));
    for name in ["B.jasset", "D.jasset"] {
        let error = one_of(&report, &label(name));
        assert_eq!((error.code, error.line), (Code::TemplateUnavailable, 1));
        for part in [path(whale), path(moss), "CRC-32".into()] {
            assert!(error.message.contains(&part), "{error}");
        }
    }
    for name in ["A.jasset", "C.jasset"] {
        assert_eq!(get(&world, entity_in(&world, name), "Scale"), "2.0");
    }
    assert_eq!(world.find_template(&path(moss)), None);
    let error = world.load_template(&path(moss)).unwrap_err();
    assert!(error.to_string().contains(&path(whale)) && error.to_string().contains(&path(moss)), "{error}");
    assert!(save_all(&mut world).written.is_empty());
    // Whose users come first by name has it.
    project.put("0.jasset", based_on(moss, ""));
    let (world, report) = project.load();
    assert_eq!((report.loaded, world.find_template(&path(whale))), (3, None));
    assert_eq!(get(&world, entity_in(&world, "0.jasset"), "Scale"), "3.0");
}

#[test]
fn a_chain_over_two_paths_with_one_crc_is_refused() {
    let project = project(
        &[("DarkWhaleSmall", "; entity_type: Rock\n"), ("MossEnemyGrass", &based_on("DarkWhaleSmall", ""))],
        &[("A.jasset", &based_on("MossEnemyGrass", "")), ("B.jasset", &based_on("DarkWhaleSmall", ""))],
    );
    let (world, report) = project.load();
    assert_eq!(report.loaded, 1, "{:#?}", printed(&report));
    assert!(one_of(&report, &label("A.jasset")).message.contains("CRC-32"), "{:#?}", printed(&report));
    assert!(world.find_template(&path("DarkWhaleSmall")).is_some());
}

#[test]
fn a_template_is_not_created_beside_one_with_its_crc() {
    let project = project(
        &[("DarkWhaleSmall", "; entity_type: Rock\nScale: 2\n")],
        &[("A.jasset", &based_on("DarkWhaleSmall", ""))],
    );
    let mut world = project.load_clean();
    let rock = world.spawn_class("Rock", Vec3::ZERO).unwrap();
    let error = world.create_template(rock, "MossEnemyGrass").unwrap_err();
    let both = matches!(&error, CreateTemplateError::Collision { path: new, other } if **new == *path("MossEnemyGrass") && **other == *path("DarkWhaleSmall"));
    assert!(both, "{error}");
    assert_eq!((world.template_of(rock), world.templates().count()), (None, 1));
    // Once the other one is gone the name is free.
    let whale = find(&world, "DarkWhaleSmall");
    world.remove(entity_in(&world, "A.jasset")).unwrap();
    world.remove_template(whale).unwrap();
    let moss = world.create_template(rock, "MossEnemyGrass").unwrap();
    assert_eq!(world.template_of(rock), Some(moss));
    assert_eq!(world.template_path(whale), None);
    let saved = save(&mut world);
    assert_eq!(saved.removed.len(), 2);
    project.load_clean();
}

#[test]
fn a_world_full_of_templates_refuses_more_and_harms_no_other() {
    let project = project(
        &[
            ("T1", "; entity_type: Rock\nScale: 1\n"),
            ("T2", &based_on("T1", "Scale: 2\n")),
            ("T3", "; entity_type: Rock\nScale: 3\n"),
            ("T4", &based_on("T3", "Scale: 4\n")),
        ],
        &[
            ("A.jasset", &based_on("T2", "")),
            ("B.jasset", &based_on("T3", "Hits: 3\n")),
            ("C.jasset", &based_on("T1", "")),
            ("D.jasset", &based_on("T4", "")),
        ],
    );
    let load = |capacity| {
        let options = LoadOptions { template_capacity: Some(capacity), ..LoadOptions::default() };
        project.open().load_world_with("W", &options).unwrap()
    };
    let (mut world, report) = load(2);
    assert_eq!((report.loaded, report.skipped), (2, 2), "{:#?}", printed(&report));
    for name in ["B.jasset", "D.jasset"] {
        let error = one_of(&report, &label(name));
        assert_eq!((error.code, error.line), (Code::TemplateUnavailable, 1));
        assert!(error.message.contains("2 templates"), "{error}");
    }
    let before = project.picture();
    let t1 = find(&world, "T1");
    world.set(t1, "Hits", 9_u8).unwrap();
    for name in ["A.jasset", "C.jasset"] {
        assert_eq!(get(&world, entity_in(&world, name), "Hits"), "9");
    }
    let a = entity_in(&world, "A.jasset");
    let refused = world.create_template(a, "T5").unwrap_err();
    assert_eq!(refused, CreateTemplateError::Full { capacity: 2 });
    assert_eq!(world.template_of(a), Some(find(&world, "T2")));
    let refused = world.load_template(&path("T3")).unwrap_err();
    assert!(refused.to_string().contains("2 templates"), "{refused}");
    assert_eq!(save(&mut world).written, [path("T1")]);
    let after = project.picture();
    assert!(
        before.iter().filter(|(name, _)| *name != "Templates/T1.jasset").all(|(name, it)| after.get(name) == Some(it))
    );
    // Room again: what did not fit can be used.
    world.remove(a).unwrap();
    let t2 = find(&world, "T2");
    world.remove_template(t2).unwrap();
    let t3 = world.load_template(&path("T3")).unwrap();
    let new = world.spawn_from(t3, Vec3::ZERO).unwrap();
    assert_eq!(get(&world, new, "Scale"), "3.0");
    world.entities().validate().unwrap();

    assert_eq!(load(4).1.diagnostics.len(), 0);
    let (world, report) = load(0);
    assert_eq!((world.len(), report.skipped), (0, 4));
}

#[test]
fn what_could_not_be_used_is_tried_again_when_it_is_asked_for() {
    let project = project(&[("Bad", "; entity_type: Rock\nScale: x\n")], &[]);
    let (mut world, _) = project.load();
    let refused = world.load_template(&path("Bad")).unwrap_err();
    assert_eq!(refused.diagnostics.len(), 1, "{refused:?}");
    super::put(&project, "Bad", "; entity_type: Rock\nScale: 2\n");
    let mended = world.load_template(&path("Bad")).unwrap();
    assert_eq!(get(&world, mended, "Scale"), "2.0");
    // A template that is made where none was found.
    assert!(world.load_template(&path("New")).is_err());
    let rock = world.spawn_class("Rock", Vec3::ZERO).unwrap();
    let new = world.create_template(rock, "New").unwrap();
    assert_eq!(world.load_template(&path("New")).unwrap(), new);
    assert_eq!(world.spawn_from(new, Vec3::ZERO).map(|it| world.template_of(it)).unwrap(), Some(new));
}
