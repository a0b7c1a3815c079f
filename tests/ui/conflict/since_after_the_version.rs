use juliet::Entity;

#[derive(Entity)]
#[jasset(version = 2)]
struct A {
    #[jasset(since = 3)]
    x: f32,
}

#[derive(Entity)]
struct B {
    #[jasset(since = 2)]
    x: f32,
}

fn main() {}
