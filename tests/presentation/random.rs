//! Random inputs against [`exact`], and random lives of entities against a model that keeps their whole history.

use std::collections::BTreeMap;

use juliet::sim_math::Vec2;

use juliet::prelude::{EntityHandle, Fix, Fp32Pinned, Fpx16_16, PresentationSnapshot, SimMath, SnapshotOptions};

use super::exact;
use super::world::{Places, bare_loop, idle, raw};

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// All magnitudes alike, and often near a half or a whole.
    fn raw(&mut self) -> i32 {
        let magnitude = self.next() as i32 >> self.below(32);
        match self.below(4) {
            0 => magnitude & !0x7fff,
            1 => (magnitude & !0x7fff).wrapping_add(self.below(3) as i32 - 1),
            _ => magnitude,
        }
    }

    fn reading(&mut self) -> i64 {
        self.next() as i64 >> self.below(64)
    }

    fn float(&mut self) -> f32 {
        f32::from_bits(self.next() as u32)
    }
}

#[test]
fn fixed_point_is_exact_for_random_numbers() {
    let mut rng = Rng(1);
    for _ in 0..200_000 {
        let [a, b, t] = [rng.raw(), rng.raw(), rng.raw()];
        let [x, y, z] = [a, b, t].map(Fix::from_raw);
        let wide = |n: i32| i128::from(n);
        assert_eq!(Fpx16_16::add(x, y).raw(), exact::sat(wide(a) + wide(b)));
        assert_eq!(Fpx16_16::sub(x, y).raw(), exact::sat(wide(a) - wide(b)));
        assert_eq!(Fpx16_16::neg(x).raw(), exact::sat(-wide(a)));
        assert_eq!(Fpx16_16::mul(x, y).raw(), exact::mul(a, b), "{a} {b}");
        assert_eq!(Fpx16_16::div(x, y).raw(), exact::div(a, b), "{a} {b}");
        assert_eq!(Fpx16_16::lerp(x, y, z).raw(), exact::lerp(a, b, t), "{a} {b} {t}");
        assert!(exact::is_nearest_root(Fpx16_16::sqrt(x).raw().into(), wide(a.max(0)) * 65_536), "{a}");
        assert_eq!(Fpx16_16::from_i32(a).raw(), exact::sat(wide(a) * 65_536));
        assert_eq!(wide(Fpx16_16::to_i32(x)), exact::rne(a.into(), 65_536));
        // Both are exact in binary64.
        assert_eq!(Fpx16_16::to_f32(x).to_bits(), ((f64::from(a) / 65_536.0) as f32).to_bits());
        let float = rng.float();
        let expected = (f64::from(float) * 65_536.0).round_ties_even() as i32;
        assert_eq!(Fpx16_16::from_f32(float).raw(), expected, "{float:?}");
    }
}

#[test]
fn pinned_floats_round_after_each_operation() {
    let mut rng = Rng(2);
    let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
    for _ in 0..200_000 {
        let [a, b, t] = [rng.float(), rng.float(), rng.float()];
        // Binary64 has more than twice the bits: rounding its result to binary32 is the binary32 operation (Figueroa, 1995).
        let [x, y, z] = [a, b, t].map(f64::from);
        assert!(same(Fp32Pinned::add(a, b), (x + y) as f32));
        assert!(same(Fp32Pinned::mul(a, b), (x * y) as f32));
        assert!(same(Fp32Pinned::div(a, b), (x / y) as f32));
        assert!(same(Fp32Pinned::sqrt(a), x.sqrt() as f32));
        let difference = (y - x) as f32;
        let product = (f64::from(difference) * z) as f32;
        assert!(same(Fp32Pinned::lerp(a, b, t), (x + f64::from(product)) as f32), "{a:?} {b:?} {t:?}");
    }
}

#[test]
fn alpha_and_due_are_exact_for_random_readings() {
    let mut rng = Rng(3);
    let (q, f) = (Places::<Fpx16_16>::new(0), Places::<Fp32Pinned>::new(0));
    for _ in 0..50_000 {
        let rate = 20 + rng.below(101) as u32;
        let (a, b) = (rng.reading(), rng.reading());
        let (start, now) = (a.min(b), a.max(b));
        let due = exact::due(rate, start, now);
        let mut game_loop = bare_loop(rate, 1);
        idle(&mut game_loop, start);
        idle(&mut game_loop, now);
        assert_eq!(game_loop.ticks() + game_loop.statistics().dropped_ticks, due, "{rate} {start} {now}");
        let tick = match rng.below(4) {
            0 => rng.next() >> rng.below(64),
            near => due.saturating_sub(near - 1),
        };
        let options = SnapshotOptions { tick_rate_hz: rate };
        let mut fixed = PresentationSnapshot::<Fpx16_16>::new(0, start, options).unwrap();
        let mut float = PresentationSnapshot::<Fp32Pinned>::new(0, start, options).unwrap();
        fixed.on_tick(&q, tick);
        float.on_tick(&f, tick);
        for now in [now, start.saturating_sub(7), now.saturating_add(1)] {
            fixed.on_render_frame(now);
            float.on_render_frame(now);
            let num = exact::alpha_numerator(rate, start, tick, now);
            assert_eq!(fixed.alpha().raw(), exact::alpha_raw(num), "{rate} {start} {tick} {now}");
            assert_eq!(float.alpha().to_bits(), (num as f32 / 1e9).to_bits(), "{rate} {start} {tick} {now}");
        }
    }
}

#[test]
fn random_frames_run_what_the_definition_says() {
    for seed in 0..200 {
        let mut rng = Rng(seed);
        let (rate, limit) = (20 + rng.below(101) as u32, 1 + rng.below(6));
        let start = rng.reading();
        let mut game_loop = bare_loop(rate, limit as u32);
        let (mut now, mut ticks, mut dropped) = (start, 0, 0);
        idle(&mut game_loop, now);
        for _ in 0..200 {
            // Mostly frames, now and then a stop, now and then a step back.
            now = match rng.below(20) {
                0 => now.saturating_add(rng.below(3_000_000_000) as i64),
                1 => now.saturating_sub(rng.below(30_000_000) as i64).max(start),
                _ => now.saturating_add(rng.below(20_000_000) as i64),
            };
            let want = exact::due(rate, start, now).saturating_sub(ticks);
            let run = want.min(limit);
            ticks += run;
            dropped += want - run;
            assert_eq!(u64::from(idle(&mut game_loop, now)), run, "seed {seed}");
            let statistics = game_loop.statistics();
            assert_eq!((statistics.ticks, statistics.dropped_ticks), (ticks, dropped), "seed {seed}");
        }
    }
}

/// What the two latest refreshes saw of an entity.
#[derive(Default)]
struct History {
    prev: Option<Vec2<Fpx16_16>>,
    curr: Option<Vec2<Fpx16_16>>,
}

#[test]
fn random_lives_are_shown_as_their_history_says() {
    for seed in 0..100 {
        let mut rng = Rng(seed ^ 0x1000);
        let mut world = Places::<Fpx16_16>::new(12);
        let options = SnapshotOptions { tick_rate_hz: 100 };
        let mut snapshot = PresentationSnapshot::<Fpx16_16>::new(12, 0, options).unwrap();
        let mut live: BTreeMap<EntityHandle, History> = BTreeMap::new();
        let mut dead = Vec::new();
        let mut tick = 0;
        for _ in 0..400 {
            step(&mut rng, &mut world, &mut snapshot, &mut live, &mut dead, &mut tick);
            snapshot.on_render_frame((tick * 10_000_000 + rng.below(10_000_000)) as i64);
            let alpha = snapshot.alpha().raw();
            for (&entity, history) in &live {
                let now = juliet::presentation::Positions::get(&world, entity).map(|pose| pose.position);
                let between = |a: Fix, b: Fix| exact::lerp(a.raw(), b.raw(), alpha);
                let expected = now.map(|now| match (history.prev, history.curr) {
                    (Some(a), Some(b)) => raw(between(a.x, b.x), between(a.y, b.y)),
                    (None, Some(b)) => b,
                    (_, None) => now,
                });
                assert_eq!(snapshot.sample_position(&world, entity).ok(), expected, "seed {seed} tick {tick}");
            }
            assert!(dead.iter().all(|&entity| snapshot.sample_position(&world, entity).is_err()), "seed {seed}");
        }
    }
}

fn step(
    rng: &mut Rng,
    world: &mut Places<Fpx16_16>,
    snapshot: &mut PresentationSnapshot<Fpx16_16>,
    live: &mut BTreeMap<EntityHandle, History>,
    dead: &mut Vec<EntityHandle>,
    tick: &mut u64,
) {
    let place = raw(rng.raw(), rng.raw());
    let picked = live.keys().nth(rng.below(live.len().max(1) as u64) as usize).copied();
    match (rng.below(10), picked) {
        (0, _) if live.len() < 12 => _ = live.insert(world.spawn(place), History::default()),
        (1, _) if live.len() < 12 => _ = live.insert(world.spawn_bare(), History::default()),
        (2, Some(entity)) if rng.below(2) == 0 => {
            world.remove(entity);
            live.remove(&entity);
            dead.push(entity);
        }
        (3, Some(entity)) => world.take(entity),
        (4, Some(entity)) => {
            snapshot.reset(entity);
            live.insert(entity, History::default());
        }
        (5..=7, Some(entity)) => world.set(entity, place),
        _ => {
            *tick += 1;
            snapshot.on_tick(world, *tick);
            for (&entity, history) in live {
                let now = juliet::presentation::Positions::get(world, entity).map(|pose| pose.position);
                *history = History { prev: history.curr.filter(|_| now.is_some()), curr: now };
            }
        }
    }
}
