//! What a snapshot reads of a world.

use juliet_core::EntityHandle;
use static_assertions::const_assert_eq;

use super::Interpolate;
use crate::sim_math::{Fp32Pinned, Fpx16_16, SimMath, Vec2};

/// Where an entity is on the ground plane, in world units, as backend `B` counts them. 8 bytes of plain data; depth is no part of it.
///
/// The two backends make two types.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct Position2D<B: SimMath> {
    /// The place.
    pub at: Vec2<B>,
}
const_assert_eq!(size_of::<Position2D<Fpx16_16>>(), 8);
const_assert_eq!(size_of::<Position2D<Fp32Pinned>>(), 8);

impl<B: SimMath> Position2D<B> {
    /// The place x, y.
    #[inline]
    pub const fn new(x: B::Scalar, y: B::Scalar) -> Self {
        Self { at: Vec2::new(x, y) }
    }
}

impl<B: SimMath> From<Vec2<B>> for Position2D<B> {
    #[inline]
    fn from(at: Vec2<B>) -> Self {
        Self { at }
    }
}

/// What is interpolated of an entity: its position, and a channel `C` beside it if the snapshot declares one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose<B: SimMath, C = ()> {
    /// Where it is.
    pub position: Vec2<B>,
    /// Angle, rotation, height or whatever was declared.
    pub channel: C,
}

impl<B: SimMath> From<Vec2<B>> for Pose<B> {
    #[inline]
    fn from(position: Vec2<B>) -> Self {
        Self { position, channel: () }
    }
}

impl<B: SimMath> From<Position2D<B>> for Pose<B> {
    #[inline]
    fn from(position: Position2D<B>) -> Self {
        position.at.into()
    }
}

impl<B: SimMath, C: Interpolate<B>> Pose<B, C> {
    /// [`SimMath::lerp`] of the position, and the channel's own way.
    #[inline]
    pub fn interpolate(prev: Self, curr: Self, alpha: B::Scalar) -> Self {
        Self {
            position: Vec2::lerp(prev.position, curr.position, alpha),
            channel: C::interpolate(prev.channel, curr.channel, alpha),
        }
    }
}

/// A world as a snapshot sees it: entities, some of which have a position. Implemented for an `EntityManager` by
/// [`ClassPositions`](super::ClassPositions) and [`BasePositions`](super::BasePositions).
///
/// A wrong implementation shows entities in wrong places; it reaches no memory of others and causes no panic.
pub trait Positions<B: SimMath, C = ()> {
    /// Whether the entity exists, with or without a position. O(1).
    fn contains(&self, handle: EntityHandle) -> bool;

    /// What the entity has now; `None` if it was removed or has no position. O(1).
    fn get(&self, handle: EntityHandle) -> Option<Pose<B, C>>;

    /// Calls `visit` once for each entity that has a position, in any order.
    fn for_each(&self, visit: impl FnMut(EntityHandle, Pose<B, C>));
}

impl<B: SimMath, C, P: Positions<B, C>> Positions<B, C> for &P {
    #[inline]
    fn contains(&self, handle: EntityHandle) -> bool {
        P::contains(self, handle)
    }

    #[inline]
    fn get(&self, handle: EntityHandle) -> Option<Pose<B, C>> {
        P::get(self, handle)
    }

    #[inline]
    fn for_each(&self, visit: impl FnMut(EntityHandle, Pose<B, C>)) {
        P::for_each(self, visit);
    }
}
