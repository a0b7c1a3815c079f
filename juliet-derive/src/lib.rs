//! Derive macros of Juliet; depend on `juliet`, which re-exports them.
//!
//! ```text
//! attr (options) → input (view of the type) → check (rules) → expand (tokens)
//! ```
#![forbid(unsafe_code)]

mod attr;
mod check;
mod ctxt;
mod expand;
mod input;
mod krate;
mod names;
mod source;

use proc_macro::TokenStream;

use crate::input::Derive;

#[doc = include_str!("../docs/entity.md")]
#[proc_macro_derive(Entity, attributes(jasset))]
pub fn derive_entity(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), Derive::Entity).into()
}

#[doc = include_str!("../docs/component.md")]
#[proc_macro_derive(Component, attributes(jasset))]
pub fn derive_component(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), Derive::Component).into()
}

#[doc = include_str!("../docs/property.md")]
#[proc_macro_derive(Property, attributes(jasset))]
pub fn derive_property(input: TokenStream) -> TokenStream {
    expand::derive(input.into(), Derive::Property).into()
}
