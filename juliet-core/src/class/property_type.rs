//! The static description of a type a property can have.

use core::alloc::Layout;
use core::any::TypeId;

use super::late::{AssetName, ItemType};
use super::shape::{DataEnum, LeafType, UnitEnum};
use super::{Property, TypeIdentity};
use crate::mem::PropertyValue;
use crate::mem::glue::{self, Life, Ops};
use crate::mem::made::Made;

/// A type a property can have: layout, shape, and the functions that read, write, compare, copy and end its values.
pub struct PropertyType {
    name: &'static str,
    doc: &'static str,
    kind: Kind,
    type_id: TypeId,
    size: usize,
    align: usize,
    leaves: u32,
    blittable: bool,
    life: Life,
    ops: Option<&'static Ops>,
    removed: &'static [&'static str],
    made: Option<&'static Made>,
}

/// What a type that is made at run time consists of; see [`made`](crate::mem::made).
pub(crate) struct MadeParts {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) kind: Kind,
    pub(crate) layout: Layout,
    pub(crate) blittable: bool,
    pub(crate) life: Life,
    pub(crate) ops: Option<&'static Ops>,
    pub(crate) made: &'static Made,
}

/// The shape of a type.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Integer {
        /// Whether it may be negative.
        signed: bool,
        /// Width in bits.
        bits: u8,
    },
    /// A floating-point number.
    Float {
        /// Width in bits.
        bits: u8,
    },
    /// One Unicode scalar value.
    Char,
    /// UTF-8 text.
    Text {
        /// Largest length in bytes of an inline string; `None` for a growing one.
        capacity: Option<usize>,
    },
    /// `count` numbers on one line.
    Vector {
        /// How many.
        count: u8,
        /// Whether they are floats, else integers.
        float: bool,
    },
    /// Four numbers x, y, z, w.
    Quaternion,
    /// Three or four numbers: red, green, blue, alpha; linear.
    Color,
    /// Path of an asset.
    AssetRef {
        /// Name of the asset type.
        asset: AssetName,
    },
    /// Id of an entity.
    EntityRef,
    /// One of several names.
    Enum {
        /// All variants, in declaration order.
        variants: &'static [Variant],
    },
    /// One of several variants with the data it holds; a value is one piece.
    DataEnum {
        /// All variants, in declaration order.
        variants: &'static [DataVariant],
    },
    /// Fields; each is a leaf or a struct again.
    Struct {
        /// The table, in declaration order.
        fields: &'static [Property],
    },
    /// A wrapper of one value, read and written like that value.
    Newtype {
        /// The value inside.
        field: &'static Property,
    },
    /// A fixed number of items in brackets.
    Array {
        /// How many.
        count: usize,
        /// Type of the items.
        item: ItemType,
    },
    /// Any number of items in brackets.
    List {
        /// Type of the items.
        item: ItemType,
    },
    /// Any number of items in braces, each with its key.
    Map {
        /// Type of the keys.
        key: ItemType,
        /// Type of the items.
        item: ItemType,
    },
    /// Any number of structs in brackets, each known by one of its fields.
    KeyedList {
        /// Type of the items.
        item: ItemType,
        /// The place of the key among the fields of an item.
        key_field: usize,
    },
    /// A value or `none`.
    Option {
        /// Type of the value.
        item: ItemType,
    },
    /// Text that a module of the user's turns into a value and back.
    Adapter,
}

/// One variant of a unit enum.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// Its text.
    pub name: &'static str,
    /// Further texts that are read.
    pub aliases: &'static [&'static str],
    /// Doc comment; empty if there is none.
    pub doc: &'static str,
}

/// One variant of an enum with data.
#[derive(Clone, Copy, Debug)]
pub struct DataVariant {
    /// What its text begins with.
    pub name: &'static str,
    /// Further names that are read.
    pub aliases: &'static [&'static str],
    /// Doc comment; empty if there is none.
    pub doc: &'static str,
    /// How its data stands.
    pub style: VariantStyle,
    /// Keys of fields that are gone, of a variant with named fields.
    pub removed: &'static [&'static str],
    /// Its data, in declaration order. The offsets mean nothing: where data lies in an enum is not known.
    pub fields: &'static [Property],
}

/// How the data of a variant stands in text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum VariantStyle {
    /// There is none: `Idle`.
    Unit,
    /// By place: `Wait(2.5)`.
    Tuple,
    /// By name: `Patrol { Speed: 2 }`.
    Struct,
}

impl PropertyType {
    pub(crate) const fn described<T: 'static>(
        name: &'static str,
        doc: &'static str,
        kind: Kind,
        life: Life,
        ops: Option<&'static Ops>,
        blittable: bool,
    ) -> Self {
        Self {
            name,
            doc,
            kind,
            type_id: TypeId::of::<T>(),
            size: size_of::<T>(),
            align: align_of::<T>(),
            leaves: count_leaves(kind),
            blittable,
            life,
            ops,
            removed: &[],
            made: None,
        }
    }

    /// A type without a Rust type of its own.
    pub(crate) fn made_of(parts: MadeParts) -> Self {
        /// A type that has no value and that nobody else can name, so that no `T` is ever taken for a made type.
        enum NoRustType {}
        let MadeParts { name, doc, kind, layout, blittable, life, ops, made } = parts;
        Self {
            name,
            doc,
            kind,
            type_id: TypeId::of::<NoRustType>(),
            size: layout.size(),
            align: layout.align(),
            leaves: count_leaves(kind),
            blittable,
            life,
            ops,
            removed: &[],
            made: Some(made),
        }
    }

    /// Used by generated code: keys of properties that are gone.
    #[doc(hidden)]
    pub const fn with_removed(mut self, removed: &'static [&'static str]) -> Self {
        self.removed = removed;
        self
    }

    /// A leaf type of this crate.
    pub(crate) const fn leaf<T: LeafType + PropertyValue>(blittable: bool) -> Self {
        Self::described::<T>(T::NAME, "", T::KIND, Life::of_property::<T>(), Some(Ops::of::<T>()), blittable)
    }

    /// Used by generated code: a struct with fields. `plain` says that its skipped fields are `Copy`.
    #[doc(hidden)]
    pub const fn structure<T: PropertyValue>(
        name: &'static str,
        doc: &'static str,
        fields: &'static [Property],
        plain: bool,
    ) -> Self {
        let blittable = plain && !core::mem::needs_drop::<T>() && all_blittable(fields);
        Self::described::<T>(name, doc, Kind::Struct { fields }, Life::of_property::<T>(), None, blittable)
    }

    /// Used by generated code: a tuple struct of one field.
    #[doc(hidden)]
    pub const fn newtype<T: PropertyValue>(name: &'static str, doc: &'static str, field: &'static Property) -> Self {
        let blittable = !core::mem::needs_drop::<T>() && field.ty().blittable;
        Self::described::<T>(name, doc, Kind::Newtype { field }, Life::of_property::<T>(), None, blittable)
    }

    /// Used by generated code: an enum without data.
    #[doc(hidden)]
    pub const fn unit_enum<T: UnitEnum + PropertyValue>(name: &'static str, doc: &'static str) -> Self {
        glue::unit_enum::<T>(name, doc)
    }

    /// Used by generated code: an enum with data. `plain` says that the skipped fields of its variants are `Copy`.
    #[doc(hidden)]
    pub const fn data_enum<T: DataEnum + PropertyValue>(name: &'static str, doc: &'static str, plain: bool) -> Self {
        let mut blittable = plain && !core::mem::needs_drop::<T>();
        let mut i = 0;
        while i < T::VARIANTS.len() {
            blittable = blittable && all_blittable(T::VARIANTS[i].fields);
            i += 1;
        }
        glue::data_enum::<T>(name, doc, blittable)
    }

    /// Name of the type as an inspector shows it.
    #[inline]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Doc comment of the type; empty if there is none.
    pub fn doc(&self) -> &'static str {
        self.doc
    }

    /// The shape.
    #[inline]
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Identity of the type: that of the Rust type, or one of its own for a type that was made from a schema.
    #[inline]
    pub fn type_id(&self) -> TypeIdentity {
        TypeIdentity::new(self.type_id, self.made)
    }

    /// Whether values are those of the Rust type `T`; never for a type that was made from a schema.
    #[inline]
    pub fn is<T: 'static>(&self) -> bool {
        self.type_id == TypeId::of::<T>()
    }

    /// Size of a value in bytes.
    #[inline]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Alignment of a value in bytes.
    #[inline]
    pub fn align(&self) -> usize {
        self.align
    }

    /// How many leaves a value has: 1, or the sum over the fields of a struct that has any. Leaves are numbered in declaration order, depth first.
    #[inline]
    pub fn leaves(&self) -> u32 {
        self.leaves
    }

    /// Whether a value is read and written as one piece: everything but structs and newtypes.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.ops.is_some()
    }

    /// Whether the value, or what a newtype holds, has items with an identity: it is a map or a list with keys.
    pub fn is_keyed(&self) -> bool {
        match self.kind {
            Kind::Newtype { field } => field.ty().is_keyed(),
            Kind::Map { .. } | Kind::KeyedList { .. } => true,
            _ => false,
        }
    }

    /// Whether the text of a value may have parentheses around commas.
    pub(crate) fn takes_parentheses(&self) -> bool {
        match self.kind {
            Kind::Newtype { field } => field.ty().takes_parentheses(),
            Kind::Option { item } => item.get().takes_parentheses(),
            Kind::DataEnum { .. } => true,
            _ => false,
        }
    }

    /// Whether copying the bytes of a value makes another valid value, and a value needs no drop.
    #[inline]
    pub const fn is_blittable(&self) -> bool {
        self.blittable
    }

    /// The fields of a struct; empty for every other shape.
    #[inline]
    pub fn fields(&self) -> &'static [Property] {
        match self.kind {
            Kind::Struct { fields } => fields,
            _ => &[],
        }
    }

    /// The keys of properties that a struct had once, in the spelling they were declared in. Their lines are read as nothing.
    #[inline]
    pub fn removed(&self) -> &'static [&'static str] {
        self.removed
    }

    #[inline]
    pub(crate) fn life(&self) -> &Life {
        &self.life
    }

    /// What a type has that was made at run time.
    #[inline]
    pub(crate) fn made(&self) -> Option<&'static Made> {
        self.made
    }

    #[inline]
    pub(crate) fn ops(&self) -> Option<&'static Ops> {
        self.ops
    }
}

/// No type has more leaves, so that no set of them is larger than 2 MiB.
pub(crate) const LEAVES_LIMIT: u32 = 1 << 24;

const fn count_leaves(kind: Kind) -> u32 {
    match kind {
        Kind::Struct { fields: [] } => 1,
        Kind::Struct { fields } => sum_leaves(fields),
        Kind::Newtype { field } => field.ty().leaves,
        _ => 1,
    }
}

const fn sum_leaves(fields: &[Property]) -> u32 {
    let (mut sum, mut i) = (0, 0);
    while i < fields.len() {
        sum += fields[i].ty().leaves;
        assert!(sum <= LEAVES_LIMIT, "a type has at most 2²⁴ leaves");
        i += 1;
    }
    sum
}

pub(super) const fn all_blittable(fields: &[Property]) -> bool {
    let mut i = 0;
    while i < fields.len() {
        if !fields[i].ty().blittable {
            return false;
        }
        i += 1;
    }
    true
}

impl core::fmt::Debug for PropertyType {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("PropertyType").field("name", &self.name).field("size", &self.size).finish_non_exhaustive()
    }
}
