//! Enums with data: `Idle`, `Wait(2.5)`, `Patrol { Speed: 2, Path: [1, 2] }`.
//!
//! One leaf: a value is read, written and overridden whole. Fields that a struct variant leaves out have their defaults, and one without braces
//! has all of them left out. Blanks may stand between the name and the bracket; written is the one form above.

use super::unit_enum::{no_such_variant, variant_names};
use super::{Fault, Leaf, Place, ValueWriter};
use crate::class::{DataVariant, VariantStyle, value};
use crate::diag::Code;
use crate::mem::{ErasedMut, ErasedRef, PropertyValue};
use crate::text::Items;

/// An enum whose variants may hold data; implemented by `#[derive(Property)]`. A variant is told by its place in
/// [`VARIANTS`](Self::VARIANTS), a field by its place in [`DataVariant::fields`].
#[doc(hidden)]
pub trait DataEnum: Sized + Send + Sync + 'static {
    /// All variants, in declaration order.
    const VARIANTS: &'static [DataVariant];

    /// Which variant it is.
    fn variant(&self) -> usize;
    /// The variant at `index` with the defaults of its fields; of the last one past the end.
    fn with_variant(index: usize) -> Self;
    /// A field of the variant that it is.
    fn field(&self, index: usize) -> Option<ErasedRef<'_>>;
    /// The same for writing.
    fn field_mut(&mut self, index: usize) -> Option<ErasedMut<'_>>;
}

/// A data enum as a leaf; same layout as `T`.
#[doc(hidden)]
#[repr(transparent)]
pub struct DataLeaf<T>(T);

/// A value that is one of several variants: the rules are written over this.
pub(super) trait Choice {
    fn variants(&self) -> &'static [DataVariant];
    /// The place of the variant that it is.
    fn variant(&self) -> usize;
    /// Becomes the variant at `index` with the defaults of its fields.
    fn set_variant(&mut self, index: usize);
    /// Becomes the variant at `index`; all its fields are to be assigned.
    fn set_blank(&mut self, index: usize) {
        self.set_variant(index);
    }
    fn field(&self, index: usize) -> Option<ErasedRef<'_>>;
    fn field_mut(&mut self, index: usize) -> Option<ErasedMut<'_>>;
}

impl<T: DataEnum> Choice for DataLeaf<T> {
    fn variants(&self) -> &'static [DataVariant] {
        T::VARIANTS
    }

    fn variant(&self) -> usize {
        self.0.variant()
    }

    fn set_variant(&mut self, index: usize) {
        self.0 = T::with_variant(index);
    }

    fn field(&self, index: usize) -> Option<ErasedRef<'_>> {
        self.0.field(index)
    }

    fn field_mut(&mut self, index: usize) -> Option<ErasedMut<'_>> {
        self.0.field_mut(index)
    }
}

fn described(choice: &impl Choice) -> Option<&'static DataVariant> {
    choice.variants().get(choice.variant())
}

fn fields(choice: &impl Choice) -> impl Iterator<Item = ErasedRef<'_>> {
    (0..described(choice).map_or(0, |variant| variant.fields.len())).filter_map(|index| choice.field(index))
}

pub(super) fn read<'t>(choice: &mut impl Choice, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
    let variants = choice.variants();
    let end = text.find(['(', '{']).unwrap_or(text.len());
    let (name, body) = (text[..end].trim_end_matches([' ', '\t']), &text[end..]);
    let index = variants.iter().position(|variant| variant.name == name || variant.aliases.contains(&name));
    let Some((index, variant)) = index.and_then(|index| Some((index, variants.get(index)?))) else {
        let name = if name.is_empty() { text } else { name };
        return Err(no_such_variant(name, variants.iter().map(|variant| variant.name)));
    };
    choice.set_variant(index);
    match (variant.style, body.as_bytes().first()) {
        (VariantStyle::Unit | VariantStyle::Struct, None) => Ok(()),
        (VariantStyle::Struct, Some(b'{')) => {
            value::read_fields((variant.fields, variant.removed), body, place, |index, text, place| {
                choice.field_mut(index).map_or(Ok(()), |field| value::read(field, text, place))
            })
        }
        (VariantStyle::Tuple, Some(b'(')) => read_tuple(choice, variant, body, place),
        _ => Err(wrong_count(variant, if body.is_empty() { name } else { body }, "")),
    }
}

fn read_tuple<'t>(
    choice: &mut impl Choice,
    variant: &DataVariant,
    text: &'t str,
    place: Place,
) -> Result<(), Fault<'t>> {
    let Some(inner) = place.inner() else { return Err(Fault::too_deep(text)) };
    let mut count = 0;
    for item in Items::of_variant(text).map_err(Fault::from)? {
        let item = item?;
        if let Some(field) = choice.field_mut(count) {
            value::read(field, item, inner)?;
        }
        count += 1;
    }
    if count == variant.fields.len() { Ok(()) } else { Err(wrong_count(variant, text, &count.to_string())) }
}

pub(super) fn write(choice: &impl Choice, out: &mut ValueWriter<'_>) {
    let Some(variant) = described(choice) else { return };
    out.raw(variant.name);
    match variant.style {
        VariantStyle::Unit => {}
        VariantStyle::Tuple => {
            for (index, field) in fields(choice).enumerate() {
                out.raw(if index == 0 { "(" } else { ", " });
                out.nested(|out| value::write(field, out));
            }
            out.raw(if variant.fields.is_empty() { "()" } else { ")" });
        }
        VariantStyle::Struct => {
            out.raw(" ");
            value::write_fields(variant.fields, |index| choice.field(index), out);
        }
    }
}

pub(super) fn same<C: Choice>(a: &C, b: &C) -> bool {
    a.variant() == b.variant() && fields(a).zip(fields(b)).all(|(a, b)| value::same(a, b))
}

pub(super) fn assign<C: Choice>(to: &mut C, from: &C) {
    if to.variant() != from.variant() {
        to.set_blank(from.variant());
    }
    for (index, from) in fields(from).enumerate() {
        if let Some(to) = to.field_mut(index) {
            value::assign(to, from);
        }
    }
}

pub(super) fn numbers(choice: &impl Choice, each: &mut dyn FnMut(f64)) {
    fields(choice).for_each(|field| value::for_each_number(field, each));
}

impl<T: DataEnum + PropertyValue> Leaf for DataLeaf<T> {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        read(self, text, place)
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        write(self, out);
    }

    fn same(&self, other: &Self) -> bool {
        same(self, other)
    }

    fn assign(&mut self, from: &Self) {
        assign(self, from);
    }

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        numbers(self, each);
    }
}

/// What follows the name is not what the variant holds.
#[cold]
fn wrong_count<'t>(variant: &DataVariant, found: &'t str, told: &str) -> Fault<'t> {
    let (name, count) = (variant.name, variant.fields.len());
    let expected = match variant.style {
        VariantStyle::Unit => format!("nothing after `{name}`"),
        VariantStyle::Tuple if count == 1 => format!("1 value in parentheses after `{name}`"),
        VariantStyle::Tuple => format!("{count} values in parentheses after `{name}`"),
        VariantStyle::Struct => format!("fields in braces after `{name}`"),
    };
    Fault::new(Code::WrongCount, expected, found).told(told.to_owned())
}

/// All variants, told as what is expected.
#[cold]
pub(crate) fn one_of_data(variants: &[DataVariant]) -> String {
    variant_names(variants.iter().map(|variant| variant.name))
}

#[cfg(test)]
mod tests;
