//! What the loop says. What it does is in `tests/presentation/`.

#![expect(clippy::unwrap_used, reason = "tests")]

use super::heard::{heard, heard_soon};
use super::*;

fn game_loop() -> GameLoop<fn() -> i64> {
    GameLoop::with_clock(LoopOptions { tick_rate_hz: 60, max_catch_up_ticks: 2 }, (|| 0) as fn() -> i64).unwrap()
}

fn idle(game_loop: &mut GameLoop<fn() -> i64>, now_ns: i64) {
    game_loop.frame_at(now_ns, &mut (), |(), _| Ok::<_, ()>(()), no_hook).unwrap();
}

#[test]
fn s6_1_options_out_of_range_are_told() {
    let refuse = |tick_rate_hz, max_catch_up_ticks| {
        let lines = heard_soon(|| assert!(GameLoop::new(LoopOptions { tick_rate_hz, max_catch_up_ticks }).is_err()));
        assert_eq!(lines.len(), 1, "{lines:?}");
        lines[0].split(" repeats=").next().unwrap().to_owned()
    };
    // The rate is looked at first, and nothing else is told then.
    assert_eq!(refuse(19, 0), "WARN loop/tick_rate_invalid tick_rate_hz=19");
    assert_eq!(refuse(60, 0), "WARN loop/catchup_invalid max_catch_up=0");
}

#[test]
fn s6_1_options_that_are_refused_in_a_row_do_not_flood() {
    let options = LoopOptions { tick_rate_hz: 0, max_catch_up_ticks: 1 };
    let lines = heard(|| (0..1_000).for_each(|_| assert!(GameLoop::new(options).is_err())));
    // One a second of a slow machine, and no more.
    assert!(lines.len() <= 10, "{lines:?}");
}

#[test]
fn s6_2_drops_are_told_once_with_their_numbers() {
    let mut game_loop = game_loop();
    let lines = heard(|| {
        idle(&mut game_loop, 0);
        for frame in 1..=300 {
            idle(&mut game_loop, 166_666_670 * frame);
        }
    });
    let first = "WARN loop/tick_dropped dropped=8 total_dropped=8 max_catch_up=2 tick_rate_hz=60 repeats=0";
    assert_eq!(lines[0], first);
    assert!(lines.len() <= 10, "{lines:?}");
    assert_eq!(game_loop.statistics().dropped_frames, 300);
}

#[test]
fn s6_2_a_loop_that_keeps_up_or_fails_says_nothing() {
    let mut game_loop = game_loop();
    let lines = heard(|| {
        for frame in 0..100 {
            idle(&mut game_loop, 16_666_667 * frame);
        }
        idle(&mut game_loop, 0);
        let failing = game_loop.frame_at(1 << 40, &mut (), |(), _| Err(()), no_hook);
        assert_eq!(failing, Err(()));
    });
    assert_eq!(lines, [""; 0]);
}
