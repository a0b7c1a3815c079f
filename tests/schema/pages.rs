//! One table in rustdoc, Markdown and HTML.

use juliet::prelude::*;
use juliet::schema::{html, markdown};

struct Mesh;

/// A static prop.
#[derive(Entity)]
#[jasset(version = 2)]
struct Inert {
    /// Mesh drawn for this prop.
    #[jasset(default = "Assets/Meshes/Cube.obj")]
    mesh_asset: AssetRef<Mesh>,
    #[jasset(default = Vec3::ONE)]
    scale: Vec3,
    #[jasset(default = 1.0, range = 0.0..=1.0e6, unit = "kg")]
    mass: f32,
    is_destructible: bool,
    #[jasset(default = 100.0, alias = "Hp")]
    health: f32,
    /// Runtime only: never in a file, always default-initialised.
    #[jasset(skip, default = u32::MAX)]
    #[expect(dead_code, reason = "skipped, so no table has it")]
    mesh_instance: u32,
}

/// The lines of tables.
fn table(text: &str) -> Vec<&str> {
    text.lines().skip_while(|line| !line.starts_with("| Key |")).take_while(|line| line.starts_with('|')).collect()
}

/// The same lines, from the cells of a table in HTML.
fn html_table(text: &str) -> Vec<String> {
    let rows =
        text.lines().skip_while(|line| !line.contains("<th>Key</th>")).take_while(|line| !line.contains("</table>"));
    let cells = |row: &str, tag: &str| {
        let mut cells = Vec::new();
        let mut rest = row;
        while let Some((_, after)) = rest.split_once(&format!("<{tag}>")) {
            let (cell, after) = after.split_once(&format!("</{tag}>")).unwrap();
            cells.push(plain(cell));
            rest = after;
        }
        format!("| {} |", cells.join(" | "))
    };
    let mut lines: Vec<_> = rows
        .filter(|row| row.contains("<th>") || row.contains("<td>"))
        .map(|row| cells(row, if row.contains("<th>") { "th" } else { "td" }))
        .collect();
    lines.insert(1, "|---|---|---|---|---|---|---|".to_owned());
    lines
}

/// What a cell shows, as Markdown.
fn plain(cell: &str) -> String {
    let mut out = String::new();
    let mut rest = cell.replace("<code>", "`").replace("</code>", "`");
    while let Some((before, after)) = rest.split_once("<a ") {
        out.push_str(before);
        rest = after.split_once('>').unwrap().1.replacen("</a>", "", 1);
    }
    out.push_str(&rest);
    out.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

#[test]
fn rustdoc_markdown_and_html_show_one_table() {
    // What the derive macro gives for this class; its own tests compare the file with the macro.
    let expansion = include_str!(
        "../../juliet-derive/src/expand/snapshots/juliet_derive__expand__tests__example_of_the_readme.snap"
    );
    let schema = registry![Inert].unwrap().schema();
    let (markdown, html) = (markdown(&schema), html(&schema));
    let rustdoc = table(expansion);
    assert_eq!(rustdoc.len(), 7);
    assert_eq!(table(&markdown[1].1), rustdoc);
    assert_eq!(html_table(&html[2].1), rustdoc);
}

#[test]
fn types_and_variants_are_described_and_linked() {
    let schema = super::registry().schema();
    let (markdown, html) = (markdown(&schema), html(&schema));
    let find = |files: &[(String, String)], path: &str| files.iter().find(|(it, _)| it == path).unwrap().1.clone();
    let page = find(&markdown, "classes/Collectible.md");
    assert!(page.contains("Described below: [`CollectibleKind`](#t-CollectibleKind)"), "{page}");
    assert!(page.contains("<a id=\"t-CollectibleKind\"></a>") && page.contains("| `Fish` |  |  | Dinner. |"));
    assert!(page.contains("```text\n; entity_type: Collectible\n") && page.contains("```text\n; class\nCollectible\n"));
    let page = find(&html, "classes/Collectible.html");
    assert!(page.contains("<a href=\"#t-CollectibleKind\"><code>CollectibleKind</code></a>"));
    assert!(page.contains("<h3 id=\"t-CollectibleKind\">") && page.contains("<tr id=\"t-CollectibleKind-Fish\">"));
}

#[test]
fn links_of_the_site_lead_to_what_is_there() {
    let schema = juliet::registry![super::Inert, super::Collectible, super::SpikeTrap, super::Door, super::Shapes];
    let site = html(&schema.unwrap().schema());
    for (path, text) in &site {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in text.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                _ if file.starts_with("../") => file[3..].to_owned(),
                _ if folder.is_empty() => file.to_owned(),
                _ => format!("{folder}/{file}"),
            };
            let target = site.iter().find(|(it, _)| *it == target).unwrap_or_else(|| panic!("{path}: {link}"));
            assert!(anchor.is_empty() || target.1.contains(&format!("id=\"{anchor}\"")), "{path}: {link}");
        }
        assert!(!text.contains("http:") && !text.contains("https:"), "{path} needs a network");
    }
}
