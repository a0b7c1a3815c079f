//! The classes a program knows.

use std::sync::Arc;

use hashbrown::HashMap;

use super::{Class, Component, Entity, MadeClass, TypeIdentity};
use crate::mem::unknown::UnknownClass;

/// Number of a class in its registry: the order of registration.
pub type ClassKind = u16;

/// The classes a program knows, in the order they were registered.
///
/// Cheap to clone; clones share one table. Behind the classes that were registered stands one that no list and no name leads to, for
/// entities of all other classes: see [`unknown_kind`](Self::unknown_kind).
#[derive(Clone, Default, Debug)]
pub struct ClassRegistry {
    inner: Arc<Inner>,
}

#[derive(Clone, Default, Debug)]
struct Inner {
    classes: Vec<&'static Class>,
    /// CRC-32 of names and aliases → (kind, the name).
    by_crc: HashMap<u32, (Listed, &'static str), foldhash::fast::FixedState>,
    by_type: HashMap<TypeIdentity, Listed, foldhash::fast::FixedState>,
    /// Component types. Their names stand in `by_crc`, their kinds in `by_type`, too; both say which of the two lists they mean.
    components: Vec<&'static Class>,
}

/// Where a class stands.
#[derive(Clone, Copy, Debug)]
enum Listed {
    /// Among the classes of entities.
    Entity(ClassKind),
    /// Among the component types.
    Component(ClassKind),
}

impl Listed {
    fn entity(self) -> Option<ClassKind> {
        match self {
            Self::Entity(kind) => Some(kind),
            Self::Component(_) => None,
        }
    }

    fn component(self) -> Option<ClassKind> {
        match self {
            Self::Component(kind) => Some(kind),
            Self::Entity(_) => None,
        }
    }
}

/// Why a class was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The same type a second time, or another type of the same name.
    #[error("the class name `{name}` is registered twice")]
    DuplicateName {
        /// The name.
        name: &'static str,
    },
    /// Two names with one CRC-32.
    #[error(
        "the class names `{first}` and `{second}` have the same CRC-32 {crc:#010x}; rename one with `#[jasset(name = \"…\")]`"
    )]
    CrcCollision {
        /// Registered before.
        first: &'static str,
        /// Refused.
        second: &'static str,
        /// What both names hash to.
        crc: u32,
    },
    /// Two properties of one class are named by one key.
    #[error("class `{class}`: `{first}` and `{second}` both answer to the key `{key}`")]
    DuplicateKey {
        /// Name of the class.
        class: &'static str,
        /// Declared first.
        first: &'static str,
        /// Declared later.
        second: &'static str,
        /// The key.
        key: &'static str,
    },
    /// More classes than [`ClassKind`] can number.
    #[error("more than {max} classes")]
    TooMany {
        /// How many fit.
        max: usize,
    },
}

/// Why [`ClassRegistry::resolve`] found nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// No class has this kind.
    #[error("no class of kind {kind}; {count} are registered")]
    UnknownKind {
        /// The kind asked for.
        kind: ClassKind,
        /// How many there are.
        count: usize,
    },
    /// The class of this kind has another CRC.
    #[error("the class of kind {kind} is `{name}` with CRC-32 {found:#010x}, not {expected:#010x}")]
    CrcMismatch {
        /// The kind asked for.
        kind: ClassKind,
        /// The class registered under it.
        name: &'static str,
        /// CRC-32 asked for.
        expected: u32,
        /// CRC-32 of the class.
        found: u32,
    },
}

impl ClassRegistry {
    /// No classes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `T` and hands the registry on, for chains of calls.
    ///
    /// # Errors
    /// Those of [`register`](Self::register).
    pub fn with<T: Entity>(mut self) -> Result<Self, RegistryError> {
        self.register::<T>()?;
        Ok(self)
    }

    /// Adds `T`, an entity or a component, and returns its kind: its number among those of its sort. O(properties²) for the check of the keys, which also copies the table if it is shared.
    ///
    /// # Errors
    /// [`RegistryError`], naming both sides of a collision; the registry is then unchanged.
    pub fn register<T: Entity>(&mut self) -> Result<ClassKind, RegistryError> {
        check_keys(T::CLASS)?;
        self.add(T::CLASS)
    }

    /// Adds a class that was made from a schema, whose keys were checked, and returns its kind. O(aliases).
    ///
    /// # Errors
    /// [`RegistryError`]; the registry is then unchanged.
    pub(crate) fn register_made(&mut self, class: MadeClass) -> Result<ClassKind, RegistryError> {
        self.add(class.class())
    }

    /// `class` is that of a Rust type, or was made from a schema.
    fn add(&mut self, class: &'static Class) -> Result<ClassKind, RegistryError> {
        let inner = &self.inner;
        let list = if class.is_component() { &inner.components } else { &inner.classes };
        let kind = ClassKind::try_from(list.len())
            .ok()
            .filter(|&kind| kind < ClassKind::MAX)
            .ok_or(RegistryError::TooMany { max: usize::from(ClassKind::MAX) })?;
        let mut names: HashMap<u32, &'static str, foldhash::fast::FixedState> = HashMap::default();
        let aliases = class.aliases().iter().map(|alias| (crc32fast::hash(alias.as_bytes()), *alias));
        for (crc, name) in [(class.crc(), class.name())].into_iter().chain(aliases) {
            let earlier = names.insert(crc, name);
            if let Some(other) = earlier.or_else(|| inner.by_crc.get(&crc).map(|&(_, other)| other)) {
                return Err(if other == name {
                    RegistryError::DuplicateName { name }
                } else {
                    RegistryError::CrcCollision { first: other, second: name, crc }
                });
            }
        }
        let inner = Arc::make_mut(&mut self.inner);
        let (listed, list) = match class.is_component() {
            true => (Listed::Component(kind), &mut inner.components),
            false => (Listed::Entity(kind), &mut inner.classes),
        };
        list.push(class);
        for (crc, name) in names {
            inner.by_crc.insert(crc, (listed, name));
        }
        inner.by_type.insert(class.ty().type_id(), listed);
        Ok(kind)
    }

    /// All component types; the index is the kind.
    #[inline]
    pub fn components(&self) -> &[&'static Class] {
        &self.inner.components
    }

    /// The component type with this name or former name, verified byte for byte. O(length of the name).
    pub fn find_component_by_name(&self, name: &str) -> Option<(ClassKind, &'static Class)> {
        let &(listed, known) = self.inner.by_crc.get(&crc32fast::hash(name.as_bytes()))?;
        let kind = listed.component().filter(|_| known == name)?;
        Some((kind, self.inner.components[usize::from(kind)]))
    }

    /// The kind of component `T`, or `None` if it is not registered. O(1).
    #[inline]
    pub fn find_component_kind<T: Component>(&self) -> Option<ClassKind> {
        self.find_component_kind_of(T::CLASS)
    }

    /// The kind of the component type `class`, or `None` if it is not registered. O(1).
    #[inline]
    pub fn find_component_kind_of(&self, class: &Class) -> Option<ClassKind> {
        self.inner.by_type.get(&class.value_type_id())?.component()
    }

    /// All classes of entities; the index is the kind.
    #[inline]
    pub fn classes(&self) -> &[&'static Class] {
        &self.inner.classes
    }

    /// The class of `kind`, validated against `crc`. O(1).
    ///
    /// # Errors
    /// [`ResolveError`] if there is no such kind or its class has another CRC.
    pub fn resolve(&self, kind: ClassKind, crc: u32) -> Result<&'static Class, ResolveError> {
        let class = *self
            .inner
            .classes
            .get(usize::from(kind))
            .ok_or(ResolveError::UnknownKind { kind, count: self.inner.classes.len() })?;
        if class.crc() == crc {
            Ok(class)
        } else {
            Err(ResolveError::CrcMismatch { kind, name: class.name(), expected: crc, found: class.crc() })
        }
    }

    /// The class with this name or former name, verified byte for byte. O(length of the name).
    #[inline]
    pub fn find_by_name(&self, name: &str) -> Option<(ClassKind, &'static Class)> {
        let &(listed, known) = self.inner.by_crc.get(&crc32fast::hash(name.as_bytes()))?;
        let kind = listed.entity().filter(|_| known == name)?;
        Some((kind, self.inner.classes[usize::from(kind)]))
    }

    /// The kind of `T` in this registry, or `None` if it is not registered. O(1).
    #[inline]
    pub fn find_kind<T: Entity>(&self) -> Option<ClassKind> {
        self.find_kind_of(T::CLASS)
    }

    /// The kind of `class` in this registry, or `None` if it is not registered. O(1).
    #[inline]
    pub fn find_kind_of(&self, class: &Class) -> Option<ClassKind> {
        match self.inner.by_type.get(&class.value_type_id()) {
            Some(listed) => listed.entity(),
            None => (!class.is_known()).then(|| self.unknown_kind()),
        }
    }

    /// The kind of entities whose class is none of these: they have an id and a place, and no property. The next class that is registered
    /// takes the number, so it means something only once the registry is in use.
    #[inline]
    pub fn unknown_kind(&self) -> ClassKind {
        // Fits: no more classes are registered than there are kinds.
        self.inner.classes.len() as ClassKind
    }

    /// The class of `kind`, the one for entities of other classes included.
    #[inline]
    pub(crate) fn class_of(&self, kind: ClassKind) -> Option<&'static Class> {
        match self.inner.classes.get(usize::from(kind)) {
            Some(&class) => Some(class),
            None => (kind == self.unknown_kind()).then_some(UnknownClass::CLASS),
        }
    }
}

/// The macro has checked the keys of one struct; aliases across spellings are checked here too, since the macro's check is a courtesy.
fn check_keys(class: &'static Class) -> Result<(), RegistryError> {
    let properties = class.properties();
    for (i, later) in properties.iter().enumerate() {
        let keys = [later.key(), later.name()].into_iter().chain(later.meta().aliases.iter().copied());
        for key in keys {
            if let Some(first) = properties[..i].iter().find(|first| first.is_named(key)) {
                return Err(RegistryError::DuplicateKey {
                    class: class.name(),
                    first: first.name(),
                    second: later.name(),
                    key,
                });
            }
        }
    }
    Ok(())
}

/// Builds a [`ClassRegistry`](crate::ClassRegistry) of the listed types, in that order.
///
/// The result is that of [`ClassRegistry::with`](crate::ClassRegistry::with): `let classes = registry![Inert, Door]?;`
#[macro_export]
macro_rules! registry {
    ($($class:ty),* $(,)?) => {
        ::core::result::Result::Ok::<_, $crate::RegistryError>($crate::ClassRegistry::new())
            $(.and_then($crate::ClassRegistry::with::<$class>))*
    };
}
