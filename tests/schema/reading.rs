//! Files read through an exported schema and through the program's own tables: the same values, the same diagnostics, the same bytes.

mod years;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use juliet::core::archive::{
    Components, EntityText, Findings, Overrides, for_each_leaf, open, read_values, write_entity, write_value,
};
use juliet::prelude::*;
use juliet::schema::Schema;
use juliet::{Code, OwnedValue, Spelling};

use super::shapes;
use crate::random::files::{File, shuffle};
use crate::random::for_seeds;
use crate::random::values::{Every, Rng, text};
use crate::sample::classes::{Collectible, Door, Inert, SpikeTrap};
use crate::support::{self, TestProject};

/// The registry of a program without the Rust types.
fn described(registry: &ClassRegistry) -> ClassRegistry {
    Schema::from_json(&registry.schema().to_json()).unwrap().registry().unwrap()
}

fn every() -> ClassRegistry {
    registry![Every].unwrap()
}

fn sample() -> ClassRegistry {
    registry![Inert, Collectible, SpikeTrap, Door].unwrap()
}

#[test]
fn a_registry_of_a_schema_has_just_that_schema() {
    for registry in [every(), sample(), shapes(), support::classes::registry()] {
        let schema = registry.schema();
        assert_eq!(described(&registry).schema().to_json(), schema.to_json());
        for (class, made) in registry.classes().iter().zip(described(&registry).classes()) {
            assert_eq!((class.name(), class.crc(), class.version()), (made.name(), made.crc(), made.version()));
            assert_eq!((class.aliases(), class.schema_hash()), (made.aliases(), made.schema_hash()));
            assert!(class != made, "a class of a schema is none of the program's");
        }
    }
    let old = Schema::from_json(include_str!("version_1.json")).unwrap();
    assert_eq!(old.registry().unwrap().schema().to_json(), old.to_json());
}

#[test]
fn two_schemas_have_classes_of_their_own_and_equal_ones_share_them() {
    let (a, b) = (described(&sample()), described(&sample()));
    assert!(a.classes().iter().zip(b.classes()).all(|(a, b)| std::ptr::eq(*a, *b)));
    let mut schema = sample().schema();
    schema.classes[0].doc.push('!');
    let other = schema.registry().unwrap();
    assert!(a.classes()[1] != other.classes()[1]);
    let (mut value, other) = (OwnedValue::new(&a, 1).unwrap(), OwnedValue::new(&other, 1).unwrap());
    assert!(!juliet::core::class::value::assign(value.as_mut(), other.as_ref()));
    assert!(value.as_ref().downcast_ref::<Collectible>().is_none());
    assert!(value.as_ref().field(1).unwrap().downcast_ref::<u32>() == Some(&100));
    assert_eq!(a.find_kind::<Collectible>(), None);
}

/// All that reading a text gives.
#[derive(Debug, PartialEq)]
struct Said {
    diagnostics: Vec<Diagnostic>,
    /// What a file without a fault says: class, id, position, leaves, overrides, and new files in both spellings.
    clean: Option<Clean>,
}

#[derive(Debug, PartialEq)]
struct Clean {
    class: &'static str,
    id: Option<u64>,
    position: String,
    leaves: Vec<(String, String)>,
    overrides: Overrides,
    written: [String; 2],
}

fn said(registry: &ClassRegistry, text: &str) -> Said {
    let mut findings = Findings::new();
    let mut clean = None;
    if let Some(opened) = open(registry, "a.jasset", text, &mut findings) {
        let mut value = OwnedValue::new(registry, opened.kind()).unwrap();
        let read = read_values(&opened, value.as_mut(), &mut findings);
        let value = value.as_ref();
        let mut leaves = Vec::new();
        for_each_leaf(value, Spelling::Colon, &mut |_, key, leaf| {
            let mut out = Vec::new();
            write_value(leaf, Spelling::Colon, &mut out);
            leaves.push((key.to_owned(), String::from_utf8(out).unwrap()));
        });
        let position = read.position.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let entity =
            EntityText { class: opened.class(), id: 7, position, value, inherits: None, components: Components::NONE };
        let written = [Spelling::Colon, Spelling::Node].map(|spelling| {
            let mut out = Vec::new();
            write_entity(&entity, spelling, &mut out);
            String::from_utf8(out).unwrap()
        });
        clean = Some(Clean {
            class: opened.class().name(),
            id: opened.id(),
            position: format!("{:?}", read.position),
            leaves,
            overrides: read.overrides(),
            written,
        });
    }
    let is_ok = findings.is_ok();
    Said { diagnostics: findings.into_diagnostics("a.jasset"), clean: clean.filter(|_| is_ok) }
}

/// Whether both registries say the same of a text; `None` if an adapter had a say, which a schema does not know.
fn check(known: &ClassRegistry, made: &ClassRegistry, text: &str) -> Option<Said> {
    let (known, mut made) = (said(known, text), said(made, text));
    if known.diagnostics.iter().any(|it| it.code == Code::AdapterRefused) {
        return None;
    }
    if let (Some(known), Some(made)) = (&known.clean, &mut made.clean)
        && let Some(place) = known.leaves.iter().position(|(key, _)| key == "Wait")
        && known.leaves[place] != made.leaves[place]
    {
        let said = std::mem::replace(&mut made.leaves[place], known.leaves[place].clone()).1;
        assert_eq!(juliet_duration(&said), juliet_duration(&known.leaves[place].1));
        made.written.clone_from(&known.written);
    }
    assert_eq!(made, known, "{text}");
    Some(known)
}

/// Nanoseconds of `12ns`.
fn juliet_duration(text: &str) -> Option<u64> {
    text.strip_suffix("ns")?.parse().ok()
}

/// A text that somebody broke.
fn broken(rng: &mut Rng, mut text: String) -> String {
    for _ in 0..1 + rng.below(3) {
        let place = |rng: &mut Rng, text: &str| {
            let mut at = rng.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (a, b) = (place(rng, &text), place(rng, &text));
        let (from, to) = (a.min(b), a.max(b));
        match rng.below(7) {
            0 => text.truncate(to),
            1 => {
                let near = from..to.min(from + rng.below(12));
                if text.is_char_boundary(near.end) && near.start <= near.end {
                    text.replace_range(near, "");
                }
            }
            2 => text.insert_str(from, &crate::random::values::text(rng)),
            3 => {
                let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
                let twice = lines[rng.below(lines.len().max(1)).min(lines.len().saturating_sub(1))..].first().copied();
                lines.extend(twice);
                text = lines.concat();
            }
            4 => {
                let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
                shuffle(rng, &mut lines);
                text = lines.concat();
            }
            5 => {
                let mark =
                    rng.pick(&["[", "]", "{", "}", "(", ")", ",", ":", "\"", ";", "! ", "[a]", "none", "-", "9"]);
                text.insert_str(from, mark);
            }
            _ => {
                let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
                let at = rng.below(lines.len().max(1));
                if let Some(line) = lines.get_mut(at)
                    && let Some((key, _)) = line.split_once(": ")
                {
                    *line = format!("{key}: {}", self::text(rng).replace(['\n', '\r'], " "));
                }
                text = lines.join("\n");
            }
        }
    }
    text
}

#[test]
fn any_file_is_read_told_and_written_alike() {
    let (known, made) = (every(), described(&every()));
    let (mut clean, mut faulty) = (0, 0);
    for_seeds(400, |rng| {
        let file = File::random(rng, 0x100).text();
        for text in [file.clone(), broken(rng, file.clone()), broken(rng, file)] {
            match check(&known, &made, &text) {
                Some(Said { clean: Some(_), .. }) => clean += 1,
                Some(_) => faulty += 1,
                None => {}
            }
        }
    });
    assert!(clean > 300 && faulty > 300, "{clean} clean, {faulty} faulty");
}

#[test]
fn values_that_are_written_read_back_alike() {
    let (known, made) = (every(), described(&every()));
    for_seeds(150, |rng| {
        let value: Every = rng.value();
        for spelling in [Spelling::Colon, Spelling::Node] {
            let value = juliet::ErasedRef::of_entity(&value);
            let entity = EntityText {
                class: Every::CLASS,
                id: 9,
                position: [0.0; 4],
                value,
                inherits: None,
                components: Components::NONE,
            };
            let mut out = Vec::new();
            write_entity(&entity, spelling, &mut out);
            let text = String::from_utf8(out).unwrap();
            let said = check(&known, &made, &text).unwrap();
            assert!(said.clean.is_some(), "{:?}", said.diagnostics);
        }
    });
}

/// Files of a folder and below it, by their paths.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else if let Ok(text) = fs::read_to_string(entry.path()) {
                all.insert(entry.path().strip_prefix(folder).unwrap().to_string_lossy().into_owned(), text);
            }
        }
    }
    all
}

fn copy(from: &Path, to: &Path) {
    for (path, text) in files(from) {
        let path = to.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// All values of a world as text, by the file.
fn values(world: &World) -> BTreeMap<String, Vec<String>> {
    let all = world.iter().map(|base| {
        let handle = base.handle();
        let rows = world.rows(handle).into_iter();
        let told = rows.map(|row| {
            let value =
                format!("{}: {} over {}, {:?} {:?}", row.key, row.value, row.inherited, row.inherited_from, row.source);
            let kind = format!("{} {} {} {:?} {}", row.type_name, row.group, row.unit, row.range, row.doc);
            format!("{value} {} {kind}", row.overridden)
        });
        let mut texts: Vec<String> = told.collect();
        texts.extend(world.overrides(handle));
        texts.push(format!("{:?} {:?}", base.id(), world.position(handle)));
        (world.file_of(handle).unwrap(), texts)
    });
    all.collect()
}

/// Equal by name, one at a time: all of it would be too long to read.
fn assert_alike<T: PartialEq + std::fmt::Debug>(known: &BTreeMap<String, T>, made: &BTreeMap<String, T>) {
    assert!(known.keys().eq(made.keys()));
    for (name, known) in known {
        assert_eq!(known, &made[name], "{name}");
    }
}

#[test]
fn the_sample_project_is_loaded_changed_and_saved_alike() {
    let homes = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let worlds = [sample(), described(&sample())].into_iter().zip(&homes).map(|(registry, home)| {
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets"), &home.path().join("assets"));
        let project = Project::open(home.path().join("assets"), registry).unwrap();
        let (world, report) = project.load_world("Harbour").unwrap();
        assert_eq!((report.diagnostics.as_slice(), report.skipped), (&[][..], 0));
        world
    });
    let mut worlds: Vec<World> = worlds.collect();
    let [known, made] = [0, 1].map(|index| values(&worlds[index]));
    assert_alike(&known, &made);
    assert!(known.len() > 20);
    for world in &mut worlds {
        let mut handles: Vec<_> = world.iter().map(|base| base.handle()).collect();
        handles.sort_by_key(|&handle| world.file_of(handle).unwrap());
        for (number, handle) in handles.into_iter().enumerate() {
            for (key, text) in [
                ("Mass", "12.5"),
                ("Light.Radius", "0.1"),
                ("Kind", "Fish"),
                ("OpensTo", "\"Deep, down\""),
                ("Targets", "[0x1, 0x2]"),
                ("Tint", "0.5 0.25 1 0.5"),
            ] {
                if number % 3 != 0 {
                    let _ = world.set_text(handle, key, text);
                }
            }
            if number % 5 == 0 {
                let _ = world.reset(handle, "MeshAsset");
                world.set_position(handle, [1.0, 2.0, 3.0]).unwrap();
            }
        }
        let rock = world.find_template("Assets/Templates/RockLarge.jasset").unwrap();
        assert!(world.set_text(rock, "Tint", "1 0 0").unwrap());
        assert!(world.save().unwrap().is_complete());
    }
    let [known, made] = [0, 1].map(|index| values(&worlds[index]));
    assert_alike(&known, &made);
    let [known, made] = [0, 1].map(|index| files(homes[index].path()));
    assert_alike(&known, &made);
    assert_ne!(known, files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets")));
}

#[test]
fn random_changes_of_random_files_are_saved_alike() {
    for_seeds(6, |rng| {
        let all: Vec<(String, String)> =
            (0..10).map(|index| (format!("f{index}.jasset"), File::random(rng, 0x100 + index).text())).collect();
        let named: Vec<(&str, &str)> = all.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        let projects = [every(), described(&every())].map(|registry| TestProject::with(registry, &named));
        let mut worlds = projects.each_ref().map(|project| project.load().0);
        assert_eq!(worlds[0].len(), worlds[1].len());
        let names: Vec<String> = values(&worlds[0]).into_keys().collect();
        for _ in 0..60 {
            let drawn: Every = rng.value();
            let mut leaves = Vec::new();
            for_each_leaf(juliet::ErasedRef::of_entity(&drawn), Spelling::Colon, &mut |_, key, leaf| {
                let mut out = Vec::new();
                write_value(leaf, Spelling::Colon, &mut out);
                leaves.push((key.to_owned(), String::from_utf8(out).unwrap()));
            });
            let (key, text) = &leaves[rng.below(leaves.len())];
            let name = &names[rng.below(names.len())];
            let removed = rng.pick(&["ByLetter[a]", "Loot[none]", "Levels[1]"]);
            let way = rng.below(8);
            let outcomes = worlds.each_mut().map(|world| {
                let handle =
                    world.iter().map(|base| base.handle()).find(|&it| world.file_of(it).as_ref() == Some(name));
                match way {
                    0 => format!("{:?}", world.reset(handle.unwrap(), key)),
                    1 => format!("{:?}", world.remove_item(handle.unwrap(), removed)),
                    2 => format!("{:?}", world.set_text(handle.unwrap(), "Loot[gold].Count", "3")),
                    3 => format!("{:?}", world.set_text(handle.unwrap(), "Levels[-7].X", "3")),
                    _ => format!("{:?}", world.set_text(handle.unwrap(), key, text)),
                }
            });
            assert_eq!(outcomes[0], outcomes[1]);
        }
        let reports = worlds.each_mut().map(|world| format!("{:?}", world.save().unwrap().written));
        assert_eq!(reports[0], reports[1]);
        let [known, made] = worlds.each_ref().map(values);
        assert_alike(&known, &made);
        let [known, made] = projects.each_ref().map(|project| files(&project.root()));
        assert_alike(&known, &made);
    });
}

/// A file of the first version.
#[test]
fn what_only_the_program_can_migrate_is_refused() {
    fn split(migration: &mut juliet::Migration<'_>) -> Result<(), juliet::MigrateError> {
        migration.set("B", "2");
        Ok(())
    }
    #[derive(Entity)]
    #[jasset(version = 2, migrate = split)]
    struct Grown {
        b: u8,
    }
    let known = registry![Grown].unwrap();
    let made = described(&known);
    assert_eq!(made.schema(), known.schema());
    let told = said(&made, "; class: Grown\n; class_version: 1\nA: 1\n");
    assert_eq!((told.diagnostics.len(), told.diagnostics[0].code), (1, Code::MigrationFailed));
    assert!(told.diagnostics[0].message.contains("only the program itself"), "{:?}", told.diagnostics);
    assert_eq!(told.clean, None);
    check(&known, &made, "; class: Grown\n; class_version: 2\nB: 1\n").unwrap();
    check(&known, &made, "; class: Grown\n; class_version: 3\nB: 1\n").unwrap();
    assert_eq!(Grown::default_value().b, 0);
}

/// Wrappers and enums that have defaults and ranges of their own.
#[test]
fn defaults_of_wrappers_and_enums_come_with_the_schema() {
    #[derive(Property)]
    enum Mood {
        Calm,
        #[jasset(default)]
        Loud(u8, Vec<Mood>),
    }
    #[derive(Property)]
    struct Spot {
        #[jasset(default = 1)]
        x: i32,
        y: i32,
        mood: Mood,
    }
    #[derive(Property)]
    struct Far(#[jasset(default = Spot { x: 5, y: 6, mood: Mood::Calm }, unit = "m")] Spot);
    #[derive(Property)]
    struct Share(#[jasset(range = 0.0..=1.0, default = 0.5)] f32);
    #[derive(Property)]
    struct Pile {
        #[jasset(key)]
        name: String,
        share: Share,
        far: Far,
        moods: [Mood; 2],
    }
    #[derive(Entity)]
    struct Field {
        far: Vec<Far>,
        maybe: Option<Far>,
        shares: Vec<Share>,
        piles: Vec<Pile>,
        by_name: IndexMap<String, Far>,
        pairs: Vec<[Spot; 2]>,
        trees: Vec<Tree>,
    }
    #[derive(Property)]
    struct Tree {
        trees: Vec<Tree>,
        more: Option<Vec<Tree>>,
    }
    let known = registry![Field].unwrap();
    let made = described(&known);
    assert_eq!(made.schema().to_json(), known.schema().to_json());
    for lines in [
        "Far: [{ X: 1 }, {}, { Y: 7 }]",
        "Maybe: { Y: 7 }",
        "Maybe: {}",
        "Shares: [0.5, 2.5]",
        "Piles: [{ Name: a }, { Name: b, Far: { X: 1 } }]",
        "Piles[gold].Far.Y: 3",
        "Piles[gold].Share: 3",
        "Piles[gold].Moods: [Calm, Loud(1, [Calm])]",
        "ByName[a]: { X: 3 }",
        "ByName[a].X: 3\nByName[b]: {}",
        "ByName: { a: {}, b: { X: 1 } }",
        "Pairs: [[{}, { X: 2 }], [{ Mood: Calm }, {}]]",
        "Trees: [{ Trees: [{}, {}], More: [{}] }]",
    ] {
        let said = check(&known, &made, &format!("; class: Field\n{lines}\n")).unwrap();
        assert!(said.clean.is_some(), "{lines}: {:?}", said.diagnostics);
    }
    let Field { far, maybe, shares, piles, by_name, pairs, trees } = Field::default_value();
    assert_eq!((far.len(), shares.len(), piles.len(), by_name.len(), pairs.len()), (0, 0, 0, 0, 0));
    assert!(maybe.is_none() && trees.iter().all(|tree| tree.trees.is_empty() && tree.more.is_none()));
    let _ = |it: Pile| (it.name, it.share.0, it.far.0.x, it.far.0.y, it.far.0.mood, it.moods);
}
