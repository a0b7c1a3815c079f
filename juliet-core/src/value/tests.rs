//! Tests of trees: from memory and back, by path, and what is refused.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use glam::{IVec2, Quat, Vec3};
use indexmap::IndexMap;
use juliet_derive::Property;

use super::*;
use crate::class::shape::{AssetRef, Color, EntityRef, InlineString};
use crate::class::value::same;
use crate::diag::Code;
use crate::mem::{ErasedMut, ErasedRef, PropertyValue};

#[derive(Property, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[jasset(crate = "crate")]
enum Metal {
    Iron,
    #[jasset(name = "red-gold", alias = "Gold")]
    Gold,
}

#[derive(Property, Debug)]
#[jasset(crate = "crate")]
enum Mode {
    Idle,
    Wait(f32),
    Say(String, Option<char>),
    Path(Vec<u8>),
    Patrol {
        #[jasset(default = 2.0)]
        speed: f32,
        next: Option<EntityRef>,
    },
}

#[derive(Property, Debug)]
#[jasset(crate = "crate")]
struct Kilograms(f32);

#[derive(Property, Debug)]
#[jasset(crate = "crate")]
struct Light {
    color: Color,
    at: Vec3,
    beam_width: Kilograms,
    #[jasset(skip, default = 7)]
    cached: u8,
}

#[derive(Property, Debug)]
#[jasset(crate = "crate")]
struct Stack {
    count: u16,
    #[jasset(key)]
    name: String,
}

#[derive(Property, Debug)]
#[jasset(crate = "crate")]
struct Lamp {
    light: Light,
    mode: Mode,
    loot: Vec<Stack>,
    #[jasset(alias = "Cost")]
    prices: IndexMap<String, f64>,
    levels: BTreeMap<i8, Metal>,
    steps: Vec<Option<IVec2>>,
    lights: [Light; 2],
    label: InlineString<8>,
    mesh: AssetRef<u8>,
    target: EntityRef,
    big: u128,
}

/// A type that holds itself.
#[derive(Property, Debug)]
#[jasset(crate = "crate")]
struct Tree {
    branches: Vec<Tree>,
}

fn lamp() -> Lamp {
    let mut lamp = Lamp::default_value();
    lamp.light.at = Vec3::new(1.0, -0.0, f32::NAN);
    lamp.mode = Mode::Say("a (b), \"c\"".into(), Some(')'));
    lamp.loot = vec![Stack { count: 3, name: "two words".into() }, Stack { count: 1, name: "]".into() }];
    lamp.prices = [("none".to_owned(), 0.5), (String::new(), f64::INFINITY)].into();
    lamp.levels = [(-3, Metal::Gold), (4, Metal::Iron)].into();
    lamp.steps = vec![None, Some(IVec2::new(-1, i32::MAX))];
    lamp.target = EntityRef::new(0x42);
    lamp.big = u128::MAX;
    lamp
}

fn of<T: PropertyValue>(value: &T) -> Value {
    Value::of(ErasedRef::new(value))
}

/// What happens to a `T` that `value` is put into.
fn put<T: PropertyValue>(value: impl Into<Value>) -> Result<T, ValueError> {
    let mut to = T::default_value();
    value.into().put(ErasedMut::new(&mut to))?;
    Ok(to)
}

#[track_caller]
fn refused<T: PropertyValue>(value: impl Into<Value>, message: &str) {
    match put::<T>(value) {
        Ok(_) => panic!("taken, not refused with {message}"),
        Err(error) => assert_eq!(error.to_string(), message),
    }
}

#[test]
fn values_come_back_bit_by_bit() {
    let lamp = lamp();
    let mut again = Lamp::default_value();
    again.light.cached = 9;
    of(&lamp).put(ErasedMut::new(&mut again)).unwrap();
    assert!(same(ErasedRef::new(&lamp), ErasedRef::new(&again)), "{again:?}");
    assert_eq!(again.light.cached, 9, "a skipped field was written");
}

#[test]
fn shapes_are_what_they_seem() {
    let value = of(&lamp());
    let at = |path: &str| value.get(path).unwrap().into_owned();
    assert_eq!(at("Light.Color"), Value::Color([1.0; 4]));
    assert_eq!(at("Light.At"), Value::Vector(vec![1.0, -0.0, f32::NAN]));
    assert_eq!(at("Light.BeamWidth"), Value::Float32(0.0));
    assert_eq!(at("Mode").as_str(), Some("Say"));
    assert_eq!(at("Mode[1]"), Value::Char(')'));
    assert_eq!(at("Loot").get("[two words].Count").as_deref(), Some(&Value::Integer(3)));
    assert_eq!(at("Prices"), Value::Map([("none".into(), 0.5.into()), (String::new(), f64::INFINITY.into())].into()));
    assert_eq!(at("Levels[-3]").as_str(), Some("red-gold"));
    assert_eq!(at("Steps"), Value::List(vec![Value::None, Value::IntVector(vec![-1, i32::MAX])]));
    assert_eq!(at("Mesh"), Value::Asset(String::new()));
    assert_eq!(at("Target"), Value::Entity(0x42));
    assert_eq!(at("Big"), Value::Large(u128::MAX));
    assert_eq!(of(&Quat::IDENTITY), Value::Vector(vec![0.0, 0.0, 0.0, 1.0]));
    assert_eq!(of(&Mode::Idle), Value::Variant { name: "Idle".into(), data: Box::new(Value::None) });
}

#[test]
fn equality_is_of_bits_and_of_order() {
    assert_eq!(Value::from(f32::NAN), Value::from(-f32::NAN));
    assert_ne!(Value::from(0.0_f64), Value::from(-0.0_f64));
    assert_ne!(Value::from(1.0_f64), Value::from(1.0_f32));
    assert_eq!(Value::Large(5), Value::Integer(5));
    assert_ne!(Value::from(u128::MAX), Value::Integer(-1));
    let pairs = |keys: [&str; 2]| Value::Map(keys.map(|key| (key.to_owned(), Value::None)).into());
    assert_ne!(pairs(["a", "b"]), pairs(["b", "a"]));
}

#[test]
fn paths_lead_to_parts_in_either_spelling() {
    let value = of(&lamp());
    for (path, found) in [
        ("Light.Color.r", Some(Value::Float32(1.0))),
        ("light.color.a", Some(Value::Float32(1.0))),
        ("light.color[3]", Some(Value::Float32(1.0))),
        ("light.beam_width", Some(Value::Float32(0.0))),
        ("Light.At.x", Some(Value::Float32(1.0))),
        ("Light.At.Z", Some(Value::Float32(f32::NAN))),
        ("Steps[1].y", Some(Value::Integer(i32::MAX.into()))),
        ("Steps[1].z", None),
        ("Steps[2]", None),
        ("Steps[-1]", None),
        ("Steps[+1]", None),
        ("Steps.1", None),
        ("Light.Color.x", None),
        ("Light.Colour", None),
        ("Light..Color", None),
        ("Light.", None),
        (".Light", None),
        ("Light.Color.r.r", None),
        ("Loot[\"two words\"].count", Some(Value::Integer(3))),
        ("Loot[\"]\"].Count", Some(Value::Integer(1))),
        ("Loot[0]", None),
        ("Prices[none]", Some(Value::Float64(0.5))),
        ("Prices[\"\"]", Some(Value::Float64(f64::INFINITY))),
        ("Prices.none", Some(Value::Float64(0.5))),
        ("Lights[1].Color.g", Some(Value::Float32(1.0))),
        ("Big.x", None),
        ("[", None),
    ] {
        assert_eq!(value.get(path).map(|found| found.into_owned()), found, "{path}");
        assert_eq!(get_path(ErasedRef::new(&lamp()), path), found, "{path}");
    }
    assert_eq!(value.get("").as_deref(), Some(&value));
    assert_eq!(get_path(ErasedRef::new(&lamp()), "Cost[none]"), Some(Value::Float64(0.5)));
}

#[test]
fn every_walked_path_leads_to_its_value() {
    let value = of(&lamp());
    let mut paths = Vec::new();
    value.walk(|path, found| {
        assert_eq!(value.get(path).as_deref(), Some(found), "{path}");
        assert_eq!(get_path(ErasedRef::new(&lamp()), path).as_ref(), Some(found), "{path}");
        paths.push(path.to_owned());
    });
    for path in ["", "Light", "Light.Color", "Mode", "Mode[0]", "Loot[\"two words\"].Name", "Prices[\"\"]", "Steps[1]"]
    {
        assert!(paths.iter().any(|walked| walked == path), "{path} in {paths:?}");
    }
}

#[test]
fn set_changes_one_thing() {
    let mut value = of(&lamp());
    value.set("light.color.g", 0.25).unwrap();
    value.set("Light.At[2]", 3).unwrap();
    value.set("Mode[0]", "x").unwrap();
    value.set("Prices[new]", 1.5).unwrap();
    value.set("Loot[\"]\"].Count", 9).unwrap();
    *value.get_mut("Steps[0]").unwrap() = Value::IntVector(vec![1, 2]);
    let mut to = Lamp::default_value();
    value.put(ErasedMut::new(&mut to)).unwrap();
    assert_eq!((to.light.color.g, to.light.at.z, to.loot[1].count), (0.25, 3.0, 9));
    assert_eq!((to.prices["new"], to.steps[0]), (1.5, Some(IVec2::new(1, 2))));
    assert_eq!(value.get_mut("Light.Color.r"), None);
    for (path, message) in [
        (
            "Light.Colour",
            "Light.Colour: expected one of the keys `Color`, `At`, `BeamWidth`, found `Colour`; did you mean `Color`?",
        ),
        ("Light.Color.x", "Light.Color.x: expected a component r, g, b or a, found x"),
        ("Steps[7]", "Steps[7]: expected an index below 2, found 7"),
        ("Big.x", "Big.x: expected a value with parts, found `340282366920938463463374607431768211455`"),
        ("Light..Color", "expected a path such as `Light.Color.r` or `Loot[gold].Count`, found `Light..Color`"),
    ] {
        let before = value.clone();
        assert_eq!(value.set(path, 1).unwrap_err().to_string(), message);
        assert_eq!(value, before);
    }
    assert_eq!(value.set("Light.Color.r", "red").unwrap_err().path, "Light.Color.r");
}

#[test]
fn paths_are_set_straight_in_memory() {
    let mut lamp = lamp();
    let mut set = |path: &str, value: Value| set_path(ErasedMut::new(&mut lamp), path, &value);
    set("Light.Color.r", 0.5.into()).unwrap();
    set("light.beam_width", 3.into()).unwrap();
    set("Loot[two words].Count", 8.into()).unwrap();
    set("Loot[two words].Name", "gold".into()).unwrap();
    set("Cost[none]", 2.5.into()).unwrap();
    set("Prices[new]", 1.into()).unwrap();
    set("Levels[-3]", "Iron".into()).unwrap();
    set("Lights[1].At.y", 4.into()).unwrap();
    set("Mode", Value::Struct([("Wait".into(), 1.5.into())].into())).unwrap();
    for (path, value, message) in [
        ("Loot[gold].Name", "]".into(), "Loot[1].Name: expected each key once, found `\"]\"`"),
        ("Loot[gold].Count", Value::from(-1), "Loot[gold].Count: expected a whole number in 0..=65535, found `-1`"),
        ("Lights[2]", Value::None, "Lights[2]: expected an index below 2, found 2"),
        ("Light.Color.r", "red".into(), "Light.Color.r: expected one number, found the text `red`"),
        (
            "Nothing",
            Value::None,
            "expected one of the keys `Light`, `Mode`, `Loot`, `Prices`, `Levels`, `Steps`, `Lights`, `Label`, `Mesh`, `Target`, `Big`, found `Nothing`",
        ),
    ] {
        assert_eq!(set(path, value).unwrap_err().to_string(), message);
    }
    assert_eq!((lamp.light.color.r, lamp.light.beam_width.0, lamp.light.cached), (0.5, 3.0, 7));
    assert_eq!((&*lamp.loot[0].name, lamp.loot[0].count), ("gold", 8));
    assert_eq!((lamp.prices["none"], lamp.prices["new"], lamp.levels[&-3]), (2.5, 1.0, Metal::Iron));
    assert!(matches!(lamp.mode, Mode::Wait(1.5)) && lamp.lights[1].at.y == 4.0);
}

#[test]
fn what_fits_without_a_loss_is_taken() {
    assert_eq!(put::<f32>(3), Ok(3.0));
    assert_eq!(put::<f32>(123_456_790), Ok(123_456_790.0));
    assert_eq!(put::<f32>(0.1_f64), Ok(0.1));
    // Rounded to an `f64` and then to an `f32` it would be another number.
    assert_eq!(put::<f32>(7.038_531e-26_f64).map(f32::to_bits), Ok(7.038_531e-26_f32.to_bits()));
    assert_eq!(put::<f64>(0.1_f32), Ok(f64::from(0.1_f32)));
    assert_eq!(put::<f64>("-inf"), Ok(f64::NEG_INFINITY));
    assert_eq!(put::<u8>(7.0_f32), Ok(7));
    assert_eq!(put::<i128>(i128::MIN), Ok(i128::MIN));
    assert_eq!(put::<u128>(u128::MAX), Ok(u128::MAX));
    assert_eq!(put::<String>('x'), Ok("x".to_owned()));
    assert_eq!(put::<char>("\n"), Ok('\n'));
    assert_eq!(put::<Vec3>(vec![1.into(), Value::from(2.5_f64), "nan".into()]).map(|it| it.y), Ok(2.5));
    assert_eq!(put::<Color>(vec![1.into(), 0.into(), 0.into()]), Ok(Color::rgb(1.0, 0.0, 0.0)));
    assert_eq!(put::<AssetRef<u8>>("Assets/A.obj").map(|it| it.path()), Ok("Assets/A.obj"));
    assert_eq!(put::<AssetRef<u8>>("none").map(|it| it.path()), Ok("none"));
    assert_eq!(put::<EntityRef>("0x42"), Ok(EntityRef::new(0x42)));
    assert_eq!(put::<Option<EntityRef>>(Value::Entity(0)), Ok(Some(EntityRef::NONE)));
    assert_eq!(put::<Metal>("Gold"), Ok(Metal::Gold));
    assert_eq!(put::<Option<String>>("none"), Ok(Some("none".to_owned())));
    assert!(matches!(put::<Mode>("Patrol"), Ok(Mode::Patrol { speed: 2.0, next: None })));
    let tagged = Value::Map([("Path".into(), vec![1.into(), 2.into()].into())].into());
    assert!(matches!(put::<Mode>(tagged), Ok(Mode::Path(path)) if path == [1, 2]));
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    refused::<u8>(-1, "expected a whole number in 0..=255, found `-1`");
    refused::<u8>(0.5, "expected a whole number in 0..=255, found `0.5`");
    refused::<u8>(f64::NAN, "expected a whole number in 0..=255, found `nan`");
    refused::<i128>(
        1e20,
        "expected a whole number in -170141183460469231731687303715884105728..=170141183460469231731687303715884105727, found `1e20`",
    );
    refused::<f32>(1e39, "expected a finite number of its width, found `1e39`; write `inf` for infinity");
    refused::<f64>((1_i64 << 53) + 1, "expected one number, found `9007199254740993`");
    refused::<f32>("1.5", "expected one number, found the text `1.5`");
    refused::<bool>(1, "expected true or false, found `1`");
    refused::<char>("ab", "expected one character, found `\"ab\"`");
    refused::<InlineString<3>>("abcd", "expected at most 3 bytes of text, found `\"abcd\"`");
    refused::<Vec3>(Value::Vector(vec![1.0]), "expected 3 numbers, found 1");
    refused::<[u8; 2]>(vec![1.into()], "expected a list of 2 items, found a list of 1 items");
    refused::<Vec<u8>>(vec![1.into(), 300.into()], "[1]: expected a whole number in 0..=255, found `300`");
    refused::<Metal>("Irn", "expected one of the variants `Iron`, `red-gold`, found `Irn`; did you mean `Iron`?");
    refused::<Metal>("Iron, x", "expected one of the variants `Iron`, `red-gold`, found `Iron, x`");
    refused::<EntityRef>("1, 2", "expected an entity id such as 0x0100000000000042, found the text `1, 2`");
    refused::<AssetRef<u8>>(
        "../x",
        "expected a path below the content folder such as Assets/Meshes/Rock.obj, found `\"../x\"`; the path leaves the content folder",
    );
    refused::<Option<u8>>("x", "expected a whole number in 0..=255, found the text `x`");
    let map = |key: &str, value: Value| Value::Map([(key.to_owned(), value)].into());
    refused::<BTreeMap<i8, Metal>>(
        map("x", "Iron".into()),
        "[x]: expected a whole number in -128..=127, found the text `x`",
    );
    refused::<BTreeMap<i8, Metal>>(
        map("200", "Iron".into()),
        "[200]: expected a whole number in -128..=127, found `200`",
    );
    refused::<Light>(
        map("colour", Value::None),
        "expected one of the keys `Color`, `At`, `BeamWidth`, found `colour`; did you mean `Color`?",
    );
    let twice = Value::Struct([("at".to_owned(), of(&Vec3::ONE)), ("At".to_owned(), of(&Vec3::ONE))].into());
    refused::<Light>(twice, "At: expected each key once, found `At` for a second time");
    refused::<Mode>(map("Say", vec!["a".into()].into()), "expected a list of 2 for `Say`, found 1 values");
    refused::<Mode>(map("Patrol", map("Speed", "fast".into())), "Speed: expected one number, found the text `fast`");
    let error = put::<Vec<Light>>(vec![Value::Struct(IndexMap::new()), map("color", "red".into())]).unwrap_err();
    assert_eq!((&*error.path, error.code), ("[1].Color", Code::Mismatch));
}

#[test]
fn a_refused_value_changes_nothing() {
    let mut to = lamp();
    let before = of(&to);
    let value = Value::Struct([("Target".to_owned(), Value::Entity(1)), ("Big".to_owned(), Value::from(-1))].into());
    assert_eq!(value.put(ErasedMut::new(&mut to)).unwrap_err().path, "Big");
    assert_eq!(of(&to), before);
}

#[test]
fn fields_left_out_keep_what_they_have() {
    let mut to = lamp();
    let light = Value::Struct([("beam_width".to_owned(), 5.into())].into());
    Value::Struct([("light".to_owned(), light)].into()).put(ErasedMut::new(&mut to)).unwrap();
    assert_eq!((to.light.beam_width.0, to.light.at.x, to.target), (5.0, 1.0, EntityRef::new(0x42)));
}

#[test]
fn what_nests_too_deep_is_refused_on_every_way() {
    let mut tree = Tree { branches: vec![] };
    for depth in 0..200 {
        let value = of(&tree);
        // A struct outside of all brackets, then a list and a struct for each level.
        assert_eq!(put::<Tree>(value.clone()).is_ok(), depth < 16, "{depth}");
        let mut levels = Value::Struct(IndexMap::new());
        for _ in 0..depth {
            levels = Value::Struct([("Branches".to_owned(), vec![levels].into())].into());
        }
        match put::<Tree>(levels) {
            Ok(_) => assert!(depth <= 16, "{depth}"),
            Err(error) => assert!(depth > 15 && error.code == Code::NestingTooDeep, "{error}"),
        }
        tree = Tree { branches: vec![tree] };
    }
}

#[cfg(feature = "serde")]
mod hostile;

#[cfg(feature = "serde")]
mod serde {
    use ::serde::de::DeserializeSeed;
    use serde_json::json;

    use super::*;
    use crate::mem::Entity;

    fn json<T: PropertyValue>(value: &T) -> serde_json::Value {
        serde_json::to_value(AsSerde::new(value)).unwrap()
    }

    fn read<T: PropertyValue>(json: serde_json::Value) -> Result<T, String> {
        from_serde(json).map_err(|error| error.to_string())
    }

    #[test]
    fn values_are_plain_json() {
        assert_eq!(json(&lamp().light.color), json!([1.0, 1.0, 1.0, 1.0]));
        assert_eq!(json(&[f64::NAN, -f64::INFINITY, 1.5]), json!(["nan", "-inf", 1.5]));
        assert_eq!(json(&vec![Some(3_u8), None]), json!([3, null]));
        assert_eq!(json(&lamp().levels), json!({"-3": "red-gold", "4": "Iron"}));
        assert_eq!(json(&lamp().mode), json!({"Say": ["a (b), \"c\"", ")"]}));
        assert_eq!(json(&vec![Mode::Idle, Mode::Wait(2.5)]), json!(["Idle", {"Wait": 2.5}]));
        let patrol = Mode::Patrol { speed: 1.0, next: Some(EntityRef::new(0x42)) };
        assert_eq!(json(&patrol), json!({"Patrol": {"Speed": 1.0, "Next": "0x0000000000000042"}}));
        assert_eq!(serde_json::to_string(&AsSerde::new(&u128::MAX)).unwrap(), u128::MAX.to_string());
        let stack = Stack { count: 3, name: "gold".into() };
        assert_eq!(serde_json::to_string(&AsSerde::new(&stack)).unwrap(), r#"{"Count":3,"Name":"gold"}"#);
    }

    #[test]
    fn trees_and_values_have_the_same_json() {
        let lamp = lamp();
        let text = serde_json::to_string(&AsSerde::new(&lamp)).unwrap();
        assert_eq!(serde_json::to_string(&of(&lamp)).unwrap(), text);
        let mut again: Lamp = from_serde(&mut serde_json::Deserializer::from_str(&text)).unwrap();
        assert!(same(ErasedRef::new(&lamp), ErasedRef::new(&again)), "{again:?}");
        let mut tree: Value = serde_json::from_str(&text).unwrap();
        // Beyond 64 bits an integer of unknown type is a float to serde_json.
        assert_eq!(tree.clone().put(ErasedMut::new(&mut again)).unwrap_err().path, "Big");
        tree.set("Big", u128::MAX).unwrap();
        again = Lamp::default_value();
        tree.put(ErasedMut::new(&mut again)).unwrap();
        assert!(same(ErasedRef::new(&lamp), ErasedRef::new(&again)), "{again:?}");
    }

    #[test]
    fn json_of_other_programs_is_taken() {
        assert_eq!(read::<f32>(json!(123_456_790)), Ok(123_456_790.0));
        assert_eq!(read::<f32>(json!(0.1)), Ok(0.1));
        assert_eq!(read::<u8>(json!(3.0)), Ok(3));
        assert_eq!(read::<EntityRef>(json!(66)), Ok(EntityRef::new(0x42)));
        assert_eq!(read::<EntityRef>(json!(null)), Ok(EntityRef::NONE));
        assert_eq!(read::<Color>(json!([0, 1, 0])), Ok(Color::rgb(0.0, 1.0, 0.0)));
        assert_eq!(read::<Light>(json!({"beam_width": 2})).map(|light| light.beam_width.0), Ok(2.0));
        assert_eq!(read::<BTreeMap<i8, Metal>>(json!({"4": "Gold"})), Ok([(4, Metal::Gold)].into()));
    }

    #[test]
    fn faults_name_their_place() {
        let text = |text: &str| {
            let mut to = Lamp::default_value();
            let before = of(&to);
            let seed = SerdeSeed(ErasedMut::new(&mut to));
            let error = seed.deserialize(&mut serde_json::Deserializer::from_str(text)).unwrap_err().to_string();
            assert_eq!(of(&to), before);
            error
        };
        assert_eq!(
            text(r#"{"Light": {"Colr": 1}}"#),
            "Light: expected one of the keys `Color`, `At`, `BeamWidth`, found `Colr`; did you mean `Color`? at line 1 column 17"
        );
        assert_eq!(
            text(r#"{"Target": "0x1", "loot": [{"Count": "x"}]}"#),
            "invalid type: string \"x\", expected a whole number in 0..=65535 at `Loot[0].Count` at line 1 column 40"
        );
        assert_eq!(
            text(r#"{"loot": [{"Count": 70000}]}"#),
            "Loot[0].Count: expected a whole number in 0..=65535, found `70000`"
        );
        assert_eq!(
            text(r#"{"Levels": {"3": "Lead"}}"#),
            "Levels[3]: expected one of the variants `Iron`, `red-gold`, found `Lead` at line 1 column 23"
        );
        assert_eq!(
            text(r#"{"Levels": {"3": "Iron", "3": "Iron"}}"#),
            "Levels: expected each key once, found `3` for a second time at line 1 column 37"
        );
        assert_eq!(text(r#"{"Light": {"At": [1, 2]}}"#), "Light.At: expected 3 numbers, found 2");
        assert_eq!(
            text(r#"{"Big": 1, "big": 1}"#),
            "expected each key once, found `Big` for a second time at line 1 column 20"
        );
        assert!(text(r#"{"Big": "#).starts_with("EOF while parsing"));
        assert_eq!(read::<Mode>(json!({"Say": ["a"]})).unwrap_err(), "invalid length 1, expected a list of 2 items");
    }

    #[derive(juliet_derive::Entity)]
    #[jasset(crate = "crate", alias = "Stone")]
    struct Rock {
        mass: f32,
        mode: Mode,
    }

    #[test]
    fn entities_say_what_their_file_would() {
        let mut manager = crate::EntityManager::new(crate::registry![Rock].unwrap()).unwrap();
        let handle = manager.spawn(Rock::default_value(), Vec3::new(1.0, f32::INFINITY, 3.0)).unwrap();
        manager.set_id(handle, 0x42).unwrap();
        manager.mark_clean(handle).unwrap();
        let text = r#"{"Class":"Rock","Id":"0x0000000000000042","Position":[1.0,"inf",3.0],"Mass":0.0,"Mode":"Idle"}"#;
        let written = |manager: &crate::EntityManager| {
            serde_json::to_string(&EntityAsSerde { manager, handle }).map_err(|error| error.to_string())
        };
        assert_eq!(written(&manager).as_deref(), Ok(text));
        let mut read = |data: serde_json::Value| {
            let seed = EntitySeed { manager: &mut manager, handle };
            let error = seed.deserialize(data).err().map(|error| error.to_string());
            (error, written(&manager).unwrap(), manager.is_dirty(handle))
        };
        for (data, message) in [
            (json!({"Mass": 1, "Class": "Door"}), "Class: expected `Rock`, found `Door`"),
            (json!({"Mass": 1, "id": "0x43"}), "Id: expected the id 0x0000000000000042, found 0x0000000000000043"),
            (json!({"Mass": 1, "Position": [1, 2]}), "Position: expected 3 numbers, found 2"),
            (
                json!({"Position": [1, 2, 3], "Mode": {"Wait": 1e39}}),
                "Mode[0]: expected a finite number of its width, found `1e39`; write `inf` for infinity",
            ),
            (json!({"Mass": 1, "mass": 2}), "expected each key once, found `Mass` for a second time"),
            (json!({"Mas": 1}), "expected one of the keys `Mass`, `Mode`, found `Mas`; did you mean `Mass`?"),
            (json!([1]), "invalid type: sequence, expected the properties of a Rock"),
        ] {
            assert_eq!(read(data), (Some(message.to_owned()), text.to_owned(), false));
        }
        let data = json!({"class": "Stone", "Id": "0x42", "position": [4, 5, 6], "mode": {"Path": [7]}});
        let after =
            r#"{"Class":"Rock","Id":"0x0000000000000042","Position":[4.0,5.0,6.0],"Mass":0.0,"Mode":{"Path":[7]}}"#;
        assert_eq!(read(data), (None, after.to_owned(), true));
        manager.remove(handle).unwrap();
        assert!(written(&manager).unwrap_err().starts_with("stale handle"));
        let seed = EntitySeed { manager: &mut manager, handle };
        assert!(seed.deserialize(json!({})).unwrap_err().to_string().starts_with("stale handle"));
    }

    #[test]
    fn depth_is_bounded_whatever_the_format() {
        let mut data = json!([]);
        for _ in 0..1000 {
            let branches = std::iter::once(("Branches".to_owned(), data)).collect();
            data = serde_json::Value::Array(vec![serde_json::Value::Object(branches)]);
        }
        let error = read::<Vec<Tree>>(data.clone()).unwrap_err();
        assert!(error.contains("deeper than 128 levels"), "{error}");
        let error = <Value as ::serde::Deserialize>::deserialize(data).unwrap_err().to_string();
        assert!(error.contains("deeper than 128 levels"), "{error}");
    }
}
