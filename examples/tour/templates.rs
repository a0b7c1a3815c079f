//! What templates do: a chain, a sparse file, an inspector, a revert, and a change that arrives where nothing shields from it.

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::io::{IsTerminal, stdout};
use std::{env, iter};

use juliet::prelude::*;
use juliet::{Level, Subject};

const ROCK: &str = "Assets/Templates/RockLarge.jasset";
/// Based on `RockMossy`, which is based on `RockLarge`; overrides two properties.
const MOSSY: u64 = 0x0100_0000_0000_0042;

pub(crate) fn show(world: &mut World, files: &BTreeMap<String, String>) -> Result<(), Box<dyn Error>> {
    let instances: usize = world.templates().map(|template| world.instances_of(template).len()).sum();
    println!("\n{} templates with {instances} instances of {} entities", world.templates().count(), world.len());
    let mossy = world.find_by_id(MOSSY).ok_or("the mossy rock is gone")?;
    let chain: Vec<String> = chain(world, mossy).map(|subject| name(world, subject)).collect();
    println!("{}", chain.join(" ─► "));

    // What an instance without overrides says.
    if let Some((name, text)) = files.iter().find(|(_, text)| text.lines().count() == 3 && text.contains(ROCK)) {
        println!("\n{name}, the whole file:");
        text.lines().for_each(|line| println!("  {line}"));
    }

    print_rows(world, mossy);
    let before = world.get_text(mossy, "Scale");
    if world.revert(mossy, "Scale")? {
        let after = world.get_text(mossy, "Scale");
        println!("\nreverted Scale: {} ─► {}", before.unwrap_or_default(), after.unwrap_or_default());
    }

    let rock = world.find_template(ROCK).ok_or("no file names the rock")?;
    let impact = world.impact(rock, Some("Tint"))?;
    println!(
        "\na new Tint for {} would reach {} instances and leave {} as they are",
        name(world, rock),
        impact.reached.len(),
        impact.shielded.len()
    );
    let all = || impact.reached.iter().chain(&impact.shielded).copied();
    let old: HashMap<EntityHandle, Option<String>> =
        all().map(|instance| (instance, world.get_text(instance, "Tint"))).collect();
    world.set(rock, "Tint", Color::rgb(0.35, 0.36, 0.38))?;
    for instance in all() {
        let (old, new) = (old[&instance].clone().unwrap_or_default(), world.get_text(instance, "Tint"));
        let new = new.unwrap_or_default();
        let said_by = level(world, instance, world.why(instance, "Tint")?.source());
        let what = if old == new { format!("{old}, said by {said_by}") } else { format!("{old} ─► {new}") };
        println!("  {}  {what}", name(world, instance));
    }

    let why = world.why(mossy, "Tint")?;
    println!("\nwhy {} of {} is {}", why.key, name(world, mossy), why.value);
    for reason in &why.reasons {
        let line = match (reason.level, reason.line) {
            (Level::ClassDefault, _) => " (default)".to_owned(),
            (_, line) => line.map(|line| format!(":{line}")).unwrap_or_default(),
        };
        let decides = if reason.level == why.source() { "  ◄ decides" } else { "" };
        let value = reason.value.as_deref().unwrap_or("says nothing");
        println!("  {:<58} {value}{decides}", format!("{}{line}", reason.place));
    }
    Ok(())
}

/// The inspector's table: what is overridden is bold cyan.
fn print_rows(world: &World, instance: EntityHandle) {
    let in_colour = stdout().is_terminal() && env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
    let (on, off) = if in_colour { ("\x1b[1;36m", "\x1b[0m") } else { ("", "") };
    println!("\n{} in an inspector; what it overrides says what it would inherit", name(world, instance));
    println!("{:<15} {:<29} {:<24} from", "property", "value", "would inherit");
    for row in world.rows(instance) {
        let value = format!("{} {}", row.value, row.unit);
        let line = format!(
            "{:<15} {value:<29} {:<24} {}",
            row.key,
            if row.overridden { row.inherited.as_str() } else { "" },
            level(world, instance, row.inherited_from)
        );
        println!("{}{line}{}", if row.overridden { on } else { "" }, if row.overridden { off } else { "" });
    }
}

/// From the top down to the instance itself.
fn chain(world: &World, instance: EntityHandle) -> impl Iterator<Item = Subject> {
    let above = |&subject: &Subject| world.template_of(subject).map(Subject::from);
    let up: Vec<Subject> = iter::successors(Some(instance.into()), above).collect();
    up.into_iter().rev()
}

fn level(world: &World, instance: EntityHandle, level: Level) -> String {
    match level {
        Level::ClassDefault => {
            world.base(instance).map_or_else(String::new, |base| format!("default of {}", base.class().name()))
        }
        Level::Template(template) => name(world, template),
        Level::Own => "itself".to_owned(),
    }
}

/// Its file, without folder and ending.
fn name(world: &World, subject: impl Into<Subject>) -> String {
    let file = world.file_of(subject).unwrap_or_default();
    let name = file.rsplit('/').next().unwrap_or_default();
    name.strip_suffix(".jasset").unwrap_or(name).to_owned()
}
