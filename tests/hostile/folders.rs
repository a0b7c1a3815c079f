//! Folders and disks.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::sync::mpsc;
use std::time::Duration;

use juliet::core::diag::Code;
use juliet::prelude::*;

use crate::support::classes::{Rock, rocks};
use crate::support::{TestProject, child, entity_in, only, save};

const ROCK: &str = "; class: Rock\n; id: 0x0100000000000042\nScale: 1\n";

/// Fails if `work` takes longer than anybody waits.
#[track_caller]
fn in_time<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || done.send(work()));
    wait.recv_timeout(Duration::from_secs(20)).expect("hangs, or panicked")
}

fn make_fifo(path: &std::path::Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn pipes_and_sockets_do_not_hang_and_are_told() {
    let project = TestProject::with(rocks(), &[("Good.jasset", ROCK)]);
    make_fifo(&project.path("Pipe.jasset"));
    symlink("Pipe.jasset", project.path("Link.jasset")).unwrap();
    let _socket = UnixListener::bind(project.path("Socket.jasset")).unwrap();
    let held = fs::File::options().read(true).write(true).open(project.path("Pipe.jasset")).unwrap();
    let (report, project) = in_time(move || (project.load().1, project));
    let mut files: Vec<&str> = report.diagnostics.iter().map(|it| it.file.rsplit('/').next().unwrap()).collect();
    files.dedup();
    assert_eq!((report.loaded, files), (1, vec!["Link.jasset", "Pipe.jasset", "Socket.jasset"]));
    drop((held, project));
}

#[test]
fn redo_file_that_is_a_pipe_is_refused() {
    let project = TestProject::with(rocks(), &[("A.jasset", ROCK)]);
    fs::create_dir(project.root().join(".juliet")).unwrap();
    make_fifo(&project.root().join(".juliet/redo"));
    let (error, dirty) = in_time(move || {
        let mut world = project.load_clean();
        let handle = only(&world);
        world.set(handle, "MeshAsset", "x".repeat(60_000)).unwrap();
        world.set_position(handle, [1.0; 3]).unwrap();
        (world.save().unwrap_err().to_string(), world.is_dirty(handle))
    });
    assert!(dirty && error.contains("redo"), "{error}");
}

#[test]
fn two_thousand_folders_need_no_two_thousand_open_files() {
    child::run("hostile::folders::child_with_few_open_files", &[("JULIET_FEW_FILES", "1")]);
}

#[test]
fn child_with_few_open_files() {
    if std::env::var_os("JULIET_FEW_FILES").is_none() {
        return;
    }
    let files: Vec<(String, String)> = (0..300)
        .map(|index| (format!("F{index}/A.jasset"), format!("; class: Rock\n; id: {}\n", 1000 + index)))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let project = TestProject::with(rocks(), &files);
    let limited = Command::new("prlimit").args([&format!("--pid={}", std::process::id()), "--nofile=100:100"]).status();
    if !limited.is_ok_and(|status| status.success()) {
        return;
    }
    let world = project.load_clean();
    assert_eq!(world.len(), 300);
}

#[test]
fn loads_at_the_same_time_do_not_shut_each_other_out() {
    let project = TestProject::with(rocks(), &[("A.jasset", ROCK)]);
    let mut world = project.load_clean();
    let handle = only(&world);
    world.set(handle, "MeshAsset", "x".repeat(60_000)).unwrap();
    save(&mut world);
    let project = &project;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..15 {
                    let (world, report) = project.open().load_world("W").unwrap();
                    assert_eq!((world.len(), report.diagnostics.len()), (1, 0));
                }
            });
        }
        for step in 0..15_u8 {
            world.set(handle, "Hits", step + 1).unwrap();
            assert_eq!(save(&mut world).written.len(), 1);
        }
    });
}

#[test]
fn saving_makes_no_folder_outside_of_the_content_folder() {
    let outside = tempfile::tempdir().unwrap();
    let project = TestProject::with(rocks(), &[("A.jasset", ROCK)]);
    symlink(outside.path(), project.root().join("Worlds/Out")).unwrap();
    let error = project.open().new_world("Out").unwrap_err().to_string();
    assert!(error.contains("leaves the content folder"), "{error}");
    let mut world = project.open().new_world("Worlds/Out/Deep").unwrap();
    world.spawn_class("Rock", Vec3::ZERO).unwrap();
    let report = world.save().unwrap();
    assert_eq!((report.written.len(), world.dirty().len()), (0, 1));
    assert!(report.diagnostics.iter().all(|it| it.code == Code::SymlinkEscapes), "{:?}", report.diagnostics);
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0, "nothing is made outside");
}

#[test]
fn new_world_does_not_settle_among_the_files_of_another() {
    let project = TestProject::with(rocks(), &[("A.jasset", ROCK)]);
    assert!(project.open().new_world("W").is_err());
    fs::remove_file(project.path("A.jasset")).unwrap();
    assert!(project.open().new_world("W").is_ok(), "an empty folder is no world");
}

#[test]
fn longest_names_are_loaded_and_saved() {
    let name = format!("{}.jasset", "n".repeat(255 - ".jasset".len()));
    let project = TestProject::with(rocks(), &[(&*name, ROCK)]);
    let mut world = project.load_clean();
    let handle = only(&world);
    world.set(handle, "Hits", 3_u8).unwrap();
    assert_eq!(save(&mut world).written.len(), 1);
    assert_eq!(fs::read_dir(project.path("")).unwrap().count(), 1, "no temporary is left");
    assert_eq!(project.text(&name), format!("{ROCK}Hits: 3\n"));
}

#[test]
fn odd_names_are_loaded_saved_and_removed() {
    let names = [
        "line\nend.jasset",
        "'quoted \"name\".jasset",
        "dots...jasset",
        " .jasset",
        "-rf.jasset",
        "%s.jasset",
        "Rock.jasset",
        "rock.jasset",
        "con.jasset",
    ];
    let files: Vec<(&str, String)> =
        names.iter().zip(1..).map(|(&name, id)| (name, format!("; class: Rock\n; id: {id}\n"))).collect();
    let project = TestProject::with(rocks(), &files);
    let mut world = project.load_clean();
    assert_eq!(world.len(), names.len());
    for handle in world.iter().map(|base| base.handle()).collect::<Vec<_>>() {
        world.set(handle, "Hits", 3_u8).unwrap();
    }
    assert_eq!(save(&mut world).written.len(), names.len());
    for handle in world.iter().map(|base| base.handle()).collect::<Vec<_>>() {
        world.remove(handle).unwrap();
    }
    assert_eq!(save(&mut world).removed.len(), names.len());
    assert_eq!(fs::read_dir(project.path("")).unwrap().count(), 0);
}

#[test]
fn files_that_change_shape_between_load_and_save_are_left_alone() {
    let text = |id: u32| format!("; class: Rock\n; id: {id}\n");
    let names = ["Changed", "Removed", "Folder", "Link", "Dangling", "Sub/Gone", "Sub2/File", "Fine"];
    let files: Vec<(String, String)> =
        names.iter().zip(1..).map(|(name, id)| (format!("{name}.jasset"), text(id))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    for removing in [false, true] {
        let project = TestProject::with(rocks(), &files);
        let mut world = project.load_clean();
        project.put("Changed.jasset", "; class: Rock\n; id: 1\n# theirs\n");
        fs::remove_file(project.path("Removed.jasset")).unwrap();
        fs::remove_file(project.path("Folder.jasset")).unwrap();
        fs::create_dir(project.path("Folder.jasset")).unwrap();
        fs::remove_file(project.path("Link.jasset")).unwrap();
        symlink("/etc/hostname", project.path("Link.jasset")).unwrap();
        fs::remove_file(project.path("Dangling.jasset")).unwrap();
        symlink("nowhere", project.path("Dangling.jasset")).unwrap();
        fs::remove_dir_all(project.path("Sub")).unwrap();
        fs::remove_dir_all(project.path("Sub2")).unwrap();
        fs::write(project.path("Sub2"), "a file").unwrap();
        for handle in world.iter().map(|base| base.handle()).collect::<Vec<_>>() {
            if removing {
                world.remove(handle).unwrap();
            } else {
                world.get_mut::<Rock>(handle).unwrap().hits = 9;
            }
        }
        let report = world.save().unwrap();
        assert_eq!((report.written.len(), report.removed.len()), (usize::from(!removing), usize::from(removing)));
        assert_eq!(project.text("Changed.jasset"), "; class: Rock\n; id: 1\n# theirs\n");
        assert!(project.path("Folder.jasset").is_dir());
        assert_eq!(fs::read_link(project.path("Link.jasset")).unwrap().to_str(), Some("/etc/hostname"));
        assert_eq!(fs::read_link(project.path("Dangling.jasset")).unwrap().to_str(), Some("nowhere"));
        assert_eq!(project.text("Sub2"), "a file");
        assert!(!project.path("Removed.jasset").exists() && !project.path("Sub").exists());
        if removing {
            // What is gone is what was asked for.
            assert!(!project.path("Fine.jasset").exists());
            assert!(report.diagnostics.len() >= 4, "{:?}", report.diagnostics);
        } else {
            assert_eq!(report.diagnostics.len(), names.len() - 1, "{:?}", report.diagnostics);
            assert_eq!(world.dirty().len(), names.len() - 1);
            assert!(!world.is_dirty(entity_in(&world, "Fine.jasset")));
        }
    }
}

#[test]
fn local_folder_of_another_kind_is_told_and_left() {
    for kind in ["file", "link", "dangling", "folder redo", "garbage redo", "namespace"] {
        let project = TestProject::with(rocks(), &[("A.jasset", ROCK)]);
        let (local, elsewhere) = (project.root().join(".juliet"), tempfile::tempdir().unwrap());
        match kind {
            "file" => fs::write(&local, "mine").unwrap(),
            "link" => symlink(elsewhere.path(), &local).unwrap(),
            "dangling" => symlink("nowhere", &local).unwrap(),
            _ => fs::create_dir(&local).unwrap(),
        }
        match kind {
            "folder redo" => fs::create_dir(local.join("redo")).unwrap(),
            "garbage redo" => fs::write(local.join("redo"), vec![0xff; 3 << 20]).unwrap(),
            "namespace" => fs::write(local.join("namespace"), "0x0000\n").unwrap(),
            _ => {}
        }
        let Ok((mut world, _)) = project.open().load_world("W") else {
            assert_eq!(kind, "folder redo");
            continue;
        };
        let handle = only(&world);
        world.set(handle, "Hits", 3_u8).unwrap();
        let spawned = world.spawn_class("Rock", Vec3::ZERO).is_ok();
        let saved = world.save().is_ok();
        assert_eq!(saved, matches!(kind, "garbage redo" | "namespace"), "{kind}");
        assert_eq!(spawned, kind == "garbage redo", "{kind}");
        assert_eq!(world.is_dirty(handle), !saved, "{kind}");
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0, "{kind}");
        assert_eq!(project.text("A.jasset") == ROCK, !saved, "{kind}");
    }
}

#[test]
fn worlds_that_are_no_folders_are_errors() {
    let project = TestProject::with(rocks(), &[("A.jasset", ROCK)]);
    fs::write(project.root().join("Worlds/F"), "").unwrap();
    symlink("L", project.root().join("Worlds/L")).unwrap();
    for name in
        ["F", "L", "Missing", "Worlds/F/x", "..", "../..", "a/..", "./.", "Assets/", "a\0b", "C:", "\\x", "x\ny", ""]
    {
        assert!(project.open().load_world(name).is_err(), "{name:?}");
        if let Ok(mut world) = project.open().new_world(name) {
            world.spawn_class("Rock", Vec3::ZERO).unwrap();
            let saved = world.save();
            assert!(name == "Missing" || saved.is_err() || world.dirty().len() == 1, "{name:?}");
        }
    }
}

#[test]
fn threads_that_draw_the_namespace_at_once_all_get_one() {
    for _ in 0..10 {
        let project = TestProject::with(rocks(), &[("A.jasset", ROCK)]);
        let worlds: Vec<_> = (0..8).map(|_| project.load_clean()).collect();
        std::thread::scope(|scope| {
            for mut world in worlds {
                scope.spawn(move || world.spawn_class("Rock", Vec3::ZERO).map(drop).unwrap());
            }
        });
        let left = fs::read_dir(project.root().join(".juliet")).unwrap().count();
        assert_eq!(left, 2, "namespace and ignore file, no temporary");
    }
}

#[test]
fn file_is_no_project() {
    let project = TestProject::with(rocks(), &[("A.jasset", ROCK)]);
    assert!(Project::open(project.path("A.jasset"), rocks()).is_err());
}

#[test]
fn content_folder_that_is_gone_is_not_made_again() {
    let project = TestProject::with(rocks(), &[("A.jasset", ROCK)]);
    let mut world = project.load_clean();
    let handle = only(&world);
    world.set(handle, "Hits", 3_u8).unwrap();
    world.spawn_class("Rock", Vec3::ZERO).unwrap();
    fs::remove_dir_all(project.root()).unwrap();
    assert!(world.save().is_err());
    assert_eq!(world.dirty().len(), 2);
    assert!(!project.root().exists());
}

#[test]
fn redo_file_behind_a_link_is_nobodys() {
    let (project, other) =
        (TestProject::with(rocks(), &[("A.jasset", ROCK)]), TestProject::with(rocks(), &[("A.jasset", ROCK)]));
    let mut world = other.load_clean();
    let handle = only(&world);
    world.set(handle, "Hits", 3_u8).unwrap();
    save(&mut world);
    // A save that was cut off before its mark, in the local folder of somebody else.
    let redo = other.root().join(".juliet/redo");
    let bytes = fs::read(&redo).unwrap();
    fs::write(&redo, &bytes[..bytes.len() - 44]).unwrap();
    symlink(other.root().join(".juliet"), project.root().join(".juliet")).unwrap();
    let (_, report) = project.load();
    assert_eq!(report.diagnostics, []);
    assert_eq!(project.text("A.jasset"), ROCK);
    assert_eq!(fs::read(&redo).unwrap().len(), bytes.len() - 44);
}
