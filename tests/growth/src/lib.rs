//! Whether work grows in step with what it is done on, for tests that find the quadratic.
//!
//! What counts is the time that the processor spends on one thread, not the time that passes: a machine that is busy with other
//! things makes a test slower and does not make it fail. Nothing here knows how long anything takes; two sizes of one work are
//! compared with each other.
//!
//! ```text
//!            n        10 n
//! linear     1 ms     10 ms      × 10
//! limit                          × 40
//! square     1 ms     100 ms     × 100
//! ```
//!
//! Where a number can be counted instead (files opened, findings, allocations), a test counts it.
#![forbid(unsafe_code)]

use std::time::Duration;

use cpu_time::ThreadTime;

/// How many times as much work the larger size is.
pub const TIMES: usize = 10;
/// How many times as long it may take: far from what linear work takes, and from the 100 of quadratic work.
const LIMIT: u32 = 40;
/// The shortest time that the clock tells: Windows counts ticks of 1/64 s, the others nanoseconds.
const STEP: Duration = if cfg!(windows) { Duration::from_micros(15_625) } else { Duration::from_micros(1) };
/// Measurements of both sizes before work is held to be more than linear.
const ROUNDS: usize = 5;
/// Measurements of the smaller size in each round.
const SMALL_RUNS: usize = 3;

/// The processor time that `work` takes of this thread, in user code and in the kernel. Its result is dropped after that.
///
/// # Panics
/// If the system has no such clock; Linux, macOS, the BSDs and Windows have.
pub fn cpu_time<R>(work: impl FnOnce() -> R) -> Duration {
    let begun = ThreadTime::now();
    let result = work();
    let taken = begun.elapsed();
    drop(result);
    taken
}

/// That [`TIMES`] times `count` takes less than 40 times as long as `count`.
///
/// `work` gets the size, makes ready what it needs, and gives back the [`cpu_time()`] of the part that matters. It runs on a thread where
/// rayon has no other, so that parallel work is measured too; threads of other origin are not. The least time of each size counts, since
/// other work on a machine only ever adds to it. Linear work costs 13 times `count` as a rule. Times shorter than a few steps of
/// the clock (250 ms on Windows, 16 µs elsewhere) always pass: `count` is to be large enough that quadratic work takes longer.
///
/// # Panics
/// If five rounds of measurements are over the limit, with `what` and the least times; and where `work` does.
#[track_caller]
pub fn check_linear(what: &str, count: usize, mut work: impl FnMut(usize) -> Duration + Send) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread can be made");
    let (small, large) = pool.install(|| {
        let (mut small, mut large) = (Duration::MAX, Duration::MAX);
        for _ in 0..ROUNDS {
            small = (0..SMALL_RUNS).map(|_| work(count)).fold(small, Duration::min);
            large = large.min(work(TIMES * count));
            if is_linear(small, large) {
                break;
            }
        }
        (small, large)
    });
    assert!(
        is_linear(small, large),
        "{what}: {small:?} for {count}, {large:?} for {TIMES} times as many: × {:.1}",
        large.as_secs_f64() / small.as_secs_f64()
    );
}

/// Each measurement may miss one step of the clock.
fn is_linear(small: Duration, large: Duration) -> bool {
    large < LIMIT * small + 16 * STEP
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::hint::black_box;
    use std::panic::catch_unwind;

    use rayon::prelude::*;

    use super::*;

    /// Quadratic work of this size takes longer than the clock needs.
    const SIZE: usize = if cfg!(windows) { 1_000 } else { 200 };

    /// Whether `steps` steps for each size pass.
    fn passes(count: usize, steps: impl Fn(usize) -> u64 + Sync + std::panic::RefUnwindSafe) -> bool {
        let work = |count| cpu_time(|| run(steps(count)));
        catch_unwind(|| check_linear("steps", count, work)).is_ok()
    }

    fn run(steps: u64) -> u64 {
        (0..steps).fold(0, |sum, step| black_box(sum ^ step))
    }

    #[test]
    fn linear_work_passes() {
        assert!(passes(100_000, |count| count as u64));
        assert!(passes(10_000, |count| count as u64 * u64::from(count.ilog2())), "sorting");
    }

    #[test]
    fn quadratic_work_is_found() {
        assert!(!passes(SIZE, |count| (count * count) as u64));
        assert!(!passes(SIZE, |count| (count * count + count * SIZE / 2) as u64), "beside work that is linear");
    }

    #[test]
    fn quadratic_look_up_is_found() {
        let told = catch_unwind(|| {
            check_linear("look-up", SIZE, |count| {
                cpu_time(|| {
                    let mut seen = Vec::new();
                    for number in 0..count {
                        if !seen.contains(&black_box(number)) {
                            seen.push(number);
                        }
                    }
                    seen
                })
            });
        });
        let told = told.unwrap_err();
        assert!(told.downcast_ref::<String>().is_some_and(|told| told.starts_with("look-up: ")));
    }

    #[test]
    fn quadratic_work_of_parallel_loops_is_found() {
        let in_parallel = |steps: usize| {
            cpu_time(|| (0..64).into_par_iter().map(|_| run((steps / 64) as u64)).reduce(|| 0, u64::wrapping_add))
        };
        check_linear("in parallel", 100_000, in_parallel);
        assert!(catch_unwind(|| check_linear("in parallel", SIZE, |count| in_parallel(count * count))).is_err());
    }

    /// Time that passes without work does not count.
    #[test]
    fn waiting_takes_no_time() {
        check_linear("waiting", 1, |count| {
            cpu_time(|| {
                std::thread::sleep(Duration::from_millis((count * count) as u64));
                run(10_000 * count as u64)
            })
        });
    }
}
