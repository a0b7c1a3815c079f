use juliet::{Entity, Property};

#[derive(Entity)]
#[jasset(default)]
#[hygiene_changes::extend]
struct A {
    x: f32,
}

impl Default for A {
    fn default() -> Self {
        Self { x: 1.0, unique: None }
    }
}

#[derive(Property)]
#[jasset(default)]
#[hygiene_changes::extend]
struct B<T: Default> {
    x: T,
}

impl<T: Default> Default for B<T> {
    fn default() -> Self {
        Self { x: T::default(), unique: None }
    }
}

#[derive(Property)]
#[jasset(default)]
#[hygiene_changes::extend]
#[derive(Default)]
struct C {}

fn main() {}
