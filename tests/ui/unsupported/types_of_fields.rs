use juliet::Entity;

#[derive(Entity)]
struct A {
    a: &'static str,
    b: (u8, u8),
    c: Box<dyn Send>,
    d: Option<Option<u8>>,
    e: Vec<&'static [u8]>,
}

fn main() {}
