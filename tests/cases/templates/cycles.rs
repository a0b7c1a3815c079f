//! K18: templates in a ring, and chains that are too long.

use juliet::prelude::*;
use juliet::{Code, TEMPLATE_DEPTH, TemplateRefused};

use super::{based_on, find, get, label, one_of, path, printed, project, put, save_with_a_change_of};
use crate::support::{TestProject, entity_in, save, save_all};

/// K18's files: A on itself, B, C and D in a ring, E and its instance beside it, F on itself by another spelling, and healthy ones.
fn tangled() -> TestProject {
    let ring = [("B", "C"), ("C", "D"), ("D", "B")];
    let mut templates = vec![
        ("A".to_owned(), based_on("A", "")),
        ("E".to_owned(), based_on("B", "Scale: 2\n")),
        ("F".to_owned(), "# odd\n; template: Assets/Templates/./sub/../F.jasset\n".to_owned()),
        ("P".to_owned(), "; entity_type: Rock\nScale: 2\n".to_owned()),
        ("Q".to_owned(), based_on("P", "Hits: 3\n")),
    ];
    templates.extend(ring.map(|(name, next)| (name.to_owned(), format!("# {name}\n{}", based_on(next, "")))));
    let mut entities: Vec<(String, String)> =
        ["A", "B", "C", "D", "E", "F"].map(|name| (format!("On{name}.jasset"), based_on(name, "Hits: 1\n"))).into();
    let healthy = (0..10).map(|index| (format!("Z{index}.jasset"), based_on(["P", "Q"][index % 2], "")));
    entities.extend(healthy);
    fn borrowed(list: &[(String, String)]) -> Vec<(&str, &str)> {
        list.iter().map(|(name, text)| (&**name, &**text)).collect()
    }
    project(&borrowed(&templates), &borrowed(&entities))
}

#[test]
fn k18_rings_are_told_once_with_every_line_and_cost_nothing_else() {
    let project = tangled();
    let (mut world, report) = project.load();
    assert_eq!((report.loaded, report.skipped), (10, 6), "{:#?}", printed(&report));
    // A on itself.
    let own = one_of(&report, &path("A"));
    assert_eq!((own.code, own.line, own.column), (Code::TemplateCycle, 1, 13));
    assert!(own.message.contains("template cycle: Assets/Templates/A.jasset → Assets/Templates/A.jasset"), "{own}");
    // The ring of three: one report, at its first member, with each line.
    let ring = one_of(&report, &path("B"));
    assert_eq!((ring.code, ring.line), (Code::TemplateCycle, 2));
    let whole = ["B", "C", "D", "B"].map(path).join(" → ");
    assert!(ring.message.contains(&whole), "{ring}");
    let places: Vec<(&str, u32)> = ring.related.iter().map(|it| (&*it.file, it.line)).collect();
    assert_eq!(places, [(&*path("C"), 2), (&*path("D"), 2)]);
    // E is not on it.
    let beside = one_of(&report, &path("E"));
    assert_eq!((beside.code, beside.line), (Code::TemplateUnavailable, 1));
    assert!(beside.message.contains(&whole), "{beside}");
    // F on itself once its path is normalised.
    let odd = one_of(&report, &path("F"));
    assert_eq!((odd.code, odd.line), (Code::TemplateCycle, 2));
    assert!(odd.message.contains("Assets/Templates/F.jasset → Assets/Templates/F.jasset"), "{odd}");
    for name in ["A", "B", "C", "D", "E", "F"] {
        let error = one_of(&report, &label(&format!("On{name}.jasset")));
        assert_eq!((error.code, error.line), (Code::TemplateUnavailable, 1));
        assert!(error.message.contains("template cycle"), "{error}");
    }
    assert_eq!(report.diagnostics.len(), 10);
    save_with_a_change_of(&project, &mut world, "Z0.jasset");
}

#[test]
fn k18_a_ring_is_told_the_same_whoever_led_into_it() {
    let all: Vec<Vec<String>> = ["B", "C", "D", "E"]
        .into_iter()
        .map(|name| {
            let project = tangled();
            std::fs::remove_dir_all(project.path("")).unwrap();
            project.put("Only.jasset", based_on(name, ""));
            let (_, report) = project.load();
            let ring = report.diagnostics.iter().filter(|it| it.code == Code::TemplateCycle);
            ring.map(ToString::to_string).collect()
        })
        .collect();
    assert_eq!(all[0].len(), 1);
    assert!(all.iter().all(|it| it == &all[0]), "{all:#?}");
}

#[test]
fn k18_a_ring_by_another_case_suggests_the_spelling_that_is_there() {
    let project = project(&[("G", "; template: Assets/Templates/g.JASSET\n")], &[("OnG.jasset", &based_on("G", ""))]);
    let (world, report) = project.load();
    assert!(world.is_empty());
    let error = one_of(&report, &path("G"));
    assert!(error.message.contains("Assets/Templates/G.jasset"), "{error}");
    assert_eq!(one_of(&report, &label("OnG.jasset")).code, Code::TemplateUnavailable);
}

#[test]
fn k18_at_run_time_a_ring_is_refused_and_changes_nothing() {
    let project = tangled();
    let (mut world, _) = project.load();
    let (p, q) = (find(&world, "P"), find(&world, "Q"));
    let before: Vec<_> = world.rows(p).into_iter().map(|row| (row.value, row.source)).collect();
    for (subject, template) in [(p, q), (p, p), (q, q)] {
        let refused = world.set_template(subject, template).unwrap_err();
        assert!(matches!(refused, TemplateRefused::Chain { .. }), "{refused}");
        assert!(refused.to_string().contains("template cycle: "), "{refused}");
    }
    let refused = world.set_template(p, q).unwrap_err().to_string();
    assert!(refused.contains(&[path("P"), path("Q"), path("P")].join(" → ")), "{refused}");
    assert!(!world.set_template(q, p).unwrap(), "it is so already");
    assert_eq!((world.template_of(p), world.template_of(q)), (None, Some(p)));
    assert_eq!(world.rows(p).into_iter().map(|row| (row.value, row.source)).collect::<Vec<_>>(), before);
    assert!(world.dirty_templates().is_empty() && world.dirty().is_empty());
    assert_eq!(save_all(&mut world).written, [""; 0]);
    world.entities().validate().unwrap();
}

fn chain(length: usize) -> Vec<(String, String)> {
    (0..length)
        .map(|level| {
            let text = if level == 0 {
                "; entity_type: Rock\nScale: 1.5\n".to_owned()
            } else {
                based_on(&format!("T{:02}", level - 1), &format!("Hits: {level}\n"))
            };
            (format!("T{level:02}"), text)
        })
        .collect()
}

fn chained(length: usize) -> TestProject {
    let templates = chain(length);
    let templates: Vec<(&str, &str)> = templates.iter().map(|(name, text)| (&**name, &**text)).collect();
    project(
        &templates,
        &[
            ("I.jasset", &based_on(&format!("T{:02}", length - 1), "MeshAsset: m\n")),
            ("J.jasset", &based_on("T00", "")),
            ("K.jasset", &based_on(&format!("T{:02}", length - 2), "")),
        ],
    )
}

#[test]
fn chains_of_sixteen_templates_load_and_seventeen_are_refused() {
    assert_eq!(TEMPLATE_DEPTH, 16);
    let project = chained(16);
    let mut world = project.load_clean();
    let instance = entity_in(&world, "I.jasset");
    assert_eq!((get(&world, instance, "Scale"), get(&world, instance, "Hits")), ("1.5".into(), "15".into()));
    let top = find(&world, "T00");
    world.set(top, "Scale", 9.0_f32).unwrap();
    assert_eq!(get(&world, instance, "Scale"), "9.0");
    assert_eq!(save(&mut world).written, [path("T00")]);
    // One more is refused, wherever it would come from.
    let refused = world.create_template(instance, "T16").unwrap_err();
    assert!(refused.to_string().contains("16"), "{refused}");
    let alone = world.spawn_class("Rock", Vec3::ZERO).unwrap();
    let above = world.create_template(alone, "Above").unwrap();
    let refused = world.set_template(top, above).unwrap_err();
    assert!(refused.to_string().contains("more than 16"), "{refused}");
    assert_eq!(world.template_of(top), None);

    let project = chained(17);
    let (mut world, report) = project.load();
    assert_eq!((report.loaded, report.skipped), (2, 1), "{:#?}", printed(&report));
    let error = one_of(&report, &label("I.jasset"));
    assert_eq!((error.code, error.line), (Code::TemplateUnavailable, 1));
    assert!(error.message.contains("more than 16 templates"), "{error}");
    save_with_a_change_of(&project, &mut world, "J.jasset");
}

#[test]
fn a_chain_that_is_too_long_harms_no_one_whatever_is_read_first() {
    // The instance of the longest chain comes first by name, and names a chain none of which is known yet.
    for (length, loaded) in [(16, 3), (17, 2), (18, 1), (400, 1)] {
        let project = chained(length);
        let (world, report) = project.load();
        assert_eq!(report.loaded, loaded, "{length}: {:#?}", printed(&report));
        assert_eq!(get(&world, entity_in(&world, "J.jasset"), "Scale"), "1.5");
        for error in &report.diagnostics {
            assert_eq!(error.code, Code::TemplateUnavailable, "{error}");
            assert!(error.message.contains("more than 16 templates") && error.message.len() < 400, "{error}");
        }
    }
}

#[test]
fn a_long_ring_is_told_as_one() {
    for length in [2, 16, 17, 300] {
        let project = project(&[], &[("I.jasset", &based_on("R0", ""))]);
        for index in 0..length {
            put(&project, &format!("R{index}"), based_on(&format!("R{}", (index + 1) % length), ""));
        }
        let (world, report) = project.load();
        assert!(world.is_empty() && report.has_errors());
        let is_ring = report.diagnostics.iter().any(|it| it.code == Code::TemplateCycle);
        assert!(is_ring, "{length}: {:#?}", printed(&report));
        assert!(report.diagnostics.iter().all(|it| it.message.len() < 4_000), "{length}");
    }
}
