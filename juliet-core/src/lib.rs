//! Classes, property tables, arenas and `.jasset` text: the core of Juliet.

pub mod diag;
pub mod text;
