//! Which characters cannot be seen or cannot stand bare, and where a slice lies in its text.

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Whether a character would be invisible in a name, or reorder what is seen: blanks other than the space, controls,
/// zero-width and directional marks, fillers, tags and variation selectors.
#[must_use]
pub fn is_invisible(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    c.is_control()
        || c.is_whitespace()
        || matches!(c,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}' | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Whether a character may stand only as an escape in quotes: controls other than the tab, U+FEFF, U+2028, U+2029.
pub(super) fn must_be_escaped(c: char) -> bool {
    (c.is_control() && c != '\t') || matches!(c, '\u{FEFF}' | '\u{2028}' | '\u{2029}')
}

/// The high bit of each byte below the space, of DEL and of all beyond ASCII, eight bytes at a time. The lowest bit is exact; a lane may
/// blame the one above it by a carry, never clear it.
#[inline]
fn odd(word: u64) -> u64 {
    (word.wrapping_sub(LOW * 0x20) | word.wrapping_add(LOW) | word) & HIGH
}

/// How many bytes at the start are visible ASCII or spaces.
#[inline]
pub(crate) fn visible_length(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let odd = odd(u64::from_le_bytes(*word));
        if odd != 0 {
            return 8 * index + (odd.trailing_zeros() / 8) as usize;
        }
    }
    8 * words.len() + rest.iter().take_while(|byte| (0x20..0x7F).contains(*byte)).count()
}

/// The first character of a text, with its byte offset, that may not stand in it as it is, only as an escape in quotes:
/// a control character other than the tab, U+FEFF, U+2028 or U+2029. Linear, and fast over plain ASCII.
#[must_use]
#[inline]
pub fn find_control(text: &str) -> Option<(usize, char)> {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let found = words.iter().fold(0, |found, word| found | odd(u64::from_le_bytes(*word)));
    let found = match text.as_bytes().last_chunk::<8>() {
        // The last word lies over the one before it.
        Some(last) => found | odd(u64::from_le_bytes(*last)),
        None => rest.iter().fold(0, |found, byte| found | u64::from(!(0x20..0x7F).contains(byte))),
    };
    if found == 0 {
        return None;
    }
    find_control_slowly(text)
}

#[inline(never)]
fn find_control_slowly(text: &str) -> Option<(usize, char)> {
    text.char_indices().find(|&(_, c)| must_be_escaped(c))
}

/// Where `inner`, a slice of `outer`, begins in it; `None` when it is no slice of it.
#[must_use]
pub fn offset_in(outer: &str, inner: &str) -> Option<usize> {
    let offset = inner.as_ptr().addr().checked_sub(outer.as_ptr().addr())?;
    (offset + inner.len() <= outer.len()).then_some(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_found_and_honest_text_is_not() {
        assert_eq!(find_control("a\tb ä 😀"), None);
        assert_eq!(find_control("ä\0"), Some((2, '\0')));
        for c in ['\n', '\r', '\u{7F}', '\u{85}', '\u{2028}', '\u{2029}', '\u{FEFF}'] {
            assert_eq!(find_control(&format!("ab{c}")), Some((2, c)));
        }
    }

    #[test]
    fn invisible_characters_are_known() {
        assert!("\u{FEFF}\u{200B}\u{A0}\u{202E}\u{E0041}\0\u{85}".chars().all(is_invisible));
        assert!(!"aZ_.[]0 é€漢😀".chars().any(is_invisible));
    }

    #[test]
    fn slices_know_their_offset() {
        let text = "abcdef";
        assert_eq!(offset_in(text, &text[2..4]), Some(2));
        assert_eq!(offset_in(text, &text[6..]), Some(6));
        assert_eq!(offset_in(&text[3..], &text[2..4]), None);
        assert_eq!(offset_in(&text[..3], &text[2..4]), None);
    }
}
