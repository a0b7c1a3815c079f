//! K11, K12: marks of comments, directives and merges, where they are marks and where they are text.

use juliet::Code;
use juliet::core::text::{Document, NodeKind, Spelling};
use juliet::prelude::*;

use crate::support::classes::{Rock, Sign, registry, rocks};
use crate::support::{TestProject, accepted, entity_in, only, refused, refused_once, save};

#[test]
fn k11_nothing_inside_a_value_is_a_comment() {
    let text = "; entity_type: Sign\n# a comment\n// another comment\n  # and one with blanks before it\nTint: #B6D2FF\n\
                Link: https://example.org/a//b#c\nNote: build # release; keep\nPath: Assets//Meshes/Rock.obj\n";
    let (world, handle) = accepted(registry(), text);
    let sign = world.get::<Sign>(handle).unwrap();
    assert_eq!(sign.tint, "#B6D2FF");
    assert_eq!(sign.link, "https://example.org/a//b#c");
    assert_eq!(sign.note, "build # release; keep");
    assert_eq!(sign.path, "Assets//Meshes/Rock.obj");
}

#[test]
fn k11_in_the_node_spelling_the_line_after_a_name_is_its_value() {
    let text = "; class\nSign\n; tint\n#B6D2FF\n; note\n\"; quoted\"\n; path\n// not a comment\n# a comment\n";
    let (world, handle) = accepted(registry(), text);
    let sign = world.get::<Sign>(handle).unwrap();
    assert_eq!((&*sign.tint, &*sign.note, &*sign.path), ("#B6D2FF", "; quoted", "// not a comment"));
}

const TEXTS: &[&str] = &[
    "#x",
    "//x",
    "; x",
    "; template: X.jasset",
    "a: b",
    "a # b",
    "",
    " x",
    "x ",
    "\"x\"",
    "[x",
    "{x",
    "none",
    "<<<<<<< HEAD",
    "=======",
    ">>>>>>> x",
    "||||||| base",
    "! Loot[gold]",
    "a\nb",
    "a\r\nb",
    "\u{FEFF}x",
    "a\tb",
    "\\",
    "x\0",
    "\u{2028}",
    "; component: Velocity",
];

/// Kinds and names of all lines, without values.
fn outline(text: &str) -> Vec<(NodeKind, String)> {
    Document::new(text).nodes().map(|node| (node.kind, node.name.to_owned())).collect()
}

#[test]
fn k11_every_text_comes_back_from_a_new_file() {
    for spelling in [Spelling::Colon, Spelling::Node] {
        let project = TestProject::new::<&str>(&[]);
        let mut world = project.load_clean();
        world.set_new_file_spelling(spelling);
        let mut spawn = |note: &str| {
            let sign = Sign { note: note.to_owned(), ..Sign::default_value() };
            let handle = world.spawn(sign, Vec3::ZERO).unwrap();
            world.file_of(handle).unwrap().rsplit('/').next().unwrap().to_owned()
        };
        let plain = spawn("plain");
        let files: Vec<String> = TEXTS.iter().map(|note| spawn(note)).collect();
        save(&mut world);
        let world = project.load_clean();
        let plain = outline(&project.text(&plain));
        for (file, &note) in files.iter().zip(TEXTS) {
            let handle = entity_in(&world, file);
            assert_eq!(world.get::<Sign>(handle).unwrap().note, note, "{}", project.text(file));
            assert_eq!(outline(&project.text(file)), plain, "{}", project.text(file));
        }
    }
}

#[test]
fn k11_every_text_comes_back_from_an_edited_file() {
    for text in [
        "; entity_type: Sign\n; id: 0x1\nPosition: 0, 0, 0\nNote: old\n",
        "; class\nSign\n; id\n0x1\n; position\n0 0 0\n; note\nold\n",
    ] {
        let project = TestProject::new(&[("A.jasset", text)]);
        for &note in TEXTS {
            let mut world = project.load_clean();
            let handle = only(&world);
            world.set(handle, "note", note.to_owned()).unwrap();
            save(&mut world);
            let saved = project.text("A.jasset");
            assert_eq!(outline(&saved), outline(text), "{note:?}: {saved}");
            let world = project.load_clean();
            assert_eq!(world.get::<Sign>(only(&world)).unwrap().note, note, "{saved}");
        }
    }
}

const CONFLICT: &str = "; entity_type: Rock\n<<<<<<< HEAD\nScale: 2\n=======\nScale: 3\n>>>>>>> feature\nHits: 5\n";

#[test]
fn k12_a_conflict_is_named_as_such_and_once() {
    let diff3 =
        "; entity_type: Rock\n<<<<<<< HEAD\nScale: 2\n||||||| base\nScale: 1\n=======\nScale: 3\n>>>>>>> feature\n";
    let node = "; class\nRock\n<<<<<<< HEAD\n; scale\n2\n=======\n; scale\n3\n>>>>>>> feature\n";
    for (text, line) in
        [(CONFLICT.to_owned(), 2), (CONFLICT.replace('\n', "\r\n"), 2), (diff3.to_owned(), 2), (node.to_owned(), 3)]
    {
        let error = refused_once(rocks(), text);
        assert_eq!((error.code, error.line, error.column), (Code::ConflictMarker, line, 1));
        assert!(error.message.contains("unresolved merge conflict"), "{error}");
    }
}

#[test]
fn k12_a_conflict_among_directives_is_named_as_such() {
    for (text, line) in [
        ("<<<<<<< HEAD\n; entity_type: Rock\n=======\n; entity_type: Crate\n>>>>>>> feature\nScale: 2\n", 1),
        ("; entity_type: Rock\n<<<<<<< HEAD\n; id: 0x1\n=======\n; id: 0x2\n>>>>>>> feature\nScale: 2\n", 2),
        ("<<<<<<< HEAD\n=======\n; entity_type: Rock\n>>>>>>> feature\n", 1),
        ("; class\nRock\n; id\n<<<<<<< HEAD\n0x1\n=======\n0x2\n>>>>>>> feature\n", 4),
        ("; class\nRock\n; scale\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> feature\n", 4),
    ] {
        let error = refused_once(rocks(), text);
        assert_eq!((error.code, error.line), (Code::ConflictMarker, line), "{text:?}: {error}");
    }
}

#[test]
fn k12_a_conflict_in_an_older_file_is_named_as_such() {
    let error = refused_once(super::versions::rocks_of_version_2(), CONFLICT);
    assert_eq!((error.code, error.line), (Code::ConflictMarker, 2));
}

#[test]
fn k12_the_rest_of_the_world_loads() {
    let project = TestProject::new(&[("A.jasset", CONFLICT), ("B.jasset", "; entity_type: Rock\nHits: 5\n")]);
    let (world, report) = project.load();
    assert_eq!((report.loaded, report.skipped, report.diagnostics.len()), (1, 1, 1));
    assert_eq!(world.get::<Rock>(only(&world)).unwrap().hits, 5);
}

#[test]
fn k12_a_marker_inside_a_value_is_text() {
    for mark in ["=======", "<<<<<<< HEAD", ">>>>>>> x", "||||||| base"] {
        let (world, handle) = accepted(registry(), format!("; entity_type: Sign\nNote: {mark}\n"));
        assert_eq!(world.get::<Sign>(handle).unwrap().note, mark);
        let (world, handle) = accepted(registry(), format!("; class\nSign\n; note\n\"{mark}\"\n"));
        assert_eq!(world.get::<Sign>(handle).unwrap().note, mark);
    }
    // Not a marker: eight of them.
    let errors = refused(registry(), "; entity_type: Sign\n========\n");
    assert_eq!(errors[0].code, Code::SyntaxLine);
}
