//! Binding: what the program does not know gets a name that it knows, in all files of a project at once.

use std::fs;

use growth::{check_linear, cpu_time};
use juliet::prelude::*;
use juliet::{BindError, Binding, Code, Mode, UpkeepError, UpkeepReport};

use super::{based_on, label, put, template_text};
use crate::support::classes::{self, Crate};
use crate::support::{TestProject, entity_in};

mod newer {
    use juliet::prelude::*;

    /// A colour.
    #[derive(Property, Clone, Default, Debug, PartialEq)]
    #[jasset(removed("Depth"))]
    pub(super) struct Plate {
        /// How thick.
        pub(super) width: f32,
        /// What it takes.
        pub(super) strength: u32,
    }

    /// What lies in a chest.
    #[derive(Property, Clone, Default, Debug, PartialEq)]
    pub(super) struct Item {
        /// How many.
        pub(super) count: u32,
        /// What it looks like.
        pub(super) hue: f32,
    }

    /// A rock.
    #[derive(Entity)]
    #[jasset(alias = "Stone")]
    pub(super) struct Rock {
        /// Size.
        pub(super) scale: f32,
        /// Armour.
        pub(super) armor: u32,
        /// Its plate.
        pub(super) plate: Plate,
        /// What is in it.
        pub(super) loot: IndexMap<String, Item>,
    }
}

use newer::Rock;

fn newer() -> ClassRegistry {
    registry![Rock, Crate].unwrap()
}

#[track_caller]
fn bind(project: &TestProject, binding: &Binding, mode: Mode) -> UpkeepReport {
    project.open().bind(binding, mode).unwrap()
}

/// "file:line before => after", and the files that stayed with why.
fn shown(report: &UpkeepReport) -> Vec<String> {
    let lines = |it: &juliet::FileChange| {
        let file = it.file.rsplit('/').next().unwrap().to_owned();
        let told = it.lines.iter().map(|line| {
            format!(
                "{file}:{} {} => {}",
                line.line,
                line.before.as_deref().unwrap(),
                line.after.as_deref().unwrap_or("gone")
            )
        });
        told.collect::<Vec<_>>()
    };
    report.files.iter().flat_map(lines).collect()
}

fn told(report: &UpkeepReport) -> Vec<(String, u32, Code)> {
    let name = |file: &str| file.rsplit('/').next().unwrap().to_owned();
    report.diagnostics.iter().map(|it| (name(&it.file), it.line, it.code)).collect()
}

/// Previews, binds, and binds again: the first two say the same, a preview writes nothing, the third changes nothing.
#[track_caller]
fn bind_fully(project: &TestProject, binding: &Binding) -> UpkeepReport {
    let before = project.picture();
    let preview = bind(project, binding, Mode::Preview);
    assert_eq!(project.picture(), before);
    let report = bind(project, binding, Mode::Write);
    assert_eq!(report, preview);
    let after = project.picture();
    let changed: Vec<&String> = after.keys().filter(|it| before.get(*it) != after.get(*it)).collect();
    assert_eq!(changed.len(), report.files.len(), "{changed:?}");
    let again = bind(project, binding, Mode::Write);
    assert!(again.files.is_empty());
    assert_eq!((told(&again), project.picture()), (told(&report), after));
    report
}

#[test]
fn a_key_is_bound_with_its_parts_in_both_spellings_templates_and_instances() {
    let colon = "; entity_type: Rock\n; id: 0x01\n\n# soft\nOldArmor: 55  \nScale: 2\n";
    let node = "\u{FEFF}; class\r\nStone\r\n; id\r\n0x02\r\n; old_armor\r\n 56\r\n; scale\r\n3";
    let project = TestProject::with(
        newer(),
        &[
            ("A.jasset", colon.to_owned()),
            ("B.jasset", node.to_owned()),
            ("C.jasset", based_on("T", "; id: 0x03\nold_armor: 7\n")),
            ("D.jasset", "; entity_type: Crate\n; id: 0x04\nOldArmor: 1\n".into()),
            ("E.jasset", "; entity_type: Rock\n; id: 0x05\nOldArmory: 1\n".into()),
        ],
    );
    put(&project, "T", "; entity_type: Rock\nOldArmor: 9\n");
    let report = bind_fully(&project, &Binding::key("Rock", "OldArmor", "Armor"));
    assert_eq!(
        shown(&report),
        [
            "T.jasset:2 OldArmor: 9 => Armor: 9",
            "A.jasset:5 OldArmor: 55   => Armor: 55  ",
            "B.jasset:5 ; old_armor\r\n 56 => ; armor\r\n 56",
            "C.jasset:3 old_armor: 7 => Armor: 7",
        ]
    );
    assert!(report.is_complete() && report.diagnostics.is_empty());
    assert_eq!(project.text("A.jasset"), colon.replace("OldArmor", "Armor"));
    assert_eq!(project.text("B.jasset"), node.replace("old_armor", "armor"));
    assert_eq!(template_text(&project, "T"), "; entity_type: Rock\nArmor: 9\n");
    let (world, _) = project.load();
    let armor = |name| world.get::<Rock>(entity_in(&world, name)).unwrap().armor;
    assert_eq!((armor("A.jasset"), armor("B.jasset"), armor("C.jasset")), (55, 56, 7));
}

#[test]
fn parts_and_items_of_a_key_go_with_it() {
    let base = "; entity_type: Rock\nOldLoot[gold].Count: 3\nOldLoot[\"a].b\"].Count: 4\n";
    let project = TestProject::with(
        newer(),
        &[
            (
                "A.jasset",
                based_on(
                    "T",
                    "; id: 0x01\n! OldLoot[gold]\nOldLoot[gem].Hue: 1\nOldPlate.Width: 2\nOldPlate.Strength: 5\n",
                ),
            ),
            ("B.jasset", "; class\nRock\n; id\n0x02\n; old_plate\n{ Width: 3 }\n; old_loot[x].count\n1\n".into()),
        ],
    );
    put(&project, "T", base);
    let report = bind_fully(&project, &Binding::key("Rock", "old_loot", "Loot"));
    assert_eq!(
        shown(&report),
        [
            "T.jasset:2 OldLoot[gold].Count: 3 => Loot[gold].Count: 3",
            "T.jasset:3 OldLoot[\"a].b\"].Count: 4 => Loot[\"a].b\"].Count: 4",
            "A.jasset:3 ! OldLoot[gold] => ! Loot[gold]",
            "A.jasset:4 OldLoot[gem].Hue: 1 => Loot[gem].Hue: 1",
            "B.jasset:7 ; old_loot[x].count\n1 => ; loot[x].count\n1",
        ]
    );
    let _ = bind_fully(&project, &Binding::key("Stone", "OldPlate", "plate"));
    let world = project.load_clean();
    let a = world.get::<Rock>(entity_in(&world, "A.jasset")).unwrap();
    assert_eq!((a.plate.width, a.plate.strength), (2.0, 5));
    assert_eq!(a.loot.keys().map(String::as_str).collect::<Vec<_>>(), ["a].b", "gem"]);
    assert_eq!(world.get::<Rock>(entity_in(&world, "B.jasset")).unwrap().plate.width, 3.0);
}

#[test]
fn a_part_of_every_item_and_of_a_struct_is_bound() {
    let text =
        "; entity_type: Rock\n; id: 0x01\nLoot[gold].Tint: 1\nloot[b].tint: 2\nLoot[c].Count: 1\nPlate.Thick: 4\n";
    let project = TestProject::with(newer(), &[("A.jasset", text)]);
    let report = bind_fully(&project, &Binding::key("Rock", "Loot[].Tint", "Loot[].Hue"));
    assert_eq!(
        shown(&report),
        ["A.jasset:3 Loot[gold].Tint: 1 => Loot[gold].Hue: 1", "A.jasset:4 loot[b].tint: 2 => loot[b].Hue: 2",]
    );
    let _ = bind_fully(&project, &Binding::key("Rock", "Plate.Thick", "Plate.Width"));
    let world = project.load_clean();
    let rock = world.get::<Rock>(entity_in(&world, "A.jasset")).unwrap();
    assert_eq!((rock.loot["gold"].hue, rock.loot["b"].hue, rock.plate.width), (1.0, 2.0, 4.0));
}

#[test]
fn a_file_in_which_the_new_key_is_set_or_would_not_read_stays_as_it_is() {
    let project = TestProject::with(
        newer(),
        &[
            ("A.jasset", "; entity_type: Rock\n; id: 0x01\nOldArmor: 1\nArmor: 2\n"),
            ("B.jasset", "; entity_type: Rock\n; id: 0x02\nOldArmor: much\n"),
            ("C.jasset", "; entity_type: Rock\n; id: 0x03\nScale: x\nOldArmor: 3\n"),
            ("D.jasset", "; entity_type: Rock\n; id: 0x04\n; id: 0x04\nOldArmor: 3\n"),
            ("E.jasset", "; entity_type: Rock\n; id: 0x05\nOldArmor: 5\n"),
            ("F.jasset", "; entity_type: Rock\n; id: 0x06\nOldArmor.X: 5\n"),
            ("G.jasset", "; entity_type: Rock\n; id: 0x07\n<<<<<<< a\nOldArmor: 5\n=======\n>>>>>>> b\n"),
        ],
    );
    fs::write(project.path("H.jasset"), b"; entity_type: Rock\nOldArmor: caf\xE9\n").unwrap();
    let report = bind_fully(&project, &Binding::key("Rock", "OldArmor", "Armor"));
    assert_eq!(shown(&report), ["E.jasset:3 OldArmor: 5 => Armor: 5"]);
    let expected = [
        ("A.jasset", 3, Code::DuplicateKey),
        ("B.jasset", 3, Code::IntegerRange),
        ("C.jasset", 3, Code::NotANumber),
        ("D.jasset", 3, Code::DuplicateDirective),
        ("F.jasset", 3, Code::UnknownKey),
        ("G.jasset", 3, Code::ConflictMarker),
        ("H.jasset", 2, Code::NotUtf8),
    ];
    let found = told(&report);
    for (found, (file, line, code)) in found.iter().zip(expected) {
        let is_number = code == Code::IntegerRange && found.2 == Code::NotANumber;
        assert!((&*found.0, found.1) == (file, line) && (found.2 == code || is_number), "{found:?}");
    }
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert!(report.diagnostics.iter().all(Diagnostic::is_error) && !report.is_complete());
    // A part of a list that is set already counts.
    let text = "; entity_type: Rock\n; id: 0x01\nOldLoot[a].Count: 1\nLoot[b].Count: 2\n";
    let project = TestProject::with(newer(), &[("A.jasset", text)]);
    let report = bind_fully(&project, &Binding::key("Rock", "OldLoot", "Loot"));
    assert_eq!(told(&report), [("A.jasset".into(), 3, Code::DuplicateKey)]);
}

#[test]
fn names_that_cannot_be_meant_are_errors_at_once() {
    let project = TestProject::with(newer(), &[("A.jasset", "; entity_type: Rock\n; id: 0x01\nOldArmor: 1\n")]);
    let before = project.picture();
    let refused = |binding: Binding| match project.open().bind(&binding, Mode::Write) {
        Err(UpkeepError::Bind(error)) => error,
        other => panic!("{binding:?}: {other:?}"),
    };
    for (binding, text) in [
        (Binding::key("Rokc", "OldArmor", "Armor"), "did you mean `Rock`?"),
        (Binding::key("Rock", "OldArmor", "Armr"), "did you mean `Armor`?"),
        (Binding::key("Rock", "OldArmor", "Position"), "no property `Position`"),
        (Binding::key("Rock", "Scale", "Armor"), "`Rock.Scale` is known"),
        (Binding::key("Rock", "Position", "Armor"), "is known"),
        (Binding::key("Rock", "", "Armor"), "no name"),
        (Binding::key("Rock", "Old[a]", "Armor"), "no name"),
        (Binding::key("Rock", "Loot[].Tint", "Armor"), "no parts of the items of one list"),
        (Binding::key("Rock", "Tint", "Loot[].Hue"), "no parts of the items of one list"),
        (Binding::class("OldRock", "Rokc"), "did you mean `Rock`?"),
        (Binding::class("Stone", "Rock"), "is known"),
        (Binding::section("Old", "a b"), "no name"),
        (Binding::section("Old", ""), "no name"),
    ] {
        let error = refused(binding);
        assert!(error.to_string().contains(text), "{error}");
    }
    assert_eq!(refused(Binding::class("A", "B")), BindError::UnknownClass { class: "B".into(), suggestion: None });
    assert_eq!(project.picture(), before);
}

#[test]
fn a_class_is_bound_through_its_templates() {
    let project = TestProject::with(
        newer(),
        &[
            ("A.jasset", "; entity_type: OldRock\n; id: 0x01\n; class_version: 1\nScale: 2\nNew: 1\n".to_owned()),
            ("B.jasset", "; class\nOldRock\n; id\n0x02\n; scale\n3\n".into()),
            ("C.jasset", based_on("Mid", "; id: 0x03\nScale: 4\n")),
            ("D.jasset", based_on("Top", "; entity_type: OldRock\n; id: 0x04\n")),
            ("E.jasset", "; entity_type: Other\n; id: 0x05\n".into()),
            ("F.jasset", "; entity_type: OldRock\n; id: 0x06\nScale: big\n".into()),
            ("G.jasset", "; entity_type: OldRock\n; id: 0x07\n; class_version: 2\n".into()),
        ],
    );
    put(&project, "Top", "; entity_type: OldRock\nArmor: 1\n");
    put(&project, "Mid", &based_on("Top", "Armor: 2\n"));
    let report = bind_fully(&project, &Binding::class("OldRock", "Stone"));
    assert_eq!(
        shown(&report),
        [
            "Top.jasset:1 ; entity_type: OldRock => ; entity_type: Rock",
            "A.jasset:1 ; entity_type: OldRock => ; entity_type: Rock",
            "B.jasset:1 ; class\nOldRock => ; class\nRock",
            "D.jasset:2 ; entity_type: OldRock => ; entity_type: Rock",
        ]
    );
    assert!(report.files.iter().all(|it| &*it.class == "Rock"));
    let expected = [("F.jasset".into(), 3, Code::NotANumber), ("G.jasset".into(), 3, Code::NewerClassVersion)];
    assert_eq!(told(&report), expected);
    let (world, _) = project.load();
    let rock = |name| world.get::<Rock>(entity_in(&world, name)).map(|it| (it.scale, it.armor));
    let default = Rock::CLASS.find_property("Scale").is_some();
    assert!(default);
    assert_eq!((rock("C.jasset"), rock("D.jasset").map(|it| it.1)), (Some((4.0, 2)), Some(1)));
    assert_eq!((rock("E.jasset"), rock("F.jasset"), world.len()), (None, None, 7));
}

#[test]
fn what_belongs_together_by_templates_is_bound_together_or_not_at_all() {
    let project = TestProject::with(
        newer(),
        &[
            ("A.jasset", based_on("Top", "; id: 0x01\nScale: wide\n")),
            ("B.jasset", based_on("Top", "; id: 0x02\n")),
            ("C.jasset", "; entity_type: OldRock\n; id: 0x03\n".to_owned()),
        ],
    );
    put(&project, "Top", "; entity_type: OldRock\nArmor: 1\n");
    put(&project, "Else", "; entity_type: OldRock\n");
    let report = bind_fully(&project, &Binding::class("OldRock", "Rock"));
    assert_eq!(
        shown(&report),
        [
            "Else.jasset:1 ; entity_type: OldRock => ; entity_type: Rock",
            "C.jasset:1 ; entity_type: OldRock => ; entity_type: Rock",
        ]
    );
    let files: Vec<String> = told(&report).into_iter().map(|it| it.0).collect();
    assert_eq!(files, ["Top.jasset", "A.jasset", "B.jasset"]);
    // Everything is still there and loads.
    let (world, report) = project.load();
    assert_eq!((world.len(), report.has_errors()), (3, false));
}

#[test]
fn a_section_is_bound_unless_there_is_one_of_the_new_name() {
    let project = TestProject::with(
        newer(),
        &[
            ("A.jasset", "; entity_type: Rock\n; id: 0x01\n; component: OldMotion\nSpeed: 1\n"),
            ("B.jasset", "; class\nGolem\n; id\n0x02\n; component\nOldMotion\n; speed\n1\n"),
            ("C.jasset", "; entity_type: Rock\n; id: 0x03\n; component: OldMotion\n; component: Motion\n"),
            ("D.jasset", "; entity_type: Rock\n; id: 0x04\nOldMotion: 1\n; component: Oldmotion\n"),
        ],
    );
    let report = bind_fully(&project, &Binding::section("OldMotion", "Motion"));
    assert_eq!(
        shown(&report),
        [
            "A.jasset:3 ; component: OldMotion => ; component: Motion",
            "B.jasset:5 ; component\nOldMotion => ; component\nMotion",
        ]
    );
    assert_eq!(told(&report), [("C.jasset".into(), 3, Code::DuplicateKey)]);
}

#[test]
fn settings_hidden_files_and_other_worlds_are_walked_as_loads_walk_them() {
    let project = TestProject::with(newer(), &[("A.jasset", "; entity_type: Rock\n; id: 0x01\nOldArmor: 1\n")]);
    let put = |path: &str, text: &str| {
        let path = project.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    put("Worlds/W/WorldSettings.jasset", "; asset_type: world_settings\n; version: 1\n");
    put("Worlds/V/Entities/Deep/B.jasset", "; entity_type: Rock\n; id: 0x01\nOldArmor: 2\n");
    put("Else/C.jasset", "; entity_type: Rock\n; id: 0x01\nOldArmor: 3\n");
    put(".git/D.jasset", "; entity_type: Rock\n; id: 0x01\nOldArmor: 4\n");
    put("Worlds/W/Entities/.E.jasset", "; entity_type: Rock\n; id: 0x01\nOldArmor: 5\n");
    let report = bind_fully(&project, &Binding::key("Rock", "OldArmor", "Armor"));
    let files: Vec<&str> = report.files.iter().map(|it| &*it.file).collect();
    let all = ["Assets/Else/C.jasset", "Assets/Worlds/V/Entities/Deep/B.jasset", &label("A.jasset")];
    assert_eq!((files, report.diagnostics.len()), (all.to_vec(), 0));
}

#[cfg(unix)]
#[test]
fn links_out_of_the_project_and_files_that_cannot_be_written_are_errors() {
    use std::os::unix::fs::symlink;

    let text = "; entity_type: Rock\n; id: 0x01\nOldArmor: 1\n";
    let project = TestProject::with(newer(), &[("A.jasset", text)]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("B.jasset"), text).unwrap();
    symlink(outside.path().join("B.jasset"), project.path("B.jasset")).unwrap();
    let report = bind(&project, &Binding::key("Rock", "OldArmor", "Armor"), Mode::Write);
    assert_eq!(shown(&report), ["A.jasset:3 OldArmor: 1 => Armor: 1"]);
    assert_eq!(told(&report), [("B.jasset".into(), 0, Code::SymlinkEscapes)]);
    assert_eq!(fs::read_to_string(outside.path().join("B.jasset")).unwrap(), text);
}

#[test]
fn a_loaded_world_refuses_to_save_over_what_was_bound() {
    let project =
        TestProject::with(newer(), &[("A.jasset", "; entity_type: Rock\n; id: 0x01\nOldArmor: 1\nScale: 1\n")]);
    let (mut world, _) = project.load();
    world.set(entity_in(&world, "A.jasset"), "Scale", 5.0_f32).unwrap();
    assert_eq!(bind(&project, &Binding::key("Rock", "OldArmor", "Armor"), Mode::Write).files.len(), 1);
    let report = world.save().unwrap();
    assert_eq!((report.written.len(), report.diagnostics[0].code), (0, Code::ChangedOnDisk));
    assert!(project.text("A.jasset").contains("Armor: 1\nScale: 1\n"));
}

#[test]
fn a_class_that_is_not_registered_is_bound_by_another_program() {
    // The older program does not know `Golem`; the newer one calls it `Rock`.
    let project =
        TestProject::with(classes::registry(), &[("A.jasset", "; entity_type: Golem\n; id: 0x01\nScale: 2\n")]);
    let (world, _) = project.load();
    assert_eq!(world.class_name(entity_in(&world, "A.jasset")), Some("Golem"));
    drop(world);
    let project = project.rebuilt(newer());
    let _ = bind_fully(&project, &Binding::class("Golem", "Rock"));
    let world = project.load_clean();
    assert_eq!(world.get::<Rock>(entity_in(&world, "A.jasset")).unwrap().scale, 2.0);
}

#[test]
fn files_of_many_strays_are_bound_in_linear_time() {
    let head = "; entity_type: Rock\n; id: 0x01\n";
    check_linear("items", 2_000, |count| {
        let items: String = (0..count).map(|number| format!("OldLoot[k{number}].Count: 1\n")).collect();
        let project = TestProject::with(newer(), &[("A.jasset", format!("{head}{items}"))]);
        let taken = cpu_time(|| {
            let report = bind(&project, &Binding::key("Rock", "OldLoot", "Loot"), Mode::Write);
            assert_eq!((report.files.len(), report.files[0].lines.len()), (1, count));
        });
        assert_eq!(project.text("A.jasset"), format!("{head}{}", items.replace("OldLoot", "Loot")));
        taken
    });
    check_linear("sections", 4_000, |count| {
        let sections = "; component: Old\nX: 1\n".repeat(count);
        let project = TestProject::with(newer(), &[("B.jasset", format!("{head}{sections}; component: New\n"))]);
        cpu_time(|| {
            let report = bind(&project, &Binding::section("Old", "New"), Mode::Write);
            assert_eq!((report.files.len(), report.diagnostics.len()), (0, 1));
            let report = bind(&project, &Binding::section("Old", "Newer"), Mode::Write);
            assert_eq!(report.files[0].lines.len(), count);
        })
    });
    check_linear("fields", 1_000, |count| {
        let wide = "Wide: {}\n".repeat(count);
        let text = format!("; entity_type: Broad\n; id: 0x01\n{wide}Old: 1\n");
        let project = TestProject::with(registry![Broad].unwrap(), &[("A.jasset", text)]);
        cpu_time(|| {
            let report = bind(&project, &Binding::key("Broad", "Old", "Armor"), Mode::Write);
            assert_eq!((report.files.len(), report.diagnostics[0].code), (0, Code::DuplicateKey));
        })
    });
}

/// A struct of eight.
#[derive(Property, Clone, Default)]
struct Eight<T: juliet::PropertyValue + Clone + Default> {
    a: T,
    b: T,
    c: T,
    d: T,
    e: T,
    f: T,
    g: T,
    h: T,
}

/// A class of 4096 leaves in one property.
#[derive(Entity)]
struct Broad {
    wide: Eight<Eight<Eight<Eight<u8>>>>,
    armor: u32,
}

#[test]
fn parts_that_are_gone_are_bound_with_the_others_and_say_nothing() {
    let text = |plate: &str| format!("; entity_type: Rock\n; id: 0x01\n{plate}.Width: 2\n{plate}.Depth: x\n");
    let project = TestProject::with(newer(), &[("A.jasset", text("OldPlate"))]);
    assert_eq!(bind_fully(&project, &Binding::key("Rock", "OldPlate", "Plate")).diagnostics, []);
    assert_eq!(project.text("A.jasset"), text("Plate"));
    assert_eq!(project.load_clean().iter_of::<Rock>().next().unwrap().1.plate.width, 2.0);
}

#[test]
fn a_key_named_component_ends_nothing() {
    let text = "; entity_type: Rock\n; id: 0x01\ncomponent: 1\nArmor: 2\nOldArmor: 3\n";
    let project = TestProject::with(newer(), &[("A.jasset", text)]);
    let report = bind_fully(&project, &Binding::key("Rock", "OldArmor", "Armor"));
    assert_eq!((shown(&report).len(), told(&report)), (0, vec![("A.jasset".into(), 5, Code::DuplicateKey)]));
    let why = &report.diagnostics[0];
    assert!(why.message.contains("would be `Armor`") && why.related[0].line == 4, "{why}");
}

#[test]
fn the_whole_and_its_parts_are_told_as_the_same() {
    for (there, stray, new) in [
        ("Plate: { Width: 1 }", "OldWidth: 2", "Plate.Width"),
        ("Plate.Strength: 1\nPlate.Width: 1", "OldPlate: { Width: 2 }", "Plate"),
        ("Plate.Width: 1\nPlate: {}", "OldPlate: { Width: 2 }", "Plate"),
        ("Plate: {}\nPlate.Width: 1", "OldStrength: 2", "Plate.Strength"),
        ("Loot[a]: { Count: 1 }", "OldLoot: {}", "Loot"),
        ("Loot: {}", "OldLoot[a]: {}", "Loot"),
    ] {
        let text = format!("; entity_type: Rock\n; id: 0x01\n{there}\n{stray}\n");
        let project = TestProject::with(newer(), &[("A.jasset", &text)]);
        let old = stray.split([':', '[']).next().unwrap();
        let report = bind(&project, &Binding::key("Rock", old, new), Mode::Write);
        let line = text.lines().count() as u32;
        assert_eq!(
            (report.files.len(), told(&report)),
            (0, vec![("A.jasset".into(), line, Code::DuplicateKey)]),
            "{text}"
        );
        assert!(report.diagnostics[0].message.contains("is set already"), "{}", report.diagnostics[0]);
        assert_eq!(project.text("A.jasset"), text);
    }
    let text = "; entity_type: Rock\n; id: 0x01\nPlate.Width: 1\nOldStrength: 2\n";
    let project = TestProject::with(newer(), &[("A.jasset", text)]);
    assert_eq!(bind_fully(&project, &Binding::key("Rock", "OldStrength", "Plate.Strength")).files.len(), 1);
}

#[test]
fn a_file_that_names_the_old_class_below_a_template_of_the_new_one_is_bound() {
    let text = based_on("T", "; id: 0x01\n; class: Golem\nScale: 2\n");
    let bad = based_on("T", "; id: 0x02\n; class: Golem\nScale: x\n");
    let other = based_on("T", "; id: 0x03\n; class: Giant\n");
    let project = TestProject::with(newer(), &[("A.jasset", &text), ("B.jasset", &bad), ("C.jasset", &other)]);
    put(&project, "T", "; entity_type: Rock\nArmor: 9\n");
    let report = bind(&project, &Binding::class("Golem", "Rock"), Mode::Write);
    assert_eq!(shown(&report), ["A.jasset:3 ; class: Golem => ; class: Rock"]);
    assert_eq!(project.text("A.jasset"), text.replace("Golem", "Rock"));
    let stays = [("B.jasset".into(), 3, Code::ClassMismatch), ("B.jasset".into(), 4, Code::NotANumber)];
    assert_eq!(told(&report)[..2], stays);
    assert_eq!(told(&report)[2..], [("C.jasset".into(), 3, Code::ClassMismatch)]);
    assert_eq!((project.text("B.jasset"), project.text("C.jasset")), (bad, other));
    let (world, _) = project.load();
    let rock = world.get::<Rock>(entity_in(&world, "A.jasset")).unwrap();
    assert_eq!((rock.scale, rock.armor), (2.0, 9));
}
