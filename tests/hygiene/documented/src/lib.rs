//! Runs the examples of the documentation of the derives, which live in a crate that cannot depend on Juliet.

#[cfg(doctest)]
#[doc = include_str!("../../../../juliet-derive/docs/entity.md")]
pub struct EntityExamples;

#[cfg(doctest)]
#[doc = include_str!("../../../../juliet-derive/docs/property.md")]
pub struct PropertyExamples;

#[cfg(doctest)]
#[doc = include_str!("../../../../juliet-derive/docs/component.md")]
pub struct ComponentExamples;

#[cfg(doctest)]
#[doc = include_str!("../../../../docs/evolution.md")]
pub struct EvolutionExamples;
