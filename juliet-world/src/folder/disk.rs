//! The real disk: system calls through rustix on Unix, `std::fs` elsewhere.
//!
//! On Unix a file is read by three calls: `openat` on the folder's handle, one `read` into the kept buffer, `close`. A read that
//! does not fill the room it was given has met the end of a regular file, so neither `fstat` nor a second `read` is needed.

use super::file_system::{Entry, FileKind, FileSystem, Folder, LogFile, ReadOutcome, Status};
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

#[cfg(not(unix))]
use portable as system;
#[cfg(unix)]
use unix as system;

/// Room that a kept buffer starts with, in bytes: larger than nearly every `.jasset`.
const FIRST_ROOM: usize = 64 << 10;

/// The disk of this computer.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskFileSystem;

impl FileSystem for DiskFileSystem {
    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        system::list(folder)
    }

    fn open_folder(&self, folder: &Path) -> io::Result<Box<dyn Folder>> {
        Ok(Box::new(system::OpenFolder::open(folder)?))
    }

    fn read(&self, path: &Path, buffer: &mut Vec<u8>, limit_bytes: u64) -> io::Result<ReadOutcome> {
        system::read(path, buffer, limit_bytes)
    }

    fn status(&self, path: &Path) -> io::Result<Status> {
        let found = fs::symlink_metadata(path)?;
        let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(Status {
            kind: kind_of(found.file_type()),
            size_bytes: found.len(),
            mode: system::mode(&found),
            modified_ns: modified.and_then(|time| u64::try_from(time.as_nanos()).ok()),
        })
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn create_write(&self, path: &Path, bytes: &[u8], mode: Option<u32>) -> io::Result<()> {
        system::create(path, mode)?.write_all(bytes)
    }

    fn sync_file(&self, path: &Path) -> io::Result<()> {
        system::open_to_sync(path)?.sync_all()
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        system::sync_folder(folder)
    }

    fn settle(&self, root: &Path, files: &[PathBuf]) -> io::Result<()> {
        system::settle(self, root, files)
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        system::while_held(|| fs::rename(from, to))
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        system::while_held(|| fs::remove_file(path))
    }

    fn create_dir_all(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder)
    }

    fn open_log(&self, path: &Path) -> io::Result<Option<Box<dyn LogFile>>> {
        let file = system::open_log(path)?;
        if !file.metadata()?.is_file() {
            // What is written to a pipe is gone, or is waited for forever.
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is something other than a file"));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Some network file systems have no locks; a save without one is better than none.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        Ok(Some(Box::new(Log(file))))
    }
}

/// The redo file, locked.
struct Log(File);

impl Drop for Log {
    fn drop(&mut self) {
        // The lock belongs to the open file, and a process that another thread is just starting shares that until it is under
        // way: closing our handle alone would keep the folder locked for that moment.
        let _ = self.0.unlock();
    }
}

impl LogFile for Log {
    fn size_bytes(&mut self) -> io::Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn read_from(&mut self, offset: u64, buffer: &mut Vec<u8>) -> io::Result<()> {
        buffer.clear();
        self.0.seek(SeekFrom::Start(offset))?;
        self.0.read_to_end(buffer).map(drop)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.seek(SeekFrom::End(0))?;
        self.0.write_all(bytes)
    }

    fn truncate(&mut self, size_bytes: u64) -> io::Result<()> {
        self.0.set_len(size_bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.0.sync_data()
    }
}

fn kind_of(kind: fs::FileType) -> FileKind {
    if kind.is_file() {
        FileKind::File
    } else if kind.is_dir() {
        FileKind::Folder
    } else if kind.is_symlink() {
        FileKind::Symlink
    } else {
        FileKind::Other
    }
}

/// Flushes each file that is there and each folder that held one: for systems without a flush of everything.
#[cfg(any(test, not(any(target_os = "linux", target_os = "android"))))]
fn settle_one_by_one(disk: &DiskFileSystem, root: &Path, files: &[PathBuf]) -> io::Result<()> {
    let mut folders = std::collections::BTreeSet::new();
    for file in files {
        match disk.sync_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // A folder that was made by the save has a name of its own to flush, up to the root.
        folders.extend(file.ancestors().skip(1).take_while(|f| f.starts_with(root)));
    }
    for folder in folders {
        match disk.sync_folder(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(unix)]
mod unix {
    use super::*;
    use rustix::fd::{AsFd, OwnedFd};
    use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
    use rustix::io::retry_on_intr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::MetadataExt;

    pub(super) struct OpenFolder(OwnedFd);

    impl OpenFolder {
        pub(super) fn open(folder: &Path) -> io::Result<Self> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(OpenFolder(retry_on_intr(|| rustix::fs::openat(CWD, folder, flags, Mode::empty()))?))
        }
    }

    impl Folder for OpenFolder {
        fn read_into(&self, name: &OsStr, buffer: &mut Vec<u8>, limit_bytes: u64) -> io::Result<ReadOutcome> {
            read_at(self.0.as_fd(), name.as_bytes(), buffer, limit_bytes)
        }
    }

    pub(super) fn read(path: &Path, buffer: &mut Vec<u8>, limit_bytes: u64) -> io::Result<ReadOutcome> {
        read_at(CWD, path.as_os_str().as_bytes(), buffer, limit_bytes)
    }

    fn read_at(folder: impl AsFd, name: &[u8], buffer: &mut Vec<u8>, limit_bytes: u64) -> io::Result<ReadOutcome> {
        buffer.clear();
        buffer.reserve(FIRST_ROOM);
        // A pipe would block the open until somebody writes to it; regular files do not know the flag.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = retry_on_intr(|| rustix::fs::openat(&folder, name, flags, Mode::empty()))?;
        loop {
            let room = buffer.capacity() - buffer.len();
            let read = retry_on_intr(|| rustix::io::read(&file, rustix::buffer::spare_capacity(buffer)))?;
            if buffer.len() as u64 > limit_bytes {
                buffer.clear();
                let size_bytes = u64::try_from(rustix::fs::fstat(&file)?.st_size).unwrap_or(0);
                return Ok(ReadOutcome::TooLarge { size_bytes });
            }
            if read < room {
                return Ok(ReadOutcome::Whole);
            }
            // Doubles, so that a large file costs a few calls more and no second copy of each byte.
            buffer.reserve(buffer.len().max(FIRST_ROOM));
        }
    }

    pub(super) fn list(folder: &Path) -> io::Result<Vec<Entry>> {
        let folder = OpenFolder::open(folder)?;
        let mut entries = Vec::new();
        each_name(&folder.0, |name, kind| {
            if name == b"." || name == b".." {
                return Ok(());
            }
            let kind = match kind {
                // Not every file system stores the kind beside the name.
                FileType::Unknown => {
                    let found = rustix::fs::statat(&folder.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
                    FileType::from_raw_mode(found.st_mode)
                }
                known => known,
            };
            entries.push(Entry {
                name: OsStr::from_bytes(name).to_owned(),
                kind: match kind {
                    FileType::RegularFile => FileKind::File,
                    FileType::Directory => FileKind::Folder,
                    FileType::Symlink => FileKind::Symlink,
                    _ => FileKind::Other,
                },
            });
            Ok(())
        })?;
        Ok(entries)
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn each_name(folder: &OwnedFd, mut f: impl FnMut(&[u8], FileType) -> io::Result<()>) -> io::Result<()> {
        let mut buffer = Vec::with_capacity(FIRST_ROOM);
        let mut names = rustix::fs::RawDir::new(folder, buffer.spare_capacity_mut());
        while let Some(entry) = names.next() {
            let entry = entry?;
            f(entry.file_name().to_bytes(), entry.file_type())?;
        }
        Ok(())
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn each_name(folder: &OwnedFd, mut f: impl FnMut(&[u8], FileType) -> io::Result<()>) -> io::Result<()> {
        for entry in rustix::fs::Dir::read_from(folder)? {
            let entry = entry?;
            f(entry.file_name().to_bytes(), entry.file_type())?;
        }
        Ok(())
    }

    pub(super) fn mode(found: &fs::Metadata) -> Option<u32> {
        Some(found.mode() & 0o7777)
    }

    pub(super) fn create(path: &Path, mode: Option<u32>) -> io::Result<File> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let bits = mode.map(mode_bits);
        // Never wider than asked for, not even until the second call.
        let first = bits.unwrap_or(Mode::from_raw_mode(0o666));
        let file = retry_on_intr(|| rustix::fs::openat(CWD, path, flags, first))?;
        if let Some(bits) = bits {
            // The mask of the process took bits away, and an old temporary has bits of its own.
            rustix::fs::fchmod(&file, bits)?;
        }
        Ok(file.into())
    }

    fn mode_bits(mode: u32) -> Mode {
        // The raw type is 16 bits wide on some systems; permission bits fit into 12.
        Mode::from_bits_truncate((mode & 0o7777) as _)
    }

    pub(super) fn open_log(path: &Path) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(retry_on_intr(|| rustix::fs::openat(CWD, path, flags, Mode::from_raw_mode(0o666)))?.into())
    }

    pub(super) fn open_to_sync(path: &Path) -> io::Result<File> {
        File::open(path)
    }

    pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
        File::open(folder)?.sync_all()
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    pub(super) fn settle(_: &DiskFileSystem, root: &Path, _: &[PathBuf]) -> io::Result<()> {
        Ok(rustix::fs::syncfs(OpenFolder::open(root)?.0)?)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(super) fn settle(disk: &DiskFileSystem, root: &Path, files: &[PathBuf]) -> io::Result<()> {
        settle_one_by_one(disk, root, files)
    }

    /// Here an open file is no obstacle.
    pub(super) fn while_held(step: impl Fn() -> io::Result<()>) -> io::Result<()> {
        step()
    }
}

/// Built in tests everywhere, so that it is known to work before a system needs it.
#[cfg(any(test, not(unix)))]
#[cfg_attr(
    unix,
    expect(dead_code, reason = "only the parts that do not depend on the system are run by tests on Unix")
)]
mod portable {
    use super::*;
    use std::time::Duration;

    pub(super) struct OpenFolder(PathBuf);

    impl OpenFolder {
        pub(super) fn open(folder: &Path) -> io::Result<Self> {
            fs::read_dir(folder)?;
            Ok(OpenFolder(folder.to_owned()))
        }
    }

    impl Folder for OpenFolder {
        fn read_into(&self, name: &OsStr, buffer: &mut Vec<u8>, limit_bytes: u64) -> io::Result<ReadOutcome> {
            read(&self.0.join(name), buffer, limit_bytes)
        }
    }

    pub(super) fn read(path: &Path, buffer: &mut Vec<u8>, limit_bytes: u64) -> io::Result<ReadOutcome> {
        buffer.clear();
        buffer.reserve(FIRST_ROOM);
        let file = File::open(path)?;
        Read::by_ref(&mut &file).take(limit_bytes.saturating_add(1)).read_to_end(buffer)?;
        if buffer.len() as u64 > limit_bytes {
            buffer.clear();
            return Ok(ReadOutcome::TooLarge { size_bytes: file.metadata()?.len() });
        }
        Ok(ReadOutcome::Whole)
    }

    pub(super) fn list(folder: &Path) -> io::Result<Vec<Entry>> {
        fs::read_dir(folder)?
            .map(|entry| {
                let entry = entry?;
                Ok(Entry { name: entry.file_name(), kind: kind_of(entry.file_type()?) })
            })
            .collect()
    }

    pub(super) fn mode(_: &fs::Metadata) -> Option<u32> {
        None
    }

    pub(super) fn create(path: &Path, _: Option<u32>) -> io::Result<File> {
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "a symbolic link is in the way"));
        }
        File::create(path)
    }

    pub(super) fn open_log(path: &Path) -> io::Result<File> {
        File::options().read(true).write(true).create(true).truncate(false).open(path)
    }

    /// Flushing takes a handle that may write.
    pub(super) fn open_to_sync(path: &Path) -> io::Result<File> {
        File::options().write(true).open(path)
    }

    /// A folder cannot be flushed through `std` on Windows; NTFS keeps names in its journal.
    pub(super) fn sync_folder(_: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn settle(disk: &DiskFileSystem, root: &Path, files: &[PathBuf]) -> io::Result<()> {
        settle_one_by_one(disk, root, files)
    }

    /// Tries again while another program (an editor, a virus scanner) holds the file: a few times within 150 ms.
    pub(super) fn while_held(step: impl Fn() -> io::Result<()>) -> io::Result<()> {
        const ERROR_ACCESS_DENIED: i32 = 5;
        const ERROR_SHARING_VIOLATION: i32 = 32;
        for wait_ms in [10, 40, 100] {
            match step() {
                Err(error) if matches!(error.raw_os_error(), Some(ERROR_ACCESS_DENIED | ERROR_SHARING_VIOLATION)) => {
                    std::thread::sleep(Duration::from_millis(wait_ms));
                }
                done => return done,
            }
        }
        step()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    #[test]
    fn kept_buffer_takes_small_and_large_files_and_refuses_past_the_limit() {
        let dir = tempfile::tempdir().unwrap();
        let large: Vec<u8> = (0..300_000u32).map(|i| i as u8).collect();
        fs::write(dir.path().join("small"), "abc").unwrap();
        fs::write(dir.path().join("empty"), "").unwrap();
        fs::write(dir.path().join("large"), &large).unwrap();
        fs::write(dir.path().join("first-room"), &large[..FIRST_ROOM]).unwrap();
        let on_unix: Box<dyn Folder> = DiskFileSystem.open_folder(dir.path()).unwrap();
        let elsewhere: Box<dyn Folder> = Box::new(portable::OpenFolder::open(dir.path()).unwrap());
        for folder in [on_unix, elsewhere] {
            let mut buffer = b"left from before".to_vec();
            let mut read = |name: &str, limit| {
                let outcome = folder.read_into(name.as_ref(), &mut buffer, limit).unwrap();
                (outcome, buffer.clone())
            };
            assert_eq!(read("small", 3), (ReadOutcome::Whole, b"abc".to_vec()));
            assert_eq!(read("small", 2), (ReadOutcome::TooLarge { size_bytes: 3 }, vec![]));
            assert_eq!(read("empty", 0), (ReadOutcome::Whole, vec![]));
            assert_eq!(read("large", 300_000), (ReadOutcome::Whole, large.clone()));
            assert_eq!(read("large", 299_999), (ReadOutcome::TooLarge { size_bytes: 300_000 }, vec![]));
            assert_eq!(read("first-room", u64::MAX), (ReadOutcome::Whole, large[..FIRST_ROOM].to_vec()));
            let missing = folder.read_into("none".as_ref(), &mut buffer, 9).unwrap_err();
            assert_eq!(missing.kind(), io::ErrorKind::NotFound);
            assert!(buffer.is_empty());
        }
    }

    #[test]
    fn listing_tells_files_folders_and_links_apart() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a.jasset"), "").unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        let mut expected = vec![("a.jasset", FileKind::File)];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("a.jasset", dir.path().join("link")).unwrap();
            expected.push(("link", FileKind::Symlink));
        }
        expected.push(("sub", FileKind::Folder));
        for mut found in [DiskFileSystem.list(dir.path()).unwrap(), portable::list(dir.path()).unwrap()] {
            found.sort_by(|a, b| a.name.cmp(&b.name));
            let found: Vec<_> = found.iter().map(|e| (e.name.to_str().unwrap(), e.kind)).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn listing_a_large_folder_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        for i in 0..1_000 {
            fs::write(dir.path().join(format!("a name that is long enough to fill the buffer {i:05}")), "").unwrap();
        }
        assert_eq!(DiskFileSystem.list(dir.path()).unwrap().len(), 1_000);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_does_not_block_the_reader() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        let mut buffer = Vec::new();
        assert_eq!(DiskFileSystem.read(&path, &mut buffer, 100).unwrap(), ReadOutcome::Whole);
        assert!(buffer.is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn created_file_has_exactly_the_mode_asked_for_and_follows_no_link() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f");
        for mode in [0o640, 0o777, 0o400] {
            let _ = fs::remove_file(&path);
            DiskFileSystem.create_write(&path, b"x", Some(mode)).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, mode);
        }
        symlink("f", dir.path().join("link")).unwrap();
        assert!(DiskFileSystem.create_write(&dir.path().join("link"), b"y", None).is_err());
        assert!(portable::create(&dir.path().join("link"), None).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"x");
    }

    #[test]
    fn settling_one_by_one_skips_what_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), "a").unwrap();
        let files = [dir.path().join("a"), dir.path().join("gone"), dir.path().join("no/such/folder")];
        settle_one_by_one(&DiskFileSystem, dir.path(), &files).unwrap();
        DiskFileSystem.settle(dir.path(), &files).unwrap();
    }

    #[test]
    fn second_handle_does_not_get_the_lock_until_the_first_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("redo");
        let first = DiskFileSystem.open_log(&path).unwrap().unwrap();
        assert!(DiskFileSystem.open_log(&path).unwrap().is_none());
        drop(first);
        assert!(DiskFileSystem.open_log(&path).unwrap().is_some());
    }

    #[test]
    fn lock_is_given_up_although_a_starting_process_still_shares_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("redo");
        let file = system::open_log(&path).unwrap();
        file.try_lock().unwrap();
        // What a fork in another thread does to the handle until the new program runs.
        let shared = file.try_clone().unwrap();
        drop(Log(file));
        assert!(DiskFileSystem.open_log(&path).unwrap().is_some());
        drop(shared);
    }
}
