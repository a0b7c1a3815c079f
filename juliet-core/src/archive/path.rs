//! Dotted keys: `Light.Color` → where in the value, and which leaves.

use arrayvec::ArrayVec;

use super::items::item_type;
use crate::class::{Class, Kind, Property, PropertyType, names_match};
use crate::mem::{ErasedMut, ErasedRef};
use crate::text::split_item;

/// Where a key leads: the fields to follow, and the leaves below.
#[derive(Clone, Debug)]
pub struct LeafPath {
    steps: ArrayVec<u16, 32>,
    property: &'static Property,
    first_leaf: u32,
}

impl LeafPath {
    /// The property the last part of the key names.
    pub fn property(&self) -> &'static Property {
        self.property
    }

    /// The properties on the way, the named one last. `root` is the type the path was made for.
    pub fn properties(&self, root: &'static PropertyType) -> impl Iterator<Item = &'static Property> {
        self.steps.iter().scan(root, |ty, &step| {
            let field = fields_of(ty).get(usize::from(step))?;
            *ty = field.ty();
            Some(field)
        })
    }

    /// The field of the root that the path leads through.
    pub fn first_step(&self) -> Option<usize> {
        self.steps.first().map(|&step| usize::from(step))
    }

    /// Number of the first leaf below.
    pub fn first_leaf(&self) -> u32 {
        self.first_leaf
    }

    /// How many leaves are below; 1 unless the key names a struct.
    pub fn leaves(&self) -> u32 {
        self.property.ty().leaves()
    }

    /// The value the key names inside `root`.
    pub fn follow<'a>(&self, root: ErasedRef<'a>) -> Option<ErasedRef<'a>> {
        self.steps.iter().try_fold(root, |value, &step| value.unwrapped().field(usize::from(step)))
    }

    /// The value the key names inside `root`, to be written.
    pub fn follow_mut<'a>(&self, root: ErasedMut<'a>) -> Option<ErasedMut<'a>> {
        self.steps.iter().try_fold(root, |value, &step| value.unwrapped().field(usize::from(step)))
    }
}

/// The property of `ty` that `key` names, in either spelling, by alias, or through nested structs by points. O(parts × properties).
pub fn find_leaf(ty: &'static PropertyType, key: &str) -> Option<LeafPath> {
    let mut steps = ArrayVec::new();
    let (mut ty, mut first_leaf, mut found) = (ty, 0, None);
    for part in key.split('.') {
        let fields = fields_of(ty);
        let index = fields.iter().position(|field| field.is_named(part))?;
        first_leaf += fields[..index].iter().map(|field| field.ty().leaves()).sum::<u32>();
        steps.try_push(u16::try_from(index).ok()?).ok()?;
        found = Some(&fields[index]);
        ty = fields[index].ty();
    }
    found.map(|property| LeafPath { steps, property, first_leaf })
}

/// The way to leaf number `leaf` of `ty`; `None` past the last. O(depth × properties).
pub fn path_of_leaf(ty: &'static PropertyType, leaf: u32) -> Option<LeafPath> {
    let mut steps = ArrayVec::new();
    let (mut ty, mut left, mut found) = (ty, leaf, None);
    loop {
        let fields = fields_of(ty);
        if fields.is_empty() {
            break;
        }
        let mut index = 0;
        let field = loop {
            let field = fields.get(index)?;
            match left.checked_sub(field.ty().leaves()) {
                Some(less) => left = less,
                None => break field,
            }
            index += 1;
        };
        steps.try_push(u16::try_from(index).ok()?).ok()?;
        found = Some(field);
        ty = field.ty();
    }
    found.map(|property| LeafPath { steps, property, first_leaf: leaf })
}

/// Whether a key is that of a property that is gone, or of a part of one. O(parts × properties).
pub(super) fn is_removed(mut ty: &'static PropertyType, key: &str) -> bool {
    let mut rest = key;
    loop {
        let end = rest.find(['.', '[']).unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        ty = struct_of(ty);
        if ty.removed().iter().any(|removed| names_match(removed, part)) {
            return true;
        }
        let Some(field) = ty.fields().iter().find(|field| field.is_named(part)) else { return false };
        (ty, rest) = match (behind.strip_prefix('.'), split_item(rest)) {
            (Some(rest), _) => (field.ty(), rest),
            (None, Some(item)) => match item_type(field.ty()) {
                Some((ty, _)) => (ty, item.rest),
                None => return false,
            },
            (None, None) => return false,
        };
    }
}

/// What stands inside newtypes.
fn struct_of(mut ty: &'static PropertyType) -> &'static PropertyType {
    while let Kind::Newtype { field } = ty.kind() {
        ty = field.ty();
    }
    ty
}

/// Whether a key is that of the position, which no class has.
pub(super) fn is_position(key: &str) -> bool {
    matches!(key, "Position" | "position")
}

/// Whether a key is that of the position in the lines of a class: a component has none, and such a line of its section says nothing.
pub(super) fn is_position_of(class: &Class, key: &str) -> bool {
    !class.is_component() && is_position(key)
}

/// The fields of a struct, looked for through newtypes.
pub(super) fn fields_of(ty: &'static PropertyType) -> &'static [Property] {
    struct_of(ty).fields()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]
    use super::*;
    use crate::archive::for_each_leaf;
    use crate::mem::PropertyValue;
    use crate::text::Spelling;

    #[derive(juliet_derive::Property, Clone, Default)]
    #[jasset(crate = "crate")]
    struct Inner {
        x: f32,
        y: [f32; 2],
    }

    #[derive(juliet_derive::Property, Clone, Default)]
    #[jasset(crate = "crate")]
    struct Outer {
        a: i32,
        inner: Inner,
        b: bool,
    }

    #[test]
    fn a_leaf_is_found_by_its_number_as_by_its_key() {
        let value = Outer::default();
        let mut count = 0;
        for_each_leaf(ErasedRef::new(&value), Spelling::Colon, &mut |leaf, key, _| {
            let (by_key, by_number) = (find_leaf(Outer::TYPE, key).unwrap(), path_of_leaf(Outer::TYPE, leaf).unwrap());
            assert_eq!((by_key.steps, by_key.first_leaf), (by_number.steps, by_number.first_leaf), "{key}");
            count += 1;
        });
        assert_eq!(count, Outer::TYPE.leaves());
        assert!(path_of_leaf(Outer::TYPE, count).is_none());
    }
}
