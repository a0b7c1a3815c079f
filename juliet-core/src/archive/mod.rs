//! Text ⇄ memory, through the property tables.
//!
//! ```text
//! bytes ──decode──► text ──open──► Opened { class, id, … } ──read_values──► position and value in place
//!                                                                                     │
//! bytes ◄──────────────────── write_entity (a new file), edit_entity (a file that was read)
//! ```
//!
//! In: a file's text and the registry. Out: diagnostics, and values written straight to where they stay. Reading a file without faults
//! into a blittable class touches no heap. Invariant: what the reader would refuse is never written; [`verify`] reads every new text back.

mod components;
mod decode;
mod edit;
mod findings;
mod header;
mod inherit;
mod items;
mod kept;
mod keys;
mod leaves;
mod migrate;
mod overrides;
mod part;
mod path;
mod place;
mod read;
mod write;

pub use components::read_components;
pub use decode::{FILE_LIMIT_BYTES, decode};
pub use edit::{bring_to_current, current_name, edit_entity, says_the_same};
pub use findings::Findings;
pub use header::{BASE_VERSION, Inherit, Inherited, Opened, TemplateLine, open, open_with};
pub use inherit::{for_each_override, inherit, inherit_leaf, mark_differences};
pub use items::{ItemFault, ItemPath, ItemsByKey, find_item, for_each_item, forget_idle_removals, mark_items, rebase};
pub use kept::{
    NamePart, UnknownLine, UnknownPart, class_line, is_unknown_key, keeps_lines, part_of_key, unknown_lines,
};
pub use leaves::{LeafSet, changed_leaves, for_each_leaf, line_of_item, line_of_leaf};
pub use overrides::{ItemSays, Overrides};
pub use part::Part;
pub use path::{LeafPath, find_leaf, path_of_leaf};
pub use place::{Named, find_named};
pub use read::{Read, read_component, read_values};
pub use write::{ComponentText, Components, EntityText, Inherits, verify, write_entity, write_leaves, write_value};
