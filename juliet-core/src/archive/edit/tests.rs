//! Files of older programs, brought to the current one.
#![expect(clippy::unwrap_used, reason = "tests")]

mod unknown;

use indexmap::IndexMap;
use juliet_derive::{Entity, Property};

use crate::archive::{
    Components, EntityText, Findings, Inherit, Inherited, Inherits, Overrides, bring_to_current, open_with,
    read_values, write_leaves,
};
use crate::class::{ClassRegistry, MigrateError, Migration, Role};
use crate::mem::OwnedValue;
use crate::text::{Layout, Spelling};

#[derive(Property, Clone, Default)]
#[jasset(crate = "crate", removed("Flicker"))]
struct Light {
    #[jasset(alias("Tint", "Colour", "Hue%"))]
    color: [f32; 2],
    power: f32,
}

#[derive(Property, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[jasset(crate = "crate")]
enum Mood {
    #[default]
    Calm,
    #[jasset(alias = "Angry")]
    Furious,
}

#[derive(Property, Clone, Default)]
#[jasset(crate = "crate")]
enum Mode {
    #[default]
    Idle,
    #[jasset(alias = "Walk", removed("Style"))]
    Patrol {
        #[jasset(alias = "Pace")]
        speed: f32,
    },
}

#[derive(Property, Clone, Default)]
#[jasset(crate = "crate", removed("Weight"))]
struct Coin {
    #[jasset(key)]
    name: String,
    #[jasset(alias = "Number")]
    count: u32,
    worth: u32,
}

#[derive(Entity)]
#[jasset(crate = "crate", alias = "Stone", removed("OldTag", "OldLoot", "OldLight"))]
struct Rock {
    #[jasset(alias = "Hp")]
    health: f32,
    #[jasset(alias = "Lamp")]
    light: Light,
    mood: Option<Mood>,
    mode: Mode,
    #[jasset(alias = "Treasure")]
    loot: Vec<Coin>,
    by_mood: IndexMap<Mood, u32>,
    name: String,
}

/// The text of `text` in the current program, and every leaf of what it says; the result is a fixed point and says the same.
fn brought(registry: &ClassRegistry, text: &str, base: &str) -> (String, String, Overrides) {
    let once = bring(registry, text, base);
    let twice = bring(registry, &once.0, base);
    assert_eq!(once, twice, "a second run changes nothing");
    once
}

fn bring(registry: &ClassRegistry, text: &str, base: &str) -> (String, String, Overrides) {
    let mut findings = Findings::new();
    let (kind, class) = registry.find_by_name("Rock").unwrap();
    let mut inherit = |_: &_| Inherit::From(Inherited { kind, file: "Base.jasset", unknown: None });
    let opened = open_with(registry, "A.jasset", text, &mut inherit, &mut findings).unwrap();
    let mut value = OwnedValue::new(registry, kind).unwrap();
    if opened.template().is_some() {
        let base = open_with(registry, "Base.jasset", base, &mut |_| Inherit::Later, &mut findings).unwrap();
        read_values(&base.as_template(), value.as_mut(), &mut findings);
    }
    let read = read_values(&opened, value.as_mut(), &mut findings);
    let found = findings.into_diagnostics("A.jasset");
    assert!(found.iter().all(|it| !it.is_error()), "{found:?}");
    let overrides = read.overrides();
    let position = [0.0, 0.0, 0.0, 1.0];
    let entity = EntityText {
        class,
        id: opened.id().unwrap_or_default(),
        position: read.position.unwrap_or(position),
        value: value.as_ref(),
        inherits: opened.template().map(|template| Inherits {
            template: Some(template),
            overrides: &overrides,
            position,
        }),
        components: Components::NONE,
    };
    let mut out = Vec::new();
    let changed = bring_to_current(&opened, &read, &entity, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert_eq!(changed, out != text);
    let mut leaves = Vec::new();
    write_leaves(value.as_ref(), Layout::new(Spelling::Colon), &mut leaves);
    (out, String::from_utf8(leaves).unwrap(), overrides)
}

fn rocks() -> ClassRegistry {
    ClassRegistry::new().with::<Rock>().unwrap()
}

#[test]
fn former_names_and_removed_keys_go_and_nothing_else() {
    let text = "; entity_type: Stone\n# Weathered.\nHp: 5.50\nOldTag: mossy\nLamp.Tint: [1, 2]\nUnknown: 7\nOldLight.Color: 1\n\
                OldLight: { X: 1 }\n! OldLoot[gem]\nMood: Angry\nname: Angry Hp\n; component: Motion\nOldTag: 3\n";
    let (out, ..) = brought(&rocks(), text, "");
    let wanted = "; entity_type: Rock\n# Weathered.\nHealth: 5.50\nLight.Color: [1, 2]\nUnknown: 7\nMood: Furious\nname: Angry Hp\n\
                  ; component: Motion\nOldTag: 3\n";
    assert_eq!(out, wanted);
    let node = "; class\nStone\n\n; lamp.tint\n[1, 2]\n\n; old_tag\nmossy\n; hp\n5\n";
    let (out, ..) = brought(&rocks(), node, "");
    assert_eq!(out, "; class\nRock\n\n; light.color\n[1, 2]\n\n; health\n5\n");
}

#[test]
fn words_inside_values_are_replaced_with_the_whole_value() {
    let text = "; entity_type: Rock\nMode: Walk { Pace: 2, Style: Fast(1, 2) }\nLight: { Tint: [1, 2], Flicker: 3, Power: 4 }\n\
                ByMood: { Angry: 2, Calm: 1 }\n";
    let (out, ..) = brought(&rocks(), text, "");
    let wanted = "; entity_type: Rock\nMode: Patrol { Speed: 2.0 }\nLight: { Color: [1.0, 2.0], Power: 4.0 }\n\
                  ByMood: { Furious: 2, Calm: 1 }\n";
    assert_eq!(out, wanted);
}

#[test]
fn former_names_of_any_letters_are_found() {
    let text = "; entity_type: Rock\nLight: {Hue%: [1, 2], Power: 4}\nByMood: { Angry: 2 }\nName: \"Hue% \\n\"\n";
    let (out, ..) = brought(&rocks(), text, "");
    let wanted =
        "; entity_type: Rock\nLight: { Color: [1.0, 2.0], Power: 4.0 }\nByMood: { Furious: 2 }\nName: \"Hue% \\n\"\n";
    assert_eq!(out, wanted);
}

#[test]
fn braces_that_leave_fields_out_give_way_to_lines_of_what_they_say() {
    let text = "; template: Base\nLight: { Tint: [1, 2], Flicker: 3 }\nLoot[gold]: { Number: 2 }\nTreasure[gem].Worth: 3\n\
                Loot[gem].Weight: 3\nByMood[Angry]: 4\n! Treasure[iron]\n! Treasure[brass]\n";
    let base = "; entity_type: Rock\nLight.Power: 9\nLoot: [{ Name: gold, Worth: 5 }, { Name: gem, Count: 1 }, { Name: iron }, { Name: brass }]\n\
                ByMood: { Calm: 1 }\n";
    let (out, said, _) = brought(&rocks(), text, base);
    let wanted = "; template: Base\nLight.Color: [1.0, 2.0]\nLoot[gem].Worth: 3\n! Loot[iron]\n! Loot[brass]\nLoot[gold].Count: 2\n\
                  ByMood[Furious]: 4\n";
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&out), sorted(wanted), "{out}");
    assert!(said.contains("Light.Power: 9"), "{said}");
    let standalone = "; entity_type: Rock\nLight: { Tint: [1, 2] }\n";
    assert_eq!(brought(&rocks(), standalone, "").0, "; entity_type: Rock\nLight.Color: [1.0, 2.0]\n");
}

mod steps {
    use super::{MigrateError, Migration, Role};
    use juliet_derive::Entity;

    /// Five versions of one class.
    #[derive(Entity)]
    #[jasset(crate = "crate", version = 5, migrate(1 => split, 2 => join, 4 => convert))]
    pub(super) struct Rock {
        pub(super) offset: [f32; 2],
        pub(super) stone: super::Light,
        pub(super) loot: Vec<super::Coin>,
        pub(super) mass: f32,
        pub(super) label: String,
    }

    /// 1 → 2: `Place: 1 2` becomes `X` and `Y`.
    fn split(migration: &mut Migration<'_>) -> Result<(), MigrateError> {
        assert_eq!(migration.version(), 1);
        if let Some(place) = migration.remove("Place") {
            let (x, y) = place.split_once(' ').ok_or("`Place` has two numbers")?;
            migration.set("X", x);
            migration.set("Y", y);
        }
        Ok(())
    }

    /// 2 → 3: `X` and `Y` become `Offset`; what is not said is inherited.
    fn join(migration: &mut Migration<'_>) -> Result<(), MigrateError> {
        assert_eq!(migration.version(), 2);
        let inherited = migration.inherited("Offset").unwrap_or_default();
        let mut ends = inherited.trim_matches(['[', ']']).split(", ");
        let (x, y) = (migration.remove("X"), migration.remove("Y"));
        let (base_x, base_y) = (ends.next().unwrap_or("0"), ends.next().unwrap_or("0"));
        if x.is_some() || y.is_some() {
            let (x, y) = (x.as_deref().unwrap_or(base_x), y.as_deref().unwrap_or(base_y));
            migration.set("Offset", format!("[{x}, {y}]"));
        }
        Ok(())
    }

    /// 3 or 4 → 5: grams become kilograms, `Boulder` becomes `Stone` with its parts, `Hoard` becomes `Loot`, a label is made.
    fn convert(migration: &mut Migration<'_>) -> Result<(), MigrateError> {
        if let Some(grams) = migration.remove("Grams") {
            let grams: f32 = grams.parse().map_err(|_| format!("`{grams}` grams"))?;
            migration.set("Mass", (grams / 1000.0).to_string());
        }
        migration.rename("Boulder", "Stone");
        migration.rename("hoard", "loot");
        migration.remove_all("Junk");
        let role = format!("{:?}", (migration.role(), migration.inherits()));
        if migration.role() == Role::Standalone {
            migration.set("Label", format!("{role:?}"));
        }
        Ok(())
    }
}

fn stepped(text: &str, base: &str) -> (String, String) {
    let (out, said, _) = brought(&ClassRegistry::new().with::<steps::Rock>().unwrap(), text, base);
    (out, said)
}

#[test]
fn steps_follow_each_other_from_the_version_of_the_file() {
    let wanted =
        "; entity_type: Rock\n; class_version: 5\nOffset: [1.0, 2.0]\nMass: 0.5\nLabel: \"(Standalone, false)\"\n";
    for (version, lines) in [
        (1, "Place: 1 2\nGrams: 500"),
        (2, "X: 1\nY: 2\nGrams: 500"),
        (3, "Offset: [1.0, 2.0]\nGrams: 500"),
        (4, "Offset: [1.0, 2.0]\nGrams: 500"),
    ] {
        let text = format!("; entity_type: Rock\n; class_version: {version}\n{lines}\n");
        assert_eq!(stepped(&text, "").0, wanted.replace("\"(S", "(S").replace(")\"", ")"), "from version {version}");
    }
    let current = "; entity_type: Rock\n; class_version: 5\nOffset: [1, 2]\n";
    assert_eq!(stepped(current, "").0, current);
}

#[test]
fn what_an_instance_leaves_out_is_that_of_its_migrated_template() {
    let base = "; entity_type: Rock\n; class_version: 2\nX: 3\nY: 4\n";
    let (out, said) = stepped("; template: Base\n; class_version: 2\nY: 9\n", base);
    assert_eq!(out, "; template: Base\n; class_version: 5\nOffset: [3.0, 9.0]\n");
    assert!(said.contains("Offset: [3.0, 9.0]"), "{said}");
    let nothing = "; template: Base\n; class_version: 2\nPosition: 1, 2, 3\n";
    let (out, _) = stepped(nothing, base);
    assert!(!out.contains("Offset") && !out.contains("Label"), "{out}");
}

#[test]
fn a_renamed_property_takes_its_parts_items_and_removals_along() {
    let base = "; entity_type: Rock\n; class_version: 5\nLoot: [{ Name: gold, Worth: 5 }, { Name: gem }]\n";
    let text = "; template: Base\nBoulder.Power: 3\nHoard[gold].Count: 2\n! Hoard[gem]\nHoard[\"a.b [c]\"].Count: 1\nJunk.A: 1\nJunk[2]: 3\n! Junk[7]\n\
                Junkyard: 3\n";
    let (out, said) = stepped(text, base);
    let wanted = "; template: Base\n; class_version: 5\nStone.Power: 3.0\n! Loot[gem]\nLoot[gold].Count: 2\nLoot[\"a.b [c]\"].Count: 1\nJunkyard: 3\n";
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&out), sorted(wanted), "{out}");
    assert!(said.contains("Loot[gold].Count: 2") && !said.contains("gem"), "{said}");
}
