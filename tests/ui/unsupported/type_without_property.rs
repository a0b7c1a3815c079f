use juliet::Entity;

struct Foreign;

#[derive(Entity)]
struct A {
    foreign: Foreign,
    list: Vec<Foreign>,
}

fn main() {}
