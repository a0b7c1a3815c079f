//! Classes for tests of memory: with and without a size, over-aligned, plain, with heap fields, and with panics on demand.
#![expect(unsafe_code, reason = "entity types without the derive macro")]

use core::cell::Cell;

use crate::class::{Class, ClassRegistry, Entity, Meta, Property, PropertyType};
use crate::mem::PropertyValue;

thread_local! {
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static DROPPED: Cell<i64> = const { Cell::new(0) };
    static FUSE: Cell<i64> = const { Cell::new(-1) };
}

/// How many [`Counted`] live on this thread.
pub(crate) fn live() -> i64 {
    LIVE.get()
}

/// How many [`Counted`] were dropped on this thread.
pub(crate) fn dropped() -> i64 {
    DROPPED.get()
}

/// The `count`th default or drop of a [`Bomb`] on this thread panics, counted from 0.
pub(crate) fn light_fuse(count: i64) {
    FUSE.set(count);
}

/// Panics when the fuse has burnt down.
pub(crate) fn tick() {
    burn();
}

fn burn() {
    let left = FUSE.get();
    FUSE.set(left - 1);
    assert!(left != 0, "bomb");
}

/// Counts itself.
pub(crate) struct Counted;

impl Counted {
    pub(crate) fn new() -> Self {
        LIVE.set(LIVE.get() + 1);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        LIVE.set(LIVE.get() - 1);
        DROPPED.set(DROPPED.get() + 1);
    }
}

/// A class that holds a number in its own way.
pub(crate) trait Number: Entity {
    fn of(number: u32) -> Self;
    fn number(&self) -> u32;
}

macro_rules! class {
    ($ty:ident, [$($key:literal, $split:literal, $field:ident: $of:ty);*], $plain:literal, $default:expr) => {
        // SAFETY: `Class::of` takes size, alignment and functions from the type; offsets and types are those of the fields.
        unsafe impl Entity for $ty {
            const CLASS: &'static Class = &Class::of::<$ty>(
                stringify!($ty),
                crc(stringify!($ty).as_bytes()),
                1,
                "",
                &[$(Property::new(
                    $key,
                    $split,
                    core::mem::offset_of!($ty, $field),
                    <$of as PropertyValue>::TYPE,
                    Meta::NONE,
                )),*],
                $plain,
            );
            fn default_value() -> Self {
                $default
            }
        }
    };
}

/// CRC-32 (IEEE), bit by bit.
const fn crc(bytes: &[u8]) -> u32 {
    let (mut crc, mut i) = (!0, 0);
    while i < bytes.len() {
        crc ^= bytes[i] as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 };
            bit += 1;
        }
        i += 1;
    }
    !crc
}

/// One byte: smaller than its link.
pub(crate) struct Small {
    pub(crate) v: u8,
}
class!(Small, ["V: ; v\n", 3, v: u8], true, Small { v: 7 });

/// No size, large alignment, counted.
#[repr(align(64))]
pub(crate) struct Tag(pub(crate) Counted);
class!(Tag, [], false, Tag(Counted::new()));

/// Large alignment.
#[repr(align(64))]
pub(crate) struct Fat {
    pub(crate) v: u32,
}
class!(Fat, ["V: ; v\n", 3, v: u32], true, Fat { v: 1 });

/// 80 plain bytes.
#[derive(Clone, Copy)]
pub(crate) struct Plain {
    pub(crate) hp: f32,
    pub(crate) owner: u32,
    pub(crate) rest: [u64; 9],
}
class!(
    Plain,
    ["Hp: ; hp\n", 4, hp: f32; "Owner: ; owner\n", 7, owner: u32; "Rest: ; rest\n", 6, rest: [u64; 9]],
    true,
    Plain { hp: 100.0, owner: 0, rest: [7; 9] }
);

/// Heap fields and a counter.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) tags: Vec<String>,
    pub(crate) counted: Counted,
}
class!(
    Named,
    ["Name: ; name\n", 6, name: String; "Tags: ; tags\n", 6, tags: Vec<String>],
    false,
    Named { name: "unnamed".into(), tags: vec!["new".into()], counted: Counted::new() }
);

/// Panics in its default or drop when the fuse is lit; its fields count and are dropped all the same.
pub(crate) struct Bomb {
    pub(crate) name: String,
    #[expect(dead_code, reason = "counts")]
    pub(crate) counted: Counted,
}
class!(Bomb, ["Name: ; name\n", 6, name: String], false, Bomb::new());

impl Bomb {
    pub(crate) fn new() -> Self {
        let counted = Counted::new();
        burn();
        Self { name: "tick".repeat(3), counted }
    }
}

impl Drop for Bomb {
    fn drop(&mut self) {
        burn();
    }
}

/// Panics when it is copied into a list that has none yet.
pub(crate) struct Part;

// SAFETY: `structure` takes size, alignment and functions from the type, which has no fields.
unsafe impl PropertyValue for Part {
    const TYPE: &'static PropertyType = &PropertyType::structure::<Self>("Part", "", &[], true);
    fn default_value() -> Self {
        panic!("no part is like another")
    }
}

/// A copy of it panics unless `parts` is empty.
pub(crate) struct Touchy {
    #[expect(dead_code, reason = "counts")]
    pub(crate) counted: Counted,
    pub(crate) parts: Vec<Part>,
}
class!(Touchy, ["Parts: ; parts\n", 7, parts: Vec<Part>], false, Touchy { counted: Counted::new(), parts: vec![] });

impl Number for Small {
    fn of(number: u32) -> Self {
        Self { v: number as u8 }
    }
    fn number(&self) -> u32 {
        self.v.into()
    }
}

impl Number for Fat {
    fn of(number: u32) -> Self {
        Self { v: number }
    }
    fn number(&self) -> u32 {
        self.v
    }
}

impl Number for Named {
    fn of(number: u32) -> Self {
        Self { name: number.to_string(), tags: vec!["x".into(); (number % 3) as usize], counted: Counted::new() }
    }
    fn number(&self) -> u32 {
        let Counted = self.counted;
        assert!(self.tags.iter().all(|tag| tag == "x"));
        self.name.parse().unwrap_or(u32::MAX)
    }
}

/// Small, Tag, Fat, Plain, Named, Bomb: kinds 0 to 5.
pub(crate) fn registry() -> ClassRegistry {
    let classes = ClassRegistry::new().with::<Small>().and_then(|r| r.with::<Tag>()).and_then(|r| r.with::<Fat>());
    let classes =
        classes.and_then(|r| r.with::<Plain>()).and_then(|r| r.with::<Named>()).and_then(|r| r.with::<Bomb>());
    classes.expect("six classes of different names")
}
