//! Entities of classes that were made from a schema: allocated, copied, reset and removed, each value ended once (told by the sanitizers).
#![expect(clippy::unwrap_used, reason = "tests")]

use juliet_core::class::value;
use juliet_core::entity::Position;
use juliet_core::mem::{ErasedRef, OwnedValue};
use juliet_core::schema::Schema;
use juliet_core::{ClassRegistry, EntityManager};

/// A class with values on the heap, at all depths.
fn registry() -> ClassRegistry {
    let crc = crc32fast::hash(b"Thing");
    let json = format!(
        r#"{{"schema_version": 1,
        "classes": [{{"name": "Thing", "crc": {crc}, "version": 1, "schema_hash": "0123456789abcdef", "properties": [
            {{"key": "Text", "name": "text", "type": "String", "default": "a text of some length, on the heap"}},
            {{"key": "Map", "name": "map", "type": "M", "default": "{{ a: [one, two], \"b c\": [] }}"}},
            {{"key": "Says", "name": "says", "type": "O", "default": "Say([a, \"b, c\"])"}},
            {{"key": "Pair", "name": "pair", "type": "P", "default": "[Idle, Say([d])]"}}
        ]}}],
        "types": [
            {{"name": "String", "kind": "text"}},
            {{"name": "Short", "kind": "text", "capacity": 9}},
            {{"name": "L", "kind": "list", "item": "String"}},
            {{"name": "M", "kind": "map", "key": "Short", "item": "L"}},
            {{"name": "E", "kind": "enum", "variants": [{{"name": "Idle"}},
                {{"name": "Say", "style": "tuple", "fields": [{{"key": "0", "name": "0", "type": "L"}}]}}]}},
            {{"name": "O", "kind": "option", "item": "E"}},
            {{"name": "P", "kind": "array", "count": 2, "item": "E"}}
        ]}}"#
    );
    Schema::from_json(&json).unwrap().registry().unwrap()
}

fn same(a: ErasedRef<'_>, b: ErasedRef<'_>) -> bool {
    value::same(a, b)
}

#[test]
fn values_of_made_classes_live_and_end_with_their_manager() {
    let registry = registry();
    let mut manager = EntityManager::new(registry.clone()).unwrap();
    let handles: Vec<_> = (0..100).map(|_| manager.allocate(0).unwrap()).collect();
    for handle in &handles[..50] {
        assert!(manager.remove(*handle).is_ok());
    }
    let mut image = OwnedValue::new(&registry, 0).unwrap();
    for handle in &handles[50..] {
        assert!(same(manager.value(*handle).unwrap(), image.as_ref()));
    }
    let text = "{ Text: other, Says: none, Map: { z: [x] }, Pair: [Say([]), Idle] }";
    value::read(image.as_mut(), text, juliet_core::class::shape::Place::Line).unwrap();
    for handle in &handles[50..75] {
        manager.reset_to_image(*handle, image.as_ref()).unwrap();
        assert!(same(manager.value(*handle).unwrap(), image.as_ref()));
    }
    let copy = manager.instantiate(0, image.as_ref(), Position::ORIGIN, 0).unwrap();
    let many = manager.instantiate_many(0, image.as_ref(), &[Position::ORIGIN; 60], 0).unwrap();
    assert!(many.into_iter().chain([copy]).all(|it| same(manager.value(it).unwrap(), image.as_ref())));
    assert!(manager.validate().is_ok());
    image.reset();
    assert!(same(manager.value(handles[99]).unwrap(), image.as_ref()));
}

#[test]
fn reading_made_values_again_and_again_leaves_nothing_behind() {
    let registry = registry();
    let mut value = OwnedValue::new(&registry, 0).unwrap();
    for text in
        ["{ Map: { a: [b], a: [c] } }", "{ Map: { a: [b] }, Says: Say(", "{ Pair: [Say([x, y])] }", "{ Says: Idle }"]
    {
        let _ = value::read(value.as_mut(), text, juliet_core::class::shape::Place::Line);
        let copy = OwnedValue::copy_of(value.as_ref());
        assert!(same(copy.as_ref(), value.as_ref()));
    }
    let items = value.as_mut().field(1).unwrap().keyed().unwrap();
    for key in ["k1", "k2", "a", "k1"] {
        assert!(items.insert(key).is_ok());
    }
    items.retain(&mut |index| index % 2 == 0);
    items.remove(0);
    assert!(items.insert("a key that is too long").is_err());
    assert!(items.len() <= 2);
}
