//! Types of other crates, through two functions of the user's.

use std::borrow::Cow;

use super::{Fault, Leaf, Place, ValueWriter};
use crate::diag::Code;
use crate::text::{write_string, write_string_quoted};

/// What `#[jasset(with = "module")]` becomes; implemented by the derive macro.
#[doc(hidden)]
pub trait Adapter: 'static {
    /// The type of the field.
    type Value: Clone + Send + Sync + 'static;
    /// Name of the type as an inspector shows it.
    const NAME: &'static str;
    /// Whether the type of the field is `Copy`.
    const PLAIN: bool;

    /// The default of the field.
    fn default_value() -> Self::Value;
    /// `module::read`; the error is shown to the author of the file.
    fn read(text: &str) -> Result<Self::Value, String>;
    /// `module::write`.
    fn write(value: &Self::Value) -> String;
}

/// A value with an adapter as a leaf; same layout as the value.
#[doc(hidden)]
#[repr(transparent)]
pub struct AdapterLeaf<A: Adapter>(A::Value);

impl<A: Adapter> Leaf for AdapterLeaf<A> {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        let read = A::read(&plain_text(text, place)?);
        self.0 = read.map_err(|error| Fault::new(Code::AdapterRefused, A::NAME, text).with_help(error))?;
        Ok(())
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        write_adapted(&A::write(&self.0), out);
    }

    fn same(&self, other: &Self) -> bool {
        A::write(&self.0) == A::write(&other.0)
    }

    fn assign(&mut self, from: &Self) {
        self.0.clone_from(&from.0);
    }
}

/// The text that stands in quotes, or the bare one.
pub(super) fn plain_text(text: &str, place: Place) -> Result<Cow<'_, str>, Fault<'_>> {
    if !text.starts_with('"') {
        return Ok(Cow::Borrowed(text));
    }
    let mut plain = String::new();
    super::string::read_pieces(text, place, |piece| {
        plain.push_str(piece);
        Ok(())
    })?;
    Ok(Cow::Owned(plain))
}

/// What an adapter wrote, in quotes if it would not be read back without.
pub(super) fn write_adapted(text: &str, out: &mut ValueWriter<'_>) {
    if out.in_option && text == "none" {
        write_string_quoted(text, out.out);
    } else {
        write_string(text, out.place != Place::Line, out.out);
    }
}
