use juliet::prelude::*;

#[derive(Entity)]
#[jasset(removed("hits", "OldArmor", "old_armor", "Position", "A.B"))]
struct Rock {
    hits: u8,
    #[jasset(alias = "OldTag")]
    tag: String,
}

#[derive(Entity)]
#[jasset(removed("OldTag"))]
struct Tree {
    #[jasset(alias = "OldTag")]
    tag: String,
}

#[derive(Property)]
#[jasset(removed("Old"))]
struct Kilograms(f32);

#[derive(Property)]
enum Mode {
    #[jasset(removed("Old"))]
    Wait(f32),
    #[jasset(removed("Speed"))]
    Patrol { speed: f32 },
}

fn main() {}
