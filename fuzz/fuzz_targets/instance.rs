//! Instances: a text on top of a template's image is read, what it overrides is changed, and the edited text says exactly that.
#![no_main]
#![allow(dead_code)]

#[path = "../../tests/random/values.rs"]
mod values;

use std::sync::OnceLock;

use juliet::core::archive::{
    Components, EntityText, Findings, Inherit, Inherited, Inherits, LeafPath, Opened, Overrides, Read, TemplateLine,
    changed_leaves, edit_entity, find_leaf, inherit, open_with, path_of_leaf, read_values, says_the_same, verify,
    write_entity,
};
use juliet::core::class::value;
use juliet::core::text::{Document, Node, NodeKind};
use juliet::prelude::*;
use juliet::{ErasedMut, ErasedRef, Spelling};
use libfuzzer_sys::fuzz_target;
use values::{Every, Rng};

const FILE: &str = "fuzzed.jasset";

fn registry() -> &'static ClassRegistry {
    static REGISTRY: OnceLock<ClassRegistry> = OnceLock::new();
    REGISTRY.get_or_init(|| registry![Every].expect("one class collides with nothing"))
}

/// The text with every template it may name being one of `Every`, and what it says on top of `image`.
fn read<'t>(text: &'t str, image: &Every, findings: &mut Findings) -> Option<(Opened<'t>, Read, Every)> {
    let (kind, _) = registry().find_by_name("Every")?;
    let mut inherit = |_: &TemplateLine<'t>| Inherit::From(Inherited { kind, unknown: None, file: "" });
    let opened = open_with(registry(), FILE, text, &mut inherit, findings)?;
    let mut value = image.clone();
    let read = read_values(&opened, ErasedMut::of_entity(&mut value), findings);
    findings.is_ok().then_some((opened, read, value))
}

fn any_path(rng: &mut Rng) -> LeafPath {
    let ty = Every::CLASS.ty();
    let path = match rng.below(3) {
        0 => find_leaf(ty, rng.pick(&["Lamp", "Lamp.Spot", "SecondLamp", "Holder", "SecondLamp.Spot"])),
        _ => path_of_leaf(ty, rng.below(ty.leaves() as usize) as u32),
    };
    path.expect("a key of the class")
}

/// Sets, marks and reverts.
fn change(rng: &mut Rng, value: &mut Every, image: &Every, overrides: &mut Overrides) {
    let drawn = rng.value::<Every>();
    for _ in 0..rng.below(5) {
        let path = any_path(rng);
        let leaves = path.first_leaf()..path.first_leaf() + path.leaves();
        let what = rng.below(3);
        for leaf in leaves {
            if what == 0 {
                overrides.remove(leaf);
            } else {
                overrides.insert(leaf);
            }
        }
        if what == 1 {
            let from = path.follow(ErasedRef::of_entity(&drawn)).expect("a key of the class");
            value::assign(path.follow_mut(ErasedMut::of_entity(value)).expect("a key of the class"), from);
        }
    }
    inherit(ErasedMut::of_entity(value), ErasedRef::of_entity(image), overrides);
}

fuzz_target!(|data: &[u8]| {
    let Some((seed, data)) = data.split_first_chunk::<2>() else { return };
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut rng = Rng::new(u64::from(u16::from_le_bytes(*seed)));
    let image = rng.value::<Every>();
    let Some((opened, said, old)) = read(text, &image, &mut Findings::new()) else { return };
    let Some(template) = opened.template() else { return };
    // No template has such a path: the world refuses the file, so that it is never edited.
    if template.contains(char::is_control) {
        return;
    }
    let before = said.overrides();
    let (mut new, mut overrides) = (old.clone(), before.clone());
    change(&mut rng, &mut new, &image, &mut overrides);
    let mut position = said.position.unwrap_or([1.0, 2.0, 3.0, 1.0]);
    let moved = rng.one_in(4);
    if moved {
        position[0] = rng.value();
    }
    let id = opened.id().filter(|&id| id != 0).unwrap_or(7);
    let position_below = [1.0, 2.0, 3.0, 1.0];
    let inherits = Inherits { template: Some(template), overrides: &overrides, position: position_below };
    let value = ErasedRef::of_entity(&new);
    let entity =
        EntityText { class: Every::CLASS, id, position, value, inherits: Some(inherits), components: Components::NONE };
    let changed = changed_leaves(ErasedRef::of_entity(&old), value);
    let mut out = Vec::new();
    let differs = edit_entity(&opened, &said, &changed, &entity, &mut out).expect("a text without faults");
    let out = std::str::from_utf8(&out).expect("an edited text is text");
    assert_eq!(differs, out != text);
    if overrides == before && changed.is_empty() && !moved && opened.id() == Some(id) {
        assert_eq!(out, text);
    }
    let mut scratch = image.clone();
    let kept = Some((&changed, ErasedRef::of_entity(&old)));
    if let Err(diagnostic) = verify(registry(), FILE, out, &entity, kept, ErasedMut::of_entity(&mut scratch)) {
        assert!(data.len() > 4096, "{diagnostic}\n{out}");
        return;
    }
    let (again, reread, value) = read(out, &image, &mut Findings::new()).expect("a text that was verified");
    assert!(reread.overrides() == overrides, "{out}");
    assert_eq!(format!("{value:?}"), format!("{new:?}"));
    assert!(says_the_same(&again, &reread, &changed_leaves(ErasedRef::of_entity(&value), entity.value), &entity));
    keeps_the_rest(text, out, |leaf| changed.contains(leaf) || before.contains(leaf) != overrides.contains(leaf));
    // A file of its own says the same.
    let inherits = Inherits { template: Some("Assets/Templates/T.jasset"), ..inherits };
    let entity = EntityText { inherits: Some(inherits), ..entity };
    for spelling in [Spelling::Colon, Spelling::Node] {
        let mut out = Vec::new();
        write_entity(&entity, spelling, &mut out);
        let out = std::str::from_utf8(&out).expect("a written text is text");
        match read(out, &image, &mut Findings::new()) {
            Some((_, reread, value)) => {
                assert!(reread.overrides() == overrides, "{out}");
                assert_eq!(format!("{value:?}"), format!("{new:?}"));
            }
            None => assert!(data.len() > 4096, "{out}"),
        }
    }
});

/// Every line that no touched leaf concerns is there, in its order, with its bytes.
fn keeps_the_rest(text: &str, out: &str, is_touched: impl Fn(u32) -> bool) {
    let mut nodes = Document::new(out).nodes();
    let mut section = false;
    for node in Document::new(text).nodes() {
        section |= node.kind == NodeKind::Directive && node.name == "component";
        let path = find_leaf(Every::CLASS.ty(), node.name);
        let touched = |path: LeafPath| (path.first_leaf()..path.first_leaf() + path.leaves()).any(&is_touched);
        let is_own = node.kind == NodeKind::Property && !section;
        if is_own && (matches!(node.name, "Position" | "position") || path.is_some_and(touched)) {
            continue;
        }
        // An id of zero is none.
        let is_id = node.kind == NodeKind::Directive && node.name == "id";
        let same = |other: &Node<'_>| {
            let (old, new) = (&text[node.span.clone()], &out[other.span.clone()]);
            other.name == node.name && (is_id || old.trim_end() == new.trim_end())
        };
        assert!(nodes.any(|other| same(&other)), "{node:?}\n{out}");
    }
}
