use juliet::{Entity, IndexMap, Property};

#[derive(Property)]
struct Stack {
    #[jasset(key)]
    weight: f32,
}

#[derive(Entity)]
struct Crate {
    prices: IndexMap<f32, u8>,
    stacks: Vec<Stack>,
}

fn main() {}
