//! Rules for single Rust files: `unsafe`, `SAFETY:`, module docs, length, unfinished code.

use super::Finding;
use super::lexer::{Kind, Token, tokens};
use super::tree::Tree;

/// The one folder that may hold `unsafe`.
const UNSAFE_FOLDER: &str = "juliet-core/src/mem/";

/// Templates of the derive that put `unsafe` into a user's crate (`unsafe impl Entity`); they run none themselves.
const UNSAFE_TEMPLATES: &[&str] = &[
    "juliet-derive/src/expand/entity.rs",
    "juliet-derive/src/expand/fallback.rs",
    "juliet-derive/src/expand/property.rs",
    "juliet-derive/src/expand/table.rs",
];

/// Longest source file, in lines.
const MAX_LINES: usize = 600;

/// Checks every Rust file, except compile-fail cases, which are wrong on purpose, and the workspaces of their own.
pub(crate) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for (path, text) in tree.texts("", ".rs") {
        if path.contains("/ui/") || path.starts_with("benches/peers/") {
            continue;
        }
        let tokens = tokens(text);
        unfinished(path, &tokens, findings);
        empty_safety(path, &tokens, findings);
        if in_source(path) {
            stray_unsafe(path, &tokens, findings);
            missing_doc(path, &tokens, findings);
            too_long(path, text, findings);
        } else if path.starts_with("examples/") {
            missing_doc(path, &tokens, findings);
        }
    }
}

/// `src/…` and `<crate>/src/…`, but not test data that happens to lie in some `src`.
fn in_source(path: &str) -> bool {
    path.starts_with("src/")
        || path.split_once('/').is_some_and(|(name, rest)| name != "tests" && rest.starts_with("src/"))
}

fn stray_unsafe(path: &str, tokens: &[Token<'_>], findings: &mut Vec<Finding>) {
    if path.starts_with(UNSAFE_FOLDER) || UNSAFE_TEMPLATES.contains(&path) {
        return;
    }
    for token in tokens.iter().filter(|token| token.is("unsafe")) {
        findings.push(Finding::new(path, token.line, format!("`unsafe` outside {UNSAFE_FOLDER}")));
    }
}

fn empty_safety(path: &str, tokens: &[Token<'_>], findings: &mut Vec<Finding>) {
    let words = |comment: &str| comment.chars().filter(|c| c.is_alphanumeric()).count();
    for (index, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Comment) {
        let Some((_, reason)) = token.text.split_once("SAFETY:") else { continue };
        let next = tokens.get(index + 1).filter(|next| next.kind == Kind::Comment && next.line == token.line + 1);
        if words(reason) + next.map_or(0, |next| words(next.text)) == 0 {
            findings.push(Finding::new(path, token.line, "`SAFETY:` without a reason"));
        }
    }
}

/// The first thing after inner attributes is a `//!` comment.
fn missing_doc(path: &str, tokens: &[Token<'_>], findings: &mut Vec<Finding>) {
    let mut rest = tokens;
    while let [hash, bang, bracket, ..] = rest
        && hash.is("#")
        && bang.is("!")
        && bracket.is("[")
    {
        let mut depth = 0_usize;
        let end = rest.iter().position(|token| {
            depth += usize::from(token.is("["));
            depth -= usize::from(token.is("]") && depth > 0);
            token.is("]") && depth == 0
        });
        rest = &rest[end.map_or(rest.len(), |end| end + 1)..];
    }
    if !rest.first().is_some_and(|first| first.kind == Kind::Comment && first.text.starts_with("//!")) {
        findings.push(Finding::new(path, 1, "a module opens with a `//!` doc"));
    }
}

fn too_long(path: &str, text: &str, findings: &mut Vec<Finding>) {
    let lines = text.lines().count();
    if lines > MAX_LINES {
        findings.push(Finding::new(path, 0, format!("{lines} lines; more than {MAX_LINES} usually hold two subjects")));
    }
}

fn unfinished(path: &str, tokens: &[Token<'_>], findings: &mut Vec<Finding>) {
    for pair in tokens.windows(2) {
        let [word, bang] = pair else { continue };
        if bang.is("!") && (word.is("todo") || word.is("unimplemented")) {
            findings.push(Finding::new(path, word.line, format!("`{}!` is a stub", word.text)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines found in `text` at `path`, with a word of each message.
    fn lines(path: &str, text: &str) -> Vec<usize> {
        let mut findings = Vec::new();
        check(&Tree::of(&[(path, text)]), &mut findings);
        findings.iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn unsafe_is_code_not_text() {
        let text = "//! unsafe\n#![forbid(unsafe_code)]\nconst A: &str = \"unsafe\";\nunsafe fn f() {}\n";
        assert_eq!(lines("juliet-world/src/a.rs", text), [4]);
        assert_eq!(lines("src/a.rs", text), [4]);
        assert_eq!(lines("juliet-core/src/mem/a.rs", text), [0; 0]);
        assert_eq!(lines("juliet-derive/src/expand/entity.rs", text), [0; 0]);
    }

    #[test]
    fn safety_comment_needs_a_reason() {
        let text =
            "//! A.\n// SAFETY:\nf();\n// SAFETY: checked\nf();\n// SAFETY:\n// checked\nf();\n//    SAFETY: .\n";
        assert_eq!(lines("juliet-core/src/mem/a.rs", text), [2, 9]);
    }

    #[test]
    fn module_doc_may_follow_inner_attributes() {
        assert_eq!(lines("src/a.rs", "//! A.\n"), [0; 0]);
        assert_eq!(lines("src/a.rs", "#![expect(a, reason = \"[]\")]\n#![b([c])]\n\n//! A.\n"), [0; 0]);
        assert_eq!(lines("src/a.rs", "/// A.\nfn f() {}\n"), [1]);
        assert_eq!(lines("src/a.rs", ""), [1]);
        assert_eq!(lines("examples/tour.rs", "fn main() {}\n"), [1]);
        assert_eq!(lines("tests/a.rs", "fn f() {}\n"), [0; 0]);
    }

    #[test]
    fn stubs_are_found_everywhere_but_in_compile_fail_cases() {
        let text = "//! A.\nfn f() { todo@() }\nfn g() { std::unimplemented@() }\nfn todo() {}\n// todo@()\n";
        let text = &text.replace('@', "!");
        assert_eq!(lines("tests/a.rs", text), [2, 3]);
        assert_eq!(lines("tests/ui/conflict/a.rs", text), [0; 0]);
    }

    #[test]
    fn long_file_is_found() {
        let text = |count: usize| format!("//! A.\n{}", "\n".repeat(count - 1));
        assert_eq!(lines("src/a.rs", &text(600)), [0; 0]);
        assert_eq!(lines("src/a.rs", &text(601)), [0]);
    }
}
