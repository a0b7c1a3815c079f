//! Rows of one class, lent by ranges of their bases, so that several threads can write to them.
#![expect(unsafe_code, reason = "rows are told apart by the base that their link names")]

use core::marker::PhantomData;
use core::ops::Range;
use core::ptr::NonNull;

use super::walk::Walk;
use super::{FREE, Rows};
use crate::class::Entity;
use crate::mem::reserve::prefetch;

/// How many rows ahead of one that is looked at memory is asked for, in case rows are visited in their order.
const AHEAD: usize = 24;

/// The values of class `T` that belong to a range of bases, for writing.
///
/// # Invariants
/// 1. `memory` is that of rows of `T`s, borrowed exclusively for `'a` by this value and by others whose `bases` are disjoint from these. One that
///    this was reborrowed from cannot be used during `'a`.
/// 2. Rows below `used` have an initialised link, which nobody writes during `'a`; a row whose link is a base holds a live value.
pub(crate) struct RangeRows<'a, T> {
    memory: NonNull<u8>,
    used: u32,
    bases: Range<u32>,
    rows: PhantomData<&'a mut T>,
}

// SAFETY: exclusive borrows of `T`s, those whose rows name a base of the range (1); links are only read (2).
unsafe impl<T: Send> Send for RangeRows<'_, T> {}
// SAFETY: a shared `RangeRows` hands out nothing.
unsafe impl<T: Sync> Sync for RangeRows<'_, T> {}

impl Rows {
    /// The rows of all bases; `None` if these are rows of another class.
    pub(crate) fn ranges<T: Entity>(&mut self) -> Option<RangeRows<'_, T>> {
        if !self.holds::<T>() {
            return None;
        }
        // Rows of `T` (checked), borrowed exclusively for as long as the result, of every base (1). Links below `used` are initialised,
        // and one without `FREE` is that of a live row (2).
        Some(RangeRows { memory: self.memory.base(), used: self.used, bases: 0..FREE, rows: PhantomData })
    }
}

impl<T> RangeRows<'_, T> {
    /// The bases below `base`, and the others.
    pub(crate) fn split_at(self, base: u32) -> (Self, Self) {
        let Self { memory, used, bases, rows } = self;
        let middle = base.clamp(bases.start, bases.end);
        // Disjoint parts of a range that was this one's alone (1).
        (Self { memory, used, bases: bases.start..middle, rows }, Self { memory, used, bases: middle..bases.end, rows })
    }

    /// The same range, for a shorter time.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> RangeRows<'_, T> {
        // `self` is borrowed exclusively as long as the result, which so is the only one with these bases (1).
        RangeRows { memory: self.memory, used: self.used, bases: self.bases.clone(), rows: PhantomData }
    }

    /// The value in `row`, if it is live, belongs to `base`, and that is one of the range. O(1).
    #[inline]
    pub(crate) fn get(&mut self, row: u32, base: u32) -> Option<&mut T> {
        if row >= self.used || !self.bases.contains(&base) {
            return None;
        }
        // SAFETY: `row < used`, so the row lies in the reservation; the stride is that of `T` (1).
        let at = unsafe { self.memory.add(row as usize * Walk::<T>::STRIDE) };
        if let Some(ahead) = NonNull::new(at.as_ptr().wrapping_add(AHEAD * Walk::<T>::STRIDE)) {
            prefetch(ahead);
        }
        // SAFETY: the link is initialised and not written meanwhile (2), and aligned.
        if unsafe { at.cast::<u32>().read() } != base {
            return None;
        }
        // SAFETY: inside the row.
        let mut value = unsafe { at.add(Walk::<T>::OFFSET) }.cast::<T>();
        // SAFETY: a live `T` (2). Its link names a base of this range, which is ours alone (1), so no other part of the split reaches this row;
        // `self` is borrowed exclusively as long as the result.
        Some(unsafe { value.as_mut() })
    }
}
