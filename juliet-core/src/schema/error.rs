//! Why a text is no schema, or no registry can be made of one.

use super::data::SCHEMA_VERSION;
use super::templates::cut;
use crate::class::RegistryError;
use crate::diag::visible;

/// A text of a stranger for a message: on one line, and cut where it is long.
fn told(text: &str) -> String {
    visible(&cut(text)).into_owned()
}

/// Why a text is no schema. Messages are one line of bounded length, whatever the names are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// It is no JSON, or not of the form of a schema.
    #[error("line {line}, column {column}: {}", told(.message))]
    Malformed {
        /// From 1; 0 if the fault has no place.
        line: usize,
        /// From 1; 0 if the fault has no place.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// It was written by a newer program.
    #[error("schema version {found}; this program reads versions 1..={SCHEMA_VERSION}")]
    UnknownVersion {
        /// The version of the text.
        found: u32,
    },
    /// A name stands for no type.
    #[error("`{}` has the type `{}`, which the schema does not describe", told(.place), told(.name))]
    UnknownType {
        /// Class and property, or the type.
        place: String,
        /// The name.
        name: String,
    },
    /// Two classes or two types have one name.
    #[error("the name `{}` stands for two {what}", told(.name))]
    DuplicateName {
        /// `classes` or `types`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A value of the type would hold another one of it, which holds another one.
    #[error("a value of the type `{}` would never end", told(.name))]
    Endless {
        /// The type.
        name: String,
    },
    /// There is more of something than a registry takes.
    #[error("`{}`: {what} are limited to {limit}", told(.place))]
    TooMuch {
        /// The class or type, and the property if it is one's.
        place: String,
        /// What there is too much of.
        what: &'static str,
        /// How much there may be.
        limit: u64,
    },
    /// A class has another CRC-32 than its name.
    #[error("class `{}`: the CRC-32 of the name is {expected}, not {found}", told(.class))]
    CrcMismatch {
        /// The class.
        class: String,
        /// That of the name.
        expected: u32,
        /// What the schema says.
        found: u32,
    },
    /// A class or type says something that no table can hold.
    #[error("`{}`: {}", told(.place), told(.why))]
    Impossible {
        /// The class or type, and the property or variant if it is one's.
        place: String,
        /// What is wrong.
        why: String,
    },
    /// Two properties of one class or type are named by one key, or two variants by one text.
    #[error("`{}`: the key `{}` stands for two", told(.place), told(.key))]
    DuplicateKey {
        /// The class or type.
        place: String,
        /// The key.
        key: String,
    },
    /// A default is no value of its type.
    #[error(
        "`{}`: the default `{}` does not read: expected {}, found `{}`",
        told(.place), told(.text), told(.expected), told(.found)
    )]
    BadDefault {
        /// The class or type, and the property.
        place: String,
        /// The default.
        text: String,
        /// What should have stood there.
        expected: String,
        /// What stood there.
        found: String,
    },
    /// A registry refuses the classes.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}
