//! Components: added, found, taken away, and ended with their entities.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use glam::Vec3;
use juliet_derive::{Component, Entity};

use crate::class::ClassRegistry;
use crate::entity::{AddError, EntityManager, Stale};

#[derive(Entity)]
#[jasset(crate = "crate")]
struct Crate {
    hits: u32,
}

#[derive(Component, Debug, PartialEq)]
#[jasset(crate = "crate")]
struct Velocity {
    #[jasset(default = 1.5)]
    x: f32,
}

#[derive(Component)]
#[jasset(crate = "crate", implements(dyn Named, dyn Send))]
struct Tag {
    name: String,
    #[jasset(skip)]
    drops: Option<Arc<AtomicUsize>>,
}

impl Drop for Tag {
    fn drop(&mut self) {
        if let Some(drops) = &self.drops {
            drops.fetch_add(1, Relaxed);
            assert!(self.name != "panic", "as asked");
        }
    }
}

trait Named {
    fn name(&self) -> &str;
    fn rename(&mut self, name: &str);
}

impl Named for Tag {
    fn name(&self) -> &str {
        &self.name
    }

    fn rename(&mut self, name: &str) {
        self.name = name.to_owned();
    }
}

fn manager() -> EntityManager {
    let classes = ClassRegistry::new().with::<Crate>().unwrap().with::<Velocity>().unwrap().with::<Tag>().unwrap();
    EntityManager::new(classes).unwrap()
}

fn spawn(manager: &mut EntityManager, hits: u32) -> crate::EntityHandle {
    manager.spawn(Crate { hits }, Vec3::ZERO).unwrap()
}

fn tag(name: &str, drops: &Arc<AtomicUsize>) -> Tag {
    Tag { name: name.to_owned(), drops: Some(Arc::clone(drops)) }
}

#[test]
fn a_component_is_added_once_and_taken_away() {
    let mut manager = manager();
    let (a, b) = (spawn(&mut manager, 1), spawn(&mut manager, 2));
    manager.mark_clean(b).unwrap();
    assert_eq!(*manager.add(a, Velocity { x: 3.0 }).unwrap(), Velocity { x: 3.0 });
    assert_eq!(*manager.add(a, Velocity { x: 4.0 }).unwrap(), Velocity { x: 3.0 }, "the one that is there");
    manager.component_mut::<Velocity>(a).unwrap().x = 5.0;
    assert_eq!((manager.component::<Velocity>(a).unwrap().x, manager.component::<Velocity>(b)), (5.0, None));
    assert!(!manager.is_dirty(b));
    let kind = manager.registry().find_component_kind::<Velocity>().unwrap();
    assert_eq!(manager.add_default(b, kind), Ok(true));
    assert!(manager.is_dirty(b));
    assert_eq!(manager.component::<Velocity>(b), Some(&Velocity { x: 1.5 }));
    manager.validate().unwrap();
    assert_eq!(manager.remove_component::<Velocity>(a), Ok(true));
    assert_eq!(manager.remove_component::<Velocity>(a), Ok(false));
    assert_eq!((manager.count_of_component(kind), manager.components_of(b).count()), (1, 1));
    manager.remove(a).unwrap();
    assert_eq!(manager.remove_component::<Velocity>(a), Err(Stale { handle: a }));
    assert_eq!(manager.add_default(b, 9), Err(AddError::UnknownKind { kind: 9 }));
    manager.validate().unwrap();
}

#[test]
fn a_new_entity_in_an_old_slot_has_no_components() {
    let mut manager = manager();
    let drops = Arc::default();
    let old = spawn(&mut manager, 1);
    manager.add(old, tag("a", &drops)).unwrap();
    manager.remove(old).unwrap();
    assert_eq!(drops.load(Relaxed), 1);
    let new = spawn(&mut manager, 2);
    assert_eq!(new.index(), old.index());
    assert!(manager.component::<Tag>(new).is_none() && manager.component::<Tag>(old).is_none());
    manager.validate().unwrap();
}

#[test]
fn every_component_is_dropped_once_whatever_panics() {
    let mut manager = manager();
    let drops = Arc::default();
    let all: Vec<_> = (0..4).map(|hits| spawn(&mut manager, hits)).collect();
    for (index, &handle) in all.iter().enumerate() {
        manager.add(handle, tag(if index == 1 { "panic" } else { "fine" }, &drops)).unwrap();
        manager.add(handle, Velocity { x: 0.0 }).unwrap();
    }
    let gone = std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| manager.remove(all[1])));
    assert!(gone.is_err() && !manager.contains(all[1]));
    manager.validate().unwrap();
    manager.remove(all[0]).unwrap();
    let moved = manager.compact();
    manager.validate().unwrap();
    assert_eq!((drops.load(Relaxed), moved.moves.len()), (2, 2));
    let last = moved.moves[0].1;
    assert_eq!(manager.component::<Tag>(last).unwrap().name, "fine");
    manager.clear();
    assert_eq!(drops.load(Relaxed), 4);
    manager.validate().unwrap();
    let handle = spawn(&mut manager, 7);
    manager.add(handle, tag("fine", &drops)).unwrap();
    drop(manager);
    assert_eq!(drops.load(Relaxed), 5);
}

#[test]
fn a_value_is_visited_through_a_trait() {
    let mut manager = manager();
    let handle = spawn(&mut manager, 1);
    manager.add(handle, Tag { name: "old".to_owned(), drops: None }).unwrap();
    let kind = manager.registry().find_component_kind::<Tag>().unwrap();
    let cast = manager.component_class(kind).unwrap().cast::<dyn Named>().unwrap();
    let mut value = manager.component_value_mut(handle, kind).unwrap();
    (cast.get_mut)(value.as_mut()).unwrap().rename("new");
    assert_eq!((cast.get)(manager.component_value(handle, kind).unwrap()).unwrap().name(), "new");
    assert!((cast.get)(manager.value(handle).unwrap()).is_none(), "of another class");
    assert!(manager.component_class(kind).unwrap().cast::<dyn core::fmt::Debug>().is_none());
}

#[test]
fn entities_and_components_do_not_answer_to_each_others_names() {
    let registry = manager().registry().clone();
    assert!(registry.find_by_name("Velocity").is_none() && registry.find_component_by_name("Crate").is_none());
    assert_eq!((registry.classes().len(), registry.components().len()), (1, 2));
    assert!(registry.find_kind_of(registry.components()[0]).is_none());
    assert!(registry.clone().with::<Velocity>().is_err());
}
