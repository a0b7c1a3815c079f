//! Runs the examples of the documentation of the derives, which live in a crate that cannot depend on Juliet.

#[doc = include_str!("../../../../juliet-derive/docs/entity.md")]
pub struct EntityExamples;

#[doc = include_str!("../../../../juliet-derive/docs/property.md")]
pub struct PropertyExamples;
