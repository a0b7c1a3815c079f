//! Juliet on the same entity: `.jasset` text through the property tables, in place.
use crate::Entity as Plain;
use juliet::core::archive::{Components, EntityText, Findings, decode, open, read_values, write_entity, write_leaves};
use juliet::core::text::{Layout, Spelling};
use juliet::prelude::*;
use juliet::{ErasedMut, ErasedRef};

/// The entity of the other formats. Strings lie inline, so the class is copied as bytes.
#[derive(juliet::Entity)]
pub struct Npc {
    pub archetype: InlineString<24>,
    pub display_name: InlineString<32>,
    pub world_position: Vec3,
    pub world_rotation: Vec3,
    pub patrol_target: Vec3,
    pub health_points: f32,
    pub walking_speed: f32,
    pub viewing_range: f32,
    pub experience_level: i32,
    pub faction_index: u32,
    pub hostile_to_player: bool,
    pub currently_sleeping: bool,
}

pub fn registry() -> ClassRegistry {
    juliet::registry![Npc].unwrap()
}

pub fn npc(e: &Plain) -> Npc {
    Npc {
        archetype: InlineString::from(&e.class).unwrap(),
        display_name: InlineString::from(&e.display_name).unwrap(),
        world_position: e.world_position.into(),
        world_rotation: e.world_rotation.into(),
        patrol_target: e.patrol_target.into(),
        health_points: e.health_points,
        walking_speed: e.walking_speed,
        viewing_range: e.viewing_range,
        experience_level: e.experience_level,
        faction_index: e.faction_index,
        hostile_to_player: e.hostile_to_player,
        currently_sleeping: e.currently_sleeping,
    }
}

pub fn plain(e: &Npc) -> Plain {
    Plain {
        class: e.archetype.to_string(),
        display_name: e.display_name.to_string(),
        world_position: e.world_position.into(),
        world_rotation: e.world_rotation.into(),
        patrol_target: e.patrol_target.into(),
        health_points: e.health_points,
        walking_speed: e.walking_speed,
        viewing_range: e.viewing_range,
        experience_level: e.experience_level,
        faction_index: e.faction_index,
        hostile_to_player: e.hostile_to_player,
        currently_sleeping: e.currently_sleeping,
    }
}

/// The class line and the 12 properties.
pub fn text(e: &Plain) -> String {
    let npc = npc(e);
    let mut out = b"; entity_type: Npc\n".to_vec();
    write_leaves(ErasedRef::of_entity(&npc), Layout::new(Spelling::Colon), &mut out);
    String::from_utf8(out).unwrap()
}

/// Bytes of a file → a struct: UTF-8, directives, every property through its table entry, diagnostics ready.
#[inline(never)]
pub fn read(registry: &ClassRegistry, bytes: &[u8]) -> Option<Npc> {
    let mut findings = Findings::new();
    let text = decode("Npc.jasset", bytes).ok()?;
    let opened = open(registry, "Npc.jasset", text, &mut findings)?;
    let mut npc = Npc::default_value();
    read_values(&opened, ErasedMut::of_entity(&mut npc), &mut findings);
    findings.is_ok().then_some(npc)
}

/// The 12 properties into a kept buffer.
#[inline(never)]
pub fn write_properties(npc: &Npc, out: &mut Vec<u8>) {
    write_leaves(ErasedRef::of_entity(npc), Layout::new(Spelling::Colon), out);
}

/// A whole new file: class, id, version, position, and the 12 properties.
pub fn write_file(npc: &Npc, out: &mut Vec<u8>) {
    write_file_of(npc, 0x42, out);
}

/// The same with an id of its own.
#[inline(never)]
pub fn write_file_of(npc: &Npc, id: u64, out: &mut Vec<u8>) {
    let class = <Npc as juliet::Entity>::CLASS;
    let entity = EntityText {
        class,
        id,
        position: [1.5, 0.0, 2.0, 1.0],
        value: ErasedRef::of_entity(npc),
        inherits: None,
        components: Components::NONE,
    };
    write_entity(&entity, Spelling::Colon, out);
}
