//! Numbers, booleans and characters.

use super::{Fault, Leaf, LeafType, Place, ValueWriter};
use crate::class::Kind;
use crate::diag::Code;
use crate::text::{
    Number, NumberFault, parse_f32, parse_f64, parse_integer, write_f32, write_f64, write_integer, write_string,
};

impl LeafType for bool {
    const NAME: &'static str = "bool";
    const KIND: Kind = Kind::Bool;

    fn fresh() -> Self {
        false
    }
}

impl Leaf for bool {
    #[inline]
    fn read<'t>(&mut self, text: &'t str, _: Place) -> Result<(), Fault<'t>> {
        *self = match text {
            "true" => true,
            "false" => false,
            _ => return Err(not_bool(text)),
        };
        Ok(())
    }

    #[inline]
    fn scan(&mut self, text: &str) -> Option<usize> {
        *self = text.as_bytes().first_chunk() == Some(b"true");
        if *self { Some(4) } else { text.starts_with("false").then_some(5) }
    }

    #[inline]
    fn write(&self, out: &mut ValueWriter<'_>) {
        out.raw(if *self { "true" } else { "false" });
    }

    #[inline]
    fn same(&self, other: &Self) -> bool {
        self == other
    }

    #[inline]
    fn assign(&mut self, from: &Self) {
        *self = *from;
    }
}

#[cold]
fn not_bool(text: &str) -> Fault<'_> {
    let fault = Fault::new(Code::Mismatch, "`true` or `false`", text);
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => fault.with_help("write `true`"),
        "false" | "no" | "off" | "0" => fault.with_help("write `false`"),
        _ => fault,
    }
}

macro_rules! integers {
    ($($t:ident $signed:literal)*) => {$(
        impl LeafType for $t {
            const NAME: &'static str = stringify!($t);
            const KIND: Kind = Kind::Integer { signed: $signed, bits: <$t>::BITS as u8 };

            fn fresh() -> Self {
                0
            }
        }

        impl Leaf for $t {
            #[inline]
            fn read<'t>(&mut self, text: &'t str, _: Place) -> Result<(), Fault<'t>> {
                match parse_integer::<$t>(text) {
                    Ok(value) => {
                        *self = value;
                        Ok(())
                    }
                    Err(fault) => Err(integer_fault(fault, text, <$t>::MIN as i128, <$t>::MAX as u128)),
                }
            }

            #[inline]
            fn scan(&mut self, text: &str) -> Option<usize> {
                let (number, used) = Number::scan(text.as_bytes())?;
                *self = number;
                Some(used)
            }

            #[inline]
            fn write(&self, out: &mut ValueWriter<'_>) {
                write_integer(*self, out.out);
            }

            #[inline]
            fn same(&self, other: &Self) -> bool {
                self == other
            }

            #[inline]
            fn assign(&mut self, from: &Self) {
                *self = *from;
            }

            fn numbers(&self, each: &mut dyn FnMut(f64)) {
                each(*self as f64);
            }
        }
    )*};
}

integers!(i8 true i16 true i32 true i64 true i128 true isize true);
integers!(u8 false u16 false u32 false u64 false u128 false usize false);

/// The smallest and the largest integer of a kind.
#[cold]
pub(crate) fn integer_range(signed: bool, bits: u8) -> (i128, u128) {
    let unused = 128_u32.saturating_sub(u32::from(bits));
    if signed { (i128::MIN >> unused, (i128::MAX >> unused) as u128) } else { (0, u128::MAX >> unused) }
}

/// The fault of an integer in `min..=max`.
#[cold]
pub(super) fn integer_fault(fault: NumberFault, text: &str, min: i128, max: u128) -> Fault<'_> {
    let code = if matches!(fault, NumberFault::OutOfRange) { Code::IntegerRange } else { Code::NotANumber };
    let fault = Fault::new(code, format!("a whole number in {min}..={max}"), text);
    if text.contains('_') { fault.with_help("digits stand without separators") } else { fault }
}

macro_rules! floats {
    ($($t:ident $parse:ident $write:ident)*) => {$(
        impl LeafType for $t {
            const NAME: &'static str = stringify!($t);
            const KIND: Kind = Kind::Float { bits: size_of::<$t>() as u8 * 8 };

            fn fresh() -> Self {
                0.0
            }
        }

        impl Leaf for $t {
            #[inline]
            fn read<'t>(&mut self, text: &'t str, _: Place) -> Result<(), Fault<'t>> {
                match $parse(text) {
                    Ok(value) => {
                        *self = value;
                        Ok(())
                    }
                    Err(fault) => Err(float_fault(fault, text, "one number")),
                }
            }

            #[inline]
            fn scan(&mut self, text: &str) -> Option<usize> {
                let (number, used) = Number::scan(text.as_bytes())?;
                *self = number;
                Some(used)
            }

            #[inline]
            fn write(&self, out: &mut ValueWriter<'_>) {
                $write(*self, out.out);
            }

            #[inline]
            fn same(&self, other: &Self) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }

            #[inline]
            fn assign(&mut self, from: &Self) {
                *self = *from;
            }

            fn numbers(&self, each: &mut dyn FnMut(f64)) {
                each(f64::from(*self));
            }
        }
    )*};
}

floats!(f32 parse_f32 write_f32 f64 parse_f64 write_f64);

/// The fault of a float.
#[cold]
pub(super) fn float_fault<'t>(fault: NumberFault, text: &'t str, expected: &'static str) -> Fault<'t> {
    match fault {
        NumberFault::OutOfRange => {
            Fault::new(Code::FloatRange, "a finite number of its width", text).with_help("write `inf` for infinity")
        }
        _ if text.contains(',') => {
            Fault::new(Code::NotANumber, expected, text).with_help("decimals are separated by a point")
        }
        _ => Fault::new(Code::NotANumber, expected, text),
    }
}

impl LeafType for char {
    const NAME: &'static str = "char";
    const KIND: Kind = Kind::Char;

    fn fresh() -> Self {
        '\0'
    }
}

impl Leaf for char {
    fn read<'t>(&mut self, text: &'t str, place: Place) -> Result<(), Fault<'t>> {
        let mut letters = 0;
        super::string::read_pieces(text, place, |piece| {
            for letter in piece.chars() {
                *self = letter;
                letters += 1;
            }
            Ok(())
        })?;
        if letters == 1 { Ok(()) } else { Err(Fault::new(Code::Mismatch, "one character", text)) }
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        let mut buffer = [0; 4];
        write_string(self.encode_utf8(&mut buffer), out.place != Place::Line, out.out);
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn assign(&mut self, from: &Self) {
        *self = *from;
    }
}
