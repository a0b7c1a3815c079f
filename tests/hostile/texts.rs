//! Texts of files.

use juliet::core::diag::Code;
use juliet::prelude::*;

use crate::support::classes::{Rock, registry, rocks};
use crate::support::{TestProject, accepted, only, refused, save};

#[derive(Property, Clone, Debug, PartialEq)]
struct Part {
    amount: Option<u8>,
    names: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Default)]
struct Raw(String);

/// Writes what it holds, and reads anything but `bad`.
mod raw {
    use super::Raw;

    pub(super) fn read(text: &str) -> Result<Raw, String> {
        if text.contains("bad") { Err("bad\nnews\u{1b}[31m".into()) } else { Ok(Raw(text.to_owned())) }
    }

    pub(super) fn write(value: &Raw) -> String {
        value.0.clone()
    }
}

/// Hidden from the macro, which refuses an option in an option.
type Maybe = Option<u8>;

/// Values that are hard to write.
#[derive(Entity)]
struct Odd {
    note: String,
    twice: Option<Maybe>,
    lists: Vec<Vec<Part>>,
    #[jasset(with = raw)]
    raw: Raw,
    perhaps: Option<String>,
    letter: char,
}

fn odd() -> ClassRegistry {
    registry![Odd].unwrap()
}

#[test]
fn directive_in_a_section_is_no_directive_of_the_entity_and_is_told() {
    for (text, line) in [
        ("; entity_type: Rock\n; component: Velocity\nSpeed: 3\n; id: 0x0100000000000042\n", 4),
        ("; entity_type: Rock\n; component: Velocity\n; template: Assets/Templates/Rock.jasset\n", 3),
        ("; component: Velocity\n; entity_type: Rock\nScale: 3\n", 2),
        ("; class\nRock\n; component\nVelocity\n; asset_type\nmesh\n", 5),
        ("; entity_type: Rock\nScale: 2\n; component: A\n; component: B\n; class: Rock\n", 5),
    ] {
        let errors = refused(rocks(), text);
        assert_eq!(errors[0].line, line, "{text}: {:?}", errors.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
}

#[test]
fn entity_that_would_make_its_file_too_large_is_not_saved() {
    let head = "; class: Rock\n; id: 0x0100000000000042\nScale: 1\n";
    let mut text = head.to_owned();
    while text.len() + 60_001 <= 16 << 20 {
        text.push('#');
        text.push_str(&"x".repeat(59_999));
        text.push('\n');
    }
    let rest = (16 << 20) - text.len();
    text.push('#');
    text.push_str(&"y".repeat(rest - 1));
    assert_eq!(text.len(), 16 << 20);
    let project = TestProject::with(rocks(), &[("A.jasset", &text)]);
    let mut world = project.load_clean();
    let handle = only(&world);
    world.set(handle, "Scale", 123.456_f32).unwrap();
    let report = world.save().unwrap();
    assert_eq!(report.written.len(), 0);
    assert_eq!(report.diagnostics[0].code, Code::WriteFailed);
    assert!(world.is_dirty(handle));
    assert!(project.bytes("A.jasset") == text.as_bytes());
    world.set(handle, "Scale", 3.0_f32).unwrap();
    let report = world.save().unwrap();
    assert_eq!(report.written.len(), 0, "`3.0` is two bytes longer");
    drop(world);
    assert_eq!(project.load().1.loaded, 1);
}

/// Sets `key` and saves: the world is then either saved and reads back, or refuses, stays dirty, and keeps the file.
#[track_caller]
fn change<T: juliet::core::mem::PropertyValue>(text: &str, key: &str, value: T, saved: bool) -> String {
    let project = TestProject::with(odd(), &[("A.jasset", text)]);
    let mut world = project.load_clean();
    let handle = only(&world);
    assert!(world.set(handle, key, value).unwrap());
    let memory = world.get_text(handle, key);
    let report = world.save().unwrap();
    if !saved {
        assert_eq!(report.written.len(), 0, "{key}");
        assert_eq!(report.diagnostics.len(), 1);
        assert_eq!(&*report.diagnostics[0].property.to_lowercase(), &*key.to_lowercase());
        assert!(world.is_dirty(handle));
        assert_eq!(project.text("A.jasset"), text);
        return String::new();
    }
    assert_eq!(report.diagnostics, []);
    assert!(!world.is_dirty(handle));
    let again = project.load_clean();
    assert_eq!(again.get_text(only(&again), key), memory, "{}", project.text("A.jasset"));
    project.text("A.jasset")
}

#[test]
fn values_that_are_hard_to_write_are_saved_or_refused() {
    let colon = "; class: Odd\n; id: 0x0100000000000042\n# kept\nOther: 1";
    let node = "; class\nOdd\r\n; id\n0x0100000000000042\n # kept\n; note\n  x \r\n";
    for text in [&colon.replace("\nOther: 1", ""), node] {
        let controls: String = (0..0x20).chain(0x7f..0xa0).filter_map(char::from_u32).collect();
        change(text, "Note", controls, true);
        change(text, "Note", "\u{2028}\u{FEFF}\u{202E}".to_owned(), true);
        change(text, "Note", "x".repeat(70 * 1024), false);
        change(text, "Note", "=======".to_owned(), true);
        change(text, "Note", "; component: X".to_owned(), true);
        change(text, "Twice", Some(Some(3_u8)), true);
        change(text, "Twice", Some(None::<u8>), false);
        let part = Part { amount: None, names: vec!["none".into(), String::new(), "a]\"\n".into(), " ".into()] };
        let full = Part { amount: Some(1), names: vec![] };
        change(text, "Lists", vec![vec![part.clone(), full], vec![], vec![part]], true);
        change(text, "Lists", vec![vec![], vec![], Vec::<Part>::new()], true);
        change(text, "Perhaps", Some(String::new()), true);
        change(text, "Perhaps", Some("none".to_owned()), true);
        for letter in ['"', '\n', ' ', '\u{7f}', '\u{FEFF}', ';', '[', '\u{10FFFF}'] {
            change(text, "Letter", letter, true);
        }
    }
}

#[test]
fn adapters_may_write_anything() {
    let file = "; class: Odd\n; id: 0x0100000000000042\nRaw: x\n";
    for (text, saved) in [
        ("", true),
        ("none", true),
        ("a\nScale: 3\r\n; id: 1", true),
        ("\"", true),
        ("\"quoted\"", true),
        (" ", true),
        ("=======", true),
        ("\0", true),
        ("bad", false),
    ] {
        let project = TestProject::with(odd(), &[("A.jasset", file)]);
        let mut world = project.load_clean();
        let handle = only(&world);
        world.get_mut::<Odd>(handle).unwrap().raw = Raw(text.to_owned());
        let report = world.save().unwrap();
        assert_eq!(report.diagnostics.is_empty(), saved, "{text:?}");
        if saved {
            let again = project.load_clean();
            assert_eq!(again.get::<Odd>(only(&again)).unwrap().raw.0, text);
        } else {
            assert_eq!(project.text("A.jasset"), file);
            assert!(world.is_dirty(handle));
        }
    }
}

#[test]
fn printed_diagnostics_are_one_line_without_control_characters() {
    let project = TestProject::with(
        odd(),
        &[
            ("a\nb.jasset", "; class: Odd\nNote: x\u{1b}[31m\n"),
            ("C.jasset", "; class: Odd\nRaw: bad\n"),
            ("D.jasset", "; class: \u{1b}[2J\u{202E}\n"),
            ("E.jasset", "; class: Odd\nTwice: \r\u{8}x\n"),
        ],
    );
    let (_, report) = project.load();
    assert_eq!(report.skipped, 4);
    for diagnostic in &report.diagnostics {
        let drawn = juliet::core::diag::render(diagnostic, juliet::core::diag::Look::Plain);
        for text in [diagnostic.to_string(), drawn.replace('\n', " ")] {
            assert!(!text.contains(|c: char| c.is_control() || c == '\u{202E}'), "{text:?}");
        }
    }
}

/// The lines of `old` that are not in `new` at the same place, when one line was changed.
#[track_caller]
fn check_edit(old: &str, key: &str, text: &str, new: &str) {
    let project = TestProject::with(rocks(), &[("A.jasset", old)]);
    let (mut world, report) = project.load();
    assert_eq!(report.skipped, 0, "{old:?}: {:?}", report.diagnostics);
    let handle = only(&world);
    assert!(world.set_text(handle, key, text).unwrap());
    save(&mut world);
    assert_eq!(project.text("A.jasset"), new, "{old:?}");
    let (again, report) = project.load();
    assert_eq!(report.skipped, 0, "{new:?}: {:?}", report.diagnostics);
    for property in Rock::CLASS.properties() {
        let (again, now) = (again.get_text(only(&again), property.key()), world.get_text(handle, property.key()));
        assert_eq!(again, now, "{new:?}");
    }
}

#[test]
fn odd_files_are_edited_in_their_line_alone() {
    let id = "; id: 0x0100000000000042";
    for (old, key, text, new) in [
        // Directives behind the properties, and no line end at the end.
        ("Scale: 1\n; class: Rock\nHits: 7\n; id: 66", "Scale", "2", "Scale: 2.0\n; class: Rock\nHits: 7\n; id: 66"),
        (
            "Scale: 1\n; class: Rock\nHits: 7\n; id: 66",
            "MeshAsset",
            "m",
            "Scale: 1\nMeshAsset: m\n; class: Rock\nHits: 7\n; id: 66",
        ),
        ("; id: 66\nHits:1\n; class: Rock", "Hits", "2", "; id: 66\nHits:2\n; class: Rock"),
        // Mixed line ends: each line keeps its own, new ones take the first.
        ("; class: Rock\r\n; id: 66\nHits: 1\r\n", "Hits", "2", "; class: Rock\r\n; id: 66\nHits: 2\r\n"),
        ("; class: Rock\n; id: 66\r\nHits: 1", "Scale", "2", "; class: Rock\n; id: 66\r\nScale: 2.0\nHits: 1"),
        // Tabs, blanks, a value without any.
        ("\t;\tclass:\tRock\t\n;id:66\n\tHits:\t1\t", "Hits", "2", "\t;\tclass:\tRock\t\n;id:66\n\tHits:\t2\t"),
        ("; class: Rock\n; id: 66\nMeshAsset: \"\"", "MeshAsset", "x", "; class: Rock\n; id: 66\nMeshAsset: x"),
        // A section takes what follows, and nothing is put into it.
        (
            "; class: Rock\n; id: 66\n; component: A\nHits: 9\nScale: x",
            "Hits",
            "2",
            "; class: Rock\n; id: 66\nHits: 2\n; component: A\nHits: 9\nScale: x",
        ),
        // The node spelling: a value may look like anything but a directive.
        (
            "; class\nRock\n; id\n66\n; mesh_asset\n# no comment",
            "Hits",
            "2",
            "; class\nRock\n; id\n66\n; mesh_asset\n# no comment\n; hits\n2",
        ),
        (
            "; class\nRock\n; id\n66\n; mesh_asset\n// x\n",
            "MeshAsset",
            "y",
            "; class\nRock\n; id\n66\n; mesh_asset\ny\n",
        ),
        (
            "; class\nRock\n; id\n66\n; mesh_asset\n! x: y\n",
            "Hits",
            "2",
            "; class\nRock\n; id\n66\n; mesh_asset\n! x: y\n; hits\n2\n",
        ),
        // Ids in every form stay as they are written.
        (
            "; class: Rock\n; id: 0X0100000000000042\nHits: 1\n",
            "Hits",
            "2",
            "; class: Rock\n; id: 0X0100000000000042\nHits: 2\n",
        ),
        ("; class: Rock\n; id: +00066\nHits: 1\n", "Hits", "2", "; class: Rock\n; id: +00066\nHits: 2\n"),
        // Unknown things everywhere.
        (
            "\u{FEFF}; foo: 1\n; class: Rock\n; id: 66\nHits: 007\nÄpfel: 3\nHits.x: 4\nOther[0]x: \n",
            "Hits",
            "2",
            "\u{FEFF}; foo: 1\n; class: Rock\n; id: 66\nHits: 2\nÄpfel: 3\nHits.x: 4\nOther[0]x: \n",
        ),
    ] {
        check_edit(old, key, text, new);
        check_edit(&old.replace("; id: 66", id), key, text, &new.replace("; id: 66", id));
    }
}

#[test]
fn odd_files_are_refused_where_they_are_wrong() {
    for (text, code, line, column) in [
        ("\u{FEFF}\u{FEFF}; class: Rock\n", Code::InvisibleCharacter, 1, 1),
        ("; class: Rock\rHits: 1\n", Code::UnknownClass, 1, 10),
        ("; class: Rock\nHits: 1\rScale: 2\n", Code::NotANumber, 2, 7),
        ("; class: Rock\n; id: 0\n", Code::BadId, 2, 7),
        ("; class: Rock\n; id: -1\n", Code::BadId, 2, 7),
        ("; class: Rock\n; id: 1.0\n", Code::BadId, 2, 7),
        ("; class: Rock\n; id: 18446744073709551616\n", Code::BadId, 2, 7),
        ("; class: Rock\nPosition: 1, 2\n", Code::WrongCount, 2, 11),
        ("; class: Rock\nPosition: 1, 2, 3, 4\n", Code::WrongCount, 2, 11),
        ("; class: Rock\nPosition: 1, x, 3\n", Code::NotANumber, 2, 14),
        ("; class: Rock\nScale: 1e1000000000\n", Code::FloatRange, 2, 8),
        ("; class: Rock\nScale: 0x10\n", Code::NotANumber, 2, 8),
        ("; class: Rock\nHits: 0x0000000000000000000000000000000000000100\n", Code::IntegerRange, 2, 7),
        ("; class: Rock\nHits: 0x\n", Code::NotANumber, 2, 7),
        ("; class: Rock\nMeshAsset:\n", Code::MissingValue, 2, 11),
        ("; class: Rock\nMeshAsset: \"a\" b\n", Code::BadQuote, 2, 15),
        ("; class: Rock\nHits: 1\nhits: 1\n", Code::DuplicateKey, 3, 1),
        ("; class: Rock\nPosition: 1 2 3\nposition: 1 2 3\n", Code::DuplicateKey, 3, 1),
        ("; class: Rock\nScale\u{200E}: 1\n", Code::InvisibleCharacter, 2, 6),
        ("; class: Rock\nIs Destructible: true\n", Code::SyntaxLine, 2, 1),
        ("; class: Rock\n; entity_type: Rock\n", Code::DuplicateDirective, 2, 3),
        ("; class\nRock\nHits: 1\n", Code::OtherSpelling, 3, 1),
        ("; class\nRock\n; hits", Code::MissingValue, 3, 3),
        ("; class\nRock\n; hits\n\n; scale\n2\n", Code::MissingValue, 3, 3),
        ("; class: Rock\n! Hits\n", Code::SyntaxLine, 2, 1),
    ] {
        let errors = refused(rocks(), text);
        let first = &errors[0];
        assert_eq!((first.code, first.line, first.column), (code, line, column), "{text:?}: {first}");
    }
}

#[test]
fn lines_of_exactly_the_limit_are_read_and_longer_ones_refused() {
    for end in ["", "\n", "\r\n"] {
        let value = "x".repeat(65_536 - "MeshAsset: ".len());
        let (world, handle) = accepted(registry(), format!("; class: Rock{end}\nMeshAsset: {value}{end}"));
        assert_eq!(world.get::<Rock>(handle).unwrap().mesh_asset.len(), value.len());
        let errors = refused(rocks(), format!("; class: Rock{end}\nMeshAsset: {value}x{end}"));
        assert_eq!((errors[0].code, errors[0].line), (Code::LineTooLong, 2 + u32::from(!end.is_empty())));
    }
}

#[test]
fn ten_thousand_brackets_are_too_deep_or_no_list() {
    for line in [
        format!("Slots: {}", "[".repeat(10_000)),
        format!("Slots: {}{}", "[".repeat(10_000), "]".repeat(10_000)),
        format!("Slots: [{}", "{a:".repeat(10_000)),
        format!("Slots: [{}]", "\"".repeat(9_999)),
        format!("Slots: [{}]", ",".repeat(60_000)),
    ] {
        let errors = refused(registry(), format!("; class: Crate\n{line}\n"));
        assert_eq!((errors.len(), errors[0].line, &*errors[0].property), (1, 2, "Slots"));
    }
}
