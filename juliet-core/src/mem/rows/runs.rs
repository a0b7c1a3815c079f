//! Filling rows by copy, and rows that follow one another.
#![expect(unsafe_code, reason = "fills rows before they are live")]

use core::marker::PhantomData;

use super::{FREE, Rows};
use crate::class::Entity;
use crate::mem::erased::ErasedRef;
use crate::mem::reserve::unpoison;

/// How many rows are copied at a time: little enough to stay at hand in the first-level cache, enough to make the call cheap.
const BLOCK: u32 = 16;

/// Rows from the first unused one on that wait for their `T`s, filled in order. What was filled is live from when this is dropped.
///
/// # Invariants
/// 1. `rows` holds `T`s and has room for `count` rows from `rows.used` on, none of them live.
/// 2. The first `filled <= count` of these have their value and their link.
pub(crate) struct Run<'a, T> {
    rows: &'a mut Rows,
    count: u32,
    filled: u32,
    values: PhantomData<T>,
}

impl Rows {
    /// How many rows can be filled one after the other; 0 as long as there are free rows below the last one. O(1).
    #[inline]
    pub(crate) fn unused(&self) -> u32 {
        if self.first_free == super::END { self.capacity - self.used } else { 0 }
    }

    /// Makes room for `count` rows from `used` on; nothing else is changed. `None` if there is none, or if there are free rows.
    fn reach(&mut self, count: u32) -> Option<()> {
        if count > self.unused() {
            return None;
        }
        let used = self.used + count;
        self.memory.commit_to(used as usize * self.stride).ok()?;
        self.live.grow_to(used).ok()
    }

    /// Makes `count` rows from `used` on live.
    ///
    /// # Safety
    /// [`reach`](Self::reach) made room for them; links and values have been initialised since.
    unsafe fn occupy_run(&mut self, count: u32) {
        let start = self.used;
        self.live.set_range(start..start + count);
        self.used += count;
        self.count += count;
    }

    /// Starts a value that belongs to `base`, a number below 2³¹, as a copy of the bytes of `image`; its row. `None` if the array is
    /// full, `image` is of another class, or the class is not blittable. O(1), no allocation.
    #[inline]
    pub(crate) fn insert_copy(&mut self, base: u32, image: ErasedRef<'_>) -> Option<u32> {
        if !self.copies(image) {
            return None;
        }
        let row = self.vacant()?;
        // SAFETY: the row is vacant, and the image of its class, which is blittable.
        unsafe { self.copy_in(row, image) };
        // SAFETY: vacant and initialised above.
        unsafe { self.occupy(row, base) };
        Some(row)
    }

    /// Starts `count` values in rows that follow one another, to belong to `base` and the numbers after it, as by
    /// [`insert_copy`](Self::insert_copy); the first row. `None`, with nothing done, also if there are fewer [`unused`](Self::unused).
    pub(crate) fn copy_run(&mut self, base: u32, count: u32, image: ErasedRef<'_>) -> Option<u32> {
        if !self.copies(image) {
            return None;
        }
        self.reach(count)?;
        let first = self.used;
        if count == 0 {
            return Some(first);
        }
        unpoison(self.row(first), count as usize * self.stride);
        // SAFETY: there is room for the row, which is not live; the image is of the class, which is blittable.
        unsafe { self.copy_in(first, image) };
        // The first block doubles until it is full, then it is repeated.
        let mut done = 1;
        while done < count {
            let more = done.min(BLOCK).min(count - done);
            // SAFETY: `more <= done` rows from `first`, and as many from `first + done`, do not overlap and lie in the room that was made.
            unsafe {
                self.row(first).copy_to_nonoverlapping(self.row(first + done), more as usize * self.stride);
            }
            done += more;
        }
        for (row, base) in (first..first + count).zip(base..) {
            self.set_link(row, base & !FREE);
        }
        // SAFETY: reached and initialised above.
        unsafe { self.occupy_run(count) };
        Some(first)
    }

    /// Whether rows start as copies of the bytes of `image`.
    #[inline]
    fn copies(&self, image: ErasedRef<'_>) -> bool {
        let ty = self.class.ty();
        ty.is_blittable() && (core::ptr::eq(image.ty(), ty) || image.ty().type_id() == ty.type_id())
    }

    /// # Safety
    /// There is room for the row, it is not live, and [`copies`](Self::copies) holds for `image`.
    #[inline]
    unsafe fn copy_in(&mut self, row: u32, image: ErasedRef<'_>) {
        // SAFETY: a value of the class in the image, room for one in the row; nothing that borrows the image lies in rows that
        // are not live. The class is blittable, so the copy is a value.
        unsafe { image.as_ptr().copy_to_nonoverlapping(self.value_in(row), self.class.ty().size()) };
    }

    /// Up to `count` rows that follow one another, to move `T`s into. `None` if these are rows of another class, or there are fewer
    /// [`unused`](Self::unused). O(1).
    #[inline]
    pub(crate) fn run<T: Entity>(&mut self, count: u32) -> Option<Run<'_, T>> {
        if !self.holds::<T>() {
            return None;
        }
        self.reach(count)?;
        Some(Run { rows: self, count, filled: 0, values: PhantomData })
    }
}

impl<T: Entity> Run<'_, T> {
    /// Moves `value` into the next row, to belong to `base`, a number below 2³¹.
    ///
    /// # Errors
    /// The value, if all rows of the run are filled.
    #[inline]
    pub(crate) fn push(&mut self, base: u32, value: T) -> Result<(), T> {
        if self.filled == self.count {
            return Err(value);
        }
        let row = self.rows.used + self.filled;
        unpoison(self.rows.row(row), self.rows.stride);
        self.rows.set_link(row, base & !FREE);
        // SAFETY: there is room, aligned for `T` (1), and nothing lives there (1, 2).
        unsafe { self.rows.value_in(row).cast::<T>().write(value) };
        self.filled += 1;
        Ok(())
    }

    /// The first row, and how many are filled.
    #[inline]
    pub(crate) fn filled(&self) -> (u32, u32) {
        (self.rows.used, self.filled)
    }
}

impl<T> Drop for Run<'_, T> {
    fn drop(&mut self) {
        // SAFETY: room was made for `count` rows (1), and the first `filled` are initialised (2).
        unsafe { self.rows.occupy_run(self.filled) };
    }
}
