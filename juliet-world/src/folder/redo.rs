//! Saving as a transaction: one redo file, one flush, then each file is replaced.
//!
//! ```text
//! check      every file is read again and compared with what the caller last read; a file that changed is refused
//! decide     all new texts and removals → `.juliet/redo`, one fdatasync      ← from here the save is decided and durable
//! replace    each file: temporary `.<name>.jtmp` beside it, renamed over it; then the removals
//! done       a mark behind the record in the redo file (not flushed)
//! ```
//!
//! The redo file is a log of such saves. It is not emptied after each one, because a renamed file that was never flushed may
//! still lose its content in a power loss: the log is dropped only when the whole file system has been flushed, which happens
//! when it has grown past [`LOG_LIMIT`] and after a recovery that had something to do. `docs/adr/0006-redo-file-and-one-flush.md` has the reasons.
//!
//! Invariants:
//! * At any moment each file holds entirely its old or entirely its new text; names that begin with a dot are never loaded.
//! * When a save begins, every record in the log carries its mark; else [`recover`] has run first.
//! * What is on disk and was not read by the caller is never overwritten and never removed.
//! * No step touches anything outside the content folder, also through links, nor a name in it that begins with a dot.
//!
//! Owner and hard links of a replaced file are not kept (its permission bits are); a file of another owner becomes the caller's.
//! Between check and rename lies a moment in which another program's write goes unseen; no system offers a rename that compares.

mod format;
mod recover;
mod target;
#[cfg(test)]
mod tests;

use super::file_system::{Fault, FileSystem, LogFile};
pub use super::fingerprint::Fingerprint;
use super::local::{local_path, make_local_folder};
use format::Action;
pub use recover::{Conflict, RecoveryReport, recover};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
pub use target::is_temporary;
use target::{Found, Targets, replace};

/// Length of the redo file in bytes from which a save flushes the file system and drops it first.
const LOG_LIMIT: u64 = 1 << 20;
const LOG_NAME: &str = "redo";

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Path relative to the content folder, segments separated by `/`.
    pub path: Box<str>,
    /// What the file held when it was read; `None` if there must be no such file.
    pub old: Option<Fingerprint>,
    /// What it shall hold.
    pub new: Vec<u8>,
    /// The path of an earlier write of the same transaction that this one is of no use without: it is not written unless that one is.
    pub needs: Option<Box<str>>,
}

/// A file to be removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remove {
    /// Path relative to the content folder, segments separated by `/`.
    pub path: Box<str>,
    /// What the file held when it was read.
    pub old: Fingerprint,
    /// Whether it stays unless every write and every earlier removal was carried out: one that is not may leave a file that refers to it.
    pub needs_all: bool,
}

/// Everything that one save writes and removes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transaction {
    /// Files to be written, in this order.
    pub writes: Vec<Write>,
    /// Files to be removed after that. A path that is also written is not removed.
    pub removals: Vec<Remove>,
}

/// Why a file was left alone although nothing failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It no longer holds what was read.
    #[error("the file changed on disk since it was read")]
    Changed,
    /// It is gone, or the link in its place leads nowhere.
    #[error("the file was removed from disk since it was read")]
    Gone,
    /// A new file was to be created and there is one already.
    #[error("a file of this name has appeared on disk")]
    Exists,
    /// The same file is written twice, under one name or through links.
    #[error("the same file is already written by this save")]
    Duplicate,
    /// The path is not a relative one of plain names, or a name begins with a dot.
    #[error("not a path inside the content folder")]
    BadPath,
    /// A link leads out of the content folder or to a hidden name in it.
    #[error("a link on the path leaves the content folder")]
    LinkLeavesRoot,
    /// A folder or a device stands there.
    #[error("there is something other than a file")]
    NotAFile,
    /// It cannot be compared with what was read.
    #[error("the file cannot be read: {0}")]
    Unreadable(Fault),
    /// Something it needs is not written.
    #[error("`{needs}` is not written")]
    Waits {
        /// The path of the other write; empty for any.
        needs: Box<str>,
    },
    /// It can be neither replaced nor removed; in recovery reports alone.
    #[error("the file cannot be changed: {0}")]
    Unwritable(Fault),
}

/// A path that was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct Refused {
    /// Path relative to the content folder.
    pub path: Box<str>,
    /// Why.
    pub reason: Refusal,
}

/// A path whose step failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {fault}")]
pub struct Failed {
    /// Path relative to the content folder.
    pub path: Box<str>,
    /// What the system says.
    pub fault: Fault,
}

/// What a save did. Each path of the transaction is in exactly one list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaveReport {
    /// Written, and durable.
    pub written: Vec<Box<str>>,
    /// Removed, and durably so.
    pub removed: Vec<Box<str>>,
    /// Not touched, because the disk holds already what was asked for.
    pub unchanged: Vec<Box<str>>,
    /// Removals that were dropped because the same path is written.
    pub superseded: Vec<Box<str>>,
    /// Not touched because what is on disk is not what was read, or is not ours to touch. Still to be saved.
    pub refused: Vec<Refused>,
    /// Not written or not removed because the system refused; the old file is there. Still to be saved.
    pub failed: Vec<Failed>,
    /// What an earlier save left behind and was finished first.
    pub recovery: Option<RecoveryReport>,
}

/// Why a whole save or recovery did not happen. No file was written or removed by it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SaveError {
    /// Another process holds the redo file, and did so for two seconds.
    #[error("the content folder is being saved by another process")]
    Busy,
    /// The redo file cannot be made, read, written or flushed (a full disk, a read-only folder). The save was not decided.
    #[error("cannot {step} {}: {fault}", path.display())]
    Redo {
        /// What was tried.
        step: &'static str,
        /// The redo file.
        path: PathBuf,
        /// What the system says.
        fault: Fault,
    },
    /// The redo file was written by a newer version of the program, which has to finish its save.
    #[error("{} was written by a newer version; open the project with that version once, or remove the file", path.display())]
    Newer {
        /// The redo file.
        path: PathBuf,
    },
    /// An earlier save could be neither finished nor put aside; its redo file is kept.
    #[error("an earlier save of this folder could not be finished")]
    Unfinished(Box<RecoveryReport>),
}

impl Transaction {
    /// Saves into the content folder `root`.
    ///
    /// O(bytes written + bytes of the files replaced). One flush for the whole; for each file written one read, one new file and
    /// one rename. Nothing is flushed or written if nothing is left to do after the check.
    ///
    /// # Errors
    /// [`SaveError`] if nothing was saved. What befell single files is in the report.
    pub fn execute(&self, fs: &dyn FileSystem, root: &Path) -> Result<SaveReport, SaveError> {
        let mut report = SaveReport::default();
        if self.writes.is_empty() && self.removals.is_empty() {
            return Ok(report);
        }
        let mut log = RedoLog::open(fs, root)?;
        report.recovery = log.finish_earlier()?;
        let plan = self.check(fs, root, &mut report).map_err(|error| log.error("find the folder of", error))?;
        if plan.is_empty() {
            return Ok(report);
        }
        log.decide(&plan)?;
        let failed = self.apply(fs, &plan, &mut report);
        log.mark_done(&failed);
        Ok(report)
    }

    /// Compares each file with what was read and returns what is to be done; the rest goes to the report.
    fn check<'a>(&'a self, fs: &dyn FileSystem, root: &Path, report: &mut SaveReport) -> io::Result<Vec<Planned<'a>>> {
        let mut check = Check { targets: Targets::new(fs, root)?, taken: HashSet::new() };
        let mut plan = Vec::with_capacity(self.writes.len() + self.removals.len());
        let mut left: HashSet<&str> = HashSet::new();
        for write in &self.writes {
            let waits = write.needs.as_deref().filter(|needs| left.contains(needs));
            let step = match waits {
                Some(needs) => Err(Refusal::Waits { needs: needs.into() }),
                None => check.write(write),
            };
            match step {
                Ok(Some(step)) => plan.push(step),
                Ok(None) => report.unchanged.push(write.path.clone()),
                Err(reason) => {
                    left.insert(&write.path);
                    report.refused.push(Refused { path: write.path.clone(), reason });
                }
            }
        }
        for removal in &self.removals {
            let waits = removal.needs_all && !left.is_empty();
            let step = if waits { Err(Refusal::Waits { needs: "".into() }) } else { check.removal(removal) };
            match step {
                Ok(Removal::Planned(step)) => plan.push(step),
                Ok(Removal::Gone) => report.unchanged.push(removal.path.clone()),
                Ok(Removal::Superseded) => report.superseded.push(removal.path.clone()),
                Err(reason) => {
                    left.insert(&removal.path);
                    report.refused.push(Refused { path: removal.path.clone(), reason });
                }
            }
        }
        Ok(plan)
    }
}

impl Transaction {
    /// Carries the plan out, writes first, and returns the numbers of the steps that failed or whose need was not met.
    fn apply(&self, fs: &dyn FileSystem, plan: &[Planned<'_>], report: &mut SaveReport) -> Vec<u32> {
        let needs: HashMap<&str, &str> =
            self.writes.iter().filter_map(|write| Some((&*write.path, write.needs.as_deref()?))).collect();
        let last: HashSet<&str> =
            self.removals.iter().filter(|removal| removal.needs_all).map(|removal| &*removal.path).collect();
        let (mut failed, mut left) = (Vec::new(), HashSet::new());
        for (number, step) in (0u32..).zip(plan) {
            let is_write = matches!(step.action, Action::Write { .. });
            let waits = match needs.get(step.path).filter(|needs| is_write && left.contains(*needs)) {
                Some(needs) => Some(*needs),
                None if !is_write && last.contains(step.path) && !left.is_empty() => Some(""),
                None => None,
            };
            if let Some(needs) = waits {
                failed.push(number);
                left.insert(step.path);
                report.refused.push(Refused { path: step.path.into(), reason: Refusal::Waits { needs: needs.into() } });
                continue;
            }
            let (done, list) = match step.action {
                Action::Write { new, .. } => (replace(fs, &step.file, new, step.mode), &mut report.written),
                Action::Remove { .. } => (target::remove(fs, &step.file), &mut report.removed),
            };
            match done {
                Ok(()) => list.push(step.path.into()),
                Err(error) => {
                    failed.push(number);
                    left.insert(step.path);
                    report.failed.push(Failed { path: step.path.into(), fault: error.into() });
                }
            }
        }
        failed
    }
}

struct Check<'a> {
    targets: Targets<'a>,
    /// Every name under which a file of this save may be reached: itself and what it links to.
    taken: HashSet<PathBuf>,
}

enum Removal<'a> {
    Planned(Planned<'a>),
    Gone,
    Superseded,
}

impl Check<'_> {
    /// The step for a write, or `None` if the file holds the text already.
    fn write<'w>(&mut self, write: &'w Write) -> Result<Option<Planned<'w>>, Refusal> {
        let new = Fingerprint::of(&write.new);
        let target = self.targets.find(&write.path)?;
        let is_new_name = self.taken.insert(target.place.clone());
        let is_new_file = target.file == target.place || self.taken.insert(target.file.clone());
        if !is_new_name || !is_new_file {
            return Err(Refusal::Duplicate);
        }
        if write.old == Some(new) {
            return Ok(None);
        }
        match (self.targets.compare(&target, write.old, Some(new))?, write.old, target.status) {
            (Found::New, ..) => Ok(None),
            (Found::Old, old, status) => Ok(Some(Planned {
                path: &write.path,
                file: target.file,
                mode: status.and_then(|status| status.mode),
                action: Action::Write { old, new: &write.new },
            })),
            (Found::Other, None, _) => Err(Refusal::Exists),
            (Found::Other, Some(_), None) => Err(Refusal::Gone),
            (Found::Other, Some(_), Some(_)) => Err(Refusal::Changed),
        }
    }

    fn removal<'r>(&mut self, removal: &'r Remove) -> Result<Removal<'r>, Refusal> {
        let target = self.targets.find(&removal.path)?;
        if !self.taken.insert(target.place.clone()) {
            return Ok(Removal::Superseded);
        }
        match self.targets.compare(&target, Some(removal.old), None)? {
            Found::New => Ok(Removal::Gone),
            Found::Old => Ok(Removal::Planned(Planned {
                path: &removal.path,
                file: target.place,
                mode: None,
                action: Action::Remove { old: removal.old },
            })),
            Found::Other => Err(Refusal::Changed),
        }
    }
}

/// One step that passed the check.
struct Planned<'a> {
    path: &'a str,
    /// The real file: what a link leads to for a write, the link itself for a removal.
    file: PathBuf,
    mode: Option<u32>,
    action: Action<'a>,
}

/// The redo file of one content folder, locked.
struct RedoLog<'a> {
    fs: &'a dyn FileSystem,
    root: &'a Path,
    path: PathBuf,
    file: Box<dyn LogFile>,
    size_bytes: u64,
}

impl<'a> RedoLog<'a> {
    /// Opens and locks it, making the local folder if that is missing.
    fn open(fs: &'a dyn FileSystem, root: &'a Path) -> Result<Self, SaveError> {
        let path = local_path(root, LOG_NAME);
        let folder = make_local_folder(fs, root).map_err(|e| redo_error("make the folder of", &path, e))?;
        let log = Self::open_existing(fs, root, path)?;
        if log.size_bytes == 0 {
            // It may be new: its name has to be durable before its content decides anything.
            fs.sync_folder(&folder).map_err(|e| log.error("make", e))?;
        }
        Ok(log)
    }

    fn open_existing(fs: &'a dyn FileSystem, root: &'a Path, path: PathBuf) -> Result<Self, SaveError> {
        let mut file =
            wait_for(|| fs.open_log(&path)).map_err(|e| redo_error("open", &path, e))?.ok_or(SaveError::Busy)?;
        let size_bytes = file.size_bytes().map_err(|e| redo_error("look at", &path, e))?;
        Ok(RedoLog { fs, root, path, file, size_bytes })
    }

    #[cold]
    fn error(&self, step: &'static str, error: io::Error) -> SaveError {
        redo_error(step, &self.path, error)
    }

    /// Makes sure that every record carries its mark and that the log is short, and says what had to be done for that.
    fn finish_earlier(&mut self) -> Result<Option<RecoveryReport>, SaveError> {
        if self.size_bytes == 0 || (self.size_bytes < LOG_LIMIT && self.ends_in_mark()?) {
            return Ok(None);
        }
        let report = recover::finish(self, true)?;
        if report.unfinished {
            return Err(SaveError::Unfinished(Box::new(report)));
        }
        Ok((!report.is_quiet()).then_some(report))
    }

    /// Looks at the last few bytes alone: if they are a mark without failures, a save ended there, and it began after a mark.
    fn ends_in_mark(&mut self) -> Result<bool, SaveError> {
        let Some(offset) = self.size_bytes.checked_sub(format::MARK_SIZE) else { return Ok(false) };
        let mut tail = Vec::new();
        self.file.read_from(offset, &mut tail).map_err(|e| redo_error("read", &self.path, e))?;
        Ok(format::is_clean_mark(&tail))
    }

    /// Writes the record and flushes it: the save is decided. On failure the log is as it was before.
    fn decide(&mut self, plan: &[Planned<'_>]) -> Result<(), SaveError> {
        let record = format::encode_record(plan.iter().map(|step| (step.path, step.action)));
        match self.file.append(&record).and_then(|()| self.file.sync()) {
            Ok(()) => {
                self.size_bytes += record.len() as u64;
                Ok(())
            }
            Err(error) => {
                // If this fails too, a whole record may stay although the save is reported as failed. The next load then
                // finishes it, and only where the files still are what they were.
                let _ = self.file.truncate(self.size_bytes);
                Err(self.error("write", error))
            }
        }
    }

    /// Marks the record as carried out but for the steps `failed`, which are never replayed: their entities are still dirty.
    fn mark_done(&mut self, failed: &[u32]) {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mark = format::encode_mark(u64::try_from(now.as_nanos()).unwrap_or(u64::MAX), failed);
        if self.file.append(&mark).is_ok() {
            return;
        }
        // A full disk: dropping the log needs no room, but everything has to be safe before. If even that fails the record stays
        // without a mark, and the next save or load compares each file with it: carried out already, or still the old one.
        let mut bytes = Vec::new();
        if self.file.read_from(0, &mut bytes).is_err() {
            return;
        }
        let files: Vec<PathBuf> =
            format::decode(&bytes).entries.iter().map(|entry| self.root.join(entry.path)).collect();
        if self.fs.settle(self.root, &files).is_ok() {
            let _ = self.file.truncate(0);
        }
    }
}

/// How long a load or save waits for the redo file: a load holds it while it looks at it, a save for as long as it takes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Opens the log as soon as nobody else holds it; `None` if somebody does for too long.
fn wait_for(open: impl Fn() -> io::Result<Option<Box<dyn LogFile>>>) -> io::Result<Option<Box<dyn LogFile>>> {
    let begin = Instant::now();
    loop {
        match open()? {
            None if begin.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(1)),
            opened => return Ok(opened),
        }
    }
}

#[cold]
fn redo_error(step: &'static str, path: &Path, error: io::Error) -> SaveError {
    SaveError::Redo { step, path: path.to_owned(), fault: error.into() }
}
