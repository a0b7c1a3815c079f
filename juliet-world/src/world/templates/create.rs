//! Entities → templates and templates → entities: making, spawning, changing and leaving templates.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use juliet_core::Class;
use juliet_core::archive::{Overrides, forget_idle_removals, inherit, mark_differences};
use juliet_core::class::{ClassKind, PropertyType, value};
use juliet_core::entity::{EntityHandle, InstantiateError, Position, Stale};
use juliet_core::mem::OwnedValue;

use super::{TEMPLATE_FOLDER, TemplateHandle, TemplateRefused};
use crate::folder::{NameFault, PathFault, check_case, check_new_name, normalise, real_path};
use crate::world::components::full;
use crate::world::parts::{Ledger, Part, Says};
use crate::world::{SpawnError, Subject, World};

/// Why there is no new template. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CreateTemplateError {
    /// The entity is gone.
    #[error(transparent)]
    Stale(#[from] Stale),
    /// The path is none.
    #[error("`{path}` is no place for a template: {source}")]
    Path {
        /// The path.
        path: Box<str>,
        /// Why.
        source: PathFault,
    },
    /// The file name is none that every system takes.
    #[error("`{path}` is no place for a template: {source}")]
    Name {
        /// The path.
        path: Box<str>,
        /// Why.
        source: NameFault,
    },
    /// The path lies elsewhere.
    #[error("`{path}` is no place for a template: templates are `.jasset` files below `{TEMPLATE_FOLDER}`")]
    Place {
        /// The path.
        path: Box<str>,
    },
    /// There is a file or a template already.
    #[error("there is something at `{path}` already")]
    Exists {
        /// The path.
        path: Box<str>,
    },
    /// A file, folder or template is there whose path differs in case alone; some systems take the two for one.
    #[error("`{path}` is no place for a template: there is `{existing}`, which differs in case alone")]
    Case {
        /// The path.
        path: Box<str>,
        /// What is there.
        existing: Box<str>,
    },
    /// Another template's path has the same CRC-32.
    #[error("`{path}` has the same CRC-32 as `{other}`, which is in use; choose another name")]
    Collision {
        /// The path.
        path: Box<str>,
        /// The template that has it.
        other: Box<str>,
    },
    /// The world holds as many templates as it has room for.
    #[error("the world holds {capacity} templates, which is all it has room for")]
    Full {
        /// How many.
        capacity: usize,
    },
    /// The chain of templates would be too long.
    #[error("more than {} templates would be based on one another", super::TEMPLATE_DEPTH)]
    TooDeep,
    /// The program does not know the class of the entity, and so not what a template of it would say.
    #[error("the class `{class}` is not known to this program; what is in the file of the entity stays as it is")]
    UnknownClass {
        /// The class that the file names.
        class: Box<str>,
    },
}

impl World {
    /// Creates an instance of a template with a new id. It is dirty until it is saved; it overrides nothing.
    ///
    /// # Errors
    /// [`SpawnError`] if the template is gone, the world is full, or there is no id to give.
    ///
    /// # Panics
    /// If a clone or the `post_init` of the user does; there is no new entity then.
    pub fn spawn_from(
        &mut self,
        template: TemplateHandle,
        position: impl Into<Position>,
    ) -> Result<EntityHandle, SpawnError> {
        let (kind, class) = self.templates.class_of(template).ok_or(SpawnError::NoTemplate)?;
        let id = self.next_id()?;
        let image = self.templates.image(template).ok_or(SpawnError::NoTemplate)?;
        let handle = self.manager.instantiate(kind, image, position.into(), template.number())?;
        self.post_init_or_discard(class, &[handle]);
        self.give_components(template, &[handle]).map_err(full)?;
        self.instances.join(&mut self.templates, template, handle, Ledger::default());
        Ok(self.begin(handle, id))
    }

    /// Creates an instance of a template at each of `positions`. Costs little more than copying the template that often.
    ///
    /// # Errors
    /// Those of [`spawn_from`](Self::spawn_from); there is no new instance then.
    pub fn spawn_many_from(
        &mut self,
        template: TemplateHandle,
        positions: &[Position],
    ) -> Result<Vec<EntityHandle>, SpawnError> {
        let (kind, class) = self.templates.class_of(template).ok_or(SpawnError::NoTemplate)?;
        let mut ids = Vec::with_capacity(positions.len());
        for _ in positions {
            ids.push(self.next_id()?);
        }
        let image = self.templates.image(template).ok_or(SpawnError::NoTemplate)?;
        let (manager, number) = (&mut self.manager, template.number());
        let mut handles = Vec::new();
        if class.is_blittable() {
            handles = manager.instantiate_many(kind, image, positions, number)?;
        } else {
            handles.reserve(positions.len());
            // Copying runs the user's code; if that panics there is none of the new entities.
            let copied = catch_unwind(AssertUnwindSafe(|| {
                positions.iter().try_for_each(|&position| {
                    handles.push(manager.instantiate(kind, image, position, number)?);
                    Ok::<(), InstantiateError>(())
                })
            }));
            if !matches!(copied, Ok(Ok(()))) {
                self.discard(&handles);
            }
            copied.unwrap_or_else(|panic| resume_unwind(panic))?;
        }
        self.post_init_or_discard(class, &handles);
        self.give_components(template, &handles).map_err(full)?;
        for (&handle, id) in handles.iter().zip(ids) {
            self.instances.join(&mut self.templates, template, handle, Ledger::default());
            self.begin(handle, id);
        }
        Ok(handles)
    }

    /// Runs `post_init` on new entities that belong to nobody yet; if it panics they are gone.
    fn post_init_or_discard(&mut self, class: &'static Class, handles: &[EntityHandle]) {
        if !class.has_post_init() {
            return;
        }
        let manager = &mut self.manager;
        let done = catch_unwind(AssertUnwindSafe(|| {
            handles.iter().for_each(|&handle| {
                if let Some(value) = manager.value_mut_unmarked(handle) {
                    class.run_post_init(value);
                }
            });
        }));
        if let Err(panic) = done {
            self.discard(handles);
            resume_unwind(panic);
        }
    }

    /// Takes new entities out that belong to nobody yet. A drop that panics does not keep the others.
    pub(super) fn discard(&mut self, handles: &[EntityHandle]) {
        for &handle in handles {
            let _ = catch_unwind(AssertUnwindSafe(|| self.manager.remove(handle)));
        }
    }

    /// Makes a template of an entity, which becomes its instance and looks as before. The template's position is 0, 0, 0.
    ///
    /// A template made of an entity that stands alone says every property; one made of an instance is based on the same template and says
    /// what the instance overrode. The file is written at the next save. `path` is the whole path from `Assets/` on, or a name without
    /// folders, which lies in `Assets/Templates/` itself; `.jasset` may be left out.
    ///
    /// # Errors
    /// [`CreateTemplateError`]; nothing has changed then.
    pub fn create_template(&mut self, handle: EntityHandle, path: &str) -> Result<TemplateHandle, CreateTemplateError> {
        let base = self.manager.base(handle).ok_or(Stale { handle })?;
        let (kind, class) = (base.kind(), base.class());
        if let Some(class) = self.unknown_class(handle.into()) {
            return Err(CreateTemplateError::UnknownClass { class: class.into() });
        }
        let path = self.place_for_template(path)?;
        self.settle(handle);
        let parent = self.template_of(handle);
        if parent.is_some_and(|parent| self.templates.depth(parent) >= super::TEMPLATE_DEPTH) {
            return Err(CreateTemplateError::TooDeep);
        }
        let overrides = match parent {
            Some(_) => self.instances.overrides(handle).clone(),
            None => all_leaves(class.ty()),
        };
        let Some(template) = self.templates.insert(&path, kind, parent) else {
            return Err(CreateTemplateError::Full { capacity: self.templates.images.len() });
        };
        if let (Some(image), Some(value)) =
            (self.templates.images.value_mut_unmarked(template.0), self.manager.value(handle))
        {
            value::assign(image, value);
        }
        // What `post_init` made of inherited values stays with the entity.
        if let (Some(mut image), Some(base)) =
            (self.copy_of_image(template), parent.and_then(|it| self.templates.image(it)))
        {
            let changed = inherit(image.as_mut(), base, &overrides);
            self.put_image(template, &image, &changed);
        }
        if let Some(new) = self.templates.get_mut(template) {
            new.overrides = overrides;
        }
        self.move_components(handle, template, parent.is_some());
        // Lines of sections that are not the program's stay where they are.
        let has = self.manager.components_of(handle).map(|(kind, _)| kind);
        let components = has.filter_map(|kind| Some((kind, self.idle_section(handle.into(), kind)?))).collect();
        self.move_to_template(handle, Some(template), Ledger { overrides: Overrides::NONE, components });
        Ok(template)
    }

    /// Gives a new template what an entity says about components; of one that stood alone everything it has.
    fn move_components(&mut self, handle: EntityHandle, template: TemplateHandle, is_instance: bool) {
        let said = self.said_components(handle.into()).to_vec();
        let values: Vec<(ClassKind, OwnedValue)> =
            self.manager.components_of(handle).map(|(kind, value)| (kind, OwnedValue::copy_of(value))).collect();
        let subject = Subject::Template(template);
        for (kind, value) in values {
            let says = match said.binary_search_by_key(&kind, |&(kind, _)| kind) {
                Ok(index) => Some(said[index].1.clone()),
                Err(_) if is_instance => None,
                Err(_) => Some(Says::Section(all_leaves(value.ty()))),
            };
            if says.is_some() {
                self.say(subject, kind, says);
                let _ = self.templates.images.add_with(template.0, kind, |to| {
                    value::assign(to, value.as_ref());
                });
            }
        }
        for (kind, says) in said.into_iter().filter(|(_, says)| *says == Says::Without) {
            self.say(subject, kind, Some(says));
        }
        self.follow_components(subject);
    }

    fn place_for_template(&self, path: &str) -> Result<Box<str>, CreateTemplateError> {
        let mut whole = if path.contains(['/', '\\']) { path.to_owned() } else { format!("{TEMPLATE_FOLDER}{path}") };
        if !whole.ends_with(".jasset") {
            whole.push_str(".jasset");
        }
        let path: Box<str> = match normalise(&whole) {
            Ok(path) => path.into(),
            Err(source) => return Err(CreateTemplateError::Path { path: whole.into(), source }),
        };
        let Some(below) = path.strip_prefix(TEMPLATE_FOLDER) else { return Err(CreateTemplateError::Place { path }) };
        if let Some(source) = below.split('/').find_map(|name| check_new_name(name).err()) {
            return Err(CreateTemplateError::Name { path, source });
        }
        match self.templates.find(&path) {
            Ok(None) => {}
            Ok(Some(_)) => return Err(CreateTemplateError::Exists { path }),
            Err(other) => return Err(CreateTemplateError::Collision { other: other.into(), path }),
        }
        let on_disk =
            |project: &crate::Project| project.file_system().status(&real_path(project.root(), &path)).is_ok();
        if self.project.as_ref().is_some_and(on_disk) {
            return Err(CreateTemplateError::Exists { path });
        }
        if let Some(existing) = self.other_case(&path) {
            return Err(CreateTemplateError::Case { path, existing });
        }
        Ok(path)
    }

    /// What is at a path that differs from `path`, or from a folder of it, in case alone: a template that may not be saved yet, or
    /// something on disk. O(templates) and a listing of each folder on the way.
    fn other_case(&self, path: &str) -> Option<Box<str>> {
        let lower = |text: &str| text.to_lowercase();
        let segments = |of: &str| of.split('/').map(str::to_owned).collect::<Vec<_>>();
        let asked = segments(path);
        for known in self.templates().filter_map(|it| self.template_path(it)) {
            let known = segments(known);
            for (at, (theirs, ours)) in known.iter().zip(&asked).enumerate() {
                if theirs != ours {
                    if lower(theirs) == lower(ours) {
                        return Some(known[..=at].join("/").into());
                    }
                    break;
                }
            }
        }
        let project = self.project.as_ref()?;
        match check_case(project.file_system(), project.root(), path) {
            Err(PathFault::Case { existing, .. }) => Some(existing),
            // The last segment is that of `path`, the folders are as they are on disk.
            Err(PathFault::Missing { logical }) if !path.starts_with(&*logical) => {
                logical.rsplit_once('/').map(|(folder, _)| folder.into())
            }
            _ => None,
        }
    }

    /// Bases an entity or a template on another template.
    ///
    /// What it overrides stays; everything else it takes from the new template. An entity that stood alone looks as before: it overrides
    /// what differs.
    ///
    /// # Errors
    /// [`TemplateRefused`] if their classes differ, the program does not know them, or templates would be based on one another in a ring; nothing has changed then.
    pub fn set_template(
        &mut self,
        subject: impl Into<Subject>,
        template: TemplateHandle,
    ) -> Result<bool, TemplateRefused> {
        let subject = subject.into();
        let (_, ours) = self.class_of(subject).map_err(|_| TemplateRefused::Stale)?;
        let (_, theirs) = self.templates.class_of(template).ok_or(TemplateRefused::Stale)?;
        if let Some(class) = self.unknown_class(subject).or_else(|| self.unknown_class(template.into())) {
            return Err(TemplateRefused::UnknownClass { class: class.into() });
        }
        if ours != theirs {
            let path = self.templates.get(template).map_or("", |it| &it.path).into();
            let (theirs, ours) = (theirs.name().into(), ours.name().into());
            return Err(TemplateRefused::Class { template: path, theirs, ours });
        }
        if self.template_of(subject) == Some(template) {
            return Ok(false);
        }
        match subject {
            Subject::Template(handle) => {
                if let Some(why) = self.parent_fault(handle, template) {
                    return Err(TemplateRefused::Chain { why: why.into() });
                }
                self.settle_below(handle);
                let _ = self.templates.images.mark_dirty(handle.0);
                self.set_parent(handle, Some(template));
                if let (Some(mut image), Some(base)) = (self.copy_of_image(handle), self.templates.image(template)) {
                    let changed = inherit(image.as_mut(), base, self.marked(subject, Part::Body));
                    self.put_image(handle, &image, &changed);
                }
                self.follow_components(subject);
            }
            Subject::Entity(handle) => {
                self.settle(handle);
                let mut overrides = self.instances.overrides(handle).clone();
                let components = match self.template_of(handle) {
                    Some(_) => self.said_components(subject).to_vec(),
                    None => self.component_differences(handle, template),
                };
                let (value, image) = (self.manager.value(handle), self.templates.image(template));
                if let (None, Some(value), Some(image)) = (self.template_of(handle), value, image) {
                    mark_differences(value, image, &mut overrides);
                }
                if let (Some(mut value), Some(image)) = (self.manager.value_mut(handle), self.templates.image(template))
                {
                    inherit(value.as_mut(), image, &overrides);
                    ours.run_post_init(value.into_mut());
                }
                self.move_to_template(handle, Some(template), Ledger { overrides, components });
                self.follow_components(subject);
            }
        }
        Ok(true)
    }

    /// What an entity that stands alone has to say about components to look as before, once it is based on a template.
    fn component_differences(&self, handle: EntityHandle, template: TemplateHandle) -> Vec<(ClassKind, Says)> {
        let kinds = 0..self.registry().components().len() as ClassKind;
        let says = kinds.filter_map(|kind| {
            let above = self.templates.images.component_value(template.0, kind);
            let Some(own) = self.manager.component_value(handle, kind) else {
                return above.map(|_| (kind, Says::Without));
            };
            let mut overrides = Overrides::NONE;
            if let Some(inherited) = above.or_else(|| self.templates.default_of_component(kind)) {
                mark_differences(own, inherited, &mut overrides);
            }
            match above.is_some() && overrides.is_empty() {
                true => self.idle_section(handle.into(), kind).map(|says| (kind, says)),
                false => Some((kind, Says::Section(overrides))),
            }
        });
        says.collect()
    }

    /// Lets an entity stand alone, or a template be based on none: every value stays as it is. Returns whether it was based on one.
    ///
    /// # Errors
    /// [`TemplateRefused::Stale`] if it is gone; [`TemplateRefused::UnknownClass`] if the program does not know its class: what it inherits
    /// would be lost.
    pub fn unlink(&mut self, subject: impl Into<Subject>) -> Result<bool, TemplateRefused> {
        let subject = subject.into();
        let (kind, class) = self.class_of(subject).map_err(|_| TemplateRefused::Stale)?;
        if self.template_of(subject).is_none() {
            return Ok(false);
        }
        if let Some(class) = self.unknown_class(subject) {
            return Err(TemplateRefused::UnknownClass { class: class.into() });
        }
        match subject {
            Subject::Entity(handle) => self.move_to_template(handle, None, Ledger::default()),
            Subject::Template(handle) => {
                let _ = self.templates.images.mark_dirty(handle.0);
                self.set_parent(handle, None);
                self.own_components(handle);
                let mut overrides = self.marked(subject, Part::Body).clone();
                // What it inherited and is no default it says itself from now on.
                if let (Ok(fresh), Some(image)) = (OwnedValue::new(self.registry(), kind), self.templates.image(handle))
                {
                    mark_differences(image, fresh.as_ref(), &mut overrides);
                    forget_idle_removals(fresh.as_ref(), &mut overrides);
                }
                if let Some(template) = self.templates.get_mut(handle) {
                    template.overrides = overrides;
                }
            }
        }
        debug_assert_eq!(self.class_of(subject).map(|(_, it)| it), Ok(class));
        Ok(true)
    }

    /// Lets a template that is based on none any more say everything that it has of components and that is no default.
    fn own_components(&mut self, handle: TemplateHandle) {
        let subject = Subject::Template(handle);
        let mut said = Vec::new();
        for (kind, value) in self.templates.images.components_of(handle.0) {
            let mut overrides = self.marked(subject, Part::Component(kind)).clone();
            if let Some(default) = self.templates.default_of_component(kind) {
                mark_differences(value, default, &mut overrides);
                forget_idle_removals(default, &mut overrides);
            }
            said.push((kind, Says::Section(overrides)));
        }
        if let Some(template) = self.templates.get_mut(handle) {
            template.components = said;
        }
    }

    /// Makes an entity an instance of `template`, or of none, that says what `ledger` has. Values stay as they are.
    pub(in crate::world) fn move_to_template(
        &mut self,
        handle: EntityHandle,
        template: Option<TemplateHandle>,
        ledger: Ledger,
    ) {
        let old = self.manager.base(handle).map_or(0, |base| base.template());
        self.instances.leave(&mut self.templates, old, handle);
        let _ = self.manager.set_template(handle, template.map_or(0, TemplateHandle::number));
        if let Some(template) = template {
            self.instances.join(&mut self.templates, template, handle, ledger);
        }
        let _ = self.manager.mark_dirty(handle);
    }

    /// The path of a template, from `Assets/` on; `None` for one that was removed.
    pub fn template_path(&self, handle: TemplateHandle) -> Option<&str> {
        self.templates.get(handle).map(|it| &*it.path)
    }

    /// All templates that files named or that were loaded or made. One takes the place of a template that was removed, else they stand in the
    /// order of that.
    pub fn templates(&self) -> impl Iterator<Item = TemplateHandle> {
        self.templates.iter().map(|it| it.handle)
    }

    /// The instances of a template, without those of templates based on it, in the order in which they became instances.
    pub fn instances_of(&self, handle: TemplateHandle) -> Vec<EntityHandle> {
        self.templates.get(handle).map(|it| self.instances.of(it.instances).collect()).unwrap_or_default()
    }
}

/// Every leaf of a class; none of one without properties.
fn all_leaves(ty: &'static PropertyType) -> Overrides {
    let mut all = Overrides::NONE;
    let count = if ty.fields().is_empty() { 0 } else { ty.leaves() };
    (0..count).for_each(|leaf| {
        all.insert(leaf);
    });
    all
}
