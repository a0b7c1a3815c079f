//! What an instance has of its own and what it takes from its template.

use super::leaves::{LeafSet, for_each_leaf_number};
use super::overrides::Overrides;
use crate::class::value;
use crate::mem::{ErasedMut, ErasedRef};

/// Adds to `overrides` every leaf in which `value` differs from `inherited`, bit for bit, and which is not overridden yet. Returns whether
/// there was one. O(leaves); both are of one class.
pub fn mark_differences(value: ErasedRef<'_>, inherited: ErasedRef<'_>, overrides: &mut Overrides) -> bool {
    let mut marked = false;
    for_each_leaf_number(value, inherited, &mut |leaf, own, inherited| {
        if !overrides.contains(leaf) && !value::same(own, inherited) {
            overrides.insert(leaf);
            marked = true;
        }
    });
    marked
}

/// Gives `value` what `inherited` has in every leaf that is not overridden, and returns the leaves that changed by it. O(leaves); both
/// are of one class.
pub fn inherit(mut value: ErasedMut<'_>, inherited: ErasedRef<'_>, overrides: &Overrides) -> LeafSet {
    let mut changed = LeafSet::new();
    for_each_leaf_number(value.as_ref(), inherited, &mut |leaf, own, inherited| {
        if !overrides.contains(leaf) && !value::same(own, inherited) {
            changed.insert(leaf);
        }
    });
    for leaf in changed.iter() {
        if let Some(path) = super::path::path_of_leaf(value.ty(), leaf)
            && let (Some(to), Some(from)) = (path.follow_mut(value.reborrow()), path.follow(inherited))
        {
            value::assign(to, from);
        }
    }
    changed
}
