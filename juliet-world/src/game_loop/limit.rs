//! Warnings that do not flood: at most one a second, which tells how many were left out.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How long one warning stands for all like it.
const WINDOW: Duration = Duration::from_secs(1);

/// Admits one event in each window of real time, whatever the game's clock does. Shared: an access race costs a warning more or less.
#[derive(Debug)]
pub(crate) struct RateLimit {
    /// When the window of the latest admitted event ends, in nanoseconds since the first question of the process; 0 before any.
    open_ns: AtomicU64,
    left_out: AtomicU64,
}

impl RateLimit {
    pub(crate) const fn new() -> Self {
        Self { open_ns: AtomicU64::new(0), left_out: AtomicU64::new(0) }
    }

    /// If the event may be told: how many were not since the last that was.
    #[cold]
    pub(crate) fn admit(&self) -> Option<u64> {
        static ORIGIN: OnceLock<Instant> = OnceLock::new();
        self.admit_at(ORIGIN.get_or_init(Instant::now).elapsed())
    }

    fn admit_at(&self, now: Duration) -> Option<u64> {
        let now_ns = now.as_nanos() as u64;
        if now_ns < self.open_ns.load(Relaxed) {
            self.left_out.fetch_add(1, Relaxed);
            return None;
        }
        self.open_ns.store(now_ns.saturating_add(WINDOW.as_nanos() as u64), Relaxed);
        Some(self.left_out.swap(0, Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_a_second_is_told_with_the_number_of_those_before() {
        let limit = RateLimit::new();
        let told: Vec<_> =
            [0, 1, 999, 1_000, 1_001, 5_000].map(Duration::from_millis).map(|now| limit.admit_at(now)).into();
        assert_eq!(told, [Some(0), None, None, Some(2), None, Some(1)]);
    }
}
