//! Case K01: the crate has another name in `Cargo.toml`.
#![deny(warnings, missing_docs)]

/// Found by itself.
#[derive(jl::Entity)]
pub struct Pebble {
    /// Grams.
    pub weight: f32,
}

/// Told by a string.
#[derive(jl::Entity)]
#[jasset(crate = "jl")]
pub struct Rock {
    /// Kilograms.
    pub weight: f32,
}

/// Told by a path.
#[derive(jl::Property)]
#[jasset(crate = crate::inner::juliet_again)]
pub struct Chip {
    /// Grams.
    pub weight: f32,
}

/// What a macro crate of the user's own would do.
pub mod inner {
    pub use jl as juliet_again;
}

#[cfg(test)]
mod tests {
    use jl::Entity;

    #[test]
    fn k01_derives_find_the_renamed_crate() {
        assert_eq!(<super::Pebble as Entity>::CLASS.name(), "Pebble");
        assert_eq!(<super::Rock as Entity>::CLASS.name(), "Rock");
        assert_eq!(super::Chip::PROPERTIES.len(), 1);
    }
}
