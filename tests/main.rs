//! Tests that reach over all crates: one module a subject.
#![expect(clippy::unwrap_used, reason = "tests")]

mod faults;
