//! What the program does not know in a file: it is kept as it is, and can be asked for.
//!
//! ```text
//! file of a class that is known      lines of keys, sections and directives that are not
//! file of a class that is not        everything but class, id, template, versions and position
//! ```
//!
//! Nothing here changes a text.

use core::ops::Range;

use super::findings::Findings;
use super::header::{Opened, is_directive_of_entities};
use super::items::{ItemFault, find_item};
use super::migrate::migrated;
use super::part::{Part, Section, opens_section};
use super::path::{find_leaf, is_position, is_position_of, is_removed};
use super::read::{Read, Reader, fault};
use crate::class::{Class, ClassKind, behind_key, names_match};
use crate::mem::ErasedMut;
use crate::text::{Document, Node, NodeKind, split_item};

/// Reads a file of an unknown class: its position. A line that is none is an error, as in any file.
#[cold]
pub(super) fn read_kept(part: &Part<'_>, mut value: ErasedMut<'_>, findings: &mut Findings) -> Read {
    let mut reader = Reader::new(part);
    for node in part.rest.clone() {
        match node.kind {
            NodeKind::Fault(_) => fault(&part.source, part.document.spelling(), &node, findings),
            NodeKind::Property if is_position(node.name) => reader.property(&node, &mut value, findings),
            _ => {}
        }
    }
    reader.read
}

/// The line by which a text names its class itself; `None` if it leaves that to its template. Linear up to that line.
pub fn class_line(text: &str) -> Option<Node<'_>> {
    let nodes = Document::new(text).nodes();
    let mut own = nodes.take_while(|node| !opens_section(node));
    own.find(|node| node.kind == NodeKind::Directive && matches!(node.name, "class" | "entity_type"))
}

/// What a line that is not known would be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownPart {
    /// A property, or a part of one; also a line that takes out an item.
    Key,
    /// A section: the data of a component.
    Section,
    /// A directive.
    Directive,
}

/// A line that says nothing to this program.
#[derive(Clone, Debug)]
pub struct UnknownLine<'a> {
    /// What it would be.
    pub part: UnknownPart,
    /// The line; of a section the one that opens it.
    pub node: Node<'a>,
    /// The bytes that go with it: of a section up to its last line that is neither blank nor a comment.
    pub span: Range<usize>,
    /// The component in whose section it stands; `None` for a line of the entity itself, and for a whole section.
    pub component: Option<&'static Class>,
}

/// The lines of a file that say nothing to this program, in its order. In a file of an unknown class these are all lines of properties but
/// the position. Lines that a migration of an older file takes up are known. Linear in the text; a call of `migrate` for an older file.
pub fn unknown_lines<'a>(opened: &Opened<'a>) -> Vec<UnknownLine<'a>> {
    let mut lines = Vec::new();
    let mut own = |part, node: Node<'a>| {
        lines.push(UnknownLine { part, span: node.span.clone(), node, component: None });
    };
    unknown_lines_of(&opened.body, &mut own);
    for line in opened.without.iter().filter(|line| line.component.is_none()) {
        own(UnknownPart::Directive, line.node.clone());
    }
    lines.sort_by_key(|line| line.span.start);
    for section in &opened.sections {
        match &section.part {
            Some(part) => unknown_lines_of(part, &mut |unknown, node| {
                let component = Some(part.class);
                lines.push(UnknownLine { part: unknown, span: node.span.clone(), node, component });
            }),
            None => lines.push(UnknownLine {
                part: UnknownPart::Section,
                node: section.node.clone(),
                span: section.said(&opened.document),
                component: None,
            }),
        }
    }
    lines
}

/// The unknown lines of one part.
pub(super) fn unknown_lines_of<'a>(part: &Part<'a>, each: &mut dyn FnMut(UnknownPart, Node<'a>)) {
    let migration = migrated(part);
    let is_unknown = |node: &Node<'a>| match &migration {
        Some(migration) => migration.line_of(node).is_some_and(|line| is_unknown_key(part.class, &line.key)),
        _ => is_unknown_key(part.class, node.name),
    };
    for node in part.document.nodes() {
        match node.kind {
            NodeKind::Directive if opens_section(&node) => {}
            NodeKind::Directive if part.is_section && node.name == "class_version" => {}
            NodeKind::Directive if part.is_section || !is_directive_of_entities(node.name) => {
                each(UnknownPart::Directive, node);
            }
            NodeKind::Property | NodeKind::Removal if is_unknown(&node) => each(UnknownPart::Key, node),
            _ => {}
        }
    }
}

/// Whether the section of component type number `kind` holds something that is not the program's: a comment or an unknown line. Linear in
/// the section.
pub fn keeps_lines(opened: &Opened<'_>, kind: ClassKind) -> bool {
    let is_it = |section: &&Section<'_>| section.part.as_ref().is_some_and(|part| part.kind == kind);
    let Some(section) = opened.sections.iter().find(is_it) else { return false };
    let mut keeps = false;
    if let Some(part) = &section.part {
        unknown_lines_of(part, &mut |_, _| keeps = true);
    }
    let mut said = opened.document.part(section.said(&opened.document)).nodes();
    keeps || said.any(|node| node.kind == NodeKind::Comment)
}

/// Whether a key names neither the position, which no component has, nor a property, nor an item: what the reader warns of. O(parts ×
/// properties).
pub fn is_unknown_key(class: &'static Class, key: &str) -> bool {
    let ty = class.ty();
    let is_item = || match find_item(ty, key) {
        Ok(_) => true,
        Err(fault) => !matches!(fault, ItemFault::NoItem | ItemFault::UnknownList(_) | ItemFault::UnknownPart(..)),
    };
    !is_position_of(class, key) && find_leaf(ty, key).is_none() && !is_item() && !is_removed(ty, key)
}

/// A name of a file taken apart: `Loot[gold].OldHue.X` by `Loot[].OldHue` is `Loot[gold]` and `.X`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamePart<'n> {
    /// The item, as the file names it, for a key of a part of every item; else empty.
    pub item: &'n str,
    /// What follows the key: nothing, or a point or bracket and more.
    pub rest: &'n str,
}

/// What `name` says beyond `key`, if it names that or a part of it, in either spelling. A `[]` in the key stands for any item of a list.
///
/// ```
/// use juliet_core::archive::{NamePart, part_of_key};
/// let rest = |name, key| part_of_key(name, key).map(|part: NamePart<'_>| part.rest);
/// assert_eq!(rest("old_loot[gold].Count", "OldLoot"), Some("[gold].Count"));
/// assert_eq!(rest("OldLoot", "OldLoot"), Some(""));
/// assert_eq!(rest("OldLooter", "OldLoot"), None);
/// ```
pub fn part_of_key<'n>(name: &'n str, key: &str) -> Option<NamePart<'n>> {
    let Some((list, inner)) = key.split_once("[]") else {
        return Some(NamePart { item: "", rest: behind_key(name, key)? });
    };
    let split = split_item(name).filter(|split| names_match(split.list, list))?;
    let rest = behind_key(split.rest, inner.strip_prefix('.')?)?;
    let item = name.get(..name.len() - split.rest.len())?;
    Some(NamePart { item: item.strip_suffix('.').unwrap_or(item), rest })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::archive::{open, read_values};
    use crate::class::ClassRegistry;
    use crate::diag::Code;
    use crate::mem::OwnedValue;

    fn read(text: &str) -> (Option<[f32; 4]>, Vec<(Code, bool)>) {
        let registry = ClassRegistry::new();
        let mut findings = Findings::new();
        let opened = open(&registry, "A.jasset", text, &mut findings);
        let position = opened.and_then(|opened| {
            let mut value = OwnedValue::new(&registry, opened.kind()).unwrap();
            read_values(&opened, value.as_mut(), &mut findings).position
        });
        let found = findings.into_diagnostics("A.jasset");
        (position, found.into_iter().map(|it| (it.code, it.is_error())).collect())
    }

    #[test]
    fn of_an_unknown_class_the_position_is_read_and_one_warning_given() {
        let warned = vec![(Code::UnknownClass, false)];
        let text = "; class: What\n; class_version: 900\nPosition: 1, 2, 3\nA: 1\nA: 2\n! L[a]\n\n; component: M\nPosition: x\n";
        assert_eq!(read(text), (Some([1.0, 2.0, 3.0, 1.0]), warned.clone()));
        assert_eq!(read("; class\nWhat\n; position\n1 2 3\n; a\n[\n"), (Some([1.0, 2.0, 3.0, 1.0]), warned));
    }

    #[test]
    fn lines_that_are_none_still_refuse_a_file_of_an_unknown_class() {
        for (text, code) in [
            ("; class: What\nno line\n", Code::SyntaxLine),
            ("; class: What\nPosition: 1, 2\n", Code::WrongCount),
            ("; class: What\nPosition: 1, 2, 3\nposition: 1 2 3\n", Code::DuplicateKey),
            ("; class: What\n; component: M\n; id: 0x01\n", Code::MisplacedDirective),
            ("; class: What\n; class_version: new\n", Code::BadVersion),
            ("; class: Wh\u{200B}at\n", Code::UnknownClass),
        ] {
            let (_, found) = read(text);
            assert_eq!(found.last(), Some(&(code, true)), "{text:?}");
        }
        let (_, found) = read("; class: What\nA: 1\n<<<<<<< HEAD\nPosition: 1\n=======\n>>>>>>> x\n");
        assert_eq!(found, [(Code::ConflictMarker, true)]);
    }

    #[test]
    fn names_are_taken_apart_by_keys() {
        let parts = |name, key| part_of_key(name, key).map(|it: NamePart<'_>| (it.item, it.rest));
        for (name, key, expected) in [
            ("OldArmor", "OldArmor", Some(("", ""))),
            ("old_armor.x", "OldArmor", Some(("", ".x"))),
            ("OldLoot[a.b].Count", "old_loot", Some(("", "[a.b].Count"))),
            ("Light.OldHue.X", "Light.OldHue", Some(("", ".X"))),
            ("Light", "Light.OldHue", None),
            ("Loot[gold].OldHue.X", "Loot[].OldHue", Some(("Loot[gold]", ".X"))),
            ("loot[\"a].b\"].old_hue", "Loot[].OldHue", Some(("loot[\"a].b\"]", ""))),
            ("Loot[gold]", "Loot[].OldHue", None),
            ("OldArmor", "OldArm", None),
            ("[a]", "OldArm", None),
            ("", "OldArm", None),
        ] {
            assert_eq!(parts(name, key), expected, "{name} {key}");
        }
    }
}
