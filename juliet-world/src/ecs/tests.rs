//! Resources and events without a world.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};

use super::{AllEvents, EventCursor, Events, FirstPanic, ResourceError, Resources};

#[derive(Debug, PartialEq)]
struct Score(u32);

#[test]
fn resource_is_one_of_its_type() {
    let mut resources = Resources::default();
    let missing = resources.get::<Score>().unwrap_err();
    assert_eq!(
        missing.to_string(),
        format!("there is no resource `{}`: put one in with `insert_resource`", std::any::type_name::<Score>())
    );
    assert_eq!((resources.insert(Score(1)), resources.insert(Score(2))), (None, Some(Score(1))));
    resources.get_mut::<Score>().unwrap().0 += 1;
    assert_eq!(resources.remove::<Score>(), Ok(Score(3)));
    assert!(!resources.contains::<Score>());
}

#[test]
fn lent_resource_is_told_from_a_missing_one() {
    let mut resources = Resources::default();
    resources.insert(Score(1));
    let lent = resources.lend::<Score>().unwrap();
    assert!(matches!(resources.get::<Score>(), Err(ResourceError::Lent { name }) if name.ends_with("Score")));
    assert!(matches!(resources.remove::<Score>(), Err(ResourceError::Lent { .. })));
    assert!(resources.contains::<Score>() && resources.give_back(lent).is_none());
    assert_eq!(resources.get::<Score>(), Ok(&Score(1)));
}

#[test]
fn resource_put_in_while_one_is_lent_stays() {
    let mut resources = Resources::default();
    resources.insert(Score(1));
    let lent = resources.lend::<Score>().unwrap();
    assert_eq!(resources.insert(Score(2)), None);
    assert_eq!(resources.give_back(lent).as_deref(), Some(&Score(1)));
    assert_eq!(resources.get::<Score>(), Ok(&Score(2)));
}

const NONE: [u32; 0] = [];

fn read(cursor: &mut EventCursor<u32>, events: &Events<u32>) -> Vec<u32> {
    let unread = cursor.read(events);
    let count = unread.len();
    let all: Vec<u32> = unread.copied().collect();
    assert_eq!(all.len(), count);
    all
}

#[test]
fn cursor_sees_each_event_once_within_two_frames() {
    let mut events = Events::default();
    let (mut early, mut late) = (EventCursor::default(), EventCursor::default());
    for frame in 0..10u32 {
        // One reads before the events of its frame, the other behind them.
        let before: Vec<u32> = frame.checked_sub(1).map_or(vec![], |last| vec![last * 2, last * 2 + 1]);
        assert_eq!(read(&mut early, &events), before);
        events.send(frame * 2);
        events.send(frame * 2 + 1);
        assert_eq!(read(&mut late, &events), [frame * 2, frame * 2 + 1]);
        assert_eq!(read(&mut late, &events), NONE);
        events.swap();
    }
    assert_eq!((early.missed(), late.missed()), (0, 0));
}

#[test]
fn cursor_that_comes_late_is_told_what_it_missed() {
    let mut events = Events::default();
    let mut cursor = EventCursor::default();
    assert_eq!(read(&mut cursor, &events), NONE);
    for event in 0..=5 {
        events.swap();
        events.send(event);
    }
    assert_eq!((read(&mut cursor, &events), cursor.missed()), (vec![4, 5], 4));
    let mut new = EventCursor::default();
    assert_eq!((read(&mut new, &events), new.missed()), (vec![4, 5], 0));
    assert_eq!(read(&mut EventCursor::at_end(&events), &events), NONE);
}

#[test]
fn cursor_of_other_events_reads_what_it_can() {
    let (mut many, mut few) = (Events::default(), Events::default());
    (0..10).for_each(|event| many.send(event));
    few.send(7);
    let mut cursor = EventCursor::at_end(&many);
    assert_eq!((read(&mut cursor, &few), cursor.missed()), (vec![7], 0));
    assert_eq!(read(&mut cursor, &few), NONE);
}

/// Panics when it is dropped.
struct Bad(u32);

impl Drop for Bad {
    fn drop(&mut self) {
        panic_any(self.0);
    }
}

/// The payload of the panic of `work`.
fn panic_of(work: impl FnOnce()) -> Option<u32> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_err().downcast_ref().copied()
}

#[test]
fn panics_in_drops_of_events_end_the_frame_of_every_type() {
    let mut all = AllEvents::default();
    all.get_or_new::<u32>().unwrap().send(1);
    (1..=3).for_each(|number| all.get_or_new::<Bad>().unwrap().send(Bad(number)));
    all.get_or_new::<u64>().unwrap().send(1);
    let mut panics = FirstPanic::default();
    all.swap(&mut panics);
    panics.resume();
    let mut panics = FirstPanic::default();
    all.swap(&mut panics);
    assert_eq!(panic_of(|| panics.resume()), Some(1));
    assert!(all.get::<u32>().unwrap().is_empty() && all.get::<u64>().unwrap().is_empty());
    assert!(all.get::<Bad>().unwrap().is_empty());
    let mut events = Events::default();
    (4..=6).for_each(|number| events.send(Bad(number)));
    events.swap();
    assert_eq!(panic_of(|| events.swap()), Some(4));
    assert!(events.is_empty());
}

#[test]
fn payload_of_a_panic_that_panics_itself_keeps_nothing_from_being_done() {
    let (mut panics, mut done) = (FirstPanic::default(), 0);
    for number in 0..3 {
        let result = panics.guard(|| {
            done += 1;
            panic_any(Bad(number));
        });
        assert!(result.is_none());
    }
    assert_eq!(done, 3);
    let first = catch_unwind(AssertUnwindSafe(|| panics.resume())).unwrap_err().downcast::<Bad>().unwrap();
    assert_eq!(first.0, 0);
    assert_eq!(panic_of(|| drop(first)), Some(0));
}
