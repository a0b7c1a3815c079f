//! Pages that belong to something: one for each diagnostic code, and the headings of decision records.

use std::collections::BTreeMap;

use super::Finding;
use super::lexer::{Kind, tokens};
use super::tree::Tree;

/// The file whose literals are the diagnostic codes.
const CODES: &str = "juliet-core/src/diag/code.rs";
/// The folder with a page for each.
const PAGES: &str = "docs/diagnostics/";
/// The folder of decision records, and what each has to say.
const RECORDS: &str = "docs/adr/";
const RECORD_HEADINGS: &[&str] = &["Context", "Decision", "Consequences"];

pub(crate) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    diagnostics(tree, findings);
    for (path, text) in tree.texts(RECORDS, ".md") {
        let is_heading = |line: &str, name: &str| line.starts_with('#') && line.trim_start_matches('#').trim() == name;
        for name in RECORD_HEADINGS.iter().filter(|name| !text.lines().any(|line| is_heading(line, name))) {
            findings.push(Finding::new(path, 0, format!("a decision record has the heading `{name}`")));
        }
    }
}

fn diagnostics(tree: &Tree, findings: &mut Vec<Finding>) {
    // The code, and the line that first names it.
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    let source = tree.texts(CODES, "").find(|(path, _)| *path == CODES).map(|(_, text)| text);
    let Some(source) = source else {
        if tree.texts(PAGES, ".md").next().is_some() {
            findings.push(Finding::new(CODES, 0, format!("not found, so the pages in {PAGES} belong to nothing")));
        }
        return;
    };
    let tokens = tokens(source);
    // Tests name codes that do not exist.
    let tests = tokens.windows(3).position(|three| three[0].is("cfg") && three[2].is("test")).unwrap_or(tokens.len());
    for token in tokens[..tests].iter().filter(|token| token.kind == Kind::Literal) {
        if let Some(code) =
            token.text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).filter(|text| is_code(text))
        {
            codes.entry(code).or_insert(token.line);
        }
    }
    let mut pages = Vec::new();
    for (path, text) in tree.texts(PAGES, ".md") {
        let name = &path[PAGES.len()..path.len() - ".md".len()];
        if !is_code(name) {
            continue;
        }
        pages.push(name);
        if !text.strip_prefix("# ").and_then(|text| text.strip_prefix(name)).is_some_and(|text| text.starts_with(": "))
        {
            findings.push(Finding::new(path, 1, format!("the page opens with `# {name}: ` and its title")));
        }
        if !codes.contains_key(name) {
            findings.push(Finding::new(path, 0, format!("{CODES} has no code {name}")));
        }
    }
    for (code, line) in codes.iter().filter(|(code, _)| !pages.contains(code)) {
        findings.push(Finding::new(CODES, *line, format!("{code} has no page {PAGES}{code}.md")));
    }
}

/// `JA` and four digits.
fn is_code(text: &str) -> bool {
    text.strip_prefix("JA")
        .is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|digit| digit.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(files: &[(&str, &str)]) -> Vec<String> {
        let mut findings = Vec::new();
        check(&Tree::of(files), &mut findings);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn codes_and_pages_match_both_ways() {
        let code = (
            CODES,
            "// \"JA0109\"\nmatch x { A => \"JA0101\",\nB => \"JA0102\", C => \"JAxxxx\", D => \"JA0101\" }\n\
                            #[cfg(test)] mod tests { const NONE: &str = \"JA9999\"; }",
        );
        let page = ("docs/diagnostics/JA0101.md", "# JA0101: not UTF-8\n");
        assert_eq!(
            messages(&[
                code,
                page,
                ("docs/diagnostics/JA0103.md", "# JA0103: x\n"),
                ("docs/diagnostics/README.md", "")
            ]),
            [
                "docs/diagnostics/JA0103.md: juliet-core/src/diag/code.rs has no code JA0103",
                "juliet-core/src/diag/code.rs:3: JA0102 has no page docs/diagnostics/JA0102.md",
            ]
        );
        let untitled = ("docs/diagnostics/JA0102.md", "# JA0101: copied\n");
        assert_eq!(
            messages(&[code, page, untitled]),
            ["docs/diagnostics/JA0102.md:1: the page opens with `# JA0102: ` and its title"]
        );
    }

    #[test]
    fn decision_record_has_three_headings() {
        let text = "# 7. Title\n\n## Context\n\n## Decisions\n\n## Consequences\n";
        assert_eq!(
            messages(&[("docs/adr/0007-title.md", text)]),
            ["docs/adr/0007-title.md: a decision record has the heading `Decision`"]
        );
    }
}
