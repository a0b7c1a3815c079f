//! The scenarios of the specification's own unit tests, through a world: allocation and wiring, reading in place, the dirty mark,
//! removal with slots that stay; and K30.4, handles of another world.

use super::*;

fn world() -> World {
    World::new(registry()).unwrap()
}

#[test]
fn allocated_entity_is_wired_both_ways_and_dirty() {
    let mut manager = juliet::EntityManager::new(registry()).unwrap();
    let kind = manager.registry().find_kind::<Rock>().unwrap();
    let handle = manager.allocate(kind).unwrap();
    let base = manager.base(handle).unwrap();
    assert_eq!((base.id(), base.kind(), base.class().name(), base.is_dirty()), (0, kind, "Rock", true));
    let rock = manager.get::<Rock>(handle).unwrap();
    assert_eq!((rock.scale, rock.hits), (1.0, 3));
    assert!(manager.get::<Sign>(handle).is_none());
    assert_eq!((manager.count_of(kind), manager.len()), (1, 1));
    // The base leads to the row and the row to the base.
    manager.validate().unwrap();
    let (found, value) = manager.iter_of::<Rock>().next().unwrap();
    assert_eq!((found, std::ptr::from_ref(value)), (handle, std::ptr::from_ref(manager.get::<Rock>(handle).unwrap())));
}

#[test]
fn written_entity_is_read_in_place_with_its_id_and_clean() {
    let content = Content::of(&[]);
    let mut world = content.world();
    let text = Sign {
        text: "# not a comment".into(),
        lines: vec!["a, b".into(), String::new()],
        grid: vec![vec![1], vec![]],
        mesh: AssetRef::NONE,
    };
    let sign = world.spawn(text, Vec3::new(12.5, -44.0, 108.2)).unwrap();
    let rock = world.spawn(Rock { scale: 0.1, hits: 42 }, Vec3::new(12.5, -44.0, 108.2)).unwrap();
    let ids = [sign, rock].map(|handle| world.base(handle).unwrap().id());
    assert!(world.is_dirty(sign) && world.is_dirty(rock));
    save(&mut world);

    let mut fresh = content.world();
    for id in ids {
        let base = fresh.base(by_id(&fresh, id)).unwrap();
        assert_eq!(base.position().to_array(), [12.5, -44.0, 108.2, 1.0]);
        assert!(!base.is_dirty());
    }
    let loaded = fresh.get::<Sign>(by_id(&fresh, ids[0])).unwrap();
    assert_eq!(
        (&*loaded.text, &loaded.lines[..], &loaded.grid[..]),
        ("# not a comment", &["a, b".to_owned(), String::new()][..], &[vec![1], vec![]][..])
    );
    assert_eq!(fresh.get::<Rock>(by_id(&fresh, ids[1])).unwrap().scale, 0.1);
    fresh.entities().validate().unwrap();
    // The counter is past every id that was loaded.
    let next = fresh.spawn(Rock { scale: 1.0, hits: 1 }, Vec3::ZERO).unwrap();
    assert!(fresh.base(next).unwrap().id() > ids[1]);
}

#[test]
fn dirty_mark_follows_spawn_save_and_change() {
    let content = Content::of(&[]);
    let mut world = content.world();
    let handle = world.spawn(Rock { scale: 1.0, hits: 1 }, Vec3::ZERO).unwrap();
    assert!(world.is_dirty(handle));
    save(&mut world);
    assert!(!world.is_dirty(handle));
    world.position_mut(handle).unwrap().x += 1.0;
    assert!(world.is_dirty(handle));
    world.position_mut(handle).unwrap().x -= 1.0;
    assert!(!world.is_dirty(handle));
    world.for_each_position_mut(|position| position.y = 4.0);
    assert!(world.is_dirty(handle));
    save(&mut world);
    for item in world.iter_of_mut::<Rock>() {
        assert_eq!(item.value.hits, 1);
    }
    assert!(world.dirty().is_empty());
    for mut item in world.iter_of_mut::<Rock>() {
        item.value.hits += 1;
    }
    assert_eq!(world.dirty(), [handle]);
}

#[test]
fn removed_middle_entity_leaves_its_neighbours_where_they_are() {
    let mut world = world();
    let handles = [1.0, 2.0, 3.0].map(|x| world.spawn(Rock { scale: x, hits: 1 }, Vec3::new(x, 0.0, 0.0)).unwrap());
    let ids = handles.map(|handle| world.base(handle).unwrap().id());
    let address = |world: &World, handle| std::ptr::from_ref(world.get::<Rock>(handle).unwrap());
    let before = [address(&world, handles[0]), address(&world, handles[2])];
    assert_eq!(world.remove(handles[1]), Ok(ids[1]));
    assert_eq!(world.iter().map(|base| base.id()).collect::<Vec<_>>(), [ids[0], ids[2]]);
    assert_eq!([address(&world, handles[0]), address(&world, handles[2])], before);
    assert_eq!(world.get::<Rock>(handles[2]).unwrap().scale, 3.0);
    assert!(world.get::<Rock>(handles[1]).is_none() && world.find_by_id(ids[1]).is_none());
    world.entities().validate().unwrap();
    // The slot is used again, under another handle.
    let next = world.spawn(Rock { scale: 4.0, hits: 1 }, Vec3::ZERO).unwrap();
    assert_eq!(next.index(), handles[1].index());
    assert_ne!(next, handles[1]);
    assert!(world.get::<Rock>(handles[1]).is_none());
    world.entities().validate().unwrap();
}

#[test]
fn k30_4_handle_of_another_world_or_class_is_stale() {
    let (content, other) = (Content::of(&[("A.jasset", &rock(7, 1))]), Content::of(&[("A.jasset", &rock(7, 2))]));
    let (mut mine, theirs) = (content.world(), other.world());
    let (own, foreign) = (by_id(&mine, 7), by_id(&theirs, 7));
    assert_eq!(own.index(), foreign.index());
    assert_ne!(own, foreign);
    assert!(mine.get::<Rock>(foreign).is_none() && mine.get_mut::<Rock>(foreign).is_none());
    assert!(mine.base(foreign).is_none() && mine.position_mut(foreign).is_none() && mine.value(foreign).is_none());
    assert!(mine.file_of(foreign).is_none() && mine.get_text(foreign, "Hits").is_none());
    assert!(mine.set(foreign, "Hits", 9u32).is_err() && mine.set_text(foreign, "Hits", "9").is_err());
    assert!(mine.reset(foreign, "Hits").is_err() && mine.set_position(foreign, [0.0; 3]).is_err());
    assert!(mine.remove(foreign).is_err() && mine.duplicate(foreign).is_err() && !mine.is_dirty(foreign));
    assert!(mine.get::<Sign>(own).is_none() && mine.get_mut::<Sign>(own).is_none());
    assert!(mine.set(own, "Hits", 9i64).is_err());
    // Also a second load of the same folder is another world.
    let again = content.world();
    assert!(again.get::<Rock>(own).is_none());
    assert_eq!((hits(&mine, 7), mine.len(), mine.dirty().len()), (1, 1, 0));
    mine.entities().validate().unwrap();
}
