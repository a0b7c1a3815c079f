//! The tree itself: what a value can be, when two are the same, and walks over all of one.

use indexmap::IndexMap;

use super::error::{item_part, join};

/// A value of any described type, as a tree that describes itself: for scripts, tools and undo, which know types at run time only.
///
/// [`Value::of`] takes it from memory and [`put`](Self::put) puts it there; [`get`](Self::get), [`set`](Self::set) and [`walk`](Self::walk) work on
/// it by path. Two values are equal if they hold the same bits in the same order: `NaN` equals itself, `-0.0` is not `0.0`.
///
/// ```
/// use juliet_core::mem::{ErasedMut, ErasedRef};
/// use juliet_core::value::Value;
///
/// let mut levels = vec![Some(3_i32), None];
/// let mut value = Value::of(ErasedRef::new(&levels));
/// assert_eq!(value, Value::List(vec![Value::Integer(3), Value::None]));
///
/// value.set("[1]", 8)?;
/// value.put(ErasedMut::new(&mut levels))?;
/// assert_eq!(levels, [Some(3), Some(8)]);
/// # Ok::<(), juliet_core::value::ValueError>(())
/// ```
///
/// Trees from memory and from serde data are a few hundred levels deep at the most, and [`set`](Self::set) and serializing refuse what is
/// deeper than 512. Code may still nest trees as deep as it likes with the variants below, or through [`get_mut`](Self::get_mut): cloning, comparing,
/// showing and dropping such a tree takes stack for each level, as that of any other Rust value does.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum Value {
    /// An option without a value.
    #[default]
    None,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number of any width.
    Integer(i128),
    /// A whole number above the largest `i128`. Smaller ones are equal to the [`Integer`](Self::Integer).
    Large(u128),
    /// An `f32`.
    Float32(f32),
    /// An `f64`.
    Float64(f64),
    /// One Unicode scalar value.
    Char(char),
    /// Text, or what an adapter writes.
    ///
    /// So is a list, map, option or enum that nests deeper than text may
    /// ([`NESTING_LIMIT`](crate::text::NESTING_LIMIT)): its text in one piece, which no type takes back.
    Text(String),
    /// The numbers of a vector (x, y, z, w) or a quaternion.
    Vector(Vec<f32>),
    /// The numbers of a vector of integers.
    IntVector(Vec<i32>),
    /// Red, green, blue, alpha; linear.
    Color([f32; 4]),
    /// Path of an asset; empty for none.
    Asset(String),
    /// Id of an entity; 0 for none.
    Entity(u64),
    /// A variant of an enum. Parts of the data are reached through it: `Mode.Speed`, `Mode[0]`.
    Variant {
        /// Its name.
        name: String,
        /// [`None`](Self::None) where it holds nothing, a [`List`](Self::List) where its data stands by place, a
        /// [`Struct`](Self::Struct) where by name.
        data: Box<Value>,
    },
    /// Fields by key in the colon spelling (`MeshAsset`), in declaration order.
    Struct(IndexMap<String, Value>),
    /// The items of a list or an array.
    List(Vec<Value>),
    /// The items of a list whose items are known by one of their fields. Addressed by key, not by place: `Loot[gold]`.
    KeyedList {
        /// Key of the field.
        key: String,
        /// The items, structs each.
        items: Vec<Value>,
    },
    /// Items by key, in order; the keys are plain text, without quotes.
    Map(IndexMap<String, Value>),
}

/// How many levels of values a tree has at most where that can be said.
pub(super) const LEVELS_LIMIT: usize = 512;

impl Value {
    /// The number, if it is a whole one that an `i128` holds.
    #[must_use]
    pub fn as_integer(&self) -> Option<i128> {
        match *self {
            Self::Integer(value) => Some(value),
            Self::Large(value) => i128::try_from(value).ok(),
            _ => None,
        }
    }

    /// The number, if it is one that an `f64` holds exactly.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        // So many bits lie between the first and the last one that is set.
        let fits = |value: u128| value == 0 || 128 - value.leading_zeros() - value.trailing_zeros() <= 53;
        match *self {
            Self::Integer(value) => fits(value.unsigned_abs()).then_some(value as f64),
            Self::Large(value) => fits(value).then_some(value as f64),
            Self::Float32(value) => Some(value.into()),
            Self::Float64(value) => Some(value),
            _ => None,
        }
    }

    /// The value of a `true` or `false`.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match *self {
            Self::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The text, the path of an asset, or the name of a variant.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Asset(text) | Self::Variant { name: text, .. } => Some(text),
            _ => None,
        }
    }

    /// Whether it is [`None`](Self::None).
    #[must_use]
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Calls `each` with every value of the tree and its path, the outer ones first and the whole itself, whose path is empty, before all. The numbers
    /// of a vector or colour are no values of their own.
    ///
    /// Linear in the tree and in the length of the paths. [`get`](Self::get) finds the same value by each path, except in a list by code with two items
    /// of one key.
    pub fn walk<'v>(&'v self, mut each: impl FnMut(&str, &'v Value)) {
        // The next is on top: no depth is too deep for this walk.
        let mut next = vec![(String::new(), self)];
        while let Some((path, value)) = next.pop() {
            each(&path, value);
            let held = next.len();
            match value.data() {
                Self::Struct(fields) => next.extend(fields.iter().map(|(key, field)| (join(&path, key), field))),
                Self::Map(items) => next.extend(items.iter().map(|(key, item)| (join(&path, &item_part(key)), item))),
                Self::List(items) => {
                    next.extend(items.iter().enumerate().map(|(index, item)| (format!("{path}[{index}]"), item)));
                }
                Self::KeyedList { key, items } => next.extend(items.iter().map(|item| {
                    let key = item.key_text(key).unwrap_or_default();
                    (join(&path, &item_part(&key)), item)
                })),
                _ => {}
            }
            next[held..].reverse();
        }
    }

    /// Whether values lie in it more than `levels` deep.
    pub(super) fn is_deeper_than(&self, levels: usize) -> bool {
        let Some(below) = levels.checked_sub(1) else {
            return matches!(
                self,
                Self::Variant { .. } | Self::Struct(_) | Self::List(_) | Self::KeyedList { .. } | Self::Map(_)
            );
        };
        match self {
            Self::Variant { data, .. } => data.is_deeper_than(below),
            Self::Struct(items) | Self::Map(items) => items.values().any(|item| item.is_deeper_than(below)),
            Self::List(items) | Self::KeyedList { items, .. } => items.iter().any(|item| item.is_deeper_than(below)),
            _ => false,
        }
    }

    /// What a variant holds; itself for every other value.
    pub(super) fn data(&self) -> &Self {
        let mut value = self;
        while let Self::Variant { data, .. } = value {
            value = data;
        }
        value
    }

    /// As [`data`](Self::data), for writing.
    pub(super) fn data_mut(&mut self) -> &mut Self {
        let mut value = self;
        while let Self::Variant { data, .. } = value {
            value = data;
        }
        value
    }

    /// The plain text of the field `key` of a struct, by which the struct is known.
    pub(super) fn key_text(&self, key: &str) -> Option<String> {
        match self {
            Self::Struct(fields) => fields.get(key)?.as_key(),
            _ => None,
        }
    }

    /// The plain text of a value that is a key.
    pub(super) fn as_key(&self) -> Option<String> {
        match self {
            Self::Integer(key) => Some(key.to_string()),
            Self::Large(key) => Some(key.to_string()),
            Self::Char(key) => Some(key.to_string()),
            Self::Bool(key) => Some(key.to_string()),
            _ => self.as_str().map(str::to_owned),
        }
    }
}

fn same_f32(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

fn same_numbers(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_f32(*a, *b))
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        use Value as V;
        match (self, other) {
            (V::None, V::None) => true,
            (V::Bool(a), V::Bool(b)) => a == b,
            (V::Large(a), V::Large(b)) => a == b,
            (V::Integer(_) | V::Large(_), V::Integer(_) | V::Large(_)) => {
                self.as_integer().is_some_and(|number| Some(number) == other.as_integer())
            }
            (V::Float32(a), V::Float32(b)) => same_f32(*a, *b),
            (V::Float64(a), V::Float64(b)) => a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(),
            (V::Char(a), V::Char(b)) => a == b,
            (V::Text(a), V::Text(b)) | (V::Asset(a), V::Asset(b)) => a == b,
            (V::Vector(a), V::Vector(b)) => same_numbers(a, b),
            (V::IntVector(a), V::IntVector(b)) => a == b,
            (V::Color(a), V::Color(b)) => same_numbers(a, b),
            (V::Entity(a), V::Entity(b)) => a == b,
            (V::Variant { name: a, data: x }, V::Variant { name: b, data: y }) => a == b && x == y,
            // The order is a part of the value.
            (V::Struct(a), V::Struct(b)) | (V::Map(a), V::Map(b)) => a.len() == b.len() && a.iter().eq(b.iter()),
            (V::List(a), V::List(b)) => a == b,
            (V::KeyedList { key: a, items: x }, V::KeyedList { key: b, items: y }) => a == b && x == y,
            _ => false,
        }
    }
}

impl Eq for Value {}

macro_rules! from {
    ($($t:ty => $variant:ident;)*) => {
        $(impl From<$t> for Value {
            fn from(value: $t) -> Self {
                Self::$variant(value.into())
            }
        })*
    };
}

from! {
    bool => Bool;
    i8 => Integer; i16 => Integer; i32 => Integer; i64 => Integer; i128 => Integer;
    u8 => Integer; u16 => Integer; u32 => Integer; u64 => Integer;
    f32 => Float32; f64 => Float64;
    char => Char; &str => Text; String => Text;
    Vec<Value> => List;
}

impl From<u128> for Value {
    fn from(value: u128) -> Self {
        i128::try_from(value).map_or(Self::Large(value), Self::Integer)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::None, Into::into)
    }
}
