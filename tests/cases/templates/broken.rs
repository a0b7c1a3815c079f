//! K17: a template that is missing or says nothing; K12, K13, K14, K15, K16: faults in the file of a template.

use juliet::Code;
use juliet::prelude::*;

use super::{based_on, find, get, label, of_file, one_of, path, printed, project, put, save_with_a_change_of, text_of};
use crate::support::{entity_in, refused_once, save_all};

const ROCK: &str = "; entity_type: Rock\n; id: 0x0100000000000099\nHits: 1\n";

fn boss() -> String {
    based_on("RockLarge", "Position: 5, 0, 5\nScale: 3\n")
}

#[test]
fn k17_a_missing_template_costs_its_instance_and_no_byte() {
    let project = project(&[], &[("Boss.jasset", &boss()), ("Other.jasset", ROCK)]);
    let (mut world, report) = project.load();
    assert_eq!((report.loaded, report.skipped, report.diagnostics.len()), (1, 1, 1), "{:#?}", printed(&report));
    let error = one_of(&report, &label("Boss.jasset"));
    assert_eq!((error.code, error.line, error.column), (Code::TemplateUnavailable, 1, 13));
    assert!(error.message.contains("Assets/Templates/RockLarge.jasset"), "{error}");
    save_with_a_change_of(&project, &mut world, "Other.jasset");
    assert_eq!(project.text("Boss.jasset"), boss());
    // Both overrides are intact: they are there when the template is.
    put(&project, "RockLarge", "; entity_type: Rock\nHits: 7\n");
    let world = project.load_clean();
    let boss = entity_in(&world, "Boss.jasset");
    assert_eq!((get(&world, boss, "Scale"), get(&world, boss, "Hits")), ("3.0".into(), "7".into()));
    assert_eq!(get(&world, boss, "Position"), "5.0, 0.0, 5.0");
}

#[test]
fn k17_an_empty_template_names_no_class() {
    for text in ["", " \n\t\n\n", "# nothing\n// here\n", "\u{FEFF}"] {
        let project = project(&[("RockLarge", text)], &[("Boss.jasset", &boss()), ("Other.jasset", ROCK)]);
        let (mut world, report) = project.load();
        assert_eq!((report.loaded, report.skipped), (1, 1));
        let cause = one_of(&report, &path("RockLarge"));
        assert_eq!(cause.code, Code::EmptyFile);
        assert!(cause.message.contains("empty: no class"), "{text:?}: {cause}");
        let error = one_of(&report, &label("Boss.jasset"));
        assert_eq!((error.code, error.line), (Code::TemplateUnavailable, 1));
        assert!(error.message.contains(&path("RockLarge")), "{error}");
        assert!(error.related.iter().any(|it| *it.file == *path("RockLarge")), "{error:?}");
        save_with_a_change_of(&project, &mut world, "Other.jasset");
        assert_eq!((project.text("Boss.jasset"), text_of(&project, "RockLarge")), (boss(), text.to_owned()));
    }
}

#[test]
fn k17_a_property_that_is_gone_from_the_template_is_still_overridden() {
    let project = project(&[("RockLarge", "; entity_type: Rock\nHits: 7\n")], &[("Boss.jasset", &boss())]);
    let mut world = project.load_clean();
    let boss = entity_in(&world, "Boss.jasset");
    assert_eq!((get(&world, boss, "Scale"), get(&world, boss, "Hits")), ("3.0".into(), "7".into()));
    assert_eq!(get(&world, boss, "MeshAsset"), "\"\"");
    assert_eq!(world.overrides(boss), ["Scale"]);
    assert_eq!(save_all(&mut world).written, [""; 0]);
}

#[test]
fn k17_a_template_of_another_class_is_refused_with_both_files_and_classes() {
    let text = format!("; entity_type: Crate\n{}", boss());
    let project =
        project(&[("RockLarge", "; entity_type: Rock\nScale: 2\n")], &[("Boss.jasset", &text), ("Other.jasset", ROCK)]);
    let (mut world, report) = project.load();
    assert_eq!((report.loaded, report.skipped, report.diagnostics.len()), (1, 1, 1));
    let error = one_of(&report, &label("Boss.jasset"));
    assert_eq!((error.code, error.line, error.column), (Code::ClassMismatch, 1, 16));
    for part in ["Rock", "Crate", &path("RockLarge")] {
        assert!(error.message.contains(part), "{part}: {error}");
    }
    save_with_a_change_of(&project, &mut world, "Other.jasset");
    assert_eq!(project.text("Boss.jasset"), text);
}

#[test]
fn k17_a_template_of_another_class_than_its_own_template_is_refused() {
    let mid = format!("; entity_type: Crate\n{}", based_on("Base", "Health: 2\n"));
    let project = project(
        &[("Base", "; entity_type: Rock\n"), ("Mid", &mid)],
        &[("I.jasset", &based_on("Mid", "")), ("J.jasset", &based_on("Base", ""))],
    );
    let (world, report) = project.load();
    assert_eq!((world.len(), report.diagnostics.len()), (1, 2), "{:#?}", printed(&report));
    assert_eq!(one_of(&report, &path("Mid")).code, Code::ClassMismatch);
    assert_eq!(one_of(&report, &label("I.jasset")).code, Code::TemplateUnavailable);
}

#[test]
fn k17_a_template_that_cannot_be_read_or_is_a_folder_costs_its_instances_alone() {
    let project = project(
        &[("Latin", ""), ("Good", "; entity_type: Rock\nHits: 2\n")],
        &[
            ("A.jasset", &based_on("Folder", "")),
            ("B.jasset", &based_on("Latin", "")),
            ("D.jasset", &based_on("Good", "")),
        ],
    );
    std::fs::create_dir_all(project.root().join("Templates/Folder.jasset")).unwrap();
    put(&project, "Latin", b"; entity_type: Rock\nMeshAsset: caf\xE9\n");
    let (mut world, report) = project.load();
    assert_eq!((report.loaded, report.skipped, report.diagnostics.len()), (1, 2, 4), "{:#?}", printed(&report));
    for (name, template, code) in [("A.jasset", "Folder", Code::ReadFailed), ("B.jasset", "Latin", Code::NotUtf8)] {
        assert_eq!(one_of(&report, &path(template)).code, code);
        let error = one_of(&report, &label(name));
        assert_eq!((error.code, error.line), (Code::TemplateUnavailable, 1));
        assert!(error.message.contains(&path(template)), "{error}");
    }
    save_with_a_change_of(&project, &mut world, "D.jasset");
}

#[test]
fn k12_a_conflict_in_a_template_is_told_once_and_each_instance_says_so() {
    let conflict = "; entity_type: Rock\n<<<<<<< HEAD\nScale: 2\n=======\nScale: 3\n>>>>>>> feature\nHits: 5\n";
    let diff3 =
        "; entity_type: Rock\n<<<<<<< HEAD\nScale: 2\n||||||| base\nScale: 1\n=======\nScale: 3\n>>>>>>> feature\n";
    for text in [conflict, diff3] {
        let (a, b) = (based_on("T", "Scale: 1\n"), format!("; id: 0x0100000000000001\n{}", based_on("T", "")));
        let project = project(&[("T", text)], &[("A.jasset", &a), ("B.jasset", &b), ("Other.jasset", ROCK)]);
        let (mut world, report) = project.load();
        assert_eq!((report.loaded, report.skipped, report.diagnostics.len()), (1, 2, 3), "{:#?}", printed(&report));
        let cause = one_of(&report, &path("T"));
        assert_eq!((cause.code, cause.line), (Code::ConflictMarker, 2));
        assert!(cause.message.contains("unresolved merge conflict"), "{cause}");
        for (name, line) in [("A.jasset", 1), ("B.jasset", 2)] {
            let error = one_of(&report, &label(name));
            assert_eq!((error.code, error.line, error.column), (Code::TemplateUnavailable, line, 13));
            assert!(error.message.contains("unresolved merge conflict"), "{error}");
            let related = &error.related[0];
            assert_eq!((&*related.file, related.line), (&*path("T"), 2));
        }
        save_with_a_change_of(&project, &mut world, "Other.jasset");
        assert_eq!((text_of(&project, "T").as_str(), project.text("A.jasset")), (text, a));
    }
}

#[test]
fn k12_a_conflict_around_the_template_line_picks_no_side() {
    let text = "<<<<<<< HEAD\n; template: Assets/Templates/A.jasset\n=======\n; template: Assets/Templates/B.jasset\n>>>>>>> x\nPosition: 1, 2, 3\n";
    let project = project(
        &[("A", "; entity_type: Rock\n"), ("B", "; entity_type: Rock\n")],
        &[("I.jasset", text), ("Other.jasset", ROCK)],
    );
    let (mut world, report) = project.load();
    assert_eq!((report.loaded, report.skipped, report.diagnostics.len()), (1, 1, 1), "{:#?}", printed(&report));
    let error = one_of(&report, &label("I.jasset"));
    assert_eq!((error.code, error.line), (Code::ConflictMarker, 1));
    save_with_a_change_of(&project, &mut world, "Other.jasset");
}

#[test]
fn k13_a_duplicate_key_in_a_template_is_told_once() {
    let text = "; entity_type: Rock\nScale: 2\nHits: 1\nScale: 3\n";
    let project =
        project(&[("T", text)], &[("A.jasset", &based_on("T", "")), ("B.jasset", &based_on("T", "Hits: 2\n"))]);
    let (_, report) = project.load();
    assert_eq!((report.loaded, report.skipped, report.diagnostics.len()), (0, 2, 3), "{:#?}", printed(&report));
    let cause = one_of(&report, &path("T"));
    assert_eq!((cause.code, cause.line, &*cause.property), (Code::DuplicateKey, 4, "Scale"));
    assert!(cause.message.contains("`Scale` is set on line 2 and again on line 4"), "{cause}");
    for name in ["A.jasset", "B.jasset"] {
        let error = one_of(&report, &label(name));
        assert_eq!((error.code, error.line, error.related[0].line), (Code::TemplateUnavailable, 1, 4));
    }
}

#[test]
fn k13_two_template_lines_are_refused_also_with_one_path() {
    for second in ["A", "B"] {
        let text = format!("{}Scale: 2\n", based_on("A", &based_on(second, "")));
        let project = project(
            &[("A", "; entity_type: Rock\n"), ("B", "; entity_type: Rock\n")],
            &[("I.jasset", &text), ("Other.jasset", ROCK)],
        );
        let (mut world, report) = project.load();
        assert_eq!((report.loaded, report.skipped, report.diagnostics.len()), (1, 1, 1), "{:#?}", printed(&report));
        let error = one_of(&report, &label("I.jasset"));
        assert_eq!((error.code, error.line), (Code::DuplicateDirective, 2));
        assert!(error.message.contains("line 1") && error.message.contains("line 2"), "{error}");
        save_with_a_change_of(&project, &mut world, "Other.jasset");
    }
}

#[test]
fn k14_numbers_out_of_range_are_refused_in_templates_and_in_overrides() {
    let project = project(
        &[("Bad", "; entity_type: Rock\nHits: 256\n"), ("Good", "; entity_type: Rock\nHits: 255\n")],
        &[
            ("A.jasset", &based_on("Bad", "")),
            ("B.jasset", &based_on("Good", "Hits: 300\n")),
            ("C.jasset", &based_on("Good", "Hits: 0x1F\n")),
        ],
    );
    let (world, report) = project.load();
    assert_eq!((report.loaded, report.skipped, report.diagnostics.len()), (1, 2, 3), "{:#?}", printed(&report));
    let cause = one_of(&report, &path("Bad"));
    assert_eq!((cause.code, cause.line, &*cause.property, &*cause.found), (Code::IntegerRange, 2, "Hits", "256"));
    let error = one_of(&report, &label("B.jasset"));
    assert_eq!((error.code, error.line, &*error.property), (Code::IntegerRange, 2, "Hits"));
    assert!(error.expected.contains("0..=255"), "{error}");
    assert_eq!(get(&world, entity_in(&world, "C.jasset"), "Hits"), "31");
}

#[test]
fn k15_a_fault_in_a_template_says_where_and_who_asked() {
    let text = "; entity_type: Rock\nHits: 2\nScale: big\n";
    let instance = format!("# large\n{}Position: 1, 2, 3\n", based_on("RockLarge", ""));
    let project = project(&[("RockLarge", text)], &[("Rock_117.jasset", &instance)]);
    let (_, report) = project.load();
    let cause = one_of(&report, &path("RockLarge"));
    assert_eq!((cause.line, cause.column, &*cause.property, &*cause.found), (3, 8, "Scale", "big"));
    assert!(cause.to_string().starts_with("Assets/Templates/RockLarge.jasset:3:8: error["), "{cause}");
    let error = one_of(&report, &label("Rock_117.jasset"));
    assert_eq!((error.code, error.line, error.column), (Code::TemplateUnavailable, 2, 13));
    assert!(error.message.contains("Assets/Templates/RockLarge.jasset:3"), "{error}");
    assert!(error.to_string().contains("Scale"), "{error}");
    assert_eq!((&*error.related[0].file, error.related[0].line), (&*path("RockLarge"), 3));
}

#[test]
fn k15_a_missing_template_is_told_at_its_line_with_the_path_that_was_looked_for() {
    let text = format!("# boss\n{}", based_on("Nope", ""));
    let project = project(&[("Some", "; entity_type: Rock\n")], &[("Boss.jasset", &text)]);
    let (_, report) = project.load();
    assert_eq!(report.diagnostics.len(), 1);
    let error = one_of(&report, &label("Boss.jasset"));
    assert_eq!((error.line, error.column, &*error.found), (2, 13, "Assets/Templates/Nope.jasset"));
    let node = "; template\nAssets/Templates/Nope.jasset\n; scale\n2\n";
    let error = refused_once(crate::support::classes::registry(), node);
    assert_eq!((error.code, error.line, error.column), (Code::TemplateUnavailable, 2, 1));
}

#[test]
fn k15_all_faults_of_a_world_come_at_once_sorted_by_file() {
    let project = project(
        &[("Bad1", "; entity_type: Rock\nHits: x\nScale: y\n"), ("Bad2", "; entity_type: Rock\nNote\n")],
        &[
            ("A.jasset", &based_on("Bad2", "")),
            ("B.jasset", &based_on("Bad1", "")),
            ("C.jasset", &based_on("Bad1", "")),
            ("D.jasset", "; entity_type: Rock\nPosition: 1, 2\n"),
        ],
    );
    let (_, report) = project.load();
    assert_eq!((report.loaded, report.skipped), (0, 4));
    assert_eq!(of_file(&report, &path("Bad1")).len(), 2, "{:#?}", printed(&report));
    let files: Vec<&str> = report.diagnostics.iter().map(|it| &*it.file).collect();
    assert!(files.is_sorted(), "{files:?}");
    assert_eq!(report.diagnostics.len(), 7);
}

#[test]
fn k16_an_unknown_key_of_a_template_is_told_once_and_stays_there() {
    let text = "; entity_type: Rock\nScale: 2\nOldTag: mossy   # soft\n\nHits: 3\n";
    let project = project(
        &[("T", text), ("Mid", &based_on("T", "Hits: 4\n"))],
        &[("A.jasset", &based_on("T", "")), ("B.jasset", &based_on("T", "")), ("C.jasset", &based_on("Mid", ""))],
    );
    let (mut world, report) = project.load();
    assert_eq!((report.loaded, report.diagnostics.len()), (3, 1), "{:#?}", printed(&report));
    let warning = one_of(&report, &path("T"));
    assert_eq!((warning.code, warning.line, warning.is_error()), (Code::UnknownKey, 3, false));
    assert!(warning.message.contains("OldTag") && warning.message.contains("Rock"), "{warning}");
    let template = find(&world, "T");
    world.set(template, "Scale", 5.0_f32).unwrap();
    let a = entity_in(&world, "A.jasset");
    world.set(a, "Hits", 9_u8).unwrap();
    let new = world.spawn_from(template, Vec3::ZERO).unwrap();
    let new = world.file_of(new).unwrap();
    save_all(&mut world);
    assert_eq!(text_of(&project, "T"), text.replace("Scale: 2", "Scale: 5.0"));
    for name in ["A.jasset", "B.jasset", "C.jasset", new.rsplit('/').next().unwrap()] {
        assert!(!project.text(name).contains("OldTag"), "{name}");
    }
    // A build that knows the property again reads it, and the instances inherit it.
    let typo = "; entity_type: Rock\nScael: 2\n";
    put(&project, "T", typo);
    let (_, report) = project.load();
    let hint = one_of(&report, &path("T")).help.clone();
    assert!(hint.is_some_and(|it| it.contains("did you mean `Scale`?")), "{:#?}", printed(&report));
}
