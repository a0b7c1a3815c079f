//! Leaves of types that were made from a schema. The rules are those of the Rust types, called from here; what a Rust type knows by its
//! parameters, a made leaf takes from its own table.
//!
//! ```text
//! IndexMap<Mood, Vec<f32>>   MadeMap { make: { key: Mood, item: Vec<f32> }, map: IndexMap<MadeKey, Boxed> }
//!                                                                      Boxed ─► MadeList { ty, items: [Boxed ─► f32] }
//! ```
//!
//! Two differences from the program that wrote the schema, which only it can know: an adapter keeps its text as it is, and the keys of a
//! sorted map that are enums stand in the order of declaration.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use indexmap::IndexMap;

use super::data_enum::{self, Choice};
use super::held::{Held, Made, Make};
use super::keyed::{read_key, write_canonical};
use super::map::MakePair;
use super::unit_enum::{find_variant, unknown_variant, write_variant};
use super::{AssetRef, Fault, KeyedItems, Leaf, Place, ValueWriter, adapter, list, option, string};
use crate::class::{DataVariant, Kind, PropertyType, Variant};
use crate::mem::boxed::Boxed;
use crate::mem::made::{Described, MadeLeaf};
use crate::mem::{ErasedMut, ErasedRef};

/// The type of the items of a container; itself for every other type, which no container has.
fn item_of(ty: &'static PropertyType) -> &'static PropertyType {
    match *ty.kind() {
        Kind::List { item }
        | Kind::KeyedList { item, .. }
        | Kind::Array { item, .. }
        | Kind::Option { item }
        | Kind::Map { item, .. } => item.get(),
        _ => ty,
    }
}

/// Any number of items, with or without keys.
pub(crate) struct MadeList {
    ty: &'static PropertyType,
    pub(super) items: Vec<Boxed>,
}

impl MadeList {
    pub(super) fn make(&self) -> Made {
        Made(item_of(self.ty))
    }

    pub(super) fn key_field(&self) -> Option<usize> {
        match *self.ty.kind() {
            Kind::KeyedList { key_field, .. } => Some(key_field),
            _ => None,
        }
    }
}

impl MadeLeaf for MadeList {
    fn blank(ty: &'static PropertyType) -> Self {
        Self { ty, items: Vec::new() }
    }
}

impl Leaf for MadeList {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        let (make, key_field) = (self.make(), self.key_field());
        list::read(&mut self.items, make, key_field, text, place)
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        list::write(&self.items, out);
    }

    fn same(&self, other: &Self) -> bool {
        list::same(&self.items, &other.items)
    }

    fn assign(&mut self, from: &Self) {
        let make = self.make();
        list::assign(&mut self.items, &from.items, make);
    }

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        list::numbers(&self.items, each);
    }

    fn keyed(&self) -> Option<&dyn KeyedItems> {
        self.key_field().map(|_| self as &dyn KeyedItems)
    }

    fn keyed_mut(&mut self) -> Option<&mut dyn KeyedItems> {
        self.key_field().is_some().then_some(self as &mut dyn KeyedItems)
    }
}

/// A fixed number of items.
pub(crate) struct MadeArray {
    make: Made,
    items: Box<[Boxed]>,
}

impl MadeArray {
    fn of(ty: &'static PropertyType, make: fn(&'static PropertyType) -> Boxed) -> Self {
        let (item, count) = (item_of(ty), if let Kind::Array { count, .. } = *ty.kind() { count } else { 0 });
        Self { make: Made(item), items: (0..count).map(|_| make(item)).collect() }
    }
}

impl MadeLeaf for MadeArray {
    fn blank(ty: &'static PropertyType) -> Self {
        Self::of(ty, Boxed::blank)
    }

    fn fresh(ty: &'static PropertyType) -> Self {
        Self::of(ty, Boxed::fresh)
    }
}

impl Leaf for MadeArray {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        list::read_array(&mut self.items, self.make, text, place)
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        list::write(&self.items, out);
    }

    fn same(&self, other: &Self) -> bool {
        list::same(&self.items, &other.items)
    }

    fn assign(&mut self, from: &Self) {
        list::assign_array(&mut self.items, &from.items);
    }

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        list::numbers(&self.items, each);
    }
}

/// A value or none.
pub(crate) struct MadeOption {
    make: Made,
    value: Option<Boxed>,
}

impl MadeLeaf for MadeOption {
    fn blank(ty: &'static PropertyType) -> Self {
        Self { make: Made(item_of(ty)), value: None }
    }
}

impl Leaf for MadeOption {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        option::read(&mut self.value, self.make, text, place)
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        option::write(self.value.as_ref(), out);
    }

    fn same(&self, other: &Self) -> bool {
        option::same(self.value.as_ref(), other.value.as_ref())
    }

    fn assign(&mut self, from: &Self) {
        option::assign(&mut self.value, from.value.as_ref(), self.make);
    }

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        list::numbers(self.value.as_slice(), each);
    }
}

/// What a map of made types makes.
#[derive(Clone, Copy)]
pub(super) struct MadePair {
    key: &'static PropertyType,
    item: Made,
}

impl MadePair {
    fn of(ty: &'static PropertyType) -> Self {
        let key = if let Kind::Map { key, .. } = *ty.kind() { key.get() } else { ty };
        Self { key, item: Made(item_of(ty)) }
    }
}

impl Make<Boxed> for MadePair {
    fn ty(self) -> &'static PropertyType {
        self.item.0
    }

    fn fresh(self) -> Boxed {
        self.item.fresh()
    }

    fn copy(self, from: &Boxed) -> Boxed {
        from.copy()
    }
}

impl MakePair<MadeKey, Boxed> for MadePair {
    fn key<'t>(self, text: &'t str) -> Result<MadeKey, Fault<'t>> {
        Ok(MadeKey::new(read_key(Boxed::fresh(self.key), text)?))
    }

    fn copy_key(self, from: &MadeKey) -> MadeKey {
        MadeKey { order: from.order.clone(), value: from.value.copy() }
    }
}

/// A key with what it is compared by.
pub(super) struct MadeKey {
    order: Order,
    value: Boxed,
}

/// What keys are compared by.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Order {
    /// An integer below zero, or the place of a variant.
    Number(i128),
    /// An integer from 2¹²⁷ on.
    Large(u128),
    Text(String),
}

impl MadeKey {
    fn new(value: Boxed) -> Self {
        let mut text = Vec::new();
        write_canonical(value.as_ref(), &mut text);
        let text = String::from_utf8_lossy(&text);
        let order = match *value.as_ref().unwrapped().ty().kind() {
            Kind::Integer { .. } => match (text.parse(), text.parse()) {
                (Ok(number), _) => Order::Number(number),
                (_, Ok(number)) => Order::Large(number),
                _ => Order::Text(text.into_owned()),
            },
            Kind::Enum { variants } => {
                let name = adapter::plain_text(&text, Place::Line).unwrap_or_default();
                Order::Number(find_variant(variants, &name).map_or(-1, |index| index as i128))
            }
            _ => Order::Text(adapter::plain_text(&text, Place::Line).unwrap_or_default().into_owned()),
        };
        Self { order, value }
    }
}

impl Held for MadeKey {
    fn erased(&self) -> ErasedRef<'_> {
        self.value.as_ref()
    }

    fn erased_mut(&mut self) -> ErasedMut<'_> {
        self.value.as_mut()
    }
}

impl PartialEq for MadeKey {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl Eq for MadeKey {}

impl PartialOrd for MadeKey {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for MadeKey {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.order.cmp(&other.order)
    }
}

impl Hash for MadeKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.order.hash(state);
    }
}

/// Items by their keys, in the order of insertion.
pub(crate) struct MadeMap {
    pub(super) make: MadePair,
    pub(super) map: IndexMap<MadeKey, Boxed>,
}

impl MadeLeaf for MadeMap {
    fn blank(ty: &'static PropertyType) -> Self {
        Self { make: MadePair::of(ty), map: IndexMap::new() }
    }
}

/// Items by their keys, in the order of these.
pub(crate) struct MadeSortedMap {
    pub(super) make: MadePair,
    pub(super) map: BTreeMap<MadeKey, Boxed>,
}

impl MadeLeaf for MadeSortedMap {
    fn blank(ty: &'static PropertyType) -> Self {
        Self { make: MadePair::of(ty), map: BTreeMap::new() }
    }
}

/// One of several names.
#[derive(Clone, Copy)]
pub(crate) struct MadeVariant {
    ty: &'static PropertyType,
    index: usize,
}

impl MadeVariant {
    fn variants(self) -> &'static [Variant] {
        match *self.ty.kind() {
            Kind::Enum { variants } => variants,
            _ => &[],
        }
    }
}

impl MadeLeaf for MadeVariant {
    fn blank(ty: &'static PropertyType) -> Self {
        Self { ty, index: 0 }
    }
}

impl Leaf for MadeVariant {
    fn read<'t>(&mut self, text: &'t str, _: Place) -> Result<(), Fault<'t>> {
        let variants = self.variants();
        self.index = find_variant(variants, text).ok_or_else(|| unknown_variant(variants, text))?;
        Ok(())
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        write_variant(self.variants(), self.index, out);
    }

    fn same(&self, other: &Self) -> bool {
        self.index == other.index
    }

    fn assign(&mut self, from: &Self) {
        self.index = from.index;
    }
}

/// One of several variants with their data.
pub(crate) struct MadeChoice {
    ty: &'static PropertyType,
    variant: usize,
    /// A struct of the fields of the variant.
    data: Boxed,
}

impl MadeChoice {
    /// The type of what the variant at `index` holds, of the last one past the end.
    fn data_type(ty: &'static PropertyType, index: usize) -> (usize, &'static PropertyType) {
        let variants = ty.made().map_or(&[][..], |made| made.variants());
        let index = index.min(variants.len().saturating_sub(1));
        (index, variants.get(index).copied().unwrap_or(Described::of::<bool>()).ty())
    }
}

impl MadeLeaf for MadeChoice {
    fn blank(ty: &'static PropertyType) -> Self {
        Self { ty, variant: 0, data: Boxed::blank(Self::data_type(ty, 0).1) }
    }

    fn fresh(ty: &'static PropertyType) -> Self {
        Self { ty, variant: 0, data: Boxed::fresh(Self::data_type(ty, 0).1) }
    }
}

impl Choice for MadeChoice {
    fn variants(&self) -> &'static [DataVariant] {
        match *self.ty.kind() {
            Kind::DataEnum { variants } => variants,
            _ => &[],
        }
    }

    fn variant(&self) -> usize {
        self.variant
    }

    fn set_variant(&mut self, index: usize) {
        let (index, ty) = Self::data_type(self.ty, index);
        (self.variant, self.data) = (index, Boxed::fresh(ty));
    }

    fn set_blank(&mut self, index: usize) {
        let (index, ty) = Self::data_type(self.ty, index);
        (self.variant, self.data) = (index, Boxed::blank(ty));
    }

    fn field(&self, index: usize) -> Option<ErasedRef<'_>> {
        self.data.as_ref().field(index)
    }

    fn field_mut(&mut self, index: usize) -> Option<ErasedMut<'_>> {
        self.data.as_mut().field(index)
    }
}

impl Leaf for MadeChoice {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        data_enum::read(self, text, place)
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        data_enum::write(self, out);
    }

    fn same(&self, other: &Self) -> bool {
        data_enum::same(self, other)
    }

    fn assign(&mut self, from: &Self) {
        data_enum::assign(self, from);
    }

    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        data_enum::numbers(self, each);
    }
}

/// Text of a limited length.
pub(crate) struct MadeText {
    capacity: usize,
    text: String,
}

impl MadeLeaf for MadeText {
    fn blank(ty: &'static PropertyType) -> Self {
        let capacity = if let Kind::Text { capacity: Some(capacity) } = *ty.kind() { capacity } else { 0 };
        Self { capacity, text: String::new() }
    }
}

impl Leaf for MadeText {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        let Self { capacity, text: to } = self;
        to.clear();
        string::read_inline(text, place, *capacity, |piece| {
            let fits = piece.len() <= *capacity - to.len();
            if fits {
                to.push_str(piece);
            }
            fits
        })
    }

    fn scan(&mut self, text: &str) -> Option<usize> {
        let plain = string::plain_line(text).filter(|plain| plain.len() <= self.capacity)?;
        self.text.clear();
        self.text.push_str(plain);
        Some(plain.len())
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        string::write(&self.text, out);
    }

    fn same(&self, other: &Self) -> bool {
        self.text == other.text
    }

    fn assign(&mut self, from: &Self) {
        self.text.clone_from(&from.text);
    }
}

/// The path of an asset of a type that the program does not have.
pub(crate) type MadeAsset = AssetRef<AnyAsset>;

/// Stands for the type of an asset.
pub(crate) struct AnyAsset;

impl MadeLeaf for MadeAsset {
    fn blank(_: &'static PropertyType) -> Self {
        Self::NONE
    }
}

/// The text that a module of the program would turn into a value.
pub(crate) struct MadeAdapter(String);

impl MadeLeaf for MadeAdapter {
    fn blank(_: &'static PropertyType) -> Self {
        Self(String::new())
    }
}

impl Leaf for MadeAdapter {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        self.0 = adapter::plain_text(text, place)?.into_owned();
        Ok(())
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        adapter::write_adapted(&self.0, out);
    }

    fn same(&self, other: &Self) -> bool {
        self.0 == other.0
    }

    fn assign(&mut self, from: &Self) {
        self.0.clone_from(&from.0);
    }
}
