//! Maps: `{ key: value, … }`, in the order of insertion ([`IndexMap`]) or of the keys (`BTreeMap`).
//!
//! The order is a part of the value: two maps are the same only if their items come in the same order. A key twice in a text is a fault at
//! the second one. Reading is linear, in a `BTreeMap` items · log items.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash};

use indexmap::IndexMap;

use super::keyed::{EachItem, duplicate, read_key, write_canonical};
use super::option::type_of;
use super::{Fault, Key, KeyedItems, Leaf, Place, ValueWriter};
use crate::class::{Kind, PropertyType, value};
use crate::mem::{ErasedMut, ErasedRef, PropertyValue};
use crate::text::Pairs;

/// Reads one pair after the other; `insert` says whether the key is new.
fn read_pairs<'t, K: Key, V: PropertyValue>(
    text: &'t str,
    place: Place,
    mut insert: impl FnMut(K, V) -> bool,
) -> Result<(), Fault<'t>> {
    let Some(inner) = place.inner() else { return Err(Fault::too_deep(text)) };
    for pair in Pairs::new_map(text, V::TYPE.takes_parentheses()).map_err(Fault::from)? {
        let (name, text) = pair?;
        let key = read_key::<K>(name)?;
        let mut item = V::default_value();
        value::read(ErasedMut::new(&mut item), text, inner)?;
        if !insert(key, item) {
            return Err(duplicate(name));
        }
    }
    Ok(())
}

fn write_pairs<'a, K: Key, V: PropertyValue>(pairs: impl Iterator<Item = (&'a K, &'a V)>, out: &mut ValueWriter<'_>) {
    out.out.push(b'{');
    let mut first = true;
    for (key, item) in pairs {
        out.raw(if first { " " } else { ", " });
        first = false;
        write_canonical(ErasedRef::new(key), out.out);
        out.raw(": ");
        out.nested(|out| value::write(ErasedRef::new(item), out));
    }
    out.raw(if first { "}" } else { " }" });
}

fn same_pairs<'a, K: Key, V: PropertyValue>(
    a: impl ExactSizeIterator<Item = (&'a K, &'a V)>,
    b: impl ExactSizeIterator<Item = (&'a K, &'a V)>,
) -> bool {
    a.len() == b.len()
        && a.zip(b).all(|(a, b)| {
            value::same(ErasedRef::new(a.0), ErasedRef::new(b.0))
                && value::same(ErasedRef::new(a.1), ErasedRef::new(b.1))
        })
}

/// A copy of a value.
fn copy<T: PropertyValue>(from: &T) -> T {
    let mut copy = T::default_value();
    value::assign(ErasedMut::new(&mut copy), ErasedRef::new(from));
    copy
}

/// Copies a map: item by item where both have the same keys in one order, else anew in the memory that is there.
macro_rules! assign_pairs {
    ($to:ident, $from:ident) => {
        let keys = |map: &Self| map.keys().map(ErasedRef::new).len();
        let one_order = keys($to) == keys($from)
            && $to.keys().zip($from.keys()).all(|(a, b)| value::same(ErasedRef::new(a), ErasedRef::new(b)));
        if one_order {
            for (to, from) in $to.values_mut().zip($from.values()) {
                value::assign(ErasedMut::new(to), ErasedRef::new(from));
            }
        } else {
            $to.clear();
            $to.extend($from.iter().map(|(key, item)| (copy(key), copy(item))));
        }
    };
}

/// The methods that both maps have in the same words.
macro_rules! common {
    () => {
        fn item_type(&self) -> &'static PropertyType {
            V::TYPE
        }

        fn key_field(&self) -> Option<usize> {
            None
        }

        fn len(&self) -> usize {
            Self::len(self)
        }

        fn for_each<'a>(&'a self, each: &mut EachItem<'_, 'a>) {
            for (key, item) in self {
                each(&|out| write_canonical(ErasedRef::new(key), out), ErasedRef::new(item));
            }
        }

        fn canonical<'t>(&self, key: &'t str, out: &mut Vec<u8>) -> Result<(), Fault<'t>> {
            write_canonical(ErasedRef::new(&read_key::<K>(key)?), out);
            Ok(())
        }

        fn get_or_insert<'t>(&mut self, key: &'t str, _: bool) -> Result<ErasedMut<'_>, Fault<'t>> {
            Ok(ErasedMut::new(self.entry(read_key::<K>(key)?).or_insert_with(V::default_value)))
        }

        fn retain(&mut self, keep: &mut dyn FnMut(usize) -> bool) {
            let mut index = 0;
            Self::retain(self, |_, _| {
                index += 1;
                keep(index - 1)
            });
        }
    };
}

impl<K: Key + Hash + Eq, V: PropertyValue, S: BuildHasher + Default + Send + Sync + 'static> Leaf
    for IndexMap<K, V, S>
{
    const NAME: &'static str = "IndexMap";
    const KIND: Kind = Kind::Map { key: type_of::<K>, item: type_of::<V> };

    fn fresh() -> Self {
        Self::default()
    }

    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        self.clear();
        read_pairs(text, place, |key, item| self.insert(key, item).is_none())
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        write_pairs(self.iter(), out);
    }

    fn same(&self, other: &Self) -> bool {
        same_pairs(self.iter(), other.iter())
    }

    fn assign(&mut self, from: &Self) {
        assign_pairs!(self, from);
    }

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        self.values().for_each(|item| value::for_each_number(ErasedRef::new(item), each));
    }

    fn keyed(&self) -> Option<&dyn KeyedItems> {
        Some(self)
    }

    fn keyed_mut(&mut self) -> Option<&mut dyn KeyedItems> {
        Some(self)
    }
}

impl<K: Key + Hash + Eq, V: PropertyValue, S: BuildHasher + Default + Send + Sync + 'static> KeyedItems
    for IndexMap<K, V, S>
{
    common!();

    fn write_key(&self, index: usize, out: &mut Vec<u8>) {
        if let Some((key, _)) = self.get_index(index) {
            write_canonical(ErasedRef::new(key), out);
        }
    }

    fn item(&self, index: usize) -> Option<ErasedRef<'_>> {
        self.get_index(index).map(|(_, item)| ErasedRef::new(item))
    }

    fn item_mut(&mut self, index: usize) -> Option<ErasedMut<'_>> {
        self.get_index_mut(index).map(|(_, item)| ErasedMut::new(item))
    }

    fn find<'t>(&self, key: &'t str) -> Result<Option<usize>, Fault<'t>> {
        Ok(self.get_index_of(&read_key::<K>(key)?))
    }

    fn insert<'t>(&mut self, key: &'t str) -> Result<usize, Fault<'t>> {
        let entry = self.entry(read_key::<K>(key)?);
        let index = entry.index();
        entry.or_insert_with(V::default_value);
        Ok(index)
    }

    fn remove(&mut self, index: usize) {
        self.shift_remove_index(index);
    }
}

impl<K: Key + Ord, V: PropertyValue> Leaf for BTreeMap<K, V> {
    const NAME: &'static str = "BTreeMap";
    const KIND: Kind = Kind::Map { key: type_of::<K>, item: type_of::<V> };

    fn fresh() -> Self {
        Self::new()
    }

    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        self.clear();
        read_pairs(text, place, |key, item| self.insert(key, item).is_none())
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        write_pairs(self.iter(), out);
    }

    fn same(&self, other: &Self) -> bool {
        same_pairs(self.iter(), other.iter())
    }

    fn assign(&mut self, from: &Self) {
        assign_pairs!(self, from);
    }

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        self.values().for_each(|item| value::for_each_number(ErasedRef::new(item), each));
    }

    fn keyed(&self) -> Option<&dyn KeyedItems> {
        Some(self)
    }

    fn keyed_mut(&mut self) -> Option<&mut dyn KeyedItems> {
        Some(self)
    }
}

impl<K: Key + Ord, V: PropertyValue> KeyedItems for BTreeMap<K, V> {
    common!();

    fn is_sorted(&self) -> bool {
        true
    }

    fn write_key(&self, index: usize, out: &mut Vec<u8>) {
        if let Some(key) = self.keys().nth(index) {
            write_canonical(ErasedRef::new(key), out);
        }
    }

    fn item(&self, index: usize) -> Option<ErasedRef<'_>> {
        self.values().nth(index).map(ErasedRef::new)
    }

    fn item_mut(&mut self, index: usize) -> Option<ErasedMut<'_>> {
        self.values_mut().nth(index).map(ErasedMut::new)
    }

    fn find<'t>(&self, key: &'t str) -> Result<Option<usize>, Fault<'t>> {
        let key = read_key::<K>(key)?;
        Ok(self.contains_key(&key).then(|| self.range(..key).count()))
    }

    fn insert<'t>(&mut self, key: &'t str) -> Result<usize, Fault<'t>> {
        self.get_or_insert(key, false)?;
        Ok(self.find(key)?.unwrap_or_default())
    }

    fn remove(&mut self, index: usize) {
        KeyedItems::retain(self, &mut |other| other != index);
    }
}
