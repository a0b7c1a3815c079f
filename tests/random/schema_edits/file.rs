//! A file as lines, and what it says to a program: a reader of its own.

use std::collections::BTreeMap;

use juliet::Code;

use super::plan;
use super::plan::converted;
use super::program::{Program, Ty, pairs};

/// A line, or a name and its value on two.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) raw: String,
    pub(super) what: What,
    /// The number of its first line, and of that of its value.
    line: u32,
    value_line: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    /// Comments, blanks, and what stands in sections.
    Other,
    Directive(String, String),
    Section,
    Key(String, String),
    Removal(String),
}

/// A key in the colon spelling.
fn colon_key(key: &str) -> String {
    let (head, item) = key.split_at(key.find('[').unwrap_or(key.len()));
    let capital = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|it| it.to_uppercase().collect::<String>() + letters.as_str()).unwrap_or_default()
    };
    let parts = head.split('.').map(|part| part.split('_').map(capital).collect::<String>());
    parts.collect::<Vec<_>>().join(".") + item
}

pub(super) fn parse(text: &str) -> Vec<Node> {
    let mut lines = text.split_inclusive('\n');
    let is_colon = text.lines().find(|line| line.starts_with(';')).is_some_and(|line| line.contains(':'));
    let (mut nodes, mut in_section, mut number) = (Vec::new(), false, 1);
    while let Some(first) = lines.next() {
        let (mut raw, line, mut value_line) = (first.to_owned(), number, number);
        number += 1;
        let what = if first.starts_with('#') || first.trim().is_empty() {
            What::Other
        } else if let Some(key) = first.strip_prefix("! ") {
            What::Removal(colon_key(key.trim()))
        } else {
            let (name, value) = if is_colon {
                let (name, value) = first.split_once(':').unwrap();
                (name, value.trim())
            } else {
                let value = lines.next().unwrap();
                raw.push_str(value);
                (value_line, number) = (number, number + 1);
                (first, value.trim())
            };
            let (is_marked, name) = (name.starts_with(';'), name.trim_start_matches(';').trim());
            match name {
                "component" => What::Section,
                "class" | "entity_type" | "id" | "template" | "class_version" | "version" => {
                    What::Directive(name.into(), value.into())
                }
                _ if is_marked && is_colon => What::Other,
                _ => What::Key(colon_key(name), value.into()),
            }
        };
        let what = if in_section && what != What::Section { What::Other } else { what };
        in_section |= what == What::Section;
        nodes.push(Node { raw, what, line, value_line });
    }
    nodes
}

/// What a file says to a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Said {
    pub(super) version: u32,
    /// The path of the template, below the content folder.
    pub(super) parent: Option<String>,
    pub(super) place: Option<String>,
    /// Two lines say something of one leaf.
    pub(super) is_twice: bool,
    pub(super) leaves: BTreeMap<String, String>,
    /// Items by the key of their map, in the order of the file; `None` if one is taken out.
    pub(super) items: BTreeMap<String, Vec<(String, Option<String>)>>,
    pub(super) unknown: Vec<(String, String)>,
    pub(super) findings: Vec<(u32, Code)>,
    /// Of each node: whether it says what the program would write, and which leaves it says.
    pub(super) fates: Vec<Fate>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Fate {
    /// A migration took it away or changed it.
    pub(super) is_migrated: bool,
    /// It is of a property that is gone.
    pub(super) is_removed: bool,
    /// It has former names.
    pub(super) is_former: bool,
    /// The leaves it is about.
    pub(super) about: Vec<String>,
}

#[derive(Clone, Debug)]
struct Line {
    key: String,
    text: String,
    removal: bool,
    node: Option<usize>,
}

/// What follows `old` in `key`, if that names it or a part of it.
pub(super) fn behind<'k>(key: &'k str, old: &str) -> Option<&'k str> {
    key.strip_prefix(old).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn migrate(lines: &mut Vec<Line>, action: &plan::Action) {
    for old in &action.old {
        let of = |line: &Line| line.key == *old && !line.removal;
        match action.kind {
            "rename" => lines.iter_mut().for_each(|line| {
                if let Some(rest) = behind(&line.key, old) {
                    line.key = format!("{}{rest}", action.new);
                }
            }),
            "drop" => lines.retain(|line| behind(&line.key, old).is_none()),
            kind => {
                let Some(index) = lines.iter().position(of) else { continue };
                let text = lines[index].text.clone();
                match kind {
                    "text" => lines[index].text = converted(action.conversion, &text),
                    "turn" => {
                        lines[index].text = converted(action.conversion, &text);
                        lines[index].key = action.new.clone();
                    }
                    "move" => {
                        lines.remove(index);
                        let (key, text) = (action.new.clone(), converted(action.conversion, &text));
                        lines.push(Line { key, text, removal: false, node: None });
                    }
                    _ => {
                        lines.remove(index);
                        for (key, text) in action.new.split('|').zip(plan::words(&text)) {
                            let (key, text) = (key.to_owned(), text.to_owned());
                            lines.push(Line { key, text, removal: false, node: None });
                        }
                    }
                }
            }
        }
    }
}

/// What the nodes say to `program`.
pub(super) fn said(nodes: &[Node], program: &Program) -> Said {
    let directive = |wanted: &str| {
        nodes.iter().find_map(|node| match &node.what {
            What::Directive(name, value) if name == wanted => Some((node, value)),
            _ => None,
        })
    };
    let version = directive("class_version").map_or(1, |(_, value)| value.parse().unwrap());
    let parent = directive("template").map(|(_, path)| path.strip_prefix("Assets/").unwrap().to_owned());
    let mut said = Said { version, parent, fates: vec![Fate::default(); nodes.len()], ..Said::default() };
    let mut lines: Vec<Line> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let (key, text, removal) = match &node.what {
            What::Key(key, text) => (key.clone(), text.clone(), false),
            What::Removal(key) => (key.clone(), String::new(), true),
            What::Section => {
                said.findings.push((node.value_line, Code::UnknownSection));
                continue;
            }
            What::Directive(name, value) if matches!(&**name, "class" | "entity_type") => {
                said.fates[index].is_former = *value != program.class[0];
                continue;
            }
            _ => continue,
        };
        lines.push(Line { key, text, removal, node: Some(index) });
    }
    for version in version..program.version {
        program.plan.iter().filter(|it| it.version == version).for_each(|action| migrate(&mut lines, action));
    }
    let original = |line: &Line| match line.node.map(|index| &nodes[index].what) {
        Some(What::Key(key, text)) => *key == line.key && *text == line.text,
        Some(What::Removal(key)) => *key == line.key,
        _ => false,
    };
    for (index, node) in nodes.iter().enumerate() {
        if matches!(node.what, What::Key(..) | What::Removal(_)) {
            said.fates[index].is_migrated = !lines.iter().any(|line| line.node == Some(index) && original(line));
        }
    }
    for line in &lines {
        let mut fate = Fate::default();
        if !resolve(line, program, &mut said, &mut fate) {
            said.unknown.push((line.key.clone(), if line.removal { "!".into() } else { line.text.clone() }));
            let place = match line.node.map(|index| &nodes[index]) {
                Some(node) if original(line) => node.line,
                Some(node) => node.value_line,
                None => directive("class_version").map_or(1, |(node, _)| node.value_line),
            };
            said.findings.push((place, Code::UnknownKey));
            // Kept as it is, also where a part of its key has a new name.
            fate.is_former = false;
        }
        if let Some(index) = line.node {
            fate.is_migrated = said.fates[index].is_migrated;
            said.fates[index] = fate;
        }
    }
    said.findings.sort();
    said.unknown.sort();
    said
}

/// Notes what a line says; `false` if the program does not know it.
fn resolve(line: &Line, program: &Program, said: &mut Said, fate: &mut Fate) -> bool {
    if line.key == "Position" {
        said.place = Some(program.canonical(Ty::Vec3, &line.text));
        fate.about.push("Position".into());
        return true;
    }
    let head = line.key.split(['.', '[']).next().unwrap();
    let Some(prop) = program.props.iter().find(|prop| prop.names.iter().any(|name| name == head)) else {
        fate.is_removed = program.removed.iter().any(|name| name == head);
        return fate.is_removed;
    };
    let (rest, key) = (&line.key[head.len()..], &prop.names[0]);
    fate.is_former = head != key;
    let mut field = |name: &str, text: &str, fate: &mut Fate| {
        let found = program.part.iter().find(|field| field.names.iter().any(|it| it == name));
        let Some(field) = found else { return false };
        fate.is_former |= field.names[0] != name || is_former_mood(program, field.ty, text);
        let leaf = format!("{key}.{}", field.names[0]);
        fate.about.push(leaf.clone());
        said.is_twice |= said.leaves.insert(leaf, program.canonical(field.ty, text)).is_some();
        true
    };
    match (prop.ty, rest) {
        (Ty::Part, "") => {
            fate.about.push(key.clone());
            for (name, text) in pairs(&line.text) {
                if !field(&colon_key(name), text, fate) {
                    assert!(program.part_removed.iter().any(|it| *it == colon_key(name)), "{}", line.text);
                    fate.is_former = true;
                }
            }
        }
        (Ty::Part, rest) => {
            let name = rest.strip_prefix('.').unwrap();
            if !field(name, &line.text, fate) {
                fate.is_removed = program.part_removed.iter().any(|it| it == name);
                return fate.is_removed;
            }
        }
        (Ty::Map, rest) if rest.starts_with('[') => {
            fate.about.push(key.clone());
            let text = (!line.removal).then(|| program.canonical(Ty::Int, &line.text));
            said.items.entry(key.clone()).or_default().push((rest[1..rest.len() - 1].to_owned(), text));
        }
        (ty, "") => {
            fate.about.push(key.clone());
            fate.is_former |= is_former_mood(program, ty, &line.text);
            said.is_twice |= said.leaves.insert(key.clone(), program.canonical(ty, &line.text)).is_some();
        }
        _ => return false,
    }
    true
}

fn is_former_mood(program: &Program, ty: Ty, text: &str) -> bool {
    ty == Ty::Mood && program.mood.iter().all(|names| names[0] != text)
}
