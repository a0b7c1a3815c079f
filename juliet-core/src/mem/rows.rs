//! The values of one class, each with the link to its base.
//!
//! ```text
//! row     [link 4][pad to align][value][pad]     stride: a multiple of the larger of 4 and the value's alignment
//! live     base                  T
//! free     1│next free row       (poisoned)      the free list runs through the links, so it fits every type
//! ```
//!
//! Rows never move but in [`Rows::compact`]. The array is reserved for the full capacity up front, `capacity * stride` bytes of address
//! space, and costs memory as it is touched. In goes a base number, to be found in the link; out come references checked against the
//! class and the link. A row is found by (row, base) and only if both agree, so every access proves that the links are mutual.
//!
//! Before user code runs (a default, a drop) the array is valid and the value in question belongs to nobody else.
#![expect(unsafe_code, reason = "values of a class known at run time, in reserved memory")]

use core::any::Any;
use core::marker::PhantomData;
use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::mem::ManuallyDrop;
use std::panic::{catch_unwind, resume_unwind};

use super::bits::Bits;
use super::columns::Lent;
use super::erased::{ErasedMut, ErasedRef};
use super::reserve::{Pages, Reservation, ReserveError, poison, prefetch, unpoison};
use crate::class::{Class, ClassKind, ClassRegistry, Entity};
pub(crate) use ranges::RangeRows;
pub(crate) use runs::Run;
use walk::Walk;
pub(crate) use walk::{Iter, IterMut};

mod ranges;
mod runs;
mod walk;

/// Set in the link of a free row.
const FREE: u32 = 1 << 31;
/// Ends the free list.
const END: u32 = FREE - 1;

/// Where the value lies in a row of alignment `align`.
const fn value_offset(align: usize) -> usize {
    if align > align_of::<u32>() { align } else { align_of::<u32>() }
}

/// Distance of two rows.
const fn stride(size: usize, align: usize) -> usize {
    let offset = value_offset(align);
    (offset + size).next_multiple_of(offset)
}

/// # Invariants
/// 1. `memory` holds `capacity` rows of `stride` bytes from its base, which is aligned for a row, and lives as long as `self`.
/// 2. `class` comes from a registry, so it is the `CLASS` of an implementation of `Entity`, and its size, alignment, type id and
///    functions are those of that type. `stride` and `offset` are those of that size and alignment.
/// 3. Rows below `used <= capacity` are committed and have an initialised link. A row is live if its link has no `FREE`; then, and only
///    then, its value is initialised and its bit in `live` is set. `live` has no bit from `used` on.
/// 4. From `first_free` on, links of free rows below `used` lead to `END`, none twice.
#[derive(Debug)]
pub(crate) struct Rows {
    memory: Reservation,
    class: &'static Class,
    stride: usize,
    offset: usize,
    used: u32,
    count: u32,
    first_free: u32,
    capacity: u32,
    live: Bits,
}

impl Rows {
    /// No rows of class `kind` of `registry`, and address space for `capacity` of them. `None` if the registry has no such kind.
    ///
    /// # Errors
    /// [`ReserveError`] if the system refuses the address space.
    pub(crate) fn new(
        registry: &ClassRegistry,
        kind: ClassKind,
        capacity: u32,
        pages: Pages,
    ) -> Result<Option<Self>, ReserveError> {
        let class = registry.class_of(kind);
        class.map(|class| Self::of(class, capacity, pages)).transpose()
    }

    /// As [`new`](Self::new), of component type `kind`.
    ///
    /// # Errors
    /// [`ReserveError`] if the system refuses the address space.
    pub(crate) fn of_component(
        registry: &ClassRegistry,
        kind: ClassKind,
        capacity: u32,
        pages: Pages,
    ) -> Result<Option<Self>, ReserveError> {
        let class = registry.components().get(usize::from(kind));
        class.map(|class| Self::of(class, capacity, pages)).transpose()
    }

    /// `class` is one of a registry.
    fn of(class: &'static Class, capacity: u32, pages: Pages) -> Result<Self, ReserveError> {
        let (size, align) = (class.ty().size(), class.ty().align());
        let (stride, offset) = (stride(size, align), value_offset(align));
        let capacity = capacity.min(END);
        Ok(Self {
            memory: Reservation::new((capacity as usize).saturating_mul(stride), offset, pages)?,
            class,
            stride,
            offset,
            used: 0,
            count: 0,
            first_free: END,
            capacity,
            live: Bits::new(capacity, pages)?,
        })
    }

    /// The class of the values.
    #[inline]
    pub(crate) fn class(&self) -> &'static Class {
        self.class
    }

    /// Whether the values are `T`s. A comparison of two addresses, of type ids where a table exists twice.
    #[inline]
    pub(crate) fn holds<T: Entity>(&self) -> bool {
        // A table belongs to one type, whatever its address: that of `T` by the contract of `Entity`.
        core::ptr::eq(self.class, T::CLASS) || self.holds_elsewhere::<T>()
    }

    #[cold]
    fn holds_elsewhere<T: Entity>(&self) -> bool {
        self.class.ty().is::<T>()
    }

    /// How many values live here.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// The live rows.
    #[inline]
    pub(crate) fn live(&self) -> &Bits {
        &self.live
    }

    /// Address of row `row < capacity`.
    #[inline]
    fn row(&self, row: u32) -> NonNull<u8> {
        debug_assert!(row < self.capacity);
        // SAFETY: `row < capacity`, so the offset lies inside the reservation (1). Private, and callers have checked.
        unsafe { self.memory.base().add(row as usize * self.stride) }
    }

    /// Address of the value in row `row < capacity`.
    #[inline]
    fn value_in(&self, row: u32) -> NonNull<u8> {
        // SAFETY: a row is at least `offset` bytes long, the value of a type without size lies at its end (2).
        unsafe { self.row(row).add(self.offset) }
    }

    #[inline]
    fn set_link(&mut self, row: u32, link: u32) {
        // SAFETY: rows are aligned for a link (1, 2) and committed below `used` (3), which includes the one being occupied.
        unsafe { self.row(row).cast::<u32>().write(link) };
    }

    /// The raw link of row `row`, with its `FREE`; `None` past the end.
    #[inline]
    fn raw_link(&self, row: u32) -> Option<u32> {
        if row >= self.used {
            return None;
        }
        // SAFETY: initialised below `used` (3), aligned (1, 2).
        Some(unsafe { self.row(row).cast::<u32>().read() })
    }

    /// Base of the live row `row`; `None` if it is free or does not exist. O(1).
    #[inline]
    pub(crate) fn base_of(&self, row: u32) -> Option<u32> {
        self.raw_link(row).filter(|link| link & FREE == 0)
    }

    /// Whether `row` is live and belongs to `base`.
    #[inline]
    fn links(&self, row: u32, base: u32) -> bool {
        // Without its flag `base` never equals the link of a free row.
        self.raw_link(row) == Some(base & !FREE)
    }

    /// The value in `row`, if it is live and belongs to `base`. O(1).
    #[inline]
    pub(crate) fn value(&self, row: u32, base: u32) -> Option<ErasedRef<'_>> {
        if !self.links(row, base) {
            return None;
        }
        // SAFETY: live, so initialised (3) and of the class's type (2); `self` is borrowed as long as the result.
        Some(unsafe { ErasedRef::from_raw(self.value_in(row), self.class.ty()) })
    }

    /// As [`value`](Self::value), for writing.
    #[inline]
    pub(crate) fn value_mut(&mut self, row: u32, base: u32) -> Option<ErasedMut<'_>> {
        if !self.links(row, base) {
            return None;
        }
        // SAFETY: as in `value`; `self` is borrowed exclusively as long as the result.
        Some(unsafe { ErasedMut::from_raw(self.value_in(row), self.class.ty()) })
    }

    /// These rows as rows of `T`, if they are. O(1).
    #[inline]
    pub(crate) fn typed<T: Entity>(&self) -> Option<TypedRows<'_, T>> {
        if self.holds::<T>() { Some(TypedRows { rows: self, values: PhantomData }) } else { None }
    }

    /// As [`typed`](Self::typed), by the address of the table alone: `None` also for a second copy of the table of `T`.
    #[inline]
    pub(crate) fn typed_here<T: Entity>(&self) -> Option<TypedRows<'_, T>> {
        let here = core::ptr::eq(self.class, T::CLASS);
        if here { Some(TypedRows { rows: self, values: PhantomData }) } else { None }
    }

    /// The `T` in `row` for writing, if these are rows of `T` and this one is live and belongs to `base`. O(1).
    #[inline]
    pub(crate) fn get_mut<T: Entity>(&mut self, row: u32, base: u32) -> Option<&mut T> {
        if !self.holds::<T>() || !self.links(row, base) {
            return None;
        }
        // SAFETY: live, so initialised (3), and a `T` (2, checked above); `self` is borrowed exclusively as long as the result.
        Some(unsafe { self.value_in(row).cast::<T>().as_mut() })
    }

    /// A row to fill next, with room for its bookkeeping; nothing is changed by asking. `None` if the array is full.
    #[inline]
    fn vacant(&mut self) -> Option<u32> {
        let row = if self.first_free != END {
            self.first_free
        } else if self.used < self.capacity {
            self.memory.commit_to((self.used as usize + 1) * self.stride).ok()?;
            self.live.grow_to(self.used + 1).ok()?;
            self.used
        } else {
            return None;
        };
        unpoison(self.row(row), self.stride);
        Some(row)
    }

    /// Makes the row of [`vacant`](Self::vacant) live.
    ///
    /// # Safety
    /// `row` is the one that `vacant` returned last, and its value has been initialised.
    #[inline(always)]
    unsafe fn occupy(&mut self, row: u32, base: u32) {
        if row == self.used {
            self.used += 1;
        } else {
            self.first_free = self.raw_link(row).map_or(END, |link| link & !FREE);
            if self.first_free < self.used {
                // The next one to fill, in time for the next call.
                let next = self.row(self.first_free);
                prefetch(next);
                prefetch(next.map_addr(|at| at.saturating_add(self.stride.min(64))));
            }
        }
        self.set_link(row, base & !FREE);
        self.live.set(row);
        self.count += 1;
    }

    /// Starts a default value that belongs to `base`, a number below 2³¹; its row. `None` if the array is full. O(1).
    ///
    /// # Panics
    /// If the user's default does; nothing has changed then.
    pub(crate) fn insert_default(&mut self, base: u32) -> Option<u32> {
        let row = self.vacant()?;
        let at = self.value_in(row);
        // SAFETY: `at` is committed, aligned for the class (1, 2) and free (3).
        unsafe { (self.class.ty().life().init)(at, self.class.ty()) };
        // SAFETY: vacant and initialised above.
        unsafe { self.occupy(row, base) };
        Some(row)
    }

    /// As [`insert_default`](Self::insert_default); then `fill` is given the value.
    ///
    /// # Panics
    /// If the user's default or `fill` does; nothing lives in the row then.
    pub(crate) fn insert_with(&mut self, base: u32, fill: impl FnOnce(ErasedMut<'_>)) -> Option<u32> {
        let row = self.insert_default(base)?;
        let filled = catch_unwind(AssertUnwindSafe(|| self.value_mut(row, base).map(fill)));
        if let Err(panic) = filled {
            if let Err(another) = catch_unwind(AssertUnwindSafe(|| self.remove(row, base))) {
                discard(another);
            }
            resume_unwind(panic);
        }
        Some(row)
    }

    /// The next row to move a `T` into. `None` if these are rows of another class or the array is full. O(1).
    #[inline]
    pub(crate) fn vacancy<T: Entity>(&mut self) -> Option<Vacancy<'_, T>> {
        if !self.holds::<T>() {
            return None;
        }
        let row = self.vacant()?;
        Some(Vacancy { rows: self, row, value: PhantomData })
    }

    /// Ends the value in `row`, which belongs to `base`; `false` if the row is not live. O(1).
    ///
    /// The link is checked in debug builds only: reading it would wait for memory that is otherwise only written to.
    ///
    /// # Panics
    /// If the user's drop does; the row is free by then.
    #[inline]
    pub(crate) fn remove(&mut self, row: u32, base: u32) -> bool {
        if !self.live.test(row) {
            return false;
        }
        debug_assert!(self.links(row, base), "row {row} does not belong to base {base}");
        self.set_link(row, FREE | self.first_free);
        self.first_free = row;
        self.live.clear(row);
        self.count -= 1;
        // SAFETY: it was live, so the value is initialised (3), and since the row is free nobody else ends it.
        unsafe { self.end_value(row) };
        true
    }

    /// # Safety
    /// `row < used` holds an initialised value that no live row owns any more.
    #[inline]
    unsafe fn end_value(&mut self, row: u32) {
        let at = self.value_in(row);
        if let Some(drop) = self.class.ty().life().drop {
            // SAFETY: initialised, of the class's type (2), and not used again (the caller's promise).
            unsafe { drop(at, self.class.ty()) };
        }
        poison(at, self.stride - self.offset);
    }

    /// Ends every value. O(values), O(1) for classes that need no drop and few values.
    ///
    /// # Panics
    /// If a user's drop does, with the first panic, after all the others were dropped.
    pub(crate) fn clear(&mut self) {
        let mut first_panic = None;
        while self.class.ty().life().drop.is_some() {
            let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.drop_until_panic())) else { break };
            keep_first(&mut first_panic, panic);
        }
        self.live.clear_all();
        poison(self.memory.base(), self.used as usize * self.stride);
        (self.count, self.used, self.first_free) = (0, 0, END);
        if let Some(panic) = first_panic {
            resume_unwind(panic);
        }
    }

    /// Clears several, each as [`clear`](Self::clear) does.
    ///
    /// # Panics
    /// If a user's drop does, with the first panic, after all were cleared.
    pub(crate) fn clear_all<'a>(all: impl Iterator<Item = &'a mut Self>) {
        if let Some(panic) = Self::clear_and_catch(all) {
            resume_unwind(panic);
        }
    }

    /// As [`clear_all`](Self::clear_all), for use in a drop: silent while another panic is on its way, since a second one would end the
    /// process, and the first one says what went wrong.
    pub(crate) fn end_all<'a>(all: impl Iterator<Item = &'a mut Self>) {
        match Self::clear_and_catch(all) {
            Some(panic) if std::thread::panicking() => discard(panic),
            Some(panic) => resume_unwind(panic),
            None => {}
        }
    }

    /// The first panic of all.
    fn clear_and_catch<'a>(all: impl Iterator<Item = &'a mut Self>) -> Option<Box<dyn Any + Send>> {
        let mut first = None;
        for rows in all {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| rows.clear())) {
                keep_first(&mut first, panic);
            }
        }
        first
    }

    /// Ends values one by one; each is free before its drop runs, so that a panic loses only the rest of this call.
    fn drop_until_panic(&mut self) {
        for word in 0..self.live.words().len() {
            while let Some(bit) = super::bits::ones(self.live.word(word)).next() {
                let row = word as u32 * 64 + bit;
                // The free list is dropped as a whole afterwards.
                self.set_link(row, FREE | END);
                self.live.clear(row);
                self.count -= 1;
                // SAFETY: it was live, so the value is initialised (3), and since the row is free nobody else ends it.
                unsafe { self.end_value(row) };
            }
        }
    }

    /// Moves values from the end into the free rows, so that the live rows are the first ones; `moved` is told the base and the new row
    /// of each. O(rows used / 64 + moves). Runs no user code.
    pub(crate) fn compact(&mut self, mut moved: impl FnMut(u32, u32)) {
        // From here on free rows are reached by `live` alone; should `moved` panic, they are lost until the next `clear`.
        self.first_free = END;
        let (mut to, mut from) = (0, self.used);
        while to < self.count {
            if self.live.test(to) {
                to += 1;
                continue;
            }
            from -= 1;
            let Some(base) = self.base_of(from) else { continue };
            unpoison(self.row(to), self.stride);
            // SAFETY: two different rows below `used`, `to < count <= from`, each `stride` bytes inside the reservation (1).
            unsafe { self.row(from).copy_to_nonoverlapping(self.row(to), self.stride) };
            self.set_link(from, FREE | END);
            self.live.clear(from);
            self.live.set(to);
            moved(base, to);
        }
        if self.count < self.used {
            poison(self.row(self.count), (self.used - self.count) as usize * self.stride);
        }
        self.used = self.count;
    }

    /// Asks the system for the pages of the next `count` rows.
    pub(crate) fn pre_touch(&mut self, count: u32) {
        let end = self.used.saturating_add(count).min(self.capacity);
        self.memory.pre_touch(self.used as usize * self.stride, end as usize * self.stride);
        self.live.pre_touch(end);
    }

    /// Tells the live row `row` of base `from` that its base is `to`, a number below 2³¹; `false` if there is no such row. O(1).
    pub(crate) fn relink(&mut self, row: u32, from: u32, to: u32) -> bool {
        let found = self.links(row, from);
        if found {
            self.set_link(row, to & !FREE);
        }
        found
    }

    /// The free list, cut off where it would be longer than there are rows.
    pub(crate) fn free_rows(&self) -> Vec<u32> {
        let mut free = Vec::new();
        let mut next = self.first_free;
        while next != END && free.len() <= self.used as usize {
            free.push(next);
            next = self.raw_link(next).map_or(END, |link| link & !FREE);
        }
        free
    }

    /// How many rows have been used: all that are live lie below.
    pub(crate) fn used(&self) -> u32 {
        self.used
    }

    /// The values in row order with their bases, for writing; empty if these are no rows of `T`.
    #[inline]
    pub(crate) fn iter_mut<T: Entity>(&mut self) -> IterMut<'_, T> {
        IterMut { walk: self.walk::<T>(), borrow: PhantomData }
    }

    /// Lends values one by one, each at most once, so that several may be borrowed at a time.
    pub(crate) fn lend(&mut self) -> LendValues<'_> {
        LendValues { lent: Lent::default(), rows: self }
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        Self::end_all(core::iter::once(self));
    }
}

/// Keeps the first of several panics.
pub(crate) fn keep_first(first: &mut Option<Box<dyn Any + Send>>, panic: Box<dyn Any + Send>) {
    if first.is_none() {
        *first = Some(panic);
    } else {
        discard(panic);
    }
}

/// Ends the payload of a panic, which is user code as well; one that panics in turn is leaked.
fn discard(panic: Box<dyn Any + Send>) {
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        let _leaked = ManuallyDrop::new(another);
    }
}

/// Rows of `T`: the class is checked once.
///
/// # Invariants
/// `rows` holds `T`s.
pub(crate) struct TypedRows<'a, T> {
    rows: &'a Rows,
    values: PhantomData<&'a T>,
}

impl<T> Clone for TypedRows<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TypedRows<'_, T> {}

impl<'a, T: Entity> TypedRows<'a, T> {
    /// The value in `row`, if it is live and belongs to `base`. O(1).
    #[inline]
    pub(crate) fn get(&self, row: u32, base: u32) -> Option<&'a T> {
        if row >= self.rows.used {
            return None;
        }
        // SAFETY: `row < used <= capacity`, so the row lies in the reservation; the stride is that of `T`.
        let row = unsafe { self.rows.memory.base().add(row as usize * Walk::<T>::STRIDE) };
        // SAFETY: the link is initialised below `used`, and aligned.
        if unsafe { row.cast::<u32>().read() } != base & !FREE {
            return None;
        }
        // SAFETY: inside the row.
        let value = unsafe { row.add(Walk::<T>::OFFSET) };
        // SAFETY: live, so initialised, and a `T`; the rows are borrowed as long as the result.
        Some(unsafe { value.cast::<T>().as_ref() })
    }

    /// The values in row order with their bases.
    #[inline]
    pub(crate) fn iter(self) -> Iter<'a, T> {
        Iter { walk: self.rows.walk::<T>(), borrow: PhantomData }
    }
}

/// A row that waits for its `T`.
///
/// # Invariants
/// `rows` holds `T`s, and `row` is the one that its `vacant` returned last.
pub(crate) struct Vacancy<'a, T> {
    rows: &'a mut Rows,
    row: u32,
    value: PhantomData<T>,
}

impl<T: Entity> Vacancy<'_, T> {
    /// Moves `value` in, to belong to `base`, a number below 2³¹; its row.
    #[inline]
    pub(crate) fn fill(self, base: u32, value: T) -> u32 {
        // SAFETY: committed, aligned for `T`, which is the class's type, and free.
        unsafe { self.rows.value_in(self.row).cast::<T>().write(value) };
        // SAFETY: vacant and initialised above.
        unsafe { self.rows.occupy(self.row, base) };
        self.row
    }
}

/// Values of one class, lent one by one for as long as the rows are borrowed.
///
/// # Invariants
/// `rows` is borrowed exclusively for `'a`; values outside `lent` are borrowed by nobody.
pub(crate) struct LendValues<'a> {
    rows: &'a mut Rows,
    lent: Lent,
}

impl<'a> LendValues<'a> {
    /// The value in `row`, if it is live, belongs to `base` and was not lent before.
    pub(crate) fn take(&mut self, row: u32, base: u32) -> Option<ErasedMut<'a>> {
        if !self.rows.links(row, base) || !self.lent.insert(row) {
            return None;
        }
        // SAFETY: live, so initialised and of the class's type; borrowed exclusively for `'a` and lent to nobody else.
        Some(unsafe { ErasedMut::from_raw(self.rows.value_in(row), self.rows.class.ty()) })
    }
}

#[cfg(test)]
mod tests;
