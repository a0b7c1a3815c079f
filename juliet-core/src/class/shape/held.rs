//! What a list, an option or a map holds: values of a Rust type, or of a type that was made from a schema. The rules of a shape are written
//! once, over both.

use crate::class::{PropertyType, value};
use crate::mem::boxed::Boxed;
use crate::mem::{ErasedMut, ErasedRef, PropertyValue};

/// A value that is held.
pub(super) trait Held {
    fn erased(&self) -> ErasedRef<'_>;
    fn erased_mut(&mut self) -> ErasedMut<'_>;
}

/// Makes the values that a container holds.
pub(super) trait Make<H>: Copy {
    /// Their type.
    fn ty(self) -> &'static PropertyType;
    /// One with defaults.
    fn fresh(self) -> H;
    /// One like another.
    fn copy(self, from: &H) -> H;
}

/// Makes values of a type that the program knows.
#[derive(Clone, Copy)]
pub(super) struct Known;

/// Makes values of a type that a schema describes.
#[derive(Clone, Copy)]
pub(super) struct Made(pub(super) &'static PropertyType);

impl<T: PropertyValue> Held for T {
    #[inline]
    fn erased(&self) -> ErasedRef<'_> {
        ErasedRef::new(self)
    }

    #[inline]
    fn erased_mut(&mut self) -> ErasedMut<'_> {
        ErasedMut::new(self)
    }
}

impl<T: PropertyValue> Make<T> for Known {
    #[inline]
    fn ty(self) -> &'static PropertyType {
        T::TYPE
    }

    #[inline]
    fn fresh(self) -> T {
        T::default_value()
    }

    fn copy(self, from: &T) -> T {
        let mut copy = T::default_value();
        value::assign(ErasedMut::new(&mut copy), ErasedRef::new(from));
        copy
    }
}

impl Held for Boxed {
    fn erased(&self) -> ErasedRef<'_> {
        self.as_ref()
    }

    fn erased_mut(&mut self) -> ErasedMut<'_> {
        self.as_mut()
    }
}

impl Make<Boxed> for Made {
    fn ty(self) -> &'static PropertyType {
        self.0
    }

    fn fresh(self) -> Boxed {
        Boxed::fresh(self.0)
    }

    fn copy(self, from: &Boxed) -> Boxed {
        from.copy()
    }
}
