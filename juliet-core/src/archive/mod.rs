//! Text ⇄ memory, through the property tables.

mod migrate;

pub use migrate::{MigrateFn, Migration};
