//! The steps that have to do with files.

use std::collections::BTreeSet;

use juliet::Code;

use super::super::values::Rng;
use super::model::Name;
use super::{Test, place, put, random_own, text};

impl Test {
    pub(super) fn save(&mut self, rng: &mut Rng) {
        let (entities, templates) = self.memory.dirty(&self.disk);
        let paths = |state: &(BTreeSet<u64>, BTreeSet<String>)| -> BTreeSet<String> {
            let files = state.0.iter().map(|&id| self.world.file_of(self.entity(id)).unwrap());
            files.chain(state.1.iter().map(|path| self.world.file_of(self.template(path)).unwrap())).collect()
        };
        let expected = paths(&(entities, templates));
        let gone = self.removed.keys().filter(|id| self.disk.entities.contains_key(id)).count();
        let all = rng.one_in(3);
        let report = if all { self.world.save_all() } else { self.world.save() }.unwrap();
        assert_eq!(report.diagnostics, []);
        let written: BTreeSet<String> = report.written.iter().map(|path| path.to_string()).collect();
        assert_eq!(written, expected, "{}", report.written.len());
        assert_eq!(report.removed.len(), gone + self.removed_templates.len());
        let old = std::mem::take(&mut self.files);
        self.files = self.look();
        for (path, text) in &self.files {
            if !written.contains(path) && !path.ends_with("WorldSettings.jasset") {
                assert_eq!(old.get(path), Some(text), "{path}");
            }
        }
        self.removed.clear();
        self.removed_templates.clear();
        let old = std::mem::replace(&mut self.disk, self.memory.clone());
        self.check_files(&old);
        let again = if all { self.world.save() } else { self.world.save_all() }.unwrap();
        assert_eq!((again.written.len(), again.removed.len(), again.diagnostics.len()), (0, 0, 0));
        assert_eq!(self.look(), self.files);
    }

    pub(super) fn reload(&mut self) {
        let (world, report) = self.project.load_world("W").unwrap();
        assert_eq!((report.diagnostics, report.loaded), (Vec::new(), self.disk.entities.len()));
        self.world = world;
        self.disk.place_all();
        self.memory = self.disk.clone();
        self.removed.clear();
        self.removed_templates.clear();
        for path in self.disk.templates.keys() {
            self.world.load_template(path).unwrap();
        }
    }

    /// Another program writes the file of a template, which is then read again.
    pub(super) fn edit_on_disk(&mut self, rng: &mut Rng) {
        let saved: Vec<&String> =
            self.memory.templates.keys().filter(|it| self.disk.templates.contains_key(*it)).collect();
        if saved.is_empty() {
            return;
        }
        let path = rng.pick(&saved).clone();
        let mut level = self.disk.templates[&path].clone();
        level.own = random_own(rng, level.class, 3);
        level.place = place(rng);
        if rng.one_in(3) {
            let others = self
                .disk
                .templates
                .iter()
                .filter(|(it, other)| self.memory.templates.contains_key(*it) && other.class == level.class);
            let others: Vec<&String> = others.map(|it| it.0).collect();
            level.parent = (!rng.one_in(3)).then(|| rng.pick(&others).clone());
        }
        let is_faulty = rng.one_in(8);
        let has_place = !rng.one_in(4);
        let text = text::by_hand(rng, &level, 0, has_place) + if is_faulty { "\nbroken\n" } else { "" };
        put(&self.home, &path, &text);
        let is_dirty = self.memory.dirty(&self.disk).1.contains(&path);
        let report = self.world.reread_templates();
        let ring = level
            .parent
            .as_ref()
            .is_some_and(|parent| self.memory.templates.contains_key(parent) && self.memory.is_ring(&path, parent));
        let gone = level.parent.as_ref().is_some_and(|parent| !self.memory.templates.contains_key(parent));
        let codes: Vec<Code> = report.diagnostics.iter().map(|it| it.code).collect();
        if is_dirty || ring || is_faulty || gone {
            assert_eq!(report.changed, [], "{path}");
            assert!(!codes.is_empty());
            if is_dirty {
                assert_eq!(codes, [Code::ChangedOnDisk]);
            }
            let old = self.files[&path].clone();
            put(&self.home, &path, &old);
            let report = self.world.reread_templates();
            assert_eq!((report.changed, report.diagnostics), (Vec::new(), Vec::new()));
            return;
        }
        assert_eq!((report.diagnostics, report.changed), (Vec::new(), vec![self.template(&path)]));
        self.disk.unplaced.remove(&Name::Template(path.clone()));
        if !has_place {
            self.disk.unplaced.insert(Name::Template(path.clone()));
            level.place = self.memory.place_above(&level);
        }
        self.memory.templates.insert(path.clone(), level.clone());
        self.disk.templates.insert(path.clone(), level);
        self.files.insert(path, text);
    }
}
