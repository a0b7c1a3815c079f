//! Entities that stand alone.

use juliet::core::text::Spelling;
use juliet::prelude::*;
use juliet::{Code, ComponentError, SetError};

use super::{Asleep, Bag, Velocity, alone, get, names, refused, registry};
use crate::support::classes::Rock;
use crate::support::{TestProject, changed_lines, entity_in, only, save, save_all};

const TEXT: &str = "; entity_type: Rock\n; id: 0x42\nPosition: 1.0, 2.0, 3.0\nScale: 2.0\n\
                    \n; component: Velocity\n# fast\nLinear: 1.0, 0.0, 0.0\n\
                    \n; component: Asleep\n; component: Sack\nRoom: 3\nLoot[gold]: 7\n";

const NODE: &str = "; class\nRock\n; id\n0x42\n; position\n1 2 3\n; scale\n2.0\n; component\nVelocity\n; linear\n1 0 0\n\
                    ; component\nAsleep\n; component\nBag\n; room\n3\n; loot[gold]\n7\n";

#[test]
fn sections_are_read_in_both_spellings_and_stay_as_they_are() {
    for text in [TEXT, NODE, &TEXT.replace('\n', "\r\n"), TEXT.trim_end()] {
        let (project, mut world, handle) = alone(text);
        assert_eq!(names(&world, handle), ["Velocity", "Bag", "Asleep"]);
        let velocity = world.component::<Velocity>(handle).unwrap();
        assert_eq!((velocity.linear, velocity.drag), (Vec3::X, 1.0));
        let bag = world.component::<Bag>(handle).unwrap();
        assert_eq!((bag.room, bag.loot.get("gold")), (3, Some(&7)));
        assert_eq!(world.component::<Asleep>(handle), Some(&Asleep));
        let before = project.picture();
        assert!(save_all(&mut world).written.is_empty());
        assert_eq!(project.picture(), before);
        world.entities().validate().unwrap();
    }
}

#[test]
fn a_change_of_one_leaf_changes_one_line() {
    let (project, mut world, handle) = alone(TEXT);
    assert!(world.set_text(handle, "Velocity/Linear", "0, 5, 0").unwrap());
    save(&mut world);
    assert_eq!(
        changed_lines(TEXT, &project.text("A.jasset")),
        ["-Linear: 1.0, 0.0, 0.0\n", "+Linear: 0.0, 5.0, 0.0\n"]
    );
    // A leaf that has no line gets one in its section.
    let before = project.text("A.jasset");
    world.component_mut::<Velocity>(handle).unwrap().drag = 0.5;
    assert!(world.is_dirty(handle));
    save(&mut world);
    assert_eq!(changed_lines(&before, &project.text("A.jasset")), ["+Drag: 0.5\n"]);
    assert!(project.text("A.jasset").contains("Linear: 0.0, 5.0, 0.0\nDrag: 0.5\n\n; component: Asleep\n"));
    let before = project.text("A.jasset");
    assert!(world.set(handle, "Bag/Loot[gem]", 2_u32).unwrap());
    save(&mut world);
    assert_eq!(changed_lines(&before, &project.text("A.jasset")), ["+Loot[gem]: 2\n"]);
    // A change of the entity itself leaves its sections alone.
    let before = project.text("A.jasset");
    assert!(world.set(handle, "Hits", 3_u8).unwrap());
    save(&mut world);
    assert_eq!(changed_lines(&before, &project.text("A.jasset")), ["+Hits: 3\n"]);
    assert!(project.text("A.jasset").contains("Scale: 2.0\nHits: 3\n\n; component: Velocity\n"));
    let again = project.load_clean();
    let again_handle = only(&again);
    for key in ["Velocity/Linear", "Velocity/Drag", "Bag/Loot", "Bag/Room", "Hits"] {
        assert_eq!(get(&again, again_handle, key), get(&world, handle, key), "{key}");
    }
}

#[test]
fn a_guard_that_writes_what_is_there_changes_nothing() {
    let (project, mut world, handle) = alone(TEXT);
    let before = project.picture();
    world.component_mut::<Velocity>(handle).unwrap().linear = Vec3::X;
    assert!(!world.is_dirty(handle) && world.dirty().is_empty());
    assert!(save(&mut world).written.is_empty());
    assert!(!world.set(handle, "Velocity/Drag", 1.0_f32).unwrap());
    assert_eq!(project.picture(), before);
}

#[test]
fn a_new_component_gets_a_section_and_a_removed_one_loses_it() {
    for end in ["\n", ""] {
        let text = format!("; entity_type: Rock\n; id: 0x42\nScale: 2.0\n# end{end}");
        let (project, mut world, handle) = alone(&text);
        world.add_component(handle, Velocity { linear: Vec3::Y, drag: 1.0 }).unwrap();
        assert!(world.is_dirty(handle));
        save(&mut world);
        let moving = format!("{}\n; component: Velocity\nLinear: 0.0, 1.0, 0.0\nDrag: 1.0", text.trim_end());
        assert_eq!(project.text("A.jasset"), format!("{moving}{end}"));
        assert!(world.add_component_of(handle, "Asleep").unwrap());
        assert!(!world.add_component_of(handle, "Asleep").unwrap());
        save(&mut world);
        assert_eq!(project.text("A.jasset"), format!("{moving}\n; component: Asleep{end}"));
        assert!(world.remove_component::<Velocity>(handle).unwrap());
        assert!(!world.remove_component::<Velocity>(handle).unwrap());
        assert!(world.remove_component_of(handle, "Asleep").unwrap());
        save(&mut world);
        assert_eq!(project.text("A.jasset").trim_end(), text.trim_end());
        assert_eq!(names(&project.load_clean(), only(&project.load_clean())), [""; 0]);
    }
}

#[test]
fn removing_and_adding_again_before_a_save_keeps_the_section() {
    let text = format!("{TEXT}Strange: 1\n");
    let project = TestProject::with(registry(), &[("A.jasset", &text)]);
    let (mut world, report) = project.load();
    let codes: Vec<_> = report.diagnostics.iter().map(|it| (it.code, it.line)).collect();
    assert_eq!(codes, [(Code::UnknownKey, 14)]);
    let handle = only(&world);
    assert!(world.remove_component::<Bag>(handle).unwrap());
    let bag = Bag { room: 4, note: String::new(), loot: [("gold".to_owned(), 7)].into_iter().collect() };
    world.add_component(handle, bag).unwrap();
    save(&mut world);
    assert_eq!(changed_lines(&text, &project.text("A.jasset")), ["-Room: 3\n", "+Room: 4\n"]);
    // One that stays away takes everything in its section with it, and nothing else.
    let before = project.text("A.jasset");
    assert!(world.remove_component::<Bag>(handle).unwrap());
    save(&mut world);
    let gone = ["-; component: Sack\n", "-Room: 4\n", "-Loot[gold]: 7\n", "-Strange: 1\n"];
    assert_eq!(changed_lines(&before, &project.text("A.jasset")), gone);
}

#[test]
fn a_new_file_holds_all_components_in_the_order_of_the_registry() {
    let project = TestProject::with(registry(), &[] as &[(&str, &str)]);
    for spelling in [Spelling::Colon, Spelling::Node] {
        let mut world = project.load_clean();
        world.set_new_file_spelling(spelling);
        let rock = Rock { scale: 1.0, is_destructible: false, mesh_asset: String::new(), hits: 0 };
        let handle = world.spawn(rock, Vec3::ZERO).unwrap();
        world.add_component(handle, Asleep).unwrap();
        world.add_component(handle, Velocity { linear: Vec3::X, drag: 2.0 }).unwrap();
        let copy = world.duplicate(handle).unwrap();
        assert_eq!(names(&world, copy), ["Velocity", "Asleep"]);
        save(&mut world);
        let name = |handle| world.file_of(handle).unwrap().rsplit('/').next().unwrap().to_owned();
        let text = project.text(&name(handle));
        let end = match spelling {
            Spelling::Colon => "; component: Velocity\nLinear: 1.0, 0.0, 0.0\nDrag: 2.0\n; component: Asleep\n",
            Spelling::Node => "; component\nVelocity\n; linear\n1.0 0.0 0.0\n; drag\n2.0\n; component\nAsleep\n",
        };
        assert!(text.ends_with(end), "{text}");
        assert_eq!(project.text(&name(copy)).lines().skip(2).last(), text.lines().last());
        let mut again = project.load_clean();
        assert!(save_all(&mut again).written.is_empty());
        let found = again.find_by_id(world.base(copy).unwrap().id()).unwrap();
        assert_eq!(again.component::<Velocity>(found), world.component::<Velocity>(handle));
    }
}

#[test]
fn removed_entities_come_back_with_their_components() {
    let (project, mut world, handle) = alone(TEXT);
    world.component_mut::<Velocity>(handle).unwrap().drag = 9.0;
    let id = world.remove(handle).unwrap();
    assert_eq!(world.entities().count_of_component(0), 0);
    let back = world.restore(id).unwrap();
    assert_eq!(names(&world, back), ["Velocity", "Bag", "Asleep"]);
    assert_eq!(world.component::<Velocity>(back), Some(&Velocity { linear: Vec3::X, drag: 9.0 }));
    save(&mut world);
    assert_eq!(changed_lines(TEXT, &project.text("A.jasset")), ["+Drag: 9.0\n"]);
    world.remove(back).unwrap();
    save(&mut world);
    assert!(!project.path("A.jasset").exists());
    world.entities().validate().unwrap();
}

#[test]
fn components_follow_their_entities_when_slots_are_packed() {
    let files: Vec<(String, String)> = (1..40)
        .map(|n| (format!("{n:02}.jasset"), format!("; class: Rock\n; id: {n}\n; component: Bag\nRoom: {n}\n")))
        .collect();
    let project = TestProject::with(registry(), &files.iter().map(|(a, b)| (&**a, b)).collect::<Vec<_>>());
    let mut world = project.load_clean();
    for n in (1..40).step_by(3) {
        let handle = world.find_by_id(n).unwrap();
        world.remove(handle).unwrap();
    }
    world.compact();
    for n in (1..40_u64).filter(|n| n % 3 != 1) {
        let handle = world.find_by_id(n).unwrap();
        assert_eq!(world.component::<Bag>(handle).unwrap().room, n as u32);
        assert!(world.set(handle, "Bag/Note", format!("n{n}")).unwrap());
    }
    save(&mut world);
    for n in (1..40).filter(|n| n % 3 != 1) {
        let expected = format!("; class: Rock\n; id: {n}\n; component: Bag\nRoom: {n}\nNote: n{n}\n");
        assert_eq!(project.text(&format!("{n:02}.jasset")), expected);
    }
}

#[test]
fn queries_and_lists_see_the_components_of_a_world() {
    let project = TestProject::with(
        registry(),
        &[("A.jasset", "; class: Rock\n; id: 1\n; component: Velocity\n"), ("B.jasset", "; class: Rock\n; id: 2\n")],
    );
    let mut world = project.load_clean();
    let moving: Vec<EntityHandle> = world.list().with::<Velocity>().iter().collect();
    assert_eq!(moving, [entity_in(&world, "A.jasset")]);
    assert_eq!(world.list().without::<Velocity>().len(), 1);
    world.query::<(&Rock, &mut Velocity)>().unwrap().for_each(|_, (_, mut velocity)| velocity.drag = 4.0);
    assert_eq!(save(&mut world).written, ["Assets/Worlds/W/Entities/A.jasset"]);
    assert_eq!(project.text("A.jasset"), "; class: Rock\n; id: 1\n; component: Velocity\nDrag: 4.0\n");
}

#[test]
fn keys_that_name_no_component_are_told() {
    let (_project, mut world, handle) = alone("; class: Rock\n; component: Velocity\n");
    let error = world.set(handle, "Velosity/Drag", 1.0_f32).unwrap_err();
    assert_eq!(error.to_string(), "this program has no component `Velosity`; did you mean `Velocity`?");
    let error = world.set_text(handle, "Bag/Room", "3").unwrap_err();
    assert_eq!(error, SetError::NoComponent { component: "Bag".into() });
    let error = world.set(handle, "Velocity/Drga", 1.0_f32).unwrap_err();
    assert_eq!(error.to_string(), "`Velocity` has no property `Drga`; did you mean `Drag`?");
    assert_eq!(world.get_text(handle, "Bag/Room"), None);
    assert_eq!(get(&world, handle, "Velocity/"), "{ Linear: [0.0, 0.0, 0.0], Drag: 1.0 }");
}

#[test]
fn names_of_components_that_are_not_there_are_told() {
    let (_project, mut world, handle) = alone("; class: Rock\n");
    let error = world.add_component_of(handle, "Velosity").unwrap_err();
    assert!(matches!(error, ComponentError::Name(SetError::UnknownComponent { .. })), "{error}");
    // The name of a class is none of a component.
    assert!(world.add_component_of(handle, "Rock").is_err());
    assert!(!world.remove_component_of(handle, "Bag").unwrap());
    world.remove(handle).unwrap();
    assert!(world.add_component(handle, Asleep).is_err());
    assert!(world.add_component_of(handle, "Asleep").is_err());
    assert!(world.remove_component::<Asleep>(handle).is_err());
}

#[test]
fn what_is_wrong_in_a_section_is_told_with_its_line() {
    let class = "; class: Rock\n";
    for (text, expected) in [
        ("; component: Velocity\nLinear: 1, 2\n", (Code::WrongCount, 3)),
        ("; component: Velocity\nDrag: 1\nDrag: 2\n", (Code::DuplicateKey, 4)),
        ("; component: Velocity\nSpeed: 1 2 3\nLinear: 1 2 3\n", (Code::DuplicateKey, 4)),
        ("; component: Velocity\nDrag: 1\n; component: Asleep\n; component: Velocity\n", (Code::DuplicateSection, 5)),
        ("; component: Sack\n; component: Bag\n", (Code::DuplicateSection, 3)),
        ("; component: Velocity\n; class_version: 2\n", (Code::NewerClassVersion, 3)),
        ("; component: Velocity\n; class_version: 1\n; class_version: 1\n", (Code::DuplicateDirective, 4)),
        ("; component: Velocity\n; class_version: one\n", (Code::BadVersion, 3)),
        ("; component: Velocity\n; id: 0x07\n", (Code::MisplacedDirective, 3)),
        ("; component: Velocity\n; without: Bag\n", (Code::MisplacedDirective, 3)),
        ("; component: Velocity\nno line\n", (Code::SyntaxLine, 3)),
        ("; component: Bag\n! Loot[gold]\n", (Code::SyntaxLine, 3)),
        ("; component: Bag\nRoom: 99999999999\n", (Code::IntegerRange, 3)),
        ("; without: Velocity\n", (Code::SyntaxLine, 2)),
    ] {
        assert_eq!(refused(&format!("{class}{text}")), expected, "{text:?}");
    }
    let text = "; class: Rock\n; component: Velocity\n<<<<<<< a\nDrag: 1\n=======\nDrag: 2\n>>>>>>> b\n";
    assert_eq!(refused(text), (Code::ConflictMarker, 3));
}

#[test]
fn what_is_not_known_in_a_section_is_kept() {
    let text = "; class: Rock\n; component: Velocity\nDarg: 1\nPosition: 1, 2, 3\n; vresion: 3\n# note\nDrag: 2.0\n";
    let project = TestProject::with(registry(), &[("A.jasset", text)]);
    let (mut world, report) = project.load();
    let found: Vec<_> = report.diagnostics.iter().map(|it| (it.code, it.line)).collect();
    assert_eq!(found, [(Code::UnknownKey, 3), (Code::UnknownKey, 4), (Code::UnknownDirective, 5)]);
    assert_eq!(report.diagnostics[0].help.as_deref(), Some("did you mean `Drag`?"));
    let handle = only(&world);
    assert_eq!(world.position(handle).unwrap().to_array()[0], 0.0);
    assert!(world.set(handle, "Velocity/Drag", 3.0_f32).unwrap());
    save(&mut world);
    assert!(project.text("A.jasset").ends_with(&text[text.find("; comp").unwrap()..].replace("2.0\n", "3.0\n")));
}

#[test]
fn unknown_components_survive_everything() {
    let odd = "; component: Soul\nWeight: 21\nWeight: 22\n; class_version: 9\n! x[y]\n\n; component: Rock\nScale: 1\n";
    let text = format!("; class: Rock\n; id: 0x42\n; component: Velocity\n{odd}; component: Bag\nRoom: 1\n");
    let project = TestProject::with(registry(), &[("A.jasset", &text)]);
    let (mut world, report) = project.load();
    let found: Vec<_> = report.diagnostics.iter().map(|it| (it.code, it.line)).collect();
    assert_eq!(found, [(Code::UnknownSection, 4), (Code::UnknownSection, 10)]);
    let handle = only(&world);
    assert!(save_all(&mut world).written.is_empty());
    world.set(handle, "Velocity/Drag", 7.0_f32).unwrap();
    world.set(handle, "Bag/Room", 8_u32).unwrap();
    world.add_component(handle, Asleep).unwrap();
    world.remove_component::<Bag>(handle).unwrap();
    let id = world.remove(handle).unwrap();
    let handle = world.restore(id).unwrap();
    let copy = world.duplicate(handle).unwrap();
    save(&mut world);
    let expected = format!("; component: Velocity\nDrag: 7.0\n{odd}; component: Asleep\n");
    assert!(project.text("A.jasset").ends_with(&expected), "{}", project.text("A.jasset"));
    let copied = world.file_of(copy).unwrap();
    assert!(project.text(copied.rsplit('/').next().unwrap()).ends_with(&expected));
}

#[test]
fn the_page_about_the_format_shows_components() {
    /// A lamp post.
    #[derive(Entity)]
    #[jasset(version = 2)]
    struct Post {
        mesh: String,
    }
    let page = include_str!("../../../docs/format.md");
    let blocks = page.split("```jasset\n").skip(1).filter_map(|rest| rest.split("```").next());
    let blocks: Vec<&str> = blocks.filter(|text| text.contains("; component: ")).collect();
    assert_eq!(blocks.len(), 1);
    let registry = registry![Post, Velocity, Asleep].unwrap();
    let (world, handle) = crate::support::accepted(registry, blocks[0]);
    assert_eq!(world.component::<Velocity>(handle), Some(&Velocity { linear: Vec3::X, drag: 1.0 }));
    assert!(world.component::<Asleep>(handle).is_some() && world.get::<Post>(handle).unwrap().mesh.is_empty());
}
