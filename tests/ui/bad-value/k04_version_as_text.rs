use juliet::Entity;

#[derive(Entity)]
#[jasset(version = "two")]
struct D {
    x: f32,
}

fn main() {}
