//! Counts heap allocations of the entity manager: after it is set up there are none.
#![expect(unsafe_code, reason = "a counting allocator, and an entity type without the derive macro")]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use glam::Vec3;
use juliet_core::archive::{Findings, decode, open, read_values};
use juliet_core::class::{Class, ClassRegistry, Entity, Meta, Property};
use juliet_core::entity::{Capacity, EntityHandle, EntityManager, Position};
use juliet_core::mem::{ErasedMut, ErasedRef, OwnedValue, PropertyValue};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: hands everything on to the system's allocator; the counter is a plain cell that allocates nothing itself.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static GLOBAL: Counting = Counting;

/// Allocations on this thread while `f` runs.
fn allocations(f: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    f();
    ALLOCATIONS.get() - before
}

struct Prop {
    mass: f32,
    health: f32,
}

// SAFETY: `Class::of` takes size, alignment and functions from the type; offset and type are those of the field.
unsafe impl Entity for Prop {
    const CLASS: &'static Class = &Class::of::<Self>(
        "Prop",
        0x0F5C_6AD4,
        1,
        "",
        &[Property::new(
            "Mass: ; mass\n",
            6,
            std::mem::offset_of!(Self, mass),
            <f32 as PropertyValue>::TYPE,
            Meta::NONE,
        )],
        true,
    );

    fn default_value() -> Self {
        Self { mass: 1.0, health: 100.0 }
    }
}

fn manager(capacity: u32) -> EntityManager {
    let classes = ClassRegistry::new().with::<Prop>().unwrap();
    EntityManager::with_capacity(classes, Capacity::entities(capacity)).unwrap()
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(Box::new(5)))), 1);
}

#[test]
fn allocating_removing_and_finding_touch_no_heap_after_set_up() {
    let mut manager = manager(10_000);
    let mut handles = [EntityHandle::NULL; 5_000];
    let count = allocations(|| {
        for round in 0..20 {
            for (i, handle) in handles.iter_mut().enumerate() {
                let prop = Prop { mass: i as f32, health: 1.0 };
                *handle = if i % 2 == 0 {
                    manager.allocate(0).unwrap()
                } else {
                    manager.spawn(prop, Vec3::ONE).ok().unwrap()
                };
                manager.set_id(*handle, round * 10_000 + i as u64 + 1).unwrap();
            }
            assert_eq!(manager.find_by_id(round * 10_000 + 77), Some(handles[76]));
            for (i, &handle) in handles.iter().enumerate() {
                if i % 3 != 0 {
                    manager.remove(handle).unwrap();
                }
            }
            if round % 4 == 3 {
                manager.clear();
            } else {
                handles.iter().step_by(3).for_each(|&handle| manager.remove(handle).unwrap());
            }
        }
    });
    assert_eq!(count, 0);
    manager.validate().unwrap();
}

#[test]
fn reading_a_file_touches_no_heap() {
    let classes = ClassRegistry::new().with::<Prop>().unwrap();
    let bytes = b"; entity_type: Prop\n; id: 0x0100000000000042\n; version: 1\nPosition: 1.5, 2.0, -3.25\nMass: 12.5\n";
    let mut prop = Prop::default_value();
    let mut position = None;
    let count = allocations(|| {
        let mut findings = Findings::new();
        let text = decode("Prop.jasset", bytes).unwrap();
        let opened = open(&classes, "Prop.jasset", text, &mut findings).unwrap();
        position = read_values(&opened, ErasedMut::of_entity(&mut prop), &mut findings).position;
        assert!(findings.is_empty());
    });
    assert_eq!((count, prop.mass, position), (0, 12.5, Some([1.5, 2.0, -3.25, 1.0])));
}

#[test]
fn iterating_and_writing_touch_no_heap() {
    let mut manager = manager(10_000);
    let handles = manager.allocate_many(&[0; 5_000]).unwrap();
    handles.iter().step_by(3).for_each(|&handle| manager.remove(handle).unwrap());
    let mut sum = 0.0;
    let count = allocations(|| {
        sum += manager.iter().map(|base| base.position().x).sum::<f32>();
        sum += manager.iter_of::<Prop>().map(|(_, prop)| prop.mass).sum::<f32>();
        sum += manager.values::<Prop>().map(|prop| prop.health).sum::<f32>();
        manager.iter_of_mut::<Prop>().for_each(|mut item| item.value.health -= item.position().x);
        manager.values_mut::<Prop>().for_each(|prop| prop.mass += 1.0);
        manager.for_each_of_mut::<Prop>(|_, prop, mut position| position.x += prop.mass);
        manager.for_each_position_mut(|position| *position += Vec3::Y);
        sum += manager.dirty().filter_map(|handle| manager.get::<Prop>(handle)).map(|prop| prop.mass).sum::<f32>();
        for &handle in &handles {
            if let Some(mut prop) = manager.get_mut::<Prop>(handle) {
                prop.mass = 2.0;
                manager.mark_clean(handle).unwrap();
            }
        }
    });
    assert_eq!(count, 0);
    assert!(sum > 0.0);
}

#[test]
fn scratch_value_is_reset_without_the_heap() {
    let classes = ClassRegistry::new().with::<Prop>().unwrap();
    let mut value = OwnedValue::new(&classes, 0).unwrap();
    assert_eq!(allocations(|| (0..10).for_each(|_| value.reset())), 0);
}

#[test]
fn instantiating_and_resetting_touch_no_heap() {
    let mut manager = manager(10_000);
    let image = Prop { mass: 3.0, health: 4.0 };
    let (image, positions) = (ErasedRef::of_entity(&image), vec![Position::new(1.0, 2.0, 3.0); 5_000]);
    let mut handle = EntityHandle::NULL;
    let singly = allocations(|| {
        for _ in 0..5_000 {
            handle = manager.instantiate(0, image, Position::ORIGIN, 7).unwrap();
        }
        manager.reset_to_image(handle, image).unwrap();
    });
    assert_eq!(singly, 0);
    let mut handles = Vec::new();
    let batch = allocations(|| handles = manager.instantiate_many(0, image, &positions, 7).unwrap());
    assert_eq!((batch, handles.len()), (1, 5_000), "the list of handles");
    assert!(manager.values::<Prop>().all(|prop| prop.mass == 3.0 && prop.health == 4.0));
}
