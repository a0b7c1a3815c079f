//! The parts of a subject: the entity itself and its components, each with a value, what it inherits, and what is marked.
//!
//! ```text
//! "Mass"              the property of the class
//! "Velocity/Linear"   the property of the component
//! "Velocity/"         the component as a whole
//! ```
//!
//! What the file of an instance or a template says about a component is one of three things:
//!
//! | line | there | has the component | its leaves |
//! |---|---|---|---|
//! | none | nothing | as the template has | as the template has them |
//! | `; component: Velocity` | [`Says::Section`] | yes | those it says; else as the template has them, else the defaults of the type |
//! | `; without: Velocity` | [`Says::Without`] | no | |

use juliet_core::Class;
use juliet_core::archive::{Opened, Overrides, Read};
use juliet_core::class::ClassKind;
use juliet_core::diag::nearest;
use juliet_core::entity::{Stale, ValueMut};
use juliet_core::mem::ErasedRef;

use super::{SetError, Subject, World};

/// The entity itself, or one of its components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Part {
    /// The entity itself.
    Body,
    /// The component of this kind.
    Component(ClassKind),
}

/// What the file of an instance or a template says about a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// It has a section, which says these leaves.
    Section(Overrides),
    /// The inherited component is not there.
    Without,
}

/// Everything that the file of an instance or a template says itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    /// About the entity itself.
    pub(super) overrides: Overrides,
    /// About components, by kind.
    pub(super) components: Vec<(ClassKind, Says)>,
}

impl Ledger {
    /// What a file that was read says.
    pub(super) fn of(opened: &Opened<'_>, read: &Read) -> Self {
        let sections = opened.components().zip(read.components());
        let sections = sections.map(|(part, read)| (part.kind(), Says::Section(read.overrides())));
        let without = opened.without().map(|(kind, _)| (kind, Says::Without));
        let mut components: Vec<_> = sections.chain(without).collect();
        components.sort_by_key(|&(kind, _)| kind);
        Self { overrides: read.overrides(), components }
    }
}

impl From<Overrides> for Ledger {
    fn from(overrides: Overrides) -> Self {
        Self { overrides, components: Vec::new() }
    }
}

/// A key taken apart.
#[derive(Clone, Copy)]
pub(super) struct Key<'k> {
    pub(super) part: Part,
    pub(super) class: &'static Class,
    /// The key in that class; empty for a component as a whole.
    pub(super) rest: &'k str,
}

impl Key<'_> {
    /// Whether the key names a component as a whole.
    pub(super) fn is_whole(&self) -> bool {
        self.part != Part::Body && self.rest.is_empty()
    }

    /// What stands before the keys of the part.
    pub(super) fn prefix(&self) -> String {
        prefix_of(self.part, self.class)
    }
}

/// What stands before the keys of a part: `Velocity/`, nothing for those of the entity itself.
pub(super) fn prefix_of(part: Part, class: &Class) -> String {
    match part {
        Part::Body => String::new(),
        Part::Component(_) => format!("{}/", class.name()),
    }
}

/// The component that a key names, and the key in it; `None` for a key of the entity itself. A `/` in the key of an item is a part of that.
fn split(key: &str) -> Option<(&str, &str)> {
    key.split_once('/').filter(|(name, _)| !name.contains(['[', '"']))
}

impl World {
    /// Takes a key of a subject apart. The component need not be there.
    ///
    /// # Errors
    /// [`SetError`] if the subject is gone, or class or component are not known.
    pub(super) fn key_of<'k>(&self, subject: Subject, key: &'k str) -> Result<Key<'k>, SetError> {
        match split(key) {
            None => {
                let (_, class) = self.known_class_of(subject)?;
                Ok(Key { part: Part::Body, class, rest: key })
            }
            Some((name, rest)) => {
                self.class_of(subject)?;
                let (kind, class) = self.component_named(name)?;
                Ok(Key { part: Part::Component(kind), class, rest })
            }
        }
    }

    /// As [`key_of`](Self::key_of), also for a subject of an unknown class.
    pub(super) fn key_of_any<'k>(&self, subject: Subject, key: &'k str) -> Result<Key<'k>, SetError> {
        match split(key) {
            None => Ok(Key { part: Part::Body, class: self.class_of(subject)?.1, rest: key }),
            Some(_) => self.key_of(subject, key),
        }
    }

    /// As [`key_of`](Self::key_of), for a component that the subject has.
    pub(super) fn place_of<'k>(&self, subject: Subject, key: &'k str) -> Result<Key<'k>, SetError> {
        let key = self.key_of(subject, key)?;
        match self.value_of(subject, key.part) {
            Some(_) => Ok(key),
            None => Err(SetError::NoComponent { component: key.class.name().into() }),
        }
    }

    /// The component type of this name, former names included.
    pub(super) fn component_named(&self, name: &str) -> Result<(ClassKind, &'static Class), SetError> {
        let registry = self.registry();
        registry.find_component_by_name(name).ok_or_else(|| {
            let names = registry.components().iter().map(|class| class.name());
            SetError::UnknownComponent { component: name.into(), suggestion: nearest(name, names).map(Into::into) }
        })
    }

    /// The parts that a subject has: itself, and its components in the order of the registry. O(component types).
    pub(super) fn parts_of(&self, subject: Subject) -> impl Iterator<Item = Part> {
        let components = self.manager_of(subject).components_of(subject.handle());
        std::iter::once(Part::Body).chain(components.map(|(kind, _)| Part::Component(kind)))
    }

    /// The class of a part, in its list of the registry; `None` for a subject that is gone.
    pub(super) fn class_of_part(&self, subject: Subject, part: Part) -> Option<&'static Class> {
        match part {
            Part::Body => self.class_of(subject).ok().map(|(_, class)| class),
            Part::Component(kind) => self.registry().components().get(usize::from(kind)).copied(),
        }
    }

    /// The value of a part.
    #[inline]
    pub(super) fn value_of(&self, subject: Subject, part: Part) -> Option<ErasedRef<'_>> {
        let manager = self.manager_of(subject);
        match part {
            Part::Body => manager.value(subject.handle()),
            Part::Component(kind) => manager.component_value(subject.handle(), kind),
        }
    }

    /// The value of a part, to be written.
    #[inline]
    pub(super) fn value_of_mut(&mut self, subject: Subject, part: Part) -> Option<ValueMut<'_>> {
        let manager = self.manager_of_mut(subject);
        match part {
            Part::Body => manager.value_mut(subject.handle()),
            Part::Component(kind) => manager.component_value_mut(subject.handle(), kind),
        }
    }

    /// The value of a part that the subject has.
    pub(super) fn live_value(&self, subject: Subject, part: Part) -> Result<ErasedRef<'_>, Stale> {
        self.value_of(subject, part).ok_or(Stale { handle: subject.handle() })
    }

    /// What a part inherits; `None` for an entity that stands alone. A component that nothing above has inherits the defaults of its type.
    pub(super) fn inherited_by(&self, subject: Subject, part: Part) -> Option<ErasedRef<'_>> {
        match (subject, part) {
            (Subject::Entity(_), Part::Body) => self.templates.image(self.template_of(subject)?),
            (Subject::Template(handle), Part::Body) => self.templates.base_of(handle),
            (_, Part::Component(kind)) => {
                if !self.is_based(subject) {
                    return None;
                }
                self.inherited_component(subject, kind).or_else(|| self.templates.default_of_component(kind))
            }
        }
    }

    /// The component that a subject would have if its file said nothing about it.
    pub(super) fn inherited_component(&self, subject: Subject, kind: ClassKind) -> Option<ErasedRef<'_>> {
        self.templates.images.component_value(self.template_of(subject)?.0, kind)
    }

    /// Whether the file of a subject leaves things to others: that of an instance or a template does.
    pub(super) fn is_based(&self, subject: Subject) -> bool {
        matches!(subject, Subject::Template(_)) || self.template_of(subject).is_some()
    }

    /// What is said about components; nothing of an entity that stands alone, which says everything.
    pub(super) fn said_components(&self, subject: Subject) -> &[(ClassKind, Says)] {
        match subject {
            Subject::Entity(handle) => self.instances.components(handle),
            Subject::Template(handle) => self.templates.get(handle).map_or(&[], |it| &it.components),
        }
    }

    /// What is said about one component.
    pub(super) fn says(&self, subject: Subject, kind: ClassKind) -> Option<&Says> {
        let said = self.said_components(subject);
        let index = said.binary_search_by_key(&kind, |&(kind, _)| kind).ok()?;
        Some(&said[index].1)
    }

    pub(super) fn says_mut(&mut self, subject: Subject, kind: ClassKind) -> Option<&mut Says> {
        let said = match subject {
            Subject::Entity(handle) => self.instances.components_mut(handle)?,
            Subject::Template(handle) => &mut self.templates.get_mut(handle)?.components,
        };
        let index = said.binary_search_by_key(&kind, |&(kind, _)| kind).ok()?;
        Some(&mut said[index].1)
    }

    /// Notes what is said about a component from now on; nothing with `None`. Returns what was.
    pub(super) fn say(&mut self, subject: Subject, kind: ClassKind, says: Option<Says>) -> Option<Says> {
        let said = match subject {
            Subject::Entity(handle) => self.instances.components_entry(handle),
            Subject::Template(handle) => &mut self.templates.get_mut(handle)?.components,
        };
        let was = match (said.binary_search_by_key(&kind, |&(kind, _)| kind), says) {
            (Ok(index), Some(says)) => Some(std::mem::replace(&mut said[index].1, says)),
            (Ok(index), None) => Some(said.remove(index).1),
            (Err(index), Some(says)) => {
                said.insert(index, (kind, says));
                None
            }
            (Err(_), None) => None,
        };
        if let Subject::Entity(handle) = subject {
            self.instances.forget_empty(handle);
        }
        was
    }

    pub(super) fn marked(&self, subject: Subject, part: Part) -> &Overrides {
        match (subject, part) {
            (Subject::Entity(handle), Part::Body) => self.instances.overrides(handle),
            (Subject::Template(handle), Part::Body) => {
                self.templates.get(handle).map_or(&Overrides::NONE, |it| &it.overrides)
            }
            (_, Part::Component(kind)) => match self.says(subject, kind) {
                Some(Says::Section(overrides)) => overrides,
                _ => &Overrides::NONE,
            },
        }
    }

    /// Gives a part new marks. A component that nothing was said of has a section from now on.
    pub(super) fn mark(&mut self, subject: Subject, part: Part, overrides: Overrides) {
        match (subject, part) {
            (Subject::Entity(handle), Part::Body) => *self.instances.overrides_mut(handle) = overrides,
            (Subject::Template(handle), Part::Body) => {
                if let Some(template) = self.templates.get_mut(handle) {
                    template.overrides = overrides;
                }
            }
            (_, Part::Component(kind)) => drop(self.say(subject, kind, Some(Says::Section(overrides)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_a_component_before_its_first_slash() {
        assert_eq!(split("Velocity/Linear.X"), Some(("Velocity", "Linear.X")));
        assert_eq!(split("Velocity/"), Some(("Velocity", "")));
        assert_eq!(split("Bag/Items[a/b].Count"), Some(("Bag", "Items[a/b].Count")));
        for own in ["Linear", "Items[a/b].Count", "Items[\"a/b\"]", ""] {
            assert_eq!(split(own), None, "{own}");
        }
    }
}
