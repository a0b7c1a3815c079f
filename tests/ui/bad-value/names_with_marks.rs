use juliet::{Entity, Property};

#[derive(Entity)]
#[jasset(name = "Big Crate", alias = "7up", alias = "a.b")]
struct A {
    x: f32,
}

#[derive(Property)]
enum Mood {
    #[jasset(name = "very calm")]
    Calm,
    #[jasset(alias = "a,b")]
    Angry,
}

fn main() {}
