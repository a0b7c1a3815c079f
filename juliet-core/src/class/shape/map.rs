//! Maps: `{ key: value, … }`, in the order of insertion ([`IndexMap`]) or of the keys (`BTreeMap`).
//!
//! The order is a part of the value: two maps are the same only if their items come in the same order. A key twice in a text is a fault at
//! the second one. Reading is linear, in a `BTreeMap` items · log items.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash};

use indexmap::IndexMap;

use super::held::{Held, Known, Make};
use super::keyed::{EachItem, duplicate, read_key, write_canonical};
use super::made::{MadeMap, MadeSortedMap};
use super::{Fault, Key, KeyedItems, Leaf, LeafType, Place, ValueWriter};
use crate::class::{ItemType, Kind, PropertyType, value};
use crate::mem::{ErasedMut, ErasedRef, PropertyValue};
use crate::text::Pairs;

/// Makes the keys and items of a map.
pub(super) trait MakePair<K, V>: Make<V> {
    /// The key that `text` says.
    fn key<'t>(self, text: &'t str) -> Result<K, Fault<'t>>;
    /// A key like another.
    fn copy_key(self, from: &K) -> K;
}

impl<K: Key, V: PropertyValue> MakePair<K, V> for Known {
    fn key<'t>(self, text: &'t str) -> Result<K, Fault<'t>> {
        read_key(K::default_value(), text)
    }

    fn copy_key(self, from: &K) -> K {
        self.copy(from)
    }
}

/// Reads one pair after the other; `insert` says whether the key is new.
fn read_pairs<'t, K, V: Held>(
    make: impl MakePair<K, V>,
    text: &'t str,
    place: Place,
    mut insert: impl FnMut(K, V) -> bool,
) -> Result<(), Fault<'t>> {
    let Some(inner) = place.inner() else { return Err(Fault::too_deep(text)) };
    for pair in Pairs::new_map(text, make.ty().takes_parentheses()).map_err(Fault::from)? {
        let (name, text) = pair?;
        let key = make.key(name)?;
        let mut item = make.fresh();
        value::read(item.erased_mut(), text, inner)?;
        if !insert(key, item) {
            return Err(duplicate(name));
        }
    }
    Ok(())
}

fn write_pairs<'a, K: Held + 'a, V: Held + 'a>(pairs: impl Iterator<Item = (&'a K, &'a V)>, out: &mut ValueWriter<'_>) {
    out.out.push(b'{');
    let mut first = true;
    for (key, item) in pairs {
        out.raw(if first { " " } else { ", " });
        first = false;
        write_canonical(key.erased(), out.out);
        out.raw(": ");
        out.nested(|out| value::write(item.erased(), out));
    }
    out.raw(if first { "}" } else { " }" });
}

fn same_pairs<'a, K: Held + 'a, V: Held + 'a>(
    a: impl ExactSizeIterator<Item = (&'a K, &'a V)>,
    b: impl ExactSizeIterator<Item = (&'a K, &'a V)>,
) -> bool {
    a.len() == b.len()
        && a.zip(b).all(|(a, b)| value::same(a.0.erased(), b.0.erased()) && value::same(a.1.erased(), b.1.erased()))
}

fn copies<'a, K: 'a, V: 'a>(
    pairs: impl Iterator<Item = (&'a K, &'a V)>,
    make: impl MakePair<K, V>,
) -> impl Iterator<Item = (K, V)> {
    pairs.map(move |(key, item)| (make.copy_key(key), make.copy(item)))
}

/// What every map does as a value: `$map` is an `IndexMap` or a `BTreeMap`, `$make` makes what is in it.
macro_rules! leaf {
    ($self:ident, $map:expr, $make:expr, $other:ident => $theirs:expr) => {
        fn read<'t>(&mut $self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
            $map.clear();
            read_pairs($make, text, place, |key, item| $map.insert(key, item).is_none())
        }

        fn write(&$self, out: &mut ValueWriter<'_>) {
            write_pairs($map.iter(), out);
        }

        fn same(&$self, $other: &Self) -> bool {
            same_pairs($map.iter(), $theirs.iter())
        }

        /// Item by item where both have the same keys in one order, else anew in the memory that is there.
        fn assign(&mut $self, $other: &Self) {
            let one_order = $map.len() == $theirs.len()
                && $map.keys().zip($theirs.keys()).all(|(a, b)| value::same(a.erased(), b.erased()));
            if one_order {
                for (to, from) in $map.values_mut().zip($theirs.values()) {
                    value::assign(to.erased_mut(), from.erased());
                }
            } else {
                let make = $make;
                $map.clear();
                $map.extend(copies($theirs.iter(), make));
            }
        }

        fn numbers(&$self, each: &mut dyn FnMut(f64)) {
            $map.values().for_each(|item| value::for_each_number(item.erased(), each));
        }

        fn keyed(&$self) -> Option<&dyn KeyedItems> {
            Some($self)
        }

        fn keyed_mut(&mut $self) -> Option<&mut dyn KeyedItems> {
            Some($self)
        }
    };
}

/// What both maps do with their items in the same words.
macro_rules! items {
    ($self:ident, $map:expr, $make:expr) => {
        fn item_type(&$self) -> &'static PropertyType {
            item_type($map.values(), $make)
        }

        fn key_field(&$self) -> Option<usize> {
            None
        }

        fn len(&$self) -> usize {
            $map.len()
        }

        fn for_each<'a>(&'a $self, each: &mut EachItem<'_, 'a>) {
            for (key, item) in $map.iter() {
                each(&|out| write_canonical(key.erased(), out), item.erased());
            }
        }

        fn canonical<'t>(&$self, key: &'t str, out: &mut Vec<u8>) -> Result<(), Fault<'t>> {
            write_canonical(key_of($map.iter(), $make, key)?.erased(), out);
            Ok(())
        }

        fn get_or_insert<'t>(&mut $self, key: &'t str, _: bool) -> Result<ErasedMut<'_>, Fault<'t>> {
            let make = $make;
            let key = key_of($map.iter(), make, key)?;
            Ok($map.entry(key).or_insert_with(|| make.fresh()).erased_mut())
        }

        fn retain(&mut $self, keep: &mut dyn FnMut(usize) -> bool) {
            let mut index = 0;
            $map.retain(|_, _| {
                index += 1;
                keep(index - 1)
            });
        }
    };
}

/// The items of an `IndexMap`.
macro_rules! index_items {
    ($self:ident, $map:expr, $make:expr) => {
        items!($self, $map, $make);

        fn write_key(&$self, index: usize, out: &mut Vec<u8>) {
            if let Some((key, _)) = $map.get_index(index) {
                write_canonical(key.erased(), out);
            }
        }

        fn item(&$self, index: usize) -> Option<ErasedRef<'_>> {
            $map.get_index(index).map(|(_, item)| item.erased())
        }

        fn item_mut(&mut $self, index: usize) -> Option<ErasedMut<'_>> {
            $map.get_index_mut(index).map(|(_, item)| item.erased_mut())
        }

        fn find<'t>(&$self, key: &'t str) -> Result<Option<usize>, Fault<'t>> {
            Ok($map.get_index_of(&key_of($map.iter(), $make, key)?))
        }

        fn insert<'t>(&mut $self, key: &'t str) -> Result<usize, Fault<'t>> {
            let make = $make;
            let key = key_of($map.iter(), make, key)?;
            let entry = $map.entry(key);
            let index = entry.index();
            entry.or_insert_with(|| make.fresh());
            Ok(index)
        }

        fn remove(&mut $self, index: usize) {
            $map.shift_remove_index(index);
        }
    };
}

/// The items of a `BTreeMap`.
macro_rules! sorted_items {
    ($self:ident, $map:expr, $make:expr) => {
        items!($self, $map, $make);

        fn is_sorted(&$self) -> bool {
            true
        }

        fn write_key(&$self, index: usize, out: &mut Vec<u8>) {
            if let Some(key) = $map.keys().nth(index) {
                write_canonical(key.erased(), out);
            }
        }

        fn item(&$self, index: usize) -> Option<ErasedRef<'_>> {
            $map.values().nth(index).map(Held::erased)
        }

        fn item_mut(&mut $self, index: usize) -> Option<ErasedMut<'_>> {
            $map.values_mut().nth(index).map(Held::erased_mut)
        }

        fn find<'t>(&$self, key: &'t str) -> Result<Option<usize>, Fault<'t>> {
            let key = key_of($map.iter(), $make, key)?;
            Ok($map.contains_key(&key).then(|| $map.range(..key).count()))
        }

        fn insert<'t>(&mut $self, key: &'t str) -> Result<usize, Fault<'t>> {
            KeyedItems::get_or_insert($self, key, false)?;
            Ok(KeyedItems::find($self, key)?.unwrap_or_default())
        }

        fn remove(&mut $self, index: usize) {
            KeyedItems::retain($self, &mut |other| other != index);
        }
    };
}

/// What `make` makes for a map of `_` items.
fn item_type<'a, V: 'a>(_: impl Iterator<Item = &'a V>, make: impl Make<V>) -> &'static PropertyType {
    make.ty()
}

/// A key for a map of `_` pairs.
fn key_of<'a, 't, K: 'a, V: 'a>(
    _: impl Iterator<Item = (&'a K, &'a V)>,
    make: impl MakePair<K, V>,
    text: &'t str,
) -> Result<K, Fault<'t>> {
    make.key(text)
}

impl<K: Key + Hash + Eq, V: PropertyValue, S: BuildHasher + Default + Send + Sync + 'static> LeafType
    for IndexMap<K, V, S>
{
    const NAME: &'static str = "IndexMap";
    const KIND: Kind = Kind::Map { key: ItemType::of::<K>(), item: ItemType::of::<V>() };

    fn fresh() -> Self {
        Self::default()
    }
}

impl<K: Key + Hash + Eq, V: PropertyValue, S: BuildHasher + Default + Send + Sync + 'static> Leaf
    for IndexMap<K, V, S>
{
    leaf!(self, *self, Known, from => *from);
}

impl<K: Key + Hash + Eq, V: PropertyValue, S: BuildHasher + Default + Send + Sync + 'static> KeyedItems
    for IndexMap<K, V, S>
{
    index_items!(self, *self, Known);
}

impl<K: Key + Ord, V: PropertyValue> LeafType for BTreeMap<K, V> {
    const NAME: &'static str = "BTreeMap";
    const KIND: Kind = Kind::Map { key: ItemType::of::<K>(), item: ItemType::of::<V>() };

    fn fresh() -> Self {
        Self::new()
    }
}

impl<K: Key + Ord, V: PropertyValue> Leaf for BTreeMap<K, V> {
    leaf!(self, *self, Known, from => *from);
}

impl<K: Key + Ord, V: PropertyValue> KeyedItems for BTreeMap<K, V> {
    sorted_items!(self, *self, Known);
}

impl Leaf for MadeMap {
    leaf!(self, self.map, self.make, from => from.map);
}

impl KeyedItems for MadeMap {
    index_items!(self, self.map, self.make);
}

impl Leaf for MadeSortedMap {
    leaf!(self, self.map, self.make, from => from.map);
}

impl KeyedItems for MadeSortedMap {
    sorted_items!(self, self.map, self.make);
}
