use juliet::core::archive::{Findings, Inherit, Inherited, open_with};
use juliet::core::class::Class;
use juliet::{Entity, registry};

#[derive(Entity)]
struct A {
    mass: f32,
}

#[derive(Entity)]
struct B {
    words: Vec<String>,
}

/// A class of one type with the table of another.
static FORGED: Class = Class::of::<A>("A", 0, 1, "", B::PROPERTIES, true);

fn main() {
    let registry = registry![A].unwrap();
    let mut inherit = |_: &_| Inherit::From(Inherited { class: &FORGED, unknown: None, file: "T.jasset" });
    let _ = open_with(&registry, "A.jasset", "; class: A", &mut inherit, &mut Findings::default());
}
