//! Tests of edits against a plain model.

#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::*;
use crate::text::{NodeKind, Spelling};

fn edited(text: &str, change: impl FnOnce(&mut Edits<'_>, &[Node<'_>])) -> String {
    let document = Document::new(text);
    let mut edits = Edits::new(document);
    change(&mut edits, &document.nodes().collect::<Vec<_>>());
    let mut out = Vec::new();
    edits.apply(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_value_is_replaced_and_nothing_else() {
    let set = |text: &str, index: usize| edited(text, |edits, nodes| edits.replace_value(&nodes[index], "new"));
    assert_eq!(set("; class: Rock\r\nScale:\t 2 \t\r\n# end", 1), "; class: Rock\r\nScale:\t new \t\r\n# end");
    assert_eq!(set("Scale:2", 0), "Scale:new");
    assert_eq!(set("Scale:\n", 0), "Scale: new\n");
    assert_eq!(set("Scale: \r\n", 0), "Scale: new\r\n");
    assert_eq!(set("\u{FEFF}; class\nRock\n;scale\n  2", 1), "\u{FEFF}; class\nRock\n;scale\n  new");
}

#[test]
fn nodes_are_removed_with_their_lines() {
    let remove = |text: &str, index: usize| edited(text, |edits, nodes| edits.remove(&nodes[index]));
    assert_eq!(remove("\u{FEFF}A: 1\r\nB: 2\r\n", 0), "\u{FEFF}B: 2\r\n");
    assert_eq!(remove("; class\nRock\n; a\n1\n; b\n2", 1), "; class\nRock\n; b\n2");
    assert_eq!(remove("A: 1\nB: 2", 1), "A: 1\n");
}

#[test]
fn lines_are_inserted_in_the_style_of_the_file() {
    let insert = |text: &str, index: usize| {
        edited(text, |edits, nodes| {
            edits.insert_property_after(&nodes[index], "K", "1");
            edits.insert_directive_after(&nodes[index], "id", "2");
        })
    };
    assert_eq!(insert("A: 1\r\nB: 2\r\n", 0), "A: 1\r\nK: 1\r\n; id: 2\r\nB: 2\r\n");
    assert_eq!(insert("A: 1\r\nB: 2", 1), "A: 1\r\nB: 2\r\nK: 1\r\n; id: 2");
    assert_eq!(insert("; class\nRock", 0), "; class\nRock\n; K\n1\n; id\n2");
    let first = |text: &str| {
        edited(text, |edits, _| {
            let start = edits.document.start();
            edits.insert_lines(start, |layout, out| layout.write_property("K", "1", out));
        })
    };
    assert_eq!(first(""), "K: 1\n");
    assert_eq!(first("\u{FEFF}"), "\u{FEFF}K: 1\n");
    assert_eq!(first("\u{FEFF}A: 1"), "\u{FEFF}K: 1\nA: 1");
}

#[test]
fn removing_and_inserting_at_one_place_goes_together() {
    let text = "A: 1\nB: 2";
    let out = edited(text, |edits, nodes| {
        edits.insert_property_after(&nodes[1], "K", "1");
        edits.remove(&nodes[1]);
        edits.insert_property_after(&nodes[0], "L", "1");
    });
    assert_eq!(out, "A: 1\nL: 1\nK: 1");
    let out = edited(text, |edits, nodes| {
        edits.remove(&nodes[0]);
        edits.remove(&nodes[1]);
        edits.insert_property_after(&nodes[1], "K", "1");
    });
    assert_eq!(out, "K: 1");
}

#[test]
fn a_node_of_another_text_is_refused() {
    let long = Document::new("; class: Rock\nScale:\nHits: 5\n");
    let made_up = Node {
        kind: NodeKind::Blank,
        name: "a",
        value: "",
        span: Range { start: 9, end: 3 },
        name_at: usize::MAX,
        value_at: usize::MAX,
    };
    for node in long.nodes().chain([Node { value: "b", ..made_up.clone() }, made_up]) {
        let mut edits = Edits::new(Document::new("# a"));
        edits.replace_value(&node, "new");
        assert!(edits.apply(&mut Vec::new()).is_err(), "{node:?}");
        assert!(node.name_range().end >= node.name_at);
    }
}

#[test]
fn changes_that_overlap_are_refused() {
    let document = Document::new("A: ä\nB: 2\n");
    let check = |ranges: [Range<usize>; 2]| {
        let mut edits = Edits::new(document);
        ranges.iter().for_each(|range| edits.replace(range.clone(), "x"));
        let mut out = Vec::new();
        let result = edits.apply(&mut out);
        assert_eq!(result.is_err(), out.is_empty());
        result.is_ok()
    };
    assert!(check([0..2, 2..5]) && check([2..2, 0..2]) && check([0..0, 0..1]) && check([1..1, 1..1]));
    assert!(!check([0..3, 2..5]) && !check([0..3, 1..1]) && !check([0..0, 4..5]) && !check([0..0, 5..99]));
}

/// Text around the shapes that lines have.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[A-Z][a-z]{0,4}: ?[a-z0-9 ]{0,6}",
        "; [a-z]{1,4}(: [a-z]{1,4})?",
        "[a-z0-9 ]{0,5}",
        "# [a-z]{0,4}",
    ];
    ("\u{FEFF}?", prop::collection::vec((line, "\r?\n"), 0..8), "([A-Z]: 1)?").prop_map(|(bom, lines, last)| {
        bom + &lines.into_iter().map(|(line, end)| line + &end).collect::<String>() + &last
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn replacements_are_those_of_a_plain_model(text in "[a-z\n]{0,20}", picks: Vec<(prop::sample::Index, u8, String)>) {
        let mut edits = Edits::new(Document::new(&text));
        // From the end, so that the plain model may replace in place.
        let (mut model, mut limit) = (text.clone(), text.len());
        for (index, length, new) in picks {
            let start = index.index(limit + 1);
            let end = (start + length as usize % 4).min(limit);
            model.replace_range(start..end, &new);
            edits.replace(start..end, &new);
            if start == 0 {
                break;
            }
            limit = start - 1;
        }
        let mut out = b"kept".to_vec();
        edits.apply(&mut out).unwrap();
        prop_assert_eq!(String::from_utf8(out).unwrap(), "kept".to_owned() + &model);
    }

    #[test]
    fn an_edited_file_reads_as_the_edited_list(text in text(), actions in prop::collection::vec(0..5u8, 12)) {
        let document = Document::new(&text);
        let nodes: Vec<_> = document.nodes().collect();
        prop_assume!(nodes.iter().all(|node| !matches!(node.kind, NodeKind::Fault(_))));
        let mut edits = Edits::new(document);
        let mut model = Vec::new();
        for (node, action) in nodes.iter().zip(&actions) {
            let entry = (node.kind, node.name.to_owned(), node.value.to_owned());
            let valued = matches!(node.kind, NodeKind::Directive | NodeKind::Property);
            match action {
                0 => edits.remove(node),
                1 if valued => {
                    edits.replace_value(node, "new");
                    model.push((entry.0, entry.1, "new".to_owned()));
                }
                2 => {
                    edits.insert_property_after(node, "Added", "[1, 2]");
                    model.push(entry);
                    model.push((NodeKind::Property, "Added".to_owned(), "[1, 2]".to_owned()));
                }
                _ => model.push(entry),
            }
        }
        let mut out = Vec::new();
        edits.apply(&mut out).unwrap();
        let out = String::from_utf8(out).unwrap();
        let again = Document::new(&out);
        // Without any directive left the file would be in the colon spelling.
        prop_assume!(document.spelling() == again.spelling() || document.spelling() == Spelling::Colon);
        let read: Vec<_> = again.nodes().map(|node| (node.kind, node.name.to_owned(), node.value.to_owned())).collect();
        prop_assert_eq!(read, model, "{:?}", out);
        prop_assert_eq!(again.has_bom(), document.has_bom());
    }
}
