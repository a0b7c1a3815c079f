//! A world against two plain maps: what is in memory and what is on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use juliet::core::text::Spelling;
use juliet::prelude::*;
use tempfile::TempDir;

use super::for_seeds;
use super::values::{Random, Rng, text};

/// Plain data.
#[derive(Entity, Clone, Debug)]
struct Rock {
    #[jasset(default = 1.0)]
    mass: f32,
    hits: u8,
}

/// Owns memory.
#[derive(Entity, Clone, Debug)]
struct Sign {
    note: String,
    links: Vec<EntityRef>,
    #[jasset(skip, default = 5)]
    #[expect(dead_code, reason = "here to be left out of files")]
    cached: u8,
}

#[derive(Clone, Debug)]
enum Thing {
    Rock(Rock),
    Sign(Sign),
}

#[derive(Clone, Debug)]
struct Entry {
    thing: Thing,
    position: [f32; 3],
}

impl Entry {
    fn shown(&self) -> String {
        format!("{self:?}")
    }
}

struct Model {
    home: TempDir,
    world: World,
    /// What memory has to hold, by id.
    memory: BTreeMap<u64, Entry>,
    /// What disk has to say, by id.
    disk: BTreeMap<u64, Entry>,
    /// Removed since the last save.
    removed: BTreeMap<u64, Entry>,
    /// The bytes of the folder as of the last save.
    files: BTreeMap<String, String>,
    /// Handles that are no more.
    stale: Vec<EntityHandle>,
}

fn read(root: &Path) -> BTreeMap<String, String> {
    let Ok(entries) = fs::read_dir(root.join("Worlds/W/Entities")) else { return BTreeMap::new() };
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    entries.map(|entry| entry.unwrap().path()).map(|path| (name(&path), fs::read_to_string(path).unwrap())).collect()
}

fn project(home: &TempDir) -> Project {
    Project::open(home.path(), registry![Rock, Sign].unwrap()).unwrap()
}

impl Model {
    fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let world = project(&home).new_world("W").unwrap();
        let (memory, disk, removed) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { home, world, memory, disk, removed, files: BTreeMap::new(), stale: Vec::new() }
    }

    fn any(&self, rng: &mut Rng) -> Option<(u64, EntityHandle)> {
        let ids: Vec<u64> = self.memory.keys().copied().collect();
        let id = (!ids.is_empty()).then(|| rng.pick(&ids))?;
        Some((id, self.world.find_by_id(id).unwrap()))
    }

    fn step(&mut self, rng: &mut Rng) {
        match rng.below(20) {
            0..=4 => self.spawn(rng),
            5 | 6 => self.duplicate(rng),
            7..=11 => self.set(rng),
            12..=14 => self.remove(rng),
            15 | 16 => self.restore(rng),
            17 => self.save(rng),
            18 => self.reload(),
            _ => self.compact(),
        }
    }

    fn spawn(&mut self, rng: &mut Rng) {
        self.world.set_new_file_spelling(rng.pick(&[Spelling::Colon, Spelling::Node]));
        let position: [f32; 3] = rng.value();
        let place = Vec3::from_array(position);
        let (handle, thing) = if rng.one_in(2) {
            let rock = Rock { mass: rng.value(), hits: rng.value() };
            (self.world.spawn(rock.clone(), place).unwrap(), Thing::Rock(rock))
        } else {
            let sign = Sign { note: text(rng), links: Random::random(rng), cached: 5 };
            (self.world.spawn(sign.clone(), place).unwrap(), Thing::Sign(sign))
        };
        self.added(handle, Entry { thing, position });
    }

    fn added(&mut self, handle: EntityHandle, entry: Entry) {
        let id = self.world.base(handle).unwrap().id();
        assert!(!self.disk.contains_key(&id) && !self.removed.contains_key(&id), "an id is given twice");
        assert!(self.memory.insert(id, entry).is_none());
    }

    fn duplicate(&mut self, rng: &mut Rng) {
        let Some((id, handle)) = self.any(rng) else { return };
        let copy = self.world.duplicate(handle).unwrap();
        self.added(copy, self.memory[&id].clone());
    }

    fn set(&mut self, rng: &mut Rng) {
        let Some((id, handle)) = self.any(rng) else { return };
        // Back to what disk says, now and then.
        let back = self.disk.get(&id).filter(|_| rng.one_in(3)).cloned();
        let entry = self.memory.get_mut(&id).unwrap();
        if rng.one_in(3) || back.is_some() {
            entry.position = back.as_ref().map_or_else(|| rng.value(), |back| back.position);
            self.world.set_position(handle, entry.position).unwrap();
        }
        match (&mut entry.thing, back.map(|back| back.thing)) {
            (Thing::Rock(rock), Some(Thing::Rock(back))) => {
                *rock = back.clone();
                *self.world.get_mut::<Rock>(handle).unwrap() = back;
            }
            (Thing::Sign(sign), Some(Thing::Sign(back))) => {
                *sign = back.clone();
                *self.world.get_mut::<Sign>(handle).unwrap() = back;
            }
            (Thing::Rock(rock), _) => {
                rock.hits = rng.value();
                self.world.set(handle, "Hits", rock.hits).unwrap();
                if rng.one_in(2) {
                    rock.mass = rng.value();
                    self.world.get_mut::<Rock>(handle).unwrap().mass = rock.mass;
                }
            }
            (Thing::Sign(sign), _) => {
                sign.note = text(rng);
                self.world.set(handle, "note", sign.note.clone()).unwrap();
                if rng.one_in(2) {
                    sign.links.push(EntityRef::new(id));
                    self.world.get_mut::<Sign>(handle).unwrap().links.push(EntityRef::new(id));
                }
            }
        }
    }

    fn remove(&mut self, rng: &mut Rng) {
        let Some((id, handle)) = self.any(rng) else { return };
        assert_eq!(self.world.remove(handle), Ok(id));
        self.removed.insert(id, self.memory.remove(&id).unwrap());
        self.stale.push(handle);
    }

    fn restore(&mut self, rng: &mut Rng) {
        let ids: Vec<u64> = self.removed.keys().copied().collect();
        let Some(id) = (!ids.is_empty()).then(|| rng.pick(&ids)) else {
            assert!(self.world.restore(12345).is_err());
            return;
        };
        let handle = self.world.restore(id).unwrap();
        assert_eq!(self.world.base(handle).unwrap().id(), id);
        let entry = self.removed.remove(&id).unwrap();
        self.memory.insert(id, entry);
    }

    fn save(&mut self, rng: &mut Rng) {
        let dirty = self.dirty();
        let gone: BTreeSet<u64> = self.removed.keys().copied().filter(|id| self.disk.contains_key(id)).collect();
        let report = if rng.one_in(3) { self.world.save_all() } else { self.world.save() }.unwrap();
        assert_eq!(report.diagnostics, []);
        let ids = |paths: &[Box<str>]| -> BTreeSet<u64> {
            let names = paths.iter().filter_map(|path| path.rsplit('/').next()?.strip_suffix(".jasset"));
            names.filter_map(|name| u64::from_str_radix(name.strip_prefix("0x")?, 16).ok()).collect()
        };
        assert_eq!(ids(&report.written), dirty);
        assert_eq!(ids(&report.removed), gone);
        self.removed.clear();
        let old = std::mem::replace(&mut self.files, read(self.home.path()));
        let (disk, files) = (&self.disk, &self.files);
        // Files of clean entities keep their bytes.
        for id in disk.keys().filter(|id| self.memory.contains_key(id) && !dirty.contains(id)) {
            let name = file_name(*id);
            assert_eq!(files.get(&name), old.get(&name));
        }
        self.disk = self.memory.clone();
        assert!(self.world.save().unwrap().written.is_empty());
    }

    fn reload(&mut self) {
        let loaded = project(&self.home).load_world("W");
        let Ok((world, report)) = loaded else {
            assert!(self.disk.is_empty() && self.files.is_empty(), "{:?}", loaded.err());
            return;
        };
        assert_eq!(report.diagnostics, []);
        assert_eq!(report.loaded, self.disk.len());
        self.world = world;
        self.memory = self.disk.clone();
        self.removed.clear();
        self.stale.clear();
    }

    fn compact(&mut self) {
        let compaction = self.world.compact();
        self.stale.extend(compaction.moves.iter().map(|&(old, _)| old));
    }

    fn dirty(&self) -> BTreeSet<u64> {
        let differs = |(id, entry): &(&u64, &Entry)| self.disk.get(id).is_none_or(|disk| disk.shown() != entry.shown());
        self.memory.iter().filter(differs).map(|(&id, _)| id).collect()
    }

    fn check(&self) {
        self.world.entities().validate().unwrap();
        let found: BTreeMap<u64, Entry> =
            self.world.iter().map(|base| (base.id(), self.entry(base.handle()))).collect();
        assert_eq!(format!("{found:#?}"), format!("{:#?}", self.memory));
        let dirty: Vec<u64> = self.world.dirty().into_iter().map(|it| self.world.base(it).unwrap().id()).collect();
        assert_eq!(dirty.iter().copied().collect::<BTreeSet<_>>(), self.dirty());
        assert_eq!(dirty.len(), self.dirty().len());
        for base in self.world.iter() {
            assert_eq!(self.world.is_dirty(base.handle()), self.dirty().contains(&base.id()));
            assert_eq!(self.world.find_by_id(base.id()), Some(base.handle()));
        }
        let removed: BTreeSet<u64> = self.world.removed().collect();
        assert_eq!(removed, self.removed.keys().copied().collect());
        for &handle in &self.stale {
            assert!(self.world.base(handle).is_none() && self.world.value(handle).is_none());
        }
        assert_eq!(read(self.home.path()), self.files);
        assert_eq!(
            self.files.keys().cloned().collect::<BTreeSet<_>>(),
            self.disk.keys().map(|&id| file_name(id)).collect()
        );
    }

    fn entry(&self, handle: EntityHandle) -> Entry {
        let [x, y, z, _] = self.world.position(handle).unwrap().to_array();
        let rock = self.world.get::<Rock>(handle).cloned().map(Thing::Rock);
        let thing = rock.unwrap_or_else(|| Thing::Sign(self.world.get::<Sign>(handle).unwrap().clone()));
        Entry { thing, position: [x, y, z] }
    }
}

fn file_name(id: u64) -> String {
    format!("0x{id:016X}.jasset")
}

#[test]
fn a_world_does_what_two_maps_do() {
    for_seeds(20, |rng| {
        let mut model = Model::new();
        for _ in 0..60 {
            model.step(rng);
            model.check();
        }
        model.save(rng);
        model.reload();
        model.check();
    });
}

/// A file keeps its name when its id changes, so names and ids may be apart.
#[test]
fn a_new_entity_never_wants_the_file_of_another() {
    let home = tempfile::tempdir().unwrap();
    let mut world = project(&home).new_world("W").unwrap();
    let rock = || Rock { mass: 1.0, hits: 0 };
    let handle = world.spawn(rock(), Vec3::ZERO).unwrap();
    let first = world.base(handle).unwrap().id();
    assert_eq!(world.save().unwrap().diagnostics, []);
    let folder = home.path().join("Worlds/W/Entities");
    // What the next ids would be called: another entity, one of an unknown class, one that is no text.
    fs::write(folder.join(file_name(first + 1)), "; class: Rock\n; id: 0x7\n").unwrap();
    fs::write(folder.join(file_name(first + 2)), "; class: Nobody\n").unwrap();
    fs::write(folder.join(file_name(first + 3)), [0xff]).unwrap();
    let (mut world, report) = project(&home).load_world("W").unwrap();
    assert_eq!((report.loaded, report.skipped), (3, 1));
    let handle = world.spawn(rock(), Vec3::ZERO).unwrap();
    let report = world.save().unwrap();
    assert_eq!((report.written.len(), report.diagnostics), (1, Vec::new()));
    assert_eq!(world.base(handle).unwrap().id(), first + 4);
}
