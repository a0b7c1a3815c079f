//! Files as they come: changed by others, twice, without ids, with strange names, behind links, on read-only disks.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

const A: u64 = 0x0200_0000_0000_000A;
const B: u64 = 0x0200_0000_0000_000B;

#[test]
fn k27_empty_cut_and_foreign_files_are_told_or_passed_over_and_stay() {
    let whole = rock(A, 1);
    let cut = &whole[..whole.find(", 3.0").unwrap()];
    let content = Content::of(&[
        ("A.jasset", ""),
        ("B.jasset", "  \n\n \t\n"),
        ("C.jasset", "# nothing\n// here\n"),
        ("D.jasset", cut),
        (".E.jasset.tmp1234", &whole),
        (".E.jasset.tmp", &whole),
        (".E.jasset", &whole),
        ("F.jasset~", &whole),
        ("F.jasset.bak", &whole),
        ("f.JASSET", &whole),
        (".DS_Store", "\0\0"),
        (".git/G.jasset", &whole),
        ("H.jasset", &rock(B, 1)),
    ]);
    let before = content.snapshot();
    let (mut world, report) = content.load();
    let empty = [(Code::EmptyFile, "A.jasset"), (Code::EmptyFile, "B.jasset"), (Code::EmptyFile, "C.jasset")];
    assert_eq!(codes(&report.diagnostics), [&empty[..], &[(Code::WrongCount, "D.jasset")]].concat());
    let last = report.diagnostics.last().unwrap();
    assert_eq!((last.line, &*last.property, &*last.expected), (3, "Position", "3 numbers"));
    assert!(last.message.contains("expected 3 numbers, found 2"), "{}", last.message);
    assert!(report.diagnostics[0].message.contains("empty: no class"));
    assert_eq!((world.len(), report.loaded, report.skipped), (1, 1, 4));
    set_hits(&mut world, B, 2);
    let saved = world.save_all().unwrap();
    assert_eq!((&saved.diagnostics, saved.written.len()), (&vec![], 1));
    let mut after = before;
    after.insert(format!("{ENTITIES}/H.jasset"), rock(B, 2).into());
    assert!(content.snapshot() == after);
}

#[test]
fn k27_links_stay_links_and_permissions_are_kept() {
    let content = Content::of(&[("G.jasset", ""), ("H.jasset", &rock(B, 1))]);
    let shared = content.root().join("Shared");
    fs::create_dir(&shared).unwrap();
    fs::write(shared.join("g.jasset"), rock(A, 1)).unwrap();
    fs::remove_file(content.at("G.jasset")).unwrap();
    symlink("../../../Shared/g.jasset", content.at("G.jasset")).unwrap();
    for (path, mode) in [(shared.join("g.jasset"), 0o600), (content.at("H.jasset"), 0o640)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let mut world = content.world();
    set_hits(&mut world, A, 2);
    set_hits(&mut world, B, 2);
    save(&mut world);
    assert!(fs::symlink_metadata(content.at("G.jasset")).unwrap().is_symlink());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!(
        (fs::read_to_string(shared.join("g.jasset")).unwrap(), mode(&shared.join("g.jasset"))),
        (rock(A, 2), 0o600)
    );
    assert_eq!((content.text("H.jasset"), mode(&content.at("H.jasset"))), (rock(B, 2), 0o640));
    // The removal of an entity takes its name away, not what the name leads to.
    let gone = by_id(&world, A);
    world.remove(gone).unwrap();
    save(&mut world);
    assert_eq!(content.names(), ["H.jasset"]);
    assert!(shared.join("g.jasset").exists());
}

#[test]
fn links_out_of_the_content_folder_are_not_read() {
    let outside = tempfile::tempdir().unwrap();
    fs::create_dir_all(outside.path().join("Entities")).unwrap();
    fs::write(outside.path().join("x.jasset"), rock(A, 1)).unwrap();
    fs::write(outside.path().join("Entities/y.jasset"), rock(B, 1)).unwrap();
    fs::write(outside.path().join("WorldSettings.jasset"), "; asset_type: rubbish\n").unwrap();
    let content = Content::of(&[]);
    symlink(outside.path().join("x.jasset"), content.at("X.jasset")).unwrap();
    symlink(outside.path().join("WorldSettings.jasset"), content.root().join("Worlds/W/WorldSettings.jasset")).unwrap();
    symlink("nowhere", content.at("Y.jasset")).unwrap();
    symlink(".", content.at("Z.jasset")).unwrap();
    let (world, report) = content.load();
    assert_eq!(world.len(), 0);
    let expected = [
        (Code::ReadFailed, "Y.jasset"),
        (Code::ReadFailed, "Z.jasset"),
        (Code::SymlinkEscapes, "WorldSettings.jasset"),
        (Code::SymlinkEscapes, "X.jasset"),
    ];
    let mut found = codes(&report.diagnostics);
    found.sort_by_key(|&(code, file)| (code.as_str(), file));
    let mut expected = expected.to_vec();
    expected.sort_by_key(|&(code, file)| (code.as_str(), file));
    assert_eq!(found, expected);

    symlink(outside.path(), content.root().join("Worlds/Away")).unwrap();
    let error = content.project().load_world("Away").unwrap_err();
    assert!(error.to_string().contains("leaves the content folder"), "{error}");
}

#[test]
fn link_to_a_folder_is_told_and_not_followed() {
    let content = Content::of(&[("A.jasset", &rock(A, 1)), ("sub/B.jasset", &rock(B, 1))]);
    symlink("sub", content.at("more")).unwrap();
    symlink(".", content.at("loop")).unwrap();
    let (world, report) = content.load();
    assert_eq!(world.len(), 2);
    assert_eq!(codes(&report.diagnostics), [(Code::ReadFailed, "loop"), (Code::ReadFailed, "more")]);
    assert!(report.diagnostics.iter().all(|it| !it.is_error()), "{:?}", report.diagnostics);
}

#[test]
fn two_links_to_one_file_are_one_entity() {
    let content = Content::of(&[("B.jasset", &rock(A, 1))]);
    symlink("B.jasset", content.at("A.jasset")).unwrap();
    let (mut world, report) = content.load();
    assert_eq!((world.len(), codes(&report.diagnostics)), (1, vec![(Code::DuplicateId, "B.jasset")]));
    set_hits(&mut world, A, 2);
    save(&mut world);
    assert_eq!(content.text("B.jasset"), rock(A, 2));
    assert!(fs::symlink_metadata(content.at("A.jasset")).unwrap().is_symlink());
}

#[test]
fn file_changed_on_disk_is_not_overwritten_nor_removed() {
    let content = Content::of(&[("A.jasset", &rock(A, 1)), ("B.jasset", &rock(B, 1)), ("C.jasset", &rock(B + 1, 1))]);
    let mut world = content.world();
    content.put("A.jasset", rock(A, 77));
    // The same length, so that only the content tells.
    content.put("B.jasset", rock(B, 2));
    set_hits(&mut world, A, 5);
    set_hits(&mut world, B + 1, 5);
    let gone = by_id(&world, B);
    world.remove(gone).unwrap();
    let report = world.save().unwrap();
    assert_eq!(codes(&report.diagnostics), [(Code::ChangedOnDisk, "A.jasset"), (Code::ChangedOnDisk, "B.jasset")]);
    assert!(!report.is_complete());
    assert_eq!((last(&report.written), report.removed.len()), (vec!["C.jasset"], 0));
    assert_eq!([content.text("A.jasset"), content.text("B.jasset")], [rock(A, 77), rock(B, 2)]);
    assert_eq!((world.dirty(), hits(&world, A)), (vec![by_id(&world, A)], 5));
    // The removal was told once and is given up: the file is not the one that was read.
    assert_eq!(world.removed().count(), 0);
    assert_eq!(codes(&world.save().unwrap().diagnostics), [(Code::ChangedOnDisk, "A.jasset")]);

    // As it was read, and it is saved.
    content.put("A.jasset", rock(A, 1));
    save(&mut world);
    assert_eq!(content.text("A.jasset"), rock(A, 5));
}

#[test]
fn file_removed_on_disk_is_told_and_its_removal_is_done() {
    let content = Content::of(&[("A.jasset", &rock(A, 1)), ("B.jasset", &rock(B, 1))]);
    let mut world = content.world();
    fs::remove_file(content.at("A.jasset")).unwrap();
    fs::remove_file(content.at("B.jasset")).unwrap();
    set_hits(&mut world, A, 5);
    let gone = by_id(&world, B);
    world.remove(gone).unwrap();
    let report = world.save().unwrap();
    assert_eq!(codes(&report.diagnostics), [(Code::ChangedOnDisk, "A.jasset")]);
    assert!(report.diagnostics[0].message.contains("removed from disk"));
    assert_eq!((content.names().len(), world.removed().count(), world.dirty().len()), (0, 0, 1));
}

#[test]
fn file_that_holds_what_is_to_be_saved_already_is_saved() {
    let content = Content::of(&[("A.jasset", &rock(A, 1))]);
    let mut world = content.world();
    set_hits(&mut world, A, 9);
    content.put("A.jasset", rock(A, 9));
    assert_eq!(save(&mut world).written.len(), 0);
    set_hits(&mut world, A, 10);
    assert_eq!(save(&mut world).written.len(), 1);
}

#[test]
fn duplicate_id_goes_to_the_file_named_after_it_whatever_the_order() {
    let named = format!("{A:#018x}.jasset");
    for (names, owner) in [
        (["A.jasset", "B.jasset", "C.jasset"], "A.jasset"),
        (["A.jasset", &*named, "zz.jasset"], &*named),
        (["a/Z.jasset", "b/A.jasset", "c/0x20000000000000a.jasset"], "c/0x20000000000000a.jasset"),
    ] {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let content = Content::of(&[]);
            order.iter().for_each(|&index| content.put(names[index], rock(A, index as u32)));
            content.put("free.jasset", rock(B, 50));
            let before = content.snapshot();
            let (mut world, report) = content.load();
            assert_eq!((world.len(), report.skipped), (2, 2));
            assert!(world.file_of(by_id(&world, A)).unwrap().ends_with(&format!("/{owner}")));
            let losers = names.iter().filter(|name| **name != owner);
            for (diagnostic, loser) in report.diagnostics.iter().zip(losers) {
                assert_eq!((diagnostic.code, diagnostic.line), (Code::DuplicateId, 2));
                assert!(diagnostic.file.ends_with(loser), "{} {loser}", diagnostic.file);
                assert!(diagnostic.message.contains(owner) && diagnostic.message.contains("0x020000000000000a"));
                assert!(diagnostic.related[0].file.ends_with(owner));
                assert_eq!(diagnostic.related[0].line, 2);
            }
            set_hits(&mut world, A, 60);
            save(&mut world);
            let mut after = before;
            after.insert(format!("{ENTITIES}/{owner}"), rock(A, 60).into());
            assert!(content.snapshot() == after);
        }
    }
}

#[test]
fn ids_of_refused_files_are_never_given_out() {
    // All of one namespace, that of the working copy.
    let id = |counter: u64| 0x0123_0000_0000_0000 | counter;
    let latin1 = [rock(id(60), 1).as_bytes(), b"# gr\xfcn\n"].concat();
    let content = Content::of(&[
        ("good.jasset", &rock(id(1), 1)),
        ("value.jasset", &rock(id(20), 1).replace("Hits: 1", "Hits: many")),
        ("class.jasset", &rock(id(30), 1).replace("Rock", "Rok")),
        ("marker.jasset", &format!("{}<<<<<<< HEAD\n", rock(id(40), 1))),
        ("version.jasset", &format!("; class_version: 9\n{}", rock(id(50), 1))),
        ("spelling.jasset", "; class\nRock\n; id\n0x0123000000000037\nHits: 3\n"),
    ]);
    content.put("bytes.jasset", latin1);
    content.put("0x0123000000000046.jasset", rock(id(2), 1));
    fs::create_dir(content.root().join(".juliet")).unwrap();
    fs::write(content.root().join(".juliet/namespace"), "0x0123\n").unwrap();
    let (mut world, report) = content.load();
    // That of an unknown class is in the world.
    assert_eq!((world.len(), report.skipped), (3, 5), "{:?}", codes(&report.diagnostics));
    let new = world.spawn(Rock { scale: 1.0, hits: 1 }, Vec3::ZERO).unwrap();
    // Past the file that is named after 0x46 as well: its name is taken.
    assert_eq!(world.base(new).unwrap().id(), id(0x47));
    save(&mut world);
    assert_eq!(content.load().0.len(), 4);
}

#[test]
fn new_entity_never_takes_the_file_of_another() {
    let id = |counter: u64| 0x0123_0000_0000_0000 | counter;
    let content = Content::of(&[("0x0123000000000006.jasset", &rock(id(5), 1))]);
    fs::create_dir(content.root().join(".juliet")).unwrap();
    fs::write(content.root().join(".juliet/namespace"), "0x0123\n").unwrap();
    let mut world = content.world();
    let new = world.spawn(Rock { scale: 1.0, hits: 66 }, Vec3::ZERO).unwrap();
    let new = world.base(new).unwrap().id();
    set_hits(&mut world, id(5), 55);
    save(&mut world);
    let again = content.world();
    assert_eq!((again.len(), hits(&again, id(5)), hits(&again, new)), (2, 55, 66));
}

#[test]
fn file_without_an_id_has_one_of_its_path_and_gets_it_when_it_is_changed() {
    let text = "; entity_type: Rock\nPosition: 1.0, 2.0, 3.0\nHits: 1\n";
    let content = Content::of(&[("A.jasset", text), ("B.jasset", text), ("N.jasset", "; class\nRock\n; hits\n1\n")]);
    let before = content.snapshot();
    let mut world = content.world();
    let handle = |world: &World, name: &str| {
        world.iter().map(|base| base.handle()).find(|&it| world.file_of(it).unwrap().ends_with(name)).unwrap()
    };
    let ids = ["A.jasset", "B.jasset", "N.jasset"].map(|name| world.base(handle(&world, name)).unwrap().id());
    assert!(ids.iter().all(|id| id >> 48 == 0xFFFF), "{ids:x?}");
    assert!(content.world().find_by_id(ids[0]).is_some());
    // Nothing changed, so nothing is written: not the id either.
    assert_eq!(world.save_all().unwrap().written.len(), 0);
    let a = handle(&world, "A.jasset");
    world.get_mut::<Rock>(a).unwrap().hits = 2;
    assert!(world.is_dirty(a));
    world.get_mut::<Rock>(a).unwrap().hits = 1;
    assert!(!world.is_dirty(a));
    assert_eq!(save(&mut world).written.len(), 0);
    assert!(content.snapshot() == before);

    world.get_mut::<Rock>(a).unwrap().hits = 2;
    let node = handle(&world, "N.jasset");
    world.set_position(node, [0.0, 1.0, 0.0]).unwrap();
    assert_eq!(last(&save(&mut world).written), ["A.jasset", "N.jasset"]);
    assert_eq!(
        content.text("A.jasset"),
        format!("; entity_type: Rock\n; id: {}\nPosition: 1.0, 2.0, 3.0\nHits: 2\n", hex(ids[0]))
    );
    let node = format!("; class\nRock\n; id\n{}\n; position\n0.0 1.0 0.0\n; hits\n1\n", hex(ids[2]));
    assert_eq!(content.text("N.jasset"), node);
    let again = content.world();
    assert_eq!((again.len(), hits(&again, ids[0]), hits(&again, ids[1])), (3, 2, 1));

    // A copy has an id of its own in a file of its own.
    let copy = world.duplicate(handle(&world, "B.jasset")).unwrap();
    assert!(world.is_dirty(copy));
    assert_eq!(save(&mut world).written.len(), 1);
    assert_eq!(content.world().len(), 4);
}

#[test]
fn world_settings_are_looked_at_and_never_written() {
    let content = Content::of(&[("A.jasset", &rock(A, 1)), ("WorldSettings.jasset", &rock(B, 1))]);
    let settings = content.root().join("Worlds/W/WorldSettings.jasset");
    for (text, code) in [
        ("; asset_type: world_settings\n; version: 1\nSky: blue\n", None),
        ("# mine\r\n; asset_type: world_settings\r\n; version: 1", None),
        ("; asset_type: mesh\n; version: 1\n", Some(Code::BadSettings)),
        ("; asset_type: world_settings\n; version: 99\n", Some(Code::BadSettings)),
        ("", Some(Code::BadSettings)),
    ] {
        fs::write(&settings, text).unwrap();
        let (mut world, report) = content.load();
        // The file of that name below is an entity like any other.
        assert_eq!(world.len(), 2);
        assert_eq!(
            codes(&report.diagnostics),
            code.map(|code| (code, "WorldSettings.jasset")).into_iter().collect::<Vec<_>>(),
            "{text:?}"
        );
        let hit = hits(&world, A) + 1;
        set_hits(&mut world, A, hit);
        save(&mut world);
        assert_eq!(fs::read_to_string(&settings).unwrap(), text);
    }
    fs::write(&settings, b"; asset_type: world_settings\n\xff\n").unwrap();
    assert_eq!(codes(&content.load().1.diagnostics), [(Code::NotUtf8, "WorldSettings.jasset")]);
    fs::remove_file(&settings).unwrap();
    let mut world = content.world();
    set_hits(&mut world, A, 1);
    save(&mut world);
    assert!(!settings.exists());
}

#[test]
fn names_with_blanks_and_letters_of_all_kinds_keep_their_bytes() {
    let names = [
        "a rock.jasset",
        " .jasset",
        "gr\u{fc}n.jasset",
        "gru\u{308}n.jasset",
        "岩 🪨.jasset",
        "a;b#c:d.jasset",
        "x\ny.jasset",
        "CON.jasset",
        "a\\b.jasset",
    ];
    let content = Content::of(&[]);
    for (index, name) in names.iter().enumerate() {
        content.put(name, rock(A + index as u64, 1));
    }
    let before = content.names();
    let mut world = content.world();
    for (index, name) in names.iter().enumerate() {
        let id = A + index as u64;
        assert!(world.file_of(by_id(&world, id)).unwrap().ends_with(name));
        set_hits(&mut world, id, 2);
    }
    let report = world.save().unwrap();
    assert_eq!(content.names(), before);
    // A separator of another system in a name cannot be written everywhere; it is told.
    assert_eq!(codes(&report.diagnostics), [(Code::WriteFailed, "a\\b.jasset")]);
    for (index, name) in names.iter().enumerate() {
        assert_eq!(content.text(name), rock(A + index as u64, if name.contains('\\') { 1 } else { 2 }), "{name:?}");
    }
}

#[test]
fn names_that_are_not_utf8_are_told_and_left() {
    let content = Content::of(&[("A.jasset", &rock(A, 1))]);
    let file = content.entities().join(std::ffi::OsStr::from_bytes(b"gr\xfcn.jasset"));
    let folder = content.entities().join(std::ffi::OsStr::from_bytes(b"f\xfcr"));
    fs::write(&file, rock(B, 1)).unwrap();
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("x.jasset"), rock(B, 1)).unwrap();
    let (world, report) = content.load();
    assert_eq!(world.len(), 1);
    assert_eq!(
        codes(&report.diagnostics),
        [(Code::ReadFailed, "f\u{fffd}r"), (Code::ReadFailed, "gr\u{fffd}n.jasset")]
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), rock(B, 1));
}

#[test]
fn loading_writes_nothing_on_any_disk() {
    for saved_before in [false, true] {
        let content =
            Content::of(&[("A.jasset", &rock(A, 1)), ("B.jasset", "rubbish\n"), ("C.jasset", "; entity_type: Rock\n")]);
        if saved_before {
            let (mut world, _) = content.load();
            set_hits(&mut world, A, 2);
            let _report = world.save().unwrap();
        }
        let before = content.snapshot();
        let read_only = quick().read_only(&content.root());
        let (mut world, report) = content.load_on(&read_only);
        assert_eq!((world.len(), report.skipped), (2, 1));
        assert_eq!(codes(&report.diagnostics).len(), 1, "{:?}", report.diagnostics);
        let counts = read_only.counts();
        assert_eq!((counts.opened_for_writing, counts.renamed, counts.removed, counts.written_bytes), (0, 0, 0, 0));
        assert_eq!(content.root().join(".juliet").exists(), saved_before);
        assert!(content.snapshot() == before);
        // It can be looked at and changed in memory; a save and a new id are errors.
        set_hits(&mut world, A, 7);
        assert!(world.save().is_err());
        assert_eq!((hits(&world, A), world.dirty().len()), (7, 1));
        assert_eq!(
            world.spawn(Rock { scale: 1.0, hits: 1 }, Vec3::ZERO).is_err(),
            !saved_before || !content.root().join(".juliet/namespace").exists()
        );
    }
}

#[test]
fn folder_without_permission_is_told_and_the_rest_loads() {
    let content = Content::of(&[("A.jasset", &rock(A, 1)), ("x/B.jasset", &rock(B, 1))]);
    let base = {
        let fs = quick();
        content.load_on(&fs);
        fs.counts().operations
    };
    for number in 0..base {
        let fs = quick().fail_at(number, std::io::ErrorKind::PermissionDenied);
        let Ok(project) = Project::open_on(Arc::new(fs), content.root(), registry()) else { continue };
        match project.load_world("W") {
            Err(error) => assert!(error.to_string().contains("permission denied"), "{error}"),
            Ok((world, report)) => {
                assert!(world.len() == 2 || report.has_errors(), "operation {number}: {:?}", report.diagnostics)
            }
        }
    }
}
