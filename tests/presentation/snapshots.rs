//! Sections 4, 5, 7, 8 and 11.4: the snapshot.

use juliet::game_loop::InvalidOption;
use juliet::presentation::{Pose, Position2D, Positions, Radians, SampleError, SnapshotError, Turns};
use juliet::sim_math::Vec2;

use juliet::prelude::{EntityHandle, Fix, Fp32Pinned, Fpx16_16, PresentationSnapshot, Quat, SimMath, SnapshotOptions};

use super::world::{Places, at, at32, bare_loop, raw, snapshot};

const MS: i64 = 1_000_000;

type Q = Fpx16_16;

/// x in halves of a unit, of a sample that must be there.
#[track_caller]
fn halves(snapshot: &PresentationSnapshot<Q>, world: &Places<Q>, entity: EntityHandle) -> i32 {
    let sample = snapshot.sample_position(world, entity).unwrap();
    assert_eq!(sample.x.raw() % 32_768, 0);
    sample.x.raw() / 32_768
}

#[test]
fn s4_positions_have_eight_bytes_in_both_backends() {
    assert_eq!((size_of::<Position2D<Q>>(), size_of::<Position2D<Fp32Pinned>>()), (8, 8));
    assert_eq!(Position2D::<Q>::default().at, at(0, 0));
    assert_eq!(Pose::from(Position2D::<Fp32Pinned>::new(1.0, 2.0)).position, at32(1.0, 2.0));
}

#[test]
fn s7_2_rates_out_of_range_are_refused_before_anything_is_allocated() {
    // A table of this size could not be had.
    let made = |tick_rate_hz| PresentationSnapshot::<Q>::new(usize::MAX, 0, SnapshotOptions { tick_rate_hz }).map(drop);
    for tick_rate_hz in [0, 19, 121, u32::MAX] {
        assert_eq!(made(tick_rate_hz), Err(SnapshotError::Option(InvalidOption::TickRate { tick_rate_hz })));
    }
    assert_eq!(made(60), Err(SnapshotError::Memory { capacity: usize::MAX }));
    assert_eq!(SnapshotOptions::default().tick_rate_hz, 60);
}

#[test]
fn s7_2_any_start_and_capacity_zero_are_legal() {
    for tick_rate_hz in [20, 120] {
        for start in [i64::MIN, -1, 0, i64::MAX] {
            let made = PresentationSnapshot::<Q>::new(0, start, SnapshotOptions { tick_rate_hz }).unwrap();
            assert_eq!((made.alpha(), made.last_tick(), made.capacity()), (Fix::ZERO, 0, 0));
        }
    }
    let mut world = Places::<Q>::new(1);
    let entity = world.spawn(at(3, 4));
    let mut snapshot = PresentationSnapshot::<Q>::new(0, 0, SnapshotOptions::default()).unwrap();
    snapshot.on_tick(&world, 1);
    assert_eq!(snapshot.sample_position(&world, entity), Ok(at(3, 4)));
}

#[test]
fn s7_2_snapshots_of_one_world_are_independent() {
    let mut world = Places::<Q>::new(1);
    let entity = world.spawn(at(0, 0));
    let (mut a, mut b) = (snapshot(&world, 100), snapshot(&world, 100));
    a.on_tick(&world, 1);
    world.set(entity, at(2, 0));
    a.on_tick(&world, 2);
    b.on_tick(&world, 2);
    for snapshot in [&mut a, &mut b] {
        snapshot.on_render_frame(25 * MS);
    }
    assert_eq!((halves(&a, &world, entity), halves(&b, &world, entity)), (2, 4));
}

#[test]
fn s7_3_alpha_stays_until_the_next_render_frame() {
    let mut world = Places::<Q>::new(1);
    let entity = world.spawn(at(0, 0));
    let mut snapshot = snapshot(&world, 100);
    snapshot.on_tick(&world, 1);
    snapshot.on_render_frame(15 * MS);
    assert_eq!(snapshot.alpha().raw(), 32_768);
    world.set(entity, at(1, 0));
    snapshot.on_tick(&world, 2);
    assert_eq!((snapshot.alpha().raw(), snapshot.last_tick(), halves(&snapshot, &world, entity)), (32_768, 2, 1));
}

#[test]
fn s7_3_tick_numbers_are_taken_as_they_come() {
    let mut world = Places::<Q>::new(1);
    let entity = world.spawn(at(0, 0));
    let mut snapshot = snapshot(&world, 100);
    for (tick, x) in [(u64::MAX, 1), (0, 2), (0, 3), (7, 4)] {
        world.set(entity, at(x, 0));
        snapshot.on_tick(&world, tick);
        assert_eq!(snapshot.last_tick(), tick);
        snapshot.on_render_frame(75 * MS);
    }
    assert_eq!(halves(&snapshot, &world, entity), 7);
    // 0 is "no tick yet", with states.
    world.set(entity, at(5, 0));
    snapshot.on_tick(&world, 0);
    snapshot.on_render_frame(i64::MAX);
    assert_eq!((snapshot.alpha(), halves(&snapshot, &world, entity)), (Fix::ZERO, 8));
}

#[test]
fn s7_3_several_ticks_in_a_frame_leave_the_two_latest() {
    let mut world = Places::<Q>::new(4);
    let entity = world.spawn(at(0, 0));
    let mut game_loop = bare_loop(100, 5);
    let mut snapshot = snapshot(&world, 100);
    for now in [0, 45 * MS] {
        let run = |world: &mut Places<Q>, tick: u64| {
            world.set(entity, at(tick as i32, 0));
            Ok::<_, ()>(())
        };
        game_loop.frame_at(now, &mut world, run, |world, tick| snapshot.on_tick(world, tick)).unwrap();
        snapshot.on_render_frame(now);
    }
    assert_eq!((snapshot.last_tick(), halves(&snapshot, &world, entity)), (4, 7));
}

#[test]
fn s7_4_nothing_refreshed_is_shown_where_it_is() {
    let mut world = Places::<Q>::new(2);
    let entity = world.spawn(at(5, 0));
    let mut snapshot = snapshot(&world, 100);
    snapshot.on_render_frame(5 * MS);
    assert_eq!(snapshot.sample_position(&world, entity), Ok(at(5, 0)));
    world.set(entity, at(6, 1));
    assert_eq!(snapshot.sample_position(&world, entity), Ok(at(6, 1)));
}

#[test]
fn s7_4_seen_by_one_refresh_only_is_its_value_at_every_alpha() {
    let mut world = Places::<Q>::new(2);
    let mut snapshot = snapshot(&world, 100);
    snapshot.on_tick(&world, 1);
    let entity = world.spawn(at(5, 0));
    snapshot.on_tick(&world, 2);
    // Later changes wait for the next tick.
    world.set(entity, at(9, 0));
    for now in [20, 22, 25, 30, 90] {
        snapshot.on_render_frame(now * MS);
        assert_eq!(snapshot.sample_position(&world, entity), Ok(at(5, 0)));
    }
}

#[test]
fn s7_4_new_after_the_latest_refresh_is_shown_where_it_is_though_alpha_is_not_zero() {
    let mut world = Places::<Q>::new(2);
    let mut snapshot = snapshot(&world, 100);
    let bare = world.spawn_bare();
    snapshot.on_tick(&world, 1);
    snapshot.on_tick(&world, 2);
    snapshot.on_render_frame(25 * MS);
    let new = world.spawn(at(5, 5));
    world.set(bare, at(6, 6));
    assert_eq!(snapshot.alpha().raw(), 32_768);
    assert_eq!(snapshot.sample_position(&world, new), Ok(at(5, 5)));
    assert_eq!(snapshot.sample_position(&world, bare), Ok(at(6, 6)));
}

#[test]
fn s7_4_a_reused_slot_has_no_past() {
    let mut world = Places::<Q>::new(1);
    let old = world.spawn(at(0, 0));
    let mut snapshot = snapshot(&world, 100);
    snapshot.on_tick(&world, 1);
    snapshot.on_tick(&world, 2);
    world.remove(old);
    let new = world.spawn(at(7, 0));
    assert_eq!(old.index(), new.index());
    snapshot.on_render_frame(25 * MS);
    assert_eq!(snapshot.sample_position(&world, new), Ok(at(7, 0)));
    assert_eq!(snapshot.sample_position(&world, old), Err(SampleError::Stale { handle: old }));
    world.set(new, at(8, 0));
    snapshot.on_tick(&world, 3);
    snapshot.on_render_frame(35 * MS);
    assert_eq!(snapshot.sample_position(&world, new), Ok(at(8, 0)));
    world.set(new, at(9, 0));
    snapshot.on_tick(&world, 4);
    snapshot.on_render_frame(45 * MS);
    assert_eq!(halves(&snapshot, &world, new), 17);
}

#[test]
fn s7_4_removed_and_given_again_between_refreshes_is_known() {
    let mut world = Places::<Q>::new(1);
    let entity = world.spawn(at(0, 0));
    let mut snapshot = snapshot(&world, 100);
    snapshot.on_tick(&world, 1);
    world.take(entity);
    world.set(entity, at(1, 0));
    snapshot.on_tick(&world, 2);
    snapshot.on_render_frame(25 * MS);
    assert_eq!(halves(&snapshot, &world, entity), 1);
}

#[test]
fn s7_4_absent_at_a_refresh_snaps_when_it_is_back() {
    for absent in [1, 2, 3] {
        let mut world = Places::<Q>::new(1);
        let entity = world.spawn(at(0, 0));
        let mut snapshot = snapshot(&world, 100);
        snapshot.on_tick(&world, 1);
        world.take(entity);
        for tick in 0..absent {
            snapshot.on_tick(&world, 2 + tick);
        }
        world.set(entity, at(8, 0));
        // Back, and no refresh yet.
        snapshot.on_render_frame(i64::MAX);
        assert_eq!(snapshot.sample_position(&world, entity), Ok(at(8, 0)));
        let tick = 2 + absent;
        snapshot.on_tick(&world, tick);
        snapshot.on_render_frame(tick as i64 * 10 * MS + 5 * MS);
        assert_eq!((snapshot.alpha().raw(), halves(&snapshot, &world, entity)), (32_768, 16));
    }
}

#[test]
fn s7_5_alpha_at_the_edges_of_a_tick() {
    let world = Places::<Q>::new(0);
    let mut snapshot = snapshot(&world, 100);
    let mut alpha = |tick, now| {
        snapshot.on_tick(&world, tick);
        snapshot.on_render_frame(now);
        snapshot.alpha().raw()
    };
    for now in [i64::MIN, -1, 0, 5 * MS, i64::MAX] {
        assert_eq!(alpha(0, now), 0);
    }
    for now in [i64::MIN, -1, 0, 19_999_999, 20 * MS] {
        assert_eq!(alpha(2, now), 0);
    }
    assert_eq!([25 * MS, 30 * MS, 31 * MS, i64::MAX].map(|now| alpha(2, now)), [32_768, 65_536, 65_536, 65_536]);
}

#[test]
fn s7_5_anchors_are_not_rounded() {
    let mut snapshot = PresentationSnapshot::<Fp32Pinned>::new(0, 0, SnapshotOptions::default()).unwrap();
    snapshot.on_tick(&Places::new(0), 1);
    for (now, bits) in [(16_666_666, 0), (16_666_667, 0x32ab_cc77), (33_333_333, 0x3f80_0000)] {
        snapshot.on_render_frame(now);
        assert_eq!(snapshot.alpha().to_bits(), bits);
    }
}

#[test]
fn s6_5_while_there_is_a_backlog_the_newest_state_is_shown() {
    let mut world = Places::<Q>::new(1);
    let entity = world.spawn(at(0, 0));
    let mut game_loop = bare_loop(60, 2);
    let mut snapshot = snapshot(&world, 60);
    for now in [0, 500 * MS, 501 * MS] {
        let run = |world: &mut Places<Q>, tick: u64| {
            world.set(entity, at(tick as i32, 0));
            Ok::<_, ()>(())
        };
        game_loop.frame_at(now, &mut world, run, |world, tick| snapshot.on_tick(world, tick)).unwrap();
        snapshot.on_render_frame(now);
    }
    assert_eq!((snapshot.alpha(), halves(&snapshot, &world, entity)), (Fix::ONE, 8));
}

#[test]
fn s7_7_handles_without_a_sample_are_told_apart() {
    let mut world = Places::<Q>::new(4);
    let (bare, gone, lost) = (world.spawn_bare(), world.spawn(at(1, 1)), world.spawn(at(2, 2)));
    let mut snapshot = snapshot(&world, 60);
    snapshot.on_tick(&world, 1);
    world.remove(gone);
    world.take(lost);
    let sample = |handle| snapshot.sample_position(&world, handle);
    assert_eq!(sample(bare), Err(SampleError::NoPosition { handle: bare }));
    assert_eq!(sample(lost), Err(SampleError::NoPosition { handle: lost }));
    assert_eq!(sample(gone), Err(SampleError::Stale { handle: gone }));
    assert_eq!(sample(EntityHandle::NULL), Err(SampleError::Stale { handle: EntityHandle::NULL }));
    // Of another world, whose slots are numbered the same.
    let mut other = Places::<Q>::new(4);
    let foreign = other.spawn(at(3, 3));
    assert_eq!(sample(foreign), Err(SampleError::Stale { handle: foreign }));
}

#[test]
fn s7_7_a_difference_that_saturates_stops_short() {
    let mut world = Places::<Q>::new(1);
    let entity = world.spawn(raw(i32::MIN, 0));
    let mut snapshot = snapshot(&world, 100);
    snapshot.on_tick(&world, 1);
    world.set(entity, raw(i32::MAX, 0));
    snapshot.on_tick(&world, 2);
    snapshot.on_render_frame(30 * MS);
    assert_eq!(snapshot.sample_position(&world, entity), Ok(raw(-1, 0)));
}

#[test]
fn s7_7_a_larger_world_is_a_mistake_that_does_no_harm() {
    let mut world = Places::<Q>::new(8);
    let entities: Vec<_> = (0..8).map(|x| world.spawn(at(x, 0))).collect();
    let mut snapshot = PresentationSnapshot::<Q>::new(3, 0, SnapshotOptions { tick_rate_hz: 100 }).unwrap();
    snapshot.on_tick(&world, 1);
    for (x, &entity) in (0..).zip(&entities) {
        world.set(entity, at(x + 2, 0));
    }
    snapshot.on_tick(&world, 2);
    snapshot.on_render_frame(25 * MS);
    let shown: Vec<_> = entities.iter().map(|&entity| halves(&snapshot, &world, entity)).collect();
    assert_eq!(shown, [2, 4, 6, 10, 12, 14, 16, 18]);
    // Another world altogether: nobody is known.
    let mut other = Places::<Q>::new(8);
    let stranger = other.spawn(at(40, 0));
    assert_eq!(halves(&snapshot, &other, stranger), 80);
}

#[test]
fn s8_a_synthetic_start_may_be_given_before_the_first_frame() {
    let mut world = Places::<Fp32Pinned>::new(1);
    let entity = world.spawn(at32(0.0, 0.0));
    let options = SnapshotOptions { tick_rate_hz: 100 };
    let mut snapshot = PresentationSnapshot::<Fp32Pinned>::new(1, 500, options).unwrap();
    let mut game_loop = bare_loop(100, 5);
    for now in [500, 15 * MS + 500] {
        let run = |world: &mut Places<Fp32Pinned>, _| {
            world.set(entity, at32(8.0, -8.0));
            Ok::<_, ()>(())
        };
        game_loop.frame_at(now, &mut world, run, |world, tick| snapshot.on_tick(world, tick)).unwrap();
        snapshot.on_render_frame(now);
    }
    assert_eq!(snapshot.alpha(), 0.5);
    assert_eq!(snapshot.sample_position(&world, entity), Ok(at32(8.0, -8.0)));
}

#[test]
fn s11_4_a_tick_story() {
    let mut world = Places::<Q>::new(2);
    let mut snapshot = snapshot(&world, 100);
    let first = world.spawn(at(0, 0));
    let shown = |snapshot: &mut PresentationSnapshot<Q>, world: &Places<Q>, entity, ms| {
        snapshot.on_render_frame(ms * MS);
        let x = snapshot.sample_position(world, entity).unwrap().x;
        f64::from(x.raw()) / 65_536.0
    };
    assert_eq!(shown(&mut snapshot, &world, first, 5), 0.0);
    for (tick, ms) in [(1, 10), (2, 20)] {
        world.set(first, at(tick, 0));
        snapshot.on_tick(&world, tick as u64);
        assert_eq!(shown(&mut snapshot, &world, first, ms), 1.0);
    }
    for (ms, x) in [(25, 1.5), (30, 2.0), (1_000, 2.0)] {
        assert_eq!(shown(&mut snapshot, &world, first, ms), x);
    }
    assert_eq!(shown(&mut snapshot, &world, first, 25) + f64::from(snapshot.alpha().raw()) / 65_536.0, 2.0);
    snapshot.on_render_frame(27_500_000);
    assert_eq!(snapshot.sample_position(&world, first).unwrap().x.raw(), 65_536 + 49_152);
    let second = world.spawn(at(5, 0));
    assert_eq!(shown(&mut snapshot, &world, second, 25), 5.0);
    for (tick, x, ms, expected) in [(3, 6, 35, 6.0), (4, 7, 45, 6.5)] {
        world.set(second, at(x, 0));
        snapshot.on_tick(&world, tick);
        assert_eq!(shown(&mut snapshot, &world, second, ms), expected);
    }
}

#[test]
fn a_walk_shows_what_samples_show() {
    let mut world = Places::<Q>::new(50);
    let entities: Vec<_> = (0..40).map(|x| world.spawn(at(x, 0))).collect();
    let mut snapshot = snapshot(&world, 100);
    snapshot.on_tick(&world, 1);
    for (index, &entity) in entities.iter().enumerate() {
        match index % 4 {
            0 => world.remove(entity),
            1 => world.take(entity),
            _ => world.set(entity, at(100, 7)),
        }
    }
    world.spawn(at(3, 3));
    snapshot.on_tick(&world, 2);
    world.spawn(at(4, 4));
    snapshot.on_render_frame(23 * MS);
    let mut count = 0;
    snapshot.for_each_sample(&world, |entity, pose| {
        assert_eq!(snapshot.sample(&world, entity), Ok(pose));
        count += 1;
    });
    assert_eq!(count, 22);
}

/// A world of two states, shown half way between them.
fn half_way<B: SimMath, C: juliet::presentation::Interpolate<B>>(prev: C, curr: C) -> Pose<B, C> {
    let pose = |x, channel| Pose { position: Vec2::<B>::new(B::from_i32(x), B::ZERO), channel };
    let mut world = Places::<B, C>::new(2);
    let entity = world.spawn(pose(0, prev));
    let mut snapshot = snapshot(&world, 100);
    snapshot.on_tick(&world, 1);
    world.set(entity, pose(2, curr));
    snapshot.on_tick(&world, 2);
    snapshot.on_render_frame(25 * MS);
    let shown = snapshot.sample(&world, entity).unwrap();
    assert_eq!(shown.position.x, B::ONE);
    // New ones snap in all channels.
    let new = world.spawn(pose(9, curr));
    assert_eq!(world.get(new).unwrap().position, snapshot.sample_position(&world, new).unwrap());
    shown
}

#[test]
fn declared_channels_go_the_shorter_way() {
    assert_eq!(half_way::<Q, _>(Turns(0xff00), Turns(0x0200)).channel, Turns(0x0080));
    let Radians(angle) = half_way::<Fp32Pinned, _>(Radians(3.0), Radians(-3.0)).channel;
    assert!((angle.abs() - std::f32::consts::PI).abs() < 1e-5);
    let (prev, curr) = (Quat::from_rotation_y(0.2), -Quat::from_rotation_y(0.6));
    let (rotation, spin) = half_way::<Fp32Pinned, _>((prev, Radians(0.0)), (curr, Radians(1.0))).channel;
    assert!(rotation.angle_between(Quat::from_rotation_y(0.4)) < 1e-3);
    assert_eq!(spin, Radians(0.5));
}
