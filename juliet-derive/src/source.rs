//! Tokens as text, close to how people write them: `Vec3::new(1.0, -2.0)`, `AssetRef<Mesh>`.
//!
//! A token stream does not keep blanks, and its own text puts one between all tokens. This is for documentation; nothing reads it back.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// The text of `tokens` on one line.
pub(crate) fn text(tokens: impl ToTokens) -> String {
    let mut printer = Printer { out: String::new(), last: Last::Start };
    printer.stream(tokens.to_token_stream(), 0);
    printer.out
}

/// What was written last, as far as the next blank depends on it.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// Nothing, or an opening bracket.
    Start,
    /// A name, literal or closing bracket: an operator behind it has two sides.
    Value,
    /// An operator with one side, `::` or `.`: no blank follows.
    Tight,
    /// The apostrophe of a lifetime.
    Apostrophe,
    /// A lifetime.
    Lifetime,
    /// A blank.
    Blank,
}

struct Printer {
    out: String,
    last: Last,
}

impl Printer {
    fn stream(&mut self, tokens: TokenStream, depth: u32) {
        // Deeper nesting than people write is shortened, so that the stack is bounded.
        if depth > 64 {
            self.out.push('…');
            return;
        }
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => self.group(group.delimiter(), group.stream(), depth),
                TokenTree::Ident(ident) => self.word(&ident.to_string()),
                TokenTree::Literal(literal) => self.word(&literal.to_string()),
                TokenTree::Punct(punct) => {
                    let mut operator = String::from(punct.as_char());
                    let mut spacing = punct.spacing();
                    while spacing == Spacing::Joint
                        && !matches!(punct.as_char(), '<' | '>' | '&' | '*' | '\'' | ',' | ';')
                    {
                        let Some(TokenTree::Punct(next)) = tokens.peek() else { break };
                        operator.push(next.as_char());
                        spacing = next.spacing();
                        tokens.next();
                    }
                    self.operator(&operator);
                }
            }
        }
    }

    fn group(&mut self, delimiter: Delimiter, stream: TokenStream, depth: u32) {
        let (open, close) = match delimiter {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::Brace if stream.is_empty() => (" {", "}"),
            Delimiter::Brace => (" { ", " }"),
            Delimiter::None => ("", ""),
        };
        let open = if self.last == Last::Value { open } else { open.trim_start() };
        if self.last == Last::Lifetime && !open.is_empty() {
            self.out.push(' ');
        }
        self.out.push_str(open);
        if !open.is_empty() {
            self.last = Last::Start;
        }
        self.stream(stream, depth + 1);
        self.out.push_str(close);
        self.last = Last::Value;
    }

    fn word(&mut self, word: &str) {
        if matches!(self.last, Last::Value | Last::Lifetime) {
            self.out.push(' ');
        }
        self.out.push_str(word);
        self.last = if self.last == Last::Apostrophe { Last::Lifetime } else { Last::Value };
    }

    fn operator(&mut self, operator: &str) {
        let two_sided = self.last == Last::Value;
        match operator {
            "," | ";" | ":" => {
                self.out.push_str(operator);
                self.out.push(' ');
                self.last = Last::Blank;
            }
            "'" => {
                if self.last == Last::Value {
                    self.out.push(' ');
                }
                self.out.push('\'');
                self.last = Last::Apostrophe;
            }
            "<" | "::" | "." | ".." | "..=" | "!" | "#" | "?" => {
                self.out.push_str(operator);
                self.last = if operator == "?" { Last::Value } else { Last::Tight };
            }
            ">" => {
                self.out.push('>');
                self.last = Last::Value;
            }
            _ if two_sided => {
                self.out.push(' ');
                self.out.push_str(operator);
                self.out.push(' ');
                self.last = Last::Blank;
            }
            _ => {
                self.out.push_str(operator);
                self.last = Last::Tight;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[track_caller]
    fn check(source: &str) {
        assert_eq!(text(source.parse::<TokenStream>().unwrap()), source);
    }

    #[test]
    fn expressions_look_as_people_write_them() {
        check("Vec3::ONE");
        check("Vec3::new(1.0, -2.0, 3.0)");
        check("u32::MAX");
        check("\"Assets/Meshes/Cube.obj\"");
        check("[1, 2, 3]");
        check("[0.0; 3]");
        check("1 << 3".replace(" << ", "<<").as_str());
        check("a + b - c");
        check("Light { color: Color::WHITE, range: 3.0 }");
        check("vec![Color::WHITE]");
        check("1.0..=2.0");
        check("-1.5");
        check("Some(3)");
    }

    #[test]
    fn types_look_as_people_write_them() {
        check("AssetRef<Mesh>");
        check("[f32; 3]");
        check("Option<Vec<u8>>");
        check("&'static str");
        check("&'static [u8]");
        check("Cow<'static, str>");
        check("*const u8");
        check("core::option::Option<u8>");
        check("InlineString<32>");
    }

    #[test]
    fn deep_nesting_is_shortened() {
        let deep = format!("{}{}", "(".repeat(100), ")".repeat(100));
        assert!(text(deep.parse::<TokenStream>().unwrap()).contains('…'));
    }
}
