//! The templates of a world as the pages of a schema show them.
//!
//! In: the templates of the world, and the folder they lie in. Out: plain data for
//! [`html_with_templates`](juliet_core::schema::html_with_templates), with texts as files have them.

use juliet_core::diag::{Code, Diagnostic};
use juliet_core::schema::{OverrideDoc, TemplateDoc};

use super::templates::TEMPLATE_FOLDER;
use super::{Difference, World};
use crate::folder::{CONTENT_ROOT, FileKind, is_hidden};

/// How deep folders are looked into.
const FOLDER_DEPTH: usize = 32;

impl World {
    /// Reads every template below `Assets/Templates/` that no file has named yet, links to folders left out. Returns what is wrong with
    /// those that cannot be used. One read for each file.
    pub fn load_all_templates(&mut self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let paths = self.template_files(&mut diagnostics);
        let loaded = self.load_templates(paths.iter().map(String::as_str), &mut diagnostics);
        for path in paths {
            let failure = loaded.get(path.as_str()).and_then(|found| found.as_ref().err());
            if let Some(why) = failure.and_then(|failure| failure.untold()) {
                let label = format!("{}{}", self.prefix(), below_root(&path));
                diagnostics.push(Diagnostic::new(Code::TemplateUnavailable, why).in_file(label));
            }
        }
        diagnostics
    }

    /// The paths of all files that may be templates, sorted.
    fn template_files(&self, diagnostics: &mut Vec<Diagnostic>) -> Vec<String> {
        let Some(project) = &self.project else { return Vec::new() };
        let mut found = Vec::new();
        let mut folders = vec![(TEMPLATE_FOLDER.to_owned(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            let below = below_root(&folder);
            let entries = match project.file_system().list(&project.root().join(below)) {
                Ok(entries) => entries,
                // A project need not have templates.
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    let message = format!("the folder cannot be read: {error}");
                    let place = format!("{}{}", project.prefix(), below.trim_end_matches('/'));
                    diagnostics.push(Diagnostic::new(Code::ReadFailed, message).in_file(place));
                    continue;
                }
            };
            for entry in entries {
                // A template is found by a name, so one whose name is no text is none.
                let Some(name) = entry.name.to_str().filter(|name| !is_hidden(name)) else { continue };
                match entry.kind {
                    FileKind::Folder if depth < FOLDER_DEPTH => folders.push((format!("{folder}{name}/"), depth + 1)),
                    FileKind::File if name.ends_with(".jasset") => found.push(format!("{folder}{name}")),
                    _ => {}
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// What the pages of a schema show of the templates that this world knows, by path: what each is based on, what it overrides, and how
    /// many instances it has here. Those that nothing names are known after [`load_all_templates`](Self::load_all_templates).
    ///
    /// Linear in the templates, their properties, and the depth of their chains.
    pub fn template_docs(&self) -> Vec<TemplateDoc> {
        let docs = self.templates().filter_map(|template| {
            let (_, class) = self.class_of(template.into()).ok()?;
            let overrides = self.diff(template).into_iter();
            let path_of = |template| self.template_path(template).map(str::to_owned);
            Some(TemplateDoc {
                path: path_of(template)?,
                parent: self.template_of(template).and_then(path_of),
                class: class.name().to_owned(),
                overrides: overrides
                    .map(|Difference { key, value, inherited, .. }| OverrideDoc { key, value, inherited })
                    .collect(),
                instances: self.instances_of(template).len(),
            })
        });
        let mut docs: Vec<_> = docs.collect();
        docs.sort_by(|a, b| a.path.cmp(&b.path));
        docs
    }
}

/// A path from `Assets/` on, relative to the content folder.
fn below_root(path: &str) -> &str {
    path.strip_prefix(CONTENT_ROOT).unwrap_or(path).trim_start_matches('/')
}
