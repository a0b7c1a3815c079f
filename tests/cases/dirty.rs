//! K26: access is no change, and no change escapes.

use std::fs;
use std::time::{Duration, SystemTime};

use juliet::prelude::*;

use crate::support::classes::{Rock, rocks};
use crate::support::{Picture, TestProject, only, save, save_all};

const COUNT: usize = 100;

/// A hundred files, half of them without an id, all of them an hour old.
fn world_of_rocks() -> (TestProject, World, Vec<EntityHandle>) {
    let text = |number: usize| match number % 2 {
        0 => format!("; entity_type: Rock\n; id: 0x{:016X}\nPosition: 1, 2, 3\nScale: 2.50\n", number + 1),
        _ => "; class\nRock\n; scale\n2.50\n".to_owned(),
    };
    let files: Vec<(String, String)> = (0..COUNT).map(|number| (format!("{number:03}.jasset"), text(number))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let project = TestProject::with(rocks(), &files);
    let old = SystemTime::now() - Duration::from_secs(3600);
    for (name, _) in files {
        fs::File::options().write(true).open(project.path(name)).unwrap().set_modified(old).unwrap();
    }
    let world = project.load_clean();
    let mut handles: Vec<EntityHandle> = world.iter().map(|base| base.handle()).collect();
    handles.sort_by_key(|&handle| world.file_of(handle));
    assert_eq!(handles.len(), COUNT);
    (project, world, handles)
}

/// Nothing is dirty, and a save touches no file.
#[track_caller]
fn check_untouched(project: &TestProject, world: &mut World, before: &Picture) {
    assert_eq!(world.dirty(), []);
    let report = save(world);
    assert_eq!((report.written.len(), report.removed.len()), (0, 0));
    assert_eq!(&project.picture(), before);
    assert_eq!(world.dirty(), []);
    assert_eq!(world.entities().dirty().count(), 0);
}

#[test]
fn k26_a_freshly_loaded_world_is_clean() {
    let (project, mut world, handles) = world_of_rocks();
    let before = project.picture();
    assert!(handles.iter().all(|&handle| !world.is_dirty(handle)));
    check_untouched(&project, &mut world, &before);
    assert_eq!(save_all(&mut world).written.len(), 0);
    assert_eq!(project.picture(), before);
}

#[test]
fn k26_mutable_access_without_a_write_is_no_change() {
    let (project, mut world, handles) = world_of_rocks();
    let before = project.picture();
    for &handle in &handles {
        let rock = world.get_mut::<Rock>(handle).unwrap();
        assert_eq!((rock.scale, rock.hits), (2.5, 0));
        assert_eq!(world.position_mut(handle).unwrap().to_array()[3], 1.0);
        for property in Rock::CLASS.properties() {
            assert!(world.get_text(handle, property.key()).is_some());
        }
        assert!(world.value(handle).is_some());
    }
    assert_eq!(world.iter_of_mut::<Rock>().count(), COUNT);
    assert_eq!(world.iter_of_mut::<Rock>().filter(|item| item.value.scale > 2.0).count(), COUNT);
    assert_eq!(world.entities().dirty().count(), 0);
    check_untouched(&project, &mut world, &before);
}

#[test]
fn k26_an_equal_value_is_no_change() {
    let (project, mut world, handles) = world_of_rocks();
    let before = project.picture();
    for &handle in &handles {
        assert!(!world.set(handle, "scale", 2.5_f32).unwrap());
        assert!(!world.set_text(handle, "Scale", " 2.500 ").unwrap());
        assert!(!world.reset(handle, "hits").unwrap());
        let [x, y, z, _] = world.position(handle).unwrap().to_array();
        assert!(!world.set_position(handle, [x, y, z]).unwrap());
    }
    check_untouched(&project, &mut world, &before);
}

#[test]
fn k26_a_value_that_is_set_and_set_back_is_no_change() {
    let (project, mut world, handles) = world_of_rocks();
    let before = project.picture();
    for &handle in &handles {
        world.set(handle, "scale", 9.0_f32).unwrap();
        assert!(world.is_dirty(handle));
        world.set(handle, "scale", 2.5_f32).unwrap();
        assert!(!world.is_dirty(handle));
        world.get_mut::<Rock>(handle).unwrap().hits = 0;
        assert!(!world.is_dirty(handle));
    }
    world.for_each_position_mut(|position| {
        *position = Position::from(Vec3::from(position.to_array().first_chunk::<3>().copied().unwrap()))
    });
    check_untouched(&project, &mut world, &before);
}

#[test]
fn k26_no_way_of_writing_escapes() {
    type Write = fn(&mut World, EntityHandle);
    let ways: [Write; 9] = [
        |world, handle| world.get_mut::<Rock>(handle).unwrap().hits = 9,
        |world, handle| {
            let mut guard = world.get_mut::<Rock>(handle).unwrap();
            let scale: &mut f32 = &mut guard.scale;
            *scale = 9.0;
        },
        |world, handle| world.get_mut::<Rock>(handle).unwrap().into_mut().mesh_asset.push('x'),
        |world, handle| assert!(world.set(handle, "IsDestructible", true).unwrap()),
        |world, handle| assert!(world.set_text(handle, "hits", "0x10").unwrap()),
        |world, handle| assert!(world.set_position(handle, [7.0, 7.0, 7.0]).unwrap()),
        |world, handle| *world.position_mut(handle).unwrap() = Vec3::ONE.into(),
        |world, handle| {
            let mut rocks = world.iter_of_mut::<Rock>();
            rocks.find(|item| item.handle() == handle).unwrap().value.hits = 3;
        },
        |world, handle| {
            *world.get_mut::<Rock>(handle).unwrap() = Rock { hits: 1, ..Rock::default_value() };
        },
    ];
    for (number, write) in ways.into_iter().enumerate() {
        let (project, mut world, handles) = world_of_rocks();
        let before = project.picture();
        let changed = &handles[number * 5..number * 5 + 3];
        changed.iter().for_each(|&handle| write(&mut world, handle));
        assert_eq!(world.dirty().len(), 3, "way {number}");
        let report = save(&mut world);
        let mut files: Vec<String> = changed.iter().map(|&handle| world.file_of(handle).unwrap()).collect();
        files.sort();
        assert_eq!(report.written, files, "way {number}");
        let after = project.picture();
        let touched = after.iter().filter(|(name, now)| before.get(*name) != Some(now)).count();
        assert_eq!(touched, 3, "way {number}");
        check_untouched(&project, &mut world, &after);
        // What was written is what is in memory.
        let again = project.load_clean();
        for &handle in &handles {
            let id = world.base(handle).unwrap().id();
            let read = again.find_by_id(id).unwrap();
            for key in ["Scale", "IsDestructible", "MeshAsset", "Hits", "Position"] {
                assert_eq!(again.get_text(read, key), world.get_text(handle, key), "way {number}");
            }
        }
    }
}

#[test]
fn k26_a_write_of_all_positions_marks_all() {
    let (project, mut world, _) = world_of_rocks();
    world.for_each_position_mut(|position| *position = Vec3::splat(8.0).into());
    assert_eq!(world.dirty().len(), COUNT);
    assert_eq!(save(&mut world).written.len(), COUNT);
    let after = project.picture();
    check_untouched(&project, &mut world, &after);
}

#[test]
fn k26_a_new_entity_is_dirty_until_it_is_saved() {
    let project = TestProject::with::<&str>(rocks(), &[]);
    let mut world = project.load_clean();
    let handle = world.spawn_class("Rock", Vec3::ZERO).unwrap();
    assert!(world.is_dirty(handle));
    save(&mut world);
    assert!(!world.is_dirty(handle));
    let after = project.picture();
    check_untouched(&project, &mut world, &after);
}

#[test]
fn k26_a_copy_of_an_entity_is_dirty_until_it_is_saved() {
    for text in ["; entity_type: Rock\nScale: 2\n", "; entity_type: Rock\n; id: 0x01\nScale: 2\n"] {
        let project = TestProject::with(rocks(), &[("A.jasset", text)]);
        let mut world = project.load_clean();
        let original = only(&world);
        let copy = world.duplicate(original).unwrap();
        assert!(world.is_dirty(copy) && !world.is_dirty(original));
        assert_eq!(save(&mut world).written.len(), 1);
        assert!(!world.is_dirty(copy));
        let again = project.load_clean();
        let id = world.base(copy).unwrap().id();
        assert_eq!(again.get::<Rock>(again.find_by_id(id).unwrap()).unwrap().scale, 2.0);
        assert_eq!((again.len(), project.text("A.jasset")), (2, text.to_owned()));
    }
}
