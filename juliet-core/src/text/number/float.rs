//! Floats at their own width.
//!
//! Reading has a fast path (W. D. Clinger, "How to read floating point numbers accurately", PLDI 1990): with the point
//! dropped the digits are an integer that the type holds exactly, and so is the power of ten that they are divided by, so that
//! one division rounds correctly. `142.5 → 1425 / 10`. All else goes to the standard library's reader, at the same width.
//!
//! Writing has one too: values with up to three decimals, as editors keep them, are written from an integer, if the division
//! that reads them gives the same bits. All else goes to `zmij`.

use super::{Number, NumberFault, sealed};

/// What is written for the values that have no digits.
const NAN: &[u8] = b"nan";

macro_rules! float {
    ($float:ident, $mantissa:ident, $powers:ident, $digits:literal,
     $parse:ident, $scan:ident, $long:ident, $slow:ident, $write:ident, $write_slow:ident) => {
        #[doc = concat!("Reads an `", stringify!($float), "` from a text without blanks around it.")]
        ///
        /// No allocation; plain decimals of up to
        #[doc = concat!(stringify!($digits), " digits cost a few instructions a digit.")]
        ///
        /// # Errors
        /// [`NumberFault`]: empty, not wholly a number, or finite and too large for the type.
        #[inline]
        pub fn $parse(text: &str) -> Result<$float, NumberFault> {
            match $scan(text.as_bytes()) {
                Some((x, used)) if used == text.len() => Ok(x),
                _ => $slow(text),
            }
        }

        /// The plain number at the start of `s`, and its length: `[-] digits [. digits]`.
        #[inline(always)]
        fn $scan(s: &[u8]) -> Option<($float, usize)> {
            let negative = s.first() == Some(&b'-');
            let start = usize::from(negative);
            let digits = s.get(start..)?;
            let (mantissa, decimals, used) = match short_decimal(digits) {
                Some((mantissa, decimals, used)) => ($mantissa::from(mantissa), decimals, used),
                None => $long(digits)?,
            };
            if mantissa > 1 << $float::MANTISSA_DIGITS {
                return None;
            }
            let x = mantissa as $float / $powers.get(decimals)?;
            Some((if negative { -x } else { x }, start + used))
        }

        /// Digits and point of an unsigned number that is too long for one word: mantissa, count of decimals, length.
        #[inline(never)]
        fn $long(s: &[u8]) -> Option<($mantissa, usize, usize)> {
            let (mut mantissa, mut at) = (0 as $mantissa, 0);
            while let Some(digit) = s.get(at).map(|c| c.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
                mantissa = mantissa.wrapping_mul(10).wrapping_add($mantissa::from(digit));
                at += 1;
            }
            let whole = at;
            let mut decimals = 0;
            if s.get(at) == Some(&b'.') {
                at += 1;
                while let Some(digit) = s.get(at).map(|c| c.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
                    mantissa = mantissa.wrapping_mul(10).wrapping_add($mantissa::from(digit));
                    at += 1;
                }
                decimals = at - whole - 1;
                if decimals == 0 {
                    return None;
                }
            }
            // So many digits fit the mantissa without wrapping, so that a comparison of it means something.
            (whole > 0 && whole + decimals <= $digits).then_some((mantissa, decimals, at))
        }

        /// Everything that the fast path does not read.
        #[cold]
        #[inline(never)]
        fn $slow(text: &str) -> Result<$float, NumberFault> {
            let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
            match unsigned {
                "inf" => return Ok(if text.starts_with('-') { $float::NEG_INFINITY } else { $float::INFINITY }),
                "nan" if unsigned.len() == text.len() => return Ok($float::NAN),
                _ => check_decimal(text, unsigned)?,
            }
            let x: $float = text.parse().map_err(|_| NumberFault::NotANumber)?;
            if x.is_finite() { Ok(x) } else { Err(NumberFault::OutOfRange) }
        }

        #[doc = concat!("Appends an `", stringify!($float), "`: the shortest text that reads back to the same bits.")]
        ///
        /// Always with a point or an exponent: `12.0`, `142.5`, `1e16`, `-0.0`; else `inf`, `-inf`, `nan`.
        #[inline]
        pub fn $write(x: $float, out: &mut Vec<u8>) {
            let magnitude = x.abs();
            // The cast gives 0 for NaN and stops at the end of the type; the bits are compared below.
            let thousandths = (f64::from(magnitude) * 1000.0 + 0.5) as u32;
            if thousandths < 10_000_000 && (thousandths as $float / 1000.0).to_bits() == magnitude.to_bits() {
                write_thousandths(x.is_sign_negative(), thousandths, out);
            } else {
                $write_slow(x, out);
            }
        }

        #[inline(never)]
        fn $write_slow(x: $float, out: &mut Vec<u8>) {
            if x.is_nan() {
                return out.extend_from_slice(NAN);
            }
            let mut buffer = zmij::Buffer::new();
            let text = buffer.format(x).as_bytes();
            // `1e+16` is one byte longer than it has to be.
            let plus = memchr::memchr(b'+', text).unwrap_or(text.len());
            out.extend_from_slice(&text[..plus]);
            out.extend_from_slice(text.get(plus + 1..).unwrap_or_default());
        }

        impl sealed::Sealed for $float {}

        impl Number for $float {
            #[inline]
            fn parse(text: &str) -> Result<Self, NumberFault> {
                $parse(text)
            }

            #[inline]
            fn write(self, out: &mut Vec<u8>) {
                $write(self, out);
            }

            #[inline(always)]
            fn scan(bytes: &[u8]) -> Option<(Self, usize)> {
                $scan(bytes)
            }
        }
    };
}

const POWERS_F32: [f32; 11] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];
const POWERS_F64: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

float!(f32, u32, POWERS_F32, 9, parse_f32, scan_f32, long_f32, slow_f32, write_f32, write_slow_f32);
float!(f64, u64, POWERS_F64, 19, parse_f64, scan_f64, long_f64, slow_f64, write_f64, write_slow_f64);

/// `digits [. digits]` at the start of `s`, if it ends within eight bytes: the number without its point, how many decimals, its length.
///
/// ```text
/// "142.5, " ──► 0142.5 as eight lanes ──► the lane of the point taken out ──► 00001425, folded by pairs, fours, all ──► 1425, 1, 5
/// ```
#[inline(always)]
fn short_decimal(s: &[u8]) -> Option<(u32, usize, usize)> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let lanes = first_word(s) ^ (LOW * 0x30);
    // The high bit of each lane that is no digit. Exact up to the first one, and the one after a point: a point carries nothing on.
    let stops = (lanes.wrapping_add(LOW * 0x76) | lanes) & HIGH;
    let whole = (stops.trailing_zeros() / 8) as usize;
    // After eight digits this looks at the first of them, which is no point.
    let (digits, end, decimals) = if (lanes >> ((8 * whole) & 63)) as u8 == b'.' ^ 0x30 {
        let below = (1 << (8 * whole)) - 1;
        let end = ((stops & (stops - 1)).trailing_zeros() / 8) as usize;
        (lanes & below | lanes >> 8 & !below, end, (end - whole).wrapping_sub(1))
    } else {
        (lanes, whole, 0)
    };
    // No digit before or behind a point, or the number goes on after the word.
    if whole == 0 || end == whole + 1 || (end == 8 && s.get(8).is_some_and(|&c| c == b'.' || c.is_ascii_digit())) {
        return None;
    }
    // The last digit goes to the last lane; what stood behind it falls off, and zeros come in front.
    let digits = digits << (8 * (8 - (whole + decimals)));
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let low = (pairs & 0x0000_00FF_0000_00FF).wrapping_mul(0x000F_4240_0000_0064);
    let high = (pairs >> 16 & 0x0000_00FF_0000_00FF).wrapping_mul(0x0000_2710_0000_0001);
    Some(((low.wrapping_add(high) >> 32) as u32, decimals, end))
}

/// The first eight bytes of `s`, zeros behind its end.
#[inline(always)]
fn first_word(s: &[u8]) -> u64 {
    if let Some(word) = s.first_chunk::<8>() {
        return u64::from_le_bytes(*word);
    }
    let behind = |length: usize| 8 * (s.len() - length);
    match (s.first_chunk::<4>(), s.last_chunk::<4>()) {
        // Both halves agree where they lie over each other.
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << behind(4)
        }
        _ => match *s {
            [] => 0,
            [a] => u64::from(a),
            [a, .., b] => u64::from(a) | u64::from(s[1]) << 8 | u64::from(b) << behind(1),
        },
    }
}

/// Whether the text is `digits [. digits] [(e|E) [+-] digits]`, in one pass; the standard reader accepts more.
fn check_decimal(text: &str, unsigned: &str) -> Result<(), NumberFault> {
    if text.is_empty() {
        return Err(NumberFault::Empty);
    }
    let digits = |s: &[u8]| s.iter().take_while(|c| c.is_ascii_digit()).count();
    let mut rest = unsigned.as_bytes();
    let run = |rest: &mut &[u8]| {
        let count = digits(rest);
        *rest = &rest[count..];
        count > 0
    };
    let mut fine = run(&mut rest);
    if let Some(fraction) = rest.strip_prefix(b".") {
        rest = fraction;
        fine &= run(&mut rest);
    }
    if let [b'e' | b'E', exponent @ ..] = rest {
        rest = exponent.strip_prefix(b"+").or(exponent.strip_prefix(b"-")).unwrap_or(exponent);
        fine &= run(&mut rest);
    }
    if fine && rest.is_empty() { Ok(()) } else { Err(NumberFault::NotANumber) }
}

/// Writes `thousandths / 1000`, below 10,000, with one to three decimals.
///
/// `142500 → "0142.500"` in one word of eight digits; then the zeros at the front fall off, the sign is put there, and the
/// zeros at the end are not counted.
#[inline]
fn write_thousandths(negative: bool, thousandths: u32, out: &mut Vec<u8>) {
    debug_assert!(thousandths < 10_000_000);
    let (whole, fraction) = (thousandths / 1000, thousandths % 1000);
    // Two lanes of four digits, split into four of two and eight of one; a lane never borrows from its neighbour.
    let fours = u64::from(whole) | u64::from(fraction) << 32;
    let hundreds = ((fours * 5243) >> 19) & 0x0000_007F_0000_007F;
    let twos = hundreds | (fours - 100 * hundreds) << 16;
    let tens = ((twos * 103) >> 10) & 0x000F_000F_000F_000F;
    let ones = tens | (twos - 10 * tens) << 8;
    // The fraction's first digit is always 0; `.` stands two before `0`.
    let text = (ones | 0x3030_3030_3030_3030) - (2 << 32);
    let zeros = u32::from(whole < 1000) + u32::from(whole < 100) + u32::from(whole < 10);
    let sign = u32::from(negative);
    let word = (u128::from(text >> (8 * zeros)) << (8 * sign)) | u128::from(if negative { b'-' } else { 0 });
    let decimals = 1 + u32::from(fraction % 100 != 0) + u32::from(fraction % 10 != 0);
    let length = (sign + 4 - zeros + 1 + decimals) as usize;
    // A copy of fixed size is two instructions; what is too much of it goes again.
    let end = out.len() + length;
    out.extend_from_slice(&word.to_le_bytes());
    out.truncate(end);
}
