//! Values of a file → memory, in place.
//!
//! ```text
//! for each line:  key == the next property's key?  ──yes──► it           (files are written in declaration order)
//!                              │ no
//!                              ▼ search: position, keys and aliases, dotted path, else unknown: kept and warned about
//!                 seen before? ──► error with both lines
//!                 property.ty.read(text) ──► bytes at base + offset
//! ```

mod items;

pub(super) use items::parts_named;

use super::findings::Findings;
use super::header::{Opened, duplicate};
use super::items::find_item;
use super::kept;
use super::keys::KeySet;
use super::leaves::{LeafSet, leaves_named_in};
use super::migrate;
use super::overrides::Overrides;
use super::part::{Part, check_unknown, section_directive};
use super::path::{fields_of, find_leaf, is_removed};
use crate::class::shape::{Fault, KeyIndex, Place};
use crate::class::{Kind, Property, PropertyType, Range, names_match, value};
use crate::diag::nearest;
use crate::diag::{Code, Diagnostic, Source};
use crate::mem::ErasedMut;
use crate::text::{
    Document, NextValue, Node, NodeFault, NodeKind, Nodes, Spelling, is_invisible, numbers, offset_in, scan_numbers,
};

/// What a file said, beside the values themselves.
#[derive(Debug, Default)]
pub struct Read {
    /// The position, if the file names one; the fourth number is 1.
    pub position: Option<[f32; 4]>,
    /// The leaves that lines of the file cover.
    pub leaves: LeafSet,
    /// Those of them that the line, a struct in braces, leaves out.
    pub(super) unsaid: LeafSet,
    /// What lines of single items say.
    pub(super) items: Overrides,
    /// What the migration of an older file made of its lines.
    pub(super) migrated: Option<Box<migrate::Migrated>>,
    /// What its sections said, in the order of [`Opened::components`].
    pub(super) sections: Vec<Read>,
}

impl Read {
    /// What the file says beyond what it inherits.
    pub fn overrides(&self) -> Overrides {
        Overrides::of(&self.leaves, &self.unsaid, self.items.clone())
    }

    /// Adds what [`read_component`] said of the next of [`Opened::components`].
    pub fn add_component(&mut self, section: Self) {
        self.sections.push(section);
    }

    /// What was said of the components, in the order of [`Opened::components`].
    pub fn components(&self) -> &[Self] {
        &self.sections
    }
}

/// Reads the values of a file into `value`, which holds the class defaults (or what a template says). Those of its components are read by
/// [`read_component`].
///
/// Faults go to `findings`; after an error the value is valid but unspecified. A value of another class than the
/// file's is such a fault, and is left as it is. Linear in the text for a fixed class. No allocation for a file without findings and a
/// blittable class of at most 256 leaves.
pub fn read_values(opened: &Opened<'_>, value: ErasedMut<'_>, findings: &mut Findings) -> Read {
    let before = findings.kept();
    let read = read_part(&opened.body, value, findings);
    if findings.kept() > before {
        findings.change_from(before, |diagnostic| elsewhere(opened, &opened.body, diagnostic));
    }
    if !(opened.sections.is_empty() && opened.without.is_empty()) {
        let is_known = opened.class().is_known();
        let (source, document) = (&opened.body.source, &opened.document);
        check_unknown(source, document, &opened.sections, &opened.without, is_known, findings);
    }
    conflict_alone(&opened.body.source, &opened.document, findings);
    read
}

/// Reads one of [`Opened::components`] into `value`, which holds the defaults of its type (or what a template says). As
/// [`read_values`] in everything else.
pub fn read_component(opened: &Opened<'_>, part: &Part<'_>, value: ErasedMut<'_>, findings: &mut Findings) -> Read {
    let before = findings.kept();
    let read = read_part(part, value, findings);
    if findings.kept() > before {
        findings.change_from(before, |diagnostic| elsewhere(opened, part, diagnostic));
    }
    conflict_alone(&opened.body.source, &opened.document, findings);
    read
}

fn read_part(part: &Part<'_>, mut value: ErasedMut<'_>, findings: &mut Findings) -> Read {
    if value.ty().type_id() != part.class.value_type_id() {
        findings.push(true, || other_class(part, value.ty()));
        return Read::default();
    }
    if !part.class.is_known() {
        return kept::read_kept(part, value, findings);
    }
    // What a file inherits was brought to the current version with the template.
    let has_lines = || !part.inherits || part.lines().next().is_some();
    if !part.class.migration_from(part.class_version).is_empty() && has_lines() {
        return migrate::read_migrated(part, value, findings);
    }
    let mut reader = Reader::new(part);
    let mut nodes = part.rest.clone();
    if !part.is_section {
        reader.expected_position(&mut nodes, findings);
    }
    loop {
        reader.expected(&mut nodes, &mut value, findings);
        let Some(node) = nodes.next() else { break };
        match node.kind {
            NodeKind::Property => reader.property(&node, &mut value, findings),
            NodeKind::Blank | NodeKind::Comment => {}
            NodeKind::Directive if part.is_section => section_directive(&part.source, &node, findings),
            NodeKind::Directive => {}
            NodeKind::Removal => reader.removal(&node, &mut value, part.inherits, findings),
            NodeKind::Fault(_) => fault(&part.source, part.document.spelling(), &node, findings),
        }
    }
    reader.remove_items(&mut value);
    reader.read
}

/// Says of a key that its own part does not have which other part of the file has it.
#[cold]
fn elsewhere(opened: &Opened<'_>, own: &Part<'_>, diagnostic: Diagnostic) -> Diagnostic {
    if diagnostic.code != Code::UnknownKey || diagnostic.help.is_some() {
        return diagnostic;
    }
    let first = diagnostic.property.split(['.', '[']).next().unwrap_or_default();
    let has = |part: &Part<'_>| fields_of(part.class.ty()).iter().any(|property| property.is_named(first));
    let help = if has(own) {
        return diagnostic;
    } else if own.is_section && has(&opened.body) {
        format!("`{}` has it: its lines stand above the first `; component`", opened.body.class.name())
    } else if let Some(part) = opened.components().find(|part| has(part)) {
        format!("`{0}` has it: its lines stand in the section `; component: {0}`", part.class.name())
    } else {
        return diagnostic;
    };
    diagnostic.help(help)
}

#[cold]
fn other_class(part: &Part<'_>, ty: &PropertyType) -> Diagnostic {
    let message = format!("the file is of class `{}`, the value it is read into a `{}`", part.class.name(), ty.name());
    Diagnostic::new(Code::ClassMismatch, message)
        .in_file(part.source.file())
        .expected(part.class.name())
        .found(ty.name())
}

/// State of one file.
pub(super) struct Reader<'a> {
    source: Source<'a>,
    /// The lines of the part that is read.
    document: Document<'a>,
    text: &'a str,
    ty: &'static PropertyType,
    fields: &'static [Property],
    spelling: Spelling,
    /// The property that is expected next, and its first leaf.
    next: usize,
    next_leaf: u32,
    is_section: bool,
    unknown: KeySet<'a>,
    /// Where the items of a map or list are, by its leaf; of those with lines of single items.
    indices: Vec<(u32, KeyIndex)>,
    /// Maps and lists of which items are to be taken out.
    removals: Vec<u32>,
    pub(super) read: Read,
}

impl<'a> Reader<'a> {
    pub(super) fn new(part: &Part<'a>) -> Self {
        let ty = part.class.ty();
        Self {
            source: part.source,
            document: part.document,
            text: part.document.text(),
            ty,
            fields: fields_of(ty),
            spelling: part.document.spelling(),
            next: 0,
            next_leaf: 0,
            is_section: part.is_section,
            unknown: KeySet::default(),
            indices: Vec::new(),
            removals: Vec::new(),
            read: Read::default(),
        }
    }

    /// Reads the position, if its line comes next.
    #[inline(never)]
    fn expected_position(&mut self, nodes: &mut Nodes<'a>, findings: &mut Findings) {
        let (name, opening): (_, &[u8]) = match self.spelling {
            Spelling::Colon => ("Position", b"Position: "),
            Spelling::Node => ("position", b"; position\n"),
        };
        let mut position = None;
        let found = nodes.next_value(opening, |text| {
            let ([x, y, z], used) = scan_numbers::<f32, 3>(text.as_bytes())?;
            position = Some([x, y, z, 1.0]);
            Some(used)
        });
        match found {
            Some(NextValue::Scanned(_)) => self.read.position = position,
            Some(NextValue::Text(text)) => self.position(&self.node_named(name, text), findings),
            None => {}
        }
    }

    /// Reads lines as long as each names the property that is expected next.
    #[inline(never)]
    fn expected(&mut self, nodes: &mut Nodes<'a>, value: &mut ErasedMut<'_>, findings: &mut Findings) {
        // A leaf that was read before ends the run: the slow way tells what is wrong.
        let fresh = self.read.leaves.count_missing(self.next_leaf);
        let (mut left, mut taken, spelling, next_leaf) = (fresh, 0, self.spelling, self.next_leaf);
        let mut cursor = nodes.clone();
        let mut fields = value.reborrow().fields_from(self.next);
        while let Some((field, mut to)) = fields.next()
            && let Some(less) = left.checked_sub(field.ty().leaves())
            && let Some(found) = cursor.next_value(field.opening(spelling), |text| to.scan_leaf(text))
        {
            left = less;
            taken += 1;
            match found {
                NextValue::Scanned(_) if field.meta().range.is_none() => {}
                found => {
                    self.expected_slowly(field, next_leaf + (fresh - left) - field.ty().leaves(), found, to, findings)
                }
            }
        }
        *nodes = cursor;
        self.next += taken;
        self.read.leaves.insert_all(self.next_leaf, fresh - left);
        self.next_leaf += fresh - left;
    }

    /// What is left to do for an expected property: its text to be read, or its range to be checked.
    #[inline(never)]
    fn expected_slowly(
        &mut self,
        field: &'static Property,
        leaf: u32,
        found: NextValue<'a>,
        mut to: ErasedMut<'_>,
        findings: &mut Findings,
    ) {
        let (text, read) = match found {
            NextValue::Scanned(at) => (&self.text[at], Ok(())),
            NextValue::Text(text) => (text, value::read(to.reborrow(), text, Place::Line)),
        };
        if self.read.items.contains_any(leaf, field.ty().leaves()) {
            return self.twice(&self.node_of(field, text), findings);
        }
        if !field.ty().is_leaf() {
            self.note_unsaid(field.ty(), text, leaf);
        }
        match read {
            Ok(()) if field.meta().range.is_none() && !may_be_ranged(field.ty()) => {}
            Ok(()) => self.check_range(&self.node_of(field, text), field, &to, findings),
            Err(fault) => findings.push(true, || value_fault(&self.source, &self.node_of(field, text), fault)),
        }
    }

    /// A struct in braces says nothing about the fields it leaves out.
    #[cold]
    fn note_unsaid(&mut self, ty: &'static PropertyType, text: &str, first_leaf: u32) {
        let mut named = LeafSet::new();
        leaves_named_in(ty, text, first_leaf, &mut named);
        for leaf in (first_leaf..first_leaf + ty.leaves()).filter(|&leaf| !named.contains(leaf)) {
            self.read.unsaid.insert(leaf);
        }
    }

    /// The node of a line that was taken as expected.
    #[cold]
    fn node_of(&self, field: &'static Property, value: &'a str) -> Node<'a> {
        self.node_named(if self.spelling == Spelling::Colon { field.key() } else { field.name() }, value)
    }

    #[cold]
    fn node_named(&self, name: &'static str, value: &'a str) -> Node<'a> {
        let value_at = offset_in(self.text, value).unwrap_or_default();
        // The key is the last thing before the value that reads like it.
        let name_at = self.text[..value_at].rfind(name).unwrap_or(value_at);
        let end = value_at + value.len();
        let name = self.text.get(name_at..name_at + name.len()).unwrap_or(name);
        Node { kind: NodeKind::Property, name, value, span: name_at..end, name_at, value_at }
    }

    /// One `Key: value` that is not the expected one.
    pub(super) fn property(&mut self, node: &Node<'a>, value: &mut ErasedMut<'_>, findings: &mut Findings) {
        if !self.is_section && matches!(node.name, "Position" | "position") {
            return self.position(node, findings);
        }
        let Some(path) = find_leaf(self.ty, node.name) else {
            if is_removed(self.ty, node.name) {
                return self.removed_key(node, findings);
            }
            if !(node.name.contains('[') && self.item(node, value, findings)) {
                self.unknown_key(node, findings);
            }
            return;
        };
        if self.read.items.contains_any(path.first_leaf(), path.leaves()) {
            return self.twice(node, findings);
        }
        if !self.read.leaves.insert_all(path.first_leaf(), path.leaves()) {
            return self.twice(node, findings);
        }
        if !node.name.contains('.')
            && let Some(index) = self.fields.iter().position(|field| core::ptr::eq(field, path.property()))
        {
            self.next = index + 1;
            self.next_leaf = path.first_leaf() + path.leaves();
        }
        if !path.property().ty().is_leaf() {
            self.note_unsaid(path.property().ty(), node.value, path.first_leaf());
        }
        if let Some(to) = path.follow_mut(value.reborrow()) {
            self.value(node, path.property(), to, findings);
        }
    }

    #[inline]
    fn value(&mut self, node: &Node<'a>, property: &'static Property, mut to: ErasedMut<'_>, findings: &mut Findings) {
        if let Err(fault) = value::read(to.reborrow(), node.value, Place::Line) {
            findings.push(true, || value_fault(&self.source, node, fault));
        } else if property.meta().range.is_some() || may_be_ranged(property.ty()) {
            self.check_range(node, property, &to, findings);
        }
    }

    #[cold]
    fn check_range(&self, node: &Node<'a>, property: &'static Property, to: &ErasedMut<'_>, findings: &mut Findings) {
        let Some(range) = declared_range(property) else { return };
        let mut outside = false;
        value::for_each_number(to.as_ref(), &mut |number| outside |= !(range.min..=range.max).contains(&number));
        if outside {
            findings.push(false, || {
                let expected = told_range(range);
                let message = format!("{}: `{}` lies outside {expected}; the value is kept", node.name, node.value);
                self.at_value(node, Code::OutOfDeclaredRange, message, &expected)
            });
        }
    }

    fn position(&mut self, node: &Node<'a>, findings: &mut Findings) {
        if self.read.position.is_some() {
            return self.twice(node, findings);
        }
        match numbers::<f32, 3>(node.value) {
            Ok([x, y, z]) => self.read.position = Some([x, y, z, 1.0]),
            Err(fault) => {
                // Counts as read, so that a second position is still told.
                self.read.position = Some([0.0, 0.0, 0.0, 1.0]);
                findings.push(true, || {
                    let mut fault = Fault::of_vector(fault, node.value);
                    if fault.told.is_empty() {
                        fault.expected = "3 numbers".into();
                    }
                    value_fault(&self.source, node, fault)
                });
            }
        }
    }

    fn at_value(&self, node: &Node<'_>, code: Code, message: String, expected: &str) -> Diagnostic {
        let span = node.value_at..node.value_at + node.value.len();
        self.source.diagnostic(code, span, message).property(node.name).expected(expected).found(node.value)
    }

    /// The key names something that an earlier line named.
    #[cold]
    fn twice(&self, node: &Node<'a>, findings: &mut Findings) {
        findings.push(true, || {
            let first = self.document.nodes().find(|other| {
                matches!(other.kind, NodeKind::Property | NodeKind::Removal)
                    && (other.name_at != node.name_at || node.span.is_empty())
                    && self.overlaps(other.name, node.name)
            });
            match first {
                Some(first) => duplicate(&self.source, Code::DuplicateKey, &first, node),
                None => {
                    self.at_value(node, Code::DuplicateKey, format!("`{}` is set twice", node.name), "each key once")
                }
            }
        });
    }

    fn overlaps(&self, a: &str, b: &str) -> bool {
        let range =
            |key: &str| find_leaf(self.ty, key).map(|path| path.first_leaf()..path.first_leaf() + path.leaves());
        match (range(a), range(b)) {
            (Some(a), Some(b)) => a.start < b.end && b.start < a.end,
            (None, Some(b)) => find_item(self.ty, a).is_ok_and(|a| b.contains(&a.leaf())),
            (None, None) => names_match(a, b),
            _ => false,
        }
    }

    /// The line of a property that is gone: it says nothing, and may say that once.
    #[cold]
    fn removed_key(&mut self, node: &Node<'a>, findings: &mut Findings) {
        if !self.unknown.insert(node.name) {
            self.twice(node, findings);
        }
    }

    #[cold]
    fn unknown_key(&mut self, node: &Node<'a>, findings: &mut Findings) {
        if !self.unknown.insert(node.name) {
            return self.twice(node, findings);
        }
        findings.push(false, || {
            let span = node.name_at..node.name_at + node.name.len();
            let shown = shown(node.name);
            let message = format!("`{}` has no property `{shown}`; the line is kept as it is", self.ty.name());
            let diagnostic =
                self.source.diagnostic(Code::UnknownKey, span, message).property(node.name).found(node.name);
            let colon = self.spelling == Spelling::Colon;
            // A key with points is looked for among those that share all but its last part.
            if let Some((parent, last)) = node.name.rsplit_once('.')
                && let Some(path) = find_leaf(self.ty, parent)
            {
                let keys = fields_of(path.property().ty()).iter();
                let keys = keys.map(if colon { Property::key } else { Property::name });
                return match nearest(last, keys) {
                    Some(near) => diagnostic.help(format!("did you mean `{parent}.{near}`?")),
                    None => diagnostic,
                };
            }
            let keys = self.fields.iter().map(if colon { Property::key } else { Property::name });
            let position = if colon { "Position" } else { "position" };
            let keys = keys.chain(Some(position).filter(|_| !self.is_section));
            match nearest(node.name, keys) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic,
            }
        });
    }
}

/// A key with what cannot be seen in it made visible.
fn shown(key: &str) -> String {
    key.chars().fold(String::new(), |mut text, letter| {
        match is_invisible(letter) {
            true => text.push_str(&format!("U+{:04X}", u32::from(letter))),
            false => text.push(letter),
        }
        text
    })
}

/// "Position: expected 3 numbers, found 2", pointing at the part that is wrong.
#[cold]
pub(super) fn value_fault(source: &Source<'_>, node: &Node<'_>, fault: Fault<'_>) -> Diagnostic {
    let at = offset_in(node.value, fault.found).map_or(node.value_at, |offset| node.value_at + offset);
    let found = match (&*fault.told, fault.found) {
        ("", "") => "nothing".to_owned(),
        ("", found) => format!("`{found}`"),
        (told, _) => told.to_owned(),
    };
    let message = if node.value.is_empty() {
        format!("{}: expected {}, found nothing", node.name, fault.expected)
    } else {
        format!("{}: expected {}, found {found}", node.name, fault.expected)
    };
    let diagnostic = source
        .diagnostic(fault.code, at..at + fault.found.len(), message)
        .property(node.name)
        .expected(fault.expected.into_owned())
        .found(if fault.told.is_empty() { fault.found.to_owned() } else { fault.told.into_owned() });
    match fault.help {
        Some(help) => diagnostic.help(help),
        None if [" #", "\t#", " //", "\t//"].iter().any(|mark| node.value.contains(mark)) => {
            diagnostic.help("a value goes on to the end of its line; a comment is a line of its own")
        }
        None => diagnostic,
    }
}

/// Whether the type may hold a wrapper with a range of its own, in itself or in its items.
#[inline]
fn may_be_ranged(ty: &PropertyType) -> bool {
    matches!(ty.kind(), Kind::Newtype { .. } | Kind::Array { .. } | Kind::List { .. } | Kind::Option { .. })
}

/// The range of a property, else that of the wrapper it holds, in itself or in its items.
fn declared_range(property: &'static Property) -> Option<Range> {
    let mut property = property;
    loop {
        if property.meta().range.is_some() {
            return property.meta().range;
        }
        let mut ty = property.ty();
        while let Kind::Array { item, .. } | Kind::List { item } | Kind::Option { item } = ty.kind() {
            ty = item.get();
        }
        match ty.kind() {
            Kind::Newtype { field } => property = field,
            _ => return None,
        }
    }
}

/// A range as the attribute writes it.
fn told_range(range: Range) -> String {
    match (range.min.is_finite(), range.max.is_finite()) {
        (true, false) => format!("{}..", range.min),
        (false, true) => format!("..={}", range.max),
        _ => format!("{}..={}", range.min, range.max),
    }
}

#[cold]
pub(super) fn removal(source: &Source<'_>, node: &Node<'_>) -> Diagnostic {
    let message = format!("`! {}` removes an inherited item, and this entity inherits nothing", node.name);
    source.diagnostic(Code::SyntaxLine, node.span.clone(), message).property(node.name).found(node.name)
}

/// A line that removes what is no whole item.
#[cold]
fn no_removal(source: &Source<'_>, node: &Node<'_>) -> Diagnostic {
    let message = format!("`! {}` names no item of a map or keyed list", node.name);
    let diagnostic = source.diagnostic(Code::SyntaxLine, node.span.clone(), message);
    let diagnostic = diagnostic.property(node.name).expected("! List[key]").found(node.name);
    diagnostic.help("only whole items can be taken out; a line taken away gives a property what it inherits")
}

/// A line that is none, as an error.
#[cold]
pub(super) fn fault(source: &Source<'_>, spelling: Spelling, node: &Node<'_>, findings: &mut Findings) {
    // Made only if it is kept: working out its line takes time.
    findings.push_some(true, || node.diagnostic(spelling, source));
}

/// After an error: if the file holds an unresolved merge, that alone is told, at its first marker. Everything else that is wrong with such a
/// file (keys that stand twice, above all) comes from both sides being there.
#[inline]
pub(super) fn conflict_alone(source: &Source<'_>, document: &Document<'_>, findings: &mut Findings) {
    if !findings.is_ok() {
        keep_conflict(source, document, findings);
    }
}

#[cold]
fn keep_conflict(source: &Source<'_>, document: &Document<'_>, findings: &mut Findings) {
    let marker = document.nodes().find(|node| node.kind == NodeKind::Fault(NodeFault::ConflictMarker));
    if let Some(marker) = marker {
        *findings = Findings::new();
        fault(source, document.spelling(), &marker, findings);
    }
}
