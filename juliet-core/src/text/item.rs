//! Names of items: `Loot[gold].Count`, `Loot["two words: a"].Count`.
//!
//! ```text
//! name = list [ key ] {. field | [ key ]}
//! key  = bare text without blanks, : and ] | quoted, as a string is
//! ```
//!
//! In: the name of a line, or the line itself. Out: parts of it. A quote that nothing closes, or that no `]` follows, is no quoted key; what is
//! wrong with such a name is for its reader to say. No allocation, linear.

use std::ops::Range;

use super::inline::quoted_length;

/// The name of an item of a map or a keyed list, or of something inside that item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ItemName<'t> {
    /// What stands before the `[`: the name of the map or list, dotted where it lies in a struct.
    pub list: &'t str,
    /// What stands between `[` and `]`: bare or with its quotes; empty in `[]`.
    pub key: &'t str,
    /// What follows the `]`, without the point; empty if nothing does. Begins with `[` where the item has items itself.
    pub rest: &'t str,
}

/// Splits a name at its first item; `None` if it names no item, or none that is well-formed.
///
/// ```
/// use juliet_core::text::{ItemName, split_item};
/// assert_eq!(split_item("Loot[gold].Count"), Some(ItemName { list: "Loot", key: "gold", rest: "Count" }));
/// assert_eq!(split_item("Light.Color"), None);
/// ```
#[must_use]
pub fn split_item(name: &str) -> Option<ItemName<'_>> {
    let open = memchr::memchr(b'[', name.as_bytes())?;
    let (brackets, after) = name[open..].split_at(brackets_length(&name[open..])?);
    let rest = match after.as_bytes() {
        [b'.'] => return None,
        [b'.', ..] => &after[1..],
        _ => after,
    };
    Some(ItemName { list: &name[..open], key: &brackets[1..brackets.len() - 1], rest })
}

/// The length of the brackets that `text` begins with; `None` if they are not closed, or something else than a point or more brackets follows.
fn brackets_length(text: &str) -> Option<usize> {
    let inner = &text[1..];
    let length = if inner.starts_with('"') { quoted_length(inner)? } else { memchr::memchr(b']', inner.as_bytes())? };
    let after = inner[length..].strip_prefix(']')?;
    matches!(after.as_bytes(), [] | [b'[' | b'.', ..]).then_some(length + 2)
}

/// The parts of a name, which together are the name: a property with the point before it, or the brackets of an item. Brackets that are not
/// well-formed are one part with all that follows. Linear.
///
/// ```text
/// Loot["a.b"].Count  →  Loot  ["a.b"]  .Count
/// ```
pub(crate) fn name_parts(name: &str) -> impl Iterator<Item = &str> {
    let property = |text: &str, from: usize| {
        memchr::memchr2(b'.', b'[', &text.as_bytes()[from..]).map_or(text.len(), |at| from + at)
    };
    let (first, mut rest) = name.split_at(property(name, 0));
    let others = core::iter::from_fn(move || {
        let length = match rest.as_bytes().first()? {
            b'[' => brackets_length(rest).unwrap_or(rest.len()),
            _ => property(rest, 1),
        };
        let (part, behind) = rest.split_at(length);
        rest = behind;
        Some(part)
    });
    core::iter::once(first).chain(others)
}

/// Where the next quoted key of an item lies, quotes included, from the byte offset `from` on.
pub(super) fn quoted_key(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = from;
    let start = loop {
        at += memchr::memchr(b'[', bytes.get(at..)?)? + 1;
        if bytes.get(at) == Some(&b'"') {
            break at;
        }
    };
    let end = start + quoted_length(&text[start..])?;
    (bytes.get(end) == Some(&b']')).then_some(start..end)
}

/// Where the `:` behind the name of a line is: the first that is in no quoted key. Only names with a `[` are looked at twice.
#[inline]
pub(super) fn colon(line: &str) -> Option<usize> {
    let first = memchr::memchr(b':', line.as_bytes())?;
    match memchr::memchr(b'[', &line.as_bytes()[..first]) {
        None => Some(first),
        Some(_) => colon_outside_quotes(line, first),
    }
}

fn colon_outside_quotes(line: &str, first: usize) -> Option<usize> {
    let (mut colon, mut from) = (first, 0);
    while let Some(quoted) = quoted_key(line, from).filter(|quoted| quoted.start < colon) {
        from = quoted.end;
        if colon < from {
            colon = from + memchr::memchr(b':', &line.as_bytes()[from..])?;
        }
    }
    Some(colon)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(name: &str, list: &str, key: &str, rest: &str) {
        assert_eq!(split_item(name), Some(ItemName { list, key, rest }), "{name}");
    }

    #[test]
    fn names_of_items_are_split() {
        check("Loot[gold]", "Loot", "gold", "");
        check("Chest.Loot[gold].Count", "Chest.Loot", "gold", "Count");
        check("Loot[-1].A.B[c].D", "Loot", "-1", "A.B[c].D");
        check("Loot[a][b].C", "Loot", "a", "[b].C");
        check("[b].C", "", "b", "C");
        check("Loot[]", "Loot", "", "");
        check(r#"Loot["two words: a"].Count"#, "Loot", r#""two words: a""#, "Count");
        check(r#"Loot["a]\"].b"]"#, "Loot", r#""a]\"].b""#, "");
        check("Loot[[a]", "Loot", "[a", "");
    }

    #[test]
    fn other_names_are_not() {
        for name in
            ["", "Loot", "Light.Color", "Loot[", "Loot[a", "Loot[a].", "Loot[a]b", "Loot]a[", r#"L["a]"#, r#"L["a" ]"#]
        {
            assert_eq!(split_item(name), None, "{name}");
        }
    }

    #[test]
    fn the_colon_behind_a_name_is_in_no_quotes() {
        for (line, at) in [
            ("A: 1", Some(1)),
            ("L[a]: 1", Some(4)),
            (r#"L["a:b"].C: ["x:y"]"#, Some(10)),
            (r#"L["a:b"]["c:d"]: 1"#, Some(15)),
            (r#"L["a:b"]"#, None),
            (r#"L["a:b" : 1"#, Some(4)),
            (r#"L["a: 1"#, Some(4)),
            (r#"L["a\"]:"]: 1"#, Some(10)),
            (r#"A: ["b:c"]: d"#, Some(1)),
        ] {
            assert_eq!(colon(line), at, "{line}");
        }
    }

    #[test]
    fn names_are_parted_outside_of_brackets() {
        for (name, parts) in [
            ("Loot", &["Loot"][..]),
            ("Light.Color.X", &["Light", ".Color", ".X"]),
            (r#"Loot["a.b"].Count"#, &["Loot", r#"["a.b"]"#, ".Count"]),
            ("Loot[a.b][c].D", &["Loot", "[a.b]", "[c]", ".D"]),
            (r#"L["a[].b].C"#, &["L", r#"["a[].b].C"#]),
            ("L[a]b.C", &["L", "[a]b.C"]),
            ("L[a].", &["L", "[a]", "."]),
            (".a..b", &["", ".a", ".", ".b"]),
            ("[a]", &["", "[a]"]),
            ("[", &["", "["]),
            ("", &[""]),
        ] {
            assert_eq!(name_parts(name).collect::<Vec<_>>(), parts, "{name}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_parts_are_all_of_the_name(name in r#"[a\[\]".:\\ ]{0,16}"#) {
            if let Some(ItemName { list, key, rest }) = split_item(&name) {
                let point = if rest.is_empty() || name.ends_with(&format!("]{rest}")) { "" } else { "." };
                prop_assert_eq!(format!("{list}[{key}]{point}{rest}"), &*name);
            }
            prop_assert_eq!(name_parts(&name).collect::<String>(), &*name);
            prop_assert!(name_parts(&name).skip(1).all(|part| part.starts_with(['.', '['])));
        }
    }
}
