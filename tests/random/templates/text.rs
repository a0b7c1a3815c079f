//! Files as the model writes them by many hands, and a tiny reader of files that knows nothing of the project's.

use std::collections::BTreeMap;

use super::super::values::Rng;
use super::model::Level;
use super::values::{Kind, Leaf, SHAPES, Shape, default};

fn number(bits: u32) -> String {
    let float = f32::from_bits(bits);
    if float.is_nan() { "nan".into() } else { float.to_string() }
}

fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|letter| match letter {
        '"' | '\\' => format!("\\{letter}"),
        _ if letter.is_ascii_graphic() || letter == ' ' => letter.to_string(),
        _ => format!("\\u{{{:x}}}", u32::from(letter)),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// A value as a person may write it.
pub(crate) fn written(leaf: &Leaf) -> String {
    match leaf {
        Leaf::Float(bits) => number(*bits),
        Leaf::Byte(byte) => byte.to_string(),
        Leaf::Text(text) => quoted(text),
        Leaf::List(list) => format!("{list:?}"),
        Leaf::Vector(bits) => bits.map(number).join(", "),
    }
}

/// A value as a file has it.
pub(crate) fn parsed(kind: Kind, text: &str) -> Leaf {
    let parts = || text.trim_matches(['[', ']']).split([',', ' ']).filter(|part| !part.is_empty());
    let float = |text: &str| text.parse::<f32>().unwrap().to_bits();
    match kind {
        Kind::Float => Leaf::Float(float(text)),
        Kind::Byte => Leaf::Byte(text.parse().unwrap()),
        Kind::Text => Leaf::Text(unquoted(text)),
        Kind::List => Leaf::List(parts().map(|part| part.parse().unwrap()).collect()),
        Kind::Vector => Leaf::Vector(parts().map(float).collect::<Vec<_>>().try_into().unwrap()),
    }
}

fn unquoted(text: &str) -> String {
    let Some(inner) = text.strip_prefix('"') else { return text.to_owned() };
    let (mut plain, mut letters) = (String::new(), inner.strip_suffix('"').unwrap().chars());
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        plain.push(match letters.next().unwrap() {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            '0' => '\0',
            'u' => {
                let code: String = letters.by_ref().skip(1).take_while(|&it| it != '}').collect();
                char::from_u32(u32::from_str_radix(&code, 16).unwrap()).unwrap()
            }
            other => other,
        });
    }
    plain
}

/// Without blanks at the ends; others belong to the value.
fn trim(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

fn folded(key: &str) -> String {
    key.replace('_', "").to_lowercase()
}

/// A file of `level` by a random hand, with its position if it `has_place`; `id` is 0 for a template.
pub(crate) fn by_hand(rng: &mut Rng, level: &Level, id: u64, has_place: bool) -> String {
    let shape = &SHAPES[level.class];
    let colon = rng.one_in(2);
    let mut directives = vec![match &level.parent {
        Some(path) => ("template", path.clone()),
        None => (rng.pick(&["class", "entity_type"]), shape.name.to_owned()),
    }];
    if id != 0 {
        directives.push(("id", format!("{id:#018x}")));
        if rng.one_in(3) {
            directives.swap(0, 1);
        }
    }
    if level.parent.is_none() && shape.version > 1 || !level.own.is_empty() && rng.one_in(2) {
        directives.push(("class_version", shape.version.to_string()));
    }
    let mut lines: Vec<(String, String)> = Vec::new();
    let mut own = level.own.clone();
    for (key, leaves) in shape.structs {
        // A struct in braces says what it names and no more.
        if own.range(leaves.clone()).next().is_some() && rng.one_in(2) {
            let name = |leaf: usize| shape.leaves[leaf].0.rsplit('.').next().unwrap();
            let item = |leaf: usize, value: &Leaf| match value {
                Leaf::Vector(_) => format!("{}: [{}]", name(leaf), written(value)),
                _ => format!("{}: {}", name(leaf), written(value)),
            };
            let items: Vec<String> = leaves.clone().filter_map(|leaf| Some(item(leaf, &own.remove(&leaf)?))).collect();
            lines.push(((*key).to_owned(), format!("{{ {} }}", items.join(", "))));
        }
    }
    lines.extend(own.iter().map(|(&leaf, value)| (shape.leaves[leaf].0.to_owned(), written(value))));
    if rng.one_in(3) {
        (1..lines.len()).rev().for_each(|index| lines.swap(index, rng.below(index + 1)));
    }
    if has_place {
        lines.insert(0, ("Position".into(), level.place.map(number).join(" ")));
    }
    let mut text = String::new();
    let all = directives.iter().map(|(key, value)| (true, (*key).to_owned(), value));
    for (directive, key, value) in all.chain(lines.iter().map(|(key, value)| (false, key.clone(), value))) {
        if rng.one_in(5) {
            text += rng.pick(&["\n", "# a note\n", "  // another; note: 1\n"]);
        }
        text += &match (colon, directive) {
            (true, true) => format!("; {key}: {value}\n"),
            (true, false) => format!("{key}: {value}\n"),
            (false, _) => format!("; {}\n{value}\n", key.to_lowercase()),
        };
    }
    text
}

/// What a file says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) id: u64,
    pub(crate) level: Level,
    pub(crate) has_place: bool,
}

/// Reads a file; the class of one that names a template is `class_of` that template.
pub(crate) fn read(text: &str, class_of: impl Fn(&str) -> usize) -> Said {
    let mut directives: BTreeMap<&str, &str> = BTreeMap::new();
    let mut keys: BTreeMap<String, &str> = BTreeMap::new();
    let mut colon = None;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = trim(line);
        if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
            continue;
        }
        let (key, value, directive) = match line.strip_prefix(';').map(trim) {
            None => {
                let (key, value) = line.split_once(':').unwrap();
                (key, trim(value), false)
            }
            Some(rest) if *colon.get_or_insert(rest.contains(':')) => {
                let (key, value) = rest.split_once(':').unwrap();
                (key, trim(value), true)
            }
            Some(key) => {
                let directive = ["class", "entity_type", "template", "id", "version", "class_version"].contains(&key);
                (key, trim(lines.next().unwrap()), directive)
            }
        };
        let old = if directive { directives.insert(key, value) } else { keys.insert(folded(key), value) };
        assert_eq!(old, None, "{key} stands twice");
    }
    let parent = directives.remove("template").map(str::to_owned);
    let named = directives.remove("class").or(directives.remove("entity_type"));
    let class = match &parent {
        Some(path) => class_of(path),
        None => SHAPES.iter().position(|shape| shape.name == named.unwrap()).unwrap(),
    };
    assert!(parent.is_none() || named.is_none(), "an instance names no class");
    let shape = &SHAPES[class];
    if let Some(version) = directives.get("class_version") {
        assert_eq!(version.parse(), Ok(shape.version));
    }
    let id = directives.get("id").map_or(0, |id| u64::from_str_radix(id.strip_prefix("0x").unwrap(), 16).unwrap());
    let position = keys.remove("position");
    let Leaf::Vector(place) = parsed(Kind::Vector, position.unwrap_or("0 0 0")) else { panic!("a vector") };
    let own = own(shape, keys);
    Said { id, level: Level { class, parent, own, place }, has_place: position.is_some() }
}

fn own(shape: &Shape, mut keys: BTreeMap<String, &str>) -> BTreeMap<usize, Leaf> {
    let mut own = BTreeMap::new();
    for (leaf, &(key, kind)) in shape.leaves.iter().enumerate() {
        own.extend(keys.remove(&folded(key)).map(|text| (leaf, parsed(kind, text))));
    }
    for (key, leaves) in shape.structs {
        let Some(text) = keys.remove(&folded(key)) else { continue };
        for item in items(text.trim_matches(['{', '}'])) {
            let (name, value) = item.split_once(':').unwrap();
            let full = folded(&format!("{key}.{}", trim(name)));
            let leaf = leaves.clone().find(|&leaf| folded(shape.leaves[leaf].0) == full).unwrap();
            assert!(own.insert(leaf, parsed(shape.leaves[leaf].1, trim(value))).is_none());
        }
    }
    assert!(keys.is_empty(), "unknown keys: {keys:?}");
    own
}

/// What stands between the commas of a struct in braces.
fn items(text: &str) -> Vec<&str> {
    let (mut found, mut start, mut depth, mut in_text, mut escaped) = (Vec::new(), 0, 0, false, false);
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if in_text => escaped = true,
            '"' => in_text = !in_text,
            '[' if !in_text => depth += 1,
            ']' if !in_text => depth -= 1,
            ',' if !in_text && depth == 0 => {
                found.push(trim(&text[start..at]));
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(trim(&text[start..]));
    found.retain(|item| !item.is_empty());
    found
}

/// A file that stands alone says what it leaves out, too: the defaults.
pub(crate) fn complete(level: &mut Level) {
    for leaf in 0..SHAPES[level.class].leaves.len() {
        level.own.entry(leaf).or_insert_with(|| default(level.class, leaf));
    }
}
