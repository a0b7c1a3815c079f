//! Fixed ticks out of a clock: how many simulation steps a frame has to run.
//!
//! ```text
//! clock reading N ──► due = ⌊(N - S)·F / 10⁹⌋ ──► min(due - ticks, limit) ticks ──► the caller's systems, then its hook
//!                     from the clock anew in every frame, in integers: nothing is added up, so nothing drifts
//! ```
//!
//! Comes in: readings of a monotonic clock in nanoseconds, and what runs a tick, as a closure for each frame. Goes out: calls of the closure
//! with tick numbers from 1 on, and counters. The loop holds neither world nor systems.
//!
//! Invariants: never more than the limit of ticks in a frame; after the last frame without a failure and without drops, `ticks = due`.
//! No heap, and no log unless ticks are dropped.
//!
//! Absent on purpose: sleeping, threads, a delta time.

mod clock;
#[cfg(test)]
pub(crate) mod heard;
mod limit;
mod time_base;

pub use clock::{Clock, MonotonicClock};
pub(crate) use limit::RateLimit;
pub use time_base::TimeBase;

/// Ticks a second that a loop and its snapshots can have.
pub const TICK_RATES_HZ: core::ops::RangeInclusive<u32> = 20..=120;

/// What a loop is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopOptions {
    /// Ticks a second, in [`TICK_RATES_HZ`]; 60 by default.
    pub tick_rate_hz: u32,
    /// The most ticks that one frame runs, at least 1; 5 by default.
    pub max_catch_up_ticks: u32,
}

impl Default for LoopOptions {
    fn default() -> Self {
        Self { tick_rate_hz: 60, max_catch_up_ticks: 5 }
    }
}

/// An option that a loop or a snapshot cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidOption {
    /// Outside [`TICK_RATES_HZ`].
    #[error("a tick rate of {tick_rate_hz} Hz; 20 to 120 are possible")]
    TickRate {
        /// The rate asked for.
        tick_rate_hz: u32,
    },
    /// A loop that may never run a tick.
    #[error("a limit of {max_catch_up_ticks} ticks in a frame; at least 1 is needed")]
    CatchUp {
        /// The limit asked for.
        max_catch_up_ticks: u32,
    },
}

/// Counters since the loop was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopStatistics {
    /// Frames begun, those with a failing tick too.
    pub frames: u64,
    /// Ticks completed.
    pub ticks: u64,
    /// Ticks that were due in a frame and over its limit, added up over all frames: a tick that is made up three frames late counts
    /// three times.
    pub dropped_ticks: u64,
    /// Frames in which ticks were over the limit.
    pub dropped_frames: u64,
}

/// Runs simulation ticks of a fixed length as a clock demands them.
///
/// ```
/// use juliet_world::game_loop::{GameLoop, LoopOptions, no_hook};
///
/// // A clock that is set by hand; `GameLoop::new` takes that of the platform.
/// let mut game_loop = GameLoop::with_clock(LoopOptions::default(), || 0)?;
/// let mut world = Vec::new();
/// for now_ns in [0, 16_666_667, 50_000_000] {
///     game_loop.frame_at(now_ns, &mut world, |world, tick| { world.push(tick); Ok::<_, ()>(()) }, no_hook).unwrap();
/// }
/// assert_eq!(world, [1, 2, 3]);
/// # Ok::<_, juliet_world::game_loop::InvalidOption>(())
/// ```
///
/// # Overload
/// A frame runs at most [`max_catch_up_ticks`](LoopOptions::max_catch_up_ticks). What is over is not forgotten: the demand comes from
/// the clock, so following frames make it up, and until they have, [alpha](crate::presentation::PresentationSnapshot::alpha) is 1. After a stop that should not be
/// made up (a pause, a breakpoint, a suspended machine) call [`restart_at`](Self::restart_at).
#[derive(Debug)]
pub struct GameLoop<C = MonotonicClock> {
    options: LoopOptions,
    clock: C,
    base: TimeBase,
    /// The reading of the latest frame; none before the first.
    latest_ns: Option<i64>,
    statistics: LoopStatistics,
    drop_warnings: RateLimit,
}

/// The hook of a loop that has none.
pub fn no_hook<W: ?Sized>(_world: &mut W, _tick: u64) {}

impl GameLoop {
    /// A loop on the clock of the platform. O(1); reads no clock and allocates nothing.
    ///
    /// # Errors
    /// [`InvalidOption`]; the rate is looked at first. A warning `loop/tick_rate_invalid` or `loop/catchup_invalid` goes to `tracing`.
    pub fn new(options: LoopOptions) -> Result<Self, InvalidOption> {
        Self::with_clock(options, MonotonicClock)
    }
}

impl<C: Clock> GameLoop<C> {
    /// Like [`new`](GameLoop::new), on another clock.
    ///
    /// # Errors
    /// Those of [`new`](GameLoop::new).
    pub fn with_clock(options: LoopOptions, clock: C) -> Result<Self, InvalidOption> {
        static RATE_WARNINGS: RateLimit = RateLimit::new();
        static CATCH_UP_WARNINGS: RateLimit = RateLimit::new();
        let LoopOptions { tick_rate_hz, max_catch_up_ticks } = options;
        if !TICK_RATES_HZ.contains(&tick_rate_hz) {
            if let Some(repeats) = RATE_WARNINGS.admit() {
                tracing::warn!(tick_rate_hz, repeats, "loop/tick_rate_invalid");
            }
            return Err(InvalidOption::TickRate { tick_rate_hz });
        }
        if max_catch_up_ticks == 0 {
            if let Some(repeats) = CATCH_UP_WARNINGS.admit() {
                tracing::warn!(max_catch_up = max_catch_up_ticks, repeats, "loop/catchup_invalid");
            }
            return Err(InvalidOption::CatchUp { max_catch_up_ticks });
        }
        Ok(Self {
            options,
            clock,
            base: TimeBase { start_ns: 0, tick: 0 },
            latest_ns: None,
            statistics: LoopStatistics::default(),
            drop_warnings: RateLimit::new(),
        })
    }

    /// One reading of the loop's clock, for [`frame_at`](Self::frame_at) and the snapshots of the same frame.
    #[inline]
    pub fn now_ns(&mut self) -> i64 {
        self.clock.now_ns()
    }

    /// [`frame_at`](Self::frame_at) one reading of the loop's clock.
    ///
    /// # Errors
    /// Those of [`frame_at`](Self::frame_at).
    ///
    /// # Panics
    /// Like [`frame_at`](Self::frame_at).
    #[inline]
    pub fn frame<W: ?Sized, E>(
        &mut self,
        world: &mut W,
        run_tick: impl FnMut(&mut W, u64) -> Result<(), E>,
        on_tick: impl FnMut(&mut W, u64),
    ) -> Result<u32, E> {
        let now_ns = self.clock.now_ns();
        self.frame_at(now_ns, world, run_tick, on_tick)
    }

    /// Runs the ticks that are due at the reading `now_ns`, and gives how many it ran. The first frame sets the start reference and runs none.
    ///
    /// `run_tick` gets the number of the tick it is to run, 1 being the first. When it succeeds the tick counts, and `on_tick` is called
    /// with the same number: the place for [`PresentationSnapshot::on_tick`](crate::presentation::PresentationSnapshot::on_tick), bounded, and without blocking. O(limit) calls; no heap and no log of the loop's own while it keeps up.
    ///
    /// # Errors
    /// The first error of `run_tick`. That tick does not count, its hook is not called, and the frame ends; the next frame asks the clock again.
    ///
    /// # Panics
    /// With debug assertions if `now_ns` lies before the start reference. Without them the start reference moves there and nothing runs.
    pub fn frame_at<W: ?Sized, E>(
        &mut self,
        now_ns: i64,
        world: &mut W,
        mut run_tick: impl FnMut(&mut W, u64) -> Result<(), E>,
        mut on_tick: impl FnMut(&mut W, u64),
    ) -> Result<u32, E> {
        self.take_reading(now_ns);
        self.statistics.frames += 1;
        let want = self.base.ticks_due(self.options.tick_rate_hz, now_ns).saturating_sub(self.statistics.ticks);
        // No more than the limit, which has 32 bits.
        let run = want.min(u64::from(self.options.max_catch_up_ticks)) as u32;
        for _ in 0..run {
            let tick = self.statistics.ticks + 1;
            run_tick(world, tick)?;
            self.statistics.ticks = tick;
            on_tick(world, tick);
        }
        if want > u64::from(run) {
            self.drop_ticks(want - u64::from(run));
        }
        Ok(run)
    }

    fn take_reading(&mut self, now_ns: i64) {
        let first = self.latest_ns.is_none();
        debug_assert!(first || now_ns >= self.base.start_ns, "the clock went back to before the start reference");
        if first || now_ns < self.base.start_ns {
            self.base.start_ns = now_ns;
        }
        self.latest_ns = Some(now_ns);
    }

    #[cold]
    fn drop_ticks(&mut self, dropped: u64) {
        self.statistics.dropped_ticks = self.statistics.dropped_ticks.saturating_add(dropped);
        self.statistics.dropped_frames += 1;
        if let Some(repeats) = self.drop_warnings.admit() {
            let LoopOptions { tick_rate_hz, max_catch_up_ticks } = self.options;
            let total_dropped = self.statistics.dropped_ticks;
            let max_catch_up = max_catch_up_ticks;
            tracing::warn!(dropped, total_dropped, max_catch_up, tick_rate_hz, repeats, "loop/tick_dropped");
        }
    }

    /// Goes on at the reading `now_ns` as if no time had passed since the latest frame, and without what that one left undone.
    ///
    /// For the end of a pause or a stop in the debugger: call it before the first [`frame_at`](Self::frame_at) with the same reading, and hand
    /// [`time_base`](Self::time_base) to the snapshots. No tick number is skipped. The picture stays where it stood between its two ticks, to
    /// less than a nanosecond; where ticks were overdue it stays at the newest. O(1). Does nothing before the first frame.
    pub fn restart_at(&mut self, now_ns: i64) {
        if let Some(latest_ns) = self.latest_ns {
            self.base = self.base.restarted(self.options.tick_rate_hz, self.statistics.ticks, latest_ns, now_ns);
            self.latest_ns = Some(now_ns);
        }
    }

    /// How many ticks were completed.
    #[inline]
    pub fn ticks(&self) -> u64 {
        self.statistics.ticks
    }

    /// The reading of the first frame, or where [`restart_at`](Self::restart_at) put it; 0 before the first frame.
    #[inline]
    pub fn start_reference_ns(&self) -> i64 {
        self.base.start_ns
    }

    /// From which reading and which tick the loop counts: what a snapshot needs to know after a restart.
    #[inline]
    pub fn time_base(&self) -> TimeBase {
        self.base
    }

    /// Ticks a second.
    #[inline]
    pub fn tick_rate_hz(&self) -> u32 {
        self.options.tick_rate_hz
    }

    /// The most ticks that one frame runs.
    #[inline]
    pub fn max_catch_up_ticks(&self) -> u32 {
        self.options.max_catch_up_ticks
    }

    /// Counters since the loop was made.
    #[inline]
    pub fn statistics(&self) -> LoopStatistics {
        self.statistics
    }
}

#[cfg(test)]
mod tests;
