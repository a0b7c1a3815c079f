//! A file system that counts what is done and breaks where a test says. For the tests of this workspace only.
//!
//! Every method call on the file system, on a folder or on the redo file is one operation, numbered from 0.

use super::file_system::{Entry, FileSystem, Folder, LogFile, ReadOutcome, Status};
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How often each kind of step was tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All operations.
    pub operations: u64,
    /// Folders listed.
    pub listed: u64,
    /// Files opened and read.
    pub opened_for_reading: u64,
    /// Files opened and written, the redo file not among them.
    pub opened_for_writing: u64,
    /// Times the redo file was opened.
    pub opened_log: u64,
    /// Files renamed.
    pub renamed: u64,
    /// Files removed.
    pub removed: u64,
    /// Flushes of a file, of a folder or of the redo file.
    pub synced: u64,
    /// Flushes of the whole file system.
    pub settled: u64,
    /// Bytes written, to the redo file too.
    pub written_bytes: u64,
}

#[derive(Default)]
struct State {
    counts: Counts,
    fail_at: Option<(u64, ErrorKind)>,
    kill_at: Option<(u64, bool)>,
    room_bytes: Option<u64>,
    read_only: Vec<PathBuf>,
    held: Vec<PathBuf>,
    dead: bool,
    no_flushes: bool,
}

/// Wraps a file system; clones share counts and faults.
#[derive(Clone)]
pub struct FaultyFileSystem<F> {
    inner: F,
    state: Arc<Mutex<State>>,
}

/// What becomes of a write.
enum Outcome {
    Done,
    /// So many bytes are written, then the error comes.
    Part(usize, io::Error),
}

impl State {
    /// Counts one operation and says whether it happens. `Err` means that nothing of it does.
    fn step(&mut self) -> io::Result<()> {
        match self.write_step(0)? {
            Outcome::Done => Ok(()),
            Outcome::Part(_, error) => Err(error),
        }
    }

    /// As [`step`](Self::step) for one that writes `size` bytes.
    fn write_step(&mut self, size: usize) -> io::Result<Outcome> {
        let number = self.counts.operations;
        self.counts.operations += 1;
        let killed = || io::Error::other("the process was killed");
        if self.dead {
            return Err(killed());
        }
        if let Some((at, torn)) = self.kill_at
            && number == at
        {
            self.dead = true;
            return if torn { Ok(Outcome::Part(size / 2, killed())) } else { Err(killed()) };
        }
        if let Some((at, kind)) = self.fail_at
            && number == at
        {
            return Err(kind.into());
        }
        if let Some(room) = &mut self.room_bytes
            && size > 0
        {
            if size as u64 > *room {
                let part = std::mem::take(room) as usize;
                return Ok(Outcome::Part(part, ErrorKind::StorageFull.into()));
            }
            *room -= size as u64;
        }
        self.counts.written_bytes += size as u64;
        Ok(Outcome::Done)
    }

    fn check_place(&self, path: &Path) -> io::Result<()> {
        if self.read_only.iter().any(|folder| path.starts_with(folder)) {
            return Err(ErrorKind::ReadOnlyFilesystem.into());
        }
        if self.held.iter().any(|file| path == file) {
            return Err(ErrorKind::ResourceBusy.into());
        }
        Ok(())
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<F: FileSystem> FaultyFileSystem<F> {
    /// Counts, and breaks nothing yet.
    pub fn new(inner: F) -> Self {
        FaultyFileSystem { inner, state: Arc::default() }
    }

    fn with(self, set: impl FnOnce(&mut State)) -> Self {
        set(&mut lock(&self.state));
        self
    }

    /// Operation `number` fails, the others do not.
    #[must_use]
    pub fn fail_at(self, number: u64, kind: ErrorKind) -> Self {
        self.with(|state| state.fail_at = Some((number, kind)))
    }

    /// The process dies at operation `number`: it does not happen, or half of what it writes does if it is `torn`, and all later
    /// ones fail.
    #[must_use]
    pub fn kill_at(self, number: u64, torn: bool) -> Self {
        self.with(|state| state.kill_at = Some((number, torn)))
    }

    /// The disk is full after so many bytes.
    #[must_use]
    pub fn with_room(self, bytes: u64) -> Self {
        self.with(|state| state.room_bytes = Some(bytes))
    }

    /// Nothing under `folder` can be created, renamed or removed.
    #[must_use]
    pub fn read_only(self, folder: &Path) -> Self {
        self.with(|state| state.read_only.push(folder.to_owned()))
    }

    /// The file cannot be replaced or removed, as if another process held it open on Windows.
    #[must_use]
    pub fn held(self, file: &Path) -> Self {
        self.with(|state| state.held.push(file.to_owned()))
    }

    /// Flushes are counted and skipped: a test that starts the world a thousand times would wait for the disk only.
    #[must_use]
    pub fn without_flushes(self) -> Self {
        self.with(|state| state.no_flushes = true)
    }

    /// Takes all faults away: the disk works again. Counts go on.
    pub fn mend(&self) {
        let mut state = lock(&self.state);
        *state = State { counts: state.counts, no_flushes: state.no_flushes, ..State::default() };
    }

    /// What was tried so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        lock(&self.state).counts
    }

    /// Whether the process has died at its operation.
    #[must_use]
    pub fn is_dead(&self) -> bool {
        lock(&self.state).dead
    }

    fn flush(&self, count: impl FnOnce(&mut Counts), flush: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        self.step(count)?;
        if lock(&self.state).no_flushes { Ok(()) } else { flush() }
    }

    fn step(&self, count: impl FnOnce(&mut Counts)) -> io::Result<()> {
        let mut state = lock(&self.state);
        count(&mut state.counts);
        state.step()
    }
}

impl<F: FileSystem> FileSystem for FaultyFileSystem<F> {
    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        self.step(|c| c.listed += 1)?;
        self.inner.list(folder)
    }

    fn open_folder(&self, folder: &Path) -> io::Result<Box<dyn Folder>> {
        self.step(|_| ())?;
        Ok(Box::new(FaultyFolder { inner: self.inner.open_folder(folder)?, state: self.state.clone() }))
    }

    fn read(&self, path: &Path, buffer: &mut Vec<u8>, limit_bytes: u64) -> io::Result<ReadOutcome> {
        self.step(|c| c.opened_for_reading += 1)?;
        self.inner.read(path, buffer, limit_bytes)
    }

    fn status(&self, path: &Path) -> io::Result<Status> {
        self.step(|_| ())?;
        self.inner.status(path)
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        self.step(|_| ())?;
        self.inner.canonicalize(path)
    }

    fn create_write(&self, path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
        let mut state = lock(&self.state);
        state.counts.opened_for_writing += 1;
        state.check_place(path)?;
        match state.write_step(bytes.len())? {
            Outcome::Done => self.inner.create_write(path, bytes, mode),
            Outcome::Part(part, error) => {
                self.inner.create_write(path, &bytes[..part], mode)?;
                Err(error)
            }
        }
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        self.flush(|c| c.synced += 1, || self.inner.sync_file(path))
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.flush(|c| c.synced += 1, || self.inner.sync_folder(folder))
    }

    fn settle(&self, root: &Path, files: &[PathBuf]) -> io::Result<()> {
        self.flush(|c| c.settled += 1, || self.inner.settle(root, files))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.step(|c| c.renamed += 1)?;
        lock(&self.state).check_place(to)?;
        self.inner.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.step(|c| c.removed += 1)?;
        lock(&self.state).check_place(path)?;
        self.inner.remove(path)
    }

    fn create_dir_all(&self, folder: &Path) -> io::Result<()> {
        self.step(|_| ())?;
        lock(&self.state).check_place(folder)?;
        self.inner.create_dir_all(folder)
    }

    fn open_log(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        self.step(|c| c.opened_log += 1)?;
        lock(&self.state).check_place(path)?;
        let log = self.inner.open_log(path)?;
        Ok(log.map(|inner| Box::new(FaultyLog { inner, state: self.state.clone() }) as Box<dyn LogFile>))
    }
}

struct FaultyFolder {
    inner: Box<dyn Folder>,
    state: Arc<Mutex<State>>,
}

impl Folder for FaultyFolder {
    fn read_into(&self, name: &OsStr, buffer: &mut Vec<u8>, limit_bytes: u64) -> io::Result<ReadOutcome> {
        let mut state = lock(&self.state);
        state.counts.opened_for_reading += 1;
        state.step()?;
        drop(state);
        self.inner.read_into(name, buffer, limit_bytes)
    }
}

struct FaultyLog {
    inner: Box<dyn LogFile>,
    state: Arc<Mutex<State>>,
}

impl LogFile for FaultyLog {
    fn size_bytes(&mut self) -> io::Result<u64> {
        lock(&self.state).step()?;
        self.inner.size_bytes()
    }

    fn read_from(&mut self, offset: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
        lock(&self.state).step()?;
        self.inner.read_from(offset, buffer)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        match lock(&self.state).write_step(bytes.len())? {
            Outcome::Done => self.inner.append(bytes),
            Outcome::Part(part, error) => {
                self.inner.append(&bytes[..part])?;
                Err(error)
            }
        }
    }

    fn truncate(&mut self, size_bytes: u64) -> io::Result<()> {
        lock(&self.state).step()?;
        self.inner.truncate(size_bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut state = lock(&self.state);
        state.counts.synced += 1;
        state.step()?;
        let skip = state.no_flushes;
        drop(state);
        if skip { Ok(()) } else { self.inner.sync() }
    }
}
