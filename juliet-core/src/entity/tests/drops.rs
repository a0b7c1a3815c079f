//! Every value ends exactly once, whatever panics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use glam::Vec3;

use super::{BOMB, NAMED, manager};
use crate::mem::test_classes::*;

fn panics<T>(f: impl FnOnce() -> T) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}

#[test]
fn values_with_heap_fields_end_once_through_removal_compaction_and_drop() {
    let (before, ended) = (live(), dropped());
    let mut manager = manager(1000);
    let handles = manager.spawn_batch((0..900).map(|v| (Named::of(v), Vec3::ZERO))).unwrap();
    manager.allocate(NAMED).unwrap();
    assert_eq!(live() - before, 901);
    handles.iter().step_by(3).for_each(|&handle| manager.remove(handle).unwrap());
    assert_eq!((live() - before, dropped() - ended), (601, 300));
    manager.compact();
    manager.validate().unwrap();
    assert_eq!((live() - before, dropped() - ended), (601, 300));
    assert!(manager.values::<Named>().filter(|named| named.name != "unnamed").all(|named| named.number() % 3 != 0));
    manager.clear();
    assert_eq!((live() - before, dropped() - ended), (0, 901));
    manager.allocate(NAMED).unwrap();
    drop(manager);
    assert_eq!((live() - before, dropped() - ended), (0, 902));
}

#[test]
fn panicking_default_allocates_nothing() {
    let before = live();
    let mut manager = manager(10);
    let first = manager.allocate(BOMB).unwrap();
    light_fuse(0);
    assert!(panics(|| manager.allocate(BOMB)));
    manager.validate().unwrap();
    assert_eq!((manager.len(), live() - before), (1, 1));
    light_fuse(2);
    assert!(panics(|| manager.allocate_many(&[BOMB, BOMB, BOMB])));
    manager.validate().unwrap();
    assert_eq!((manager.len(), live() - before), (3, 3));
    manager.remove(first).unwrap();
    assert_eq!(manager.allocate(BOMB).unwrap().index(), first.index());
    drop(manager);
    assert_eq!(live(), before);
}

#[test]
fn panicking_drop_removes_the_entity_all_the_same() {
    let before = live();
    let mut manager = manager(10);
    let handles = manager.allocate_many(&[BOMB; 3]).unwrap();
    manager.set_id(handles[1], 8).unwrap();
    light_fuse(0);
    assert!(panics(|| manager.remove(handles[1])));
    manager.validate().unwrap();
    assert_eq!(
        (manager.len(), live() - before, manager.contains(handles[1]), manager.find_by_id(8)),
        (2, 2, false, None)
    );
}

#[test]
fn clearing_and_dropping_go_on_after_panics() {
    let before = live();
    let mut manager = manager(100);
    let kinds = [BOMB, NAMED, BOMB].repeat(20);
    for fuse in [0, 7, 39] {
        manager.allocate_many(&kinds).unwrap();
        light_fuse(fuse);
        assert!(panics(|| manager.clear()));
        manager.validate().unwrap();
        assert_eq!((manager.len(), live()), (0, before));
    }
    manager.allocate_many(&kinds).unwrap();
    light_fuse(5);
    assert!(panics(|| drop(manager)));
    assert_eq!(live(), before);
}

#[test]
fn manager_dropped_in_a_panic_with_panicking_values_does_not_abort() {
    let before = live();
    let thrown = catch_unwind(|| {
        let mut manager = manager(10);
        manager.allocate_many(&[BOMB, NAMED, BOMB]).unwrap();
        light_fuse(0);
        let _guarded = &manager;
        std::panic::panic_any("the first one");
    });
    assert_eq!(thrown.unwrap_err().downcast_ref(), Some(&"the first one"));
    assert_eq!(live(), before);
}

#[test]
fn panicking_callback_leaves_everything_in_place() {
    let before = live();
    let mut manager = manager(200);
    manager.spawn_batch((0..150).map(|v| (Named::of(v), Vec3::ZERO))).unwrap();
    let all: Vec<_> = manager.iter().map(|base| base.handle()).collect();
    all.iter().for_each(|&handle| manager.mark_clean(handle).unwrap());
    assert!(panics(|| manager.for_each_of_mut::<Named>(|_, mut named, _| {
        named.name = "9".into();
        assert!(named.tags.len() < 2, "no callback likes two tags");
    })));
    assert!(panics(|| manager.values_mut::<Named>().for_each(|named| assert!(named.tags.len() > 9, "at once"))));
    assert!(panics(|| manager.for_each_position_mut(|position| assert!(position.x > 0.0, "at once"))));
    let mut left = 5;
    assert!(panics(|| drop(manager.spawn_batch(std::iter::from_fn(|| {
        left -= 1;
        assert!(left > 0, "iterators panic as well");
        Some((Named::of(1), Vec3::ZERO))
    })))));
    manager.validate().unwrap();
    assert_eq!((manager.len(), live() - before), (154, 154));
    drop(manager);
    assert_eq!(live(), before);
}
