//! Property types with parameters and bounds.

use core::marker::PhantomData;

use juliet::{AssetRef, Property, PropertyValue};

use crate::support::{read, write};

/// Type and const parameters, with a default for one.
#[derive(Property)]
struct Pair<T, const N: usize = 2> {
    first: [T; N],
    #[jasset(range = 0.0..=1.0, default = 0.5)]
    weight: f32,
    #[jasset(skip)]
    marker: PhantomData<fn() -> T>,
}

/// A bound and a clause of the user's.
#[derive(Property)]
struct Bounded<T: Clone + PropertyValue, U = u8>
where
    U: PartialEq + Default + Copy + Send + Sync,
{
    value: T,
    #[jasset(skip)]
    runtime: U,
}

/// A parameter that only names an asset.
#[derive(Property)]
struct Slot<A> {
    asset: AssetRef<A>,
}

/// A generic type that holds itself.
#[derive(Property)]
struct Tree<T> {
    value: T,
    branches: Vec<Self>,
}

#[derive(Property)]
struct Wrapper<T>(T);

/// An adapter over a parameter.
#[derive(Property)]
struct Shown<T: Clone + Default + Send + Sync + core::str::FromStr + ToString> {
    #[jasset(with = shown)]
    value: T,
}

/// Anything that can be shown and parsed.
mod shown {
    pub(super) fn read<T: core::str::FromStr>(text: &str) -> Result<T, &'static str> {
        text.parse().map_err(|_| "no such value")
    }

    pub(super) fn write<T: ToString>(value: &T) -> String {
        value.to_string()
    }
}

/// A const parameter alone.
#[derive(Property)]
struct Sized<const N: usize> {
    size: u8,
}

/// A trivial clause without parameters.
#[derive(Property)]
struct Clause
where
    u8: Copy,
{
    size: u8,
}

struct Mesh;

#[test]
fn generic_types_describe_each_instance() {
    assert_eq!(Pair::<u8>::TYPE.size(), size_of::<Pair<u8>>());
    assert_eq!(Pair::<u64, 5>::TYPE.fields()[0].ty().size(), 40);
    assert_ne!(Pair::<u8>::TYPE.type_id(), Pair::<u16>::TYPE.type_id());
    assert_eq!(Pair::<u8>::PROPERTIES.len(), 2);
    assert!(Bounded::<u8>::TYPE.is_blittable() && !Bounded::<String>::TYPE.is_blittable());
    assert_eq!(Bounded::<u8, u16>::default_value().runtime, 0);
    assert!(Slot::<Mesh>::TYPE.is_blittable());
    assert_eq!((Sized::<3>::TYPE.size(), Clause::TYPE.size()), (1, 1));
    assert_eq!(Sized::<3>::default_value().size + Clause::default_value().size, 0);
}

#[test]
fn generic_values_are_read_and_written() {
    let pair: Pair<i16> = read("{ First: [1, -2], Weight: 0.25 }").expect("valid");
    assert_eq!((pair.first, pair.weight, pair.marker), ([1, -2], 0.25, PhantomData));
    assert_eq!(write(&pair), "{ First: [1, -2], Weight: 0.25 }");
    let tree: Tree<u8> = read("{ Value: 1, Branches: [{ Value: 2, Branches: [] }] }").expect("valid");
    assert_eq!((tree.value, tree.branches[0].value), (1, 2));
    assert_eq!(write(&Wrapper(4_u8)), "4");
    assert_eq!(read::<Wrapper<u8>>("9").expect("valid").0, 9);
    assert_eq!(write(&Slot::<Mesh> { asset: AssetRef::NONE }), "{ Asset: none }");
    assert_eq!(read::<Shown<u32>>("{ Value: 12 }").expect("valid").value, 12);
    assert_eq!(write(&Bounded { value: true, runtime: 1_u8 }), "{ Value: true }");
    assert_eq!(write(&Slot::<Mesh>::default_value()), write(&read::<Slot<Mesh>>("{}").expect("valid")));
}
