//! K19: changes go through all levels and stop at overrides; K20: an override that equals the template's value.

use juliet::prelude::*;

use super::{based_on, diff, find, get, path, project, put, text_of};
use crate::support::{TestProject, entity_in, save, save_all};

fn levels() -> TestProject {
    let instance = |id: u32, rest: &str| format!("; id: 0x010000000000000{id}\nPosition: 1.0, 2.0, 3.0\n{rest}");
    project(
        &[
            ("Base", "; entity_type: Rock\nHits: 1\nScale: 1\nMeshAsset: a.obj\n"),
            ("Mid", &based_on("Base", "Scale: 2\n")),
        ],
        &[
            ("I1.jasset", &based_on("Mid", &instance(1, "Hits: 9\n"))),
            ("I2.jasset", &based_on("Mid", &instance(2, ""))),
            ("I3.jasset", &based_on("Mid", &instance(3, ""))),
        ],
    )
}

fn values(world: &World, subject: impl Into<juliet::Subject>) -> (String, String, String) {
    let subject = subject.into();
    (get(world, subject, "Hits"), get(world, subject, "Scale"), get(world, subject, "MeshAsset"))
}

fn of(hits: u8, scale: &str, mesh: &str) -> (String, String, String) {
    (hits.to_string(), scale.to_owned(), mesh.to_owned())
}

#[test]
fn k19_changes_reach_every_level_and_stop_at_overrides() {
    let project = levels();
    let mut world = project.load_clean();
    let (base, mid) = (find(&world, "Base"), find(&world, "Mid"));
    let all = ["I1.jasset", "I2.jasset", "I3.jasset"].map(|name| entity_in(&world, name));
    let [i1, i2, i3] = all;
    // 1.
    assert!(world.set(base, "hits", 5_u8).unwrap());
    assert!(world.set(base, "Scale", 7.0_f32).unwrap());
    assert!(world.set_text(base, "mesh_asset", "b.obj").unwrap());
    assert_eq!(values(&world, mid), of(5, "2.0", "b.obj"));
    assert_eq!(values(&world, i1), of(9, "2.0", "b.obj"));
    assert_eq!(values(&world, i2), of(5, "2.0", "b.obj"));
    assert_eq!(values(&world, i3), of(5, "2.0", "b.obj"));
    assert!(world.dirty().is_empty());
    assert_eq!(world.dirty_templates(), [base]);
    // 2.
    assert!(world.set(i2, "Scale", 4.0_f32).unwrap());
    assert_eq!(values(&world, i2), of(5, "4.0", "b.obj"));
    assert_eq!(values(&world, i1), of(9, "2.0", "b.obj"));
    assert_eq!(values(&world, i3), of(5, "2.0", "b.obj"));
    assert_eq!((values(&world, mid), values(&world, base)), (of(5, "2.0", "b.obj"), of(5, "7.0", "b.obj")));
    assert_eq!((world.dirty(), world.dirty_templates()), (vec![i2], vec![base]));
    // 3.
    let saved = save(&mut world);
    assert_eq!(saved.written, [path("Base"), super::label("I2.jasset")].map(|it| it.to_string()));
    assert!(world.dirty().is_empty() && world.dirty_templates().is_empty());
    let head = |id: u32| based_on("Mid", &format!("; id: 0x010000000000000{id}\nPosition: 1.0, 2.0, 3.0\n"));
    assert_eq!(project.text("I3.jasset"), head(3));
    assert_eq!(project.text("I2.jasset"), format!("{}Scale: 4.0\n", head(2)));
    assert_eq!(project.text("I1.jasset"), format!("{}Hits: 9\n", head(1)));
    assert_eq!(text_of(&project, "Mid"), based_on("Base", "Scale: 2\n"));
    assert_eq!(text_of(&project, "Base"), "; entity_type: Rock\nHits: 5\nScale: 7.0\nMeshAsset: b.obj\n");
    let again = project.load_clean();
    for (name, handle) in ["I1.jasset", "I2.jasset", "I3.jasset"].into_iter().zip(all) {
        assert_eq!(values(&again, entity_in(&again, name)), values(&world, handle));
    }
    // 4.
    put(&project, "Base", "; entity_type: Rock\nHits: 6\nScale: 7.0\nMeshAsset: b.obj\n");
    let fresh = project.load_clean();
    let hits =
        |world: &World| ["I1.jasset", "I2.jasset", "I3.jasset"].map(|it| get(world, entity_in(world, it), "Hits"));
    assert_eq!(hits(&fresh), ["9", "6", "6"]);
    // The live world takes it in as well.
    let report = world.reread_templates();
    assert_eq!((report.changed, report.diagnostics), (vec![base], vec![]));
    assert_eq!(hits(&world), ["9", "6", "6"]);
    assert!(world.dirty().is_empty() && world.dirty_templates().is_empty());
    assert_eq!(save_all(&mut world).written, [""; 0]);
    world.entities().validate().unwrap();
}

#[test]
fn k19_impact_says_beforehand_who_is_reached() {
    let project = levels();
    let mut world = project.load_clean();
    let (base, mid) = (find(&world, "Base"), find(&world, "Mid"));
    let [i1, i2, i3] = ["I1.jasset", "I2.jasset", "I3.jasset"].map(|name| entity_in(&world, name));
    let hits = world.impact(base, Some("hits")).unwrap();
    assert_eq!((hits.shielded, hits.reached_templates, hits.shielded_templates), (vec![i1], vec![mid], vec![]));
    assert!(hits.reached.len() == 2 && hits.reached.contains(&i2) && hits.reached.contains(&i3));
    let scale = world.impact(base, Some("Scale")).unwrap();
    assert_eq!((scale.reached.len(), scale.shielded.len(), scale.shielded_templates), (0, 3, vec![mid]));
    // A write through a guard shields from that moment on.
    world.get_mut::<crate::support::classes::Rock>(i2).unwrap().hits = 77;
    let hits = world.impact(base, Some("hits")).unwrap();
    assert_eq!(hits.reached, [i3]);
    world.set(base, "Hits", 50_u8).unwrap();
    assert_eq!((get(&world, i2, "Hits"), get(&world, i3, "Hits")), ("77".into(), "50".into()));
    assert_eq!((world.overrides(i2), world.overrides(i3).len()), (vec!["Hits".to_owned()], 0));
}

fn equal() -> (TestProject, String) {
    let text = based_on("Base", "Scale: 2\n");
    (project(&[("Base", "; entity_type: Rock\nScale: 2\n")], &[("I.jasset", &text)]), text)
}

#[test]
fn k20_an_override_that_equals_the_template_is_one() {
    let (project, _) = equal();
    let mut world = project.load_clean();
    let (base, i) = (find(&world, "Base"), entity_in(&world, "I.jasset"));
    let scale = |own: &str, inherited: &str| vec![("Scale".to_owned(), own.to_owned(), inherited.to_owned())];
    // 1.
    assert_eq!(world.overrides(i), ["Scale"]);
    world.set(i, "Hits", 3_u8).unwrap();
    save(&mut world);
    assert!(project.text("I.jasset").contains("\nScale: 2\n"), "{}", project.text("I.jasset"));
    world.revert(i, "Hits").unwrap();
    // 2.
    world.set(base, "Scale", 5.0_f32).unwrap();
    assert_eq!(get(&world, i, "Scale"), "2.0");
    assert_eq!(diff(&world, i), scale("2.0", "5.0"));
    // 3.
    assert!(world.revert(i, "scale").unwrap());
    assert_eq!((get(&world, i, "Scale"), diff(&world, i)), ("5.0".into(), vec![]));
    save(&mut world);
    assert!(!project.text("I.jasset").contains("Scale"), "{}", project.text("I.jasset"));
    // 4. Not overridden and the value it has already: the design leaves it as it is.
    assert!(!world.set(i, "Scale", 5.0_f32).unwrap());
    assert!(diff(&world, i).is_empty() && !world.is_dirty(i));
    // 5. Through another value it is an override, and stays one when it is equal again.
    assert!(world.set(i, "Scale", 6.0_f32).unwrap());
    assert!(world.set(i, "Scale", 5.0_f32).unwrap());
    assert_eq!(diff(&world, i), scale("5.0", "5.0"));
    assert!(!world.set(i, "Scale", 5.0_f32).unwrap());
    assert_eq!(diff(&world, i), scale("5.0", "5.0"));
    assert_eq!(save(&mut world).written.len(), 1);
    assert!(project.text("I.jasset").contains("\nScale: 5.0\n"), "{}", project.text("I.jasset"));
    world.set(base, "Scale", 8.0_f32).unwrap();
    assert_eq!(get(&world, i, "Scale"), "5.0");
    save(&mut world);
    let mut again = project.load_clean();
    let i = entity_in(&again, "I.jasset");
    assert_eq!(diff(&again, i), scale("5.0", "8.0"));
    assert!(again.revert(i, "Scale").unwrap());
    assert_eq!(get(&again, i, "Scale"), "8.0");
}

#[test]
fn k20_an_equal_override_survives_a_copy_a_reload_and_forced_saves() {
    let (project, text) = equal();
    let mut world = project.load_clean();
    assert_eq!(save_all(&mut world).written, [""; 0]);
    assert_eq!(project.text("I.jasset"), text);
    let i = entity_in(&world, "I.jasset");
    let copy = world.duplicate(i).unwrap();
    assert_eq!(world.overrides(copy), ["Scale"]);
    let file = world.file_of(copy).unwrap();
    save(&mut world);
    let name = file.rsplit('/').next().unwrap();
    assert!(project.text(name).contains("\nScale: 2\n"), "{}", project.text(name));
    let again = project.load_clean();
    assert_eq!(again.overrides(entity_in(&again, name)), ["Scale"]);
}

#[test]
fn k20_a_write_through_a_guard_marks_what_differs_and_keeps_what_is_marked() {
    use crate::support::classes::Rock;
    let (project, _) = equal();
    let mut world = project.load_clean();
    let i = entity_in(&world, "I.jasset");
    // Equal to the template and overridden: stays so.
    world.get_mut::<Rock>(i).unwrap().scale = 2.0;
    assert_eq!(world.overrides(i), ["Scale"]);
    assert!(!world.is_dirty(i));
    // Not overridden, written with the value it has: no override.
    world.get_mut::<Rock>(i).unwrap().hits = 0;
    assert_eq!(world.overrides(i), ["Scale"]);
    // Written and written back within one guard: nothing differs.
    {
        let mut rock = world.get_mut::<Rock>(i).unwrap();
        rock.hits = 4;
        rock.hits = 0;
    }
    assert_eq!((world.overrides(i), world.is_dirty(i)), (vec!["Scale".to_owned()], false));
    world.iter_of_mut::<Rock>().for_each(|mut item| item.value.hits = 6);
    assert_eq!(world.overrides(i), ["Scale", "Hits"]);
    save(&mut world);
    assert_eq!(world.overrides(i), ["Scale", "Hits"]);
    assert!(world.dirty().is_empty());
}
