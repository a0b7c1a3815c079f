//! Files of an older class version: the user's function turns their raw lines into those of the current version.

use std::collections::HashMap;

use super::findings::Findings;
use super::header::Opened;
use super::read::{Read, Reader, node_fault};
use crate::class::{MigrateError, MigrateFn, Migration, MigrationLine};
use crate::diag::Code;
use crate::mem::ErasedMut;
use crate::text::{Node, NodeKind};

/// The lines of an older file after `migrate`.
///
/// # Errors
/// What `migrate` says.
pub(super) fn migrated<'a>(opened: &Opened<'a>, migrate: MigrateFn) -> Result<Migration<'a>, MigrateError> {
    let in_section = |node: &Node<'_>| node.kind == NodeKind::Directive && node.name == "component";
    let nodes = opened.rest.clone().take_while(|node| !in_section(node));
    let lines = nodes.filter(|node| node.kind == NodeKind::Property).map(MigrationLine::of);
    let mut migration = Migration::new(opened.class_version, lines.collect());
    migrate(&mut migration)?;
    Ok(migration)
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
    reader.read
}

/// Two lines of one key, in either spelling: a migration would see the first only. Linear in the text.
fn check_duplicates(opened: &Opened<'_>, findings: &mut Findings) {
    // Names as they stand, and as the colon spelling has them, each with the line that came first.
    let mut names: HashMap<&str, Node<'_>> = HashMap::new();
    let mut keys: HashMap<String, Node<'_>> = HashMap::new();
    for node in opened.rest.clone().filter(|node| node.kind == NodeKind::Property) {
        let key = pascal(node.name);
        match names.get(node.name).or_else(|| names.get(&*key)).or_else(|| keys.get(node.name)) {
            Some(first) => {
                findings.push(true, || super::header::duplicate(&opened.source, Code::DuplicateKey, first, &node));
            }
            None => {
                keys.entry(key).or_insert_with(|| node.clone());
                names.insert(node.name, node);
            }
        }
    }
}

/// A name in the colon spelling: each part between underscores with its first letter in upper case.
fn pascal(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    for part in name.split('_') {
        let mut letters = part.chars();
        key.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        key.push_str(letters.as_str());
    }
    key
}
