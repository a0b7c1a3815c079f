//! The table of records, one for each slot, and how it is written and read.
//!
//! ```text
//! record   states[0] │ states[1] │ generation │ stamp          24 bytes without a channel
//!              ▲           ▲            │            └ number of the refresh that wrote it
//!              │           │            └ whose states they are
//!              └ even      └ odd refreshes write here: the other one is the previous state, which so never has to be moved
//! ```
//!
//! A record counts if its stamp is that of the latest refresh and its generation that of the handle. Otherwise the entity is shown where
//! the world has it now: it *snaps*.

use juliet_core::EntityHandle;
use static_assertions::const_assert;

use super::{Interpolate, Pose, Positions};
use crate::game_loop::{InvalidOption, RateLimit, TICK_RATES_HZ, TimeBase};
use crate::sim_math::{Fp32Pinned, Fpx16_16, SimMath, Vec2};

/// What a snapshot is made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotOptions {
    /// That of the loop, in [`TICK_RATES_HZ`]; 60 by default. Another one makes alpha wrong, which cannot be noticed here.
    pub tick_rate_hz: u32,
}

impl Default for SnapshotOptions {
    fn default() -> Self {
        Self { tick_rate_hz: 60 }
    }
}

/// Why there is no snapshot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// An option out of its range.
    #[error(transparent)]
    Option(#[from] InvalidOption),
    /// The table cannot be had.
    #[error("cannot allocate the records of {capacity} slots")]
    Memory {
        /// Slots asked for.
        capacity: usize,
    },
}

/// Why there is no sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The entity was removed, or never was of this world.
    #[error("entity {handle:?} does not exist")]
    Stale {
        /// The handle.
        handle: EntityHandle,
    },
    /// The entity exists and has no position.
    #[error("entity {handle:?} has no position")]
    NoPosition {
        /// The handle.
        handle: EntityHandle,
    },
}

/// Whose states a record has, and of which refresh. Compared and written as one word.
#[derive(Clone, Copy, Default, PartialEq)]
#[repr(C, align(8))]
struct Owner {
    /// 0 for nobody's.
    generation: u32,
    /// 0 for never.
    stamp: u32,
}

#[derive(Clone, Copy)]
struct Record<B: SimMath, C> {
    states: [Pose<B, C>; 2],
    owner: Owner,
}

impl<B: SimMath, C: Interpolate<B>> Record<B, C> {
    fn nobody() -> Self {
        Self { states: [Pose { position: Vec2::ZERO, channel: C::default() }; 2], owner: Owner::default() }
    }
}
const_assert!(size_of::<Record<Fpx16_16, ()>>() <= 24);
const_assert!(size_of::<Record<Fp32Pinned, ()>>() <= 24);

/// The two latest end-of-tick states of every entity that has a position, for showing frames between ticks.
///
/// `C` declares what is interpolated beside the position: nothing by default, or one of the channels of
/// [this module](crate::presentation), such as [`Turns`](super::Turns) or a `Quat`.
///
/// # Use
/// ```
/// # use juliet_world::game_loop::{GameLoop, LoopOptions, InvalidOption};
/// # use juliet_world::presentation::{Position2D, Positions, Pose, PresentationSnapshot, SnapshotOptions};
/// # use juliet_world::sim_math::Fpx16_16;
/// # use juliet_core::{ClassRegistry, EntityHandle};
/// # struct World;
/// # impl Positions<Fpx16_16> for World {
/// #     fn contains(&self, _: EntityHandle) -> bool { false }
/// #     fn get(&self, _: EntityHandle) -> Option<Pose<Fpx16_16>> { None }
/// #     fn for_each(&self, _: impl FnMut(EntityHandle, Pose<Fpx16_16>)) {}
/// # }
/// # let (mut world, capacity) = (World, 100);
/// let mut game_loop = GameLoop::new(LoopOptions::default())?;
/// // The first frame runs no tick; now the start reference is known.
/// game_loop.frame(&mut world, |_, _| Ok::<_, ()>(()), |_, _| ()).unwrap();
/// let (start_ns, tick_rate_hz) = (game_loop.start_reference_ns(), game_loop.tick_rate_hz());
/// let mut snapshot = PresentationSnapshot::<Fpx16_16>::new(capacity, start_ns, SnapshotOptions { tick_rate_hz }).unwrap();
/// // Each frame: one reading for both.
/// let now_ns = game_loop.now_ns();
/// game_loop.frame_at(now_ns, &mut world, |_, _| Ok::<_, ()>(()), |world, tick| snapshot.on_tick(world, tick)).unwrap();
/// snapshot.on_render_frame(now_ns);
/// snapshot.for_each_sample(&world, |entity, pose| println!("{entity:?} at {:?}", pose.position));
/// # Ok::<_, InvalidOption>(())
/// ```
///
/// # When an entity snaps
/// An entity is interpolated if the two latest refreshes saw it. A new one, one whose slot had another owner, one without a position at the
/// refresh before, and one that was [`reset`](Self::reset), is shown where it is. A jump *without* a reset is shown as one tick of motion, and a
/// change between ticks only after the next tick.
///
/// # Memory
/// 24 bytes a slot of the world; with a channel 8 bytes and two channels more, rounded up to its alignment.
/// Allocated once, by [`new`](Self::new).
pub struct PresentationSnapshot<B: SimMath, C = ()> {
    records: Box<[Record<B, C>]>,
    base: TimeBase,
    tick_rate_hz: u32,
    /// Number of the latest refresh: its stamp, and its parity where the records have their current state.
    refresh: u32,
    last_tick: u64,
    alpha: B::Scalar,
    stale_warnings: RateLimit,
}

impl<B: SimMath, C: Interpolate<B>> PresentationSnapshot<B, C> {
    /// A snapshot for a world of `capacity` slots whose loop has the start reference `start_ns`. O(capacity), one allocation.
    ///
    /// # Errors
    /// [`SnapshotError::Option`] for a rate out of range, of which a warning `presentation/tick_rate_invalid` goes to `tracing`;
    /// [`SnapshotError::Memory`] if the table cannot be had.
    pub fn new(capacity: usize, start_ns: i64, options: SnapshotOptions) -> Result<Self, SnapshotError> {
        static RATE_WARNINGS: RateLimit = RateLimit::new();
        let SnapshotOptions { tick_rate_hz } = options;
        if !TICK_RATES_HZ.contains(&tick_rate_hz) {
            if let Some(repeats) = RATE_WARNINGS.admit() {
                tracing::warn!(tick_rate_hz, repeats, "presentation/tick_rate_invalid");
            }
            return Err(InvalidOption::TickRate { tick_rate_hz }.into());
        }
        let mut records = Vec::new();
        records.try_reserve_exact(capacity).map_err(|_| SnapshotError::Memory { capacity })?;
        records.resize(capacity, Record::nobody());
        Ok(Self {
            records: records.into_boxed_slice(),
            base: TimeBase { start_ns, tick: 0 },
            tick_rate_hz,
            refresh: 0,
            last_tick: 0,
            alpha: B::ZERO,
            stale_warnings: RateLimit::new(),
        })
    }

    /// Takes the state of the world after tick `tick`: what was current becomes previous. For the hook of the loop.
    ///
    /// The number is taken as it comes; with 0 the states are taken, and alpha stays 0. Alpha itself does not change.
    /// O(entities with a position), no heap, no log. Slots beyond the capacity are left out.
    pub fn on_tick(&mut self, world: &impl Positions<B, C>, tick: u64) {
        let before = self.begin_refresh();
        let (stamp, records) = (self.refresh, &mut *self.records);
        let current = (stamp % 2) as usize;
        world.for_each(|handle, pose| {
            let Some(record) = records.get_mut(handle.index() as usize) else { return };
            let generation = handle.generation();
            if record.owner != (Owner { generation, stamp: before }) {
                record.states[1 - current] = pose;
            }
            record.states[current] = pose;
            record.owner = Owner { generation, stamp };
        });
        self.last_tick = tick;
    }

    /// Numbers the refresh that begins, and gives the number of the one before.
    #[inline]
    fn begin_refresh(&mut self) -> u32 {
        if self.refresh == u32::MAX {
            self.renumber();
        }
        let before = self.refresh;
        self.refresh = before + 1;
        before
    }

    /// Starts the numbers over, so that no record of long ago ever passes for a fresh one. Parity stays: the last number is odd.
    #[cold]
    fn renumber(&mut self) {
        for record in &mut *self.records {
            record.owner.stamp = u32::from(record.owner.stamp == self.refresh);
        }
        self.refresh = 1;
    }

    /// Computes alpha for a frame at the clock reading `now_ns`: how far it lies past the moment at which the latest tick was due, in
    /// ticks, limited to 0 to 1; 0 before the first tick. Exact until it is rounded to the scalar. O(1), no heap, no log.
    pub fn on_render_frame(&mut self, now_ns: i64) {
        let num = match self.last_tick {
            0 => 0,
            tick => self.base.alpha_numerator(self.tick_rate_hz, tick, now_ns),
        };
        self.alpha = B::alpha(num);
    }

    /// Takes over the time base of the loop after [`GameLoop::restart_at`](crate::game_loop::GameLoop::restart_at).
    pub fn set_time_base(&mut self, base: TimeBase) {
        self.base = base;
    }

    /// Forgets where the entity was: a teleport. From now on it is shown where the world has it, and after the next tick at the state of that
    /// tick, at every alpha; from the second tick on it is interpolated again.
    ///
    /// May be called before or after the jump, in a tick or between ticks. O(1). Does nothing for a handle that the snapshot has not seen.
    pub fn reset(&mut self, handle: EntityHandle) {
        if let Some(record) = self.records.get_mut(handle.index() as usize)
            && record.owner.generation == handle.generation()
        {
            record.owner.stamp = 0;
        }
    }

    /// [`reset`](Self::reset) of all entities: a cut to another scene. O(1), but once in four thousand million times O(capacity).
    pub fn reset_all(&mut self) {
        self.begin_refresh();
    }

    /// Where to show the entity: between its two latest states at the stored [`alpha`](Self::alpha), or where it is now if it
    /// [snaps](Self#when-an-entity-snaps). O(1), no heap.
    ///
    /// A world with more slots than the snapshot is fine; entities beyond are shown where they are.
    ///
    /// # Errors
    /// [`SampleError::Stale`] if the entity does not exist, of which a warning `ecs/stale_entity_access` goes to `tracing`, at most one a
    /// second; [`SampleError::NoPosition`], without a word, if it has no position.
    #[inline]
    pub fn sample_position(&self, world: &impl Positions<B, C>, handle: EntityHandle) -> Result<Vec2<B>, SampleError> {
        Ok(self.sample(world, handle)?.position)
    }

    /// [`sample_position`](Self::sample_position) with the channel.
    ///
    /// # Errors
    /// Those of [`sample_position`](Self::sample_position).
    #[inline]
    pub fn sample(&self, world: &impl Positions<B, C>, handle: EntityHandle) -> Result<Pose<B, C>, SampleError> {
        match world.get(handle) {
            Some(now) => Ok(self.shown(handle, now)),
            None => Err(self.nothing_at(handle, world.contains(handle))),
        }
    }

    /// Calls `show` with every entity that has a position and with what [`sample`](Self::sample) gives for it, in the order of the world.
    /// One walk over the world, no look-ups, no heap.
    #[inline]
    pub fn for_each_sample(&self, world: &impl Positions<B, C>, mut show: impl FnMut(EntityHandle, Pose<B, C>)) {
        world.for_each(|handle, now| show(handle, self.shown(handle, now)));
    }

    /// What is shown of an entity that is at `now`.
    #[inline]
    fn shown(&self, handle: EntityHandle, now: Pose<B, C>) -> Pose<B, C> {
        let fresh = Owner { generation: handle.generation(), stamp: self.refresh };
        match self.records.get(handle.index() as usize) {
            Some(record) if record.owner == fresh => {
                let current = (self.refresh % 2) as usize;
                Pose::interpolate(record.states[1 - current], record.states[current], self.alpha)
            }
            _ => now,
        }
    }

    #[cold]
    fn nothing_at(&self, handle: EntityHandle, exists: bool) -> SampleError {
        if exists {
            return SampleError::NoPosition { handle };
        }
        if let Some(repeats) = self.stale_warnings.admit() {
            let (entity_id, generation) = (handle.index(), handle.generation());
            tracing::warn!(entity_id, generation, repeats, "ecs/stale_entity_access");
        }
        SampleError::Stale { handle }
    }

    /// The share of the way from the previous to the current state, as of the latest [`on_render_frame`](Self::on_render_frame); 0 at first.
    #[inline]
    pub fn alpha(&self) -> B::Scalar {
        self.alpha
    }

    /// The number that the latest [`on_tick`](Self::on_tick) had; 0 at first.
    #[inline]
    pub fn last_tick(&self) -> u64 {
        self.last_tick
    }

    /// How many slots there are records for.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.records.len()
    }
}

impl<B: SimMath, C> core::fmt::Debug for PresentationSnapshot<B, C> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut shown = f.debug_struct("PresentationSnapshot");
        shown.field("last_tick", &self.last_tick).field("alpha", &self.alpha).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[test]
    fn when_the_numbers_of_refreshes_end_only_the_latest_records_stay_fresh() {
        let mut snapshot = PresentationSnapshot::<Fpx16_16>::new(4, 0, SnapshotOptions::default()).unwrap();
        snapshot.refresh = u32::MAX - 1;
        assert_eq!((snapshot.begin_refresh(), snapshot.refresh), (u32::MAX - 1, u32::MAX));
        for (record, stamp) in snapshot.records.iter_mut().zip([u32::MAX, u32::MAX - 1, 1, 0]) {
            record.owner.stamp = stamp;
        }
        let parity = snapshot.refresh % 2;
        let before = snapshot.begin_refresh();
        assert_eq!((before, before % 2, snapshot.refresh), (1, parity, 2));
        assert_eq!(snapshot.records.iter().map(|record| record.owner.stamp).collect::<Vec<_>>(), [1, 0, 0, 0]);
    }

    #[test]
    fn s7_8_records_have_24_bytes_and_channels_cost_what_they_are() {
        assert_eq!((size_of::<Record<Fpx16_16, ()>>(), size_of::<Record<Fp32Pinned, ()>>()), (24, 24));
        assert_eq!(size_of::<Record<Fpx16_16, crate::presentation::Turns>>(), 32);
        assert_eq!(size_of::<Record<Fp32Pinned, glam::Quat>>(), 80);
    }
}
