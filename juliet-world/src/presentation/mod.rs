//! What is drawn between two ticks: the two latest end-of-tick states of every entity, and where a frame lies between them.
//!
//! ```text
//! tick T-1        tick T          tick T+1 is due
//!    │ prev          │ curr          │
//!    ●───────────────●───────────────○────► simulation
//!                    ├──── alpha ────┤
//!                    0        ▲      1      the frame at ▲ shows prev + (curr - prev) · alpha: one tick behind, never ahead
//! ```
//!
//! Comes in: the world, through [`Positions`], after each completed tick ([`PresentationSnapshot::on_tick`]); the clock reading of each
//! frame ([`on_render_frame`](PresentationSnapshot::on_render_frame)). Goes out: [`sample_position`](PresentationSnapshot::sample_position)
//! for one entity, [`for_each_sample`](PresentationSnapshot::for_each_sample) for all.
//!
//! Invariants: nothing is allocated after creation; the world is only read; alpha comes from the wall clock and is for the eye: it must
//! reach neither simulation nor state hashes nor replays.
//!
//! Absent on purpose: extrapolation, and hashing of handles.

mod channel;
mod manager;
mod pose;
mod snapshot;

pub use channel::{Interpolate, Linear, Radians, Slerp, Turns};
pub use manager::{BasePositions, ClassPositions};
pub use pose::{Pose, Position2D, Positions};
pub use snapshot::{PresentationSnapshot, SampleError, SnapshotError, SnapshotOptions};

#[cfg(test)]
mod tests;
