//! Ten typical diagnostics as people see them.

use juliet::core::diag::{Look, render};

use crate::support::TestProject;
use crate::support::classes::registry;

/// All findings of a load of these files, drawn.
fn drawn(files: &[(&str, &[u8])]) -> String {
    let (_, report) = TestProject::with(registry(), files).load();
    let drawn: Vec<String> = report.diagnostics.iter().map(|diagnostic| render(diagnostic, Look::Plain)).collect();
    drawn.join("\n\n")
}

/// Compares with the file `tests/snapshots/<name>.snap`.
fn check(name: &str, text: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let drawn = drawn(&[("Rock_117.jasset", text.as_bytes())]);
    settings.bind(|| insta::assert_snapshot!(name, drawn));
}

#[test]
fn a_wrong_count_is_drawn() {
    check("wrong_count", "; entity_type: Rock\nScale: 2\n\nPosition: 1, 2\n");
}

#[test]
fn a_decimal_comma_is_drawn() {
    check("decimal_comma", "; entity_type: Rock\nScale: 0,57\n");
}

#[test]
fn an_integer_out_of_range_is_drawn() {
    check("integer_range", "; class\nRock\n; hits\n300\n");
}

#[test]
fn a_key_that_is_set_twice_is_drawn() {
    check("duplicate_key", "; entity_type: Rock\nScale: 2\nHits: 1\nScale: 3\n");
}

#[test]
fn an_unknown_key_is_drawn() {
    check("unknown_key", "; entity_type: Rock\nScael: 2\n");
}

#[test]
fn an_unknown_class_is_drawn() {
    check("unknown_class", "; entity_type: Rokc\nScale: 2\n");
}

#[test]
fn a_conflict_is_drawn() {
    check("conflict", "; entity_type: Rock\n<<<<<<< HEAD\nScale: 2\n=======\nScale: 3\n>>>>>>> feature\n");
}

#[test]
fn a_line_of_the_other_spelling_is_drawn() {
    check("other_spelling", "; class\nRock\nScale: 2\n");
}

#[test]
fn an_open_quote_in_a_wide_line_is_drawn() {
    check("open_quote", "; entity_type: Sign\n\tNote: \"Brücke 😀 zu\n");
}

#[test]
fn a_newer_version_is_drawn() {
    check("newer_version", "; entity_type: Rock\n; class_version: 3\n");
}

#[test]
fn an_empty_file_is_drawn() {
    check("empty_file", "");
}

#[test]
fn a_duplicate_id_is_drawn() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let text = b"; entity_type: Rock\n; id: 0x0100000000000042\n";
    let drawn = drawn(&[("A.jasset", text), ("0x0100000000000042.jasset", text)]);
    settings.bind(|| insta::assert_snapshot!("duplicate_id", drawn));
}
