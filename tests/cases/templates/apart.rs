//! Entities become templates and instances, and stand alone again: comments and unknown lines stay.

use juliet::{CreateTemplateError, TemplateRefused};

use super::{based_on, diff, find, get, label, path, project, text_of};
use crate::support::{changed_lines, entity_in, save, save_all};

const ALONE: &str = "# big rock\n; entity_type: Rock\n; id: 0x0100000000000001\n\n// tuned\nScale: 2.50\nPosition: 142.5, 12.0, -84.2\nOldArmor: 3   # kept\n\n# TODO\nHits: 007\n";
const ALONE_NODE: &str = "# big rock\n; class\nRock\n; id\n0x0100000000000001\n\n// tuned\n; scale\n2.50\n; position\n142.5 12.0 -84.2\n; old_armor\n3   # kept\n\n# TODO\n; hits\n007\n";

fn comments(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with('#') || line.starts_with("//") || line.contains("kept")).collect()
}

#[test]
fn an_entity_becomes_a_template_and_its_instance_without_a_visible_change() {
    for text in [ALONE, ALONE_NODE] {
        let project = project(&[], &[("A.jasset", text)]);
        let (mut world, _) = project.load();
        let a = entity_in(&world, "A.jasset");
        let rows: Vec<(String, String)> = world.rows(a).into_iter().map(|row| (row.key, row.value)).collect();
        let template = world.create_template(a, "RockLarge").unwrap();
        assert_eq!(world.template_path(template), Some(&*path("RockLarge")));
        assert_eq!((world.template_of(a), diff(&world, a)), (Some(template), vec![]));
        assert_eq!(world.rows(a).into_iter().map(|row| (row.key, row.value)).collect::<Vec<_>>(), rows);
        assert_eq!(
            (get(&world, a, "Position").as_str(), get(&world, template, "Position").as_str()),
            ("142.5, 12.0, -84.2", "0.0, 0.0, 0.0")
        );
        assert_eq!(save(&mut world).written, [path("RockLarge"), label("A.jasset")]);
        let written = project.text("A.jasset");
        assert_eq!(comments(&written), comments(text), "{written}");
        assert!(!written.contains("Scale") && !written.contains("; hits") && !written.contains("Hits"), "{written}");
        assert!(
            written.contains("142.5") && !written.contains("entity_type") && !written.contains("; class"),
            "{written}"
        );
        let template_text = text_of(&project, "RockLarge");
        assert!(!template_text.contains("; id"), "{template_text}");
        assert_eq!(world.overrides(template), ["Scale", "IsDestructible", "MeshAsset", "Hits"]);
        assert!(save_all(&mut world).written.is_empty());
        // And back.
        assert!(world.unlink(a).unwrap());
        assert!(!world.unlink(a).unwrap());
        assert_eq!(world.rows(a).into_iter().map(|row| (row.key, row.value)).collect::<Vec<_>>(), rows);
        assert_eq!(save(&mut world).written, [label("A.jasset")]);
        let written = project.text("A.jasset");
        assert_eq!(comments(&written), comments(text), "{written}");
        assert!(!written.contains("template"), "{written}");
        let (again, report) = project.load();
        assert_eq!(report.diagnostics.len(), 1, "{written}");
        let a = entity_in(&again, "A.jasset");
        assert_eq!(again.rows(a).into_iter().map(|row| (row.key, row.value)).collect::<Vec<_>>(), rows);
        assert_eq!(again.template_of(a), None);
    }
}

#[test]
fn an_entity_that_stood_alone_looks_as_before_under_another_template() {
    let base = "; entity_type: Rock\nScale: 2.5\nHits: 9\nMeshAsset: m\n";
    let project = project(
        &[("Base", base), ("Other", "; entity_type: Rock\nScale: 1\nHits: 7\n"), ("Box", "; entity_type: Crate\n")],
        &[("A.jasset", ALONE)],
    );
    let (mut world, _) = project.load();
    let a = entity_in(&world, "A.jasset");
    let [base, other, crates] = ["Base", "Other", "Box"].map(|name| world.load_template(&path(name)).unwrap());
    let refused = world.set_template(a, crates).unwrap_err();
    assert!(matches!(&refused, TemplateRefused::Class { .. }), "{refused}");
    assert!(refused.to_string().contains("Crate") && refused.to_string().contains("Rock"), "{refused}");
    assert!(world.set_template(a, base).unwrap());
    assert_eq!(get(&world, a, "Hits"), "7");
    let keys: Vec<String> = world.overrides(a);
    assert_eq!(keys, ["MeshAsset", "Hits"]);
    save(&mut world);
    let written = project.text("A.jasset");
    assert_eq!(comments(&written), comments(ALONE), "{written}");
    assert!(
        written.contains("Hits: 007\n") && !written.contains("Scale") && written.contains(&path("Base")),
        "{written}"
    );
    assert!(!written.contains("entity_type"), "{written}");
    // From one template to the next: overrides stay, the rest follows.
    assert!(world.set_template(a, other).unwrap());
    assert_eq!(
        (get(&world, a, "Scale").as_str(), get(&world, a, "Hits").as_str(), world.overrides(a)),
        ("1.0", "7", keys)
    );
    let before = written;
    save(&mut world);
    let lines = changed_lines(&before, &project.text("A.jasset"));
    assert_eq!(lines, [format!("-{}", based_on("Base", "")), format!("+{}", based_on("Other", ""))]);
    assert_eq!((world.instances_of(base).len(), world.instances_of(other)), (0, vec![a]));
    assert!(save_all(&mut world).written.is_empty());
}

#[test]
fn a_template_of_an_instance_lies_between_it_and_its_template() {
    let project = project(
        &[("Base", "; entity_type: Rock\nScale: 2\n")],
        &[("A.jasset", &based_on("Base", "Hits: 4\nPosition: 1.0, 2.0, 3.0\n")), ("B.jasset", &based_on("Base", ""))],
    );
    let mut world = project.load_clean();
    let (a, base) = (entity_in(&world, "A.jasset"), find(&world, "Base"));
    world.get_mut::<crate::support::classes::Rock>(a).unwrap().mesh_asset = "m".into();
    let mid = world.create_template(a, "sub/Mid").err();
    assert!(matches!(mid, Some(CreateTemplateError::Path { .. })), "{mid:?}");
    let mid = world.create_template(a, "Assets/Templates/sub/Mid").unwrap();
    assert_eq!(
        (world.template_of(mid), world.overrides(mid)),
        (Some(base), vec!["MeshAsset".to_owned(), "Hits".to_owned()])
    );
    assert!(world.overrides(a).is_empty());
    save(&mut world);
    assert_eq!(text_of(&project, "sub/Mid"), based_on("Base", "Position: 0.0, 0.0, 0.0\nMeshAsset: m\nHits: 4\n"));
    world.set(base, "Scale", 6.0_f32).unwrap();
    assert_eq!(get(&world, a, "Scale"), "6.0");
    save(&mut world);
    // A template that stands alone says what it inherited.
    assert!(world.unlink(mid).unwrap());
    assert_eq!((get(&world, mid, "Scale").as_str(), world.overrides(mid).len()), ("6.0", 3));
    assert_eq!(save(&mut world).written, [path("sub/Mid")]);
    world.set(base, "Scale", 7.0_f32).unwrap();
    assert_eq!(get(&world, a, "Scale"), "6.0");
    save(&mut world);
    let again = project.load_clean();
    let a = entity_in(&again, "A.jasset");
    assert_eq!(
        (get(&again, a, "Scale").as_str(), get(&again, a, "Hits").as_str(), get(&again, a, "MeshAsset").as_str()),
        ("6.0", "4", "m")
    );
}

#[test]
fn overrides_are_applied_to_a_chosen_level() {
    let project = project(
        &[("Base", "# base\n; entity_type: Rock\nScale: 2\n"), ("Mid", &based_on("Base", "Scale: 3\n"))],
        &[
            ("I.jasset", &based_on("Mid", "Scale: 4\nHits: 5\n")),
            ("J.jasset", &based_on("Mid", "")),
            ("K.jasset", &based_on("Base", "")),
        ],
    );
    let mut world = project.load_clean();
    let [i, j, k] = ["I.jasset", "J.jasset", "K.jasset"].map(|it| entity_in(&world, it));
    let (base, mid) = (find(&world, "Base"), find(&world, "Mid"));
    assert!(world.apply_override(i, "Hits", base).unwrap());
    assert_eq!([i, j, k].map(|it| get(&world, it, "Hits")), ["5", "5", "5"]);
    assert_eq!(world.overrides(i), ["Scale"]);
    assert!(!world.apply_override(i, "Hits", base).unwrap());
    // Mid shields from Base: the override has to stay so that I looks as before.
    assert!(world.apply_override(i, "Scale", base).unwrap());
    assert_eq!([i, j, k].map(|it| get(&world, it, "Scale")), ["4.0", "3.0", "4.0"]);
    assert_eq!(world.overrides(i), ["Scale"]);
    assert!(world.apply_all(i, mid).unwrap());
    assert_eq!([i, j, k].map(|it| get(&world, it, "Scale")), ["4.0", "4.0", "4.0"]);
    assert!(world.overrides(i).is_empty());
    let saved = save(&mut world);
    assert_eq!(saved.written, [path("Base"), path("Mid"), label("I.jasset")]);
    assert_eq!(text_of(&project, "Base"), "# base\n; entity_type: Rock\nScale: 4.0\nHits: 5\n");
    assert_eq!(text_of(&project, "Mid"), based_on("Base", "Scale: 4.0\n"));
    assert!(world.apply_override(k, "Scale", mid).is_err());
    let mut again = project.load_clean();
    assert!(save_all(&mut again).written.is_empty());
}

#[test]
fn a_template_is_made_where_nothing_lies() {
    let project = project(&[("There", "; entity_type: Rock\n"), ("Broken", "")], &[("A.jasset", ALONE)]);
    let (mut world, _) = project.load();
    let a = entity_in(&world, "A.jasset");
    let before = project.picture();
    for name in ["There", "Broken", "There.jasset", "Assets/Templates/./There.jasset"] {
        let error = world.create_template(a, name).unwrap_err();
        assert!(matches!(error, CreateTemplateError::Exists { .. }), "{name}: {error}");
    }
    for name in [
        "",
        "CON",
        "a:b",
        "a?",
        ".hidden",
        "../X",
        "/X",
        "C:\\X",
        "Assets/Meshes/X",
        "Assets/Templates/../X",
        "Assets/Templates/a\nb",
    ] {
        let error = world.create_template(a, name);
        assert!(error.is_err(), "{name:?}");
        assert!(!matches!(error, Err(CreateTemplateError::Exists { .. })), "{name:?}");
    }
    assert_eq!((world.template_of(a), world.templates().count()), (None, 0));
    assert!(save_all(&mut world).written.is_empty());
    assert_eq!(project.picture(), before);
    let id = world.remove(a).unwrap();
    assert!(matches!(world.create_template(a, "X"), Err(CreateTemplateError::Stale(_))));
    world.restore(id).unwrap();
}
