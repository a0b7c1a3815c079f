//! World folders on disk, under the system's folder for temporary files.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use juliet::LoadOptions;
use juliet::core::archive::{Components, EntityText, write_entity};
use juliet::core::text::Spelling;
use juliet::prelude::*;

use crate::harness::{Random, Table, timed};
use crate::text::{Npc, npc};

/// A project with one world of `count` files, and the folder of the files.
fn project(root: &Path, count: usize) -> (Project, PathBuf) {
    let entities = root.join("Worlds/Big/Entities");
    fs::create_dir_all(&entities).unwrap();
    fs::write(root.join("Worlds/Big/WorldSettings.jasset"), "; asset_type: world_settings\n; version: 1\n").unwrap();
    for number in 0..count {
        let (npc, id) = (npc(number), 0x0100_0000_0000_0000 + number as u64);
        let value = juliet::ErasedRef::of_entity(&npc);
        let mut text = Vec::new();
        let entity = EntityText {
            class: Npc::CLASS,
            id,
            position: [1.5, 0.0, 2.0, 1.0],
            value,
            inherits: None,
            components: Components::NONE,
        };
        write_entity(&entity, Spelling::Colon, &mut text);
        fs::write(entities.join(format!("{id:#018x}.jasset")), text).unwrap();
    }
    (Project::open(root, juliet::registry![Npc].unwrap()).unwrap(), entities)
}

fn load_world(project: &Project, count: usize) -> World {
    let options = LoadOptions { threads: NonZeroUsize::new(2), ..LoadOptions::default() };
    let (world, report) = project.load_world_with("Big", &options).unwrap();
    assert!(report.loaded == count && report.diagnostics.is_empty());
    world
}

/// Every file of a folder, on two threads, each with one buffer.
fn read_all(folder: &Path) -> usize {
    let names: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let part = |names: &[PathBuf]| {
        let mut buffer = vec![0; 64 << 10];
        names.iter().map(|name| File::open(name).unwrap().read(&mut buffer).unwrap()).sum::<usize>()
    };
    let (first, second) = names.split_at(names.len() / 2);
    std::thread::scope(|scope| {
        let other = scope.spawn(|| part(second));
        part(first) + other.join().unwrap()
    })
}

pub(crate) fn load(table: &mut Table) {
    for count in [1_000, 10_000] {
        let root = tempfile::tempdir().unwrap();
        let (project, entities) = project(root.path(), count);
        table.compare(
            count,
            count,
            vec![
                ("limit: read_dir, open, read, close", Box::new(|| timed(|| read_all(&entities)))),
                ("juliet: load_world", Box::new(|| timed(|| load_world(&project, count)))),
            ],
        );
    }
}

pub(crate) fn save(table: &mut Table) {
    for count in [1_000, 10_000] {
        let root = tempfile::tempdir().unwrap();
        let (project, entities) = project(root.path(), count);
        let mut world = load_world(&project, count);
        let handles: Vec<EntityHandle> = world.iter().map(|base| base.handle()).collect();
        let (mut random, mut round) = (Random(1), 0.0);
        let (temporary, target) = (entities.join(".one.tmp"), entities.join("0x0100000000000000.jasset"));
        let text = fs::read(&target).unwrap();
        table.compare(
            count,
            1,
            vec![
                (
                    "temporary file, fsync, rename, fsync of the folder",
                    Box::new(|| {
                        timed(|| {
                            let mut file = File::create(&temporary).unwrap();
                            file.write_all(&text).unwrap();
                            file.sync_all().unwrap();
                            fs::rename(&temporary, &target).unwrap();
                            File::open(&entities).unwrap().sync_all().unwrap();
                        })
                    }),
                ),
                (
                    "juliet: save",
                    Box::new(|| {
                        round += 1.0;
                        // The first file is written behind the world's back by the case above.
                        let handle = handles[1 + random.below(count - 1)];
                        world.get_mut::<Npc>(handle).unwrap().health_points = 1000.25 + round;
                        timed(|| {
                            let report = world.save().unwrap();
                            assert!(report.written.len() == 1 && report.is_complete());
                        })
                    }),
                ),
            ],
        );
    }
}
