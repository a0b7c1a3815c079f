//! Templates and their instances.

use std::path::Path;

use juliet::prelude::*;

use crate::harness::{Random, Table, timed};
use crate::text::{Npc, npc};

/// A saved world with one template and `count` instances of it, half of which, at random, override `health_points`.
fn instances(root: &Path, count: usize) -> (World, TemplateHandle) {
    let project = Project::open(root, juliet::registry![Npc].unwrap()).unwrap();
    let mut world = project.new_world("Many").unwrap();
    let first = world.spawn(npc(0), Vec3::ZERO).unwrap();
    let template = world.create_template(first, "Npc").unwrap();
    world.remove(first).unwrap();
    let all = world.spawn_many_from(template, &vec![Position::ORIGIN; count]).unwrap();
    let mut random = Random(1);
    for handle in all {
        if random.below(2) == 0 {
            world.set(handle, "HealthPoints", 1.0e6_f32).unwrap();
        }
    }
    assert!(world.save().unwrap().is_complete());
    (world, template)
}

pub(crate) fn propagate(table: &mut Table) {
    for count in [1_000, 10_000] {
        let root = tempfile::tempdir().unwrap();
        let mut values = vec![npc(0); count];
        let mut random = Random(1);
        let reached: Vec<bool> = (0..count).map(|_| random.below(2) != 0).collect();
        let (mut world, template) = instances(root.path(), count);
        let mut health = 0.0_f32;
        table.compare(
            count,
            count,
            vec![
                (
                    "limit: 4 bytes written to each that is reached",
                    Box::new(|| {
                        timed(|| {
                            for (value, &reached) in values.iter_mut().zip(&reached) {
                                if reached {
                                    value.health_points += 1.0;
                                }
                            }
                            std::hint::black_box(&mut values);
                        })
                    }),
                ),
                (
                    "juliet: one property of the template set",
                    Box::new(|| {
                        health += 1.0;
                        timed(|| world.set(template, "HealthPoints", health).unwrap())
                    }),
                ),
            ],
        );
    }
}
