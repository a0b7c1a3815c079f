//! The dungeon without a screen: loading it, ticks, and a hash of its state that is the same on every machine.

pub(crate) mod classes;
mod systems;

use std::error::Error;
use std::path::Path;

use classes::{Alert, Body, Den, Hero, Level, Monster, Treasure};
use juliet::prelude::*;

pub(crate) use systems::{Keys, Log, Teleported, Walls};

/// Ticks a second.
pub(crate) const TICK_RATE_HZ: u32 = 60;

/// The world as its files have it, playing: what happens in the game never gets into its files.
pub(crate) fn load() -> Result<World, Box<dyn Error>> {
    let registry = registry![Level, Hero, Monster, Den, Treasure, Body, Alert]?;
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/dungeon/assets");
    let (mut world, report) = Project::open(assets, registry)?.load_world("Dungeon")?;
    if let Some(diagnostic) = report.diagnostics.first() {
        return Err(format!("{diagnostic:#}").into());
    }
    // The systems that the world's own settings name.
    let listed = world.start_listed(&systems::table());
    if let Some(diagnostic) = listed.diagnostics.first() {
        return Err(format!("{diagnostic:#}").into());
    }
    world.play()?;
    systems::set_up(&mut world)?;
    Ok(world)
}

/// One tick.
pub(crate) fn tick(world: &mut World) -> Result<(), Box<dyn Error>> {
    match world.update()?.errors.pop() {
        Some(error) => Err(error.into()),
        None => Ok(()),
    }
}

/// Runs `frames` ticks with keys that are pressed by a script; the hash of what is left.
pub(crate) fn headless(frames: u64) -> Result<u64, Box<dyn Error>> {
    let mut world = load()?;
    for frame in 0..frames {
        world.insert_resource(Keys::scripted(frame));
        tick(&mut world)?;
    }
    state_hash(&world)
}

/// FNV-1a over the integers of the state, by id: no float is in it, and no address.
pub(crate) fn state_hash(world: &World) -> Result<u64, Box<dyn Error>> {
    let mut entities: Vec<_> = world.iter().collect();
    entities.sort_by_key(|base| base.id());
    let log = world.resource::<Log>()?;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |number: i64| {
        for byte in number.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    [log.score.into(), log.blows.into(), log.falls.into()].into_iter().for_each(&mut add);
    for base in entities {
        let handle = base.handle();
        add(base.id().cast_signed());
        add(base.class().crc().into());
        if let Some(body) = world.component::<Body>(handle) {
            [body.x, body.y, body.dx, body.dy].into_iter().for_each(|raw| add(raw.into()));
        }
        let hero = world.get::<Hero>(handle).map(|hero| hero.health);
        let monster = world.get::<Monster>(handle).map(|monster| monster.health);
        add(hero.or(monster).unwrap_or_default().into());
        add(world.component::<Alert>(handle).is_some().into());
    }
    Ok(hash)
}
