//! Diagnostics: what was wrong, where, and what would have been right.
//!
//! A [`Diagnostic`] is data: a stable [`Code`], a position, the property, what was expected and what was found. [`Source`]
//! turns byte offsets into lines and columns, and only when a diagnostic is made: reading itself counts no lines.
//! [`nearest`] finds the suggestion, [`render`] draws the snippet.
//!
//! Absent on purpose: any knowledge of files, classes or values. This module names nothing else of the project.

mod code;
mod diagnostic;
mod render;
mod source;
mod suggest;

pub use code::{Code, UnknownCode};
pub(crate) use diagnostic::visible;
pub use diagnostic::{Diagnostic, Related, Severity, SourceLine};
pub use render::{Look, render};
pub use source::{Position, Source};
pub use suggest::{nearest, same_but_for_case};
