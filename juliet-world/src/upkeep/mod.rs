//! Work on the files of a whole project, without loading a world.
//!
//! ```text
//! every .jasset ──► text ──► class, through its templates ──► a new text ──► checked by reading ──► one transaction
//!                                                                 └► what changed, line by line
//! ```
//!
//! Only texts are edited: what is not named in the report keeps its bytes. A file that cannot be worked on is told and left as it is. A
//! preview gives the report and writes nothing.
//!
//! Worlds that are loaded do not learn of it. Save and drop them before, and load them again after: the save of a world refuses files that
//! changed since it read them.

mod bind;
mod delete;
mod migrate;
mod unknown;

pub use bind::{BindError, Binding};
pub use delete::Selection;
pub use unknown::UnknownReport;

use std::collections::HashSet;

use juliet_core::archive::{
    Findings, Inherit, Inherited, Opened, TemplateLine, class_line, open_with, read_components, read_values,
};
use juliet_core::class::{ClassKind, Role, value};
use juliet_core::diag::{Code, Diagnostic};
use juliet_core::mem::OwnedValue;
use juliet_core::text::Node;

use crate::folder::{self, CONTENT_ROOT, Fingerprint, Remove, Transaction, Write, recover};
use crate::project::{Project, ProjectError};
use crate::world::{LoadOptions, Loaded, TEMPLATE_CAPACITY, TemplateHandle, World, read_project, recovery, refused};

/// Whether files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing is written; the report says what would be.
    Preview,
    /// All files that change are written in one transaction.
    Write,
}

/// What work on the files of a project did, or would do.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use = "it says which files were left as they are"]
pub struct UpkeepReport {
    /// The files that changed, sorted.
    pub files: Vec<FileChange>,
    /// Why others were left as they are, sorted by file and line.
    pub diagnostics: Vec<Diagnostic>,
}

impl UpkeepReport {
    /// Whether no file was left as it is for an error.
    pub fn is_complete(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// A file that changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file, as diagnostics name it.
    pub file: Box<str>,
    /// Its class, as files name it; the new one if that changed.
    pub class: Box<str>,
    /// Its lines that changed, in their order.
    pub lines: Vec<LineChange>,
    /// Whether the file was removed.
    pub removed: bool,
}

/// A line that changed, or two where name and value stand on one each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineChange {
    /// The property, section or directive, as the old line names it.
    pub property: Box<str>,
    /// The line before the change, from 1; of a new line, the one it was put before.
    pub line: u32,
    /// What the line said; `None` for a new one.
    pub before: Option<Box<str>>,
    /// What it says now; `None` if it is gone.
    pub after: Option<Box<str>>,
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpkeepError {
    /// The content folder cannot be read.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// What is to be bound or deleted is not clear.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// The transaction did not come about: no file was changed.
    #[error(transparent)]
    Transaction(#[from] folder::SaveError),
}

/// All texts of a project, and room for its templates.
pub(crate) struct Survey {
    project: Project,
    /// Label and text.
    texts: Vec<(Box<str>, Box<str>)>,
    /// Holds the templates alone.
    world: World,
    /// What was found so far.
    diagnostics: Vec<Diagnostic>,
    /// Whether something is there that has no text.
    has_unread: bool,
}

/// The files of a project whose classes are found.
pub(crate) struct Files<'s> {
    pub(crate) project: &'s Project,
    /// Holds the templates alone.
    pub(crate) world: &'s World,
    /// Templates first and what is based on another after it, else in the order of their paths.
    pub(crate) list: Vec<Surveyed<'s>>,
    /// Label and text of those whose class is not found: an error in their directives, or in a template.
    pub(crate) closed: Vec<(&'s str, &'s str)>,
    /// Whether something is there that has no text.
    pub(crate) has_unread: bool,
}

/// A file whose class is found.
pub(crate) struct Surveyed<'s> {
    /// As diagnostics name it.
    pub(crate) label: &'s str,
    pub(crate) text: &'s str,
    pub(crate) opened: Opened<'s>,
    /// The class as files name it, also an unknown one.
    pub(crate) class_name: Box<str>,
    pub(crate) role: Role,
    /// What it is based on.
    pub(crate) template: Option<TemplateHandle>,
    /// How many templates stand above it.
    pub(crate) depth: usize,
}

impl Survey {
    /// Reads every file and the templates. O(bytes of the project).
    pub(crate) fn of(project: &Project, mode: Mode) -> Result<Self, UpkeepError> {
        let mut diagnostics = Vec::new();
        if mode == Mode::Write {
            // A save that was cut off is finished first; what a preview sees of it is what is on disk.
            let done = recover(project.file_system(), project.root())?;
            diagnostics.extend(recovery(&done, project.prefix()));
        }
        let (mut texts, told) = (Vec::new(), diagnostics.len());
        for (label, text) in read_project(project, &mut diagnostics)? {
            match text {
                Ok(text) => texts.push((label, text)),
                Err(why) => diagnostics.push(*why),
            }
        }
        let has_unread = diagnostics[told..].iter().any(Diagnostic::is_error);
        // No more templates are read than there are files; one more and a link leads to them.
        let room = u16::try_from(texts.len()).unwrap_or(u16::MAX).saturating_add(TEMPLATE_CAPACITY);
        let options = LoadOptions { capacity: Some(1), template_capacity: Some(room), ..LoadOptions::default() };
        let world = World::in_folder(project.clone(), "".into(), &options, false)?;
        Ok(Self { project: project.clone(), texts, world, diagnostics, has_unread })
    }

    /// Finds the class of every file, through its templates. Files in which it is not found are told in `work`.
    pub(crate) fn files<'s>(&'s mut self, work: &mut Work) -> Files<'s> {
        work.diagnostics.append(&mut self.diagnostics);
        let names = self.texts.iter().filter_map(|(label, text)| named_template(label, text));
        let found = self.world.read_templates(names);
        let Self { texts, world, project, has_unread, .. } = &*self;
        let (mut list, mut closed) = (Vec::with_capacity(texts.len()), Vec::new());
        for (label, text) in texts {
            let mut findings = Findings::new();
            match open_file(project, world, &found, label, text, &mut findings) {
                Some(file) => list.push(file),
                None => {
                    let told = findings.into_diagnostics(label);
                    work.diagnostics.extend(told.into_iter().filter(Diagnostic::is_error));
                    closed.push((&**label, &**text));
                }
            }
        }
        list.sort_by_key(|file| (file.role != Role::Template, file.depth));
        Files { project, world, list, closed, has_unread: *has_unread }
    }
}

/// The path of the template that a file names.
pub(crate) fn named_template<'s>(label: &'s str, text: &'s str) -> Option<&'s str> {
    let mut path = None;
    let mut note = |line: &TemplateLine<'s>| {
        path = Some(line.path);
        Inherit::Later
    };
    open_with(&juliet_core::ClassRegistry::new(), label, text, &mut note, &mut Findings::new());
    path
}

fn open_file<'s>(
    project: &Project,
    world: &World,
    found: &Loaded,
    label: &'s str,
    text: &'s str,
    findings: &mut Findings,
) -> Option<Surveyed<'s>> {
    let mut template = None;
    let mut inherit = |line: &TemplateLine<'s>| match found.get(line.path) {
        Some(Ok(handle)) => {
            template = Some(*handle);
            world.inherited_from(*handle).map_or(Inherit::Later, Inherit::From)
        }
        Some(Err(failure)) => Inherit::Refused(Box::new(failure.at(line))),
        None => Inherit::Later,
    };
    let opened = open_with(project.registry(), label, text, &mut inherit, findings)?;
    let own = || class_line(text).map(|node| node.value);
    let class_name = match opened.class().is_known() {
        true => opened.class().name(),
        false => own().or_else(|| world.class_name(template?)).unwrap_or_default(),
    };
    let role = role_of(project, label, opened.template().is_some());
    let opened = if role == Role::Template { opened.as_template() } else { opened };
    let depth = template.map_or(0, |template| world.chain_of(template).count());
    Some(Surveyed { label, text, class_name: class_name.into(), role, template, depth, opened })
}

fn role_of(project: &Project, label: &str, inherits: bool) -> Role {
    match label.strip_prefix(project.prefix()).unwrap_or(label) {
        below if below.starts_with("Templates/") => Role::Template,
        _ if inherits => Role::Instance,
        _ => Role::Standalone,
    }
}

impl Surveyed<'_> {
    /// The file as a template that others name, from `Assets/` on.
    pub(crate) fn path(&self, project: &Project) -> String {
        let below = self.label.strip_prefix(project.prefix()).unwrap_or(self.label);
        format!("{CONTENT_ROOT}/{below}")
    }
}

/// What a text says.
pub(crate) struct Said {
    value: OwnedValue,
    position: Option<[f32; 4]>,
    /// Those that have a section, in the order of the file.
    components: Vec<(ClassKind, OwnedValue)>,
}

impl Said {
    /// Whether another text says the same, bit for bit.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let place = |position: Option<[f32; 4]>| position.map(|it| it.map(f32::to_bits));
        let same = |(a, b): (&(ClassKind, OwnedValue), &(ClassKind, OwnedValue))| {
            a.0 == b.0 && value::same(a.1.as_ref(), b.1.as_ref())
        };
        value::same(self.value.as_ref(), other.value.as_ref())
            && place(self.position) == place(other.position)
            && self.components.len() == other.components.len()
            && self.components.iter().zip(&other.components).all(same)
    }
}

impl Files<'_> {
    /// Reads `text` as the new text of a file and says what would be wrong with it, else what it says. `inherited` is what it is based on,
    /// where that is not what it was.
    ///
    /// # Errors
    /// The first fault, with its line.
    pub(crate) fn read(
        &self,
        file: &Surveyed<'_>,
        text: &str,
        inherited: Option<Inherited<'_>>,
    ) -> Result<Said, Box<Diagnostic>> {
        self.read_as((file.label, file.role, file.template), text, inherited)
    }

    /// [`read`](Self::read) of the file of a label, with what it is and what it is based on.
    ///
    /// # Errors
    /// The first fault, with its line.
    pub(crate) fn read_as(
        &self,
        (label, role, template): (&str, Role, Option<TemplateHandle>),
        text: &str,
        inherited: Option<Inherited<'_>>,
    ) -> Result<Said, Box<Diagnostic>> {
        let (registry, mut findings) = (self.project.registry(), Findings::new());
        let above = template.filter(|_| inherited.is_none());
        let known = inherited.or_else(|| self.world.inherited_from(above?));
        let mut inherit = |_: &TemplateLine<'_>| known.map_or(Inherit::Later, Inherit::From);
        let opened = open_with(registry, label, text, &mut inherit, &mut findings);
        let opened = opened.map(|opened| if role == Role::Template { opened.as_template() } else { opened });
        let new = opened.as_ref().and_then(|opened| Some((opened, OwnedValue::new(registry, opened.kind()).ok()?)));
        let read = new.map(|(opened, mut value)| {
            if let Some(image) = above.and_then(|template| self.world.image_of(template)) {
                value::assign(value.as_mut(), image);
            }
            let mut read = read_values(opened, value.as_mut(), &mut findings);
            let above = |kind| self.world.component_of(template?, kind);
            let components = read_components(opened, &mut read, &above, &mut findings);
            let components = opened.components().map(|part| part.kind()).zip(components).collect();
            Said { value, position: read.position, components }
        });
        let is_ok = findings.is_ok();
        match read.filter(|_| is_ok) {
            Some(read) => Ok(read),
            None => {
                let error = findings.into_diagnostics(label).into_iter().find(Diagnostic::is_error);
                let gone = || Diagnostic::new(Code::ReadFailed, "the new text names no class").in_file(label);
                Err(Box::new(error.unwrap_or_else(gone)))
            }
        }
    }
}

/// The text of a node's lines, without the last line end.
pub(crate) fn lines_of<'s>(text: &'s str, node: &Node<'_>) -> &'s str {
    text.get(node.span.clone()).unwrap_or_default().trim_end_matches(['\n', '\r'])
}

/// The new texts of one call, and what is told.
#[derive(Default)]
pub(crate) struct Work {
    files: Vec<Changed>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

struct Changed {
    report: FileChange,
    old: Fingerprint,
    /// `None` for a file to be removed.
    new: Option<Vec<u8>>,
    /// The label of the file that is written before, without which this one is not.
    needs: Option<Box<str>>,
}

impl Work {
    /// The file gets a new text.
    pub(crate) fn change(&mut self, file: &Surveyed<'_>, class: &str, new: Vec<u8>, lines: Vec<LineChange>) {
        self.add((file.label, file.text), class, Some(new), lines);
    }

    /// A file whose class was not found gets a new text, and what was told of it is told no more.
    pub(crate) fn mend(&mut self, file: (&str, &str), class: &str, new: Vec<u8>, lines: Vec<LineChange>) {
        self.diagnostics.retain(|it| &*it.file != file.0);
        self.add(file, class, Some(new), lines);
    }

    /// The file that was changed last is written only if that of the label `other`, which was changed before it, is.
    pub(crate) fn only_with(&mut self, other: &str) {
        if let Some(last) = self.files.last_mut() {
            last.needs = Some(other.into());
        }
    }

    /// The file goes.
    pub(crate) fn remove(&mut self, file: &Surveyed<'_>, lines: Vec<LineChange>) {
        self.add((file.label, file.text), &file.class_name, None, lines);
    }

    fn add(&mut self, (label, text): (&str, &str), class: &str, new: Option<Vec<u8>>, lines: Vec<LineChange>) {
        let removed = new.is_none();
        let report = FileChange { file: label.into(), class: class.into(), lines, removed };
        self.files.push(Changed { report, old: Fingerprint::of(text.as_bytes()), new, needs: None });
    }

    /// The file stays as it is.
    pub(crate) fn refuse(&mut self, why: Diagnostic) {
        self.diagnostics.push(why);
    }

    /// Writes everything in one transaction, or nothing in a preview.
    pub(crate) fn finish(self, project: &Project, mode: Mode) -> Result<UpkeepReport, UpkeepError> {
        let Self { files, mut diagnostics } = self;
        let mut report = UpkeepReport::default();
        let mut transaction = Transaction::default();
        let prefix = project.prefix();
        let path_of = |label: &str| -> Box<str> { label.strip_prefix(prefix).unwrap_or(label).into() };
        for Changed { report: change, old, new, needs } in files {
            let path = path_of(&change.file);
            match new {
                Some(new) => {
                    let needs = needs.map(|label| path_of(&label));
                    transaction.writes.push(Write { path, old: Some(old), new, needs });
                }
                None => {
                    // While a file may still name it, a template stays.
                    let needs_all = path.starts_with("Templates/");
                    transaction.removals.push(Remove { path, old, needs_all });
                }
            }
            report.files.push(change);
        }
        // What is based on a template goes before it.
        transaction.removals.reverse();
        if mode == Mode::Write && !report.files.is_empty() {
            let done = transaction.execute(project.file_system(), project.root())?;
            diagnostics.extend(done.recovery.iter().flat_map(|it| recovery(it, prefix)));
            diagnostics.extend(done.refused.iter().map(|it| refused(it, prefix)));
            diagnostics.extend(done.failed.iter().map(|failed| {
                let message = format!("not saved: {}", failed.fault);
                Diagnostic::new(Code::WriteFailed, message).in_file(format!("{prefix}{}", failed.path))
            }));
            let left = done.refused.iter().map(|it| &*it.path).chain(done.failed.iter().map(|it| &*it.path));
            let left: HashSet<String> = left.map(|path| format!("{prefix}{path}")).collect();
            report.files.retain(|change| !left.contains(&*change.file));
        }
        report.files.sort_by(|a, b| a.file.cmp(&b.file));
        diagnostics.sort_by(Diagnostic::report_order);
        report.diagnostics = diagnostics;
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use std::fs;

    use juliet_core::ClassRegistry;

    use super::*;

    #[test]
    fn a_file_that_changed_since_it_was_read_is_left_as_it_is() {
        let home = tempfile::tempdir().unwrap();
        let text = "; class: Golem\n; component: Old\nX: 1\n";
        for name in ["A", "B", "C"] {
            fs::write(home.path().join(name).with_extension("jasset"), text).unwrap();
        }
        let project = Project::open(home.path(), ClassRegistry::new()).unwrap();
        let mut work = Work::default();
        let mut survey = Survey::of(&project, Mode::Write).unwrap();
        let files = survey.files(&mut work);
        for file in &files.list {
            work.change(file, "Golem", b"; class: Golem\n".to_vec(), Vec::new());
        }
        fs::write(home.path().join("A.jasset"), "; class: Golem\nmeanwhile: 1\n").unwrap();
        fs::remove_file(home.path().join("B.jasset")).unwrap();
        let report = work.finish(&project, Mode::Write).unwrap();
        assert_eq!(report.files.len(), 1);
        assert!(report.files[0].file.ends_with("/C.jasset"));
        let codes: Vec<Code> = report.diagnostics.iter().map(|it| it.code).collect();
        assert_eq!(codes, [Code::ChangedOnDisk, Code::ChangedOnDisk]);
        assert!(!report.is_complete());
        assert_eq!(fs::read_to_string(home.path().join("A.jasset")).unwrap(), "; class: Golem\nmeanwhile: 1\n");
        assert!(!home.path().join("B.jasset").exists());
    }

    #[test]
    fn templates_come_first_and_what_is_based_on_another_after_it() {
        let home = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = home.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("Templates/A.jasset", "; template: Assets/Templates/B.jasset\n");
        put("Templates/B.jasset", "; template: Assets/Templates/C.jasset\n");
        put("Templates/C.jasset", "; class: Golem\n");
        put("Early.jasset", "; template: Assets/Templates/A.jasset\n");
        put("Alone.jasset", "; class: Golem\n");
        put("Torn.jasset", "; class: Golem\n; id: x\n");
        put("Lost.jasset", "; template: Assets/Templates/D.jasset\n");
        let project = Project::open(home.path(), ClassRegistry::new()).unwrap();
        let mut work = Work::default();
        let mut survey = Survey::of(&project, Mode::Preview).unwrap();
        let files = survey.files(&mut work);
        let order: Vec<_> =
            files.list.iter().map(|file| (file.path(&project), file.role, file.depth, &*file.class_name)).collect();
        let of = |path: &str, role, depth| (format!("Assets/{path}.jasset"), role, depth, "Golem");
        assert_eq!(
            order,
            [
                of("Templates/C", Role::Template, 0),
                of("Templates/B", Role::Template, 1),
                of("Templates/A", Role::Template, 2),
                of("Alone", Role::Standalone, 0),
                of("Early", Role::Instance, 3),
            ]
        );
        let closed: Vec<&str> = files.closed.iter().map(|(label, _)| label.rsplit('/').next().unwrap()).collect();
        assert_eq!((closed, work.diagnostics.len()), (vec!["Lost.jasset", "Torn.jasset"], 2));
    }
}
