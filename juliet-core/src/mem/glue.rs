//! The function pointers behind a type, and the types this crate knows.
//!
//! [`PropertyValue`] is the door: its `TYPE` is trusted by everything in [`erased`](super::erased), so implementing it is `unsafe` and
//! left to the derive macro and to this file. The functions themselves are the safe methods of [`Leaf`], wrapped once per type.
#![expect(unsafe_code, reason = "wraps safe functions for erased pointers")]

use core::ptr::NonNull;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hash};

use arrayvec::ArrayString;
use indexmap::IndexMap;

use crate::class::shape::{
    self, Adapter, AssetRef, Color, DataEnum, EntityRef, Fault, Key, KeyedItems, Leaf, LeafType, Place, UnitEnum,
    ValueWriter,
};
use crate::class::{Class, Kind, PropertyType, TypeOf};

/// A type that a property can have: scalars, strings, vectors, references, lists, and every type with `#[derive(Property)]`.
///
/// Implemented by `#[derive(Property)]`, never by hand. For a type of another crate use `#[jasset(with = "module")]` on the field.
///
/// # Safety
/// `TYPE` describes `Self`: its size, alignment, type id and functions are those of `Self`, and each of its fields lies at the offset it
/// names and has the type it names. It is blittable only if a copy of the bytes of a value is another value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type a property can have",
    label = "not a property type",
    note = "property types: bool, integers, f32, f64, char, String, InlineString<N>, glam vectors and Quat, Color, AssetRef<T>, EntityRef, [T; N], Vec<T>, Option<T>, IndexMap<K, V>, BTreeMap<K, V>",
    note = "a `HashMap` keeps no order, so that its text would change from save to save: use `juliet::IndexMap` or `BTreeMap`",
    note = "a type of your own needs `#[derive(Property)]`; one of another crate `#[jasset(with = \"module\")]` on the field; a runtime-only field `#[jasset(skip)]`"
)]
pub unsafe trait PropertyValue: Sized + Send + Sync + 'static {
    /// The description of the type.
    const TYPE: &'static PropertyType;

    /// `TYPE` as an entry of a table takes it.
    #[doc(hidden)]
    const ENTRY: TypeOf<Self> = TypeOf::TYPE;

    /// The place of the field marked `#[jasset(key)]` among the fields of a struct.
    #[doc(hidden)]
    const KEY_FIELD: Option<usize> = None;

    /// The value a property of this type has when nothing else is said.
    #[doc(hidden)]
    fn default_value() -> Self;
}

/// A type whose values are entities: implemented by `#[derive(Entity)]`.
///
/// # Safety
/// `CLASS` describes `Self`: its size, alignment, type id and functions are those of `Self`, and each of its fields lies at the offset
/// it names and has the type it names. It is blittable only if a copy of the bytes of a value is another value. Leave the implementation
/// to the derive macro.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an entity type",
    label = "no class",
    note = "add `#[derive(Entity)]` to the struct"
)]
pub unsafe trait Entity: Sized + Send + Sync + 'static {
    /// The class of the type.
    const CLASS: &'static Class;

    /// A value in which every property has its default: what an entity starts from when its file says nothing.
    fn default_value() -> Self;

    /// Runs after the value was loaded or instantiated; what `#[jasset(post_init = …)]` names.
    #[doc(hidden)]
    fn post_init(&mut self) {}
}

/// A type whose values are added to entities: implemented by `#[derive(Component)]`.
///
/// A component has a class as an entity does, with the same table, but none of its values is an entity.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component type",
    label = "no component",
    note = "add `#[derive(Component)]` to the struct"
)]
pub trait Component: Entity {}

/// The functions of a leaf type, over erased addresses.
pub(crate) struct Ops {
    pub(crate) read: for<'t> unsafe fn(NonNull<u8>, &'t str, Place) -> Result<(), Fault<'t>>,
    pub(crate) scan: unsafe fn(NonNull<u8>, &str) -> Option<usize>,
    pub(crate) write: unsafe fn(NonNull<u8>, &mut ValueWriter<'_>),
    pub(crate) same: unsafe fn(NonNull<u8>, NonNull<u8>) -> bool,
    pub(crate) assign: unsafe fn(NonNull<u8>, NonNull<u8>),
    pub(crate) numbers: unsafe fn(NonNull<u8>, &mut dyn FnMut(f64)),
    /// The items of the value itself, or of something it owns: valid as long as the borrow of the value.
    pub(crate) keyed: unsafe fn(NonNull<u8>) -> Option<NonNull<dyn KeyedItems>>,
    pub(crate) keyed_mut: unsafe fn(NonNull<u8>) -> Option<NonNull<dyn KeyedItems>>,
}

/// The functions that start and end a value.
pub(crate) struct Life {
    /// Writes the default value of the type, which is given, to uninitialised memory.
    pub(crate) init: unsafe fn(NonNull<u8>, &'static PropertyType),
    /// Ends a value of the type, which is given; `None` where the type needs no drop.
    pub(crate) drop: Option<unsafe fn(NonNull<u8>, &'static PropertyType)>,
}

impl Ops {
    /// The functions of `T`.
    pub(crate) const fn of<T: Leaf>() -> &'static Self {
        &Self {
            read: read::<T>,
            scan: scan::<T>,
            write: write::<T>,
            same: same::<T>,
            assign: assign::<T>,
            numbers: numbers::<T>,
            keyed: keyed::<T>,
            keyed_mut: keyed_mut::<T>,
        }
    }
}

impl Life {
    /// `init` and `drop` of a property type.
    pub(crate) const fn of_property<T: PropertyValue>() -> Self {
        Self { init: init_property::<T>, drop: drop_of::<T>() }
    }

    /// `init` and `drop` of an entity type.
    pub(crate) const fn of_entity<T: Entity>() -> Self {
        Self { init: init_entity::<T>, drop: drop_of::<T>() }
    }
}

pub(super) const fn drop_of<T>() -> Option<unsafe fn(NonNull<u8>, &'static PropertyType)> {
    if core::mem::needs_drop::<T>() { Some(drop_value::<T>) } else { None }
}

/// # Safety
/// `at` is valid for writing a `T` and aligned for it.
unsafe fn init_property<T: PropertyValue>(at: NonNull<u8>, _: &'static PropertyType) {
    let value = T::default_value();
    // SAFETY: the caller's promise.
    unsafe { at.cast::<T>().write(value) }
}

/// # Safety
/// `at` is valid for writing a `T` and aligned for it.
unsafe fn init_entity<T: Entity>(at: NonNull<u8>, _: &'static PropertyType) {
    let value = T::default_value();
    // SAFETY: the caller's promise.
    unsafe { at.cast::<T>().write(value) }
}

/// # Safety
/// `at` holds a `T` that nobody uses again.
unsafe fn drop_value<T>(at: NonNull<u8>, _: &'static PropertyType) {
    // SAFETY: the caller's promise.
    unsafe { at.cast::<T>().drop_in_place() }
}

/// # Safety
/// `at` holds a `T` that the caller borrows exclusively.
unsafe fn read<T: Leaf>(at: NonNull<u8>, text: &str, place: Place) -> Result<(), Fault<'_>> {
    // SAFETY: the caller's promise.
    unsafe { at.cast::<T>().as_mut() }.read(text, place)
}

/// # Safety
/// `at` holds a `T` that the caller borrows exclusively.
unsafe fn scan<T: Leaf>(at: NonNull<u8>, text: &str) -> Option<usize> {
    // SAFETY: the caller's promise.
    unsafe { at.cast::<T>().as_mut() }.scan(text)
}

/// # Safety
/// `at` holds a `T` that nobody writes meanwhile.
unsafe fn write<T: Leaf>(at: NonNull<u8>, out: &mut ValueWriter<'_>) {
    // SAFETY: the caller's promise.
    unsafe { at.cast::<T>().as_ref() }.write(out);
}

/// # Safety
/// `at` holds a `T` that nobody writes meanwhile.
unsafe fn numbers<T: Leaf>(at: NonNull<u8>, each: &mut dyn FnMut(f64)) {
    // SAFETY: the caller's promise.
    unsafe { at.cast::<T>().as_ref() }.numbers(each);
}

/// # Safety
/// `at` holds a `T` that nobody writes as long as the items are used.
unsafe fn keyed<T: Leaf>(at: NonNull<u8>) -> Option<NonNull<dyn KeyedItems>> {
    // SAFETY: the caller's promise.
    unsafe { at.cast::<T>().as_ref() }.keyed().map(NonNull::from)
}

/// # Safety
/// `at` holds a `T` that the caller borrows exclusively as long as the items are used.
unsafe fn keyed_mut<T: Leaf>(at: NonNull<u8>) -> Option<NonNull<dyn KeyedItems>> {
    // SAFETY: the caller's promise.
    unsafe { at.cast::<T>().as_mut() }.keyed_mut().map(NonNull::from)
}

/// # Safety
/// Both hold a `T` that nobody writes meanwhile.
unsafe fn same<T: Leaf>(a: NonNull<u8>, b: NonNull<u8>) -> bool {
    // SAFETY: the caller's promise.
    let a = unsafe { a.cast::<T>().as_ref() };
    // SAFETY: the caller's promise.
    let b = unsafe { b.cast::<T>().as_ref() };
    a.same(b)
}

/// # Safety
/// `to` holds a `T` borrowed exclusively, `from` another one that nobody writes meanwhile.
unsafe fn assign<T: Leaf>(to: NonNull<u8>, from: NonNull<u8>) {
    // SAFETY: the caller's promise.
    let from = unsafe { from.cast::<T>().as_ref() };
    // SAFETY: the caller's promise.
    unsafe { to.cast::<T>().as_mut() }.assign(from);
}

/// Proof that copying the bytes of a `T` makes another valid `T`.
const fn assert_plain<T: Copy>() {}

/// Leaf types that are plain data.
macro_rules! plain {
    ($($t:ty),* $(,)?) => {$(
        const _: () = assert_plain::<$t>();
        // SAFETY: `leaf` takes size, alignment, id and functions from the type itself; it is `Copy`, asserted above.
        unsafe impl PropertyValue for $t {
            const TYPE: &'static PropertyType = &PropertyType::leaf::<$t>(true);
            #[inline]
            fn default_value() -> Self {
                <$t>::fresh()
            }
        }
    )*};
}

plain!(bool, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, f32, f64, char);
plain!(glam::Vec2, glam::Vec3, glam::Vec4, glam::IVec2, glam::IVec3, glam::Quat, Color, EntityRef);

// SAFETY: as in `plain`; not copied as bytes.
unsafe impl PropertyValue for String {
    const TYPE: &'static PropertyType = &PropertyType::leaf::<Self>(false);
    #[inline]
    fn default_value() -> Self {
        Self::new()
    }
}

// SAFETY: as in `plain`; `ArrayString` is `Copy`.
unsafe impl<const N: usize> PropertyValue for ArrayString<N> {
    const TYPE: &'static PropertyType = {
        assert_plain::<Self>();
        &PropertyType::leaf::<Self>(true)
    };
    #[inline]
    fn default_value() -> Self {
        Self::new()
    }
}

// SAFETY: as in `plain`; `AssetRef` is `Copy`.
unsafe impl<A: 'static> PropertyValue for AssetRef<A> {
    const TYPE: &'static PropertyType = {
        assert_plain::<Self>();
        &PropertyType::leaf::<Self>(true)
    };
    #[inline]
    fn default_value() -> Self {
        Self::NONE
    }
}

// SAFETY: as in `plain`; an array is as plain as its items.
unsafe impl<T: PropertyValue, const N: usize> PropertyValue for [T; N] {
    const TYPE: &'static PropertyType = &PropertyType::leaf::<Self>(T::TYPE.is_blittable());
    #[inline]
    fn default_value() -> Self {
        core::array::from_fn(|_| T::default_value())
    }
}

// SAFETY: as in `plain`; not copied as bytes.
unsafe impl<T: PropertyValue> PropertyValue for Vec<T> {
    const TYPE: &'static PropertyType = &PropertyType::leaf::<Self>(false);
    #[inline]
    fn default_value() -> Self {
        Self::new()
    }
}

// SAFETY: as in `plain`; not copied as bytes.
unsafe impl<K, V, S> PropertyValue for IndexMap<K, V, S>
where
    K: Key + Hash + Eq,
    V: PropertyValue,
    S: BuildHasher + Default + Send + Sync + 'static,
{
    const TYPE: &'static PropertyType = &PropertyType::leaf::<Self>(false);
    #[inline]
    fn default_value() -> Self {
        Self::default()
    }
}

// SAFETY: as in `plain`; not copied as bytes.
unsafe impl<K: Key + Ord, V: PropertyValue> PropertyValue for BTreeMap<K, V> {
    const TYPE: &'static PropertyType = &PropertyType::leaf::<Self>(false);
    #[inline]
    fn default_value() -> Self {
        Self::new()
    }
}

// SAFETY: as in `plain`; an option is as plain as what it holds.
unsafe impl<T: PropertyValue> PropertyValue for Option<T> {
    const TYPE: &'static PropertyType = &PropertyType::leaf::<Self>(T::TYPE.is_blittable());
    #[inline]
    fn default_value() -> Self {
        None
    }
}

/// The description of a unit enum.
pub(crate) const fn unit_enum<T: UnitEnum + PropertyValue>(name: &'static str, doc: &'static str) -> PropertyType {
    PropertyType::described::<T>(
        name,
        doc,
        Kind::Enum { variants: T::VARIANTS },
        Life::of_property::<T>(),
        Some(Ops::of::<shape::UnitLeaf<T>>()),
        !core::mem::needs_drop::<T>(),
    )
}

/// The description of an enum with data; `blittable` says that all its data is.
pub(crate) const fn data_enum<T: DataEnum + PropertyValue>(
    name: &'static str,
    doc: &'static str,
    blittable: bool,
) -> PropertyType {
    PropertyType::described::<T>(
        name,
        doc,
        Kind::DataEnum { variants: T::VARIANTS },
        Life::of_property::<T>(),
        Some(Ops::of::<shape::DataLeaf<T>>()),
        blittable && !core::mem::needs_drop::<T>(),
    )
}

/// The description of a field with `#[jasset(with = "module")]`.
pub(crate) const fn adapter<A: Adapter>() -> PropertyType {
    PropertyType::described::<A::Value>(
        A::NAME,
        "",
        Kind::Adapter,
        Life { init: init_adapter::<A>, drop: drop_of::<A::Value>() },
        Some(Ops::of::<shape::AdapterLeaf<A>>()),
        A::PLAIN && !core::mem::needs_drop::<A::Value>(),
    )
}

/// # Safety
/// `at` is valid for writing an `A::Value` and aligned for it.
unsafe fn init_adapter<A: Adapter>(at: NonNull<u8>, _: &'static PropertyType) {
    let value = A::default_value();
    // SAFETY: the caller's promise.
    unsafe { at.cast::<A::Value>().write(value) }
}
