//! Files of an older class version: the user's function turns their raw lines into those of the current version.

use core::hash::BuildHasher;
use std::borrow::Cow;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::findings::Findings;
use super::header::Opened;
use super::read::{Read, Reader, node_fault};
use crate::class::{hash_name, names_match};
use crate::diag::Code;
use crate::mem::ErasedMut;
use crate::text::{Node, NodeKind};

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
/// Keys are named in either spelling. Lines that are not touched keep their bytes; the file itself changes only when its entity is saved.
#[derive(Debug)]
pub struct Migration<'a> {
    version: u32,
    pub(super) lines: Vec<Line<'a>>,
}

/// A key and its text, and the line of the file it comes from.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) key: Cow<'a, str>,
    pub(super) text: Cow<'a, str>,
    /// The node of the file, whose key and value may differ by now; `None` for a new line.
    pub(super) node: Option<Node<'a>>,
}

impl Line<'_> {
    /// Whether the line says what its node says.
    pub(super) fn is_untouched(&self) -> bool {
        self.node.as_ref().is_some_and(|node| node.name == self.key && node.value == self.text)
    }
}

impl<'a> Migration<'a> {
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
        self.lines.iter().find(|line| names_match(&line.key, key)).map(|line| &*line.text)
    }

    /// Gives `key` a text, in its line or in a new one. The text is that of a line: strings that need quotes have them.
    pub fn set(&mut self, key: &str, text: impl Into<String>) {
        let text = text.into();
        match self.lines.iter_mut().find(|line| names_match(&line.key, key)) {
            Some(line) => line.text = Cow::Owned(text),
            None => self.lines.push(Line { key: Cow::Owned(key.to_owned()), text: Cow::Owned(text), node: None }),
        }
    }

    /// Calls the line of `old` `new`; `false`, with nothing done, if there is no such line or `new` is taken.
    pub fn rename(&mut self, old: &str, new: &str) -> bool {
        if self.get(new).is_some() {
            return false;
        }
        match self.lines.iter_mut().find(|line| names_match(&line.key, old)) {
            Some(line) => {
                line.key = Cow::Owned(new.to_owned());
                true
            }
            None => false,
        }
    }

    /// Takes the line of `key` away and gives its text.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        let index = self.lines.iter().position(|line| names_match(&line.key, key))?;
        Some(self.lines.remove(index).text.into_owned())
    }
}

impl<'a> Migration<'a> {
    /// The line that came from `node`; `None` if it was taken away. Lines keep the order of the file, new ones stand behind them.
    pub(super) fn line_of(&self, node: &Node<'_>) -> Option<&Line<'a>> {
        let start = |line: &Line<'_>| line.node.as_ref().map_or(usize::MAX, |it| it.span.start);
        let index = self.lines.partition_point(|line| start(line) < node.span.start);
        self.lines.get(index).filter(|line| start(line) == node.span.start)
    }
}

/// The lines of an older file after `migrate`.
///
/// # Errors
/// What `migrate` says.
pub(super) fn migrated<'a>(opened: &Opened<'a>, migrate: MigrateFn) -> Result<Migration<'a>, MigrateError> {
    let lines = properties(opened).map(|node| Line {
        key: Cow::Borrowed(node.name),
        text: Cow::Borrowed(node.value),
        node: Some(node),
    });
    let mut migration = Migration { version: opened.class_version, lines: lines.collect() };
    migrate(&mut migration)?;
    Ok(migration)
}

/// The properties of the entity itself: those before the first component.
fn properties<'a>(opened: &Opened<'a>) -> impl Iterator<Item = Node<'a>> {
    let nodes = opened.rest.clone().take_while(|node| !is_section(node));
    nodes.filter(|node| node.kind == NodeKind::Property)
}

fn is_section(node: &Node<'_>) -> bool {
    node.kind == NodeKind::Directive && node.name == "component"
}

/// Reads the values of an older file.
pub(super) fn read_migrated(
    opened: &Opened<'_>,
    migrate: MigrateFn,
    mut value: ErasedMut<'_>,
    findings: &mut Findings,
) -> Read {
    // Faults of lines come first: a migration must not see, or lose, a line that is not one.
    for node in opened.rest.clone() {
        match node.kind {
            NodeKind::Fault(_) => node_fault(opened, &node, findings),
            NodeKind::Removal => findings.push(true, || super::read::removal(&opened.source, &node)),
            _ => {}
        }
    }
    check_duplicates(opened, findings);
    let migration = match migrated(opened, migrate) {
        Ok(migration) => migration,
        Err(error) => {
            let (class, from, to) = (opened.class.name(), opened.class_version, opened.class.version());
            let message = format!("`{class}` cannot be migrated from version {from} to {to}: {error}");
            findings.push(true, || opened.source.diagnostic(Code::MigrationFailed, 0..0, message));
            return Read::default();
        }
    };
    let mut reader = Reader::new(opened.source, &opened.document, opened.class.ty());
    for line in &migration.lines {
        let node = match &line.node {
            Some(node) => Node { name: &line.key, value: &line.text, ..node.clone() },
            None => Node {
                kind: NodeKind::Property,
                name: &line.key,
                value: &line.text,
                span: 0..0,
                name_at: 0,
                value_at: 0,
            },
        };
        reader.property(&node, &mut value, findings);
    }
    for node in opened.rest.clone().filter(is_section) {
        reader.section(&node, findings);
    }
    reader.read
}

/// Two lines of one key: a migration would see the first only.
fn check_duplicates(opened: &Opened<'_>, findings: &mut Findings) {
    let mut seen: HashTable<Node<'_>> = HashTable::new();
    let hasher = foldhash::fast::FixedState::default();
    let hash = |node: &Node<'_>| {
        let mut state = hasher.build_hasher();
        hash_name(node.name, &mut state);
        core::hash::Hasher::finish(&state)
    };
    for node in properties(opened) {
        match seen.entry(hash(&node), |first| names_match(first.name, node.name), hash) {
            Entry::Occupied(first) => {
                findings.push(true, || super::header::duplicate(&opened.source, Code::DuplicateKey, first.get(), &node))
            }
            Entry::Vacant(vacant) => drop(vacant.insert(node)),
        }
    }
}
