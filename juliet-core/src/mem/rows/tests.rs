//! Tests of rows.

#![expect(clippy::unwrap_used, reason = "tests")]
use super::*;
use crate::mem::OwnedValue;
use crate::mem::test_classes::*;

fn rows(kind: ClassKind, capacity: u32) -> Rows {
    Rows::new(&registry(), kind, capacity, Pages::Usual).unwrap().unwrap()
}

/// Moves `value` in; hands it back where there is no room.
fn insert<T: Entity>(rows: &mut Rows, base: u32, value: T) -> Result<u32, T> {
    match rows.vacancy() {
        Some(vacancy) => Ok(vacancy.fill(base, value)),
        None => Err(value),
    }
}

fn get<T: Entity>(rows: &Rows, row: u32, base: u32) -> Option<&T> {
    let by_type = rows.typed::<T>().and_then(|rows| rows.get(row, base));
    let erased = rows.value(row, base).and_then(|value| value.downcast_ref::<T>());
    assert_eq!(by_type.map(core::ptr::from_ref), erased.map(core::ptr::from_ref));
    by_type
}

fn panics(f: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}

#[test]
fn stride_holds_link_and_value_at_their_alignment() {
    assert_eq!((stride(1, 1), value_offset(1)), (8, 4));
    assert_eq!((stride(0, 1), stride(0, 64)), (4, 64));
    assert_eq!((stride(64, 64), value_offset(64)), (128, 64));
    assert_eq!((stride(80, 8), stride(4, 4), stride(5, 1)), (88, 8, 12));
}

#[test]
fn unknown_kind_has_no_rows_and_absurd_capacity_is_an_error() {
    assert!(Rows::new(&registry(), 99, 10, Pages::Usual).unwrap().is_none());
    // AddressSanitizer keeps notes of an eighth of what is reserved.
    let capacity = if cfg!(juliet_asan) { 1 << 20 } else { u32::MAX };
    let all = (0..6).map(|kind| Rows::new(&registry(), kind, capacity, Pages::Usual));
    assert!(all.into_iter().all(|rows| rows.is_err() || rows.unwrap().unwrap().capacity == capacity.min(END)));
}

#[test]
fn value_is_found_by_row_and_base_together() {
    let mut rows = rows(0, 4);
    let row = insert(&mut rows, 9, Small { v: 3 }).ok().unwrap();
    assert_eq!(get::<Small>(&rows, row, 9).unwrap().v, 3);
    assert!(get::<Small>(&rows, row, 8).is_none() && get::<Small>(&rows, row + 1, 9).is_none());
    assert!(get::<Small>(&rows, row, 9 | FREE).is_some(), "the flag is not part of a base");
    assert!(get::<Fat>(&rows, row, 9).is_none() && insert(&mut rows, 1, Fat { v: 1 }).is_err());
    rows.get_mut::<Small>(row, 9).unwrap().v = 4;
    assert_eq!(rows.value(row, 9).unwrap().downcast_ref::<Small>().unwrap().v, 4);
    assert!(rows.remove(row, 9) && !rows.remove(row, 9) && !rows.remove(row + 1, 9) && !rows.remove(u32::MAX, 9));
    assert!(get::<Small>(&rows, row, 9).is_none() && rows.value(row, FREE | END).is_none());
}

#[test]
fn full_rows_hand_the_value_back() {
    let mut rows = rows(4, 2);
    let before = live();
    let _first = insert(&mut rows, 0, Named::of(0)).ok().unwrap();
    let _second = rows.insert_default(1).unwrap();
    assert!(rows.insert_default(2).is_none());
    assert_eq!(insert(&mut rows, 2, Named::of(5)).err().unwrap().number(), 5);
    assert_eq!(live(), before + 2);
    drop(rows);
    assert_eq!(live(), before);
}

#[test]
fn freed_row_is_used_again_and_the_others_stay() {
    let mut rows = rows(4, 100);
    for base in 0..10 {
        assert_eq!(insert(&mut rows, base, Named::of(base)).ok(), Some(base));
    }
    let third = core::ptr::from_ref(get::<Named>(&rows, 3, 3).unwrap());
    assert!(rows.remove(5, 5) && rows.remove(7, 7));
    assert_eq!(rows.free_rows(), [7, 5]);
    assert_eq!(
        [rows.insert_default(50), rows.insert_default(51), rows.insert_default(52)],
        [Some(7), Some(5), Some(10)]
    );
    assert_eq!(core::ptr::from_ref(get::<Named>(&rows, 3, 3).unwrap()), third);
    let bases: Vec<_> = rows.typed::<Named>().unwrap().iter().map(|(base, _)| base).collect();
    assert_eq!(bases, [0, 1, 2, 3, 4, 51, 6, 50, 8, 9, 52]);
}

#[test]
fn walks_meet_each_live_value_once_whatever_the_gaps() {
    for (count, keep) in [(0, 1), (1, 1), (64, 1), (1000, 1), (1000, 2), (1000, 10), (1000, 1001)] {
        let mut rows = rows(2, 1000);
        for base in 0..count {
            insert(&mut rows, base, Fat { v: base }).ok().unwrap();
        }
        for base in (0..count).filter(|base| base % keep != 0) {
            rows.remove(base, base);
        }
        let expected: Vec<_> = (0..count).filter(|base| base % keep == 0).collect();
        let by_next: Vec<_> = { rows.typed::<Fat>().unwrap().iter().map(|(_, fat)| fat.v).collect() };
        let mut by_fold = Vec::new();
        rows.iter_mut::<Fat>().for_each(|(base, fat)| by_fold.push((base, fat.v).0));
        let mut stepwise = rows.typed::<Fat>().unwrap().iter();
        let mut mixed: Vec<_> = stepwise.by_ref().take(3).map(|(base, _)| base).collect();
        stepwise.for_each(|(base, _)| mixed.push(base));
        assert_eq!((&by_next, &by_fold, &mixed), (&expected, &expected, &expected), "{count} {keep}");
    }
    assert!(rows(2, 10).typed::<Small>().is_none() && rows(2, 10).iter_mut::<Small>().next().is_none());
}

#[test]
fn compaction_moves_the_last_into_the_gaps_and_drops_nothing() {
    let mut rows = rows(4, 300);
    let before = live();
    for base in 0..200 {
        insert(&mut rows, base, Named::of(base)).ok().unwrap();
    }
    for base in (0..200).filter(|base| base % 3 != 0) {
        rows.remove(base, base);
    }
    let mut places: Vec<_> = (0..200).collect();
    rows.compact(|base, row| places[base as usize] = row);
    assert_eq!((rows.count(), rows.used(), live() - before), (67, 67, 67));
    for base in (0..200).step_by(3) {
        assert_eq!(get::<Named>(&rows, places[base as usize], base).unwrap().number(), base);
    }
    assert_eq!(rows.insert_default(7), Some(67));
    rows.clear();
    assert_eq!((live(), rows.count(), rows.used(), rows.insert_default(1)), (before, 0, 0, Some(0)));
}

#[test]
fn several_values_are_lent_at_a_time_but_each_once() {
    let mut rows = rows(2, 10);
    (0..5).for_each(|base| _ = insert(&mut rows, base, Fat { v: base }).ok().unwrap());
    rows.remove(4, 4);
    let mut lend = rows.lend();
    let (a, b) = (lend.take(1, 1).unwrap(), lend.take(3, 3).unwrap());
    assert!(lend.take(1, 1).is_none() && lend.take(2, 3).is_none() && lend.take(4, 4).is_none());
    core::mem::swap(a.downcast_mut::<Fat>().unwrap(), b.downcast_mut::<Fat>().unwrap());
    assert_eq!((get::<Fat>(&rows, 1, 1).unwrap().v, get::<Fat>(&rows, 3, 3).unwrap().v), (3, 1));
}

#[test]
fn panicking_default_leaves_the_row_free() {
    let mut rows = rows(5, 10);
    let before = live();
    rows.insert_default(0).unwrap();
    light_fuse(0);
    assert!(panics(|| _ = rows.insert_default(1)));
    assert_eq!((rows.count(), live() - before), (1, 1));
    assert_eq!(rows.insert_default(1), Some(1));
    assert_eq!(live() - before, 2);
}

#[test]
fn panicking_drop_ends_the_value_once_and_frees_the_row() {
    let mut rows = rows(5, 10);
    let before = live();
    (0..3).for_each(|base| _ = rows.insert_default(base).unwrap());
    light_fuse(0);
    assert!(panics(|| _ = rows.remove(1, 1)));
    assert_eq!((rows.count(), live() - before, rows.free_rows()), (2, 2, vec![1]));
    assert_eq!(rows.insert_default(8), Some(1));
    drop(rows);
    assert_eq!(live(), before);
}

#[test]
fn clearing_goes_on_after_panics_and_hands_on_the_first() {
    let mut rows = rows(5, 200);
    let before = live();
    (0..100).for_each(|base| _ = rows.insert_default(base).unwrap());
    light_fuse(40);
    assert!(panics(|| rows.clear()));
    assert_eq!((rows.count(), live()), (0, before));
    (0..100).for_each(|base| _ = rows.insert_default(base).unwrap());
    light_fuse(99);
    assert!(panics(|| drop(rows)));
    assert_eq!(live(), before);
}

#[test]
fn owned_value_survives_panics_in_default_and_drop() {
    let (classes, before) = (registry(), live());
    assert!(OwnedValue::new(&classes, 7).is_err());
    light_fuse(0);
    assert!(panics(|| drop(OwnedValue::new(&classes, 5))));
    assert_eq!(live(), before);
    let mut value = OwnedValue::new(&classes, 5).unwrap();
    value.as_mut().downcast_mut::<Bomb>().unwrap().name = "mine".into();
    light_fuse(0);
    assert!(panics(|| value.reset()), "in the default");
    assert_eq!((value.as_ref().downcast_ref::<Bomb>().unwrap().name.as_str(), live() - before), ("mine", 1));
    light_fuse(1);
    assert!(panics(|| value.reset()), "in the drop of the old one");
    assert_eq!(
        (value.as_ref().downcast_ref::<Bomb>().unwrap().name.as_str(), live() - before),
        ("ticktickticktick".get(..12).unwrap(), 1)
    );
    light_fuse(0);
    assert!(panics(|| drop(value)));
    assert_eq!(live(), before);
}

#[test]
fn owned_values_of_every_class_reset_to_their_default() {
    for kind in 0..6 {
        let before = live();
        let mut value = OwnedValue::new(&registry(), kind).unwrap();
        (0..3).for_each(|_| value.reset());
        if let Some(small) = value.as_mut().downcast_mut::<Small>() {
            small.v = 1;
        }
        value.reset();
        assert!(value.as_ref().downcast_ref::<Small>().is_none_or(|small| small.v == 7));
        drop(value);
        assert_eq!(live(), before);
    }
}
