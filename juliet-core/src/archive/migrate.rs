//! Files of an older class version: the user's functions turn their raw lines into those of the current version.

use super::findings::Findings;
use super::keys::KeySet;
use super::part::{Part, section_directive};
use super::path::{find_leaf, is_position_of};
use super::place::find_named;
use super::read::{Read, Reader, fault};
use super::write::write_value;
use crate::class::{Class, MigrateError, Migration, MigrationLine, names_match};
use crate::diag::{Code, Diagnostic};
use crate::mem::{ErasedMut, ErasedRef, OwnedValue};
use crate::text::{Document, Layout, Node, NodeKind, Spelling};

/// What a migration made of the lines of a file, for the writer of that file.
#[derive(Debug)]
pub(super) struct Migrated {
    lines: Vec<MigratedLine>,
}

/// A line after a migration.
#[derive(Debug)]
pub(super) struct MigratedLine {
    pub(super) key: String,
    pub(super) text: String,
    pub(super) is_removal: bool,
    pub(super) is_untouched: bool,
    /// Where the line of the file begins; `usize::MAX` for a new one.
    at: usize,
}

impl Migrated {
    fn of(lines: &[MigrationLine<'_>]) -> Self {
        let line = |line: &MigrationLine<'_>| MigratedLine {
            key: line.key.to_string(),
            text: line.text.to_string(),
            is_removal: line.is_removal,
            is_untouched: line.is_untouched(),
            at: line.node.as_ref().map_or(usize::MAX, |node| node.span.start),
        };
        Self { lines: lines.iter().map(line).collect() }
    }

    /// The lines that say something else than the file, and new ones.
    pub(super) fn touched(&self) -> impl Iterator<Item = &MigratedLine> {
        self.lines.iter().filter(|line| !line.is_untouched)
    }

    /// Those that no line of the file became.
    pub(super) fn new_lines(&self) -> impl Iterator<Item = &MigratedLine> {
        self.lines.iter().filter(|line| line.at == usize::MAX)
    }

    /// Whether a line is left that would mean something else in another version.
    pub(super) fn is_of_a_version(&self, class: &Class) -> bool {
        self.lines.iter().any(|line| !line.is_untouched || !is_position_of(class, &line.key))
    }

    /// The line that came from `node`; `None` if it was taken away. Lines keep the order of the file, new ones stand behind them.
    pub(super) fn line_of(&self, node: &Node<'_>) -> Option<&MigratedLine> {
        let index = self.lines.partition_point(|line| line.at < node.span.start);
        self.lines.get(index).filter(|line| line.at == node.span.start)
    }
}

/// The lines of an older file as its migration makes them, on top of the defaults of the class; `None` if there is no migration, or it refuses
/// the file.
pub(super) fn migrated(part: &Part<'_>) -> Option<Migrated> {
    if part.class.migration_from(part.class_version).is_empty() {
        return None;
    }
    let base = OwnedValue::of_type(part.class.ty());
    let inherited = |key: &str| text_of(base.as_ref(), key);
    let lines = part.lines().map(MigrationLine::of).collect();
    let role = (part.role, part.inherits);
    let mut migration = Migration::new(part.class, part.class_version, role, &inherited, lines);
    run(part, &mut migration).ok()?;
    Some(Migrated::of(&migration.lines))
}

/// The lines of an older file after `migration` passed the steps for its version.
///
/// # Errors
/// What a step says.
fn run(part: &Part<'_>, migration: &mut Migration<'_>) -> Result<(), MigrateError> {
    for &(from, step) in part.class.migration_from(part.class_version) {
        step(migration)?;
        migration.version = from.saturating_add(1);
    }
    check_lines(part, migration)
}

/// The text of the property `key` of `value`.
fn text_of(value: ErasedRef<'_>, key: &str) -> Option<String> {
    let mut text = Vec::new();
    write_value(find_leaf(value.ty(), key)?.follow(value)?, Spelling::Colon, &mut text);
    String::from_utf8(text).ok()
}

/// Whether what the steps made is lines of the file's spelling: keys of no property are written as they are, and must not become a
/// directive, a comment or two lines. Of a property only the value is written, which has been read by then.
fn check_lines(part: &Part<'_>, migration: &Migration<'_>) -> Result<(), MigrateError> {
    let spelling = part.document.spelling();
    let is_written = |line: &&MigrationLine<'_>| {
        !line.is_untouched()
            && !is_position_of(part.class, &line.key)
            && find_named(part.class.ty(), &line.key).is_err()
    };
    let mut text = Vec::new();
    for line in migration.lines.iter().filter(is_written) {
        text.clear();
        let kind = if line.is_removal { NodeKind::Removal } else { NodeKind::Property };
        match line.is_removal {
            true => Layout::new(spelling).write_removal(&line.key, &mut text),
            false => Layout::new(spelling).write_property(&line.key, &line.text, &mut text),
        }
        let reads_back = core::str::from_utf8(&text).is_ok_and(|text| {
            let document = Document::new(text);
            let mut nodes = document.nodes();
            let same = |node: Node<'_>| {
                node.kind == kind && node.name == line.key && node.value == line.text.trim_matches([' ', '\t'])
            };
            // A removal looks the same in both spellings.
            (line.is_removal || document.spelling() == spelling)
                && nodes.next().is_some_and(same)
                && nodes.next().is_none()
        });
        if !reads_back {
            let text: String = line.text.chars().take(100).collect();
            return Err(format!("{:?} with the text {text:?} is no line of a file", line.key).into());
        }
    }
    Ok(())
}

/// Reads the values of an older file.
pub(super) fn read_migrated(part: &Part<'_>, mut value: ErasedMut<'_>, findings: &mut Findings) -> Read {
    // Faults of lines come first: a migration must not see, or lose, a line that is not one.
    for node in part.rest.clone() {
        if let NodeKind::Fault(_) = node.kind {
            fault(&part.source, part.document.spelling(), &node, findings);
        }
    }
    if !check_duplicates(part, findings) {
        return Read::default();
    }
    let base = OwnedValue::copy_of(value.as_ref());
    let lines = part.lines().map(MigrationLine::of).collect();
    let role = (part.role, part.inherits);
    let inherited = |key: &str| text_of(base.as_ref(), key);
    let mut migration = Migration::new(part.class, part.class_version, role, &inherited, lines);
    if let Err(error) = run(part, &mut migration) {
        findings.push(true, || {
            let message = cannot_be_migrated(part, &error);
            part.source.diagnostic(Code::MigrationFailed, part.directive_span("class_version"), message)
        });
        return Read::default();
    }
    let mut reader = Reader::new(part);
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
        let mut read = |findings: &mut Findings| match line.is_removal {
            true => reader.removal(&node, &mut value, part.inherits, findings),
            false => reader.property(&node, &mut value, findings),
        };
        match line.is_untouched() {
            true => read(findings),
            false => findings.changed(read, |found| place(part, line, found)),
        }
    }
    reader.remove_items(&mut value);
    if part.is_section {
        for node in part.rest.clone().filter(|node| node.kind == NodeKind::Directive) {
            section_directive(&part.source, &node, findings);
        }
    }
    let mut read = reader.read;
    read.migrated = Some(Box::new(Migrated::of(&migration.lines)));
    read
}

/// A finding about a text that stands in no file: told where its line stands, or for a new line where the version does.
#[cold]
fn place(part: &Part<'_>, line: &MigrationLine<'_>, found: Diagnostic) -> Diagnostic {
    let (span, code, message) = match &line.node {
        Some(node) => (node.value_range(), found.code, format!("{} (after its migration)", found.message)),
        None if found.is_error() => {
            (part.directive_span("class_version"), Code::MigrationFailed, cannot_be_migrated(part, &found.message))
        }
        None => (part.directive_span("class_version"), found.code, found.message.to_string()),
    };
    let placed = part.source.diagnostic(code, span, message);
    Diagnostic {
        severity: found.severity,
        property: found.property,
        expected: found.expected,
        found: found.found,
        help: found.help,
        related: found.related,
        ..placed
    }
}

#[cold]
fn cannot_be_migrated(part: &Part<'_>, why: &dyn core::fmt::Display) -> String {
    let (class, from, to) = (part.class.name(), part.class_version, part.class.version());
    format!("`{class}` cannot be migrated from version {from} to {to}: {why}")
}

/// Whether each key has one line: a migration would see the first of two only.
fn check_duplicates(part: &Part<'_>, findings: &mut Findings) -> bool {
    let (mut seen, mut once) = (KeySet::default(), true);
    let properties = || part.lines().filter(|node| node.kind == NodeKind::Property);
    for node in properties().filter(|node| !seen.insert(node.name)) {
        once = false;
        findings.push_some(true, || {
            let first = properties().find(|first| names_match(first.name, node.name))?;
            Some(super::header::duplicate(&part.source, Code::DuplicateKey, &first, &node))
        });
    }
    once
}
