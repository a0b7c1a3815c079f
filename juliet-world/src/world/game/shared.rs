//! Resources and events of a world.

use std::any::Any;

use super::World;
use crate::ecs::{EventCursor, Events, ResourceError};

/// A resource that is back in its world at the end, also in a panic.
struct Lent<'w, T: Any + Send + Sync> {
    world: &'w mut World,
    value: Option<Box<T>>,
}

impl<T: Any + Send + Sync> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        let unwanted = self.value.take().and_then(|value| self.world.game.resources.give_back(value));
        drop(unwanted);
    }
}

impl World {
    /// Puts a resource in: a value of which the world has one, such as the input or the score. Returns the one that was there.
    pub fn insert_resource<T: Any + Send + Sync>(&mut self, value: T) -> Option<T> {
        self.game.resources.insert(value)
    }

    /// Whether there is a resource of this type, lent or not.
    pub fn contains_resource<T: Any + Send + Sync>(&self) -> bool {
        self.game.resources.contains::<T>()
    }

    /// A resource. O(log resources).
    ///
    /// # Errors
    /// [`ResourceError`], which names the type, if there is none or it is lent.
    pub fn resource<T: Any + Send + Sync>(&self) -> Result<&T, ResourceError> {
        self.game.resources.get()
    }

    /// A resource, to be changed. See [`with_resource`](Self::with_resource) for one and the entities at a time.
    ///
    /// # Errors
    /// [`ResourceError`], which names the type, if there is none or it is lent.
    pub fn resource_mut<T: Any + Send + Sync>(&mut self) -> Result<&mut T, ResourceError> {
        self.game.resources.get_mut()
    }

    /// Takes a resource out.
    ///
    /// # Errors
    /// [`ResourceError`], which names the type, if there is none or it is lent.
    pub fn remove_resource<T: Any + Send + Sync>(&mut self) -> Result<T, ResourceError> {
        self.game.resources.remove()
    }

    /// Calls `work` with a resource and the world, both to be changed. The resource is lent meanwhile: asking the world for it is an error.
    /// Several resources are borrowed by one call in the other.
    ///
    /// It is back afterwards, also if `work` panics. If `work` puts in another one of the type, that one stays and this one is dropped.
    ///
    /// ```
    /// # use juliet_world::World;
    /// # struct Score(u32);
    /// # fn demo(world: &mut World) -> Result<(), juliet_world::ecs::ResourceError> {
    /// world.insert_resource(Score(0));
    /// let all = world.with_resource(|score: &mut Score, world| {
    ///     score.0 += world.len() as u32;
    ///     score.0
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ResourceError`], which names the type, if there is none or it is lent; `work` is not called then.
    ///
    /// # Panics
    /// If `work` does.
    pub fn with_resource<T: Any + Send + Sync, R>(
        &mut self,
        work: impl FnOnce(&mut T, &mut Self) -> R,
    ) -> Result<R, ResourceError> {
        let value = self.game.resources.lend::<T>()?;
        let mut lent = Lent { world: self, value: Some(value) };
        let Lent { world, value } = &mut lent;
        match value {
            Some(value) => Ok(work(value, world)),
            None => unreachable!("it was lent above"),
        }
    }

    /// Sends an event to whoever reads events of its type in this frame or the next.
    pub fn send<E: Any + Send + Sync>(&mut self, event: E) {
        if let Some(events) = self.game.events.get_or_new() {
            events.send(event);
        }
    }

    /// The events of a type, of this frame and the one before. A reader keeps an [`EventCursor`], in the system that it is:
    ///
    /// ```
    /// # use juliet_world::World;
    /// # use juliet_world::ecs::EventCursor;
    /// # struct Hit { damage: u32 }
    /// let mut cursor = EventCursor::<Hit>::default();
    /// let system = move |world: &mut World| {
    ///     let damage: u32 = cursor.read(world.events()).map(|hit| hit.damage).sum();
    /// };
    /// ```
    pub fn events<E: Any + Send + Sync>(&self) -> &Events<E> {
        self.game.events.get().unwrap_or(const { &Events::EMPTY })
    }

    /// A cursor behind the events sent so far.
    pub fn event_cursor<E: Any + Send + Sync>(&self) -> EventCursor<E> {
        EventCursor::at_end(self.events())
    }
}
