//! The byte level of a world folder: how texts come from the disk and get back to it.
//!
//! What comes in and goes out are names, paths and bytes; this module knows no class, no entity and no `.jasset` grammar.
//!
//! * [`FileSystem`] is the only door to the disk; [`DiskFileSystem`] is the real one, [`testing::FaultyFileSystem`] counts and
//!   breaks.
//! * [`normalise`], [`Spelling`] and [`check_new_name`] turn what a person wrote into one path, the same on every system.
//! * [`IdSource`] hands out ids that two working copies cannot both use.
//! * [`Transaction`] saves: all texts and deletions to one redo file, one flush, then each file is replaced. [`recover`] finishes
//!   or discards at the next load what a crash left behind.
//!
//! Invariants:
//! * No path that leaves the content folder is opened, whichever way it is written or linked.
//! * A file in the content folder is at every moment entirely an old or entirely a new version.
//! * Names that begin with a dot are ours or other tools': [`is_hidden`] names are never loaded.
//! * Everything that belongs to this working copy alone lies in `<content folder>/.juliet`, which holds a `.gitignore` of `*`.

mod disk;
mod file_system;
mod fingerprint;
mod ids;
mod local;
mod paths;
mod redo;
#[doc(hidden)]
pub mod testing;

pub use disk::DiskFileSystem;
pub use file_system::{Entry, Fault, FileKind, FileSystem, Folder, LogFile, ReadOutcome, Status};
pub use ids::{
    COUNTER_BITS, DERIVED_NAMESPACE, Exhausted, IdSource, Namespace, NamespaceError, derived_id, load_namespace,
};
pub use paths::{
    CONTENT_ROOT, Location, NameFault, PathFault, Spelling, check_case, check_new_name, is_hidden, normalise, real_path,
};
pub use redo::{
    Conflict, Failed, Fingerprint, RecoveryReport, Refusal, Refused, Remove, SaveError, SaveReport, Transaction, Write,
    is_temporary, recover,
};
