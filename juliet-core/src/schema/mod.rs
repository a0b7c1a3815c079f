//! The schema of a registry: what its tables say, as plain data that tools read without the Rust types.
//!
//! ```text
//! ClassRegistry ──schema()──► Schema ──to_json──► text ──from_json──► Schema
//!                               ├──registry──► ClassRegistry again, in a program without the Rust types
//!                               ├──compare(old, new)──► changes that would lose data in files, and what settles each
//!                               └──markdown, html──► pages, one for each class; with the templates of a project, if that gives them
//! ```
//!
//! In: a registry, or JSON that one was written to. Out: the same bytes on every run, in declaration order. Invariant: every name of a
//! type in a [`Schema`] that was read is that of an entry of [`Schema::types`]. The JSON Schema of the text is `docs/schema.json`.

mod check;
mod compare;
mod data;
mod defaults;
mod error;
mod example;
mod export;
mod html;
mod markdown;
mod page;
mod tables;
mod templates;

pub use compare::{Change, What, compare};
pub use data::{
    ClassSchema, DefaultSchema, PropertySchema, RangeSchema, SCHEMA_VERSION, Schema, Shape, TypeSchema, VariantSchema,
    VariantShape,
};
pub use error::SchemaError;
pub use example::example;
pub use html::{html, html_with_templates};
pub use markdown::{markdown, markdown_with_templates};
pub use templates::{OverrideDoc, TemplateDoc};

#[cfg(test)]
mod tests;
