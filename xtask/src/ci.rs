//! `cargo xtask ci`: what has to pass before a change is merged, in minutes and with stable Rust only.

use crate::metadata::Workspace;
use crate::step::{Context, Failure, Steps};

/// Every check of CI, the quick ones first.
pub(crate) fn ci(steps: &mut Steps) -> Result<(), Failure> {
    steps.step("fmt", |context| context.run(&mut context.cargo(&["fmt", "--all", "--check"])))?;
    tidy(steps)?;
    steps.step("clippy", |context| {
        context.run(&mut context.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    })?;
    steps.step("test", |context| context.run(&mut context.cargo(&["test", "--workspace"])))?;
    steps.step("doc", |context| {
        let mut command = context.cargo(&["doc", "--workspace", "--no-deps"]);
        context.run(command.env("RUSTDOCFLAGS", "-Dwarnings"))
    })?;
    steps.step("features", features)?;
    steps.step("examples", examples)?;
    steps.step("package", package)
}

/// The rules of [`crate::tidy`] as a step.
pub(crate) fn tidy(steps: &mut Steps) -> Result<(), Failure> {
    steps.step("tidy", |context| {
        let findings = crate::tidy::check(context.root)?;
        if findings.is_empty() {
            return Ok(());
        }
        println!();
        for finding in &findings {
            println!("{finding}");
        }
        Err(format!("{} finding{}", findings.len(), if findings.len() == 1 { "" } else { "s" }))
    })
}

/// Each feature of each package builds alone and with all others; so does the package without any.
fn features(context: &Context<'_>) -> Result<(), String> {
    for package in Workspace::read(context)?.packages.iter().filter(|package| !package.features.is_empty()) {
        let check = |extra: &[&str]| {
            let mut arguments = vec!["check", "--package", package.name.as_str()];
            arguments.extend_from_slice(extra);
            context.run(&mut context.cargo(&arguments))
        };
        check(&["--no-default-features"])?;
        for feature in &package.features {
            check(&["--no-default-features", "--features", feature])?;
        }
        check(&["--all-features"])?;
    }
    Ok(())
}

/// Every example runs to its end.
fn examples(context: &Context<'_>) -> Result<(), String> {
    for package in &Workspace::read(context)?.packages {
        for example in &package.examples {
            let arguments = ["run", "--quiet", "--release", "--package", package.name.as_str(), "--example", example];
            context.run(&mut context.cargo(&arguments))?;
        }
    }
    Ok(())
}

/// What would be published builds from its packages alone, each against the packages (not the sources) of the others.
fn package(context: &Context<'_>) -> Result<(), String> {
    let workspace = Workspace::read(context)?;
    let mut arguments = vec!["package", "--workspace"];
    for package in workspace.packages.iter().filter(|package| !package.published) {
        arguments.extend(["--exclude", package.name.as_str()]);
    }
    if context.options.allow_dirty {
        arguments.push("--allow-dirty");
    }
    context.run(&mut context.cargo(&arguments))
}
