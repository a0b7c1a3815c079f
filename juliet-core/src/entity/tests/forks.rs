//! Forks: the same entities a second time.

use glam::Vec3;

use super::super::*;
use crate::mem::test_classes::*;

type Shown = (EntityHandle, u64, [f32; 4], bool, Option<u32>);

fn shown(manager: &EntityManager) -> Vec<Shown> {
    let number = |handle| {
        let small = manager.get::<Small>(handle).map(Number::number);
        small.or_else(|| manager.get::<Named>(handle).map(Number::number))
    };
    let all = manager.iter();
    all.map(|it| (it.handle(), it.id(), it.position().to_array(), it.is_dirty(), number(it.handle()))).collect()
}

/// A manager with gaps, ids, and clean and dirty entities.
fn manager() -> (EntityManager, Vec<EntityHandle>) {
    let mut manager = EntityManager::with_capacity(registry(), Capacity::entities(400)).unwrap();
    let mut handles = Vec::new();
    for i in 0..300u32 {
        let at = Vec3::splat(i as f32);
        let handle = match i % 2 {
            0 => manager.spawn(Small::of(i), at).unwrap(),
            _ => manager.spawn(Named::of(i), at).unwrap(),
        };
        manager.set_id(handle, u64::from(i) + 1).unwrap();
        if i % 3 == 0 {
            manager.mark_clean(handle).unwrap();
        }
        handles.push(handle);
    }
    for &handle in handles.iter().skip(5).step_by(7) {
        manager.remove(handle).unwrap();
    }
    (manager, handles)
}

#[test]
fn fork_has_every_entity_under_its_handle() {
    let (manager, handles) = manager();
    let mut fork = manager.fork().unwrap();
    fork.validate().unwrap();
    assert_eq!((shown(&fork), fork.len()), (shown(&manager), manager.len()));
    let values = |manager: &EntityManager| manager.values::<Named>().map(Number::number).collect::<Vec<_>>();
    assert_eq!(values(&fork), values(&manager));
    let before = shown(&manager);
    // Nothing that happens in one is seen in the other.
    for &handle in &handles {
        let _ = fork.remove(handle);
    }
    let made: Vec<_> = (0..300).map(|i| fork.spawn(Named::of(i), Vec3::ZERO).unwrap()).collect();
    fork.validate().unwrap();
    assert_eq!(shown(&manager), before);
    manager.validate().unwrap();
    assert!(made.iter().all(|&handle| !manager.contains(handle)));
    assert!(handles.iter().all(|&handle| !fork.contains(handle)));
    assert_eq!(fork.find_by_id(1), None);
    assert_eq!(manager.find_by_id(1), Some(handles[0]));
}

#[test]
fn fork_drops_its_own_copies_and_no_others() {
    let (manager, _) = manager();
    let fork = manager.fork().unwrap();
    let again = fork.fork().unwrap();
    let before = shown(&manager);
    drop(fork);
    assert_eq!((shown(&again), shown(&manager)), (before.clone(), before));
}

#[test]
fn empty_and_full_managers_are_forked() {
    let mut manager = EntityManager::with_capacity(registry(), Capacity::entities(0)).unwrap();
    assert!(manager.fork().unwrap().allocate(0).is_err());
    manager = EntityManager::with_capacity(registry(), Capacity::entities(65)).unwrap();
    while manager.allocate(0).is_ok() {}
    let mut fork = manager.fork().unwrap();
    assert!(fork.len() == 65 && fork.allocate(0).is_err());
    fork.clear();
    fork.validate().unwrap();
    assert!(fork.is_empty() && manager.len() == 65);
}

#[test]
fn fork_that_panics_halfway_drops_what_it_copied() {
    let mut manager = EntityManager::with_capacity(registry(), Capacity::entities(400)).unwrap();
    for i in 0..20 {
        manager.spawn(Named::of(i), Vec3::ZERO).unwrap();
        manager.spawn(Bomb::new(), Vec3::ZERO).unwrap();
    }
    let (live_before, before) = (live(), shown(&manager));
    for fuse in 0..20 {
        light_fuse(fuse);
        // Bombs burn in their default, and burn on while what was copied is dropped.
        let fork = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| manager.fork()));
        assert!(fork.is_err(), "{fuse}");
        light_fuse(-1);
        assert_eq!(live(), live_before, "{fuse}");
    }
    assert_eq!(shown(&manager), before);
    manager.validate().unwrap();
    assert_eq!(manager.fork().unwrap().len(), 40);
    assert_eq!(live(), live_before);
}
