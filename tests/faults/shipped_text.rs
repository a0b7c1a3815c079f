//! Values as files of a shipped game have them, in many odd forms, and a second reader of them that shares no code with the first.

use juliet::glam::{IVec2, IVec3, Quat, Vec2, Vec3, Vec4};
use juliet::{AssetRef, Color, EntityRef, InlineString};

/// The same numbers on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 11) % limit
    }

    pub(crate) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn pick<'t>(&mut self, among: &[&'t str]) -> &'t str {
        among[self.below(among.len() as u64) as usize]
    }
}

/// Keys and values of a file, in its order, as a reader of ten lines finds them.
pub(crate) struct Naive {
    pub(crate) lines: Vec<(String, String)>,
    pub(crate) directives: Vec<(String, String)>,
    colon: bool,
}

impl Naive {
    pub(crate) fn of(text: &str) -> Self {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let mut naive = Self { lines: Vec::new(), directives: Vec::new(), colon: true };
        let mut lines = text.lines().map(|line| line.trim_matches([' ', '\t', '\r']));
        while let Some(line) = lines.next() {
            if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
                continue;
            }
            match (line.strip_prefix(';'), line.split_once(':')) {
                (Some(name), _) if !name.contains(':') => {
                    naive.colon = false;
                    let pair = (name.trim().to_owned(), lines.next().unwrap().to_owned());
                    let directive = ["class", "entity_type", "id", "version", "template"].contains(&&*pair.0);
                    if directive { &mut naive.directives } else { &mut naive.lines }.push(pair);
                }
                (Some(_), Some((name, value))) => {
                    naive.directives.push((name.trim_matches([';', ' ']).to_owned(), value.trim().to_owned()));
                }
                (None, Some((key, value))) => {
                    naive.lines.push((key.trim().to_owned(), value.trim_matches([' ', '\t']).to_owned()));
                }
                _ => panic!("{line}"),
            }
        }
        naive
    }

    /// What a file of these lines says.
    pub(crate) fn in_colon(lines: Vec<(String, String)>) -> Self {
        Self { lines, directives: Vec::new(), colon: true }
    }

    /// The keys in the colon spelling, with their values.
    pub(crate) fn in_colon_spelling(&self) -> impl Iterator<Item = (String, &str)> {
        self.lines.iter().map(|(key, text)| (if self.colon { key.clone() } else { spelled(key, true) }, &**text))
    }

    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.lines.iter().find(|(name, _)| *name == spelled(key, self.colon)).map(|(_, text)| &**text)
    }

    pub(crate) fn directive(&self, names: &[&str]) -> &str {
        &self.directives.iter().find(|(name, _)| names.contains(&&**name)).unwrap().1
    }
}

/// A field's name, with points, as a key in the spelling of a file.
pub(crate) fn spelled(field: &str, colon: bool) -> String {
    if !colon {
        return field.to_owned();
    }
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    let part = |part: &str| part.split('_').map(word).collect::<String>();
    field.split('.').map(part).collect::<Vec<_>>().join(".")
}

/// A type of property: how files write it, and whether a text says a value.
pub(crate) trait Sample: Sized {
    /// A value in one of its forms, for a line of its own.
    fn text(random: &mut Random) -> String;
    /// A value in one of its forms, inside of a list or struct.
    fn item(random: &mut Random) -> String {
        Self::text(random)
    }
    /// Whether the value is the one of the text.
    fn is(&self, text: &str) -> bool;
    /// Whether two values are the same.
    fn same(&self, other: &Self) -> bool;

    fn lines(random: &mut Random, key: &str, out: &mut Vec<(String, String)>) {
        out.push((key.to_owned(), Self::text(random)));
    }
    /// Whether the value is what the file says of it, or the default where it says nothing.
    fn is_in(&self, key: &str, file: &Naive, default: &Self) -> bool {
        match file.get(key) {
            Some(text) => self.is(text),
            None => self.same(default),
        }
    }
}

/// Items of `[…]` or `{…}`, not looking into quotes and brackets.
pub(crate) fn items(text: &str) -> Vec<&str> {
    let inner = &text[1..text.len() - 1];
    let (mut found, mut from, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0, false, false);
    for (at, letter) in inner.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                found.push(inner[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    let rest = inner[from..].trim();
    found.extend((!rest.is_empty()).then_some(rest));
    found
}

fn integer(text: &str) -> i128 {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let value = match digits.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).unwrap(),
        None => digits.parse().unwrap(),
    };
    if negative { -value } else { value }
}

macro_rules! integers {
    ($($t:ty)*) => {$(
        impl Sample for $t {
            fn text(random: &mut Random) -> String {
                let value = (random.next() >> random.below(64)) as $t;
                let value = i128::try_from(value).unwrap();
                let sign = if value.is_negative() { "-" } else { random.pick(&["", "", "+"]) };
                let size = value.unsigned_abs();
                match random.below(6) {
                    0 => format!("{sign}00{size}"),
                    1 => format!("{sign}{size:#x}"),
                    2 => <$t>::MIN.to_string(),
                    3 => <$t>::MAX.to_string(),
                    _ => format!("{sign}{size}"),
                }
            }
            fn is(&self, text: &str) -> bool {
                i128::try_from(*self).unwrap() == integer(text)
            }
            fn same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! floats {
    ($($t:ty)*) => {$(
        impl Sample for $t {
            fn text(random: &mut Random) -> String {
                let value = random.below(2_000_000) as f64 / 1000.0 - 1000.0;
                match random.below(10) {
                    0 => random.pick(&["2.50", "1e3", "007", "+5", "-0.0", "1E-3", "0.10000", "inf", "-inf", "nan", "1e-40", "3.4028235e38"]).to_owned(),
                    1 => format!("{value:.7}"),
                    2 => format!("{value:e}"),
                    3 => format!("{value:.0}"),
                    _ => format!("{value:?}"),
                }
            }
            fn is(&self, text: &str) -> bool {
                let other: $t = text.parse().unwrap();
                self.same(&other)
            }
            fn same(&self, other: &Self) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }
        }
    )*};
}
floats!(f32 f64);

impl Sample for bool {
    fn text(random: &mut Random) -> String {
        random.pick(&["true", "false"]).to_owned()
    }
    fn is(&self, text: &str) -> bool {
        self.to_string() == text
    }
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

fn unescaped(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"') else { return text.to_owned() };
    let inner = inner.strip_suffix('"').unwrap();
    inner
        .replace("\\\\", "\u{F0000}")
        .replace("\\n", "\n")
        .replace("\\t", "\t")
        .replace("\\\"", "\"")
        .replace("\\u{263A}", "☺")
        .replace('\u{F0000}', "\\")
}

impl Sample for char {
    fn text(random: &mut Random) -> String {
        random.pick(&["a", "Z", "7", "ü", "岩", "🪨", "\"\\n\"", "\"\\\"\"", "\"\\u{263A}\"", "\"#\""]).to_owned()
    }
    fn is(&self, text: &str) -> bool {
        self.to_string() == unescaped(text)
    }
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

const WORDS: [&str; 16] = [
    "a",
    "gate #4",
    "x // y",
    "key: value",
    "a; b",
    "=",
    "\"quoted\"",
    "C:\\dir",
    "ein großer Stein",
    "岩石",
    "🪨🧱",
    "none.",
    "100 %",
    "e\u{301}",
    "<<<<<<<",
    "[1, 2]",
];

/// Text that may stand bare on a line.
fn bare(random: &mut Random) -> String {
    let mut text = random.pick(&["The", "none of", "A:B", "true", "12.50", "x"]).to_owned();
    for _ in 0..random.below(5) {
        text = format!("{text}{}{}", random.pick(&[" ", "  ", "\t", ""]), random.pick(&WORDS));
    }
    if random.one_in(100) {
        text = text.repeat(1 + 20_000 / text.len());
    }
    text.trim().to_owned()
}

/// Text in quotes.
fn quoted(random: &mut Random) -> String {
    let bare = bare(random);
    let mut text: String = bare.replace('\\', "\\\\").replace('"', "\\\"");
    for _ in 0..random.below(3) {
        text += random.pick(&["\\n", "\\t", "\\u{263A}", " ", ", ", "# ", "; "]);
    }
    format!("\"{text}\"")
}

impl Sample for String {
    fn text(random: &mut Random) -> String {
        match random.below(6) {
            0 => quoted(random),
            1 => random
                .pick(&[
                    "\"\"",
                    "\"none\"",
                    "\"# no comment\"",
                    "\"; no directive\"",
                    "\"// here\"",
                    "\" \"",
                    "\"[\"",
                    "\"\\\\\"",
                ])
                .to_owned(),
            _ => bare(random),
        }
    }
    fn item(random: &mut Random) -> String {
        if random.one_in(3) {
            random.pick(&["bare", "two words", "a-b", "ü", "a#b"]).to_owned()
        } else {
            quoted(random)
        }
    }
    fn is(&self, text: &str) -> bool {
        *self == unescaped(text)
    }
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

impl<const N: usize> Sample for InlineString<N> {
    fn text(random: &mut Random) -> String {
        random.pick(&["short", "a b", "\"\"", "\"x\\ty\"", "16 bytes long !!", "ü#//;:", "\"# x\""]).to_owned()
    }
    fn item(random: &mut Random) -> String {
        random.pick(&["short", "a b", "\"\"", "\"x, y\"", "ü"]).to_owned()
    }
    fn is(&self, text: &str) -> bool {
        self.as_str() == unescaped(text)
    }
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

fn numbers<T: Sample>(random: &mut Random, count: usize) -> String {
    let separator = random.pick(&[", ", ", ", " ", ",", "  ", " ,  ", "\t"]);
    (0..count).map(|_| T::text(random)).collect::<Vec<_>>().join(separator)
}

fn are<T: Sample>(found: &[T], text: &str) -> bool {
    let texts: Vec<&str> = text.split([',', ' ', '\t', '[', ']']).filter(|part| !part.is_empty()).collect();
    found.len() == texts.len() && found.iter().zip(texts).all(|(value, text)| value.is(text))
}

macro_rules! vectors {
    ($($t:ty, $of:ty, $count:literal;)*) => {$(
        impl Sample for $t {
            fn text(random: &mut Random) -> String {
                numbers::<$of>(random, $count)
            }
            fn item(random: &mut Random) -> String {
                format!("[{}]", Self::text(random))
            }
            fn is(&self, text: &str) -> bool {
                are(&self.to_array(), text)
            }
            fn same(&self, other: &Self) -> bool {
                self.to_array().iter().zip(&other.to_array()).all(|(a, b)| a.same(b))
            }
        }
    )*};
}
vectors! { Vec2, f32, 2; Vec3, f32, 3; Vec4, f32, 4; Quat, f32, 4; IVec2, i32, 2; IVec3, i32, 3; }

impl Sample for Color {
    fn text(random: &mut Random) -> String {
        let count = 3 + random.below(2) as usize;
        numbers::<f32>(random, count)
    }
    fn item(random: &mut Random) -> String {
        format!("[{}]", Self::text(random))
    }
    fn is(&self, text: &str) -> bool {
        are(&self.to_array(), text) || self.a == 1.0 && are(&self.to_array()[..3], text)
    }
    fn same(&self, other: &Self) -> bool {
        self.to_array().iter().zip(&other.to_array()).all(|(a, b)| a.same(b))
    }
}

impl<A: 'static> Sample for AssetRef<A> {
    fn text(random: &mut Random) -> String {
        let file = random.pick(&["Cube.obj", "a b.obj", "grün.obj", "x#y;z.obj", "Nested/Deep/Rock.obj"]);
        format!("Assets{}Meshes{}{file}", random.pick(&["/", "/", "\\", "/./", "//"]), random.pick(&["/", "/x/../"]))
    }
    fn item(random: &mut Random) -> String {
        format!("Assets/Meshes/M{}.obj", random.below(100))
    }
    fn is(&self, text: &str) -> bool {
        self.path() == text.replace('\\', "/").replace("/./", "/").replace("//", "/").replace("/x/../", "/")
    }
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

impl Sample for EntityRef {
    fn text(random: &mut Random) -> String {
        match random.below(4) {
            0 => "none".to_owned(),
            1 => random.below(1 << 40).to_string(),
            _ => format!("{:#018x}", 1 + (random.next() >> 1)),
        }
    }
    fn item(random: &mut Random) -> String {
        format!("{:#x}", 1 + random.below(1 << 50))
    }
    fn is(&self, text: &str) -> bool {
        i128::from(self.id()) == if text == "none" { 0 } else { integer(text) }
    }
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

fn list<T: Sample>(random: &mut Random, count: usize) -> String {
    let (open, separator) = (random.pick(&["[", "[ "]), random.pick(&[", ", ", ", ",", " , "]));
    let items = (0..count).map(|_| T::item(random)).collect::<Vec<_>>().join(separator);
    let end = if count > 0 { random.pick(&["]", " ]", ",]", ", ]"]) } else { "]" };
    format!("{open}{items}{end}")
}

impl<T: Sample> Sample for Vec<T> {
    fn text(random: &mut Random) -> String {
        let count = random.below(5) as usize;
        list::<T>(random, count)
    }
    fn is(&self, text: &str) -> bool {
        let items = items(text);
        self.len() == items.len() && self.iter().zip(items).all(|(value, text)| value.is(text))
    }
    fn same(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().zip(other).all(|(a, b)| a.same(b))
    }
}

impl<T: Sample, const N: usize> Sample for [T; N] {
    fn text(random: &mut Random) -> String {
        list::<T>(random, N)
    }
    fn is(&self, text: &str) -> bool {
        let items = items(text);
        items.len() == N && self.iter().zip(items).all(|(value, text)| value.is(text))
    }
    fn same(&self, other: &Self) -> bool {
        self.iter().zip(other).all(|(a, b)| a.same(b))
    }
}

impl<T: Sample> Sample for Option<T> {
    fn text(random: &mut Random) -> String {
        if random.one_in(3) { "none".to_owned() } else { T::text(random) }
    }
    fn item(random: &mut Random) -> String {
        if random.one_in(3) { "none".to_owned() } else { T::item(random) }
    }
    fn is(&self, text: &str) -> bool {
        match self {
            None => text == "none",
            Some(value) => text != "none" && value.is(text),
        }
    }
    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (None, None) => true,
            (Some(a), Some(b)) => a.same(b),
            _ => false,
        }
    }
}
