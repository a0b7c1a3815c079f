//! From a path of a transaction to the real file, and the two ways in which a file changes.

use super::super::file_system::{FileKind, FileSystem, ReadOutcome, Status};
use super::super::fingerprint::{Fingerprint, xxh64};
use super::super::paths::{NAME_LIMIT, is_hidden};
use super::Refusal;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

const TEMPORARY_END: &str = ".jtmp";

/// Whether a name is that of a temporary of a save: `.<name>.jtmp`. Such files are left over from a crash and never loaded.
#[must_use]
pub fn is_temporary(name: &str) -> bool {
    is_hidden(name) && name.ends_with(TEMPORARY_END)
}

/// A relative path of plain names: none empty, none beginning with a dot (so no `..`, and nothing of git), none with a separator
/// or a drive.
pub(super) fn is_plain_path(path: &str) -> bool {
    let refused = |b: u8| matches!(b, b'\\' | b'\0') || (cfg!(windows) && b == b':');
    !path.bytes().any(refused) && path.split('/').all(|name| !name.is_empty() && !is_hidden(name))
}

/// The temporary beside `file`. Of a name that leaves no room for the marks around it, its hash is taken instead.
pub(super) fn temporary_of(file: &Path) -> PathBuf {
    let of = file.file_name().unwrap_or_default();
    let mut name = OsString::from(".");
    if of.len() > NAME_LIMIT {
        name.push(format!("{:016x}", xxh64(of.as_encoded_bytes())));
    } else {
        name.push(of);
    }
    name.push(TEMPORARY_END);
    file.with_file_name(name)
}

/// Gives `file` the content `bytes` in one step: temporary beside it, rename over it.
pub(super) fn replace(fs: &dyn FileSystem, file: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
    let temporary = temporary_of(file);
    let written = match fs.create_write(&temporary, bytes, mode) {
        // The folder of a new file may be new as well.
        Err(error) if error.kind() == io::ErrorKind::NotFound => file
            .parent()
            .map_or(Ok(()), |folder| fs.create_dir_all(folder))
            .and_then(|()| fs.create_write(&temporary, bytes, mode)),
        written => written,
    };
    let replaced = written.and_then(|()| fs.rename(&temporary, file));
    if replaced.is_err() {
        // The first error counts; a left-over is never loaded.
        let _ = fs.remove(&temporary);
    }
    replaced
}

/// Removes `file`; one that is gone is removed.
pub(super) fn remove(fs: &dyn FileSystem, file: &Path) -> io::Result<()> {
    match fs.remove(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Where a path of a transaction leads.
pub(super) struct Target {
    /// The name itself, in its real folder.
    pub(super) place: PathBuf,
    /// The file: `place`, or what the link there leads to.
    pub(super) file: PathBuf,
    /// Of the file; `None` if there is none.
    pub(super) status: Option<Status>,
}

/// How the content of a file compares with a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// As it was before the step.
    Old,
    /// As it is after the step.
    New,
    /// Neither.
    Other,
}

/// Finds the real files of one content folder; each folder is looked up once.
pub(super) struct Targets<'a> {
    fs: &'a dyn FileSystem,
    /// Without links.
    root: PathBuf,
    folders: HashMap<Box<str>, PathBuf>,
    buffer: Vec<u8>,
}

impl<'a> Targets<'a> {
    pub(super) fn new(fs: &'a dyn FileSystem, root: &Path) -> io::Result<Self> {
        Ok(Targets { fs, root: fs.canonicalize(root)?, folders: HashMap::new(), buffer: Vec::new() })
    }

    /// The content folder without links.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Follows `path` to the file that is to be written. Nothing is opened.
    pub(super) fn find(&mut self, path: &str) -> Result<Target, Refusal> {
        let place = self.place(path)?;
        let Some(status) = self.status(&place)? else {
            return Ok(Target { file: place.clone(), place, status: None });
        };
        match status.kind {
            FileKind::File => Ok(Target { file: place.clone(), place, status: Some(status) }),
            FileKind::Symlink => {
                let file = match self.fs.canonicalize(&place) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Refusal::Gone),
                    file => file.map_err(unreadable)?,
                };
                self.check_inside(&file)?;
                match self.status(&file)? {
                    Some(status) if status.kind == FileKind::File => Ok(Target { place, file, status: Some(status) }),
                    Some(_) => Err(Refusal::NotAFile),
                    None => Err(Refusal::Gone),
                }
            }
            FileKind::Folder | FileKind::Other => Err(Refusal::NotAFile),
        }
    }

    /// Compares the file with what it held before a step and what it holds after it, where `None` is no file.
    ///
    /// The file is opened only if it has the size of one of them.
    pub(super) fn compare(
        &mut self,
        target: &Target,
        old: Option<Fingerprint>,
        new: Option<Fingerprint>,
    ) -> Result<Found, Refusal> {
        let mut found = None;
        if let Some(status) = target.status {
            if ![old, new].iter().flatten().any(|known| known.size_bytes == status.size_bytes) {
                return Ok(Found::Other);
            }
            match self.fs.read(&target.file, &mut self.buffer, status.size_bytes) {
                Ok(ReadOutcome::Whole) => found = Some(Fingerprint::of(&self.buffer)),
                Ok(ReadOutcome::TooLarge { .. }) => return Ok(Found::Other),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(unreadable(error)),
            }
        }
        Ok(match found {
            _ if found == new => Found::New,
            _ if found == old => Found::Old,
            _ => Found::Other,
        })
    }

    fn status(&self, path: &Path) -> Result<Option<Status>, Refusal> {
        match self.fs.status(path) {
            Ok(status) => Ok(Some(status)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => Err(Refusal::NotAFile),
            Err(error) => Err(unreadable(error)),
        }
    }

    fn place(&mut self, path: &str) -> Result<PathBuf, Refusal> {
        if !is_plain_path(path) {
            return Err(Refusal::BadPath);
        }
        match path.rsplit_once('/') {
            Some((folder, name)) => Ok(self.folder(folder)?.join(name)),
            None => Ok(self.root.join(path)),
        }
    }

    /// The real folder, which need not exist: then the nearest one above it that does is looked at.
    fn folder(&mut self, path: &str) -> Result<PathBuf, Refusal> {
        let mut missing = Vec::new();
        let mut above = path;
        let mut real = loop {
            if let Some(real) = self.folders.get(above) {
                break real.clone();
            }
            match self.fs.canonicalize(&self.root.join(above)) {
                Ok(real) => {
                    self.check_inside(&real)?;
                    break real;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => match above.rsplit_once('/') {
                    Some((next, name)) => {
                        missing.push(name);
                        above = next;
                    }
                    None => {
                        missing.push(above);
                        break self.root.clone();
                    }
                },
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Err(Refusal::NotAFile),
                Err(error) => return Err(unreadable(error)),
            }
        };
        real.extend(missing.iter().rev());
        self.folders.insert(path.into(), real.clone());
        Ok(real)
    }

    /// Inside the content folder, and not under a hidden name in it.
    fn check_inside(&self, real: &Path) -> Result<(), Refusal> {
        let inside = real.strip_prefix(&self.root).map_err(|_| Refusal::LinkLeavesRoot)?;
        let hidden = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
        if inside.components().any(hidden) { Err(Refusal::LinkLeavesRoot) } else { Ok(()) }
    }
}

fn unreadable(error: io::Error) -> Refusal {
    Refusal::Unreadable(error.into())
}
