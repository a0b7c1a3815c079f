//! Lines of any shape, told apart with care; and the search for the end of a key.

use memchr::memchr;

use super::{LINE_LIMIT, Node, NodeFault, NodeKind, Nodes, Spelling, is_conflict_marker, is_directive};
use crate::text::{is_invisible, item};

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// How many bytes at the start can stand in a key: ASCII that is visible and no `!`, `"` or `:`. Keys beyond ASCII take the careful path, and
/// so do those with quotes, in which a `:` may stand.
///
/// Eight bytes at a time: the lowest lane of `stops` with its high bit set is the byte that ends the key. Lanes above it
/// may be wrong, by a carry or borrow that begins there; lanes below it are not.
#[inline]
pub(super) fn key_length(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some((chunk, after)) = rest.split_first_chunk::<8>() {
        let x = u64::from_le_bytes(*chunk);
        let control_to_quote = x.wrapping_sub(LOW * 0x23);
        let colon = (x ^ (LOW * 0x3A)).wrapping_sub(LOW);
        let delete_or_beyond = x.wrapping_add(LOW);
        let stops = (control_to_quote | colon | delete_or_beyond) & HIGH;
        if stops != 0 {
            return bytes.len() - rest.len() + (stops.trailing_zeros() / 8) as usize;
        }
        rest = after;
    }
    let tail = rest.iter().take_while(|&&b| b > b'"' && b < 0x7F && b != b':').count();
    bytes.len() - rest.len() + tail
}

/// Whether `text` begins with `opening`: the same as `starts_with`, without a call for openings of a few words.
#[inline(always)]
pub(super) fn begins_with(text: &[u8], opening: &[u8]) -> bool {
    let Some(head) = text.get(..opening.len()) else { return false };
    let (Some(first), Some(last)) = (opening.first_chunk::<8>(), opening.last_chunk::<8>()) else {
        return head == opening;
    };
    // The last word lies over those before it where the length is no multiple of eight.
    if head.first_chunk() != Some(first) || head.last_chunk() != Some(last) {
        return false;
    }
    match opening.len() {
        0..=16 => true,
        17..=24 => head[8..].first_chunk::<8>() == opening[8..].first_chunk(),
        _ => head == opening,
    }
}

/// Where the next `\n` is. Most lines are short: the first words are looked at here, the rest by a call.
#[inline]
pub(super) fn line_length(bytes: &[u8]) -> Option<usize> {
    let mut rest = bytes;
    for word in 0..4 {
        let Some((chunk, after)) = rest.split_first_chunk::<8>() else { break };
        let x = u64::from_le_bytes(*chunk) ^ (LOW * 0x0A);
        // The lowest high bit is exact; those above it may not be.
        let found = x.wrapping_sub(LOW) & !x & HIGH;
        if found != 0 {
            return Some(8 * word + (found.trailing_zeros() / 8) as usize);
        }
        rest = after;
    }
    memchr(b'\n', rest).map(|at| bytes.len() - rest.len() + at)
}

/// The spelling by the first directive: the first line that begins with `;` and a name.
pub(super) fn spelling(text: &str, start: usize) -> Spelling {
    let mut lines = Nodes { text, at: start, spelling: Spelling::Colon };
    // As a file is written, it begins with its class.
    if text.as_bytes()[start..].starts_with(b"; entity_type: ") {
        return Spelling::Colon;
    }
    if let Some(rest) = text.as_bytes()[start..].strip_prefix(b"; ")
        && let length @ 1.. = key_length(rest)
    {
        match &rest[length..] {
            [b':', ..] => return Spelling::Colon,
            [b'\n', ..] | [b'\r', b'\n', ..] => return Spelling::Node,
            _ => {}
        }
    }
    while lines.at < text.len() {
        let (end, next) = lines.line_end(lines.at);
        let (at, end) = lines.trim(lines.at, end);
        lines.at = next;
        if let Some(body) = text[at..end].strip_prefix(';') {
            let colon = item::colon(body);
            if check_name(blanks_off(&body[..colon.unwrap_or(body.len())])).is_ok() {
                return if colon.is_some() { Spelling::Colon } else { Spelling::Node };
            }
        }
    }
    Spelling::Colon
}

fn blanks_off(text: &str) -> &str {
    text.trim_matches([' ', '\t'])
}

/// Whether a text can be a key. What stands in the quotes of an item's key is for its reader to judge. Linear.
fn check_name(name: &str) -> Result<(), NodeFault> {
    if name.is_empty() {
        return Err(NodeFault::EmptyKey);
    }
    // Plain ASCII, as nearly every name is, is done at once.
    if key_length(name.as_bytes()) == name.len() {
        return Ok(());
    }
    let mut from = 0;
    loop {
        let quoted = item::quoted_key(name, from);
        let plain = &name[from..quoted.as_ref().map_or(name.len(), |quoted| quoted.start)];
        match plain.chars().find(|&c| c == ' ' || is_invisible(c)) {
            None => {}
            Some(' ' | '\t') => return Err(NodeFault::BlankInKey),
            Some(c) => return Err(NodeFault::Invisible(c)),
        }
        let Some(quoted) = quoted else { return Ok(()) };
        from = quoted.end;
    }
}

/// The parts of a node, before it is known what it is.
struct Parts {
    span: (usize, usize),
    name: (usize, usize),
    value: (usize, usize),
}

impl<'a> Nodes<'a> {
    /// The node that begins at `start`, which is the start of a line. Complete: the plain paths are shortcuts of it.
    #[inline(never)]
    pub(super) fn careful(&self, start: usize) -> Node<'a> {
        let (end, next) = self.line_end(start);
        let (at, stop) = self.trim(start, end);
        let line = &self.text[start..end];
        let content = &self.text[at..stop];
        let parts = Parts { span: (start, next), name: (at, at), value: (at, stop) };
        if line.len() > LINE_LIMIT {
            let length = key_length(content.as_bytes());
            let named = content.as_bytes().get(length) == Some(&b':');
            let name = if named { (at, at + length) } else { (at, at) };
            return self.node(NodeKind::Fault(NodeFault::LineTooLong), Parts { name, value: (at, at), ..parts });
        }
        if is_conflict_marker(line) {
            return self.node(NodeKind::Fault(NodeFault::ConflictMarker), parts);
        }
        match content.as_bytes() {
            [] => self.node(NodeKind::Blank, parts),
            [b'#', ..] | [b'/', b'/', ..] => self.node(NodeKind::Comment, parts),
            [b'!', ..] => self.removal(parts),
            [b';', ..] => self.marked(parts, end),
            _ => self.unmarked(parts, end),
        }
    }

    fn node(&self, kind: NodeKind, parts: Parts) -> Node<'a> {
        let Parts { span, name, value } = parts;
        Node {
            kind,
            name: &self.text[name.0..name.1],
            value: &self.text[value.0..value.1],
            span: span.0..span.1,
            name_at: name.0,
            value_at: value.0,
        }
    }

    /// The node of a name, or the fault that the name is.
    fn named(&self, kind: NodeKind, parts: Parts) -> Node<'a> {
        let name = &self.text[parts.name.0..parts.name.1];
        let kind = check_name(name).map_or_else(NodeKind::Fault, |()| kind);
        self.node(kind, parts)
    }

    /// `! key`.
    fn removal(&self, parts: Parts) -> Node<'a> {
        let (at, stop) = parts.value;
        let name = self.trim(at + 1, stop);
        if item::colon(&self.text[name.0..name.1]).is_some() {
            return self.node(NodeKind::Fault(NodeFault::Syntax), parts);
        }
        self.named(NodeKind::Removal, Parts { name, value: (stop, stop), ..parts })
    }

    /// A line that begins with `;`; `end` is where it ends, blanks included.
    fn marked(&self, parts: Parts, end: usize) -> Node<'a> {
        let (at, stop) = parts.value;
        let body = self.trim(at + 1, stop);
        match item::colon(&self.text[body.0..body.1]) {
            Some(length) => {
                let colon = body.0 + length;
                let kind = match self.spelling {
                    Spelling::Colon => NodeKind::Directive,
                    Spelling::Node => NodeKind::Fault(NodeFault::OtherSpelling),
                };
                self.named(kind, Parts { name: (body.0, colon), value: self.trim(colon + 1, end), ..parts })
            }
            None => self.with_value_line(Parts { name: body, value: (stop, stop), ..parts }),
        }
    }

    /// `; name` and the line after it.
    fn with_value_line(&self, parts: Parts) -> Node<'a> {
        let name = &self.text[parts.name.0..parts.name.1];
        if let Err(fault) = check_name(name) {
            return self.node(NodeKind::Fault(fault), parts);
        }
        let start = parts.span.1;
        let (end, next) = if start < self.text.len() { self.line_end(start) } else { (start, start) };
        let (at, stop) = self.trim(start, end);
        let both = |value| Parts { span: (parts.span.0, next), name: parts.name, value };
        let first = self.text.as_bytes()[at..stop].first();
        let line = &self.text[start..end];
        let kind = match (self.spelling, first) {
            (Spelling::Colon, first) => {
                // Its value is taken along, where that is what the next line is: one fault, not two.
                let value = !matches!(first, None | Some(b';' | b'#' | b'/' | b'!' | b'<' | b'|' | b'=' | b'>'))
                    && line.len() <= LINE_LIMIT
                    && memchr(b':', line.as_bytes()).is_none();
                let kind = NodeKind::Fault(NodeFault::OtherSpelling);
                return self.node(kind, if value { both((at, stop)) } else { parts });
            }
            (Spelling::Node, None | Some(b';')) => return self.node(NodeKind::Fault(NodeFault::MissingValue), parts),
            (Spelling::Node, _) if line.len() > LINE_LIMIT => {
                return self.node(NodeKind::Fault(NodeFault::LineTooLong), both((at, at)));
            }
            (Spelling::Node, _) if is_conflict_marker(line) => NodeKind::Fault(NodeFault::ConflictMarker),
            (Spelling::Node, _) if is_directive(name) => NodeKind::Directive,
            (Spelling::Node, _) => NodeKind::Property,
        };
        self.node(kind, both((at, stop)))
    }

    /// A line of text without a mark at its start.
    fn unmarked(&self, parts: Parts, end: usize) -> Node<'a> {
        let (at, stop) = parts.value;
        let content = &self.text[at..stop];
        match item::colon(content) {
            Some(length) => {
                let colon = at + length;
                let kind = match self.spelling {
                    Spelling::Colon => NodeKind::Property,
                    Spelling::Node => NodeKind::Fault(NodeFault::OtherSpelling),
                };
                self.named(kind, Parts { name: (at, colon), value: self.trim(colon + 1, end), ..parts })
            }
            None => {
                let odd = content.chars().next().filter(|&c| is_invisible(c));
                self.node(NodeKind::Fault(odd.map_or(NodeFault::Syntax, NodeFault::Invisible)), parts)
            }
        }
    }
}
