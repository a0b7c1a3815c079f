//! The manager against a plain map, through random sequences of everything it can do.

use std::collections::{BTreeMap, HashMap};

use glam::Vec3;

use super::super::*;
use crate::class::ClassRegistry;
use crate::mem::ErasedRef;
use crate::mem::test_classes::*;

/// SplitMix64: <https://prng.di.unimi.it/splitmix64.c>.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % bound as u64) as usize
    }
}

/// What the model knows of one entity.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    kind: u16,
    number: u32,
    x: f32,
    id: u64,
    dirty: bool,
}

struct Model {
    manager: EntityManager,
    known: HashMap<EntityHandle, Known>,
    /// Handles in a reproducible order, to choose from.
    live: Vec<EntityHandle>,
    stale: Vec<EntityHandle>,
    random: Random,
}

const CAPACITY: usize = 12;
const KINDS: [u16; 3] = [SMALL, FAT, NAMED];
/// Of a registry with nothing else, so that checking it all after each step stays quick.
const SMALL: u16 = 0;
const FAT: u16 = 1;
const NAMED: u16 = 2;

fn number_of(manager: &EntityManager, handle: EntityHandle, kind: u16) -> Option<u32> {
    match kind {
        SMALL => manager.get::<Small>(handle).map(Number::number),
        FAT => manager.view::<Fat>().get(handle).map(Number::number),
        _ => manager.get::<Named>(handle).map(Number::number),
    }
}

fn write<T: Number>(manager: &mut EntityManager, handle: EntityHandle, number: u32) {
    *manager.get_mut::<T>(handle).unwrap() = T::of(number);
}

impl Model {
    fn pick(&mut self) -> Option<EntityHandle> {
        if self.live.is_empty() { None } else { Some(self.live[self.random.below(self.live.len())]) }
    }

    fn spawn(&mut self) {
        let (kind, number) = (KINDS[self.random.below(3)], self.random.below(200) as u32);
        let at = Vec3::X * number as f32;
        let spawned = match kind {
            SMALL => self.manager.spawn(Small::of(number), at).ok(),
            FAT => self.manager.spawn(Fat::of(number), at).ok(),
            _ => self.manager.spawn(Named::of(number), at).ok(),
        };
        self.enter(spawned, Known { kind, number, x: number as f32, id: 0, dirty: true });
    }

    fn allocate(&mut self) {
        let kind = [SMALL, FAT][self.random.below(2)];
        let allocated = self.manager.allocate(kind).ok();
        self.enter(allocated, Known { kind, number: if kind == SMALL { 7 } else { 1 }, x: 0.0, id: 0, dirty: true });
    }

    fn spawn_several(&mut self) {
        let (count, number) = (self.random.below(7), self.random.below(200) as u32);
        let known = Known { kind: FAT, number, x: number as f32, id: 0, dirty: true };
        let at = Vec3::X * known.x;
        let spawned = if self.random.below(2) == 0 {
            let image = Fat::of(number);
            let places = vec![Position::from(at); count];
            self.manager.instantiate_many(FAT, ErasedRef::of_entity(&image), &places, 1).ok()
        } else if self.live.len() + count <= CAPACITY {
            self.manager.spawn_batch((0..count).map(|_| (Fat::of(number), at))).ok()
        } else {
            return;
        };
        assert_eq!(spawned.is_some(), self.live.len() + count <= CAPACITY);
        spawned.into_iter().flatten().for_each(|handle| self.enter(Some(handle), known.clone()));
    }

    fn enter(&mut self, handle: Option<EntityHandle>, known: Known) {
        assert_eq!(handle.is_some(), self.live.len() < CAPACITY);
        if let Some(handle) = handle {
            assert!(!self.stale.contains(&handle) && self.known.insert(handle, known).is_none());
            self.live.push(handle);
        }
    }

    fn remove(&mut self) {
        if let Some(handle) = self.pick() {
            self.manager.remove(handle).unwrap();
            self.live.retain(|&other| other != handle);
            self.known.remove(&handle);
            self.stale.push(handle);
        }
    }

    fn use_stale(&mut self) {
        if self.stale.is_empty() {
            return;
        }
        let handle = self.stale[self.random.below(self.stale.len())];
        let manager = &mut self.manager;
        assert_eq!(manager.remove(handle), Err(Stale { handle }));
        assert!(
            manager.base(handle).is_none() && manager.value(handle).is_none() && manager.position(handle).is_none()
        );
        assert!(manager.get::<Fat>(handle).is_none() && manager.get_mut::<Fat>(handle).is_none());
        assert!(manager.position_mut(handle).is_none() && manager.value_mut(handle).is_none());
        assert!(manager.set_id(handle, 3).is_err() && manager.mark_clean(handle).is_err() && !manager.is_dirty(handle));
    }

    fn write(&mut self) {
        let Some(handle) = self.pick() else { return };
        let number = self.random.below(200) as u32;
        let known = self.known.get_mut(&handle).unwrap();
        match known.kind {
            SMALL => write::<Small>(&mut self.manager, handle, number),
            FAT => write::<Fat>(&mut self.manager, handle, number),
            _ => write::<Named>(&mut self.manager, handle, number),
        }
        (known.number, known.dirty) = (number, true);
    }

    fn read_as_another_class(&mut self) {
        let Some(handle) = self.pick() else { return };
        let kind = self.known[&handle].kind;
        for other in KINDS.into_iter().filter(|&other| other != kind) {
            assert_eq!(number_of(&self.manager, handle, other), None);
        }
        assert!(self.manager.get::<Plain>(handle).is_none() && self.manager.get_mut::<Plain>(handle).is_none());
        assert!(self.manager.value_mut(handle).unwrap().into_mut().downcast_mut::<Plain>().is_none());
        self.known.get_mut(&handle).unwrap().dirty = true;
    }

    fn set_id(&mut self) {
        let Some(handle) = self.pick() else { return };
        let id = self.random.below(20) as u64;
        let holder = self.known.iter().find(|(_, known)| id != 0 && known.id == id).map(|(&holder, _)| holder);
        match (holder, self.manager.set_id(handle, id)) {
            (Some(holder), Err(error)) => assert_eq!(error, SetIdError::Duplicate { id, holder }),
            (holder, Ok(())) => {
                assert!(holder.is_none_or(|holder| holder == handle));
                let known = self.known.get_mut(&handle).unwrap();
                known.dirty |= known.id != id;
                known.id = id;
            }
            other => panic!("{other:?}"),
        }
    }

    fn clean(&mut self) {
        for _ in 0..4 {
            let Some(handle) = self.pick() else { return };
            self.manager.mark_clean(handle).unwrap();
            self.known.get_mut(&handle).unwrap().dirty = false;
        }
    }

    fn move_all(&mut self) {
        self.manager.for_each_position_mut(|position| *position += Vec3::X);
        self.known.values_mut().for_each(|known| (known.x, known.dirty) = (known.x + 1.0, true));
    }

    fn add_to_all_of_a_class(&mut self) {
        if self.random.below(2) == 0 {
            self.manager.values_mut::<Fat>().for_each(|fat| fat.v += 1);
        } else {
            self.manager.iter_of_mut::<Fat>().for_each(|mut item| item.value.v += 1);
        }
        let of_class = self.known.values_mut().filter(|known| known.kind == FAT);
        of_class.for_each(|known| (known.number, known.dirty) = (known.number + 1, true));
    }

    fn compact(&mut self) {
        for (old, new) in self.manager.compact().moves {
            let known = self.known.remove(&old).unwrap();
            assert!(self.known.insert(new, known).is_none());
            *self.live.iter_mut().find(|handle| **handle == old).unwrap() = new;
            self.stale.push(old);
        }
        assert!(self.live.iter().all(|handle| (handle.index() as usize) < self.live.len()));
    }

    fn clear(&mut self) {
        self.manager.clear();
        self.known.clear();
        self.stale.append(&mut self.live);
    }

    fn step(&mut self) {
        match self.random.below(100) {
            0..24 => self.spawn(),
            24..30 => self.spawn_several(),
            30..36 => self.allocate(),
            36..62 => self.remove(),
            62..68 => self.use_stale(),
            68..76 => self.write(),
            76..79 => self.read_as_another_class(),
            79..87 => self.set_id(),
            87..92 => self.clean(),
            92..94 => self.move_all(),
            94..97 => self.add_to_all_of_a_class(),
            97..99 => self.compact(),
            _ => self.clear(),
        }
    }

    fn compare(&self) {
        let manager = &self.manager;
        manager.validate().unwrap();
        assert_eq!(manager.len(), self.live.len());
        for base in manager.iter() {
            let known = &self.known[&base.handle()];
            let number = number_of(manager, base.handle(), known.kind).unwrap();
            let (kind, id, dirty) = (base.kind(), base.id(), base.is_dirty());
            assert_eq!(Known { kind, number, x: base.position().x, id, dirty }, *known);
            assert_eq!(manager.find_by_id(id), (id != 0).then_some(base.handle()));
        }
        let fats: BTreeMap<_, _> = manager.iter_of::<Fat>().map(|(handle, fat)| (handle, fat.v)).collect();
        let known_fats = self.known.iter().filter(|(_, known)| known.kind == FAT);
        assert_eq!(fats, known_fats.map(|(&handle, known)| (handle, known.number)).collect());
        assert_eq!(manager.count_of(FAT), fats.len());
        assert_eq!(manager.dirty().count(), self.known.values().filter(|known| known.dirty).count());
    }
}

fn sequences(seeds: core::ops::Range<u64>) {
    let before = live();
    for seed in seeds {
        let classes =
            ClassRegistry::new().with::<Small>().and_then(|r| r.with::<Fat>()).and_then(|r| r.with::<Named>());
        let manager = EntityManager::with_capacity(classes.unwrap(), Capacity::entities(CAPACITY as u32)).unwrap();
        let random = Random(seed);
        let mut model = Model { manager, known: HashMap::new(), live: Vec::new(), stale: Vec::new(), random };
        for _ in 0..500 {
            model.step();
            model.compare();
        }
        let named = model.known.values().filter(|known| known.kind == NAMED).count();
        assert_eq!(live() - before, named as i64);
    }
    assert_eq!(live(), before);
}

// Two halves, so that they run side by side.
/// 1,000 sequences of 500 steps; fewer where `JULIET_SEQUENCES` says so, under tools that slow everything down.
fn count() -> u64 {
    std::env::var("JULIET_SEQUENCES").ok().and_then(|text| text.parse().ok()).unwrap_or(1000)
}

#[test]
fn manager_agrees_with_a_plain_map_in_random_sequences() {
    sequences(0..count() / 2);
}

#[test]
fn manager_agrees_with_a_plain_map_in_more_random_sequences() {
    sequences(count() / 2..count());
}
