//! Memory → tree: structs through their tables, everything else through its canonical text.
//!
//! The text comes from the writer of this crate, so there is nothing to report here; only brackets deeper than text may have are not taken apart.

use indexmap::IndexMap;

use super::Value;
use crate::class::shape::{Place, ValueWriter};
use crate::class::{DataVariant, Kind, Property, PropertyType, VariantStyle, value};
use crate::mem::ErasedRef;
use crate::text::{Integer, Items, Numbers, Pairs, parse_f32, parse_f64, parse_integer, unquote};

impl Value {
    /// The tree of a value, skipped fields left out.
    ///
    /// Costs the length of its text times the depth of its brackets, which is bounded, and an allocation for each node.
    #[must_use]
    pub fn of(from: ErasedRef<'_>) -> Self {
        let from = from.unwrapped();
        if let Kind::Struct { fields } = from.ty().kind() {
            let field =
                |(index, field): (usize, &Property)| Some((field.key().to_owned(), Self::of(from.field(index)?)));
            return Self::Struct(fields.iter().enumerate().filter_map(field).collect());
        }
        let mut text = Vec::new();
        // As inside a bracket, where strings and vectors have one form only.
        let place = Place::Nested(1);
        value::write(from, &mut ValueWriter { out: &mut text, place, in_option: false, blanks: false });
        let text = String::from_utf8_lossy(&text);
        parse(&text, from.ty()).unwrap_or_else(|| Self::Text(text.into_owned()))
    }
}

/// The type inside newtypes.
pub(super) fn unwrapped(mut ty: &'static PropertyType) -> &'static PropertyType {
    while let Kind::Newtype { field } = ty.kind() {
        ty = field.ty();
    }
    ty
}

/// The tree of a canonical text.
fn parse(text: &str, ty: &'static PropertyType) -> Option<Value> {
    let ty = unwrapped(ty);
    Some(match *ty.kind() {
        Kind::Bool => Value::Bool(text == "true"),
        Kind::Integer { .. } => parse_whole(text)?,
        Kind::Float { bits: 32 } => Value::Float32(parse_f32(text).ok()?),
        Kind::Float { .. } => Value::Float64(parse_f64(text).ok()?),
        Kind::Char => Value::Char(plain(text)?.chars().next()?),
        Kind::Text { .. } | Kind::Adapter => Value::Text(plain(text)?),
        Kind::Vector { float: false, .. } => Value::IntVector(parse_integers(text)?),
        Kind::Vector { .. } | Kind::Quaternion => Value::Vector(parse_floats(text)?),
        Kind::Color => match parse_floats(text)?[..] {
            [r, g, b] => Value::Color([r, g, b, 1.0]),
            [r, g, b, a] => Value::Color([r, g, b, a]),
            _ => return None,
        },
        Kind::AssetRef { .. } if text == "none" => Value::Asset(String::new()),
        Kind::AssetRef { .. } => Value::Asset(plain(text)?),
        Kind::EntityRef if text == "none" => Value::Entity(0),
        Kind::EntityRef => Value::Entity(parse_integer(text).ok()?),
        Kind::Enum { .. } => Value::Variant { name: plain(text)?, data: Box::default() },
        Kind::DataEnum { variants } => parse_variant(text, variants)?,
        Kind::Struct { fields } => Value::Struct(parse_fields(text, fields)?),
        Kind::Newtype { field } => parse(text, field.ty())?,
        Kind::Array { item, .. } | Kind::List { item } => Value::List(parse_items(text, item.get())?),
        Kind::KeyedList { item, key_field } => {
            let key = item.get().fields().get(key_field).map_or("", Property::key).to_owned();
            Value::KeyedList { key, items: parse_items(text, item.get())? }
        }
        Kind::Map { item, .. } => {
            let item = item.get();
            let pairs = Pairs::new_map(text, item.takes_parentheses()).ok()?;
            let pair = |(key, text)| Some((plain(key)?, parse(text, item)?));
            Value::Map(pairs.map(|found| found.ok().and_then(pair)).collect::<Option<_>>()?)
        }
        Kind::Option { .. } if text == "none" => Value::None,
        Kind::Option { item } => parse(text, item.get())?,
    })
}

/// A whole number of any width.
pub(super) fn parse_whole(text: &str) -> Option<Value> {
    parse_integer(text).map(Value::Integer).or_else(|_| parse_integer::<u128>(text).map(Value::from)).ok()
}

/// The text that a bare or a quoted string stands for.
fn plain(text: &str) -> Option<String> {
    if text.starts_with('"') { unquote(text).ok().map(|text| text.to_string()) } else { Some(text.to_owned()) }
}

fn parse_floats(text: &str) -> Option<Vec<f32>> {
    Numbers::new(text).map(|number| parse_f32(number).ok()).collect()
}

fn parse_integers<T: Integer>(text: &str) -> Option<Vec<T>> {
    Numbers::new(text).map(|number| parse_integer(number).ok()).collect()
}

fn parse_items(text: &str, item: &'static PropertyType) -> Option<Vec<Value>> {
    let items = Items::with_parentheses(text, item.takes_parentheses()).ok()?;
    items.map(|found| parse(found.ok()?, item)).collect()
}

fn parse_fields(text: &str, fields: &'static [Property]) -> Option<IndexMap<String, Value>> {
    let find = |key: &str| fields.iter().find(|field| field.key() == key);
    let mut pairs = Pairs::new(text).ok()?;
    let mut values = IndexMap::with_capacity(fields.len());
    while let Some(pair) = pairs.next_pair(|key| find(key).is_some_and(|field| field.ty().takes_parentheses())) {
        let (key, text) = pair.ok()?;
        values.insert(key.to_owned(), parse(text, find(key)?.ty())?);
    }
    Some(values)
}

fn parse_variant(text: &str, variants: &'static [DataVariant]) -> Option<Value> {
    let (name, body) = text.split_at(text.find(['(', '{']).unwrap_or(text.len()));
    let name = name.trim_end_matches(' ');
    let variant = variants.iter().find(|variant| variant.name == name)?;
    let data = match variant.style {
        VariantStyle::Unit => Value::None,
        VariantStyle::Struct => Value::Struct(parse_fields(body, variant.fields)?),
        VariantStyle::Tuple => {
            let items = Items::of_variant(body).ok()?;
            let parsed = items.zip(variant.fields).map(|(text, field)| parse(text.ok()?, field.ty()));
            Value::List(parsed.collect::<Option<_>>()?)
        }
    };
    Some(Value::Variant { name: name.to_owned(), data: Box::new(data) })
}
