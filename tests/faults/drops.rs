//! Every value of a class with heap fields and a `Drop` ends exactly once, whatever happens to its entity and whoever panics.

mod components;
mod templates;

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use juliet::{MigrateError, Migration};

use super::{ENTITIES, quick};
use juliet::prelude::*;

/// Values that live now.
static LIVE: AtomicI64 = AtomicI64::new(0);
/// The hook that panics next, and after how many calls.
static FUSES: [AtomicI64; HOOKS] = [const { AtomicI64::new(-1) }; HOOKS];
/// One test at a time: the counters are those of the process, since a load works on several threads.
static TURN: Mutex<()> = Mutex::new(());

#[derive(Clone, Copy, Debug, PartialEq)]
enum Hook {
    Default,
    PostInit,
    Migrate,
    Read,
    Write,
    Drop,
    Clone,
}
const HOOKS: usize = 7;

/// The `after`th call of a hook from now on panics, counted from 0.
fn light(hook: Hook, after: i64) {
    FUSES[hook as usize].store(after, Ordering::SeqCst);
}

fn burn(hook: Hook) {
    let left = FUSES[hook as usize].fetch_sub(1, Ordering::SeqCst);
    assert!(left != 0, "{hook:?} was told to panic");
}

fn live() -> i64 {
    LIVE.load(Ordering::SeqCst)
}

/// Takes the turn, with all fuses out.
fn turn() -> MutexGuard<'static, ()> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    FUSES.iter().for_each(|fuse| fuse.store(-1, Ordering::SeqCst));
    assert_eq!(live(), 0, "an earlier test left values");
    turn
}

/// Counts itself; dropped twice it would free its box twice.
struct Token(Box<u32>);

impl Token {
    fn new() -> Self {
        burn(Hook::Default);
        LIVE.fetch_add(1, Ordering::SeqCst);
        Self(Box::new(0xC0FFEE))
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        assert_eq!(*self.0, 0xC0FFEE);
        LIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

mod tag {
    use super::{Hook, Infallible, burn};

    pub(super) fn read(text: &str) -> Result<String, Infallible> {
        burn(Hook::Read);
        Ok(text.to_owned())
    }

    pub(super) fn write(value: &str) -> String {
        burn(Hook::Write);
        value.to_owned()
    }
}

/// The subject.
#[derive(Entity)]
#[jasset(version = 2, post_init = settle, migrate = migrate)]
struct Owner {
    name: String,
    items: Vec<String>,
    nested: Vec<Vec<String>>,
    #[jasset(with = tag, default = String::from("t"))]
    tag: String,
    number: u32,
    #[jasset(skip, default = Token::new())]
    _token: Token,
}

impl Drop for Owner {
    fn drop(&mut self) {
        burn(Hook::Drop);
    }
}

fn settle(owner: &mut Owner) {
    burn(Hook::PostInit);
    owner.items.push("settled".into());
}

fn migrate(migration: &mut Migration<'_>) -> Result<(), MigrateError> {
    burn(Hook::Migrate);
    migration.set("Number", "7");
    Ok(())
}

/// A folder of `count` owners; every fourth is of the older version.
struct Folder(tempfile::TempDir);

fn text(index: u64) -> String {
    let version = if index % 4 == 3 { 1 } else { 2 };
    let id = 0x0200_0000_0000_0001 + index;
    format!(
        "; entity_type: Owner\n; id: {id:#018x}\n; class_version: {version}\nName: a name that is too long to lie inline\nItems: [a, b, c]\nNested: [[a], [b, c], []]\nTag: x{index}\nNumber: {index}\n"
    )
}

impl Folder {
    fn of(count: u64) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir_all(folder.0.path().join(ENTITIES)).unwrap();
        (0..count).for_each(|index| folder.put(&format!("{index:03}.jasset"), &text(index)));
        folder
    }

    fn put(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(ENTITIES).join(name), text).unwrap();
    }

    fn load(&self) -> (World, juliet::LoadReport) {
        let registry = registry![Owner].unwrap();
        Project::open_on(std::sync::Arc::new(quick()), self.0.path(), registry).unwrap().load_world("W").unwrap()
    }
}

fn panics<R>(f: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(|| drop(f()))).is_err()
}

fn handles(world: &World) -> Vec<EntityHandle> {
    world.iter().map(|base| base.handle()).collect()
}

#[test]
fn values_end_once_through_load_removal_restore_compaction_save_and_drop() {
    let _turn = turn();
    let folder = Folder::of(40);
    let (mut world, report) = folder.load();
    assert_eq!((report.diagnostics.len(), world.len(), live()), (0, 40, 40));
    let all = handles(&world);
    let gone: Vec<u64> = all.iter().step_by(3).map(|&handle| world.remove(handle).unwrap()).collect();
    // The removed ones live on until the save, so that they can come back.
    assert_eq!((world.len(), live()), (26, 40));
    world.restore(gone[0]).unwrap();
    assert_eq!(live(), 40);
    world.compact();
    assert_eq!(live(), 40);
    world.entities().validate().unwrap();
    let copy = world.duplicate(handles(&world)[0]).unwrap();
    assert_eq!(live(), 41);
    world.set(copy, "Name", String::from("other")).unwrap();
    world.set_text(copy, "Items", "[x]").unwrap();
    world.reset(copy, "Nested").unwrap();
    assert!(world.set_text(copy, "Nested", "[[a").is_err());
    assert_eq!((world.dirty().len(), live()), (1, 41));
    let report = world.save().unwrap();
    assert_eq!((report.diagnostics.len(), report.written.len(), report.removed.len()), (0, 1, 13));
    assert_eq!(live(), 28);
    drop(world);
    assert_eq!(live(), 0);
}

#[test]
fn values_of_files_with_faults_end_once() {
    let _turn = turn();
    let folder = Folder::of(10);
    for (index, (from, to)) in [
        ("Number: 1", "Number: x"),
        ("[b, c], []]", "[b, c], []"),
        ("[a, b, c]", "[a, \"b]"),
        ("Tag:", "Name:"),
        ("Owner", "Ower"),
    ]
    .into_iter()
    .enumerate()
    {
        folder.put(&format!("x{index}.jasset"), &text(100 + index as u64).replace(from, to));
    }
    folder.put("twin.jasset", &text(0));
    let (world, report) = folder.load();
    // The last is of a class that nobody knows: in the world, without a value of the class.
    assert_eq!((world.len(), report.skipped, live()), (11, 5, 10));
    world.entities().validate().unwrap();
    drop(world);
    assert_eq!(live(), 0);
}

#[test]
fn panics_of_the_users_code_during_a_load_lose_nothing() {
    let _turn = turn();
    let folder = Folder::of(24);
    for hook in [Hook::Default, Hook::PostInit, Hook::Migrate, Hook::Read] {
        for after in [0, 1, 5] {
            light(hook, after);
            assert!(panics(|| folder.load()), "{hook:?} {after}");
            assert_eq!(live(), 0, "{hook:?} {after}");
        }
        light(hook, -1);
    }
    // The same world loads when nobody panics.
    assert_eq!(folder.load().0.len(), 24);
    assert_eq!(live(), 0);
}

#[test]
fn panics_of_the_users_code_during_edits_and_saves_lose_nothing() {
    let _turn = turn();
    let folder = Folder::of(12);
    for hook in [Hook::Default, Hook::PostInit, Hook::Migrate, Hook::Read, Hook::Write, Hook::Drop] {
        for after in 0..12 {
            let (mut world, _) = folder.load();
            let all = handles(&world);
            for &handle in &all[..8] {
                world.get_mut::<Owner>(handle).unwrap().number += 1000;
            }
            light(hook, after);
            let _removed = panics(|| world.remove(all[9]));
            let _restored = panics(|| world.restore(0x0200_0000_0000_000A));
            let _spawned = panics(|| world.spawn_class("Owner", Vec3::ZERO));
            let _copied = panics(|| world.duplicate(all[10]));
            let _set = panics(|| world.set_text(all[11], "Items", "[q]"));
            let _reset = panics(|| world.reset(all[11], "Items"));
            let _asked = panics(|| world.dirty());
            light(hook, -1);
            world.entities().validate().unwrap_or_else(|error| panic!("{hook:?} {after}: {error:?}"));
            // Nothing that was read is lost: an entity is there or its removal is pending.
            let ids: Vec<u64> = world.iter().map(|base| base.id()).chain(world.removed()).collect();
            for index in 0..12 {
                let id = 0x0200_0000_0000_0001 + index;
                assert_eq!(ids.iter().filter(|&&other| other == id).count(), 1, "{hook:?} {after}: {id:#x}");
            }
            // A save that panics half-way leaves a world that can be saved.
            let before = world.len();
            light(hook, after);
            let saved = panics(|| world.save());
            light(hook, -1);
            assert_eq!(world.len(), before);
            let report = world.save().unwrap();
            assert!(report.is_complete(), "{hook:?} {after} {saved}: {:?}", report.diagnostics);
            assert!(world.dirty().is_empty());
            let (again, report) = folder.load();
            assert_eq!((report.diagnostics, again.len()), (vec![], before), "{hook:?} {after}");
            drop(again);
            drop(world);
            assert_eq!(live(), 0, "{hook:?} {after}");
            (0..12).for_each(|index| folder.put(&format!("{index:03}.jasset"), &text(index)));
            for entry in std::fs::read_dir(folder.0.path().join(ENTITIES)).unwrap() {
                let path = entry.unwrap().path();
                if path.file_name().unwrap().to_string_lossy().starts_with("0x") {
                    std::fs::remove_file(path).unwrap();
                }
            }
        }
    }
}

#[test]
fn panicking_closures_leave_the_world_whole() {
    let _turn = turn();
    let folder = Folder::of(9);
    let (mut world, _) = folder.load();
    let mut left = 5;
    assert!(panics(|| world.for_each_position_mut(|position| {
        position.x += 1.0;
        left -= 1;
        assert!(left > 0, "enough");
    })));
    assert!(panics(|| world.iter_of_mut::<Owner>().enumerate().for_each(|(index, mut item)| {
        item.value.name = format!("number {index}");
        assert!(index < 4, "enough");
    })));
    assert!(panics(|| world.iter_of::<Owner>().for_each(|(_, owner)| assert!(owner.name.is_empty(), "at once"))));
    world.entities().validate().unwrap();
    assert_eq!((world.len(), live()), (9, 9));
    // What was written before the panic is noticed.
    assert!(world.dirty().len() >= 5);
    assert!(world.save().unwrap().is_complete());
    let (again, _) = folder.load();
    let names = |world: &World| world.iter_of::<Owner>().map(|(_, owner)| owner.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&again), names(&world));
    assert_eq!(
        again.iter().map(|base| base.position()).collect::<Vec<_>>(),
        world.iter().map(|base| base.position()).collect::<Vec<_>>()
    );
    drop((again, world));
    assert_eq!(live(), 0);
}

#[test]
fn panicking_drops_of_values_do_not_keep_others_from_ending() {
    let _turn = turn();
    let folder = Folder::of(9);
    for after in [0, 4, 8] {
        let (world, _) = folder.load();
        light(Hook::Drop, after);
        assert!(panics(|| drop(world)));
        assert_eq!(live(), 0, "{after}");
    }
    // Pending removals among them.
    for after in 0..6 {
        let (mut world, _) = folder.load();
        for handle in handles(&world).into_iter().take(4) {
            world.remove(handle).unwrap();
        }
        light(Hook::Drop, after);
        assert!(panics(|| drop(world)));
        light(Hook::Drop, -1);
        assert_eq!(live(), 0, "{after}");
    }
}
