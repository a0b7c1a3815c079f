use juliet::{Entity, Property};

#[derive(Property)]
struct Spot {
    x: f32,
}

#[derive(Entity)]
struct A {
    #[jasset(range = 0.0..=1.0)]
    spot: Spot,
}

fn main() {}
