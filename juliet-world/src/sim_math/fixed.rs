//! Fixed point: a 32-bit integer that counts 65,536ths.
//!
//! ```text
//! raw     -98304        1        65536        2147483647
//! value   -1.5      1/65536        1       32767.99998…
//! ```
//!
//! Each result is that of unlimited precision, rounded once to the nearest raw number, ties to the even one, and only then limited
//! to the range. No float takes part but in the two conversions that are about floats.

use static_assertions::const_assert_eq;

use super::{NANOS, SimMath};

/// Fixed point with 16 bits before and 16 after the point; the default. The same bits on every build and machine.
///
/// Sums, products and quotients beyond the range end at [`Fix::MIN`] or [`Fix::MAX`]. x / 0 is the end on the side of x, 0 / 0 is 0, the
/// root of a negative number 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fpx16_16;

/// A number of [`Fpx16_16`]: raw / 65536, from -32768 to 32768 - 1/65536. 4 bytes. No NaN, no infinity, totally ordered.
///
/// There are no operators and no implicit conversions: an integer is not a raw number by mistake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Fix(i32);
const_assert_eq!(size_of::<Fix>(), 4);

impl Fix {
    /// 0.
    pub const ZERO: Self = Self(0);
    /// 1.
    pub const ONE: Self = Self(1 << 16);
    /// -32768.
    pub const MIN: Self = Self(i32::MIN);
    /// 32768 - 1/65536.
    pub const MAX: Self = Self(i32::MAX);

    /// The number raw / 65536.
    #[inline]
    pub const fn from_raw(raw: i32) -> Self {
        Self(raw)
    }

    /// How many 65,536ths.
    #[inline]
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// The nearest number to `raw` 65,536ths.
    #[inline]
    fn saturated(raw: i64) -> Self {
        Self(raw.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32)
    }
}

/// `value` / 65536, to the nearest integer, ties to even. `value` is at least 2¹⁵ away from the ends of `i64`.
///
/// Adding just under a half, or exactly a half where the floor is odd, carries when and only when it has to be rounded up:
/// `0x1_8000 → (0x1_8000 + 0x7fff + 1) >> 16 = 2`, `0x2_8000 → (0x2_8000 + 0x7fff) >> 16 = 2`.
#[inline]
pub(crate) fn shift_to_even(value: i64) -> i64 {
    (value + 0x7fff + ((value >> 16) & 1)) >> 16
}

impl SimMath for Fpx16_16 {
    type Scalar = Fix;

    const IDENTIFIER: &'static str = "fixed_point_16_16";
    const ZERO: Fix = Fix::ZERO;
    const ONE: Fix = Fix::ONE;
    const MIN: Fix = Fix::MIN;
    const MAX: Fix = Fix::MAX;

    #[inline]
    fn add(a: Fix, b: Fix) -> Fix {
        Fix(a.0.saturating_add(b.0))
    }

    #[inline]
    fn sub(a: Fix, b: Fix) -> Fix {
        Fix(a.0.saturating_sub(b.0))
    }

    #[inline]
    fn neg(a: Fix) -> Fix {
        Fix(a.0.saturating_neg())
    }

    #[inline]
    fn mul(a: Fix, b: Fix) -> Fix {
        // At most 2⁶².
        Fix::saturated(shift_to_even(i64::from(a.0) * i64::from(b.0)))
    }

    #[inline]
    fn div(a: Fix, b: Fix) -> Fix {
        if b.0 == 0 {
            return match a.0.signum() {
                0 => Fix::ZERO,
                1 => Fix::MAX,
                _ => Fix::MIN,
            };
        }
        let (dividend, divisor) = (i64::from(a.0) << 16, i64::from(b.0));
        let (quotient, rest) = (dividend / divisor, dividend % divisor);
        // The quotient is cut off towards 0; its sign is lost where it is 0, so the step away comes from the operands.
        let (twice, whole) = (2 * rest.abs(), divisor.abs());
        let away = twice > whole || (twice == whole && quotient % 2 != 0);
        let step = if (dividend < 0) == (divisor < 0) { 1 } else { -1 };
        Fix::saturated(quotient + if away { step } else { 0 })
    }

    #[inline]
    fn sqrt(a: Fix) -> Fix {
        // Below 2⁴⁷. A root never lies half way between integers, since the square of such a number is no integer.
        let square = u64::try_from(a.0).unwrap_or(0) << 16;
        let floor = square.isqrt();
        let root = if square - floor * floor > floor { floor + 1 } else { floor };
        Fix(root as i32)
    }

    #[inline]
    fn lerp(a: Fix, b: Fix, t: Fix) -> Fix {
        let way = Self::sub(b, a);
        if !(Fix::ZERO..=Fix::ONE).contains(&t) {
            return Self::add(a, Self::mul(way, t));
        }
        // A part of the way is no longer than the way, and `a` and the whole way are in range: nothing saturates.
        Fix(a.0.wrapping_add(shift_to_even(i64::from(way.0) * i64::from(t.0)) as i32))
    }

    #[inline]
    fn from_i32(value: i32) -> Fix {
        Fix(value.saturating_mul(1 << 16))
    }

    #[inline]
    fn to_i32(x: Fix) -> i32 {
        shift_to_even(i64::from(x.0)) as i32
    }

    /// NaN gives 0, infinities the ends.
    #[inline]
    fn from_f32(value: f32) -> Fix {
        // The product is exact: a power of two. `as` limits to the range and makes 0 of a NaN.
        Fix((value * 65536.0).round_ties_even() as i32)
    }

    #[inline]
    fn to_f32(x: Fix) -> f32 {
        x.0 as f32 / 65536.0
    }

    #[inline]
    fn is_nan(_: Fix) -> bool {
        false
    }

    #[inline]
    fn is_infinite(_: Fix) -> bool {
        false
    }

    #[inline]
    fn is_finite(_: Fix) -> bool {
        true
    }

    #[inline]
    fn is_ordered(_: Fix, _: Fix) -> bool {
        true
    }

    /// Rounded to the nearest; a tie cannot occur.
    #[inline]
    fn alpha(num: u32) -> Fix {
        let scaled = (u64::from(num.min(NANOS)) << 16) + u64::from(NANOS / 2);
        Fix((scaled / u64::from(NANOS)) as i32)
    }
}
