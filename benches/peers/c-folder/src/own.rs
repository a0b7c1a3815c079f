//! Juliet: a world folder of the same entities as `.jasset` files, and a world loaded from it.
use b_text::own::{Npc, npc, registry, write_file_of};
use juliet::prelude::*;
use juliet::{EntityManager, LoadOptions};
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

/// Makes a project `root/label-n` with one world of `n` files; gives the folder of the files too.
pub fn make(root: &Path, label: &str, n: usize) -> (Project, PathBuf) {
    let path = root.join(format!("{label}-{n}"));
    let entities = path.join("Worlds/Big/Entities");
    fs::create_dir_all(&entities).unwrap();
    fs::write(path.join("Worlds/Big/WorldSettings.jasset"), "; asset_type: world_settings\n; version: 1\n").unwrap();
    let mut text = vec![];
    for i in 0..n {
        text.clear();
        let id = 0x0100_0000_0000_0000 + i as u64;
        write_file_of(&npc(&b_text::entity(i)), id, &mut text);
        fs::write(entities.join(format!("{id:#018x}.jasset")), &text).unwrap();
    }
    (Project::open(&path, registry()).unwrap(), entities)
}

/// Loads the world; every file has to be in it.
pub fn load(project: &Project, threads: usize, n: usize) -> World {
    let options = LoadOptions { threads: NonZeroUsize::new(threads), ..LoadOptions::default() };
    let (world, report) = project.load_world_with("Big", &options).unwrap();
    assert!(report.loaded == n && report.diagnostics.is_empty(), "{:?}", report.diagnostics.first());
    if std::env::var_os("TIMINGS").is_some() {
        eprintln!("{threads} threads: {:?}", report.timings);
    }
    world
}

/// All handles of a world.
pub fn handles(world: &World) -> Vec<EntityHandle> {
    world.iter().map(|base| base.handle()).collect()
}

/// Gives an entity a health that it does not have.
pub fn touch(world: &mut World, handle: EntityHandle, round: usize) {
    world.get_mut::<Npc>(handle).unwrap().health_points = 1000.25 + round as f32;
}

/// A hundred thousand entities of which one is dirty.
pub fn one_dirty(n: usize, dirty: usize) -> EntityManager {
    let mut m = EntityManager::with_capacity(registry(), juliet::Capacity::entities(n as u32)).unwrap();
    for i in 0..n {
        let handle = m.spawn(npc(&b_text::entity(i % 512)), Vec3::ZERO).unwrap();
        if i != dirty {
            m.mark_clean(handle).unwrap();
        }
    }
    m
}
