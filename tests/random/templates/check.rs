//! What has to be so after each step, and after each save.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use juliet::{Level as Source, Subject};

use super::Test;
use super::model::{Level, Name, State};
use super::text;
use super::values::{self, SHAPES};

impl Test {
    /// Memory agrees: values, overrides, what is dirty, who is based on whom.
    pub(super) fn check(&self) {
        self.world.entities().validate().unwrap();
        assert_eq!(self.world.len(), self.memory.entities.len());
        assert_eq!(self.world.templates().count(), self.memory.templates.len());
        let (entities, templates) = self.memory.dirty(&self.disk);
        for (&id, level) in &self.memory.entities {
            let handle = self.entity(id);
            assert_eq!(self.world.base(handle).unwrap().class().name(), SHAPES[level.class].name);
            assert_eq!(values::read(&self.world, handle), self.memory.values(level), "{id:#x} {level:?}");
            self.check_level(handle.into(), level);
            assert_eq!(
                self.world.is_dirty(handle),
                entities.contains(&id),
                "{id:#x} {level:?} {:?}",
                self.disk.entities.get(&id)
            );
            let template = self.world.template_of(handle);
            assert_eq!(template.map(|it| self.world.template_path(it).unwrap()), level.parent.as_deref());
        }
        for (path, level) in &self.memory.templates {
            let handle = self.template(path);
            assert_eq!(values::read_template(&self.world, level.class, handle), self.memory.values(level), "{path}");
            self.check_level(handle.into(), level);
            assert_eq!(
                self.world.is_dirty(handle),
                templates.contains(path),
                "{path} {level:?} {:?}",
                self.disk.templates.get(path)
            );
            let parent = self.world.template_of(handle);
            assert_eq!(parent.map(|it| self.world.template_path(it).unwrap()), level.parent.as_deref());
            let instances = self.world.instances_of(handle);
            let instances = instances.iter().map(|&it| self.world.base(it).unwrap().id());
            let expected = self.memory.entities.iter().filter(|it| it.1.parent.as_ref() == Some(path));
            let (found, count) = (instances.collect::<BTreeSet<u64>>(), self.world.instances_of(handle).len());
            assert_eq!((found.len(), found), (count, expected.map(|it| *it.0).collect()));
        }
        let dirty: Vec<u64> = self.world.dirty().into_iter().map(|it| self.world.base(it).unwrap().id()).collect();
        assert_eq!((dirty.len(), dirty.into_iter().collect::<BTreeSet<_>>()), (entities.len(), entities));
        assert_eq!(self.world.dirty_templates().len(), templates.len());
    }

    /// Overrides, differences and sources of an entity or a template.
    fn check_level(&self, subject: Subject, level: &Level) {
        let shape = &SHAPES[level.class];
        let is_alone = matches!(subject, Subject::Entity(_)) && level.parent.is_none();
        let own: Vec<usize> = if is_alone { Vec::new() } else { level.own.keys().copied().collect() };
        let keys: Vec<&str> = own.iter().map(|&leaf| shape.leaves[leaf].0).collect();
        assert_eq!(self.world.overrides(subject), keys);
        let diff = self.world.diff(subject);
        assert_eq!(diff.iter().map(|it| it.key.as_str()).collect::<Vec<_>>(), keys);
        for (&leaf, difference) in own.iter().zip(&diff) {
            let kind = shape.leaves[leaf].1;
            assert_eq!(text::parsed(kind, &difference.value), level.own[&leaf]);
            let (value, source) = self.memory.inherited(level, leaf);
            assert_eq!(text::parsed(kind, &difference.inherited), value);
            let source = source.map_or(Source::ClassDefault, |path| Source::Template(self.template(&path)));
            assert_eq!(difference.source, source);
        }
        let [x, y, z] = level.place;
        let place = match subject {
            Subject::Entity(handle) => self.world.position(handle).unwrap().to_array(),
            Subject::Template(_) => return,
        };
        assert_eq!([x, y, z], [place[0], place[1], place[2]].map(f32::to_bits));
    }

    /// Every file says what the model says, read by the tiny reader.
    pub(super) fn check_files(&mut self, old: &State) {
        let class_of = |path: &str| self.disk.templates[path].class;
        let mut found = State::default();
        for (path, text) in &self.files {
            let said = |path: &str| {
                let mut said = text::read(text, class_of);
                if said.level.parent.is_none() && path.starts_with("Assets/Worlds/") {
                    text::complete(&mut said.level);
                }
                said
            };
            let name = if path.starts_with("Assets/Worlds/W/Entities/") {
                let said = said(path);
                assert!(found.entities.insert(said.id, said.level).is_none());
                (!said.has_place).then_some(Name::Entity(said.id))
            } else if path.starts_with("Assets/Templates/") {
                let said = said(path);
                assert_eq!(said.id, 0);
                found.templates.insert(path.clone(), said.level);
                (!said.has_place).then(|| Name::Template(path.clone()))
            } else {
                None
            };
            found.unplaced.extend(name);
        }
        found.place_all();
        // Nobody takes a position out of a file; the file of a copy is a copy.
        assert!(found.unplaced.iter().all(|name| old.unplaced.contains(name) || old.level(name).is_none()));
        self.disk.unplaced = std::mem::take(&mut found.unplaced);
        let State { mut entities, mut templates, .. } = found;
        for (id, level) in &self.disk.entities {
            assert_eq!(entities.remove(id).as_ref(), Some(level), "{id:#x}");
        }
        for (path, level) in &self.disk.templates {
            assert_eq!(templates.remove(path).as_ref(), Some(level), "{path}");
        }
        assert_eq!((entities.len(), templates.len()), (0, 0));
    }

    /// Every file by its path.
    pub(super) fn look(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let mut folders = vec!["Assets/Worlds".to_owned(), "Assets/Templates".to_owned()];
        while let Some(folder) = folders.pop() {
            let Ok(entries) = fs::read_dir(self.home.path().join(&folder)) else { continue };
            for entry in entries.map(Result::unwrap) {
                let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
                match entry.file_type().unwrap().is_dir() {
                    true => folders.push(name),
                    false => drop(found.insert(name, fs::read_to_string(entry.path()).unwrap())),
                }
            }
        }
        found
    }
}
