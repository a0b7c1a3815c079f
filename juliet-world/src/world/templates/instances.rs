//! Which entity is an instance of which template, and what it overrides.
//!
//! The instances of a template are a list through the records of their bases, in the order in which they joined, so that joining and
//! leaving ask for no memory.

use std::collections::HashMap;

use juliet_core::archive::Overrides;
use juliet_core::class::ClassKind;
use juliet_core::entity::EntityHandle;
use static_assertions::const_assert_eq;

use super::{TemplateHandle, Templates};
use crate::world::parts::{Ledger, Says};

/// The ledger of every instance: 32 bytes for each base up to the last instance. Room for all is reserved, and costs memory as it is used.
#[derive(Clone, Debug)]
pub(in crate::world) struct Instances {
    /// By base index.
    records: Vec<Record>,
    /// What is said about components, by base index; none without.
    components: HashMap<u32, Vec<(ClassKind, Says)>>,
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
        Self { records, components: HashMap::new() }
    }

    /// What an entity overrides; nothing for one that stands alone.
    #[inline]
    pub(in crate::world) fn overrides(&self, handle: EntityHandle) -> &Overrides {
        self.records.get(handle.index() as usize).map_or(const { &Overrides::NONE }, |record| &record.overrides)
    }

    pub(in crate::world) fn overrides_mut(&mut self, handle: EntityHandle) -> &mut Overrides {
        &mut self.record(handle).overrides
    }

    /// What an instance says about components, by kind.
    #[inline]
    pub(in crate::world) fn components(&self, handle: EntityHandle) -> &[(ClassKind, Says)] {
        self.components.get(&handle.index()).map_or(&[], |said| said)
    }

    pub(in crate::world) fn components_mut(&mut self, handle: EntityHandle) -> Option<&mut Vec<(ClassKind, Says)>> {
        self.components.get_mut(&handle.index())
    }

    /// The same, to be added to; [`forget_empty`](Self::forget_empty) follows.
    pub(in crate::world) fn components_entry(&mut self, handle: EntityHandle) -> &mut Vec<(ClassKind, Says)> {
        self.components.entry(handle.index()).or_default()
    }

    pub(in crate::world) fn forget_empty(&mut self, handle: EntityHandle) {
        if self.components(handle).is_empty() {
            self.components.remove(&handle.index());
        }
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
        ledger: Ledger,
    ) {
        let Some(Members { first, last }) = templates.get_mut(template).map(|it| &mut it.instances) else { return };
        let before = last.replace(handle);
        match before {
            Some(before) => self.record(before).after = Some(handle),
            None => *first = Some(handle),
        }
        let Ledger { overrides, components } = ledger;
        *self.record(handle) = Record { overrides, before, after: None };
        if !components.is_empty() {
            self.components.insert(handle.index(), components);
        }
    }

    /// Forgets an instance of template `number`, and returns what it says itself. O(1).
    pub(in crate::world) fn leave(
        &mut self,
        templates: &mut Templates,
        number: u16,
        handle: EntityHandle,
    ) -> Option<(TemplateHandle, Ledger)> {
        let template = templates.numbered_mut(number)?;
        let Record { overrides, before, after } = std::mem::take(self.records.get_mut(handle.index() as usize)?);
        self.connect(&mut template.instances, before, after);
        let components = self.components.remove(&handle.index()).unwrap_or_default();
        Some((template.handle, Ledger { overrides, components }))
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
            if let Some(said) = self.components.remove(&old.index()) {
                self.components.insert(new.index(), said);
            }
            self.connect(&mut template.instances, before, Some(new));
            self.connect(&mut template.instances, Some(new), after);
        }
    }
}
