//! Values as a tree that describes itself: [`Value`], its paths, and the way between it and memory.
//!
//! ```text
//!            Value::of, get_path                  Serialize
//! ErasedRef ─────────────────────►         ─────────────────────►
//!                                   Value                          JSON and other formats (feature `serde`)
//! ErasedMut ◄─────────────────────         ◄─────────────────────
//!            Value::put, set_path                 Deserialize
//! ```
//!
//! Structs are walked through their tables. Everything else is taken apart and built through its canonical text, which is lossless: so a tree
//! holds what a file would hold, no less and no more, and nothing is put into memory that a file could not put there. Skipped fields are
//! in no tree. What text cannot tell apart a tree cannot either: `Some(None)` of an option in an option is none.
//!
//! | file | subject |
//! |---|---|
//! | `tree` | [`Value`]: shape, equality, walks |
//! | `path` | `Light.Color.r`, in a tree and in memory |
//! | `of`, `put` | memory → tree, tree → memory |
//! | `error` | what is told when a tree does not fit |
//! | `ser`, `de`, `any`, `entity` | serde: values out, values in by their type, trees in, entities |

#[cfg(feature = "serde")]
mod any;
#[cfg(feature = "serde")]
mod de;
#[cfg(feature = "serde")]
mod entity;
mod error;
mod of;
mod path;
mod put;
#[cfg(feature = "serde")]
mod ser;
mod tree;

#[cfg(test)]
mod tests;

#[cfg(feature = "serde")]
pub use de::{SerdeSeed, entity_value_from_serde, from_serde};
#[cfg(feature = "serde")]
pub use entity::{EntityAsSerde, EntitySeed};
pub use error::ValueError;
pub use path::{get_path, set_path};
#[cfg(feature = "serde")]
pub use ser::AsSerde;
pub use tree::Value;
