//! The schema lock: what of an old schema is gone or means something else in a new one, without a statement that says what became of it.
//!
//! Classes and properties are paired by their names, then by the aliases of the new ones; types are paired by where they stand, so that
//! the name of a Rust type does not count. Additions are no change. A class whose version rose and that has a `migrate` function answers
//! for its own properties. Types are followed 64 levels deep.

use core::fmt;

use std::collections::{HashMap, HashSet};

use super::data::{
    ClassSchema, DEPTH_LIMIT, DefaultSchema, PropertySchema, RangeSchema, Schema, Shape, TypeSchema, Types,
    VariantSchema, VariantShape,
};
use super::page::{number, range_text, shown_name};
use crate::class::colon_spelling;
use crate::diag::Severity;

/// One thing in an old schema that files rely on and a new one does not give.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The class, by its old name.
    pub class: String,
    /// The property, dotted where structs are nested and with `[]` for the items of a list, by its old name; empty for the class itself.
    pub property: String,
    /// What changed.
    pub what: What,
    /// [`Severity::Error`] if a file is refused, loses a value, or is silently understood in another way.
    pub severity: Severity,
    /// The statement that settles it, as it stands in `#[jasset(…)]`; empty if there is none.
    pub statement: String,
}

/// What changed. Texts are those that the pages show.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`from` is the old and `to` the new")]
#[non_exhaustive]
pub enum What {
    /// Neither the name nor an alias of the new schema answers to the old name.
    Vanished,
    /// A former name that was read is not read any more.
    AliasVanished { alias: String },
    /// Files of the old class version will be refused as newer than the program.
    VersionWentBack { from: u32, to: u32 },
    /// The text of a value reads as another value, or not at all.
    TypeChanged { from: String, to: String },
    /// Files that leave the property out mean another value.
    DefaultChanged { from: String, to: String },
    /// The same numbers mean something else.
    UnitChanged { from: String, to: String },
    /// Values that were sensible are reported now.
    RangeNarrowed { from: String, to: String },
    /// A variant of an enum is gone.
    VariantVanished { variant: String },
    /// The items of a list are known by another field.
    KeyFieldChanged { from: String, to: String },
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut changed =
            |what: &str, from: &str, to: &str| write!(f, "{what} changed from {} to {}", tick(from), tick(to));
        match self {
            Self::TypeChanged { from, to } => changed("type", from, to),
            Self::DefaultChanged { from, to } => changed("default", from, to),
            Self::UnitChanged { from, to } => changed("unit", from, to),
            Self::RangeNarrowed { from, to } => write!(f, "range narrowed from {} to {}", tick(from), tick(to)),
            Self::KeyFieldChanged { from, to } => changed("key of the items", from, to),
            Self::Vanished => f.write_str("vanished"),
            Self::AliasVanished { alias } => write!(f, "the alias `{alias}` vanished"),
            Self::VersionWentBack { from, to } => write!(f, "version went back from {from} to {to}"),
            Self::VariantVanished { variant } => write!(f, "variant `{variant}` vanished"),
        }
    }
}

fn tick(text: &str) -> String {
    if text.is_empty() { "none".to_owned() } else { format!("`{text}`") }
}

impl fmt::Display for Change {
    /// `Rock.hit_points: vanished; add #[jasset(alias = "HitPoints")] to …`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, property, what, statement, .. } = self;
        let dot = if property.is_empty() { "" } else { "." };
        write!(f, "{class}{dot}{property}: {what}; ")?;
        let removed;
        let heir = match what {
            What::Vanished if property.is_empty() => "the class that took its place, or register it again",
            What::Vanished => {
                let name = property.rsplit_once('.').map_or(property.as_str(), |(_, name)| name);
                removed = format!(
                    "the property that took its place, or #[jasset(removed({name:?}))] to what held it if its values may go, or raise the version of the class with a `migrate` function that says where its value goes"
                );
                &removed
            }
            What::AliasVanished { .. } if property.is_empty() => "the class",
            What::AliasVanished { .. } => "the property again",
            What::VariantVanished { .. } => {
                "the variant that took its place, or raise the version of the class with a `migrate` function"
            }
            What::DefaultChanged { .. } => "the class if files that leave it out shall keep the old value",
            _ => "the class",
        };
        write!(f, "add #[jasset({statement})] to {heir}")
    }
}

/// What files that the old schema describes would lose or mean otherwise under the new one; empty if nothing.
///
/// In the order of the old schema. Costs one walk of the types that each class reaches.
pub fn compare(old: &Schema, new: &Schema) -> Vec<Change> {
    let types = (&Types::of(old), &Types::of(new));
    let mut changes = Vec::new();
    compare_classes(&old.classes, &new.classes, types, &mut changes);
    compare_classes(&old.components, &new.components, types, &mut changes);
    changes
}

/// Classes, or component types: a name stands for one or the other.
fn compare_classes<'s>(
    old: &'s [ClassSchema],
    new: &'s [ClassSchema],
    (old_types, new_types): (&Types<'s>, &Types<'s>),
    changes: &mut Vec<Change>,
) {
    let mut by_name: HashMap<&str, &ClassSchema> = HashMap::new();
    for class in new {
        for alias in &class.aliases {
            by_name.entry(alias).or_insert(class);
        }
    }
    by_name.extend(new.iter().map(|class| (class.name.as_str(), class)));
    for class in old {
        let push = |what, statement| Change {
            class: class.name.clone(),
            property: String::new(),
            what,
            severity: Severity::Error,
            statement,
        };
        let Some(&heir) = by_name.get(class.name.as_str()) else {
            changes.push(push(What::Vanished, alias(&class.name)));
            continue;
        };
        for gone in
            class.aliases.iter().filter(|&name| by_name.get(name.as_str()).is_none_or(|&it| it.name != heir.name))
        {
            changes.push(push(What::AliasVanished { alias: gone.clone() }, alias(gone)));
        }
        if heir.version < class.version {
            let what = What::VersionWentBack { from: class.version, to: heir.version };
            changes.push(push(what, format!("version = {}", class.version)));
        }
        if heir.version > class.version
            && heir.migrates
            && (heir.migrates_until == 0 || heir.migrates_until >= class.version)
        {
            continue;
        }
        let mut walk = Walk {
            old: old_types,
            new: new_types,
            class,
            migration: format!("version = {}, migrate = path", heir.version.max(class.version.saturating_add(1))),
            seen: HashSet::new(),
            changes: &mut *changes,
        };
        walk.fields(&Path::default(), &class.properties, &heir.properties, &heir.removed, true, 0);
    }
}

fn alias(name: &str) -> String {
    format!("alias = {name:?}")
}

/// Where a property stands, by its names.
#[derive(Clone, Default)]
struct Path(String);

impl Path {
    fn field(&self, property: &PropertySchema) -> Self {
        let dot = if self.0.is_empty() { "" } else { "." };
        Self(format!("{}{dot}{}", self.0, property.name))
    }

    fn part(&self, part: &str) -> Self {
        Self(format!("{}{part}", self.0))
    }
}

/// Every text that names a property → the property. A key stands before an alias of another one.
fn keys(properties: &[PropertySchema]) -> HashMap<String, &PropertySchema> {
    let mut keys = HashMap::new();
    for property in properties {
        for alias in &property.aliases {
            keys.entry(colon_spelling(alias)).or_insert(property);
            keys.entry(alias.clone()).or_insert(property);
        }
    }
    for property in properties {
        keys.insert(property.name.clone(), property);
        keys.insert(property.key.clone(), property);
    }
    keys
}

struct Walk<'a, 'c> {
    old: &'a Types<'a>,
    new: &'a Types<'a>,
    class: &'a ClassSchema,
    /// The statement that settles everything about a class.
    migration: String,
    /// Pairs of types that were compared, and whether with their own defaults.
    seen: HashSet<(&'a str, &'a str, bool)>,
    changes: &'c mut Vec<Change>,
}

impl<'a> Walk<'a, '_> {
    fn push(&mut self, path: &Path, what: What, severity: Severity, statement: String) {
        let (class, property) = (self.class.name.clone(), path.0.clone());
        self.changes.push(Change { class, property, what, severity, statement });
    }

    fn push_migrated(&mut self, path: &Path, what: What, severity: Severity) {
        let statement = self.migration.clone();
        self.push(path, what, severity, statement);
    }

    /// `defaults`: whether the defaults of these fields count, or stand in that of what holds them.
    fn fields(
        &mut self,
        path: &Path,
        old: &'a [PropertySchema],
        new: &'a [PropertySchema],
        removed: &[String],
        defaults: bool,
        depth: usize,
    ) {
        let by_key = keys(new);
        let removed: HashSet<String> = removed.iter().map(|key| colon_spelling(key)).collect();
        for property in old {
            let path = path.field(property);
            let find = |name: &String| by_key.get(name).or_else(|| by_key.get(&colon_spelling(name))).copied();
            let Some(heir) = find(&property.key).or_else(|| find(&property.name)) else {
                if !removed.contains(&colon_spelling(&property.key)) {
                    self.push(&path, What::Vanished, Severity::Error, alias(&property.key));
                }
                continue;
            };
            for gone in property.aliases.iter().filter(|&name| {
                !removed.contains(&colon_spelling(name)) && find(name).is_none_or(|it| it.key != heir.key)
            }) {
                self.push(&path, What::AliasVanished { alias: gone.clone() }, Severity::Error, alias(gone));
            }
            self.property(&path, property, heir, defaults, depth);
        }
    }

    fn property(
        &mut self,
        path: &Path,
        old: &'a PropertySchema,
        new: &'a PropertySchema,
        defaults: bool,
        depth: usize,
    ) {
        let before = self.changes.len();
        self.types(path, &old.ty, &new.ty, false, depth);
        let retyped = self.changes[before..]
            .iter()
            .any(|change| change.property == path.0 && matches!(change.what, What::TypeChanged { .. }));
        if defaults && !retyped {
            self.defaults(path, &old.ty, old.default.as_ref(), new.default.as_ref());
        }
        if old.unit != new.unit {
            let severity = if old.unit.is_empty() || new.unit.is_empty() { Severity::Warning } else { Severity::Error };
            self.push_migrated(path, What::UnitChanged { from: old.unit.clone(), to: new.unit.clone() }, severity);
        }
        if narrowed(old.range, new.range) {
            let what = What::RangeNarrowed { from: range_text(old.range), to: range_text(new.range) };
            self.push_migrated(path, what, Severity::Warning);
        }
    }

    /// Leaf by leaf; leaves that only one side has are told as vanished, or are additions.
    fn defaults(&mut self, path: &Path, ty: &str, old: Option<&DefaultSchema>, new: Option<&DefaultSchema>) {
        match (old, new) {
            (Some(DefaultSchema::Fields(old)), Some(DefaultSchema::Fields(new))) => {
                let Some(Shape::Struct { fields, .. }) = self.old.unwrapped(ty).map(|ty| &ty.shape) else { return };
                for (field, (key, old)) in fields.iter().zip(old) {
                    self.defaults(&path.field(field), &field.ty, Some(old), new.get(key));
                }
            }
            (Some(DefaultSchema::Text(from)), Some(DefaultSchema::Text(to))) if from != to => {
                let what = What::DefaultChanged { from: from.clone(), to: to.clone() };
                self.push_migrated(path, what, Severity::Warning);
            }
            _ => {}
        }
    }

    /// `defaults`: whether the types are made afresh in a file, as the items of a list are.
    fn types(&mut self, path: &Path, old: &'a str, new: &'a str, defaults: bool, depth: usize) {
        let (Some(old), Some(new)) = (self.old.unwrapped(old), self.new.unwrapped(new)) else { return };
        if depth >= DEPTH_LIMIT || !self.seen.insert((&old.name, &new.name, defaults)) {
            return;
        }
        let inner = depth + 1;
        match (&old.shape, &new.shape) {
            (Shape::Struct { fields: from, .. }, Shape::Struct { fields: to, removed }) => {
                self.fields(path, from, to, removed, defaults, inner);
            }
            (Shape::Enum { variants: from }, Shape::Enum { variants: to }) => self.variants(path, from, to, inner),
            (Shape::Option { item: from }, Shape::Option { item: to }) => self.types(path, from, to, true, inner),
            (Shape::List { item: from }, Shape::List { item: to }) => {
                self.types(&path.part("[]"), from, to, true, inner);
            }
            (Shape::Array { item: from, count }, Shape::Array { item: to, count: now }) if count == now => {
                self.types(&path.part("[]"), from, to, true, inner);
            }
            (Shape::Map { key, item }, Shape::Map { key: new_key, item: new_item }) => {
                self.types(&path.part("[key]"), key, new_key, true, inner);
                self.types(&path.part("[]"), item, new_item, true, inner);
            }
            (Shape::KeyedList { item, key_field }, Shape::KeyedList { item: new_item, key_field: now }) => {
                if !self.is_field(new_item, key_field, now) {
                    let what = What::KeyFieldChanged { from: key_field.clone(), to: now.clone() };
                    self.push_migrated(path, what, Severity::Error);
                }
                self.types(&path.part("[]"), item, new_item, true, inner);
            }
            (from, to) if from == to && !(matches!(from, Shape::Adapter) && old.name != new.name) => {}
            _ => self.type_changed(path, old, new),
        }
    }

    /// Whether the field that was called `old` is now called `new`.
    fn is_field(&self, item: &str, old: &str, new: &str) -> bool {
        let fields = match self.new.unwrapped(item).map(|ty| &ty.shape) {
            Some(Shape::Struct { fields, .. }) => keys(fields),
            _ => return old == new,
        };
        fields.get(old).is_some_and(|field| field.name == new)
    }

    fn type_changed(&mut self, path: &Path, old: &'a TypeSchema, new: &'a TypeSchema) {
        let severity = if widened(&old.shape, &new.shape) { Severity::Warning } else { Severity::Error };
        let what = What::TypeChanged { from: described(old), to: described(new) };
        self.push_migrated(path, what, severity);
    }

    fn variants(&mut self, path: &Path, old: &'a [VariantSchema], new: &'a [VariantSchema], depth: usize) {
        let mut by_name: HashMap<&str, &VariantSchema> = HashMap::new();
        for variant in new {
            for alias in &variant.aliases {
                by_name.entry(alias).or_insert(variant);
            }
        }
        by_name.extend(new.iter().map(|variant| (variant.name.as_str(), variant)));
        for variant in old {
            let names = [&variant.name].into_iter().chain(&variant.aliases);
            for gone in names.filter(|name| !by_name.contains_key(name.as_str())) {
                self.push(path, What::VariantVanished { variant: gone.clone() }, Severity::Error, alias(gone));
            }
            let Some(heir) = by_name.get(variant.name.as_str()) else { continue };
            let path = path.part(&format!("({})", variant.name));
            match (variant.style, heir.style) {
                (VariantShape::Struct, VariantShape::Struct) => {
                    self.fields(&path.part(""), &variant.fields, &heir.fields, &heir.removed, true, depth);
                }
                (VariantShape::Tuple, VariantShape::Tuple) if variant.fields.len() == heir.fields.len() => {
                    for (index, (old, new)) in variant.fields.iter().zip(&heir.fields).enumerate() {
                        self.property(&path.part(&format!(".{index}")), old, new, false, depth);
                    }
                }
                // Fields that are left out have their defaults, and so have all of them.
                (VariantShape::Unit, VariantShape::Unit | VariantShape::Struct) => {}
                _ => {
                    let what = What::TypeChanged { from: form(variant), to: form(heir) };
                    self.push_migrated(&path, what, Severity::Error);
                }
            }
        }
    }
}

/// What a reader of the finding recognises: the name, and the shape where two types may share it.
fn described(ty: &TypeSchema) -> String {
    let name = shown_name(&ty.name);
    match ty.shape {
        Shape::Struct { .. } => format!("struct {name}"),
        Shape::Enum { .. } => format!("enum {name}"),
        Shape::KeyedList { ref key_field, .. } => format!("{name} by {key_field}"),
        _ => name,
    }
}

/// `Wait(…)`
fn form(variant: &VariantSchema) -> String {
    match variant.style {
        VariantShape::Unit => variant.name.clone(),
        VariantShape::Tuple => format!("{}({} values)", variant.name, number(variant.fields.len() as f64)),
        VariantShape::Struct => format!("{} {{ … }}", variant.name),
    }
}

/// Whether a value of `old` may lie outside of `new`.
fn narrowed(old: Option<RangeSchema>, new: Option<RangeSchema>) -> bool {
    let Some(new) = new else { return false };
    let old = old.unwrap_or(RangeSchema { min: None, max: None });
    let below = new.min.is_some_and(|new| old.min.is_none_or(|old| old < new));
    let above = new.max.is_some_and(|new| old.max.is_none_or(|old| old > new));
    below || above
}

/// Whether every text of an old value reads as nearly the same value of the new type.
fn widened(old: &Shape, new: &Shape) -> bool {
    match (old, new) {
        (&Shape::Integer { signed, bits }, &Shape::Integer { signed: now_signed, bits: now_bits }) => {
            if signed == now_signed { bits <= now_bits } else { now_signed && bits < now_bits }
        }
        (Shape::Float { bits }, Shape::Float { bits: now }) => bits <= now,
        (&Shape::Integer { bits, .. }, &Shape::Float { bits: now }) => bits < if now == 64 { 54 } else { 25 },
        (Shape::Text { capacity: old }, Shape::Text { capacity: new }) => {
            new.is_none_or(|new| old.is_some_and(|old| old <= new))
        }
        // A path of an asset keeps its form, whatever stands behind it.
        (Shape::AssetRef { .. }, Shape::AssetRef { .. }) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
