//! Beyond the specification: the restart of the time base, and the reset of entities.

use juliet::game_loop::TimeBase;

use juliet::prelude::{Fix, Fp32Pinned, Fpx16_16, PresentationSnapshot, SimMath, SnapshotOptions};

use super::world::{Places, at, bare_loop, idle, snapshot};

const MS: i64 = 1_000_000;
const HOUR: i64 = 3_600_000 * MS;

#[test]
fn a_pause_is_no_time() {
    let mut game_loop = bare_loop(60, 5);
    for now in [0, 16 * MS, 40 * MS] {
        idle(&mut game_loop, now);
    }
    assert_eq!(game_loop.ticks(), 2);
    let now = 40 * MS + HOUR;
    game_loop.restart_at(now);
    assert_eq!((idle(&mut game_loop, now), idle(&mut game_loop, now + 9 * MS)), (0, 0));
    // Tick 3 is due 50 ms after the start without the pause.
    assert_eq!(idle(&mut game_loop, now + 10 * MS + 1), 1);
    assert_eq!((game_loop.statistics().dropped_ticks, game_loop.ticks()), (0, 3));
}

#[test]
fn a_backlog_is_left_behind() {
    let mut game_loop = bare_loop(60, 5);
    idle(&mut game_loop, 0);
    idle(&mut game_loop, HOUR);
    assert_eq!(game_loop.ticks(), 5);
    game_loop.restart_at(2 * HOUR);
    assert_eq!(game_loop.time_base().tick, 5);
    assert_eq!(idle(&mut game_loop, 2 * HOUR), 0);
    // The picture was at the newest state, so the next tick is due at once.
    assert_eq!(idle(&mut game_loop, 2 * HOUR + 1_000), 1);
    for frame in 1..=600 {
        assert_eq!(idle(&mut game_loop, 2 * HOUR + 1_000 + frame * 16_666_667), 1);
    }
    assert_eq!(game_loop.ticks(), 606);
}

#[test]
fn before_the_first_frame_there_is_nothing_to_restart() {
    let mut game_loop = bare_loop(60, 5);
    game_loop.restart_at(HOUR);
    assert_eq!(game_loop.time_base(), TimeBase { start_ns: 0, tick: 0 });
    idle(&mut game_loop, 7);
    assert_eq!(game_loop.time_base(), TimeBase { start_ns: 7, tick: 0 });
}

#[test]
fn the_picture_stays_where_it_stood() {
    for (rate, latest) in [(60, 40 * MS), (77, 123_456_789), (120, 8_333_334), (20, 49 * MS), (60, 10 * HOUR)] {
        let mut game_loop = bare_loop(rate, 5);
        let world = Places::<Fp32Pinned>::new(0);
        let mut snapshot =
            PresentationSnapshot::<Fp32Pinned>::new(0, 0, SnapshotOptions { tick_rate_hz: rate }).unwrap();
        idle(&mut game_loop, 0);
        idle(&mut game_loop, latest);
        snapshot.on_tick(&world, game_loop.ticks());
        snapshot.on_render_frame(latest);
        let before = snapshot.alpha();
        // However often, wherever the clock is.
        for now in [latest + HOUR, latest + HOUR, i64::MAX, -HOUR, 5] {
            game_loop.restart_at(now);
            snapshot.set_time_base(game_loop.time_base());
            snapshot.on_render_frame(now);
            assert!((snapshot.alpha() - before).abs() < 1e-6, "{rate} {latest}: {before} {}", snapshot.alpha());
            assert_eq!(idle(&mut game_loop, now), 0);
        }
    }
}

#[test]
fn a_restart_at_any_reading_runs_nothing_at_once() {
    let readings = [i64::MIN, i64::MIN + 1, -1, 0, 1, HOUR, i64::MAX - 1, i64::MAX];
    for first in readings {
        for second in readings.into_iter().filter(|&second| second >= first) {
            for third in readings {
                let mut game_loop = bare_loop(60, 5);
                idle(&mut game_loop, first);
                idle(&mut game_loop, second);
                game_loop.restart_at(third);
                assert_eq!(idle(&mut game_loop, third), 0);
            }
        }
    }
}

#[test]
fn anchors_before_the_base_are_more_than_a_tick_ago() {
    let mut snapshot = PresentationSnapshot::<Fpx16_16>::new(0, 0, SnapshotOptions::default()).unwrap();
    snapshot.set_time_base(TimeBase { start_ns: 0, tick: 10 });
    let world = Places::new(0);
    for (tick, alpha) in [(0, Fix::ZERO), (1, Fix::ONE), (9, Fix::ONE), (10, Fix::ZERO), (u64::MAX, Fix::ZERO)] {
        snapshot.on_tick(&world, tick);
        snapshot.on_render_frame(-5);
        assert_eq!(snapshot.alpha(), alpha, "{tick}");
    }
}

#[test]
fn a_reset_is_forgotten_after_two_ticks() {
    let mut world = Places::<Fpx16_16>::new(2);
    let (jumps, stays) = (world.spawn(at(0, 0)), world.spawn(at(0, 0)));
    let mut snapshot = snapshot(&world, 100);
    let mut shown = Vec::new();
    for tick in 1..=5 {
        if tick == 3 {
            // Before the jump: the order does not matter.
            snapshot.reset(jumps);
            world.set(jumps, at(100, 0));
        }
        for entity in [jumps, stays] {
            let x = juliet::presentation::Positions::get(&world, entity).unwrap().position.x;
            world.set(entity, super::world::raw(x.raw() + (2 << 16), 0));
        }
        snapshot.on_tick(&world, tick);
        snapshot.on_render_frame(tick as i64 * 10 * MS + 5 * MS);
        let x = |entity| Fpx16_16::to_i32(snapshot.sample_position(&world, entity).unwrap().x);
        shown.push((x(jumps), x(stays)));
    }
    assert_eq!(shown, [(2, 2), (3, 3), (102, 5), (103, 7), (105, 9)]);
}

#[test]
fn a_reset_of_a_stale_handle_leaves_the_new_owner_alone() {
    let mut world = Places::<Fpx16_16>::new(1);
    let old = world.spawn(at(0, 0));
    let mut snapshot = snapshot(&world, 100);
    snapshot.on_tick(&world, 1);
    world.remove(old);
    let new = world.spawn(at(0, 0));
    snapshot.on_tick(&world, 2);
    world.set(new, at(2, 0));
    snapshot.on_tick(&world, 3);
    snapshot.reset(old);
    snapshot.reset(juliet::EntityHandle::NULL);
    snapshot.on_render_frame(35 * MS);
    assert_eq!(snapshot.sample_position(&world, new), Ok(at(1, 0)));
    snapshot.reset(new);
    assert_eq!(snapshot.sample_position(&world, new), Ok(at(2, 0)));
}

#[test]
fn reset_all_snaps_everybody_once() {
    let mut world = Places::<Fpx16_16>::new(3);
    let entities = [0, 1, 2].map(|x| world.spawn(at(x, 0)));
    let mut snapshot = snapshot(&world, 100);
    snapshot.on_tick(&world, 1);
    entities.iter().for_each(|&entity| world.set(entity, at(50, 0)));
    snapshot.reset_all();
    snapshot.on_render_frame(15 * MS);
    let shown = |snapshot: &PresentationSnapshot<Fpx16_16>, world: &Places<_>| {
        entities.map(|entity| Fpx16_16::to_i32(snapshot.sample_position(world, entity).unwrap().x))
    };
    assert_eq!(shown(&snapshot, &world), [50; 3]);
    snapshot.on_tick(&world, 2);
    snapshot.on_render_frame(25 * MS);
    assert_eq!(shown(&snapshot, &world), [50; 3]);
    entities.iter().for_each(|&entity| world.set(entity, at(60, 0)));
    snapshot.on_tick(&world, 3);
    snapshot.on_render_frame(35 * MS);
    assert_eq!(shown(&snapshot, &world), [55; 3]);
}
