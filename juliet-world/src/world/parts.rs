//! Components of the entities of a world, and walks over several values of an entity at a time.

use std::any::TypeId;

use juliet_core::Component;
use juliet_core::entity::{AddError, Entities, EntityHandle, Mut, Query, QueryError, QueryPart, Stale};

use super::World;

impl World {
    /// Adds a component to an entity, or gives the one that it has: `value` is dropped then. A removal that waits for the end of the frame is
    /// called off. O(1).
    ///
    /// # Errors
    /// [`AddError`] if the entity is gone, the registry does not have the type, or there is no room.
    pub fn add_component<T: Component>(&mut self, handle: EntityHandle, value: T) -> Result<Mut<'_, T>, AddError> {
        self.commands().keep_component(handle, TypeId::of::<T>());
        self.manager.add(handle, value)
    }

    /// The component of an entity; `None` if the entity is gone or has none. O(1).
    #[inline]
    pub fn component<T: Component>(&self, handle: EntityHandle) -> Option<&T> {
        self.manager.component(handle)
    }

    /// The component of an entity, to be changed. O(1).
    #[inline]
    pub fn component_mut<T: Component>(&mut self, handle: EntityHandle) -> Option<Mut<'_, T>> {
        self.manager.component_mut(handle)
    }

    /// Takes a component away at once; `false` if the entity has none. O(1).
    ///
    /// # Errors
    /// [`Stale`] if the entity is gone.
    ///
    /// # Panics
    /// If the drop of the component does; it is gone by then.
    pub fn remove_component<T: Component>(&mut self, handle: EntityHandle) -> Result<bool, Stale> {
        self.manager.remove_component::<T>(handle)
    }

    /// All entities, to be narrowed down by class, components and conditions.
    pub fn list(&self) -> Entities<'_> {
        self.manager.list()
    }

    /// The entities that have all parts of `Q`, with their values, shared or to be changed.
    ///
    /// # Errors
    /// [`QueryError`] if a type is asked for twice or is not registered.
    pub fn query<Q: QueryPart>(&mut self) -> Result<Query<'_, Q>, QueryError> {
        self.manager.query()
    }
}
