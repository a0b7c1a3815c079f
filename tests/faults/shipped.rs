//! A project of the size of a shipped game: 88 classes, 278 properties, 38 worlds, 17,513 files by many hands. It loads without a
//! finding, every value is the one in its file, and saving all of it changes no byte.

use std::collections::BTreeMap;
use std::fs;

use juliet::glam::{IVec2, IVec3, Quat, Vec2, Vec4};

use super::shipped_text::{Naive, Random, Sample, items, spelled};
use super::*;

const WORLDS: usize = 38;
pub(super) const FILES: usize = 17_513;

#[derive(Property, Clone, Copy, PartialEq, Debug)]
enum Mood {
    Calm,
    Angry,
    #[jasset(name = "fast-asleep")]
    Asleep,
}

impl Sample for Mood {
    fn text(random: &mut Random) -> String {
        random.pick(&["Calm", "Angry", "fast-asleep"]).to_owned()
    }
    fn is(&self, text: &str) -> bool {
        let name = if *self == Self::Asleep { "fast-asleep".to_owned() } else { format!("{self:?}") };
        name == text
    }
    fn same(&self, other: &Self) -> bool {
        self == other
    }
}

#[derive(Property, Clone)]
struct Meters(#[jasset(default = 1.5)] f32);

impl Sample for Meters {
    fn text(random: &mut Random) -> String {
        f32::text(random)
    }
    fn is(&self, text: &str) -> bool {
        self.0.is(text)
    }
    fn same(&self, other: &Self) -> bool {
        self.0.same(&other.0)
    }
}

/// A type of another crate, behind an adapter: `5 s`.
#[derive(Clone, Default)]
struct Seconds(u32);

mod seconds {
    use super::Seconds;

    pub(super) fn read(text: &str) -> Result<Seconds, String> {
        let number = text.strip_suffix(" s").ok_or("seconds end in ` s`")?;
        number.parse().map(Seconds).map_err(|_| format!("`{number}` is no number"))
    }

    pub(super) fn write(value: &Seconds) -> String {
        format!("{} s", value.0)
    }
}

impl Sample for Seconds {
    fn text(random: &mut Random) -> String {
        format!("{}{} s", random.pick(&["", "0"]), random.below(1000))
    }
    fn is(&self, text: &str) -> bool {
        self.0.is(text.strip_suffix(" s").unwrap())
    }
    fn same(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

/// Structs, on lines of their own or in braces.
macro_rules! structs {
    ($($name:ident { $($field:ident: $t:ty),* })*) => {$(
        #[derive(Property, Clone)]
        struct $name {
            $($field: $t,)*
        }

        impl Sample for $name {
            fn text(random: &mut Random) -> String {
                let fields = [$(format!("{}:{}{}", spelled(stringify!($field), true), random.pick(&[" ", "", "  "]), <$t>::item(random))),*];
                let gap = random.pick(&["", " "]);
                format!("{{{gap}{}{gap}}}", fields.join(random.pick(&[", ", ",", " , "])))
            }
            fn is(&self, text: &str) -> bool {
                let pairs: Vec<(&str, &str)> = items(text).into_iter().map(|item| item.split_once(':').unwrap()).collect();
                let of = |field: &str| {
                    let key = spelled(field, true);
                    pairs.iter().find(|pair| pair.0.trim() == key).unwrap().1.trim()
                };
                true $(&& self.$field.is(of(stringify!($field))))*
            }
            fn same(&self, other: &Self) -> bool {
                true $(&& self.$field.same(&other.$field))*
            }
            fn lines(random: &mut Random, key: &str, out: &mut Vec<(String, String)>) {
                if random.one_in(3) {
                    out.push((key.to_owned(), Self::text(random)));
                    return;
                }
                $(<$t>::lines(random, &format!("{key}.{}", stringify!($field)), out);)*
            }
            fn is_in(&self, key: &str, file: &Naive, default: &Self) -> bool {
                match file.get(key) {
                    Some(text) => self.is(text),
                    None => true $(&& self.$field.is_in(&format!("{key}.{}", stringify!($field)), file, &default.$field))*,
                }
            }
        }
    )*};
}

structs! {
    Glow { color: Color, radius: f32, label: String }
    Outer { glow: Glow, count: u16 }
}

/// What a test knows of a class.
pub(super) struct Known {
    pub(super) name: &'static str,
    pub(super) lines: fn(&mut Random) -> Vec<(String, String)>,
    pub(super) is_in: fn(&World, EntityHandle, &Naive) -> bool,
    fields: usize,
}

/// A field's name without `r#`.
fn plain(field: &'static str) -> &'static str {
    field.strip_prefix("r#").unwrap_or(field)
}

macro_rules! class {
    ($name:ident { $($(#[$attribute:meta])* $field:ident: $t:ty),* }) => {
        #[derive(Entity)]
        struct $name {
            $($(#[$attribute])* $field: $t,)*
        }

        impl $name {
            const KNOWN: Known = Known {
                name: stringify!($name),
                lines: |random| {
                    let mut lines = Vec::new();
                    $(if !random.one_in(8) {
                        <$t>::lines(random, plain(stringify!($field)), &mut lines);
                    })*
                    lines
                },
                is_in: |world, handle, file| {
                    let (value, default) = (world.get::<Self>(handle).unwrap(), Self::default_value());
                    true $(&& value.$field.is_in(plain(stringify!($field)), file, &default.$field))*
                },
                fields: [$(stringify!($field)),*].len(),
            };
        }
    };
}

macro_rules! classes {
    ($([$($name:ident)*] $fields:tt)*) => {
        $($(class! { $name $fields })*)*

        pub(super) const KNOWN: &[Known] = &[$($($name::KNOWN),*),*];

        pub(super) fn shipped() -> ClassRegistry {
            let registry = ClassRegistry::new();
            $($(let registry = registry.with::<$name>().unwrap();)*)*
            registry
        }
    };
}

classes! {
    [FlagA FlagB FlagC FlagD] { flag: bool, count: u32, label: String }
    [TinyA TinyB TinyC TinyD] { tiny: i8, small: i16, whole: i32, large: i64 }
    [ByteA ByteB ByteC ByteD] { byte: u8, word: u16, long: u64, size: usize }
    [SignedA SignedB SignedC SignedD] { signed: isize, ratio: f32, exact: f64 }
    [LetterA LetterB LetterC LetterD] { letter: char, code: InlineString<16>, motto: String }
    [InertA InertB InertC InertD] { mesh_asset: AssetRef<Mesh>, #[jasset(default = Vec3::ONE)] scale: Vec3, #[jasset(default = 1.0, unit = "kg")] mass: f32 }
    [PlaneA PlaneB PlaneC PlaneD] { at: Vec2, plane: Vec4, turn: Quat }
    [CellA CellB CellC CellD] { cell: IVec2, block: IVec3, tint: Color }
    [GuardA GuardB GuardC GuardD] { friend: EntityRef, mood: Mood, respawns: bool }
    [LampA LampB LampC LampD] { light: Glow, is_on: bool }
    [DelayA DelayB DelayC DelayD] { length: Meters, #[jasset(with = seconds)] delay: Seconds }
    [PairA PairB PairC PairD] { triple: [f32; 3], pair: [u8; 2], corners: [Vec2; 2] }
    [ListA ListB ListC ListD] { items: Vec<String>, grid: Vec<Vec<i32>>, stops: Vec<Vec3> }
    [ManyA ManyB ManyC ManyD] { lights: Vec<Glow>, targets: Vec<EntityRef> }
    [MaybeA MaybeB MaybeC MaybeD] { #[jasset(default = Some(4.5))] maybe: Option<f32>, title: Option<String>, mesh: Option<AssetRef<Mesh>> }
    [PerhapsA PerhapsB PerhapsC PerhapsD] { key: Option<EntityRef>, place: Option<Vec3>, lamp: Option<Glow>, moods: Vec<Mood> }
    [GoodsA GoodsB GoodsC GoodsD] { description: String, price: u32, weight: f32, is_unique: bool, r#type: Mood }
    [BeastA BeastB BeastC BeastD] { #[jasset(default = 100.0)] health: f32, armor: f32, speed: f32, name: String }
    [DeepA DeepB DeepC DeepD] { deep: Outer, seed: u64, tags: Vec<InlineString<16>> }
    [BoxA BoxB BoxC BoxD] { offset: Vec3, width: f32, height: f32, depth: f32, is_solid: bool, layer: u8 }
    [PointA PointB PointC] { x: f32, y: f32, z: f32 }
    [MarkA MarkB MarkC MarkD MarkE] { hidden: bool }
}

/// One file: its class, and how its author writes.
fn file(random: &mut Random, known: &Known, id: u64, crlf: bool) -> String {
    let colon = !random.one_in(3);
    let mut lines = (known.lines)(random);
    shuffle(random, &mut lines);
    lines.insert(0, ("position".into(), Vec3::text(random)));
    let mut directives =
        vec![(random.pick(&["class", "entity_type"]), known.name.to_owned()), ("id", format!("{id:#018x}"))];
    if random.one_in(3) {
        directives.push(("version", "1".into()));
    }
    if random.one_in(3) {
        directives.swap(0, 1);
    }
    laid_out(random, colon, crlf, &directives, &lines)
}

/// Not every author keeps the order.
pub(super) fn shuffle(random: &mut Random, lines: &mut [(String, String)]) {
    if random.one_in(4) {
        for index in (1..lines.len()).rev() {
            lines.swap(index, random.below(index as u64 + 1) as usize);
        }
    }
}

/// The text of directives and lines, with blanks and comments between.
pub(super) fn laid_out(
    random: &mut Random,
    colon: bool,
    crlf: bool,
    directives: &[(&str, String)],
    lines: &[(String, String)],
) -> String {
    let mut text = String::new();
    let filler = |random: &mut Random, text: &mut String| {
        if random.one_in(5) {
            *text += random.pick(&["\n", "# note; with: marks\n", "  // indented\n", "\t\n", "#\n", "#; id: 7\n"]);
        }
    };
    let all = directives
        .iter()
        .map(|(key, value)| (true, *key, value))
        .chain(lines.iter().map(|(key, value)| (false, &**key, value)));
    for (directive, key, value) in all {
        filler(random, &mut text);
        let trailing = random.pick(&["", "", "", " ", "\t ", "   "]);
        let space = random.pick(&[" ", " ", "", "  "]);
        text += &match (colon, directive) {
            (true, true) => format!(";{space}{key}:{space}{value}{trailing}\n"),
            (true, false) => format!("{}:{space}{value}{trailing}\n", spelled(key, true)),
            (false, _) => format!(";{space}{key}{trailing}\n{value}{trailing}\n"),
        };
    }
    filler(random, &mut text);
    if random.one_in(6) {
        text.pop();
    }
    if crlf {
        text = text.replace('\n', "\r\n");
    }
    if random.one_in(20) { format!("\u{FEFF}{text}") } else { text }
}

/// Paths and texts of a world.
fn world_files(world: usize, count: usize, random: &mut Random) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for index in 0..count {
        let known = &KNOWN[(world + index * 7) % KNOWN.len()];
        let id = 0x0100_0000_0000_0000 | (world as u64) << 32 | (index as u64 + 1);
        let folder = random.pick(&["", "", "", "Lower/", "Lower/Cellar/"]);
        files.insert(
            format!("Worlds/Level{world:02}/Entities/{folder}{}_{index}.jasset", known.name),
            file(random, known, id, world.is_multiple_of(5)),
        );
    }
    files
}

fn check(total: usize) {
    let root = tempfile::tempdir().unwrap();
    let fs = quick();
    let mut seen = 0;
    for world in 0..WORLDS {
        let count = total / WORLDS + usize::from(world < total % WORLDS);
        let files = world_files(world, count, &mut Random::new(world as u64 + 1));
        for (path, text) in &files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let project = Project::open_on(Arc::new(fs.clone()), root.path(), shipped()).unwrap();
        let (mut loaded, report) = project.load_world(&format!("Level{world:02}")).unwrap();
        assert_eq!(
            report.diagnostics,
            [],
            "world {world}: {:?}",
            report.diagnostics.first().map(|it| files.get(it.file.split_once('/').unwrap().1))
        );
        assert_eq!((loaded.len(), report.skipped), (count, 0));
        for base in loaded.iter() {
            let path = loaded.file_of(base.handle()).unwrap();
            let text = &files[path.split_once('/').unwrap().1];
            let naive = Naive::of(text);
            let known = KNOWN.iter().find(|known| known.name == base.class().name()).unwrap();
            assert_eq!(naive.directive(&["class", "entity_type"]), known.name);
            assert_eq!(naive.directive(&["id"]), format!("{:#018x}", base.id()));
            let [x, y, z, _] = base.position().to_array();
            assert!(Vec3::new(x, y, z).is(naive.get("position").unwrap()), "{path}\n{text}");
            assert!((known.is_in)(&loaded, base.handle(), &naive), "{path}\n{text}");
        }
        let saved = loaded.save_all().unwrap();
        assert_eq!((saved.diagnostics, saved.written.len(), saved.unchanged), (vec![], 0, count));
        loaded.for_each_position_mut(|position| position.x = -(-position.x));
        assert!(loaded.dirty().is_empty());
        for (path, text) in &files {
            assert!(fs::read(root.path().join(path)).unwrap() == text.as_bytes(), "{path}");
        }
        seen += count;
    }
    assert_eq!(seen, total);
    let counts = fs.counts();
    assert_eq!((counts.opened_for_writing, counts.renamed, counts.removed, counts.opened_log), (0, 0, 0, 0));
    assert!(!root.path().join(".juliet").exists());
}

#[test]
fn project_has_the_size_of_the_shipped_one() {
    assert_eq!(KNOWN.len(), 88);
    assert_eq!(KNOWN.iter().map(|known| known.fields).sum::<usize>(), 278);
    let registry = shipped();
    assert_eq!(registry.classes().iter().map(|class| class.properties().len()).sum::<usize>(), 278);
}

#[test]
fn shipped_project_loads_saves_unchanged_and_holds_what_its_files_say() {
    check(FILES / 20);
}

#[test]
#[ignore = "17,513 files, run by cargo xtask full"]
fn shipped_project_of_full_size_loads_saves_unchanged_and_holds_what_its_files_say() {
    check(FILES);
}
