//! Entities: what exists, by handle, by id and by class.
//!
//! ```text
//! handle ─► slot {generation, row} ──► row {link, value}      one of those of its class
//!           position   x y z 1  ▲          │
//!           links {id, class}   └──────────┘                   one entity = one base (48 bytes in three columns) + one row
//! ```
//!
//! Nothing here moves but in [`EntityManager::compact`], nothing here is `unsafe`: memory is kept by [`mem`](crate::mem), which checks
//! on every access that row and base name each other. The manager owns the rest: the index of ids, and what is dirty.
//!
//! Absent on purpose: removal during iteration (the borrow checker refuses it), growth past the capacity, and files.

mod base;
mod batch;
mod compact;
mod components;
mod error;
mod fork;
mod guard;
mod handle;
mod instantiate;
mod iter;
mod list;
mod manager;
mod query;
mod validate;

pub use base::{BaseRef, Position};
pub use compact::Compaction;
pub use error::{
    AddError, AllocateError, BatchError, InstantiateError, LendError, ResetError, SetIdError, SpawnError, Stale,
};
pub use guard::{Mut, ValueMut};
pub use handle::EntityHandle;
pub use iter::{EntityItem, RowMut, View};
pub use list::{Entities, EntityList};
pub use manager::{Capacity, EntityManager};
pub use query::{Query, QueryError, QueryPart};
pub use validate::Violation;

#[cfg(test)]
mod tests;
