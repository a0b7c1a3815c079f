//! Where the default of a property comes from.

use core::time::Duration;

use crate::support::outlives_its_type;

use juliet::{AssetRef, Entity, InlineString, Property, PropertyValue};

struct Mesh;

const CLASS: u32 = 11;

#[derive(Entity)]
struct Told {
    #[jasset(default = "Assets/Meshes/Cube.obj")]
    mesh: AssetRef<Mesh>,
    #[jasset(default = "hello")]
    text: String,
    #[jasset(default = "short")]
    label: InlineString<8>,
    #[jasset(default = Self::ANSWER)]
    answer: u32,
    #[jasset(default = [1, 2, 3])]
    list: [u8; 3],
    #[jasset(default = { let a = CLASS; a + 1 })]
    block: u32,
    #[jasset(default = i32::MIN)]
    small: i32,
    #[jasset(with = millis, default = Self::BLINK)]
    blink: Duration,
    #[jasset(with = millis)]
    pause: Duration,
    #[jasset(skip, default = u32::MAX)]
    instance: u32,
    #[jasset(skip, default = "static")]
    tag: &'static str,
    #[jasset(skip)]
    other: Option<Box<u8>>,
}

impl Told {
    const ANSWER: u32 = 42;
    const BLINK: Duration = Duration::from_millis(5);
}

/// Whole milliseconds.
mod millis {
    use core::time::Duration;

    pub(super) fn read(text: &str) -> Result<Duration, core::num::ParseIntError> {
        text.parse().map(Duration::from_millis)
    }

    pub(super) fn write(value: &Duration) -> String {
        value.as_millis().to_string()
    }
}

#[test]
fn a_default_is_what_the_attribute_says() {
    let told = Told::default_value();
    assert_eq!(told.mesh.path(), "Assets/Meshes/Cube.obj");
    assert_eq!((told.text.as_str(), told.label.as_str(), told.answer), ("hello", "short", 42));
    assert_eq!((told.list, told.block, told.small), ([1, 2, 3], 12, i32::MIN));
    assert_eq!((told.blink.as_millis(), told.pause.as_millis()), (5, 0));
    assert_eq!((told.instance, told.tag, told.other), (u32::MAX, "static", None));
    assert_eq!(Told::PROPERTIES.len(), 9);
}

/// Defaults of its own.
#[derive(Property)]
#[jasset(default)]
struct Own {
    a: u32,
    #[jasset(default = 7)]
    b: u32,
    #[jasset(with = millis)]
    pause: Duration,
    #[jasset(skip)]
    runtime: u32,
}

impl Default for Own {
    fn default() -> Self {
        Self { a: 1, b: 2, pause: Duration::from_millis(3), runtime: 4 }
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.a = 0;
    }
}

#[test]
fn a_type_may_bring_its_own_defaults() {
    let own = Own::default_value();
    assert_eq!((own.a, own.b, own.pause.as_millis(), own.runtime), (1, 7, 3, 4));
    assert!(!Own::TYPE.is_blittable());
}

#[derive(Property, Default)]
#[jasset(default)]
struct AllOwn {
    a: u32,
}

#[derive(Property, Default, Debug, PartialEq)]
#[jasset(default)]
enum FromType {
    A,
    #[default]
    B,
}

#[derive(Property, Debug, PartialEq)]
enum First {
    A,
    B,
}

#[derive(Property, Debug, PartialEq)]
enum Marked {
    A,
    #[jasset(default)]
    B,
}

#[derive(Property, Default, Debug, PartialEq)]
enum Std {
    A,
    #[default]
    B,
}

#[test]
fn the_default_of_an_enum_is_the_marked_variant_or_the_first() {
    assert_eq!(AllOwn::default_value().a, 0);
    assert_eq!(FromType::default_value(), FromType::B);
    assert_eq!(First::default_value(), First::A);
    assert_eq!(Marked::default_value(), Marked::B);
    assert_eq!(Std::default_value(), Std::B);
    assert_ne!((FromType::A, First::B), (FromType::B, First::A));
    assert_ne!((Marked::A, Std::A), (Marked::B, Std::B));
}

#[test]
fn these_classes_outlive_their_types() {
    outlives_its_type::<Told>();
}
