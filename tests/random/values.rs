//! A class with a property of every type, and random values of all of them, hostile ones above all. Also used by the fuzz targets.

use juliet::prelude::*;

/// splitmix64: small, good enough, the same on every machine. <https://prng.di.unimi.it/splitmix64.c>
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub(crate) fn value<T: Random>(&mut self) -> T {
        T::random(self)
    }
}

/// A type with random values.
pub(crate) trait Random {
    fn random(rng: &mut Rng) -> Self;
}

/// What is drawn.
#[derive(Debug)]
pub(crate) struct Mesh;

#[derive(Property, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Mood {
    #[jasset(alias = "Mad", alias = "furious")]
    Angry,
    #[jasset(name = "so-so", alias = "Meh")]
    Neutral,
    #[jasset(default)]
    Happy,
}

#[derive(Property, Clone, Debug)]
pub(crate) struct Spot {
    #[jasset(default = -0.0, alias = "X")]
    across: f32,
    label: String,
    mood: Mood,
    near: Option<EntityRef>,
    #[jasset(skip, default = 7)]
    cached: u8,
}

#[derive(Property, Clone, Debug)]
pub(crate) struct Lamp {
    #[jasset(default = Color::rgb(1.0, 0.5, 0.2), alias = "tint")]
    color: Color,
    spot: Spot,
    r#match: i8,
    steps: Vec<u8>,
}

#[derive(Property, Clone, Copy, Debug)]
pub(crate) struct Kilograms(#[jasset(default = 1.5)] f32);

#[derive(Property, Clone, Debug)]
pub(crate) struct Title(String);

#[derive(Property, Clone, Debug)]
pub(crate) struct Holder(Spot);

#[derive(Property, Clone, Debug)]
pub(crate) struct Maybe(Option<u8>);

#[derive(Property, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ItemName(String);

#[derive(Property, Clone, Debug)]
pub(crate) struct Stack {
    count: u16,
    #[jasset(key, alias = "Item")]
    name: String,
    mode: Mode,
}

#[derive(Property, Clone, Debug)]
pub(crate) struct Loot(Vec<Stack>);

#[derive(Property, Clone, Debug)]
pub(crate) enum Mode {
    #[jasset(alias = "Still")]
    Idle,
    Wait(#[jasset(default = 1.0)] f32),
    Say(String, Option<String>, char),
    Aim(Vec3, Vec<Mode>),
    #[jasset(default)]
    Patrol {
        #[jasset(default = -0.0)]
        speed: f32,
        path: Vec<IVec2>,
        spot: Spot,
        label: String,
        #[jasset(with = owned)]
        boxed: Box<str>,
        names: IndexMap<String, Option<String>>,
    },
}

/// A property of every type.
#[derive(Entity, Clone, Debug)]
#[jasset(alias = "Everything")]
pub(crate) struct Every {
    flag: bool,
    tiny: i8,
    small: i16,
    whole: i32,
    long: i64,
    huge: i128,
    pointer: isize,
    byte: u8,
    word: u16,
    count: u32,
    big: u64,
    giant: u128,
    size: usize,
    #[jasset(default = 100.0, alias = "Hp", alias = "hit_points")]
    health: f32,
    precise: f64,
    letter: char,
    text: String,
    #[jasset(default = "short")]
    inline: InlineString<12>,
    plane: Vec2,
    #[jasset(default = Vec3::ONE)]
    scale: Vec3,
    quad: Vec4,
    cell: IVec2,
    block: IVec3,
    turn: Quat,
    paint: Color,
    #[jasset(default = "Assets/Meshes/Cube.obj")]
    mesh: AssetRef<Mesh>,
    target: EntityRef,
    mood: Mood,
    lamp: Lamp,
    #[jasset(name = "second_lamp", alias = "OtherLamp")]
    other: Lamp,
    weight: Kilograms,
    title: Title,
    holder: Holder,
    triple: [i32; 3],
    spots: [Spot; 2],
    nothing: [u8; 0],
    numbers: Vec<f32>,
    words: Vec<String>,
    rows: Vec<Vec<i8>>,
    pages: Vec<Vec<String>>,
    path: Vec<Vec3>,
    marks: Vec<Spot>,
    letters: Vec<char>,
    assets: Vec<AssetRef<Mesh>>,
    titles: Vec<Title>,
    moods: [Mood; 2],
    perhaps: Vec<Option<String>>,
    sure: Vec<Option<Lamp>>,
    maybe: Option<f64>,
    maybe_flag: Option<bool>,
    maybe_letter: Option<char>,
    maybe_text: Option<String>,
    maybe_inline: Option<InlineString<8>>,
    maybe_title: Option<Title>,
    maybe_asset: Option<AssetRef<Mesh>>,
    maybe_entity: Option<EntityRef>,
    maybe_list: Option<Vec<Option<String>>>,
    maybe_mood: Option<Mood>,
    maybe_lamp: Option<Lamp>,
    maybe_holder: Option<Holder>,
    maybe_scale: Option<Vec3>,
    maybe_array: Option<[EntityRef; 2]>,
    wrapped: Maybe,
    prices: IndexMap<String, f64>,
    levels: std::collections::BTreeMap<i16, Spot>,
    by_mood: std::collections::BTreeMap<Mood, Vec<String>>,
    by_letter: IndexMap<char, Option<String>>,
    by_name: IndexMap<ItemName, IndexMap<InlineString<6>, u8>>,
    loot: Loot,
    mode: Mode,
    modes: Vec<Mode>,
    maybe_mode: Option<Mode>,
    maybe_map: Option<IndexMap<u8, Mode>>,
    #[jasset(with = nanoseconds)]
    wait: std::time::Duration,
    #[jasset(with = owned)]
    boxed: Box<str>,
    r#type: u8,
    r#fn: Option<u8>,
    /// Never in a file.
    #[jasset(skip, default = 41)]
    pub(crate) cached: u32,
}

impl Every {
    pub(crate) fn set_text(&mut self, text: String) {
        self.text = text;
    }

    /// The skipped fields of nested structs.
    pub(crate) fn cached_below(&self) -> Vec<u8> {
        let lamps = [&self.lamp, &self.other].into_iter().chain(self.sure.iter().flatten()).chain(&self.maybe_lamp);
        let spots = lamps.map(|lamp| &lamp.spot).chain(&self.spots).chain(&self.marks).chain([&self.holder.0]);
        spots.map(|spot| spot.cached).collect()
    }

    pub(crate) fn set_health(&mut self, health: f32) {
        self.health = health;
    }
}

/// Durations as `12ns`.
pub(crate) mod nanoseconds {
    use std::time::Duration;

    pub(crate) fn read(text: &str) -> Result<Duration, String> {
        let digits = text.strip_suffix("ns").ok_or("a duration such as 12ns")?;
        digits.parse().map(Duration::from_nanos).map_err(|error| error.to_string())
    }

    pub(crate) fn write(value: &Duration) -> String {
        format!("{}ns", value.as_nanos())
    }
}

/// Text of another crate's type.
pub(crate) mod owned {
    pub(crate) fn read(text: &str) -> Result<Box<str>, std::convert::Infallible> {
        Ok(text.into())
    }

    #[expect(clippy::borrowed_box, reason = "the signature of an adapter")]
    pub(crate) fn write(value: &Box<str>) -> String {
        value.to_string()
    }
}

macro_rules! random {
    ($($t:ident: $rng:ident => $make:expr;)*) => {
        $(impl Random for $t {
            fn random($rng: &mut Rng) -> Self {
                $make
            }
        })*
    };
}

macro_rules! integers {
    ($($t:ident)*) => {
        $(impl Random for $t {
            fn random(rng: &mut Rng) -> Self {
                let any = (u128::from(rng.bits()) << 64 | u128::from(rng.bits())) as $t;
                match rng.below(4) {
                    0 => rng.pick(&[0, 1, $t::MIN, $t::MAX, $t::MAX - 1, 10]),
                    1 => any % 100,
                    _ => any,
                }
            }
        })*
    };
}

integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! fields {
    ($($t:ident { $($field:ident)* } $({ $($plain:ident: $value:expr),* })?)*) => {
        $(impl Random for $t {
            fn random(rng: &mut Rng) -> Self {
                Self { $($field: rng.value(),)* $($($plain: $value),*)? }
            }
        })*
    };
}

fields! {
    Spot { across label mood near } { cached: 7 }
    Lamp { color spot r#match steps }
    Every {
        flag tiny small whole long huge pointer byte word count big giant size health precise letter text inline plane scale quad
        cell block turn paint mesh target mood lamp other weight title holder triple spots nothing numbers words rows pages path
        marks letters assets titles moods perhaps sure maybe maybe_flag maybe_letter maybe_text maybe_inline maybe_title
        maybe_asset maybe_entity maybe_list maybe_mood maybe_lamp maybe_holder maybe_scale maybe_array wrapped prices levels
        by_mood by_letter by_name loot mode modes maybe_mode maybe_map wait boxed r#type r#fn
    } { cached: 41 }
}

random! {
    bool: rng => rng.one_in(2);
    f32: rng => match rng.below(4) {
        0 => rng.pick(&[
            0.0, -0.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE, f32::MAX, f32::MIN, 1e-45, -1e-45, 0.1,
            16_777_216.0, 1e16, 1e-7, 123_456_790.0,
        ]),
        1 => (rng.below(2_000_001) as f32 - 1e6) / 1000.0,
        _ => f32::from_bits(rng.bits() as u32),
    };
    f64: rng => match rng.below(4) {
        0 => rng.pick(&[
            0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, f64::MAX, f64::MIN, 5e-324, 0.1, 1e23,
            9_007_199_254_740_993.0, 1e16, 1e-7,
        ]),
        1 => (rng.below(2_000_001) as f64 - 1e6) / 1000.0,
        _ => f64::from_bits(rng.bits()),
    };
    char: rng => match rng.below(3) {
        0 => rng.pick(&['"', '\'', '\\', ' ', '\t', '\n', '\r', '\0', ',', ':', '[', ']', '{', '}', '(', ')', '#', ';', '/', '\u{FEFF}', '\u{2028}']),
        1 => char::from(32 + rng.below(95) as u8),
        _ => char::from_u32(rng.bits() as u32 % 0x11_0000).unwrap_or('\u{10FFFF}'),
    };
    String: rng => text(rng);
    Vec2: rng => Vec2::from_array(rng.value());
    Vec3: rng => Vec3::from_array(rng.value());
    Vec4: rng => Vec4::from_array(rng.value());
    IVec2: rng => IVec2::from_array(rng.value());
    IVec3: rng => IVec3::from_array(rng.value());
    Quat: rng => Quat::from_array(rng.value());
    Color: rng => {
        let color: [f32; 4] = rng.value();
        if rng.one_in(2) { Color::rgb(color[0], color[1], color[2]) } else { Color::from(color) }
    };
    EntityRef: rng => EntityRef::new(if rng.one_in(3) { 0 } else { rng.value() });
    Mood: rng => rng.pick(&[Mood::Angry, Mood::Neutral, Mood::Happy]);
    Kilograms: rng => Kilograms(rng.value());
    Title: rng => Title(rng.value());
    Holder: rng => Holder(rng.value());
    Maybe: rng => Maybe(rng.value());
    ItemName: rng => ItemName(rng.value());
    Loot: rng => {
        // No two of one name: such a list is not read back.
        let names: std::collections::BTreeSet<String> = (0..rng.below(4)).map(|_| rng.value()).collect();
        Loot(names.into_iter().map(|name| Stack { count: rng.value(), name, mode: rng.value() }).collect())
    };
    Mode: rng => match rng.below(8) {
        0 => Mode::Wait(rng.value()),
        1 => Mode::Say(rng.value(), rng.value(), rng.value()),
        2 => Mode::Aim(rng.value(), rng.value()),
        3 => Mode::Patrol {
            speed: rng.value(),
            path: rng.value(),
            spot: rng.value(),
            label: rng.value(),
            boxed: rng.value(),
            names: rng.value(),
        },
        _ => Mode::Idle,
    };
}

impl Random for std::time::Duration {
    fn random(rng: &mut Rng) -> Self {
        Self::from_nanos(rng.value())
    }
}

impl Random for Box<str> {
    fn random(rng: &mut Rng) -> Self {
        text(rng).into()
    }
}

impl Random for AssetRef<Mesh> {
    fn random(rng: &mut Rng) -> Self {
        const PARTS: [&str; 16] = [
            "Assets/", "Meshes/", "Rock.obj", "./", "../", "/", "\\", "C:", "none", " ", "#", "; x", "\"", "ü",
            ", [b]", "\u{2028}",
        ];
        let path: String = (0..rng.below(6)).map(|_| rng.pick(&PARTS)).collect();
        Self::new(&path).unwrap_or_default()
    }
}

impl<const N: usize> Random for InlineString<N> {
    fn random(rng: &mut Rng) -> Self {
        let mut inline = Self::new();
        for letter in text(rng).chars() {
            if inline.try_push(letter).is_err() {
                break;
            }
        }
        inline
    }
}

impl<T: Random> Random for Option<T> {
    fn random(rng: &mut Rng) -> Self {
        (!rng.one_in(3)).then(|| rng.value())
    }
}

impl<T: Random> Random for Vec<T> {
    fn random(rng: &mut Rng) -> Self {
        (0..rng.below(4)).map(|_| rng.value()).collect()
    }
}

impl<K: Random + Eq + std::hash::Hash, V: Random> Random for IndexMap<K, V> {
    fn random(rng: &mut Rng) -> Self {
        (0..rng.below(4)).map(|_| (rng.value(), rng.value())).collect()
    }
}

impl<K: Random + Ord, V: Random> Random for std::collections::BTreeMap<K, V> {
    fn random(rng: &mut Rng) -> Self {
        (0..rng.below(4)).map(|_| (rng.value(), rng.value())).collect()
    }
}

impl<T: Random, const N: usize> Random for [T; N] {
    fn random(rng: &mut Rng) -> Self {
        std::array::from_fn(|_| rng.value())
    }
}

/// Text made of what means something to somebody.
pub(crate) fn text(rng: &mut Rng) -> String {
    const PARTS: [&str; 50] = [
        "none",
        "true",
        "nan",
        "1",
        "a",
        "word",
        " ",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "\r",
        "\"",
        "\\",
        "\\n",
        "\\u{41}",
        "'",
        "; x",
        ";",
        "# x",
        "#",
        "//",
        "/",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        ",",
        ":",
        "Key: 1",
        "=======",
        "<<<<<<< HEAD",
        ">>>>>>> b",
        "||||||| c",
        "!",
        "\0",
        "\u{1}",
        "\u{7f}",
        "\u{85}",
        "\u{a0}",
        "\u{ad}",
        "\u{200b}",
        "\u{2028}",
        "\u{feff}",
        "ä",
        "e\u{301}",
        "😀",
        "\u{10ffff}",
    ];
    match rng.below(12) {
        0 => String::new(),
        1 => rng.pick(&PARTS).to_owned(),
        2 => (0..rng.below(400)).map(|_| rng.value::<char>()).collect(),
        _ => (0..rng.below(6)).map(|_| rng.pick(&PARTS)).collect(),
    }
}
