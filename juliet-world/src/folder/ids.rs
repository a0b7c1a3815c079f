//! Ids of entities: 64 bits that two people on two branches do not hand out twice.
//!
//! ```text
//! 63            48 47                                             0
//! ┌───────────────┬────────────────────────────────────────────────┐
//! │   namespace   │                    counter                     │
//! └───────────────┴────────────────────────────────────────────────┘
//! 0x0000           no id: neither namespace nor id is ever 0
//! 0x0001..=0xFFFE  one working copy, drawn once, kept in `.juliet/namespace`
//! 0xFFFF           derived: 48 bits of a hash of the file's path, for a file without an id until it is saved
//! ```
//!
//! The namespace is random: with 20 working copies the chance that two share one is 0.3 %, and then only ids given out at the
//! same counter collide, which the load reports. A working copy made by copying the folder of another keeps its namespace;
//! removing `.juliet/namespace` gives it one of its own.

use super::file_system::{Fault, FileSystem, ReadOutcome};
use super::fingerprint::xxh64;
use super::local::{local_path, make_local_folder};
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Bits of an id that count; the 16 above them are the namespace.
pub const COUNTER_BITS: u32 = 48;
/// The namespace of ids derived from a path.
pub const DERIVED_NAMESPACE: u16 = 0xFFFF;

const COUNTER_MAX: u64 = (1 << COUNTER_BITS) - 1;
const FILE_NAME: &str = "namespace";
/// More than the file ever has, in bytes.
const FILE_LIMIT: u64 = 4096;
const HEADER: &str =
    "# The id namespace of this working copy, drawn at random. Never copy it to another working copy.\n";

/// The upper 16 bits of the ids that one working copy gives out: `0x0001..=0xFFFE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Namespace(u16);

impl Namespace {
    /// The namespace of worlds that have no folder.
    pub const UNSAVED: Self = Self(1);

    /// The namespace with this number, unless it is one of the two that are taken (0 and [`DERIVED_NAMESPACE`]).
    #[must_use]
    pub fn new(number: u16) -> Option<Self> {
        (number != 0 && number != DERIVED_NAMESPACE).then_some(Namespace(number))
    }

    /// Its number.
    #[must_use]
    pub fn number(self) -> u16 {
        self.0
    }

    /// Draws one at random.
    ///
    /// The source is the random keys that `std` gives each hash map, stirred with the time and the process id: far from
    /// cryptographic, and plenty for a number that is drawn once a working copy.
    fn draw() -> Self {
        loop {
            let mut hasher = RandomState::new().build_hasher();
            std::process::id().hash(&mut hasher);
            SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().hash(&mut hasher);
            // Every one of 65,536 values is as likely; two are refused, so this ends at once.
            if let Some(namespace) = Namespace::new((hasher.finish() >> COUNTER_BITS) as u16) {
                return namespace;
            }
        }
    }
}

/// Why there is no namespace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NamespaceError {
    /// The file is there and holds something else. It is never replaced by itself: ids that it gave out may be in use.
    #[error(
        "{} does not hold a namespace (one line such as `0x01A2`); restore it, or remove it to have a new one drawn",
        path.display()
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be read or made.
    #[error("cannot read or make {}: {fault}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        fault: Fault,
    },
}

/// Reads the namespace of the working copy whose content folder is `root`, and draws it the first time.
///
/// Two processes that draw at the same moment both go on with a namespace of their own or share one; neither is wrong.
///
/// # Errors
/// [`NamespaceError::Corrupt`] if the file holds something else, [`NamespaceError::Io`] if the disk fails.
pub fn load_namespace(fs: &dyn FileSystem, root: &Path) -> Result<Namespace, NamespaceError> {
    let path = local_path(root, FILE_NAME);
    let io_error = |error: io::Error| NamespaceError::Io { path: path.clone(), fault: error.into() };
    let mut buffer = Vec::new();
    match fs.read(&path, &mut buffer, FILE_LIMIT) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            write_new(fs, root, &path, Namespace::draw()).map_err(io_error)?;
            // What is there now counts, also if another process was faster or slower.
            fs.read(&path, &mut buffer, FILE_LIMIT).map_err(io_error)?;
        }
        Err(error) => return Err(io_error(error)),
        Ok(ReadOutcome::TooLarge { .. }) => buffer.clear(),
        Ok(ReadOutcome::Whole) => {}
    }
    parse(&buffer).ok_or(NamespaceError::Corrupt { path })
}

/// Temporary, flush, rename, flush of the folder: the file is never seen half written.
fn write_new(fs: &dyn FileSystem, root: &Path, path: &Path, namespace: Namespace) -> io::Result<()> {
    let folder = make_local_folder(fs, root)?;
    // One name for each thread that draws: a shared one would be renamed away under the other.
    static DRAWN: AtomicU32 = AtomicU32::new(0);
    let number = DRAWN.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!(".{FILE_NAME}.{}-{number}.jtmp", std::process::id()));
    let text = format!("{HEADER}{:#06X}\n", namespace.0).replace("0X", "0x");
    let written = fs
        .create_write(&temporary, text.as_bytes(), None)
        .and_then(|()| fs.sync_file(&temporary))
        .and_then(|()| fs.rename(&temporary, path));
    if written.is_err() {
        // The first error counts; the left-over is ignored by git and by every load.
        let _ = fs.remove(&temporary);
    }
    written.and_then(|()| fs.sync_folder(&folder))
}

/// One line `0x` and four hex digits; blank lines and lines that begin with `#` are skipped.
fn parse(bytes: &[u8]) -> Option<Namespace> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let digits =
        lines.next()?.strip_prefix("0x").filter(|d| d.len() == 4 && d.bytes().all(|b| b.is_ascii_hexdigit()))?;
    match lines.next() {
        None => Namespace::new(u16::from_str_radix(digits, 16).ok()?),
        Some(_) => None,
    }
}

/// The id of a file that has none: the same in every process and on every system, until the file is saved or moved.
///
/// `path` is the normalised path of the file relative to the content folder. O(length), no allocation.
/// Two paths share one with a chance of 1 in 2⁴⁸; the load then reports a duplicate id like any other.
#[must_use]
pub fn derived_id(path: &str) -> u64 {
    let hash = xxh64(path.as_bytes());
    (u64::from(DERIVED_NAMESPACE) << COUNTER_BITS) | ((hash ^ (hash >> COUNTER_BITS)) & COUNTER_MAX)
}

/// The namespace has no number left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "id namespace {namespace:#06x} has given out its last id; remove `.juliet/namespace` in the content folder to draw a new one"
)]
pub struct Exhausted {
    /// The namespace that is used up.
    pub namespace: u16,
}

/// Gives out the ids of one namespace, upwards from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdSource {
    namespace: Namespace,
    /// The counter of the next id; one past the largest when there is none left.
    next: u64,
}

impl IdSource {
    /// A source that has given out nothing yet.
    #[must_use]
    pub fn new(namespace: Namespace) -> Self {
        IdSource { namespace, next: 1 }
    }

    /// The namespace of every id from here.
    #[must_use]
    pub fn namespace(&self) -> Namespace {
        self.namespace
    }

    /// A new id. O(1).
    ///
    /// # Errors
    /// [`Exhausted`] after 2⁴⁸ − 1 ids, or after [`reserve`](Self::reserve) saw the last one.
    pub fn allocate(&mut self) -> Result<u64, Exhausted> {
        if self.next > COUNTER_MAX {
            return Err(Exhausted { namespace: self.namespace.0 });
        }
        let id = (u64::from(self.namespace.0) << COUNTER_BITS) | self.next;
        self.next += 1;
        Ok(id)
    }

    /// Never gives out `id`, nor one below it; ids of other namespaces change nothing. O(1).
    pub fn reserve(&mut self, id: u64) {
        if id >> COUNTER_BITS == u64::from(self.namespace.0) {
            self.next = self.next.max((id & COUNTER_MAX) + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::super::disk::DiskFileSystem;
    use super::super::testing::FaultyFileSystem;
    use super::*;
    use std::fs;

    #[test]
    fn namespace_is_drawn_once_and_ignored_by_git() {
        let dir = tempfile::tempdir().unwrap();
        let first = load_namespace(&DiskFileSystem, dir.path()).unwrap();
        assert_eq!(load_namespace(&DiskFileSystem, dir.path()).unwrap(), first);
        assert_eq!(fs::read_to_string(dir.path().join(".juliet/.gitignore")).unwrap(), "*\n");
        let text = fs::read_to_string(dir.path().join(".juliet/namespace")).unwrap();
        assert!(text.ends_with(&format!("\n0x{:04X}\n", first.number())), "{text}");
    }

    #[test]
    fn two_working_copies_draw_different_namespaces() {
        let drawn: std::collections::BTreeSet<u16> = (0..200).map(|_| Namespace::draw().number()).collect();
        // 200 of 65,534: 0.3 pairs are expected.
        assert!(drawn.len() > 190, "{}", drawn.len());
        assert!(!drawn.contains(&0) && !drawn.contains(&DERIVED_NAMESPACE));
    }

    #[test]
    fn corrupt_namespace_is_an_error_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".juliet")).unwrap();
        let path = dir.path().join(".juliet/namespace");
        let large = "#".repeat(10_000);
        for text in ["", "\n", "0x0000", "0xFFFF", "0x12", "1234", "0x12345", "0x+123", "0x0001\n0x0002", "\0", &large]
        {
            fs::write(&path, text).unwrap();
            let error = load_namespace(&DiskFileSystem, dir.path()).unwrap_err();
            assert_eq!(error, NamespaceError::Corrupt { path: path.clone() }, "{text:?}");
            assert!(error.to_string().contains("remove it to have a new one drawn"));
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        fs::write(&path, "# a\r\n\r\n 0x01a2 \r\n").unwrap();
        assert_eq!(load_namespace(&DiskFileSystem, dir.path()).unwrap().number(), 0x01A2);
    }

    #[test]
    fn namespace_cut_at_every_step_is_whole_or_absent() {
        for cut in 0.. {
            let dir = tempfile::tempdir().unwrap();
            let fs = FaultyFileSystem::new(DiskFileSystem).kill_at(cut, true);
            let done = load_namespace(&fs, dir.path());
            let again = load_namespace(&DiskFileSystem, dir.path()).unwrap();
            if let Ok(done) = done {
                assert_eq!(done, again);
                return;
            }
        }
    }

    #[test]
    fn source_counts_past_what_it_has_seen_of_its_own() {
        let mut ids = IdSource::new(Namespace::new(0x0100).unwrap());
        assert_eq!(ids.allocate(), Ok(0x0100_0000_0000_0001));
        ids.reserve(0x0100_0000_0000_0041);
        ids.reserve(0x0100_0000_0000_0003);
        ids.reserve(0x0200_0000_0000_9999);
        ids.reserve(derived_id("Worlds/A/Entities/x.jasset"));
        assert_eq!(ids.allocate(), Ok(0x0100_0000_0000_0042));
        ids.reserve(0x0100_FFFF_FFFF_FFFE);
        assert_eq!(ids.allocate(), Ok(0x0100_FFFF_FFFF_FFFF));
        assert_eq!(ids.allocate(), Err(Exhausted { namespace: 0x0100 }));
        assert_eq!(ids.allocate(), Err(Exhausted { namespace: 0x0100 }));
    }

    #[test]
    fn derived_ids_keep_to_their_namespace_and_never_change() {
        assert_eq!(derived_id("Worlds/Forest/Entities/Rock.jasset"), derived_id("Worlds/Forest/Entities/Rock.jasset"));
        assert_ne!(derived_id("a.jasset"), derived_id("b.jasset"));
        // XXH64 of "abc" is 0x44BC_2CF5_AD77_0999: its upper 16 bits folded into the lower 48.
        assert_eq!(derived_id("abc"), 0xFFFF_2CF5_AD77_0999 ^ 0x44BC);
    }
}
