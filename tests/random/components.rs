//! Components of entities and templates against a plain model: what each file says, leaf by leaf.

use std::collections::BTreeMap;
use std::fs;

use juliet::prelude::*;
use juliet::{SetError, Subject};
use tempfile::TempDir;

use super::for_seeds;
use super::values::Rng;

/// A class for all.
#[derive(Entity)]
struct Rock {
    hits: u8,
}

/// Leaves of several kinds.
#[derive(Component, Clone, Debug)]
struct Alpha {
    #[jasset(default = 1)]
    a: i32,
    b: u32,
    c: String,
}

/// A part of a component.
#[derive(Property, Clone, Debug)]
struct Pair {
    x: i32,
    y: i32,
}

/// A nested one.
#[derive(Component, Clone, Debug)]
struct Beta {
    pair: Pair,
    flag: bool,
}

/// One without properties.
#[derive(Component, Clone, Copy, Debug)]
struct Gamma;

/// What a component has in its leaves.
type Leaves = BTreeMap<&'static str, String>;

const NAMES: [&str; 3] = ["Alpha", "Beta", "Gamma"];

fn defaults(component: usize) -> Leaves {
    let leaves: &[(&'static str, &str)] = match component {
        0 => &[("A", "1"), ("B", "0"), ("C", "\"\"")],
        1 => &[("Pair.X", "0"), ("Pair.Y", "0"), ("Flag", "false")],
        _ => &[],
    };
    leaves.iter().map(|&(key, text)| (key, text.to_owned())).collect()
}

#[derive(Clone, Debug)]
enum Says {
    Section(Leaves),
    Without,
}

/// Parents by index: two templates and what is based on them; the last one stands alone.
const PARENTS: [Option<usize>; 6] = [None, Some(0), Some(0), Some(1), Some(1), None];
const TEMPLATES: usize = 2;
const ALONE: usize = 5;

struct Model {
    home: TempDir,
    world: World,
    /// What each says, by component.
    says: [BTreeMap<usize, Says>; 6],
}

impl Model {
    fn new(rng: &mut Rng) -> Self {
        let home = tempfile::tempdir().unwrap();
        for folder in ["Templates", "Worlds/W/Entities"] {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        let mut says: [BTreeMap<usize, Says>; 6] = Default::default();
        for index in 0..6 {
            let mut text = match PARENTS[index] {
                Some(parent) => format!("; template: Assets/Templates/T{parent}.jasset\n"),
                None => "; class: Rock\n".to_owned(),
            };
            let mut sections = vec!["; component: Soul\nWeight: 21\n\n# about it\nWeight: 22\n".to_owned()];
            for (component, name) in NAMES.iter().enumerate() {
                if !rng.one_in(3) {
                    continue;
                }
                if PARENTS[index].is_some() && rng.one_in(4) {
                    text.push_str(&format!("; without: {name}\n"));
                    says[index].insert(component, Says::Without);
                    continue;
                }
                let mut section = format!("; component: {name}\n");
                let mut said = Leaves::new();
                for (key, _) in defaults(component) {
                    if rng.one_in(2) {
                        let value = text_for(rng, key);
                        section.push_str(&format!("{key}: {value}\n"));
                        said.insert(key, value);
                    }
                }
                sections.insert(rng.below(sections.len() + 1), section);
                says[index].insert(component, Says::Section(said));
            }
            if index >= TEMPLATES {
                text.push_str(&format!("; id: {index}\n"));
            }
            text.push_str(&sections.concat());
            fs::write(home.path().join(file(index)), text).unwrap();
        }
        let world = load(&home);
        Self { home, world, says }
    }

    fn subject(&self, index: usize) -> Subject {
        subject(&self.world, index)
    }

    fn inherited(&self, index: usize, component: usize) -> Option<Leaves> {
        self.value(PARENTS[index]?, component)
    }

    fn value(&self, index: usize, component: usize) -> Option<Leaves> {
        let above = self.inherited(index, component);
        match self.says[index].get(&component) {
            Some(Says::Without) => None,
            Some(Says::Section(said)) => {
                let mut value = above.unwrap_or_else(|| defaults(component));
                value.extend(said.clone());
                Some(value)
            }
            None => above,
        }
    }

    fn step(&mut self, rng: &mut Rng) {
        let (index, component) = (rng.below(6), rng.below(3));
        match rng.below(16) {
            0 | 1 => self.add(index, component),
            2 | 3 => self.remove(index, component),
            4..=6 => self.set(rng, index, component),
            7..=9 => self.write(rng, index, component),
            10 => self.revert_leaf(rng, index, component),
            11 => self.revert(index, component),
            12 => self.come_back(rng, index),
            13 => drop(self.world.compact()),
            14 => self.save(),
            _ => {
                self.save();
                self.world = load(&self.home);
            }
        }
    }

    fn add(&mut self, index: usize, component: usize) {
        let is_new = self.value(index, component).is_none();
        let subject = self.subject(index);
        assert_eq!(self.world.add_component_of(subject, NAMES[component]).unwrap(), is_new);
        if is_new {
            match self.inherited(index, component) {
                Some(_) => drop(self.says[index].remove(&component)),
                None => drop(self.says[index].insert(component, Says::Section(Leaves::new()))),
            }
        }
    }

    fn remove(&mut self, index: usize, component: usize) {
        let is_there = self.value(index, component).is_some();
        let subject = self.subject(index);
        assert_eq!(self.world.remove_component_of(subject, NAMES[component]).unwrap(), is_there);
        if is_there {
            match self.inherited(index, component) {
                Some(_) => drop(self.says[index].insert(component, Says::Without)),
                None => drop(self.says[index].remove(&component)),
            }
        }
    }

    fn mark(&mut self, index: usize, component: usize, key: &'static str, text: String) {
        match self.says[index].entry(component).or_insert_with(|| Says::Section(Leaves::new())) {
            Says::Section(said) => drop(said.insert(key, text)),
            Says::Without => panic!("it is not there"),
        }
    }

    fn set(&mut self, rng: &mut Rng, index: usize, component: usize) {
        let Some((key, text)) = some_leaf(rng, component) else { return };
        let subject = self.subject(index);
        let done = self.world.set_text(subject, &format!("{}/{key}", NAMES[component]), &text);
        match self.value(index, component) {
            None => assert!(matches!(done, Err(SetError::NoComponent { .. })), "{done:?}"),
            Some(value) => {
                assert_eq!(done, Ok(value[key] != text));
                if value[key] != text {
                    self.mark(index, component, key, text);
                }
            }
        }
    }

    /// A write through a guard.
    fn write(&mut self, rng: &mut Rng, index: usize, component: usize) {
        let Subject::Entity(handle) = self.subject(index) else { return };
        let (number, flag) = (rng.below(3) as i32, rng.one_in(2));
        let key = match component {
            0 => self.world.component_mut::<Alpha>(handle).map(|mut alpha| {
                alpha.a = number;
                ("A", number.to_string())
            }),
            1 if flag => self.world.component_mut::<Beta>(handle).map(|mut beta| {
                beta.pair.y = number;
                ("Pair.Y", number.to_string())
            }),
            1 => {
                let mut found = None;
                self.world.query::<(&mut Beta,)>().unwrap().for_each(|it, (mut beta,)| {
                    if it == handle {
                        beta.flag = number == 0;
                        found = Some(("Flag", beta.flag.to_string()));
                    }
                });
                found
            }
            _ => self.world.component_mut::<Gamma>(handle).map(|_| ("", String::new())),
        };
        assert_eq!(key.is_some(), self.value(index, component).is_some());
        let Some((key, text)) = key.filter(|(key, _)| !key.is_empty()) else { return };
        let is_marked = matches!(self.says[index].get(&component), Some(Says::Section(said)) if said.contains_key(key));
        let inherited = self.inherited(index, component).unwrap_or_else(|| defaults(component));
        if is_marked || inherited[key] != text {
            self.mark(index, component, key, text);
        }
    }

    fn revert_leaf(&mut self, rng: &mut Rng, index: usize, component: usize) {
        let Some((key, _)) = some_leaf(rng, component) else { return };
        let subject = self.subject(index);
        let done = self.world.revert(subject, &format!("{}/{key}", NAMES[component]));
        if index == ALONE {
            return assert!(done.is_err());
        }
        let had = match self.says[index].get_mut(&component) {
            Some(Says::Section(said)) => said.remove(key).is_some(),
            _ => false,
        };
        assert_eq!(done, Ok(had));
        let is_idle = matches!(self.says[index].get(&component), Some(Says::Section(said)) if said.is_empty());
        if had && is_idle && self.inherited(index, component).is_some() {
            self.says[index].remove(&component);
        }
    }

    fn revert(&mut self, index: usize, component: usize) {
        let subject = self.subject(index);
        let done = self.world.revert(subject, &format!("{}/", NAMES[component]));
        if index == ALONE {
            return assert!(done.is_err());
        }
        assert_eq!(done, Ok(self.says[index].remove(&component).is_some()));
    }

    /// Removed, and back again after its template changed.
    fn come_back(&mut self, rng: &mut Rng, index: usize) {
        let Subject::Entity(handle) = self.subject(index) else { return };
        let id = self.world.remove(handle).unwrap();
        let (template, component) = (rng.below(TEMPLATES), rng.below(3));
        match rng.below(3) {
            0 => self.add(template, component),
            1 => self.remove(template, component),
            _ => self.set(rng, template, component),
        }
        self.world.restore(id).unwrap();
    }

    fn save(&mut self) {
        let report = self.world.save().unwrap();
        assert!(report.is_complete(), "{:?}", report.diagnostics);
        let again = self.world.save_all().unwrap();
        assert_eq!((again.written.len(), again.diagnostics.len()), (0, 0), "{:?}", again.written);
        self.check(&load(&self.home));
        for index in 0..6 {
            let text = fs::read_to_string(self.home.path().join(file(index))).unwrap();
            assert!(text.contains("; component: Soul\nWeight: 21\n\n# about it\nWeight: 22\n"), "{text}");
        }
    }

    fn check(&self, world: &World) {
        world.entities().validate().unwrap();
        for index in 0..6 {
            let subject = subject(world, index);
            let there = world.components(subject).into_iter().filter(|it| it.is_there).map(|it| it.class.name());
            let expected = (0..3).filter(|&component| self.value(index, component).is_some());
            assert_eq!(there.collect::<Vec<_>>(), expected.map(|it| NAMES[it]).collect::<Vec<_>>(), "{index}");
            for (component, name) in NAMES.iter().enumerate() {
                let said = match self.says[index].get(&component) {
                    Some(Says::Section(said)) => said.clone(),
                    _ => Leaves::new(),
                };
                let is_own = match self.says[index].get(&component) {
                    Some(Says::Section(_)) => self.inherited(index, component).is_none(),
                    Some(Says::Without) => true,
                    None => false,
                };
                let overrides = world.overrides(subject);
                assert_eq!(overrides.contains(&format!("{name}/")), is_own && index != ALONE, "{index} {name}");
                for (key, text) in self.value(index, component).into_iter().flatten() {
                    let full = format!("{name}/{key}");
                    assert_eq!(world.get_text(subject, &full).as_deref(), Some(&*text), "{index} {full}");
                    let is_marked = index != ALONE && said.contains_key(key);
                    assert_eq!(world.is_overridden(subject, &full), is_marked, "{index} {full}");
                    assert_eq!(overrides.contains(&full), is_marked, "{index} {full}");
                }
            }
        }
    }
}

fn text_for(rng: &mut Rng, key: &str) -> String {
    match key {
        "C" => rng.pick(&["\"\"", "a", "b c"]).to_owned(),
        "Flag" => rng.pick(&["true", "false"]).to_owned(),
        _ => rng.below(3).to_string(),
    }
}

fn some_leaf(rng: &mut Rng, component: usize) -> Option<(&'static str, String)> {
    let keys: Vec<&'static str> = defaults(component).into_keys().collect();
    let key = (!keys.is_empty()).then(|| rng.pick(&keys))?;
    Some((key, text_for(rng, key)))
}

fn file(index: usize) -> String {
    match index < TEMPLATES {
        true => format!("Templates/T{index}.jasset"),
        false => format!("Worlds/W/Entities/E{index}.jasset"),
    }
}

fn subject(world: &World, index: usize) -> Subject {
    match index < TEMPLATES {
        true => world.find_template(&format!("Assets/Templates/T{index}.jasset")).unwrap().into(),
        false => world.find_by_id(index as u64).unwrap().into(),
    }
}

fn load(home: &TempDir) -> World {
    let project = Project::open(home.path(), registry![Rock, Alpha, Beta, Gamma].unwrap()).unwrap();
    let (world, report) = project.load_world("W").unwrap();
    assert!(!report.has_errors(), "{:?}", report.diagnostics);
    world
}

#[test]
fn components_and_their_files_are_as_the_model_has_them() {
    for_seeds(80, |rng| {
        let mut model = Model::new(rng);
        model.check(&model.world);
        for _ in 0..rng.below(60) {
            model.step(rng);
            model.check(&model.world);
        }
        model.save();
    });
}
