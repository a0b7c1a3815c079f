//! The schema hash: a number over names and types, so that binary data of another build is recognised.

use super::{Class, Kind, Property, PropertyType};

/// FNV-1a, 64 bit: <http://www.isthe.com/chongo/tech/comp/fnv/>.
struct Fnv(u64);

impl Fnv {
    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// With its length, so that neighbours cannot trade letters.
    fn text(&mut self, text: &str) {
        self.bytes(&(text.len() as u64).to_le_bytes());
        self.bytes(text.as_bytes());
    }
}

pub(super) fn of(class: &Class) -> u64 {
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.text(class.name());
    fields(&mut hash, class.properties(), 0);
    hash.0
}

fn fields(hash: &mut Fnv, fields: &[Property], depth: u32) {
    hash.bytes(&(fields.len() as u64).to_le_bytes());
    for field in fields {
        hash.text(field.name());
        ty(hash, field.ty(), depth);
    }
}

/// `depth` bounds types that contain themselves through a list.
fn ty(hash: &mut Fnv, ty_: &'static PropertyType, depth: u32) {
    hash.text(ty_.name());
    hash.bytes(&(ty_.size() as u64).to_le_bytes());
    if depth > 8 {
        return;
    }
    match *ty_.kind() {
        Kind::Struct { fields: inner } => fields(hash, inner, depth + 1),
        Kind::Newtype { field } => ty(hash, field.ty(), depth + 1),
        Kind::Enum { variants } => variants.iter().for_each(|variant| hash.text(variant.name)),
        Kind::Array { item, .. } | Kind::List { item } | Kind::Option { item } => ty(hash, item(), depth + 1),
        _ => {}
    }
}
