use juliet::Entity;

#[derive(Entity)]
#[jasset(version = 0)]
struct A {
    x: f32,
}

#[derive(Entity)]
#[jasset(version = 4294967296)]
struct B {
    x: f32,
}

#[derive(Entity)]
#[jasset(version = -1)]
struct C {
    x: f32,
}

#[derive(Entity)]
#[jasset(version = 1u8)]
struct D {
    x: f32,
}

fn main() {}
