//! The bytes of the redo file: records and marks, one behind the other. All numbers are little-endian.
//!
//! ```text
//! block   magic "\xFFJREDO1\n" (8) · kind u32 · length of the body u64 · body · CRC-32 of kind, length and body · "\xFFEND"
//! record  kind 1, body: count u32, then per entry:
//!           1 · path · old · length u64 · new text      a write
//!           2 · path · old                              a removal
//!         path = length u32 · UTF-8     old = 0, or 1 · size u64 · XXH64 u64
//! mark    kind 2, body: time u64 (nanoseconds since 1970), count u32, then the numbers (u32) of the entries of the record
//!         before it that failed
//! ```
//!
//! A mark stands directly behind its record. What does not read as a whole block ends the log: a crash cut it there.

use super::super::fingerprint::Fingerprint;
use super::target::is_plain_path;

/// Nothing that is text begins like this. The digit is the version.
const MAGIC: [u8; 8] = *b"\xFFJREDO1\n";
const VERSION_AT: usize = 6;
const END: [u8; 4] = *b"\xFFEND";
const RECORD: u32 = 1;
const MARK: u32 = 2;
/// Size of a mark without failures in bytes.
pub(super) const MARK_SIZE: u64 = 8 + 4 + 8 + (8 + 4) + 4 + 4;

/// What an entry does to its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action<'a> {
    Write { old: Option<Fingerprint>, new: &'a [u8] },
    Remove { old: Fingerprint },
}

/// One file of a save.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'a> {
    pub(super) path: &'a str,
    pub(super) action: Action<'a>,
    /// When the save of this file ended, whether it went well or not; `None` without a mark.
    pub(super) ended_ns: Option<u64>,
    /// It ended without success and is still the caller's to save.
    pub(super) failed: bool,
}

/// What a redo file holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Log<'a> {
    /// The entries of all records in the order of writing.
    pub(super) entries: Vec<Entry<'a>>,
    /// Bytes behind the last whole block.
    pub(super) torn_bytes: usize,
    /// The block behind the last whole one has a later version.
    pub(super) is_newer: bool,
}

fn block(kind: u32, fill: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(kind.to_le_bytes());
    let length_at = bytes.len();
    bytes.extend([0; 8]);
    let body_at = bytes.len();
    fill(&mut bytes);
    let length = (bytes.len() - body_at) as u64;
    bytes[length_at..body_at].copy_from_slice(&length.to_le_bytes());
    let crc = crc32fast::hash(&bytes[MAGIC.len()..]);
    bytes.extend(crc.to_le_bytes());
    bytes.extend(END);
    bytes
}

/// The block of a save. A save has fewer than 2³² files, and a path fewer than 2³² bytes.
pub(super) fn encode_record<'a>(entries: impl ExactSizeIterator<Item = (&'a str, Action<'a>)>) -> Vec<u8> {
    block(RECORD, |bytes| {
        bytes.extend((entries.len() as u32).to_le_bytes());
        for (path, action) in entries {
            bytes.push(if matches!(action, Action::Write { .. }) { 1 } else { 2 });
            bytes.extend((path.len() as u32).to_le_bytes());
            bytes.extend(path.as_bytes());
            match action {
                Action::Write { old, new } => {
                    push_old(bytes, old);
                    bytes.extend((new.len() as u64).to_le_bytes());
                    bytes.extend(new);
                }
                Action::Remove { old } => push_old(bytes, Some(old)),
            }
        }
    })
}

fn push_old(bytes: &mut Vec<u8>, old: Option<Fingerprint>) {
    bytes.push(u8::from(old.is_some()));
    if let Some(old) = old {
        bytes.extend(old.size_bytes.to_le_bytes());
        bytes.extend(old.hash.to_le_bytes());
    }
}

/// The block that ends a save.
pub(super) fn encode_mark(time_ns: u64, failed: &[u32]) -> Vec<u8> {
    block(MARK, |bytes| {
        bytes.extend(time_ns.to_le_bytes());
        bytes.extend((failed.len() as u32).to_le_bytes());
        bytes.extend(failed.iter().flat_map(|number| number.to_le_bytes()));
    })
}

/// Whether `tail` is one whole mark without failures.
pub(super) fn is_clean_mark(tail: &[u8]) -> bool {
    let mut log = Bytes(tail);
    let Some((MARK, body)) = log.block() else { return false };
    log.0.is_empty() && read_mark(body, &mut []).is_some()
}

/// Reads a redo file. O(n); on any input it ends with what was whole.
pub(super) fn decode(bytes: &[u8]) -> Log<'_> {
    let mut log = Log::default();
    let mut rest = bytes;
    // Where the entries of the record begin that a mark would end.
    let mut open_record = 0;
    while !rest.is_empty() {
        let mut at = Bytes(rest);
        let whole = match at.block() {
            Some((RECORD, body)) => {
                open_record = log.entries.len();
                read_record(body, &mut log.entries)
            }
            Some((MARK, body)) => read_mark(body, &mut log.entries[open_record..]),
            _ => None,
        };
        if whole.is_none() {
            break;
        }
        debug_assert!(at.0.len() < rest.len());
        rest = at.0;
    }
    log.torn_bytes = rest.len();
    log.is_newer = is_newer(rest);
    log
}

fn is_newer(rest: &[u8]) -> bool {
    rest.first_chunk::<8>().is_some_and(|magic| {
        let mut ours = *magic;
        ours[VERSION_AT] = MAGIC[VERSION_AT];
        ours == MAGIC && magic[VERSION_AT] > MAGIC[VERSION_AT] && magic[VERSION_AT].is_ascii_digit()
    })
}

/// Adds the entries, or none of them.
fn read_record<'a>(body: &'a [u8], entries: &mut Vec<Entry<'a>>) -> Option<()> {
    let before = entries.len();
    let read = read_entries(Bytes(body), entries);
    if read.is_none() {
        entries.truncate(before);
    }
    read
}

fn read_entries<'a>(mut at: Bytes<'a>, entries: &mut Vec<Entry<'a>>) -> Option<()> {
    for _ in 0..at.u32()? {
        let kind = at.u8()?;
        let length = at.u32()?;
        let path = std::str::from_utf8(at.take(length.into())?).ok().filter(|path| is_plain_path(path))?;
        let old = match at.u8()? {
            0 => None,
            1 => Some(Fingerprint { size_bytes: at.u64()?, hash: at.u64()? }),
            _ => return None,
        };
        let action = match kind {
            1 => {
                let length = at.u64()?;
                Action::Write { old, new: at.take(length)? }
            }
            2 => Action::Remove { old: old? },
            _ => return None,
        };
        entries.push(Entry { path, action, ended_ns: None, failed: false });
    }
    at.0.is_empty().then_some(())
}

fn read_mark(body: &[u8], record: &mut [Entry<'_>]) -> Option<()> {
    let mut at = Bytes(body);
    let time_ns = at.u64()?;
    let count = at.u32()?;
    if at.0.len() as u64 != u64::from(count) * 4 {
        return None;
    }
    while let Some(number) = at.u32() {
        record.get_mut(number as usize)?.failed = true;
    }
    for entry in record {
        entry.ended_ns = Some(time_ns);
    }
    Some(())
}

/// A cursor over bytes that may end anywhere.
struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    fn take(&mut self, length: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    /// Kind and body of the next block, if it is whole.
    fn block(&mut self) -> Option<(u32, &'a [u8])> {
        (self.array()? == MAGIC).then_some(())?;
        let checked = self.0;
        let kind = self.u32()?;
        let length = self.u64()?;
        let body = self.take(length)?;
        let checked = &checked[..checked.len() - self.0.len()];
        (self.u32()? == crc32fast::hash(checked) && self.array()? == END).then_some((kind, body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<(&'static str, Action<'static>)> {
        let old = Fingerprint::of(b"old");
        vec![
            ("Worlds/A/x.jasset", Action::Write { old: Some(old), new: b"new text" }),
            ("new.jasset", Action::Write { old: None, new: b"" }),
            ("gone.jasset", Action::Remove { old }),
        ]
    }

    const TIME: u64 = 1_800_000_000_000_000_000;

    fn entries(ended: bool, failed: &[usize]) -> Vec<Entry<'static>> {
        let entry =
            |(i, (path, action))| Entry { path, action, ended_ns: ended.then_some(TIME), failed: failed.contains(&i) };
        sample().into_iter().enumerate().map(entry).collect()
    }

    #[test]
    fn what_was_written_reads_back() {
        let mut log = encode_record(sample().into_iter());
        assert_eq!(decode(&log), Log { entries: entries(false, &[]), torn_bytes: 0, is_newer: false });
        log.extend(encode_mark(TIME, &[1]));
        assert_eq!(decode(&log), Log { entries: entries(true, &[1]), torn_bytes: 0, is_newer: false });
        log.extend(encode_record(sample().into_iter()));
        let both = [entries(true, &[1]), entries(false, &[])].concat();
        assert_eq!(decode(&log), Log { entries: both, torn_bytes: 0, is_newer: false });
    }

    #[test]
    fn log_cut_at_every_byte_keeps_whole_blocks_only() {
        let first = encode_record(sample().into_iter());
        let marked = [first.clone(), encode_mark(TIME, &[])].concat();
        let all = [marked.clone(), encode_record(sample().into_iter())].concat();
        for cut in 0..all.len() {
            let log = decode(&all[..cut]);
            let (entries, whole) = match cut {
                _ if cut < first.len() => (vec![], 0),
                _ if cut < marked.len() => (entries(false, &[]), first.len()),
                _ => (entries(true, &[]), marked.len()),
            };
            assert_eq!(log, Log { entries, torn_bytes: cut - whole, is_newer: false }, "{cut}");
        }
    }

    #[test]
    fn no_flipped_byte_passes() {
        let whole = encode_record(sample().into_iter());
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x20;
            let log = decode(&bytes);
            assert_eq!((log.entries.len(), log.torn_bytes), (0, whole.len()), "{at}");
        }
    }

    #[test]
    fn mark_is_recognised_by_its_bytes_alone() {
        let mark = encode_mark(TIME, &[]);
        assert_eq!(mark.len() as u64, MARK_SIZE);
        assert!(is_clean_mark(&mark));
        assert!(!is_clean_mark(&encode_mark(TIME, &[0])));
        assert!(!is_clean_mark(&mark[1..]));
    }

    #[test]
    fn later_version_is_told_from_rubbish() {
        let mut bytes = encode_mark(TIME, &[]);
        bytes[VERSION_AT] = b'2';
        assert!(decode(&bytes).is_newer);
        bytes[0] = b'x';
        assert!(!decode(&bytes).is_newer);
    }

    #[test]
    fn entries_outside_the_content_folder_void_their_record() {
        for path in ["../x", "/etc/passwd", "a/../../x", ".git/hooks/post-checkout", "", "a//b", "a\\b", "a\0b"] {
            let bytes = encode_record([(path, Action::Write { old: None, new: b"x" })].into_iter());
            let log = decode(&bytes);
            assert_eq!((log.entries.len(), log.torn_bytes), (0, bytes.len()), "{path:?}");
        }
    }
}
