//! Reading, writing, comparing and copying values of any described type: the one place that walks structs.
//!
//! Structs are walked through their tables, newtypes looked through; everything else is a leaf and knows itself
//! ([`shape`](super::shape)).

use std::borrow::Cow;

use super::shape::{Fault, Place, ValueWriter, integer_range, one_of, one_of_data};
use super::{Kind, Property, names_match};
use crate::diag::Code;
use crate::diag::nearest;
use crate::mem::{ErasedMut, ErasedRef};
use crate::text::Pairs;

/// Reads the text of a whole value, a struct in braces included. Keys that a struct leaves out keep what they have.
///
/// # Errors
/// [`Fault`] at the part of `text` that is wrong; the value is then valid but unspecified.
#[inline]
pub fn read<'t>(mut to: ErasedMut<'_>, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
    if to.ty().is_leaf() && !text.is_empty() {
        return to.read_leaf(text, place);
    }
    read_deep(to.unwrapped(), text, place)
}

/// `to` is no newtype.
fn read_deep<'t>(mut to: ErasedMut<'_>, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
    match to.ty().kind() {
        Kind::Struct { fields } => read_fields((fields, to.ty().removed()), text, place, |index, text, place| {
            to.reborrow().field(index).map_or(Ok(()), |field| read(field, text, place))
        }),
        kind if text.is_empty() => Err(Fault::new(Code::MissingValue, expected(kind), text)),
        _ => to.read_leaf(text, place),
    }
}

/// What a value of this kind looks like, for one that is missing.
#[cold]
fn expected(kind: &Kind) -> Cow<'static, str> {
    match *kind {
        Kind::Bool => "`true` or `false`".into(),
        Kind::Integer { signed, bits } => {
            let (min, max) = integer_range(signed, bits);
            format!("a whole number in {min}..={max}").into()
        }
        Kind::Float { .. } => "one number".into(),
        Kind::Vector { count, .. } => format!("{count} numbers").into(),
        Kind::Quaternion => "4 numbers".into(),
        Kind::Color => "3 or 4 numbers".into(),
        Kind::Text { .. } => "a text; an empty one is written `\"\"`".into(),
        Kind::Enum { variants } => one_of(variants).into(),
        Kind::DataEnum { variants } => one_of_data(variants).into(),
        _ => "a value".into(),
    }
}

/// Reads `{ Key: value, … }`: `each` gets the place of a field among `fields`, its text, and where that stands. Keys in `removed` are those of
/// fields that are gone, and say nothing.
pub(super) fn read_fields<'t>(
    (fields, removed): (&'static [Property], &'static [&'static str]),
    text: &'t str,
    place: Place,
    mut each: impl FnMut(usize, &'t str, Place) -> Result<(), Fault<'t>>,
) -> Result<(), Fault<'t>> {
    let Some(inner) = place.inner() else { return Err(Fault::too_deep(text)) };
    let mut seen: Vec<usize> = Vec::new();
    let mut pairs = Pairs::new(text).map_err(Fault::from)?;
    let is_removed = |key: &str| removed.iter().any(|removed| names_match(removed, key));
    let in_parentheses = |key: &str| {
        // What a removed field could hold is not known.
        is_removed(key) || fields.iter().any(|field| field.ty().takes_parentheses() && field.is_named(key))
    };
    while let Some(pair) = pairs.next_pair(in_parentheses) {
        let (key, value) = pair?;
        let Some(index) = fields.iter().position(|field| field.is_named(key)) else {
            if is_removed(key) {
                continue;
            }
            return Err(unknown_key(key, fields));
        };
        if seen.contains(&index) {
            return Err(Fault::new(Code::DuplicateKey, "each key once", key));
        }
        seen.push(index);
        each(index, value, inner)?;
    }
    Ok(())
}

#[cold]
fn unknown_key<'t>(key: &'t str, fields: &'static [Property]) -> Fault<'t> {
    let keys: Vec<&str> = fields.iter().map(Property::key).collect();
    let fault = Fault::new(Code::Mismatch, format!("one of the keys {}", keys.join(", ")), key);
    match nearest(key, keys) {
        Some(near) => fault.with_help(format!("did you mean `{near}`?")),
        None => fault,
    }
}

/// Writes a whole value in one piece, a struct in braces. [`read`] gives the same value back.
pub fn write(from: ErasedRef<'_>, out: &mut ValueWriter<'_>) {
    let from = from.unwrapped();
    match from.ty().kind() {
        Kind::Struct { fields } => write_fields(fields, |index| from.field(index), out),
        _ => from.write_leaf(out),
    }
}

/// Writes `{ Key: value, … }`; `value` gives the value of the field at a place among `fields`.
pub(super) fn write_fields<'a>(
    fields: &[Property],
    value: impl Fn(usize) -> Option<ErasedRef<'a>>,
    out: &mut ValueWriter<'_>,
) {
    if fields.is_empty() {
        return out.raw("{}");
    }
    out.raw("{ ");
    for (index, field) in fields.iter().enumerate() {
        if index > 0 {
            out.raw(", ");
        }
        out.raw(field.key());
        out.raw(": ");
        if let Some(value) = value(index) {
            out.nested(|out| write(value, out));
        }
    }
    out.raw(" }");
}

/// Whether two values of one type hold the same bits, property by property; padding and skipped fields do not count. `false` for two types.
pub fn same(a: ErasedRef<'_>, b: ErasedRef<'_>) -> bool {
    if a.ty().type_id() != b.ty().type_id() {
        return false;
    }
    let (a, b) = (a.unwrapped(), b.unwrapped());
    match a.ty().kind() {
        Kind::Struct { fields } => (0..fields.len()).all(|index| match (a.field(index), b.field(index)) {
            (Some(a), Some(b)) => same(a, b),
            _ => false,
        }),
        _ => a.same_leaf(&b),
    }
}

/// Copies every property of `from` to `to`; skipped fields stay as they are. Returns `false`, with nothing done, for two types.
pub fn assign(to: ErasedMut<'_>, from: ErasedRef<'_>) -> bool {
    if to.ty().type_id() != from.ty().type_id() {
        return false;
    }
    let (mut to, from) = (to.unwrapped(), from.unwrapped());
    match to.ty().kind() {
        Kind::Struct { fields } => {
            (0..fields.len()).all(|index| match (to.reborrow().field(index), from.field(index)) {
                (Some(to), Some(from)) => assign(to, from),
                _ => false,
            })
        }
        _ => to.assign_leaf(&from),
    }
}

/// Exchanges every property in which two values of one type differ, all or none: user code runs before the first one only. Skipped fields stay as
/// they are; what lies in a leaf goes with it. `false`, with nothing done, for two types.
pub(crate) fn swap_changed(to: ErasedMut<'_>, mut from: ErasedMut<'_>) -> bool {
    if to.ty().type_id() != from.ty().type_id() {
        return false;
    }
    let mut changed = Vec::new();
    note_changed(to.as_ref(), from.as_ref(), &mut changed);
    swap_noted(to, from.reborrow(), &mut changed.into_iter());
    true
}

fn note_changed(a: ErasedRef<'_>, b: ErasedRef<'_>, changed: &mut Vec<bool>) {
    let (a, b) = (a.unwrapped(), b.unwrapped());
    match a.ty().kind() {
        Kind::Struct { fields } => (0..fields.len()).for_each(|index| {
            if let (Some(a), Some(b)) = (a.field(index), b.field(index)) {
                note_changed(a, b, changed);
            }
        }),
        _ => changed.push(!a.same_leaf(&b)),
    }
}

fn swap_noted(a: ErasedMut<'_>, b: ErasedMut<'_>, changed: &mut impl Iterator<Item = bool>) {
    let (mut a, mut b) = (a.unwrapped(), b.unwrapped());
    match a.ty().kind() {
        Kind::Struct { fields } => (0..fields.len()).for_each(|index| {
            if let (Some(a), Some(b)) = (a.reborrow().field(index), b.reborrow().field(index)) {
                swap_noted(a, b, changed);
            }
        }),
        _ => {
            if changed.next() == Some(true) {
                a.swap(&mut b);
            }
        }
    }
}

/// Calls `each` with every number in a value, for range checks: one for a number, all of a vector, a list or a colour, none for the rest.
pub fn for_each_number(value: ErasedRef<'_>, each: &mut dyn FnMut(f64)) {
    let value = value.unwrapped();
    match value.ty().kind() {
        Kind::Struct { fields } => {
            (0..fields.len()).filter_map(|index| value.field(index)).for_each(|field| for_each_number(field, each));
        }
        _ => value.leaf_numbers(each),
    }
}
