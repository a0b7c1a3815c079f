//! Reflection: what a struct becomes.
//!
//! ```text
//! #[derive(Entity)] struct Inert { mass: f32, … }
//!        │
//!        ▼
//! Class { name, crc, version, hooks, ty: PropertyType { size, align, kind: Struct { fields: [Property] }, functions } }
//!                                                                            │
//!                                    Property { key, name, offset, meta, ty: PropertyType { kind: Float, functions } }
//! ```
//!
//! Everything is a `'static` table. A table is trusted only when it comes from an implementation of the `unsafe` traits [`Entity`]
//! and [`PropertyValue`](crate::mem::PropertyValue), which the derive macros write; a table built by hand is inert.

mod cast;
mod descriptor;
mod late;
mod migration;
mod property;
mod property_type;
mod registry;
mod schema_hash;
pub mod shape;
pub mod value;

pub use cast::{Cast, TraitCast};
pub use descriptor::Class;
pub(crate) use descriptor::{ClassParts, MadeClass};
pub use late::{AssetName, ItemType, TypeIdentity};

pub use crate::mem::{Component, Entity};
pub(crate) use migration::MigrationLine;
pub use migration::{MigrateError, MigrateFn, Migration, Role};
#[doc(hidden)]
pub use property::TypeOf;
pub use property::{Meta, Property, Range};
pub(crate) use property::{behind_key, colon_spelling, names_match};
pub use property_type::{DataVariant, Kind, PropertyType, Variant, VariantStyle};
pub(crate) use property_type::{LEAVES_LIMIT, MadeParts};
pub use registry::{ClassKind, ClassRegistry, RegistryError, ResolveError};
pub(crate) use schema_hash::last_segment;
