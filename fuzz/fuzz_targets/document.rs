//! Documents: the nodes of any text tile it, and an edit changes what it says and nothing else.
#![no_main]

use juliet_core::diag::{Look, Source, render};
use juliet_core::text::{Document, Edits, Items, NodeKind, Pairs, needs_quotes, unquote, write_string};
use libfuzzer_sys::fuzz_target;

fn tiles(text: &str) {
    let document = Document::new(text);
    let source = Source::new("fuzzed.jasset", text);
    let mut at = document.start();
    for (i, node) in document.nodes().enumerate() {
        assert_eq!(node.span.start, at);
        assert!(node.span.end > at);
        at = node.span.end;
        assert_eq!((&text[node.name_range()], &text[node.value_range()]), (node.name, node.value));
        if i < 8
            && let Some(fault) = node.diagnostic(document.spelling(), &source)
        {
            let _ = render(&fault, Look::Plain);
        }
        values(node.value);
    }
    assert_eq!(at, text.len());
}

fn values(value: &str) {
    if let Ok(read) = unquote(value) {
        let plain = read.to_string();
        let mut out = Vec::new();
        write_string(&plain, true, &mut out);
        let out = String::from_utf8(out).expect("strings are written in UTF-8");
        match unquote(&out) {
            Ok(again) => assert_eq!(again.to_string(), plain),
            Err(_) => assert!(out == plain && !needs_quotes(&plain)),
        }
    }
    Items::new(value).into_iter().flatten().for_each(drop);
    Pairs::new(value).into_iter().flatten().for_each(drop);
}

/// Replaces one value, and reads the file again: all other nodes say what they said.
fn edits(text: &str, pick: usize) {
    let document = Document::new(text);
    let valued = |kind| matches!(kind, NodeKind::Directive | NodeKind::Property);
    let nodes: Vec<_> = document.nodes().collect();
    let Some(index) = (pick < nodes.len()).then_some(pick).filter(|&i| valued(nodes[i].kind)) else { return };
    let mut edits = Edits::new(document);
    edits.replace_value(&nodes[index], "new");
    let mut out = Vec::new();
    edits.apply(&mut out).expect("one change overlaps nothing");
    let out = String::from_utf8(out).expect("an edited text is text");
    let again: Vec<_> = Document::new(&out).nodes().collect();
    assert_eq!(again.len(), nodes.len());
    for (i, (new, old)) in again.iter().zip(&nodes).enumerate() {
        assert_eq!((new.kind, new.name), (old.kind, old.name));
        assert_eq!(new.value, if i == index { "new" } else { old.value });
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&pick, data)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(data) else { return };
    tiles(text);
    edits(text, usize::from(pick));
});
