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

/// Lines of a file as somebody may have put them together; `None` for a blank one or a comment.
const LINES: [Option<(&str, &str)>; 26] = [
    Some(("; component", "Alpha")),
    Some(("; component", "Beta")),
    Some(("; component", "Gamma")),
    Some(("; component", "Soul")),
    Some(("; component", "Rock")),
    Some(("; class_version", "1")),
    Some(("; without", "Alpha")),
    Some(("; without", "Beta")),
    Some(("; without", "Soul")),
    Some(("; odd", "1")),
    Some(("A", "1")),
    Some(("A", "7")),
    Some(("b", "2")),
    Some(("C", "x y")),
    Some(("Pair.X", "3")),
    Some(("pair.y", "4")),
    Some(("Pair", "{ Y: 2 }")),
    Some(("Pair", "{}")),
    Some(("Flag", "true")),
    Some(("Hits", "3")),
    Some(("Odd", "1")),
    Some(("Odd", "2")),
    Some(("Position", "1, 2, 3")),
    None,
    None,
    None,
];

fn some_text(rng: &mut Rng, is_node: bool) -> String {
    let line = |name: &str, value: &str| match (is_node, name.strip_prefix("; ")) {
        (false, _) => format!("{name}: {value}\n"),
        (true, name_of) => format!("; {}\n{value}\n", name_of.unwrap_or(name)),
    };
    let mut text = match rng.one_in(2) {
        true => line("; class", "Rock"),
        false => line("; template", "Assets/Templates/T.jasset"),
    };
    text.push_str(&line("; id", "0x07"));
    for _ in 0..rng.below(14) {
        match rng.pick(&LINES) {
            // A name of the colon spelling is none in the other, unless it is one word.
            Some((name, value)) => text.push_str(&line(name, value)),
            None => text.push_str(rng.pick(&["\n", "# a note\n", "  \n"])),
        }
    }
    let text = if rng.one_in(4) { text.replace('\n', "\r\n") } else { text };
    if rng.one_in(4) { text.trim_end().to_owned() } else { text }
}

#[test]
fn whatever_loads_is_saved_as_it_was_and_takes_every_change() {
    let mut loaded = 0;
    for_seeds(400, |rng| {
        let home = tempfile::tempdir().unwrap();
        for folder in ["Templates", "Worlds/W/Entities"] {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        let base = "; class: Rock\n; component: Alpha\nA: 5\n; component: Gamma\n";
        fs::write(home.path().join("Templates/T.jasset"), base).unwrap();
        let path = home.path().join("Worlds/W/Entities/E.jasset");
        let is_node = rng.one_in(3);
        let text = some_text(rng, is_node);
        fs::write(&path, &text).unwrap();
        let project = Project::open(home.path(), registry![Rock, Alpha, Beta, Gamma].unwrap()).unwrap();
        let (mut world, report) = project.load_world("W").unwrap();
        let Some(handle) = world.find_by_id(7) else {
            assert!(report.has_errors(), "{text}");
            return assert_eq!(fs::read_to_string(&path).unwrap(), text);
        };
        loaded += 1;
        assert_eq!(world.save_all().unwrap().written.len(), 0, "{text}");
        for _ in 0..rng.below(4) {
            let component = rng.below(3);
            let name = NAMES[component];
            match (rng.below(4), some_leaf(rng, component)) {
                (0, _) => drop(world.add_component_of(handle, name).unwrap()),
                (1, _) => drop(world.remove_component_of(handle, name).unwrap()),
                (2, Some((key, _))) => drop(world.revert(handle, &format!("{name}/{key}"))),
                (_, Some((key, value))) => drop(world.set_text(handle, &format!("{name}/{key}"), &value)),
                (_, None) => drop(world.set(handle, "Hits", 9_u8).unwrap()),
            }
        }
        let report = world.save().unwrap();
        assert!(report.is_complete(), "{text}{:?}", report.diagnostics);
        let (again, report) = project.load_world("W").unwrap();
        assert!(!report.has_errors(), "{:?}", report.diagnostics);
        let other = again.find_by_id(7).unwrap();
        let rows = |world: &World, handle| {
            let rows = world.rows(handle).into_iter().map(|row| (row.key, row.value, row.overridden));
            rows.collect::<Vec<_>>()
        };
        assert_eq!(rows(&world, handle), rows(&again, other), "{text}");
        assert_eq!(world.overrides(handle), again.overrides(other), "{text}");
        // No line of what is not known is lost, but in sections of components that were removed.
        let (before, after) =
            (text.matches("Soul").count(), fs::read_to_string(&path).unwrap().matches("Soul").count());
        assert_eq!(before, after, "{text}");
    });
    assert!(loaded > 100, "{loaded} of the files loaded");
}
