//! Worlds.
#![forbid(unsafe_code)]

pub mod folder;
