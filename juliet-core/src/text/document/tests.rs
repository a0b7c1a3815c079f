//! Tests of the document: lines of every shape, and against a naive splitter.

#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::NodeFault::*;
use super::NodeKind::*;
use super::*;
use crate::diag::Source;

/// Kind, name and value of each node.
#[track_caller]
fn check(text: &str, expected: &[(NodeKind, &str, &str)]) {
    let found: Vec<_> = Document::new(text).nodes().map(|node| (node.kind, node.name, node.value)).collect();
    assert_eq!(found, expected, "{text:?}");
    check_spans(text);
}

fn check_spans(text: &str) {
    let document = Document::new(text);
    let mut at = document.start();
    for node in document.nodes() {
        assert!(node.span.start == at && node.span.end > at, "{text:?} {node:?}");
        at = node.span.end;
        assert_eq!((&text[node.name_range()], &text[node.value_range()]), (node.name, node.value));
        for part in [node.name_range(), node.value_range()] {
            assert!(part.start >= node.span.start && part.end <= node.span.end, "{text:?} {node:?}");
        }
    }
    assert_eq!(at, text.len());
}

#[test]
fn the_colon_spelling_is_read() {
    check(
        "; entity_type: Inert\n; id: 0x42\n\nPosition: 142.5, 12.0\nLight.Color:1\n  Indented :x\n",
        &[
            (Directive, "entity_type", "Inert"),
            (Directive, "id", "0x42"),
            (Blank, "", ""),
            (Property, "Position", "142.5, 12.0"),
            (Property, "Light.Color", "1"),
            (Fault(BlankInKey), "Indented ", "x"),
        ],
    );
    check(
        ";id:1\n;  class :\tRock \nÄhre: ja\n  A: 1\n! Loot[gold]\n!x",
        &[
            (Directive, "id", "1"),
            (Fault(BlankInKey), "class ", "Rock"),
            (Property, "Ähre", "ja"),
            (Property, "A", "1"),
            (Removal, "Loot[gold]", ""),
            (Removal, "x", ""),
        ],
    );
}

#[test]
fn the_node_spelling_is_read() {
    check(
        "; class\nRock\n; position\n142.5 12.0\n;Scale\n  2 \n! Loot[gold]\n# c\n; template\nX.jasset",
        &[
            (Directive, "class", "Rock"),
            (Property, "position", "142.5 12.0"),
            (Property, "Scale", "2"),
            (Removal, "Loot[gold]", ""),
            (Comment, "", "# c"),
            (Directive, "template", "X.jasset"),
        ],
    );
}

#[test]
fn k10_marks_and_line_ends_are_kept_apart() {
    let colon = &[(Directive, "entity_type", "Rock"), (Property, "Scale", "2")];
    check("\u{FEFF}; entity_type: Rock\nScale: 2\n", colon);
    check("; entity_type: Rock\r\nScale: 2\r\n", colon);
    let node = &[(Directive, "class", "Rock"), (Property, "scale", "2")];
    check("\u{FEFF}; class\nRock\n; scale\n2\n", node);
    check("\u{FEFF}; class\r\nRock\r\n; scale\r\n2", node);
    assert!(Document::new("\u{FEFF}").has_bom() && !Document::new("").has_bom());
    let text = "; entity_type: Rock\n\u{FEFF}Scale: 2\n";
    check(text, &[(Directive, "entity_type", "Rock"), (Fault(Invisible('\u{FEFF}')), "\u{FEFF}Scale", "2")]);
    let fault =
        Document::new(text).nodes().last().unwrap().diagnostic(Spelling::Colon, &Source::new("f", text)).unwrap();
    assert_eq!(fault.to_string(), "f:2:1: error[JA0211]: the invisible character U+FEFF stands in a name");
}

#[test]
fn k11_nothing_inside_a_value_is_stripped() {
    check(
        "; entity_type: Sign\n# a comment\n  // another\nTint: #B6D2FF\nLink: https://example.org/a//b#c\nNote: build # release; keep\n",
        &[
            (Directive, "entity_type", "Sign"),
            (Comment, "", "# a comment"),
            (Comment, "", "// another"),
            (Property, "Tint", "#B6D2FF"),
            (Property, "Link", "https://example.org/a//b#c"),
            (Property, "Note", "build # release; keep"),
        ],
    );
    check(
        "; class\nSign\n; tint\n#B6D2FF\n; note\n\"; quoted\"\n; path\n// not a comment\n; x\n! y\n; z\na: b\n",
        &[
            (Directive, "class", "Sign"),
            (Property, "tint", "#B6D2FF"),
            (Property, "note", "\"; quoted\""),
            (Property, "path", "// not a comment"),
            (Property, "x", "! y"),
            (Property, "z", "a: b"),
        ],
    );
}

#[test]
fn quoted_keys_of_items_hold_blanks_and_colons() {
    check(
        "; entity_type: Chest\nLoot[gold].Count: 3\nLoot[\"two words: a\"].Count: 3\n\
         Loot[\"]: \\\"\"]:[\"x: y\"]\r\n! Loot[\"a: b\"]\n! Loot[ä]\nLoot[\"a: b\" ]: 1\nLoot[\"a b: 1\nA!b: 1\nA\"b:c\n\
         Loot[\"\u{200B}\"]: 1\nLoot[\"a\"]\u{200B}: 1\nLoot[\"a:b\"]\n",
        &[
            (Directive, "entity_type", "Chest"),
            (Property, "Loot[gold].Count", "3"),
            (Property, "Loot[\"two words: a\"].Count", "3"),
            (Property, "Loot[\"]: \\\"\"]", "[\"x: y\"]"),
            (Removal, "Loot[\"a: b\"]", ""),
            (Removal, "Loot[ä]", ""),
            (Property, "Loot[\"a", "b\" ]: 1"),
            (Fault(BlankInKey), "Loot[\"a b", "1"),
            (Property, "A!b", "1"),
            (Property, "A\"b", "c"),
            (Property, "Loot[\"\u{200B}\"]", "1"),
            (Fault(Invisible('\u{200B}')), "Loot[\"a\"]\u{200B}", "1"),
            (Fault(Syntax), "", "Loot[\"a:b\"]"),
        ],
    );
    check(
        "; loot[\"two words: a\"].count\n3\n; Loot[\"]\"]\r\n 4\n! loot[\"a: b\"]\nLoot[\"a:b\"].Count: 3\n",
        &[
            (Property, "loot[\"two words: a\"].count", "3"),
            (Property, "Loot[\"]\"]", "4"),
            (Removal, "loot[\"a: b\"]", ""),
            (Fault(OtherSpelling), "Loot[\"a:b\"].Count", "3"),
        ],
    );
}

#[test]
fn a_missing_value_takes_nothing_from_the_next_line() {
    check(
        "; class\nRock\n; scale\n; hits\n5\n; a\n\n; b\n \t; c\n; d",
        &[
            (Directive, "class", "Rock"),
            (Fault(MissingValue), "scale", ""),
            (Property, "hits", "5"),
            (Fault(MissingValue), "a", ""),
            (Blank, "", ""),
            (Fault(MissingValue), "b", ""),
            (Fault(MissingValue), "c", ""),
            (Fault(MissingValue), "d", ""),
        ],
    );
}

#[test]
fn lines_of_the_other_spelling_say_so() {
    check(
        "; entity_type: Rock\nScale: 2\n; scale\n3\nHits: 1\n; hits\n\n",
        &[
            (Directive, "entity_type", "Rock"),
            (Property, "Scale", "2"),
            (Fault(OtherSpelling), "scale", "3"),
            (Property, "Hits", "1"),
            (Fault(OtherSpelling), "hits", ""),
            (Blank, "", ""),
        ],
    );
    check(
        "; class\nRock\nScale: 2\n; id: 5\n",
        &[(Directive, "class", "Rock"), (Fault(OtherSpelling), "Scale", "2"), (Fault(OtherSpelling), "id", "5")],
    );
}

#[test]
fn a_remark_after_a_semicolon_does_not_decide_the_spelling() {
    check(
        "; made by hand\nScale: 2\n; id: 5\n",
        &[(Fault(BlankInKey), "made by hand", ""), (Property, "Scale", "2"), (Directive, "id", "5")],
    );
    assert_eq!(Document::new("Scale: 2\n").spelling(), Spelling::Colon);
    assert_eq!(Document::new("# c\n\n;class\nX").spelling(), Spelling::Node);
}

#[test]
fn lines_that_are_nothing_are_faults() {
    check(
        "what\n:\n;\n; : x\n!\n! a b\n! a: b\nA\u{200B}b: 1\n\u{FEFF}\n\r",
        &[
            (Fault(Syntax), "", "what"),
            (Fault(EmptyKey), "", ""),
            (Fault(EmptyKey), "", ""),
            (Fault(EmptyKey), "", "x"),
            (Fault(EmptyKey), "", ""),
            (Fault(BlankInKey), "a b", ""),
            (Fault(Syntax), "", "! a: b"),
            (Fault(Invisible('\u{200B}')), "A\u{200B}b", "1"),
            (Fault(Invisible('\u{FEFF}')), "", "\u{FEFF}"),
            (Fault(Invisible('\r')), "", "\r"),
        ],
    );
}

#[test]
fn k12_conflict_markers_are_named() {
    let marker = |value| (Fault(ConflictMarker), "", value);
    check(
        "; entity_type: Rock\n<<<<<<< HEAD\nScale: 2\n||||||| base\n=======\r\nScale: 3\n>>>>>>> feature\nNote: =======\n",
        &[
            (Directive, "entity_type", "Rock"),
            marker("<<<<<<< HEAD"),
            (Property, "Scale", "2"),
            marker("||||||| base"),
            marker("======="),
            (Property, "Scale", "3"),
            marker(">>>>>>> feature"),
            (Property, "Note", "======="),
        ],
    );
    check(
        "; class\nRock\n; scale\n<<<<<<< HEAD\n2\n=======\n3\n>>>>>>> b\n; note\n\"=======\"\n; x\n========\n; y\n =======\n",
        &[
            (Directive, "class", "Rock"),
            (Fault(ConflictMarker), "scale", "<<<<<<< HEAD"),
            (Fault(Syntax), "", "2"),
            marker("======="),
            (Fault(Syntax), "", "3"),
            marker(">>>>>>> b"),
            (Property, "note", "\"=======\""),
            (Property, "x", "========"),
            (Property, "y", "======="),
        ],
    );
}

#[test]
fn a_line_ends_at_its_limit() {
    let (fits, long) = ("x".repeat(LINE_LIMIT - 3), "x".repeat(LINE_LIMIT - 2));
    check(&format!("A: {fits}\r\nA: {long}\r\n"), &[(Property, "A", &fits), (Fault(LineTooLong), "A", "")]);
    let (fits, long) = ("x".repeat(LINE_LIMIT), "x".repeat(LINE_LIMIT + 1));
    check(
        &format!("; a\n{fits}\n; a\n{long}\n;{long}\n"),
        &[(Property, "a", &fits), (Fault(LineTooLong), "a", ""), (Fault(LineTooLong), "", "")],
    );
}

#[test]
fn faults_become_diagnostics() {
    let text = "; class\nRock\n; scale\n; x\n<<<<<<< HEAD\nScale: 2\nwhat\n; a b\n";
    let document = Document::new(text);
    let source = Source::new("f", text);
    let found: Vec<_> = document.nodes().filter_map(|node| node.diagnostic(document.spelling(), &source)).collect();
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(found.join("\n"), @r"
    f:3:3: error[JA0204]: no value for `scale`
    f:5:1: error[JA0205]: unresolved merge conflict
    f:6:1: error[JA0202]: `Scale: …` is of the colon spelling, in a file of the node spelling
    f:7:1: error[JA0201]: this line is neither a directive nor a property
    f:8:3: error[JA0201]: the name `a b` holds a blank
    ");
}

fn opening(spelling: Spelling, key: &str) -> String {
    match spelling {
        Spelling::Colon => format!("{key}: "),
        Spelling::Node => format!("; {key}\n"),
    }
}

fn text_of<'a>(nodes: &mut Nodes<'a>, opening: &[u8]) -> Option<&'a str> {
    match nodes.next_value(opening, |_| None)? {
        NextValue::Text(text) => Some(text),
        NextValue::Scanned(_) => None,
    }
}

#[test]
fn a_scanned_value_is_taken_with_its_line() {
    let mut nodes = Document::new("Scale: 20\nMass: 20 kg\r\nName: 20\r\n").nodes();
    assert_eq!(nodes.next_value(b"Scale: ", |_| Some(2)), Some(NextValue::Scanned(7..9)));
    assert_eq!(nodes.next_value(b"Mass: ", |_| Some(2)), Some(NextValue::Text("20 kg")));
    assert_eq!(nodes.next_value(b"Name: ", |_| Some(2)), Some(NextValue::Text("20")));
    assert_eq!(nodes.next_value(b"Name: ", |_| Some(2)), None);
}

#[test]
fn expected_properties_are_taken_and_others_left() {
    let text = "; class: Rock\nScale: 2\nScales: 3\n";
    let mut nodes = Document::new(text).nodes();
    assert_eq!(text_of(&mut nodes, b"Scale: "), None);
    nodes.next();
    assert_eq!(text_of(&mut nodes, b"Scal: "), None);
    assert_eq!(text_of(&mut nodes, b"Scale: "), Some("2"));
    assert_eq!(text_of(&mut nodes, b"Scale: "), None);
    assert_eq!(nodes.next().map(|node| node.name), Some("Scales"));
    assert_eq!(text_of(&mut nodes, b"Scale: "), None);
    let mut nodes = Document::new("; class\nRock\n; scale\r\n2\n; scales\n3").nodes();
    nodes.next();
    assert_eq!(text_of(&mut nodes, b"; scale\n"), Some("2"));
    assert_eq!(text_of(&mut nodes, b"; scale\n"), None);
    assert_eq!(text_of(&mut nodes, b"; scales\n"), None, "without a line end it is left to `next`");
}

#[test]
fn lines_end_at_the_first_line_feed() {
    for length in 0..50 {
        let text = format!("{}\n\u{b}x\n", "\u{9}x\u{b}€".repeat(10).chars().take(length).collect::<String>());
        assert_eq!(line_length(text.as_bytes()), text.find('\n'), "{text:?}");
        assert_eq!(line_length(text.trim_end().as_bytes()), text.trim_end().find('\n'), "{text:?}");
    }
}

#[test]
fn keys_end_where_they_should() {
    for length in 0..20 {
        for stop in ['\0', '\n', ' ', '"', ':', '\u{7F}', 'ä', '€', '\u{7FF}'] {
            let text = format!("{}{stop}x:", "A~#.".repeat(5).get(..length).unwrap());
            assert_eq!(key_length(text.as_bytes()), length, "{text:?}");
        }
    }
    assert_eq!(key_length(b"abcdefghij"), 10);
}

/// Text of the pieces that decide.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("; "),
        Just(";"),
        Just(": "),
        Just(":"),
        Just("\n"),
        Just("\r\n"),
        Just("\n"),
        Just("\r"),
        Just(" "),
        Just("\t"),
        Just("class"),
        Just("Scale"),
        Just("very_long_name_of_a_key"),
        Just("x"),
        Just("#"),
        Just("//"),
        Just("! "),
        Just("<<<<<<<"),
        Just("======="),
        Just("ä"),
        Just("\u{FEFF}"),
        Just("\0"),
        Just("; a\n1\n"),
        Just("A: 1\n"),
        Just("L[\""),
        Just("\"]"),
        Just("\""),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Lines as a reader without any cleverness would split them.
fn naive_lines(text: &str) -> Vec<&str> {
    text.strip_prefix('\u{FEFF}').unwrap_or(text).split_inclusive('\n').collect()
}

/// A line or its end without its line end and the blanks around it.
fn trimmed(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |l| l.strip_suffix('\r').unwrap_or(l)).trim_matches([' ', '\t'])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spans_tile_any_text(text: String) {
        check_spans(&text);
    }

    #[test]
    fn spans_tile_text_of_decisive_pieces(text in text()) {
        check_spans(&text);
    }

    #[test]
    fn nodes_are_whole_lines_of_a_naive_splitter(text in text()) {
        let mut lines = naive_lines(&text).into_iter();
        for node in Document::new(&text).nodes() {
            let mut span = lines.next().unwrap().to_owned();
            if span.len() < node.span.len() {
                span += lines.next().unwrap();
            }
            prop_assert_eq!(&text[node.span.clone()], &*span);
            if node.kind == Property && Document::new(&text).spelling() == Spelling::Colon {
                let (name, value) = match node.name.contains("[\"") {
                    // A quoted key may hold the first colon.
                    true => span.split_once(&format!("{}:", node.name)).map(|(_, value)| (node.name, value)).unwrap(),
                    false => span.split_once(':').unwrap(),
                };
                prop_assert_eq!(node.name, name.trim_start_matches([' ', '\t']));
                prop_assert_eq!(node.value, trimmed(value));
            }
            if node.kind == Blank {
                prop_assert_eq!(trimmed(&span), "");
            }
        }
        prop_assert_eq!(lines.next(), None);
    }

    #[test]
    fn the_plain_paths_are_shortcuts_of_the_careful_one(text in text()) {
        let document = Document::new(&text);
        let mut nodes = document.nodes();
        loop {
            let before = nodes.clone();
            let Some(node) = nodes.next() else { break };
            let mut expecting = before.clone();
            if node.kind == Property
                && let Some(value) = text_of(&mut expecting, opening(document.spelling(), node.name).as_bytes())
            {
                prop_assert_eq!((value, expecting.at), (node.value, nodes.at));
                prop_assert_eq!(crate::text::offset_in(&text, value), Some(node.value_at));
            } else {
                prop_assert_eq!(expecting.at, node.span.start);
            }
            prop_assert_eq!(before.careful(before.at), node);
        }
    }
}
