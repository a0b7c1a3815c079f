//! Templates on the pages of a schema: which there are of a class, what each is based on, and what it overrides.
//!
//! In: plain data that a project made of its templates. Out: blocks of a page. Anything may stand in that data: parents that are missing, of
//! another class or in a ring, paths that stand twice. Each entry is shown once, under its parent where that can be.

use std::collections::HashMap;

use super::page::{Anchors, Block, Inline, Row, heading};

/// A template of a project, for its pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TemplateDoc {
    /// Path from `Assets/` on.
    pub path: String,
    /// The path of the template it is based on, if there is one.
    pub parent: Option<String>,
    /// Name of its class.
    pub class: String,
    /// What it says of its own, in declaration order.
    pub overrides: Vec<OverrideDoc>,
    /// How many entities are made from it, without those of templates based on it.
    pub instances: usize,
}

/// A property that a template says something about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverrideDoc {
    /// Key in the colon spelling, dotted where it is nested.
    pub key: String,
    /// Its value as the file has it; empty for an item that it takes out.
    pub value: String,
    /// What it would have without saying so; empty for an item that nothing above has.
    pub inherited: String,
}

/// How far the tree is set in at most; what is deeper stands there. Templates of a project are no deeper than 16.
const DEPTH_SHOWN: usize = 32;

/// How many characters of a value or a path are shown.
const SHOWN: usize = 300;

/// The templates of each class, by path.
pub(super) fn by_class(templates: &[TemplateDoc]) -> HashMap<&str, Vec<&TemplateDoc>> {
    let mut sorted: HashMap<&str, Vec<&TemplateDoc>> = HashMap::new();
    for template in templates {
        sorted.entry(&template.class).or_default().push(template);
    }
    sorted
}

/// One line of a tree.
pub(super) struct Branch<'a> {
    pub(super) depth: usize,
    pub(super) template: &'a TemplateDoc,
    /// Place of its parent in the tree, if that is in it and above.
    parent: Option<usize>,
}

/// `templates` as they are based on one another, from the top down, siblings by path.
///
/// ```text
/// Rock                 0
///   RockLarge          1
///     RockMossy        2
/// Tree                 0
/// ```
pub(super) fn tree<'a>(templates: &[&'a TemplateDoc]) -> Vec<Branch<'a>> {
    let mut sorted = templates.to_vec();
    sorted.sort_by(|a, b| a.path.cmp(&b.path));
    let mut by_path: HashMap<&str, usize> = HashMap::new();
    for (index, template) in sorted.iter().enumerate() {
        by_path.entry(&template.path).or_insert(index);
    }
    let mut children = vec![Vec::new(); sorted.len()];
    let mut tops = Vec::new();
    for (index, template) in sorted.iter().enumerate() {
        match template.parent.as_deref().and_then(|path| by_path.get(path)) {
            Some(&parent) if parent != index => children[parent].push(index),
            _ => tops.push(index),
        }
    }
    let mut out: Vec<Branch<'a>> = Vec::with_capacity(sorted.len());
    let mut shown = vec![false; sorted.len()];
    // What hangs together in a ring has no top: then its first is one.
    for top in tops.into_iter().chain(0..sorted.len()) {
        let mut next = vec![(top, 0, None)];
        while let Some((index, depth, parent)) = next.pop() {
            if std::mem::replace(&mut shown[index], true) {
                continue;
            }
            let place = out.len();
            out.push(Branch { depth, template: sorted[index], parent });
            let below = (depth + 1).min(DEPTH_SHOWN);
            next.extend(children[index].iter().rev().map(|&child| (child, below, Some(place))));
        }
    }
    out
}

/// The part of a page that shows the templates of its class; with it, what links name each branch of the tree by.
pub(super) fn blocks(branches: &[Branch<'_>], anchors: &mut Anchors<'_>) -> (Vec<Block>, Vec<String>) {
    let names: Vec<String> = branches.iter().map(|it| anchors.define('m', "", &it.template.path)).collect();
    let mut out = vec![heading(2, Inline::text("Templates"), "templates")];
    let lines = branches.iter().zip(&names).map(|(branch, anchor)| {
        let mut line = vec![Inline::Code(cut(&branch.template.path), anchor.clone())];
        line.push(Inline::Text(counts(branch.template)));
        (branch.depth, line)
    });
    out.push(Block::Tree(lines.collect()));
    for (branch, anchor) in branches.iter().zip(&names) {
        let template = branch.template;
        out.push(heading(3, Inline::code(cut(&template.path)), anchor));
        let mut line = match &template.parent {
            None => vec![Inline::text("Based on the defaults of the class")],
            Some(path) => {
                let link = branch.parent.map_or_else(String::new, |parent| names[parent].clone());
                vec![Inline::text("Based on "), Inline::Code(cut(path), link)]
            }
        };
        line.push(Inline::Text(format!("{}.", counts(template))));
        out.push(Block::Line(line));
        if template.overrides.is_empty() {
            continue;
        }
        let rows = template.overrides.iter().map(|it| Row {
            anchor: String::new(),
            cells: vec![
                vec![Inline::Code(cut(&it.key), property_anchor(&it.key, anchors))],
                vec![value(&it.value, "removed")],
                vec![value(&it.inherited, "nothing")],
            ],
        });
        out.push(Block::Table { columns: &["Overrides", "Value", "Inherits"], rows: rows.collect() });
    }
    (out, names)
}

/// `: 2 overrides, 3 instances`.
pub(super) fn counts(template: &TemplateDoc) -> String {
    let count = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    format!(": {}, {}", count(template.overrides.len(), "override"), count(template.instances, "instance"))
}

/// The row of the property that `Light.Color` or `Loot[gold].Count` is a part of.
fn property_anchor(key: &str, anchors: &Anchors<'_>) -> String {
    let property = key.split(['.', '[']).next().unwrap_or_default();
    anchors.find('p', "", property).unwrap_or_default().to_owned()
}

fn value(text: &str, absent: &str) -> Inline {
    if text.is_empty() { Inline::text(absent) } else { Inline::code(cut(text)) }
}

/// The beginning of a text that may be of any length.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
