//! Items of maps and keyed lists: odd keys, odd orders of lines and of calls, and very many of them.

use std::collections::BTreeMap;

use growth::{check_linear, cpu_time};
use juliet::core::text::Spelling;
use juliet::prelude::*;
use juliet::{IndexMap, MigrateError, Migration};

use crate::support::{TestProject, changed_lines, entity_in, save, save_all};

#[derive(Property, Clone, Default, Debug, PartialEq)]
struct Stack {
    #[jasset(key)]
    name: String,
    count: u32,
    weight: f32,
}

#[derive(Property, Clone, Default, Debug, PartialEq)]
struct Bag {
    gold: i32,
    things: IndexMap<String, i32>,
}

/// Something that holds things.
#[derive(Entity)]
struct Store {
    loot: IndexMap<String, i32>,
    stacks: Vec<Stack>,
    prices: BTreeMap<u32, f32>,
    bag: Bag,
    locked: bool,
}

fn registry() -> ClassRegistry {
    juliet::registry![Store].unwrap()
}

const BASE: &str = "; entity_type: Store
Loot[gold]: 3
Loot[gem]: 1
Stacks[Wood].Count: 5
Stacks[Wood].Weight: 2.5
Stacks[Iron].Count: 7
Prices[3]: 1.5
Prices[7]: 2.5
Bag.Gold: 4
Bag.Things[nut]: 2
Locked: true
";

const HEAD: &str = "; template: Assets/Templates/Base.jasset\n; id: 0x0100000000000001\nPosition: 1, 2, 3\n";
const ALONE: &str = "; class: Store\n; id: 0x0100000000000001\nPosition: 1, 2, 3\n";

fn project_of(base: &str, text: &str) -> TestProject {
    let project = TestProject::with(registry(), &[("I.jasset", text)]);
    project.put("../../../Templates/Base.jasset", base);
    project
}

fn project(text: &str) -> TestProject {
    project_of(BASE, text)
}

fn instance(world: &World) -> EntityHandle {
    world.find_by_id(0x0100_0000_0000_0001).unwrap()
}

const KEYS: [&str; 5] = ["Loot", "Stacks", "Prices", "Bag", "Locked"];

fn values(world: &World) -> Vec<String> {
    KEYS.map(|key| world.get_text(instance(world), key).unwrap()).into()
}

/// What was saved reads back as what is in memory, with the same overrides.
#[track_caller]
fn reads_back(project: &TestProject, world: &mut World) {
    save(world);
    let mut again = project.load_clean();
    let text = project.text("I.jasset");
    assert_eq!(values(&again), values(world), "{text}");
    assert_eq!(again.overrides(instance(&again)), world.overrides(instance(world)), "{text}");
    assert!(save_all(&mut again).written.is_empty(), "{text}");
}

#[test]
fn struct_in_braces_gives_way_to_the_items_it_left_out() {
    let project = project(&format!("{HEAD}Bag: {{ Gold: 9 }}\n"));
    let mut world = project.load_clean();
    let i = instance(&world);
    assert_eq!(world.overrides(i), ["Bag.Gold"]);
    world.set(i, "Bag.Things[key]", 1).unwrap();
    reads_back(&project, &mut world);
    world.remove_item(i, "Bag.Things[nut]").unwrap();
    reads_back(&project, &mut world);
    world.revert(i, "Bag").unwrap();
    reads_back(&project, &mut world);
}

#[test]
fn struct_in_braces_of_a_template_gives_way_to_items() {
    let project = project_of("; class: Store\nBag: { Gold: 9 }\n", HEAD);
    let mut world = project.load_clean();
    let base = world.find_template("Assets/Templates/Base.jasset").unwrap();
    world.set(base, "Bag.Things[key]", 1).unwrap();
    reads_back(&project, &mut world);
}

#[test]
fn part_of_an_item_in_braces_says_no_more_than_it_said() {
    let project = TestProject::with(deep::registry(), &[("I.jasset", HEAD.to_owned() + "Pairs[a].Deep: { A: 5 }\n")]);
    project.put("../../../Templates/Base.jasset", "; class: Nest\nPairs[a].Deep: { A: 1, B: 2 }\n");
    let mut world = project.load_clean();
    let i = instance(&world);
    world.set(i, "Pairs[a].Deep.A", 3).unwrap();
    save(&mut world);
    assert_eq!(project.text("I.jasset"), HEAD.to_owned() + "Pairs[a].Deep.A: 3\n");
    world.set(i, "Pairs[a].Deep.B", 3).unwrap();
    save(&mut world);
    assert_eq!(project.text("I.jasset"), HEAD.to_owned() + "Pairs[a].Deep.A: 3\nPairs[a].Deep.B: 3\n");
}

#[test]
fn empty_braces_of_a_part_say_nothing_that_could_be_said_twice() {
    let head = HEAD.to_owned();
    let project = TestProject::with(deep::registry(), &[("I.jasset", head + "Pairs[a].Deep: {}\nPairs[a].Wide: 5\n")]);
    project.put("../../../Templates/Base.jasset", "; class: Nest\nPairs[a].Deep: { A: 1, B: 2 }\n");
    let world = project.load_clean();
    assert_eq!(world.get_text(instance(&world), "Pairs").unwrap(), "{ a: { Deep: { A: 1, B: 2 }, Wide: 5 } }");
    assert_eq!(world.overrides(instance(&world)), ["Pairs[a].Wide"]);
}

#[test]
fn empty_braces_of_an_item_give_way_to_what_is_said() {
    for line in ["Stacks[New]: {}\n", "Stacks[Wood]: {}\n"] {
        let project = project(&format!("{HEAD}{line}"));
        let mut world = project.load_clean();
        let i = instance(&world);
        let key = format!("{}.Count", line.split(':').next().unwrap());
        world.set(i, &key, 77_u32).unwrap();
        reads_back(&project, &mut world);
    }
}

mod deep {
    use super::*;

    #[derive(Property, Clone, Default, Debug, PartialEq)]
    pub(super) struct Deep {
        a: i32,
        b: i32,
    }

    #[derive(Property, Clone, Default, Debug, PartialEq)]
    pub(super) struct Pair {
        deep: Deep,
        wide: i32,
    }

    /// Structs in items.
    #[derive(Entity)]
    pub(super) struct Nest {
        pairs: IndexMap<String, Pair>,
    }

    pub(super) fn registry() -> ClassRegistry {
        juliet::registry![Nest].unwrap()
    }
}

#[test]
fn items_that_a_template_loses_come_in_the_order_of_the_file() {
    let project = project(&format!("{HEAD}Loot[own]: 1\nLoot[gem]: 5\n"));
    let mut world = project.load_clean();
    let base = world.find_template("Assets/Templates/Base.jasset").unwrap();
    world.remove_item(base, "Loot[gem]").unwrap();
    reads_back(&project, &mut world);
}

#[test]
fn removals_do_not_outlive_the_link() {
    let text = format!("{HEAD}! Loot[gem]\n! Loot[ghost]\n! Stacks[Wood]\nBag.Things[key]: 1\n! Bag.Things[nut]\n");
    let project = project(&text);
    let mut world = project.load_clean();
    let i = instance(&world);
    world.unlink(i).unwrap();
    let shown = values(&world);
    reads_back(&project, &mut world);
    assert_eq!(values(&world), shown);
}

#[test]
fn removals_of_a_template_do_not_outlive_the_link() {
    let project = project(&HEAD.replace("Base", "Mid"));
    let mid = "; template: Assets/Templates/Base.jasset\n! Loot[gem]\n! Loot[ghost]\nLoot[own]: 1\n! Stacks[Wood]\n";
    project.put("../../../Templates/Mid.jasset", mid);
    let mut world = project.load_clean();
    let shown = values(&world);
    let mid = world.find_template("Assets/Templates/Mid.jasset").unwrap();
    assert!(world.unlink(mid).unwrap());
    reads_back(&project, &mut world);
    assert_eq!(values(&world), shown);
}

#[test]
fn items_of_a_sorted_map_keep_their_lines_in_any_order() {
    for head in [HEAD, ALONE] {
        let text = format!("{head}Prices[900]: 1\n# mine\nPrices[30]: 02\nPrices[50]: 3\n");
        let project = project_of("; class: Store\n", &text);
        let mut world = project.load_clean();
        let i = instance(&world);
        world.set(i, "Prices[40]", 4.0_f32).unwrap();
        world.set(i, "Prices[50]", 5.0_f32).unwrap();
        reads_back(&project, &mut world);
        let lines = changed_lines(&text, &project.text("I.jasset"));
        assert_eq!(lines, ["-Prices[50]: 3\n", "+Prices[50]: 5.0\n", "+Prices[40]: 4.0\n"]);
    }
}

#[test]
fn keys_that_are_said_twice_are_told_with_both_lines() {
    for (lines, first, second) in [
        ("Prices[16]: 1\nPrices[0x10]: 2\n", 4, 5),
        ("Prices[7]: 1\nPrices[9]: 1\nPrices[007]: 2\n", 4, 6),
        ("Loot[a]: 1\nLoot[\"\\u{61}\"]: 2\n", 4, 5),
        ("! Prices[7]\n! Prices[0x7]\n", 4, 5),
        ("! Loot[gem]\nLoot: { gold: 1 }\n", 4, 5),
        ("! Loot[gem]\nLoot[gem]: 2\n", 4, 5),
        ("Loot[\"\\\"\"]: 1\nLoot[\"\"]: 1\nLoot[\"\\\"\"]: 2\n", 4, 6),
        ("! Bag.Things[nut]\nBag: { Gold: 1 }\n", 4, 5),
        ("Stacks[Iron].Count: 1\nStacks[Wood].Count: 1\nStacks[\"Wood\"]: { Weight: 1 }\nStacks[Wood]: {}\n", 5, 7),
    ] {
        let (_, report) = project(&format!("{HEAD}{lines}")).load();
        let found: Vec<_> = report
            .diagnostics
            .iter()
            .map(|it| (it.code.as_str(), it.line, it.related.iter().map(|it| it.line).collect::<Vec<_>>()))
            .collect();
        assert!(
            found.iter().any(|it| *it == ("JA0203", second, vec![first])),
            "{lines}: {found:?} {:#?}",
            report.diagnostics
        );
    }
}

#[test]
fn removals_that_mean_nothing_are_told_for_what_they_are() {
    for (line, code, is_error) in [
        ("! Nothing[gem]", "JA0206", false),
        ("! Stacks[Wood].Count", "JA0201", true),
        ("! Loot", "JA0201", true),
        ("! Prices[x]", "JA0304", true),
    ] {
        let (_, report) = project(&format!("{HEAD}{line}\n")).load();
        let found: Vec<_> = report.diagnostics.iter().map(|it| (it.code.as_str(), it.line, it.is_error())).collect();
        assert_eq!(found, [(code, 4, is_error)], "{line}: {:?}", report.diagnostics);
        assert!(!report.diagnostics[0].message.contains("inherits nothing"), "{}", report.diagnostics[0]);
    }
}

#[test]
fn item_is_not_given_the_key_of_another() {
    let project = project(HEAD);
    let mut world = project.load_clean();
    let i = instance(&world);
    for text in ["{ Name: Iron }", "{ Name: Coal, Count: 1 }"] {
        let outcome = world.set_text(i, "Stacks[Wood]", text);
        assert!(outcome.is_err(), "{text}: {outcome:?}");
        let stack = Stack { name: "Iron".into(), count: 1, weight: 1.0 };
        let outcome = world.set(i, "Stacks[Wood]", stack);
        assert!(outcome.is_err(), "{outcome:?}");
        assert!(world.overrides(i).is_empty());
    }
    world.set_text(i, "Stacks[Wood]", "{ Name: Wood, Count: 9 }").unwrap();
    reads_back(&project, &mut world);
}

#[test]
fn keys_of_any_letters_read_back_in_both_spellings() {
    let keys = [
        "",
        " ",
        "a ",
        " a",
        "a]b",
        "a[b",
        "]",
        "[",
        "\"",
        "\"a\"",
        "a\"",
        "\\",
        "a\\",
        "\n",
        "a\r\nb",
        "\t",
        "#a",
        "//a",
        ";a",
        "!a",
        "! a",
        ":",
        "a:b",
        "a: b",
        ",",
        "a,b",
        "{",
        "}",
        "(",
        ")",
        "none",
        "true",
        "0x10",
        "+5",
        "007",
        ".",
        "a.b",
        "\0",
        "\u{FEFF}",
        "\u{2028}",
        "\u{85}",
        "\u{A0}",
        "e\u{301}",
        "\u{e9}",
        "\u{202e}",
        "=",
        "'",
        "<<<<<<<",
        "a]: b[",
        "\u{1F600}",
    ];
    for spelling in [Spelling::Colon, Spelling::Node] {
        let project = project(HEAD);
        let mut world = project.load_clean();
        world.set_new_file_spelling(spelling);
        let mut value = Store::default_value();
        value.loot = keys.iter().enumerate().map(|(at, &key)| (key.to_owned(), at as i32)).collect();
        value.stacks = keys.map(|key| Stack { name: key.into(), count: 1, weight: 0.0 }).into();
        value.bag.things = keys.iter().rev().map(|&key| (key.to_owned(), 1)).collect();
        let handle = world.spawn(value, Vec3::ZERO).unwrap();
        let base = world.find_template("Assets/Templates/Base.jasset").unwrap();
        let mut made = world.spawn_from(base, Vec3::ZERO).unwrap();
        for (at, key) in keys.iter().enumerate() {
            let mut store = world.get_mut::<Store>(made).unwrap();
            store.loot.insert((*key).into(), at as i32);
            store.stacks.push(Stack { name: (*key).into(), count: 2, weight: 1.0 });
        }
        let names = [handle, made].map(|it| world.file_of(it).unwrap().rsplit_once('/').unwrap().1.to_owned());
        for round in 0..3 {
            save(&mut world);
            let again = project.load_clean();
            for (name, handle) in names.iter().zip([handle, made]) {
                let same = entity_in(&again, name);
                for key in KEYS {
                    assert_eq!(again.get_text(same, key), world.get_text(handle, key), "{}", project.text(name));
                }
                assert_eq!(again.overrides(same), world.overrides(handle));
            }
            // Each by its own name as the ledger tells it.
            if round == 0 {
                for key in world.overrides(made) {
                    assert!(world.is_overridden(made, &key), "{key:?}");
                    assert!(world.why(made, &key).is_ok(), "{key:?}");
                }
                world.get_mut::<Store>(made).unwrap().loot.values_mut().for_each(|it| *it += 100);
            } else {
                // An own item goes when nothing else is said about it: first its parts, then itself.
                for _ in 0..2 {
                    for key in world.overrides(made) {
                        assert_eq!(world.revert(made, &key), Ok(true), "{key:?}");
                    }
                }
                assert!(world.overrides(made).is_empty());
                assert!(world.diff(made).is_empty());
            }
        }
        made = world.duplicate(made).unwrap();
        assert!(world.overrides(made).is_empty());
    }
}

fn lines(n: usize, each: impl Fn(usize) -> String) -> String {
    (0..n).map(each).collect()
}

#[test]
fn many_item_lines_are_read_in_linear_time() {
    for (what, base, own) in [
        (
            "removals",
            (|n| format!("Loot[k{n}]: 1\n")) as fn(usize) -> String,
            (|n| format!("! Loot[k{n}]\n")) as fn(usize) -> String,
        ),
        ("removals of sorted", |n| format!("Prices[{n}]: 1\n"), |n| format!("! Prices[{n}]\n")),
        ("removals of listed", |n| format!("Stacks[k{n}].Count: 1\n"), |n| format!("! Stacks[k{n}]\n")),
        ("both", |n| format!("Loot[k{n}]: 1\n"), |n| format!("! Loot[k{n}]\nLoot[n{n}]: 1\n")),
        ("listed", |n| format!("Stacks[k{n}].Count: 1\n"), |n| format!("Stacks[k{n}].Count: 2\n")),
    ] {
        check_linear(what, 700, |n| {
            let base = format!("; class: Store\n{}", lines(n, base));
            let project = project_of(&base, &format!("{HEAD}{}", lines(n, own)));
            cpu_time(|| project.load_clean())
        });
    }
}

#[test]
fn many_item_lines_are_saved_in_linear_time() {
    for (what, key, own) in [
        ("map", "Loot[k1]", (|n| format!("Loot[k{n}]: 1\n")) as fn(usize) -> String),
        ("sorted", "Prices[1]", |n| format!("Prices[{n}]: 1\n")),
        ("listed", "Stacks[k1].Count", |n| format!("Stacks[k{n}].Count: 1\n")),
    ] {
        for head in [HEAD, ALONE] {
            check_linear(what, 500, |n| {
                let project = project_of("; class: Store\n", &format!("{head}{}", lines(n, own)));
                let mut world = project.load_clean();
                let i = instance(&world);
                cpu_time(|| {
                    world.set_text(i, key, "5").unwrap();
                    save(&mut world);
                })
            });
        }
    }
}

#[test]
fn many_removals_that_mean_nothing_any_more_are_forgotten_in_linear_time() {
    use juliet::core::archive::{ItemSays, Overrides, find_named, forget_idle_removals};

    let leaf = find_named(Store::CLASS.ty(), "Loot").unwrap().property().first_leaf();
    let fresh = Store::default_value();
    check_linear("forgotten", 5_000, |n| {
        let mut overrides = Overrides::NONE;
        for index in 0..n {
            overrides.set_item(leaf, &format!("k{index}"), ItemSays::Removed);
        }
        cpu_time(|| {
            forget_idle_removals(juliet::ErasedRef::of_entity(&fresh), &mut overrides);
            assert!(overrides.is_empty());
        })
    });
}

mod older {
    use super::*;

    /// The same, a version later.
    #[derive(Entity)]
    #[jasset(name = "Store", version = 2, migrate = rename)]
    pub(super) struct Store {
        pub(super) loot: IndexMap<String, i32>,
        pub(super) locked: bool,
    }

    fn rename(file: &mut Migration<'_>) -> Result<(), MigrateError> {
        file.rename("Old[gold]", "Loot[gold]");
        if file.get("Loot[gem]").is_some() {
            file.set("Loot[gem]", "77");
        }
        Ok(())
    }

    pub(super) fn registry() -> ClassRegistry {
        juliet::registry![Store].unwrap()
    }
}

#[test]
fn keys_have_one_spelling_in_files_of_any_version() {
    let own = "Loot[old_moss]: 1\nLoot[OldMoss]: 2\nGone[old_moss]: 1\nGone[OldMoss]: 1\n";
    let project = TestProject::with(older::registry(), &[("I.jasset", format!("{ALONE}{own}"))]);
    let (world, report) = project.load();
    assert!(!report.has_errors(), "{:?}", report.diagnostics);
    assert_eq!(world.get_text(instance(&world), "Loot").unwrap(), "{ old_moss: 1, OldMoss: 2 }");
}

#[test]
fn migrated_items_are_saved_once() {
    for head in [HEAD, ALONE] {
        for line in ["Old[gold]: 8\n", "Loot[gem]: 8\n"] {
            for key in ["Locked", "Loot[new]"] {
                let text = format!("{head}{line}");
                let project = TestProject::with(older::registry(), &[("I.jasset", &text)]);
                project.put("../../../Templates/Base.jasset", "; class: Store\n; class_version: 2\nLoot[gold]: 3\n");
                let (mut world, report) = project.load();
                assert!(!report.has_errors(), "{text}: {:?}", report.diagnostics);
                let i = instance(&world);
                let shown = world.get_text(i, "Loot");
                assert!(shown.as_ref().unwrap().contains(if line.starts_with("Old") { "gold: 8" } else { "gem: 77" }));
                world.set_text(i, key, if key == "Locked" { "true" } else { "1" }).unwrap();
                save(&mut world);
                let again = project.load_clean();
                let same = instance(&again);
                assert_eq!(again.get_text(same, "Loot"), world.get_text(i, "Loot"), "{}", project.text("I.jasset"));
                assert_eq!(again.overrides(same), world.overrides(i));
            }
        }
    }
}

#[test]
fn empty_braces_that_say_nothing_stay() {
    let text = format!("{HEAD}Bag: {{ }}\nLoot[own]: 1\n");
    let project = project(&text);
    let mut world = project.load_clean();
    let i = instance(&world);
    world.set_text(i, "Loot[own]", "2").unwrap();
    save(&mut world);
    assert_eq!(project.text("I.jasset"), text.replace("Loot[own]: 1", "Loot[own]: 2"));
    world.set_text(i, "Bag.Gold", "3").unwrap();
    save(&mut world);
    assert_eq!(project.text("I.jasset"), format!("{HEAD}Bag.Gold: 3\nLoot[own]: 2\n"));
}
