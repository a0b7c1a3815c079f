use juliet::Property;

#[derive(Property)]
#[jasset(version = 2, alias = "Old", migrate = up, post_init = done)]
struct A {
    x: f32,
}

fn main() {}
