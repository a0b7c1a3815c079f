//! A path → a file that may be opened, or why not; its bytes → an asset, or why not. Runs on any thread.
//!
//! ```text
//! Assets/Meshes/Rock.obj
//!   look   each folder on the way listed once for all paths; one question about the file, none opened
//!   load   one open, one read; the loader, under a guard against panics
//! ```
//!
//! A file is opened again only if its length or its time of change is another one, or if it was changed so shortly before it was read
//! that a second change could have the same time. It is given to the loader again only if its bytes are other ones.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use juliet_core::diag::{Code, Diagnostic};

use super::loader::{AnyAsset, AnyLoader};
use crate::folder::{CONTENT_ROOT, FileKind, Fingerprint, PathFault, ReadOutcome, Spelling, Status, is_hidden};
use crate::project::Project;

/// A path to be looked at.
#[derive(Clone)]
pub(super) struct Lookup {
    pub(super) id: u64,
    /// As [`normalise`](crate::folder::normalise) gives it, or no path.
    pub(super) path: Arc<str>,
    /// `None` if no loader takes the name.
    pub(super) loader: Option<Arc<dyn AnyLoader>>,
    pub(super) seen: Option<Seen>,
    /// Whether the first result is still awaited.
    pub(super) is_first: bool,
}

/// What was found when a file was read.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    status: Status,
    /// Any later change gives the file another time.
    is_settled: bool,
    fingerprint: Fingerprint,
}

/// A file to be read.
pub(super) struct Load {
    pub(super) lookup: Lookup,
    real: PathBuf,
    status: Status,
    loader: Arc<dyn AnyLoader>,
}

/// What a look comes to.
pub(super) enum Looked {
    Unchanged,
    Failed(Box<Diagnostic>),
    Load(Load),
}

/// What a load comes to.
pub(super) enum Loaded {
    /// The bytes are those that were read before.
    Same(Seen),
    Value(AnyAsset, Seen),
    Failed(Box<Diagnostic>, Option<Seen>),
}

/// Two changes within this time may leave a file with one time of change: clocks of file systems tick in up to two seconds (FAT).
const TICK_NS: u64 = 2_000_000_000;

impl Load {
    /// Length of the file in bytes when it was looked at.
    pub(super) fn size_bytes(&self) -> u64 {
        self.status.size_bytes
    }
}

/// The path as diagnostics name it.
fn label(project: &Project, path: &str) -> String {
    match path.strip_prefix(CONTENT_ROOT).and_then(|below| below.strip_prefix('/')) {
        Some(below) => format!("{}{below}", project.prefix()),
        None => path.to_owned(),
    }
}

/// A failure of one path.
#[cold]
pub(super) fn fault(project: &Project, path: &str, code: Code, message: impl Into<Box<str>>) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(code, message).in_file(label(project, path)))
}

/// Looks at one path; `spelling` is a picture of the content folder that is shared by all that are looked at together.
pub(super) fn look(project: &Project, spelling: &mut Spelling<'_>, lookup: &Lookup, limit_bytes: u64) -> Looked {
    let refuse = |code, message: String| Looked::Failed(fault(project, &lookup.path, code, message));
    let real = match spelling.resolve(&lookup.path) {
        Ok(location) if location.logical.split('/').any(is_hidden) => {
            return refuse(Code::AssetNotFound, "names that begin with a dot belong to other tools".to_owned());
        }
        Ok(location) => location.real,
        Err(why) => return Looked::Failed(path_fault(project, &lookup.path, &why)),
    };
    let status = match status(project, real.clone()) {
        Ok(status) => status,
        Err(error) => return Looked::Failed(io_fault(project, &lookup.path, &error)),
    };
    match status.kind {
        FileKind::File => {}
        FileKind::Folder => return refuse(Code::AssetUnreadable, "it is a folder, not a file".to_owned()),
        _ => return refuse(Code::AssetUnreadable, "it is something other than a file".to_owned()),
    }
    let Some(loader) = lookup.loader.clone() else {
        return refuse(Code::NoLoader, "no loader for this type of asset reads files of this name".to_owned());
    };
    if status.size_bytes > limit_bytes {
        return refuse(Code::AssetUnreadable, too_large(status.size_bytes, limit_bytes));
    }
    match lookup.seen {
        Some(seen) if seen.is_settled && seen.status == status => Looked::Unchanged,
        _ => Looked::Load(Load { lookup: lookup.clone(), real, status, loader }),
    }
}

/// Looks at a file, at the end of a link if it is one.
fn status(project: &Project, mut real: PathBuf) -> io::Result<Status> {
    let files = project.file_system();
    let found = files.status(&real)?;
    if found.kind != FileKind::Symlink {
        return Ok(found);
    }
    real = files.canonicalize(&real)?;
    files.status(&real)
}

fn too_large(size_bytes: u64, limit_bytes: u64) -> String {
    format!("the file has {size_bytes} bytes, the limit is {limit_bytes}")
}

fn path_fault(project: &Project, path: &str, why: &PathFault) -> Box<Diagnostic> {
    match why {
        PathFault::LinkLeavesRoot { .. } => fault(project, path, Code::SymlinkEscapes, why.to_string()),
        PathFault::Missing { .. } => fault(project, path, Code::AssetNotFound, format!("{why} in the content folder")),
        PathFault::Case { existing, .. } => {
            let found = fault(project, path, Code::AssetNotFound, why.to_string());
            Box::new(found.help(format!("did you mean `{existing}`?")))
        }
        PathFault::Io { .. } => fault(project, path, Code::AssetUnreadable, why.to_string()),
        _ => fault(project, path, Code::BadPath, why.to_string()),
    }
}

fn io_fault(project: &Project, path: &str, error: &io::Error) -> Box<Diagnostic> {
    let code = if error.kind() == io::ErrorKind::NotFound { Code::AssetNotFound } else { Code::AssetUnreadable };
    fault(project, path, code, format!("the file cannot be read: {error}"))
}

/// Reads a file and gives its bytes to the loader.
pub(super) fn load(project: &Project, load: &Load, limit_bytes: u64) -> Loaded {
    let path = &*load.lookup.path;
    let now_ns = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
    let mut bytes = Vec::new();
    match project.file_system().read(&load.real, &mut bytes, limit_bytes) {
        Ok(ReadOutcome::Whole) => {}
        Ok(ReadOutcome::TooLarge { size_bytes }) => {
            let message = too_large(size_bytes, limit_bytes);
            return Loaded::Failed(fault(project, path, Code::AssetUnreadable, message), None);
        }
        Err(error) => return Loaded::Failed(io_fault(project, path, &error), None),
    }
    let is_old = load.status.modified_ns.is_some_and(|changed_ns| changed_ns.saturating_add(TICK_NS) < now_ns);
    let is_settled = is_old && load.status.size_bytes == bytes.len() as u64;
    let seen = Seen { status: load.status, is_settled, fingerprint: Fingerprint::of(&bytes) };
    if load.lookup.seen.is_some_and(|before| before.fingerprint == seen.fingerprint) {
        return Loaded::Same(seen);
    }
    let loaded = guarded(|| load.loader.load_any(&bytes));
    let (line, message) = match loaded {
        Ok(Ok(value)) => return Loaded::Value(value, seen),
        Ok(Err(error)) => (error.line, error.message),
        Err(panic) => (0, format!("the loader panicked: {panic}").into()),
    };
    let mut found = fault(project, path, Code::AssetBroken, message);
    if line > 0 {
        found = Box::new(found.at(line, 1));
    }
    Loaded::Failed(found, Some(seen))
}

/// Runs what a stranger wrote; the words of its panic, if it does.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, Box<str>> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let words = words_of(&*payload);
        // The payload is a stranger's too.
        if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
            #[expect(clippy::mem_forget, reason = "a payload that panics when it is dropped could do so for ever")]
            std::mem::forget(second);
        }
        words
    })
}

fn words_of(payload: &(dyn Any + Send)) -> Box<str> {
    let words = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    words.unwrap_or("without words").into()
}

/// What is told if looking itself panics: a door to the disk may be a stranger's too.
pub(super) fn panicked(project: &Project, path: &str, words: &str) -> Box<Diagnostic> {
    fault(project, path, Code::AssetUnreadable, format!("reading the file panicked: {words}"))
}
