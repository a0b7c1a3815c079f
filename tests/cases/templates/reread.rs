//! Templates whose files change while the world is loaded.

use juliet::Code;
use juliet::prelude::*;

use super::{based_on, diff, find, get, label, path, project, put, text_of};
use crate::support::{TestProject, entity_in, save, save_all};

fn chain() -> TestProject {
    project(
        &[
            ("Base", "; entity_type: Rock\nScale: 2\nHits: 1\n"),
            ("Mid", &based_on("Base", "Scale: 3\n")),
            ("Other", "; entity_type: Rock\nScale: 7\nHits: 7\n"),
        ],
        &[
            ("I.jasset", &based_on("Mid", "; id: 0x0100000000000001\nPosition: 0.0, 0.0, 0.0\n")),
            ("J.jasset", &based_on("Base", "; id: 0x0100000000000002\nPosition: 0.0, 0.0, 0.0\nHits: 9\n")),
            ("K.jasset", &based_on("Other", "; id: 0x0100000000000003\nPosition: 0.0, 0.0, 0.0\n")),
        ],
    )
}

fn all(world: &World) -> [(String, String); 3] {
    ["I", "J", "K"].map(|it| {
        let handle = entity_in(world, &format!("{it}.jasset"));
        (get(world, handle, "Scale"), get(world, handle, "Hits"))
    })
}

/// What the live world shows is what a fresh load shows.
#[track_caller]
fn as_fresh(project: &TestProject, world: &mut World) {
    let fresh = project.load_clean();
    assert_eq!(all(world), all(&fresh));
    for name in ["I.jasset", "J.jasset", "K.jasset"] {
        let (live, read) = (entity_in(world, name), entity_in(&fresh, name));
        assert_eq!(world.overrides(live), fresh.overrides(read));
        let name_of =
            |world: &World, it| world.template_of(it).and_then(|it| world.template_path(it).map(str::to_owned));
        assert_eq!(name_of(world, live), name_of(&fresh, read));
    }
    for template in fresh.templates().collect::<Vec<_>>() {
        let path = fresh.template_path(template).unwrap();
        let live = world.find_template(path).unwrap_or_else(|| panic!("{path}"));
        assert_eq!(world.overrides(live), fresh.overrides(template), "{path}");
        assert_eq!(get(world, live, "Position"), get(&fresh, template, "Position"), "{path}");
        assert_eq!(
            world.template_of(live).and_then(|it| world.template_path(it)),
            fresh.template_of(template).and_then(|it| fresh.template_path(it))
        );
    }
    assert!(world.dirty().is_empty() && world.dirty_templates().is_empty());
    assert!(save_all(world).written.is_empty());
    world.entities().validate().unwrap();
}

#[test]
fn nothing_changed_is_nothing_to_do() {
    let project = chain();
    let mut world = project.load_clean();
    put(&project, "Base", "; entity_type: Rock\nScale: 2\nHits: 1\n");
    let report = world.reread_templates();
    assert_eq!((report.changed.len(), report.diagnostics.len()), (0, 0));
    as_fresh(&project, &mut world);
}

#[test]
fn a_template_with_another_parent_takes_what_that_one_says() {
    let project = chain();
    let mut world = project.load_clean();
    let handles = ["Base", "Mid", "Other"].map(|it| find(&world, it));
    put(&project, "Mid", based_on("Other", "Scale: 3\n"));
    let report = world.reread_templates();
    assert_eq!((report.changed, report.diagnostics.len()), (vec![handles[1]], 0));
    assert_eq!(["Base", "Mid", "Other"].map(|it| find(&world, it)), handles, "handles stay valid");
    assert_eq!(all(&world)[0], ("3.0".into(), "7".into()));
    as_fresh(&project, &mut world);
    // On none, and on one that nobody knew yet.
    put(&project, "Mid", "; entity_type: Rock\nHits: 5\n");
    assert_eq!(world.reread_templates().changed, [handles[1]]);
    as_fresh(&project, &mut world);
    put(&project, "New", based_on("Base", "MeshAsset: n\n"));
    put(&project, "Mid", based_on("New", "Hits: 6\n"));
    assert_eq!(world.reread_templates().changed, [handles[1]]);
    as_fresh(&project, &mut world);
}

#[test]
fn parent_and_child_may_change_places() {
    let project = chain();
    let mut world = project.load_clean();
    put(&project, "Mid", "; entity_type: Rock\nScale: 4\nHits: 4\n");
    put(&project, "Base", based_on("Mid", "Hits: 5\n"));
    let report = world.reread_templates();
    assert_eq!((report.changed.len(), report.diagnostics.len()), (2, 0), "{:?}", report.diagnostics);
    as_fresh(&project, &mut world);
}

#[test]
fn a_position_line_that_goes_takes_the_position_with_it() {
    let project = project(
        &[
            ("Base", "; entity_type: Rock\nPosition: 1, 2, 3\n"),
            ("Mid", &based_on("Base", "Position: 4, 5, 6\n")),
            ("Other", "; entity_type: Rock\n"),
        ],
        &[
            ("I.jasset", &based_on("Mid", "Position: 0, 0, 0\n")),
            ("J.jasset", &based_on("Base", "Position: 0, 0, 0\n")),
            ("K.jasset", &based_on("Other", "Position: 0, 0, 0\n")),
        ],
    );
    let mut world = project.load_clean();
    as_fresh(&project, &mut world);
    put(&project, "Mid", based_on("Base", ""));
    assert_eq!(world.reread_templates().changed.len(), 1);
    as_fresh(&project, &mut world);
    assert_eq!(get(&world, find(&world, "Mid"), "Position"), "1.0, 2.0, 3.0");
}

#[test]
fn a_faulty_template_stays_as_it_was_until_it_is_mended() {
    let project = chain();
    let mut world = project.load_clean();
    let before = all(&world);
    let base = find(&world, "Base");
    for (text, code) in [
        ("; entity_type: Rock\nScale: big\n", Some(Code::NotANumber)),
        ("", Some(Code::EmptyFile)),
        ("; entity_type: Rock\n<<<<<<< HEAD\nScale: 3\n", Some(Code::ConflictMarker)),
        ("; entity_type: Crate\nHealth: 3\n", None),
        ("; template: Assets/Templates/Nope.jasset\n", None),
        ("; template: Assets/Templates/Mid.jasset\n", Some(Code::TemplateCycle)),
        ("; template: Assets/Templates/Base.jasset\n", Some(Code::TemplateCycle)),
        ("; template: Assets/Templates/Box.jasset\n", None),
    ] {
        put(&project, "Box", "; entity_type: Crate\nHealth: 3\n");
        put(&project, "Base", text);
        let report = world.reread_templates();
        assert_eq!(report.changed, [], "{text:?}");
        assert!(report.diagnostics.iter().all(|it| *it.file == *path("Base")), "{:#?}", report.diagnostics);
        assert!(
            report.diagnostics.iter().any(|it| code.is_none_or(|code| it.code == code)),
            "{text:?} {:#?}",
            report.diagnostics
        );
        assert!(!report.diagnostics.is_empty());
        assert_eq!(all(&world), before, "{text:?}");
        assert!(world.dirty().is_empty() && world.dirty_templates().is_empty(), "{text:?}");
        // A save of others leaves the faulty file alone.
        let i = entity_in(&world, "I.jasset");
        world.set(i, "MeshAsset", text.len().to_string() + "x").unwrap();
        assert_eq!(save_all(&mut world).written, [label("I.jasset")], "{text:?}");
        assert_eq!(text_of(&project, "Base"), text);
        world.revert(i, "MeshAsset").unwrap();
        save(&mut world);
        world.entities().validate().unwrap();
    }
    // A change of a template whose file is another one by now is refused, and nothing is lost.
    world.set(base, "Scale", 9.0_f32).unwrap();
    let report = world.save().unwrap();
    assert_eq!(report.diagnostics.len(), 1);
    assert_eq!((report.diagnostics[0].code, &*report.diagnostics[0].file), (Code::ChangedOnDisk, &*path("Base")));
    world.set(base, "Scale", 2.0_f32).unwrap();
    put(&project, "Base", "; entity_type: Rock\nScale: 6\nHits: 6\n");
    assert_eq!(world.reread_templates().changed, [base]);
    assert_eq!(all(&world)[..2], [("3.0".into(), "6".into()), ("6.0".into(), "9".into())]);
    as_fresh(&project, &mut world);
}

#[test]
fn a_template_file_that_is_gone_leaves_the_template_as_it_was() {
    let project = chain();
    let mut world = project.load_clean();
    let before = all(&world);
    std::fs::remove_file(project.root().join("Templates/Base.jasset")).unwrap();
    let report = world.reread_templates();
    assert_eq!((report.changed.len(), report.diagnostics.len()), (0, 1), "{:#?}", report.diagnostics);
    assert_eq!(all(&world), before);
    put(&project, "Base", "; entity_type: Rock\nScale: 2\nHits: 4\n");
    assert_eq!(world.reread_templates().changed.len(), 1);
    as_fresh(&project, &mut world);
}

#[test]
fn own_and_unsaved_values_stay_when_the_template_is_replaced() {
    let project = chain();
    let mut world = project.load_clean();
    let (i, j) = (entity_in(&world, "I.jasset"), entity_in(&world, "J.jasset"));
    world.get_mut::<crate::support::classes::Rock>(i).unwrap().hits = 50;
    world.set(j, "MeshAsset", "mine".to_owned()).unwrap();
    let removed = world.duplicate(j).unwrap();
    let id = world.remove(removed).unwrap();
    put(&project, "Base", "; entity_type: Rock\nScale: 8\nHits: 8\nMeshAsset: theirs\n");
    assert_eq!(world.reread_templates().changed.len(), 1);
    assert_eq!([get(&world, i, "Hits"), get(&world, i, "Scale"), get(&world, i, "MeshAsset")], ["50", "3.0", "theirs"]);
    assert_eq!([get(&world, j, "Hits"), get(&world, j, "Scale"), get(&world, j, "MeshAsset")], ["9", "8.0", "mine"]);
    let back = world.restore(id).unwrap();
    assert_eq!(
        [get(&world, back, "Hits"), get(&world, back, "Scale"), get(&world, back, "MeshAsset")],
        ["9", "8.0", "mine"]
    );
    let keys = |handle| diff(&world, handle).into_iter().map(|it| it.0).collect::<Vec<_>>();
    assert_eq!((keys(i), keys(j)), (vec!["Hits".to_owned()], vec!["MeshAsset".to_owned(), "Hits".to_owned()]));
    assert_eq!(world.dirty().len(), 3);
    assert_eq!(save(&mut world).written.len(), 3);
    as_fresh(&project, &mut world);
}

#[test]
fn a_change_on_disk_and_one_in_memory_are_a_conflict_and_nothing_is_lost() {
    let project = chain();
    let mut world = project.load_clean();
    let (base, i) = (find(&world, "Base"), entity_in(&world, "I.jasset"));
    world.set(base, "Hits", 5_u8).unwrap();
    world.set(i, "MeshAsset", "m".to_owned()).unwrap();
    let theirs = "; entity_type: Rock\nScale: 2\nHits: 3\n";
    put(&project, "Base", theirs);
    let report = world.reread_templates();
    assert_eq!((report.changed.len(), report.diagnostics.len()), (0, 1));
    assert_eq!((report.diagnostics[0].code, get(&world, i, "Hits").as_str()), (Code::ChangedOnDisk, "5"));
    // The instance is saved, the template is not; both sides are still there.
    let report = world.save().unwrap();
    assert_eq!(report.written.iter().map(|it| it.to_string()).collect::<Vec<_>>(), [label("I.jasset")]);
    assert_eq!((report.diagnostics.len(), report.diagnostics[0].code), (1, Code::ChangedOnDisk));
    assert_eq!(text_of(&project, "Base"), theirs);
    assert_eq!((world.dirty_templates(), get(&world, base, "Hits").as_str()), (vec![base], "5"));
    // Taken back here: theirs is taken in.
    world.set(base, "Hits", 1_u8).unwrap();
    assert_eq!(world.reread_templates().changed, [base]);
    assert_eq!(get(&world, i, "Hits"), "3");
    as_fresh(&project, &mut world);
}

#[test]
fn an_instance_that_changed_on_disk_is_not_overwritten_by_a_save_after_its_template() {
    let project = chain();
    let mut world = project.load_clean();
    let (mid, i) = (find(&world, "Mid"), entity_in(&world, "I.jasset"));
    let theirs = based_on("Mid", "; id: 0x0100000000000001\nPosition: 0.0, 0.0, 0.0\nHits: 77\n");
    project.put("I.jasset", &theirs);
    // An instance that merely follows is not written, so nothing is in the way.
    world.set(mid, "Scale", 12.0_f32).unwrap();
    assert_eq!(save_all(&mut world).written, [path("Mid")]);
    world.set(i, "Scale", 1.0_f32).unwrap();
    let report = world.save().unwrap();
    assert_eq!((report.written.len(), report.diagnostics[0].code), (0, Code::ChangedOnDisk));
    assert_eq!((project.text("I.jasset"), world.dirty()), (theirs, vec![i]));
}
