use juliet::{Entity, Property};

#[derive(Entity)]
#[repr(C, packed)]
struct A {
    x: f32,
}

#[derive(Property)]
#[repr(packed(2))]
struct B {
    x: f32,
}

fn main() {}
