//! Programs that must not compile, one mistake a file, with the message people get; and some that must.
//!
//! Rewrite the messages with `TRYBUILD=overwrite cargo test --test ui` and read them before they are committed.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders of programs that must not compile, by kind of mistake.
const MISTAKES: [&str; 6] =
    ["unknown-attribute", "duplicate-attribute", "conflict", "bad-value", "unsupported", "soundness"];

#[test]
fn mistakes_are_explained() {
    let cases = trybuild::TestCases::new();
    for folder in MISTAKES {
        cases.compile_fail(format!("tests/ui/{folder}/*.rs"));
    }
    cases.pass("tests/ui/pass/*.rs");
}

#[test]
fn no_macro_panics() {
    let messages = messages();
    assert!(messages.len() >= 45, "{} messages", messages.len());
    for path in messages {
        let text = fs::read_to_string(&path).expect("a message can be read");
        assert!(!text.contains("panicked"), "{}: a macro panicked", path.display());
    }
}

#[test]
fn no_message_shows_generated_names() {
    for path in messages() {
        let text = fs::read_to_string(&path).expect("a message can be read");
        assert!(!text.contains("__juliet_") && !text.contains("__JULIET"), "{}: generated names", path.display());
    }
}

/// All expected messages.
fn messages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    MISTAKES
        .iter()
        .flat_map(|folder| fs::read_dir(root.join(folder)).expect("the folder is there"))
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "stderr"))
        .collect()
}
