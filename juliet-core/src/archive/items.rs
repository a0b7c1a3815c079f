//! Items of maps and keyed lists: naming them, which of them an instance says itself, and what it has when the rest is inherited.
//!
//! ```text
//! Loot[gold].Count        list: the leaf `Loot`, key: `gold`, rest: leaf `Count` of the item
//! items of an instance =  the inherited ones without those that are removed, each with the leaves that are overridden,
//!                         then its own, in its order
//! ```

use hashbrown::HashSet;

use super::leaves::{LeafSet, for_each_leaf, for_each_leaf_number};
use super::overrides::{ItemSays, Overrides};
use super::path::{LeafPath, fields_of, find_leaf, path_of_leaf};
use crate::class::shape::{KeyIndex, KeyedItems};
use crate::class::{Kind, PropertyType, value};
use crate::mem::{ErasedMut, ErasedRef, OwnedValue};
use crate::text::{Spelling, split_item};

/// An item of a map or a keyed list, or a part of one, as a key names it.
#[derive(Clone, Debug)]
pub struct ItemPath<'n> {
    /// The map or list.
    pub list: LeafPath,
    /// The key of the item, as it stands in the brackets.
    pub key: &'n str,
    /// The part of the item; `None` for the whole.
    pub rest: Option<LeafPath>,
    item: &'static PropertyType,
    key_field: Option<usize>,
    key_leaf: Option<u32>,
}

/// Why a key names no item.
#[derive(Clone, Copy, Debug)]
pub enum ItemFault<'n> {
    /// There are no brackets in it.
    NoItem,
    /// There is no such property; the part of the name before the brackets.
    UnknownList(&'n str),
    /// The property is one value; the part of the name before the brackets.
    NotKeyed(&'n str),
    /// The item has no such property; its type and the name of the part.
    UnknownPart(&'static PropertyType, &'n str),
    /// The part is the key of the item, which the brackets say.
    Key(&'n str),
    /// An item of an item: those stand in one value.
    Nested(&'n str),
}

/// The item that `name` names in `ty`. O(parts × properties).
///
/// # Errors
/// [`ItemFault`].
pub fn find_item<'n>(ty: &'static PropertyType, name: &'n str) -> Result<ItemPath<'n>, ItemFault<'n>> {
    let split = split_item(name).ok_or(ItemFault::NoItem)?;
    let list = find_leaf(ty, split.list).ok_or(ItemFault::UnknownList(split.list))?;
    let (item, key_field) = item_type(list.property().ty()).ok_or(ItemFault::NotKeyed(split.list))?;
    let key_leaf = key_field.map(|at| fields_of(item)[..at].iter().map(|field| field.ty().leaves()).sum());
    let rest = match split.rest {
        "" => None,
        rest if rest.contains('[') => return Err(ItemFault::Nested(rest)),
        rest => Some(find_leaf(item, rest).ok_or(ItemFault::UnknownPart(item, rest))?),
    };
    if let (Some(rest), Some(key)) = (&rest, key_leaf)
        && (rest.first_leaf()..rest.first_leaf() + rest.leaves()).contains(&key)
    {
        return Err(ItemFault::Key(split.rest));
    }
    Ok(ItemPath { list, key: split.key, rest, item, key_field, key_leaf })
}

impl ItemPath<'_> {
    /// Number of the leaf that is the map or list.
    pub fn leaf(&self) -> u32 {
        self.list.first_leaf()
    }

    /// The field of the item that is its key; `None` in a map.
    pub(super) fn key_field(&self) -> Option<usize> {
        self.key_field
    }

    /// The leaves of the item that the path covers, without its key.
    pub fn covered(&self) -> impl Iterator<Item = u32> + use<> {
        let (first, count) = match &self.rest {
            Some(rest) => (rest.first_leaf(), rest.leaves()),
            None => (0, self.item.leaves()),
        };
        let key = self.key_leaf;
        (first..first + count).filter(move |&leaf| Some(leaf) != key)
    }

    /// The type of the whole item.
    pub fn item_type(&self) -> &'static PropertyType {
        self.item
    }

    /// The type of what the path names.
    pub fn ty(&self) -> &'static PropertyType {
        self.rest.as_ref().map_or(self.item, |rest| rest.property().ty())
    }

    /// The part of an item.
    pub fn follow<'v>(&self, item: ErasedRef<'v>) -> Option<ErasedRef<'v>> {
        match &self.rest {
            Some(rest) => rest.follow(item),
            None => Some(item),
        }
    }

    /// The part of an item, to be written.
    pub fn follow_mut<'v>(&self, item: ErasedMut<'v>) -> Option<ErasedMut<'v>> {
        match &self.rest {
            Some(rest) => rest.follow_mut(item),
            None => Some(item),
        }
    }

    /// The canonical text of the key; `None` if it is no key of these items.
    pub fn canonical(&self, items: &dyn KeyedItems) -> Option<String> {
        let mut key = Vec::new();
        items.canonical(self.key, &mut key).ok()?;
        String::from_utf8(key).ok()
    }
}

/// Type of the items and the field that is their key, of a map or keyed list; looked for through newtypes.
pub(super) fn item_type(mut ty: &'static PropertyType) -> Option<(&'static PropertyType, Option<usize>)> {
    loop {
        match *ty.kind() {
            Kind::Newtype { field } => ty = field.ty(),
            Kind::Map { item, .. } => return Some((item(), None)),
            Kind::KeyedList { item, key_field } => return Some((item(), Some(key_field))),
            _ => return None,
        }
    }
}

/// The leaf of an item that is its key.
pub(super) fn key_leaf(items: &dyn KeyedItems) -> Option<u32> {
    let fields = fields_of(items.item_type());
    items.key_field().map(|at| fields[..at].iter().map(|field| field.ty().leaves()).sum())
}

/// Calls `each` with the canonical key of every item and the item, in order.
pub fn for_each_item<'a>(items: &'a dyn KeyedItems, each: &mut dyn FnMut(&str, ErasedRef<'a>)) {
    let mut key = Vec::new();
    items.for_each(&mut |write_key, item| {
        key.clear();
        write_key(&mut key);
        if let Ok(key) = core::str::from_utf8(&key) {
            each(key, item);
        }
    });
}

fn find<'a>(index: &KeyIndex, items: &'a dyn KeyedItems, key: &str) -> Option<ErasedRef<'a>> {
    items.item(index.find(items, key).ok()??)
}

/// Marks the items of leaf number `leaf` in which `is` differs from `was`, bit for bit. What cannot be told item by item, an inherited
/// order that changed above all, marks the leaf as a whole. Nothing if the leaf is overridden as a whole. Returns whether a mark changed.
/// O(items).
pub fn mark_items(
    was: ErasedRef<'_>,
    is: ErasedRef<'_>,
    inherited: ErasedRef<'_>,
    leaf: u32,
    overrides: &mut Overrides,
) -> bool {
    if overrides.contains(leaf) {
        return false;
    }
    let before = overrides.clone();
    if let (Some(was), Some(is), Some(inherited)) = (was.keyed(), is.keyed(), inherited.keyed()) {
        mark_each(was, is, inherited, leaf, overrides);
    }
    let mut again = OwnedValue::copy_of(is);
    rebase(again.as_mut(), inherited, leaf, overrides);
    if !value::same(again.as_ref(), is) {
        overrides.insert(leaf);
    }
    *overrides != before
}

/// [`mark_items`] for a value on its own: `inherited` is what it is compared with, `None` for nothing.
pub(super) fn mark_own_items(value: ErasedRef<'_>, inherited: Option<ErasedRef<'_>>, leaf: u32, says: &mut Overrides) {
    let empty = OwnedValue::like(value);
    let inherited = inherited.unwrap_or(empty.as_ref());
    mark_items(inherited, value, inherited, leaf, says);
}

fn mark_each(
    was: &dyn KeyedItems,
    is: &dyn KeyedItems,
    inherited: &dyn KeyedItems,
    leaf: u32,
    overrides: &mut Overrides,
) {
    let (was_index, inherited_index) = (KeyIndex::new(was), KeyIndex::new(inherited));
    let (key_leaf, item_type) = (key_leaf(is), is.item_type());
    let parts = || (0..item_type.leaves()).filter(move |&part| Some(part) != key_leaf);
    let mut present: HashSet<Box<str>, foldhash::fast::RandomState> = HashSet::default();
    for_each_item(is, &mut |key, item| {
        present.insert(key.into());
        let old = find(&was_index, was, key);
        let says_leaves = matches!(overrides.item(leaf, key), Some(ItemSays::Leaves(_)));
        let is_removed = matches!(overrides.item(leaf, key), Some(ItemSays::Removed));
        let default = OwnedValue::like(item);
        let compare = match old {
            Some(old) if !is_removed => Some(old),
            // Said in part although nothing is inherited any more: the rest is as in a new item.
            None if says_leaves => Some(default.as_ref()),
            _ => None,
        };
        match compare {
            Some(old) => for_each_leaf_number(item, old, &mut |part, a, b| {
                if Some(part) != key_leaf && !value::same(a, b) {
                    overrides.insert_item(leaf, key, part, 1);
                }
            }),
            None => {
                overrides.set_item(leaf, key, ItemSays::Leaves(LeafSet::new()));
                parts().for_each(|part| {
                    overrides.insert_item(leaf, key, part, 1);
                });
            }
        }
    });
    let mut gone: Vec<String> = Vec::new();
    for items in [was, inherited] {
        for_each_item(items, &mut |key, _| {
            if !present.contains(key) {
                gone.push(key.to_owned());
            }
        });
    }
    let said: Vec<String> = overrides.items_of(leaf).map(|(key, _)| key.to_owned()).collect();
    gone.extend(said.into_iter().filter(|key| !present.contains(key.as_str())));
    for key in gone {
        match find(&inherited_index, inherited, &key) {
            Some(_) => drop(overrides.set_item(leaf, &key, ItemSays::Removed)),
            // Removed before the template lost it: that stays said.
            None if matches!(overrides.item(leaf, &key), Some(ItemSays::Removed)) => {}
            None => drop(overrides.remove_item(leaf, &key)),
        }
    }
}

/// Takes the items out that `overrides` says are removed. O(items).
pub(super) fn retain_said(items: &mut dyn KeyedItems, leaf: u32, overrides: &Overrides) {
    let mut stays = Vec::with_capacity(items.len());
    for_each_item(items, &mut |key, _| stays.push(overrides.item(leaf, key) != Some(&ItemSays::Removed)));
    items.retain(&mut |index| stays.get(index).copied().unwrap_or(true));
}

/// Forgets removals of items that `inherited`, a whole value, does not have: where there is no template that could bring them back, they
/// mean nothing and are not read. O(items).
pub fn forget_idle_removals(inherited: ErasedRef<'_>, overrides: &mut Overrides) {
    let mut leaves: Vec<u32> = overrides.items().map(|(leaf, ..)| leaf).collect();
    leaves.dedup();
    for leaf in leaves {
        let list = path_of_leaf(inherited.ty(), leaf).and_then(|path| path.follow(inherited));
        let mut there: HashSet<Box<str>, foldhash::fast::RandomState> = HashSet::default();
        if let Some(items) = list.and_then(ErasedRef::keyed) {
            for_each_item(items, &mut |key, _| {
                there.insert(key.into());
            });
        }
        let is_idle = |(key, says): &(&str, &ItemSays)| **says == ItemSays::Removed && !there.contains(*key);
        let idle: Vec<Box<str>> = overrides.items_of(leaf).filter(is_idle).map(|(key, _)| key.into()).collect();
        for key in idle {
            overrides.remove_item(leaf, &key);
        }
    }
}

/// Gives the map or list `to`, leaf number `leaf`, what `inherited` has, but for the items that are overridden. O(items).
pub fn rebase(mut to: ErasedMut<'_>, inherited: ErasedRef<'_>, leaf: u32, overrides: &Overrides) {
    if !overrides.has_items(leaf) {
        value::assign(to, inherited);
        return;
    }
    let own = OwnedValue::copy_of(to.as_ref());
    value::assign(to.reborrow(), inherited);
    let (Some(own), Some(to)) = (own.as_ref().keyed(), to.keyed()) else { return };
    retain_said(to, leaf, overrides);
    let mut index = KeyIndex::new(to);
    for_each_item(own, &mut |key, item| {
        let Some(ItemSays::Leaves(parts)) = overrides.item(leaf, key) else { return };
        if let Ok(to) = index.get_or_insert(to, key) {
            copy_parts(to, item, parts);
        }
    });
}

/// Copies some leaves of an item.
fn copy_parts(mut to: ErasedMut<'_>, from: ErasedRef<'_>, parts: &LeafSet) {
    for part in parts.iter() {
        match path_of_leaf(from.ty(), part) {
            Some(path) => {
                if let (Some(to), Some(from)) = (path.follow_mut(to.reborrow()), path.follow(from)) {
                    value::assign(to, from);
                }
            }
            // An item that is one leaf.
            None => drop(value::assign(to.reborrow(), from)),
        }
    }
}

/// What [`for_each_item_line`] calls.
type EachLine<'e, 'a> = dyn FnMut(&str, &str, Option<u32>, Option<ErasedRef<'a>>) + 'e;

/// Calls `each` for every line that says what `overrides` does about the items of leaf number `leaf`, `list` being its key: removals first,
/// then the items in the order of `value`. In: the item's key, the key of the line, the part of the item, and its value; the last two are
/// `None` for a removal, and the part also for an item of which nothing is said but that it is there.
pub(super) fn for_each_item_line<'a>(
    value: ErasedRef<'a>,
    leaf: u32,
    list: &str,
    spelling: Spelling,
    overrides: &Overrides,
    each: &mut EachLine<'_, 'a>,
) {
    for (key, _) in overrides.items_of(leaf).filter(|(_, says)| **says == ItemSays::Removed) {
        each(key, &format!("{list}[{key}]"), None, None);
    }
    let Some(items) = value.keyed() else { return };
    for_each_item(items, &mut |key, item| {
        let Some(ItemSays::Leaves(parts)) = overrides.item(leaf, key) else { return };
        if parts.is_empty() {
            each(key, &format!("{list}[{key}]"), None, Some(item));
        } else if fields_of(items.item_type()).is_empty() {
            each(key, &format!("{list}[{key}]"), Some(0), Some(item));
        } else {
            for_each_leaf(item, spelling, &mut |part, name, value| {
                if parts.contains(part) {
                    each(key, &format!("{list}[{key}].{name}"), Some(part), Some(value));
                }
            });
        }
    });
}
