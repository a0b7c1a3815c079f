//! Which entity is an instance of which template, and what it overrides.
//!
//! The instances of a template are a list through the records of their bases, in the order in which they joined, so that joining and
//! leaving ask for no memory.

use juliet_core::archive::Overrides;
use juliet_core::entity::EntityHandle;
use static_assertions::const_assert_eq;

use super::{TemplateHandle, Templates};

/// The ledger of every instance: 32 bytes for each base up to the last instance. Room for all is reserved, and costs memory as it is used.
#[derive(Clone, Debug)]
pub(in crate::world) struct Instances {
    /// By base index.
    records: Vec<Record>,
}

#[derive(Clone, Debug, Default)]
struct Record {
    overrides: Overrides,
    before: Option<EntityHandle>,
    after: Option<EntityHandle>,
}
const_assert_eq!(size_of::<Record>(), 32);

/// The two ends of a list.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Members {
    first: Option<EntityHandle>,
    last: Option<EntityHandle>,
}

impl Members {
    /// Whether there is no instance.
    pub(super) fn is_empty(self) -> bool {
        self.first.is_none()
    }
}

impl Instances {
    /// Room for the instances among `capacity` entities.
    pub(in crate::world) fn new(capacity: usize) -> Self {
        let mut records = Vec::new();
        // Only a hint: where there is no such room, the list grows as it is used.
        let _ = records.try_reserve_exact(capacity);
        Self { records }
    }

    /// What an entity overrides; nothing for one that stands alone.
    #[inline]
    pub(in crate::world) fn overrides(&self, handle: EntityHandle) -> &Overrides {
        self.records.get(handle.index() as usize).map_or(const { &Overrides::NONE }, |record| &record.overrides)
    }

    pub(in crate::world) fn overrides_mut(&mut self, handle: EntityHandle) -> &mut Overrides {
        &mut self.record(handle).overrides
    }

    fn record(&mut self, handle: EntityHandle) -> &mut Record {
        let index = handle.index() as usize;
        if index >= self.records.len() {
            self.records.resize_with(index + 1, Record::default);
        }
        &mut self.records[index]
    }

    /// The instances of a list, in the order in which they joined.
    #[inline]
    pub(super) fn of(&self, members: Members) -> impl Iterator<Item = EntityHandle> {
        std::iter::successors(members.first, |handle| self.records.get(handle.index() as usize)?.after)
    }

    /// Notes a new instance. The base has the template's number already.
    pub(in crate::world) fn join(
        &mut self,
        templates: &mut Templates,
        template: TemplateHandle,
        handle: EntityHandle,
        overrides: Overrides,
    ) {
        let Some(Members { first, last }) = templates.get_mut(template).map(|it| &mut it.instances) else { return };
        let before = last.replace(handle);
        match before {
            Some(before) => self.record(before).after = Some(handle),
            None => *first = Some(handle),
        }
        *self.record(handle) = Record { overrides, before, after: None };
    }

    /// Forgets an instance of template `number`, and returns what it overrides. O(1).
    pub(in crate::world) fn leave(
        &mut self,
        templates: &mut Templates,
        number: u16,
        handle: EntityHandle,
    ) -> Option<(TemplateHandle, Overrides)> {
        let template = templates.numbered_mut(number)?;
        let Record { overrides, before, after } = std::mem::take(self.records.get_mut(handle.index() as usize)?);
        self.connect(&mut template.instances, before, after);
        Some((template.handle, overrides))
    }

    /// Lets one follow the other.
    fn connect(&mut self, members: &mut Members, before: Option<EntityHandle>, after: Option<EntityHandle>) {
        match before {
            Some(before) => self.record(before).after = after,
            None => members.first = after,
        }
        match after {
            Some(after) => self.record(after).before = before,
            None => members.last = before,
        }
    }

    /// Follows entities that moved to other slots, each with the number of its template. O(moves).
    pub(in crate::world) fn relocate(
        &mut self,
        templates: &mut Templates,
        moves: &[(EntityHandle, EntityHandle, u16)],
    ) {
        // One after the other: the list is whole after each, whoever stands beside whom.
        for &(old, new, number) in moves {
            let Some(template) = templates.numbered_mut(number) else { continue };
            let Some(record) = self.records.get_mut(old.index() as usize).map(std::mem::take) else { continue };
            let Record { before, after, .. } = record;
            *self.record(new) = record;
            self.connect(&mut template.instances, before, Some(new));
            self.connect(&mut template.instances, Some(new), after);
        }
    }
}
