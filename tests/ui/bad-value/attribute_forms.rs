use juliet::Entity;

#[derive(Entity)]
#[jasset = "version"]
struct A {
    #[jasset[skip]]
    x: f32,
    #[jasset(hidden read_only)]
    y: f32,
    #[jasset(default = )]
    z: f32,
}

fn main() {}
