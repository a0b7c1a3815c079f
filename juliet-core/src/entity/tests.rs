//! Tests of the entity manager.

#![expect(clippy::unwrap_used, reason = "tests")]

mod cases;
mod components;
mod copies;
mod drops;
mod forks;
mod model;
mod queries;

use glam::Vec3;

use super::*;
use crate::mem::test_classes::*;

/// Kinds of [`registry`].
pub(super) const SMALL: u16 = 0;
pub(super) const FAT: u16 = 2;
pub(super) const NAMED: u16 = 4;
pub(super) const BOMB: u16 = 5;

pub(super) fn manager(capacity: u32) -> EntityManager {
    EntityManager::with_capacity(registry(), Capacity::entities(capacity)).unwrap()
}

pub(super) fn fat(v: u32) -> Fat {
    Fat { v }
}

#[test]
fn allocated_entity_has_defaults_links_and_no_id() {
    let mut manager = EntityManager::new(registry()).unwrap();
    let handle = manager.allocate(SMALL).unwrap();
    let base = manager.base(handle).unwrap();
    assert_eq!((base.id(), base.class().name(), base.kind(), base.is_dirty()), (0, "Small", SMALL, true));
    assert_eq!((base.position().to_array(), base.handle(), base.template()), ([0.0, 0.0, 0.0, 1.0], handle, 0));
    assert_eq!((manager.get::<Small>(handle).unwrap().v, manager.len(), manager.count_of(SMALL)), (7, 1, 1));
    manager.validate().unwrap();
}

#[test]
fn entities_of_unknown_classes_are_bases_like_others_and_no_type_finds_them() {
    let mut manager = manager(8);
    let kind = manager.registry().unknown_kind();
    let small = manager.spawn(fat(1), Vec3::ONE).unwrap();
    let handles = [(); 3].map(|()| manager.allocate(kind).unwrap());
    manager.set_id(handles[1], 42).unwrap();
    assert_eq!((manager.len(), manager.count_of(kind), manager.iter_of::<Fat>().count()), (4, 3, 1));
    assert!(!manager.base(handles[0]).unwrap().class().is_known() && manager.get::<Fat>(handles[0]).is_none());
    manager.validate().unwrap();
    manager.remove(handles[0]).unwrap();
    manager.remove(small).unwrap();
    manager.validate().unwrap();
    let moved = manager.compact();
    assert_eq!((manager.len(), moved.moves.is_empty()), (2, false));
    assert_eq!(manager.base(manager.find_by_id(42).unwrap()).unwrap().kind(), kind);
    manager.validate().unwrap();
    manager.clear();
    assert_eq!(manager.count_of(kind), 0);
    // An empty registry has the class as well.
    let mut none = EntityManager::with_capacity(Default::default(), Capacity::entities(1)).unwrap();
    assert!(none.allocate(0).is_ok() && none.allocate(1).is_err());
    none.validate().unwrap();
}

#[test]
fn capacity_is_an_error_value_that_hands_the_value_back() {
    let mut manager = manager(2);
    manager.spawn(fat(1), Vec3::ONE).unwrap();
    let batch = manager.spawn_batch([(fat(2), Vec3::ONE), (fat(3), Vec3::ONE)]).unwrap_err();
    assert_eq!((batch.spawned.len(), batch.error.into_value().v), (1, 3));
    let full = AllocateError::CapacityExceeded { class: "Small", capacity: 2 };
    assert_eq!(manager.allocate(SMALL), Err(full));
    assert_eq!(full.to_string(), "no room for another `Small`: the capacity is 2 entities");
    // 6 is the kind of entities of unknown classes.
    assert_eq!(manager.allocate(7), Err(AllocateError::UnknownKind { kind: 7 }));
    assert_eq!(manager.spawn(fat(9), Vec3::ZERO).unwrap_err().into_value().v, 9);
    let mut none = EntityManager::with_capacity(Default::default(), Capacity::entities(1)).unwrap();
    assert!(matches!(
        none.spawn(fat(4), Vec3::ZERO),
        Err(SpawnError::NotRegistered { value: Fat { v: 4 }, class: "Fat" })
    ));
    assert!(matches!(none.spawn_batch([(fat(4), Vec3::ZERO)]), Err(BatchError { spawned, .. }) if spawned.is_empty()));
    let mut empty = EntityManager::with_capacity(registry(), Capacity::entities(0)).unwrap();
    assert!(empty.allocate(SMALL).is_err() && empty.iter().next().is_none() && empty.validate().is_ok());
}

#[test]
fn many_are_allocated_or_none() {
    let mut manager = manager(3);
    assert!(manager.allocate_many(&[SMALL, FAT, NAMED, FAT]).is_err());
    assert!(manager.allocate_many(&[SMALL, 77]).is_err());
    assert!(manager.is_empty());
    let handles = manager.allocate_many(&[SMALL, FAT, NAMED]).unwrap();
    assert_eq!((handles.len(), manager.len()), (3, 3));
    manager.validate().unwrap();
}

#[test]
fn writing_marks_and_reading_does_not() {
    let mut manager = manager(10);
    let handles = manager.spawn_batch((0..4).map(|v| (fat(v), Vec3::ZERO))).unwrap();
    handles.iter().for_each(|&handle| manager.mark_clean(handle).unwrap());
    assert_eq!(manager.dirty().count(), 0);
    let [a, b, c, d] = handles[..] else { panic!("four were spawned") };

    assert_eq!(manager.get_mut::<Fat>(a).unwrap().v, 0);
    assert_eq!(manager.position_mut(a).unwrap().x, 0.0);
    assert!(manager.value_mut(a).unwrap().as_ref().downcast_ref::<Fat>().is_some());
    assert!(manager.value_mut_unmarked(a).is_some());
    assert!(manager.iter_of_mut::<Fat>().all(|item| item.value.v < 4 && item.position() == Position::ORIGIN));
    manager.for_each_of_mut::<Fat>(|_, value, position| assert!(value.v < 4 && position.x == 0.0));
    assert_eq!(manager.dirty().count(), 0, "nothing was written");

    manager.get_mut::<Fat>(a).unwrap().v = 5;
    manager.position_mut(b).unwrap().x = 1.0;
    manager.value_mut(c).unwrap().as_mut().downcast_mut::<Fat>().unwrap().v = 6;
    assert!(manager.dirty().eq([a, b, c]));
    assert!(manager.is_dirty(a) && !manager.is_dirty(d));
    for mut item in manager.iter_of_mut::<Fat>() {
        if item.handle() == d {
            item.value.v = 8;
        }
    }
    assert!(manager.is_dirty(d));
    handles.iter().for_each(|&handle| manager.mark_clean(handle).unwrap());
    manager.for_each_of_mut::<Fat>(|handle, _, mut position| {
        if handle == b {
            position.y = 2.0;
        }
    });
    assert!(manager.dirty().eq([b]));
    assert_eq!(manager.position(b), Some(Position::new(1.0, 2.0, 0.0)));
}

#[test]
fn bulk_writes_mark_exactly_the_entities_they_reach() {
    let mut manager = manager(1000);
    let handles: Vec<_> = (0..300)
        .map(|i| if i % 3 == 0 { manager.spawn(fat(i), Vec3::ZERO).unwrap() } else { manager.allocate(SMALL).unwrap() })
        .collect();
    handles[100..120].iter().for_each(|&handle| manager.remove(handle).unwrap());
    let clean = |manager: &mut EntityManager| {
        let all: Vec<_> = manager.iter().map(|base| base.handle()).collect();
        all.into_iter().for_each(|handle| manager.mark_clean(handle).unwrap());
    };
    clean(&mut manager);
    manager.values_mut::<Fat>().for_each(|value| value.v += 1);
    let of_fat: Vec<_> = manager.iter_of::<Fat>().map(|(handle, _)| handle).collect();
    assert!(manager.dirty().eq(of_fat.iter().copied()) && of_fat.len() == 94);
    assert!(manager.values::<Fat>().all(|value| value.v % 3 == 1));

    clean(&mut manager);
    let mut visited = 0;
    manager.for_each_position_mut(|position| {
        *position += Vec3::X;
        visited += 1;
    });
    assert_eq!((visited, manager.dirty().count()), (280, 280));
    let mut sum = Vec3::ZERO;
    manager.for_each_position(|position| sum += position);
    assert_eq!(sum, Vec3::X * 280.0);
    manager.validate().unwrap();
}

#[test]
fn an_id_leads_to_one_entity() {
    let mut manager = manager(10);
    let (a, b) = (manager.allocate(SMALL).unwrap(), manager.allocate(FAT).unwrap());
    manager.set_id(a, 42).unwrap();
    manager.set_id(a, 42).unwrap();
    assert_eq!(manager.set_id(b, 42), Err(SetIdError::Duplicate { id: 42, holder: a }));
    assert_eq!((manager.find_by_id(42), manager.find_by_id(0), manager.find_by_id(43)), (Some(a), None, None));
    manager.set_id(a, 43).unwrap();
    manager.set_id(b, 42).unwrap();
    assert_eq!((manager.find_by_id(42), manager.find_by_id(43)), (Some(b), Some(a)));
    manager.remove(a).unwrap();
    assert_eq!(manager.set_id(a, 1), Err(SetIdError::Stale(Stale { handle: a })));
    assert_eq!(manager.find_by_id(43), None);
    manager.set_id(b, 0).unwrap();
    assert_eq!(manager.find_by_id(42), None);
    manager.validate().unwrap();
}

#[test]
fn ids_churn_without_growing_the_index() {
    let mut manager = manager(100);
    let room = manager.ids.capacity();
    let handles: Vec<_> = (0..100).map(|_| manager.allocate(SMALL).unwrap()).collect();
    for round in 0..200_u64 {
        for (i, &handle) in handles.iter().enumerate() {
            manager.set_id(handle, 1 + round * 100 + i as u64).unwrap();
        }
    }
    assert_eq!(
        (manager.ids.num_buckets(), manager.ids.len()),
        (hashbrown::HashTable::<u32>::with_capacity(200).num_buckets(), 100)
    );
    assert!(room >= 200);
    manager.validate().unwrap();
}

#[test]
fn several_entities_are_filled_on_several_threads() {
    let mut manager = manager(1000);
    let handles = manager.allocate_many(&[SMALL, FAT].repeat(200)).unwrap();
    handles.iter().for_each(|&handle| manager.mark_clean(handle).unwrap());
    let mut rows = manager.rows_mut(&handles).unwrap();
    std::thread::scope(|scope| {
        for part in rows.chunks_mut(100) {
            scope.spawn(|| {
                for row in part {
                    row.position.x = row.handle.index() as f32;
                    if let Some(value) = row.value.reborrow().downcast_mut::<Fat>() {
                        value.v = row.handle.index();
                    }
                }
            });
        }
    });
    assert!(manager.iter_of::<Fat>().all(|(handle, value)| value.v == handle.index()));
    assert!(manager.iter().all(|base| base.position().x == base.handle().index() as f32));
    assert_eq!(manager.dirty().count(), 0);
    let twice = LendError::Twice { handle: handles[3] };
    assert_eq!(manager.rows_mut(&[handles[3], handles[1], handles[3]]).err(), Some(twice));
    manager.remove(handles[3]).unwrap();
    assert_eq!(manager.rows_mut(&handles).err(), Some(LendError::Stale(Stale { handle: handles[3] })));
}

#[test]
fn compaction_closes_gaps_and_reports_what_moved() {
    let mut manager = manager(500);
    let handles = manager.spawn_batch((0..300).map(|v| (fat(v), Vec3::splat(v as f32)))).unwrap();
    for (i, &handle) in handles.iter().enumerate() {
        manager.set_id(handle, i as u64 + 1).unwrap();
        manager.mark_clean(handle).unwrap();
    }
    handles.iter().filter(|handle| handle.index() % 2 == 0).for_each(|&handle| manager.remove(handle).unwrap());
    manager.mark_dirty(handles[299]).unwrap();
    manager.set_template(handles[299], 9).unwrap();
    let compaction = manager.compact();
    manager.validate().unwrap();
    assert_eq!((compaction.moves.len(), compaction.moved_rows), (75, 75));
    assert!(manager.iter().all(|base| base.handle().index() < 150));
    for &(old, new) in &compaction.moves {
        assert!(!manager.contains(old));
        let (value, base) = (manager.get::<Fat>(new).unwrap().v, manager.base(new).unwrap());
        assert_eq!(
            (value, base.id(), base.position().x),
            (old.index(), u64::from(old.index()) + 1, old.index() as f32)
        );
    }
    let moved = compaction.moves.iter().find(|(old, _)| *old == handles[299]).unwrap().1;
    assert!(manager.dirty().eq([moved]) && manager.base(moved).unwrap().template() == 9);
    assert_eq!(manager.allocate(FAT).unwrap().index(), 150);
    assert_eq!(manager.compact(), Compaction::default());
}

#[test]
fn validation_finds_what_is_broken() {
    let mut manager = manager(10);
    let handles = manager.spawn_batch((0..5).map(|v| (fat(v), Vec3::ZERO))).unwrap();
    manager.remove(handles[4]).unwrap();
    manager.dirty.set(4);
    manager.slots.set_payload(1, 2);
    manager.links[3].id = 5;
    manager.tables[usize::from(SMALL)].members.grow_to(1).unwrap();
    manager.tables[usize::from(SMALL)].members.set(0);
    let found = manager.validate().unwrap_err();
    let has = |wanted: fn(&Violation) -> bool| found.iter().any(wanted);
    assert!(has(|v| matches!(v, Violation::Ghost { index: 4 })));
    assert!(has(|v| matches!(v, Violation::Unlinked { row: 2, found: Some(2), .. })));
    assert!(has(|v| matches!(v, Violation::Id { id: 5, found: None, .. })));
    assert!(has(|v| matches!(v, Violation::ClassMismatch { .. })));
    assert!(has(|v| matches!(v, Violation::Count { what: "rows and members of a class", .. })));
}

#[test]
fn a_million_entities_fit() {
    let mut manager = EntityManager::with_capacity(registry(), Capacity::entities(1_000_000).with_pre_touch()).unwrap();
    manager.pre_touch(SMALL, 1_000);
    let handles = manager.spawn_batch((0..1_000_000).map(|v| (Small { v: v as u8 }, Vec3::ZERO))).unwrap();
    assert!(manager.allocate(SMALL).is_err());
    assert!(manager.get::<Small>(handles[999_999]).is_some_and(|small| small.v == 63));
    handles.iter().step_by(2).for_each(|&handle| manager.remove(handle).unwrap());
    assert_eq!((manager.len(), manager.values::<Small>().count()), (500_000, 500_000));
    manager.clear();
    assert!(manager.is_empty() && manager.allocate(FAT).is_ok_and(|handle| handle.index() == 0));
}
