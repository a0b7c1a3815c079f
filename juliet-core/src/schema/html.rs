//! Pages as a static site: HTML, one stylesheet, a search box. No network, and no server: it opens from a folder.

use super::data::Schema;
use super::page::{Block, Inline, Page, Site, site, summary};
use super::templates::TemplateDoc;

const STYLE: &str = "\
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9em; }
pre { padding: 0.75rem; overflow-x: auto; border: 1px solid #8886; border-radius: 4px; }
h1, h3, p code, li code { overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem; border-bottom: 1px solid #8886; }
tr:target, h3:target { background: #fc03; }
input { font: inherit; width: 100%; box-sizing: border-box; padding: 0.4rem; }
#classes, #components { list-style: none; padding: 0; }
#classes li, #components li { padding: 0.4rem 0; border-bottom: 1px solid #8886; }
.tree { padding-left: 1.2rem; }
.keys { font-size: 0.9em; }
";

const SEARCH: &str = "\
const box = document.getElementById('search');
const items = [...document.querySelectorAll('#classes li, #components li, .tree li')].map(li => [li, li.textContent.toLowerCase()]);
const none = document.getElementById('none');
box.addEventListener('input', () => {
  const words = box.value.toLowerCase().split(/\\s+/);
  let shown = 0;
  for (const [li, text] of items) {
    li.hidden = !words.every(word => text.includes(word));
    shown += !li.hidden;
  }
  none.hidden = shown > 0;
});
";

/// The pages of a schema as a site: path below a folder of the caller's, and text. `index.html` and `style.css` first, then one page for
/// each class.
///
/// All links are relative. Everything that comes from the schema is escaped. The same schema gives the same bytes. Linear in what is
/// written.
pub fn html(schema: &Schema) -> Vec<(String, String)> {
    html_with_templates(schema, &[])
}

/// Like [`html`], with the templates of a project: as a tree in the index, where the search finds them, and on the page of their class,
/// each with what it overrides.
pub fn html_with_templates(schema: &Schema, templates: &[TemplateDoc]) -> Vec<(String, String)> {
    let Site { pages, index: below } = site(schema, templates);
    let mut body = String::from(
        "<h1>Classes</h1>\n<p><input id=\"search\" type=\"search\" aria-label=\"Search classes, properties and templates\" \
         placeholder=\"Search classes, properties and templates\" autofocus></p>\n<ul id=\"classes\">\n",
    );
    pages.iter().filter(|page| !page.is_component).for_each(|page| write_entry(page, &mut body));
    body.push_str("</ul>\n");
    if pages.iter().any(|page| page.is_component) {
        body.push_str("<h2>Components</h2>\n<ul id=\"components\">\n");
        pages.iter().filter(|page| page.is_component).for_each(|page| write_entry(page, &mut body));
        body.push_str("</ul>\n");
    }
    below.iter().for_each(|block| write(block, &mut body));
    body.push_str(&format!("<p id=\"none\" hidden>Nothing found.</p>\n<script>\n{SEARCH}</script>\n"));
    let mut files =
        vec![("index.html".to_owned(), whole("Classes", "", &body)), ("style.css".to_owned(), STYLE.to_owned())];
    files.extend(pages.iter().map(|page| {
        let mut body = String::from("<nav><a href=\"../index.html\">All classes</a></nav>\n");
        page.blocks.iter().for_each(|block| write(block, &mut body));
        (format!("classes/{}.html", page.file), whole(&page.class.name, "../", &body))
    }));
    files
}

fn whole(title: &str, up: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <link rel=\"stylesheet\" href=\"{up}style.css\">\n</head>\n<body>\n{body}</body>\n</html>\n"
    )
}

/// One class in the index, with the keys of its properties.
fn write_entry(page: &Page<'_>, out: &mut String) {
    let (file, name, doc) = (&page.file, escape(&page.class.name), words(&summary(page.class)));
    out.push_str(&format!("<li><a href=\"classes/{file}.html\"><code>{name}</code></a> {doc}\n<div class=\"keys\">"));
    for (index, (property, anchor)) in page.class.properties.iter().zip(&page.properties).enumerate() {
        let key = escape(&property.key);
        out.push_str(if index > 0 { ", " } else { "" });
        out.push_str(&format!("<a href=\"classes/{file}.html#{anchor}\">{key}</a>"));
    }
    out.push_str("</div></li>\n");
}

fn write(block: &Block, out: &mut String) {
    match block {
        Block::Heading { level, text, anchor } => {
            out.push_str(&format!("<h{level} id=\"{anchor}\">{}</h{level}>\n", inline(text)));
        }
        Block::Doc(doc) => write_doc(doc, out),
        Block::Line(line) => out.push_str(&format!("<p>{}</p>\n", line.iter().map(inline).collect::<String>())),
        Block::Points(points) => {
            out.push_str("<ul>\n");
            for (line, doc) in points {
                out.push_str(&format!("<li>{}\n", line.iter().map(inline).collect::<String>()));
                write_doc(doc, out);
                out.push_str("</li>\n");
            }
            out.push_str("</ul>\n");
        }
        Block::Table { columns, rows } => {
            out.push_str("<div class=\"wide\"><table>\n<thead><tr>");
            columns.iter().for_each(|column| out.push_str(&format!("<th>{column}</th>")));
            out.push_str("</tr></thead>\n<tbody>\n");
            for row in rows {
                match row.anchor.as_str() {
                    "" => out.push_str("<tr>"),
                    anchor => out.push_str(&format!("<tr id=\"{anchor}\">")),
                }
                for cell in &row.cells {
                    out.push_str(&format!("<td>{}</td>", cell.iter().map(inline).collect::<String>()));
                }
                out.push_str("</tr>\n");
            }
            out.push_str("</tbody>\n</table></div>\n");
        }
        Block::Tree(lines) => write_tree(lines, out),
        Block::Code(text) => out.push_str(&format!("<pre><code>{}</code></pre>\n", escape(text))),
    }
}

/// Lists in lists: what is set in further stands in the item before it.
fn write_tree(lines: &[(usize, Vec<Inline>)], out: &mut String) {
    let mut open = 0;
    for (depth, line) in lines {
        if *depth < open {
            out.push_str("</li>\n");
            (*depth + 1..open).for_each(|_| out.push_str("</ul></li>\n"));
            open = depth + 1;
        } else {
            out.push_str(if open == 0 { "<ul class=\"tree\">\n" } else { "\n<ul>\n" });
            open += 1;
        }
        out.push_str(&format!("<li>{}", line.iter().map(inline).collect::<String>()));
    }
    (0..open).for_each(|_| out.push_str("</li></ul>\n"));
}

fn inline(part: &Inline) -> String {
    match part {
        Inline::Text(text) => words(text),
        Inline::Code(text, _) if text.is_empty() => String::new(),
        Inline::Code(text, anchor) if anchor.is_empty() => format!("<code>{}</code>", escape(text)),
        Inline::Page(text, file, anchor) => {
            format!("<a href=\"{file}.html#{anchor}\"><code>{}</code></a>", escape(text))
        }
        Inline::Code(text, anchor) => format!("<a href=\"#{anchor}\"><code>{}</code></a>", escape(text)),
    }
}

/// A doc comment: paragraphs, and blocks of code.
fn write_doc(doc: &str, out: &mut String) {
    let mut paragraph = String::new();
    let mut code: Option<String> = None;
    let end = |paragraph: &mut String, out: &mut String| {
        if !paragraph.is_empty() {
            out.push_str(&format!("<p>{}</p>\n", words(paragraph)));
            paragraph.clear();
        }
    };
    for line in doc.lines() {
        let fence = line.trim_start().starts_with("```");
        match &mut code {
            Some(text) if fence => {
                out.push_str(&format!("<pre><code>{}</code></pre>\n", escape(text)));
                code = None;
            }
            Some(text) => {
                text.push_str(line);
                text.push('\n');
            }
            None if fence => {
                end(&mut paragraph, out);
                code = Some(String::new());
            }
            None if line.trim().is_empty() => end(&mut paragraph, out),
            None => {
                if !paragraph.is_empty() {
                    paragraph.push(' ');
                }
                paragraph.push_str(line.trim());
            }
        }
    }
    end(&mut paragraph, out);
    if let Some(text) = code {
        out.push_str(&format!("<pre><code>{}</code></pre>\n", escape(&text)));
    }
}

/// Words; what stands between two backticks is code. Other marks stay as they are.
fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let parts: Vec<&str> = text.split('`').collect();
    for (index, part) in parts.iter().enumerate() {
        let closed = index + 1 < parts.len();
        match (index % 2 == 1, closed) {
            (true, true) => out.push_str(&format!("<code>{}</code>", escape(part))),
            (true, false) => out.push_str(&format!("`{}", escape(part))),
            (false, _) => out.push_str(&escape(part)),
        }
    }
    out
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(letter),
        }
    }
    out
}
