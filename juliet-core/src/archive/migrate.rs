//! Files of an older class version: the user's function turns their raw lines into those of the current version.

use super::findings::Findings;
use super::header::Opened;
use super::keys::KeySet;
use super::path::{find_leaf, is_position};
use super::read::{Read, Reader, node_fault};
use crate::class::{MigrateError, MigrateFn, Migration, MigrationLine, names_match};
use crate::diag::{Code, Diagnostic};
use crate::mem::ErasedMut;
use crate::text::{Document, Layout, Node, NodeKind};

/// The lines of an older file after `migrate`.
///
/// # Errors
/// What `migrate` says.
pub(super) fn migrated<'a>(opened: &Opened<'a>, migrate: MigrateFn) -> Result<Migration<'a>, MigrateError> {
    let lines = properties(opened).map(MigrationLine::of);
    let mut migration = Migration::new(opened.class, opened.class_version, lines.collect());
    migrate(&mut migration)?;
    check_lines(opened, &migration)?;
    Ok(migration)
}

/// Whether what `migrate` made is lines of the file's spelling: keys of no property are written as they are, and must not become a
/// directive, a comment or two lines. Of a property only the value is written, which has been read by then.
fn check_lines(opened: &Opened<'_>, migration: &Migration<'_>) -> Result<(), MigrateError> {
    let spelling = opened.document.spelling();
    let is_written = |line: &&MigrationLine<'_>| {
        !line.is_untouched() && !is_position(&line.key) && find_leaf(opened.class.ty(), &line.key).is_none()
    };
    let mut text = Vec::new();
    for line in migration.lines.iter().filter(is_written) {
        text.clear();
        Layout::new(spelling).write_property(&line.key, &line.text, &mut text);
        let reads_back = core::str::from_utf8(&text).is_ok_and(|text| {
            let document = Document::new(text);
            let mut nodes = document.nodes();
            let same = |node: Node<'_>| {
                node.kind == NodeKind::Property
                    && node.name == line.key
                    && node.value == line.text.trim_matches([' ', '\t'])
            };
            document.spelling() == spelling && nodes.next().is_some_and(same) && nodes.next().is_none()
        });
        if !reads_back {
            let text: String = line.text.chars().take(100).collect();
            return Err(format!("{:?} with the text {text:?} is no line of a file", line.key).into());
        }
    }
    Ok(())
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
        if let NodeKind::Fault(_) = node.kind {
            node_fault(opened, &node, findings);
        }
    }
    if !check_duplicates(opened, findings) {
        return Read::default();
    }
    let migration = match migrated(opened, migrate) {
        Ok(migration) => migration,
        Err(error) => {
            findings.push(true, || {
                let message = cannot_be_migrated(opened, &error);
                opened.source.diagnostic(Code::MigrationFailed, opened.directive_span("class_version"), message)
            });
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
        if line.is_untouched() {
            reader.property(&node, &mut value, findings);
            continue;
        }
        let mut found = Findings::new();
        reader.property(&node, &mut value, &mut found);
        for diagnostic in found.into_diagnostics(opened.source.file()) {
            findings.push(diagnostic.is_error(), || place(opened, line, diagnostic));
        }
    }
    let own = opened.rest.clone().take_while(|node| !is_section(node));
    for node in own.filter(|node| node.kind == NodeKind::Removal) {
        reader.removal(&node, &mut value, opened.template.is_some(), findings);
    }
    reader.remove_items(&mut value);
    for node in opened.rest.clone().filter(|node| node.kind == NodeKind::Directive) {
        match is_section(&node) {
            true => reader.section(&node, findings),
            false => reader.directive(&node, findings),
        }
    }
    reader.read
}

/// A finding about a text that stands in no file: told where its line stands, or for a new line where the version does.
#[cold]
fn place(opened: &Opened<'_>, line: &MigrationLine<'_>, found: Diagnostic) -> Diagnostic {
    let (span, code, message) = match &line.node {
        Some(node) => (node.value_range(), found.code, format!("{} (after its migration)", found.message)),
        None if found.is_error() => {
            (opened.directive_span("class_version"), Code::MigrationFailed, cannot_be_migrated(opened, &found.message))
        }
        None => (opened.directive_span("class_version"), found.code, found.message.to_string()),
    };
    let placed = opened.source.diagnostic(code, span, message);
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
fn cannot_be_migrated(opened: &Opened<'_>, why: &dyn core::fmt::Display) -> String {
    let (class, from, to) = (opened.class.name(), opened.class_version, opened.class.version());
    format!("`{class}` cannot be migrated from version {from} to {to}: {why}")
}

/// Whether each key has one line: a migration would see the first of two only.
fn check_duplicates(opened: &Opened<'_>, findings: &mut Findings) -> bool {
    let (mut seen, mut once) = (KeySet::default(), true);
    let properties = || properties(opened);
    for node in properties().filter(|node| !seen.insert(node.name)) {
        once = false;
        findings.push_some(true, || {
            let first = properties().find(|first| names_match(first.name, node.name))?;
            Some(super::header::duplicate(&opened.source, Code::DuplicateKey, &first, &node))
        });
    }
    once
}

/// The lines a migration sees: properties of the entity itself.
fn properties<'a>(opened: &Opened<'a>) -> impl Iterator<Item = Node<'a>> {
    let in_section = |node: &Node<'_>| node.kind == NodeKind::Directive && node.name == "component";
    opened.rest.clone().take_while(move |node| !in_section(node)).filter(|node| node.kind == NodeKind::Property)
}
