//! The worst readings, numbers and clocks.

use juliet::prelude::{Fix, Fp32Pinned, Fpx16_16, PresentationSnapshot, SimMath, SnapshotOptions};

use super::exact;
use super::world::{Places, at32, bare_loop, idle};

const READINGS: [i64; 12] = [
    i64::MIN,
    i64::MIN + 1,
    -9_000_000_000_000_000_000,
    -1_000_000_000,
    -1,
    0,
    1,
    16_666_667,
    1_000_000_000,
    9_000_000_000_000_000_000,
    i64::MAX - 1,
    i64::MAX,
];

#[test]
fn s10_5_due_is_exact_between_any_two_readings() {
    for start in READINGS {
        for now in READINGS.into_iter().filter(|&now| now >= start) {
            for rate in [20, 59, 60, 120] {
                let mut game_loop = bare_loop(rate, 1);
                idle(&mut game_loop, start);
                assert!(idle(&mut game_loop, now) <= 1);
                let statistics = game_loop.statistics();
                assert_eq!(statistics.ticks + statistics.dropped_ticks, exact::due(rate, start, now));
            }
        }
    }
}

#[test]
fn s10_5_alpha_is_exact_for_any_readings_and_tick() {
    let world = Places::<Fpx16_16>::new(0);
    for start in READINGS {
        for now in READINGS {
            for rate in [20, 59, 60, 120] {
                let due = exact::due(rate, start, now.max(start));
                for tick in [0, 1, 2, due, due.saturating_sub(1), due + 1, 1 << 32, 1 << 63, u64::MAX] {
                    let options = SnapshotOptions { tick_rate_hz: rate };
                    let mut snapshot = PresentationSnapshot::<Fpx16_16>::new(0, start, options).unwrap();
                    snapshot.on_tick(&world, tick);
                    snapshot.on_render_frame(now);
                    let num = exact::alpha_numerator(rate, start, tick, now);
                    assert_eq!(snapshot.alpha().raw(), exact::alpha_raw(num), "{rate} {start} {tick} {now}");
                }
            }
        }
    }
}

#[test]
fn a_frame_is_bounded_whatever_the_clock_does() {
    let mut game_loop = bare_loop(120, 3);
    idle(&mut game_loop, i64::MIN);
    for now in READINGS.into_iter().chain(READINGS.into_iter().rev()) {
        assert!(idle(&mut game_loop, now) <= 3);
    }
    assert!(game_loop.statistics().dropped_ticks > 1 << 40);
}

#[test]
fn the_sum_of_dropped_ticks_has_an_end() {
    // 2.2e12 in each frame.
    let mut game_loop = bare_loop(120, 1);
    idle(&mut game_loop, i64::MIN);
    let mut before = 0;
    for _ in 0..1_000 {
        idle(&mut game_loop, i64::MAX);
        assert!(game_loop.statistics().dropped_ticks > before);
        before = game_loop.statistics().dropped_ticks;
    }
}

#[test]
fn positions_that_are_no_numbers_are_shown_as_such() {
    let mut world = Places::<Fp32Pinned>::new(1);
    let entity = world.spawn(at32(f32::NAN, 1.0));
    let mut snapshot = PresentationSnapshot::<Fp32Pinned>::new(1, 0, SnapshotOptions::default()).unwrap();
    snapshot.on_tick(&world, 1);
    world.set(entity, at32(f32::INFINITY, 2.0));
    snapshot.on_tick(&world, 2);
    snapshot.on_render_frame(50_000_000);
    let shown = snapshot.sample_position(&world, entity).unwrap();
    assert!(shown.x.is_nan() && shown.y == 2.0);
}

#[test]
fn sampled_numbers_lie_between_the_two_states() {
    let ends = [i32::MIN, -65_537, -1, 0, 1, 65_535, i32::MAX].map(Fix::from_raw);
    for a in ends {
        for b in ends {
            for t in [0, 1, 32_767, 32_768, 65_535, 65_536].map(Fix::from_raw) {
                let shown = Fpx16_16::lerp(a, b, t);
                assert!(a.min(b) <= shown && shown <= a.max(b), "{a:?} {b:?} {t:?}");
            }
        }
    }
}
