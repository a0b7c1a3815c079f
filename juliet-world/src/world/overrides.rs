//! Overrides of entities and templates: what is marked, reverting it, and applying it to a template above.

use std::borrow::Cow;

use juliet_core::Class;
use juliet_core::archive::{
    ItemPath, ItemSays, LeafSet, Named, Overrides, find_named, for_each_override, inherit, mark_differences,
    mark_items, path_of_leaf, rebase,
};
use juliet_core::class::{ClassKind, value};
use juliet_core::entity::{EntityHandle, EntityManager, Stale};
use juliet_core::mem::{ErasedRef, OwnedValue};

use super::derived::Derived;
use super::edit::is_position;
use super::parts::{Key, Part, Says, prefix_of};
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

    /// The marks of a part, to be changed; `None` for a component that has no section.
    pub(super) fn marked_mut(&mut self, subject: Subject, part: Part) -> Option<&mut Overrides> {
        match (subject, part) {
            (Subject::Entity(handle), Part::Body) => Some(self.instances.overrides_mut(handle)),
            (Subject::Template(handle), Part::Body) => self.templates.get_mut(handle).map(|it| &mut it.overrides),
            (_, Part::Component(kind)) => match self.says_mut(subject, kind)? {
                Says::Section(overrides) => Some(overrides),
                Says::Without => None,
            },
        }
    }

    /// What a part overrides, writes through guards included: they mark what then differs.
    pub(super) fn effective_overrides(&self, subject: Subject, part: Part) -> Cow<'_, Overrides> {
        let marked = Cow::Borrowed(self.marked(subject, part));
        let Subject::Entity(handle) = subject else { return marked };
        if !self.manager.is_dirty(handle) || self.template_of(handle).is_none() {
            return marked;
        }
        let mut marked = marked;
        self.mark_written(handle, part, &mut marked);
        marked
    }

    fn mark_written(&self, handle: EntityHandle, part: Part, marked: &mut Cow<'_, Overrides>) {
        let subject = Subject::Entity(handle);
        let (Some(class), Some(value), Some(inherited)) =
            (self.class_of_part(subject, part), self.value_of(subject, part), self.inherited_by(subject, part))
        else {
            return;
        };
        let mut all = Overrides::clone(marked);
        let differs = if class.has_post_init() {
            let (shown, expected) = (OwnedValue::like(value), OwnedValue::like(value));
            Derived { class, value, inherited, shown, expected }.mark(&mut all)
        } else {
            mark_differences(value, inherited, &mut all)
        };
        if differs {
            *marked = Cow::Owned(all);
        }
    }

    /// Marks what was written through guards since it was last looked at. Nothing for an entity that stands alone or was not written.
    pub(super) fn settle(&mut self, handle: EntityHandle) {
        let subject = Subject::Entity(handle);
        if let Cow::Owned(overrides) = self.effective_overrides(subject, Part::Body) {
            *self.instances.overrides_mut(handle) = overrides;
        }
        if self.registry().components().is_empty() || !self.manager.is_dirty(handle) {
            return;
        }
        let components: Vec<Part> = self.parts_of(subject).skip(1).collect();
        for part in components {
            if let Cow::Owned(overrides) = self.effective_overrides(subject, part) {
                self.mark(subject, part, overrides);
            }
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
    ///
    /// Properties of components follow, `Velocity/Linear`; `Velocity/` stands for a component that is not inherited, and for an inherited one
    /// that was taken away.
    pub fn overrides(&self, subject: impl Into<Subject>) -> Vec<String> {
        let subject = subject.into();
        let mut keys = Vec::new();
        if !self.is_based(subject) {
            return keys;
        }
        for part in self.said_parts(subject) {
            let Some(class) = self.class_of_part(subject, part) else { continue };
            let prefix = prefix_of(part, class);
            if self.is_own_or_away(subject, part) {
                keys.push(prefix.clone());
            }
            let overrides = self.effective_overrides(subject, part);
            if let Some(value) = self.value_of(subject, part) {
                for_each_override(value, &overrides, &mut |key, _| keys.push(format!("{prefix}{key}")));
            }
        }
        keys
    }

    /// The parts that a subject has, and the components it does without, by kind.
    fn said_parts(&self, subject: Subject) -> Vec<Part> {
        let mut parts: Vec<Part> = self.parts_of(subject).collect();
        for (kind, says) in self.said_components(subject) {
            if *says == Says::Without {
                let at = parts.iter().position(|part| matches!(part, Part::Component(other) if other > kind));
                parts.insert(at.unwrap_or(parts.len()), Part::Component(*kind));
            }
        }
        parts
    }

    /// Whether a part is a component that is not inherited, or an inherited one that was taken away.
    pub(super) fn is_own_or_away(&self, subject: Subject, part: Part) -> bool {
        let Part::Component(kind) = part else { return false };
        match self.says(subject, kind) {
            Some(Says::Without) => true,
            Some(Says::Section(_)) => self.inherited_component(subject, kind).is_none(),
            None => false,
        }
    }

    /// Whether a property, or one below it, is overridden; of a component as a whole, `Velocity/`, whether anything is said about it. `false`
    /// for what is not there.
    pub fn is_overridden(&self, subject: impl Into<Subject>, key: &str) -> bool {
        let subject = subject.into();
        let Ok(key) = self.key_of_any(subject, key) else { return false };
        if key.is_whole() {
            return self.is_own_or_away(subject, key.part) || !self.effective_overrides(subject, key.part).is_empty();
        }
        let Some(value) = self.value_of(subject, key.part) else { return false };
        let overrides = self.effective_overrides(subject, key.part);
        match find_named(key.class.ty(), key.rest) {
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
    /// a template follows. The key of a component as a whole, `Velocity/`, takes back everything that is said about it: one that is not
    /// inherited goes, one that was taken away is there again.
    ///
    /// # Errors
    /// [`OverrideError`]; nothing has changed then.
    pub fn revert(&mut self, subject: impl Into<Subject>, key: &str) -> Result<bool, OverrideError> {
        let subject = subject.into();
        let key = self.overridable(subject, key)?;
        let part = key.part;
        if let (Part::Component(kind), true) = (part, key.is_whole()) {
            return Ok(self.revert_component(subject, kind));
        }
        match self.named_in(subject, &key)? {
            Named::Property(path) => {
                Ok(self.revert_leaves(subject, part, path.first_leaf()..path.first_leaf() + path.leaves()))
            }
            Named::Item(path) => Ok(self.revert_item(subject, part, &path)),
        }
    }

    /// Takes back what is said about an item, or a part of one. An item of its own goes as a whole, and a part of it gets its default.
    fn revert_item(&mut self, subject: Subject, part: Part, path: &ItemPath<'_>) -> bool {
        self.settle_subject(subject);
        let Some(value) = self.value_of(subject, part) else { return false };
        let Some(items) = path.list.follow(value).and_then(ErasedRef::keyed) else { return false };
        let Some(key) = path.canonical(items) else { return false };
        let inherited = self.inherited_by(subject, part).and_then(|it| path.list.follow(it)).and_then(ErasedRef::keyed);
        let is_inherited = inherited.is_some_and(|items| matches!(items.find(path.key), Ok(Some(_))));
        let Some(overrides) = self.marked_mut(subject, part) else { return false };
        let had = if path.rest.is_none() {
            overrides.remove_item(path.leaf(), &key).is_some()
        } else {
            overrides.remove_item_parts(path.leaf(), &key, path.covered(), is_inherited)
        };
        if had {
            self.take_inherited(subject, part);
        }
        had
    }

    /// Gives every property what is inherited; id and position stay. Components that are not inherited go, those that were taken away are
    /// there again. Returns whether something was overridden.
    ///
    /// # Errors
    /// [`OverrideError`]; nothing has changed then.
    pub fn revert_all(&mut self, subject: impl Into<Subject>) -> Result<bool, OverrideError> {
        let subject = subject.into();
        let (_, class) = self.known_class_of(subject).map_err(|error| self.property_error(subject, error))?;
        if !self.is_based(subject) {
            return Err(OverrideError::NoTemplate { subject: self.name_of(subject) });
        }
        let mut had = self.revert_leaves(subject, Part::Body, 0..class.ty().leaves());
        let said: Vec<ClassKind> = self.said_components(subject).iter().map(|&(kind, _)| kind).collect();
        for kind in said {
            had |= self.revert_component(subject, kind);
        }
        Ok(had)
    }

    fn revert_leaves(&mut self, subject: Subject, part: Part, leaves: core::ops::Range<u32>) -> bool {
        self.settle_subject(subject);
        let Some(overrides) = self.marked_mut(subject, part) else { return false };
        // Bit by bit, so that no memory is asked for.
        let had = leaves.clone().fold(false, |had, leaf| overrides.remove(leaf) | had);
        if !had {
            return false;
        }
        self.take_inherited(subject, part);
        true
    }

    /// Gives a part what it inherits in everything it does not override, and what is below it follows.
    fn take_inherited(&mut self, subject: Subject, part: Part) {
        match (subject, part) {
            (_, Part::Component(kind)) => {
                let _ = self.manager_of_mut(subject).mark_dirty(subject.handle());
                self.forget_idle_section(subject, kind);
                self.follow_component(subject, kind);
            }
            (Subject::Entity(handle), Part::Body) => {
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
            (Subject::Template(handle), Part::Body) => {
                let Some(mut image) = self.copy_of_image(handle) else { return };
                let changed = match (self.templates.base_of(handle), self.templates.get(handle)) {
                    (Some(base), Some(template)) => inherit(image.as_mut(), base, &template.overrides),
                    _ => return,
                };
                let _ = self.templates.images.mark_dirty(handle.0);
                self.put_image(handle, &image, &changed);
            }
        }
    }

    /// Gives the value that a subject has in an overridden property to a template above it. The subject looks as before; it keeps its
    /// override only where a template between the two would shield it from that value. Of a map or keyed list, all overridden items go.
    ///
    /// A component that the template has not is there from then on, with what the subject says about it; `Velocity/` stands for everything that
    /// is said about a component, its absence included.
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
        let key = self.overridable(subject, key)?;
        let part = key.part;
        if let (Part::Component(kind), true) = (part, key.is_whole()) {
            self.check_above(subject, to)?;
            return Ok(self.apply_component(subject, kind, to));
        }
        let named = self.named_in(subject, &key)?;
        let path = named.property();
        let leaves = path.first_leaf()..path.first_leaf() + path.leaves();
        self.check_above(subject, to)?;
        Ok(self.apply_leaves(subject, part, leaves, to))
    }

    /// Applies every override to a template above, as [`apply_override`](Self::apply_override) does one.
    ///
    /// # Errors
    /// [`OverrideError`]; nothing has changed then.
    pub fn apply_all(&mut self, subject: impl Into<Subject>, to: TemplateHandle) -> Result<bool, OverrideError> {
        let subject = subject.into();
        let (_, class) = self.known_class_of(subject).map_err(|error| self.property_error(subject, error))?;
        self.check_above(subject, to)?;
        let mut had = self.apply_leaves(subject, Part::Body, 0..class.ty().leaves(), to);
        let said: Vec<ClassKind> = self.said_components(subject).iter().map(|&(kind, _)| kind).collect();
        for kind in said {
            had |= self.apply_component(subject, kind, to);
        }
        Ok(had)
    }

    /// Whether a template is one of those that a subject is based on.
    fn check_above(&self, subject: Subject, to: TemplateHandle) -> Result<(), OverrideError> {
        if self.template_of(subject).is_none() {
            return Err(OverrideError::NoTemplate { subject: self.name_of(subject) });
        }
        if self.templates.chain(self.template_of(subject)).any(|it| it.handle == to) {
            return Ok(());
        }
        let subject = self.name_of(subject);
        Err(match self.templates.get(to) {
            Some(template) => OverrideError::NotAbove { subject, template: template.path.clone() },
            None => OverrideError::TemplateGone { subject },
        })
    }

    /// Applies leaves of a part. `to` has the component, if it is one.
    pub(super) fn apply_leaves(
        &mut self,
        subject: Subject,
        part: Part,
        leaves: core::ops::Range<u32>,
        to: TemplateHandle,
    ) -> bool {
        self.settle_below(to);
        let overrides = self.marked(subject, part).clone();
        let due: Vec<u32> = leaves.filter(|&leaf| overrides.contains_any(leaf, 1)).collect();
        if due.is_empty() {
            return false;
        }
        if let Part::Component(kind) = part {
            self.give_component(to, kind);
        }
        let image = self.value_of(to.into(), part).map(OwnedValue::copy_of);
        let (Some(mut image), Some(value)) = (image, self.value_of(subject, part)) else { return false };
        let before = OwnedValue::copy_of(value);
        let (mut changed, mut marks) = (LeafSet::new(), self.marked(to.into(), part).clone());
        let base = self.inherited_by(to.into(), part);
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
        let between: Vec<Subject> = between.map(|it| it.handle.into()).collect();
        let is_shielded = |world: &Self, leaf| between.iter().any(|&it| world.shields(it, part, leaf));
        let free: Vec<u32> = due.iter().copied().filter(|&leaf| !is_shielded(self, leaf)).collect();
        let _ = self.templates.images.mark_dirty(to.0);
        let _ = self.manager_of_mut(subject).mark_dirty(subject.handle());
        self.mark(to.into(), part, marks);
        if let Some(own) = self.marked_mut(subject, part) {
            for leaf in free {
                own.remove(leaf);
            }
        }
        self.put_part(to, part, &image, &changed);
        if let Part::Component(kind) = part {
            self.forget_idle_section(subject, kind);
        }
        self.keep_order(subject, part, &due, &before);
        true
    }

    /// Whether a template keeps a leaf of a part from what is below it.
    fn shields(&self, template: Subject, part: Part, leaf: u32) -> bool {
        match part {
            Part::Component(kind) if self.says(template, kind) == Some(&Says::Without) => true,
            _ => self.marked(template, part).contains_any(leaf, 1),
        }
    }

    /// Items that a template further up says now may come in another place among those of the templates between. A subject that is to look
    /// as `before` says the whole list then.
    fn keep_order(&mut self, subject: Subject, part: Part, leaves: &[u32], before: &OwnedValue) {
        let Some(value) = self.value_of(subject, part) else { return };
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
        let mut own = self.marked(subject, part).clone();
        for leaf in moved.iter() {
            own.insert(leaf);
        }
        self.mark(subject, part, own);
        match subject {
            Subject::Template(handle) => self.put_part(handle, part, &after, &moved),
            Subject::Entity(_) => {
                if let Some(mut value) = self.value_of_mut(subject, part) {
                    value::assign(value.as_mut(), after.as_ref());
                }
            }
        }
    }

    /// A key of something that can be overridden.
    fn overridable<'k>(&self, subject: Subject, key: &'k str) -> Result<Key<'k>, OverrideError> {
        let found = self.key_of(subject, key).map_err(|error| self.property_error(subject, error))?;
        if found.part == Part::Body && is_position(key) {
            return Err(OverrideError::Position { subject: self.name_of(subject) });
        }
        if !self.is_based(subject) {
            return Err(OverrideError::NoTemplate { subject: self.name_of(subject) });
        }
        Ok(found)
    }

    /// What a key names in its class. A component need not be there: nothing is overridden in it then.
    fn named_in<'k>(&self, subject: Subject, key: &Key<'k>) -> Result<Named<'k>, OverrideError> {
        find_named(key.class.ty(), key.rest).map_err(|_| self.property_error(subject, unknown(key.class, key.rest)))
    }

    fn property_error(&self, subject: Subject, source: SetError) -> OverrideError {
        OverrideError::Property { subject: self.name_of(subject), source }
    }

    /// A subject as messages name it: by its file.
    pub(super) fn name_of(&self, subject: Subject) -> Box<str> {
        self.file_of(subject).unwrap_or_else(|| "an entity that is gone".to_owned()).into()
    }
}
