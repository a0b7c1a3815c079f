//! A schema as data, and its JSON.
//!
//! What is empty, false or absent is left out of the text. Fields that this program does not know are ignored, so that it reads what a
//! newer one of the same [`SCHEMA_VERSION`] wrote.

use indexmap::IndexMap;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt;

use super::check::NAME_LIMIT_BYTES;
use super::error::SchemaError;

/// The version of the form of a schema. It rises when an older program would misunderstand a newer text.
pub const SCHEMA_VERSION: u32 = 1;

/// What a registry says, without the Rust types.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schema {
    /// Version of the form, [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// The classes, in the order they were registered.
    pub classes: Vec<ClassSchema>,
    /// The component types, in the order they were registered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub components: Vec<ClassSchema>,
    /// Every type that a property has, once, in the order they are met.
    pub types: Vec<TypeSchema>,
}

/// A class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassSchema {
    /// Name in files.
    pub name: String,
    /// CRC-32 (IEEE) of the name.
    pub crc: u32,
    /// Version of the class.
    pub version: u32,
    /// Former names that are read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Doc comment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// [`Class::schema_hash`](crate::Class::schema_hash) as 16 hexadecimal digits.
    pub schema_hash: String,
    /// Whether values are copied as bytes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub blittable: bool,
    /// Whether a function reads files of an older version.
    #[serde(default, skip_serializing_if = "is_false")]
    pub migrates: bool,
    /// The newest version of the files that the steps of a migration take; 0 for every one below the current.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub migrates_until: u32,
    /// Keys of properties that are gone; their lines are read as nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    /// The properties, in declaration order.
    pub properties: Vec<PropertySchema>,
}

/// A property of a class, a field of a struct, or a field of a variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PropertySchema {
    /// Key in the colon spelling: `MeshAsset`.
    pub key: String,
    /// Key in the node spelling: `mesh_asset`.
    pub name: String,
    /// Name of the type, that of an entry of [`Schema::types`].
    #[serde(rename = "type")]
    pub ty: String,
    /// The default as a file of the colon spelling has it. None for a variant's data without names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<DefaultSchema>,
    /// The default as the program's source has it, if it names one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub default_source: String,
    /// Doc comment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// Unit, such as `kg`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// Sensible values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<RangeSchema>,
    /// Step of an input widget.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<f64>,
    /// Heading in an inspector.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// Class version that introduced it; 0 if not said.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub since: u32,
    /// Further keys that are read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Not shown in an inspector.
    #[serde(default, skip_serializing_if = "is_false")]
    pub hidden: bool,
    /// Shown but not edited in an inspector.
    #[serde(default, skip_serializing_if = "is_false")]
    pub read_only: bool,
}

impl PropertySchema {
    /// A property that says nothing of itself.
    pub(super) fn plain(key: &str, name: &str, ty: &str) -> Self {
        Self {
            key: key.to_owned(),
            name: name.to_owned(),
            ty: ty.to_owned(),
            default: None,
            default_source: String::new(),
            doc: String::new(),
            unit: String::new(),
            range: None,
            step: None,
            group: String::new(),
            since: 0,
            aliases: Vec::new(),
            hidden: false,
            read_only: false,
        }
    }
}

/// A default value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum DefaultSchema {
    /// Of a leaf: its text.
    Text(String),
    /// Of a struct: the defaults of its fields by their keys, in declaration order.
    Fields(IndexMap<String, DefaultSchema>),
}

/// By hand, since a derived one would keep the last of two defaults for one key.
impl<'de> Deserialize<'de> for DefaultSchema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DefaultVisitor)
    }
}

struct DefaultVisitor;

impl<'de> Visitor<'de> for DefaultVisitor {
    type Value = DefaultSchema;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, or the defaults of fields by their keys")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<DefaultSchema, E> {
        Ok(DefaultSchema::Text(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<DefaultSchema, A::Error> {
        let mut fields = IndexMap::new();
        while let Some((key, default)) = pairs.next_entry::<String, DefaultSchema>()? {
            if fields.contains_key(&key) {
                return Err(A::Error::custom(format_args!("two defaults for `{key}`")));
            }
            fields.insert(key, default);
        }
        Ok(DefaultSchema::Fields(fields))
    }
}

/// A closed range of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RangeSchema {
    /// Smallest sensible value; none if there is no end below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// Largest sensible value; none if there is no end above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
}

/// A type that properties have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypeSchema {
    /// Its name, close to Rust's: `Vec<EntityRef>`. The second of two types with one name ends with `#2`.
    pub name: String,
    /// Doc comment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// The default of an enum if it is not its first variant, and of a wrapper if it is not that of what it wraps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<DefaultSchema>,
    /// What a wrapper says of the value inside beyond its type: range, unit and the like.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Box<PropertySchema>>,
    /// The shape.
    #[serde(flatten)]
    pub shape: Shape,
}

/// The shape of a type; `item`, `key` and `value` are names of types.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "as the variants of `Kind`")]
#[non_exhaustive]
pub enum Shape {
    Bool,
    Integer {
        signed: bool,
        bits: u8,
    },
    Float {
        bits: u8,
    },
    Char,
    Text {
        /// Largest length in bytes, of an inline string.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        capacity: Option<u64>,
    },
    Vector {
        count: u8,
        float: bool,
    },
    Quaternion,
    Color,
    AssetRef {
        asset: String,
    },
    EntityRef,
    Enum {
        variants: Vec<VariantSchema>,
    },
    Struct {
        fields: Vec<PropertySchema>,
        /// Keys of fields that are gone.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        removed: Vec<String>,
    },
    Newtype {
        item: String,
    },
    Array {
        count: u64,
        item: String,
    },
    List {
        item: String,
    },
    Map {
        key: String,
        item: String,
    },
    KeyedList {
        item: String,
        /// Name of the field that an item is known by.
        key_field: String,
    },
    Option {
        item: String,
    },
    Adapter,
}

/// A variant of an enum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariantSchema {
    /// Its text, or what that begins with.
    pub name: String,
    /// Further names that are read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// Doc comment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
    /// How its data stands.
    #[serde(default, skip_serializing_if = "VariantShape::is_unit")]
    pub style: VariantShape,
    /// Its data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<PropertySchema>,
    /// Keys of fields that are gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
}

/// How the data of a variant stands in text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VariantShape {
    /// There is none: `Idle`.
    #[default]
    Unit,
    /// By place: `Wait(2.5)`.
    Tuple,
    /// By name: `Patrol { Speed: 2 }`.
    Struct,
}

impl VariantShape {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
    fn is_unit(&self) -> bool {
        *self == Self::Unit
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
fn is_false(value: &bool) -> bool {
    !value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

impl Schema {
    /// The text of the schema: JSON with two blanks for each level and a line feed at the end. The same schema gives the same bytes.
    ///
    /// # Panics
    /// Never: a schema holds nothing that JSON cannot say.
    pub fn to_json(&self) -> String {
        let mut text =
            serde_json::to_string_pretty(self).expect("keys are texts, and serializing to memory cannot fail");
        text.push('\n');
        text
    }

    /// Reads what [`to_json`](Self::to_json) wrote, of this version or an older one. Linear in the text.
    ///
    /// # Errors
    /// [`SchemaError`], with the place where the text is at fault.
    pub fn from_json(text: &str) -> Result<Self, SchemaError> {
        #[derive(Deserialize)]
        struct Version {
            schema_version: u32,
        }
        let malformed = |error: serde_json::Error| {
            let (line, column) = (error.line(), error.column());
            let told = error.to_string();
            let message = told.rsplit_once(" at line ").map_or(told.as_str(), |(message, _)| message).to_owned();
            SchemaError::Malformed { line, column, message }
        };
        let Version { schema_version: found } = serde_json::from_str(text).map_err(malformed)?;
        if !(1..=SCHEMA_VERSION).contains(&found) {
            return Err(SchemaError::UnknownVersion { found });
        }
        let schema: Self = serde_json::from_str(text).map_err(malformed)?;
        schema.check()?;
        Ok(schema)
    }

    /// The class of this name. O(classes).
    pub fn find_class(&self, name: &str) -> Option<&ClassSchema> {
        self.classes.iter().find(|class| class.name == name)
    }

    /// The component type of this name. O(component types).
    pub fn find_component(&self, name: &str) -> Option<&ClassSchema> {
        self.components.iter().find(|class| class.name == name)
    }

    /// Classes, then component types.
    pub(super) fn all(&self) -> impl Iterator<Item = &ClassSchema> {
        self.classes.iter().chain(&self.components)
    }

    /// The type of this name. O(types).
    pub fn find_type(&self, name: &str) -> Option<&TypeSchema> {
        self.types.iter().find(|ty| ty.name == name)
    }

    /// Every name of a type stands for one, and no name for two; names of classes, which every change and every page of one repeats, are short.
    pub(super) fn check(&self) -> Result<(), SchemaError> {
        let types = Types::of(self);
        if let Some(class) = self.all().find(|class| class.name.len() > NAME_LIMIT_BYTES) {
            let (place, what, limit) = (class.name.clone(), "bytes of a name", NAME_LIMIT_BYTES as u64);
            return Err(SchemaError::TooMuch { place, what, limit });
        }
        unique("classes", self.all().map(|class| &class.name))?;
        unique("types", self.types.iter().map(|ty| &ty.name))?;
        let known = |place: &str, name: &str| match types.find(name) {
            Some(_) => Ok(()),
            None => Err(SchemaError::UnknownType { place: place.to_owned(), name: name.to_owned() }),
        };
        let all = |owner: &str, properties: &[PropertySchema]| {
            properties.iter().try_for_each(|it| known(&format!("{owner}.{}", it.name), &it.ty))
        };
        self.all().try_for_each(|class| all(&class.name, &class.properties))?;
        for ty in &self.types {
            all(&ty.name, ty.value.as_deref().map_or(&[], core::slice::from_ref))?;
            match &ty.shape {
                Shape::Struct { fields, .. } => all(&ty.name, fields)?,
                Shape::Enum { variants } => {
                    variants.iter().try_for_each(|it| all(&format!("{}.{}", ty.name, it.name), &it.fields))?;
                }
                shape => shape.inner().into_iter().flatten().try_for_each(|name| known(&ty.name, name))?,
            }
        }
        Ok(())
    }
}

fn unique<'a>(what: &'static str, mut names: impl Iterator<Item = &'a String>) -> Result<(), SchemaError> {
    let mut seen = HashSet::new();
    match names.find(|name| !seen.insert(*name)) {
        Some(name) => Err(SchemaError::DuplicateName { what, name: name.clone() }),
        None => Ok(()),
    }
}

impl Shape {
    /// The names of the types of keys and items.
    pub(super) fn inner(&self) -> [Option<&str>; 2] {
        match self {
            Self::Map { key, item } => [Some(key), Some(item)],
            Self::Newtype { item }
            | Self::Array { item, .. }
            | Self::List { item }
            | Self::KeyedList { item, .. }
            | Self::Option { item } => [None, Some(item)],
            _ => [None, None],
        }
    }
}

/// The types of a schema by name.
pub(super) struct Types<'a> {
    by_name: HashMap<&'a str, &'a TypeSchema>,
    /// The fields of structs by key, of those that were asked for.
    fields: RefCell<HashMap<&'a str, FieldsByKey<'a>>>,
}

type FieldsByKey<'a> = HashMap<&'a str, &'a PropertySchema>;

impl<'a> Types<'a> {
    pub(super) fn of(schema: &'a Schema) -> Self {
        let by_name = schema.types.iter().map(|ty| (ty.name.as_str(), ty)).collect();
        Self { by_name, fields: RefCell::default() }
    }

    /// The field of a struct with this key. O(1), and once for each struct O(fields).
    pub(super) fn field(&self, ty: &'a TypeSchema, key: &str) -> Option<&'a PropertySchema> {
        let Shape::Struct { fields, .. } = &ty.shape else { return None };
        let by_key = || fields.iter().map(|field| (field.key.as_str(), field)).collect();
        self.fields.borrow_mut().entry(&ty.name).or_insert_with(by_key).get(key).copied()
    }

    pub(super) fn find(&self, name: &str) -> Option<&'a TypeSchema> {
        self.by_name.get(name).copied()
    }

    /// The type of this name, newtypes looked through. None for newtypes of newtypes without an end.
    pub(super) fn unwrapped(&self, name: &str) -> Option<&'a TypeSchema> {
        let mut ty = self.find(name)?;
        for _ in 0..DEPTH_LIMIT {
            match &ty.shape {
                Shape::Newtype { item } => ty = self.find(item)?,
                _ => return Some(ty),
            }
        }
        None
    }
}

/// How many types may hold one another before the walk ends: a file is no proof that they come to an end.
pub(super) const DEPTH_LIMIT: usize = 64;
