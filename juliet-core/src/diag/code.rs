//! The stable codes of diagnostics, each with its severity and its title.
//!
//! A code is never reused and never changes its meaning: scripts and the pages in `docs/diagnostics/` name them.

use super::Severity;

macro_rules! codes {
    ($($name:ident = $text:literal, $severity:ident, $title:literal;)*) => {
        /// What kind of fault a diagnostic reports.
        ///
        /// The text form is `JA` and four digits; the first two name the group: `01` file and encoding, `02` lines and
        /// keys, `03` values, `04` class and version, `05` world, `06` assets.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = concat!("`", $text, "`: ", $title, ".")] $name,)*
        }

        impl Code {
            /// Every code, in the order of its number.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The code as it is printed, such as `JA0203`.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }

            /// Whether a finding of this kind keeps its file out of the world.
            #[must_use]
            pub const fn severity(self) -> Severity {
                match self { $(Self::$name => Severity::$severity),* }
            }

            /// One short sentence without a full stop, in the words of the one who wrote the file.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title),* }
            }
        }
    };
}

codes! {
    NotUtf8 = "JA0101", Error, "the file is not valid UTF-8";
    Utf16Bom = "JA0102", Error, "the file is UTF-16, not UTF-8";
    FileTooLarge = "JA0103", Error, "the file is larger than 16 MiB";
    LineTooLong = "JA0104", Error, "a line is longer than 64 KiB";
    EmptyFile = "JA0105", Error, "the file is empty";
    Io = "JA0106", Error, "the operating system could not read or write the file";
    SymlinkEscapes = "JA0107", Error, "a symbolic link leads out of the project";
    SyntaxLine = "JA0201", Error, "a line is neither a directive, a property, a comment nor blank";
    OtherSpelling = "JA0202", Error, "a line is in the other spelling than the rest of its file";
    DuplicateKey = "JA0203", Error, "a property is set twice in one file";
    MissingValue = "JA0204", Error, "a name has no value";
    ConflictMarker = "JA0205", Error, "the file holds an unresolved merge conflict";
    UnknownKey = "JA0206", Warning, "the class has no property of this name";
    UnknownDirective = "JA0207", Warning, "there is no directive of this name";
    BadQuote = "JA0208", Error, "a quoted text is not closed, or holds an unknown escape";
    DuplicateDirective = "JA0209", Error, "a directive stands twice in one file";
    UnknownSection = "JA0210", Warning, "the program has no component of this name";
    InvisibleCharacter = "JA0211", Error, "a name holds a character that cannot be seen";
    MisplacedDirective = "JA0212", Error, "a directive of the entity stands in the section of a component";
    DuplicateSection = "JA0213", Error, "a component is named twice in one file";
    Mismatch = "JA0301", Error, "a value has another type than its property";
    IntegerRange = "JA0302", Error, "an integer does not fit its type";
    FloatRange = "JA0303", Error, "a number is too large for its floating-point type";
    NotANumber = "JA0304", Error, "a value is not a number";
    WrongCount = "JA0305", Error, "a value has too many or too few items";
    UnknownVariant = "JA0306", Error, "the enum has no variant of this name";
    ControlCharacter = "JA0307", Error, "a text holds a control character outside quotes";
    TooLongText = "JA0308", Error, "a text is longer than its property allows";
    NestingTooDeep = "JA0309", Error, "lists or structs are nested deeper than 32 levels";
    BadPath = "JA0310", Error, "a path is not one that may be used inside a project";
    OutOfDeclaredRange = "JA0311", Warning, "a value lies outside the range that its property declares";
    AdapterRefused = "JA0312", Error, "the program's own reader refused a value";
    BadId = "JA0313", Error, "an id is not a number of 64 bits other than zero";
    NoClass = "JA0401", Error, "the file names no class";
    UnknownClass = "JA0402", Warning, "the program has no class of this name";
    ClassMismatch = "JA0403", Error, "a file and its template name different classes";
    NewerClassVersion = "JA0404", Error, "the file was written for a newer version of its class";
    NewerBaseVersion = "JA0405", Error, "the file was written for a newer version of the file format";
    MigrationFailed = "JA0406", Error, "the file could not be brought to the current version of its class";
    UnknownAssetType = "JA0407", Error, "the program has no asset type of this name";
    TemplateUnavailable = "JA0408", Error, "the template of the file could not be used";
    BadVersion = "JA0409", Error, "a version is not a whole number from 1 on";
    TemplateCycle = "JA0410", Error, "templates are based on one another in a ring";
    DuplicateId = "JA0501", Error, "two files have the same id";
    CapacityExceeded = "JA0502", Error, "the world holds as many entities as it has room for";
    ChangedOnDisk = "JA0503", Error, "the file changed on disk since it was read";
    WriteFailed = "JA0504", Error, "a file could not be written";
    ReadFailed = "JA0505", Error, "a file could not be read";
    RecoveredSave = "JA0506", Warning, "an interrupted save was finished";
    DiscardedSave = "JA0507", Warning, "an interrupted save was discarded";
    ForeignFile = "JA0508", Warning, "an interrupted save met a file that something else had changed";
    BadSettings = "JA0509", Error, "the settings of the world could not be read";
    TooManyFindings = "JA0510", Warning, "there are more findings than are shown";
    UnknownSystem = "JA0511", Warning, "the program has no system of this name";
    AssetNotFound = "JA0601", Error, "there is no asset at the path";
    AssetUnreadable = "JA0602", Error, "the file of an asset could not be read";
    AssetBroken = "JA0603", Error, "the content of an asset could not be used";
    NoLoader = "JA0604", Error, "the program has no loader for the files of an asset";
}

/// The text names no code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no diagnostic has the code `{0}`")]
pub struct UnknownCode(pub Box<str>);

impl std::str::FromStr for Code {
    type Err = UnknownCode;

    /// Reads the printed form back, upper case only.
    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        Self::ALL.iter().copied().find(|code| code.as_str() == text).ok_or_else(|| UnknownCode(text.into()))
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_ordered_numbered_without_gaps_and_read_back() {
        for pair in Code::ALL.windows(2) {
            let [a, b] = pair else { unreachable!() };
            let number = |code: &Code| code.as_str()[2..].parse::<u32>().expect("four digits");
            let (a, b) = (number(a), number(b));
            assert!(b == a + 1 || (b / 100 == a / 100 + 1 && b % 100 == 1), "{a} {b}");
        }
        for &code in Code::ALL {
            assert_eq!(code.as_str().parse(), Ok(code));
            assert_eq!(code.as_str().len(), 6);
        }
        assert_eq!("ja0203".parse::<Code>(), Err(UnknownCode("ja0203".into())));
        assert_eq!(Code::DuplicateKey.as_str(), "JA0203");
    }

    #[test]
    fn titles_are_short_and_differ() {
        for (i, code) in Code::ALL.iter().enumerate() {
            assert!(code.title().len() <= 72 && !code.title().ends_with('.'), "{code}");
            assert!(Code::ALL[..i].iter().all(|other| other.title() != code.title()), "{code}");
        }
    }
}
