//! Lists of entities: a set that filters narrow down.
//!
//! A list is a picture of the moment: a bit for each slot, and which generations it means. Entities that are removed later drop out when it is
//! used, and one that takes an old slot is not in it.

use super::{EntityHandle, EntityManager};
use crate::class::{ClassKind, Entity};
use crate::mem::bits::{Bits, ones};
use crate::mem::slots::Slots;

/// Some of the entities of a manager, in the order of their slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntityList {
    handles: Vec<EntityHandle>,
}

/// Entities that are being filtered: see [`EntityManager::list`].
#[derive(Clone)]
pub struct Entities<'m> {
    manager: &'m EntityManager,
    /// A bit for each slot.
    words: Vec<u64>,
}

impl EntityManager {
    /// All entities, to be narrowed down. Each filter costs slots / 64 and allocates nothing.
    ///
    /// ```
    /// # use juliet_core::entity::EntityManager;
    /// # use juliet_core::{Component, Entity};
    /// # fn demo<Enemy: Entity, Armed: Component, Asleep: Component>(manager: &EntityManager) {
    /// manager.list().of_type::<Enemy>().with::<Armed>().without::<Asleep>().for_each(|enemy| println!("{enemy:?}"));
    /// # }
    /// ```
    pub fn list(&self) -> Entities<'_> {
        let live = self.slots.live();
        Entities { manager: self, words: (0..live.words().len()).map(|index| live.word(index)).collect() }
    }
}

impl<'m> Entities<'m> {
    fn keep(mut self, set: Option<&Bits>) -> Self {
        for (index, word) in self.words.iter_mut().enumerate() {
            *word &= set.map_or(0, |set| set.word(index));
        }
        self
    }

    fn set_of<T: Entity>(&self) -> Option<&'m Bits> {
        let (class, registry) = (T::CLASS, &self.manager.registry);
        match class.is_component() {
            true => self.set_of_component(registry.find_component_kind_of(class)?),
            false => Some(&self.manager.tables.get(usize::from(registry.find_kind_of(class)?))?.members),
        }
    }

    fn set_of_component(&self, kind: ClassKind) -> Option<&'m Bits> {
        Some(&self.manager.components.get(usize::from(kind))?.members)
    }

    /// Those that are a `T`, or have it as a component. None if it is not registered.
    #[must_use]
    pub fn of_type<T: Entity>(self) -> Self {
        let set = self.set_of::<T>();
        self.keep(set)
    }

    /// The same, as it reads best for components.
    #[must_use]
    pub fn with<T: Entity>(self) -> Self {
        self.of_type::<T>()
    }

    /// Those that are no `T` and have none.
    #[must_use]
    pub fn without<T: Entity>(mut self) -> Self {
        if let Some(set) = self.set_of::<T>() {
            for (index, word) in self.words.iter_mut().enumerate() {
                *word &= !set.word(index);
            }
        }
        self
    }

    /// Those that have the component type number `kind`.
    #[must_use]
    pub fn with_component(self, kind: ClassKind) -> Self {
        let set = self.set_of_component(kind);
        self.keep(set)
    }

    /// Those of class number `kind`.
    #[must_use]
    pub fn of_class(self, kind: ClassKind) -> Self {
        let set = self.manager.tables.get(usize::from(kind)).map(|table| &table.members);
        self.keep(set)
    }

    /// Those for which `is_wanted` holds. Asks once for each that is left.
    #[must_use]
    pub fn filter(mut self, mut is_wanted: impl FnMut(&EntityManager, EntityHandle) -> bool) -> Self {
        let manager = self.manager;
        for (index, word) in self.words.iter_mut().enumerate() {
            for bit in ones(*word) {
                let key = manager.slots.key_at(index as u32 * 64 + bit);
                if !key.is_some_and(|key| is_wanted(manager, EntityHandle(key))) {
                    *word &= !(1 << bit);
                }
            }
        }
        self
    }

    /// Those in `list`, too.
    #[must_use]
    pub fn within(mut self, list: &EntityList) -> Self {
        let words = list.live_words(&self.manager.slots);
        for (word, other) in self.words.iter_mut().zip(words.into_iter().chain(core::iter::repeat(0))) {
            *word &= other;
        }
        self
    }

    /// The entities, by slot.
    pub fn iter(&self) -> impl Iterator<Item = EntityHandle> {
        let words = self.words.iter().enumerate();
        let slots = words.flat_map(|(index, &word)| ones(word).map(move |bit| index as u32 * 64 + bit));
        slots.filter_map(|slot| self.manager.slots.key_at(slot)).map(EntityHandle)
    }

    /// Calls `each` with every entity, by slot.
    pub fn for_each(&self, each: impl FnMut(EntityHandle)) {
        self.iter().for_each(each);
    }

    /// How many there are. O(slots / 64).
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there are none. O(slots / 64).
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// Whether the entity is among them. O(1).
    pub fn contains(&self, handle: EntityHandle) -> bool {
        let word = self.words.get(handle.index() as usize / 64).copied().unwrap_or_default();
        self.manager.contains(handle) && word >> (handle.index() % 64) & 1 == 1
    }

    /// A list of them that borrows nothing. One allocation.
    pub fn collect(&self) -> EntityList {
        let mut handles = Vec::with_capacity(self.len());
        handles.extend(self.iter());
        EntityList { handles }
    }
}

impl core::fmt::Debug for Entities<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl EntityList {
    /// The handles, in the order of their slots. Some may be stale by now.
    pub fn handles(&self) -> &[EntityHandle] {
        &self.handles
    }

    /// How many handles there are.
    pub fn len(&self) -> usize {
        self.handles.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.handles.is_empty()
    }

    /// A bit for the slot of each entity that still lives.
    pub(super) fn live_words(&self, slots: &Slots) -> Vec<u64> {
        let mut words = vec![0; slots.live().words().len()];
        for handle in self.handles.iter().filter(|handle| slots.get(handle.0).is_some()) {
            if let Some(word) = words.get_mut(handle.index() as usize / 64) {
                *word |= 1 << (handle.index() % 64);
            }
        }
        words
    }
}

impl FromIterator<EntityHandle> for EntityList {
    /// Sorted by slot, each handle once.
    fn from_iter<I: IntoIterator<Item = EntityHandle>>(handles: I) -> Self {
        let mut handles: Vec<EntityHandle> = handles.into_iter().collect();
        handles.sort_by_key(|handle| (handle.index(), handle.0.generation));
        handles.dedup();
        Self { handles }
    }
}

impl<'l> IntoIterator for &'l EntityList {
    type Item = EntityHandle;
    type IntoIter = core::iter::Copied<core::slice::Iter<'l, EntityHandle>>;

    fn into_iter(self) -> Self::IntoIter {
        self.handles.iter().copied()
    }
}
