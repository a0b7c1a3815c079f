//! `cargo xtask tidy`: rules of the house that no lint knows.
//!
//! Comes in: the workspace's folder. Goes out: findings as `path:line: message`, sorted. The rules, each a function below or
//! in a module of its own:
//!
//! * `unsafe` stands only in `juliet-core/src/mem/`; the derive's templates that emit it are listed one by one;
//! * a `SAFETY:` comment says something (that it is there at all is clippy's concern);
//! * modules name each other in one direction ([`arrows`]);
//! * a module opens with a `//!` doc, and no source file has more than 600 lines;
//! * no stub macros, no note to fix something later, no path of somebody's machine;
//! * each diagnostic code has its page and each page its code, each ADR its three headings ([`pages`]);
//! * no file is larger than 1 MiB.

mod arrows;
mod lexer;
mod pages;
mod rust;
mod tree;

use std::path::Path;

use tree::Tree;

/// Where a rule is broken.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// Relative to the workspace, forward slashes.
    path: String,
    /// From 1; 0 when the file as a whole is meant.
    line: usize,
    message: String,
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

/// Checks the workspace in `root`; no findings means that all is well.
///
/// # Errors
/// A sentence, when a folder or file cannot be read.
pub(crate) fn check(root: &Path) -> Result<Vec<Finding>, String> {
    Ok(check_tree(&Tree::read(root)?))
}

fn check_tree(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    tree::check(tree, &mut findings);
    rust::check(tree, &mut findings);
    arrows::check(tree, &mut findings);
    pages::check(tree, &mut findings);
    findings.sort();
    findings
}
