//! Walks over entities: by base, by class, by what is dirty, and several values at a time.

use glam::Vec3;

use super::guard::Mark;
use super::{BaseRef, EntityHandle, EntityManager, LendError, Mut, Position, Stale};
use crate::class::{ClassKind, Entity};
use crate::mem::ErasedMut;
use crate::mem::bits::{Bits, ones};
use crate::mem::columns::Column;
use crate::mem::rows;
use crate::mem::slots::Slots;

/// The values of one class by handle, for many look-ups: the class is found once.
pub struct View<'a, T> {
    rows: Option<rows::TypedRows<'a, T>>,
    slots: &'a Slots,
}

impl<'a, T: Entity> View<'a, T> {
    /// The value of the entity; `None` if it was removed or is no `T`. O(1).
    #[inline]
    pub fn get(&self, handle: EntityHandle) -> Option<&'a T> {
        self.rows.as_ref()?.get(self.slots.get(handle.0)?, handle.index())
    }
}

impl<T> core::fmt::Debug for View<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("View").field("registered", &self.rows.is_some()).finish_non_exhaustive()
    }
}

/// One entity of a walk over a class: its value for writing, and its base for reading.
pub struct EntityItem<'a, T> {
    /// The value; writing through it marks the entity as dirty.
    pub value: Mut<'a, T>,
    base: u32,
    slots: &'a Slots,
    positions: &'a Column<Position>,
}

impl<T> EntityItem<'_, T> {
    /// The handle of the entity.
    #[inline]
    pub fn handle(&self) -> EntityHandle {
        self.slots.key_at(self.base).map_or(EntityHandle::NULL, EntityHandle)
    }

    /// Where the entity is.
    #[inline]
    pub fn position(&self) -> Position {
        self.positions[self.base as usize]
    }
}

impl<T> core::fmt::Debug for EntityItem<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("EntityItem").field("handle", &self.handle()).finish_non_exhaustive()
    }
}

/// Value and position of one of several entities that are borrowed at a time. Writing does not make the entity dirty.
pub struct RowMut<'a> {
    /// The entity.
    pub handle: EntityHandle,
    /// Its value.
    pub value: ErasedMut<'a>,
    /// Its position.
    pub position: &'a mut Position,
}

impl core::fmt::Debug for RowMut<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("RowMut").field("handle", &self.handle).finish_non_exhaustive()
    }
}

impl EntityManager {
    /// The values of class `T` by handle: [`get`](Self::get) in a loop, with less work in it.
    #[inline]
    pub fn view<T: Entity>(&self) -> View<'_, T> {
        View { rows: self.find_typed::<T>(), slots: &self.slots }
    }

    /// All entities, by slot. O(entities + slots / 64).
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = BaseRef<'_>> {
        self.slots.live().iter().filter_map(|base| self.base_at(base))
    }

    /// The entities that were written to since they were last marked clean, by slot. O(dirty + slots / 4,096).
    #[inline]
    pub fn dirty(&self) -> impl Iterator<Item = EntityHandle> {
        self.dirty.iter().filter_map(|base| self.slots.key_at(base)).map(EntityHandle)
    }

    #[inline]
    pub(super) fn base_at(&self, base: u32) -> Option<BaseRef<'_>> {
        Some(BaseRef::new(self, EntityHandle(self.slots.key_at(base)?)))
    }

    /// The entities of class `T` with their values, by row; none if `T` is not registered. O(entities of the class + its rows / 64).
    #[inline]
    pub fn iter_of<T: Entity>(&self) -> impl Iterator<Item = (EntityHandle, &T)> {
        let rows = self.rows_of::<T>();
        rows.filter_map(|(base, value)| Some((EntityHandle(self.slots.key_at(base)?), value)))
    }

    /// The values of class `T`, by row: as fast as a slice where no row is free.
    #[inline]
    pub fn values<T: Entity>(&self) -> impl Iterator<Item = &T> {
        self.rows_of::<T>().map(|(_, value)| value)
    }

    fn rows_of<T: Entity>(&self) -> rows::Iter<'_, T> {
        self.find_typed::<T>().map_or_else(rows::Iter::empty, |rows| rows.iter())
    }

    /// The entities of class `T` with their values for writing, by row. Those that are written to become dirty.
    #[inline]
    pub fn iter_of_mut<T: Entity>(&mut self) -> impl Iterator<Item = EntityItem<'_, T>> {
        let (rows, dirty, slots, positions) = self.rows_of_mut::<T>();
        let positions = &*positions;
        rows.map(move |(base, value)| EntityItem {
            value: Mut::new(value, Mark::new(dirty, base)),
            base,
            slots,
            positions,
        })
    }

    /// The values of class `T` for writing, by row: as fast as a slice where no row is free. All entities of the class become dirty at
    /// once, O(slots / 64) at the most; [`iter_of_mut`](Self::iter_of_mut) marks only what is written to.
    #[inline]
    pub fn values_mut<T: Entity>(&mut self) -> impl Iterator<Item = &mut T> {
        let kind = self.kind_of::<T>();
        if let Some(table) = kind.and_then(|kind| self.tables.get_mut(usize::from(kind))) {
            self.dirty.union(&mut table.members);
        }
        self.rows_of_mut::<T>().0.map(|(_, value)| value)
    }

    /// Calls `f` with value and position of each entity of class `T`, by row, both for writing. What is written to becomes dirty.
    #[inline]
    pub fn for_each_of_mut<T: Entity>(&mut self, mut f: impl FnMut(EntityHandle, Mut<'_, T>, Mut<'_, Position>)) {
        let (rows, dirty, slots, positions) = self.rows_of_mut::<T>();
        rows.for_each(|(base, value)| {
            if let (Some(key), Some(position)) = (slots.key_at(base), positions.get_mut(base as usize)) {
                let mark = Mark::new(dirty, base);
                f(EntityHandle(key), Mut::new(value, mark), Mut::new(position, mark));
            }
        });
    }

    fn rows_of_mut<T: Entity>(&mut self) -> (rows::IterMut<'_, T>, &Bits, &Slots, &mut Column<Position>) {
        let kind = self.kind_of::<T>();
        let table = kind.and_then(|kind| self.tables.get_mut(usize::from(kind)));
        let rows = table.map_or_else(rows::IterMut::empty, |table| table.rows.iter_mut());
        (rows, &self.dirty, &self.slots, &mut self.positions)
    }

    /// Calls `f` with the position of every entity, by slot. All become dirty. Full words of 64 slots are walked as a slice.
    #[inline]
    pub fn for_each_position_mut(&mut self, mut f: impl FnMut(&mut Position)) {
        for (index, block) in self.positions.chunks_mut(64).enumerate() {
            let live = self.slots.live().word(index);
            if live == 0 {
                continue;
            }
            self.dirty.or_word(index, live);
            if live == u64::MAX {
                block.iter_mut().for_each(&mut f);
            } else {
                ones(live).for_each(|bit| f(&mut block[bit as usize]));
            }
        }
    }

    /// Calls `f` with the position of every entity, by slot.
    #[inline]
    pub fn for_each_position(&self, mut f: impl FnMut(Vec3)) {
        for (index, block) in self.positions.chunks(64).enumerate() {
            ones(self.slots.live().word(index)).for_each(|bit| f(block[bit as usize].into()));
        }
    }

    /// Values and positions of several entities at a time, in the order of `handles`, so that they can be filled on several threads.
    ///
    /// Meant for loaders: nothing becomes dirty. Allocates the list and, for each class, a bit for each of its rows.
    ///
    /// # Errors
    /// [`LendError`] if an entity was removed or is named twice.
    pub fn rows_mut(&mut self, handles: &[EntityHandle]) -> Result<Vec<RowMut<'_>>, LendError> {
        self.rows_and_components_mut(handles, &[]).map(|(rows, _)| rows)
    }

    /// As [`rows_mut`](Self::rows_mut), and the values of `components`, in their order: each an entity and the number of a component type that
    /// it has.
    ///
    /// # Errors
    /// [`LendError`] if an entity was removed or is named twice, or has no such component or that named twice.
    pub fn rows_and_components_mut(
        &mut self,
        handles: &[EntityHandle],
        components: &[(EntityHandle, ClassKind)],
    ) -> Result<(Vec<RowMut<'_>>, Vec<ErasedMut<'_>>), LendError> {
        let mut positions = self.positions.lend();
        let mut values: Vec<_> = self.tables.iter_mut().map(|table| table.rows.lend()).collect();
        let mut rows = Vec::with_capacity(handles.len());
        for &handle in handles {
            let base = handle.index();
            let row = self.slots.get(handle.0).ok_or(Stale { handle })?;
            let values = values.get_mut(usize::from(self.links[base as usize].kind));
            let value = values.and_then(|values| values.take(row, base));
            let (Some(value), Some(position)) = (value, positions.take(base)) else {
                return Err(LendError::Twice { handle });
            };
            rows.push(RowMut { handle, value, position });
        }
        let mut taken = Vec::with_capacity(components.len());
        if components.is_empty() {
            return Ok((rows, taken));
        }
        let mut lent: Vec<_> = self.components.iter_mut().map(|table| (table.rows.lend(), &table.row_of)).collect();
        for &(handle, kind) in components {
            self.slots.get(handle.0).ok_or(Stale { handle })?;
            let base = handle.index();
            let value = lent.get_mut(usize::from(kind)).and_then(|(values, row_of)| {
                let &row = row_of.get(base as usize)?;
                values.take(row, base)
            });
            taken.push(value.ok_or(LendError::Twice { handle })?);
        }
        Ok((rows, taken))
    }
}
