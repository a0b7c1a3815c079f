//! The positions that an [`EntityManager`] holds: in the values of one class, or those that all entities have.

use core::fmt;
use core::marker::PhantomData;

use juliet_core::entity::Position;
use juliet_core::{Entity, EntityHandle, EntityManager};

use super::{Pose, Positions};
use crate::sim_math::SimMath;

/// The entities of class `T`, with the position that `read` finds in their value.
///
/// ```
/// use juliet_world::presentation::{ClassPositions, Position2D};
/// # use juliet_core::{Entity, EntityManager};
/// # use juliet_world::sim_math::Fp32Pinned;
/// # trait Placed { fn x(&self) -> f32; fn y(&self) -> f32; }
/// # fn of<T: Entity + Placed>(manager: &EntityManager) {
/// let doors = ClassPositions::new(manager, |door: &T| Position2D::<Fp32Pinned>::new(door.x(), door.y()).into());
/// # fn is_a_world(_: &impl juliet_world::presentation::Positions<Fp32Pinned>) {}
/// # is_a_world(&doors);
/// # }
/// ```
pub struct ClassPositions<'a, T, F> {
    manager: &'a EntityManager,
    read: F,
    class: PhantomData<fn(&T)>,
}

impl<'a, T: Entity, F> ClassPositions<'a, T, F> {
    /// Entities of other classes have no position then.
    #[inline]
    pub fn new<B: SimMath, C>(manager: &'a EntityManager, read: F) -> Self
    where
        F: Fn(&T) -> Pose<B, C>,
    {
        Self { manager, read, class: PhantomData }
    }
}

impl<B: SimMath, C, T: Entity, F: Fn(&T) -> Pose<B, C>> Positions<B, C> for ClassPositions<'_, T, F> {
    #[inline]
    fn contains(&self, handle: EntityHandle) -> bool {
        self.manager.contains(handle)
    }

    #[inline]
    fn get(&self, handle: EntityHandle) -> Option<Pose<B, C>> {
        self.manager.get::<T>(handle).map(&self.read)
    }

    #[inline]
    fn for_each(&self, mut visit: impl FnMut(EntityHandle, Pose<B, C>)) {
        self.manager.iter_of::<T>().for_each(|(handle, value)| visit(handle, (self.read)(value)));
    }
}

impl<T, F> fmt::Debug for ClassPositions<'_, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClassPositions").finish_non_exhaustive()
    }
}

/// All entities, with what `read` makes of the position that every entity has.
///
/// Which of its coordinates span the ground plane, and in which numbers, is for `read` to say.
pub struct BasePositions<'a, F> {
    manager: &'a EntityManager,
    read: F,
}

impl<'a, F> BasePositions<'a, F> {
    /// Of the entities of `manager`.
    #[inline]
    pub fn new<B: SimMath, C>(manager: &'a EntityManager, read: F) -> Self
    where
        F: Fn(Position) -> Pose<B, C>,
    {
        Self { manager, read }
    }
}

impl<B: SimMath, C, F: Fn(Position) -> Pose<B, C>> Positions<B, C> for BasePositions<'_, F> {
    #[inline]
    fn contains(&self, handle: EntityHandle) -> bool {
        self.manager.contains(handle)
    }

    #[inline]
    fn get(&self, handle: EntityHandle) -> Option<Pose<B, C>> {
        self.manager.position(handle).map(&self.read)
    }

    #[inline]
    fn for_each(&self, mut visit: impl FnMut(EntityHandle, Pose<B, C>)) {
        self.manager.iter().for_each(|base| visit(base.handle(), (self.read)(base.position())));
    }
}

impl<F> fmt::Debug for BasePositions<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BasePositions").finish_non_exhaustive()
    }
}
