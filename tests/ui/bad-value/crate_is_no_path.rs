use juliet::Entity;

#[derive(Entity)]
#[jasset(crate = "not a path")]
struct A {
    x: f32,
}

fn main() {}
