//! The forms an attribute may have.
#![deny(warnings)]

use juliet::{Entity, Property};

#[derive(Entity)]
pub struct None1 {
    pub x: f32,
}

#[derive(Entity)]
#[jasset]
#[jasset()]
#[jasset(version = 2,)]
#[jasset(name = "Two", alias = "A", alias("B", "C",))]
pub struct Several {
    #[jasset]
    #[jasset()]
    #[jasset(default = 1.0)]
    #[jasset(range = 0..=5, step = 1, hidden, read_only, group = "G", unit = "kg", since = 2)]
    pub x: f32,
    #[jasset(range = -1.5.., default = 0.0)]
    pub y: f32,
    #[jasset(range = ..=1_000)]
    pub z: u64,
}

#[derive(Property)]
pub enum Mood {
    #[jasset(name = "very-calm", alias("Calm", "calm"), default)]
    Calm,
}

fn main() {
    let _ = (None1::default_value().x, Several::default_value().x, Mood::Calm);
}
