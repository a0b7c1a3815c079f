//! One class through five versions: `version_N` holds the same project as each of them wrote it.
//!
//! | version | change |
//! |---|---|
//! | 1 | a `Hoist` with `X`, `Y`, `Speed` in km/h, `Tags` as one text, `Cargo` |
//! | 2 | `X` and `Y` are joined to `Hook`; `Speed` is called `Pace` |
//! | 3 | `Tags` are split into the list `Labels`; `Cargo` is gone |
//! | 4 | `Pace` counts metres a second; the mood `Angry` is called `Furious` |
//! | 5 | the class is called `Crane`; `Power` lies in `Light`; `Stock` is called `Store` |

use std::fs;
use std::path::Path;

use juliet::prelude::*;
use juliet::{IndexMap, MigrateError, Migration, Mode, Role, Subject};

use crate::support::{TestProject, save, save_all};

/// The lamp at its tip.
#[derive(Property, Clone, Default)]
struct Light {
    power: f32,
}

/// Of who works with it.
#[derive(Property, Clone, Copy, Default, PartialEq)]
enum Mood {
    #[default]
    Calm,
    #[jasset(alias = "Angry")]
    Furious,
}

/// Lifts things.
#[derive(Entity)]
#[jasset(version = 5, alias = "Hoist", removed("Cargo"), migrate(1 => join, 2 => split, 3 => convert, 4 => nest))]
struct Crane {
    name: String,
    hook: Vec2,
    #[jasset(unit = "m/s", alias = "Speed")]
    pace: f32,
    mood: Mood,
    light: Light,
    labels: Vec<String>,
    #[jasset(alias = "Stock")]
    store: IndexMap<String, u32>,
}

/// 1 → 2. An instance may override one of the two numbers: the other one is its template's.
fn join(lines: &mut Migration<'_>) -> Result<(), MigrateError> {
    let (x, y) = (lines.remove("X"), lines.remove("Y"));
    if x.is_some() || y.is_some() {
        let hook = lines.inherited("Hook").ok_or("no `Hook`")?;
        let (base_x, base_y) = hook.split_once(", ").ok_or("`Hook` has two numbers")?;
        let (x, y) = (x.as_deref().unwrap_or(base_x), y.as_deref().unwrap_or(base_y));
        lines.set("Hook", format!("{x}, {y}"));
    }
    lines.rename("Speed", "Pace");
    Ok(())
}

/// 2 → 3.
fn split(lines: &mut Migration<'_>) -> Result<(), MigrateError> {
    if let Some(tags) = lines.remove("Tags") {
        lines.set("Labels", format!("[{}]", tags.trim_matches('"')));
    }
    Ok(())
}

/// 3 → 4.
fn convert(lines: &mut Migration<'_>) -> Result<(), MigrateError> {
    if let Some(pace) = lines.get("Pace") {
        let km_per_hour: f32 = pace.parse().map_err(|_| format!("`{pace}` is no pace"))?;
        lines.set("Pace", (km_per_hour / 3.6).to_string());
    }
    Ok(())
}

/// 4 → 5.
fn nest(lines: &mut Migration<'_>) -> Result<(), MigrateError> {
    lines.rename("Power", "Light.Power");
    match (lines.role(), lines.inherits()) {
        (Role::Standalone, false) | (Role::Instance, true) | (Role::Template, _) => Ok(()),
        other => Err(format!("{other:?} is no file of this project").into()),
    }
}

fn project(version: u32) -> TestProject {
    let project = TestProject::with::<&str>(registry![Crane].unwrap(), &[]);
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/history/version_{version}"));
    copy(&from, &project.root());
    project
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&to).unwrap();
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Every value of every entity and template, and what each overrides; the same for each version.
const WORLD: &str = "\
Base: Name Base | Hook 1.0, 2.0 | Pace 10.0 | Mood Furious | Light { Power: 60.0 } | Labels [red, heavy] | Store { bolt: 5, nut: 7 }
Tall: Name Base | Hook 1.0, 8.0 | Pace 20.0 | Mood Furious | Light { Power: 60.0 } | Labels [red, heavy] | Store { nut: 9 }
  overrides Hook, Pace, Store[bolt], Store[nut]
1: Name Alone | Hook 3.0, 4.0 | Pace 5.0 | Mood Calm | Light { Power: 40.0 } | Labels [blue] | Store { cog: 2 }
2: Name Node | Hook 3.0, 4.0 | Pace 5.0 | Mood Calm | Light { Power: 40.0 } | Labels [blue] | Store { cog: 2 }
3: Name Base | Hook 5.0, 8.0 | Pace 20.0 | Mood Calm | Light { Power: 60.0 } | Labels [red, heavy] | Store { nut: 9, cog: 1 }
  overrides Hook, Mood, Store[cog]
4: Name Base | Hook 1.0, 2.0 | Pace 10.0 | Mood Furious | Light { Power: 60.0 } | Labels [red, heavy] | Store { bolt: 5, nut: 7 }
5: Name Base | Hook 1.0, 2.0 | Pace 10.0 | Mood Furious | Light { Power: 99.0 } | Labels [old, slow] | Store { bolt: 5 }
  overrides Light.Power, Labels, Store[nut]
";

fn told(world: &World) -> String {
    let path = |name| format!("Assets/Templates/{name}.jasset");
    let template = |name| (name, world.find_template(&path(name)).unwrap().into());
    let entity = |id: u64, name| (name, world.find_by_id(0x0100_0000_0000_0000 | id).unwrap().into());
    let subjects: [(&str, Subject); 7] = [
        template("Base"),
        template("Tall"),
        entity(1, "1"),
        entity(2, "2"),
        entity(3, "3"),
        entity(4, "4"),
        entity(5, "5"),
    ];
    let mut told = String::new();
    for (name, subject) in subjects {
        let keys = ["Name", "Hook", "Pace", "Mood", "Light", "Labels", "Store"];
        let values = keys.map(|key| format!("{key} {}", world.get_text(subject, key).unwrap()));
        told += &format!("{name}: {}\n", values.join(" | "));
        let mut overrides = world.overrides(subject);
        if !overrides.is_empty() && world.template_of(subject).is_some() {
            overrides.sort_by_key(|it| (keys.iter().position(|key| it.starts_with(key)), it.clone()));
            told += &format!("  overrides {}\n", overrides.join(", "));
        }
    }
    told
}

#[test]
fn each_version_opens_in_the_newest_program_with_every_value_right() {
    for version in 1..=5 {
        let project = project(version);
        let before = project.picture();
        let (mut world, report) = project.open().load_world("Yard").unwrap();
        assert!(report.diagnostics.is_empty(), "version {version}: {:?}", report.diagnostics);
        assert_eq!(told(&world), WORLD, "version {version}");
        assert!(world.dirty().is_empty() && save_all(&mut world).written.is_empty());
        assert_eq!(project.picture(), before, "version {version}");
    }
}

#[test]
fn what_a_change_brings_to_the_newest_version_still_says_the_same() {
    for version in 1..=5 {
        let project = project(version);
        let (mut world, _) = project.open().load_world("Yard").unwrap();
        let all: Vec<_> = (1..=5).map(|id| world.find_by_id(0x0100_0000_0000_0000 | id).unwrap()).collect();
        for &handle in &all {
            let [x, y, z, _] = world.position(handle).unwrap().to_array();
            world.set_position(handle, [x + 1.0, y, z]).unwrap();
        }
        assert_eq!(save(&mut world).written.len(), all.len());
        let (mut world, report) = project.open().load_world("Yard").unwrap();
        assert!(report.diagnostics.is_empty(), "version {version}: {:?}", report.diagnostics);
        assert_eq!(told(&world), WORLD, "version {version}");
        assert!(save_all(&mut world).written.is_empty());
        let text = fs::read_to_string(project.root().join("Worlds/Yard/Entities/0x0100000000000003.jasset")).unwrap();
        assert!(text.contains("; class_version: 5\n") && text.contains("Hook: 5") && !text.contains("Cargo"), "{text}");
    }
}

#[test]
fn a_project_of_any_version_is_migrated_as_a_whole_once() {
    for version in 1..=5 {
        let project = project(version);
        let before = project.picture();
        let preview = project.open().migrate(Mode::Preview).unwrap();
        assert_eq!(project.picture(), before, "a preview writes nothing");
        let done = project.open().migrate(Mode::Write).unwrap();
        assert_eq!((&preview, done.diagnostics.len()), (&done, 0), "version {version}");
        assert_eq!(done.files.is_empty(), version == 5);
        let (mut world, report) = project.open().load_world("Yard").unwrap();
        assert!(report.diagnostics.is_empty(), "version {version}: {:?}", report.diagnostics);
        assert_eq!(told(&world), WORLD, "version {version}");
        assert!(save_all(&mut world).written.is_empty());
        let after = project.picture();
        assert_eq!(project.open().migrate(Mode::Write).unwrap().files, [], "a second run changes nothing");
        assert_eq!(project.picture(), after);
        // Nothing that only an older program knows is left.
        for (path, (bytes, _)) in &after {
            let text = String::from_utf8(bytes.clone()).unwrap().to_lowercase();
            for gone in ["hoist", "speed", "tags", "cargo", "stock", "angry", "\npower", "; power", "\nx:", "; x\n"] {
                assert!(!text.contains(gone), "version {version}, {path}: {gone}\n{text}");
            }
        }
    }
}

#[test]
fn a_preview_lists_every_change_by_file_and_property() {
    let preview = project(1).open().migrate(Mode::Preview).unwrap();
    let mut told = String::new();
    for file in
        preview.files.iter().filter(|file| file.file.ends_with("Tall.jasset") || file.file.ends_with("3.jasset"))
    {
        told += &format!("{} ({})\n", file.file.rsplit('/').next().unwrap(), file.class);
        for line in &file.lines {
            let text = |text: &Option<Box<str>>| text.as_deref().unwrap_or("-").to_owned();
            told += &format!("  {} {}: {} => {}\n", line.line, line.property, text(&line.before), text(&line.after));
        }
    }
    assert_eq!(
        told,
        "\
Tall.jasset (Crane)
  2 Y: Y: 8 => -
  2 class_version: - => ; class_version: 5
  2 Hook: - => Hook: 1.0, 8.0
  3 Speed: Speed: 72 => Pace: 20.0
  4 Stock[nut]: Stock[nut]: 9 => Store[nut]: 9
  5 Stock[bolt]: ! Stock[bolt] => ! Store[bolt]
0x0100000000000003.jasset (Crane)
  2 class_version: - => ; class_version: 5
  4 X: X: 5 => -
  4 Hook: - => Hook: 5.0, 8.0
  6 Cargo: Cargo: 9 => -
  7 Stock[cog]: Stock[cog]: 1 => Store[cog]: 1
"
    );
}

#[test]
fn what_cannot_be_migrated_is_told_and_left_alone_and_the_rest_is_written() {
    let project = project(1);
    let entities = project.root().join("Worlds/Yard/Entities");
    let put = |name: &str, text: &str| fs::write(entities.join(name), text).unwrap();
    put("Slow.jasset", "; entity_type: Hoist\n; id: 0x0100000000000009\nSpeed: quite slow\n");
    put("Newer.jasset", "; entity_type: Crane\n; id: 0x010000000000000a\n; class_version: 6\nWings: 2\n");
    put(
        "Torn.jasset",
        "; entity_type: Hoist\n; id: 0x010000000000000b\n<<<<<<< ours\nX: 1\n=======\nX: 2\n>>>>>>> theirs\n",
    );
    put("Strange.jasset", "; entity_type: Golem\n; id: 0x010000000000000c\nClay: 3\n");
    let before = project.picture();
    let done = project.open().migrate(Mode::Write).unwrap();
    let found: Vec<String> = done.diagnostics.iter().filter(|it| it.is_error()).map(|it| it.to_string()).collect();
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(
        found[0].contains("Newer.jasset:3") && found[0].contains("version 6 of `Crane`, this program knows 5"),
        "{}",
        found[0]
    );
    assert!(found[1].contains("Slow.jasset") && found[1].contains("`quite slow` is no pace"), "{}", found[1]);
    assert!(found[2].contains("Torn.jasset:3"), "{}", found[2]);
    assert!(!done.is_complete());
    let after = project.picture();
    for name in ["Slow", "Newer", "Torn", "Strange"] {
        let path = format!("Worlds/Yard/Entities/{name}.jasset");
        assert_eq!(after[&path], before[&path]);
    }
    assert_eq!(done.files.len(), 6, "one entity says nothing of its class");
}
