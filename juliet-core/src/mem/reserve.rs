//! Address space reserved up front, so that arrays grow without moving.
//!
//! ```text
//! mapping                base = aligned start                     base + len
//! │····················│██████████████ touched ██████│ address space only │
//! ```
//!
//! Asked for: bytes and an alignment. Handed out: a base address that stays for as long as the [`Reservation`] lives. Memory is zero
//! until it is written. On Unix pages cost memory once they are touched; on Windows they are committed in steps of 1 MiB; on other
//! systems the whole is allocated as zeroes. Values inside belong to the owner of the reservation: nothing is dropped here.
#![expect(unsafe_code, reason = "calls of the operating system")]

use core::ptr::NonNull;
use std::io;

/// Address space could not be reserved or committed.
#[derive(Debug, thiserror::Error)]
#[error("reserve {bytes} bytes of address space")]
#[non_exhaustive]
pub struct ReserveError {
    /// How many bytes were asked for.
    pub bytes: usize,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

/// What pages a reservation prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Pages {
    /// The system's own choice.
    #[default]
    Usual,
    /// Huge ones where the system offers them: fewer faults on first touch, more memory for a sparse use.
    Huge,
}

/// Alignment and size of a huge page.
const HUGE: usize = 2 << 20;
/// How much is committed at once, where committing is a call of its own.
const STEP: usize = 1 << 20;

/// # Invariants
/// 1. `mapping` starts a mapping of `mapped` bytes that belongs to `self` alone; nothing is mapped if `mapped` is 0.
/// 2. `base` is aligned as asked, and `base..base + len` lies inside the mapping (`len` is 0 if there is none).
/// 3. The first `committed` bytes from `base` may be read and written, and are zero unless written; `committed <= len`.
#[derive(Debug)]
pub(crate) struct Reservation {
    base: NonNull<u8>,
    len: usize,
    committed: usize,
    mapping: NonNull<u8>,
    mapped: usize,
}

// SAFETY: the mapping belongs to this value alone (1), and no method touches its bytes through a shared borrow.
unsafe impl Send for Reservation {}
// SAFETY: as above.
unsafe impl Sync for Reservation {}

impl Reservation {
    /// Reserves `len` bytes at a multiple of `align`, a power of two.
    ///
    /// One call of the system (two with huge pages). Address space used: `len`, plus `align` where that is larger than a page.
    ///
    /// # Errors
    /// [`ReserveError`] if the system refuses or the size is out of range.
    pub(crate) fn new(len: usize, align: usize, pages: Pages) -> Result<Self, ReserveError> {
        let fail = |source| ReserveError { bytes: len, source };
        if !align.is_power_of_two() {
            return Err(fail(io::ErrorKind::InvalidInput.into()));
        }
        // A part of a huge page is worth one too; the rest of it is address space that nobody else may use.
        let huge = pages == Pages::Huge && len >= HUGE / 8;
        let (align, size) =
            if huge { (align.max(HUGE), len.saturating_add(HUGE - 1) & !(HUGE - 1)) } else { (align, len) };
        if len == 0 {
            let base = NonNull::<u8>::dangling();
            let base = base.map_addr(|_| core::num::NonZeroUsize::MIN.saturating_add(align - 1));
            return Ok(Self { base, len, committed: 0, mapping: base, mapped: 0 });
        }
        // Every system maps at multiples of 4 KiB at least.
        let slack = if align > 4096 { align } else { 0 };
        let mapped = size.checked_add(slack).filter(|&bytes| isize::try_from(bytes).is_ok());
        let mapped = mapped.ok_or_else(|| fail(io::ErrorKind::OutOfMemory.into()))?;
        let mapping = os::reserve(mapped).map_err(fail)?;
        let skip = mapping.addr().get().wrapping_neg() % align;
        // SAFETY: `skip < align`, and the mapping is `align` bytes longer than `size >= len` (or starts at a multiple, and `skip` is 0).
        let base = unsafe { mapping.add(skip) };
        let committed = if os::COMMITS { 0 } else { len };
        let reservation = Self { base, len, committed, mapping, mapped };
        if huge {
            os::prefer_huge(reservation.base, size);
        }
        poison(reservation.base, len);
        Ok(reservation)
    }

    /// Address of the first byte.
    #[inline]
    pub(crate) fn base(&self) -> NonNull<u8> {
        self.base
    }

    /// Makes the first `bytes` usable. A comparison where that is so already, as it always is on Unix.
    ///
    /// # Errors
    /// [`ReserveError`] if `bytes` is more than was reserved, or the system has no memory left.
    #[inline]
    pub(crate) fn commit_to(&mut self, bytes: usize) -> Result<(), ReserveError> {
        if bytes <= self.committed { Ok(()) } else { self.commit_more(bytes) }
    }

    #[cold]
    fn commit_more(&mut self, bytes: usize) -> Result<(), ReserveError> {
        let fail = |source| ReserveError { bytes, source };
        if bytes > self.len {
            return Err(fail(io::ErrorKind::OutOfMemory.into()));
        }
        let target = bytes.div_ceil(STEP).saturating_mul(STEP).min(self.len);
        // SAFETY: `committed < target <= len`, so both ends lie inside the mapping (2).
        let start = unsafe { self.base.add(self.committed) };
        // SAFETY: the range lies in our mapping (1, 2).
        unsafe { os::commit(start, target - self.committed) }.map_err(fail)?;
        self.committed = target;
        Ok(())
    }

    /// Asks the system for the pages of the bytes `start..end` now, so that writing them first costs no page fault. A hint: nothing
    /// happens on systems that cannot do it without touching contents.
    pub(crate) fn pre_touch(&mut self, start: usize, end: usize) {
        let end = end.min(self.committed);
        if start < end {
            // SAFETY: `start < committed <= len` (2, 3).
            os::populate(unsafe { self.base.add(start) }, end - start);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        unpoison(self.base, self.len);
        if self.mapped != 0 {
            // SAFETY: the mapping is ours and ends here (1); owners drop their reservation after what they keep in it.
            unsafe { os::release(self.mapping, self.mapped) };
        }
    }
}

/// Asks the processor for the cache line at an address. A hint that reads nothing; processors other than x86-64 are not asked.
#[inline]
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "only x86-64 has a stable intrinsic"))]
pub(crate) fn prefetch(at: NonNull<u8>) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: prefetching is defined for every address; SSE belongs to x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.as_ptr().cast()) };
    }
}

#[cfg(juliet_asan)]
unsafe extern "C" {
    fn __asan_poison_memory_region(start: *const core::ffi::c_void, bytes: usize);
    fn __asan_unpoison_memory_region(start: *const core::ffi::c_void, bytes: usize);
}

/// Tells AddressSanitizer that nobody may touch these bytes, at the cost of an eighth of them in memory. Nothing in other builds.
#[inline]
#[cfg_attr(not(juliet_asan), expect(unused_variables, reason = "only AddressSanitizer is told"))]
pub(crate) fn poison(start: NonNull<u8>, bytes: usize) {
    #[cfg(juliet_asan)]
    // SAFETY: only the sanitizer's notes about these addresses change, no memory of the program.
    unsafe {
        __asan_poison_memory_region(start.as_ptr().cast(), bytes)
    };
}

/// Tells AddressSanitizer that these bytes are in use. Nothing in other builds.
#[inline]
#[cfg_attr(not(juliet_asan), expect(unused_variables, reason = "only AddressSanitizer is told"))]
pub(crate) fn unpoison(start: NonNull<u8>, bytes: usize) {
    #[cfg(juliet_asan)]
    // SAFETY: only the sanitizer's notes about these addresses change, no memory of the program.
    unsafe {
        __asan_unpoison_memory_region(start.as_ptr().cast(), bytes)
    };
}

#[cfg(unix)]
mod os {
    use core::ptr::{self, NonNull};
    use std::io;

    pub(super) const COMMITS: bool = false;
    #[cfg(any(target_os = "linux", target_os = "android"))]
    const NO_RESERVE: libc::c_int = libc::MAP_NORESERVE;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    const NO_RESERVE: libc::c_int = 0;

    pub(super) fn reserve(bytes: usize) -> io::Result<NonNull<u8>> {
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANON | NO_RESERVE);
        // SAFETY: a new anonymous mapping at an address of the system's choice touches no memory of the program.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(start.cast()).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// # Safety
    /// The bytes lie in one mapping of [`reserve`].
    pub(super) unsafe fn commit(_start: NonNull<u8>, _bytes: usize) -> io::Result<()> {
        Ok(())
    }

    /// # Safety
    /// A whole mapping of [`reserve`] that nobody uses again.
    pub(super) unsafe fn release(start: NonNull<u8>, bytes: usize) {
        // SAFETY: the caller's promise. A failure would leave the mapping in place, which harms nobody.
        unsafe { libc::munmap(start.as_ptr().cast(), bytes) };
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn prefer_huge(start: NonNull<u8>, bytes: usize) {
        // SAFETY: advice about page sizes changes no contents, whatever the range holds; refusal is no fault.
        unsafe { libc::madvise(start.as_ptr().cast(), bytes, libc::MADV_HUGEPAGE) };
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn prefer_huge(_start: NonNull<u8>, _bytes: usize) {}

    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn populate(start: NonNull<u8>, bytes: usize) {
        let skip = start.addr().get() % 4096;
        let page = start.as_ptr().wrapping_sub(skip);
        // SAFETY: populating pages changes no contents; kernels before 5.14 refuse, which is no fault.
        unsafe { libc::madvise(page.cast(), bytes + skip, libc::MADV_POPULATE_WRITE) };
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn populate(_start: NonNull<u8>, _bytes: usize) {}
}

#[cfg(windows)]
mod os {
    use core::ptr::{self, NonNull};
    use std::io;

    use windows_sys::Win32::System::Memory::{
        MEM_COMMIT, MEM_RELEASE, MEM_RESERVE, PAGE_NOACCESS, PAGE_READWRITE, VirtualAlloc, VirtualFree,
    };

    pub(super) const COMMITS: bool = true;

    pub(super) fn reserve(bytes: usize) -> io::Result<NonNull<u8>> {
        // SAFETY: a new reservation at an address of the system's choice touches no memory of the program.
        let start = unsafe { VirtualAlloc(ptr::null(), bytes, MEM_RESERVE, PAGE_NOACCESS) };
        NonNull::new(start.cast()).ok_or_else(io::Error::last_os_error)
    }

    /// # Safety
    /// The bytes lie in one mapping of [`reserve`].
    pub(super) unsafe fn commit(start: NonNull<u8>, bytes: usize) -> io::Result<()> {
        // SAFETY: the range lies in a reservation of ours; pages committed before keep their contents.
        let start = unsafe { VirtualAlloc(start.as_ptr().cast(), bytes, MEM_COMMIT, PAGE_READWRITE) };
        if start.is_null() { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// # Safety
    /// A whole mapping of [`reserve`] that nobody uses again.
    pub(super) unsafe fn release(start: NonNull<u8>, _bytes: usize) {
        // SAFETY: the caller's promise; the size must be 0 to release a whole reservation.
        unsafe { VirtualFree(start.as_ptr().cast(), 0, MEM_RELEASE) };
    }

    pub(super) fn prefer_huge(_start: NonNull<u8>, _bytes: usize) {}

    pub(super) fn populate(_start: NonNull<u8>, _bytes: usize) {}
}

#[cfg(not(any(unix, windows)))]
mod os {
    use core::alloc::Layout;
    use core::ptr::NonNull;
    use std::alloc::{alloc_zeroed, dealloc};
    use std::io;

    pub(super) const COMMITS: bool = false;

    fn layout(bytes: usize) -> io::Result<Layout> {
        Layout::from_size_align(bytes, 4096).map_err(|_| io::ErrorKind::OutOfMemory.into())
    }

    pub(super) fn reserve(bytes: usize) -> io::Result<NonNull<u8>> {
        // SAFETY: reservations are of at least one byte; size 0 never gets here.
        NonNull::new(unsafe { alloc_zeroed(layout(bytes)?) }).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    /// # Safety
    /// The bytes lie in one mapping of [`reserve`].
    pub(super) unsafe fn commit(_start: NonNull<u8>, _bytes: usize) -> io::Result<()> {
        Ok(())
    }

    /// # Safety
    /// A whole mapping of [`reserve`] that nobody uses again.
    pub(super) unsafe fn release(start: NonNull<u8>, bytes: usize) {
        if let Ok(layout) = layout(bytes) {
            // SAFETY: the caller's promise; the layout is the one it was allocated with.
            unsafe { dealloc(start.as_ptr(), layout) };
        }
    }

    pub(super) fn prefer_huge(_start: NonNull<u8>, _bytes: usize) {}

    pub(super) fn populate(_start: NonNull<u8>, _bytes: usize) {}
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn reserved_bytes_are_zero_and_writable_at_both_ends() {
        let len = 3 * STEP + 17;
        let mut memory = Reservation::new(len, 64, Pages::Usual).unwrap();
        memory.commit_to(len).unwrap();
        unpoison(memory.base(), len);
        for offset in [0, 1, STEP, len - 1] {
            // SAFETY: inside the committed bytes.
            let at = unsafe { memory.base().add(offset) };
            // SAFETY: committed memory of ours.
            assert_eq!(unsafe { at.read() }, 0);
            // SAFETY: as above.
            unsafe { at.write(7) };
        }
    }

    #[test]
    fn base_is_aligned_as_asked_even_beyond_a_page() {
        for align in [1, 64, 4096, 8192, 1 << 22] {
            for len in [0, 1, 10_000] {
                let memory = Reservation::new(len, align, Pages::Usual).unwrap();
                assert_eq!(memory.base().addr().get() % align, 0, "{align} {len}");
            }
        }
        assert!(Reservation::new(1, 3, Pages::Usual).is_err());
    }

    #[test]
    fn refusal_is_an_error_value() {
        assert!(Reservation::new(usize::MAX, 1, Pages::Usual).is_err());
        assert!(Reservation::new(isize::MAX as usize, 4096, Pages::Usual).is_err());
        let mut small = Reservation::new(10, 1, Pages::Usual).unwrap();
        let error = small.commit_to(11).unwrap_err();
        assert_eq!((error.bytes, error.to_string().as_str()), (11, "reserve 11 bytes of address space"));
    }

    #[test]
    fn huge_pages_and_pre_touching_keep_contents() {
        let len = 3 * HUGE;
        let mut memory = Reservation::new(len, 16, Pages::Huge).unwrap();
        unpoison(memory.base(), len);
        // SAFETY: inside the reservation.
        unsafe { memory.base().write(42) };
        memory.pre_touch(0, len + 1);
        memory.pre_touch(5, 5);
        // SAFETY: inside the reservation.
        assert_eq!(unsafe { memory.base().read() }, 42);
    }
}
