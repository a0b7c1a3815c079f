//! Values as text and back.

use juliet::core::archive::{self, Components, EntityText, Findings};
use juliet::core::class::shape::{Place, ValueWriter};
use juliet::core::class::value;
use juliet::core::mem;
use juliet::core::text::Spelling;
use juliet::schema::{Schema, example};
use juliet::{ClassRegistry, Entity, EntityHandle, EntityManager, OwnedValue, PropertyValue, registry};

/// What `text` reads as.
pub(crate) fn read<T: PropertyValue>(text: &str) -> Result<T, String> {
    let mut out = T::default_value();
    match value::read(mem::ErasedMut::new(&mut out), text, Place::Line) {
        Ok(()) => Ok(out),
        Err(fault) => Err(format!("{fault:?}")),
    }
}

/// How `value` is written.
pub(crate) fn write<T: PropertyValue>(value: &T) -> String {
    let mut out = Vec::new();
    value::write(mem::ErasedRef::new(value), &mut ValueWriter::new(&mut out));
    String::from_utf8(out).expect("text is UTF-8")
}

/// A manager with one entity of class `T` that was read from `text`.
pub(crate) fn load<T: Entity>(text: &str) -> (EntityManager, EntityHandle) {
    let registry = registry![T].expect("one class");
    let mut manager = EntityManager::new(registry.clone()).expect("address space");
    let mut findings = Findings::new();
    let opened = archive::open(&registry, "test.jasset", text, &mut findings).expect("a class");
    let handle = manager.allocate(opened.kind()).expect("room");
    archive::read_values(&opened, manager.value_mut_unmarked(handle).expect("live"), &mut findings);
    assert!(findings.is_ok(), "the text has faults");
    (manager, handle)
}

/// The file of an entity.
pub(crate) fn save<T: Entity>(manager: &EntityManager, handle: EntityHandle, spelling: Spelling) -> String {
    let value = manager.value(handle).expect("live");
    let entity = EntityText {
        class: T::CLASS,
        id: 1,
        position: [0.0, 0.0, 0.0, 1.0],
        value,
        inherits: None,
        components: Components::NONE,
    };
    let mut out = Vec::new();
    archive::write_entity(&entity, spelling, &mut out);
    String::from_utf8(out).expect("text is UTF-8")
}

/// A registry made from the schema of `T` has that schema again, and reads and writes a file as the one of `T` does.
pub(crate) fn outlives_its_type<T: Entity>() {
    let known = registry![T].expect("one class");
    let schema = known.schema();
    let read = Schema::from_json(&schema.to_json()).expect("what was written is read");
    let made = read.registry().expect("what a program has can be made");
    assert_eq!(made.schema().to_json(), schema.to_json());
    for spelling in [Spelling::Colon, Spelling::Node] {
        let text = example(&schema, &schema.classes[0], spelling);
        let copy = |registry: &ClassRegistry| {
            let mut findings = Findings::new();
            let opened = archive::open(registry, "test.jasset", &text, &mut findings).expect("a class");
            let mut value = OwnedValue::new(registry, opened.kind()).expect("registered");
            archive::read_values(&opened, value.as_mut(), &mut findings);
            let (class, value) = (opened.class(), value.as_ref());
            let entity = EntityText {
                class,
                id: 1,
                position: [0.0, 0.0, 0.0, 1.0],
                value,
                inherits: None,
                components: Components::NONE,
            };
            let mut out = Vec::new();
            archive::write_entity(&entity, spelling, &mut out);
            (String::from_utf8(out).expect("text is UTF-8"), findings.into_diagnostics("test.jasset"))
        };
        assert_eq!(copy(&made), copy(&known));
    }
}
