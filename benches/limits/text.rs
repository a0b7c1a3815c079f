//! One file of 12 properties, in and out.

use std::hint::black_box;

use juliet::core::archive::{Findings, decode, open, read_values, write_leaves};
use juliet::core::text::{Layout, Spelling};
use juliet::prelude::*;
use juliet::{ErasedMut, ErasedRef};

use crate::harness::{Random, Table, timed};

/// An entity such as games have; its strings lie inline, so that it is copied as bytes.
#[derive(juliet::Entity, Clone, Copy, PartialEq, Debug)]
pub(crate) struct Npc {
    archetype: InlineString<24>,
    display_name: InlineString<32>,
    world_position: Vec3,
    world_rotation: Vec3,
    patrol_target: Vec3,
    pub(crate) health_points: f32,
    walking_speed: f32,
    viewing_range: f32,
    experience_level: i32,
    faction_index: u32,
    hostile_to_player: bool,
    currently_sleeping: bool,
}

/// Distinct files: one over and over would be learnt by the branch predictor.
const FILES: usize = 512;

pub(crate) fn npc(number: usize) -> Npc {
    let mut random = Random(number as u64);
    let mut float = |low: f32, high: f32, steps: f32| {
        let x = low + (high - low) * (random.below(1 << 20) as f32 / (1 << 20) as f32);
        (x * steps).round() / steps + 0.0
    };
    Npc {
        archetype: InlineString::from(["town_guard", "merchant", "forest_wolf", "bridge_keeper"][number % 4]).unwrap(),
        display_name: InlineString::from(["Captain Elwood", "Anneke of Dorn", "Old Greyback", "Tomas"][number / 4 % 4])
            .unwrap(),
        world_position: Vec3::new(float(-2e3, 2e3, 1e3), float(-100.0, 100.0, 1e3), float(-2e3, 2e3, 1e3)),
        world_rotation: Vec3::new(0.0, float(-3.0, 3.0, 1e4), 0.0),
        patrol_target: Vec3::new(float(-2e3, 2e3, 4.0), float(-100.0, 100.0, 4.0), float(-2e3, 2e3, 4.0)),
        health_points: float(0.0, 100.0, 2.0),
        walking_speed: float(0.5, 8.0, 100.0),
        viewing_range: float(10.0, 100.0, 4.0),
        experience_level: (number % 60) as i32,
        faction_index: (number % 7) as u32,
        hostile_to_player: number.is_multiple_of(3),
        currently_sleeping: number.is_multiple_of(5),
    }
}

fn file(npc: &Npc) -> String {
    let mut out = b"; entity_type: Npc\n".to_vec();
    write_leaves(ErasedRef::of_entity(npc), Layout::new(Spelling::Colon), &mut out);
    String::from_utf8(out).unwrap()
}

/// What a program would write by hand: lines, a `match` on the key, the value parsed into place.
fn by_hand(bytes: &[u8]) -> Option<Npc> {
    let mut npc = Npc::default_value();
    for line in std::str::from_utf8(bytes).ok()?.lines().skip(1) {
        let (key, value) = line.split_once(": ")?;
        let vector = || {
            let mut numbers = value.split(", ").map(str::parse);
            Some(Vec3::new(numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?))
        };
        match key {
            "Archetype" => npc.archetype = InlineString::from(value).ok()?,
            "DisplayName" => npc.display_name = InlineString::from(value).ok()?,
            "WorldPosition" => npc.world_position = vector()?,
            "WorldRotation" => npc.world_rotation = vector()?,
            "PatrolTarget" => npc.patrol_target = vector()?,
            "HealthPoints" => npc.health_points = value.parse().ok()?,
            "WalkingSpeed" => npc.walking_speed = value.parse().ok()?,
            "ViewingRange" => npc.viewing_range = value.parse().ok()?,
            "ExperienceLevel" => npc.experience_level = value.parse().ok()?,
            "FactionIndex" => npc.faction_index = value.parse().ok()?,
            "HostileToPlayer" => npc.hostile_to_player = value.parse().ok()?,
            "CurrentlySleeping" => npc.currently_sleeping = value.parse().ok()?,
            _ => return None,
        }
    }
    Some(npc)
}

/// Through the property table, with diagnostics ready.
fn by_table(registry: &ClassRegistry, bytes: &[u8]) -> Option<Npc> {
    let mut findings = Findings::new();
    let text = decode("Npc.jasset", bytes).ok()?;
    let opened = open(registry, "Npc.jasset", text, &mut findings)?;
    let mut npc = Npc::default_value();
    read_values(&opened, ErasedMut::of_entity(&mut npc), &mut findings);
    findings.is_ok().then_some(npc)
}

pub(crate) fn read(table: &mut Table) {
    let registry = juliet::registry![Npc].unwrap();
    let files: Vec<String> = (0..FILES).map(|number| file(&npc(number))).collect();
    for (number, file) in files.iter().enumerate() {
        assert_eq!(by_hand(file.as_bytes()), Some(npc(number)));
        assert_eq!(by_table(&registry, file.as_bytes()), Some(npc(number)));
    }
    let each = |read: &dyn Fn(&[u8]) -> Option<Npc>| {
        timed(|| {
            for file in &files {
                black_box(read(file.as_bytes()));
            }
        })
    };
    table.compare(
        FILES,
        FILES,
        vec![
            ("limit: by hand, std's number reader", Box::new(|| each(&by_hand))),
            ("juliet", Box::new(|| each(&|file| by_table(&registry, file)))),
        ],
    );
}

/// By hand, with the fastest writers of numbers there are.
fn write_by_hand(npc: &Npc, out: &mut Vec<u8>) {
    let (mut floats, mut integers) = (zmij::Buffer::new(), itoa::Buffer::new());
    let mut line = |key: &str, parts: &[&str]| {
        out.extend_from_slice(key.as_bytes());
        parts.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
        out.push(b'\n');
    };
    line("Archetype: ", &[&npc.archetype]);
    line("DisplayName: ", &[&npc.display_name]);
    for (key, vector) in [
        ("WorldPosition: ", npc.world_position),
        ("WorldRotation: ", npc.world_rotation),
        ("PatrolTarget: ", npc.patrol_target),
    ] {
        let [mut x, mut y, mut z] = [zmij::Buffer::new(), zmij::Buffer::new(), zmij::Buffer::new()];
        line(key, &[x.format(vector.x), ", ", y.format(vector.y), ", ", z.format(vector.z)]);
    }
    line("HealthPoints: ", &[floats.format(npc.health_points)]);
    line("WalkingSpeed: ", &[floats.format(npc.walking_speed)]);
    line("ViewingRange: ", &[floats.format(npc.viewing_range)]);
    line("ExperienceLevel: ", &[integers.format(npc.experience_level)]);
    line("FactionIndex: ", &[integers.format(npc.faction_index)]);
    line("HostileToPlayer: ", &[if npc.hostile_to_player { "true" } else { "false" }]);
    line("CurrentlySleeping: ", &[if npc.currently_sleeping { "true" } else { "false" }]);
}

pub(crate) fn write(table: &mut Table) {
    let npcs: Vec<Npc> = (0..FILES).map(npc).collect();
    let by_table =
        |npc: &Npc, out: &mut Vec<u8>| write_leaves(ErasedRef::of_entity(npc), Layout::new(Spelling::Colon), out);
    let each = |write: &dyn Fn(&Npc, &mut Vec<u8>)| {
        let mut out = Vec::with_capacity(4096);
        timed(|| {
            for npc in &npcs {
                out.clear();
                write(npc, &mut out);
                black_box(&out);
            }
        })
    };
    table.compare(
        FILES,
        FILES,
        vec![
            ("limit: by hand, zmij and itoa", Box::new(|| each(&write_by_hand))),
            ("juliet", Box::new(|| each(&by_table))),
        ],
    );
}
