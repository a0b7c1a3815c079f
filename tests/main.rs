//! Tests across the crates: a project on disk, loaded, changed and saved through the facade. One module per subject.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "tests")]

mod assets;
mod cases;
mod diagnostics;
mod faults;
mod game;
mod history;
mod hostile;
mod presentation;
mod random;
mod sample;
mod schema;
mod support;
