//! Where the time comes from.

use std::sync::OnceLock;
use std::time::Instant;

/// A source of monotonic readings in nanoseconds since any fixed moment. Closures `FnMut() -> i64` are clocks.
pub trait Clock {
    /// What the time is.
    fn now_ns(&mut self) -> i64;
}

impl<F: FnMut() -> i64> Clock for F {
    #[inline]
    fn now_ns(&mut self) -> i64 {
        self()
    }
}

/// The monotonic clock of the platform ([`Instant`]). Its readings start at 0 with the first one that the process takes, and all
/// values of this type agree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MonotonicClock;

impl Clock for MonotonicClock {
    /// Stands still after 292 years.
    #[inline]
    fn now_ns(&mut self) -> i64 {
        static ORIGIN: OnceLock<Instant> = OnceLock::new();
        let origin = ORIGIN.get_or_init(Instant::now);
        i64::try_from(origin.elapsed().as_nanos()).unwrap_or(i64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_monotonic_clocks_agree_and_do_not_go_back() {
        let (mut a, mut b) = (MonotonicClock, MonotonicClock);
        let mut latest = 0;
        for _ in 0..100 {
            let (x, y) = (a.now_ns(), b.now_ns());
            assert!(latest <= x && x <= y);
            latest = y;
        }
    }
}
