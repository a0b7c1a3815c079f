//! Which entity is an instance of which template, and what it overrides.

use juliet_core::archive::Overrides;
use juliet_core::entity::EntityHandle;

use super::{TemplateHandle, Templates};

/// The ledger of every instance. 24 bytes for each base up to the last instance, and 8 in the list of its template.
#[derive(Debug, Default)]
pub(in crate::world) struct Instances {
    /// By base index.
    records: Vec<Record>,
}

#[derive(Clone, Debug, Default)]
struct Record {
    overrides: Overrides,
    /// Place in the template's list.
    at: u32,
}

impl Instances {
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

    /// Notes a new instance. The base has the template's number already.
    pub(in crate::world) fn join(
        &mut self,
        templates: &mut Templates,
        template: TemplateHandle,
        handle: EntityHandle,
        overrides: Overrides,
    ) {
        let Some(template) = templates.get_mut(template) else { return };
        let at = u32::try_from(template.instances.len()).unwrap_or(u32::MAX);
        template.instances.push(handle);
        *self.record(handle) = Record { overrides, at };
    }

    /// Forgets an instance of template `number`, and returns what it overrides. O(1).
    pub(in crate::world) fn leave(
        &mut self,
        templates: &mut Templates,
        number: u16,
        handle: EntityHandle,
    ) -> Option<(TemplateHandle, Overrides)> {
        let template = templates.numbered_mut(number)?;
        let record = std::mem::take(self.records.get_mut(handle.index() as usize)?);
        let at = record.at as usize;
        if template.instances.get(at) != Some(&handle) {
            return None;
        }
        template.instances.swap_remove(at);
        if let Some(moved) = template.instances.get(at).and_then(|moved| self.records.get_mut(moved.index() as usize)) {
            moved.at = record.at;
        }
        Some((template.handle, record.overrides))
    }

    /// Follows entities that moved to other slots. O(moves).
    pub(in crate::world) fn relocate(
        &mut self,
        templates: &mut Templates,
        moves: &[(EntityHandle, EntityHandle, u16)],
    ) {
        let mut taken: Vec<(EntityHandle, u16, Record)> = Vec::with_capacity(moves.len());
        for &(old, new, number) in moves {
            let record = self.records.get_mut(old.index() as usize).map(std::mem::take).unwrap_or_default();
            taken.push((new, number, record));
        }
        for (new, number, record) in taken {
            if let Some(place) =
                templates.numbered_mut(number).and_then(|template| template.instances.get_mut(record.at as usize))
            {
                *place = new;
                *self.record(new) = record;
            }
        }
    }
}
