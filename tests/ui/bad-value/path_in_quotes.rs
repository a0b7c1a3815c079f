use juliet::Entity;

#[derive(Entity)]
#[jasset(migrate = "migrations::up", post_init = 3)]
struct A {
    #[jasset(with = "seconds")]
    a: f32,
}

fn main() {}
