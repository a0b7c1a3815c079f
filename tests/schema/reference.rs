//! Types that use every option of the derive macros: the pages of a schema have to show them, and `cargo xtask expansion` measures what
//! the macros make of this file. A new option belongs here; a test of the derive crate asks for it.

use core::marker::PhantomData;
use core::time::Duration;

use juliet::glam::{Quat, Vec3};
use juliet::{AssetRef, Color, Entity, EntityRef, IndexMap, InlineString, MigrateError, Migration, Property};

/// Names a type of assets.
pub(crate) struct Mesh;

/// Lifts what lies on the quay.
///
/// It turns, and its hook goes up and down.
#[derive(Entity)]
#[jasset(version = 4, name = "Crane", alias("Derrick", "Hoist"), removed("Armor", "Old-Hook"), crate = juliet)]
#[jasset(migrate(1 => tons_to_kilograms, 3 => split_name), post_init = measure, implements(dyn Lifts), default)]
pub(crate) struct PortCrane {
    /// Mesh drawn for it.
    #[jasset(default = "Assets/Meshes/Crane.obj", name = "mesh", alias = "Model", group = "Look")]
    pub(crate) mesh_asset: AssetRef<Mesh>,
    /// Size in its own axes.
    #[jasset(default = Vec3::ONE, range = 0.01..=100.0, step = 0.25, group = "Look")]
    pub(crate) scale: Vec3,
    /// What it lifts.
    ///
    /// With the jib drawn in; half of it with the jib out.
    #[jasset(default = 12_000.0, range = 0.0..=1.0e6, step = 50.0, unit = "kg", alias("Load", "Lift"), since = 2)]
    pub(crate) capacity: f32,
    /// Where it looks.
    pub(crate) rotation: Quat,
    /// Time for a turn.
    #[jasset(with = seconds, default = Duration::from_secs(90), unit = "s", read_only)]
    pub(crate) turn_time: Duration,
    #[jasset(hidden, default = 7, range = 1..)]
    pub(crate) serial: u32,
    /// Light on its top.
    pub(crate) lamp: Lamp,
    /// What it does.
    #[jasset(default = Mode::Idle)]
    pub(crate) mode: Mode,
    /// What hangs where.
    pub(crate) hooks: Vec<Hook>,
    pub(crate) prices: IndexMap<String, f32>,
    pub(crate) limits: Span<f32, 2>,
    pub(crate) operator: Option<EntityRef>,
    pub(crate) mood: Mood,
    pub(crate) pause: Pause,
    pub(crate) plate: InlineString<16>,
    /// Runtime only.
    #[jasset(skip, default = u32::MAX)]
    pub(crate) mesh_instance: u32,
    #[jasset(skip)]
    pub(crate) reach: f32,
}

/// What lifts.
pub(crate) trait Lifts {
    /// In kilograms.
    fn most(&self) -> f32;
}

impl Lifts for PortCrane {
    fn most(&self) -> f32 {
        self.capacity
    }
}

impl Default for PortCrane {
    fn default() -> Self {
        Self {
            mesh_asset: AssetRef::default(),
            scale: Vec3::ONE,
            capacity: 1.0,
            rotation: Quat::IDENTITY,
            turn_time: Duration::ZERO,
            serial: 0,
            lamp: juliet::PropertyValue::default_value(),
            mode: Mode::Idle,
            hooks: Vec::new(),
            prices: IndexMap::new(),
            limits: Span { ends: [0.0, 1.0], closed: true, mark: PhantomData },
            operator: None,
            mood: Mood::Calm,
            pause: Pause(Duration::ZERO),
            plate: InlineString::default(),
            mesh_instance: 0,
            reach: 0.0,
        }
    }
}

fn measure(crane: &mut PortCrane) {
    let gone = if let Mode::Lift { at, .. } = crane.mode { at as f32 } else { 0.0 };
    crane.reach = crane.scale.y * 20.0 - gone;
}

fn tons_to_kilograms(lines: &mut Migration<'_>) -> Result<(), MigrateError> {
    if let Some(text) = lines.get("Load") {
        let tons: f32 = text.parse().map_err(|_| format!("Load: `{text}` is not a number"))?;
        lines.set("Load", (tons * 1000.0).to_string());
    }
    Ok(())
}

fn split_name(lines: &mut Migration<'_>) -> Result<(), MigrateError> {
    lines.rename("Name", "Plate");
    Ok(())
}

/// Warns ships and planes.
#[derive(Property)]
#[jasset(name = "Light", removed("Glow"), crate = juliet)]
pub(crate) struct Lamp {
    /// Its colour.
    #[jasset(default = Color::WHITE)]
    pub(crate) color: Color,
    #[jasset(default = Watts(60.0), range = 0.0..=500.0, group = "Power", since = 3)]
    pub(crate) power: Watts,
}

/// What a lamp takes.
#[derive(Property, Clone, Copy)]
pub(crate) struct Watts(#[jasset(default = 60.0, range = 0.0.., step = 5.0, unit = "W")] pub(crate) f32);

/// Seconds, through an adapter.
#[derive(Property)]
pub(crate) struct Pause(#[jasset(with = seconds)] pub(crate) Duration);

/// A hook, known by its place.
#[derive(Property, Clone)]
#[jasset(default)]
pub(crate) struct Hook {
    #[jasset(key)]
    pub(crate) place: String,
    #[jasset(default = 1, range = 1..=8)]
    pub(crate) ropes: u8,
}

impl Default for Hook {
    fn default() -> Self {
        Self { place: String::new(), ropes: 2 }
    }
}

/// From one value to another.
#[derive(Property)]
pub(crate) struct Span<T: Clone, const N: usize = 2> {
    /// Where it begins and ends.
    pub(crate) ends: [T; N],
    #[jasset(default = true)]
    pub(crate) closed: bool,
    #[jasset(skip)]
    pub(crate) mark: PhantomData<T>,
}

/// What it does.
#[derive(Property)]
#[jasset(name = "CraneMode", crate = juliet)]
pub(crate) enum Mode {
    /// Nothing.
    #[jasset(default, name = "idle", alias("Off", "Rest"))]
    Idle,
    /// Waits for a ship.
    Wait(
        #[jasset(default = 1.0, range = 0.0.., step = 0.5, unit = "s")] f32,
        #[jasset(with = seconds, default = Duration::ZERO)] Duration,
    ),
    /// Lifts.
    #[jasset(removed("Rope", "Hook"))]
    Lift {
        /// How fast.
        #[jasset(default = 0.5, range = 0.0..=4.0, step = 0.25, unit = "m/s", name = "velocity", alias = "Pace")]
        speed: f32,
        #[jasset(with = seconds)]
        rest: Duration,
        path: Vec<Vec3>,
        #[jasset(skip)]
        at: usize,
    },
}

/// How its operator feels.
#[derive(Property, Clone, Copy, Default)]
#[jasset(default)]
pub(crate) enum Mood {
    /// Like a lake.
    #[default]
    Calm,
    #[jasset(name = "very-angry", alias = "Furious")]
    Angry,
}

mod seconds {
    use core::time::Duration;

    pub(super) fn read(text: &str) -> Result<Duration, String> {
        let seconds = text.parse().map_err(|_| "expected seconds, such as 1.5")?;
        Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
    }

    pub(super) fn write(value: &Duration) -> String {
        value.as_secs_f64().to_string()
    }
}

#[test]
fn an_entity_is_reached_through_a_trait_that_it_implements() {
    let crane = PortCrane { capacity: 800.0, ..PortCrane::default() };
    let cast = PortCrane::CLASS.cast::<dyn Lifts>().unwrap();
    assert_eq!((cast.get)(juliet::ErasedRef::of_entity(&crane)).unwrap().most(), 800.0);
}
