//! Snapshots of expansions, and input that once could have been trouble.
#![expect(clippy::unwrap_used, reason = "tests")]
