//! Files of older programs, read and migrated through a schema: keys of properties that are gone, steps, classes that nobody knows.

use juliet::core::class::MigrateFn;
use juliet::prelude::*;
use juliet::schema::Schema;
use juliet::{Mode, UnknownReport};

use super::{Said, broken, check, described};
use crate::hostile::years::{Odd, files, meaning, project, step, texts};
use crate::random::for_seeds;

const STEPS: &[(u32, MigrateFn)] = &[(1, step), (2, step)];

fn known() -> ClassRegistry {
    registry![Odd].unwrap()
}

/// The same class from its schema, with the steps of the program.
fn made() -> ClassRegistry {
    let schema = Schema::from_json(&known().schema().to_json()).unwrap();
    schema.registry_with(&|class| (class.name == "Odd").then_some(STEPS)).unwrap()
}

#[test]
fn a_class_of_a_schema_has_the_steps_and_the_keys_that_are_gone() {
    assert_eq!(made().schema().to_json(), known().schema().to_json());
    for (line, is_told) in [
        ("Gone: x", false),
        ("gone.a[b].c: [", false),
        ("! Gone[x]", false),
        ("Light.Gone: x", false),
        ("Lamp%: { Gone: { a: [1, (] }, Hue%: 2 }", false),
        ("Light: { Gone: 1 }\nLight.Gone: 2", false),
        ("Stacks[a].Gone: 2", false),
        ("Pile[a]: { Gone: 2, Number: 3 }", false),
        ("Stacks: [{ Name: a, Gone: [(] }, { Lamp: { Gone: 1 } }]", false),
        ("Act: Walk { Style: [x(y), \"(\"], Pace: 1 }", false),
        ("Acts: [Patrol { Style: 1, Style: 2 }, Walk {}]", false),
        ("Gone: 1\ngone: 2", true),
        ("Count.Gone: 1", true),
        ("Loot[a].Gone: 1", true),
        ("Act.Style: 1", true),
        ("Acts: [Wait { Style: 1 }]", true),
        ("Golden: 1", true),
    ] {
        for version in [1, 2, 3] {
            let text = format!("; class: Odd\n; class_version: {version}\n{line}\n");
            let Said { diagnostics, clean } = check(&known(), &made(), &text).unwrap();
            assert_eq!(!diagnostics.is_empty(), is_told, "{line} {diagnostics:?}");
            assert!(clean.is_some() || is_told, "{line}");
        }
    }
}

#[test]
fn older_files_are_read_and_told_alike() {
    let (known, made, strange) = (known(), made(), described(&known()));
    let (mut clean, mut faulty) = (0, 0);
    for_seeds(60, |rng| {
        for (_, text, _) in files(rng, 0) {
            let text = text.replace("Assets/Templates/", "").replace("; template\n", "; class\n");
            for text in [text.replace("; template: A.jasset", "; class: Odd"), broken(rng, text)] {
                let text = text.replace("\nA.jasset\n", "\nOdd\n");
                match check(&known, &made, &text) {
                    Some(Said { clean: Some(_), .. }) => clean += 1,
                    _ => faulty += 1,
                }
            }
        }
    });
    assert!(clean > 100 && faulty > 100, "{clean} clean, {faulty} faulty");
    // Without the steps of the program an older file is refused, and a current one is read.
    for (version, is_refused) in [(1, true), (2, true), (3, false)] {
        let text = format!("; class: Odd\n; class_version: {version}\nCount: 1\n");
        assert_eq!(super::said(&strange, &text).clean.is_none(), is_refused);
    }
}

#[test]
fn whole_projects_are_migrated_alike_also_where_a_class_is_not_known() {
    let mut changed = 0;
    for_seeds(25, |rng| {
        let mut files = files(rng, 0);
        if rng.one_in(4) {
            for (_, text, _) in &mut files {
                *text = text.replace("class: Odd", "class: Golem").replace("\nOdd", "\nGolem");
            }
        }
        let [known, made] = [known(), made()].map(|registry| {
            let project = project(registry, &files);
            let told = {
                let (world, report) = project.load();
                format!("{:#?} {:#?} {:#?}", meaning(&world, &report), report.diagnostics, world.unknown())
            };
            let UnknownReport { unknown, diagnostics } = project.open().unknown().unwrap();
            let done = project.open().migrate(Mode::Write).unwrap();
            let (mut world, report) = project.load();
            let handles: Vec<_> = world.iter().map(|base| base.handle()).collect();
            handles.into_iter().for_each(|handle| _ = world.set_position(handle, [7.0, 8.0, 9.0]).unwrap());
            assert!(world.save().unwrap().is_complete());
            (told, unknown, diagnostics, done, meaning(&world, &report), texts(&project))
        });
        assert_eq!(known, made);
        changed += known.3.files.len();
    });
    assert!(changed > 30, "{changed}");
}
