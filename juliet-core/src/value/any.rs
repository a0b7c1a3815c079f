//! Serde data → trees, led by the data alone: for formats that describe themselves.
//!
//! What comes in is told by the format; nothing is known of types. Depth is bounded, and nothing is reserved on the word of a count.

use std::fmt;

use indexmap::IndexMap;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::Value;
use super::de::{DEPTH_LIMIT, RESERVED, Trail, too_deep, twice};

/// The methods of a visitor whose data is what it seems to be.
macro_rules! scalars {
    () => {
        fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
            Ok(Value::Bool(value))
        }

        fn visit_f32<E: Error>(self, value: f32) -> Result<Value, E> {
            Ok(Value::Float32(value))
        }

        fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
            Ok(Value::Float64(value))
        }

        fn visit_char<E: Error>(self, value: char) -> Result<Value, E> {
            Ok(Value::Char(value))
        }

        fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
            Ok(Value::Text(value.to_owned()))
        }

        fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
            Ok(Value::Text(value))
        }

        fn visit_none<E: Error>(self) -> Result<Value, E> {
            Ok(Value::None)
        }

        fn visit_unit<E: Error>(self) -> Result<Value, E> {
            Ok(Value::None)
        }
    };
}

pub(super) use scalars;

/// A tree of whatever comes: maps are [`Struct`](Value::Struct)s, all text is [`Text`](Value::Text), numbers are as the format has them.
/// [`Value::put`] makes of it what a type wants.
///
/// JSON integers beyond 64 bits come as floats, which `put` refuses where an integer is wanted; read with the type
/// ([`SerdeSeed`](super::SerdeSeed)) they are exact. A key that stands twice is an error, and so are more than 128 levels.
impl<'de> serde::Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Any { depth: 0 }.deserialize(deserializer)
    }
}

/// A tree of whatever comes.
#[derive(Clone, Copy)]
struct Any {
    depth: u8,
}

impl Any {
    fn inner(self) -> Self {
        Self { depth: self.depth + 1 }
    }
}

impl<'de> DeserializeSeed<'de> for Any {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if self.depth > DEPTH_LIMIT {
            return Err(too_deep(&Trail::Start));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Any {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    scalars!();

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.inner().deserialize(deserializer)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.inner().deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut values = Vec::with_capacity(items.size_hint().unwrap_or_default().min(RESERVED));
        while let Some(value) = items.next_element_seed(self.inner())? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let mut values = IndexMap::with_capacity(pairs.size_hint().unwrap_or_default().min(RESERVED));
        while let Some(key) = pairs.next_key_seed(self.inner())? {
            let key =
                key.as_key().ok_or_else(|| A::Error::custom("the key of a map is no text and no whole number"))?;
            let value = pairs.next_value_seed(self.inner())?;
            if values.contains_key(&key) {
                return Err(twice(&key, &Trail::Start));
            }
            values.insert(key, value);
        }
        Ok(Value::Struct(values))
    }
}
