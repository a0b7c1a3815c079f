//! The pages of a schema before they are Markdown or HTML: what both say, in the same order.

use std::collections::HashSet;

use super::data::{
    ClassSchema, DefaultSchema, PropertySchema, RangeSchema, Schema, Shape, TypeSchema, Types, VariantSchema,
    VariantShape,
};
use super::example;
use crate::text::Spelling;

/// The columns of a table of properties, those that rustdoc shows.
pub(super) const COLUMNS: [&str; 7] = ["Key", "Type", "Unit", "Range", "Default", "Since", "Description"];

/// One page.
pub(super) struct Page<'a> {
    pub(super) class: &'a ClassSchema,
    /// Name of the file, without folder and ending.
    pub(super) file: String,
    pub(super) blocks: Vec<Block>,
}

pub(super) enum Block {
    /// Level from 1, the name as code, and what links name it by.
    Heading {
        level: u8,
        text: Inline,
        anchor: String,
    },
    /// A doc comment.
    Doc(String),
    /// A paragraph.
    Line(Vec<Inline>),
    /// Points, each a paragraph and a doc comment.
    Points(Vec<(Vec<Inline>, String)>),
    Table {
        columns: &'static [&'static str],
        rows: Vec<Row>,
    },
    /// Lines of a file.
    Code(String),
}

pub(super) struct Row {
    /// What links name it by; empty if nothing.
    pub(super) anchor: String,
    pub(super) cells: Vec<Vec<Inline>>,
}

pub(super) enum Inline {
    /// Words, in which backticks mark code.
    Text(String),
    /// Code, and the anchor on the same page that it leads to; empty if nowhere.
    Code(String, String),
}

impl Inline {
    fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    fn code(text: impl Into<String>) -> Self {
        Self::Code(text.into(), String::new())
    }
}

/// The pages of all classes, in the order of the schema.
pub(super) fn pages(schema: &Schema) -> Vec<Page<'_>> {
    let types = Types::of(schema);
    let mut taken = HashSet::new();
    let pages = schema.classes.iter().enumerate();
    pages
        .map(|(index, class)| {
            let mut file = file_name(&class.name);
            // Folders of some systems tell no upper from lower case.
            while !taken.insert(file.to_lowercase()) {
                file = format!("{file}-{index}");
            }
            Page { class, file, blocks: blocks(&types, class) }
        })
        .collect()
}

fn blocks(types: &Types<'_>, class: &ClassSchema) -> Vec<Block> {
    let mut out = vec![heading(1, Inline::code(&class.name), "top"), Block::Doc(class.doc.clone()), facts(class)];
    out.push(heading(2, Inline::text("Properties"), "properties"));
    out.extend(properties(types, &class.name, &class.properties, "p"));
    let described = described_types(types, &class.properties);
    if !described.is_empty() {
        let links = described.iter().flat_map(|ty| {
            let link = Inline::Code(shown_name(&ty.name), type_anchor(&ty.name));
            [Inline::text(" "), link]
        });
        out.push(Block::Line([Inline::text("Described below:")].into_iter().chain(links).collect()));
    }
    let details: Vec<_> = class.properties.iter().filter_map(details).collect();
    if !details.is_empty() {
        out.push(heading(2, Inline::text("More about them"), "details"));
        out.push(Block::Points(details));
    }
    if !described.is_empty() {
        out.push(heading(2, Inline::text("Types"), "types"));
    }
    for ty in described {
        let anchor = type_anchor(&ty.name);
        out.push(heading(3, Inline::code(shown_name(&ty.name)), &anchor));
        out.push(Block::Doc(ty.doc.clone()));
        match &ty.shape {
            Shape::Struct { fields, .. } => {
                out.extend(properties(types, &shown_name(&ty.name), fields, &anchor));
                let details: Vec<_> = fields.iter().filter_map(self::details).collect();
                if !details.is_empty() {
                    out.push(Block::Points(details));
                }
            }
            Shape::Enum { variants } => out.push(variants_table(types, variants, &anchor)),
            _ => {}
        }
    }
    out.push(heading(2, Inline::text("Example"), "example"));
    out.push(Block::Line(vec![Inline::text("A file in which everything has its default.")]));
    out.push(Block::Code(example::of(types, class, Spelling::Colon)));
    out.push(Block::Line(vec![Inline::text("The same in the node spelling:")]));
    out.push(Block::Code(example::of(types, class, Spelling::Node)));
    out
}

fn heading(level: u8, text: Inline, anchor: &str) -> Block {
    Block::Heading { level, text, anchor: anchor.to_owned() }
}

/// What a class says about itself beyond its doc.
fn facts(class: &ClassSchema) -> Block {
    let mut line = vec![
        Inline::text(format!("Version {}, CRC-32 ", class.version)),
        Inline::code(format!("{:#010x}", class.crc)),
        Inline::text(", schema hash "),
        Inline::code(&class.schema_hash),
    ];
    also_read(&class.aliases, &mut line);
    if class.migrates {
        line.push(Inline::text("; older versions are migrated"));
    }
    line.push(Inline::text("."));
    Block::Line(line)
}

fn also_read(aliases: &[String], line: &mut Vec<Inline>) {
    for (index, alias) in aliases.iter().enumerate() {
        line.push(Inline::text(if index == 0 { "; also read: " } else { ", " }));
        line.push(Inline::code(alias));
    }
}

/// The table that rustdoc shows on `PROPERTIES`, and the sentence above it.
fn properties(types: &Types<'_>, name: &str, properties: &[PropertySchema], anchor: &str) -> Vec<Block> {
    let words = |end| Block::Line(vec![Inline::text("The properties of "), Inline::code(name), Inline::text(end)]);
    if properties.is_empty() {
        return vec![words(" in files: none.")];
    }
    let rows = properties.iter().map(|property| Row {
        anchor: format!("{anchor}-{}", slug(&property.key)),
        cells: vec![
            vec![Inline::code(&property.key)],
            type_cell(types, &property.ty, 0),
            vec![Inline::text(&property.unit)],
            vec![Inline::code(range_text(property.range))],
            vec![Inline::code(&property.default_source)],
            vec![Inline::text(if property.since == 0 { String::new() } else { property.since.to_string() })],
            vec![Inline::text(first_paragraph(&property.doc))],
        ],
    });
    vec![words(" in files."), Block::Table { columns: &COLUMNS, rows: rows.collect() }]
}

/// `AssetRef<Mesh>`; `map of String to u32`.
fn type_cell(types: &Types<'_>, name: &str, depth: usize) -> Vec<Inline> {
    match types.find(name).map(|ty| &ty.shape) {
        Some(Shape::Map { key, item }) if depth < 8 => {
            let mut cell = vec![Inline::text("map of ")];
            cell.extend(type_cell(types, key, depth + 1));
            cell.push(Inline::text(" to "));
            cell.extend(type_cell(types, item, depth + 1));
            cell
        }
        _ => vec![Inline::Code(shown_name(name), link(types, name))],
    }
}

/// The anchor of the description that a type leads to: its own, or that of its items.
fn link(types: &Types<'_>, name: &str) -> String {
    let mut name = name;
    for _ in 0..8 {
        match types.find(name).map(|ty| &ty.shape) {
            Some(Shape::Struct { .. } | Shape::Enum { .. }) => return type_anchor(name),
            Some(shape) => match shape.inner()[1] {
                Some(item) => name = item,
                None => break,
            },
            None => break,
        }
    }
    String::new()
}

/// The structs and enums that `properties` reach, in the order they are met. Each once.
fn described_types<'a>(types: &Types<'a>, properties: &[PropertySchema]) -> Vec<&'a TypeSchema> {
    let mut described = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut next: Vec<&TypeSchema> = Vec::new();
    let mut push = |next: &mut Vec<&'a TypeSchema>, name: &str| {
        if let Some(ty) = types.find(name).filter(|ty| seen.insert(&ty.name)) {
            next.push(ty);
        }
    };
    // Depth first: the last on the stack is the first to be met.
    for property in properties {
        push(&mut next, &property.ty);
    }
    next.reverse();
    while let Some(ty) = next.pop() {
        let held = next.len();
        match &ty.shape {
            Shape::Struct { fields, .. } => {
                described.push(ty);
                fields.iter().for_each(|field| push(&mut next, &field.ty));
            }
            Shape::Enum { variants } => {
                described.push(ty);
                variants.iter().flat_map(|variant| &variant.fields).for_each(|field| push(&mut next, &field.ty));
            }
            shape => shape.inner().into_iter().flatten().for_each(|name| push(&mut next, name)),
        }
        next[held..].reverse();
    }
    described
}

/// What a table has no room for.
fn details(property: &PropertySchema) -> Option<(Vec<Inline>, String)> {
    let mut line = vec![Inline::code(&property.key)];
    also_read(&property.aliases, &mut line);
    let mut add = |words: String| line.push(Inline::Text(format!("; {words}")));
    if !property.group.is_empty() {
        add(format!("in the group {}", property.group));
    }
    if let Some(step) = property.step {
        add(format!("in steps of {}", number(step)));
    }
    if property.hidden {
        add("not shown in an inspector".to_owned());
    }
    if property.read_only {
        add("not edited in an inspector".to_owned());
    }
    if let Some(DefaultSchema::Text(text)) = &property.default
        && !property.default_source.is_empty()
        && *text != property.default_source
    {
        line.push(Inline::text("; default in a file: "));
        line.push(Inline::code(text));
    }
    let rest = property.doc.lines().skip_while(|line| !line.trim().is_empty()).collect::<Vec<_>>().join("\n");
    (line.len() > 1 || !rest.trim().is_empty()).then_some((line, rest.trim().to_owned()))
}

fn variants_table(types: &Types<'_>, variants: &[VariantSchema], anchor: &str) -> Block {
    let rows = variants.iter().map(|variant| {
        let mut data = Vec::new();
        for (index, field) in variant.fields.iter().enumerate() {
            if index > 0 {
                data.push(Inline::text(", "));
            }
            if variant.style == VariantShape::Struct {
                data.extend([Inline::code(&field.key), Inline::text(": ")]);
            }
            data.extend(type_cell(types, &field.ty, 0));
            if !field.unit.is_empty() {
                data.push(Inline::Text(format!(" in {}", field.unit)));
            }
        }
        let mut aliases = Vec::new();
        for alias in &variant.aliases {
            if !aliases.is_empty() {
                aliases.push(Inline::text(", "));
            }
            aliases.push(Inline::code(alias));
        }
        let cells =
            vec![vec![Inline::code(&variant.name)], data, aliases, vec![Inline::text(first_paragraph(&variant.doc))]];
        Row { anchor: format!("{anchor}-{}", slug(&variant.name)), cells }
    });
    Block::Table { columns: &["Variant", "Data", "Also read", "Description"], rows: rows.collect() }
}

/// `0..=1000`, `..=-1`, `0..`; empty without a range. As the derive macro has it in rustdoc.
pub(super) fn range_text(range: Option<RangeSchema>) -> String {
    let end = |end: Option<f64>| end.map_or_else(String::new, number);
    let equals = |range: RangeSchema| if range.max.is_none() { "" } else { "=" };
    range.map_or_else(String::new, |range| format!("{}..{}{}", end(range.min), equals(range), end(range.max)))
}

/// `0`, `0.25`, `1e300`.
pub(super) fn number(value: f64) -> String {
    let plain = value == 0.0 || (1e-6..1e15).contains(&value.abs());
    if plain { value.to_string() } else { format!("{value:e}") }
}

/// The name of a type as its source has it: `Glow#2` is a `Glow`.
pub(super) fn shown_name(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    let mut parts = name.split('#');
    shown.extend(parts.next());
    for part in parts {
        let rest = part.trim_start_matches(|letter: char| letter.is_ascii_digit());
        if rest.len() == part.len() {
            shown.push('#');
        }
        shown.push_str(rest);
    }
    shown
}

fn first_paragraph(doc: &str) -> String {
    doc.lines().take_while(|line| !line.trim().is_empty()).map(str::trim).collect::<Vec<_>>().join(" ")
}

/// The first paragraph of the doc of a class.
pub(super) fn summary(class: &ClassSchema) -> String {
    first_paragraph(&class.doc)
}

fn type_anchor(name: &str) -> String {
    format!("t-{}", slug(name))
}

/// A name that every system takes for a file: not empty, not long, not that of a device of Windows.
fn file_name(name: &str) -> String {
    let mut file = slug(name);
    file.truncate(100);
    let lower = file.to_lowercase();
    let numbered = lower.strip_prefix("com").or_else(|| lower.strip_prefix("lpt"));
    let device = matches!(lower.as_str(), "con" | "prn" | "aux" | "nul") || numbered.is_some_and(|it| it.len() == 1);
    if device || file.is_empty() {
        file.push('-');
    }
    file
}

/// Letters, digits and hyphens, for names of files and anchors.
pub(super) fn slug(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' }).collect()
}
