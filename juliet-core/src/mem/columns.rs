//! Arrays of plain records that grow in place.
//!
//! A [`Column`] is a `Vec` over a [`Reservation`]: its items never move, it never asks for more than it reserved, and it derefs to the
//! slice of what is filled. The base of an entity is spread over several columns of equal length.
#![expect(unsafe_code, reason = "typed views of reserved memory")]

use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use super::bits::place;
use super::reserve::{Pages, Reservation, ReserveError, prefetch, unpoison};

/// # Invariants
/// 1. `memory` holds `capacity` items from its base, which is aligned for `T`, and lives as long as `self`.
/// 2. The first `len <= capacity` items are committed and initialised.
/// 3. `T` needs no drop.
#[derive(Debug)]
pub(crate) struct Column<T> {
    memory: Reservation,
    len: usize,
    capacity: usize,
    items: PhantomData<T>,
}

impl<T> Column<T> {
    /// An empty column for `capacity` items, whose address space is reserved now.
    pub(crate) fn new(capacity: usize, pages: Pages) -> Result<Self, ReserveError> {
        const { assert!(!core::mem::needs_drop::<T>() && size_of::<T>() > 0) };
        let bytes = capacity.saturating_mul(size_of::<T>());
        Ok(Self { memory: Reservation::new(bytes, align_of::<T>(), pages)?, len: 0, capacity, items: PhantomData })
    }

    #[inline]
    fn start(&self) -> NonNull<T> {
        self.memory.base().cast()
    }

    /// Fills up to `len` items with `fill()`. Nothing if it has them already.
    ///
    /// # Errors
    /// [`ReserveError`], with nothing changed, if that is more than was reserved or the system has no memory left.
    pub(crate) fn grow_to(&mut self, len: usize, mut fill: impl FnMut() -> T) -> Result<(), ReserveError> {
        self.memory.commit_to(len.saturating_mul(size_of::<T>()))?;
        while self.len < len {
            // SAFETY: `self.len < len`, which the reservation holds, else committing had failed (1).
            let at = unsafe { self.start().add(self.len) };
            unpoison(at.cast(), size_of::<T>());
            let item = fill();
            // SAFETY: committed above and aligned (1); nothing is there that needs a drop (3).
            unsafe { at.write(item) };
            self.len += 1;
        }
        Ok(())
    }

    /// Asks the system for the pages of the first `count` items.
    pub(crate) fn pre_touch(&mut self, count: usize) {
        let (start, end) = (self.len * size_of::<T>(), count.min(self.capacity) * size_of::<T>());
        self.memory.pre_touch(start, end);
    }

    /// Asks the processor for item `index`, which is going to be written. Nothing if there is none.
    #[inline]
    pub(crate) fn prefetch(&self, index: usize) {
        if let Some(item) = self.get(index) {
            prefetch(NonNull::from(item).cast());
        }
    }

    /// Lends items one by one, each at most once, so that several may be borrowed at a time.
    pub(crate) fn lend(&mut self) -> LendItems<'_, T> {
        LendItems { start: self.start(), len: self.len, lent: Lent::default(), column: PhantomData }
    }
}

impl<T> Deref for Column<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the first `len` items are initialised (2), and the slice borrows `self`.
        unsafe { core::slice::from_raw_parts(self.start().as_ptr(), self.len) }
    }
}

impl<T> DerefMut for Column<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the first `len` items are initialised (2), and the slice borrows `self` exclusively.
        unsafe { core::slice::from_raw_parts_mut(self.start().as_ptr(), self.len) }
    }
}

/// Which numbers were lent. Grows with the largest one.
#[derive(Debug, Default)]
pub(super) struct Lent(Vec<u64>);

impl Lent {
    /// Whether `index` was not lent before; it is from now on.
    pub(super) fn insert(&mut self, index: u32) -> bool {
        let (word, mask) = place(index);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let fresh = self.0[word] & mask == 0;
        self.0[word] |= mask;
        fresh
    }
}

/// Items of a column, lent one by one for as long as the column is borrowed.
///
/// # Invariants
/// 1. `start` is that of a column borrowed exclusively for `'a`, with `len` initialised items.
/// 2. Items outside `lent` are borrowed by nobody.
pub(crate) struct LendItems<'a, T> {
    start: NonNull<T>,
    len: usize,
    lent: Lent,
    column: PhantomData<&'a mut [T]>,
}

impl<'a, T> LendItems<'a, T> {
    /// Item `index`, or `None` if it was lent before or does not exist.
    pub(crate) fn take(&mut self, index: u32) -> Option<&'a mut T> {
        if index as usize >= self.len || !self.lent.insert(index) {
            return None;
        }
        // SAFETY: `index < len` (1).
        let mut item = unsafe { self.start.add(index as usize) };
        // SAFETY: initialised and borrowed for `'a` by us alone (1), and lent to nobody else (2).
        Some(unsafe { item.as_mut() })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn items_stay_where_they_are_while_the_column_grows() {
        let mut column = Column::<[u32; 3]>::new(10_000, Pages::Usual).unwrap();
        column.grow_to(1, || [1, 2, 3]).unwrap();
        let first = &raw const column[0];
        column.grow_to(10_000, || [4; 3]).unwrap();
        assert_eq!((&raw const column[0], column[0], column[9_999], column.len()), (first, [1, 2, 3], [4; 3], 10_000));
        assert!(column.grow_to(10_001, || [0; 3]).is_err());
        assert_eq!(column.len(), 10_000);
    }

    #[test]
    fn an_item_is_lent_once() {
        let mut column = Column::<u32>::new(100, Pages::Usual).unwrap();
        column.grow_to(100, || 7).unwrap();
        let mut lend = column.lend();
        let (a, b) = (lend.take(3).unwrap(), lend.take(99).unwrap());
        (*a, *b) = (1, 2);
        assert!(lend.take(3).is_none() && lend.take(100).is_none() && lend.take(u32::MAX).is_none());
        assert_eq!((column[3], column[99], column[4]), (1, 2, 7));
    }
}
