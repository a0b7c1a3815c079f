//! The game of `examples/dungeon.rs`, without its screen.

#[path = "../../examples/dungeon/game/mod.rs"]
#[expect(dead_code, unused_imports, reason = "what the screen needs")]
mod game;

use std::fs;
use std::path::Path;

use game::classes::{Hero, Monster};

#[test]
fn two_runs_end_in_the_state_that_is_written_down() {
    let hashes = [game::headless(300).unwrap(), game::headless(300).unwrap()];
    assert_eq!(hashes.map(|hash| format!("{hash:016x}")), ["17586131a017f69a"; 2]);
    assert_ne!(game::headless(299).unwrap(), hashes[0]);
}

#[test]
fn something_happens_and_nothing_of_it_gets_into_the_files() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/dungeon/assets/Worlds/Dungeon/Entities");
    let files = || fs::read_dir(&assets).unwrap().count();
    let before = files();
    let mut world = game::load().unwrap();
    let (len, monsters) = (world.len(), world.iter_of::<Monster>().count());
    for frame in 0..1200 {
        world.insert_resource(game::Keys::scripted(frame));
        game::tick(&mut world).unwrap();
    }
    let log = world.resource::<game::Log>().unwrap();
    assert!(log.score > 0 && log.blows > 0, "{} gold, {} blows", log.score, log.blows);
    assert_ne!((world.len(), world.iter_of::<Monster>().count()), (len, monsters));
    world.stop().unwrap();
    assert_eq!((world.len(), world.dirty()), (len, vec![]));
    assert_eq!(world.iter_of::<Hero>().next().unwrap().1.health, 12);
    assert_eq!(files(), before);
}
