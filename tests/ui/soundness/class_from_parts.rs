use juliet::{Class, Entity};

#[derive(Entity)]
struct A {
    mass: f32,
}

fn main() {
    let _ = Class { version: 2, ..*A::CLASS };
}
