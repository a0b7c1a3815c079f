//! The presentation snapshot: one refresh a tick, one sample of each entity a frame.

use std::hint::black_box;

use juliet::EntityManager;
use juliet::presentation::{BasePositions, Interpolate, Pose, Positions};
use juliet::sim_math::Vec2;

use juliet::prelude::*;

use crate::harness::{Random, Table, timed};
use crate::text::{Npc, npc};

/// Each call of a case does its work this often: one walk over 10,000 is short.
const REPEAT: usize = 10;

/// Entities with their positions in an array, by slot.
struct Dense<B: SimMath> {
    handles: Vec<EntityHandle>,
    places: Vec<Vec2<B>>,
}

impl<B: SimMath> Positions<B> for Dense<B> {
    fn contains(&self, handle: EntityHandle) -> bool {
        self.handles.get(handle.index() as usize) == Some(&handle)
    }

    fn get(&self, handle: EntityHandle) -> Option<Pose<B>> {
        self.contains(handle).then(|| self.places[handle.index() as usize].into())
    }

    #[inline]
    fn for_each(&self, mut visit: impl FnMut(EntityHandle, Pose<B>)) {
        for (&handle, &place) in self.handles.iter().zip(&self.places) {
            visit(handle, place.into());
        }
    }
}

fn manager(count: usize) -> (EntityManager, Vec<EntityHandle>) {
    let mut manager = EntityManager::new(juliet::registry![Npc].unwrap()).unwrap();
    let mut random = Random(1);
    let mut place = || random.below(4_000) as f32 - 2_000.0;
    let handles =
        (0..count).map(|index| manager.spawn(npc(index), Vec3::new(place(), 0.0, place())).unwrap()).collect();
    (manager, handles)
}

fn dense<B: SimMath>(manager: &EntityManager, handles: &[EntityHandle]) -> Dense<B> {
    let places = handles.iter().map(|&handle| manager.position(handle).unwrap());
    let places = places.map(|at| Vec2::new(B::from_f32(at.x), B::from_f32(at.z))).collect();
    Dense { handles: handles.to_vec(), places }
}

fn snapshot<B: SimMath>(capacity: usize) -> PresentationSnapshot<B>
where
    (): Interpolate<B>,
{
    PresentationSnapshot::new(capacity, 0, SnapshotOptions::default()).unwrap()
}

/// The world's positions on the ground.
fn ground(manager: &EntityManager) -> impl Positions<Fp32Pinned> {
    BasePositions::new(manager, |at| Vec2::new(at.x, at.z).into())
}

pub(crate) fn tick(table: &mut Table) {
    for count in [10_000, 100_000] {
        let (manager, handles) = manager(count);
        let (float, fixed) = (dense::<Fp32Pinned>(&manager, &handles), dense::<Fpx16_16>(&manager, &handles));
        let (mut prev, mut curr) = (float.places.clone(), float.places.clone());
        let (mut of_float, mut of_fixed, mut of_base) =
            (snapshot(count), snapshot(count), snapshot::<Fp32Pinned>(count));
        table.compare(
            count,
            count * REPEAT,
            vec![
                (
                    "limit: two arrays swapped, one copied into",
                    Box::new(|| {
                        timed(|| {
                            for _ in 0..REPEAT {
                                std::mem::swap(&mut prev, &mut curr);
                                curr.copy_from_slice(black_box(&float.places));
                                black_box(&mut curr);
                            }
                        })
                    }),
                ),
                (
                    "juliet: dense positions, f32",
                    Box::new(|| timed(|| (0..REPEAT).for_each(|_| of_float.on_tick(black_box(&float), 1)))),
                ),
                (
                    "juliet: dense positions, Q16.16",
                    Box::new(|| timed(|| (0..REPEAT).for_each(|_| of_fixed.on_tick(black_box(&fixed), 1)))),
                ),
                (
                    "juliet: positions of an entity manager, f32",
                    Box::new(|| timed(|| (0..REPEAT).for_each(|_| of_base.on_tick(&ground(black_box(&manager)), 1)))),
                ),
            ],
        );
    }
}

pub(crate) fn sample(table: &mut Table) {
    for count in [10_000, 100_000] {
        let (manager, handles) = manager(count);
        compare_samples::<Fp32Pinned>(
            table,
            count,
            &dense(&manager, &handles),
            ["limit: two arrays, f32", "juliet: all, f32", "juliet: by handle, f32"],
        );
        compare_samples::<Fpx16_16>(
            table,
            count,
            &dense(&manager, &handles),
            ["limit: two arrays, Q16.16", "juliet: all, Q16.16", "juliet: by handle, Q16.16"],
        );
    }
}

fn compare_samples<B: SimMath>(table: &mut Table, count: usize, world: &Dense<B>, names: [&'static str; 3])
where
    (): Interpolate<B>,
{
    let mut snapshot = snapshot::<B>(count);
    for tick in 1..=2 {
        snapshot.on_tick(world, tick);
    }
    snapshot.on_render_frame(41_666_667);
    let alpha = snapshot.alpha();
    let (prev, curr) = (world.places.clone(), world.places.clone());
    let mut outs = [(); 3].map(|()| vec![Vec2::<B>::ZERO; count]);
    let [limit_out, all_out, one_out] = &mut outs;
    let snapshot = &snapshot;
    table.compare(
        count,
        count * REPEAT,
        vec![
            (
                names[0],
                Box::new(|| {
                    timed(|| {
                        for _ in 0..REPEAT {
                            let alpha = black_box(alpha);
                            for ((out, &prev), &curr) in limit_out.iter_mut().zip(&prev).zip(&curr) {
                                *out = Vec2::lerp(prev, curr, alpha);
                            }
                            black_box(&mut *limit_out);
                        }
                    })
                }),
            ),
            (
                names[1],
                Box::new(|| {
                    timed(|| {
                        for _ in 0..REPEAT {
                            let mut out = all_out.iter_mut();
                            black_box(snapshot).for_each_sample(world, |_, pose| {
                                if let Some(out) = out.next() {
                                    *out = pose.position;
                                }
                            });
                            black_box(&mut *all_out);
                        }
                    })
                }),
            ),
            (
                names[2],
                Box::new(|| {
                    timed(|| {
                        for _ in 0..REPEAT {
                            for (out, &handle) in one_out.iter_mut().zip(&world.handles) {
                                *out = snapshot.sample_position(world, handle).unwrap();
                            }
                            black_box(&mut *one_out);
                        }
                    })
                }),
            ),
        ],
    );
}
