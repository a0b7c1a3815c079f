use juliet::Entity;

#[derive(Entity)]
#[jasset()]
union U {
    a: u32,
    b: f32,
}

fn main() {}
