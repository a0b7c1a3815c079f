//! What can go wrong with entities: full arenas, stale handles, ids given twice.

use core::fmt;

use super::EntityHandle;
use crate::class::ClassKind;

/// The entity was removed, or is one of another manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stale handle {handle:?}")]
pub struct Stale {
    /// The handle that resolves to nothing.
    pub handle: EntityHandle,
}

/// Why no entity was allocated. Nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AllocateError {
    /// All slots are live or retired, or the system has no memory left.
    #[error("no room for another `{class}`: the capacity is {capacity} entities")]
    CapacityExceeded {
        /// Name of the class.
        class: &'static str,
        /// How many entities the manager was made for.
        capacity: u32,
    },
    /// The registry has no such class.
    #[error("no class of kind {kind}")]
    UnknownKind {
        /// The kind asked for.
        kind: ClassKind,
    },
}

/// Why no component was added. Nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AddError {
    /// The handle resolves to nothing.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// The registry does not have the type.
    #[error("`{class}` is not registered as a component: add it to the `ClassRegistry`")]
    NotRegistered {
        /// Name of the class.
        class: &'static str,
    },
    /// The registry has no such component type.
    #[error("no component type of kind {kind}")]
    UnknownKind {
        /// The kind asked for.
        kind: ClassKind,
    },
    /// The system has no memory left.
    #[error("no room for another `{class}`: the capacity is {capacity} entities")]
    CapacityExceeded {
        /// Name of the class.
        class: &'static str,
        /// How many entities the manager was made for.
        capacity: u32,
    },
}

/// Why nothing was instantiated. Nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstantiateError {
    /// No room, or no such class.
    #[error(transparent)]
    Allocate(#[from] AllocateError),
    /// The image is of another class than the entity would be.
    #[error("an image of `{image}` for a `{class}`")]
    ImageMismatch {
        /// Name of the class of the entity.
        class: &'static str,
        /// Name of the type of the image.
        image: &'static str,
    },
}

/// Why the value of an entity was not replaced. Nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResetError {
    /// The handle resolves to nothing.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// The image is of another class than the entity.
    #[error("an image of `{image}` for a `{class}`")]
    ImageMismatch {
        /// Name of the class of the entity.
        class: &'static str,
        /// Name of the type of the image.
        image: &'static str,
    },
}

/// Why a value was not taken in. It is handed back.
pub enum SpawnError<T> {
    /// All slots are live or retired, or the system has no memory left.
    CapacityExceeded {
        /// The value.
        value: T,
        /// Name of the class.
        class: &'static str,
        /// How many entities the manager was made for.
        capacity: u32,
    },
    /// The registry does not have the type.
    NotRegistered {
        /// The value.
        value: T,
        /// Name of the class.
        class: &'static str,
    },
}

impl<T> SpawnError<T> {
    /// The value that was not taken in.
    pub fn into_value(self) -> T {
        match self {
            Self::CapacityExceeded { value, .. } | Self::NotRegistered { value, .. } => value,
        }
    }
}

impl<T> fmt::Display for SpawnError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::CapacityExceeded { class, capacity, .. } => {
                AllocateError::CapacityExceeded { class, capacity }.fmt(f)
            }
            Self::NotRegistered { class, .. } => write!(f, "class `{class}` is not registered"),
        }
    }
}

impl<T> fmt::Debug for SpawnError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SpawnError({self})")
    }
}

impl<T> std::error::Error for SpawnError<T> {}

/// Why a batch ended early. What was spawned before stays.
pub struct BatchError<T> {
    /// The entities spawned before the failure.
    pub spawned: Vec<EntityHandle>,
    /// The failure, with the value that was not taken in. Values after it are still in the iterator.
    pub error: SpawnError<T>,
}

impl<T> fmt::Display for BatchError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {} entities: {}", self.spawned.len(), self.error)
    }
}

impl<T> fmt::Debug for BatchError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BatchError({self})")
    }
}

impl<T> std::error::Error for BatchError<T> {}

/// Why an entity was not given an id. Nothing has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetIdError {
    /// The handle resolves to nothing.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// Another entity has the id.
    #[error("id {id:#018x} belongs to entity {holder:?}")]
    Duplicate {
        /// The id.
        id: u64,
        /// The entity that has it.
        holder: EntityHandle,
    },
}

/// Why several values could not be lent at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LendError {
    /// A handle resolves to nothing.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// A handle stands in the list twice.
    #[error("entity {handle:?} is named twice")]
    Twice {
        /// The handle.
        handle: EntityHandle,
    },
}
