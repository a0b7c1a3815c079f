use juliet::Entity;

struct A;

impl Entity for A {
    const CLASS: &'static juliet::Class = todo!();
    fn default_value() -> Self {
        A
    }
}

fn main() {}
