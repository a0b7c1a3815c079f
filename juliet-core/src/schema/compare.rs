//! The schema lock: what of an old schema is gone or means something else in a new one, without a statement that says what became of it.
//!
//! Classes and properties are paired by their names, then by the aliases of the new ones; types are paired by where they stand, so that
//! the name of a Rust type does not count. Additions are no change. A class whose version rose and that has a `migrate` function answers
//! for its own properties. `walk` goes through the types.

mod names;
mod walk;

use core::fmt;

use std::collections::HashMap;

use super::data::{ClassSchema, Schema};
use crate::diag::{Severity, visible};
use walk::Walk;

/// One thing in an old schema that files rely on and a new one does not give.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Change {
    /// The class, by its old name.
    pub class: String,
    /// The property, dotted where structs are nested and with `[]` for the items of a list, by its old name; empty for the class itself. Begins
    /// with `…` where more than 256 names or 1 KiB lead to it.
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
            Self::AliasVanished { alias } => write!(f, "the alias {} vanished", tick(alias)),
            Self::VersionWentBack { from, to } => write!(f, "version went back from {from} to {to}"),
            Self::VariantVanished { variant } => write!(f, "variant {} vanished", tick(variant)),
        }
    }
}

fn tick(text: &str) -> String {
    if text.is_empty() { "none".to_owned() } else { format!("`{}`", visible(text)) }
}

impl fmt::Display for Change {
    /// One line: `Rock.hit_points: vanished; add #[jasset(alias = "HitPoints")] to …`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, property, what, statement, .. } = self;
        let dot = if property.is_empty() { "" } else { "." };
        write!(f, "{}{dot}{}: {what}; ", visible(class), visible(property))?;
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
/// Classes are in the order of the old schema, and what is found in one stands by depth. What changed in a type is told once for each type that
/// took its place, at the nearest property of the first class that leads there; so is a type that more than 64 others take the place of, as a change of type.
///
/// Linear in both schemas.
pub fn compare(old: &Schema, new: &Schema) -> Vec<Change> {
    let mut walk = Walk::new(old, new);
    compare_classes(&old.classes, &new.classes, &mut walk);
    compare_classes(&old.components, &new.components, &mut walk);
    walk.changes
}

/// Classes, or component types: a name stands for one or the other.
fn compare_classes<'s>(old: &'s [ClassSchema], new: &'s [ClassSchema], walk: &mut Walk<'s>) {
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
            walk.changes.push(push(What::Vanished, alias(&class.name)));
            continue;
        };
        for gone in
            class.aliases.iter().filter(|&name| by_name.get(name.as_str()).is_none_or(|&it| it.name != heir.name))
        {
            walk.changes.push(push(What::AliasVanished { alias: gone.clone() }, alias(gone)));
        }
        if heir.version < class.version {
            let what = What::VersionWentBack { from: class.version, to: heir.version };
            walk.changes.push(push(what, format!("version = {}", class.version)));
        }
        let is_migrated = heir.version > class.version && heir.migrates;
        if !is_migrated || (heir.migrates_until != 0 && heir.migrates_until < class.version) {
            walk.class(class, heir);
        }
    }
}

fn alias(name: &str) -> String {
    format!("alias = {name:?}")
}

#[cfg(test)]
mod tests;
