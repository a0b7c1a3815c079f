//! The schema of the tour's classes: the table of one as Markdown; `--json` for all of it, `--html DIR` for a site of pages, with the
//! templates of the sample project and how many instances they have in its world.
#![expect(clippy::print_stdout, reason = "a program for people")]

#[path = "tour/classes.rs"]
mod classes;

use std::error::Error;
use std::path::Path;
use std::{env, fs};

use classes::{Collectible, Door, Inert, SpikeTrap};
use juliet::prelude::*;
use juliet::schema;

fn main() -> Result<(), Box<dyn Error>> {
    let registry = registry![Inert, Collectible, SpikeTrap, Door]?;
    let schema = registry.schema();
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            let pages = schema::markdown(&schema);
            let page = pages.iter().find(|(path, _)| path == "classes/Inert.md").ok_or("no page of `Inert`")?;
            page.1.lines().filter(|line| line.starts_with('|')).for_each(|line| println!("{line}"));
            let skipped = Inert::default_value().mesh_instance;
            println!("\nSkipped fields, as `mesh_instance` with its {skipped:#x}, are in no file and in no table.");
        }
        ["--json"] => print!("{}", schema.to_json()),
        ["--html", folder] => {
            let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
            let (mut world, _) = Project::open(assets, registry)?.load_world("Harbour")?;
            for diagnostic in world.load_all_templates() {
                println!("{diagnostic}");
            }
            for (path, text) in schema::html_with_templates(&schema, &world.template_docs()) {
                let path = Path::new(folder).join(path);
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent)?;
                }
                fs::write(path, text)?;
            }
            println!("{}", Path::new(folder).join("index.html").display());
        }
        _ => return Err("usage: schema [--json | --html DIR]".into()),
    }
    Ok(())
}
