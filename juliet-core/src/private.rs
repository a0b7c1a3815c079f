//! What generated code names. No stability promised.

pub use core;

pub use crate::class::shape::{Adapter, FromLiteral, UnitEnum};
pub use crate::class::{Class, Entity, Meta, Property, PropertyType, Range, Variant};
pub use crate::mem::PropertyValue;
pub use crate::mem::glue::{adapter, unit_enum};
