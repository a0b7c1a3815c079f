//! The arithmetic of simulations: the same bits on every machine, or plain `f32` by choice.
//!
//! ```text
//! SimMath ─┬─ Fpx16_16    Fix = i32 / 65536     saturates, rounds to even, never traps; integers only     (default)
//!          └─ Fp32Pinned  f32                   single IEEE-754 operations in the order written
//! ```
//!
//! A world picks its backend once, as a type parameter; the identifier goes into what names a replay. Operations are associated functions
//! (`B::mul(a, b)`) and not operators, so that a unit mix-up or a re-ordered sum does not slip in unseen.
//!
//! Absent on purpose: trigonometry, and conversions between the backends other than through `f32`.

mod fixed;
mod float;
mod vec2;

pub(crate) use fixed::shift_to_even;
pub use fixed::{Fix, Fpx16_16};
pub use float::Fp32Pinned;
pub use vec2::Vec2;

use core::fmt::Debug;

/// Nanoseconds in a second.
pub(crate) const NANOS: u32 = 1_000_000_000;

/// A number system for simulation: a scalar and what can be done with it. Two exist, [`Fpx16_16`] and [`Fp32Pinned`]; a run uses one.
///
/// Every operation is O(1), allocates nothing and is defined for every input.
pub trait SimMath: sealed::Sealed + Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// The number, 4 bytes.
    type Scalar: Copy + Debug + Default + PartialEq + PartialOrd + Send + Sync + 'static;

    /// Names the backend in settings and replays.
    const IDENTIFIER: &'static str;
    /// 0.
    const ZERO: Self::Scalar;
    /// 1.
    const ONE: Self::Scalar;
    /// The least finite number.
    const MIN: Self::Scalar;
    /// The greatest finite number.
    const MAX: Self::Scalar;

    /// a + b.
    fn add(a: Self::Scalar, b: Self::Scalar) -> Self::Scalar;
    /// a - b.
    fn sub(a: Self::Scalar, b: Self::Scalar) -> Self::Scalar;
    /// -a.
    fn neg(a: Self::Scalar) -> Self::Scalar;
    /// a · b.
    fn mul(a: Self::Scalar, b: Self::Scalar) -> Self::Scalar;
    /// a / b.
    fn div(a: Self::Scalar, b: Self::Scalar) -> Self::Scalar;
    /// The square root.
    fn sqrt(a: Self::Scalar) -> Self::Scalar;

    /// The integer as a number.
    fn from_i32(value: i32) -> Self::Scalar;
    /// The nearest integer, ties to even, at the ends of `i32` if beyond; 0 for a NaN.
    fn to_i32(x: Self::Scalar) -> i32;
    /// The nearest number of the backend.
    fn from_f32(value: f32) -> Self::Scalar;
    /// The nearest `f32`.
    fn to_f32(x: Self::Scalar) -> f32;

    /// Whether `x` is no number.
    fn is_nan(x: Self::Scalar) -> bool;
    /// Whether `x` is an infinity.
    fn is_infinite(x: Self::Scalar) -> bool;
    /// Whether `x` is neither infinite nor a NaN.
    fn is_finite(x: Self::Scalar) -> bool;
    /// Whether `a` and `b` compare at all.
    fn is_ordered(a: Self::Scalar, b: Self::Scalar) -> bool;

    /// The fraction `num` / 10⁹ of a tick, with `num` in `0..=1_000_000_000`; greater ones count as 1.
    fn alpha(num: u32) -> Self::Scalar;

    /// The number in `low..=high` that is nearest to `x`; a NaN stays one.
    ///
    /// # Panics
    /// With debug assertions, unless `low <= high`.
    #[inline]
    fn clamp(x: Self::Scalar, low: Self::Scalar, high: Self::Scalar) -> Self::Scalar {
        debug_assert!(low <= high, "clamp between {low:?} and {high:?}");
        if x < low {
            low
        } else if x > high {
            high
        } else {
            x
        }
    }

    /// a + (b - a) · t, three operations in this order. `t` outside 0 and 1 extrapolates.
    #[inline]
    fn lerp(a: Self::Scalar, b: Self::Scalar, t: Self::Scalar) -> Self::Scalar {
        Self::add(a, Self::mul(Self::sub(b, a), t))
    }
}

mod sealed {
    /// Keeps the backends to those whose scalar has 4 bytes.
    pub trait Sealed {}
    impl Sealed for super::Fpx16_16 {}
    impl Sealed for super::Fp32Pinned {}
}
