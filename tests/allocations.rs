//! Who asks for memory: a counting allocator, in a binary of its own because it counts for the whole process.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(unsafe_code, reason = "an allocator is unsafe to implement")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use juliet::core::archive::{Findings, decode, open, read_values};
use juliet::folder::DiskFileSystem;
use juliet::folder::testing::FaultyFileSystem;
use juliet::game_loop::no_hook;
use juliet::prelude::*;
use juliet::presentation::{BasePositions, ClassPositions, Pose, Radians};
use juliet::sim_math::Vec2 as SimVec2;
use juliet::{EntityManager, OwnedValue};

struct Counting;

thread_local! {
    /// Allocations of this thread.
    static COUNT: Cell<u64> = const { Cell::new(0) };
}
/// Bytes in use by all threads, and the most there were.
static LIVE: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

fn took(bytes: usize) {
    let _gone = COUNT.try_with(|count| count.set(count.get() + 1));
    let live = LIVE.fetch_add(bytes as i64, Ordering::Relaxed) + bytes as i64;
    PEAK.fetch_max(live, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(ptr, layout) };
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may exist for a moment.
        took(size);
        LIVE.fetch_sub(layout.size() as i64, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(ptr, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// One test at a time, since bytes are counted for all threads.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Allocations of this thread during `f`.
fn allocations<R>(f: impl FnOnce() -> R) -> (u64, R) {
    let before = COUNT.get();
    let result = f();
    (COUNT.get() - before, result)
}

/// The most bytes in use at once during `f`, beyond what is in use before.
fn peak<R>(f: impl FnOnce() -> R) -> (i64, R) {
    let before = LIVE.load(Ordering::SeqCst);
    PEAK.store(before, Ordering::SeqCst);
    let result = f();
    (PEAK.load(Ordering::SeqCst) - before, result)
}

/// What assets are of.
#[derive(Debug)]
struct Mesh;

/// Plain data: twelve properties.
#[derive(Entity)]
struct Inert {
    mesh_asset: AssetRef<Mesh>,
    scale: Vec3,
    rotation: Quat,
    mass: f32,
    is_destructible: bool,
    health: f32,
    tint: Color,
    owner: EntityRef,
    code: InlineString<16>,
    charge: Option<u32>,
    cells: [u8; 3],
    count: i64,
}

/// A class with heap fields.
#[derive(Entity)]
struct Sign {
    text: String,
    lines: Vec<String>,
}

fn registry() -> ClassRegistry {
    registry![Inert, Sign].unwrap()
}

const FILE: &str = "; entity_type: Inert\n; id: 0x0100000000000042\n; version: 1\nPosition: 142.5, 12.0, -84.2\nMeshAsset: Assets/Meshes/Cube.obj\nScale: 1.0, 2.5, 1.0\nRotation: 0.0, 0.0, 0.0, 1.0\nMass: 12.5\nIsDestructible: true\nHealth: 99.0\nTint: 1.0, 0.9, 0.7\nOwner: 0x0100000000000007\nCode: grey-7\nCharge: 3\nCells: [1, 2, 3]\nCount: -9000\n";

#[test]
fn reading_a_file_into_a_blittable_entity_allocates_nothing() {
    let _turn = turn();
    assert!((300..=360).contains(&FILE.len()), "{}", FILE.len());
    let registry = registry();
    let mut manager = EntityManager::new(registry.clone()).unwrap();
    let handle = manager.allocate(registry.find_kind::<Inert>().unwrap()).unwrap();
    assert!(registry.classes()[0].is_blittable());
    let mut texts = vec![
        FILE.to_owned(),
        FILE.replace('\n', "\r\n"),
        format!("\u{FEFF}# note\n\n{FILE}\n// end"),
        FILE.lines().take(4).chain(FILE.lines().skip(4).collect::<Vec<_>>().into_iter().rev()).collect::<Vec<_>>().join("\n"),
        "; class\nInert\n; id\n0x42\n; position\n1 2 3\n; mesh_asset\nAssets/Meshes/Cube.obj\n; scale\n1 2.5 1\n; mass\n1e-3\n; charge\nnone\n".to_owned(),
    ];
    texts.push(FILE.replace("Charge: 3", "Charge: none").replace("grey-7", "\"a\\tb\""));
    for text in &texts {
        let mut read = || {
            let mut findings = Findings::new();
            let text = decode("f.jasset", text.as_bytes()).unwrap();
            let opened = open(&registry, "f.jasset", text, &mut findings).unwrap();
            let read = read_values(&opened, manager.value_mut_unmarked(handle).unwrap(), &mut findings);
            assert!(findings.is_empty() && read.position.is_some());
        };
        // The path of the mesh is kept once for the whole program.
        read();
        assert_eq!(allocations(read).0, 0, "{text}");
    }
    let inert = manager.get::<Inert>(handle).unwrap();
    assert_eq!((inert.mesh_asset.path(), inert.code.as_str(), inert.charge), ("Assets/Meshes/Cube.obj", "a\tb", None));
}

#[test]
fn allocating_removing_finding_and_iterating_allocate_nothing() {
    let _turn = turn();
    let mut manager = EntityManager::new(registry()).unwrap();
    let mut handles = Vec::with_capacity(20_000);
    let (count, ()) = allocations(|| {
        for round in 0..3u64 {
            for id in 1..=5_000 {
                let handle = manager.allocate(0).unwrap();
                manager.set_id(handle, round << 32 | id).unwrap();
                handles.push(handle);
            }
            for &handle in handles.iter().step_by(2) {
                let _stale = manager.remove(handle);
            }
        }
        assert!(manager.find_by_id(2 << 32 | 2).is_some());
    });
    assert_eq!((count, manager.len()), (0, 7_500));
    let (count, ()) = allocations(|| {
        let ids: u64 = manager.iter().map(|base| base.id()).fold(0, u64::wrapping_add);
        let masses: f32 = manager.iter_of::<Inert>().map(|(_, inert)| inert.mass).sum();
        let dirty = manager.dirty().count();
        black_box((ids, masses, dirty));
        manager.for_each_position_mut(|position| position.x += 1.0);
        manager.iter_of_mut::<Inert>().for_each(|mut item| item.value.mass += 1.0);
        manager.values_mut::<Inert>().for_each(|inert| inert.mass += 1.0);
        for &handle in &handles {
            let _gone = manager.mark_clean(handle);
            if let Some(mut inert) = manager.get_mut::<Inert>(handle) {
                inert.health += 1.0;
            }
        }
    });
    assert_eq!(count, 0);
}

/// A content folder with the world `W`.
fn content(files: impl Iterator<Item = (String, String)>) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("Worlds/W/Entities");
    std::fs::create_dir_all(&folder).unwrap();
    files.for_each(|(name, text)| std::fs::write(folder.join(name), text).unwrap());
    root
}

fn sign(id: usize) -> (String, String) {
    let text =
        format!("; entity_type: Sign\n; id: {id}\nText: {}\nLines: [a, b, \"{}\"]\n", "x".repeat(100), "y".repeat(50));
    (format!("{id}.jasset"), text)
}

#[test]
fn world_gives_back_all_memory() {
    let _turn = turn();
    let root = content((1..400).map(sign).chain([("bad.jasset".into(), sign(900).1.replace("Lines: [", "Lines: x"))]));
    let fs = FaultyFileSystem::new(DiskFileSystem).without_flushes();
    let mut cycle = |round: usize| {
        let project = Project::open_on(Arc::new(fs.clone()), root.path(), registry()).unwrap();
        let (mut world, report) = project.load_world("W").unwrap();
        assert_eq!((world.len(), report.skipped), (399, 1));
        let handles: Vec<EntityHandle> = world.iter().map(|base| base.handle()).collect();
        for handle in &handles[..100] {
            world.remove(*handle).unwrap();
        }
        (1..=50).for_each(|id| drop(world.restore(id)));
        world.compact();
        let last = *handles.last().unwrap();
        let last = if world.base(last).is_some() { last } else { world.iter().next().unwrap().handle() };
        world.set(last, "Text", format!("round {round}")).unwrap();
        let copy = world.duplicate(last).unwrap();
        world.remove(copy).unwrap();
        assert!(world.is_dirty(last));
    };
    // Threads, caches of the library and the log of the test run come with the first ones.
    (0..3).for_each(&mut cycle);
    let before = LIVE.load(Ordering::SeqCst);
    (3..8).for_each(&mut cycle);
    let grown = LIVE.load(Ordering::SeqCst) - before;
    assert!(grown < 4_000, "{grown} bytes more after five cycles");
}

#[test]
fn saving_one_of_ten_thousand_costs_what_one_costs() {
    let _turn = turn();
    let mut costs = Vec::new();
    for count in [100, 10_000] {
        let root = content((1..=count).map(sign));
        let fs = FaultyFileSystem::new(DiskFileSystem).without_flushes();
        let project = Project::open_on(Arc::new(fs.clone()), root.path(), registry()).unwrap();
        let (mut world, _) = project.load_world("W").unwrap();
        let handle = world.find_by_id(77).unwrap();
        // The local folder is made by the first one.
        world.set(handle, "Text", "first".to_owned()).unwrap();
        assert!(world.save().unwrap().is_complete());
        let mut save = |text: &str| {
            world.set(handle, "Text", text.to_owned()).unwrap();
            let before = fs.counts();
            let (cost, report) = allocations(|| world.save().unwrap());
            let after = fs.counts();
            assert_eq!((report.written.len(), report.diagnostics.len()), (1, 0));
            assert_eq!(after.opened_for_writing - before.opened_for_writing, 1);
            assert_eq!(after.opened_for_reading - before.opened_for_reading, 1);
            cost
        };
        costs.push([save("second"), save("third")]);
    }
    assert!(costs[1].iter().zip(&costs[0]).all(|(large, small)| large <= &(small + 20)), "{costs:?}");
}

/// Files that grow with `count`.
type Grow = fn(usize) -> String;

const GROWING: [(&str, Grow); 6] = [
    ("unknown keys", |n| (0..n).map(|i| format!("Key{i:06}: a value of some length\n")).collect()),
    ("duplicate keys", |n| (0..n).map(|_| "Text: a value of some length\n").collect()),
    ("comments", |n| (0..n).map(|i| format!("# comment number {i:06}\n")).collect()),
    ("rubbish", |n| (0..n).map(|i| format!("rubbish in line {i:06}\n")).collect()),
    ("directives", |n| (0..n).map(|i| format!("; key{i:06}: a value of some length\n")).collect()),
    ("long strings", |n| (0..n / 2000).map(|i| format!("Key{i}: {}\n", "x".repeat(60_000))).collect()),
];

#[test]
fn k35_memory_of_loading_a_long_file_is_a_few_times_its_size() {
    let _turn = turn();
    for (name, grow) in GROWING {
        let text = format!("; entity_type: Sign\n; id: 5\n{}", grow(100_000));
        let size = text.len() as i64;
        let root = content([("A.jasset".into(), text)].into_iter());
        let project = Project::open(root.path(), registry()).unwrap();
        // What a world costs by itself is not the file's.
        let empty = content(std::iter::empty());
        let bare = Project::open(empty.path(), registry()).unwrap();
        let (fixed, _) = peak(|| bare.load_world("W").unwrap().1);
        let (most, report) = peak(|| project.load_world("W").unwrap().1);
        assert!(report.diagnostics.len() <= Findings::LIMIT + 2);
        let ratio = (most - fixed) as f64 / size as f64;
        assert!(ratio <= 4.0, "{name}: {ratio:.2} times {size} bytes");
    }
}

#[test]
fn k35_file_past_the_limit_costs_no_more_than_the_limit() {
    let _turn = turn();
    let root = content(std::iter::empty());
    let file = std::fs::File::create(root.path().join("Worlds/W/Entities/huge.jasset")).unwrap();
    file.set_len(1 << 36).unwrap();
    let project = Project::open(root.path(), registry()).unwrap();
    let (most, report) = peak(|| project.load_world("W").unwrap().1);
    assert_eq!(report.skipped, 1);
    assert!(most < 80 << 20, "{most} bytes");
}

#[test]
fn scratch_value_that_is_used_again_asks_for_no_memory() {
    let _turn = turn();
    let mut scratch = OwnedValue::new(&registry(), 0).unwrap();
    assert_eq!(allocations(|| (0..100).for_each(|_| scratch.reset())).0, 0);
}

/// A world with the template `T`, based on `B`, and `count` files of its instances; `rest` is what both say.
fn with_templates(count: usize, class: &str, rest: &str) -> (tempfile::TempDir, World) {
    let text = |id| format!("; template: Assets/Templates/T.jasset\n; id: {id}\nPosition: 1, 2, 3\n");
    let root = content((1..=count).map(|id| (format!("{id}.jasset"), text(id))));
    std::fs::create_dir_all(root.path().join("Templates")).unwrap();
    let base = format!("; entity_type: {class}\n{rest}");
    std::fs::write(root.path().join("Templates/B.jasset"), base).unwrap();
    std::fs::write(root.path().join("Templates/T.jasset"), "; template: Assets/Templates/B.jasset\n").unwrap();
    let fs = FaultyFileSystem::new(DiskFileSystem).without_flushes();
    let project = Project::open_on(Arc::new(fs), root.path(), registry()).unwrap();
    let (world, report) = project.load_world("W").unwrap();
    assert_eq!((report.loaded, report.diagnostics.len()), (count, 0));
    (root, world)
}

fn template(world: &World, name: &str) -> TemplateHandle {
    world.find_template(&format!("Assets/Templates/{name}.jasset")).unwrap()
}

#[test]
fn an_instance_of_a_blittable_class_asks_for_no_memory() {
    let _turn = turn();
    let (_root, mut world) = with_templates(3, "Inert", "Mass: 3\nCode: abc\n");
    let t = template(&world, "T");
    // The namespace of ids is read for the first one.
    world.spawn_from(t, Vec3::ZERO).unwrap();
    let (count, handles) = allocations(|| {
        let mut last = None;
        for index in 0..10_000 {
            last = Some(world.spawn_from(t, Vec3::new(index as f32, 0.0, 0.0)).unwrap());
        }
        last
    });
    assert_eq!(count, 0);
    assert_eq!(world.get::<Inert>(handles.unwrap()).unwrap().mass, 3.0);
    // A batch: its list of handles and what it needs once.
    let few: Vec<Position> = vec![Position::new(1.0, 2.0, 3.0); 10];
    let many: Vec<Position> = vec![Position::new(1.0, 2.0, 3.0); 10_000];
    let costs = [few, many].map(|positions| allocations(|| world.spawn_many_from(t, &positions).unwrap()).0);
    assert!(costs[0] == costs[1] && costs[0] <= 3, "{costs:?}");
}

#[test]
fn reverting_asks_for_no_memory() {
    let _turn = turn();
    let (_root, mut world) = with_templates(50, "Inert", "Mass: 3\nCode: abc\n");
    let handles: Vec<EntityHandle> = world.iter().map(|base| base.handle()).collect();
    for round in 0..2 {
        for (index, &handle) in handles.iter().enumerate() {
            if round == 0 {
                world.set(handle, "Mass", index as f32 + 10.0).unwrap();
                world.set(handle, "Scale", Vec3::splat(7.0)).unwrap();
            } else {
                let mut inert = world.get_mut::<Inert>(handle).unwrap();
                (inert.mass, inert.count) = (77.0, 5);
            }
        }
        let (count, ()) = allocations(|| {
            for (index, &handle) in handles.iter().enumerate() {
                let done = if index % 2 == 0 { world.revert(handle, "Mass") } else { world.revert_all(handle) };
                assert!(done.unwrap());
            }
        });
        assert_eq!(count, 0);
        assert!(handles.iter().all(|&it| world.get::<Inert>(it).unwrap().mass == 3.0));
    }
}

#[test]
fn a_change_of_a_template_costs_the_same_number_of_allocations_for_any_number_of_instances() {
    let _turn = turn();
    let costs = [10, 2_000].map(|count| {
        let (_root, mut world) = with_templates(count, "Inert", "Mass: 3\n");
        let (b, t) = (template(&world, "B"), template(&world, "T"));
        let mut set = |key: &str, value: f32| allocations(|| world.set(b, key, value).unwrap()).0;
        set("Mass", 4.0);
        let costs = [set("Mass", 5.0), set("Health", 6.0)];
        let (revert, _) = allocations(|| world.revert(b, "Mass").unwrap());
        let mut following = world.iter_of::<Inert>().map(|(_, inert)| (inert.mass, inert.health));
        assert!(following.all(|it| it == (0.0, 6.0)));
        assert_eq!(world.instances_of(t).len(), count);
        [costs[0], costs[1], revert]
    });
    assert_eq!(costs[0], costs[1]);
}

#[test]
fn frames_of_the_game_loop_allocate_nothing() {
    let _turn = turn();
    let (made, game_loop) = allocations(|| GameLoop::new(LoopOptions::default()));
    let mut game_loop = game_loop.unwrap();
    let mut hooked = 0_u64;
    let (count, ()) = allocations(|| {
        for frame in 0..=300 {
            let run = |hooked: &mut u64, tick| if *hooked + 1 == tick { Ok(()) } else { Err(tick) };
            game_loop.frame_at(frame * 33_333_334, &mut hooked, run, |hooked, _| *hooked += 1).unwrap();
        }
    });
    assert_eq!((made, count, hooked, game_loop.statistics().dropped_ticks), (0, 0, 600, 0));
    // Nor do frames with drops, a restart and the clock of the platform.
    let (count, ()) = allocations(|| {
        for frame in 0..100 {
            game_loop.frame_at((1 << 40) + frame, &mut (), |(), _| Ok::<_, ()>(()), no_hook).unwrap();
        }
        let now = game_loop.now_ns();
        game_loop.restart_at(now);
        game_loop.frame(&mut (), |(), _| Ok::<_, ()>(()), no_hook).unwrap();
    });
    assert_eq!((count, game_loop.statistics().dropped_frames), (0, 100));
}

/// 500 entities for 100 frames, each with 500 writes, a refresh, a frame and 600 samples.
fn present<B: SimMath, C: juliet::presentation::Interpolate<B>>(read: impl Fn(&Inert) -> Pose<B, C> + Copy) {
    let mut manager = EntityManager::with_capacity(registry(), juliet::Capacity::entities(4_096)).unwrap();
    let handles: Vec<_> = (0..500).map(|_| manager.allocate(0).unwrap()).collect();
    let (made, snapshot) =
        allocations(|| PresentationSnapshot::<B, C>::new(manager.capacity(), 0, SnapshotOptions::default()));
    let mut snapshot = snapshot.unwrap();
    let gone = handles[0];
    manager.remove(gone).unwrap();
    let (count, ()) = allocations(|| {
        for tick in 1..=100 {
            manager.iter_of_mut::<Inert>().for_each(|mut item| item.value.mass += 1.0);
            let world = ClassPositions::new(&manager, read);
            snapshot.on_tick(&world, tick);
            snapshot.on_render_frame(tick as i64 * 16_666_667 + 8_000_000);
            for &handle in &handles[1..=100] {
                black_box(snapshot.sample(&world, handle).unwrap());
            }
            snapshot.for_each_sample(&world, |handle, pose| _ = black_box((handle, pose.position)));
            snapshot.reset(handles[1]);
            assert!(snapshot.sample_position(&world, gone).is_err());
        }
        snapshot.reset_all();
    });
    assert_eq!((made, count), (1, 0));
}

#[test]
fn presenting_allocates_the_table_and_nothing_after() {
    let _turn = turn();
    present::<Fpx16_16, ()>(|inert| SimVec2::new(Fpx16_16::from_f32(inert.mass), Fix::ZERO).into());
    present::<Fp32Pinned, ()>(|inert| SimVec2::new(inert.mass, inert.health).into());
    present::<Fp32Pinned, (Quat, Radians)>(|inert| Pose {
        position: SimVec2::new(inert.mass, inert.health),
        channel: (inert.rotation, Radians(inert.mass)),
    });
    // The positions that all entities have.
    let mut manager = EntityManager::new(registry()).unwrap();
    manager.allocate_many(&[0; 500]).unwrap();
    let mut snapshot = PresentationSnapshot::<Fp32Pinned>::new(500, 0, SnapshotOptions::default()).unwrap();
    let (count, ()) = allocations(|| {
        for tick in 1..=100 {
            manager.for_each_position_mut(|position| position.x += 1.0);
            snapshot.on_tick(&BasePositions::new(&manager, |at| SimVec2::new(at.x, at.z).into()), tick);
        }
    });
    assert_eq!((count, snapshot.last_tick()), (0, 100));
}

#[test]
fn frame_of_a_running_world_allocates_nothing_of_its_own() {
    let _turn = turn();
    struct Total(f32);
    let mut world = World::new(registry()).unwrap();
    for _ in 0..100 {
        world.spawn_class("Inert", Vec3::ZERO).unwrap();
    }
    world.insert_resource(Total(0.0));
    let sum = |world: &mut World| {
        let summed = world.with_resource(|total: &mut Total, world| {
            total.0 = world.iter_of::<Inert>().map(|(_, inert)| inert.mass).sum();
            world.send(1u32);
        });
        summed.unwrap();
    };
    let mut cursor = EventCursor::<u32>::default();
    let count = move |world: &mut World| assert_eq!(cursor.read(world.events()).len(), 1);
    world.add_system(system("sum", sum)).unwrap();
    world.add_system(system("count", count)).unwrap();
    world.add_system(system("never", |_: &mut World| panic!("runs")).run_if(|_| false)).unwrap();
    // Buffers of events grow once.
    (0..3).for_each(|_| drop(world.update().unwrap()));
    let (count, ()) = allocations(|| (0..100).for_each(|_| drop(world.update().unwrap())));
    assert_eq!(count, 0);
}

#[test]
fn stop_gives_back_what_play_took() {
    let _turn = turn();
    let (_home, mut world) = with_templates(200, "Inert", "Mass: 2\n");
    let play = |world: &mut World| {
        world.play().unwrap();
        let handles: Vec<EntityHandle> = world.iter().map(|base| base.handle()).collect();
        for &handle in &handles[..100] {
            world.set(handle, "Mass", 5.0_f32).unwrap();
            world.remove(handle).unwrap();
        }
        world.commands().run(|_| {});
        world.stop().unwrap();
    };
    play(&mut world);
    let before = LIVE.load(Ordering::Relaxed);
    play(&mut world);
    assert_eq!(LIVE.load(Ordering::Relaxed), before);
}
