//! Files, paths and loaders that mean harm: a finding each, and nothing else suffers.

use juliet_core::diag::Code;

use super::*;
use crate::assets::{LoadState, Mesh, Texture};

/// What loading one path as words finds; a sound neighbour loads.
fn refused(folder: &Folder, path: &str) -> Diagnostic {
    folder.put("good.txt", "good");
    let mut assets = folder.assets();
    let (bad, good) = (assets.load::<Words>(path), assets.load::<Words>("Assets/good.txt"));
    let report = assets.wait();
    assert_eq!((bad.state(), good.state()), (LoadState::Failed, LoadState::Ready), "{path}");
    assert_eq!(bad.get().unwrap().0, "placeholder");
    assert_eq!(report.diagnostics.len(), 1, "{path}: {:?}", printed(&report));
    report.diagnostics.into_iter().next().unwrap()
}

#[test]
fn paths_that_are_none_are_refused_and_nothing_outside_is_touched() {
    let folder = Folder::new(&[("a.txt", "a"), (".hidden/a.txt", "a"), (".a.txt", "a")]);
    fs::write(folder.temp.path().join("secret.txt"), "secret").unwrap();
    let long = format!("Assets/{}.txt", "x/".repeat(50_000));
    let cases = [
        ("", Code::BadPath),
        ("/etc/passwd.txt", Code::BadPath),
        ("C:\\a.txt", Code::BadPath),
        ("Assets/../secret.txt", Code::BadPath),
        ("Assets\\..\\..\\secret.txt", Code::BadPath),
        ("../secret.txt", Code::BadPath),
        ("Other/a.txt", Code::BadPath),
        ("Assets", Code::BadPath),
        ("Assets/a\0.txt", Code::BadPath),
        ("Assets/a.txt:stream", Code::BadPath),
        ("Assets/a.txt/b.txt", Code::AssetNotFound),
        ("Assets/.hidden/a.txt", Code::AssetNotFound),
        ("Assets/.a.txt", Code::AssetNotFound),
        (&long, Code::AssetNotFound),
    ];
    for (path, code) in cases {
        let found = refused(&folder, path);
        assert_eq!(found.code, code, "{found}");
        assert!(found.to_string().starts_with(path) || path.contains('\0') || path.is_empty(), "{found}");
    }
    // One file each time: the neighbour.
    assert_eq!(folder.files.counts().opened_for_reading, cases.len() as u64);
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_and_refused_outside() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new(&[("Sub/a.txt", "linked")]);
    fs::create_dir(folder.temp.path().join("Outside")).unwrap();
    fs::write(folder.temp.path().join("Outside/secret.txt"), "secret").unwrap();
    symlink("Sub/a.txt", folder.path("inside.txt")).unwrap();
    symlink("../Outside/secret.txt", folder.path("out.txt")).unwrap();
    symlink("../Outside", folder.path("Out")).unwrap();
    symlink("/dev/zero", folder.path("endless.txt")).unwrap();
    symlink("loop.txt", folder.path("loop.txt")).unwrap();
    symlink("nowhere.txt", folder.path("nowhere.txt.txt")).unwrap();
    symlink("Sub", folder.path("folder.txt")).unwrap();
    let mut assets = folder.assets();
    let inside = assets.load::<Words>("Assets/inside.txt");
    assets.wait();
    assert_eq!(inside.get().unwrap().0, "linked");
    let cases = [
        ("out.txt", Code::SymlinkEscapes),
        ("Out/secret.txt", Code::SymlinkEscapes),
        ("endless.txt", Code::SymlinkEscapes),
        ("loop.txt", Code::AssetUnreadable),
        ("nowhere.txt.txt", Code::AssetNotFound),
        ("folder.txt", Code::AssetUnreadable),
    ];
    for (name, code) in cases {
        let found = refused(&folder, &format!("Assets/{name}"));
        assert_eq!(found.code, code, "{found}");
    }
    folder.put("Sub/a.txt", "changed behind the link");
    assets.poll_changes();
    assets.wait();
    assert_eq!(inside.get().unwrap().0, "changed behind the link");
}

#[cfg(unix)]
#[test]
fn folders_pipes_and_files_above_the_limit_are_not_opened() {
    let folder = Folder::new(&[("Folder.txt/inner", "x")]);
    let pipe = folder.path("pipe.txt");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    for (name, words) in [("Folder.txt", "it is a folder"), ("pipe.txt", "it is something other than a file")] {
        let found = refused(&folder, &format!("Assets/{name}"));
        assert_eq!(found.code, Code::AssetUnreadable);
        assert!(found.message.starts_with(words), "{found}");
    }
    // A terabyte of nothing.
    fs::File::create(folder.path("large.txt")).unwrap().set_len(1 << 40).unwrap();
    let found = refused(&folder, "Assets/large.txt");
    assert_eq!(&*found.message, "the file has 1099511627776 bytes, the limit is 268435456");
    assert_eq!(folder.files.counts().opened_for_reading, 3);
}

#[test]
fn file_that_grows_past_the_limit_after_it_was_looked_at_is_not_read_further() {
    let folder = Folder::new(&[("a.txt", "small")]);
    let mut assets = folder.assets_with(AssetOptions { threads: 0, file_limit_bytes: 8 });
    let handle = assets.load::<Words>("Assets/a.txt");
    assets.update();
    assert!(assets.run_one());
    folder.put("a.txt", "larger than eight bytes");
    let report = assets.wait();
    assert_eq!(printed(&report), ["Assets/a.txt: error[JA0602]: the file has 23 bytes, the limit is 8"]);
    fs::remove_file(folder.path("a.txt")).unwrap();
    folder.put("a.txt", "8 bytes!");
    assets.poll_changes();
    assets.update();
    assert!(assets.run_one());
    fs::remove_file(folder.path("a.txt")).unwrap();
    let report = assets.wait();
    assert_eq!((report.diagnostics[0].code, handle.state()), (Code::AssetNotFound, LoadState::Failed));
    assert!(assets.progress().is_idle());
}

#[test]
fn each_step_of_the_disk_may_fail() {
    let folder = Folder::new(&[("Sub/a.txt", "hello")]);
    let steps = {
        let mut assets = folder.assets();
        let before = folder.files.counts().operations;
        let _handle = assets.load::<Words>("Assets/Sub/a.txt");
        assets.wait();
        folder.files.counts().operations - before
    };
    assert_eq!(steps, 4, "two folders listed, the file looked at and read");
    for step in 0..steps {
        let mut assets = folder.assets();
        let now = folder.files.counts().operations;
        let _files = folder.files.clone().fail_at(now + step, std::io::ErrorKind::PermissionDenied);
        let handle = assets.load::<Words>("Assets/Sub/a.txt");
        let report = assets.wait();
        assert_eq!((handle.state(), report.diagnostics[0].code), (LoadState::Failed, Code::AssetUnreadable), "{step}");
        folder.files.mend();
        assets.poll_changes();
        assert_eq!(changed(&assets.wait()), ["Assets/Sub/a.txt"]);
    }
}

/// Panics with a payload that panics when it is dropped, as long as it is told to.
struct Bomb(u32);

impl Drop for Bomb {
    fn drop(&mut self) {
        if self.0 > 0 {
            std::panic::panic_any(Bomb(self.0 - 1));
        }
    }
}

/// An asset whose loader or drop panics, as its file says.
struct Trap(bool);

impl Asset for Trap {
    fn placeholder() -> Self {
        Self(false)
    }
}

impl Drop for Trap {
    fn drop(&mut self) {
        assert!(!self.0, "dropped");
    }
}

struct TrapLoader;

impl AssetLoader for TrapLoader {
    type Asset = Trap;

    fn extensions(&self) -> &[&str] {
        &["trap"]
    }

    fn load(&self, bytes: &[u8]) -> Result<Trap, LoadError> {
        match bytes {
            b"bomb" => std::panic::panic_any(Bomb(3)),
            b"number" => std::panic::panic_any(7_u8),
            b"drop" => Ok(Trap(true)),
            _ => Ok(Trap(false)),
        }
    }
}

#[test]
fn panic_in_a_loader_is_a_failed_load() {
    let folder = Folder::new(&[("a.txt", "panic now"), ("b.trap", "bomb"), ("c.trap", "number"), ("d.txt", "fine")]);
    for threads in [0, 1, 3] {
        let mut assets = folder.assets_with(AssetOptions { threads, ..AssetOptions::default() });
        assets.add_loader(TrapLoader);
        let words = ["Assets/a.txt", "Assets/d.txt"].map(|path| assets.load::<Words>(path));
        let traps = ["Assets/b.trap", "Assets/c.trap"].map(|path| assets.load::<Trap>(path));
        let report = assets.wait();
        let expected = [
            "Assets/a.txt: error[JA0603]: the loader panicked: as the file says: panic now",
            "Assets/b.trap: error[JA0603]: the loader panicked: without words",
            "Assets/c.trap: error[JA0603]: the loader panicked: without words",
        ];
        assert_eq!(printed(&report), expected);
        assert_eq!(words.map(|it| it.state()), [LoadState::Failed, LoadState::Ready]);
        assert!(traps.iter().all(|trap| !trap.get().unwrap().0));
    }
}

#[test]
fn panic_in_the_drop_of_a_former_value_is_told_and_the_rest_is_taken_in() {
    let folder = Folder::new(&[("a.trap", "drop"), ("b.txt", "one")]);
    let mut assets = folder.assets();
    assets.add_loader(TrapLoader);
    let (trap, words) = (assets.load::<Trap>("Assets/a.trap"), assets.load::<Words>("Assets/b.txt"));
    assets.wait();
    folder.put("a.trap", "none");
    folder.put("b.txt", "two");
    assets.poll_changes();
    let report = assets.wait();
    assert_eq!(printed(&report), ["Assets/a.trap: error[JA0603]: the drop of its former value panicked: dropped"]);
    assert_eq!((changed(&report).len(), trap.revision(), &*words.get().unwrap().0), (2, 2, "two"));
    folder.put("a.trap", "drop");
    assets.poll_changes();
    assets.wait();
    drop((trap, words));
    let unloaded = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| assets.unload_unused()));
    assert!(unloaded.is_err() && assets.is_empty(), "all are forgotten before the panic goes on");
}

#[test]
fn any_bytes_are_an_asset_or_a_finding() {
    let sound: [(&str, Vec<u8>); 3] = [
        ("obj", TRIANGLE.into()),
        ("png", picture(9, 7, ImageFormat::Png)),
        ("jpg", picture(20, 9, ImageFormat::Jpeg)),
    ];
    let mut seed = 1_u64;
    let mut next = |end: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % end
    };
    let (meshes, pictures) = (crate::assets::ObjLoader::default(), crate::assets::ImageLoader::default());
    let mut refused = 0;
    for round in 0..3_000 {
        let (kind, bytes) = &sound[round % 3];
        let mut bytes = bytes.clone();
        for _ in 0..1 + next(4) {
            let at = next(bytes.len());
            match next(3) {
                0 => bytes[at] = next(256) as u8,
                1 => bytes.truncate(at.max(1)),
                _ => drop(bytes.splice(at..at, (0..next(9)).map(|byte| byte as u8 * 31))),
            }
        }
        // What the loader panics at would be told; none of ours may.
        let is_sound = match *kind {
            "obj" => {
                meshes.load(&bytes).is_ok_and(|it| it.triangles().flatten().all(|i| (i as usize) < it.positions.len()))
            }
            _ => pictures
                .load(&bytes)
                .is_ok_and(|it| it.pixels.len() as u64 == u64::from(it.width) * u64::from(it.height) * 4),
        };
        refused += usize::from(!is_sound);
    }
    assert!((500..2_900).contains(&refused), "{refused}");
}

#[test]
fn wrong_content_of_each_format_is_refused() {
    let png = picture(4, 4, ImageFormat::Png);
    let contents: [(&str, &[u8]); 6] = [
        ("empty", b""),
        ("text", b"hello"),
        ("zeros", &[0; 4096]),
        ("png", &png),
        ("gif", b"GIF89a....."),
        ("ff", &[0xFF; 99]),
    ];
    for (name, bytes) in contents {
        let folder = Folder::new(&[("a.obj", bytes), ("a.png", bytes), ("a.jpg", bytes)]);
        let mut assets = folder.assets();
        let mesh = assets.load::<Mesh>("Assets/a.obj");
        let textures = ["Assets/a.png", "Assets/a.jpg"].map(|path| assets.load::<Texture>(path));
        let report = assets.wait();
        assert_eq!(mesh.state(), LoadState::Failed, "{name}");
        let expected = if name == "png" { LoadState::Ready } else { LoadState::Failed };
        assert_eq!(textures.map(|it| it.state()), [expected; 2], "{name}: the content decides, not the extension");
        assert!(report.diagnostics.iter().all(|it| it.code == Code::AssetBroken), "{:?}", printed(&report));
    }
}
