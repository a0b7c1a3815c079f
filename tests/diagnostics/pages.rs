//! The pages in `docs/diagnostics`: one for each code, and each example does what its page says.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use juliet::Code;
use juliet::prelude::*;

use crate::support::TestProject;

/// The classes that the pages speak of.
mod classes {
    use juliet::prelude::*;

    /// How somebody feels.
    #[derive(Property, Clone, Copy, PartialEq, Debug)]
    pub(super) enum Mood {
        /// Well.
        Calm,
        /// Not well.
        Angry,
    }

    /// A rock.
    #[derive(Entity)]
    #[jasset(version = 1)]
    pub(super) struct Rock {
        /// Size.
        pub(super) scale: f32,
        /// Whether it breaks.
        pub(super) is_destructible: bool,
        /// What is drawn.
        pub(super) mesh_asset: String,
        /// Blows it has taken.
        pub(super) hits: u8,
    }

    /// A sign.
    #[derive(Entity)]
    pub(super) struct Sign {
        /// What it says.
        pub(super) note: String,
        /// What it looks like.
        pub(super) mood: Mood,
        /// Numbers on it.
        pub(super) list: Vec<u32>,
        /// What hangs on it.
        pub(super) link: AssetRef<Rock>,
    }

    /// How something moves.
    #[derive(Component)]
    pub(super) struct Velocity {
        /// Metres a second.
        pub(super) linear: Vec3,
    }
}

fn registry() -> ClassRegistry {
    registry![classes::Rock, classes::Sign, classes::Velocity].unwrap()
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/diagnostics"))
}

fn page_of(code: Code) -> String {
    fs::read_to_string(folder().join(format!("{code}.md"))).unwrap_or_else(|error| panic!("{code}: {error}"))
}

/// The blocks of a page that are fenced with `info`.
fn blocks(page: &str, info: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut rest = page;
    let open = format!("```{info}\n");
    while let Some((_, after)) = rest.split_once(&open) {
        let Some((block, after)) = after.split_once("```") else { panic!("a block is not closed") };
        blocks.push(block.to_owned());
        rest = after;
    }
    blocks
}

/// A text of a page with the templates it comes with, by their paths below the content folder.
struct Example {
    text: String,
    templates: BTreeMap<String, String>,
}

/// The examples of a page that are fenced with `info`.
///
/// A block fenced with `jasset,template` is the file that its first line, a comment, names. It is there for all examples further down,
/// until another block takes its place.
fn examples(page: &str, info: &str) -> Vec<Example> {
    let (mut examples, mut templates) = (Vec::new(), BTreeMap::new());
    for part in page.split("```jasset,").skip(1) {
        let (kind, rest) = part.split_once('\n').unwrap();
        let text = rest.split_once("```").unwrap().0.to_owned();
        if kind == "template" {
            let path = text.lines().next().and_then(|line| line.strip_prefix("# Assets/")).unwrap().to_owned();
            templates.insert(path, text);
        } else if format!("jasset,{kind}") == info {
            examples.push(Example { text, templates: templates.clone() });
        }
    }
    assert_eq!(examples.len(), blocks(page, info).len());
    examples
}

/// What loading an example finds.
fn findings(example: &Example) -> Vec<Diagnostic> {
    let project = TestProject::with(registry(), &[("A.jasset", &example.text)]);
    for (path, text) in &example.templates {
        let path = project.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    project.load().1.diagnostics
}

#[test]
fn each_code_has_a_page_with_its_title_and_no_page_is_left_over() {
    for &code in Code::ALL {
        let page = page_of(code);
        assert_eq!(page.lines().next().unwrap(), format!("# {code}: {}", code.title()));
        assert!(page.lines().nth(2).is_some_and(|line| line.len() > 40), "{code} explains itself");
        let is_warning = page.lines().nth(2).unwrap().starts_with("A warning");
        assert_eq!(is_warning, code.severity() == juliet::Severity::Warning, "{code} says whether it is a warning");
    }
    let pages = fs::read_dir(folder()).unwrap().count();
    assert_eq!(pages, Code::ALL.len());
}

#[test]
fn each_page_has_an_example() {
    for &code in Code::ALL {
        let page = page_of(code);
        let (fails, fixed) = (blocks(&page, "jasset,fails").len(), blocks(&page, "jasset,fixed").len());
        assert_eq!(fails, fixed, "{code}: a failing example has its fixed one");
        assert!(fails > 0 || !blocks(&page, "text").is_empty(), "{code}");
    }
}

#[test]
fn each_failing_example_gives_its_code_alone() {
    let mut run = 0;
    for &code in Code::ALL {
        for example in examples(&page_of(code), "jasset,fails") {
            let found = findings(&example);
            let list: Vec<String> = found.iter().map(ToString::to_string).collect();
            // The instance of a template with a fault says that its template cannot be used; the fault is in the template.
            let is_told = |it: &&Diagnostic| it.code == code || it.code != Code::TemplateUnavailable;
            let own = found.iter().filter(is_told);
            assert_eq!(own.map(|it| it.code).collect::<Vec<_>>(), [code], "{}{list:#?}", example.text);
            run += 1;
        }
    }
    assert!(run >= 25, "{run} examples");
}

#[test]
fn each_fixed_example_loads_without_a_finding() {
    for &code in Code::ALL {
        for example in examples(&page_of(code), "jasset,fixed") {
            let list: Vec<String> = findings(&example).iter().map(ToString::to_string).collect();
            assert_eq!(list, [""; 0], "{code}: {}", example.text);
        }
    }
}
