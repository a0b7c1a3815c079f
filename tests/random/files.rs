//! Files as people and tools write them, and what an edit may do to them.

use juliet::ErasedRef;
use juliet::core::archive::{find_leaf, for_each_leaf, write_value};
use juliet::core::class::{Kind, value};
use juliet::core::text::Spelling;
use juliet::prelude::*;
use juliet::{ErasedMut, Property};

use super::values::{Every, Rng};

/// A file, taken apart.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) spelling: Spelling,
    bom: bool,
    pub(crate) id: Option<u64>,
    /// What the file says.
    pub(crate) value: Every,
    pub(crate) position: [f32; 3],
    pub(crate) lines: Vec<Line>,
}

/// A node: one line, or a name and a value on two.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) what: What,
    /// Everything before the value.
    before: String,
    value: String,
    /// Blanks behind the value.
    after: String,
    end: &'static str,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum What {
    /// Comments, blanks, unknown keys, sections.
    Other,
    Class,
    Directive,
    Position,
    /// A property, with its key and its leaves.
    Leaves {
        key: String,
        first: u32,
        count: u32,
    },
}

/// The texts of all leaves: keys and values.
pub(crate) fn leaves(value: &Every, spelling: Spelling) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for_each_leaf(ErasedRef::of_entity(value), spelling, &mut |leaf, key, value| {
        assert_eq!(leaf as usize, all.len());
        all.push((key.to_owned(), text_of(value, spelling)));
    });
    all
}

fn text_of(value: ErasedRef<'_>, spelling: Spelling) -> String {
    let mut out = Vec::new();
    write_value(value, spelling, &mut out);
    String::from_utf8(out).unwrap()
}

fn value_text(value: &Every, key: &str, spelling: Spelling) -> String {
    let path = find_leaf(Every::CLASS.ty(), key).unwrap();
    text_of(path.follow(ErasedRef::of_entity(value)).unwrap(), spelling)
}

/// Makes the property `key` of `to` that of `from`.
pub(crate) fn copy_property(to: &mut Every, from: &Every, key: &str) {
    let path = find_leaf(Every::CLASS.ty(), key).unwrap();
    let from = path.follow(ErasedRef::of_entity(from)).unwrap();
    assert!(value::assign(path.follow_mut(ErasedMut::of_entity(to)).unwrap(), from));
}

impl File {
    pub(crate) fn random(rng: &mut Rng, id: u64) -> Self {
        let spelling = rng.pick(&[Spelling::Colon, Spelling::Node]);
        let id = (!rng.one_in(6)).then_some(id);
        let mut file = Self {
            spelling,
            bom: rng.one_in(5),
            id,
            value: Every::default_value(),
            position: [0.0; 3],
            lines: Vec::new(),
        };
        file.directives(rng);
        file.properties(rng);
        file.noise(rng);
        file.section(rng);
        file.ends(rng);
        file
    }

    fn directives(&mut self, rng: &mut Rng) {
        let class = rng.pick(&["class", "entity_type"]);
        let name = rng.pick(&["Every", "Every", "Everything"]);
        let mut lines = vec![self.directive(rng, class, name, What::Class)];
        if let Some(id) = self.id {
            let text = match rng.below(3) {
                0 => format!("{id}"),
                1 => format!("0x{id:x}"),
                _ => format!("{id:#018X}").replace("0X", "0x"),
            };
            lines.push(self.directive(rng, "id", &text, What::Directive));
        }
        for (name, value) in [("version", "1"), ("class_version", "01"), ("asset_type", "entity_instance")] {
            if rng.one_in(2) {
                lines.push(self.directive(rng, name, value, What::Directive));
            }
        }
        shuffle(rng, &mut lines);
        self.lines = lines;
    }

    fn properties(&mut self, rng: &mut Rng) {
        let mut lines = Vec::new();
        if !rng.one_in(4) {
            self.position = rng.value();
            let [x, y, z] = self.position.map(|it| value_text_of(&it));
            let separator = rng.pick(&[", ", " ", ",", "  ", " , ", "\t"]);
            let key = rng.pick(&["Position", "position"]);
            let text = [x, y, z].join(separator);
            lines.push(self.property(rng, key, &text, What::Position));
        }
        let drawn: Every = rng.value();
        let density = rng.below(4) + 1;
        let mut leaf = 0;
        self.fields(rng, &drawn, Every::CLASS.properties(), ("", ""), &mut leaf, density, &mut lines);
        if rng.one_in(2) {
            shuffle(rng, &mut lines);
        }
        if rng.one_in(8) {
            // Directives may stand anywhere.
            self.lines.append(&mut lines);
            shuffle(rng, &mut self.lines);
        } else {
            self.lines.append(&mut lines);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a walk down a table")]
    fn fields(
        &mut self,
        rng: &mut Rng,
        drawn: &Every,
        fields: &'static [Property],
        (prefix, written): (&str, &str),
        leaf: &mut u32,
        density: usize,
        lines: &mut Vec<Line>,
    ) {
        for field in fields {
            let (first, count) = (*leaf, field.ty().leaves());
            let part = spelled(rng, field);
            let (key, spelled) = (format!("{prefix}{}", field.key()), format!("{written}{part}"));
            let mut ty = field.ty();
            while let Kind::Newtype { field } = ty.kind() {
                ty = field.ty();
            }
            if let Kind::Struct { fields } = ty.kind()
                && !rng.one_in(3)
            {
                let prefixes = (&*format!("{key}."), &*format!("{spelled}."));
                self.fields(rng, drawn, fields, prefixes, leaf, density, lines);
                continue;
            }
            *leaf += count;
            // A map or keyed list without a line gets one for each of its items, which `items` predicts.
            if rng.below(4) >= density && !ty.is_keyed() {
                continue;
            }
            copy_property(&mut self.value, drawn, &key);
            let canonical = value_text(drawn, &key, self.spelling);
            let text = restyled(rng, ty.kind(), &canonical);
            lines.push(self.property(rng, &spelled, &text, What::Leaves { key, first, count }));
        }
    }

    /// Comments, blank lines, unknown keys.
    fn noise(&mut self, rng: &mut Rng) {
        for number in 0..rng.below(6) {
            let at = rng.below(self.lines.len() + 1);
            let line = match rng.below(4) {
                0 => plain(rng.pick(&["", "  ", "\t"])),
                1 => plain(rng.pick(&["# Text: 1", "// ; id: 7", "  # [", "\t//", "#"])),
                _ => {
                    let key = format!("Unknown{number}");
                    let text = rng.pick(&["1", "\"a", "[1, 2", "none", "x: y"]);
                    self.property(rng, &key, text, What::Other)
                }
            };
            self.lines.insert(at, line);
        }
    }

    /// Components this program does not know, with keys that it does.
    fn section(&mut self, rng: &mut Rng) {
        for name in ["Velocity", "Sound"].into_iter().take(rng.below(4).saturating_sub(1)) {
            let line = self.directive(rng, "component", name, What::Other);
            self.lines.push(line);
            for key in ["Health", "Position", "Text", "Text"] {
                if rng.one_in(2) {
                    let line = self.property(rng, key, "1, 2, 3", What::Other);
                    self.lines.push(line);
                }
            }
        }
    }

    fn ends(&mut self, rng: &mut Rng) {
        let one = rng.pick(&["\n", "\n", "\r\n"]);
        let mixed = rng.one_in(6);
        for line in &mut self.lines {
            line.end = if mixed { rng.pick(&["\n", "\r\n"]) } else { one };
            line.before = line.before.replace('\n', line.end);
        }
        if rng.one_in(4)
            && let Some(last) = self.lines.last_mut()
            && !(last.before.is_empty() && last.value.is_empty() && last.after.is_empty())
        {
            last.end = "";
        }
    }

    fn directive(&self, rng: &mut Rng, name: &str, value: &str, what: What) -> Line {
        let blank = |rng: &mut Rng| rng.pick(&["", "", " ", "\t"]);
        let before = match self.spelling {
            Spelling::Colon => {
                format!("{};{}{name}:{}", blank(rng), rng.pick(&["", " ", "  "]), rng.pick(&["", " ", " \t"]))
            }
            Spelling::Node => {
                format!("{};{}{name}{}\n{}", blank(rng), rng.pick(&["", " ", "  "]), blank(rng), blank(rng))
            }
        };
        Line { what, before, value: value.to_owned(), after: blank(rng).to_owned(), end: "\n" }
    }

    fn property(&self, rng: &mut Rng, key: &str, value: &str, what: What) -> Line {
        match self.spelling {
            Spelling::Node => self.directive(rng, key, value, what),
            Spelling::Colon => {
                let before = format!("{}{key}:{}", rng.pick(&["", "", "  ", "\t"]), rng.pick(&["", " ", " ", "\t "]));
                Line {
                    what,
                    before,
                    value: value.to_owned(),
                    after: rng.pick(&["", "", " ", "\t"]).to_owned(),
                    end: "\n",
                }
            }
        }
    }

    pub(crate) fn text(&self) -> String {
        let mut text = if self.bom { "\u{FEFF}".to_owned() } else { String::new() };
        for line in &self.lines {
            text.extend([&*line.before, &line.value, &line.after, line.end]);
        }
        text
    }

    /// What the file has to be once its entity has this id, position and value.
    pub(crate) fn edited(&self, id: u64, position: [f32; 3], value: &Every) -> Self {
        let mut new = Self { id: Some(id), position, value: value.clone(), ..self.clone() };
        let (before, after) = (leaves(&self.value, self.spelling), leaves(value, self.spelling));
        let changed: Vec<bool> = before.iter().zip(&after).map(|(old, new)| old != new).collect();
        let show = |position: [f32; 3]| {
            position.map(|it| value_text_of(&it)).join(if self.spelling == Spelling::Node { " " } else { ", " })
        };
        let moved = show(self.position) != show(position);
        if self.id == Some(id) && !moved && !changed.contains(&true) {
            return new;
        }
        let (mut covered, mut anchors) = (vec![false; changed.len()], Vec::new());
        let (mut has_position, mut class_at, mut properties_at) = (false, 0, 0);
        for (index, line) in new.lines.iter_mut().enumerate() {
            match &line.what {
                What::Other => {}
                What::Class | What::Directive => {
                    properties_at = index;
                    if line.what == What::Class {
                        class_at = index;
                    }
                }
                What::Position => {
                    (has_position, properties_at) = (true, index);
                    if moved {
                        line.value = show(position);
                    }
                }
                What::Leaves { key, first, count } => {
                    let range = *first as usize..(*first + *count) as usize;
                    covered[range.clone()].fill(true);
                    if *count > 0 {
                        anchors.push((range.end - 1, index));
                    }
                    if changed[range].contains(&true) {
                        line.value = value_text(value, key, self.spelling);
                    }
                }
            }
        }
        let mut inserted = Vec::new();
        if self.id != Some(id) {
            assert_eq!(self.id, None);
            inserted.push((class_at, What::Directive, "; id".to_owned(), format!("{id:#018X}").replace("0X", "0x")));
        }
        if moved && !has_position {
            let key = if self.spelling == Spelling::Node { "; position" } else { "Position" };
            inserted.push((properties_at, What::Position, key.to_owned(), show(position)));
        }
        for (leaf, (key, text)) in after.into_iter().enumerate().filter(|&(leaf, _)| changed[leaf] && !covered[leaf]) {
            let anchor =
                anchors.iter().filter(|&&(last, _)| last < leaf).max().map_or(properties_at, |&(_, line)| line);
            let mark = if self.spelling == Spelling::Node { "; " } else { "" };
            let what = What::Leaves { key: key.clone(), first: leaf as u32, count: 1 };
            inserted.push((anchor, what, format!("{mark}{key}"), text));
        }
        new.insert(inserted);
        new
    }

    /// Puts lines behind those with the given numbers.
    fn insert(&mut self, inserted: Vec<(usize, What, String, String)>) {
        let text = self.text();
        let end =
            if text.split_inclusive('\n').next().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
        let open = self.lines.last().is_some_and(|line| line.end.is_empty());
        let old = std::mem::take(&mut self.lines);
        for (index, line) in old.into_iter().enumerate() {
            self.lines.push(line);
            for (_, what, key, value) in inserted.iter().filter(|&&(anchor, ..)| anchor == index) {
                let gap = if self.spelling == Spelling::Node { end } else { ": " };
                let before = format!("{key}{gap}");
                let (what, value) = (what.clone(), value.clone());
                self.lines.push(Line { what, before, value, after: String::new(), end });
            }
        }
        let last = self.lines.len() - 1;
        for (index, line) in self.lines.iter_mut().enumerate() {
            if line.end.is_empty() && index < last {
                line.end = end;
            }
        }
        if open {
            self.lines[last].end = "";
        }
    }
}

fn value_text_of(number: &f32) -> String {
    text_of(ErasedRef::new(number), Spelling::Colon)
}

fn plain(text: &str) -> Line {
    Line { what: What::Other, before: String::new(), value: text.to_owned(), after: String::new(), end: "\n" }
}

/// One of the names of a property.
fn spelled(rng: &mut Rng, field: &'static Property) -> &'static str {
    let names: Vec<&str> =
        [field.key(), field.name()].into_iter().chain(field.meta().aliases.iter().copied()).collect();
    rng.pick(&names)
}

/// Another text of the same value.
fn restyled(rng: &mut Rng, kind: &Kind, text: &str) -> String {
    match kind {
        _ if rng.one_in(2) => text.to_owned(),
        Kind::Integer { .. } => match text.strip_prefix('-') {
            Some(digits) => format!("-00{digits}"),
            None => format!("{}0{text}", rng.pick(&["", "+"])),
        },
        Kind::Vector { .. } | Kind::Quaternion | Kind::Color => {
            text.replace(", ", " ").replace(' ', rng.pick(&[",", " ", ", ", " ,  ", "\t"]))
        }
        Kind::Enum { variants } => {
            let variant = variants.iter().find(|variant| variant.name == text).unwrap();
            if variant.aliases.is_empty() { text.to_owned() } else { rng.pick(variant.aliases).to_owned() }
        }
        Kind::Text { .. } if !text.contains(['"', '\\', '\t']) => format!("\"{text}\""),
        Kind::List { .. } if text.ends_with("]") && text != "[]" => format!("{}, ]", text.strip_suffix(']').unwrap()),
        _ => text.to_owned(),
    }
}

pub(crate) fn shuffle<T>(rng: &mut Rng, list: &mut [T]) {
    for index in (1..list.len()).rev() {
        list.swap(index, rng.below(index + 1));
    }
}
