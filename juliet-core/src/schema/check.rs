//! What a schema has to be before tables are made of it: a file may be a stranger's.
//!
//! In: a schema as it was read. Out: the order in which its types can be made, or the first fault. Nothing is allocated that the schema does
//! not pay for with text of its own. Types that no class reaches are not looked at. Linear in the schema.

use std::collections::{HashMap, HashSet};

use super::data::{ClassSchema, DEPTH_LIMIT, PropertySchema, Schema, Shape, TypeSchema, VariantSchema, VariantShape};
use super::error::SchemaError;
use crate::class::colon_spelling;

/// Most bytes of a name of a class or a variant.
pub(super) const NAME_LIMIT_BYTES: usize = 1024;
/// Most bytes of a key.
const KEY_LIMIT_BYTES: usize = u16::MAX as usize - 2;
/// Most keys of a struct, aliases among them, and most texts of an enum.
const KEYS_LIMIT: usize = 8192;
/// Most parts of one value: numbers, texts, lists, items of arrays.
const PARTS_LIMIT: u64 = 1 << 16;
/// The same of an item of a list or map.
const ITEM_PARTS_LIMIT: u64 = 1 << 12;
/// Most parts of all classes and types together.
const ALL_PARTS_LIMIT: u64 = 1 << 22;
/// How many types may lead to one another, through lists and maps too.
const REACH_LIMIT: usize = 256;

/// What every entity file says of itself, in the colon spelling.
const RESERVED: [&str; 10] = [
    "AssetType",
    "Class",
    "EntityType",
    "Template",
    "Version",
    "ClassVersion",
    "Component",
    "Without",
    "Id",
    "Position",
];

/// A schema of which tables can be made.
pub(super) struct Plan<'s> {
    by_name: HashMap<&'s str, usize>,
    /// The types that the classes reach, by their places; each behind those that lie inside its values.
    pub(super) order: Vec<usize>,
}

impl Plan<'_> {
    /// The place of a type among [`Schema::types`].
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }
}

/// Looks at everything that can be told before a table is made.
pub(super) fn plan(schema: &Schema) -> Result<Plan<'_>, SchemaError> {
    schema.check()?;
    let by_name = schema.types.iter().enumerate().map(|(index, ty)| (ty.name.as_str(), index)).collect();
    let count = schema.types.len();
    let mut walk = Walk {
        schema,
        plan: Plan { by_name, order: Vec::new() },
        reached: vec![false; count],
        found: Vec::new(),
        state: vec![State::New; count],
    };
    for class in schema.all() {
        check_class(class)?;
        walk.reach_all(&class.properties, 0)?;
    }
    for index in core::mem::take(&mut walk.found) {
        walk.place(index, 0)?;
    }
    let mut all = 0;
    for class in schema.all() {
        let (parts, _) = walk.sum(&class.properties)?;
        all += limited(&class.name, "parts of a value", parts, PARTS_LIMIT)?;
    }
    for &index in &walk.plan.order {
        if let State::Placed { parts, .. } = walk.state[index] {
            all += parts;
        }
        walk.check_items(index)?;
    }
    limited("types", "parts of all values", all, ALL_PARTS_LIMIT)?;
    Ok(walk.plan)
}

fn limited(place: &str, what: &'static str, count: u64, limit: u64) -> Result<u64, SchemaError> {
    if count <= limit { Ok(count) } else { Err(SchemaError::TooMuch { place: place.to_owned(), what, limit }) }
}

pub(super) fn impossible(place: impl Into<String>, why: impl Into<String>) -> SchemaError {
    SchemaError::Impossible { place: place.into(), why: why.into() }
}

/// The hash of a class, which is written as hexadecimal digits.
pub(super) fn schema_hash(class: &ClassSchema) -> Result<u64, SchemaError> {
    let digits = class.schema_hash.as_str();
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let hash = u64::from_str_radix(digits, 16).ok().filter(|_| is_hex);
    hash.ok_or_else(|| {
        impossible(&class.name, format!("the schema hash {} is not one of 16 hexadecimal digits", shown(digits)))
    })
}

fn check_class(class: &ClassSchema) -> Result<(), SchemaError> {
    let expected = crc32fast::hash(class.name.as_bytes());
    if class.crc != expected {
        return Err(SchemaError::CrcMismatch { class: class.name.clone(), expected, found: class.crc });
    }
    for name in [&class.name].into_iter().chain(&class.aliases) {
        check_word(&class.name, name)?;
    }
    if class.version == 0 {
        return Err(impossible(&class.name, "versions begin at 1"));
    }
    schema_hash(class)?;
    check_keys(&class.name, &class.properties, &class.removed, true)
}

/// A name of a class or a variant: letters, digits, `_` and `-`.
fn check_word(place: &str, word: &str) -> Result<(), SchemaError> {
    limited(place, "bytes of a name", word.len() as u64, NAME_LIMIT_BYTES as u64)?;
    let mut letters = word.chars();
    let is_first = letters.next().is_some_and(|first| first.is_alphabetic() || first == '_');
    if is_first && letters.all(|c| c.is_alphanumeric() || c == '_' || c == '-') {
        Ok(())
    } else {
        let word = shown(word);
        Err(impossible(place, format!("{word} is no name: letters, digits, `_` and `-`, a letter first")))
    }
}

/// `removed` names keys that are gone; `is_class`: whether the keys stand beside directives and the position.
fn check_keys(place: &str, fields: &[PropertySchema], removed: &[String], is_class: bool) -> Result<(), SchemaError> {
    limited(place, "removed keys", removed.len() as u64, KEYS_LIMIT as u64)?;
    let count: usize = fields.iter().map(|field| 1 + field.aliases.len()).sum();
    limited(place, "keys", count as u64, KEYS_LIMIT as u64)?;
    let mut taken: HashMap<String, usize> = HashMap::new();
    for (index, field) in fields.iter().enumerate() {
        if colon_spelling_of(&field.name).as_deref() != Some(&*field.key) {
            let (key, name) = (shown(&field.key), shown(&field.name));
            let why = format!("{key} is not the colon spelling of the key {name}");
            return Err(impossible(place, why));
        }
        for text in [&field.name].into_iter().chain(&field.aliases) {
            let key = check_key_text(place, text, is_class)?;
            if taken.get(&key).is_some_and(|&other| other != index) {
                return Err(SchemaError::DuplicateKey { place: place.to_owned(), key });
            }
            taken.insert(key, index);
        }
    }
    let mut gone = HashSet::new();
    for text in removed {
        let key = check_key_text(place, text, is_class)?;
        if taken.contains_key(&key) {
            return Err(impossible(place, format!("the removed key {} is that of a property as well", shown(text))));
        }
        if !gone.insert(key) {
            return Err(impossible(place, format!("the key {} is removed twice", shown(text))));
        }
    }
    Ok(())
}

/// The colon spelling of a key, if a file could have it.
fn check_key_text(place: &str, text: &str, is_class: bool) -> Result<String, SchemaError> {
    let Some(key) = colon_spelling_of(text) else {
        return Err(impossible(place, format!("{} would not be read back as one key", shown(text))));
    };
    if is_class && RESERVED.contains(&&*key) {
        return Err(impossible(place, format!("{} is the key of a directive or of the position", shown(text))));
    }
    Ok(key)
}

/// A text of a stranger in quotes, cut where it is long.
fn shown(text: &str) -> String {
    let cut: String = text.chars().take(100).collect();
    if cut.len() < text.len() { format!("{:?}…", cut) } else { format!("{text:?}") }
}

/// The colon spelling of what can be a key.
fn colon_spelling_of(text: &str) -> Option<String> {
    let is_marked = |c: char| c.is_whitespace() || c.is_control() || ":.[]{}\";#!,/\\=".contains(c);
    if text.len() > KEY_LIMIT_BYTES || text.contains(is_marked) {
        return None;
    }
    Some(colon_spelling(text)).filter(|key| !key.is_empty() && key.len() <= KEY_LIMIT_BYTES)
}

fn check_variants(ty: &TypeSchema, variants: &[VariantSchema]) -> Result<(), SchemaError> {
    if variants.is_empty() {
        return Err(impossible(&ty.name, "an enum has at least one variant"));
    }
    let count: usize = variants.iter().map(|variant| 1 + variant.aliases.len()).sum();
    limited(&ty.name, "variants", count as u64, KEYS_LIMIT as u64)?;
    let mut taken = HashSet::new();
    for variant in variants {
        for text in [&variant.name].into_iter().chain(&variant.aliases) {
            check_word(&ty.name, text)?;
            if text.eq_ignore_ascii_case("none") {
                return Err(impossible(&ty.name, format!("{text:?} is what an absent value is written as")));
            }
            if !taken.insert(text) {
                return Err(SchemaError::DuplicateKey { place: ty.name.clone(), key: text.clone() });
            }
        }
        let place = format!("{}.{}", ty.name, variant.name);
        if variant.style == VariantShape::Unit && !variant.fields.is_empty() {
            return Err(impossible(place, "a variant without a style holds nothing"));
        }
        if variant.style != VariantShape::Struct && !variant.removed.is_empty() {
            return Err(impossible(place, "only a variant with named fields has keys that are removed"));
        }
        check_keys(&place, &variant.fields, &variant.removed, false)?;
    }
    Ok(())
}

/// Whether a type was placed in the order.
#[derive(Clone, Copy)]
enum State {
    New,
    /// Its parts are being placed.
    Open,
    /// How many parts a value has, and how many levels of types.
    Placed {
        parts: u64,
        levels: usize,
    },
}

struct Walk<'s> {
    schema: &'s Schema,
    plan: Plan<'s>,
    reached: Vec<bool>,
    /// What was reached, in order.
    found: Vec<usize>,
    state: Vec<State>,
}

impl<'s> Walk<'s> {
    fn index(&self, name: &str) -> Result<usize, SchemaError> {
        let unknown = || SchemaError::UnknownType { place: "types".to_owned(), name: name.to_owned() };
        self.plan.find(name).ok_or_else(unknown)
    }

    fn ty(&self, name: &str) -> Result<&'s TypeSchema, SchemaError> {
        self.index(name).map(|index| &self.schema.types[index])
    }

    /// The type of this name, wrappers looked through.
    fn unwrapped(&self, name: &str) -> Result<&'s TypeSchema, SchemaError> {
        let mut ty = self.ty(name)?;
        for _ in 0..DEPTH_LIMIT {
            match &ty.shape {
                Shape::Newtype { item } => ty = self.ty(item)?,
                _ => return Ok(ty),
            }
        }
        Err(SchemaError::Endless { name: name.to_owned() })
    }

    fn reach_all(&mut self, fields: &'s [PropertySchema], depth: usize) -> Result<(), SchemaError> {
        fields.iter().try_for_each(|field| self.reach(&field.ty, depth))
    }

    /// Looks at the type of this name, and at all that it leads to.
    fn reach(&mut self, name: &str, depth: usize) -> Result<(), SchemaError> {
        let index = self.index(name)?;
        if core::mem::replace(&mut self.reached[index], true) {
            return Ok(());
        }
        limited(name, "types that lead to one another", depth as u64, REACH_LIMIT as u64)?;
        self.found.push(index);
        let ty = &self.schema.types[index];
        self.check(ty)?;
        match &ty.shape {
            Shape::Struct { fields, .. } => self.reach_all(fields, depth + 1),
            Shape::Enum { variants } => {
                variants.iter().try_for_each(|variant| self.reach_all(&variant.fields, depth + 1))
            }
            shape => shape.inner().into_iter().flatten().try_for_each(|name| self.reach(name, depth + 1)),
        }
    }

    /// What can be told of a type alone.
    fn check(&self, ty: &'s TypeSchema) -> Result<(), SchemaError> {
        let is_known = match &ty.shape {
            Shape::Integer { bits, .. } => matches!(bits, 8 | 16 | 32 | 64 | 128),
            Shape::Float { bits } => matches!(bits, 32 | 64),
            Shape::Vector { count, float } => matches!((count, float), (2..=4, true) | (2..=3, false)),
            Shape::Text { capacity } => capacity.is_none_or(|capacity| usize::try_from(capacity).is_ok()),
            Shape::Array { count, .. } => {
                limited(&ty.name, "items of an array", *count, PARTS_LIMIT)?;
                true
            }
            Shape::Enum { variants } => return check_variants(ty, variants),
            Shape::Struct { fields, removed } => return check_keys(&ty.name, fields, removed, false),
            Shape::Map { key, .. } => return self.check_key(&ty.name, key),
            Shape::KeyedList { item, key_field } => {
                let Shape::Struct { fields, .. } = &self.ty(item)?.shape else {
                    return Err(impossible(&ty.name, format!("`{item}` is no struct, so it has no key")));
                };
                let Some(field) = fields.iter().find(|field| field.name == *key_field) else {
                    return Err(impossible(&ty.name, format!("`{item}` has no field `{key_field}`")));
                };
                return self.check_key(&ty.name, &field.ty);
            }
            _ => true,
        };
        if is_known { Ok(()) } else { Err(impossible(&ty.name, "there is no such type")) }
    }

    /// Whether a key can be of the type of this name.
    fn check_key(&self, place: &str, name: &str) -> Result<(), SchemaError> {
        let is_key = match &self.unwrapped(name)?.shape {
            Shape::Text { .. } | Shape::Char | Shape::Integer { .. } => true,
            Shape::Enum { variants } => variants.iter().all(|variant| variant.style == VariantShape::Unit),
            _ => false,
        };
        if is_key { Ok(()) } else { Err(impossible(place, format!("`{name}` cannot be a key"))) }
    }

    /// Puts a type in the order, behind those that lie inside its values; how many parts and levels these have.
    fn place(&mut self, index: usize, depth: usize) -> Result<(u64, usize), SchemaError> {
        let ty = &self.schema.types[index];
        match self.state[index] {
            State::Placed { parts, levels } => return Ok((parts, levels)),
            State::Open => return Err(SchemaError::Endless { name: ty.name.clone() }),
            State::New => {}
        }
        limited(&ty.name, "types inside each other", depth as u64, DEPTH_LIMIT as u64)?;
        self.state[index] = State::Open;
        let inner = |walk: &mut Self, name: &str| {
            let index = walk.index(name)?;
            walk.place(index, depth + 1)
        };
        let (parts, levels) = match &ty.shape {
            Shape::Struct { fields, .. } => self.place_all(fields, depth)?,
            Shape::Enum { variants } => {
                let mut most = (1, 1);
                for variant in variants {
                    let (parts, levels) = self.place_all(&variant.fields, depth)?;
                    most = (most.0.max(parts), most.1.max(levels));
                }
                most
            }
            Shape::Newtype { item } => inner(self, item)?,
            // No part of the default; but a value without an end is none of a program.
            Shape::Option { item } => (1, inner(self, item)?.1),
            Shape::Array { count, item } => {
                let (parts, levels) = inner(self, item)?;
                (parts.saturating_mul(*count).saturating_add(1), levels)
            }
            _ => (1, 0),
        };
        let levels = levels + 1;
        limited(&ty.name, "types inside each other", levels as u64, DEPTH_LIMIT as u64)?;
        limited(&ty.name, "parts of a value", parts, PARTS_LIMIT)?;
        self.state[index] = State::Placed { parts, levels };
        self.plan.order.push(index);
        Ok((parts, levels))
    }

    fn place_all(&mut self, fields: &'s [PropertySchema], depth: usize) -> Result<(u64, usize), SchemaError> {
        for field in fields {
            let index = self.index(&field.ty)?;
            self.place(index, depth + 1)?;
        }
        self.sum(fields)
    }

    /// The parts and levels of fields whose types were placed.
    fn sum(&self, fields: &[PropertySchema]) -> Result<(u64, usize), SchemaError> {
        let mut sum = (1_u64, 0);
        for field in fields {
            if let State::Placed { parts, levels } = self.state[self.index(&field.ty)?] {
                sum = (sum.0.saturating_add(parts), sum.1.max(levels));
            }
        }
        Ok(sum)
    }

    /// Whether the items of a list, map or option are small enough to be made by a few letters each, and whether a type of lists of lists
    /// comes to an end.
    fn check_items(&self, index: usize) -> Result<(), SchemaError> {
        let ty = &self.schema.types[index];
        let (Shape::List { item } | Shape::KeyedList { item, .. } | Shape::Map { item, .. } | Shape::Option { item }) =
            &ty.shape
        else {
            return Ok(());
        };
        if let State::Placed { parts, .. } = self.state[self.index(item)?] {
            limited(&ty.name, "parts of an item", parts, ITEM_PARTS_LIMIT)?;
        }
        let mut inner = item;
        for _ in 0..DEPTH_LIMIT {
            match &self.ty(inner)?.shape {
                Shape::List { item } | Shape::Map { item, .. } | Shape::Option { item } | Shape::Array { item, .. } => {
                    inner = item;
                }
                _ => return Ok(()),
            }
        }
        Err(SchemaError::Endless { name: ty.name.clone() })
    }
}
