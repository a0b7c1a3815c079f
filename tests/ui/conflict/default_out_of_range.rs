use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(default = 2.0, range = 0.0..=1.0)]
    x: f32,
    #[jasset(default = -5, range = -4..)]
    y: i32,
}

fn main() {}
