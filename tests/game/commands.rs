//! Commands: what is put off, in which order it comes, and what becomes of its errors.

use std::collections::BTreeSet;

use juliet::prelude::*;
use juliet::{CommandFailure, QueryError};

use super::{Asleep, Orc, Velocity, orc, orcs, world};

fn velocity(x: f32) -> Velocity {
    Velocity { linear: Vec3::new(x, 0.0, 0.0), note: String::new() }
}

/// K29: entities come and go while a system walks over them.
#[test]
fn pass_visits_what_there_was_and_the_frame_ends_with_what_there_is_to_be() {
    let (mut world, handles) = orcs(10);
    for &handle in &handles {
        world.add_component(handle, velocity(1.0)).unwrap();
    }
    let all = handles.clone();
    let mut is_first = true;
    let pass = move |world: &mut World| {
        if !std::mem::take(&mut is_first) {
            return;
        }
        let list = world.list().with::<Velocity>().collect();
        let mut visited = Vec::new();
        for handle in &list {
            let number = all.iter().position(|&it| it == handle).unwrap();
            visited.push(number);
            assert_eq!(world.is_pending_removal(handle), matches!(number, 1 | 8 | 9));
            assert!(world.get::<Orc>(handle).is_some() && world.component::<Velocity>(handle).is_some());
            let commands = world.commands();
            match number {
                0 => [0, 1, 9].into_iter().for_each(|i| commands.remove(all[i])),
                4 => ["10", "11"].into_iter().for_each(|name| {
                    commands.spawn(orc(name), Vec3::ZERO);
                }),
                5 => commands.remove_component::<Velocity>(all[6]),
                7 => all.iter().for_each(|&handle| commands.remove(handle)),
                _ => {}
            }
        }
        assert_eq!(visited, (0..10).collect::<Vec<_>>());
    };
    world.add_system(system("pass", pass)).unwrap();
    let report = world.update().unwrap();
    assert!(report.errors.is_empty());
    let names = |world: &World| world.iter_of::<Orc>().map(|(_, orc)| orc.name.clone()).collect::<BTreeSet<_>>();
    let new = BTreeSet::from(["10".to_owned(), "11".to_owned()]);
    assert_eq!((report.spawned.len(), world.len()), (2, 2));
    assert_eq!(names(&world), new);
    assert!(handles.iter().all(|&handle| world.base(handle).is_none() && !world.is_pending_removal(handle)));
    assert_eq!(world.list().without::<Velocity>().len(), 2);
    assert_eq!(world.entities().count_of_component(0), 0);
    world.update().unwrap();
    assert_eq!(names(&world), new);
    world.entities().validate().unwrap();
}

#[test]
fn commands_come_in_the_order_in_which_they_were_given() {
    let (mut world, handles) = orcs(1);
    let commands = world.commands();
    let made = commands.spawn(orc("new"), Vec3::X);
    commands.add_component(made, velocity(1.0));
    commands.add_component(made, velocity(2.0));
    commands.add_component(handles[0], Asleep);
    commands.remove_component::<Asleep>(handles[0]);
    commands.run(|world| assert_eq!(world.len(), 2));
    commands.remove(handles[0]);
    commands.run(|world| assert_eq!(world.len(), 1));
    assert_eq!((commands.len(), world.len()), (8, 1));
    let report = world.cleanup().unwrap();
    let [(ticket, handle)] = report.spawned[..] else { panic!("one was made") };
    assert_eq!((ticket, report.errors.len()), (made, 0));
    assert_eq!(world.component::<Velocity>(handle), Some(&velocity(2.0)));
    assert_eq!((world.position(handle).unwrap().x, world.len()), (1.0, 1));
    assert!(world.commands().is_empty());
}

#[test]
fn addition_wins_over_a_removal_that_waits() {
    let (mut world, handles) = orcs(2);
    for &handle in &handles {
        world.add_component(handle, velocity(1.0)).unwrap();
        world.commands().remove_component::<Velocity>(handle);
    }
    // At once: the component is still there and stays.
    assert_eq!(*world.add_component(handles[0], velocity(2.0)).unwrap(), velocity(1.0));
    // Put off: removal and addition in their order.
    world.commands().add_component(handles[1], velocity(2.0));
    assert!(world.cleanup().unwrap().errors.is_empty());
    assert_eq!(world.component::<Velocity>(handles[0]), Some(&velocity(1.0)));
    assert_eq!(world.component::<Velocity>(handles[1]), Some(&velocity(2.0)));
    // A removal after that is one.
    world.commands().remove_component::<Velocity>(handles[0]);
    world.cleanup().unwrap();
    assert_eq!(world.component::<Velocity>(handles[0]), None);
}

#[test]
fn errors_are_told_with_the_place_of_the_call_and_nothing_is_lost() {
    let (mut world, handles) = orcs(2);
    let gone = handles[0];
    world.remove(gone).unwrap();
    let commands = world.commands();
    commands.add_component(gone, Asleep);
    let line = line!() - 1;
    commands.remove(gone);
    commands.remove_component::<Asleep>(gone);
    commands.remove_component::<Asleep>(handles[1]);
    commands.try_run(|_| Err("no"));
    let early = commands.spawn(orc("a"), Vec3::ZERO);
    let report = world.cleanup().unwrap();
    world.commands().add_component(early, Asleep);
    world.commands().spawn(orc("b"), Vec3::ZERO);
    let later = world.cleanup().unwrap();
    assert_eq!(report.errors.len(), 2);
    assert_eq!(
        report.errors[0].to_string(),
        format!(
            "command of tests/game/commands.rs:{line}:14: `Asleep` is not added to {gone:?}: stale handle {gone:?}"
        )
    );
    assert!(matches!(report.errors[1].failure, CommandFailure::Failed(_)));
    assert!(matches!(later.errors[..], [ref error] if matches!(error.failure, CommandFailure::NotMade { .. })));
    assert_eq!(world.len(), 3);
}

#[test]
fn command_that_a_command_gives_is_for_the_next_frame() {
    fn again(world: &mut World) {
        world.resource_mut::<u32>().unwrap().clone_from(&7);
        world.commands().run(again);
    }
    let mut world = world();
    world.insert_resource(0u32);
    world.commands().run(again);
    for _ in 0..3 {
        *world.resource_mut::<u32>().unwrap() = 0;
        world.cleanup().unwrap();
        assert_eq!((world.resource::<u32>().copied(), world.commands().len()), (Ok(7), 1));
    }
}

#[test]
fn what_was_never_saved_is_not_kept_when_a_game_removes_it() {
    let (mut world, handles) = orcs(3);
    handles.iter().for_each(|&handle| world.commands().remove(handle));
    world.cleanup().unwrap();
    assert_eq!(world.removed().count(), 0);
    // An editor removes at once, and can restore.
    let handle = world.spawn(orc("a"), Vec3::ZERO).unwrap();
    let id = world.remove(handle).unwrap();
    assert!(world.restore(id).is_ok());
}

#[test]
fn query_of_a_world_reads_and_writes_and_refuses_the_same_type_twice() {
    let (mut world, handles) = orcs(200);
    for &handle in handles.iter().step_by(2) {
        world.add_component(handle, velocity(1.0)).unwrap();
    }
    assert!(matches!(world.query::<(&mut Velocity, &Velocity)>(), Err(QueryError::Twice { name: "Velocity" })));
    assert!(matches!(world.query::<(&Position, &mut Position)>(), Err(QueryError::Twice { .. })));
    let query = world.query::<(&mut Orc, &Velocity, &mut Position)>().unwrap();
    query.par_for_each(|_, (mut orc, velocity, mut position)| {
        orc.health += 1;
        position.x += velocity.linear.x;
    });
    let query = world.query::<(&Orc, Option<&Velocity>, &Position)>().unwrap();
    let mut count = 0;
    query.for_each(|_, (orc, velocity, position)| {
        let moves = velocity.is_some();
        assert_eq!((orc.health, position.x), (10 + i32::from(moves), f32::from(moves)));
        count += 1;
    });
    assert_eq!(count, 200);
    assert_eq!(world.list().of_type::<Orc>().without::<Velocity>().len(), 100);
}
