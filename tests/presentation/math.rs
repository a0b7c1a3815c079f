//! Sections 2 and 3: the numbers.

use juliet::sim_math::Vec2;

use juliet::prelude::{Fix, Fp32Pinned, Fpx16_16, SimMath};

use super::world::{at, at32};

type Q = Fpx16_16;
type F = Fp32Pinned;

fn fix(raw: i32) -> Fix {
    Fix::from_raw(raw)
}

#[test]
fn s2_1_a_number_is_a_totally_ordered_i32() {
    assert_eq!((size_of::<Fix>(), Fix::ONE.raw(), Fix::MIN.raw(), Fix::MAX.raw()), (4, 65_536, i32::MIN, i32::MAX));
    assert!(fix(-1) < fix(0) && Fix::MIN < Fix::MAX && Fix::default() == Fix::ZERO);
    for x in [Fix::MIN, fix(-1), Fix::ZERO, Fix::MAX] {
        assert!(!Q::is_nan(x) && !Q::is_infinite(x) && Q::is_finite(x) && Q::is_ordered(x, Fix::MIN));
    }
}

#[test]
fn s2_3_results_beyond_the_range_are_its_ends() {
    assert_eq!(Q::add(Fix::MAX, fix(1)), Fix::MAX);
    assert_eq!(Q::sub(Fix::MIN, fix(1)), Fix::MIN);
    assert_eq!((Q::neg(Fix::MIN), Q::neg(Fix::MAX)), (Fix::MAX, fix(-i32::MAX)));
    assert_eq!(Q::mul(Fix::MIN, Fix::MIN), Fix::MAX);
    assert_eq!(Q::div(Fix::MIN, fix(-1)), Fix::MAX);
    assert_eq!(Q::div(Fix::MAX, fix(-1)), Fix::MIN);
}

#[test]
fn s2_3_division_by_zero_is_defined() {
    assert_eq!([3, -3, 0].map(|a| Q::div(fix(a), Fix::ZERO)), [Fix::MAX, Fix::MIN, Fix::ZERO]);
}

#[test]
fn s2_3_root_of_nothing_and_less_is_zero() {
    assert_eq!([0, -1, i32::MIN].map(|a| Q::sqrt(fix(a))), [Fix::ZERO; 3]);
    assert_eq!(Q::sqrt(Q::from_i32(9)), Q::from_i32(3));
}

#[test]
fn s2_3_clamp_gives_the_nearest_bound() {
    let clamp = |x| Q::clamp(fix(x), fix(-2), fix(5)).raw();
    assert_eq!([-3, -2, 0, 5, 6].map(clamp), [-2, -2, 0, 5, 5]);
    assert_eq!(Q::clamp(fix(9), fix(4), fix(4)), fix(4));
}

#[cfg(debug_assertions)]
#[test]
#[should_panic = "clamp between"]
fn s2_3_clamp_between_bounds_in_the_wrong_order_is_noticed() {
    Q::clamp(fix(0), fix(1), fix(0));
}

#[cfg(not(debug_assertions))]
#[test]
fn s2_3_clamp_between_bounds_in_the_wrong_order_is_a_bound() {
    assert_eq!(Q::clamp(fix(0), fix(1), fix(0)), fix(1));
    assert_eq!(F::clamp(5.0, 2.0, 1.0), 1.0);
}

#[test]
fn s2_4_conversions_saturate_and_round_once() {
    assert_eq!(
        [32_767, 32_768, -32_768, -32_769].map(|v| Q::from_i32(v).raw()),
        [32_767 << 16, i32::MAX, i32::MIN, i32::MIN]
    );
    assert_eq!([i32::MIN, i32::MAX].map(Q::from_i32), [Fix::MIN, Fix::MAX]);
    assert_eq!([Fix::MIN, Fix::MAX].map(Q::to_i32), [-32_768, 32_768]);
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 32_768.0, -32_768.0, f32::MAX, 1e-45];
    let ends = [Fix::ZERO, Fix::MAX, Fix::MIN, Fix::ZERO, Fix::MAX, Fix::MIN, Fix::MAX, Fix::ZERO];
    assert_eq!(odd.map(Q::from_f32), ends);
    // Ties to even: 0.5, 1.5, -2.5 steps.
    assert_eq!([0.5, 1.5, -2.5].map(|steps| Q::from_f32(steps / 65_536.0).raw()), [0, 2, -2]);
    assert_eq!(Q::to_f32(Fix::MAX), 32_768.0);
}

#[test]
fn s2_5_lerp_saturates_step_by_step() {
    let (a, b) = (Q::from_i32(-20_000), Q::from_i32(20_000));
    assert_eq!(Q::lerp(a, b, Fix::ONE).raw(), 836_763_647);
    assert_eq!(Q::lerp(b, a, Fix::ONE), Q::add(b, Fix::MIN));
    assert_eq!(Q::lerp(a, b, Fix::ZERO), a);
    assert_eq!(Q::lerp(Fix::ZERO, Q::from_i32(2), fix(-65_536)), Q::from_i32(-2));
}

#[test]
fn s2_6_vectors_have_eight_bytes_and_start_at_zero() {
    assert_eq!((size_of::<Vec2<Q>>(), size_of::<Vec2<F>>()), (8, 8));
    assert_eq!((Vec2::<Q>::default(), Vec2::<F>::default()), (at(0, 0), at32(0.0, 0.0)));
    assert_eq!(Vec2::<Q>::ZERO, at(0, 0));
}

#[test]
fn s2_6_length_and_normalize() {
    assert_eq!(Vec2::length(at(3, 4)), Q::from_i32(5));
    assert_eq!(Vec2::length(at32(-3.0, 4.0)), 5.0);
    // The square is beyond the range.
    assert_eq!(Vec2::length(at(200, 0)), Q::sqrt(Fix::MAX));
    assert_eq!(Vec2::normalize(at(0, -7)), at(0, -1));
    assert_eq!((Vec2::normalize(at(0, 0)), Vec2::normalize(at32(0.0, -0.0))), (at(0, 0), at32(0.0, 0.0)));
    assert_eq!(Vec2::normalize(at32(0.0, 2.0)), at32(0.0, 1.0));
    assert_eq!(Vec2::add(at(1, 2), Vec2::sub(at(5, 5), Vec2::scale(at(1, 2), Q::from_i32(2)))), at(4, 3));
}

#[test]
fn s3_floats_follow_the_standard() {
    assert!(F::is_nan(F::div(0.0, 0.0)) && F::is_nan(F::sub(f32::INFINITY, f32::INFINITY)));
    assert!(F::is_nan(F::mul(f32::INFINITY, 0.0)) && F::is_nan(F::sqrt(-1.0)) && F::is_nan(F::neg(f32::NAN)));
    assert_eq!((F::div(1.0, 0.0), F::div(1.0, -0.0)), (f32::INFINITY, f32::NEG_INFINITY));
    assert!(F::is_infinite(F::add(f32::MAX, f32::MAX)) && !F::is_finite(f32::NAN) && F::is_finite(F::MAX));
    assert!(!F::is_ordered(f32::NAN, 0.0) && !F::is_ordered(0.0, f32::NAN) && F::is_ordered(0.0, f32::INFINITY));
    // Gradual underflow.
    assert_eq!(F::div(f32::MIN_POSITIVE, 2.0).to_bits(), 0x0040_0000);
    assert_eq!(F::sub(0.0, 0.0).to_bits(), 0);
    assert_eq!(F::neg(0.0).to_bits(), 0x8000_0000);
}

#[test]
fn s3_clamp_passes_nan_and_limits_infinities() {
    assert!(F::clamp(f32::NAN, 0.0, 1.0).is_nan());
    assert_eq!([f32::INFINITY, f32::NEG_INFINITY, 0.5].map(|x| F::clamp(x, 0.0, 1.0)), [1.0, 0.0, 0.5]);
}

#[test]
fn s3_lerp_is_three_operations() {
    assert_eq!(F::lerp(1e8, 0.1, 1.0), 0.0);
    assert!(F::lerp(3e38, -3e38, 0.0).is_nan());
    // A fused multiply-add would give 3f800001 here.
    let (a, b, t) = (1.0_f32, 1.000_000_1_f32, 0.5_f32);
    assert_eq!(F::lerp(a, b, t).to_bits(), (a + (b - a) * t).to_bits());
}

#[test]
fn s3_backends_have_identifiers() {
    assert_eq!((Q::IDENTIFIER, F::IDENTIFIER), ("fixed_point_16_16", "float_pinned_32"));
}

#[test]
fn s3_floats_to_integers_saturate_and_round_to_even() {
    let odd = [0.5, 1.5, -2.5, f32::NAN, 1e20, f32::NEG_INFINITY];
    assert_eq!(odd.map(F::to_i32), [0, 2, -2, 0, i32::MAX, i32::MIN]);
    assert_eq!((F::from_i32(-7), F::from_f32(0.1), F::to_f32(0.1)), (-7.0, 0.1, 0.1));
}

#[test]
fn s7_6_alpha_is_rounded_as_each_scalar_wants_it() {
    let raws = [0, 7_629, 7_630, 999_992_370, 999_992_371, 1_000_000_000].map(|num| Q::alpha(num).raw());
    assert_eq!(raws, [0, 0, 1, 65_535, 65_536, 65_536]);
    // Beyond 1 counts as 1.
    assert_eq!((Q::alpha(u32::MAX), F::alpha(u32::MAX)), (Fix::ONE, 1.0));
    // Two roundings: one would give 3d097060.
    assert_eq!(F::alpha(33_554_433).to_bits(), 0x3d09_705f);
    assert!(F::alpha(999_999_967) < 1.0);
    assert_eq!(F::alpha(999_999_968), 1.0);
}
