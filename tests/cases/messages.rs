//! What a message says beyond its place: what to do.

use core::time::Duration;
use std::fs;

use juliet::prelude::*;
use juliet::{Code, LoadOptions, ProjectError};

use crate::support::{TestProject, WORLD};

/// Power.
#[derive(Property)]
struct Watts(#[jasset(default = 60.0, range = 0.0..)] f32);

/// A light.
#[derive(Property)]
struct Light {
    power: Watts,
}

#[derive(Entity)]
struct Boat {
    light: Light,
    bulbs: Vec<Watts>,
    spare: Option<Watts>,
    #[jasset(default = 2, range = 1..=8)]
    crew: u8,
    #[jasset(with = seconds)]
    patience: Duration,
    nick: Option<String>,
}

mod seconds {
    use core::time::Duration;

    pub(super) fn read(text: &str) -> Result<Duration, String> {
        text.parse().map(Duration::from_secs).map_err(|_| "expected seconds, such as 15".to_owned())
    }

    pub(super) fn write(value: &Duration) -> String {
        value.as_secs().to_string()
    }
}

fn boat(lines: &str) -> TestProject {
    let text = format!("; entity_type: Boat\n; id: 0x1\n{lines}");
    TestProject::with(registry![Boat].unwrap(), &[("Boat.jasset", &text)])
}

#[test]
fn the_range_of_a_wrapper_holds_wherever_it_stands() {
    let (_, report) = boat("Light.Power: -5\nBulbs: [1, -3]\nSpare: -1\nCrew: 9\n").load();
    let told: Vec<(Code, &str)> = report.diagnostics.iter().map(|it| (it.code, &*it.expected)).collect();
    let open = (Code::OutOfDeclaredRange, "0..");
    assert_eq!(told, [open, open, open, (Code::OutOfDeclaredRange, "1..=8")]);
    boat("Light.Power: 5\nBulbs: [1, 0]\nSpare: none\nCrew: 8\n").load_clean();
}

#[test]
fn a_misspelt_part_of_a_dotted_key_is_suggested() {
    let (_, report) = boat("Light.Powr: 5\n").load();
    assert_eq!(report.diagnostics[0].help.as_deref(), Some("did you mean `Light.Power`?"));
}

#[test]
fn a_comment_behind_a_value_is_explained() {
    let (_, report) = boat("Crew: 3 # all\n").load();
    assert!(report.diagnostics[0].help.as_deref().is_some_and(|help| help.contains("a line of its own")));
}

#[test]
fn a_class_that_is_not_registered_can_be_registered() {
    let project = TestProject::with(registry![Boat].unwrap(), &[("Boat.jasset", "; entity_type: Lighthouse\n")]);
    let (_, report) = project.load();
    assert!(report.diagnostics[0].help.as_deref().is_some_and(|help| help.starts_with("register the class")));
}

#[test]
fn a_value_that_is_not_set_says_why() {
    let mut world = boat("").load_clean();
    let handle = world.find_by_id(1).unwrap();
    let adapter = world.set_text(handle, "Patience", "soon").unwrap_err();
    assert_eq!(adapter.to_string(), "Patience: expected Duration, found `soon`; expected seconds, such as 15");
    let text = world.set(handle, "Nick", "Ada".to_owned()).unwrap_err();
    assert_eq!(text.to_string(), "`Nick` is of type Option<String>, not String");
    let class = world.spawn_class("Boaat", Vec3::ZERO).unwrap_err();
    assert_eq!(class.to_string(), "the class `Boaat` is not registered in this world; did you mean `Boat`?");
}

#[test]
fn a_full_world_says_where_its_capacity_is_set() {
    let options = LoadOptions { capacity: Some(0), ..LoadOptions::default() };
    let (_, report) = boat("").open().load_world_with(WORLD, &options).unwrap();
    assert!(report.diagnostics[0].help.as_deref().is_some_and(|help| help.contains("LoadOptions::capacity")));
}

#[test]
fn a_new_world_does_not_take_the_place_of_entities() {
    let project = boat("");
    assert!(matches!(project.open().new_world(WORLD), Err(ProjectError::Exists { .. })));
    fs::remove_file(project.path("Boat.jasset")).unwrap();
    assert!(project.open().new_world(WORLD).is_ok());
}

/// A post, as the page about the format shows it.
#[derive(Entity)]
#[jasset(version = 2)]
struct Post {
    mesh_asset: String,
    lamp: Lamp,
}

/// The lamp on it.
#[derive(Property)]
struct Lamp {
    color: Color,
}

#[test]
fn both_spellings_of_the_page_about_the_format_say_the_same() {
    let page = include_str!("../../docs/format.md");
    let blocks = page.split("```jasset\n").skip(1).filter_map(|rest| rest.split("```").next());
    let values: Vec<String> = blocks
        .filter(|text| !text.contains("; template: ") && !text.contains("; component: "))
        .map(|text| {
            let world = TestProject::with(registry![Post].unwrap(), &[("Post.jasset", text)]).load_clean();
            let handle = world.find_by_id(0x0100_0000_0000_0011).unwrap();
            ["Position", "MeshAsset", "Lamp.Color"].map(|key| world.get_text(handle, key).unwrap()).join("; ")
        })
        .collect();
    let value = "6.3, -3.0, -5.0; Assets/Meshes/Post.obj; 1.0, 0.5, 0.2";
    assert!(values.len() == 2 && values.iter().all(|it| it == value), "{values:?}");
}
