//! A reader for the JSON that `cargo metadata` writes.
//!
//! Comes in: a whole JSON text. Goes out: a [`Json`] tree that borrows nothing. Numbers are kept as text, since no caller
//! calculates with them. Nesting is bounded, so that no input overflows the stack.

/// Deepest nesting that is read.
const DEPTH: usize = 64;

/// One JSON value.
#[derive(Debug, PartialEq)]
pub(crate) enum Json {
    /// `null`, `true`, `false` or a number, as written.
    Plain(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a whole text, or says at which byte it stopped.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(DEPTH).and_then(|value| {
            reader.blanks();
            (reader.at == text.len()).then_some(value)
        });
        value.ok_or_else(|| format!("not JSON from byte {}", reader.at))
    }

    /// The member `key` of an object.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.members().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The members of an object; none for anything else.
    pub(crate) fn members(&self) -> &[(String, Self)] {
        if let Self::Object(members) = self { members } else { &[] }
    }

    /// The items of a list; none for anything else.
    pub(crate) fn items(&self) -> &[Self] {
        if let Self::List(items) = self { items } else { &[] }
    }

    /// The text of a string.
    pub(crate) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    /// Takes `byte` after blanks, if it is there.
    fn take(&mut self, byte: u8) -> Option<()> {
        self.blanks();
        (self.peek() == Some(byte)).then(|| self.at += 1)
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        let depth = depth.checked_sub(1)?;
        self.blanks();
        match self.peek()? {
            b'"' => self.string().map(Json::Text),
            b'[' => self.list(depth),
            b'{' => self.object(depth),
            _ => self.plain(),
        }
    }

    fn list(&mut self, depth: usize) -> Option<Json> {
        self.take(b'[')?;
        let mut items = Vec::new();
        if self.take(b']').is_some() {
            return Some(Json::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            if self.take(b',').is_none() {
                return self.take(b']').map(|()| Json::List(items));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Option<Json> {
        self.take(b'{')?;
        let mut members = Vec::new();
        if self.take(b'}').is_some() {
            return Some(Json::Object(members));
        }
        loop {
            self.blanks();
            let key = self.string()?;
            self.take(b':')?;
            members.push((key, self.value(depth)?));
            if self.take(b',').is_none() {
                return self.take(b'}').map(|()| Json::Object(members));
            }
        }
    }

    fn plain(&mut self) -> Option<Json> {
        let rest = &self.text[self.at..];
        let end =
            rest.find(|c: char| !matches!(c, 'a'..='z' | 'E' | '0'..='9' | '+' | '-' | '.')).unwrap_or(rest.len());
        self.at += end;
        (end > 0).then(|| Json::Plain(rest[..end].to_owned()))
    }

    fn string(&mut self) -> Option<String> {
        self.take(b'"')?;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let stop = rest.find(['"', '\\'])?;
            text.push_str(&rest[..stop]);
            self.at += stop + 1;
            if rest.as_bytes()[stop] == b'"' {
                return Some(text);
            }
            let escape = self.peek()?;
            self.at += 1;
            text.push(match escape {
                b'n' => '\n',
                b't' => '\t',
                b'r' => '\r',
                b'b' => '\u{8}',
                b'f' => '\u{c}',
                b'u' => self.hex()?,
                b'"' | b'\\' | b'/' => char::from(escape),
                _ => return None,
            });
        }
    }

    /// Four hex digits; half a surrogate pair becomes the replacement character.
    fn hex(&mut self) -> Option<char> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        let value = u32::from_str_radix(digits, 16).ok()?;
        Some(char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_kind_are_read() {
        let json = Json::parse(r#" {"a": [1, -2.5e3, true, null], "b": {}, "c": "x\"\\\u0041\n", "d": []} "#);
        let json = json.expect("valid");
        let plain = |text: &str| Json::Plain(text.to_owned());
        assert_eq!(
            json.get("a").map(Json::items),
            Some(&[plain("1"), plain("-2.5e3"), plain("true"), plain("null")][..])
        );
        assert_eq!(json.get("c").and_then(Json::text), Some("x\"\\A\n"));
        assert_eq!(json.get("b"), Some(&Json::Object(Vec::new())));
        assert_eq!(json.get("e"), None);
    }

    #[test]
    fn broken_text_is_an_error() {
        for text in ["", "[1, 2", "{\"a\" 1}", "\"open", "\"\\q\"", "\"\\u12\"", "[] []", "[1,]", "{,}"] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error() {
        assert!(Json::parse(&"[".repeat(100_000)).is_err());
    }
}
