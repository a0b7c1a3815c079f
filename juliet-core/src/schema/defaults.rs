//! The defaults of made types: texts of the schema, read by the types themselves.
//!
//! A default may have lists of structs that have defaults again, so that a short schema could ask for a world of memory. What a text can make at
//! the most is worked out before it is read: items × the largest default so far.

use std::collections::HashMap;

use super::data::{DefaultSchema, PropertySchema, Shape, TypeSchema};
use super::error::SchemaError;
use crate::class::shape::{Fault, Place, ValueWriter};
use crate::class::{Kind, PropertyType, value};
use crate::mem::ErasedMut;
use crate::mem::boxed::Boxed;
use crate::mem::made::{Described, set_default};
use crate::text::LINE_LIMIT;

/// Most bytes of text that the default of one type is.
const DEFAULT_LIMIT_BYTES: usize = 1 << 20;
/// Most bytes of text that are made in sum while defaults are read.
const ALL_DEFAULTS_LIMIT_BYTES: usize = 1 << 28;
/// Most brackets inside each other in the default of one type.
const BRACKETS_LIMIT: usize = 128;

/// What reading defaults has made so far.
#[derive(Default)]
pub(super) struct Defaults {
    /// The length of the default of each type as text, by the name in the schema.
    lengths: HashMap<String, usize>,
    largest: usize,
    all: usize,
}

impl Defaults {
    /// Gives a type its default; those that lie inside its values have theirs.
    pub(super) fn ty(&mut self, schema: &TypeSchema, ty: Described) -> Result<(), SchemaError> {
        let (ty, place) = (ty.ty(), schema.name.as_str());
        let length = match &schema.shape {
            Shape::Struct { fields, .. } => self.fields(place, ty, fields)?,
            Shape::Enum { variants } => {
                let types = ty.made().map_or(&[][..], |made| made.variants());
                let mut most = 1;
                for (variant, ty) in variants.iter().zip(types) {
                    most = most.max(self.fields(&format!("{place}.{}", variant.name), ty.ty(), &variant.fields)?);
                }
                self.own(schema, ty)?.max(most)
            }
            Shape::Newtype { item } => self.length(item).max(self.own(schema, ty)?),
            Shape::Array { count, item } => {
                let count = usize::try_from(*count).unwrap_or(usize::MAX);
                limited(place, self.length(item).saturating_add(2).saturating_mul(count))?
            }
            _ => 1,
        };
        self.lengths.insert(schema.name.clone(), length);
        self.largest = self.largest.max(length);
        Ok(())
    }

    fn length(&self, name: &str) -> usize {
        self.lengths.get(name).copied().unwrap_or(1)
    }

    /// The default that an enum or a wrapper says beside its parts; its length.
    fn own(&mut self, schema: &TypeSchema, ty: &'static PropertyType) -> Result<usize, SchemaError> {
        let Some(default) = &schema.default else { return Ok(1) };
        let mut value = Boxed::fresh(ty);
        self.apply(&schema.name, value.as_mut(), default)?;
        self.finish(&schema.name, value)
    }

    /// Gives a struct the defaults of its fields; the length of all of them.
    pub(super) fn fields(
        &mut self,
        place: &str,
        ty: &'static PropertyType,
        fields: &[PropertySchema],
    ) -> Result<usize, SchemaError> {
        let least = fields.iter().map(|field| self.length(&field.ty)).fold(0, usize::saturating_add);
        self.count(place, limited(place, least)?)?;
        let mut value = Boxed::fresh(ty);
        for (index, field) in fields.iter().enumerate() {
            if let (Some(default), Some(value)) = (&field.default, value.as_mut().field(index)) {
                self.apply(&format!("{place}.{}", field.name), value, default)?;
            }
        }
        self.finish(place, value)
    }

    /// Makes `value` the default of its type.
    fn finish(&mut self, place: &str, value: Boxed) -> Result<usize, SchemaError> {
        let mut text = Vec::new();
        value::write(value.as_ref(), &mut ValueWriter::new(&mut text));
        let brackets = brackets(&text);
        if brackets > BRACKETS_LIMIT {
            return Err(too_much(place, "brackets inside each other in a default", BRACKETS_LIMIT));
        }
        let length = limited(place, text.len())?;
        self.count(place, length)?;
        // A type has one default: of a Rust type that is its own.
        set_default(value);
        Ok(length)
    }

    /// Notes that so much is made.
    fn count(&mut self, place: &str, bytes: usize) -> Result<(), SchemaError> {
        self.all = self.all.saturating_add(bytes);
        if self.all > ALL_DEFAULTS_LIMIT_BYTES {
            return Err(too_much(place, "bytes of all defaults", ALL_DEFAULTS_LIMIT_BYTES));
        }
        Ok(())
    }

    /// Reads `default` into `value`, which has that of its type.
    fn apply(&mut self, place: &str, mut value: ErasedMut<'_>, default: &DefaultSchema) -> Result<(), SchemaError> {
        match default {
            DefaultSchema::Text(text) => {
                if text.len() > LINE_LIMIT {
                    return Err(too_much(place, "bytes of a default", LINE_LIMIT));
                }
                let items = text.bytes().filter(|byte| b"[({,".contains(byte)).count();
                if text.contains(['[', '(', '{']) && !matches!(text.as_str(), "[]" | "{}") {
                    self.count(place, items.saturating_mul(self.largest))?;
                }
                let read = value::read(value, text.trim_matches([' ', '\t']), Place::Line);
                read.map_err(|fault| bad_default(place, text, fault))
            }
            DefaultSchema::Fields(defaults) => {
                let ty = value.reborrow().unwrapped().ty();
                let Kind::Struct { fields } = ty.kind() else {
                    return Err(bad_kind(place, ty));
                };
                let places: HashMap<&str, usize> = fields.iter().map(|it| it.key()).zip(0..).collect();
                for (key, default) in defaults {
                    let index = places.get(key.as_str()).copied();
                    let field = index.and_then(|index| value.reborrow().unwrapped().field(index));
                    let place = format!("{place}.{key}");
                    match field {
                        Some(field) => self.apply(&place, field, default)?,
                        None => return Err(bad_kind(&place, ty)),
                    }
                }
                Ok(())
            }
        }
    }
}

fn limited(place: &str, bytes: usize) -> Result<usize, SchemaError> {
    if bytes <= DEFAULT_LIMIT_BYTES {
        Ok(bytes)
    } else {
        Err(too_much(place, "bytes of a default", DEFAULT_LIMIT_BYTES))
    }
}

fn too_much(place: &str, what: &'static str, limit: usize) -> SchemaError {
    SchemaError::TooMuch { place: place.to_owned(), what, limit: limit as u64 }
}

fn bad_default(place: &str, text: &str, fault: Fault<'_>) -> SchemaError {
    SchemaError::BadDefault {
        place: place.to_owned(),
        text: text.chars().take(100).collect(),
        expected: fault.expected.into_owned(),
        found: if fault.told.is_empty() { fault.found.chars().take(100).collect() } else { fault.told.into_owned() },
    }
}

/// The defaults of fields, for what has none of that name.
fn bad_kind(place: &str, ty: &PropertyType) -> SchemaError {
    super::check::impossible(place, format!("the default names a field, and `{}` has no such field", ty.name()))
}

/// How many brackets stand inside each other, outside of quotes.
fn brackets(text: &[u8]) -> usize {
    let (mut depth, mut most, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'[' | b'{' | b'(' if !quoted => {
                depth += 1;
                most = most.max(depth);
            }
            b']' | b'}' | b')' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}
