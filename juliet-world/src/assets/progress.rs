//! How far all loads together are.

use std::ops::AddAssign;
use std::sync::atomic::{AtomicU64, Ordering};

/// Loads and the bytes of their files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    /// How many.
    pub count: u64,
    /// Bytes of their files, as far as these were looked at.
    pub size_bytes: u64,
}

/// How far all loads are since [`Assets`](super::Assets) was made, those of changed files among them. No number ever becomes smaller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssetProgress {
    /// What was begun. It may grow before [`done`](Self::done) does: then the fraction that is done becomes smaller.
    pub total: Amount,
    /// What has ended well.
    pub done: Amount,
    /// What has failed.
    pub failed: Amount,
}

impl AssetProgress {
    /// Whether all that was begun has ended.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.done.count + self.failed.count == self.total.count
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.size_bytes += other.size_bytes;
    }
}

/// An amount that all threads add to.
#[derive(Default)]
pub(super) struct SharedAmount {
    count: AtomicU64,
    size_bytes: AtomicU64,
}

impl SharedAmount {
    pub(super) fn add(&self, amount: Amount) {
        self.count.fetch_add(amount.count, Ordering::Relaxed);
        self.size_bytes.fetch_add(amount.size_bytes, Ordering::Relaxed);
    }

    pub(super) fn get(&self) -> Amount {
        Amount { count: self.count.load(Ordering::Relaxed), size_bytes: self.size_bytes.load(Ordering::Relaxed) }
    }
}
