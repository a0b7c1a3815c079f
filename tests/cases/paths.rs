//! K23: one file, several spellings; and nothing outside of the content folder.

use std::fs;
use std::path::Path;

use juliet::Code;
use juliet::folder::{DiskFileSystem, PathFault, Spelling, check_case, normalise};
use juliet::prelude::*;

use crate::support::classes::{Mesh, Prop, registry, rocks};
use crate::support::{TestProject, accepted, changed_lines, only, refused, refused_once, save, save_all};

/// A file that would load if it were read.
const SOUND: &str = "; entity_type: Rock\n; id: 0x0000000000000099\nScale: 2\n";

#[test]
fn k23_all_spellings_of_a_path_are_one_asset() {
    let mut paths = Vec::new();
    for text in [
        "Assets/Meshes/Big Rock.obj",
        "./Assets/Meshes//Big Rock.obj",
        "Assets\\Meshes\\Big Rock.obj",
        "Assets/Levels/../Meshes/Big Rock.obj",
        "Assets/./Meshes/./Big Rock.obj",
        "\"Assets/Meshes/Big Rock.obj\"",
    ] {
        let (world, handle) = accepted(registry(), format!("; entity_type: Prop\nMesh: {text}\n"));
        let mesh = world.get::<Prop>(handle).unwrap().mesh;
        assert_eq!(mesh.path(), "Assets/Meshes/Big Rock.obj", "{text}");
        paths.push(mesh.path().as_ptr());
    }
    assert!(paths.iter().all(|path| *path == paths[0]), "one path is kept once");
}

#[test]
fn k23_the_text_of_a_path_stays_unless_its_line_changes() {
    let text = "; entity_type: Prop\n; id: 0x01\nMesh: .\\Assets\\Meshes//Rock.obj\nScale: 1\n";
    let project = TestProject::new(&[("A.jasset", text)]);
    let mut world = project.load_clean();
    let handle = only(&world);
    world.set(handle, "scale", 2.0_f32).unwrap();
    // The same path, spelled otherwise, is no change.
    assert!(!world.set(handle, "mesh", AssetRef::<Mesh>::new("Assets/Meshes/Rock.obj").unwrap()).unwrap());
    save(&mut world);
    assert_eq!(changed_lines(text, &project.text("A.jasset")), ["-Scale: 1\n", "+Scale: 2.0\n"]);
}

#[test]
fn k23_a_path_that_is_no_path_inside_the_project_is_refused() {
    for text in [
        "../../etc/passwd",
        "/etc/passwd",
        "C:\\x.jasset",
        "C:/x.jasset",
        "c:x",
        "\\\\server\\share\\x",
        "\\x",
        "Assets/../../x",
        "Assets/..",
        "Assets/../Elsewhere/x",
        "Assets\\..\\..\\x",
        "\"a\\u{7}b\"",
        "assets/templates/rocklarge.jasset",
        "Assets",
        "Assets/",
        "Assets/a:b",
        "http://example.org/a.obj",
        ".",
    ] {
        for text in [format!("; entity_type: Prop\nMesh: {text}\n"), format!("; class: Prop\n\nMesh:   {text}\n")] {
            let line = text.lines().count() as u32;
            let error = refused_once(registry(), &text);
            assert_eq!((error.code, error.line, &*error.property), (Code::BadPath, line, "Mesh"), "{text:?}: {error}");
        }
    }
    let error = refused_once(registry(), "; entity_type: Prop\nMesh: assets/Meshes/Rock.obj\n");
    assert!(error.help.as_deref().unwrap_or_default().contains("Assets/Meshes/Rock.obj"), "{error:?}");
    let error = refused_once(registry(), "; entity_type: Prop\nMesh:\n");
    assert_eq!((error.code, error.line, &*error.property), (Code::MissingValue, 2, "Mesh"));
}

#[test]
fn k23_what_reads_a_path_and_what_looks_it_up_agree() {
    for text in [
        "Assets/a",
        "assets/a",
        "Assets",
        "Assets/",
        "Assets//a",
        "./Assets/a",
        "Assets/./a",
        "Assets/b/../a",
        "Assets/../a",
        "../a",
        "/a",
        "\\a",
        "C:\\a",
        "c:a",
        "Assets\\a",
        "Assets/a:b",
        "Assets/a\0b",
        "Assets/ü",
        "Assets/u\u{308}",
        "Assets/a b",
        "Assets/..",
        "Assets/a/",
        "Assets/...",
        "ASSETS/a",
    ] {
        let (read, looked_up) = (AssetRef::<Mesh>::new(text), normalise(text));
        assert_eq!(read.is_ok(), looked_up.is_ok(), "{text:?}: {read:?}, {looked_up:?}");
        if let (Ok(read), Ok(looked_up)) = (read, looked_up) {
            assert_eq!(read.path(), looked_up, "{text:?}");
        }
    }
}

#[test]
fn a_path_below_another_folder_is_kept_for_the_game_to_mount() {
    let (world, handle) = accepted(registry(), "; entity_type: Prop\nMesh: mod/Rock.obj\n");
    assert_eq!(world.get::<Prop>(handle).unwrap().mesh.path(), "mod/Rock.obj");
    assert!(normalise("mod/Rock.obj").is_err());
}

#[test]
fn k23_composed_and_decomposed_letters_are_two_paths() {
    let mesh = |text: &str| {
        let (world, handle) = accepted(registry(), format!("; entity_type: Prop\nMesh: {text}\n"));
        world.get::<Prop>(handle).unwrap().mesh
    };
    let (composed, decomposed) = (mesh("Assets/Br\u{FC}cke.obj"), mesh("Assets/Bru\u{308}cke.obj"));
    assert!(composed != decomposed);
    assert_eq!((composed.path().len(), decomposed.path().len()), (18, 19));
}

/// A content folder with a template, and beside it, outside of the root, a file that would parse.
fn folder() -> (TestProject, std::path::PathBuf) {
    let project = TestProject::with::<&str>(rocks(), &[]);
    let root = project.root();
    fs::create_dir_all(root.join("Templates")).unwrap();
    for name in ["RockLarge.jasset", "Big Rock.jasset", "Br\u{FC}cke.jasset"] {
        fs::write(root.join("Templates").join(name), SOUND).unwrap();
    }
    fs::create_dir_all(root.parent().unwrap().join("Outside")).unwrap();
    fs::write(root.parent().unwrap().join("Outside/x.jasset"), SOUND).unwrap();
    (project, root)
}

#[test]
fn k23_a_path_is_found_as_the_folder_spells_it() {
    let (_project, root) = folder();
    let disk = DiskFileSystem;
    let mut spelling = Spelling::new(&disk, &root);
    for text in [
        "Assets/Templates/RockLarge.jasset",
        "./Assets/Templates//RockLarge.jasset",
        "Assets\\Templates\\RockLarge.jasset",
        "Assets/Levels/../Templates/RockLarge.jasset",
    ] {
        let found = spelling.resolve(text).unwrap();
        assert_eq!(&*found.logical, "Assets/Templates/RockLarge.jasset", "{text}");
        assert_eq!(fs::read_to_string(found.real).unwrap(), SOUND);
    }
    for text in
        ["assets/templates/rocklarge.jasset", "Assets/templates/RockLarge.jasset", "Assets/Templates/ROCKLARGE.JASSET"]
    {
        match spelling.resolve(text) {
            Err(PathFault::Case { existing, .. }) => {
                assert_eq!(&*existing, "Assets/Templates/RockLarge.jasset", "{text}")
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    assert!(spelling.resolve("Assets/Templates/Big Rock.jasset").is_ok());
    assert!(spelling.resolve("Assets/Templates/Br\u{FC}cke.jasset").is_ok());
    assert!(matches!(spelling.resolve("Assets/Templates/Bru\u{308}cke.jasset"), Err(PathFault::Missing { .. })));
    assert!(matches!(spelling.resolve("Assets/Templates/Nope.jasset"), Err(PathFault::Missing { .. })));
}

#[test]
fn k23_no_path_leads_out_of_the_content_folder() {
    let (_project, root) = folder();
    let disk = DiskFileSystem;
    let outside = root.parent().unwrap().join("Outside/x.jasset");
    for text in [
        "../Outside/x.jasset",
        "Assets/../Outside/x.jasset",
        "Assets/Templates/../../Outside/x.jasset",
        "Assets\\..\\Outside\\x.jasset",
        outside.to_str().unwrap(),
        "C:\\x.jasset",
        "",
        "Assets",
    ] {
        assert!(check_case(&disk, &root, text).is_err(), "{text:?}");
    }
}

#[cfg(unix)]
#[test]
fn k23_no_link_leads_out_of_the_content_folder() {
    use std::os::unix::fs::symlink;
    let (_project, root) = folder();
    let disk = DiskFileSystem;
    symlink("../../Outside/x.jasset", root.join("Templates/File.jasset")).unwrap();
    symlink("../../Outside", root.join("Templates/Folder")).unwrap();
    symlink("RockLarge.jasset", root.join("Templates/Inside.jasset")).unwrap();
    for text in ["Assets/Templates/File.jasset", "Assets/Templates/Folder/x.jasset"] {
        assert!(matches!(check_case(&disk, &root, text), Err(PathFault::LinkLeavesRoot { .. })), "{text}");
    }
    assert!(check_case(&disk, &root, "Assets/Templates/Inside.jasset").is_ok());
}

#[cfg(unix)]
#[test]
fn k23_an_entity_that_is_a_link_out_of_the_content_folder_is_not_read() {
    use std::os::unix::fs::symlink;
    let (project, root) = folder();
    let outside = root.parent().unwrap().join("Outside");
    symlink("../../../../Outside/x.jasset", project.path("Relative.jasset")).unwrap();
    symlink(outside.join("x.jasset"), project.path("Absolute.jasset")).unwrap();
    symlink("Relative.jasset", project.path("Twice.jasset")).unwrap();
    symlink(&outside, project.path("Folder")).unwrap();
    symlink(&outside, project.path("Folder.jasset")).unwrap();
    let (mut world, report) = project.load();
    assert_eq!(world.len(), 0);
    let found: Vec<(Code, &str)> =
        report.diagnostics.iter().map(|it| (it.code, it.file.rsplit('/').next().unwrap())).collect();
    // Links to folders are never followed, which is told as well: somebody misses what lies behind them.
    let escapes = ["Absolute.jasset", "Folder", "Folder.jasset", "Relative.jasset", "Twice.jasset"]
        .map(|name| (Code::SymlinkEscapes, name));
    assert_eq!(found, escapes);
    save_all(&mut world);
    assert_eq!(fs::read_to_string(outside.join("x.jasset")).unwrap(), SOUND);
}

#[test]
fn k23_a_template_line_is_refused_and_nothing_is_opened() {
    for template in [
        "Assets/Templates/RockLarge.jasset",
        "./Assets/Templates//RockLarge.jasset",
        "Assets\\Templates\\RockLarge.jasset",
        "assets/templates/rocklarge.jasset",
        "Assets/Levels/../Templates/RockLarge.jasset",
        "../Outside/x.jasset",
        "../../etc/passwd",
        "/etc/passwd",
        "C:\\x.jasset",
        "",
    ] {
        let errors = refused(rocks(), format!("; entity_type: Rock\n; template: {template}\nScale: 2\n"));
        assert_eq!((errors.len(), errors[0].code, errors[0].line), (1, Code::TemplateUnavailable, 2), "{template}");
        assert_eq!((&*errors[0].property, &*errors[0].found), ("template", template));
    }
}

#[test]
fn k23_a_world_outside_of_the_content_folder_is_not_opened() {
    let (project, root) = folder();
    let outside = root.parent().unwrap().join("Outside");
    for name in ["../Outside", "Assets/../../Outside", "..\\Outside", outside.to_str().unwrap(), "C:\\Outside", "", "."]
    {
        assert!(project.open().load_world(name).is_err(), "{name:?}");
        assert!(project.open().new_world(name).is_err(), "{name:?}");
    }
    assert!(Path::new(&outside).join("x.jasset").exists());
}
