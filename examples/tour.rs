//! The main job on the shipped assets: load a world, change three entities, save what changed; then templates and their instances.
//!
//! Works on a copy in a temporary folder. Everything printed is computed.
#![expect(clippy::print_stdout, reason = "a program for people")]

#[path = "tour/classes.rs"]
mod classes;
#[path = "tour/templates.rs"]
mod templates;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::{env, fs};

use classes::{Collectible, CollectibleKind, Door, Inert, SpikeTrap};
use juliet::prelude::*;
use similar::TextDiff;

fn main() -> Result<(), Box<dyn Error>> {
    let registry = registry![Inert, Collectible, SpikeTrap, Door]?;
    println!("class          version   CRC-32    bytes  properties");
    for class in registry.classes() {
        let (size, plain) = (class.ty().size(), if class.is_blittable() { ", copied as bytes" } else { "" });
        let count = class.properties().len();
        println!("{:<14} {:>7}  {:08x}  {size:>6}  {count}{plain}", class.name(), class.version(), class.crc());
    }

    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let copy = tempfile::tempdir()?;
    let assets = copy.path().join("assets");
    copy_folder(&home.join("assets"), &assets)?;
    let entities = assets.join("Worlds/Harbour/Entities");
    fs::copy(home.join("examples/tour/Broken.jasset"), entities.join("Broken.jasset"))?;

    let (mut world, report) = Project::open(&assets, registry)?.load_world("Harbour")?;
    let (loaded, skipped, timings) = (report.loaded, report.skipped, report.timings);
    println!(
        "\nHarbour: {loaded} entities, {skipped} left out, read in {:?}, parsed in {:?}",
        timings.read,
        timings.open + timings.fill
    );
    let undrawn = world.iter_of::<Inert>().filter(|(_, inert)| inert.mesh_instance == u32::MAX).count();
    println!("{undrawn} props wait for a mesh instance (a skipped field: never in a file)");
    for diagnostic in &report.diagnostics {
        println!("\n{diagnostic:#}");
    }

    let before = read_folder(&entities)?;
    let edited = first::<Inert>(&world)?;
    if let Some(mut inert) = world.get_mut::<Inert>(edited) {
        inert.health = 42.5;
    }
    let removed = first::<Door>(&world)?;
    let removed = world.remove(removed)?;
    let coin = Collectible { value: 250, kind: CollectibleKind::Gem, ..Collectible::default_value() };
    let added = world.spawn(coin, Vec3::new(4.0, 0.5, -12.0))?;
    println!("\nset health of {}", world.file_of(edited).unwrap_or_default());
    println!("removed {removed:#018x}\nadded {}", world.file_of(added).unwrap_or_default());

    let saved = world.save()?;
    let after = read_folder(&entities)?;
    let same = before.iter().filter(|(name, text)| after.get(*name) == Some(text)).count();
    println!("\nsaved: {} written, {} removed, {same} left alone", saved.written.len(), saved.removed.len());
    for (what, files) in [("wrote  ", &saved.written), ("removed", &saved.removed)] {
        files.iter().for_each(|file| println!("  {what} {file}"));
    }
    print_changes(&before, &after);

    let templates = assets.join("Templates");
    let (before, templates_before) = (after, read_folder(&templates)?);
    templates::show(&mut world, &before)?;
    let saved = world.save()?;
    println!("\nsaved: {} written, {} removed", saved.written.len(), saved.removed.len());
    print_changes(&before, &read_folder(&entities)?);
    print_changes(&templates_before, &read_folder(&templates)?);
    Ok(())
}

fn print_changes(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>) {
    for (name, old) in before {
        if let Some(new) = after.get(name).filter(|new| *new != old) {
            let diff = TextDiff::from_lines(old, new);
            print!("\n{}", diff.unified_diff().context_radius(2).header(name, name));
        }
    }
}

fn first<T: Entity>(world: &World) -> Result<EntityHandle, Box<dyn Error>> {
    let found = world.iter_of::<T>().next();
    found.map(|(handle, _)| handle).ok_or_else(|| format!("no `{}` in the world", T::CLASS.name()).into())
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else {
            fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// The texts of all files below a folder, by their paths from there.
fn read_folder(folder: &Path) -> std::io::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            files.extend(read_folder(&entry.path())?.into_iter().map(|(path, text)| (format!("{name}/{path}"), text)));
        } else {
            files.insert(name, fs::read_to_string(entry.path())?);
        }
    }
    Ok(files)
}
