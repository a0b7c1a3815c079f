//! Saves of a world that are cut or fail at every step, and disks that are full, read-only or held.

use std::fs;
use std::io::ErrorKind;

use super::*;

const A: u64 = 0x0200_0000_0000_0001;
const B: u64 = 0x0200_0000_0000_0002;
const C: u64 = 0x0200_0000_0000_0003;
const D: u64 = 0x0200_0000_0000_0004;

fn content() -> Content {
    let files =
        [("A.jasset", rock(A, 1)), ("sub/B.jasset", rock(B, 1)), ("C.jasset", rock(C, 1)), ("D.jasset", rock(D, 1))];
    let content = Content::of(&[]);
    files.iter().for_each(|(name, text)| content.put(name, text));
    content
}

/// Two changed, one removed, one new, one left alone. Returns the id of the new one.
fn edit(world: &mut World) -> u64 {
    set_hits(world, A, 20_000);
    set_hits(world, B, 2);
    let gone = by_id(world, C);
    world.remove(gone).unwrap();
    let new = world.spawn(Rock { scale: 1.0, hits: 9 }, Vec3::ONE).unwrap();
    world.base(new).unwrap().id()
}

/// The files before and after the save of `edit`; the new one under the name that its id gives.
fn before_and_after(new: u64) -> (Snapshot, Snapshot) {
    let path = |name: &str| format!("{ENTITIES}/{name}");
    let old: Snapshot =
        [("A.jasset", rock(A, 1)), ("sub/B.jasset", rock(B, 1)), ("C.jasset", rock(C, 1)), ("D.jasset", rock(D, 1))]
            .map(|(name, text)| (path(name), text.into_bytes()))
            .into();
    let mut after = old.clone();
    after.insert(path("A.jasset"), rock(A, 20_000).into_bytes());
    after.insert(path("sub/B.jasset"), rock(B, 2).into_bytes());
    after.remove(&path("C.jasset"));
    let text = format!(
        "; entity_type: Rock\n; id: {}\n; version: 1\nPosition: 1.0, 1.0, 1.0\nScale: 1.0\nHits: 9\n",
        hex(new)
    );
    after.insert(path(&format!("{}.jasset", hex(new))), text.into_bytes());
    (old, after)
}

/// Each file is wholly as before or wholly as after the save.
fn check_whole(content: &Content, new: u64, at: &str) {
    let (old, after) = before_and_after(new);
    let now = content.snapshot();
    for (path, found) in now.iter().filter(|(path, _)| !path.rsplit('/').next().unwrap().starts_with('.')) {
        assert!(old.get(path) == Some(found) || after.get(path) == Some(found), "{at}: {path}");
    }
    for path in old.keys().filter(|path| after.contains_key(*path)) {
        assert!(now.contains_key(path), "{at}: {path} is gone");
    }
}

#[test]
fn k27_save_cut_at_every_step_is_all_or_nothing_after_the_next_load() {
    for (saved_before, torn) in [(false, false), (false, true), (true, false), (true, true)] {
        let (mut nothing, mut all) = (0, 0);
        for cut in 0.. {
            let at = format!("saved before {saved_before}, torn {torn}, cut {cut}");
            let (content, fs) = (content(), quick());
            let (mut world, _) = content.load_on(&fs);
            if saved_before {
                set_hits(&mut world, D, 5);
                save(&mut world);
                set_hits(&mut world, D, 1);
                save(&mut world);
            }
            let new = edit(&mut world);
            let fs = fs.clone().kill_at(fs.counts().operations + cut, torn);
            let saved = world.save();
            check_whole(&content, new, &at);
            let (again, report) = content.load();
            assert!(!report.has_errors(), "{at}: {:?}", report.diagnostics);
            let (old, after) = before_and_after(new);
            let now = content.snapshot();
            assert!(now == old || now == after, "{at}: {:?}", now.keys());
            let expected = if now == after {
                [Some(20_000), Some(2), None, Some(1), Some(9)]
            } else {
                [Some(1), Some(1), Some(1), Some(1), None]
            };
            let found =
                [A, B, C, D, new].map(|id| again.find_by_id(id).and_then(|it| again.get::<Rock>(it)).map(|it| it.hits));
            assert_eq!(found, expected, "{at}");
            if now == after {
                all += 1
            } else {
                nothing += 1
            }
            if !fs.is_dead() {
                assert!(saved.unwrap().is_complete() && world.dirty().is_empty() && now == after, "{at}");
                break;
            }
        }
        assert!(nothing > 10 && all > 5, "{nothing} {all}");
    }
}

/// A save during which the disk fails, for a while or from one step on, then works again.
fn check_failures(fail: impl Fn(Faulty, u64) -> Faulty, change_again: bool) {
    for number in 0.. {
        let at = format!("failure {number}, changed again {change_again}");
        let (content, fs) = (content(), quick());
        let (mut world, _) = content.load_on(&fs);
        let new = edit(&mut world);
        let begin = fs.counts().operations;
        let failing = fail(fs.clone(), begin + number);
        let saved = world.save();
        let ended = failing.counts().operations <= begin + number;
        check_whole(&content, new, &at);
        let (old, after) = before_and_after(new);
        let (now, path) = (content.snapshot(), |world: &World, id| world.file_of(by_id(world, id)).unwrap());
        let name = |path: String| path.split_once('/').unwrap().1.to_owned();
        for id in [A, B, new] {
            // What is not on disk is dirty.
            let file = name(path(&world, id));
            assert!(now.get(&file) == after.get(&file) || world.is_dirty(by_id(&world, id)), "{at}: {file}");
        }
        let gone = now.contains_key(&format!("{ENTITIES}/C.jasset"));
        assert!(!gone || world.removed().eq([C]), "{at}");
        match &saved {
            Ok(_) if now == after => {}
            Ok(report) => assert!(!report.is_complete(), "{at}: {report:?}"),
            Err(_) => assert!(now == old || !ended, "{at}"),
        }
        failing.mend();
        if change_again {
            set_hits(&mut world, B, 77);
            set_hits(&mut world, new, 78);
        }
        let report = world.save().unwrap();
        assert!(report.is_complete(), "{at}: {:?}", report.diagnostics);
        assert_eq!((world.dirty(), world.removed().count()), (vec![], 0), "{at}");
        if change_again {
            let again = content.world();
            assert_eq!([A, B, D, new].map(|id| hits(&again, id)), [20_000, 77, 1, 78], "{at}");
            assert_eq!(again.len(), 4, "{at}");
        } else {
            assert!(content.snapshot() == after, "{at}");
        }
        if ended {
            return;
        }
    }
}

#[test]
fn k27_save_with_a_failure_at_any_step_is_completed_by_the_next_save() {
    for change_again in [false, true] {
        check_failures(|fs, at| fs.fail_at(at, ErrorKind::PermissionDenied), change_again);
    }
}

#[test]
fn save_that_loses_the_disk_at_any_step_is_completed_when_the_disk_is_back() {
    for change_again in [false, true] {
        check_failures(|fs, at| fs.kill_at(at, false), change_again);
        check_failures(|fs, at| fs.kill_at(at, true), change_again);
    }
}

#[test]
fn entity_removed_after_a_lost_disk_leaves_no_file() {
    for cut in 0.. {
        let (content, fs) = (content(), quick());
        let (mut world, _) = content.load_on(&fs);
        let new = edit(&mut world);
        let begin = fs.counts().operations;
        let failing = fs.clone().kill_at(begin + cut, false);
        let _cut = world.save();
        failing.mend();
        for id in [A, new] {
            let gone = by_id(&world, id);
            world.remove(gone).unwrap();
        }
        let report = world.save().unwrap();
        assert!(report.is_complete(), "cut {cut}: {:?}", report.diagnostics);
        let mut names = content.names();
        names.sort();
        assert_eq!(names, ["D.jasset", "sub"], "cut {cut}");
        if fs.counts().operations < begin + cut {
            return;
        }
    }
}

#[test]
fn full_disk_is_told_and_the_next_save_completes() {
    let mut failed = 0;
    for room in (0..1400).step_by(37) {
        let (content, fs) = (content(), quick());
        let (mut world, _) = content.load_on(&fs);
        let new = edit(&mut world);
        let full = fs.clone().with_room(room);
        let saved = world.save();
        check_whole(&content, new, &format!("room {room}"));
        let complete = saved.as_ref().is_ok_and(SaveReport::is_complete);
        let (_, after) = before_and_after(new);
        assert_eq!(complete, content.snapshot() == after, "room {room}");
        assert_eq!(complete, world.dirty().is_empty() && world.removed().next().is_none(), "room {room}");
        failed += u32::from(!complete);
        full.mend();
        save(&mut world);
        assert!(content.snapshot() == after, "room {room}");
    }
    assert!(failed > 5, "{failed}");
}

#[test]
fn read_only_folder_is_told_and_nothing_is_lost() {
    for folder in ["", "Worlds/W/Entities", "Worlds/W/Entities/sub"] {
        let (content, fs) = (content(), quick());
        let (mut world, _) = content.load_on(&fs);
        let new = edit(&mut world);
        let fs = fs.read_only(&content.root().join(folder));
        match world.save() {
            Ok(report) => {
                assert!(!folder.is_empty() && !report.is_complete());
                assert!(report.diagnostics.iter().all(|it| it.code == Code::WriteFailed && !it.file.is_empty()));
                assert!(report.diagnostics.iter().any(|it| it.file.ends_with("/sub/B.jasset")));
            }
            Err(error) => assert!(folder.is_empty(), "{error}"),
        }
        assert!(world.is_dirty(by_id(&world, B)));
        assert_eq!(world.removed().next().is_some(), !folder.ends_with("sub"));
        fs.mend();
        save(&mut world);
        assert!(content.snapshot() == before_and_after(new).1);
    }
}

#[test]
fn held_file_stays_dirty_and_the_rest_is_saved() {
    let (content, fs) = (content(), quick());
    let (mut world, _) = content.load_on(&fs);
    let new = edit(&mut world);
    let entities = content.root().join(ENTITIES);
    let fs = fs.held(&entities.join("A.jasset")).held(&entities.join("C.jasset"));
    let report = world.save().unwrap();
    assert_eq!(codes(&report.diagnostics), [(Code::WriteFailed, "A.jasset"), (Code::WriteFailed, "C.jasset")]);
    assert_eq!((report.written.len(), report.removed.len()), (2, 0));
    assert_eq!((world.dirty(), world.removed().collect::<Vec<_>>()), (vec![by_id(&world, A)], vec![C]));
    assert_eq!((content.text("A.jasset"), content.text("C.jasset")), (rock(A, 1), rock(C, 1)));
    // What failed is not done behind the user's back by a later load.
    assert!(content.load().1.diagnostics.is_empty());
    assert_eq!(content.text("A.jasset"), rock(A, 1));
    fs.mend();
    let report = save(&mut world);
    assert_eq!((last(&report.written), last(&report.removed)), (vec!["A.jasset"], vec!["C.jasset"]));
    assert!(content.snapshot() == before_and_after(new).1);
}

#[test]
fn two_processes_do_not_save_at_once() {
    let content = content();
    let mut world = content.world();
    set_hits(&mut world, A, 2);
    save(&mut world);
    set_hits(&mut world, A, 3);
    let other = DiskFileSystem.open_log(&content.root().join(".juliet/redo")).unwrap().unwrap();
    let error = world.save().unwrap_err();
    assert!(error.to_string().contains("another process"), "{error}");
    assert_eq!((hits(&world, A), world.dirty().len()), (3, 1));
    drop(other);
    save(&mut world);
    assert_eq!(content.text("A.jasset"), rock(A, 3));
}

#[test]
fn world_that_was_never_saved_makes_its_folder_and_settings() {
    for cut in 0.. {
        let dir = tempfile::tempdir().unwrap();
        let fs = quick();
        let project = Project::open_on(Arc::new(fs.clone()), dir.path(), registry()).unwrap();
        let mut world = project.new_world("New").unwrap();
        world.spawn(Rock { scale: 2.0, hits: 1 }, Vec3::ZERO).unwrap();
        let fs = fs.clone().kill_at(fs.counts().operations + cut, true);
        let _saved = world.save();
        let is_dead = fs.is_dead();
        fs.mend();
        // What is left of the cut save is told.
        assert!(world.save().unwrap().is_complete(), "cut {cut}");
        assert!(world.dirty().is_empty());
        assert_eq!(fs::read_dir(dir.path().join("Worlds/New/Entities")).unwrap().count(), 1, "cut {cut}");
        let (again, report) = project.load_world("New").unwrap();
        assert_eq!((again.len(), report.diagnostics), (1, vec![]), "cut {cut}");
        assert_eq!(world.save().unwrap().written.len(), 0);
        assert!(dir.path().join("Worlds/New/WorldSettings.jasset").exists(), "cut {cut}");
        if !is_dead {
            return;
        }
    }
}
