use juliet::Entity;

#[derive(Entity)]
struct U {
    a: u8,
    #[jasset(alias = "B")]
    c: u8,
    #[jasset(alias = "B")]
    d: u8,
}

fn main() {}
