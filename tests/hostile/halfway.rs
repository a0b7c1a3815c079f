//! The program's own code panics halfway through a change: what is in memory afterwards is what the next save writes, and nothing that was
//! removed is neither there nor to be brought back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

use juliet::Subject;
use juliet::prelude::*;

use crate::support::{Picture, TestProject};

/// How many calls of `post_init` there are before one panics; never with 0.
static FUSE: AtomicU32 = AtomicU32::new(0);

fn burn() {
    let burnt = FUSE.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
    assert!(burnt != Ok(1), "the program's own code panics");
}

#[derive(Entity)]
#[jasset(post_init = rock_made)]
struct Rock {
    hits: u8,
    note: String,
}

fn rock_made(_: &mut Rock) {
    burn();
}

#[derive(Component, Clone)]
#[jasset(post_init = bag_made)]
struct Bag {
    room: u32,
    note: String,
}

fn bag_made(_: &mut Bag) {
    burn();
}

const FILES: [(&str, &str); 5] = [
    ("Templates/T.jasset", "; class: Rock\nHits: 1\nNote: t\n; component: Bag\nRoom: 1\n"),
    (
        "Templates/U.jasset",
        "; template: Assets/Templates/T.jasset\nHits: 2\nNote: u\n; component: Bag\nRoom: 2\nNote: u\n",
    ),
    ("Templates/V.jasset", "; class: Rock\nHits: 3\nNote: v\n"),
    (
        "Worlds/W/Entities/A.jasset",
        "; template: Assets/Templates/T.jasset\n; id: 0x1\nOdd: 1\nNote: a\n; component: Bag\nNote: a\n",
    ),
    ("Worlds/W/Entities/B.jasset", "; template: Assets/Templates/U.jasset\n; id: 0x2\nNote: b\n"),
];

fn load(project: &TestProject) -> World {
    let (mut world, report) = project.load();
    assert!(!report.has_errors(), "{:?}", report.diagnostics);
    world.load_all_templates();
    world
}

fn template(world: &World, name: &str) -> TemplateHandle {
    world.find_template(&format!("Assets/Templates/{name}.jasset")).unwrap()
}

/// What there is, by file.
fn rows(world: &World) -> Vec<String> {
    let templates = world.templates().map(Subject::Template);
    let told = |subject: Subject| {
        let rows = world.rows(subject).into_iter().map(|row| format!("{} {} {}", row.key, row.value, row.overridden));
        let (file, rows) = (world.file_of(subject).unwrap(), rows.collect::<Vec<_>>());
        let template = world.template_of(subject).and_then(|it| world.template_path(it));
        format!("{file} {rows:?} {:?} {template:?}", world.overrides(subject))
    };
    let mut rows: Vec<String> = templates.chain(world.iter().map(|it| it.handle().into())).map(told).collect();
    rows.sort();
    rows
}

type Change = fn(&mut World, EntityHandle, &dyn Fn());

/// What is done once the fuse is lit, which the third argument does.
const CHANGES: [(&str, Change); 9] = [
    ("another template for a template", |world, _, light| {
        light();
        let _ = world.set_template(template(world, "U"), template(world, "V"));
    }),
    ("another template for an entity", |world, a, light| {
        light();
        let _ = world.set_template(a, template(world, "V"));
    }),
    ("a template reverted", |world, _, light| {
        light();
        let _ = world.revert_all(template(world, "U"));
    }),
    ("a component of a template reverted", |world, _, light| {
        light();
        let _ = world.revert(template(world, "U"), "Bag/Room");
    }),
    ("an entity reverted", |world, a, light| {
        light();
        let _ = world.revert_all(a);
    }),
    ("overrides applied", |world, a, light| {
        light();
        let _ = world.apply_all(a, template(world, "T"));
    }),
    ("a component taken away", |world, a, light| {
        light();
        let _ = world.remove_component_of(a, "Bag");
    }),
    ("a component of a template set", |world, _, light| {
        light();
        let _ = world.set_text(template(world, "T"), "Bag/Room", "9");
    }),
    ("an entity brought back below a template that changed", |world, a, light| {
        let id = world.remove(a).unwrap();
        world.set_text(template(world, "T"), "Bag/Room", "9").unwrap();
        light();
        world.restore(id).unwrap();
    }),
];

#[test]
fn what_a_panic_left_is_what_the_next_save_writes() {
    let mut panics = 0;
    for (name, change) in CHANGES {
        for fuse in 1..30 {
            let files = FILES.map(|(path, text)| (format!("../../../{path}"), text));
            let project = TestProject::with(registry![Rock, Bag].unwrap(), &files.each_ref().map(|it| (&*it.0, it.1)));
            let mut world = load(&project);
            let a = world.find_by_id(1).unwrap();
            let light = || FUSE.store(fuse, Ordering::Relaxed);
            let done = catch_unwind(AssertUnwindSafe(|| change(&mut world, a, &light)));
            FUSE.store(0, Ordering::Relaxed);
            if done.is_ok() {
                break;
            }
            panics += 1;
            world.entities().validate().unwrap();
            if world.removed().next().is_some() {
                // The removal is as it was.
                assert!(world.find_by_id(1).is_none(), "{name} {fuse}");
                world.restore(1).unwrap();
            }
            assert!(world.save().unwrap().is_complete(), "{name} {fuse}");
            assert_eq!(rows(&world), rows(&load(&project)), "{name} {fuse}");
            let picture: Picture = project.picture();
            assert_eq!(picture.len(), FILES.len(), "{name} {fuse}: {:?}", picture.keys());
            assert!(project.text("A.jasset").contains("Odd: 1\n"), "{name} {fuse}");
        }
    }
    assert!(panics > 12, "{panics}");
}
