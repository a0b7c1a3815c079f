//! Paths as people write them in files → one spelling, and from there to a real file inside the content folder.
//!
//! ```text
//! .\Assets\Levels\..\Templates//Rock.jasset      what a file says
//!   normalise      → Assets/Templates/Rock.jasset      one spelling, lexical, no disk
//!   Spelling       → <content>/Templates/Rock.jasset   each segment byte for byte as the folder lists it, no link to outside
//! ```
//!
//! The same input has the same outcome on every system: case counts although the disk may not care, `\` separates although
//! Unix allows it in names, and `:` is refused although only Windows gives it a meaning. A `ü` of one code point and a `ü` of
//! two are two different names. Nothing outside the content folder is opened or asked about.

use super::file_system::{Entry, Fault, FileKind, FileSystem};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, hash_map};
use std::io;
use std::path::{Path, PathBuf};

/// The first segment of every logical path: the content folder, whatever it is called on disk.
pub const CONTENT_ROOT: &str = "Assets";

/// Longest file name that may be created, in bytes: with `.` and `.jtmp` around it, it stays within the 255 of most systems.
pub(super) const NAME_LIMIT: usize = 255 - ".".len() - ".jtmp".len();

/// Why a path is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// There is nothing in it.
    #[error("the path is empty")]
    Empty,
    /// It begins with `/` or `\`, or is a network path.
    #[error("the path is absolute; paths begin with `{CONTENT_ROOT}/`")]
    Absolute,
    /// It begins with a drive letter.
    #[error("the path names a drive; paths begin with `{CONTENT_ROOT}/`")]
    Drive,
    /// It has a character that no path may have.
    #[error("the path contains {character:?}")]
    Character {
        /// A control character, or the colon, which names a stream on Windows.
        character: char,
    },
    /// A `..` goes above the content folder.
    #[error("the path leaves `{CONTENT_ROOT}/` by `..`")]
    LeavesRoot,
    /// Its first segment is another one.
    #[error("the path begins with `{found}`; paths begin with `{CONTENT_ROOT}/`")]
    NotContent {
        /// The first segment.
        found: Box<str>,
    },
    /// It names the content folder itself.
    #[error("the path names the content folder, not a file in it")]
    OnlyRoot,
    /// A segment differs in case from what is on disk.
    #[error("no `{logical}` with this case; there is `{existing}`")]
    Case {
        /// The path asked for.
        logical: Box<str>,
        /// The same path as it is spelled on disk.
        existing: Box<str>,
    },
    /// There is no such file.
    #[error("no `{logical}`")]
    Missing {
        /// The path up to and including the first segment that is not there.
        logical: Box<str>,
    },
    /// A link on the way leads out of the content folder.
    #[error("`{logical}` is a link that leaves the content folder")]
    LinkLeavesRoot {
        /// The path up to and including the link.
        logical: Box<str>,
    },
    /// The disk fails.
    #[error("cannot look at `{logical}`: {fault}")]
    Io {
        /// The path up to where it fails.
        logical: Box<str>,
        /// What the system says.
        fault: Fault,
    },
}

/// Gives a logical path its one spelling: `\` becomes `/`, empty segments and `.` vanish, `..` takes the segment before it away.
///
/// Purely lexical, O(length); borrows if the path is in that form already, as nearly all are.
///
/// # Errors
/// [`PathFault`] for what is empty, absolute, on a drive, above the content folder, not under `Assets/`, or has a control character or colon.
/// `assets/…` is a [`PathFault::Case`] that says `Assets/…`.
pub fn normalise(path: &str) -> Result<Cow<'_, str>, PathFault> {
    refuse_at_once(path)?;
    let path = if is_normal(path) { Cow::Borrowed(path) } else { Cow::Owned(resolve_segments(path)?) };
    let (first, rest) = path.split_once('/').unwrap_or((&path, ""));
    if first != CONTENT_ROOT {
        return Err(if first.eq_ignore_ascii_case(CONTENT_ROOT) && !rest.is_empty() {
            PathFault::Case { logical: (*path).into(), existing: format!("{CONTENT_ROOT}/{rest}").into() }
        } else {
            PathFault::NotContent { found: first.into() }
        });
    }
    if rest.is_empty() { Err(PathFault::OnlyRoot) } else { Ok(path) }
}

fn refuse_at_once(path: &str) -> Result<(), PathFault> {
    let bytes = path.as_bytes();
    match bytes {
        [] => return Err(PathFault::Empty),
        [b'/' | b'\\', ..] => return Err(PathFault::Absolute),
        [letter, b':', ..] if letter.is_ascii_alphabetic() => return Err(PathFault::Drive),
        _ => {}
    }
    match bytes.iter().find(|b| matches!(b, ..b' ' | 0x7F | b':')) {
        Some(&byte) => Err(PathFault::Character { character: char::from(byte) }),
        None => Ok(()),
    }
}

fn is_normal(path: &str) -> bool {
    !path.contains('\\') && path.split('/').all(|segment| !matches!(segment, "" | "." | ".."))
}

fn resolve_segments(path: &str) -> Result<String, PathFault> {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split(['/', '\\']) {
        match segment {
            "" | "." => {}
            // The first segment is the root itself: taking it away is leaving it.
            ".." if segments.len() < 2 => return Err(PathFault::LeavesRoot),
            ".." => drop(segments.pop()),
            name => segments.push(name),
        }
    }
    if segments.is_empty() { Err(PathFault::Empty) } else { Ok(segments.join("/")) }
}

/// The real path of a normalised logical path in the content folder `root`. Lexical, nothing is looked up.
#[must_use]
pub fn real_path(root: &Path, logical: &str) -> PathBuf {
    let relative = logical.strip_prefix(CONTENT_ROOT).unwrap_or(logical);
    let mut real = root.to_owned();
    real.extend(relative.split('/').filter(|segment| !segment.is_empty()));
    real
}

/// Whether a file or folder of this name is never loaded: it begins with a dot.
#[must_use]
pub fn is_hidden(name: &str) -> bool {
    name.starts_with('.')
}

/// Where a path that was found leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The normalised logical path.
    pub logical: Box<str>,
    /// The real path; links are not followed in it.
    pub real: PathBuf,
}

/// Looks up many paths in one content folder: each folder is listed once, however many paths go through it.
///
/// It is a picture of the moment; make a new one after files came or went.
pub struct Spelling<'a> {
    fs: &'a dyn FileSystem,
    root: PathBuf,
    canonical_root: Option<PathBuf>,
    /// Logical path of a folder → its names.
    listings: HashMap<Box<str>, Listing>,
}

impl<'a> Spelling<'a> {
    /// A picture of the content folder `root`; nothing is read yet.
    #[must_use]
    pub fn new(fs: &'a dyn FileSystem, root: &Path) -> Self {
        Spelling { fs, root: root.to_owned(), canonical_root: None, listings: HashMap::new() }
    }

    /// Normalises `path` and finds the file, comparing each segment byte for byte with what the folder lists.
    ///
    /// O(segments) once the folders on the way are listed.
    ///
    /// # Errors
    /// As [`normalise`], and [`PathFault::Case`] with the existing spelling of the whole path, [`PathFault::Missing`],
    /// [`PathFault::LinkLeavesRoot`], [`PathFault::Io`].
    pub fn resolve(&mut self, path: &str) -> Result<Location, PathFault> {
        match normalise(path) {
            Ok(logical) => self.walk(&logical, &logical),
            // The rest of the path may differ as well: suggest what is there, not just another beginning.
            Err(PathFault::Case { logical, existing }) => Err(match self.walk(&existing, &logical) {
                Err(fault @ PathFault::Case { .. }) => fault,
                _ => PathFault::Case { logical, existing },
            }),
            Err(fault) => Err(fault),
        }
    }

    fn walk(&mut self, logical: &str, asked: &str) -> Result<Location, PathFault> {
        let mut found = String::from(CONTENT_ROOT);
        let mut exact = true;
        for segment in logical.split('/').skip(1) {
            let listing = self.listing(&found)?;
            let (name, kind) = match listing.names.get(segment) {
                Some(&kind) => (segment, kind),
                None => {
                    exact = false;
                    let missing = || PathFault::Missing { logical: format!("{found}/{segment}").into() };
                    listing.other_case(segment).ok_or_else(missing)?
                }
            };
            found.push('/');
            found.push_str(name);
            if kind == FileKind::Symlink {
                self.check_link(&found)?;
            }
        }
        if !exact {
            return Err(PathFault::Case { logical: asked.into(), existing: found.into() });
        }
        Ok(Location { real: real_path(&self.root, &found), logical: found.into() })
    }

    fn listing(&mut self, folder: &str) -> Result<&mut Listing, PathFault> {
        match self.listings.entry(folder.into()) {
            hash_map::Entry::Occupied(known) => Ok(known.into_mut()),
            hash_map::Entry::Vacant(unknown) => match self.fs.list(&real_path(&self.root, folder)) {
                Ok(entries) => Ok(unknown.insert(Listing::new(entries))),
                // A file on the way: what is asked for below it is not there.
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                    Ok(unknown.insert(Listing::new(Vec::new())))
                }
                Err(error) => Err(PathFault::Io { logical: folder.into(), fault: error.into() }),
            },
        }
    }

    fn check_link(&mut self, logical: &str) -> Result<(), PathFault> {
        let io_fault = |error: io::Error| PathFault::Io { logical: logical.into(), fault: error.into() };
        let root = match &self.canonical_root {
            Some(root) => root,
            None => self.canonical_root.insert(self.fs.canonicalize(&self.root).map_err(io_fault)?),
        };
        let target = match self.fs.canonicalize(&real_path(&self.root, logical)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(PathFault::Missing { logical: logical.into() });
            }
            target => target.map_err(io_fault)?,
        };
        if target.starts_with(root) { Ok(()) } else { Err(PathFault::LinkLeavesRoot { logical: logical.into() }) }
    }
}

/// The names of one folder.
struct Listing {
    names: BTreeMap<Box<str>, FileKind>,
    /// Lower case → the name; made for the first name that is not found.
    lower: Option<HashMap<String, Box<str>>>,
}

impl Listing {
    fn new(entries: Vec<Entry>) -> Self {
        // A name that is not UTF-8 can stand in no file.
        let names = entries.into_iter().filter_map(|e| Some((e.name.into_string().ok()?.into(), e.kind)));
        Listing { names: names.collect(), lower: None }
    }

    /// The name that differs from `segment` in case alone; the first in byte order if there are several.
    fn other_case(&mut self, segment: &str) -> Option<(&str, FileKind)> {
        let to_lower = |text: &str| text.chars().flat_map(char::to_lowercase).collect::<String>();
        let lower = self.lower.get_or_insert_with(|| {
            let mut lower = HashMap::with_capacity(self.names.len());
            for name in self.names.keys() {
                lower.entry(to_lower(name)).or_insert_with(|| name.clone());
            }
            lower
        });
        let (name, &kind) = self.names.get_key_value(lower.get(&to_lower(segment))?)?;
        Some((name, kind))
    }
}

/// Finds one logical path in the content folder `root`, byte for byte; for many, keep a [`Spelling`].
///
/// # Errors
/// As [`Spelling::resolve`].
pub fn check_case(fs: &dyn FileSystem, root: &Path, path: &str) -> Result<Location, PathFault> {
    Spelling::new(fs, root).resolve(path)
}

/// Why a name is not given to a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameFault {
    /// There is nothing in it.
    #[error("the name is empty")]
    Empty,
    /// Names that begin with a dot are never loaded.
    #[error("the name begins with a dot, and such files are never loaded")]
    Hidden,
    /// Windows drops dots and blanks at the end.
    #[error("the name ends in a dot or a blank, which Windows drops")]
    TrailingDotOrBlank,
    /// A device on Windows, with any extension.
    #[error("the name is that of a device on Windows")]
    Reserved,
    /// A character that some system cannot have in names.
    #[error("the name contains {character:?}, which not every system can store")]
    Character {
        /// The first such character.
        character: char,
    },
    /// Too long for some system, or for the temporary beside it.
    #[error("the name has {length_bytes} bytes; {NAME_LIMIT} is the most")]
    TooLong {
        /// Its length in UTF-8.
        length_bytes: usize,
    },
}

/// Whether a file of this name (one segment, not a path) can be created so that every system can check it out.
///
/// # Errors
/// [`NameFault`] says why not.
pub fn check_new_name(name: &str) -> Result<(), NameFault> {
    if name.is_empty() {
        return Err(NameFault::Empty);
    }
    if let Some(character) = name.chars().find(|c| c.is_control() || r#"<>:"/\|?*"#.contains(*c)) {
        return Err(NameFault::Character { character });
    }
    if is_hidden(name) {
        return Err(NameFault::Hidden);
    }
    if name.ends_with(['.', ' ']) {
        return Err(NameFault::TrailingDotOrBlank);
    }
    if is_reserved(name) {
        return Err(NameFault::Reserved);
    }
    if name.len() > NAME_LIMIT {
        return Err(NameFault::TooLong { length_bytes: name.len() });
    }
    Ok(())
}

/// `CON`, `com1.jasset`, `Lpt¹ .txt`: a device whatever follows the first dot.
fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ').to_ascii_uppercase();
    if let Some(number) = stem.strip_prefix("COM").or_else(|| stem.strip_prefix("LPT")) {
        return matches!(number, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³");
    }
    matches!(&*stem, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$")
}

#[cfg(test)]
mod tests;
