//! Modules name each other in one direction only.
//!
//! Comes in: the source of the crates in [`CRATES`]. Goes out: a finding for each path (in a `use` line or in code) from a
//! module to one right of it. Names that a `lib.rs` or `mod.rs` re-exports are followed to the module they come from, so that
//! `use crate::Name` is no way round. `lib.rs` itself may name everything; a `mod.rs` is checked like any file of its module,
//! where declarations and re-exports of its own submodules are no arrows.
//!
//! ```text
//! juliet-core/src/text/edit.rs:  use crate::{diag::Code, class::{Class, Shape as S}};
//!     module  text::edit         paths  diag::Code  class::Class  class::Shape
//!     rank of text = 1           ranks  0           2             2              → two findings
//! ```

use std::collections::BTreeMap;

use super::Finding;
use super::lexer::{Kind, Token, tokens};
use super::tree::Tree;

/// The order of one crate's modules.
struct Order {
    /// Folder of its source, with a slash at the end.
    source: &'static str,
    /// Module (the longest that matches counts) and its place; left is lower.
    ranks: &'static [(&'static str, u8)],
    /// Arrows to the right or to the side that a decision record allows.
    exceptions: &'static [(&'static str, &'static str)],
    /// May two modules of one place name each other?
    neighbours: bool,
}

const CRATES: &[Order] = &[
    Order {
        source: "juliet-core/src/",
        // `private` is what generated code names; nothing of ours does.
        ranks: &[
            ("mem", 0),
            ("diag", 0),
            ("text", 1),
            ("class", 2),
            ("entity", 3),
            ("schema", 3),
            ("archive", 4),
            ("value", 4),
            ("private", 5),
        ],
        // docs/adr/0007: debug builds carry the class with every erased pointer.
        exceptions: &[("mem", "class")],
        neighbours: false,
    },
    Order {
        source: "juliet-world/src/",
        // `folder` is bytes and paths, `schedule` and `ecs` know no world. A project opens worlds, and a world knows its project.
        ranks: &[
            ("folder", 0),
            ("schedule", 0),
            ("ecs", 0),
            ("sim_math", 1),
            ("game_loop", 2),
            ("presentation", 3),
            ("project", 4),
            ("world", 4),
            ("assets", 5),
            ("upkeep", 5),
        ],
        exceptions: &[],
        neighbours: true,
    },
];

pub(crate) fn check(tree: &Tree, findings: &mut Vec<Finding>) {
    for order in CRATES {
        let files: Vec<_> = tree
            .texts(order.source, ".rs")
            .map(|(path, text)| (path, module_of(&path[order.source.len()..]), tokens(text)))
            .collect();
        let exports = files.iter().flat_map(|(_, module, tokens)| exports(module, tokens)).collect();
        for (path, module, tokens) in &files {
            // `lib.rs` stands above the order.
            if !module.is_empty() {
                check_file(order, path, module, tokens, &exports, findings);
            }
        }
    }
}

/// Where a re-exported name leads, by the path it is reached through.
type Exports = BTreeMap<Vec<String>, Vec<String>>;

fn check_file(
    order: &Order,
    path: &str,
    module: &[String],
    tokens: &[Token<'_>],
    exports: &Exports,
    findings: &mut Vec<Finding>,
) {
    let Some(own) = order.place(module) else {
        let top = &module[0];
        findings.push(Finding::new(path, 0, format!("module `{top}` has no place in the order of {}", order.source)));
        return;
    };
    for (line, target) in paths(module, tokens) {
        let target = follow(target, exports);
        if let Some(other) = order.place(&target).filter(|other| !order.allows(own, *other)) {
            findings.push(Finding::new(path, line, format!("`{}` must not name `{}`", own.0, other.0)));
        }
    }
}

impl Order {
    /// The entry of [`ranks`](Self::ranks) that `path` lies in.
    fn place(&self, path: &[String]) -> Option<(&'static str, u8)> {
        let covers =
            |name: &str| name.split("::").count() <= path.len() && name.split("::").zip(path).all(|(a, b)| a == b);
        self.ranks.iter().filter(|(name, _)| covers(name)).max_by_key(|(name, _)| name.len()).copied()
    }

    fn allows(&self, from: (&str, u8), to: (&str, u8)) -> bool {
        from.0 == to.0
            || to.1 < from.1
            || (to.1 == from.1 && self.neighbours)
            || self.exceptions.contains(&(from.0, to.0))
    }
}

/// `text/edit.rs` is `[text, edit]`, `text/mod.rs` is `[text]`, `lib.rs` is `[]`.
fn module_of(path: &str) -> Vec<String> {
    let path = path.trim_end_matches(".rs");
    let mut module: Vec<String> = path.split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib")) {
        module.pop();
    }
    module
}

/// Follows re-exports until the path is that of a definition. The number of steps is bounded: re-exports may form a ring.
fn follow(mut path: Vec<String>, exports: &Exports) -> Vec<String> {
    for _ in 0..8 {
        let Some((length, target)) = (1..=path.len()).find_map(|n| exports.get(&path[..n]).map(|target| (n, target)))
        else {
            break;
        };
        path = [target.as_slice(), &path[length..]].concat();
    }
    path
}

/// The `pub use` lines of a file (of any visibility): the path a name is reached through, and the path it comes from.
fn exports(module: &[String], tokens: &[Token<'_>]) -> Vec<(Vec<String>, Vec<String>)> {
    let mut exports = Vec::new();
    let tokens: Vec<_> = tokens.iter().filter(|token| token.kind != Kind::Comment).copied().collect();
    for (at, _) in tokens.iter().enumerate().filter(|(_, token)| token.is("pub")) {
        // Over `(crate)` or `(in …)`, if there is one.
        let end = tokens[at..].iter().position(|token| token.is("use") || token.is("{") || token.is(";"));
        let Some(at) = end.map(|end| at + end).filter(|&at| tokens[at].is("use")) else { continue };
        let mut leaves = Vec::new();
        tree_leaves(&tokens, at + 1, &[], &mut leaves);
        for leaf in leaves {
            let Some(target) = absolute(&leaf.path, module, module) else { continue };
            let name = leaf.name.or_else(|| target.last().cloned()).filter(|name| name != "*");
            if let Some(name) = name {
                exports.push(([module, &[name]].concat(), target));
            }
        }
    }
    // A name that leads to itself (`pub use` of a submodule) would be followed for ever.
    exports.retain(|(name, target)| !target.starts_with(name));
    exports
}

/// Every path of a file that starts at `crate` or `super`, from the crate's root on, with its line.
fn paths(module: &[String], tokens: &[Token<'_>]) -> Vec<(usize, Vec<String>)> {
    let tokens: Vec<_> = tokens.iter().filter(|token| token.kind != Kind::Comment).copied().collect();
    let mut inner = InnerModules::new(module);
    let mut paths = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        inner.advance(&tokens, at);
        let starts = (token.is("crate") || token.is("super")) && is_path_sep(&tokens, at + 1);
        if !starts || (at >= 2 && is_path_sep(&tokens, at - 2)) {
            continue;
        }
        let mut leaves = Vec::new();
        tree_leaves(&tokens, at, &[], &mut leaves);
        paths
            .extend(leaves.into_iter().filter_map(|leaf| Some((leaf.line, absolute(&leaf.path, &inner.module, &[])?))));
    }
    paths
}

/// Follows `mod name { … }` inside a file, where `super` means something else.
struct InnerModules {
    module: Vec<String>,
    /// Depth of braces at which each inner module began.
    opened: Vec<usize>,
    depth: usize,
}

impl InnerModules {
    fn new(module: &[String]) -> Self {
        Self { module: module.to_vec(), opened: Vec::new(), depth: 0 }
    }

    fn advance(&mut self, tokens: &[Token<'_>], at: usize) {
        if tokens[at].is("{") {
            self.depth += 1;
            if let Some([keyword, name]) = at.checked_sub(2).map(|start| &tokens[start..at])
                && keyword.is("mod")
            {
                self.module.push(name.text.to_owned());
                self.opened.push(self.depth);
            }
        } else if tokens[at].is("}") {
            if self.opened.last() == Some(&self.depth) {
                self.opened.pop();
                self.module.pop();
            }
            self.depth = self.depth.saturating_sub(1);
        }
    }
}

fn is_path_sep(tokens: &[Token<'_>], at: usize) -> bool {
    matches!(tokens.get(at..at + 2), Some([a, b]) if a.is(":") && b.is(":"))
}

/// One path of a `use` tree.
struct Leaf {
    path: Vec<String>,
    /// What it is renamed to.
    name: Option<String>,
    line: usize,
}

/// Collects the paths of the tree that begins at `at`, `a::{b, c::{d, e as f}, g::*}`, and gives the place after it.
fn tree_leaves(tokens: &[Token<'_>], mut at: usize, prefix: &[String], leaves: &mut Vec<Leaf>) -> usize {
    let mut path = prefix.to_vec();
    let line = tokens.get(at).map_or(0, |token| token.line);
    if is_path_sep(tokens, at) {
        at += 2;
    }
    loop {
        match tokens.get(at) {
            Some(token) if token.is("{") => {
                at += 1;
                while let Some(token) = tokens.get(at).filter(|token| !token.is("}")) {
                    let next = tree_leaves(tokens, at, &path, leaves);
                    // A comma, or anything unexpected: go on, never stay.
                    at = if token.is(",") { at + 1 } else { next.max(at + 1) };
                }
                return at + 1;
            }
            Some(token) if token.kind == Kind::Word || token.is("*") => {
                path.push(token.text.trim_start_matches("r#").to_owned());
                at += 1;
            }
            _ => break,
        }
        if !is_path_sep(tokens, at) {
            break;
        }
        at += 2;
    }
    let mut name = None;
    if let Some([keyword, new]) = tokens.get(at..at + 2)
        && keyword.is("as")
    {
        name = Some(new.text.to_owned());
        at += 2;
    }
    if path.len() > prefix.len() {
        leaves.push(Leaf { path, name, line });
    }
    at
}

/// A path as seen from the crate's root; none when it leads into another crate. `relative` is what a bare name is below.
fn absolute(path: &[String], module: &[String], relative: &[String]) -> Option<Vec<String>> {
    let supers = path.iter().take_while(|part| *part == "super").count();
    let path = match path.first()?.as_str() {
        "crate" => path[1..].to_vec(),
        "super" => [module.get(..module.len().checked_sub(supers)?)?, &path[supers..]].concat(),
        "self" => [relative, &path[1..]].concat(),
        _ => [relative, path].concat(),
    };
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(files: &[(&str, &str)]) -> Vec<String> {
        let mut findings = Vec::new();
        check(&Tree::of(files), &mut findings);
        findings.iter().map(ToString::to_string).collect()
    }

    /// Messages for one file of juliet-core beside a `lib.rs` and a `class/mod.rs` with re-exports.
    fn core(path: &str, text: &str) -> Vec<String> {
        let lib = "mod class;\npub use class::{Class, shape::Shape as Form};\npub use text::Document;";
        let class = "mod shape;\npub(crate) use shape::Shape;\nuse crate::mem::Rows;";
        let path = format!("juliet-core/src/{path}");
        let files = [("juliet-core/src/lib.rs", lib), ("juliet-core/src/class/mod.rs", class), (path.as_str(), text)];
        messages(&files).iter().map(|message| message.replace("juliet-core/src/", "")).collect()
    }

    #[test]
    fn arrows_to_the_left_are_fine() {
        let text =
            "use crate::{diag::Code, text::{Document, edit}};\nuse super::shape;\nfn f() { crate::mem::g::<u8>() }";
        assert_eq!(core("class/property.rs", text), [""; 0]);
    }

    #[test]
    fn arrows_to_the_right_are_found_on_their_line() {
        let text =
            "use crate::{\n    diag::Code,\n    class::{Class, Shape as S},\n};\nfn f() { crate::archive::read() }";
        assert_eq!(
            core("text/edit.rs", text),
            [
                "text/edit.rs:3: `text` must not name `class`",
                "text/edit.rs:3: `text` must not name `class`",
                "text/edit.rs:5: `text` must not name `archive`",
            ]
        );
    }

    #[test]
    fn super_leads_out_of_a_module_and_out_of_its_tests() {
        assert_eq!(core("text/edit.rs", "use super::number;\nmod tests { use super::super::quoted; }"), [""; 0]);
        assert_eq!(core("text/edit.rs", "use super::super::entity::Base;").len(), 1);
        assert_eq!(core("text/edit.rs", "mod tests { use super::super::super::entity; }\nuse super::entity;").len(), 1);
        assert_eq!(core("text/a/b.rs", "use super::super::super::entity::Base;").len(), 1);
    }

    #[test]
    fn re_exports_are_followed() {
        assert_eq!(core("text/edit.rs", "use crate::Class;"), ["text/edit.rs:1: `text` must not name `class`"]);
        assert_eq!(core("text/edit.rs", "use crate::Form;"), ["text/edit.rs:1: `text` must not name `class`"]);
        assert_eq!(core("diag/code.rs", "use crate::Document;"), ["diag/code.rs:1: `diag` must not name `text`"]);
        assert_eq!(core("text/edit.rs", "use crate::Document;"), [""; 0]);
    }

    #[test]
    fn neighbours_and_exceptions_are_as_decided() {
        assert_eq!(core("mem/erased.rs", "use crate::class::Class;"), [""; 0]);
        assert_eq!(core("mem/erased.rs", "use crate::diag::Code;").len(), 1);
        assert_eq!(core("diag/code.rs", "use crate::mem::Arena;").len(), 1);
    }

    #[test]
    fn comments_and_strings_are_no_arrows() {
        assert_eq!(core("text/edit.rs", "//! [`crate::archive`]\nconst A: &str = \"crate::archive::x\";"), [""; 0]);
    }

    #[test]
    fn mod_file_is_a_file_of_its_module() {
        let text = "mod a;\npub use a::A;\npub use self::a::B;\nuse super::archive::read;";
        assert_eq!(core("text/mod.rs", text), ["text/mod.rs:4: `text` must not name `archive`"]);
    }

    #[test]
    fn module_without_a_place_is_found() {
        assert_eq!(
            core("extra.rs", ""),
            ["extra.rs: module `extra` has no place in the order of juliet-core/src/".replace("juliet-core/src/", "")]
        );
    }

    #[test]
    fn folders_of_a_world_do_not_know_the_world() {
        let at = |path: &str, text: &str| messages(&[(&format!("juliet-world/src/{path}"), text)]).len();
        assert_eq!(at("folder/redo.rs", "use super::file_system::FileSystem;"), 0);
        assert_eq!(at("folder/redo.rs", "use crate::world::World;"), 1);
        assert_eq!(at("folder/redo.rs", "use crate::project::Project;"), 1);
        assert_eq!(at("project.rs", "use crate::{folder::recover, world::World};"), 0);
        assert_eq!(at("world/save.rs", "use crate::{folder::Transaction, project::Project};"), 0);
    }

    #[test]
    fn broken_text_comes_to_an_end() {
        for text in [
            "use crate::{",
            "use crate::{{{",
            "use crate::{,,;",
            "crate::",
            "use super::super::super::super::x;",
            "} } mod x {",
        ] {
            core("text/edit.rs", text);
        }
    }
}
