//! What a class does with files of its older versions: raw keys and texts, handed to functions of the user's.

use std::borrow::Cow;

use super::{Class, Property, behind_key, colon_spelling, names_match};
use crate::text::{Node, NodeKind, name_parts};

/// Turns the raw lines of an older version into those of a newer one; what `#[jasset(migrate = …)]` names.
pub type MigrateFn = fn(&mut Migration<'_>) -> Result<(), MigrateError>;

/// Why a file cannot be migrated; shown to the author of the file, which is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MigrateError(Box<str>);

impl From<String> for MigrateError {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&str> for MigrateError {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

/// What a file is, and with it what a key means that the file does not name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// An entity that stands alone: the default of its class.
    Standalone,
    /// An entity that names a template: what the template has.
    Instance,
    /// A template: what the template above it has, or the default of its class if it names none ([`Migration::inherits`]).
    Template,
}

/// The raw lines of a file of an older class version: keys and texts, before any of them is read.
///
/// Keys are named in either spelling, and a property by any of its names: `get("Speed")` finds the line of `Pace` if that is an alias
/// of it. Lines that are not touched keep their bytes; the file itself changes only when its entity is saved, or its project migrated.
///
/// With `migrate(1 => from_1, 3 => from_3)` a file of version 1 passes both functions, one of version 2 or 3 the second; each sees what the
/// one before it left. Templates are migrated before what is based on them. A file that says nothing of its class is not migrated: it has
/// nothing to be of a version.
pub struct Migration<'a> {
    class: &'static Class,
    pub(crate) version: u32,
    role: Role,
    inherits: bool,
    inherited: &'a dyn Fn(&str) -> Option<String>,
    pub(crate) lines: Vec<MigrationLine<'a>>,
}

/// A key and its text, and the line of the file it comes from.
#[derive(Debug)]
pub(crate) struct MigrationLine<'a> {
    pub(crate) key: Cow<'a, str>,
    pub(crate) text: Cow<'a, str>,
    /// `! Loot[gem]`: it takes an inherited item out and has no text.
    pub(crate) is_removal: bool,
    /// The node of the file, whose key and value may differ by now; `None` for a new line.
    pub(crate) node: Option<Node<'a>>,
}

impl<'a> MigrationLine<'a> {
    /// The line of a property, or one that removes an item.
    pub(crate) fn of(node: Node<'a>) -> Self {
        let is_removal = node.kind == NodeKind::Removal;
        Self { key: Cow::Borrowed(node.name), text: Cow::Borrowed(node.value), is_removal, node: Some(node) }
    }

    /// Whether the line says what its node says.
    pub(crate) fn is_untouched(&self) -> bool {
        self.node.as_ref().is_some_and(|node| node.name == self.key && node.value == self.text)
    }
}

impl<'a> Migration<'a> {
    pub(crate) fn new(
        class: &'static Class,
        version: u32,
        (role, inherits): (Role, bool),
        inherited: &'a dyn Fn(&str) -> Option<String>,
        lines: Vec<MigrationLine<'a>>,
    ) -> Self {
        Self { class, version, role, inherits, inherited, lines }
    }

    /// The line of `key`: one of this very key, else one that names the same property. O(lines × properties).
    fn find(&self, key: &str) -> Option<usize> {
        let named =
            |wanted: &dyn Fn(&str) -> bool| self.lines.iter().position(|line| !line.is_removal && wanted(&line.key));
        named(&|name| names_match(name, key)).or_else(|| {
            let property = self.class.find_property(key)?;
            named(&|name| property.is_named(name))
        })
    }

    /// The lines of `key` and of all its parts, each with what follows `key` in its name; if there are none, those of the property under
    /// another of its names. O(lines × properties).
    fn find_all(&self, key: &str) -> Vec<(usize, String)> {
        let lines = || self.lines.iter().enumerate();
        let exact = lines().filter_map(|(index, line)| Some((index, behind_key(&line.key, key)?.to_owned())));
        let exact: Vec<_> = exact.collect();
        let Some(property) = self.class.find_property(key).filter(|_| exact.is_empty()) else { return exact };
        let named = lines().filter_map(|(index, line)| Some((index, behind_property(&line.key, property)?.to_owned())));
        named.collect()
    }

    /// The class version that the lines are of, at least 1 and below the current one: that of the file, or what the step before made of it.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// What the file is.
    pub fn role(&self) -> Role {
        self.role
    }

    /// Whether the file names a template: what it leaves out is inherited, and what it says is an override.
    pub fn inherits(&self) -> bool {
        self.inherits
    }

    /// The text of what the file has for `key` if no line says it, in the current version of the class: what its template has, which was migrated
    /// before, or the default. A struct is in braces. `None` if the class has no such property.
    pub fn inherited(&self, key: &str) -> Option<String> {
        (self.inherited)(key)
    }

    /// The keys of the file, as it spells them, in its order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter(|line| !line.is_removal).map(|line| &*line.key)
    }

    /// The inherited items that lines of the file take out, `Loot[gem]` for `! Loot[gem]`, in its order.
    pub fn removed_items(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().filter(|line| line.is_removal).map(|line| &*line.key)
    }

    /// The text of `key`, trimmed; `None` if no line of the file has this name.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.find(key).map(|index| &*self.lines[index].text)
    }

    /// The lines of the parts of `key`: what follows it in their names, such as `.Color` or `[gold].Count`, and their texts. A line of `key`
    /// itself has nothing behind it.
    pub fn parts(&self, key: &str) -> impl Iterator<Item = (String, &str)> {
        let all = self.find_all(key).into_iter();
        all.filter(|&(index, _)| !self.lines[index].is_removal).map(|(index, rest)| (rest, &*self.lines[index].text))
    }

    /// Gives `key` a text, in its line or in a new one. The text is that of a line: strings that need quotes have them.
    pub fn set(&mut self, key: &str, text: impl Into<String>) {
        let text = text.into();
        match self.find(key) {
            Some(index) => self.lines[index].text = Cow::Owned(text),
            None => self.lines.push(MigrationLine {
                key: Cow::Owned(key.to_owned()),
                text: Cow::Owned(text),
                is_removal: false,
                node: None,
            }),
        }
    }

    /// Calls the line of `old` `new`, and with it the lines of its parts: `Light.Color` when `Light` is renamed, items and their removals
    /// when a list is. `false`, with nothing done, if there is no such line, or one of `new` says already what one of them would: of the
    /// same name, or one of a part and one of the whole. O(lines × log lines).
    pub fn rename(&mut self, old: &str, new: &str) -> bool {
        let lines = self.find_all(old);
        // Both in the order of the lines.
        let mut of_old = lines.iter().map(|&(index, _)| index).peekable();
        let others = self.lines.iter().enumerate().filter(|(index, _)| of_old.next_if_eq(index).is_none());
        let property = self.class.find_property(new);
        let of_new =
            others.filter_map(|(_, line)| behind_key(&line.key, new).or_else(|| behind_property(&line.key, property?)));
        let of_new: Vec<&str> = of_new.collect();
        if lines.is_empty() || overlap(lines.iter().map(|(_, rest)| rest.as_str()), &of_new) {
            return false;
        }
        for (index, rest) in lines {
            self.lines[index].key = Cow::Owned(format!("{new}{rest}"));
        }
        true
    }

    /// Takes the line of `key` away and gives its text.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        let index = self.find(key)?;
        Some(self.lines.remove(index).text.into_owned())
    }

    /// Takes the lines of `key` and of all its parts away, removals of its items included. How many they were.
    pub fn remove_all(&mut self, key: &str) -> usize {
        let lines = self.find_all(key);
        let mut gone = lines.iter().map(|&(index, _)| index).peekable();
        let mut index = 0..self.lines.len();
        self.lines.retain(|_| index.next().is_none_or(|index| gone.next_if_eq(&index).is_none()));
        lines.len()
    }
}

/// What follows the name of `property` in `name`, if that names it or a part of it.
fn behind_property<'n>(name: &'n str, property: &Property) -> Option<&'n str> {
    let first = name_parts(name).next().filter(|first| property.is_named(first))?;
    Some(&name[first.len()..])
}

/// Whether one of `old` and one of `new`, names of parts of one property, are the same part, or one a part of the other. O(names × log names).
fn overlap<'n>(old: impl Iterator<Item = &'n str>, new: &[&'n str]) -> bool {
    let old = old.map(|name| (colon_spelling(name), true));
    let mut all: Vec<(String, bool)> = old.chain(new.iter().map(|name| (colon_spelling(name), false))).collect();
    // A part stands behind the whole, with nothing but other parts of it between.
    all.sort_by(|(a, _), (b, _)| name_parts(a).cmp(name_parts(b)));
    let mut wholes: Vec<&(String, bool)> = Vec::new();
    all.iter().any(|name| {
        while wholes.pop_if(|whole| behind_key(&name.0, &whole.0).is_none()).is_some() {}
        let is_both = wholes.last().is_some_and(|whole| whole.1 != name.1);
        wholes.push(name);
        is_both
    })
}

impl core::fmt::Debug for Migration<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { class, version, role, inherits, lines, inherited: _ } = self;
        f.debug_struct("Migration")
            .field("class", &class.name())
            .field("version", version)
            .field("role", role)
            .field("inherits", inherits)
            .field("lines", lines)
            .finish()
    }
}
