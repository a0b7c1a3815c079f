//! What a program holds of an asset: a place that shows one value after the other.
//!
//! ```text
//!            Loading ──► Ready ──► Ready with the next value of the file, …
//!               └──────► Failed (shows the placeholder) ──► Ready
//! ```
//!
//! Values change in calls of [`Assets`](super::Assets) alone, so all reads between two of them agree. A handle stays readable when
//! [`Assets`](super::Assets) is gone.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use super::loader::{AnyAsset, Asset};

/// How far a load is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadState {
    /// Nothing is known yet.
    Loading,
    /// There is a value. It stays while a new version of the file is loaded, and if that fails.
    Ready,
    /// No version of the file could be loaded so far; the placeholder is shown.
    Failed,
}

/// An asset of type `T` by its path: loading, there, or failed. Clones are the same handle.
///
/// The asset stays loaded while there is a handle, and after that until [`unload_unused`](super::Assets::unload_unused).
pub struct Handle<T> {
    slot: Arc<Slot<T>>,
}

/// A handle of an asset of any type.
#[derive(Clone)]
pub struct AnyHandle {
    slot: Arc<dyn AnySlot>,
}

/// The place of one asset.
pub(super) struct Slot<T> {
    path: Arc<str>,
    placeholder: Arc<T>,
    shown: RwLock<Shown<T>>,
}

struct Shown<T> {
    state: LoadState,
    value: Option<Arc<T>>,
    revision: u64,
}

/// The place of an asset of any type.
pub(super) trait AnySlot: Any + Send + Sync {
    fn path(&self) -> &Arc<str>;
    fn state(&self) -> LoadState;
    /// Shows `value` from now on and gives back what was shown before.
    fn put(&self, value: AnyAsset) -> Option<AnyAsset>;
    /// A load failed: the placeholder is shown if there was no value before.
    fn fail(&self);
}

impl<T> Slot<T> {
    fn shown(&self) -> RwLockReadGuard<'_, Shown<T>> {
        // What is written under the lock cannot panic half-way.
        self.shown.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Asset> Slot<T> {
    /// A place without a value. `placeholder` is one of type `T`.
    pub(super) fn empty(path: Arc<str>, placeholder: &AnyAsset) -> Arc<dyn AnySlot> {
        let placeholder = placeholder.clone().downcast().expect("a table has the placeholder of its own type");
        let shown = RwLock::new(Shown { state: LoadState::Loading, value: None, revision: 0 });
        Arc::new(Self { path, placeholder, shown })
    }
}

impl<T: Asset> AnySlot for Slot<T> {
    fn path(&self) -> &Arc<str> {
        &self.path
    }

    fn state(&self) -> LoadState {
        self.shown().state
    }

    fn put(&self, value: AnyAsset) -> Option<AnyAsset> {
        let value = value.downcast().expect("a loader makes assets of its own type");
        let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        let revision = shown.revision + 1;
        let before = std::mem::replace(&mut *shown, Shown { state: LoadState::Ready, value: Some(value), revision });
        Some(before.value?)
    }

    fn fail(&self) {
        let mut shown = self.shown.write().unwrap_or_else(PoisonError::into_inner);
        if shown.value.is_none() {
            shown.state = LoadState::Failed;
        }
    }
}

impl<T> Handle<T> {
    /// The path in its one spelling, `Assets/…`; as it was given if it is no path.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.slot.path
    }

    /// How far the load is.
    #[must_use]
    pub fn state(&self) -> LoadState {
        self.slot.shown().state
    }

    /// What is to be shown: the value, or the placeholder if the load failed; `None` while nothing is known.
    ///
    /// O(1), no allocation.
    #[must_use]
    pub fn get(&self) -> Option<Arc<T>> {
        let shown = self.slot.shown();
        match shown.state {
            LoadState::Loading => None,
            LoadState::Ready => shown.value.clone(),
            LoadState::Failed => Some(self.slot.placeholder.clone()),
        }
    }

    /// How many values there were so far: what was made from the value (a buffer of the graphics card) is out of date when this has changed.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.slot.shown().revision
    }
}

impl AnyHandle {
    pub(super) fn new(slot: Arc<dyn AnySlot>) -> Self {
        Self { slot }
    }

    /// The path in its one spelling, `Assets/…`; as it was given if it is no path.
    #[must_use]
    pub fn path(&self) -> &str {
        self.slot.path()
    }

    /// How far the load is.
    #[must_use]
    pub fn state(&self) -> LoadState {
        self.slot.state()
    }

    /// The same handle by its type; `None` for another.
    #[must_use]
    pub fn typed<T: Asset>(&self) -> Option<Handle<T>> {
        let slot: Arc<dyn Any + Send + Sync> = self.slot.clone();
        Some(Handle { slot: slot.downcast().ok()? })
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        Self { slot: self.slot.clone() }
    }
}

impl<T> PartialEq for Handle<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.slot, &other.slot)
    }
}

impl<T> Eq for Handle<T> {}

impl<T> Hash for Handle<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.slot).hash(state);
    }
}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({:?}, {:?})", self.path(), self.state())
    }
}

impl fmt::Debug for AnyHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyHandle({:?}, {:?})", self.path(), self.state())
    }
}
