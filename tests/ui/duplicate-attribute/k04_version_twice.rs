use juliet::Entity;

#[derive(Entity)]
#[jasset(version = 1, version = 2)]
struct B {
    x: f32,
}

fn main() {}
