//! Values of any type as trees that describe themselves, by path: what scripts, consoles and the network read and write.
//!
//! ```text
//! Light.Color.r          a property of the entity's class, or a part of one
//! Position.x             where it is
//! Velocity/Linear.x      a property of a component      Velocity/   the whole component
//! ```

use glam::Vec3;
use juliet_core::archive::Named;
use juliet_core::entity::Stale;
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
}

impl From<Stale> for PutError {
    fn from(stale: Stale) -> Self {
        Self::Set(stale.into())
    }
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
        let key = self.key_of_any(subject, path).ok()?;
        get_path(self.value_of(subject, key.part)?, key.rest)
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
        let place = self.place_of(subject, path)?;
        let mut new = OwnedValue::copy_of(self.live_value(subject, place.part)?);
        set_path(new.as_mut(), place.rest, value)?;
        if place.rest.is_empty() {
            return Ok(self.put(subject, place.part, None, new.as_ref())?);
        }
        match named(place.class, first_name(place.rest))? {
            Named::Property(property) => Ok(self.put(subject, place.part, Some(&property), new.as_ref())?),
            Named::Item(_) => Ok(false),
        }
    }
}
