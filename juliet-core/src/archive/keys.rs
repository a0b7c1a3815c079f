//! A set of keys of one file, in which both spellings of a key are one.

use std::borrow::Cow;

use hashbrown::HashSet;

use crate::class::colon_spelling;

type Set<'a> = HashSet<Cow<'a, str>, foldhash::fast::FixedState>;

/// Keys seen so far. Linear in their length; an empty set holds no memory.
#[derive(Default)]
pub(super) struct KeySet<'a> {
    seen: Set<'a>,
    /// The colon spelling of those that are written otherwise.
    colon: Set<'a>,
}

impl<'a> KeySet<'a> {
    /// Adds `key`; `false` if it was there already, in whichever spelling.
    pub(super) fn insert(&mut self, key: &'a str) -> bool {
        let colon = colon_spelling(key);
        let fresh = !self.seen.contains(key) && !self.seen.contains(&*colon) && !self.colon.contains(key);
        if colon != key {
            self.colon.insert(Cow::Owned(colon));
        }
        self.seen.insert(Cow::Borrowed(key));
        fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::names_match;

    #[test]
    fn both_spellings_of_a_key_are_one() {
        let keys = [
            "old_moss",
            "OldMoss",
            "Old_moss",
            "oldmoss",
            "light.color",
            "Light.Color",
            "A_b",
            "a_b",
            "ab",
            "AB",
            "ä_b",
            "ÄB",
            "_",
            "",
            "Old[a_b]",
            "old[a_b]",
            "Old[AB]",
            "Old[a_b].c_d",
            "old[a_b].CD",
            "Old[",
            "old[",
        ];
        for a in keys {
            for b in keys {
                let mut set = KeySet::default();
                assert!(set.insert(a));
                assert_eq!(!set.insert(b), names_match(a, b), "{a} {b}");
            }
        }
    }
}
