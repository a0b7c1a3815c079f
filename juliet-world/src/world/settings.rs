//! `WorldSettings.jasset`: what a world says about itself. It carries `; asset_type` and `; version` and no class, and a line for each of
//! the systems of the world: `Systems[move]: true`.

use std::collections::{HashMap, HashSet};

use juliet_core::archive::{FILE_LIMIT_BYTES, Findings, decode};
use juliet_core::diag::{Code, Diagnostic, Source, nearest};
use juliet_core::text::{
    Document, Edits, Layout, Node, NodeKind, Spelling, parse_integer, split_item, unquote, write_string_quoted,
};

use super::World;
use super::game::{Listed, SystemList};
use super::load::escapes;
use crate::folder::{Fingerprint, ReadOutcome, Write};
use crate::project::Project;

/// Name of the settings file in the folder of a world.
pub const SETTINGS_FILE: &str = "WorldSettings.jasset";

/// Version of the settings this program writes and the newest it reads.
const VERSION: u32 = 1;
const ASSET_TYPE: &str = "world_settings";

/// The text of a new world's settings.
pub(crate) fn new_settings() -> Vec<u8> {
    let (layout, mut out) = (Layout::new(Spelling::Colon), Vec::new());
    layout.write_directive("asset_type", ASSET_TYPE, &mut out);
    layout.write_directive("version", &VERSION.to_string(), &mut out);
    out
}

/// The list of systems in the settings of the world in `folder`, and what is wrong with them; a world without the file is a world with the
/// default settings.
///
/// Keys that the program does not know are nobody's business here: their lines stay.
pub(super) fn read_settings(project: &Project, folder: &str) -> (SystemList, Vec<Diagnostic>) {
    let label = format!("{}{folder}/{SETTINGS_FILE}", project.prefix());
    let refused = |diagnostic| (SystemList { is_faulty: true, ..SystemList::default() }, vec![diagnostic]);
    let mut bytes = Vec::new();
    let path = project.root().join(folder).join(SETTINGS_FILE);
    if escapes(project, &path) {
        let message = "the link leaves the content folder";
        return refused(Diagnostic::new(Code::SymlinkEscapes, message).in_file(label));
    }
    match project.file_system().read(&path, &mut bytes, FILE_LIMIT_BYTES) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Default::default(),
        Err(error) => refused(Diagnostic::new(Code::ReadFailed, format!("cannot be read: {error}")).in_file(label)),
        Ok(ReadOutcome::TooLarge { size_bytes }) => refused(super::report::too_large(&label, size_bytes)),
        Ok(ReadOutcome::Whole) => match decode(&label, &bytes) {
            Ok(text) => {
                let (systems, diagnostics) = read_text(&label, text);
                let is_faulty = !diagnostics.is_empty();
                (SystemList { systems, file: Some(text.into()), is_faulty }, diagnostics)
            }
            Err(diagnostic) => refused(*diagnostic),
        },
    }
}

/// The systems of a text, and its faults.
fn read_text(label: &str, text: &str) -> (Vec<Listed>, Vec<Diagnostic>) {
    let (document, source) = (Document::new(text), Source::new(label, text));
    let mut found = Findings::new();
    let (mut asset_type, mut systems) = (None, Vec::new());
    let mut names = HashSet::new();
    for node in document.nodes() {
        let wrong = |expected: &str| {
            source
                .diagnostic(
                    Code::BadSettings,
                    node.value_range(),
                    format!("{}: expected {expected}, found `{}`", node.name, node.value),
                )
                .property(node.name)
                .expected(expected)
                .found(node.value)
        };
        match (node.kind, node.name) {
            (NodeKind::Fault(_), _) => found.push_some(true, || node.diagnostic(document.spelling(), &source)),
            (NodeKind::Directive, "asset_type") => {
                asset_type = Some(node.value);
                if node.value != ASSET_TYPE {
                    found.push(true, || wrong(ASSET_TYPE));
                }
            }
            (NodeKind::Directive, "version") => match parse_integer::<u32>(node.value) {
                Ok(1..=VERSION) => {}
                _ => found.push(true, || wrong(&format!("a version up to {VERSION}"))),
            },
            (NodeKind::Property, "Systems" | "systems") => {
                found.push(true, || wrong("a line for each system, such as `Systems[move]: true`"));
            }
            _ => match system_of(&node) {
                None => {}
                Some(Some(name)) if !names.insert(name.clone()) => {
                    let message = format!("the system `{name}` stands twice in the list");
                    found.push(true, || source.diagnostic(Code::DuplicateKey, node.name_range(), message));
                }
                Some(Some(name)) if matches!(node.value, "true" | "false") => {
                    systems.push(Listed { name, is_on: node.value == "true" });
                }
                Some(Some(_)) => found.push(true, || wrong("true or false")),
                Some(None) => found.push(true, || wrong("the name of a system in brackets")),
            },
        }
    }
    if asset_type.is_none() && found.is_ok() {
        let message = format!("no asset type: expected `; asset_type: {ASSET_TYPE}`");
        found.error(source.diagnostic(Code::BadSettings, 0..0, message).expected(ASSET_TYPE));
    }
    (systems, found.into_diagnostics(label))
}

/// `Some` for a line of the list of systems: the name, if there is one.
fn system_of(node: &Node<'_>) -> Option<Option<Box<str>>> {
    let Some(item) = split_item(node.name) else {
        let begins = |list| node.name.strip_prefix(list).is_some_and(|rest| rest.starts_with('['));
        return (begins("Systems") || begins("systems")).then_some(None);
    };
    if !matches!(item.list, "Systems" | "systems") {
        return None;
    }
    if node.kind != NodeKind::Property || item.key.is_empty() || !item.rest.is_empty() {
        return Some(None);
    }
    Some(match item.key.starts_with('"') {
        true => unquote(item.key).ok().map(|text| text.to_string().into()),
        false => Some(item.key.into()),
    })
}

/// What is told of systems of the list that the program has no maker for: the first ones, and a count of the rest.
pub(super) fn unknown_systems<'n>(
    label: &str,
    text: &str,
    names: &HashSet<&str>,
    known: impl Iterator<Item = &'n str> + Clone,
) -> Vec<Diagnostic> {
    let (source, mut found) = (Source::new(label, text), Findings::new());
    for node in Document::new(text).nodes() {
        let Some(name) = system_of(&node).flatten().filter(|name| names.contains(&**name)) else { continue };
        found.push(false, || {
            let near =
                nearest(&name, known.clone()).map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let message = format!("this program has no system `{name}`: it does not run, and stays in the list{near}");
            source.diagnostic(Code::UnknownSystem, node.name_range(), message).found(&*name)
        });
    }
    found.into_diagnostics(label)
}

/// The text with exactly these systems in its list; every other line as it is. `None` if that cannot be said in this text.
fn with_systems(text: &str, systems: &[Listed]) -> Option<Vec<u8>> {
    let document = Document::new(text);
    let nodes: Vec<(Node<'_>, Option<Box<str>>)> =
        document.nodes().map(|node| (node.clone(), system_of(&node).flatten())).collect();
    let lines: HashMap<&str, &Node<'_>> =
        nodes.iter().filter_map(|(node, name)| Some((name.as_deref()?, node))).collect();
    let wanted: HashSet<&str> = systems.iter().map(|it| &*it.name).collect();
    let mut edits = Edits::new(document);
    for (node, name) in &nodes {
        if name.as_deref().is_some_and(|name| !wanted.contains(name)) {
            edits.remove(node);
        }
    }
    // Before the first line of the list, or behind all lines.
    let first = nodes.iter().find(|(_, name)| name.is_some()).map(|(node, _)| node.span.start);
    let mut at = first.unwrap_or(text.len());
    for system in systems {
        let value = if system.is_on { "true" } else { "false" };
        match lines.get(&*system.name) {
            Some(node) if node.span.start >= at => {
                if node.value != value {
                    edits.replace_value(node, value);
                }
                at = node.span.end;
            }
            line => {
                // It comes later than it did.
                line.into_iter().for_each(|node| edits.remove(node));
                let list = if document.spelling() == Spelling::Node { "systems" } else { "Systems" };
                let key = format!("{list}[{}]", key_of(&system.name));
                edits.insert_lines(at, |layout, out| layout.write_property(&key, value, out));
            }
        }
    }
    let mut out = Vec::new();
    edits.apply(&mut out).ok()?;
    let (read, faults) = read_text("", std::str::from_utf8(&out).ok()?);
    (faults.is_empty() && read == systems).then_some(out)
}

/// A name as it stands in brackets.
fn key_of(name: &str) -> String {
    if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')) {
        return name.to_owned();
    }
    let mut out = Vec::new();
    write_string_quoted(name, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

impl World {
    /// The settings file as diagnostics name it.
    pub(super) fn settings_label(&self) -> String {
        format!("{}{}/{SETTINGS_FILE}", self.prefix(), self.folder)
    }

    /// What a save has to write for the settings; an error if the list of systems cannot be written.
    pub(super) fn settings_write(&self) -> Result<Option<Write>, Box<Diagnostic>> {
        let SystemList { systems, file, is_faulty } = &self.game.list;
        let fresh = String::from_utf8_lossy(&new_settings()).into_owned();
        let text = file.as_deref().unwrap_or(&fresh);
        let is_new = file.is_none() && (self.new_settings || !systems.is_empty());
        // Of a file that was not understood the list holds what could be read; it is not written.
        if !is_new && (file.is_none() || read_text("", text).0 == *systems) {
            return Ok(None);
        }
        let new = if *is_faulty { None } else { with_systems(text, systems) };
        let Some(new) = new else {
            let message =
                "the list of systems is not saved: the file is not understood, see what was told when it was loaded";
            return Err(Box::new(Diagnostic::new(Code::WriteFailed, message).in_file(self.settings_label())));
        };
        let path = format!("{}/{SETTINGS_FILE}", self.folder).into();
        let old = file.as_ref().map(|file| Fingerprint::of(file.as_bytes()));
        Ok(Some(Write { path, old, new, needs: None }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_accepted() {
        let text = String::from_utf8(new_settings()).unwrap_or_default();
        assert_eq!(text, "; asset_type: world_settings\n; version: 1\n");
        assert_eq!(read_text("W", &text).1, []);
    }

    #[test]
    fn faults_name_their_line() {
        for (text, line) in [
            ("; asset_type: mesh\n; version: 1\n", 1),
            ("; asset_type: world_settings\n; version: 2\n", 2),
            ("; version: 1\n", 1),
            ("", 1),
            ("; asset_type: world_settings\nrubbish\n", 2),
        ] {
            let (_, found) = read_text("W", text);
            assert_eq!(found.iter().map(|it| it.line).collect::<Vec<_>>(), [line], "{text:?}");
        }
    }
}
