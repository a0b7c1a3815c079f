//! Entities that start as copies of an image: the value of a template.
//!
//! ```text
//! image ──copy──► row        blittable class: its bytes       any other: the default, then each property
//! ```
//!
//! Here an instance gets its memory, its links and its values; overrides, id and `post_init` come after that, from the caller.
//!
//! Skipped fields are those of the image in a blittable class and have their defaults in every other; so an image whose skipped fields
//! have their defaults, as one that was read from a file, gives the same instance in both.

use super::base::Links;
use super::{EntityHandle, EntityManager, InstantiateError, Position, ResetError, Stale};
use crate::class::{Class, ClassKind, value};
use crate::mem::{ErasedMut, ErasedRef, OwnedValue};

impl EntityManager {
    /// An entity of class `kind` that holds a copy of `image`, at `position`, of template number `template`, without an id, and dirty.
    ///
    /// O(1) and the copy. A blittable class is copied as bytes, without an allocation; in every other the entity starts from the default
    /// and each property is assigned. Skipped fields: as in the image for a blittable class, else the default.
    ///
    /// # Errors
    /// [`InstantiateError`] if the image is of another class, the manager is full or has no such class.
    ///
    /// # Panics
    /// If the default of the class or the copy of a property does; there is no such entity then.
    #[inline]
    pub fn instantiate(
        &mut self,
        kind: ClassKind,
        image: ErasedRef<'_>,
        position: Position,
        template: u16,
    ) -> Result<EntityHandle, InstantiateError> {
        let class = self.class_of(kind)?;
        check_image(class, image)?;
        match self.copy_one(class, kind, image, position, template) {
            Some((handle, _)) => Ok(handle),
            None => Err(self.full(class).into()),
        }
    }

    /// `positions.len()` entities as by [`instantiate`](Self::instantiate), one at each position. Allocates the list. All or nothing,
    /// except in a panic.
    ///
    /// In a blittable class a batch costs little more than the copying, unless it fills the gaps that removals left.
    ///
    /// # Errors
    /// [`InstantiateError`] if the image is of another class, they do not all fit, or there is no such class.
    ///
    /// # Panics
    /// If the default of the class or the copy of a property does; the entities instantiated before it stay.
    pub fn instantiate_many(
        &mut self,
        kind: ClassKind,
        image: ErasedRef<'_>,
        positions: &[Position],
        template: u16,
    ) -> Result<Vec<EntityHandle>, InstantiateError> {
        self.instantiate_each(kind, image, positions, template, |_, _| {})
    }

    /// As [`instantiate_many`](Self::instantiate_many), and gives `each` the number of each position with the value there, for
    /// overrides: while the value is still in the cache, which a second walk over a large batch would have to fetch again.
    ///
    /// # Errors
    /// [`InstantiateError`] if the image is of another class, they do not all fit, or there is no such class.
    ///
    /// # Panics
    /// If `each`, the default of the class or the copy of a property does; the entities instantiated before it stay, and in a blittable
    /// class some plain copies after it.
    pub fn instantiate_each(
        &mut self,
        kind: ClassKind,
        image: ErasedRef<'_>,
        positions: &[Position],
        template: u16,
        mut each: impl FnMut(usize, ErasedMut<'_>),
    ) -> Result<Vec<EntityHandle>, InstantiateError> {
        let class = self.class_of(kind)?;
        check_image(class, image)?;
        if positions.len() > self.room() {
            return Err(self.full(class).into());
        }
        let mut handles = Vec::with_capacity(positions.len());
        while let Some(left @ [next, ..]) = positions.get(handles.len()..) {
            let done = handles.len();
            let row = self.copy_run(class, kind, image, left, template, &mut handles).or_else(|| {
                let (handle, row) = self.copy_one(class, kind, image, *next, template)?;
                handles.push(handle);
                Some(row)
            });
            let (Some(row), Some(table)) = (row, self.tables.get_mut(usize::from(kind))) else {
                self.take_back(handles);
                return Err(self.full(class).into());
            };
            for ((i, handle), row) in handles.iter().enumerate().skip(done).zip(row..) {
                if let Some(value) = table.rows.value_mut(row, handle.index()) {
                    each(i, value);
                }
            }
        }
        Ok(handles)
    }

    /// The entity and its row, `None` if there is no room. `image` is of `class`, whose number is `kind`.
    #[inline]
    fn copy_one(
        &mut self,
        class: &'static Class,
        kind: ClassKind,
        image: ErasedRef<'_>,
        position: Position,
        template: u16,
    ) -> Option<(EntityHandle, u32)> {
        let base = self.vacant(kind)?;
        let rows = &mut self.tables.get_mut(usize::from(kind))?.rows;
        let row = if class.is_blittable() {
            rows.insert_copy(base, image)?
        } else {
            rows.insert_with(base, |to| {
                value::assign(to, image);
            })?
        };
        Some((self.wire(base, row, Links { id: 0, class, kind, template }, position), row))
    }

    /// As many as there are consecutive slots and rows for; the first row. `None`, with nothing done, if that is not worth it or the
    /// class is not blittable.
    fn copy_run(
        &mut self,
        class: &'static Class,
        kind: ClassKind,
        image: ErasedRef<'_>,
        at: &[Position],
        template: u16,
        handles: &mut Vec<EntityHandle>,
    ) -> Option<u32> {
        if !class.is_blittable() {
            return None;
        }
        let run = self.vacant_run(kind, at.len())?;
        let (rows, positions, mut claims) = self.parts(kind, handles)?;
        let positions = positions.get_mut(run.start as usize..run.end as usize)?;
        let row = rows.copy_run(run.start, run.len() as u32, image)?;
        positions.copy_from_slice(&at[..run.len()]);
        claims.claim(run, row, Links { id: 0, class, kind, template });
        Some(row)
    }

    /// Makes the value of the entity what [`instantiate`](Self::instantiate) would make it: a copy of `image`, skipped fields included.
    /// Id, position, template number and what is dirty stay.
    ///
    /// O(1) and the copy; no allocation for a blittable class. In every other the copy is made beside the value and takes its place.
    ///
    /// # Errors
    /// [`ResetError`] if the entity was removed or the image is of another class.
    ///
    /// # Panics
    /// If the default of the class or the copy of a property does, the value is the old one then; if the drop of the old value does,
    /// it is the new one.
    pub fn reset_to_image(&mut self, handle: EntityHandle, image: ErasedRef<'_>) -> Result<(), ResetError> {
        let (kind, _) = self.find_row(handle).ok_or(Stale { handle })?;
        let mut value = self.value_mut_unmarked(handle).ok_or(Stale { handle })?;
        if value.ty().type_id() != image.ty().type_id() {
            return Err(ResetError::ImageMismatch { class: value.ty().name(), image: image.ty().name() });
        }
        if value.copy_bytes(image) {
            return Ok(());
        }
        let copy = OwnedValue::new(&self.registry, kind as ClassKind);
        // The kind is that of an entity, so the registry has it, and the entity was found above.
        if let (Ok(mut copy), Some(mut value)) = (copy, self.value_mut_unmarked(handle)) {
            value::assign(copy.as_mut(), image);
            value.swap(&mut copy.as_mut());
        }
        Ok(())
    }
}

fn check_image(class: &'static Class, image: ErasedRef<'_>) -> Result<(), InstantiateError> {
    if core::ptr::eq(image.ty(), class.ty()) || image.ty().type_id() == class.value_type_id() {
        Ok(())
    } else {
        Err(InstantiateError::ImageMismatch { class: class.name(), image: image.ty().name() })
    }
}
