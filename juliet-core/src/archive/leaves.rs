//! The leaves of a value: walking them in order, and sets of them.

use super::items::{ItemPath, find_item};
use super::part::opens_section;
use super::path::{fields_of, find_leaf};
use crate::class::{Class, Kind, LEAVES_LIMIT, Property, PropertyType, value};
use crate::diag::Source;
use crate::mem::ErasedRef;
use crate::text::{Document, Node, NodeKind, Pairs, Spelling};

/// The leaves that the text of a whole value names: all of them, unless it is a struct in braces that leaves some out. A text that is
/// not one of the type names what it names up to its fault.
pub(super) fn leaves_named_in(ty: &'static PropertyType, text: &str, first_leaf: u32, named: &mut LeafSet) {
    let fields = fields_of(ty);
    if fields.is_empty() {
        named.insert(first_leaf);
        return;
    }
    for (key, text) in Pairs::new(text).into_iter().flatten().map_while(Result::ok) {
        let mut leaf = first_leaf;
        for field in fields {
            if field.is_named(key) {
                leaves_named_in(field.ty(), text, leaf, named);
            }
            leaf += field.ty().leaves();
        }
    }
}

/// The lines of the section of `component`, or those of the entity itself.
fn lines_of_part<'a>(text: &'a str, component: Option<&'static Class>) -> Option<impl Iterator<Item = Node<'a>>> {
    let document = Document::new(text);
    let mut nodes = document.nodes();
    if let Some(class) = component {
        nodes.find(|node| {
            opens_section(node) && (node.value == class.name() || class.aliases().contains(&node.value))
        })?;
    }
    Some(nodes.take_while(|node| !opens_section(node)))
}

/// The line, from 1, on which a text says what leaf number `leaf` of a class is: of `component` in its section, else of the class of the
/// entity. Linear in the text.
pub fn line_of_leaf(
    text: &str,
    component: Option<&'static Class>,
    ty: &'static PropertyType,
    leaf: u32,
) -> Option<u32> {
    let node = lines_of_part(text, component)?.find(|node| {
        node.kind == NodeKind::Property
            && find_leaf(ty, node.name).is_some_and(|path| {
                let mut named = LeafSet::new();
                leaves_named_in(path.property().ty(), node.value, path.first_leaf(), &mut named);
                named.contains(leaf)
            })
    })?;
    Some(Source::new("", text).position(node.name_at).line)
}

/// Calls `each` for every leaf of `value` in declaration order: its number, its dotted key in `spelling`, the leaf.
pub fn for_each_leaf<'a>(value: ErasedRef<'a>, spelling: Spelling, each: &mut dyn FnMut(u32, &str, ErasedRef<'a>)) {
    walk(value, spelling, "", &mut 0, each);
}

/// Everything but a struct with fields; one without has its name and nothing below it.
fn is_leaf(value: ErasedRef<'_>) -> bool {
    !matches!(value.ty().kind(), Kind::Struct { fields: [_, ..] })
}

/// The same for the field of a struct; the numbers begin at 0.
pub(super) fn for_each_leaf_of<'a>(
    field: &'static Property,
    value: ErasedRef<'a>,
    spelling: Spelling,
    each: &mut dyn FnMut(u32, &str, ErasedRef<'a>),
) {
    walk_field(field, value, spelling, "", &mut 0, each);
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
        if let Some(inner) = value.field(index) {
            walk_field(field, inner, spelling, prefix, leaf, each);
        }
    }
}

fn walk_field<'a>(
    field: &'static Property,
    value: ErasedRef<'a>,
    spelling: Spelling,
    prefix: &str,
    leaf: &mut u32,
    each: &mut dyn FnMut(u32, &str, ErasedRef<'a>),
) {
    let value = value.unwrapped();
    let part = if spelling == Spelling::Node { field.name() } else { field.key() };
    if !is_leaf(value) {
        return walk(value, spelling, &format!("{prefix}{part}."), leaf, each);
    }
    if prefix.is_empty() {
        each(*leaf, part, value);
    } else {
        each(*leaf, &format!("{prefix}{part}"), value);
    }
    *leaf += 1;
}

/// The line, from 1, on which a text says something about an item or a part of one, as [`line_of_leaf`]. Linear in the text.
pub fn line_of_item(
    text: &str,
    component: Option<&'static Class>,
    ty: &'static PropertyType,
    path: &ItemPath<'_>,
) -> Option<u32> {
    let bare = |key: &str| key.trim_matches('"').to_owned();
    let node = lines_of_part(text, component)?.find(|node| {
        matches!(node.kind, NodeKind::Property | NodeKind::Removal)
            && find_item(ty, node.name).is_ok_and(|it| {
                it.leaf() == path.leaf()
                    && bare(it.key) == bare(path.key)
                    && (it.rest.is_none() || path.covered().any(|part| it.covered().any(|there| there == part)))
            })
    })?;
    Some(Source::new("", text).position(node.name_at).line)
}

/// The leaves in which two values of one class differ, bit for bit.
pub fn changed_leaves(a: ErasedRef<'_>, b: ErasedRef<'_>) -> LeafSet {
    let mut changed = LeafSet::new();
    for_each_leaf_number(a, b, &mut |leaf, a, b| {
        if !value::same(a, b) {
            changed.insert(leaf);
        }
    });
    changed
}

/// Calls `each` with the number of every leaf and that leaf of both values, which are of one class.
pub(super) fn for_each_leaf_number<'a>(
    a: ErasedRef<'a>,
    b: ErasedRef<'a>,
    each: &mut dyn FnMut(u32, ErasedRef<'a>, ErasedRef<'a>),
) {
    pairs(a, b, &mut 0, each);
}

fn pairs<'a>(
    a: ErasedRef<'a>,
    b: ErasedRef<'a>,
    leaf: &mut u32,
    each: &mut dyn FnMut(u32, ErasedRef<'a>, ErasedRef<'a>),
) {
    let (a, b) = (a.unwrapped(), b.unwrapped());
    if is_leaf(a) {
        each(*leaf, a, b);
        *leaf += 1;
        return;
    }
    for index in 0..a.ty().fields().len() {
        if let (Some(a), Some(b)) = (a.field(index), b.field(index)) {
            pairs(a, b, leaf, each);
        }
    }
}

/// A set of leaves, by their number in declaration order (see [`PropertyType::leaves`](crate::class::PropertyType::leaves)).
///
/// Up to 256 leaves lie inline; classes with more allocate, a bit for each number up to the largest. Numbers from 2²⁴ on are those of no leaf:
/// they are in no set, and adding one does nothing.
#[derive(Clone, Debug, Default)]
pub struct LeafSet {
    inline: [u64; 4],
    spill: Vec<u64>,
}

impl PartialEq for LeafSet {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
    }
}

impl Eq for LeafSet {}

impl LeafSet {
    /// The empty set.
    pub(super) const EMPTY: Self = Self { inline: [0; 4], spill: Vec::new() };

    /// The empty set; no allocation.
    #[inline]
    pub fn new() -> Self {
        Self::EMPTY
    }

    /// Adds `leaf`; `false` if it was there already, or is the number of no leaf.
    #[inline]
    pub fn insert(&mut self, leaf: u32) -> bool {
        if leaf >= LEAVES_LIMIT {
            return false;
        }
        let bit = 1 << (leaf % 64);
        let word = self.word_mut(leaf as usize / 64);
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }

    /// Adds `count` leaves from `first`; `false` if one of them was there already. O(count).
    #[inline]
    pub fn insert_all(&mut self, first: u32, count: u32) -> bool {
        let mut fresh = true;
        for (index, mask) in words(first, count) {
            let word = self.word_mut(index);
            fresh &= *word & mask == 0;
            *word |= mask;
        }
        fresh
    }

    /// How many leaves from `first` on are not in the set before the next one that is; `u32::MAX - first` if none is.
    #[inline]
    pub fn count_missing(&self, first: u32) -> u32 {
        let words = self.inline.len() + self.spill.len();
        for index in first as usize / 64..words {
            let word = self.inline.get(index).or_else(|| self.spill.get(index - self.inline.len()));
            let from = (first as usize).saturating_sub(64 * index) as u32;
            let found = word.copied().unwrap_or_default() >> from << from;
            if found != 0 {
                return 64 * index as u32 + found.trailing_zeros() - first;
            }
        }
        u32::MAX - first
    }

    /// Takes `leaf` out; `false` if it was not there. No allocation.
    pub fn remove(&mut self, leaf: u32) -> bool {
        let had = self.contains(leaf);
        if had {
            *self.word_mut(leaf as usize / 64) &= !(1 << (leaf % 64));
        }
        had
    }

    /// Leaves `64 * index` to `64 * index + 63`, a bit each.
    #[inline]
    pub(super) fn word(&self, index: usize) -> u64 {
        self.inline.get(index).or_else(|| self.spill.get(index - self.inline.len())).copied().unwrap_or_default()
    }

    /// How many words hold leaves.
    #[inline]
    pub(super) fn words(&self) -> usize {
        self.inline.len() + self.spill.len()
    }

    /// The leaves in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let words = self.inline.iter().chain(&self.spill).zip((0..).step_by(64));
        words.flat_map(|(&word, from)| (0..64).filter(move |bit| word & 1 << bit != 0).map(move |bit: u32| from + bit))
    }

    /// Whether both hold the same leaves, however much memory each has.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let short = self.spill.len().min(other.spill.len());
        let rest = self.spill[short..].iter().chain(&other.spill[short..]);
        self.inline == other.inline
            && self.spill[..short] == other.spill[..short]
            && rest.into_iter().all(|&word| word == 0)
    }

    /// Whether one of `count` leaves from `first` is in the set. O(count).
    #[inline]
    pub fn contains_any(&self, first: u32, count: u32) -> bool {
        words(first, count).any(|(index, mask)| self.word(index) & mask != 0)
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

    #[inline]
    fn word_mut(&mut self, index: usize) -> &mut u64 {
        if index < self.inline.len() { &mut self.inline[index] } else { self.spilled(index - self.inline.len()) }
    }

    #[cold]
    fn spilled(&mut self, index: usize) -> &mut u64 {
        if index >= self.spill.len() {
            self.spill.resize(index + 1, 0);
        }
        &mut self.spill[index]
    }
}

/// The words that hold `count` leaves from `first`, each with the bits of those leaves.
#[inline]
fn words(first: u32, count: u32) -> impl Iterator<Item = (usize, u64)> {
    let end = first.saturating_add(count).min(LEAVES_LIMIT);
    let mut from = first.min(end);
    core::iter::from_fn(move || {
        let length = (end - from).min(64 - from % 64);
        let mask = u64::MAX.checked_shr(64 - length)? << (from % 64);
        let index = from as usize / 64;
        from += length;
        Some((index, mask))
    })
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
        assert!(set.insert_all(300, 0) && !set.contains(300));
        assert!(set.insert_all(65, 185) && set.contains(65) && set.contains(249) && !set.contains(250));
        assert!(set.contains_any(200, 55) && set.contains_any(990, 11) && !set.contains_any(252, 2));
        assert!(!set.contains_any(252, 0) && !set.contains_any(1001, u32::MAX));
        assert_eq!([0, 1, 13, 250, 1001].map(|leaf| set.count_missing(leaf)), [0, 9, 50, 4, u32::MAX - 1001]);
    }

    #[test]
    fn numbers_of_no_leaf_take_no_memory() {
        let mut set = LeafSet::new();
        assert!(!set.insert(u32::MAX) && !set.insert(LEAVES_LIMIT) && !set.contains(u32::MAX));
        assert!(set.insert_all(u32::MAX - 70, 71) && set.insert_all(LEAVES_LIMIT, u32::MAX));
        assert!(set.is_empty() && set.words() == 4);
        assert!(set.insert(LEAVES_LIMIT - 1) && set.contains_any(0, u32::MAX));
        assert_eq!(set.iter().collect::<Vec<_>>(), [LEAVES_LIMIT - 1]);
    }
}
