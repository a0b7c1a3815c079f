//! Messages of one type, kept for two frames.
//!
//! ```text
//! older │ newer          frame n:   sent events go to `newer`
//!  2 3  │ 4 5 6          end of n:  `older` is dropped, `newer` takes its place
//! ```
//!
//! Events are numbered from 0 in the order in which they were sent. A cursor holds the number of the next one its reader has not seen, so several
//! readers see every event, in whatever order systems run. Who reads at least once in two frames misses nothing.

use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::marker::PhantomData;

use super::FirstPanic;

/// Events of type `E` of this frame and of the one before.
#[derive(Debug)]
pub struct Events<E> {
    older: Vec<E>,
    newer: Vec<E>,
    /// Number of the first in `older`.
    first: u64,
}

impl<E> Default for Events<E> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<E> Events<E> {
    pub(crate) const EMPTY: Self = Self { older: Vec::new(), newer: Vec::new(), first: 0 };

    /// Adds an event. O(1); no allocation once as many were sent in an earlier frame.
    pub fn send(&mut self, event: E) {
        self.newer.push(event);
    }

    /// How many events there are, those of the frame before included.
    pub fn len(&self) -> usize {
        self.older.len() + self.newer.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All events there are, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &E> {
        self.older.iter().chain(&self.newer)
    }

    /// Ends a frame. O(events dropped).
    ///
    /// # Panics
    /// If drops of events do, with the first panic; all that were to go are gone then, and the frame has ended.
    pub fn swap(&mut self) {
        let mut panics = FirstPanic::default();
        self.swap_with(&mut panics);
        panics.resume();
    }

    fn swap_with(&mut self, panics: &mut FirstPanic) {
        self.first += self.older.len() as u64;
        let mut gone = std::mem::replace(&mut self.older, std::mem::take(&mut self.newer));
        // The memory is used again.
        panics.clear(&mut gone);
        self.newer = gone;
    }

    /// Number of the next event that is sent.
    fn end(&self) -> u64 {
        self.first + self.len() as u64
    }
}

/// Up to where a reader has read the events of type `E`. A new one begins with the oldest events there are.
pub struct EventCursor<E> {
    /// `None` before the first reading.
    next: Option<u64>,
    missed: u64,
    events: PhantomData<fn() -> E>,
}

impl<E> Default for EventCursor<E> {
    fn default() -> Self {
        Self { next: None, missed: 0, events: PhantomData }
    }
}

impl<E> Clone for EventCursor<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for EventCursor<E> {}

impl<E> std::fmt::Debug for EventCursor<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EventCursor").field("next", &self.next).field("missed", &self.missed).finish()
    }
}

impl<E> EventCursor<E> {
    /// A cursor behind all events so far: it sees those that are sent from now on.
    pub fn at_end(events: &Events<E>) -> Self {
        Self { next: Some(events.end()), missed: 0, events: PhantomData }
    }

    /// The events that this cursor has not seen, in the order in which they were sent; it has seen them afterwards. O(1).
    pub fn read<'e>(&mut self, events: &'e Events<E>) -> impl ExactSizeIterator<Item = &'e E> + use<'e, E> {
        // A number that no event has yet is of other events, such as those of a world before this one: none of these was seen.
        let next = self.next.filter(|&next| next <= events.end());
        self.missed += next.map_or(0, |next| events.first.saturating_sub(next));
        let seen = next.map_or(0, |next| next.saturating_sub(events.first) as usize);
        self.next = Some(events.end());
        let (older, newer) =
            (events.older.len().min(seen), events.newer.len().min(seen.saturating_sub(events.older.len())));
        Unread { older: events.older[older..].iter(), newer: events.newer[newer..].iter() }
    }

    /// How many events were dropped before this cursor read them: 0 for one that is read at least once in two frames.
    pub fn missed(&self) -> u64 {
        self.missed
    }
}

struct Unread<'e, E> {
    older: std::slice::Iter<'e, E>,
    newer: std::slice::Iter<'e, E>,
}

impl<'e, E> Iterator for Unread<'e, E> {
    type Item = &'e E;

    fn next(&mut self) -> Option<&'e E> {
        self.older.next().or_else(|| self.newer.next())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.older.len() + self.newer.len();
        (count, Some(count))
    }
}

impl<E> ExactSizeIterator for Unread<'_, E> {}

/// Events of some type.
trait AnyEvents: Any + Send + Sync {
    fn swap_with(&mut self, panics: &mut FirstPanic);
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<E: Any + Send + Sync> AnyEvents for Events<E> {
    fn swap_with(&mut self, panics: &mut FirstPanic) {
        Self::swap_with(self, panics);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// Events of every type that was sent.
#[derive(Default)]
pub(crate) struct AllEvents {
    by_type: BTreeMap<TypeId, Box<dyn AnyEvents>>,
}

impl AllEvents {
    pub(crate) fn get<E: Any + Send + Sync>(&self) -> Option<&Events<E>> {
        self.by_type.get(&TypeId::of::<E>())?.as_any().downcast_ref()
    }

    pub(crate) fn get_or_new<E: Any + Send + Sync>(&mut self) -> Option<&mut Events<E>> {
        let events = self.by_type.entry(TypeId::of::<E>()).or_insert_with(|| Box::new(Events::<E>::default()));
        events.as_any_mut().downcast_mut()
    }

    /// Ends a frame for every type, whatever drops of events do.
    pub(crate) fn swap(&mut self, panics: &mut FirstPanic) {
        self.by_type.values_mut().for_each(|events| events.swap_with(panics));
    }
}
