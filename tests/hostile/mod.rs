//! Files, folders, migrations and calls made to break something: nothing may panic, hang, be lost, or be wrong without a word.

mod calls;
mod folders;
mod halfway;
mod items;
mod long_files;
mod migrations;
mod parts;
mod running;
mod templates;
mod texts;
pub(crate) mod years;
