//! A content folder and the classes of the program that opens it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use juliet_core::ClassRegistry;

use crate::folder::{self, DiskFileSystem, FileKind, FileSystem};
use crate::world::{self, LoadOptions, LoadReport, SETTINGS_FILE, World};

/// A content folder (`Assets/` in files, whatever it is called on disk) and the classes of the program. Cheap to clone.
#[derive(Clone)]
pub struct Project {
    inner: Arc<Inner>,
}

struct Inner {
    root: PathBuf,
    /// Name of the folder and a slash: what diagnostics put before a path, so that they name it from the project's root.
    prefix: Box<str>,
    registry: ClassRegistry,
    file_system: Arc<dyn FileSystem>,
}

/// Why a project or a world cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProjectError {
    /// There is no such folder, or it cannot be read.
    #[error("cannot open the folder {}: {source}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The name of a world is no path below the content folder.
    #[error("`{name}` does not name a world: {source}")]
    WorldName {
        /// The name.
        name: String,
        /// What is wrong with it.
        source: folder::PathFault,
    },
    /// The folder of a world leaves the content folder by a link.
    #[error("a link at {} leaves the content folder", path.display())]
    Escapes {
        /// The folder of the world.
        path: PathBuf,
    },
    /// A save that was cut off could be neither finished nor discarded.
    #[error("an earlier save cannot be brought to an end: {0}")]
    Recovery(#[from] folder::SaveError),
    /// A new world would take the place of something.
    #[error("there is a world at {} already", path.display())]
    Exists {
        /// Where.
        path: PathBuf,
    },
    /// The arenas of the world cannot be reserved.
    #[error("cannot reserve memory for the world: {0}")]
    Memory(#[source] juliet_core::mem::ReserveError),
    /// The threads for loading cannot be started.
    #[error("cannot start the threads that load: {0}")]
    Threads(Box<str>),
}

impl Project {
    /// Opens the content folder `root`.
    ///
    /// # Errors
    /// [`ProjectError::Folder`] if there is no such folder.
    pub fn open(root: impl AsRef<Path>, registry: ClassRegistry) -> Result<Self, ProjectError> {
        Self::open_on(Arc::new(DiskFileSystem), root, registry)
    }

    /// Like [`open`](Self::open), with another door to the disk: for tests that count or cut its steps.
    ///
    /// # Errors
    /// [`ProjectError::Folder`] if there is no such folder.
    pub fn open_on(
        file_system: Arc<dyn FileSystem>,
        root: impl AsRef<Path>,
        registry: ClassRegistry,
    ) -> Result<Self, ProjectError> {
        let given = root.as_ref();
        let root = file_system
            .canonicalize(given)
            .map_err(|source| ProjectError::Folder { path: given.to_owned(), source })?;
        if file_system.status(&root).is_ok_and(|found| found.kind != FileKind::Folder) {
            return Err(ProjectError::Folder { path: root, source: std::io::ErrorKind::NotADirectory.into() });
        }
        let name = root.file_name().map(|name| format!("{}/", name.to_string_lossy())).unwrap_or_default();
        Ok(Self { inner: Arc::new(Inner { root, prefix: name.into(), registry, file_system }) })
    }

    /// Loads the world in the folder `world` below the content folder; a bare name stands for `Worlds/<name>`.
    ///
    /// Everything that can be loaded is: files with faults are left out, left alone on disk, and told in the report.
    ///
    /// # Errors
    /// [`ProjectError`] if the folder cannot be read at all, or a cut save cannot be brought to an end.
    pub fn load_world(&self, world: &str) -> Result<(World, LoadReport), ProjectError> {
        self.load_world_with(world, &LoadOptions::default())
    }

    /// Like [`load_world`](Self::load_world), with a number of threads, a capacity, or a report of progress.
    ///
    /// # Errors
    /// Those of [`load_world`](Self::load_world).
    pub fn load_world_with(&self, world: &str, options: &LoadOptions<'_>) -> Result<(World, LoadReport), ProjectError> {
        world::load(self, &self.world_folder(world)?, options)
    }

    /// An empty world in the folder `world`, which the first save creates with its `WorldSettings.jasset`.
    ///
    /// # Errors
    /// [`ProjectError::Exists`] if the folder holds settings or entities already; those of a folder that cannot be looked into;
    /// [`ProjectError::WorldName`], [`ProjectError::Memory`].
    pub fn new_world(&self, world: &str) -> Result<World, ProjectError> {
        let folder = self.world_folder(world)?;
        let settings = self.root().join(&*folder).join(SETTINGS_FILE);
        if self.file_system().status(&settings).is_ok() {
            return Err(ProjectError::Exists { path: settings });
        }
        // Their ids are not known to a world that did not load them.
        if world::has_files(self, &folder)? {
            return Err(ProjectError::Exists { path: self.root().join(&*folder) });
        }
        World::in_folder(self.clone(), folder, &LoadOptions::default(), true)
    }

    /// The content folder.
    pub fn root(&self) -> &Path {
        &self.inner.root
    }

    /// The classes of the program.
    pub fn registry(&self) -> &ClassRegistry {
        &self.inner.registry
    }

    pub(crate) fn file_system(&self) -> &dyn FileSystem {
        &*self.inner.file_system
    }

    /// What diagnostics put before a path below the content folder.
    pub(crate) fn prefix(&self) -> &str {
        &self.inner.prefix
    }

    /// The folder of a world, relative to the content folder.
    fn world_folder(&self, world: &str) -> Result<Box<str>, ProjectError> {
        let refuse = |source| ProjectError::WorldName { name: world.to_owned(), source };
        let below = world.strip_prefix("Assets/").unwrap_or(world).trim_end_matches('/');
        // What follows would make them paths below the content folder.
        match below {
            "" | "." => return Err(refuse(folder::PathFault::Empty)),
            _ if below.starts_with(['/', '\\']) => return Err(refuse(folder::PathFault::Absolute)),
            _ => {}
        }
        let below = if below.contains(['/', '\\']) { below.to_owned() } else { format!("Worlds/{below}") };
        let path = format!("Assets/{below}");
        let logical = folder::normalise(&path).map_err(refuse)?;
        Ok(logical.strip_prefix("Assets/").unwrap_or(&logical).into())
    }
}

impl std::fmt::Debug for Project {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Project").field("root", &self.inner.root).finish_non_exhaustive()
    }
}
