//! What a key names in a value: a property, or a part of an item of a map or keyed list.

use super::items::{ItemFault, ItemPath, find_item};
use super::path::{LeafPath, find_leaf};
use crate::class::PropertyType;
use crate::mem::{ErasedMut, ErasedRef};

/// What a key names.
#[derive(Clone, Debug)]
pub enum Named<'n> {
    /// `Light.Color`.
    Property(LeafPath),
    /// `Loot[gold]`, `Loot[gold].Count`.
    Item(ItemPath<'n>),
}

/// What `key` names in `ty`. O(parts × properties).
///
/// # Errors
/// [`ItemFault`]; [`ItemFault::NoItem`] for a key without brackets that names nothing.
pub fn find_named<'n>(ty: &'static PropertyType, key: &'n str) -> Result<Named<'n>, ItemFault<'n>> {
    match find_leaf(ty, key) {
        Some(path) => Ok(Named::Property(path)),
        None => find_item(ty, key).map(Named::Item),
    }
}

impl Named<'_> {
    /// The property, or the map or list that has the item.
    pub fn property(&self) -> &LeafPath {
        match self {
            Self::Property(path) => path,
            Self::Item(path) => &path.list,
        }
    }

    /// The value that is named; `None` if there is no such item. O(items).
    pub fn follow<'v>(&self, root: ErasedRef<'v>) -> Option<ErasedRef<'v>> {
        match self {
            Self::Property(path) => path.follow(root),
            Self::Item(path) => {
                let items = path.list.follow(root)?.keyed()?;
                path.follow(items.item(items.find(path.key).ok()??)?)
            }
        }
    }

    /// The value that is named, to be written; an item that is not there is made, if its key is one. O(items).
    pub fn follow_or_insert<'v>(&self, root: ErasedMut<'v>) -> Option<ErasedMut<'v>> {
        match self {
            Self::Property(path) => path.follow_mut(root),
            Self::Item(path) => {
                let items = path.list.follow_mut(root)?.keyed()?;
                let index = items.insert(path.key).ok()?;
                path.follow_mut(items.item_mut(index)?)
            }
        }
    }
}
