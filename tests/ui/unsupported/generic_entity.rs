use juliet::Entity;

#[derive(Entity)]
struct A<T, const N: usize> {
    x: [T; N],
}

fn main() {}
