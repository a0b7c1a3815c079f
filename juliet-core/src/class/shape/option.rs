//! A value or `none`.

use super::{Fault, Leaf, Place, ValueWriter};
use crate::class::{Kind, PropertyType, value};
use crate::mem::{ErasedMut, ErasedRef, PropertyValue};

impl<T: PropertyValue> Leaf for Option<T> {
    const NAME: &'static str = "Option";
    const KIND: Kind = Kind::Option { item: type_of::<T> };

    fn fresh() -> Self {
        None
    }

    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        if text == "none" {
            *self = None;
            return Ok(());
        }
        // A fresh start: keys that the text leaves out have their default, whatever was there before.
        value::read(ErasedMut::new(self.insert(T::default_value())), text, place)
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        match self {
            None => out.raw("none"),
            Some(inner) => {
                let mut out = ValueWriter { out: out.out, place: out.place, in_option: true, blanks: out.blanks };
                value::write(ErasedRef::new(inner), &mut out);
            }
        }
    }

    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (None, None) => true,
            (Some(a), Some(b)) => value::same(ErasedRef::new(a), ErasedRef::new(b)),
            _ => false,
        }
    }

    fn assign(&mut self, from: &Self) {
        match from {
            None => *self = None,
            Some(from) => {
                value::assign(ErasedMut::new(self.insert(T::default_value())), ErasedRef::new(from));
            }
        }
    }

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        if let Some(inner) = self {
            value::for_each_number(ErasedRef::new(inner), each);
        }
    }
}

/// The description of `T`, as a function so that a type may contain itself through a list.
pub(super) fn type_of<T: PropertyValue>() -> &'static PropertyType {
    T::TYPE
}
