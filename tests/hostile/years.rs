//! Migrations that rename wildly, over files of every kind and keys of any letters.
//!
//! Every line holds numbers of its own. What a step takes away it writes down; every other number that was in a file is there after a
//! migration and after a save, the files mean what they meant, and a second run changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, Mutex};

use juliet::prelude::*;
use juliet::{LoadReport, MigrateError, Migration, Mode, Subject};

use crate::random::for_seeds;
use crate::random::values::Rng;
use crate::support::{ENTITIES, TestProject};

#[derive(Property, Clone, Default)]
#[jasset(removed("Gone"))]
struct Lamp {
    #[jasset(alias("Tint", "Hue%"))]
    hue: u32,
    power: u32,
    label: String,
}

#[derive(Property, Clone, Default)]
enum Act {
    #[default]
    Idle,
    #[jasset(alias = "Walk", removed("Style"))]
    Patrol {
        #[jasset(alias = "Pace")]
        speed: u32,
    },
    Wait(u32),
}

#[derive(Property, Clone, Default)]
#[jasset(removed("Gone"))]
struct Coin {
    #[jasset(key)]
    name: String,
    #[jasset(alias = "Number")]
    count: u32,
    lamp: Lamp,
}

#[derive(Entity)]
#[jasset(version = 3, migrate(1 => step, 2 => step), removed("Gone", "Gold%"))]
pub(crate) struct Odd {
    #[jasset(alias = "Nöte%")]
    note: String,
    #[jasset(alias = "Lamp%")]
    light: Lamp,
    act: Act,
    acts: Vec<Act>,
    #[jasset(alias = "Hort")]
    loot: IndexMap<String, u32>,
    #[jasset(alias = "Pile")]
    stacks: Vec<Coin>,
    count: u32,
}

/// The same as a component.
#[derive(Component, Clone)]
#[jasset(version = 3, migrate(1 => step, 2 => step), removed("Gone", "Gold%"), alias = "Leg")]
struct Limb {
    #[jasset(alias = "Nöte%")]
    note: String,
    #[jasset(alias = "Lamp%")]
    light: Lamp,
    act: Act,
    acts: Vec<Act>,
    #[jasset(alias = "Hort")]
    loot: IndexMap<String, u32>,
    #[jasset(alias = "Pile")]
    stacks: Vec<Coin>,
    count: u32,
}

/// What has limbs.
#[derive(Entity)]
struct Body;

const KNOWN: [&str; 12] =
    ["Note", "Nöte%", "Light", "Lamp%", "Light.Power", "Light.Label", "Act", "Loot", "Hort", "stacks", "Pile", "Count"];

/// Numbers that steps took away, and those they made.
static LOST: LazyLock<Mutex<BTreeSet<u32>>> = LazyLock::new(Mutex::default);
static MADE: LazyLock<Mutex<BTreeMap<u32, u64>>> = LazyLock::new(Mutex::default);

/// The numbers that are followed: seven digits, the first a 1.
fn numbers(text: &str) -> BTreeSet<u32> {
    let runs = text.split(|letter: char| !letter.is_ascii_digit());
    runs.filter(|run| run.len() == 7 && run.starts_with('1')).map(|run| run.parse().unwrap()).collect()
}

fn all_numbers(file: &Migration<'_>) -> BTreeSet<u32> {
    let lines = file.keys().map(|key| format!("{key} {}", file.get(key).unwrap_or_default()));
    let lines = lines.chain(file.removed_items().map(str::to_owned));
    lines.flat_map(|line| numbers(&line)).collect()
}

/// Letters that keys may have somewhere, and some that they may not.
fn odd_key(rng: &mut Rng, number: u32) -> String {
    let mut key = String::from(rng.pick(&["Ö", "k", "K_", "Old", "%", "é", "日"]));
    for _ in 0..rng.below(4) {
        key += rng.pick(&[
            "%",
            "ä",
            "_b",
            ".X",
            ".y_z",
            "[a]",
            "[\"q ]: .\"]",
            "'",
            "-",
            "[",
            "]",
            "\"",
            "/",
            "\\",
            "ß",
            "[u.v].W",
        ]);
    }
    if rng.one_in(150) {
        key += rng.pick(&[": ", " ", "\n", "", "\u{200B}", "\r"]);
    }
    format!("{key}{}{number}", if key.ends_with(']') { "." } else { "" })
}

/// Does what the line `Plan` says, a seed.
pub(crate) fn step(file: &mut Migration<'_>) -> Result<(), MigrateError> {
    let Some(plan) = file.get("Plan").and_then(|plan| plan.parse::<u64>().ok()) else { return Ok(()) };
    let version = file.version();
    let rng = &mut Rng::new(plan * 8 + u64::from(version));
    let fresh = |index: usize| 1_700_000 + plan as u32 * 30 + version * 10 + index as u32;
    if version == 2 {
        file.remove("Plan");
    }
    let _ = (file.inherited(rng.pick(&KNOWN)), file.inherited("K[ä"));
    for index in 0..rng.below(4) {
        let keys: Vec<String> = file.keys().chain(file.removed_items()).map(str::to_owned).collect();
        let key = keys.get(rng.below(keys.len() + 1)).cloned().unwrap_or_else(|| odd_key(rng, fresh(index)));
        let ends: Vec<usize> = key.char_indices().filter(|it| matches!(it.1, '.' | '[')).map(|it| it.0).collect();
        let part = if ends.is_empty() { &*key } else { &key[..ends[rng.below(ends.len())]] };
        let before = all_numbers(file);
        let new = odd_key(rng, fresh(index));
        let rename = |file: &mut Migration<'_>, old: &str, new: &str| {
            if file.rename(old, new) {
                LOST.lock().unwrap().extend(numbers(old));
            }
        };
        match rng.below(16) {
            0..=2 => rename(file, &key, &new),
            3..=5 => rename(file, part, &new),
            6 | 7 => rename(file, part, rng.pick(&KNOWN)),
            8 | 9 => rename(file, rng.pick(&KNOWN), &new),
            10 => rename(file, rng.pick(&KNOWN), rng.pick(&KNOWN)),
            11 if rng.one_in(3) => rename(file, part, rng.pick(&["Gone", "gone", "Gold%", "Light.Gone"])),
            12 => {
                MADE.lock().unwrap().insert(fresh(index), plan);
                file.set(&new, rng.pick(&["1", "[", "\" x", "a: b", "; y", "", "é\""]));
            }
            13 => {
                let text = file.get(&key).unwrap_or("0").to_owned();
                file.set(&key, format!("{}{text}", rng.pick(&["", "", "0", " "])));
            }
            way => {
                if way == 14 {
                    file.remove(&key);
                } else {
                    file.remove_all(part);
                }
                LOST.lock().unwrap().extend(before.difference(&all_numbers(file)));
            }
        }
    }
    // What has the key of a property that is gone goes.
    let is_gone = |key: &str| key.split(['.', '[']).any(|part| matches!(part, "Gone" | "gone" | "Gold%" | "gold%"));
    let gone = file.keys().chain(file.removed_items()).filter(|key| is_gone(key));
    let gone: Vec<u32> =
        gone.flat_map(|key| numbers(&format!("{key} {}", file.get(key).unwrap_or_default()))).collect();
    LOST.lock().unwrap().extend(gone);
    if rng.one_in(25) { Err("no".into()) } else { Ok(()) }
}

/// A file of some version, whose numbers begin at `base`.
fn file(rng: &mut Rng, template: Option<&str>, id: Option<u64>, base: u32, plan: u32) -> String {
    let mut count = base;
    let mut next = || {
        count += 1;
        count
    };
    let mut lines: Vec<(String, Option<String>)> = Vec::new();
    for way in 0..18 {
        if rng.one_in(2) {
            continue;
        }
        let mut add = |key: &str, text: String| lines.push((key.to_owned(), Some(text)));
        let number = next();
        match way {
            0 => add(rng.pick(&["Note", "note", "Nöte%"]), format!("{} {number}", rng.pick(&["a", "é\"", "[#", "ß:"]))),
            1 if rng.one_in(2) => {
                let hue = rng.pick(&["Hue", "Tint", "Hue%"]);
                add(rng.pick(&["Light", "Lamp%"]), format!("{{ Power: {number}, {hue}: {}, Gone: 9 }}", next()));
            }
            1 => {
                let name = rng.pick(&["Light", "light", "Lamp%"]);
                add(&format!("{name}.{}", rng.pick(&["Hue", "Hue%", "tint"])), number.to_string());
                add(&format!("{name}.label"), format!("x {}", next()));
                add(&format!("{name}.Gone"), "9".into());
            }
            2 => add(
                "Act",
                rng.pick(&["Wait(N)", "Walk { Pace: N, Style: 9 }", "Patrol { Speed: N }"])
                    .replace('N', &number.to_string()),
            ),
            3 => add("acts", format!("[Idle, Walk {{ Pace: {number} }}, Wait({})]", next())),
            4 if rng.one_in(2) => add("Hort", format!("{{ \"t{number} :\": {}, a: 1 }}", next())),
            4 => {
                let name = rng.pick(&["Loot", "loot", "Hort"]);
                add(&format!("{name}[t{number}]"), next().to_string());
                add(&format!("{name}[\"t ]: .{}\"]", next()), next().to_string());
            }
            5 if rng.one_in(2) => add("Pile", format!("[{{ Name: t{number}, Number: {}, Gone: 9 }}]", next())),
            5 => {
                let name = rng.pick(&["Stacks", "stacks", "Pile"]);
                add(&format!("{name}[t{number}].Number"), next().to_string());
                add(&format!("{name}[t{number}].Lamp.{}", rng.pick(&["Hue", "Hue%"])), next().to_string());
                add(&format!("{name}[t9].gone[7].x"), "9".into());
            }
            6 => add("Count", number.to_string()),
            7 => add(rng.pick(&["Gone", "Gold%.x", "gone[7]"]), "9".into()),
            8 => add(rng.pick(&["Position", "position"]), "1, 2, 3".into()),
            9 if template.is_some() => {
                let list = rng.pick(&["Loot", "Hort", "Stacks", "Öld", "K_b.Ü"]);
                lines.push((format!("{list}[t{number}]"), None));
            }
            _ => {
                let key = odd_key(rng, number);
                let text = rng.pick(&["x", "[", "{ a: \"", "\"q\" #", "] z", "ü :", "none"]);
                add(&key, format!("{text} {}", next()));
            }
        }
    }
    lines.push(("Plan".into(), Some(plan.to_string())));
    crate::random::files::shuffle(rng, &mut lines);
    let (is_node, end) = (rng.one_in(2), rng.pick(&["\n", "\n", "\r\n"]));
    let version = rng.pick(&[None, Some("1"), Some("2"), Some("2"), Some("3")]);
    let mut out = String::new();
    // Lines that take something out look the same in both spellings.
    let mut line = |is_marked: bool, name: &str, text: Option<&str>| {
        out += &match (text, is_node, is_marked) {
            (None, ..) => format!("! {name}{end}"),
            (Some(text), true, _) => format!("; {name}{end}{text}{end}"),
            (Some(text), false, true) => format!("; {name}: {text}{end}"),
            (Some(text), false, false) => format!("{name}: {text}{end}"),
        };
        if rng.one_in(6) {
            out += &format!("# Loot[é]: {}{end}", next());
        }
    };
    match template {
        Some(template) => line(true, "template", Some(&format!("Assets/Templates/{template}.jasset"))),
        None => line(true, "class", Some("Odd")),
    }
    if let Some(id) = id {
        line(true, "id", Some(&format!("{id:#018x}")));
    }
    if let Some(version) = version {
        line(true, "class_version", Some(version));
    }
    lines.iter().for_each(|(key, text)| line(false, key, text.as_deref()));
    line(true, "component", Some("Soul"));
    line(false, "Loot[x]", Some("1000000"));
    out
}

/// Two templates and three entities by their paths below the content folder, each with its plan.
pub(crate) fn files(rng: &mut Rng, seed: u32) -> Vec<(String, String, u32)> {
    let all = [(Some("A"), None), (Some("B"), Some("A")), (None, None), (None, Some("A")), (None, Some("B"))];
    let file = |(number, (own, template)): (usize, (Option<&str>, Option<&str>))| {
        let plan = seed * 5 + number as u32;
        let id = own.is_none().then_some(0x100 + number as u64);
        let path = own.map_or(format!("{ENTITIES}/{number}.jasset"), |own| format!("Templates/{own}.jasset"));
        (path, file(rng, template, id, 1_000_000 + plan * 600, plan), plan)
    };
    all.into_iter().enumerate().map(file).collect()
}

/// A project of such files.
pub(crate) fn project(registry: ClassRegistry, files: &[(String, String, u32)]) -> TestProject {
    let project = TestProject::with(registry, &[] as &[(&str, &str)]);
    for (path, text, _) in files {
        project.put(&format!("../../../{path}"), text);
    }
    project
}

/// Files by their paths below the content folder.
pub(crate) type Texts = BTreeMap<String, String>;

pub(crate) fn texts(project: &TestProject) -> Texts {
    let text = |(path, (bytes, _)): (String, (Vec<u8>, _))| (path, String::from_utf8(bytes).unwrap());
    project.picture().into_iter().map(text).collect()
}

/// Everything that was in a file and that no step took away is in it.
#[track_caller]
fn check_numbers(before: &Texts, after: &Texts, plans: &BTreeMap<String, u64>) {
    assert!(before.keys().eq(after.keys()));
    let (lost, made) = (LOST.lock().unwrap(), MADE.lock().unwrap());
    for (path, old) in before {
        let new = &after[path];
        let mut wanted = numbers(old);
        if old != new && !old.contains("class_version: 3") && !old.replace('\r', "").contains("class_version\n3") {
            wanted.extend(made.iter().filter(|it| *it.1 == plans[path]).map(|it| it.0));
        }
        let found = numbers(new);
        let gone: Vec<&u32> = wanted.iter().filter(|it| !found.contains(it) && !lost.contains(it)).collect();
        assert!(gone.is_empty(), "{path} lost {gone:?}\n{old}\n---\n{new}");
    }
}

const LEAVES: [&str; 9] = ["Note", "Light.Hue", "Light.Power", "Light.Label", "Act", "Acts", "Loot", "Stacks", "Count"];

/// What the files of a world say, and why others were left out.
type Meaning = (BTreeMap<String, Vec<String>>, BTreeMap<String, String>);

pub(crate) fn meaning(world: &World, report: &LoadReport) -> Meaning {
    let entities = world.iter().map(|base| Subject::Entity(base.handle()));
    let templates = ["A", "B"].map(|name| world.find_template(&format!("Assets/Templates/{name}.jasset")));
    let told = |subject: Subject| {
        let mut all: Vec<String> = LEAVES.iter().filter_map(|key| world.get_text(subject, key)).collect();
        let mut overrides = world.overrides(subject);
        overrides.sort();
        all.extend(overrides);
        all.extend(world.get_text(subject, "Position"));
        all
    };
    let name = |subject: Subject| match subject {
        Subject::Entity(handle) => world.file_of(handle).unwrap().to_string(),
        Subject::Template(handle) => format!("{:?}", world.template_path(handle)),
    };
    let all = entities.chain(templates.into_iter().flatten().map(Subject::Template));
    let faults = report.diagnostics.iter().filter(|it| it.is_error());
    (
        all.map(|subject| (name(subject), told(subject))).collect(),
        faults.map(|it| (it.file.to_string(), it.message.to_string())).collect(),
    )
}

#[test]
fn wild_migrations_lose_nothing_and_come_to_an_end() {
    let (mut seed, mut changed, mut refused, mut saved) = (0, 0, 0, 0);
    for_seeds(200, |rng| {
        let files = files(rng, seed);
        let plans: BTreeMap<String, u64> = files.iter().map(|it| (it.0.clone(), u64::from(it.2))).collect();
        let project = || project(registry![Odd].unwrap(), &files);

        // The project as a whole.
        let whole = project();
        let (world, report) = whole.load();
        let (before, meant) = (texts(&whole), meaning(&world, &report));
        let preview = whole.open().migrate(Mode::Preview).unwrap();
        assert_eq!(texts(&whole), before);
        let done = whole.open().migrate(Mode::Write).unwrap();
        assert_eq!(done, preview);
        let after = texts(&whole);
        check_numbers(&before, &after, &plans);
        changed += done.files.len();
        refused += before.len() - before.iter().filter(|it| after[it.0] != *it.1).count();
        let again = whole.open().migrate(Mode::Write).unwrap();
        assert_eq!((&again.files[..], &texts(&whole)), (&[][..], &after));
        let (world, report) = whole.load();
        let meant_now = meaning(&world, &report);
        assert_eq!(meant_now.0, meant.0, "{before:#?}\n{after:#?}");
        assert!(meant_now.1.keys().eq(meant.1.keys()), "{:#?}\n{:#?}", meant.1, meant_now.1);

        // One world, of which every file is touched.
        let one = project();
        let (mut world, _) = one.load();
        let handles: Vec<EntityHandle> = world.iter().map(|base| base.handle()).collect();
        for handle in handles {
            world.set_position(handle, [7.5, 2.0, rng.below(90) as f32]).unwrap();
        }
        for name in ["A", "B"] {
            if let Some(template) = world.find_template(&format!("Assets/Templates/{name}.jasset")) {
                world.set_text(template, "Light.Power", "77").unwrap();
            }
        }
        LOST.lock().unwrap().extend(one.picture().values().flat_map(|it| powers(&String::from_utf8_lossy(&it.0))));
        let (before, meant) = (texts(&one), meaning(&world, &LoadReport::default()));
        let report = world.save().unwrap();
        assert_eq!(report.diagnostics, [], "{before:#?}");
        saved += report.written.len();
        let after = texts(&one);
        check_numbers(&before, &after, &plans);
        let (mut world, report) = one.load();
        assert_eq!(meaning(&world, &report).0, meant.0, "{before:#?}\n{after:#?}");
        assert!(world.save_all().unwrap().written.is_empty());
        seed += 1;
    });
    assert!(changed > 400 && refused > 100 && saved > 300, "{changed} {refused} {saved}");
}

/// The numbers that the power of a lamp may have.
fn powers(text: &str) -> BTreeSet<u32> {
    let behind = text.split("ower").skip(1).filter_map(|rest| rest.split([',', '}', ';']).next());
    behind.flat_map(numbers).collect()
}

/// The text of an [`Odd`] as that of a [`Body`] of which a [`Limb`] says the same.
fn in_a_section(text: &str, name: &str) -> String {
    let text = text.replacen("; class: Odd", "; class: Body", 1);
    let text = text.replacen("; class\nOdd", "; class\nBody", 1).replacen("; class\r\nOdd", "; class\r\nBody", 1);
    let is_colon = text.starts_with("; class: ") || text.starts_with("; template: ");
    let (between, end) = (if is_colon { ": " } else { "\n" }, if text.contains('\r') { "\r\n" } else { "\n" });
    let opening = format!("; component{}{name}{end}", if is_colon { between } else { end });
    // Behind class or template, and id.
    let is_head =
        |line: &str| ["; class", "; template", "; id"].iter().any(|it| line.starts_with(it)) && !line.contains("_v");
    let mut lines = text.split_inclusive('\n');
    let (mut at, mut next) = (0, 0);
    while let Some(line) = lines.next() {
        next += line.len();
        if is_head(line) {
            next += if is_colon { 0 } else { lines.next().map_or(0, str::len) };
            at = next;
        } else if !line.starts_with('#') {
            break;
        }
    }
    format!("{}{opening}{}", &text[..at], &text[at..])
}

#[test]
fn wild_migrations_of_sections_lose_nothing_and_come_to_an_end() {
    // Numbers of their own: the other test runs beside this one.
    let (mut seed, mut changed, mut saved) = (200, 0, 0);
    for_seeds(30, |rng| {
        let name = rng.pick(&["Limb", "Limb", "Leg"]);
        let files: Vec<_> =
            files(rng, seed).into_iter().map(|(path, text, plan)| (path, in_a_section(&text, name), plan)).collect();
        let plans: BTreeMap<String, u64> = files.iter().map(|it| (it.0.clone(), u64::from(it.2))).collect();
        let project = || project(registry![Body, Limb].unwrap(), &files);
        let rows = |world: &World| {
            let rows =
                |handle| world.rows(handle).into_iter().map(|it| format!("{} {} {}", it.key, it.value, it.overridden));
            let mut all = BTreeMap::new();
            for handle in world.iter().map(|it| it.handle()) {
                let mut rows: Vec<String> = rows(handle).collect();
                rows.sort();
                all.insert(world.file_of(handle).unwrap().rsplit_once('/').unwrap().1.to_owned(), rows);
            }
            all
        };

        let whole = project();
        let (before, meant) = (texts(&whole), rows(&whole.load().0));
        let done = whole.open().migrate(Mode::Write).unwrap();
        changed += done.files.len();
        let after = texts(&whole);
        check_numbers(&before, &after, &plans);
        assert!(whole.open().migrate(Mode::Write).unwrap().files.is_empty());
        assert_eq!(texts(&whole), after);
        assert_eq!(rows(&whole.load().0), meant, "{before:#?}\n{after:#?}");

        let one = project();
        let (mut world, _) = one.load();
        let entities = world.iter().map(|base| Subject::Entity(base.handle()));
        let subjects: Vec<Subject> = world.templates().map(Subject::Template).chain(entities).collect();
        for subject in subjects {
            // Not all have one. What has become the power by a migration goes.
            let power = world.get_text(subject, "Limb/Light.Power").unwrap_or_default();
            LOST.lock().unwrap().extend(numbers(&power));
            let _ = world.set_text(subject, "Limb/Light.Power", &rng.below(90).to_string());
        }
        let (before, meant) = (texts(&one), rows(&world));
        let report = world.save().unwrap();
        assert_eq!(report.diagnostics, [], "{before:#?}");
        saved += report.written.len();
        let after = texts(&one);
        check_numbers(&before, &after, &plans);
        let (mut world, _) = one.load();
        assert_eq!(rows(&world), meant, "{before:#?}\n{after:#?}");
        assert!(world.save_all().unwrap().written.is_empty());
        seed += 1;
    });
    assert!(changed > 60 && saved > 50, "{changed} {saved}");
}
