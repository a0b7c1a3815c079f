use juliet::{Entity, Property};

#[derive(Entity)]
struct A<'a> {
    name: &'a str,
}

#[derive(Property)]
struct B<'a> {
    name: &'a str,
}

fn main() {}
