//! Handles, and what is loaded how often.

use std::sync::Arc;

use juliet_core::class::shape::AssetRef;

use super::*;
use crate::assets::{Amount, AssetProgress, Handle, LoadState, Mesh, Texture};

fn words(handle: &Handle<Words>) -> Option<String> {
    handle.get().map(|words| words.0.clone())
}

#[test]
fn handle_is_loading_until_an_update_takes_the_value_in() {
    let folder = Folder::new(&[("a.txt", "hello")]);
    let mut assets = folder.assets();
    let handle = assets.load::<Words>("Assets/a.txt");
    let is_loading = |handle: &Handle<Words>| handle.state() == LoadState::Loading && handle.get().is_none();
    assert!(is_loading(&handle) && !assets.run_one(), "nothing begins before the update");
    assets.update();
    assert!(is_loading(&handle));
    while assets.run_one() {}
    assert!(is_loading(&handle), "it does not change within a frame");
    let report = assets.update();
    assert_eq!((changed(&report), printed(&report)), (vec!["Assets/a.txt"], vec![]));
    assert_eq!((handle.state(), words(&handle).unwrap(), handle.revision()), (LoadState::Ready, "hello".into(), 1));
    assert_eq!(changed(&assets.update()), [""; 0]);
}

#[test]
fn failed_load_shows_the_placeholder_and_is_told_once() {
    let folder = Folder::new(&[("a.txt", "bad luck")]);
    let mut assets = folder.assets();
    let handle = assets.load::<Words>("Assets/a.txt");
    let report = assets.wait();
    assert_eq!(printed(&report), ["Assets/a.txt:3:1: error[JA0603]: bad luck"]);
    assert_eq!(
        (handle.state(), words(&handle).unwrap(), handle.revision()),
        (LoadState::Failed, "placeholder".into(), 0)
    );
    assert_eq!(assets.fault_of(&handle), report.diagnostics.first());
    assert_eq!(printed(&assets.wait()), [""; 0]);
}

#[test]
fn path_is_loaded_once_however_it_is_written() {
    let folder = Folder::new(&[("Sub/a.txt", "hello")]);
    let mut assets = folder.assets();
    let spellings = ["Assets/Sub/a.txt", "./Assets//Sub/a.txt", "Assets\\Sub\\a.txt", "Assets/Sub/../Sub/a.txt"];
    let handles = spellings.map(|path| assets.load::<Words>(path));
    let before = &mut (0, 0);
    folder.opened(before);
    assets.wait();
    let again = assets.load::<Words>(spellings[0]);
    let referred = assets.load_ref(AssetRef::<Words>::new(spellings[2]).unwrap()).unwrap();
    assets.wait();
    assert_eq!(folder.opened(before), (1, 2));
    assert!(handles.iter().chain([&again, &referred]).all(|it| *it == handles[0] && it.path() == spellings[0]));
    assert_eq!((assets.len(), words(&again).unwrap()), (1, "hello".into()));
    assert!(assets.load_ref(AssetRef::<Words>::NONE).is_none());
}

#[test]
fn one_file_as_two_types_is_two_assets() {
    let folder = Folder::new(&[("a.txt", "hello")]);
    let mut assets = folder.assets();
    let (as_words, as_mesh) = (assets.load::<Words>("Assets/a.txt"), assets.load::<Mesh>("Assets/a.txt"));
    let report = assets.wait();
    assert_eq!((as_words.state(), as_mesh.state()), (LoadState::Ready, LoadState::Failed));
    let expected = "Assets/a.txt: error[JA0604]: no loader for this type of asset reads files of this name";
    assert_eq!(printed(&report), [expected]);
    assert_eq!(as_mesh.get().unwrap().triangles().count(), 12, "a cube");
}

#[test]
fn wrong_case_is_an_error_that_names_the_right_one() {
    let folder = Folder::new(&[("Sub/a.txt", "hello")]);
    let mut assets = folder.assets();
    let (wrong, beginning) = (assets.load::<Words>("Assets/sub/A.txt"), assets.load::<Words>("assets/Sub/a.txt"));
    let report = assets.wait();
    let line = |path: &str, asked: &str| {
        format!("{path}: error[JA0601]: no `{asked}` with this case; there is `Assets/Sub/a.txt`")
    };
    let expected = [line("Assets/sub/A.txt", "Assets/sub/A.txt"), line("assets/Sub/a.txt", "assets/Sub/a.txt")];
    assert_eq!(printed(&report), expected);
    assert_eq!(report.diagnostics[0].help.as_deref(), Some("did you mean `Assets/Sub/a.txt`?"));
    assert_eq!((wrong.state(), beginning.state()), (LoadState::Failed, LoadState::Failed));
}

#[test]
fn extension_counts_in_any_case_and_the_latest_loader_wins() {
    struct Shout;
    impl AssetLoader for Shout {
        type Asset = Words;
        fn extensions(&self) -> &[&str] {
            &["TXT"]
        }
        fn load(&self, bytes: &[u8]) -> Result<Words, LoadError> {
            Ok(Words(String::from_utf8_lossy(bytes).to_uppercase()))
        }
    }
    let folder = Folder::new(&[("a.txt", "hello"), ("b.TxT", "you"), ("txt", "no extension")]);
    let mut assets = folder.assets();
    let first = assets.load::<Words>("Assets/a.txt");
    assets.wait();
    assets.add_loader(Shout);
    let (second, without) = (assets.load::<Words>("Assets/b.TxT"), assets.load::<Words>("Assets/txt"));
    assets.wait();
    assert_eq!((words(&first), words(&second)), (Some("hello".into()), Some("YOU".into())));
    assert_eq!(without.state(), LoadState::Failed);
}

#[test]
fn only_what_has_no_handle_is_unloaded_and_a_new_load_reads_anew() {
    let folder = Folder::new(&[("a.txt", "a"), ("b.txt", "b"), ("bad.txt", "bad")]);
    let mut assets = folder.assets();
    let kept = assets.load::<Words>("Assets/a.txt");
    let value = {
        let dropped = assets.load::<Words>("Assets/b.txt");
        drop(assets.load::<Words>("Assets/bad.txt"));
        assert_eq!(assets.unload_unused(), 0, "what is waited for stays");
        assets.wait();
        dropped.get().unwrap()
    };
    let clone = kept.clone();
    drop(kept);
    assert_eq!((assets.unload_unused(), assets.len()), (2, 1));
    assert_eq!(Arc::strong_count(&value), 1, "a value that somebody holds outlives its asset");
    let before = &mut (0, 0);
    folder.opened(before);
    let again = assets.load::<Words>("Assets/b.txt");
    assets.load::<Words>("Assets/a.txt");
    assets.wait();
    assert_eq!((folder.opened(before).0, words(&again).unwrap()), (1, "b".into()));
    drop((clone, again));
    assert_eq!((assets.unload_unused(), assets.is_empty()), (2, true));
}

#[test]
fn progress_counts_files_and_bytes_and_only_grows() {
    let folder = Folder::new(&[("a.txt", "12345"), ("b.txt", "bad"), ("c.txt", "1234567")]);
    let mut assets = folder.assets();
    let _handles = ["a", "b", "c", "missing"].map(|it| assets.load::<Words>(&format!("Assets/{it}.txt")));
    let amount = |count, size_bytes| Amount { count, size_bytes };
    let progress = |total, done, failed| AssetProgress { total, done, failed };
    assert_eq!(assets.progress(), progress(amount(4, 0), amount(0, 0), amount(0, 0)));
    assets.update();
    assert!(assets.run_one());
    assets.update();
    assert_eq!(assets.progress(), progress(amount(4, 15), amount(0, 0), amount(1, 0)), "one look knows all sizes");
    assert!(assets.run_one() && !assets.progress().is_idle());
    assets.update();
    assert_eq!(assets.progress(), progress(amount(4, 15), amount(1, 5), amount(1, 0)));
    assets.wait();
    assert_eq!(assets.progress(), progress(amount(4, 15), amount(2, 12), amount(2, 3)));
    folder.put("a.txt", "123456");
    assert_eq!(assets.poll_changes(), 4);
    assets.wait();
    let after = assets.progress();
    // All three files are young, so they are opened again.
    assert_eq!(after, progress(amount(7, 31), amount(5, 28), amount(2, 3)));
    assert!(after.is_idle());
}

#[test]
fn folders_are_listed_once_for_all_that_is_asked_for_in_a_frame() {
    let names: Vec<String> = (0..50).map(|i| format!("Sub/{i}.txt")).collect();
    let files: Vec<(&str, &str)> = names.iter().map(|name| (&**name, "x")).collect();
    let folder = Folder::new(&files);
    let mut assets = folder.assets();
    // Half of them are not there.
    let handles: Vec<_> = (0..100).map(|i| assets.load::<Words>(&format!("Assets/Sub/{i}.txt"))).collect();
    let before = &mut (0, 0);
    folder.opened(before);
    let report = assets.wait();
    assert_eq!(folder.opened(before), (50, 2));
    assert_eq!((report.changed.len(), report.diagnostics.len(), handles.len()), (50, 50, 100));
}

#[test]
fn handle_of_another_owner_has_no_fault_here_and_outlives_its_own() {
    let folder = Folder::new(&[("a.txt", "bad")]);
    let (mut assets, mut others) = (folder.assets(), folder.assets());
    let (own, other) = (assets.load::<Words>("Assets/a.txt"), others.load::<Words>("Assets/a.txt"));
    assets.wait();
    others.wait();
    assert!(own != other && assets.fault_of(&own).is_some() && assets.fault_of(&other).is_none());
    drop((assets, others));
    assert_eq!(words(&own).unwrap(), "placeholder");
}

#[test]
fn placeholders_are_a_checker_and_a_cube() {
    let folder = Folder::new::<&str>(&[]);
    let mut assets = folder.assets();
    let (texture, mesh) = (assets.load::<Texture>("Assets/none.png"), assets.load::<Mesh>("Assets/none.obj"));
    assets.wait();
    let texture = texture.get().unwrap();
    let colours = [(0, 0), (2, 0), (1, 3), (3, 3), (7, 7)].map(|(x, y)| texture.pixel(x, y).unwrap());
    let (magenta, black) = ([255, 0, 255, 255], [0, 0, 0, 255]);
    assert_eq!(colours, [magenta, black, black, magenta, magenta]);
    assert_eq!((texture.pixels.len(), texture.pixel(8, 0), texture.pixel(0, 8)), (8 * 8 * 4, None, None));
    let mesh = mesh.get().unwrap();
    let mut volume = 0.0;
    for corners in mesh.triangles() {
        let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize]);
        assert!(
            (b - a).cross(c - a).normalize().distance(mesh.normals[corners[0] as usize]) < 1e-6,
            "it faces outwards"
        );
        volume += a.dot(b.cross(c)) / 6.0;
    }
    assert!((volume - 1.0_f32).abs() < 1e-6);
    assert!(mesh.positions.iter().all(|place| place.abs() == glam::Vec3::splat(0.5)));
}
