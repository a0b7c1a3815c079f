//! `<content folder>/.juliet`: what belongs to this working copy alone and never to the repository.
//!
//! It holds a `.gitignore` of `*`, so that no ignore rule of the project has to name it.

use super::file_system::{FileKind, FileSystem};
use std::io;
use std::path::{Path, PathBuf};

/// Name of the folder inside the content folder.
pub(super) const LOCAL_FOLDER: &str = ".juliet";

/// Path of `name` in the local folder of `root`.
pub(super) fn local_path(root: &Path, name: &str) -> PathBuf {
    root.join(LOCAL_FOLDER).join(name)
}

/// Whether the local folder is there and is a folder: a link in its place is not followed.
pub(super) fn is_local_folder(fs: &dyn FileSystem, root: &Path) -> bool {
    fs.status(&root.join(LOCAL_FOLDER)).is_ok_and(|found| found.kind == FileKind::Folder)
}

/// Makes the local folder if it is missing and returns its path. Names are flushed, so that they outlive a power loss.
///
/// Two steps if it is there.
///
/// # Errors
/// Whatever the system says; a link or a file in its place is refused.
pub(super) fn make_local_folder(fs: &dyn FileSystem, root: &Path) -> io::Result<PathBuf> {
    let folder = root.join(LOCAL_FOLDER);
    match fs.status(&folder) {
        Ok(found) if found.kind == FileKind::Folder => {}
        Ok(_) => {
            let text = format!("{} is not a folder", folder.display());
            return Err(io::Error::new(io::ErrorKind::NotADirectory, text));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Creates `.juliet` alone: a missing content folder is a mistake of the caller.
            fs.status(root)?;
            fs.create_dir_all(&folder)?;
            fs.sync_folder(root)?;
        }
        Err(error) => return Err(error),
    }
    let ignore = folder.join(".gitignore");
    match fs.status(&ignore) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs.create_write(&ignore, b"*\n", None)?;
            fs.sync_folder(&folder)?;
        }
        found => drop(found?),
    }
    Ok(folder)
}
