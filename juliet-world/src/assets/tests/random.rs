//! Random loads, unloads, changes and looks against a plain model, the work run by hand.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::*;
use crate::assets::{AssetProgress, Handle, LoadState};

const NAMES: u64 = 5;

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
struct Rng(u64);

impl Rng {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}

/// One file: what it holds, and what it ever held that is sound.
#[derive(Default)]
struct File {
    text: Option<String>,
    sound: Vec<String>,
}

impl File {
    /// The text if it is one that loads.
    fn value(&self) -> Option<&String> {
        self.text.as_ref().filter(|text| is_sound(text))
    }
}

fn is_sound(text: &str) -> bool {
    !text.is_empty() && !text.starts_with("bad") && !text.starts_with("panic")
}

/// What the model knows of a path that is loaded.
#[derive(Clone, Default, PartialEq, Debug)]
struct Model {
    shown: Option<String>,
    is_faulty: bool,
    /// Fingerprint and fault of the last text that was read.
    read: Option<String>,
    revision: u64,
}

struct Run {
    folder: Folder,
    rng: Rng,
    files: Vec<File>,
    handles: BTreeMap<u64, Vec<Handle<Words>>>,
    progress: AssetProgress,
    serial: u64,
}

fn name(file: u64) -> String {
    format!("Sub{}/{file}.txt", file % 2)
}

impl Run {
    fn new(seed: u64) -> Self {
        let folder = Folder::new(&[("Sub0/x", ""), ("Sub1/x", "")]);
        let files = (0..NAMES).map(|_| File::default()).collect();
        Self { folder, rng: Rng(seed), files, handles: BTreeMap::new(), progress: AssetProgress::default(), serial: 0 }
    }

    /// Another program works on a file.
    fn change(&mut self) {
        let file = self.rng.below(NAMES);
        self.serial += 1;
        let text = match self.rng.below(32) {
            // A panic is slow where it prints from where it comes.
            0 => Some(format!("panic {}", self.serial)),
            1..=4 => None,
            5..=8 => Some(String::new()),
            9..=14 => Some(format!("bad {}", self.serial)),
            // The same again.
            15..=18 => self.files[file as usize].text.clone(),
            _ => Some(format!("text {:04}", self.serial)),
        };
        let path = self.folder.path(&name(file));
        match &text {
            Some(text) => fs::write(path, text).unwrap(),
            None => drop(fs::remove_file(path)),
        }
        let known = &mut self.files[file as usize];
        known.sound.extend(text.clone().filter(|it| is_sound(it)));
        known.text = text;
    }

    fn load(&mut self, assets: &mut Assets) -> u64 {
        let file = self.rng.below(NAMES);
        let handle = assets.load(&format!("Assets/{}", name(file)));
        self.handles.entry(file).or_default().push(handle);
        file
    }

    fn forget(&mut self) {
        let file = self.rng.below(NAMES);
        if let Some(handles) = self.handles.get_mut(&file) {
            handles.pop();
            if handles.is_empty() {
                self.handles.remove(&file);
            }
        }
    }

    /// What holds at every moment.
    fn check_progress(&mut self, assets: &Assets) {
        let (now, before) = (assets.progress(), self.progress);
        for (now, before) in [(now.total, before.total), (now.done, before.done), (now.failed, before.failed)] {
            assert!(now.count >= before.count && now.size_bytes >= before.size_bytes, "it only grows");
        }
        assert!(now.done.count + now.failed.count <= now.total.count);
        assert!(now.done.size_bytes + now.failed.size_bytes <= now.total.size_bytes);
        self.progress = now;
    }

    fn check_idle(&mut self, assets: &Assets) {
        self.check_progress(assets);
        let progress = assets.progress();
        assert!(progress.is_idle());
        assert_eq!(progress.done.size_bytes + progress.failed.size_bytes, progress.total.size_bytes);
    }
}

/// Every load and look runs to its end at once, so the model knows each value, each count and each finding.
#[test]
fn work_that_ends_at_once_is_what_a_plain_model_says() {
    for seed in 0..20 {
        let mut run = Run::new(seed);
        let mut assets = run.folder.assets();
        let mut model: BTreeMap<u64, Model> = BTreeMap::new();
        let before = &mut (0, 0);
        for _ in 0..120 {
            run.folder.opened(before);
            // The paths that are looked at, and those whose files are opened.
            let (mut looked_at, mut unloaded) = (Vec::new(), 0);
            match run.rng.below(10) {
                0..=3 => run.change(),
                4 | 5 => {
                    let file = run.load(&mut assets);
                    if let Entry::Vacant(unknown) = model.entry(file) {
                        unknown.insert(Model::default());
                        looked_at.push(file);
                    }
                }
                6 => run.forget(),
                7 => unloaded = assets.unload_unused(),
                _ => {
                    assert_eq!(assets.poll_changes(), model.len());
                    looked_at.extend(model.keys());
                }
            }
            if unloaded > 0 {
                let count = model.len();
                model.retain(|file, _| run.handles.contains_key(file));
                assert_eq!(count - model.len(), unloaded);
            }
            let report = assets.wait();
            let (mut new, mut told, mut opened) = (Vec::new(), Vec::new(), 0);
            for file in looked_at {
                let path = format!("Assets/{}", name(file));
                let entry = model.get_mut(&file).unwrap();
                let text = run.files[file as usize].text.clone();
                opened += u64::from(text.is_some());
                match run.files[file as usize].value() {
                    _ if text.is_some() && entry.read == text => {}
                    Some(value) => {
                        (entry.shown, entry.is_faulty) = (Some(value.clone()), false);
                        entry.revision += 1;
                        new.push(path);
                    }
                    // Each text that does not load has its own message, but for that of an empty file.
                    None if entry.is_faulty && (text.is_none() && entry.read.is_none()) => {}
                    None => {
                        entry.is_faulty = true;
                        told.push(path);
                    }
                }
                entry.read = text;
            }
            new.sort();
            assert_eq!((changed(&report), run.folder.opened(before).0), (new.iter().map(|it| &**it).collect(), opened));
            let files: Vec<&str> = report.diagnostics.iter().map(|it| &*it.file).collect();
            told.sort();
            assert_eq!(files, told, "{:?}", printed(&report));
            for (file, handles) in &run.handles {
                let entry = &model[file];
                for handle in handles {
                    let state = if entry.shown.is_some() { LoadState::Ready } else { LoadState::Failed };
                    let shown = entry.shown.as_deref().unwrap_or("placeholder");
                    assert_eq!(
                        (handle.state(), &*handle.get().unwrap().0, handle.revision()),
                        (state, shown, entry.revision)
                    );
                    assert_eq!(assets.fault_of(handle).is_some(), entry.is_faulty);
                }
            }
            assert_eq!(assets.len(), model.len());
            run.check_idle(&assets);
        }
    }
}

/// Changes fall between any two steps of the work; when all has come to rest, every handle shows the file as it is, or the last sound state
/// that was seen.
#[test]
fn work_that_is_interrupted_anywhere_comes_to_the_same_end() {
    for seed in 100..120 {
        let mut run = Run::new(seed);
        let mut assets = run.folder.assets();
        let mut last: BTreeMap<u64, (LoadState, u64)> = BTreeMap::new();
        for step in 0..400 {
            match run.rng.below(16) {
                0..=2 => run.change(),
                3 | 4 => drop(run.load(&mut assets)),
                5 => run.forget(),
                6 => drop(assets.unload_unused()),
                7 => drop(assets.poll_changes()),
                8..=12 => drop(assets.run_one()),
                _ => drop(assets.update()),
            }
            run.check_progress(&assets);
            last.retain(|file, _| run.handles.contains_key(file));
            for (&file, handles) in &run.handles {
                let now = (handles[0].state(), handles[0].revision());
                assert!(handles.iter().all(|it| *it == handles[0]), "one path, one handle");
                if let Some(before) = last.insert(file, now).filter(|it| it.0 != LoadState::Loading) {
                    assert!(now.1 >= before.1 && now.0 != LoadState::Loading);
                    assert!(before.0 != LoadState::Ready || now.0 == LoadState::Ready, "a value never goes");
                }
            }
            if step % 40 < 39 {
                continue;
            }
            assets.wait();
            assets.poll_changes();
            assets.wait();
            run.check_idle(&assets);
            for (&file, handles) in &run.handles {
                let (handle, known) = (&handles[0], &run.files[file as usize]);
                let shown = &handle.get().unwrap().0;
                match known.value() {
                    Some(value) => assert_eq!((handle.state(), shown), (LoadState::Ready, value)),
                    None if handle.state() == LoadState::Failed => assert_eq!(shown, "placeholder"),
                    None => assert!(known.sound.contains(shown)),
                }
                assert_eq!(assets.fault_of(handle).is_some(), known.value().is_none(), "{:?}", known.text);
            }
        }
    }
}
