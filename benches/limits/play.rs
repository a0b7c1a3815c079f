//! Play and stop: a whole world copied, and the copy dropped.

use std::hint::black_box;

use juliet::prelude::*;

use crate::harness::{Table, timed};
use crate::text::{Npc, npc};

/// What a name, a description of 12 properties and three more columns take.
type Bytes = ([u8; size_of::<Npc>()], [u64; 6]);

/// A world of so many entities; `saved` ones have the text of their file, too.
fn world(root: &std::path::Path, count: usize, is_saved: bool) -> World {
    let project = Project::open(root, juliet::registry![Npc].unwrap()).unwrap();
    let mut world = project.new_world("Many").unwrap();
    for index in 0..count {
        world.spawn(npc(index), Vec3::new(index as f32, 0.0, 0.0)).unwrap();
    }
    if is_saved {
        assert!(world.save().unwrap().is_complete());
    }
    world
}

/// A case and how to time it.
type Case<'c> = (&'static str, Box<dyn FnMut() -> std::time::Duration + 'c>);

pub(crate) fn play(table: &mut Table) {
    for count in [10_000, 100_000] {
        let root = tempfile::tempdir().unwrap();
        let new = std::cell::RefCell::new(world(root.path(), count, false));
        let saved_root = tempfile::tempdir().unwrap();
        // Saving costs seconds, so the large world is of new entities alone.
        let saved = (count < 100_000).then(|| std::cell::RefCell::new(world(saved_root.path(), count, true)));
        let authored: Vec<Bytes> = vec![([1; size_of::<Npc>()], [1; 6]); count];
        let mut copy = authored.clone();
        let mut cases: Vec<Case<'_>> = vec![
            (
                "limit: the same bytes copied there and back",
                Box::new(|| {
                    timed(|| {
                        copy.copy_from_slice(black_box(&authored));
                        black_box(&mut copy);
                        copy.copy_from_slice(black_box(&authored));
                        black_box(&mut copy);
                    })
                }),
            ),
            ("juliet: play, stop", Box::new(|| timed(|| play_and_stop(&mut new.borrow_mut())))),
        ];
        if let Some(saved) = &saved {
            cases.push((
                "juliet: play, stop, with saved files",
                Box::new(|| timed(|| play_and_stop(&mut saved.borrow_mut()))),
            ));
        }
        table.compare(count, count, cases);
    }
}

fn play_and_stop(world: &mut World) {
    world.play().unwrap();
    black_box(&mut *world);
    world.stop().unwrap();
}
