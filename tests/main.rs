//! Tests across the crates, one module per subject.
#![expect(clippy::unwrap_used, reason = "tests")]

mod random;
