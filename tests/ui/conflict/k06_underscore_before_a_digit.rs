use juliet::Entity;

#[derive(Entity)]
struct R {
    x1: f32,
    x_1: f32,
}

fn main() {}
