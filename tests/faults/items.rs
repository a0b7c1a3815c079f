//! Maps and keyed lists of many items, and items that are misused: what is done costs what it touches, and a key stays a key.

use std::collections::BTreeMap;

use growth::{check_linear, cpu_time};
use juliet::{IndexMap, Level, SetError};

use super::*;

#[derive(Property, Clone, Debug, PartialEq)]
struct Stack {
    #[jasset(key)]
    name: u32,
    count: i32,
    weight: f32,
}

/// A map that holds itself.
#[derive(Property, Clone, Debug, PartialEq)]
struct Node {
    size: i32,
    below: BTreeMap<String, Node>,
}

/// Things by key, in each way there is.
#[derive(Entity)]
struct Store {
    stacks: Vec<Stack>,
    sorted: BTreeMap<u32, i32>,
    placed: IndexMap<u32, i32>,
    nodes: BTreeMap<String, Node>,
    signs: IndexMap<char, i32>,
}

fn project(content: &Content) -> Project {
    Project::open_on(Arc::new(quick()), content.dir.path(), registry![Store].unwrap()).unwrap()
}

/// A template with `count` items in each list, and an instance whose file is `lines` besides its head.
fn with_instance(count: usize, lines: &str) -> (Content, World, EntityHandle) {
    let content = Content::of(&[]);
    let mut base = String::from("; entity_type: Store\n");
    for i in 0..count {
        base += &format!("Stacks[{i}].Count: {i}\n");
    }
    for list in ["Sorted", "Placed"] {
        (0..count).for_each(|i| base += &format!("{list}[{i}]: {i}\n"));
    }
    content.put("../../../Templates/Base.jasset", base);
    content.put("I.jasset", format!("; template: Assets/Templates/Base.jasset\n; id: 7\nPosition: 0, 0, 0\n{lines}"));
    let (world, report) = project(&content).load_world("W").unwrap();
    assert_eq!(report.diagnostics, []);
    let handle = by_id(&world, 7);
    (content, world, handle)
}

fn lines(from: usize, to: usize, line: impl Fn(usize) -> String) -> String {
    (from..to).map(line).collect()
}

#[test]
fn setting_one_of_many_items_looks_at_each_once() {
    for list in ["Stacks[77].Count", "Sorted[77]", "Placed[77]"] {
        check_linear(list, 500, |count| {
            let (_content, mut world, handle) = with_instance(count, "");
            cpu_time(|| (1000..1003).for_each(|value| assert_eq!(world.set(handle, list, value), Ok(true))))
        });
    }
}

#[test]
fn taking_many_items_out_and_back_is_linear() {
    check_linear("out and back", 500, |count| {
        let own = lines(count, 2 * count, |i| format!("Placed[{i}]: {i}\n"));
        let (_content, mut world, handle) = with_instance(count, &own);
        cpu_time(|| {
            let items = std::mem::take(&mut world.get_mut::<Store>(handle).unwrap().placed);
            assert_eq!(world.overrides(handle).len(), count, "inherited ones are removed");
            world.get_mut::<Store>(handle).unwrap().placed = items;
            assert_eq!(world.overrides(handle).len(), 2 * count, "all are said anew");
        })
    });
}

#[test]
fn rows_of_many_items_are_linear() {
    check_linear("rows", 500, |count| {
        let (_content, world, handle) = with_instance(count, "");
        cpu_time(|| assert_eq!(world.rows(handle).len(), 4 * count + 5))
    });
}

#[test]
fn saving_a_file_of_many_items_is_linear() {
    check_linear("saving", 500, |count| {
        let said =
            lines(0, count, |i| format!("Stacks[{i}].Count: 9\n")) + &lines(0, count, |i| format!("Sorted[{i}]: -9\n"));
        let (_content, mut world, handle) = with_instance(count, &said);
        cpu_time(|| {
            for value in [1000, 1001] {
                world.set(handle, "Sorted[77]", value).unwrap();
                assert_eq!(save(&mut world).written.len(), 1);
            }
        })
    });
}

#[test]
fn loading_many_removals_is_linear() {
    for (list, rest) in [("Stacks", ".Count"), ("Sorted", ""), ("Placed", "")] {
        // Removals and items by turns.
        let line = |i| if i % 2 == 0 { format!("! {list}[{i}]\n") } else { format!("{list}[{i}]{rest}: -1\n") };
        check_linear(list, 500, |count| {
            let (content, _, _) = with_instance(count, &lines(0, count, line));
            let project = project(&content);
            cpu_time(|| {
                let (world, report) = project.load_world("W").unwrap();
                assert_eq!((report.diagnostics, world.len()), (vec![], 1));
                world
            })
        });
    }
}

#[test]
fn items_are_removed_wherever_the_lines_stand() {
    let said =
        "! Stacks[1]\nStacks[2].Count: 5\n! Stacks[3]\nStacks[9].Count: 1\n! Sorted[0]\nSorted[5]: 5\n! Placed[2]\n";
    let (_content, world, handle) = with_instance(4, said);
    let store = world.get::<Store>(handle).unwrap();
    let stacks: Vec<_> = store.stacks.iter().map(|it| (it.name, it.count)).collect();
    assert_eq!(stacks, [(0, 0), (2, 5), (9, 1)]);
    assert!(store.sorted.keys().eq(&[1, 2, 3, 5]) && store.placed.keys().eq(&[0, 1, 3]));
}

#[test]
fn an_item_keeps_the_key_in_the_brackets() {
    let (_content, mut world, handle) = with_instance(3, "");
    let other = Stack { name: 2, count: 1, weight: 0.0 };
    let refused = world.set(handle, "Stacks[1]", other.clone());
    assert!(matches!(refused, Err(SetError::Text { .. })), "{refused:?}");
    let refused = world.set_text(handle, "Stacks[1]", "{ Name: 8, Count: 1 }");
    assert!(matches!(refused, Err(SetError::Text { .. })), "{refused:?}");
    assert!(!world.is_dirty(handle));
    assert_eq!(world.set(handle, "Stacks[2]", other), Ok(true));
    assert_eq!(world.set_text(handle, "Stacks[1]", "{ Name: 1, Count: 9 }"), Ok(true));
    assert_eq!(world.set_text(handle, "Stacks[0]", "{ Count: 9 }"), Ok(true));
    save(&mut world);
}

#[test]
fn the_one_who_removes_an_item_decides() {
    let (_content, mut world, handle) = with_instance(3, "");
    let base = world.template_of(handle).unwrap();
    assert_eq!(world.why(handle, "Sorted[1]").unwrap().source(), Level::Template(base));
    world.remove_item(handle, "Sorted[1]").unwrap();
    let why = world.why(handle, "Sorted[1]").unwrap();
    assert_eq!((why.source(), &*why.value), (Level::Own, ""));
    world.unlink(handle).unwrap();
    assert_eq!(world.why(handle, "Sorted[1]").unwrap().source(), Level::Own);
}

#[test]
fn rows_name_types_with_their_items() {
    let (_content, world, handle) = with_instance(0, "");
    let names: Vec<_> = world.rows(handle).into_iter().map(|row| row.type_name).collect();
    let expected =
        ["Vec<Stack>", "BTreeMap<u32, i32>", "IndexMap<u32, i32>", "BTreeMap<String, Node>", "IndexMap<char, i32>"];
    assert!(names.iter().map(|it| &**it).eq(expected), "{names:?}");
}

#[test]
fn a_type_that_holds_itself_is_saved_and_inherited() {
    let (content, mut world, handle) = with_instance(1, "");
    let leaf = Node { size: 3, below: BTreeMap::new() };
    let node = Node { size: 2, below: BTreeMap::from([("deep".to_owned(), leaf)]) };
    world.set(handle, "Nodes[a]", node.clone()).unwrap();
    let base = world.template_of(handle).unwrap();
    world.apply_all(handle, base).unwrap();
    save(&mut world);
    let (world, report) = project(&content).load_world("W").unwrap();
    assert_eq!(report.diagnostics, []);
    assert_eq!(world.get::<Store>(by_id(&world, 7)).unwrap().nodes["a"], node);
}

#[test]
fn any_character_is_a_key() {
    let (content, mut world, handle) = with_instance(1, "");
    let signs = "]\"[.:,;#!{}() \\='-+0aé\n\t\u{200b}\u{feff}/".chars();
    signs.clone().for_each(|sign| {
        world.get_mut::<Store>(handle).unwrap().signs.insert(sign, 1);
    });
    save(&mut world);
    let (world, report) = project(&content).load_world("W").unwrap();
    assert_eq!(report.diagnostics, []);
    assert!(world.get::<Store>(by_id(&world, 7)).unwrap().signs.keys().copied().eq(signs));
}

#[test]
fn handles_of_another_world_or_of_what_is_gone_name_nothing() {
    let (_content, mut world, gone) = with_instance(3, "Sorted[1]: 5\n");
    let (_other_content, mut other, stranger) = with_instance(3, "");
    let foreign = other.template_of(stranger).unwrap();
    let template = world.template_of(gone).unwrap();
    world.remove(gone).unwrap();
    // Takes its slot.
    let heir = world.spawn_from(template, Vec3::ZERO).unwrap();
    assert_eq!(heir.index(), gone.index());
    world.set(heir, "Sorted[2]", 7).unwrap();
    for subject in [gone.into(), stranger.into(), juliet::Subject::from(foreign)] {
        assert_eq!((world.overrides(subject), world.rows(subject).len()), (vec![], 0));
        assert!(!world.is_overridden(subject, "Sorted[2]") && !world.is_dirty(subject));
        assert!(world.revert(subject, "Sorted").is_err() && world.revert_all(subject).is_err());
        assert!(world.apply_all(subject, template).is_err() && world.set_template(subject, template).is_err());
        assert!(world.unlink(subject).is_err() && world.remove_item(subject, "Sorted[2]").is_err());
        assert!(world.set(subject, "Sorted[2]", 1).is_err() && world.reset(subject, "Sorted").is_err());
        assert_eq!((world.file_of(subject), world.template_of(subject)), (None, None));
        assert!(world.why(subject, "Sorted").is_err());
    }
    assert!(world.spawn_from(foreign, Vec3::ZERO).is_err() && world.set_template(heir, foreign).is_err());
    assert!(world.apply_all(heir, foreign).is_err() && world.remove_template(foreign).is_ok());
    assert!(world.instances_of(foreign).is_empty() && world.template_path(foreign).is_none());
    assert_eq!(world.impact(foreign, None).unwrap(), juliet::Impact::default());
    assert_eq!(world.overrides(heir), ["Sorted[2]"]);
    assert_eq!(world.instances_of(template), [heir]);
    assert!(world.entities().validate().is_ok() && other.spawn_from(foreign, Vec3::ZERO).is_ok());
}
