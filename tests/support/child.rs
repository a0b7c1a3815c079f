//! One test of this binary, run again in a process of its own: for what a process has once, such as its locale.

use std::env;
use std::process::Command;

/// Runs the test `name` (with its modules, `cases::…`) in another process with `variables` set, and fails if it fails.
#[track_caller]
pub(crate) fn run(name: &str, variables: &[(&str, &str)]) {
    let program = env::current_exe().unwrap();
    let mut command = Command::new(program);
    command.args([name, "--exact", "--include-ignored", "--nocapture"]).envs(variables.iter().copied());
    let output = command.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{name} with {variables:?} failed:\n{out}\n{err}");
    assert!(out.contains("1 passed"), "there is no test {name}:\n{out}");
}
