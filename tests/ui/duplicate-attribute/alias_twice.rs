use juliet::Entity;

#[derive(Entity)]
#[jasset(alias = "Old", alias("Older", "Old"), alias = "A")]
struct A {
    x: f32,
}

fn main() {}
