//! Text of numbers: what is read, what is written, and that one gives back the other.
//!
//! ```text
//! integer = [+-] (digits | 0x hexdigits)          007 is 7, -0x10 is -16
//! float   = [+-] (digits [. digits] [(e|E) [+-] digits] | inf) | nan
//! ```
//!
//! Digits are ASCII. Nothing is half read: text that is not wholly a number is a fault, and so is a finite literal that its
//! type cannot hold. A literal nearer to zero than to the smallest number of its type reads as zero.
//!
//! Floats are read and written at their own width and never through a wider one. Written is the shortest text that reads
//! back to the same bits, always with a point or an exponent. A NaN loses its sign and its payload: there is one `nan`.

mod float;
mod integer;

#[cfg(test)]
mod tests;

pub use float::{parse_f32, parse_f64, write_f32, write_f64};
pub use integer::{Integer, parse_integer, write_id, write_integer};

/// Why a text is not a number of the wanted type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NumberFault {
    /// The text is none, or not wholly.
    #[error("not a number")]
    NotANumber,
    /// It is one, of a size that the type cannot hold.
    #[error("out of range")]
    OutOfRange,
    /// There is no text.
    #[error("empty")]
    Empty,
}

/// A type whose values stand in vectors: the floats and the integers. Sealed.
pub trait Number: sealed::Sealed + Copy + Default + 'static {
    /// Reads the whole of a trimmed text.
    ///
    /// # Errors
    /// [`NumberFault`] by variant.
    fn parse(text: &str) -> Result<Self, NumberFault>;

    /// Appends the number.
    fn write(self, out: &mut Vec<u8>);

    /// Reads a plain number at the start of `bytes` and says how many bytes it took; `None` for anything that needs a closer
    /// look, which is not yet a fault.
    #[doc(hidden)]
    fn scan(bytes: &[u8]) -> Option<(Self, usize)>;
}

pub(super) mod sealed {
    pub trait Sealed {}
}
