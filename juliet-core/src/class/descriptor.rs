//! The descriptor of an entity type.

use super::{
    Cast, Entity, Kind, MigrateError, MigrateFn, Migration, Property, PropertyType, TraitCast, TypeIdentity,
    property_type::all_blittable,
};
use crate::mem::ErasedMut;
use crate::mem::glue::Life;
use crate::mem::made::MadeType;
use crate::mem::unknown::UnknownClass;

/// The descriptor of an entity type: what its struct became.
///
/// A `'static` table, one per type. Cheap to name, compared by identity.
pub struct Class {
    name: &'static str,
    crc: u32,
    version: u32,
    aliases: &'static [&'static str],
    ty: PropertyType,
    post_init: Option<fn(ErasedMut<'_>)>,
    migrate: &'static [(u32, MigrateFn)],
    is_component: bool,
    casts: &'static [TraitCast],
    said: Option<Said>,
}

/// What a schema says of the Rust type of a class, and nobody else can.
#[derive(Clone, Copy)]
struct Said {
    schema_hash: u64,
    blittable: bool,
}

/// A class whose type was made from a schema, in its place for as long as the program lives.
#[derive(Clone, Copy)]
pub(crate) struct MadeClass(&'static Class);

/// What a schema says of a class beside its type.
pub(crate) struct ClassParts {
    pub(crate) name: &'static str,
    pub(crate) version: u32,
    pub(crate) aliases: &'static [&'static str],
    /// Whether a function of the program reads files of older versions: without its steps such a file is refused.
    pub(crate) migrates: bool,
    /// The newest version of the files that its steps take; 0 if that is every older one.
    pub(crate) migrates_until: u32,
    /// Its steps, in the order of their versions; `None` if only the program has them.
    pub(crate) steps: Option<&'static [(u32, MigrateFn)]>,
    pub(crate) schema_hash: u64,
    /// Of the Rust type.
    pub(crate) blittable: bool,
    /// Whether values are components of entities.
    pub(crate) is_component: bool,
}

impl MadeClass {
    /// A class whose values are of type `ty`.
    pub(crate) fn new(parts: ClassParts, ty: MadeType) -> Self {
        let ClassParts { name, version, aliases, migrates, migrates_until, steps, schema_hash, blittable, .. } = parts;
        let until = if migrates_until == 0 { u32::MAX } else { migrates_until };
        let steps: &'static [(u32, MigrateFn)] = match (steps, migrates) {
            (Some(steps), _) => steps,
            (None, true) => Box::leak(Box::new([(until, needs_the_program as MigrateFn)])),
            (None, false) => &[],
        };
        Self(Box::leak(Box::new(Class {
            name,
            crc: crc32fast::hash(name.as_bytes()),
            version,
            aliases,
            ty: ty.into_table(),
            post_init: None,
            migrate: steps,
            is_component: parts.is_component,
            casts: &[],
            said: Some(Said { schema_hash, blittable }),
        })))
    }

    /// The class.
    pub(crate) fn class(self) -> &'static Class {
        self.0
    }
}

/// What a class of a schema does with files of an older version.
fn needs_the_program(_: &mut Migration<'_>) -> Result<(), MigrateError> {
    Err("only the program itself can migrate it: this one knows the class by its schema alone".into())
}

impl Class {
    /// Used by generated code. `plain` says that the skipped fields of `T` are `Copy`.
    #[doc(hidden)]
    pub const fn of<T: Entity>(
        name: &'static str,
        crc: u32,
        version: u32,
        doc: &'static str,
        fields: &'static [Property],
        plain: bool,
    ) -> Self {
        let blittable = plain && !core::mem::needs_drop::<T>() && all_blittable(fields);
        let ty =
            PropertyType::described::<T>(name, doc, Kind::Struct { fields }, Life::of_entity::<T>(), None, blittable);
        Self {
            name,
            crc,
            version,
            aliases: &[],
            ty,
            post_init: None,
            migrate: &[],
            is_component: false,
            casts: &[],
            said: None,
        }
    }

    /// Used by generated code: former names.
    #[doc(hidden)]
    pub const fn with_aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// Used by generated code: `T::post_init` is called after loading.
    #[doc(hidden)]
    pub const fn with_post_init<T: Entity>(mut self) -> Self {
        self.post_init = Some(post_init::<T>);
        self
    }

    /// Used by generated code: keys of properties that are gone.
    #[doc(hidden)]
    pub const fn with_removed(mut self, removed: &'static [&'static str]) -> Self {
        self.ty = self.ty.with_removed(removed);
        self
    }

    /// Used by generated code: reads files of older versions. Each step takes files of its version and of those before it, down to that
    /// of the step before; they go upwards.
    #[doc(hidden)]
    pub const fn with_migrate(mut self, steps: &'static [(u32, MigrateFn)]) -> Self {
        self.migrate = steps;
        self
    }

    /// Used by generated code: values are components of entities, not entities.
    #[doc(hidden)]
    pub const fn as_component(mut self) -> Self {
        self.is_component = true;
        self
    }

    /// Used by generated code: the traits values are visited through.
    #[doc(hidden)]
    pub const fn with_casts(mut self, casts: &'static [TraitCast]) -> Self {
        self.casts = casts;
        self
    }

    /// Whether values are components of entities (`#[derive(Component)]`), not entities.
    #[inline]
    pub const fn is_component(&self) -> bool {
        self.is_component
    }

    /// The way from a value to the trait object `D`; `None` if `#[jasset(implements(…))]` does not name it. O(traits named).
    pub fn cast<D: ?Sized + 'static>(&self) -> Option<&'static Cast<D>> {
        self.casts.iter().find_map(|cast| cast.to())
    }

    /// Whether the program knows the class: `false` for the one that stands for all others, which has no properties and whose name is in no
    /// file.
    #[inline]
    pub fn is_known(&self) -> bool {
        !self.ty.is::<UnknownClass>()
    }

    /// Name of the class in files.
    #[inline]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// CRC-32 (IEEE) of the bytes of the name, worked out when the class was compiled.
    #[inline]
    pub fn crc(&self) -> u32 {
        self.crc
    }

    /// Version of the class, `; class_version` in files.
    #[inline]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Former names that are still read.
    #[inline]
    pub fn aliases(&self) -> &'static [&'static str] {
        self.aliases
    }

    /// Doc comment; empty if there is none.
    pub fn doc(&self) -> &'static str {
        self.ty.doc()
    }

    /// The described fields, in declaration order.
    #[inline]
    pub fn properties(&self) -> &'static [Property] {
        self.ty.fields()
    }

    /// Layout and functions of a value.
    #[inline]
    pub fn ty(&'static self) -> &'static PropertyType {
        &self.ty
    }

    /// Identity of the type of the values.
    #[inline]
    pub fn value_type_id(&self) -> TypeIdentity {
        self.ty.type_id()
    }

    /// Whether values are copied and ended as bytes: all properties are plain data and nothing needs a drop.
    #[inline]
    pub fn is_blittable(&self) -> bool {
        self.ty.is_blittable()
    }

    /// The same of the Rust type, for a class that was made from its schema.
    pub(crate) fn is_blittable_in_rust(&self) -> bool {
        self.said.map_or(self.is_blittable(), |said| said.blittable)
    }

    /// The property that `key` names, in either spelling or by an alias. O(properties).
    pub fn find_property(&self, key: &str) -> Option<&'static Property> {
        self.properties().iter().find(|property| property.is_named(key))
    }

    /// Runs what `#[jasset(post_init = …)]` names on a value of this class; nothing for a value of another one, or without the attribute.
    #[inline]
    pub fn run_post_init(&self, value: ErasedMut<'_>) {
        if let Some(post_init) = self.post_init {
            post_init(value);
        }
    }

    /// Whether `#[jasset(post_init = …)]` names something.
    #[inline]
    pub fn has_post_init(&self) -> bool {
        self.post_init.is_some()
    }

    /// Whether `#[jasset(migrate = …)]` names something.
    #[inline]
    pub fn has_migrate(&self) -> bool {
        !self.migrate.is_empty()
    }

    /// The newest version of the files that its migration takes; 0 if that is every older one, or if there is none.
    pub(crate) fn migrates_until(&self) -> u32 {
        self.migrate.last().map_or(0, |&(from, _)| if from == u32::MAX { 0 } else { from })
    }

    /// The steps that bring a file of `version` to the current one; none for a current file.
    #[inline]
    pub(crate) fn migration_from(&self, version: u32) -> &'static [(u32, MigrateFn)] {
        match version < self.version {
            true => &self.migrate[self.migrate.partition_point(|&(from, _)| from < version)..],
            false => &[],
        }
    }

    /// A number over the names and types of all properties, nested ones included. Two builds in which it is equal read each other's
    /// binary data. Works through the whole table at each call; of a class that was made from a schema it is what that says.
    pub fn schema_hash(&self) -> u64 {
        self.said.map_or_else(|| super::schema_hash::of(self), |said| said.schema_hash)
    }
}

fn post_init<T: Entity>(value: ErasedMut<'_>) {
    if let Some(value) = value.downcast_mut::<T>() {
        value.post_init();
    }
}

impl core::fmt::Debug for Class {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Class").field("name", &self.name).field("version", &self.version).finish_non_exhaustive()
    }
}

impl PartialEq for Class {
    /// Identity of the type of the values.
    fn eq(&self, other: &Self) -> bool {
        self.ty.type_id() == other.ty.type_id()
    }
}

impl Eq for Class {}
