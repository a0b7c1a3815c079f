//! Positions that an entity manager holds.

use juliet::presentation::{BasePositions, ClassPositions, Pose, Position2D, Positions, SampleError, Turns};
use juliet::{Capacity, EntityManager};

use juliet::prelude::{Entity, Fp32Pinned, Fpx16_16, PresentationSnapshot, SnapshotOptions, Vec3, registry};

use super::world::{at, at32, raw};

const MS: i64 = 1_000_000;

/// Something that moves on fixed-point ground.
#[derive(Entity)]
struct Walker {
    x_raw: i32,
    y_raw: i32,
    facing: u16,
}

/// Something that does not.
#[derive(Entity)]
struct Sign {
    text: String,
}

fn manager() -> EntityManager {
    EntityManager::with_capacity(registry![Walker, Sign].unwrap(), Capacity::entities(100)).unwrap()
}

fn walker(x: i32, facing: u16) -> Walker {
    Walker { x_raw: x << 16, y_raw: 0, facing }
}

/// Position and facing of walkers.
fn walkers(manager: &EntityManager) -> impl Positions<Fpx16_16, Turns> {
    ClassPositions::new(manager, |walker: &Walker| Pose {
        position: raw(walker.x_raw, walker.y_raw),
        channel: Turns(walker.facing),
    })
}

#[test]
fn a_class_whose_value_holds_the_position_is_a_world() {
    let mut manager = manager();
    let entity = manager.spawn(walker(0, 0xf000), Vec3::ZERO).unwrap();
    let sign = manager.spawn(Sign { text: "no way".into() }, Vec3::ZERO).unwrap();
    let gone = manager.spawn(walker(0, 0), Vec3::ZERO).unwrap();
    manager.remove(gone).unwrap();
    let options = SnapshotOptions { tick_rate_hz: 100 };
    let mut snapshot = PresentationSnapshot::<Fpx16_16, Turns>::new(manager.capacity(), 0, options).unwrap();
    for tick in 1..=2 {
        let mut value = manager.get_mut::<Walker>(entity).unwrap();
        value.x_raw += 1 << 16;
        value.facing = value.facing.wrapping_add(0x1000);
        snapshot.on_tick(&walkers(&manager), tick);
    }
    snapshot.on_render_frame(25 * MS);
    let world = walkers(&manager);
    let shown = Pose { position: raw(0x1_8000, 0), channel: Turns(0x0800) };
    assert_eq!(snapshot.sample(&world, entity), Ok(shown));
    assert_eq!(snapshot.sample(&world, sign), Err(SampleError::NoPosition { handle: sign }));
    assert_eq!(snapshot.sample(&world, gone), Err(SampleError::Stale { handle: gone }));
    assert_eq!(manager.get::<Sign>(sign).unwrap().text, "no way");
}

#[test]
fn without_a_channel_a_position_is_enough() {
    let mut manager = manager();
    let entity = manager.spawn(walker(3, 0), Vec3::ZERO).unwrap();
    let world = ClassPositions::new(&manager, |walker: &Walker| raw(walker.x_raw, walker.y_raw).into());
    let snapshot = PresentationSnapshot::<Fpx16_16>::new(100, 0, SnapshotOptions::default()).unwrap();
    assert_eq!(snapshot.sample_position(&world, entity), Ok(at(3, 0)));
    assert_eq!(snapshot.sample_position(&&world, entity), Ok(at(3, 0)));
}

#[test]
fn a_class_that_is_not_registered_has_no_positions() {
    #[derive(Entity)]
    struct Unknown {
        x: f32,
    }
    let mut manager = manager();
    let entity = manager.spawn(walker(3, 0), Vec3::ZERO).unwrap();
    let world = ClassPositions::new(&manager, |u: &Unknown| Position2D::<Fp32Pinned>::new(u.x, 0.0).into());
    let mut snapshot = PresentationSnapshot::<Fp32Pinned>::new(100, 0, SnapshotOptions::default()).unwrap();
    snapshot.on_tick(&world, 1);
    assert_eq!(snapshot.sample_position(&world, entity), Err(SampleError::NoPosition { handle: entity }));
}

/// x and z of all entities.
fn ground(manager: &EntityManager) -> impl Positions<Fp32Pinned> {
    BasePositions::new(manager, |at| at32(at.x, at.z).into())
}

#[test]
fn the_position_of_every_entity_is_a_world() {
    let mut manager = manager();
    let entity = manager.spawn(walker(0, 0), Vec3::new(1.0, 50.0, -2.0)).unwrap();
    let sign = manager.spawn(Sign { text: String::new() }, Vec3::new(7.0, 0.0, 7.0)).unwrap();
    let mut snapshot = PresentationSnapshot::<Fp32Pinned>::new(100, 0, SnapshotOptions { tick_rate_hz: 100 }).unwrap();
    snapshot.on_tick(&ground(&manager), 1);
    *manager.position_mut(entity).unwrap() = Vec3::new(3.0, 60.0, -2.5).into();
    snapshot.on_tick(&ground(&manager), 2);
    snapshot.on_render_frame(25 * MS);
    assert_eq!(snapshot.sample_position(&ground(&manager), entity), Ok(at32(2.0, -2.25)));
    assert_eq!(snapshot.sample_position(&ground(&manager), sign), Ok(at32(7.0, 7.0)));
    manager.remove(sign).unwrap();
    assert_eq!(snapshot.sample_position(&ground(&manager), sign), Err(SampleError::Stale { handle: sign }));
}
