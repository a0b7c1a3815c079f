//! Section 6: the loop.

use std::cell::Cell;

use juliet::game_loop::{InvalidOption, LoopStatistics, no_hook};

use juliet::prelude::{GameLoop, LoopOptions};

use super::world::{bare_loop, idle};

const MS: i64 = 1_000_000;

fn options(tick_rate_hz: u32, max_catch_up_ticks: u32) -> LoopOptions {
    LoopOptions { tick_rate_hz, max_catch_up_ticks }
}

#[test]
fn s6_1_defaults_are_60_hz_and_5_ticks() {
    assert_eq!(LoopOptions::default(), options(60, 5));
}

#[test]
fn s6_1_options_are_checked_the_rate_first() {
    let made = |rate, limit| GameLoop::new(options(rate, limit)).map(drop);
    for rate in [0, 1, 19, 121, u32::MAX] {
        for limit in [0, 5] {
            assert_eq!(made(rate, limit), Err(InvalidOption::TickRate { tick_rate_hz: rate }));
        }
    }
    assert_eq!(made(60, 0), Err(InvalidOption::CatchUp { max_catch_up_ticks: 0 }));
    for (rate, limit) in [(20, 1), (120, 1), (60, u32::MAX)] {
        assert_eq!(made(rate, limit), Ok(()));
    }
}

#[test]
fn s6_1_creation_reads_no_clock() {
    let reads = Cell::new(0);
    let clock = || {
        reads.set(reads.get() + 1);
        7
    };
    let mut game_loop = GameLoop::with_clock(options(60, 5), clock).unwrap();
    assert_eq!(
        (reads.get(), game_loop.ticks(), game_loop.start_reference_ns(), game_loop.statistics()),
        (0, 0, 0, LoopStatistics::default())
    );
    assert_eq!((game_loop.tick_rate_hz(), game_loop.max_catch_up_ticks()), (60, 5));
    game_loop.frame(&mut (), |(), _| Ok::<_, ()>(()), no_hook).unwrap();
    assert_eq!((reads.get(), game_loop.start_reference_ns()), (1, 7));
}

#[test]
fn s6_1_the_default_clock_is_monotonic() {
    let mut game_loop = GameLoop::new(LoopOptions::default()).unwrap();
    let mut latest = game_loop.now_ns();
    for _ in 0..1_000 {
        game_loop.frame(&mut (), |(), _| Ok::<_, ()>(()), no_hook).unwrap();
        let now = game_loop.now_ns();
        assert!(latest <= now);
        latest = now;
    }
    assert_eq!(game_loop.statistics().frames, 1_000);
}

#[test]
fn s6_2_first_frame_runs_no_tick() {
    for start in [0, 1, -5, i64::MAX, i64::MIN] {
        let mut game_loop = bare_loop(60, 5);
        assert_eq!(idle(&mut game_loop, start), 0);
        assert_eq!((game_loop.start_reference_ns(), game_loop.ticks(), game_loop.statistics().frames), (start, 0, 1));
    }
}

#[cfg(debug_assertions)]
#[test]
fn s6_2_a_reading_before_the_start_panics_and_is_no_frame() {
    let mut game_loop = bare_loop(60, 5);
    idle(&mut game_loop, 100);
    let frame = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| idle(&mut game_loop, 99)));
    assert!(frame.is_err());
    assert_eq!((game_loop.statistics().frames, game_loop.start_reference_ns()), (1, 100));
}

#[cfg(not(debug_assertions))]
#[test]
fn s6_2_a_reading_before_the_start_moves_it_and_runs_nothing() {
    let mut game_loop = bare_loop(60, 5);
    idle(&mut game_loop, 0);
    idle(&mut game_loop, 50 * MS);
    assert_eq!(game_loop.ticks(), 3);
    assert_eq!(idle(&mut game_loop, -20 * MS), 0);
    let statistics = LoopStatistics { frames: 3, ticks: 3, dropped_ticks: 0, dropped_frames: 0 };
    assert_eq!((game_loop.start_reference_ns(), game_loop.statistics()), (-20 * MS, statistics));
    // Tick 4 is due 66 ms after the new start.
    assert_eq!((idle(&mut game_loop, 46 * MS), idle(&mut game_loop, 47 * MS)), (0, 1));
}

#[test]
fn s6_2_a_reading_that_goes_back_behind_the_start_finds_nothing_due() {
    let mut game_loop = bare_loop(60, 5);
    for (now, ran) in [(0, 0), (50 * MS, 3), (10 * MS, 0), (0, 0), (50 * MS, 0), (67 * MS, 1)] {
        assert_eq!(idle(&mut game_loop, now), ran);
    }
    assert_eq!((game_loop.statistics().frames, game_loop.statistics().dropped_frames), (6, 0));
}

#[test]
fn s6_2_ticks_depend_on_readings_alone() {
    let readings = [5, 90 * MS, 17 * MS, 500 * MS, 500 * MS, 10_000 * MS];
    let run = || {
        let mut game_loop = bare_loop(77, 3);
        readings.map(|now| (idle(&mut game_loop, now), game_loop.statistics()))
    };
    assert_eq!(run(), run());
}

#[test]
fn s6_3_nothing_drifts_in_ten_seconds_of_rounded_frames() {
    let mut game_loop = bare_loop(60, 5);
    let mut now = 0;
    idle(&mut game_loop, now);
    for (count, frame, ticks) in [(400, 16_666_667, 400), (200, 16_666_666, 600)] {
        for _ in 0..count {
            now += frame;
            idle(&mut game_loop, now);
        }
        assert_eq!(game_loop.ticks(), ticks);
    }
    assert_eq!(now, 10_000 * MS);
    assert_eq!(game_loop.statistics(), LoopStatistics { frames: 601, ticks: 600, dropped_ticks: 0, dropped_frames: 0 });
}

#[test]
fn s6_4_systems_then_count_then_hook_then_the_next_tick() {
    let mut game_loop = bare_loop(60, 5);
    let mut seen = Vec::new();
    let run = |seen: &mut Vec<(char, u64)>, tick| {
        seen.push(('r', tick));
        Ok::<_, ()>(())
    };
    for now in [0, 50 * MS] {
        game_loop.frame_at(now, &mut seen, run, |seen, tick| seen.push(('h', tick))).unwrap();
    }
    assert_eq!(seen, [('r', 1), ('h', 1), ('r', 2), ('h', 2), ('r', 3), ('h', 3)]);
}

#[test]
fn s6_4_a_failing_tick_ends_the_frame_and_is_caught_up() {
    let mut game_loop = bare_loop(60, 2);
    idle(&mut game_loop, 0);
    let mut hooked = Vec::new();
    let mut frame = |now, fails: u64| {
        let run = |hooked: &mut Vec<u64>, tick| if tick == fails { Err(hooked.len()) } else { Ok(()) };
        let ran = game_loop.frame_at(now, &mut hooked, run, |hooked, tick| hooked.push(tick));
        (ran, game_loop.statistics())
    };
    let statistics =
        |frames, ticks, dropped_ticks, dropped_frames| LoopStatistics { frames, ticks, dropped_ticks, dropped_frames };
    // Six are due: the second fails, and what is over the limit is not counted in such a frame.
    assert_eq!(frame(100 * MS, 2), (Err(1), statistics(2, 1, 0, 0)));
    assert_eq!(frame(100 * MS, 2), (Err(1), statistics(3, 1, 0, 0)));
    assert_eq!(frame(100 * MS, 0), (Ok(2), statistics(4, 3, 3, 1)));
    assert_eq!(frame(100 * MS, 0), (Ok(2), statistics(5, 5, 4, 2)));
    assert_eq!(frame(100 * MS, 0), (Ok(1), statistics(6, 6, 4, 2)));
    assert_eq!(hooked, [1, 2, 3, 4, 5, 6]);
}

#[test]
fn s6_4_the_hook_may_change_the_world() {
    let mut game_loop = bare_loop(60, 5);
    let mut world = 0;
    for now in [0, 50 * MS] {
        let run = |world: &mut u64, tick| if *world == tick - 1 { Ok(()) } else { Err(*world) };
        game_loop.frame_at(now, &mut world, run, |world, _| *world += 1).unwrap();
    }
    assert_eq!(world, 3);
}

#[test]
fn s6_5_unmet_demand_returns_and_is_counted_each_time() {
    let mut game_loop = bare_loop(60, 2);
    let mut seen = Vec::new();
    for now in [0, 166_666_670, 333_333_340, 500_000_010] {
        idle(&mut game_loop, now);
        let LoopStatistics { ticks, dropped_ticks, dropped_frames, .. } = game_loop.statistics();
        seen.push((ticks, dropped_ticks, dropped_frames));
    }
    assert_eq!(seen, [(0, 0, 0), (2, 8, 1), (4, 24, 2), (6, 48, 3)]);
}

#[test]
fn s6_5_a_backlog_is_worked_off() {
    let mut game_loop = bare_loop(60, 2);
    let mut dropped = Vec::new();
    let mut ticks = Vec::new();
    for frame in 0..9 {
        let now = if frame == 0 { 0 } else { (9 + frame) * 16_666_667 };
        idle(&mut game_loop, now);
        ticks.push(game_loop.ticks());
        dropped.push(game_loop.statistics().dropped_ticks);
    }
    assert_eq!(ticks, [0, 2, 4, 6, 8, 10, 12, 14, 16]);
    let unmet: Vec<_> = dropped.windows(2).map(|two| two[1] - two[0]).collect();
    assert_eq!(unmet, [8, 7, 6, 5, 4, 3, 2, 1]);
}

#[test]
fn s9_a_healthy_loop_drops_nothing() {
    let mut game_loop = bare_loop(60, 5);
    idle(&mut game_loop, 0);
    for frame in 1..=300 {
        assert_eq!(idle(&mut game_loop, frame * 33_333_334), 2);
    }
    assert_eq!(game_loop.statistics(), LoopStatistics { frames: 301, ticks: 600, dropped_ticks: 0, dropped_frames: 0 });
}
