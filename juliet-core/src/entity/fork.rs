//! A second manager in which the entities of this one are, for a simulation that is thrown away.
//!
//! ```text
//! slots    the same places and generations       handles of the first hold in the second
//!          new ones under the second's own tag   and those of the second never in the first
//! rows     copies, in the order of the rows      without the gaps
//! ```

use super::components::ComponentTable;
use super::manager::Table;
use super::{Capacity, EntityManager};
use crate::class::value;
use crate::mem::ReserveError;
use crate::mem::columns::Column;
use crate::mem::reserve::Pages;
use crate::mem::rows::Rows;

impl EntityManager {
    /// A manager with a copy of every entity: its value and components, id, position, template number, and whether it is dirty.
    ///
    /// A handle of an entity that lives here names the copy there, until that is removed. Handles of what is made there name nothing here.
    /// Walks go in the same order.
    ///
    /// O(slots + values). Values of blittable classes are copied as bytes; of every other each property is assigned and skipped fields have their
    /// defaults, as after a load. `post_init` does not run.
    ///
    /// # Errors
    /// [`ReserveError`] if the system refuses the memory.
    ///
    /// # Panics
    /// If the default of a class or the copy of a property does; what was copied is dropped.
    pub fn fork(&self) -> Result<Self, ReserveError> {
        let mut fork = Self::with_capacity(self.registry.clone(), Capacity::entities(self.slots.capacity()))?;
        fork.slots = self.slots.fork(Pages::Usual)?;
        copy_column(&mut fork.positions, &self.positions)?;
        copy_column(&mut fork.links, &self.links)?;
        fork.dirty.copy_from(&self.dirty)?;
        for (from, to) in self.tables.iter().zip(&mut fork.tables) {
            let Table { rows, members } = to;
            members.copy_from(&from.members)?;
            let slots = &mut fork.slots;
            copy_rows(&from.rows, rows, |base, row| _ = slots.set_payload(base, row))?;
        }
        for (from, to) in self.components.iter().zip(&mut fork.components) {
            let ComponentTable { rows, members, row_of } = to;
            members.copy_from(&from.members)?;
            copy_column(row_of, &from.row_of)?;
            copy_rows(&from.rows, rows, |base, row| row_of[base as usize] = row)?;
        }
        fork.hasher = self.hasher.clone();
        fork.ids.clone_from(&self.ids);
        Ok(fork)
    }
}

fn copy_column<T: Copy>(to: &mut Column<T>, from: &Column<T>) -> Result<(), ReserveError> {
    let mut items = from.iter();
    match from.first() {
        Some(&first) => to.grow_to(from.len(), || items.next().copied().unwrap_or(first)),
        None => Ok(()),
    }
}

/// Copies all values to rows that have none yet; `placed` is told the base and the new row of each.
fn copy_rows(from: &Rows, to: &mut Rows, mut placed: impl FnMut(u32, u32)) -> Result<(), ReserveError> {
    let full = || ReserveError { bytes: from.class().ty().size(), source: std::io::ErrorKind::OutOfMemory.into() };
    for row in from.live().iter() {
        let Some(base) = from.base_of(row) else { continue };
        let Some(value) = from.value(row, base) else { continue };
        let copied = if from.class().is_blittable() {
            to.insert_copy(base, value)
        } else {
            to.insert_with(base, |to| _ = value::assign(to, value))
        };
        placed(base, copied.ok_or_else(full)?);
    }
    Ok(())
}
