//! K10: byte-order marks, and files that are not UTF-8.

use juliet::Code;

use crate::support::classes::{Rock, rocks};
use crate::support::{TestProject, only, refused_once, save};

const BOM: &str = "\u{FEFF}";

#[test]
fn k10_a_mark_at_the_start_changes_nothing_and_stays() {
    for (text, line, after) in [
        ("; entity_type: Rock\nScale: 2\n", "Scale: 2\n", "Scale: 3.0\n"),
        ("; class\nRock\n; scale\n2\n", "; scale\n2\n", "; scale\n3.0\n"),
        ("; entity_type: Rock\r\nScale: 2\r\n", "Scale: 2\r\n", "Scale: 3.0\r\n"),
    ] {
        let text = format!("{BOM}{text}");
        let project = TestProject::with(rocks(), &[("A.jasset", &text)]);
        let mut world = project.load_clean();
        let handle = only(&world);
        assert_eq!(world.get::<Rock>(handle).unwrap().scale, 2.0);
        assert!(!world.is_dirty(handle));
        save(&mut world);
        assert_eq!(project.text("A.jasset"), text);
        world.set(handle, "scale", 3.0_f32).unwrap();
        save(&mut world);
        let saved = project.text("A.jasset");
        assert!(saved.starts_with(BOM) && saved.matches(BOM).count() == 1, "{saved:?}");
        assert!(saved.contains(after) && !saved.contains(line), "{saved:?}");
        let world = project.load_clean();
        assert_eq!(world.get::<Rock>(only(&world)).unwrap().scale, 3.0);
    }
}

#[test]
fn k10_a_mark_in_the_middle_is_shown_by_its_number() {
    let error = refused_once(rocks(), format!("; entity_type: Rock\n{BOM}Scale: 2\n"));
    assert_eq!((error.code, error.line, error.column), (Code::InvisibleCharacter, 2, 1));
    assert!(error.message.contains("U+FEFF"), "{error}");
}

#[test]
fn k10_two_marks_at_the_start_are_one_too_many() {
    let error = refused_once(rocks(), format!("{BOM}{BOM}; entity_type: Rock\nScale: 2\n"));
    assert_eq!((error.code, error.line), (Code::InvisibleCharacter, 1), "{error}");
}

#[test]
fn k10_utf_16_is_named_and_not_parsed() {
    let text = "; entity_type: Rock\nScale: 2\n";
    let little: Vec<u8> = format!("{BOM}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = format!("{BOM}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect();
    for bytes in [little, big] {
        let error = refused_once(rocks(), bytes);
        assert_eq!(error.code, Code::Utf16Bom);
        assert_eq!(&*error.message, "not UTF-8 (UTF-16 byte-order mark found)");
    }
}

#[test]
fn k10_utf_16_without_a_mark_is_refused() {
    let bytes: Vec<u8> = "; entity_type: Rock\nScale: 2\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    refused_once(rocks(), bytes);
}

#[test]
fn k10_latin_1_is_refused_with_line_and_offset() {
    let error = refused_once(rocks(), b"; entity_type: Rock\nMeshAsset: caf\xE9.obj\n");
    assert_eq!((error.code, error.line, error.column), (Code::NotUtf8, 2, 15));
    assert!(error.message.contains("invalid UTF-8") && error.message.contains("offset 34"), "{error}");
}
