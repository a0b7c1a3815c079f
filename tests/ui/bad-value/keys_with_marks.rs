use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(name = "a:b")]
    a: f32,
    #[jasset(name = "light.color")]
    b: f32,
    #[jasset(name = "with blank", alias = "list[0]")]
    c: f32,
    #[jasset(name = "_")]
    d: f32,
}

fn main() {}
