//! The pages of a schema before they are Markdown or HTML: what both say, in the same order.

use std::collections::{HashMap, HashSet};

use super::data::{
    ClassSchema, DefaultSchema, PropertySchema, RangeSchema, Schema, Shape, TypeSchema, Types, VariantSchema,
    VariantShape,
};
use super::example;
use super::templates::{self, Branch, TemplateDoc};
use crate::text::Spelling;

/// The columns of a table of properties, those that rustdoc shows.
pub(super) const COLUMNS: [&str; 7] = ["Key", "Type", "Unit", "Range", "Default", "Since", "Description"];

/// All pages.
pub(super) struct Site<'a> {
    pub(super) pages: Vec<Page<'a>>,
    /// What the index has below the classes.
    pub(super) index: Vec<Block>,
}

/// One page.
pub(super) struct Page<'a> {
    pub(super) class: &'a ClassSchema,
    pub(super) is_component: bool,
    /// Name of the file, without folder and ending.
    pub(super) file: String,
    pub(super) blocks: Vec<Block>,
    /// What links name the properties by, in their order.
    pub(super) properties: Vec<String>,
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
    /// Lines, each with how far it is set in: at most one more than the line before.
    Tree(Vec<(usize, Vec<Inline>)>),
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
    /// Code, the path of the page that it leads to, without its ending, and the anchor there.
    Page(String, String, String),
}

impl Inline {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) fn code(text: impl Into<String>) -> Self {
        Self::Code(text.into(), String::new())
    }
}

/// What links of one page lead to. No two things have one anchor, whatever they are called.
pub(super) struct Anchors<'h> {
    /// The types that other pages describe.
    homes: &'h Homes<'h>,
    taken: HashSet<String>,
    /// How often a name was wished for.
    wished: HashMap<String, usize>,
    /// By kind (`p`roperty, `t`ype, te`m`plate), owner and name.
    of: HashMap<(char, String, String), String>,
}

/// Each type that a page describes → file of that page, and anchor there. A type is described once, where it is met first, so that the pages
/// are no longer than the schema, however many classes share a type.
type Homes<'a> = HashMap<&'a str, (String, String)>;

impl<'h> Anchors<'h> {
    fn new(homes: &'h Homes<'h>) -> Self {
        Self { homes, taken: HashSet::new(), wished: HashMap::new(), of: HashMap::new() }
    }

    /// An anchor of its own for this thing. Links to the name lead to the first that has it.
    pub(super) fn define(&mut self, kind: char, owner: &str, name: &str) -> String {
        let mut wish = slug(name);
        wish.truncate(80);
        wish = if owner.is_empty() { format!("{kind}-{wish}") } else { format!("{owner}-{wish}") };
        let mut anchor = wish.clone();
        while !self.taken.insert(anchor.clone()) {
            let count = self.wished.entry(wish.clone()).or_insert(1);
            *count += 1;
            anchor = format!("{wish}-{count}");
        }
        self.of.entry((kind, owner.to_owned(), name.to_owned())).or_insert_with(|| anchor.clone());
        anchor
    }

    /// What links name this thing by.
    pub(super) fn find(&self, kind: char, owner: &str, name: &str) -> Option<&str> {
        self.of.get(&(kind, owner.to_owned(), name.to_owned())).map(String::as_str)
    }
}

/// The pages of all classes, in the order of the schema, and what the index says of the templates of a project.
pub(super) fn site<'a>(schema: &'a Schema, templates: &'a [TemplateDoc]) -> Site<'a> {
    let types = Types::of(schema);
    let by_class = templates::by_class(templates);
    let mut taken = HashSet::new();
    // Class and path of a template → page and anchor.
    let mut places: HashMap<(&str, &str), (String, String)> = HashMap::new();
    let (mut met, mut homes) = (HashSet::new(), Homes::new());
    let pages = schema.all().enumerate().map(|(index, class)| {
        let is_component = index >= schema.classes.len();
        let mut file = file_name(&class.name);
        // Folders of some systems tell no upper from lower case.
        while !taken.insert(file.to_lowercase()) {
            file = format!("{file}-{index}");
        }
        let tree = templates::tree(by_class.get(class.name.as_str()).map_or(&[][..], Vec::as_slice));
        let described = described_types(&types, &class.properties, &mut met);
        let Blocks { blocks, properties, types, templates } =
            blocks(&types, (class, is_component), &described, &tree, &homes);
        homes.extend(described.iter().zip(types).map(|(ty, anchor)| (ty.name.as_str(), (file.clone(), anchor))));
        for (branch, anchor) in tree.iter().zip(templates) {
            let TemplateDoc { class, path, .. } = branch.template;
            places.entry((class, path)).or_insert_with(|| (format!("classes/{file}"), anchor));
        }
        Page { class, is_component, file, blocks, properties }
    });
    let pages = pages.collect();
    let mut index = Vec::new();
    if !templates.is_empty() {
        index.push(heading(2, Inline::text("Templates"), "templates"));
        let all: Vec<&TemplateDoc> = templates.iter().collect();
        let lines = templates::tree(&all).into_iter().map(|Branch { depth, template, .. }| {
            let path = templates::cut(&template.path);
            let name = match places.get(&(template.class.as_str(), template.path.as_str())) {
                Some((file, anchor)) => Inline::Page(path, file.clone(), anchor.clone()),
                None => Inline::code(path),
            };
            let counts = Inline::Text(templates::counts(template));
            (depth, vec![name, Inline::text(" of "), Inline::code(templates::cut(&template.class)), counts])
        });
        index.push(Block::Tree(lines.collect()));
    }
    Site { pages, index }
}

/// The blocks of a page, and what links name its properties, types and templates by.
struct Blocks {
    blocks: Vec<Block>,
    properties: Vec<String>,
    types: Vec<String>,
    templates: Vec<String>,
}

/// The page of a class or component on which the types `described` are described, and none of `homes`.
fn blocks<'a>(
    types: &Types<'a>,
    (class, is_component): (&'a ClassSchema, bool),
    described: &[&'a TypeSchema],
    tree: &[Branch<'_>],
    homes: &Homes<'_>,
) -> Blocks {
    let mut anchors = Anchors::new(homes);
    let type_anchors: Vec<String> = described.iter().map(|ty| anchors.define('t', "", &ty.name)).collect();
    let mut out =
        vec![heading(1, Inline::code(&class.name), "top"), Block::Doc(class.doc.clone()), facts(class, is_component)];
    out.push(heading(2, Inline::text("Properties"), "properties"));
    let (blocks, rows) = properties(types, &class.name, &class.properties, "", &mut anchors);
    out.extend(blocks);
    out.extend(removed(&class.removed, ""));
    out.extend(migrated(class));
    if !described.is_empty() {
        let links = described.iter().zip(&type_anchors).flat_map(|(ty, anchor)| {
            let link = Inline::Code(templates::cut(&shown_name(&ty.name)), anchor.clone());
            [Inline::text(" "), link]
        });
        out.push(Block::Line([Inline::text("Described below:")].into_iter().chain(links).collect()));
    }
    out.extend(described_elsewhere(types, class, described, &anchors));
    let details: Vec<_> = class.properties.iter().filter_map(details).collect();
    if !details.is_empty() {
        out.push(heading(2, Inline::text("More about them"), "details"));
        out.push(Block::Points(details));
    }
    if !described.is_empty() {
        out.push(heading(2, Inline::text("Types"), "types"));
    }
    for (ty, anchor) in described.iter().zip(&type_anchors) {
        out.push(heading(3, Inline::code(shown_name(&ty.name)), anchor));
        out.push(Block::Doc(ty.doc.clone()));
        match &ty.shape {
            Shape::Struct { fields, removed: gone } => {
                out.extend(properties(types, &shown_name(&ty.name), fields, anchor, &mut anchors).0);
                out.extend(removed(gone, ""));
                let details: Vec<_> = fields.iter().filter_map(self::details).collect();
                if !details.is_empty() {
                    out.push(Block::Points(details));
                }
            }
            Shape::Enum { variants } => {
                out.push(variants_table(types, variants, anchor, &mut anchors));
                out.extend(variants.iter().filter_map(|variant| removed(&variant.removed, &variant.name)));
            }
            _ => {}
        }
    }
    let mut template_anchors = Vec::new();
    if !tree.is_empty() {
        let (blocks, names) = templates::blocks(tree, &mut anchors);
        out.extend(blocks);
        template_anchors = names;
    }
    out.push(heading(2, Inline::text("Example"), "example"));
    let what = if is_component { "A section" } else { "A file" };
    out.push(Block::Line(vec![Inline::Text(format!("{what} in which everything has its default."))]));
    out.push(Block::Code(example::of(types, class, is_component, Spelling::Colon)));
    out.push(Block::Line(vec![Inline::text("The same in the node spelling:")]));
    out.push(Block::Code(example::of(types, class, is_component, Spelling::Node)));
    Blocks { blocks: out, properties: rows, types: type_anchors, templates: template_anchors }
}

/// Where the types are described that the class or a type of its page has, and that stand on another page.
fn described_elsewhere<'a>(
    types: &Types<'a>,
    class: &'a ClassSchema,
    described: &[&'a TypeSchema],
    anchors: &Anchors<'_>,
) -> Option<Block> {
    let fields = described.iter().flat_map(|ty| match &ty.shape {
        Shape::Struct { fields, .. } => fields.iter().collect::<Vec<_>>(),
        Shape::Enum { variants } => variants.iter().flat_map(|variant| &variant.fields).collect(),
        _ => Vec::new(),
    });
    let mut line = vec![Inline::text("Described on other pages:")];
    let mut told = HashSet::new();
    for property in class.properties.iter().chain(fields) {
        let named = cell(types, &property.ty).into_iter().filter_map(|(_, name)| target(types, name));
        for ty in named.filter(|ty| anchors.homes.contains_key(ty.name.as_str())) {
            if told.insert(ty.name.as_str()) {
                line.extend([Inline::text(" "), link(types, &ty.name, anchors)]);
            }
        }
    }
    (line.len() > 1).then_some(Block::Line(line))
}

pub(super) fn heading(level: u8, text: Inline, anchor: &str) -> Block {
    Block::Heading { level, text, anchor: anchor.to_owned() }
}

/// The keys that are gone, as rustdoc has them; `of` is the variant they were in.
fn removed(keys: &[String], of: &str) -> Option<Block> {
    let (first, rest) = keys.split_first()?;
    let mut line = vec![Inline::text("Removed")];
    if !of.is_empty() {
        line.extend([Inline::text(" from "), Inline::code(of)]);
    }
    line.extend([Inline::text(", so that their lines say nothing: "), Inline::code(first)]);
    for key in rest {
        line.extend([Inline::text(", "), Inline::code(key)]);
    }
    line.push(Inline::text("."));
    Some(Block::Line(line))
}

/// Which files go through a migration, as rustdoc has it.
fn migrated(class: &ClassSchema) -> Option<Block> {
    let which = match class.migrates_until {
        _ if !class.migrates => return None,
        0 => "of older versions".to_owned(),
        until => format!("up to version {until}"),
    };
    Some(Block::Line(vec![Inline::Text(format!("Files {which} are migrated."))]))
}

/// What a class says about itself beyond its doc.
fn facts(class: &ClassSchema, is_component: bool) -> Block {
    let mut line = vec![
        Inline::text(if is_component { "A component. " } else { "" }),
        Inline::text(format!("Version {}, CRC-32 ", class.version)),
        Inline::code(format!("{:#010x}", class.crc)),
        Inline::text(", schema hash "),
        Inline::code(&class.schema_hash),
    ];
    also_read(&class.aliases, &mut line);
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
///
/// `owner` is the anchor of the struct; with the blocks, what links name the rows by.
fn properties<'a>(
    types: &Types<'a>,
    name: &str,
    properties: &'a [PropertySchema],
    owner: &str,
    anchors: &mut Anchors<'_>,
) -> (Vec<Block>, Vec<String>) {
    let words = |end| Block::Line(vec![Inline::text("The properties of "), Inline::code(name), Inline::text(end)]);
    if properties.is_empty() {
        return (vec![words(" in files: none.")], Vec::new());
    }
    let names: Vec<String> = properties.iter().map(|it| anchors.define('p', owner, &it.key)).collect();
    let rows = properties.iter().zip(&names).map(|(property, anchor)| Row {
        anchor: anchor.clone(),
        cells: vec![
            vec![Inline::code(&property.key)],
            type_cell(types, &property.ty, anchors),
            vec![Inline::text(&property.unit)],
            vec![Inline::code(range_text(property.range))],
            vec![Inline::code(&property.default_source)],
            vec![Inline::text(if property.since == 0 { String::new() } else { property.since.to_string() })],
            vec![Inline::text(first_paragraph(&property.doc))],
        ],
    });
    (vec![words(" in files."), Block::Table { columns: &COLUMNS, rows: rows.collect() }], names)
}

/// `AssetRef<Mesh>`; `map of String to u32`.
fn type_cell<'a>(types: &Types<'a>, name: &'a str, anchors: &Anchors<'_>) -> Vec<Inline> {
    let parts = cell(types, name).into_iter();
    parts.flat_map(|(words, name)| [Inline::text(words), link(types, name, anchors)]).collect()
}

/// The types that a cell names, each with the words before it.
fn cell<'a>(types: &Types<'a>, name: &'a str) -> Vec<(&'static str, &'a str)> {
    let (mut parts, mut words, mut name) = (Vec::new(), "", name);
    for _ in 0..8 {
        let Some(Shape::Map { key, item }) = types.find(name).map(|ty| &ty.shape) else { break };
        parts.push((if words.is_empty() { "map of " } else { " to map of " }, key.as_str()));
        (words, name) = (" to ", item.as_str());
    }
    parts.push((words, name));
    parts
}

/// The name of a type, and where it or that of its items is described.
fn link(types: &Types<'_>, name: &str, anchors: &Anchors<'_>) -> Inline {
    let shown = templates::cut(&shown_name(name));
    let Some(ty) = target(types, name) else { return Inline::Code(shown, String::new()) };
    match (anchors.find('t', "", &ty.name), anchors.homes.get(ty.name.as_str())) {
        (Some(anchor), _) => Inline::Code(shown, anchor.to_owned()),
        (None, Some((file, anchor))) => Inline::Page(shown, file.clone(), anchor.clone()),
        (None, None) => Inline::Code(shown, String::new()),
    }
}

/// The type that is described where a type is named: itself, or that of its items.
fn target<'a>(types: &Types<'a>, name: &str) -> Option<&'a TypeSchema> {
    let mut ty = types.find(name)?;
    for _ in 0..8 {
        match &ty.shape {
            Shape::Struct { .. } | Shape::Enum { .. } => return Some(ty),
            shape => ty = types.find(shape.inner()[1]?)?,
        }
    }
    None
}

/// The structs and enums that `properties` reach and that were not `met` before, in the order they are met. Each once.
fn described_types<'a>(
    types: &Types<'a>,
    properties: &[PropertySchema],
    met: &mut HashSet<&'a str>,
) -> Vec<&'a TypeSchema> {
    let mut described = Vec::new();
    let mut next: Vec<&TypeSchema> = Vec::new();
    let mut push = |next: &mut Vec<&'a TypeSchema>, name: &str| {
        if let Some(ty) = types.find(name).filter(|ty| met.insert(&ty.name)) {
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

fn variants_table<'a>(
    types: &Types<'a>,
    variants: &'a [VariantSchema],
    owner: &str,
    anchors: &mut Anchors<'_>,
) -> Block {
    let rows = variants.iter().map(|variant| {
        let mut data = Vec::new();
        for (index, field) in variant.fields.iter().enumerate() {
            if index > 0 {
                data.push(Inline::text(", "));
            }
            if variant.style == VariantShape::Struct {
                data.extend([Inline::code(&field.key), Inline::text(": ")]);
            }
            data.extend(type_cell(types, &field.ty, anchors));
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
        Row { anchor: anchors.define('p', owner, &variant.name), cells }
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
fn slug(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' }).collect()
}
