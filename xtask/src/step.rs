//! Named, timed steps and the commands they run.
//!
//! Comes in: a name and a piece of work. Goes out: one line a step, and the output of a command only when it failed (or with
//! `--verbose`). A step that is skipped says so; a skip that matches no step is a failure, so that a renamed step is noticed.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Options of the command line, the same for every command.
#[derive(Debug)]
pub(crate) struct Options {
    /// Names of steps to leave out.
    pub(crate) skip: Vec<String>,
    /// Time for each fuzz target.
    pub(crate) seconds: u32,
    /// Package also what is not committed.
    pub(crate) allow_dirty: bool,
    /// Write the sizes of expansions down instead of comparing them.
    pub(crate) bless: bool,
    /// Let commands write straight to the terminal.
    pub(crate) verbose: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self { skip: Vec::new(), seconds: 600, allow_dirty: false, bless: false, verbose: false }
    }
}

/// The step that failed, and why.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) step: String,
    pub(crate) reason: String,
}

/// What a step works with.
pub(crate) struct Context<'a> {
    /// The folder of the workspace.
    pub(crate) root: &'a Path,
    pub(crate) options: &'a Options,
}

/// Runs steps and remembers how it went.
pub(crate) struct Steps {
    root: PathBuf,
    options: Options,
    passed: usize,
    skipped: Vec<String>,
    started: Instant,
}

impl Steps {
    pub(crate) fn new(options: Options) -> Self {
        Self { root: workspace_root(), options, passed: 0, skipped: Vec::new(), started: Instant::now() }
    }

    /// Runs one step, unless it is to be skipped, and prints its line.
    pub(crate) fn step(
        &mut self,
        name: &str,
        work: impl FnOnce(&Context<'_>) -> Result<(), String>,
    ) -> Result<(), Failure> {
        if self.options.skip.iter().any(|skip| skip == name) {
            println!("{name:<12} skipped");
            self.skipped.push(name.to_owned());
            return Ok(());
        }
        print!("{name:<12} ");
        if self.options.verbose {
            println!();
        }
        // A lost flush only delays the name of the step.
        let _ = std::io::stdout().flush();
        let started = Instant::now();
        let result = work(&Context { root: &self.root, options: &self.options });
        let time = seconds(started.elapsed());
        match result {
            Ok(()) => {
                println!("ok       {time}");
                self.passed += 1;
                Ok(())
            }
            // What went wrong may have been printed since the name, so the line begins anew.
            Err(reason) => {
                println!("\n{name:<12} FAILED   {time}");
                Err(Failure { step: name.to_owned(), reason })
            }
        }
    }

    /// Refuses `--skip` of something that is not a step.
    pub(crate) fn check_skips(&self) -> Result<(), Failure> {
        match self.options.skip.iter().find(|skip| !self.skipped.contains(skip)) {
            None => Ok(()),
            Some(skip) => Err(Failure { step: skip.clone(), reason: "there is no such step to skip".to_owned() }),
        }
    }

    /// `7 steps in 41.3 s, 1 skipped`.
    pub(crate) fn summary(&self) -> String {
        let skipped = if self.skipped.is_empty() { String::new() } else { format!(", {} skipped", self.skipped.len()) };
        let noun = if self.passed == 1 { "step" } else { "steps" };
        format!("{} {noun} in {}{skipped}", self.passed, seconds(self.started.elapsed()))
    }
}

impl Context<'_> {
    /// `cargo` with `arguments`, in the workspace's folder. The first argument may be `+nightly`.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("cargo");
        command.args(arguments).current_dir(self.root);
        // `cargo run` points these at the toolchain and package of xtask itself; another toolchain must not inherit them.
        for variable in ["CARGO", "CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "LD_LIBRARY_PATH"] {
            command.env_remove(variable);
        }
        command
    }

    /// Runs `command` to its end; its output is shown when it fails.
    ///
    /// # Errors
    /// A sentence with the command line and its status.
    pub(crate) fn run(&self, command: &mut Command) -> Result<(), String> {
        let line = describe(command);
        command.stdin(Stdio::null());
        if self.options.verbose {
            println!("  $ {line}");
            let status = command.status().map_err(|error| format!("`{line}` did not start: {error}"))?;
            return if status.success() { Ok(()) } else { Err(format!("`{line}`: {status}")) };
        }
        let output = command.output().map_err(|error| format!("`{line}` did not start: {error}"))?;
        if output.status.success() {
            return Ok(());
        }
        println!();
        for bytes in [&output.stdout, &output.stderr] {
            print!("{}", String::from_utf8_lossy(bytes));
        }
        Err(format!("`{line}`: {}", output.status))
    }

    /// Runs `command` and gives back what it wrote to stdout.
    ///
    /// # Errors
    /// A sentence with the command line and what it wrote to stderr.
    pub(crate) fn read(&self, command: &mut Command) -> Result<String, String> {
        let line = describe(command);
        let output =
            command.stdin(Stdio::null()).output().map_err(|error| format!("`{line}` did not start: {error}"))?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            return Err(format!("`{line}`: {}: {}", output.status, reason.trim()));
        }
        String::from_utf8(output.stdout).map_err(|_| format!("`{line}` wrote something that is not UTF-8"))
    }
}

/// `Steps` runs in the workspace that this package lies in, wherever it was called.
fn workspace_root() -> PathBuf {
    // The variable is set by `cargo run`; a binary started by hand falls back on the place it was built from.
    let package =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}

/// The command as it would be typed.
fn describe(command: &Command) -> String {
    let mut line = command.get_program().to_string_lossy().into_owned();
    for argument in command.get_args() {
        line.push(' ');
        line.push_str(&argument.to_string_lossy());
    }
    line
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_step_is_named_and_ends_the_run() {
        let mut steps = Steps::new(Options::default());
        assert!(steps.step("first", |_| Ok(())).is_ok());
        let failure = steps.step("second", |_| Err("reason".to_owned())).expect_err("fails");
        assert_eq!((failure.step.as_str(), failure.reason.as_str()), ("second", "reason"));
        assert_eq!(steps.passed, 1);
    }

    #[test]
    fn skipped_step_does_not_run() {
        let mut steps = Steps::new(Options { skip: vec!["slow".to_owned()], ..Options::default() });
        assert!(steps.step("slow", |_| Err("ran".to_owned())).is_ok());
        assert!(steps.check_skips().is_ok());
    }

    #[test]
    fn skip_without_a_step_is_a_failure() {
        let steps = Steps::new(Options { skip: vec!["sloow".to_owned()], ..Options::default() });
        assert_eq!(steps.check_skips().expect_err("no such step").step, "sloow");
    }

    #[test]
    fn command_that_fails_gives_its_line_and_status() {
        let options = Options::default();
        let root = workspace_root();
        let context = Context { root: &root, options: &options };
        let reason = context.run(&mut context.cargo(&["no-such-command"])).expect_err("fails");
        assert!(reason.starts_with("`cargo no-such-command`: exit status: "), "{reason}");
    }
}
