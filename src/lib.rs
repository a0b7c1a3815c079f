//! Juliet: reflection for game entities whose worlds live as text in Git.
#![forbid(unsafe_code)]

#[doc(hidden)]
pub use juliet_core::__private;
pub use juliet_core::class::shape::{AssetRef, Color, EntityRef, InlineString};
pub use juliet_core::class::{self, Class, ClassRegistry, Property, PropertyType, RegistryError};
pub use juliet_core::mem::{self, Entity, PropertyValue};
pub use juliet_core::registry;
pub use juliet_derive::{Entity, Property};
