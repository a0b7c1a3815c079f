//! Lines of single items: `Loot[gold].Count: 3`, and `! Loot[gem]`.

use super::{Reader, no_removal, removal, value_fault};
use crate::archive::findings::Findings;
use crate::archive::header::duplicate;
use crate::archive::items::{ItemFault, ItemPath, find_item, take_removed_out};
use crate::archive::leaves::{LeafSet, leaves_named_in};
use crate::archive::overrides::ItemSays;
use crate::archive::path::{fields_of, is_removed, path_of_leaf};
use crate::class::shape::{Fault, KeyIndex, KeyedItems, Place, write_canonical};
use crate::class::{Kind, Property, PropertyType, value};
use crate::diag::{Code, nearest};
use crate::mem::ErasedMut;
use crate::text::{Node, NodeKind, Spelling};

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
        let items = path.list.follow_mut(value.reborrow())?.keyed()?;
        if self.read.leaves.contains(path.leaf()) {
            self.item_twice(node, path, items, findings);
            return None;
        }
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
            Some(ItemSays::Leaves(parts)) => path.rest.is_none() || path.covered().any(|part| parts.contains(part)),
            None => false,
        };
        let Some(items) = path.list.follow_mut(value.reborrow()).and_then(ErasedMut::keyed) else { return };
        if again {
            return self.item_twice(node, path, items, findings);
        }
        let (parts, unsaid) = parts_named(path, node.value);
        if parts.is_empty() && said.is_none() {
            self.read.items.set_item(leaf, key, ItemSays::Leaves(LeafSet::new()));
        }
        for part in parts.iter().filter(|&part| !unsaid.contains(part)) {
            self.read.items.insert_item(leaf, key, part, 1);
        }
        let Ok(mut item) = self.index_of(leaf, items).get_or_insert(items, path.key) else { return };
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

    /// `! Loot[gem]`: an inherited item is not there.
    pub(in crate::archive) fn removal(
        &mut self,
        node: &Node<'a>,
        value: &mut ErasedMut<'_>,
        inherits: bool,
        findings: &mut Findings,
    ) {
        if is_removed(self.ty, node.name) {
            return self.removed_key(node, findings);
        }
        let path = match find_item(self.ty, node.name) {
            Ok(path) if path.rest.is_none() => path,
            Err(fault @ (ItemFault::NotKeyed(_) | ItemFault::Nested(_))) => {
                return self.item_fault(node, fault, findings);
            }
            // Of another build of the program, as any other unknown line.
            Err(ItemFault::UnknownList(_)) => return self.unknown_key(node, findings),
            Ok(_) | Err(ItemFault::NoItem | ItemFault::UnknownPart(..) | ItemFault::Key(_)) => {
                return findings.push(true, || no_removal(&self.source, node));
            }
        };
        let Some(key) = self.take_key(node, &path, value, findings) else { return };
        let Some(items) = path.list.follow_mut(value.reborrow()).and_then(ErasedMut::keyed) else { return };
        if self.read.items.item(path.leaf(), &key).is_some() {
            return self.item_twice(node, &path, items, findings);
        }
        // A template may have lost it since.
        if !inherits && !matches!(self.index_of(path.leaf(), items).find(items, path.key), Ok(Some(_))) {
            return findings.push(true, || removal(&self.source, node));
        }
        self.read.items.set_item(path.leaf(), &key, ItemSays::Removed);
        if !self.removals.contains(&path.leaf()) {
            self.removals.push(path.leaf());
        }
    }

    /// After the last line: takes out what lines remove, all at once. O(items).
    pub(in crate::archive) fn remove_items(&mut self, value: &mut ErasedMut<'_>) {
        for leaf in core::mem::take(&mut self.removals) {
            let list = path_of_leaf(self.ty, leaf).and_then(|path| path.follow_mut(value.reborrow()));
            if let Some(items) = list.and_then(ErasedMut::keyed) {
                take_removed_out(items, leaf, &self.read.items);
            }
        }
    }

    /// Where the items of a list are, by their keys.
    fn index_of(&mut self, leaf: u32, items: &dyn KeyedItems) -> &mut KeyIndex {
        let at = self.indices.iter().position(|(at, _)| *at == leaf).unwrap_or_else(|| {
            self.indices.push((leaf, KeyIndex::new(items)));
            self.indices.len() - 1
        });
        &mut self.indices[at].1
    }

    #[cold]
    fn item_twice(&self, node: &Node<'a>, path: &ItemPath<'a>, items: &dyn KeyedItems, findings: &mut Findings) {
        findings.push(true, || {
            let mut nodes = self.document.nodes().take_while(|it| it.span.start < node.span.start);
            let key = path.canonical(items);
            let first = nodes.find(|other| {
                matches!(other.kind, NodeKind::Property | NodeKind::Removal)
                    && self.item_overlaps(other.name, path, &|other| other.canonical(items) == key)
            });
            match first {
                Some(first) => duplicate(&self.source, Code::DuplicateKey, &first, node),
                None => {
                    self.at_value(node, Code::DuplicateKey, format!("`{}` is set twice", node.name), "each key once")
                }
            }
        });
    }

    /// Whether a name says something about the item `b`, or a part of it; `is_same` compares the keys of two items of one list.
    fn item_overlaps(&self, a: &str, b: &ItemPath<'_>, is_same: &dyn Fn(&ItemPath<'_>) -> bool) -> bool {
        match find_item(self.ty, a) {
            Ok(a) => {
                a.leaf() == b.leaf()
                    && is_same(&a)
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
