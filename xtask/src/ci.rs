//! `cargo xtask ci`: what has to pass before a change is merged, in minutes and with stable Rust only.

use std::fs;
use std::process::Command;

use crate::metadata::{Package, Workspace};
use crate::step::{Context, Failure, Steps};

/// Every check of CI, the quick ones first.
pub(crate) fn ci(steps: &mut Steps) -> Result<(), Failure> {
    steps.step("fmt", |context| {
        context.run(&mut context.cargo(&["fmt", "--all", "--check", "--", "--color", "never"]))
    })?;
    tidy(steps)?;
    steps.step("clippy", |context| {
        context.run(&mut context.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]))
    })?;
    steps.step("test", |context| context.run(&mut context.cargo(&["test", "--workspace"])))?;
    steps.step("doc", |context| {
        let mut command = context.cargo(&["doc", "--workspace", "--all-features", "--no-deps"]);
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
///
/// Cargo's own verification unpacks the packages of a workspace into the registry cache of the user's cargo home and takes
/// them from there the next time, changed or not, as long as their version is the same. So they are packed by cargo, but
/// unpacked and checked here.
fn package(context: &Context<'_>) -> Result<(), String> {
    let workspace = Workspace::read(context)?;
    let (published, others): (Vec<_>, Vec<_>) = workspace.packages.iter().partition(|package| package.published);
    let mut arguments = vec!["package", "--workspace", "--no-verify"];
    for package in others {
        arguments.extend(["--exclude", package.name.as_str()]);
    }
    if context.options.allow_dirty {
        arguments.push("--allow-dirty");
    }
    context.run(&mut context.cargo(&arguments))?;

    let folder = workspace.target.join("packaged");
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    fs::create_dir_all(&folder).map_err(failed)?;
    for package in &published {
        // A package's files all have one old date; `-m` gives them a new one, by which cargo sees that they changed.
        let archive = workspace.target.join("package").join(format!("{}-{}.crate", package.name, package.version));
        context.run(Command::new("tar").arg("-xzmf").arg(archive).current_dir(&folder))?;
    }
    fs::write(folder.join("Cargo.toml"), packaged_workspace(&published)).map_err(failed)?;
    // The same versions of other crates, so that nothing is looked up anew.
    fs::copy(context.root.join("Cargo.lock"), folder.join("Cargo.lock")).map_err(failed)?;
    let mut command = context.cargo(&["check", "--workspace"]);
    context.run(command.current_dir(&folder).env("CARGO_TARGET_DIR", &workspace.target))
}

/// The manifest of a workspace of unpacked packages, in which they take each other instead of what is on crates.io.
fn packaged_workspace(packages: &[&Package]) -> String {
    let folder = |package: &Package| format!("{}-{}", package.name, package.version);
    let members: String = packages.iter().map(|package| format!("    \"{}\",\n", folder(package))).collect();
    let line = |package: &&Package| format!("{} = {{ path = \"{}\" }}\n", package.name, folder(package));
    let patches: String = packages.iter().map(line).collect();
    // The profile is that of the workspace, so that crates which clippy has checked are not checked again.
    let profile = "[profile.dev]\ndebug = \"line-tables-only\"\n";
    format!("[workspace]\nresolver = \"3\"\nmembers = [\n{members}]\n\n[patch.crates-io]\n{patches}\n{profile}")
}
