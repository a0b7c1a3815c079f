//! Maps and keyed lists in files: items are lines, overridden one by one.

use std::collections::BTreeMap;

use juliet::prelude::*;
use juliet::{IndexMap, Level, SetError};

use crate::support::{TestProject, changed_lines, entity_in, save, save_all};

#[derive(Property, Clone, Default, Debug, PartialEq)]
pub(crate) struct Stack {
    #[jasset(key)]
    name: String,
    count: u32,
    weight: f32,
}

/// Something that holds things.
#[derive(Entity)]
pub(crate) struct Chest {
    loot: IndexMap<String, i32>,
    stacks: Vec<Stack>,
    prices: BTreeMap<u32, f32>,
    locked: bool,
}

fn registry() -> ClassRegistry {
    juliet::registry![Chest].unwrap()
}

const BASE: &str = "; entity_type: Chest
Loot[gold]: 3
Loot[gem]: 1
Stacks[Wood].Count: 5
Stacks[Wood].Weight: 2.5
Stacks[Iron Bar].Count: 7
Locked: true
";

fn base() -> String {
    BASE.replace("Iron Bar", "\"Iron Bar\"")
}

fn project(files: &[(&str, &str)]) -> TestProject {
    let project = TestProject::with(registry(), files);
    project.put("../../../Templates/Base.jasset", base());
    project
}

const HEAD: &str = "; template: Assets/Templates/Base.jasset\n; id: 0x0100000000000001\nPosition: 1, 2, 3\n";

/// The instance of each test.
fn instance(world: &World) -> EntityHandle {
    world.find_by_id(0x0100_0000_0000_0001).unwrap()
}

fn loot(world: &World) -> Vec<(String, i32)> {
    let handle = instance(world);
    world.get::<Chest>(handle).unwrap().loot.iter().map(|(key, &count)| (key.clone(), count)).collect()
}

fn pairs(list: &[(&str, i32)]) -> Vec<(String, i32)> {
    list.iter().map(|&(key, count)| (key.to_owned(), count)).collect()
}

#[test]
fn items_are_inherited_overridden_added_and_removed_one_by_one() {
    let text = format!("{HEAD}! Loot[gem]\nLoot[key]: 1\nStacks[Wood].Count: 9\nPrices[7]: 1.5\n");
    let project = project(&[("I.jasset", &text)]);
    let mut world = project.load_clean();
    let i = instance(&world);
    assert_eq!(loot(&world), pairs(&[("gold", 3), ("key", 1)]));
    let wood = Stack { name: "Wood".into(), count: 9, weight: 2.5 };
    let iron = Stack { name: "Iron Bar".into(), count: 7, weight: 0.0 };
    assert_eq!(world.get::<Chest>(i).unwrap().stacks, [wood, iron]);
    assert_eq!(world.get_property::<f32>(i, "Prices[7]"), Some(&1.5));
    assert_eq!(world.overrides(i), ["Loot[gem]", "Loot[key]", "Stacks[Wood].Count", "Prices[7]"]);
    assert!(world.dirty().is_empty());
    assert!(save_all(&mut world).written.is_empty());

    // A change of the template reaches what is not overridden.
    let base = world.find_template("Assets/Templates/Base.jasset").unwrap();
    world.set(base, "Loot[gold]", 8).unwrap();
    world.set(base, "Loot[gem]", 8).unwrap();
    world.set(base, "Loot[rope]", 2).unwrap();
    world.set(base, "Stacks[Wood].Count", 1_u32).unwrap();
    world.set(base, "Stacks[Wood].Weight", 4.0_f32).unwrap();
    assert_eq!(loot(&world), pairs(&[("gold", 8), ("rope", 2), ("key", 1)]));
    assert_eq!(world.get_property::<u32>(i, "Stacks[Wood].Count"), Some(&9));
    assert_eq!(world.get_property::<f32>(i, "Stacks[Wood].Weight"), Some(&4.0));
    assert!(world.dirty().is_empty(), "what merely inherits is clean");
    let saved = save(&mut world);
    assert_eq!(saved.written, ["Assets/Templates/Base.jasset"]);
    assert_eq!(project.text("I.jasset"), text);
    assert_eq!(loot(&project.load_clean()), pairs(&[("gold", 8), ("rope", 2), ("key", 1)]));
}

#[test]
fn lines_of_items_change_one_by_one() {
    let text = format!("{HEAD}# mine\n! Loot[gem]\nLoot[key]: 01\n\nStacks[Wood].Count: 9\n");
    let project = project(&[("I.jasset", &text)]);
    let mut world = project.load_clean();
    let i = instance(&world);
    world.set(i, "Loot[gold]", 5).unwrap();
    world.set(i, "Stacks[Wood].Weight", 1.0_f32).unwrap();
    world.set(i, "Stacks[Coal].Count", 4_u32).unwrap();
    save(&mut world);
    let new = project.text("I.jasset");
    assert_eq!(
        changed_lines(&text, &new),
        ["+Loot[gold]: 5\n", "+Stacks[Wood].Weight: 1.0\n", "+Stacks[Coal].Count: 4\n", "+Stacks[Coal].Weight: 0.0\n"]
    );
    let mut again = project.load_clean();
    assert_eq!(loot(&again), loot(&world));
    assert_eq!(again.get::<Chest>(instance(&again)).unwrap().stacks, world.get::<Chest>(i).unwrap().stacks);
    assert!(save_all(&mut again).written.is_empty());

    assert_eq!(world.revert(i, "Loot[gem]"), Ok(true));
    assert_eq!(world.revert(i, "Loot[key]"), Ok(true));
    assert_eq!(world.revert(i, "Stacks[Coal]"), Ok(true));
    assert_eq!(world.revert(i, "Stacks[Wood].Weight"), Ok(true));
    assert_eq!(world.revert(i, "Stacks[Wood].Weight"), Ok(false));
    assert_eq!(loot(&world), pairs(&[("gold", 5), ("gem", 1)]));
    save(&mut world);
    assert_eq!(project.text("I.jasset"), format!("{HEAD}# mine\nLoot[gold]: 5\n\nStacks[Wood].Count: 9\n"));
    assert_eq!(world.revert_all(i), Ok(true));
    save(&mut world);
    assert_eq!(project.text("I.jasset"), format!("{HEAD}# mine\n\n"));
}

#[test]
fn a_new_item_stands_behind_the_last_line_of_its_list_also_where_keys_are_shuffled() {
    let text = format!("{HEAD}Stacks[Wood].Count: 9\nLocked: false\nLoot: {{ a: 1 }}\n");
    let project = project(&[("I.jasset", &text)]);
    let mut world = project.load_clean();
    let i = instance(&world);
    world.get_mut::<Chest>(i).unwrap().stacks[1].count = 8;
    save(&mut world);
    let expected = text.replace("Count: 9\n", "Count: 9\nStacks[\"Iron Bar\"].Count: 8\n");
    assert_eq!(project.text("I.jasset"), expected);
}

#[test]
fn typed_writes_mark_items() {
    let project = project(&[("I.jasset", HEAD)]);
    let mut world = project.load_clean();
    let i = instance(&world);
    let mut chest = world.get_mut::<Chest>(i).unwrap();
    chest.loot.insert("gold".into(), 4);
    chest.loot.shift_remove("gem");
    chest.loot.insert("rope".into(), 1);
    chest.stacks[1].count = 8;
    assert_eq!(world.overrides(i), ["Loot[gem]", "Loot[gold]", "Loot[rope]", "Stacks[\"Iron Bar\"].Count"]);
    save(&mut world);
    let lines = "! Loot[gem]\nLoot[gold]: 4\nLoot[rope]: 1\nStacks[\"Iron Bar\"].Count: 8\n";
    assert_eq!(project.text("I.jasset"), format!("{HEAD}{lines}"));
    // An inherited order that changed cannot be said item by item.
    world.get_mut::<Chest>(i).unwrap().stacks.reverse();
    assert_eq!(world.overrides(i), ["Loot[gem]", "Loot[gold]", "Loot[rope]", "Stacks"]);
    save(&mut world);
    let again = project.load_clean();
    assert_eq!(again.get::<Chest>(instance(&again)).unwrap().stacks, world.get::<Chest>(i).unwrap().stacks);
    assert_eq!(again.overrides(instance(&again)), world.overrides(i));
}

/// Saves, and checks that a new load gives the items of memory, in their order, and the same overrides.
#[track_caller]
fn save_and_compare(project: &TestProject, world: &mut World) {
    save(world);
    let mut again = project.load_clean();
    let (old, new) = (instance(world), instance(&again));
    assert_eq!(loot(&again), loot(world));
    assert_eq!(again.get::<Chest>(new).unwrap().stacks, world.get::<Chest>(old).unwrap().stacks);
    assert_eq!(again.overrides(new), world.overrides(old));
    assert!(save_all(&mut again).written.is_empty());
}

#[test]
fn an_inherited_item_that_comes_back_takes_its_inherited_place() {
    let text = format!("{HEAD}! Loot[gold]\nLoot[key]: 1\n! Stacks[Wood]\n");
    let project = project(&[("I.jasset", &text)]);
    let mut world = project.load_clean();
    let i = instance(&world);
    assert_eq!(loot(&world), pairs(&[("gem", 1), ("key", 1)]));
    assert!(world.set(i, "Loot[gold]", 9).unwrap());
    assert_eq!(loot(&world), pairs(&[("gold", 9), ("gem", 1), ("key", 1)]));
    assert!(world.set_text(i, "Stacks[Wood].Count", "4").unwrap());
    let wood = Stack { name: "Wood".into(), count: 4, weight: 0.0 };
    assert_eq!(world.get::<Chest>(i).unwrap().stacks[0], wood);
    assert_eq!(world.overrides(i), ["Loot[key]", "Loot[gold]", "Stacks[Wood].Count", "Stacks[Wood].Weight"]);
    save_and_compare(&project, &mut world);
    // What its template says of it in the meantime is overridden.
    assert!(world.remove_item(i, "Loot[gold]").unwrap());
    let base = world.find_template("Assets/Templates/Base.jasset").unwrap();
    world.set(base, "Loot[gold]", 5).unwrap();
    world.set(base, "Loot[rope]", 2).unwrap();
    assert!(world.set_text(i, "Loot[gold]", "5").unwrap());
    assert_eq!(loot(&world), pairs(&[("gold", 5), ("gem", 1), ("rope", 2), ("key", 1)]));
    assert_eq!(world.overrides(i)[..2], ["Loot[key]", "Loot[gold]"]);
    save_and_compare(&project, &mut world);
    // One that its template does not have any more stands behind all others.
    assert!(world.remove_item(i, "Loot[gem]").unwrap() && world.remove_item(base, "Loot[gem]").unwrap());
    assert!(world.set(i, "Loot[gem]", 7).unwrap());
    assert_eq!(loot(&world), pairs(&[("gold", 5), ("rope", 2), ("key", 1), ("gem", 7)]));
    save_and_compare(&project, &mut world);
}

#[test]
fn an_item_of_a_template_comes_back_in_its_place_for_all_below() {
    let text = "; template: Assets/Templates/Low.jasset\n; id: 0x0100000000000001\nPosition: 1, 2, 3\nLoot[key]: 1\n";
    let project = project(&[("I.jasset", text)]);
    project.put(
        "../../../Templates/Low.jasset",
        "; template: Assets/Templates/Base.jasset\n! Loot[gold]\nLoot[lamp]: 4\n",
    );
    let mut world = project.load_clean();
    let low = world.find_template("Assets/Templates/Low.jasset").unwrap();
    assert_eq!(loot(&world), pairs(&[("gem", 1), ("lamp", 4), ("key", 1)]));
    assert!(world.set(low, "Loot[gold]", 9).unwrap());
    assert_eq!(loot(&world), pairs(&[("gold", 9), ("gem", 1), ("lamp", 4), ("key", 1)]));
    assert_eq!(world.overrides(low), ["Loot[lamp]", "Loot[gold]"]);
    save_and_compare(&project, &mut world);
}

#[test]
fn an_item_that_is_written_back_at_another_place_overrides_the_order() {
    let project = project(&[("I.jasset", &format!("{HEAD}! Loot[gold]\n"))]);
    let mut world = project.load_clean();
    let i = instance(&world);
    world.get_mut::<Chest>(i).unwrap().loot.insert("gold".into(), 3);
    assert_eq!(world.overrides(i), ["Loot"]);
    assert_eq!(loot(&world), pairs(&[("gem", 1), ("gold", 3)]));
    save_and_compare(&project, &mut world);
}

#[test]
fn items_of_an_entity_that_stands_alone_are_lines_too() {
    let project = project(&[]);
    let mut world = project.load_clean();
    let mut chest = Chest::default_value();
    let Chest { loot, stacks, .. } = &mut chest;
    loot.insert("b: c".into(), 2);
    loot.insert("a".into(), 1);
    stacks.push(Stack { name: "x".into(), count: 1, weight: 0.5 });
    let handle = world.spawn::<Chest>(chest, Vec3::ZERO).unwrap();
    save(&mut world);
    let file = world.file_of(handle).unwrap();
    let name = file.rsplit_once('/').unwrap().1.to_owned();
    let text = project.text(&name);
    assert!(
        text.ends_with("Loot[\"b: c\"]: 2\nLoot[a]: 1\nStacks[x].Count: 1\nStacks[x].Weight: 0.5\nLocked: false\n"),
        "{text}"
    );
    world.set(handle, "Loot[a]", 7).unwrap();
    world.remove_item(handle, "Loot[\"b: c\"]").unwrap();
    world.set(handle, "Loot[z]", 9).unwrap();
    save(&mut world);
    let new = project.text(&name);
    assert_eq!(changed_lines(&text, &new), ["-Loot[\"b: c\"]: 2\n", "-Loot[a]: 1\n", "+Loot[a]: 7\n", "+Loot[z]: 9\n"]);
    let mut again = project.load_clean();
    let same = entity_in(&again, &name);
    assert_eq!(again.get_text(same, "Loot"), world.get_text(handle, "Loot"));
    assert!(save_all(&mut again).written.is_empty());
    // Another order of own items rewrites their lines.
    world.get_mut::<Chest>(handle).unwrap().loot.sort_by(|a, _, b, _| b.cmp(a));
    save(&mut world);
    assert!(project.text(&name).contains("Loot[z]: 9\nLoot[a]: 7\n"));
    let again = project.load_clean();
    assert_eq!(again.get_text(entity_in(&again, &name), "Loot"), world.get_text(handle, "Loot"));
}

#[test]
fn inspector_and_reasons_know_items() {
    let text = format!("{HEAD}Loot[gold]: 5\n! Loot[gem]\n");
    let project = project(&[("I.jasset", &text)]);
    let mut world = project.load_clean();
    let i = instance(&world);
    let base = world.find_template("Assets/Templates/Base.jasset").unwrap();
    let diff = world.diff(i);
    let told: Vec<_> = diff.iter().map(|it| (&*it.key, &*it.value, &*it.inherited, it.source)).collect();
    assert_eq!(told, [("Loot[gold]", "5", "3", Level::Template(base)), ("Loot[gem]", "", "1", Level::Template(base))]);
    let why = world.why(i, "Loot[gold]").unwrap();
    let reasons: Vec<_> = why.reasons.iter().map(|it| (it.line, it.value.as_deref())).collect();
    assert_eq!((why.source(), reasons), (Level::Own, vec![(None, None), (Some(2), Some("3")), (Some(4), Some("5"))]));
    // Applying gives the items to the template.
    assert_eq!(world.apply_override(i, "Loot", base), Ok(true));
    assert!(world.diff(i).is_empty());
    assert_eq!(world.get_text(base, "Loot").unwrap(), "{ gold: 5 }");
    assert_eq!(loot(&world), pairs(&[("gold", 5)]));
    save(&mut world);
    assert_eq!(project.text("I.jasset"), HEAD);
    assert_eq!(loot(&project.load_clean()), pairs(&[("gold", 5)]));
}

#[test]
fn faults_of_items_name_their_line() {
    for (lines, code, line) in [
        ("Loot[gold]: 1\nLoot[gold]: 2\n", "JA0203", 5),
        ("Loot[gold]: 1\n! Loot[gold]\n", "JA0203", 5),
        ("Loot: { gold: 1 }\nLoot[gem]: 2\n", "JA0203", 5),
        ("Loot[gem]: 2\nLoot: { gold: 1 }\n", "JA0203", 5),
        ("Stacks[Wood]: { Count: 1 }\nStacks[Wood].Count: 2\n", "JA0203", 5),
        ("Loot[gold]: many\n", "JA0304", 4),
        ("Prices[x]: 1\n", "JA0304", 4),
        ("Locked[x]: 1\n", "JA0201", 4),
        ("Stacks[Wood].Name: x\n", "JA0201", 4),
        ("Stacks[Wood]: { Name: Iron }\n", "JA0301", 4),
        ("! Locked\n", "JA0201", 4),
    ] {
        let text = format!("{HEAD}{lines}");
        let (_, report) = project(&[("I.jasset", &text)]).load();
        let found: Vec<_> = report.diagnostics.iter().map(|it| (it.code.as_str(), it.line)).collect();
        assert_eq!(found, [(code, line)], "{lines}: {:?}", report.diagnostics);
    }
}

#[test]
fn lines_that_name_no_item_say_what_would() {
    let told = |line: &str| {
        let project = project(&[("A.jasset", &format!("{HEAD}{line}\n"))]);
        let (_, report) = project.load();
        report.diagnostics.iter().map(|it| it.message.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(told("! Locked"), ["`! Locked` names no item of a map or keyed list"]);
    assert_eq!(told("! Stacks[Wood].Count"), ["`! Stacks[Wood].Count` names no item of a map or keyed list"]);
    assert_eq!(told("Locked[gold]: 3"), ["`Locked` is no map or keyed list: it has no items"]);
}

#[test]
fn what_is_no_item_cannot_be_taken_out() {
    let project = project(&[("A.jasset", HEAD)]);
    let mut world = project.load_clean();
    let handle = instance(&world);
    for key in ["Locked", "Stacks", "Stacks[Wood].Count"] {
        let error = world.remove_item(handle, key).unwrap_err();
        assert!(matches!(&error, SetError::NoItem { .. }), "{error}");
        assert!(error.to_string().starts_with(&format!("`{key}` is no item of a map")), "{error}");
    }
    assert!(world.overrides(handle).is_empty());
}

#[test]
fn the_impact_of_an_item_is_that_of_its_parts() {
    let second = HEAD.replace("0001", "0002");
    let third = HEAD.replace("0001", "0003");
    let project = project(&[
        ("A.jasset", &format!("{HEAD}Stacks[Wood].Count: 9\n")),
        ("B.jasset", &format!("{second}! Stacks[Wood]\nLoot[gold]: 4\n")),
        ("C.jasset", &format!("{third}Loot: {{ gem: 2 }}\n")),
    ]);
    let world = project.load_clean();
    let base = world.find_template("Assets/Templates/Base.jasset").unwrap();
    let [a, b, c] = ["A.jasset", "B.jasset", "C.jasset"].map(|name| entity_in(&world, name));
    let reached = |key: &str| {
        let impact = world.impact(base, Some(key)).unwrap();
        assert_eq!(impact.reached.len() + impact.shielded.len(), 3);
        impact.reached
    };
    assert_eq!(reached("Stacks[Wood].Count"), [c]);
    assert_eq!(reached("Stacks[Wood].Weight"), [a, c]);
    // One of its parts would arrive.
    assert_eq!(reached("Stacks[Wood]"), [a, c]);
    assert_eq!(reached("Stacks[\"Iron Bar\"]"), [a, b, c]);
    assert_eq!(reached("Loot[gold]"), [a]);
    assert_eq!(reached("loot[gem]"), [a, b]);
    assert!(world.impact(base, Some("Locked[gold]")).is_err());
}

#[test]
fn why_of_a_whole_item_suggests_a_value_that_can_be_asked_for() {
    let project = project(&[("A.jasset", HEAD)]);
    let world = project.load_clean();
    let handle = instance(&world);
    let Err(SetError::Struct { first, .. }) = world.why(handle, "Stacks[Wood]") else {
        panic!("an item of two values")
    };
    assert_eq!(&*first, "Stacks[Wood].Count");
    assert_eq!(world.why(handle, &first).unwrap().value, "5");
}

#[test]
fn what_is_wrong_with_the_key_of_an_item_is_said_of_the_item() {
    let project = project(&[("I.jasset", HEAD)]);
    let mut world = project.load_clean();
    let i = instance(&world);
    let error = world.set(i, "Stacks[Wood].Cuont", 1_u32).unwrap_err();
    assert_eq!(error.to_string(), "`Stack` has no property `Cuont`; did you mean `Count`?");
    assert!(matches!(world.set(i, "Locked[x]", 1), Err(SetError::NoItem { .. })));
    assert!(matches!(world.why(i, "Loot[nobody]"), Err(SetError::UnknownProperty { .. })));
    assert_eq!(world.reset(i, "Stacks[Wood].Count"), Ok(true));
    assert_eq!(world.get_property::<u32>(i, "Stacks[Wood].Count"), Some(&0));
    assert_eq!(world.overrides(i), ["Stacks[Wood].Count"]);
    assert!(matches!(world.reset(i, "Stacks[Wood]"), Err(SetError::NoItem { .. })));
}
