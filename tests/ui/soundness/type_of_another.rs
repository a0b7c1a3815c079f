use juliet::Entity;

mod other {
    pub mod __private {
        pub use juliet::__private::{Class, Entity, Meta, Property};

        pub trait PropertyValue {
            const ENTRY: juliet::core::class::TypeOf<String> = <String as juliet::PropertyValue>::ENTRY;
            fn default_value() -> Self;
        }

        impl PropertyValue for [usize; 3] {
            fn default_value() -> Self {
                [0, 8, 4]
            }
        }
    }
}

#[derive(Entity)]
#[jasset(crate = other)]
struct A {
    words: [usize; 3],
}

fn main() {}
