use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(range = 1.0)]
    a: f32,
    #[jasset(range = f32::MIN..=1.0)]
    b: f32,
    #[jasset(range = "0..=1")]
    c: f32,
    #[jasset(range = 2.0..=1.0)]
    d: f32,
    #[jasset(range = 0.0..=1e999)]
    e: f32,
}

fn main() {}
