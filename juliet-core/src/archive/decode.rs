//! Bytes of a file → text.

use crate::diag::{Code, Diagnostic, Source};

/// Largest size of a `.jasset` file in bytes: 16 MiB.
pub const FILE_LIMIT_BYTES: u64 = 16 << 20;

/// The text of a file. A byte-order mark stays where it is; [`Document`](crate::text::Document) skips it. Linear, no allocation.
///
/// # Errors
/// A diagnostic for a file that is too large, in UTF-16, or not UTF-8 at some offset.
#[inline]
pub fn decode<'a>(file: &str, bytes: &'a [u8]) -> Result<&'a str, Box<Diagnostic>> {
    if bytes.len() as u64 <= FILE_LIMIT_BYTES
        && let Ok(text) = core::str::from_utf8(bytes)
    {
        return Ok(text);
    }
    Err(Box::new(refuse(file, bytes)))
}

#[cold]
fn refuse(file: &str, bytes: &[u8]) -> Diagnostic {
    if bytes.len() as u64 > FILE_LIMIT_BYTES {
        let message = format!("the file has {} bytes, the limit is {FILE_LIMIT_BYTES}", bytes.len());
        return Diagnostic::new(Code::FileTooLarge, message)
            .in_file(file)
            .expected(format!("at most {FILE_LIMIT_BYTES} bytes"))
            .found(bytes.len().to_string());
    }
    if matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return Source::new(file, bytes)
            .diagnostic(Code::Utf16Bom, 0..2, "not UTF-8 (UTF-16 byte-order mark found)")
            .expected("UTF-8")
            .found("UTF-16")
            .help("save the file as UTF-8");
    }
    let at = core::str::from_utf8(bytes).err().map_or(0, |error| error.valid_up_to());
    let found = format!("byte 0x{:02X} at offset {at}", bytes.get(at).copied().unwrap_or_default());
    Source::new(file, bytes)
        .diagnostic(Code::NotUtf8, at..at + 1, format!("invalid UTF-8: {found}"))
        .expected("UTF-8")
        .found(found)
        .help("save the file as UTF-8")
}
