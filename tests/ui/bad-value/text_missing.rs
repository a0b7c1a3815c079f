use juliet::Entity;

#[derive(Entity)]
#[jasset(name = Crate)]
struct A {
    #[jasset(unit = kg, group = 3)]
    a: f32,
    #[jasset(unit = "", alias = " ")]
    b: f32,
}

fn main() {}
