//! Components of templates → components of what is based on them.
//!
//! A subject is brought in line with what is above it by one function, whatever changed there: the component came, went, or has other values.
//! The cost of a change is the leaves of that component times the instances and templates below.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use juliet_core::archive::{Inherit, Inherited, LeafSet, Overrides, TemplateLine, inherit, keeps_lines, open_with};
use juliet_core::class::{ClassKind, value};
use juliet_core::entity::{AddError, EntityHandle, EntityManager};
use juliet_core::mem::{ErasedRef, OwnedValue};

use super::TemplateHandle;
use crate::world::parts::{Part, Says};
use crate::world::{Subject, World};

/// Everything that decides what a component of a subject is.
struct Rule<'r> {
    kind: ClassKind,
    says: Option<&'r Says>,
    /// What the template has.
    above: Option<ErasedRef<'r>>,
    default: Option<ErasedRef<'r>>,
    /// Whether the result is an entity, and no image.
    runs_post_init: bool,
}

impl Rule<'_> {
    /// Gives the entity behind `handle` the component that it has by this rule, or takes it away. Nothing becomes dirty. Returns whether
    /// something changed.
    fn fit(&self, manager: &mut EntityManager, handle: EntityHandle) -> bool {
        let kind = self.kind;
        let has = manager.has_component(handle, kind);
        let was_dirty = manager.is_dirty(handle);
        let (inherited, overrides) = match (self.says, self.above) {
            (Some(Says::Section(overrides)), above) => (above.or(self.default), overrides),
            (None, Some(above)) => (Some(above), const { &Overrides::NONE }),
            (None, None) | (Some(Says::Without), _) => (None, const { &Overrides::NONE }),
        };
        let class = manager.component_class(kind);
        let changed = match (inherited, has) {
            (None, false) => false,
            (None, true) => manager.remove_component_of(handle, kind).unwrap_or_default(),
            (Some(inherited), true) => {
                let Some(mut to) = manager.component_value_mut_unmarked(handle, kind) else { return false };
                let changed = !inherit(to.reborrow(), inherited, overrides).is_empty();
                if let Some(class) = class.filter(|_| changed && self.runs_post_init) {
                    class.run_post_init(to);
                }
                changed
            }
            (Some(inherited), false) => {
                // There is room for a component of every entity; where the system has no memory for it, it is as if it were taken away.
                let added = manager.add_with(handle, kind, |mut to| {
                    value::assign(to.reborrow(), inherited);
                    if let Some(class) = class.filter(|_| self.runs_post_init) {
                        class.run_post_init(to);
                    }
                });
                added.unwrap_or_default()
            }
        };
        if !was_dirty {
            let _ = manager.mark_clean(handle);
        }
        changed
    }
}

impl World {
    /// Brings a component of a subject in line with what is above and what its file says, and everything below it if that changed something.
    /// Nothing for an entity that stands alone.
    pub(in crate::world) fn follow_component(&mut self, subject: Subject, kind: ClassKind) -> bool {
        let changed = match subject {
            Subject::Entity(handle) => self.fit_instance(handle, kind),
            Subject::Template(handle) => self.fit_template(handle, kind),
        };
        if let Subject::Template(handle) = subject
            && changed
        {
            self.pass_component_on(handle, kind);
        }
        changed
    }

    fn fit_instance(&mut self, handle: EntityHandle, kind: ClassKind) -> bool {
        let Self { manager, templates, instances, .. } = self;
        let number = manager.base(handle).map_or(0, |base| base.template());
        let Some(template) = templates.numbered(number) else { return false };
        let said = instances.components(handle);
        let says = said.binary_search_by_key(&kind, |&(kind, _)| kind).ok().map(|index| &said[index].1);
        let above = templates.images.component_value(template.handle.0, kind);
        let default = templates.default_of_component(kind);
        Rule { kind, says, above, default, runs_post_init: true }.fit(manager, handle)
    }

    fn fit_template(&mut self, handle: TemplateHandle, kind: ClassKind) -> bool {
        let subject = Subject::Template(handle);
        let says = self.says(subject, kind).cloned();
        let above = self.inherited_component(subject, kind).map(OwnedValue::copy_of);
        let default = self.templates.default_of_component(kind).map(OwnedValue::copy_of);
        let rule = Rule {
            kind,
            says: says.as_ref(),
            above: above.as_ref().map(OwnedValue::as_ref),
            default: default.as_ref().map(OwnedValue::as_ref),
            runs_post_init: false,
        };
        rule.fit(&mut self.templates.images, handle.0)
    }

    /// Brings everything below a template in line with its component, which changed.
    pub(in crate::world) fn pass_component_on(&mut self, handle: TemplateHandle, kind: ClassKind) {
        let Some(template) = self.templates.get(handle) else { return };
        let children = template.children.clone();
        let instances: Vec<EntityHandle> = self.instances.of(template.instances).collect();
        for instance in instances {
            self.fit_instance(instance, kind);
        }
        for child in children {
            self.follow_component(child.into(), kind);
        }
    }

    /// Brings all components of a subject in line with what is above and what its file says.
    pub(in crate::world) fn follow_components(&mut self, subject: Subject) {
        for kind in 0..self.registry().components().len() {
            self.follow_component(subject, kind as ClassKind);
        }
    }

    /// Gives a part of a template the value `new`, which differs in `changed`, and everything below it what it inherits.
    pub(in crate::world) fn put_part(
        &mut self,
        handle: TemplateHandle,
        part: Part,
        new: &OwnedValue,
        changed: &LeafSet,
    ) {
        match part {
            Part::Body => self.put_image(handle, new, changed),
            Part::Component(kind) => {
                if let Some(image) = self.templates.images.component_value_mut_unmarked(handle.0, kind) {
                    value::assign(image, new.as_ref());
                }
                if !changed.is_empty() {
                    self.pass_component_on(handle, kind);
                }
            }
        }
    }

    /// Gives a template a component, if it has none, and everything below it.
    pub(in crate::world) fn give_component(&mut self, handle: TemplateHandle, kind: ClassKind) {
        let subject = Subject::Template(handle);
        if self.value_of(subject, Part::Component(kind)).is_none() {
            let _ = self.templates.images.mark_dirty(handle.0);
            self.say(subject, kind, Some(Says::Section(Overrides::NONE)));
            self.follow_component(subject, kind);
        }
    }

    /// Takes back everything that is said about a component. Returns whether something was.
    pub(in crate::world) fn revert_component(&mut self, subject: Subject, kind: ClassKind) -> bool {
        self.settle_subject(subject);
        if self.say(subject, kind, None).is_none() {
            return false;
        }
        if self.inherited_component(subject, kind).is_some() {
            self.say(subject, kind, self.idle_section(subject, kind));
        }
        let _ = self.manager_of_mut(subject).mark_dirty(subject.handle());
        self.follow_component(subject, kind);
        true
    }

    /// Forgets a section that says nothing any more, if the component is inherited. One that holds comments or unknown lines stays.
    pub(in crate::world) fn forget_idle_section(&mut self, subject: Subject, kind: ClassKind) {
        let is_idle = matches!(self.says(subject, kind), Some(Says::Section(overrides)) if overrides.is_empty());
        if is_idle && self.inherited_component(subject, kind).is_some() && !self.keeps_section(subject, kind) {
            self.say(subject, kind, None);
        }
    }

    /// What is said about an inherited component that overrides nothing: nothing, or a section for the lines in it that are not the program's.
    pub(in crate::world) fn idle_section(&self, subject: Subject, kind: ClassKind) -> Option<Says> {
        self.keeps_section(subject, kind).then_some(Says::Section(Overrides::NONE))
    }

    /// Whether the section of a component holds something that is not the program's.
    fn keeps_section(&self, subject: Subject, kind: ClassKind) -> bool {
        let (Some(file), Ok((class_kind, _))) = (self.file_of_subject(subject), self.class_of(subject)) else {
            return false;
        };
        let inherited = Inherited { kind: class_kind, unknown: None, file: "" };
        let mut inherit = |_: &TemplateLine<'_>| Inherit::From(inherited);
        let opened = open_with(self.registry(), &file.label, &file.text, &mut inherit, &mut Default::default());
        opened.is_some_and(|opened| keeps_lines(&opened, kind))
    }

    /// Applies everything that a subject says about a component to a template above. Returns whether something was said.
    pub(in crate::world) fn apply_component(&mut self, subject: Subject, kind: ClassKind, to: TemplateHandle) -> bool {
        self.settle_below(to);
        if self.says(subject, kind).is_none() {
            return false;
        }
        let _ = self.manager_of_mut(subject).mark_dirty(subject.handle());
        match self.says(subject, kind) {
            None => return false,
            Some(Says::Without) => {
                self.take_component(to.into(), kind);
                // A template between may have the component itself.
                if self.inherited_component(subject, kind).is_none() {
                    self.say(subject, kind, None);
                }
            }
            Some(Says::Section(_)) => {
                let leaves = self.class_of_part(subject, Part::Component(kind)).map_or(0, |it| it.ty().leaves());
                self.give_component(to, kind);
                self.apply_leaves(subject, Part::Component(kind), 0..leaves, to);
                self.forget_idle_section(subject, kind);
            }
        }
        true
    }

    /// Takes a component away from a subject: an inherited one is recorded as such. Returns whether it was there.
    pub(in crate::world) fn take_component(&mut self, subject: Subject, kind: ClassKind) -> bool {
        if self.value_of(subject, Part::Component(kind)).is_none() {
            return false;
        }
        if self.is_based(subject) {
            let says = self.inherited_component(subject, kind).map(|_| Says::Without);
            self.say(subject, kind, says);
        }
        let _ = self.manager_of_mut(subject).mark_dirty(subject.handle());
        match self.is_based(subject) {
            true => self.follow_component(subject, kind),
            false => self.manager.remove_component_of(subject.handle(), kind).unwrap_or_default(),
        }
    }

    /// Gives new instances of a template its components; if that fails or panics they are gone.
    pub(super) fn give_components(
        &mut self,
        template: TemplateHandle,
        handles: &[EntityHandle],
    ) -> Result<(), AddError> {
        let (manager, templates) = (&mut self.manager, &self.templates);
        if templates.images.components_of(template.0).next().is_none() {
            return Ok(());
        }
        let copied = catch_unwind(AssertUnwindSafe(|| {
            for (kind, image) in templates.images.components_of(template.0) {
                let class = manager.component_class(kind);
                for &handle in handles {
                    manager.add_with(handle, kind, |mut to| {
                        value::assign(to.reborrow(), image);
                        if let Some(class) = class {
                            class.run_post_init(to);
                        }
                    })?;
                }
            }
            Ok(())
        }));
        if !matches!(copied, Ok(Ok(()))) {
            self.discard(handles);
        }
        copied.unwrap_or_else(|panic| resume_unwind(panic))
    }
}
