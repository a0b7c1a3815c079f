//! The leaves of a value: walking them in order, and sets of them.

use crate::class::{Kind, value};
use crate::mem::ErasedRef;
use crate::text::Spelling;

/// Calls `each` for every leaf of `value` in declaration order: its number, its dotted key in `spelling`, the leaf.
pub fn for_each_leaf<'a>(value: ErasedRef<'a>, spelling: Spelling, each: &mut dyn FnMut(u32, &str, ErasedRef<'a>)) {
    walk(value, spelling, "", &mut 0, each);
}

fn walk<'a>(
    value: ErasedRef<'a>,
    spelling: Spelling,
    prefix: &str,
    leaf: &mut u32,
    each: &mut dyn FnMut(u32, &str, ErasedRef<'a>),
) {
    let value = value.unwrapped();
    for (index, field) in value.ty().fields().iter().enumerate() {
        let Some(inner) = value.field(index) else { continue };
        let inner = inner.unwrapped();
        let part = if spelling == Spelling::Node { field.name() } else { field.key() };
        if let Kind::Struct { .. } = inner.ty().kind() {
            walk(inner, spelling, &format!("{prefix}{part}."), leaf, each);
            continue;
        }
        if prefix.is_empty() {
            each(*leaf, part, inner);
        } else {
            each(*leaf, &format!("{prefix}{part}"), inner);
        }
        *leaf += 1;
    }
}

/// The leaves in which two values of one class differ, bit for bit.
pub fn changed_leaves(a: ErasedRef<'_>, b: ErasedRef<'_>) -> LeafSet {
    let mut changed = LeafSet::new();
    compare(a, b, &mut 0, &mut changed);
    changed
}

fn compare(a: ErasedRef<'_>, b: ErasedRef<'_>, leaf: &mut u32, changed: &mut LeafSet) {
    let (a, b) = (a.unwrapped(), b.unwrapped());
    if !matches!(a.ty().kind(), Kind::Struct { .. }) {
        if !value::same(a, b) {
            changed.insert(*leaf);
        }
        *leaf += 1;
        return;
    }
    for index in 0..a.ty().fields().len() {
        if let (Some(a), Some(b)) = (a.field(index), b.field(index)) {
            compare(a, b, leaf, changed);
        }
    }
}

/// A set of leaves, by their number in declaration order (see [`PropertyType::leaves`](crate::class::PropertyType::leaves)).
///
/// Up to 256 leaves lie inline; classes with more allocate, a bit for each number up to the largest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeafSet {
    inline: [u64; 4],
    spill: Vec<u64>,
}

impl LeafSet {
    /// The empty set; no allocation.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `leaf`; `false` if it was there already.
    #[inline]
    pub fn insert(&mut self, leaf: u32) -> bool {
        let bit = 1 << (leaf % 64);
        let word = if leaf < 256 { &mut self.inline[(leaf / 64) as usize] } else { self.spilled(leaf) };
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }

    /// Adds `count` leaves from `first`; `false` if one of them was there already. O(count).
    #[inline]
    pub fn insert_all(&mut self, first: u32, count: u32) -> bool {
        if count == 1 {
            return self.insert(first);
        }
        self.insert_several(first, count)
    }

    fn insert_several(&mut self, first: u32, count: u32) -> bool {
        (first..first.saturating_add(count)).fold(true, |fresh, leaf| self.insert(leaf) & fresh)
    }

    /// Whether one of `count` leaves from `first` is in the set. O(count).
    #[inline]
    pub fn contains_any(&self, first: u32, count: u32) -> bool {
        (first..first.saturating_add(count)).any(|leaf| self.contains(leaf))
    }

    /// Whether no leaf is in the set.
    pub fn is_empty(&self) -> bool {
        self.inline.iter().chain(&self.spill).all(|&word| word == 0)
    }

    /// Whether `leaf` is in the set.
    #[inline]
    pub fn contains(&self, leaf: u32) -> bool {
        let index = leaf as usize / 64;
        let word = self.inline.get(index).or_else(|| self.spill.get(index - self.inline.len()));
        word.is_some_and(|word| word & 1 << (leaf % 64) != 0)
    }

    #[cold]
    fn spilled(&mut self, leaf: u32) -> &mut u64 {
        let index = leaf as usize / 64 - self.inline.len();
        if index >= self.spill.len() {
            self.spill.resize(index + 1, 0);
        }
        &mut self.spill[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_are_remembered_inline_and_beyond() {
        let mut set = LeafSet::new();
        for leaf in [0, 63, 64, 255, 256, 1000] {
            assert!(!set.contains(leaf));
            assert!(set.insert(leaf));
            assert!(!set.insert(leaf));
            assert!(set.contains(leaf));
        }
        assert!(!set.insert_all(254, 2));
        assert!(set.insert_all(10, 3));
    }
}
