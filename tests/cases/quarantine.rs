//! K16, whole classes: an entity of a class that the program does not know is in the world, and its file keeps every byte.

mod bind;
mod delete;
mod writes;

use juliet::prelude::*;
use juliet::{
    Code, CreateTemplateError, OverrideError, SetError, Severity, Subject, TemplateRefused, Unknown, UnknownData,
};

use crate::support::classes::{self, Rock};
use crate::support::{ENTITIES, TestProject, changed_lines, entity_in, save, save_all};

const COLON: &str = "# who knows\n; entity_type: Golem\n; id: 0x0100000000000042\n; class_version: 900\nPosition: 1, 2, 3\nHeart: [1, {]\nHeart: again\n! Limbs[left]\n\n; component: Soul\nPosition: none\n";
const NODE: &str =
    "; class\r\nGolem\r\n; id\r\n0x0100000000000043\r\n; position\r\n1 2 3\r\n; heart\r\nstone  \r\n; soul_count\r\n4";
const ROCK: &str = "; entity_type: Rock\n; id: 0x0100000000000001\nScale: 2\n";

/// The label of an entity's file.
fn label(name: &str) -> String {
    format!("Assets/{ENTITIES}/{name}")
}

/// Writes a template as another program would.
fn put(project: &TestProject, name: &str, text: &str) {
    let folder = project.root().join("Templates");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{name}.jasset")), text).unwrap();
}

/// The text of a template's file.
fn template_text(project: &TestProject, name: &str) -> String {
    std::fs::read_to_string(project.root().join(format!("Templates/{name}.jasset"))).unwrap()
}

fn based_on(name: &str, rest: &str) -> String {
    format!("; template: Assets/Templates/{name}.jasset\n{rest}")
}

/// A template of an unknown class, one based on it, and instances of both beside a rock.
fn golems() -> TestProject {
    let project = TestProject::new(&[
        ("A.jasset", based_on("Golem", "; id: 0x0100000000000010\nHeart: gold\nPosition: 1, 1, 1\n")),
        ("B.jasset", based_on("Big", "; id: 0x0100000000000011\n; entity_type: Golem\nLimbs: 9\n")),
        ("Rock.jasset", ROCK.into()),
    ]);
    put(&project, "Golem", "; entity_type: Golem\nPosition: 5, 5, 5\nHeart: stone\n");
    put(&project, "Big", &based_on("Golem", "Limbs: 8\n"));
    project
}

#[test]
fn k16_an_entity_of_an_unknown_class_is_in_the_world_with_one_warning() {
    let project = TestProject::new(&[("A.jasset", COLON), ("B.jasset", NODE), ("Rock.jasset", ROCK)]);
    let (mut world, report) = project.load();
    assert_eq!((report.loaded, report.skipped, report.has_errors()), (3, 0, false));
    let found: Vec<_> = report.diagnostics.iter().map(|it| (&*it.file, it.line, it.code, it.severity)).collect();
    let (a, b) = (label("A.jasset"), label("B.jasset"));
    assert_eq!(
        found,
        [(&*a, 2, Code::UnknownClass, Severity::Warning), (&*b, 2, Code::UnknownClass, Severity::Warning)]
    );
    assert!(report.diagnostics[0].message.contains("`Golem`"), "{}", report.diagnostics[0]);
    let golem = entity_in(&world, "A.jasset");
    let base = world.base(golem).unwrap();
    assert_eq!((base.id(), base.position().to_array()), (0x0100_0000_0000_0042, [1.0, 2.0, 3.0, 1.0]));
    assert!(!base.class().is_known() && base.class().properties().is_empty());
    assert_eq!(world.class_name(golem), Some("Golem"));
    assert_eq!(world.class_name(entity_in(&world, "Rock.jasset")), Some("Rock"));
    // Nothing is written that nobody touched, and typed access goes past it.
    assert!(save_all(&mut world).written.is_empty());
    assert_eq!((world.iter_of::<Rock>().count(), world.iter().count()), (1, 3));
    assert!(world.get::<Rock>(golem).is_none() && world.get_mut::<Rock>(golem).is_none());
    world.entities().validate().unwrap();
}

#[test]
fn k16_no_name_leads_to_the_class_of_the_unknown() {
    let project = TestProject::new(&[("A.jasset", COLON)]);
    let (mut world, _) = project.load();
    let class = world.base(entity_in(&world, "A.jasset")).unwrap().class();
    let registry = classes::registry();
    assert!(registry.find_by_name(class.name()).is_none() && !registry.classes().contains(&class));
    assert!(!registry.schema().to_json().contains("unknown class"));
    assert!(world.spawn_class(class.name(), Vec3::ZERO).is_err() && world.spawn_class("Golem", Vec3::ZERO).is_err());
    // A file cannot name it either.
    let text = format!("; entity_type: {}\n", class.name());
    let (world, report) = TestProject::new(&[("A.jasset", &text)]).load();
    assert_eq!((world.len(), report.diagnostics.len()), (1, 1));
}

#[test]
fn k16_a_near_name_is_suggested_for_an_unknown_class() {
    let (_, report) = TestProject::new(&[("A.jasset", "; entity_type: Rokc\nScale: 2\n")]).load();
    let [warning] = &report.diagnostics[..] else { panic!("{:?}", report.diagnostics) };
    assert_eq!(warning.help.as_deref(), Some("did you mean `Rock`?"));
}

#[test]
fn k16_an_unknown_entity_moves_and_nothing_else_of_its_file_changes() {
    let project = TestProject::new(&[("A.jasset", COLON), ("B.jasset", NODE), ("Rock.jasset", ROCK)]);
    let (mut world, _) = project.load();
    for name in ["A.jasset", "B.jasset"] {
        let golem = entity_in(&world, name);
        assert!(world.set_position(golem, [4.0, 5.0, 6.5]).unwrap() && world.is_dirty(golem));
    }
    assert_eq!(save(&mut world).written, [label("A.jasset"), label("B.jasset")]);
    assert_eq!(project.text("A.jasset"), COLON.replacen("1, 2, 3", "4.0, 5.0, 6.5", 1));
    assert_eq!(project.text("B.jasset"), NODE.replacen("1 2 3", "4.0 5.0 6.5", 1));
    assert!(save_all(&mut world).written.is_empty());
    // By name, too; and without a line for it there is one afterwards.
    let project = TestProject::new(&[("A.jasset", "; class: Golem\n; id: 0x0100000000000042\nHeart: 1")]);
    let (mut world, _) = project.load();
    let golem = entity_in(&world, "A.jasset");
    assert!(world.set_text(golem, "position", "1 2 3").unwrap());
    assert_eq!(world.get_text(golem, "Position").as_deref(), Some("1.0, 2.0, 3.0"));
    save(&mut world);
    assert_eq!(project.text("A.jasset"), "; class: Golem\n; id: 0x0100000000000042\nPosition: 1.0, 2.0, 3.0\nHeart: 1");
}

#[test]
fn k16_an_unknown_entity_is_removed_brought_back_and_copied() {
    let project = TestProject::new(&[("A.jasset", COLON), ("Rock.jasset", ROCK)]);
    let (mut world, _) = project.load();
    let golem = entity_in(&world, "A.jasset");
    let copy = world.duplicate(golem).unwrap();
    assert_eq!(world.class_name(copy), Some("Golem"));
    let id = world.remove(golem).unwrap();
    assert!(world.class_name(golem).is_none());
    let back = world.restore(id).unwrap();
    assert_eq!((world.class_name(back), world.position(back).unwrap().x), (Some("Golem"), 1.0));
    world.entities().validate().unwrap();
    let written = save(&mut world).written;
    assert_eq!((written.len(), project.text("A.jasset").as_str()), (1, COLON));
    let copy = written[0].rsplit('/').next().unwrap();
    let changed = changed_lines(COLON, &project.text(copy));
    assert!(changed.len() == 2 && changed.iter().all(|line| line.contains("; id: 0x")), "{changed:?}");
    world.remove(back).unwrap();
    assert_eq!(save(&mut world).removed, [label("A.jasset")]);
    let moves = world.compact();
    world.entities().validate().unwrap();
    drop(moves);
    assert_eq!(project.load().0.len(), 2);
}

#[test]
fn k16_what_needs_the_class_says_that_it_is_not_known() {
    let project = golems();
    let (mut world, _) = project.load();
    let before = project.picture();
    let (a, template) = (entity_in(&world, "A.jasset"), world.find_template("Assets/Templates/Golem.jasset").unwrap());
    let unknown = || SetError::UnknownClass { class: "Golem".into() };
    for subject in [Subject::from(a), template.into()] {
        assert_eq!(world.set(subject, "Heart", 1_u32), Err(unknown()));
        assert_eq!(world.set_text(subject, "Heart", "1"), Err(unknown()));
        assert_eq!(world.reset(subject, "Heart"), Err(unknown()));
        assert_eq!(world.remove_item(subject, "Limbs[left]"), Err(unknown()));
        assert_eq!(world.why(subject, "Heart").map(drop), Err(unknown()));
        assert!(world.get_text(subject, "Heart").is_none() && world.get_property::<u32>(subject, "Heart").is_none());
        assert!(world.rows(subject).is_empty() && world.overrides(subject).is_empty());
    }
    let is_unknown = |error| matches!(error, OverrideError::Property { source: SetError::UnknownClass { .. }, .. });
    assert!(world.revert(a, "Heart").is_err_and(is_unknown) && world.revert_all(a).is_err_and(is_unknown));
    assert!(world.apply_override(a, "Heart", template).is_err_and(is_unknown));
    assert!(world.apply_all(a, template).is_err_and(is_unknown));
    assert!(world.impact(template, Some("Heart")).is_err() && world.impact(template, None).is_ok());
    let refused = || TemplateRefused::UnknownClass { class: "Golem".into() };
    assert_eq!(world.unlink(a), Err(refused()));
    assert_eq!(world.set_template(entity_in(&world, "Rock.jasset"), template), Err(refused()));
    assert_eq!(world.set_template(a, template), Err(refused()));
    let error = world.create_template(a, "New").unwrap_err();
    assert_eq!(error, CreateTemplateError::UnknownClass { class: "Golem".into() });
    assert!(error.to_string().contains("class `Golem` is not known to this program"), "{error}");
    assert!(save_all(&mut world).written.is_empty());
    assert_eq!(project.picture(), before);
}

#[test]
fn k16_instances_of_a_template_of_an_unknown_class_inherit_the_class() {
    let project = golems();
    let (mut world, report) = project.load();
    // One warning, for the template: neither its instances nor the template below say a class the template does not.
    let told: Vec<_> = report.diagnostics.iter().map(|it| (&*it.file, it.line, it.code)).collect();
    assert_eq!(told, [("Assets/Templates/Golem.jasset", 1, Code::UnknownClass)]);
    assert_eq!((report.loaded, report.skipped), (3, 0));
    let (a, b) = (entity_in(&world, "A.jasset"), entity_in(&world, "B.jasset"));
    assert_eq!((world.class_name(a), world.class_name(b)), (Some("Golem"), Some("Golem")));
    // What names no place stands where its template does.
    assert_eq!((world.position(a).unwrap().x, world.position(b).unwrap().x), (1.0, 5.0));
    let big = world.find_template("Assets/Templates/Big.jasset").unwrap();
    assert_eq!(world.class_name(big), Some("Golem"));
    let new = world.spawn_from(big, Vec3::new(7.0, 8.0, 9.0)).unwrap();
    let many = world.spawn_many_from(big, &[Position::new(1.0, 0.0, 0.0); 3]).unwrap();
    assert_eq!((world.class_name(new), many.len()), (Some("Golem"), 3));
    world.set_position(b, [2.0, 2.0, 2.0]).unwrap();
    world.entities().validate().unwrap();
    let written = save(&mut world).written;
    assert_eq!(written.len(), 5);
    let text = project.text(written.iter().find(|it| it.contains("0x")).unwrap().rsplit('/').next().unwrap());
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        matches!(lines[..], ["; template: Assets/Templates/Big.jasset", id, place] if id.starts_with("; id: 0x") && place.starts_with("Position: ")),
        "{text}"
    );
    assert_eq!(
        changed_lines(
            &based_on("Big", "; id: 0x0100000000000011\n; entity_type: Golem\nLimbs: 9\n"),
            &project.text("B.jasset")
        ),
        ["+Position: 2.0, 2.0, 2.0\n"]
    );
    let (world, report) = project.load();
    assert_eq!((world.len(), report.diagnostics.len()), (7, 1));
}

#[test]
fn k16_an_instance_brought_back_without_its_template_is_never_written_without_a_class() {
    for saved in [true, false] {
        let project = TestProject::new(&[("A.jasset", based_on("Golem", "; id: 0x0100000000000010\nHeart: gold\n"))]);
        put(&project, "Golem", "; entity_type: Golem\nHeart: stone\n");
        let (mut world, _) = project.load();
        let before = project.picture();
        let template = world.find_template("Assets/Templates/Golem.jasset").unwrap();
        let mut a = entity_in(&world, "A.jasset");
        if !saved {
            world.remove(a).unwrap();
            save(&mut world);
            a = world.spawn_from(template, Vec3::ZERO).unwrap();
        }
        let id = world.remove(a).unwrap();
        world.remove_template(template).unwrap();
        let back = world.restore(id).unwrap();
        assert!(world.is_dirty(back) && world.class_name(back).is_some());
        let report = world.save().unwrap();
        assert_eq!((report.written.len(), report.removed.len(), report.diagnostics.len()), (0, 0, 1));
        assert_eq!(report.diagnostics[0].code, Code::WriteFailed);
        if saved {
            assert_eq!(project.picture(), before);
        }
        // Without the entity the template goes.
        world.remove(back).unwrap();
        assert!(save(&mut world).removed.iter().any(|it| it.contains("Templates/Golem")));
        assert!(project.picture().is_empty());
    }
}

#[test]
fn k16_an_instance_of_another_unknown_class_than_its_template_is_refused() {
    for class in ["Giant", "Rock"] {
        let text = based_on("Golem", &format!("; entity_type: {class}\n"));
        let project = TestProject::new(&[("A.jasset", &*text), ("Rock.jasset", ROCK)]);
        put(&project, "Golem", "; entity_type: Golem\n");
        let (world, report) = project.load();
        assert_eq!((world.len(), report.skipped), (1, 1));
        let error = report.diagnostics.iter().find(|it| it.is_error()).unwrap();
        assert_eq!((error.code, error.line), (Code::ClassMismatch, 2));
        assert!(error.message.contains(&format!("`{class}`")) && error.message.contains("`Golem`"), "{error}");
    }
    // And of an unknown class below a known one.
    let text = based_on("Stone", "; entity_type: Rokc\n");
    let project = TestProject::new(&[("A.jasset", &*text)]);
    put(&project, "Stone", "; entity_type: Rock\n");
    assert!(project.load().1.diagnostics.iter().any(|it| it.code == Code::ClassMismatch));
}

#[test]
fn k16_a_template_of_an_unknown_class_is_read_again_but_not_as_another_class() {
    let project = golems();
    let (mut world, _) = project.load();
    let text = "; entity_type: Golem\nPosition: 6, 6, 6\nHeart: iron\n";
    put(&project, "Golem", text);
    let report = world.reread_templates();
    assert_eq!((report.changed.len(), report.diagnostics.len()), (1, 1), "{:?}", report.diagnostics);
    for other in ["; entity_type: Giant\n", "; entity_type: Rock\n"] {
        put(&project, "Golem", other);
        let report = world.reread_templates();
        assert!(report.changed.is_empty() && report.diagnostics.iter().any(Diagnostic::is_error), "{other}");
        assert_eq!(world.class_name(entity_in(&world, "A.jasset")), Some("Golem"));
    }
    put(&project, "Golem", text);
    assert!(world.reread_templates().diagnostics.is_empty());
    world.entities().validate().unwrap();
}

#[test]
fn k16_a_file_of_an_unknown_class_with_a_fault_never_blocks_its_neighbours() {
    for (text, code) in [
        ("; class: Golem\nthis is no line\n", Code::SyntaxLine),
        ("; class: Golem\n<<<<<<< HEAD\nA: 1\n=======\n>>>>>>> x\n", Code::ConflictMarker),
        ("; class: Golem\nPosition: 1, 2\n", Code::WrongCount),
        ("; class: Golem\n; id: none\n", Code::BadId),
        ("; class: Golem\n; id: 0x01\n; id: 0x02\n", Code::DuplicateDirective),
        ("; class: Golem\n; version: 2\n", Code::NewerBaseVersion),
        ("; class: Go\u{7}lem\n", Code::UnknownClass),
    ] {
        let errors = crate::support::refused(classes::registry(), text);
        assert_eq!(errors[0].code, code, "{text:?}");
    }
    // Two of one id: one of them stays.
    let twice = "; class: Golem\n; id: 0x0100000000000042\n";
    let (world, report) = TestProject::new(&[("A.jasset", twice), ("B.jasset", twice)]).load();
    assert_eq!((world.len(), report.skipped), (1, 1));
}

#[test]
fn k16_what_is_not_known_is_listed() {
    let project = golems();
    project.put(
        "Rock.jasset",
        format!("; reviewed: yes\n{ROCK}OldArmor: 55  \nOldLoot[gold]: 1\n! OldLoot[gem]\n\n; component: Soul\nX: 1\n"),
    );
    let (world, _) = project.load();
    let what = |unknown: &Unknown| format!("{}:{} {} {:?}", unknown.file, unknown.line, unknown.class, unknown.what);
    let expected = [
        "Assets/Templates/Big.jasset:1 Golem Class { name: \"Golem\" }".to_owned(),
        "Assets/Templates/Golem.jasset:1 Golem Class { name: \"Golem\" }".into(),
        format!("{}:1 Golem Class {{ name: \"Golem\" }}", label("A.jasset")),
        format!("{}:3 Golem Class {{ name: \"Golem\" }}", label("B.jasset")),
        format!("{}:1 Rock Directive {{ name: \"reviewed\", text: \"yes\" }}", label("Rock.jasset")),
        format!("{}:5 Rock Key {{ key: \"OldArmor\", text: \"55\" }}", label("Rock.jasset")),
        format!("{}:6 Rock Key {{ key: \"OldLoot[gold]\", text: \"1\" }}", label("Rock.jasset")),
        format!("{}:7 Rock Removal {{ key: \"OldLoot[gem]\" }}", label("Rock.jasset")),
        format!("{}:9 Rock Section {{ name: \"Soul\" }}", label("Rock.jasset")),
    ];
    let listed = world.unknown();
    assert_eq!(listed.iter().map(what).collect::<Vec<_>>(), expected);
    assert!(
        listed
            .iter()
            .all(|it| it.subject.is_some_and(|it| world.file_of(it).as_deref() == Some(&*it_file(&listed, it))))
    );
    // Without a world; files that a load leaves out for a value are there, too.
    project.put("Rock.jasset", project.text("Rock.jasset").replace("Scale: 2", "Scale: x"));
    project.put("Torn.jasset", "; class: Rock\n; id: x\nOldArmor: 1\n");
    let report = project.open().unknown().unwrap();
    assert_eq!(report.unknown.iter().map(what).collect::<Vec<_>>(), expected);
    assert!(report.unknown.iter().all(|it| it.subject.is_none()));
    let told: Vec<_> = report.diagnostics.iter().map(|it| (&*it.file, it.code)).collect();
    assert_eq!(told, [(&*label("Torn.jasset"), Code::BadId)]);
    assert_eq!(UnknownData::Class { name: "Golem".into() }, report.unknown[0].what);
}

/// The file that a list gives for a subject.
fn it_file(listed: &[Unknown], subject: Subject) -> String {
    listed.iter().find(|it| it.subject == Some(subject)).unwrap().file.to_string()
}
