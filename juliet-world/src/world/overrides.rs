//! Overrides of entities and templates: what is marked, reverting it, and applying it to a template above.

use std::borrow::Cow;

use juliet_core::Class;
use juliet_core::archive::{
    ItemPath, ItemSays, LeafSet, Named, Overrides, find_named, inherit, mark_differences, mark_items, path_of_leaf,
    rebase,
};
use juliet_core::class::{ClassKind, value};
use juliet_core::entity::{EntityHandle, EntityManager, Stale};
use juliet_core::mem::{ErasedRef, OwnedValue};

use super::derived::Derived;
use super::edit::is_position;
use super::{SetError, TemplateHandle, World, unknown};

/// What a property is of: an entity or a template. Made from the handle of either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// An entity.
    Entity(EntityHandle),
    /// A template.
    Template(TemplateHandle),
}

impl From<EntityHandle> for Subject {
    fn from(handle: EntityHandle) -> Self {
        Self::Entity(handle)
    }
}

impl From<TemplateHandle> for Subject {
    fn from(handle: TemplateHandle) -> Self {
        Self::Template(handle)
    }
}

impl Subject {
    /// The handle in its own manager.
    pub(super) fn handle(self) -> EntityHandle {
        match self {
            Self::Entity(handle) | Self::Template(TemplateHandle(handle)) => handle,
        }
    }
}

/// Why an override was not reverted or applied. Nothing has changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OverrideError {
    /// The property cannot be found.
    #[error("{subject}: {source}")]
    Property {
        /// The entity or template, by its file.
        subject: Box<str>,
        /// Why.
        source: SetError,
    },
    /// The position belongs to each entity: it is not inherited.
    #[error("{subject}: the position belongs to each entity and is not inherited")]
    Position {
        /// The entity or template, by its file.
        subject: Box<str>,
    },
    /// The entity stands alone.
    #[error(
        "{subject} is based on no template: it has nothing to revert to and none to apply to; `reset` gives a property the default of its class"
    )]
    NoTemplate {
        /// The entity, by its file.
        subject: Box<str>,
    },
    /// The template to apply to is gone.
    #[error("{subject}: the template to apply to is gone")]
    TemplateGone {
        /// The entity or template, by its file.
        subject: Box<str>,
    },
    /// The template is none of those the entity or template is based on.
    #[error("{subject} is not based on `{template}`")]
    NotAbove {
        /// The entity or template, by its file.
        subject: Box<str>,
        /// The template.
        template: Box<str>,
    },
}

impl World {
    /// The manager that holds a subject's value.
    pub(super) fn manager_of(&self, subject: Subject) -> &EntityManager {
        match subject {
            Subject::Entity(_) => &self.manager,
            Subject::Template(_) => &self.templates.images,
        }
    }

    pub(super) fn manager_of_mut(&mut self, subject: Subject) -> &mut EntityManager {
        match subject {
            Subject::Entity(_) => &mut self.manager,
            Subject::Template(_) => &mut self.templates.images,
        }
    }

    /// Kind and class; an error for one that is gone, or whose properties the program does not know.
    pub(super) fn known_class_of(&self, subject: Subject) -> Result<(ClassKind, &'static Class), SetError> {
        let found = self.class_of(subject)?;
        match self.unknown_class(subject) {
            Some(class) => Err(SetError::UnknownClass { class: class.into() }),
            None => Ok(found),
        }
    }

    /// Kind and class; an error for one that is gone.
    pub(super) fn class_of(&self, subject: Subject) -> Result<(ClassKind, &'static Class), Stale> {
        let handle = subject.handle();
        self.manager_of(subject).base(handle).map(|base| (base.kind(), base.class())).ok_or(Stale { handle })
    }

    /// The template that an entity is an instance of, or that a template is based on.
    pub fn template_of(&self, subject: impl Into<Subject>) -> Option<TemplateHandle> {
        match subject.into() {
            Subject::Entity(handle) => {
                self.templates.numbered(self.manager.base(handle)?.template()).map(|it| it.handle)
            }
            Subject::Template(handle) => self.templates.get(handle)?.parent,
        }
    }

    /// What is inherited; `None` for an entity that stands alone.
    pub(super) fn inherited_by(&self, subject: Subject) -> Option<ErasedRef<'_>> {
        match subject {
            Subject::Entity(_) => self.templates.image(self.template_of(subject)?),
            Subject::Template(handle) => self.templates.base_of(handle),
        }
    }

    pub(super) fn marked(&self, subject: Subject) -> &Overrides {
        match subject {
            Subject::Entity(handle) => self.instances.overrides(handle),
            Subject::Template(handle) => self.templates.get(handle).map_or(&Overrides::NONE, |it| &it.overrides),
        }
    }

    pub(super) fn marked_mut(&mut self, subject: Subject) -> Option<&mut Overrides> {
        match subject {
            Subject::Entity(handle) => Some(self.instances.overrides_mut(handle)),
            Subject::Template(handle) => self.templates.get_mut(handle).map(|it| &mut it.overrides),
        }
    }

    /// What a subject overrides, writes through guards included: they mark what then differs.
    pub(super) fn effective_overrides(&self, subject: Subject) -> Cow<'_, Overrides> {
        let marked = Cow::Borrowed(self.marked(subject));
        let Subject::Entity(handle) = subject else { return marked };
        if !self.manager.is_dirty(handle) || self.template_of(handle).is_none() {
            return marked;
        }
        let mut marked = marked;
        self.mark_written(handle, &mut marked);
        marked
    }

    fn mark_written(&self, handle: EntityHandle, marked: &mut Cow<'_, Overrides>) {
        let (Some(base), Some(value), Some(inherited)) =
            (self.manager.base(handle), self.manager.value(handle), self.inherited_by(handle.into()))
        else {
            return;
        };
        let mut all = Overrides::clone(marked);
        let differs = if base.class().has_post_init() {
            let new = || OwnedValue::new(self.registry(), base.kind());
            let (Ok(shown), Ok(expected)) = (new(), new()) else { return };
            Derived { class: base.class(), value, inherited, shown, expected }.mark(&mut all)
        } else {
            mark_differences(value, inherited, &mut all)
        };
        if differs {
            *marked = Cow::Owned(all);
        }
    }

    /// Marks what was written through guards since it was last looked at. Nothing for an entity that stands alone or was not written.
    pub(super) fn settle(&mut self, handle: EntityHandle) {
        if let Cow::Owned(overrides) = self.effective_overrides(handle.into()) {
            *self.instances.overrides_mut(handle) = overrides;
        }
    }

    /// Settles an entity, or everything below a template: before its marks or what it is compared with change.
    pub(super) fn settle_subject(&mut self, subject: Subject) {
        match subject {
            Subject::Entity(handle) => self.settle(handle),
            Subject::Template(handle) => self.settle_below(handle),
        }
    }

    /// The keys of everything a subject overrides, in declaration order and the colon spelling: those of leaves, `Light.Color`. Of a map or
    /// keyed list those of what is said about its items, `Loot[gold].Count`, with `Loot[gold]` for a whole item of a map or one that is
    /// only added, and `Loot[gem]` also for one that is removed; the key of the list alone where it is overridden as a whole.
    pub fn overrides(&self, subject: impl Into<Subject>) -> Vec<String> {
        let subject = subject.into();
        let overrides = self.effective_overrides(subject);
        let mut keys = Vec::new();
        if let Some(value) = self.manager_of(subject).value(subject.handle()) {
            juliet_core::archive::for_each_override(value, &overrides, &mut |key, _| keys.push(key.to_owned()));
        }
        keys
    }

    /// Whether a property, or one below it, is overridden. `false` for what is not there.
    pub fn is_overridden(&self, subject: impl Into<Subject>, key: &str) -> bool {
        let subject = subject.into();
        let (Ok((_, class)), Some(value)) = (self.class_of(subject), self.manager_of(subject).value(subject.handle()))
        else {
            return false;
        };
        let overrides = self.effective_overrides(subject);
        match find_named(class.ty(), key) {
            Ok(Named::Property(path)) => overrides.contains_any(path.first_leaf(), path.leaves()),
            Ok(Named::Item(path)) => {
                let key = path.list.follow(value).and_then(ErasedRef::keyed).and_then(|items| path.canonical(items));
                overrides.contains(path.leaf())
                    || match overrides.item(path.leaf(), &key.unwrap_or_default()) {
                        None => false,
                        Some(ItemSays::Removed) => true,
                        Some(ItemSays::Leaves(parts)) => {
                            path.rest.is_none() || path.covered().any(|part| parts.contains(part))
                        }
                    }
            }
            Err(_) => false,
        }
    }

    /// Gives a property what is inherited, and takes its override back. Returns whether it was overridden.
    ///
    /// An instance takes the value of its template, a template that of the one it is based on, or the default of its class. What is below
    /// a template follows.
    ///
    /// # Errors
    /// [`OverrideError`]; nothing has changed then.
    pub fn revert(&mut self, subject: impl Into<Subject>, key: &str) -> Result<bool, OverrideError> {
        let subject = subject.into();
        match self.overridable(subject, key)? {
            Named::Property(path) => {
                Ok(self.revert_leaves(subject, path.first_leaf()..path.first_leaf() + path.leaves()))
            }
            Named::Item(path) => Ok(self.revert_item(subject, &path)),
        }
    }

    /// Takes back what is said about an item, or a part of one. An item of its own goes as a whole, and a part of it gets its default.
    fn revert_item(&mut self, subject: Subject, path: &ItemPath<'_>) -> bool {
        self.settle_subject(subject);
        let Some(value) = self.manager_of(subject).value(subject.handle()) else { return false };
        let Some(items) = path.list.follow(value).and_then(ErasedRef::keyed) else { return false };
        let Some(key) = path.canonical(items) else { return false };
        let inherited = self.inherited_by(subject).and_then(|it| path.list.follow(it)).and_then(ErasedRef::keyed);
        let is_inherited = inherited.is_some_and(|items| matches!(items.find(path.key), Ok(Some(_))));
        let Some(overrides) = self.marked_mut(subject) else { return false };
        let had = if path.rest.is_none() {
            overrides.remove_item(path.leaf(), &key).is_some()
        } else {
            overrides.remove_item_parts(path.leaf(), &key, path.covered(), is_inherited)
        };
        if had {
            self.take_inherited(subject);
        }
        had
    }

    /// Gives every property what is inherited; id and position stay. Returns whether something was overridden.
    ///
    /// # Errors
    /// [`OverrideError`]; nothing has changed then.
    pub fn revert_all(&mut self, subject: impl Into<Subject>) -> Result<bool, OverrideError> {
        let subject = subject.into();
        let (_, class) = self.known_class_of(subject).map_err(|error| self.property_error(subject, error))?;
        if self.inherited_by(subject).is_none() {
            return Err(OverrideError::NoTemplate { subject: self.name_of(subject) });
        }
        Ok(self.revert_leaves(subject, 0..class.ty().leaves()))
    }

    fn revert_leaves(&mut self, subject: Subject, leaves: core::ops::Range<u32>) -> bool {
        self.settle_subject(subject);
        let Some(overrides) = self.marked_mut(subject) else { return false };
        // Bit by bit, so that no memory is asked for.
        let had = leaves.clone().fold(false, |had, leaf| overrides.remove(leaf) | had);
        if !had {
            return false;
        }
        self.take_inherited(subject);
        true
    }

    /// Gives a subject what it inherits in everything it does not override, and what is below it follows.
    fn take_inherited(&mut self, subject: Subject) {
        match subject {
            Subject::Entity(handle) => {
                let number = self.manager.base(handle).map_or(0, |base| base.template());
                let image = self.templates.numbered(number).and_then(|it| self.templates.image(it.handle));
                let class = self.manager.base(handle).map(|base| base.class());
                if let (Some(image), Some(mut value)) = (image, self.manager.value_mut(handle)) {
                    inherit(value.as_mut(), image, self.instances.overrides(handle));
                    if let Some(class) = class {
                        class.run_post_init(value.into_mut());
                    }
                }
            }
            Subject::Template(handle) => {
                let Some(mut image) = self.copy_of_image(handle) else { return };
                let changed = match (self.templates.base_of(handle), self.templates.get(handle)) {
                    (Some(base), Some(template)) => inherit(image.as_mut(), base, &template.overrides),
                    _ => return,
                };
                self.put_image(handle, &image, &changed);
                let _ = self.templates.images.mark_dirty(handle.0);
            }
        }
    }

    /// Gives the value that a subject has in an overridden property to a template above it. The subject looks as before; it keeps its
    /// override only where a template between the two would shield it from that value. Of a map or keyed list, all overridden items go.
    ///
    /// Returns whether there was an override to be applied.
    ///
    /// # Errors
    /// [`OverrideError`]; nothing has changed then.
    pub fn apply_override(
        &mut self,
        subject: impl Into<Subject>,
        key: &str,
        to: TemplateHandle,
    ) -> Result<bool, OverrideError> {
        let subject = subject.into();
        let named = self.overridable(subject, key)?;
        let path = named.property();
        self.apply_leaves(subject, path.first_leaf()..path.first_leaf() + path.leaves(), to)
    }

    /// Applies every override to a template above, as [`apply_override`](Self::apply_override) does one.
    ///
    /// # Errors
    /// [`OverrideError`]; nothing has changed then.
    pub fn apply_all(&mut self, subject: impl Into<Subject>, to: TemplateHandle) -> Result<bool, OverrideError> {
        let subject = subject.into();
        let (_, class) = self.known_class_of(subject).map_err(|error| self.property_error(subject, error))?;
        self.apply_leaves(subject, 0..class.ty().leaves(), to)
    }

    fn apply_leaves(
        &mut self,
        subject: Subject,
        leaves: core::ops::Range<u32>,
        to: TemplateHandle,
    ) -> Result<bool, OverrideError> {
        if self.template_of(subject).is_none() {
            return Err(OverrideError::NoTemplate { subject: self.name_of(subject) });
        }
        if !self.templates.chain(self.template_of(subject)).any(|it| it.handle == to) {
            let subject = self.name_of(subject);
            return Err(match self.templates.get(to) {
                Some(template) => OverrideError::NotAbove { subject, template: template.path.clone() },
                None => OverrideError::TemplateGone { subject },
            });
        }
        self.settle_below(to);
        let overrides = self.marked(subject).clone();
        let due: Vec<u32> = leaves.filter(|&leaf| overrides.contains_any(leaf, 1)).collect();
        let (Some(mut image), Some(value)) = (self.copy_of_image(to), self.manager_of(subject).value(subject.handle()))
        else {
            return Ok(false);
        };
        let before = OwnedValue::copy_of(value);
        let (mut changed, mut marks) = (LeafSet::new(), self.marked(to.into()).clone());
        let base = self.templates.base_of(to);
        for path in due.iter().filter_map(|&leaf| path_of_leaf(value.ty(), leaf)) {
            let leaf = path.first_leaf();
            let (Some(mut target), Some(own)) = (path.follow_mut(image.as_mut()), path.follow(value)) else { continue };
            let was = OwnedValue::copy_of(target.as_ref());
            if overrides.contains(leaf) {
                value::assign(target.reborrow(), own);
                marks.insert(leaf);
            } else {
                // The items that are overridden, among those of the template.
                let mut merged = OwnedValue::copy_of(own);
                rebase(merged.as_mut(), was.as_ref(), leaf, &overrides);
                value::assign(target.reborrow(), merged.as_ref());
                if let Some(base) = base.and_then(|base| path.follow(base)) {
                    mark_items(was.as_ref(), target.as_ref(), base, leaf, &mut marks);
                    marks.add_items(&overrides, leaf);
                }
            }
            if !value::same(was.as_ref(), target.as_ref()) {
                changed.insert(leaf);
            }
        }
        // Shielded from `to` by what lies between: there the override has to stay.
        let between = self.templates.chain(self.template_of(subject)).take_while(|it| it.handle != to);
        let shields: Vec<Overrides> = between.map(|it| it.overrides.clone()).collect();
        if let Some(target) = self.marked_mut(to.into()) {
            *target = marks;
        }
        if let Some(own) = self.marked_mut(subject) {
            for &leaf in due.iter().filter(|&&leaf| !shields.iter().any(|it| it.contains_any(leaf, 1))) {
                own.remove(leaf);
            }
        }
        self.put_image(to, &image, &changed);
        self.keep_order(subject, &due, &before);
        if !due.is_empty() {
            let _ = self.templates.images.mark_dirty(to.0);
            let _ = self.manager_of_mut(subject).mark_dirty(subject.handle());
        }
        Ok(!due.is_empty())
    }

    /// Items that a template further up says now may come in another place among those of the templates between. A subject that is to look
    /// as `before` says the whole list then.
    fn keep_order(&mut self, subject: Subject, leaves: &[u32], before: &OwnedValue) {
        let Some(value) = self.manager_of(subject).value(subject.handle()) else { return };
        let mut after = OwnedValue::copy_of(value);
        let mut moved = LeafSet::new();
        for path in leaves.iter().filter_map(|&leaf| path_of_leaf(value.ty(), leaf)) {
            let (Some(mut to), Some(from)) = (path.follow_mut(after.as_mut()), path.follow(before.as_ref())) else {
                continue;
            };
            if from.ty().is_keyed() && !value::same(to.as_ref(), from) {
                value::assign(to.reborrow(), from);
                moved.insert(path.first_leaf());
            }
        }
        if moved.is_empty() {
            return;
        }
        if let Some(own) = self.marked_mut(subject) {
            for leaf in moved.iter() {
                own.insert(leaf);
            }
        }
        match subject {
            Subject::Template(handle) => self.put_image(handle, &after, &moved),
            Subject::Entity(handle) => {
                if let Some(mut value) = self.manager.value_mut(handle) {
                    value::assign(value.as_mut(), after.as_ref());
                }
            }
        }
    }

    fn overridable<'k>(&self, subject: Subject, key: &'k str) -> Result<Named<'k>, OverrideError> {
        let (_, class) = self.known_class_of(subject).map_err(|error| self.property_error(subject, error))?;
        if is_position(key) {
            return Err(OverrideError::Position { subject: self.name_of(subject) });
        }
        if self.inherited_by(subject).is_none() {
            return Err(OverrideError::NoTemplate { subject: self.name_of(subject) });
        }
        find_named(class.ty(), key).map_err(|_| self.property_error(subject, unknown(class, key)))
    }

    fn property_error(&self, subject: Subject, source: SetError) -> OverrideError {
        OverrideError::Property { subject: self.name_of(subject), source }
    }

    /// A subject as messages name it: by its file.
    pub(super) fn name_of(&self, subject: Subject) -> Box<str> {
        self.file_of(subject).unwrap_or_else(|| "an entity that is gone".to_owned()).into()
    }
}
