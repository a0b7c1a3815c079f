//! Templates: chains, overrides, files that hold only what differs, and what goes wrong with them. Here: what the tests share.

mod apart;
mod broken;
mod copies;
mod cycles;
mod ended;
mod files;
mod levels;
mod limits;
mod numbers;
mod paths;
mod reread;
mod reverts;
mod scenarios;
mod together;
mod versions;

use std::fs;

use juliet::prelude::*;
use juliet::{LoadReport, Subject};

use crate::support::{ENTITIES, TestProject};

/// The folder of templates, as files name it.
const FOLDER: &str = "Assets/Templates/";

/// A project with these templates, by their names without `.jasset`, and these files of entities.
fn project(templates: &[(&str, &str)], entities: &[(&str, &str)]) -> TestProject {
    project_with(crate::support::classes::registry(), templates, entities)
}

fn project_with(registry: ClassRegistry, templates: &[(&str, &str)], entities: &[(&str, &str)]) -> TestProject {
    let project = TestProject::with(registry, entities);
    fs::create_dir_all(project.root().join("Templates")).unwrap();
    for (name, text) in templates {
        put(&project, name, text);
    }
    project
}

/// Writes a template as another program would.
fn put(project: &TestProject, name: &str, text: impl AsRef<[u8]>) {
    let path = project.root().join("Templates").join(format!("{name}.jasset"));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The text of a template's file.
fn text_of(project: &TestProject, name: &str) -> String {
    fs::read_to_string(project.root().join("Templates").join(format!("{name}.jasset"))).unwrap()
}

/// The text of a file that is based on a template: the lines of `rest` follow.
fn based_on(name: &str, rest: &str) -> String {
    format!("; template: {FOLDER}{name}.jasset\n{rest}")
}

/// The path of a template as files name it.
fn path(name: &str) -> String {
    format!("{FOLDER}{name}.jasset")
}

/// The label of an entity's file.
fn label(name: &str) -> String {
    format!("Assets/{ENTITIES}/{name}")
}

/// A template that is known.
#[track_caller]
fn find(world: &World, name: &str) -> TemplateHandle {
    world.find_template(&path(name)).unwrap_or_else(|| panic!("no template {name}"))
}

/// The text of a property.
#[track_caller]
fn get(world: &World, subject: impl Into<Subject>, key: &str) -> String {
    world.get_text(subject, key).unwrap()
}

/// What differs: key, own value, inherited value.
fn diff(world: &World, subject: impl Into<Subject>) -> Vec<(String, String, String)> {
    let differences = world.diff(subject).into_iter();
    differences.map(|it| (it.key, it.value, it.inherited)).collect()
}

/// Findings as they are printed.
fn printed(report: &LoadReport) -> Vec<String> {
    report.diagnostics.iter().map(ToString::to_string).collect()
}

/// The findings of one file.
fn of_file<'r>(report: &'r LoadReport, file: &str) -> Vec<&'r Diagnostic> {
    report.diagnostics.iter().filter(|it| &*it.file == file).collect()
}

/// The only finding of one file.
#[track_caller]
fn one_of<'r>(report: &'r LoadReport, file: &str) -> &'r Diagnostic {
    let found = of_file(report, file);
    assert_eq!(found.len(), 1, "{file}: {:#?}", printed(report));
    found[0]
}

/// Changes a healthy neighbour and saves: nothing else may be written.
#[track_caller]
fn save_with_a_change_of(project: &TestProject, world: &mut World, neighbour: &str) {
    let handle = crate::support::entity_in(world, neighbour);
    let before = project.picture();
    assert!(world.set_position(handle, [9.0, 8.0, 7.0]).unwrap());
    assert_eq!(crate::support::save_all(world).written, [label(neighbour)]);
    let after = project.picture();
    let changed: Vec<&String> = after.keys().filter(|it| before.get(*it) != after.get(*it)).collect();
    assert_eq!(changed, [&format!("{ENTITIES}/{neighbour}")]);
    assert_eq!(before.len(), after.len());
}
