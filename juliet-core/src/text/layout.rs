//! New lines of a file in either spelling: of a fresh file, or to be put into one.
//!
//! ```text
//! colon spelling     ; id: 0x42      Key: value
//! node spelling      ; id            ; key
//!                    0x42            value
//! ```
//!
//! Text goes to the end of a buffer as it is: names have to be keys of the spelling, values one line that reads back
//! (numbers, or what [`write_string`](super::write_string) wrote).

use super::document::Spelling;

/// The spelling and the line end that lines are written with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// The spelling.
    pub spelling: Spelling,
    /// `\n` or `\r\n`.
    pub line_end: &'static str,
}

impl Layout {
    /// Lines that end with `\n`.
    #[must_use]
    pub const fn new(spelling: Spelling) -> Self {
        Self { spelling, line_end: "\n" }
    }

    /// Appends a directive with its value.
    pub fn write_directive(self, name: &str, value: &str, out: &mut Vec<u8>) {
        self.begin_directive(name, out);
        out.extend_from_slice(value.as_bytes());
        self.end_value(out);
    }

    /// Appends a directive up to its value; [`end_value`](Self::end_value) follows the value.
    #[inline]
    pub fn begin_directive(self, name: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(b"; ");
        out.extend_from_slice(name.as_bytes());
        match self.spelling {
            Spelling::Colon => out.extend_from_slice(b": "),
            Spelling::Node => self.end_value(out),
        }
    }

    /// Appends a property with its value.
    pub fn write_property(self, key: &str, value: &str, out: &mut Vec<u8>) {
        self.begin_value(key, out);
        out.extend_from_slice(value.as_bytes());
        self.end_value(out);
    }

    /// Appends a property up to its value; [`end_value`](Self::end_value) follows the value. The key is that of the spelling.
    #[inline]
    pub fn begin_value(self, key: &str, out: &mut Vec<u8>) {
        match self.spelling {
            Spelling::Colon => {
                out.extend_from_slice(key.as_bytes());
                out.extend_from_slice(b": ");
            }
            Spelling::Node => self.begin_directive(key, out),
        }
    }

    /// The same for an opening that is at hand: `Key: `, or `; name` and a line feed.
    #[inline]
    pub(crate) fn begin_with(self, opening: &[u8], out: &mut Vec<u8>) {
        match opening {
            [before @ .., b'\n'] if self.line_end.len() > 1 => {
                out.extend_from_slice(before);
                self.end_value(out);
            }
            opening => out.extend_from_slice(opening),
        }
    }

    /// Appends the line end after a value.
    #[inline]
    pub fn end_value(self, out: &mut Vec<u8>) {
        if self.line_end.len() > 1 {
            out.push(b'\r');
        }
        out.push(b'\n');
    }

    /// Appends the mark that an inherited item is removed.
    pub fn write_removal(self, key: &str, out: &mut Vec<u8>) {
        out.extend_from_slice(b"! ");
        out.extend_from_slice(key.as_bytes());
        self.end_value(out);
    }

    /// Appends an empty line.
    pub fn write_blank(self, out: &mut Vec<u8>) {
        self.end_value(out);
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    fn written(layout: Layout) -> String {
        let mut out = Vec::new();
        layout.write_directive("id", "0x42", &mut out);
        layout.write_blank(&mut out);
        layout.write_property("Key", "1", &mut out);
        layout.write_removal("Loot[gold]", &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn both_spellings_are_written() {
        assert_eq!(written(Layout::new(Spelling::Colon)), "; id: 0x42\n\nKey: 1\n! Loot[gold]\n");
        assert_eq!(written(Layout::new(Spelling::Node)), "; id\n0x42\n\n; Key\n1\n! Loot[gold]\n");
        let layout = Layout { spelling: Spelling::Colon, line_end: "\r\n" };
        assert_eq!(written(layout), "; id: 0x42\r\n\r\nKey: 1\r\n! Loot[gold]\r\n");
    }
}
