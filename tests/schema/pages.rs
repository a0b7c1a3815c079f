//! One table in rustdoc, Markdown and HTML.

use std::path::Path;

use juliet::LoadOptions;
use juliet::prelude::*;
use juliet::schema::{OverrideDoc, TemplateDoc, html, html_with_templates, markdown, markdown_with_templates};

use super::html::check_site;
use super::reference::PortCrane;
use crate::support::{TestProject, WORLD};

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

/// The sample project's templates and the number of their instances in its world.
fn sample_templates() -> Vec<TemplateDoc> {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let (mut world, _) = Project::open(assets, super::registry()).unwrap().load_world("Harbour").unwrap();
    assert!(world.load_all_templates().is_empty());
    world.template_docs()
}

fn find<'f>(files: &'f [(String, String)], path: &str) -> &'f str {
    &files.iter().find(|(it, _)| it == path).unwrap().1
}

#[test]
fn pages_are_well_formed_and_links_lead_to_what_is_there() {
    let all =
        juliet::registry![super::Inert, super::Collectible, super::SpikeTrap, super::Door, super::Shapes, PortCrane];
    let schema = all.unwrap().schema();
    check_site(&html(&schema));
    check_site(&html_with_templates(&schema, &sample_templates()));
}

#[test]
fn every_template_of_a_project_is_read_once_and_told_what_is_wrong_with_it() {
    let project = TestProject::with(super::registry(), &[] as &[(&str, &str)]);
    let (mut world, _) = project.load();
    assert!(world.load_all_templates().is_empty(), "a project need not have templates");
    for (name, text) in [
        ("Deep/Er/Rock.jasset", "; entity_type: Inert\nMass: 2\n"),
        ("Moss.jasset", "; template: Assets/Templates/Deep/Er/Rock.jasset\nHealth: 3\n"),
        ("Ring.jasset", "; template: Assets/Templates/Ring.jasset\n"),
        ("Wrong.jasset", "; entity_type: Inert\nMass: much\n"),
        ("Below.jasset", "; template: Assets/Templates/Wrong.jasset\n"),
        (".hidden.jasset", "?"),
        ("Notes.txt", "?"),
    ] {
        project.put(&format!("../../../Templates/{name}"), text);
    }
    let docs = |world: &World| -> Vec<String> { world.template_docs().into_iter().map(|it| it.path).collect() };
    let both = ["Assets/Templates/Deep/Er/Rock.jasset", "Assets/Templates/Moss.jasset"];
    let told = world.load_all_templates();
    let mut files: Vec<&str> = told.iter().map(|it| &*it.file).collect();
    files.sort_unstable();
    assert_eq!(files, ["Below", "Ring", "Wrong"].map(|it| format!("Assets/Templates/{it}.jasset")), "{told:#?}");
    assert_eq!(docs(&world), both);
    assert_eq!(world.template_docs()[1].overrides[0].inherited, "100.0");
    // Room for one: what does not fit is told, though nothing is wrong with its file.
    let options = LoadOptions { template_capacity: Some(1), ..LoadOptions::default() };
    let (mut world, _) = project.open().load_world_with(WORLD, &options).unwrap();
    let told = world.load_all_templates();
    let full = told.iter().find(|it| it.file.ends_with("Moss.jasset")).unwrap();
    assert!(full.message.contains("room for"), "{full}");
    assert_eq!(docs(&world), both[..1]);
}

#[test]
fn the_search_finds_classes_properties_and_templates() {
    let site = html_with_templates(&super::registry().schema(), &sample_templates());
    let pages = check_site(&site);
    let index = &pages["index.html"];
    let links: Vec<&str> = index.of("a").filter_map(|it| it.get("href")).map(String::as_str).collect();
    for link in [
        "classes/Inert.html",
        "classes/Inert.html#p-Mass",
        "classes/Inert.html#m-Assets-Templates-RockMossy-jasset",
        "classes/SpikeTrap.html#m-Assets-Templates-SpikeTrap_Large-jasset",
    ] {
        assert!(links.contains(&link), "{link} is not in {links:?}");
    }
    assert_eq!(index.of("script").count(), 1);
    assert!(find(&site, "index.html").contains("'#classes li, #components li, .tree li'"));
}

#[test]
fn templates_stand_as_a_tree_with_what_they_override() {
    let templates = sample_templates();
    assert_eq!(templates.len(), 10, "those that nothing names are there, too");
    let schema = super::registry().schema();
    let page = find(&markdown_with_templates(&schema, &templates), "classes/Inert.md").to_owned();
    let tree: Vec<&str> =
        page.lines().skip_while(|line| *line != "## Templates").skip(2).take_while(|line| !line.is_empty()).collect();
    let large = templates.iter().find(|it| it.path.ends_with("RockLarge.jasset")).unwrap();
    let mossy = templates.iter().find(|it| it.path.ends_with("RockMossy.jasset")).unwrap();
    assert_eq!(mossy.parent.as_deref(), Some(&*large.path));
    let count = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    let line = |it: &TemplateDoc, blanks: &str| {
        let anchor = it.path.replace(['/', '.'], "-");
        let (overrides, instances) = (count(it.overrides.len(), "override"), count(it.instances, "instance"));
        format!("{blanks}* [`{}`](#m-{anchor}): {overrides}, {instances}", it.path)
    };
    let at = tree.iter().position(|it| *it == line(large, "")).unwrap_or_else(|| panic!("{tree:#?}"));
    assert_eq!(tree.get(at + 1), Some(&&*line(mossy, "  ")), "{tree:#?}");
    // The file says the value, the template above says what it would be.
    let changed = mossy.overrides.iter().find(|it| large.overrides.iter().any(|above| above.key == it.key)).unwrap();
    let above = large.overrides.iter().find(|above| above.key == changed.key).unwrap();
    assert_eq!(changed.inherited, above.value);
    let row = format!("| `{}` | `{}` | `{}` |", changed.key, changed.value, changed.inherited);
    assert!(page.contains(&row), "{page}");
    assert!(page.contains(&format!("Based on [`{}`](#m-Assets-Templates-RockLarge-jasset): ", large.path)));

    let site = html_with_templates(&schema, &templates);
    check_site(&site);
    let page = find(&site, "classes/Inert.html");
    let cells = format!("<td><code>{}</code></td><td><code>{}</code></td></tr>", changed.value, changed.inherited);
    assert!(page.contains(&format!("<a href=\"#p-{0}\"><code>{0}</code></a></td>{cells}", changed.key)), "{page}");
    assert!(!find(&html(&schema), "classes/Inert.html").contains("Templates"));
}

#[test]
fn removed_keys_and_migrations_stand_below_the_table_in_rustdoc_markdown_and_html() {
    let schema = registry![PortCrane].unwrap().schema();
    let sentences =
        ["Removed, so that their lines say nothing: `Armor`, `Old-Hook`.", "Files up to version 3 are migrated."];
    let page = markdown(&schema)[1].1.clone();
    let below: Vec<&str> = page.lines().skip_while(|line| !line.starts_with("| `Plate`")).skip(1).collect();
    assert_eq!(below[..4], ["", sentences[0], "", sentences[1]], "{page}");
    for sentence in [
        "Removed, so that their lines say nothing: `Glow`.",
        "Removed from `Lift`, so that their lines say nothing: `Rope`, `Hook`.",
    ] {
        assert!(page.contains(sentence), "{page}");
    }
    let page = html(&schema)[2].1.clone();
    assert!(
        page.contains("<p>Removed, so that their lines say nothing: <code>Armor</code>, <code>Old-Hook</code>.</p>")
    );
    assert!(page.contains("<p>Files up to version 3 are migrated.</p>"));
    let expansion = include_str!(
        "../../juliet-derive/src/expand/snapshots/juliet_derive__expand__tests__entity_with_removed_keys.snap"
    );
    assert!(expansion.contains("\n\nRemoved, so that their lines say nothing: `Armor`, `Old-Hook`.\n\nFiles up to version 3 are migrated.\n"), "{expansion}");
}

#[test]
fn templates_of_strangers_are_shown_once_each_and_escaped() {
    let doc = |path: &str, parent: &str, class: &str| TemplateDoc {
        path: path.into(),
        parent: Some(parent.into()).filter(|it: &String| !it.is_empty()),
        class: class.into(),
        overrides: vec![
            OverrideDoc { key: "<Mass>".into(), value: "<b>`|".into(), inherited: String::new() },
            OverrideDoc { key: "Loot[<i>].Count".into(), ..OverrideDoc::default() },
            OverrideDoc { key: "Mass".into(), value: "9".repeat(100_000), inherited: "1".into() },
        ],
        instances: 1,
    };
    let mut templates = vec![
        doc("a", "b", "Inert"),
        doc("b", "a", "Inert"),
        doc("self", "self", "Inert"),
        doc("twice", "gone", "Inert"),
        doc("twice", "", "Inert"),
        doc("<i>", "twice", "Inert"),
        doc("other", "a", "Door"),
        doc("lost", "", "No<b>body"),
        doc("../../x\"y", "", "Inert"),
        doc(&"long".repeat(50_000), "", "Inert"),
    ];
    // Deeper than a project may have them, and many.
    templates
        .extend((0..500).map(|index| doc(&format!("chain{index:04}"), &format!("chain{:04}", index + 1), "Inert")));
    let schema = super::registry().schema();
    let (site, pages) = (html_with_templates(&schema, &templates), markdown_with_templates(&schema, &templates));
    check_site(&site);
    for page in [find(&site, "classes/Inert.html"), find(&pages, "classes/Inert.md")] {
        assert!(page.len() < 1_500_000, "{}", page.len());
    }
    assert!(site.iter().all(|(_, page)| !page.contains("<b>") && !page.contains("<i>")), "no tag of theirs");
    let index = find(&pages, "index.md");
    assert_eq!(index.lines().filter(|line| line.trim_start().starts_with("* ")).count(), templates.len());
    assert!(
        index.contains("* `lost` of ``No<b>body``: ") || index.contains("* `lost` of `No<b>body`: "),
        "code, so no tag"
    );
    assert!(find(&pages, "classes/Door.md").contains("Based on `a`: 3 overrides, 1 instance."));
    assert!(find(&pages, "classes/Inert.md").contains("| `Loot[<i>].Count` | removed | nothing |"));
}

#[test]
fn names_of_strangers_have_anchors_of_their_own() {
    let mut schema = super::registry().schema();
    let mut twin = schema.classes[0].properties[0].clone();
    for key in ["A-B", "A.B", "A B", "A-B-2", "A-B", "Ä", ""] {
        twin.key = key.into();
        schema.classes[0].properties.push(twin.clone());
    }
    let pages = check_site(&html(&schema));
    let links = pages["index.html"].of("a").filter_map(|it| it.get("href"));
    assert_eq!(links.filter(|it| it.starts_with("classes/Inert.html#p-A-B")).count(), 5);
}
