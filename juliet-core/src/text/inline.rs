//! Lists and structs that stand inline, and the numbers of a vector.
//!
//! ```text
//! list    = [ [item {, item} [,]] ]         { and } likewise, with `key: item`
//! item    = list | struct | variant | quoted | bare text without , : " [ ] { }
//! variant = name [{blanks} struct | ( [item {, item} [,]] )]
//! vector  = number {(blanks | [blanks] , [blanks]) number}, inside of a list also in [ ]
//! ```
//!
//! Parentheses are brackets where a variant of an enum may stand, that is where the reader says so, and inside such parentheses; elsewhere they
//! are letters, so that `[a (b, :-)]` has two items. Strings that hold one are written in quotes.
//!
//! The scanners hand out slices of the text; an item is scanned again when it is opened in its turn, so that the whole costs
//! its length times its depth, and the depth is limited. No allocation.

use super::{Number, NumberFault};

/// How deep lists and structs may be nested: one in another counts 2.
pub const NESTING_LIMIT: usize = 32;

/// Where an inline value is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected {}", self.kind.expected())]
pub struct InlineFault<'t> {
    /// What is wrong.
    pub kind: InlineFaultKind,
    /// The part of the text that is wrong; empty where something is missing.
    pub text: &'t str,
}

/// What is wrong with an inline value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InlineFaultKind {
    /// The value does not begin with `[`.
    NotAList,
    /// The value does not begin with `{`.
    NotAStruct,
    /// The closing bracket is missing.
    Unclosed,
    /// A closing bracket of the other kind.
    WrongCloser,
    /// Nothing between two separators.
    EmptyItem,
    /// A struct's item without `:`.
    MissingColon,
    /// Nothing before the `:`.
    EmptyKey,
    /// Nothing after the `:`.
    EmptyValue,
    /// More than [`NESTING_LIMIT`] levels.
    TooDeep,
    /// A `"` without its end.
    UnclosedQuote,
    /// Text after the closing bracket.
    AfterEnd,
}

impl InlineFaultKind {
    /// What would have been right.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::NotAList => "a list such as `[1, 2]`",
            Self::NotAStruct => "a struct such as `{ X: 1, Y: 2 }`",
            Self::Unclosed => "a closing bracket",
            Self::WrongCloser => "the bracket that closes what was opened",
            Self::EmptyItem => "a value between the commas",
            Self::MissingColon => "`name: value`",
            Self::EmptyKey => "a name before the `:`",
            Self::EmptyValue => "a value after the `:`",
            Self::TooDeep => "at most 32 levels of lists and structs",
            Self::UnclosedQuote => "a closing `\"`",
            Self::AfterEnd => "nothing after the closing bracket",
        }
    }
}

/// The items of a list: each a trimmed slice. After a fault it ends.
#[derive(Clone, Debug)]
pub struct Items<'t>(Scanner<'t>);

/// The names and values of a struct, in order: trimmed slices, names as they stand, quoted ones with their quotes. After a
/// fault it ends.
#[derive(Clone, Debug)]
pub struct Pairs<'t>(Scanner<'t>);

impl<'t> Items<'t> {
    /// Opens a trimmed text that is a whole list.
    ///
    /// # Errors
    /// [`InlineFaultKind::NotAList`].
    pub fn new(text: &'t str) -> Result<Self, InlineFault<'t>> {
        Self::with_parentheses(text, false)
    }

    /// The same for items that `parentheses` says may be variants of an enum.
    pub(crate) fn with_parentheses(text: &'t str, parentheses: bool) -> Result<Self, InlineFault<'t>> {
        Scanner::new(text, b'[', InlineFaultKind::NotAList, parentheses).map(Self)
    }

    /// Opens the parentheses of a variant.
    pub(crate) fn of_variant(text: &'t str) -> Result<Self, InlineFault<'t>> {
        Scanner::new(text, b'(', InlineFaultKind::NotAList, true).map(Self)
    }
}

impl<'t> Pairs<'t> {
    /// Opens a trimmed text that is a whole struct.
    ///
    /// # Errors
    /// [`InlineFaultKind::NotAStruct`].
    pub fn new(text: &'t str) -> Result<Self, InlineFault<'t>> {
        Self::new_map(text, false)
    }

    /// The same for values that `parentheses` says may all be variants of an enum.
    pub(crate) fn new_map(text: &'t str, parentheses: bool) -> Result<Self, InlineFault<'t>> {
        Scanner::new(text, b'{', InlineFaultKind::NotAStruct, parentheses).map(Self)
    }

    /// The next pair; `parentheses` says of a key whether its value may be a variant of an enum.
    pub(crate) fn next_pair(
        &mut self,
        parentheses: impl Fn(&str) -> bool,
    ) -> Option<Result<(&'t str, &'t str), InlineFault<'t>>> {
        let result = self.0.next_item(parentheses)?.and_then(|(colon, item)| split_pair(self.0.text, colon, item));
        if result.is_err() {
            self.0.done = true;
        }
        Some(result)
    }
}

impl<'t> Iterator for Items<'t> {
    type Item = Result<&'t str, InlineFault<'t>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next_item(|_| false).map(|item| item.map(|(_, item)| item))
    }
}

impl<'t> Iterator for Pairs<'t> {
    type Item = Result<(&'t str, &'t str), InlineFault<'t>>;

    fn next(&mut self) -> Option<Self::Item> {
        let parentheses = self.0.parentheses;
        self.next_pair(|_| parentheses)
    }
}

/// Splits `name: value` at the colon, whose offset in the whole text the scan has found.
fn split_pair<'t>(text: &'t str, colon: Option<usize>, item: &'t str) -> Result<(&'t str, &'t str), InlineFault<'t>> {
    let fault = |kind| Err(InlineFault { kind, text: item });
    let Some(colon) = colon.zip(super::offset_in(text, item)).and_then(|(colon, start)| colon.checked_sub(start))
    else {
        return fault(InlineFaultKind::MissingColon);
    };
    let (name, value) = (trim(&item[..colon]), trim(&item[colon + 1..]));
    match (name.is_empty(), value.is_empty()) {
        (true, _) => fault(InlineFaultKind::EmptyKey),
        (_, true) => fault(InlineFaultKind::EmptyValue),
        _ => Ok((name, value)),
    }
}

fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// The common scan: `at` stands behind the opening bracket or behind a comma.
#[derive(Clone, Debug)]
struct Scanner<'t> {
    text: &'t str,
    at: usize,
    done: bool,
    /// Whether parentheses are brackets in the items of a list.
    parentheses: bool,
}

/// Which brackets are open, two bits a level, the innermost lowest.
#[derive(Clone, Copy)]
struct Open {
    kinds: u64,
    depth: usize,
}

impl Open {
    const PARENTHESIS: u64 = 2;

    fn kind(bracket: u8) -> u64 {
        match bracket {
            b'[' | b']' => 0,
            b'{' | b'}' => 1,
            _ => Self::PARENTHESIS,
        }
    }

    fn push(&mut self, bracket: u8) {
        self.kinds = self.kinds << 2 | Self::kind(bracket);
        self.depth += 1;
    }

    fn innermost(self) -> u64 {
        self.kinds & 3
    }
}

impl<'t> Scanner<'t> {
    fn new(text: &'t str, open: u8, kind: InlineFaultKind, parentheses: bool) -> Result<Self, InlineFault<'t>> {
        match text.as_bytes().first() {
            Some(&first) if first == open => Ok(Self { text, at: 1, done: false, parentheses }),
            _ => Err(InlineFault { kind, text }),
        }
    }

    /// The next item and the offset of the first colon on its own level. `parentheses` says of what stands before that whether parentheses
    /// are brackets behind it.
    fn next_item(
        &mut self,
        parentheses: impl Fn(&str) -> bool,
    ) -> Option<Result<(Option<usize>, &'t str), InlineFault<'t>>> {
        if self.done {
            return None;
        }
        let result = self.scan_item(parentheses).transpose();
        // Anything but an item is the end.
        self.done = self.done || !matches!(result, Some(Ok(_)));
        result
    }

    fn scan_item(
        &mut self,
        in_value: impl Fn(&str) -> bool,
    ) -> Result<Option<(Option<usize>, &'t str)>, InlineFault<'t>> {
        let (text, start) = (self.text, self.at);
        let fault = |kind, text| Err(InlineFault { kind, text });
        // The list or struct itself is the first level.
        let whole = text.as_bytes().first().copied().unwrap_or_default();
        let mut open = Open { kinds: Open::kind(whole), depth: 1 };
        let mut parentheses = self.parentheses && whole != b'{';
        let mut colon = None;
        let mut at = start;
        while let Some(&byte) = text.as_bytes().get(at) {
            match byte {
                b'"' => match quoted_length(&text[at..]) {
                    Some(length) => at += length - 1,
                    None => return fault(InlineFaultKind::UnclosedQuote, &text[at..]),
                },
                b'(' if !(open.innermost() == Open::PARENTHESIS || (parentheses && open.depth == 1)) => {}
                b')' if open.innermost() != Open::PARENTHESIS => {}
                b'[' | b'{' | b'(' if open.depth == NESTING_LIMIT => {
                    return fault(InlineFaultKind::TooDeep, &text[at..at + 1]);
                }
                b'[' | b'{' | b'(' => open.push(byte),
                b']' | b'}' | b')' if open.innermost() != Open::kind(byte) => {
                    return fault(InlineFaultKind::WrongCloser, &text[at..at + 1]);
                }
                b']' | b'}' | b')' if open.depth == 1 => {
                    let item = trim(&text[start..at]);
                    self.done = true;
                    return match (at + 1 < text.len(), item.is_empty()) {
                        (true, _) => fault(InlineFaultKind::AfterEnd, &text[at + 1..]),
                        // Nothing before the end: an empty list, or a comma after the last item.
                        (false, true) => Ok(None),
                        (false, false) => Ok(Some((colon, item))),
                    };
                }
                b']' | b'}' | b')' => open = Open { kinds: open.kinds >> 2, depth: open.depth - 1 },
                b',' if open.depth == 1 => {
                    let item = trim(&text[start..at]);
                    if item.is_empty() {
                        return fault(InlineFaultKind::EmptyItem, &text[at..at + 1]);
                    }
                    self.at = at + 1;
                    return Ok(Some((colon, item)));
                }
                b':' if open.depth == 1 && colon.is_none() => {
                    colon = Some(at);
                    parentheses |= whole == b'{' && in_value(trim(&text[start..at]));
                }
                _ => {}
            }
            at += 1;
        }
        fault(InlineFaultKind::Unclosed, &text[text.len()..])
    }
}

/// The length of the quoted text at the start, quotes included; escapes are only skipped here.
pub(super) fn quoted_length(text: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        let found = memchr::memchr2(b'"', b'\\', text.as_bytes().get(at..)?)?;
        at += found + 1;
        if text.as_bytes()[at - 1] == b'"' {
            return Some(at);
        }
        at += 1;
    }
}

/// The numbers of a vector as slices, whatever they say; a missing number between commas comes as an empty slice.
#[derive(Clone, Debug)]
pub struct Numbers<'t> {
    rest: &'t str,
    /// Whether a number has to follow: at the start of a text that is not empty, and after a comma.
    due: bool,
}

impl<'t> Numbers<'t> {
    /// Opens a trimmed text; brackets around the whole of it are left out.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let rest = without_brackets(text);
        Self { rest, due: !rest.is_empty() }
    }
}

fn without_brackets(text: &str) -> &str {
    text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).map_or(text, trim)
}

impl<'t> Iterator for Numbers<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        if !self.due && self.rest.is_empty() {
            return None;
        }
        let end = self.rest.bytes().position(|b| matches!(b, b' ' | b'\t' | b',')).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        let rest = rest.trim_start_matches([' ', '\t']);
        let after = rest.strip_prefix(',');
        self.due = after.is_some();
        self.rest = after.map_or(rest, |rest| rest.trim_start_matches([' ', '\t']));
        Some(number)
    }
}

/// Why a text is not a vector of `N` numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum VectorFault<'t> {
    /// Another count of numbers.
    #[error("expected {expected} numbers, found {found}")]
    Count {
        /// How many the vector has.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// One of them is wrong; an empty one stands where a number is missing beside a comma.
    #[error("number {}: {fault}", self.index() + 1)]
    Number {
        /// Which one, from 0.
        index: usize,
        /// Its text.
        text: &'t str,
        /// What is wrong with it.
        fault: NumberFault,
    },
}

impl VectorFault<'_> {
    fn index(&self) -> usize {
        match self {
            Self::Count { .. } => 0,
            Self::Number { index, .. } => *index,
        }
    }
}

/// Reads exactly `N` numbers from a trimmed text: `1 2 3`, `1, 2, 3` or `1,2,3`, also in brackets. No allocation; plain
/// numbers are read in one pass.
///
/// ```
/// use juliet_core::text::numbers;
/// assert_eq!(numbers::<f32, 3>("142.5, 12.0, -84.2"), Ok([142.5, 12.0, -84.2]));
/// assert!(numbers::<f32, 3>("1,5, 2,5, 3,5").is_err());
/// ```
///
/// # Errors
/// [`VectorFault`]: the count first, then the first number that is wrong.
#[inline]
pub fn numbers<T: Number, const N: usize>(text: &str) -> Result<[T; N], VectorFault<'_>> {
    match scan_numbers(text.as_bytes()) {
        Some((numbers, used)) if used == text.len() => Ok(numbers),
        _ => careful_numbers(text),
    }
}

/// `N` plain numbers at the start of `text`, with one separator between each two, and how many bytes they take.
#[inline]
pub(crate) fn scan_numbers<T: Number, const N: usize>(text: &[u8]) -> Option<([T; N], usize)> {
    let mut rest = text;
    let mut numbers = [T::default(); N];
    for (i, number) in numbers.iter_mut().enumerate() {
        if i > 0 {
            // The usual separators, `, ` and ` `, at once; then whatever else is allowed.
            rest = match rest {
                [b',', b' ', after @ ..] | [b' ' | b',', after @ ..] => after,
                _ => return None,
            };
        }
        let (x, used) = T::scan(rest)?;
        *number = x;
        rest = rest.get(used..)?;
    }
    Some((numbers, text.len() - rest.len()))
}

#[cold]
#[inline(never)]
fn careful_numbers<T: Number, const N: usize>(text: &str) -> Result<[T; N], VectorFault<'_>> {
    let mut numbers = [T::default(); N];
    let (mut found, mut first_fault) = (0, None);
    for (index, text) in Numbers::new(text).enumerate() {
        found = index + 1;
        match (T::parse(text), numbers.get_mut(index)) {
            (Ok(x), Some(number)) => *number = x,
            (Err(fault), _) if first_fault.is_none() => first_fault = Some(VectorFault::Number { index, text, fault }),
            _ => {}
        }
    }
    match first_fault {
        // A missing number beside a comma is named as such; it would only confuse the count.
        Some(fault @ VectorFault::Number { fault: NumberFault::Empty, .. }) => Err(fault),
        _ if found != N => Err(VectorFault::Count { expected: N, found }),
        Some(fault) => Err(fault),
        None => Ok(numbers),
    }
}

#[cfg(test)]
mod tests;
