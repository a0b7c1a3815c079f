//! Queries: several values of each entity at a time, for those entities that have them.
//!
//! ```text
//! members of A    …1101 ┐
//! members of B    …0111 ├─ and, 64 slots at a time ─► …0101 ─► for each slot: row of A, row of B
//! not members of C …1110 ┘
//! ```
//!
//! Entities are visited by slot, so the order is that of allocation until something is removed. A value is asked for by `&T`, `&mut T`,
//! `Option<&T>` or `Option<&mut T>`, where `T` is a component or the class of the entity; the position by `&Position` or `&mut Position`. What is
//! written to becomes dirty, as through every guard. Asking for one type twice is an error when the query is made.

use super::components::ComponentTable;
use super::guard::Mark;
use super::manager::Table;
use super::{EntityHandle, EntityList, EntityManager, Mut, Position};
use crate::class::{Class, Entity};
use crate::mem::bits::{Bits, ones};
use crate::mem::rows::{RangeRows, Rows, TypedRows};
use crate::mem::slots::Slots;

/// Why there is no such query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// Two parts of the query borrow the same values.
    #[error("`{name}` is asked for twice: each type once, shared or for writing")]
    Twice {
        /// Name of the class, or `Position`.
        name: &'static str,
    },
    /// The registry does not have the type.
    #[error("`{class}` is not registered: add it to the `ClassRegistry`")]
    NotRegistered {
        /// Name of the class.
        class: &'static str,
    },
}

/// What is left to be borrowed while a query is made.
pub struct Parts<'a> {
    tables: Vec<(Option<&'a mut Rows>, &'a Bits)>,
    components: Vec<(Option<&'a mut Rows>, &'a Bits, &'a [u32])>,
    positions: Option<&'a mut [Position]>,
    slots: &'a Slots,
    dirty: &'a Bits,
    /// Slots in these sets are visited.
    wanted: Vec<&'a Bits>,
}

/// Where the row of a slot is found.
#[derive(Clone, Copy)]
enum RowOf<'a> {
    /// The value of the entity itself.
    Class(&'a Slots),
    /// A component; slots that have none are not in the set of members.
    Component(&'a [u32]),
}

impl RowOf<'_> {
    #[inline]
    fn get(self, slot: u32) -> Option<u32> {
        match self {
            Self::Class(slots) => slots.payload_at(slot),
            Self::Component(rows) => rows.get(slot as usize).copied(),
        }
    }
}

impl<'a> Parts<'a> {
    fn of(manager: &'a mut EntityManager) -> Self {
        let EntityManager { tables, components, positions, slots, dirty, .. } = manager;
        let (slots, dirty) = (&*slots, &*dirty);
        let tables = tables.iter_mut().map(|Table { rows, members }| (Some(rows), &*members)).collect();
        let components = components.iter_mut();
        let components = components.map(|ComponentTable { rows, members, row_of }| (Some(rows), &*members, &**row_of));
        let components = components.collect();
        Self { tables, components, positions: Some(positions), slots, dirty, wanted: vec![slots.live()] }
    }

    /// The rows of `T`, which nobody else gets, and the slots that have one.
    fn take<T: Entity>(&mut self, kind: Option<u16>) -> Result<(&'a mut Rows, &'a Bits, RowOf<'a>), QueryError> {
        let class = T::CLASS;
        let unknown = QueryError::NotRegistered { class: class.name() };
        let kind = usize::from(kind.ok_or(unknown)?);
        let (rows, members, row_of) = if class.is_component() {
            let (rows, members, row_of) = self.components.get_mut(kind).ok_or(unknown)?;
            (rows, *members, RowOf::Component(row_of))
        } else {
            let (rows, members) = self.tables.get_mut(kind).ok_or(unknown)?;
            (rows, *members, RowOf::Class(self.slots))
        };
        Ok((rows.take().ok_or(QueryError::Twice { name: class.name() })?, members, row_of))
    }
}

/// Kinds of types, looked up before the manager is taken apart.
pub struct Kinds<'m>(&'m EntityManager);

impl Kinds<'_> {
    fn of<T: Entity>(&self) -> Option<u16> {
        let class: &Class = T::CLASS;
        match class.is_component() {
            true => self.0.registry.find_component_kind_of(class),
            false => self.0.registry.find_kind_of(class),
        }
    }
}

/// A part of a query: `&T`, `&mut T`, options of these, positions, and tuples of up to six parts.
///
/// Implemented here only.
pub trait QueryPart: sealed::Sealed {
    /// What a visit is given.
    type Item<'q>;
    /// The values, borrowed.
    #[doc(hidden)]
    type Fetch<'a>: Send;
    /// What is known before anything is borrowed.
    #[doc(hidden)]
    type Kind;

    #[doc(hidden)]
    fn kind(kinds: &Kinds<'_>) -> Self::Kind;
    #[doc(hidden)]
    fn take<'a>(kind: Self::Kind, parts: &mut Parts<'a>) -> Result<Self::Fetch<'a>, QueryError>;
    #[doc(hidden)]
    fn get<'q>(fetch: &'q mut Self::Fetch<'_>, slot: u32) -> Option<Self::Item<'q>>;
    /// The slots below `slot`, and the others.
    #[doc(hidden)]
    fn split<'a>(fetch: Self::Fetch<'a>, slot: u32) -> (Self::Fetch<'a>, Self::Fetch<'a>);
}

mod sealed {
    pub trait Sealed {}
}

/// Shared values of one class.
#[doc(hidden)]
pub struct Shared<'a, T> {
    rows: TypedRows<'a, T>,
    row_of: RowOf<'a>,
}

impl<T> Clone for Shared<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<'_, T> {}

/// Values of one class for writing.
#[doc(hidden)]
pub struct Exclusive<'a, T> {
    rows: RangeRows<'a, T>,
    row_of: RowOf<'a>,
    dirty: &'a Bits,
}

impl<'a, T> Exclusive<'a, T> {
    fn split(self, slot: u32) -> (Self, Self) {
        let Self { rows, row_of, dirty } = self;
        let (below, above) = rows.split_at(slot);
        (Self { rows: below, row_of, dirty }, Self { rows: above, row_of, dirty })
    }
}

fn shared<'a, T: Entity>(kind: Option<u16>, parts: &mut Parts<'a>) -> Result<(Shared<'a, T>, &'a Bits), QueryError> {
    let (rows, members, row_of) = parts.take::<T>(kind)?;
    let rows: &'a Rows = rows;
    let rows = rows.typed::<T>().ok_or(QueryError::NotRegistered { class: T::CLASS.name() })?;
    Ok((Shared { rows, row_of }, members))
}

fn exclusive<'a, T: Entity>(
    kind: Option<u16>,
    parts: &mut Parts<'a>,
) -> Result<(Exclusive<'a, T>, &'a Bits), QueryError> {
    let (rows, members, row_of) = parts.take::<T>(kind)?;
    let rows = rows.ranges::<T>().ok_or(QueryError::NotRegistered { class: T::CLASS.name() })?;
    Ok((Exclusive { rows, row_of, dirty: parts.dirty }, members))
}

impl<T: Entity> sealed::Sealed for &T {}
impl<T: Entity> QueryPart for &T {
    type Item<'q> = &'q T;
    type Fetch<'a> = Shared<'a, T>;
    type Kind = Option<u16>;

    fn kind(kinds: &Kinds<'_>) -> Option<u16> {
        kinds.of::<T>()
    }

    fn take<'a>(kind: Option<u16>, parts: &mut Parts<'a>) -> Result<Shared<'a, T>, QueryError> {
        let (fetch, members) = shared(kind, parts)?;
        parts.wanted.push(members);
        Ok(fetch)
    }

    #[inline]
    fn get<'q>(fetch: &'q mut Shared<'_, T>, slot: u32) -> Option<&'q T> {
        fetch.rows.get(fetch.row_of.get(slot)?, slot)
    }

    fn split<'a>(fetch: Self::Fetch<'a>, _slot: u32) -> (Self::Fetch<'a>, Self::Fetch<'a>) {
        (fetch, fetch)
    }
}

impl<T: Entity> sealed::Sealed for &mut T {}
impl<T: Entity> QueryPart for &mut T {
    type Item<'q> = Mut<'q, T>;
    type Fetch<'a> = Exclusive<'a, T>;
    type Kind = Option<u16>;

    fn kind(kinds: &Kinds<'_>) -> Option<u16> {
        kinds.of::<T>()
    }

    fn take<'a>(kind: Option<u16>, parts: &mut Parts<'a>) -> Result<Exclusive<'a, T>, QueryError> {
        let (fetch, members) = exclusive(kind, parts)?;
        parts.wanted.push(members);
        Ok(fetch)
    }

    #[inline]
    fn get<'q>(fetch: &'q mut Exclusive<'_, T>, slot: u32) -> Option<Mut<'q, T>> {
        let value = fetch.rows.get(fetch.row_of.get(slot)?, slot)?;
        Some(Mut::new(value, Mark::new(fetch.dirty, slot)))
    }

    fn split<'a>(fetch: Self::Fetch<'a>, slot: u32) -> (Self::Fetch<'a>, Self::Fetch<'a>) {
        fetch.split(slot)
    }
}

impl<T: Entity> sealed::Sealed for Option<&T> {}
impl<T: Entity> QueryPart for Option<&T> {
    type Item<'q> = Option<&'q T>;
    type Fetch<'a> = Shared<'a, T>;
    type Kind = Option<u16>;

    fn kind(kinds: &Kinds<'_>) -> Option<u16> {
        kinds.of::<T>()
    }

    fn take<'a>(kind: Option<u16>, parts: &mut Parts<'a>) -> Result<Shared<'a, T>, QueryError> {
        Ok(shared(kind, parts)?.0)
    }

    #[inline]
    fn get<'q>(fetch: &'q mut Shared<'_, T>, slot: u32) -> Option<Option<&'q T>> {
        Some(fetch.row_of.get(slot).and_then(|row| fetch.rows.get(row, slot)))
    }

    fn split<'a>(fetch: Self::Fetch<'a>, _slot: u32) -> (Self::Fetch<'a>, Self::Fetch<'a>) {
        (fetch, fetch)
    }
}

impl<T: Entity> sealed::Sealed for Option<&mut T> {}
impl<T: Entity> QueryPart for Option<&mut T> {
    type Item<'q> = Option<Mut<'q, T>>;
    type Fetch<'a> = Exclusive<'a, T>;
    type Kind = Option<u16>;

    fn kind(kinds: &Kinds<'_>) -> Option<u16> {
        kinds.of::<T>()
    }

    fn take<'a>(kind: Option<u16>, parts: &mut Parts<'a>) -> Result<Exclusive<'a, T>, QueryError> {
        Ok(exclusive(kind, parts)?.0)
    }

    #[inline]
    fn get<'q>(fetch: &'q mut Exclusive<'_, T>, slot: u32) -> Option<Option<Mut<'q, T>>> {
        let Exclusive { rows, row_of, dirty } = fetch;
        let value = row_of.get(slot).and_then(|row| rows.get(row, slot));
        Some(value.map(|value| Mut::new(value, Mark::new(dirty, slot))))
    }

    fn split<'a>(fetch: Self::Fetch<'a>, slot: u32) -> (Self::Fetch<'a>, Self::Fetch<'a>) {
        fetch.split(slot)
    }
}

/// Positions of a range of slots, from `first` on.
#[doc(hidden)]
pub struct Places<'a> {
    first: u32,
    positions: &'a mut [Position],
    dirty: &'a Bits,
}

impl<'a> Places<'a> {
    fn take(parts: &mut Parts<'a>) -> Result<Self, QueryError> {
        let positions = parts.positions.take().ok_or(QueryError::Twice { name: "Position" })?;
        Ok(Self { first: 0, positions, dirty: parts.dirty })
    }

    #[inline]
    fn get(&mut self, slot: u32) -> Option<&mut Position> {
        self.positions.get_mut(slot.checked_sub(self.first)? as usize)
    }

    fn split(self, slot: u32) -> (Self, Self) {
        let Self { first, positions, dirty } = self;
        let at = (slot.saturating_sub(first) as usize).min(positions.len());
        let (below, above) = positions.split_at_mut(at);
        (Self { first, positions: below, dirty }, Self { first: first + at as u32, positions: above, dirty })
    }
}

impl sealed::Sealed for &Position {}
impl QueryPart for &Position {
    type Item<'q> = &'q Position;
    type Fetch<'a> = Places<'a>;
    type Kind = ();

    fn kind(_kinds: &Kinds<'_>) {}

    fn take<'a>((): (), parts: &mut Parts<'a>) -> Result<Places<'a>, QueryError> {
        Places::take(parts)
    }

    #[inline]
    fn get<'q>(fetch: &'q mut Places<'_>, slot: u32) -> Option<&'q Position> {
        fetch.get(slot).map(|position| &*position)
    }

    fn split<'a>(fetch: Self::Fetch<'a>, slot: u32) -> (Self::Fetch<'a>, Self::Fetch<'a>) {
        fetch.split(slot)
    }
}

impl sealed::Sealed for &mut Position {}
impl QueryPart for &mut Position {
    type Item<'q> = Mut<'q, Position>;
    type Fetch<'a> = Places<'a>;
    type Kind = ();

    fn kind(_kinds: &Kinds<'_>) {}

    fn take<'a>((): (), parts: &mut Parts<'a>) -> Result<Places<'a>, QueryError> {
        Places::take(parts)
    }

    #[inline]
    fn get<'q>(fetch: &'q mut Places<'_>, slot: u32) -> Option<Mut<'q, Position>> {
        let dirty = fetch.dirty;
        fetch.get(slot).map(|position| Mut::new(position, Mark::new(dirty, slot)))
    }

    fn split<'a>(fetch: Self::Fetch<'a>, slot: u32) -> (Self::Fetch<'a>, Self::Fetch<'a>) {
        fetch.split(slot)
    }
}

macro_rules! tuples {
    ($(($($part:ident $index:tt),+))+) => {$(
        impl<$($part: QueryPart),+> sealed::Sealed for ($($part,)+) {}
        impl<$($part: QueryPart),+> QueryPart for ($($part,)+) {
            type Item<'q> = ($($part::Item<'q>,)+);
            type Fetch<'a> = ($($part::Fetch<'a>,)+);
            type Kind = ($($part::Kind,)+);

            fn kind(kinds: &Kinds<'_>) -> Self::Kind {
                ($($part::kind(kinds),)+)
            }

            fn take<'a>(kind: Self::Kind, parts: &mut Parts<'a>) -> Result<Self::Fetch<'a>, QueryError> {
                Ok(($($part::take(kind.$index, parts)?,)+))
            }

            #[inline]
            fn get<'q>(fetch: &'q mut Self::Fetch<'_>, slot: u32) -> Option<Self::Item<'q>> {
                Some(($($part::get(&mut fetch.$index, slot)?,)+))
            }

            fn split<'a>(fetch: Self::Fetch<'a>, slot: u32) -> (Self::Fetch<'a>, Self::Fetch<'a>) {
                let parts = ($($part::split(fetch.$index, slot),)+);
                (($(parts.$index.0,)+), ($(parts.$index.1,)+))
            }
        }
    )+};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
}

/// The entities that have all parts of `Q`, with their values. Borrows the manager.
pub struct Query<'a, Q: QueryPart> {
    fetch: Q::Fetch<'a>,
    slots: &'a Slots,
    wanted: Vec<&'a Bits>,
    unwanted: Vec<&'a Bits>,
    /// Sets by kind, for filters.
    components: Vec<&'a Bits>,
    classes: Vec<&'a Bits>,
    /// Words of a list that the visit keeps to.
    within: Option<Vec<u64>>,
    registry: crate::ClassRegistry,
}

/// Which slots a query visits.
#[derive(Clone, Copy)]
struct Filter<'f> {
    wanted: &'f [&'f Bits],
    unwanted: &'f [&'f Bits],
    within: Option<&'f [u64]>,
}

impl Filter<'_> {
    #[inline]
    fn word(self, index: usize) -> u64 {
        let mut word = self.wanted.iter().fold(u64::MAX, |word, set| word & set.word(index));
        for set in self.unwanted {
            word &= !set.word(index);
        }
        match self.within {
            Some(within) => word & within.get(index).copied().unwrap_or_default(),
            None => word,
        }
    }
}

impl EntityManager {
    /// The entities that have all parts of `Q`. Looks each type up once and allocates lists of the tables; visiting allocates nothing.
    ///
    /// ```
    /// use juliet_core::entity::{EntityManager, Position, QueryError};
    /// # fn demo(manager: &mut EntityManager) -> Result<(), QueryError> {
    /// manager.query::<(&mut Position,)>()?.for_each(|_handle, (mut position,)| position.x += 1.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`QueryError`] if a type is asked for twice or is not registered.
    pub fn query<Q: QueryPart>(&mut self) -> Result<Query<'_, Q>, QueryError> {
        let kind = Q::kind(&Kinds(self));
        let registry = self.registry.clone();
        let mut parts = Parts::of(self);
        let components = parts.components.iter().map(|(_, members, _)| *members).collect();
        let classes = parts.tables.iter().map(|(_, members)| *members).collect();
        let fetch = Q::take(kind, &mut parts)?;
        let Parts { wanted, slots, .. } = parts;
        Ok(Query { fetch, slots, wanted, unwanted: Vec::new(), components, classes, within: None, registry })
    }
}

impl<'a, Q: QueryPart> Query<'a, Q> {
    fn set_of<T: Entity>(&self) -> Option<&'a Bits> {
        let class = T::CLASS;
        let (sets, kind) = match class.is_component() {
            true => (&self.components, self.registry.find_component_kind_of(class)),
            false => (&self.classes, self.registry.find_kind_of(class)),
        };
        sets.get(usize::from(kind?)).copied()
    }

    /// Only those that have a `T`, too: a component, or the class they are of. None if `T` is not registered.
    #[must_use]
    pub fn with<T: Entity>(mut self) -> Self {
        match self.set_of::<T>() {
            Some(set) => self.wanted.push(set),
            None => self.within = Some(Vec::new()),
        }
        self
    }

    /// Only those that have no `T`.
    #[must_use]
    pub fn without<T: Entity>(mut self) -> Self {
        self.unwanted.extend(self.set_of::<T>());
        self
    }

    /// Only those in `list`.
    #[must_use]
    pub fn within(mut self, list: &EntityList) -> Self {
        let words = list.live_words(self.slots);
        self.within = Some(match self.within.take() {
            Some(within) => within.iter().zip(words).map(|(a, b)| a & b).collect(),
            None => words,
        });
        self
    }

    /// How many 64 slots there are to be looked at.
    fn words(&self) -> usize {
        self.slots.live().words().len()
    }

    /// Calls `visit` with each entity and its values, by slot. O(entities visited + slots / 64), no allocation.
    #[inline]
    pub fn for_each(self, mut visit: impl FnMut(EntityHandle, Q::Item<'_>)) {
        let words = self.words();
        let Self { fetch, slots, wanted, unwanted, within, .. } = self;
        let filter = Filter { wanted: &wanted, unwanted: &unwanted, within: within.as_deref() };
        visit_words::<Q>(fetch, slots, filter, 0..words, &mut visit);
    }

    /// Like [`for_each`](Self::for_each) on the threads of the current rayon pool; in no order. Ranges of slots are halved until they are small.
    pub fn par_for_each(self, visit: impl Fn(EntityHandle, Q::Item<'_>) + Sync) {
        let words = self.words();
        let Self { fetch, slots, wanted, unwanted, within, .. } = self;
        let filter = Filter { wanted: &wanted, unwanted: &unwanted, within: within.as_deref() };
        // Some pieces for each thread, so that uneven ones even out.
        let piece = words.div_ceil(rayon::current_num_threads().saturating_mul(4)).max(8);
        halve::<Q>(fetch, slots, filter, 0..words, piece, &visit);
    }

    /// How many entities would be visited. O(slots / 64).
    pub fn count(&self) -> usize {
        let filter = Filter { wanted: &self.wanted, unwanted: &self.unwanted, within: self.within.as_deref() };
        (0..self.words()).map(|index| filter.word(index).count_ones() as usize).sum()
    }
}

#[inline]
fn visit_words<Q: QueryPart>(
    mut fetch: Q::Fetch<'_>,
    slots: &Slots,
    filter: Filter<'_>,
    words: core::ops::Range<usize>,
    visit: &mut impl FnMut(EntityHandle, Q::Item<'_>),
) {
    let mut one = |slot: u32| {
        if let (Some(key), Some(item)) = (slots.key_at(slot), Q::get(&mut fetch, slot)) {
            visit(EntityHandle(key), item);
        }
    };
    for index in words {
        let (word, first) = (filter.word(index), index as u32 * 64);
        if word == u64::MAX {
            (first..first + 64).for_each(&mut one);
        } else {
            ones(word).for_each(|bit| one(first + bit));
        }
    }
}

fn halve<Q: QueryPart>(
    fetch: Q::Fetch<'_>,
    slots: &Slots,
    filter: Filter<'_>,
    words: core::ops::Range<usize>,
    piece: usize,
    visit: &(impl Fn(EntityHandle, Q::Item<'_>) + Sync),
) {
    if words.len() <= piece {
        return visit_words::<Q>(fetch, slots, filter, words, &mut |handle, item| visit(handle, item));
    }
    let middle = words.start + words.len() / 2;
    let (below, above) = Q::split(fetch, middle as u32 * 64);
    rayon::join(
        || halve::<Q>(below, slots, filter, words.start..middle, piece, visit),
        || halve::<Q>(above, slots, filter, middle..words.end, piece, visit),
    );
}

impl<Q: QueryPart> core::fmt::Debug for Query<'_, Q> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Query").field("count", &self.count()).finish_non_exhaustive()
    }
}

impl core::fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Parts").finish_non_exhaustive()
    }
}

impl core::fmt::Debug for Kinds<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Kinds").finish_non_exhaustive()
    }
}
