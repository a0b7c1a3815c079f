//! Maps and keyed lists of a chain of template and instance against plain maps: items set, removed, reverted, written through guards, saved
//! and loaded again.
//!
//! The model knows what each level says about each item, and works out values, overrides and lines from that alone.

use std::collections::BTreeMap;

use juliet::IndexMap;
use juliet::prelude::*;

use super::values::Rng;
use crate::support::{TestProject, save, save_all};

#[derive(Property, Clone, Default, Debug, PartialEq)]
struct Stack {
    #[jasset(key)]
    name: String,
    count: i32,
    weight: f32,
}

/// Something that holds things.
#[derive(Entity)]
struct Chest {
    loot: IndexMap<String, i32>,
    prices: BTreeMap<u8, i32>,
    stacks: Vec<Stack>,
    locked: bool,
}

/// What a level says about one item of `stacks`; the two maps are the same with `count` alone.
#[derive(Clone, Debug, PartialEq)]
enum Says {
    Removed,
    Parts { count: Option<i32>, weight: Option<f32> },
}

type Items = Vec<(String, i32, f32)>;

/// One list on one level: what it says, in the order in which own items came.
#[derive(Clone, Debug, Default)]
struct Level {
    says: Vec<(String, Says)>,
}

const LISTS: [&str; 3] = ["Loot", "Prices", "Stacks"];

/// Keys in a form that every list takes.
const KEYS: [&str; 7] = ["1", "2", "3", "10", "20", "77", "200"];

impl Level {
    fn at(&self, key: &str) -> Option<usize> {
        self.says.iter().position(|(it, _)| it == key)
    }

    /// The items on top of inherited ones.
    fn items(&self, inherited: &Items, sorted: bool) -> Items {
        let mut items: Items = Vec::new();
        for (key, count, weight) in inherited {
            match self.at(key).map(|at| &self.says[at].1) {
                None => items.push((key.clone(), *count, *weight)),
                Some(Says::Removed) => {}
                Some(Says::Parts { count: own, weight: heavy }) => {
                    items.push((key.clone(), own.unwrap_or(*count), heavy.unwrap_or(*weight)));
                }
            }
        }
        for (key, says) in &self.says {
            if let Says::Parts { count, weight } = says
                && !inherited.iter().any(|(it, ..)| it == key)
            {
                items.push((key.clone(), count.unwrap_or(0), weight.unwrap_or(0.0)));
            }
        }
        if sorted {
            items.sort_by_key(|(key, ..)| key.parse::<u8>().unwrap());
        }
        items
    }

    /// `count` or `weight` of an item is set to something else than it has.
    fn set(&mut self, key: &str, new: (Option<i32>, Option<f32>), is_there: bool, has_weight: bool) {
        let at = self.at(key).unwrap_or_else(|| {
            self.says.push((key.to_owned(), Says::Removed));
            self.says.len() - 1
        });
        let (mut count, mut weight) = match self.says[at].1 {
            Says::Parts { count, weight } => (count, weight),
            Says::Removed => (None, None),
        };
        if !is_there {
            // A new item says all of itself, and comes last.
            (count, weight) = (Some(0), has_weight.then_some(0.0));
            self.says.remove(at);
            self.says.push((key.to_owned(), Says::Removed));
        }
        let at = self.at(key).unwrap();
        self.says[at].1 = Says::Parts { count: new.0.or(count), weight: new.1.or(weight) };
    }

    fn remove(&mut self, key: &str, is_inherited: bool) {
        if let Some(at) = self.at(key) {
            self.says.remove(at);
        }
        if is_inherited {
            self.says.push((key.to_owned(), Says::Removed));
        }
    }
}

/// Template and instance, each with three lists.
#[derive(Default)]
struct Model {
    base: [Level; 3],
    own: [Level; 3],
}

impl Model {
    fn base_items(&self, list: usize) -> Items {
        self.base[list].items(&Items::new(), list == 1)
    }

    fn items(&self, list: usize) -> Items {
        self.own[list].items(&self.base_items(list), list == 1)
    }

    /// The keys of what a level says, in the order of its lines: removals by key, then the items as they were said.
    fn overrides(&self, level: &[Level; 3]) -> Vec<String> {
        let mut keys = Vec::new();
        for (list, level) in level.iter().enumerate() {
            let name = LISTS[list];
            let mut removed: Vec<&str> = Vec::new();
            removed.extend(level.says.iter().filter(|(_, it)| *it == Says::Removed).map(|(key, _)| &**key));
            removed.sort_unstable();
            keys.extend(removed.into_iter().map(|key| format!("{name}[{key}]")));
            for (key, says) in &level.says {
                match says {
                    Says::Parts { count, weight } if list == 2 => {
                        keys.extend(count.map(|_| format!("{name}[{key}].Count")));
                        keys.extend(weight.map(|_| format!("{name}[{key}].Weight")));
                    }
                    Says::Parts { .. } => keys.push(format!("{name}[{key}]")),
                    Says::Removed => {}
                }
            }
        }
        keys
    }
}

struct Game {
    project: TestProject,
    world: World,
    model: Model,
}

impl Game {
    fn instance(&self) -> EntityHandle {
        self.world.find_by_id(1).unwrap()
    }

    fn template(&self) -> TemplateHandle {
        self.world.find_template("Assets/Templates/Base.jasset").unwrap()
    }

    fn check(&self) {
        let i = self.instance();
        let chest = self.world.get::<Chest>(i).unwrap();
        let found: [Items; 3] = [
            chest.loot.iter().map(|(key, &count)| (key.clone(), count, 0.0)).collect(),
            chest.prices.iter().map(|(key, &count)| (key.to_string(), count, 0.0)).collect(),
            chest.stacks.iter().map(|it| (it.name.clone(), it.count, it.weight)).collect(),
        ];
        for (list, found) in found.iter().enumerate() {
            assert_eq!(*found, self.model.items(list), "{}", LISTS[list]);
        }
        let own = self.model.overrides(&self.model.own);
        assert_eq!(self.world.overrides(i), own);
        let base = self.model.overrides(&self.model.base);
        assert_eq!(self.world.overrides(self.template()), base);
    }

    /// A random act. One of the template reaches the instance.
    fn act(&mut self, rng: &mut Rng) {
        let (list, key) = (rng.below(3), KEYS[rng.below(KEYS.len())]);
        let on_base = rng.one_in(3);
        let (base, all) = (self.model.base_items(list), self.model.items(list));
        let (inherited, items) = if on_base { (Items::new(), base) } else { (base, all) };
        let item = items.iter().find(|(it, ..)| it == key).cloned();
        let is_inherited = inherited.iter().any(|(it, ..)| it == key);
        let subject: juliet::Subject = if on_base { self.template().into() } else { self.instance().into() };
        let level = if on_base { &mut self.model.base[list] } else { &mut self.model.own[list] };
        let name = LISTS[list];
        match rng.below(7) {
            0 | 1 => {
                let count = rng.below(3) as i32;
                let path = if list == 2 { format!("{name}[{key}].Count") } else { format!("{name}[{key}]") };
                let differs = item.as_ref().is_none_or(|(_, old, _)| *old != count);
                assert_eq!(self.world.set(subject, &path, count), Ok(differs), "{path}");
                if differs {
                    level.set(key, (Some(count), None), item.is_some(), list == 2);
                }
            }
            2 if list == 2 => {
                let weight = rng.below(3) as f32;
                let differs = item.as_ref().is_none_or(|(.., old)| *old != weight);
                let path = format!("{name}[{key}].Weight");
                assert_eq!(self.world.set_text(subject, &path, &format!("{weight:?}")), Ok(differs));
                if differs {
                    level.set(key, (None, Some(weight)), item.is_some(), true);
                }
            }
            2 | 3 => {
                let path = format!("{name}[{key}]");
                assert_eq!(self.world.remove_item(subject, &path), Ok(item.is_some()), "{path}");
                if item.is_some() {
                    level.remove(key, is_inherited);
                }
            }
            4 => {
                let path = format!("{name}[{key}]");
                let at = level.at(key);
                assert_eq!(self.world.revert(subject, &path), Ok(at.is_some()), "{path}");
                at.into_iter().for_each(|at| drop(level.says.remove(at)));
            }
            5 if !on_base => self.write(rng, list, key, item.is_some(), is_inherited),
            _ => {
                assert_eq!(self.world.revert(subject, name), Ok(!level.says.is_empty()), "{name}");
                level.says.clear();
            }
        }
    }

    /// Through a guard, as code does.
    fn write(&mut self, rng: &mut Rng, list: usize, key: &str, is_there: bool, is_inherited: bool) {
        let (i, level, number) = (self.instance(), &mut self.model.own[list], key.parse::<u8>().unwrap());
        let mut chest = self.world.get_mut::<Chest>(i).unwrap();
        if rng.one_in(2) {
            let gone = match list {
                0 => chest.loot.shift_remove(key).is_some(),
                1 => chest.prices.remove(&number).is_some(),
                _ => {
                    let before = chest.stacks.len();
                    chest.stacks.retain(|it| it.name != key);
                    chest.stacks.len() != before
                }
            };
            assert_eq!(gone, is_there);
            if gone {
                level.remove(key, is_inherited);
            }
            return;
        }
        // A value that nothing has yet.
        let count = 1_000 + rng.below(1_000_000) as i32;
        match list {
            0 => drop(chest.loot.insert(key.to_owned(), count)),
            1 => drop(chest.prices.insert(number, count)),
            _ => match chest.stacks.iter_mut().find(|it| it.name == key) {
                Some(item) => item.count = count,
                None => chest.stacks.push(Stack { name: key.to_owned(), count, weight: 0.0 }),
            },
        }
        level.set(key, (Some(count), None), is_there, list == 2);
    }

    fn save_and_reload(&mut self) {
        save(&mut self.world);
        assert!(save_all(&mut self.world).written.is_empty());
        let world = self.project.load_clean();
        self.world = world;
        assert!(self.world.dirty().is_empty() && self.world.dirty_templates().is_empty());
        assert!(save_all(&mut self.world).written.is_empty());
    }
}

#[test]
fn items_agree_with_plain_maps_through_every_act() {
    super::for_seeds(60, |rng| {
        let registry = juliet::registry![Chest].unwrap();
        let text = "; template: Assets/Templates/Base.jasset\n; id: 1\nPosition: 0, 0, 0\n";
        let project = TestProject::with(registry, &[("I.jasset", text)]);
        project.put("../../../Templates/Base.jasset", "; entity_type: Chest\n");
        let world = project.load_clean();
        let mut game = Game { project, world, model: Model::default() };
        for _ in 0..40 {
            game.act(rng);
            game.check();
            if rng.one_in(8) {
                game.save_and_reload();
                game.check();
            }
        }
    });
}
