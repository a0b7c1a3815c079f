//! What a schema says of one class with every kind of property, its text and its pages.
#![expect(clippy::unwrap_used, reason = "tests")]

use std::time::Duration;

use glam::Vec3;
use indexmap::IndexMap;
use juliet_derive::{Entity, Property};

use super::{DefaultSchema, Schema, SchemaError, Shape, VariantShape, example, html, markdown};
use crate::ClassRegistry;
use crate::class::shape::{AssetRef, InlineString};
use crate::text::Spelling;

mod one {
    use juliet_derive::Property;

    /// First of its name.
    #[derive(Property)]
    #[jasset(crate = "crate")]
    pub(super) struct Glow {
        #[jasset(default = 2.0, unit = "m")]
        radius: f32,
    }
}

mod two {
    use juliet_derive::Property;

    /// Second of its name.
    #[derive(Property)]
    #[jasset(crate = "crate")]
    pub(super) struct Glow(f32);
}

mod seconds {
    use std::time::Duration;

    pub(super) fn read(text: &str) -> Result<Duration, core::num::ParseIntError> {
        text.parse().map(Duration::from_secs)
    }

    pub(super) fn write(value: &Duration) -> String {
        value.as_secs().to_string()
    }
}

#[derive(Property)]
#[jasset(crate = "crate")]
struct Branch {
    length: f32,
    branches: Vec<Branch>,
}

#[derive(Property)]
#[jasset(crate = "crate")]
enum Mode {
    /// Nothing.
    #[jasset(default)]
    Idle,
    #[jasset(alias = "Rest")]
    Wait(#[jasset(unit = "s")] f32),
    Patrol {
        #[jasset(default = 2)]
        speed: u8,
        path: Vec<Mode>,
    },
}

#[derive(Property)]
#[jasset(crate = "crate")]
struct Stack {
    #[jasset(key)]
    what: String,
    count: u32,
}

struct Mesh;

/// A <b>rock</b> | hard.
///
/// More.
#[derive(Entity)]
#[jasset(crate = "crate", version = 3, alias = "Stone")]
struct Rock {
    #[jasset(default = "Assets/Rock.obj", alias = "Model")]
    mesh_asset: AssetRef<Mesh>,
    #[jasset(default = Vec3::ONE)]
    scale: Vec3,
    #[jasset(range = ..=9.5, step = 0.5, group = "Physics", since = 2, hidden, read_only)]
    mass: f32,
    glow: one::Glow,
    other: two::Glow,
    tree: Branch,
    mode: Mode,
    loot: Vec<Stack>,
    counts: IndexMap<String, [u8; 3]>,
    label: Option<InlineString<16>>,
    #[jasset(with = seconds, default = Duration::from_secs(7))]
    period: Duration,
    empty: String,
}

fn schema() -> Schema {
    ClassRegistry::new().with::<Rock>().unwrap().schema()
}

fn shape<'a>(schema: &'a Schema, key: &str) -> &'a Shape {
    let property = schema.classes[0].properties.iter().find(|property| property.key == key).unwrap();
    &schema.find_type(&property.ty).unwrap().shape
}

fn default(schema: &Schema, key: &str) -> DefaultSchema {
    let property = schema.classes[0].properties.iter().find(|property| property.key == key).unwrap();
    property.default.clone().unwrap()
}

#[test]
fn a_class_says_everything_about_itself() {
    let schema = schema();
    let class = schema.find_class("Rock").unwrap();
    assert_eq!((class.crc, class.version, class.migrates), (crc32fast::hash(b"Rock"), 3, false));
    assert_eq!(class.aliases, ["Stone"]);
    assert_eq!(class.schema_hash.len(), 16);
    let mass = &class.properties[2];
    assert_eq!((mass.key.as_str(), mass.name.as_str(), mass.ty.as_str()), ("Mass", "mass", "f32"));
    assert_eq!((mass.range.unwrap().min, mass.range.unwrap().max), (None, Some(9.5)));
    assert_eq!(
        (mass.step, mass.group.as_str(), mass.since, mass.hidden, mass.read_only),
        (Some(0.5), "Physics", 2, true, true)
    );
}

#[test]
fn defaults_are_what_a_file_says() {
    let schema = schema();
    let text = |key: &str| match default(&schema, key) {
        DefaultSchema::Text(text) => text,
        DefaultSchema::Fields(_) => panic!("a leaf"),
    };
    assert_eq!(text("MeshAsset"), "Assets/Rock.obj");
    assert_eq!(text("Scale"), "1.0, 1.0, 1.0");
    assert_eq!((text("Period"), text("Empty"), text("Label")), ("7".into(), "\"\"".into(), "none".into()));
    let DefaultSchema::Fields(glow) = default(&schema, "Glow") else { panic!("a struct") };
    assert_eq!(glow["Radius"], DefaultSchema::Text("2.0".into()));
}

#[test]
fn types_stand_once_by_a_name_of_their_own() {
    let schema = schema();
    let names: Vec<_> = schema.types.iter().map(|ty| ty.name.as_str()).collect();
    for name in [
        "AssetRef<Mesh>",
        "Vec3",
        "Glow",
        "Glow#2",
        "Branch",
        "Vec<Branch>",
        "Mode",
        "Vec<Mode>",
        "Vec<Stack>",
        "IndexMap<String, [u8; 3]>",
        "Option<InlineString<16>>",
        "Duration",
    ] {
        assert_eq!(names.iter().filter(|it| **it == name).count(), 1, "{name} in {names:?}");
    }
    assert_eq!(*shape(&schema, "Other"), Shape::Newtype { item: "f32".into() });
    assert_eq!(*shape(&schema, "Loot"), Shape::KeyedList { item: "Stack".into(), key_field: "what".into() });
    let Shape::Struct { fields, .. } = shape(&schema, "Tree") else { panic!("a struct") };
    assert_eq!(fields[1].ty, "Vec<Branch>");
}

#[test]
fn variants_have_their_data_and_its_defaults() {
    let schema = schema();
    let Shape::Enum { variants } = shape(&schema, "Mode") else { panic!("an enum") };
    assert_eq!(variants[0].doc, "Nothing.");
    assert_eq!((variants[1].style, variants[1].aliases[0].as_str()), (VariantShape::Tuple, "Rest"));
    assert_eq!((variants[1].fields[0].unit.as_str(), &variants[1].fields[0].default), ("s", &None));
    let defaults: Vec<_> = variants[2].fields.iter().map(|field| field.default.clone().unwrap()).collect();
    assert_eq!(defaults, [DefaultSchema::Text("2".into()), DefaultSchema::Text("[]".into())]);
}

#[test]
fn json_reads_back_and_is_the_same_on_every_run() {
    let json = schema().to_json();
    assert_eq!(json, schema().to_json());
    assert!(json.ends_with("}\n"));
    assert_eq!(Schema::from_json(&json).unwrap(), schema());
}

#[test]
fn unknown_fields_are_ignored() {
    let json = schema().to_json().replace("\"crc\":", "\"later\": [1, {}],\n      \"crc\":");
    let json = json.replacen("\"kind\":", "\"later\": 1, \"kind\":", 1);
    assert_eq!(Schema::from_json(&json).unwrap(), schema());
}

#[test]
fn faults_name_their_place() {
    let fault = |text: &str| Schema::from_json(text).unwrap_err().to_string();
    assert!(fault("{\n  \"schema_version\": 1,\n  oops").starts_with("line 3, column 3: "));
    assert!(fault("").contains("EOF"));
    assert_eq!(fault("{\"schema_version\": 2, \"kinds\": []}"), "schema version 2; this program reads versions 1..=1");
    assert!(fault("{\"schema_version\": 1, \"types\": []}").contains("missing field `classes`"));
    assert!(fault(&"[".repeat(100_000)).starts_with("line 1, column "));
    let json = schema().to_json();
    let gone = json.replace("\"type\": \"Vec3\"", "\"type\": \"Vec9\"");
    assert_eq!(fault(&gone), "`Rock.scale` has the type `Vec9`, which the schema does not describe");
    let twice = json.replace("\"name\": \"Glow#2\"", "\"name\": \"Glow\"");
    assert_eq!(
        Schema::from_json(&twice).unwrap_err(),
        SchemaError::DuplicateName { what: "types", name: "Glow".into() }
    );
}

#[test]
fn what_stands_twice_is_refused() {
    let json = |class: &str, property: &str, ty: &str| {
        format!(
            r#"{{"schema_version": 1, "classes": [{{"name": "A", "crc": 1, "version": 1, "schema_hash": "0", {class}"properties":
            [{{"key": "K", "name": "k", {property}"type": "T"}}]}}], "types": [{{"name": "T", {ty}"kind": "struct", "fields": []}}]}}"#
        )
    };
    assert!(Schema::from_json(&json("", "", "")).is_ok());
    for (json, why) in [
        (json(r#""version": 2, "#, "", ""), "duplicate field `version`"),
        (json("", r#""default": {"A": "1", "B": {"C": "2", "C": "3"}}, "#, ""), "two defaults for `C`"),
        (json("", r#""default": {"A": "1", "A": {}}, "#, ""), "two defaults for `A`"),
        (json("", r#""default": 3, "#, ""), "expected a text, or the defaults of fields by their keys"),
        (json("", r#""key": "L", "#, ""), "duplicate field `key`"),
        (json("", "", r#""name": "U", "#), "duplicate field `name`"),
        (json("", "", r#""kind": "bool", "#), "duplicate field `kind`"),
        (json("", "", r#""fields": [], "#), "duplicate field `fields`"),
        (json("", "", r#""doc": "a", "doc": "b", "#), "duplicate field `doc`"),
        (json("", "", r#""default": {"A": "1", "A": "2"}, "#), "two defaults for `A`"),
    ] {
        let told = Schema::from_json(&json).map(|_| ()).map_err(|error| error.to_string()).err().unwrap_or_default();
        assert!(told.contains(why), "{json}: {told}");
    }
}

#[test]
fn large_and_endless_schemas_are_shown_and_compared() {
    let property = |index: usize| format!(r#"{{"key": "P{index}", "name": "p{index}", "type": "A{}"}}"#, index % 3);
    let properties: Vec<_> = (0..100_000).map(property).collect();
    let json = format!(
        r#"{{"schema_version": 1, "classes": [{{"name": "Big", "crc": 3954615465, "version": 1, "schema_hash": "0", "properties": [{}]}}],
        "types": [{{"name": "A0", "kind": "array", "count": 2147483648, "item": "A1"}}, {{"name": "A1", "kind": "newtype", "item": "A2"}},
        {{"name": "A2", "kind": "newtype", "item": "A1"}}]}}"#,
        properties.join(", ")
    );
    let mut schema = Schema::from_json(&json).unwrap();
    assert!(super::compare(&schema, &schema).is_empty());
    schema.classes[0].properties.truncate(10_000);
    assert!(markdown(&schema)[1].1.len() > 100_000 && html(&schema).len() == 3);
    assert_eq!(schema.registry().unwrap_err().to_string(), "`Big`: keys are limited to 8192");
    let name = "n".repeat(1 << 20);
    let told = Schema::from_json(&json.replace("\"Big\"", &format!("\"{name}\""))).unwrap_err().to_string();
    assert!(told.ends_with("bytes of a name are limited to 1024") && told.len() < 1000);
}

#[test]
fn pages_end_whatever_the_types_hold() {
    let json = r#"{"schema_version": 1, "classes": [{"name": "../<i>`A`", "crc": 1, "version": 1, "schema_hash": "0",
        "properties": [{"key": "K", "name": "k", "type": "N", "default": {"A": {"B": "x"}}}]}],
        "types": [{"name": "N", "kind": "newtype", "item": "M"}, {"name": "M", "kind": "map", "key": "N", "item": "M"}]}"#;
    let endless = Schema::from_json(json).unwrap();
    let (markdown, html) = (markdown(&endless), html(&endless));
    assert!(markdown.iter().chain(&html).all(|(path, _)| !path.contains("..")));
    assert!(
        html.iter()
            .all(|(path, text)| path == "style.css" || text.contains("../&lt;i&gt;`A`") && !text.contains("<i>"))
    );
    assert!(markdown.iter().all(|(_, text)| text.contains("`` ../<i>`A` ``")), "inside of code");
    assert_eq!(super::compare(&endless, &schema()).len(), 1);
    assert!(super::compare(&endless, &endless).is_empty());
}

/// A schema of `count` classes that all have a type of `count` fields, in a list, a map and by value.
fn shared(count: usize) -> Schema {
    let crc = |name: &str| crc32fast::hash(name.as_bytes());
    let property = |name: &str, ty: &str| {
        format!(r#"{{"key": "{name}", "name": "{name}", "type": "{ty}", "default": {{"F0": "1"}}}}"#)
    };
    let fields: Vec<_> =
        (0..count).map(|index| property(&format!("F{index}"), if index == 1 { "Inner" } else { "u8" })).collect();
    let classes: Vec<_> = (0..count)
        .map(|index| {
            let name = format!("C{index}");
            format!(
                r#"{{"name": "{name}", "crc": {}, "version": 1, "schema_hash": "0", "properties": [{}, {}, {}]}}"#,
                crc(&name),
                property("A", "Big"),
                property("B", "Vec<Big>"),
                property("C", "Map")
            )
        })
        .collect();
    let json = format!(
        r#"{{"schema_version": 1, "classes": [{}], "types": [{{"name": "Big", "kind": "struct", "fields": [{}]}},
            {{"name": "Vec<Big>", "kind": "list", "item": "Big"}}, {{"name": "Map", "kind": "map", "key": "u8", "item": "Big"}},
            {{"name": "Inner", "kind": "enum", "variants": [{{"name": "On"}}]}},
            {{"name": "u8", "kind": "integer", "signed": false, "bits": 8}}]}}"#,
        classes.join(", "),
        fields.join(", ")
    );
    Schema::from_json(&json).unwrap()
}

#[test]
fn pages_are_as_long_as_the_schema_however_many_classes_share_a_type() {
    let bytes = |count: usize| {
        let schema = shared(count);
        [markdown(&schema), html(&schema)].map(|files| files.iter().map(|(_, text)| text.len()).sum::<usize>())
    };
    let (few, many) = (bytes(50), bytes(500));
    for (few, many) in few.into_iter().zip(many) {
        assert!(many < 11 * few, "{few} and {many} bytes");
    }
    let (markdown, html) = (markdown(&shared(3)), html(&shared(3)));
    let text = |files: &[(String, String)], path: &str| files.iter().find(|file| file.0 == path).unwrap().1.clone();
    assert!(text(&markdown, "classes/C0.md").contains("Described below: [`Big`](#t-Big) [`Inner`](#t-Inner)\n"));
    let page = text(&markdown, "classes/C1.md");
    assert!(page.contains("Described on other pages: [`Big`](C0.md#t-Big)\n") && !page.contains("Inner"), "{page}");
    let page = text(&html, "classes/C2.html");
    assert!(page.contains("map of <code>u8</code> to <a href=\"C0.html#t-Big\"><code>Big</code></a>"), "{page}");
    assert!(!page.contains("Inner") && !page.contains("id=\"t-Big\""), "{page}");
}

#[test]
fn what_would_be_html_is_escaped() {
    let schema = schema();
    let (markdown, html) = (markdown(&schema), html(&schema));
    assert!(markdown.iter().chain(&html).all(|(_, text)| !text.contains("<b>")));
    assert!(
        markdown[0].1.contains("| [`Rock`](classes/Rock.md) | 3 | A &lt;b>rock&lt;/b> \\| hard. |"),
        "{}",
        markdown[0].1
    );
    assert!(html[0].1.contains("A &lt;b&gt;rock&lt;/b&gt; | hard."));
}

#[test]
fn bars_have_a_backslash_in_tables_alone() {
    let mut schema = schema();
    schema.classes[0].properties[11].default_source = "one()".into();
    schema.classes[0].properties[11].default = Some(DefaultSchema::Text("a | b".into()));
    schema.classes[0].properties[11].unit = "a|b".into();
    let page = &markdown(&schema)[1].1;
    assert!(page.contains("* `Empty`; default in a file: `a | b`\n"), "{page}");
    assert!(page.contains("| `Empty` | `String` | a\\|b |  | `one()` |  |  |\n"), "{page}");
}

#[test]
fn two_classes_never_share_a_page() {
    let mut schema = schema();
    for name in ["rock", "Röck", "R-ck", "", "Nul", &"long".repeat(200)] {
        schema.classes.push(super::ClassSchema { name: name.into(), ..schema.classes[0].clone() });
    }
    let mut paths: Vec<_> = html(&schema).into_iter().map(|(path, _)| path.to_lowercase()).collect();
    paths.sort_unstable();
    paths.dedup();
    assert_eq!(paths.len(), 9);
    assert!(paths.iter().all(|path| path.len() < 120 && !path.ends_with("/.html") && !path.ends_with("/nul.html")));
}

#[test]
fn example_has_nested_keys_in_both_spellings() {
    let schema = schema();
    let colon = example(&schema, &schema.classes[0], Spelling::Colon);
    assert!(colon.starts_with(
        "; entity_type: Rock\n; id: 0x0100000000000001\n; version: 1\n; class_version: 3\nPosition: 0.0, 0.0, 0.0\n"
    ));
    assert!(colon.contains("\nGlow.Radius: 2.0\n") && colon.contains("\nTree.Branches: []\n"));
    let node = example(&schema, &schema.classes[0], Spelling::Node);
    assert!(node.contains("\n; scale\n1.0 1.0 1.0\n") && node.contains("\n; glow.radius\n2.0\n"));
}
