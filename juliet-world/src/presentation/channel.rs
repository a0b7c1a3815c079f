//! What can be interpolated beside the position, each in its own way. The channel of a snapshot is a type parameter, so that an entity
//! without one pays nothing.
//!
//! ```text
//! Turns     350° → 10° at ½      difference 20° modulo a turn     → 0°      not 180°
//! Radians   3.1 → -3.1 at ½      difference 0.083 across ±π       → ±π      not 0
//! Quat      q → -r               r is the same rotation as -r     → along the shorter arc
//! ```

use core::f32::consts::{PI, TAU};

use glam::{Quat, Vec4};
use static_assertions::const_assert_eq;

use crate::sim_math::{Fix, Fp32Pinned, Fpx16_16, SimMath, Vec2, shift_to_even};

/// A value that a snapshot of backend `B` can show between two ticks.
pub trait Interpolate<B: SimMath>: Copy + Default {
    /// What is shown at `alpha` (0 to 1) on the way from `prev` to `curr`. O(1), no heap, no panic.
    fn interpolate(prev: Self, curr: Self, alpha: B::Scalar) -> Self;
}

/// Nothing beside the position.
impl<B: SimMath> Interpolate<B> for () {
    #[inline]
    fn interpolate(_prev: Self, _curr: Self, _alpha: B::Scalar) -> Self {}
}

/// Two channels.
impl<B: SimMath, C: Interpolate<B>, D: Interpolate<B>> Interpolate<B> for (C, D) {
    #[inline]
    fn interpolate(prev: Self, curr: Self, alpha: B::Scalar) -> Self {
        (C::interpolate(prev.0, curr.0, alpha), D::interpolate(prev.1, curr.1, alpha))
    }
}

/// A channel that some entities do not have: interpolated where both ticks had it, else what the later one had.
impl<B: SimMath, C: Interpolate<B>> Interpolate<B> for Option<C> {
    #[inline]
    fn interpolate(prev: Self, curr: Self, alpha: B::Scalar) -> Self {
        match (prev, curr) {
            (Some(prev), Some(curr)) => Some(C::interpolate(prev, curr, alpha)),
            (_, curr) => curr,
        }
    }
}

/// A number that goes straight from one value to the next, by [`SimMath::lerp`]: a height, a zoom, a brightness.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Linear<B: SimMath>(pub B::Scalar);

impl<B: SimMath> Interpolate<B> for Linear<B> {
    #[inline]
    fn interpolate(prev: Self, curr: Self, alpha: B::Scalar) -> Self {
        Self(B::lerp(prev.0, curr.0, alpha))
    }
}

/// A second place that goes straight, by [`Vec2::lerp`].
impl<B: SimMath> Interpolate<B> for Vec2<B> {
    #[inline]
    fn interpolate(prev: Self, curr: Self, alpha: B::Scalar) -> Self {
        Self::lerp(prev, curr, alpha)
    }
}

/// An angle of the fixed-point backend: 65,536ths of a turn, so that the integer wraps where the angle does. A step is 0.0055°.
///
/// Goes the shorter way round, in integers, rounded once to the nearest step, ties to even. Half a turn exactly is walked downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Turns(pub u16);
const_assert_eq!(size_of::<Turns>(), 2);

impl Interpolate<Fpx16_16> for Turns {
    #[inline]
    fn interpolate(prev: Self, curr: Self, alpha: Fix) -> Self {
        // -32768..=32767: modulo a turn the shorter way.
        let way = curr.0.wrapping_sub(prev.0).cast_signed();
        let step = shift_to_even(i64::from(way) * i64::from(alpha.raw()));
        Self(prev.0.wrapping_add(step as u16))
    }
}

/// An angle of the `f32` backend, in radians of any size.
///
/// Goes the shorter way round and comes out in -π to π, finite for finite angles. Half a turn exactly is walked in the direction of
/// the difference's sign.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct Radians(pub f32);

impl Interpolate<Fp32Pinned> for Radians {
    #[inline]
    fn interpolate(prev: Self, curr: Self, alpha: f32) -> Self {
        let prev = wrapped(prev.0);
        let way = wrapped(wrapped(curr.0) - prev);
        Self(wrapped(prev + way * alpha))
    }
}

/// The same angle between -π and π. A remainder is exact in IEEE-754, so that huge angles come into range too.
#[inline]
fn wrapped(angle: f32) -> f32 {
    if angle.abs() <= PI {
        return angle;
    }
    match angle % TAU {
        rest if rest > PI => rest - TAU,
        rest if rest < -PI => rest + TAU,
        rest => rest,
    }
}

/// A rotation, along the shorter arc: the sum of both, weighted and made a unit again (Shoemake, "Animating Rotation with Quaternion
/// Curves", 1985, for why; Blow, "Understanding Slerp, Then Not Using It", 2004, for doing without the sines).
///
/// Between ticks 20° apart it is off the even speed of [`Slerp`] by less than 0.01°. Rotations ought to be units; where the weighted sum has no
/// length or is not finite, `curr` is shown.
impl Interpolate<Fp32Pinned> for Quat {
    #[inline]
    fn interpolate(prev: Self, curr: Self, alpha: f32) -> Self {
        weighted(prev, curr, 1.0 - alpha, alpha)
    }
}

/// A rotation at even speed along the shorter arc: for ticks that lie far apart. Two sines and an arc cosine dearer than the plain [`Quat`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(transparent)]
pub struct Slerp(pub Quat);

/// Cosine of half the angle above which the arc is as good as straight, and its sine too small to divide by.
const NEARLY_STRAIGHT: f32 = 0.9995;

impl Interpolate<Fp32Pinned> for Slerp {
    #[inline]
    fn interpolate(prev: Self, curr: Self, alpha: f32) -> Self {
        let cosine = prev.0.dot(curr.0).abs();
        if cosine > NEARLY_STRAIGHT {
            return Self(Quat::interpolate(prev.0, curr.0, alpha));
        }
        // The common divisor falls out when the sum is made a unit.
        let angle = cosine.acos();
        Self(weighted(prev.0, curr.0, ((1.0 - alpha) * angle).sin(), (alpha * angle).sin()))
    }
}

/// The unit in the direction of `prev` · `before` + `curr` · `after`, on the side of `prev`.
#[inline]
fn weighted(prev: Quat, curr: Quat, before: f32, after: f32) -> Quat {
    let (from, to) = (Vec4::from(prev), Vec4::from(curr));
    let after = if from.dot(to) < 0.0 { -after } else { after };
    (from * before + to * after).try_normalize().map_or(curr, Quat::from_vec4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_turns(prev: u16, curr: u16, alpha: i32, expected: u16) {
        assert_eq!(Turns::interpolate(Turns(prev), Turns(curr), Fix::from_raw(alpha)), Turns(expected));
    }

    #[test]
    fn turns_go_the_shorter_way() {
        let degrees = |d: u32| (d * 65_536 / 360) as u16;
        check_turns(0xff00, 0x0100, 0x8000, 0);
        check_turns(0x0100, 0xff00, 0x8000, 0);
        check_turns(degrees(350), degrees(10), 0, degrees(350));
        check_turns(degrees(350), degrees(10), 0x10000, degrees(10));
        // Half a turn: downwards. One step less: upwards.
        check_turns(0, 0x8000, 0x8000, 0xc000);
        check_turns(0, 0x7fff, 0x10000, 0x7fff);
        check_turns(0, 0x7ffe, 0x8000, 0x3fff);
        // Ties to even.
        check_turns(0, 1, 0x8000, 0);
        check_turns(0, 3, 0x8000, 2);
    }

    #[test]
    fn turns_end_at_both_ends_whatever_they_are() {
        for prev in (0..=u16::MAX).step_by(251) {
            for curr in (0..=u16::MAX).step_by(241) {
                check_turns(prev, curr, 0, prev);
                check_turns(prev, curr, 0x10000, curr);
            }
        }
    }

    #[track_caller]
    fn check_radians(prev: f32, curr: f32, alpha: f32, expected: f32) {
        let Radians(shown) = Radians::interpolate(Radians(prev), Radians(curr), alpha);
        assert!((shown - expected).abs() < 1e-5, "{shown}");
    }

    #[test]
    fn radians_go_the_shorter_way_and_wrap_at_half_a_turn() {
        check_radians(0.25, 0.75, 0.5, 0.5);
        check_radians(3.0, -3.0, 0.25, 3.0 + (TAU - 6.0) / 4.0);
        check_radians(3.0, -3.0, 0.75, -3.0 - (TAU - 6.0) / 4.0);
        check_radians(0.1 + 5.0 * TAU, 0.3 - 7.0 * TAU, 0.5, 0.2);
        check_radians(-3.0, 3.0, 1.0, 3.0);
        check_radians(0.0, PI, 0.5, PI / 2.0);
        check_radians(0.0, -PI, 0.5, -PI / 2.0);
    }

    #[test]
    fn radians_are_finite_and_in_range_for_all_finite_angles() {
        let angles = [0.0, -0.0, PI, -PI, TAU, 1e8, -1e8, 1e30, f32::MAX, f32::MIN, f32::MIN_POSITIVE, 1e-45];
        for prev in angles {
            for curr in angles {
                for alpha in [0.0, 0.3, 1.0] {
                    let Radians(shown) = Radians::interpolate(Radians(prev), Radians(curr), alpha);
                    assert!(shown.abs() <= PI, "{prev} {curr} {alpha}: {shown}");
                }
            }
        }
    }

    #[test]
    fn rotations_go_the_shorter_way() {
        let turned = |degrees: f32| Quat::from_rotation_y(degrees.to_radians());
        for (from, to) in [(10.0, 50.0), (350.0, 390.0), (170.0, 190.0), (-170.0, 170.0_f32)] {
            let half = turned((from + to + if (to - from).abs() > 180.0 { 360.0 } else { 0.0 }) / 2.0);
            for (prev, curr) in [(turned(from), turned(to)), (turned(from), -turned(to)), (-turned(from), turned(to))] {
                let shown = [Quat::interpolate(prev, curr, 0.5), Slerp::interpolate(Slerp(prev), Slerp(curr), 0.5).0];
                for shown in shown {
                    assert!(shown.angle_between(half).to_degrees() < 0.1, "{from} to {to}: {shown}");
                    assert!((shown.length() - 1.0).abs() < 1e-6);
                }
                for alpha in [0.0, 1.0] {
                    let end = if alpha == 0.0 { prev } else { curr };
                    assert!(Quat::interpolate(prev, curr, alpha).dot(end).abs() > 0.999_999);
                }
            }
        }
    }

    #[test]
    fn slerp_has_even_speed() {
        let (prev, curr) = (Quat::IDENTITY, Quat::from_rotation_z(2.0));
        for tenth in 0..=10u8 {
            let alpha = f32::from(tenth) / 10.0;
            let Slerp(shown) = Slerp::interpolate(Slerp(prev), Slerp(curr), alpha);
            assert!(shown.dot(Quat::from_rotation_z(2.0 * alpha)) > 0.999_999, "{alpha}");
        }
    }

    #[test]
    fn twenty_degrees_apart_the_plain_way_is_as_good() {
        let (prev, curr) = (Quat::IDENTITY, Quat::from_rotation_z(20_f32.to_radians()));
        for hundredth in 0..=100u8 {
            let alpha = f32::from(hundredth) / 100.0;
            let angle = Vec4::from(Quat::interpolate(prev, curr, alpha));
            let off = 2.0 * f64::from(angle.z).atan2(f64::from(angle.w)).to_degrees() - 20.0 * f64::from(alpha);
            assert!(off.abs() < 0.01, "{alpha}: {off}");
        }
    }

    #[test]
    fn rotations_that_are_none_give_something_finite() {
        let odd = [Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Quat::from_xyzw(1e38, 1e38, -1e38, 0.0), Quat::IDENTITY];
        for prev in odd {
            for curr in odd {
                assert!(Quat::interpolate(prev, curr, 0.5).is_finite());
                assert!(Slerp::interpolate(Slerp(prev), Slerp(curr), 0.5).0.is_finite());
            }
        }
    }

    #[test]
    fn a_channel_that_comes_or_goes_is_not_interpolated() {
        let linear = |x: f32| Some(Linear::<Fp32Pinned>(x));
        assert_eq!(Option::interpolate(linear(1.0), linear(2.0), 0.5), linear(1.5));
        assert_eq!(Option::interpolate(None, linear(2.0), 0.5), linear(2.0));
        assert_eq!(Option::interpolate(linear(1.0), None, 0.5), None);
    }
}
