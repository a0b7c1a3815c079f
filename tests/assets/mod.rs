//! Assets that the entities of a world refer to, found through the property tables and loaded.

use std::collections::BTreeMap;
use std::fs;

use juliet::prelude::*;
use juliet_world::assets::{Asset, AssetLoader, AssetOptions, Assets, LoadError, LoadState, Mesh, Preloaded, Texture};

use crate::support::TestProject;

/// Heights of a floor, from the same files as textures.
struct Heights(usize);

impl Asset for Heights {
    fn placeholder() -> Self {
        Self(0)
    }
}

struct HeightLoader;

impl AssetLoader for HeightLoader {
    type Asset = Heights;

    fn extensions(&self) -> &[&str] {
        &["png"]
    }

    fn load(&self, bytes: &[u8]) -> Result<Heights, LoadError> {
        Ok(Heights(bytes.len()))
    }
}

/// A type of assets that the program loads by other means.
struct Sound;

/// Where references can hide.
#[derive(Property, Default)]
struct Look {
    mesh: AssetRef<Mesh>,
    decals: Vec<AssetRef<Texture>>,
}

#[derive(Property, Default)]
enum Floor {
    #[default]
    Flat,
    Relief(AssetRef<Heights>, f32),
    Tiled {
        tile: AssetRef<Texture>,
        tree: Tree,
    },
}

/// Holds itself.
#[derive(Property, Default)]
struct Tree {
    leaf: AssetRef<Texture>,
    branches: Vec<Tree>,
}

#[derive(Entity)]
struct Room {
    look: Look,
    floor: Floor,
    maybe: Option<AssetRef<Texture>>,
    by_name: IndexMap<String, Look>,
    pair: [AssetRef<Texture>; 2],
    music: AssetRef<Sound>,
    #[jasset(default = "Assets/T/default.png")]
    wall: AssetRef<Texture>,
    /// A text that looks like a path.
    note: String,
    #[jasset(skip)]
    skipped: AssetRef<Texture>,
}

/// Another place where references hide.
#[derive(Component)]
struct Hat {
    mesh: AssetRef<Mesh>,
    feathers: Vec<AssetRef<Texture>>,
}

/// No references at all.
#[derive(Entity)]
struct Plain {
    size: f32,
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
/// Eight by eight pixels.
const PICTURE: &[u8] = include_bytes!("tile.png");

fn project(files: &[(&str, &str)], assets: &[(&str, &[u8])]) -> TestProject {
    let project = TestProject::with(registry![Room, Plain, Hat].unwrap(), files);
    for (name, bytes) in assets {
        let path = project.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    project
}

fn open(project: &TestProject) -> Assets {
    Assets::open_with(&project.open(), AssetOptions { threads: 0, ..AssetOptions::default() }).unwrap()
}

fn paths(preloaded: &Preloaded) -> Vec<&str> {
    preloaded.handles.iter().map(|it| it.path()).collect()
}

const ROOM: &str = "\
; entity_type: Room
; id: 0x0100000000000001
Look.Mesh: Assets/M/a.obj
Look.Decals: [Assets/T/a.png, none, Assets/T/b.png]
Floor: Relief(Assets/T/heights.png, 2.0)
Maybe: Assets/T/maybe.png
ByName: { x: { Mesh: Assets/M/b.obj, Decals: [] }, y: { Mesh: Assets/M/a.obj, Decals: [Assets/T/c.png] } }
Pair: [Assets/T/a.png, Assets/T/d.png]
Music: Assets/S/song.ogg
Note: Assets/T/note.png
";

#[test]
fn preload_finds_references_in_every_kind_of_property_once() {
    let second = "\
; entity_type: Room
; id: 0x0100000000000002
Look.Mesh: Assets/M/a.obj
Floor: Tiled { Tile: Assets/T/tile.png, Tree: { Leaf: Assets/T/leaf.png, Branches: [{ Leaf: Assets/T/deep.png, Branches: [] }] } }
Music: Assets/T/odd.png
";
    let project = project(&[("A.jasset", ROOM), ("B.jasset", second), ("C.jasset", "; entity_type: Plain\n")], &[]);
    let mut world = project.load_clean();
    let plain = world.iter_of::<Plain>().next().unwrap().0;
    let room = world.iter_of::<Room>().next().unwrap().0;
    world.get_mut::<Room>(room).unwrap().skipped = AssetRef::from_static("Assets/T/skipped.png");
    world.set_text(plain, "Size", "3").unwrap();
    let mut assets = open(&project);
    assets.add_loader(HeightLoader);
    let preloaded = assets.preload(&world);
    let expected = [
        "Assets/M/a.obj",
        "Assets/T/a.png",
        "Assets/T/b.png",
        "Assets/T/heights.png",
        "Assets/T/maybe.png",
        "Assets/M/b.obj",
        "Assets/T/c.png",
        "Assets/T/d.png",
        "Assets/T/default.png",
        "Assets/T/tile.png",
        "Assets/T/leaf.png",
        "Assets/T/deep.png",
        "Assets/T/odd.png",
    ];
    assert_eq!(paths(&preloaded), expected);
    assert!(preloaded.left_out.iter().eq(["Assets/S/song.ogg"]), "{:?}", preloaded.left_out);
    assert!(preloaded.handles[0].typed::<Mesh>().is_some() && preloaded.handles[0].typed::<Texture>().is_none());
    assert!(preloaded.handles[3].typed::<Heights>().is_some(), "the property says of what type it is");
    // Of a type without a loader: the extension says it.
    assert!(preloaded.handles[12].typed::<Texture>().is_some());
    let again = assets.preload(&world);
    assert_eq!((paths(&again).len(), assets.len()), (13, 13));
}

#[test]
fn loaded_assets_are_those_that_code_asks_for_and_stay_as_long_as_they_are_held() {
    let project = project(
        &[("A.jasset", ROOM)],
        &[("M/a.obj", TRIANGLE.as_bytes()), ("T/a.png", PICTURE), ("T/heights.png", b"1234567")],
    );
    let world = project.load_clean();
    let mut assets = open(&project);
    assets.add_loader(HeightLoader);
    let preloaded = assets.preload(&world);
    let report = assets.wait();
    assert_eq!(report.changed.len(), 3);
    let (_, room) = world.iter_of::<Room>().next().unwrap();
    let mesh = assets.load_ref(room.look.mesh).unwrap();
    let decal = assets.load_ref(room.look.decals[0]).unwrap();
    let Floor::Relief(heights, _) = &room.floor else { unreachable!() };
    let heights = assets.load_ref(*heights).unwrap();
    let count = assets.progress().total.count;
    assert_eq!((mesh.get().unwrap().indices.len(), decal.get().unwrap().width, heights.get().unwrap().0), (3, 8, 7));
    assert_eq!((count, assets.unload_unused()), (preloaded.handles.len() as u64, 0));
    drop(preloaded);
    assert_eq!((assets.unload_unused() as u64, assets.len()), (count - 3, 3));
}

#[test]
fn what_fails_names_the_line_that_refers_to_it() {
    let template = "; entity_type: Room\n\nMaybe: Assets/T/of_template.png\nWall: Assets/T/of_template_too.png\n";
    let instance =
        "; template: Assets/Templates/Room.jasset\n; id: 0x0100000000000001\nLook.Mesh: Assets/M/of_instance.obj\n";
    let project = project(&[("A.jasset", instance)], &[("Templates/Room.jasset", template.as_bytes())]);
    let mut world = project.load_clean();
    let room = world.iter_of::<Room>().next().unwrap().0;
    assert!(world.set_text(room, "Wall", "Assets/T/unsaved.png").unwrap());
    let mut assets = open(&project);
    let _preloaded = assets.preload(&world);
    let report = assets.wait();
    let told: BTreeMap<&str, String> = (report.diagnostics.iter())
        .map(|it| (&*it.file, format!("{}:{}: {}", it.related[0].file, it.related[0].line, it.related[0].label)))
        .collect();
    let told: Vec<(&str, &str)> = told.iter().map(|(file, told)| (*file, &**told)).collect();
    let entity = "Assets/Worlds/W/Entities/A.jasset";
    let expected = [
        ("Assets/M/of_instance.obj", format!("{entity}:3: `Look.Mesh` refers to it")),
        ("Assets/T/of_template.png", "Assets/Templates/Room.jasset:3: `Maybe` refers to it".to_owned()),
        ("Assets/T/unsaved.png", format!("{entity}:0: `Wall` refers to it")),
    ];
    assert_eq!(told, expected.each_ref().map(|(file, told)| (*file, &**told)));
    let shown = format!("{:#}", report.diagnostics[0]);
    assert!(shown.contains("Assets/Worlds/W/Entities/A.jasset:3"), "{shown}");
}

#[test]
fn world_goes_on_with_placeholders() {
    let project = project(&[("A.jasset", ROOM)], &[("M/a.obj", b"v nan 0 0"), ("T/a.png", &PICTURE[..40])]);
    let world = project.load_clean();
    let mut assets = open(&project);
    let preloaded = assets.preload(&world);
    assert!(preloaded.handles.iter().all(|it| it.state() == LoadState::Loading));
    let report = assets.wait();
    assert_eq!(report.diagnostics.len(), preloaded.handles.len());
    let mesh = preloaded.handles[0].typed::<Mesh>().unwrap().get().unwrap();
    let texture = preloaded.handles[1].typed::<Texture>().unwrap().get().unwrap();
    assert_eq!((mesh.triangles().count(), texture.pixel(0, 0)), (12, Some([255, 0, 255, 255])));
}

#[test]
fn property_with_very_many_references_is_looked_up_in_its_file_once() {
    // A search for each path would read eight gigabytes.
    let paths: Vec<String> = (0..3_000).map(|i| format!("Assets/T/{i:04}.png")).collect();
    let mut text = "; entity_type: Room\n; id: 0x0100000000000001\n".to_owned();
    text.push_str(&"# a long comment in front\n".repeat(100_000));
    text.push_str(&format!("Look.Decals: [{}]\n", paths.join(", ")));
    let project = project(&[("A.jasset", &text)], &[]);
    let world = project.load_clean();
    let mut assets = open(&project);
    let preloaded = assets.preload(&world);
    let report = assets.wait();
    assert_eq!((preloaded.handles.len(), report.diagnostics.len()), (3_001, 3_001));
    let lines: Vec<u32> = report.diagnostics.iter().map(|it| it.related[0].line).collect();
    assert!(lines[..3_000].iter().all(|&line| line == 100_003) && lines[3_000] == 0);
}

#[test]
fn references_in_components_are_found_too() {
    let text = "\
; entity_type: Plain
; id: 0x0100000000000001
Size: 3.0
; component: Hat
Mesh: Assets/M/hat.obj
Feathers: [Assets/T/a.png, Assets/T/b.png]
";
    let project = project(&[("A.jasset", text)], &[("T/b.png", PICTURE)]);
    let world = project.load_clean();
    let mut assets = open(&project);
    let preloaded = assets.preload(&world);
    assert_eq!(paths(&preloaded), ["Assets/M/hat.obj", "Assets/T/a.png", "Assets/T/b.png"]);
    let report = assets.wait();
    let place = |it: &Diagnostic| format!("{}:{}: {}", it.related[0].file, it.related[0].line, it.related[0].label);
    let expected = ["5: `Hat/Mesh`", "6: `Hat/Feathers`"];
    let expected = expected.map(|it| format!("Assets/Worlds/W/Entities/A.jasset:{it} refers to it"));
    assert_eq!(report.diagnostics.iter().map(place).collect::<Vec<_>>(), expected);
}

#[test]
fn assets_are_a_resource_of_their_world() {
    let project = project(&[("A.jasset", ROOM)], &[("M/a.obj", TRIANGLE.as_bytes())]);
    let mut world = project.load_clean();
    world.insert_resource(open(&project));
    let preloaded = world.with_resource(|assets: &mut Assets, world| assets.preload(world)).unwrap();
    let report = world.resource_mut::<Assets>().unwrap().wait();
    assert_eq!((report.changed.len(), preloaded.handles[0].state()), (1, LoadState::Ready));
}
