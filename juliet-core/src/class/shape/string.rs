//! Text: `String`, and the inline string that keeps a class blittable.

use super::{Fault, Leaf, LeafType, Place, ValueWriter};
use crate::class::Kind;
use crate::diag::Code;
use crate::text::{Piece, find_control, unquote, visible_length, write_string, write_string_quoted};

/// A string of at most `N` bytes that lies inside its struct: no heap, copied as bytes.
pub type InlineString<const N: usize> = arrayvec::ArrayString<N>;

/// A type that a string literal after `default =` can stand for.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from a string literal",
    label = "takes no string literal"
)]
pub trait FromLiteral {
    /// The value that `text` stands for.
    ///
    /// # Panics
    /// If an [`InlineString`] is too short for `text` or an asset path is malformed.
    fn from_literal(text: &'static str) -> Self;
}

impl FromLiteral for String {
    fn from_literal(text: &'static str) -> Self {
        text.to_owned()
    }
}

impl FromLiteral for &'static str {
    fn from_literal(text: &'static str) -> Self {
        text
    }
}

impl<const N: usize> FromLiteral for InlineString<N> {
    fn from_literal(text: &'static str) -> Self {
        Self::from(text).unwrap_or_else(|_| panic!("the default `{text}` is longer than {N} bytes"))
    }
}

impl<T: FromLiteral> FromLiteral for Option<T> {
    fn from_literal(text: &'static str) -> Self {
        Some(T::from_literal(text))
    }
}

/// Gives the pieces of a bare or quoted string to `take`. No allocation.
pub(super) fn read_pieces<'t>(
    text: &'t str,
    _: Place,
    mut take: impl FnMut(&str) -> Result<(), Fault<'t>>,
) -> Result<(), Fault<'t>> {
    if !text.starts_with('"') {
        if let Some((at, control)) = find_control(text) {
            return Err(control_character(text, at, control));
        }
        return take(text);
    }
    let unquoted = unquote(text).map_err(|fault| {
        let found = text.get(fault.at..).unwrap_or_default();
        let fault = Fault::new(Code::BadQuote, fault.expected, found);
        if found.is_empty() { fault.told("the end of the text") } else { fault }
    })?;
    for piece in unquoted.pieces() {
        match piece {
            Piece::Text(part) => take(part)?,
            Piece::Char(letter) => take(letter.encode_utf8(&mut [0; 4]))?,
        }
    }
    Ok(())
}

/// The rest of the line, if it is a bare string beyond doubt: visible ASCII and inner spaces, a letter or digit first.
#[inline]
pub(super) fn plain_line(text: &str) -> Option<&str> {
    let length = visible_length(text.as_bytes());
    let line = text.get(..length)?;
    let (first, last) = (line.as_bytes().first()?, line.as_bytes().last()?);
    (first.is_ascii_alphanumeric() && *last != b' ').then_some(line)
}

#[cold]
fn control_character(text: &str, at: usize, control: char) -> Fault<'_> {
    let code = u32::from(control);
    Fault::new(Code::ControlCharacter, "text without control characters", &text[at..at + control.len_utf8()])
        .told(format!("U+{code:04X}"))
        .with_help(format!("write \"\\u{{{code:x}}}\" in a quoted string"))
}

pub(super) fn write(text: &str, out: &mut ValueWriter<'_>) {
    if out.in_option && text == "none" {
        write_string_quoted(text, out.out);
    } else {
        write_string(text, out.place != Place::Line, out.out);
    }
}

impl LeafType for String {
    const NAME: &'static str = "String";
    const KIND: Kind = Kind::Text { capacity: None };

    fn fresh() -> Self {
        Self::new()
    }
}

impl Leaf for String {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        self.clear();
        read_pieces(text, place, |piece| {
            self.push_str(piece);
            Ok(())
        })
    }

    #[inline]
    fn scan(&mut self, text: &str) -> Option<usize> {
        let plain = plain_line(text)?;
        self.clear();
        self.push_str(plain);
        Some(plain.len())
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        write(self, out);
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn assign(&mut self, from: &Self) {
        self.clone_from(from);
    }
}

impl<const N: usize> LeafType for InlineString<N> {
    const NAME: &'static str = "InlineString";
    const KIND: Kind = Kind::Text { capacity: Some(N) };

    fn fresh() -> Self {
        Self::new()
    }
}

impl<const N: usize> Leaf for InlineString<N> {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        self.clear();
        read_inline(text, place, N, |piece| self.try_push_str(piece).is_ok())
    }

    #[inline]
    fn scan(&mut self, text: &str) -> Option<usize> {
        let plain = plain_line(text)?;
        *self = Self::from(plain).ok()?;
        Some(plain.len())
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        write(self, out);
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn assign(&mut self, from: &Self) {
        *self = *from;
    }
}

/// Gives the pieces of a text of at most `capacity` bytes to `push`, which says whether there is room for it.
pub(super) fn read_inline<'t>(
    text: &'t str,
    place: Place,
    capacity: usize,
    mut push: impl FnMut(&str) -> bool,
) -> Result<(), Fault<'t>> {
    read_pieces(text, place, |piece| if push(piece) { Ok(()) } else { Err(too_long(text, capacity)) })
}

#[cold]
fn too_long(text: &str, capacity: usize) -> Fault<'_> {
    Fault::new(Code::TooLongText, format!("at most {capacity} bytes of text"), text)
}
