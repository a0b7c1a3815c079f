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
use super::guard::Marks;
use super::manager::Table;
use super::{EntityHandle, EntityList, EntityManager, Mut, Position};
use crate::class::{Class, Entity};
use crate::mem::bits::Bits;
use crate::mem::rows::{RangeRows, Rows};
use crate::mem::slots::{Slot, Slots};

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

/// [`RowOf`] for the slots of a block.
#[derive(Clone, Copy)]
enum RowsOf<'q> {
    Class(&'q [Slot]),
    Component(&'q [u32]),
}

impl<'a> RowOf<'a> {
    #[inline]
    fn block(self, first: u32) -> RowsOf<'a> {
        match self {
            Self::Class(slots) => RowsOf::Class(slots.from(first)),
            Self::Component(rows) => RowsOf::Component(rows.get(first as usize..).unwrap_or_default()),
        }
    }
}

impl RowsOf<'_> {
    #[inline]
    fn get(self, bit: u32) -> Option<u32> {
        match self {
            Self::Class(slots) => slots.get(bit as usize)?.payload(),
            Self::Component(rows) => rows.get(bit as usize).copied(),
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
    /// What is fetched for 64 slots, so that it is looked at once and not for each of them.
    #[doc(hidden)]
    type Block<'q>;
    /// What is known before anything is borrowed.
    #[doc(hidden)]
    type Kind;

    #[doc(hidden)]
    fn kind(kinds: &Kinds<'_>) -> Self::Kind;
    #[doc(hidden)]
    fn take<'a>(kind: Self::Kind, parts: &mut Parts<'a>) -> Result<Self::Fetch<'a>, QueryError>;
    /// The slots from `first` on, a multiple of 64.
    #[doc(hidden)]
    fn block<'q>(fetch: &'q mut Self::Fetch<'_>, first: u32) -> Self::Block<'q>;
    /// Of slot number `bit` in the block.
    #[doc(hidden)]
    fn get<'q>(block: &'q mut Self::Block<'_>, bit: u32) -> Option<Self::Item<'q>>;
    /// The slots below `slot`, and the others.
    #[doc(hidden)]
    fn split<'a>(fetch: Self::Fetch<'a>, slot: u32) -> (Self::Fetch<'a>, Self::Fetch<'a>);
}

mod sealed {
    pub trait Sealed {}
}

/// Values of one class or component, of a range of slots. Those that are only read are borrowed in the same way.
#[doc(hidden)]
pub struct Values<'a, T> {
    rows: RangeRows<'a, T>,
    row_of: RowOf<'a>,
    dirty: &'a Bits,
}

/// The values of 64 slots.
#[doc(hidden)]
pub struct ValueBlock<'q, T> {
    first: u32,
    rows: RangeRows<'q, T>,
    row_of: RowsOf<'q>,
    marks: Marks<'q>,
}

impl<'a, T: Entity> Values<'a, T> {
    /// With the slots that have one.
    fn take(kind: Option<u16>, parts: &mut Parts<'a>) -> Result<(Self, &'a Bits), QueryError> {
        let (rows, members, row_of) = parts.take::<T>(kind)?;
        let rows = rows.ranges::<T>().ok_or(QueryError::NotRegistered { class: T::CLASS.name() })?;
        Ok((Self { rows, row_of, dirty: parts.dirty }, members))
    }

    #[inline]
    fn block(&mut self, first: u32) -> ValueBlock<'_, T> {
        let Self { rows, row_of, dirty } = self;
        ValueBlock { first, rows: rows.reborrow(), row_of: row_of.block(first), marks: Marks::new(dirty, first) }
    }

    fn split(self, slot: u32) -> (Self, Self) {
        let Self { rows, row_of, dirty } = self;
        let (below, above) = rows.split_at(slot);
        (Self { rows: below, row_of, dirty }, Self { rows: above, row_of, dirty })
    }
}

impl<T: Entity> ValueBlock<'_, T> {
    #[inline]
    fn get(&mut self, bit: u32) -> Option<&mut T> {
        self.rows.get(self.row_of.get(bit)?, self.first + bit)
    }

    #[inline]
    fn get_mut(&mut self, bit: u32) -> Option<Mut<'_, T>> {
        let mark = self.marks.at(bit);
        self.get(bit).map(|value| Mut::new(value, mark))
    }
}

/// The four ways of asking for values differ in what a visit is given, and in whether slots without one are left out.
macro_rules! values {
    ($($part:ty, $item:ty, $is_wanted:literal, |$block:ident, $bit:ident| $get:expr;)+) => {$(
        impl<T: Entity> sealed::Sealed for $part {}
        impl<T: Entity> QueryPart for $part {
            type Item<'q> = $item;
            type Fetch<'a> = Values<'a, T>;
            type Block<'q> = ValueBlock<'q, T>;
            type Kind = Option<u16>;

            fn kind(kinds: &Kinds<'_>) -> Option<u16> {
                kinds.of::<T>()
            }

            fn take<'a>(kind: Option<u16>, parts: &mut Parts<'a>) -> Result<Values<'a, T>, QueryError> {
                let (values, members) = Values::take(kind, parts)?;
                if $is_wanted {
                    parts.wanted.push(members);
                }
                Ok(values)
            }

            #[inline]
            fn block<'q>(fetch: &'q mut Values<'_, T>, first: u32) -> ValueBlock<'q, T> {
                fetch.block(first)
            }

            #[inline]
            fn get<'q>($block: &'q mut ValueBlock<'_, T>, $bit: u32) -> Option<$item> {
                $get
            }

            fn split<'a>(fetch: Self::Fetch<'a>, slot: u32) -> (Self::Fetch<'a>, Self::Fetch<'a>) {
                fetch.split(slot)
            }
        }
    )+};
}

values! {
    &T, &'q T, true, |block, bit| block.get(bit).map(|value| &*value);
    &mut T, Mut<'q, T>, true, |block, bit| block.get_mut(bit);
    Option<&T>, Option<&'q T>, false, |block, bit| Some(block.get(bit).map(|value| &*value));
    Option<&mut T>, Option<Mut<'q, T>>, false, |block, bit| Some(block.get_mut(bit));
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
    fn block(&mut self, first: u32) -> PlaceBlock<'_> {
        let start = first.checked_sub(self.first).map(|start| start as usize);
        let positions = start.and_then(|start| self.positions.get_mut(start..)).unwrap_or_default();
        PlaceBlock { positions, marks: Marks::new(self.dirty, first) }
    }

    fn split(self, slot: u32) -> (Self, Self) {
        let Self { first, positions, dirty } = self;
        let at = (slot.saturating_sub(first) as usize).min(positions.len());
        let (below, above) = positions.split_at_mut(at);
        (Self { first, positions: below, dirty }, Self { first: first + at as u32, positions: above, dirty })
    }
}

/// Positions of 64 slots.
#[doc(hidden)]
pub struct PlaceBlock<'q> {
    positions: &'q mut [Position],
    marks: Marks<'q>,
}

macro_rules! positions {
    ($($part:ty, $item:ty, |$position:ident, $mark:ident| $get:expr;)+) => {$(
        impl sealed::Sealed for $part {}
        impl QueryPart for $part {
            type Item<'q> = $item;
            type Fetch<'a> = Places<'a>;
            type Block<'q> = PlaceBlock<'q>;
            type Kind = ();

            fn kind(_kinds: &Kinds<'_>) {}

            fn take<'a>((): (), parts: &mut Parts<'a>) -> Result<Places<'a>, QueryError> {
                Places::take(parts)
            }

            #[inline]
            fn block<'q>(fetch: &'q mut Places<'_>, first: u32) -> PlaceBlock<'q> {
                fetch.block(first)
            }

            #[inline]
            fn get<'q>(block: &'q mut PlaceBlock<'_>, bit: u32) -> Option<$item> {
                let ($position, $mark) = (block.positions.get_mut(bit as usize)?, block.marks.at(bit));
                $get
            }

            fn split<'a>(fetch: Self::Fetch<'a>, slot: u32) -> (Self::Fetch<'a>, Self::Fetch<'a>) {
                fetch.split(slot)
            }
        }
    )+};
}

positions! {
    &Position, &'q Position, |position, _mark| Some(&*position);
    &mut Position, Mut<'q, Position>, |position, mark| Some(Mut::new(position, mark));
}

macro_rules! tuples {
    ($(($($part:ident $index:tt),+))+) => {$(
        impl<$($part: QueryPart),+> sealed::Sealed for ($($part,)+) {}
        impl<$($part: QueryPart),+> QueryPart for ($($part,)+) {
            type Item<'q> = ($($part::Item<'q>,)+);
            type Fetch<'a> = ($($part::Fetch<'a>,)+);
            type Block<'q> = ($($part::Block<'q>,)+);
            type Kind = ($($part::Kind,)+);

            fn kind(kinds: &Kinds<'_>) -> Self::Kind {
                ($($part::kind(kinds),)+)
            }

            fn take<'a>(kind: Self::Kind, parts: &mut Parts<'a>) -> Result<Self::Fetch<'a>, QueryError> {
                Ok(($($part::take(kind.$index, parts)?,)+))
            }

            #[inline]
            fn block<'q>(fetch: &'q mut Self::Fetch<'_>, first: u32) -> Self::Block<'q> {
                ($($part::block(&mut fetch.$index, first),)+)
            }

            #[inline]
            fn get<'q>(block: &'q mut Self::Block<'_>, bit: u32) -> Option<Self::Item<'q>> {
                Some(($($part::get(&mut block.$index, bit)?,)+))
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
    for index in words {
        let (mut word, first) = (filter.word(index), index as u32 * 64);
        if word == 0 {
            continue;
        }
        let (keys, mut block) = (slots.from(first), Q::block(&mut fetch, first));
        while word != 0 {
            let bit = word.trailing_zeros();
            word &= word - 1;
            // The one place from which `visit` is called, so that it is inlined and the block stays in registers.
            let key = keys.get(bit as usize).and_then(|slot| slot.key(first + bit));
            if let (Some(key), Some(item)) = (key, Q::get(&mut block, bit)) {
                visit(EntityHandle(key), item);
            }
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
