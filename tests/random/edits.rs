//! Files that are edited through a world: only the lines of what changed differ.

use std::fs;
use std::path::Path;

use juliet::ErasedRef;
use juliet::core::archive::find_leaf;
use juliet::prelude::*;

use super::files::{File, copy_property, leaves};
use super::for_seeds;
use super::values::{Every, Random, Rng};
use juliet::core::text::Spelling;

const FOLDER: &str = "Worlds/W/Entities";

struct Case {
    name: String,
    file: File,
    handle: EntityHandle,
    /// What memory has to hold.
    value: Every,
    position: [f32; 3],
}

fn load(root: &Path) -> World {
    let project = Project::open(root, registry![Every].unwrap()).unwrap();
    let (world, report) = project.load_world("W").unwrap();
    let errors: Vec<_> = report.diagnostics.iter().filter(|it| it.is_error()).collect();
    assert!(errors.is_empty() && report.skipped == 0, "{errors:#?}");
    world
}

fn check_memory(world: &World, cases: &[Case]) {
    for case in cases {
        let found = world.get::<Every>(case.handle).unwrap();
        assert_eq!(format!("{found:?}"), format!("{:?}", case.value), "{}\n{}", case.name, case.file.text());
        let [x, y, z, w] = world.position(case.handle).unwrap().to_array();
        assert_eq!(format!("{:?}", ([x, y, z], w)), format!("{:?}", (case.position, 1.0)), "{}", case.name);
    }
}

fn check_files(folder: &Path, cases: &[Case]) {
    for case in cases {
        let found = fs::read_to_string(folder.join(&case.name)).unwrap();
        assert_eq!(found, case.file.text(), "{}", case.name);
    }
}

fn find(world: &World, name: &str) -> EntityHandle {
    let mut all = world.iter().map(|base| base.handle());
    all.find(|&handle| world.file_of(handle).unwrap().ends_with(&format!("/{name}"))).unwrap()
}

/// Random files in a folder, loaded.
fn set_up(rng: &mut Rng, root: &Path, count: u64) -> (World, Vec<Case>) {
    let folder = root.join(FOLDER);
    fs::create_dir_all(&folder).unwrap();
    let files: Vec<(String, File)> =
        (0..count).map(|index| (format!("f{index}.jasset"), File::random(rng, 0x100 + index))).collect();
    for (name, file) in &files {
        fs::write(folder.join(name), file.text()).unwrap();
    }
    let world = load(root);
    let cases = files.into_iter().map(|(name, file)| {
        let (handle, value, position) = (find(&world, &name), file.value.clone(), file.position);
        Case { name, file, handle, value, position }
    });
    let cases = cases.collect::<Vec<_>>();
    (world, cases)
}

/// A few changes through every door; `case` says what memory then has to hold.
fn change(rng: &mut Rng, world: &mut World, case: &mut Case) {
    let keys: Vec<String> = leaves(&case.value, Spelling::Colon).into_iter().map(|(key, _)| key).collect();
    for _ in 0..rng.below(5) {
        let drawn = Every::random(rng);
        match rng.below(7) {
            0 => {
                let position: [f32; 3] = rng.value();
                world.set_position(case.handle, position).unwrap();
                case.position = position;
            }
            1 => {
                world.set(case.handle, "health", 42.5f32).unwrap();
                world.set(case.handle, "Hp", 43.5f32).unwrap();
                world.set_text(case.handle, "HitPoints", " 44.5\t").unwrap();
                assert_eq!(world.get_property::<f32>(case.handle, "Health"), Some(&44.5));
                let mut drawn = case.value.clone();
                drawn.set_health(44.5);
                case.value = drawn;
            }
            2 => {
                let key = keys[rng.below(keys.len())].clone();
                let mut place = world.get_mut::<Every>(case.handle).unwrap();
                copy_property(&mut place, &drawn, &key);
                copy_property(&mut case.value, &drawn, &key);
            }
            3 => {
                let key = rng.pick(&["Lamp", "Lamp.Spot", "SecondLamp.Spot", "OtherLamp", "holder", "Weight"]);
                let text = written(&drawn, key);
                world.set_text(case.handle, key, &text).unwrap();
                copy_property(&mut case.value, &drawn, key);
            }
            4 => {
                let key = &keys[rng.below(keys.len())];
                world.reset(case.handle, key).unwrap();
                copy_property(&mut case.value, &Every::default_value(), key);
            }
            _ => {
                let key = &keys[rng.below(keys.len())];
                world.set_text(case.handle, key, &written(&drawn, key)).unwrap();
                copy_property(&mut case.value, &drawn, key);
            }
        }
    }
}

fn written(value: &Every, key: &str) -> String {
    let mut out = Vec::new();
    let path = find_leaf(Every::CLASS.ty(), key).unwrap();
    juliet::core::archive::write_value(path.follow(ErasedRef::of_entity(value)).unwrap(), Spelling::Colon, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn only_the_lines_of_changed_properties_differ() {
    for_seeds(10, |rng| {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(FOLDER);
        let (mut world, mut cases) = set_up(rng, home.path(), 12);
        check_memory(&world, &cases);
        assert!(world.dirty().is_empty());
        for _ in 0..2 {
            cases.iter_mut().for_each(|case| change(rng, &mut world, case));
            check_memory(&world, &cases);
            let mut differ = Vec::new();
            for case in &mut cases {
                let id = world.base(case.handle).unwrap().id();
                let same = shown(&case.value) == shown(&case.file.value)
                    && format!("{:?}", case.position) == format!("{:?}", case.file.position);
                assert_eq!(world.is_dirty(case.handle), !same, "{}", case.name);
                if !same {
                    case.file = case.file.edited(id, case.position, &case.value);
                    differ.push(case.name.clone());
                }
            }
            let report = world.save().unwrap();
            assert_eq!(report.diagnostics, []);
            differ.sort();
            let names: Vec<_> = report.written.iter().map(|path| path.rsplit('/').next().unwrap().to_owned()).collect();
            assert_eq!(names, differ);
            check_files(&folder, &cases);
            assert!(world.dirty().is_empty());
            assert!(world.save_all().unwrap().written.is_empty());
            world = load(home.path());
            cases.iter_mut().for_each(|case| case.handle = find(&world, &case.name));
            check_memory(&world, &cases);
        }
    });
}

fn shown(value: &Every) -> String {
    format!("{value:?}")
}

#[test]
fn a_change_that_is_taken_back_is_no_change() {
    for_seeds(8, |rng| {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(FOLDER);
        let (mut world, mut cases) = set_up(rng, home.path(), 10);
        for case in &mut cases {
            let (value, position) = (case.value.clone(), case.position);
            change(rng, &mut world, case);
            world.set_position(case.handle, position).unwrap();
            for (key, text) in leaves(&value, Spelling::Colon) {
                world.set_text(case.handle, &key, &text).unwrap();
            }
            (case.value, case.position) = (value, position);
            assert!(!world.is_dirty(case.handle), "{}", case.name);
        }
        check_memory(&world, &cases);
        assert!(world.dirty().is_empty());
        let report = world.save().unwrap();
        assert!(report.written.is_empty() && report.diagnostics.is_empty(), "{report:?}");
        check_files(&folder, &cases);
    });
}

#[test]
fn loading_and_saving_everything_changes_no_byte() {
    for_seeds(8, |rng| {
        let home = tempfile::tempdir().unwrap();
        let (mut world, cases) = set_up(rng, home.path(), 20);
        let report = world.save_all().unwrap();
        assert_eq!((report.written.len(), report.unchanged), (0, cases.len()));
        check_files(&home.path().join(FOLDER), &cases);
    });
}
