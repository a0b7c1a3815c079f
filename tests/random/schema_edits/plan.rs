//! What the migrations of a program do. The functions learn it from the default of a property, `Plan`, which no file names, so that one
//! function serves every program; the model does the same to its own lines.

use std::sync::LazyLock;

use juliet::core::class::MigrateFn;
use juliet::{MigrateError, Migration};

/// One thing that is done to files of `version`.
#[derive(Clone, Debug)]
pub(super) struct Action {
    pub(super) version: u32,
    /// `text`: another text in the line; `turn`: the line gets another key, too; `move`: it goes and a new one comes; `split` into three;
    /// `rename` with all parts; `drop`.
    pub(super) kind: &'static str,
    pub(super) old: Vec<String>,
    pub(super) new: String,
    pub(super) conversion: &'static str,
}

pub(super) fn encode(plan: &[Action]) -> String {
    let told = plan
        .iter()
        .map(|it| format!("do {} {} {} {} {}", it.version, it.kind, it.old.join("|"), it.new, it.conversion));
    if plan.is_empty() { "nothing".into() } else { told.collect::<Vec<_>>().join("/") }
}

/// One step for each version.
pub(super) static CHAIN: LazyLock<Vec<(u32, MigrateFn)>> =
    LazyLock::new(|| (1..100).map(|version| (version, one_version as MigrateFn)).collect());
/// One function for all.
pub(super) static WHOLE: [(u32, MigrateFn); 1] = [(u32::MAX, all_versions)];

fn one_version(file: &mut Migration<'_>) -> Result<(), MigrateError> {
    let version = file.version();
    run(file, version)
}

fn all_versions(file: &mut Migration<'_>) -> Result<(), MigrateError> {
    (file.version()..100).try_for_each(|version| run(file, version))
}

fn run(file: &mut Migration<'_>, version: u32) -> Result<(), MigrateError> {
    let plan = file.inherited("Plan").ok_or("there is no plan")?;
    for action in plan.split('/').filter(|action| *action != "nothing") {
        let mut parts = action.split(' ').skip(1);
        let mut next = || parts.next().unwrap_or_default();
        let (from, kind, old, new, conversion) = (next(), next(), next(), next(), next());
        if from.parse() != Ok(version) {
            continue;
        }
        match kind {
            "rename" => old.split('|').for_each(|old| _ = file.rename(old, new)),
            "drop" => old.split('|').for_each(|old| _ = file.remove_all(old)),
            _ => {
                // A file has a property under one of its names.
                let mut named = old.split('|').filter_map(|old| Some((old, file.get(old)?.to_owned())));
                if let Some((old, text)) = named.next() {
                    convert(file, kind, (old, new), &text, &converted(conversion, &text));
                }
            }
        }
    }
    Ok(())
}

fn convert(file: &mut Migration<'_>, kind: &str, (old, new): (&str, &str), text: &str, converted: &str) {
    match kind {
        "text" => file.set(old, converted),
        "turn" => {
            file.rename(old, new);
            file.set(new, converted);
        }
        "move" => {
            file.remove(old);
            file.set(new, converted);
        }
        _ => {
            file.remove(old);
            new.split('|').zip(words(text)).for_each(|(part, text)| file.set(part, text));
        }
    }
}

/// What stands between brackets, commas and blanks.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(['[', ']', ',', ' ', '\t']).filter(|word| !word.is_empty())
}

/// The text of a value as one of another type.
pub(super) fn converted(conversion: &str, text: &str) -> String {
    let int = || text.parse::<i32>().unwrap_or_default();
    let float = |text: &str| text.parse::<f32>().unwrap_or_default();
    match conversion {
        "halved" => format!("{:?}", int() as f32 / 2.0),
        "told" => format!("n{}", int()),
        "spoken" => format!("f{:?}", float(text)),
        "length" => text.len().to_string(),
        "bit" => u8::from(text == "true").to_string(),
        "whole" => {
            let numbers: Vec<String> = words(text).map(|it| (float(it) as i32).to_string()).collect();
            format!("[{}]", numbers.join(", "))
        }
        "past" => format!("was {text}"),
        "count" => words(text).count().to_string(),
        _ => text.to_owned(),
    }
}
