//! Borrows that note when they are written through.

use core::ops::{Deref, DerefMut};

use crate::mem::bits::Bits;
use crate::mem::{ErasedMut, ErasedRef};

/// Marks one entity as dirty. Several may exist side by side.
#[derive(Clone, Copy)]
pub(super) struct Mark<'a> {
    dirty: &'a Bits,
    index: u32,
}

impl<'a> Mark<'a> {
    /// `dirty` has room for `index`.
    #[inline]
    pub(super) fn new(dirty: &'a Bits, index: u32) -> Self {
        Self { dirty, index }
    }

    #[inline]
    fn mark(self) {
        self.dirty.mark(self.index);
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
