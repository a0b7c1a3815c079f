//! A value or `none`.

use super::held::{Held, Known, Make};
use super::{Fault, Leaf, LeafType, Place, ValueWriter};
use crate::class::{ItemType, Kind, value};
use crate::mem::PropertyValue;

impl<T: PropertyValue> LeafType for Option<T> {
    const NAME: &'static str = "Option";
    const KIND: Kind = Kind::Option { item: ItemType::of::<T>() };

    fn fresh() -> Self {
        None
    }
}

impl<T: PropertyValue> Leaf for Option<T> {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        read(self, Known, text, place)
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        write(self.as_ref(), out);
    }

    fn same(&self, other: &Self) -> bool {
        same(self.as_ref(), other.as_ref())
    }

    fn assign(&mut self, from: &Self) {
        assign(self, from.as_ref(), Known);
    }

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        if let Some(inner) = self {
            value::for_each_number(inner.erased(), each);
        }
    }
}

pub(super) fn read<'t, H: Held>(
    to: &mut Option<H>,
    make: impl Make<H>,
    text: &'t str,
    place: Place,
) -> Result<(), Fault<'t>> {
    if text == "none" {
        *to = None;
        return Ok(());
    }
    // A fresh start: keys that the text leaves out have their default, whatever was there before.
    value::read(to.insert(make.fresh()).erased_mut(), text, place)
}

pub(super) fn write(from: Option<&impl Held>, out: &mut ValueWriter<'_>) {
    match from {
        None => out.raw("none"),
        Some(inner) => {
            let mut out = ValueWriter { out: out.out, place: out.place, in_option: true, blanks: out.blanks };
            value::write(inner.erased(), &mut out);
        }
    }
}

pub(super) fn same<H: Held>(a: Option<&H>, b: Option<&H>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => value::same(a.erased(), b.erased()),
        _ => false,
    }
}

pub(super) fn assign<H: Held>(to: &mut Option<H>, from: Option<&H>, make: impl Make<H>) {
    *to = from.map(|from| make.copy(from));
}
