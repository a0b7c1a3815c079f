use std::collections::HashMap;

use juliet::Entity;

#[derive(Entity)]
struct Crate {
    prices: HashMap<String, u8>,
}

fn main() {}
