//! What a crash left of saves: finished or discarded, so that each save happened wholly or not at all.
//!
//! Only the last entry of each path counts. Pseudo code for it:
//!
//! ```text
//! save ended (marked)      a power loss may have taken the content of a file that was renamed but never flushed:
//!     not modified since the mark, and empty, zeros, or cut at a page  → write the new text again
//!     anything else                                                    → leave it: an editor or git has been there since
//! save not ended           the crash came in between:
//!     as before the save              → carry the step out
//!     as after the save               → nothing to do
//!     empty, zeros, a beginning of the new text, or missing → write the new text
//!     anything else                   → leave it, keep the new text in `.juliet/recovered/`, report
//! ```

use super::super::file_system::{FileSystem, ReadOutcome};
use super::super::fingerprint::Fingerprint;
use super::super::local::{LOCAL_FOLDER, is_local_folder, local_path};
use super::format::{self, Action, Entry};
use super::target::{Found, Target, Targets, remove, replace, temporary_of};
use super::{Failed, LOG_NAME, RedoLog, Refusal, SaveError};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// Folder in the local folder for texts that could not be put in their place.
const RECOVERED: &str = "recovered";
/// Contents that a power loss cuts end at a multiple of this, in bytes.
const PAGE: usize = 4096;

/// A text of an interrupted save that is not in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// Path relative to the content folder; the file there was left alone.
    pub path: Box<str>,
    /// Why: [`Refusal::Changed`], or what stands in the way.
    pub reason: Refusal,
    /// Where the text is kept, relative to the content folder; `None` for a removal.
    pub kept_in: Option<Box<str>>,
}

/// What [`recover`] found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecoveryReport {
    /// Files written, because a save was interrupted or a power loss took their content.
    pub written: Vec<Box<str>>,
    /// Files removed, because a save was interrupted.
    pub removed: Vec<Box<str>>,
    /// Left alone: somebody else changed the file since.
    pub conflicts: Vec<Conflict>,
    /// The system refused; the text is among the `conflicts` if it could be kept.
    pub failed: Vec<Failed>,
    /// Temporaries removed, relative to the content folder.
    pub temporaries: Vec<Box<str>>,
    /// Bytes of a save that was interrupted before it was decided; its files are all as they were.
    pub discarded_bytes: usize,
    /// Something could be neither finished nor put aside: the redo file is kept and the next load tries again.
    pub unfinished: bool,
}

impl RecoveryReport {
    /// Whether there is nothing to tell anybody.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        *self == RecoveryReport::default()
    }
}

/// Finishes or discards what a crash left of saves into the content folder `root`. Call it before loading.
///
/// One system call in a folder that was never saved; else it reads the redo file (mostly below 1 MiB) and the files in
/// it. Only if there is something to repair or discard, the file system is flushed and the redo file emptied.
/// Creates nothing in a folder that was never saved. Running it twice does what running it once does, also if the first run was
/// interrupted.
///
/// # Errors
/// [`SaveError::Busy`] while another process saves, [`SaveError::Redo`] if the redo file cannot be read or dropped,
/// [`SaveError::Newer`]. What befell single files is in the report.
pub fn recover(fs: &dyn FileSystem, root: &Path) -> Result<RecoveryReport, SaveError> {
    let path = local_path(root, LOG_NAME);
    match fs.status(&path) {
        // No save went into a folder behind a link, so what is there is nobody's to finish.
        Ok(found) if found.size_bytes > 0 && is_local_folder(fs, root) => {}
        Ok(_) => return Ok(RecoveryReport::default()),
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(RecoveryReport::default());
        }
        Err(error) => return Err(super::redo_error("look at", &path, error)),
    }
    match RedoLog::open_existing(fs, root, path.clone()) {
        Ok(mut log) => finish(&mut log, false),
        Err(SaveError::Redo { fault, .. }) if is_read_only(fault.kind) && is_over(fs, &path) => {
            Ok(RecoveryReport::default())
        }
        Err(error) => Err(error),
    }
}

fn is_read_only(kind: io::ErrorKind) -> bool {
    matches!(kind, io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied)
}

/// Whether every save in the log came to its end, seen without writing: on a disk that takes no write there is nothing else to do.
fn is_over(fs: &dyn FileSystem, path: &Path) -> bool {
    let mut bytes = Vec::new();
    if !matches!(fs.read(path, &mut bytes, u64::MAX), Ok(ReadOutcome::Whole)) {
        return false;
    }
    let found = format::decode(&bytes);
    !found.is_newer && found.torn_bytes == 0 && found.entries.iter().all(|entry| entry.ended_ns.is_some())
}

/// [`recover`] for a log that is open. It is empty afterwards, unless the report says that something is unfinished, or there was
/// nothing to do and it need not be dropped.
pub(super) fn finish(log: &mut RedoLog<'_>, drop_always: bool) -> Result<RecoveryReport, SaveError> {
    let mut bytes = Vec::new();
    log.file.read_from(0, &mut bytes).map_err(|e| log.error("read", e))?;
    let found = format::decode(&bytes);
    if found.is_newer {
        return Err(SaveError::Newer { path: log.path.clone() });
    }
    // Behind a record without a mark stands at most the beginning of its mark, which is nothing that anybody loses.
    let is_marked = found.entries.last().is_none_or(|entry| entry.ended_ns.is_some());
    let discarded_bytes = if is_marked { found.torn_bytes } else { 0 };
    let mut run = Recovery {
        fs: log.fs,
        root: log.root,
        targets: Targets::new(log.fs, log.root).map_err(|e| log.error("find the folder of", e))?,
        buffer: Vec::new(),
        touched: Vec::new(),
        report: RecoveryReport { discarded_bytes, ..RecoveryReport::default() },
    };
    let mut last = HashMap::new();
    for (number, entry) in found.entries.iter().enumerate() {
        last.insert(entry.path, number);
    }
    for (number, entry) in found.entries.iter().enumerate() {
        if last[entry.path] == number {
            run.entry(entry);
        }
    }
    let Recovery { report, touched, targets, .. } = run;
    let is_over = report.is_quiet() && found.entries.iter().all(|entry| entry.ended_ns.is_some());
    if !report.unfinished && (drop_always || !is_over) {
        log.fs.settle(targets.root(), &touched).map_err(|e| log.error("flush the files of", e))?;
        log.file.truncate(0).map_err(|e| log.error("drop", e))?;
        log.size_bytes = 0;
    }
    Ok(report)
}

struct Recovery<'a> {
    fs: &'a dyn FileSystem,
    root: &'a Path,
    targets: Targets<'a>,
    buffer: Vec<u8>,
    /// Real files that have to be flushed before the log is dropped.
    touched: Vec<PathBuf>,
    report: RecoveryReport,
}

impl Recovery<'_> {
    fn entry(&mut self, entry: &Entry<'_>) {
        let target = match self.targets.find(entry.path) {
            Ok(target) => target,
            Err(_) if entry.ended_ns.is_some() => return,
            Err(reason) => return self.put_aside(entry, reason),
        };
        self.drop_temporary(entry.path, &target);
        self.touched.push(target.file.clone());
        match entry.action {
            // A failed step is still the caller's to save, or was given up by then.
            _ if entry.failed => {}
            Action::Write { new, .. } if entry.ended_ns.is_some() => {
                let modified_ns = target.status.and_then(|status| status.modified_ns);
                if modified_ns <= entry.ended_ns && self.is_torn(&target, new, PAGE) {
                    self.write(entry, &target, new);
                }
            }
            Action::Remove { .. } if entry.ended_ns.is_some() => {}
            Action::Write { old, new } => match self.targets.compare(&target, old, Some(Fingerprint::of(new))) {
                Ok(Found::New) => {}
                Ok(Found::Old) => self.write(entry, &target, new),
                Ok(Found::Other) if target.status.is_none() || self.is_torn(&target, new, 1) => {
                    self.write(entry, &target, new);
                }
                Ok(Found::Other) => self.put_aside(entry, Refusal::Changed),
                Err(reason) => self.put_aside(entry, reason),
            },
            Action::Remove { old } => match self.targets.compare(&target, Some(old), None) {
                Ok(Found::New) => {}
                Ok(Found::Old) => match remove(self.fs, &target.place) {
                    Ok(()) => self.report.removed.push(entry.path.into()),
                    Err(error) => self.fail(entry, error),
                },
                Ok(Found::Other) => self.put_aside(entry, Refusal::Changed),
                Err(reason) => self.put_aside(entry, reason),
            },
        }
    }

    fn write(&mut self, entry: &Entry<'_>, target: &Target, new: &[u8]) {
        match replace(self.fs, &target.file, new, target.status.and_then(|s| s.mode)) {
            Ok(()) => self.report.written.push(entry.path.into()),
            Err(error) => self.fail(entry, error),
        }
    }

    fn fail(&mut self, entry: &Entry<'_>, error: io::Error) {
        let fault: super::Fault = error.into();
        self.report.failed.push(Failed { path: entry.path.into(), fault: fault.clone() });
        self.put_aside(entry, Refusal::Unwritable(fault));
    }

    /// Whether the file holds what a power loss makes of `new`: a beginning that ends at a multiple of `step` bytes, then zeros.
    fn is_torn(&mut self, target: &Target, new: &[u8], step: usize) -> bool {
        let Some(status) = target.status else { return false };
        if new.is_empty() || status.size_bytes > new.len() as u64 {
            return false;
        }
        match self.fs.read(&target.file, &mut self.buffer, status.size_bytes) {
            Ok(ReadOutcome::Whole) => {}
            _ => return false,
        }
        let zeros = self.buffer.iter().rev().take_while(|&&byte| byte == 0).count();
        let kept = self.buffer.len() - zeros;
        let is_cut = zeros > 0 || (kept < new.len() && kept.is_multiple_of(step));
        is_cut && self.buffer != new && new.starts_with(&self.buffer[..kept])
    }

    fn drop_temporary(&mut self, path: &str, target: &Target) {
        let temporary = temporary_of(&target.file);
        if self.fs.status(&temporary).is_ok() && self.fs.remove(&temporary).is_ok() {
            let name = temporary.file_name().unwrap_or_default().to_string_lossy();
            let folder = path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
            self.report.temporaries.push(format!("{folder}{name}").into());
        }
    }

    fn put_aside(&mut self, entry: &Entry<'_>, reason: Refusal) {
        let kept_in = match entry.action {
            Action::Remove { .. } => None,
            Action::Write { new, .. } => match self.keep(entry.path, new) {
                Ok(kept_in) => Some(kept_in.into()),
                Err(error) => {
                    self.report.failed.push(Failed { path: entry.path.into(), fault: error.into() });
                    self.report.unfinished = true;
                    None
                }
            },
        };
        self.report.conflicts.push(Conflict { path: entry.path.into(), reason, kept_in });
    }

    /// Writes `text` under the same path in the folder for recovered texts, or beside another text that is there already.
    fn keep(&mut self, path: &str, text: &[u8]) -> io::Result<String> {
        let mut relative = format!("{LOCAL_FOLDER}/{RECOVERED}/{path}");
        match self.fs.read(&self.root.join(&relative), &mut self.buffer, text.len() as u64) {
            Ok(ReadOutcome::Whole) if self.buffer == text => return Ok(relative),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
            Ok(_) => {
                // This name belongs to the text alone: what may be there is the same.
                let folder = relative.rfind('/').map_or(0, |slash| slash + 1);
                relative.truncate(folder);
                relative.push_str(&format!("{:016x}.jasset", Fingerprint::of(text).hash));
            }
        }
        let real = self.root.join(&relative);
        replace(self.fs, &real, text, None)?;
        self.touched.push(real);
        Ok(relative)
    }
}
