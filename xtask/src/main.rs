//! Checks and chores of the workspace: `cargo xtask <command>`.
//!
//! Comes in: one command and its options (see [`COMMANDS`], which is also the help text). Goes out: one line for each step
//! with its time on stdout, the whole output of a step that failed, and an exit status of 0 (passed), 1 (a step failed,
//! named in the last line) or 2 (usage). Steps run in order and stop at the first failure.
#![forbid(unsafe_code)]
#![expect(clippy::print_stdout, reason = "a command-line tool speaks through stdout")]

mod bless;
mod ci;
mod expansion;
mod json;
mod metadata;
mod sanitize;
mod step;
mod tidy;

use std::process::ExitCode;

use step::{Failure, Options, Steps};

/// What a command runs.
type Run = fn(&mut Steps) -> Result<(), Failure>;

/// Every command: its name, what it does, and how.
const COMMANDS: &[(&str, &str, Run)] = &[
    ("ci", "what CI runs: fmt, clippy, tidy, test, doc, features, examples, package", ci::ci),
    ("full", "ci, then expansion, outside, exhaustive, layout, asan, memcheck, fuzz", full),
    ("tidy", "rules that lints miss: unsafe, module arrows, docs, diagnostics pages, sizes", ci::tidy),
    ("bless", "rewrite every file with expected output; read the difference before committing it", bless::bless),
    (
        "expansion",
        "what the macros make of the reference types has not grown; --bless takes it as it is",
        expansion::check,
    ),
    ("outside", "compile the workspaces of their own: fuzz/ and benches/peers/", sanitize::outside),
    ("exhaustive", "the ignored tests over every value of a type, in release", sanitize::exhaustive),
    ("layout", "juliet-core's tests with field order randomised (nightly)", sanitize::layout),
    ("asan", "juliet-core's tests and doctests under AddressSanitizer (nightly)", sanitize::asan),
    ("memcheck", "juliet-core's tests under valgrind", sanitize::memcheck),
    ("fuzz", "every fuzz target for --seconds each (nightly, installs cargo-fuzz)", sanitize::fuzz),
];

/// `ci`, then everything too slow for it.
fn full(steps: &mut Steps) -> Result<(), Failure> {
    ci::ci(steps)?;
    expansion::check(steps)?;
    sanitize::outside(steps)?;
    sanitize::exhaustive(steps)?;
    sanitize::layout(steps)?;
    sanitize::asan(steps)?;
    sanitize::memcheck(steps)?;
    sanitize::fuzz(steps)
}

fn usage() -> String {
    let mut text = String::from("usage: cargo xtask <command> [options]\n\ncommands:\n");
    for (name, about, _) in COMMANDS {
        text.push_str(&format!("  {name:<12}{about}\n"));
    }
    text.push_str(
        "\noptions:\n  \
         --skip STEP     leave a step out (repeatable)\n  \
         --seconds N     time for each fuzz target (default 600)\n  \
         --allow-dirty   package a working copy with uncommitted changes\n  \
         --bless         write the sizes of expansions down instead of comparing them\n  \
         --verbose       show the output of steps that pass, too\n",
    );
    text
}

/// Splits the arguments into the command to run and its options.
fn parse(arguments: impl Iterator<Item = String>) -> Result<(&'static str, Run, Options), String> {
    let mut arguments = arguments;
    let Some(name) = arguments.next() else { return Err(usage()) };
    let Some((name, _, run)) = COMMANDS.iter().find(|(known, ..)| *known == name) else {
        return Err(format!("unknown command `{name}`\n\n{}", usage()));
    };
    let mut options = Options::default();
    while let Some(argument) = arguments.next() {
        let mut value = |what: &str| arguments.next().ok_or_else(|| format!("{argument} needs {what}"));
        match argument.as_str() {
            "--skip" => options.skip.push(value("the name of a step")?),
            "--seconds" => {
                let text = value("a number of seconds")?;
                options.seconds = text.parse().map_err(|_| format!("--seconds: expected a number, found `{text}`"))?;
            }
            "--allow-dirty" => options.allow_dirty = true,
            "--bless" => options.bless = true,
            "--verbose" => options.verbose = true,
            _ => return Err(format!("unknown option `{argument}`\n\n{}", usage())),
        }
    }
    Ok((name, *run, options))
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.peek().is_some_and(|first| matches!(first.as_str(), "help" | "--help" | "-h")) {
        print!("{}", usage());
        return ExitCode::SUCCESS;
    }
    let (name, run, options) = match parse(arguments) {
        Ok(parsed) => parsed,
        Err(message) => {
            eprintln!("{}", message.trim_end());
            return ExitCode::from(2);
        }
    };
    let mut steps = Steps::new(options);
    match run(&mut steps).and_then(|()| steps.check_skips()) {
        Ok(()) => {
            println!("cargo xtask {name}: passed, {}", steps.summary());
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("cargo xtask {name}: step `{}` failed: {}", failure.step, failure.reason);
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_words(words: &str) -> Result<(&'static str, Run, Options), String> {
        parse(words.split_whitespace().map(String::from))
    }

    #[test]
    fn options_follow_the_command() {
        let (name, _, options) = parse_words("fuzz --seconds 5 --skip doc --skip test --verbose").expect("valid");
        assert_eq!(name, "fuzz");
        assert_eq!(options.seconds, 5);
        assert_eq!(options.skip, ["doc", "test"]);
        assert!(options.verbose && !options.allow_dirty);
    }

    #[test]
    fn mistakes_on_the_command_line_are_named() {
        for (words, expected) in [
            ("", "usage"),
            ("cj", "unknown command `cj`"),
            ("ci --sikp", "unknown option `--sikp`"),
            ("fuzz --seconds", "--seconds needs a number of seconds"),
            ("fuzz --seconds ten", "found `ten`"),
        ] {
            let message = parse_words(words).err().unwrap_or_default();
            assert!(message.contains(expected), "{words}: {message}");
        }
    }
}
