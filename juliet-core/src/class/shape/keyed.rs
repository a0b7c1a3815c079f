//! Items that have an identity: those of a map, or of a list whose item type marks a field as its key.
//!
//! ```text
//! Loot: { gold: 3, "two words": 1 }                 IndexMap<String, i32>, BTreeMap<String, i32>
//! Loot: [{ Name: gold, Count: 3 }]                  Vec<T>, where T marks `name` with #[jasset(key)]
//! Loot[gold].Count: 3                               one item, by its key
//! ```
//!
//! A key has one canonical text, the same in a line and inline: bare where that reads back, else quoted. Two keys are one key if their
//! canonical texts are the same.

use super::held::{Held, Known, Make};
use super::made::MadeList;
use super::{Fault, InlineString, Place, ValueWriter};
use crate::class::{PropertyType, value};
use crate::diag::Code;
use crate::mem::{ErasedMut, ErasedRef, PropertyValue};
use crate::text::{Pairs, is_invisible, write_string_quoted};

/// A type that a key can have: the keys of a map, and a field marked `#[jasset(key)]`.
///
/// Implemented for the types of this crate, and by `#[derive(Property)]` for enums without data and for newtypes of keys.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a key",
    label = "not a key",
    note = "keys: String, InlineString<N>, integers, char, enums without data with `#[derive(Property)]`, and newtypes of these"
)]
pub trait Key: PropertyValue {}

macro_rules! keys {
    ($($t:ty),* $(,)?) => { $(impl Key for $t {})* };
}

keys!(String, char, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

impl<const N: usize> Key for InlineString<N> {}

/// What [`KeyedItems::for_each`] calls: with what appends the canonical text of the key, and with the item.
pub type EachItem<'f, 'a> = dyn FnMut(&dyn Fn(&mut Vec<u8>), ErasedRef<'a>) + 'f;

/// Items that have an identity: those of a map, or of a list whose item type marks a field as its key. Order is kept.
///
/// Got from [`ErasedRef::keyed`] and [`ErasedMut::keyed`]. A list made by code may hold two items of one key; nothing here stumbles over
/// that, and reading such a text is a fault.
pub trait KeyedItems {
    /// The type of the items: the values of a map, the items of a list.
    fn item_type(&self) -> &'static PropertyType;
    /// The place of the key among the fields of [`item_type`](Self::item_type), of a list; `None` for a map.
    fn key_field(&self) -> Option<usize>;
    /// How many items there are.
    fn len(&self) -> usize;
    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Whether the keys say the order, as in a `BTreeMap`: it does not matter then which item was put in first.
    fn is_sorted(&self) -> bool {
        false
    }
    /// Appends the canonical text of the key at `index`, as it stands between `[` and `]`; nothing past the end. O(key), in a `BTreeMap`
    /// O(`index`).
    fn write_key(&self, index: usize, out: &mut Vec<u8>);
    /// The item at `index`; `None` past the end. O(1), in a `BTreeMap` O(`index`).
    fn item(&self, index: usize) -> Option<ErasedRef<'_>>;
    /// The same for writing. The key of a list's item is to be left alone.
    fn item_mut(&mut self, index: usize) -> Option<ErasedMut<'_>>;
    /// Calls `each` with every item in order, and with what writes its key. O(items).
    fn for_each<'a>(&'a self, each: &mut EachItem<'_, 'a>);
    /// Appends the canonical text of a key that stands in brackets or in braces, whether there is such an item or not. O(key).
    ///
    /// # Errors
    /// A [`Fault`] if `key` is no key of these items.
    fn canonical<'t>(&self, key: &'t str, out: &mut Vec<u8>) -> Result<(), Fault<'t>>;
    /// Where the item is whose key stands in the brackets, `None` if there is none. O(key) in an `IndexMap`, O(items) else; for many keys of
    /// one list take [`KeyIndex`].
    ///
    /// # Errors
    /// A [`Fault`] if `key` is no key of these items.
    fn find<'t>(&self, key: &'t str) -> Result<Option<usize>, Fault<'t>>;
    /// Where the item of this key is: the one that is there, or a new one with default values at the end, in a `BTreeMap` at its sorted
    /// place. Cost as of [`find`](Self::find).
    ///
    /// # Errors
    /// A [`Fault`] if `key` is no key of these items; nothing is inserted then.
    fn insert<'t>(&mut self, key: &'t str) -> Result<usize, Fault<'t>>;
    /// Like [`insert`](Self::insert), with the item itself: O(key) in an `IndexMap`, O(key · log items) in a `BTreeMap`. `is_new` says that
    /// no item has the key, so that a list need not look for it.
    ///
    /// # Errors
    /// As of [`insert`](Self::insert).
    fn get_or_insert<'t>(&mut self, key: &'t str, is_new: bool) -> Result<ErasedMut<'_>, Fault<'t>>;
    /// Takes the item at `index` out; the order of the rest is kept. Nothing past the end. O(items).
    fn remove(&mut self, index: usize);
    /// Takes out all items for which `keep`, called once for each index in order, says `false`. O(items).
    fn retain(&mut self, keep: &mut dyn FnMut(usize) -> bool);
}

/// Finds the items of a list or map by key without walking them: for readers of many lines that name items.
///
/// Made of some items and to be asked about the same ones; nothing else may insert or remove meanwhile, else it finds what was there before.
pub struct KeyIndex {
    places: Places,
}

/// Places by canonical text.
type Places = hashbrown::HashMap<Box<[u8]>, usize, foldhash::fast::RandomState>;

impl KeyIndex {
    /// The places of all items. Of two items with one key it is the first. O(items).
    #[must_use]
    pub fn new(items: &dyn KeyedItems) -> Self {
        let mut places = Places::with_capacity_and_hasher(items.len(), foldhash::fast::RandomState::default());
        let mut index = 0;
        items.for_each(&mut |write_key, _| {
            let mut key = Vec::new();
            write_key(&mut key);
            places.entry(key.into_boxed_slice()).or_insert(index);
            index += 1;
        });
        Self { places }
    }

    /// Where the item is whose key stands in the brackets. O(key).
    ///
    /// # Errors
    /// As of [`KeyedItems::find`].
    pub fn find<'t>(&self, items: &dyn KeyedItems, key: &'t str) -> Result<Option<usize>, Fault<'t>> {
        let mut canonical = Vec::new();
        items.canonical(key, &mut canonical)?;
        Ok(self.places.get(&*canonical).copied())
    }

    /// The item of this key, a new one if there is none. O(key); O(key · log items) in a `BTreeMap`.
    ///
    /// # Errors
    /// As of [`KeyedItems::insert`].
    pub fn get_or_insert<'i, 't>(
        &mut self,
        items: &'i mut dyn KeyedItems,
        key: &'t str,
    ) -> Result<ErasedMut<'i>, Fault<'t>> {
        let mut canonical = Vec::new();
        items.canonical(key, &mut canonical)?;
        let end = items.len();
        match self.places.get(&*canonical) {
            // A list knows its items by place alone; a map by key, and places in a sorted one move.
            Some(&place) if items.key_field().is_some() && place < end => match items.item_mut(place) {
                Some(item) => Ok(item),
                None => Err(no_key(key)),
            },
            Some(_) => items.get_or_insert(key, false),
            None => {
                self.places.insert(canonical.into_boxed_slice(), end);
                items.get_or_insert(key, true)
            }
        }
    }
}

/// Appends the canonical text of a key.
pub(crate) fn write_canonical(key: ErasedRef<'_>, out: &mut Vec<u8>) {
    let start = out.len();
    value::write(key, &mut ValueWriter { out, place: Place::Nested(1), in_option: false, blanks: false });
    let written = String::from_utf8_lossy(&out[start..]);
    if !written.starts_with('"') && written.contains(|c| c == ' ' || is_invisible(c)) {
        let text = written.into_owned();
        out.truncate(start);
        write_string_quoted(&text, out);
    }
}

/// Reads a key of a map into `key`, which is fresh.
pub(super) fn read_key<'t, H: Held>(mut key: H, text: &'t str) -> Result<H, Fault<'t>> {
    value::read(key.erased_mut(), text, Place::Nested(1))?;
    Ok(key)
}

#[cold]
pub(super) fn duplicate(key: &str) -> Fault<'_> {
    Fault::new(Code::DuplicateKey, "each key once", key)
}

/// A list without keys was asked for one.
#[cold]
fn no_key(text: &str) -> Fault<'_> {
    Fault::new(Code::Mismatch, "no key: the items of this list have none", text)
}

/// Refuses the second of two items of type `ty` with one key, at its key. `texts` holds what each item was read from.
pub(super) fn check_keys<'t>(
    items: &[impl Held],
    ty: &'static PropertyType,
    key_field: Option<usize>,
    texts: &[&'t str],
) -> Result<(), Fault<'t>> {
    let Some(field) = key_field.filter(|_| items.len() > 1) else { return Ok(()) };
    let mut seen = hashbrown::HashSet::with_capacity_and_hasher(items.len(), foldhash::fast::RandomState::default());
    for (item, text) in items.iter().zip(texts) {
        let mut key = Vec::new();
        if let Some(value) = item.erased().field(field) {
            write_canonical(value, &mut key);
        }
        if !seen.insert(key) {
            return Err(duplicate(key_text(ty, field, text)));
        }
    }
    Ok(())
}

/// The text of the key in the text of an item, all of it if the key is left out.
#[cold]
fn key_text<'t>(ty: &PropertyType, field: usize, text: &'t str) -> &'t str {
    let pairs = Pairs::new(text).into_iter().flatten().flatten();
    let named = |name: &str| ty.fields().get(field).is_some_and(|field| field.is_named(name));
    pairs.filter(|(name, _)| named(name)).map(|(_, key)| key).next().unwrap_or(text)
}

/// The methods of a list: `$items` are in a `Vec`, `$make` makes another one, `$field` is the place of the key among their fields.
macro_rules! keyed_list {
    ($self:ident, $items:expr, $make:expr, $field:expr) => {
        fn item_type(&$self) -> &'static PropertyType {
            item_type(&$items, $make)
        }

        fn key_field(&$self) -> Option<usize> {
            $field
        }

        fn len(&$self) -> usize {
            $items.len()
        }

        fn write_key(&$self, index: usize, out: &mut Vec<u8>) {
            if let (Some(item), Some(field)) = ($items.get(index), $field) {
                write_key_of(item, field, out);
            }
        }

        fn item(&$self, index: usize) -> Option<ErasedRef<'_>> {
            $items.get(index).map(Held::erased)
        }

        fn item_mut(&mut $self, index: usize) -> Option<ErasedMut<'_>> {
            $items.get_mut(index).map(Held::erased_mut)
        }

        fn for_each<'a>(&'a $self, each: &mut EachItem<'_, 'a>) {
            for (index, item) in $items.iter().enumerate() {
                each(&|out| KeyedItems::write_key($self, index, out), item.erased());
            }
        }

        fn canonical<'t>(&$self, key: &'t str, out: &mut Vec<u8>) -> Result<(), Fault<'t>> {
            let item = with_key(&$items, $make, $field, key)?;
            if let Some(field) = $field {
                write_key_of(&item, field, out);
            }
            Ok(())
        }

        fn find<'t>(&$self, key: &'t str) -> Result<Option<usize>, Fault<'t>> {
            Ok(place_of(&$items, $field, &with_key(&$items, $make, $field, key)?))
        }

        fn insert<'t>(&mut $self, key: &'t str) -> Result<usize, Fault<'t>> {
            let (make, field) = ($make, $field);
            insert(&mut $items, make, field, key, false)
        }

        fn get_or_insert<'t>(&mut $self, key: &'t str, is_new: bool) -> Result<ErasedMut<'_>, Fault<'t>> {
            let (make, field) = ($make, $field);
            let place = insert(&mut $items, make, field, key, is_new)?;
            Ok($items[place].erased_mut())
        }

        fn remove(&mut $self, index: usize) {
            if index < $items.len() {
                Vec::remove(&mut $items, index);
            }
        }

        fn retain(&mut $self, keep: &mut dyn FnMut(usize) -> bool) {
            let mut index = 0;
            Vec::retain(&mut $items, |_| {
                index += 1;
                keep(index - 1)
            });
        }
    };
}

/// A list; of use only if its items have a key.
impl<T: PropertyValue> KeyedItems for Vec<T> {
    keyed_list!(self, *self, Known, T::KEY_FIELD);
}

/// A list of items that a schema describes; of use only if they have a key.
impl KeyedItems for MadeList {
    keyed_list!(self, self.items, self.make(), self.key_field());
}

fn item_type<H>(_: &[H], make: impl Make<H>) -> &'static PropertyType {
    make.ty()
}

fn write_key_of(item: &impl Held, field: usize, out: &mut Vec<u8>) {
    if let Some(key) = item.erased().field(field) {
        write_canonical(key, out);
    }
}

/// A new item of a list with the key that `text` says.
fn with_key<'t, H: Held>(_: &[H], make: impl Make<H>, field: Option<usize>, text: &'t str) -> Result<H, Fault<'t>> {
    let mut item = make.fresh();
    match field.and_then(|field| item.erased_mut().field(field)) {
        Some(key) => value::read(key, text, Place::Nested(1))?,
        None => return Err(no_key(text)),
    }
    Ok(item)
}

/// Where the first item with the key of `like` is.
fn place_of<H: Held>(items: &[H], field: Option<usize>, like: &H) -> Option<usize> {
    let field = field?;
    let key = like.erased().field(field)?;
    items.iter().position(|item| item.erased().field(field).is_some_and(|other| value::same(other, key)))
}

/// Where the item with this key is; a new one at the end if there is none, or `is_new` says so.
fn insert<'t, H: Held>(
    items: &mut Vec<H>,
    make: impl Make<H>,
    field: Option<usize>,
    key: &'t str,
    is_new: bool,
) -> Result<usize, Fault<'t>> {
    let item = with_key(items, make, field, key)?;
    let place = if is_new { None } else { place_of(items, field, &item) };
    Ok(place.unwrap_or_else(|| {
        items.push(item);
        items.len() - 1
    }))
}

#[cfg(test)]
mod tests;
