//! Files: any bytes are read or refused, and what was read is written, read back and written again alike.
#![no_main]
#![allow(dead_code)]

#[path = "../../tests/random/values.rs"]
mod values;

use std::sync::OnceLock;

use juliet::core::archive::{Components, EntityText, Findings, decode, open, read_values, verify, write_entity};
use juliet::core::diag::{Look, render};
use juliet::core::text::Spelling;
use juliet::prelude::*;
use juliet::{ErasedMut, ErasedRef};
use libfuzzer_sys::fuzz_target;
use values::Every;

fn registry() -> &'static ClassRegistry {
    static REGISTRY: OnceLock<ClassRegistry> = OnceLock::new();
    REGISTRY.get_or_init(|| registry![Every].expect("one class collides with nothing"))
}

/// The value and the position a text says; `None` if it is refused, which has to be told.
fn read(text: &str) -> Option<(Every, [f32; 4])> {
    let mut findings = Findings::new();
    let mut value = Every::default_value();
    let mut position = None;
    let opened = open(registry(), "fuzzed.jasset", text, &mut findings);
    if let Some(opened) = &opened {
        position = read_values(opened, ErasedMut::of_entity(&mut value), &mut findings).position;
    }
    let is_ok = findings.is_ok();
    let diagnostics = findings.into_diagnostics("fuzzed.jasset");
    assert!(diagnostics.len() <= Findings::LIMIT + 2);
    assert_eq!(is_ok, !diagnostics.iter().any(Diagnostic::is_error));
    for diagnostic in &diagnostics {
        let _ = render(diagnostic, Look::Plain);
    }
    (is_ok && opened.is_some()).then(|| (value, position.unwrap_or([0.0, 0.0, 0.0, 1.0])))
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = decode("fuzzed.jasset", data) else { return };
    let Some((value, position)) = read(text) else { return };
    for spelling in [Spelling::Colon, Spelling::Node] {
        let mut out = Vec::new();
        let entity = EntityText {
            class: Every::CLASS,
            id: 1,
            position,
            value: ErasedRef::of_entity(&value),
            inherits: None,
            components: Components::NONE,
        };
        write_entity(&entity, spelling, &mut out);
        let text = std::str::from_utf8(&out).expect("what is written is text");
        let mut scratch = Every::default_value();
        let verdict = verify(registry(), "fuzzed.jasset", text, &entity, None, ErasedMut::of_entity(&mut scratch));
        match read(text) {
            Some(again) => {
                assert_eq!(format!("{again:?}"), format!("{:?}", (&value, position)));
                verdict.expect("what reads back is right");
            }
            // Its text grew past the limit of a line.
            None => assert!(verdict.is_err() && data.len() > 4096),
        }
    }
});
