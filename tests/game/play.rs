//! Play and stop: whatever a simulation does, what was authored is as it was.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use juliet::prelude::*;
use juliet::{KeepFailure, PlayError, SaveError};
use tempfile::TempDir;

use super::{Asleep, Velocity};

thread_local! {
    /// Tokens that live, of one test.
    static TOKENS: Cell<i64> = const { Cell::new(0) };
    /// After how many more defaults or drops one panics.
    static FUSE: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Panics when the fuse has burnt down.
fn burn() {
    match FUSE.get() {
        Some(0) => {
            FUSE.set(None);
            panic!("bad token");
        }
        left => FUSE.set(left.map(|left| left - 1)),
    }
}

/// Counts itself.
#[derive(Debug)]
struct Token(u32);

impl Default for Token {
    fn default() -> Self {
        burn();
        TOKENS.set(TOKENS.get() + 1);
        Self(0)
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        TOKENS.set(TOKENS.get() - 1);
        burn();
    }
}

/// Owns memory, and has a field that files do not have.
#[derive(Entity, Debug)]
#[jasset(post_init = Self::derive)]
struct Beast {
    name: String,
    health: i32,
    loot: IndexMap<String, u32>,
    #[jasset(skip)]
    token: Token,
}

impl Beast {
    fn derive(&mut self) {
        self.token.0 = self.name.len() as u32;
    }

    fn named(name: &str) -> Self {
        let mut new = Self { name: name.into(), health: 5, loot: IndexMap::new(), token: Token::default() };
        new.derive();
        new
    }
}

/// A component with a field that files do not have.
#[derive(Component, Debug)]
#[jasset(post_init = Self::derive)]
struct Cache {
    text: String,
    #[jasset(skip)]
    length: usize,
}

impl Cache {
    fn derive(&mut self) {
        self.length = self.text.len();
    }
}

/// Bytes.
#[derive(Entity, Debug)]
struct Stone {
    mass: f32,
    hits: u8,
}

struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn project(&self) -> Project {
        Project::open(self.0.path(), registry![Beast, Stone, Velocity, Asleep, Cache].unwrap()).unwrap()
    }

    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        fn collect(folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
            for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if entry.is_dir() {
                    collect(&entry, files);
                } else {
                    files.insert(entry.to_str().unwrap().to_owned(), fs::read(&entry).unwrap());
                }
            }
        }
        let mut files = BTreeMap::new();
        collect(self.0.path(), &mut files);
        files
    }
}

/// Everything that can be seen of an entity.
fn shown_of(world: &World, handle: EntityHandle) -> String {
    let base = world.base(handle).unwrap();
    let (id, kind, position) = (base.id(), base.kind(), base.position().to_array().map(f32::to_bits));
    let beast = world.get::<Beast>(handle).map(|beast| beast.token.0);
    let kinds = 0..world.registry().components().len() as u16;
    let components: Vec<String> = kinds
        .filter_map(|kind| world.entities().component_value(handle, kind))
        .map(|value| format!("{:?}", juliet::Value::of(value)))
        .collect();
    let cache = world.component::<Cache>(handle).map(|cache| cache.length);
    let rows = world.components(handle).into_iter().map(|it| (it.class.name(), it.is_there, it.overridden, it.source));
    let rows: Vec<_> = rows.collect();
    format!(
        "{handle:?} {id} {kind} {position:?} {} {:?} {beast:?} {:?} {components:?} {cache:?} {rows:?} {:?} {:?}",
        base.is_dirty(),
        world.get_value(handle, ""),
        world.overrides(handle),
        world.template_of(handle),
        world.file_of(handle),
    )
}

/// Everything that can be seen of a world.
fn picture(world: &World) -> Vec<String> {
    let mut all: Vec<String> = world.iter().map(|base| shown_of(world, base.handle())).collect();
    for template in world.templates() {
        let overrides = world.overrides(template);
        all.push(format!(
            "{template:?} {:?} {overrides:?} {}",
            world.get_value(template, ""),
            world.is_dirty(template)
        ));
    }
    all.push(format!("{:?} {:?}", world.removed().collect::<Vec<_>>(), world.dirty()));
    all.push(format!("{:?}", world.listed_systems().collect::<Vec<_>>()));
    all
}

/// A saved world with a template, then edited: values, positions, components, overrides, removals and new entities that are not saved.
fn authored(home: &Home, count: usize) -> (World, Vec<EntityHandle>) {
    let mut world = home.project().new_world("W").unwrap();
    let first = world.spawn(Beast::named("first"), Vec3::ONE).unwrap();
    let template = world.create_template(first, "Beast").unwrap();
    let mut handles = vec![first];
    for i in 1..count {
        let at = Vec3::splat(i as f32);
        handles.push(match i % 3 {
            0 => world.spawn_from(template, at).unwrap(),
            1 => world.spawn(Stone { mass: i as f32, hits: 0 }, at).unwrap(),
            _ => world.spawn(Beast::named(&i.to_string()), at).unwrap(),
        });
    }
    if count < 1000 {
        assert!(world.save().unwrap().is_complete());
    }
    for (i, &handle) in handles.iter().enumerate() {
        match i % 7 {
            0 if world.template_of(handle).is_some() => world.get_mut::<Beast>(handle).unwrap().health = i as i32,
            1 => world.position_mut(handle).unwrap().x += 0.5,
            2 => drop(world.add_component(handle, Velocity { linear: Vec3::X, note: i.to_string() })),
            3 => drop(world.add_component(handle, Asleep)),
            5 => drop(world.add_component(handle, Cache { text: i.to_string(), length: i.to_string().len() })),
            4 if i > 1 => drop(world.remove(handle)),
            _ => {}
        }
    }
    (world, handles)
}

/// Changes everything that there is.
fn simulate(world: &mut World, handles: &[EntityHandle]) {
    let template = world.templates().next().unwrap();
    for (i, &handle) in
        handles.iter().enumerate().filter(|(_, handle)| world.base(**handle).is_some()).collect::<Vec<_>>()
    {
        if let Some(mut beast) = world.get_mut::<Beast>(handle) {
            beast.health -= 1;
            beast.token.0 = 99;
            beast.loot.insert("gold".into(), 1);
        }
        world.position_mut(handle).unwrap().y += 1.0;
        match i % 5 {
            0 => drop(world.remove(handle)),
            1 => drop(world.remove_component::<Velocity>(handle)),
            2 => drop(world.add_component(handle, Asleep)),
            3 if world.get::<Beast>(handle).is_some() => drop(world.set_text(handle, "Name", "other")),
            _ => {}
        }
    }
    world.set(template, "Health", 77).unwrap();
    world.add_component_of(template, "Velocity").unwrap();
    world.set_text(template, "Velocity/Note", "followed").unwrap();
    for i in 0..(handles.len() / 4).min(1000) {
        let new = world.spawn(Stone { mass: 0.0, hits: i as u8 }, Vec3::ZERO).unwrap();
        world.add_component(new, Asleep).unwrap();
        world.spawn_from(template, Vec3::ZERO).unwrap();
    }
    let ids: Vec<u64> = world.removed().take(3).collect();
    ids.into_iter().for_each(|id| drop(world.restore(id)));
    world.compact();
    world.commands().remove(handles[1]);
    world.cleanup().unwrap();
    world.commands().run(|_| panic!("never carried out"));
    world.send(1u32);
    world.entities().validate().unwrap();
}

#[test]
fn stop_gives_back_every_authored_byte() {
    for count in [1, 2, 60, 300] {
        let home = Home::new();
        let (mut world, handles) = authored(&home, count);
        let (before, files, tokens) = (picture(&world), home.files(), TOKENS.get());
        for _ in 0..2 {
            world.play().unwrap();
            assert!(world.is_playing());
            assert_eq!(
                picture(&world)[..world.len()],
                before[..world.len()],
                "a simulation begins with what is authored"
            );
            if count > 2 {
                simulate(&mut world, &handles);
            }
            world.stop().unwrap();
            assert_eq!((picture(&world), TOKENS.get()), (before.clone(), tokens));
            world.entities().validate().unwrap();
            assert!(world.events::<u32>().is_empty() && world.commands().is_empty());
        }
        assert_eq!(home.files(), files);
        assert!(world.save().unwrap().is_complete());
        let (again, report) = home.project().load_world("W").unwrap();
        assert_eq!((again.len(), report.has_errors()), (world.len(), false));
    }
}

#[test]
fn hundred_thousand_entities_are_as_they_were() {
    let home = Home::new();
    let (mut world, handles) = authored(&home, 100_000);
    let sample: Vec<EntityHandle> = handles.iter().copied().filter(|&it| world.base(it).is_some()).collect();
    let shown = |world: &World| {
        let rows = sample.iter().map(|&handle| {
            let base = world.base(handle).unwrap();
            let beast = world.get::<Beast>(handle).map(|it| (it.name.clone(), it.health, it.loot.len(), it.token.0));
            let stone = world.get::<Stone>(handle).map(|it| (it.mass, it.hits));
            let note = world.component::<Velocity>(handle).map(|it| it.note.clone());
            let asleep = world.component::<Asleep>(handle).is_some();
            let position = base.position().to_array();
            (base.id(), position, base.is_dirty(), beast, stone, note, asleep, world.template_of(handle))
        });
        rows.collect::<Vec<_>>()
    };
    let (before, len, tokens) = (shown(&world), world.len(), TOKENS.get());
    world.play().unwrap();
    simulate(&mut world, &handles);
    world.stop().unwrap();
    assert_eq!((world.len(), TOKENS.get()), (len, tokens));
    assert!(shown(&world) == before);
    world.entities().validate().unwrap();
}

#[test]
fn handles_of_a_simulation_name_nothing_afterwards_and_authored_ones_hold() {
    let home = Home::new();
    let (mut world, handles) = authored(&home, 30);
    world.play().unwrap();
    world.remove(handles[0]).unwrap();
    let made: Vec<_> = (0..40).map(|_| world.spawn(Stone { mass: 0.0, hits: 0 }, Vec3::ZERO).unwrap()).collect();
    assert!(world.base(handles[0]).is_none());
    world.stop().unwrap();
    assert!(world.base(handles[0]).is_some());
    for _ in 0..40 {
        world.spawn(Stone { mass: 0.0, hits: 0 }, Vec3::ZERO).unwrap();
    }
    assert!(made.iter().all(|&handle| world.base(handle).is_none()));
}

#[test]
fn chosen_values_are_kept_as_edits() {
    let home = Home::new();
    let mut world = home.project().new_world("W").unwrap();
    let first = world.spawn(Beast::named("first"), Vec3::ZERO).unwrap();
    let template = world.create_template(first, "Beast").unwrap();
    let (a, b) = (world.spawn_from(template, Vec3::ZERO).unwrap(), world.spawn_from(template, Vec3::ZERO).unwrap());
    world.add_component(a, Velocity { linear: Vec3::ZERO, note: String::new() }).unwrap();
    assert!(world.save().unwrap().is_complete());
    world.play().unwrap();
    for handle in [a, b] {
        let mut beast = world.get_mut::<Beast>(handle).unwrap();
        (beast.health, beast.name) = (1, "hurt".into());
        beast.loot.insert("gold".into(), 7);
    }
    world.component_mut::<Velocity>(a).unwrap().linear = Vec3::Y;
    world.position_mut(b).unwrap().x = 9.0;
    let gone = world.spawn(Stone { mass: 1.0, hits: 0 }, Vec3::ZERO).unwrap();
    world.remove(first).unwrap();
    let kept = [
        (a, "Health"),
        (a, "Velocity/Linear"),
        (a, "Loot[gold]"),
        (b, "Position"),
        (b, "Nothing"),
        (gone, "Mass"),
        (first, "Health"),
    ];
    let report = world.stop_keeping(&kept).unwrap();
    assert_eq!(report.changed, 4);
    let failed: Vec<_> = report.errors.iter().map(|it| (it.entity, matches!(it.why, KeepFailure::Gone))).collect();
    assert_eq!(failed, [(b, true), (gone, false), (first, true)]);
    assert!(report.errors[0].to_string().contains("`Nothing`"));
    let beast = world.get::<Beast>(a).unwrap();
    assert_eq!((beast.health, &*beast.name, beast.loot.get("gold")), (1, "first", Some(&7)));
    assert_eq!(world.overrides(a), ["Health", "Loot[gold]", "Velocity/", "Velocity/Linear"]);
    assert_eq!(world.component::<Velocity>(a).unwrap().linear, Vec3::Y);
    assert_eq!((world.get::<Beast>(b).unwrap().health, world.position(b).unwrap().x), (5, 9.0));
    assert_eq!(world.dirty(), [a, b]);
}

#[test]
fn what_only_can_be_done_to_authored_state_is_refused() {
    let home = Home::new();
    let (mut world, _) = authored(&home, 5);
    assert!(matches!(world.stop(), Err(PlayError::NotPlaying)));
    world.play().unwrap();
    assert!(matches!(world.play(), Err(PlayError::Playing)));
    assert!(matches!(world.save(), Err(SaveError::Playing)));
    assert!(matches!(world.save_all(), Err(SaveError::Playing)));
    world.commands().run(|world| {
        assert!(matches!(world.stop(), Err(PlayError::Running(_))));
        assert!(matches!(world.play(), Err(PlayError::Running(_))));
    });
    world.cleanup().unwrap();
    world.stop().unwrap();
    assert!(world.save().unwrap().is_complete());
}

#[test]
fn systems_exit_with_the_simulation_and_what_was_put_off_before_it_comes_after() {
    struct Counts;
    impl juliet::System<World> for Counts {
        fn init(&mut self, world: &mut World) {
            world.insert_resource(0usize);
        }
        fn update(&mut self, world: &mut World) {
            *world.resource_mut::<usize>().unwrap() += 1;
            world.spawn(Stone { mass: 0.0, hits: 0 }, Vec3::ZERO).unwrap();
        }
        fn exit(&mut self, world: &mut World) {
            assert!(world.is_playing() && world.len() == 4 + world.remove_resource::<usize>().unwrap());
        }
    }
    let home = Home::new();
    let (mut world, handles) = authored(&home, 4);
    world.add_system(system("count", Counts)).unwrap();
    world.commands().remove(handles[3]);
    for _ in 0..2 {
        world.play().unwrap();
        assert!(!world.is_pending_removal(handles[3]));
        (0..3).for_each(|_| drop(world.update().unwrap()));
        assert_eq!(world.len(), 7);
        world.stop().unwrap();
        assert!(world.len() == 4 && !world.contains_resource::<usize>() && world.is_pending_removal(handles[3]));
    }
    world.cleanup().unwrap();
    assert_eq!(world.len(), 3);
}

#[test]
fn panic_in_an_exit_leaves_the_world_playing() {
    struct Bad(bool);
    impl juliet::System<World> for Bad {
        fn update(&mut self, _: &mut World) {}
        fn exit(&mut self, _: &mut World) {
            assert!(std::mem::take(&mut self.0), "never twice");
            panic!("bad exit");
        }
    }
    let home = Home::new();
    let (mut world, _) = authored(&home, 20);
    let before = picture(&world);
    world.add_system(system("bad", Bad(true))).unwrap();
    world.play().unwrap();
    world.update().unwrap();
    assert!(catch_unwind(AssertUnwindSafe(|| world.stop())).is_err());
    assert!(world.is_playing());
    world.stop().unwrap();
    assert_eq!(picture(&world), before);
}

#[test]
fn simulation_does_not_draw_ids_of_the_project() {
    let home = Home::new();
    let (mut world, _) = authored(&home, 3);
    let next = |world: &mut World| {
        let handle = world.spawn(Stone { mass: 0.0, hits: 0 }, Vec3::ZERO).unwrap();
        world.base(handle).unwrap().id()
    };
    let last = next(&mut world);
    world.play().unwrap();
    let simulated = next(&mut world);
    world.stop().unwrap();
    assert_eq!(next(&mut world), last + 1);
    assert!(world.find_by_id(simulated).is_none());
}

#[test]
fn panic_in_a_copy_leaves_the_world_as_it_was() {
    let home = Home::new();
    let (mut world, _) = authored(&home, 60);
    let (before, tokens) = (picture(&world), TOKENS.get());
    for fuse in [0, 1, 7] {
        FUSE.set(Some(fuse));
        assert!(catch_unwind(AssertUnwindSafe(|| world.play())).is_err());
        assert!(!world.is_playing() && FUSE.get().is_none());
        assert_eq!((picture(&world), TOKENS.get()), (before.clone(), tokens));
    }
    world.play().unwrap();
    world.stop().unwrap();
    assert_eq!((picture(&world), TOKENS.get()), (before, tokens));
}

#[test]
fn panic_in_the_drop_of_a_copy_comes_after_the_stop() {
    let home = Home::new();
    let (mut world, handles) = authored(&home, 60);
    let (before, tokens) = (picture(&world), TOKENS.get());
    world.play().unwrap();
    world.send(7u32);
    FUSE.set(Some(3));
    let panic = catch_unwind(AssertUnwindSafe(|| world.stop_keeping(&[(handles[2], "Health")]))).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"bad token"));
    assert!(!world.is_playing() && world.events::<u32>().is_empty());
    assert_eq!((picture(&world), TOKENS.get()), (before, tokens));
}

/// A simulation looks files up among the authored ones.
#[test]
fn texts_of_files_follow_their_entities_through_a_simulation() {
    let home = Home::new();
    let mut world = home.project().new_world("W").unwrap();
    let handles: Vec<_> =
        (0..6u8).map(|i| world.spawn(Stone { mass: f32::from(i), hits: i }, Vec3::ZERO).unwrap()).collect();
    assert!(world.save().unwrap().is_complete());
    let (id, path) = (world.base(handles[4]).unwrap().id(), world.file_of(handles[4]).unwrap());
    world.play().unwrap();
    assert!(!world.is_dirty(handles[4]), "compared with the authored text");
    world.set(handles[4], "Hits", 9_u8).unwrap();
    assert!(world.is_dirty(handles[4]));
    world.set(handles[4], "Hits", 4_u8).unwrap();
    // The slot of the removed one goes to the last entity, whose handle changes.
    world.remove(handles[0]).unwrap();
    let moves = world.compact().moves;
    let moved = |old: EntityHandle| moves.iter().find(|it| it.0 == old).map_or(old, |it| it.1);
    assert!(!moves.is_empty());
    for (index, &handle) in handles.iter().enumerate().skip(1) {
        assert!(!world.is_dirty(moved(handle)), "{index}");
    }
    let fifth = moved(handles[4]);
    assert_eq!(world.file_of(fifth).unwrap(), path);
    world.remove(fifth).unwrap();
    assert!(world.file_of(fifth).is_none());
    let new = world.spawn(Stone { mass: 0.0, hits: 0 }, Vec3::ZERO).unwrap();
    assert!(world.is_dirty(new), "it has no text, whoever had its slot");
    let again = world.restore(id).unwrap();
    assert_eq!((world.file_of(again).unwrap(), world.is_dirty(again)), (path.clone(), false));
    world.stop().unwrap();
    assert_eq!((world.file_of(handles[4]).unwrap(), world.dirty().len()), (path, 0));
}

#[test]
fn ticket_of_one_side_of_play_names_nothing_on_the_other() {
    let mut world = super::world();
    let before = world.commands().spawn(super::orc("before"), Vec3::ZERO);
    world.play().unwrap();
    let during = world.commands().spawn(super::orc("during"), Vec3::ZERO);
    world.commands().remove(before);
    let report = world.update().unwrap();
    assert_eq!((report.spawned.len(), report.errors.len(), world.len()), (1, 1, 1));
    let waiting = world.commands().spawn(super::orc("never"), Vec3::ZERO);
    world.stop().unwrap();
    let after = world.commands().spawn(super::orc("after"), Vec3::ZERO);
    world.commands().remove(waiting);
    let report = world.update().unwrap();
    assert_eq!((report.spawned.len(), report.errors.len(), world.len()), (2, 1, 2));
    let tickets = std::collections::HashSet::from([before, during, waiting, after]);
    assert_eq!(tickets.len(), 4);
}
