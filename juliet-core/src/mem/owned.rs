//! One value of a class on the heap: scratch memory for reading, comparing and previewing.
#![expect(unsafe_code, reason = "a value of a class known at run time, on the heap")]

use core::alloc::Layout;
use core::ptr::NonNull;
use std::alloc::{alloc, dealloc, handle_alloc_error};

use super::erased::{ErasedMut, ErasedRef};
use crate::class::{ClassKind, ClassRegistry, PropertyType, ResolveError};

/// An owned value of a class, or of a type that a property can have.
///
/// Its memory has room for a second value, so that [`reset`](Self::reset) never leaves it without one and asks for no memory.
///
/// # Invariants
/// 1. `ty` is that of a class of a registry, of an erased value, or of a part of one of these, so its size, alignment and functions are those of one type with an
///    `unsafe` implementation of `Entity` or `PropertyValue`, which is `Send + Sync`.
/// 2. `memory` holds two values of `ty` one after the other, allocated as `layout`; it is dangling if their size is 0.
/// 3. The half that `second` names holds a live value, the other one nothing.
#[derive(Debug)]
pub struct OwnedValue {
    ty: &'static PropertyType,
    memory: NonNull<u8>,
    layout: Layout,
    second: bool,
}

// SAFETY: every described type is `Send + Sync` (1), and this owns one.
unsafe impl Send for OwnedValue {}
// SAFETY: as above.
unsafe impl Sync for OwnedValue {}

/// Memory that holds no value: given back if the user's default panics.
///
/// # Invariants
/// `memory` is aligned for the type and has room for the values it was made for, allocated as `layout`; it is dangling if their size is 0.
pub(super) struct Raw {
    memory: NonNull<u8>,
    layout: Layout,
}

impl Raw {
    /// Room for `count` values of `ty`, one after the other. One allocation, unless they have no size.
    pub(super) fn new(ty: &PropertyType, count: usize) -> Self {
        let layout = layout_of(ty, count);
        let memory = if layout.size() == 0 {
            NonNull::<u8>::dangling().map_addr(|_| core::num::NonZeroUsize::MIN.saturating_add(ty.align() - 1))
        } else {
            // SAFETY: the size is not 0.
            NonNull::new(unsafe { alloc(layout) }).unwrap_or_else(|| handle_alloc_error(layout))
        };
        Self { memory, layout }
    }

    /// What [`new`](Self::new) made and was forgotten, to be given back.
    ///
    /// # Safety
    /// `memory` is that of a `Raw` for `count` values of `ty` that was not dropped, and no value in it is used after the result is dropped.
    pub(super) unsafe fn again(memory: NonNull<u8>, ty: &PropertyType, count: usize) -> Self {
        Self { memory, layout: layout_of(ty, count) }
    }

    #[inline]
    pub(super) fn memory(&self) -> NonNull<u8> {
        self.memory
    }
}

/// The layout of `count` values one after the other: the size of a type is a multiple of its alignment, so all are aligned.
fn layout_of(ty: &PropertyType, count: usize) -> Layout {
    let layout = Layout::from_size_align(ty.size().saturating_mul(count), ty.align());
    layout.unwrap_or_else(|_| handle_alloc_error(Layout::new::<u8>()))
}

impl Drop for Raw {
    fn drop(&mut self) {
        if self.layout.size() != 0 {
            // SAFETY: allocated with this layout, and no value is in it.
            unsafe { dealloc(self.memory.as_ptr(), self.layout) };
        }
    }
}

impl OwnedValue {
    /// The default value of class `kind` of `registry`. One allocation of twice the size of the class.
    ///
    /// # Errors
    /// [`ResolveError::UnknownKind`] if the registry has no such kind.
    ///
    /// # Panics
    /// If the user's default does.
    pub fn new(registry: &ClassRegistry, kind: ClassKind) -> Result<Self, ResolveError> {
        let count = registry.classes().len();
        let class = registry.class_of(kind).ok_or(ResolveError::UnknownKind { kind, count })?;
        Ok(Self::of_type(class.ty()))
    }

    /// The default value of component type `kind` of `registry`. One allocation of twice its size.
    ///
    /// # Errors
    /// [`ResolveError::UnknownKind`] if the registry has no such kind.
    ///
    /// # Panics
    /// If the user's default does.
    pub fn component(registry: &ClassRegistry, kind: ClassKind) -> Result<Self, ResolveError> {
        let count = registry.components().len();
        let class = registry.components().get(usize::from(kind)).ok_or(ResolveError::UnknownKind { kind, count })?;
        Ok(Self::of_type(class.ty()))
    }

    /// The default value of the type of `value`, which may be of a class or of a property. One allocation of twice its size.
    ///
    /// # Panics
    /// If the user's default does.
    pub fn like(value: ErasedRef<'_>) -> Self {
        // The type of a borrowed value is one of an `unsafe` implementation, as (1) asks.
        Self::of_type(value.ty())
    }

    /// A copy of `value`; skipped fields have their defaults. One allocation of twice its size, and those of the copy.
    ///
    /// # Panics
    /// If the user's default or copy does.
    pub fn copy_of(value: ErasedRef<'_>) -> Self {
        let mut copy = Self::like(value);
        crate::class::value::assign(copy.as_mut(), value);
        copy
    }

    /// The default value of `ty`, which is as (1) says: that of a class of a registry, or of a field, an item or a key in its table.
    ///
    /// # Panics
    /// If the user's default does.
    pub(crate) fn of_type(ty: &'static PropertyType) -> Self {
        let raw = Raw::new(ty, 2);
        // SAFETY: aligned and large enough for the class (2).
        unsafe { (ty.life().init)(raw.memory, ty) };
        let raw = core::mem::ManuallyDrop::new(raw);
        Self { ty, memory: raw.memory, layout: raw.layout, second: false }
    }

    /// The type of the value.
    #[inline]
    pub fn ty(&self) -> &'static PropertyType {
        self.ty
    }

    #[inline]
    fn half(&self, second: bool) -> NonNull<u8> {
        // SAFETY: both halves lie in the allocation (2).
        unsafe { self.memory.add(if second { self.ty.size() } else { 0 }) }
    }

    /// The value, for reading.
    #[inline]
    pub fn as_ref(&self) -> ErasedRef<'_> {
        // SAFETY: the live half (3), of this type (1), borrowed with `self`.
        unsafe { ErasedRef::from_raw(self.half(self.second), self.ty) }
    }

    /// The value, for writing.
    #[inline]
    pub fn as_mut(&mut self) -> ErasedMut<'_> {
        // SAFETY: the live half (3), of this type (1), borrowed exclusively with `self`.
        unsafe { ErasedMut::from_raw(self.half(self.second), self.ty) }
    }

    /// Puts the default value in place of the present one. No allocation of its own.
    ///
    /// # Panics
    /// If the user's default or drop does: the value is then the old or the new one.
    pub fn reset(&mut self) {
        let (old, new) = (self.half(self.second), self.half(!self.second));
        // SAFETY: the other half is free (3), aligned and large enough (2).
        unsafe { (self.ty.life().init)(new, self.ty) };
        self.second = !self.second;
        if let Some(drop) = self.ty.life().drop {
            // SAFETY: a live value of this type that nothing owns any more, since the halves have changed roles.
            unsafe { drop(old, self.ty) };
        }
    }
}

impl Drop for OwnedValue {
    fn drop(&mut self) {
        // Gives the memory back also if the drop panics.
        let _raw = Raw { memory: self.memory, layout: self.layout };
        if let Some(drop) = self.ty.life().drop {
            // SAFETY: the live half (3), not used again.
            unsafe { drop(self.half(self.second), self.ty) };
        }
    }
}
