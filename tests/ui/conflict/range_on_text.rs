use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(range = 0.0..=1.0)]
    name: String,
    #[jasset(step = 0.5)]
    open: bool,
}

fn main() {}
