//! Components of the entities and templates of a world: adding, writing, removing, visiting.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use juliet_core::archive::{Opened, Overrides};
use juliet_core::class::{ClassKind, value};
use juliet_core::entity::{AddError, AllocateError, Entities, EntityHandle, Mut, Query, QueryError, QueryPart, Stale};
use juliet_core::mem::{ErasedMut, OwnedValue};
use juliet_core::{Class, Component};

use super::parts::{Part, Says};
use super::{Level, SetError, SpawnError, Subject, TemplateHandle, World};

/// Why a component was not added or removed by its name. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ComponentError {
    /// The entity or template is gone, or the program has no such component.
    #[error(transparent)]
    Name(#[from] SetError),
    /// There is no room.
    #[error(transparent)]
    Add(#[from] AddError),
}

/// A component as an inspector lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentRow {
    /// The component type; its name and `/` stand before the keys of its properties.
    pub class: &'static Class,
    /// Whether it is there; an inherited one that was taken away is listed, too.
    pub is_there: bool,
    /// Where it comes from: the subject itself, or the nearest template that has it without inheriting it.
    pub source: Level,
    /// Whether the subject itself says whether it is there: it is not inherited, or was taken away. An entity that stands alone overrides
    /// nothing.
    pub overridden: bool,
}

impl World {
    /// Adds a component to an entity, or gives the one that it has: `value` is dropped then. Marks the entity as dirty if it is new. O(1); for
    /// an instance O(properties).
    ///
    /// A removal that waits for the end of the frame is called off. Of an instance it is a component of its own, whatever becomes of the template; one that had been taken away is inherited again, and
    /// overrides what differs.
    ///
    /// # Errors
    /// [`AddError`] if the entity was removed, the registry does not have the type, or there is no room.
    pub fn add_component<T: Component>(&mut self, handle: EntityHandle, value: T) -> Result<Mut<'_, T>, AddError> {
        self.commands().keep_component(handle, T::CLASS);
        self.settle(handle);
        let was_there = self.manager.component::<T>(handle).is_some();
        self.manager.add(handle, value)?;
        let subject = Subject::Entity(handle);
        if let Some(kind) = self.registry().find_component_kind::<T>()
            && !was_there
            && self.is_based(subject)
        {
            self.say_added(subject, kind);
            self.settle(handle);
        }
        self.manager.component_mut(handle).ok_or(AddError::Stale(Stale { handle }))
    }

    /// Notes that a component is there from now on, and returns what was said before.
    fn say_added(&mut self, subject: Subject, kind: ClassKind) -> Option<Says> {
        let says = match self.inherited_component(subject, kind) {
            Some(_) => self.idle_section(subject, kind),
            None => Some(Says::Section(Overrides::NONE)),
        };
        self.say(subject, kind, says)
    }

    /// Adds the component of this name to an entity or a template, with the defaults of its type; `false` if it is there already. One that had
    /// been taken away is inherited again. What is below a template follows.
    ///
    /// # Errors
    /// [`ComponentError`]; nothing has changed then.
    ///
    /// # Panics
    /// If the default or a clone of the component does; the subject has no such component then, as before.
    pub fn add_component_of(&mut self, subject: impl Into<Subject>, name: &str) -> Result<bool, ComponentError> {
        let subject = subject.into();
        self.class_of(subject).map_err(SetError::from)?;
        let (kind, class) = self.component_named(name)?;
        if let Subject::Entity(handle) = subject {
            self.commands().keep_component(handle, class);
        }
        if self.value_of(subject, Part::Component(kind)).is_some() {
            return Ok(false);
        }
        self.settle_subject(subject);
        if !self.is_based(subject) {
            return Ok(self.manager.add_default(subject.handle(), kind)?);
        }
        let _ = self.manager_of_mut(subject).mark_dirty(subject.handle());
        let was = self.say_added(subject, kind);
        let done = catch_unwind(AssertUnwindSafe(|| self.follow_component(subject, kind)));
        if let Err(panic) = done {
            if self.value_of(subject, Part::Component(kind)).is_none() {
                self.say(subject, kind, was);
            }
            resume_unwind(panic);
        }
        Ok(true)
    }

    /// The component of an entity; `None` for a stale handle or if it has none. O(1).
    #[inline]
    pub fn component<T: Component>(&self, handle: EntityHandle) -> Option<&T> {
        self.manager.component(handle)
    }

    /// The component of an entity, to be changed. Writing through it marks the entity, reading does not. O(1); for an instance that was
    /// written before, O(properties). What an instance then has that differs from its template is overridden from then on.
    #[inline]
    pub fn component_mut<T: Component>(&mut self, handle: EntityHandle) -> Option<Mut<'_, T>> {
        if self.manager.is_dirty(handle) {
            self.settle(handle);
        }
        self.manager.component_mut(handle)
    }

    /// Takes a component away from an entity; `false` if it has none. An inherited one is recorded as taken away, so that it stays away whatever
    /// becomes of the template. The next save takes its section out of the file, with unknown lines in it.
    ///
    /// # Errors
    /// [`Stale`] if the entity was removed.
    pub fn remove_component<T: Component>(&mut self, handle: EntityHandle) -> Result<bool, Stale> {
        self.manager.base(handle).ok_or(Stale { handle })?;
        let Some(kind) = self.registry().find_component_kind::<T>() else { return Ok(false) };
        self.settle(handle);
        Ok(self.take_component(handle.into(), kind))
    }

    /// As [`remove_component`](Self::remove_component), by the name of the component, also for a template: what is below it follows.
    ///
    /// # Errors
    /// [`ComponentError::Name`]; nothing has changed then.
    pub fn remove_component_of(&mut self, subject: impl Into<Subject>, name: &str) -> Result<bool, ComponentError> {
        let subject = subject.into();
        self.class_of(subject).map_err(SetError::from)?;
        let (kind, _) = self.component_named(name)?;
        self.settle_subject(subject);
        Ok(self.take_component(subject, kind))
    }

    /// The components of an entity or a template in the order of the registry, with inherited ones that were taken away. O(component types ×
    /// depth of the chain).
    pub fn components(&self, subject: impl Into<Subject>) -> Vec<ComponentRow> {
        let subject = subject.into();
        let classes = self.registry().components().iter().enumerate();
        let rows = classes.filter_map(|(kind, &class)| {
            let part = Part::Component(kind as ClassKind);
            let is_there = self.value_of(subject, part).is_some();
            let overridden = self.is_own_or_away(subject, part);
            if !is_there && (!overridden || self.inherited_component(subject, kind as ClassKind).is_none()) {
                return None;
            }
            let above = || {
                let mut chain = self.templates.chain(self.template_of(subject));
                let own = chain.find(|it| self.is_own_or_away(it.handle.into(), part))?;
                Some(Level::Template(own.handle))
            };
            let is_own = is_there && (overridden || !self.is_based(subject));
            let source = if is_own { Level::Own } else { above().unwrap_or(Level::Own) };
            Some(ComponentRow { class, is_there, source, overridden })
        });
        rows.collect()
    }

    /// The entities that have all parts of `Q`, to be read and written. See [`EntityManager::query`](juliet_core::entity::EntityManager::query).
    /// Those that are written become dirty; what instances then have that differs from their templates is overridden from then on. Looks first
    /// at the instances that were written before, unless the world plays: what a simulation overrides is thrown away with it.
    ///
    /// # Errors
    /// [`QueryError`] if a type is asked for twice or is not registered.
    pub fn query<Q: QueryPart>(&mut self) -> Result<Query<'_, Q>, QueryError> {
        if self.templates.is_any() && !self.is_playing() {
            let written: Vec<EntityHandle> = self.manager.dirty().collect();
            written.into_iter().for_each(|handle| self.settle(handle));
        }
        self.manager.query()
    }

    /// All entities, to be narrowed down. See [`EntityManager::list`](juliet_core::entity::EntityManager::list).
    pub fn list(&self) -> Entities<'_> {
        self.manager.list()
    }

    /// Gives a new entity the components that its file has: inherited ones with their values, and those of its sections, which are read
    /// afterwards.
    pub(super) fn place_components(
        &mut self,
        handle: EntityHandle,
        opened: &Opened<'_>,
        template: Option<TemplateHandle>,
    ) -> Result<(), AllocateError> {
        let Self { manager, templates, .. } = self;
        let full = |error: AddError| match error {
            AddError::CapacityExceeded { class, capacity } => AllocateError::CapacityExceeded { class, capacity },
            _ => AllocateError::UnknownKind { kind: opened.kind() },
        };
        let inherited = template.into_iter().flat_map(|template| templates.images.components_of(template.0));
        for (kind, image) in inherited.filter(|&(kind, _)| !opened.without().any(|(it, _)| it == kind)) {
            let is_said = opened.components().any(|part| part.kind() == kind);
            // What a section says comes before `post_init`.
            let class = manager.component_class(kind).filter(|_| !is_said);
            let fill = |mut to: ErasedMut<'_>| {
                value::assign(to.reborrow(), image);
                if let Some(class) = class {
                    class.run_post_init(to);
                }
            };
            manager.add_with(handle, kind, fill).map_err(full)?;
        }
        for part in opened.components() {
            manager.add_default(handle, part.kind()).map_err(full)?;
        }
        Ok(())
    }

    /// Gives a copy the components of its original; if that fails or panics the copy is gone.
    pub(super) fn copy_components(&mut self, from: EntityHandle, to: EntityHandle) -> Result<(), SpawnError> {
        let manager = &mut self.manager;
        let copied = catch_unwind(AssertUnwindSafe(|| {
            let values: Vec<(ClassKind, OwnedValue)> =
                manager.components_of(from).map(|(kind, value)| (kind, OwnedValue::copy_of(value))).collect();
            for (kind, copy) in values {
                manager.add_with(to, kind, |to| {
                    value::assign(to, copy.as_ref());
                })?;
            }
            Ok::<(), AddError>(())
        }));
        if !matches!(copied, Ok(Ok(()))) {
            let _ = catch_unwind(AssertUnwindSafe(|| self.manager.remove(to)));
        }
        copied.unwrap_or_else(|panic| resume_unwind(panic)).map_err(full)
    }
}

/// Room for a component of every entity is reserved, so that only the system can refuse it.
pub(super) fn full(error: AddError) -> SpawnError {
    match error {
        AddError::CapacityExceeded { class, capacity } => AllocateError::CapacityExceeded { class, capacity }.into(),
        AddError::Stale(stale) => stale.into(),
        _ => SpawnError::NoTemplate,
    }
}
