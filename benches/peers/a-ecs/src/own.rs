//! Juliet: a base of 48 bytes and a derived value of 80, as in the limit kernels.
use crate::*;
use juliet::prelude::*;
use juliet::{Capacity, EntityManager, ErasedRef};
use std::hint::black_box;

macro_rules! classes {
    ($($name:ident)*) => {$(
        #[derive(juliet::Entity, Clone, Copy)]
        pub struct $name {
            #[jasset(default = 100.0)]
            hp: f32,
            speed: f32,
            #[jasset(default = [1.0, 0.5, 0.25, 0.0])]
            vel: [f32; 4],
            owner: u32,
            pad: u32,
            #[jasset(default = [7; 6])]
            rest: [u64; 6],
        }
        const _: () = assert!(size_of::<$name>() == 80);
    )*};
}
classes!(D0 D1 D2 D3 D4 D5 D6 D7);

fn value(i: usize) -> (D3, Vec3) {
    let value = D3 { hp: 100.0, speed: i as f32, vel: [1.0, 0.5, 0.25, 0.0], owner: i as u32, pad: 0, rest: [7; 6] };
    (value, Vec3::new(i as f32, 1.0, 2.0))
}

fn manager(capacity: Capacity) -> EntityManager {
    let registry = juliet::registry![D0, D1, D2, D3, D4, D5, D6, D7].unwrap();
    EntityManager::with_capacity(registry, capacity).unwrap()
}

fn room() -> Capacity {
    Capacity::entities(N as u32)
}

fn filled() -> (EntityManager, Vec<EntityHandle>) {
    let mut m = manager(room());
    let handles = m.spawn_batch((0..N).map(value)).unwrap();
    (m, handles)
}

/// What 128 KiB blocks kept by malloc are to the peers, a cleared manager is to this: its pages were touched before.
pub fn spawn(g: &mut Group) {
    let (mut m, _) = filled();
    g.case(Own, "juliet: spawn, one by one, cleared manager", N, move || {
        m.clear();
        timed(|| {
            for i in 0..N {
                let (value, position) = value(i);
                black_box(m.spawn(value, position).unwrap());
            }
        })
    });
    let (mut m, _) = filled();
    g.case(Own, "juliet: spawn_batch, cleared manager", N, move || {
        m.clear();
        timed(|| m.spawn_batch((0..N).map(value)).unwrap())
    });
    let (mut m, _) = filled();
    let kind = m.registry().find_kind::<D3>().unwrap();
    g.case(Own, "juliet: allocate by kind (defaults), cleared manager", N, move || {
        m.clear();
        timed(|| {
            for _ in 0..N {
                black_box(m.allocate(kind).unwrap());
            }
        })
    });
    for (what, capacity, touch) in [
        ("4 KiB pages", room(), false),
        ("2 MiB pages", room().with_huge_pages(), false),
        ("touched before", room().with_pre_touch(), true),
    ] {
        g.case(Info, &format!("juliet: spawn_batch, new manager, {what}"), N, move || {
            let mut m = manager(capacity);
            if touch {
                m.pre_touch(m.registry().find_kind::<D3>().unwrap(), N as u32);
            }
            timed(move || {
                let handles = m.spawn_batch((0..N).map(value)).unwrap();
                (m, handles)
            })
        });
    }
}

/// One by one and as a batch; the field is overridden through the table of the class, by number, as a file's overrides are.
pub fn prefab(g: &mut Group) {
    const SPEED: usize = 1;
    let (image, _) = value(0);
    let speed_of = |m: &mut EntityManager, handle, speed: f32| {
        let field = m.value_mut_unmarked(handle).and_then(|value| value.field(SPEED));
        *field.and_then(|field| field.downcast_mut::<f32>()).unwrap() = speed;
    };
    let (mut m, _) = filled();
    let kind = m.registry().find_kind::<D3>().unwrap();
    g.case(Own, "juliet: instantiate + override by reflection, one by one", N, move || {
        m.clear();
        timed(|| {
            for i in 0..N {
                let at = Position::new(i as f32, 1.0, 2.0);
                let handle = m.instantiate(kind, ErasedRef::of_entity(black_box(&image)), at, 1).unwrap();
                speed_of(&mut m, handle, i as f32);
            }
        })
    });
    let (mut m, _) = filled();
    g.case(Own, "juliet: instantiate + get_mut, one by one", N, move || {
        m.clear();
        timed(|| {
            for i in 0..N {
                let at = Position::new(i as f32, 1.0, 2.0);
                let handle = m.instantiate(kind, ErasedRef::of_entity(black_box(&image)), at, 1).unwrap();
                m.get_mut::<D3>(handle).unwrap().speed = i as f32;
            }
        })
    });
    let (mut m, _) = filled();
    let positions: Vec<Position> = (0..N).map(|i| Position::new(i as f32, 1.0, 2.0)).collect();
    let at = positions.clone();
    g.case(Own, "juliet: instantiate_many + override by reflection", N, move || {
        m.clear();
        timed(|| {
            let handles = m.instantiate_many(kind, ErasedRef::of_entity(black_box(&image)), &at, 1).unwrap();
            for (i, &handle) in handles.iter().enumerate() {
                speed_of(&mut m, handle, i as f32);
            }
            handles
        })
    });
    let (mut m, _) = filled();
    let at = positions.clone();
    g.case(Own, "juliet: instantiate_each, override by reflection", N, move || {
        m.clear();
        timed(|| {
            let image = ErasedRef::of_entity(black_box(&image));
            m.instantiate_each(kind, image, &at, 1, |i, value| {
                *value.field(SPEED).and_then(|field| field.downcast_mut::<f32>()).unwrap() = i as f32;
            })
            .unwrap()
        })
    });
    let (mut m, _) = filled();
    let at = positions.clone();
    g.case(Own, "juliet: instantiate_many + values_mut", N, move || {
        m.clear();
        timed(|| {
            let handles = m.instantiate_many(kind, ErasedRef::of_entity(black_box(&image)), &at, 1).unwrap();
            m.values_mut::<D3>().enumerate().for_each(|(i, value)| value.speed = i as f32);
            handles
        })
    });
    let (mut m, _) = filled();
    g.case(Info, "juliet: instantiate_many, nothing overridden", N, move || {
        m.clear();
        timed(|| m.instantiate_many(kind, ErasedRef::of_entity(black_box(&image)), &positions, 1).unwrap())
    });
}

pub fn iterate(g: &mut Group) {
    let (mut m, _) = filled();
    let velocity = black_box(Vec3::new(1.0, 0.5, 0.25));
    g.case(Own, "juliet: for_each_position_mut, same velocity for all", N, move || {
        timed(|| m.for_each_position_mut(|position| *position += velocity * 0.016))
    });
    let (mut m, _) = filled();
    g.case(Info, "juliet: for_each_of_mut, velocity in the derived value", N, move || {
        timed(|| {
            m.for_each_of_mut::<D3>(|_, value, mut position| *position += Vec3::from_slice(&value.vel) * 0.016);
        })
    });
}

/// Eight classes taking turns; of the one that is iterated, `left` percent remain.
fn mixed_world(left: usize) -> (EntityManager, usize) {
    let mut m = manager(room());
    let mut handles = vec![];
    for i in 0..N {
        let (v, p) = value(i / 8);
        macro_rules! spawn {
            ($($k:literal $D:ident)*) => {
                match i % 8 {
                    $($k => m.spawn($D { hp: v.hp, speed: v.speed, vel: v.vel, owner: v.owner, pad: 0, rest: v.rest }, p).unwrap(),)*
                    _ => unreachable!(),
                }
            };
        }
        let handle = spawn!(0 D0 1 D1 2 D2 3 D3 4 D4 5 D5 6 D6 7 D7);
        if i % 8 == 3 {
            handles.push(handle);
        }
    }
    Rng(3).shuffle(&mut handles);
    let keep = handles.len() * left / 100;
    for &handle in &handles[keep..] {
        m.remove(handle).unwrap();
    }
    (m, keep)
}

pub fn mixed(g: &mut Group) {
    for (left, kind) in [(100, Own), (50, Info), (10, Info)] {
        let what = if left == 100 { String::new() } else { format!(", {}% tombstones, a live one", 100 - left) };
        let (mut m, n) = mixed_world(left);
        g.case(kind, &format!("juliet: values_mut, derived only{what}"), n, move || {
            timed(|| {
                for value in m.values_mut::<D3>() {
                    value.hp -= value.vel[0] * 0.01;
                }
            })
        });
        let (mut m, n) = mixed_world(left);
        g.case(kind, &format!("juliet: iter_of_mut, base position by index{what}"), n, move || {
            timed(|| {
                for mut item in m.iter_of_mut::<D3>() {
                    let x = item.position().x;
                    item.value.hp -= x * 0.01;
                }
            })
        });
    }
}

pub fn random(g: &mut Group) {
    let (m, handles) = filled();
    let order: Vec<EntityHandle> = read_order().iter().map(|&i| handles[i as usize]).collect();
    let o = order.clone();
    g.case(Own, "juliet: position of a handle", READS, move || {
        timed(|| o.iter().map(|&handle| m.position(handle).unwrap().x).sum::<f32>())
    });
    let (m, handles) = filled();
    let order: Vec<EntityHandle> = read_order().iter().map(|&i| handles[i as usize]).collect();
    g.case(Own, "juliet: get::<T>, one field", READS, move || {
        timed(|| order.iter().map(|&handle| m.get::<D3>(handle).unwrap().hp).sum::<f32>())
    });
}

pub fn churn(g: &mut Group) {
    let (mut m, mut handles) = filled();
    let mut round = 0;
    g.case(Own, "juliet: remove, spawn", N / 2, move || {
        round += 1;
        let kill = victims(round);
        timed(|| {
            for &i in &kill {
                m.remove(handles[i as usize]).unwrap();
            }
            for &i in &kill {
                let (value, position) = value(i as usize);
                handles[i as usize] = m.spawn(value, position).unwrap();
            }
        })
    });
}
