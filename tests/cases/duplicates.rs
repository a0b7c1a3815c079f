//! K13: a key twice in a file, in whichever spelling.

use juliet::Code;
use juliet::prelude::*;

use crate::support::classes::registry;
use crate::support::{accepted, refused, refused_once};

/// The text is refused with one error at `line` that also names `first`.
#[track_caller]
fn check(text: &str, code: Code, property: &str, first: u32, line: u32) {
    let error = refused_once(registry(), text);
    assert_eq!((error.code, error.line, &*error.property), (code, line, property), "{error}");
    for number in [first, line] {
        assert!(error.message.contains(&format!("on line {number}")), "{error}");
    }
    assert_eq!(error.related.iter().map(|place| place.line).collect::<Vec<_>>(), [first]);
}

#[test]
fn k13_a_key_twice_names_both_lines() {
    let text = "; entity_type: Rock\nScale: 2\nHits: 1\nScale: 3\n";
    check(text, Code::DuplicateKey, "Scale", 2, 4);
    assert!(refused_once(registry(), text).message.contains("`Scale` is set on line 2 and again on line 4"));
    check("; entity_type: Rock\nScale: 2\nScale: 2\n", Code::DuplicateKey, "Scale", 2, 3);
    check("; class\nRock\n; scale\n2\n; hits\n1\n; scale\n3\n", Code::DuplicateKey, "scale", 3, 7);
    check("; entity_type: Rock\nPosition: 1, 2, 3\nposition: 1, 2, 3\n", Code::DuplicateKey, "position", 2, 3);
}

#[test]
fn k13_both_names_of_a_property_are_one_key() {
    check("; entity_type: Rock\nScale: 2\nscale: 2\n", Code::DuplicateKey, "scale", 2, 3);
    check("; entity_type: Rock\nmesh_asset: a\nMeshAsset: a\n", Code::DuplicateKey, "MeshAsset", 2, 3);
    check("; class\nRock\n; MeshAsset\na\n; mesh_asset\na\n", Code::DuplicateKey, "mesh_asset", 3, 5);
}

#[test]
fn k13_an_alias_and_its_property_are_one_key() {
    check("; entity_type: Crate\nHp: 1\nHealth: 2\n", Code::DuplicateKey, "Health", 2, 3);
    check("; entity_type: Crate\nHealth: 2\nhp: 1\n", Code::DuplicateKey, "hp", 2, 3);
}

#[test]
fn k13_an_unknown_key_twice_is_refused_too() {
    check("; entity_type: Rock\nMoss: 2\nMoss: 2\n", Code::DuplicateKey, "Moss", 2, 3);
    check("; entity_type: Rock\nOldMoss: 2\nold_moss: 2\n", Code::DuplicateKey, "old_moss", 2, 3);
}

#[test]
fn k13_a_directive_twice_names_both_lines() {
    check("; entity_type: Rock\n; entity_type: Rock\n", Code::DuplicateDirective, "entity_type", 1, 2);
    check("; entity_type: Rock\n; class: Crate\n", Code::DuplicateDirective, "class", 1, 2);
    check("; entity_type: Rock\n; id: 0x1\nScale: 1\n; id: 0x1\n", Code::DuplicateDirective, "id", 2, 4);
    check("; class\nRock\n; entity_type\nRock\n", Code::DuplicateDirective, "entity_type", 1, 3);
    check(
        "; entity_type: Rock\n; class_version: 1\n; class_version: 1\n",
        Code::DuplicateDirective,
        "class_version",
        2,
        3,
    );
}

#[test]
fn k13_a_template_twice_names_both_lines() {
    let text = "; entity_type: Rock\n; template: Assets/Templates/A.jasset\n; template: Assets/Templates/A.jasset\n";
    let errors = refused(registry(), text);
    let twice = errors.iter().find(|error| error.code == Code::DuplicateDirective).unwrap();
    assert_eq!((twice.line, twice.related[0].line), (3, 2));
}

#[test]
fn k13_a_line_of_the_other_spelling_is_refused_where_it_stands() {
    let error = refused_once(registry(), "; entity_type: Rock\nScale: 2\n; scale\n3\n");
    assert_eq!((error.line, &*error.property), (3, "scale"));
    assert_eq!(error.code, Code::OtherSpelling);
}

#[test]
fn k13_an_item_of_a_list_and_the_list_are_refused() {
    for text in ["Slots[0]: a\nSlots: [b]\n", "Slots: [b]\nSlots[0]: a\n"] {
        let errors = refused(registry(), format!("; entity_type: Crate\n{text}"));
        assert!(errors.iter().all(Diagnostic::is_error) && errors[0].message.contains("Slots"), "{errors:?}");
    }
}

#[test]
fn k13_a_key_twice_inside_braces_is_refused() {
    /// Two numbers.
    #[derive(Property)]
    struct Pair {
        /// One.
        x: f32,
        /// Two.
        y: f32,
    }
    /// Has a pair.
    #[derive(Entity)]
    struct Box2 {
        /// The pair.
        pair: Pair,
    }
    let registry = || registry![Box2].unwrap();
    let error = refused_once(registry(), "; entity_type: Box2\nPair: { X: 1, Y: 2, x: 1 }\n");
    assert_eq!((error.code, error.line, &*error.property), (Code::DuplicateKey, 2, "Pair"));
    for text in ["Pair.X: 1\nPair: { X: 1 }\n", "Pair: { X: 1 }\nPair.X: 1\n", "Pair.X: 1\npair.x: 1\n"] {
        let error = refused_once(registry(), format!("; entity_type: Box2\n{text}"));
        assert_eq!((error.code, error.line, error.related[0].line), (Code::DuplicateKey, 3, 2), "{text}");
    }
    let pair = Pair { x: 1.0, y: 2.0 };
    assert_eq!(pair.x + pair.y, 3.0);
}

#[test]
fn a_struct_without_properties_is_one_key_all_the_same() {
    #[derive(Property)]
    struct Nothing {}

    #[derive(Entity)]
    struct Holder {
        before: u8,
        nothing: Nothing,
        after: u8,
    }

    let classes = || juliet::registry![Holder].unwrap();
    let twice = refused_once(classes(), "; entity_type: Holder\nNothing: {}\nNothing: {}\n");
    assert_eq!((twice.code, twice.line), (Code::DuplicateKey, 3));
    let (world, handle) = accepted(classes(), "; entity_type: Holder\nBefore: 1\nNothing: {}\nAfter: 2\n");
    let holder = world.get::<Holder>(handle).unwrap();
    assert_eq!((holder.before, holder.after), (1, 2));
    let Nothing {} = holder.nothing;
}
