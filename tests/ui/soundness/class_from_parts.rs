use juliet::{Class, Entity};

#[derive(Entity)]
struct A {
    mass: f32,
}

fn forged(class: Class) -> Class {
    Class { version: 2, ..class }
}

fn main() {
    let _ = (A::CLASS.version(), forged);
}
