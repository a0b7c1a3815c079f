//! Lines of single items: `Loot[gold].Count: 3`, and `! Loot[gem]`.

use super::{Read, Reader, removal, value_fault};
use crate::archive::findings::Findings;
use crate::archive::header::duplicate;
use crate::archive::items::{ItemFault, ItemPath, find_item, take_removed_out};
use crate::archive::leaves::{LeafSet, leaves_named_in};
use crate::archive::overrides::ItemSays;
use crate::archive::path::{LeafPath, fields_of};
use crate::class::shape::{Fault, KeyIndex, KeyedItems, Place, write_canonical};
use crate::class::{Kind, Property, PropertyType, value};
use crate::diag::{Code, nearest};
use crate::mem::ErasedMut;
use crate::text::{Document, Node, NodeKind, Spelling};

impl<'a> Reader<'a> {
    /// A line of an item, or of a part of one; `false` if its name names no item, and something else has to be found out about it.
    pub(super) fn item(&mut self, node: &Node<'a>, value: &mut ErasedMut<'_>, findings: &mut Findings) -> bool {
        let path = match find_item(self.ty, node.name) {
            Ok(path) => path,
            Err(ItemFault::NoItem | ItemFault::UnknownList(_)) => return false,
            Err(fault) => {
                self.item_fault(node, fault, findings);
                return true;
            }
        };
        if let Some(key) = self.take_key(node, &path, value, findings) {
            self.item_value(node, &path, &key, value, findings);
        }
        true
    }

    /// The canonical key of an item that may be said something about.
    fn take_key(
        &mut self,
        node: &Node<'a>,
        path: &ItemPath<'a>,
        value: &mut ErasedMut<'_>,
        findings: &mut Findings,
    ) -> Option<String> {
        if self.read.leaves.contains(path.leaf()) {
            self.item_twice(node, findings);
            return None;
        }
        let items = path.list.follow_mut(value.reborrow())?.keyed()?;
        let mut key = Vec::new();
        match items.canonical(path.key, &mut key) {
            Ok(()) => String::from_utf8(key).ok(),
            Err(fault) => {
                findings.push(true, || key_fault(self, node, fault));
                None
            }
        }
    }

    fn item_value(
        &mut self,
        node: &Node<'a>,
        path: &ItemPath<'a>,
        key: &str,
        value: &mut ErasedMut<'_>,
        findings: &mut Findings,
    ) {
        let leaf = path.leaf();
        let said = self.read.items.item(leaf, key);
        let again = match said {
            Some(ItemSays::Removed) => true,
            Some(ItemSays::Leaves(parts)) => {
                path.rest.is_none() || parts.is_empty() || path.covered().any(|part| parts.contains(part))
            }
            None => false,
        };
        if again {
            return self.item_twice(node, findings);
        }
        let (parts, unsaid) = parts_named(path, node.value);
        if parts.is_empty() && said.is_none() {
            self.read.items.set_item(leaf, key, ItemSays::Leaves(LeafSet::new()));
        }
        for part in parts.iter().filter(|&part| !unsaid.contains(part)) {
            self.read.items.insert_item(leaf, key, part, 1);
        }
        let Some((items, index)) = self.indexed(&path.list, value) else { return };
        let Ok(mut item) = index.get_or_insert(items, path.key) else { return };
        let Some(mut to) = path.follow_mut(item.reborrow()) else { return };
        if let Err(fault) = value::read(to.reborrow(), node.value, Place::Line) {
            return findings.push(true, || value_fault(&self.source, node, fault));
        }
        if let Some(rest) = &path.rest {
            return self.check_range(node, rest.property(), &to, findings);
        }
        // Braces may say the key, too.
        let mut written = Vec::new();
        match path.key_field().and_then(|field| to.as_ref().unwrapped().field(field)) {
            Some(said) => write_canonical(said, &mut written),
            None => return,
        }
        if written != key.as_bytes() {
            findings.push(true, || {
                let message = format!("{}: the braces give the item another key than the brackets", node.name);
                self.at_value(node, Code::Mismatch, message, "no key in the braces")
            });
        }
    }

    /// The items of a map or list, and where they are.
    fn indexed<'r, 'v>(
        &'r mut self,
        list: &LeafPath,
        value: &'v mut ErasedMut<'_>,
    ) -> Option<(&'v mut dyn KeyedItems, &'r mut KeyIndex)> {
        let items = list.follow_mut(value.reborrow())?.keyed()?;
        let leaf = list.first_leaf();
        let index = self.indices.iter().position(|(at, _)| *at == leaf).unwrap_or_else(|| {
            self.indices.push((leaf, KeyIndex::new(items)));
            self.indices.len() - 1
        });
        let (_, index) = self.indices.get_mut(index)?;
        Some((items, index))
    }

    /// `! Loot[gem]`: an inherited item is not there. It goes with all the others, see [`finish`](Self::finish).
    pub(in crate::archive) fn removal(
        &mut self,
        node: &Node<'a>,
        value: &mut ErasedMut<'_>,
        inherits: bool,
        findings: &mut Findings,
    ) {
        if self.in_section {
            return;
        }
        let path = match find_item(self.ty, node.name) {
            Ok(path) if path.rest.is_none() => path,
            Err(fault @ (ItemFault::NotKeyed(_) | ItemFault::Nested(_))) => {
                return self.item_fault(node, fault, findings);
            }
            _ => {
                return findings.push(true, || {
                    let message = format!("`! {}` names no item of a map or keyed list", node.name);
                    self.source
                        .diagnostic(Code::SyntaxLine, node.span.clone(), message)
                        .property(node.name)
                        .found(node.name)
                        .expected("! List[key]")
                        .help("only items can be taken out; a line taken away gives a property what it inherits")
                });
            }
        };
        let Some(key) = self.take_key(node, &path, value, findings) else { return };
        if self.read.items.item(path.leaf(), &key).is_some() {
            return self.item_twice(node, findings);
        }
        let Some((items, index)) = self.indexed(&path.list, value) else { return };
        match index.find(items, path.key) {
            Ok(Some(_)) if self.removals.iter().all(|list| list.first_leaf() != path.leaf()) => {
                self.removals.push(path.list.clone());
            }
            Ok(Some(_)) => {}
            // A template may have lost it since.
            Ok(None) if inherits => {}
            _ => return findings.push(true, || removal(&self.source, node)),
        }
        self.read.items.set_item(path.leaf(), &key, ItemSays::Removed);
    }

    /// Takes out the items that lines removed, all of a list in one walk. What was read, after the last line.
    pub(in crate::archive) fn finish(self, value: &mut ErasedMut<'_>) -> Read {
        for list in &self.removals {
            if let Some(items) = list.follow_mut(value.reborrow()).and_then(ErasedMut::keyed) {
                take_removed_out(items, list.first_leaf(), &self.read.items);
            }
        }
        self.read
    }

    #[cold]
    fn item_twice(&self, node: &Node<'a>, findings: &mut Findings) {
        findings.push(true, || {
            let document = Document::new(self.text);
            let mut nodes = document.nodes().take_while(|it| it.span.start < node.span.start);
            let first = nodes.find(|other| {
                matches!(other.kind, NodeKind::Property | NodeKind::Removal)
                    && self.item_overlaps(other.name, node.name)
            });
            match first {
                Some(first) => duplicate(&self.source, Code::DuplicateKey, &first, node),
                None => {
                    self.at_value(node, Code::DuplicateKey, format!("`{}` is set twice", node.name), "each key once")
                }
            }
        });
    }

    /// Whether two names, the second of an item, say something about the same.
    fn item_overlaps(&self, a: &str, b: &str) -> bool {
        let Ok(b) = find_item(self.ty, b) else { return false };
        match find_item(self.ty, a) {
            Ok(a) => {
                let same_item =
                    a.leaf() == b.leaf() && (a.key == b.key || a.key.trim_matches('"') == b.key.trim_matches('"'));
                same_item
                    && (a.rest.is_none()
                        || b.rest.is_none()
                        || a.covered().any(|part| b.covered().any(|it| it == part)))
            }
            Err(_) => crate::archive::path::find_leaf(self.ty, a)
                .is_some_and(|a| (a.first_leaf()..a.first_leaf() + a.leaves()).contains(&b.leaf())),
        }
    }

    #[cold]
    fn item_fault(&mut self, node: &Node<'a>, fault: ItemFault<'a>, findings: &mut Findings) {
        let span = node.name_at..node.name_at + node.name.len();
        let error = |message: String, expected: String| {
            self.source
                .diagnostic(Code::SyntaxLine, span.clone(), message)
                .property(node.name)
                .expected(expected)
                .found(node.name)
        };
        match fault {
            ItemFault::UnknownPart(ty, part) => self.unknown_part(node, ty, part, findings),
            ItemFault::NotKeyed(list) => findings.push(true, || {
                let ty = crate::archive::path::find_leaf(self.ty, list).map(|path| path.property().ty().kind());
                match ty {
                    Some(Kind::List { .. } | Kind::Array { .. }) => error(
                        format!("`{list}` is one value: its items have no keys of their own"),
                        format!("{list}: [a, b]"),
                    ),
                    _ => error(format!("`{list}` is no map or keyed list: it has no items"), format!("{list}: value")),
                }
            }),
            ItemFault::Key(part) => findings.push(true, || {
                error(format!("`{part}` is the key of the item, which the brackets say"), "another property".to_owned())
            }),
            _ => findings.push(true, || {
                error("items of an item stand in one value".to_owned(), "the whole value on one line".to_owned())
            }),
        }
    }

    #[cold]
    fn unknown_part(&mut self, node: &Node<'a>, ty: &'static PropertyType, part: &str, findings: &mut Findings) {
        if !self.unknown.insert(node.name) {
            return self.twice(node, findings);
        }
        findings.push(false, || {
            let span = node.name_at..node.name_at + node.name.len();
            let message = format!("`{}` has no property `{part}`; the line is kept as it is", ty.name());
            let diagnostic =
                self.source.diagnostic(Code::UnknownKey, span, message).property(node.name).found(node.name);
            let keys = fields_of(ty).iter();
            let keys = keys.map(if self.spelling == Spelling::Colon { Property::key } else { Property::name });
            match nearest(part, keys) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic,
            }
        });
    }
}

/// The parts of an item that a line covers, and those of them that it, a struct in braces, leaves out.
pub(in crate::archive) fn parts_named(path: &ItemPath<'_>, text: &str) -> (LeafSet, LeafSet) {
    let (mut named, mut parts, mut unsaid) = (LeafSet::new(), LeafSet::new(), LeafSet::new());
    let first = path.rest.as_ref().map_or(0, |rest| rest.first_leaf());
    leaves_named_in(path.ty(), text, first, &mut named);
    for part in path.covered() {
        if named.contains(part) {
            parts.insert(part);
        } else {
            unsaid.insert(part);
        }
    }
    (parts, unsaid)
}

#[cold]
fn key_fault(reader: &Reader<'_>, node: &Node<'_>, fault: Fault<'_>) -> crate::diag::Diagnostic {
    let span = node.name_at..node.name_at + node.name.len();
    let message = format!("{}: the key: expected {}, found `{}`", node.name, fault.expected, fault.found);
    let diagnostic = reader.source.diagnostic(fault.code, span, message);
    diagnostic.property(node.name).expected(fault.expected.into_owned()).found(fault.found)
}
