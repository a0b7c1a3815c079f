//! Values of described types, and trees, as serde data.
//!
//! | value | serde | JSON |
//! |---|---|---|
//! | struct | map by key in the colon spelling | `{"Mass": 1.0, "Light": {…}}` |
//! | list, array | sequence, tuple | `[1, 2]` |
//! | map | map, keys by their type | `{"gold": 3}` |
//! | vector, quaternion, colour | tuple of 2 to 4 numbers | `[1.0, 0.5, 0.25, 1.0]` |
//! | enum | enum, externally tagged | `"Idle"`, `{"Wait": 2.5}`, `{"Patrol": {"Speed": 1.0}}` |
//! | option | option | `null` or the value |
//! | float | float; if not finite, text in formats for people, where JSON has none | `1.5`, `"nan"`, `"-inf"` |
//! | asset | its path, empty for none | `"Assets/Meshes/Rock.obj"` |
//! | entity | its id; text in formats for people, where JSON has 53 bits | `"0x0100000000000042"` |
//! | adapter | its text | `"12ns"` |

use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, SerializeTuple, SerializeTupleVariant, Serializer};

use super::Value;
use super::of::unwrapped;
use super::put::key_of;
use super::tree::LEVELS_LIMIT;
use crate::class::shape::EntityRef;
use crate::class::{DataVariant, Kind, Property, PropertyType, VariantStyle};
use crate::mem::{Entity, ErasedRef, PropertyValue};

/// A value of any described type as serde data; the counterpart of [`SerdeSeed`](super::SerdeSeed).
///
/// ```
/// use juliet_core::{class::shape::Color, value::{AsSerde, from_serde}};
///
/// let json = serde_json::to_string(&AsSerde::new(&Color::rgb(1.0, 0.5, 0.0)))?;
/// assert_eq!(json, "[1.0,0.5,0.0,1.0]");
/// let color: Color = from_serde(&mut serde_json::Deserializer::from_str(&json))?;
/// assert_eq!(color, Color::rgb(1.0, 0.5, 0.0));
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// Serializing costs a tree of the value ([`Value::of`]).
///
/// # Errors
/// Those of the format, and one for a value whose brackets nest deeper than text may.
#[derive(Clone, Copy)]
pub struct AsSerde<'a>(pub ErasedRef<'a>);

impl<'a> AsSerde<'a> {
    /// A value that a property can have.
    pub fn new<T: PropertyValue>(value: &'a T) -> Self {
        Self(ErasedRef::new(value))
    }

    /// The value of an entity.
    pub fn of_entity<T: Entity>(value: &'a T) -> Self {
        Self(ErasedRef::of_entity(value))
    }
}

impl Serialize for AsSerde<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Typed { value: &Value::of(self.0), ty: self.0.ty() }.serialize(serializer)
    }
}

/// A tree that was taken from a value of type `ty`.
pub(super) struct Typed<'v> {
    pub(super) value: &'v Value,
    pub(super) ty: &'static PropertyType,
}

impl Serialize for Typed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ty = unwrapped(self.ty);
        match (*ty.kind(), self.value) {
            (Kind::Option { .. }, Value::None) => serializer.serialize_none(),
            (Kind::Option { item }, value) => serializer.serialize_some(&Typed { value, ty: item.get() }),
            (Kind::Integer { signed, bits }, value) => integer(value, signed, bits, serializer),
            (Kind::Enum { variants }, Value::Variant { name, .. }) => {
                let index = variants.iter().position(|variant| variant.name == name).unwrap_or_default();
                let name = variants.get(index).map_or("", |variant| variant.name);
                serializer.serialize_unit_variant(ty.name(), index as u32, name)
            }
            (Kind::DataEnum { variants }, Value::Variant { name, data }) => {
                let index = variants.iter().position(|variant| variant.name == name).unwrap_or_default();
                match variants.get(index) {
                    Some(variant) => data_variant(ty.name(), index as u32, variant, data, serializer),
                    None => Err(too_deep()),
                }
            }
            (Kind::Struct { fields }, Value::Struct(_)) => Fields { fields, value: self.value }.serialize(serializer),
            (Kind::Array { item, .. }, Value::List(items)) => {
                let mut tuple = serializer.serialize_tuple(items.len())?;
                items.iter().try_for_each(|value| tuple.serialize_element(&Typed { value, ty: item.get() }))?;
                tuple.end()
            }
            (
                Kind::List { item } | Kind::KeyedList { item, .. },
                Value::List(items) | Value::KeyedList { items, .. },
            ) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|value| list.serialize_element(&Typed { value, ty: item.get() }))?;
                list.end()
            }
            (Kind::Map { key, item }, Value::Map(pairs)) => {
                let mut map = serializer.serialize_map(Some(pairs.len()))?;
                for (text, value) in pairs {
                    let key_value = &key_of(text, key.get());
                    map.serialize_entry(&Typed { value: key_value, ty: key.get() }, &Typed { value, ty: item.get() })?;
                }
                map.end()
            }
            // A key, whose tree is its text.
            (Kind::Enum { variants }, Value::Text(text)) => {
                let index = variants.iter().position(|variant| variant.name == text).unwrap_or_default();
                let name = variants.get(index).map_or("", |variant| variant.name);
                serializer.serialize_unit_variant(ty.name(), index as u32, name)
            }
            (Kind::Char, Value::Text(text)) => serializer.serialize_char(text.chars().next().unwrap_or_default()),
            (Kind::Text { .. } | Kind::Adapter, Value::Text(text)) => serializer.serialize_str(text),
            (_, Value::Text(_)) => Err(too_deep()),
            (_, value) => value.serialize(serializer),
        }
    }
}

#[cold]
fn too_deep<E: Error>() -> E {
    E::custom("the value nests deeper than text may")
}

/// An integer at its own width.
fn integer<S: Serializer>(value: &Value, signed: bool, bits: u8, serializer: S) -> Result<S::Ok, S::Error> {
    let value = match *value {
        Value::Integer(value) => value,
        Value::Large(value) => return serializer.serialize_u128(value),
        _ => return Err(too_deep()),
    };
    match (signed, bits) {
        (true, 8) => serializer.serialize_i8(value as i8),
        (true, 16) => serializer.serialize_i16(value as i16),
        (true, 32) => serializer.serialize_i32(value as i32),
        (true, 64) => serializer.serialize_i64(value as i64),
        (true, _) => serializer.serialize_i128(value),
        (false, 8) => serializer.serialize_u8(value as u8),
        (false, 16) => serializer.serialize_u16(value as u16),
        (false, 32) => serializer.serialize_u32(value as u32),
        (false, 64) => serializer.serialize_u64(value as u64),
        (false, _) => serializer.serialize_u128(value as u128),
    }
}

/// Named data is a map in a newtype variant: the same JSON as a struct variant, and formats without names can still leave fields out.
fn data_variant<S: Serializer>(
    ty: &'static str,
    index: u32,
    variant: &'static DataVariant,
    data: &Value,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let (name, fields) = (variant.name, variant.fields);
    match (variant.style, data) {
        (VariantStyle::Unit, _) => serializer.serialize_unit_variant(ty, index, name),
        (VariantStyle::Struct, value) => {
            serializer.serialize_newtype_variant(ty, index, name, &Fields { fields, value })
        }
        (VariantStyle::Tuple, Value::List(items)) => match (&items[..], fields) {
            ([value], [field]) => {
                serializer.serialize_newtype_variant(ty, index, name, &Typed { value, ty: field.ty() })
            }
            _ => {
                let mut tuple = serializer.serialize_tuple_variant(ty, index, name, items.len())?;
                for (value, field) in items.iter().zip(fields) {
                    tuple.serialize_field(&Typed { value, ty: field.ty() })?;
                }
                tuple.end()
            }
        },
        (VariantStyle::Tuple, _) => Err(too_deep()),
    }
}

/// The fields of a struct or of a variant.
struct Fields<'v> {
    fields: &'static [Property],
    value: &'v Value,
}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.fields.len()))?;
        serialize_fields(self.fields, self.value, &mut map)?;
        map.end()
    }
}

/// Adds the fields of a struct to a map that was begun.
pub(super) fn serialize_fields<M: SerializeMap>(
    fields: &'static [Property],
    value: &Value,
    map: &mut M,
) -> Result<(), M::Error> {
    let Value::Struct(values) = value else { return Err(too_deep()) };
    // A tree from memory has all fields in the order of the table.
    fields
        .iter()
        .zip(values.values())
        .try_for_each(|(field, value)| map.serialize_entry(field.key(), &Typed { value, ty: field.ty() }))
}

/// A float, or its text where it is not finite and the format is for people.
struct Number<T>(T);

macro_rules! floats {
    ($($t:ident $serialize:ident)*) => {
        $(impl Serialize for Number<$t> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if self.0.is_finite() || !serializer.is_human_readable() {
                    return serializer.$serialize(self.0);
                }
                let sign = if self.0 < 0.0 { "-inf" } else { "inf" };
                serializer.serialize_str(if self.0.is_nan() { "nan" } else { sign })
            }
        })*
    };
}

floats!(f32 serialize_f32 f64 serialize_f64);

fn tuple<S: Serializer, T: Copy, N: Serialize>(
    numbers: &[T],
    number: impl Fn(T) -> N,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut tuple = serializer.serialize_tuple(numbers.len())?;
    numbers.iter().try_for_each(|&it| tuple.serialize_element(&number(it)))?;
    tuple.end()
}

/// The same JSON as of [`AsSerde`]. In formats that do not describe themselves a tree can be written but not read: there the
/// type has to say what comes. A tree of more than 512 levels is an error.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Level { value: self, left: LEVELS_LIMIT }.serialize(serializer)
    }
}

/// A tree, and how many levels may lie in it.
struct Level<'v> {
    value: &'v Value,
    left: usize,
}

impl Serialize for Level<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let inner = |value| Self { value, left: self.left.saturating_sub(1) };
        match self.value {
            Value::Variant { data, .. } if self.left == 0 && !data.is_none() => Err(too_deep()),
            Value::List(_) | Value::KeyedList { .. } | Value::Struct(_) | Value::Map(_) if self.left == 0 => {
                Err(too_deep())
            }
            Value::None => serializer.serialize_none(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Integer(value) => match (i64::try_from(*value), u64::try_from(*value)) {
                (Ok(value), _) => serializer.serialize_i64(value),
                (_, Ok(value)) => serializer.serialize_u64(value),
                _ => serializer.serialize_i128(*value),
            },
            Value::Large(value) => serializer.serialize_u128(*value),
            Value::Float32(value) => Number(*value).serialize(serializer),
            Value::Float64(value) => Number(*value).serialize(serializer),
            Value::Char(value) => serializer.serialize_char(*value),
            Value::Text(text) | Value::Asset(text) => serializer.serialize_str(text),
            Value::Vector(numbers) => tuple(numbers, Number, serializer),
            Value::Color(numbers) => tuple(numbers, Number, serializer),
            Value::IntVector(numbers) => tuple(numbers, |number| number, serializer),
            Value::Entity(id) if serializer.is_human_readable() => {
                let mut text = Vec::new();
                EntityRef::new(*id).write_hex(&mut text);
                serializer.serialize_str(&String::from_utf8_lossy(&text))
            }
            Value::Entity(id) => serializer.serialize_u64(*id),
            Value::Variant { name, data } => match &**data {
                Value::None => serializer.serialize_str(name),
                Value::List(items) if items.len() == 1 => serializer.collect_map([(name, inner(&items[0]))]),
                data => serializer.collect_map([(name, inner(data))]),
            },
            Value::List(items) | Value::KeyedList { items, .. } => serializer.collect_seq(items.iter().map(inner)),
            Value::Struct(items) | Value::Map(items) => {
                serializer.collect_map(items.iter().map(|(key, item)| (key, inner(item))))
            }
        }
    }
}
