//! Memory → text → memory: the same values, and the same bytes when written again.

use juliet::core::archive::{Components, EntityText, Findings, open, read_values, verify, write_entity};
use juliet::core::text::{LINE_LIMIT, Spelling};
use juliet::prelude::*;
use juliet::{ErasedMut, ErasedRef};

use super::for_seeds;
use super::values::{Every, Rng};

fn registry() -> ClassRegistry {
    registry![Every].unwrap()
}

fn written(value: &Every, id: u64, position: [f32; 4], spelling: Spelling) -> String {
    let mut out = Vec::new();
    let entity = EntityText {
        class: Every::CLASS,
        id,
        position,
        value: ErasedRef::of_entity(value),
        inherits: None,
        components: Components::NONE,
    };
    write_entity(&entity, spelling, &mut out);
    String::from_utf8(out).unwrap()
}

fn round_trip(rng: &mut Rng, registry: &ClassRegistry) {
    let mut value: Every = rng.value();
    value.cached = rng.value();
    let [x, y, z]: [f32; 3] = rng.value();
    let (id, position) = (rng.bits() | 1, [x, y, z, 1.0]);
    for spelling in [Spelling::Colon, Spelling::Node] {
        let text = written(&value, id, position, spelling);
        let mut findings = Findings::new();
        let opened = open(registry, "Every.jasset", &text, &mut findings).unwrap();
        let mut read = Every::default_value();
        let place = read_values(&opened, ErasedMut::of_entity(&mut read), &mut findings).position.unwrap();
        assert_eq!(findings.into_diagnostics("Every.jasset"), [], "{text}");
        assert_eq!((opened.id(), opened.document().spelling()), (Some(id), spelling));
        assert_eq!(format!("{place:?}"), format!("{position:?}"));
        assert_eq!(read.cached, 41, "a skipped field was read");
        assert!(read.cached_below().iter().all(|&cached| cached == 7));
        read.cached = value.cached;
        assert_eq!(format!("{read:?}"), format!("{value:?}"), "{text}");
        assert_eq!(written(&read, id, place, spelling), text);
        let entity = EntityText {
            class: Every::CLASS,
            id,
            position,
            value: ErasedRef::of_entity(&value),
            inherits: None,
            components: Components::NONE,
        };
        let mut scratch = Every::default_value();
        verify(registry, "Every.jasset", &text, &entity, None, ErasedMut::of_entity(&mut scratch)).unwrap();
    }
}

#[test]
fn every_property_reads_back_as_it_was_written() {
    let registry = registry();
    for_seeds(200, |rng| round_trip(rng, &registry));
}

#[test]
fn what_is_too_long_for_a_line_is_refused_before_it_is_written() {
    let registry = registry();
    let mut rng = Rng::new(1);
    for (length, fits) in
        [(LINE_LIMIT - 7, true), (LINE_LIMIT - 6, true), (LINE_LIMIT - 5, false), (3 * LINE_LIMIT, false)]
    {
        let mut value: Every = rng.value();
        value.set_text("x".repeat(length));
        let text = written(&value, 1, [0.0; 4], Spelling::Colon);
        let entity = EntityText {
            class: Every::CLASS,
            id: 1,
            position: [0.0; 4],
            value: ErasedRef::of_entity(&value),
            inherits: None,
            components: Components::NONE,
        };
        let mut scratch = Every::default_value();
        let verdict = verify(&registry, "E", &text, &entity, None, ErasedMut::of_entity(&mut scratch));
        assert_eq!(verdict.is_ok(), fits, "{length}: {verdict:?}");
    }
}

/// A path from a file is one that a file may hold again.
#[test]
fn asset_paths_are_stable_once_normalised() {
    for_seeds(3000, |rng| {
        let path = rng.value::<AssetRef<super::values::Mesh>>().path();
        let again = AssetRef::<super::values::Mesh>::new(path).map(|it| it.path());
        assert_eq!(again, Ok(path));
    });
}
