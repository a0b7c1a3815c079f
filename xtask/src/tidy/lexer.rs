//! Rust source as a flat list of tokens, enough to tell code from comments and strings.
//!
//! Comes in: the text of a file that compiles. Goes out: [`Token`]s with their lines; blanks are dropped, comments kept.
//! Not a parser: numbers are words, operators single characters, and text that would not compile gives some tokens or other
//! but never a panic or a loop.

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier, a keyword or a number; raw identifiers keep their `r#`.
    Word,
    /// One character of punctuation.
    Mark,
    /// A string or character with its quotes, prefix and hashes.
    Literal,
    /// A lifetime with its apostrophe.
    Lifetime,
    /// A line comment without its line end, or a block comment.
    Comment,
}

/// One token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    pub(crate) kind: Kind,
    pub(crate) text: &'a str,
    /// Where it begins, from 1.
    pub(crate) line: usize,
}

impl Token<'_> {
    /// Is it this word or mark?
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Mark) && self.text == text
    }
}

/// Splits a whole file.
pub(crate) fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let (mut rest, mut line) = (source, 1);
    while let Some(first) = rest.chars().next() {
        let (kind, length) = if first.is_whitespace() { (None, first.len_utf8()) } else { token(rest, first) };
        debug_assert!(length > 0, "each step goes forward");
        let (text, after) = rest.split_at(length);
        if let Some(kind) = kind {
            tokens.push(Token { kind, text, line });
        }
        line += text.matches('\n').count();
        rest = after;
    }
    tokens
}

/// Kind and length of the token that `rest` begins with.
fn token(rest: &str, first: char) -> (Option<Kind>, usize) {
    if rest.starts_with("//") {
        return (Some(Kind::Comment), rest.find('\n').unwrap_or(rest.len()));
    }
    if rest.starts_with("/*") {
        return (Some(Kind::Comment), block_comment(rest));
    }
    if let Some(length) = string(rest) {
        return (Some(Kind::Literal), length);
    }
    if first == '\'' {
        return apostrophe(rest);
    }
    if is_word(first) {
        let start = if rest.starts_with("r#") { 2 } else { 0 };
        let length = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |end| start + end);
        return (Some(Kind::Word), length);
    }
    (Some(Kind::Mark), first.len_utf8())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Length of a block comment, which may hold others: `/* a /* b */ c */`.
fn block_comment(rest: &str) -> usize {
    let (bytes, mut at, mut depth) = (rest.as_bytes(), 0, 0_usize);
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (at, depth) = (at + 2, depth + 1),
            [b'*', b'/', ..] => (at, depth) = (at + 2, depth - 1),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// Length of a string or byte character at the start of `rest`: `"…"`, `b"…"`, `c"…"`, `r#"…"#`, `br"…"`, `b'…'`.
fn string(rest: &str) -> Option<usize> {
    let prefix = rest.find(|c: char| !matches!(c, 'b' | 'c' | 'r')).filter(|&length| length <= 2)?;
    let (raw, body) = (rest[..prefix].contains('r'), &rest[prefix..]);
    if raw {
        let hashes = body.find(|c| c != '#')?;
        let text = body[hashes..].strip_prefix('"')?;
        let end = format!("\"{}", &body[..hashes]);
        return Some(text.find(&end).map_or(rest.len(), |at| prefix + hashes + 1 + at + end.len()));
    }
    let quote = body.chars().next().filter(|&c| c == '"' || (c == '\'' && &rest[..prefix] == "b"))?;
    Some(prefix + quoted(body, quote))
}

/// Length of a text between two `quote`s with backslash escapes.
fn quoted(body: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in body.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    body.len()
}

/// `'a'` and `'\n'` are characters, `'a` is a lifetime.
fn apostrophe(rest: &str) -> (Option<Kind>, usize) {
    let mut characters = rest.char_indices().skip(1);
    match (characters.next(), characters.next()) {
        (Some((_, '\\')), _) => (Some(Kind::Literal), quoted(rest, '\'')),
        (Some(_), Some((at, '\''))) => (Some(Kind::Literal), at + 1),
        _ => (Some(Kind::Lifetime), rest[1..].find(|c| !is_word(c)).map_or(rest.len(), |end| end + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expected: &[(Kind, &str)]) {
        let found: Vec<_> = tokens(source).iter().map(|token| (token.kind, token.text)).collect();
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn comments_strings_and_code_are_told_apart() {
        use Kind::{Comment, Lifetime, Literal, Mark, Word};
        check("a::b", &[(Word, "a"), (Mark, ":"), (Mark, ":"), (Word, "b")]);
        check("x // unsafe\ny", &[(Word, "x"), (Comment, "// unsafe"), (Word, "y")]);
        check("/* a /* b */ c */ d", &[(Comment, "/* a /* b */ c */"), (Word, "d")]);
        check(r#""a \" b" c"#, &[(Literal, r#""a \" b""#), (Word, "c")]);
        check(r##"r#"a " b"# c"##, &[(Literal, r##"r#"a " b"#"##), (Word, "c")]);
        check(r#"br"\" b'\'' c"x""#, &[(Literal, r#"br"\""#), (Literal, r"b'\''"), (Literal, r#"c"x""#)]);
        check(
            "'a' 'b '\\'' '\"' 'é'",
            &[(Literal, "'a'"), (Lifetime, "'b"), (Literal, "'\\''"), (Literal, "'\"'"), (Literal, "'é'")],
        );
        check("r#type 0x1F", &[(Word, "r#type"), (Word, "0x1F")]);
        check("rb cr bcr", &[(Word, "rb"), (Word, "cr"), (Word, "bcr")]);
    }

    #[test]
    fn lines_are_counted_through_strings_and_comments() {
        let lines: Vec<_> = tokens("a \"\n\" b /*\n\n*/ c").iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 1, 2, 2, 4]);
    }

    #[test]
    fn broken_text_comes_to_an_end() {
        for source in ["\"open", "r#\"open", "/* open", "'", "'\\", "b'", "r#", "r", "\u{feff}ü"] {
            let length: usize = tokens(source).iter().map(|token| token.text.len()).sum();
            assert_eq!(length, source.len(), "{source:?}");
        }
    }
}
