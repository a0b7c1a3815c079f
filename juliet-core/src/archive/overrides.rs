//! What an instance says beyond what it inherits: the override ledger.

use indexmap::IndexMap;

use super::leaves::LeafSet;
use crate::class::LEAVES_LIMIT;

/// The leaves, and the items of maps and keyed lists, that an instance or a template says itself.
///
/// It is told, never worked out from values: an override that equals what would be inherited is one all the same.
///
/// 16 bytes. Classes with at most 64 leaves whose overrides name no single item need no memory beyond that; else one allocation.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// The first 64 leaves.
    few: u64,
    more: Option<Box<More>>,
}

#[derive(Clone, Debug, Default)]
struct More {
    /// Leaves from number 64 on.
    leaves: LeafSet,
    /// By leaf, ascending; none without items.
    lists: Vec<List>,
}

/// What is said about the items of one map or keyed list, by the canonical text of their keys.
///
/// The order is that in which it was said, which is the order of the lines in a file: items that are not inherited follow in it.
#[derive(Clone, Debug)]
struct List {
    leaf: u32,
    items: Items,
}

type Items = IndexMap<Box<str>, ItemSays, foldhash::fast::RandomState>;

impl PartialEq for List {
    /// The order does not count.
    fn eq(&self, other: &Self) -> bool {
        self.leaf == other.leaf && self.items == other.items
    }
}

/// What is said about one item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ItemSays {
    /// The inherited item is not there.
    Removed,
    /// These leaves of the item, numbered in its own type.
    Leaves(LeafSet),
}

impl PartialEq for Overrides {
    fn eq(&self, other: &Self) -> bool {
        let empty = More::default();
        let (a, b) = (self.more.as_deref().unwrap_or(&empty), other.more.as_deref().unwrap_or(&empty));
        self.few == other.few && a.leaves.is_same(&b.leaves) && a.lists == b.lists
    }
}

impl Eq for Overrides {}

impl Overrides {
    /// Nothing is said.
    pub const NONE: Self = Self { few: 0, more: None };

    /// `items`, and the leaves of `all` without those in `without` as a whole.
    pub(super) fn of(all: &LeafSet, without: &LeafSet, mut items: Self) -> Self {
        items.few |= all.word(0) & !without.word(0);
        if (1..all.words()).any(|index| all.word(index) != 0) {
            let more = items.more();
            all.iter().filter(|&leaf| leaf >= 64 && !without.contains(leaf)).for_each(|leaf| {
                more.leaves.insert(leaf);
            });
        }
        items
    }

    /// Whether nothing is said.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.few == 0 && self.more.as_ref().is_none_or(|more| more.leaves.is_empty() && more.lists.is_empty())
    }

    /// Whether `leaf` is overridden as a whole. O(1).
    #[inline]
    pub fn contains(&self, leaf: u32) -> bool {
        match 1_u64.checked_shl(leaf) {
            Some(bit) => self.few & bit != 0,
            None => self.more.as_ref().is_some_and(|more| more.leaves.contains(leaf)),
        }
    }

    /// Whether one of `count` leaves from `first` is overridden, as a whole or by an item. O(count).
    pub fn contains_any(&self, first: u32, count: u32) -> bool {
        (first..first.saturating_add(count).min(LEAVES_LIMIT)).any(|leaf| self.contains(leaf) || self.has_items(leaf))
    }

    /// Adds `leaf` as a whole; what was said about its items is part of that from now on. `false` if it was there already.
    pub fn insert(&mut self, leaf: u32) -> bool {
        if self.more.is_some() {
            self.remove_items(leaf);
        }
        match 1_u64.checked_shl(leaf) {
            Some(bit) => {
                let fresh = self.few & bit == 0;
                self.few |= bit;
                fresh
            }
            None => self.more().leaves.insert(leaf),
        }
    }

    /// Takes `leaf` out, items included; `false` if nothing was said about it. No allocation.
    pub fn remove(&mut self, leaf: u32) -> bool {
        let had_items = self.remove_items(leaf);
        let had_leaf = self.contains(leaf);
        match 1_u64.checked_shl(leaf) {
            Some(bit) => self.few &= !bit,
            None => {
                if let Some(more) = &mut self.more {
                    more.leaves.remove(leaf);
                }
            }
        }
        had_leaf || had_items
    }

    /// Says nothing any more. Gives its memory back.
    pub fn clear(&mut self) {
        *self = Self::NONE;
    }

    fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    /// The leaves that are overridden as a whole, ascending.
    pub fn leaves(&self) -> impl Iterator<Item = u32> {
        let few = (0..64).filter(|leaf| self.few & 1 << leaf != 0);
        few.chain(self.more.iter().flat_map(|more| more.leaves.iter()))
    }

    fn list(&self, leaf: u32) -> Option<&Items> {
        let lists = &self.more.as_ref()?.lists;
        lists.binary_search_by_key(&leaf, |list| list.leaf).ok().map(|at| &lists[at].items)
    }

    fn list_mut(&mut self, leaf: u32) -> &mut Items {
        let lists = &mut self.more().lists;
        let at = lists.binary_search_by_key(&leaf, |list| list.leaf).unwrap_or_else(|at| {
            lists.insert(at, List { leaf, items: Items::default() });
            at
        });
        &mut lists[at].items
    }

    /// Changes what is said about the items of `leaf`, if that is anything.
    fn change<R: Default>(&mut self, leaf: u32, change: impl FnOnce(&mut Items) -> R) -> R {
        let Some(more) = &mut self.more else { return R::default() };
        let Ok(at) = more.lists.binary_search_by_key(&leaf, |list| list.leaf) else { return R::default() };
        let result = change(&mut more.lists[at].items);
        if more.lists[at].items.is_empty() {
            more.lists.remove(at);
        }
        result
    }

    /// Whether something is said about a single item of `leaf`.
    #[inline]
    pub fn has_items(&self, leaf: u32) -> bool {
        self.list(leaf).is_some()
    }

    /// What is said about single items of `leaf`, in the order in which it was said.
    pub fn items_of(&self, leaf: u32) -> impl Iterator<Item = (&str, &ItemSays)> {
        self.list(leaf).into_iter().flatten().map(|(key, says)| (&**key, says))
    }

    /// What is said about single items of `leaf`, alone.
    pub(super) fn items_only(&self, leaf: u32) -> Self {
        let mut only = Self::NONE;
        if let Some(items) = self.list(leaf) {
            *only.list_mut(leaf) = items.clone();
        }
        only
    }

    /// All items about which something is said: leaf, key, what.
    pub fn items(&self) -> impl Iterator<Item = (u32, &str, &ItemSays)> {
        let lists = self.more.iter().flat_map(|more| &more.lists);
        lists.flat_map(|list| list.items.iter().map(|(key, says)| (list.leaf, &**key, says)))
    }

    /// What is said about the item `key` of `leaf`.
    pub fn item(&self, leaf: u32, key: &str) -> Option<&ItemSays> {
        self.list(leaf)?.get(key)
    }

    /// Says `says` about the item `key` of `leaf`, in place of what was said before, which is returned.
    pub fn set_item(&mut self, leaf: u32, key: &str, says: ItemSays) -> Option<ItemSays> {
        self.list_mut(leaf).insert(key.into(), says)
    }

    /// Adds leaves of the item `key` of `leaf`; a removal is taken back, and the item said anew. `false` if all of them were there already.
    pub fn insert_item(&mut self, leaf: u32, key: &str, first: u32, count: u32) -> bool {
        let items = self.list_mut(leaf);
        if items.get(key) == Some(&ItemSays::Removed) {
            items.shift_remove(key);
        }
        match items.entry(key.into()).or_insert_with(|| ItemSays::Leaves(LeafSet::new())) {
            ItemSays::Leaves(leaves) => {
                (first..first.saturating_add(count)).fold(false, |any, at| leaves.insert(at) | any)
            }
            ItemSays::Removed => false,
        }
    }

    /// Takes back what was said about the item `key` of `leaf`; `None` if that was nothing. O(items) of that leaf. No allocation.
    pub fn remove_item(&mut self, leaf: u32, key: &str) -> Option<ItemSays> {
        self.change(leaf, |items| items.shift_remove(key))
    }

    /// Takes back parts of the item `key` of `leaf`; `false` if none of them was said. An inherited item of which nothing else is said
    /// is none that anything is said about; one of its own stays, with defaults.
    pub fn remove_item_parts(
        &mut self,
        leaf: u32,
        key: &str,
        mut parts: impl Iterator<Item = u32>,
        is_inherited: bool,
    ) -> bool {
        self.change(leaf, |items| {
            let Some(ItemSays::Leaves(said)) = items.get_mut(key) else { return false };
            let had = parts.by_ref().fold(false, |had, part| said.remove(part) | had);
            if had && is_inherited && said.is_empty() {
                items.shift_remove(key);
            }
            had
        })
    }

    /// Adds what `other` says about leaves of items of `leaf`. Nothing if the leaf is said as a whole here: items are part of that.
    pub fn add_items(&mut self, other: &Self, leaf: u32) {
        if self.contains(leaf) {
            return;
        }
        for (key, says) in other.items_of(leaf) {
            if let ItemSays::Leaves(parts) = says {
                parts.iter().for_each(|part| {
                    self.insert_item(leaf, key, part, 1);
                });
            }
        }
    }

    /// Brings what is said about the items of `leaf` in the order of `places`; items without a place come first.
    pub(super) fn sort_items(&mut self, leaf: u32, places: impl Fn(&str) -> Option<usize>) {
        self.change(leaf, |items| items.sort_by_cached_key(|key, _| places(key)));
    }

    /// Takes back what is said about the items of `leaf` for which `keep` says `false`. O(items).
    pub(super) fn retain_items(&mut self, leaf: u32, mut keep: impl FnMut(&str, &ItemSays) -> bool) {
        self.change(leaf, |items| items.retain(|key, says| keep(key, says)));
    }

    fn remove_items(&mut self, leaf: u32) -> bool {
        self.change(leaf, |items| {
            items.clear();
            true
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ledger_takes_16_bytes() {
        assert_eq!(size_of::<Overrides>(), 16);
    }

    #[test]
    fn leaves_come_and_go_below_and_beyond_64() {
        let mut overrides = Overrides::NONE;
        for leaf in [0, 5, 63, 64, 300] {
            assert!(!overrides.contains(leaf));
            assert!(overrides.insert(leaf));
            assert!(!overrides.insert(leaf));
            assert!(overrides.contains(leaf));
        }
        assert_eq!(overrides.leaves().collect::<Vec<_>>(), [0, 5, 63, 64, 300]);
        assert!(overrides.contains_any(299, 2) && !overrides.contains_any(6, 50));
        assert!(overrides.remove(300) && !overrides.remove(300) && overrides.remove(64));
        assert!(overrides.remove(0) && overrides.remove(5) && overrides.remove(63));
        assert!(overrides.is_empty() && overrides == Overrides::NONE);
    }

    #[test]
    fn items_are_part_of_a_leaf_that_is_said_as_a_whole() {
        let (mut whole, mut items) = (Overrides::NONE, Overrides::NONE);
        whole.insert(3);
        items.insert_item(3, "gold", 0, 1);
        whole.add_items(&items, 3);
        assert!(!whole.has_items(3));
    }

    #[test]
    fn items_belong_to_their_leaf() {
        let mut overrides = Overrides::NONE;
        assert!(overrides.insert_item(3, "gold", 0, 2));
        assert!(!overrides.insert_item(3, "gold", 1, 1));
        overrides.set_item(3, "gem", ItemSays::Removed);
        overrides.set_item(4, "a", ItemSays::Removed);
        assert_eq!(overrides.items_of(3).map(|(key, _)| key).collect::<Vec<_>>(), ["gold", "gem"]);
        assert!(overrides.contains_any(3, 1) && !overrides.contains(3));
        assert!(overrides.insert_item(3, "gem", 0, 1));
        assert!(overrides.insert(3) && !overrides.has_items(3) && overrides.has_items(4));
        assert!(overrides.remove_item(4, "a").is_some() && overrides.remove(3) && overrides.is_empty());
    }
}
