//! Changes of a text that leave every other byte alone.
//!
//! Changes are collected in any order against the offsets of the unchanged text and applied in one pass. Two kinds: a range is
//! replaced by text (also by none, or an empty range by some), or whole lines are inserted where a line begins.
//!
//! Lines know about line ends: where the text before them does not end with one, it gets one; they end with one themselves
//! unless they become the end of a text that had none.

use std::ops::Range;

use super::document::{Document, Node};
use super::layout::Layout;

/// The line end of a text: that of its first line, `\n` if it has none.
#[must_use]
pub fn line_end(text: &str) -> &'static str {
    match memchr::memchr(b'\n', text.as_bytes()) {
        Some(at) if at > 0 && text.as_bytes()[at - 1] == b'\r' => "\r\n",
        _ => "\n",
    }
}

/// Two changes touch the same bytes, or one lies outside of the text: offsets into the unchanged text.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("changes at {first:?} and {second:?} overlap or lie outside of the text")]
pub struct Overlap {
    /// The range of the one that begins first.
    pub first: Range<usize>,
    /// The range of the other; the same range where it lies outside of the text.
    pub second: Range<usize>,
}

/// Changes against a text.
///
/// ```
/// use juliet_core::text::{Document, Edits};
/// let document = Document::new("; class: Rock\nScale: 2   \nHits: 5");
/// let [_, scale, hits] = document.nodes().collect::<Vec<_>>().try_into().unwrap();
/// let mut edits = Edits::new(document);
/// edits.replace_value(&scale, "3");
/// edits.insert_property_after(&hits, "Name", "Bob");
/// let mut out = Vec::new();
/// edits.apply(&mut out).unwrap();
/// assert_eq!(out, b"; class: Rock\nScale: 3   \nHits: 5\nName: Bob");
/// ```
#[derive(Clone, Debug)]
pub struct Edits<'a> {
    document: Document<'a>,
    layout: Layout,
    list: Vec<Edit>,
    /// The new texts of all changes, one after the other.
    new: Vec<u8>,
}

#[derive(Clone, Debug)]
struct Edit {
    range: Range<usize>,
    new: Range<usize>,
    lines: bool,
}

impl<'a> Edits<'a> {
    /// No changes yet. New lines take the document's spelling and line end.
    #[must_use]
    pub fn new(document: Document<'a>) -> Self {
        let layout = Layout { spelling: document.spelling(), line_end: line_end(document.text()) };
        Self { document, layout, list: Vec::new(), new: Vec::new() }
    }

    /// Whether there is no change.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The spelling and line end of new lines.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Replaces a range of bytes. Several changes at one empty range are applied in the order they were made.
    pub fn replace(&mut self, range: Range<usize>, new: &str) {
        self.change(range, false, |_, out| out.extend_from_slice(new.as_bytes()));
    }

    /// Replaces a node's value; its key, the blanks around the value and the line end stay.
    pub fn replace_value(&mut self, node: &Node<'_>, value: &str) {
        self.replace_value_with(node, |out| out.extend_from_slice(value.as_bytes()));
    }

    /// Replaces a node's value by what `write` appends to the buffer it is given.
    pub fn replace_value_with(&mut self, node: &Node<'_>, write: impl FnOnce(&mut Vec<u8>)) {
        let range = node.value_range();
        let bare = range.is_empty()
            && self.document.text().as_bytes().get(..range.start).is_some_and(|before| before.ends_with(b":"));
        self.change(range, false, |_, out| {
            if bare {
                out.push(b' ');
            }
            write(out);
        });
    }

    /// Removes a node with all of its lines.
    pub fn remove(&mut self, node: &Node<'_>) {
        self.change(node.span.clone(), false, |_, _| ());
    }

    /// Inserts a property on the lines behind a node.
    pub fn insert_property_after(&mut self, node: &Node<'_>, key: &str, value: &str) {
        self.insert_lines(node.span.end, |layout, out| layout.write_property(key, value, out));
    }

    /// Inserts a directive on the lines behind a node.
    pub fn insert_directive_after(&mut self, node: &Node<'_>, name: &str, value: &str) {
        self.insert_lines(node.span.end, |layout, out| layout.write_directive(name, value, out));
    }

    /// Inserts the lines that `write` appends to the buffer, each with its line end, at an offset where a line begins:
    /// [`Document::start`], the end of a node's span, or the end of the text. Lines at one place keep the order of the calls.
    pub fn insert_lines(&mut self, at: usize, write: impl FnOnce(Layout, &mut Vec<u8>)) {
        self.change(at..at, true, write);
    }

    fn change(&mut self, range: Range<usize>, lines: bool, write: impl FnOnce(Layout, &mut Vec<u8>)) {
        let start = self.new.len();
        write(self.layout, &mut self.new);
        self.list.push(Edit { range, new: start..self.new.len(), lines });
    }

    /// Appends the changed text. Costs its length and the sorting of the changes.
    ///
    /// # Errors
    /// [`Overlap`]; nothing is appended then.
    pub fn apply(&self, out: &mut Vec<u8>) -> Result<(), Overlap> {
        let text = self.document.text().as_bytes();
        let mut order: Vec<&Edit> = self.list.iter().collect();
        // Stable: changes of one empty range stay in the order they were made.
        order.sort_by_key(|edit| (edit.range.start, edit.range.end));
        self.check(&order)?;
        let begin = out.len();
        let mut done = 0;
        for edit in order {
            out.extend_from_slice(&text[done..edit.range.start]);
            let new = &self.new[edit.new.clone()];
            if edit.lines {
                self.put_lines(edit.range.start, new, begin, out);
            } else {
                out.extend_from_slice(new);
            }
            done = edit.range.end;
        }
        out.extend_from_slice(&text[done..]);
        Ok(())
    }

    fn put_lines(&self, at: usize, lines: &[u8], begin: usize, out: &mut Vec<u8>) {
        let text = self.document.text().as_bytes();
        let end = self.layout.line_end.as_bytes();
        let written = out.len() - begin;
        // At the start, or directly behind a byte-order mark, nothing has to be ended.
        let fresh = written == 0 || (self.document.has_bom() && written == self.document.start());
        if !fresh && out.last() != Some(&b'\n') {
            out.extend_from_slice(end);
        }
        let open = at == text.len() && text.len() > self.document.start() && text.last() != Some(&b'\n');
        out.extend_from_slice(if open { lines.strip_suffix(end).unwrap_or(lines) } else { lines });
    }

    fn check(&self, order: &[&Edit]) -> Result<(), Overlap> {
        let text = self.document.text();
        for edit in order {
            let Range { start, end } = edit.range;
            if start > end || !text.is_char_boundary(start) || !text.is_char_boundary(end) {
                return Err(Overlap { first: edit.range.clone(), second: edit.range.clone() });
            }
        }
        for pair in order.windows(2) {
            if pair[0].range.end > pair[1].range.start {
                return Err(Overlap { first: pair[0].range.clone(), second: pair[1].range.clone() });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
