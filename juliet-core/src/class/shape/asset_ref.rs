//! References to assets by their path.

use core::marker::PhantomData;
use std::borrow::Cow;
use std::sync::RwLock;

use hashbrown::HashSet;

use super::{Fault, FromLiteral, Leaf, LeafType, Place, ValueWriter};
use crate::class::{AssetName, Kind};
use crate::diag::Code;
use crate::text::{write_string, write_string_quoted};

/// The path of an asset, such as `Assets/Meshes/Rock.obj`, or none. `A` names the type of the asset and holds no data.
///
/// 16 bytes, `Copy`: the path is a `&'static str`. Paths that are read from files are kept once each in a table that lives as long as the
/// program, so a second entity with the same mesh costs no memory and no allocation.
pub struct AssetRef<A> {
    path: &'static str,
    asset: PhantomData<fn() -> A>,
}

/// Why a path cannot name an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AssetPathError {
    /// It starts at the root of a disk or names a drive.
    #[error("an asset path starts at the content folder, not at the root of a disk")]
    Absolute,
    /// It leaves the content folder by `..`.
    #[error("the path leaves the content folder")]
    Escapes,
    /// It has a control character.
    #[error("the path has a control character")]
    ControlCharacter,
    /// It has a colon, which names a stream on Windows.
    #[error("the path has a colon")]
    Colon,
    /// Its first segment is `Assets` in another case, which counts on every system.
    #[error("paths begin with `Assets/`, with a capital letter: upper and lower case count")]
    Case,
    /// It names the content folder itself.
    #[error("the path names the content folder, not a file in it")]
    OnlyRoot,
}

impl<A> AssetRef<A> {
    /// Refers to nothing.
    pub const NONE: Self = Self::from_static("");

    /// Refers to the asset at `path`, which is taken as it is.
    pub const fn from_static(path: &'static str) -> Self {
        Self { path, asset: PhantomData }
    }

    /// Refers to the asset at `path`, normalised: forward slashes, no `.` and no `..`. Allocates the first time a path is seen.
    ///
    /// # Errors
    /// [`AssetPathError`] if the path is absolute, leaves the content folder, or spells `Assets/` in another case. The empty path is
    /// [`NONE`](Self::NONE).
    pub fn new(path: &str) -> Result<Self, AssetPathError> {
        Ok(Self::from_static(intern(&normalize(path)?)))
    }

    /// The path with forward slashes; empty for none.
    pub const fn path(&self) -> &'static str {
        self.path
    }

    /// Whether it refers to nothing.
    pub const fn is_none(&self) -> bool {
        self.path.is_empty()
    }
}

impl<A> Clone for AssetRef<A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for AssetRef<A> {}

impl<A> Default for AssetRef<A> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<A> PartialEq for AssetRef<A> {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path
    }
}

impl<A> Eq for AssetRef<A> {}

impl<A> core::hash::Hash for AssetRef<A> {
    fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
        self.path.hash(state);
    }
}

impl<A> core::fmt::Debug for AssetRef<A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "AssetRef({:?})", self.path)
    }
}

impl<A> FromLiteral for AssetRef<A> {
    fn from_literal(text: &'static str) -> Self {
        Self::from_static(text)
    }
}

/// Paths seen so far. Never shrinks: what it holds is bounded by the distinct paths of the files that were read.
static PATHS: RwLock<Option<HashSet<&'static str, foldhash::fast::FixedState>>> = RwLock::new(None);

fn intern(path: &str) -> &'static str {
    if path.is_empty() {
        return "";
    }
    // A poisoned lock holds a valid set: insertion of a `&str` cannot panic half-way.
    let known = PATHS.read().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(&known) = known.as_ref().and_then(|paths| paths.get(path)) {
        return known;
    }
    drop(known);
    let mut paths = PATHS.write().unwrap_or_else(|poisoned| poisoned.into_inner());
    let paths = paths.get_or_insert_with(HashSet::default);
    if let Some(&known) = paths.get(path) {
        return known;
    }
    let kept: &'static str = Box::leak(path.into());
    paths.insert(kept);
    kept
}

/// The first segment of every path: the content folder, whatever it is called on disk.
const CONTENT_ROOT: &str = "Assets";

/// Forward slashes, without empty and `.` segments, `..` resolved. Allocates only where something changes.
fn normalize(path: &str) -> Result<Cow<'_, str>, AssetPathError> {
    let bytes = path.as_bytes();
    if bytes.iter().any(|&byte| byte < b' ' || byte == 0x7f) {
        return Err(AssetPathError::ControlCharacter);
    }
    if is_absolute(path) {
        return Err(AssetPathError::Absolute);
    }
    if path.is_empty() {
        return Ok(Cow::Borrowed(path));
    }
    if bytes.contains(&b':') {
        return Err(AssetPathError::Colon);
    }
    let path = resolve(path)?;
    let (first, rest) = path.split_once('/').unwrap_or((&path, ""));
    match first {
        "" => Err(AssetPathError::OnlyRoot),
        CONTENT_ROOT if rest.is_empty() => Err(AssetPathError::OnlyRoot),
        CONTENT_ROOT => Ok(path),
        _ if first.eq_ignore_ascii_case(CONTENT_ROOT) => Err(AssetPathError::Case),
        // Not below the content folder, and not for the reader of values to judge: a game may mount other folders.
        _ => Ok(path),
    }
}

fn resolve(path: &str) -> Result<Cow<'_, str>, AssetPathError> {
    let plain = |segment: &str| !matches!(segment, "" | "." | "..");
    if !path.contains('\\') && path.split('/').all(plain) {
        return Ok(Cow::Borrowed(path));
    }
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split(['/', '\\']) {
        match segment {
            "" | "." => {}
            // The first segment is the content folder itself.
            ".." if kept.len() > 1 => drop(kept.pop()),
            ".." => return Err(AssetPathError::Escapes),
            segment => kept.push(segment),
        }
    }
    let path = kept.join("/");
    // `./C:/x` shows its drive only now.
    if is_absolute(&path) { Err(AssetPathError::Absolute) } else { Ok(Cow::Owned(path)) }
}

fn is_absolute(path: &str) -> bool {
    matches!(path.as_bytes(), [b'/' | b'\\', ..] | [b'a'..=b'z' | b'A'..=b'Z', b':', ..])
}

impl<A: 'static> LeafType for AssetRef<A> {
    const NAME: &'static str = "AssetRef";
    const KIND: Kind = Kind::AssetRef { asset: AssetName::of::<A>() };

    fn fresh() -> Self {
        Self::NONE
    }
}

impl<A: 'static> Leaf for AssetRef<A> {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        if text == "none" {
            *self = Self::NONE;
            return Ok(());
        }
        let path = Self::new(&super::adapter::plain_text(text, place)?);
        *self = path.map_err(|error| {
            let help = match (error, text.split_once(['/', '\\'])) {
                (AssetPathError::Case, Some((_, rest))) => format!("did you mean `{CONTENT_ROOT}/{rest}`?"),
                _ => error.to_string(),
            };
            Fault::new(Code::BadPath, "a path below the content folder such as Assets/Meshes/Rock.obj", text)
                .with_help(help)
        })?;
        Ok(())
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        match self.path {
            "" if out.in_option => out.raw("\"\""),
            "" => out.raw("none"),
            "none" => write_string_quoted("none", out.out),
            path => write_string(path, out.place != Place::Line, out.out),
        }
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn assign(&mut self, from: &Self) {
        *self = *from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised_to_one_spelling() {
        for (text, path) in [
            ("Assets/Meshes/A.obj", "Assets/Meshes/A.obj"),
            ("./Assets//Meshes/A.obj", "Assets/Meshes/A.obj"),
            ("Assets\\Meshes\\A.obj", "Assets/Meshes/A.obj"),
            ("Assets/Levels/../Meshes/A.obj", "Assets/Meshes/A.obj"),
            ("", ""),
        ] {
            assert_eq!(normalize(text).as_deref(), Ok(path), "{text}");
        }
    }

    #[test]
    fn paths_that_leave_the_content_folder_are_refused() {
        for text in [
            "/etc/passwd",
            "\\x",
            "C:\\x",
            "../x",
            "Assets/../../x",
            "Assets/../x",
            "a\0b",
            "assets/x",
            "Assets",
            "Assets/.",
            "Assets/a:b",
            "./C:/x",
            ".\\c:x",
        ] {
            assert!(normalize(text).is_err(), "{text}");
        }
    }

    #[test]
    fn equal_paths_share_memory() {
        let (a, b) = (AssetRef::<u8>::new("Assets/q.obj"), AssetRef::<u8>::new("./Assets/q.obj"));
        assert_eq!(a.map(|a| a.path().as_ptr()), b.map(|b| b.path().as_ptr()));
    }
}
