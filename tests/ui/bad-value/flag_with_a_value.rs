use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(hidden = true, read_only("yes"))]
    x: f32,
    #[jasset(skip = false)]
    y: f32,
}

fn main() {}
