//! Items of maps and keyed lists: naming them, which of them an instance says itself, and what it has when the rest is inherited.
//!
//! ```text
//! Loot[gold].Count        list: the leaf `Loot`, key: `gold`, rest: leaf `Count` of the item
//! items of an instance =  the inherited ones without those that are removed, each with the leaves that are overridden,
//!                         then its own, in the order in which they were said
//! ```

use hashbrown::{HashMap, HashSet};

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
            Kind::Map { item, .. } => return Some((item.get(), None)),
            Kind::KeyedList { item, key_field } => return Some((item.get(), Some(key_field))),
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

/// Items by their key: for those who ask for many of them, since to find one may cost a walk.
pub struct ItemsByKey<'a>(HashMap<Box<str>, ErasedRef<'a>, foldhash::fast::RandomState>);

impl<'a> ItemsByKey<'a> {
    /// All items. Of two with one key it is the first. O(items).
    #[must_use]
    pub fn new(items: &'a dyn KeyedItems) -> Self {
        let mut by_key = HashMap::with_capacity_and_hasher(items.len(), foldhash::fast::RandomState::default());
        for_each_item(items, &mut |key, item| {
            by_key.entry(Box::from(key)).or_insert(item);
        });
        Self(by_key)
    }

    /// The item of this key, which is in its canonical text. O(key).
    pub fn get(&self, key: &str) -> Option<ErasedRef<'a>> {
        self.0.get(key).copied()
    }
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
    if !gives(is, inherited, leaf, overrides) {
        // Items of its own may have changed their order.
        let mut places = Places::default();
        if let Some(is) = is.keyed() {
            for_each_item(is, &mut |key, _| {
                places.insert(key.into(), places.len());
            });
        }
        overrides.sort_items(leaf, |key| places.get(key).copied());
        if !gives(is, inherited, leaf, overrides) {
            overrides.insert(leaf);
        }
    }
    *overrides != before
}

type Places = HashMap<Box<str>, usize, foldhash::fast::RandomState>;
type Keys = HashSet<Box<str>, foldhash::fast::RandomState>;

/// Whether `is` is what is inherited with what `overrides` says about it.
fn gives(is: ErasedRef<'_>, inherited: ErasedRef<'_>, leaf: u32, overrides: &Overrides) -> bool {
    let mut again = OwnedValue::copy_of(is);
    rebase(again.as_mut(), inherited, leaf, overrides);
    value::same(again.as_ref(), is)
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
    let was = ItemsByKey::new(was);
    let (key_leaf, item_type) = (key_leaf(is), is.item_type());
    let parts = || (0..item_type.leaves()).filter(move |&part| Some(part) != key_leaf);
    let mut present = Keys::default();
    for_each_item(is, &mut |key, _| {
        present.insert(key.into());
    });
    // Nothing is said any more about what is gone, unless it is removed; what was removed and is back is said anew, after all others.
    let mut back = Keys::default();
    overrides.retain_items(leaf, |key, says| match (says, present.contains(key)) {
        (ItemSays::Removed, true) => {
            back.insert(key.into());
            false
        }
        // It may have been removed before the template lost it: that stays said.
        (ItemSays::Removed, false) => true,
        (ItemSays::Leaves(_), is_there) => is_there,
    });
    for_each_item(is, &mut |key, item| {
        let default = OwnedValue::like(item);
        let compare = match was.get(key) {
            Some(old) if !back.contains(key) => Some(old),
            // Said in part although nothing is inherited any more: the rest is as in a new item.
            None if overrides.item(leaf, key).is_some() => Some(default.as_ref()),
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
    for_each_item(inherited, &mut |key, _| {
        if !present.contains(key) {
            overrides.set_item(leaf, key, ItemSays::Removed);
        }
    });
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
        overrides.retain_items(leaf, |key, says| *says != ItemSays::Removed || there.contains(key));
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
    take_removed_out(to, leaf, overrides);
    let (own, mut index) = (ItemsByKey::new(own), KeyIndex::new(to));
    for (key, says) in overrides.items_of(leaf) {
        let ItemSays::Leaves(parts) = says else { continue };
        if let (Some(item), Ok(to)) = (own.get(key), index.get_or_insert(to, key)) {
            copy_parts(to, item, parts);
        }
    }
}

/// Takes out the items of leaf number `leaf` that `overrides` says are not there. O(items).
pub(super) fn take_removed_out(items: &mut dyn KeyedItems, leaf: u32, overrides: &Overrides) {
    let mut stays = Vec::with_capacity(items.len());
    for_each_item(items, &mut |key, _| stays.push(overrides.item(leaf, key) != Some(&ItemSays::Removed)));
    items.retain(&mut |index| stays.get(index).copied().unwrap_or(true));
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
/// then the items in the order in which something was said about them. In: the item's key, the key of the line, the part of the item, and
/// its value; the last two are `None` for a removal, and the part also for an item of which nothing is said but that it is there.
pub(super) fn for_each_item_line<'a>(
    value: ErasedRef<'a>,
    leaf: u32,
    list: &str,
    spelling: Spelling,
    overrides: &Overrides,
    each: &mut EachLine<'_, 'a>,
) {
    let mut removed: Vec<&str> =
        overrides.items_of(leaf).filter(|(_, says)| **says == ItemSays::Removed).map(|(key, _)| key).collect();
    removed.sort_unstable();
    for key in removed {
        each(key, &format!("{list}[{key}]"), None, None);
    }
    let Some(items) = value.keyed() else { return };
    let by_key = ItemsByKey::new(items);
    for (key, says) in overrides.items_of(leaf) {
        let (ItemSays::Leaves(parts), Some(item)) = (says, by_key.get(key)) else { continue };
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
    }
}
