//! Diagnostics.
#[expect(missing_docs, reason = "scaffold")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    NotUtf8,
    NestingTooDeep,
    Mismatch,
    IntegerRange,
    FloatRange,
    NotANumber,
    WrongCount,
    UnknownVariant,
    ControlCharacter,
    TooLongText,
    BadPath,
    AdapterRefused,
    BadId,
    BadQuote,
    MissingValue,
    DuplicateKey,
}
/// Nearest names.
pub mod suggest {
    /// Nearest.
    pub fn nearest<'a>(_: &str, mut names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        let _ = &mut names;
        None
    }
}
