//! Panics of a program's own code, held back until everything else is done.

use std::any::Any;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The first panic of several pieces of work that are all done, whatever becomes of the others.
#[derive(Default)]
#[must_use = "a panic is lost unless it is resumed"]
pub(crate) struct FirstPanic(Option<Box<dyn Any + Send>>);

impl FirstPanic {
    /// Does a piece of work; `None` if it panics.
    pub(crate) fn guard<R>(&mut self, work: impl FnOnce() -> R) -> Option<R> {
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(result) => Some(result),
            Err(panic) => {
                if self.0.is_none() {
                    self.0 = Some(panic);
                } else {
                    discard(panic);
                }
                None
            }
        }
    }

    /// Ends all items of `list`, the first one first, and keeps its memory.
    pub(crate) fn clear<T>(&mut self, list: &mut Vec<T>) {
        if !std::mem::needs_drop::<T>() {
            return list.clear();
        }
        list.reverse();
        while !list.is_empty() {
            // An item has left the list before its drop runs, so that a panic ends nothing but this call.
            self.guard(|| while list.pop().is_some() {});
        }
    }

    /// Goes on with the panic, if there was one.
    pub(crate) fn resume(self) {
        if let Some(panic) = self.0 {
            resume_unwind(panic);
        }
    }

    /// As [`resume`](Self::resume), for use in a drop: silent while another panic is on its way, since a second one would end the process.
    pub(crate) fn resume_in_drop(self) {
        match self.0 {
            Some(panic) if std::thread::panicking() => discard(panic),
            Some(panic) => resume_unwind(panic),
            None => {}
        }
    }
}

/// Ends the payload of a panic, which is a program's code as well; one that panics in turn is leaked.
fn discard(panic: Box<dyn Any + Send>) {
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        let _leaked = ManuallyDrop::new(another);
    }
}
