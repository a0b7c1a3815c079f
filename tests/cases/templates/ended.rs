//! K28: templates and instances that are removed, and files that may not go.

use juliet::OverrideError;
use juliet::prelude::*;

use super::{based_on, diff, find, get, label, path, project, put, text_of};
use crate::support::{TestProject, entity_in, save, save_all};

fn two() -> TestProject {
    project(
        &[
            ("Base", "; entity_type: Rock\nScale: 2\n"),
            ("Mid", &based_on("Base", "Hits: 3\n")),
            ("Free", "; entity_type: Rock\n"),
        ],
        &[("A.jasset", &based_on("Mid", "Scale: 4\n")), ("B.jasset", &based_on("Base", ""))],
    )
}

#[test]
fn k28_a_template_with_instances_or_templates_below_is_not_removed() {
    let project = two();
    let mut world = project.load_clean();
    let before = project.picture();
    let (base, mid) = (find(&world, "Base"), find(&world, "Mid"));
    let (a, b) = (entity_in(&world, "A.jasset"), entity_in(&world, "B.jasset"));
    let refused = world.remove_template(base).unwrap_err();
    assert_eq!(
        (&*refused.path, &refused.instances[..], &refused.templates[..]),
        (&*path("Base"), &[b][..], &[mid][..])
    );
    assert_eq!(refused.files.iter().map(|it| it.to_string()).collect::<Vec<_>>(), [label("B.jasset"), path("Mid")]);
    assert!(refused.to_string().contains(&path("Base")) && refused.to_string().contains("B.jasset"), "{refused}");
    assert!(refused.to_string().ends_with("and 1 more"), "{refused}");
    let refused = world.remove_template(mid).unwrap_err();
    assert_eq!((&refused.instances[..], refused.templates.len()), (&[a][..], 0));
    assert!(refused.to_string().ends_with("is in use by Assets/Worlds/W/Entities/A.jasset"), "{refused}");
    assert!(save_all(&mut world).removed.is_empty());
    assert_eq!(project.picture(), before);
    // Bottom up it can.
    world.unlink(a).unwrap();
    world.remove_template(mid).unwrap();
    world.unlink(b).unwrap();
    world.remove_template(base).unwrap();
    assert_eq!(
        (world.templates().count(), world.template_path(base), world.find_template(&path("Mid"))),
        (0, None, None)
    );
    assert!(project.root().join("Templates/Mid.jasset").exists(), "files go with the save");
    let saved = save(&mut world);
    assert_eq!(saved.removed, [path("Base"), path("Mid")]);
    let again = project.load_clean();
    let a = entity_in(&again, "A.jasset");
    assert_eq!((get(&again, a, "Scale").as_str(), get(&again, a, "Hits").as_str()), ("4.0", "3"));
    assert_eq!(get(&again, entity_in(&again, "B.jasset"), "Scale"), "2.0");
}

#[test]
fn k28_a_handle_of_a_template_that_is_gone_does_nothing() {
    let project = two();
    let mut world = project.load_clean();
    let free = world.load_template(&path("Free")).unwrap();
    world.remove_template(free).unwrap();
    assert!(world.remove_template(free).is_ok());
    let a = entity_in(&world, "A.jasset");
    assert!(world.spawn_from(free, Vec3::ZERO).is_err());
    assert!(world.set(free, "Hits", 3_u8).is_err());
    assert!(world.set_template(a, free).is_err());
    assert!(world.revert_all(free).is_err() && world.unlink(free).is_err());
    assert!(matches!(world.apply_override(a, "Scale", free), Err(OverrideError::TemplateGone { .. })));
    assert!(world.diff(free).is_empty() && world.overrides(free).is_empty() && world.instances_of(free).is_empty());
    assert!(world.impact(free, None).is_ok_and(|it| it.reached.is_empty()));
    assert!(!world.is_dirty(free) && world.template_of(free).is_none() && world.file_of(free).is_none());
    assert_eq!(world.len(), 2);
    // Its slot is used again under another generation.
    let next = world.create_template(a, "Next").unwrap();
    assert_ne!(next, free);
    assert_eq!(world.template_path(free), None);
    world.entities().validate().unwrap();
}

#[test]
fn k28_a_removed_template_that_is_loaded_again_keeps_its_file() {
    let project = two();
    let mut world = project.load_clean();
    let free = world.load_template(&path("Free")).unwrap();
    world.remove_template(free).unwrap();
    let back = world.load_template(&path("Free")).unwrap();
    let new = world.spawn_from(back, Vec3::ZERO).unwrap();
    let saved = save(&mut world);
    assert_eq!((saved.removed.len(), saved.written.len()), (0, 1));
    assert_eq!(text_of(&project, "Free"), "; entity_type: Rock\n");
    let name = world.file_of(new).unwrap();
    let again = project.load_clean();
    entity_in(&again, name.rsplit('/').next().unwrap());
    assert!(save_all(&mut world).removed.is_empty());
}

#[test]
fn k28_a_template_made_in_the_place_of_a_removed_one_is_what_lies_there_after_the_save() {
    let project = two();
    let mut world = project.load_clean();
    let free = world.load_template(&path("Free")).unwrap();
    world.remove_template(free).unwrap();
    let b = entity_in(&world, "B.jasset");
    // Until the save the file is there.
    match world.create_template(b, "Free") {
        Ok(_) => {
            save(&mut world);
            assert_eq!(text_of(&project, "Free"), based_on("Base", "Position: 0.0, 0.0, 0.0\n"));
        }
        Err(refused) => {
            assert!(refused.to_string().contains("already"), "{refused}");
            save(&mut world);
            world.create_template(b, "Free").unwrap();
            save(&mut world);
        }
    }
    let again = project.load_clean();
    assert!(again.find_template(&path("Free")).is_some());
}

#[test]
fn k28_a_template_file_that_changed_meanwhile_is_not_removed() {
    let project = two();
    let mut world = project.load_clean();
    let free = world.load_template(&path("Free")).unwrap();
    world.remove_template(free).unwrap();
    put(&project, "Free", "; entity_type: Rock\nScale: 9\n");
    let report = world.save().unwrap();
    assert!(report.removed.is_empty());
    assert_eq!(text_of(&project, "Free"), "; entity_type: Rock\nScale: 9\n");
    assert!(save_all(&mut world).removed.is_empty());
}

#[test]
fn k28_removed_instances_come_back_as_they_were_or_as_their_template_is_now() {
    let project = two();
    let mut world = project.load_clean();
    let (a, mid) = (entity_in(&world, "A.jasset"), find(&world, "Mid"));
    world.get_mut::<crate::support::classes::Rock>(a).unwrap().mesh_asset = "m".into();
    let id = world.remove(a).unwrap();
    assert!(world.instances_of(mid).is_empty());
    world.set(mid, "Hits", 8_u8).unwrap();
    world.set(mid, "Scale", 30.0_f32).unwrap();
    let a = world.restore(id).unwrap();
    assert_eq!(world.instances_of(mid), [a]);
    assert_eq!([get(&world, a, "Hits"), get(&world, a, "Scale"), get(&world, a, "MeshAsset")], ["8", "4.0", "m"]);
    assert_eq!(diff(&world, a).len(), 2);
    // Gone, and its template too: what comes back stands alone.
    let id = world.remove(a).unwrap();
    world.remove_template(mid).unwrap();
    let a = world.restore(id).unwrap();
    assert_eq!((world.template_of(a), get(&world, a, "Hits").as_str()), (None, "8"));
    let saved = save(&mut world);
    assert_eq!((saved.written, saved.removed), (vec![label("A.jasset")], vec![path("Mid")]));
    let again = project.load_clean();
    let a = entity_in(&again, "A.jasset");
    assert_eq!([get(&again, a, "Hits"), get(&again, a, "Scale"), get(&again, a, "MeshAsset")], ["8", "4.0", "m"]);
    assert_eq!(again.template_of(a), None);
}

#[test]
fn k28_a_template_that_was_made_and_removed_leaves_no_file() {
    let project = two();
    let mut world = project.load_clean();
    let before = project.picture();
    let rock = world.spawn_class("Rock", Vec3::ZERO).unwrap();
    let template = world.create_template(rock, "New").unwrap();
    world.remove(rock).unwrap();
    world.remove_template(template).unwrap();
    let saved = save(&mut world);
    assert_eq!((saved.written.len(), saved.removed.len()), (0, 0));
    assert_eq!(project.picture(), before);
}

#[test]
fn instances_stay_with_their_templates_through_compaction() {
    let files: Vec<(String, String)> = (0..60)
        .map(|index| {
            (
                format!("{index:02}.jasset"),
                match index % 3 {
                    0 => "; entity_type: Rock\nHits: 9\n".to_owned(),
                    1 => based_on("Base", &format!("Hits: {index}\n")),
                    _ => based_on("Mid", ""),
                },
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let project =
        project(&[("Base", "; entity_type: Rock\nScale: 2\n"), ("Mid", &based_on("Base", "Hits: 3\n"))], &files);
    let mut world = project.load_clean();
    for index in (0..60).filter(|index| index % 4 < 2) {
        let handle = entity_in(&world, &format!("{index:02}.jasset"));
        world.remove(handle).unwrap();
    }
    let extra = world.spawn_from(find(&world, "Mid"), Vec3::ZERO).unwrap();
    world.get_mut::<crate::support::classes::Rock>(extra).unwrap().hits = 50;
    world.compact();
    world.entities().validate().unwrap();
    world.set(find(&world, "Base"), "Scale", 7.0_f32).unwrap();
    let mut instances = 0;
    for handle in world.iter().map(|base| base.handle()).collect::<Vec<_>>() {
        let Some(template) = world.template_of(handle) else {
            assert_eq!(get(&world, handle, "Scale"), "0.0");
            continue;
        };
        instances += 1;
        assert_eq!(world.instances_of(template).iter().filter(|&&it| it == handle).count(), 1);
        assert_eq!(get(&world, handle, "Scale"), "7.0");
        let file = world.file_of(handle).unwrap();
        let own: u32 = file.rsplit('/').next().unwrap()[..2].parse().unwrap_or_default();
        let overrides = if own % 3 == 1 || file.contains("0x") { vec!["Hits".to_owned()] } else { Vec::new() };
        assert_eq!(world.overrides(handle), overrides, "{file}");
    }
    assert_eq!(world.templates().map(|it| world.instances_of(it).len()).sum::<usize>(), instances);
    save(&mut world);
    assert!(save_all(&mut world).written.is_empty());
}
