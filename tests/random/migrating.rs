//! Files of three versions of one class.

use std::fs;
use std::path::Path;

use growth::{check_linear, cpu_time};
use juliet::prelude::*;
use juliet::{MigrateError, Migration};

use super::for_seeds;
use super::values::Rng;

/// Version 1 had `Hp` in half points, `FullName`, `Junk`, `Nick`, `Height` and `Place`; version 2 `Health` and `FullName`.
#[derive(Entity, Debug, Clone, PartialEq)]
#[jasset(version = 3, migrate = migrate)]
struct Soldier {
    #[jasset(default = 1)]
    health: u32,
    first_name: String,
    #[jasset(default = "Doe")]
    last_name: String,
    #[jasset(default = "alpha", since = 3)]
    squad: String,
    speed: f32,
    boots: Boots,
    tags: Vec<String>,
}

#[derive(Property, Debug, Clone, PartialEq)]
struct Boots {
    left: u8,
    right: u8,
}

fn migrate(file: &mut Migration<'_>) -> Result<(), MigrateError> {
    if file.version() < 2 {
        file.rename("Hp", "Health");
        file.rename("Place", "Position");
        if let Some(half) = file.get("Health") {
            let half: u32 = half.parse().map_err(|_| "Hp is no number")?;
            file.set("Health", (half * 2).to_string());
        }
        file.remove("Junk");
        file.rename("Nick", "Alias");
        if let Some(height) = file.remove("Height") {
            file.set("Position", format!("0, {height}, 0"));
        }
        file.rename("Footwear", "Boots");
    }
    if let Some(name) = file.remove("FullName") {
        let (first, last) = name.split_once(' ').ok_or_else(|| format!("`{name}` is no full name"))?;
        file.set("FirstName", first);
        file.set("LastName", last);
    }
    if file.get("Squad").is_none() {
        file.set("Squad", "veterans");
    }
    Ok(())
}

/// A file of a version, and what it means.
fn file(rng: &mut Rng, version: u32) -> (String, Soldier, [f32; 3]) {
    let node = rng.one_in(2);
    let mut soldier = Soldier::default_value();
    let mut position = [0.0; 3];
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut add = |key: &str, text: String| lines.push((key.to_owned(), text));
    if rng.one_in(2) {
        position = [1.5, 2.0, rng.below(100) as f32];
        let key = if version == 1 && rng.one_in(2) { "Place" } else { "Position" };
        add(key, position.map(|it| it.to_string()).join(", "));
    }
    if rng.one_in(2) {
        let health = rng.below(1000) as u32;
        soldier.health = if version == 1 { health * 2 } else { health };
        add(if version == 1 { "Hp" } else { "health" }, health.to_string());
    }
    if rng.one_in(2) {
        (soldier.first_name, soldier.last_name) = ("Ann".into(), format!("B{}", rng.below(9)));
        if version < 3 {
            add("full_name", format!("Ann {}", soldier.last_name));
        } else {
            add("FirstName", "Ann".into());
            add("LastName", soldier.last_name.clone());
        }
    }
    if version < 3 {
        soldier.squad = "veterans".into();
    } else if rng.one_in(2) {
        soldier.squad = "#1".into();
        add("Squad", "\"#1\"".into());
    }
    if rng.one_in(2) {
        soldier.speed = 2.5;
        add("Speed", "2.50".into());
    }
    match rng.below(3) {
        0 => {}
        1 => {
            soldier.boots.right = 3;
            add("Boots.Right", "3".into());
        }
        _ => {
            soldier.boots = Boots { left: 1, right: 2 };
            add(if version == 1 { "Footwear" } else { "Boots" }, "{ Left: 1, Right: 2 }".into());
        }
    }
    if rng.one_in(2) {
        soldier.tags = vec!["a".into(), "b, c".into()];
        add("Tags", "[a, \"b, c\"]".into());
    }
    if version == 1 && rng.one_in(2) {
        add("Junk", "12".into());
    }
    if version == 1 && rng.one_in(3) {
        add("Nick", "Annie".into());
    }
    if version == 1 && rng.one_in(3) {
        position = [0.0, 7.5, 0.0];
        add("Height", "7.5".into());
    }
    if rng.one_in(2) {
        add("Unknown", "kept".into());
    }
    super::files::shuffle(rng, &mut lines);
    let end = rng.pick(&["\n", "\r\n"]);
    let mut text = String::new();
    let mut line = |directive: bool, key: &str, value: &str| match (node, directive) {
        (true, _) => text.push_str(&format!("; {key}{end}{value}{end}")),
        (false, true) => text.push_str(&format!("; {key}: {value}{end}")),
        (false, false) => text.push_str(&format!("{key}: {value}{end}")),
    };
    line(true, "class", "Soldier");
    line(true, "id", &format!("{:#018X}", 0x100 + rng.below(1 << 30)).replace("0X", "0x"));
    if version > 1 || rng.one_in(2) {
        line(true, "class_version", &version.to_string());
    }
    for (key, value) in &lines {
        line(false, key, value);
    }
    if rng.one_in(3) {
        for name in ["Velocity", "Sound"] {
            line(true, "component", name);
            line(false, "Health", "x");
        }
    }
    if rng.one_in(3) {
        text.truncate(text.len() - end.len());
    }
    (text, soldier, position)
}

fn load(root: &Path) -> World {
    let project = Project::open(root, registry![Soldier].unwrap()).unwrap();
    let (world, report) = project.load_world("W").unwrap();
    let errors: Vec<_> = report.diagnostics.iter().filter(|it| it.is_error()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    world
}

#[test]
fn older_files_load_and_are_brought_to_the_newest_version_once() {
    for_seeds(300, |rng| {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("Worlds/W/Entities");
        fs::create_dir_all(&folder).unwrap();
        let version = 1 + rng.below(3) as u32;
        let (text, mut soldier, mut position) = file(rng, version);
        let path = folder.join("Soldier.jasset");
        fs::write(&path, &text).unwrap();

        let mut world = load(home.path());
        let check = |world: &World, soldier: &Soldier, position: [f32; 3]| {
            let (handle, found) = world.iter_of::<Soldier>().next().unwrap();
            assert_eq!(found, soldier, "{text}");
            assert_eq!(world.position(handle).unwrap().to_array()[..3], position, "{text}");
            handle
        };
        let handle = check(&world, &soldier, position);
        assert!(world.save_all().unwrap().written.is_empty(), "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);

        match rng.below(4) {
            0 => {
                position[0] += 1.0;
                world.set_position(handle, position).unwrap();
            }
            1 => {
                soldier.health += 1;
                world.get_mut::<Soldier>(handle).unwrap().health += 1;
            }
            2 => {
                soldier.boots.left += 1;
                world.set(handle, "Boots.Left", soldier.boots.left).unwrap();
            }
            _ => {
                soldier.tags.push("none".into());
                world.get_mut::<Soldier>(handle).unwrap().tags.push("none".into());
            }
        }
        let report = world.save().unwrap();
        assert_eq!(report.diagnostics, [], "{text}");
        assert_eq!(report.written.len(), 1, "{text}");
        let saved = fs::read_to_string(&path).unwrap();
        check_saved(&text, &saved);

        let mut world = load(home.path());
        check(&world, &soldier, position);
        assert!(world.save_all().unwrap().written.is_empty(), "{saved}");
    });
}

/// The old keys are gone, what nobody touched is there.
fn check_saved(text: &str, saved: &str) {
    let version = if saved.contains("; class: ") { "; class_version: 3" } else { "; class_version" };
    if !text.contains("class_version: 3") && text.contains("class: ") {
        assert!(saved.contains(version), "{text}\n{saved}");
    }
    for key in ["Hp", "Place", "full_name", "Junk", "Footwear", "Nick", "Height"] {
        assert!(!saved.contains(key), "{key}: {text}\n{saved}");
    }
    // Unknown under its new name too, and kept all the same.
    assert_eq!(text.contains("Annie"), saved.contains("Alias"), "{text}\n{saved}");
    let text = text.replace("Nick", "Alias");
    for line in text
        .lines()
        .filter(|line| ["Unknown", "kept", "Speed", "2.50", "Velocity", "Annie"].iter().any(|it| line.contains(it)))
    {
        assert!(saved.lines().any(|kept| kept == line), "{line}: {text}\n{saved}");
    }
}

/// A section has the keys of its component: what they are called is none of the class's business.
#[test]
fn sections_of_an_older_file_are_kept_and_told_as_in_a_new_one() {
    let section = "; component: Velocity\nX: 1\n; component: Spin\nX: 1\nX: 2\n";
    let told = |version: u32| {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("Worlds/W/Entities");
        fs::create_dir_all(&folder).unwrap();
        let text = format!("; class: Soldier\n; id: 0x100\n; class_version: {version}\nSquad: x\n{section}");
        fs::write(folder.join("S.jasset"), text).unwrap();
        let project = Project::open(home.path(), registry![Soldier].unwrap()).unwrap();
        let (_, report) = project.load_world("W").unwrap();
        report.diagnostics.iter().map(|it| (it.code, it.line)).collect::<Vec<_>>()
    };
    assert_eq!(told(2), told(3));
}

/// Reading and editing an old file stay linear in its lines.
#[test]
fn a_long_older_file_is_read_and_edited_in_linear_time() {
    check_linear("an older file", 1_500, |count| {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("Worlds/W/Entities");
        fs::create_dir_all(&folder).unwrap();
        let lines: String = (0..count).map(|line| format!("K{line}: {line}\n")).collect();
        fs::write(folder.join("S.jasset"), format!("; class: Soldier\n; id: 0x100\n{lines}")).unwrap();
        cpu_time(|| {
            let mut world = load(home.path());
            let handle = world.find_by_id(0x100).unwrap();
            world.set(handle, "Speed", 1.0f32).unwrap();
            assert_eq!(world.save().unwrap().written.len(), 1);
        })
    });
}
