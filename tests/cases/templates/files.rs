//! Files hold only what differs: what a new instance writes, which files an edit touches, the same bytes from any order of work.

use std::sync::Arc;

use juliet::core::text::Spelling;
use juliet::folder::DiskFileSystem;
use juliet::folder::testing::FaultyFileSystem;
use juliet::prelude::*;

use super::{based_on, find, get, label, path, project, project_with, put, text_of};
use crate::support::classes::{self, Rock};
use crate::support::{changed_lines, entity_in, save, save_all};

const BASE: &str = "; entity_type: Rock\nScale: 2\nHits: 1\n";

fn name_of(world: &World, handle: EntityHandle) -> String {
    world.file_of(handle).unwrap().rsplit('/').next().unwrap().to_owned()
}

#[test]
fn an_instance_without_overrides_holds_template_id_and_position_alone() {
    let project = project(&[("Base", BASE)], &[]);
    let mut world = project.load_clean();
    let base = world.load_template(&path("Base")).unwrap();
    for (spelling, rest) in
        [(Spelling::Colon, "Position: 1.0, 2.0, 3.0\n"), (Spelling::Node, "; position\n1.0 2.0 3.0\n")]
    {
        world.set_new_file_spelling(spelling);
        let handle = world.spawn_from(base, Vec3::new(1.0, 2.0, 3.0)).unwrap();
        assert!(world.is_dirty(handle) && world.overrides(handle).is_empty());
        let (id, name) = (world.base(handle).unwrap().id(), name_of(&world, handle));
        save(&mut world);
        let id = format!("{id:#018X}").replace("0X", "0x");
        let head = match spelling {
            Spelling::Node => format!("; template\nAssets/Templates/Base.jasset\n; id\n{id}\n"),
            _ => based_on("Base", &format!("; id: {id}\n")),
        };
        assert_eq!(project.text(&name), head + rest);
    }
    assert!(save_all(&mut world).written.is_empty());
    assert_eq!(text_of(&project, "Base"), BASE);
    let mut again = project.load_clean();
    assert!(save_all(&mut again).written.is_empty());
}

#[test]
fn an_override_brings_one_line_and_its_revert_takes_that_line_alone() {
    let colon = based_on(
        "Base",
        "; id: 0x0100000000000001\nPosition: 1.0, 2.0, 3.0\n\n// tuned\nScale: 2.50\n\n# TODO armour\nHits: 007\n",
    );
    let node = "; template\nAssets/Templates/Base.jasset\n; id\n0x0100000000000001\n; position\n1.0 2.0 3.0\n\n// tuned\n; scale\n2.50\n\n# TODO armour\n; hits\n007\n";
    for text in [colon.clone(), node.to_owned(), colon.replace('\n', "\r\n"), format!("\u{FEFF}{colon}")] {
        let project = project(&[("Base", BASE)], &[("I.jasset", &text)]);
        let mut world = project.load_clean();
        let i = entity_in(&world, "I.jasset");
        assert_eq!(world.overrides(i), ["Scale", "Hits"]);
        // K25: one line, everything else as it was; an equal value writes nothing.
        world.set(i, "Hits", 8_u8).unwrap();
        save(&mut world);
        assert_eq!(project.text("I.jasset"), text.replace("007", "8"));
        let before = project.picture();
        assert!(!world.set(i, "Scale", 2.5_f32).unwrap());
        save_all(&mut world);
        assert_eq!(project.picture(), before);
        // The reverted line goes, the comment above it stays.
        world.revert(i, "Hits").unwrap();
        save(&mut world);
        let without = text.replace("Hits: 007\r\n", "").replace("Hits: 007\n", "").replace("; hits\n007\n", "");
        assert_eq!(project.text("I.jasset"), without);
        assert_eq!(get(&world, i, "Hits"), "1");
        // A new one comes at its place in the order of the class.
        world.set(i, "IsDestructible", true).unwrap();
        save(&mut world);
        let found = changed_lines(&without, &project.text("I.jasset"));
        let expected: &[&str] =
            if text.contains("; scale") { &["+; is_destructible", "+true"] } else { &["+IsDestructible: true"] };
        assert_eq!(found.iter().map(|it| it.trim_end()).collect::<Vec<_>>(), expected);
        let again = project.load_clean();
        assert_eq!(again.overrides(entity_in(&again, "I.jasset")), ["Scale", "IsDestructible"]);
    }
}

#[test]
fn an_edit_of_a_template_with_ten_thousand_instances_touches_one_file() {
    let project = project(&[("Base", BASE), ("Mid", &based_on("Base", "MeshAsset: m\n"))], &[]);
    for index in 0..10_000 {
        let rest = format!("; id: {:#018x}\nPosition: {index}, 0, 0\n", 0x0100_0000_0000_0001_u64 + index);
        let own = if index % 10 == 0 { "Scale: 3\n" } else { "" };
        project.put(&format!("{index:05}.jasset"), based_on(["Base", "Mid"][index as usize % 2], &(rest + own)));
    }
    let disk = FaultyFileSystem::new(DiskFileSystem).without_flushes();
    let opened = Project::open_on(Arc::new(disk.clone()), project.root(), classes::registry()).unwrap();
    let (mut world, report) = opened.load_world("W").unwrap();
    assert_eq!((report.loaded, report.diagnostics.len()), (10_000, 0));
    // The first save makes the folder of the redo file.
    let first = world.iter().next().unwrap().handle();
    world.set_position(first, [0.0, 1.0, 0.0]).unwrap();
    save(&mut world);
    let base = find(&world, "Base");
    let impact = world.impact(base, Some("Scale")).unwrap();
    assert_eq!((impact.reached.len(), impact.shielded.len()), (9_000, 1_000));
    let reading = |disk: &FaultyFileSystem<DiskFileSystem>| {
        let counts = disk.counts();
        (counts.opened_for_reading, counts.opened_for_writing)
    };
    let before = reading(&disk);
    world.set(base, "Scale", 5.0_f32).unwrap();
    assert!(world.dirty().is_empty());
    assert_eq!(reading(&disk), before, "no file is opened by a change in memory");
    let saved = save(&mut world);
    assert_eq!((saved.written, saved.removed.len()), (vec![path("Base")], 0));
    let after = reading(&disk);
    // The template is compared with what was read, then written.
    assert_eq!((after.0 - before.0, after.1 - before.1), (1, 1));
    let five = world.iter_of::<Rock>().filter(|(_, rock)| rock.scale == 5.0).count();
    assert_eq!(five, 9_000);
    // Read again from disk: the files of two templates, of no instance.
    put(&project, "Base", BASE);
    let before = reading(&disk);
    let report = world.reread_templates();
    assert_eq!((report.changed, report.diagnostics.len()), (vec![base], 0));
    assert_eq!((reading(&disk).0 - before.0, reading(&disk).1), (2, before.1));
    assert!(world.dirty().is_empty());
    assert!(save_all(&mut world).written.is_empty());
    world.entities().validate().unwrap();
}

#[test]
fn k24_sparse_files_have_the_same_bytes_whatever_the_order_of_work() {
    let steps = ["Scale", "IsDestructible", "MeshAsset", "Hits"];
    let values = ["3.5", "true", "\"# odd\"", "9"];
    let mut results = std::collections::BTreeSet::new();
    for round in 0..20_usize {
        let project =
            project(&[("Base", BASE)], &[("Old.jasset", &based_on("Base", "; id: 0x0100000000000007\nHits: 4\n"))]);
        let options = juliet::LoadOptions { threads: std::num::NonZeroUsize::new(1 + round % 3), ..Default::default() };
        let (mut world, _) = project.open().load_world_with("W", &options).unwrap();
        let base = find(&world, "Base");
        let new = world.spawn_class("Rock", Vec3::new(1.0, 2.0, 3.0)).unwrap();
        world.set(new, "Scale", 2.0_f32).unwrap();
        world.set(new, "Hits", 1_u8).unwrap();
        world.set_template(new, base).unwrap();
        let old = entity_in(&world, "Old.jasset");
        // Orders that differ, with detours through other values and reverts.
        for step in 0..4 {
            let index = (step * [1, 3][round % 2] + round) % 4;
            for handle in [old, new] {
                if round % 5 == 0 {
                    world.set_text(handle, steps[index], values[index]).unwrap();
                    world.revert(handle, steps[index]).unwrap();
                }
                world.set_text(handle, steps[index], values[index]).unwrap();
            }
            if round % 7 == step {
                let _ = world.save().unwrap();
            }
        }
        if round % 4 == 1 {
            let copy = world.duplicate(new).unwrap();
            world.remove(copy).unwrap();
        }
        save_all(&mut world);
        let name = name_of(&world, new);
        let id = world.base(new).unwrap().id();
        let new = project.text(&name).replace(&format!("{id:#018X}").replace("0X", "0x"), "ID");
        results.insert((project.text("Old.jasset"), new));
        assert!(save_all(&mut world).written.is_empty());
    }
    assert_eq!(results.len(), 1, "{results:#?}");
    let (old, new) = results.first().unwrap();
    let lines = "Scale: 3.5\nIsDestructible: true\nMeshAsset: \"# odd\"\nHits: 9\n";
    assert_eq!(new, &based_on("Base", &format!("; id: ID\nPosition: 1.0, 2.0, 3.0\n{lines}")));
    assert!(old.ends_with(lines), "{old}");
}

/// A light.
#[derive(Property, Clone, PartialEq)]
struct Light {
    color: Vec3,
    power: f32,
    #[jasset(default = 1.0)]
    reach: f32,
}

/// A lamp with a struct in it.
#[derive(Entity)]
struct Lamp {
    light: Light,
    on: bool,
}

#[test]
fn a_struct_in_braces_is_overridden_and_reverted_leaf_by_leaf() {
    let base = "; entity_type: Lamp\nLight: { Color: [1, 1, 1], Power: 2, Reach: 3 }\n";
    for own in ["Light: { Color: [0, 0, 1], Power: 5 }\n", "Light.Color: 0, 0, 1\nLight.Power: 5\n"] {
        let text = based_on(
            "Base",
            &format!("; id: 0x0100000000000001\nPosition: 1.0, 2.0, 3.0\n# light\n{own}# end\nOn: true\n"),
        );
        let project = project_with(registry![Lamp].unwrap(), &[("Base", base)], &[("I.jasset", &text)]);
        let mut world = project.load_clean();
        let (i, template) = (entity_in(&world, "I.jasset"), find(&world, "Base"));
        assert_eq!(world.overrides(i), ["Light.Color", "Light.Power", "On"]);
        assert_eq!(get(&world, i, "Light.Reach"), "3.0");
        assert!(save_all(&mut world).written.is_empty());
        // What it does not say follows.
        world.set(template, "Light.Reach", 8.0_f32).unwrap();
        world.set(template, "Light.Power", 9.0_f32).unwrap();
        assert_eq!((get(&world, i, "Light.Reach"), get(&world, i, "Light.Power")), ("8.0".into(), "5.0".into()));
        assert_eq!(save(&mut world).written, [path("Base")]);
        assert!(text_of(&project, "Base").contains("Reach: 8"), "{}", text_of(&project, "Base"));
        // One of its leaves goes back.
        assert!(world.revert(i, "Light.Color").unwrap());
        assert_eq!(world.overrides(i), ["Light.Power", "On"]);
        assert_eq!(save(&mut world).written, [label("I.jasset")]);
        let again = project.load_clean();
        let j = entity_in(&again, "I.jasset");
        assert_eq!(again.overrides(j), ["Light.Power", "On"]);
        assert_eq!(
            (get(&again, j, "Light.Color"), get(&again, j, "Light.Power")),
            ("1.0, 1.0, 1.0".into(), "5.0".into())
        );
        let written = project.text("I.jasset");
        assert!(written.contains("# light\n") && written.contains("# end\n"), "{written}");
        // All of them.
        assert!(world.revert(i, "Light").unwrap());
        assert!(!world.revert(i, "Light").unwrap());
        assert_eq!(world.overrides(i), ["On"]);
        save(&mut world);
        let written = project.text("I.jasset");
        assert!(!written.contains("Light") && written.contains("# light\n# end\nOn: true\n"), "{written}");
        // The whole struct at once marks what differs.
        world.set(i, "Light", Light { color: Vec3::ONE, power: 1.0, reach: 8.0 }).unwrap();
        assert_eq!(world.overrides(i), ["Light.Power", "On"]);
        save(&mut world);
        let again = project.load_clean();
        assert_eq!(again.overrides(entity_in(&again, "I.jasset")), ["Light.Power", "On"]);
    }
}

#[test]
fn a_field_that_is_added_to_a_class_writes_no_byte() {
    mod newer {
        use juliet::prelude::*;
        /// A lamp that can do more.
        #[derive(Entity)]
        pub(super) struct Lamp {
            /// New, in front of all others.
            #[jasset(default = 4)]
            level: u32,
            on: bool,
            name: String,
            light: super::Light,
        }
    }
    let base = "; entity_type: Lamp\nLight.Power: 2\n";
    let project = project_with(
        registry![Lamp].unwrap(),
        &[("Base", base), ("Mid", &based_on("Base", "On: true\n"))],
        &[
            ("I.jasset", &based_on("Mid", "; id: 0x0100000000000001\nPosition: 1, 2, 3\nLight.Reach: 7\n")),
            ("J.jasset", &based_on("Base", "")),
        ],
    );
    let before = project.picture();
    project.load_clean();
    let project = project.rebuilt(registry![newer::Lamp].unwrap());
    let mut world = project.load_clean();
    assert!(world.dirty().is_empty() && world.dirty_templates().is_empty());
    assert!(save_all(&mut world).written.is_empty());
    assert_eq!(project.picture(), before);
    let i = entity_in(&world, "I.jasset");
    assert_eq!(
        (world.overrides(i), get(&world, i, "Level"), get(&world, i, "On")),
        (vec!["Light.Reach".to_owned()], "4".into(), "true".into())
    );
    // It is inherited like every other.
    let base = find(&world, "Base");
    world.set(base, "Level", 6_u32).unwrap();
    assert_eq!(get(&world, i, "Level"), "6");
    assert_eq!(save_all(&mut world).written, [path("Base")]);
}
