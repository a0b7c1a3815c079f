use juliet::Entity;

#[derive(Entity)]
#[jasset("Crate")]
struct A {
    #[jasset(=)]
    x: f32,
}

fn main() {}
