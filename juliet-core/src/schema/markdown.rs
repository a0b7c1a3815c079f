//! Pages as Markdown (CommonMark with tables).

use super::data::Schema;
use super::page::{Block, Inline, Row, Site, site, summary};
use super::templates::TemplateDoc;

/// The pages of a schema as Markdown: path below a folder of the caller's, and text. `index.md` first, then one for each class and component type.
///
/// A table of properties has the bytes of that which rustdoc shows on `PROPERTIES`. What would be HTML in a doc comment is escaped.
/// The same schema gives the same bytes. Linear in what is written.
pub fn markdown(schema: &Schema) -> Vec<(String, String)> {
    markdown_with_templates(schema, &[])
}

/// Like [`markdown`], with the templates of a project: as a tree in the index and on the page of their class, each with what it overrides.
pub fn markdown_with_templates(schema: &Schema, templates: &[TemplateDoc]) -> Vec<(String, String)> {
    let Site { pages, index: below } = site(schema, templates);
    let mut index = String::from("# Classes\n\n| Class | Version | Description |\n|---|---|---|\n");
    let mut in_components = false;
    for page in &pages {
        if page.is_component && !in_components {
            in_components = true;
            index.push_str("\n## Components\n\n| Component | Version | Description |\n|---|---|---|\n");
        }
        let (name, version, doc) =
            (code(&page.class.name, true), page.class.version, words(&summary(page.class), true));
        index.push_str(&format!("| [{name}](classes/{}.md) | {version} | {doc} |\n", page.file));
    }
    below.iter().for_each(|block| write(block, &mut index));
    let mut files = vec![("index.md".to_owned(), index)];
    files.extend(pages.iter().map(|page| {
        let mut text = String::new();
        page.blocks.iter().for_each(|block| write(block, &mut text));
        text.push_str("\n[All classes](../index.md)\n");
        (format!("classes/{}.md", page.file), text)
    }));
    files
}

fn write(block: &Block, out: &mut String) {
    if !out.is_empty() && !out.ends_with("\n\n") {
        out.push('\n');
    }
    match block {
        Block::Heading { level, text, anchor } => {
            let marks = "#".repeat(usize::from(*level));
            if *level > 2 {
                out.push_str(&format!("<a id=\"{anchor}\"></a>\n\n"));
            }
            out.push_str(&format!("{marks} {}\n", inline(text, Where::Heading)));
        }
        Block::Doc(doc) => out.push_str(&doc_text(doc)),
        Block::Line(line) => {
            out.extend(line.iter().map(|part| inline(part, Where::Line)));
            out.push('\n');
        }
        Block::Points(points) => {
            for (line, doc) in points {
                out.push_str("* ");
                out.extend(line.iter().map(|part| inline(part, Where::Line)));
                out.push('\n');
                let doc = doc_text(doc);
                if !doc.is_empty() {
                    out.push('\n');
                }
                for line in doc.lines() {
                    out.push_str(if line.is_empty() { "" } else { "  " });
                    out.push_str(line);
                    out.push('\n');
                }
            }
        }
        Block::Table { columns, rows } => {
            out.push_str(&format!("| {} |\n|{}\n", columns.join(" | "), "---|".repeat(columns.len())));
            rows.iter().for_each(|row| write_row(row, out));
        }
        Block::Tree(lines) => {
            for (depth, line) in lines {
                out.push_str(&"  ".repeat(*depth));
                out.push_str("* ");
                out.extend(line.iter().map(|part| inline(part, Where::Line)));
                out.push('\n');
            }
        }
        Block::Code(text) => {
            let fence = "`".repeat(longest_run(text).max(2) + 1);
            out.push_str(&format!("{fence}text\n{text}{fence}\n"));
        }
    }
}

fn write_row(row: &Row, out: &mut String) {
    let cells = row.cells.iter().map(|cell| cell.iter().map(|part| inline(part, Where::Table)).collect::<String>());
    out.push_str(&format!("| {} |\n", cells.collect::<Vec<_>>().join(" | ")));
}

/// Where words stand: a bar ends a cell, and only a line has links, so that tables are those of rustdoc.
#[derive(Clone, Copy, PartialEq)]
enum Where {
    Heading,
    Line,
    Table,
}

fn inline(part: &Inline, place: Where) -> String {
    let table = place == Where::Table;
    match part {
        Inline::Text(text) => words(text, table),
        Inline::Code(text, anchor) if place == Where::Line && !anchor.is_empty() => {
            format!("[{}](#{anchor})", code(text, table))
        }
        Inline::Page(text, file, anchor) if place == Where::Line => {
            format!("[{}]({file}.md#{anchor})", code(text, table))
        }
        Inline::Code(text, _) | Inline::Page(text, ..) => code(text, table),
    }
}

/// `text` as code on one line: backticks inside need a longer fence, a bar in a table a backslash.
fn code(text: &str, table: bool) -> String {
    if text.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(text) + 1);
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{blank}{}{blank}{fence}", one_line(text, table))
}

/// How many backticks stand together at most.
fn longest_run(text: &str) -> usize {
    text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0)
}

fn one_line(text: &str, table: bool) -> String {
    let line = text.replace(['\n', '\r'], " ");
    if table { line.replace('|', "\\|") } else { line }
}

/// Words on one line of a table or paragraph.
fn words(text: &str, table: bool) -> String {
    without_html(&one_line(text, table))
}

/// `<` outside of code becomes an entity, so that no tag begins.
fn without_html(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['<', '`']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix('<') {
            out.push_str("&lt;");
            rest = after;
            continue;
        }
        let fence = rest.len() - rest.trim_start_matches('`').len();
        match closing(&rest[fence..], fence) {
            Some(end) => {
                out.push_str(&rest[..fence + end]);
                rest = &rest[fence + end..];
            }
            None => {
                // No code: nothing closes it, here or later on the line.
                out.push_str(&rest[..fence]);
                out.push_str(&rest[fence..].replace('<', "&lt;"));
                return out;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Where code ends that a fence of `fence` backticks opened, behind its closing fence.
fn closing(text: &str, fence: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let run = text[start..].len() - text[start..].trim_start_matches('`').len();
        at = start + run;
        if run == fence {
            return Some(at);
        }
    }
    None
}

/// A doc comment, line by line; a fence that it leaves open is closed.
fn doc_text(doc: &str) -> String {
    let mut out = String::new();
    let mut open = false;
    for line in doc.lines() {
        let fence = line.trim_start().starts_with("```");
        open ^= fence;
        out.push_str(&if open || fence { line.to_owned() } else { without_html(line) });
        out.push('\n');
    }
    if open {
        out.push_str("```\n");
    }
    out
}
