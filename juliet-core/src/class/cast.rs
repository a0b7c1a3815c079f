//! From a value whose type is known at run time to a trait that it implements.

use core::any::Any;

use crate::mem::{ErasedMut, ErasedRef};

/// The way from a value of one class to a trait object `D`. Made by `#[jasset(implements(dyn Trait))]`.
pub struct Cast<D: ?Sized + 'static> {
    /// The value as a `D`; `None` if it is of another class.
    pub get: for<'a> fn(ErasedRef<'a>) -> Option<&'a D>,
    /// The same for writing.
    pub get_mut: for<'a> fn(ErasedMut<'a>) -> Option<&'a mut D>,
}

/// A [`Cast`] whose trait is known at run time.
#[derive(Clone, Copy)]
pub struct TraitCast(&'static (dyn Any + Send + Sync));

impl TraitCast {
    /// Forgets which trait it is.
    #[doc(hidden)]
    pub const fn new<D: ?Sized + 'static>(cast: &'static Cast<D>) -> Self {
        Self(cast)
    }

    /// The way to `D`, if it leads there.
    pub(super) fn to<D: ?Sized + 'static>(self) -> Option<&'static Cast<D>> {
        self.0.downcast_ref()
    }
}
