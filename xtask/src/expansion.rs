//! `cargo xtask expansion`: the code that the derive macros write does not grow unnoticed, since every user compiles it.
//!
//! Comes in: the sizes that a test of juliet-derive prints for the types of `tests/schema/reference.rs`, in tokens and in lines, and those
//! of [`EXPECTED`]. Goes out: both, and a failure if one grew by more than [`TOLERANCE_PERCENT`]. What shrank is only said, but the file is
//! to be brought up to date then, too: growth is measured from there.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::step::{Context, Failure, Steps};

/// Where the expected sizes stand, in the form in which the test prints them.
const EXPECTED: &str = "juliet-derive/src/expand/snapshots/sizes.txt";

/// What a line of sizes begins with, among the other output of a test run.
const MARK: &str = "expansion: ";

/// How much larger a type's expansion may be than the file says.
const TOLERANCE_PERCENT: u64 = 5;

/// What brings the file up to date.
const BLESS: &str = "cargo xtask expansion --bless";

/// Compares, or writes the file with `--bless`.
pub(crate) fn check(steps: &mut Steps) -> Result<(), Failure> {
    steps.step("expansion", |context| {
        if context.options.bless {
            return write(context);
        }
        let path = context.root.join(EXPECTED);
        let expected = std::fs::read_to_string(&path).map_err(|error| format!("{EXPECTED}: {error}; run `{BLESS}`"))?;
        let report = compare(&Sizes::parse(&expected)?, &measure(context)?)?;
        print!("\n{}{:<12} ", report.text, "expansion");
        report.verdict
    })
}

/// Writes the file.
pub(crate) fn bless(steps: &mut Steps) -> Result<(), Failure> {
    steps.step("expansion", write)
}

fn write(context: &Context<'_>) -> Result<(), String> {
    std::fs::write(context.root.join(EXPECTED), measure(context)?.to_string())
        .map_err(|error| format!("{EXPECTED}: {error}"))
}

fn measure(context: &Context<'_>) -> Result<Sizes, String> {
    let name = "expand::size::sizes_of_expansions_are_printed";
    let arguments = ["test", "--package", "juliet-derive", "--lib", "--", "--exact", name, "--nocapture"];
    Sizes::parse(&context.read(&mut context.cargo(&arguments))?)
}

/// Tokens and lines of each type's expansion.
#[derive(Debug, PartialEq, Eq)]
struct Sizes(BTreeMap<String, [u64; 2]>);

const UNITS: [&str; 2] = ["tokens", "lines"];

impl Sizes {
    /// The lines of `text` that give a size; others are passed over.
    fn parse(text: &str) -> Result<Self, String> {
        let mut sizes = BTreeMap::new();
        for line in text.lines().filter_map(|line| line.split_once(MARK)).map(|(_, line)| line) {
            let words: Vec<&str> = line.split_whitespace().collect();
            let numbers = match words[..] {
                [name, tokens, "tokens", lines, "lines"] => Some((name, tokens.parse(), lines.parse())),
                _ => None,
            };
            let Some((name, Ok(tokens), Ok(lines))) = numbers else {
                return Err(format!("`{line}` is no size of an expansion"));
            };
            sizes.insert(name.to_owned(), [tokens, lines]);
        }
        if sizes.is_empty() { Err("no size of an expansion was given".to_owned()) } else { Ok(Self(sizes)) }
    }
}

impl std::fmt::Display for Sizes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|(name, [tokens, lines])| writeln!(f, "{MARK}{name} {tokens} tokens {lines} lines"))
    }
}

struct Report {
    /// A line for each type, and what is to be done.
    text: String,
    verdict: Result<(), String>,
}

/// What became of each type.
fn compare(expected: &Sizes, found: &Sizes) -> Result<Report, String> {
    let mut text = String::new();
    let mut grown = Vec::new();
    let mut changed = false;
    for (name, sizes) in &found.0 {
        let Some(before) = expected.0.get(name) else {
            return Err(format!("{EXPECTED} says nothing of `{name}`; run `{BLESS}`"));
        };
        changed |= sizes != before;
        let shown = UNITS.iter().zip(before.iter().zip(sizes)).map(|(unit, (before, now))| {
            if now * 100 > before * (100 + TOLERANCE_PERCENT) {
                grown.push(format!("`{name}` from {before} to {now} {unit}"));
            }
            format!("{now} {unit} (expected {before})")
        });
        let shown: Vec<String> = shown.collect();
        let _ = writeln!(text, "  {name}: {}", shown.join(", "));
    }
    if let Some(gone) = expected.0.keys().find(|name| !found.0.contains_key(*name)) {
        return Err(format!("`{gone}` of {EXPECTED} is not expanded any more; run `{BLESS}`"));
    }
    if changed && grown.is_empty() {
        let _ = writeln!(text, "  not what {EXPECTED} says: run `{BLESS}` and commit the file");
    }
    let verdict = match grown.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "expansions grew by more than {TOLERANCE_PERCENT} %: {}; if that is meant, run `{BLESS}` and commit {EXPECTED}",
            grown.join(", ")
        )),
    };
    Ok(Report { text, verdict })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str) -> Sizes {
        Sizes::parse(text).expect("sizes")
    }

    fn report(expected: &str, found: &str) -> Report {
        compare(&sizes(expected), &sizes(found)).expect("the same types")
    }

    const BEFORE: &str = "expansion: Crane 1000 tokens 200 lines\nexpansion: Lamp 100 tokens 20 lines\n";

    #[test]
    fn growth_beyond_the_tolerance_fails_and_says_what_blesses() {
        let reason = report(BEFORE, &BEFORE.replace("1000", "1051")).verdict.expect_err("grew");
        assert!(reason.contains("`Crane` from 1000 to 1051 tokens") && reason.contains(BLESS), "{reason}");
        let reason = report(BEFORE, &BEFORE.replace(" 20 lines", " 22 lines")).verdict.expect_err("grew");
        assert!(reason.contains("`Lamp` from 20 to 22 lines"), "{reason}");
    }

    #[test]
    fn growth_within_the_tolerance_passes_and_is_shown() {
        let report = report(BEFORE, &BEFORE.replace("1000", "1050"));
        assert!(report.verdict.is_ok());
        assert!(
            report.text.contains("Crane: 1050 tokens (expected 1000), 200 lines (expected 200)"),
            "{}",
            report.text
        );
        assert!(report.text.contains(BLESS));
    }

    #[test]
    fn what_shrank_passes_and_asks_for_the_file_to_be_written() {
        let report = report(BEFORE, &BEFORE.replace("1000", "500"));
        assert!(report.verdict.is_ok() && report.text.contains(BLESS), "{}", report.text);
    }

    #[test]
    fn nothing_is_asked_for_where_nothing_changed() {
        let report = report(BEFORE, BEFORE);
        assert!(report.verdict.is_ok() && !report.text.contains(BLESS), "{}", report.text);
    }

    #[test]
    fn a_type_that_came_or_went_is_a_failure() {
        let one = "expansion: Crane 1000 tokens 200 lines\n";
        for (expected, found) in [(one, BEFORE), (BEFORE, one)] {
            let reason = compare(&sizes(expected), &sizes(found)).err().unwrap_or_default();
            assert!(reason.contains("`Lamp`") && reason.contains(BLESS), "{reason}");
        }
    }

    #[test]
    fn sizes_stand_among_other_output_and_read_back() {
        let found = sizes(&format!("running 1 test\ntest a ... {BEFORE}ok\n"));
        assert_eq!(found, sizes(&found.to_string()));
        assert!(Sizes::parse("running 0 tests").is_err(), "a test that moved away must not pass");
        assert!(Sizes::parse("expansion: Crane many tokens 1 lines").is_err());
    }
}
