//! Closing the gaps that removals left.

use core::hash::BuildHasher;

use super::base::Links;
use super::components::ComponentTable;
use super::{EntityHandle, EntityManager};

/// What [`EntityManager::compact`] moved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Old and new handle of each entity whose slot changed. The old ones are stale.
    pub moves: Vec<(EntityHandle, EntityHandle)>,
    /// How many values changed their row. Their handles are as before unless they are in `moves`.
    pub moved_rows: usize,
}

impl EntityManager {
    /// Moves entities from the end into free slots, and values from the end into free rows, so that walks meet no gaps: for level loads.
    ///
    /// O(slots + rows used); allocates the list of moves. As few entities as possible get a new handle; order is not kept. Ids,
    /// positions, values and what is dirty stay with their entities. Runs no user code.
    pub fn compact(&mut self) -> Compaction {
        let mut compaction = Compaction::default();
        let Self { slots, positions, links, dirty, tables, components, ids, hasher, .. } = self;
        slots.compact(|old, new, row| {
            let (from, to) = (old.index, new.index);
            let Links { id, kind, .. } = links[from as usize];
            positions[to as usize] = positions[from as usize];
            links[to as usize] = links[from as usize];
            if dirty.test(from) {
                dirty.clear(from);
                dirty.set(to);
            }
            if let Some(table) = tables.get_mut(usize::from(kind)) {
                table.members.clear(from);
                table.members.set(to);
                table.rows.relink(row, from, to);
            }
            components.iter_mut().for_each(|table| table.move_slot(from, to));
            if id != 0
                && let Some(base) = ids.find_mut(hasher.hash_one(id), |&base| base == from)
            {
                *base = to;
            }
            compaction.moves.push((EntityHandle(old), EntityHandle(new)));
        });
        for table in tables {
            table.rows.compact(|base, row| {
                slots.set_payload(base, row);
                compaction.moved_rows += 1;
            });
        }
        for ComponentTable { rows, row_of, .. } in components {
            rows.compact(|base, row| {
                row_of[base as usize] = row;
                compaction.moved_rows += 1;
            });
        }
        compaction
    }
}
