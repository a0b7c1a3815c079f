//! `WorldSettings.jasset`: what a world says about itself. It carries `; asset_type` and `; version` and no class.

use juliet_core::archive::{FILE_LIMIT_BYTES, Findings, decode};
use juliet_core::diag::{Code, Diagnostic, Source};
use juliet_core::text::{Document, Layout, NodeKind, Spelling, parse_integer};

use super::load::escapes;
use crate::folder::ReadOutcome;
use crate::project::Project;

/// Name of the settings file in the folder of a world.
pub const SETTINGS_FILE: &str = "WorldSettings.jasset";

/// Version of the settings this program writes and the newest it reads.
const VERSION: u32 = 1;
const ASSET_TYPE: &str = "world_settings";

/// The text of a new world's settings.
pub(crate) fn new_settings() -> Vec<u8> {
    let (layout, mut out) = (Layout::new(Spelling::Colon), Vec::new());
    layout.write_directive("asset_type", ASSET_TYPE, &mut out);
    layout.write_directive("version", &VERSION.to_string(), &mut out);
    out
}

/// What is wrong with the settings of the world in `folder`; a world without the file is a world with the default settings.
///
/// Keys that the program does not know are nobody's business here: the file is never rewritten.
pub(super) fn check_settings(project: &Project, folder: &str) -> Vec<Diagnostic> {
    let label = format!("{}{folder}/{SETTINGS_FILE}", project.prefix());
    let mut bytes = Vec::new();
    let path = project.root().join(folder).join(SETTINGS_FILE);
    if escapes(project, &path) {
        let message = "the link leaves the content folder";
        return vec![Diagnostic::new(Code::SymlinkEscapes, message).in_file(label)];
    }
    match project.file_system().read(&path, &mut bytes, FILE_LIMIT_BYTES) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => vec![Diagnostic::new(Code::ReadFailed, format!("cannot be read: {error}")).in_file(label)],
        Ok(ReadOutcome::TooLarge { size_bytes }) => vec![super::report::too_large(&label, size_bytes)],
        Ok(ReadOutcome::Whole) => match decode(&label, &bytes) {
            Ok(text) => check_text(&label, text),
            Err(diagnostic) => vec![*diagnostic],
        },
    }
}

fn check_text(label: &str, text: &str) -> Vec<Diagnostic> {
    let (document, source) = (Document::new(text), Source::new(label, text));
    let mut found = Findings::new();
    let mut asset_type = None;
    for node in document.nodes() {
        let wrong = |expected: &str| {
            source
                .diagnostic(
                    Code::BadSettings,
                    node.value_range(),
                    format!("{}: expected {expected}, found `{}`", node.name, node.value),
                )
                .property(node.name)
                .expected(expected)
                .found(node.value)
        };
        match (node.kind, node.name) {
            (NodeKind::Fault(_), _) => found.push_some(true, || node.diagnostic(document.spelling(), &source)),
            (NodeKind::Directive, "asset_type") => {
                asset_type = Some(node.value);
                if node.value != ASSET_TYPE {
                    found.push(true, || wrong(ASSET_TYPE));
                }
            }
            (NodeKind::Directive, "version") => match parse_integer::<u32>(node.value) {
                Ok(1..=VERSION) => {}
                _ => found.push(true, || wrong(&format!("a version up to {VERSION}"))),
            },
            _ => {}
        }
    }
    if asset_type.is_none() && found.is_ok() {
        let message = format!("no asset type: expected `; asset_type: {ASSET_TYPE}`");
        found.error(source.diagnostic(Code::BadSettings, 0..0, message).expected(ASSET_TYPE));
    }
    found.into_diagnostics(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_accepted() {
        let text = String::from_utf8(new_settings()).unwrap_or_default();
        assert_eq!(text, "; asset_type: world_settings\n; version: 1\n");
        assert_eq!(check_text("W", &text), []);
    }

    #[test]
    fn faults_name_their_line() {
        for (text, line) in [
            ("; asset_type: mesh\n; version: 1\n", 1),
            ("; asset_type: world_settings\n; version: 2\n", 2),
            ("; version: 1\n", 1),
            ("", 1),
            ("; asset_type: world_settings\nrubbish\n", 2),
        ] {
            let found = check_text("W", text);
            assert_eq!(found.iter().map(|it| it.line).collect::<Vec<_>>(), [line], "{text:?}");
        }
    }
}
