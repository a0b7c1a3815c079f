//! What an instance has of its own and what it takes from its template.

use super::items::{for_each_item_line, mark_items, rebase};
use super::leaves::{LeafSet, for_each_leaf, for_each_leaf_number};
use super::overrides::Overrides;
use super::path::{LeafPath, path_of_leaf};
use crate::class::value;
use crate::mem::{ErasedMut, ErasedRef, OwnedValue};
use crate::text::Spelling;

/// Adds to `overrides` every leaf in which `value` differs from `inherited`, bit for bit, and which is not overridden yet. Returns whether
/// there was one. O(leaves); both are of one class.
pub fn mark_differences(value: ErasedRef<'_>, inherited: ErasedRef<'_>, overrides: &mut Overrides) -> bool {
    let mut marked = false;
    for_each_leaf_number(value, inherited, &mut |leaf, own, inherited| {
        if overrides.contains(leaf) {
        } else if own.ty().is_keyed() {
            marked |= (overrides.has_items(leaf) || !value::same(own, inherited))
                && mark_items(inherited, own, inherited, leaf, overrides);
        } else if !value::same(own, inherited) {
            overrides.insert(leaf);
            marked = true;
        }
    });
    marked
}

/// Gives the leaf of `value` at `path` the value `inherited` of that leaf, unless it is overridden. Returns whether it was reached.
#[inline]
pub fn inherit_leaf(value: ErasedMut<'_>, inherited: ErasedRef<'_>, path: &LeafPath, overrides: &Overrides) -> bool {
    if overrides.contains(path.first_leaf()) {
        return false;
    }
    match path.follow_mut(value) {
        Some(to) if overrides.has_items(path.first_leaf()) => {
            rebase(to, inherited, path.first_leaf(), overrides);
            true
        }
        Some(to) => value::assign(to, inherited),
        None => false,
    }
}

/// Gives `value` what `inherited` has in every leaf that is not overridden, and returns the leaves that changed by it. O(leaves); both
/// are of one class.
pub fn inherit(mut value: ErasedMut<'_>, inherited: ErasedRef<'_>, overrides: &Overrides) -> LeafSet {
    let mut changed = LeafSet::new();
    for_each_leaf_number(value.as_ref(), inherited, &mut |leaf, own, inherited| {
        if !overrides.contains(leaf) && (overrides.has_items(leaf) || !value::same(own, inherited)) {
            changed.insert(leaf);
        }
    });
    let mut stayed = LeafSet::new();
    for leaf in changed.iter() {
        let Some(path) = path_of_leaf(value.ty(), leaf) else { continue };
        let Some(inherited) = path.follow(inherited) else { continue };
        if overrides.has_items(leaf) {
            // It differs by what it says itself; whether by more, is seen afterwards.
            let before = path.follow(value.as_ref()).map(OwnedValue::copy_of);
            inherit_leaf(value.reborrow(), inherited, &path, overrides);
            let after = path.follow(value.as_ref());
            if before.as_ref().zip(after).is_some_and(|(before, after)| value::same(before.as_ref(), after)) {
                stayed.insert(leaf);
            }
        } else {
            inherit_leaf(value.reborrow(), inherited, &path, overrides);
        }
    }
    stayed.iter().for_each(|leaf| {
        changed.remove(leaf);
    });
    changed
}

/// Calls `each` for everything in `overrides`, in declaration order: its key in the colon spelling, and what `value` has there.
pub fn for_each_override<'a>(
    value: ErasedRef<'a>,
    overrides: &Overrides,
    each: &mut dyn FnMut(&str, Option<ErasedRef<'a>>),
) {
    for_each_leaf(value, Spelling::Colon, &mut |leaf, key, value| {
        if overrides.contains(leaf) {
            each(key, Some(value));
        } else if overrides.has_items(leaf) {
            for_each_item_line(value, leaf, key, Spelling::Colon, overrides, &mut |_, key, _, part| each(key, part));
        }
    });
}
