//! What generated code names. No stability promised.
//!
//! An expansion reaches everything through this module, so that nothing the user shadows or leaves out of scope matters to it.

use core::fmt::Display;
use core::marker::PhantomData;

pub use core;
pub use std::string::String;

pub use crate::class::shape::{Adapter, DataEnum, FromLiteral, Key, UnitEnum};
pub use crate::class::{
    Cast, Class, Component, DataVariant, Entity, Meta, Property, PropertyType, Range, TraitCast, Variant, VariantStyle,
};
pub use crate::mem::{ErasedMut, ErasedRef, PropertyValue};

use crate::class::shape::Color;

/// Asks whether a type is `Copy`, as a constant: `Probe::<T>::PLAIN`, with [`NotPlain`] in scope.
///
/// The inherent constant exists for `Copy` types and is preferred to the trait's. Under a type parameter without a `Copy` bound the
/// answer is "no", which is safe: such values are cloned and dropped instead of copied as bytes.
pub struct Probe<T>(PhantomData<T>);

impl<T: Copy> Probe<T> {
    /// Bytes of a `T` may be copied.
    pub const PLAIN: bool = true;
}

/// The other half of [`Probe`].
pub trait NotPlain {
    /// Nothing is known about a type that is not `Copy`.
    const PLAIN: bool = false;
}

impl<T> NotPlain for Probe<T> {}

/// A type that `range` and `step` may stand on: numbers, vectors, and lists, maps and options of them.
#[diagnostic::on_unimplemented(
    message = "`range` and `step` need a number, and `{Self}` is none",
    label = "not a number",
    note = "numbers are integers, `f32`, `f64`, glam vectors, newtypes of these with `#[derive(Property)]`, and `[T; N]`, `Vec<T>`, `Option<T>` and maps of these"
)]
pub trait Ranged {}

macro_rules! ranged {
    ($($t:ty),* $(,)?) => { $(impl Ranged for $t {})* };
}

ranged!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64);
ranged!(glam::Vec2, glam::Vec3, glam::Vec4, glam::IVec2, glam::IVec3, Color);

impl<T: Ranged, const N: usize> Ranged for [T; N] {}
impl<T: Ranged> Ranged for Vec<T> {}
impl<T: Ranged> Ranged for Option<T> {}
impl<K, T: Ranged, S> Ranged for indexmap::IndexMap<K, T, S> {}
impl<K, T: Ranged> Ranged for std::collections::BTreeMap<K, T> {}

/// Compiles for types that a key can have.
pub const fn assert_key<T: Key>() {}

/// Compiles for types that a range may stand on.
pub const fn assert_ranged<T: Ranged>() {}

/// What `read` of an adapter module gave, with its error as text.
///
/// # Errors
/// The text of the module's error.
pub fn adapted_read<T, E: Display>(read: Result<T, E>) -> Result<T, String> {
    read.map_err(|error| error.to_string())
}

/// What `write` of an adapter module gave.
pub fn adapted_write(text: impl Into<String>) -> String {
    text.into()
}

#[cfg(test)]
mod tests {
    use super::{NotPlain as _, Probe, String};

    #[test]
    fn copy_types_are_plain_and_no_others() {
        #[derive(Clone, Copy)]
        struct Plain;
        struct Guarded;
        const { assert!(Probe::<u32>::PLAIN) };
        const { assert!(Probe::<Plain>::PLAIN) };
        const { assert!(!Probe::<Guarded>::PLAIN) };
        const { assert!(!Probe::<String>::PLAIN) };
    }

    #[test]
    fn an_unbounded_parameter_is_not_plain() {
        fn plain<T>() -> bool {
            Probe::<T>::PLAIN
        }
        fn plain_copy<T: Copy>() -> bool {
            Probe::<T>::PLAIN
        }
        assert!(!plain::<u32>());
        assert!(plain_copy::<u32>());
    }
}
