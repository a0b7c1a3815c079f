//! Sharing what holds something that cannot be shared.

use std::sync::{Mutex, PoisonError};

/// Reached only by who borrows it exclusively, so that others may share what holds it. The lock is never taken.
pub(crate) struct Exclusive<T>(Mutex<T>);

impl<T> Exclusive<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub(crate) fn get(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Default> Default for Exclusive<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}
