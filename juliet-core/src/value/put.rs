//! Tree → memory: each leaf is written as text that its own reader takes, so that one place judges what a value may be.
//!
//! ```text
//! Value + PropertyType ──render──► text ──class::value::read──► scratch value ──assign──► memory
//!         ▲                                      │
//!         └──── render again up to there ◄───────┘ a fault, at an offset of the text
//! ```
//!
//! Shapes (a list where a list is wanted) are checked while writing, ranges and counts while reading. Strings are always quoted and names of
//! variants come from the table, so that no text of a tree is taken for anything else.

use super::Value;
use super::error::{ValueError, expected, item_part, told};
use super::of::unwrapped;
use crate::class::shape::Place;
use crate::class::{DataVariant, Kind, Property, PropertyType, VariantStyle, value};
use crate::diag::Code;
use crate::mem::{ErasedMut, ErasedRef, OwnedValue};
use crate::text::{NESTING_LIMIT, offset_in, write_f32, write_f64, write_id, write_integer, write_string_quoted};

impl Value {
    /// Puts the value into memory.
    ///
    /// Taken is what fits without a loss: an integer where a float is wanted if an `f64` has it, a float where an integer is wanted if it is whole
    /// and no larger than 2⁵³, an `f64` where an `f32` is wanted (rounded, as its text would be), a list where a vector is wanted,
    /// the name of a variant or of an asset as text, `{ "Patrol": … }` for a variant. Fields that a struct leaves out keep what they have;
    /// in a struct inside of a list, map, option or enum they have their defaults, as in text. Skipped fields stay as they are; those inside
    /// of a list, map, option or enum that changes have their defaults.
    ///
    /// Costs a copy of the target, and the length of the text times the depth of its brackets, which is bounded.
    ///
    /// # Errors
    /// [`ValueError`] with the path of what does not fit; the target is then as it was.
    ///
    /// # Panics
    /// If the user's default, copy or drop does. The target is then as it was, or has all of the new value.
    pub fn put(&self, to: ErasedMut<'_>) -> Result<(), ValueError> {
        let mut scratch = self.put_in_copy(to.as_ref())?;
        value::swap_changed(to, scratch.as_mut());
        Ok(())
    }

    /// What [`put`](Self::put) would make of the value, beside it.
    pub(super) fn put_in_copy(&self, of: ErasedRef<'_>) -> Result<OwnedValue, ValueError> {
        // A leaf is replaced whole, so it needs no copy of what was there.
        let mut copy = if of.ty().is_leaf() { OwnedValue::like(of) } else { OwnedValue::copy_of(of) };
        self.write_to(copy.as_mut())?;
        Ok(copy)
    }

    /// On an error `to` is valid but half-written.
    fn write_to(&self, to: ErasedMut<'_>) -> Result<(), ValueError> {
        let mut to = to.unwrapped();
        let Kind::Struct { fields } = to.ty().kind() else { return self.write_leaf(to) };
        for_each_field(self, fields, to.ty(), |index, field, value| match to.reborrow().field(index) {
            Some(to) => value.write_to(to).map_err(|error| error.within(field.key())),
            None => Ok(()),
        })
    }

    fn write_leaf(&self, to: ErasedMut<'_>) -> Result<(), ValueError> {
        let ty = to.ty();
        let mut text = Text { out: Vec::new(), stop: None };
        text.render(self, ty, 0)?;
        let text = String::from_utf8_lossy(&text.out);
        value::read(to, &text, Place::Line).map_err(|fault| {
            let path = offset_in(&text, fault.found).map_or(String::new(), |at| path_at(self, ty, at));
            ValueError { path, ..ValueError::of_fault(fault) }
        })
    }
}

/// The path of the part that stands at an offset of the text of a leaf.
#[cold]
fn path_at(value: &Value, ty: &'static PropertyType, at: usize) -> String {
    let mut text = Text { out: Vec::new(), stop: Some(at) };
    text.render(value, ty, 0).err().map_or(String::new(), |stopped| stopped.path)
}

/// Calls `each` with every field that a struct gives a value.
fn for_each_field(
    value: &Value,
    fields: &'static [Property],
    ty: &'static PropertyType,
    mut each: impl FnMut(usize, &'static Property, &Value) -> Result<(), ValueError>,
) -> Result<(), ValueError> {
    let (Value::Struct(given) | Value::Map(given)) = value else { return Err(ValueError::mismatch(value, ty)) };
    let mut seen = vec![false; fields.len()];
    for (key, value) in given {
        let (index, field) = find_field(fields, key)?;
        if std::mem::replace(&mut seen[index], true) {
            let error = ValueError::new(Code::DuplicateKey, "each key once", format!("`{key}` for a second time"));
            return Err(error.within(field.key()));
        }
        each(index, field, value)?;
    }
    Ok(())
}

/// The field of this name, in either spelling.
pub(super) fn find_field<'f>(fields: &'f [Property], name: &str) -> Result<(usize, &'f Property), ValueError> {
    let named = fields.iter().enumerate().find(|(_, field)| field.is_named(name));
    named.ok_or_else(|| ValueError::no_such(Code::UnknownKey, "key", name, fields.iter().map(Property::key)))
}

/// The text of a leaf in the making.
struct Text {
    out: Vec<u8>,
    /// Offset at whose part to stop with an error, which then has the path of the part.
    stop: Option<usize>,
}

impl Text {
    /// `depth` counts the brackets around the value.
    fn render(&mut self, value: &Value, ty: &'static PropertyType, depth: usize) -> Result<(), ValueError> {
        let ty = unwrapped(ty);
        match *ty.kind() {
            Kind::Option { item } => match value {
                Value::None => self.raw("none"),
                _ => return self.render(value, item.get(), depth),
            },
            Kind::Struct { .. }
            | Kind::Array { .. }
            | Kind::List { .. }
            | Kind::KeyedList { .. }
            | Kind::Map { .. }
                if depth >= NESTING_LIMIT =>
            {
                return Err(too_deep());
            }
            Kind::Struct { fields } => self.fields(value, fields, ty, depth)?,
            Kind::Array { count, item } => {
                let items = items_of(value).ok_or_else(|| ValueError::mismatch(value, ty))?;
                if items.len() != count {
                    return Err(ValueError::new(Code::WrongCount, expected(ty), told(value)));
                }
                self.items(items, item.get(), depth)?;
            }
            Kind::List { item } | Kind::KeyedList { item, .. } => {
                let items = items_of(value).ok_or_else(|| ValueError::mismatch(value, ty))?;
                self.items(items, item.get(), depth)?;
            }
            Kind::Map { key, item } => self.pairs(value, key.get(), item.get(), ty, depth)?,
            Kind::DataEnum { variants } => self.variant(value, variants, ty, depth)?,
            _ => self.scalar(value, ty).ok_or_else(|| scalar_error(value, ty))?,
        }
        self.reached()
    }

    /// Stops once the wanted part is written.
    fn reached(&self) -> Result<(), ValueError> {
        match self.stop {
            Some(at) if at < self.out.len() => Err(ValueError::new(Code::Mismatch, "", "")),
            _ => Ok(()),
        }
    }

    fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// A value without parts; `None` if it is of another shape.
    fn scalar(&mut self, value: &Value, ty: &PropertyType) -> Option<()> {
        match (ty.kind(), value) {
            (Kind::Bool, Value::Bool(value)) => self.raw(if *value { "true" } else { "false" }),
            (Kind::Integer { .. }, value) => self.whole(value)?,
            (Kind::Float { bits }, value) => self.float(value, *bits)?,
            (Kind::Char | Kind::Text { .. }, Value::Char(letter)) => self.quoted(letter.encode_utf8(&mut [0; 4])),
            (Kind::Char | Kind::Text { .. } | Kind::Adapter, Value::Text(text)) => self.quoted(text),
            (Kind::AssetRef { .. }, Value::Asset(path) | Value::Text(path)) => self.quoted(path),
            (Kind::AssetRef { .. } | Kind::EntityRef, Value::None) => self.raw("none"),
            (Kind::EntityRef, Value::Entity(id)) => write_id(*id, &mut self.out),
            (Kind::EntityRef, Value::Text(text)) if is_id(text) => self.raw(text),
            (Kind::EntityRef, value) => self.whole(value)?,
            (Kind::Enum { variants }, Value::Text(name)) => self.name(name, variants)?,
            (Kind::Enum { variants }, Value::Variant { name, data }) if data.is_none() => self.name(name, variants)?,
            (Kind::Vector { float: false, .. }, value) => self.vector(value, |text, number| text.whole(number))?,
            (Kind::Vector { .. } | Kind::Quaternion | Kind::Color, value) => {
                self.vector(value, |text, number| text.float(number, 32))?;
            }
            _ => return None,
        }
        Some(())
    }

    fn quoted(&mut self, text: &str) {
        write_string_quoted(text, &mut self.out);
    }

    fn name(&mut self, name: &str, variants: &[crate::class::Variant]) -> Option<()> {
        let variant = variants.iter().find(|variant| variant.name == name || variant.aliases.contains(&name))?;
        self.raw(variant.name);
        Some(())
    }

    fn whole(&mut self, value: &Value) -> Option<()> {
        /// Beyond it floats have gaps, so that a float may be another number than was meant.
        const LARGEST: f64 = (1_u64 << 53) as f64;
        match *value {
            Value::Integer(value) => write_integer(value, &mut self.out),
            Value::Large(value) => write_integer(value, &mut self.out),
            Value::Float32(_) | Value::Float64(_) => {
                let value = value.as_f64().filter(|value| value.fract() == 0.0 && value.abs() <= LARGEST)?;
                write_integer(value as i64, &mut self.out);
            }
            _ => return None,
        }
        Some(())
    }

    fn float(&mut self, value: &Value, bits: u8) -> Option<()> {
        match value {
            Value::Float32(value) if bits == 32 => write_f32(*value, &mut self.out),
            Value::Text(text) if matches!(text.as_str(), "nan" | "inf" | "-inf") => self.raw(text),
            _ => write_f64(value.as_f64()?, &mut self.out),
        }
        Some(())
    }

    fn vector(&mut self, value: &Value, number: impl Fn(&mut Self, &Value) -> Option<()>) -> Option<()> {
        let mut start = "[";
        let mut each = |value: &Value| {
            self.raw(std::mem::replace(&mut start, ", "));
            number(self, value)
        };
        match value {
            Value::Vector(numbers) => numbers.iter().try_for_each(|&number| each(&number.into()))?,
            Value::Color(numbers) => numbers.iter().try_for_each(|&number| each(&number.into()))?,
            Value::IntVector(numbers) => numbers.iter().try_for_each(|&number| each(&number.into()))?,
            Value::List(numbers) => numbers.iter().try_for_each(each)?,
            _ => return None,
        }
        self.raw(if start == "[" { "[]" } else { "]" });
        Some(())
    }

    fn fields(
        &mut self,
        value: &Value,
        fields: &'static [Property],
        ty: &'static PropertyType,
        depth: usize,
    ) -> Result<(), ValueError> {
        let mut start = "{ ";
        for_each_field(value, fields, ty, |_, field, value| {
            self.raw(std::mem::replace(&mut start, ", "));
            self.raw(field.key());
            self.raw(": ");
            self.render(value, field.ty(), depth + 1).map_err(|error| error.within(field.key()))
        })?;
        self.raw(if start == "{ " { "{}" } else { " }" });
        Ok(())
    }

    fn items(&mut self, items: &[Value], item: &'static PropertyType, depth: usize) -> Result<(), ValueError> {
        self.raw("[");
        for (index, value) in items.iter().enumerate() {
            if index > 0 {
                self.raw(", ");
            }
            self.render(value, item, depth + 1).map_err(|error| error.within(&format!("[{index}]")))?;
        }
        self.raw("]");
        Ok(())
    }

    fn pairs(
        &mut self,
        value: &Value,
        key_type: &'static PropertyType,
        item: &'static PropertyType,
        ty: &'static PropertyType,
        depth: usize,
    ) -> Result<(), ValueError> {
        let (Value::Map(pairs) | Value::Struct(pairs)) = value else { return Err(ValueError::mismatch(value, ty)) };
        let mut start = "{ ";
        for (key, value) in pairs {
            self.raw(std::mem::replace(&mut start, ", "));
            let mut pair = || {
                let key = key_of(key, key_type);
                self.render(&key, key_type, depth)?;
                self.raw(": ");
                self.render(value, item, depth + 1)
            };
            pair().map_err(|error| error.within(&item_part(key)))?;
        }
        self.raw(if start == "{ " { "{}" } else { " }" });
        Ok(())
    }

    fn variant(
        &mut self,
        value: &Value,
        variants: &'static [DataVariant],
        ty: &'static PropertyType,
        depth: usize,
    ) -> Result<(), ValueError> {
        let (name, data, tagged) = match value {
            Value::Text(name) => (name, &Value::None, false),
            Value::Variant { name, data } => (name, &**data, false),
            // As other formats have it: `{ "Wait": 2.5 }`.
            Value::Struct(pairs) | Value::Map(pairs) if pairs.len() == 1 => match pairs.first() {
                Some((name, data)) => (name, data, true),
                None => return Err(ValueError::mismatch(value, ty)),
            },
            _ => return Err(ValueError::mismatch(value, ty)),
        };
        let named = |variant: &&DataVariant| variant.name == name || variant.aliases.contains(&name.as_str());
        let Some(variant) = variants.iter().find(named) else {
            return Err(scalar_error(&Value::Text(name.clone()), ty));
        };
        self.raw(variant.name);
        if depth >= NESTING_LIMIT && variant.style != VariantStyle::Unit {
            return Err(too_deep());
        }
        match (variant.style, data) {
            (VariantStyle::Unit | VariantStyle::Struct, Value::None) => Ok(()),
            (VariantStyle::Struct, Value::Struct(_) | Value::Map(_)) => {
                self.raw(" ");
                self.fields(data, variant.fields, ty, depth)
            }
            (VariantStyle::Tuple, _) if tagged && variant.fields.len() == 1 => {
                self.tuple(variant, std::slice::from_ref(data), depth)
            }
            (VariantStyle::Tuple, Value::List(items)) => self.tuple(variant, items, depth),
            _ => Err(wrong_data(variant, told(data))),
        }
    }

    fn tuple(&mut self, variant: &DataVariant, items: &[Value], depth: usize) -> Result<(), ValueError> {
        if items.len() != variant.fields.len() {
            return Err(wrong_data(variant, format!("{} values", items.len())));
        }
        self.raw("(");
        for (index, (value, field)) in items.iter().zip(variant.fields).enumerate() {
            if index > 0 {
                self.raw(", ");
            }
            self.render(value, field.ty(), depth + 1).map_err(|error| error.within(&format!("[{index}]")))?;
        }
        self.raw(")");
        Ok(())
    }
}

/// The items of a list of either sort.
fn items_of(value: &Value) -> Option<&[Value]> {
    match value {
        Value::List(items) | Value::KeyedList { items, .. } => Some(items),
        _ => None,
    }
}

/// The value of a plain text that is a key of type `ty`.
pub(super) fn key_of(key: &str, ty: &'static PropertyType) -> Value {
    match unwrapped(ty).kind() {
        Kind::Integer { .. } => super::of::parse_whole(key).unwrap_or_else(|| Value::Text(key.to_owned())),
        _ => Value::Text(key.to_owned()),
    }
}

/// Whether a text has nothing in it that means something to the scanner of text.
fn is_id(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cold]
fn scalar_error(value: &Value, ty: &PropertyType) -> ValueError {
    let no_variant = |name: &str, names: &mut dyn Iterator<Item = &'static str>| {
        ValueError::no_such(Code::UnknownVariant, "variant", name, names)
    };
    match (ty.kind(), value.as_str()) {
        (Kind::Enum { variants }, Some(name)) if value.data().is_none() || matches!(value, Value::Text(_)) => {
            no_variant(name, &mut variants.iter().map(|variant| variant.name))
        }
        (Kind::DataEnum { variants }, Some(name)) => no_variant(name, &mut variants.iter().map(|variant| variant.name)),
        _ => ValueError::mismatch(value, ty),
    }
}

#[cold]
fn wrong_data(variant: &DataVariant, found: String) -> ValueError {
    let name = variant.name;
    let expected = match variant.style {
        VariantStyle::Unit => format!("nothing in `{name}`"),
        VariantStyle::Tuple => format!("a list of {} for `{name}`", variant.fields.len()),
        VariantStyle::Struct => format!("a struct for `{name}`"),
    };
    ValueError::new(Code::WrongCount, expected, found)
}

#[cold]
fn too_deep() -> ValueError {
    let expected = format!("at most {NESTING_LIMIT} lists and structs inside each other");
    ValueError::new(Code::NestingTooDeep, expected, "one more")
}
