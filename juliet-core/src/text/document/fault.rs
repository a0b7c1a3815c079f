//! What can be wrong with a line, and the diagnostic it becomes.

use std::ops::Range;

use super::{Node, NodeKind, Spelling};
use crate::diag::{Code, Diagnostic, Source};

/// What is wrong with a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodeFault {
    /// It is no line of the format.
    Syntax,
    /// Nothing stands where the name should.
    EmptyKey,
    /// A name holds a space or a tab.
    BlankInKey,
    /// A name holds this character, which cannot be seen.
    Invisible(char),
    /// It is a line of the other spelling than the file's.
    OtherSpelling,
    /// In the node spelling: no value on the next line.
    MissingValue,
    /// A line that git left in an unresolved merge. What follows it, up to the last marker, is as unreliable.
    ConflictMarker,
    /// The line is longer than [`LINE_LIMIT`](super::LINE_LIMIT).
    LineTooLong,
}

impl NodeFault {
    /// The code of its diagnostic.
    #[must_use]
    pub const fn code(self) -> Code {
        match self {
            Self::Syntax | Self::EmptyKey | Self::BlankInKey => Code::SyntaxLine,
            Self::Invisible(_) => Code::InvisibleCharacter,
            Self::OtherSpelling => Code::OtherSpelling,
            Self::MissingValue => Code::MissingValue,
            Self::ConflictMarker => Code::ConflictMarker,
            Self::LineTooLong => Code::LineTooLong,
        }
    }
}

impl Node<'_> {
    /// The diagnostic of a faulty node in a file of this spelling; `None` for any other node.
    #[cold]
    #[must_use]
    pub fn diagnostic(&self, spelling: Spelling, source: &Source<'_>) -> Option<Diagnostic> {
        let NodeKind::Fault(fault) = self.kind else {
            return None;
        };
        let colon = spelling == Spelling::Colon;
        let line = if colon {
            "`; name: value`, `Key: value` or a comment"
        } else {
            "`; name` and its value on the next line"
        };
        let (mark, message, expected): (Range<usize>, String, &str) = match fault {
            NodeFault::Syntax => (self.value_range(), "this line is neither a directive nor a property".into(), line),
            NodeFault::EmptyKey => (self.name_range(), "a name is missing".into(), line),
            NodeFault::BlankInKey => {
                (self.name_range(), format!("the name `{}` holds a blank", self.name), "a name without blanks")
            }
            NodeFault::Invisible(c) => {
                let text = if self.name.is_empty() { self.value_range() } else { self.name_range() };
                let at = text.start + if self.name.is_empty() { self.value } else { self.name }.find(c).unwrap_or(0);
                let message = format!("the invisible character U+{:04X} stands in a name", u32::from(c));
                (at..at + c.len_utf8(), message, "a name of visible characters")
            }
            NodeFault::OtherSpelling if colon => {
                let message = format!("`; {}` is of the node spelling, in a file of the colon spelling", self.name);
                (self.name_range(), message, "`; name: value` or `Key: value`")
            }
            NodeFault::OtherSpelling => {
                let message = format!("`{}: …` is of the colon spelling, in a file of the node spelling", self.name);
                (self.name_range(), message, "`; name` and its value on the next line")
            }
            NodeFault::MissingValue => {
                (self.name_range(), format!("no value for `{}`", self.name), "its value on the next line")
            }
            NodeFault::ConflictMarker => (self.value_range(), "unresolved merge conflict".into(), ""),
            NodeFault::LineTooLong => {
                (self.value_at..self.value_at, "the line is longer than 64 KiB".into(), "a shorter line")
            }
        };
        let mut diagnostic = source.diagnostic(fault.code(), mark, message).expected(expected).property(self.name);
        diagnostic.help = match fault {
            // `; entity_type Rock`
            NodeFault::BlankInKey if !colon || self.value.is_empty() => {
                self.name.split_once(' ').map(|(name, value)| {
                    format!("a value on the line of its name stands behind a colon: `{name}: {}`", value.trim_start())
                        .into()
                })
            }
            NodeFault::MissingValue => Some("a value that is empty or starts with `;` has to be quoted".into()),
            NodeFault::ConflictMarker => Some("decide for one side and remove the lines that git added".into()),
            _ => None,
        };
        Some(diagnostic)
    }
}
