//! A world of positions and nothing else, and a loop over it.

use std::convert::Infallible;

use juliet::game_loop::no_hook;
use juliet::presentation::{Interpolate, Pose, Positions};
use juliet::sim_math::Vec2;
use juliet::{Capacity, EntityManager};

use juliet::prelude::{
    Entity, EntityHandle, Fix, Fp32Pinned, Fpx16_16, GameLoop, LoopOptions, PresentationSnapshot, SimMath,
    SnapshotOptions, Vec3, registry,
};

/// What gives the slots of a [`Places`] their generations.
#[derive(Entity)]
pub(crate) struct Token {
    value: u8,
}

/// Entities that have a pose or do not.
pub(crate) struct Places<B: SimMath, C = ()> {
    manager: EntityManager,
    poses: Vec<Option<Pose<B, C>>>,
}

impl<B: SimMath, C: Interpolate<B>> Places<B, C> {
    pub(crate) fn new(capacity: u32) -> Self {
        let manager = EntityManager::with_capacity(registry![Token].unwrap(), Capacity::entities(capacity)).unwrap();
        let mut poses = Vec::new();
        poses.resize_with(capacity as usize, || None);
        Self { manager, poses }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.poses.len()
    }

    /// A new entity without a pose.
    pub(crate) fn spawn_bare(&mut self) -> EntityHandle {
        let handle = self.manager.spawn(Token { value: 0 }, Vec3::ZERO).unwrap();
        self.poses[handle.index() as usize] = None;
        handle
    }

    pub(crate) fn spawn(&mut self, pose: impl Into<Pose<B, C>>) -> EntityHandle {
        let handle = self.spawn_bare();
        self.set(handle, pose);
        handle
    }

    pub(crate) fn set(&mut self, handle: EntityHandle, pose: impl Into<Pose<B, C>>) {
        assert!(self.manager.contains(handle));
        self.poses[handle.index() as usize] = Some(pose.into());
    }

    pub(crate) fn take(&mut self, handle: EntityHandle) {
        assert!(self.manager.contains(handle));
        self.poses[handle.index() as usize] = None;
    }

    pub(crate) fn remove(&mut self, handle: EntityHandle) {
        self.manager.remove(handle).unwrap();
        self.poses[handle.index() as usize] = None;
    }
}

impl<B: SimMath, C: Interpolate<B>> Positions<B, C> for Places<B, C> {
    fn contains(&self, handle: EntityHandle) -> bool {
        self.manager.contains(handle)
    }

    fn get(&self, handle: EntityHandle) -> Option<Pose<B, C>> {
        self.poses.get(handle.index() as usize).copied().flatten().filter(|_| self.manager.contains(handle))
    }

    fn for_each(&self, mut visit: impl FnMut(EntityHandle, Pose<B, C>)) {
        for base in self.manager.iter() {
            if let Some(pose) = self.get(base.handle()) {
                visit(base.handle(), pose);
            }
        }
    }
}

/// Whole units on both axes of the fixed-point ground.
pub(crate) fn at(x: i32, y: i32) -> Vec2<Fpx16_16> {
    Vec2::new(Fpx16_16::from_i32(x), Fpx16_16::from_i32(y))
}

/// Raw numbers on both axes.
pub(crate) fn raw(x: i32, y: i32) -> Vec2<Fpx16_16> {
    Vec2::new(Fix::from_raw(x), Fix::from_raw(y))
}

pub(crate) fn at32(x: f32, y: f32) -> Vec2<Fp32Pinned> {
    Vec2::new(x, y)
}

/// A snapshot for `world` at `tick_rate_hz`, from the reading 0 on.
pub(crate) fn snapshot<B: SimMath, C: Interpolate<B>>(
    world: &Places<B, C>,
    tick_rate_hz: u32,
) -> PresentationSnapshot<B, C> {
    PresentationSnapshot::new(world.capacity(), 0, SnapshotOptions { tick_rate_hz }).unwrap()
}

/// A loop without a world.
pub(crate) fn bare_loop(tick_rate_hz: u32, max_catch_up_ticks: u32) -> GameLoop<fn() -> i64> {
    GameLoop::with_clock(LoopOptions { tick_rate_hz, max_catch_up_ticks }, unread as fn() -> i64).unwrap()
}

/// A clock that nobody reads.
fn unread() -> i64 {
    panic!("frame_at and creation do not read the clock")
}

/// One frame whose ticks succeed and do nothing.
pub(crate) fn idle<C: juliet::game_loop::Clock>(game_loop: &mut GameLoop<C>, now_ns: i64) -> u32 {
    game_loop.frame_at(now_ns, &mut (), |(), _| Ok::<_, Infallible>(()), no_hook).unwrap()
}
