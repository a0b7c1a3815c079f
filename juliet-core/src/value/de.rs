//! Serde data → trees → memory, led by a type.
//!
//! Every step asks the format for what the type wants, so formats that do not describe themselves work too; the tree
//! is then put into memory as any other ([`Value::put`]), which judges ranges. Messages say where: what serde itself expects is told with its path.
//!
//! A hostile input costs its length: depths are bounded, and nothing is reserved on the word of a count.

use std::cell::Cell;
use std::fmt;

use indexmap::IndexMap;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};

use super::Value;
use super::any::scalars;
use super::error::{ValueError, expected, item_part, join};
use super::of::unwrapped;
use super::put::find_field;
use crate::class::{DataVariant, Kind, Property, PropertyType, VariantStyle};
use crate::diag::Code;
use crate::mem::{Entity, ErasedMut, PropertyValue};

/// How deep data may nest, as of serde_json.
pub(super) const DEPTH_LIMIT: u8 = 128;

/// How many items all of the data may have that take no bytes, such as those of a `Vec<[u8; 0]>`: a count is all a format may have of them.
const EMPTY_ITEMS: usize = 1 << 16;

/// How many more items without bytes may follow in the data.
pub(super) struct Budget(Cell<usize>);

impl Budget {
    pub(super) fn new() -> Self {
        Self(Cell::new(EMPTY_ITEMS))
    }

    /// Takes one; `false` if none is left.
    fn take(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left > 0
    }
}

/// How many items memory is reserved for on the word of a format.
pub(super) const RESERVED: usize = 64;

/// Puts serde data into memory; the counterpart of [`AsSerde`](super::AsSerde).
///
/// Keys are taken in either spelling, and aliases; fields left out keep what they have; what is taken else is as of [`Value::put`]. Unless all of the
/// data is good, the memory stays as it was.
///
/// ```
/// use juliet_core::{mem::ErasedMut, value::SerdeSeed};
/// use serde::de::DeserializeSeed;
///
/// let mut levels = vec![1_u8];
/// let error = SerdeSeed(ErasedMut::new(&mut levels)).deserialize(serde_json::json!([7, 300])).unwrap_err();
/// assert_eq!(error.to_string(), "[1]: expected a whole number in 0..=255, found `300`");
/// assert_eq!(levels, [1]);
/// ```
///
/// # Errors
/// Those of the format, and those of [`Value::put`] with the path of what is wrong.
///
/// # Panics
/// If the user's default, copy or drop does.
pub struct SerdeSeed<'a>(pub ErasedMut<'a>);

impl<'de> DeserializeSeed<'de> for SerdeSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let data = Typed { ty: self.0.ty(), trail: &Trail::Start, depth: 0, empty: &Budget::new() };
        let value = data.deserialize(deserializer)?;
        value.put(self.0).map_err(D::Error::custom)
    }
}

/// A value that a property can have, from serde data; fields left out have their defaults.
///
/// # Errors
/// As of [`SerdeSeed`].
pub fn from_serde<'de, T: PropertyValue, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let mut value = T::default_value();
    SerdeSeed(ErasedMut::new(&mut value)).deserialize(deserializer)?;
    Ok(value)
}

/// The value of an entity, from serde data; fields left out have their defaults.
///
/// # Errors
/// As of [`SerdeSeed`].
pub fn entity_value_from_serde<'de, T: Entity, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let mut value = T::default_value();
    SerdeSeed(ErasedMut::of_entity(&mut value)).deserialize(deserializer)?;
    Ok(value)
}

/// Where in the data: a list from the inside out, turned into text only for a message.
pub(super) enum Trail<'t> {
    Start,
    Key(&'t Trail<'t>, &'t str),
    Index(&'t Trail<'t>, usize),
    Item(&'t Trail<'t>, &'t str),
}

impl Trail<'_> {
    fn path(&self) -> String {
        match self {
            Self::Start => String::new(),
            Self::Key(outer, key) => join(&outer.path(), key),
            Self::Index(outer, index) => format!("{}[{index}]", outer.path()),
            Self::Item(outer, key) => join(&outer.path(), &item_part(key)),
        }
    }
}

/// The rest of a message: " at `Light.Color`", nothing at the start.
impl fmt::Display for Trail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => Ok(()),
            _ => write!(f, " at `{}`", self.path()),
        }
    }
}

impl ValueError {
    #[cold]
    fn at<E: Error>(self, trail: &Trail<'_>) -> E {
        E::custom(self.within(&trail.path()))
    }
}

#[cold]
pub(super) fn too_deep<E: Error>(trail: &Trail<'_>) -> E {
    E::custom(format_args!("the data nests deeper than {DEPTH_LIMIT} levels{trail}"))
}

#[cold]
pub(super) fn twice<E: Error>(key: &str, trail: &Trail<'_>) -> E {
    ValueError::new(Code::DuplicateKey, "each key once", format!("`{key}` for a second time")).at(trail)
}

/// A tree for values of type `ty`.
#[derive(Clone, Copy)]
pub(super) struct Typed<'t> {
    pub(super) ty: &'static PropertyType,
    pub(super) trail: &'t Trail<'t>,
    pub(super) depth: u8,
    pub(super) empty: &'t Budget,
}

impl<'t> Typed<'t> {
    /// One level further in.
    fn inner<'i>(&self, ty: &'static PropertyType, trail: &'i Trail<'i>) -> Typed<'i>
    where
        't: 'i,
    {
        Typed { ty, trail, depth: self.depth + 1, empty: self.empty }
    }

    fn fields(&self, fields: &'static [Property]) -> Fields<'t> {
        Fields { fields, trail: self.trail, depth: self.depth + 1, empty: self.empty }
    }
}

impl<'de> DeserializeSeed<'de> for Typed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.depth > DEPTH_LIMIT {
            return Err(too_deep(self.trail));
        }
        let ty = unwrapped(self.ty);
        let this = Self { ty, ..self };
        let human = deserializer.is_human_readable();
        match *ty.kind() {
            Kind::Bool => deserializer.deserialize_bool(this),
            Kind::Integer { signed, bits } => match (signed, bits) {
                (true, 8) => deserializer.deserialize_i8(this),
                (true, 16) => deserializer.deserialize_i16(this),
                (true, 32) => deserializer.deserialize_i32(this),
                (true, 64) => deserializer.deserialize_i64(this),
                (true, _) => deserializer.deserialize_i128(this),
                (false, 8) => deserializer.deserialize_u8(this),
                (false, 16) => deserializer.deserialize_u16(this),
                (false, 32) => deserializer.deserialize_u32(this),
                (false, 64) => deserializer.deserialize_u64(this),
                (false, _) => deserializer.deserialize_u128(this),
            },
            // A number or a text.
            Kind::Float { .. } | Kind::AssetRef { .. } | Kind::EntityRef if human => deserializer.deserialize_any(this),
            Kind::Float { bits: 32 } => deserializer.deserialize_f32(this),
            Kind::Float { .. } => deserializer.deserialize_f64(this),
            Kind::EntityRef => deserializer.deserialize_u64(this),
            Kind::Char => deserializer.deserialize_char(this),
            Kind::Text { .. } | Kind::Adapter | Kind::AssetRef { .. } => deserializer.deserialize_str(this),
            Kind::Vector { count, .. } => deserializer.deserialize_tuple(count.into(), this),
            Kind::Quaternion | Kind::Color => deserializer.deserialize_tuple(4, this),
            // The names of the variants are no list of the right type; what a format does with them, if anything, is a message.
            Kind::Enum { .. } | Kind::DataEnum { .. } => deserializer.deserialize_enum(ty.name(), &[], this),
            Kind::Struct { fields } => self.fields(fields).deserialize(deserializer),
            Kind::Newtype { .. } => Err(too_deep(self.trail)),
            Kind::Array { count, .. } => deserializer.deserialize_tuple(count, this),
            Kind::List { .. } | Kind::KeyedList { .. } => deserializer.deserialize_seq(this),
            Kind::Map { .. } => deserializer.deserialize_map(this),
            Kind::Option { .. } => deserializer.deserialize_option(this),
        }
    }
}

impl<'de> Visitor<'de> for Typed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", expected(self.ty), self.trail)
    }

    scalars!();

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.visit_i128(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        self.visit_i128(value.into())
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Value, E> {
        Ok(match self.ty.kind() {
            // JSON of other programs writes `1e9` as 1000000000; rounded, as that text would be.
            Kind::Float { .. } => Value::Float64(value as f64),
            _ => Value::Integer(value),
        })
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Value, E> {
        match i128::try_from(value) {
            Ok(value) => self.visit_i128(value),
            Err(_) if matches!(self.ty.kind(), Kind::Float { .. }) => Ok(Value::Float64(value as f64)),
            Err(_) => Ok(Value::Large(value)),
        }
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        match *self.ty.kind() {
            Kind::Option { item } => self.inner(item.get(), self.trail).deserialize(deserializer),
            // A format may say it of what is no option, and again.
            _ => Self { depth: self.depth + 1, ..self }.deserialize(deserializer),
        }
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Self { depth: self.depth + 1, ..self }.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let item = match *self.ty.kind() {
            Kind::Vector { float: false, .. } => i32::TYPE,
            Kind::Vector { .. } | Kind::Quaternion | Kind::Color => f32::TYPE,
            Kind::Array { item, .. } | Kind::List { item } | Kind::KeyedList { item, .. } => item.get(),
            _ => return Err(A::Error::invalid_type(Unexpected::Seq, &self)),
        };
        let is_empty = takes_no_bytes(item);
        let mut values = Vec::with_capacity(items.size_hint().unwrap_or_default().min(RESERVED));
        while let Some(value) = items.next_element_seed(self.inner(item, &Trail::Index(self.trail, values.len())))? {
            values.push(value);
            if is_empty && !self.empty.take() {
                return Err(A::Error::custom(format_args!("more than {EMPTY_ITEMS} empty items{}", self.trail)));
            }
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let Kind::Map { key, item } = *self.ty.kind() else {
            return Err(A::Error::invalid_type(Unexpected::Map, &self));
        };
        let mut values = IndexMap::with_capacity(pairs.size_hint().unwrap_or_default().min(RESERVED));
        while let Some(found) = pairs.next_key_seed(self.inner(key.get(), self.trail))? {
            let text =
                found.as_key().ok_or_else(|| ValueError::mismatch(&found, key.get()).at::<A::Error>(self.trail))?;
            let trail = Trail::Item(self.trail, &text);
            let value = pairs.next_value_seed(self.inner(item.get(), &trail))?;
            if values.contains_key(&text) {
                return Err(twice(&text, self.trail));
            }
            values.insert(text, value);
        }
        Ok(Value::Map(values))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Value, A::Error> {
        match *self.ty.kind() {
            Kind::Enum { variants } => {
                let names = || variants.iter().map(|variant| (variant.name, variant.aliases));
                let (index, data) = data.variant_seed(NameOf { names, trail: self.trail })?;
                data.unit_variant()?;
                let name = variants.get(index).map_or("", |variant| variant.name).to_owned();
                Ok(Value::Variant { name, data: Box::default() })
            }
            Kind::DataEnum { variants } => {
                let names = || variants.iter().map(|variant| (variant.name, variant.aliases));
                let (index, data) = data.variant_seed(NameOf { names, trail: self.trail })?;
                match variants.get(index) {
                    Some(variant) => self.visit_data(variant, data),
                    None => Err(A::Error::invalid_type(Unexpected::Enum, &self)),
                }
            }
            _ => Err(A::Error::invalid_type(Unexpected::Enum, &self)),
        }
    }
}

/// Whether a format may spend no byte on a value.
fn takes_no_bytes(ty: &'static PropertyType) -> bool {
    match *unwrapped(ty).kind() {
        Kind::Array { count, item } => count == 0 || takes_no_bytes(item.get()),
        _ => false,
    }
}

impl Typed<'_> {
    fn visit_data<'de, A: VariantAccess<'de>>(self, variant: &'static DataVariant, data: A) -> Result<Value, A::Error> {
        let value = match (variant.style, variant.fields) {
            (VariantStyle::Unit, _) => {
                data.unit_variant()?;
                Value::None
            }
            (VariantStyle::Struct, fields) => data.newtype_variant_seed(self.fields(fields))?,
            (VariantStyle::Tuple, [field]) => {
                let trail = &Trail::Index(self.trail, 0);
                Value::List(vec![data.newtype_variant_seed(self.inner(field.ty(), trail))?])
            }
            (VariantStyle::Tuple, fields) => {
                let Self { trail, empty, .. } = self;
                data.tuple_variant(fields.len(), Tuple { fields, trail, depth: self.depth + 1, empty })?
            }
        };
        Ok(Value::Variant { name: variant.name.to_owned(), data: Box::new(value) })
    }
}

/// The name of a variant, or its place in formats without names.
struct NameOf<'t, F> {
    names: F,
    trail: &'t Trail<'t>,
}

type Names = (&'static str, &'static [&'static str]);

impl<'de, F: Fn() -> I, I: ExactSizeIterator<Item = Names>> DeserializeSeed<'de> for NameOf<'_, F> {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl<F: Fn() -> I, I: ExactSizeIterator<Item = Names>> Visitor<'_> for NameOf<'_, F> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the name of a variant{}", self.trail)
    }

    fn visit_u64<E: Error>(self, index: u64) -> Result<usize, E> {
        let count = (self.names)().len();
        usize::try_from(index).ok().filter(|&index| index < count).ok_or_else(|| {
            ValueError::new(Code::UnknownVariant, format!("one of {count} variants"), index.to_string()).at(self.trail)
        })
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<usize, E> {
        (self.names)().position(|(own, aliases)| own == name || aliases.contains(&name)).ok_or_else(|| {
            let names = (self.names)().map(|(name, _)| name);
            ValueError::no_such(Code::UnknownVariant, "variant", name, names).at(self.trail)
        })
    }
}

/// The data of a variant that stands by place.
struct Tuple<'t> {
    fields: &'static [Property],
    trail: &'t Trail<'t>,
    depth: u8,
    empty: &'t Budget,
}

impl<'de> Visitor<'de> for Tuple<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of {} items{}", self.fields.len(), self.trail)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::with_capacity(self.fields.len());
        for (index, field) in self.fields.iter().enumerate() {
            let trail = &Trail::Index(self.trail, index);
            match items.next_element_seed(Typed { ty: field.ty(), trail, depth: self.depth, empty: self.empty })? {
                Some(value) => values.push(value),
                None => return Err(A::Error::invalid_length(index, &self)),
            }
        }
        Ok(Value::List(values))
    }
}

/// The fields of a struct or of a variant.
struct Fields<'t> {
    fields: &'static [Property],
    trail: &'t Trail<'t>,
    depth: u8,
    empty: &'t Budget,
}

impl<'de> DeserializeSeed<'de> for Fields<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.depth > DEPTH_LIMIT {
            return Err(too_deep(self.trail));
        }
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a struct{}", self.trail)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let mut values = IndexMap::new();
        while let Some(field) = pairs.next_key_seed(FieldOf { fields: self.fields, trail: self.trail })? {
            let trail = Trail::Key(self.trail, field.key());
            let (depth, empty) = (self.depth, self.empty);
            let value = pairs.next_value_seed(Typed { ty: field.ty(), trail: &trail, depth, empty })?;
            if values.insert(field.key().to_owned(), value).is_some() {
                return Err(twice(field.key(), self.trail));
            }
        }
        Ok(Value::Struct(values))
    }
}

/// A key of a struct, in either spelling.
struct FieldOf<'t> {
    fields: &'static [Property],
    trail: &'t Trail<'t>,
}

impl<'de> DeserializeSeed<'de> for FieldOf<'_> {
    type Value = &'static Property;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for FieldOf<'_> {
    type Value = &'static Property;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a key{}", self.trail)
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        find_field(self.fields, key).map(|(_, field)| field).map_err(|error| error.at(self.trail))
    }
}
