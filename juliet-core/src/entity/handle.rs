//! How entities are named from outside.

use core::fmt;
use core::num::NonZeroU32;

use static_assertions::const_assert_eq;

use crate::mem::slots::{Key, MAX_CAPACITY};

/// Names one life of one entity of one manager: an index and a generation, 8 bytes.
///
/// Resolves to nothing once the entity was removed, also after its slot was used again, and in every other manager. The generation is 12
/// bits of the manager it came from and 20 bits that count reuses of the slot; a slot whose count is spent is not used again. The mark of a
/// manager repeats after 4,095 managers of one process, so a handle kept that long may resolve in a manager it is not from; that
/// reaches a wrong entity, never wrong memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityHandle(pub(super) Key);
const_assert_eq!(size_of::<EntityHandle>(), 8);
const_assert_eq!(size_of::<Option<EntityHandle>>(), 8);

impl EntityHandle {
    /// Names no entity of any manager, now or later.
    pub const NULL: Self = Self(Key { index: u32::MAX, generation: NonZeroU32::MAX });

    /// Number of the entity's slot, below the capacity of its manager; good for side arrays.
    #[inline]
    pub fn index(self) -> u32 {
        self.0.index
    }

    /// Which life of the slot this is, and of which manager. Never 0.
    #[inline]
    pub fn generation(self) -> u32 {
        self.0.generation.get()
    }
}

const _: () = assert!(MAX_CAPACITY < EntityHandle::NULL.0.index);

impl Default for EntityHandle {
    /// [`NULL`](Self::NULL).
    fn default() -> Self {
        Self::NULL
    }
}

impl fmt::Debug for EntityHandle {
    /// `#12.3` for slot 12 after it was used again three times, `#null`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NULL {
            return f.write_str("#null");
        }
        write!(f, "#{}.{}", self.0.index, self.0.life())
    }
}
