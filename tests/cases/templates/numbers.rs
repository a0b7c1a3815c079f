//! NaN, -0.0 and subnormals count by their bits; `post_init` makes no overrides.

use juliet::prelude::*;

use super::{based_on, find, get, project, project_with};
use crate::support::classes::Rock;
use crate::support::{entity_in, save, save_all};

#[test]
fn floats_count_by_their_bits_in_overrides_dirt_and_propagation() {
    let tiny = f32::from_bits(1);
    let values = [0.0_f32, -0.0, f32::NAN, tiny, -tiny, f32::MIN_POSITIVE, f32::INFINITY, f32::NEG_INFINITY, 1.0];
    let same = |a: f32, b: f32| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    for from in values {
        for to in values {
            let project = project(
                &[("Base", "; entity_type: Rock\n")],
                &[("I.jasset", &based_on("Base", "")), ("Own.jasset", &based_on("Base", "Hits: 1\n"))],
            );
            let mut world = project.load_clean();
            let (base, i, own) = (find(&world, "Base"), entity_in(&world, "I.jasset"), entity_in(&world, "Own.jasset"));
            world.set(base, "Scale", from).unwrap();
            save(&mut world);
            // A typed write marks what differs.
            world.get_mut::<Rock>(own).unwrap().scale = to;
            let differs = !same(from, to);
            assert_eq!(world.is_overridden(own, "Scale"), differs, "{from} {to}");
            assert_eq!(world.is_dirty(own), differs, "{from} {to}");
            assert_eq!(world.diff(own).len(), 1 + usize::from(differs));
            // A change of the template reaches the one that follows.
            assert_eq!(world.set(base, "Scale", to).unwrap(), differs, "{from} {to}");
            assert!(same(world.get::<Rock>(i).unwrap().scale, to));
            assert_eq!(world.dirty_templates().len(), usize::from(differs));
            assert!(!world.is_dirty(i));
            save(&mut world);
            let mut again = project.load_clean();
            for name in ["I.jasset", "Own.jasset"] {
                let handle = entity_in(&again, name);
                assert!(same(again.get::<Rock>(handle).unwrap().scale, to), "{name} {from} {to}");
            }
            let own = entity_in(&again, "Own.jasset");
            assert_eq!(again.is_overridden(own, "Scale"), differs);
            assert!(save_all(&mut again).written.is_empty());
            assert_eq!(again.revert(own, "Scale").unwrap(), differs);
            assert_eq!(again.is_dirty(own), differs);
        }
    }
}

#[test]
fn payloads_of_nan_are_one_value() {
    let project = project(&[("Base", "; entity_type: Rock\nScale: nan\n")], &[("I.jasset", &based_on("Base", ""))]);
    let mut world = project.load_clean();
    let i = entity_in(&world, "I.jasset");
    for bits in [0x7FC0_0000, 0x7F80_0001, 0xFFC1_2345] {
        world.get_mut::<Rock>(i).unwrap().scale = f32::from_bits(bits);
        assert!(!world.is_dirty(i) && world.overrides(i).is_empty(), "{bits:x}");
    }
    assert!(save_all(&mut world).written.is_empty());
}

/// A ball whose volume follows from its size.
#[derive(Entity)]
#[jasset(post_init = swell)]
struct Ball {
    size: f32,
    volume: f32,
    color: String,
    #[jasset(skip)]
    loaded: bool,
}

fn swell(ball: &mut Ball) {
    ball.volume = ball.size * ball.size * ball.size;
    ball.color.make_ascii_lowercase();
    ball.loaded = true;
}

#[test]
fn what_post_init_makes_is_no_override() {
    let project = project_with(
        registry![Ball].unwrap(),
        &[("Base", "; entity_type: Ball\nSize: 2\nColor: RED\n"), ("Mid", &based_on("Base", "Size: 3\n"))],
        &[
            ("I.jasset", &based_on("Mid", "")),
            ("J.jasset", &based_on("Base", "Color: Blue\n")),
            ("K.jasset", &based_on("Base", "")),
        ],
    );
    let mut world = project.load_clean();
    let before = project.picture();
    let [i, j, k] = ["I.jasset", "J.jasset", "K.jasset"].map(|it| entity_in(&world, it));
    let (base, mid) = (find(&world, "Base"), find(&world, "Mid"));
    let volumes = |world: &World| [i, j, k].map(|it| world.get::<Ball>(it).unwrap().volume);
    assert_eq!(volumes(&world), [27.0, 8.0, 8.0]);
    assert!([i, k].iter().all(|&it| world.get::<Ball>(it).unwrap().color == "red"));
    // Looked at, moved, written with what it has.
    for handle in [i, j, k] {
        world.get_mut::<Ball>(handle).unwrap().loaded = true;
        let position = world.position(handle).unwrap();
        *world.position_mut(handle).unwrap() = position;
    }
    let expected = [vec![], vec!["Color".to_owned()], vec![]];
    assert_eq!([i, j, k].map(|it| world.overrides(it)), expected);
    assert!(world.dirty().is_empty(), "{:?}", world.dirty());
    assert!(save_all(&mut world).written.is_empty());
    assert_eq!(project.picture(), before);
    // Changes of templates: the volume follows the size, and nobody is dirty.
    world.set(base, "Size", 4.0_f32).unwrap();
    assert_eq!(volumes(&world), [27.0, 64.0, 64.0]);
    world.set(mid, "Color", "GREEN".to_owned()).unwrap();
    assert_eq!(world.get::<Ball>(i).unwrap().color, "green");
    assert_eq!([i, j, k].map(|it| world.overrides(it)), expected);
    assert!(world.dirty().is_empty());
    // New ones, copies, and ones that come back.
    let new = world.spawn_from(mid, Vec3::ZERO).unwrap();
    let copy = world.duplicate(i).unwrap();
    for handle in [new, copy] {
        let ball = world.get::<Ball>(handle).unwrap();
        assert_eq!((ball.volume, &*ball.color, world.overrides(handle).len()), (27.0, "green", 0));
    }
    let id = world.remove(k).unwrap();
    world.set(base, "Size", 5.0_f32).unwrap();
    let k = world.restore(id).unwrap();
    let ball = world.get::<Ball>(k).unwrap();
    assert_eq!((ball.volume, &*ball.color), (125.0, "red"));
    assert!(world.overrides(k).is_empty() && !world.is_dirty(k), "{:?}", world.diff(k));
    // Own values and their reverts.
    world.set(k, "Size", 2.0_f32).unwrap();
    assert_eq!(world.overrides(k), ["Size"]);
    world.revert(k, "Size").unwrap();
    assert_eq!((get(&world, k, "Size").as_str(), world.get::<Ball>(k).unwrap().volume), ("5.0", 125.0));
    assert!(world.overrides(k).is_empty() && !world.is_dirty(k));
    let saved = save(&mut world);
    assert_eq!(saved.written.len(), 4, "{:?}", saved.written);
    assert!(save_all(&mut world).written.is_empty());
    let mut again = project.load_clean();
    for base in again.iter() {
        let (old, new) = (
            world.get::<Ball>(world.find_by_id(base.id()).unwrap()).unwrap(),
            again.get::<Ball>(base.handle()).unwrap(),
        );
        assert_eq!((old.size, old.volume, &old.color), (new.size, new.volume, &new.color));
    }
    assert!(save_all(&mut again).written.is_empty());
}

#[test]
fn what_follows_from_a_written_value_is_no_override() {
    let project = project_with(
        registry![Ball].unwrap(),
        &[("Base", "; entity_type: Ball\nSize: 2\nColor: RED\n")],
        &[("I.jasset", &based_on("Base", "")), ("J.jasset", &based_on("Base", "Size: 3\n"))],
    );
    for (size, volume, color, expected) in [
        (4.0, 8.0, "red", &["Size"][..]),
        (4.0, 64.0, "red", &["Size"]),
        (4.0, 65.0, "red", &["Size"]),
        (2.0, 8.0, "BLUE", &["Color"]),
        (2.0, 8.0, "blue", &["Color"]),
        (2.0, 8.0, "Red", &[]),
        (7.0, 343.0, "x", &["Size", "Color"]),
    ] {
        let mut world = project.load_clean();
        let i = entity_in(&world, "I.jasset");
        {
            let mut ball = world.get_mut::<Ball>(i).unwrap();
            (ball.size, ball.volume, ball.color) = (size, volume, color.to_owned());
        }
        // However often the world looks.
        for _ in 0..3 {
            assert_eq!(world.overrides(i), expected, "{size} {volume} {color}");
            world.get_mut::<Ball>(i).unwrap();
            world.entities().validate().unwrap();
            let j = entity_in(&world, "J.jasset");
            assert_eq!(world.overrides(j), ["Size"]);
        }
        assert_eq!(world.is_dirty(i), !expected.is_empty());
    }
}

#[test]
fn a_template_made_of_an_entity_with_post_init_says_what_it_showed() {
    let project = project_with(
        registry![Ball].unwrap(),
        &[("Base", "; entity_type: Ball\nSize: 2\nColor: RED\n")],
        &[("I.jasset", &based_on("Base", "Size: 3\n"))],
    );
    let mut world = project.load_clean();
    let (i, base) = (entity_in(&world, "I.jasset"), find(&world, "Base"));
    let mid = world.create_template(i, "Mid").unwrap();
    assert_eq!((world.overrides(mid), world.overrides(i).len()), (vec!["Size".to_owned()], 0));
    assert_eq!(world.get::<Ball>(i).unwrap().volume, 27.0);
    assert_eq!([get(&world, mid, "Color"), get(&world, mid, "Volume")], ["RED", "0.0"]);
    save(&mut world);
    world.set(base, "Color", "BLUE".to_owned()).unwrap();
    assert_eq!((get(&world, mid, "Color").as_str(), world.get::<Ball>(i).unwrap().color.as_str()), ("BLUE", "blue"));
    save(&mut world);
    let mut again = project.load_clean();
    let (i, mid) = (entity_in(&again, "I.jasset"), find(&again, "Mid"));
    assert_eq!(
        (get(&again, mid, "Color").as_str(), get(&again, mid, "Volume").as_str()),
        ("BLUE", get(&world, find(&world, "Mid"), "Volume").as_str())
    );
    assert!(again.overrides(i).is_empty());
    assert!(save_all(&mut again).written.is_empty());
}
