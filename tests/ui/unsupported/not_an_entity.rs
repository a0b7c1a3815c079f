use juliet::Entity;

struct A;

fn class<T: Entity>() {}

fn main() {
    class::<A>();
}
