//! Every row of `vectors.csv`, which says itself what its columns are.

use std::collections::BTreeMap;

use juliet::game_loop::no_hook;
use juliet::presentation::Interpolate;
use juliet::sim_math::Vec2;

use juliet::prelude::{Fix, Fp32Pinned, Fpx16_16, PresentationSnapshot, SimMath, SnapshotOptions};

use super::world::{Places, bare_loop, idle, raw};

struct Row<'a> {
    columns: &'a [&'a str],
    cells: Vec<&'a str>,
}

impl<'a> Row<'a> {
    fn text(&self, column: &str) -> &'a str {
        let at = self.columns.iter().position(|name| *name == column).unwrap();
        self.cells[at]
    }

    fn number<T: std::str::FromStr>(&self, column: &str) -> T {
        let text = self.text(column);
        text.parse().unwrap_or_else(|_| panic!("row {}, {column}: `{text}`", self.text("id")))
    }

    fn fix(&self, column: &str) -> Fix {
        Fix::from_raw(self.number(column))
    }

    fn float(&self, column: &str) -> f32 {
        float(self.text(column))
    }
}

fn float(text: &str) -> f32 {
    match text.strip_prefix("0x") {
        Some(digits) => f32::from_bits(u32::from_str_radix(digits, 16).unwrap()),
        None if text == "nan" => f32::NAN,
        None => panic!("`{text}` is no float"),
    }
}

/// Bits, with one picture for all NaNs.
fn bits(x: f32) -> u32 {
    if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }
}

fn pair<T>(text: &str, one: impl Fn(&str) -> T) -> (T, T) {
    let (x, y) = text.split_once(';').unwrap();
    (one(x), one(y))
}

#[test]
fn every_row_gives_the_numbers_of_the_reference() {
    let text = include_str!("vectors.csv");
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let columns: Vec<_> = lines.next().unwrap().split(',').collect();
    let mut seen = BTreeMap::new();
    for (index, line) in lines.enumerate() {
        let row = Row { columns: &columns, cells: line.split(',').collect() };
        assert_eq!((row.cells.len(), row.number::<usize>("id")), (columns.len(), index + 1), "{line}");
        check(&row);
        *seen.entry(row.text("kind")).or_insert(0) += 1;
    }
    let counts = [
        ("add_q16", 3),
        ("alpha", 60),
        ("div_q16", 15),
        ("due", 6),
        ("from_f32", 8),
        ("from_i32", 4),
        ("lerp_f32", 18),
        ("lerp_q16", 19),
        ("loop", 5),
        ("mul_q16", 12),
        ("neg_q16", 2),
        ("sample", 6),
        ("sqrt_q16", 3),
        ("sub_q16", 3),
        ("to_f32", 3),
        ("to_i32", 6),
    ];
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), counts);
}

fn check(row: &Row<'_>) {
    let id = row.text("id");
    let check_raw = |fix: Fix| assert_eq!(fix, row.fix("out"), "row {id}");
    let check_bits = |x: f32| assert_eq!(bits(x), bits(row.float("out2")), "row {id}");
    match row.text("kind") {
        "alpha" => {
            assert_eq!(alpha_of::<Fpx16_16>(row), row.fix("out"), "row {id}");
            check_bits(alpha_of::<Fp32Pinned>(row));
            // The numerator given is the one that makes them.
            if row.text("tick") != "0" {
                check_raw(Fpx16_16::alpha(row.number("num")));
                check_bits(Fp32Pinned::alpha(row.number("num")));
            }
        }
        "sample" => check_sample(row),
        "lerp_q16" => check_raw(Fpx16_16::lerp(row.fix("a"), row.fix("b"), row.fix("t"))),
        "lerp_f32" => check_bits(Fp32Pinned::lerp(row.float("a"), row.float("b"), row.float("t"))),
        "mul_q16" => check_raw(Fpx16_16::mul(row.fix("a"), row.fix("b"))),
        "div_q16" => check_raw(Fpx16_16::div(row.fix("a"), row.fix("b"))),
        "add_q16" => check_raw(Fpx16_16::add(row.fix("a"), row.fix("b"))),
        "sub_q16" => check_raw(Fpx16_16::sub(row.fix("a"), row.fix("b"))),
        "neg_q16" => check_raw(Fpx16_16::neg(row.fix("a"))),
        "sqrt_q16" => check_raw(Fpx16_16::sqrt(row.fix("a"))),
        "from_i32" => check_raw(Fpx16_16::from_i32(row.number("a"))),
        "to_i32" => assert_eq!(Fpx16_16::to_i32(row.fix("a")), row.number::<i32>("out"), "row {id}"),
        "to_f32" => check_bits(Fpx16_16::to_f32(row.fix("a"))),
        "from_f32" => check_raw(Fpx16_16::from_f32(row.float("a"))),
        "due" => check_due(row),
        "loop" => check_loop(row),
        kind => panic!("row {id}: unknown kind `{kind}`"),
    }
}

fn snapshot_of<B: SimMath>(row: &Row<'_>) -> PresentationSnapshot<B> {
    let options = SnapshotOptions { tick_rate_hz: row.number("rate_hz") };
    PresentationSnapshot::new(1, row.number("start_ns"), options).unwrap()
}

fn alpha_of<B: SimMath>(row: &Row<'_>) -> B::Scalar
where
    (): Interpolate<B>,
{
    let mut snapshot = snapshot_of::<B>(row);
    snapshot.on_tick(&Places::<B>::new(1), row.number("tick"));
    snapshot.on_render_frame(row.number("render_ns"));
    snapshot.alpha()
}

fn check_sample(row: &Row<'_>) {
    let ends = ["a", "b"].map(|column| pair(row.text(column), |text| text.parse::<i32>().unwrap()));
    let [a, b] = ends.map(|(x, y)| raw(x, y));
    let (x, y) = pair(row.text("out"), |text| text.parse().unwrap());
    assert_eq!(sample_of(row, a, b), raw(x, y), "row {}", row.text("id"));
    let [a, b] = [a, b].map(|at| Vec2::<Fp32Pinned>::new(Fpx16_16::to_f32(at.x), Fpx16_16::to_f32(at.y)));
    let sample = sample_of(row, a, b);
    let expected = pair(row.text("out2"), float);
    assert_eq!((bits(sample.x), bits(sample.y)), (bits(expected.0), bits(expected.1)), "row {}", row.text("id"));
}

fn sample_of<B: SimMath>(row: &Row<'_>, prev: Vec2<B>, curr: Vec2<B>) -> Vec2<B> {
    let mut world = Places::<B>::new(1);
    let mut snapshot = snapshot_of::<B>(row);
    let entity = world.spawn(prev);
    let tick: u64 = row.number("tick");
    snapshot.on_tick(&world, tick.saturating_sub(1));
    world.set(entity, curr);
    snapshot.on_tick(&world, tick);
    snapshot.on_render_frame(row.number("render_ns"));
    snapshot.sample_position(&world, entity).unwrap()
}

/// What is due is what a frame runs and what it drops.
fn check_due(row: &Row<'_>) {
    let mut game_loop = bare_loop(row.number("rate_hz"), 1);
    idle(&mut game_loop, row.number("start_ns"));
    idle(&mut game_loop, row.number("render_ns"));
    let statistics = game_loop.statistics();
    assert_eq!(statistics.ticks + statistics.dropped_ticks, row.number::<u64>("out"), "row {}", row.text("id"));
}

fn check_loop(row: &Row<'_>) {
    let id = row.text("id");
    let mut game_loop = bare_loop(row.number("rate_hz"), row.number("a"));
    let mut ticks = Vec::new();
    for reading in row.text("b").split(';') {
        let (fails, reading) = reading.strip_prefix('!').map_or((false, reading), |reading| (true, reading));
        let run = |(): &mut (), _| if fails { Err(()) } else { Ok(()) };
        let before = game_loop.ticks();
        let ran = game_loop.frame_at(reading.parse().unwrap(), &mut (), run, no_hook);
        assert!(ran.map_or(fails, |ran| before + u64::from(ran) == game_loop.ticks()), "row {id}");
        ticks.push(game_loop.ticks().to_string());
    }
    assert_eq!(ticks.join(";"), row.text("out"), "row {id}");
    let s = game_loop.statistics();
    let statistics = format!("{};{};{};{}", s.frames, s.ticks, s.dropped_ticks, s.dropped_frames);
    assert_eq!(statistics, row.text("out2"), "row {id}");
}
