//! Components: values that entities get and lose while they live, one of each type.
//!
//! ```text
//! slot ──row_of──► row {link: slot, value}      one table for each component type, beside that of the classes
//! members: the slots that have one              what lists and queries intersect
//! ```
//!
//! A row of a component belongs to the slot of its entity as the row of its class does, so every access proves both links. Nothing moves
//! but in [`EntityManager::compact`]. A component type costs 4 bytes and a bit for each slot up to the last that has one, and its rows.

use core::any::Any;
use core::panic::AssertUnwindSafe;
use std::panic::{catch_unwind, resume_unwind};

use super::guard::Mark;
use super::{AddError, EntityHandle, EntityManager, Mut, Stale, ValueMut};
use crate::class::{Class, ClassKind, ClassRegistry, Component};
use crate::mem::bits::Bits;
use crate::mem::columns::Column;
use crate::mem::reserve::Pages;
use crate::mem::rows::Rows;
use crate::mem::{ErasedMut, ErasedRef, ReserveError};

/// The values of one component type.
///
/// # Invariants
/// A bit in `members` is set for the slots whose entry in `row_of` is a live row that belongs to that slot, and for no others.
#[derive(Debug)]
pub(super) struct ComponentTable {
    pub(super) rows: Rows,
    pub(super) members: Bits,
    pub(super) row_of: Column<u32>,
}

/// Entries of slots that have no component.
const NONE: u32 = u32::MAX;

impl ComponentTable {
    /// Tables for all component types of a registry.
    pub(super) fn all(registry: &ClassRegistry, capacity: u32, pages: Pages) -> Result<Vec<Self>, ReserveError> {
        let mut tables = Vec::with_capacity(registry.components().len());
        for kind in 0..registry.components().len() {
            let rows = Rows::of_component(registry, kind as ClassKind, capacity, pages)?;
            let (members, row_of) = (Bits::new(capacity, pages)?, Column::new(capacity as usize, pages)?);
            tables.extend(rows.map(|rows| Self { rows, members, row_of }));
        }
        Ok(tables)
    }

    /// Row of the component of slot `base`.
    #[inline]
    pub(super) fn row(&self, base: u32) -> Option<u32> {
        self.row_of.get(base as usize).copied().filter(|&row| row != NONE)
    }

    /// Room for slot `base` in the bookkeeping.
    fn reach(&mut self, base: u32) -> Option<()> {
        self.members.grow_to(base + 1).ok()?;
        if self.row_of.len() <= base as usize {
            // In steps, so that growing slot by slot does not ask for every one.
            let wanted = (base as usize + 1).next_multiple_of(64);
            let grown =
                self.row_of.grow_to(wanted, || NONE).or_else(|_| self.row_of.grow_to(base as usize + 1, || NONE));
            grown.ok()?;
        }
        Some(())
    }

    fn put(&mut self, base: u32, row: u32) {
        self.row_of[base as usize] = row;
        self.members.set(base);
    }

    /// Ends the component of slot `base`; `false` if it has none.
    ///
    /// # Panics
    /// If the user's drop does; the component is gone by then.
    fn remove(&mut self, base: u32) -> bool {
        let Some(row) = self.row(base) else { return false };
        self.row_of[base as usize] = NONE;
        self.members.clear(base);
        self.rows.remove(row, base)
    }

    /// The entity in slot `from` lies in slot `to` from now on.
    pub(super) fn move_slot(&mut self, from: u32, to: u32) {
        // Slots are moved towards the start, so there is an entry for `to`.
        let Some(row) = self.row(from) else { return };
        self.row_of[from as usize] = NONE;
        self.members.clear(from);
        self.put(to, row);
        self.rows.relink(row, from, to);
    }

    pub(super) fn clear_links(&mut self) {
        self.members.clear_all();
        self.row_of.fill(NONE);
    }
}

impl EntityManager {
    /// Adds a component to an entity, or gives the one that it has: `value` is dropped then. Marks the entity as dirty if it is new. O(1).
    ///
    /// # Errors
    /// [`AddError`] if the entity was removed, the registry does not have the type, or there is no room.
    pub fn add<T: Component>(&mut self, handle: EntityHandle, value: T) -> Result<Mut<'_, T>, AddError> {
        let kind = self.component_kind::<T>()?;
        let base = self.live_slot(handle)?;
        let Self { components, dirty, slots, .. } = self;
        let (class, capacity) = (T::CLASS.name(), slots.capacity());
        let full = AddError::CapacityExceeded { class, capacity };
        let table = components.get_mut(usize::from(kind)).ok_or(AddError::NotRegistered { class })?;
        let row = match table.row(base) {
            Some(row) => row,
            None => {
                table.reach(base).ok_or(full)?;
                let row = table.rows.vacancy::<T>().ok_or(full)?.fill(base, value);
                table.put(base, row);
                dirty.set(base);
                row
            }
        };
        let value = table.rows.get_mut::<T>(row, base).ok_or(full)?;
        Ok(Mut::new(value, Mark::new(dirty, base)))
    }

    /// Adds the component type number `kind` with its default; `false` if the entity has one, which stays as it is. O(1).
    ///
    /// # Errors
    /// [`AddError`], as [`add`](Self::add).
    ///
    /// # Panics
    /// If the default of the component does; nothing has changed then.
    pub fn add_default(&mut self, handle: EntityHandle, kind: ClassKind) -> Result<bool, AddError> {
        self.add_with(handle, kind, |_| {})
    }

    /// As [`add_default`](Self::add_default); a new value is handed to `fill`.
    ///
    /// # Errors
    /// [`AddError`], as [`add`](Self::add).
    ///
    /// # Panics
    /// If the default of the component or `fill` does; nothing has changed then.
    pub fn add_with(
        &mut self,
        handle: EntityHandle,
        kind: ClassKind,
        fill: impl FnOnce(ErasedMut<'_>),
    ) -> Result<bool, AddError> {
        let base = self.live_slot(handle)?;
        let Self { components, dirty, slots, .. } = self;
        let table = components.get_mut(usize::from(kind)).ok_or(AddError::UnknownKind { kind })?;
        if table.row(base).is_some() {
            return Ok(false);
        }
        let full = AddError::CapacityExceeded { class: table.rows.class().name(), capacity: slots.capacity() };
        table.reach(base).ok_or(full)?;
        let row = table.rows.insert_with(base, fill).ok_or(full)?;
        table.put(base, row);
        dirty.set(base);
        Ok(true)
    }

    /// The component of the entity; `None` if it was removed or has none. O(1).
    #[inline]
    pub fn component<T: Component>(&self, handle: EntityHandle) -> Option<&T> {
        let table = self.component_table::<T>()?;
        let base = self.live_slot(handle).ok()?;
        table.rows.typed::<T>()?.get(table.row(base)?, base)
    }

    /// The component of the entity for writing; `None` if it was removed or has none. O(1).
    #[inline]
    pub fn component_mut<T: Component>(&mut self, handle: EntityHandle) -> Option<Mut<'_, T>> {
        let kind = self.component_kind::<T>().ok()?;
        let base = self.live_slot(handle).ok()?;
        let table = self.components.get_mut(usize::from(kind))?;
        let value = table.rows.get_mut::<T>(table.row(base)?, base)?;
        Some(Mut::new(value, Mark::new(&self.dirty, base)))
    }

    /// The component type number `kind` of the entity, whatever it is. O(1).
    #[inline]
    pub fn component_value(&self, handle: EntityHandle, kind: ClassKind) -> Option<ErasedRef<'_>> {
        let base = self.live_slot(handle).ok()?;
        let table = self.components.get(usize::from(kind))?;
        table.rows.value(table.row(base)?, base)
    }

    /// As [`component_value`](Self::component_value), for writing. O(1).
    pub fn component_value_mut(&mut self, handle: EntityHandle, kind: ClassKind) -> Option<ValueMut<'_>> {
        let base = self.live_slot(handle).ok()?;
        let table = self.components.get_mut(usize::from(kind))?;
        let value = table.rows.value_mut(table.row(base)?, base)?;
        Some(ValueMut::new(value, Mark::new(&self.dirty, base)))
    }

    /// As [`component_value_mut`](Self::component_value_mut), but the entity does not become dirty: for loaders.
    pub fn component_value_mut_unmarked(&mut self, handle: EntityHandle, kind: ClassKind) -> Option<ErasedMut<'_>> {
        let base = self.live_slot(handle).ok()?;
        let table = self.components.get_mut(usize::from(kind))?;
        table.rows.value_mut(table.row(base)?, base)
    }

    /// Whether the entity has the component type number `kind`. O(1).
    #[inline]
    pub fn has_component(&self, handle: EntityHandle, kind: ClassKind) -> bool {
        self.live_slot(handle)
            .is_ok_and(|base| self.components.get(usize::from(kind)).is_some_and(|table| table.members.test(base)))
    }

    /// Takes a component away; `false` if the entity has none. Marks the entity as dirty if it had one. O(1).
    ///
    /// # Errors
    /// [`Stale`] if the entity was removed.
    ///
    /// # Panics
    /// If the drop of the component does; it is gone by then.
    pub fn remove_component<T: Component>(&mut self, handle: EntityHandle) -> Result<bool, Stale> {
        match self.registry.find_component_kind::<T>() {
            Some(kind) => self.remove_component_of(handle, kind),
            None => self.live_slot(handle).map(|_| false),
        }
    }

    /// As [`remove_component`](Self::remove_component), for component type number `kind`.
    ///
    /// # Errors
    /// [`Stale`] if the entity was removed.
    ///
    /// # Panics
    /// If the drop of the component does; it is gone by then.
    pub fn remove_component_of(&mut self, handle: EntityHandle, kind: ClassKind) -> Result<bool, Stale> {
        let base = self.live_slot(handle)?;
        let Some(table) = self.components.get_mut(usize::from(kind)) else { return Ok(false) };
        if table.members.test(base) {
            self.dirty.set(base);
        }
        Ok(table.remove(base))
    }

    /// The components of the entity in the order of the registry: number of the type, and value. O(component types).
    pub fn components_of(&self, handle: EntityHandle) -> impl Iterator<Item = (ClassKind, ErasedRef<'_>)> {
        let base = self.live_slot(handle).ok();
        self.components.iter().enumerate().filter_map(move |(kind, table)| {
            let row = table.row(base?)?;
            Some((kind as ClassKind, table.rows.value(row, base?)?))
        })
    }

    /// How many entities have the component type number `kind`. O(1).
    pub fn count_of_component(&self, kind: ClassKind) -> usize {
        self.components.get(usize::from(kind)).map_or(0, |table| table.rows.count() as usize)
    }

    /// The class of component type number `kind`.
    pub fn component_class(&self, kind: ClassKind) -> Option<&'static Class> {
        Some(self.components.get(usize::from(kind))?.rows.class())
    }

    /// The slot of a live entity.
    #[inline]
    fn live_slot(&self, handle: EntityHandle) -> Result<u32, Stale> {
        if self.contains(handle) { Ok(handle.index()) } else { Err(Stale { handle }) }
    }

    #[inline]
    pub(super) fn component_kind<T: Component>(&self) -> Result<ClassKind, AddError> {
        self.registry.find_component_kind::<T>().ok_or(AddError::NotRegistered { class: T::CLASS.name() })
    }

    #[inline]
    fn component_table<T: Component>(&self) -> Option<&ComponentTable> {
        self.components.get(usize::from(self.registry.find_component_kind::<T>()?))
    }

    /// Ends all components of slot `base`; the first panic of a drop, after all are gone.
    pub(super) fn end_components(&mut self, base: u32) -> Option<Box<dyn Any + Send>> {
        let mut first = None;
        for table in self.components.iter_mut().filter(|table| table.members.test(base)) {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| table.remove(base))) {
                crate::mem::rows::keep_first(&mut first, panic);
            }
        }
        first
    }
}

/// Goes on with a panic that was held back.
pub(super) fn resume(panic: Option<Box<dyn Any + Send>>) {
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
}
