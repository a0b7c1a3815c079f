//! Tests of the save transaction.

#![expect(clippy::unwrap_used, reason = "tests")]
use super::super::disk::DiskFileSystem;
use super::super::testing::FaultyFileSystem;
use super::*;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;

mod cuts;
mod kills;

/// Every file that a load would see, by its path.
type Snapshot = BTreeMap<String, Vec<u8>>;

fn snapshot(root: &Path) -> Snapshot {
    fn walk(folder: &Path, prefix: &str, all: &mut Snapshot) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if name.starts_with('.') {
                continue;
            }
            let path = format!("{prefix}{name}");
            if entry.path().is_dir() {
                walk(&entry.path(), &format!("{path}/"), all);
            } else {
                all.insert(path, fs::read(entry.path()).unwrap());
            }
        }
    }
    let mut all = Snapshot::new();
    walk(root, "", &mut all);
    all
}

fn temporaries(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else if is_temporary(entry.file_name().to_str().unwrap()) {
                found.push(entry.path());
            }
        }
    }
    found
}

fn world(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

fn write(path: &str, old: Option<&str>, new: &str) -> Write {
    Write { path: path.into(), old: old.map(|text| Fingerprint::of(text.as_bytes())), new: new.into(), needs: None }
}

fn removal(path: &str, old: &str) -> Remove {
    Remove { path: path.into(), old: Fingerprint::of(old.as_bytes()), needs_all: false }
}

fn transaction(writes: Vec<Write>, removals: Vec<Remove>) -> Transaction {
    Transaction { writes, removals }
}

fn save(root: &Path, writes: Vec<Write>) -> SaveReport {
    transaction(writes, vec![]).execute(&DiskFileSystem, root).unwrap()
}

fn names<const N: usize>(names: [&str; N]) -> Vec<Box<str>> {
    names.map(Box::from).into()
}

fn read(root: &Path, path: &str) -> String {
    fs::read_to_string(root.join(path)).unwrap()
}

#[test]
fn save_writes_creates_and_removes() {
    let dir =
        world(&[("a.jasset", "old a"), ("sub/b.jasset", "old b"), ("gone.jasset", "bye"), ("same.jasset", "same")]);
    let root = dir.path();
    let report = transaction(
        vec![
            write("a.jasset", Some("old a"), "new a"),
            write("sub/b.jasset", Some("old b"), "new b"),
            write("deep/new/c.jasset", None, "c"),
            write("same.jasset", Some("same"), "same"),
        ],
        vec![removal("gone.jasset", "bye"), removal("never.jasset", "x")],
    )
    .execute(&DiskFileSystem, root)
    .unwrap();
    assert_eq!(
        report,
        SaveReport {
            written: names(["a.jasset", "sub/b.jasset", "deep/new/c.jasset"]),
            removed: names(["gone.jasset"]),
            unchanged: names(["same.jasset", "never.jasset"]),
            ..SaveReport::default()
        }
    );
    let expected =
        [("a.jasset", "new a"), ("deep/new/c.jasset", "c"), ("same.jasset", "same"), ("sub/b.jasset", "new b")];
    assert_eq!(snapshot(root), expected.map(|(p, t)| (p.into(), t.into())).into());
    assert!(temporaries(root).is_empty());
    assert_eq!(read(root, ".juliet/.gitignore"), "*\n");
    let faulty = FaultyFileSystem::new(DiskFileSystem);
    assert!(recover(&faulty, root).unwrap().is_quiet());
    let counts = faulty.counts();
    assert_eq!((counts.settled + counts.synced, counts.written_bytes), (0, 0), "a load after a save only looks");
}

#[test]
fn saving_one_of_ten_thousand_opens_one_file_for_writing() {
    let dir = tempfile::tempdir().unwrap();
    for i in 0..10_000 {
        fs::write(dir.path().join(format!("e{i:05}.jasset")), "old").unwrap();
    }
    save(dir.path(), vec![write("e00000.jasset", Some("old"), "set up")]);
    let faulty = FaultyFileSystem::new(DiskFileSystem);
    let report =
        transaction(vec![write("e07777.jasset", Some("old"), "new")], vec![]).execute(&faulty, dir.path()).unwrap();
    assert_eq!(report.written, names(["e07777.jasset"]));
    let counts = faulty.counts();
    assert_eq!((counts.opened_for_writing, counts.opened_for_reading, counts.opened_log), (1, 1, 1));
    assert_eq!((counts.synced, counts.settled, counts.renamed, counts.removed, counts.listed), (1, 0, 1, 0, 0));
}

#[test]
fn equal_bytes_write_nothing_and_flush_nothing() {
    let dir = world(&[("a.jasset", "same")]);
    let faulty = FaultyFileSystem::new(DiskFileSystem);
    let writes = vec![write("a.jasset", Some("same"), "same"), write("b.jasset", None, "b")];
    fs::write(dir.path().join("b.jasset"), "b").unwrap();
    transaction(vec![], vec![]).execute(&faulty, dir.path()).unwrap();
    assert_eq!(faulty.counts().operations, 0);
    let before = faulty.counts();
    let report = transaction(writes, vec![]).execute(&faulty, dir.path()).unwrap();
    assert_eq!(report.unchanged, names(["a.jasset", "b.jasset"]));
    assert_eq!(faulty.counts().renamed, before.renamed);
    assert_eq!(fs::metadata(dir.path().join(".juliet/redo")).unwrap().len(), 0);
}

#[test]
fn foreign_changes_are_refused_and_the_rest_is_saved() {
    let dir = world(&[
        ("a.jasset", "foreign!"),
        ("b.jasset", "old"),
        ("c.jasset", "xld"),
        ("n.jasset", "there"),
        ("r.jasset", "edited"),
    ]);
    fs::create_dir(dir.path().join("folder.jasset")).unwrap();
    let report = transaction(
        vec![
            write("a.jasset", Some("old"), "new"),
            write("b.jasset", Some("old"), "new"),
            write("c.jasset", Some("old"), "other"),
            write("n.jasset", None, "new"),
            write("gone.jasset", Some("old"), "new"),
            write("folder.jasset", Some("old"), "new"),
            write("b.jasset/x.jasset", None, "new"),
        ],
        vec![removal("r.jasset", "read")],
    )
    .execute(&DiskFileSystem, dir.path())
    .unwrap();
    let refused: Vec<_> = report.refused.iter().map(|r| (&*r.path, r.reason.clone())).collect();
    assert_eq!(
        refused,
        [
            ("a.jasset", Refusal::Changed),
            ("c.jasset", Refusal::Changed),
            ("n.jasset", Refusal::Exists),
            ("gone.jasset", Refusal::Gone),
            ("folder.jasset", Refusal::NotAFile),
            ("b.jasset/x.jasset", Refusal::NotAFile),
            ("r.jasset", Refusal::Changed),
        ]
    );
    assert_eq!(report.written, names(["b.jasset"]));
    assert_eq!(read(dir.path(), "a.jasset"), "foreign!");
    assert_eq!(read(dir.path(), "n.jasset"), "there");
    assert_eq!(read(dir.path(), "r.jasset"), "edited");
}

#[test]
fn k28_removal_is_dropped_when_its_path_is_written() {
    let dir = world(&[("c.jasset", "old")]);
    let both = transaction(vec![write("c.jasset", Some("old"), "new entity")], vec![removal("c.jasset", "old")]);
    let report = both.execute(&DiskFileSystem, dir.path()).unwrap();
    assert_eq!((report.written, report.superseded), (names(["c.jasset"]), names(["c.jasset"])));
    assert_eq!(read(dir.path(), "c.jasset"), "new entity");
}

#[test]
fn paths_out_of_the_content_folder_are_refused() {
    let dir = world(&[("content/a.jasset", "old"), ("outside.jasset", "x")]);
    let root = dir.path().join("content");
    let bad = [
        "../outside.jasset",
        "/tmp/x",
        "sub/../../outside.jasset",
        ".git/config",
        "",
        "a//b",
        r"..\outside.jasset",
        "x\0",
    ];
    let report = save(&root, bad.iter().map(|path| write(path, Some("x"), "evil")).collect());
    assert_eq!(report.refused.len(), bad.len());
    assert!(report.refused.iter().all(|r| r.reason == Refusal::BadPath));
    let report = save(&root, vec![write("a.jasset", Some("old"), "1"), write("a.jasset", Some("old"), "2")]);
    assert_eq!(report.refused, [Refused { path: "a.jasset".into(), reason: Refusal::Duplicate }]);
    assert_eq!(read(&root, "a.jasset"), "1");
    assert_eq!(read(dir.path(), "outside.jasset"), "x");
}

#[cfg(unix)]
#[test]
fn k27_symlink_and_mode_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = world(&[("content/other/target.jasset", "old"), ("content/h.jasset", "old"), ("outside.jasset", "old")]);
    let root = dir.path().join("content");
    symlink("other/target.jasset", root.join("g.jasset")).unwrap();
    symlink("../outside.jasset", root.join("out.jasset")).unwrap();
    symlink("..", root.join("up")).unwrap();
    symlink("nowhere", root.join("dangling.jasset")).unwrap();
    fs::set_permissions(root.join("h.jasset"), fs::Permissions::from_mode(0o640)).unwrap();
    let all = ["g.jasset", "h.jasset", "out.jasset", "up/outside.jasset", "dangling.jasset", "other/target.jasset"];
    let report = save(&root, all.iter().map(|path| write(path, Some("old"), "new")).collect());
    assert_eq!(report.written, names(["g.jasset", "h.jasset"]));
    let refused: Vec<_> = report.refused.iter().map(|r| (&*r.path, r.reason.clone())).collect();
    assert_eq!(
        refused,
        [
            ("out.jasset", Refusal::LinkLeavesRoot),
            ("up/outside.jasset", Refusal::LinkLeavesRoot),
            ("dangling.jasset", Refusal::Gone),
            ("other/target.jasset", Refusal::Duplicate),
        ]
    );
    assert!(root.join("g.jasset").is_symlink());
    assert_eq!(read(&root, "other/target.jasset"), "new");
    assert_eq!(fs::metadata(root.join("h.jasset")).unwrap().permissions().mode() & 0o7777, 0o640);
    assert_eq!(read(dir.path(), "outside.jasset"), "old");
    // A removal takes the link, not what it leads to.
    let report = transaction(vec![], vec![removal("g.jasset", "new")]).execute(&DiskFileSystem, &root).unwrap();
    assert_eq!(report.removed, names(["g.jasset"]));
    assert!(!root.join("g.jasset").is_symlink());
    assert_eq!(read(&root, "other/target.jasset"), "new");
}

#[test]
fn full_disk_at_any_byte_loses_nothing() {
    let texts = [("a.jasset", "old a"), ("b.jasset", "old b"), ("r.jasset", "bye")];
    for room in 0.. {
        let dir = world(&texts);
        let root = dir.path();
        let faulty = FaultyFileSystem::new(DiskFileSystem).without_flushes().with_room(room);
        let new = ["a longer new text of a", "a longer new text of b"];
        let saved = transaction(
            vec![write("a.jasset", Some("old a"), new[0]), write("b.jasset", Some("old b"), new[1])],
            vec![removal("r.jasset", "bye")],
        )
        .execute(&faulty, root);
        let Ok(report) = saved else {
            assert!(
                matches!(saved, Err(SaveError::Redo { fault: Fault { kind: ErrorKind::StorageFull, .. }, .. })),
                "{saved:?}"
            );
            assert_eq!(snapshot(root), texts.map(|(p, t)| (p.into(), t.into())).into());
            assert!(recover(&DiskFileSystem, root).unwrap().is_quiet());
            continue;
        };
        let after = snapshot(root);
        for (path, old, new) in [("a.jasset", "old a", new[0]), ("b.jasset", "old b", new[1])] {
            let failed = report.failed.iter().any(|f| &*f.path == path && f.fault.kind == ErrorKind::StorageFull);
            assert_eq!(failed, !report.written.contains(&path.into()));
            assert_eq!(after[path], if failed { old } else { new }.as_bytes());
        }
        assert_eq!(report.removed, names(["r.jasset"]));
        assert!(temporaries(root).is_empty());
        // What failed is still the caller's: no later load writes it behind its back.
        let recovery = recover(&DiskFileSystem, root).unwrap();
        assert!(recovery.is_quiet(), "{recovery:?}");
        assert_eq!(snapshot(root), after);
        if report.failed.is_empty() && faulty.counts().settled == 0 {
            return;
        }
    }
}

#[test]
fn read_only_folder_and_held_file_are_reported_and_the_rest_is_saved() {
    let dir = world(&[
        ("locked/a.jasset", "old"),
        ("locked/r.jasset", "bye"),
        ("held.jasset", "old"),
        ("free.jasset", "old"),
    ]);
    let root = fs::canonicalize(dir.path()).unwrap();
    let faulty = FaultyFileSystem::new(DiskFileSystem).read_only(&root.join("locked")).held(&root.join("held.jasset"));
    let writes = ["locked/a.jasset", "held.jasset", "free.jasset"].map(|path| write(path, Some("old"), "new"));
    let again = transaction(writes.into(), vec![removal("locked/r.jasset", "bye")]);
    let report = again.execute(&faulty, &root).unwrap();
    assert_eq!(report.written, names(["free.jasset"]));
    let failed: Vec<_> = report.failed.iter().map(|f| (&*f.path, f.fault.kind)).collect();
    assert_eq!(
        failed,
        [
            ("locked/a.jasset", ErrorKind::ReadOnlyFilesystem),
            ("held.jasset", ErrorKind::ResourceBusy),
            ("locked/r.jasset", ErrorKind::ReadOnlyFilesystem),
        ]
    );
    assert!(temporaries(&root).is_empty());
    assert!(recover(&DiskFileSystem, &root).unwrap().is_quiet());
    assert_eq!(read(&root, "held.jasset"), "old");
    // Once the obstacles are gone the same save goes through.
    let report = again.execute(&DiskFileSystem, &root).unwrap();
    assert_eq!(report.written, names(["locked/a.jasset", "held.jasset"]));
    assert_eq!((report.removed, report.unchanged), (names(["locked/r.jasset"]), names(["free.jasset"])));
}

#[test]
fn read_only_content_folder_is_one_error_and_loads() {
    let dir = world(&[("a.jasset", "old")]);
    let faulty = FaultyFileSystem::new(DiskFileSystem).read_only(dir.path());
    let saved = transaction(vec![write("a.jasset", Some("old"), "new")], vec![]).execute(&faulty, dir.path());
    assert!(matches!(saved, Err(SaveError::Redo { fault: Fault { kind: ErrorKind::ReadOnlyFilesystem, .. }, .. })));
    assert!(recover(&faulty, dir.path()).unwrap().is_quiet());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn two_processes_do_not_save_at_once() {
    let dir = world(&[("a.jasset", "old")]);
    let root = dir.path();
    save(root, vec![write("a.jasset", Some("old"), "1")]);
    let other = DiskFileSystem.open_log(&local_path(root, LOG_NAME)).unwrap().unwrap();
    let next = transaction(vec![write("a.jasset", Some("1"), "2")], vec![]);
    assert_eq!(next.execute(&DiskFileSystem, root), Err(SaveError::Busy));
    assert_eq!(recover(&DiskFileSystem, root), Err(SaveError::Busy));
    assert!(SaveError::Busy.to_string().contains("is being saved by another process"));
    assert_eq!(read(root, "a.jasset"), "1");
    drop(other);
    assert_eq!(next.execute(&DiskFileSystem, root).unwrap().written, names(["a.jasset"]));
}

#[test]
fn redo_of_a_newer_version_is_left_alone() {
    let dir = world(&[("a.jasset", "old"), (".juliet/redo", "")]);
    let mut bytes = format::encode_mark(0, &[]);
    bytes[6] = b'2';
    let path = dir.path().join(".juliet/redo");
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(recover(&DiskFileSystem, dir.path()), Err(SaveError::Newer { .. })));
    let saved = transaction(vec![write("a.jasset", Some("old"), "new")], vec![]).execute(&DiskFileSystem, dir.path());
    assert!(matches!(saved, Err(SaveError::Newer { .. })));
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn log_is_dropped_when_it_has_grown() {
    let dir = world(&[("a.jasset", "0")]);
    let root = dir.path();
    let faulty = FaultyFileSystem::new(DiskFileSystem).without_flushes();
    let mut old = "0".to_owned();
    let mut most = 0;
    for round in 1..40u32 {
        let new = round.to_string().repeat(100_000);
        transaction(vec![write("a.jasset", Some(&old), &new)], vec![]).execute(&faulty, root).unwrap();
        most = most.max(fs::metadata(root.join(".juliet/redo")).unwrap().len());
        old = new;
    }
    assert!((LOG_LIMIT..LOG_LIMIT + 300_000).contains(&most), "{most}");
    assert!((1..8).contains(&faulty.counts().settled));
    assert_eq!(read(root, "a.jasset"), old);
}

#[test]
fn what_needs_a_file_that_is_not_written_waits_with_it() {
    let dir = world(&[("T/held.jasset", "old"), ("T/gone.jasset", "gone"), ("plain.jasset", "p")]);
    let faulty = FaultyFileSystem::new(DiskFileSystem).held(&dir.path().join("T/held.jasset"));
    let needs = |write: Write, needs: &str| Write { needs: Some(needs.into()), ..write };
    let transaction = Transaction {
        writes: vec![
            write("T/held.jasset", Some("old"), "new"),
            needs(write("child.jasset", None, "child"), "T/held.jasset"),
            needs(write("grandchild.jasset", None, "grandchild"), "child.jasset"),
            write("plain.jasset", Some("p"), "q"),
        ],
        removals: vec![Remove { needs_all: true, ..removal("T/gone.jasset", "gone") }],
    };
    let report = transaction.execute(&faulty, dir.path()).unwrap();
    assert_eq!(report.written, ["plain.jasset".into()]);
    assert_eq!(report.failed.iter().map(|it| &*it.path).collect::<Vec<_>>(), ["T/held.jasset"]);
    let waits: Vec<_> = report.refused.iter().map(|it| (&*it.path, it.reason.clone())).collect();
    let on = |needs: &str| Refusal::Waits { needs: needs.into() };
    assert_eq!(
        waits,
        [("child.jasset", on("T/held.jasset")), ("grandchild.jasset", on("child.jasset")), ("T/gone.jasset", on("")),]
    );
    // Nothing of it is written behind the caller's back, and all of it at the next save.
    assert!(recover(&DiskFileSystem, dir.path()).unwrap().is_quiet());
    assert!(!dir.path().join("child.jasset").exists() && dir.path().join("T/gone.jasset").exists());
    let report = transaction.execute(&DiskFileSystem, dir.path()).unwrap();
    assert_eq!((report.written.len(), report.removed.len(), report.unchanged.len()), (3, 1, 1));
}

#[test]
fn what_needs_a_file_that_is_refused_waits_too() {
    let dir = world(&[("T.jasset", "theirs"), ("U.jasset", "u")]);
    let transaction = Transaction {
        writes: vec![
            write("T.jasset", Some("ours"), "new"),
            Write { needs: Some("T.jasset".into()), ..write("child.jasset", None, "child") },
        ],
        removals: vec![Remove { needs_all: true, ..removal("U.jasset", "u") }],
    };
    let report = transaction.execute(&DiskFileSystem, dir.path()).unwrap();
    let refused: Vec<_> = report.refused.iter().map(|it| &*it.path).collect();
    assert_eq!(refused, ["T.jasset", "child.jasset", "U.jasset"]);
    assert_eq!(snapshot(dir.path()).len(), 2);
}
