//! K21: what a revert goes back to, and what it does to the files.

use juliet::prelude::*;
use juliet::{Level, OverrideError, SetError};

use super::{based_on, diff, find, get, label, path, project_with, text_of};
use crate::support::{TestProject, entity_in, save, save_all};

/// A rock of size 1.
#[derive(Entity)]
struct Stone {
    #[jasset(default = 1.0)]
    scale: f32,
    hits: u8,
}

fn project() -> TestProject {
    project_with(
        registry![Stone].unwrap(),
        &[("Base", "; entity_type: Stone\nScale: 2\n"), ("Mid", &based_on("Base", "Scale: 3\n"))],
        &[
            ("I.jasset", &based_on("Mid", "# own\nScale: 4\n")),
            ("J.jasset", &based_on("Mid", "")),
            ("Alone.jasset", "; entity_type: Stone\nScale: 7\n"),
        ],
    )
}

fn scale(own: &str, inherited: &str) -> Vec<(String, String, String)> {
    vec![("Scale".to_owned(), own.to_owned(), inherited.to_owned())]
}

#[test]
fn k21_a_revert_goes_to_the_nearest_level() {
    let project = project();
    let mut world = project.load_clean();
    let (base, mid) = (find(&world, "Base"), find(&world, "Mid"));
    let (i, j) = (entity_in(&world, "I.jasset"), entity_in(&world, "J.jasset"));
    // What was saved reads back the same.
    let check = |world: &World, expected: [(&str, bool); 2]| {
        let again = project.load_clean();
        for (world, names) in [(world, [i, j]), (&again, ["I.jasset", "J.jasset"].map(|it| entity_in(&again, it)))] {
            for (handle, (value, differs)) in names.into_iter().zip(expected) {
                assert_eq!((get(world, handle, "Scale").as_str(), diff(world, handle).is_empty()), (value, !differs));
            }
        }
    };
    // 1.
    assert_eq!((diff(&world, j), diff(&world, i)), (vec![], scale("4.0", "3.0")));
    assert_eq!(world.diff(i)[0].source, Level::Template(mid));
    // 2.
    assert!(world.revert(i, "scale").unwrap());
    assert_eq!((get(&world, i, "Scale").as_str(), world.is_dirty(i)), ("3.0", true));
    assert_eq!(save(&mut world).written, [label("I.jasset")]);
    assert!(project.text("I.jasset").starts_with(&based_on("Mid", "")), "{}", project.text("I.jasset"));
    assert!(project.text("I.jasset").contains("# own\n") && !project.text("I.jasset").contains("Scale"));
    let before = project.picture();
    assert!(!world.revert(i, "Scale").unwrap(), "it is not overridden any more");
    assert!(!world.is_dirty(i));
    assert!(save(&mut world).written.is_empty());
    assert_eq!(project.picture(), before);
    check(&world, [("3.0", false), ("3.0", false)]);
    // 3.
    assert_eq!(diff(&world, mid), scale("3.0", "2.0"));
    assert!(world.revert(mid, "Scale").unwrap());
    assert_eq!(get(&world, mid, "Scale"), "2.0");
    assert_eq!((world.dirty(), world.dirty_templates()), (vec![], vec![mid]));
    assert_eq!(save(&mut world).written, [path("Mid")]);
    assert_eq!(text_of(&project, "Mid"), based_on("Base", ""));
    check(&world, [("2.0", false), ("2.0", false)]);
    // 4.
    assert!(world.revert(base, "Scale").unwrap());
    assert_eq!([get(&world, base, "Scale"), get(&world, mid, "Scale")], ["1.0", "1.0"]);
    assert_eq!(save(&mut world).written, [path("Base")]);
    assert_eq!(text_of(&project, "Base"), "; entity_type: Stone\n");
    check(&world, [("1.0", false), ("1.0", false)]);
    assert_eq!(world.why(i, "Scale").unwrap().source(), Level::ClassDefault);
    assert_eq!(save_all(&mut world).written, [""; 0]);
}

#[test]
fn k21_a_revert_of_what_is_not_there_names_entity_and_property() {
    let project = project();
    let mut world = project.load_clean();
    let (i, alone) = (entity_in(&world, "I.jasset"), entity_in(&world, "Alone.jasset"));
    let error = world.revert(i, "no_such").unwrap_err();
    let is_unknown = matches!(&error, OverrideError::Property { source: SetError::UnknownProperty { key, .. }, .. } if &**key == "no_such");
    assert!(is_unknown, "{error}");
    assert!(error.to_string().contains("I.jasset") && error.to_string().contains("no_such"), "{error}");
    let error = world.revert(i, "Scael").unwrap_err();
    assert!(error.to_string().contains("did you mean `Scale`"), "{error}");
    assert!(matches!(world.revert(i, "Position"), Err(OverrideError::Position { .. })));
    // Without a template there is nothing to go back to; `reset` gives the default.
    let error = world.revert(alone, "Scale").unwrap_err();
    assert!(matches!(error, OverrideError::NoTemplate { .. }), "{error}");
    assert!(error.to_string().contains("Alone.jasset"), "{error}");
    assert!(matches!(world.revert_all(alone), Err(OverrideError::NoTemplate { .. })));
    assert_eq!((get(&world, alone, "Scale").as_str(), diff(&world, alone).len()), ("7.0", 0));
    assert!(world.dirty().is_empty());
    assert!(world.reset(alone, "Scale").unwrap());
    assert_eq!(get(&world, alone, "Scale"), "1.0");
    let id = world.remove(i).unwrap();
    assert!(world.revert(i, "Scale").is_err() && world.revert_all(i).is_err());
    let back = world.restore(id).unwrap();
    assert_eq!(diff(&world, back), scale("4.0", "3.0"));
    assert!(!world.is_dirty(back));
}

#[test]
fn k21_revert_all_keeps_id_and_position() {
    let project = project();
    let mut world = project.load_clean();
    let i = entity_in(&world, "I.jasset");
    let id = world.base(i).unwrap().id();
    world.set_position(i, [4.0, 5.0, 6.0]).unwrap();
    world.get_mut::<Stone>(i).unwrap().hits = 9;
    assert_eq!(world.overrides(i), ["Scale", "Hits"]);
    assert!(world.revert_all(i).unwrap());
    assert!(!world.revert_all(i).unwrap());
    assert_eq!((get(&world, i, "Scale").as_str(), get(&world, i, "Hits").as_str()), ("3.0", "0"));
    assert_eq!((world.base(i).unwrap().id(), get(&world, i, "Position").as_str()), (id, "4.0, 5.0, 6.0"));
    save(&mut world);
    let text = project.text("I.jasset");
    assert!(text.contains("Position: 4.0, 5.0, 6.0\n") && !text.contains("Hits") && !text.contains("Scale"), "{text}");
    let again = project.load_clean();
    assert!(again.overrides(entity_in(&again, "I.jasset")).is_empty());
}

#[test]
fn k21_a_revert_of_a_write_through_a_guard_goes_back_to_the_template() {
    let project = project();
    let mut world = project.load_clean();
    let j = entity_in(&world, "J.jasset");
    let before = project.picture();
    world.get_mut::<Stone>(j).unwrap().scale = 50.0;
    assert!(world.is_overridden(j, "scale") && world.is_dirty(j));
    assert!(world.revert(j, "Scale").unwrap());
    assert_eq!((get(&world, j, "Scale").as_str(), world.is_dirty(j)), ("3.0", false));
    assert!(save_all(&mut world).written.is_empty());
    assert_eq!(project.picture(), before);
}
