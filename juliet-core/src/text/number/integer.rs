//! Integers of every width: decimal or hexadecimal, range-checked.

use super::{Number, NumberFault, sealed};

/// An integer type from 8 to 128 bits, or of the size of a pointer. Sealed.
pub trait Integer: Number {
    /// The number of a sign and a magnitude, if the type holds it.
    #[doc(hidden)]
    fn from_magnitude(negative: bool, magnitude: u128) -> Option<Self>;

    /// The same for magnitudes that are cheap to handle.
    #[doc(hidden)]
    fn from_small(number: i64) -> Option<Self>;
}

macro_rules! integer {
    ($($signedness:ident $int:ident)*) => {
        $(
            impl sealed::Sealed for $int {}

            impl Integer for $int {
                #[inline]
                fn from_magnitude(negative: bool, magnitude: u128) -> Option<Self> {
                    integer!(@$signedness $int negative magnitude)
                }

                #[inline]
                fn from_small(number: i64) -> Option<Self> {
                    Self::try_from(number).ok()
                }
            }

            impl Number for $int {
                #[inline]
                fn parse(text: &str) -> Result<Self, NumberFault> {
                    parse_integer(text)
                }

                #[inline]
                fn write(self, out: &mut Vec<u8>) {
                    out.extend_from_slice(itoa::Buffer::new().format(self).as_bytes());
                }

                #[inline]
                fn scan(bytes: &[u8]) -> Option<(Self, usize)> {
                    let (number, used) = scan(bytes)?;
                    Some((Self::from_small(number)?, used))
                }
            }
        )*
    };
    (@unsigned $int:ident $negative:ident $magnitude:ident) => {
        if $negative && $magnitude > 0 { None } else { Self::try_from($magnitude).ok() }
    };
    (@signed $int:ident $negative:ident $magnitude:ident) => {
        match i128::try_from($magnitude) {
            Ok(number) => Self::try_from(if $negative { -number } else { number }).ok(),
            // Only the smallest number of 128 bits has a magnitude that is too large with the other sign.
            Err(_) if $negative && $magnitude == i128::MIN.unsigned_abs() => Self::try_from(i128::MIN).ok(),
            Err(_) => None,
        }
    };
}

integer! { signed i8 signed i16 signed i32 signed i64 signed i128 signed isize }
integer! { unsigned u8 unsigned u16 unsigned u32 unsigned u64 unsigned u128 unsigned usize }

/// Reads an integer from a text without blanks around it: decimal, or `0x` and hexadecimal digits of either case, with an
/// optional sign. `007` is 7. No allocation, linear.
///
/// # Errors
/// [`NumberFault`]: empty, not wholly an integer (`1.0`, `1e2`, `1_000`, `०`), or too large for the type.
#[inline]
pub fn parse_integer<T: Integer>(text: &str) -> Result<T, NumberFault> {
    match scan(text.as_bytes()) {
        Some((number, used)) if used == text.len() => T::from_small(number).ok_or(NumberFault::OutOfRange),
        _ => {
            let (negative, magnitude) = match short_hexadecimal(text) {
                Some(number) => (false, u128::from(number)),
                None => magnitude(text)?,
            };
            T::from_magnitude(negative, magnitude).ok_or(NumberFault::OutOfRange)
        }
    }
}

/// The decimal integer at the start of `s`, and its length; only of so many digits that it needs no check on the way.
#[inline]
fn scan(s: &[u8]) -> Option<(i64, usize)> {
    let negative = s.first() == Some(&b'-');
    let start = usize::from(negative);
    let (mut number, mut at) = (0i64, start);
    while let Some(digit) = s.get(at).map(|c| c.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        number = number.wrapping_mul(10).wrapping_add(i64::from(digit));
        at += 1;
    }
    if at == start || at - start > 18 {
        return None;
    }
    Some((if negative { -number } else { number }, at))
}

/// `0x` and at most 16 digits, as ids are written.
#[inline]
fn short_hexadecimal(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").filter(|digits| (1..=16).contains(&digits.len()))?;
    let mut number = 0;
    for &byte in digits.as_bytes() {
        let decimal = byte.wrapping_sub(b'0');
        let letter = (byte | 0x20).wrapping_sub(b'a');
        let digit = if decimal < 10 { decimal } else { letter.checked_add(10).filter(|_| letter < 6)? };
        number = number << 4 | u64::from(digit);
    }
    Some(number)
}

/// Everything that the fast paths do not read: hexadecimal, long and signed numbers, and faults.
#[cold]
#[inline(never)]
fn magnitude(text: &str) -> Result<(bool, u128), NumberFault> {
    if text.is_empty() {
        return Err(NumberFault::Empty);
    }
    let (negative, unsigned) = match text.as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (radix, digits) = match unsigned {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        digits => (10, digits),
    };
    if digits.is_empty() || !digits.iter().all(|&c| char::from(c).is_digit(radix)) {
        return Err(NumberFault::NotANumber);
    }
    digits
        .iter()
        .try_fold(0u128, |sum, &c| {
            sum.checked_mul(u128::from(radix))?.checked_add(u128::from(char::from(c).to_digit(radix)?))
        })
        .map(|magnitude| (negative, magnitude))
        .ok_or(NumberFault::OutOfRange)
}

/// Appends an integer in decimal.
#[inline]
pub fn write_integer<T: Integer>(x: T, out: &mut Vec<u8>) {
    x.write(out);
}

/// Appends an id: `0x` and 16 upper-case hexadecimal digits.
#[inline]
pub fn write_id(id: u64, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut text = *b"0x0000000000000000";
    for (i, byte) in text[2..].iter_mut().enumerate() {
        *byte = DIGITS[(id >> (60 - 4 * i)) as usize & 15];
    }
    out.extend_from_slice(&text);
}
