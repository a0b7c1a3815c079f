use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(skip, range = 0.0..=1.0, unit = "kg", alias = "Old")]
    x: f32,
}

fn main() {}
