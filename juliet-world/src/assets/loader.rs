//! What turns the bytes of a file into an asset: the traits that programs implement, and the same without types.

use std::any::Any;
use std::sync::Arc;

/// A type of assets: what handles show.
pub trait Asset: Send + Sync + Sized + 'static {
    /// What is shown in place of an asset that could not be loaded: something that nobody overlooks.
    ///
    /// Called once for each [`Assets`](super::Assets), when its first loader is added or its first handle is made.
    fn placeholder() -> Self;
}

/// Makes assets of one type from the bytes of files.
///
/// A panic in it is a failed load and nothing more. Loads run on several threads at once. A load that does not end keeps its thread, and the
/// drop of [`Assets`](super::Assets) waits for it.
///
/// ```
/// use juliet_world::assets::{Asset, AssetLoader, LoadError};
///
/// struct Words(Vec<String>);
///
/// impl Asset for Words {
///     fn placeholder() -> Self {
///         Self(vec!["missing".to_owned()])
///     }
/// }
///
/// struct WordLoader;
///
/// impl AssetLoader for WordLoader {
///     type Asset = Words;
///
///     fn extensions(&self) -> &[&str] {
///         &["words"]
///     }
///
///     fn load(&self, bytes: &[u8]) -> Result<Words, LoadError> {
///         let text = str::from_utf8(bytes).map_err(|error| LoadError::new(error.to_string()))?;
///         Ok(Words(text.split_whitespace().map(str::to_owned).collect()))
///     }
/// }
/// ```
pub trait AssetLoader: Send + Sync + 'static {
    /// What it makes.
    type Asset: Asset;

    /// The ends of the names of its files, without a dot: `["png", "jpg"]`. Case does not count.
    fn extensions(&self) -> &[&str];

    /// Makes the asset. `bytes` is the whole file, which may be empty, cut off or anything else.
    ///
    /// # Errors
    /// [`LoadError`] says what is wrong with the file, and on which line if it has lines.
    fn load(&self, bytes: &[u8]) -> Result<Self::Asset, LoadError>;
}

/// Why the bytes of a file are no asset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct LoadError {
    /// One lower-case sentence without a full stop.
    pub message: Box<str>,
    /// The line of the file, from 1; 0 if it has none.
    pub line: u32,
}

impl LoadError {
    /// An error of the whole file.
    #[cold]
    #[must_use]
    pub fn new(message: impl Into<Box<str>>) -> Self {
        Self { message: message.into(), line: 0 }
    }

    /// The same on a line, from 1.
    #[must_use]
    pub fn on_line(self, line: u32) -> Self {
        Self { line, ..self }
    }
}

/// An asset of any type.
pub(super) type AnyAsset = Arc<dyn Any + Send + Sync>;

/// A loader of any type.
pub(super) trait AnyLoader: Send + Sync {
    fn load_any(&self, bytes: &[u8]) -> Result<AnyAsset, LoadError>;
}

impl<L: AssetLoader> AnyLoader for L {
    fn load_any(&self, bytes: &[u8]) -> Result<AnyAsset, LoadError> {
        Ok(Arc::new(self.load(bytes)?))
    }
}
