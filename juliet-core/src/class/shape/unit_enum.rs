//! Enums without data, by the names of their variants.

use super::{Fault, Leaf, Place, ValueWriter};
use crate::class::Variant;
use crate::diag::Code;
use crate::diag::nearest;
use crate::text::write_string;

/// An enum whose variants hold no data; implemented by `#[derive(Property)]`.
#[doc(hidden)]
pub trait UnitEnum: Sized + Send + Sync + 'static {
    /// All variants, in declaration order.
    const VARIANTS: &'static [Variant];

    /// The variant at `index` of [`VARIANTS`](Self::VARIANTS).
    fn from_index(index: u32) -> Option<Self>;
    /// The place of the variant in [`VARIANTS`](Self::VARIANTS).
    fn index(&self) -> u32;
}

/// A unit enum as a leaf; same layout as `T`.
#[doc(hidden)]
#[repr(transparent)]
pub struct UnitLeaf<T>(T);

impl<T: UnitEnum> Leaf for UnitLeaf<T> {
    fn read<'t>(&mut self, text: &'t str, _: Place) -> Result<(), Fault<'t>> {
        let found = find_variant(T::VARIANTS, text);
        match found.and_then(|index| T::from_index(u32::try_from(index).ok()?)) {
            Some(value) => {
                self.0 = value;
                Ok(())
            }
            None => Err(unknown_variant(T::VARIANTS, text)),
        }
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        write_variant(T::VARIANTS, self.0.index() as usize, out);
    }

    fn same(&self, other: &Self) -> bool {
        self.0.index() == other.0.index()
    }

    fn assign(&mut self, from: &Self) {
        if let Some(value) = T::from_index(from.0.index()) {
            self.0 = value;
        }
    }
}

/// The place of the variant that `text` names. O(variants).
pub(super) fn find_variant(variants: &[Variant], text: &str) -> Option<usize> {
    variants.iter().position(|variant| variant.name == text || variant.aliases.contains(&text))
}

#[cold]
pub(super) fn unknown_variant<'t>(variants: &'static [Variant], text: &'t str) -> Fault<'t> {
    no_such_variant(text, variants.iter().map(|variant| variant.name))
}

pub(super) fn write_variant(variants: &[Variant], index: usize, out: &mut ValueWriter<'_>) {
    let name = variants.get(index).map_or("", |variant| variant.name);
    write_string(name, out.place != Place::Line, out.out);
}

/// All variants, told as what is expected.
#[cold]
pub(crate) fn one_of(variants: &[Variant]) -> String {
    variant_names(variants.iter().map(|variant| variant.name))
}

/// Names of variants, told as what is expected.
pub(super) fn variant_names<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    format!("one of {}", names.join(", "))
}

/// `text` names none of the variants.
#[cold]
pub(super) fn no_such_variant<'t>(text: &'t str, names: impl Iterator<Item = &'static str> + Clone) -> Fault<'t> {
    let fault = Fault::new(Code::UnknownVariant, variant_names(names.clone()), text);
    match nearest(text, names) {
        Some(near) => fault.with_help(format!("did you mean `{near}`?")),
        None => fault,
    }
}
