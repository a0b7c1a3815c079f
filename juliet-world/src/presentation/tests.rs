//! What a snapshot says, and the end of its numbers. What it shows is in `tests/presentation/`.

#![expect(clippy::unwrap_used, reason = "tests")]

use juliet_core::EntityHandle;

use super::{Pose, Positions, PresentationSnapshot, SampleError, SnapshotOptions};
use crate::game_loop::heard::{heard, heard_soon};
use crate::sim_math::Fpx16_16;

/// No entities, or only ones without a position.
struct Bare {
    exist: bool,
}

impl Positions<Fpx16_16> for Bare {
    fn contains(&self, _: EntityHandle) -> bool {
        self.exist
    }

    fn get(&self, _: EntityHandle) -> Option<Pose<Fpx16_16>> {
        None
    }

    fn for_each(&self, _: impl FnMut(EntityHandle, Pose<Fpx16_16>)) {}
}

fn snapshot() -> PresentationSnapshot<Fpx16_16> {
    PresentationSnapshot::new(1, 0, SnapshotOptions::default()).unwrap()
}

#[test]
fn s7_2_a_rate_out_of_range_is_told() {
    let options = SnapshotOptions { tick_rate_hz: 121 };
    let lines = heard_soon(|| assert!(PresentationSnapshot::<Fpx16_16>::new(1, 0, options).is_err()));
    assert_eq!(lines.len(), 1);
    assert!(lines[0].starts_with("WARN presentation/tick_rate_invalid tick_rate_hz=121 "), "{lines:?}");
}

#[test]
fn s7_7_dead_handles_are_told_once() {
    let (snapshot, handle) = (snapshot(), EntityHandle::NULL);
    let lines = heard(|| {
        for _ in 0..1_000 {
            let sample = snapshot.sample_position(&Bare { exist: false }, handle);
            assert_eq!(sample, Err(SampleError::Stale { handle }));
        }
    });
    assert_eq!(lines[0], "WARN ecs/stale_entity_access entity_id=4294967295 generation=4294967295 repeats=0");
    assert!(lines.len() <= 10, "{lines:?}");
}

#[test]
fn s7_7_entities_without_a_position_are_a_quiet_error() {
    let (mut snapshot, handle) = (snapshot(), EntityHandle::NULL);
    let lines = heard(|| {
        let sample = snapshot.sample_position(&Bare { exist: true }, handle);
        assert_eq!(sample, Err(SampleError::NoPosition { handle }));
        snapshot.on_tick(&Bare { exist: true }, 1);
        snapshot.on_render_frame(-1);
        snapshot.on_render_frame(i64::MAX);
        snapshot.reset(handle);
    });
    assert_eq!(lines, [""; 0]);
}
