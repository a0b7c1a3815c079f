//! The invariants of the manager, checked one by one.

use core::hash::BuildHasher;

use super::base::Links;
use super::{EntityHandle, EntityManager};

/// A broken invariant: a fault of this crate, never of its user.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// Base and row of an entity do not name each other.
    #[error("entity {handle:?} names row {row}, whose base is {found:?}")]
    Unlinked {
        /// The entity.
        handle: EntityHandle,
        /// Its row.
        row: u32,
        /// What that row says.
        found: Option<u32>,
    },
    /// Base, slot and row of an entity are of different classes.
    #[error("entity {handle:?} of kind {kind} is listed as another class")]
    ClassMismatch {
        /// The entity.
        handle: EntityHandle,
        /// Kind in its slot.
        kind: u16,
    },
    /// Two counts of the same thing differ.
    #[error("{what}: {left} against {right}")]
    Count {
        /// What is counted.
        what: &'static str,
        /// One count.
        left: usize,
        /// The other.
        right: usize,
    },
    /// A free list leads in a circle, or to something that is not free.
    #[error("free list of {list}: {index} is not free or comes twice")]
    FreeList {
        /// Whose list it is.
        list: &'static str,
        /// Slot or row.
        index: u32,
    },
    /// An id does not lead to its entity.
    #[error("id {id:#018x} of entity {handle:?} leads to {found:?}")]
    Id {
        /// The entity.
        handle: EntityHandle,
        /// Its id.
        id: u64,
        /// Where the index leads.
        found: Option<EntityHandle>,
    },
    /// A removed entity is marked as dirty or listed in a class.
    #[error("slot {index} is free and in a set")]
    Ghost {
        /// The slot.
        index: u32,
    },
}

impl EntityManager {
    /// Checks every invariant: links are mutual, classes agree, counts add up, free lists are acyclic and hold exactly what is free,
    /// and each id leads to exactly one live entity. O(slots + rows), allocates.
    ///
    /// # Errors
    /// All [`Violation`]s that were found.
    pub fn validate(&self) -> Result<(), Vec<Violation>> {
        let mut found = Vec::new();
        let mut with_id = 0;
        for base in self.slots.live().iter() {
            match self.base_at(base) {
                Some(entity) => {
                    self.check_entity(entity.handle(), &mut found);
                    with_id += usize::from(entity.id() != 0);
                }
                None => found.push(Violation::Ghost { index: base }),
            }
        }
        self.check_sets(&mut found);
        self.check_counts(with_id, &mut found);
        self.check_slots(&mut found);
        self.check_rows(&mut found);
        self.check_components(&mut found);
        if found.is_empty() { Ok(()) } else { Err(found) }
    }

    fn check_entity(&self, handle: EntityHandle, found: &mut Vec<Violation>) {
        let base = handle.index();
        let Some(row) = self.slots.payload_at(base) else { return };
        let Links { id, class, kind, .. } = self.links[base as usize];
        let table = self.tables.get(usize::from(kind));
        let listed = self.tables.iter().filter(|table| table.members.test(base)).count();
        if table.is_none_or(|table| table.rows.class() != class || !table.members.test(base)) || listed != 1 {
            found.push(Violation::ClassMismatch { handle, kind });
        }
        let back = table.and_then(|table| table.rows.base_of(row));
        if back != Some(base) {
            found.push(Violation::Unlinked { handle, row, found: back });
        }
        let by_id = self.find_by_id(id);
        if id != 0 && by_id != Some(handle) {
            found.push(Violation::Id { handle, id, found: by_id });
        }
        let entries = self.ids.iter_hash(self.hasher.hash_one(id)).filter(|&&other| other == base).count();
        if entries != usize::from(id != 0) {
            found.push(Violation::Count { what: "places of one id", left: entries, right: 1 });
        }
    }

    /// Members have a row that belongs to them, and every row belongs to a member.
    fn check_components(&self, found: &mut Vec<Violation>) {
        for table in &self.components {
            let rows = &table.rows;
            for base in table.members.iter() {
                let row = table.row(base);
                let back = row.and_then(|row| rows.base_of(row));
                if back != Some(base) {
                    let handle = self.slots.key_at(base).map_or(EntityHandle::NULL, EntityHandle);
                    found.push(Violation::Unlinked { handle, row: row.unwrap_or(u32::MAX), found: back });
                }
                if !self.slots.live().test(base) {
                    found.push(Violation::Ghost { index: base });
                }
            }
            let listed = (0..).zip(&*table.row_of).filter(|&(base, _)| table.row(base).is_some()).count();
            let counts = [
                ("rows and members of a component", rows.count() as usize, table.members.count()),
                ("rows and live rows of a component", rows.count() as usize, rows.live().count()),
                ("entries and members of a component", listed, table.members.count()),
            ];
            let wrong = counts.into_iter().filter(|(_, left, right)| left != right);
            found.extend(wrong.map(|(what, left, right)| Violation::Count { what, left, right }));
            let free = rows.free_rows();
            let is_free = |row| row < rows.used() && rows.base_of(row).is_none() && !rows.live().test(row);
            check_list("rows of a component", &free, rows.used(), is_free, found);
        }
    }

    /// Whatever is in a set of slots is live.
    fn check_sets(&self, found: &mut Vec<Violation>) {
        for set in self.tables.iter().map(|table| &table.members).chain([&self.dirty]) {
            let ghosts = set.iter().filter(|&index| !self.slots.live().test(index));
            found.extend(ghosts.map(|index| Violation::Ghost { index }));
        }
    }

    fn check_counts(&self, with_id: usize, found: &mut Vec<Violation>) {
        let of_classes = self.tables.iter().map(|table| table.rows.count() as usize).sum();
        let mut same = |what, left: usize, right: usize| {
            if left != right {
                found.push(Violation::Count { what, left, right });
            }
        };
        same("entities of all classes and bases", of_classes, self.len());
        same("live slots and bases", self.slots.live().count(), self.len());
        same("ids in the index and entities that have one", self.ids.len(), with_id);
        for table in &self.tables {
            same("rows and live rows of a class", table.rows.count() as usize, table.rows.live().count());
            same("rows and members of a class", table.rows.count() as usize, table.members.count());
        }
    }

    fn check_slots(&self, found: &mut Vec<Violation>) {
        let free = self.slots.free_slots();
        let used = self.slots.used();
        check_list("slots", &free, used, |index| index < used && !self.slots.live().test(index), found);
        let (left, right) = (free.len() + self.len() + self.slots.retired() as usize, self.slots.used() as usize);
        if left != right {
            found.push(Violation::Count { what: "free, live and retired slots and used ones", left, right });
        }
    }

    fn check_rows(&self, found: &mut Vec<Violation>) {
        for table in &self.tables {
            let rows = &table.rows;
            let free = rows.free_rows();
            let is_free = |row| row < rows.used() && rows.base_of(row).is_none() && !rows.live().test(row);
            check_list("rows", &free, rows.used(), is_free, found);
            let (left, right) = (free.len() + rows.count() as usize, rows.used() as usize);
            if left != right {
                found.push(Violation::Count { what: "free and live rows and used ones", left, right });
            }
            for row in rows.live().iter() {
                let base = rows.base_of(row);
                let named = base.and_then(|base| self.slots.payload_at(base));
                let class = base.and_then(|base| self.links.get(base as usize)).map(|links| links.class);
                if named != Some(row) || class != Some(rows.class()) {
                    let handle = base.and_then(|base| self.slots.key_at(base)).map_or(EntityHandle::NULL, EntityHandle);
                    found.push(Violation::Unlinked { handle, row, found: base });
                }
            }
        }
    }
}

/// `is_free` holds for numbers below `used` only.
fn check_list(list: &'static str, free: &[u32], used: u32, is_free: impl Fn(u32) -> bool, found: &mut Vec<Violation>) {
    let mut seen = vec![false; used as usize];
    for &index in free {
        if !is_free(index) || core::mem::replace(&mut seen[index as usize], true) {
            found.push(Violation::FreeList { list, index });
            return;
        }
    }
}
