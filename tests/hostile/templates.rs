//! Lines that name a template, and the files they name, made to break something.

use std::fs;
use std::sync::mpsc;
use std::time::Duration;

use growth::{check_linear, cpu_time};
use juliet::prelude::*;

use crate::support::classes::registry;
use crate::support::{TestProject, entity_in, only, save, save_all};

fn in_time<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || done.send(work()));
    wait.recv_timeout(Duration::from_secs(30)).expect("hangs, or panicked")
}

fn project(template: impl AsRef<[u8]>, entity: impl AsRef<[u8]>) -> TestProject {
    let project = TestProject::with(registry(), &[("I.jasset", entity.as_ref())]);
    project.put("../../../Templates/T.jasset", template);
    project
}

const ROCK: &str = "; entity_type: Rock\nHits: 7\n";
const LINE: &str = "; template: Assets/Templates/T.jasset\n";

#[test]
fn odd_template_lines_are_told_or_kept() {
    for (text, expected) in [
        (format!("{LINE}{LINE}"), Some(("JA0209", 2))),
        (format!("{LINE};template:Assets/Templates/T.jasset\n"), Some(("JA0209", 2))),
        (format!("Hits: 1\n{LINE}"), None),
        (format!("# c\n\n// d\n{LINE}# e\n; id: 0x5\n"), None),
        ("; template:\n".into(), Some(("JA0", 1))),
        ("; template: \"\"\n".into(), Some(("JA0", 1))),
        ("; template: \"Assets/Templates/T.jasset\"\n".into(), Some(("JA0", 1))),
        ("; template: Assets/Templates/T.jasset # why\n".into(), Some(("JA0", 1))),
        ("; template: none\n".into(), Some(("JA0", 1))),
        ("; template: Assets\\Templates\\T.jasset\n".into(), None),
        ("; template: Assets/./Templates//T.jasset\n".into(), None),
        ("; template: assets/Templates/T.jasset\n".into(), Some(("JA0", 1))),
        ("; template: Assets/Templates/T.JASSET\n".into(), Some(("JA0", 1))),
        ("; template: Assets/Templates/T.jasset/\n".into(), None),
        ("; template: Assets/Templates/T.jasset/x.jasset\n".into(), Some(("JA0", 1))),
        ("; template: Assets/Worlds/W/Entities/I.jasset\n".into(), Some(("JA0", 1))),
        ("; template: Assets/Templates/\0.jasset\n".into(), Some(("JA0", 1))),
        ("; template: Assets/Templates/.jasset\n".into(), Some(("JA0", 1))),
        ("; Template: Assets/Templates/T.jasset\n; class: Rock\n".into(), None),
        ("; template\nAssets/Templates/T.jasset\n; hits\n2\n".into(), None),
        ("; template\n".into(), Some(("JA0", 1))),
        ("; template\n; id\n0x5\n".into(), Some(("JA0", 1))),
        ("; template\nAssets/Templates/T.jasset\n; template\nAssets/Templates/T.jasset\n".into(), Some(("JA0209", 3))),
        (format!("{LINE}; component: X\n{LINE}"), Some(("JA0212", 3))),
        (format!("; class: Rock\n; component: X\n{LINE}"), Some(("JA0212", 3))),
        (format!("{LINE}; class: Rock\n; class: Rock\n"), Some(("JA0209", 3))),
        (format!("{LINE}; asset_type: world_settings\n"), Some(("JA0", 2))),
        (format!("; template: Assets/Templates/{}.jasset\n", "x/".repeat(20_000)), Some(("JA0", 1))),
        (format!("; template: Assets/Templates/{}.jasset\n", "x".repeat(300)), Some(("JA0", 1))),
    ] {
        let shown: String = text.chars().take(120).collect();
        let project = project(ROCK, &text);
        let before = project.bytes("I.jasset");
        let (mut world, report) = project.load();
        let errors: Vec<_> = report.diagnostics.iter().filter(|it| it.is_error()).collect();
        let told: Vec<_> = errors.iter().map(|it| (it.code.as_str(), it.line, it.to_string().len())).collect();
        match expected {
            None => {
                assert_eq!((told.len(), report.loaded), (0, 1), "{shown:?}: {told:?}");
                let handle = only(&world);
                assert!(world.set(handle, "Scale", 3.5_f32).unwrap());
                save(&mut world);
                let (again, report) = project.load();
                assert!(!report.has_errors());
                assert_eq!(again.overrides(only(&again)), world.overrides(handle), "{shown:?}");
            }
            Some((code, line)) => {
                assert_eq!((told.len(), report.loaded), (1, 0), "{shown:?}: {told:?}");
                assert!(told[0].0.starts_with(code) && told[0].1 == line, "{shown:?}: {told:?}");
                assert!(told[0].2 < 1_500, "{shown:?}: {} bytes", told[0].2);
                assert!(save_all(&mut world).written.is_empty());
                assert_eq!(project.bytes("I.jasset"), before);
            }
        }
    }
}

#[test]
fn odd_files_of_templates_cost_their_instances_alone() {
    let big = format!("{ROCK}#{}\n", "x\n#".repeat(8 << 20));
    let utf16: Vec<u8> = ROCK.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (what, bytes, loads) in [
        ("too large", big.as_bytes(), false),
        ("utf-16", &utf16, false),
        ("nul", b"; entity_type: Rock\0\n", false),
        ("cut", b"; entity_type: Rock\nHits: [", false),
        ("of an unknown class", b"; entity_type: Ro", true),
        ("own id and place", b"; entity_type: Rock\r\n; id: 0x0100000000000001\r\nPosition: 4, 5, 6\r\nHits: 7", true),
        ("world settings", b"; asset_type: world_settings\n; version: 1\n", false),
        ("of another type", b"; asset_type: mesh\n; entity_type: Rock\n", false),
        ("a conflict", b"; entity_type: Rock\n<<<<<<< a\nHits: 1\n=======\nHits: 2\n>>>>>>> b\n", false),
        ("a section", b"; entity_type: Rock\n; component: Velocity\nSpeed: 3\n", true),
        ("an unknown key", b"; entity_type: Rock\nNothing: 3\n", true),
        ("a removal of nothing", b"; entity_type: Rock\n! Hits\n", false),
    ] {
        let project = project(bytes, format!("{LINE}; id: 0x0100000000000001\n"));
        let before = project.picture();
        let (mut world, report) = in_time(move || (project.load(), project)).0;
        assert_eq!((report.loaded == 1, report.has_errors()), (loads, !loads), "{what}: {:?}", report.diagnostics);
        assert!(report.diagnostics.len() <= 2, "{what}: {:?}", report.diagnostics);
        drop(before);
        let _ = world.save_all();
    }
}

#[cfg(unix)]
#[test]
fn templates_that_are_pipes_or_links_to_pipes_do_not_hang() {
    let project = TestProject::with(
        registry(),
        &[
            ("A.jasset", "; template: Assets/Templates/Pipe.jasset\n"),
            ("B.jasset", "; template: Assets/Templates/Link.jasset\n"),
            ("C.jasset", "; template: Assets/Templates/Loop.jasset\n"),
            ("D.jasset", "; template: Assets/Templates/Below.jasset\n"),
            ("E.jasset", "; class: Rock\n"),
        ],
    );
    let folder = project.root().join("Templates");
    fs::create_dir_all(&folder).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(folder.join("Pipe.jasset")).status().unwrap().success());
    std::os::unix::fs::symlink("Pipe.jasset", folder.join("Link.jasset")).unwrap();
    std::os::unix::fs::symlink("Loop.jasset", folder.join("Loop.jasset")).unwrap();
    fs::write(folder.join("Below.jasset"), "; template: Assets/Templates/Link.jasset\n").unwrap();
    let (report, mut world) = in_time(move || {
        let (world, report) = project.load();
        (report, (world, project))
    });
    assert_eq!((report.loaded, report.skipped), (1, 4), "{:?}", report.diagnostics);
    in_time(move || {
        assert!(world.0.load_template("Assets/Templates/Pipe.jasset").is_err());
        assert!(world.0.reread_templates().changed.is_empty());
    });
}

#[test]
fn many_missing_templates_are_told_in_linear_time_and_space() {
    check_linear("missing templates", 150, |count| {
        let project = TestProject::with::<&str>(registry(), &[]);
        for number in 0..count {
            project.put(&format!("E{number}.jasset"), format!("; template: Assets/Templates/Rokc{number}.jasset\n"));
            project.put(&format!("../../../Templates/Rock{number}.jasset"), "; entity_type: Rock\n");
        }
        cpu_time(|| {
            let (_, report) = project.load();
            assert_eq!(report.skipped, count);
            assert!(report.diagnostics.iter().all(|it| it.to_string().len() < 1_000));
        })
    });
}

#[test]
fn ten_thousand_instances_of_a_faulty_template_are_one_cause_and_short_lines() {
    let project = project("; entity_type: Rock\nHits: many\nHits: 3\nScale: x\n", LINE);
    for number in 0..3_000 {
        project.put(&format!("E{number}.jasset"), LINE);
    }
    let (_, report) = project.load();
    let of_template = report.diagnostics.iter().filter(|it| it.file.contains("/T.jasset")).count();
    assert!(of_template <= 3, "{of_template}");
    assert!(report.diagnostics.iter().all(|it| it.to_string().len() < 600 && it.related.len() <= 2));
    assert_eq!(report.skipped, 3_001);
}

#[test]
fn templates_that_come_go_and_are_emptied_between_loads_lose_nothing() {
    let mid = "; template: Assets/Templates/T.jasset\nScale: 2\n";
    let project =
        project(ROCK, "; template: Assets/Templates/Mid.jasset\n; id: 0x0100000000000001\nPosition: 1, 2, 3\n");
    project.put("../../../Templates/Mid.jasset", mid);
    project.put(
        "B.jasset",
        "; template: Assets/Templates/T.jasset\n; id: 0x0100000000000002\nPosition: 1, 2, 3\nHits: 7\n",
    );
    let mut world = project.load_clean();
    let (a, b) = (entity_in(&world, "I.jasset"), entity_in(&world, "B.jasset"));
    let look = |world: &World| ["Hits", "Scale"].map(|key| world.get_text(a, key).unwrap());
    let before = look(&world);
    let template = project.root().join("Templates/T.jasset");
    for text in [Some(""), Some("\u{FEFF}"), Some("; entity_type: Crate\n"), Some(mid), Some("Hits: 3\n"), None] {
        match text {
            Some(text) => fs::write(&template, text).unwrap(),
            None => fs::remove_file(&template).unwrap(),
        }
        let report = world.reread_templates();
        assert_eq!(
            (report.changed.len(), report.diagnostics.is_empty()),
            (0, false),
            "{text:?}: {:?}",
            report.diagnostics
        );
        assert_eq!(look(&world), before, "{text:?}");
        assert_eq!(world.overrides(b), ["Hits"]);
        assert!(save_all(&mut world).written.is_empty(), "{text:?}");
    }
    // Gone from disk and changed here: the save has to say so or to write it.
    let t = world.find_template("Assets/Templates/T.jasset").unwrap();
    world.set_text(t, "Hits", "9").unwrap();
    let report = world.save().unwrap();
    let is_there = fs::read_to_string(&template);
    assert_eq!(is_there.is_ok(), report.diagnostics.is_empty(), "{:?}", report.diagnostics);
    fs::write(&template, ROCK).unwrap();
    let report = world.reread_templates();
    assert_eq!(world.get_text(a, "Hits").as_deref(), Some("9"), "{:?}", report.diagnostics);
}
