//! Pointers to values whose type is known at run time only.
//!
//! ```text
//! ErasedRef { ptr, ty } ──field(i)──► ErasedRef { ptr + ty.fields[i].offset, ty.fields[i].ty }
//! ```
//!
//! A pair of address and [`PropertyType`] enters through [`ErasedRef::new`] and [`ErasedMut::new`], which take the type from the
//! `unsafe` trait [`PropertyValue`] (or from an [`Adapter`], for the type of its value), or through [`Rows`](super::rows::Rows). From there only the tables of that very type
//! are followed, so no caller can pair a pointer with the wrong table.
#![expect(unsafe_code, reason = "pointers to values of a type known at run time")]

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::glue::{Entity, PropertyValue, adapter};
use crate::class::shape::{Adapter, Fault, KeyedItems, Place, ValueWriter};
use crate::class::{Kind, Property, PropertyType};

/// A shared borrow of a value whose type is described by a [`PropertyType`].
///
/// # Invariants
/// 1. `ptr` points to a live, aligned, initialised value of the type that `ty` describes.
/// 2. `ty` is the table that the `unsafe` implementation of [`PropertyValue`] (or of `Entity`) names for that type, or that `adapter` or
///    `made` makes of it, so its offsets and functions are those of the type.
/// 3. Nobody writes to the value during `'a`.
#[derive(Clone, Copy)]
pub struct ErasedRef<'a> {
    ptr: NonNull<u8>,
    ty: &'static PropertyType,
    borrow: PhantomData<&'a u8>,
}

/// An exclusive borrow of a value whose type is described by a [`PropertyType`]. Not `Clone`; see [`reborrow`](Self::reborrow).
///
/// # Invariants
/// Those of [`ErasedRef`], and nobody else reads or writes the value during `'a`.
pub struct ErasedMut<'a> {
    ptr: NonNull<u8>,
    ty: &'static PropertyType,
    borrow: PhantomData<&'a mut u8>,
}

// SAFETY: every described type is `Send + Sync` (a bound of `PropertyValue` and `Entity`), and this is a shared borrow of one.
unsafe impl Send for ErasedRef<'_> {}
// SAFETY: as above.
unsafe impl Sync for ErasedRef<'_> {}
// SAFETY: every described type is `Send + Sync`, and this is an exclusive borrow of one.
unsafe impl Send for ErasedMut<'_> {}
// SAFETY: as above.
unsafe impl Sync for ErasedMut<'_> {}

/// Lends the fields of a struct one after the other.
///
/// # Invariants
/// `fields` are entries of the table of `whole`.
pub(crate) struct FieldsMut<'a> {
    whole: ErasedMut<'a>,
    fields: core::slice::Iter<'static, Property>,
}

impl FieldsMut<'_> {
    /// The next field, borrowed until the one after it is asked for.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(&'static Property, ErasedMut<'_>)> {
        let property = self.fields.next()?;
        Some((property, self.whole.reborrow().at(property)))
    }
}

impl<'a> ErasedRef<'a> {
    /// Erases the type of a borrow. O(1).
    #[inline]
    pub fn new<T: PropertyValue>(value: &'a T) -> Self {
        Self { ptr: NonNull::from(value).cast(), ty: T::TYPE, borrow: PhantomData }
    }

    /// Used by generated code: a field with an adapter.
    #[doc(hidden)]
    #[inline]
    pub fn adapted<A: Adapter>(value: &'a A::Value) -> Self {
        Self { ptr: NonNull::from(value).cast(), ty: const { &adapter::<A>() }, borrow: PhantomData }
    }

    /// Erases the type of a borrow of an entity's value. O(1).
    #[inline]
    pub fn of_entity<T: Entity>(value: &'a T) -> Self {
        Self { ptr: NonNull::from(value).cast(), ty: T::CLASS.ty(), borrow: PhantomData }
    }

    /// Pairs an address with its type.
    ///
    /// # Safety
    /// The three invariants of the type hold for `ptr`, `ty` and `'a`.
    #[inline]
    pub(crate) unsafe fn from_raw(ptr: NonNull<u8>, ty: &'static PropertyType) -> Self {
        debug_assert_eq!(ptr.as_ptr().addr() % ty.align(), 0);
        Self { ptr, ty, borrow: PhantomData }
    }

    /// The type of the value.
    #[inline]
    pub fn ty(&self) -> &'static PropertyType {
        self.ty
    }

    /// The address of the value, which may be read during `'a`.
    #[inline]
    pub(super) fn as_ptr(&self) -> NonNull<u8> {
        self.ptr
    }

    /// The value as a `T`, or `None` if it is of another type. O(1).
    #[inline]
    pub fn downcast_ref<T: 'static>(&self) -> Option<&'a T> {
        if !self.ty.is::<T>() {
            return None;
        }
        // SAFETY: the value is a `T` (1, and the id of its table compared above); it lives and is not written during `'a` (3).
        Some(unsafe { self.ptr.cast::<T>().as_ref() })
    }

    /// The field at `index` of [`PropertyType::fields`], or `None` past the end. O(1).
    #[inline]
    pub fn field(&self, index: usize) -> Option<ErasedRef<'a>> {
        Some(self.at(self.ty.fields().get(index)?))
    }

    /// The value inside a newtype, however many stand around it; itself for every other type.
    #[inline]
    pub fn unwrapped(self) -> ErasedRef<'a> {
        let mut value = self;
        while let Kind::Newtype { field } = value.ty.kind() {
            value = value.at(field);
        }
        value
    }

    /// `property` is an entry of `self.ty`'s own table.
    #[inline]
    fn at(&self, property: &'static Property) -> ErasedRef<'a> {
        debug_assert!(property.offset() + property.ty().size() <= self.ty.size());
        // SAFETY: an offset of the table lies inside the value (2).
        let ptr = unsafe { self.ptr.add(property.offset()) };
        // SAFETY: at that offset lies a field of the type the table names (2), live and unwritten as part of the whole (1, 3).
        unsafe { Self::from_raw(ptr, property.ty()) }
    }

    /// The items of a map or a list with keys, also inside newtypes; `None` for every other type. O(1).
    pub fn keyed(self) -> Option<&'a dyn KeyedItems> {
        let value = self.unwrapped();
        let ops = value.ty.ops()?;
        // SAFETY: `ops` are those of the value's type (2), and the value may be read during `'a` (1, 3).
        let items = unsafe { (ops.keyed)(value.ptr) }?;
        // SAFETY: the items are of the value, which lives and is not written during `'a` (1, 3).
        Some(unsafe { items.as_ref() })
    }

    /// Writes a leaf as text.
    #[inline]
    pub(crate) fn write_leaf(&self, out: &mut ValueWriter<'_>) {
        if let Some(ops) = self.ty.ops() {
            // SAFETY: `ops` are those of the value's type (2), and the value may be read (1, 3).
            unsafe { (ops.write)(self.ptr, out) }
        }
    }

    /// Calls `each` with every number in a leaf.
    pub(crate) fn leaf_numbers(&self, each: &mut dyn FnMut(f64)) {
        if let Some(ops) = self.ty.ops() {
            // SAFETY: `ops` are those of the value's type (2), and the value may be read (1, 3).
            unsafe { (ops.numbers)(self.ptr, each) }
        }
    }

    /// Whether two leaves of one type hold the same bits; `false` for two types.
    #[inline]
    pub(crate) fn same_leaf(&self, other: &ErasedRef<'_>) -> bool {
        match self.ty.ops() {
            // SAFETY: both values are of the type that `ops` belongs to (the ids are equal, 2) and may be read (1, 3).
            Some(ops) if self.ty.type_id() == other.ty.type_id() => unsafe { (ops.same)(self.ptr, other.ptr) },
            _ => false,
        }
    }
}

impl<'a> ErasedMut<'a> {
    /// Erases the type of an exclusive borrow. O(1).
    #[inline]
    pub fn new<T: PropertyValue>(value: &'a mut T) -> Self {
        Self { ptr: NonNull::from(value).cast(), ty: T::TYPE, borrow: PhantomData }
    }

    /// Used by generated code: a field with an adapter.
    #[doc(hidden)]
    #[inline]
    pub fn adapted<A: Adapter>(value: &'a mut A::Value) -> Self {
        Self { ptr: NonNull::from(value).cast(), ty: const { &adapter::<A>() }, borrow: PhantomData }
    }

    /// Erases the type of an exclusive borrow of an entity's value. O(1).
    #[inline]
    pub fn of_entity<T: Entity>(value: &'a mut T) -> Self {
        Self { ptr: NonNull::from(value).cast(), ty: T::CLASS.ty(), borrow: PhantomData }
    }

    /// Pairs an address with its type.
    ///
    /// # Safety
    /// The invariants of the type hold for `ptr`, `ty` and `'a`.
    #[inline]
    pub(crate) unsafe fn from_raw(ptr: NonNull<u8>, ty: &'static PropertyType) -> Self {
        debug_assert_eq!(ptr.as_ptr().addr() % ty.align(), 0);
        Self { ptr, ty, borrow: PhantomData }
    }

    /// The type of the value.
    #[inline]
    pub fn ty(&self) -> &'static PropertyType {
        self.ty
    }

    /// A shared view for as long as `self` is borrowed.
    #[inline]
    pub fn as_ref(&self) -> ErasedRef<'_> {
        ErasedRef { ptr: self.ptr, ty: self.ty, borrow: PhantomData }
    }

    /// The same exclusive borrow for a shorter time.
    #[inline]
    pub fn reborrow(&mut self) -> ErasedMut<'_> {
        ErasedMut { ptr: self.ptr, ty: self.ty, borrow: PhantomData }
    }

    /// The value as a `T`, or `None` if it is of another type. O(1).
    #[inline]
    pub fn downcast_mut<T: 'static>(self) -> Option<&'a mut T> {
        if !self.ty.is::<T>() {
            return None;
        }
        // SAFETY: the value is a `T` (1); the exclusive borrow is handed on for its whole life, since `self` is consumed.
        Some(unsafe { self.ptr.cast::<T>().as_mut() })
    }

    /// The field at `index` of [`PropertyType::fields`], or `None` past the end. O(1).
    #[inline]
    pub fn field(self, index: usize) -> Option<ErasedMut<'a>> {
        let property = self.ty.fields().get(index)?;
        Some(self.at(property))
    }

    /// The fields of a struct from `index` on, one at a time; none for every other type.
    #[inline]
    pub(crate) fn fields_from(self, index: usize) -> FieldsMut<'a> {
        let fields = self.ty.fields().get(index..).unwrap_or_default().iter();
        FieldsMut { whole: self, fields }
    }

    /// The value inside a newtype, however many stand around it; itself for every other type.
    #[inline]
    pub fn unwrapped(self) -> ErasedMut<'a> {
        let mut value = self;
        while let Kind::Newtype { field } = value.ty.kind() {
            value = value.at(field);
        }
        value
    }

    /// `property` is an entry of `self.ty`'s own table.
    #[inline]
    fn at(self, property: &'static Property) -> ErasedMut<'a> {
        debug_assert!(property.offset() + property.ty().size() <= self.ty.size());
        // SAFETY: an offset of the table lies inside the value (2).
        let ptr = unsafe { self.ptr.add(property.offset()) };
        // SAFETY: at that offset lies a field of the type the table names (2); the borrow of the whole is consumed, so the field is
        // borrowed exclusively for `'a`.
        unsafe { Self::from_raw(ptr, property.ty()) }
    }

    /// The items of a map or a list with keys, also inside newtypes; `None` for every other type. O(1).
    pub fn keyed(self) -> Option<&'a mut dyn KeyedItems> {
        let value = self.unwrapped();
        let ops = value.ty.ops()?;
        // SAFETY: `ops` are those of the value's type (2), and the value may be written during `'a` (invariants).
        let mut items = unsafe { (ops.keyed_mut)(value.ptr) }?;
        // SAFETY: the items are of the value; its exclusive borrow is handed on for its whole life, since `self` is consumed.
        Some(unsafe { items.as_mut() })
    }

    /// Reads text into a leaf. On a fault the leaf holds a valid value, old or half-read; the caller discards it.
    #[inline]
    pub(crate) fn read_leaf<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        match self.ty.ops() {
            // SAFETY: `ops` are those of the value's type (2), and the value may be written (invariants).
            Some(ops) => unsafe { (ops.read)(self.ptr, text, place) },
            None => Ok(()),
        }
    }

    /// Reads a plain value at the start of `text` into a leaf and says how long it is. Without one the leaf holds a valid value, as
    /// after a fault of [`read_leaf`](Self::read_leaf).
    #[inline]
    pub(crate) fn scan_leaf(&mut self, text: &str) -> Option<usize> {
        // SAFETY: `ops` are those of the value's type (2), and the value may be written (invariants).
        self.ty.ops().and_then(|ops| unsafe { (ops.scan)(self.ptr, text) })
    }

    /// Becomes a copy of `from` to the last byte, skipped fields included. `false`, with nothing done, for two types and for types whose
    /// values are not copied as bytes.
    #[inline]
    pub(crate) fn copy_bytes(&mut self, from: ErasedRef<'_>) -> bool {
        if !self.ty.is_blittable() || self.ty.type_id() != from.ty.type_id() {
            return false;
        }
        // SAFETY: both are values of one type (the ids are equal, 2), whose bytes make another value and which needs no drop (2);
        // `self` may be written, `from` read, and the exclusive borrow keeps them apart.
        unsafe { from.ptr.copy_to_nonoverlapping(self.ptr, self.ty.size()) };
        true
    }

    /// Exchanges two values of one type; `false`, with nothing done, for two types. Runs no user code.
    #[inline]
    pub(crate) fn swap(&mut self, other: &mut ErasedMut<'_>) -> bool {
        if self.ty.type_id() != other.ty.type_id() {
            return false;
        }
        // SAFETY: both are values of one type (the ids are equal, 2), and the exclusive borrows keep them apart.
        unsafe { core::ptr::swap_nonoverlapping(self.ptr.as_ptr(), other.ptr.as_ptr(), self.ty.size()) };
        true
    }

    /// Overwrites a leaf with a copy of another leaf of the same type; `false`, with nothing done, for two types.
    #[inline]
    pub(crate) fn assign_leaf(&mut self, from: &ErasedRef<'_>) -> bool {
        match self.ty.ops() {
            Some(ops) if self.ty.type_id() == from.ty.type_id() => {
                // SAFETY: both are of the type that `ops` belongs to; `self` may be written, `from` read, and the exclusive
                // borrow keeps them apart.
                unsafe { (ops.assign)(self.ptr, from.ptr) };
                true
            }
            _ => false,
        }
    }
}
