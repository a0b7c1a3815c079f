//! What is told when a tree does not fit a type, or a path leads nowhere.

use std::borrow::Cow;
use std::fmt;

use super::Value;
use crate::class::shape::{Fault, integer_range, one_of, one_of_data};
use crate::class::{Kind, PropertyType};
use crate::diag::{Code, nearest, visible};
use crate::text::{is_invisible, write_f32, write_f64, write_string, write_string_quoted};

/// Why a value cannot be put where it should go.
///
/// ```
/// use juliet_core::mem::ErasedMut;
/// use juliet_core::value::Value;
///
/// let error = Value::from(300).put(ErasedMut::new(&mut 7_u8)).unwrap_err();
/// assert_eq!(error.to_string(), "expected a whole number in 0..=255, found `300`");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ValueError {
    /// Kind of fault, as of the diagnostics of a file.
    pub code: Code,
    /// Where: `Light.Color`, `Spots[2].Label`; empty for the whole.
    pub path: String,
    /// What should have been there.
    pub expected: Cow<'static, str>,
    /// What was there.
    pub found: String,
    /// A way out, where one is near.
    pub help: Option<String>,
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", visible(&self.path))?;
        }
        write!(f, "expected {}, found {}", visible(&self.expected), visible(&self.found))?;
        self.help.iter().try_for_each(|help| write!(f, "; {}", visible(help)))
    }
}

impl std::error::Error for ValueError {}

impl ValueError {
    #[cold]
    pub(super) fn new(code: Code, expected: impl Into<Cow<'static, str>>, found: impl Into<String>) -> Self {
        Self { code, path: String::new(), expected: expected.into(), found: found.into(), help: None }
    }

    /// `value` is of another shape than `ty`.
    #[cold]
    pub(super) fn mismatch(value: &Value, ty: &PropertyType) -> Self {
        Self::new(Code::Mismatch, expected(ty), told(value))
    }

    /// None of `names` is `found`.
    #[cold]
    pub(super) fn no_such<'n>(code: Code, what: &str, found: &str, names: impl Iterator<Item = &'n str>) -> Self {
        let names: Vec<&str> = names.collect();
        let list: Vec<String> = names.iter().take(20).map(|name| quoted(name)).collect();
        let more = if names.len() > list.len() { ", …" } else { "" };
        let expected = match list.len() {
            0 => format!("no {what}"),
            _ => format!("one of the {what}s {}{more}", list.join(", ")),
        };
        let help = nearest(found, names).map(|near| format!("did you mean `{near}`?"));
        Self { help, ..Self::new(code, expected, quoted(found)) }
    }

    /// `path` is not the text of a path.
    #[cold]
    pub(super) fn malformed(path: &str) -> Self {
        Self::new(Code::Mismatch, "a path such as `Light.Color.r` or `Loot[gold].Count`", quoted(path))
    }

    /// The reader of text refused it.
    #[cold]
    pub(super) fn of_fault(fault: Fault<'_>) -> Self {
        let found = if fault.told.is_empty() { quoted(fault.found) } else { fault.told.into_owned() };
        Self { help: fault.help, ..Self::new(fault.code, fault.expected, found) }
    }

    /// The same one level further out: `Color` in `Light`.
    #[cold]
    pub(super) fn within(mut self, part: &str) -> Self {
        self.path = join(part, &self.path);
        self
    }
}

/// A path inside of another.
pub(super) fn join(outer: &str, inner: &str) -> String {
    let point = if outer.is_empty() || inner.is_empty() || inner.starts_with('[') { "" } else { "." };
    format!("{outer}{point}{inner}")
}

/// The part of a path that names an item by key: `[gold]`, `["two words"]`.
pub(super) fn item_part(key: &str) -> String {
    let mut part = vec![b'['];
    if key.contains(|c| c == ' ' || is_invisible(c)) {
        write_string_quoted(key, &mut part);
    } else {
        write_string(key, true, &mut part);
    }
    part.push(b']');
    String::from_utf8_lossy(&part).into_owned()
}

/// A text in the middle of a message.
fn quoted(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}

/// What values of a type look like, for messages.
#[cold]
pub(super) fn expected(ty: &PropertyType) -> Cow<'static, str> {
    match *ty.kind() {
        Kind::Bool => "true or false".into(),
        Kind::Integer { signed, bits } => {
            let (min, max) = integer_range(signed, bits);
            format!("a whole number in {min}..={max}").into()
        }
        Kind::Float { .. } => "one number".into(),
        Kind::Char => "one character".into(),
        Kind::Text { capacity: Some(capacity) } => format!("at most {capacity} bytes of text").into(),
        Kind::Text { capacity: None } => "a text".into(),
        Kind::Vector { count, float: true } => format!("{count} numbers").into(),
        Kind::Vector { count, .. } => format!("{count} whole numbers").into(),
        Kind::Quaternion => "4 numbers".into(),
        Kind::Color => "3 or 4 numbers".into(),
        Kind::AssetRef { .. } => "the path of an asset".into(),
        Kind::EntityRef => "an entity id such as 0x0100000000000042".into(),
        Kind::Enum { variants } => one_of(variants).into(),
        Kind::DataEnum { variants } => one_of_data(variants).into(),
        Kind::Struct { .. } => "a struct".into(),
        Kind::Newtype { field } => expected(field.ty()),
        Kind::Array { count, .. } => format!("a list of {count} items").into(),
        Kind::List { .. } | Kind::KeyedList { .. } => "a list".into(),
        Kind::Map { .. } => "a map".into(),
        Kind::Option { item } => format!("{}, or none", expected(item.get())).into(),
        Kind::Adapter => format!("the text of a {}", ty.name()).into(),
    }
}

/// A value in the middle of a message.
#[cold]
pub(super) fn told(value: &Value) -> String {
    let number = |write: &dyn Fn(&mut Vec<u8>)| {
        let mut text = Vec::new();
        write(&mut text);
        quoted(&String::from_utf8_lossy(&text))
    };
    match value {
        Value::None => "none".to_owned(),
        Value::Bool(value) => format!("`{value}`"),
        Value::Integer(value) => format!("`{value}`"),
        Value::Large(value) => format!("`{value}`"),
        Value::Float32(value) => number(&|out| write_f32(*value, out)),
        Value::Float64(value) => number(&|out| write_f64(*value, out)),
        Value::Char(value) => format!("the character `{value}`"),
        Value::Text(value) => format!("the text {}", quoted(value)),
        Value::Vector(numbers) => format!("a vector of {} numbers", numbers.len()),
        Value::IntVector(numbers) => format!("a vector of {} whole numbers", numbers.len()),
        Value::Color(_) => "a colour".to_owned(),
        Value::Asset(path) => format!("the asset {}", quoted(path)),
        Value::Entity(id) => format!("the entity {id:#018x}"),
        Value::Variant { name, .. } => format!("the variant {}", quoted(name)),
        Value::Struct(_) => "a struct".to_owned(),
        Value::List(items) | Value::KeyedList { items, .. } => format!("a list of {} items", items.len()),
        Value::Map(items) => format!("a map of {} items", items.len()),
    }
}
