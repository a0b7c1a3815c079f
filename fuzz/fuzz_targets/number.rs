//! Number text: what is read agrees with the standard library where both read it, and what is written reads back.
#![no_main]

use juliet_core::text::{
    NumberFault, numbers, parse_f32, parse_f64, parse_integer, write_f32, write_f64, write_integer,
};
use libfuzzer_sys::fuzz_target;

fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).expect("numbers are written in ASCII")
}

fn integer<T: juliet_core::text::Integer + PartialEq + std::fmt::Debug + std::str::FromStr>(text: &str) {
    let read = parse_integer::<T>(text);
    match text.parse::<T>() {
        Ok(x) => assert_eq!(read, Ok(x), "{text}"),
        // The standard library knows no `0x`; it refuses `-0` and the like for unsigned types, which is zero here.
        Err(_) if read.is_ok() => assert!(text.contains(['x', 'X']) || text.starts_with('-'), "{text}"),
        Err(_) => {}
    }
    if let Ok(x) = read {
        assert_eq!(parse_integer(&written(|out| write_integer(x, out))), Ok(x));
    }
}

fuzz_target!(|data: &[u8]| {
    if let Some(bits) = data.first_chunk::<8>() {
        let x = f64::from_le_bytes(*bits);
        let again = parse_f64(&written(|out| write_f64(x, out))).expect("what is written is read");
        assert!(again.to_bits() == x.to_bits() || (x.is_nan() && again.is_nan()));
        let x = f32::from_bits(u64::from_le_bytes(*bits) as u32);
        let again = parse_f32(&written(|out| write_f32(x, out))).expect("what is written is read");
        assert!(again.to_bits() == x.to_bits() || (x.is_nan() && again.is_nan()));
    }
    let Ok(text) = std::str::from_utf8(data) else { return };
    match parse_f32(text) {
        Ok(x) => assert!(x.is_nan() || text.parse::<f32>().map(f32::to_bits) == Ok(x.to_bits()), "{text}"),
        Err(NumberFault::OutOfRange) => assert!(text.parse::<f32>().is_ok_and(f32::is_infinite), "{text}"),
        Err(_) => {}
    }
    match parse_f64(text) {
        Ok(x) => assert!(x.is_nan() || text.parse::<f64>().map(f64::to_bits) == Ok(x.to_bits()), "{text}"),
        Err(NumberFault::OutOfRange) => assert!(text.parse::<f64>().is_ok_and(f64::is_infinite), "{text}"),
        Err(_) => {}
    }
    integer::<i8>(text);
    integer::<u64>(text);
    integer::<i64>(text);
    integer::<i128>(text);
    let _ = (numbers::<f32, 3>(text), numbers::<i32, 2>(text));
});
