use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(step = 0.0)]
    a: f32,
    #[jasset(step = -1)]
    b: f32,
    #[jasset(step = "0.5")]
    c: f32,
}

fn main() {}
