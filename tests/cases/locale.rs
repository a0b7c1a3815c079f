//! K07: a decimal comma comes from people, never from the machine.

use std::{env, fs};

use juliet::Code;
use juliet::core::text::Spelling;
use juliet::prelude::*;

use crate::support::classes::{Rock, rocks};
use crate::support::{TestProject, child, refused_once, save};

/// Where the child process leaves what it wrote.
const OUT: &str = "JULIET_K07_OUT";

#[test]
fn k07_output_has_points_only() {
    let project = TestProject::with::<&str>(rocks(), &[]);
    let mut written = String::new();
    for spelling in [Spelling::Colon, Spelling::Node] {
        let mut world = project.load_clean();
        world.set_new_file_spelling(spelling);
        let rock = Rock { scale: 0.57, is_destructible: false, mesh_asset: String::new(), hits: 0 };
        let handle = world.spawn(rock, Vec3::new(142.5, 12.0, -84.2)).unwrap();
        let file = world.file_of(handle).unwrap();
        save(&mut world);
        let text = project.text(file.rsplit('/').next().unwrap());
        // The id is drawn for each working copy.
        let kept = text.lines().filter(|line| !line.contains("0x"));
        written.extend(kept.flat_map(|line| [line, "\n"]));
    }
    assert!(written.contains("Scale: 0.57\n") && written.contains("Position: 142.5, 12.0, -84.2\n"), "{written}");
    assert!(written.contains("; scale\n0.57\n") && written.contains("; position\n142.5 12.0 -84.2\n"), "{written}");
    if let Some(out) = env::var_os(OUT) {
        fs::write(out, written).unwrap();
    }
}

#[test]
fn k07_output_is_the_same_under_every_locale() {
    let folder = tempfile::tempdir().unwrap();
    let outputs = ["C", "de_DE.UTF-8", "tr_TR.UTF-8"].map(|locale| {
        let out = folder.path().join(locale);
        let variables = [("LC_ALL", locale), ("LANG", locale), (OUT, out.to_str().unwrap())];
        child::run("cases::locale::k07_output_has_points_only", &variables);
        fs::read_to_string(out).unwrap()
    });
    assert_eq!(outputs[0], outputs[1]);
    assert_eq!(outputs[0], outputs[2]);
}

#[test]
fn k07_a_decimal_comma_is_refused() {
    let error = refused_once(rocks(), "; entity_type: Rock\nScale: 0,57\n");
    assert_eq!((error.code, error.line, error.column), (Code::NotANumber, 2, 8));
    assert_eq!((&*error.property, &*error.expected, &*error.found), ("Scale", "one number", "0,57"));

    let error = refused_once(rocks(), "; entity_type: Rock\nPosition: 1,5, 2,5, 3,5\n");
    assert_eq!((error.code, error.line, error.column), (Code::WrongCount, 2, 11));
    assert_eq!((&*error.property, &*error.expected, &*error.found), ("Position", "3 numbers", "6"));

    let error = refused_once(rocks(), "; class\nRock\n; position\n1,5 2,5 3,5\n");
    assert_eq!((error.code, error.line, error.column), (Code::WrongCount, 4, 1));
    assert_eq!((&*error.property, &*error.expected, &*error.found), ("position", "3 numbers", "6"));
}

#[test]
fn k07_a_decimal_comma_is_refused_under_every_locale() {
    for locale in ["C", "de_DE.UTF-8"] {
        child::run("cases::locale::k07_a_decimal_comma_is_refused", &[("LC_ALL", locale)]);
    }
}
