//! Case K01: the module shadows all that generated code could be tempted to name.
#![deny(warnings, missing_docs, unsafe_op_in_unsafe_fn)]
#![deny(unused, unused_qualifications, unreachable_pub, clippy::all)]

/// Docs.
pub mod shadow {
    #![allow(dead_code, non_snake_case, non_camel_case_types, non_upper_case_globals, unused_imports, unused_macros)]
    mod nothing {}
    use nothing as std;
    use nothing as core;
    use nothing as alloc;
    type Result = ();
    struct Option;
    struct Vec;
    struct String;
    struct Box;
    struct str;
    struct PhantomData;
    struct Property;
    struct Class;
    struct Meta;
    trait Default {}
    trait Clone {}
    trait Copy {}
    trait From {}
    trait Into {}
    trait Send {}
    trait Sync {}
    trait Entity {}
    trait PropertyValue {}
    fn Some() {}
    fn None() {}
    fn Ok() {}
    fn Err() {}
    fn drop() {}
    const PROPERTIES: u8 = 1;
    const CLASS: u8 = 2;
    const TYPE: u8 = 3;
    const weight: u8 = 4;
    const value: u8 = 5;
    const index: u8 = 6;
    const text: u8 = 7;
    macro_rules! vec {
        () => {
            compile_error!("hijacked")
        };
    }
    macro_rules! format {
        () => {
            compile_error!("hijacked")
        };
    }
    macro_rules! offset_of {
        () => {
            compile_error!("hijacked")
        };
    }

    /// A rock.
    #[derive(::juliet::Entity)]
    #[jasset()]
    pub struct Pebble {
        /// Grams.
        pub weight: f32,
        /// How it feels.
        #[jasset(default = Feel::Rough, alias = "touch", group = "Looks")]
        pub feel: Feel,
        /// What it weighs with all on it.
        #[jasset(range = -1.0..=5.5, step = 0.5, unit = "kg")]
        pub gross: Kilograms,
        /// Not in files.
        #[jasset(skip, default = CLASS)]
        pub rank: u8,
        /// A number behind an adapter.
        #[jasset(with = super::plain, default = 9)]
        pub age: u16,
        /// Text.
        #[jasset(default = "grey")]
        pub color: ::juliet::InlineString<8>,
        /// A struct.
        pub spot: Spot,
        /// An enum with data.
        pub mode: Mode,
        /// Structs with a key.
        pub layers: ::std::vec::Vec<Layer>,
    }

    /// What it does.
    #[derive(::juliet::Property)]
    pub enum Mode {
        /// Nothing.
        Idle,
        /// For some years.
        Wait(#[jasset(with = super::plain)] u16, Kilograms),
        /// Downhill.
        Roll {
            /// How it weighs on the ground.
            #[jasset(range = 0.0.., alias = "load")]
            weight: f32,
            /// Not in files.
            #[jasset(skip, default = CLASS)]
            index: u8,
        },
    }

    /// What it is made of.
    #[derive(::juliet::Property)]
    pub struct Layer {
        /// From the core.
        #[jasset(key)]
        pub index: u8,
    }

    /// How it feels.
    #[derive(::juliet::Property)]
    pub enum Feel {
        /// Like glass.
        Smooth,
        /// Like sand.
        #[jasset(default)]
        Rough,
    }

    /// A mass.
    #[derive(::juliet::Property)]
    pub struct Kilograms(#[jasset(default = 1.5)] pub f32);

    /// Where the light falls.
    #[derive(::juliet::Property)]
    pub struct Spot {
        /// From the left.
        pub across: f32,
        /// From above.
        pub down: f32,
    }
}

/// Numbers as decimal text.
pub mod plain {
    /// Reads a number.
    ///
    /// # Errors
    /// If `text` is no number.
    pub fn read(text: &str) -> Result<u16, core::num::ParseIntError> {
        text.parse()
    }

    /// Writes a number.
    pub fn write(value: &u16) -> String {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use juliet::Entity;

    use crate::shadow::Pebble;

    #[test]
    fn k01_derives_work_where_the_prelude_is_shadowed() {
        let class = <Pebble as Entity>::CLASS;
        assert_eq!(class.name(), "Pebble");
        let keys: Vec<_> = class.properties().iter().map(|property| property.key()).collect();
        assert_eq!(keys, ["Weight", "Feel", "Gross", "Age", "Color", "Spot", "Mode", "Layers"]);
        let pebble = Pebble::default_value();
        assert_eq!((pebble.rank, pebble.age, pebble.gross.0, pebble.color.as_str()), (2, 9, 1.5, "grey"));
    }
}
