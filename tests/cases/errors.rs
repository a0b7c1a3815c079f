//! K15: an error says where.

use std::num::NonZeroUsize;

use juliet::prelude::*;
use juliet::{Code, LoadOptions, Severity};

use crate::support::classes::{registry, rocks};
use crate::support::{TestProject, WORLD, refused, refused_once};

/// 200 entities in two folders; every file of `broken` has that text instead.
fn big_world(broken: &[(&str, &str)]) -> TestProject {
    let mut files: Vec<(String, String)> = Vec::new();
    for number in 0..200 {
        let name = format!("Level{}/Rock_{number}.jasset", 1 + number % 2);
        let text = format!("; entity_type: Rock\n; id: 0x{:016X}\n\nPosition: 1, 2, 3\n", number + 1);
        let text = broken.iter().find(|(broken, _)| *broken == name).map_or(text, |(_, text)| (*text).to_owned());
        files.push((name, text));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    TestProject::with(rocks(), &files)
}

#[test]
fn k15_an_error_has_file_line_column_property_expected_and_found() {
    let text = "; entity_type: Rock\n; id: 0x76\n\nPosition: 1, 2\n";
    let project = big_world(&[("Level2/Rock_117.jasset", text)]);
    let (world, report) = project.load();
    assert_eq!((world.len(), report.loaded, report.skipped), (199, 199, 1));
    let [error] = &report.diagnostics[..] else { panic!("{:?}", report.diagnostics) };
    assert_eq!((error.code, error.severity), (Code::WrongCount, Severity::Error));
    assert_eq!(&*error.file, "Assets/Worlds/W/Entities/Level2/Rock_117.jasset");
    assert_eq!((error.line, error.column, error.length), (4, 11, 4));
    assert_eq!((&*error.property, &*error.expected, &*error.found), ("Position", "3 numbers", "2"));
    assert_eq!(
        error.to_string(),
        "Assets/Worlds/W/Entities/Level2/Rock_117.jasset:4:11: error[JA0305]: Position: expected 3 numbers, found 2"
    );
}

#[test]
fn k15_a_column_counts_characters_and_points_at_the_wrong_part() {
    for (text, line, column) in [
        ("; entity_type: Rock\nScale:    big\n", 2, 11),
        ("; entity_type: Rock\n\tScale: big\n", 2, 9),
        ("; entity_type: Sign\r\nNote: \"ä€😀\\q\"\r\n", 2, 11),
        ("; class\nRock\n; scale\n  big\n", 4, 3),
        ("; entity_type: Rock\nPosition: 1, x, 3\n", 2, 14),
    ] {
        let error = refused_once(registry(), text);
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
    }
}

#[test]
fn k15_a_template_is_refused_at_its_line_with_its_path() {
    for text in [
        "; entity_type: Rock\n; template: Assets/Templates/Nope.jasset\n",
        "; id: 0x01\n; template: Assets/Templates/Nope.jasset\n",
    ] {
        let errors = refused(rocks(), text);
        let error = errors.iter().find(|error| error.code == Code::TemplateUnavailable).unwrap();
        assert_eq!((error.line, error.column), (2, 13));
        assert_eq!((&*error.property, &*error.found), ("template", "Assets/Templates/Nope.jasset"));
        assert!(error.message.contains("Assets/Templates/Nope.jasset"), "{error}");
    }
}

#[test]
fn k15_all_errors_come_at_once_in_the_order_of_files_and_lines() {
    let broken = "; entity_type: Rock\nScale: big\nHits: 300\nPosition: 1\nIsDestructible: perhaps\nScael: 2\n";
    let project = big_world(&[
        ("Level2/Rock_7.jasset", broken),
        ("Level1/Rock_10.jasset", broken),
        ("Level1/Rock_2.jasset", broken),
    ]);
    let mut reports = Vec::new();
    for threads in [1, 2, 7] {
        let options = LoadOptions { threads: NonZeroUsize::new(threads), ..LoadOptions::default() };
        let (world, report) = project.open().load_world_with(WORLD, &options).unwrap();
        assert_eq!((world.len(), report.skipped), (197, 3));
        let places: Vec<(&str, u32)> =
            report.diagnostics.iter().map(|it| (it.file.rsplit('/').next().unwrap(), it.line)).collect();
        let lines = |file| (2..=6).map(move |line| (file, line));
        let files = ["Rock_10.jasset", "Rock_2.jasset", "Rock_7.jasset"];
        assert_eq!(places, files.into_iter().flat_map(lines).collect::<Vec<_>>());
        reports.push(report.diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>());
    }
    assert_eq!(reports[0], reports[1]);
    assert_eq!(reports[0], reports[2]);
}

#[test]
fn k15_a_file_of_faults_gives_a_bounded_report() {
    let text = format!("; entity_type: Rock\n{}", "Scale: 1\n".repeat(100_000));
    let errors = refused(rocks(), &text);
    assert!(errors.len() <= 30, "{}", errors.len());
    let project = TestProject::with(rocks(), &[("A.jasset", &text)]);
    let (_, report) = project.load();
    let last: Vec<&Diagnostic> = report.diagnostics.iter().filter(|it| it.code == Code::TooManyFindings).collect();
    assert_eq!(last.len(), 1);
    assert!(last[0].message.contains("99979"), "{}", last[0]);
}

#[test]
fn k15_a_file_of_nothing_but_faults_is_told_in_linear_time() {
    // With a look at the whole file for each line this would take minutes.
    for line in
        ["rubbish\n", "; a b: c\n", "Moss 1: 2\n", "Hits: 300\n", "! Moss\n", "<<<<<<< HEAD\n", "\u{FEFF}Scale: 1\n"]
    {
        let errors = refused(rocks(), format!("; entity_type: Rock\n{}", line.repeat(100_000)));
        assert!(errors.len() <= 21, "{line:?}: {}", errors.len());
        let older = format!("; entity_type: Rock\n; class_version: 1\n{}", line.repeat(100_000));
        let errors = refused(super::versions::rocks_of_version_2(), older);
        assert!(errors.len() <= 21, "{line:?}: {}", errors.len());
    }
}

#[test]
fn k15_settings_full_of_faults_give_a_bounded_report() {
    let project = TestProject::with(rocks(), &[("A.jasset", "; entity_type: Rock\n")]);
    let settings = format!("; asset_type: world_settings\n{}", "rubbish\n".repeat(100_000));
    std::fs::write(project.root().join("Worlds/W/WorldSettings.jasset"), settings).unwrap();
    let (world, report) = project.load();
    assert_eq!(world.len(), 1);
    assert!(report.diagnostics.len() <= 21, "{}", report.diagnostics.len());
}

#[test]
fn k15_a_file_of_unknown_keys_loads_and_saves_in_linear_time() {
    let keys: String = (0..100_000).map(|number| format!("Moss{number}: 1\n")).collect();
    for registry in [rocks(), super::versions::rocks_of_version_2()] {
        let text = format!("; entity_type: Rock\n; id: 0x01\n; class_version: 1\nHits: 1\n{keys}");
        let project = TestProject::with(registry, &[("A.jasset", &text)]);
        let (mut world, report) = project.load();
        assert_eq!((world.len(), report.diagnostics.len()), (1, 21));
        let handle = crate::support::only(&world);
        world.set_text(handle, "Hits", "9").unwrap();
        crate::support::save(&mut world);
        assert!(project.text("A.jasset").contains("Hits: 9\n") && project.text("A.jasset").ends_with(&keys));
    }
}

#[test]
fn a_value_of_another_class_is_left_as_it_is() {
    use juliet::OwnedValue;
    use juliet::core::archive::{Components, EntityText, Findings, open, read_values, verify, write_entity};
    use juliet::core::text::Spelling;

    let registry = registry();
    let kind = |name| registry.find_by_name(name).expect("registered").0;
    let mut rock = OwnedValue::new(&registry, kind("Rock")).expect("registered");
    let mut findings = Findings::new();
    let opened = open(&registry, "f", "; entity_type: Sign\nNote: a\n", &mut findings).expect("a class");
    let read = read_values(&opened, rock.as_mut(), &mut findings);
    assert!(read.leaves.is_empty() && read.position.is_none());
    let [error] = &findings.into_diagnostics("f")[..] else { panic!("one error") };
    assert_eq!((error.code, &*error.expected, &*error.found), (Code::ClassMismatch, "Sign", "Rock"));

    let sign = OwnedValue::new(&registry, kind("Sign")).expect("registered");
    let class = registry.classes()[usize::from(kind("Sign"))];
    let entity = EntityText {
        class,
        id: 1,
        position: [0.0, 0.0, 0.0, 1.0],
        value: sign.as_ref(),
        inherits: None,
        components: Components::NONE,
    };
    let mut text = Vec::new();
    write_entity(&entity, Spelling::Colon, &mut text);
    let text = String::from_utf8(text).expect("text is UTF-8");
    assert!(verify(&registry, "f", &text, &entity, None, rock.as_mut()).is_err());
}
