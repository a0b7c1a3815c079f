//! The shipped project again, made of templates: 88 of them in chains of up to five, 17,513 instances in several worlds and both
//! spellings. It loads without a finding, every value is the one that a resolver of its own finds in the files, a change of a template
//! reaches those who do not override it and nobody else, and saving all of it writes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::shipped::{FILES, KNOWN, Known, laid_out, shipped, shuffle};
use super::shipped_text::{Naive, Random, Sample, items};
use super::*;

const WORLDS: usize = 6;
const TEMPLATES: usize = 88;
/// Changed templates for each world.
const CHANGES: usize = 8;

/// A template or an instance, as its file has it.
struct Author {
    known: &'static Known,
    template: Option<String>,
    /// Leaf by leaf, in the colon spelling.
    says: BTreeMap<String, String>,
}

fn path_of(template: usize) -> String {
    format!("Assets/Templates/{}/Kind_{template}.jasset", ["Props", "Props/Small", "Traps & Ärger"][template % 3])
}

/// Five templates for each class, the last with three; a chain or a tree.
fn class_of(template: usize) -> &'static Known {
    // All groups of classes but four.
    let group = (0..22).filter(|group| ![3, 19, 20, 21].contains(group)).nth(template / 5).unwrap();
    &KNOWN[4 * group]
}

fn parent_of(template: usize, random: &mut Random) -> Option<usize> {
    match template % 5 {
        0 => None,
        level if template.is_multiple_of(2) => Some(template - 1 - random.below(level as u64) as usize),
        _ => Some(template - 1),
    }
}

/// Some of the lines that a file of the class has.
fn some_lines(random: &mut Random, known: &Known) -> Vec<(String, String)> {
    let among = 1 + random.below(4);
    let mut lines = (known.lines)(random);
    lines.retain(|_| random.one_in(among));
    shuffle(random, &mut lines);
    lines
}

fn write_template(random: &mut Random, template: usize) -> String {
    let known = class_of(template);
    let mut lines = some_lines(random, known);
    if random.one_in(2) {
        lines.insert(0, ("position".into(), Vec3::text(random)));
    }
    let directive = match parent_of(template, random) {
        Some(parent) => ("template", path_of(parent)),
        None => (random.pick(&["class", "entity_type"]), known.name.to_owned()),
    };
    let colon = !random.one_in(3);
    laid_out(random, colon, template.is_multiple_of(7), &[directive], &lines)
}

fn write_instance(random: &mut Random, template: usize, id: u64, crlf: bool) -> String {
    let mut lines = if random.one_in(3) { Vec::new() } else { some_lines(random, class_of(template)) };
    lines.insert(0, ("position".into(), Vec3::text(random)));
    let path = match random.below(12) {
        0 => path_of(template).replace('/', "\\"),
        1 => path_of(template).replace("Templates/", "./Templates//"),
        _ => path_of(template),
    };
    let mut directives = vec![("template", path), ("id", format!("{id:#018x}"))];
    if random.one_in(3) {
        directives.swap(0, 1);
    }
    let colon = !random.one_in(3);
    laid_out(random, colon, crlf, &directives, &lines)
}

impl Author {
    fn of(text: &str, class: impl FnOnce(Option<&str>) -> &'static Known) -> Self {
        let naive = Naive::of(text);
        let named = naive.directives.iter().find(|(name, _)| name == "template");
        let template = named.map(|(_, path)| path.replace('\\', "/").replace("./Templates//", "Templates/"));
        let mut says = BTreeMap::new();
        for (key, value) in naive.in_colon_spelling().filter(|(key, _)| key != "Position") {
            leaf_by_leaf(&key, value, &mut says);
        }
        Self { known: class(template.as_deref()), template, says }
    }
}

/// The structs among the properties are overridden leaf by leaf, also where they stand in braces.
fn leaf_by_leaf(key: &str, value: &str, says: &mut BTreeMap<String, String>) {
    if !["Light", "Deep", "Deep.Glow"].contains(&key) {
        says.insert(key.to_owned(), value.to_owned());
        return;
    }
    for item in items(value) {
        let (name, value) = item.split_once(':').unwrap();
        leaf_by_leaf(&format!("{key}.{}", name.trim()), value.trim(), says);
    }
}

/// The templates of the project, as their files are now.
struct Library(BTreeMap<String, Author>);

impl Library {
    fn read(root: &Path) -> Self {
        let read = |template: usize| {
            let text = fs::read_to_string(root.join(path_of(template).strip_prefix("Assets/").unwrap())).unwrap();
            (path_of(template), Author::of(&text, |_| class_of(template)))
        };
        Self((0..TEMPLATES).map(read).collect())
    }

    /// What an author has in the end.
    fn resolved(&self, author: &Author) -> Naive {
        let (mut says, mut above) = (author.says.clone(), author.template.as_ref());
        while let Some(template) = above.map(|path| &self.0[path]) {
            for (key, value) in &template.says {
                says.entry(key.clone()).or_insert_with(|| value.clone());
            }
            above = template.template.as_ref();
        }
        Naive::in_colon(says.into_iter().collect())
    }

    /// Whether a change of `keys` in a template reaches an author in one of them.
    fn reaches(&self, template: &str, keys: &[String], author: &Author) -> bool {
        let mut open: BTreeSet<&String> = keys.iter().collect();
        let mut at = author;
        loop {
            open.retain(|key| !at.says.contains_key(*key));
            match &at.template {
                None => return false,
                Some(path) if path == template => return !open.is_empty(),
                Some(path) => at = &self.0[path],
            }
        }
    }
}

struct Shipped {
    root: tempfile::TempDir,
    fs: Faulty,
    project: Project,
}

impl Shipped {
    fn new() -> Self {
        let (root, fs) = (tempfile::tempdir().unwrap(), quick());
        for template in 0..TEMPLATES {
            let text = write_template(&mut Random::new(1000 + template as u64), template);
            put(&root.path().join(path_of(template)), &text);
        }
        let project = Project::open_on(Arc::new(fs.clone()), root.path().join("Assets"), shipped()).unwrap();
        Self { root, fs, project }
    }

    fn check_world(&self, world: usize, count: usize) {
        let random = &mut Random::new(world as u64 + 1);
        let mut files = BTreeMap::new();
        for index in 0..count {
            let template = random.below(TEMPLATES as u64) as usize;
            let id = 0x0100_0000_0000_0000 | (world as u64) << 32 | (index as u64 + 1);
            let folder = random.pick(&["", "", "Lower/", "Lower/Cellar/"]);
            let path = format!("Assets/Worlds/Part{world}/Entities/{folder}Kind_{template}_{index}.jasset");
            files.insert(path, write_instance(random, template, id, world.is_multiple_of(3)));
        }
        files.iter().for_each(|(path, text)| put(&self.root.path().join(path), text));
        let (mut loaded, report) = self.project.load_world(&format!("Part{world}")).unwrap();
        assert_eq!(
            (report.diagnostics.first(), report.loaded, report.skipped),
            (None, count, 0),
            "world {world}: {:?}",
            report.diagnostics.first().map(|it| files.get(&*it.file))
        );
        let mut library = Library::read(&self.root.path().join("Assets"));
        let authors: BTreeMap<u64, Author> = loaded
            .iter()
            .map(|base| {
                let text = &files[&loaded.file_of(base.handle()).unwrap()];
                (base.id(), Author::of(text, |path| library.0[path.unwrap()].known))
            })
            .collect();
        check_values(&loaded, &library, &authors);
        let before = self.fs.counts();
        let saved = loaded.save_all().unwrap();
        for path in saved.written.iter().take(4) {
            let new = fs::read_to_string(self.root.path().join(&**path)).unwrap();
            eprintln!("{path}\n{}\n=====\n{new}", files.get(&**path).cloned().unwrap_or_default());
        }
        assert_eq!((saved.diagnostics.first(), saved.written.len(), saved.removed.len()), (None, 0, 0));
        let after = self.fs.counts();
        assert_eq!(
            (before.opened_for_writing, before.renamed, before.removed),
            (after.opened_for_writing, after.renamed, after.removed)
        );
        for _ in 0..CHANGES {
            self.change(random, &mut loaded, &mut library, &authors);
        }
        let left = loaded.save_all().unwrap();
        assert_eq!((left.diagnostics.first(), left.written.len()), (None, 0));
        for (path, text) in &files {
            assert!(fs::read(self.root.path().join(path)).unwrap() == text.as_bytes(), "{path}");
        }
    }

    /// Changes a property of a template, and saves it.
    fn change(&self, random: &mut Random, world: &mut World, library: &mut Library, authors: &BTreeMap<u64, Author>) {
        let path = path_of(random.below(TEMPLATES as u64) as usize);
        let Some(template) = world.find_template(&path) else { return };
        let lines = (library.0[&path].known.lines)(random);
        let Some((key, value)) = lines.get(random.below(lines.len().max(1) as u64) as usize) else { return };
        let key = shipped_text::spelled(key, true);
        let mut named = BTreeMap::new();
        leaf_by_leaf(&key, value, &mut named);
        let keys: Vec<String> = named.into_keys().collect();
        let impact = world.impact(template, Some(&key)).unwrap();
        let ids =
            |list: &[EntityHandle]| -> BTreeSet<u64> { list.iter().map(|&it| world.base(it).unwrap().id()).collect() };
        let reached: BTreeSet<u64> =
            authors.iter().filter(|it| library.reaches(&path, &keys, it.1)).map(|it| *it.0).collect();
        assert_eq!(ids(&impact.reached), reached, "{path} {key}");
        assert!(ids(&impact.shielded).is_disjoint(&reached));
        let changes = world.set_text(template, &key, value).unwrap();
        assert_eq!((world.dirty(), world.dirty_templates().len()), (Vec::new(), usize::from(changes)));
        let saved = world.save().unwrap();
        assert_eq!((saved.diagnostics.first(), saved.written.len()), (None, usize::from(changes)));
        *library = Library::read(&self.root.path().join("Assets"));
        check_values(world, library, authors);
    }
}

fn check_values(world: &World, library: &Library, authors: &BTreeMap<u64, Author>) {
    for base in world.iter() {
        let author = &authors[&base.id()];
        assert_eq!(base.class().name(), author.known.name);
        let resolved = library.resolved(author);
        let is_in = (author.known.is_in)(world, base.handle(), &resolved);
        assert!(is_in, "{:?} {:?}", world.file_of(base.handle()), resolved.lines);
    }
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn check(total: usize) {
    let shipped = Shipped::new();
    for world in 0..WORLDS {
        shipped.check_world(world, total / WORLDS + usize::from(world < total % WORLDS));
    }
}

#[test]
fn project_of_templates_loads_resolves_changes_and_saves() {
    check(FILES / 20);
}

#[test]
#[ignore = "17,513 files, run by cargo xtask full"]
fn project_of_templates_of_full_size_loads_resolves_changes_and_saves() {
    check(FILES);
}
