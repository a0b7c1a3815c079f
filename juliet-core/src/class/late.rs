//! What a table names without holding it: the types of items, which may lead back to the table, and who a type is.
//!
//! In: a Rust type, or a place that a schema fills. Out: the description, asked for late. Invariant: a place is filled before a value of a
//! type that names it is made.

use core::any::{TypeId, type_name};
use std::sync::OnceLock;

use super::PropertyType;
use crate::mem::PropertyValue;
use crate::mem::made::{Described, Made};

/// The type of an item, a key, or what an option holds. Asked for late, so that a type may hold itself in a list.
#[derive(Clone, Copy)]
pub struct ItemType(Late<fn() -> &'static PropertyType, &'static OnceLock<Described>>);

/// The name of the type of an asset.
#[derive(Clone, Copy)]
pub struct AssetName(Late<fn() -> &'static str, &'static str>);

#[derive(Clone, Copy)]
enum Late<R, M> {
    /// Of a Rust type.
    Known(R),
    /// Of a type that is made at run time.
    Made(M),
}

impl ItemType {
    /// The Rust type `T`.
    pub(crate) const fn of<T: PropertyValue>() -> Self {
        Self(Late::Known(|| T::TYPE))
    }

    /// What `place` will hold.
    pub(crate) fn at(place: &'static OnceLock<Described>) -> Self {
        Self(Late::Made(place))
    }

    /// The description of the type. O(1).
    ///
    /// # Panics
    /// Never for a type that a value has: all places are filled by then.
    #[inline]
    pub fn get(self) -> &'static PropertyType {
        match self.0 {
            Late::Known(get) => get(),
            Late::Made(place) => place.get().expect("all types of a schema are made before a value is").ty(),
        }
    }
}

impl AssetName {
    /// The name of the Rust type `A`.
    pub(crate) const fn of<A: 'static>() -> Self {
        Self(Late::Known(type_name::<A>))
    }

    /// `name` itself.
    pub(crate) fn named(name: &'static str) -> Self {
        Self(Late::Made(name))
    }

    /// The name, for a Rust type with the path to it. O(1).
    #[inline]
    pub fn get(self) -> &'static str {
        match self.0 {
            Late::Known(get) => get(),
            Late::Made(name) => name,
        }
    }
}

impl core::fmt::Debug for ItemType {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // Not the type itself: it may lead back here.
        f.write_str("ItemType")
    }
}

impl core::fmt::Debug for AssetName {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("AssetName").field(&self.get()).finish()
    }
}

/// Who a type is. Two descriptions with equal identities describe one type.
///
/// A type that was made from a schema is none of the program's, and no other schema's: values of the two are never taken for each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TypeIdentity {
    rust: TypeId,
    /// The address of what the type was made of, which lives as long as the program; 0 for a Rust type.
    made: usize,
}

impl TypeIdentity {
    #[inline]
    pub(super) fn new(rust: TypeId, made: Option<&'static Made>) -> Self {
        Self { rust, made: made.map_or(0, |made| core::ptr::from_ref(made).addr()) }
    }
}
