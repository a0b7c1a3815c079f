//! Lines that a migration makes or sees and that no property takes.

use juliet_derive::Entity;

use super::{Coin, Light, brought};
use crate::class::{ClassRegistry, MigrateError, Migration};

#[derive(Entity)]
#[jasset(crate = "crate", version = 2, migrate = migrate)]
struct Rock {
    stone: Light,
    loot: Vec<Coin>,
    mass: f32,
}

fn migrate(migration: &mut Migration<'_>) -> Result<(), MigrateError> {
    migration.rename("Boulder", "Stone");
    migration.rename("Hoard", "Loot");
    migration.rename("Scrap", "Spoils");
    if let Some(text) = migration.remove("Weight") {
        migration.set("Mass", text.as_str());
        migration.set("Future%", format!("{text} {text}"));
    }
    if let Some(text) = migration.get("Count").map(|text| format!("{text}1")) {
        migration.set("Count", text);
    }
    Ok(())
}

const BASE: &str = "; entity_type: Rock\n; class_version: 2\nLoot: [{ Name: gold, Worth: 5 }, { Name: gem }]\n";

#[track_caller]
fn check(text: &str, expected: &str) {
    let (out, ..) = brought(&ClassRegistry::new().with::<Rock>().unwrap(), text, BASE);
    assert_eq!(out, expected);
}

#[test]
fn new_lines_that_no_property_takes_are_kept_behind_the_others() {
    check(
        "; entity_type: Rock\n# first\nWeight: 2\n# last\n; component: Motion\nWeight: 3\n",
        "; entity_type: Rock\n; class_version: 2\nMass: 2.0\nFuture%: 2 2\n# first\n# last\n; component: Motion\nWeight: 3\n",
    );
    check(
        "; template\nBase\n; weight\n2\n; position\n1 2 3",
        "; template\nBase\n; class_version\n2\n; position\n1 2 3\n; mass\n2.0\n; Future%\n2 2",
    );
}

#[test]
fn a_file_of_which_no_line_is_known_is_migrated_once() {
    check("; entity_type: Rock\nCount: 1\n", "; entity_type: Rock\n; class_version: 2\nCount: 11\n");
    check("; template: Base\nCount: 1\n", "; template: Base\n; class_version: 2\nCount: 11\n");
    check("; template: Base\nOther: 1\n", "; template: Base\n; class_version: 2\nOther: 1\n");
    // Of the position there is no older version.
    check("; template: Base\nPosition: 1, 2, 3\n", "; template: Base\nPosition: 1, 2, 3\n");
}

#[test]
fn lines_that_take_items_out_follow_their_list_in_both_spellings() {
    for (old, new) in [("Hoard", "Loot"), ("Scrap", "Spoils")] {
        check(
            &format!("; template: Base\n! {old}[gem]\n"),
            &format!("; template: Base\n; class_version: 2\n! {new}[gem]\n"),
        );
    }
    check("; template\nBase\n! hoard[gem]\n", "; template\nBase\n; class_version\n2\n! loot[gem]\n");
    // A list that is not known is called as the step calls it.
    check("; template\nBase\n! scrap[gem]\n", "; template\nBase\n; class_version\n2\n! Spoils[gem]\n");
    check("; template\nBase\n! other[gem]\n", "; template\nBase\n; class_version\n2\n! other[gem]\n");
}

#[test]
fn lines_of_two_names_of_one_property_are_joined_unless_they_say_the_same() {
    let head = "; template: Base\n; class_version: ";
    check(
        &format!("{head}1\nBoulder.Power: 3.0\nStone.Color: [1.0, 2.0]\nHoard[gold].Count: 2\nLoot[gem].Count: 4\n"),
        &format!("{head}2\nStone.Color: [1.0, 2.0]\nStone.Power: 3.0\nLoot[gold].Count: 2\nLoot[gem].Count: 4\n"),
    );
    for lines in [
        "Boulder.Power: 3\nstone.power: 4\n",
        "Boulder.Power: 3\nStone: { Power: 4 }\n",
        "Boulder: { Power: 3 }\nStone.Power: 4\n",
        "Boulder.Power: 3\nBoulder.Color: [1, 2]\nStone.Color: [3, 4]\n",
        "Hoard[gold]: { Count: 1 }\nLoot[gem].Count: 4\nLoot[gold].Count: 4\n",
        "Hoard[gold].Count: 1\n! Loot[gold]\n",
    ] {
        check(&format!("{head}1\n{lines}"), &format!("{head}2\n{lines}"));
    }
}
