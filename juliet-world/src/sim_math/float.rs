//! `f32` with its operations pinned: one IEEE-754 operation for each function, nothing fused, nothing re-ordered.
//!
//! rustc neither contracts nor re-associates floating-point expressions, so plain operators are what is wanted. Targets that compute in
//! wider registers (x87) are not supported as simulation hosts.

use super::{NANOS, SimMath};

/// IEEE-754 binary32, rounded to nearest-even, subnormals kept. NaNs and infinities arise as the standard says.
///
/// [`lerp`](SimMath::lerp) at 1 need not give its second argument: from 1e8 to 0.1 it gives 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fp32Pinned;

impl SimMath for Fp32Pinned {
    type Scalar = f32;

    const IDENTIFIER: &'static str = "float_pinned_32";
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;
    const MIN: f32 = f32::MIN;
    const MAX: f32 = f32::MAX;

    #[inline]
    fn add(a: f32, b: f32) -> f32 {
        a + b
    }

    #[inline]
    fn sub(a: f32, b: f32) -> f32 {
        a - b
    }

    #[inline]
    fn neg(a: f32) -> f32 {
        -a
    }

    #[inline]
    fn mul(a: f32, b: f32) -> f32 {
        a * b
    }

    #[inline]
    fn div(a: f32, b: f32) -> f32 {
        a / b
    }

    #[inline]
    fn sqrt(a: f32) -> f32 {
        a.sqrt()
    }

    #[inline]
    fn from_i32(value: i32) -> f32 {
        value as f32
    }

    #[inline]
    fn to_i32(x: f32) -> i32 {
        x.round_ties_even() as i32
    }

    #[inline]
    fn from_f32(value: f32) -> f32 {
        value
    }

    #[inline]
    fn to_f32(x: f32) -> f32 {
        x
    }

    #[inline]
    fn is_nan(x: f32) -> bool {
        x.is_nan()
    }

    #[inline]
    fn is_infinite(x: f32) -> bool {
        x.is_infinite()
    }

    #[inline]
    fn is_finite(x: f32) -> bool {
        x.is_finite()
    }

    #[inline]
    fn is_ordered(a: f32, b: f32) -> bool {
        !a.is_nan() && !b.is_nan()
    }

    /// Rounded twice: `num` to `f32`, then the quotient.
    #[inline]
    fn alpha(num: u32) -> f32 {
        num.min(NANOS) as f32 / NANOS as f32
    }
}
