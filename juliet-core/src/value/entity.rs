//! An entity of a manager as serde data: what its file would say.
//!
//! ```text
//! {"Class": "Inert", "Id": "0x0100000000000042", "Position": [142.5, 12.0, -84.2], "MeshAsset": "Assets/…", …}
//! ```
//!
//! No property can have one of the first three names, so they need no object of their own.

use std::collections::HashSet;
use std::fmt;

use glam::Vec3;
use indexmap::IndexMap;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Error as _, Serialize, SerializeMap, Serializer};

use super::Value;
use super::de::{Budget, Trail, Typed as TypedSeed, twice};
use super::error::ValueError;
use super::put::find_field;
use super::ser::{Typed, serialize_fields};
use crate::class::shape::EntityRef;
use crate::class::value::swap_changed;
use crate::class::{Property, PropertyType};
use crate::diag::Code;
use crate::entity::{BaseRef, EntityHandle, EntityManager, Stale};
use crate::mem::{ErasedMut, PropertyValue};

/// An entity as serde data: class, id (unless it has none yet), position and value.
///
/// ```
/// use juliet_core::value::{EntityAsSerde, EntitySeed};
/// use juliet_core::{Entity, EntityManager};
/// use juliet_derive::Entity;
/// use serde::de::DeserializeSeed;
///
/// #[derive(Entity)]
/// struct Rock {
///     #[jasset(default = 1.5)]
///     mass: f32,
///     tags: Vec<String>,
/// }
///
/// let mut manager = EntityManager::new(juliet_core::registry![Rock]?)?;
/// let handle = manager.spawn(Rock::default_value(), glam::Vec3::new(1.0, 2.0, 3.0))?;
/// let json = serde_json::to_string(&EntityAsSerde { manager: &manager, handle })?;
/// assert_eq!(json, r#"{"Class":"Rock","Position":[1.0,2.0,3.0],"Mass":1.5,"Tags":[]}"#);
///
/// let json = json.replace("1.5", "4").replace("[]", r#"["big"]"#);
/// let seed = EntitySeed { manager: &mut manager, handle };
/// seed.deserialize(&mut serde_json::Deserializer::from_str(&json))?;
/// let rock = manager.get::<Rock>(handle).expect("it was just spawned");
/// assert_eq!((rock.mass, &*rock.tags), (4.0, &["big".to_owned()][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of the format, and one for an entity that was removed.
#[derive(Clone, Copy)]
pub struct EntityAsSerde<'a> {
    /// Where the entity is.
    pub manager: &'a EntityManager,
    /// Which one it is.
    pub handle: EntityHandle,
}

impl Serialize for EntityAsSerde<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { manager, handle } = *self;
        let found = manager.base(handle).zip(manager.value(handle));
        let (base, from) = found.ok_or_else(|| S::Error::custom(Stale { handle }))?;
        let (fields, value) = (base.class().properties(), Value::of(from));
        let mut map = serializer.serialize_map(Some(fields.len() + 2 + usize::from(base.id() != 0)))?;
        map.serialize_entry("Class", base.class().name())?;
        if base.id() != 0 {
            map.serialize_entry("Id", &Typed { value: &Value::Entity(base.id()), ty: EntityRef::TYPE })?;
        }
        let [x, y, z, _] = base.position().to_array();
        map.serialize_entry("Position", &Typed { value: &Value::Vector(vec![x, y, z]), ty: Vec3::TYPE })?;
        serialize_fields(fields, &value, &mut map)?;
        map.end()
    }
}

/// Puts serde data into an entity and marks it as dirty.
///
/// `Class` and `Id` may be left out; where they are given they have to be those of the entity. What is left out else stays as it is. Unless all of
/// the data is good, so does the entity.
///
/// # Errors
/// Those of [`SerdeSeed`](super::SerdeSeed), for another class or id, and for an entity that was removed.
///
/// # Panics
/// If the user's default, copy or drop does. The entity is then as it was, or has all of the data.
pub struct EntitySeed<'a> {
    /// Where the entity is.
    pub manager: &'a mut EntityManager,
    /// Which one it is.
    pub handle: EntityHandle,
}

impl<'de> DeserializeSeed<'de> for EntitySeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let Self { manager, handle } = self;
        let stale = || D::Error::custom(Stale { handle });
        let found = deserializer.deserialize_map(Lines { base: manager.base(handle).ok_or_else(stale)? })?;
        let value = manager.value_mut_unmarked(handle).ok_or_else(stale)?;
        let mut new = found.value.put_in_copy(value.as_ref()).map_err(D::Error::custom)?;
        // From here on no user code runs until the old value is dropped, last of all.
        swap_changed(value, new.as_mut());
        if let (Some(to), Some(at)) = (manager.position_mut(handle), found.position) {
            *to.into_mut() = at.into();
        }
        manager.mark_dirty(handle).map_err(D::Error::custom)
    }
}

/// What the data says of an entity.
struct Found {
    position: Option<Vec3>,
    value: Value,
}

/// The data of an entity, checked against its base.
struct Lines<'a> {
    base: BaseRef<'a>,
}

impl<'de> Visitor<'de> for Lines<'_> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the properties of a {}", self.base.class().name())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Found, A::Error> {
        let fields = self.base.class().properties();
        let (mut seen, mut position, mut values) = (HashSet::new(), None, IndexMap::new());
        let empty = &Budget::new();
        while let Some(line) = pairs.next_key_seed(LineOf { fields })? {
            let (key, ty) = line.described();
            let trail = Trail::Key(&Trail::Start, key);
            let value = pairs.next_value_seed(TypedSeed { ty, trail: &trail, depth: 1, empty })?;
            if !seen.insert(key) {
                return Err(twice(key, &Trail::Start));
            }
            let error = |error: ValueError| A::Error::custom(error.within(key));
            match line {
                Line::Class => self.check_class(&read(&value).map_err(error)?).map_err(error)?,
                Line::Id => self.check_id(read(&value).map_err(error)?).map_err(error)?,
                Line::Position => position = Some(read(&value).map_err(error)?),
                Line::Field(_) => drop(values.insert(key.to_owned(), value)),
            }
        }
        Ok(Found { position, value: Value::Struct(values) })
    }
}

/// The value that a tree stands for.
fn read<T: PropertyValue>(tree: &Value) -> Result<T, ValueError> {
    let mut value = T::default_value();
    tree.put(ErasedMut::new(&mut value))?;
    Ok(value)
}

impl Lines<'_> {
    fn check_class(&self, name: &String) -> Result<(), ValueError> {
        let class = self.base.class();
        if name == class.name() || class.aliases().contains(&name.as_str()) {
            return Ok(());
        }
        Err(ValueError::new(Code::ClassMismatch, format!("`{}`", class.name()), format!("`{name}`")))
    }

    fn check_id(&self, id: EntityRef) -> Result<(), ValueError> {
        let own = self.base.id();
        if id.id() == own {
            return Ok(());
        }
        Err(ValueError::new(Code::BadId, format!("the id {own:#018x}"), format!("{:#018x}", id.id())))
    }
}

/// What a key of the data names.
#[derive(Clone, Copy)]
enum Line {
    Class,
    Id,
    Position,
    Field(&'static Property),
}

impl Line {
    fn described(self) -> (&'static str, &'static PropertyType) {
        match self {
            Self::Class => ("Class", String::TYPE),
            Self::Id => ("Id", EntityRef::TYPE),
            Self::Position => ("Position", Vec3::TYPE),
            Self::Field(field) => (field.key(), field.ty()),
        }
    }
}

/// A key of the data, in either spelling.
struct LineOf {
    fields: &'static [Property],
}

impl<'de> DeserializeSeed<'de> for LineOf {
    type Value = Line;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Line, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for LineOf {
    type Value = Line;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<Line, E> {
        match key {
            "Class" | "class" => Ok(Line::Class),
            "Id" | "id" => Ok(Line::Id),
            "Position" | "position" => Ok(Line::Position),
            _ => find_field(self.fields, key).map(|(_, field)| Line::Field(field)).map_err(E::custom),
        }
    }
}
