//! Lines of single items in a file that is edited: only those of items that changed change.

use std::collections::HashSet;

use super::Editor;
use crate::archive::items::{
    ItemPath, ItemsByKey, find_item, for_each_item_line, forget_idle_removals, mark_own_items,
};
use crate::archive::leaves::{LeafSet, for_each_leaf};
use crate::archive::overrides::{ItemSays, Overrides};
use crate::archive::path::path_of_leaf;
use crate::archive::read::parts_named;
use crate::archive::write::write_value;
use crate::class::shape::Place;
use crate::class::value;
use crate::mem::{ErasedRef, OwnedValue};
use crate::text::{Node, NodeKind};

/// A line of a single item, as it stands in the file.
pub(super) struct ItemLine<'a> {
    node: Node<'a>,
    path: ItemPath<'a>,
}

/// One keyed leaf of the entity, and what its lines are to say.
struct Leaf<'v> {
    number: u32,
    key: String,
    value: ErasedRef<'v>,
    items: ItemsByKey<'v>,
    says: Overrides,
}

/// What lines of a leaf say already: items by key, each with a part, or with none for a removal and an item that is just there.
type Present = HashSet<(String, Option<u32>)>;

impl<'e, 'a> Editor<'e, 'a> {
    /// Remembers a line that names an item; `false` if it names none.
    pub(super) fn note_item(&mut self, node: &Node<'a>) -> bool {
        let Ok(path) = find_item(self.part.class.ty(), node.name) else { return false };
        self.anchors.push((path.leaf().into(), node.span.end));
        self.items.push(ItemLine { node: node.clone(), path });
        true
    }

    /// Brings the lines of all items in order.
    pub(super) fn item_lines(&mut self) {
        let mut leaves: Vec<Leaf<'e>> = Vec::new();
        let mut untouched: Vec<u32> = Vec::new();
        let (text, read, changed, forced) = (self.text, self.read, self.changed, &self.forced);
        let to_current = self.to_current;
        let fresh = OwnedValue::like(text.value);
        let mut whole: Vec<u32> = Vec::new();
        for_each_leaf(text.value, self.spelling, &mut |number, key, value| {
            let Some(items) = value.keyed() else { return };
            let says = match text.overrides {
                Some(overrides) if overrides.contains(number) => return whole.push(number),
                Some(overrides) => overrides.items_only(number),
                None if read.leaves.contains(number) => return,
                None if !changed.contains(number) && !forced.contains(number) && !to_current => {
                    return untouched.push(number);
                }
                None => {
                    let mut says = read.items.items_only(number);
                    let default = path_of_leaf(text.value.ty(), number).and_then(|it| it.follow(fresh.as_ref()));
                    mark_own_items(value, default, number, &mut says);
                    forget_idle_removals(fresh.as_ref(), &mut says);
                    if says.contains(number) {
                        return whole.push(number);
                    }
                    says
                }
            };
            leaves.push(Leaf { number, key: key.to_owned(), value, items: ItemsByKey::new(items), says });
        });
        for number in untouched {
            self.present.insert(number);
        }
        let items = core::mem::take(&mut self.items);
        for line in items.iter().filter(|line| whole.contains(&line.path.leaf())) {
            self.edits.remove(&line.node);
        }
        for leaf in &leaves {
            self.present.insert(leaf.number);
            let lines: Vec<&ItemLine<'a>> = items.iter().filter(|line| line.path.leaf() == leaf.number).collect();
            self.lines_of(leaf, &lines);
        }
    }

    fn lines_of(&mut self, leaf: &Leaf<'e>, lines: &[&ItemLine<'a>]) {
        let mut present = Present::new();
        let mut kept: Vec<(&ItemLine<'a>, String)> = Vec::new();
        let mut gone: Vec<&Node<'a>> = Vec::new();
        let mut replaced: Vec<(&ItemLine<'a>, String)> = Vec::new();
        for &line in lines {
            let key = leaf.value.keyed().and_then(|items| line.path.canonical(items)).unwrap_or_default();
            match self.judge(leaf, line, &key, &mut present) {
                Verdict::Stays => kept.push((line, key)),
                Verdict::Changes => replaced.push((line, key)),
                Verdict::Goes => gone.push(&line.node),
            }
        }
        let in_file = kept.iter().chain(&replaced).filter(|(line, _)| line.node.kind == NodeKind::Property);
        let mut in_file: Vec<(usize, &str)> = in_file.map(|(line, key)| (line.node.span.start, &**key)).collect();
        in_file.sort_unstable();
        if !keeps_order(leaf, in_file.iter().map(|(_, key)| *key)) {
            // Lines in another order would read back as another order of items.
            present.clear();
            gone = lines.iter().map(|line| &line.node).collect();
            replaced.clear();
            kept.clear();
        }
        for (line, key) in kept.iter().chain(&replaced) {
            self.rename_item(&line.node, &line.path, key);
        }
        gone.into_iter().for_each(|node| self.edits.remove(node));
        for (line, key) in replaced {
            if let Some(part) = part_of(leaf, line, &key) {
                let spelling = self.spelling;
                self.edits.replace_value_with(&line.node, |out| write_value(part, spelling, out));
            }
        }
        let at = self.anchor(leaf.number);
        let (spelling, edits) = (self.spelling, &mut self.edits);
        for_each_item_line(leaf.value, leaf.number, &leaf.key, spelling, &leaf.says, &mut |key, line, part, value| {
            if present.contains(&(key.to_owned(), part)) {
                return;
            }
            edits.insert_lines(at, |layout, out| match value {
                Some(value) => {
                    layout.begin_value(line, out);
                    if part.is_some() {
                        write_value(value, spelling, out);
                    } else {
                        out.extend_from_slice(b"{}");
                    }
                    layout.end_value(out);
                }
                None => layout.write_removal(line, out),
            });
        });
    }

    /// Where new lines of a leaf go: behind its last line, else behind that of the nearest earlier leaf.
    fn anchor(&self, leaf: u32) -> usize {
        let before = self.anchors.iter().filter(|&&(last, _)| last <= i64::from(leaf));
        before.max().map_or(self.properties_at, |&(_, at)| at)
    }

    fn judge(&self, leaf: &Leaf<'_>, line: &ItemLine<'a>, key: &str, present: &mut Present) -> Verdict {
        let says = leaf.says.item(leaf.number, key);
        if line.node.kind == NodeKind::Removal {
            if says != Some(&ItemSays::Removed) {
                return Verdict::Goes;
            }
            present.insert((key.to_owned(), None));
            return Verdict::Stays;
        }
        let Some(ItemSays::Leaves(parts)) = says else { return Verdict::Goes };
        let (named, _) = parts_named(&line.path, line.node.value);
        let mut wanted = LeafSet::new();
        line.path.covered().filter(|&part| parts.contains(part)).for_each(|part| {
            wanted.insert(part);
        });
        // Empty braces of a whole item say that it is there: no line that is needed where something else is said, too.
        if wanted != named || line.path.rest.is_none() && named.is_empty() && !parts.is_empty() {
            return Verdict::Goes;
        }
        // Said anew, part by part.
        if self.is_outdated(line.path.ty(), line.node.value) {
            return Verdict::Goes;
        }
        let is_same = part_of(leaf, line, key).is_some_and(|own| {
            let mut there = OwnedValue::copy_of(own);
            value::read(there.as_mut(), line.node.value, Place::Line).is_ok() && value::same(there.as_ref(), own)
        });
        // Written anew, braces would say what they left out, too.
        let says_all = line.path.covered().all(|part| named.contains(part));
        if !is_same && (!says_all || line.path.rest.is_none() && line.path.covered().count() != 1) {
            return Verdict::Goes;
        }
        if named.is_empty() {
            present.insert((key.to_owned(), None));
        }
        present.extend(named.iter().map(|part| (key.to_owned(), Some(part))));
        if is_same { Verdict::Stays } else { Verdict::Changes }
    }
}

enum Verdict {
    Stays,
    Changes,
    Goes,
}

/// What the entity has where a line says something.
fn part_of<'v>(leaf: &Leaf<'v>, line: &ItemLine<'_>, key: &str) -> Option<ErasedRef<'v>> {
    line.path.follow(leaf.items.get(key)?)
}

/// Whether lines say items in the order of the ledger, if lines of new ones follow those in the file: items that are not inherited are read
/// back in it.
fn keeps_order<'k>(leaf: &Leaf<'_>, in_file: impl Iterator<Item = &'k str>) -> bool {
    let mut said = leaf.says.items_of(leaf.number).filter(|(_, says)| **says != ItemSays::Removed).map(|(key, _)| key);
    let mut seen: HashSet<&str> = HashSet::new();
    // Lines of one item may stand apart: the first one counts.
    let mut in_file = in_file.filter(|key| seen.insert(key));
    in_file.all(|key| said.next() == Some(key))
}
