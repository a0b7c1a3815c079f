//! A folder of texts → a world.
//!
//! ```text
//! list   the files of the folder, in a stable order                            one thread
//! read   each file: one open, one read, one close                              all threads
//! open   directives: class, template, id, versions                             all threads
//! chains templates that files name, each read once                             one thread
//! place  ids are settled, bases and rows allocated in the order of the list     one thread
//! fill   values are read straight into the rows                                 all threads
//! ```
//!
//! The result does not depend on the number of threads. A file with a fault costs its entity, never its neighbours', and stays as it is.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use juliet_core::archive::{
    FILE_LIMIT_BYTES, Findings, Inherit, Opened, TemplateLine, decode, open_with, read_component, read_values,
};
use juliet_core::class::ClassKind;
use juliet_core::diag::{Code, Diagnostic, Severity};
use juliet_core::entity::{EntityHandle, InstantiateError, Position};
use juliet_core::text::{Document, NodeKind, parse_integer};
use rayon::prelude::*;

use super::parts::Ledger;
use super::settings::{SETTINGS_FILE, read_settings};
use super::templates::Loaded;
use super::{EntityFile, TemplateHandle, World, report};
use crate::folder::{FileKind, Folder, ReadOutcome, derived_id, is_hidden, recover};
use crate::project::{Project, ProjectError};

/// How a world is loaded.
#[derive(Default)]
pub struct LoadOptions<'a> {
    /// Threads that read and parse; as many as the machine has cores if not said.
    pub threads: Option<NonZeroUsize>,
    /// How many entities fit; room for 100,000, or for twice the files if that is more.
    pub capacity: Option<u32>,
    /// How many templates fit; [`TEMPLATE_CAPACITY`](super::TEMPLATE_CAPACITY) if not said.
    pub template_capacity: Option<u16>,
    /// Called from any thread while files are read.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

/// How far a load is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Files that were read.
    pub files_read: usize,
    /// Files there are.
    pub file_count: usize,
}

/// What a load found.
#[derive(Debug, Default)]
pub struct LoadReport {
    /// Entities in the world.
    pub loaded: usize,
    /// Files that were left out, each with an error among the diagnostics.
    pub skipped: usize,
    /// Errors and warnings, sorted by file and line.
    pub diagnostics: Vec<Diagnostic>,
    /// Bytes of all files that were read.
    pub size_bytes: u64,
    /// Where the time went.
    pub timings: Timings,
}

/// Time of each step of a load.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// Listing the folder, and finishing a save that was cut off.
    pub list: Duration,
    /// Reading the files.
    pub read: Duration,
    /// Reading the directives.
    pub open: Duration,
    /// Settling ids and allocating.
    pub place: Duration,
    /// Reading the values.
    pub fill: Duration,
}

impl LoadReport {
    /// Whether a file was left out.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// A file to be read.
struct Listed {
    /// Index of its folder.
    folder: usize,
    name: OsString,
    /// With the project's prefix.
    label: Box<str>,
    symlink: bool,
}

pub(crate) fn load(
    project: &Project,
    folder: &str,
    options: &LoadOptions<'_>,
) -> Result<(World, LoadReport), ProjectError> {
    let Some(threads) = options.threads else { return load_here(project, folder, options) };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.get())
        .build()
        .map_err(|error| ProjectError::Threads(error.to_string().into()))?;
    pool.install(|| load_here(project, folder, options))
}

fn load_here(project: &Project, folder: &str, options: &LoadOptions<'_>) -> Result<(World, LoadReport), ProjectError> {
    let mut report = LoadReport::default();
    let mut clock = Instant::now();
    let mut lap = || std::mem::replace(&mut clock, Instant::now()).elapsed();
    let recovery = recover(project.file_system(), project.root())?;
    report.diagnostics.extend(report::recovery(&recovery, project.prefix()));
    let listing = Listing::of(project, folder, &mut report.diagnostics)?;
    report.skipped = listing.skipped;
    report.timings.list = lap();
    let read = read_all(project, &listing, options);
    let mut texts = Vec::with_capacity(read.len());
    // Ids after which files are named that belong to no entity of that id: a new entity would want the same file.
    let mut taken: Vec<u64> = Vec::new();
    // What can be read of files that are no text.
    let mut remains: Vec<Box<str>> = Vec::new();
    for (file, text) in listing.files.into_iter().zip(read) {
        match text {
            Ok(text) => texts.push(EntityFile { label: file.label, text, saved: true }),
            Err(Unread { why, text }) => {
                taken.extend(named_after(&file.label));
                report.refuse([*why]);
                remains.push(text);
            }
        }
    }
    report.size_bytes = texts.iter().map(|file| file.text.len() as u64).sum();
    report.timings.read = lap();
    let capacity = options.capacity.or_else(|| u32::try_from(texts.len() * 2).ok().filter(|&twice| twice > 100_000));
    let options = LoadOptions { capacity, ..*options };
    let mut world = World::in_folder(project.clone(), folder.into(), &options, false)?;
    let mut files: Vec<OpenedFile<'_>> = texts.par_iter().map(|file| open_one(project, file)).collect();
    open_instances(&mut world, &texts, &mut files, &mut report.diagnostics);
    report.timings.open = lap();
    world.reserved = taken;
    remains.iter().for_each(|text| world.reserve_ids_of(text));
    let handles = place(&mut world, &texts, &files, &mut report);
    report.timings.place = lap();
    let filled = fill(&mut world, files, &handles);
    settle(&mut world, texts, filled, &handles, &mut report);
    report.timings.fill = lap();
    let (list, found) = read_settings(project, folder);
    world.game.list = list;
    report.diagnostics.extend(found);
    report.diagnostics.sort_by(Diagnostic::report_order);
    report.loaded = world.len();
    Ok((world, report))
}

/// The files of a world in the order of their paths, and their folders.
struct Listing {
    folders: Vec<ListedFolder>,
    files: Vec<Listed>,
    /// Files that are not looked at, each told.
    skipped: usize,
}

struct ListedFolder {
    path: PathBuf,
    /// Held open, so that its files are found by name alone; not for all of a world of many folders.
    open: Option<Box<dyn Folder>>,
}

/// How many folders are held open: a process may have few files open, and most worlds have few folders.
const OPEN_FOLDERS: usize = 32;

impl Listing {
    fn of(project: &Project, folder: &str, diagnostics: &mut Vec<Diagnostic>) -> Result<Self, ProjectError> {
        let mut listing = Self { folders: Vec::new(), files: Vec::new(), skipped: 0 };
        let path = project.root().join(folder);
        if escapes(project, &path) {
            return Err(ProjectError::Escapes { path });
        }
        listing.add(project, folder, 0, diagnostics).map_err(|source| ProjectError::Folder { path, source })?;
        listing.files.sort_by(|a, b| a.label.cmp(&b.label));
        Ok(listing)
    }

    /// Adds the files of `folder` and of the folders in it. Names that begin with a dot belong to other tools.
    fn add(
        &mut self,
        project: &Project,
        folder: &str,
        depth: usize,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> std::io::Result<()> {
        let path = project.root().join(folder);
        let entries = project.file_system().list(&path)?;
        let index = self.folders.len();
        let open = if index < OPEN_FOLDERS { Some(project.file_system().open_folder(&path)?) } else { None };
        self.folders.push(ListedFolder { path: path.clone(), open });
        let below = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let before = format!("{}{below}", project.prefix());
        let label = |name: &str| [before.as_str(), name].concat();
        self.files.reserve(entries.len());
        for entry in entries {
            let Some(name) = entry.name.to_str() else {
                let name = entry.name.to_string_lossy();
                if name.ends_with(".jasset") || entry.kind == FileKind::Folder {
                    self.skipped += usize::from(entry.kind != FileKind::Folder);
                    let message = "the name is not UTF-8; what it stands for is not loaded";
                    diagnostics.push(Diagnostic::new(Code::ReadFailed, message).in_file(label(&name)));
                }
                continue;
            };
            if is_hidden(name) {
                continue;
            }
            match entry.kind {
                FileKind::Folder if depth < MAX_FOLDER_DEPTH => {
                    let below = format!("{below}{name}");
                    if let Err(error) = self.add(project, &below, depth + 1, diagnostics) {
                        let message = format!("the folder cannot be read: {error}");
                        diagnostics.push(Diagnostic::new(Code::ReadFailed, message).in_file(label(name)));
                    }
                }
                FileKind::File | FileKind::Symlink
                    if name.ends_with(".jasset") && (depth > 0 || name != SETTINGS_FILE) =>
                {
                    let symlink = entry.kind == FileKind::Symlink;
                    self.files.push(Listed { folder: index, label: label(name).into(), name: entry.name, symlink });
                }
                FileKind::Other if name.ends_with(".jasset") => {
                    self.skipped += 1;
                    let message = "there is something other than a file";
                    diagnostics.push(Diagnostic::new(Code::ReadFailed, message).in_file(label(name)));
                }
                FileKind::Folder => {
                    let message = format!("folders are not looked into beyond a depth of {MAX_FOLDER_DEPTH}");
                    diagnostics.push(Diagnostic::new(Code::ReadFailed, message).in_file(label(name)));
                }
                FileKind::Symlink if leads_to_folder(project, &path.join(name)) => {
                    let outside = escapes(project, &path.join(name));
                    let code = if outside { Code::SymlinkEscapes } else { Code::ReadFailed };
                    let message = "a link to a folder is not followed; files behind it are not loaded";
                    let warning = Diagnostic::new(code, message).severity(Severity::Warning);
                    diagnostics.push(warning.in_file(label(name)));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Whether there is a file that a load of the world in `folder` would look at.
pub(crate) fn has_files(project: &Project, folder: &str) -> Result<bool, ProjectError> {
    match Listing::of(project, folder, &mut Vec::new()) {
        Ok(listing) => Ok(!listing.files.is_empty() || listing.skipped > 0),
        Err(ProjectError::Folder { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// A file by its label, and its text or why it has none.
pub(crate) type FileText = (Box<str>, Result<Box<str>, Box<Diagnostic>>);

/// The texts of all `.jasset` files of a project but the settings of worlds, in the order of their paths. What is not looked at is told.
pub(crate) fn read_project(
    project: &Project,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<FileText>, ProjectError> {
    let mut listing = Listing::of(project, "", diagnostics)?;
    listing.files.retain(|file| file.name != SETTINGS_FILE);
    let texts = read_all(project, &listing, &LoadOptions::default());
    let labels = listing.files.into_iter().map(|file| file.label);
    Ok(labels.zip(texts).map(|(label, text)| (label, text.map_err(|unread| unread.why))).collect())
}

/// Whether a path leads out of the content folder by links; one that leads nowhere does not.
pub(super) fn escapes(project: &Project, path: &Path) -> bool {
    project.file_system().canonicalize(path).is_ok_and(|target| !target.starts_with(project.root()))
}

fn leads_to_folder(project: &Project, link: &Path) -> bool {
    let target = project.file_system().canonicalize(link).and_then(|target| project.file_system().status(&target));
    target.is_ok_and(|target| target.kind == FileKind::Folder)
}

/// Folders in folders; deeper ones are not entities of anybody.
const MAX_FOLDER_DEPTH: usize = 32;

type Text = Result<Box<str>, Unread>;

/// Why a file has no text, and what can be read of it all the same.
struct Unread {
    why: Box<Diagnostic>,
    text: Box<str>,
}

fn read_all(project: &Project, listing: &Listing, options: &LoadOptions<'_>) -> Vec<Text> {
    let (done, file_count) = (AtomicUsize::new(0), listing.files.len());
    listing
        .files
        .par_iter()
        .map_init(Vec::new, |buffer, file| {
            let text = read_one(project, listing, file, buffer);
            if let Some(progress) = options.progress {
                progress(Progress { files_read: done.fetch_add(1, Ordering::Relaxed) + 1, file_count });
            }
            text
        })
        .collect()
}

fn read_one(project: &Project, listing: &Listing, file: &Listed, buffer: &mut Vec<u8>) -> Text {
    let refused = |why: Diagnostic| Err(Unread { why: Box::new(why), text: "".into() });
    let refuse = |code, message: String| refused(Diagnostic::new(code, message).in_file(&*file.label));
    if file.symlink {
        let path = project.root().join(file.label.strip_prefix(project.prefix()).unwrap_or(&file.label));
        if escapes(project, &path) {
            return refuse(Code::SymlinkEscapes, "the link leaves the content folder".to_owned());
        }
    }
    let folder = &listing.folders[file.folder];
    let read = match &folder.open {
        Some(open) => open.read_into(&file.name, buffer, FILE_LIMIT_BYTES),
        None => project.file_system().read(&folder.path.join(&file.name), buffer, FILE_LIMIT_BYTES),
    };
    match read {
        Ok(ReadOutcome::Whole) => match decode(&file.label, buffer) {
            Ok(text) => Ok(text.into()),
            Err(why) => Err(Unread { why, text: String::from_utf8_lossy(buffer).into() }),
        },
        Ok(ReadOutcome::TooLarge { size_bytes }) => refused(report::too_large(&file.label, size_bytes)),
        Err(error) => refuse(Code::ReadFailed, format!("cannot be read: {error}")),
    }
}

/// A file whose directives were read.
struct OpenedFile<'a> {
    /// `None` if it is left out.
    opened: Option<Opened<'a>>,
    findings: Findings,
    /// The path of its template, as the file spells it.
    names: Option<&'a str>,
    template: Option<TemplateHandle>,
}

/// Reads the directives of one file. An instance is opened once its template is known.
fn open_one<'a>(project: &Project, file: &'a EntityFile) -> OpenedFile<'a> {
    let (mut findings, mut names) = (Findings::new(), None);
    let mut later = |line: &TemplateLine<'a>| {
        names = Some(line.path);
        Inherit::Later
    };
    let opened = open_with(project.registry(), &file.label, &file.text, &mut later, &mut findings);
    OpenedFile { opened, findings, names, template: None }
}

/// Reads the templates that files name, then the directives of their instances.
fn open_instances<'a>(
    world: &mut World,
    texts: &'a [EntityFile],
    files: &mut [OpenedFile<'a>],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let names: Vec<&str> = files.iter().filter_map(|file| file.names).collect();
    if names.is_empty() {
        return;
    }
    let loaded: Loaded = world.load_templates(names, diagnostics);
    let (registry, templates) = (world.registry(), &world.templates);
    files.par_iter_mut().zip(texts).filter(|(file, _)| file.names.is_some()).for_each(|(file, text)| {
        let OpenedFile { opened, findings, template, .. } = file;
        *findings = Findings::new();
        let mut inherit = |line: &TemplateLine<'a>| match loaded.get(line.path) {
            Some(Ok(handle)) => {
                *template = Some(*handle);
                templates.inherited(*handle).map_or(Inherit::Later, Inherit::From)
            }
            Some(Err(failure)) => Inherit::Refused(Box::new(failure.at(line))),
            None => Inherit::Later,
        };
        *opened = open_with(registry, &text.label, &text.text, &mut inherit, findings);
    });
}

/// Settles ids and allocates. `None` for a file that is left out.
fn place(
    world: &mut World,
    texts: &[EntityFile],
    files: &[OpenedFile<'_>],
    report: &mut LoadReport,
) -> Vec<Option<EntityHandle>> {
    let prefix = world.prefix().len();
    let ids: Vec<u64> = texts
        .iter()
        .zip(files)
        .map(|(file, OpenedFile { opened, .. })| {
            let below = file.label.get(prefix..).unwrap_or_default();
            opened.as_ref().map_or(0, |opened| opened.id().unwrap_or_else(|| derived_id(below)))
        })
        .collect();
    let owners = owners(texts, &ids);
    let names = texts.iter().map(|file| named_after(&file.label));
    world.reserved.extend(names.zip(&ids).filter_map(|(name, &id)| name.filter(|&name| name != id)));
    let mut full = None;
    let mut places = Vec::with_capacity(texts.len());
    for (index, OpenedFile { opened, findings, template, .. }) in files.iter().enumerate() {
        let Some(opened) = opened else {
            world.reserve_ids_of(&texts[index].text);
            places.push(None);
            continue;
        };
        let id = ids[index];
        let owner = owners.get(&id).copied().unwrap_or(index);
        if owner != index {
            report.refuse([duplicate_id(opened, id, &texts[owner])]);
            places.push(None);
            continue;
        }
        debug_assert!(findings.is_ok());
        let placed = place_one(world, opened, *template).map_err(|error| error.to_string());
        let placed = placed
            .and_then(|handle| world.manager.set_id(handle, id).map_err(|error| error.to_string()).map(|()| handle));
        match placed {
            Ok(handle) => places.push(Some(handle)),
            Err(error) => {
                world.reserved.push(id);
                full.get_or_insert((index, error, 0)).2 += 1;
                report.skipped += 1;
                places.push(None);
            }
        }
    }
    if let Some((index, error, count)) = full {
        let message = format!("{error}; {count} files from this one on are left out");
        let diagnostic = Diagnostic::new(Code::CapacityExceeded, message).in_file(&*texts[index].label);
        report.diagnostics.push(diagnostic.help("load the world with a larger `LoadOptions::capacity`"));
    }
    places
}

/// Allocates an entity that holds what it inherits.
fn place_one(
    world: &mut World,
    opened: &Opened<'_>,
    template: Option<TemplateHandle>,
) -> Result<EntityHandle, InstantiateError> {
    let handle = match template.and_then(|it| Some((world.templates.image(it)?, world.templates.position(it)?))) {
        Some((image, position)) => world.manager.instantiate(opened.kind(), image, position, 0)?,
        None => world.manager.allocate(opened.kind())?,
    };
    if let Err(error) = world.place_components(handle, opened, template) {
        let _ = world.manager.remove(handle);
        return Err(error.into());
    }
    Ok(handle)
}

/// For each id that stands in several files, the file that keeps it: the one named after the id, else the first path.
fn owners(texts: &[EntityFile], ids: &[u64]) -> HashMap<u64, usize> {
    // The usual folder has each id once. Its files are named after them, so that they come sorted already.
    let mut sorted: Vec<u64> = ids.iter().copied().filter(|&id| id != 0).collect();
    sorted.sort_unstable();
    if sorted.is_sorted_by(|a, b| a < b) {
        return HashMap::new();
    }
    let mut seen: HashMap<u64, usize> = HashMap::with_capacity(ids.len());
    let named = |index: usize| named_after(&texts[index].label) == Some(ids[index]);
    for (index, &id) in ids.iter().enumerate().filter(|&(_, &id)| id != 0) {
        match seen.entry(id) {
            Entry::Vacant(vacant) => drop(vacant.insert(index)),
            Entry::Occupied(mut first) if !named(*first.get()) && named(index) => drop(first.insert(index)),
            Entry::Occupied(_) => {}
        }
    }
    seen
}

/// The id a file is named after.
fn named_after(label: &str) -> Option<u64> {
    let name = label.rsplit_once('/').map_or(label, |(_, name)| name);
    parse_integer(name.strip_suffix(".jasset")?).ok()
}

#[cold]
fn duplicate_id(opened: &Opened<'_>, id: u64, owner: &EntityFile) -> Diagnostic {
    let message = format!("the id {id:#018x} belongs to {} already", owner.label);
    let place = juliet_core::diag::Source::new(&owner.label, &*owner.text);
    let mut nodes = Document::new(&owner.text).nodes();
    let at = nodes.find(|node| node.kind == NodeKind::Directive && node.name == "id").map_or(0, |node| node.value_at);
    opened
        .source()
        .diagnostic(Code::DuplicateId, opened.id_span(), message)
        .property("id")
        .found(format!("{id:#018x}"))
        .related(place.related(at, "this file keeps the id"))
        .help("give one of the two files another id, or remove it")
}

/// What reading the values of a file found.
struct Filled {
    findings: Findings,
    /// Of an instance: its template, and what it says itself.
    inherits: Option<(TemplateHandle, Ledger)>,
}

/// Reads the values of all placed files straight into their rows.
fn fill(world: &mut World, files: Vec<OpenedFile<'_>>, handles: &[Option<EntityHandle>]) -> Vec<Filled> {
    let live: Vec<EntityHandle> = handles.iter().flatten().copied().collect();
    let placed = || files.iter().zip(handles).filter_map(|(file, handle)| Some((file.opened.as_ref()?, (*handle)?)));
    let components = placed().flat_map(|(opened, handle)| opened.components().map(move |part| (handle, part.kind())));
    let components: Vec<(EntityHandle, ClassKind)> = components.collect();
    // Allocated one by one just now, so each handle is live and there once, with each of its components.
    let (rows, components) = world.manager.rows_and_components_mut(&live, &components).unwrap_or_default();
    let (mut rows, mut components) = (rows.into_iter(), components.into_iter());
    let rows = files.iter().zip(handles).map(|(file, handle)| {
        let row = handle.and_then(|_| rows.next());
        let count = file.opened.as_ref().filter(|_| row.is_some()).map_or(0, |opened| opened.components().count());
        (row, components.by_ref().take(count).collect::<Vec<_>>())
    });
    let rows: Vec<_> = rows.collect();
    files
        .into_par_iter()
        .zip(rows)
        .map(|(OpenedFile { opened, mut findings, template, .. }, (row, components))| {
            let mut inherits = None;
            if let (Some(opened), Some(mut row)) = (opened, row) {
                let mut read = read_values(&opened, row.value.reborrow(), &mut findings);
                if let Some([x, y, z, _]) = read.position {
                    *row.position = Position::new(x, y, z);
                }
                for (part, mut value) in opened.components().zip(components) {
                    read.add_component(read_component(&opened, part, value.reborrow(), &mut findings));
                    if findings.is_ok() {
                        part.class().run_post_init(value);
                    }
                }
                inherits = template.map(|template| (template, Ledger::of(&opened, &read)));
                if findings.is_ok() {
                    opened.class().run_post_init(row.value);
                }
            }
            Filled { findings, inherits }
        })
        .collect()
}

/// Takes out what turned out to be faulty and remembers the files of the rest.
fn settle(
    world: &mut World,
    texts: Vec<EntityFile>,
    filled: Vec<Filled>,
    handles: &[Option<EntityHandle>],
    report: &mut LoadReport,
) {
    for ((file, Filled { findings, inherits }), &handle) in texts.into_iter().zip(filled).zip(handles) {
        let is_ok = findings.is_ok();
        if !findings.is_empty() {
            report.skipped += usize::from(!is_ok);
            report.diagnostics.extend(findings.into_diagnostics(&file.label));
        }
        let Some(handle) = handle else { continue };
        if is_ok {
            if let Some((template, ledger)) = inherits {
                world.move_to_template(handle, Some(template), ledger);
            }
            let _ = world.manager.mark_clean(handle);
            world.set_file(handle, file);
        } else {
            world.reserved.extend(world.manager.base(handle).map(|base| base.id()));
            let _ = world.manager.remove(handle);
        }
    }
}

impl LoadReport {
    /// One more file is left out.
    fn refuse(&mut self, why: impl IntoIterator<Item = Diagnostic>) {
        self.skipped += 1;
        self.diagnostics.extend(why);
    }
}
