//! Threads: they load, they end, and how many there are changes nothing.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::*;
use crate::assets::jobs::Jobs;
use crate::assets::loader::AnyLoader;
use crate::assets::look::Lookup;
use crate::assets::{LoadState, Mesh};

#[test]
fn result_does_not_depend_on_the_number_of_threads() {
    let names: Vec<String> = (0..40).map(|i| format!("{i}.txt")).collect();
    let texts: Vec<String> = (0..40).map(|i| format!("{}{i}", ["good", "bad", "panic"][i % 3])).collect();
    let files: Vec<(&str, &str)> = names.iter().zip(&texts).map(|(name, text)| (&**name, &**text)).collect();
    let folder = Folder::new(&files);
    let run = |threads| {
        let mut assets = folder.assets_with(AssetOptions { threads, ..AssetOptions::default() });
        let handles: Vec<_> = (0..45).map(|i| assets.load::<Words>(&format!("Assets/{i}.txt"))).collect();
        let report = assets.wait();
        let shown: Vec<_> = handles.iter().map(|it| (it.state(), it.get().unwrap().0.clone())).collect();
        (shown, printed(&report), report.changed, assets.progress())
    };
    let by_hand = run(0);
    assert_eq!((by_hand.1.len(), by_hand.2.len()), (31, 14));
    for threads in [1, 2, 8] {
        assert_eq!(run(threads), by_hand, "{threads} threads");
    }
}

#[test]
fn frames_go_on_while_threads_load() {
    let folder = Folder::new(&[("a.txt", "hello"), ("a.obj", TRIANGLE)]);
    let mut assets = folder.assets_with(AssetOptions { threads: 2, ..AssetOptions::default() });
    let (words, mesh) = (assets.load::<Words>("Assets/a.txt"), assets.load::<Mesh>("Assets/a.obj"));
    while !assets.progress().is_idle() {
        assets.update();
        std::thread::yield_now();
    }
    assert_eq!((words.state(), mesh.get().unwrap().indices.len()), (LoadState::Ready, 3));
}

/// Says that it has begun, and ends when it is told to.
struct Slow {
    begun: SyncSender<()>,
    go_on: Mutex<Receiver<()>>,
    count: Arc<AtomicUsize>,
}

impl AssetLoader for Slow {
    type Asset = Words;

    fn extensions(&self) -> &[&str] {
        &["slow"]
    }

    fn load(&self, _: &[u8]) -> Result<Words, LoadError> {
        self.count.fetch_add(1, Ordering::SeqCst);
        self.begun.send(()).unwrap();
        // An end of the other side is a sign too.
        let _ = self.go_on.lock().unwrap().recv();
        Ok(Words("slow".into()))
    }
}

/// A slow loader, how often it has begun, and what it and its test tell each other.
fn slow() -> (Slow, Arc<AtomicUsize>, Receiver<()>, SyncSender<()>) {
    let (begun, has_begun) = sync_channel(9);
    let (go_on, waits) = sync_channel(9);
    let count = Arc::new(AtomicUsize::new(0));
    (Slow { begun, go_on: Mutex::new(waits), count: count.clone() }, count, has_begun, go_on)
}

const SLOW: [&str; 3] = ["a.slow", "b.slow", "c.slow"];

#[test]
fn update_does_not_wait_and_drop_waits_for_what_was_begun() {
    let folder = Folder::new(&SLOW.map(|name| (name, "x")));
    let mut assets = folder.assets_with(AssetOptions { threads: 1, ..AssetOptions::default() });
    let (loader, count, has_begun, go_on) = slow();
    assets.add_loader(loader);
    let handles = SLOW.map(|name| assets.load::<Words>(&format!("Assets/{name}")));
    assets.update();
    has_begun.recv().unwrap();
    assets.update();
    let are_loading = || handles.iter().all(|it| it.state() == LoadState::Loading && it.get().is_none());
    assert!(are_loading());
    let dropping = std::thread::spawn(move || drop(assets));
    for _ in 0..10_000 {
        // It is not proved that it waits for ever, but seen that it did not end at once.
        assert!(!dropping.is_finished());
        std::thread::yield_now();
    }
    go_on.send(()).unwrap();
    drop(go_on);
    dropping.join().unwrap();
    assert_eq!(Arc::strong_count(&count), 1, "loader and threads are gone");
    assert!(are_loading());
}

#[test]
fn nothing_is_begun_after_the_end() {
    let folder = Folder::new(&SLOW.map(|name| (name, "x")));
    let jobs = Jobs::start(folder.project(), 1, 100).unwrap();
    let (loader, count, has_begun, go_on) = slow();
    let loader: Arc<dyn AnyLoader> = Arc::new(loader);
    let lookup = |(id, name)| {
        let path = format!("Assets/{name}").into();
        Lookup { id, path, loader: Some(loader.clone()), seen: None, is_first: true }
    };
    jobs.look_at((0..).zip(SLOW).map(lookup).collect());
    has_begun.recv().unwrap();
    jobs.close();
    drop(go_on);
    drop(jobs);
    assert_eq!(count.load(Ordering::SeqCst), 1, "the others were in the queue");
}

#[test]
fn assets_without_work_end_at_once() {
    let folder = Folder::new::<&str>(&[]);
    for threads in [0, 1, 4] {
        let mut assets = folder.assets_with(AssetOptions { threads, ..AssetOptions::default() });
        assert_eq!((assets.wait().changed.len(), assets.poll_changes()), (0, 0));
    }
}
