use juliet::Entity;

#[derive(Entity)]
#[jasset(default = 3)]
struct A {
    x: f32,
}

fn main() {}
