//! The owner of all assets of a project: who is asked for them, and who takes in what other threads have loaded.

use std::any::{TypeId, type_name};
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::sync::Arc;

use juliet_core::class::shape::AssetRef;
use juliet_core::diag::{Code, Diagnostic, Related};

use super::handle::{AnyHandle, AnySlot, Handle, LoadState, Slot};
use super::jobs::{Done, Jobs, Outcome};
use super::loader::{AnyAsset, AnyLoader, Asset, AssetLoader};
use super::look::{Loaded, Lookup, Seen, fault, guarded};
use super::progress::{Amount, AssetProgress};
use super::{ImageLoader, ObjLoader};
use crate::folder::normalise;
use crate::project::{Project, ProjectError};

/// How assets are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssetOptions {
    /// Threads that read and decode. With 0 all work is done in [`Assets::run_one`] and [`Assets::wait`]: for tests, and for programs
    /// with threads of their own.
    pub threads: usize,
    /// The largest file that is read, in bytes.
    pub file_limit_bytes: u64,
}

impl Default for AssetOptions {
    /// One thread less than the machine has cores, from one to four; files of up to 256 MiB.
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { threads: cores.saturating_sub(1).clamp(1, 4), file_limit_bytes: 256 << 20 }
    }
}

/// What has changed since the last report.
#[derive(Debug, Default)]
pub struct AssetReport {
    /// Paths whose handles show a new value, sorted.
    pub changed: Vec<Arc<str>>,
    /// Why assets could not be loaded, sorted by file. Each failure is told once, however often the file is looked at.
    pub diagnostics: Vec<Diagnostic>,
}

/// The meshes, textures and other assets of a project, loaded on background threads.
///
/// Nothing but [`wait`](Self::wait) and the drop waits for a thread or touches the disk. Handles are asked for with [`load`](Self::load) and change in
/// [`update`](Self::update), which a game calls once a frame.
///
/// Dropping it ends its threads: what was not begun is not done, what was begun is waited for.
pub struct Assets {
    jobs: Jobs,
    /// In the order in which they became known.
    pub(super) types: Vec<TypeTable>,
    /// By number, in the order in which they were asked for.
    entries: BTreeMap<u64, Entry>,
    next_id: u64,
    /// What the next update hands to the threads.
    asked: Vec<Lookup>,
    /// Entries that wait for a result.
    pending: usize,
    done: Amount,
    failed: Amount,
}

/// What is known of one type of assets.
pub(super) struct TypeTable {
    pub(super) id: TypeId,
    pub(super) name: &'static str,
    placeholder: AnyAsset,
    empty_slot: fn(Arc<str>, &AnyAsset) -> Arc<dyn AnySlot>,
    /// Extensions in lower case; the last loader that has one wins.
    loaders: Vec<(Vec<String>, Arc<dyn AnyLoader>)>,
    paths: HashMap<Arc<str>, u64>,
}

/// One asset.
struct Entry {
    slot: Arc<dyn AnySlot>,
    /// Its place in [`Assets::types`].
    ty: usize,
    is_pending: bool,
    seen: Option<Seen>,
    fault: Option<Diagnostic>,
    /// Who named it first.
    origin: Option<Related>,
}

impl Assets {
    /// Starts the threads for the assets of `project`, with loaders for meshes ([`ObjLoader`]) and textures ([`ImageLoader`]).
    ///
    /// # Errors
    /// [`ProjectError::Threads`] if a thread cannot be started.
    pub fn open(project: &Project) -> Result<Self, ProjectError> {
        Self::open_with(project, AssetOptions::default())
    }

    /// As [`open`](Self::open), with a number of threads or another limit.
    ///
    /// # Errors
    /// [`ProjectError::Threads`] if a thread cannot be started.
    pub fn open_with(project: &Project, options: AssetOptions) -> Result<Self, ProjectError> {
        let jobs = Jobs::start(project.clone(), options.threads, options.file_limit_bytes)
            .map_err(|error| ProjectError::Threads(error.to_string().into()))?;
        let mut assets = Self {
            jobs,
            types: Vec::new(),
            entries: BTreeMap::new(),
            next_id: 0,
            asked: Vec::new(),
            pending: 0,
            done: Amount::default(),
            failed: Amount::default(),
        };
        assets.add_loader(ObjLoader::default());
        assets.add_loader(ImageLoader::default());
        Ok(assets)
    }

    /// Adds a loader. It wins over those that were added before and make the same type from files of the same extension, in all loads
    /// from now on. What is loaded stays; what had failed is tried again when changes are looked for next.
    ///
    /// # Panics
    /// If [`Asset::placeholder`] does, for the first loader of a type, or [`AssetLoader::extensions`]; nothing is added then.
    pub fn add_loader<L: AssetLoader>(&mut self, loader: L) {
        let extensions = loader.extensions().iter().map(|it| it.to_ascii_lowercase()).collect();
        let ty = self.type_of::<L::Asset>();
        self.types[ty].loaders.push((extensions, Arc::new(loader)));
        for entry in self.entries.values_mut().filter(|entry| entry.ty == ty && entry.fault.is_some()) {
            entry.seen = None;
        }
    }

    /// The handle of the asset of type `T` at `path`, such as `Assets/Meshes/Rock.obj`. One path is loaded once, however it is written.
    ///
    /// The load begins with the next [`update`](Self::update), together with all that was asked for since the last one. A path that is no path, is not
    /// there or is there in another case gives a handle too, which fails. O(length of the path).
    ///
    /// # Panics
    /// If [`Asset::placeholder`] does, for the first handle of a type.
    pub fn load<T: Asset>(&mut self, path: &str) -> Handle<T> {
        let ty = self.type_of::<T>();
        let handle = self.load_as(ty, path, || None);
        handle.typed().expect("the slots of a type are those of its values")
    }

    /// The handle of what a property refers to; `None` if that is nothing.
    ///
    /// # Panics
    /// As [`load`](Self::load).
    pub fn load_ref<T: Asset>(&mut self, reference: AssetRef<T>) -> Option<Handle<T>> {
        (!reference.is_none()).then(|| self.load(reference.path()))
    }

    /// As [`load`](Self::load), by the place of the type; `origin` is asked if the path is new.
    pub(super) fn load_as(&mut self, ty: usize, path: &str, origin: impl FnOnce() -> Option<Related>) -> AnyHandle {
        let normal = normalise(path);
        let path = normal.as_deref().unwrap_or(path);
        if let Some(entry) = self.types[ty].paths.get(path).and_then(|id| self.entries.get_mut(id)) {
            return AnyHandle::new(entry.slot.clone());
        }
        let (id, path) = (self.next_id, Arc::<str>::from(path));
        self.next_id += 1;
        let table = &mut self.types[ty];
        let slot = (table.empty_slot)(path.clone(), &table.placeholder);
        let loader = table.loader_for(&path);
        table.paths.insert(path.clone(), id);
        let origin = origin();
        let entry = Entry { slot: slot.clone(), ty, is_pending: true, seen: None, fault: None, origin };
        self.entries.insert(id, entry);
        self.asked.push(Lookup { id, path, loader, seen: None, is_first: true });
        self.pending += 1;
        self.jobs.total().add(Amount { count: 1, size_bytes: 0 });
        AnyHandle::new(slot)
    }

    /// Begins what was asked for, and shows what has been loaded since the last call. Never waits. O(results).
    pub fn update(&mut self) -> AssetReport {
        self.begin();
        let mut report = AssetReport::default();
        while let Some(done) = self.jobs.take() {
            self.take_in(done, &mut report);
        }
        report.sorted()
    }

    /// Waits until all that was asked for is loaded or has failed, and helps with it: for tools and loading screens without a picture.
    pub fn wait(&mut self) -> AssetReport {
        self.begin();
        let mut report = AssetReport::default();
        while self.pending > 0 {
            let done = match self.jobs.take() {
                None if self.jobs.run_one() => continue,
                None => self.jobs.wait(),
                done => done,
            };
            self.take_in(done.unwrap_or_default(), &mut report);
        }
        report.sorted()
    }

    /// Does one piece of the work of the threads on this one; `false` if none is waiting to be begun.
    pub fn run_one(&mut self) -> bool {
        self.jobs.run_one()
    }

    /// Has all files looked at again: what changed is loaded anew, handles stay the same and show the new value in a later [`update`](Self::update). What was
    /// missing and is there now is loaded too. Returns how many are looked at: none that is still waited for.
    ///
    /// A file that cannot be loaded any more, is cut off or gone, keeps the value it had, and is told once. No file is opened whose length and time of
    /// change are those of before, unless it was read within two seconds of its change: then a second change could have the same time.
    /// O(assets) here, without a look at the disk; on one of the threads a listing of each folder and a question for each file.
    pub fn poll_changes(&mut self) -> usize {
        let mut count = 0;
        for (&id, entry) in self.entries.iter_mut().filter(|(_, entry)| !entry.is_pending) {
            entry.is_pending = true;
            count += 1;
            let path = entry.slot.path().clone();
            let loader = self.types[entry.ty].loader_for(&path);
            self.asked.push(Lookup { id, path, loader, seen: entry.seen, is_first: false });
        }
        self.pending += count;
        self.begin();
        count
    }

    /// Forgets all assets that no handle is left of, and returns how many. Those that are waited for stay until the next call. O(assets).
    ///
    /// # Panics
    /// If the drop of a value of the user's does, after all are forgotten.
    pub fn unload_unused(&mut self) -> usize {
        let is_unused = |entry: &Entry| !entry.is_pending && Arc::strong_count(&entry.slot) == 1;
        let unused: Vec<u64> = self.entries.iter().filter(|(_, it)| is_unused(it)).map(|(&id, _)| id).collect();
        let mut panic = None;
        for id in &unused {
            if let Some(entry) = self.entries.remove(id) {
                self.types[entry.ty].paths.remove(&**entry.slot.path());
                panic = panic.or(guarded(|| drop(entry)).err());
            }
        }
        if let Some(words) = panic {
            panic!("the drop of an asset panicked: {words}");
        }
        unused.len()
    }

    /// How far all loads are. O(1).
    #[must_use]
    pub fn progress(&self) -> AssetProgress {
        AssetProgress { total: self.jobs.total().get(), done: self.done, failed: self.failed }
    }

    /// How many assets are known: loading, loaded and failed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether none is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Why the latest load of an asset failed, though an older value may be shown; `None` if it did not, or for a handle of somebody else.
    #[must_use]
    pub fn fault_of<T: Asset>(&self, handle: &Handle<T>) -> Option<&Diagnostic> {
        let table = self.types.iter().find(|it| it.id == TypeId::of::<T>())?;
        let entry = self.entries.get(table.paths.get(handle.path())?)?;
        let is_same = AnyHandle::new(entry.slot.clone()).typed::<T>().is_some_and(|own| own == *handle);
        entry.fault.as_ref().filter(|_| is_same)
    }

    /// The place of type `T` in [`types`](Self::types).
    fn type_of<T: Asset>(&mut self) -> usize {
        let id = TypeId::of::<T>();
        if let Some(known) = self.types.iter().position(|it| it.id == id) {
            return known;
        }
        self.types.push(TypeTable {
            id,
            name: type_name::<T>(),
            placeholder: Arc::new(T::placeholder()),
            empty_slot: Slot::<T>::empty,
            loaders: Vec::new(),
            paths: HashMap::new(),
        });
        self.types.len() - 1
    }

    fn begin(&mut self) {
        self.jobs.look_at(std::mem::take(&mut self.asked));
    }

    fn take_in(&mut self, done: Vec<Done>, report: &mut AssetReport) {
        for done in done {
            // What is waited for is not forgotten.
            let Some(entry) = self.entries.get_mut(&done.id) else { continue };
            entry.is_pending = false;
            self.pending -= 1;
            let is_first = entry.slot.state() == LoadState::Loading;
            let amount = Amount { count: 1, size_bytes: done.size_bytes };
            match done.outcome {
                Outcome::Unchanged => {}
                Outcome::Unavailable(why) => {
                    let is_told = entry.fail(*why, None, report);
                    if is_first || is_told {
                        self.failed += amount;
                    }
                    if is_told && !is_first {
                        self.jobs.total().add(amount);
                    }
                }
                Outcome::Loaded(Loaded::Failed(why, seen)) => {
                    self.failed += amount;
                    entry.fail(*why, seen, report);
                }
                Outcome::Loaded(Loaded::Same(seen)) => {
                    self.done += amount;
                    entry.seen = Some(seen);
                }
                Outcome::Loaded(Loaded::Value(value, seen)) => {
                    self.done += amount;
                    (entry.seen, entry.fault) = (Some(seen), None);
                    report.changed.push(entry.slot.path().clone());
                    let before = entry.slot.put(value);
                    if let Err(words) = guarded(|| drop(before)) {
                        let message = format!("the drop of its former value panicked: {words}");
                        let path = entry.slot.path();
                        report.diagnostics.push(*fault(self.jobs.project(), path, Code::AssetBroken, message));
                    }
                }
            }
        }
    }
}

impl Entry {
    /// A load failed. Returns whether that is told: not if the same was told before.
    fn fail(&mut self, mut why: Diagnostic, seen: Option<Seen>, report: &mut AssetReport) -> bool {
        self.seen = seen;
        self.slot.fail();
        why.related.extend(self.origin.clone());
        if self.fault.as_ref() == Some(&why) {
            return false;
        }
        report.diagnostics.push(why.clone());
        self.fault = Some(why);
        true
    }
}

impl TypeTable {
    pub(super) fn has_loaders(&self) -> bool {
        !self.loaders.is_empty()
    }

    /// The loader for the extension of `path`.
    pub(super) fn loader_for(&self, path: &str) -> Option<Arc<dyn AnyLoader>> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let extension = name.rsplit_once('.')?.1.to_ascii_lowercase();
        let mut latest_first = self.loaders.iter().rev();
        latest_first.find(|(extensions, _)| extensions.contains(&extension)).map(|(_, loader)| loader.clone())
    }
}

impl AssetReport {
    fn sorted(mut self) -> Self {
        self.changed.sort();
        self.changed.dedup();
        self.diagnostics.sort_by(Diagnostic::report_order);
        self
    }
}

impl std::fmt::Debug for Assets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Assets").field("len", &self.len()).field("progress", &self.progress()).finish_non_exhaustive()
    }
}
