//! Names: both spellings of a key, the CRC-32 of a class name, which texts may be names, and suggestions for typing errors.

/// The colon spelling of a field name: each part between underscores with its first letter in upper case (`mesh_asset → MeshAsset`,
/// `x_1 → X1`). Two names that give one key cannot be told apart in a file.
pub(crate) fn pascal(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    for part in name.split('_') {
        let mut letters = part.chars();
        if let Some(first) = letters.next() {
            key.extend(first.to_uppercase());
            key.push_str(letters.as_str());
        }
    }
    key
}

/// CRC-32 (IEEE) of a class name.
pub(crate) fn crc(name: &str) -> u32 {
    crc32fast::hash(name.as_bytes())
}

/// What an entity file says about itself by `; name`.
const DIRECTIVES: [&str; 8] =
    ["asset_type", "class", "entity_type", "template", "version", "class_version", "component", "without"];
/// What every entity has without declaring it.
const BASE_PROPERTIES: [&str; 2] = ["id", "position"];

/// What the key of an entity's field is already taken by, in either spelling; `None` if it is free.
pub(crate) fn reserved(key: &str) -> Option<String> {
    let taken = |names: &[&'static str]| names.iter().copied().find(|name| pascal(name) == key);
    if let Some(name) = taken(&DIRECTIVES) {
        return Some(format!("the directive `; {name}`"));
    }
    taken(&BASE_PROPERTIES).map(|name| format!("the base property `{name}` that every entity has"))
}

/// Why `text` cannot be the key of a property; `None` if it can.
pub(crate) fn key_fault(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("a key cannot be empty".to_owned());
    }
    if let Some(found) = text.chars().find(|&c| c.is_whitespace() || c.is_control() || ":.[]{}\";#!,/\\=".contains(c)) {
        return Some(format!("a key cannot contain `{}`: it would not be read back as one key", found.escape_debug()));
    }
    if pascal(text).is_empty() {
        return Some("a key needs at least one letter or digit".to_owned());
    }
    None
}

/// Why `text` cannot name a class or a variant; `None` if it can.
pub(crate) fn word_fault(text: &str) -> Option<&'static str> {
    let mut letters = text.chars();
    match letters.next() {
        None => Some("a name cannot be empty"),
        Some(first) if !(first.is_alphabetic() || first == '_') => Some("a name begins with a letter or `_`"),
        Some(_) if letters.any(|c| !(c.is_alphanumeric() || c == '_' || c == '-')) => {
            Some("a name consists of letters, digits, `_` and `-`")
        }
        Some(_) => None,
    }
}

/// The word of `words` that is most like `word`, if one is near enough to have been meant.
pub(crate) fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    // Words have a bounded length so that a hostile attribute costs no more than its own length.
    if word.len() > 64 {
        return None;
    }
    let limit = (word.len() / 3).max(1);
    words
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word.to_lowercase(), candidate), candidate))
        .filter(|&(distance, _)| distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_begin_with_a_capital() {
        let cases = [
            ("mesh_asset", "MeshAsset"),
            ("meshAsset", "MeshAsset"),
            ("MeshAsset", "MeshAsset"),
            ("x_1", "X1"),
            ("x1", "X1"),
            ("_hidden", "Hidden"),
            ("a__b", "AB"),
            ("größe", "Größe"),
            ("écart_type", "ÉcartType"),
            ("__", ""),
        ];
        for (name, key) in cases {
            assert_eq!(pascal(name), key, "{name}");
            assert_eq!(pascal(key), key, "a key stays as it is");
        }
    }

    #[test]
    fn crc_is_the_ieee_one() {
        assert_eq!(crc("123456789"), 0xcbf4_3926);
    }

    #[test]
    fn directives_are_reserved_in_both_spellings() {
        for name in ["class", "entity_type", "EntityType", "id", "position", "class_version", "without"] {
            assert!(reserved(&pascal(name)).is_some(), "{name}");
        }
        for name in ["classes", "identity", "component_count"] {
            assert!(reserved(&pascal(name)).is_none(), "{name}");
        }
    }

    #[test]
    fn keys_hold_no_marks_of_the_text_format() {
        for text in ["", "_", "a:b", "a.b", "a[0]", "a b", "a\tb", "#a", "//a", "! a", "a\u{85}b"] {
            assert!(key_fault(text).is_some(), "{text:?}");
        }
        for text in ["a", "mesh_asset", "MeshAsset", "größe", "1", "light-color"] {
            assert!(key_fault(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn words_are_bare_text() {
        for text in ["", "1a", "a b", "a,b", "a]", "\"a\"", "-a"] {
            assert!(word_fault(text).is_some(), "{text:?}");
        }
        for text in ["A", "_a", "very-red", "Größe2"] {
            assert!(word_fault(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn near_misses_are_suggested() {
        assert_eq!(nearest("rnage", ["default", "range", "unit"]), Some("range"));
        assert_eq!(nearest("Default", ["default", "range"]), Some("default"));
        assert_eq!(nearest("colour", ["default", "range"]), None);
        assert_eq!(nearest(&"x".repeat(100_000), ["default"]), None);
    }
}
