use juliet::Entity;

#[derive(Entity)]
#[jasset(range = 0.0..=1.0, skip)]
struct A {
    x: f32,
}

fn main() {}
