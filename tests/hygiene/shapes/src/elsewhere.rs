//! Where `#[jasset(crate = …)]` leads to a module that is not Juliet, the table is true or the program does not compile.

use juliet::{Entity, ErasedRef, PropertyValue};

use crate::support::outlives_its_type;

/// Passes off other offsets, types and functions as Juliet's.
mod other {
    /// As in `juliet`.
    pub(crate) mod __private {
        pub(crate) use juliet::__private::{Adapter, Class, Entity, Meta, NotPlain, Probe, Property, String};

        /// Wrong about every offset.
        pub(crate) mod core {
            pub(crate) use ::core::{default, marker, primitive, result};

            /// As in `core`.
            pub(crate) mod mem {
                /// Always 8.
                #[expect(unused_macros, reason = "an expansion takes the one of `core`")]
                macro_rules! offset_of {
                    ($($any:tt)*) => {
                        8
                    };
                }
                #[expect(unused_imports, reason = "an expansion takes the one of `core`")]
                pub(crate) use offset_of;
            }
        }

        /// Could say of each type what it likes, and is taken for `String` by nobody.
        pub(crate) trait PropertyValue {
            /// Of whatever type an implementation likes.
            type Entry;
            /// What an entry of a table asks for.
            const ENTRY: Self::Entry;

            /// The value to begin with.
            fn default_value() -> Self;
        }

        impl<T: juliet::PropertyValue> PropertyValue for T {
            type Entry = juliet::core::class::TypeOf<T>;
            const ENTRY: Self::Entry = <T as juliet::PropertyValue>::ENTRY;

            fn default_value() -> Self {
                <T as juliet::PropertyValue>::default_value()
            }
        }

        /// Takes the text of an adapter as it is.
        pub(crate) use juliet::__private::{adapted_read, adapted_write};
    }
}

/// Described through another module.
#[derive(Entity)]
#[jasset(crate = crate::elsewhere::other)]
struct Shifted {
    /// At whatever offset.
    first: u64,
    /// Three words, as a string has.
    words: [usize; 3],
    /// Not in files.
    #[jasset(skip)]
    rank: u64,
    /// Through an adapter.
    #[jasset(with = seconds)]
    age: core::time::Duration,
}

/// Seconds as a number.
mod seconds {
    use core::time::Duration;

    /// Reads seconds.
    pub(super) fn read(text: &str) -> Result<Duration, String> {
        text.parse().map(Duration::from_secs).map_err(|_| "expected seconds".to_owned())
    }

    /// Writes seconds.
    pub(super) fn write(value: &Duration) -> String {
        value.as_secs().to_string()
    }
}

#[test]
fn tables_are_true_wherever_the_crate_is_said_to_be() {
    let value = Shifted { first: 1, words: [0, 8, 4], rank: 2, age: core::time::Duration::from_secs(3) };
    let erased = ErasedRef::of_entity(&value);
    let field = |index| erased.field(index).expect("a property");
    assert_eq!(field(0).downcast_ref::<u64>(), Some(&1));
    assert_eq!(field(1).downcast_ref::<[usize; 3]>(), Some(&value.words));
    assert!(field(1).downcast_ref::<String>().is_none());
    assert_eq!(field(1).ty().type_id(), <[usize; 3]>::TYPE.type_id());
    assert_eq!(field(2).downcast_ref::<core::time::Duration>(), Some(&value.age));
    assert_eq!(value.rank, 2);
}

#[test]
fn these_classes_outlive_their_types() {
    outlives_its_type::<Shifted>();
}
