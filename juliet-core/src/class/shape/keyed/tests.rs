//! Tests of maps and lists with keys: text, order, items by key, scale.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;

use growth::{check_linear, cpu_time};
use indexmap::IndexMap;
use juliet_derive::Property;

use super::*;
use crate::class::Kind;

#[derive(Property, PartialEq, Eq, Hash, PartialOrd, Ord, Clone, Copy, Debug)]
#[jasset(crate = "crate")]
enum Metal {
    Iron,
    #[jasset(name = "red-gold", alias = "Gold")]
    Gold,
}

#[derive(Property, PartialEq, Eq, Hash, Debug)]
#[jasset(crate = "crate")]
struct ItemName(String);

#[derive(Property, Debug, PartialEq)]
#[jasset(crate = "crate")]
struct Stack {
    #[jasset(skip, default = 7)]
    cached: u8,
    #[jasset(default = 1)]
    count: u32,
    #[jasset(key, alias = "Item")]
    name: String,
}

#[derive(Property)]
#[jasset(crate = "crate")]
struct Chest(Vec<Stack>);

fn stack(name: &str, count: u32) -> Stack {
    Stack { cached: 7, count, name: name.to_owned() }
}

fn written<T: PropertyValue>(value: &T) -> String {
    let mut out = Vec::new();
    value::write(ErasedRef::new(value), &mut ValueWriter::new(&mut out));
    String::from_utf8(out).unwrap()
}

fn read<T: PropertyValue>(text: &str) -> Result<T, Fault<'_>> {
    let mut value = T::default_value();
    value::read(ErasedMut::new(&mut value), text, Place::Line).map(|()| value)
}

/// Reads and writes back.
#[track_caller]
fn check<T: PropertyValue>(text: &str, expected: &str) {
    let value: T = read(text).unwrap();
    assert_eq!(written(&value), expected);
    assert!(value::same(ErasedRef::new(&value), ErasedRef::new(&read::<T>(expected).unwrap())));
    let mut copy = T::default_value();
    assert!(value::assign(ErasedMut::new(&mut copy), ErasedRef::new(&value)));
    assert_eq!(written(&copy), expected);
}

#[track_caller]
fn refused<T: PropertyValue>(text: &str, code: Code, found: &str) {
    let fault = read::<T>(text).err().unwrap();
    assert_eq!((fault.code, fault.found), (code, found), "{text}: {fault:?}");
}

#[test]
fn maps_are_read_and_written_with_their_order() {
    type Words = IndexMap<String, i32>;
    check::<Words>("{}", "{}");
    check::<Words>("{ gold: 3,\"two words\":1, }", "{ gold: 3, \"two words\": 1 }");
    check::<Words>(
        r#"{ "gold": 3, "": 0, "a:b": 1, "a]": 2, 7: 7, ä: 8, "b (c)": 9, "\u{200B}": 10, a.b: 11, none: 12 }"#,
        "{ gold: 3, \"\": 0, \"a:b\": 1, \"a]\": 2, 7: 7, ä: 8, \"b (c)\": 9, \"\u{200B}\": 10, a.b: 11, none: 12 }",
    );
    check::<IndexMap<i8, bool>>("{ 0x10: true, -3: false }", "{ 16: true, -3: false }");
    check::<IndexMap<char, u8>>("{ b: 1, \" \": 2, \",\": 3 }", "{ b: 1, \" \": 2, \",\": 3 }");
    check::<BTreeMap<i64, glam::Vec2>>("{ 10: [1, 2], 9: [3 4] }", "{ 9: [3.0, 4.0], 10: [1.0, 2.0] }");
    check::<BTreeMap<Metal, Option<String>>>("{ Gold: none, Iron: \"none\" }", "{ Iron: \"none\", red-gold: none }");
    check::<IndexMap<ItemName, u8>>("{ \"a b\": 1 }", "{ \"a b\": 1 }");
    check::<IndexMap<String, BTreeMap<u8, Vec<i8>>>>("{ a: { 1: [1, 2], 0: [] } }", "{ a: { 0: [], 1: [1, 2] } }");
    check::<IndexMap<String, Stack>>("{ a: { Count: 2 } }", "{ a: { Count: 2, Name: \"\" } }");
}

#[test]
fn the_order_is_part_of_the_value() {
    let a: IndexMap<String, i32> = read("{ x: 1, y: 2 }").unwrap();
    let b: IndexMap<String, i32> = read("{ y: 2, x: 1 }").unwrap();
    assert!(a == b && !value::same(ErasedRef::new(&a), ErasedRef::new(&b)));
    let mut copy = a;
    value::assign(ErasedMut::new(&mut copy), ErasedRef::new(&b));
    assert_eq!(written(&copy), "{ y: 2, x: 1 }");
    let [a, b] =
        ["[{ Name: x }, { Name: y }]", "[{ Name: y }, { Name: x }]"].map(|text| read::<Vec<Stack>>(text).unwrap());
    assert!(!value::same(ErasedRef::new(&a), ErasedRef::new(&b)));
}

#[test]
fn faults_point_at_the_part_that_is_wrong() {
    refused::<IndexMap<String, i32>>("{ a: 1, b: x }", Code::NotANumber, "x");
    refused::<IndexMap<String, i32>>("{ a: 1, \"a\": 2 }", Code::DuplicateKey, "\"a\"");
    refused::<BTreeMap<u8, i32>>("{ 1: 1, 0x1: 2 }", Code::DuplicateKey, "0x1");
    refused::<BTreeMap<u8, i32>>("{ 256: 1 }", Code::IntegerRange, "256");
    refused::<IndexMap<Metal, i32>>("{ Irno: 1 }", Code::UnknownVariant, "Irno");
    refused::<IndexMap<String, i32>>("{ \"a\\q\": 1 }", Code::BadQuote, "\\q\"");
    refused::<IndexMap<String, i32>>("[1]", Code::Mismatch, "[1]");
    refused::<IndexMap<String, i32>>("{ a }", Code::Mismatch, "a");
    refused::<Vec<Stack>>("[{ Name: a }, { Count: 2, Item: \"a\" }]", Code::DuplicateKey, "\"a\"");
    refused::<Vec<Stack>>("[{ Name: \"\" }, { Count: 2 }]", Code::DuplicateKey, "{ Count: 2 }");
    let deep = format!("{}{}", "{ a: ".repeat(33), "}".repeat(33));
    refused::<IndexMap<String, String>>(&deep, Code::NestingTooDeep, "{");
}

#[test]
fn a_list_with_one_key_twice_is_not_read_back() {
    let twice = vec![stack("a", 1), stack("b", 1), stack("a", 2)];
    let text = written(&twice);
    assert_eq!(read::<Vec<Stack>>(&text).unwrap_err().code, Code::DuplicateKey);
    assert_eq!(KeyIndex::new(&twice).find(&twice, "a").unwrap(), Some(0));
}

#[test]
fn kinds_tell_of_keys() {
    assert!(matches!(Vec::<Stack>::TYPE.kind(), Kind::KeyedList { key_field: 1, .. }));
    assert!(matches!(Vec::<u8>::TYPE.kind(), Kind::List { .. }));
    assert!(Chest::TYPE.is_keyed() && IndexMap::<u8, u8>::TYPE.is_keyed() && !Stack::TYPE.is_keyed());
    assert!(!Option::<Vec<Stack>>::TYPE.is_keyed());
    let list = vec![1_u8];
    assert!(ErasedRef::new(&list).keyed().is_none());
}

/// All keys, as they stand in brackets.
fn keys(items: &dyn KeyedItems) -> Vec<String> {
    (0..items.len())
        .map(|index| {
            let mut key = Vec::new();
            items.write_key(index, &mut key);
            String::from_utf8(key).unwrap()
        })
        .collect()
}

#[track_caller]
fn edit(items: &mut dyn KeyedItems, sorted: bool) {
    assert_eq!(items.find("b").unwrap(), None);
    assert_eq!(items.insert("c").unwrap(), 0);
    assert_eq!(items.insert("\"a b\"").unwrap(), usize::from(!sorted));
    assert_eq!(items.insert("b").unwrap(), if sorted { 1 } else { 2 });
    assert_eq!(items.insert("\"b\"").unwrap(), if sorted { 1 } else { 2 });
    let in_order = if sorted { ["\"a b\"", "b", "c"] } else { ["c", "\"a b\"", "b"] };
    assert_eq!(keys(items), in_order);
    let mut walked = Vec::new();
    items.for_each(&mut |write_key, item| {
        write_key(&mut walked);
        walked.push(b' ');
        assert!(item.ty().type_id() == items.item_type().type_id());
    });
    assert_eq!(String::from_utf8(walked).unwrap().trim_end(), in_order.join(" "));
    for (index, key) in in_order.iter().enumerate() {
        assert_eq!(items.find(key).unwrap(), Some(index));
        assert_eq!(KeyIndex::new(items).find(items, key).unwrap(), Some(index));
        assert!(items.item(index).is_some() && items.item_mut(index).is_some());
    }
    items.remove(0);
    items.remove(9);
    assert_eq!(keys(items), in_order[1..]);
    items.retain(&mut |index| index == 1);
    assert_eq!(keys(items), in_order[2..]);
    assert!(items.find("").is_err() && items.insert("\"").is_err() && items.get_or_insert("\"\\q\"", false).is_err());
    assert!(items.item(1).is_none() && items.len() == 1);
}

#[test]
fn items_are_found_inserted_and_removed_by_key() {
    edit(ErasedMut::new(&mut Chest(Vec::new())).keyed().unwrap(), false);
    edit(ErasedMut::new(&mut IndexMap::<String, i32>::new()).keyed().unwrap(), false);
    edit(ErasedMut::new(&mut BTreeMap::<String, i32>::new()).keyed().unwrap(), true);
}

#[test]
fn new_items_have_their_defaults_and_their_key() {
    let mut list = vec![stack("a", 5)];
    let items = ErasedMut::new(&mut list).keyed().unwrap();
    assert_eq!(items.insert("b").unwrap(), 1);
    assert_eq!(list, [stack("a", 5), stack("b", 1)]);
}

#[test]
fn many_keys_take_linear_time() {
    // Sanitizers, which set this, take fifty times as long for each.
    let count = if std::env::var_os("JULIET_SEQUENCES").is_some() { 500 } else { 5_000 };
    check_linear("keys of maps", count, |count| {
        let text: String = (0..count).map(|i| format!("k{i}: {i}, ")).collect();
        cpu_time(|| {
            let map: IndexMap<String, u32> = read(&format!("{{ {text} }}")).unwrap();
            let sorted: BTreeMap<String, u32> = read(&format!("{{ {text} }}")).unwrap();
            assert_eq!((map.len(), sorted.len()), (count, count));
        })
    });
    check_linear("keys of a list", count, |count| {
        let text: String = (0..count).map(|i| format!("{{ Name: k{i} }}, ")).collect();
        cpu_time(|| {
            let mut list: Vec<Stack> = read(&format!("[ {text} ]")).unwrap();
            let mut index = KeyIndex::new(&list);
            for i in 0..2 * count {
                let key = format!("k{}", 2 * count - 1 - i);
                index.get_or_insert(&mut list, &key).unwrap();
            }
            assert_eq!(list.len(), 2 * count);
            assert!(read::<Vec<Stack>>(&written(&list)).is_ok());
        })
    });
}
