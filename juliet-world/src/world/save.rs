//! A world → its folder: what differs from disk, in one transaction.
//!
//! ```text
//! each touched entity ─ edit its text ─► equal bytes: clean, nothing written
//!                                        else: read back and compared, then part of the transaction
//! each removed entity ─► its file, if it still holds what was read
//! ```
//!
//! The cost follows what was touched, not the size of the world.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use juliet_core::Class;
use juliet_core::archive::{
    ComponentText, Components, EntityText, Findings, Inherit, Inherited, Inherits, LeafSet, Opened, Overrides, Read,
    TemplateLine, changed_leaves, edit_entity, open_with, read_components, read_values, says_the_same, verify,
    write_entity,
};
use juliet_core::class::{TypeIdentity, value};
use juliet_core::diag::{Code, Diagnostic};
use juliet_core::mem::{ErasedRef, OwnedValue};

use super::load::escapes;
use super::parts::{Part, Says};
use super::templates::template_of;
use super::{EntityFile, Removed, Subject, TemplateHandle, World};
use crate::folder::{self, Fault, Fingerprint, Refusal, Remove, Transaction, Write};

/// What a save did.
#[derive(Debug, Default)]
#[must_use = "it says which files could not be written"]
pub struct SaveReport {
    /// Files that were written, sorted, as diagnostics name them.
    pub written: Vec<Box<str>>,
    /// Files that were removed, sorted.
    pub removed: Vec<Box<str>>,
    /// How many entities were touched and turned out to be as they are on disk.
    pub unchanged: usize,
    /// Why entities are not saved; they stay dirty, and removals stay pending.
    pub diagnostics: Vec<Diagnostic>,
}

impl SaveReport {
    /// Whether everything is on disk now.
    pub fn is_complete(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// Why nothing was saved. Everything is as dirty as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The world was made without a folder.
    #[error("the world has no folder to be saved to")]
    NoFolder,
    /// The world plays: what it holds is a simulation.
    #[error("the world plays, and a simulation is not saved: stop it first")]
    Playing,
    /// The folder of new files cannot be made.
    #[error("cannot make the folder {}: {fault}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        fault: Fault,
    },
    /// The transaction did not come about.
    #[error(transparent)]
    Transaction(#[from] folder::SaveError),
}

/// A text that a save could not put in its place.
pub(crate) struct Attempt {
    owner: Owner,
    path: Box<str>,
    text: Box<str>,
}

/// Whose text it is.
#[derive(Clone, Copy)]
enum Owner {
    /// The entity of this id, which may be gone by now.
    Entity(u64),
    Template(TemplateHandle),
}

/// What an entity means for a save.
pub(crate) enum Outcome {
    /// As on disk.
    Clean,
    /// Its new text.
    Changed(Vec<u8>),
    /// It cannot be written.
    Refused(Box<Diagnostic>),
}

/// Scratch that is kept from one entity to the next.
#[derive(Default)]
pub(crate) struct Scratch {
    values: HashMap<u16, [OwnedValue; 3]>,
}

impl World {
    /// Writes what differs from disk and removes the files of removed entities, in one transaction that is durable when this returns.
    ///
    /// No file on disk ever names a template that is not there: what is based on a new template is written only if that is, and a template
    /// that was removed goes only if everything else was written.
    ///
    /// O(touched entities). For each changed entity one file is read and one written. An entity whose text would be the same is clean
    /// afterwards, and nothing is written for it. What cannot be written stays dirty and is told in the report.
    ///
    /// # Errors
    /// [`SaveError`] if nothing was saved: the redo file cannot be written, another process saves, or the world has no folder.
    pub fn save(&mut self) -> Result<SaveReport, SaveError> {
        let templates = self.templates.images.dirty().map(|image| TemplateHandle::from_image(image).into());
        let touched: Vec<Subject> = templates.chain(self.manager.dirty().map(Subject::Entity)).collect();
        self.save_these(&touched)
    }

    /// Like [`save`](Self::save), looking at every entity instead of the touched ones. Still writes only what differs from disk.
    ///
    /// # Errors
    /// Those of [`save`](Self::save).
    pub fn save_all(&mut self) -> Result<SaveReport, SaveError> {
        let templates = self.templates.iter().map(|it| it.handle.into());
        let all: Vec<Subject> = templates.chain(self.manager.iter().map(|base| base.handle().into())).collect();
        self.save_these(&all)
    }

    /// One transaction. Templates come first, what is based on another after it, and removed templates last, so that no file on disk ever
    /// names a template that is not there.
    fn save_these(&mut self, subjects: &[Subject]) -> Result<SaveReport, SaveError> {
        let Some(project) = self.project.clone() else { return Err(SaveError::NoFolder) };
        if self.is_playing() {
            return Err(SaveError::Playing);
        }
        let (mut report, mut transaction) = (SaveReport::default(), Transaction::default());
        self.finish_attempts(&mut report)?;
        let mut subjects = subjects.to_vec();
        subjects.sort_by_key(|subject| match *subject {
            Subject::Template(template) => self.templates.depth(template),
            Subject::Entity(_) => usize::MAX,
        });
        // New templates that cannot be written.
        let mut unwritten: HashSet<TemplateHandle> = HashSet::new();
        let mut scratch = Scratch::default();
        let mut clean = Vec::new();
        let mut by_path: HashMap<Box<str>, Subject> = HashMap::new();
        for subject in subjects {
            if let Subject::Entity(handle) = subject {
                self.settle(handle);
            }
            // A template above that is not on disk yet.
            let above = self.template_of(subject).and_then(|it| self.templates.get(it)).filter(|it| it.file.is_none());
            let needs = above.map(|it| it.handle);
            let outcome = match above.filter(|it| unwritten.contains(&it.handle)) {
                Some(template) => Outcome::Refused(Box::new(self.waits(subject, &template.path))),
                None => self.outcome(subject, &mut scratch),
            };
            match outcome {
                Outcome::Clean => clean.push(subject),
                Outcome::Refused(diagnostic) => {
                    if let Subject::Template(template) = subject {
                        unwritten.insert(template);
                    }
                    report.diagnostics.push(*diagnostic);
                }
                Outcome::Changed(new) => {
                    let file = self.file_of_subject(subject).filter(|file| file.saved);
                    let old = file.map(|file| Fingerprint::of(file.text.as_bytes()));
                    let path: Box<str> = self.path_of(subject).into();
                    let needs = needs.map(|template| self.path_of(template.into()).into());
                    transaction.writes.push(Write { path: path.clone(), old, new, needs });
                    by_path.insert(path, subject);
                }
            }
        }
        report.unchanged = clean.len();
        clean.into_iter().for_each(|subject| self.mark_clean(subject));
        match self.settings_write() {
            Ok(write) => transaction.writes.extend(write),
            Err(diagnostic) => report.diagnostics.push(*diagnostic),
        }
        let entities = self.pending.iter().filter_map(Removed::saved_file).map(|file| (file, false));
        // A template that was removed may still be named by a file that is not rewritten.
        let templates =
            self.templates.removed.iter().filter(|_| report.diagnostics.is_empty()).map(|file| (file, true));
        for (file, needs_all) in entities.chain(templates) {
            let old = Fingerprint::of(file.text.as_bytes());
            transaction.removals.push(Remove { path: self.below_root(&file.label).into(), old, needs_all });
        }
        if !transaction.writes.is_empty() {
            self.make_folders(&transaction)?;
        }
        let done = transaction.execute(project.file_system(), project.root());
        let mut texts: HashMap<Box<str>, Box<str>> = transaction
            .writes
            .into_iter()
            .filter_map(|write| Some((write.path, String::from_utf8(write.new).ok()?.into())))
            .collect();
        let owner_of = |path: &str| match *by_path.get(path)? {
            Subject::Entity(handle) => Some(Owner::Entity(self.manager.base(handle)?.id())),
            Subject::Template(handle) => Some(Owner::Template(handle)),
        };
        let attempt = |path: &str, text: Option<Box<str>>| {
            Some(Attempt { owner: owner_of(path)?, path: path.into(), text: text? })
        };
        let attempts: Vec<Attempt> = match &done {
            Ok(done) => {
                done.failed.iter().filter_map(|failed| attempt(&failed.path, texts.remove(&failed.path))).collect()
            }
            // It may have been decided all the same, if the disk was lost in that moment.
            Err(_) => texts.drain().filter_map(|(path, text)| attempt(&path, Some(text))).collect(),
        };
        self.attempts = attempts;
        let done = done?;
        let label = |path: &str| -> Box<str> { format!("{}{path}", project.prefix()).into() };
        for path in done.written.iter().chain(&done.unchanged) {
            let Some(text) = texts.remove(path) else { continue };
            match by_path.get(path) {
                Some(&subject) => {
                    self.set_file_of(subject, EntityFile { label: label(path), text, saved: true });
                    self.mark_clean(subject);
                }
                None => (self.new_settings, self.game.list.file) = (false, Some(text)),
            }
        }
        self.forget_removed(&done);
        report.written = done.written.iter().map(|path| label(path)).collect();
        report.removed = done.removed.iter().map(|path| label(path)).collect();
        report.written.sort();
        report.removed.sort();
        let prefix = project.prefix();
        report.diagnostics.extend(done.refused.iter().filter_map(|refused| match &refused.reason {
            // What it waits for is told.
            Refusal::Waits { needs } if needs.is_empty() => None,
            Refusal::Waits { needs } => Some(self.waits(*by_path.get(&refused.path)?, &label(needs))),
            _ => Some(super::report::refused(refused, prefix)),
        }));
        report.diagnostics.extend(done.failed.iter().map(|failed| {
            let message = format!("not saved: {}", failed.fault);
            Diagnostic::new(Code::WriteFailed, message).in_file(label(&failed.path))
        }));
        if let Some(recovery) = &done.recovery {
            report.diagnostics.extend(super::report::recovery(recovery, prefix));
        }
        report.diagnostics.sort_by(Diagnostic::report_order);
        Ok(report)
    }

    #[cold]
    fn waits(&self, subject: Subject, template: &str) -> Diagnostic {
        let message = format!("not saved: its template `{template}` could not be written");
        Diagnostic::new(Code::WriteFailed, message).in_file(self.name_of(subject))
    }

    /// Files that an earlier save could not write: if that save was decided and the disk was lost then, they are written now, and are
    /// what their entities came from.
    fn finish_attempts(&mut self, report: &mut SaveReport) -> Result<(), SaveError> {
        let Some(project) = self.project.clone().filter(|_| !self.attempts.is_empty()) else { return Ok(()) };
        let recovery = folder::recover(project.file_system(), project.root())?;
        if recovery.unfinished {
            return Err(folder::SaveError::Unfinished(Box::new(recovery)).into());
        }
        let written: HashSet<&str> = recovery.written.iter().map(|path| &**path).collect();
        for Attempt { owner, path, text } in std::mem::take(&mut self.attempts) {
            if !written.contains(&*path) {
                continue;
            }
            let file = EntityFile { label: format!("{}{path}", project.prefix()).into(), text, saved: true };
            let id = match owner {
                Owner::Entity(id) => id,
                Owner::Template(handle) if self.templates.get(handle).is_some() => {
                    self.set_file_of(handle.into(), file);
                    continue;
                }
                Owner::Template(_) => {
                    self.templates.removed.push(file);
                    continue;
                }
            };
            match self.manager.find_by_id(id) {
                Some(handle) => self.set_file(handle, file),
                None => {
                    if let Some(removed) = self.pending.iter_mut().find(|removed| removed.id == id) {
                        removed.file = Some(file);
                    }
                }
            }
        }
        report.diagnostics.extend(super::report::recovery(&recovery, project.prefix()));
        Ok(())
    }

    fn mark_clean(&mut self, subject: Subject) {
        // Stale only if it is gone, and then there is nothing to mark.
        let _ = self.manager_of_mut(subject).mark_clean(subject.handle());
    }

    /// Pending removals that are done with: carried out, overtaken by a new file of that name, or no longer the file that was read.
    /// One that failed, or whose file cannot be looked at, stays.
    fn forget_removed(&mut self, done: &folder::SaveReport) {
        let is_over = |reason: &Refusal| matches!(reason, Refusal::Changed | Refusal::Gone);
        let unseen = done.refused.iter().filter(|refused| !is_over(&refused.reason)).map(|refused| &*refused.path);
        let failed: HashSet<&str> = done.failed.iter().map(|failed| &*failed.path).chain(unseen).collect();
        let over = done.refused.iter().filter(|refused| is_over(&refused.reason)).map(|refused| &*refused.path);
        let over: HashSet<&str> = over.chain(done.removed.iter().chain(&done.unchanged).map(|path| &**path)).collect();
        let prefix = self.project.as_ref().map_or(0, |project| project.prefix().len());
        let below = |file: &EntityFile| file.label.get(prefix..).unwrap_or_default().to_owned();
        self.pending.retain(|removed| removed.saved_file().is_some_and(|file| failed.contains(&*below(file))));
        // One that was not tried stays, too.
        self.templates
            .removed
            .retain(|file| !over.contains(&*below(file)) && !done.superseded.iter().any(|path| **path == *below(file)));
    }

    /// The folders of new files.
    fn make_folders(&self, transaction: &Transaction) -> Result<(), SaveError> {
        let Some(project) = &self.project else { return Ok(()) };
        let new = transaction.writes.iter().filter(|write| write.old.is_none());
        let mut folders: Vec<&str> =
            new.filter_map(|write| write.path.rsplit_once('/').map(|(folder, _)| folder)).collect();
        folders.sort_unstable();
        folders.dedup();
        for folder in folders {
            let path = project.root().join(folder);
            // The transaction refuses what lies behind a link to outside; nothing is made there either.
            let above = path.ancestors().find(|path| project.file_system().status(path).is_ok());
            if above.is_some_and(|above| above != path && !escapes(project, above)) {
                project
                    .file_system()
                    .create_dir_all(&path)
                    .map_err(|error| SaveError::Folder { path: path.clone(), fault: error.into() })?;
            }
        }
        Ok(())
    }

    /// Whether the file of a subject says that it is based on no template.
    fn stands_alone(&self, subject: Subject) -> bool {
        self.file_of_subject(subject).is_some_and(|file| template_of(file).is_none())
    }

    /// An entity of an unknown class was brought back after its template had been removed.
    #[cold]
    fn without_class(&self, subject: Subject) -> Diagnostic {
        let message =
            "not saved: its template was removed, and this program does not know the class to write it without";
        let diagnostic = Diagnostic::new(Code::WriteFailed, message).in_file(self.name_of(subject));
        diagnostic.help("remove the entity, or load the world again: the file of the template stays until then")
    }

    /// What an entity or a template means for a save: its text compared with the file it came from.
    pub(crate) fn outcome(&self, subject: Subject, scratch: &mut Scratch) -> Outcome {
        let (manager, handle) = (self.manager_of(subject), subject.handle());
        let (Some(base), Some(value)) = (manager.base(handle), manager.value(handle)) else {
            return Outcome::Clean;
        };
        let Some([saved, raw, check]) = scratch.of(self, base.kind()) else { return Outcome::Clean };
        let registry = manager.registry();
        // What the file is read on top of.
        let inherited = self.inherited_by(subject, Part::Body);
        if let Some(inherited) = inherited {
            value::assign(raw.as_mut(), inherited);
            value::assign(check.as_mut(), inherited);
        }
        let overrides = self.effective_overrides(subject, Part::Body);
        let (components, without) = self.said_by(subject);
        let above = self.template_of(subject).and_then(|it| self.templates.get(it));
        let position = above.and_then(|it| self.templates.position(it.handle)).unwrap_or_default().to_array();
        let mut entity = EntityText {
            class: base.class(),
            id: base.id(),
            position: base.position().to_array(),
            value,
            inherits: None,
            components: Components { sections: &[], without: &without },
        };
        let inherits = |template| Some(Inherits { template, overrides: &overrides, position });
        let mut out = Vec::new();
        if !base.class().is_known() && inherited.is_none() && !self.stands_alone(subject) {
            return Outcome::Refused(Box::new(self.without_class(subject)));
        }
        let Some(file) = self.file_of_subject(subject) else {
            entity.inherits = inherited.and_then(|_| inherits(above.map(|it| &*it.path)));
            let sections: Vec<ComponentText<'_>> = components.iter().map(|it| it.text(None)).collect();
            entity.components.sections = &sections;
            write_entity(&entity, self.spelling, &mut out);
            let label = format!("{}{}", self.prefix(), self.path_of(subject));
            return checked(&label, out, |text| verify(registry, &label, text, &entity, None, check.as_mut()));
        };
        let mut findings = Findings::new();
        // The class is known, whatever became of the template that the text names.
        let inherited_class = Inherited { kind: base.kind(), unknown: None, file: "" };
        let mut inherit = |_: &TemplateLine<'_>| Inherit::From(inherited_class);
        let opened = open_with(registry, &file.label, &file.text, &mut inherit, &mut findings);
        let Some(mut opened) = opened else { return gone(file) };
        if let Subject::Template(_) = subject {
            opened = opened.as_template();
        }
        let mut read = read_values(&opened, raw.as_mut(), &mut findings);
        let above_component = |kind| self.inherited_component(subject, kind);
        let raw_components = read_components(&opened, &mut read, &above_component, &mut findings);
        if !findings.is_ok() {
            return gone(file);
        }
        if inherited.is_some() {
            // The file's own spelling of the path stays as long as it means the same.
            let spelled = opened.template().filter(|spelled| {
                above.is_some_and(|it| folder::normalise(spelled).is_ok_and(|path| *path == *it.path))
            });
            entity.inherits = inherits(above.map(|it| spelled.unwrap_or(&it.path)));
        }
        value::assign(saved.as_mut(), raw.as_ref());
        base.class().run_post_init(saved.as_mut());
        let mut changed: LeafSet = changed_leaves(saved.as_ref(), value);
        if inherited.is_none() && opened.template().is_some() {
            // It stands alone from now on, and says everything itself.
            let said = read.overrides();
            (0..value.ty().leaves()).filter(|&leaf| !said.contains(leaf)).for_each(|leaf| {
                changed.insert(leaf);
            });
        }
        let stands_alone_now = inherited.is_none() && opened.template().is_some();
        let kept = Kept::of(&opened, &read, &raw_components, &components, stands_alone_now);
        let sections: Vec<ComponentText<'_>> =
            components.iter().zip(&kept).map(|(it, kept)| it.text(kept.as_ref())).collect();
        entity.components.sections = &sections;
        // An id that the file leaves out is no difference by itself: it is written with the next change.
        if file.saved && says_the_same(&opened, &read, &changed, &entity) {
            return Outcome::Clean;
        }
        match edit_entity(&opened, &read, &changed, &entity, &mut out) {
            Ok(false) if file.saved => Outcome::Clean,
            Ok(_) => checked(&file.label, out, |text| {
                verify(registry, &file.label, text, &entity, Some((&changed, raw.as_ref())), check.as_mut())
            }),
            Err(overlap) => {
                let message = format!("not saved: {overlap}");
                Outcome::Refused(Box::new(Diagnostic::new(Code::WriteFailed, message).in_file(&*file.label)))
            }
        }
    }
}

impl World {
    /// What the file of a subject has to say about components: those with a section, and those it does without.
    fn said_by(&self, subject: Subject) -> (Vec<Said<'_>>, Vec<&'static Class>) {
        let manager = self.manager_of(subject);
        let is_based = self.is_based(subject);
        let mut said = Vec::new();
        for (kind, value) in manager.components_of(subject.handle()) {
            let part = Part::Component(kind);
            let Some(class) = manager.component_class(kind) else { continue };
            let overrides = is_based.then(|| self.effective_overrides(subject, part));
            let has_section = self.says(subject, kind).is_some() || overrides.as_ref().is_none_or(|it| !it.is_empty());
            if has_section {
                said.push(Said { class, value, overrides, inherited: self.inherited_by(subject, part) });
            }
        }
        let without = self.said_components(subject).iter().filter(|(_, says)| *says == Says::Without);
        let without = without.filter_map(|&(kind, _)| manager.component_class(kind));
        (said, without.collect())
    }
}

/// A component that has a section.
struct Said<'w> {
    class: &'static Class,
    value: ErasedRef<'w>,
    overrides: Option<Cow<'w, Overrides>>,
    inherited: Option<ErasedRef<'w>>,
}

impl<'w> Said<'w> {
    fn text<'t>(&'t self, kept: Option<&'t Kept<'t>>) -> ComponentText<'t> {
        ComponentText {
            class: self.class,
            value: self.value,
            overrides: self.overrides.as_deref(),
            inherited: self.inherited,
            kept: kept.map(|kept| (&kept.changed, kept.raw)),
        }
    }
}

/// What a section of a file that was read says, against what the component is now.
struct Kept<'r> {
    changed: LeafSet,
    raw: ErasedRef<'r>,
}

impl<'r> Kept<'r> {
    /// For each of `components` the section that the file has of it.
    fn of(
        opened: &Opened<'_>,
        read: &Read,
        raw: &'r [OwnedValue],
        components: &[Said<'_>],
        stands_alone_now: bool,
    ) -> Vec<Option<Self>> {
        let by_class: HashMap<TypeIdentity, usize> =
            opened.components().enumerate().map(|(index, part)| (part.class().value_type_id(), index)).collect();
        let one = |said: &Said<'_>| {
            let index = *by_class.get(&said.class.value_type_id())?;
            let raw = raw.get(index)?.as_ref();
            let mut saved = OwnedValue::copy_of(raw);
            said.class.run_post_init(saved.as_mut());
            let mut changed = changed_leaves(saved.as_ref(), said.value);
            if stands_alone_now {
                // It says everything itself from now on.
                let overrides = read.components().get(index)?.overrides();
                (0..raw.ty().leaves()).filter(|&leaf| !overrides.contains(leaf)).for_each(|leaf| {
                    changed.insert(leaf);
                });
            }
            Some(Self { changed, raw })
        };
        components.iter().map(one).collect()
    }
}

/// The text the entity came from no longer reads: the program's classes cannot change while it runs, so an adapter or a migration did.
fn gone(file: &EntityFile) -> Outcome {
    let message = "not saved: the text this entity was read from is refused now";
    Outcome::Refused(Box::new(Diagnostic::new(Code::WriteFailed, message).in_file(&*file.label)))
}

fn checked(label: &str, out: Vec<u8>, verify: impl FnOnce(&str) -> Result<(), Box<Diagnostic>>) -> Outcome {
    match std::str::from_utf8(&out) {
        Ok(text) => match verify(text) {
            Ok(()) => Outcome::Changed(out),
            Err(diagnostic) => Outcome::Refused(diagnostic),
        },
        Err(error) => Outcome::Refused(Box::new(Diagnostic::new(Code::WriteFailed, error.to_string()).in_file(label))),
    }
}

impl Scratch {
    /// Three default values of a class: the saved one, the saved one as its text says, and the one that is read back.
    fn of(&mut self, world: &World, kind: u16) -> Option<&mut [OwnedValue; 3]> {
        let values = match self.values.entry(kind) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                let registry = world.manager.registry();
                let new = || OwnedValue::new(registry, kind).ok();
                entry.insert([new()?, new()?, new()?])
            }
        };
        values.iter_mut().for_each(OwnedValue::reset);
        Some(values)
    }
}
