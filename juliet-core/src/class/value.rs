//! Reading, writing, comparing and copying values of any described type: the one place that walks structs.
//!
//! Structs are walked through their tables, newtypes looked through; everything else is a leaf and knows itself
//! ([`shape`](super::shape)).

use arrayvec::ArrayVec;

use super::shape::{Fault, Place, ValueWriter};
use super::{Kind, Property};
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
        Kind::Struct { fields } => read_struct(to, fields, text, place),
        _ if text.is_empty() => Err(Fault::new(Code::MissingValue, "a value", text)),
        _ => to.read_leaf(text, place),
    }
}

fn read_struct<'t>(
    mut to: ErasedMut<'_>,
    fields: &'static [Property],
    text: &'t str,
    place: Place,
) -> Result<(), Fault<'t>> {
    let Some(inner) = place.inner() else { return Err(Fault::too_deep(text)) };
    let mut seen: Vec<usize> = Vec::new();
    for pair in Pairs::new(text).map_err(Fault::from)? {
        let (key, value) = pair?;
        let Some(index) = fields.iter().position(|field| field.is_named(key)) else {
            return Err(unknown_key(key, fields));
        };
        if seen.contains(&index) {
            return Err(Fault::new(Code::DuplicateKey, "each key once", key));
        }
        seen.push(index);
        if let Some(field) = to.reborrow().field(index) {
            read(field, value, inner)?;
        }
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
    let Kind::Struct { fields } = from.ty().kind() else { return from.write_leaf(out) };
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
        if let Some(value) = from.field(index) {
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

/// The numbers in a value, for range checks: one for a number, all of a vector, a colour or a quaternion; none for everything else.
pub fn numbers(value: ErasedRef<'_>) -> ArrayVec<f64, 4> {
    let value = value.unwrapped();
    let mut numbers = ArrayVec::new();
    macro_rules! scalar {
        ($($t:ty),*) => {$(
            if let Some(number) = value.downcast_ref::<$t>() {
                numbers.push(*number as f64);
            }
        )*};
    }
    match value.ty().kind() {
        Kind::Float { .. } => {
            scalar!(f32, f64);
        }
        Kind::Integer { .. } => {
            scalar!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);
        }
        Kind::Vector { .. } | Kind::Quaternion | Kind::Color => {
            macro_rules! vector {
                ($($t:ty),*) => {$(
                    if let Some(vector) = value.downcast_ref::<$t>() {
                        numbers.extend(vector.to_array().map(f64::from));
                    }
                )*};
            }
            vector!(glam::Vec2, glam::Vec3, glam::Vec4, glam::IVec2, glam::IVec3, glam::Quat, super::shape::Color);
        }
        _ => {}
    }
    numbers
}
