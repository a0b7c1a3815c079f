//! Memory: everything in Juliet that needs `unsafe`, behind types that are sound for every caller.
//!
//! * `erased`: pointers to a value whose type is known at run time only, with the lifetime of the borrow they came from.
//! * `glue`: the function pointers that make a type usable through them, and the implementations of [`PropertyValue`] for the
//!   types this crate knows.
//! * `reserve`: address space; `columns`: arrays in it; `bits`: sets of numbers.
//! * `slots`: free list and generations; `rows`: the values of one class with the links to their bases.
//! * `made`: types without a Rust type, made from a schema.
//! * `owned`: one value on the heap; `boxed`: one that is held by another; `unknown`: the type that stands for classes nobody knows.
//!
//! `mem` names [`class`](crate::class) for the descriptors it checks against (ADR 0007), and nothing else of the crate.

pub(crate) mod bits;
pub(crate) mod boxed;
pub(crate) mod columns;
pub(crate) mod erased;
pub(crate) mod glue;
pub(crate) mod made;
pub(crate) mod owned;
pub(crate) mod reserve;
pub(crate) mod rows;
pub(crate) mod slots;
#[cfg(test)]
pub(crate) mod test_classes;
pub(crate) mod unknown;

pub use erased::{ErasedMut, ErasedRef};
pub use glue::{Component, Entity, PropertyValue};
pub use owned::OwnedValue;
pub use reserve::ReserveError;
