//! The class that stands for all classes a program does not know.
#![expect(unsafe_code, reason = "an entity type without the derive macro")]

use super::Entity;
use crate::class::Class;

/// The value of an entity whose class the program does not know: nothing. What its file says stays there.
///
/// Every registry has it, behind the classes that were registered; no name leads to it.
pub(crate) struct UnknownClass;

/// In no file: files name the class they mean.
const NAME: &str = "(unknown class)";

// SAFETY: `Class::of` takes size, alignment and functions from the type; there are no fields, and of no bytes a copy is another value.
unsafe impl Entity for UnknownClass {
    const CLASS: &'static Class = &Class::of::<Self>(
        NAME,
        0,
        1,
        "An entity of a class that this program does not know. Its file is kept as it is.",
        &[],
        true,
    );

    fn default_value() -> Self {
        Self
    }
}
