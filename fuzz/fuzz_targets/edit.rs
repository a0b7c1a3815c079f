//! Edits: a file that was read and changed says what memory says, and every line that was not concerned is as it was.
#![no_main]
#![allow(dead_code)]

#[path = "../../tests/random/values.rs"]
mod values;

use std::sync::OnceLock;

use juliet::core::archive::{
    Components, EntityText, Findings, changed_leaves, edit_entity, find_leaf, open, read_values, verify,
};
use juliet::core::class::value;
use juliet::core::text::{Document, NodeKind};
use juliet::prelude::*;
use juliet::{ErasedMut, ErasedRef};
use libfuzzer_sys::fuzz_target;
use values::{Every, Rng};

fn registry() -> &'static ClassRegistry {
    static REGISTRY: OnceLock<ClassRegistry> = OnceLock::new();
    REGISTRY.get_or_init(|| registry![Every].expect("one class collides with nothing"))
}

const KEYS: [&str; 16] = [
    "Flag",
    "Health",
    "Text",
    "Lamp",
    "Lamp.Spot.Label",
    "SecondLamp.Color",
    "Holder",
    "Title",
    "Words",
    "Scale",
    "MaybeText",
    "Mood",
    "Boxed",
    "Type",
    "Spots",
    "Lamp.Match",
];

fuzz_target!(|data: &[u8]| {
    let Some((seed, data)) = data.split_first_chunk::<2>() else { return };
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (mut findings, mut old) = (Findings::new(), Every::default_value());
    let Some(opened) = open(registry(), "fuzzed.jasset", text, &mut findings) else { return };
    let read = read_values(&opened, ErasedMut::of_entity(&mut old), &mut findings);
    if !findings.is_ok() {
        return;
    }
    let mut rng = Rng::new(u64::from(u16::from_le_bytes(*seed)));
    let (mut new, drawn) = (old.clone(), rng.value::<Every>());
    for _ in 0..rng.below(4) {
        let path = find_leaf(Every::CLASS.ty(), rng.pick(&KEYS)).expect("a key of the class");
        let from = path.follow(ErasedRef::of_entity(&drawn)).expect("a key of the class");
        value::assign(path.follow_mut(ErasedMut::of_entity(&mut new)).expect("a key of the class"), from);
    }
    let mut position = read.position.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let moved = rng.one_in(4);
    if moved {
        position[0] = rng.value();
    }
    let id = opened.id().unwrap_or(7);
    let entity = EntityText {
        class: Every::CLASS,
        id,
        position,
        value: ErasedRef::of_entity(&new),
        inherits: None,
        components: Components::NONE,
    };
    let changed = changed_leaves(ErasedRef::of_entity(&old), ErasedRef::of_entity(&new));
    let mut out = Vec::new();
    let differs = edit_entity(&opened, &read, &changed, &entity, &mut out).expect("a text without faults");
    let out = std::str::from_utf8(&out).expect("an edited text is text");
    assert_eq!(differs, out != text);
    if changed.is_empty() && !moved && opened.id().is_some() {
        assert_eq!(out, text);
    }
    let mut scratch = Every::default_value();
    let kept = Some((&changed, ErasedRef::of_entity(&old)));
    let verdict = verify(registry(), "fuzzed.jasset", out, &entity, kept, ErasedMut::of_entity(&mut scratch));
    if let Err(diagnostic) = verdict {
        assert!(data.len() > 4096, "{diagnostic}\n{out}");
        return;
    }
    assert_eq!(format!("{scratch:?}"), format!("{new:?}"));
    // Every node of the old file is there, in its order, with its bytes unless its value had to change.
    let mut nodes = Document::new(out).nodes();
    let mut section = false;
    for node in opened.document().nodes() {
        section |= node.kind == NodeKind::Directive && node.name == "component";
        let concerned = node.kind == NodeKind::Property
            && !section
            && match find_leaf(Every::CLASS.ty(), node.name) {
                Some(path) => changed.contains_any(path.first_leaf(), path.leaves()),
                None => moved && matches!(node.name, "Position" | "position"),
            };
        let same = |other: &juliet::core::text::Node<'_>| {
            let (old, new) = (&text[node.span.clone()], &out[other.span.clone()]);
            other.name == node.name
                && if concerned { other.kind == node.kind } else { old.trim_end() == new.trim_end() }
        };
        assert!(nodes.any(|other| same(&other)), "{node:?}\n{out}");
    }
});
