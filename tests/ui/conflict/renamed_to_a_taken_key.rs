use juliet::Entity;

#[derive(Entity)]
struct A {
    hp: u32,
    #[jasset(name = "hp")]
    health: u32,
    #[jasset(name = "Position")]
    place: u32,
}

fn main() {}
