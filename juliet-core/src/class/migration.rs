//! What a class does with files of its older versions: raw keys and texts, handed to a function of the user's.

use std::borrow::Cow;

use super::{Class, names_match};
use crate::text::Node;

/// Turns the raw lines of an older version into those of the current one; what `#[jasset(migrate = …)]` names.
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

/// The raw lines of a file of an older class version: keys and texts, before any of them is read.
///
/// Keys are named in either spelling, and a property by any of its names: `get("Speed")` finds the line of `Pace` if that is an alias
/// of it. Lines that are not touched keep their bytes; the file itself changes only when its entity is saved.
#[derive(Debug)]
pub struct Migration<'a> {
    class: &'static Class,
    version: u32,
    pub(crate) lines: Vec<MigrationLine<'a>>,
}

/// A key and its text, and the line of the file it comes from.
#[derive(Debug)]
pub(crate) struct MigrationLine<'a> {
    pub(crate) key: Cow<'a, str>,
    pub(crate) text: Cow<'a, str>,
    /// The node of the file, whose key and value may differ by now; `None` for a new line.
    pub(crate) node: Option<Node<'a>>,
}

impl<'a> MigrationLine<'a> {
    /// The line of a property.
    pub(crate) fn of(node: Node<'a>) -> Self {
        Self { key: Cow::Borrowed(node.name), text: Cow::Borrowed(node.value), node: Some(node) }
    }

    /// Whether the line says what its node says.
    pub(crate) fn is_untouched(&self) -> bool {
        self.node.as_ref().is_some_and(|node| node.name == self.key && node.value == self.text)
    }
}

impl<'a> Migration<'a> {
    pub(crate) fn new(class: &'static Class, version: u32, lines: Vec<MigrationLine<'a>>) -> Self {
        Self { class, version, lines }
    }

    /// The line of `key`: one of this very key, else one that names the same property. O(lines × properties).
    fn find(&self, key: &str) -> Option<usize> {
        let named = |wanted: &dyn Fn(&str) -> bool| self.lines.iter().position(|line| wanted(&line.key));
        named(&|name| names_match(name, key)).or_else(|| {
            let property = self.class.find_property(key)?;
            named(&|name| property.is_named(name))
        })
    }

    /// The class version the file was written by, at least 1 and below the current one.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The keys of the file, as it spells them, in its order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.lines.iter().map(|line| &*line.key)
    }

    /// The text of `key`, trimmed; `None` if the file does not name it.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.find(key).map(|index| &*self.lines[index].text)
    }

    /// Gives `key` a text, in its line or in a new one. The text is that of a line: strings that need quotes have them.
    pub fn set(&mut self, key: &str, text: impl Into<String>) {
        let text = text.into();
        match self.find(key) {
            Some(index) => self.lines[index].text = Cow::Owned(text),
            None => {
                self.lines.push(MigrationLine { key: Cow::Owned(key.to_owned()), text: Cow::Owned(text), node: None })
            }
        }
    }

    /// Calls the line of `old` `new`; `false`, with nothing done, if there is no such line or `new` is taken.
    pub fn rename(&mut self, old: &str, new: &str) -> bool {
        if self.lines.iter().any(|line| names_match(&line.key, new)) {
            return false;
        }
        match self.find(old) {
            Some(index) => {
                self.lines[index].key = Cow::Owned(new.to_owned());
                true
            }
            None => false,
        }
    }

    /// Takes the line of `key` away and gives its text.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        let index = self.find(key)?;
        Some(self.lines.remove(index).text.into_owned())
    }
}

impl<'a> Migration<'a> {
    /// The line that came from `node`; `None` if it was taken away. Lines keep the order of the file, new ones stand behind them.
    pub(crate) fn line_of(&self, node: &Node<'_>) -> Option<&MigrationLine<'a>> {
        let start = |line: &MigrationLine<'_>| line.node.as_ref().map_or(usize::MAX, |it| it.span.start);
        let index = self.lines.partition_point(|line| start(line) < node.span.start);
        self.lines.get(index).filter(|line| start(line) == node.span.start)
    }
}
