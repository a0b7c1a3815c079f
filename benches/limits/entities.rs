//! Entities in memory, from 1,000 to 1,000,000.

use std::hint::black_box;

use juliet::prelude::*;
use juliet::{Capacity, EntityManager, ErasedMut, ErasedRef};

use crate::harness::{Random, Table, timed};

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];

/// 80 bytes.
#[derive(juliet::Entity, Clone, Copy)]
struct Crate {
    health: f32,
    speed: f32,
    velocity: [f32; 4],
    owner: u64,
    rest: [u64; 6],
}

/// Another class of the same shape.
#[derive(juliet::Entity, Clone, Copy)]
struct Barrel {
    health: f32,
    rest: [u64; 9],
}

/// What plain memory holds for an entity: 48 bytes beside its value.
#[derive(Clone, Copy)]
#[expect(dead_code, reason = "what an entity has, read or not")]
struct Base {
    position: [f32; 4],
    id: u64,
    class: u64,
    row: u64,
    generation: u32,
    dirty: u32,
}
const _: () = assert!(size_of::<Base>() == 48 && size_of::<Crate>() == 80);

fn value(number: usize) -> Crate {
    Crate { health: 100.0, speed: number as f32, velocity: [1.0, 0.5, 0.25, 0.0], owner: number as u64, rest: [7; 6] }
}

fn position(number: usize) -> Vec3 {
    Vec3::new(number as f32, 1.0, 2.0)
}

fn base(number: usize) -> Base {
    let Vec3 { x, y, z } = position(number);
    Base { position: [x, y, z, 1.0], id: 0, class: 1, row: number as u64, generation: 0, dirty: 1 }
}

fn empty(size: usize) -> EntityManager {
    let registry = juliet::registry![Crate, Barrel].unwrap();
    EntityManager::with_capacity(registry, Capacity::entities(size as u32)).unwrap()
}

fn filled(size: usize) -> (EntityManager, Vec<EntityHandle>) {
    let mut manager = empty(size);
    let handles = manager.spawn_batch((0..size).map(|number| (value(number), position(number)))).unwrap();
    (manager, handles)
}

fn plain(size: usize) -> (Vec<Base>, Vec<Crate>) {
    ((0..size).map(base).collect(), (0..size).map(value).collect())
}

/// Into memory that was touched before.
pub(crate) fn allocate(table: &mut Table) {
    for size in SIZES {
        let (mut bases, mut values) = plain(size);
        let (mut singly, _) = filled(size);
        let (mut batch, _) = filled(size);
        table.compare(
            size,
            size,
            vec![
                (
                    "limit: 48 + 80 bytes written",
                    Box::new(|| {
                        timed(|| {
                            for (number, (to_base, to_value)) in bases.iter_mut().zip(&mut values).enumerate() {
                                (*to_base, *to_value) = (base(number), value(number));
                            }
                            black_box((&mut bases, &mut values));
                        })
                    }),
                ),
                (
                    "juliet: spawn",
                    Box::new(|| {
                        singly.clear();
                        timed(|| {
                            for number in 0..size {
                                black_box(singly.spawn(value(number), position(number)).unwrap());
                            }
                        })
                    }),
                ),
                (
                    "juliet: spawn_batch",
                    Box::new(|| {
                        batch.clear();
                        timed(|| batch.spawn_batch((0..size).map(|number| (value(number), position(number)))).unwrap())
                    }),
                ),
            ],
        );
    }
}

/// A copy of an image with one field overridden, into memory that was touched before.
pub(crate) fn instantiate(table: &mut Table) {
    for size in SIZES {
        let (mut bases, mut values) = plain(size);
        let (mut singly, _) = filled(size);
        let (mut batch, _) = filled(size);
        let kind = singly.registry().find_kind::<Crate>().unwrap();
        let image = black_box(value(0));
        let image = ErasedRef::of_entity(&image);
        let place = |number: usize| Position::from(position(number));
        let places: Vec<Position> = (0..size).map(place).collect();
        let speed = |value: ErasedMut<'_>, number: usize| {
            *value.field(1).and_then(|field| field.downcast_mut::<f32>()).unwrap() = number as f32;
        };
        table.compare(
            size,
            size,
            vec![
                (
                    "limit: 48 + 80 bytes copied, 4 written",
                    Box::new(|| {
                        let image = value(0);
                        timed(|| {
                            for (number, (to_base, to_value)) in bases.iter_mut().zip(&mut values).enumerate() {
                                (*to_base, *to_value) = (base(number), *black_box(&image));
                                to_value.speed = number as f32;
                            }
                            black_box((&mut bases, &mut values));
                        })
                    }),
                ),
                (
                    "juliet: instantiate, a field by number",
                    Box::new(|| {
                        singly.clear();
                        timed(|| {
                            for number in 0..size {
                                let handle = singly.instantiate(kind, image, place(number), 1).unwrap();
                                speed(singly.value_mut_unmarked(handle).unwrap(), number);
                            }
                        })
                    }),
                ),
                (
                    "juliet: instantiate_each, a field by number",
                    Box::new(|| {
                        batch.clear();
                        let each = |number, value: ErasedMut<'_>| speed(value, number);
                        timed(|| batch.instantiate_each(kind, image, &places, 1, each).unwrap())
                    }),
                ),
            ],
        );
    }
}

pub(crate) fn positions(table: &mut Table) {
    for size in SIZES {
        let mut dense = vec![[0.0f32, 1.0, 2.0, 1.0]; size];
        let (mut manager, _) = filled(size);
        let step = black_box(Vec3::new(0.016, 0.008, 0.004));
        table.compare(
            size,
            size,
            vec![
                (
                    "limit: an array of 16 bytes",
                    Box::new(|| {
                        timed(|| {
                            for [x, y, z, _] in &mut dense {
                                (*x, *y, *z) = (*x + step.x, *y + step.y, *z + step.z);
                            }
                            black_box(&mut dense);
                        })
                    }),
                ),
                (
                    "juliet: for_each_position_mut",
                    Box::new(|| timed(|| manager.for_each_position_mut(|position| *position += step))),
                ),
            ],
        );
    }
}

/// Two classes take turns; one is walked.
pub(crate) fn values(table: &mut Table) {
    for size in SIZES {
        let count = size / 2;
        let mut dense: Vec<Crate> = (0..count).map(value).collect();
        let world = |left: usize| {
            let mut manager = empty(size);
            let mut handles = Vec::new();
            for number in 0..count {
                handles.push(manager.spawn(value(number), position(number)).unwrap());
                manager.spawn(Barrel { health: 1.0, rest: [7; 9] }, position(number)).unwrap();
            }
            Random(3).shuffle(&mut handles);
            handles[count * left / 100..].iter().for_each(|&handle| manager.remove(handle).unwrap());
            manager
        };
        let (mut full, mut half, mut tenth) = (world(100), world(50), world(10));
        fn walk(manager: &mut EntityManager) {
            manager.values_mut::<Crate>().for_each(|value| value.health -= value.velocity[0] * 0.01);
        }
        let walked = |table: &mut Table, units, name, manager: &mut EntityManager, dense: &mut Vec<Crate>| {
            let dense = &mut dense[..units];
            table.compare(
                size,
                units,
                vec![
                    (
                        "limit: an array of 80 bytes",
                        Box::new(|| {
                            timed(|| {
                                dense.iter_mut().for_each(|value| value.health -= value.velocity[0] * 0.01);
                                black_box(&mut *dense);
                            })
                        }),
                    ),
                    (name, Box::new(|| timed(|| walk(manager)))),
                ],
            );
        };
        walked(table, count, "juliet: values_mut", &mut full, &mut dense);
        walked(table, count / 2, "juliet: values_mut, 50 % tombstones, a live one", &mut half, &mut dense);
        walked(table, count / 10, "juliet: values_mut, 90 % tombstones, a live one", &mut tenth, &mut dense);
    }
}

pub(crate) fn random(table: &mut Table) {
    for size in SIZES {
        let reads = 200_000;
        let (bases, _) = plain(size);
        let (manager, handles) = filled(size);
        let mut random = Random(5);
        let order: Vec<EntityHandle> = (0..reads).map(|_| handles[random.below(size)]).collect();
        let indices: Vec<(u32, u32)> = order.iter().map(|handle| (handle.index(), 0)).collect();
        table.compare(
            size,
            reads,
            vec![
                (
                    "limit: 48 bytes by index and generation",
                    Box::new(|| {
                        timed(|| {
                            let live = |&(index, generation): &(u32, u32)| {
                                bases.get(index as usize).filter(|base| base.generation == generation)
                            };
                            indices.iter().filter_map(live).map(|base| base.position[0]).sum::<f32>()
                        })
                    }),
                ),
                (
                    "juliet: position",
                    Box::new(|| {
                        timed(|| order.iter().filter_map(|&at| manager.position(at)).map(|p| p.x).sum::<f32>())
                    }),
                ),
                (
                    "juliet: get::<T>",
                    Box::new(|| {
                        timed(|| order.iter().filter_map(|&at| manager.get::<Crate>(at)).map(|v| v.health).sum::<f32>())
                    }),
                ),
            ],
        );
    }
}

pub(crate) fn churn(table: &mut Table) {
    for size in SIZES {
        let (mut bases, mut values) = plain(size);
        let (mut manager, mut handles) = filled(size);
        let victims = |round: &mut u64| {
            *round += 1;
            let mut all: Vec<u32> = (0..size as u32).collect();
            Random(*round).shuffle(&mut all);
            all.truncate(size / 2);
            all
        };
        let (mut limit_round, mut round) = (0, 0);
        let mut free = Vec::with_capacity(size);
        table.compare(
            size,
            size / 2,
            vec![
                (
                    "limit: a free list",
                    Box::new(|| {
                        let victims = victims(&mut limit_round);
                        timed(|| {
                            for &at in &victims {
                                bases[at as usize].generation += 1;
                                free.push(at);
                            }
                            while let Some(at) = free.pop() {
                                let generation = bases[at as usize].generation;
                                values[at as usize] = value(at as usize);
                                bases[at as usize] = Base { generation, ..base(at as usize) };
                            }
                        })
                    }),
                ),
                (
                    "juliet: remove, spawn",
                    Box::new(|| {
                        let victims = victims(&mut round);
                        timed(|| {
                            victims.iter().for_each(|&at| manager.remove(handles[at as usize]).unwrap());
                            for &at in &victims {
                                let number = at as usize;
                                handles[number] = manager.spawn(value(number), position(number)).unwrap();
                            }
                        })
                    }),
                ),
            ],
        );
    }
}

pub(crate) fn dirty(table: &mut Table) {
    for size in SIZES {
        let mut bits = vec![0u64; size.div_ceil(64)];
        bits[size / 2 / 64] = 1 << (size / 2 % 64);
        let (mut manager, handles) = filled(size);
        let clean = handles.iter().filter(|handle| handle.index() as usize != size / 2);
        clean.for_each(|&handle| manager.mark_clean(handle).unwrap());
        table.compare(
            size,
            1,
            vec![
                (
                    "limit: scan of a bit set",
                    Box::new(|| {
                        timed(|| {
                            bits.iter().enumerate().filter(|(_, word)| **word != 0).map(|(at, _)| at).sum::<usize>()
                        })
                    }),
                ),
                ("juliet: dirty", Box::new(|| timed(|| manager.dirty().map(|handle| handle.index()).sum::<u32>()))),
            ],
        );
    }
}
