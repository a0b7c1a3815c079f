use juliet::Entity;

#[derive(Entity)]
#[jasset(version, name =)]
struct A {
    #[jasset(default, alias, with)]
    x: f32,
    #[jasset(unit(), alias(), range)]
    y: f32,
}

fn main() {}
