use juliet::Entity;

#[derive(Entity)]
#[jasset(version = 1)]
#[jasset(version = 2)]
struct C {
    x: f32,
}

fn main() {}
