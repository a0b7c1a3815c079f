use juliet::Entity;

#[derive(Entity)]
struct Crate {
    #[jasset(key)]
    name: String,
}

fn main() {}
