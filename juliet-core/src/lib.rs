//! The core of Juliet: classes and property tables, arenas, the entity manager, and `.jasset` text.
//!
//! ```text
//! class    what a struct becomes: tables              mem      what a table becomes: memory, the only `unsafe`
//! text     the lines of a file, without classes       archive  text ⇄ memory through the tables
//! entity   bases, rows, handles                       diag     what people are told when something is wrong
//! schema   what the tables say, for tools and people   value    any value as a tree that describes itself
//! ```
#![deny(unsafe_code)]

pub mod archive;
pub mod class;
pub mod diag;
pub mod entity;
pub mod mem;
pub mod schema;
pub mod text;
pub mod value;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use class::{Class, ClassRegistry, Component, Entity, RegistryError};
pub use entity::{Capacity, EntityHandle, EntityManager};
