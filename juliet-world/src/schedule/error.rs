//! Why a schedule refuses something.

use juliet_core::diag::nearest;

/// Why a schedule stays as it was. Every name in question is told.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ScheduleError {
    /// There is no such stage.
    #[error("there is no stage `{stage}`{}", near(suggestion))]
    UnknownStage {
        /// The name.
        stage: Box<str>,
        /// A stage of nearly that name.
        suggestion: Option<Box<str>>,
    },
    /// There is no such system.
    #[error("there is no system `{system}`{}", near(suggestion))]
    UnknownSystem {
        /// The name.
        system: Box<str>,
        /// A system of nearly that name.
        suggestion: Option<Box<str>>,
    },
    /// Two systems would have one name.
    #[error("there is a system `{system}` already, in the stage `{first}`; the other one is for `{second}`")]
    DuplicateSystem {
        /// The name.
        system: Box<str>,
        /// The stage of the one that is there.
        first: Box<str>,
        /// The stage of the other one.
        second: Box<str>,
    },
    /// A rule names a system that is not there.
    #[error("`{system}` is to run {side} `{missing}`, and there is no system of this name{}", near(suggestion))]
    MissingSystem {
        /// The system that has the rule.
        system: Box<str>,
        /// `before` or `after`.
        side: &'static str,
        /// The name that stands for nothing.
        missing: Box<str>,
        /// A system of nearly that name.
        suggestion: Option<Box<str>>,
    },
    /// Two stages would have one name.
    #[error("there is a stage `{stage}` already")]
    DuplicateStage {
        /// The name.
        stage: Box<str>,
    },
    /// The stages of two systems contradict their rule.
    #[error("`{first}` is to run before `{second}`, but its stage `{first_stage}` comes after `{second_stage}`")]
    Stages {
        /// The system that is to run first.
        first: Box<str>,
        /// Its stage.
        first_stage: Box<str>,
        /// The other one.
        second: Box<str>,
        /// Its stage.
        second_stage: Box<str>,
    },
    /// The rules of one stage lead in a circle.
    #[error("systems of the stage `{stage}` wait for each other: {}", circle(systems))]
    Cycle {
        /// The stage.
        stage: Box<str>,
        /// Each runs before the next one, the last before the first.
        systems: Vec<Box<str>>,
    },
    /// The systems of the world are running: a system asked for what only can be done between two frames.
    #[error("systems are running: a frame cannot be ended, begun, played or stopped by a system or command of it")]
    Running,
    /// Another system names the one that is to be removed.
    #[error("`{by}` is to run before or after `{system}`; remove it first")]
    InUse {
        /// The system that was to be removed.
        system: Box<str>,
        /// The one that names it.
        by: Box<str>,
    },
}

impl ScheduleError {
    pub(super) fn unknown_stage<'n>(stage: &str, stages: impl Iterator<Item = &'n str>) -> Self {
        Self::UnknownStage { stage: stage.into(), suggestion: nearest(stage, stages).map(Into::into) }
    }

    pub(crate) fn unknown_system<'n>(system: &str, systems: impl Iterator<Item = &'n str>) -> Self {
        Self::UnknownSystem { system: system.into(), suggestion: nearest(system, systems).map(Into::into) }
    }
}

fn near(suggestion: &Option<Box<str>>) -> String {
    suggestion.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

fn circle(systems: &[Box<str>]) -> String {
    let names = systems.iter().chain(systems.first()).map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(" before ")
}
