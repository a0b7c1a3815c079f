//! Strings that do not stand bare: when they have to be quoted, how that is written, and how it is read.
//!
//! ```text
//! quoted = " { any character but a control, " or \ | tab | escape } "
//! escape = \" | \\ | \n | \r | \t | \0 | \u{1 to 6 hex digits}
//! ```
//!
//! Reading allocates nothing: [`unquote`] checks the whole text once, [`Unquoted`] then hands out its pieces.

use super::character::{find_control, must_be_escaped};
use super::document::is_conflict_marker;

/// Whether a string written bare would not read back as itself, in either spelling.
///
/// That is: it is empty, begins with a blank, `;`, `#`, `//`, `"`, `[` or `{`, ends with a blank, looks like a conflict marker,
/// or holds a control character other than a tab (so every line end), U+FEFF, U+2028 or U+2029. Linear.
#[inline]
#[must_use]
pub fn needs_quotes(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return true;
    };
    match first {
        b';' | b'#' | b'"' | b'[' | b'{' | b' ' | b'\t' => return true,
        b'/' if bytes.get(1) == Some(&b'/') => return true,
        b'<' | b'|' | b'=' | b'>' if is_conflict_marker(text) => return true,
        _ => {}
    }
    matches!(last, b' ' | b'\t') || find_control(text).is_some()
}

/// Appends a string, bare where that reads back, else quoted. `nested` says that it stands inside a list or a struct, where
/// it is also quoted if it holds one of `, : " [ ] { } ( )`.
pub fn write_string(text: &str, nested: bool, out: &mut Vec<u8>) {
    let special = |b: u8| matches!(b, b',' | b':' | b'"' | b'[' | b']' | b'{' | b'}' | b'(' | b')');
    if needs_quotes(text) || (nested && text.bytes().any(special)) {
        write_string_quoted(text, out);
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

/// Appends a string in quotes, whether it needs them or not: for a string that would read as something else, as `none`.
pub fn write_string_quoted(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut done = 0;
    for (at, c) in text.char_indices() {
        let escape: &[u8] = match c {
            '"' => b"\\\"",
            '\\' => b"\\\\",
            '\n' => b"\\n",
            '\r' => b"\\r",
            '\t' => b"\\t",
            '\0' => b"\\0",
            c if must_be_escaped(c) => b"",
            _ => continue,
        };
        out.extend_from_slice(&text.as_bytes()[done..at]);
        if escape.is_empty() {
            out.extend_from_slice(format!("\\u{{{:X}}}", u32::from(c)).as_bytes());
        } else {
            out.extend_from_slice(escape);
        }
        done = at + c.len_utf8();
    }
    out.extend_from_slice(&text.as_bytes()[done..]);
    out.push(b'"');
}

/// Where a quoted text is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected {expected}")]
pub struct QuoteFault {
    /// Byte offset into the text given to [`unquote`].
    pub at: usize,
    /// What would have been right there.
    pub expected: &'static str,
}

/// A quoted text that was checked: what is between the quotes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unquoted<'t> {
    inner: &'t str,
    escaped: bool,
}

/// A part of an unquoted text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Piece<'t> {
    /// Text that stands as it is.
    Text(&'t str),
    /// The character that an escape stands for.
    Char(char),
}

/// Checks a quoted text, which has to end with its closing quote. No allocation, linear.
///
/// ```
/// use juliet_core::text::unquote;
/// assert_eq!(unquote(r#""; not a directive""#).unwrap().plain(), Some("; not a directive"));
/// assert_eq!(unquote(r#""two\nlines""#).unwrap().to_string(), "two\nlines");
/// assert_eq!(unquote(r#""open"#).unwrap_err().expected, "a closing `\"`");
/// ```
///
/// # Errors
/// [`QuoteFault`] with the offset of the first thing that is wrong.
pub fn unquote(text: &str) -> Result<Unquoted<'_>, QuoteFault> {
    let fault = |at, expected| Err(QuoteFault { at, expected });
    let Some(body) = text.strip_prefix('"') else {
        return fault(0, "an opening `\"`");
    };
    let mut escaped = false;
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &body.as_bytes()[at..]) {
        at += found;
        if body.as_bytes()[at] == b'"' {
            let inner = &body[..at];
            if let Some((control, _)) = find_control(inner) {
                return fault(1 + control, "an escape such as `\\n` or `\\u{7F}` for a control character");
            }
            if at + 1 < body.len() {
                return fault(at + 2, "nothing after the closing `\"`");
            }
            return Ok(Unquoted { inner, escaped });
        }
        let Some((_, length)) = escape(&body[at..]) else {
            return fault(at + 1, "one of the escapes `\\\"`, `\\\\`, `\\n`, `\\r`, `\\t`, `\\0`, `\\u{HEX}`");
        };
        escaped = true;
        at += length;
    }
    fault(text.len(), "a closing `\"`")
}

/// The character of the escape at the start of `text`, and the length of the escape: `\u{1F600}… → ('😀', 9)`.
fn escape(text: &str) -> Option<(char, usize)> {
    let c = match text.as_bytes().get(1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'0' => '\0',
        b'u' => {
            let digits = text.get(2..)?.strip_prefix('{')?;
            // At most six digits: the search for the end must not run over the whole text.
            let length = digits.bytes().take(7).position(|b| b == b'}').filter(|length| *length > 0)?;
            let digits = &digits[..length];
            if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
                return None;
            }
            let c = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
            return Some((c, length + 4));
        }
        _ => return None,
    };
    Some((c, 2))
}

impl<'t> Unquoted<'t> {
    /// The text itself, if it holds no escape.
    #[must_use]
    pub fn plain(&self) -> Option<&'t str> {
        (!self.escaped).then_some(self.inner)
    }

    /// The parts in order: text between escapes, and the characters of the escapes.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'t>> + use<'t> {
        let mut rest = self.inner;
        std::iter::from_fn(move || {
            let end = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
            if end > 0 {
                let (text, after) = rest.split_at(end);
                rest = after;
                return Some(Piece::Text(text));
            }
            let (c, length) = escape(rest)?;
            rest = &rest[length..];
            Some(Piece::Char(c))
        })
    }

    /// Hands the text to `push`, piece by piece. No allocation.
    pub fn push_into(&self, push: &mut impl FnMut(&str)) {
        for piece in self.pieces() {
            match piece {
                Piece::Text(text) => push(text),
                Piece::Char(c) => push(c.encode_utf8(&mut [0; 4])),
            }
        }
    }

    /// How many bytes the text takes once its escapes are replaced.
    #[must_use]
    pub fn byte_count(&self) -> usize {
        let mut count = 0;
        self.push_into(&mut |piece| count += piece.len());
        count
    }
}

impl std::fmt::Display for Unquoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.pieces().try_for_each(|piece| match piece {
            Piece::Text(text) => f.write_str(text),
            Piece::Char(c) => std::fmt::Write::write_char(f, c),
        })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use proptest::prelude::*;

    use super::*;

    fn written(text: &str, nested: bool) -> String {
        let mut out = Vec::new();
        write_string(text, nested, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn strings_are_quoted_only_where_they_have_to_be() {
        for bare in [
            "a",
            "a: b",
            "a # b",
            "https://example.org/a//b#c",
            "build # release; keep",
            "none",
            "a\tb",
            "/x",
            "ä €",
            "a\"b",
            "=",
            "======",
            "========",
            "<<<<<<<x",
            "x [1]",
        ] {
            assert_eq!(written(bare, false), bare);
        }
        for (text, quoted) in [
            ("", r#""""#),
            ("#x", r##""#x""##),
            ("//x", r#""//x""#),
            ("; x", r#""; x""#),
            (" a", r#"" a""#),
            ("a ", r#""a ""#),
            ("a\t", r#""a\t""#),
            ("\"", r#""\"""#),
            ("[", r#""[""#),
            ("{}", r#""{}""#),
            ("a\nb", r#""a\nb""#),
            ("\r", r#""\r""#),
            ("a\0", r#""a\0""#),
            ("\u{FEFF}x", r#""\u{FEFF}x""#),
            ("a\u{85}", r#""a\u{85}""#),
            ("a\u{2028}\\", r#""a\u{2028}\\""#),
            ("=======", r#""=======""#),
            ("<<<<<<< HEAD", r#""<<<<<<< HEAD""#),
            (">>>>>>>", r#"">>>>>>>""#),
            ("||||||| base", r#""||||||| base""#),
        ] {
            assert_eq!(written(text, false), quoted);
        }
        assert_eq!(written("a, b", true), r#""a, b""#);
        assert_eq!(written("a:b", true), r#""a:b""#);
        assert_eq!(written("a b", true), "a b");
    }

    #[test]
    fn quote_faults_say_where_and_what() {
        for (text, at, expected) in [
            ("", 0, "an opening"),
            ("a", 0, "an opening"),
            ("\"", 1, "a closing"),
            ("\"a\\\"", 4, "a closing"),
            ("\"a\"b", 3, "nothing after"),
            ("\"a\" ", 3, "nothing after"),
            ("\"\\q\"", 1, "one of the escapes"),
            ("\"ab\\", 3, "one of the escapes"),
            ("\"\\u{}\"", 1, "one of"),
            ("\"\\u{D800}\"", 1, "one of"),
            ("\"\\u{110000}\"", 1, "one of"),
            ("\"\\u{+1}\"", 1, "one of"),
            ("\"\\u{0000041}\"", 1, "one of"),
            ("\"\\uä\"", 1, "one of"),
            ("\"a\x01\"", 2, "an escape such as"),
        ] {
            let fault = unquote(text).unwrap_err();
            assert!(fault.at == at && fault.expected.starts_with(expected), "{text}: {fault:?}");
        }
    }

    #[test]
    fn escapes_are_read() {
        let read = unquote(r#""\"\\\n\r\t\0\u{41}\u{01F600}x""#).unwrap();
        assert_eq!(read.to_string(), "\"\\\n\r\t\0A😀x");
        assert_eq!((read.plain(), read.byte_count()), (None, 12));
        assert_eq!(unquote("\"a\tb\"").unwrap().plain(), Some("a\tb"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_string_reads_back(text: String, nested: bool) {
            let out = written(&text, nested);
            if out.starts_with('"') {
                prop_assert_eq!(unquote(&out).unwrap().to_string(), &*text);
                prop_assert!(!out.contains(['\n', '\r']));
            } else {
                prop_assert!(!needs_quotes(&text));
                prop_assert_eq!(out, text);
            }
        }

        #[test]
        fn strings_of_odd_characters_read_back(text in "[ \t\r\n;#/\"\\\\{}\\[\\]a\u{FEFF}\u{85}\u{2028}\0<>=|]{0,12}") {
            let mut out = Vec::new();
            write_string_quoted(&text, &mut out);
            prop_assert_eq!(unquote(std::str::from_utf8(&out).unwrap()).unwrap().to_string(), &*text);
        }

        #[test]
        fn any_text_is_unquoted_or_refused(text in "\"?[\"\\\\u{}0-9a-f\u{1}ä]{0,16}\"?") {
            match unquote(&text) {
                Ok(read) => prop_assert_eq!(read.to_string().len(), read.byte_count()),
                Err(fault) => prop_assert!(fault.at <= text.len()),
            }
        }
    }
}
