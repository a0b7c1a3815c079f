//! Shapes: how each kind of value reads, writes, compares and copies itself. One file per kind.
//!
//! A leaf sees its text as one trimmed `&str`: a whole line, or one item of a list or struct that stands inline. It never looks beyond
//! it, so its end needs no searching for.

mod adapter;
mod asset_ref;
mod color;
mod data_enum;
mod entity_ref;
mod held;
mod keyed;
mod list;
mod made;
mod map;
mod number;
mod option;
mod string;
mod unit_enum;
mod vector;

use std::borrow::Cow;

pub use adapter::{Adapter, AdapterLeaf};
pub use asset_ref::{AssetPathError, AssetRef};
pub use color::Color;
pub(crate) use data_enum::one_of_data;
pub use data_enum::{DataEnum, DataLeaf};
pub use entity_ref::EntityRef;
pub(crate) use keyed::write_canonical;
pub use keyed::{EachItem, Key, KeyIndex, KeyedItems};
pub(crate) use made::{
    MadeAdapter, MadeArray, MadeAsset, MadeChoice, MadeList, MadeMap, MadeOption, MadeSortedMap, MadeText, MadeVariant,
};
pub(crate) use number::integer_range;
pub use string::{FromLiteral, InlineString};
pub(crate) use unit_enum::one_of;
pub use unit_enum::{UnitEnum, UnitLeaf};

use super::Kind;
use crate::diag::Code;
use crate::text::{InlineFault, InlineFaultKind, NESTING_LIMIT, NumberFault, VectorFault};

/// A value that is read and written as one piece.
///
/// Implemented for the types of this crate. An implementation for another type is of no use: what a property can be is said by
/// [`PropertyValue`](crate::mem::PropertyValue), and types of other crates have adapters (`#[jasset(with = "module")]`).
pub trait Leaf: Sized + Send + Sync + 'static {
    /// Reads `text`, which is trimmed and not empty.
    ///
    /// # Errors
    /// A [`Fault`] at the part of the text that is wrong; the value is then valid but unspecified.
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>>;
    /// Reads a plain value at the start of `text` and says how many bytes it takes; what follows it is for the caller to judge. `None`
    /// for every text that needs a closer look; the value is then valid but unspecified. Where both give a value, it is that of
    /// [`read`](Self::read).
    #[inline]
    fn scan(&mut self, _text: &str) -> Option<usize> {
        None
    }
    /// Appends text that [`read`](Self::read) turns into the same value.
    fn write(&self, out: &mut ValueWriter<'_>);
    /// Whether both hold the same bits: `NaN` equals itself, `-0.0` is not `0.0`.
    fn same(&self, other: &Self) -> bool;
    /// Makes `self` a copy of `from`, reusing its memory where it can.
    fn assign(&mut self, from: &Self);
    /// Calls `each` with every number in the value, for range checks. Nothing for values that hold none.
    fn numbers(&self, each: &mut dyn FnMut(f64)) {
        let _ = each;
    }
    /// The items, where each has an identity: of a map, or of a list with keys.
    fn keyed(&self) -> Option<&dyn KeyedItems> {
        None
    }
    /// The same for writing.
    fn keyed_mut(&mut self) -> Option<&mut dyn KeyedItems> {
        None
    }
}

/// A leaf of a Rust type, which says all about itself.
pub trait LeafType: Leaf {
    /// Name of the type as an inspector shows it.
    const NAME: &'static str;
    /// The shape.
    const KIND: Kind;

    /// The value of a property when nothing else is said.
    fn fresh() -> Self;
}

/// Where a text stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// It is the whole value of a line.
    Line,
    /// It is an item of a list or struct; the number counts how many brackets are around it.
    Nested(u8),
}

impl Place {
    /// How deep brackets may stand in brackets.
    pub const MAX_DEPTH: u8 = NESTING_LIMIT as u8;

    /// One bracket further in; `None` past [`MAX_DEPTH`](Self::MAX_DEPTH).
    #[inline]
    pub fn inner(self) -> Option<Self> {
        match self {
            Self::Line => Some(Self::Nested(1)),
            Self::Nested(depth) if depth < Self::MAX_DEPTH => Some(Self::Nested(depth + 1)),
            Self::Nested(_) => None,
        }
    }
}

/// Why a text is not a value. `found` is a part of the text, so that its position can be worked out.
#[derive(Debug)]
pub struct Fault<'t> {
    /// Kind of fault.
    pub code: Code,
    /// What should have stood there: "one number", "3 numbers".
    pub expected: Cow<'static, str>,
    /// What stood there, a part of the text that was read.
    pub found: &'t str,
    /// How `found` is told when quoting it would not help ("2" for two numbers); empty otherwise.
    pub told: Cow<'static, str>,
    /// A way out, where one is near.
    pub help: Option<String>,
}

impl<'t> Fault<'t> {
    /// A fault without further help.
    #[cold]
    pub fn new(code: Code, expected: impl Into<Cow<'static, str>>, found: &'t str) -> Self {
        Self { code, expected: expected.into(), found, told: Cow::Borrowed(""), help: None }
    }

    /// Says how to mend it.
    #[cold]
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says what was found in other words.
    #[cold]
    #[must_use]
    pub fn told(mut self, told: impl Into<Cow<'static, str>>) -> Self {
        self.told = told.into();
        self
    }

    /// Not `count` numbers.
    #[cold]
    pub fn of_vector(fault: VectorFault<'t>, whole: &'t str) -> Self {
        match fault {
            VectorFault::Count { expected, found } => {
                Self::new(Code::WrongCount, format!("{expected} numbers"), whole).told(found.to_string())
            }
            VectorFault::Number { text, fault: NumberFault::OutOfRange, .. } => {
                Self::new(Code::FloatRange, "finite numbers of their width", text)
            }
            VectorFault::Number { text, fault: NumberFault::Empty, .. } => {
                Self::new(Code::WrongCount, "a number beside each comma", if text.is_empty() { whole } else { text })
            }
            VectorFault::Number { text, .. } => Self::new(Code::NotANumber, "numbers", text),
        }
    }

    /// Too many brackets.
    #[cold]
    pub fn too_deep(found: &'t str) -> Self {
        Self::new(Code::NestingTooDeep, format!("at most {} brackets inside each other", Place::MAX_DEPTH), found)
    }
}

impl<'t> From<InlineFault<'t>> for Fault<'t> {
    fn from(fault: InlineFault<'t>) -> Self {
        let code = if fault.kind == InlineFaultKind::TooDeep { Code::NestingTooDeep } else { Code::Mismatch };
        Self::new(code, fault.kind.expected(), fault.text)
    }
}

/// Where values are written, and how they have to stand there.
pub struct ValueWriter<'o> {
    /// The text so far.
    pub out: &'o mut Vec<u8>,
    /// Where the value stands.
    pub place: Place,
    /// Whether `none` is taken: the value stands in an option.
    pub in_option: bool,
    /// Whether the numbers of a vector are separated by blanks, as on a line of the node spelling.
    pub blanks: bool,
}

impl<'o> ValueWriter<'o> {
    /// Appends to `out` values that stand alone on their line.
    #[inline]
    pub fn new(out: &'o mut Vec<u8>) -> Self {
        Self::of_line(out, false)
    }

    /// Like [`new`](Self::new); `blanks` separates the numbers of a vector by blanks instead of commas.
    #[inline]
    pub fn of_line(out: &'o mut Vec<u8>, blanks: bool) -> Self {
        Self { out, place: Place::Line, in_option: false, blanks }
    }

    /// Appends `text` as it is.
    #[inline]
    pub fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Calls `write` for an item inside a bracket.
    #[inline]
    pub fn nested(&mut self, write: impl FnOnce(&mut ValueWriter<'_>)) {
        // Deeper than the limit is caught when the text is read back before a save.
        let place = self.place.inner().unwrap_or(self.place);
        write(&mut ValueWriter { out: self.out, place, in_option: false, blanks: false });
    }
}
