//! Meshes, textures and other assets, loaded on background threads.
//!
//! ```text
//! load, preload ──► asked ──update──► look: folders listed, no file opened ──► load: one open, one read, one loader
//!                                                                                 │ other threads
//! Handle::get ◄── value, old value or placeholder ◄──update── what has come back ◄┘
//! ```
//!
//! In: paths such as `Assets/Meshes/Rock.obj`, from code or from the properties of a world. Out: handles that show a value, a placeholder, or
//! nothing yet, and diagnostics.
//!
//! Invariants:
//! * A path is loaded once for each type, however it is written; upper and lower case count.
//! * Handles change in [`Assets::update`] and [`Assets::wait`] only, and never from a value back to none.
//! * No file of a wrong name, outside the content folder, or above the limit is opened. Whatever a file holds and whatever a loader
//!   does, the failure is a diagnostic and the threads go on.
//! * What is shown in the end does not depend on the number of threads.
//!
//! Absent on purpose: a thread that watches the disk ([`Assets::poll_changes`] looks when it is told to), formats beside OBJ, PNG and JPEG
//! (see [`AssetLoader`]), materials, and anything of a graphics card.
//!
//! ```
//! use juliet_world::Project;
//! use juliet_world::assets::{Assets, LoadState, Mesh, Texture};
//! # use juliet_core::ClassRegistry;
//! # let folder = tempfile::tempdir().unwrap();
//! # std::fs::write(folder.path().join("Tile.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
//! # let project = Project::open(folder.path(), ClassRegistry::new()).unwrap();
//!
//! let mut assets = Assets::open(&project)?;
//! let tile = assets.load::<Mesh>("Assets/Tile.obj");
//! let wood = assets.load::<Texture>("Assets/Wood.png");
//! assert_eq!(tile.state(), LoadState::Loading);
//!
//! let report = assets.wait();                             // a game calls `update` once a frame instead
//! assert_eq!(tile.get().unwrap().indices, [0, 1, 2]);
//! assert_eq!(wood.state(), LoadState::Failed);            // there is none: it shows a checker of magenta and black
//! assert_eq!(report.diagnostics[0].code.as_str(), "JA0601");
//!
//! # std::fs::write(folder.path().join("Tile.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 4 3\n").unwrap();
//! assets.poll_changes();                                  // somebody has worked on the tile
//! assets.wait();
//! assert_eq!(tile.get().unwrap().positions.len(), 4);
//! # Ok::<(), juliet_world::ProjectError>(())
//! ```

mod handle;
mod jobs;
mod loader;
mod look;
mod manager;
mod mesh;
mod obj;
mod progress;
mod references;
#[cfg(test)]
mod tests;
mod texture;

pub use handle::{AnyHandle, Handle, LoadState};
pub use loader::{Asset, AssetLoader, LoadError};
pub use manager::{AssetOptions, AssetReport, Assets};
pub use mesh::Mesh;
pub use obj::ObjLoader;
pub use progress::{Amount, AssetProgress};
pub use references::Preloaded;
pub use texture::{ImageLoader, Texture};
