use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(rnage = 0.0..=1.0)]
    x: f32,
}

fn main() {}
