//! Byte offsets of a file turned into lines and columns, and into diagnostics that show the line.
//!
//! Lines end with `\n`; a `\r` before it belongs to the line end. Columns count characters from 1; a byte-order mark at the
//! start of the file takes no column. Text that is not UTF-8 is allowed: each stray byte counts as one character, so that
//! a diagnostic can point at it.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};

use super::{Code, Diagnostic, Related, SourceLine};

const BOM: &[u8] = b"\xEF\xBB\xBF";
/// Longer lines are shown through a window around the span.
const SHOWN_BYTES: usize = 200;
/// How much of such a line is shown before the span.
const SHOWN_BEFORE: usize = 60;

/// A place in a file; both count from 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// Line from 1.
    pub line: u32,
    /// Column from 1, in characters.
    pub column: u32,
}

/// A file's name and its bytes: all that is needed to say where an offset lies.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    file: &'a str,
    text: &'a [u8],
}

impl<'a> Source<'a> {
    /// `file` is the path that diagnostics show: relative to the project's root, with forward slashes.
    #[must_use]
    pub fn new(file: &'a str, text: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self { file, text: text.as_ref() }
    }

    /// The path that diagnostics show.
    #[must_use]
    pub fn file(&self) -> &'a str {
        self.file
    }

    /// Line and column of a byte offset; one past the end stands for the end. Linear in the offset.
    #[cold]
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = memchr_iter(b'\n', &self.text[..offset]).count() + 1;
        let start = self.line_start(offset);
        let column = characters(self.text.get(start..offset).unwrap_or_default()) + 1;
        Position { line: clamp(line), column: clamp(column) }
    }

    /// The line that holds a byte offset, without its line end and without a byte-order mark.
    #[cold]
    #[must_use]
    pub fn line(&self, offset: usize) -> &'a [u8] {
        &self.text[self.line_range(offset)]
    }

    /// A diagnostic about `span`, with its position and its source line. A span over several lines is cut to its first.
    #[cold]
    #[must_use]
    pub fn diagnostic(&self, code: Code, span: Range<usize>, message: impl Into<Box<str>>) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(code, message).in_file(self.file);
        let Position { line, column } = self.position(span.start);
        let range = self.line_range(span.start);
        let start = span.start.clamp(range.start, range.end);
        let end = span.end.clamp(start, range.end);
        (diagnostic.line, diagnostic.column) = (line, column);
        diagnostic.length = clamp(characters(&self.text[start..end]));
        diagnostic.source_line = Some(shorten(&self.text[range.clone()], start - range.start..end - range.start));
        diagnostic
    }

    /// A related place at `offset` of this file.
    #[cold]
    #[must_use]
    pub fn related(&self, offset: usize, label: impl Into<Box<str>>) -> Related {
        let Position { line, column } = self.position(offset);
        Related { file: self.file.into(), line, column, label: label.into() }
    }

    /// Where the line of `offset` begins, after a byte-order mark.
    fn line_start(&self, offset: usize) -> usize {
        match memrchr(b'\n', &self.text[..offset]) {
            Some(end) => end + 1,
            None if self.text.starts_with(BOM) => BOM.len(),
            None => 0,
        }
    }

    fn line_range(&self, offset: usize) -> Range<usize> {
        let offset = offset.min(self.text.len());
        let start = self.line_start(offset);
        let rest = self.text.get(start..).unwrap_or_default();
        let (end, ended) = memchr(b'\n', rest).map_or((rest.len(), false), |end| (end, true));
        let cut = ended && rest[..end].last() == Some(&b'\r');
        start..start + end - usize::from(cut)
    }
}

fn clamp(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Characters of valid UTF-8, stray bytes as one each.
fn characters(bytes: &[u8]) -> usize {
    bytes.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
}

/// The window of a line that is shown, and the mark inside of it.
fn shorten(line: &[u8], mark: Range<usize>) -> SourceLine {
    let boundary = |mut at: usize| {
        while at > 0 && at < line.len() && line[at] & 0xC0 == 0x80 {
            at -= 1;
        }
        at
    };
    let window = if line.len() <= SHOWN_BYTES {
        0..line.len()
    } else {
        let start = boundary(mark.start.saturating_sub(SHOWN_BEFORE));
        start..boundary(line.len().min(start + SHOWN_BYTES))
    };
    let mut text = String::new();
    if window.start > 0 {
        text.push('…');
    }
    let shown = |range: Range<usize>| String::from_utf8_lossy(&line[range]);
    let start = mark.start.clamp(window.start, window.end);
    let end = mark.end.clamp(start, window.end);
    text.push_str(&shown(window.start..start));
    let from = text.len();
    text.push_str(&shown(start..end));
    let mark = from..text.len();
    text.push_str(&shown(end..window.end));
    if window.end < line.len() {
        text.push('…');
    }
    SourceLine { text: text.into(), mark }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &[u8], offset: usize, line: u32, column: u32, shown: &str) {
        let source = Source::new("f", text);
        assert_eq!(source.position(offset), Position { line, column }, "{offset} of {text:?}");
        assert_eq!(String::from_utf8_lossy(source.line(offset)), shown, "{offset} of {text:?}");
    }

    #[test]
    fn offsets_become_lines_and_columns() {
        check(b"", 0, 1, 1, "");
        check(b"ab\ncd", 0, 1, 1, "ab");
        check(b"ab\ncd", 2, 1, 3, "ab");
        check(b"ab\ncd", 3, 2, 1, "cd");
        check(b"ab\ncd", 99, 2, 3, "cd");
        check(b"ab\r\ncd\r\n", 5, 2, 2, "cd");
        check(b"ab\r\ncd\r\n", 8, 3, 1, "");
        check("ä€😀x".as_bytes(), 9, 1, 4, "ä€😀x");
        check(b"caf\xE9.obj", 4, 1, 5, "caf\u{FFFD}.obj");
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        check("\u{FEFF}ab\ncd".as_bytes(), 3, 1, 1, "ab");
        check("\u{FEFF}ab\ncd".as_bytes(), 0, 1, 1, "ab");
        check("\u{FEFF}ab\ncd".as_bytes(), 4, 1, 2, "ab");
        check("\u{FEFF}ab\n\u{FEFF}cd".as_bytes(), 9, 2, 2, "\u{FEFF}cd");
    }

    #[test]
    fn a_long_line_is_shown_through_a_window() {
        let line = format!("{}ä[here]{}", "x".repeat(1000), "ö".repeat(1000));
        let at = 1002;
        let d = Source::new("f", &line).diagnostic(Code::BadQuote, at..at + 6, "m");
        let shown = d.source_line.expect("a line");
        assert_eq!(&shown.text[shown.mark.clone()], "[here]");
        assert!(shown.text.starts_with("…x") && shown.text.ends_with("ö…") && shown.text.len() < 220, "{shown:?}");
        assert_eq!((d.line, d.column, d.length), (1, 1002, 6));
    }

    #[test]
    fn a_span_over_two_lines_is_cut_to_the_first() {
        let d = Source::new("f", "; scale\nbig\n").diagnostic(Code::MissingValue, 2..11, "m");
        assert_eq!(d.source_line, Some(SourceLine { text: "; scale".into(), mark: 2..7 }));
        assert_eq!((d.line, d.column, d.length), (1, 3, 5));
    }
}
