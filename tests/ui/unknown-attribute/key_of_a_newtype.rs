use juliet::Property;

#[derive(Property)]
struct Kilograms(#[jasset(name = "mass", skip)] f32);

fn main() {}
