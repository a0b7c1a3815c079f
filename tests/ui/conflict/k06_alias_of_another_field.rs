use juliet::Entity;

#[derive(Entity)]
struct Q {
    hp: u32,
    #[jasset(alias = "Hp")]
    health: u32,
}

fn main() {}
