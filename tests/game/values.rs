//! Values of entities by path.

use juliet::prelude::*;
use juliet::{PutError, SetError, Value};
use tempfile::TempDir;

use super::{Velocity, orcs};

/// A colour and how strong it is.
#[derive(Property, Clone, Debug, PartialEq)]
struct Glow {
    color: Color,
    range: f32,
}

/// A lamp.
#[derive(Entity, Debug)]
struct Lamp {
    light: Glow,
    tags: Vec<String>,
    #[jasset(default = 3)]
    hits: u8,
}

fn lamps() -> (TempDir, World) {
    let home = tempfile::tempdir().unwrap();
    let world = Project::open(home.path(), registry![Lamp].unwrap()).unwrap().new_world("W").unwrap();
    (home, world)
}

#[test]
fn parts_of_an_entity_are_read_and_written() {
    let (_home, mut world) = lamps();
    let lamp = world.spawn_class("Lamp", Vec3::new(1.0, 2.0, 3.0)).unwrap();
    assert!(world.save().unwrap().is_complete());
    assert_eq!(world.get_value(lamp, "Position.y"), Some(Value::Float32(2.0)));
    assert_eq!(world.get_value(lamp, "Hits").and_then(|it| it.as_integer()), Some(3));
    assert_eq!(world.get_value(lamp, "Light.Color.r").map(|it| it.as_f64()), Some(Some(1.0)));
    assert_eq!(world.get_value(lamp, "Nothing"), None);
    assert!(!world.set_value(lamp, "Hits", &world.get_value(lamp, "Hits").unwrap()).unwrap());
    assert!(!world.is_dirty(lamp));
    assert!(world.set_value(lamp, "Light.Color.r", &Value::Float32(0.5)).unwrap());
    assert!(world.set_value(lamp, "Position.x", &Value::Float32(7.0)).unwrap());
    assert!(world.set_value(lamp, "Tags", &Value::List(vec![Value::Text("a".into())])).unwrap());
    assert!(world.set_value(lamp, "Tags[0]", &Value::Text("b".into())).unwrap());
    let value = world.get::<Lamp>(lamp).unwrap();
    assert_eq!((value.light.color.r, &*value.tags), (0.5, &["b".to_owned()][..]));
    assert_eq!(world.position(lamp).unwrap().to_array()[..3], [7.0, 2.0, 3.0]);
    assert!(world.is_dirty(lamp));
}

#[test]
fn whole_entity_is_read_walked_and_written() {
    let (_home, mut world) = lamps();
    let (a, b) = (world.spawn_class("Lamp", Vec3::ZERO).unwrap(), world.spawn_class("Lamp", Vec3::ZERO).unwrap());
    world.set(a, "Light.Range", 9.0_f32).unwrap();
    world.set(a, "Hits", 8_u8).unwrap();
    let whole = world.get_value(a, "").unwrap();
    let mut paths = Vec::new();
    whole.walk(|path, _| paths.push(path.to_owned()));
    assert!(paths.contains(&"Light.Color".to_owned()), "{paths:?}");
    assert!(world.set_value(b, "", &whole).unwrap());
    assert_eq!(world.get_value(b, ""), Some(whole));
}

#[test]
fn what_is_set_in_an_instance_is_overridden_and_a_template_hands_it_on() {
    let (_home, mut world) = lamps();
    let lamp = world.spawn_class("Lamp", Vec3::ZERO).unwrap();
    let template = world.create_template(lamp, "Lamp").unwrap();
    let other = world.spawn_from(template, Vec3::ZERO).unwrap();
    assert!(world.set_value(lamp, "Light.Color.g", &Value::Float32(0.25)).unwrap());
    assert_eq!(world.overrides(lamp), ["Light.Color"]);
    assert!(world.set_value(template, "Hits", &Value::Integer(5)).unwrap());
    assert!(world.set_value(template, "Light.Color.g", &Value::Float32(0.75)).unwrap());
    let shown = |handle| {
        let lamp = world.get::<Lamp>(handle).unwrap();
        (lamp.hits, lamp.light.color.g)
    };
    assert_eq!((shown(lamp), shown(other)), ((5, 0.25), (5, 0.75)));
    assert_eq!(world.overrides(other), [""; 0]);
}

#[test]
fn components_are_named_before_a_slash() {
    let (mut world, handles) = orcs(1);
    let orc = handles[0];
    let error = world.set_value(orc, "Velocity/Linear.x", &Value::Float32(1.0)).unwrap_err();
    assert_eq!(error.to_string(), "there is no component `Velocity` here; add it first");
    world.add_component(orc, Velocity { linear: Vec3::ZERO, note: String::new() }).unwrap();
    assert!(world.set_value(orc, "Velocity/Linear.x", &Value::Float32(1.0)).unwrap());
    assert!(!world.set_value(orc, "Velocity/Linear.x", &Value::Float32(1.0)).unwrap());
    assert_eq!(world.component::<Velocity>(orc).unwrap().linear, Vec3::X);
    assert_eq!(world.get_value(orc, "Velocity/Note"), Some(Value::Text(String::new())));
    assert!(matches!(world.get_value(orc, "Velocity/"), Some(Value::Struct(fields)) if fields.len() == 2));
    let error = world.set_value(orc, "Velosity/Linear", &Value::Float32(1.0)).unwrap_err();
    assert_eq!(error.to_string(), "this program has no component `Velosity`; did you mean `Velocity`?");
}

#[test]
fn what_is_set_in_a_component_is_overridden_and_a_template_hands_it_on() {
    let home = tempfile::tempdir().unwrap();
    let registry = super::registry();
    let mut world = Project::open(home.path(), registry).unwrap().new_world("W").unwrap();
    let orc = world.spawn_class("Orc", Vec3::ZERO).unwrap();
    let template = world.create_template(orc, "Orc").unwrap();
    world.add_component_of(template, "Velocity").unwrap();
    let other = world.spawn_from(template, Vec3::ZERO).unwrap();
    assert!(world.set_value(orc, "Velocity/Linear.x", &Value::Float32(2.0)).unwrap());
    assert_eq!(world.overrides(orc), ["Velocity/Linear"]);
    assert!(world.set_value(template, "Velocity/Linear.y", &Value::Float32(3.0)).unwrap());
    assert!(world.set_value(template, "Velocity/Note", &Value::Text("on".into())).unwrap());
    let shown = |handle| {
        let velocity = world.component::<Velocity>(handle).unwrap();
        (velocity.linear.to_array(), &*velocity.note)
    };
    assert_eq!((shown(orc), shown(other)), (([2.0, 0.0, 0.0], "on"), ([0.0, 3.0, 0.0], "on")));
}

#[test]
fn faults_say_what_is_wrong_and_change_nothing() {
    let (_home, mut world) = lamps();
    let lamp = world.spawn_class("Lamp", Vec3::ZERO).unwrap();
    let before = world.get_value(lamp, "").unwrap();
    for (path, value) in [
        ("Hits", Value::Integer(300)),
        ("Hits", Value::Text("many".into())),
        ("Hitz", Value::Integer(1)),
        ("Light.Colour", Value::Float32(1.0)),
        ("Light..Color", Value::Float32(1.0)),
        ("Position.q", Value::Float32(1.0)),
        ("Position", Value::Text("here".into())),
        ("Light", Value::None),
        ("", Value::Integer(1)),
        (".", Value::Integer(1)),
        ("[", Value::Integer(1)),
        ("Tags[7]", Value::Text("x".into())),
        ("/", Value::Integer(1)),
    ] {
        let error = world.set_value(lamp, path, &value).unwrap_err();
        assert!(!error.to_string().is_empty());
        assert_eq!(world.get_value(lamp, "").unwrap(), before, "{path}");
    }
    world.remove(lamp).unwrap();
    let error = world.set_value(lamp, "Hits", &Value::Integer(1)).unwrap_err();
    assert!(matches!(error, PutError::Set(SetError::Stale(_))));
    assert_eq!(world.get_value(lamp, "Hits"), None);
}

#[test]
fn whole_value_of_a_template_is_handed_on_but_for_what_is_overridden() {
    let (_home, mut world) = lamps();
    let lamp = world.spawn_class("Lamp", Vec3::ZERO).unwrap();
    let template = world.create_template(lamp, "Lamp").unwrap();
    let other = world.spawn_from(template, Vec3::ZERO).unwrap();
    world.set(other, "Hits", 9_u8).unwrap();
    let mut source = world.get_value(template, "").unwrap();
    let Value::Struct(fields) = &mut source else { panic!("a class is a struct") };
    fields.insert("Hits".into(), Value::Integer(4));
    fields.insert("Tags".into(), Value::List(vec![Value::Text("a".into())]));
    assert!(world.set_value(template, "", &source).unwrap());
    assert!(!world.set_value(template, "", &source).unwrap());
    let shown = |handle| {
        let lamp = world.get::<Lamp>(handle).unwrap();
        (lamp.hits, lamp.tags.join(" "))
    };
    assert_eq!((shown(lamp), shown(other)), ((4, "a".to_owned()), (9, "a".to_owned())));
    assert_eq!((world.overrides(lamp), world.overrides(other)), (vec![], vec!["Hits".to_owned()]));
}
