//! Component types in a schema: exported, compared, shown on pages, and read back as a registry that reads sections.

use juliet::core::archive::{Findings, open, read_component, read_values};
use juliet::core::text::Spelling;
use juliet::prelude::*;
use juliet::schema::{Schema, What, compare, example, html, markdown};
use juliet::{OwnedValue, World};

/// A class for all.
#[derive(Entity)]
struct Rock {
    scale: f32,
}

/// How something **moves**.
#[derive(Component)]
#[jasset(version = 2, alias = "Motion")]
struct Velocity {
    /// Metres a second.
    #[jasset(unit = "m/s")]
    linear: Vec3,
    #[jasset(default = 1.0)]
    drag: f32,
}

/// A mark.
#[derive(Component)]
struct Asleep;

fn registry() -> ClassRegistry {
    registry![Rock, Velocity, Asleep].unwrap()
}

#[test]
fn a_schema_lists_components_apart_from_classes() {
    let schema = registry().schema();
    let names = |list: &[juliet::schema::ClassSchema]| list.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
    assert_eq!(
        (names(&schema.classes), names(&schema.components)),
        (vec!["Rock".into()], vec!["Velocity".into(), "Asleep".to_owned()])
    );
    let velocity = schema.find_component("Velocity").unwrap();
    assert_eq!((velocity.version, velocity.aliases.as_slice()), (2, &["Motion".to_owned()][..]));
    assert!(schema.find_class("Velocity").is_none() && schema.find_component("Rock").is_none());
    let text = schema.to_json();
    assert_eq!(Schema::from_json(&text).unwrap(), schema);
    let value = serde_json::from_str(&text).unwrap();
    let form = serde_json::from_str(include_str!("../../docs/schema.json")).unwrap();
    assert_eq!(super::json_schema::faults(&form, &value), [""; 0]);
    // A registry without components gives what it gave before there were any.
    assert!(!registry![Rock].unwrap().schema().to_json().contains("components"));
}

#[test]
fn a_registry_made_from_a_schema_reads_and_writes_sections() {
    let made = registry().schema().registry().unwrap();
    assert_eq!(made.schema(), registry().schema());
    let text = "; class: Rock\n; component: Motion\n; class_version: 2\nLinear: 1, 2, 3\n; component: Asleep\n";
    let mut findings = Findings::new();
    let opened = open(&made, "f", text, &mut findings).unwrap();
    let mut value = OwnedValue::new(&made, opened.kind()).unwrap();
    read_values(&opened, value.as_mut(), &mut findings);
    let part = opened.components().next().unwrap();
    let mut velocity = OwnedValue::component(&made, part.kind()).unwrap();
    read_component(&opened, part, velocity.as_mut(), &mut findings);
    assert!(findings.is_empty() && opened.components().count() == 2);
    let mut world = World::new(made).unwrap();
    let handle = world.spawn_class("Rock", Vec3::ZERO).unwrap();
    assert!(world.add_component_of(handle, "Velocity").unwrap());
    assert_eq!(world.get_text(handle, "Velocity/Drag").as_deref(), Some("1.0"));
    assert!(world.set_text(handle, "Velocity/Linear", "1 2 3").unwrap());
    let mut twice = registry().schema();
    twice.components[1].name = "Rock".into();
    assert!(twice.registry().is_err());
    let mut taken = registry().schema();
    (taken.components[0].properties[0].name, taken.components[0].properties[0].key) =
        ("without".into(), "Without".into());
    assert!(taken.registry().is_err());
}

#[test]
fn an_example_of_a_component_is_a_section_of_its_defaults() {
    let schema = registry().schema();
    let velocity = schema.find_component("Velocity").unwrap();
    let section = example(&schema, velocity, Spelling::Colon);
    assert_eq!(section, "; component: Velocity\n; class_version: 2\nLinear: 0.0, 0.0, 0.0\nDrag: 1.0\n");
    let registry = registry();
    for (head, spelling) in [("; class: Rock\n", Spelling::Colon), ("; class\nRock\n", Spelling::Node)] {
        let text = format!("{head}{}", example(&schema, velocity, spelling));
        let mut findings = Findings::new();
        let opened = open(&registry, "f", &text, &mut findings).unwrap();
        let part = opened.components().next().unwrap();
        let mut value = OwnedValue::component(&registry, part.kind()).unwrap();
        read_component(&opened, part, value.as_mut(), &mut findings);
        let fresh = OwnedValue::component(&registry, part.kind()).unwrap();
        assert!(findings.is_empty() && juliet::core::class::value::same(value.as_ref(), fresh.as_ref()));
    }
}

#[test]
fn pages_show_components_after_the_classes() {
    let schema = registry().schema();
    let find = |files: &[(String, String)], name: &str| files.iter().find(|it| it.0 == name).unwrap().1.clone();
    let pages = markdown(&schema);
    let index = find(&pages, "index.md");
    let (classes, components) = index.split_once("\n## Components\n").unwrap();
    assert!(classes.contains("`Rock`") && !classes.contains("`Velocity`"));
    assert!(components.contains("[`Velocity`](classes/Velocity.md) | 2 | How something **moves**."), "{components}");
    let page = find(&pages, "classes/Velocity.md");
    assert!(page.contains("A component. Version 2") && page.contains("A section in which everything has its default."));
    assert!(page.contains("; component: Velocity\n"));
    let pages = html(&schema);
    let index = find(&pages, "index.html");
    assert!(index.contains("<h2>Components</h2>\n<ul id=\"components\">\n<li><a href=\"classes/Velocity.html\">"));
    assert!(find(&pages, "classes/Asleep.html").contains("A component. Version 1"));
    assert!(!find(&html(&registry![Rock].unwrap().schema()), "index.html").contains("<h2>Components"));
}

#[test]
fn changes_of_components_are_told_as_those_of_classes() {
    let (old, mut new) = (registry().schema(), registry().schema());
    new.components[0].properties.remove(0);
    let gone = new.components.remove(1);
    let told: Vec<_> = compare(&old, &new).into_iter().map(|it| (it.class, it.property, it.what)).collect();
    assert_eq!(
        told,
        [
            ("Velocity".to_owned(), "linear".to_owned(), What::Vanished),
            ("Asleep".to_owned(), String::new(), What::Vanished)
        ]
    );
    // A class of its name is no heir.
    new.classes.push(gone);
    assert_eq!(compare(&old, &new).len(), 2);
}
