//! The classes that the cases speak of.

use juliet::prelude::*;

/// A rock.
#[derive(Entity)]
#[jasset(version = 1)]
pub(crate) struct Rock {
    /// Size.
    pub(crate) scale: f32,
    /// Whether it breaks.
    pub(crate) is_destructible: bool,
    /// What is drawn.
    pub(crate) mesh_asset: String,
    /// Blows it has taken.
    pub(crate) hits: u8,
}

/// A sign: texts.
#[derive(Entity)]
pub(crate) struct Sign {
    /// What it says.
    pub(crate) note: String,
    /// Colour, as text.
    pub(crate) tint: String,
    /// Where it leads.
    pub(crate) link: String,
    /// A path.
    pub(crate) path: String,
}

/// A crate: a list, and a property that was called otherwise.
#[derive(Entity)]
pub(crate) struct Crate {
    /// What is in it.
    pub(crate) slots: Vec<String>,
    /// What it withstands.
    #[jasset(alias = "Hp")]
    pub(crate) health: u32,
}

/// Something to draw.
pub(crate) struct Mesh;

/// A prop with the path of an asset.
#[derive(Entity)]
pub(crate) struct Prop {
    /// What is drawn.
    pub(crate) mesh: AssetRef<Mesh>,
    /// Size.
    pub(crate) scale: f32,
}

/// All of them.
pub(crate) fn registry() -> ClassRegistry {
    registry![Rock, Sign, Crate, Prop].unwrap()
}

/// Rocks alone.
pub(crate) fn rocks() -> ClassRegistry {
    registry![Rock].unwrap()
}
