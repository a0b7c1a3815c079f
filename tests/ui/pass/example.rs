//! The example of the README.
#![forbid(unsafe_code)]
#![deny(warnings)]

use juliet::{AssetRef, Entity};

/// Triangles.
pub struct Mesh;

/// A static prop.
#[derive(Entity)]
#[jasset(version = 2)]
pub struct Inert {
    /// Mesh drawn for this prop.
    #[jasset(default = "Assets/Meshes/Cube.obj")]
    pub mesh_asset: AssetRef<Mesh>,
    #[jasset(default = 1.0, range = 0.0..=1.0e6, unit = "kg")]
    pub mass: f32,
    pub is_destructible: bool,
    #[jasset(default = 100.0, alias = "Hp")]
    pub health: f32,
    /// Runtime only: never in a file, always default-initialised.
    #[jasset(skip, default = u32::MAX)]
    pub mesh_instance: u32,
}

fn main() {
    let inert = Inert::default_value();
    assert_eq!((inert.health, inert.mesh_instance), (100.0, u32::MAX));
    assert_eq!(Inert::PROPERTIES.len(), 4);
}
