//! Migrations written by somebody careless or worse.

use juliet::core::diag::Code;
use juliet::prelude::*;
use juliet::{MigrateError, Migration};

use crate::support::{TestProject, only, save};

/// A class whose migration does what the file tells it to.
#[derive(Entity)]
#[jasset(version = 2, migrate = migrate)]
struct Victim {
    scale: f32,
    note: String,
    #[jasset(default = 5)]
    hits: u8,
}

fn migrate(file: &mut Migration<'_>) -> Result<(), MigrateError> {
    match file.remove("How").unwrap_or_default().as_str() {
        "line end in a text" => file.set("Old", "1\nHits: 7"),
        "section in a text" => file.set("Old", "1\n; component: Thief"),
        "return in a text" => file.set("Old", "1\r"),
        "line end in a new text" => file.set("New", "1\n; id: 77\nx: 1"),
        "line end in a key" => file.set("New: 1\nHits", "7"),
        "colon in a key" => file.set("New: Hits", "7"),
        "blank in a key" => file.set("New Hits", "7"),
        "empty key" => file.set("", "7"),
        "comment as key" => file.set("# Hits", "7"),
        "renamed to a comment" => drop(file.rename("Old", "//x")),
        "renamed to a removal" => drop(file.rename("Old", "! x")),
        "renamed to a marker" => drop(file.rename("Old", "<<<<<<<")),
        "renamed to nothing" => drop(file.rename("Old", "")),
        "renamed to a line" => drop(file.rename("Old", "a: b\nc")),
        "renamed to id" => drop(file.rename("Old", "id")),
        "renamed to component" => drop(file.rename("Old", "component")),
        "too long" => file.set("Old", "x".repeat(70_000)),
        "marks in a text" => file.set("Old", "; x"),
        "empty text" => file.set("Old", ""),
        "blanks around" => file.set("Old", "  x "),
        "note with a line end" => file.set("Note", "a\nb"),
        "note quoted" => file.set("Note", "\"a\\nb\""),
        "number with blanks" => file.set("Scale", " 2 "),
        "wrong number" => file.set("Scale", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"),
        "wrong new number" => file.set("Hits", "many"),
        "both names" => {
            file.set("Scale.x", "1");
            file.set("Hits", "1");
            file.set("hits", "2");
        }
        "everything gone" => {
            let keys: Vec<String> = file.keys().map(str::to_owned).collect();
            keys.iter().for_each(|key| drop(file.remove(key)));
        }
        "error" => return Err("no\nnever".into()),
        _ => {}
    }
    Ok(())
}

fn colon(how: &str) -> String {
    format!(
        "; class: Victim\n; id: 0x0100000000000042\n# kept\nScale: 2\nOld: 1\nHow: {how}\nMore: 3\n; component: X\nHits: 9"
    )
}

fn node(how: &str) -> String {
    format!(
        "; class\nVictim\n; id\n0x0100000000000042\n# kept\n; scale\n2\n; Old\n1\n; How\n{how}\n; More\n3\n; component\nX\n; hits\n9\n"
    )
}

/// What is refused is left alone. What loads is unchanged until it is changed, and then reads back with all that was not to change.
#[track_caller]
fn check(text: &str, refused: bool) {
    let project = TestProject::with(registry![Victim].unwrap(), &[("A.jasset", text)]);
    let (mut world, report) = project.load();
    let found: Vec<String> = report.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(report.skipped == 1, refused, "{text}\n{found:#?}");
    assert_eq!(world.save_all().unwrap().written.len(), 0);
    assert_eq!(project.text("A.jasset"), text);
    if refused {
        return;
    }
    let handle = only(&world);
    world.set(handle, "Hits", 8_u8).unwrap();
    world.set_position(handle, [1.0, 2.0, 3.0]).unwrap();
    save(&mut world);
    let new = project.text("A.jasset");
    let (again, report) = project.load();
    assert_eq!(report.skipped, 0, "{new}\n{:?}", report.diagnostics);
    for key in ["Scale", "Note", "Hits", "Position"] {
        assert_eq!(again.get_text(only(&again), key), world.get_text(handle, key), "{new}");
    }
    assert!(new.contains("# kept\n"), "{new}");
    let section = text.find("; component").unwrap();
    assert!(new.ends_with(&text[section..]), "{new}");
    let after = project.text("A.jasset");
    assert_eq!(world.save_all().unwrap().written.len(), 0);
    assert_eq!(project.text("A.jasset"), after);
}

#[test]
fn lines_that_would_not_read_back_fail_the_migration() {
    for how in [
        "line end in a text",
        "section in a text",
        "return in a text",
        "line end in a new text",
        "line end in a key",
        "colon in a key",
        "blank in a key",
        "empty key",
        "comment as key",
        "renamed to a removal",
        "renamed to nothing",
        "renamed to a line",
        "too long",
        "note with a line end",
        "number with blanks",
        "wrong number",
        "wrong new number",
        "error",
    ] {
        check(&colon(how), true);
        check(&node(how), true);
    }
    check(&colon("renamed to a comment"), true);
    check(&node("renamed to id"), true);
    check(&node("renamed to component"), true);
    check(&node("marks in a text"), true);
    check(&node("empty text"), true);
}

#[test]
fn what_reads_back_is_migrated() {
    for how in ["note quoted", "everything gone", "both names", "nothing"] {
        check(&colon(how), false);
        check(&node(how), false);
    }
    check(&colon("renamed to a marker"), false);
    check(&colon("renamed to id"), false);
    check(&colon("marks in a text"), false);
    check(&colon("blanks around"), false);
    check(&node("renamed to a comment"), false);
}

#[test]
fn what_a_migration_makes_is_told_where_its_line_stands() {
    for (how, line, property) in [
        ("wrong number", 4, "Scale"),
        ("note with a line end", 3, "Note"),
        ("wrong new number", 3, "Hits"),
        ("error", 3, ""),
    ] {
        let text = colon(how).replace("# kept", "; class_version: 1");
        let project = TestProject::with(registry![Victim].unwrap(), &[("A.jasset", &text)]);
        let report = project.load().1;
        assert_eq!(report.skipped, 1);
        let first = &report.diagnostics[0];
        assert_eq!((first.line, &*first.property), (line, property), "{how}: {first}");
        assert!(first.code == Code::MigrationFailed || line == 4, "{first}");
        // The last line: a text longer than what is left of the file.
        let text = "; class: Victim\n; id: 66\nHow: wrong number\nScale: 2";
        let project = TestProject::with(registry![Victim].unwrap(), &[("A.jasset", text)]);
        assert_eq!((project.load().1.diagnostics[0].line, project.load().1.diagnostics[0].column), (4, 8));
    }
}
