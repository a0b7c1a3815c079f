use std::rc::Rc;

use juliet::Entity;

#[derive(Entity)]
struct A {
    #[jasset(skip, default = Rc::new(0))]
    shared: Rc<u8>,
}

fn main() {}
