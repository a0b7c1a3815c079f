//! Types of other crates, through two functions of the user's.

use super::{Fault, Leaf, Place, ValueWriter};
use crate::class::Kind;
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
    const NAME: &'static str = A::NAME;
    const KIND: Kind = Kind::Adapter;

    fn fresh() -> Self {
        Self(A::default_value())
    }

    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        let read = if text.starts_with('"') {
            let mut plain = String::new();
            super::string::read_pieces(text, place, |piece| {
                plain.push_str(piece);
                Ok(())
            })?;
            A::read(&plain)
        } else {
            A::read(text)
        };
        self.0 = read.map_err(|error| Fault::new(Code::AdapterRefused, A::NAME, text).with_help(error))?;
        Ok(())
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        let text = A::write(&self.0);
        if out.in_option && text == "none" {
            write_string_quoted(&text, out.out);
        } else {
            write_string(&text, out.place != Place::Line, out.out);
        }
    }

    fn same(&self, other: &Self) -> bool {
        A::write(&self.0) == A::write(&other.0)
    }

    fn assign(&mut self, from: &Self) {
        self.0.clone_from(&from.0);
    }
}
