//! Instantiation by copy, singly and in batches, and batches of spawned values.

use std::panic::{AssertUnwindSafe, catch_unwind};

use glam::Vec3;

use super::super::*;
use super::{BOMB, FAT, NAMED, SMALL, fat, manager};
use crate::mem::test_classes::*;
use crate::mem::{ErasedRef, OwnedValue};

const PLAIN: u16 = 3;
const AT: Position = Position::new(1.0, 2.0, 3.0);

fn plain(owner: u32) -> Plain {
    Plain { hp: -0.0, owner, rest: [owner.into(); 9] }
}

fn places(count: usize) -> Vec<Position> {
    (0..count).map(|i| Position::new(i as f32, 0.5, -1.0)).collect()
}

/// What two managers that went through the same have in common.
fn state(manager: &EntityManager) -> impl PartialEq + core::fmt::Debug + use<> {
    let number = |base: &BaseRef<'_>| {
        let value = manager.value(base.handle())?;
        let fat = value.downcast_ref::<Fat>().map(Number::number);
        let small = value.downcast_ref::<Small>().map(Number::number);
        fat.or(small).or_else(|| value.downcast_ref::<Plain>().map(|plain| plain.owner + plain.rest[8] as u32))
    };
    let entity = |base: BaseRef<'_>| {
        let (handle, number) = (base.handle(), number(&base));
        let position = base.position().to_array();
        (
            handle.index(),
            handle.generation() & 0xF_FFFF,
            base.kind(),
            base.template(),
            position,
            base.is_dirty(),
            number,
        )
    };
    manager.iter().map(entity).collect::<Vec<_>>()
}

/// Full of gaps in slots and rows, in no order.
fn with_gaps() -> EntityManager {
    let mut manager = manager(2_000);
    let handles = manager.allocate_many(&[FAT, PLAIN, SMALL].repeat(200)).unwrap();
    handles.iter().for_each(|&handle| manager.mark_clean(handle).unwrap());
    for (i, handle) in (0..600).map(|i| (i, handles[i * 11 % 600])) {
        if i * 7 % 10 < 3 || (90..140).contains(&i) {
            manager.remove(handle).unwrap();
        }
    }
    manager
}

/// Slots that are free in ascending order, one piece after the other, and no free rows of the classes that are tried.
fn with_free_runs() -> EntityManager {
    let mut manager = manager(2_000);
    let handles = manager.allocate_many(&[SMALL; 600]).unwrap();
    let pieces = handles[90..95].iter().chain(&handles[200..300]).chain(&handles[400..402]).chain(&handles[0..30]);
    pieces.rev().for_each(|&handle| manager.remove(handle).unwrap());
    manager
}

#[test]
fn instance_is_a_copy_with_place_template_and_no_id() {
    let mut manager = manager(10);
    let image = plain(5);
    let handle = manager.instantiate(PLAIN, ErasedRef::of_entity(&image), AT, 7).unwrap();
    let base = manager.base(handle).unwrap();
    assert_eq!((base.id(), base.kind(), base.template(), base.is_dirty(), base.position()), (0, PLAIN, 7, true, AT));
    let value = manager.get::<Plain>(handle).unwrap();
    assert_eq!((value.hp.to_bits(), value.owner, value.rest), ((-0.0f32).to_bits(), 5, [5; 9]));

    let image = Named { name: "a".repeat(100), tags: vec!["x".into(), "y".into()], counted: Counted::new() };
    let (before, ended) = (live(), dropped());
    let handle = manager.instantiate(NAMED, ErasedRef::of_entity(&image), AT, 8).unwrap();
    let value = manager.get::<Named>(handle).unwrap();
    assert_eq!((&value.name, &value.tags), (&image.name, &image.tags));
    assert_ne!(value.name.as_ptr(), image.name.as_ptr());
    manager.validate().unwrap();
    drop(manager);
    assert_eq!((live() - before, dropped() - ended), (0, 1));
}

#[test]
fn image_of_another_class_is_an_error_value() {
    let mut manager = manager(10);
    let (image, handle) = (fat(1), manager.allocate(SMALL).unwrap());
    let image = ErasedRef::of_entity(&image);
    let mismatch = InstantiateError::ImageMismatch { class: "Plain", image: "Fat" };
    assert_eq!(manager.instantiate(PLAIN, image, AT, 1), Err(mismatch));
    assert_eq!(manager.instantiate_many(PLAIN, image, &places(5), 1), Err(mismatch));
    assert_eq!(mismatch.to_string(), "an image of `Fat` for a `Plain`");
    assert!(matches!(manager.instantiate(NAMED, image, AT, 1), Err(InstantiateError::ImageMismatch { .. })));
    let unknown = InstantiateError::Allocate(AllocateError::UnknownKind { kind: 99 });
    assert_eq!(manager.instantiate(99, image, AT, 1), Err(unknown));
    assert_eq!(manager.instantiate_many(99, image, &[], 1), Err(unknown));
    let mismatch = ResetError::ImageMismatch { class: "Small", image: "Fat" };
    assert_eq!(manager.reset_to_image(handle, image), Err(mismatch));
    manager.remove(handle).unwrap();
    assert_eq!(manager.reset_to_image(handle, image), Err(ResetError::Stale(Stale { handle })));
    assert!(manager.is_empty() && manager.validate().is_ok());
}

#[test]
fn batch_equals_single_calls() {
    let image = plain(9);
    let image = ErasedRef::of_entity(&image);
    for count in [0, 1, 3, 4, 17, 70, 511, 512, 513, 900] {
        for prepare in [
            || manager(2_000),
            with_gaps,
            || {
                let mut manager = with_gaps();
                manager.clear();
                manager
            },
        ] {
            let (mut singly, mut batch) = (prepare(), prepare());
            let one = |at: &Position| singly.instantiate(PLAIN, image, *at, 3).unwrap().index();
            let expected: Vec<_> = places(count).iter().map(one).collect();
            let handles = batch.instantiate_many(PLAIN, image, &places(count), 3).unwrap();
            assert!(handles.iter().map(|handle| handle.index()).eq(expected), "{count}");
            assert!(handles.iter().zip(places(count)).all(|(&handle, at)| batch.position(handle) == Some(at)));
            batch.validate().unwrap();
            assert_eq!(state(&singly), state(&batch));
        }
    }
}

#[test]
fn each_value_of_a_batch_is_seen_once_and_in_order() {
    let image = plain(9);
    for prepare in [|| manager(2_000), with_gaps, with_free_runs] {
        let mut manager = prepare();
        let mut seen = 0;
        let each = |i: usize, value: crate::mem::ErasedMut<'_>| {
            assert_eq!(i, seen);
            seen += 1;
            value.downcast_mut::<Plain>().unwrap().owner = i as u32;
        };
        let handles = manager.instantiate_each(PLAIN, ErasedRef::of_entity(&image), &places(800), 3, each).unwrap();
        assert!(handles.iter().enumerate().all(|(i, &at)| manager.get::<Plain>(at).unwrap().owner == i as u32));
        assert_eq!(seen, 800);
        let thrown = catch_unwind(AssertUnwindSafe(|| {
            let each = |i: usize, _: crate::mem::ErasedMut<'_>| assert!(i < 600, "enough");
            manager.instantiate_each(PLAIN, ErasedRef::of_entity(&image), &places(700), 3, each)
        }));
        assert!(thrown.is_err());
        manager.validate().unwrap();
    }
}

#[test]
fn spawned_batch_equals_single_spawns() {
    for count in [0, 1, 3, 4, 64, 513, 900] {
        for prepare in [|| manager(2_000), with_gaps, with_free_runs] {
            let (mut singly, mut batch, mut unsized_batch) = (prepare(), prepare(), prepare());
            let mut items = (0..count).map(|v| (fat(v), Vec3::splat(v as f32)));
            let expected: Vec<_> = items.clone().map(|(v, at)| singly.spawn(v, at).unwrap().index()).collect();
            let handles = batch.spawn_batch(items.clone()).unwrap();
            assert!(handles.iter().map(|handle| handle.index()).eq(expected), "{count}");
            unsized_batch.spawn_batch(std::iter::from_fn(|| items.next())).unwrap();
            batch.validate().unwrap();
            unsized_batch.validate().unwrap();
            assert_eq!(state(&singly), state(&batch));
            assert_eq!(state(&singly), state(&unsized_batch));
        }
    }
}

#[test]
fn iterator_is_not_asked_again_after_its_end() {
    let mut manager = manager(100);
    let mut calls = 0;
    let items = std::iter::from_fn(|| {
        calls += 1;
        (calls != 8).then(|| (fat(calls), Vec3::ZERO))
    });
    assert_eq!(manager.spawn_batch(items.take(50)).unwrap().len(), 7);
    assert_eq!(calls, 8);
    manager.validate().unwrap();
}

#[test]
fn full_manager_takes_all_of_a_batch_or_nothing() {
    let image = plain(2);
    let image = ErasedRef::of_entity(&image);
    let mut manager = manager(300);
    manager.allocate_many(&[SMALL; 20]).unwrap();
    let full = InstantiateError::Allocate(AllocateError::CapacityExceeded { class: "Plain", capacity: 300 });
    let before = state(&manager);
    assert_eq!(manager.instantiate_many(PLAIN, image, &places(281), 1), Err(full));
    assert_eq!(state(&manager), before);
    assert_eq!(manager.instantiate_many(PLAIN, image, &places(280), 1).unwrap().len(), 280);
    assert_eq!(manager.instantiate(PLAIN, image, AT, 1), Err(full));
    manager.validate().unwrap();
    assert_eq!(manager.spawn_batch((0..9).map(|v| (fat(v), Vec3::ZERO))).unwrap_err().spawned, []);
}

#[test]
fn panic_in_default_or_copy_leaves_no_half_entity() {
    let image = OwnedValue::new(&registry(), BOMB).unwrap();
    let before = live();
    let mut manager = manager(10);
    manager.instantiate(BOMB, image.as_ref(), AT, 1).unwrap();
    light_fuse(0);
    let mut panics = |f: &mut dyn FnMut(&mut EntityManager)| {
        assert!(catch_unwind(AssertUnwindSafe(|| f(&mut manager))).is_err());
        manager.validate().unwrap();
        (manager.len(), live() - before)
    };
    let one = |manager: &mut EntityManager| assert!(manager.instantiate(BOMB, image.as_ref(), AT, 1).is_ok());
    assert_eq!(panics(&mut { one }), (1, 1));
    light_fuse(2);
    let many = |manager: &mut EntityManager| drop(manager.instantiate_many(BOMB, image.as_ref(), &places(5), 1));
    assert_eq!(panics(&mut { many }), (3, 3));
    drop(manager);
    let touchy = Touchy { counted: Counted::new(), parts: vec![Part] };
    let kind = 0;
    let classes = crate::class::ClassRegistry::new().with::<Touchy>().unwrap();
    let mut manager = EntityManager::with_capacity(classes, Capacity::entities(4)).unwrap();
    let before = live();
    let copied = catch_unwind(AssertUnwindSafe(|| manager.instantiate(kind, ErasedRef::of_entity(&touchy), AT, 1)));
    assert!(copied.is_err() && manager.is_empty());
    manager.validate().unwrap();
    let handle = manager.allocate(kind).unwrap();
    let copied = catch_unwind(AssertUnwindSafe(|| manager.reset_to_image(handle, ErasedRef::of_entity(&touchy))));
    assert!(copied.is_err() && manager.get::<Touchy>(handle).unwrap().parts.is_empty());
    assert_eq!(live() - before, 1);
    drop(manager);
    assert_eq!(live(), before);
}

#[test]
fn reset_makes_the_value_a_copy_and_marks_nothing() {
    let mut manager = manager(10);
    let (of_plain, of_named) = (manager.allocate(PLAIN).unwrap(), manager.spawn(Named::of(5), Vec3::ONE).unwrap());
    for handle in [of_plain, of_named] {
        manager.set_template(handle, 4).unwrap();
        manager.mark_clean(handle).unwrap();
    }
    let image = plain(6);
    manager.reset_to_image(of_plain, ErasedRef::of_entity(&image)).unwrap();
    assert_eq!(manager.get::<Plain>(of_plain).unwrap().rest, [6; 9]);
    let image = Named::of(8);
    let (before, ended) = (live(), dropped());
    manager.reset_to_image(of_named, ErasedRef::of_entity(&image)).unwrap();
    assert_eq!((live() - before, dropped() - ended), (0, 1));
    assert_eq!(manager.get::<Named>(of_named).unwrap().number(), 8);
    assert_eq!(manager.base(of_named).unwrap().template(), 4);
    assert_eq!((manager.dirty().count(), manager.position(of_named).unwrap().x), (0, 1.0));
    manager.validate().unwrap();
}
