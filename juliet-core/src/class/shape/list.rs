//! Lists and arrays: items in brackets.

use super::held::{Held, Known, Make};
use super::keyed::check_keys;
use super::{Fault, KeyedItems, Leaf, LeafType, Place, ValueWriter};
use crate::class::{ItemType, Kind, value};
use crate::diag::Code;
use crate::mem::PropertyValue;
use crate::text::Items;

/// Gives the text of one item after the other to `each`.
fn read_items<'t>(
    text: &'t str,
    place: Place,
    parentheses: bool,
    mut each: impl FnMut(&'t str, Place) -> Result<(), Fault<'t>>,
) -> Result<(), Fault<'t>> {
    let Some(inner) = place.inner() else { return Err(Fault::too_deep(text)) };
    for item in Items::with_parentheses(text, parentheses).map_err(Fault::from)? {
        each(item?, inner)?;
    }
    Ok(())
}

/// `key_field` is the place of the key among the fields of an item, in a list with keys.
pub(super) fn read<'t, H: Held>(
    items: &mut Vec<H>,
    make: impl Make<H>,
    key_field: Option<usize>,
    text: &'t str,
    place: Place,
) -> Result<(), Fault<'t>> {
    items.clear();
    let mut texts = Vec::new();
    read_items(text, place, make.ty().takes_parentheses(), |text, place| {
        let mut item = make.fresh();
        value::read(item.erased_mut(), text, place)?;
        items.push(item);
        if key_field.is_some() {
            texts.push(text);
        }
        Ok(())
    })?;
    check_keys(items, make.ty(), key_field, &texts)
}

pub(super) fn read_array<'t, H: Held>(
    items: &mut [H],
    make: impl Make<H>,
    text: &'t str,
    place: Place,
) -> Result<(), Fault<'t>> {
    let (mut count, expected) = (0, items.len());
    read_items(text, place, make.ty().takes_parentheses(), |text, place| {
        if let Some(item) = items.get_mut(count) {
            // Keys that an inline struct leaves out have their default, as in every other container.
            *item = make.fresh();
            value::read(item.erased_mut(), text, place)?;
        }
        count += 1;
        Ok(())
    })?;
    if count == expected {
        Ok(())
    } else {
        Err(Fault::new(Code::WrongCount, format!("{expected} items"), text).told(count.to_string()))
    }
}

pub(super) fn write(items: &[impl Held], out: &mut ValueWriter<'_>) {
    out.out.push(b'[');
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.raw(", ");
        }
        out.nested(|out| value::write(item.erased(), out));
    }
    out.out.push(b']');
}

pub(super) fn same<H: Held>(a: &[H], b: &[H]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| value::same(a.erased(), b.erased()))
}

pub(super) fn assign<H: Held>(to: &mut Vec<H>, from: &[H], make: impl Make<H>) {
    to.truncate(from.len());
    assign_array(to, from);
    for from in from.iter().skip(to.len()) {
        to.push(make.copy(from));
    }
}

pub(super) fn assign_array<H: Held>(to: &mut [H], from: &[H]) {
    for (to, from) in to.iter_mut().zip(from) {
        value::assign(to.erased_mut(), from.erased());
    }
}

pub(super) fn numbers(items: &[impl Held], each: &mut dyn FnMut(f64)) {
    items.iter().for_each(|item| value::for_each_number(item.erased(), each));
}

impl<T: PropertyValue> LeafType for Vec<T> {
    const NAME: &'static str = "Vec";
    const KIND: Kind = match T::KEY_FIELD {
        Some(key_field) => Kind::KeyedList { item: ItemType::of::<T>(), key_field },
        None => Kind::List { item: ItemType::of::<T>() },
    };

    fn fresh() -> Self {
        Self::new()
    }
}

impl<T: PropertyValue> Leaf for Vec<T> {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        read(self, Known, T::KEY_FIELD, text, place)
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        write(self, out);
    }

    fn same(&self, other: &Self) -> bool {
        same(self, other)
    }

    fn assign(&mut self, from: &Self) {
        assign(self, from, Known);
    }

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        numbers(self, each);
    }

    fn keyed(&self) -> Option<&dyn KeyedItems> {
        T::KEY_FIELD.map(|_| self as &dyn KeyedItems)
    }

    fn keyed_mut(&mut self) -> Option<&mut dyn KeyedItems> {
        T::KEY_FIELD.map(|_| self as &mut dyn KeyedItems)
    }
}

impl<T: PropertyValue, const N: usize> LeafType for [T; N] {
    const NAME: &'static str = "array";
    const KIND: Kind = Kind::Array { count: N, item: ItemType::of::<T>() };

    fn fresh() -> Self {
        core::array::from_fn(|_| T::default_value())
    }
}

impl<T: PropertyValue, const N: usize> Leaf for [T; N] {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        read_array(self, Known, text, place)
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        write(self, out);
    }

    fn same(&self, other: &Self) -> bool {
        same(self, other)
    }

    fn assign(&mut self, from: &Self) {
        assign_array(self, from);
    }

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        numbers(self, each);
    }
}
