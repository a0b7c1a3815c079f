//! Many entities of one class at a time: slots, rows and everything that belongs to them are claimed in runs of consecutive numbers.
//!
//! ```text
//! slots   ..│12 13 14 15│..      a run: the next slots to claim, as long as their numbers go up one by one
//! rows    ..│40 41 42 43│..      and as many rows that were never used
//! ```
//!
//! A run is filled first and claimed afterwards, column by column. Where slots or rows come from a free list in another order, entities
//! are made one at a time; the result is the same either way.

use core::ops::{ControlFlow, Range};

use glam::Vec3;

use super::base::Links;
use super::{BatchError, EntityHandle, EntityManager, Position, SpawnError};
use crate::class::{ClassKind, Entity};
use crate::mem::bits::Bits;
use crate::mem::columns::Column;
use crate::mem::rows::{self, Rows};
use crate::mem::slots::Slots;

/// Longest run: what it fills is still in the cache when it is claimed.
const LONG: usize = 512;
/// Shorter ones are not worth the set-up.
const SHORT: usize = 4;

/// Claims the slots of runs.
pub(super) struct Claims<'a> {
    slots: &'a mut Slots,
    links: &'a mut Column<Links>,
    dirty: &'a mut Bits,
    members: &'a mut Bits,
    handles: &'a mut Vec<EntityHandle>,
}

impl Claims<'_> {
    /// Claims the vacant slots `run` for the values in `row` and the rows after it, and links them.
    pub(super) fn claim(&mut self, run: Range<u32>, row: u32, links: Links) {
        self.links[run.start as usize..run.end as usize].fill(links);
        self.dirty.set_range(run.clone());
        self.members.set_range(run.clone());
        self.handles.reserve(run.len());
        self.slots.claim_run(run, row, |key| self.handles.push(EntityHandle(key)));
    }
}

/// A run being filled with `T`s. What was filled becomes entities when this is dropped, also in a panic of the iterator it comes from.
struct Filling<'a, T: Entity> {
    values: Option<rows::Run<'a, T>>,
    claims: Claims<'a>,
    run: Range<u32>,
    links: Links,
}

impl<T: Entity> Drop for Filling<'_, T> {
    fn drop(&mut self) {
        // The rows become live first: dropping their run does that.
        let Some((row, count)) = self.values.take().map(|values| values.filled()) else { return };
        self.claims.claim(self.run.start..self.run.start + count, row, self.links);
    }
}

impl EntityManager {
    /// An entity for each value and position. Allocates the list of handles. Costs less than [`spawn`](Self::spawn) for each, unless it
    /// fills the gaps that removals left.
    ///
    /// Pass `&mut iterator` to keep what comes after a failure.
    ///
    /// # Errors
    /// [`BatchError`], with the value that was not taken in; the entities before it stay.
    ///
    /// # Panics
    /// If the iterator does; the entities before stay.
    pub fn spawn_batch<T: Entity>(
        &mut self,
        items: impl IntoIterator<Item = (T, Vec3)>,
    ) -> Result<Vec<EntityHandle>, BatchError<T>> {
        let mut items = items.into_iter();
        let mut spawned = Vec::with_capacity(items.size_hint().0.min(self.capacity()));
        let kind = self.kind_of::<T>();
        loop {
            match kind.and_then(|kind| self.spawn_run(kind, &mut items, &mut spawned)) {
                Some(ControlFlow::Continue(())) => continue,
                Some(ControlFlow::Break(())) => return Ok(spawned),
                None => {}
            }
            let Some((value, position)) = items.next() else { return Ok(spawned) };
            let result = match kind {
                Some(kind) => self.spawn_as(kind, value, position),
                None => Err(SpawnError::NotRegistered { value, class: T::CLASS.name() }),
            };
            match result {
                Ok(handle) => spawned.push(handle),
                Err(error) => return Err(BatchError { spawned, error }),
            }
        }
    }

    /// Fills one run, to the end of the items at the most, where it breaks. `None`, with nothing taken, if a run is not worth it.
    fn spawn_run<T: Entity>(
        &mut self,
        kind: ClassKind,
        items: &mut impl Iterator<Item = (T, Vec3)>,
        spawned: &mut Vec<EntityHandle>,
    ) -> Option<ControlFlow<()>> {
        let most = items.size_hint().1.unwrap_or(LONG);
        let run = self.vacant_run(kind, most)?;
        let (rows, positions, claims) = self.parts(kind, spawned)?;
        let links = Links { id: 0, class: T::CLASS, kind, template: 0 };
        let values = rows.run::<T>(run.len() as u32);
        let positions = positions.get_mut(run.start as usize..run.end as usize)?;
        let mut filling = Filling { values, claims, run: run.clone(), links };
        let values = filling.values.as_mut()?;
        for (base, at) in run.zip(positions) {
            let Some((value, position)) = items.next() else { return Some(ControlFlow::Break(())) };
            *at = position.into();
            // The run has a row for each of its slots, so none is handed back.
            let _filled = values.push(base, value);
        }
        Some(ControlFlow::Continue(()))
    }

    /// The slots to claim next, up to `most`, with room in every column and as many unused rows; nothing is claimed. `None` if a run is
    /// not worth it or there is no room.
    pub(super) fn vacant_run(&mut self, kind: ClassKind, most: usize) -> Option<Range<u32>> {
        let table = self.tables.get_mut(usize::from(kind))?;
        let most = most.min(LONG).min(table.rows.unused() as usize);
        if most < SHORT {
            return None;
        }
        let run = self.slots.next_run(most as u32);
        if run.len() < SHORT {
            return None;
        }
        table.members.grow_to(run.end).ok()?;
        if run.end > self.slots.grown() {
            self.grow(run.end - 1)?;
        }
        Some(run)
    }

    /// What a run of class `kind` is filled and claimed with; handles go to `handles`.
    pub(super) fn parts<'a>(
        &'a mut self,
        kind: ClassKind,
        handles: &'a mut Vec<EntityHandle>,
    ) -> Option<(&'a mut Rows, &'a mut Column<Position>, Claims<'a>)> {
        let Self { slots, positions, links, dirty, tables, .. } = self;
        let table = tables.get_mut(usize::from(kind))?;
        Some((&mut table.rows, positions, Claims { slots, links, dirty, members: &mut table.members, handles }))
    }
}
