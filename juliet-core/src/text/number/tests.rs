//! Tests of number text.

#![expect(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::NumberFault::{Empty, NotANumber, OutOfRange};
use super::*;

fn text_of(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = b"before".to_vec();
    write(&mut out);
    String::from_utf8(out).unwrap().strip_prefix("before").unwrap().to_owned()
}

#[track_caller]
fn reads_f32(text: &str, expected: Result<f32, NumberFault>) {
    assert_eq!(parse_f32(text).map(f32::to_bits), expected.map(f32::to_bits), "f32 {text:?}");
}

#[track_caller]
fn reads_f64(text: &str, expected: Result<f64, NumberFault>) {
    assert_eq!(parse_f64(text).map(f64::to_bits), expected.map(f64::to_bits), "f64 {text:?}");
}

#[test]
fn floats_are_read_in_the_spellings_that_are_allowed() {
    for (text, x) in [
        ("1", 1.0),
        ("-84.25", -84.25),
        ("1e-3", 1e-3),
        ("1E5", 1e5),
        ("+5", 5.0),
        ("+5.5e+1", 55.0),
        ("0", 0.0),
        ("-0", -0.0),
        ("-0.0", -0.0),
        ("007.50", 7.5),
        ("16777216", 16_777_216.0),
        ("16777217.0", 16_777_216.0),
        ("inf", f64::INFINITY),
        ("+inf", f64::INFINITY),
        ("-inf", f64::NEG_INFINITY),
        ("nan", f64::NAN),
        ("1e-400", 0.0),
        ("-1e-400", -0.0),
        ("0e999", 0.0),
    ] {
        reads_f32(text, Ok(x as f32));
        if text != "16777217.0" {
            reads_f64(text, Ok(x));
        }
    }
    let long = format!("1.{}", "0".repeat(50_000));
    reads_f32(&long, Ok(1.0));
    reads_f64(&long, Ok(1.0));
}

#[test]
fn other_spellings_of_floats_are_faults() {
    for text in [
        ".5", "5.", "-.5", ".", "-", "+", "e5", "1e", "1e+", "1.e5", "0x10", "Infinity", "infinity", "INF", "NaN",
        "-nan", "+nan", "inf.0", "-nan.0", "1.#INF", "nan(0x1)", "0,57", "1_000", "1 ", " 1", "--1", "+-1", "1.2.3",
        "१", "1f", "1e5.0",
    ] {
        reads_f32(text, Err(NotANumber));
        reads_f64(text, Err(NotANumber));
    }
    reads_f32("", Err(Empty));
    reads_f64("", Err(Empty));
}

#[test]
fn finite_literals_that_do_not_fit_are_out_of_range() {
    for text in ["1e400", "-1e400", &"9".repeat(400), "1e999999999999"] {
        reads_f32(text, Err(OutOfRange));
        reads_f64(text, Err(OutOfRange));
    }
    reads_f32("3.5e38", Err(OutOfRange));
    reads_f64("3.5e38", Ok(3.5e38));
    reads_f32("340282350000000000000000000000000000000", Ok(f32::MAX));
}

#[test]
fn k08_an_f32_is_read_at_its_own_width() {
    assert_eq!(parse_f32("1.00000017881393432617187499").unwrap().to_bits(), 0x3F80_0001);
    for text in ["0.57071066", "9.80665", "-84.2", "142.5", "0.1", "16777216.0", "0.33333334"] {
        assert_eq!(text_of(|out| write_f32(parse_f32(text).unwrap(), out)), text);
    }
    for text in ["0.570710678118", "9.80665", "-84.2", "123456.789", "9007199254740993.0"] {
        let again = text_of(|out| write_f64(parse_f64(text).unwrap(), out));
        assert_eq!(parse_f64(&again), Ok(text.parse().unwrap()));
    }
    assert_eq!(text_of(|out| write_f64(0.570710678118, out)), "0.570710678118");
}

#[test]
fn floats_are_written_with_a_point_or_an_exponent() {
    for (x, text) in [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (12.0, "12.0"),
        (142.5, "142.5"),
        (-84.25, "-84.25"),
        (0.001, "0.001"),
        (-0.125, "-0.125"),
        (9999.0, "9999.0"),
        (9999.5, "9999.5"),
        (10_000.0, "10000.0"),
        (1e16, "1e16"),
        (1.5e-9, "1.5e-9"),
        (1e-5, "0.00001"),
        (1e-7, "1e-7"),
        (f64::INFINITY, "inf"),
        (f64::NEG_INFINITY, "-inf"),
        (f64::NAN, "nan"),
        (-f64::NAN, "nan"),
    ] {
        assert_eq!(text_of(|out| write_f64(x, out)), text);
        assert_eq!(text_of(|out| write_f32(x as f32, out)), text);
    }
}

/// The fast path has to agree with the general writer wherever it serves.
fn check_thousandths(n: u32) {
    let (a, b) = (n as f32 / 1000.0, f64::from(n) / 1000.0);
    let mut out = Vec::new();
    write_f32(-a, &mut out);
    let mut buffer = zmij::Buffer::new();
    assert_eq!(out, buffer.format_finite(-a).as_bytes());
    out.clear();
    write_f64(b, &mut out);
    assert_eq!(out, buffer.format_finite(b).as_bytes());
}

#[test]
fn the_fast_writer_agrees_with_the_general_one() {
    (0..12_000).chain((0..10_001_000).step_by(997)).for_each(check_thousandths);
}

#[test]
#[ignore = "exhaustive: every value with up to three decimals, run by cargo xtask full"]
fn the_fast_writer_agrees_with_the_general_one_everywhere() {
    (0..10_001_000).for_each(check_thousandths);
}

fn f32_comes_back(bits: u32, out: &mut Vec<u8>) {
    let x = f32::from_bits(bits);
    out.clear();
    write_f32(x, out);
    let again = parse_f32(std::str::from_utf8(out).unwrap()).unwrap();
    assert!(again.to_bits() == bits || (x.is_nan() && again.is_nan()), "{bits:#x} {x}");
}

#[test]
#[ignore = "exhaustive: every finite f32, run by cargo xtask full"]
fn every_f32_comes_back_with_the_same_bits() {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                let mut out = Vec::new();
                for bits in (thread << 32) / threads..((thread + 1) << 32) / threads {
                    f32_comes_back(bits as u32, &mut out);
                }
            });
        }
    });
}

/// A digit string with odd lengths of its parts, as a reader may meet it.
fn decimal() -> impl Strategy<Value = String> {
    "[+-]?[0-9]{1,25}(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,2})?"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn f32_of_any_bits_comes_back(bits: u32) {
        f32_comes_back(bits, &mut Vec::new());
    }

    #[test]
    fn f64_of_any_bits_comes_back(bits: u64) {
        let x = f64::from_bits(bits);
        let again = parse_f64(&text_of(|out| write_f64(x, out))).unwrap();
        prop_assert!(again.to_bits() == bits || (x.is_nan() && again.is_nan()), "{:#x} {}", bits, x);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn decimals_are_read_as_the_standard_library_reads_them(text in decimal()) {
        let (a, b): (f32, f64) = (text.parse().unwrap(), text.parse().unwrap());
        prop_assert_eq!(parse_f32(&text), if a.is_finite() { Ok(a) } else { Err(OutOfRange) });
        prop_assert_eq!(parse_f64(&text), if b.is_finite() { Ok(b) } else { Err(OutOfRange) });
    }

    #[test]
    fn short_decimals_are_read_as_the_standard_library_reads_them(text in "-?[0-9]{1,8}(\\.[0-9]{1,8})?") {
        prop_assert_eq!(parse_f32(&text), Ok(text.parse::<f32>().unwrap()));
        prop_assert_eq!(parse_f64(&text), Ok(text.parse::<f64>().unwrap()));
    }

    #[test]
    fn integers_come_back(x: i128, y: u64, z: i8) {
        prop_assert_eq!(parse_integer(&text_of(|out| write_integer(x, out))), Ok(x));
        prop_assert_eq!(parse_integer(&text_of(|out| write_integer(y, out))), Ok(y));
        prop_assert_eq!(parse_integer(&text_of(|out| write_integer(z, out))), Ok(z));
        prop_assert_eq!(parse_integer(&text_of(|out| write_id(y, out))), Ok(y));
        prop_assert_eq!(parse_integer::<i8>(&x.to_string()), i8::try_from(x).map_err(|_| OutOfRange));
    }

    #[test]
    fn any_text_is_read_or_refused(text: String) {
        let _ = (parse_f32(&text), parse_f64(&text), parse_integer::<u8>(&text), parse_integer::<i128>(&text));
    }
}

#[test]
fn k14_integers_are_range_checked() {
    for (text, expected) in [
        ("255", Ok(255u8)),
        ("0x1F", Ok(31)),
        ("0X1f", Ok(31)),
        ("007", Ok(7)),
        ("+5", Ok(5)),
        ("-0", Ok(0)),
        ("+0x10", Ok(16)),
        ("256", Err(OutOfRange)),
        ("300", Err(OutOfRange)),
        ("-1", Err(OutOfRange)),
        ("-0x1", Err(OutOfRange)),
        ("1.0", Err(NotANumber)),
        ("1e2", Err(NotANumber)),
        ("५", Err(NotANumber)),
        ("1_000", Err(NotANumber)),
        (" 5", Err(NotANumber)),
        ("5 ", Err(NotANumber)),
        ("0x", Err(NotANumber)),
        ("0xZZ", Err(NotANumber)),
        ("+", Err(NotANumber)),
        ("-", Err(NotANumber)),
        ("--1", Err(NotANumber)),
        ("0x-1", Err(NotANumber)),
        ("0b1", Err(NotANumber)),
        ("", Err(Empty)),
    ] {
        assert_eq!(parse_integer(text), expected, "{text:?}");
    }
    assert_eq!(parse_integer(&format!("{}7", "0".repeat(60_000))), Ok(7u8));
    assert_eq!(parse_integer::<u8>(&"9".repeat(60_000)), Err(OutOfRange));
}

#[test]
fn k14_wide_integers_keep_every_bit() {
    for (text, expected) in [
        ("0x0100000000000042", Ok(72_057_594_037_928_002u64)),
        ("0xFFFFFFFFFFFFFFFF", Ok(u64::MAX)),
        ("18446744073709551615", Ok(u64::MAX)),
        ("9223372036854775809", Ok(9_223_372_036_854_775_809)),
        ("18446744073709551616", Err(OutOfRange)),
        ("0x10000000000000000", Err(OutOfRange)),
    ] {
        assert_eq!(parse_integer(text), expected, "{text:?}");
    }
    assert_eq!(parse_integer("-2147483648"), Ok(i32::MIN));
    assert_eq!(parse_integer("-0x10"), Ok(-16i32));
    assert_eq!(parse_integer::<i32>("4294967295"), Err(OutOfRange));
    assert_eq!(parse_integer("-170141183460469231731687303715884105728"), Ok(i128::MIN));
    assert_eq!(parse_integer::<i128>("170141183460469231731687303715884105728"), Err(OutOfRange));
    assert_eq!(parse_integer("340282366920938463463374607431768211455"), Ok(u128::MAX));
    assert_eq!(parse_integer::<u128>("340282366920938463463374607431768211456"), Err(OutOfRange));
    assert_eq!(text_of(|out| write_id(0x0100_0000_0000_00AB, out)), "0x01000000000000AB");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_scanned_is_what_is_read(text in "-?[0-9]{0,9}\\.?[0-9]{0,9}[0-9eE,. \n]{0,4}") {
        if let Some((x, used)) = f32::scan(text.as_bytes()) {
            prop_assert_eq!(parse_f32(&text[..used]).map(f32::to_bits), Ok(x.to_bits()));
        }
        if let Some((x, used)) = f64::scan(text.as_bytes()) {
            prop_assert_eq!(parse_f64(&text[..used]).map(f64::to_bits), Ok(x.to_bits()));
            let standard: f64 = text[..used].parse().unwrap();
            prop_assert_eq!(standard.to_bits(), x.to_bits());
        }
    }

    #[test]
    fn short_hexadecimal_numbers_are_those_of_the_standard_reader(number: u64, upper: bool) {
        let text = if upper { format!("{number:#X}").replace("0X", "0x") } else { format!("{number:#x}") };
        prop_assert_eq!(parse_integer::<u64>(&text), Ok(number));
        prop_assert_eq!(parse_integer::<u64>(&format!("{text}g")), Err(NotANumber));
    }
}
