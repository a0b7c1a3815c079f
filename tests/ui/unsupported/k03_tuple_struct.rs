use juliet::Entity;

#[derive(Entity)]
#[jasset()]
struct T(u8, f32);

fn main() {}
