//! K24: the same entities give the same bytes, whoever writes them.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::{env, fs};

use juliet::core::archive::{Components, EntityText, write_entity};
use juliet::core::text::Spelling;
use juliet::prelude::*;
use juliet::{Capacity, EntityManager, LoadOptions};

use crate::support::{TestProject, WORLD, child, save, save_all};

/// Where the child process leaves its files, and the number it shuffles by.
const OUT: &str = "JULIET_K24_OUT";
const SEED: &str = "JULIET_K24_SEED";
const COUNT: u64 = 500;

/// One of three.
#[derive(Property, Clone, Copy)]
enum Kind {
    /// One.
    Plain,
    /// Two.
    Odd,
    /// Three.
    #[jasset(name = "Very-odd")]
    VeryOdd,
}

/// Nested.
#[derive(Property)]
struct Light {
    /// Colour.
    color: Color,
    /// Reach.
    radius: f64,
}

/// Twelve properties with those of the base.
#[derive(Entity)]
#[jasset(version = 3)]
struct Many {
    /// A float.
    scale: f32,
    /// A flag.
    is_destructible: bool,
    /// A path.
    mesh_asset: AssetRef<Many>,
    /// An integer.
    hits: u8,
    /// A text.
    label: String,
    /// A variant.
    kind: Kind,
    /// A struct.
    light: Light,
    /// A list.
    targets: Vec<EntityRef>,
    /// Something or none.
    code: Option<u32>,
    /// Numbers.
    extents: Vec3,
}

fn registry() -> ClassRegistry {
    registry![Many].unwrap()
}

/// What property `key` of entity `number` says.
fn text_of(number: u64, key: &str) -> String {
    match key {
        "Position" => format!("{}, {}.25, -{}", number * 3, number, number % 7),
        "Scale" => format!("{}", 1.0 / (number + 1) as f32),
        "IsDestructible" => number.is_multiple_of(2).to_string(),
        "MeshAsset" => format!("Assets/Meshes/M{}.obj", number % 11),
        "Hits" => (number % 256).to_string(),
        "Label" => format!("\"#{number} äöü, x\""),
        "Kind" => ["Plain", "Odd", "Very-odd"][number as usize % 3].to_owned(),
        "Light.Color" => format!("{}, 0.5, 1", number as f32 / 500.0),
        "Light.Radius" => format!("{}", 1.0 / (number + 3) as f64),
        "Targets" => format!("[0x{:X}, {}]", number + 1, number + 2),
        "Code" => {
            if number.is_multiple_of(5) {
                "none".to_owned()
            } else {
                (number * 99).to_string()
            }
        }
        _ => format!("{number}, 2, 3"),
    }
}

const KEYS: [&str; 12] = [
    "Position",
    "Scale",
    "IsDestructible",
    "MeshAsset",
    "Hits",
    "Label",
    "Kind",
    "Light.Color",
    "Light.Radius",
    "Targets",
    "Code",
    "Extents",
];

fn shuffle<T>(items: &mut [T], seed: &mut u64) {
    for last in (1..items.len()).rev() {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        items.swap(last, (*seed >> 33) as usize % (last + 1));
    }
}

/// Sets every property of every entity in an order of the seed.
fn set_all(world: &mut World, seed: &mut u64) {
    let mut work: Vec<(EntityHandle, &str)> = Vec::new();
    for base in world.iter() {
        work.extend(KEYS.map(|key| (base.handle(), key)));
    }
    shuffle(&mut work, seed);
    for (handle, key) in work {
        let number = world.base(handle).unwrap().id() & 0xFFFF;
        world.set_text(handle, key, &text_of(number, key)).unwrap();
    }
}

/// Writes the same 500 entities in three ways: as new files of a world, as changes of bare files, and without a world.
fn write_all(seed: u64) -> BTreeMap<String, Vec<u8>> {
    let mut random = seed;
    let mut out = BTreeMap::new();
    let mut keep = |way: &str, project: &TestProject| {
        out.extend(project.picture().into_iter().map(|(name, (bytes, _))| (format!("{way}/{name}"), bytes)));
    };

    let project = TestProject::with::<&str>(registry(), &[]);
    fs::create_dir_all(project.root().join(".juliet")).unwrap();
    fs::write(project.root().join(".juliet/namespace"), "0x0123\n").unwrap();
    let mut world = project.open().new_world("New").unwrap();
    for _ in 0..COUNT {
        world.spawn_class("Many", Vec3::ZERO).unwrap();
    }
    set_all(&mut world, &mut random);
    save(&mut world);
    keep("new", &project);
    let before = project.picture();
    let (mut world, report) = project.open().load_world("New").unwrap();
    assert_eq!((world.len(), report.diagnostics), (COUNT as usize, Vec::new()));
    world.iter_of_mut::<Many>().for_each(|mut item| item.value.hits = item.value.hits.wrapping_add(0));
    assert_eq!(save_all(&mut world).written.len(), 0);
    assert_eq!(project.picture(), before, "a second save is a fixed point");

    let mut numbers: Vec<u64> = (1..=COUNT).collect();
    shuffle(&mut numbers, &mut random);
    let project = TestProject::with::<&str>(registry(), &[]);
    for number in &numbers {
        let class = if number % 2 == 0 { "; entity_type: Many\n; id: " } else { "; class\nMany\n; id\n" };
        project.put(&format!("{number}.jasset"), format!("{class}0x{number:X}\n"));
    }
    let threads = NonZeroUsize::new(1 + seed as usize % 8);
    let options = LoadOptions { threads, ..LoadOptions::default() };
    let (mut world, _) = project.open().load_world_with(WORLD, &options).unwrap();
    set_all(&mut world, &mut random);
    save(&mut world);
    keep("edited", &project);

    let mut manager = EntityManager::with_capacity(registry(), Capacity::entities(1000)).unwrap();
    let (kind, _) = manager.registry().find_by_name("Many").unwrap();
    shuffle(&mut numbers, &mut random);
    let mut texts = BTreeMap::new();
    for number in numbers {
        let handle = manager.allocate(kind).unwrap();
        manager.set_id(handle, number).unwrap();
        let from = world.find_by_id(number).unwrap();
        let copied =
            juliet::core::class::value::assign(manager.value_mut(handle).unwrap().as_mut(), world.value(from).unwrap());
        assert!(copied);
        for spelling in [Spelling::Colon, Spelling::Node] {
            let entity = EntityText {
                class: Many::CLASS,
                id: number,
                position: world.position(from).unwrap().to_array(),
                value: manager.value(handle).unwrap(),
                inherits: None,
                components: Components::NONE,
            };
            let mut text = Vec::new();
            write_entity(&entity, spelling, &mut text);
            texts.insert(format!("written/{number}.{spelling:?}"), text);
        }
    }
    out.extend(texts);
    out
}

#[test]
fn k24_the_same_entities_are_written() {
    let seed = env::var(SEED).map_or(7, |seed| seed.parse().unwrap());
    let files = write_all(seed);
    assert_eq!(files.len(), 4 * COUNT as usize + 1);
    if let Some(out) = env::var_os(OUT) {
        let mut all = Vec::new();
        for (name, bytes) in files {
            all.extend_from_slice(format!("=== {name} {}\n", bytes.len()).as_bytes());
            all.extend_from_slice(&bytes);
        }
        fs::write(out, all).unwrap();
    }
}

#[test]
fn k24_twenty_processes_write_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let out = &|seed: usize| folder.path().join(seed.to_string());
    let run = &|seed: usize| {
        let locale = ["C", "de_DE.UTF-8", "tr_TR.UTF-8", "hi_IN.UTF-8"][seed % 4];
        let (out, threads, number) = (out(seed), (1 + seed % 5).to_string(), seed.to_string());
        let variables = [
            (OUT, path(&out)),
            (SEED, &number),
            ("LC_ALL", locale),
            ("RAYON_NUM_THREADS", &threads),
            ("TZ", "Asia/Kolkata"),
        ];
        child::run("cases::same_bytes::k24_the_same_entities_are_written", &variables[..4 + seed % 2]);
    };
    // A process mostly waits for the disk: some at a time.
    std::thread::scope(|scope| {
        for first in 0..5 {
            scope.spawn(move || (first..20).step_by(5).for_each(run));
        }
    });
    let first = fs::read(out(0)).unwrap();
    for seed in 1..20 {
        assert!(fs::read(out(seed)).unwrap() == first, "process {seed} wrote other bytes than process 0");
    }
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn k24_the_order_of_a_new_file_is_that_of_the_declaration() {
    let files = write_all(3);
    let text = String::from_utf8(files["new/Worlds/New/Entities/0x0123000000000001.jasset"].clone()).unwrap();
    assert_eq!(
        text,
        "; entity_type: Many\n; id: 0x0123000000000001\n; version: 1\n; class_version: 3\nPosition: 3.0, 1.25, -1.0\nScale: 0.5\n\
         IsDestructible: false\nMeshAsset: Assets/Meshes/M1.obj\nHits: 1\nLabel: \"#1 äöü, x\"\nKind: Odd\n\
         Light.Color: 0.002, 0.5, 1.0\nLight.Radius: 0.25\nTargets: [0x0000000000000002, 0x0000000000000003]\nCode: 99\n\
         Extents: 1.0, 2.0, 3.0\n"
    );
}
