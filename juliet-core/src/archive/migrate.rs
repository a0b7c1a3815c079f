//! Files of an older class version: the user's function turns their raw lines into those of the current version.

use super::findings::Findings;
use super::header::Opened;
use super::keys::KeySet;
use super::read::{Read, Reader, node_fault};
use crate::class::{MigrateError, MigrateFn, Migration, MigrationLine, names_match};
use crate::diag::Code;
use crate::mem::ErasedMut;
use crate::text::{Node, NodeKind};

/// The lines of an older file after `migrate`.
///
/// # Errors
/// What `migrate` says.
pub(super) fn migrated<'a>(opened: &Opened<'a>, migrate: MigrateFn) -> Result<Migration<'a>, MigrateError> {
    let lines = properties(opened).map(MigrationLine::of);
    let mut migration = Migration::new(opened.class_version, lines.collect());
    migrate(&mut migration)?;
    Ok(migration)
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
    if !check_duplicates(opened, findings) {
        return Read::default();
    }
    let migration = match migrated(opened, migrate) {
        Ok(migration) => migration,
        Err(error) => {
            let (class, from, to) = (opened.class.name(), opened.class_version, opened.class.version());
            let message = format!("`{class}` cannot be migrated from version {from} to {to}: {error}");
            findings.push(true, || {
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
        reader.property(&node, &mut value, findings);
    }
    for node in opened.rest.clone().filter(is_section) {
        reader.section(&node, findings);
    }
    reader.read
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
