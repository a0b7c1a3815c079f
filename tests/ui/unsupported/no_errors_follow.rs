use juliet::Entity;

#[derive(Entity)]
#[jasset(versoin = 2)]
struct A {
    x: f32,
}

fn class<T: Entity>() -> &'static juliet::Class {
    T::CLASS
}

fn main() {
    let _ = class::<A>().name();
}
