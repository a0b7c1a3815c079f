use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(range = 0.0..1.0)]
    x: f32,
    #[jasset(range = ..5)]
    y: f32,
    #[jasset(range = ..)]
    z: f32,
}

fn main() {}
