//! What a browser would forgive, in the form in which the pages are written: tags that are left open, ids that stand twice, links that lead
//! nowhere.

use std::collections::{BTreeMap, BTreeSet};

/// Elements without an end.
const VOID: [&str; 3] = ["meta", "link", "input"];

/// A page, taken apart.
#[derive(Default)]
pub(super) struct Html {
    /// Elements in order, each with its attributes.
    pub(super) elements: Vec<(String, BTreeMap<String, String>)>,
    ids: BTreeSet<String>,
}

impl Html {
    /// Takes a page apart; panics where it is not well formed, names the path and what stands there.
    pub(super) fn parse(path: &str, text: &str) -> Self {
        let mut page = Self::default();
        let mut open: Vec<String> = Vec::new();
        let mut rest = text.strip_prefix("<!DOCTYPE html>\n").unwrap_or_else(|| panic!("{path}: no doctype"));
        while let Some((before, after)) = rest.split_once('<') {
            references(path, before);
            let (tag, after) = after.split_once('>').unwrap_or_else(|| panic!("{path}: a tag without an end"));
            rest = after;
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop().as_deref(), Some(name), "{path}: {after:.40}");
                continue;
            }
            let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
            assert!(name.bytes().all(|it| it.is_ascii_alphanumeric()), "{path}: <{tag}>");
            let attributes = attributes_of(path, attributes);
            if let Some(id) = attributes.get("id") {
                assert!(page.ids.insert(id.clone()), "{path}: the id `{id}` stands twice");
            }
            if matches!(name, "ul" | "table" | "p" | "h1" | "h2" | "h3" | "pre" | "div") {
                let inline = open.iter().find(|it| matches!(it.as_str(), "p" | "code" | "a" | "h1" | "h2" | "h3"));
                assert_eq!(inline, None, "{path}: <{name}> inside of it");
            }
            page.elements.push((name.to_owned(), attributes));
            if name == "script" {
                rest = rest.split_once("</script>").unwrap_or_else(|| panic!("{path}: <script>")).1;
            } else if !VOID.contains(&name) {
                open.push(name.to_owned());
            }
        }
        references(path, rest);
        assert!(open.is_empty() && rest.trim().is_empty(), "{path}: {open:?} {rest}");
        page
    }

    pub(super) fn of<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h BTreeMap<String, String>> {
        self.elements.iter().filter(move |(it, _)| it == name).map(|(_, attributes)| attributes)
    }

    /// What every page has, whatever is on it.
    fn check(&self, path: &str) {
        assert!(self.of("html").any(|it| it.contains_key("lang")), "{path}: no language");
        assert!(self.of("meta").any(|it| it.get("name").is_some_and(|name| name == "viewport")), "{path}: no viewport");
        assert!(self.of("meta").any(|it| it.contains_key("charset")), "{path}: no charset");
        assert_eq!(self.of("title").count(), 1, "{path}");
        let mut last = 0;
        for (name, _) in &self.elements {
            if let Some(level) = name.strip_prefix('h').and_then(|level| level.parse::<u8>().ok()) {
                assert!(level <= last + 1 && (level > 1 || last == 0), "{path}: <{name}> after <h{last}>");
                last = level;
            }
        }
        assert!(last > 0, "{path}: no heading");
        assert!(self.of("input").all(|it| it.contains_key("aria-label")), "{path}: a field without a label");
    }
}

/// Names and values; a value has quotes, and holds none.
fn attributes_of(path: &str, text: &str) -> BTreeMap<String, String> {
    let mut attributes = BTreeMap::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let end = rest.find([' ', '=']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        let (value, after) = match after.strip_prefix("=\"") {
            Some(after) => after.split_once('"').unwrap_or_else(|| panic!("{path}: {text}")),
            None => ("", after),
        };
        references(path, value);
        assert!(attributes.insert(name.to_owned(), value.to_owned()).is_none(), "{path}: {text}");
        rest = after.trim_start();
    }
    attributes
}

/// `&` begins one of the five references that the pages use.
fn references(path: &str, text: &str) {
    for after in text.split('&').skip(1) {
        let known = ["amp;", "lt;", "gt;", "quot;", "#39;"].iter().any(|it| after.starts_with(it));
        assert!(known, "{path}: &{after:.20}");
    }
    assert!(!text.contains('>'), "{path}: {text:.60}");
}

/// Checks every page of a site, and that links lead to what is there and nowhere else.
pub(super) fn check_site(site: &[(String, String)]) -> BTreeMap<String, Html> {
    let pages = site.iter().filter(|(path, _)| path.ends_with(".html"));
    let pages: BTreeMap<String, Html> = pages.map(|(path, text)| (path.clone(), Html::parse(path, text))).collect();
    for (path, page) in &pages {
        page.check(path);
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for link in page.of("a").chain(page.of("link")).filter_map(|it| it.get("href")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                _ if file.starts_with("../") => file[3..].to_owned(),
                _ if folder.is_empty() => file.to_owned(),
                _ => format!("{folder}/{file}"),
            };
            assert!(site.iter().any(|(it, _)| *it == target), "{path}: {link}");
            let leads = anchor.is_empty() || pages.get(&target).is_some_and(|it| it.ids.contains(anchor));
            assert!(leads, "{path}: {link}");
        }
    }
    for (path, text) in site {
        assert!(!text.contains("http:") && !text.contains("https:"), "{path} needs a network");
    }
    pages
}
