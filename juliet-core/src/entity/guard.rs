//! Borrows that note when they are written through.

use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::mem::bits::Bits;
use crate::mem::{ErasedMut, ErasedRef};

/// Marks one entity as dirty. Several may exist side by side.
#[derive(Clone, Copy)]
pub(super) struct Mark<'a> {
    /// The word that has the bit of the entity.
    word: &'a AtomicU64,
    dirty: &'a Bits,
    index: u32,
}

impl<'a> Mark<'a> {
    /// `dirty` has room for `index`.
    #[inline]
    pub(super) fn new(dirty: &'a Bits, index: u32) -> Self {
        Marks::new(dirty, index & !63).at(index % 64)
    }

    #[inline]
    fn mark(self) {
        if self.word.load(Relaxed) & 1 << (self.index % 64) == 0 {
            self.dirty.mark(self.index);
        }
    }
}

/// The marks of 64 entities.
#[derive(Clone, Copy)]
pub(super) struct Marks<'a> {
    word: &'a AtomicU64,
    dirty: &'a Bits,
    first: u32,
}

impl<'a> Marks<'a> {
    /// `dirty` has room for `first`, a multiple of 64.
    #[inline]
    pub(super) fn new(dirty: &'a Bits, first: u32) -> Self {
        Self { word: &dirty.words()[first as usize / 64], dirty, first }
    }

    /// `bit` is below 64.
    #[inline]
    pub(super) fn at(self, bit: u32) -> Mark<'a> {
        Mark { word: self.word, dirty: self.dirty, index: self.first + bit }
    }
}

/// An exclusive borrow of a value of an entity: a class value or a position. Writing marks the entity as dirty, reading does not.
pub struct Mut<'a, T> {
    value: &'a mut T,
    mark: Mark<'a>,
}

impl<'a, T> Mut<'a, T> {
    #[inline]
    pub(super) fn new(value: &'a mut T, mark: Mark<'a>) -> Self {
        Self { value, mark }
    }

    /// The plain borrow; marks the entity as dirty.
    #[inline]
    pub fn into_mut(self) -> &'a mut T {
        self.mark.mark();
        self.value
    }
}

impl<T> Deref for Mut<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T> DerefMut for Mut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.mark.mark();
        self.value
    }
}

impl<T: core::fmt::Debug> core::fmt::Debug for Mut<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.value.fmt(f)
    }
}

/// An exclusive borrow of a value whose class is known at run time. Writing marks the entity as dirty, reading does not.
pub struct ValueMut<'a> {
    value: ErasedMut<'a>,
    mark: Mark<'a>,
}

impl<'a> ValueMut<'a> {
    #[inline]
    pub(super) fn new(value: ErasedMut<'a>, mark: Mark<'a>) -> Self {
        Self { value, mark }
    }

    /// For reading.
    #[inline]
    pub fn as_ref(&self) -> ErasedRef<'_> {
        self.value.as_ref()
    }

    /// For writing; marks the entity as dirty.
    #[inline]
    pub fn as_mut(&mut self) -> ErasedMut<'_> {
        self.mark.mark();
        self.value.reborrow()
    }

    /// The plain borrow; marks the entity as dirty.
    #[inline]
    pub fn into_mut(self) -> ErasedMut<'a> {
        self.mark.mark();
        self.value
    }
}
