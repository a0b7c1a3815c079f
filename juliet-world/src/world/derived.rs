//! Writes through guards → overrides, for classes with `post_init`: what it makes of other values is not written by anybody.

use juliet_core::Class;
use juliet_core::archive::{LeafSet, Overrides, changed_leaves, inherit};
use juliet_core::class::value;
use juliet_core::mem::{ErasedRef, OwnedValue};

/// An instance, and room to work out what `post_init` makes of what it inherits.
pub(super) struct Derived<'a> {
    pub(super) class: &'static Class,
    pub(super) value: ErasedRef<'a>,
    pub(super) inherited: ErasedRef<'a>,
    /// Two values of the class.
    pub(super) shown: OwnedValue,
    pub(super) expected: OwnedValue,
}

impl Derived<'_> {
    /// Adds to `overrides` the fewest leaves from which `post_init` makes what is there; returns whether there was one.
    ///
    /// ```text
    /// size 2 → 3, volume 8 → 27        size alone, since the volume follows from it
    /// size 2 → 3, volume still 8       size alone: the next load would make 27 of it in any case
    /// ```
    ///
    /// O(leaves) and a call of `post_init` for each leaf that was written.
    pub(super) fn mark(&mut self, overrides: &mut Overrides) -> bool {
        value::assign(self.shown.as_mut(), self.value);
        self.class.run_post_init(self.shown.as_mut());
        let written: Vec<u32> = self.unexplained(overrides).iter().filter(|&leaf| !overrides.contains(leaf)).collect();
        for &leaf in &written {
            overrides.insert(leaf);
        }
        let mut left = written.len();
        for &leaf in written.iter().rev().filter(|_| written.len() > 1) {
            overrides.remove(leaf);
            if self.unexplained(overrides).is_empty() {
                left -= 1;
            } else {
                overrides.insert(leaf);
            }
        }
        left > 0
    }

    /// Leaves that are not what `post_init` makes of what is inherited and overridden, neither as they are nor after another `post_init`.
    fn unexplained(&mut self, overrides: &Overrides) -> LeafSet {
        value::assign(self.expected.as_mut(), self.value);
        inherit(self.expected.as_mut(), self.inherited, overrides);
        self.class.run_post_init(self.expected.as_mut());
        let after = changed_leaves(self.shown.as_ref(), self.expected.as_ref());
        let mut both = LeafSet::new();
        changed_leaves(self.value, self.expected.as_ref()).iter().filter(|&leaf| after.contains(leaf)).for_each(
            |leaf| {
                both.insert(leaf);
            },
        );
        both
    }
}
