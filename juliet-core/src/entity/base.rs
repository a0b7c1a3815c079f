//! What every entity has, whatever its class: 48 bytes in three columns, so that each walk and look-up touches little besides what it
//! needs.
//!
//! | column | bytes | read by |
//! |---|---|---|
//! | [`Position`] | 16 | movement, culling |
//! | slot: generation, row | 8 | every access by handle |
//! | [`Links`]: id, class, kind, template | 24 | ids, values of any class, removal |
//!
//! Live and dirty are sets of bits beside the columns.

use core::ops::{AddAssign, Deref, DerefMut};

use glam::{Vec3, Vec4};
use static_assertions::const_assert_eq;

use super::{EntityHandle, EntityManager};
use crate::class::{Class, ClassKind};
use crate::mem::slots::Slot;

/// Where an entity is: x, y, z in the units of the world, and a fourth number that is always 1. Derefs to the [`Vec3`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct Position {
    xyz: Vec3,
    w: f32,
}
const_assert_eq!(size_of::<Position>(), 16);

impl Position {
    /// 0, 0, 0.
    pub const ORIGIN: Self = Self::new(0.0, 0.0, 0.0);

    /// The place at these coordinates.
    #[inline]
    pub const fn new(x: f32, y: f32, z: f32) -> Self {
        Self { xyz: Vec3::new(x, y, z), w: 1.0 }
    }

    /// x, y, z, 1: a homogeneous point.
    #[inline]
    pub const fn to_array(self) -> [f32; 4] {
        [self.xyz.x, self.xyz.y, self.xyz.z, self.w]
    }
}

impl Default for Position {
    #[inline]
    fn default() -> Self {
        Self::ORIGIN
    }
}

impl From<Vec3> for Position {
    #[inline]
    fn from(at: Vec3) -> Self {
        Self::new(at.x, at.y, at.z)
    }
}

impl From<Position> for Vec3 {
    #[inline]
    fn from(position: Position) -> Self {
        position.xyz
    }
}

impl Deref for Position {
    type Target = Vec3;

    #[inline]
    fn deref(&self) -> &Vec3 {
        &self.xyz
    }
}

impl DerefMut for Position {
    #[inline]
    fn deref_mut(&mut self) -> &mut Vec3 {
        &mut self.xyz
    }
}

impl AddAssign<Vec3> for Position {
    /// Moves by `step`, in four lanes.
    #[inline]
    fn add_assign(&mut self, step: Vec3) {
        let [x, y, z, w] = (Vec4::from_array(self.to_array()) + step.extend(0.0)).to_array();
        *self = Self { xyz: Vec3::new(x, y, z), w };
    }
}

/// Identity and class.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Links {
    /// 0 as long as none is assigned.
    pub(super) id: u64,
    pub(super) class: &'static Class,
    /// Number of the class in the registry.
    pub(super) kind: ClassKind,
    /// 0 if the entity stands alone.
    pub(super) template: u16,
}
#[cfg(target_pointer_width = "64")]
const_assert_eq!(size_of::<Links>(), 24);
#[cfg(target_pointer_width = "64")]
const_assert_eq!(size_of::<Position>() + size_of::<Slot>() + size_of::<Links>(), 48);

/// The base of one entity, for reading.
#[derive(Clone, Copy)]
pub struct BaseRef<'a> {
    manager: &'a EntityManager,
    handle: EntityHandle,
}

impl<'a> BaseRef<'a> {
    /// `handle` is live in `manager`.
    #[inline]
    pub(super) fn new(manager: &'a EntityManager, handle: EntityHandle) -> Self {
        Self { manager, handle }
    }

    #[inline]
    fn links(&self) -> &'a Links {
        &self.manager.links[self.handle.index() as usize]
    }

    /// The handle.
    #[inline]
    pub fn handle(&self) -> EntityHandle {
        self.handle
    }

    /// The id, 0 as long as none is assigned.
    #[inline]
    pub fn id(&self) -> u64 {
        self.links().id
    }

    /// The class.
    #[inline]
    pub fn class(&self) -> &'static Class {
        self.links().class
    }

    /// Number of the class in the manager's registry.
    #[inline]
    pub fn kind(&self) -> ClassKind {
        self.links().kind
    }

    /// Number of the template the entity is an instance of, 0 if it stands alone.
    #[inline]
    pub fn template(&self) -> u16 {
        self.links().template
    }

    /// The position.
    #[inline]
    pub fn position(&self) -> Position {
        self.manager.positions[self.handle.index() as usize]
    }

    /// Whether the entity was written to since it was last marked clean.
    #[inline]
    pub fn is_dirty(&self) -> bool {
        self.manager.dirty.test(self.handle.index())
    }
}

impl core::fmt::Debug for BaseRef<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("BaseRef")
            .field("handle", &self.handle)
            .field("id", &self.id())
            .field("class", &self.class().name())
            .field("position", &self.position().to_array())
            .field("dirty", &self.is_dirty())
            .finish()
    }
}
