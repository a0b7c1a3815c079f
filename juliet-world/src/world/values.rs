//! Values of any type as trees that describe themselves, by path: what scripts, consoles and the network read and write.
//!
//! ```text
//! Light.Color.r          a property of the entity's class, or a part of one
//! Position.x             where it is
//! Velocity/Linear.x      a property of a component      Velocity/   the whole component
//! ```

use glam::Vec3;
use juliet_core::archive::Named;
use juliet_core::class::{ClassKind, value};
use juliet_core::diag::nearest;
use juliet_core::entity::{EntityHandle, Stale};
use juliet_core::mem::{ErasedMut, ErasedRef, OwnedValue};
use juliet_core::value::{Value, ValueError, get_path, set_path};

use super::edit::{is_position, named};
use super::{SetError, Subject, World};

/// Why a value was not put in. Everything is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PutError {
    /// There is no such entity or property.
    #[error(transparent)]
    Set(#[from] SetError),
    /// The value does not fit, or the path leads nowhere.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The program has no component of this name.
    #[error("no component `{component}` is registered{}", suggestion.map_or_else(String::new, |it| format!("; did you mean `{it}`?")))]
    UnknownComponent {
        /// The name.
        component: Box<str>,
        /// A component of nearly that name.
        suggestion: Option<&'static str>,
    },
    /// The entity does not have the component.
    #[error("{entity:?} has no component `{component}`")]
    NoComponent {
        /// The entity.
        entity: EntityHandle,
        /// The component.
        component: Box<str>,
    },
}

impl From<Stale> for PutError {
    fn from(stale: Stale) -> Self {
        Self::Set(stale.into())
    }
}

/// The component that a path begins with, and the path in it. A `/` in the key of an item is none of ours.
fn split_component(path: &str) -> Option<(&str, &str)> {
    let (component, rest) = path.split_once('/')?;
    if component.contains('[') { None } else { Some((component, rest)) }
}

/// The first name of a path, and whether anything follows.
fn first_name(path: &str) -> &str {
    path.split(['.', '[']).next().unwrap_or_default()
}

/// What follows `Position`.
fn position_part(path: &str) -> Option<&str> {
    let name = first_name(path);
    if !is_position(name) {
        return None;
    }
    let rest = &path[name.len()..];
    Some(rest.strip_prefix('.').unwrap_or(rest))
}

impl World {
    /// The value at `path`; the whole entity or template for an empty path. `None` for what is not there.
    ///
    /// Costs the path and what is at its end.
    #[must_use]
    pub fn get_value(&self, subject: impl Into<Subject>, path: &str) -> Option<Value> {
        let subject = subject.into();
        if let Some(part) = position_part(path) {
            let position: Vec3 = self.manager_of(subject).position(subject.handle())?.into();
            return get_path(ErasedRef::new(&position), part);
        }
        match split_component(path) {
            Some((component, rest)) => {
                let kind = self.registry().find_component_by_name(component)?.0;
                get_path(self.manager_of(subject).component_value(subject.handle(), kind)?, rest)
            }
            None => get_path(self.manager_of(subject).value(subject.handle())?, path),
        }
    }

    /// Puts a value in place of the one at `path` and says whether that changed it; what is taken is as of [`Value::put`]. What is set is
    /// overridden from then on, and what is below a template follows, as by [`set`](Self::set).
    ///
    /// O(size of the whole value).
    ///
    /// # Errors
    /// [`PutError`]; everything is then as it was.
    ///
    /// # Panics
    /// If the user's default, copy or drop does.
    pub fn set_value(&mut self, subject: impl Into<Subject>, path: &str, value: &Value) -> Result<bool, PutError> {
        let subject = subject.into();
        let handle = subject.handle();
        if let Some(part) = position_part(path) {
            let mut position: Vec3 = self.manager_of(subject).position(handle).ok_or(Stale { handle })?.into();
            set_path(ErasedMut::new(&mut position), part, value)?;
            return Ok(self.set_position(subject, position.to_array())?);
        }
        if let Some((component, rest)) = split_component(path) {
            return self.set_component_value(subject, component, rest, value);
        }
        let (_, class) = self.known_class_of(subject)?;
        let current = self.manager_of(subject).value(handle).ok_or(Stale { handle })?;
        let mut new = OwnedValue::copy_of(current);
        set_path(new.as_mut(), path, value)?;
        let first = first_name(path);
        let keys = class.properties().iter().map(|property| property.key());
        let keys: Vec<&str> = if path.is_empty() { keys.collect() } else { vec![first] };
        let mut changed = false;
        for key in keys {
            if let Named::Property(property) = named(class, key)? {
                changed |= self.put(subject, &property, new.as_ref())?;
            }
        }
        Ok(changed)
    }

    fn component_named(&self, component: &str) -> Result<ClassKind, PutError> {
        let registry = self.registry();
        registry.find_component_by_name(component).map(|(kind, _)| kind).ok_or_else(|| PutError::UnknownComponent {
            component: component.into(),
            suggestion: nearest(component, registry.components().iter().map(|class| class.name())),
        })
    }

    fn set_component_value(
        &mut self,
        subject: Subject,
        component: &str,
        path: &str,
        value: &Value,
    ) -> Result<bool, PutError> {
        let handle = subject.handle();
        self.class_of(subject)?;
        let kind = self.component_named(component)?;
        let none = || PutError::NoComponent { entity: handle, component: component.into() };
        let current = self.manager_of(subject).component_value(handle, kind).ok_or_else(none)?;
        let mut new = OwnedValue::copy_of(current);
        set_path(new.as_mut(), path, value)?;
        if value::same(current, new.as_ref()) {
            return Ok(false);
        }
        let mut to = self.manager_of_mut(subject).component_value_mut(handle, kind).ok_or_else(none)?;
        value::assign(to.as_mut(), new.as_ref());
        Ok(true)
    }
}
