//! What a program does not know is deleted, on command and by name.

use std::collections::HashSet;

use juliet_core::archive::{UnknownLine, UnknownPart, class_line, is_unknown_key, part_of_key, unknown_lines};
use juliet_core::diag::{Code, Diagnostic};
use juliet_core::text::Edits;

use super::bind::{BindError, check_key, new_text, of_some_item};
use super::{Files, LineChange, Mode, Role, Survey, Surveyed, UpkeepError, UpkeepReport, Work, named_template};
use crate::folder::normalise;
use crate::project::Project;
use crate::world::LineCount;

/// Something to be deleted: by name, never "all".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    Key { class: Box<str>, key: Box<str> },
    Section(Box<str>),
    Directive(Box<str>),
    Class(Box<str>),
}

impl Selection {
    /// The lines of `key` in files of `class`, or in sections of the component `class`, with those of its parts and items. In either spelling; `Loot[].OldHue` for a part of every
    /// item. The class may be one that the program does not know.
    pub fn key(class: &str, key: &str) -> Self {
        Self { what: What::Key { class: class.into(), key: key.into() } }
    }

    /// The sections of a component, up to their last line that is neither blank nor a comment, and lines that take it away, in files of every
    /// class.
    pub fn section(name: &str) -> Self {
        Self { what: What::Section(name.into()) }
    }

    /// The directives of a name, in files of every class.
    pub fn directive(name: &str) -> Self {
        Self { what: What::Directive(name.into()) }
    }

    /// The files of a class that the program does not know: entities and templates.
    pub fn class(name: &str) -> Self {
        Self { what: What::Class(name.into()) }
    }
}

impl Project {
    /// Deletes what this program does not know and `selections` name, in every file of the project. What is known is never deleted.
    ///
    /// A file that would not read afterwards, or would say something else, is left as it is and told. All others are written in one
    /// transaction; a second call changes nothing. A template of an unknown class stays as long as a file that cannot be read may be based
    /// on it. Reads every file of the project: O(bytes × selections).
    ///
    /// Worlds that are loaded do not learn of it: save and drop them before, and load them again after.
    ///
    /// # Errors
    /// [`UpkeepError`]; [`BindError::Known`] if a selection names what the program knows. No file has changed then.
    pub fn delete_unknown(&self, selections: &[Selection], mode: Mode) -> Result<UpkeepReport, UpkeepError> {
        selections.iter().try_for_each(|selection| self.check_unknown(selection))?;
        let mut work = Work::default();
        let mut survey = Survey::of(self, mode)?;
        let files = survey.files(&mut work);
        let goes = |file: &Surveyed<'_>| selections.iter().any(|it| it.takes_file(file));
        let held = held(&files, &goes);
        for file in &files.list {
            if !goes(file) {
                delete_lines(self, &files, file, selections, &mut work);
            } else if let Some(why) = held.why(&files, file) {
                work.refuse(Diagnostic::new(Code::WriteFailed, format!("not removed: {why}")).in_file(file.label));
            } else {
                let line = class_line(file.text).map(|node| LineChange {
                    property: node.name.into(),
                    line: LineCount::default().of(file.text, node.name_at),
                    before: Some(super::lines_of(file.text, &node).into()),
                    after: None,
                });
                work.remove(file, line.into_iter().collect());
            }
        }
        work.finish(self, mode)
    }

    fn check_unknown(&self, selection: &Selection) -> Result<(), BindError> {
        let registry = self.registry();
        if let What::Key { key, .. } = &selection.what {
            check_key(key)?;
        }
        let known = match &selection.what {
            What::Class(name) => registry.find_by_name(name).map(|_| name.to_string()),
            What::Key { class, key } => registry
                .find_component_by_name(class)
                .or_else(|| registry.find_by_name(class))
                .filter(|(_, class)| !is_unknown_key(class, &of_some_item(key)))
                .map(|(_, class)| format!("{}.{key}", class.name())),
            What::Section(name) => registry.find_component_by_name(name).map(|_| name.to_string()),
            What::Directive(_) => None,
        };
        known.map_or(Ok(()), |name| Err(BindError::Known { name: name.into() }))
    }
}

impl Selection {
    /// Whether the whole file goes.
    fn takes_file(&self, file: &Surveyed<'_>) -> bool {
        matches!(&self.what, What::Class(name) if !file.opened.class().is_known() && *name == file.class_name)
    }

    fn takes(&self, project: &Project, file: &Surveyed<'_>, line: &UnknownLine<'_>) -> bool {
        match (&self.what, line.part) {
            (What::Key { class, key }, UnknownPart::Key) => {
                let registry = project.registry();
                let is_class = match (line.component, registry.find_by_name(class)) {
                    (Some(component), _) => {
                        registry.find_component_by_name(class).is_some_and(|(_, it)| it == component)
                    }
                    (None, Some((_, class))) => class == file.opened.class(),
                    (None, None) => !file.opened.class().is_known() && *class == file.class_name,
                };
                is_class && part_of_key(line.node.name, key).is_some()
            }
            (What::Section(name), UnknownPart::Section) => line.node.value == &**name,
            (What::Section(name), UnknownPart::Directive) => {
                line.component.is_none() && line.node.name == "without" && line.node.value == &**name
            }
            (What::Directive(name), UnknownPart::Directive) => line.node.name == &**name,
            _ => false,
        }
    }
}

/// Templates that have to stay, since something that stays may be based on them.
struct Held {
    /// From `Assets/` on.
    named: HashSet<String>,
    by_anything: bool,
}

impl Held {
    fn why(&self, files: &Files<'_>, file: &Surveyed<'_>) -> Option<&'static str> {
        if self.by_anything && file.role == Role::Template {
            return Some("there are files that cannot be read, and may be based on it");
        }
        self.named.contains(&file.path(files.project)).then_some("a file that stays is based on it")
    }
}

fn held(files: &Files<'_>, goes: &dyn Fn(&Surveyed<'_>) -> bool) -> Held {
    let chain = |template| {
        let above = files.world.chain_of(template).filter_map(|it| files.world.template_path(it));
        above.map(str::to_owned).collect::<Vec<_>>()
    };
    let mut named: HashSet<String> = HashSet::new();
    for path in files.closed.iter().filter_map(|(label, text)| named_template(label, text)) {
        named.extend(files.world.find_template(path).into_iter().flat_map(chain));
        // It may be there though it was not loaded: for this moment perhaps.
        named.extend(normalise(path).ok().map(Into::into));
    }
    // The lowest first: what a template that stays is based on stays, too.
    for file in files.list.iter().rev() {
        if !goes(file) || named.contains(&file.path(files.project)) {
            named.extend(file.template.into_iter().flat_map(chain));
        }
    }
    Held { named, by_anything: files.has_unread }
}

fn delete_lines(project: &Project, files: &Files<'_>, file: &Surveyed<'_>, selections: &[Selection], work: &mut Work) {
    let (mut edits, mut lines, mut count) = (Edits::new(*file.opened.document()), Vec::new(), LineCount::default());
    for line in unknown_lines(&file.opened) {
        if !selections.iter().any(|selection| selection.takes(project, file, &line)) {
            continue;
        }
        edits.replace(line.span.clone(), "");
        let text = file.text.get(line.span.clone()).unwrap_or_default();
        let name = if line.part == UnknownPart::Section { line.node.value } else { line.node.name };
        lines.push(LineChange {
            property: name.into(),
            line: count.of(file.text, line.node.name_at),
            before: Some(text.trim_end_matches(['\n', '\r']).into()),
            after: None,
        });
    }
    if lines.is_empty() {
        return;
    }
    let same = new_text(file, &edits).and_then(|text| {
        let (before, after) = (files.read(file, file.text, None)?, files.read(file, &text, None)?);
        Ok((before.is_same(&after), text))
    });
    match same {
        Ok((true, text)) => work.change(file, &file.class_name, text.into_bytes(), lines),
        Ok((false, _)) => {
            let message = "not changed: without the lines the file would say something else";
            work.refuse(Diagnostic::new(Code::WriteFailed, message).in_file(file.label));
        }
        Err(why) => {
            let message = format!("not changed: {}", why.message).into();
            work.refuse(Diagnostic { message, ..*why });
        }
    }
}
