//! Resources and events of a world.

use std::panic::{AssertUnwindSafe, catch_unwind};

use juliet::ResourceError;
use juliet::prelude::*;

use super::{Orc, orcs, world};

#[derive(Debug, PartialEq)]
struct Score(i32);

#[derive(Debug, PartialEq)]
struct Hit(u32);

#[test]
fn resource_and_entities_are_borrowed_at_a_time() {
    let (mut world, _) = orcs(3);
    assert!(
        matches!(world.resource::<Score>(), Err(ResourceError::Missing { name }) if name.ends_with("shared::Score"))
    );
    assert!(world.with_resource(|_: &mut Score, _| ()).is_err());
    world.insert_resource(Score(0));
    let sum = world.with_resource(|score: &mut Score, world| {
        assert!(matches!(world.resource::<Score>(), Err(ResourceError::Lent { .. })));
        assert!(matches!(world.with_resource(|_: &mut Score, _| ()), Err(ResourceError::Lent { .. })));
        for mut item in world.iter_of_mut::<Orc>() {
            item.value.health -= 1;
            score.0 += item.value.health;
        }
        score.0
    });
    assert_eq!((sum, world.resource::<Score>()), (Ok(27), Ok(&Score(27))));
    assert_eq!(world.remove_resource::<Score>(), Ok(Score(27)));
    assert!(!world.contains_resource::<Score>());
}

#[test]
fn resource_is_back_after_a_panic() {
    let mut world = world();
    world.insert_resource(Score(1));
    let work = |score: &mut Score, _: &mut World| {
        score.0 = 2;
        panic!("bad work");
    };
    assert!(catch_unwind(AssertUnwindSafe(|| world.with_resource::<Score, ()>(work))).is_err());
    assert_eq!(world.resource::<Score>(), Ok(&Score(2)));
}

#[test]
fn resource_put_in_meanwhile_stays() {
    let mut world = world();
    world.insert_resource(Score(1));
    world.with_resource(|_: &mut Score, world| world.insert_resource(Score(2))).unwrap();
    assert_eq!(world.resource::<Score>(), Ok(&Score(2)));
}

#[test]
fn events_reach_readers_before_and_behind_their_sender() {
    let mut world = world();
    world.insert_resource(Vec::<(&str, u32)>::new());
    let reader = |name: &'static str| {
        let mut cursor = EventCursor::<Hit>::default();
        move |world: &mut World| {
            let read: Vec<_> = cursor.read(world.events()).map(|hit| (name, hit.0)).collect();
            world.resource_mut::<Vec<(&str, u32)>>().unwrap().extend(read);
            assert_eq!(cursor.missed(), 0);
        }
    };
    let mut frame = 0;
    world.add_system(system("early", reader("early"))).unwrap();
    let send = move |world: &mut World| {
        frame += 1;
        if frame <= 2 {
            world.send(Hit(frame));
        }
    };
    world.add_system(system("send", send)).unwrap();
    world.add_system(system("late", reader("late"))).unwrap();
    for _ in 0..4 {
        world.update().unwrap();
    }
    let read = world.remove_resource::<Vec<(&str, u32)>>().unwrap();
    assert_eq!(read, [("late", 1), ("early", 1), ("late", 2), ("early", 2)]);
    assert!(world.events::<Hit>().is_empty());
    world.send(Hit(9));
    let mut from_now = world.event_cursor::<Hit>();
    world.send(Hit(10));
    assert_eq!(from_now.read(world.events()).collect::<Vec<_>>(), [&Hit(10)]);
}
