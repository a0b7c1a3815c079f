//! The files of the working copy, and the rules for files of every kind: size, machine paths, notes to fix something later.
//!
//! Build products are left out by the names of their folders, so that no version control has to be asked.

use std::fs;
use std::path::Path;

use super::Finding;

/// Names below which nothing is ours; `.git` is a file in a linked worktree.
const SKIPPED: &[&str] = &[".git", "target", "artifacts", ".juliet"];

/// Largest file, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// First folders of absolute paths that only exist on one machine.
const MACHINE_FOLDERS: &[&str] = &["home", "root", "Users", "work", "workspace"];

/// A note to fix something later; such a thing is fixed now, or is an issue.
const LATER: &str = concat!("FIX", "ME");

/// One file.
#[derive(Debug)]
pub(crate) struct File {
    /// Relative to the workspace, forward slashes.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    /// Absent for what is not UTF-8 or too large.
    pub(crate) text: Option<String>,
}

/// All files, sorted by path.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
}

impl Tree {
    /// Reads the whole working copy.
    ///
    /// # Errors
    /// A sentence with the path that could not be read.
    pub(crate) fn read(root: &Path) -> Result<Self, String> {
        let mut tree = Self::default();
        tree.add_folder(root, "")?;
        tree.files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(tree)
    }

    fn add_folder(&mut self, folder: &Path, prefix: &str) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
        for entry in fs::read_dir(folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{prefix}{name}");
            let kind = entry.file_type().map_err(failed)?;
            if SKIPPED.contains(&name.as_str()) {
                continue;
            }
            if kind.is_dir() {
                self.add_folder(&entry.path(), &format!("{path}/"))?;
            } else if kind.is_file() {
                let bytes = entry.metadata().map_err(failed)?.len();
                let text = if bytes <= MAX_BYTES { Some(fs::read(entry.path()).map_err(failed)?) } else { None };
                self.files.push(File { path, bytes, text: text.and_then(|text| String::from_utf8(text).ok()) });
            }
        }
        Ok(())
    }

    /// Files whose path begins and ends so, with their text.
    pub(crate) fn texts<'t>(&'t self, prefix: &'t str, suffix: &'t str) -> impl Iterator<Item = (&'t str, &'t str)> {
        let files = self.files.iter().filter(move |file| file.path.starts_with(prefix) && file.path.ends_with(suffix));
        files.filter_map(|file| Some((file.path.as_str(), file.text.as_deref()?)))
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let file = |&(path, text): &(&str, &str)| File {
            path: path.to_owned(),
            bytes: text.len() as u64,
            text: Some(text.to_owned()),
        };
        Self { files: files.iter().map(file).collect() }
    }
}

/// Rules for files of every kind.
pub(crate) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for file in &tree.files {
        if file.bytes > MAX_BYTES {
            findings.push(Finding::new(&file.path, 0, format!("{} bytes; no file is larger than 1 MiB", file.bytes)));
        }
    }
    for (path, text) in tree.texts("", "") {
        // A corpus is arbitrary text, and a lock file is cargo's.
        if path.starts_with("fuzz/corpus/") || path.ends_with(".lock") {
            continue;
        }
        for (index, line) in text.lines().enumerate() {
            if let Some(found) = machine_path(line) {
                findings.push(Finding::new(path, index + 1, format!("`{found}` is a path of one machine")));
            }
            if line.contains(LATER) {
                findings.push(Finding::new(path, index + 1, format!("{LATER}: fix it now, or open an issue")));
            }
        }
    }
}

/// The first absolute path in `line` that begins with a folder of a machine.
fn machine_path(line: &str) -> Option<&str> {
    MACHINE_FOLDERS.iter().find_map(|folder| {
        line.match_indices(folder).find_map(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + folder.len()..]);
            let slash = before.chars().next_back().filter(|c| matches!(c, '/' | '\\'))?;
            // `a/home/b`, `./home/b` and `https://host/home/` are relative to something; a drive is not.
            let start = before.len() - 1;
            let drive = slash == '\\' && before[..start].ends_with(':');
            let relative = before[..start].ends_with(|c: char| {
                c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '\\' | '*' | '}' | '~')
            });
            let end = after.starts_with(slash);
            (end && (drive || (slash == '/' && !relative))).then(|| &line[start..=at + folder.len()])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_paths_are_told_from_relative_ones() {
        let slash = |text: &str| text.replace('|', "/");
        for line in ["see |home|ann|x", "\"|root|.cargo\"", "`|Users|b|c`", "|work|x"] {
            assert!(machine_path(&slash(line)).is_some(), "{line}");
        }
        assert!(machine_path(&"C:|Users|b".replace('|', "\\")).is_some());
        for line in ["a|home|b", "https:||example.org|home|b", ".|work|x", "homework", "the |home page", "~|work|x"] {
            assert!(machine_path(&slash(line)).is_none(), "{line}");
        }
    }

    #[test]
    fn large_file_and_later_note_are_found() {
        let mut tree = Tree::of(&[("notes.md", &format!("fine\n{LATER} one day\n"))]);
        tree.files.push(File { path: "big.bin".to_owned(), bytes: MAX_BYTES + 1, text: None });
        let mut findings = Vec::new();
        check(&tree, &mut findings);
        let places: Vec<_> = findings.iter().map(|finding| (finding.path.as_str(), finding.line)).collect();
        assert_eq!(places, [("big.bin", 0), ("notes.md", 2)]);
    }
}
