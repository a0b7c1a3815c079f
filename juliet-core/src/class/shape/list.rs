//! Lists and arrays: items in brackets.

use super::keyed::check_keys;
use super::option::type_of;
use super::{Fault, KeyedItems, Leaf, Place, ValueWriter};
use crate::class::{Kind, value};
use crate::diag::Code;
use crate::mem::{ErasedMut, ErasedRef, PropertyValue};
use crate::text::Items;

/// Reads one item after the other into what `next` gives for it.
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

fn write_items<T: PropertyValue>(items: &[T], out: &mut ValueWriter<'_>) {
    out.out.push(b'[');
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            out.raw(", ");
        }
        out.nested(|out| value::write(ErasedRef::new(item), out));
    }
    out.out.push(b']');
}

fn same_items<T: PropertyValue>(a: &[T], b: &[T]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| value::same(ErasedRef::new(a), ErasedRef::new(b)))
}

impl<T: PropertyValue> Leaf for Vec<T> {
    const NAME: &'static str = "Vec";
    const KIND: Kind = match T::KEY_FIELD {
        Some(key_field) => Kind::KeyedList { item: type_of::<T>, key_field },
        None => Kind::List { item: type_of::<T> },
    };

    fn fresh() -> Self {
        Self::new()
    }

    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        self.clear();
        let mut texts = Vec::new();
        read_items(text, place, T::TYPE.takes_parentheses(), |text, place| {
            let mut item = T::default_value();
            value::read(ErasedMut::new(&mut item), text, place)?;
            self.push(item);
            if T::KEY_FIELD.is_some() {
                texts.push(text);
            }
            Ok(())
        })?;
        check_keys(self, &texts)
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        write_items(self, out);
    }

    fn same(&self, other: &Self) -> bool {
        same_items(self, other)
    }

    fn assign(&mut self, from: &Self) {
        self.truncate(from.len());
        for (i, from) in from.iter().enumerate() {
            if i == self.len() {
                self.push(T::default_value());
            }
            value::assign(ErasedMut::new(&mut self[i]), ErasedRef::new(from));
        }
    }

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        self.iter().for_each(|item| value::for_each_number(ErasedRef::new(item), each));
    }

    fn keyed(&self) -> Option<&dyn KeyedItems> {
        T::KEY_FIELD.map(|_| self as &dyn KeyedItems)
    }

    fn keyed_mut(&mut self) -> Option<&mut dyn KeyedItems> {
        T::KEY_FIELD.map(|_| self as &mut dyn KeyedItems)
    }
}

impl<T: PropertyValue, const N: usize> Leaf for [T; N] {
    const NAME: &'static str = "array";
    const KIND: Kind = Kind::Array { count: N, item: type_of::<T> };

    fn fresh() -> Self {
        core::array::from_fn(|_| T::default_value())
    }

    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        let mut count = 0;
        read_items(text, place, T::TYPE.takes_parentheses(), |text, place| {
            if let Some(item) = self.get_mut(count) {
                // Keys that an inline struct leaves out have their default, as in every other container.
                *item = T::default_value();
                value::read(ErasedMut::new(item), text, place)?;
            }
            count += 1;
            Ok(())
        })?;
        if count == N {
            Ok(())
        } else {
            Err(Fault::new(Code::WrongCount, format!("{N} items"), text).told(count.to_string()))
        }
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        write_items(self, out);
    }

    fn same(&self, other: &Self) -> bool {
        same_items(self, other)
    }

    fn assign(&mut self, from: &Self) {
        for (to, from) in self.iter_mut().zip(from) {
            value::assign(ErasedMut::new(to), ErasedRef::new(from));
        }
    }

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        self.iter().for_each(|item| value::for_each_number(ErasedRef::new(item), each));
    }
}
