use juliet::Entity;

#[derive(Entity)]
#[jasset()]
struct G {
    #[jasset(version = 1)]
    x: f32,
}

fn main() {}
