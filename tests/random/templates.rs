//! Chains of templates and their instances against two plain maps: what is in memory, what is on disk. After each step values, overrides,
//! differences and what is dirty agree, after each save the files too.

mod check;
mod files;
mod found;
mod model;
mod text;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;

use juliet::core::text::Spelling;
use juliet::folder::DiskFileSystem;
use juliet::folder::testing::FaultyFileSystem;
use juliet::prelude::*;
use juliet::{CreateTemplateError, OverrideError, Subject, TemplateHandle, TemplateRefused};
use tempfile::TempDir;

use super::for_seeds;
use super::values::Rng;
use model::{Level, Name, State};
use values::{Leaf, Prop, SHAPES, Spare};

const INSTANCES: usize = 50;
const TEMPLATES: usize = 14;

type Step = fn(&mut Test, &mut Rng);

/// A world beside its model.
struct Test {
    home: TempDir,
    project: Project,
    world: World,
    memory: State,
    disk: State,
    /// Removed since the last save, with the values they had.
    removed: BTreeMap<u64, (Level, Vec<Leaf>)>,
    /// Files of templates removed since the last save.
    removed_templates: BTreeSet<String>,
    /// Every file as of the last save, by its path.
    files: BTreeMap<String, String>,
    /// How many templates were made, for their names.
    made: usize,
    steps: Vec<&'static str>,
}

/// What was done, in the order of that.
impl Drop for Test {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("steps: {:?}", self.steps);
        }
    }
}

fn path_of(number: usize) -> String {
    let folder = ["", "Lower/", "Lower/Deep/"][number % 3];
    format!("Assets/Templates/{folder}T{number}.jasset")
}

impl Test {
    /// A chain of five levels, siblings, and instances of all of them, written by hand.
    fn new(rng: &mut Rng) -> Self {
        let home = tempfile::tempdir().unwrap();
        let fs = FaultyFileSystem::new(DiskFileSystem).without_flushes();
        fs::create_dir_all(home.path().join("Assets/Worlds/W/Entities")).unwrap();
        let project =
            Project::open_on(Arc::new(fs), home.path().join("Assets"), registry![Prop, Spare].unwrap()).unwrap();
        let mut disk = State::default();
        for number in 0..8 {
            let class = usize::from(number > 5);
            let parent = match number {
                0 | 6 => None,
                1..=4 | 7 => Some(number - 1),
                _ => Some(rng.below(4)),
            };
            let own = random_own(rng, class, 3);
            let level = Level { class, parent: parent.map(path_of), own, place: place(rng) };
            disk.templates.insert(path_of(number), level);
        }
        for id in 1..=12_u64 {
            let template = (!rng.one_in(4)).then(|| rng.below(8));
            let class = template.map_or_else(|| rng.below(2), |template| usize::from(template > 5));
            let own = random_own(rng, class, if template.is_some() { 3 } else { 1 });
            let level = Level { class, parent: template.map(path_of), own, place: place(rng) };
            disk.entities.insert(0x0500_0000_0000_0000 | id, level);
        }
        let mut unplaced = BTreeSet::new();
        for (path, level) in &disk.templates {
            let has_place = !rng.one_in(4);
            unplaced.extend((!has_place).then(|| Name::Template(path.clone())));
            put(&home, path, &text::by_hand(rng, level, 0, has_place));
        }
        for (&id, level) in &mut disk.entities {
            let has_place = !rng.one_in(4);
            unplaced.extend((!has_place).then_some(Name::Entity(id)));
            let text = text::by_hand(rng, level, id, has_place);
            put(&home, &format!("Assets/Worlds/W/Entities/by_hand_{}.jasset", id & 0xff), &text);
            if level.parent.is_none() {
                text::complete(level);
            }
        }
        disk.unplaced = unplaced;
        let world = project.new_world("V").unwrap();
        let (memory, removed, files) = (disk.clone(), BTreeMap::new(), BTreeMap::new());
        let mut test = Self {
            home,
            project,
            world,
            memory,
            disk,
            removed,
            removed_templates: BTreeSet::new(),
            files,
            made: 8,
            steps: Vec::new(),
        };
        test.files = test.look();
        test.reload();
        test
    }

    fn step(&mut self, rng: &mut Rng) {
        const STEPS: [(usize, &str, Step); 18] = [
            (12, "set", Test::set),
            (10, "write", Test::write),
            (1, "write all", Test::write_all),
            (8, "revert", Test::revert),
            (2, "revert all", Test::revert_all),
            (8, "apply", Test::apply),
            (3, "move", Test::shift),
            (4, "set template", Test::set_template),
            (2, "unlink", Test::unlink),
            (3, "create template", Test::create_template),
            (3, "remove template", Test::remove_template),
            (2, "load again", Test::load_again),
            (8, "spawn", Test::spawn),
            (4, "remove", Test::remove),
            (4, "restore", Test::restore),
            (2, "compact", Test::compact),
            (6, "save", Test::save),
            (5, "edit on disk", Test::edit_on_disk),
        ];
        let mut left = rng.below(STEPS.iter().map(|it| it.0).sum::<usize>() + 1);
        for (weight, name, step) in STEPS {
            match left.checked_sub(weight) {
                Some(less) => left = less,
                None => {
                    self.steps.push(name);
                    return step(self, rng);
                }
            }
        }
        self.steps.push("reload");
        self.reload();
    }

    fn entity(&self, id: u64) -> EntityHandle {
        self.world.find_by_id(id).unwrap()
    }

    fn template(&self, path: &str) -> TemplateHandle {
        self.world.find_template(path).unwrap()
    }

    fn subject(&self, name: &Name) -> Subject {
        match name {
            Name::Entity(id) => self.entity(*id).into(),
            Name::Template(path) => self.template(path).into(),
        }
    }

    fn any_entity(&self, rng: &mut Rng) -> Option<u64> {
        let ids: Vec<u64> = self.memory.entities.keys().copied().collect();
        (!ids.is_empty()).then(|| rng.pick(&ids))
    }

    fn any_template(&self, rng: &mut Rng) -> String {
        let paths: Vec<&String> = self.memory.templates.keys().collect();
        rng.pick(&paths).clone()
    }

    fn any(&self, rng: &mut Rng) -> Name {
        match self.any_entity(rng) {
            Some(id) if !rng.one_in(3) => Name::Entity(id),
            _ => Name::Template(self.any_template(rng)),
        }
    }

    fn level(&self, name: &Name) -> &Level {
        self.memory.level(name).unwrap()
    }

    /// A value for a leaf: anything, what is inherited, what it has.
    fn value(&self, rng: &mut Rng, name: &Name, leaf: usize) -> Leaf {
        let level = self.level(name);
        match rng.below(5) {
            0 => self.memory.inherited(level, leaf).0,
            1 => self.memory.value(level, leaf),
            2 => values::default(level.class, leaf),
            _ => values::random(rng, SHAPES[level.class].leaves[leaf].1),
        }
    }

    fn set(&mut self, rng: &mut Rng) {
        let name = self.any(rng);
        let (subject, shape) = (self.subject(&name), &SHAPES[self.level(&name).class]);
        if rng.one_in(6) && !shape.structs.is_empty() {
            let values: Vec<Leaf> = (4..7).map(|leaf| self.value(rng, &name, leaf)).collect();
            let did = values::set_light(&mut self.world, subject, &values);
            assert_eq!(did, self.memory.set(&name, (4..).zip(values)));
            return;
        }
        let leaf = rng.below(shape.leaves.len());
        let key = shape.leaves[leaf].0;
        if rng.one_in(8) {
            let value = values::default(self.level(&name).class, leaf);
            assert_eq!(self.world.reset(subject, key), Ok(self.memory.set(&name, [(leaf, value)])));
            return;
        }
        let value = self.value(rng, &name, leaf);
        let did = match rng.one_in(3) {
            true => self.world.set_text(subject, key, &text::written(&value)).unwrap(),
            false => values::set(&mut self.world, subject, key, &value),
        };
        assert_eq!(did, self.memory.set(&name, [(leaf, value)]));
    }

    /// Marks what differs once it is done: a value written and taken back is none.
    fn write(&mut self, rng: &mut Rng) {
        let Some(id) = self.any_entity(rng) else { return };
        let name = Name::Entity(id);
        let class = self.level(&name).class;
        let leaves = (0..rng.below(4)).map(|_| rng.below(SHAPES[class].leaves.len()));
        let values: Vec<(usize, Leaf)> =
            leaves.collect::<Vec<_>>().into_iter().map(|leaf| (leaf, self.value(rng, &name, leaf))).collect();
        let handle = self.entity(id);
        values::write(&mut self.world, handle, class, &values);
        self.wrote(&name, values.into_iter().collect());
    }

    /// What was written stands in what was overridden before, and is overridden where it differs from what is inherited.
    fn wrote(&mut self, name: &Name, last: BTreeMap<usize, Leaf>) {
        for (leaf, value) in last {
            let level = self.level(name);
            if level.own.contains_key(&leaf) || self.memory.inherited(level, leaf).0 != value {
                self.memory.level_mut(name).own.insert(leaf, value);
            }
        }
    }

    fn write_all(&mut self, rng: &mut Rng) {
        let class = rng.below(2);
        let leaf = rng.below(SHAPES[class].leaves.len());
        let value = values::random(rng, SHAPES[class].leaves[leaf].1);
        values::write_all(&mut self.world, class, leaf, &value);
        let ids: Vec<u64> = self.memory.entities.iter().filter(|it| it.1.class == class).map(|it| *it.0).collect();
        ids.into_iter().for_each(|id| self.wrote(&Name::Entity(id), BTreeMap::from([(leaf, value.clone())])));
    }

    /// A key of a leaf or of a struct, and its leaves.
    fn key(&self, rng: &mut Rng, name: &Name) -> (&'static str, std::ops::Range<usize>) {
        let shape = &SHAPES[self.level(name).class];
        if rng.one_in(4)
            && let Some((key, leaves)) = shape.structs.first()
        {
            return (key, leaves.clone());
        }
        let leaf = rng.below(shape.leaves.len());
        (shape.leaves[leaf].0, leaf..leaf + 1)
    }

    /// Whether it stands alone, and so has nothing to override.
    fn is_alone(&self, name: &Name) -> bool {
        matches!(name, Name::Entity(_)) && self.level(name).parent.is_none()
    }

    fn revert(&mut self, rng: &mut Rng) {
        let name = self.any(rng);
        let (subject, (key, leaves)) = (self.subject(&name), self.key(rng, &name));
        let did = self.world.revert(subject, key);
        if self.is_alone(&name) {
            assert!(matches!(did, Err(OverrideError::NoTemplate { .. })));
            return;
        }
        let own = &mut self.memory.level_mut(&name).own;
        let before = own.len();
        own.retain(|leaf, _| !leaves.contains(leaf));
        assert_eq!(did, Ok(own.len() != before));
    }

    fn revert_all(&mut self, rng: &mut Rng) {
        let name = self.any(rng);
        let did = self.world.revert_all(self.subject(&name));
        if self.is_alone(&name) {
            assert!(matches!(did, Err(OverrideError::NoTemplate { .. })));
            return;
        }
        let own = std::mem::take(&mut self.memory.level_mut(&name).own);
        assert_eq!(did, Ok(!own.is_empty()));
    }

    fn apply(&mut self, rng: &mut Rng) {
        let name = self.any(rng);
        let (subject, (key, leaves)) = (self.subject(&name), self.key(rng, &name));
        let chain = self.memory.chain(self.level(&name));
        let to = if rng.one_in(10) || chain.is_empty() {
            self.any_template(rng)
        } else {
            chain[rng.below(chain.len())].clone()
        };
        let (handle, all) = (self.template(&to), rng.one_in(3));
        let did = match all {
            true => self.world.apply_all(subject, handle),
            false => self.world.apply_override(subject, key, handle),
        };
        if self.level(&name).parent.is_none() {
            assert!(matches!(did, Err(OverrideError::NoTemplate { .. })));
        } else if !chain.contains(&to) {
            assert!(matches!(did, Err(OverrideError::NotAbove { .. })));
        } else {
            assert_eq!(did, Ok(self.memory.apply(&name, if all { 0..100 } else { leaves }, &to)));
        }
    }

    fn shift(&mut self, rng: &mut Rng) {
        let (name, to) = (self.any(rng), place(rng));
        let did = self.world.set_position(self.subject(&name), to.map(f32::from_bits)).unwrap();
        let level = self.memory.level_mut(&name);
        assert_eq!(did, level.place != to);
        level.place = to;
    }

    fn set_template(&mut self, rng: &mut Rng) {
        let (name, to) = (self.any(rng), self.any_template(rng));
        let did = self.world.set_template(self.subject(&name), self.template(&to));
        let (level, template) = (self.level(&name).clone(), &self.memory.templates[&to]);
        if level.class != template.class {
            assert!(matches!(did, Err(TemplateRefused::Class { .. })));
        } else if level.parent.as_ref() == Some(&to) {
            assert_eq!(did, Ok(false));
        } else if matches!(&name, Name::Template(path) if self.memory.is_ring(path, &to)) {
            assert!(matches!(did, Err(TemplateRefused::Chain { .. })));
        } else {
            assert_eq!(did, Ok(true));
            let mut own = level.own.clone();
            if self.is_alone(&name) {
                // It looks as before.
                own.retain(|&leaf, value| self.memory.value(template, leaf) != *value);
            }
            let level = self.memory.level_mut(&name);
            (level.parent, level.own) = (Some(to), own);
        }
    }

    fn unlink(&mut self, rng: &mut Rng) {
        let name = self.any(rng);
        let level = self.level(&name).clone();
        assert_eq!(self.world.unlink(self.subject(&name)), Ok(level.parent.is_some()));
        if level.parent.is_none() {
            return;
        }
        for (leaf, value) in self.memory.values(&level).into_iter().enumerate() {
            // A template goes on to say what it said, and what is no default.
            let says = matches!(name, Name::Entity(_))
                || level.own.contains_key(&leaf)
                || value != values::default(level.class, leaf);
            if says {
                self.memory.level_mut(&name).own.insert(leaf, value);
            }
        }
        self.memory.level_mut(&name).parent = None;
    }

    fn create_template(&mut self, rng: &mut Rng) {
        let Some(id) = self.any_entity(rng) else { return };
        let handle = self.entity(id);
        if rng.one_in(4) {
            // Also a file that goes with the next save is there.
            let taken: Vec<&String> = self.memory.templates.keys().chain(&self.removed_templates).collect();
            let path = rng.pick(&taken).clone();
            let did = self.world.create_template(handle, &path);
            assert!(matches!(did, Err(CreateTemplateError::Exists { .. })));
            return;
        }
        if self.memory.templates.len() == TEMPLATES {
            return;
        }
        let path = path_of(self.made);
        self.made += 1;
        self.world.create_template(handle, &path).unwrap();
        let level = self.memory.entities.get_mut(&id).unwrap();
        let template = Level { place: [0; 3], ..level.clone() };
        level.own.clear();
        level.parent = Some(path.clone());
        self.memory.templates.insert(path, template);
    }

    fn remove_template(&mut self, rng: &mut Rng) {
        let path = self.any_template(rng);
        if self.memory.templates.len() == 1 {
            return;
        }
        let did = self.world.remove_template(self.template(&path));
        assert_eq!(did.is_err(), self.memory.is_used(&path));
        if did.is_err() {
            return;
        }
        self.memory.templates.remove(&path);
        for (level, values) in self.removed.values_mut().filter(|it| it.0.parent.as_ref() == Some(&path)) {
            // Whoever comes back stands alone then, and looks as it did.
            level.parent = None;
            level.own = values.drain(..).enumerate().collect();
        }
        if self.disk.templates.contains_key(&path) {
            self.removed_templates.insert(path);
        }
    }

    /// A template that is removed is there again if it is loaded before the save.
    fn load_again(&mut self, rng: &mut Rng) {
        let paths: Vec<&String> = self.removed_templates.iter().collect();
        if paths.is_empty() {
            return;
        }
        let path = rng.pick(&paths).clone();
        self.world.load_template(&path).unwrap();
        let mut path = Some(path);
        let mut chain = Vec::new();
        while let Some(next) = path.take_if(|it| !self.memory.templates.contains_key(it)) {
            path = self.disk.templates[&next].parent.clone();
            chain.push(next);
        }
        for path in chain.into_iter().rev() {
            let mut level = self.disk.templates[&path].clone();
            if self.disk.unplaced.contains(&Name::Template(path.clone())) {
                level.place = self.memory.place_above(&level);
            }
            self.removed_templates.remove(&path);
            self.memory.templates.insert(path, level);
        }
    }

    fn spawn(&mut self, rng: &mut Rng) {
        if self.memory.entities.len() >= INSTANCES {
            return;
        }
        self.world.set_new_file_spelling(rng.pick(&[Spelling::Colon, Spelling::Node]));
        if let Some(id) = self.any_entity(rng).filter(|_| rng.one_in(3)) {
            let copy = self.world.duplicate(self.entity(id)).unwrap();
            return self.added(copy, self.memory.entities[&id].clone());
        }
        let (to, class) = (place(rng), rng.below(2));
        let spot = Vec3::from_array(to.map(f32::from_bits));
        if rng.one_in(6) {
            let handle = self.world.spawn_class(SHAPES[class].name, spot).unwrap();
            let mut level = Level { class, parent: None, own: BTreeMap::new(), place: to };
            text::complete(&mut level);
            return self.added(handle, level);
        }
        let path = self.any_template(rng);
        let handles = match rng.one_in(4) {
            true => self.world.spawn_many_from(self.template(&path), &[spot.into(), spot.into()]).unwrap(),
            false => vec![self.world.spawn_from(self.template(&path), spot).unwrap()],
        };
        let class = self.memory.templates[&path].class;
        for handle in handles {
            self.added(handle, Level { class, parent: Some(path.clone()), own: BTreeMap::new(), place: to });
        }
    }

    fn added(&mut self, handle: EntityHandle, level: Level) {
        let id = self.world.base(handle).unwrap().id();
        assert!(!self.disk.entities.contains_key(&id) && !self.removed.contains_key(&id), "an id is given twice");
        assert!(self.memory.entities.insert(id, level).is_none());
    }

    fn remove(&mut self, rng: &mut Rng) {
        let Some(id) = self.any_entity(rng) else { return };
        assert_eq!(self.world.remove(self.entity(id)), Ok(id));
        let level = self.memory.entities.remove(&id).unwrap();
        let values = self.memory.values(&level);
        self.removed.insert(id, (level, values));
    }

    fn restore(&mut self, rng: &mut Rng) {
        let ids: Vec<u64> = self.removed.keys().copied().collect();
        if ids.is_empty() {
            return;
        }
        let id = rng.pick(&ids);
        self.world.restore(id).unwrap();
        let (level, _) = self.removed.remove(&id).unwrap();
        self.memory.entities.insert(id, level);
    }

    fn compact(&mut self, _: &mut Rng) {
        self.world.compact();
    }
}

fn put(home: &TempDir, path: &str, text: &str) {
    let path = home.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn place(rng: &mut Rng) -> [u32; 3] {
    std::array::from_fn(|_| rng.pick(&[0.0_f32, -0.0, 1.0, -7.25, f32::MAX]).to_bits())
}

/// Some leaves, one in `among`.
fn random_own(rng: &mut Rng, class: usize, among: usize) -> BTreeMap<usize, Leaf> {
    let mut own = BTreeMap::new();
    for (leaf, &(_, kind)) in SHAPES[class].leaves.iter().enumerate() {
        if rng.one_in(among) {
            own.insert(leaf, values::random(rng, kind));
        }
    }
    own
}

fn run(rng: &mut Rng, steps: usize) {
    let mut test = Test::new(rng);
    test.check();
    for _ in 0..steps {
        test.step(rng);
        test.check();
    }
    test.save(rng);
    test.reload();
    test.check();
}

#[test]
fn templates_and_instances_do_what_two_maps_do() {
    for_seeds(50, |rng| run(rng, 60));
}
