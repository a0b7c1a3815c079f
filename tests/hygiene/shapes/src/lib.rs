//! Shapes, names and generics that the derives take, each under the lints of a strict user.
#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused, unused_qualifications, unreachable_pub)]
#![deny(clippy::all, clippy::pedantic, clippy::missing_docs_in_private_items)]

/// A property type's value as text, and back.
#[cfg(test)]
mod support;

#[cfg(test)]
mod defaults;
#[cfg(test)]
mod descriptions;
#[cfg(test)]
mod elsewhere;
#[cfg(test)]
mod generics;
#[cfg(test)]
mod names;
#[cfg(test)]
mod structs;

/// Public types in a private module and private types in a public one, with any visibility of fields.
pub mod visibility {
    /// Only here.
    #[derive(juliet::Entity)]
    struct Private {
        /// Read by nobody but files.
        mass: f32,
    }

    /// One module up.
    #[derive(juliet::Entity)]
    pub(super) struct Parent {
        /// One module up.
        pub(super) mass: f32,
        /// Only here.
        hidden: bool,
    }

    /// The crate.
    #[derive(juliet::Property)]
    pub(in crate::visibility) struct Path {
        /// The crate.
        pub(crate) mass: f32,
    }

    /// Uses what would be dead otherwise.
    ///
    /// # Panics
    /// If a default is not what the struct says.
    #[must_use]
    pub fn count() -> usize {
        let parent = <Parent as juliet::Entity>::default_value();
        let hidden = usize::from(parent.hidden) + usize::from(parent.mass < 0.0);
        hidden + Private::PROPERTIES.len() + Parent::PROPERTIES.len() + Path::PROPERTIES.len()
    }
}

/// Types that differ in case alone.
pub mod case {
    /// Small.
    #[derive(juliet::Entity)]
    pub struct Foo {
        /// One.
        pub one: u8,
    }

    /// Large.
    #[derive(juliet::Entity)]
    #[jasset(name = "CapitalFoo")]
    pub struct FOO {
        /// One.
        pub one: u8,
        /// Two.
        pub two: u8,
    }
}

/// Types that nobody should use any more, which is no reason for a warning here.
pub mod old {
    /// Old.
    #[deprecated]
    #[derive(juliet::Entity)]
    pub struct Old {
        /// Fine.
        pub fine: u8,
    }

    /// With an old field.
    #[derive(juliet::Property)]
    pub struct Mixed {
        /// Old.
        #[deprecated]
        #[jasset(default = 3)]
        pub old: u8,
    }

    /// With an old variant.
    #[derive(juliet::Property)]
    pub enum Mood {
        /// Old.
        #[deprecated]
        Sour,
        /// New.
        Sweet,
    }
}
