//! Enums with data, in the forms they may have.
#![deny(warnings, missing_docs, unsafe_code)]
#![allow(dead_code)]

use std::collections::BTreeMap;

use juliet::{Entity, IndexMap, Property};

/// What it does.
#[derive(Property, Clone, Default)]
pub enum Mode {
    /// Nothing.
    #[default]
    Idle,
    /// Empty.
    Nothing(),
    /// Named, and empty.
    Never {},
    /// For some seconds.
    Wait(#[jasset(range = 0.0.., unit = "s", default = 1.0)] f32),
    /// Raw names and types of its own.
    r#Loop {
        /// Inside.
        r#type: Vec<Self>,
        /// By name.
        r#match: BTreeMap<String, Mode>,
        /// Never in a file.
        #[jasset(skip, default = 3)]
        index: usize,
    },
}

/// With parameters.
#[derive(Property)]
pub enum Either<T, const N: usize>
where
    T: Copy,
{
    /// One.
    Left {
        /// Its value.
        it: T,
    },
    /// Many.
    Right([T; N]),
}

/// A stack of things.
#[derive(Property)]
#[allow(missing_docs)]
pub struct Stack<K> {
    #[jasset(key)]
    pub name: K,
    pub count: u32,
}

/// Holds them.
#[derive(Entity)]
#[allow(missing_docs)]
pub struct Crate {
    pub mode: Mode,
    pub either: Either<f32, 2>,
    pub loot: Vec<Stack<String>>,
    pub prices: IndexMap<String, Option<Mode>>,
}

fn main() {
    let _ = Crate::default_value().mode;
}
