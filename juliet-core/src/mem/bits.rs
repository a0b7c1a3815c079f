//! A set of small numbers: one bit each, and a summary with one bit a word.
//!
//! ```text
//! summary   …0101                      bit w is set if word w is not zero
//! words     [w0: ..1..] [w1: 0] [w2: 1....1]
//! ```
//!
//! Finding the members costs the members plus a look at one summary word for every 4,096 numbers. Words are atomic so that guards that
//! exist side by side can [`mark`](Bits::mark) through a shared borrow; everything else asks for an exclusive one and is plain.
#![expect(unsafe_code, reason = "plain access to atomics that are borrowed exclusively")]

use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::columns::Column;
use super::reserve::{Pages, ReserveError};

/// # Invariants
/// 1. `summary` holds a bit for every word that is not zero, and no other, whenever no [`mark`](Self::mark) is under way.
/// 2. `summary` is long enough for every word.
#[derive(Debug)]
pub(crate) struct Bits {
    words: Column<AtomicU64>,
    summary: Column<AtomicU64>,
}

/// Word and mask of a number.
#[inline]
pub(super) fn place(index: u32) -> (usize, u64) {
    (index as usize / 64, 1 << (index % 64))
}

impl Bits {
    /// The empty set of numbers below `capacity`. Reserves `capacity / 8` bytes of address space and a little more.
    pub(crate) fn new(capacity: u32, pages: Pages) -> Result<Self, ReserveError> {
        let words = (capacity as usize).div_ceil(64);
        Ok(Self { words: Column::new(words, pages)?, summary: Column::new(words.div_ceil(64), pages)? })
    }

    /// Makes room for the numbers below `count`. A comparison where there is room already.
    #[inline]
    pub(crate) fn grow_to(&mut self, count: u32) -> Result<(), ReserveError> {
        if count as usize <= self.words.len() * 64 { Ok(()) } else { self.grow(count) }
    }

    #[cold]
    fn grow(&mut self, count: u32) -> Result<(), ReserveError> {
        let words = (count as usize).div_ceil(64);
        self.summary.grow_to(words.div_ceil(64), || AtomicU64::new(0))?;
        self.words.grow_to(words, || AtomicU64::new(0))
    }

    /// The words, 64 numbers each.
    #[inline]
    pub(crate) fn words(&self) -> &[AtomicU64] {
        &self.words
    }

    /// Word `index` of [`words`](Self::words), 0 past the end.
    #[inline]
    pub(crate) fn word(&self, index: usize) -> u64 {
        self.words.get(index).map_or(0, |word| word.load(Relaxed))
    }

    /// Whether `index` is in the set. O(1).
    #[inline]
    pub(crate) fn test(&self, index: u32) -> bool {
        let (word, mask) = place(index);
        self.word(word) & mask != 0
    }

    /// Adds `index`, for which there is room. O(1).
    #[inline]
    pub(crate) fn set(&mut self, index: u32) {
        let (word, mask) = place(index);
        self.or_word(word, mask);
    }

    /// Adds 64 numbers at once. O(1).
    #[inline]
    pub(crate) fn or_word(&mut self, index: usize, mask: u64) {
        let word = self.words[index].get_mut();
        let was_empty = *word == 0;
        *word |= mask;
        if was_empty && mask != 0 {
            *self.summary[index / 64].get_mut() |= 1 << (index % 64);
        }
    }

    /// Adds every number of `range`, for which there is room. O(range / 64).
    pub(crate) fn set_range(&mut self, range: Range<u32>) {
        let mut start = range.start;
        while start < range.end {
            let (word, lowest) = place(start);
            let next_word = (start | 63).saturating_add(1);
            // All from the lowest bit on, without those that lie past the end.
            let above = if range.end < next_word { u64::MAX << (range.end % 64) } else { 0 };
            self.or_word(word, lowest.wrapping_neg() & !above);
            start = next_word;
        }
    }

    /// Takes `index` out. O(1).
    #[inline]
    pub(crate) fn clear(&mut self, index: u32) {
        let (word, mask) = place(index);
        let Some(bits) = self.words.get_mut(word) else { return };
        let bits = bits.get_mut();
        if *bits & mask != 0 {
            *bits &= !mask;
            if *bits == 0 {
                *self.summary[word / 64].get_mut() &= !(1 << (word % 64));
            }
        }
    }

    /// Adds `index` through a shared borrow. A load where it is a member already, else one or two atomic operations.
    #[inline]
    pub(crate) fn mark(&self, index: u32) {
        let (word, mask) = place(index);
        if self.words[word].load(Relaxed) & mask == 0 {
            self.mark_first(word, mask);
        }
    }

    fn mark_first(&self, word: usize, mask: u64) {
        if self.words[word].fetch_or(mask, Relaxed) == 0 {
            self.summary[word / 64].fetch_or(1 << (word % 64), Relaxed);
        }
    }

    /// Adds all members of another set to this one. O(words).
    pub(crate) fn copy_from(&mut self, other: &Self) -> Result<(), ReserveError> {
        self.grow_to(other.words.len() as u32 * 64)?;
        for index in other.full_words() {
            self.or_word(index, other.word(index));
        }
        Ok(())
    }

    /// Adds all members of `other`, for which there is room. O(capacity / 4,096 + blocks of 4,096 numbers that have members).
    pub(crate) fn union(&mut self, other: &mut Self) {
        let (words, others) = (plain(&mut self.words), plain(&mut other.words));
        let (summary, other_summary) = (plain(&mut self.summary), plain(&mut other.summary));
        let blocks = words.chunks_mut(64).zip(others.chunks(64));
        for ((into, from), (words, others)) in summary.iter_mut().zip(&*other_summary).zip(blocks) {
            if *from != 0 {
                *into |= from;
                words.iter_mut().zip(others).for_each(|(into, from)| *into |= from);
            }
        }
    }

    /// Empties the set. O(words that are not zero).
    pub(crate) fn clear_all(&mut self) {
        for (block, summary) in self.summary.iter_mut().enumerate() {
            for index in ones(core::mem::take(summary.get_mut())) {
                *self.words[block * 64 + index as usize].get_mut() = 0;
            }
        }
    }

    /// The members in ascending order. O(members + capacity / 4,096).
    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> {
        self.full_words().flat_map(|index| {
            let start = index as u32 * 64;
            ones(self.word(index)).map(move |bit| start + bit)
        })
    }

    /// Numbers of the words that are not zero.
    #[inline]
    fn full_words(&self) -> impl Iterator<Item = usize> {
        self.summary
            .iter()
            .enumerate()
            .flat_map(|(block, summary)| ones(summary.load(Relaxed)).map(move |bit| block * 64 + bit as usize))
    }

    /// How many members there are. O(capacity / 64).
    pub(crate) fn count(&self) -> usize {
        self.words.iter().map(|word| word.load(Relaxed).count_ones() as usize).sum()
    }

    /// Asks the system for the pages of the numbers below `count`.
    pub(crate) fn pre_touch(&mut self, count: u32) {
        self.words.pre_touch((count as usize).div_ceil(64));
    }
}

/// Words borrowed exclusively need no atomic access.
#[inline]
fn plain(words: &mut [AtomicU64]) -> &mut [u64] {
    let at: *mut [AtomicU64] = words;
    // SAFETY: an `AtomicU64` has the size and bits of a `u64` and at least its alignment (asserted below); the borrow is exclusive, so
    // no atomic access is under way.
    unsafe { &mut *(at as *mut [u64]) }
}
const _: () = assert!(align_of::<AtomicU64>() >= align_of::<u64>());

/// Positions of the bits that are one, from the lowest.
#[inline]
pub(crate) fn ones(mut word: u64) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        let bit = word.checked_ilog2().map(|_| word.trailing_zeros())?;
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn bits(capacity: u32) -> Bits {
        let mut bits = Bits::new(capacity, Pages::Usual).unwrap();
        bits.grow_to(capacity).unwrap();
        bits
    }

    #[test]
    fn members_come_back_in_order_and_once() {
        let mut bits = bits(100_000);
        let members = [0, 1, 63, 64, 4095, 4096, 65_535, 99_999];
        for index in members.iter().rev() {
            bits.set(*index);
            bits.set(*index);
        }
        assert_eq!(bits.iter().collect::<Vec<_>>(), members);
        assert_eq!(bits.count(), 8);
        bits.clear(99_999);
        bits.clear(99_998);
        bits.clear(4096);
        assert_eq!(bits.iter().collect::<Vec<_>>(), [0, 1, 63, 64, 4095, 65_535]);
        assert!(bits.test(64) && !bits.test(65) && !bits.test(u32::MAX));
        bits.clear_all();
        assert_eq!((bits.iter().count(), bits.count()), (0, 0));
    }

    #[test]
    fn marks_through_a_shared_borrow_are_found() {
        let bits = bits(10_000);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let bits = &bits;
                scope.spawn(move || (0..2500).for_each(|i| bits.mark(i * 4 + thread)));
            }
        });
        assert!(bits.iter().eq(0..10_000));
    }

    #[test]
    fn range_is_added_to_its_last_number_and_no_further() {
        for (start, end) in [(0, 0), (0, 1), (63, 64), (63, 65), (64, 128), (5, 9), (5, 300), (4_000, 10_000), (7, 3)] {
            let mut bits = bits(10_000);
            bits.set(9_000);
            bits.set_range(start..end);
            let expected = (0..10_000).filter(|index| *index == 9_000 || (start..end).contains(index));
            assert!(bits.iter().eq(expected), "{start}..{end}");
        }
    }

    #[test]
    fn union_adds_whole_words() {
        let (mut a, mut b) = (bits(10_000), bits(10_000));
        a.set(3);
        [3, 5, 70, 9_999].into_iter().for_each(|index| b.set(index));
        a.union(&mut b);
        assert!(a.iter().eq([3, 5, 70, 9_999]));
    }

    #[test]
    fn empty_set_has_no_room_and_no_members() {
        let mut bits = bits(0);
        bits.clear(0);
        assert!(!bits.test(0) && bits.iter().next().is_none() && bits.grow_to(1).is_err());
    }
}
