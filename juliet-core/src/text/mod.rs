//! The `.jasset` text: lines, numbers, quoted strings, inline lists, and edits that keep everything else.
//!
//! What comes in is `&str`, already checked to be UTF-8; what goes out are sub-slices of it, offsets into it and values of
//! numbers. Writers append to a `Vec<u8>` and append only valid UTF-8. Nothing here knows classes or properties, nothing
//! here allocates while reading, and every function is linear in its input (nesting is limited to [`NESTING_LIMIT`]).
//!
//! | file | subject |
//! |---|---|
//! | `document` | the file as nodes: directives, properties, comments, faults |
//! | `number` | integers and floats |
//! | `quoted` | strings that do not stand bare |
//! | `item` | the names of items, `Loot[gold].Count` |
//! | `inline` | `[1, 2]`, `{ X: 1 }` and the numbers of a vector |
//! | `edit` | changes of a file that leave all other bytes alone |
//! | `layout` | new lines in both spellings |

mod character;
mod document;
mod edit;
mod inline;
mod item;
mod layout;
mod number;
mod quoted;

pub(crate) use character::visible_length;
pub use character::{find_control, is_invisible, offset_in};
pub use document::{
    Document, LINE_LIMIT, NextValue, Node, NodeFault, NodeKind, Nodes, Spelling, is_conflict_marker, is_directive,
};
pub use edit::{Edits, Overlap, line_end};
pub(crate) use inline::scan_numbers;
pub use inline::{InlineFault, InlineFaultKind, Items, NESTING_LIMIT, Numbers, Pairs, VectorFault, numbers};
pub(crate) use item::name_parts;
pub use item::{ItemName, split_item};
pub use layout::Layout;
pub use number::{
    Integer, Number, NumberFault, parse_f32, parse_f64, parse_integer, write_f32, write_f64, write_id, write_integer,
};
pub use quoted::{Piece, QuoteFault, Unquoted, needs_quotes, unquote, write_string, write_string_quoted};
