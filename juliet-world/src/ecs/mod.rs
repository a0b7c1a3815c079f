//! What systems share beside entities: one value of a type, and messages of a type. Knows no world.
//!
//! ```text
//! Resources   type ─► value                      there, or lent to whoever works on it with the world at the same time
//! Events      type ─► [this frame][frame before]  numbered without gaps; a cursor says up to where somebody has read
//! ```

mod events;
mod exclusive;
mod panics;
mod resources;
#[cfg(test)]
mod tests;

pub(crate) use events::AllEvents;
pub use events::{EventCursor, Events};
pub(crate) use exclusive::Exclusive;
pub(crate) use panics::FirstPanic;
pub use resources::ResourceError;
pub(crate) use resources::Resources;
