use juliet::Entity;

#[derive(Entity)]
#[hygiene_changes::widen]
struct A {
    x: f32,
    #[jasset(skip)]
    y: Option<f32>,
}

fn main() {}
