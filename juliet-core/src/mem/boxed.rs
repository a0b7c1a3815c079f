//! One value on the heap that another value holds: an item of a list, what an option holds, the data of a variant.
#![expect(unsafe_code, reason = "a value of a type known at run time, on the heap")]

use core::mem::ManuallyDrop;
use core::ptr::NonNull;

use super::erased::{ErasedMut, ErasedRef};
use super::made::blank;
use super::owned::Raw;
use crate::class::{PropertyType, value};

/// An owned value of a type that was made from a schema, or of a part of one. Two pointers; no allocation for a value without a size.
///
/// # Invariants
/// 1. `ty` is one of a table that is true, as of [`OwnedValue`](super::OwnedValue), so its size, alignment and functions are those of one
///    type, which is `Send + Sync`.
/// 2. `memory` was made by [`Raw`] for one value of `ty`, and holds a live one.
#[derive(Debug)]
pub(crate) struct Boxed {
    ty: &'static PropertyType,
    memory: NonNull<u8>,
}

// SAFETY: every described type is `Send + Sync` (1), and this owns one.
unsafe impl Send for Boxed {}
// SAFETY: as above.
unsafe impl Sync for Boxed {}

impl Boxed {
    /// The default value of `ty`, which is as (1) says.
    pub(crate) fn fresh(ty: &'static PropertyType) -> Self {
        let raw = Raw::new(ty, 1);
        // SAFETY: aligned and large enough for the type.
        unsafe { (ty.life().init)(raw.memory(), ty) };
        Self { ty, memory: ManuallyDrop::new(raw).memory() }
    }

    /// A value of `ty`, which is as (1) says, that takes no notice of defaults: lists are empty, numbers 0.
    pub(crate) fn blank(ty: &'static PropertyType) -> Self {
        let raw = Raw::new(ty, 1);
        // SAFETY: aligned and large enough for the type.
        unsafe { blank(raw.memory(), ty) };
        Self { ty, memory: ManuallyDrop::new(raw).memory() }
    }

    /// Another value like this one.
    pub(crate) fn copy(&self) -> Self {
        let mut copy = Self::blank(self.ty);
        value::assign(copy.as_mut(), self.as_ref());
        copy
    }

    /// The type of the value.
    #[inline]
    pub(crate) fn ty(&self) -> &'static PropertyType {
        self.ty
    }

    /// The value, for reading.
    #[inline]
    pub(crate) fn as_ref(&self) -> ErasedRef<'_> {
        // SAFETY: a live value (2) of this type (1), borrowed with `self`.
        unsafe { ErasedRef::from_raw(self.memory, self.ty) }
    }

    /// The value, for writing.
    #[inline]
    pub(crate) fn as_mut(&mut self) -> ErasedMut<'_> {
        // SAFETY: a live value (2) of this type (1), borrowed exclusively with `self`.
        unsafe { ErasedMut::from_raw(self.memory, self.ty) }
    }
}

impl Drop for Boxed {
    fn drop(&mut self) {
        // SAFETY: made for one value of this type (2), which is ended below and not used again.
        let _raw = unsafe { Raw::again(self.memory, self.ty, 1) };
        if let Some(drop) = self.ty.life().drop {
            // SAFETY: a live value of this type (1, 2), not used again.
            unsafe { drop(self.memory, self.ty) };
        }
    }
}
