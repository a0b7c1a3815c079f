//! Numbered cases, and the scenarios of the documents the project started from.

use glam::Vec3;

use super::super::*;
use super::{FAT, SMALL, fat, manager};
use crate::mem::test_classes::*;

#[test]
fn k05_zero_sized_and_over_aligned_entities() {
    let (before, ended) = (live(), dropped());
    let mut manager = manager(60_000);
    let mut handles = Vec::new();
    let address = |manager: &EntityManager, handle| {
        let value = manager.value(handle).unwrap();
        let tag = value.downcast_ref::<Tag>().map(|tag| core::ptr::from_ref(tag).addr());
        let fat = value.downcast_ref::<Fat>().map(|fat| core::ptr::from_ref(fat).addr());
        tag.or(fat).or_else(|| value.downcast_ref::<Small>().map(|small| core::ptr::from_ref(small).addr())).unwrap()
    };
    let mut spawn = |manager: &mut EntityManager, count: u32| {
        for i in 0..count {
            handles.push(manager.spawn(Tag(Counted::new()), Vec3::ZERO).unwrap());
            handles.push(manager.spawn(fat(i), Vec3::ZERO).unwrap());
            handles.push(manager.spawn(Small { v: i as u8 }, Vec3::ZERO).unwrap());
        }
        handles.clone()
    };
    let first: Vec<_> = spawn(&mut manager, 10_000)[..3].to_vec();
    let addresses: Vec<_> = first.iter().map(|&handle| address(&manager, handle)).collect();
    let handles = spawn(&mut manager, 10_000);
    assert!(first.iter().map(|&handle| address(&manager, handle)).eq(addresses));
    for &handle in handles.iter().filter(|&&handle| manager.get::<Small>(handle).is_none()) {
        assert_eq!(address(&manager, handle) % 64, 0);
    }
    let mut distinct = handles.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 60_000);
    handles.iter().step_by(2).for_each(|&handle| manager.remove(handle).unwrap());
    assert!(handles.iter().skip(1).step_by(2).all(|&handle| manager.contains(handle)));
    assert_eq!((manager.len(), live() - before, dropped() - ended), (30_000, 10_000, 10_000));
    manager.validate().unwrap();
    drop(manager);
    assert_eq!((live() - before, dropped() - ended), (0, 20_000));
}

#[test]
fn k30_1_handle_of_a_removed_entity_never_reaches_the_next_one() {
    let mut manager = manager(10);
    let old = manager.spawn(fat(1), Vec3::ZERO).unwrap();
    manager.remove(old).unwrap();
    let new = manager.spawn(fat(2), Vec3::ZERO).unwrap();
    assert_eq!((new.index(), manager.get::<Fat>(old).is_none()), (old.index(), true));
    assert!(manager.get_mut::<Fat>(old).is_none());
    assert_eq!(manager.remove(old).unwrap_err().to_string(), "stale handle #0.0");
    assert_eq!(manager.get::<Fat>(new).unwrap().v, 2);
}

#[test]
fn k30_2_handle_from_before_a_clear_is_stale() {
    let mut manager = manager(10);
    let old = manager.spawn(fat(1), Vec3::ZERO).unwrap();
    manager.clear();
    let new = manager.spawn(fat(2), Vec3::ZERO).unwrap();
    assert_eq!((new.index(), manager.remove(old)), (0, Err(Stale { handle: old })));
    assert!(manager.contains(new));
}

#[test]
fn k30_3_spent_slot_is_retired_and_no_old_handle_resolves() {
    let mut manager = manager(3);
    let first = manager.spawn(fat(0), Vec3::ZERO).unwrap();
    // Two lives are left after this one.
    let mut old = vec![first, EntityHandle(manager.slots.preset_reuses(first.0, (1 << 20) - 3))];
    manager.remove(old[1]).unwrap();
    for left in [2, 1] {
        let handle = manager.spawn(fat(left), Vec3::ZERO).unwrap();
        assert!(handle.index() == 0 && !old.contains(&handle));
        old.push(handle);
        manager.remove(handle).unwrap();
        manager.validate().unwrap();
    }
    for _ in 0..8 {
        let handles = manager.allocate_many(&[FAT; 2]).unwrap();
        assert!(handles.iter().all(|handle| handle.index() != 0));
        assert!(old.iter().all(|&handle| !manager.contains(handle)));
        old.extend(&handles);
        handles.iter().for_each(|&handle| manager.remove(handle).unwrap());
    }
    assert_eq!(manager.slots.retired(), 1);
    assert!(manager.allocate_many(&[FAT; 3]).is_err() && manager.allocate_many(&[FAT; 2]).is_ok());
    manager.clear();
    manager.validate().unwrap();
    assert_eq!(manager.allocate(FAT).unwrap().index(), 1);
    assert_eq!(manager.compact(), Compaction::default());
}

#[test]
fn k30_4_handle_of_another_class_or_manager_reaches_nothing() {
    let (mut manager, mut other) = (manager(10), manager(10));
    let (a, b) = (manager.spawn(fat(1), Vec3::ZERO).unwrap(), other.spawn(fat(2), Vec3::ZERO).unwrap());
    assert!(manager.get::<Small>(a).is_none() && manager.get_mut::<Small>(a).is_none());
    assert!(manager.value(a).unwrap().downcast_ref::<Small>().is_none());
    assert!(manager.get::<Fat>(b).is_none() && other.get::<Fat>(a).is_none());
    assert_eq!(manager.remove(b), Err(Stale { handle: b }));
}

#[test]
fn k30_5_null_handle_is_never_a_legal_one() {
    let mut manager = manager(2);
    let last = manager.allocate_many(&[SMALL; 2]).unwrap()[1];
    assert!(
        last != EntityHandle::NULL && !manager.contains(EntityHandle::NULL) && !manager.is_dirty(EntityHandle::NULL)
    );
    assert_eq!(
        (EntityHandle::default(), format!("{:?}", EntityHandle::NULL)),
        (EntityHandle::NULL, "#null".to_owned())
    );
    assert!(manager.remove(EntityHandle::NULL).is_err());
}

#[test]
fn lifecycle_allocation_and_wiring() {
    let mut manager = manager(10);
    let handle = manager.allocate(FAT).unwrap();
    assert_eq!(manager.base(handle).unwrap().id(), 0);
    manager.set_id(handle, 1).unwrap();
    let base = manager.base(handle).unwrap();
    assert!(base.id() > 0 && base.class().name() == "Fat" && base.is_dirty());
    let row = manager.slots.payload_at(handle.index()).unwrap();
    assert_eq!(manager.tables[usize::from(FAT)].rows.base_of(row), Some(handle.index()));
    assert_eq!((manager.get::<Fat>(handle).unwrap().v, manager.count_of(FAT)), (1, 1));
    assert!(core::ptr::eq(manager.values::<Fat>().next().unwrap(), manager.get::<Fat>(handle).unwrap()));
}

#[test]
fn lifecycle_dirty_tracking() {
    let mut manager = manager(10);
    let handle = manager.allocate(FAT).unwrap();
    assert!(manager.is_dirty(handle));
    manager.mark_clean(handle).unwrap();
    assert!(!manager.is_dirty(handle));
    manager.position_mut(handle).unwrap().x += 1.0;
    assert!(manager.is_dirty(handle));
}

#[test]
fn removal_of_the_middle_one_leaves_the_others_linked_where_they_are() {
    let mut manager = manager(10);
    let handles: Vec<_> = (1..4).map(|x| manager.spawn(fat(x), Vec3::X * x as f32).unwrap()).collect();
    for (id, &handle) in (100..).zip(&handles) {
        manager.set_id(handle, id).unwrap();
    }
    let places = [0, 2].map(|i| core::ptr::from_ref(manager.get::<Fat>(handles[i]).unwrap()));
    assert_eq!(manager.len(), 3);
    manager.remove(handles[1]).unwrap();
    assert_eq!(manager.len(), 2);
    assert!(manager.iter().map(|base| base.id()).eq([100, 102]));
    assert_eq!(places, [0, 2].map(|i| core::ptr::from_ref(manager.get::<Fat>(handles[i]).unwrap())));
    manager.validate().unwrap();
}
