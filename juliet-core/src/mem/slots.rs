//! Which slots are taken, and by which generation.
//!
//! ```text
//! key         index 32 │ tag 12 │ reuses 20          tag: of the table the key came from, never 0; a fork takes keys over
//! slot live   tag │ reuses   payload of the owner
//! tombstone     0 │ reuses   number of the next free slot
//! retired       0 │ 0        outside the free list for ever
//! ```
//!
//! A slot keeps its place for as long as the table lives. Freeing it counts `reuses` up, so that no key fits twice; a slot whose count is
//! spent is retired instead of starting over. What is not live holds tag 0, which no key has: a key of another table, or of an earlier
//! or a later life, fits nothing.

use core::num::NonZeroU32;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use static_assertions::const_assert_eq;

use super::bits::{Bits, place};
use super::columns::Column;
use super::reserve::{Pages, ReserveError};

/// Place and generation: names one life of one slot of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) index: u32,
    pub(crate) generation: NonZeroU32,
}
const_assert_eq!(size_of::<Option<Key>>(), 8);

impl Key {
    /// Which life of the slot this is, from 0.
    pub(crate) fn life(self) -> u32 {
        self.generation.get() & REUSES
    }
}

/// Generation, and what the owner keeps there as long as the slot is live: together, so that an access by key meets one cache line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    generation: u32,
    /// The owner's while the slot is live, the next free slot while it is free.
    payload: u32,
}
const_assert_eq!(size_of::<Slot>(), 8);

impl Slot {
    /// What the owner keeps here, if the slot is live.
    #[inline]
    pub(crate) fn payload(self) -> Option<u32> {
        if self.generation > REUSES { Some(self.payload) } else { None }
    }

    /// The key of the slot, whose number is `index`, if it is live.
    #[inline]
    pub(crate) fn key(self, index: u32) -> Option<Key> {
        if self.generation > REUSES { Some(Key { index, generation: NonZeroU32::new(self.generation)? }) } else { None }
    }
}

const REUSE_BITS: u32 = 20;
const REUSES: u32 = (1 << REUSE_BITS) - 1;
const TAGS: u32 = u32::MAX >> REUSE_BITS;
/// Ends the free list; no slot has this number.
const END: u32 = u32::MAX;
/// Slots are made in steps of this many, so that the common path compares one number.
const STEP: u32 = 64;

/// Tags handed out so far. After 4,095 tables they repeat.
static TABLES: AtomicU32 = AtomicU32::new(0);

/// The tag of the next table.
fn next_tag() -> NonZeroU32 {
    let tag = TABLES.fetch_add(1, Relaxed) % TAGS + 1;
    NonZeroU32::new(tag << REUSE_BITS).expect("at least 1, and few enough bits to be moved")
}

/// # Invariants
/// 1. A slot is live if and only if its tag is not 0; `live` holds exactly those.
/// 2. The free list holds every slot below `used` that is neither live nor retired, once.
/// 3. `used <= slots.len()`, `used <= capacity`; slots from `used` on have never been live.
#[derive(Debug)]
pub(crate) struct Slots {
    slots: Column<Slot>,
    live: Bits,
    first_free: u32,
    used: u32,
    count: u32,
    retired: u32,
    capacity: u32,
    /// In the place it has in a generation.
    tag: NonZeroU32,
}

/// Largest capacity; greater numbers are never those of a slot.
pub(crate) const MAX_CAPACITY: u32 = i32::MAX as u32;

impl Slots {
    pub(crate) fn new(capacity: u32, pages: Pages) -> Result<Self, ReserveError> {
        let capacity = capacity.min(MAX_CAPACITY);
        Ok(Self {
            slots: Column::new(capacity as usize, pages)?,
            live: Bits::new(capacity, pages)?,
            first_free: END,
            used: 0,
            count: 0,
            retired: 0,
            capacity,
            tag: next_tag(),
        })
    }

    /// A table in which the keys of this one fit what they fit here; the keys that it gives out itself fit nothing here, nor in the tables
    /// that keys in here came from. O(slots).
    pub(crate) fn fork(&self, pages: Pages) -> Result<Self, ReserveError> {
        let mut fork = Self::new(self.capacity, pages)?;
        fork.tag = self.foreign_tag(fork.tag);
        let mut slots = self.slots.iter();
        fork.slots
            .grow_to(self.slots.len(), || slots.next().copied().unwrap_or(Slot { generation: 0, payload: END }))?;
        fork.live.copy_from(&self.live)?;
        let Self { first_free, used, count, retired, .. } = *self;
        (fork.first_free, fork.used, fork.count, fork.retired) = (first_free, used, count, retired);
        Ok(fork)
    }

    /// `tag`, or the next one after it that neither this table nor a key that fits here has: tags repeat, and a program that forks often would
    /// meet its own. After as many forks of forks as there are tags none is left; then `tag`.
    fn foreign_tag(&self, tag: NonZeroU32) -> NonZeroU32 {
        let mut taken = [0_u64; (TAGS as usize + 1) / 64];
        for generation in self.slots.iter().map(|slot| slot.generation).chain([self.tag.get()]) {
            let (word, mask) = place(generation >> REUSE_BITS);
            taken[word] |= mask;
        }
        let is_free = |tag: &NonZeroU32| {
            let (word, mask) = place(tag.get() >> REUSE_BITS);
            taken[word] & mask == 0
        };
        let mut next = core::iter::once(tag).chain((0..TAGS).map(|_| next_tag()));
        next.find(is_free).unwrap_or(tag)
    }

    /// The slot that the next [`claim`](Self::claim) takes; `None` if all are live or retired.
    #[inline]
    pub(crate) fn next(&self) -> Option<u32> {
        if self.first_free != END {
            Some(self.first_free)
        } else if self.used < self.capacity {
            Some(self.used)
        } else {
            None
        }
    }

    /// The free slot that is used again next; a number that no slot has if there is none.
    #[inline]
    pub(crate) fn first_free(&self) -> u32 {
        self.first_free
    }

    /// How many slots there is room for so far. All side arrays are grown to this.
    #[inline]
    pub(crate) fn grown(&self) -> u32 {
        self.slots.len() as u32
    }

    /// How many slots there should be so that `index` is one of them: a step more than needed.
    pub(crate) fn step_from(&self, index: u32) -> u32 {
        index.saturating_add(STEP).min(self.capacity)
    }

    /// Makes room for `count` slots.
    pub(crate) fn grow_to(&mut self, count: u32) -> Result<(), ReserveError> {
        self.live.grow_to(count)?;
        self.slots.grow_to(count as usize, || Slot { generation: 0, payload: END })
    }

    /// Takes the slot that [`next`](Self::next) names, for which there is room. O(1).
    #[inline]
    pub(crate) fn claim(&mut self, payload: u32) -> Option<Key> {
        let reused = self.first_free != END;
        let index = if reused { self.first_free } else { self.used };
        // There are never more slots than the capacity, so this is the check for it too.
        let slot = self.slots.get_mut(index as usize)?;
        let next_free = slot.payload;
        let generation = self.tag | slot.generation;
        *slot = Slot { generation: generation.get(), payload };
        if reused {
            self.first_free = next_free;
            self.slots.prefetch(next_free as usize);
        } else {
            self.used += 1;
        }
        self.live.set(index);
        self.count += 1;
        Some(Key { index, generation })
    }

    /// The slots that the next claims take, as long as their numbers go up one by one, `most` of them at the most; empty if all are live
    /// or retired. O(slots of the run) where they were used before, else O(1).
    #[inline]
    pub(crate) fn next_run(&self, most: u32) -> Range<u32> {
        let Some(start) = self.next() else { return 0..0 };
        if self.first_free == END {
            return start..start + most.min(self.capacity - start);
        }
        let free = self.slots.get(start as usize..).unwrap_or_default().iter().take(most as usize);
        let mut end = start;
        for slot in free {
            end += 1;
            if slot.payload != end {
                break;
            }
        }
        start..end
    }

    /// Takes the slots of `run`, a start of what [`next_run`](Self::next_run) gave for which there is room; the first gets `payload`,
    /// the next ones the numbers after it. `claimed` is told the keys. O(slots of the run).
    #[inline]
    pub(crate) fn claim_run(&mut self, run: Range<u32>, payload: u32, mut claimed: impl FnMut(Key)) {
        debug_assert!(run.is_empty() || self.next() == Some(run.start));
        let Some(slots) = self.slots.get_mut(run.start as usize..run.end as usize) else { return };
        let (tag, mut next_free) = (self.tag, self.first_free);
        for ((slot, index), payload) in slots.iter_mut().zip(run.clone()).zip(payload..) {
            next_free = slot.payload;
            let generation = tag | slot.generation;
            *slot = Slot { generation: generation.get(), payload };
            claimed(Key { index, generation });
        }
        if self.first_free == END {
            self.used = self.used.max(run.end);
        } else {
            self.first_free = next_free;
        }
        self.count += run.len() as u32;
        self.live.set_range(run);
    }

    /// Payload of the slot that `key` names, or `None` if that life is over or was never in this table. O(1).
    #[inline]
    pub(crate) fn get(&self, key: Key) -> Option<u32> {
        let slot = self.slots.get(key.index as usize)?;
        if slot.generation == key.generation.get() { Some(slot.payload) } else { None }
    }

    /// Payload of slot `index`, if it is live. O(1).
    #[inline]
    pub(crate) fn payload_at(&self, index: u32) -> Option<u32> {
        self.slots.get(index as usize)?.payload()
    }

    /// Replaces the payload of slot `index`; `false` if it is not live. O(1).
    #[inline]
    pub(crate) fn set_payload(&mut self, index: u32, payload: u32) -> bool {
        let slot = self.slots.get_mut(index as usize).filter(|slot| slot.generation > REUSES);
        slot.map(|slot| slot.payload = payload).is_some()
    }

    /// The key of slot `index`, if it is live. O(1).
    #[inline]
    pub(crate) fn key_at(&self, index: u32) -> Option<Key> {
        self.slots.get(index as usize)?.key(index)
    }

    /// The slots from `first` on.
    #[inline]
    pub(crate) fn from(&self, first: u32) -> &[Slot] {
        self.slots.get(first as usize..).unwrap_or_default()
    }

    /// Ends the life of slot `index`: a tombstone or, if its count is spent, retired. `false` if it was not live. O(1).
    #[inline]
    pub(crate) fn free(&mut self, index: u32) -> bool {
        let Some(slot) = self.slots.get_mut(index as usize) else { return false };
        if slot.generation <= REUSES {
            return false;
        }
        let reuses = slot.generation & REUSES;
        if reuses < REUSES {
            (slot.generation, slot.payload) = (reuses + 1, self.first_free);
            self.first_free = index;
        } else {
            (slot.generation, slot.payload) = (0, END);
            self.retired += 1;
        }
        self.live.clear(index);
        self.count -= 1;
        true
    }

    /// Ends every life. O(slots used). The next claims take the slots in order from the first.
    pub(crate) fn free_all(&mut self) {
        for index in 0..self.used {
            self.free(index);
        }
        self.sort_free_list();
    }

    /// Chains the free slots in ascending order. O(slots used).
    pub(crate) fn sort_free_list(&mut self) {
        self.first_free = END;
        for index in (0..self.used).rev() {
            let slot = &mut self.slots[index as usize];
            // A tombstone has been used, so its count is not 0; a live slot has a tag, a retired one nothing.
            if (1..=REUSES).contains(&slot.generation) {
                slot.payload = self.first_free;
                self.first_free = index;
            }
        }
    }

    /// Moves the last lives into the first free slots, so that what is live lies below what is free; `moved` is told the old and
    /// the new key of each and its payload. O(slots used). Retired slots stay between them.
    pub(crate) fn compact(&mut self, mut moved: impl FnMut(Key, Key, u32)) {
        self.sort_free_list();
        let mut from = self.used;
        while let Some(to) = self.next() {
            let old = loop {
                if from <= to + 1 {
                    return self.sort_free_list();
                }
                from -= 1;
                if let Some(old) = self.key_at(from) {
                    break old;
                }
            };
            let payload = self.slots[from as usize].payload;
            let Some(new) = self.claim(payload) else { break };
            // Freeing puts the slot at the head of the list, from where it would be claimed next: the head stays what it was.
            let first_free = self.first_free;
            self.free(from);
            self.first_free = first_free;
            moved(old, new, payload);
        }
        self.sort_free_list();
    }

    /// The free list, cut off where it would be longer than there are slots.
    pub(crate) fn free_slots(&self) -> Vec<u32> {
        let mut free = Vec::new();
        let mut next = self.first_free;
        while next != END && free.len() <= self.used as usize {
            free.push(next);
            next = self.slots.get(next as usize).map_or(END, |slot| slot.payload);
        }
        free
    }

    /// The live slots.
    #[inline]
    pub(crate) fn live(&self) -> &Bits {
        &self.live
    }

    /// How many slots are live.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// How many slots have been live at some time: all that are live lie below.
    #[inline]
    pub(crate) fn used(&self) -> u32 {
        self.used
    }

    /// How many slots are retired.
    pub(crate) fn retired(&self) -> u32 {
        self.retired
    }

    /// How many slots there can be.
    #[inline]
    pub(crate) fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Asks the system for the pages of the first `count` slots.
    pub(crate) fn pre_touch(&mut self, count: u32) {
        self.slots.pre_touch(count as usize);
        self.live.pre_touch(count);
    }

    /// Sets how often the slot of `key` was reused, to test the end of the count; the key that fits from now on.
    #[cfg(test)]
    pub(crate) fn preset_reuses(&mut self, key: Key, reuses: u32) -> Key {
        assert!(self.get(key).is_some() && reuses <= REUSES);
        let slot = &mut self.slots[key.index as usize];
        slot.generation = self.tag.get() | reuses;
        Key { index: key.index, generation: NonZeroU32::new(slot.generation).expect("the tag is not 0") }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;

    fn slots(capacity: u32) -> Slots {
        let mut slots = Slots::new(capacity, Pages::Usual).unwrap();
        slots.grow_to(capacity).unwrap();
        slots
    }

    #[test]
    fn freed_slot_returns_with_the_next_generation() {
        let mut slots = slots(2);
        let first = slots.claim(10).unwrap();
        let second = slots.claim(20).unwrap();
        assert!(slots.claim(30).is_none());
        assert!(slots.free(first.index) && !slots.free(first.index));
        let again = slots.claim(40).unwrap();
        assert_eq!((again.index, slots.get(first)), (0, None));
        assert_eq!((slots.get(again), slots.get(second)), (Some(40), Some(20)));
    }

    #[test]
    fn spent_slot_is_retired_and_no_key_fits_it() {
        let mut slots = slots(2);
        let early = slots.claim(1).unwrap();
        let late = slots.preset_reuses(early, REUSES - 1);
        slots.free(late.index);
        let last = slots.claim(2).unwrap();
        assert_eq!((last.index, last.life()), (0, REUSES));
        slots.free(last.index);
        assert_eq!((slots.retired(), slots.free_slots()), (1, vec![]));
        let other = slots.claim(3).unwrap();
        assert_eq!(other.index, 1);
        for key in [early, late, last] {
            assert_eq!(slots.get(key), None);
        }
        assert!(slots.claim(4).is_none());
    }

    #[test]
    fn key_of_another_table_or_of_a_later_life_fits_nothing() {
        let (mut a, mut b) = (slots(4), slots(4));
        let (of_a, of_b) = (a.claim(1).unwrap(), b.claim(2).unwrap());
        assert_eq!((a.get(of_b), b.get(of_a)), (None, None));
        let later = Key { index: 0, generation: NonZeroU32::new(of_a.generation.get() + 1).unwrap() };
        a.free(0);
        assert_eq!(a.get(later), None);
        assert_eq!(a.claim(3).unwrap(), later);
    }

    #[test]
    fn fork_knows_the_keys_of_its_origin_and_gives_out_its_own() {
        let mut origin = slots(4);
        let keys: Vec<_> = (0..3).map(|i| origin.claim(i).unwrap()).collect();
        origin.free(1);
        let mut fork = origin.fork(Pages::Usual).unwrap();
        assert_eq!((fork.get(keys[0]), fork.get(keys[1]), fork.get(keys[2])), (Some(0), None, Some(2)));
        assert_eq!((fork.count(), fork.used(), fork.live().count()), (2, 3, 2));
        let (ours, theirs) = (fork.claim(7).unwrap(), origin.claim(8).unwrap());
        assert_eq!((ours.index, theirs.index, ours.life(), theirs.life()), (1, 1, 1, 1));
        assert_eq!((origin.get(ours), fork.get(theirs)), (None, None));
        fork.free(0);
        let again = fork.claim(9).unwrap();
        origin.free(0);
        assert_eq!((fork.get(keys[0]), origin.get(again)), (None, None));
        assert!(origin.claim(1).unwrap() != again && fork.claim(1).is_some());
    }

    #[test]
    fn fork_gives_out_no_key_of_its_origins_though_tags_repeat() {
        let mut origin = slots(4);
        origin.claim(0).unwrap();
        for _ in 0..2 * TAGS {
            let mut fork = origin.fork(Pages::Usual).unwrap();
            fork.claim(1).unwrap();
            let again = fork.fork(Pages::Usual).unwrap();
            assert!(fork.tag != origin.tag && again.tag != fork.tag && again.tag != origin.tag);
        }
    }

    #[test]
    fn run_takes_what_single_claims_take() {
        let (mut singly, mut in_runs) = (slots(200), slots(200));
        let fill = |slots: &mut Slots| {
            (0..150).for_each(|i| assert!(slots.claim(i).is_some()));
            [9, 20, 5, 4, 3].into_iter().for_each(|i| assert!(slots.free(i)));
        };
        fill(&mut singly);
        fill(&mut in_runs);
        let mut lengths = Vec::new();
        let mut payload = 0;
        loop {
            let run = in_runs.next_run(30);
            if run.is_empty() {
                break;
            }
            lengths.push(run.len());
            in_runs.claim_run(run, payload, |key| {
                let single = singly.claim(payload).unwrap();
                assert_eq!((key.index, key.life()), (single.index, single.life()));
                payload += 1;
            });
        }
        assert_eq!(lengths, [3, 1, 1, 30, 20]);
        assert!(singly.claim(0).is_none() && in_runs.claim(0).is_none());
        assert_eq!((singly.count(), in_runs.count(), in_runs.live().count()), (200, 200, 200));
        assert!((0..200).all(|i| singly.payload_at(i) == in_runs.payload_at(i)));
    }

    #[test]
    fn freeing_all_starts_again_from_the_first_slot() {
        let mut slots = slots(200);
        let keys: Vec<_> = (0..150).map(|i| slots.claim(i).unwrap()).collect();
        assert!(slots.free(3) && slots.free(77) && slots.free(9));
        slots.free_all();
        assert_eq!((slots.count(), slots.live().count()), (0, 0));
        assert!(keys.iter().all(|&key| slots.get(key).is_none()));
        assert!((0..200).all(|i| slots.claim(0).is_some_and(|key| key.index == i)));
    }
}
