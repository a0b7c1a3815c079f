//! Keys and names: raw identifiers, renaming, aliases (K02, K06).

use juliet::core::text::Spelling;
use juliet::{Entity, Property};

use crate::support::{load, outlives_its_type, read, save, write};

#[derive(Entity)]
#[jasset()]
struct Sign {
    r#type: u8,
    r#match: bool,
    plain: u8,
}

#[derive(Entity)]
#[jasset()]
struct r#Gate {
    open: bool,
}

#[derive(Property)]
struct Inner {
    r#type: u8,
    r#match: bool,
    plain: u8,
}

#[derive(Property, Debug, PartialEq)]
enum Keyword {
    r#Self_,
    r#Loop,
    #[jasset(name = "while", alias = "until", alias("as-long-as", "during"))]
    While,
}

#[test]
fn k02_raw_identifiers_lose_their_mark() {
    let names: Vec<_> = Sign::PROPERTIES.iter().map(|property| (property.name(), property.key())).collect();
    assert_eq!(names, [("type", "Type"), ("match", "Match"), ("plain", "Plain")]);
    assert_eq!(Gate::CLASS.name(), "Gate");
    assert_eq!(Gate::CLASS.crc(), 0x1819_37aa);
    let sign = Sign::default_value();
    assert_eq!((sign.r#type, sign.r#match, sign.plain), (0, false, 0));
    assert!(!Gate::default_value().open);
}

#[test]
fn k02_raw_identifiers_are_read_and_written_without_their_mark() {
    let inner: Inner = read("{ Type: 7, Match: true, Plain: 1 }").expect("valid");
    assert_eq!((inner.r#type, inner.r#match, inner.plain), (7, true, 1));
    assert_eq!(write(&inner), "{ Type: 7, Match: true, Plain: 1 }");
    assert_eq!(read::<Keyword>("Loop"), Ok(Keyword::Loop));
    assert_eq!(write(&Keyword::Loop), "Loop");
}

#[test]
fn k02_files_name_fields_without_their_mark() {
    let text = "; entity_type: Sign\nType: 7\nMatch: true\nPlain: 1\n";
    let (manager, handle) = load::<Sign>(text);
    let sign = manager.get::<Sign>(handle).expect("a sign");
    assert_eq!((sign.r#type, sign.r#match, sign.plain), (7, true, 1));
    let colon = save::<Sign>(&manager, handle, Spelling::Colon);
    assert!(colon.ends_with("Type: 7\nMatch: true\nPlain: 1\n"), "{colon}");
    let node = save::<Sign>(&manager, handle, Spelling::Node);
    assert!(node.contains("; type\n7\n") && node.contains("; match\ntrue\n"), "{node}");
    assert!(!colon.contains("r#") && !node.contains("r#"));
    let (manager, handle) = load::<Sign>(&node);
    assert_eq!(save::<Sign>(&manager, handle, Spelling::Colon), colon);
}

#[test]
fn variants_are_read_by_all_their_texts() {
    for text in ["while", "until", "as-long-as", "during"] {
        assert_eq!(read::<Keyword>(text), Ok(Keyword::While), "{text}");
    }
    assert_eq!(write(&Keyword::While), "while");
    assert!(read::<Keyword>("While").is_err());
    assert_eq!(Keyword::Self_, read("Self_").expect("a variant"));
}

#[derive(Entity)]
#[jasset(name = "prop", alias = "Prop", alias("Thing", "Object"), version = 3)]
struct Renamed {
    #[jasset(name = "mesh_path", alias = "MeshAsset", alias("model", "mesh"))]
    mesh_asset: String,
    #[jasset(since = 3)]
    größe: u8,
}

#[test]
fn names_and_aliases_reach_the_tables() {
    let class = Renamed::CLASS;
    assert_eq!((class.name(), class.version(), class.aliases()), ("prop", 3, ["Prop", "Thing", "Object"].as_slice()));
    let [mesh, size] = Renamed::PROPERTIES else { panic!("two properties") };
    assert_eq!((mesh.key(), mesh.name()), ("MeshPath", "mesh_path"));
    for key in ["MeshPath", "mesh_path", "MeshAsset", "mesh_asset", "Model", "model", "Mesh"] {
        assert!(mesh.is_named(key), "{key}");
    }
    assert_eq!((size.key(), size.name(), size.meta().since), ("Größe", "größe", 3));
    let value = Renamed::default_value();
    assert_eq!((value.mesh_asset.len(), value.größe), (0, 0));
}

#[test]
fn k06_keys_that_differ_stay_apart() {
    #[derive(Property)]
    struct Near {
        x1: f32,
        x_y: f32,
        xy: f32,
    }
    let near: Near = read("{ X1: 1, XY: 2, Xy: 3 }").expect("valid");
    assert_eq!((near.x1, near.x_y, near.xy), (1.0, 2.0, 3.0));
    assert_eq!(write(&near), "{ X1: 1.0, XY: 2.0, Xy: 3.0 }");
}

#[test]
fn a_nested_struct_may_use_the_names_of_directives() {
    #[derive(Property)]
    struct Spawn {
        class: u8,
        position: f32,
    }
    let spawn: Spawn = read("{ Class: 2, Position: 1.5 }").expect("valid");
    assert_eq!((spawn.class, spawn.position), (2, 1.5));
}

#[test]
fn types_that_differ_in_case_alone_do_not_collide() {
    use crate::case::{FOO, Foo};
    assert_eq!((Foo::PROPERTIES.len(), FOO::PROPERTIES.len()), (1, 2));
    assert_ne!(Foo::CLASS, FOO::CLASS);
    assert_eq!(crate::visibility::count(), 4);
}

#[test]
fn these_classes_outlive_their_types() {
    outlives_its_type::<Sign>();
    outlives_its_type::<r#Gate>();
    outlives_its_type::<Renamed>();
}
