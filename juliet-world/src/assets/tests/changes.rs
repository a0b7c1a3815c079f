//! Files that change while the program runs.

use super::*;
use crate::assets::{Handle, LoadState, Mesh, Texture};

/// Looks again and takes in what comes of it.
fn poll(assets: &mut Assets) -> AssetReport {
    assets.poll_changes();
    assets.wait()
}

fn shown(handle: &Handle<Words>) -> (LoadState, String, u64) {
    (handle.state(), handle.get().unwrap().0.clone(), handle.revision())
}

#[test]
fn changed_file_is_shown_by_the_same_handle() {
    let folder = Folder::new(&[("a.txt", "one"), ("b.txt", "other")]);
    let mut assets = folder.assets();
    let handle = assets.load::<Words>("Assets/a.txt");
    let _other = assets.load::<Words>("Assets/b.txt");
    assets.wait();
    let old = handle.get().unwrap();
    // The same length, and maybe the same time.
    folder.put("a.txt", "two");
    assert_eq!(changed(&assets.wait()), [""; 0], "nobody looked");
    assert_eq!(changed(&poll(&mut assets)), ["Assets/a.txt"]);
    assert_eq!((shown(&handle), &*old.0), ((LoadState::Ready, "two".into(), 2), "one"));
    folder.put("a.txt", "two");
    assert_eq!(changed(&poll(&mut assets)), [""; 0], "the same bytes are no change");
    assert_eq!(handle.revision(), 2);
}

#[test]
fn file_whose_length_and_time_stay_is_not_opened() {
    let folder = Folder::new(&[("a.txt", "one"), ("young.txt", "x")]);
    let before = &mut (0, 0);
    folder.age("a.txt", 10);
    let mut assets = folder.assets();
    let handles = ["Assets/a.txt", "Assets/young.txt"].map(|path| assets.load::<Words>(path));
    folder.opened(before);
    assets.wait();
    assert_eq!(folder.opened(before), (2, 1));
    for _ in 0..3 {
        assert_eq!(changed(&poll(&mut assets)), [""; 0]);
        assert_eq!(folder.opened(before), (1, 1), "the young one alone: a change could have the same time");
    }
    folder.put("a.txt", "two");
    folder.age("a.txt", 20);
    folder.age("young.txt", 20);
    assert_eq!(changed(&poll(&mut assets)), ["Assets/a.txt"]);
    assert_eq!(folder.opened(before), (2, 1));
    assert_eq!((poll(&mut assets).changed.len(), folder.opened(before)), (0, (0, 1)));
    assert_eq!(shown(&handles[0]).1, "two");
}

#[test]
fn file_that_is_cut_off_keeps_its_value_and_is_told_once() {
    let folder = Folder::new(&[("a.txt", "one")]);
    let mut assets = folder.assets();
    let handle = assets.load::<Words>("Assets/a.txt");
    assets.wait();
    for (text, told) in [("", 1), ("", 0), ("bad end", 1), ("bad end", 0)] {
        folder.put("a.txt", text);
        assert_eq!(poll(&mut assets).diagnostics.len(), told, "{text:?}");
        assert!(assets.fault_of(&handle).is_some());
        assert_eq!(shown(&handle), (LoadState::Ready, "one".into(), 1));
    }
    assert_eq!(printed(&poll(&mut assets)), [""; 0]);
    folder.put("a.txt", "");
    assert_eq!(printed(&poll(&mut assets)), ["Assets/a.txt: error[JA0603]: the file is empty"], "it is another fault");
    folder.put("a.txt", "whole");
    assert_eq!(changed(&poll(&mut assets)), ["Assets/a.txt"]);
    assert_eq!((shown(&handle).1, assets.fault_of(&handle)), ("whole".into(), None));
}

#[test]
fn half_of_a_real_file_keeps_the_mesh_and_the_picture() {
    let picture = picture(16, 16, ImageFormat::Png);
    let folder = Folder::new(&[("a.obj", TRIANGLE.as_bytes()), ("a.png", &picture)]);
    let mut assets = folder.assets();
    let (mesh, texture) = (assets.load::<Mesh>("Assets/a.obj"), assets.load::<Texture>("Assets/a.png"));
    assets.wait();
    let (old_mesh, old_texture) = (mesh.get().unwrap(), texture.get().unwrap());
    folder.put("a.obj", &TRIANGLE[..TRIANGLE.len() - 4]);
    folder.put("a.png", &picture[..picture.len() / 2]);
    let report = poll(&mut assets);
    assert_eq!((report.changed.len(), report.diagnostics.len()), (0, 2), "{:?}", printed(&report));
    assert_eq!((mesh.get().unwrap(), texture.get().unwrap()), (old_mesh, old_texture));
}

#[test]
fn file_that_goes_keeps_its_value_and_one_that_comes_is_loaded() {
    let folder = Folder::new(&[("a.txt", "one")]);
    let mut assets = folder.assets();
    let (gone, late) = (assets.load::<Words>("Assets/a.txt"), assets.load::<Words>("Assets/New/late.txt"));
    let report = assets.wait();
    assert_eq!(printed(&report), ["Assets/New/late.txt: error[JA0601]: no `Assets/New` in the content folder"]);
    fs::remove_file(folder.path("a.txt")).unwrap();
    folder.put("New/late.txt", "late");
    let report = poll(&mut assets);
    assert_eq!(changed(&report), ["Assets/New/late.txt"]);
    assert_eq!(printed(&report), ["Assets/a.txt: error[JA0601]: no `Assets/a.txt` in the content folder"]);
    assert_eq!(shown(&late), (LoadState::Ready, "late".into(), 1));
    assert_eq!(shown(&gone), (LoadState::Ready, "one".into(), 1));
    assert_eq!(printed(&poll(&mut assets)), [""; 0]);
    folder.put("a.txt", "one");
    poll(&mut assets);
    assert_eq!((shown(&gone).1, assets.fault_of(&gone)), ("one".into(), None), "back as it was");
}

#[test]
fn change_of_case_is_a_file_that_goes() {
    let folder = Folder::new(&[("a.txt", "one")]);
    let mut assets = folder.assets();
    let handle = assets.load::<Words>("Assets/a.txt");
    assets.wait();
    fs::rename(folder.path("a.txt"), folder.path("A.txt")).unwrap();
    let told = printed(&poll(&mut assets));
    assert_eq!(told, ["Assets/a.txt: error[JA0601]: no `Assets/a.txt` with this case; there is `Assets/A.txt`"]);
    assert_eq!(shown(&handle).0, LoadState::Ready);
}

#[test]
fn look_that_is_asked_for_while_another_runs_looks_at_the_rest() {
    let folder = Folder::new(&[("a.txt", "one"), ("b.txt", "two")]);
    let mut assets = folder.assets();
    let _a = assets.load::<Words>("Assets/a.txt");
    assert_eq!(assets.poll_changes(), 0, "its first load is waited for");
    assets.wait();
    assert_eq!(assets.poll_changes(), 1);
    let _b = assets.load::<Words>("Assets/b.txt");
    assert_eq!(assets.poll_changes(), 0);
    assets.wait();
    assert_eq!(assets.poll_changes(), 2);
}

#[test]
fn loader_that_is_added_later_reads_what_had_none() {
    struct Plain;
    impl AssetLoader for Plain {
        type Asset = Words;
        fn extensions(&self) -> &[&str] {
            &["md", "txt"]
        }
        fn load(&self, bytes: &[u8]) -> Result<Words, LoadError> {
            Ok(Words(String::from_utf8_lossy(bytes).into()))
        }
    }
    let folder = Folder::new(&[("a.md", "one"), ("b.txt", "bad for the first loader"), ("c.txt", "fine")]);
    ["a.md", "b.txt", "c.txt"].iter().for_each(|name| folder.age(name, 10));
    let mut assets = folder.assets();
    let handles = ["a.md", "b.txt", "c.txt"].map(|name| assets.load::<Words>(&format!("Assets/{name}")));
    assets.wait();
    let states = handles.each_ref().map(Handle::state);
    assert_eq!(states, [LoadState::Failed, LoadState::Failed, LoadState::Ready]);
    assets.add_loader(Plain);
    assert_eq!(changed(&poll(&mut assets)), ["Assets/a.md", "Assets/b.txt"]);
    assert_eq!(shown(&handles[1]).1, "bad for the first loader");
}
