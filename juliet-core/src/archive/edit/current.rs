//! What in a file is of an older program, though it is still read: former names of classes, properties and variants, and keys of
//! properties that are gone.

use std::collections::HashSet;

use super::Editor;
use crate::archive::items::ItemPath;
use crate::archive::path::LeafPath;
use crate::archive::place::{Named, find_named};
use crate::class::{Kind, Property, PropertyType, colon_spelling, names_match};
use crate::text::{Node, Spelling};

impl<'a> Editor<'_, 'a> {
    /// Gives the key of a line its current name; nothing if it has it, in either spelling.
    pub(super) fn rename_property(&mut self, node: &Node<'a>, path: &LeafPath) {
        let name = name_of(path, self.part.class.ty(), self.spelling);
        self.rename(node, &name);
    }

    /// The same for the line of an item; `key` is its canonical key.
    pub(super) fn rename_item(&mut self, node: &Node<'a>, path: &ItemPath<'_>, key: &str) {
        if self.to_current {
            let name = name_of_item(path, key, self.part.class.ty(), self.spelling);
            self.rename(node, &name);
        }
    }

    fn rename(&mut self, node: &Node<'a>, name: &str) {
        if self.to_current && !names_match(name, node.name) {
            self.edits.replace(node.name_range(), name);
        }
    }

    /// Whether the text of a value of `ty` has to be written anew to be that of the current program.
    pub(super) fn is_outdated(&self, ty: &'static PropertyType, text: &str) -> bool {
        self.to_current && has_former_word(ty, text)
    }
}

/// What the current program calls the property or item that `key` names in `ty`; the key of an item stays as it is. `None` if it names none.
/// O(parts × properties).
pub fn current_name(ty: &'static PropertyType, key: &str, spelling: Spelling) -> Option<String> {
    Some(match find_named(ty, key).ok()? {
        Named::Property(path) => name_of(&path, ty, spelling),
        Named::Item(path) => name_of_item(&path, path.key, ty, spelling),
    })
}

fn name_of_item(path: &ItemPath<'_>, key: &str, root: &'static PropertyType, spelling: Spelling) -> String {
    let list = name_of(&path.list, root, spelling);
    match &path.rest {
        Some(rest) => format!("{list}[{key}].{}", name_of(rest, path.item_type(), spelling)),
        None => format!("{list}[{key}]"),
    }
}

/// The dotted name of a property.
fn name_of(path: &LeafPath, root: &'static PropertyType, spelling: Spelling) -> String {
    let name = |property: &'static Property| if spelling == Spelling::Node { property.name() } else { property.key() };
    path.properties(root).map(name).collect::<Vec<_>>().join(".")
}

/// Whether a word of `text` is a former name that values of `ty` may have in them. Errs on the side of yes: a text that is written anew says
/// the same.
fn has_former_word(ty: &'static PropertyType, text: &str) -> bool {
    let mut former = Former::default();
    former.add(ty);
    if former.words.is_empty() {
        return false;
    }
    let is_former = |word: &str| former.words.contains(word) || former.words.contains(colon_spelling(word).as_str());
    // Keys may hold any letters but these; names of variants end at a parenthesis, too.
    let mut words = text.split(|letter: char| letter.is_whitespace() || ":,{}[]\"".contains(letter));
    words.any(|word| is_former(word) || word.split(['(', ')']).any(is_former))
}

/// The former names of a type and of the types it holds.
#[derive(Default)]
struct Former {
    words: HashSet<String>,
    /// Types that were looked at, since a type may hold itself.
    seen: HashSet<*const PropertyType>,
}

impl Former {
    fn add(&mut self, ty: &'static PropertyType) {
        if !self.seen.insert(core::ptr::from_ref(ty)) {
            return;
        }
        match *ty.kind() {
            Kind::Struct { fields } => self.add_fields(fields, ty.removed()),
            Kind::Newtype { field } => self.add(field.ty()),
            Kind::Enum { variants } => variants.iter().for_each(|variant| self.add_names(variant.aliases)),
            Kind::DataEnum { variants } => {
                for variant in variants {
                    self.add_names(variant.aliases);
                    self.add_fields(variant.fields, variant.removed);
                }
            }
            Kind::Array { item, .. } | Kind::List { item } | Kind::KeyedList { item, .. } | Kind::Option { item } => {
                self.add(item.get());
            }
            Kind::Map { key, item } => {
                self.add(key.get());
                self.add(item.get());
            }
            _ => {}
        }
    }

    fn add_fields(&mut self, fields: &'static [Property], removed: &[&str]) {
        self.add_names(removed);
        for field in fields {
            self.add_names(field.meta().aliases);
            self.add(field.ty());
        }
    }

    fn add_names(&mut self, names: &[&str]) {
        self.words.extend(names.iter().flat_map(|name| [(*name).to_owned(), colon_spelling(name)]));
    }
}
