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

/// What drives it.
#[derive(Component)]
struct Sail {
    width: f32,
}

/// The first that is told of the lines of a boat in a program that has sails.
fn first_of(text: &str) -> Diagnostic {
    let registry = registry![Boat, Sail].unwrap();
    let (_, report) = TestProject::with(registry, &[("Boat.jasset", text)]).load();
    report.diagnostics.into_iter().next().expect("something is told")
}

fn help_of(text: &str) -> String {
    first_of(text).help.map_or_else(String::new, String::from)
}

#[test]
fn a_key_in_the_wrong_part_is_told_where_it_belongs() {
    let above = "`Boat` has it: its lines stand above the first `; component`";
    assert_eq!(help_of("; entity_type: Boat\n; component: Sail\nWidth: 2.0\nCrew: 3\n"), above);
    assert_eq!(help_of("; entity_type: Boat\n; component: Sail\nLight.Power: 3\n"), above);
    let below = "`Sail` has it: its lines stand in the section `; component: Sail`";
    assert_eq!(help_of("; entity_type: Boat\nWidth: 2.0\n; component: Sail\n"), below);
    assert_eq!(help_of("; entity_type: Boat\nZeal: 2.0\n; component: Sail\n"), "");
}

#[test]
fn a_misspelt_component_is_suggested() {
    assert_eq!(help_of("; entity_type: Boat\n; component: Sial\n"), "did you mean `Sail`?");
    let class = "`Boat` is a class, which `; entity_type` names, and no component";
    assert_eq!(help_of("; entity_type: Boat\n; component: Boat\n"), class);
    let component = "`Sail` is a component, which `; component` names in the file of an entity, and no class";
    assert_eq!(help_of("; entity_type: Sail\n"), component);
    assert_eq!(help_of("; entity_type: Boat\n; component: Hydrofoil\n"), "");
}

#[test]
fn a_line_without_its_colon_and_a_template_without_its_ending_are_told_as_they_should_be() {
    let colon = "a value on the line of its name stands behind a colon: `entity_type: Boat`";
    assert_eq!(help_of("; entity_type Boat\nCrew: 3\n"), colon);
    let path = "write the path from `Assets/Templates/` on, with `.jasset` behind it";
    assert_eq!(help_of("; template: Assets/Templates/Yacht\n"), path);
    assert_eq!(help_of("; template: Templates/Yacht.jasset\n"), path);
    assert_eq!(help_of("; template: Assets/Templates/Yacht.jasset\n"), "");
}

#[test]
fn an_end_of_line_is_not_quoted_as_an_empty_text() {
    let open = first_of("; entity_type: Boat\nBulbs: [1\n");
    assert_eq!(&*open.message, "Bulbs: expected a closing bracket, found nothing");
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
