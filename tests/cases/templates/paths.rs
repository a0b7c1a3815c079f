//! K23: one template under several spellings, and paths that lead nowhere or out.

use std::sync::Arc;

use juliet::folder::DiskFileSystem;
use juliet::folder::testing::FaultyFileSystem;
use juliet::prelude::*;
use juliet::{Code, Subject};

use super::{based_on, find, get, label, one_of, printed, project, put, save_with_a_change_of};
use crate::support::{TestProject, classes, entity_in, save, save_all};

fn named(spelled: &str) -> String {
    format!("; template: {spelled}\nPosition: 1.0, 2.0, 3.0\n")
}

#[test]
fn k23_spellings_of_one_path_share_one_template_that_is_read_once() {
    let spellings = [
        "Assets/Templates/RockLarge.jasset",
        "./Assets/Templates//RockLarge.jasset",
        "Assets\\Templates\\RockLarge.jasset",
        "Assets/Levels/../Templates/RockLarge.jasset",
        "Assets/./Templates/RockLarge.jasset",
    ];
    let files: Vec<(String, String)> =
        spellings.iter().enumerate().map(|(index, it)| (format!("{index}.jasset"), named(it))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let project = project(&[("RockLarge", "; entity_type: Rock\nScale: 2\n")], &files);
    let disk = FaultyFileSystem::new(DiskFileSystem).without_flushes();
    let opened = Project::open_on(Arc::new(disk.clone()), project.root(), classes::registry()).unwrap();
    let before = disk.counts().opened_for_reading;
    let (mut world, report) = opened.load_world("W").unwrap();
    let reads = disk.counts().opened_for_reading - before;
    assert_eq!(printed(&report), [""; 0]);
    // Every file once, the template once; of the world's settings there are none.
    let without = {
        let alone =
            super::project(&[], &files.iter().map(|(name, _)| (*name, "; entity_type: Rock\n")).collect::<Vec<_>>());
        let disk = FaultyFileSystem::new(DiskFileSystem).without_flushes();
        let opened = Project::open_on(Arc::new(disk.clone()), alone.root(), classes::registry()).unwrap();
        let before = disk.counts().opened_for_reading;
        assert_eq!(opened.load_world("W").unwrap().1.loaded, spellings.len());
        disk.counts().opened_for_reading - before
    };
    assert_eq!(reads, without + 1);
    assert_eq!(world.templates().count(), 1);
    let template = find(&world, "RockLarge");
    assert_eq!(world.template_path(template), Some("Assets/Templates/RockLarge.jasset"));
    assert_eq!(world.instances_of(template).len(), spellings.len());
    for spelled in spellings {
        assert_eq!(world.find_template(spelled), Some(template), "{spelled}");
        let before = disk.counts().opened_for_reading;
        assert_eq!(world.load_template(spelled).unwrap(), template, "{spelled}");
        assert_eq!(disk.counts().opened_for_reading, before);
    }
    // One change reaches all of them; what people wrote stays, also when another line changes.
    world.set(template, "Scale", 3.0_f32).unwrap();
    for (index, spelled) in spellings.iter().enumerate() {
        let handle = entity_in(&world, &format!("{index}.jasset"));
        assert_eq!(get(&world, handle, "Scale"), "3.0");
        world.set(handle, "Hits", 5_u8).unwrap();
        assert!(world.is_dirty(handle), "{spelled}");
    }
    assert_eq!(save(&mut world).written.len(), spellings.len() + 1);
    for (index, spelled) in spellings.iter().enumerate() {
        let text = project.text(&format!("{index}.jasset"));
        assert!(text.starts_with(&named(spelled)[..spelled.len() + 13]), "{text}");
        assert!(text.ends_with("Hits: 5\n"), "{text}");
    }
    project.load_clean();
}

#[test]
fn k23_a_wrong_case_suggests_the_path_that_is_there() {
    for spelled in [
        "assets/templates/rocklarge.jasset",
        "Assets/templates/RockLarge.jasset",
        "Assets/Templates/RockLarge.JASSET",
        "Assets/Templates/rocklarge.jasset",
    ] {
        let project = project(
            &[("RockLarge", "; entity_type: Rock\n")],
            &[("A.jasset", &named(spelled)), ("Other.jasset", &based_on("RockLarge", ""))],
        );
        let (mut world, report) = project.load();
        assert_eq!((report.loaded, report.diagnostics.len()), (1, 1), "{:#?}", printed(&report));
        let error = one_of(&report, &label("A.jasset"));
        assert_eq!((error.code, error.line, error.column), (Code::TemplateUnavailable, 1, 13));
        assert!(error.to_string().contains("Assets/Templates/RockLarge.jasset"), "{error}");
        assert_eq!(world.templates().count(), 1);
        assert!(world.load_template(spelled).is_err());
        save_with_a_change_of(&project, &mut world, "Other.jasset");
    }
}

/// Refused at its template line; nothing else happens.
fn refused(project: &TestProject, spelled: &str) -> Diagnostic {
    project.put("A.jasset", named(spelled));
    project.put("Other.jasset", "; entity_type: Rock\n; id: 0x0100000000000077\n");
    let (mut world, report) = project.load();
    assert_eq!(
        (report.loaded, report.skipped, report.diagnostics.len()),
        (1, 1, 1),
        "{spelled}: {:#?}",
        printed(&report)
    );
    let error = one_of(&report, &label("A.jasset")).clone();
    assert_eq!((error.code, error.line), (Code::TemplateUnavailable, 1), "{error}");
    save_with_a_change_of(project, &mut world, "Other.jasset");
    assert_eq!(project.text("A.jasset"), named(spelled));
    error
}

#[test]
fn k23_paths_that_lead_out_are_refused_and_nothing_outside_is_opened() {
    let project = project(&[], &[]);
    // A file that would parse.
    let outside = project.root().parent().unwrap().join("outside.jasset");
    std::fs::write(&outside, "; entity_type: Rock\nScale: 2\n").unwrap();
    let absolute = outside.to_str().unwrap().to_owned();
    for spelled in [
        "../../etc/passwd",
        "../outside.jasset",
        "Assets/../../outside.jasset",
        "Assets/Templates/../../../outside.jasset",
        "/etc/passwd",
        absolute.as_str(),
        "C:\\x.jasset",
        "C:x.jasset",
        "\\\\server\\share\\x.jasset",
        "RockLarge.jasset",
        "Assets",
        "Assets/Templates",
        "Assets/Templates/",
        "Assets/Worlds/W/Entities/Other.jasset",
        "Assets/Templates/../Worlds/W/Entities/Other.jasset",
        "Assets/Templates/Rock.txt",
        "Assets/Templates/a\tb.jasset",
    ] {
        let error = refused(&project, spelled);
        assert_eq!(error.column, 13, "{error}");
    }
    let text = "; template:\nPosition: 1, 2, 3\n";
    project.put("A.jasset", text);
    let (_, report) = project.load();
    assert_eq!((report.loaded, one_of(&report, &label("A.jasset")).line), (1, 1), "{:#?}", printed(&report));
}

#[cfg(unix)]
#[test]
fn k23_links_out_of_the_content_folder_are_refused_and_links_within_are_followed() {
    use std::os::unix::fs::symlink;
    let project = project(&[("Real", "; entity_type: Rock\nScale: 2\n")], &[]);
    let root = project.root();
    let outside = root.parent().unwrap().join("elsewhere");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("X.jasset"), "; entity_type: Rock\nScale: 9\n").unwrap();
    symlink(outside.join("X.jasset"), root.join("Templates/Out.jasset")).unwrap();
    symlink(&outside, root.join("Templates/OutFolder")).unwrap();
    symlink(root.join("Templates/Real.jasset"), root.join("Templates/In.jasset")).unwrap();
    for spelled in ["Assets/Templates/Out.jasset", "Assets/Templates/OutFolder/X.jasset"] {
        let error = refused(&project, spelled);
        assert!(error.message.contains("leaves the content folder"), "{error}");
    }
    let dangling = root.join("Templates/Dangling.jasset");
    symlink(root.join("Templates/Gone.jasset"), &dangling).unwrap();
    project.put("A.jasset", named("Assets/Templates/Dangling.jasset"));
    let (_, report) = project.load();
    assert_eq!(one_of(&report, &label("A.jasset")).code, Code::TemplateUnavailable);
    std::fs::remove_file(dangling).unwrap();
    project.put("A.jasset", named("Assets/Templates/In.jasset"));
    let mut world = project.load_clean();
    let a = entity_in(&world, "A.jasset");
    assert_eq!(get(&world, a, "Scale"), "2.0");
    // Saved through the link, which stays one.
    let template = world.template_of(a).unwrap();
    world.set(template, "Scale", 4.0_f32).unwrap();
    save(&mut world);
    assert!(root.join("Templates/In.jasset").symlink_metadata().unwrap().is_symlink());
    assert_eq!(super::text_of(&project, "Real"), "; entity_type: Rock\nScale: 4.0\n");
}

#[test]
fn k23_blanks_and_letters_beyond_ascii_are_names_like_others() {
    let (composed, decomposed) = ("Br\u{FC}cke", "Bru\u{308}cke");
    let project = project(
        &[("Big Rock", "; entity_type: Rock\nScale: 2\n"), (composed, "; entity_type: Rock\nScale: 3\n")],
        &[
            ("A.jasset", &based_on("Big Rock", "")),
            ("B.jasset", &based_on(composed, "")),
            ("C.jasset", "; template\nAssets/Templates/Big Rock.jasset\n"),
            ("D.jasset", &based_on(decomposed, "")),
        ],
    );
    let (mut world, report) = project.load();
    // Byte for byte: the other form is another name, on every system.
    assert_eq!((report.loaded, report.diagnostics.len()), (3, 1), "{:#?}", printed(&report));
    assert_eq!(one_of(&report, &label("D.jasset")).code, Code::TemplateUnavailable);
    for (name, scale) in [("A.jasset", "2.0"), ("B.jasset", "3.0"), ("C.jasset", "2.0")] {
        assert_eq!(get(&world, entity_in(&world, name), "Scale"), scale);
    }
    for name in ["Big Rock", composed] {
        let template = find(&world, name);
        let new = world.spawn_from(template, Vec3::ZERO).unwrap();
        world.set(Subject::from(template), "Hits", 6_u8).unwrap();
        assert_eq!(get(&world, new, "Hits"), "6");
    }
    save_all(&mut world);
    put(&project, decomposed, "; entity_type: Rock\n");
    let world = project.load_clean();
    assert_eq!(world.len(), 6);
}

#[test]
fn k23_no_template_is_made_beside_one_that_differs_in_case_alone() {
    let project = project(
        &[("Rock", "; entity_type: Rock\n"), ("Cliffs/Old", "; entity_type: Rock\n")],
        &[("A.jasset", "; entity_type: Rock\n")],
    );
    let mut world = project.load_clean();
    let a = entity_in(&world, "A.jasset");
    let refused = |world: &mut World, path: &str| world.create_template(a, path).unwrap_err().to_string();
    for (path, existing) in [
        ("rock", "Assets/Templates/Rock.jasset"),
        ("Assets/Templates/cliffs/New", "Assets/Templates/Cliffs"),
        ("Assets/Templates/cliffs/OLD", "Assets/Templates/Cliffs/Old.jasset"),
    ] {
        let told = refused(&mut world, path);
        assert!(told.ends_with(&format!("there is `{existing}`, which differs in case alone")), "{told}");
    }
    // Nor beside one that is not saved yet.
    world.create_template(a, "Assets/Templates/Walls/Low").unwrap();
    assert!(refused(&mut world, "Assets/Templates/walls/High").contains("`Assets/Templates/Walls`"));
    assert!(refused(&mut world, "Assets/Templates/Walls/low").contains("`Assets/Templates/Walls/Low.jasset`"));
    world.create_template(a, "Assets/Templates/Walls/High").unwrap();
    world.create_template(a, "Assets/Templates/Cliffs/New").unwrap();
    assert_eq!(save(&mut world).written.len(), 4);
}
