//! Random work on maps, keyed lists and structs in braces, over a chain of templates: what an operation keeps stays as it was, and after each
//! save the files say what is in memory.

use std::collections::BTreeMap;

use juliet::prelude::*;
use juliet::{IndexMap, Subject};

use super::for_seeds;
use super::values::Rng;
use crate::support::{TestProject, save, save_all};

#[derive(Property, Clone, Default, Debug, PartialEq)]
struct Stack {
    count: i32,
    #[jasset(key)]
    name: String,
    deep: Deep,
}

#[derive(Property, Clone, Default, Debug, PartialEq)]
struct Deep {
    a: i32,
    b: i32,
}

#[derive(Property, Clone, Default, Debug, PartialEq)]
struct Bag {
    gold: i32,
    things: IndexMap<String, i32>,
    deep: Deep,
}

/// Something that holds things.
#[derive(Entity)]
struct Store {
    loot: IndexMap<String, i32>,
    #[jasset(default = vec![Stack { name: "own".into(), count: 7, deep: Deep { a: 1, b: 2 } }])]
    stacks: Vec<Stack>,
    prices: BTreeMap<u32, i32>,
    bag: Bag,
    locked: bool,
}

const KEYS: [&str; 5] = ["Loot", "Stacks", "Prices", "Bag", "Locked"];
const NAMES: [&str; 5] = ["a", "b_c", "\"d e\"", "own", "\"]:\""];

fn number(rng: &mut Rng) -> String {
    rng.below(6).to_string()
}

/// A key and a text for it.
fn pair(rng: &mut Rng) -> (String, String) {
    let name = NAMES[rng.below(5)];
    let text = number(rng);
    let braces = |rng: &mut Rng, names: &[&str]| {
        let named = names.iter().filter(|_| rng.below(2) == 0).map(|name| format!("{name}: {text}"));
        format!("{{ {} }}", named.collect::<Vec<_>>().join(", "))
    };
    match rng.below(14) {
        0 => (format!("Loot[{name}]"), text),
        1 => (format!("Bag.Things[{name}]"), text),
        2 => (format!("Prices[{}]", rng.below(5)), text),
        3 => (format!("Stacks[{name}].Count"), text),
        4 => (format!("Stacks[{name}].Deep.A"), text),
        5 => (format!("Stacks[{name}].Deep"), braces(rng, &["A", "B"])),
        6 => (format!("Stacks[{name}]"), braces(rng, &["Count"])),
        7 => ("Bag.Gold".into(), text),
        8 => ("Bag.Deep".into(), braces(rng, &["A", "B"])),
        9 => ("Bag".into(), braces(rng, &["Gold"])),
        10 => ("Bag".into(), format!("{{ Deep: {} }}", braces(rng, &["B"]))),
        11 => ("Loot".into(), format!("{{ {name}: {text}, z: 1 }}")),
        12 => ("Bag.Deep.B".into(), text),
        _ => ("Locked".into(), if rng.below(2) == 0 { "true".into() } else { "false".into() }),
    }
}

/// Lines that do not say anything twice.
fn lines(rng: &mut Rng, head: &str, inherits: bool) -> String {
    let mut text = head.to_owned();
    let mut roots: Vec<String> = Vec::new();
    for _ in 0..rng.below(6) {
        let (key, value) = pair(rng);
        let stem = |key: &str| key.split(['[', '.']).next().unwrap().to_owned();
        let clash = |old: &String| {
            let whole = |key: &str| !key.contains(['[', '.']);
            stem(old) == stem(&key) && (whole(old) || whole(&key) || old.starts_with(&key) || key.starts_with(&**old))
        };
        if roots.iter().any(clash) {
            continue;
        }
        if inherits && key.ends_with(']') && rng.below(3) == 0 {
            text.push_str(&format!("! {key}\n"));
        } else {
            text.push_str(&format!("{key}: {value}\n"));
        }
        if rng.below(4) == 0 {
            text.push_str("# a comment\n\n");
        }
        roots.push(key);
    }
    if rng.below(4) == 0 { text.replace('\n', "\r\n") } else { text }
}

type Look = Vec<String>;

fn look(world: &World, subject: impl Into<Subject>) -> Look {
    let subject = subject.into();
    KEYS.iter().map(|key| world.get_text(subject, key).unwrap()).collect()
}

fn all(world: &World) -> BTreeMap<String, (Look, Vec<String>, Option<String>)> {
    let templates = world.templates().map(Subject::Template);
    let subjects = world.iter().map(|base| Subject::Entity(base.handle())).chain(templates);
    let mut all = BTreeMap::new();
    for subject in subjects {
        let above = world.template_of(subject).map(|it| world.template_path(it).unwrap().to_owned());
        let says = if matches!(subject, Subject::Entity(_)) && above.is_none() {
            Vec::new()
        } else {
            world.overrides(subject)
        };
        all.insert(world.file_of(subject).unwrap(), (look(world, subject), says, above));
    }
    all
}

fn check_saved(project: &TestProject, world: &mut World, steps: &[String]) {
    // All: the order of own items changes, too, when a template loses one of them, and that touches no instance.
    let report = world.save_all().unwrap();
    if !report.diagnostics.is_empty() {
        for (file, is) in all(world) {
            let text = std::fs::read_to_string(project.root().parent().unwrap().join(&file));
            println!("{file}: {is:#?}\n{}", text.unwrap_or_default());
        }
        panic!("{steps:#?} {:#?}", report.diagnostics);
    }
    let mut again = project.load_clean();
    let known: Vec<String> = world.templates().map(|it| world.template_path(it).unwrap().to_owned()).collect();
    for path in known {
        again.load_template(&path).unwrap();
    }
    let (left, right) = (all(&again), all(world));
    for (file, is) in &left {
        let text = std::fs::read_to_string(project.root().parent().unwrap().join(file)).unwrap();
        assert_eq!(Some(is), right.get(file), "{file} {steps:#?}\n{text}");
    }
    assert_eq!(left.len(), right.len());
    assert!(save_all(&mut again).written.is_empty(), "{steps:#?}");
}

#[test]
fn work_on_items_is_read_back_and_keeps_what_it_says_it_keeps() {
    for_seeds(60, |rng| {
        let project = TestProject::with::<&str>(juliet::registry![Store].unwrap(), &[]);
        let mut names: Vec<String> = Vec::new();
        for number in 0..4 {
            let head = match number {
                0 => "; class: Store\n".to_owned(),
                _ => format!("; template: Assets/Templates/T{}.jasset\n", rng.below(number)),
            };
            project.put(&format!("../../../Templates/T{number}.jasset"), lines(rng, &head, number > 0));
            names.push(format!("Assets/Templates/T{number}.jasset"));
        }
        for id in 1..5 {
            let head = match id {
                1 => "; class: Store\n".to_owned(),
                _ => format!("; template: {}\n", names[rng.below(4)]),
            };
            let head = format!("{head}; id: 0x010000000000000{id}\nPosition: 1, 2, 3\n");
            project.put(&format!("E{id}.jasset"), lines(rng, &head, id > 1));
        }
        let mut world = project.load_clean();
        for name in &names {
            world.load_template(name).unwrap();
        }
        let mut steps: Vec<String> = Vec::new();
        for step in 0..25 {
            let entities: Vec<EntityHandle> = world.iter().map(|base| base.handle()).collect();
            let templates: Vec<TemplateHandle> = world.templates().collect();
            let entity = entities[rng.below(entities.len())];
            let template = templates[rng.below(templates.len())];
            let subject = if rng.below(3) == 0 { Subject::Template(template) } else { Subject::Entity(entity) };
            let (key, text) = pair(rng);
            let file = world.file_of(subject).unwrap();
            let before = look(&world, subject);
            let mut keeps = false;
            let name = match rng.below(14) {
                0..=3 => {
                    let _ = world.set_text(subject, &key, &text);
                    "set"
                }
                4 | 5 => {
                    let _ = world.remove_item(subject, &key);
                    "remove item"
                }
                6 => {
                    let _ = world.revert(subject, &key);
                    assert!(!world.overrides(subject).contains(&key) || world.template_of(subject).is_none());
                    "revert"
                }
                7 => {
                    let said = world.overrides(subject);
                    if let Some(key) = said.get(rng.below(said.len().max(1))) {
                        let _ = world.revert(subject, key);
                    }
                    "revert said"
                }
                8 => {
                    keeps = true;
                    let said = world.overrides(subject);
                    if let Some(key) = said.get(rng.below(said.len().max(1))) {
                        let _ = world.apply_override(subject, key, template);
                    }
                    "apply"
                }
                9 => {
                    keeps = true;
                    if rng.below(3) == 0 {
                        world.unlink(subject).unwrap();
                    }
                    "unlink"
                }
                10 => {
                    keeps = world.template_of(subject).is_none() && matches!(subject, Subject::Entity(_));
                    let _ = world.set_template(subject, template);
                    "set template"
                }
                11 => {
                    if let Some(mut store) = world.get_mut::<Store>(entity) {
                        store.loot.shift_remove("a");
                        store.loot.insert("w".into(), step);
                        store.stacks.retain(|it| it.name != "b_c");
                        store.bag.things.insert("w".into(), step);
                        store.bag.deep.b = step;
                        if step % 3 == 0 {
                            store.stacks.reverse();
                        }
                    }
                    "write"
                }
                12 => {
                    let before = look(&world, entity);
                    let said = world.overrides(entity);
                    let id = world.remove(entity).unwrap();
                    let back = world.restore(id).unwrap();
                    assert_eq!((look(&world, back), world.overrides(back)), (before, said), "{steps:#?}");
                    continue;
                }
                _ => {
                    keeps = true;
                    if rng.below(2) == 0 {
                        let _ = world.create_template(entity, &format!("M{step}"));
                    } else {
                        let copy = world.duplicate(entity).unwrap();
                        assert_eq!(look(&world, copy), look(&world, entity));
                    }
                    "create or duplicate"
                }
            };
            steps.push(format!("{name} {file} {key} {text} {:?}", world.template_path(template)));
            if keeps {
                assert_eq!(look(&world, subject), before, "{steps:#?}");
            }
            for subject in
                entities.iter().map(|&it| Subject::Entity(it)).chain(templates.into_iter().map(Subject::Template))
            {
                let Some(above) = world.template_of(subject) else { continue };
                for key in ["Loot", "Stacks", "Prices", "Bag.Things", "Bag.Gold", "Bag.Deep.A", "Locked"] {
                    if !world.is_overridden(subject, key) {
                        assert_eq!(world.get_text(subject, key), world.get_text(above, key), "{key} {steps:#?}");
                    }
                }
            }
            if rng.below(4) == 0 {
                check_saved(&project, &mut world, &steps);
            }
        }
        check_saved(&project, &mut world, &steps);
        save(&mut world);
    });
}
