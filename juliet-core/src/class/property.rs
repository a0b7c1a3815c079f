//! One described field.

use core::marker::PhantomData;

use super::PropertyType;
use super::shape::Adapter;
use crate::mem::PropertyValue;
use crate::mem::glue::adapter;
use crate::text::Spelling;
use crate::text::name_parts;

/// A described field: its key in both spellings, where it lies, its type, and what people need to know about it.
///
/// 40 bytes on 64-bit machines. Order in a table is declaration order.
pub struct Property {
    /// What opens its line in each spelling, one after the other: `MeshAsset: ; mesh_asset\n`. One pointer for the loader to relocate
    /// instead of two, and one comparison or copy for key and separator.
    openings: &'static str,
    ty: &'static PropertyType,
    meta: &'static Meta,
    offset: u32,
    split: u16,
}

/// What a property says about itself beyond its type.
#[derive(Clone, Copy, Debug)]
pub struct Meta {
    /// Doc comment, lines joined by line feeds; empty if there is none.
    pub doc: &'static str,
    /// The default as the source has it (`Vec3::ONE`); empty if the type's own default serves.
    pub default: &'static str,
    /// Sensible values, both ends included. A value outside is kept and reported as a warning.
    pub range: Option<Range>,
    /// Step of an input widget; 0.0 if none is given.
    pub step: f64,
    /// Unit of the value, such as `kg`; empty if it has none.
    pub unit: &'static str,
    /// Heading the property stands under in an inspector; empty if none.
    pub group: &'static str,
    /// Class version that introduced the property; 0 if not said.
    pub since: u32,
    /// Further keys that are read, in the spelling they were declared in.
    pub aliases: &'static [&'static str],
    /// Not shown in an inspector.
    pub hidden: bool,
    /// Shown but not edited in an inspector.
    pub read_only: bool,
}

/// A closed range of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Smallest sensible value, itself included.
    pub min: f64,
    /// Largest sensible value, itself included.
    pub max: f64,
}

impl Meta {
    /// Says nothing.
    pub const EMPTY: Self = Self {
        doc: "",
        default: "",
        range: None,
        step: 0.0,
        unit: "",
        group: "",
        since: 0,
        aliases: &[],
        hidden: false,
        read_only: false,
    };
    #[doc(hidden)]
    pub const NONE: &'static Self = &Self::EMPTY;
}

/// Used by generated code: the description of `T` and of no other type, since only [`PropertyValue`] makes one.
#[doc(hidden)]
pub struct TypeOf<T> {
    ty: &'static PropertyType,
    of: PhantomData<fn(T) -> T>,
}

impl<T: PropertyValue> TypeOf<T> {
    /// What [`PropertyValue::TYPE`] says.
    pub const TYPE: Self = Self { ty: T::TYPE, of: PhantomData };
}

impl Property {
    /// Used by generated code: a field of type `T`. Arguments as of [`new`](Self::new).
    #[doc(hidden)]
    pub const fn of<T>(openings: &'static str, split: u16, offset: usize, ty: TypeOf<T>, meta: &'static Meta) -> Self {
        Self::new(openings, split, offset, ty.ty, meta)
    }

    /// Used by generated code: a field of type `A::Value`. Arguments as of [`new`](Self::new).
    #[doc(hidden)]
    pub const fn adapted<A: Adapter>(openings: &'static str, split: u16, offset: usize, meta: &'static Meta) -> Self {
        Self::new(openings, split, offset, const { &adapter::<A>() }, meta)
    }

    /// For tables that are built by hand. `openings` is `Key: ` followed by `; name` and a line feed, `split` the length of the first
    /// part in bytes.
    #[doc(hidden)]
    pub const fn new(
        openings: &'static str,
        split: u16,
        offset: usize,
        ty: &'static PropertyType,
        meta: &'static Meta,
    ) -> Self {
        assert!(offset <= u32::MAX as usize, "a field lies more than 4 GiB into its struct");
        Self { openings, ty, meta, offset: offset as u32, split }
    }

    /// The key in the colon spelling: `MeshAsset`.
    #[inline]
    pub fn key(&self) -> &'static str {
        &self.openings[..usize::from(self.split) - 2]
    }

    /// The name of the field, its key in the node spelling: `mesh_asset`.
    #[inline]
    pub fn name(&self) -> &'static str {
        &self.openings[usize::from(self.split) + 2..self.openings.len() - 1]
    }

    /// What stands before the value in a file: `MeshAsset: `, or `; mesh_asset` and a line feed.
    #[inline]
    pub(crate) fn opening(&self, spelling: Spelling) -> &'static [u8] {
        match spelling {
            Spelling::Colon => &self.openings.as_bytes()[..usize::from(self.split)],
            Spelling::Node => &self.openings.as_bytes()[usize::from(self.split)..],
        }
    }

    /// Where the field lies in its struct, in bytes.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset as usize
    }

    /// The type of the field.
    #[inline]
    pub const fn ty(&self) -> &'static PropertyType {
        self.ty
    }

    /// Docs, unit, range and the like.
    #[inline]
    pub fn meta(&self) -> &'static Meta {
        self.meta
    }

    /// Whether `text` names this property: key, name or alias, in either spelling, byte for byte.
    #[inline]
    pub fn is_named(&self, text: &str) -> bool {
        self.key() == text || self.name() == text || self.meta.aliases.iter().any(|alias| names_match(alias, text))
    }
}

/// Whether two keys are the same in one spelling or across both, part by part where they are dotted. What stands in brackets is data and has
/// one spelling. Linear.
pub(crate) fn names_match(a: &str, b: &str) -> bool {
    is_colon_of(a, b) || is_colon_of(b, a)
}

/// Whether `key` is `name`, or its colon spelling in one or more parts.
fn is_colon_of(name: &str, key: &str) -> bool {
    if !name.contains(['.', '[']) {
        return name == key || pascal_eq(name, key);
    }
    let (mut name, mut key) = (name_parts(name), name_parts(key));
    loop {
        match (name.next(), key.next()) {
            (Some(a), Some(b)) if a == b || !a.starts_with('[') && pascal_eq_behind_point(a, b) => {}
            (None, None) => return true,
            _ => return false,
        }
    }
}

fn pascal_eq_behind_point(name: &str, key: &str) -> bool {
    match (name.strip_prefix('.'), key.strip_prefix('.')) {
        (Some(name), Some(key)) => pascal_eq(name, key),
        (None, None) => pascal_eq(name, key),
        _ => false,
    }
}

/// What follows `key` in `name`, if that names it or a part of it: nothing, or a point or bracket and more. Linear.
///
/// ```text
/// old_loot[gold].Count  behind  OldLoot  →  [gold].Count
/// ```
pub(crate) fn behind_key<'n>(name: &'n str, key: &str) -> Option<&'n str> {
    let (mut parts, mut end) = (name_parts(name), 0);
    for _ in name_parts(key) {
        end += parts.next()?.len();
    }
    names_match(&name[..end], key).then(|| &name[end..])
}

/// The colon spelling of a key in the node spelling, part by part: `light.beam_color` gives `Light.BeamColor`.
pub(crate) fn colon_spelling(key: &str) -> String {
    let mut colon = String::with_capacity(key.len());
    for part in name_parts(key) {
        if part.starts_with('[') {
            colon.push_str(part);
            continue;
        }
        let name = part.strip_prefix('.').unwrap_or(part);
        if name.len() < part.len() {
            colon.push('.');
        }
        for word in name.split('_') {
            let mut letters = word.chars();
            colon.extend(letters.next().into_iter().flat_map(char::to_uppercase));
            colon.push_str(letters.as_str());
        }
    }
    colon
}

/// Whether `key` is the colon spelling of `name`: each part between underscores with its first letter in upper case.
pub(crate) fn pascal_eq(name: &str, key: &str) -> bool {
    let mut rest = key;
    for part in name.split('_') {
        let mut letters = part.chars();
        let Some(first) = letters.next() else { continue };
        for upper in first.to_uppercase() {
            match rest.strip_prefix(upper) {
                Some(after) => rest = after,
                None => return false,
            }
        }
        match rest.strip_prefix(letters.as_str()) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.is_empty()
}

impl core::fmt::Debug for Property {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Property")
            .field("key", &self.key())
            .field("name", &self.name())
            .field("offset", &self.offset)
            .field("type", &self.ty.name())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_key_is_found_in_both_spellings_and_around_brackets() {
        for (name, key, expected) in [
            ("OldArmor", "OldArmor", Some("")),
            ("old_armor.x", "OldArmor", Some(".x")),
            ("OldLoot[a.b].Count", "old_loot", Some("[a.b].Count")),
            ("OldLoot[\"a]. b\"].Count", "OldLoot[\"a]. b\"]", Some(".Count")),
            ("Loot[gold].old_hue.x", "Loot[gold].OldHue", Some(".x")),
            ("Loot[a.b].Count", "Loot[a.b]", Some(".Count")),
            ("Loot[a.b].Count", "Loot[a", None),
            ("Loot[a][b]", "Loot[a]", Some("[b]")),
            ("Loot[a_b]", "Loot[AB]", None),
            ("Loot[a", "Loot", Some("[a")),
            ("Loot[\"a.b", "Loot", Some("[\"a.b")),
            ("Light.OldHue.X", "Light.OldHue", Some(".X")),
            ("Light", "Light.OldHue", None),
            ("OldArmor", "OldArm", None),
            ("größe%.x", "Größe%", Some(".x")),
            ("[a]", "OldArm", None),
            ("[a]", "", Some("[a]")),
            ("", "OldArm", None),
        ] {
            assert_eq!(behind_key(name, key), expected, "{name} {key}");
        }
    }

    #[test]
    fn names_of_thousands_of_parts_are_compared_part_by_part() {
        for part in ["[a]", ".a_b", "["] {
            let name = format!("old_loot{}", part.repeat(60_000 / part.len()));
            assert!(names_match(&name, &name) && names_match(&name, &colon_spelling(&name)));
            assert_eq!(behind_key(&name, &name), Some(""));
            assert_eq!(behind_key(&name, "OldLoot"), name.strip_prefix("old_loot"));
        }
    }
}
