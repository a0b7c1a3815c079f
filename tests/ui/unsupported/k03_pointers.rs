use juliet::Entity;

#[derive(Entity)]
#[jasset()]
struct S {
    f: fn(u8) -> u8,
    g: *const u8,
}

fn main() {}
