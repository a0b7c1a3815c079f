//! K32 and K33: long frames, spawn and teleport.

use std::cell::Cell;

use juliet::game_loop::no_hook;
use juliet::presentation::{BasePositions, SampleError};

use juliet::prelude::{EntityHandle, Fpx16_16, GameLoop, LoopOptions, PresentationSnapshot, Project, Vec3, registry};

use super::world::{Places, Token, at, at32, bare_loop, idle, snapshot};

const MS: i64 = 1_000_000;
const SECOND: i64 = 1_000 * MS;

#[test]
fn k32_long_frames_run_five_ticks_each_until_the_backlog_is_gone() {
    let mut game_loop = bare_loop(60, 5);
    let mut now = 0;
    let mut ran = Vec::new();
    for step in [0, 16 * MS, 300 * MS, 10 * SECOND] {
        now += step;
        ran.push(idle(&mut game_loop, now));
    }
    // 18 are due after 316 ms, 618 after the stop.
    assert_eq!(ran, [0, 0, 5, 5]);
    let statistics = game_loop.statistics();
    assert_eq!((statistics.dropped_ticks, statistics.dropped_frames), (13 + 608, 2));
    let mut later = Vec::new();
    for frame in 1..=200 {
        later.push(idle(&mut game_loop, now + frame * SECOND / 60));
    }
    // 608 are left; each frame makes up 5 and adds 1.
    assert_eq!(later[..151], [5; 151]);
    assert!(later[152..].iter().all(|&ran| ran == 1), "{:?}", &later[150..]);
    assert_eq!(game_loop.ticks(), 618 + 200);
}

#[test]
fn k32_after_a_restart_there_is_no_backlog() {
    let mut game_loop = bare_loop(60, 5);
    idle(&mut game_loop, 0);
    idle(&mut game_loop, 16 * MS);
    game_loop.restart_at(10 * SECOND);
    assert_eq!((idle(&mut game_loop, 10 * SECOND), idle(&mut game_loop, 10 * SECOND + MS)), (0, 1));
    assert_eq!(game_loop.statistics().dropped_frames, 0);
}

#[test]
fn k32_a_clock_that_goes_back_stands_still_or_jumps_demands_nothing_negative() {
    let mut game_loop = bare_loop(60, 5);
    for now in [-2 * SECOND, -2 * SECOND + 50 * MS] {
        idle(&mut game_loop, now);
    }
    assert_eq!(game_loop.ticks(), 3);
    let back = [-2 * SECOND, -2 * SECOND, -2 * SECOND + 50 * MS].map(|now| idle(&mut game_loop, now));
    assert_eq!((back, game_loop.statistics().dropped_frames), ([0; 3], 0));
    // One frame at the end of time costs what any frame costs, and when the clock is back, so is the loop.
    assert_eq!(idle(&mut game_loop, i64::MAX), 5);
    assert_eq!([50, 60, 133].map(|ms| idle(&mut game_loop, -2 * SECOND + ms * MS)), [0, 0, 0]);
    assert_eq!(idle(&mut game_loop, -2 * SECOND + 150 * MS), 1);
}

#[cfg(not(debug_assertions))]
#[test]
fn k32_after_a_jump_to_the_least_reading_a_restart_helps() {
    let mut game_loop = bare_loop(60, 5);
    idle(&mut game_loop, 0);
    assert_eq!((idle(&mut game_loop, 50 * MS), idle(&mut game_loop, i64::MIN)), (3, 0));
    assert_eq!(game_loop.start_reference_ns(), i64::MIN);
    game_loop.restart_at(60 * MS);
    assert_eq!((idle(&mut game_loop, 60 * MS), idle(&mut game_loop, 77 * MS)), (0, 1));
}

#[test]
fn k32_ticks_that_take_twice_their_period_do_not_spiral() {
    let now = Cell::new(0);
    let mut game_loop = GameLoop::with_clock(LoopOptions::default(), || now.get()).unwrap();
    for frame in 0..100 {
        let slow = |(): &mut (), _| {
            now.set(now.get() + SECOND / 30);
            Ok::<_, ()>(())
        };
        let ran = game_loop.frame(&mut (), slow, no_hook).unwrap();
        assert!(ran <= 5, "{frame}");
        if frame == 0 {
            now.set(now.get() + SECOND / 60 + 1);
        }
    }
    // As many frames as ever, each of at most a sixth of a second.
    assert!(now.get() <= 100 * SECOND / 6 + SECOND);
}

#[test]
fn k32_an_hour_has_216_000_ticks_at_60_and_at_144_frames_a_second() {
    for frames_hz in [60, 144] {
        let mut game_loop = bare_loop(60, 5);
        for frame in 0..=3_600 * frames_hz {
            // The nearest nanosecond at or after the frame's moment.
            let now = (i128::from(frame) * i128::from(SECOND) + i128::from(frames_hz) - 1) / i128::from(frames_hz);
            idle(&mut game_loop, now as i64);
        }
        assert_eq!((game_loop.ticks(), game_loop.statistics().dropped_ticks), (216_000, 0));
    }
}

#[test]
fn k32_options_out_of_range_are_refused() {
    let made = |tick_rate_hz, max_catch_up_ticks| {
        GameLoop::new(LoopOptions { tick_rate_hz, max_catch_up_ticks }).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(made(60, 0), Err("a limit of 0 ticks in a frame; at least 1 is needed".into()));
    assert_eq!(made(60, u32::MAX), Ok(()));
    assert_eq!(made(0, 5), Err("a tick rate of 0 Hz; 20 to 120 are possible".into()));
}

/// A world at 60 Hz, one tick after another.
struct Stage {
    world: Places<Fpx16_16>,
    snapshot: PresentationSnapshot<Fpx16_16>,
    tick: u64,
}

impl Stage {
    fn at_tick(tick: u64) -> Self {
        let world = Places::new(8);
        let snapshot = snapshot(&world, 60);
        let mut stage = Self { world, snapshot, tick: 0 };
        (0..tick).for_each(|_| stage.tick());
        stage
    }

    fn tick(&mut self) {
        self.tick += 1;
        self.snapshot.on_tick(&self.world, self.tick);
    }

    /// x of the entity, in whole units, at alpha 0, ½ and 1.
    fn shown(&mut self, entity: EntityHandle) -> [i32; 3] {
        [0, 1, 2].map(|half| {
            let now = (2 * self.tick as i64 + half) * SECOND / 120 + i64::from(half > 0);
            self.snapshot.on_render_frame(now);
            let raw = self.snapshot.sample_position(&self.world, entity).unwrap().x.raw();
            (f64::from(raw) / 65_536.0).round() as i32
        })
    }
}

#[test]
fn k33_a_new_entity_never_slides_from_the_origin() {
    let mut stage = Stage::at_tick(9);
    let before = stage.world.spawn(at(100, 0));
    assert_eq!(stage.shown(before), [100; 3]);
    stage.tick();
    let between = stage.world.spawn(at(100, 0));
    for _ in 0..3 {
        assert_eq!((stage.shown(before), stage.shown(between)), ([100; 3], [100; 3]));
        stage.tick();
    }
}

#[test]
fn k33_a_jump_without_a_reset_is_one_tick_of_motion() {
    let mut stage = Stage::at_tick(0);
    let entity = stage.world.spawn(at(100, 0));
    (0..19).for_each(|_| stage.tick());
    stage.world.set(entity, at(-500, 0));
    stage.tick();
    assert_eq!(stage.shown(entity), [100, -200, -500]);
    stage.tick();
    assert_eq!(stage.shown(entity), [-500; 3]);
}

#[test]
fn k33_a_jump_with_a_reset_shows_at_once_and_for_good() {
    // In the tick of the jump before or after it, or after the refresh.
    for order in 0..3 {
        let mut stage = Stage::at_tick(0);
        let entity = stage.world.spawn(at(100, 0));
        (0..19).for_each(|_| stage.tick());
        if order == 0 {
            stage.snapshot.reset(entity);
        }
        stage.world.set(entity, at(-500, 0));
        if order == 1 {
            stage.snapshot.reset(entity);
        }
        stage.tick();
        if order == 2 {
            stage.snapshot.reset(entity);
        }
        for _ in 0..3 {
            assert_eq!(stage.shown(entity), [-500; 3], "{order}");
            stage.tick();
        }
    }
}

#[test]
fn k33_a_jump_in_a_frame_without_ticks_waits_for_the_tick_unless_it_is_reset() {
    let mut stage = Stage::at_tick(0);
    let entity = stage.world.spawn(at(100, 0));
    (0..20).for_each(|_| stage.tick());
    stage.world.set(entity, at(-500, 0));
    assert_eq!(stage.shown(entity), [100; 3]);
    stage.snapshot.reset(entity);
    assert_eq!(stage.shown(entity), [-500; 3]);
    stage.tick();
    assert_eq!(stage.shown(entity), [-500; 3]);
    stage.world.set(entity, at(-480, 0));
    stage.tick();
    assert_eq!(stage.shown(entity), [-500, -490, -480]);
}

#[test]
fn k33_a_destroyed_entity_is_an_error_and_its_slot_has_no_past() {
    let mut stage = Stage::at_tick(0);
    let old = stage.world.spawn(at(100, 0));
    (0..20).for_each(|_| stage.tick());
    stage.world.remove(old);
    let new = stage.world.spawn(at(7, 0));
    assert_eq!(old.index(), new.index());
    for _ in 0..2 {
        assert_eq!(stage.shown(new), [7; 3]);
        let sample = stage.snapshot.sample_position(&stage.world, old);
        assert_eq!(sample, Err(SampleError::Stale { handle: old }));
        stage.tick();
    }
}

#[test]
fn k33_a_loaded_world_is_shown_as_its_files_say() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("Worlds/W/Entities");
    std::fs::create_dir_all(&folder).unwrap();
    for x in 1..=3 {
        let text = format!("; entity_type: Token\n; id: {x}\nPosition: {x}0.0, 0.0, -{x}.5\n");
        std::fs::write(folder.join(format!("{x}.jasset")), text).unwrap();
    }
    let project = Project::open(root.path(), registry![Token].unwrap()).unwrap();
    let (world, report) = project.load_world("W").unwrap();
    assert!(report.diagnostics.is_empty());
    let mut snapshot = PresentationSnapshot::new(world.entities().capacity(), 0, Default::default()).unwrap();
    let ground = BasePositions::new(world.entities(), |at| at32(at.x, at.z).into());
    for (tick, now) in [(0, 0), (1, SECOND / 60 + 1), (2, SECOND / 24)] {
        snapshot.on_tick(&ground, tick);
        snapshot.on_render_frame(now);
        for x in 1..=3_u8 {
            let entity = world.entities().find_by_id(x.into()).unwrap();
            let there = at32(f32::from(x) * 10.0, -f32::from(x) - 0.5);
            assert_eq!(snapshot.sample_position(&ground, entity), Ok(there));
        }
    }
    assert_eq!(world.entities().position(EntityHandle::NULL).map(Vec3::from), None);
}

#[test]
fn k33_a_position_taken_for_a_tick_snaps_and_one_taken_between_ticks_does_not() {
    let mut stage = Stage::at_tick(0);
    let entity = stage.world.spawn(at(100, 0));
    stage.tick();
    stage.world.take(entity);
    stage.world.set(entity, at(200, 0));
    stage.tick();
    assert_eq!(stage.shown(entity), [100, 150, 200]);
    stage.world.take(entity);
    stage.tick();
    stage.world.set(entity, at(300, 0));
    assert_eq!(stage.shown(entity), [300; 3]);
    stage.tick();
    assert_eq!(stage.shown(entity), [300; 3]);
}
