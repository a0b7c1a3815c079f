//! The schema hash: a number over names and types, so that binary data of another build is recognised.

use super::{Class, Kind, Property, PropertyType, TypeIdentity};

/// FNV-1a, 64 bit: <http://www.isthe.com/chongo/tech/comp/fnv/>.
struct Fnv {
    hash: u64,
    /// Types with parts, in the order they were met: each is hashed once, so that a type may contain itself.
    seen: Vec<TypeIdentity>,
}

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// With its length, so that neighbours cannot trade letters.
    fn text(&mut self, text: &str) {
        self.bytes(&(text.len() as u64).to_le_bytes());
        self.bytes(text.as_bytes());
    }
}

pub(super) fn of(class: &Class) -> u64 {
    walked(class).hash
}

fn walked(class: &Class) -> Fnv {
    let mut hash = Fnv { hash: 0xcbf2_9ce4_8422_2325, seen: Vec::new() };
    hash.text(class.name());
    fields(&mut hash, class.properties());
    hash
}

fn fields(hash: &mut Fnv, fields: &[Property]) {
    hash.bytes(&(fields.len() as u64).to_le_bytes());
    for field in fields {
        hash.text(field.name());
        ty(hash, field.ty());
    }
}

fn ty(hash: &mut Fnv, ty_: &'static PropertyType) {
    hash.text(ty_.name());
    hash.bytes(&(ty_.size() as u64).to_le_bytes());
    match *ty_.kind() {
        // Capacities and lengths can differ where sizes do not.
        Kind::Text { capacity: Some(capacity) } => hash.bytes(&(capacity as u64).to_le_bytes()),
        Kind::Array { count, .. } => hash.bytes(&(count as u64).to_le_bytes()),
        Kind::AssetRef { asset } => hash.text(last_segment(asset.get())),
        Kind::Enum { variants } => variants.iter().for_each(|variant| hash.text(variant.name)),
        Kind::KeyedList { key_field, .. } => hash.bytes(&(key_field as u64).to_le_bytes()),
        _ => {}
    }
    if let Kind::Struct { .. }
    | Kind::Newtype { .. }
    | Kind::Array { .. }
    | Kind::List { .. }
    | Kind::KeyedList { .. }
    | Kind::Map { .. }
    | Kind::DataEnum { .. }
    | Kind::Option { .. } = ty_.kind()
    {
        if let Some(index) = hash.seen.iter().position(|&seen| seen == ty_.type_id()) {
            return hash.bytes(&(index as u64).to_le_bytes());
        }
        hash.seen.push(ty_.type_id());
    }
    match *ty_.kind() {
        Kind::Struct { fields: inner } => fields(hash, inner),
        Kind::Newtype { field } => ty(hash, field.ty()),
        Kind::Array { item, .. } | Kind::List { item } | Kind::KeyedList { item, .. } | Kind::Option { item } => {
            ty(hash, item.get());
        }
        Kind::Map { key, item } => {
            ty(hash, key.get());
            ty(hash, item.get());
        }
        Kind::DataEnum { variants } => {
            hash.bytes(&(variants.len() as u64).to_le_bytes());
            for variant in variants {
                hash.text(variant.name);
                hash.bytes(&[variant.style as u8]);
                fields(hash, variant.fields);
            }
        }
        _ => {}
    }
}

/// `game::assets::Mesh → Mesh`: where a type is declared does not matter, and how the compiler spells that may change.
pub(crate) fn last_segment(path: &str) -> &str {
    let end = path.find('<').unwrap_or(path.len());
    path[..end].rsplit("::").next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use indexmap::IndexMap;
    use juliet_derive::{Entity, Property};

    use crate::mem::Entity as _;

    /// A type of the same name and size each time.
    macro_rules! hash_with {
        ($($data:tt)*) => {{
            #[derive(Property)]
            #[jasset(crate = "crate")]
            $($data)*
            #[derive(Entity)]
            #[jasset(crate = "crate")]
            struct Rock {
                inner: Vec<Inner>,
            }
            Rock::CLASS.schema_hash()
        }};
    }

    #[test]
    fn every_part_of_an_enum_a_map_and_a_keyed_list_counts() {
        let hashes = [
            hash_with!(
                enum Inner {
                    A,
                    B(u8),
                }
            ),
            hash_with!(
                enum Inner {
                    A,
                    C(u8),
                }
            ),
            hash_with!(
                enum Inner {
                    A,
                    B(i8),
                }
            ),
            hash_with!(
                enum Inner {
                    A,
                    B { x: u8 },
                }
            ),
            hash_with!(
                enum Inner {
                    A,
                    B { y: u8 },
                }
            ),
            hash_with!(
                enum Inner {
                    A(Vec<Inner>),
                    B,
                }
            ),
            hash_with!(
                struct Inner {
                    a: IndexMap<u8, u8>,
                }
            ),
            hash_with!(
                struct Inner {
                    a: IndexMap<i8, u8>,
                }
            ),
            hash_with!(
                struct Inner {
                    a: IndexMap<u8, i8>,
                }
            ),
            hash_with!(
                struct Inner {
                    a: BTreeMap<u8, u8>,
                }
            ),
            hash_with!(
                struct Inner {
                    a: u8,
                    b: u8,
                }
            ),
            hash_with!(
                struct Inner {
                    #[jasset(key)]
                    a: u8,
                    b: u8,
                }
            ),
            hash_with!(
                struct Inner {
                    a: u8,
                    #[jasset(key)]
                    b: u8,
                }
            ),
        ];
        assert_eq!(hashes.iter().collect::<BTreeSet<_>>().len(), hashes.len(), "{hashes:x?}");
    }

    /// Else the work would grow with the paths through the types, of which there are ever more.
    #[test]
    fn each_type_is_walked_once_however_many_lead_to_it() {
        #[derive(Property)]
        #[jasset(crate = "crate")]
        struct Tree {
            a: Vec<Tree>,
            b: Vec<Tree>,
            c: [Vec<Tree>; 2],
            d: Option<Vec<Tree>>,
            e: Twice<Twice<Twice<Vec<Tree>>>>,
        }
        #[derive(Property)]
        #[jasset(crate = "crate")]
        struct Twice<T> {
            a: T,
            b: T,
        }
        #[derive(Entity)]
        #[jasset(crate = "crate")]
        struct Forest {
            tree: Tree,
            again: Twice<Tree>,
        }
        // `Tree`, the three in its fields, and four of `Twice`.
        assert_eq!(super::walked(Forest::CLASS).seen.len(), 8);
    }
}
