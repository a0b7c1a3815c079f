//! A project in a temporary folder, and what tests ask of it.

pub(crate) mod child;
pub(crate) mod classes;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use juliet::prelude::*;
use juliet::{LoadReport, SaveReport};
use tempfile::TempDir;

/// The world that [`TestProject`] loads.
pub(crate) const WORLD: &str = "W";
/// Where its entities lie below the content folder.
pub(crate) const ENTITIES: &str = "Worlds/W/Entities";

/// A content folder `Assets` in a temporary folder, removed on drop, with the world [`WORLD`].
pub(crate) struct TestProject {
    temp: TempDir,
    registry: ClassRegistry,
}

/// Bytes and time of the last change of each file, by its path below the content folder. Names that begin with a dot are left out.
pub(crate) type Picture = BTreeMap<String, (Vec<u8>, SystemTime)>;

impl TestProject {
    /// Files by their path below the folder of the world's entities, with the classes of [`classes::registry`].
    pub(crate) fn new<B: AsRef<[u8]>>(files: &[(&str, B)]) -> Self {
        Self::with(classes::registry(), files)
    }

    /// Like [`new`](Self::new) with the classes of another program.
    pub(crate) fn with<B: AsRef<[u8]>>(registry: ClassRegistry, files: &[(&str, B)]) -> Self {
        let project = Self { temp: tempfile::tempdir().unwrap(), registry };
        fs::create_dir_all(project.path("")).unwrap();
        for (name, bytes) in files {
            project.put(name, bytes);
        }
        project
    }

    /// The content folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.temp.path().join("Assets")
    }

    /// The real path of an entity's file.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(ENTITIES).join(name)
    }

    /// Writes a file as another program would.
    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    /// The bytes of a file.
    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    /// The text of a file.
    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).unwrap()
    }

    /// The project, opened anew.
    pub(crate) fn open(&self) -> Project {
        Project::open(self.root(), self.registry.clone()).unwrap()
    }

    /// The world and what its load found.
    pub(crate) fn load(&self) -> (World, LoadReport) {
        self.open().load_world(WORLD).unwrap()
    }

    /// The world, which has to load without a finding.
    pub(crate) fn load_clean(&self) -> World {
        let (world, report) = self.load();
        assert_eq!(report.diagnostics, [], "no finding was expected");
        world
    }

    /// The same files seen by another build of the program.
    pub(crate) fn rebuilt(self, registry: ClassRegistry) -> Self {
        Self { temp: self.temp, registry }
    }

    /// All files as they are now.
    pub(crate) fn picture(&self) -> Picture {
        let mut picture = Picture::new();
        look(&self.root(), &self.root(), &mut picture);
        picture
    }
}

fn look(root: &Path, folder: &Path, picture: &mut Picture) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().unwrap().to_str().unwrap().starts_with('.') {
            continue;
        }
        if path.is_dir() {
            look(root, &path, picture);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            let changed = fs::metadata(&path).unwrap().modified().unwrap();
            picture.insert(name, (fs::read(&path).unwrap(), changed));
        }
    }
}

/// The only entity of a world.
#[track_caller]
pub(crate) fn only(world: &World) -> EntityHandle {
    let all: Vec<EntityHandle> = world.iter().map(|base| base.handle()).collect();
    assert_eq!(all.len(), 1, "one entity was expected");
    all[0]
}

/// The entity that lies in the file `name`.
#[track_caller]
pub(crate) fn entity_in(world: &World, name: &str) -> EntityHandle {
    let end = format!("{ENTITIES}/{name}");
    let mut found = world.iter().map(|base| base.handle());
    found
        .find(|&handle| world.file_of(handle).unwrap().ends_with(&end))
        .unwrap_or_else(|| panic!("no entity in {name}"))
}

/// The files a save wrote and removed.
pub(crate) struct Saved {
    pub(crate) written: Vec<String>,
    pub(crate) removed: Vec<String>,
}

impl From<SaveReport> for Saved {
    #[track_caller]
    fn from(report: SaveReport) -> Self {
        assert_eq!(report.diagnostics, [], "the save was expected to succeed");
        let names = |files: Vec<Box<str>>| files.into_iter().map(Into::into).collect();
        Self { written: names(report.written), removed: names(report.removed) }
    }
}

/// Saves what was touched, which has to succeed without a finding.
#[track_caller]
pub(crate) fn save(world: &mut World) -> Saved {
    world.save().unwrap().into()
}

/// Saves, looking at every entity, which has to succeed without a finding.
#[track_caller]
pub(crate) fn save_all(world: &mut World) -> Saved {
    world.save_all().unwrap().into()
}

/// Loads `text` as the only file and gives the world with its entity; there may be no finding.
#[track_caller]
pub(crate) fn accepted(registry: ClassRegistry, text: impl AsRef<[u8]>) -> (World, EntityHandle) {
    let project = TestProject::with(registry, &[("A.jasset", text)]);
    let world = project.load_clean();
    let handle = only(&world);
    (world, handle)
}

/// Loads `text` beside a sound neighbour and gives its errors.
///
/// Asserts what a refusal is: at least one error, all of them of that file; the neighbour loads and saves; the refused file keeps its bytes
/// and its entity is not in the world.
#[track_caller]
pub(crate) fn refused(registry: ClassRegistry, text: impl AsRef<[u8]>) -> Vec<Diagnostic> {
    let neighbour = format!("; class: {}\n; id: 0x0100000000000001\n", registry.classes()[0].name());
    let project = TestProject::with(registry, &[("Bad.jasset", text.as_ref()), ("Good.jasset", neighbour.as_bytes())]);
    let (mut world, report) = project.load();
    let shown = String::from_utf8_lossy(text.as_ref());
    assert_eq!((report.loaded, report.skipped), (1, 1), "{shown:?} was expected to be refused");
    let neighbour = only(&world);
    assert_eq!(world.base(neighbour).unwrap().id(), 0x0100_0000_0000_0001);
    assert!(world.set_position(neighbour, [1.0, 2.0, 3.0]).unwrap());
    assert_eq!(save(&mut world).written.len(), 1);
    assert_eq!(project.bytes("Bad.jasset"), text.as_ref(), "a refused file keeps its bytes");
    let errors: Vec<Diagnostic> = report.diagnostics.into_iter().filter(Diagnostic::is_error).collect();
    assert!(!errors.is_empty(), "{shown:?}");
    for error in &errors {
        assert_eq!(&*error.file, "Assets/Worlds/W/Entities/Bad.jasset", "{error}");
        if error.line > 0 {
            let place = format!("{}:{}:{}: error[{}]: ", error.file, error.line, error.column, error.code);
            assert!(error.to_string().starts_with(&place), "{error}");
        }
    }
    errors
}

/// Like [`refused`] for a text with a single error.
#[track_caller]
pub(crate) fn refused_once(registry: ClassRegistry, text: impl AsRef<[u8]>) -> Diagnostic {
    let mut errors = refused(registry, text);
    let list: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(errors.len(), 1, "one error was expected: {list:#?}");
    errors.remove(0)
}

/// The lines of two texts that differ, `-` before an old and `+` before a new one.
pub(crate) fn changed_lines(old: &str, new: &str) -> Vec<String> {
    let diff = similar::TextDiff::from_lines(old, new);
    let changes = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    changes.map(|change| format!("{}{}", change.tag(), change.value())).collect()
}
