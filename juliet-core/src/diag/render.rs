//! A diagnostic drawn for people: the source line, a mark under what is meant, the help, the other places.
//!
//! Text from files goes through the drawing crate's normalisation, so that control characters in a file never reach the
//! terminal.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};

use super::diagnostic::visible;
use super::{Diagnostic, Severity, SourceLine};

/// How [`render`] draws.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// ASCII without colours: for files, tests and pipes.
    Plain,
    /// With ANSI colours: for terminals.
    Coloured,
}

/// Draws one diagnostic, over several lines, without a line end after the last.
#[cold]
#[must_use]
pub fn render(diagnostic: &Diagnostic, look: Look) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut main =
        level.primary_title(visible(&diagnostic.message)).id(diagnostic.code.as_str()).elements(place(diagnostic));
    if let Some(help) = &diagnostic.help {
        main = main.element(Level::HELP.message(visible(help)));
    }
    let mut groups = vec![main];
    for related in &diagnostic.related {
        let origin = origin(&related.file, related.line, related.column);
        groups.push(Group::with_title(Level::NOTE.secondary_title(visible(&related.label))).element(origin));
    }
    match look {
        Look::Plain => Renderer::plain(),
        Look::Coloured => Renderer::styled(),
    }
    .render(&groups)
}

/// The position and, where it is known, the source line with a mark.
fn place(diagnostic: &Diagnostic) -> Vec<Element<'_>> {
    if diagnostic.file.is_empty() {
        return Vec::new();
    }
    let Some(line) = &diagnostic.source_line else {
        return vec![origin(&diagnostic.file, diagnostic.line, diagnostic.column).into()];
    };
    let mut mark = AnnotationKind::Primary.span(inside(line));
    if !diagnostic.expected.is_empty() {
        mark = mark.label(format!("expected {}", visible(&diagnostic.expected)));
    }
    let snippet = Snippet::source(&*line.text).line_start(diagnostic.line as usize).fold(false).annotation(mark);
    // The snippet would count columns in the shown text; of a line that is shown in part the position is given apart.
    if line.text.starts_with('…') {
        return vec![origin(&diagnostic.file, diagnostic.line, diagnostic.column).into(), snippet.into()];
    }
    vec![snippet.path(visible(&diagnostic.file)).into()]
}

/// The marked part: whole characters of the text, whatever a diagnostic that was made by hand says.
fn inside(line: &SourceLine) -> Range<usize> {
    let end = line.text.ceil_char_boundary(line.mark.end);
    line.text.floor_char_boundary(line.mark.start).min(end)..end
}

fn origin(file: &str, line: u32, column: u32) -> Origin<'_> {
    let origin = Origin::path(visible(file));
    match (line, column) {
        (0, _) => origin,
        (line, 0) => origin.line(line as usize),
        (line, column) => origin.line(line as usize).char_column(column as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Code, Source};
    use super::*;

    const FILE: &str = "Assets/Worlds/Level1/Rock_117.jasset";

    #[test]
    fn a_mark_beside_the_text_is_drawn_inside() {
        for mark in [0..100, 1..2, 100..100, usize::MAX - 1..usize::MAX, Range { start: 5, end: 2 }, 0..0] {
            for text in ["äb", "", "…ä\n\nb"] {
                let mut d = Diagnostic::new(Code::BadQuote, "not closed").in_file(FILE).at(u32::MAX, u32::MAX);
                d.source_line = Some(SourceLine { text: text.into(), mark: mark.clone() });
                assert!(render(&d, Look::Plain).contains("not closed"), "{mark:?} {text:?}");
            }
        }
    }

    #[test]
    fn a_wrong_count_is_drawn_with_label_and_help() {
        let text = "; entity_type: Rock\r\nScale: 2\r\n\r\nPosition: 1, 2\r\n";
        let at = text.find("1, 2").expect("is there");
        let d = Source::new(FILE, text)
            .diagnostic(Code::WrongCount, at..at + 4, "expected 3 numbers, found 2")
            .property("Position")
            .expected("3 numbers")
            .found("2")
            .help("write the three coordinates: `1, 2, 0`");
        insta::assert_snapshot!(render(&d, Look::Plain));
        insta::assert_snapshot!(render(&d, Look::Coloured).replace('\x1b', "ESC"));
    }

    #[test]
    fn a_duplicate_is_drawn_with_both_places() {
        let text = "; entity_type: Rock\nScale: 2\nHits: 1\nScale: 3\n";
        let source = Source::new(FILE, text);
        let (first, second) = (text.find("Scale").expect("is there"), text.rfind("Scale").expect("is there"));
        let d = source
            .diagnostic(Code::DuplicateKey, second..second + 5, "`Scale` is set on line 2 and again on line 4")
            .related(source.related(first, "first set here"));
        insta::assert_snapshot!(render(&d, Look::Plain));
    }

    #[test]
    fn a_long_line_keeps_its_true_column() {
        let text = format!("Note: {}\"open{}", "x".repeat(500), "y".repeat(500));
        let d = Source::new(FILE, &text).diagnostic(Code::BadQuote, 506..507, "the quoted text is not closed");
        insta::assert_snapshot!(render(&d, Look::Plain));
    }

    #[test]
    fn hostile_text_and_missing_places_are_drawn() {
        let text = "\u{FEFF}Key\tä: \"\x1b[31m€\u{202E} open\n";
        let at = text.find('"').expect("is there");
        let d = Source::new(FILE, text).diagnostic(Code::BadQuote, at..text.len(), "the quoted text is not closed");
        let drawn = render(&d, Look::Plain);
        assert!(!drawn.contains('\x1b') && !drawn.contains('\u{202E}'), "{drawn}");
        insta::assert_snapshot!(drawn);
        let d = Diagnostic::new(Code::FileTooLarge, "the file has 17 MiB, at most 16 are read").in_file(FILE);
        insta::assert_snapshot!(render(&d, Look::Plain));
        insta::assert_snapshot!(render(&Diagnostic::new(Code::CapacityExceeded, "full"), Look::Plain));
        let d = Source::new(FILE, "").diagnostic(Code::EmptyFile, 0..0, "empty: no class");
        insta::assert_snapshot!(render(&d, Look::Plain));
    }
}
