use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(default = 1.0)]
    #[jasset(default = 2.0)]
    x: f32,
}

fn main() {}
