//! One finding as data; printed as `path:line:column: error[code]: message`.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::Code;

/// How grave a finding is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The file stays out of the world and is left untouched on disk.
    Error,
    /// The file is used; something in it is not understood or looks wrong.
    Warning,
}

impl Severity {
    /// `error` or `warning`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Another place that has to do with a finding, such as the first of two equal keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Path relative to the project's root, with forward slashes.
    pub file: Box<str>,
    /// Line from 1; 0 when the whole file is meant.
    pub line: u32,
    /// Column from 1, in characters; 0 when there is no position.
    pub column: u32,
    /// What the place is: `first set here`.
    pub label: Box<str>,
}

/// The line that a finding points into, cut to a window when it is very long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The text; where something was cut off, `…` stands in its place.
    pub text: Box<str>,
    /// The bytes of `text` that the finding is about; empty for a point.
    pub mark: Range<usize>,
}

/// A finding: what is wrong, where, what was expected and what was found.
///
/// Made with [`Diagnostic::new`] or [`Source::diagnostic`](super::Source::diagnostic) and then filled:
///
/// ```
/// use juliet_core::diag::{Code, Diagnostic};
/// let found = Diagnostic::new(Code::NotANumber, "expected one number, found `0,57`")
///     .in_file("Assets/Worlds/Level1/Rock_117.jasset")
///     .at(2, 8)
///     .property("Scale")
///     .expected("one number")
///     .found("0,57");
/// assert_eq!(
///     found.to_string(),
///     "Assets/Worlds/Level1/Rock_117.jasset:2:8: error[JA0304]: expected one number, found `0,57`",
/// );
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The kind of fault.
    pub code: Code,
    /// How grave it is: that of the code, unless it was set otherwise.
    pub severity: Severity,
    /// Path relative to the project's root, with forward slashes; empty when there is no file.
    pub file: Box<str>,
    /// Line from 1; 0 when there is no position.
    pub line: u32,
    /// Column from 1, in characters; 0 when there is no position.
    pub column: u32,
    /// How many characters of the line are meant; 0 for a point.
    pub length: u32,
    /// The property as the file spells it; empty when it is about none.
    pub property: Box<str>,
    /// One lower-case sentence without a full stop.
    pub message: Box<str>,
    /// What would have been right; may be empty.
    pub expected: Box<str>,
    /// What the file says; may be empty.
    pub found: Box<str>,
    /// What to do about it.
    pub help: Option<Box<str>>,
    /// Other places that have to do with it.
    pub related: Vec<Related>,
    /// The line of the file, for the snippet.
    pub source_line: Option<SourceLine>,
}

/// Longer texts are cut, in bytes: a line may have 64 KiB, and nobody reads them in a report.
const TEXT_LIMIT: usize = 1000;

/// At most [`TEXT_LIMIT`] bytes of a text, then `…`.
fn bounded(text: Box<str>) -> Box<str> {
    if text.len() <= TEXT_LIMIT {
        return text;
    }
    format!("{}…", &text[..text.floor_char_boundary(TEXT_LIMIT)]).into()
}

/// A text in which what ends a line, steers a terminal or reorders what is seen is written as an escape.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let hides = |c: char| {
        let reorders =
            matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        c.is_control() || reorders
    };
    if !text.contains(hides) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        match hides(c) {
            true => shown.extend(c.escape_default()),
            false => shown.push(c),
        }
        shown
    }))
}

impl Diagnostic {
    /// A finding without a place. Texts of more than 1,000 bytes are cut here, and by what sets the other texts.
    #[cold]
    #[must_use]
    pub fn new(code: Code, message: impl Into<Box<str>>) -> Self {
        Self {
            code,
            severity: code.severity(),
            file: Box::default(),
            line: 0,
            column: 0,
            length: 0,
            property: Box::default(),
            message: bounded(message.into()),
            expected: Box::default(),
            found: Box::default(),
            help: None,
            related: Vec::new(),
            source_line: None,
        }
    }

    /// Sets the file: relative to the project's root, with forward slashes.
    #[must_use]
    pub fn in_file(mut self, file: impl Into<Box<str>>) -> Self {
        self.file = file.into();
        self
    }

    /// Sets line and column, both from 1.
    #[must_use]
    pub fn at(mut self, line: u32, column: u32) -> Self {
        (self.line, self.column) = (line, column);
        self
    }

    /// Sets the property as the file spells it.
    #[must_use]
    pub fn property(mut self, property: impl Into<Box<str>>) -> Self {
        self.property = bounded(property.into());
        self
    }

    /// Sets what would have been right.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<Box<str>>) -> Self {
        self.expected = bounded(expected.into());
        self
    }

    /// Sets what the file says.
    #[must_use]
    pub fn found(mut self, found: impl Into<Box<str>>) -> Self {
        self.found = bounded(found.into());
        self
    }

    /// Sets the help; an earlier one is replaced.
    #[must_use]
    pub fn help(mut self, help: impl Into<Box<str>>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the severity, where it differs from that of the code.
    #[must_use]
    pub fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, related: Related) -> Self {
        self.related.push(related);
        self
    }

    /// Whether the severity is [`Severity::Error`].
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The order in which reports list findings: file, line, column, code, then the rest.
    #[must_use]
    pub fn report_order(&self, other: &Self) -> std::cmp::Ordering {
        let key = |d: &Self| (d.line, d.column, d.code);
        self.file
            .cmp(&other.file)
            .then_with(|| key(self).cmp(&key(other)))
            .then_with(|| self.property.cmp(&other.property))
            .then_with(|| self.message.cmp(&other.message))
    }
}

impl fmt::Display for Diagnostic {
    /// `path:line:column: error[JA0203]: message` on one line, without what is not known of the place. With `{:#}` it is drawn over several lines,
    /// with the source line, help and other places, as [`render`](super::render) does without colours.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return f.write_str(&super::render(self, super::Look::Plain));
        }
        if !self.file.is_empty() {
            write!(f, "{}", visible(&self.file))?;
            if self.line > 0 {
                write!(f, ":{}", self.line)?;
                if self.column > 0 {
                    write!(f, ":{}", self.column)?;
                }
            }
            f.write_str(": ")?;
        }
        write!(f, "{}[{}]: {}", self.severity, self.code, visible(&self.message))
    }
}

impl std::error::Error for Diagnostic {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_as_much_of_the_place_as_is_known() {
        let d = Diagnostic::new(Code::DuplicateKey, "`Scale` is set on line 2 and again on line 4");
        let tail = "error[JA0203]: `Scale` is set on line 2 and again on line 4";
        assert_eq!(d.to_string(), tail);
        assert_eq!(format!("{d:#}"), crate::diag::render(&d, crate::diag::Look::Plain));
        assert_eq!(d.clone().in_file("a/b.jasset").to_string(), format!("a/b.jasset: {tail}"));
        assert_eq!(d.in_file("a/b.jasset").at(4, 1).to_string(), format!("a/b.jasset:4:1: {tail}"));
        let w = Diagnostic::new(Code::UnknownKey, "m").in_file("f").at(1, 2);
        assert_eq!(w.to_string(), "f:1:2: warning[JA0206]: m");
    }

    #[test]
    fn reports_are_ordered_by_file_then_place() {
        let d = |file: &str, line| Diagnostic::new(Code::Io, "m").in_file(file).at(line, 1);
        let mut list = [d("b", 1), d("a", 10), d("a", 2)];
        list.sort_by(Diagnostic::report_order);
        assert_eq!(
            list.map(|d| d.to_string()),
            ["a:2:1: error[JA0106]: m", "a:10:1: error[JA0106]: m", "b:1:1: error[JA0106]: m"]
        );
    }
}
