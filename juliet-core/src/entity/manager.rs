//! The owner of all entities.

use core::hash::BuildHasher;
use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicU16, Ordering::Relaxed};

use std::panic::catch_unwind;

use foldhash::fast::RandomState;
use glam::Vec3;
use hashbrown::HashTable;

use super::base::Links;
use super::components::{ComponentTable, resume};
use super::guard::Mark;
use super::{AllocateError, BaseRef, EntityHandle, Mut, Position, SetIdError, SpawnError, Stale, ValueMut};
use crate::class::{Class, ClassKind, ClassRegistry, Entity};
use crate::mem::bits::Bits;
use crate::mem::columns::Column;
use crate::mem::reserve::Pages;
use crate::mem::rows::{Rows, TypedRows, keep_first};
use crate::mem::slots::{MAX_CAPACITY, Slots};
use crate::mem::{ErasedMut, ErasedRef, ReserveError};

/// How many entities a manager is made for, and on what memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    entities: u32,
    pages: Pages,
    pre_touch: bool,
}

impl Default for Capacity {
    /// 100,000 entities.
    fn default() -> Self {
        Self::entities(100_000)
    }
}

impl Capacity {
    /// Room for `count` entities, at most 2³¹ - 1.
    pub const fn entities(count: u32) -> Self {
        let entities = if count < MAX_CAPACITY { count } else { MAX_CAPACITY };
        Self { entities, pages: Pages::Usual, pre_touch: false }
    }

    /// Asks for huge pages where the system offers them: a third of the page faults' cost, up to 2 MiB more memory an array.
    pub const fn with_huge_pages(mut self) -> Self {
        self.pages = Pages::Huge;
        self
    }

    /// Asks for the memory of all bases (50 bytes an entity) when the manager is made, so that no page fault falls on the first
    /// allocations. For rows see [`EntityManager::pre_touch`].
    pub const fn with_pre_touch(mut self) -> Self {
        self.pre_touch = true;
        self
    }
}

/// How many types have their kind at hand.
const RECENT: usize = 16;

/// Rows of one class and who they belong to.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) rows: Rows,
    /// The slots whose entities are of the class.
    pub(super) members: Bits,
}

/// Owns entities: allocates, finds and removes them.
///
/// # Memory
/// Address space for the full capacity is reserved when the manager is made: 48 bytes an entity and, for each class, its rows (4 bytes
/// and the value, rounded up to its alignment). 88 classes of 100 bytes at the default capacity take about 1 GiB of addresses. Memory
/// itself is used as entities are allocated. The index of ids is an allocation of about 13 bytes an entity of capacity (twice as
/// many places as entities, so that it never grows). Afterwards allocating, removing, finding and iterating touch no heap.
///
/// # Order
/// Iteration by base goes by slot, iteration by class by row. Both are the order of allocation until something is removed.
#[derive(Debug)]
pub struct EntityManager {
    pub(super) registry: ClassRegistry,
    /// Payload: the row.
    pub(super) slots: Slots,
    pub(super) positions: Column<Position>,
    pub(super) links: Column<Links>,
    pub(super) dirty: Bits,
    /// One for each class, and one for all that the registry does not know; the index is the kind.
    pub(super) tables: Vec<Table>,
    /// One for each component type; the index is its kind.
    pub(super) components: Vec<ComponentTable>,
    /// Slots of the entities that have an id.
    pub(super) ids: HashTable<u32>,
    pub(super) hasher: RandomState,
    /// Kinds of types asked for lately, by the address of their table.
    recent: [AtomicU16; RECENT],
}

impl EntityManager {
    /// No entities, room for 100,000 of the classes of `registry`.
    ///
    /// # Errors
    /// [`ReserveError`] if the system refuses the address space or the memory of the id index.
    pub fn new(registry: ClassRegistry) -> Result<Self, ReserveError> {
        Self::with_capacity(registry, Capacity::default())
    }

    /// No entities, room for `capacity` of the classes of `registry`. O(classes).
    ///
    /// # Errors
    /// [`ReserveError`] if the system refuses the address space or the memory of the id index.
    pub fn with_capacity(registry: ClassRegistry, capacity: Capacity) -> Result<Self, ReserveError> {
        let Capacity { entities, pages, pre_touch } = capacity;
        // That of entities of unknown classes comes last.
        let last = registry.unknown_kind();
        let mut tables = Vec::with_capacity(usize::from(last) + 1);
        for kind in 0..=last {
            let rows = Rows::new(&registry, kind, entities, pages)?;
            let members = Bits::new(entities, pages)?;
            tables.extend(rows.map(|rows| Table { rows, members }));
        }
        let hasher = RandomState::default();
        let mut ids = HashTable::new();
        let places = (entities as usize).saturating_mul(2);
        ids.try_reserve(places, |&slot| hasher.hash_one(slot)).map_err(|_| ReserveError {
            bytes: places.saturating_mul(size_of::<u32>()),
            source: std::io::ErrorKind::OutOfMemory.into(),
        })?;
        let components = ComponentTable::all(&registry, entities, pages)?;
        let mut manager = Self {
            registry,
            slots: Slots::new(entities, pages)?,
            positions: Column::new(entities as usize, pages)?,
            links: Column::new(entities as usize, pages)?,
            dirty: Bits::new(entities, pages)?,
            tables,
            components,
            ids,
            hasher,
            recent: Default::default(),
        };
        if pre_touch {
            manager.pre_touch_bases(entities);
        }
        Ok(manager)
    }

    fn pre_touch_bases(&mut self, count: u32) {
        self.slots.pre_touch(count);
        self.positions.pre_touch(count as usize);
        self.links.pre_touch(count as usize);
        self.dirty.pre_touch(count);
    }

    /// Asks the system for the memory of the next `count` entities of class `kind`, so that no page fault falls on their allocation.
    /// A hint: nothing happens where the system has no such call.
    pub fn pre_touch(&mut self, kind: ClassKind, count: u32) {
        self.pre_touch_bases(self.slots.used().saturating_add(count));
        if let Some(table) = self.tables.get_mut(usize::from(kind)) {
            table.rows.pre_touch(count);
        }
    }

    /// The classes entities can be of.
    #[inline]
    pub fn registry(&self) -> &ClassRegistry {
        &self.registry
    }

    /// How many entities there are. O(1).
    #[inline]
    pub fn len(&self) -> usize {
        self.slots.count() as usize
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many entities there can be. Retired slots count as well.
    #[inline]
    pub fn capacity(&self) -> usize {
        self.slots.capacity() as usize
    }

    /// How many entities of class `kind` there are. O(1).
    #[inline]
    pub fn count_of(&self, kind: ClassKind) -> usize {
        self.tables.get(usize::from(kind)).map_or(0, |table| table.rows.count() as usize)
    }

    /// An entity of class `kind` in which every property has its default, at the origin, without an id, and dirty. O(1).
    ///
    /// # Errors
    /// [`AllocateError`] if the manager is full or has no such class.
    ///
    /// # Panics
    /// If the default of the class does; nothing has changed then.
    pub fn allocate(&mut self, kind: ClassKind) -> Result<EntityHandle, AllocateError> {
        let class = self.class_of(kind)?;
        let full = self.full(class);
        let base = self.vacant(kind).ok_or(full)?;
        let row = self.tables[usize::from(kind)].rows.insert_default(base).ok_or(full)?;
        Ok(self.wire(base, row, Links { id: 0, class, kind, template: 0 }, Position::ORIGIN))
    }

    /// One entity for each of `kinds`, as by [`allocate`](Self::allocate). Allocates the list. All or nothing, except in a panic.
    ///
    /// # Errors
    /// [`AllocateError`] if they do not all fit or a class is unknown.
    ///
    /// # Panics
    /// If the default of a class does; the entities allocated before it stay.
    pub fn allocate_many(&mut self, kinds: &[ClassKind]) -> Result<Vec<EntityHandle>, AllocateError> {
        let room = self.room();
        for (i, &kind) in kinds.iter().enumerate() {
            let class = self.class_of(kind)?;
            if i >= room {
                return Err(self.full(class));
            }
        }
        let mut handles = Vec::with_capacity(kinds.len());
        for &kind in kinds {
            match self.allocate(kind) {
                Ok(handle) => handles.push(handle),
                Err(error) => {
                    self.take_back(handles);
                    return Err(error);
                }
            }
        }
        Ok(handles)
    }

    /// Removes entities that were allocated in the same call.
    pub(super) fn take_back(&mut self, handles: Vec<EntityHandle>) {
        for handle in handles {
            // Allocated in this call, so it is not stale.
            let _removed = self.remove(handle);
        }
    }

    /// How many more entities there can be.
    pub(super) fn room(&self) -> usize {
        (self.slots.capacity() - self.slots.count() - self.slots.retired()) as usize
    }

    pub(super) fn full(&self, class: &Class) -> AllocateError {
        AllocateError::CapacityExceeded { class: class.name(), capacity: self.slots.capacity() }
    }

    /// An entity that holds `value`, at `position`, without an id, and dirty. O(1).
    ///
    /// # Errors
    /// [`SpawnError`], with the value, if the manager is full or its registry does not have the type.
    #[inline]
    pub fn spawn<T: Entity>(&mut self, value: T, position: Vec3) -> Result<EntityHandle, SpawnError<T>> {
        match self.kind_of::<T>() {
            Some(kind) => self.spawn_as(kind, value, position),
            None => Err(SpawnError::NotRegistered { value, class: T::CLASS.name() }),
        }
    }

    #[inline]
    pub(super) fn spawn_as<T: Entity>(
        &mut self,
        kind: ClassKind,
        value: T,
        position: Vec3,
    ) -> Result<EntityHandle, SpawnError<T>> {
        let base = self.vacant(kind);
        let vacancy = self.tables.get_mut(usize::from(kind)).and_then(|table| table.rows.vacancy());
        let (Some(base), Some(vacancy)) = (base, vacancy) else {
            return Err(SpawnError::CapacityExceeded {
                value,
                class: T::CLASS.name(),
                capacity: self.slots.capacity(),
            });
        };
        let row = vacancy.fill(base, value);
        Ok(self.wire(base, row, Links { id: 0, class: T::CLASS, kind, template: 0 }, position.into()))
    }

    /// The rows of `T`. O(1), a comparison for types asked for lately.
    #[inline]
    pub(super) fn find_typed<T: Entity>(&self) -> Option<TypedRows<'_, T>> {
        const { assert!(!T::CLASS.is_component(), "a component is no entity: use `component`, `component_mut` or `add`") };
        let recent = self.tables.get(usize::from(self.recent::<T>().load(Relaxed)));
        match recent.and_then(|table| table.rows.typed_here::<T>()) {
            Some(rows) => Some(rows),
            None => self.tables.get(usize::from(self.look_up(T::CLASS, self.recent::<T>())?))?.rows.typed(),
        }
    }

    /// Kind of `T` in the registry. O(1), a comparison for types asked for lately.
    #[inline]
    pub(super) fn kind_of<T: Entity>(&self) -> Option<ClassKind> {
        const { assert!(!T::CLASS.is_component(), "a component is no entity: use `component`, `component_mut` or `add`") };
        let kind = self.recent::<T>().load(Relaxed);
        if self.tables.get(usize::from(kind)).is_some_and(|table| table.rows.typed_here::<T>().is_some()) {
            return Some(kind);
        }
        self.look_up(T::CLASS, self.recent::<T>())
    }

    #[inline]
    fn recent<T: Entity>(&self) -> &AtomicU16 {
        &self.recent[core::ptr::from_ref(T::CLASS).addr() / align_of::<Class>() % RECENT]
    }

    #[cold]
    #[inline(never)]
    fn look_up(&self, class: &Class, recent: &AtomicU16) -> Option<ClassKind> {
        let kind = self.registry.find_kind_of(class)?;
        recent.store(kind, Relaxed);
        Some(kind)
    }

    pub(super) fn class_of(&self, kind: ClassKind) -> Result<&'static Class, AllocateError> {
        let table = self.tables.get(usize::from(kind)).ok_or(AllocateError::UnknownKind { kind })?;
        Ok(table.rows.class())
    }

    /// The slot to claim next, with room for it in every column; nothing is claimed. `None` if there is no room.
    #[inline]
    pub(super) fn vacant(&mut self, kind: ClassKind) -> Option<u32> {
        let base = self.slots.next()?;
        if base >= self.slots.grown() {
            self.grow(base)?;
        }
        self.tables[usize::from(kind)].members.grow_to(base + 1).ok()?;
        Some(base)
    }

    /// Makes room for some more slots, in all columns or none that counts.
    #[cold]
    pub(super) fn grow(&mut self, base: u32) -> Option<()> {
        let unused = Links { id: 0, class: self.tables.first()?.rows.class(), kind: 0, template: 0 };
        let count = self.slots.step_from(base);
        self.positions.grow_to(count as usize, || Position::ORIGIN).ok()?;
        self.links.grow_to(count as usize, || unused).ok()?;
        self.dirty.grow_to(count).ok()?;
        // The slots come last: `grown` counts them.
        self.slots.grow_to(count).ok()
    }

    /// Claims the vacant slot `base` for the value in `row` and links both.
    ///
    /// Inlined, because it spares a quarter of the time: its callers have checked most of what it would check again.
    #[inline(always)]
    pub(super) fn wire(&mut self, base: u32, row: u32, links: Links, position: Position) -> EntityHandle {
        self.positions[base as usize] = position;
        self.links[base as usize] = links;
        self.dirty.set(base);
        self.tables[usize::from(links.kind)].members.set(base);
        let key = self.slots.claim(row);
        let next = self.slots.first_free();
        self.positions.prefetch(next as usize);
        self.links.prefetch(next as usize);
        EntityHandle(key.expect("the slot is vacant"))
    }

    /// Ends the entity with its components. O(component types), a bit each; no allocation, nothing else moves.
    ///
    /// # Errors
    /// [`Stale`] if it was removed before.
    ///
    /// # Panics
    /// If the drop of the value or of a component does, with the first panic; the entity and all its components are gone by then.
    pub fn remove(&mut self, handle: EntityHandle) -> Result<(), Stale> {
        let row = self.slots.get(handle.0).ok_or(Stale { handle })?;
        let base = handle.index();
        let Links { id, kind, .. } = self.links[base as usize];
        if id != 0 {
            self.forget_id(base, id);
        }
        self.slots.free(base);
        self.dirty.clear(base);
        let table = &mut self.tables[usize::from(kind)];
        table.members.clear(base);
        if self.components.is_empty() {
            table.rows.remove(row, base);
            return Ok(());
        }
        // Whatever panics, the value and every component are ended once.
        let rows = &mut table.rows;
        let mut panic = catch_unwind(AssertUnwindSafe(|| rows.remove(row, base))).err();
        if let Some(other) = self.end_components(base) {
            keep_first(&mut panic, other);
        }
        resume(panic);
        Ok(())
    }

    /// Ends every entity. O(entities). All handles are stale afterwards.
    ///
    /// # Panics
    /// If drops of values do, with the first panic, after all the others were dropped.
    pub fn clear(&mut self) {
        self.slots.free_all();
        self.ids.clear();
        self.dirty.clear_all();
        for table in &mut self.tables {
            table.members.clear_all();
        }
        for table in &mut self.components {
            table.clear_links();
        }
        Rows::clear_all(all_rows(&mut self.tables, &mut self.components));
    }

    /// Whether the entity exists. O(1).
    #[inline]
    pub fn contains(&self, handle: EntityHandle) -> bool {
        self.slots.get(handle.0).is_some()
    }

    /// Id, class, position and state of the entity; `None` if it was removed. O(1).
    #[inline]
    pub fn base(&self, handle: EntityHandle) -> Option<BaseRef<'_>> {
        self.slots.get(handle.0)?;
        Some(BaseRef::new(self, handle))
    }

    /// Where the entity is; `None` if it was removed. O(1).
    #[inline]
    pub fn position(&self, handle: EntityHandle) -> Option<Position> {
        self.slots.get(handle.0)?;
        self.positions.get(handle.index() as usize).copied()
    }

    /// Where the entity is, for writing; `None` if it was removed. O(1).
    #[inline]
    pub fn position_mut(&mut self, handle: EntityHandle) -> Option<Mut<'_, Position>> {
        self.slots.get(handle.0)?;
        let position = self.positions.get_mut(handle.index() as usize)?;
        Some(Mut::new(position, Mark::new(&self.dirty, handle.index())))
    }

    /// The value of the entity; `None` if it was removed or is no `T`. O(1).
    #[inline]
    pub fn get<T: Entity>(&self, handle: EntityHandle) -> Option<&T> {
        // The rows come from the type, not from the entity, so that the processor need not wait for it; rows of another class than the
        // entity's have none that belongs to it.
        self.find_typed::<T>()?.get(self.slots.get(handle.0)?, handle.index())
    }

    /// The value of the entity for writing; `None` if it was removed or is no `T`. O(1).
    #[inline]
    pub fn get_mut<T: Entity>(&mut self, handle: EntityHandle) -> Option<Mut<'_, T>> {
        let kind = usize::from(self.kind_of::<T>()?);
        let row = self.slots.get(handle.0)?;
        let value = self.tables.get_mut(kind)?.rows.get_mut(row, handle.index())?;
        Some(Mut::new(value, Mark::new(&self.dirty, handle.index())))
    }

    /// The value of the entity, whatever its class; `None` if it was removed. O(1).
    #[inline]
    pub fn value(&self, handle: EntityHandle) -> Option<ErasedRef<'_>> {
        let (kind, row) = self.find_row(handle)?;
        self.tables.get(kind)?.rows.value(row, handle.index())
    }

    /// The value of the entity for writing, whatever its class; `None` if it was removed. O(1).
    #[inline]
    pub fn value_mut(&mut self, handle: EntityHandle) -> Option<ValueMut<'_>> {
        let (kind, row) = self.find_row(handle)?;
        let value = self.tables.get_mut(kind)?.rows.value_mut(row, handle.index())?;
        Some(ValueMut::new(value, Mark::new(&self.dirty, handle.index())))
    }

    /// As [`value_mut`](Self::value_mut), but the entity does not become dirty: for loaders, which put in what the file has.
    #[inline]
    pub fn value_mut_unmarked(&mut self, handle: EntityHandle) -> Option<ErasedMut<'_>> {
        let (kind, row) = self.find_row(handle)?;
        self.tables.get_mut(kind)?.rows.value_mut(row, handle.index())
    }

    /// Kind and row of a live entity.
    #[inline]
    pub(super) fn find_row(&self, handle: EntityHandle) -> Option<(usize, u32)> {
        let row = self.slots.get(handle.0)?;
        Some((usize::from(self.links.get(handle.index() as usize)?.kind), row))
    }

    /// Notes that the entity is an instance of template number `template`, 0 for none. Does not make it dirty. O(1).
    ///
    /// # Errors
    /// [`Stale`] if it was removed.
    pub fn set_template(&mut self, handle: EntityHandle, template: u16) -> Result<(), Stale> {
        self.slots.get(handle.0).ok_or(Stale { handle })?;
        self.links[handle.index() as usize].template = template;
        Ok(())
    }

    /// The entity with this id. O(1). 0 is the id of none.
    #[inline]
    pub fn find_by_id(&self, id: u64) -> Option<EntityHandle> {
        let links = &self.links;
        let &base = self.ids.find(self.hasher.hash_one(id), |&base| links[base as usize].id == id)?;
        self.slots.key_at(base).map(EntityHandle)
    }

    /// Gives the entity an id, or takes it away with 0; marks it as dirty if that is a change. O(1), no allocation.
    ///
    /// # Errors
    /// [`SetIdError`] if the entity was removed or another one has the id.
    pub fn set_id(&mut self, handle: EntityHandle, id: u64) -> Result<(), SetIdError> {
        let base = handle.index();
        self.slots.get(handle.0).ok_or(Stale { handle })?;
        let old = self.links[base as usize].id;
        if old == id {
            return Ok(());
        }
        if let Some(holder) = self.find_by_id(id) {
            return Err(SetIdError::Duplicate { id, holder });
        }
        if old != 0 {
            self.forget_id(base, old);
        }
        self.links[base as usize].id = id;
        if id != 0 {
            let (links, hasher) = (&self.links, &self.hasher);
            // There is twice the room that is ever needed, so places of ids that are gone are reclaimed in place.
            self.ids.insert_unique(hasher.hash_one(id), base, |&base| hasher.hash_one(links[base as usize].id));
        }
        self.dirty.set(base);
        Ok(())
    }

    /// Takes `id`, which belongs to slot `base`, out of the index.
    fn forget_id(&mut self, base: u32, id: u64) {
        if let Ok(entry) = self.ids.find_entry(self.hasher.hash_one(id), |&other| other == base) {
            entry.remove();
        }
    }

    /// Whether the entity was written to since it was last marked clean; `false` if it was removed. O(1).
    #[inline]
    pub fn is_dirty(&self, handle: EntityHandle) -> bool {
        self.contains(handle) && self.dirty.test(handle.index())
    }

    /// Notes that the entity differs from its file. O(1).
    ///
    /// # Errors
    /// [`Stale`] if it was removed.
    pub fn mark_dirty(&mut self, handle: EntityHandle) -> Result<(), Stale> {
        self.slots.get(handle.0).ok_or(Stale { handle })?;
        self.dirty.set(handle.index());
        Ok(())
    }

    /// Notes that the entity is as its file has it. O(1).
    ///
    /// # Errors
    /// [`Stale`] if it was removed.
    pub fn mark_clean(&mut self, handle: EntityHandle) -> Result<(), Stale> {
        self.slots.get(handle.0).ok_or(Stale { handle })?;
        self.dirty.clear(handle.index());
        Ok(())
    }
}

fn all_rows<'a>(tables: &'a mut [Table], components: &'a mut [ComponentTable]) -> impl Iterator<Item = &'a mut Rows> {
    tables.iter_mut().map(|table| &mut table.rows).chain(components.iter_mut().map(|table| &mut table.rows))
}

impl Drop for EntityManager {
    fn drop(&mut self) {
        // All at once, so that a panic in one class does not keep the others from being dropped.
        Rows::end_all(all_rows(&mut self.tables, &mut self.components));
    }
}
