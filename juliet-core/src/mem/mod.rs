//! Memory: everything in Juliet that needs `unsafe`, behind types that are sound for every caller.
//!
//! * [`erased`]: pointers to a value whose type is known at run time only, with the lifetime of the borrow they came from.
//! * [`glue`]: the function pointers that make a type usable through them, and the implementations of [`PropertyValue`] for the
//!   types this crate knows.
//!
//! `mem` names [`class`](crate::class) for the descriptors it checks against (ADR 0007), and nothing else of the crate.

pub(crate) mod erased;
pub(crate) mod glue;

pub use erased::{ErasedMut, ErasedRef};
pub use glue::{Entity, PropertyValue};
