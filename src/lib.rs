//! Juliet: reflection for game entities whose worlds live as text in Git. This is its README:
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub use juliet_core::class::shape::{
    AssetPathError, AssetRef, Color, EntityRef, InlineString, Key, KeyIndex, KeyedItems,
};
pub use juliet_core::class::{
    AssetName, Cast, Class, ClassKind, ClassRegistry, DataVariant, ItemType, Kind, Meta, MigrateError, Migration,
    Property, PropertyType, Range, RegistryError, ResolveError, Role, TypeIdentity, Variant, VariantStyle,
};
pub use juliet_core::diag::{Code, Diagnostic, Look, Related, Severity, SourceLine, UnknownCode, render};
pub use juliet_core::entity::{
    AddError, AllocateError, BaseRef, Capacity, Compaction, Entities, EntityHandle, EntityItem, EntityList,
    EntityManager, InstantiateError, Mut, Position, Query, QueryError, ResetError, Stale,
};
pub use juliet_core::mem::{ErasedMut, ErasedRef, OwnedValue, PropertyValue};
pub use juliet_core::text::Spelling;
#[cfg(feature = "serde")]
pub use juliet_core::value::{AsSerde, EntityAsSerde, EntitySeed, SerdeSeed, entity_value_from_serde, from_serde};
pub use juliet_core::value::{Value, ValueError, get_path, set_path};
pub use juliet_core::{Component, Entity, registry};
pub use juliet_derive::{Component, Entity, Property};
pub use juliet_world::ecs::{EventCursor, Events, ResourceError};
pub use juliet_world::game_loop::{GameLoop, LoopOptions};
pub use juliet_world::presentation::{Position2D, PresentationSnapshot, SnapshotOptions};
pub use juliet_world::schedule::{Schedule, ScheduleError, System, SystemConfig, system};
pub use juliet_world::sim_math::{Fix, Fp32Pinned, Fpx16_16, SimMath};
pub use juliet_world::{
    BindError, Binding, CommandError, CommandFailure, Commands, ComponentError, ComponentRow, CreateTemplateError,
    Difference, FileChange, FrameReport, Impact, KeepError, KeepFailure, Level, LineChange, ListedReport, LoadOptions,
    LoadReport, Mode, OverrideError, PlayError, Progress, Project, ProjectError, PutError, Reason, RereadReport,
    RestoreError, Row, SaveError, SaveReport, Selection, SetError, SpawnError, SpawnTicket, StopReport, Subject,
    SystemTable, TEMPLATE_CAPACITY, TEMPLATE_DEPTH, Target, TemplateError, TemplateHandle, TemplateInUse,
    TemplateRefused, Timings, Unknown, UnknownData, UnknownReport, UpkeepError, UpkeepReport, Why, World,
};

/// The vector types that properties have; the version Juliet is built with.
pub use glam;

/// A map that keeps the order of insertion; the version Juliet is built with.
pub use indexmap::IndexMap;

/// The crates below, whole: for tools that work on text, tables or the disk directly.
pub use juliet_core as core;
/// The schema of a registry: JSON, a check of what changed, and pages for people.
pub use juliet_core::schema;
/// Meshes, textures and other assets on background threads.
#[cfg(feature = "assets")]
pub use juliet_world::assets;
/// World folders: the file system, ids, and the save transaction.
pub use juliet_world::folder;
/// Systems in stages, what they share, fixed ticks, the numbers they count in, and what is shown between them.
pub use juliet_world::{ecs, game_loop, presentation, schedule, sim_math};

#[doc(hidden)]
pub use juliet_core::__private;

/// What nearly every program needs: `use juliet::prelude::*;`
pub mod prelude {
    pub use crate::glam::{IVec2, IVec3, Quat, Vec2, Vec3, Vec4};
    pub use crate::{
        AssetRef, Class, ClassRegistry, Color, Component, Diagnostic, Entity, EntityHandle, EntityRef, EventCursor,
        Fix, Fp32Pinned, Fpx16_16, GameLoop, IndexMap, InlineString, LoopOptions, Position, Position2D,
        PresentationSnapshot, Project, Property, SimMath, SnapshotOptions, SystemTable, TemplateHandle, World,
        registry, system,
    };
}
