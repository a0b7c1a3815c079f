//! The only door to the disk: a trait of single steps, so that a test can count them and stop after any of them.
//!
//! Paths are real ones, as the operating system takes them; nothing here normalises or checks. Every method is one step: it has
//! happened or it has not, except [`FileSystem::create_write`] and [`LogFile::append`], which a crash may leave half done.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// What a name in a folder stands for; a symbolic link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, whatever it leads to.
    Symlink,
    /// A pipe, socket or device: never read.
    Other,
}

/// One name in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name as it is stored, which need not be UTF-8.
    pub name: OsString,
    /// What it stands for.
    pub kind: FileKind,
}

/// What [`FileSystem::status`] finds out about a path without following a link at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    /// What the path stands for.
    pub kind: FileKind,
    /// Length in bytes.
    pub size_bytes: u64,
    /// Permission bits, where the system has them.
    pub mode: Option<u32>,
    /// When the content changed last, in nanoseconds since 1970; `None` before that or where the system does not say.
    pub modified_ns: Option<u64>,
}

/// How a read into a kept buffer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOutcome {
    /// The buffer holds the whole file.
    Whole,
    /// The file is larger than the limit; the buffer is empty.
    TooLarge {
        /// Length of the file in bytes.
        size_bytes: u64,
    },
}

/// An error of the operating system as a value that can be kept, compared and shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Fault {
    /// The kind, for decisions.
    pub kind: io::ErrorKind,
    /// The system's own words, for people.
    pub text: Box<str>,
}

impl From<io::Error> for Fault {
    #[cold]
    fn from(error: io::Error) -> Self {
        Fault { kind: error.kind(), text: error.to_string().into() }
    }
}

/// A folder held open, so that its files are found by name alone.
pub trait Folder: Send + Sync {
    /// Reads the file `name` of this folder into `buffer`, which is cleared first and grows when the file is larger.
    ///
    /// Three system calls for a file that fits into the buffer; keep the buffer between calls. A pipe does not block.
    ///
    /// # Errors
    /// Whatever the system says: not found, no permission, a folder.
    fn read_into(&self, name: &OsStr, buffer: &mut Vec<u8>, limit_bytes: u64) -> io::Result<ReadOutcome>;
}

/// The redo file, held open and locked against other processes until it is dropped.
pub trait LogFile: Send {
    /// Length in bytes.
    ///
    /// # Errors
    /// Whatever the system says.
    fn size_bytes(&mut self) -> io::Result<u64>;

    /// Reads everything from `offset` to the end into `buffer`, which is cleared first.
    ///
    /// # Errors
    /// Whatever the system says.
    fn read_from(&mut self, offset: u64, buffer: &mut Vec<u8>) -> io::Result<()>;

    /// Writes `bytes` at the end. A crash may leave a part of them.
    ///
    /// # Errors
    /// Whatever the system says; a part may have been written.
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Cuts the file to `size_bytes`.
    ///
    /// # Errors
    /// Whatever the system says.
    fn truncate(&mut self, size_bytes: u64) -> io::Result<()>;

    /// Returns when content and length are on the disk (`fdatasync`).
    ///
    /// # Errors
    /// Whatever the system says. What was written since the last flush may be lost, also if a later flush succeeds.
    fn sync(&mut self) -> io::Result<()>;
}

/// The steps of which loading and saving consist.
pub trait FileSystem: Send + Sync {
    /// The names in `folder`, without `.` and `..`, in the order in which the system gives them.
    ///
    /// # Errors
    /// Whatever the system says.
    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>>;

    /// Opens `folder` for reading files by name.
    ///
    /// # Errors
    /// Whatever the system says.
    fn open_folder(&self, folder: &Path) -> io::Result<Box<dyn Folder>>;

    /// Reads the file at `path` into `buffer`, which is cleared first. Links are followed.
    ///
    /// # Errors
    /// Whatever the system says.
    fn read(&self, path: &Path, buffer: &mut Vec<u8>, limit_bytes: u64) -> io::Result<ReadOutcome>;

    /// Looks at `path` without following a link at its end.
    ///
    /// # Errors
    /// Whatever the system says; `NotFound` if there is nothing.
    fn status(&self, path: &Path) -> io::Result<Status>;

    /// The absolute path with every link followed.
    ///
    /// # Errors
    /// Whatever the system says; `NotFound` if a part is missing.
    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf>;

    /// Creates the file `path`, or empties it, and writes `bytes`, with the permission bits `mode` where the system has them.
    /// A link at the end of `path` is refused. A crash may leave a part of the bytes; nothing is flushed.
    ///
    /// # Errors
    /// Whatever the system says; a part may have been written.
    fn create_write(&self, path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()>;

    /// Returns when content and length of the file are on the disk.
    ///
    /// # Errors
    /// Whatever the system says.
    fn sync_file(&self, path: &Path) -> io::Result<()>;

    /// Returns when the names in `folder` are on the disk; does nothing where the system cannot flush a folder.
    ///
    /// # Errors
    /// Whatever the system says.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// Returns when everything that happened to `files` under `root` is on the disk: contents, names and removals.
    ///
    /// One call for the whole file system where there is one (`syncfs`), else a flush of each file and folder.
    ///
    /// # Errors
    /// Whatever the system says.
    fn settle(&self, root: &Path, files: &[PathBuf]) -> io::Result<()>;

    /// Gives `from` the name `to`, replacing what is there in one step.
    ///
    /// # Errors
    /// Whatever the system says.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes the file or link `path`.
    ///
    /// # Errors
    /// Whatever the system says.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Creates `folder` and what is missing above it.
    ///
    /// # Errors
    /// Whatever the system says.
    fn create_dir_all(&self, folder: &Path) -> io::Result<()>;

    /// Opens the log at `path`, creating it if it is missing, and locks it; `None` if another process holds the lock.
    ///
    /// # Errors
    /// Whatever the system says.
    fn open_log(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>>;
}
