//! The sample project in `assets/`, and the sparse files that the page about the format shows.

#[path = "../../examples/tour/classes.rs"]
pub(crate) mod classes;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use classes::{Collectible, Door, Inert, SpikeTrap};
use juliet::prelude::*;
use juliet_world::assets::{Assets, Mesh};
use tempfile::TempDir;

use crate::support::{self, TestProject};

const FIRST: u64 = 0x0100_0000_0000_0000;

/// A copy of the project, and its world.
fn harbour() -> (TempDir, World) {
    let temp = tempfile::tempdir().unwrap();
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets"), &temp.path().join("assets"));
    let registry = registry![Inert, Collectible, SpikeTrap, Door].unwrap();
    let project = Project::open(temp.path().join("assets"), registry).unwrap();
    let (world, report) = project.load_world("Harbour").unwrap();
    assert_eq!(report.diagnostics, []);
    assert_eq!(report.loaded, texts(&temp.path().join("assets/Worlds/Harbour/Entities")).len());
    (temp, world)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (entry, to) = (entry.as_ref().unwrap(), to.join(entry.as_ref().unwrap().file_name()));
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// The files of a folder by name.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    let text = |path: &Path| fs::read_to_string(path).unwrap();
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), text(&path))).collect()
}

#[test]
fn harbour_loads_without_a_finding_and_saving_all_of_it_changes_no_byte() {
    let (temp, mut world) = harbour();
    let folders = ["Templates", "Worlds/Harbour/Entities"].map(|it| temp.path().join("assets").join(it));
    let files = || folders.each_ref().map(|folder| texts(folder));
    let before = files();
    let saved = support::save_all(&mut world);
    assert_eq!((saved.written, saved.removed), (vec![], vec![]));
    assert_eq!(files(), before);
    // Each template is in use, by an instance or by another template.
    for name in before[0].keys() {
        assert!(world.find_template(&format!("Assets/Templates/{name}")).is_some(), "{name} is named by no file");
    }
}

#[test]
fn files_of_the_harbour_name_what_their_instances_override() {
    let (temp, world) = harbour();
    let texts = texts(&temp.path().join("assets/Worlds/Harbour/Entities"));
    let mut without = [0, 0];
    for base in world.iter().filter(|base| world.template_of(base.handle()).is_some()) {
        let file = world.file_of(base.handle()).unwrap();
        let text = &texts[file.rsplit('/').next().unwrap()];
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '/'])).collect();
        // In the node spelling a value has a line of its own.
        let is_node = lines[0] == "; template";
        let says = if is_node { lines.len() / 2 } else { lines.len() };
        let overrides = world.overrides(base.handle()).len();
        let version = usize::from(lines.iter().any(|line| line.starts_with("; class_version")));
        assert_eq!(says, 3 + overrides + version, "{file}");
        assert_eq!(version == 1, overrides > 0 && base.class().version() > 1, "{file}");
        without[usize::from(is_node)] += usize::from(overrides == 0);
    }
    assert!(without.iter().all(|&count| count > 1), "{without:?} files without an override");
    // What a file says is an override, though the template says the same.
    let first_trap = world.find_by_id(FIRST + 0x70).unwrap();
    let offset = world.diff(first_trap).into_iter().find(|it| it.key == "Offset").unwrap();
    assert_eq!(offset.value, offset.inherited);
}

#[test]
fn mossy_rock_is_two_templates_away_from_its_class() {
    let (_temp, world) = harbour();
    let rock = world.find_by_id(FIRST + 0x42).unwrap();
    let mossy = world.template_of(rock).unwrap();
    let large = world.template_of(mossy).unwrap();
    assert_eq!(world.template_path(mossy), Some("Assets/Templates/RockMossy.jasset"));
    assert_eq!(world.template_path(large), Some("Assets/Templates/RockLarge.jasset"));
    assert_eq!(world.template_of(large), None);
    let value = world.get::<Inert>(rock).unwrap();
    assert_eq!((value.mass, value.tint), (70200.0, Color::rgb(0.45, 0.58, 0.4)));
    assert_eq!(value.mesh_asset.path(), "Assets/Meshes/Rock.obj");
    assert_eq!(value.mesh_instance, u32::MAX, "a skipped field has its default");
}

#[test]
fn meshes_of_the_harbour_load_without_a_finding() {
    let (temp, world) = harbour();
    let project = Project::open(temp.path().join("assets"), world.registry().clone()).unwrap();
    let mut assets = Assets::open(&project).unwrap();
    let preloaded = assets.preload(&world);
    let report = assets.wait();
    assert_eq!(report.diagnostics, []);
    assert!(preloaded.left_out.is_empty() && preloaded.handles.len() >= 8, "{preloaded:?}");
    let mut sizes: Vec<usize> = Vec::new();
    for handle in &preloaded.handles {
        // The type of the property is the game's own, so the extension says what to load.
        let mesh = handle.typed::<Mesh>().unwrap().get().unwrap();
        sizes.push(mesh.triangles().count());
    }
    assert!(sizes.iter().all(|&count| count >= 4), "{sizes:?}");
}

/// A post, as the page about the format shows it.
#[derive(Entity)]
#[jasset(version = 2)]
struct Post {
    mesh_asset: String,
    lamp: Lamp,
}

/// The lamp on it.
#[derive(Property)]
struct Lamp {
    color: Color,
    #[jasset(default = 60.0)]
    power: f32,
}

fn post_with(template: &str, text: &str) -> TestProject {
    let project = TestProject::with(registry![Post].unwrap(), &[("Post.jasset", text)]);
    fs::create_dir_all(project.root().join("Templates")).unwrap();
    fs::write(project.root().join("Templates/LampPost.jasset"), template).unwrap();
    project
}

const TEMPLATE: &str = "\
; entity_type: Post
; class_version: 2
Position: 7.0, 8.0, 9.0
MeshAsset: Post
Lamp.Color: 1.0, 0.5, 0.2
";

#[test]
fn sparse_files_of_the_page_about_the_format_are_instances() {
    let page = include_str!("../../docs/format.md");
    let blocks: Vec<&str> = page.split("```jasset\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let sparse: Vec<&str> = blocks.into_iter().filter(|text| text.contains("; template: ")).collect();
    let read = |text: &str| {
        let world = post_with(TEMPLATE, text).load_clean();
        let post = support::only(&world);
        (world.overrides(post), world.get_text(post, "Lamp.Power").unwrap(), world.get_text(post, "MeshAsset").unwrap())
    };
    let read: Vec<_> = sparse.into_iter().map(read).collect();
    let expected = [(vec![], "60.0".into(), "Post".into()), (vec!["Lamp.Power".into()], "80.0".into(), "Post".into())];
    assert_eq!(read, expected);
}

#[test]
fn reverting_does_to_a_file_what_the_page_about_the_format_says() {
    let text = "\
; template: Assets/Templates/LampPost.jasset
; id: 0x0100000000000042
; class_version: 2
# what it looks like
MeshAsset: Other
Unknown: 3
Lamp: { Color: 1.0 1.0 1.0, Power: 80.0 }
Position: 9.7, -3.0, -5.0
";
    let project = post_with(TEMPLATE, text);
    let (mut world, _) = project.load();
    let post = support::only(&world);
    assert!(world.revert(post, "MeshAsset").unwrap() && world.revert(post, "Lamp.Color").unwrap());
    assert!(world.save().unwrap().is_complete());
    let lines = support::changed_lines(text, &project.text("Post.jasset"));
    assert_eq!(lines, ["-MeshAsset: Other\n", "-Lamp: { Color: 1.0 1.0 1.0, Power: 80.0 }\n", "+Lamp.Power: 80.0\n"]);
}

#[test]
fn instance_without_a_position_stands_where_its_template_was_when_it_was_read() {
    let project = post_with(TEMPLATE, "; template: Assets/Templates/LampPost.jasset\n; id: 0x0100000000000042\n");
    let mut world = project.load_clean();
    let post = support::only(&world);
    let place = |world: &World| world.get_text(post, "Position").unwrap();
    assert_eq!(place(&world), "7.0, 8.0, 9.0");
    let template = world.template_of(post).unwrap();
    assert!(world.set(template, "Position", Vec3::ONE).unwrap());
    assert_eq!(place(&world), "7.0, 8.0, 9.0");
}
