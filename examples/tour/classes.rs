//! The classes of the sample world, as a game's own crate would have them.
#![expect(unreachable_pub, reason = "a part of a program stands for a library here")]

use juliet::prelude::*;

/// Triangles to draw.
#[derive(Debug)]
pub struct Mesh;

/// A static prop.
#[derive(Entity)]
#[jasset(version = 2)]
pub struct Inert {
    /// Mesh drawn for this prop.
    #[jasset(default = "Assets/Meshes/Cube.obj")]
    pub mesh_asset: AssetRef<Mesh>,
    /// Size in its own axes.
    #[jasset(default = Vec3::ONE)]
    pub scale: Vec3,
    /// How heavy it is.
    #[jasset(default = 1.0, range = 0.0..=1.0e6, unit = "kg")]
    pub mass: f32,
    /// Whether it breaks when its health is gone.
    pub is_destructible: bool,
    /// What it withstands.
    #[jasset(default = 100.0, alias = "Hp", since = 2)]
    pub health: f32,
    /// Colour over that of the mesh.
    pub tint: Color,
    /// Runtime only: never in a file.
    #[jasset(skip, default = u32::MAX)]
    pub mesh_instance: u32,
}

/// What a collectible is.
#[derive(Property, Clone, Copy, PartialEq, Debug)]
pub enum CollectibleKind {
    /// Money.
    Coin,
    /// Much money.
    Gem,
    /// Opens a door.
    Key,
    /// Dinner.
    Fish,
}

/// Something to pick up.
#[derive(Entity)]
pub struct Collectible {
    /// Mesh drawn for it.
    #[jasset(default = "Assets/Meshes/Coin.obj")]
    pub mesh_asset: AssetRef<Mesh>,
    /// Points it gives.
    #[jasset(default = 100)]
    pub value: u32,
    /// What it is.
    #[jasset(default = CollectibleKind::Coin)]
    pub kind: CollectibleKind,
    /// Whether it comes back.
    pub respawns: bool,
    /// After how long.
    #[jasset(default = 30.0, unit = "s", range = 0.0..=3600.0)]
    pub respawn_seconds: f32,
    /// Name shown to the player.
    pub label: String,
}

/// Light around a thing.
#[derive(Property)]
pub struct Glow {
    /// Its colour.
    #[jasset(default = Color::rgb(1.0, 0.5, 0.2))]
    pub color: Color,
    /// How far it reaches.
    #[jasset(default = 2.0, unit = "m")]
    pub radius: f32,
    /// How bright it is.
    #[jasset(default = 1.0)]
    pub intensity: f32,
}

/// Comes out of the floor.
#[derive(Entity)]
pub struct SpikeTrap {
    /// Taken from whoever stands on it.
    #[jasset(default = 25.0, unit = "hp", range = 0.0..=1000.0)]
    pub damage: f32,
    /// Time from strike to strike.
    #[jasset(default = 2.0, unit = "s", range = 0.1..=60.0, group = "Timing")]
    pub period: f32,
    /// Delay of the first strike.
    #[jasset(unit = "s", group = "Timing")]
    pub offset: f32,
    /// Half its size.
    #[jasset(default = Vec3::ONE, unit = "m")]
    pub extents: Vec3,
    /// Colour of the metal.
    pub tint: Color,
    /// Warning light.
    pub light: Glow,
    /// Entities that are told about a strike.
    pub targets: Vec<EntityRef>,
}

/// Leads somewhere.
#[derive(Entity)]
pub struct Door {
    /// Mesh drawn for it.
    #[jasset(default = "Assets/Meshes/Door.obj")]
    pub mesh_asset: AssetRef<Mesh>,
    /// Where it faces.
    pub rotation: Quat,
    /// Whether it needs its key.
    pub is_locked: bool,
    /// The key that opens it.
    pub key: EntityRef,
    /// World behind it.
    pub opens_to: Option<String>,
    /// Axis it turns around.
    #[jasset(unit = "m")]
    pub hinge: Vec3,
    /// Digits that open it without a key.
    pub code: Option<u32>,
}
