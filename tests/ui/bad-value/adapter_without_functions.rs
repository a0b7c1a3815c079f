use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(with = number)]
    x: std::time::Duration,
}

mod number {}

fn main() {}
