//! Components in the wrong order: whatever is done to entities and templates, what the program does not know stays in its file for as long
//! as the component in whose section it stands is there, every save succeeds, and what is on disk is what is in memory.

use std::collections::BTreeMap;
use std::fs;

use juliet::prelude::*;
use juliet::{Code, MigrateError, Migration, Mode, Selection, Subject};
use tempfile::TempDir;

use crate::random::for_seeds;
use crate::random::values::Rng;
use crate::support::{TestProject, only, refused_once, save};

#[derive(Entity)]
struct Rock {
    hits: u8,
    loot: IndexMap<String, u32>,
}

#[derive(Component, Clone, Debug)]
#[jasset(alias = "First")]
struct Alpha {
    #[jasset(default = 1)]
    a: i32,
    c: String,
}

#[derive(Property, Clone, Debug)]
struct Pair {
    x: i32,
    y: i32,
}

#[derive(Component, Clone, Debug)]
struct Beta {
    pair: Pair,
    loot: IndexMap<String, u32>,
}

#[derive(Component, Clone, Copy, Debug)]
struct Gamma;

const NAMES: [&str; 3] = ["Alpha", "Beta", "Gamma"];
const LEAVES: [&str; 9] = [
    "Hits",
    "Loot[gold]",
    "Alpha/A",
    "Alpha/C",
    "Beta/Pair.X",
    "Beta/Pair.Y",
    "Beta/Loot[gold]",
    "Beta/Loot[gem]",
    "Alpha/a",
];
const TEMPLATES: [&str; 2] = ["Assets/Templates/T0.jasset", "Assets/Templates/T1.jasset"];

/// Numbers of lines that the program does not know: the part they stand in, `None` for the entity itself and unknown sections.
type Numbers = BTreeMap<u32, Option<usize>>;

/// A file of some parts. Every line that the program does not know has a number of its own.
fn text(rng: &mut Rng, template: Option<&str>, id: Option<u32>, count: &mut u32) -> (String, Numbers) {
    let mut numbers = Numbers::new();
    let mut odd = |rng: &mut Rng, part: Option<usize>, inherits: bool, out: &mut String| {
        while rng.one_in(2) {
            *count += 1;
            numbers.insert(*count, part);
            match rng.below(if inherits { 5 } else { 4 }) {
                0 | 1 => out.push_str(&format!("Odd{count}: x {count}\n")),
                2 => out.push_str(&format!("# note {count}\n")),
                3 => out.push_str(&format!("; odd: {count}\n")),
                _ => out.push_str(&format!("! Odd[k{count}]\n")),
            }
        }
    };
    let inherits = template.is_some();
    let mut text = template.map_or("; class: Rock\n".to_owned(), |path| format!("; template: {path}\n"));
    id.into_iter().for_each(|id| text.push_str(&format!("; id: {id:#x}\n")));
    let mut sections = Vec::new();
    let mut without = Vec::new();
    for (component, name) in NAMES.into_iter().enumerate() {
        let name = if component == 0 && rng.one_in(3) { "First" } else { name };
        match rng.below(5) {
            0 | 1 => {}
            2 if inherits => without.push(name),
            _ => {
                let mut section = format!("; component: {name}\n");
                odd(rng, Some(component), inherits, &mut section);
                for leaf in
                    LEAVES.iter().take(8).filter_map(|leaf| leaf.strip_prefix(&format!("{}/", NAMES[component])))
                {
                    if rng.one_in(3) {
                        section.push_str(&format!("{leaf}: {}\n", rng.below(3)));
                    }
                }
                odd(rng, Some(component), inherits, &mut section);
                // A comment behind everything belongs to what follows.
                section.push_str(&format!("Last{component}: 1\n"));
                sections.push(section);
            }
        }
    }
    if inherits && rng.one_in(3) {
        without.push("Soul");
    }
    without.iter().for_each(|name| text.push_str(&format!("; without: {name}\n")));
    odd(rng, None, inherits, &mut text);
    if rng.one_in(2) {
        text.push_str(&format!("Hits: {}\n", rng.below(3)));
    }
    odd(rng, None, inherits, &mut text);
    let mut ghost = "; component: Ghost\n".to_owned();
    odd(rng, None, inherits, &mut ghost);
    if rng.one_in(2) {
        sections.insert(rng.below(sections.len() + 1), ghost + "Last: 1\n");
    } else {
        numbers.retain(|number, _| !ghost.contains(&number.to_string()));
    }
    text.push_str(&sections.concat());
    (text, numbers)
}

struct Project1 {
    home: TempDir,
    world: World,
    /// By file.
    numbers: BTreeMap<String, Numbers>,
    new_templates: u32,
}

fn load(home: &TempDir) -> World {
    let project = Project::open(home.path(), registry![Rock, Alpha, Beta, Gamma].unwrap()).unwrap();
    let (mut world, report) = project.load_world("W").unwrap();
    assert!(!report.has_errors(), "{:?}", report.diagnostics);
    world.load_all_templates();
    world
}

impl Project1 {
    fn new(rng: &mut Rng) -> Self {
        let home = tempfile::tempdir().unwrap();
        let mut count = 10_000;
        let mut numbers = BTreeMap::new();
        for folder in ["Templates", "Worlds/W/Entities"] {
            fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        let files = [
            ("Templates/T0.jasset", None, None),
            ("Templates/T1.jasset", Some(TEMPLATES[0]), None),
            ("Worlds/W/Entities/E1.jasset", None, Some(1)),
            ("Worlds/W/Entities/E2.jasset", Some(TEMPLATES[0]), Some(2)),
            ("Worlds/W/Entities/E3.jasset", Some(TEMPLATES[1]), Some(3)),
        ];
        for (path, template, id) in files {
            let (text, of_file) = text(rng, template, id, &mut count);
            fs::write(home.path().join(path), text).unwrap();
            numbers.insert(path.to_owned(), of_file);
        }
        let world = load(&home);
        Self { home, world, numbers, new_templates: 0 }
    }

    fn subject(&self, rng: &mut Rng) -> Subject {
        let templates = self.world.templates().map(Subject::Template);
        let all: Vec<Subject> = templates.chain(self.world.iter().map(|it| it.handle().into())).collect();
        all[rng.below(all.len())]
    }

    fn template(&self, rng: &mut Rng) -> TemplateHandle {
        let all: Vec<TemplateHandle> = self.world.templates().collect();
        all[rng.below(all.len())]
    }

    fn step(&mut self, rng: &mut Rng) -> String {
        let (subject, template) = (self.subject(rng), self.template(rng));
        let (name, leaf) = (rng.pick(&NAMES), rng.pick(&LEAVES));
        let file = self.world.file_of(subject).unwrap();
        let world = &mut self.world;
        let what = match rng.below(17) {
            0 | 1 => format!("add {name} {:?}", world.add_component_of(subject, name)),
            2 | 3 => format!("remove {name} {:?}", world.remove_component_of(subject, name)),
            4..=6 => format!("set {leaf} {:?}", world.set_text(subject, leaf, &rng.below(3).to_string())),
            7 => format!("revert {leaf} {:?}", world.revert(subject, leaf)),
            8 => format!("revert {name} {:?}", world.revert(subject, &format!("{name}/"))),
            9 => format!("revert all {:?}", world.revert_all(subject)),
            10 => format!("unlink {:?}", world.unlink(subject)),
            11 => format!("set template {template:?} {:?}", world.set_template(subject, template)),
            12 => format!("apply {leaf} {:?}", world.apply_override(subject, leaf, template)),
            13 => format!("apply all {:?}", world.apply_all(subject, template)),
            14 => match subject {
                Subject::Entity(handle) if self.new_templates < 6 => {
                    self.new_templates += 1;
                    format!("create {:?}", world.create_template(handle, &format!("N{}", self.new_templates)))
                }
                _ => String::new(),
            },
            15 => match subject {
                Subject::Entity(handle) => {
                    let id = world.remove(handle).unwrap();
                    format!("back {:?}", world.restore(id))
                }
                Subject::Template(_) => format!("reread {:?}", world.reread_templates().diagnostics),
            },
            _ => {
                self.save();
                if rng.one_in(2) {
                    self.world = load(&self.home);
                }
                "save".into()
            }
        };
        format!("{file}: {what}\n")
    }

    /// What stands in the section of a component goes with it.
    fn forget_removed(&mut self) {
        let templates = self.world.templates().map(Subject::Template);
        for subject in templates.chain(self.world.iter().map(|it| it.handle().into())) {
            let file = self.world.file_of(subject).unwrap();
            let rows = self.world.components(subject).into_iter().filter(|it| it.is_there);
            let there: Vec<&str> = rows.map(|it| it.class.name()).collect();
            if let Some((_, numbers)) = self.numbers.iter_mut().find(|(path, _)| file.ends_with(&***path)) {
                numbers.retain(|_, part| part.is_none_or(|component| there.contains(&NAMES[component])));
            }
        }
    }

    /// What is there, by file.
    fn rows(world: &World) -> BTreeMap<String, Vec<String>> {
        let templates = world.templates().map(Subject::Template);
        let all = templates.chain(world.iter().map(|it| it.handle().into()));
        let told = |subject: Subject| {
            let rows = world.rows(subject).into_iter();
            let mut told: Vec<String> = rows.map(|it| format!("{} {} {}", it.key, it.value, it.overridden)).collect();
            let mut overrides = world.overrides(subject);
            overrides.sort();
            told.extend(overrides);
            told.sort();
            (world.file_of(subject).unwrap(), told)
        };
        all.map(told).collect()
    }

    fn save(&mut self) {
        let report = self.world.save().unwrap();
        assert!(report.is_complete(), "{:?}", report.diagnostics);
        let again = self.world.save_all().unwrap();
        assert_eq!((again.written.len(), again.diagnostics.len()), (0, 0), "{:?}", again.written);
        let disk = load(&self.home);
        assert_eq!(Self::rows(&self.world), Self::rows(&disk));
        let templates = self.world.templates().map(Subject::Template);
        let all: Vec<Subject> = templates.chain(self.world.iter().map(|it| it.handle().into())).collect();
        for subject in all {
            let file = self.world.file_of(subject).unwrap();
            let Some((_, numbers)) = self.numbers.iter().find(|(path, _)| file.ends_with(&***path)) else { continue };
            let path = self.home.path().join(file.split_once('/').unwrap().1);
            let text = fs::read_to_string(path).unwrap();
            let lost: Vec<u32> = numbers.keys().copied().filter(|it| !text.contains(&it.to_string())).collect();
            assert!(lost.is_empty(), "{file} lost {lost:?}\n{text}");
        }
    }
}

#[test]
fn whatever_is_done_to_parts_keeps_what_is_not_known() {
    for_seeds(150, |rng| {
        let mut project = Project1::new(rng);
        let mut log: String = project
            .numbers
            .keys()
            .map(|it| format!("--- {it}\n{}", fs::read_to_string(project.home.path().join(it)).unwrap()))
            .collect();
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for _ in 0..rng.below(25) {
                log.push_str(&project.step(rng));
                project.forget_removed();
            }
            project.save();
        }));
        if let Err(panic) = done {
            eprintln!("{log}");
            std::panic::resume_unwind(panic);
        }
    });
}

/// A component whose older lines are called what only an entity has.
#[derive(Component, Clone, Debug)]
#[jasset(version = 2, migrate(1 => place))]
struct Seat {
    height: u32,
}

fn place(file: &mut Migration<'_>) -> Result<(), MigrateError> {
    file.rename("Place", "Position");
    if file.get("Height").is_some() {
        file.set("position", "made");
    }
    Ok(())
}

const SEAT: &str = "; class: Rock\n; id: 0x42\nPosition: 1.0, 2.0, 3.0\n; component: Seat\n";

#[test]
fn a_section_has_no_position_that_could_be_lost() {
    let seats = |text: &str| TestProject::with(registry![Rock, Seat].unwrap(), &[("A.jasset", text)]);
    for (old, new) in [
        ("Place: 7\n", "; class_version: 2\nPosition: 7\n"),
        ("Position: 7\n", "; class_version: 2\nPosition: 7\n"),
        ("Height: 5\n", "; class_version: 2\nHeight: 5\nposition: made\n"),
    ] {
        let (old, new) = (format!("{SEAT}{old}"), format!("{SEAT}{new}"));
        let project = seats(&old);
        assert!(project.open().migrate(Mode::Write).unwrap().is_complete());
        assert_eq!(project.text("A.jasset"), new);
        assert!(project.open().migrate(Mode::Write).unwrap().files.is_empty());
        let project = seats(&old);
        let (mut world, _) = project.load();
        let handle = only(&world);
        assert!(world.set(handle, "Seat/Height", 9_u32).unwrap());
        save(&mut world);
        let text = project.text("A.jasset");
        assert_eq!(text.replace("Height: 9\n", ""), new.replace("Height: 5\n", ""));
        assert!(text.contains("Height: 9\n"));
    }
    // It is a stray as any other, and goes when it is told to.
    let project = seats(&format!("{SEAT}; class_version: 2\nPosition: 7\n"));
    let report = project.open().delete_unknown(&[Selection::key("Seat", "Position")], Mode::Write).unwrap();
    assert!(report.is_complete());
    assert_eq!(project.text("A.jasset"), format!("{SEAT}; class_version: 2\n"));
    assert!(project.open().delete_unknown(&[Selection::key("Rock", "Position")], Mode::Write).is_err());
}

#[test]
fn a_template_named_in_a_section_is_told_as_misplaced() {
    let error = refused_once(registry![Rock].unwrap(), "; component: Ghost\n; template: Assets/Templates/T.jasset\n");
    assert_eq!((error.code, error.line), (Code::MisplacedDirective, 2));
}

/// An entity that looks as its template does already, an unknown line in its section.
const LIKE: &str = "; class: Rock\n; id: 0x42\n; component: Alpha\n# why\nOdd: 1\nA: 3\n";

#[test]
fn unknown_lines_stay_when_a_component_says_nothing_any_more() {
    let project = || {
        let project = TestProject::with(registry![Rock, Alpha].unwrap(), &[("A.jasset", LIKE)]);
        project.put("../../../Templates/T0.jasset", "; class: Rock\n; component: Alpha\nA: 3\n");
        let (mut world, _) = project.load();
        let template = world.load_template(TEMPLATES[0]).unwrap();
        let handle = only(&world);
        (project, world, handle, template)
    };
    let stays = "; id: 0x42\n; component: Alpha\n# why\nOdd: 1\n";

    let (on_disk, mut world, handle, _) = project();
    world.create_template(handle, "New").unwrap();
    save(&mut world);
    assert_eq!(on_disk.text("A.jasset"), format!("; template: Assets/Templates/New.jasset\n{stays}"));

    let (on_disk, mut world, handle, template) = project();
    world.set_template(handle, template).unwrap();
    save(&mut world);
    assert_eq!(on_disk.text("A.jasset"), format!("; template: {}\n{stays}", TEMPLATES[0]));

    // Taken away and given again.
    assert!(world.remove_component::<Alpha>(handle).unwrap());
    assert!(world.add_component_of(handle, "Alpha").unwrap());
    save(&mut world);
    assert_eq!(on_disk.text("A.jasset"), format!("; template: {}\n{stays}", TEMPLATES[0]));
}

#[test]
fn an_unknown_component_that_was_taken_away_stays_away_when_nothing_is_inherited() {
    let text = format!("; template: {}\n; id: 0x42\n; without: Soul\n", TEMPLATES[0]);
    let project = TestProject::with(registry![Rock].unwrap(), &[("A.jasset", text)]);
    project.put("../../../Templates/T0.jasset", "; class: Rock\n; component: Soul\n");
    let (mut world, _) = project.load();
    assert!(world.unlink(only(&world)).unwrap());
    save(&mut world);
    let (world, report) = project.load();
    assert_eq!((world.len(), report.has_errors()), (1, false));
    assert!(!project.text("A.jasset").contains("Soul"));
}
