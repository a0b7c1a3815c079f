//! The definitions of the specification in 128 bits, and for alpha the way without wide integers that it describes.

const G: i128 = 1_000_000_000;

pub(crate) fn sat(v: i128) -> i32 {
    v.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// The integer nearest to `n / d`, ties to even: the one whose distance is at most a half and which is even if it is a half.
pub(crate) fn rne(n: i128, d: i128) -> i128 {
    let (n, d) = if d < 0 { (-n, -d) } else { (n, d) };
    let floor = n.div_euclid(d);
    let candidates = [floor, floor + 1];
    let distance = |q: i128| (2 * (n - q * d)).abs();
    candidates.into_iter().min_by_key(|&q| (distance(q), q.rem_euclid(2))).unwrap()
}

pub(crate) fn mul(a: i32, b: i32) -> i32 {
    sat(rne(i128::from(a) * i128::from(b), 65_536))
}

pub(crate) fn div(a: i32, b: i32) -> i32 {
    match (b, a.signum()) {
        (0, 0) => 0,
        (0, 1) => i32::MAX,
        (0, _) => i32::MIN,
        _ => sat(rne(i128::from(a) * 65_536, b.into())),
    }
}

/// Whether `root` is the integer nearest to √square: (root - ½)² < square < (root + ½)².
pub(crate) fn is_nearest_root(root: i128, square: i128) -> bool {
    let (below, above) = (2 * root - 1, 2 * root + 1);
    (root == 0 || below * below < 4 * square) && 4 * square < above * above
}

pub(crate) fn lerp(a: i32, b: i32, t: i32) -> i32 {
    let difference = sat(i128::from(b) - i128::from(a));
    sat(i128::from(a) + i128::from(mul(difference, t)))
}

/// ⌊(N - S)·F / G⌋.
pub(crate) fn due(rate_hz: u32, start: i64, now: i64) -> u64 {
    ((i128::from(now) - i128::from(start)) * i128::from(rate_hz) / G) as u64
}

/// In 64 bits, by cases.
pub(crate) fn alpha_numerator(rate_hz: u32, start: i64, tick: u64, now: i64) -> u32 {
    let (g, rate) = (G as u64, u64::from(rate_hz));
    let elapsed = (i128::from(now) - i128::from(start)).max(0) as u64;
    let (whole, rest) = (elapsed / g * rate, elapsed % g);
    match tick {
        0 => 0,
        _ if tick >= whole + rate => 0,
        _ if tick < whole => g as u32,
        _ => (rest * rate).saturating_sub((tick - whole) * g).min(g) as u32,
    }
}

pub(crate) fn alpha_raw(num: u32) -> i32 {
    rne(i128::from(num) * 65_536, G) as i32
}
