//! What goes wrong on a disk, in files and in the user's code, and what a world makes of it.
//!
//! Here: folders of files as tests write and compare them, and the classes of the files.

mod drops;
mod files;
mod hostile;
mod items;
mod kills;
mod lifecycle;
mod removals;
mod saves;
mod scale;
mod shipped;
mod shipped_templates;
mod shipped_text;
mod upkeep;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use juliet::folder::testing::FaultyFileSystem;
use juliet::folder::{DiskFileSystem, FileSystem};
use juliet::prelude::*;
use juliet::{Code, LoadReport, SaveReport};

/// A stone as the cases have it: plain data.
#[derive(Entity)]
pub(crate) struct Rock {
    #[jasset(default = 1.0)]
    pub(crate) scale: f32,
    #[jasset(default = 3)]
    pub(crate) hits: u32,
}

/// What assets are of.
#[derive(Debug)]
pub(crate) struct Mesh;

/// A class with heap fields.
#[derive(Entity)]
pub(crate) struct Sign {
    pub(crate) text: String,
    pub(crate) lines: Vec<String>,
    pub(crate) grid: Vec<Vec<i32>>,
    pub(crate) mesh: AssetRef<Mesh>,
}

pub(crate) fn registry() -> ClassRegistry {
    registry![Rock, Sign].unwrap()
}

/// The disk, with counts and faults, and without waiting for flushes.
pub(crate) type Faulty = FaultyFileSystem<DiskFileSystem>;

pub(crate) fn quick() -> Faulty {
    FaultyFileSystem::new(DiskFileSystem).without_flushes()
}

/// Where entities lie, below the content folder.
pub(crate) const ENTITIES: &str = "Worlds/W/Entities";

/// Contents by path below the content folder, `.juliet` not among them.
pub(crate) type Snapshot = BTreeMap<String, Vec<u8>>;

/// A content folder with the world `W` in a folder of its own.
pub(crate) struct Content {
    dir: tempfile::TempDir,
}

impl Content {
    /// Files by their path below `Worlds/W/Entities`.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let content = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(content.entities()).unwrap();
        for (name, text) in files {
            content.put(name, text);
        }
        content
    }

    /// The content folder without links.
    pub(crate) fn root(&self) -> PathBuf {
        fs::canonicalize(self.dir.path()).unwrap()
    }

    pub(crate) fn entities(&self) -> PathBuf {
        self.dir.path().join(ENTITIES)
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.entities().join(name)
    }

    pub(crate) fn put(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap()
    }

    pub(crate) fn project(&self) -> Project {
        self.project_on(Arc::new(quick()))
    }

    pub(crate) fn project_on(&self, file_system: Arc<dyn FileSystem>) -> Project {
        Project::open_on(file_system, self.dir.path(), registry()).unwrap()
    }

    pub(crate) fn load(&self) -> (World, LoadReport) {
        self.project().load_world("W").unwrap()
    }

    pub(crate) fn load_on(&self, file_system: &Faulty) -> (World, LoadReport) {
        self.project_on(Arc::new(file_system.clone())).load_world("W").unwrap()
    }

    /// Loads without a finding.
    pub(crate) fn world(&self) -> World {
        let (world, report) = self.load();
        assert_eq!(report.diagnostics, []);
        world
    }

    /// Everything in the content folder, links by what they lead to.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut found = Snapshot::new();
        collect(self.dir.path(), self.dir.path(), &mut found);
        found
    }

    /// The names in the folder of entities.
    pub(crate) fn names(&self) -> Vec<String> {
        let names = fs::read_dir(self.entities()).unwrap();
        let mut names: Vec<String> =
            names.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

fn collect(root: &Path, folder: &Path, found: &mut Snapshot) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            if path.file_name().unwrap() != ".juliet" {
                collect(root, &path, found);
            }
        } else {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            found.insert(name, fs::read(&path).unwrap_or_default());
        }
    }
}

/// The file of a rock in the colon spelling.
pub(crate) fn rock(id: u64, hits: u32) -> String {
    format!("; entity_type: Rock\n; id: {id:#018x}\nPosition: 1.0, 2.0, 3.0\nHits: {hits}\n")
}

/// An id as it is written.
pub(crate) fn hex(id: u64) -> String {
    format!("{id:#018X}").replace("0X", "0x")
}

/// The entity with the id.
pub(crate) fn by_id(world: &World, id: u64) -> EntityHandle {
    world.find_by_id(id).unwrap()
}

pub(crate) fn hits(world: &World, id: u64) -> u32 {
    world.get::<Rock>(by_id(world, id)).unwrap().hits
}

pub(crate) fn set_hits(world: &mut World, id: u64, hits: u32) {
    let handle = by_id(world, id);
    world.get_mut::<Rock>(handle).unwrap().hits = hits;
}

/// The files that a save wrote and removed.
pub(crate) struct Saved {
    pub(crate) written: Vec<Box<str>>,
    pub(crate) removed: Vec<Box<str>>,
}

/// Saves, and everything is on disk.
pub(crate) fn save(world: &mut World) -> Saved {
    let SaveReport { written, removed, diagnostics, .. } = world.save().unwrap();
    assert_eq!(diagnostics, []);
    assert_eq!((world.dirty().len(), world.removed().count()), (0, 0));
    Saved { written, removed }
}

/// Codes and the last part of the files of a report.
pub(crate) fn codes(diagnostics: &[Diagnostic]) -> Vec<(Code, &str)> {
    diagnostics.iter().map(|it| (it.code, it.file.rsplit('/').next().unwrap_or_default())).collect()
}

/// The last parts of paths.
pub(crate) fn last(paths: &[Box<str>]) -> Vec<&str> {
    paths.iter().map(|path| path.rsplit('/').next().unwrap_or_default()).collect()
}
