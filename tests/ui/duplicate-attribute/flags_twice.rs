use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(hidden, hidden)]
    x: f32,
    #[jasset(skip, skip)]
    y: f32,
}

fn main() {}
