//! Types without a Rust type: made at run time from the names, shapes and defaults of a schema.
//!
//! ```text
//! structure("Lamp", [color: Color, steps: Vec<u8>])
//!      │
//!      ▼  0        16               40            offsets in declaration order, each aligned for its field
//!      [ r g b a ][ List { ty, items } ]          a value; parts are of types of this crate, or made again
//!
//! init  = blank (each part in its place) + a copy of the default, once there is one
//! drop  = drop of each part
//! ```
//!
//! In: types that are [`Described`], which only an `unsafe` implementation of [`PropertyValue`] or this file makes. Out: [`MadeType`], a true
//! table. A leaf of a made type is a Rust value that carries its own table ([`MadeLeaf`]), so its functions are those of every other leaf.
//!
//! Invariants of a table made here, which [`erased`](super::erased) trusts:
//! 1. Its offsets are those of its layout: each part lies inside the value, aligned, and overlaps no other.
//! 2. Its `init` starts all parts and its `drop` ends all of them, in any order; no code of the user's is among them.
//! 3. Its identity is the address of its [`Made`], which is never given back, so that no two tables share one; no Rust type has it.
//! 4. It is blittable only if all its parts are, or if its leaf is `Copy`.
//! 5. Its [`Boxed`] default is a value of the very type.
#![expect(unsafe_code, reason = "values of types made at run time, in place")]

use core::alloc::Layout;
use core::mem::ManuallyDrop;
use core::ptr::NonNull;
use std::sync::OnceLock;

use super::boxed::Boxed;
use super::erased::ErasedMut;
use super::glue::{Life, Ops, PropertyValue, drop_of};
use crate::class::shape::Leaf;
use crate::class::{Kind, MadeParts, Meta, Property, PropertyType, value};

/// What a made type has beyond its table.
pub(crate) struct Made {
    /// Writes a value that takes no notice of defaults.
    blank: unsafe fn(NonNull<u8>, &'static PropertyType),
    /// Writes the value of a type without a default of its own.
    fresh: unsafe fn(NonNull<u8>, &'static PropertyType),
    /// The value that others start from.
    default: OnceLock<Boxed>,
    /// The types of what the variants of an enum hold.
    variants: Box<[Described]>,
}

/// A type whose table is true.
#[derive(Clone, Copy)]
pub(crate) struct Described(&'static PropertyType);

/// A type that was made, before it has its place.
pub(crate) struct MadeType(PropertyType);

/// A leaf of made types. It learns from its type what a Rust type says by its parameters.
pub(crate) trait MadeLeaf: Leaf {
    /// The value that takes no notice of defaults: it holds what it must. Ends for a type that holds itself in a list, also if its default has
    /// items.
    fn blank(ty: &'static PropertyType) -> Self;

    /// The value whose parts have their defaults.
    fn fresh(ty: &'static PropertyType) -> Self {
        Self::blank(ty)
    }
}

/// A field of a made struct, before its offset is known. Texts as of [`Property::new`].
pub(crate) struct MadeField {
    pub(crate) openings: &'static str,
    pub(crate) split: u16,
    pub(crate) ty: Described,
    pub(crate) meta: &'static Meta,
}

/// Most bytes a made value takes, without what it holds on the heap.
pub(crate) const SIZE_LIMIT_BYTES: usize = 64 << 20;

impl Made {
    /// The types of what the variants hold, in their order.
    pub(crate) fn variants(&self) -> &[Described] {
        &self.variants
    }

    fn leaked(
        blank: unsafe fn(NonNull<u8>, &'static PropertyType),
        fresh: unsafe fn(NonNull<u8>, &'static PropertyType),
        variants: Vec<Described>,
    ) -> &'static Self {
        Box::leak(Box::new(Self { blank, fresh, default: OnceLock::new(), variants: variants.into() }))
    }
}

impl Described {
    /// The Rust type `T`.
    pub(crate) fn of<T: PropertyValue>() -> Self {
        Self(T::TYPE)
    }

    /// The table.
    #[inline]
    pub(crate) fn ty(self) -> &'static PropertyType {
        self.0
    }
}

/// Makes `default` what values of its type start from; `false`, with nothing done, for a value of a Rust type, and for a type that has one.
pub(crate) fn set_default(default: Boxed) -> bool {
    default.ty().made().is_some_and(|made| made.default.set(default).is_ok())
}

impl MadeType {
    /// A struct. `None` if it would be larger than [`SIZE_LIMIT_BYTES`].
    pub(crate) fn structure(name: &'static str, doc: &'static str, fields: Vec<MadeField>) -> Option<Self> {
        let (mut layout, mut placed) = (Layout::new::<()>(), Vec::with_capacity(fields.len()));
        for field in fields {
            let ty = field.ty.ty();
            let part = Layout::from_size_align(ty.size(), ty.align()).ok()?;
            let (extended, offset) =
                layout.extend(part).ok().filter(|(layout, _)| layout.size() <= SIZE_LIMIT_BYTES)?;
            layout = extended;
            placed.push(Property::new(field.openings, field.split, offset, ty, field.meta));
        }
        Self::of_parts(name, doc, Kind::Struct { fields: placed.leak() }, layout.pad_to_align())
    }

    /// A wrapper of one value.
    pub(crate) fn newtype(name: &'static str, doc: &'static str, field: MadeField) -> Option<Self> {
        let ty = field.ty.ty();
        let layout = Layout::from_size_align(ty.size(), ty.align()).ok()?;
        let field = Box::leak(Box::new(Property::new(field.openings, field.split, 0, ty, field.meta)));
        Self::of_parts(name, doc, Kind::Newtype { field }, layout)
    }

    /// `kind` has parts, and they lie as `layout` says (1).
    fn of_parts(name: &'static str, doc: &'static str, kind: Kind, layout: Layout) -> Option<Self> {
        let parts = parts_of(&kind);
        let drops = parts.iter().any(|part| part.ty().life().drop.is_some());
        Some(Self(PropertyType::made_of(MadeParts {
            name,
            doc,
            kind,
            layout,
            blittable: parts.iter().all(|part| part.ty().is_blittable()),
            life: Life { init, drop: if drops { Some(drop_parts) } else { None } },
            ops: None,
            made: Made::leaked(blank_parts, fresh_parts, Vec::new()),
        })))
    }

    /// A leaf whose values are `T`s; `variants` are the types of what its variants hold. `None` for a kind with parts, which no leaf has.
    pub(crate) fn leaf<T: MadeLeaf>(
        name: &'static str,
        doc: &'static str,
        kind: Kind,
        variants: Vec<Described>,
    ) -> Option<Self> {
        Self::of_leaf::<T>(name, doc, kind, variants, false)
    }

    /// The same for leaves that are copied as bytes.
    pub(crate) fn plain_leaf<T: MadeLeaf + Copy>(name: &'static str, doc: &'static str, kind: Kind) -> Option<Self> {
        Self::of_leaf::<T>(name, doc, kind, Vec::new(), true)
    }

    /// `blittable` only for a `T` that is `Copy` (4).
    fn of_leaf<T: MadeLeaf>(
        name: &'static str,
        doc: &'static str,
        kind: Kind,
        variants: Vec<Described>,
        blittable: bool,
    ) -> Option<Self> {
        if matches!(kind, Kind::Struct { .. } | Kind::Newtype { .. }) {
            return None;
        }
        Some(Self(PropertyType::made_of(MadeParts {
            name,
            doc,
            kind,
            layout: Layout::new::<T>(),
            blittable,
            life: Life { init, drop: drop_of::<T>() },
            ops: Some(Ops::of::<T>()),
            made: Made::leaked(blank_leaf::<T>, fresh_leaf::<T>, variants),
        })))
    }

    /// The same with keys of fields that are gone.
    pub(crate) fn with_removed(self, removed: &'static [&'static str]) -> Self {
        Self(self.0.with_removed(removed))
    }

    /// The table, to be trusted by whoever gets it.
    pub(crate) fn into_table(self) -> PropertyType {
        self.0
    }

    /// Gives the type its place, for as long as the program lives.
    pub(crate) fn leak(self) -> Described {
        Described(Box::leak(Box::new(self.0)))
    }
}

/// The parts that a value consists of; none for a leaf.
fn parts_of(kind: &Kind) -> &'static [Property] {
    match *kind {
        Kind::Struct { fields } => fields,
        Kind::Newtype { field } => core::slice::from_ref(field),
        _ => &[],
    }
}

/// A value of a made type whose first parts live: they are ended if the next one panics.
///
/// # Invariants
/// The first `count` of `parts` are initialised at their offsets from `at`, and nothing else owns them.
struct Started {
    at: NonNull<u8>,
    parts: &'static [Property],
    count: usize,
}

impl Drop for Started {
    fn drop(&mut self) {
        for part in self.parts.iter().take(self.count) {
            // SAFETY: an offset of the table lies inside the value (1).
            let at = unsafe { self.at.add(part.offset()) };
            if let Some(drop) = part.ty().life().drop {
                // SAFETY: initialised, of this type, and not used again (the invariant).
                unsafe { drop(at, part.ty()) };
            }
        }
    }
}

/// Writes a value that takes no notice of defaults, if `ty` is a made type; the default of every other.
///
/// # Safety
/// `at` is valid for writing a value of `ty`, whose table is true, and aligned for it.
pub(super) unsafe fn blank(at: NonNull<u8>, ty: &'static PropertyType) {
    let blank = ty.made().map_or(ty.life().init, |made| made.blank);
    // SAFETY: the caller's promise; the function belongs to the type.
    unsafe { blank(at, ty) }
}

/// # Safety
/// As of [`blank`]; `ty` is a made type with parts.
unsafe fn blank_parts(at: NonNull<u8>, ty: &'static PropertyType) {
    // SAFETY: the caller's promise.
    unsafe { start_parts(at, ty, blank) }
}

/// # Safety
/// As of [`blank`]; `ty` is a made type with parts.
unsafe fn fresh_parts(at: NonNull<u8>, ty: &'static PropertyType) {
    // SAFETY: the caller's promise.
    unsafe { start_parts(at, ty, default_of) }
}

/// # Safety
/// As of [`blank`].
unsafe fn default_of(at: NonNull<u8>, ty: &'static PropertyType) {
    // SAFETY: the caller's promise; the function belongs to the type.
    unsafe { (ty.life().init)(at, ty) }
}

/// # Safety
/// As of [`blank`]; `ty` is a made type with parts, and `start` writes a value of the type that it is given.
unsafe fn start_parts(
    at: NonNull<u8>,
    ty: &'static PropertyType,
    start: unsafe fn(NonNull<u8>, &'static PropertyType),
) {
    let mut started = Started { at, parts: parts_of(ty.kind()), count: 0 };
    while let Some(part) = started.parts.get(started.count) {
        // SAFETY: an offset of the table lies inside the value (1).
        let at = unsafe { at.add(part.offset()) };
        // SAFETY: room for the part, aligned for it (1).
        unsafe { start(at, part.ty()) };
        started.count += 1;
    }
    let _whole = ManuallyDrop::new(started);
}

/// # Safety
/// As of [`blank`]; `ty` is a made type whose values are `T`s.
unsafe fn blank_leaf<T: MadeLeaf>(at: NonNull<u8>, ty: &'static PropertyType) {
    let value = T::blank(ty);
    // SAFETY: the caller's promise.
    unsafe { at.cast::<T>().write(value) }
}

/// # Safety
/// As of [`blank`]; `ty` is a made type whose values are `T`s.
unsafe fn fresh_leaf<T: MadeLeaf>(at: NonNull<u8>, ty: &'static PropertyType) {
    let value = T::fresh(ty);
    // SAFETY: the caller's promise.
    unsafe { at.cast::<T>().write(value) }
}

/// A value that was started and is ended if the copy of the default panics.
///
/// # Invariants
/// `at` holds a value of `ty` that nothing else owns.
struct Whole {
    at: NonNull<u8>,
    ty: &'static PropertyType,
}

impl Drop for Whole {
    fn drop(&mut self) {
        if let Some(drop) = self.ty.life().drop {
            // SAFETY: a live value of this type, not used again (the invariant).
            unsafe { drop(self.at, self.ty) };
        }
    }
}

/// Writes the default value.
///
/// # Safety
/// As of [`blank`]; `ty` is a made type.
unsafe fn init(at: NonNull<u8>, ty: &'static PropertyType) {
    let default = ty.made().and_then(|made| made.default.get());
    let start = if default.is_some() { blank } else { ty.made().map_or(blank as _, |made| made.fresh) };
    // SAFETY: the caller's promise; the function belongs to the type.
    unsafe { start(at, ty) };
    let whole = Whole { at, ty };
    if let Some(default) = default {
        // SAFETY: written above, of this type, and nothing else knows it.
        let mut value = unsafe { ErasedMut::from_raw(at, ty) };
        if !value.copy_bytes(default.as_ref()) {
            value::assign(value, default.as_ref());
        }
    }
    let _whole = ManuallyDrop::new(whole);
}

/// # Safety
/// `at` holds a value of `ty`, a made type with parts, that nobody uses again.
unsafe fn drop_parts(at: NonNull<u8>, ty: &'static PropertyType) {
    let parts = parts_of(ty.kind());
    // All parts live, and this is the only owner.
    drop(Started { at, parts, count: parts.len() });
}

#[cfg(test)]
mod tests;
