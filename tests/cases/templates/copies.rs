//! K22: copies of instances, and what comes back after a removal.

use juliet::prelude::*;

use super::{based_on, diff, find, get, project};
use crate::support::{TestProject, entity_in, save, save_all};

const ID: &str = "; id: 0x0000000000000010\n";

fn base_and(text: &str) -> TestProject {
    project(&[("Base", "; entity_type: Rock\nScale: 2\nHits: 1\n")], &[("I.jasset", text)])
}

fn keys(world: &World, handle: EntityHandle) -> Vec<String> {
    diff(world, handle).into_iter().map(|(key, ..)| key).collect()
}

#[test]
fn k22_a_copy_has_template_overrides_and_unknown_lines_and_nothing_baked_in() {
    let colon = based_on("Base", &format!("{ID}Position: 1.0, 2.0, 3.0\nScale: 5\nOldArmor: 3\n"));
    let node = "; template\nAssets/Templates/Base.jasset\n; id\n0x0000000000000010\n; position\n1.0 2.0 3.0\n; scale\n5\n; old_armor\n3\n";
    for (text, hits) in [(colon.as_str(), "Hits: 8\n"), (node, "; hits\n8\n")] {
        let project = base_and(text);
        let (mut world, report) = project.load();
        assert_eq!((report.loaded, report.diagnostics.len()), (1, 1));
        let (i, base) = (entity_in(&world, "I.jasset"), find(&world, "Base"));
        let c = world.duplicate(i).unwrap();
        assert!(!world.is_dirty(i) && world.is_dirty(c));
        assert_eq!(world.template_of(c), Some(base));
        assert!(world.set(c, "Hits", 8_u8).unwrap());
        assert_eq!(
            (keys(&world, c), keys(&world, i)),
            (vec!["Scale".to_owned(), "Hits".to_owned()], vec!["Scale".to_owned()])
        );
        let id = world.base(c).unwrap().id();
        assert_ne!(id, 0x10);
        assert_eq!(world.find_by_id(id), Some(c));
        let file = world.file_of(c).unwrap();
        assert_eq!(save(&mut world).written, std::slice::from_ref(&file));
        let name = file.rsplit('/').next().unwrap();
        // The original's text, with its own id and what it overrides beyond it.
        let written = project.text(name);
        let expected = text.replace("0x0000000000000010", &format!("{id:#018X}").replace("0X", "0x"));
        let mut lines: Vec<&str> = expected.lines().chain(hits.lines()).collect();
        let mut found: Vec<&str> = written.lines().collect();
        lines.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, lines, "{written}");
        assert_eq!(project.text("I.jasset"), text);
        world.set(base, "Hits", 4_u8).unwrap();
        assert_eq!((get(&world, i, "Hits"), get(&world, c, "Hits")), ("4".into(), "8".into()));
        assert!(world.dirty().is_empty());
        save(&mut world);
        let (again, _) = project.load();
        let (i, c) = (entity_in(&again, "I.jasset"), entity_in(&again, name));
        assert_eq!(
            (get(&again, i, "Hits"), get(&again, c, "Hits"), get(&again, c, "Scale")),
            ("4".into(), "8".into(), "5.0".into())
        );
        assert_eq!((keys(&again, c).len(), keys(&again, i).len()), (2, 1));
    }
}

#[test]
fn k22_a_copy_of_a_copy_that_was_never_saved_is_an_instance_too() {
    let project = base_and(&based_on("Base", &format!("{ID}Scale: 5\nOldArmor: 3\n")));
    let (mut world, _) = project.load();
    let (i, base) = (entity_in(&world, "I.jasset"), find(&world, "Base"));
    world.get_mut::<crate::support::classes::Rock>(i).unwrap().mesh_asset = "m".into();
    let first = world.duplicate(i).unwrap();
    world.revert(first, "Scale").unwrap();
    let second = world.duplicate(first).unwrap();
    assert_eq!(keys(&world, second), ["MeshAsset"]);
    assert_eq!(world.instances_of(base).len(), 3);
    world.remove(first).unwrap();
    world.revert_all(i).unwrap();
    let name = world.file_of(second).unwrap();
    save(&mut world);
    let text = project.text(name.rsplit('/').next().unwrap());
    assert!(text.contains("OldArmor: 3\n") && text.contains("MeshAsset: m\n") && !text.contains("Scale"), "{text}");
    assert!(project.text("I.jasset").contains("OldArmor: 3\n"));
    assert!(world.dirty().is_empty());
    assert!(save_all(&mut world).written.is_empty());
    world.entities().validate().unwrap();
}

#[test]
fn k22_a_copy_of_an_instance_that_names_no_position_stands_where_the_original_does() {
    let project = project(
        &[("Base", "; entity_type: Rock\nPosition: 7, 8, 9\nScale: 2\n")],
        &[("I.jasset", &based_on("Base", ID))],
    );
    let mut world = project.load_clean();
    let i = entity_in(&world, "I.jasset");
    assert_eq!(get(&world, i, "Position"), "7.0, 8.0, 9.0");
    assert!(save_all(&mut world).written.is_empty());
    let copy = world.duplicate(i).unwrap();
    assert_eq!(get(&world, copy, "Position"), "7.0, 8.0, 9.0");
    // A template that moves leaves its instances where they are, and what stands in no file is written then.
    let base = find(&world, "Base");
    world.set_position(base, [1.0, 1.0, 1.0]).unwrap();
    assert_eq!(get(&world, i, "Position"), "7.0, 8.0, 9.0");
    save_all(&mut world);
    let again = project.load_clean();
    assert_eq!(get(&again, entity_in(&again, "I.jasset"), "Position"), "7.0, 8.0, 9.0");
    assert_eq!(get(&again, find(&again, "Base"), "Position"), "1.0, 1.0, 1.0");
}
