//! Two maps: what memory has to hold, and what disk has to say.

use std::collections::{BTreeMap, BTreeSet};

use super::values::{Leaf, SHAPES, default};

/// An entity or a template: what it says itself, on top of what `parent` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Level {
    pub(crate) class: usize,
    /// Path of its template.
    pub(crate) parent: Option<String>,
    /// An entity that stands alone says everything.
    pub(crate) own: BTreeMap<usize, Leaf>,
    pub(crate) place: [u32; 3],
}

/// Templates by path, entities by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) templates: BTreeMap<String, Level>,
    pub(crate) entities: BTreeMap<u64, Level>,
    /// Files that name no position: `place` is that of their template when they were read.
    pub(crate) unplaced: BTreeSet<Name>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    Entity(u64),
    Template(String),
}

/// Where a value comes from: nothing for the class.
pub(crate) type Source = Option<String>;

impl State {
    pub(crate) fn level(&self, name: &Name) -> Option<&Level> {
        match name {
            Name::Entity(id) => self.entities.get(id),
            Name::Template(path) => self.templates.get(path),
        }
    }

    pub(crate) fn level_mut(&mut self, name: &Name) -> &mut Level {
        match name {
            Name::Entity(id) => self.entities.get_mut(id),
            Name::Template(path) => self.templates.get_mut(path),
        }
        .unwrap()
    }

    /// What a level inherits in a leaf, and from where.
    pub(crate) fn inherited(&self, level: &Level, leaf: usize) -> (Leaf, Source) {
        let Some(path) = &level.parent else { return (default(level.class, leaf), None) };
        let above = &self.templates[path];
        match above.own.get(&leaf) {
            Some(value) => (value.clone(), Some(path.clone())),
            None => self.inherited(above, leaf),
        }
    }

    pub(crate) fn value(&self, level: &Level, leaf: usize) -> Leaf {
        level.own.get(&leaf).cloned().unwrap_or_else(|| self.inherited(level, leaf).0)
    }

    pub(crate) fn values(&self, level: &Level) -> Vec<Leaf> {
        (0..SHAPES[level.class].leaves.len()).map(|leaf| self.value(level, leaf)).collect()
    }

    /// The templates above a level, nearest first.
    pub(crate) fn chain(&self, level: &Level) -> Vec<String> {
        let mut chain: Vec<String> = level.parent.iter().cloned().collect();
        while let Some(above) = chain.last().and_then(|path| self.templates[path].parent.clone()) {
            chain.push(above);
        }
        chain
    }

    /// Whether the template `path` would be above itself under `parent`.
    pub(crate) fn is_ring(&self, path: &str, parent: &str) -> bool {
        path == parent || self.chain(&self.templates[parent]).iter().any(|it| it == path)
    }

    /// Whether somebody names a template.
    pub(crate) fn is_used(&self, path: &str) -> bool {
        self.templates.values().chain(self.entities.values()).any(|it| it.parent.as_deref() == Some(path))
    }

    /// Sets leaves that differ. Whether there was one.
    pub(crate) fn set(&mut self, name: &Name, leaves: impl IntoIterator<Item = (usize, Leaf)>) -> bool {
        let mut any = false;
        for (leaf, value) in leaves {
            if self.value(self.level(name).unwrap(), leaf) != value {
                self.level_mut(name).own.insert(leaf, value);
                any = true;
            }
        }
        any
    }

    /// Gives the leaves that are overridden to a template above.
    pub(crate) fn apply(&mut self, name: &Name, leaves: std::ops::Range<usize>, to: &str) -> bool {
        let level = self.level(name).unwrap().clone();
        let between: Vec<String> = self.chain(&level).into_iter().take_while(|it| it != to).collect();
        let due: Vec<(usize, Leaf)> = level.own.range(leaves).map(|(&leaf, value)| (leaf, value.clone())).collect();
        for (leaf, value) in &due {
            self.templates.get_mut(to).unwrap().own.insert(*leaf, value.clone());
            if !between.iter().any(|path| self.templates[path].own.contains_key(leaf)) {
                self.level_mut(name).own.remove(leaf);
            }
        }
        !due.is_empty()
    }

    /// The names of what `disk` does not say.
    pub(crate) fn dirty(&self, disk: &Self) -> (BTreeSet<u64>, BTreeSet<String>) {
        let differs = |name: Name, level: &Level| {
            let Some(on_disk) = disk.level(&name) else { return true };
            let mut on_disk = on_disk.clone();
            if disk.unplaced.contains(&name) {
                on_disk.place = self.place_above(level);
            }
            on_disk != *level
        };
        let entities = self.entities.iter().filter(|&(&id, level)| differs(Name::Entity(id), level));
        let templates = self.templates.iter().filter(|&(path, level)| differs(Name::Template(path.clone()), level));
        (entities.map(|(&id, _)| id).collect(), templates.map(|(path, _)| path.clone()).collect())
    }

    /// The place of a level whose file names none.
    pub(crate) fn place_above(&self, level: &Level) -> [u32; 3] {
        level.parent.as_ref().map_or([0; 3], |path| self.templates[path].place)
    }

    /// Gives what names no position that of its template, as a load does.
    pub(crate) fn place_all(&mut self) {
        for name in self.unplaced.clone() {
            let mut at = name.clone();
            while self.unplaced.contains(&at) {
                match self.level(&at).unwrap().parent.clone() {
                    Some(path) => at = Name::Template(path),
                    None => break,
                }
            }
            let place = if self.unplaced.contains(&at) { [0; 3] } else { self.level(&at).unwrap().place };
            self.level_mut(&name).place = place;
        }
    }
}
