//! Two scalars.

use static_assertions::const_assert_eq;

use super::{Fp32Pinned, Fpx16_16, SimMath};

/// A place or a direction on the ground plane, in the numbers of backend `B`. 8 bytes, x first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Vec2<B: SimMath> {
    /// First coordinate.
    pub x: B::Scalar,
    /// Second coordinate.
    pub y: B::Scalar,
}
const_assert_eq!(size_of::<Vec2<Fpx16_16>>(), 8);
const_assert_eq!(size_of::<Vec2<Fp32Pinned>>(), 8);

#[expect(clippy::should_implement_trait, reason = "named like those of the scalar; operators are absent on purpose")]
impl<B: SimMath> Vec2<B> {
    /// 0, 0.
    pub const ZERO: Self = Self { x: B::ZERO, y: B::ZERO };

    /// The vector x, y.
    #[inline]
    pub const fn new(x: B::Scalar, y: B::Scalar) -> Self {
        Self { x, y }
    }

    /// a + b.
    #[inline]
    pub fn add(a: Self, b: Self) -> Self {
        Self { x: B::add(a.x, b.x), y: B::add(a.y, b.y) }
    }

    /// a - b.
    #[inline]
    pub fn sub(a: Self, b: Self) -> Self {
        Self { x: B::sub(a.x, b.x), y: B::sub(a.y, b.y) }
    }

    /// Both components of `a` times `factor`.
    #[inline]
    pub fn scale(a: Self, factor: B::Scalar) -> Self {
        Self { x: B::mul(a.x, factor), y: B::mul(a.y, factor) }
    }

    /// [`SimMath::lerp`] of each component with the same `t`.
    #[inline]
    pub fn lerp(a: Self, b: Self, t: B::Scalar) -> Self {
        Self { x: B::lerp(a.x, b.x, t), y: B::lerp(a.y, b.y, t) }
    }

    /// √(x² + y²), each operation with its own rounding. In fixed point the sum ends at the greatest number, so that lengths
    /// above about 181 come out as that.
    #[inline]
    pub fn length(a: Self) -> B::Scalar {
        B::sqrt(B::add(B::mul(a.x, a.x), B::mul(a.y, a.y)))
    }

    /// Both components divided by the length; zero if the length is.
    #[inline]
    pub fn normalize(a: Self) -> Self {
        let length = Self::length(a);
        if length == B::ZERO {
            return Self::ZERO;
        }
        Self { x: B::div(a.x, length), y: B::div(a.y, length) }
    }
}
