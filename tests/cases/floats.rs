//! K08, K09: every float comes back with its bits.

use juliet::Code;
use juliet::core::archive::{Components, EntityText, Findings, open, read_values, write_entity};
use juliet::core::class::value;
use juliet::core::mem::OwnedValue;
use juliet::core::text::{Spelling, parse_f32};
use juliet::prelude::*;

use crate::support::classes::rocks;
use crate::support::{TestProject, accepted, entity_in, only, refused_once, save, save_all};

/// Numbers of both widths.
#[derive(Entity)]
struct Gauge {
    /// Narrow.
    a: f32,
    /// Wide.
    b: f64,
    /// Something to change.
    c: u8,
    /// Three at once.
    v: Vec3,
}

/// Many at once.
#[derive(Entity)]
struct Samples {
    /// Narrow.
    narrow: Vec<f32>,
    /// Wide.
    wide: Vec<f64>,
}

fn gauges() -> ClassRegistry {
    registry![Gauge].unwrap()
}

#[test]
fn k08_number_text_is_unchanged_by_load_and_save() {
    let narrow = ["0.57071066", "9.80665", "-84.2", "142.5", "0.1", "16777216", "0.33333334"];
    let wide = ["0.570710678118", "9.80665", "-84.2", "0.1", "9007199254740993"];
    for (key, text) in narrow.map(|text| ("A", text)).into_iter().chain(wide.map(|text| ("B", text))) {
        let before =
            format!("; entity_type: Gauge\n; id: 0x0100000000000001\nPosition: 0.0, 0.0, 0.0\n{key}: {text}\nC: 0\n");
        let project = TestProject::with(gauges(), &[("A.jasset", &before)]);
        let mut world = project.load_clean();
        let handle = only(&world);
        world.get_mut::<Gauge>(handle).unwrap().c = 1;
        save(&mut world);
        assert_eq!(project.text("A.jasset"), before.replace("C: 0", "C: 1"));
    }
}

#[test]
fn k08_a_written_number_is_the_shortest_and_written_again_the_same() {
    for (text, form) in [
        ("0.57071066", "0.57071066"),
        ("9.80665", "9.80665"),
        ("-84.2", "-84.2"),
        ("142.5", "142.5"),
        ("0.1", "0.1"),
        ("16777216", "16777216.0"),
        ("0.33333334", "0.33333334"),
        ("-0", "-0.0"),
        ("1e-45", "1e-45"),
    ] {
        let project = TestProject::with(gauges(), &[("A.jasset", "; entity_type: Gauge\n; id: 0x1\nA: 7\n")]);
        let mut world = project.load_clean();
        for _ in 0..2 {
            let handle = only(&world);
            world.set_text(handle, "A", text).unwrap();
            save(&mut world);
            let saved = project.text("A.jasset");
            assert!(saved.contains(&format!("\nA: {form}\n")), "{text}: {saved}");
            world = project.load_clean();
            let bits = world.get::<Gauge>(only(&world)).unwrap().a.to_bits();
            assert_eq!(bits, text.parse::<f32>().unwrap().to_bits(), "{text}");
        }
    }
    let (world, handle) = accepted(gauges(), "; entity_type: Gauge\nB: 0.570710678118\n");
    assert_eq!(world.get_text(handle, "B").unwrap(), "0.570710678118");
}

#[test]
fn k08_a_literal_is_rounded_once_at_its_own_width() {
    let text = "; entity_type: Gauge\nA: 1.00000017881393432617187499\n";
    let (world, handle) = accepted(gauges(), text);
    assert_eq!(world.get::<Gauge>(handle).unwrap().a.to_bits(), 0x3F80_0001);
    assert_eq!(parse_f32("1.00000017881393432617187499").unwrap().to_bits(), 0x3F80_0001);
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

/// Writes `count` random bit patterns of both widths as whole entities, reads them back and compares the bits.
fn patterns_come_back(seed: u64, count: usize) {
    /// So many fit a line.
    const AT_ONCE: usize = 2000;
    let registry = registry![Samples].unwrap();
    let kind = registry.find_kind::<Samples>().unwrap();
    let value = || OwnedValue::new(&registry, kind).unwrap();
    let (mut random, mut text, mut there, mut back) = (Random(seed), Vec::new(), value(), value());
    for round in 0..count.div_ceil(AT_ONCE) {
        let samples = there.as_mut().downcast_mut::<Samples>().unwrap();
        samples.narrow.clear();
        samples.narrow.extend((0..AT_ONCE).map(|_| f32::from_bits(random.next() as u32)));
        samples.wide.clear();
        samples.wide.extend((0..AT_ONCE).map(|_| f64::from_bits(random.next())));
        let spelling = if round % 2 == 0 { Spelling::Colon } else { Spelling::Node };
        let entity = EntityText {
            class: Samples::CLASS,
            id: 1,
            position: [0.0, 0.0, 0.0, 1.0],
            value: there.as_ref(),
            inherits: None,
            components: Components::NONE,
        };
        text.clear();
        write_entity(&entity, spelling, &mut text);
        let text = std::str::from_utf8(&text).unwrap();
        let mut findings = Findings::new();
        back.reset();
        let opened = open(&registry, "A", text, &mut findings).unwrap();
        read_values(&opened, back.as_mut(), &mut findings);
        assert!(findings.is_empty(), "seed {seed:#x}, round {round}: {:?}", findings.into_diagnostics("A"));
        assert!(value::same(back.as_ref(), entity.value), "seed {seed:#x}, round {round}");
    }
}

#[test]
fn k08_random_bit_patterns_come_back() {
    patterns_come_back(0x4B08, 200_000);
}

#[test]
#[ignore = "ten million patterns take minutes without optimisation; the default run has 200,000"]
fn k08_ten_million_random_bit_patterns_come_back() {
    patterns_come_back(0x4B08_0001, 10_000_000);
}

#[test]
fn k09_infinities_and_nan_come_back_as_what_they_are() {
    for spelling in [Spelling::Colon, Spelling::Node] {
        let project = TestProject::with::<&str>(gauges(), &[]);
        let mut world = project.load_clean();
        world.set_new_file_spelling(spelling);
        let gauge = |a: f32, b: f64| Gauge { a, b, c: 0, v: Vec3::new(f32::INFINITY, 0.0, f32::NAN) };
        let mut files = Vec::new();
        for (a, b) in [
            (f32::INFINITY, f64::NEG_INFINITY),
            (f32::NEG_INFINITY, f64::NAN),
            (f32::NAN, f64::INFINITY),
            (-f32::NAN, -f64::NAN),
            (f32::from_bits(0x7F80_0001), f64::from_bits(0x7FF0_0000_0000_0001)),
        ] {
            let handle = world.spawn(gauge(a, b), Vec3::ZERO).unwrap();
            files.push((world.file_of(handle).unwrap(), a, b));
        }
        save(&mut world);
        let mut world = project.load_clean();
        for (file, a, b) in files {
            let name = file.rsplit('/').next().unwrap();
            let handle = entity_in(&world, name);
            let read = world.get::<Gauge>(handle).unwrap();
            let class = |x: f64| (x.is_nan(), x.is_infinite(), !x.is_nan() && x.is_sign_negative());
            assert_eq!(class(read.a.into()), class(a.into()), "{}", project.text(name));
            assert_eq!(class(read.b), class(b), "{}", project.text(name));
            assert!(read.v.x == f32::INFINITY && read.v.y.to_bits() == 0 && read.v.z.is_nan(), "{}", read.v);
            // NaN is equal to itself as a value of a file.
            assert!(!world.set(handle, "v", read.v).unwrap());
        }
        let before = project.picture();
        save_all(&mut world);
        assert_eq!(project.picture(), before);
    }
}

#[test]
fn k09_other_spellings_of_what_is_not_finite_are_refused() {
    for (text, code) in [
        ("inf.0", Code::NotANumber),
        ("-nan.0", Code::NotANumber),
        ("-nan", Code::NotANumber),
        ("1.#INF", Code::NotANumber),
        ("nan(0x1)", Code::NotANumber),
        ("Infinity", Code::NotANumber),
        ("INF", Code::NotANumber),
        ("NaN", Code::NotANumber),
        ("0x10", Code::NotANumber),
        ("1e400", Code::FloatRange),
        ("-1e39", Code::FloatRange),
    ] {
        let error = refused_once(rocks(), format!("; entity_type: Rock\nScale: {text}\n"));
        assert_eq!((error.code, error.line, error.column), (code, 2, 8), "{text}");
        assert_eq!((&*error.property, &*error.found), ("Scale", text));
    }
}
