//! The nearest of a list of names, for "did you mean".

/// Longer names are only compared but for case: the distance costs the product of both lengths.
const LONGEST: usize = 128;

/// The candidate that differs from `word` in upper and lower case alone, the first if there are several.
#[cold]
#[must_use]
pub fn same_but_for_case<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let folded = word.to_lowercase();
    candidates.into_iter().find(|candidate| candidate.to_lowercase() == folded)
}

/// The candidate nearest to `word`: one that differs in case alone, else one within two typing mistakes (insert, delete,
/// replace, swap) or a third of the length of `word`; within one mistake for words of up to three letters.
///
/// Among equally near ones the first wins. `word` itself is not a suggestion. Costs the sum of the candidates' lengths times
/// the length of `word`, which is bounded.
#[cold]
#[must_use]
pub fn nearest<'c>(word: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let folded = word.to_lowercase();
    let length = word.chars().count();
    let allowed = match length {
        0 => return None,
        1..=3 => 1,
        _ => (length / 3).max(2),
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate == word {
            continue;
        }
        let distance = if candidate.to_lowercase() == folded {
            0
        } else if word.len() > LONGEST || candidate.len() > LONGEST {
            continue;
        } else {
            strsim::damerau_levenshtein(word, candidate)
        };
        // A word of which nothing is left is no suggestion.
        let near = distance <= allowed && distance < length;
        if near && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: [&str; 6] = ["Scale", "MeshAsset", "IsDestructible", "Hp", "Health", "Light.Color"];

    #[track_caller]
    fn check(word: &str, expected: Option<&str>) {
        assert_eq!(nearest(word, KEYS), expected, "{word}");
    }

    #[test]
    fn near_names_are_suggested() {
        check("Scael", Some("Scale"));
        check("scale", Some("Scale"));
        check("Scaale", Some("Scale"));
        check("Meshasset", Some("MeshAsset"));
        check("IsDestructable", Some("IsDestructible"));
        check("Light.Colour", Some("Light.Color"));
        check("Hq", Some("Hp"));
    }

    #[test]
    fn far_names_and_the_name_itself_are_not() {
        check("Velocity", None);
        check("X", None);
        check("", None);
        check("Scale", None);
        check(&"Scale".repeat(10_000), None);
        assert_eq!(same_but_for_case("meshASSET", KEYS), Some("MeshAsset"));
        assert_eq!(same_but_for_case("mesh", KEYS), None);
    }
}
