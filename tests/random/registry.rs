//! The registry: collisions, look-ups, and what the schema hash sees.

use juliet::prelude::*;
use juliet::{RegistryError, ResolveError};

#[derive(Entity)]
struct AncientBoatBase {
    size: f32,
}

#[derive(Entity)]
struct LargeWallSpike {
    size: f32,
}

#[derive(Entity)]
#[jasset(alias = "Boulder", alias = "Pebble")]
struct Stone {
    size: f32,
}

#[derive(Entity)]
#[jasset(name = "Boulder")]
struct Other {
    size: f32,
}

#[derive(Entity)]
#[jasset(alias = "LargeWallSpike")]
struct FormerSpike {
    size: f32,
}

#[test]
fn names_with_one_crc_are_refused_with_both() {
    assert_eq!(AncientBoatBase::CLASS.crc(), LargeWallSpike::CLASS.crc());
    let refused = registry![AncientBoatBase, LargeWallSpike].unwrap_err();
    let RegistryError::CrcCollision { first, second, crc } = refused else { panic!("{refused:?}") };
    assert_eq!((first, second, crc), ("AncientBoatBase", "LargeWallSpike", AncientBoatBase::CLASS.crc()));
    let told = refused.to_string();
    assert!(told.contains("`AncientBoatBase`") && told.contains("`LargeWallSpike`"), "{told}");
    let refused = registry![AncientBoatBase, FormerSpike].unwrap_err();
    assert!(matches!(refused, RegistryError::CrcCollision { second: "LargeWallSpike", .. }), "{refused:?}");
}

#[test]
fn a_refused_class_leaves_the_registry_as_it_was() {
    let mut registry = registry![Stone, AncientBoatBase].unwrap();
    assert!(registry.register::<LargeWallSpike>().is_err());
    assert!(registry.register::<Other>().is_err());
    assert!(registry.register::<Stone>().is_err());
    assert_eq!(registry.classes().len(), 2);
    assert!(registry.find_by_name("LargeWallSpike").is_none());
    assert_eq!(registry.find_kind::<Other>(), None);
}

#[test]
fn names_and_former_names_are_taken_once() {
    let twice = registry![Stone, Stone].unwrap_err();
    assert_eq!(twice, RegistryError::DuplicateName { name: "Stone" });
    let former = registry![Stone, Other].unwrap_err();
    assert_eq!(former, RegistryError::DuplicateName { name: "Boulder" });
    let former = registry![Other, Stone].unwrap_err();
    assert_eq!(former, RegistryError::DuplicateName { name: "Boulder" });
}

#[test]
fn classes_are_found_by_name_former_name_and_kind() {
    let registry = registry![AncientBoatBase, Stone].unwrap();
    for name in ["Stone", "Boulder", "Pebble"] {
        let (kind, class) = registry.find_by_name(name).unwrap();
        assert_eq!((kind, class.name()), (1, "Stone"));
    }
    for name in ["", "stone", "Stone ", "Ston", "LargeWallSpike"] {
        assert!(registry.find_by_name(name).is_none(), "{name}");
    }
    let crc = Stone::CLASS.crc();
    assert_eq!(registry.resolve(1, crc).unwrap().name(), "Stone");
    assert_eq!(registry.resolve(2, crc).err(), Some(ResolveError::UnknownKind { kind: 2, count: 2 }));
    let wrong = registry.resolve(0, crc).unwrap_err();
    assert!(matches!(wrong, ResolveError::CrcMismatch { kind: 0, name: "AncientBoatBase", .. }), "{wrong:?}");
}

mod schema {
    use super::*;

    type Four<T> = Vec<Vec<Vec<Vec<T>>>>;
    #[derive(Debug)]
    struct Mesh;
    #[derive(Debug)]
    struct Texture;

    /// Two definitions of one class, and their hashes.
    macro_rules! hashes {
        ({ $($old:tt)* } { $($new:tt)* }) => {{
            mod old {
                #![allow(dead_code, unused_imports, clippy::allow_attributes_without_reason, reason = "a definition to be hashed")]
                use super::*;
                $($old)*
                pub(super) fn hash() -> u64 { Thing::CLASS.schema_hash() }
            }
            mod new {
                #![allow(dead_code, unused_imports, clippy::allow_attributes_without_reason, reason = "a definition to be hashed")]
                use super::*;
                $($new)*
                pub(super) fn hash() -> u64 { Thing::CLASS.schema_hash() }
            }
            (old::hash(), new::hash())
        }};
    }

    macro_rules! fields {
        ($same:ident { $($old:tt)* } { $($new:tt)* }) => {{
            let (old, new) = hashes! { { #[derive(Entity)] struct Thing { $($old)* } } { #[derive(Entity)] struct Thing { $($new)* } } };
            assert_eq!(old == new, stringify!($same) == "same", concat!(stringify!($($old)*), " / ", stringify!($($new)*)));
        }};
    }

    #[test]
    fn the_schema_hash_sees_names_and_types_only() {
        fields!(same { a: f32 } { a: f32 });
        fields!(same { a: f32 } {
            /// Docs.
            #[jasset(default = 2.0, range = 0.0..=5.0, unit = "m", alias = "B", group = "G", hidden)]
            a: f32
        });
        fields!(same { a: f32 } { a: f32, #[jasset(skip)] b: u8 });
        fields!(other { a: f32 } { b: f32 });
        fields!(other { a: f32 } { #[jasset(name = "b")] a: f32 });
        fields!(other { a: f32 } { a: f64 });
        fields!(other { a: f32 } { a: u32 });
        fields!(other { a: f32, b: f32 } { b: f32, a: f32 });
        fields!(other { a: f32 } { a: f32, b: f32 });
        fields!(other { a: f32 } { a: Option<f32> });
        fields!(other { a: Vec<u8> } { a: Vec<i8> });
        fields!(other { a: [u8; 4] } { a: [[u8; 2]; 2] });
        fields!(other { a: [u8; 4] } { a: [i8; 4] });
        fields!(other { a: Quat } { a: Vec4 });
        fields!(other { a: Vec3 } { a: IVec3 });
        fields!(other { a: Color } { a: Vec4 });
        fields!(other { a: String } { a: Vec<u8> });
        fields!(other { a: EntityRef } { a: u64 });
    }

    #[test]
    fn the_schema_hash_sees_the_capacity_of_inline_text() {
        fields!(other { a: InlineString<5> } { a: InlineString<8> });
    }

    #[test]
    fn the_schema_hash_sees_the_type_of_an_asset() {
        fields!(other { a: AssetRef<Mesh> } { a: AssetRef<Texture> });
    }

    #[test]
    fn the_schema_hash_sees_deep_into_lists() {
        fields!(other { a: Four<Four<Four<u8>>> } { a: Four<Four<Four<i8>>> });
    }

    #[test]
    fn the_schema_hash_sees_variants_and_nested_structs() {
        let (old, new) = hashes! {
            { #[derive(Property)] enum Mood { A, B } #[derive(Entity)] struct Thing { mood: Mood } }
            { #[derive(Property)] enum Mood { B, A } #[derive(Entity)] struct Thing { mood: Mood } }
        };
        assert_ne!(old, new);
        let (old, new) = hashes! {
            { #[derive(Property)] struct Lamp { a: f32 } #[derive(Entity)] struct Thing { lamp: Vec<Lamp> } }
            { #[derive(Property)] struct Lamp { b: f32 } #[derive(Entity)] struct Thing { lamp: Vec<Lamp> } }
        };
        assert_ne!(old, new);
    }
}
