//! Failures that users of comparable programs met, by their number.

mod components;
mod dirty;
mod duplicates;
mod encodings;
mod enums;
mod errors;
mod floats;
mod integers;
mod items;
mod kept_lines;
mod locale;
mod marks;
mod messages;
mod paths;
mod quarantine;
mod same_bytes;
mod spawn;
mod templates;
mod unknown_keys;
mod versions;
