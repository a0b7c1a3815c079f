//! A folder of files, a loader that does what a file says, and work that is run by hand.
#![expect(clippy::unwrap_used, reason = "tests")]

mod changes;
mod hostile;
mod images;
mod loads;
mod meshes;
mod random;
mod threads;

use std::fs;
use std::io::Cursor;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use image::{ImageFormat, RgbaImage};
use juliet_core::ClassRegistry;
use juliet_core::diag::Diagnostic;
use tempfile::TempDir;

use super::{Asset, AssetLoader, AssetOptions, AssetReport, Assets, LoadError};
use crate::Project;
use crate::folder::DiskFileSystem;
use crate::folder::testing::FaultyFileSystem;

/// A content folder `Assets` whose files are counted as they are opened.
struct Folder {
    temp: TempDir,
    files: FaultyFileSystem<DiskFileSystem>,
}

impl Folder {
    fn new<B: AsRef<[u8]>>(files: &[(&str, B)]) -> Self {
        let folder = Self { temp: tempfile::tempdir().unwrap(), files: FaultyFileSystem::new(DiskFileSystem) };
        fs::create_dir_all(folder.path("")).unwrap();
        files.iter().for_each(|(name, bytes)| folder.put(name, bytes));
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join("Assets").join(name)
    }

    /// Writes a file as another program would.
    fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// Makes the last change of a file so many seconds old.
    fn age(&self, name: &str, seconds: u64) {
        let then = SystemTime::now() - Duration::from_secs(seconds);
        fs::File::options().write(true).open(self.path(name)).unwrap().set_modified(then).unwrap();
    }

    fn project(&self) -> Project {
        Project::open_on(Arc::new(self.files.clone()), self.path(""), ClassRegistry::new()).unwrap()
    }

    /// Assets without threads, with the loader of [`Words`].
    fn assets(&self) -> Assets {
        self.assets_with(AssetOptions { threads: 0, ..AssetOptions::default() })
    }

    fn assets_with(&self, options: AssetOptions) -> Assets {
        let mut assets = Assets::open_with(&self.project(), options).unwrap();
        assets.add_loader(WordLoader);
        assets
    }

    /// Files opened and folders listed since the last call.
    fn opened(&self, before: &mut (u64, u64)) -> (u64, u64) {
        let counts = self.files.counts();
        let now = (counts.opened_for_reading, counts.listed);
        let last = std::mem::replace(before, now);
        (now.0 - last.0, now.1 - last.1)
    }
}

/// A text; what it begins with says what its loader does.
#[derive(Debug, PartialEq, Eq)]
struct Words(String);

struct WordLoader;

impl Asset for Words {
    fn placeholder() -> Self {
        Self("placeholder".to_owned())
    }
}

impl AssetLoader for WordLoader {
    type Asset = Words;

    fn extensions(&self) -> &[&str] {
        &["txt"]
    }

    fn load(&self, bytes: &[u8]) -> Result<Words, LoadError> {
        let text = str::from_utf8(bytes).map_err(|error| LoadError::new(error.to_string()))?;
        match text {
            "" => Err(LoadError::new("the file is empty")),
            _ if text.starts_with("bad") => Err(LoadError::new(text).on_line(3)),
            _ if text.starts_with("panic") => panic!("as the file says: {text}"),
            _ => Ok(Words(text.to_owned())),
        }
    }
}

/// The findings as they are printed.
fn printed(report: &AssetReport) -> Vec<String> {
    report.diagnostics.iter().map(Diagnostic::to_string).collect()
}

fn changed(report: &AssetReport) -> Vec<&str> {
    report.changed.iter().map(|path| &**path).collect()
}

/// A picture in which each pixel is another one.
fn picture(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let image = RgbaImage::from_fn(width, height, |x, y| image::Rgba([(x * 16) as u8, (y * 16) as u8, 99, 255]));
    let mut bytes = Cursor::new(Vec::new());
    let image = image::DynamicImage::from(image);
    match format {
        ImageFormat::Jpeg => image.to_rgb8().write_to(&mut bytes, format).unwrap(),
        _ => image.write_to(&mut bytes, format).unwrap(),
    }
    bytes.into_inner()
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
