//! Which tick is due at which reading, and how far a reading lies between two ticks. Exact integers for every reading of 64 bits.

use crate::sim_math::NANOS;

const G: u64 = NANOS as u64;

/// From where ticks are counted: at the reading [`start_ns`](Self::start_ns) tick number [`tick`](Self::tick) became due.
///
/// The anchor of tick T, the moment at which it becomes due, is `start_ns + (T - tick) · 10⁹ / rate`: a fraction, never rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeBase {
    /// Reading of the clock in nanoseconds.
    pub start_ns: i64,
    /// 0, until the loop is restarted.
    pub tick: u64,
}

impl TimeBase {
    /// How many nanoseconds after the start `now_ns` lies; 0 if before.
    #[inline]
    fn elapsed(self, now_ns: i64) -> u64 {
        // Below 2⁶⁴, and right modulo 2⁶⁴ where the difference exceeds an `i64`.
        if now_ns < self.start_ns { 0 } else { now_ns.wrapping_sub(self.start_ns) as u64 }
    }

    /// Number of the latest tick that is due at the reading `now_ns`. Whole seconds apart from the rest, so that products have 64 bits.
    #[inline]
    pub(crate) fn ticks_due(self, rate_hz: u32, now_ns: i64) -> u64 {
        let (elapsed, rate) = (self.elapsed(now_ns), u64::from(rate_hz));
        self.tick.saturating_add(elapsed / G * rate + elapsed % G * rate / G)
    }

    /// How far `now_ns` lies past the anchor of `tick` and before that of the next one, in 10⁻⁹ ticks: `0..=1_000_000_000`.
    #[inline]
    pub(crate) fn alpha_numerator(self, rate_hz: u32, tick: u64, now_ns: i64) -> u32 {
        // At most 2⁷¹ and 2⁹⁴.
        let elapsed = i128::from(self.elapsed(now_ns)) * i128::from(rate_hz);
        let anchor = (i128::from(tick) - i128::from(self.tick)) * i128::from(G);
        (elapsed - anchor).clamp(0, i128::from(G)) as u32
    }

    /// The base that has at `now_ns` what this one has at `latest_ns`, with `ticks` being the latest that is due.
    pub(super) fn restarted(self, rate_hz: u32, ticks: u64, latest_ns: i64, now_ns: i64) -> Self {
        // Just before the next tick at most: at the next anchor itself another one would be due.
        let phase = self.alpha_numerator(rate_hz, ticks, latest_ns).min(NANOS - 1) / rate_hz;
        Self { start_ns: now_ns.saturating_sub(i64::from(phase)), tick: ticks }
    }
}
