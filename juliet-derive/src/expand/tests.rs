//! Snapshots of expansions, and input that could have been trouble.
#![expect(clippy::unwrap_used, reason = "tests")]

use super::*;

/// The expansion as people would write it.
fn pretty(kind: Derive, source: &str) -> String {
    let tokens = derive(source.parse().unwrap(), kind);
    prettyplease::unparse(&syn::parse2(tokens).unwrap())
}

macro_rules! snapshot {
    ($name:ident, $kind:ident, $source:literal) => {
        #[test]
        fn $name() {
            insta::assert_snapshot!(pretty(Derive::$kind, $source));
        }
    };
}

snapshot! { example_of_the_readme, Entity, r#"
    /// A static prop.
    #[jasset(version = 2)]
    pub struct Inert {
        /// Mesh drawn for this prop.
        #[jasset(default = "Assets/Meshes/Cube.obj")]
        pub mesh_asset: AssetRef<Mesh>,
        #[jasset(default = Vec3::ONE)]
        pub scale: Vec3,
        #[jasset(default = 1.0, range = 0.0..=1.0e6, unit = "kg")]
        pub mass: f32,
        pub is_destructible: bool,
        #[jasset(default = 100.0, alias = "Hp")]
        pub health: f32,
        /// Runtime only: never in a file, always default-initialised.
        #[jasset(skip, default = u32::MAX)]
        pub mesh_instance: u32,
    }
"# }

snapshot! { entity_without_fields, Entity, "struct Marker;" }

snapshot! { entity_with_hooks, Entity, r#"
    #[allow(clippy::all)]
    #[jasset(name = "gate", alias("Gate", "Door"), migrate = migrations::gate, post_init = open, default, crate = "jl")]
    pub(crate) struct r#Gate { r#type: u8, #[jasset(default = 3)] wings: u8 }
"# }

snapshot! { entity_with_removed_keys, Entity, r#"
    #[jasset(version = 4, removed("Armor", "Old-Hook"), migrate(1 => tons, 3 => split))]
    struct Crane { capacity: f32 }
"# }

snapshot! { entity_with_an_adapter, Entity, r#"
    struct Lamp {
        #[jasset(with = seconds, default = Self::PERIOD)]
        period: Duration,
        #[jasset(skip)]
        phase: f32,
    }
"# }

snapshot! { property_struct, Property, r#"
    pub struct Light {
        #[jasset(range = ..=-1, step = 0.5, group = "Light", hidden, read_only, since = 2)]
        depth: i32,
        #[jasset(range = 0.0..)]
        power: Watts,
    }
"# }

snapshot! { generic_property_struct, Property, r#"
    struct Pair<T: Clone, const N: usize = 2> where T: PartialEq {
        first: [T; N],
        rest: Vec<Pair<T, N>>,
        #[jasset(skip)]
        marker: PhantomData<T>,
    }
"# }

snapshot! { newtype, Property, "pub struct Watts(#[jasset(default = 60.0)] pub f32);" }

snapshot! { generic_newtype, Property, "struct Wrapper<T>(T);" }

snapshot! { unit_enum, Property, r#"
    /// How it feels.
    pub enum Mood {
        /// Like a lake.
        Calm,
        #[jasset(default, name = "very-angry", alias = "Furious")]
        Angry,
    }
"# }

snapshot! { data_enum, Property, r#"
    /// What it does.
    pub enum Mode {
        /// Nothing.
        Idle,
        #[jasset(alias = "Rest")]
        Wait(#[jasset(default = 1.0, range = 0.0.., unit = "s")] f32, Kilograms),
        #[jasset(default)]
        Patrol {
            #[jasset(range = 0..=9)]
            speed: Speed,
            path: Vec<Self>,
            #[jasset(skip)]
            step: usize,
            #[jasset(with = seconds)]
            rest: Duration,
        },
    }
"# }

snapshot! { generic_data_enum, Property, "enum Maybe<T> { Nothing, Just(T), }" }

snapshot! { struct_with_a_key, Property, r#"
    struct Stack { #[jasset(key)] item: String, #[jasset(default = 1)] count: u32, prices: IndexMap<String, f32> }
"# }

snapshot! { newtype_of_a_key, Property, "struct ItemName(String);" }

snapshot! { stub_after_an_error, Entity, "struct Broken { #[jasset(rnage = 1)] x: f32 }" }

snapshot! { generic_stub_after_an_error, Property, "struct Broken<T>(T, T);" }

#[test]
fn pointers_leave_no_stub_whose_bounds_would_fail() {
    let text = pretty(Derive::Entity, "struct S { f: fn(u8) -> u8, g: *const u8 }");
    assert_eq!(text.matches("compile_error!").count(), 2);
    assert!(!text.contains("impl"), "{text}");
}

#[test]
fn hostile_input_gives_errors_and_no_panic() {
    let long = "x".repeat(70_000);
    let sources = [
        "struct".to_owned(),
        String::new(),
        "fn f() {}".to_owned(),
        "struct A { #[jasset(,,,)] x: f32 }".to_owned(),
        "struct A { #[jasset(range = ..=)] x: f32 }".to_owned(),
        "struct A { #[jasset(range = 0..=99999999999999999999999999999999999999999)] x: f32, #[jasset(step)] y: f32 }"
            .to_owned(),
        "struct A { #[jasset(alias())] x: f32 }".to_owned(),
        "struct A { #[jasset(alias(1, x, \"\"))] x: f32 }".to_owned(),
        "#[jasset(crate = \"\")] struct A;".to_owned(),
        "#[jasset(version = 1.5)] struct A;".to_owned(),
        "#[jasset(name = \"\\u{0}\")] struct A;".to_owned(),
        "#[jasset(name = b\"a\")] struct A;".to_owned(),
        format!("struct A {{ #[jasset(name = \"{long}\")] x: f32 }}"),
        format!("struct A {{ #[jasset({long})] x: f32 }}"),
    ];
    for source in sources {
        for kind in [Derive::Entity, Derive::Property] {
            let text = derive(source.parse().unwrap(), kind).to_string();
            assert!(text.contains("compile_error"), "{source:.60}");
        }
    }
}

#[test]
fn many_fields_take_linear_time() {
    let fields: String = (0..2_000).map(|i| format!("#[jasset(alias = \"old{i}\")] field_{i}: f32,")).collect();
    let text = derive(format!("struct Wide {{ {fields} }}").parse().unwrap(), Derive::Entity).to_string();
    assert!(!text.contains("compile_error"));
    assert_eq!(text.matches("Property :: of").count(), 2_000);
}
