//! Random projects with data that nobody knows, bound and deleted, against a model of lines.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use juliet::prelude::*;
use juliet::{Binding, Mode, Selection, UpkeepReport};

use super::for_seeds;
use super::values::Rng;

/// What lies in a rock.
#[derive(Property, Clone, Default)]
struct Item {
    count: u32,
}

#[derive(Entity)]
struct Rock {
    scale: f32,
    armor: u32,
    loot: IndexMap<String, Item>,
}

#[derive(Entity)]
struct Sign {
    scale: f32,
}

/// A line of a file, in the colon spelling.
#[derive(Clone, Debug, PartialEq)]
enum Line {
    /// Key and text.
    Key(String, String),
    Removal(String),
    Comment,
    /// Name, and how many keys it has.
    Section(String, usize),
}

#[derive(Clone, Debug)]
struct File {
    path: String,
    template: Option<usize>,
    class: Option<&'static str>,
    id: Option<u64>,
    node: bool,
    end: &'static str,
    lines: Vec<Line>,
}

/// The new lines of a file, or that it has to stay.
type Rewritten = Result<Vec<Line>, ()>;

/// Templates first; each is based on an earlier one.
#[derive(Debug)]
struct Model(Vec<File>);

fn spelled(key: &str, node: bool) -> String {
    if !node {
        return key.to_owned();
    }
    let mut name = String::new();
    let mut in_brackets = false;
    for (at, letter) in key.char_indices() {
        in_brackets = (in_brackets || letter == '[') && letter != ']';
        if letter.is_uppercase() && !in_brackets {
            let joins = at > 0 && key.as_bytes()[at - 1].is_ascii_alphabetic();
            name.push_str(if joins { "_" } else { "" });
            name.extend(letter.to_lowercase());
        } else {
            name.push(letter);
        }
    }
    name
}

impl File {
    fn text(&self, templates: &[String]) -> String {
        let (end, node) = (self.end, self.node);
        let mut out = String::new();
        let mut directive = |name: &str, value: &str| match node {
            true => out.push_str(&format!("; {name}{end}{value}{end}")),
            false => out.push_str(&format!("; {name}: {value}{end}")),
        };
        if let Some(class) = self.class {
            directive(if node { "class" } else { "entity_type" }, class);
        }
        if let Some(template) = self.template {
            directive("template", &format!("Assets/{}", templates[template]));
        }
        if let Some(id) = self.id {
            directive("id", &format!("{id:#018x}"));
        }
        for line in &self.lines {
            match line {
                Line::Key(key, text) if node => out.push_str(&format!("; {}{end}{text}{end}", spelled(key, node))),
                Line::Key(key, text) => out.push_str(&format!("{key}:  {text} {end}")),
                Line::Removal(key) => out.push_str(&format!("! {}{end}", spelled(key, node))),
                Line::Comment => out.push_str(&format!("# old_armor: 1{end}{end}")),
                Line::Section(name, keys) => {
                    let head =
                        if node { format!("; component{end}{name}{end}") } else { format!("; component: {name}{end}") };
                    let key = if node { format!("; old_armor{end}1{end}") } else { format!("OldArmor: 1{end}") };
                    out.push_str(&(head + &key.repeat(*keys)));
                }
            }
        }
        out
    }

    fn key(&self, wanted: &str) -> bool {
        self.lines.iter().any(|line| matches!(line, Line::Key(key, _) | Line::Removal(key) if head(key) == wanted))
    }

    fn section(&self, wanted: &str) -> bool {
        self.lines.iter().any(|line| matches!(line, Line::Section(name, _) if name == wanted))
    }

    /// Whether it does not read as a file of the class.
    fn has_fault(&self, class: &str) -> bool {
        let is_number = |text: &str| text.parse::<u32>().is_ok();
        self.lines.iter().any(|line| match line {
            Line::Key(key, text) if key == "Scale" => !is_number(text),
            Line::Key(key, text) if class == "Rock" && key == "Armor" => !is_number(text),
            Line::Key(key, text) if class == "Rock" && key.starts_with("Loot[") => !is_number(text),
            Line::Removal(key) if class == "Rock" && head(key) == "Loot" => self.template.is_none(),
            _ => false,
        })
    }
}

fn head(key: &str) -> &str {
    key.split(['.', '[']).next().unwrap()
}

fn is_known(class: &str) -> bool {
    matches!(class, "Rock" | "Sign")
}

impl Model {
    fn random(rng: &mut Rng) -> Self {
        let mut files: Vec<File> = Vec::new();
        for index in 0..3 + rng.below(9) {
            let is_template = index < 3;
            let template = (index > 0 && rng.one_in(2)).then(|| rng.below(index.min(3)));
            let path = if is_template {
                format!("Templates/T{index}.jasset")
            } else {
                format!("Worlds/W/Entities/{index}.jasset")
            };
            let class = rng.pick(&["Rock", "Rock", "OldRock", "OldRock", "Golem", "Sign"]);
            let mut file = File {
                path,
                template,
                class: Some(class),
                id: (!is_template).then_some(100 + index as u64),
                node: rng.one_in(2),
                end: rng.pick(&["\n", "\r\n"]),
                lines: Vec::new(),
            };
            for key in
                ["Scale", "Armor", "OldArmor", "OldArmor.X", "OldLoot[a].Count", "Loot[c].Count", "OldArmory", "Other"]
            {
                let rare = if matches!(key, "Armor" | "OldArmor.X" | "Loot[c].Count") { 6 } else { 2 };
                if rng.one_in(rare) {
                    let text = if rng.one_in(12) { "x".to_owned() } else { rng.below(9).to_string() };
                    file.lines.insert(rng.below(file.lines.len() + 1), Line::Key(key.into(), text));
                }
            }
            if rng.one_in(4) {
                file.lines.insert(rng.below(file.lines.len() + 1), Line::Removal("OldLoot[b]".into()));
            }
            if rng.one_in(3) {
                file.lines.insert(rng.below(file.lines.len() + 1), Line::Comment);
            }
            for name in ["Soul", "OldMotion", "Motion"] {
                if rng.one_in(3) {
                    file.lines.push(Line::Section(name.into(), rng.below(3)));
                }
            }
            files.push(file);
            let model = Self(files);
            let class = model.class(index);
            files = model.0;
            // What is based on a template says its class or none.
            if template.is_some() {
                files[index].class = rng.one_in(3).then_some(class);
            }
        }
        Self(files)
    }

    fn class(&self, index: usize) -> &'static str {
        match self.0[index].template {
            Some(template) => self.class(template),
            None => self.0[index].class.unwrap(),
        }
    }

    fn top(&self, index: usize) -> usize {
        self.0[index].template.map_or(index, |template| self.top(template))
    }

    /// Whether every template above can be used.
    fn opens(&self, index: usize) -> bool {
        self.0[index].template.is_none_or(|template| self.opens(template) && !self.is_faulty(template))
    }

    fn is_faulty(&self, index: usize) -> bool {
        let class = self.class(index);
        is_known(class) && self.0[index].has_fault(class)
    }

    fn texts(&self) -> BTreeMap<String, String> {
        let paths: Vec<String> = self.0.iter().map(|file| file.path.clone()).collect();
        self.0.iter().map(|file| (file.path.clone(), file.text(&paths))).collect()
    }

    /// Does to every file that opens and that `change` changes what it does, unless it would not read then. Returns whether one stays.
    fn rewrite(&mut self, change: &dyn Fn(&Self, usize) -> Option<Rewritten>) -> bool {
        let mut refused = false;
        let new: Vec<_> =
            (0..self.0.len()).map(|index| if self.opens(index) { change(self, index) } else { None }).collect();
        for (index, new) in new.into_iter().enumerate() {
            match new {
                None => {}
                Some(Err(())) => refused = true,
                Some(Ok(lines)) => {
                    let class = self.class(index);
                    let file = File { lines, ..self.0[index].clone() };
                    if is_known(class) && file.has_fault(class) {
                        refused = true;
                    } else {
                        self.0[index] = file;
                    }
                }
            }
        }
        refused
    }

    fn bind_key(&mut self, old: &str, new: &str) -> bool {
        self.rewrite(&|model, index| {
            let file = &model.0[index];
            if model.class(index) != "Rock" || !file.key(old) {
                return None;
            }
            let rename = |key: &String| format!("{new}{}", &key[old.len()..]);
            let lines = file.lines.iter().map(|line| match line {
                // A number has no parts.
                Line::Key(key, _) if head(key) == old && key.contains(".X") => Err(()),
                Line::Key(key, text) if head(key) == old => Ok(Line::Key(rename(key), text.clone())),
                Line::Removal(key) if head(key) == old => Ok(Line::Removal(rename(key))),
                line => Ok(line.clone()),
            });
            Some(if file.key(new) { Err(()) } else { lines.collect() })
        })
    }

    fn bind_section(&mut self, old: &str, new: &str) -> bool {
        self.rewrite(&|model, index| {
            let file = &model.0[index];
            let rename = |line: &Line| match line {
                Line::Section(name, keys) if name == old => Line::Section(new.into(), *keys),
                line => line.clone(),
            };
            let lines = || file.lines.iter().map(rename).collect();
            file.section(old).then(|| if file.section(new) { Err(()) } else { Ok(lines()) })
        })
    }

    fn delete(&mut self, class: &str, goes: &dyn Fn(&Line) -> bool) -> bool {
        self.rewrite(&|model, index| {
            let file = &model.0[index];
            let is_class = class.is_empty() || model.class(index) == class;
            let left = || file.lines.iter().filter(|line| !goes(line)).cloned().collect();
            (is_class && file.lines.iter().any(goes)).then(|| Ok(left()))
        })
    }

    fn bind_class(&mut self, old: &str) -> bool {
        let members: Vec<usize> = (0..self.0.len()).filter(|&index| self.class(index) == old).collect();
        let bad: Vec<usize> =
            members.iter().filter(|&&index| self.0[index].has_fault("Rock")).map(|&index| self.top(index)).collect();
        let good = members.iter().copied().filter(|&index| !bad.contains(&self.top(index))).collect::<Vec<_>>();
        good.into_iter().for_each(|index| {
            if self.0[index].class.is_some() {
                self.0[index].class = Some("Rock");
            }
        });
        !bad.is_empty()
    }

    fn remove_class(&mut self, class: &str) {
        let gone: Vec<bool> = (0..self.0.len()).map(|index| self.class(index) == class).collect();
        // The numbers of templates stay: a file that goes has no lines and no path from then on.
        for (file, gone) in self.0.iter_mut().zip(gone) {
            if gone {
                file.path.clear();
                file.lines.clear();
            }
        }
    }
}

fn read(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for folder in ["Templates", "Worlds/W/Entities"] {
        for entry in fs::read_dir(root.join(folder)).into_iter().flatten() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let text = fs::read_to_string(root.join(folder).join(&name)).unwrap();
            found.insert(format!("{folder}/{name}"), text);
        }
    }
    found
}

/// Previews, runs and runs again. Returns whether a file stays that was to be changed, and how many changed.
fn run(root: &Path, what: &str, work: &dyn Fn(&Project, Mode) -> UpkeepReport) -> (bool, usize) {
    let project = Project::open(root, registry![Rock, Sign].unwrap()).unwrap();
    let before = read(root);
    let preview = work(&project, Mode::Preview);
    assert_eq!(read(root), before, "{what}: a preview writes nothing");
    let report = work(&project, Mode::Write);
    assert_eq!(report, preview, "{what}");
    let after = read(root);
    let changed = before.iter().filter(|(path, text)| after.get(*path) != Some(text)).count();
    assert_eq!(changed, report.files.len(), "{what}");
    assert!(work(&project, Mode::Write).files.is_empty(), "{what}: a second run changes nothing");
    assert_eq!(read(root), after, "{what}");
    (report.diagnostics.iter().any(|it| it.message.starts_with("not ")), changed)
}

#[test]
fn random_projects_are_bound_and_cleared_as_a_model_of_lines_says() {
    let (mut changed, mut stayed) = ([0; 8], [0; 8]);
    for_seeds(100, |rng| {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("Assets");
        let mut model = Model::random(rng);
        for (path, text) in model.texts() {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        for _ in 0..5 {
            let which = rng.below(8);
            let bind = |binding: Binding| move |project: &Project, mode| project.bind(&binding, mode).unwrap();
            let delete = |it: Selection| {
                move |project: &Project, mode| project.delete_unknown(std::slice::from_ref(&it), mode).unwrap()
            };
            let (refused, (told, count)) = match which {
                0 => (
                    model.bind_key("OldArmor", "Armor"),
                    run(&root, "armor", &bind(Binding::key("Rock", "old_armor", "armor"))),
                ),
                1 => (
                    model.bind_key("OldLoot", "Loot"),
                    run(&root, "loot", &bind(Binding::key("Rock", "OldLoot", "Loot"))),
                ),
                2 => (
                    model.bind_section("OldMotion", "Motion"),
                    run(&root, "section", &bind(Binding::section("OldMotion", "Motion"))),
                ),
                3 => (model.bind_class("OldRock"), run(&root, "class", &bind(Binding::class("OldRock", "Rock")))),
                4 => {
                    let is_gone = |line: &Line| matches!(line, Line::Key(key, _) if head(key) == "OldArmor");
                    (model.delete("Sign", &is_gone), run(&root, "key", &delete(Selection::key("Sign", "OldArmor"))))
                }
                5 => {
                    let is_gone =
                        |line: &Line| matches!(line, Line::Key(key, _) | Line::Removal(key) if head(key) == "OldLoot");
                    (model.delete("Golem", &is_gone), run(&root, "item", &delete(Selection::key("Golem", "OldLoot"))))
                }
                6 => {
                    let is_gone = |line: &Line| matches!(line, Line::Section(name, _) if name == "Soul");
                    (model.delete("", &is_gone), run(&root, "soul", &delete(Selection::section("Soul"))))
                }
                _ => {
                    model.remove_class("Golem");
                    (false, run(&root, "golems", &delete(Selection::class("Golem"))))
                }
            };
            let mut expected = model.texts();
            expected.remove("");
            assert_eq!(read(&root), expected, "{which} {model:#?}");
            assert_eq!(told, refused, "{which}");
            changed[which] += count;
            stayed[which] += usize::from(refused);
        }
        // Whatever was done, the rest of the world loads.
        let project = Project::open(&root, registry![Rock, Sign].unwrap()).unwrap();
        if root.join("Worlds/W").exists() {
            let (world, _) = project.load_world("W").unwrap();
            world.entities().validate().unwrap();
        }
    });
    assert!(changed.iter().all(|&count| count > 5), "{changed:?}");
    // Of an unknown class no text is wrong, and a template that others need is of their class.
    stayed[5] += 1;
    stayed[7] += 1;
    assert!(stayed.iter().all(|&count| count > 0), "{stayed:?}");
}
