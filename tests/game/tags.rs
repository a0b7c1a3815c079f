//! Components without properties.

use juliet::prelude::*;

use super::{Asleep, Frozen, Orc, Velocity, orc, orcs};

#[test]
fn tags_are_added_asked_for_and_taken_away() {
    assert_eq!((size_of::<Asleep>(), size_of::<Frozen>()), (0, 0));
    let (mut world, handles) = orcs(100);
    for &handle in handles.iter().step_by(3) {
        world.add_component(handle, Asleep).unwrap();
        world.add_component(handle, Asleep).unwrap();
    }
    for &handle in handles.iter().step_by(2) {
        world.add_component(handle, Frozen {}).unwrap();
    }
    assert_eq!(world.list().with::<Asleep>().len(), 34);
    assert_eq!(world.list().with::<Asleep>().without::<Frozen>().len(), 17);
    let mut both = Vec::new();
    let query = world.query::<(&mut Orc, &mut Asleep, &Frozen)>().unwrap().without::<Velocity>();
    query.for_each(|handle, (mut orc, asleep, frozen)| {
        assert_eq!((&*asleep, frozen), (&Asleep, &Frozen {}));
        orc.health = 0;
        both.push(handle);
    });
    assert_eq!(both, handles.iter().copied().step_by(6).collect::<Vec<_>>());
    assert_eq!(world.remove_component::<Asleep>(handles[0]), Ok(true));
    assert_eq!(world.remove_component::<Asleep>(handles[0]), Ok(false));
    assert_eq!(world.component::<Asleep>(handles[0]), None);
    world.commands().remove_component::<Asleep>(handles[3]);
    world.commands().remove(handles[6]);
    world.cleanup().unwrap();
    assert_eq!(world.list().with::<Asleep>().len(), 31);
    world.compact();
    assert_eq!((world.list().with::<Asleep>().len(), world.list().with::<Frozen>().len()), (31, 49));
    world.entities().validate().unwrap();
}

#[test]
fn tags_are_sections_without_lines_and_come_and_go_in_files() {
    let home = tempfile::tempdir().unwrap();
    let project = || Project::open(home.path(), super::registry()).unwrap();
    let mut world = project().new_world("W").unwrap();
    let handle = world.spawn(orc("a"), Vec3::ZERO).unwrap();
    world.add_component(handle, Asleep).unwrap();
    assert!(world.save().unwrap().is_complete());
    let mut files = std::fs::read_dir(home.path().join("Worlds/W/Entities")).unwrap();
    let path = files.next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.ends_with("; component: Asleep\n"), "{text}");
    let (mut again, report) = project().load_world("W").unwrap();
    assert_eq!(report.diagnostics, []);
    let handle = again.iter().next().unwrap().handle();
    assert_eq!((again.component::<Asleep>(handle), again.list().with::<Asleep>().len()), (Some(&Asleep), 1));
    assert!(!again.is_dirty(handle));
    again.commands().remove_component::<Asleep>(handle);
    again.commands().add_component(handle, Frozen {});
    again.cleanup().unwrap();
    assert!(again.save().unwrap().is_complete());
    let changed = std::fs::read_to_string(&path).unwrap();
    assert_eq!(changed, text.replace("Asleep", "Frozen"));
    let (last, _) = project().load_world("W").unwrap();
    let handle = last.iter().next().unwrap().handle();
    assert!(last.component::<Asleep>(handle).is_none() && last.component::<Frozen>(handle).is_some());
}

#[test]
fn instance_has_the_tags_of_its_template_until_it_says_otherwise() {
    let mut world = super::world();
    let handle = world.spawn(orc("a"), Vec3::ZERO).unwrap();
    let template = world.create_template(handle, "Orc").unwrap();
    world.add_component_of(template, "Asleep").unwrap();
    let other = world.spawn_from(template, Vec3::ZERO).unwrap();
    assert_eq!(world.list().with::<Asleep>().len(), 2);
    world.remove_component::<Asleep>(handle).unwrap();
    assert_eq!(world.list().with::<Asleep>().collect().handles(), [other]);
    world.remove_component_of(template, "Asleep").unwrap();
    assert!(world.list().with::<Asleep>().is_empty());
}
