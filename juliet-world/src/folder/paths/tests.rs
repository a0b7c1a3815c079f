//! Tests of paths (K23).

#![expect(clippy::unwrap_used, reason = "tests")]
use super::super::disk::DiskFileSystem;
use super::super::testing::FaultyFileSystem;
use super::*;
use std::fs;

fn check(path: &str, expected: Result<&str, PathFault>) {
    assert_eq!(normalise(path), expected.map(Cow::Borrowed), "{path:?}");
}

#[test]
fn k23_spellings_of_one_path_become_one() {
    let rock = "Assets/Templates/RockLarge.jasset";
    for spelling in [
        rock,
        "./Assets/Templates//RockLarge.jasset",
        r"Assets\Templates\RockLarge.jasset",
        "Assets/Levels/../Templates/RockLarge.jasset",
        r".\.\Assets\.\Levels\\Deep\..\../Templates/./RockLarge.jasset",
    ] {
        check(spelling, Ok(rock));
    }
    assert!(matches!(normalise(rock), Ok(Cow::Borrowed(_))), "the usual case allocates nothing");
    check("Assets/a name/with blanks .jasset", Ok("Assets/a name/with blanks .jasset"));
}

#[test]
fn k23_paths_out_of_the_root_are_refused() {
    for path in
        ["../../etc/passwd", "Assets/../../etc/passwd", "Assets/..", "Assets/../Assets/x", r"Assets\a\..\..\x", ".."]
    {
        check(path, Err(PathFault::LeavesRoot));
    }
    for path in ["/etc/passwd", r"\x", r"\\server\share\x", "//server/share/x"] {
        check(path, Err(PathFault::Absolute));
    }
    for path in [r"C:\x.jasset", "c:x.jasset", "Z:/x"] {
        check(path, Err(PathFault::Drive));
    }
    for path in ["", ".", "./", r".\."] {
        check(path, Err(PathFault::Empty));
    }
    check("Assets/x\0y", Err(PathFault::Character { character: '\0' }));
    check("Assets/x.jasset:stream", Err(PathFault::Character { character: ':' }));
    check("Assets", Err(PathFault::OnlyRoot));
    check("Assets/", Err(PathFault::OnlyRoot));
    check("Templates/x", Err(PathFault::NotContent { found: "Templates".into() }));
    check("assets//x", Err(PathFault::Case { logical: "assets/x".into(), existing: "Assets/x".into() }));
}

#[test]
fn normalising_twice_changes_nothing_and_long_paths_are_linear() {
    let long = format!("Assets/{}x", "a/../".repeat(200_000));
    check(&long, Ok("Assets/x"));
    let deep = format!("Assets/{}", "a/".repeat(200_000));
    let once = normalise(&deep).unwrap();
    assert_eq!(normalise(&once).unwrap(), once);
}

/// A content folder that is not called `Assets`, beside a file that must not be reached.
fn content() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("content");
    fs::create_dir_all(root.join("Templates")).unwrap();
    fs::write(root.join("Templates/RockLarge.jasset"), "x").unwrap();
    fs::write(dir.path().join("outside.jasset"), "x").unwrap();
    (dir, root)
}

#[test]
fn k23_wrong_case_is_an_error_with_the_existing_spelling() {
    let (_dir, root) = content();
    let find = |path: &str| check_case(&DiskFileSystem, &root, path);
    let rock = "Assets/Templates/RockLarge.jasset";
    assert_eq!(
        find("./Assets/Templates//RockLarge.jasset").unwrap(),
        Location { logical: rock.into(), real: root.join("Templates").join("RockLarge.jasset") }
    );
    for wrong in
        ["assets/templates/rocklarge.jasset", "Assets/templates/RockLarge.jasset", "ASSETS/Templates/RockLarge.jasset"]
    {
        let fault = PathFault::Case { logical: wrong.into(), existing: rock.into() };
        assert_eq!(find(wrong), Err(fault));
    }
    assert_eq!(
        find("Assets/Templates/Rock.jasset"),
        Err(PathFault::Missing { logical: "Assets/Templates/Rock.jasset".into() })
    );
    assert_eq!(
        find("Assets/Templates/RockLarge.jasset/x"),
        Err(PathFault::Missing { logical: "Assets/Templates/RockLarge.jasset/x".into() })
    );
}

#[test]
fn k23_blanks_and_both_forms_of_an_umlaut_are_names_of_their_own() {
    let (_dir, root) = content();
    let (composed, decomposed) = ("Assets/H\u{fc}tte alt.jasset", "Assets/Hu\u{308}tte alt.jasset");
    fs::write(real_path(&root, composed), "x").unwrap();
    assert!(check_case(&DiskFileSystem, &root, composed).is_ok());
    assert_eq!(check_case(&DiskFileSystem, &root, decomposed), Err(PathFault::Missing { logical: decomposed.into() }));
    let upper = "Assets/H\u{dc}TTE ALT.jasset";
    assert_eq!(
        check_case(&DiskFileSystem, &root, upper),
        Err(PathFault::Case { logical: upper.into(), existing: composed.into() })
    );
}

#[cfg(unix)]
#[test]
fn k23_links_that_leave_the_root_are_refused_and_nothing_outside_is_opened() {
    use std::os::unix::fs::symlink;
    let (dir, root) = content();
    symlink("../outside.jasset", root.join("escape.jasset")).unwrap();
    symlink(dir.path(), root.join("up")).unwrap();
    symlink("Templates/RockLarge.jasset", root.join("inside.jasset")).unwrap();
    symlink("nowhere", root.join("dangling.jasset")).unwrap();
    let faulty = FaultyFileSystem::new(DiskFileSystem);
    let find = |path: &str| check_case(&faulty, &root, path);
    let leaves = |logical: &str| Err(PathFault::LinkLeavesRoot { logical: logical.into() });
    assert_eq!(find("Assets/escape.jasset"), leaves("Assets/escape.jasset"));
    assert_eq!(find("Assets/up/outside.jasset"), leaves("Assets/up"));
    assert_eq!(find("Assets/dangling.jasset"), Err(PathFault::Missing { logical: "Assets/dangling.jasset".into() }));
    assert_eq!(find("Assets/inside.jasset").unwrap().real, root.join("inside.jasset"));
    assert!(find("../outside.jasset").is_err());
    assert_eq!(faulty.counts().opened_for_reading, 0);
}

#[test]
fn many_paths_list_each_folder_once() {
    let (_dir, root) = content();
    let faulty = FaultyFileSystem::new(DiskFileSystem);
    let mut spelling = Spelling::new(&faulty, &root);
    for _ in 0..1_000 {
        spelling.resolve("Assets/Templates/RockLarge.jasset").unwrap();
    }
    assert_eq!(faulty.counts().listed, 2);
}

#[test]
fn names_that_some_system_cannot_store_are_not_created() {
    for name in ["0x0100000000000042.jasset", "Rock Large.jasset", "console.jasset", "COM10.txt", "ü", "a.b.c", "LPT"]
    {
        assert_eq!(check_new_name(name), Ok(()), "{name}");
    }
    for name in ["CON", "con.jasset", "Aux.", "nul .txt", "COM1", "lpt9.x.y", "COM¹.jasset", "conin$"] {
        let fault = check_new_name(name).unwrap_err();
        assert!(matches!(fault, NameFault::Reserved | NameFault::TrailingDotOrBlank), "{name}: {fault}");
    }
    assert_eq!(check_new_name(""), Err(NameFault::Empty));
    assert_eq!(check_new_name(".x"), Err(NameFault::Hidden));
    assert_eq!(check_new_name(".."), Err(NameFault::Hidden));
    assert_eq!(check_new_name("x "), Err(NameFault::TrailingDotOrBlank));
    assert_eq!(check_new_name("x."), Err(NameFault::TrailingDotOrBlank));
    assert_eq!(check_new_name("a/b"), Err(NameFault::Character { character: '/' }));
    assert_eq!(check_new_name("a\nb"), Err(NameFault::Character { character: '\n' }));
    assert_eq!(check_new_name(&"x".repeat(249)), Ok(()));
    assert_eq!(check_new_name(&"x".repeat(250)), Err(NameFault::TooLong { length_bytes: 250 }));
}
