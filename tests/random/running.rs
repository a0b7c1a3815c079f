//! A running world against plain maps: entities and components that come and go at once and at the end of the frame, queries, play and stop.

use std::collections::{BTreeMap, BTreeSet};

use juliet::prelude::*;
use juliet::{SpawnTicket, Target};

use super::for_seeds;
use super::values::Rng;

/// Has a number.
#[derive(Entity)]
struct Unit {
    number: u32,
}

/// Another class.
#[derive(Entity)]
struct Named {
    name: String,
}

/// Has a number, too.
#[derive(Component)]
struct Speed {
    value: u32,
}

/// Owns memory.
#[derive(Component)]
struct Label {
    text: String,
}

/// A tag.
#[derive(Component)]
struct Asleep;

/// What the model knows of an entity.
#[derive(Clone, Debug, Default, PartialEq)]
struct Entry {
    is_unit: bool,
    number: u32,
    speed: Option<u32>,
    label: Option<String>,
    is_asleep: bool,
    x: f32,
}

/// Names a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Speed,
    Label,
    Asleep,
}

const PARTS: [Part; 3] = [Part::Speed, Part::Label, Part::Asleep];

/// A command as the model has it.
#[derive(Clone, Debug)]
enum Act {
    Spawn(SpawnTicket, Entry),
    Remove(Target),
    Add(Target, Part, u32),
    Take(Target, Part),
    CalledOff,
}

#[derive(Clone, Default)]
struct Frame {
    acts: Vec<Act>,
    removals: Vec<Target>,
}

struct Model {
    world: World,
    entities: BTreeMap<EntityHandle, Entry>,
    frame: Frame,
    authored: Option<(BTreeMap<EntityHandle, Entry>, Frame)>,
    /// Handles that named something once, and tickets of this frame.
    stale: Vec<EntityHandle>,
    tickets: Vec<SpawnTicket>,
    next: u32,
}

fn set(entry: &mut Entry, part: Part, number: u32) {
    match part {
        Part::Speed => entry.speed = Some(number),
        Part::Label => entry.label = Some(number.to_string()),
        Part::Asleep => entry.is_asleep = true,
    }
}

fn take(entry: &mut Entry, part: Part) -> bool {
    match part {
        Part::Speed => entry.speed.take().is_some(),
        Part::Label => entry.label.take().is_some(),
        Part::Asleep => std::mem::take(&mut entry.is_asleep),
    }
}

fn has(entry: &Entry, part: Part) -> bool {
    take(&mut entry.clone(), part)
}

impl Model {
    fn new() -> Self {
        let registry = registry![Unit, Named, Speed, Label, Asleep].unwrap();
        Self {
            world: World::new(registry).unwrap(),
            entities: BTreeMap::new(),
            frame: Frame::default(),
            authored: None,
            stale: Vec::new(),
            tickets: Vec::new(),
            next: 0,
        }
    }

    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    /// A handle, live or stale, now and then.
    fn any(&self, rng: &mut Rng) -> Option<EntityHandle> {
        let live: Vec<_> = self.entities.keys().copied().collect();
        let from = if rng.one_in(8) || live.is_empty() { &self.stale } else { &live };
        (!from.is_empty()).then(|| rng.pick(from))
    }

    fn any_target(&self, rng: &mut Rng) -> Option<Target> {
        if rng.one_in(3) && !self.tickets.is_empty() {
            return Some(rng.pick(&self.tickets).into());
        }
        self.any(rng).map(Into::into)
    }

    fn step(&mut self, rng: &mut Rng) {
        match rng.below(20) {
            0..=2 => self.spawn(rng),
            3 => self.remove(rng),
            4..=6 => self.add(rng),
            7 | 8 => self.take(rng),
            9..=15 => self.put_off(rng),
            16 | 17 => self.cleanup(),
            18 => self.write(rng),
            _ => self.play_or_stop(rng),
        }
    }

    fn entry(&mut self, rng: &mut Rng) -> Entry {
        Entry { is_unit: rng.one_in(2), number: self.number(), x: rng.below(100) as f32, ..Entry::default() }
    }

    fn spawn(&mut self, rng: &mut Rng) {
        let entry = self.entry(rng);
        let (at, number) = (Vec3::new(entry.x, 0.0, 0.0), entry.number);
        let handle = match entry.is_unit {
            true => self.world.spawn(Unit { number }, at),
            false => self.world.spawn(Named { name: number.to_string() }, at),
        };
        assert!(self.entities.insert(handle.unwrap(), entry).is_none());
    }

    fn remove(&mut self, rng: &mut Rng) {
        let Some(handle) = self.any(rng) else { return };
        assert_eq!(self.world.remove(handle).is_ok(), self.entities.remove(&handle).is_some());
        self.stale.push(handle);
    }

    fn add(&mut self, rng: &mut Rng) {
        let (Some(handle), part, number) = (self.any(rng), rng.pick(&PARTS), self.number()) else { return };
        let added = match part {
            Part::Speed => self.world.add_component(handle, Speed { value: number }).map(drop),
            Part::Label => self.world.add_component(handle, Label { text: number.to_string() }).map(drop),
            Part::Asleep => self.world.add_component(handle, Asleep).map(drop),
        };
        let entry = self.entities.get_mut(&handle);
        assert_eq!(added.is_ok(), entry.is_some());
        if let Some(entry) = entry.filter(|entry| !has(entry, part)) {
            set(entry, part, number);
        }
        // Removals that wait are called off.
        let waits = |act: &Act| matches!(*act, Act::Take(Target::Entity(it), of) if (it, of) == (handle, part));
        self.frame.acts.iter_mut().filter(|act| waits(act)).for_each(|act| *act = Act::CalledOff);
    }

    fn take(&mut self, rng: &mut Rng) {
        let (Some(handle), part) = (self.any(rng), rng.pick(&PARTS)) else { return };
        let taken = match part {
            Part::Speed => self.world.remove_component::<Speed>(handle),
            Part::Label => self.world.remove_component::<Label>(handle),
            Part::Asleep => self.world.remove_component::<Asleep>(handle),
        };
        assert_eq!(taken.ok(), self.entities.get_mut(&handle).map(|entry| take(entry, part)));
    }

    fn put_off(&mut self, rng: &mut Rng) {
        let (entry, target, number, part) = (self.entry(rng), self.any_target(rng), self.number(), rng.pick(&PARTS));
        let commands = self.world.commands();
        let act = match (rng.below(8), target) {
            (0 | 1, _) | (_, None) => {
                let (at, number) = (Vec3::new(entry.x, 0.0, 0.0), entry.number);
                let ticket = match entry.is_unit {
                    true => commands.spawn(Unit { number }, at),
                    false => commands.spawn(Named { name: number.to_string() }, at),
                };
                self.tickets.push(ticket);
                Act::Spawn(ticket, entry)
            }
            (2, Some(target)) => {
                commands.remove(target);
                if self.frame.removals.contains(&target) {
                    return;
                }
                self.frame.removals.push(target);
                Act::Remove(target)
            }
            (3..=5, Some(target)) => {
                match part {
                    Part::Speed => commands.add_component(target, Speed { value: number }),
                    Part::Label => commands.add_component(target, Label { text: number.to_string() }),
                    Part::Asleep => commands.add_component(target, Asleep),
                }
                Act::Add(target, part, number)
            }
            (_, Some(target)) => {
                match part {
                    Part::Speed => commands.remove_component::<Speed>(target),
                    Part::Label => commands.remove_component::<Label>(target),
                    Part::Asleep => commands.remove_component::<Asleep>(target),
                }
                Act::Take(target, part)
            }
        };
        self.frame.acts.push(act);
        assert_eq!(self.world.commands().len(), self.frame.acts.len());
    }

    fn cleanup(&mut self) {
        let report = self.world.update().unwrap();
        let handles: BTreeMap<u64, EntityHandle> =
            report.spawned.iter().enumerate().map(|(i, &(_, handle))| (i as u64, handle)).collect();
        let made = |ticket: SpawnTicket| report.spawned.iter().find(|it| it.0 == ticket).map(|it| it.1);
        let (mut errors, mut spawned) = (0, 0);
        let mut so_far = BTreeSet::new();
        for act in std::mem::take(&mut self.frame).acts {
            let target = match act {
                Act::Remove(target) | Act::Add(target, ..) | Act::Take(target, _) => target,
                Act::Spawn(ticket, entry) => {
                    let handle = handles[&spawned];
                    assert_eq!(made(ticket), Some(handle));
                    spawned += 1;
                    so_far.insert(handle);
                    assert!(self.entities.insert(handle, entry).is_none());
                    continue;
                }
                Act::CalledOff => continue,
            };
            let handle = match target {
                Target::Entity(handle) => Some(handle),
                Target::New(ticket) => made(ticket).filter(|it| so_far.contains(it)),
            };
            let Some(handle) = handle else {
                errors += 1;
                continue;
            };
            match act {
                Act::Remove(_) => {
                    if self.entities.remove(&handle).is_some() {
                        self.stale.push(handle);
                    }
                }
                Act::Add(_, part, number) => match self.entities.get_mut(&handle) {
                    Some(entry) => set(entry, part, number),
                    None => errors += 1,
                },
                Act::Take(_, part) => drop(self.entities.get_mut(&handle).map(|entry| take(entry, part))),
                Act::Spawn(..) | Act::CalledOff => {}
            }
        }
        assert_eq!((report.spawned.len() as u64, report.errors.len()), (spawned, errors));
        self.tickets.clear();
    }

    /// Writes through a query.
    fn write(&mut self, rng: &mut Rng) {
        let by = rng.below(10) as u32;
        let query = self.world.query::<(&Unit, &mut Speed, &mut Position)>().unwrap().without::<Asleep>();
        query.par_for_each(|_, (unit, mut speed, mut position)| {
            speed.value = unit.number + by;
            position.x += 1.0;
        });
        for entry in self.entities.values_mut().filter(|it| it.is_unit && it.speed.is_some() && !it.is_asleep) {
            entry.speed = Some(entry.number + by);
            entry.x += 1.0;
        }
    }

    fn play_or_stop(&mut self, rng: &mut Rng) {
        if !rng.one_in(3) {
            return;
        }
        match self.authored.take() {
            None => {
                self.world.play().unwrap();
                self.authored = Some((self.entities.clone(), std::mem::take(&mut self.frame)));
            }
            Some((entities, frame)) => {
                self.world.stop().unwrap();
                let gone = self.entities.keys().filter(|it| !entities.contains_key(it));
                self.stale.extend(gone);
                self.stale.retain(|it| !entities.contains_key(it));
                (self.entities, self.frame) = (entities, frame);
            }
        }
        self.tickets.clear();
    }

    fn check(&mut self) {
        self.world.entities().validate().unwrap();
        assert_eq!(self.world.len(), self.entities.len());
        for (&handle, entry) in &self.entities {
            let world = &self.world;
            let found = Entry {
                is_unit: world.get::<Unit>(handle).is_some(),
                number: match world.get::<Unit>(handle) {
                    Some(unit) => unit.number,
                    None => world.get::<Named>(handle).unwrap().name.parse().unwrap(),
                },
                speed: world.component::<Speed>(handle).map(|it| it.value),
                label: world.component::<Label>(handle).map(|it| it.text.clone()),
                is_asleep: world.component::<Asleep>(handle).is_some(),
                x: world.position(handle).unwrap().x,
            };
            assert_eq!(found, *entry);
            let removal = Target::Entity(handle);
            assert_eq!(world.is_pending_removal(handle), self.frame.removals.contains(&removal));
        }
        assert!(self.stale.iter().all(|&handle| self.world.base(handle).is_none()));
        let asked = |wanted: fn(&Entry) -> bool| {
            self.entities.iter().filter(|(_, it)| wanted(it)).map(|(&it, _)| it).collect::<BTreeSet<_>>()
        };
        let listed = self.world.list().of_type::<Named>().with::<Label>().without::<Asleep>();
        let found: BTreeSet<_> = listed.iter().collect();
        assert_eq!(found, asked(|it| !it.is_unit && it.label.is_some() && !it.is_asleep));
        let mut found = BTreeSet::new();
        let query = self.world.query::<(&Asleep, Option<&Speed>, &Position)>().unwrap();
        query.for_each(|handle, _| assert!(found.insert(handle)));
        assert_eq!(found, asked(|it| it.is_asleep));
    }
}

#[test]
fn world_agrees_with_plain_maps() {
    for_seeds(120, |rng| {
        let mut model = Model::new();
        for _ in 0..120 {
            model.step(rng);
            model.check();
        }
    });
}
