use juliet::Entity;

#[derive(Entity)]
#[jasset(post_init = done)]
struct A {
    x: f32,
}

unsafe fn done(_: &mut A) {}

fn main() {}
