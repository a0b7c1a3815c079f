//! Files → templates: the chain above a template, once; and again when files changed.
//!
//! ```text
//! path ──► known? ──► its slot
//!           │ no
//!           ▼ read the file, follow `; template`, until a known template, one without a template, or a fault
//!          from the top down: image = parent's image, then the values of the file
//! ```

use std::collections::HashMap;

use juliet_core::archive::{
    FILE_LIMIT_BYTES, Findings, Inherit, Opened, TemplateLine, changed_leaves, class_line, decode, open_with,
    read_components, read_values,
};
use juliet_core::class::{ClassKind, value};
use juliet_core::diag::{Code, Diagnostic, Related};
use juliet_core::entity::Position;
use juliet_core::mem::OwnedValue;

use super::{TEMPLATE_CAPACITY, TEMPLATE_DEPTH, TEMPLATE_FOLDER, TemplateHandle};
use crate::folder::{CONTENT_ROOT, ReadOutcome, Spelling, real_path};
use crate::project::Project;
use crate::world::parts::Ledger;
use crate::world::{EntityFile, World, report};

/// How many templates of a ring are named.
const RING_NAMES: usize = 2 * TEMPLATE_DEPTH;

/// Why a template cannot be used: for those who name it.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    why: Box<str>,
    /// Where the cause is, if it is in a file.
    place: Option<Related>,
}

/// The templates that a set of files names, as they spell them.
pub(crate) type Loaded = HashMap<Box<str>, Result<TemplateHandle, Failure>>;

/// A template cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
#[error("the template `{path}` cannot be used: {why}")]
pub struct TemplateError {
    /// The path that was asked for.
    pub path: Box<str>,
    /// The cause in a sentence.
    pub why: Box<str>,
    /// What is wrong in the files of the template and of those above it.
    pub diagnostics: Vec<Diagnostic>,
}

/// What reading templates again found.
#[derive(Debug, Default)]
#[must_use = "it says which templates could not be read"]
pub struct RereadReport {
    /// Templates whose file had changed and was taken in.
    pub changed: Vec<TemplateHandle>,
    /// Why others stay as they were, and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

impl Failure {
    fn new(why: impl Into<Box<str>>) -> Self {
        Self { why: why.into(), place: None }
    }

    /// The cause, if it is in no file, so that only those tell it who asked for the template.
    pub(in crate::world) fn untold(&self) -> Option<&str> {
        if self.place.is_none() { Some(&self.why) } else { None }
    }

    /// The diagnostic of a file that names the template.
    pub(crate) fn at(&self, line: &TemplateLine<'_>) -> Diagnostic {
        let diagnostic = line.refuse(&self.why);
        match &self.place {
            Some(place) => diagnostic.related(place.clone()),
            None => diagnostic,
        }
    }
}

/// One file on the way up.
struct Link {
    path: Box<str>,
    file: EntityFile,
    /// Findings so far, and what it names, resolved.
    findings: Findings,
}

/// How the way up ended.
enum Top {
    /// With a template that is known, or the last file names none.
    Known(Option<TemplateHandle>),
    /// The last file names something that cannot be used.
    Failed(Failure),
    /// The last file names the one at this place again.
    Ring(usize),
}

impl World {
    /// The template in the file at `path`, from `Assets/Templates/` on. It is read if it is not known yet, with those it is based on; one
    /// that could not be used before is tried again.
    ///
    /// # Errors
    /// [`TemplateError`] with the diagnostics of all files on the way.
    pub fn load_template(&mut self, path: &str) -> Result<TemplateHandle, TemplateError> {
        let mut diagnostics = Vec::new();
        // What failed may have been mended, made, or given room since.
        self.templates.failures.clear();
        let found = self.load_templates([path], &mut diagnostics).remove(path);
        match found.unwrap_or_else(|| Err(Failure::new("it was not looked for"))) {
            Ok(handle) => Ok(handle),
            Err(failure) => Err(TemplateError { path: path.into(), why: failure.why, diagnostics }),
        }
    }

    /// The template at `path`, if a file named it, it was loaded or made. O(length).
    pub fn find_template(&self, path: &str) -> Option<TemplateHandle> {
        self.templates.find(&crate::folder::normalise(path).ok()?).ok()?
    }

    /// Reads the templates that files name; each that fails is told once.
    pub(in crate::world) fn load_templates<'p>(
        &mut self,
        paths: impl IntoIterator<Item = &'p str>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Loaded {
        let project = self.project.clone();
        let mut spelling = project.as_ref().map(|project| Spelling::new(project.file_system(), project.root()));
        let mut loaded = Loaded::new();
        for path in paths {
            if !loaded.contains_key(path) {
                let found = self.load_chain(path, project.as_ref(), &mut spelling, diagnostics);
                loaded.insert(path.into(), found);
            }
        }
        loaded
    }

    fn load_chain(
        &mut self,
        spelled: &str,
        project: Option<&Project>,
        spelling: &mut Option<Spelling<'_>>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<TemplateHandle, Failure> {
        let first = self.resolve_template(spelled, spelling)?;
        let mut links: Vec<Link> = Vec::new();
        let mut seen: HashMap<Box<str>, usize> = HashMap::new();
        let mut next = first.clone();
        // However long it is, it is read to its top: what is near the top can be used, whoever asks first.
        let top = loop {
            match self.known(&next) {
                Ok(Some(handle)) => break Top::Known(Some(handle)),
                Ok(None) => {}
                Err(failure) => break Top::Failed(failure),
            }
            if let Some(&at) = seen.get(&next) {
                break Top::Ring(at);
            }
            seen.insert(next.clone(), links.len());
            let Some(project) = project else { break Top::Failed(Failure::new("the world has no folder")) };
            match read_file(project, &next) {
                Ok(file) => links.push(Link { path: next, file, findings: Findings::new() }),
                Err(diagnostic) => {
                    let failure = Failure::of(&diagnostic);
                    self.templates.failures.insert(next, failure.clone());
                    diagnostics.push(*diagnostic);
                    break Top::Failed(failure);
                }
            }
            let Some(link) = links.last() else { break Top::Known(None) };
            match template_of(&link.file).map(|spelled| self.resolve_template(spelled, spelling)) {
                None => break Top::Known(None),
                Some(Ok(path)) => next = path,
                Some(Err(failure)) => break Top::Failed(failure),
            }
        };
        self.build_chain(links, top, diagnostics)?;
        self.known(&first)?.ok_or_else(|| Failure::new("it was not found again"))
    }

    /// A known template, or one that is known to fail.
    fn known(&self, path: &str) -> Result<Option<TemplateHandle>, Failure> {
        if let Some(failure) = self.templates.failures.get(path) {
            return Err(failure.clone());
        }
        self.templates.find(path).map_err(|other| {
            let why = format!("`{path}` has the same CRC-32 as `{other}`, which is in use; rename one of the two");
            Failure::new(why)
        })
    }

    /// The one path that a spelling means.
    fn resolve_template(&self, spelled: &str, spelling: &mut Option<Spelling<'_>>) -> Result<Box<str>, Failure> {
        // What is known need not be looked for on disk; it may not be there yet.
        if let Ok(path) = crate::folder::normalise(spelled)
            && matches!(self.templates.find(&path), Ok(Some(_)))
        {
            return Ok(path.into());
        }
        let path: Box<str> = match spelling {
            Some(spelling) => spelling.resolve(spelled).map_err(|fault| Failure::new(fault.to_string()))?.logical,
            None => crate::folder::normalise(spelled).map_err(|fault| Failure::new(fault.to_string()))?.into(),
        };
        if path.starts_with(TEMPLATE_FOLDER) && path.ends_with(".jasset") {
            return Ok(path);
        }
        Err(Failure::new(format!("templates are `.jasset` files below `{TEMPLATE_FOLDER}`")))
    }

    /// From the top down: what is above is there when what is below inherits it.
    fn build_chain(
        &mut self,
        mut links: Vec<Link>,
        top: Top,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Result<(), Failure> {
        let mut above = match top {
            Top::Known(handle) => Ok(handle),
            Top::Failed(failure) => Err(failure),
            Top::Ring(at) => Err(self.refuse_ring(links.split_off(at), diagnostics)),
        };
        while let Some(mut link) = links.pop() {
            above = match above {
                Ok(Some(parent)) if self.templates.depth(parent) >= TEMPLATE_DEPTH => Err(link.refuse(&too_deep())),
                Ok(parent) => self.build_template(&mut link, parent).map(Some),
                Err(failure) => Err(link.refuse(&failure)),
            };
            if let Err(failure) = &above {
                self.templates.failures.insert(link.path.clone(), failure.clone());
            }
            diagnostics.extend(link.findings.into_diagnostics(&link.file.label));
        }
        above.map(|_| ())
    }

    fn refuse_ring(&mut self, mut ring: Vec<Link>, diagnostics: &mut Vec<Diagnostic>) -> Failure {
        // The same report, whichever file led into the ring.
        let first = (0..ring.len()).min_by_key(|&index| &ring[index].path).unwrap_or_default();
        ring.rotate_left(first);
        let names: Vec<&str> = ring.iter().chain(ring.first()).map(|link| &*link.path).collect();
        // Every file that names one of them repeats this.
        let why = match names.get(..RING_NAMES) {
            Some(first) => format!("template cycle: {} → … ({} templates)", first.join(" → "), ring.len()),
            None => format!("template cycle: {}", names.join(" → ")),
        };
        let mut failure = Failure::new(why.clone());
        let mut told: Option<Diagnostic> = None;
        for link in &ring {
            let mut place = |line: &TemplateLine<'_>| {
                let diagnostic = line.refuse(&why);
                let place = line.related(format!("names `{}`", line.path));
                told = Some(match told.take() {
                    None => {
                        failure.place = Some(place);
                        Diagnostic { code: Code::TemplateCycle, message: why.as_str().into(), ..diagnostic }
                    }
                    Some(first) => first.related(place),
                });
                Inherit::Later
            };
            open_with(self.registry(), &link.file.label, &link.file.text, &mut place, &mut Findings::new());
        }
        diagnostics.extend(told.map(|it| it.help("take one of the `; template` lines out of the ring")));
        for link in ring {
            self.templates.failures.insert(link.path, failure.clone());
        }
        failure
    }

    /// Reads one template whose parent is there.
    fn build_template(&mut self, link: &mut Link, parent: Option<TemplateHandle>) -> Result<TemplateHandle, Failure> {
        let findings = &mut link.findings;
        let inherited = parent.and_then(|parent| self.templates.inherited(parent));
        let mut inherit = |line: &TemplateLine<'_>| match inherited {
            Some(inherited) => Inherit::From(inherited),
            None => Inherit::Refused(Box::new(line.refuse("it is not there"))),
        };
        let registry = self.registry();
        let opened = open_with(registry, &link.file.label, &link.file.text, &mut inherit, findings);
        let Some(opened) = opened.map(Opened::as_template) else { return Err(link.failed()) };
        let scratch = OwnedValue::new(registry, opened.kind()).map_err(|error| Failure::new(error.to_string()))?;
        let mut scratch = scratch;
        if let Some(image) = parent.and_then(|parent| self.templates.image(parent)) {
            value::assign(scratch.as_mut(), image);
        }
        let mut read = read_values(&opened, scratch.as_mut(), findings);
        let images = &self.templates.images;
        let inherited = |kind| images.component_value(parent?.0, kind);
        let components = read_components(&opened, &mut read, &inherited, findings);
        if !findings.is_ok() {
            return Err(link.failed());
        }
        let components: Vec<_> = opened.components().map(|part| part.kind()).zip(components).collect();
        let Ledger { overrides, components: said } = Ledger::of(&opened, &read);
        // One above it may have taken the place since this one was looked for.
        self.known(&link.path)?;
        let Some(handle) = self.templates.insert(&link.path, opened.kind(), parent) else {
            let why = format!(
                "the world holds {} templates, which is all it has room for (usually {TEMPLATE_CAPACITY})",
                self.templates.images.len()
            );
            return Err(Failure::new(why));
        };
        // A file that was to be removed stays, since it is in use again.
        self.templates.removed.retain(|file| file.label != link.file.label);
        if let Some(image) = self.templates.images.value_mut_unmarked(handle.0) {
            value::assign(image, scratch.as_ref());
        }
        self.place_template(handle, read.position);
        if let Some(template) = self.templates.get_mut(handle) {
            template.file = Some(link.file.clone());
            template.overrides = overrides;
            template.components = said;
        }
        self.put_components(handle, components);
        let _ = self.templates.images.mark_clean(handle.0);
        Ok(handle)
    }

    /// Gives a template the components that its file says, and all others as what is above has them. What is below follows.
    fn put_components(&mut self, handle: TemplateHandle, said: Vec<(ClassKind, OwnedValue)>) {
        for (kind, new) in said {
            let images = &mut self.templates.images;
            let changed = match images.component_value_mut_unmarked(handle.0, kind) {
                Some(image) => {
                    let differs = !value::same(image.as_ref(), new.as_ref());
                    value::assign(image, new.as_ref());
                    differs
                }
                None => {
                    let added = images.add_with(handle.0, kind, |to| {
                        value::assign(to, new.as_ref());
                    });
                    added.unwrap_or_default()
                }
            };
            if changed {
                self.pass_component_on(handle, kind);
            }
        }
        self.follow_components(handle.into());
    }

    /// Reads the files of all templates again and takes in what changed: every instance follows in what it does not override.
    ///
    /// A file that cannot be read, has a fault, names another class, or belongs to a template with changes that were not saved leaves its
    /// template as it was. One file is opened for each template, none for an instance.
    pub fn reread_templates(&mut self) -> RereadReport {
        let mut report = RereadReport::default();
        // Files that failed may have been mended.
        self.templates.failures.clear();
        let mut all: Vec<(usize, TemplateHandle)> =
            self.templates.iter().map(|it| (self.templates.depth(it.handle), it.handle)).collect();
        // What is above first: what is below inherits it.
        all.sort_by_key(|&(depth, handle)| (depth, handle.0.index()));
        let mut due: Vec<TemplateHandle> = all.into_iter().map(|(_, handle)| handle).collect();
        // What would close a ring may not once the others of the ring have changed, too: templates that swapped places.
        for round in 1..=TEMPLATE_DEPTH {
            let (before, mut rings) = (report.changed.len(), Vec::new());
            for handle in due {
                match self.reread(handle, &mut report.diagnostics) {
                    Ok(true) => report.changed.push(handle),
                    Ok(false) => {}
                    Err(diagnostic) if diagnostic.code == Code::TemplateCycle => rings.push((handle, diagnostic)),
                    Err(diagnostic) => report.diagnostics.push(*diagnostic),
                }
            }
            if report.changed.len() == before || round == TEMPLATE_DEPTH {
                report.diagnostics.extend(rings.into_iter().map(|(_, diagnostic)| *diagnostic));
                break;
            }
            due = rings.into_iter().map(|(handle, _)| handle).collect();
        }
        report.diagnostics.sort_by(Diagnostic::report_order);
        report
    }

    fn reread(&mut self, handle: TemplateHandle, diagnostics: &mut Vec<Diagnostic>) -> Result<bool, Box<Diagnostic>> {
        let Some(project) = self.project.clone() else { return Ok(false) };
        let Some((path, old)) = self.templates.get(handle).and_then(|it| Some((it.path.clone(), it.file.clone()?)))
        else {
            return Ok(false);
        };
        let file = read_file(&project, &path)?;
        if file.text == old.text {
            return Ok(false);
        }
        let stays = |code, why: &str| {
            let message = format!("the file changed on disk, {why}; the template stays as it was");
            Box::new(Diagnostic::new(code, message).in_file(&*file.label))
        };
        if self.is_dirty(handle) {
            return Err(stays(Code::ChangedOnDisk, "and the template was changed here and not saved"));
        }
        let parent = match template_of(&file) {
            None => None,
            Some(spelled) => {
                let found = self.load_templates([spelled], diagnostics).remove(spelled);
                match found.unwrap_or_else(|| Err(Failure::new("it was not looked for"))) {
                    Ok(parent) => Some(parent),
                    Err(failure) => return Err(told_at_template(&file, &failure)),
                }
            }
        };
        if let Some(why) = parent.and_then(|parent| self.parent_fault(handle, parent)) {
            let told = told_at_template(&file, &Failure::new(why.clone()));
            let message = format!("{why}; the template stays as it was").into();
            return Err(Box::new(Diagnostic { code: Code::TemplateCycle, message, ..*told }));
        }
        let (kind, class) = self.templates.class_of(handle).ok_or_else(|| stays(Code::ReadFailed, "and is gone"))?;
        let mut findings = Findings::new();
        let inherited = parent.and_then(|parent| self.templates.inherited(parent));
        let mut inherit = |_: &TemplateLine<'_>| inherited.map_or(Inherit::Later, Inherit::From);
        let opened = open_with(self.registry(), &file.label, &file.text, &mut inherit, &mut findings);
        let opened = opened.map(Opened::as_template);
        let mut scratch =
            OwnedValue::new(self.registry(), kind).map_err(|error| stays(Code::ReadFailed, &error.to_string()))?;
        if let Some(image) = parent.and_then(|parent| self.templates.image(parent)) {
            value::assign(scratch.as_mut(), image);
        }
        let images = &self.templates.images;
        let above = |kind| images.component_value(parent?.0, kind);
        let read = opened.as_ref().map(|opened| {
            let mut read = read_values(opened, scratch.as_mut(), &mut findings);
            let components = read_components(opened, &mut read, &above, &mut findings);
            let components: Vec<_> = opened.components().map(|part| part.kind()).zip(components).collect();
            (Ledger::of(opened, &read), read, components)
        });
        let is_ok = findings.is_ok();
        diagnostics.extend(findings.into_diagnostics(&file.label));
        let Some((ledger, read, components)) = read.filter(|_| is_ok) else {
            return Err(stays(Code::TemplateUnavailable, "and cannot be used as it is"));
        };
        debug_assert_eq!(opened.map(|opened| opened.class()), Some(class));
        let named = class_line(&file.text).map(|node| node.value);
        let named = named.or_else(|| parent.and_then(|parent| self.templates.unknown_class_of(parent)));
        if !class.is_known() && named != self.templates.unknown_class_of(handle) {
            return Err(stays(Code::ClassMismatch, "and names another class"));
        }
        let changed = match self.templates.image(handle) {
            Some(image) => changed_leaves(image, scratch.as_ref()),
            None => return Ok(false),
        };
        self.settle_below(handle);
        self.set_parent(handle, parent);
        if let Some(template) = self.templates.get_mut(handle) {
            template.overrides = ledger.overrides;
            template.components = ledger.components;
            template.file = Some(file);
        }
        self.place_template(handle, read.position);
        self.put_image(handle, &scratch, &changed);
        self.put_components(handle, components);
        let _ = self.templates.images.mark_clean(handle.0);
        Ok(true)
    }

    /// Puts a template where its file says; one that says nothing is where its parent is.
    fn place_template(&mut self, handle: TemplateHandle, said: Option<[f32; 4]>) {
        let above = || self.templates.position(self.templates.get(handle)?.parent?);
        let to = match said {
            Some([x, y, z, _]) => Position::new(x, y, z),
            None => above().unwrap_or_default(),
        };
        let is_moved = self.templates.position(handle).is_some_and(|old| !is_same_place(old, to));
        if is_moved {
            self.hold_places(handle);
        }
        if let Some(mut place) = self.templates.images.position_mut(handle.0) {
            *place = to;
        }
    }
}

/// Bit for bit.
fn is_same_place(a: Position, b: Position) -> bool {
    a.to_array().map(f32::to_bits) == b.to_array().map(f32::to_bits)
}

impl Link {
    /// What those who name this template are told after it turned out to be faulty.
    fn failed(&self) -> Failure {
        match self.findings.first_error() {
            Some(error) => Failure::of(error),
            None => Failure::new("it is faulty"),
        }
    }

    /// The template this one names cannot be used.
    ///
    /// Those further down are told the cause alone: a text for each level between would grow with the square of their number.
    fn refuse(&mut self, failure: &Failure) -> Failure {
        let told = *told_at_template(&self.file, failure);
        let below = if failure.place.is_some() { failure.clone() } else { Failure::of(&told) };
        self.findings.error(told);
        below
    }
}

impl Failure {
    /// What a diagnostic of a template's file means for those who name it.
    fn of(diagnostic: &Diagnostic) -> Self {
        let Diagnostic { message, file, line, column, .. } = diagnostic;
        let place = Related { file: file.clone(), line: *line, column: *column, label: message.to_string().into() };
        let at = if *line == 0 { file.to_string() } else { format!("{file}:{line}") };
        Self { why: format!("{message} ({at})").into(), place: Some(place) }
    }
}

fn too_deep() -> Failure {
    Failure::new(format!("more than {TEMPLATE_DEPTH} templates are based on one another"))
}

/// The path that a file names as its template, as it spells it.
pub(in crate::world) fn template_of<'f>(file: &'f EntityFile) -> Option<&'f str> {
    let mut path = None;
    let mut note = |line: &TemplateLine<'f>| {
        path = Some(line.path);
        Inherit::Later
    };
    open_with(&juliet_core::ClassRegistry::new(), "", &file.text, &mut note, &mut Findings::new());
    path
}

/// What the file of a template says of the one it names, which cannot be used.
fn told_at_template(file: &EntityFile, failure: &Failure) -> Box<Diagnostic> {
    let mut told = None;
    let mut note = |line: &TemplateLine<'_>| {
        told = Some(failure.at(line));
        Inherit::Later
    };
    open_with(&juliet_core::ClassRegistry::new(), &file.label, &file.text, &mut note, &mut Findings::new());
    let unplaced = || Diagnostic::new(Code::TemplateUnavailable, &*failure.why).in_file(&*file.label);
    Box::new(told.unwrap_or_else(unplaced))
}

fn read_file(project: &Project, path: &str) -> Result<EntityFile, Box<Diagnostic>> {
    let below = path.strip_prefix(CONTENT_ROOT).unwrap_or(path).trim_start_matches('/');
    let label: Box<str> = format!("{}{below}", project.prefix()).into();
    let mut bytes = Vec::new();
    match project.file_system().read(&real_path(project.root(), path), &mut bytes, FILE_LIMIT_BYTES) {
        Ok(ReadOutcome::Whole) => {}
        Ok(ReadOutcome::TooLarge { size_bytes }) => return Err(Box::new(report::too_large(&label, size_bytes))),
        Err(error) => {
            let message = format!("cannot be read: {error}");
            return Err(Box::new(Diagnostic::new(Code::ReadFailed, message).in_file(label)));
        }
    }
    let text = decode(&label, &bytes)?.into();
    Ok(EntityFile { label, text, saved: true })
}
