//! What reading one file found, bounded.

use crate::diag::{Code, Diagnostic};

/// The diagnostics of one file: the first [`LIMIT`](Self::LIMIT), and a count of the rest, so that a file of 100,000 faults makes no
/// report of 100,000 lines. An empty one holds no memory.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Diagnostic>,
    errors: usize,
    more: usize,
}

impl Findings {
    /// How many diagnostics are kept.
    pub const LIMIT: usize = 20;

    /// Nothing found.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds what `make` gives; past the limit an error is only counted and `make` is not called.
    #[cold]
    pub fn push(&mut self, is_error: bool, make: impl FnOnce() -> Diagnostic) {
        self.push_some(is_error, || Some(make()));
    }

    /// Like [`push`](Self::push) for what may turn out to be nothing; past the limit it counts as something.
    #[cold]
    pub fn push_some(&mut self, is_error: bool, make: impl FnOnce() -> Option<Diagnostic>) {
        // The first error is kept even after many warnings: it says why the file was left out.
        if self.list.len() >= Self::LIMIT && !(is_error && self.errors == 0) {
            self.more += 1;
        } else if let Some(diagnostic) = make() {
            self.list.push(diagnostic);
        } else {
            return;
        }
        self.errors += usize::from(is_error);
    }

    /// Calls `find` and gives what that adds and is kept to `change`, which leaves the severity as it is.
    #[cold]
    pub(super) fn changed(&mut self, find: impl FnOnce(&mut Self), change: impl FnMut(Diagnostic) -> Diagnostic) {
        let before = self.kept();
        find(self);
        self.change_from(before, change);
    }

    /// How many are kept.
    pub(super) fn kept(&self) -> usize {
        self.list.len()
    }

    /// Gives those that were kept after the first `before` to `change`, which leaves the severity as it is.
    #[cold]
    pub(super) fn change_from(&mut self, before: usize, change: impl FnMut(Diagnostic) -> Diagnostic) {
        let found = self.list.split_off(before);
        self.list.extend(found.into_iter().map(change));
    }

    /// Adds an error.
    #[cold]
    pub fn error(&mut self, diagnostic: Diagnostic) {
        self.push(true, || diagnostic);
    }

    /// Whether nothing was found that keeps the file out.
    #[inline]
    pub fn is_ok(&self) -> bool {
        self.errors == 0
    }

    /// The error that was found first.
    pub fn first_error(&self) -> Option<&Diagnostic> {
        self.list.iter().find(|diagnostic| diagnostic.is_error())
    }

    /// Whether nothing was found at all.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The diagnostics in the order they were found, closed by a count of those left off.
    pub fn into_diagnostics(mut self, file: &str) -> Vec<Diagnostic> {
        if self.more > 0 {
            let note = format!("{} more findings in this file are not listed", self.more);
            self.list.push(Diagnostic::new(Code::TooManyFindings, note).in_file(file));
        }
        self.list
    }
}
