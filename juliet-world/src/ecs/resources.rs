//! Values of which there is one: input, time, the score.

use std::any::{Any, TypeId, type_name};
use std::collections::BTreeMap;

/// Why there is no such resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// Nobody has put one in.
    #[error("there is no resource `{name}`: put one in with `insert_resource`")]
    Missing {
        /// The type.
        name: &'static str,
    },
    /// It is in use by an outer `with_resource`.
    #[error("the resource `{name}` is lent to an outer `with_resource`")]
    Lent {
        /// The type.
        name: &'static str,
    },
}

/// One value of each type.
#[derive(Default)]
pub(crate) struct Resources {
    /// `None` while a value is lent.
    values: BTreeMap<TypeId, Option<Box<dyn Any + Send + Sync>>>,
}

impl Resources {
    /// Puts a value in; the one that was there. A value that is lent is not: it is dropped when it comes back.
    pub(crate) fn insert<T: Any + Send + Sync>(&mut self, value: T) -> Option<T> {
        let old = self.values.insert(TypeId::of::<T>(), Some(Box::new(value))).flatten();
        old.and_then(|old| old.downcast().ok()).map(|old| *old)
    }

    pub(crate) fn contains<T: Any>(&self) -> bool {
        self.values.contains_key(&TypeId::of::<T>())
    }

    pub(crate) fn get<T: Any>(&self) -> Result<&T, ResourceError> {
        let value = self.values.get(&TypeId::of::<T>()).ok_or_else(missing::<T>)?;
        value.as_ref().and_then(|value| value.downcast_ref()).ok_or_else(lent::<T>)
    }

    pub(crate) fn get_mut<T: Any>(&mut self) -> Result<&mut T, ResourceError> {
        let value = self.values.get_mut(&TypeId::of::<T>()).ok_or_else(missing::<T>)?;
        value.as_mut().and_then(|value| value.downcast_mut()).ok_or_else(lent::<T>)
    }

    /// Takes a value out for good.
    pub(crate) fn remove<T: Any>(&mut self) -> Result<T, ResourceError> {
        let value = self.lend::<T>()?;
        self.values.remove(&TypeId::of::<T>());
        Ok(*value)
    }

    /// Takes a value out and keeps its place.
    pub(crate) fn lend<T: Any>(&mut self) -> Result<Box<T>, ResourceError> {
        let place = self.values.get_mut(&TypeId::of::<T>()).ok_or_else(missing::<T>)?;
        place.take().and_then(|value| value.downcast().ok()).ok_or_else(lent::<T>)
    }

    /// Puts a value back that was lent; hands it back if another one was put in meanwhile.
    pub(crate) fn give_back<T: Any + Send + Sync>(&mut self, value: Box<T>) -> Option<Box<T>> {
        let place = self.values.entry(TypeId::of::<T>()).or_default();
        if place.is_some() {
            return Some(value);
        }
        *place = Some(value);
        None
    }
}

fn missing<T>() -> ResourceError {
    ResourceError::Missing { name: type_name::<T>() }
}

fn lent<T>() -> ResourceError {
    ResourceError::Lent { name: type_name::<T>() }
}
