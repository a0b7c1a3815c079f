//! Walks over the live rows of one class, 64 at a time.
#![expect(unsafe_code, reason = "follows live bits to the values they stand for")]

use core::marker::PhantomData;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::{Rows, stride, value_offset};
use crate::class::Entity;

/// The live rows of rows of `T`, by their address.
///
/// # Invariants
/// 1. `words` and `word` are live bits of rows of `T` whose values are initialised for as long as the walk exists.
/// 2. `block` is the address of the row of bit 0 of `word`, `next_block` that of the word that comes next. They run past the end of the
///    rows together with the words, and are not followed there.
pub(super) struct Walk<'a, T> {
    words: core::slice::Iter<'a, AtomicU64>,
    word: u64,
    block: *mut u8,
    next_block: *mut u8,
    rows: PhantomData<T>,
}

impl<T> Walk<'_, T> {
    pub(super) const STRIDE: usize = stride(size_of::<T>(), align_of::<T>());
    pub(super) const OFFSET: usize = value_offset(align_of::<T>());

    fn empty() -> Self {
        let nowhere = core::ptr::null_mut();
        Self { words: [].iter(), word: 0, block: nowhere, next_block: nowhere, rows: PhantomData }
    }

    /// Goes on to the next word; `false` if there is none.
    #[inline]
    fn next_word(&mut self) -> bool {
        let Some(word) = self.words.next() else { return false };
        self.word = word.load(Relaxed);
        self.block = self.next_block;
        self.next_block = self.next_block.wrapping_add(64 * Self::STRIDE);
        true
    }

    /// Base and address of the row at `bit` of the current word.
    ///
    /// # Safety
    /// The bit is set in `word`.
    #[inline]
    unsafe fn at(&self, bit: usize) -> (u32, NonNull<T>) {
        // SAFETY: the row is live (1), so it lies in the reservation, at this address (2), which is not null.
        let row = unsafe { NonNull::new_unchecked(self.block.wrapping_add(bit * Self::STRIDE)) };
        // SAFETY: the link of a live row is initialised and aligned.
        let base = unsafe { row.cast::<u32>().read() };
        // SAFETY: inside the same row.
        (base, unsafe { row.add(Self::OFFSET) }.cast())
    }

    #[inline]
    fn next(&mut self) -> Option<(u32, NonNull<T>)> {
        while self.word == 0 {
            if !self.next_word() {
                return None;
            }
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        // SAFETY: the lowest bit that was set.
        Some(unsafe { self.at(bit) })
    }

    /// Full words are walked row by row without looking at their bits.
    #[inline]
    fn fold<B>(mut self, mut state: B, mut f: impl FnMut(B, (u32, NonNull<T>)) -> B) -> B {
        loop {
            if self.word == u64::MAX {
                for bit in 0..64 {
                    // SAFETY: all bits are set.
                    state = f(state, unsafe { self.at(bit) });
                }
            } else {
                while self.word != 0 {
                    let bit = self.word.trailing_zeros() as usize;
                    self.word &= self.word - 1;
                    // SAFETY: the lowest bit that was set.
                    state = f(state, unsafe { self.at(bit) });
                }
            }
            if !self.next_word() {
                return state;
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let here = self.word.count_ones() as usize;
        (here, Some(here + self.words.len() * 64))
    }
}

impl Rows {
    #[inline]
    pub(super) fn walk<T: Entity>(&self) -> Walk<'_, T> {
        let words = if self.holds::<T>() { self.live.words() } else { &[] };
        let next_block = self.memory.base().as_ptr();
        Walk { words: words.iter(), word: 0, block: next_block, next_block, rows: PhantomData }
    }
}

/// Values in row order, with their bases.
pub(crate) struct Iter<'a, T> {
    pub(super) walk: Walk<'a, T>,
    pub(super) borrow: PhantomData<&'a T>,
}

/// Values in row order, with their bases, for writing.
pub(crate) struct IterMut<'a, T> {
    pub(super) walk: Walk<'a, T>,
    pub(super) borrow: PhantomData<&'a mut T>,
}

// SAFETY: a shared borrow of `T`s and of live bits.
unsafe impl<T: Sync> Send for Iter<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Iter<'_, T> {}
// SAFETY: an exclusive borrow of `T`s and a shared one of live bits.
unsafe impl<T: Send> Send for IterMut<'_, T> {}
// SAFETY: a shared `IterMut` hands out nothing.
unsafe impl<T: Sync> Sync for IterMut<'_, T> {}

impl<T> Iter<'_, T> {
    /// No values.
    pub(crate) fn empty() -> Self {
        Self { walk: Walk::empty(), borrow: PhantomData }
    }
}

impl<T> IterMut<'_, T> {
    /// No values.
    pub(crate) fn empty() -> Self {
        Self { walk: Walk::empty(), borrow: PhantomData }
    }
}

impl<'a, T: 'a> Iterator for Iter<'a, T> {
    type Item = (u32, &'a T);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: a live value, borrowed shared for `'a` with the rows.
        self.walk.next().map(|(base, value)| (base, unsafe { value.as_ref() }))
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        // SAFETY: as in `next`.
        self.walk.fold(init, |state, (base, value)| f(state, (base, unsafe { value.as_ref() })))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.walk.size_hint()
    }
}

impl<'a, T: 'a> Iterator for IterMut<'a, T> {
    type Item = (u32, &'a mut T);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: a live value, borrowed exclusively for `'a` with the rows, and each is visited once.
        self.walk.next().map(|(base, mut value)| (base, unsafe { value.as_mut() }))
    }

    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(self, init: B, mut f: F) -> B {
        // SAFETY: as in `next`.
        self.walk.fold(init, |state, (base, mut value)| f(state, (base, unsafe { value.as_mut() })))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.walk.size_hint()
    }
}
