//! What names lead to: the fields of a struct by key and alias, the types of a schema by name.

use std::collections::{HashMap, HashSet};

use crate::class::colon_spelling;
use crate::schema::data::{PropertySchema, Schema, Shape, TypeSchema};

/// The fields of a struct or variant by what names them, and the keys of those that are gone.
pub(super) struct Fields<'a> {
    /// A key stands before an alias of another field.
    pub(super) by_key: HashMap<String, &'a PropertySchema>,
    removed: HashSet<String>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(fields: &'a [PropertySchema], removed: &[String]) -> Self {
        let mut by_key = HashMap::new();
        for field in fields {
            for alias in &field.aliases {
                by_key.entry(colon_spelling(alias)).or_insert(field);
                by_key.entry(alias.clone()).or_insert(field);
            }
        }
        for field in fields {
            by_key.insert(field.name.clone(), field);
            by_key.insert(field.key.clone(), field);
        }
        Self { by_key, removed: removed.iter().map(|key| colon_spelling(key)).collect() }
    }

    pub(super) fn find(&self, name: &str) -> Option<&'a PropertySchema> {
        self.by_key.get(name).or_else(|| self.by_key.get(&colon_spelling(name))).copied()
    }

    pub(super) fn is_removed(&self, name: &str) -> bool {
        self.removed.contains(&colon_spelling(name))
    }
}

/// The types of a schema by name, newtypes looked through; none for newtypes of newtypes without an end.
pub(super) struct Unwrapped<'a>(HashMap<&'a str, Option<&'a TypeSchema>>);

impl<'a> Unwrapped<'a> {
    pub(super) fn of(schema: &'a Schema) -> Self {
        let by_name: HashMap<&str, &TypeSchema> = schema.types.iter().map(|ty| (ty.name.as_str(), ty)).collect();
        let mut found = HashMap::with_capacity(by_name.len());
        for ty in &schema.types {
            let (mut trail, mut next) = (Vec::new(), Some(ty));
            let end = loop {
                let Some(ty) = next else { break None };
                if let Some(&known) = found.get(ty.name.as_str()) {
                    break known;
                }
                // Whoever comes by again has gone in a ring.
                found.insert(ty.name.as_str(), None);
                trail.push(ty.name.as_str());
                match &ty.shape {
                    Shape::Newtype { item } => next = by_name.get(item.as_str()).copied(),
                    _ => break Some(ty),
                }
            };
            found.extend(trail.into_iter().map(|name| (name, end)));
        }
        Self(found)
    }

    pub(super) fn find(&self, name: &str) -> Option<&'a TypeSchema> {
        self.0.get(name).copied().flatten()
    }
}
