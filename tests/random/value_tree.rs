//! Memory → tree → memory, and through JSON and postcard: the same bits. Paths lead where walks say, and hostile trees change nothing.

use juliet::core::class::value::same;
use juliet::core::value::{AsSerde, SerdeSeed, entity_value_from_serde};
use juliet::{Entity, ErasedMut, ErasedRef, IndexMap, Value, get_path, set_path};
use serde::de::DeserializeSeed;

use super::for_seeds;
use super::values::{Every, Rng, text};

#[track_caller]
fn check(value: &Every, again: &Every, way: &str) {
    assert!(
        same(ErasedRef::of_entity(value), ErasedRef::of_entity(again)),
        "{way}: {:?}\n{:?}",
        Value::of(ErasedRef::of_entity(value)),
        Value::of(ErasedRef::of_entity(again)),
    );
    assert_eq!(again.cached, 41, "{way}: a skipped field was written");
    assert!(again.cached_below().iter().all(|&cached| cached == 7), "{way}");
}

#[test]
fn trees_give_back_every_bit() {
    for_seeds(100, |rng| {
        let value: Every = rng.value();
        let tree = Value::of(ErasedRef::of_entity(&value));
        let mut again = Every::default_value();
        tree.put(ErasedMut::of_entity(&mut again)).unwrap();
        check(&value, &again, "tree");
        assert_eq!(Value::of(ErasedRef::of_entity(&again)), tree);
        // Over another value, too.
        let mut other: Every = rng.value();
        tree.put(ErasedMut::of_entity(&mut other)).unwrap();
        check(&value, &other, "over another");
    });
}

#[test]
fn json_gives_back_every_bit() {
    for_seeds(100, |rng| {
        let value: Every = rng.value();
        let json = serde_json::to_string(&AsSerde::of_entity(&value)).unwrap();
        let again: Every = entity_value_from_serde(&mut serde_json::Deserializer::from_str(&json)).unwrap();
        check(&value, &again, &json);
        assert_eq!(serde_json::to_string(&Value::of(ErasedRef::of_entity(&value))).unwrap(), json);
        // Without the type only integers beyond 64 bits are lost, and they are refused, not changed.
        let tree: Value = serde_json::from_str(&json).unwrap();
        let mut untyped = Every::default_value();
        match tree.put(ErasedMut::of_entity(&mut untyped)) {
            Ok(()) => check(&value, &untyped, "untyped"),
            Err(error) => assert!(matches!(&*error.path, "Huge" | "Giant"), "{error}"),
        }
    });
}

#[test]
fn a_format_that_does_not_describe_itself_gives_back_every_bit() {
    for_seeds(100, |rng| {
        let value: Every = rng.value();
        let bytes = postcard::to_stdvec(&AsSerde::of_entity(&value)).unwrap();
        let mut from = postcard::Deserializer::from_bytes(&bytes);
        let again: Every = entity_value_from_serde(&mut from).unwrap();
        check(&value, &again, "postcard");
        assert_eq!(from.finalize().unwrap(), b"");
    });
}

#[test]
fn walked_paths_lead_to_their_values_in_trees_and_in_memory() {
    for_seeds(20, |rng| {
        let value: Every = rng.value();
        let mut copy: Every = rng.value();
        let tree = Value::of(ErasedRef::of_entity(&value));
        let mut built = Value::of(ErasedRef::of_entity(&Every::default_value()));
        tree.walk(|path, found| {
            assert_eq!(tree.get(path).as_deref(), Some(found), "{path}");
            assert_eq!(get_path(ErasedRef::of_entity(&value), path).as_ref(), Some(found), "{path}");
            built.set(path, found.clone()).unwrap();
            assert_eq!(built.get(path).as_deref(), Some(found), "{path}");
            assert_eq!(built.get_mut(path).as_deref(), Some(found), "{path}");
            set_path(ErasedMut::of_entity(&mut copy), path, found).unwrap();
        });
        assert_eq!(built, tree);
        assert!(same(ErasedRef::of_entity(&value), ErasedRef::of_entity(&copy)));
    });
}

/// A tree of anything.
fn any(rng: &mut Rng, depth: usize) -> Value {
    let shapes = if depth > 4 { 14 } else { 19 };
    let several = |rng: &mut Rng| -> Vec<Value> { (0..rng.below(4)).map(|_| any(rng, depth + 1)).collect() };
    match rng.below(shapes) {
        0 => Value::None,
        1 => Value::Bool(rng.value()),
        2 => Value::Integer(rng.value()),
        3 => Value::Large(rng.value()),
        4 => Value::Float32(rng.value()),
        5 => Value::Float64(rng.value()),
        6 => Value::Char(rng.value()),
        7 | 8 => Value::Text(text(rng)),
        9 => Value::Vector(rng.value()),
        10 => Value::IntVector(rng.value()),
        11 => Value::Color([(); 4].map(|()| rng.value())),
        12 => Value::Asset(text(rng)),
        13 => Value::Entity(rng.bits()),
        14 => Value::Variant { name: text(rng), data: Box::new(any(rng, depth + 1)) },
        15 => Value::List(several(rng)),
        16 => Value::KeyedList { key: text(rng), items: several(rng) },
        17 => Value::Struct(several(rng).into_iter().map(|value| (text(rng), value)).collect()),
        _ => Value::Map(several(rng).into_iter().map(|value| (text(rng), value)).collect()),
    }
}

#[test]
fn hostile_trees_are_taken_whole_or_change_nothing() {
    for_seeds(20, |rng| {
        let value: Every = rng.value();
        let tree = Value::of(ErasedRef::of_entity(&value));
        let mut paths = Vec::new();
        tree.walk(|path, _| paths.push(path.to_owned()));
        for _ in 0..20 {
            let mut hostile = tree.clone();
            let path = &paths[rng.below(paths.len())];
            let new = any(rng, 0);
            hostile.set(path, new.clone()).unwrap();
            let mut to: Every = value.clone();
            if hostile.put(ErasedMut::of_entity(&mut to)).is_err() {
                assert!(same(ErasedRef::of_entity(&value), ErasedRef::of_entity(&to)), "{path}: {new:?}");
            }
            // What was taken is a value as any other.
            let taken = Value::of(ErasedRef::of_entity(&to));
            taken.put(ErasedMut::of_entity(&mut Every::default_value())).unwrap();
            let mut alone = value.clone();
            if set_path(ErasedMut::of_entity(&mut alone), path, &new).is_err() {
                assert!(same(ErasedRef::of_entity(&value), ErasedRef::of_entity(&alone)), "{path}: {new:?}");
            }
        }
        let odd = text(rng);
        let _ = (tree.get(&odd), get_path(ErasedRef::of_entity(&value), &odd));
        let _ = any(rng, 0).put(ErasedMut::of_entity(&mut value.clone()));
        let _ = serde_json::to_string(&any(rng, 0));
    });
}

#[test]
fn hostile_data_is_taken_whole_or_changes_nothing() {
    for_seeds(20, |rng| {
        let value: Every = rng.value();
        let json = serde_json::to_string(&AsSerde::of_entity(&value)).unwrap().into_bytes();
        let bytes = postcard::to_stdvec(&AsSerde::of_entity(&value)).unwrap();
        for _ in 0..20 {
            let mut to = value.clone();
            let broken = damaged(rng, &json);
            let seed = SerdeSeed(ErasedMut::of_entity(&mut to));
            if seed.deserialize(&mut serde_json::Deserializer::from_slice(&broken)).is_err() {
                assert!(same(ErasedRef::of_entity(&value), ErasedRef::of_entity(&to)));
            }
            let _ = serde_json::from_slice::<Value>(&broken);
            let mut to = value.clone();
            let seed = SerdeSeed(ErasedMut::of_entity(&mut to));
            if seed.deserialize(&mut postcard::Deserializer::from_bytes(&damaged(rng, &bytes))).is_err() {
                assert!(same(ErasedRef::of_entity(&value), ErasedRef::of_entity(&to)));
            }
        }
    });
}

/// The same bytes with some lost, changed or doubled.
fn damaged(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    const MARKS: &[u8] = b"\"\\{}[]:,019-e.n\0\x7f\xff";
    let mut bytes = bytes.to_vec();
    for _ in 0..=rng.below(3) {
        let at = rng.below(bytes.len().max(1));
        let end = (at + rng.below(6)).min(bytes.len());
        match rng.below(4) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => bytes.extend_from_within(at..end),
            _ => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = rng.pick(MARKS)),
        }
    }
    bytes
}

#[test]
fn keys_in_the_other_spelling_give_the_same() {
    let mut rng = Rng::new(3);
    let value: Every = rng.value();
    let Value::Struct(fields) = Value::of(ErasedRef::of_entity(&value)) else { panic!("a struct") };
    let names = Every::PROPERTIES.iter().map(|property| property.name().to_owned());
    let tree = Value::Struct(names.zip(fields.into_values()).collect::<IndexMap<_, _>>());
    let mut again = Every::default_value();
    tree.put(ErasedMut::of_entity(&mut again)).unwrap();
    check(&value, &again, "names");
    assert_eq!(tree.get("MaybeLamp"), tree.get("maybe_lamp"));
}

/// Items that take no bytes: a count alone must not make a program wait.
#[test]
fn a_count_of_nothing_is_bounded() {
    let mut empty: Vec<[u8; 0]> = Vec::new();
    // 2^60 as a variable-length integer.
    let bytes = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10];
    let seed = SerdeSeed(ErasedMut::new(&mut empty));
    seed.deserialize(&mut postcard::Deserializer::from_bytes(&bytes)).unwrap_err();
    let seed = SerdeSeed(ErasedMut::new(&mut empty));
    seed.deserialize(&mut postcard::Deserializer::from_bytes(&[3])).unwrap();
    assert_eq!(empty.len(), 3);
}

/// The same where each of a few bytes could claim as many.
#[test]
fn counts_of_nothing_are_bounded_in_their_sum() {
    // 65,536 as a variable-length integer.
    let many = |count: u8| [&[count][..], &[0x80, 0x80, 0x04].repeat(count.into())].concat();
    let read = |count| {
        let mut to: Vec<Vec<[u8; 0]>> = Vec::new();
        let bytes = many(count);
        let seed = SerdeSeed(ErasedMut::new(&mut to));
        let result = seed.deserialize(&mut postcard::Deserializer::from_bytes(&bytes));
        result.map(|()| to.iter().map(Vec::len).sum::<usize>())
    };
    assert_eq!(read(1).unwrap(), 1 << 16);
    assert!(read(2).is_err() && read(100).is_err());
    let mut to: Vec<[[u8; 0]; 1 << 10]> = Vec::new();
    let seed = SerdeSeed(ErasedMut::new(&mut to));
    assert!(seed.deserialize(&mut postcard::Deserializer::from_bytes(&[0x80, 0x80, 0x04])).is_err());
}

/// A path that may lead somewhere: parts of one that does, in another form or another order.
fn any_path(rng: &mut Rng, paths: &[String]) -> String {
    let mut path = paths[rng.below(paths.len())].clone();
    for _ in 0..rng.below(3) {
        let cut = path.find(['.', '[']).unwrap_or(path.len());
        let first = path[..cut].to_owned();
        let rest = path[cut..].to_owned();
        let end = path.rfind(['.', '[']).unwrap_or(path.len());
        path = match rng.below(9) {
            0 if !first.is_empty() => format!("[{first}]{rest}"),
            1 if !first.is_empty() => format!("[\"{first}\"]{rest}"),
            2 => format!("{first}{}", rest.replace("[\"", "[").replace("\"]", "]")),
            3 => format!("{path}{}", rng.pick(&["[0]", ".x", "[7]", ".r", "[a]", "[\"a b\"]", ".", "[", "]"])),
            4 => path[..end].to_owned(),
            5 => path.replace('.', ".."),
            6 => path.replacen('[', ".", 1).replacen(']', "", 1),
            7 => path.replacen('[', "[0", 1),
            _ => path.chars().map(|letter| if rng.below(9) == 0 { '_' } else { letter }).collect(),
        };
    }
    path
}

#[test]
fn what_was_set_is_what_is_got_and_both_take_the_same_paths() {
    let mut led = [0_usize; 2];
    for_seeds(20, |rng| {
        let value: Every = rng.value();
        let at = || ErasedRef::of_entity(&value);
        let tree = Value::of(at());
        let mut paths = Vec::new();
        tree.walk(|path, _| paths.push(path.to_owned()));
        for _ in 0..200 {
            let path = any_path(rng, &paths);
            let found = get_path(at(), &path);
            led[usize::from(found.is_some())] += 1;
            let mut copy = value.clone();
            if let Some(found) = &found {
                set_path(ErasedMut::of_entity(&mut copy), &path, found)
                    .unwrap_or_else(|error| panic!("{path}: {error}"));
                assert!(same(at(), ErasedRef::of_entity(&copy)), "{path}");
            }
            if let Some(own) = tree.get(&path) {
                assert_eq!(found.as_ref(), Some(&*own), "{path}");
                let mut again = tree.clone();
                again.set(&path, own.clone().into_owned()).unwrap();
                assert_eq!(again, tree, "{path}");
            }
            let new = match rng.below(3) {
                0 => any(rng, 3),
                _ => get_path(at(), &paths[rng.below(paths.len())]).unwrap(),
            };
            if set_path(ErasedMut::of_entity(&mut copy), &path, &new).is_ok() {
                let got = get_path(ErasedRef::of_entity(&copy), &path);
                // An item of a list that has another key now is elsewhere.
                let has_moved = found.is_some() && path.contains('[');
                assert!(got.is_some() || has_moved, "{path} was set");
                // What is put may be another form of what is got: an integer for a float.
                if let Some(got) = got {
                    let mut again = copy.clone();
                    set_path(ErasedMut::of_entity(&mut again), &path, &got).unwrap();
                    assert!(same(ErasedRef::of_entity(&again), ErasedRef::of_entity(&copy)), "{path}");
                }
            } else {
                assert!(same(at(), ErasedRef::of_entity(&copy)), "{path}");
            }
            let mut grown = tree.clone();
            if grown.set(&path, new.clone()).is_ok() {
                match grown.get(&path) {
                    Some(got) => {
                        assert!(*got == new || matches!(*got, Value::Float32(_) | Value::Integer(_)), "{path}");
                    }
                    None => assert!(tree.get(&path).is_some() && path.contains('['), "{path} was set"),
                }
            }
        }
    });
    assert!(led.iter().all(|&count| count > 200), "{led:?}");
}
