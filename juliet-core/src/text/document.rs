//! The lossless document: a file as a run of nodes that borrow its text.
//!
//! ```text
//! line = blank | comment | directive | property | removal
//! comment   = {blank} (# | //) …
//! removal   = ! key
//!
//!             colon spelling          node spelling
//! directive   ; name: value           ; name   and the next line is the value, whatever it starts with
//! property    Key: value              ; key    and the next line is the value
//! ```
//!
//! A key that is quoted inside of brackets may hold blanks, `:` and `]`: `Loot["two words: a"].Count: 3`.
//!
//! The first directive decides the spelling of the file; without one it is the colon spelling. A line ends with `\n` or `\r\n`;
//! values are trimmed of spaces and tabs and otherwise kept.
//!
//! # Invariants
//! 1. The spans of the nodes tile the text after the byte-order mark: no gap, no overlap, none is empty.
//! 2. Names and values are slices of the text, at the offsets that the node gives.
//! 3. Each line is looked at a fixed number of times; there is no allocation and no counting of lines
//!    ([`Source`](crate::diag::Source) does that when a diagnostic is made).
//!
//! Absent on purpose: whether a name is known, set twice, or its value well-formed.

mod fault;
mod line;
#[cfg(test)]
mod tests;

pub use fault::NodeFault;

use std::ops::Range;

use line::{begins_with, key_length, line_length};

/// The most bytes of one line, without its line end.
pub const LINE_LIMIT: usize = 64 * 1024;

/// How a file writes its directives and properties.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Spelling {
    /// `; id: 0x42` and `Key: value`.
    Colon,
    /// `; id` or `; key`, and the value on the next line.
    Node,
}

/// What a node is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeKind {
    /// A line without text.
    Blank,
    /// A comment; the value holds it from its mark on.
    Comment,
    /// A directive: any `; name: value` in the colon spelling, one of [`is_directive`] in the node spelling.
    Directive,
    /// A property with its key and value.
    Property,
    /// `! key`: an inherited item is removed.
    Removal,
    /// A line that is none of these.
    Fault(NodeFault),
}

/// One node of a file: a line, or two in the node spelling.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node<'a> {
    /// What it is.
    pub kind: NodeKind,
    /// The name or key as the file spells it; empty where there is none.
    pub name: &'a str,
    /// The trimmed value; of a comment or a line that is not understood the trimmed line.
    pub value: &'a str,
    /// Byte offsets of all its lines, line ends included.
    pub span: Range<usize>,
    /// Byte offset of the name.
    pub name_at: usize,
    /// Byte offset of the value.
    pub value_at: usize,
}

impl Node<'_> {
    /// Byte offsets of the name.
    #[must_use]
    pub fn name_range(&self) -> Range<usize> {
        self.name_at..self.name_at.saturating_add(self.name.len())
    }

    /// Byte offsets of the trimmed value.
    #[must_use]
    pub fn value_range(&self) -> Range<usize> {
        self.value_at..self.value_at.saturating_add(self.value.len())
    }
}

/// Whether a name is that of a directive, so that no property may have it as its key in the node spelling.
#[inline]
#[must_use]
pub fn is_directive(name: &str) -> bool {
    matches!(
        name,
        "id" | "class"
            | "version"
            | "template"
            | "component"
            | "without"
            | "asset_type"
            | "entity_type"
            | "class_version"
    )
}

/// Whether a line without its line end is one of the four that git puts around a conflict: exactly seven `<`, `|`, `=` or `>`,
/// alone or (but for `=`) followed by a blank and a label.
#[must_use]
pub fn is_conflict_marker(line: &str) -> bool {
    let bytes = line.as_bytes();
    let Some((marks, label)) = bytes.split_first_chunk::<7>() else {
        return false;
    };
    match marks {
        b"<<<<<<<" | b"|||||||" | b">>>>>>>" => label.first().is_none_or(|b| matches!(b, b' ' | b'\t')),
        b"=======" => label.iter().all(|b| matches!(b, b' ' | b'\t')),
        _ => false,
    }
}

/// A file's text with its spelling. Copying it is cheap.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    text: &'a str,
    start: usize,
    spelling: Spelling,
}

impl<'a> Document<'a> {
    /// Looks for a byte-order mark and for the first directive. No allocation; linear up to the first directive.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let start = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        Self { text, start, spelling: line::spelling(text, start) }
    }

    /// The whole text, a byte-order mark included.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The nodes of this document that lie in `range`, which begins and ends where nodes do. Offsets stay those of the whole text; the
    /// text of the part is that up to its end.
    #[must_use]
    pub(crate) fn part(&self, range: Range<usize>) -> Self {
        let end = range.end.min(self.text.len());
        Self { text: self.text.get(..end).unwrap_or(self.text), start: range.start, spelling: self.spelling }
    }

    /// Whether the text begins with a byte-order mark. It belongs to no node.
    #[must_use]
    pub fn has_bom(&self) -> bool {
        self.start > 0 && self.text.starts_with('\u{FEFF}')
    }

    /// Where the first node begins: behind a byte-order mark.
    #[must_use]
    pub fn start(&self) -> usize {
        self.start
    }

    /// The spelling of all lines of the file.
    #[must_use]
    pub fn spelling(&self) -> Spelling {
        self.spelling
    }

    /// The nodes in order.
    #[must_use]
    pub fn nodes(&self) -> Nodes<'a> {
        Nodes { text: self.text, at: self.start, spelling: self.spelling }
    }
}

/// The nodes of a document in order.
#[derive(Clone, Debug)]
pub struct Nodes<'a> {
    text: &'a str,
    at: usize,
    spelling: Spelling,
}

impl<'a> Iterator for Nodes<'a> {
    type Item = Node<'a>;

    #[inline]
    fn next(&mut self) -> Option<Node<'a>> {
        let start = self.at;
        let first = *self.text.as_bytes().get(start)?;
        let marked = first == b';';
        let plain = if marked || first.is_ascii_alphabetic() {
            let name_at = if marked { self.after_mark(start) } else { start };
            let length = key_length(self.text.as_bytes().get(name_at..).unwrap_or_default());
            if length > 0 { self.plain_value(start, name_at, name_at + length, marked) } else { None }
        } else {
            None
        };
        if let Some(plain) = plain {
            self.at = plain.next;
            return Some(self.plain_node(start, marked, plain));
        }
        let node = self.careful(start);
        debug_assert!(node.span.start == start && node.span.end > start, "each node takes some text");
        self.at = node.span.end;
        Some(node)
    }
}

impl std::iter::FusedIterator for Nodes<'_> {}

/// The length of an opening of the node spelling that ends with `\r\n` in this file.
#[inline(never)]
fn opening_before_cr(rest: &[u8], opening: &[u8]) -> Option<usize> {
    rest.strip_prefix(opening.strip_suffix(b"\n")?)?.starts_with(b"\r\n").then_some(opening.len() + 1)
}

/// A value that [`Nodes::next_value`] took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NextValue<'a> {
    /// Found by the scan, from there to there in the text.
    Scanned(Range<usize>),
    /// Trimmed; [`offset_in`](super::offset_in) says where it stands.
    Text(&'a str),
}

/// A node of one of the shapes that nearly all have, as offsets.
#[derive(Clone, Copy)]
struct Plain {
    name_at: usize,
    name_end: usize,
    value_at: usize,
    value_end: usize,
    next: usize,
}

/// The two shapes that nearly all lines have, `Key: value` and `; name` with a value line; `None` for any other.
/// What they give is what `Nodes::careful` gives for the same line.
impl<'a> Nodes<'a> {
    /// The value of the next node, if that is a plain property whose line opens with exactly this: `Key: ` in a file of the colon
    /// spelling, `; name` and a line feed in one of the node spelling; else nothing is taken.
    ///
    /// `scan` gets the text after the opening. Where it finds a plain value at the start it says how long that is, and the end of the
    /// line is not searched for; anything else, and a value that its line goes on after, is given back trimmed.
    ///
    /// For a reader that expects keys in the order in which they were written: comparing is cheaper than searching for the end
    /// of a key, and nothing else has to be known of the node. The key has to be one that is no directive.
    #[inline]
    pub fn next_value(&mut self, opening: &[u8], scan: impl FnOnce(&'a str) -> Option<usize>) -> Option<NextValue<'a>> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let length = if begins_with(rest, opening) {
            opening.len()
        } else if self.spelling == Spelling::Node {
            opening_before_cr(rest, opening)?
        } else {
            return None;
        };
        let at = self.at + length;
        let after = self.text.get(at..)?;
        if let Some(used) = scan(after)
            && after.as_bytes().get(used) == Some(&b'\n')
            && length + used <= LINE_LIMIT
        {
            self.at = at + used + 1;
            return Some(NextValue::Scanned(at..at + used));
        }
        self.trimmed_value(length, after.as_bytes()).map(NextValue::Text)
    }

    /// Takes the node whose line opens with `opening` bytes, if its value is plain.
    #[inline(never)]
    fn trimmed_value(&mut self, opening: usize, after: &[u8]) -> Option<&'a str> {
        let length = line_length(after)?;
        let mut value = after.get(..length)?;
        if let [before @ .., b'\r'] = value {
            value = before;
        }
        let (first, last) = (*value.first()?, *value.last()?);
        let marked = self.spelling == Spelling::Node && matches!(first, b';' | b'<' | b'|' | b'=' | b'>');
        if first <= b' ' || last <= b' ' || marked || opening + length > LINE_LIMIT {
            return None;
        }
        let at = self.at + opening;
        let value = self.text.get(at..at + value.len())?;
        self.at = at + length + 1;
        Some(value)
    }

    /// Whether the next line is plainly no directive: it begins with a letter, in a file of the colon spelling.
    #[inline]
    pub(crate) fn is_at_key(&self) -> bool {
        self.spelling == Spelling::Colon && self.text.as_bytes().get(self.at).is_some_and(u8::is_ascii_alphabetic)
    }

    /// The same nodes, up to `end`, where one begins.
    #[must_use]
    pub(crate) fn until(self, end: usize) -> Self {
        Self { text: self.text.get(..end).unwrap_or(self.text), ..self }
    }

    /// Where the next node begins.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    #[inline(always)]
    fn plain_node(&self, start: usize, marked: bool, plain: Plain) -> Node<'a> {
        let Plain { name_at, name_end, value_at, value_end, next } = plain;
        let name = &self.text[name_at..name_end];
        let directive = marked && (self.spelling == Spelling::Colon || is_directive(name));
        let kind = if directive { NodeKind::Directive } else { NodeKind::Property };
        Node { kind, name, value: &self.text[value_at..value_end], span: start..next, name_at, value_at }
    }

    /// Behind a `;` and at most one space.
    #[inline(always)]
    fn after_mark(&self, at: usize) -> usize {
        at + 1 + usize::from(self.text.as_bytes().get(at + 1) == Some(&b' '))
    }

    /// The value of a name that ends at `name_end`, if it stands where the spelling has it and in no unusual way.
    #[inline(always)]
    fn plain_value(&self, start: usize, name_at: usize, name_end: usize, marked: bool) -> Option<Plain> {
        let bytes = self.text.as_bytes();
        // Where the first line ends for the limit, and where the value may begin.
        let (first_end, from) = match (self.spelling, bytes.get(name_end..)?) {
            (Spelling::Colon, [b':', ..]) => (start, name_end + 1),
            (Spelling::Node, [b'\n', ..]) if marked => (name_end, name_end + 1),
            (Spelling::Node, [b'\r', b'\n', ..]) if marked => (name_end, name_end + 2),
            _ => return None,
        };
        let value_line = if marked && self.spelling == Spelling::Node {
            // A blank, a `;` or a marker needs a closer look.
            if matches!(bytes.get(from)?, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'<' | b'|' | b'=' | b'>') {
                return None;
            }
            from
        } else {
            start
        };
        let (end, next) = self.line_end(from);
        if end - value_line > LINE_LIMIT || first_end - start > LINE_LIMIT {
            return None;
        }
        let (value_at, value_end) = self.trim(from, end);
        Some(Plain { name_at, name_end, value_at, value_end, next })
    }

    /// The end of the line that holds `at`, without its line end and with it.
    #[inline(always)]
    fn line_end(&self, at: usize) -> (usize, usize) {
        let bytes = self.text.as_bytes();
        match line_length(&bytes[at..]) {
            Some(length) => {
                let end = at + length;
                // `at` may stand behind the first byte of the line, never behind its `\r`.
                (end - usize::from(length > 0 && bytes[end - 1] == b'\r'), end + 1)
            }
            None => (bytes.len(), bytes.len()),
        }
    }

    /// The range without spaces and tabs at both ends; of blanks alone the empty range at their end.
    #[inline(always)]
    fn trim(&self, mut start: usize, mut end: usize) -> (usize, usize) {
        let mut value = &self.text.as_bytes()[start..end];
        while let [b' ' | b'\t', rest @ ..] = value {
            value = rest;
            start += 1;
        }
        while let [rest @ .., b' ' | b'\t'] = value {
            value = rest;
            end -= 1;
        }
        (start, end)
    }
}
