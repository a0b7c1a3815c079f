use juliet::Entity;

#[derive(Entity)]
#[jasset(version = 2, migrate = up, post_init = done)]
struct A {
    x: f32,
}

fn up(version: u32) -> u32 {
    version
}

fn done(value: &A) {
    let _ = value.x;
}

fn main() {}
