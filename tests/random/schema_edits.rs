//! Programs whose schema is edited step by step, and the files of one project that live through it, against a plain model of lines.
//!
//! Nothing that was in a file is ever gone unless a `removed` or a migration says so: after every save each line that nobody had a reason
//! to change is there byte for byte, what the others said is still said, and what the program does not know is still told.

mod draw;
mod file;
mod plan;
mod program;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use juliet::prelude::*;
use juliet::{Binding, Code, IndexMap, LoadOptions, LoadReport, Mode, Subject};

use self::draw::EDITS;
use self::file::{Said, What, behind, parse, said};
use self::program::{Program, Ty, map_of, map_text, node_name};
use super::for_seeds;
use super::values::Rng;

const TEMPLATES: [&str; 2] = ["Templates/A.jasset", "Templates/B.jasset"];

/// How often what happened.
type Counts = BTreeMap<&'static str, usize>;

struct Run {
    home: tempfile::TempDir,
    program: Program,
    texts: BTreeMap<String, String>,
    ids: u64,
}

impl Run {
    fn new(rng: &mut Rng) -> Self {
        let program = Program::first(rng);
        let mut run = Self { home: tempfile::tempdir().unwrap(), program, texts: BTreeMap::new(), ids: 0 };
        run.put(TEMPLATES[0], draw::file(rng, &run.program, None, None));
        run.put(TEMPLATES[1], draw::file(rng, &run.program, Some(TEMPLATES[0]), None));
        for template in [None, None, Some(TEMPLATES[0]), Some(TEMPLATES[1]), Some(TEMPLATES[1])] {
            run.add(rng, template);
        }
        run
    }

    fn add(&mut self, rng: &mut Rng, template: Option<&str>) {
        self.ids += 1;
        let text = draw::file(rng, &self.program, template, Some(0x100 + self.ids));
        self.put(&format!("Worlds/W/Entities/{}.jasset", self.ids), text);
    }

    fn path(&self, file: &str) -> PathBuf {
        self.home.path().join("Assets").join(file)
    }

    fn put(&mut self, file: &str, text: String) {
        let path = self.path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &text).unwrap();
        self.texts.insert(file.to_owned(), text);
    }

    fn project(&self) -> Project {
        Project::open(self.home.path().join("Assets"), self.program.registry()).unwrap()
    }

    fn load(&self) -> (World, LoadReport) {
        let options = LoadOptions { capacity: Some(64), template_capacity: Some(8), ..LoadOptions::default() };
        self.project().load_world_with("W", &options).unwrap()
    }

    fn all_said(&self) -> BTreeMap<String, Said> {
        self.texts.iter().map(|(path, text)| (path.clone(), said(&parse(text), &self.program))).collect()
    }

    /// The value of a leaf of a file.
    fn value(&self, all: &BTreeMap<String, Said>, file: &str, leaf: &(String, Ty, String)) -> String {
        let (key, _, default) = leaf;
        assert!(!all[file].is_twice, "{}", self.texts[file]);
        let said = &all[file];
        if let Some(text) = said.leaves.get(key) {
            return text.clone();
        }
        let base = said.parent.as_ref().map_or(default.clone(), |parent| self.value(all, parent, leaf));
        match said.items.get(key) {
            Some(items) => with_items(&base, items),
            None => base,
        }
    }

    fn subject(&self, world: &World, file: &str) -> Subject {
        match file.strip_prefix("Worlds/W/Entities/") {
            None => world.find_template(&format!("Assets/{file}")).unwrap().into(),
            Some(name) => {
                let id: u64 = name.strip_suffix(".jasset").unwrap().parse().unwrap();
                world.find_by_id(0x100 + id).unwrap().into()
            }
        }
    }

    /// Values, overrides and positions of the whole world.
    fn check_values(&self, world: &World, all: &BTreeMap<String, Said>) {
        let leaves = self.program.leaves();
        for (file, said) in all {
            let subject = self.subject(world, file);
            for leaf in &leaves {
                let found = world.get_text(subject, &leaf.0);
                assert_eq!(
                    found.as_ref(),
                    Some(&self.value(all, file, leaf)),
                    "{file} {}\n{}",
                    leaf.0,
                    self.texts[file]
                );
            }
            if let Subject::Entity(handle) = subject {
                let [x, y, z, _] = world.position(handle).unwrap().to_array();
                let place = said.place.clone().unwrap_or_else(|| "0.0, 0.0, 0.0".into());
                assert_eq!(format!("{x:?}, {y:?}, {z:?}"), place, "{file}");
            }
            if said.parent.is_some() || file.starts_with("Templates") {
                let items =
                    said.items.iter().flat_map(|(key, items)| items.iter().map(move |it| format!("{key}[{}]", it.0)));
                let expected: BTreeSet<String> = said.leaves.keys().cloned().chain(items).collect();
                let found: BTreeSet<String> = world.overrides(subject).into_iter().collect();
                assert_eq!(found, expected, "{file}\n{}", self.texts[file]);
            }
        }
    }

    fn check_findings(&self, report: &LoadReport, all: &BTreeMap<String, Said>) {
        let told = report.diagnostics.iter();
        let mut told: Vec<(String, u32, Code)> = told.map(|it| (it.file.to_string(), it.line, it.code)).collect();
        told.sort();
        let expected = all.iter().flat_map(|(file, said)| {
            said.findings.iter().map(move |&(line, code)| (format!("Assets/{file}"), line, code))
        });
        let mut expected: Vec<_> = expected.collect();
        expected.sort();
        let other = told.iter().find(|it| !expected.contains(it)).or(expected.iter().find(|it| !told.contains(it)));
        let text = other.map(|it| &self.texts[&it.0["Assets/".len()..]]);
        let fault = report.diagnostics.iter().find(|it| it.is_error());
        assert!(told == expected, "{other:?} {fault:?} {:?}\n{}", self.program.plan, text.map_or("", |text| text));
        assert_eq!(report.skipped, 0);
    }

    fn read(&self) -> BTreeMap<String, String> {
        self.texts.keys().map(|file| (file.clone(), fs::read_to_string(self.path(file)).unwrap())).collect()
    }

    /// Checks every file on disk after something was written, and goes on with them. `wanted` is what they are to say, `edited` the leaves
    /// that were changed; how many files were written.
    fn check_written(
        &mut self,
        before: &BTreeMap<String, Said>,
        wanted: &BTreeMap<String, Said>,
        edited: &BTreeMap<String, BTreeSet<String>>,
        is_migration: bool,
    ) -> usize {
        let (new, mut count) = (self.read(), 0);
        for (file, text) in &new {
            let old = &self.texts[file];
            if text == old {
                assert!(!edited.contains_key(file), "{file} was to be written: {:?}\n{old}", edited[file]);
                continue;
            }
            count += 1;
            assert!(is_migration || edited.contains_key(file), "{file} was not to be written\n{old}\n---\n{text}");
            let to_current = is_migration || before[file].version < self.program.version;
            self.check_lines(file, text, &before[file], edited.get(file), to_current);
            self.check_said(file, text, &wanted[file], to_current);
        }
        self.texts = new;
        count
    }

    /// Lines that nobody had a reason to change are there, in their order.
    fn check_lines(&self, file: &str, new: &str, old: &Said, edited: Option<&BTreeSet<String>>, to_current: bool) {
        let end = |raw: &str| raw.trim_end_matches(['\r', '\n']).to_owned();
        let (nodes, new_nodes) = (parse(&self.texts[file]), parse(new));
        let mut left = new_nodes.iter();
        for (node, fate) in nodes.iter().zip(&old.fates) {
            let is_edited = || {
                let touches =
                    |about: &String, leaf: &String| behind(leaf, about).is_some() || behind(about, leaf).is_some();
                edited.into_iter().flatten().any(|leaf| fate.about.iter().any(|about| touches(about, leaf)))
            };
            let may_change = match &node.what {
                What::Other | What::Section => false,
                What::Directive(name, _) if name == "class_version" => to_current,
                What::Directive(..) => to_current && fate.is_former,
                _ => to_current && (fate.is_migrated || fate.is_removed || fate.is_former) || is_edited(),
            };
            let there = may_change || left.any(|it| end(&it.raw) == end(&node.raw));
            assert!(there, "{file} lost {:?}\n{}\n---\n{new}", node.raw, self.texts[file]);
        }
    }

    /// The file says what it is to say.
    fn check_said(&self, file: &str, new: &str, wanted: &Said, to_current: bool) {
        let found = said(&parse(new), &self.program);
        let shown = || format!("{file}\n{}\n---\n{new}", self.texts[file]);
        assert_eq!((&found.unknown, &found.parent), (&wanted.unknown, &wanted.parent), "{}", shown());
        assert_eq!((&found.place, found.is_twice), (&wanted.place, false), "{}", shown());
        assert!(!found.fates.iter().any(|fate| fate.is_migrated), "{}", shown());
        if to_current {
            let says = found.fates.iter().any(|fate| fate.about.iter().any(|key| key != "Position"));
            assert!(!says || found.version == self.program.version, "{}", shown());
            let old = found.fates.iter().find(|fate| fate.is_removed || fate.is_former);
            assert!(old.is_none(), "{old:?} {}", shown());
        }
        if found.parent.is_some() || file.starts_with("Templates") {
            assert_eq!((&found.leaves, in_order(&found)), (&wanted.leaves, in_order(wanted)), "{}", shown());
            return;
        }
        // Of an entity that stands alone any leaf may have a line.
        let value = |said: &Said, key: &str, default: &str| match said.leaves.get(key) {
            Some(text) => text.clone(),
            None => said.items.get(key).map_or(default.to_owned(), |items| with_items(default, items)),
        };
        for (key, _, default) in self.program.leaves() {
            assert_eq!(value(&found, &key, &default), value(wanted, &key, &default), "{key} {}", shown());
            assert!(found.leaves.contains_key(&key) >= wanted.leaves.contains_key(&key), "{key} {}", shown());
        }
    }

    /// Edits some leaves and saves.
    fn edit_values(&mut self, rng: &mut Rng, world: &mut World, all: &BTreeMap<String, Said>, counts: &mut Counts) {
        let (mut wanted, mut edited) = (all.clone(), BTreeMap::<String, BTreeSet<String>>::new());
        let files: Vec<String> = all.keys().cloned().collect();
        for _ in 0..1 + rng.below(4) {
            let file = &files[rng.below(files.len())];
            let subject = self.subject(world, file);
            if rng.one_in(4)
                && let Subject::Entity(handle) = subject
            {
                let x = rng.below(5000) as f32 + 0.5;
                let place = format!("{x:?}, 2.0, 0.0");
                let is_change = wanted[file].place.as_ref() != Some(&place);
                assert_eq!(world.set_position(handle, [x, 2.0, 0.0]).unwrap(), is_change, "{file}");
                if !is_change || all[file].place.as_ref() == Some(&place) {
                    continue;
                }
                wanted.get_mut(file).unwrap().place = Some(place);
                edited.entry(file.clone()).or_default().insert("Position".into());
                continue;
            }
            let leaves = self.program.leaves();
            let maps: Vec<_> = leaves.iter().filter(|leaf| leaf.1 == Ty::Map).collect();
            let leaf = match rng.one_in(4) && !maps.is_empty() {
                true => maps[rng.below(maps.len())],
                false => &leaves[rng.below(leaves.len())],
            };
            if edited.get(file).is_some_and(|leaves| leaves.contains(&leaf.0)) {
                continue;
            }
            let name = |key: &str, rng: &mut Rng| if rng.one_in(2) { node_name(key) } else { key.to_owned() };
            let before = self.value(&wanted, file, leaf);
            let said = wanted.get_mut(file).unwrap();
            if leaf.1 == Ty::Map {
                let (item, text) = (rng.pick(&["a", "b", "e"]), rng.below(90).to_string());
                let out = said.items.get(&leaf.0).into_iter().flatten().find(|it| it.1.is_none());
                let out = out.map(|it| it.0.clone()).filter(|_| rng.one_in(2));
                let item = out.as_deref().unwrap_or(item);
                // An item that comes back is said anew, after all others, and stands in its inherited place.
                let is_out = said.items.get(&leaf.0).is_some_and(|items| items.contains(&(item.to_owned(), None)));
                if said.leaves.contains_key(&leaf.0) || map_of(&before).get(item) == Some(&text) {
                    continue;
                }
                let key = name(&format!("{}[{item}]", leaf.0), rng);
                assert!(world.set_text(subject, &key, &text).unwrap(), "{file} {key}");
                let items = said.items.entry(leaf.0.clone()).or_default();
                if is_out {
                    items.retain(|it| it.0 != item);
                }
                match items.iter_mut().find(|it| it.0 == item) {
                    Some(it) => it.1 = Some(text),
                    None => items.push((item.to_owned(), Some(text))),
                }
                *counts.entry("item that comes back").or_default() += usize::from(is_out);
                counts.entry("item").and_modify(|it| *it += 1).or_default();
            } else {
                let text = draw::value(rng, &self.program, leaf.1);
                let text = self.program.canonical(leaf.1, &text);
                let is_change = text != before;
                assert_eq!(
                    world.set_text(subject, &name(&leaf.0, rng), &text).unwrap(),
                    is_change,
                    "{file} {}",
                    leaf.0
                );
                if !is_change {
                    continue;
                }
                said.leaves.insert(leaf.0.clone(), text);
                *counts.entry(if said.parent.is_some() { "override" } else { "set" }).or_default() += 1;
            }
            edited.entry(file.clone()).or_default().insert(leaf.0.clone());
        }
        self.check_values(world, &wanted);
        let report = world.save().unwrap();
        assert_eq!(report.diagnostics, []);
        assert_eq!(report.written.len(), edited.len());
        *counts.entry("written").or_default() += self.check_written(all, &wanted, &edited, false);
    }

    /// Brings the whole project to the current version.
    fn migrate(&mut self, all: &BTreeMap<String, Said>, counts: &mut Counts) {
        let preview = self.project().migrate(Mode::Preview).unwrap();
        assert_eq!(self.read(), self.texts);
        let report = self.project().migrate(Mode::Write).unwrap();
        assert_eq!((&report, report.diagnostics.len()), (&preview, 0));
        let written = self.check_written(all, all, &BTreeMap::new(), true);
        assert_eq!(written, report.files.len());
        *counts.entry("migrated").or_default() += written;
        for (file, said) in self.all_said() {
            assert!(!said.fates.iter().any(|it| it.is_removed || it.is_former || it.is_migrated), "{file}");
        }
        assert_eq!(self.project().migrate(Mode::Write).unwrap().files, []);
    }

    /// Gives stray lines their property again, in files of the current version.
    fn bind(&mut self, counts: &mut Counts) {
        let Some((names, id)) = self.program.strays.last().cloned() else { return };
        let Some(new) = self.program.prop(id).map(|prop| prop.names[0].clone()) else { return };
        let before = self.all_said();
        for old in names {
            let is_old = |said: &Said| said.unknown.iter().any(|(key, _)| behind(key, &old).is_some());
            let mut merged = self.program.clone();
            merged.props.iter_mut().find(|prop| prop.id == id).unwrap().names.push(old.clone());
            let expected = self.texts.values().filter(|text| {
                let nodes = parse(text);
                let (now, bound) = (said(&nodes, &self.program), said(&nodes, &merged));
                let new = bound.fates.iter().zip(&now.fates).filter(|(bound, now)| bound.about != now.about);
                let mut new = new.flat_map(|(bound, _)| &bound.about);
                let other = |key: &String| {
                    let about = now.fates.iter().flat_map(|fate| &fate.about);
                    about.into_iter().any(|it| behind(key, it).is_some() || behind(it, key).is_some())
                };
                // A part that the property does not have, or both: the file is told and left alone.
                is_old(&now) && !is_old(&bound) && !new.any(other)
            });
            let expected = expected.count();
            let report = self.project().bind(&Binding::key(&self.program.class[0], &old, &new), Mode::Write).unwrap();
            assert_eq!(report.files.len(), expected, "{old} {new} {:#?}", report.diagnostics);
            let written = self.read();
            for (file, text) in written.iter().filter(|(file, text)| self.texts[*file] != **text) {
                let wanted = said(&parse(&self.texts[file]), &merged);
                let is_stray = |key: &str| behind(key, &old).is_some();
                let mut fates = before[file].clone();
                for (node, fate) in parse(&self.texts[file]).iter().zip(&mut fates.fates) {
                    let (What::Key(key, _) | What::Removal(key)) = &node.what else { continue };
                    fate.is_former |= is_stray(key);
                }
                self.check_lines(file, text, &fates, None, true);
                self.check_said(file, text, &wanted, false);
            }
            *counts.entry("bound").or_default() += expected;
            self.texts = written;
        }
    }

    /// A program that does not know the class: nothing happens to its files.
    fn forget(&mut self, rng: &mut Rng) {
        let class = std::mem::replace(&mut self.program.class, vec!["Golem".into()]);
        let (mut world, report) = self.load();
        assert!(!report.has_errors(), "{:#?}", report.diagnostics);
        assert!(world.save_all().unwrap().written.is_empty());
        let handle = world.find_by_id(0x101 + rng.below(5) as u64).unwrap();
        let y = rng.below(1000) as f32;
        let is_change = world.set_position(handle, [70.5, y, 0.0]).unwrap();
        assert_eq!(world.save().unwrap().written.len(), usize::from(is_change));
        self.program.class = class;
        let (all, new) = (self.all_said(), self.read());
        for (file, text) in new.iter().filter(|(file, text)| self.texts[*file] != **text) {
            let edited = BTreeSet::from(["Position".to_owned()]);
            self.check_lines(file, text, &all[file], Some(&edited), false);
            let wanted = Said { place: Some(format!("70.5, {y:?}, 0.0")), ..all[file].clone() };
            let found = said(&parse(text), &self.program);
            assert_eq!((found.place, found.leaves, found.items), (wanted.place, wanted.leaves, wanted.items));
        }
        self.texts = new;
    }
}

/// The items that a file says: what is taken out may stand in any order.
fn in_order(said: &Said) -> BTreeMap<String, Vec<(String, Option<String>)>> {
    let mut all = said.items.clone();
    for items in all.values_mut() {
        items.sort_by_key(|(key, text)| text.is_none().then(|| key.clone()));
    }
    all
}

fn with_items(base: &str, items: &[(String, Option<String>)]) -> String {
    let mut map: IndexMap<String, String> = map_of(base);
    for (key, text) in items.iter().filter(|it| it.1.is_some()) {
        map.insert(key.clone(), text.clone().unwrap());
    }
    map.retain(|key, _| !items.iter().any(|it| it.0 == *key && it.1.is_none()));
    map_text(map.iter().map(|(key, text)| (key.as_str(), text.as_str())))
}

/// One project through `steps` programs.
fn live(rng: &mut Rng, steps: usize, counts: &mut Counts) {
    let mut run = Run::new(rng);
    for _ in 0..steps {
        for _ in 0..1 + rng.below(3) {
            let (edit, all) = (rng.pick(&EDITS), run.all_said());
            if run.program.edit(rng, edit, &run.texts, &all) {
                *counts.entry(edit).or_default() += 1;
            }
        }
        if rng.one_in(4) {
            let template = rng.pick(&[None, Some(TEMPLATES[0]), Some(TEMPLATES[1])]);
            run.add(rng, template);
        }
        let (mut world, report) = run.load();
        let all = run.all_said();
        run.check_findings(&report, &all);
        run.check_values(&world, &all);
        match rng.below(8) {
            0..=3 => run.edit_values(rng, &mut world, &all, counts),
            4 => {
                assert!(world.save_all().unwrap().written.is_empty());
                assert_eq!(run.read(), run.texts);
            }
            5 => run.forget(rng),
            6 => run.migrate(&all, counts),
            _ => {
                run.migrate(&all, counts);
                run.bind(counts);
            }
        }
    }
}

#[test]
fn files_outlive_every_edit_of_their_schema() {
    let mut counts = Counts::new();
    for_seeds(80, |rng| live(rng, 12, &mut counts));
    for what in
        EDITS.into_iter().chain(["set", "override", "item", "item that comes back", "written", "migrated", "bound"])
    {
        assert!(counts.get(what).is_some_and(|&count| count > 7), "{what}: {counts:?}");
    }
}

#[test]
#[ignore = "minutes; the same with more seeds and longer lives"]
fn files_outlive_many_edits_of_their_schema() {
    let mut counts = Counts::new();
    for_seeds(5000, |rng| live(rng, 30, &mut counts));
}
