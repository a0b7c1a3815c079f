//! What a system is, and where it is to stand.

use crate::ecs::Exclusive;

/// Logic over a world `W`.
pub trait System<W> {
    /// Called once before the first `update`, also when the system was added while others ran.
    fn init(&mut self, world: &mut W) {
        let _ = world;
    }

    /// Called in each run in which its condition holds.
    fn update(&mut self, world: &mut W);

    /// Called once when the system is removed or its schedule ends, if `init` was.
    fn exit(&mut self, world: &mut W) {
        let _ = world;
    }
}

/// A function is a system that does nothing but update.
impl<W, F: FnMut(&mut W)> System<W> for F {
    fn update(&mut self, world: &mut W) {
        self(world);
    }
}

type Condition<W> = Box<dyn FnMut(&W) -> bool + Send>;

/// A system with its name, its stage, and its rules. Made by [`system`].
pub struct SystemConfig<W> {
    name: Box<str>,
    stage: Box<str>,
    before: Vec<Box<str>>,
    after: Vec<Box<str>>,
    conditions: Vec<Exclusive<Condition<W>>>,
    system: Exclusive<Box<dyn System<W> + Send>>,
}

/// A system of this name, in the stage `gameplay`, that runs behind those added before it.
pub fn system<W>(name: impl Into<Box<str>>, system: impl System<W> + Send + 'static) -> SystemConfig<W> {
    SystemConfig {
        name: name.into(),
        stage: "gameplay".into(),
        before: Vec::new(),
        after: Vec::new(),
        conditions: Vec::new(),
        system: Exclusive::new(Box::new(system)),
    }
}

impl<W> SystemConfig<W> {
    /// It runs in this stage, one of the schedule's: [`STAGES`](super::STAGES) in a new one.
    #[must_use]
    pub fn in_stage(mut self, stage: impl Into<Box<str>>) -> Self {
        self.stage = stage.into();
        self
    }

    /// It runs before this system, which stands in the same stage or a later one.
    #[must_use]
    pub fn before(mut self, system: impl Into<Box<str>>) -> Self {
        self.before.push(system.into());
        self
    }

    /// It runs after this system, which stands in the same stage or an earlier one.
    #[must_use]
    pub fn after(mut self, system: impl Into<Box<str>>) -> Self {
        self.after.push(system.into());
        self
    }

    /// It runs only when this holds. Several conditions have to hold together; each is asked until one does not.
    #[must_use]
    pub fn run_if(mut self, condition: impl FnMut(&W) -> bool + Send + 'static) -> Self {
        self.conditions.push(Exclusive::new(Box::new(condition)));
        self
    }

    /// It is called otherwise.
    #[must_use]
    pub(crate) fn named(self, name: &str) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn stage(&self) -> &str {
        &self.stage
    }

    pub(super) fn before_names(&self) -> impl Iterator<Item = &str> {
        self.before.iter().map(|name| &**name)
    }

    pub(super) fn after_names(&self) -> impl Iterator<Item = &str> {
        self.after.iter().map(|name| &**name)
    }

    /// Whether one of its rules names `system`.
    pub(super) fn names(&self, system: &str) -> bool {
        self.before.iter().chain(&self.after).any(|name| &**name == system)
    }

    pub(super) fn is_due(&mut self, world: &W) -> bool {
        self.conditions.iter_mut().all(|condition| condition.get()(world))
    }

    pub(super) fn system_mut(&mut self) -> &mut (dyn System<W> + Send) {
        &mut **self.system.get()
    }
}

impl<W> std::fmt::Debug for SystemConfig<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, stage, before, after, conditions, .. } = self;
        f.debug_struct("SystemConfig")
            .field("name", name)
            .field("stage", stage)
            .field("before", before)
            .field("after", after)
            .field("conditions", &conditions.len())
            .finish()
    }
}
