//! A7 to A9: two components of each entity, one that comes and goes, and systems that do nothing.
use crate::*;
use std::hint::black_box;

/// Systems in a schedule of A9.
pub const SYSTEMS: usize = 100;

/// A component of 16 bytes that A8 adds to every second entity and takes away again.
macro_rules! burning {
    ($($derive:path),*) => {
        #[derive(Clone, Copy, Default, $($derive),*)]
        #[allow(dead_code, reason = "written only")]
        pub struct Burning {
            pub left: f32,
            pub damage: f32,
            pub by: u64,
        }

        fn burning(i: usize) -> Burning {
            Burning { left: 2.0, damage: i as f32, by: i as u64 }
        }
    };
}

pub mod juliet_ {
    use super::*;
    use juliet::prelude::*;
    use juliet::schedule::{Schedule, system};
    use juliet::{Capacity, EntityManager};

    burning!(juliet::Component);

    #[derive(juliet::Component, Clone, Copy, Default)]
    pub struct Transform {
        pub pos: [f32; 4],
        pub vel: [f32; 4],
    }

    #[derive(juliet::Component, Clone, Copy, Default)]
    pub struct Payload {
        pub hp: f32,
        pub speed: f32,
        pub rest: [u64; 7],
    }

    #[derive(juliet::Entity, Clone, Copy, Default)]
    pub struct Body;

    fn filled() -> (EntityManager, Vec<EntityHandle>) {
        let registry = juliet::registry![Body, Transform, Payload, Burning].unwrap();
        let mut m = EntityManager::with_capacity(registry, Capacity::entities(N as u32)).unwrap();
        let mut handles = vec![];
        for i in 0..N {
            let (transform, payload) = fresh!(i);
            let handle = m.spawn(Body, Vec3::new(0.0, 0.0, 0.0)).unwrap();
            m.add(handle, transform).unwrap();
            m.add(handle, payload).unwrap();
            handles.push(handle);
        }
        (m, handles)
    }

    pub fn query(g: &mut Group) {
        let (mut m, _) = filled();
        g.case(Own, "juliet: query::<(&mut Transform, &Payload)>", N, move || {
            timed(|| {
                m.query::<(&mut Transform, &Payload)>().unwrap().for_each(|_, (mut transform, payload)| {
                    let Transform { pos, vel } = &mut *transform;
                    super::drag(pos, vel, payload.speed);
                })
            })
        });
    }

    pub fn add_remove(g: &mut Group) {
        let (mut m, handles) = filled();
        g.case(Own, "juliet: add, remove_component", N / 2, move || {
            timed(|| {
                for (i, &handle) in handles.iter().enumerate().step_by(2) {
                    m.add(handle, burning(i)).unwrap();
                }
                for &handle in handles.iter().step_by(2) {
                    m.remove_component::<Burning>(handle).unwrap();
                }
            })
        });
    }

    pub fn systems(g: &mut Group) {
        for is_measured in [false, true] {
            let mut schedule = Schedule::<u64>::new();
            schedule.measure(is_measured);
            for i in 0..SYSTEMS {
                schedule.add(system(format!("system {i}"), |world: &mut u64| *black_box(world) += 1)).unwrap();
            }
            let mut world = 0;
            schedule.run(&mut world).unwrap();
            let (kind, what) = if is_measured { (Info, ", measured") } else { (Own, "") };
            g.case(kind, &format!("juliet: Schedule::run{what}"), SYSTEMS * 100, move || {
                timed(|| (0..100).for_each(|_| schedule.run(black_box(&mut world)).unwrap()))
            });
        }
    }
}

pub mod bevy {
    use super::*;
    use bevy_ecs::prelude::*;
    use bevy_ecs::schedule::SingleThreadedExecutor;

    components!(Component;);
    burning!(Component);

    #[derive(Clone, Copy, Component)]
    #[component(storage = "SparseSet")]
    struct Sparse(#[expect(dead_code, reason = "written only")] Burning);

    fn filled() -> (World, Vec<Entity>) {
        let mut w = World::new();
        let e = w.spawn_batch((0..N).map(|i| fresh!(i))).collect();
        (w, e)
    }

    pub fn query(g: &mut Group) {
        let (mut w, _) = filled();
        let mut q = w.query::<(&mut Transform, &Payload)>();
        g.case(Peer, "bevy: query::<(&mut Transform, &Payload)>", N, move || {
            timed(|| {
                for (mut transform, payload) in q.iter_mut(&mut w) {
                    let Transform { pos, vel } = &mut *transform;
                    super::drag(pos, vel, payload.speed);
                }
            })
        });
    }

    pub fn add_remove(g: &mut Group) {
        let (mut w, handles) = filled();
        g.case(Peer, "bevy: insert, remove (table)", N / 2, move || {
            timed(|| {
                for (i, &e) in handles.iter().enumerate().step_by(2) {
                    w.entity_mut(e).insert(burning(i));
                }
                for &e in handles.iter().step_by(2) {
                    w.entity_mut(e).remove::<Burning>();
                }
            })
        });
        let (mut w, handles) = filled();
        g.case(Peer, "bevy: insert, remove (sparse set)", N / 2, move || {
            timed(|| {
                for (i, &e) in handles.iter().enumerate().step_by(2) {
                    w.entity_mut(e).insert(Sparse(burning(i)));
                }
                for &e in handles.iter().step_by(2) {
                    w.entity_mut(e).remove::<Sparse>();
                }
            })
        });
    }

    #[derive(Resource)]
    struct Count(u64);

    pub fn systems(g: &mut Group) {
        for exclusive in [false, true] {
            let mut schedule = Schedule::default();
            schedule.set_executor(SingleThreadedExecutor::new());
            for _ in 0..SYSTEMS {
                match exclusive {
                    false => schedule.add_systems(|mut count: ResMut<Count>| count.0 += 1),
                    true => schedule.add_systems(|world: &mut World| {
                        black_box(world);
                    }),
                };
            }
            let mut w = World::new();
            w.insert_resource(Count(0));
            schedule.run(&mut w);
            let what = if exclusive { "exclusive systems" } else { "systems with a resource" };
            g.case(Peer, &format!("bevy: single-threaded executor, {what}"), SYSTEMS * 100, move || {
                timed(|| (0..100).for_each(|_| schedule.run(black_box(&mut w))))
            });
        }
    }
}

pub mod hecs_ {
    use super::*;
    use hecs::{Entity, World};

    components!(;);
    burning!();

    fn filled() -> (World, Vec<Entity>) {
        let mut w = World::new();
        let e = w.spawn_batch((0..N).map(|i| fresh!(i))).collect();
        (w, e)
    }

    pub fn query(g: &mut Group) {
        let (mut w, _) = filled();
        g.case(Peer, "hecs: query_mut::<(&mut Transform, &Payload)>", N, move || {
            timed(|| {
                for (transform, payload) in w.query_mut::<(&mut Transform, &Payload)>() {
                    super::drag(&mut transform.pos, &transform.vel, payload.speed);
                }
            })
        });
    }

    pub fn add_remove(g: &mut Group) {
        let (mut w, handles) = filled();
        g.case(Peer, "hecs: insert_one, remove_one", N / 2, move || {
            timed(|| {
                for (i, &e) in handles.iter().enumerate().step_by(2) {
                    w.insert_one(e, burning(i)).unwrap();
                }
                for &e in handles.iter().step_by(2) {
                    w.remove_one::<Burning>(e).unwrap();
                }
            })
        });
    }
}

/// The kernel of A7.
#[inline(always)]
fn drag(pos: &mut [f32; 4], vel: &[f32; 4], speed: f32) {
    for k in 0..4 {
        pos[k] += vel[k] * speed * 0.016;
    }
}

/// The kernel over two arrays.
pub fn limit_query(g: &mut Group) {
    let mut both: Vec<([f32; 4], [f32; 4])> = vec![Default::default(); N];
    let payloads: Vec<(f32, f32, [u64; 7])> = vec![(1.0, 1.0, [7; 7]); N];
    g.case(Limit, "limit: two arrays", N, move || {
        timed(|| {
            for ((pos, vel), payload) in both.iter_mut().zip(&payloads) {
                drag(pos, vel, payload.1);
            }
        })
    });
}
