//! Times cases in turns and prints a table.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// A case: does its own set-up, then calls [`timed`] once around what is measured.
type Run<'a> = Box<dyn FnMut() -> Duration + 'a>;

/// One table: for each size a limit and what is compared with it.
pub(crate) struct Table {
    title: &'static str,
    rows: Vec<String>,
}

impl Table {
    pub(crate) fn new(title: &'static str) -> Self {
        Self { title, rows: Vec::new() }
    }

    /// Runs `cases` in turns, the first being the limit of the others. `units` of work are done by each call of a case.
    pub(crate) fn compare(&mut self, size: usize, units: usize, mut cases: Vec<(&str, Run<'_>)>) {
        for (_, run) in &mut cases {
            run();
        }
        // As many rounds as fit a second, within reason.
        let (mut times, begun) = (vec![Vec::new(); cases.len()], Instant::now());
        for round in 0..101 {
            if round >= 7 && begun.elapsed() > Duration::from_secs(1) {
                break;
            }
            for turn in 0..cases.len() {
                let at = (turn + round) % cases.len();
                times[at].push((cases[at].1)().as_nanos() as f64 / units as f64);
            }
        }
        let limit = times[0].clone();
        for ((name, _), times) in cases.iter().zip(&times) {
            let ratios = times.iter().zip(&limit).map(|(time, limit)| time / limit).collect();
            self.rows.push(format!("| {size} | {name} | {:.2} | {:.2} |", median(times.clone()), median(ratios)));
        }
    }

    pub(crate) fn print(self) {
        println!("\n### {}\n\n| size | case | ns | / limit |\n| ---: | --- | ---: | ---: |", self.title);
        self.rows.iter().for_each(|row| println!("{row}"));
    }
}

/// Wall-clock time of `work`; its result is dropped outside.
pub(crate) fn timed<R>(work: impl FnOnce() -> R) -> Duration {
    let begun = Instant::now();
    let result = black_box(work());
    let taken = begun.elapsed();
    drop(result);
    taken
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same numbers on every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(z ^ (z >> 31)) * end as u128) >> 64) as usize
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}
