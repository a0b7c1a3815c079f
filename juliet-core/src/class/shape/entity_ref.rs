//! References to entities.

use super::{Fault, Leaf, LeafType, Place, ValueWriter};
use crate::class::Kind;
use crate::diag::Code;
use crate::text::{parse_integer, write_id};

/// The id of another entity, or none. 8 bytes.
///
/// The id outlives saves and loads, unlike a handle; `find_by_id` turns it into one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct EntityRef(u64);

impl EntityRef {
    /// Refers to nothing.
    pub const NONE: Self = Self(0);

    /// Refers to the entity with this id; 0 refers to nothing.
    pub const fn new(id: u64) -> Self {
        Self(id)
    }

    /// The id, 0 for none.
    pub const fn id(self) -> u64 {
        self.0
    }

    /// Appends the id as `0x` and 16 hex digits.
    pub fn write_hex(self, out: &mut Vec<u8>) {
        write_id(self.0, out);
    }

    /// Whether it refers to nothing.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl LeafType for EntityRef {
    const NAME: &'static str = "EntityRef";
    const KIND: Kind = Kind::EntityRef;

    fn fresh() -> Self {
        Self::NONE
    }
}

impl Leaf for EntityRef {
    fn read<'t>(&mut self, text: &'t str, _: Place) -> Result<(), Fault<'t>> {
        self.0 = match parse_integer::<u64>(text) {
            Ok(id) => id,
            Err(_) if text == "none" => 0,
            Err(_) => return Err(Fault::new(Code::BadId, "an entity id such as 0x0100000000000042, or `none`", text)),
        };
        Ok(())
    }

    fn write(&self, out: &mut ValueWriter<'_>) {
        if self.is_none() && !out.in_option {
            out.raw("none");
        } else {
            self.write_hex(out.out);
        }
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn assign(&mut self, from: &Self) {
        *self = *from;
    }
}
