//! For tests: what a function says through `tracing`.

use core::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber, subscriber};

/// Keeps each event as `LEVEL message field=value …`.
#[derive(Clone, Default)]
struct Ear(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // A string takes all that is written to it.
        let _written = match field.name() {
            "message" => write!(self.0, " {value:?}"),
            name => write!(self.0, " {name}={value:?}"),
        };
    }
}

impl Subscriber for Ear {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().expect("no test panics in here").push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// What `f` says on this thread.
pub(crate) fn heard(f: impl FnOnce()) -> Vec<String> {
    let ear = Ear::default();
    subscriber::with_default(ear.clone(), f);
    let lines = ear.0.lock().expect("no test panics in here");
    lines.clone()
}

/// Calls `f` until it says something, for warnings that other tests of the process may just have caused; 5 s at most.
pub(crate) fn heard_soon(f: impl Fn()) -> Vec<String> {
    for _ in 0..100 {
        let lines = heard(&f);
        if !lines.is_empty() {
            return lines;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Vec::new()
}
