use juliet::Entity;

#[derive(Entity)]
#[jasset(versoin = 3)]
struct A {
    x: f32,
}

fn main() {}
