//! Checks that are too slow for CI or need nightly: sanitizers, valgrind, randomised layout, fuzzing, exhaustive tests.
//!
//! Each tool that changes compiler flags builds in a target folder of its own (`target/asan`, `target/layout`), so that the
//! ordinary build stays warm. `--target` is always given with them: without it the flags would reach proc macros, too.

use std::process::Command;

use crate::metadata::Workspace;
use crate::step::{Context, Failure, Steps};

/// The target that the sanitizers are used on.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Cases a property test under valgrind; it is about forty times slower than the machine.
const MEMCHECK_CASES: &str = "4";

/// Random sequences of the entity manager under each tool, instead of 1,000.
const ASAN_SEQUENCES: &str = "100";
const MEMCHECK_SEQUENCES: &str = "10";

/// The workspaces of their own still compile.
pub(crate) fn outside(steps: &mut Steps) -> Result<(), Failure> {
    steps.step("outside", |context| {
        check_manifest(context, "benches/peers/Cargo.toml", &["check", "--all-targets"])?;
        // Fuzz targets use a crate that needs nightly only for its sanitizer; checking them does not.
        check_manifest(context, "fuzz/Cargo.toml", &["check"])
    })
}

fn check_manifest(context: &Context<'_>, manifest: &str, arguments: &[&str]) -> Result<(), String> {
    require_file(context, manifest)?;
    context.run(context.cargo(arguments).args(["--manifest-path", manifest]))
}

/// The tests over all values of a type, ignored by default because they take minutes.
pub(crate) fn exhaustive(steps: &mut Steps) -> Result<(), Failure> {
    // Per package the test binary that holds ignored tests.
    for (package, tests) in [("juliet-core", &["--lib"][..]), ("juliet", &["--test", "main"])] {
        steps.step(&format!("exhaustive {package}"), |context| {
            let mut arguments = vec!["test", "--release", "--package", package];
            arguments.extend(tests);
            arguments.extend(["--", "--ignored"]);
            // A filter that matches nothing passes; tests that moved away must not.
            let list = context.read(context.cargo(&arguments).arg("--list"))?;
            if !list.lines().any(|line| line.ends_with(": test")) {
                return Err(format!("{package} has no ignored test where they are looked for"));
            }
            context.run(&mut context.cargo(&arguments))
        })?;
    }
    Ok(())
}

/// Nothing depends on the order in which the compiler lays fields out.
pub(crate) fn layout(steps: &mut Steps) -> Result<(), Failure> {
    steps.step("layout", |context| {
        let mut command =
            nightly(context, &["test", "--package", "juliet-core", "--lib", "--tests", "--target", TARGET])?;
        command.env("RUSTFLAGS", "-Zrandomize-layout");
        in_own_target(context, &mut command, "layout")
    })
}

/// Use after free, overflow and leaks. `juliet_asan` makes arenas poison what is not live, which would be invisible else.
pub(crate) fn asan(steps: &mut Steps) -> Result<(), Failure> {
    steps.step("asan", |context| {
        let flags = "-Zsanitizer=address --cfg juliet_asan";
        let mut command = nightly(context, &["test", "--package", "juliet-core", "--target", TARGET])?;
        command.env("RUSTFLAGS", flags).env("RUSTDOCFLAGS", flags);
        command.env("JULIET_SEQUENCES", ASAN_SEQUENCES);
        command.env("ASAN_OPTIONS", "detect_leaks=1:detect_stack_use_after_return=1");
        in_own_target(context, &mut command, "asan")
    })
}

/// Uninitialised reads: valgrind as cargo's runner, one process a test binary. Doctests are asan's.
pub(crate) fn memcheck(steps: &mut Steps) -> Result<(), Failure> {
    steps.step("memcheck", |context| {
        require_tool("valgrind", "install the package `valgrind` of your system")?;
        let runner = "valgrind --quiet --error-exitcode=1 --leak-check=full --errors-for-leak-kinds=definite";
        let mut command = context.cargo(&["test", "--package", "juliet-core", "--lib", "--tests", "--target", TARGET]);
        command.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", runner).env("PROPTEST_CASES", MEMCHECK_CASES);
        command.env("JULIET_SEQUENCES", MEMCHECK_SEQUENCES);
        context.run(&mut command)
    })
}

/// Every fuzz target for the given time. New inputs go to `target/fuzz`, so that the checked-in corpus stays as it is.
pub(crate) fn fuzz(steps: &mut Steps) -> Result<(), Failure> {
    let mut targets = Vec::new();
    steps.step("fuzz-tools", |context| {
        require_file(context, "fuzz/Cargo.toml")?;
        if context.read(&mut context.cargo(&["fuzz", "--version"])).is_err() {
            context.run(&mut context.cargo(&["install", "cargo-fuzz", "--locked"]))?;
        }
        let list = context.read(&mut nightly(context, &["fuzz", "list"])?)?;
        targets.extend(list.split_whitespace().map(str::to_owned));
        if targets.is_empty() { Err("`cargo fuzz list` names no target".to_owned()) } else { Ok(()) }
    })?;
    for target in &targets {
        steps.step(&format!("fuzz {target}"), |context| fuzz_one(context, target))?;
    }
    Ok(())
}

fn fuzz_one(context: &Context<'_>, target: &str) -> Result<(), String> {
    let found = Workspace::read(context)?.target.join("fuzz").join(target);
    std::fs::create_dir_all(&found).map_err(|error| format!("{}: {error}", found.display()))?;
    let mut command = nightly(context, &["fuzz", "run", target])?;
    command.arg(&found);
    let corpus = context.root.join("fuzz/corpus").join(target);
    if corpus.is_dir() {
        command.arg(corpus);
    }
    let seconds = format!("-max_total_time={}", context.options.seconds);
    // An input that takes ten seconds is a finding: reading is linear.
    context.run(command.args(["--", &seconds, "-timeout=10", "-rss_limit_mb=4096"]))
}

/// `cargo +nightly …`.
fn nightly(context: &Context<'_>, arguments: &[&str]) -> Result<Command, String> {
    let mut probe = context.cargo(&["+nightly", "--version"]);
    context.read(&mut probe).map_err(|reason| format!("{reason} (install it: `rustup toolchain install nightly`)"))?;
    Ok(context.cargo(&[&["+nightly"], arguments].concat()))
}

fn in_own_target(context: &Context<'_>, command: &mut Command, name: &str) -> Result<(), String> {
    let target = Workspace::read(context)?.target.join(name);
    context.run(command.env("CARGO_TARGET_DIR", target))
}

fn require_file(context: &Context<'_>, path: &str) -> Result<(), String> {
    if context.root.join(path).is_file() { Ok(()) } else { Err(format!("{path} is missing")) }
}

fn require_tool(name: &str, advice: &str) -> Result<(), String> {
    match Command::new(name).arg("--version").output() {
        Ok(output) if output.status.success() => Ok(()),
        _ => Err(format!("{name} is missing: {advice}")),
    }
}
