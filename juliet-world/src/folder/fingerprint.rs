//! Which content a file had, in 16 bytes, by a hash that never changes: it is stored in redo files and derived ids.
//!
//! XXH64 (Yann Collet, <https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md>) with seed 0. It is not a defence against
//! somebody who forges contents; nothing here needs one.

/// Length and hash of a file's bytes: equal for equal contents, different for different ones but for one in 2⁶⁴.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Length in bytes.
    pub size_bytes: u64,
    /// XXH64 of the bytes.
    pub hash: u64,
}

impl Fingerprint {
    /// The fingerprint of `bytes`: O(n) at several bytes a nanosecond, no allocation.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Fingerprint { size_bytes: bytes.len() as u64, hash: xxh64(bytes) }
    }
}

const P1: u64 = 0x9E37_79B1_85EB_CA87;
const P2: u64 = 0xC2B2_AE3D_27D4_EB4F;
const P3: u64 = 0x1656_67B1_9E37_79F9;
const P4: u64 = 0x85EB_CA77_C2B2_AE63;
const P5: u64 = 0x27D4_EB2F_1656_67C5;

fn round(lane: u64, word: u64) -> u64 {
    lane.wrapping_add(word.wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1)
}

/// XXH64 with seed 0: four lanes over blocks of 32 bytes, then the rest by 8, 4 and 1.
pub(super) fn xxh64(bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<32>();
    let mut hash = P5;
    if !blocks.is_empty() {
        let mut lanes = [P1.wrapping_add(P2), P2, 0, 0u64.wrapping_sub(P1)];
        for block in blocks {
            for (lane, word) in lanes.iter_mut().zip(block.as_chunks::<8>().0) {
                *lane = round(*lane, u64::from_le_bytes(*word));
            }
        }
        hash = (lanes.iter().zip([1, 7, 12, 18])).fold(0, |sum: u64, (l, r)| sum.wrapping_add(l.rotate_left(r)));
        for lane in lanes {
            hash = (hash ^ round(0, lane)).wrapping_mul(P1).wrapping_add(P4);
        }
    }
    hash = hash.wrapping_add(bytes.len() as u64);
    let (words, rest) = rest.as_chunks::<8>();
    for word in words {
        hash = (hash ^ round(0, u64::from_le_bytes(*word))).rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
    }
    let (halves, rest) = rest.as_chunks::<4>();
    for half in halves {
        let half = u64::from(u32::from_le_bytes(*half)).wrapping_mul(P1);
        hash = (hash ^ half).rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
    }
    for &byte in rest {
        hash = (hash ^ u64::from(byte).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
    }
    hash = (hash ^ (hash >> 33)).wrapping_mul(P2);
    hash = (hash ^ (hash >> 29)).wrapping_mul(P3);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_is_the_published_one() {
        assert_eq!(xxh64(b""), 0xEF46_DB37_51D8_E999);
        assert_eq!(xxh64(b"a"), 0xD24E_C4F1_A98C_6E5B);
        assert_eq!(xxh64(b"abc"), 0x44BC_2CF5_AD77_0999);
        assert_eq!(xxh64(b"Nobody inspects the spammish repetition"), 0xFBCE_A83C_8A37_8BF1);
    }

    #[test]
    fn one_changed_byte_changes_the_fingerprint() {
        let text = [b'x'; 100];
        for len in 0..text.len() {
            let before = Fingerprint::of(&text[..len]);
            for at in 0..len {
                let mut changed = text;
                changed[at] ^= 1;
                assert_ne!(Fingerprint::of(&changed[..len]), before);
            }
        }
    }
}
