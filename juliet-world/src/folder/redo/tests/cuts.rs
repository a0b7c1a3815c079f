//! Saves and recoveries that end at every step, and what a power loss makes of files.

use super::*;

/// What a save is cut in: rewritten, created (in a folder that is new too), removed and untouched files.
const OLD: [(&str, &str); 4] =
    [("a.jasset", "old a"), ("sub/b.jasset", "old b"), ("sub/gone.jasset", "bye"), ("keep.jasset", "kept")];
const NEW: [(&str, &str); 4] =
    [("a.jasset", "new a, longer"), ("sub/b.jasset", "n"), ("fresh/c.jasset", "new c"), ("keep.jasset", "kept")];

fn cut_save() -> Transaction {
    transaction(
        vec![
            write("a.jasset", Some("old a"), "new a, longer"),
            write("sub/b.jasset", Some("old b"), "n"),
            write("fresh/c.jasset", None, "new c"),
        ],
        vec![removal("sub/gone.jasset", "bye")],
    )
}

fn as_snapshot(files: [(&str, &str); 4]) -> Snapshot {
    files.map(|(path, text)| (path.into(), text.into())).into()
}

fn check_each_file_is_whole(root: &Path, at: &str) {
    let (old, new) = (as_snapshot(OLD), as_snapshot(NEW));
    let now = snapshot(root);
    for path in old.keys().chain(new.keys()) {
        let found = now.get(path);
        assert!(found == old.get(path) || found == new.get(path), "{at}: {path} is {found:?}");
    }
    assert!(now.keys().all(|path| old.contains_key(path) || new.contains_key(path)));
}

/// All or nothing; returns whether it was all.
fn check_all_or_nothing(root: &Path, at: &str) -> bool {
    let now = snapshot(root);
    assert!(now == as_snapshot(OLD) || now == as_snapshot(NEW), "{at}: {now:?}");
    assert!(temporaries(root).is_empty(), "{at}");
    now == as_snapshot(NEW)
}

fn quick() -> FaultyFileSystem<DiskFileSystem> {
    FaultyFileSystem::new(DiskFileSystem).without_flushes()
}

/// A world that was saved before (so that its redo file exists) or never.
fn before_the_save(saved_before: bool) -> tempfile::TempDir {
    let dir = world(&OLD);
    if saved_before {
        fs::write(dir.path().join("a.jasset"), "older a").unwrap();
        let earlier = transaction(vec![write("a.jasset", Some("older a"), "old a")], vec![]);
        earlier.execute(&quick(), dir.path()).unwrap();
    }
    dir
}

#[test]
fn save_cut_at_every_step_is_all_or_nothing_after_recovery() {
    for (saved_before, torn) in [(false, false), (false, true), (true, false), (true, true)] {
        let (mut nothing, mut all) = (0, 0);
        for cut in 0.. {
            let at = format!("saved before {saved_before}, torn {torn}, cut {cut}");
            let dir = before_the_save(saved_before);
            let faulty = quick().kill_at(cut, torn);
            let saved = cut_save().execute(&faulty, dir.path());
            check_each_file_is_whole(dir.path(), &at);
            let report = recover(&quick(), dir.path()).unwrap();
            assert!(report.conflicts.is_empty() && report.failed.is_empty() && !report.unfinished, "{at}: {report:?}");
            let whole = check_all_or_nothing(dir.path(), &at);
            if whole {
                all += 1
            } else {
                nothing += 1
            }
            if !faulty.is_dead() {
                assert!(whole && saved.unwrap().failed.is_empty() && report.is_quiet());
                break;
            }
            // Life goes on: the same save, said again, completes what there is to do.
            let again = cut_save().execute(&quick(), dir.path()).unwrap();
            assert!(again.refused.is_empty() && again.failed.is_empty(), "{at}: {again:?}");
            assert!(check_all_or_nothing(dir.path(), &at));
            assert!(recover(&quick(), dir.path()).unwrap().is_quiet());
        }
        assert!(nothing > 10 && all > 10, "{nothing} {all}");
    }
}

#[test]
fn save_after_a_cut_save_finishes_it_first() {
    for torn in [false, true] {
        for cut in 0.. {
            let at = format!("torn {torn}, cut {cut}");
            let dir = before_the_save(true);
            let faulty = quick().kill_at(cut, torn);
            let _ = cut_save().execute(&faulty, dir.path());
            let other = transaction(vec![write("keep.jasset", Some("kept"), "kept too")], vec![]);
            assert_eq!(other.execute(&quick(), dir.path()).unwrap().written, names(["keep.jasset"]), "{at}");
            fs::write(dir.path().join("keep.jasset"), "kept").unwrap();
            recover(&quick(), dir.path()).unwrap();
            check_all_or_nothing(dir.path(), &at);
            if !faulty.is_dead() {
                break;
            }
        }
    }
}

#[test]
fn recovery_cut_at_every_step_is_finished_by_the_next_one() {
    for torn in [false, true] {
        for cut in 0.. {
            let dir = before_the_save(true);
            let faulty = quick().kill_at(cut, torn);
            let _ = cut_save().execute(&faulty, dir.path());
            if !faulty.is_dead() {
                break;
            }
            let size = fs::metadata(dir.path().join(".juliet/redo")).unwrap().len();
            let decided = !format::decode(&fs::read(dir.path().join(".juliet/redo")).unwrap())
                .entries
                .iter()
                .all(|e| e.ended_ns.is_some());
            for second in 0.. {
                let at = format!("torn {torn}, cut {cut}, then {second}");
                let faulty = quick().kill_at(second, torn);
                let _ = recover(&faulty, dir.path());
                check_each_file_is_whole(dir.path(), &at);
                if !faulty.is_dead() {
                    break;
                }
                if !decided {
                    // Nothing is written by such a recovery; once is enough.
                    assert!(size > 0);
                    break;
                }
            }
            recover(&quick(), dir.path()).unwrap();
            let all = check_all_or_nothing(dir.path(), &format!("torn {torn}, cut {cut}"));
            assert!(all || !decided);
        }
    }
}

#[test]
fn every_single_failure_is_reported_and_leaves_whole_files() {
    for number in 0.. {
        let at = format!("failure {number}");
        let dir = before_the_save(true);
        let faulty = quick().fail_at(number, ErrorKind::PermissionDenied);
        let saved = cut_save().execute(&faulty, dir.path());
        check_each_file_is_whole(dir.path(), &at);
        let before = snapshot(dir.path());
        match &saved {
            Ok(report) => {
                for path in report.written.iter() {
                    assert_eq!(before.get(&**path), as_snapshot(NEW).get(&**path), "{at}");
                }
                for path in report.refused.iter().map(|r| &r.path).chain(report.failed.iter().map(|f| &f.path)) {
                    assert_eq!(before.get(&**path), as_snapshot(OLD).get(&**path), "{at}");
                }
            }
            Err(_) => assert_eq!(before, as_snapshot(OLD), "{at}"),
        }
        // What failed is not written by the next load; the record was marked or dropped.
        recover(&quick(), dir.path()).unwrap();
        assert_eq!(snapshot(dir.path()), before, "{at}");
        if faulty.counts().operations <= number {
            assert!(saved.unwrap().failed.is_empty());
            return;
        }
    }
}

/// A save of `big.jasset` (three pages) and `small.jasset` that was decided; carried out as well if `ended`.
fn saved(ended: bool) -> (tempfile::TempDir, String) {
    let big = (0..1_200).map(|i| format!("line {i:04}\n")).collect::<String>();
    let dir = world(&[("big.jasset", "old"), ("small.jasset", "old")]);
    let writes = vec![write("big.jasset", Some("old"), &big), write("small.jasset", Some("old"), "a\nb\n")];
    transaction(writes, vec![]).execute(&quick(), dir.path()).unwrap();
    if !ended {
        let path = dir.path().join(".juliet/redo");
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    }
    (dir, big)
}

/// Changes the content as a power loss does: the time of the last change stays.
fn tear(path: &Path, torn: &[u8]) {
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    fs::write(path, torn).unwrap();
    fs::File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
}

#[test]
fn file_emptied_by_hand_after_a_save_stays_empty() {
    let (dir, _) = saved(true);
    let path = dir.path().join("big.jasset");
    fs::write(&path, "").unwrap();
    // The clock that stamps files ticks a few times in 10 ms; a person is slower.
    let later = SystemTime::now() + Duration::from_millis(10);
    fs::File::options().write(true).open(&path).unwrap().set_modified(later).unwrap();
    assert!(recover(&quick(), dir.path()).unwrap().is_quiet());
    assert_eq!(read(dir.path(), "big.jasset"), "");
}

#[test]
fn content_that_a_power_loss_took_is_written_again() {
    for ended in [false, true] {
        let (_dir, big) = saved(ended);
        let zeros = |kept: usize, len: usize| [&big.as_bytes()[..kept], &vec![0; len - kept]].concat();
        for torn in [
            vec![],
            zeros(4096, 4096),
            zeros(8192, 8192),
            zeros(0, big.len()),
            zeros(100, 4096),
            zeros(4096, big.len()),
        ] {
            let (dir, big) = saved(ended);
            tear(&dir.path().join("big.jasset"), &torn);
            let report = recover(&quick(), dir.path()).unwrap();
            assert_eq!(report.written, names(["big.jasset"]), "{ended} {}", torn.len());
            assert_eq!(read(dir.path(), "big.jasset"), big);
        }
    }
}

#[test]
fn edits_after_a_save_that_ended_are_never_undone() {
    let (_dir, big) = saved(true);
    for edit in ["old", "somebody else's", "a\n", &big[..4095], &format!("{big}more\n")] {
        let (dir, _) = saved(true);
        for path in ["big.jasset", "small.jasset"] {
            // Not even where the clock cannot tell.
            tear(&dir.path().join(path), edit.as_bytes());
        }
        assert!(recover(&quick(), dir.path()).unwrap().is_quiet());
        for path in ["big.jasset", "small.jasset"] {
            assert_eq!(read(dir.path(), path), edit);
        }
    }
    let (dir, _) = saved(true);
    fs::remove_file(dir.path().join("big.jasset")).unwrap();
    assert!(recover(&quick(), dir.path()).unwrap().is_quiet());
    assert!(!dir.path().join("big.jasset").exists());
}

#[test]
fn foreign_content_is_left_and_the_text_of_the_cut_save_is_kept() {
    let (dir, big) = saved(false);
    let root = dir.path();
    fs::write(root.join("big.jasset"), "pulled from elsewhere").unwrap();
    fs::write(root.join("small.jasset"), "old").unwrap();
    let report = recover(&quick(), root).unwrap();
    let kept = ".juliet/recovered/big.jasset";
    let conflict = Conflict { path: "big.jasset".into(), reason: Refusal::Changed, kept_in: Some(kept.into()) };
    assert_eq!((report.conflicts, report.written), (vec![conflict], names(["small.jasset"])));
    assert_eq!(read(root, "big.jasset"), "pulled from elsewhere");
    assert_eq!(read(root, kept), big);
    assert!(recover(&quick(), root).unwrap().is_quiet());

    // A second text for the same path does not replace the first.
    let text = "another";
    let redo = format::encode_record([("big.jasset", Action::Write { old: None, new: text.as_bytes() })].into_iter());
    for _ in 0..2 {
        fs::write(root.join(".juliet/redo"), &redo).unwrap();
        let report = recover(&quick(), root).unwrap();
        let kept_in = report.conflicts[0].kept_in.clone().unwrap();
        assert_eq!(&*kept_in, format!(".juliet/recovered/{:016x}.jasset", Fingerprint::of(text.as_bytes()).hash));
        assert_eq!(read(root, &kept_in), text);
    }
    assert_eq!(read(root, kept), big);
}

#[test]
fn removal_of_a_file_that_changed_since_is_not_finished() {
    let dir = world(&[("a.jasset", "edited")]);
    fs::create_dir(dir.path().join(".juliet")).unwrap();
    let old = Fingerprint::of(b"read");
    fs::write(
        dir.path().join(".juliet/redo"),
        format::encode_record([("a.jasset", Action::Remove { old })].into_iter()),
    )
    .unwrap();
    let report = recover(&quick(), dir.path()).unwrap();
    assert_eq!(report.conflicts, [Conflict { path: "a.jasset".into(), reason: Refusal::Changed, kept_in: None }]);
    assert_eq!(read(dir.path(), "a.jasset"), "edited");
}

#[test]
fn what_cannot_be_finished_or_put_aside_keeps_the_redo_file() {
    let (dir, big) = saved(false);
    let root = fs::canonicalize(dir.path()).unwrap();
    fs::write(root.join("big.jasset"), "old").unwrap();
    let full = quick().with_room(10);
    let report = recover(&full, &root).unwrap();
    assert!(report.unfinished);
    let save = transaction(vec![write("small.jasset", Some("a\nb\n"), "c")], vec![]);
    assert!(matches!(save.execute(&full, &root), Err(SaveError::Unfinished(_))));
    // A file that stays held is put aside instead, so that it does not block every later save.
    let report = recover(&quick().held(&root.join("big.jasset")), &root).unwrap();
    assert!(!report.unfinished);
    assert_eq!(report.failed.len(), 1);
    assert_eq!(read(&root, report.conflicts[0].kept_in.as_ref().unwrap()), big);
    assert_eq!(save.execute(&quick(), &root).unwrap().written, names(["small.jasset"]));
}

#[test]
fn left_over_temporaries_of_a_cut_save_are_removed() {
    let (dir, _) = saved(false);
    fs::write(dir.path().join(".big.jasset.jtmp"), "li").unwrap();
    let report = recover(&quick(), dir.path()).unwrap();
    assert_eq!(report.temporaries, names([".big.jasset.jtmp"]));
    assert!(temporaries(dir.path()).is_empty());
}

#[test]
fn rubbish_in_the_redo_file_is_discarded() {
    for rubbish in [&b"x"[..], b"\xFFJREDO1\n", &[0; 5000], &[0xFF; 64]] {
        let dir = world(&[("a.jasset", "old")]);
        fs::create_dir(dir.path().join(".juliet")).unwrap();
        fs::write(dir.path().join(".juliet/redo"), rubbish).unwrap();
        let report = recover(&quick(), dir.path()).unwrap();
        assert_eq!(report, RecoveryReport { discarded_bytes: rubbish.len(), ..RecoveryReport::default() });
        assert_eq!(read(dir.path(), "a.jasset"), "old");
    }
}
