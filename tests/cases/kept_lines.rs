//! K25: a save changes the lines that changed.

use juliet::prelude::*;

use crate::support::classes::{Rock, rocks};
use crate::support::{TestProject, changed_lines, only, save};

const COLON: &str = "# big rock near the gate\n; entity_type: Rock\n\n// tuned in playtest\nScale: 2.50\nPosition: 142.5, 12.0, -84.2\n\n# TODO armour\nHits: 007\n";
const NODE: &str = "# big rock near the gate\n; class\nRock\n\n// tuned in playtest\n; scale\n2.50\n; position\n142.5 12.0 -84.2\n\n# TODO armour\n; hits\n007\n";

/// The text with an id after its class, as the first save adds it.
fn with_id(text: &str, id: u64) -> String {
    text.replace("; entity_type: Rock\n", &format!("; entity_type: Rock\n; id: 0x{id:016X}\n"))
        .replace("; class\nRock\n", &format!("; class\nRock\n; id\n0x{id:016X}\n"))
}

#[test]
fn k25_one_change_changes_one_line() {
    for (text, old, new) in [(COLON, "Hits: 007\n", "Hits: 8\n"), (NODE, "007\n", "8\n")] {
        for text in [text.to_owned(), text.replace('\n', "\r\n"), text.trim_end().to_owned()] {
            let windows = text.contains('\r');
            let fit = |line: &str| if windows { line.replace('\n', "\r\n") } else { line.to_owned() };
            let plain = text.replace("\r\n", "\n");
            let text = fit(&with_id(&plain, 0x42));
            let project = TestProject::with(rocks(), &[("A.jasset", &text)]);
            let mut world = project.load_clean();
            let handle = only(&world);
            assert_eq!(world.get::<Rock>(handle).unwrap().hits, 7);
            world.set(handle, "hits", 8_u8).unwrap();
            save(&mut world);
            let expected = text.replace(&fit(old), &fit(new)).replace(old.trim_end(), new.trim_end());
            assert_eq!(project.text("A.jasset"), expected);
            // An equal value, however it is spelled, is no change.
            let before = project.picture();
            assert!(!world.set(handle, "scale", 2.5_f32).unwrap());
            world.get_mut::<Rock>(handle).unwrap().scale = 2.5;
            world.set_position(handle, [142.5, 12.0, -84.2]).unwrap();
            assert_eq!(world.dirty(), []);
            assert_eq!(save(&mut world).written.len(), 0);
            assert_eq!(project.picture(), before);
        }
    }
}

#[test]
fn k25_a_file_without_an_id_gets_a_line_for_it_and_no_other() {
    for (text, hits) in [(COLON, ("Hits: 007", "Hits: 8")), (NODE, ("007", "8"))] {
        let project = TestProject::with(rocks(), &[("A.jasset", text)]);
        let mut world = project.load_clean();
        let handle = only(&world);
        let id = world.base(handle).unwrap().id();
        world.set(handle, "hits", 8_u8).unwrap();
        save(&mut world);
        assert_eq!(project.text("A.jasset"), with_id(&text.replace(hits.0, hits.1), id));
        assert!(project.load_clean().find_by_id(id).is_some());
    }
}

#[test]
fn k25_a_property_that_was_not_there_is_added_in_declaration_order() {
    for (text, after) in [
        (COLON, "Scale: 2.50\nIsDestructible: true\nMeshAsset: a.obj\n"),
        (NODE, "; scale\n2.50\n; is_destructible\ntrue\n; mesh_asset\na.obj\n"),
    ] {
        let text = with_id(text, 0x42);
        let mut texts = Vec::new();
        for order in [["is_destructible", "mesh_asset"], ["mesh_asset", "is_destructible"]] {
            let project = TestProject::with(rocks(), &[("A.jasset", &text)]);
            let mut world = project.load_clean();
            let handle = only(&world);
            for key in order {
                world.set_text(handle, key, if key == "mesh_asset" { "a.obj" } else { "true" }).unwrap();
            }
            save(&mut world);
            let saved = project.text("A.jasset");
            assert!(saved.contains(after), "{saved}");
            assert!(changed_lines(&text, &saved).iter().all(|line| line.starts_with('+')), "{saved}");
            texts.push(saved);
        }
        assert_eq!(texts[0], texts[1]);
    }
}

#[test]
fn k25_a_property_set_back_to_its_default_keeps_line_and_comment() {
    let project = TestProject::with(rocks(), &[("A.jasset", with_id(COLON, 0x42))]);
    let mut world = project.load_clean();
    let handle = only(&world);
    world.reset(handle, "hits").unwrap();
    save(&mut world);
    assert_eq!(changed_lines(&with_id(COLON, 0x42), &project.text("A.jasset")), ["-Hits: 007\n", "+Hits: 0\n"]);
}

#[test]
fn k25_a_move_changes_the_position_alone() {
    for (text, new) in [(COLON, "+Position: 1.0, 2.0, 3.5\n"), (NODE, "+1.0 2.0 3.5\n")] {
        let text = with_id(text, 0x42);
        let project = TestProject::with(rocks(), &[("A.jasset", &text)]);
        let mut world = project.load_clean();
        let handle = only(&world);
        world.set(handle, "Position", Vec3::new(1.0, 2.0, 3.5)).unwrap();
        save(&mut world);
        let changed = changed_lines(&text, &project.text("A.jasset"));
        assert!(changed.len() == 2 && changed[1] == new, "{changed:?}");
    }
}
