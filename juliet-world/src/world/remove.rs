//! Removal: at once in memory, on disk at the next save, and until then undone by [`World::restore`].

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use juliet_core::archive::inherit;
use juliet_core::class::{ClassKind, value};
use juliet_core::entity::{AllocateError, EntityHandle, Position, Stale};
use juliet_core::mem::OwnedValue;

use super::parts::Ledger;
use super::{EntityFile, TemplateHandle, World};

/// An entity that was removed since the last save.
#[derive(Debug)]
pub(crate) struct Removed {
    pub(crate) id: u64,
    pub(crate) file: Option<EntityFile>,
    kind: ClassKind,
    position: Position,
    value: Option<OwnedValue>,
    components: Vec<(ClassKind, OwnedValue)>,
    /// Of an instance: its template, and what it says itself.
    inherits: Option<(TemplateHandle, Ledger)>,
}

impl Removed {
    /// The file that goes with the entity; `None` if it was never saved.
    pub(crate) fn saved_file(&self) -> Option<&EntityFile> {
        self.file.as_ref().filter(|file| file.saved)
    }
}

/// Why an entity cannot be brought back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestoreError {
    /// No entity of this id was removed since the last save.
    #[error("no entity with the id {id:#018x} was removed since the last save")]
    NotRemoved {
        /// The id.
        id: u64,
    },
    /// The world is full.
    #[error(transparent)]
    Full(#[from] AllocateError),
}

impl World {
    /// Removes an entity and returns its id. Its handles are stale from now on; its file goes at the next save, unless
    /// [`restore`](Self::restore) is called before.
    ///
    /// O(size of the value and its components): its properties are kept for `restore`.
    ///
    /// # Errors
    /// [`Stale`] if it was removed already; nothing happens then.
    pub fn remove(&mut self, handle: EntityHandle) -> Result<u64, Stale> {
        let base = self.manager.base(handle).ok_or(Stale { handle })?;
        let (id, kind, position) = (base.id(), base.kind(), base.position());
        let mut kept = OwnedValue::new(self.manager.registry(), kind).ok();
        if let (Some(kept), Some(current)) = (&mut kept, self.manager.value(handle)) {
            value::assign(kept.as_mut(), current);
        }
        let components = self.manager.components_of(handle);
        let components = components.map(|(kind, value)| (kind, OwnedValue::copy_of(value))).collect();
        self.settle(handle);
        let number = self.manager.base(handle).map_or(0, |base| base.template());
        let inherits = self.instances.leave(&mut self.templates, number, handle);
        let file = self.take_file(handle);
        // Before the value's own drop runs, so that a panic in it loses nothing.
        self.pending.push(Removed { id, file, kind, position, value: kept, components, inherits });
        self.manager.remove(handle)?;
        Ok(id)
    }

    /// Brings back an entity that was removed since the last save, with its id, its properties, its components and its file. Skipped fields have their
    /// defaults.
    ///
    /// # Errors
    /// [`RestoreError`] if there is no such removal or the world is full; the removal then stays.
    ///
    /// # Panics
    /// If the default, a clone or the `post_init` of the user does; the removal then stays, too.
    pub fn restore(&mut self, id: u64) -> Result<EntityHandle, RestoreError> {
        let index = self.pending.iter().rposition(|removed| removed.id == id).ok_or(RestoreError::NotRemoved { id })?;
        let kind = self.pending[index].kind;
        let handle = self.manager.allocate(kind)?;
        // Copying runs the user's code; if that panics the removal is still pending and the new entity is gone again.
        let (manager, templates) = (&mut self.manager, &self.templates);
        let Removed { value: kept, components, inherits, .. } = &self.pending[index];
        let copied = catch_unwind(AssertUnwindSafe(|| {
            for (kind, component) in components {
                let _ = manager.add_with(handle, *kind, |to| {
                    value::assign(to, component.as_ref());
                });
            }
            let Some(mut to) = manager.value_mut(handle) else { return };
            if let Some(from) = kept {
                value::assign(to.as_mut(), from.as_ref());
            }
            // The template may have changed meanwhile.
            if let Some((template, Ledger { overrides, .. })) = inherits
                && let (Some(image), Some((_, class))) = (templates.image(*template), templates.class_of(*template))
            {
                inherit(to.as_mut(), image, overrides);
                class.run_post_init(to.into_mut());
            }
        }));
        if let Err(panic) = copied {
            let _ = self.manager.remove(handle);
            resume_unwind(panic);
        }
        let removed = self.pending.remove(index);
        // The id was free: it is pending, and pending ids are not given out.
        let _ = self.manager.set_id(handle, id);
        if let Some(mut place) = self.manager.position_mut(handle) {
            *place = removed.position;
        }
        self.forget_file(handle);
        if let Some(file) = removed.file {
            self.set_file(handle, file);
        }
        // Its template may be gone.
        if let Some((template, ledger)) = removed.inherits.filter(|(it, _)| self.templates.get(*it).is_some()) {
            self.move_to_template(handle, Some(template), ledger);
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.follow_components(handle.into()))) {
                let _ = catch_unwind(AssertUnwindSafe(|| self.remove(handle)));
                resume_unwind(panic);
            }
        }
        Ok(handle)
    }

    /// Ids of the entities removed since the last save, in the order of their removal.
    pub fn removed(&self) -> impl Iterator<Item = u64> {
        self.pending.iter().map(|removed| removed.id)
    }
}
