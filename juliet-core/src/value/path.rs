//! Paths: `Light.Color.r`, `Spots[2].Label`, `Loot["two words"].Count`, in a tree and straight in memory.
//!
//! ```text
//! path = part {. name | item}        part = name | item
//! name = a key, in either spelling; a component: x y z w, r g b a
//! item = [index of a list or a component] | [key of a map or of a keyed list, bare or quoted] | [name of a field, bare or quoted]
//! ```
//!
//! The empty path is the whole. The same paths lead somewhere in a tree and in memory, whether for reading or for writing; only memory knows
//! aliases, and a key in another form than its canonical one (`[007]`). In memory each part is looked up in a table and nothing else is touched, down to the leaf; only for a part of
//! a leaf is the leaf taken apart.

use std::borrow::Cow;

use super::Value;
use super::error::ValueError;
use super::put::find_field;
use super::tree::LEVELS_LIMIT;
use crate::class::{Kind, Property, names_match};
use crate::diag::Code;
use crate::mem::{ErasedMut, ErasedRef};
use crate::text::{parse_f32, split_item, unquote, write_f64};

/// One step of a path.
#[derive(Clone, Copy)]
enum Part<'p> {
    Name(&'p str),
    /// What stands in the brackets, with its quotes.
    Item(&'p str),
}

impl<'p> Part<'p> {
    /// Without quotes; `None` if they hold something wrong.
    fn plain(self) -> Option<Cow<'p, str>> {
        match self {
            Self::Item(text) if text.starts_with('"') => unquote(text).ok().map(|text| text.to_string().into()),
            Self::Name(text) | Self::Item(text) => Some(text.into()),
        }
    }

    /// As a place in a list.
    fn index(self) -> Option<usize> {
        match self {
            Self::Item(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
            _ => None,
        }
    }

    /// As a component of a vector or colour whose components have these `letters`.
    fn component(self, letters: &str, count: usize) -> Option<usize> {
        let named = || match self {
            Self::Name(text) => {
                let mut name = text.chars();
                let (letter, None) = (name.next()?.to_ascii_lowercase(), name.next()) else { return None };
                letters.find(letter)
            }
            Self::Item(_) => None,
        };
        self.index().or_else(named).filter(|&index| index < count)
    }
}

/// The first step of a path that is not empty, and the rest; `None` if the text is no path.
fn next_part(path: &str) -> Option<(Part<'_>, &str)> {
    if path.starts_with('[') {
        let item = split_item(path)?;
        let is_dotted = path[..path.len() - item.rest.len()].ends_with('.');
        return (!is_dotted || !item.rest.starts_with('[')).then_some((Part::Item(item.key), item.rest));
    }
    let (name, rest) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    let after = rest.strip_prefix('.');
    // A point leads to a name.
    if name.is_empty() || after.is_some_and(|after| after.is_empty() || after.starts_with('[')) {
        return None;
    }
    Some((Part::Name(name), after.unwrap_or(rest)))
}

impl Value {
    /// The value at `path`, borrowed; a component of a vector or colour as a number of its own. `None` if there is none.
    ///
    /// Costs the path; in lists with keys, and for keys in the other spelling, also the items on the way. No allocation.
    ///
    /// ```
    /// # use juliet_core::{class::shape::Color, mem::ErasedRef, value::Value};
    /// let paint = Value::of(ErasedRef::new(&Color::rgb(1.0, 0.5, 0.0)));
    /// assert_eq!(paint.get("g").as_deref(), Some(&Value::Float32(0.5)));
    /// assert_eq!(paint.get("x"), None);
    /// ```
    #[must_use]
    pub fn get(&self, path: &str) -> Option<Cow<'_, Self>> {
        let (mut value, mut rest) = (self, path);
        while !rest.is_empty() {
            let (part, after) = next_part(rest)?;
            value = value.data();
            match value.place_of(part) {
                Some(place) => value = value.nth(place)?,
                None if after.is_empty() => return value.component(part).map(Cow::Owned),
                None => return None,
            }
            rest = after;
        }
        Some(Cow::Borrowed(value))
    }

    /// The value at `path` for writing; `None` if there is none, and for components, which are no values of their own. Cost as of
    /// [`get`](Self::get).
    #[must_use]
    pub fn get_mut(&mut self, path: &str) -> Option<&mut Self> {
        let (mut value, mut rest) = (self, path);
        while !rest.is_empty() {
            let (part, after) = next_part(rest)?;
            value = value.data_mut();
            let place = value.place_of(part)?;
            value = value.nth_mut(place)?;
            rest = after;
        }
        Some(value)
    }

    /// Puts `new` in place of the value at `path`, whatever that was. A component of a vector or colour takes a number; a map takes a
    /// new key at its end. Cost as of [`get`](Self::get), and linear in `new`.
    ///
    /// # Errors
    /// [`ValueError`] if the path leads nowhere, a component is given something else than a number that it holds, or the tree would have more
    /// than 512 levels; the tree is then as it was.
    pub fn set(&mut self, path: &str, new: impl Into<Self>) -> Result<(), ValueError> {
        let new = new.into();
        let (mut value, mut rest, mut levels) = (self, path, LEVELS_LIMIT);
        while !rest.is_empty() {
            let Some((part, after)) = next_part(rest) else { return Err(ValueError::malformed(path)) };
            levels = levels.saturating_sub(1 + usize::from(matches!(value, Self::Variant { .. })));
            value = value.data_mut();
            match value.place_of(part) {
                Some(place) => match value.nth_mut(place) {
                    Some(next) => value = next,
                    None => return Err(ValueError::malformed(path)),
                },
                None if after.is_empty() => {
                    let set = if new.is_deeper_than(levels) { Err(too_deep()) } else { value.set_last(part, new) };
                    return set.map_err(|error| ValueError { path: path.to_owned(), ..error });
                }
                None => return Err(ValueError { path: path.to_owned(), ..value.no_such_part(part) }),
            }
            rest = after;
        }
        if new.is_deeper_than(levels) {
            return Err(ValueError { path: path.to_owned(), ..too_deep() });
        }
        *value = new;
        Ok(())
    }

    /// A part that is no value of its own, or that is not there yet.
    fn set_last(&mut self, part: Part<'_>, new: Self) -> Result<(), ValueError> {
        match self {
            Self::Map(items) => {
                let Some(key) = part.plain() else { return Err(self.no_such_part(part)) };
                items.insert(key.into_owned(), new);
                return Ok(());
            }
            Self::Vector(numbers) => {
                if let Some(index) = part.component("xyzw", numbers.len()) {
                    numbers[index] = f32_of(&new)?;
                    return Ok(());
                }
            }
            Self::Color(numbers) => {
                if let Some(index) = part.component("rgba", numbers.len()) {
                    numbers[index] = f32_of(&new)?;
                    return Ok(());
                }
            }
            Self::IntVector(numbers) => {
                if let Some(index) = part.component("xyzw", numbers.len()) {
                    numbers[index] = i32_of(&new)?;
                    return Ok(());
                }
            }
            _ => {}
        }
        Err(self.no_such_part(part))
    }

    /// Where the part is among those of this value, which is no variant.
    fn place_of(&self, part: Part<'_>) -> Option<usize> {
        match (self, part) {
            (Self::Struct(fields), _) => {
                let name = &*part.plain()?;
                fields.get_index_of(name).or_else(|| fields.keys().position(|key| names_match(key, name)))
            }
            (Self::Map(items), _) => items.get_index_of(&*part.plain()?),
            (Self::List(items), _) => part.index().filter(|&index| index < items.len()),
            (Self::KeyedList { key, items }, Part::Item(_)) => {
                let wanted = part.plain()?;
                items.iter().position(|item| item.key_text(key).is_some_and(|text| text == wanted))
            }
            _ => None,
        }
    }

    fn nth(&self, place: usize) -> Option<&Self> {
        match self {
            Self::Struct(items) | Self::Map(items) => items.get_index(place).map(|(_, item)| item),
            Self::List(items) | Self::KeyedList { items, .. } => items.get(place),
            _ => None,
        }
    }

    fn nth_mut(&mut self, place: usize) -> Option<&mut Self> {
        match self {
            Self::Struct(items) | Self::Map(items) => items.get_index_mut(place).map(|(_, item)| item),
            Self::List(items) | Self::KeyedList { items, .. } => items.get_mut(place),
            _ => None,
        }
    }

    fn component(&self, part: Part<'_>) -> Option<Self> {
        match self {
            Self::Vector(numbers) => Some(Self::Float32(numbers[part.component("xyzw", numbers.len())?])),
            Self::Color(numbers) => Some(Self::Float32(numbers[part.component("rgba", numbers.len())?])),
            Self::IntVector(numbers) => Some(Self::Integer(numbers[part.component("xyzw", numbers.len())?].into())),
            _ => None,
        }
    }

    #[cold]
    fn no_such_part(&self, part: Part<'_>) -> ValueError {
        let (Part::Name(name) | Part::Item(name)) = part;
        match self {
            Self::Struct(fields) => {
                ValueError::no_such(Code::UnknownKey, "key", name, fields.keys().map(String::as_str))
            }
            Self::Map(items) => ValueError::no_such(Code::UnknownKey, "key", name, items.keys().map(String::as_str)),
            Self::KeyedList { key, items } => {
                let keys: Vec<String> = items.iter().filter_map(|item| item.key_text(key)).collect();
                ValueError::no_such(Code::UnknownKey, "key", name, keys.iter().map(String::as_str))
            }
            Self::List(items) => ValueError::new(Code::UnknownKey, format!("an index below {}", items.len()), name),
            Self::Vector(_) | Self::IntVector(_) => ValueError::new(Code::UnknownKey, "a component x, y, z or w", name),
            Self::Color(_) => ValueError::new(Code::UnknownKey, "a component r, g, b or a", name),
            _ => ValueError::new(Code::UnknownKey, "a value with parts", super::error::told(self)),
        }
    }
}

#[cold]
fn too_deep() -> ValueError {
    ValueError::new(Code::NestingTooDeep, format!("at most {LEVELS_LIMIT} levels of values"), "more")
}

/// The nearest `f32`, by way of the text, which rounds once.
fn f32_of(value: &Value) -> Result<f32, ValueError> {
    let narrowed = |wide: f64| {
        let mut text = Vec::new();
        write_f64(wide, &mut text);
        parse_f32(&String::from_utf8_lossy(&text)).ok()
    };
    let number = match value {
        Value::Float32(number) => Some(*number),
        _ => value.as_f64().and_then(narrowed),
    };
    number.ok_or_else(|| ValueError::new(Code::Mismatch, "one number", super::error::told(value)))
}

fn i32_of(value: &Value) -> Result<i32, ValueError> {
    let number = value.as_integer().or_else(|| value.as_f64().filter(|it| it.fract() == 0.0).map(|it| it as i128));
    let number = number.and_then(|number| i32::try_from(number).ok());
    number.ok_or_else(|| {
        let expected = format!("a whole number in {}..={}", i32::MIN, i32::MAX);
        ValueError::new(Code::Mismatch, expected, super::error::told(value))
    })
}

/// The value at `path` below a value in memory; `None` if there is none. Keys, names and aliases are taken.
///
/// Costs the path and what is at its end: of a map also the search for the item, and for a part of a leaf (a component, an item of a list) all of
/// the leaf.
///
/// ```
/// # use juliet_core::{mem::ErasedRef, value::{Value, get_path}};
/// let at = glam::Vec3::new(1.0, 2.0, 3.0);
/// assert_eq!(get_path(ErasedRef::new(&at), "y"), Some(Value::Float32(2.0)));
/// ```
#[must_use]
pub fn get_path(from: ErasedRef<'_>, path: &str) -> Option<Value> {
    let (mut from, mut rest) = (from.unwrapped(), path);
    while !rest.is_empty() {
        let (part, after) = next_part(rest)?;
        let inner = match (from.ty().kind(), part) {
            (Kind::Struct { fields }, _) => from.field(named_field(fields, &part.plain()?).ok()?.0),
            (Kind::Map { .. } | Kind::KeyedList { .. }, Part::Item(key)) => {
                from.keyed().and_then(|items| items.item(items.find(key).ok().flatten()?))
            }
            _ => None,
        };
        match inner {
            Some(inner) => from = inner.unwrapped(),
            None => return Value::of(from).get(rest).map(Cow::into_owned),
        }
        rest = after;
    }
    Some(Value::of(from))
}

/// Puts a value in place of the one at `path` below a value in memory; what is taken is as of [`Value::put`].
///
/// Costs the path and a copy of what is at its end; for a part of a leaf (a component, an item of a list) twice all of the leaf. A key that a
/// map does not have is added.
///
/// # Errors
/// [`ValueError`] with the path of what is wrong; the memory is then as it was.
///
/// # Panics
/// If the user's default, copy or drop does.
pub fn set_path(to: ErasedMut<'_>, path: &str, value: &Value) -> Result<(), ValueError> {
    let to = to.unwrapped();
    if path.is_empty() {
        return value.put(to);
    }
    let Some((part, rest)) = next_part(path) else { return Err(ValueError::malformed(path)) };
    if let Kind::Struct { fields } = to.ty().kind() {
        let name = part.plain().ok_or_else(|| ValueError::malformed(path))?;
        let (index, field) = named_field(fields, &name)?;
        return match to.field(index) {
            Some(to) => set_path(to, rest, value).map_err(|error| error.within(field.key())),
            None => Ok(()),
        };
    }
    let step = path[..path.len() - rest.len()].trim_end_matches('.');
    let place = item_place(to.as_ref(), part);
    if let Some(place) = place.filter(|_| !is_key_of(to.as_ref(), rest)) {
        return match to.keyed().and_then(|items| items.item_mut(place)) {
            Some(item) => set_path(item, rest, value).map_err(|error| error.within(step)),
            None => Err(ValueError::malformed(path)),
        };
    }
    let mut leaf = Value::of(to.as_ref());
    match place.and_then(|place| leaf.nth_mut(place)) {
        Some(item) => item.set(rest, value.clone()).map_err(|error| error.within(step))?,
        None => leaf.set(path, value.clone())?,
    }
    leaf.put(to)
}

/// The field that a part of a path names. A tree knows keys alone, so that whatever has the key as its colon spelling names it there; so it does here.
fn named_field<'f>(fields: &'f [Property], name: &str) -> Result<(usize, &'f Property), ValueError> {
    find_field(fields, name).or_else(|error| {
        let found = fields.iter().enumerate().find(|(_, field)| names_match(field.key(), name));
        found.ok_or(error)
    })
}

/// Where the item is that a part names by its key.
fn item_place(from: ErasedRef<'_>, part: Part<'_>) -> Option<usize> {
    let Part::Item(key) = part else { return None };
    from.keyed()?.find(key).ok()?
}

/// Whether `rest` below an item of a list leads to its key or to all of it: another item might have the new key.
fn is_key_of(from: ErasedRef<'_>, rest: &str) -> bool {
    let Some((items, field)) = from.keyed().and_then(|items| Some((items, items.key_field()?))) else { return false };
    let Some((part, _)) = next_part(rest) else { return true };
    let Some(name) = part.plain() else { return true };
    items
        .item_type()
        .fields()
        .get(field)
        .is_none_or(|field: &Property| field.is_named(&name) || names_match(field.key(), &name))
}
