//! Lists and queries against a plain model.

use glam::Vec3;
use juliet_derive::{Component, Entity};
use proptest::prelude::*;

use crate::EntityHandle;
use crate::class::ClassRegistry;
use crate::entity::{Capacity, EntityList, EntityManager, Position, QueryError};

#[derive(Entity)]
#[jasset(crate = "crate")]
struct Crate {
    hits: u32,
}

#[derive(Entity)]
#[jasset(crate = "crate")]
struct Tree {
    height: u32,
}

#[derive(Component)]
#[jasset(crate = "crate")]
struct Speed {
    value: i64,
}

#[derive(Component)]
#[jasset(crate = "crate")]
struct Name {
    text: String,
}

#[derive(Component)]
#[jasset(crate = "crate")]
struct Asleep;

#[derive(Component)]
#[jasset(crate = "crate")]
struct Stranger;

fn manager() -> EntityManager {
    let classes = ClassRegistry::new().with::<Crate>().unwrap().with::<Tree>().unwrap();
    let classes = classes.with::<Speed>().unwrap().with::<Name>().unwrap().with::<Asleep>().unwrap();
    EntityManager::new(classes).unwrap()
}

#[test]
fn one_type_is_borrowed_once() {
    let mut manager = manager();
    let twice = Err(QueryError::Twice { name: "Speed" });
    assert_eq!(manager.query::<(&mut Speed, &mut Speed)>().map(|_| ()), twice);
    assert_eq!(manager.query::<(&Speed, Option<&mut Speed>)>().map(|_| ()), twice);
    assert_eq!(
        manager.query::<(&Position, (&mut Position,))>().map(|_| ()),
        Err(QueryError::Twice { name: "Position" })
    );
    assert_eq!(manager.query::<&Stranger>().map(|_| ()), Err(QueryError::NotRegistered { class: "Stranger" }));
    assert!(manager.query::<(&Crate, &Tree, &mut Speed, Option<&Name>, &mut Position)>().is_ok());
}

#[test]
fn writing_marks_what_is_written_to_and_reading_nothing() {
    let mut manager = manager();
    let all: Vec<EntityHandle> = (0..200)
        .map(|hits| {
            let handle = manager.spawn(Crate { hits }, Vec3::ZERO).unwrap();
            manager.add(handle, Speed { value: i64::from(hits) }).unwrap();
            manager.mark_clean(handle).unwrap();
            handle
        })
        .collect();
    let mut sum = 0;
    manager.query::<(&mut Speed, &Crate, &mut Position)>().unwrap().for_each(|_, (speed, crate_, _)| {
        sum += speed.value + i64::from(crate_.hits);
    });
    assert_eq!((sum, manager.dirty().count()), (199 * 200, 0));
    manager.query::<(&mut Speed, &Crate)>().unwrap().for_each(|_, (mut speed, crate_)| {
        if crate_.hits % 50 == 7 {
            speed.value = -1;
        }
    });
    assert_eq!(manager.dirty().collect::<Vec<_>>(), [all[7], all[57], all[107], all[157]]);
}

#[test]
fn k29_a_pass_visits_each_once_and_removals_wait_for_its_end() {
    let mut manager = manager();
    let all: Vec<EntityHandle> = (0..10).map(|hits| manager.spawn(Crate { hits }, Vec3::ZERO).unwrap()).collect();
    for &handle in &all {
        manager.add(handle, Speed { value: 0 }).unwrap();
    }
    let address = std::ptr::from_ref(manager.get::<Crate>(all[5]).unwrap());
    // The pass borrows the manager, so changes of structure are noted and carried out behind it.
    let (mut seen, mut gone, mut fresh) = (Vec::new(), Vec::new(), 0);
    manager.query::<(&mut Speed, &Crate)>().unwrap().for_each(|handle, (mut speed, crate_)| {
        seen.push(handle);
        speed.value += 1;
        match crate_.hits {
            0 => gone.extend([all[0], all[1], all[9]]),
            4 => fresh += 2,
            7 => gone.extend(&all),
            _ => {}
        }
    });
    assert_eq!(seen, all);
    assert_eq!(std::ptr::from_ref(manager.get::<Crate>(all[5]).unwrap()), address);
    let spawned: Vec<_> = (0..fresh).map(|_| manager.spawn(Crate { hits: 10 }, Vec3::ZERO).unwrap()).collect();
    for &handle in &gone {
        // Some are named twice.
        let _ = manager.remove(handle);
    }
    assert_eq!(manager.list().collect().handles(), spawned);
    assert_eq!((manager.list().len(), manager.list().without::<Speed>().len()), (2, 2));
    assert!(all.iter().all(|&handle| !manager.contains(handle)));
    manager.validate().unwrap();
}

#[test]
fn a_list_is_a_picture_and_forgets_who_is_gone() {
    let mut manager = manager();
    let old = manager.spawn(Crate { hits: 1 }, Vec3::ZERO).unwrap();
    let kept = manager.spawn(Crate { hits: 2 }, Vec3::ZERO).unwrap();
    let list = manager.list().of_type::<Crate>().collect();
    manager.remove(old).unwrap();
    let new = manager.spawn(Tree { height: 3 }, Vec3::ZERO).unwrap();
    assert_eq!(new.index(), old.index());
    assert_eq!(manager.list().within(&list).collect().handles(), [kept]);
    assert_eq!(list.len(), 2);
    let mut seen = Vec::new();
    manager.query::<&Crate>().unwrap().within(&list).for_each(|handle, _| seen.push(handle));
    assert_eq!(seen, [kept]);
    assert_eq!(manager.list().filter(|manager, it| manager.get::<Tree>(it).is_some()).collect().handles(), [new]);
    let both: EntityList = [kept, new, kept].into_iter().collect();
    assert_eq!(both.handles(), [new, kept]);
}

/// An entity of the model: whether it is a tree, and its components.
#[derive(Clone, Debug)]
struct Plain {
    handle: EntityHandle,
    tree: bool,
    speed: Option<i64>,
    name: Option<String>,
    asleep: bool,
}

#[derive(Clone, Debug)]
enum Act {
    Spawn(bool),
    Remove(usize),
    Speed(usize, i64),
    Name(usize),
    Sleep(usize),
    Lose(usize, u8),
    Compact,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => any::<bool>().prop_map(Act::Spawn),
        2 => any::<usize>().prop_map(Act::Remove),
        5 => (any::<usize>(), -9_i64..9).prop_map(|(at, value)| Act::Speed(at, value)),
        3 => any::<usize>().prop_map(Act::Name),
        3 => any::<usize>().prop_map(Act::Sleep),
        3 => (any::<usize>(), 0_u8..3).prop_map(|(at, which)| Act::Lose(at, which)),
        1 => Just(Act::Compact),
    ]
}

fn play(manager: &mut EntityManager, model: &mut Vec<Plain>, act: Act) {
    let at = |index: usize, model: &Vec<Plain>| index.checked_rem(model.len());
    match act {
        Act::Spawn(tree) => {
            let handle = match tree {
                true => manager.spawn(Tree { height: 1 }, Vec3::ZERO).unwrap(),
                false => manager.spawn(Crate { hits: 1 }, Vec3::ZERO).unwrap(),
            };
            model.push(Plain { handle, tree, speed: None, name: None, asleep: false });
        }
        Act::Remove(index) => {
            let Some(index) = at(index, model) else { return };
            manager.remove(model.swap_remove(index).handle).unwrap();
        }
        Act::Speed(index, value) => {
            let Some(index) = at(index, model) else { return };
            let there = manager.add(model[index].handle, Speed { value }).unwrap().value;
            assert_eq!(there, *model[index].speed.get_or_insert(value));
        }
        Act::Name(index) => {
            let Some(index) = at(index, model) else { return };
            let text = format!("{index}");
            let there = manager.add(model[index].handle, Name { text: text.clone() }).unwrap().text.clone();
            assert_eq!(there, *model[index].name.get_or_insert(text));
        }
        Act::Sleep(index) => {
            let Some(index) = at(index, model) else { return };
            manager.add(model[index].handle, Asleep).unwrap();
            model[index].asleep = true;
        }
        Act::Lose(index, which) => {
            let Some(index) = at(index, model) else { return };
            let plain = &mut model[index];
            let (had, lost) = match which {
                0 => (plain.speed.take().is_some(), manager.remove_component::<Speed>(plain.handle)),
                1 => (plain.name.take().is_some(), manager.remove_component::<Name>(plain.handle)),
                _ => (std::mem::take(&mut plain.asleep), manager.remove_component::<Asleep>(plain.handle)),
            };
            assert_eq!(lost, Ok(had));
        }
        Act::Compact => {
            let moves = manager.compact().moves;
            for (old, new) in moves {
                if let Some(plain) = model.iter_mut().find(|plain| plain.handle == old) {
                    plain.handle = new;
                }
            }
        }
    }
}

fn check(manager: &mut EntityManager, model: &mut [Plain]) {
    manager.validate().unwrap();
    model.sort_by_key(|plain| plain.handle.index());
    let wanted = |is_wanted: &dyn Fn(&Plain) -> bool| -> Vec<EntityHandle> {
        model.iter().filter(|plain| is_wanted(plain)).map(|plain| plain.handle).collect()
    };
    let list = manager.list();
    assert_eq!(list.collect().handles(), wanted(&|_| true));
    assert_eq!(list.clone().of_type::<Tree>().collect().handles(), wanted(&|it| it.tree));
    let awake = list.with::<Speed>().without::<Asleep>();
    assert_eq!(awake.collect().handles(), wanted(&|it| it.speed.is_some() && !it.asleep));
    let mut seen = Vec::new();
    let query =
        manager.query::<(&mut Speed, Option<&Name>, &mut Position)>().unwrap().without::<Asleep>().with::<Crate>();
    let count = query.count();
    query.for_each(|handle, (speed, name, mut position)| {
        seen.push((handle, speed.value, name.map(|name| name.text.clone())));
        position.x += 1.0;
    });
    let plain: Vec<_> = model
        .iter()
        .filter(|it| it.speed.is_some() && !it.asleep && !it.tree)
        .map(|it| (it.handle, it.speed.unwrap(), it.name.clone()))
        .collect();
    assert_eq!((count, &seen), (plain.len(), &plain));
    let sum = std::sync::atomic::AtomicI64::new(0);
    manager.query::<&Speed>().unwrap().par_for_each(|_, speed| {
        sum.fetch_add(speed.value, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(sum.into_inner(), model.iter().filter_map(|it| it.speed).sum::<i64>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn lists_and_queries_agree_with_a_plain_map(acts in prop::collection::vec(act(), 0..200)) {
        let (mut manager, mut model) = (manager(), Vec::new());
        for (index, act) in acts.into_iter().enumerate() {
            play(&mut manager, &mut model, act);
            if index % 16 == 15 {
                check(&mut manager, &mut model);
            }
        }
        check(&mut manager, &mut model);
    }
}

/// No size.
#[derive(Component)]
#[jasset(crate = "crate")]
struct Unit;

/// More than a page apart.
#[derive(Component)]
#[jasset(crate = "crate")]
#[repr(align(8192))]
struct Wide {
    number: u64,
}

#[test]
fn values_without_size_and_over_aligned_ones_are_visited_on_threads() {
    let classes = ClassRegistry::new().with::<Crate>().unwrap().with::<Unit>().unwrap().with::<Wide>().unwrap();
    let mut manager = EntityManager::with_capacity(classes, Capacity::entities(3_000)).unwrap();
    let all: Vec<_> = (0..2_000).map(|hits| manager.spawn(Crate { hits }, Vec3::ZERO).unwrap()).collect();
    // Rows in another order than slots.
    for (number, &handle) in all.iter().enumerate().rev().filter(|(number, _)| number % 8 == 0) {
        manager.add(handle, Unit).unwrap();
        manager.add(handle, Wide { number: number as u64 }).unwrap();
    }
    for &handle in all.iter().step_by(3) {
        manager.remove(handle).unwrap();
    }
    manager.compact();
    manager.validate().unwrap();
    let mut fork = manager.fork().unwrap();
    fork.query::<(&mut Unit, &mut Wide, &Crate)>().unwrap().par_for_each(|_, (unit, wide, crate_)| {
        let wide = wide.into_mut();
        assert_eq!((core::ptr::from_mut(wide).addr() % 8192, wide.number), (0, u64::from(crate_.hits)));
        wide.number += 1;
        unit.into_mut();
    });
    fork.validate().unwrap();
    let sums = |manager: &mut EntityManager| {
        let (mut count, mut sum) = (0, 0);
        manager
            .query::<(&Unit, &Wide)>()
            .unwrap()
            .for_each(|_, (_, wide)| (count, sum) = (count + 1, sum + wide.number));
        (count, sum)
    };
    let expected =
        (0..2_000).filter(|number| number % 8 == 0 && number % 3 != 0).fold((0, 0), |(n, s), it| (n + 1, s + it));
    assert_eq!(sums(&mut manager), expected);
    assert_eq!(sums(&mut fork), (expected.0, expected.1 + expected.0));
}

#[test]
fn panic_in_a_visit_ends_the_visit_and_leaves_the_manager_whole() {
    let mut manager = manager();
    for hits in 0..5_000 {
        let handle = manager.spawn(Crate { hits }, Vec3::ZERO).unwrap();
        manager.add(handle, Name { text: hits.to_string() }).unwrap();
    }
    let visit = |manager: &mut EntityManager| {
        manager.query::<(&mut Name, &Crate)>().unwrap().par_for_each(|_, (mut name, crate_)| {
            name.text.push('!');
            assert!(crate_.hits != 4_321, "as asked");
        });
    };
    assert!(std::panic::catch_unwind(core::panic::AssertUnwindSafe(|| visit(&mut manager))).is_err());
    manager.validate().unwrap();
    manager.query::<(&Name, &Crate)>().unwrap().for_each(|_, (name, crate_)| {
        assert_eq!(name.text.trim_end_matches('!'), crate_.hits.to_string());
    });
}

#[test]
fn threads_write_to_every_entity_once() {
    let mut manager = manager();
    for hits in 0..10_000 {
        let handle = manager.spawn(Crate { hits }, Vec3::ZERO).unwrap();
        if hits % 3 != 0 {
            manager.add(handle, Speed { value: i64::from(hits) }).unwrap();
        }
    }
    manager.query::<(&mut Speed, &Crate, &mut Position)>().unwrap().par_for_each(
        |_, (mut speed, crate_, mut position)| {
            speed.value += i64::from(crate_.hits);
            position.y += 1.0;
        },
    );
    let mut visited = 0;
    manager.query::<(&Speed, &Crate, &Position)>().unwrap().for_each(|_, (speed, crate_, position)| {
        assert_eq!((speed.value, position.y), (2 * i64::from(crate_.hits), 1.0));
        visited += 1;
    });
    assert_eq!(visited, 6_666);
}
