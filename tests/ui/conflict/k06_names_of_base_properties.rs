use juliet::Entity;

#[derive(Entity)]
struct T {
    position: f32,
    id: u64,
}

fn main() {}
