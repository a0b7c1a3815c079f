use juliet::Entity;

#[derive(Entity)]
#[jasset(colour = "red")]
struct A {
    #[jasset(frobnicate)]
    x: f32,
}

fn main() {}
