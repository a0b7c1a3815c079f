use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(default = "one")]
    x: f32,
    #[jasset(default = true)]
    y: u32,
}

fn main() {}
