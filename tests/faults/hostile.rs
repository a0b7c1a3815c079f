//! Files made to break a reader, as files of a world: diagnostics, in linear time, and every file as it was.

use std::fs::{self, File};

use growth::{check_linear, cpu_time};
use juliet::core::archive::{Findings, decode, open, read_values};
use juliet::{MigrateError, Migration, OwnedValue};

use super::*;

/// A class with a value of every family, and a migration for older files.
#[derive(Entity)]
#[jasset(version = 2, migrate = older)]
struct Target {
    flag: bool,
    number: i16,
    ratio: f32,
    letter: char,
    text: String,
    short: InlineString<8>,
    at: Vec3,
    tint: Color,
    mesh: AssetRef<Mesh>,
    friend: EntityRef,
    mood: Mood,
    spot: Spot,
    list: Vec<Vec<Vec<String>>>,
    pair: [u8; 2],
    maybe: Option<f64>,
}

#[derive(Property, Clone, Copy)]
enum Mood {
    Calm,
    Angry,
}

#[derive(Property)]
struct Spot {
    across: f32,
    names: Vec<String>,
}

fn older(migration: &mut Migration<'_>) -> Result<(), MigrateError> {
    migration.rename("Amount", "Number");
    Ok(())
}

const SAMPLE: &str = "# a sample\r\n; entity_type: Target\n; id: 0x0200000000000001\n; class_version: 2\nPosition: 1.0, -2.5, 3e2\nFlag: true\nNumber: -0x10\nRatio: 0.125\nLetter: ü\nText: \"a\\tb\\u{263A}\" \nShort: none\nAt: 1 2 3\nTint: 1, 0.5, 0\nMesh: Assets/Meshes/./A.obj\nFriend: 0x0200000000000002\nMood: Angry\nSpot.Across: 1\nSpot.Names: [a, \"b]\", c]\nList: [[[x], []], []]\nPair: [1, 2]\nMaybe: none\nUnknown: 1\n// the end\n";
const NODES: &str = "; class\nTarget\n; id\n0x0200000000000001\n; class_version\n2\n; position\n1.0 -2.5 3e2\n; flag\ntrue\n; number\n12\n; text\n# not a comment\n; spot\n{ Across: 1, Names: [a] }\n; list\n[[[x], []], []]\n; maybe\n2.5\n";

fn target_registry() -> ClassRegistry {
    registry![Target].unwrap()
}

struct Subject {
    registry: ClassRegistry,
    scratch: OwnedValue,
}

impl Subject {
    fn new() -> Self {
        let registry = target_registry();
        let scratch = OwnedValue::new(&registry, 0).unwrap();
        Self { registry, scratch }
    }

    /// Reads bytes as a file: what was found, all of it with a place and bounded.
    fn read(&mut self, bytes: &[u8]) -> Vec<Diagnostic> {
        let mut findings = Findings::new();
        match decode("f.jasset", bytes) {
            Err(diagnostic) => findings.error(*diagnostic),
            Ok(text) => {
                if let Some(opened) = open(&self.registry, "f.jasset", text, &mut findings) {
                    self.scratch.reset();
                    read_values(&opened, self.scratch.as_mut(), &mut findings);
                } else {
                    assert!(!findings.is_ok(), "left out without a reason");
                }
            }
        }
        let found = findings.into_diagnostics("f.jasset");
        assert!(found.len() <= Findings::LIMIT + 2, "{}", found.len());
        for diagnostic in &found {
            assert_eq!(&*diagnostic.file, "f.jasset");
            let size = diagnostic.message.len()
                + diagnostic.found.len()
                + diagnostic.expected.len()
                + diagnostic.property.len();
            assert!(size < 5_000, "{size}");
        }
        found
    }
}

#[test]
fn sample_cut_at_every_byte_gives_diagnostics_or_values() {
    let mut subject = Subject::new();
    for sample in [SAMPLE, NODES] {
        assert!(
            subject.read(sample.as_bytes()).iter().all(|it| !it.is_error()),
            "{:?}",
            subject.read(sample.as_bytes())
        );
        for cut in 0..sample.len() {
            let found = subject.read(&sample.as_bytes()[..cut]);
            // Without its class a file is no entity.
            let named = sample.find("Target").unwrap() + "Target".len();
            assert!(cut >= named || !found.is_empty(), "{cut}");
        }
    }
}

/// Reads the sample with every byte of it replaced by each of `by`.
fn change_bytes(sample: &str, by: impl Iterator<Item = u8> + Clone) {
    let mut subject = Subject::new();
    for at in 0..sample.len() {
        let mut bytes = sample.as_bytes().to_vec();
        for byte in by.clone() {
            bytes[at] = byte;
            subject.read(&bytes);
        }
    }
}

#[test]
fn sample_with_any_byte_changed_gives_diagnostics_or_values() {
    change_bytes("; entity_type: Target\n; id: 0x2A\nAt: 1, 2.5 -3e1\nList: [[[\"a\", b]], []]\n", 0..=u8::MAX);
    let marks = b"\0\t\n\r !\"#+,-./0:;=[\\]_a{}\x7F\x80\xC3\xE2\xEF\xF4\xFF";
    for sample in [SAMPLE, NODES] {
        change_bytes(sample, marks.iter().copied());
    }
}

#[test]
#[ignore = "200,000 reads, run by cargo xtask full"]
fn samples_with_any_byte_changed_to_any_other_give_diagnostics_or_values() {
    for sample in [SAMPLE, NODES] {
        change_bytes(sample, 0..=u8::MAX);
    }
}

#[test]
fn samples_with_bytes_changed_as_files_of_a_world_stay_as_they_are() {
    let content = Content::of(&[]);
    let mut random = 7u64;
    for index in 0..600u64 {
        let mut bytes =
            if index % 3 == 0 { NODES } else { SAMPLE }.replace("000001\n", &format!("{index:06}\n")).into_bytes();
        for _ in 0..1 + index % 3 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = (random >> 33) as usize % bytes.len();
            match index % 4 {
                0 => bytes.truncate(at + 1),
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, (random >> 20) as u8),
                _ => bytes[at] ^= 1 << (random % 8),
            }
        }
        content.put(&format!("{index:03}.jasset"), bytes);
    }
    let before = content.snapshot();
    let project = Project::open_on(Arc::new(quick()), content.root(), target_registry()).unwrap();
    let (mut world, report) = project.load_world("W").unwrap();
    assert_eq!((world.len(), report.loaded, report.loaded + report.skipped), (world.len(), world.len(), 600));
    assert!(report.skipped > 100 && world.len() > 100, "{} {}", report.skipped, world.len());
    world.entities().validate().unwrap();
    // Every file that is left out has its reason.
    let mut refused: Vec<&str> = report.diagnostics.iter().filter(|it| it.is_error()).map(|it| &*it.file).collect();
    refused.dedup();
    assert_eq!(refused.len(), report.skipped);
    let saved = world.save_all().unwrap();
    assert_eq!((saved.diagnostics, saved.written.len()), (vec![], 0));
    assert!(content.snapshot() == before);
}

/// Each hostile file, by what it is made of, and the codes that tell it.
fn corpus() -> Vec<(&'static str, Vec<u8>, Option<Code>)> {
    let head = "; entity_type: Target\n; id: 0x0200000000000001\n; class_version: 2\n";
    let with = |lines: &str| format!("{head}{lines}").into_bytes();
    let text = |parts: &[&str]| with(&parts.concat());
    let brackets = "[".repeat(60_000);
    vec![
        ("invalid UTF-8", [head.as_bytes(), b"Text: \xc3\x28\n"].concat(), Some(Code::NotUtf8)),
        ("cut UTF-8", [head.as_bytes(), b"Text: \xe2\x98"].concat(), Some(Code::NotUtf8)),
        ("surrogates", [head.as_bytes(), b"Text: \xed\xa0\x80\n"].concat(), Some(Code::NotUtf8)),
        ("UTF-16", b"\xff\xfe;\0 \0".to_vec(), Some(Code::Utf16Bom)),
        ("zeros alone", vec![0; 5000], None),
        ("zero in a value", with("Text: a\0b\n"), Some(Code::ControlCharacter)),
        ("zero in a key", with("Te\0xt: a\n"), None),
        ("line of 10 MiB", text(&["Text: ", &"x".repeat(10 << 20), "\n"]), Some(Code::LineTooLong)),
        ("line of 10 MiB without an end", text(&["# ", &"x".repeat(10 << 20)]), Some(Code::LineTooLong)),
        ("line of 64 KiB and a bit", text(&["Text: ", &"x".repeat(64 << 10), "\n"]), Some(Code::LineTooLong)),
        ("open brackets", text(&["List: ", &brackets, "\n"]), Some(Code::NestingTooDeep)),
        (
            "brackets both ways",
            text(&["List: ", &brackets[..30_000], &"]".repeat(30_000), "\n"]),
            Some(Code::NestingTooDeep),
        ),
        ("1 MiB of brackets", text(&["List: ", &"[".repeat(1 << 20), "\n"]), Some(Code::LineTooLong)),
        ("1 MiB of braces", text(&["Spot: ", &"{".repeat(1 << 20), "\n"]), Some(Code::LineTooLong)),
        ("braces", text(&["Spot: ", &"{ Across: ".repeat(6_000), "\n"]), None),
        ("commas", text(&["List: [", &",".repeat(60_000), "]\n"]), None),
        ("one quote", text(&["List: [[[\"", &"a\\".repeat(30_000), "\n"]), None),
        ("quotes", text(&["Text: ", &"\"".repeat(60_000), "\n"]), Some(Code::BadQuote)),
        ("digits", text(&["Number: ", &"9".repeat(60_000), "\n"]), Some(Code::IntegerRange)),
        ("digits after a point", text(&["Ratio: 0.", &"9".repeat(60_000), "\n"]), None),
        ("exponent", text(&["Ratio: 1e", &"9".repeat(60_000), "\n"]), Some(Code::FloatRange)),
        ("numbers", text(&["At: ", &"1 ".repeat(30_000), "\n"]), Some(Code::WrongCount)),
        ("dots in a key", text(&["Spot", &".Across".repeat(9_000), ": 1\n"]), None),
        ("blanks", text(&["Text:", &" ".repeat(60_000), "x", &" ".repeat(5_000), "\n"]), None),
        ("path out of the root", with("Mesh: ../../etc/passwd\n"), Some(Code::BadPath)),
        ("path from the root", with("Mesh: /etc/passwd\n"), Some(Code::BadPath)),
        ("path of a drive", with("Mesh: C:\\x.obj\n"), Some(Code::BadPath)),
        ("path with a dot for each", text(&["Mesh: Assets", &"/./a/..".repeat(8_000), "/x.obj\n"]), None),
        ("template", with("; template: ../../etc/passwd\n"), Some(Code::TemplateUnavailable)),
        ("largest numbers", with("; version: 4294967296\n"), Some(Code::BadVersion)),
        ("semicolons", text(&["Flag: true\n", &";".repeat(60_000), "\n"]), None),
        ("semicolon lines", text(&["Flag: true\n", &";\n".repeat(60_000)]), None),
        ("carriage returns", text(&[&"\r".repeat(60_000)]), None),
        ("directives", text(&[&"; entity_type: Target\n".repeat(50_000)]), Some(Code::DuplicateDirective)),
        ("components", text(&[&"; component: X\nA: 1\n".repeat(50_000)]), None),
        ("markers", text(&[&"<<<<<<< a\n=======\n>>>>>>> b\n".repeat(30_000)]), Some(Code::ConflictMarker)),
        ("removals", text(&[&"! List[a]\n".repeat(50_000)]), Some(Code::SyntaxLine)),
        ("item keys", text(&[&"List[a]: 1\n".repeat(50_000)]), None),
    ]
}

#[test]
fn hostile_files_are_told_and_left_alone_and_their_neighbours_load() {
    let mut subject = Subject::new();
    let content = Content::of(&[]);
    for (name, bytes, code) in corpus() {
        let found = subject.read(&bytes);
        if let Some(code) = code {
            assert!(
                found.iter().any(|it| it.code == code && it.is_error() && it.line > 0),
                "{name}: {:?}",
                found.first()
            );
        }
        content.put(&format!("{name}.jasset"), bytes);
    }
    content.put("good.jasset", SAMPLE.replace("000001\n", "000099\n"));
    let before = content.snapshot();
    let project = Project::open_on(Arc::new(quick()), content.root(), target_registry()).unwrap();
    let (mut world, report) = project.load_world("W").unwrap();
    assert_eq!(report.loaded + report.skipped, corpus().len() + 1);
    assert!(world.find_by_id(0x0200_0000_0000_0099).is_some());
    assert!(report.diagnostics.len() < 22 * corpus().len());
    let saved = world.save_all().unwrap();
    assert_eq!((saved.diagnostics, saved.written.len()), (vec![], 0));
    assert!(content.snapshot() == before);
}

#[test]
fn k35_file_past_the_limit_is_refused_unread() {
    let content = Content::of(&[("good.jasset", &rock(1, 1))]);
    let large = File::create(content.at("large.jasset")).unwrap();
    large.set_len((16 << 20) + 1).unwrap();
    let huge = File::create(content.at("huge.jasset")).unwrap();
    // Reading it would take for ever.
    huge.set_len(1 << 40).unwrap();
    let (world, report) = content.load();
    assert_eq!(codes(&report.diagnostics), [(Code::FileTooLarge, "huge.jasset"), (Code::FileTooLarge, "large.jasset")]);
    assert_eq!(&*report.diagnostics[1].message, "the file has 16777217 bytes, the limit is 16777216");
    assert_eq!((&*report.diagnostics[1].found, world.len()), ("16777217", 1));
    large.set_len(16 << 20).unwrap();
    let (_, report) = content.load();
    // Now it is read: a line of zeros.
    assert_eq!(report.diagnostics.iter().filter(|it| it.code == Code::FileTooLarge).count(), 1);
}

/// Files that grow with `count`.
type Grow = fn(usize) -> String;

const HEAD: &str = "; entity_type: Target\n; id: 0x0200000000000001\n";

fn lines(head: &str, count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(head.to_owned(), |mut text, index| {
        text.push_str(&line(index));
        text
    })
}

const GROWING: [(&str, Grow); 12] = [
    ("unknown keys", |n| lines(&format!("{HEAD}; class_version: 2\n"), n, |i| format!("Key{i}: value\n"))),
    ("unknown keys of an older version", |n| {
        lines(&format!("{HEAD}; class_version: 1\n"), n, |i| format!("Key{i}: value\n"))
    }),
    ("duplicate keys", |n| lines(&format!("{HEAD}; class_version: 2\n"), n, |_| "Number: 1\n".into())),
    ("duplicate keys of an older version", |n| lines(HEAD, n, |_| "Number: 1\n".into())),
    ("duplicate unknown keys", |n| lines(&format!("{HEAD}; class_version: 2\n"), n, |i| format!("Key{}: 1\n", i / 2))),
    ("comments", |n| lines(HEAD, n, |i| format!("# comment {i}\n"))),
    ("comments before all", |n| format!("{}{HEAD}", lines("", n, |i| format!("# comment {i}\n")))),
    ("directives", |n| lines(HEAD, n, |i| format!("; key{i}: 1\n"))),
    ("rubbish", |n| lines(HEAD, n, |i| format!("rubbish {i}\n"))),
    ("long strings", |n| {
        lines(&format!("{HEAD}; class_version: 2\n"), n / 500, |i| format!("Key{i}: {}\n", "x".repeat(60_000)))
    }),
    ("semicolons in values", |n| lines(&format!("{HEAD}Flag: true\n"), n, |i| format!("Key{i}:     ;   ;\n"))),
    ("node spelling", |n| lines("; class\nTarget\n; class_version\n1\n", n, |i| format!("; key{i}\n; x\n"))),
];

#[test]
fn k35_time_of_reading_is_linear_in_the_file() {
    for (name, grow) in GROWING {
        check_linear(name, 10_000, |lines| {
            let (mut subject, text) = (Subject::new(), grow(lines));
            cpu_time(|| subject.read(text.as_bytes()))
        });
    }
}

#[test]
fn k35_duplicate_keys_are_told_by_the_first_and_a_count() {
    let text = lines(&format!("{HEAD}; class_version: 2\n"), 100_000, |_| "Number: 1\n".into());
    let found = Subject::new().read(text.as_bytes());
    assert_eq!(found.len(), Findings::LIMIT + 1);
    assert!(found[..Findings::LIMIT].iter().all(|it| it.code == Code::DuplicateKey && it.is_error()));
    let last = &found[Findings::LIMIT];
    assert_eq!((last.code, last.message.contains("99979")), (Code::TooManyFindings, true), "{}", last.message);
}

#[test]
fn k35_long_files_are_edited_and_saved_in_linear_time() {
    for (name, grow) in GROWING {
        check_linear(name, 1_000, |lines| {
            let content = Content::of(&[("A.jasset", &grow(lines))]);
            let project = Project::open_on(Arc::new(quick()), content.root(), target_registry()).unwrap();
            cpu_time(|| {
                let (mut world, _) = project.load_world("W").unwrap();
                // What is left out is measured as well.
                let Some(handle) = world.iter().next().map(|base| base.handle()) else { return };
                world.set_text(handle, "Ratio", "9.5").unwrap();
                let report = world.save().unwrap();
                assert_eq!((report.diagnostics, report.written.len()), (vec![], 1), "{name}");
                assert!(content.text("A.jasset").contains("9.5"));
            })
        });
    }
}

#[test]
fn long_settings_are_told_in_bounds_and_in_linear_time() {
    let content = Content::of(&[]);
    check_linear("settings", 10_000, |lines| {
        fs::write(content.root().join("Worlds/W/WorldSettings.jasset"), "rubbish\n".repeat(lines)).unwrap();
        cpu_time(|| {
            let (_, report) = content.load();
            assert!(report.diagnostics.len() <= Findings::LIMIT + 1);
        })
    });
}
