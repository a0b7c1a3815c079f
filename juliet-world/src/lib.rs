//! Worlds.
#![forbid(unsafe_code)]
