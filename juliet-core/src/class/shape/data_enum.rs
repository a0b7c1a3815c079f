//! Enums with data: `Idle`, `Wait(2.5)`, `Patrol { Speed: 2, Path: [1, 2] }`.
//!
//! One leaf: a value is read, written and overridden whole. Fields that a struct variant leaves out have their defaults, and one without braces
//! has all of them left out. Blanks may stand between the name and the bracket; written is the one form above.

use super::unit_enum::{no_such_variant, variant_names};
use super::{Fault, Leaf, Place, ValueWriter};
use crate::class::{DataVariant, Kind, VariantStyle, value};
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

impl<T: DataEnum + PropertyValue> DataLeaf<T> {
    fn described(&self) -> Option<&'static DataVariant> {
        T::VARIANTS.get(self.0.variant())
    }

    fn fields(&self) -> impl Iterator<Item = ErasedRef<'_>> {
        (0..self.described().map_or(0, |variant| variant.fields.len())).filter_map(|index| self.0.field(index))
    }

    fn read_tuple<'t>(&mut self, variant: &DataVariant, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        let Some(inner) = place.inner() else { return Err(Fault::too_deep(text)) };
        let mut count = 0;
        for item in Items::of_variant(text).map_err(Fault::from)? {
            let item = item?;
            if let Some(field) = self.0.field_mut(count) {
                value::read(field, item, inner)?;
            }
            count += 1;
        }
        if count == variant.fields.len() { Ok(()) } else { Err(wrong_count(variant, text, &count.to_string())) }
    }
}

impl<T: DataEnum + PropertyValue> Leaf for DataLeaf<T> {
    const NAME: &'static str = "enum";
    const KIND: Kind = Kind::DataEnum { variants: T::VARIANTS };

    fn fresh() -> Self {
        Self(T::default_value())
    }

    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        let end = text.find(['(', '{']).unwrap_or(text.len());
        let (name, body) = (text[..end].trim_end_matches([' ', '\t']), &text[end..]);
        let index = T::VARIANTS.iter().position(|variant| variant.name == name || variant.aliases.contains(&name));
        let Some((index, variant)) = index.and_then(|index| Some((index, T::VARIANTS.get(index)?))) else {
            let name = if name.is_empty() { text } else { name };
            return Err(no_such_variant(name, T::VARIANTS.iter().map(|variant| variant.name)));
        };
        self.0 = T::with_variant(index);
        match (variant.style, body.as_bytes().first()) {
            (VariantStyle::Unit | VariantStyle::Struct, None) => Ok(()),
            (VariantStyle::Struct, Some(b'{')) => {
                value::read_fields((variant.fields, variant.removed), body, place, |index, text, place| {
                    self.0.field_mut(index).map_or(Ok(()), |field| value::read(field, text, place))
                })
            }
            (VariantStyle::Tuple, Some(b'(')) => self.read_tuple(variant, body, place),
            _ => Err(wrong_count(variant, if body.is_empty() { name } else { body }, "")),
        }
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        let Some(variant) = self.described() else { return };
        out.raw(variant.name);
        match variant.style {
            VariantStyle::Unit => {}
            VariantStyle::Tuple => {
                for (index, field) in self.fields().enumerate() {
                    out.raw(if index == 0 { "(" } else { ", " });
                    out.nested(|out| value::write(field, out));
                }
                out.raw(if variant.fields.is_empty() { "()" } else { ")" });
            }
            VariantStyle::Struct => {
                out.raw(" ");
                value::write_fields(variant.fields, |index| self.0.field(index), out);
            }
        }
    }

    fn same(&self, other: &Self) -> bool {
        self.0.variant() == other.0.variant() && self.fields().zip(other.fields()).all(|(a, b)| value::same(a, b))
    }

    fn assign(&mut self, from: &Self) {
        if self.0.variant() != from.0.variant() {
            self.0 = T::with_variant(from.0.variant());
        }
        for (index, from) in from.fields().enumerate() {
            if let Some(to) = self.0.field_mut(index) {
                value::assign(to, from);
            }
        }
    }

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        self.fields().for_each(|field| value::for_each_number(field, each));
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
