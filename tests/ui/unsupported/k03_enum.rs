use juliet::Entity;

#[derive(Entity)]
#[jasset()]
enum E {
    A,
    B,
}

fn main() {}
