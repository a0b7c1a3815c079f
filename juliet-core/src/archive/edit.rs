//! Memory → the text of a file that was read: only what changed changes.
//!
//! ```text
//! line of a changed leaf            → its value is replaced; key, blanks, line end stay
//! line of a leaf that is inherited  → taken away; a struct in braces gives way to lines of the leaves that stay
//! changed leaf without a line       → a line after the nearest earlier leaf of the file, in declaration order
//! everything else                   → untouched bytes
//! ```

mod current;
mod items;
#[cfg(test)]
mod tests;

pub use current::current_name;

use super::header::Opened;
use super::leaves::{LeafSet, for_each_leaf};
use super::migrate::Migrated;
use super::path::{find_leaf, is_position, is_removed};
use super::place::{Named, find_named};
use super::read::Read;
use super::write::{EntityText, class_directive, position_key, same_position, write_position, write_value};
use crate::class::shape::EntityRef;
use crate::text::{Edits, Node, NodeKind, Overlap, Spelling, write_integer};

/// Whether the file says what `entity` says: nothing in `changed`, the same position, template and overrides, and the same id unless it
/// names none.
pub fn says_the_same(opened: &Opened<'_>, read: &Read, changed: &LeafSet, entity: &EntityText<'_>) -> bool {
    let same_leaves = match entity.inherits {
        None => changed.is_empty(),
        Some(inherits) => {
            *inherits.overrides == read.overrides() && !changed.iter().any(|leaf| entity.says_part_of(leaf))
        }
    };
    let same_id = entity.id == 0 || opened.id().is_none_or(|id| id == entity.id);
    same_leaves && same_id && !is_moved(read, entity) && opened.template() == entity.template()
}

fn is_moved(read: &Read, entity: &EntityText<'_>) -> bool {
    !same_position(read.position.unwrap_or(entity.default_position()), entity.position)
}

/// Appends the text of `opened` with the leaves in `changed` as `entity` has them, and with its id and position.
///
/// `read` is what [`read_values`](super::read_values) said of the same file. Returns whether a byte differs. A file of an older class
/// version is brought to the current one as soon as something in it changes. Linear in the text and the leaves.
///
/// # Errors
/// [`Overlap`] if two changes meet, which a text that was read without errors does not cause.
pub fn edit_entity(
    opened: &Opened<'_>,
    read: &Read,
    changed: &LeafSet,
    entity: &EntityText<'_>,
    out: &mut Vec<u8>,
) -> Result<bool, Overlap> {
    let has_id = entity.id == 0 || opened.id() == Some(entity.id);
    if has_id && says_the_same(opened, read, changed, entity) {
        out.extend_from_slice(opened.document().text().as_bytes());
        return Ok(false);
    }
    Editor::new(opened, read, entity, changed).edit(out)
}

/// Appends the text of `opened` as the current program would have it, values unchanged: what its migration made of it, lines of removed
/// properties gone, former names of classes, properties and variants replaced. Returns whether a byte differs. Running it on its own
/// result changes nothing.
///
/// `read` is what [`read_values`](super::read_values) said of the same file, and `entity` has the values it gave. Linear in the text and the
/// leaves.
///
/// # Errors
/// [`Overlap`], as [`edit_entity`].
pub fn bring_to_current(
    opened: &Opened<'_>,
    read: &Read,
    entity: &EntityText<'_>,
    out: &mut Vec<u8>,
) -> Result<bool, Overlap> {
    let mut editor = Editor::new(opened, read, entity, const { &LeafSet::EMPTY });
    editor.to_current = true;
    editor.edit(out)
}

struct Editor<'e, 'a> {
    opened: &'e Opened<'a>,
    read: &'e Read,
    entity: &'e EntityText<'e>,
    changed: &'e LeafSet,
    edits: Edits<'a>,
    spelling: Spelling,
    /// Leaves that have a line, and leaves a migration gave another text.
    present: LeafSet,
    forced: LeafSet,
    /// (last leaf of a line, where the line ends)
    anchors: Vec<(i64, usize)>,
    /// Where properties begin: after the position, else after the directives.
    properties_at: usize,
    class_at: usize,
    has_class: bool,
    has_template: bool,
    has_id: bool,
    has_position: bool,
    version_node: Option<Node<'a>>,
    /// Lines of single items.
    items: Vec<items::ItemLine<'a>>,
    /// Whether what is still read, but is of an older program, is replaced.
    to_current: bool,
}

impl<'e, 'a> Editor<'e, 'a> {
    fn new(opened: &'e Opened<'a>, read: &'e Read, entity: &'e EntityText<'e>, changed: &'e LeafSet) -> Self {
        let document = *opened.document();
        Self {
            opened,
            read,
            entity,
            changed,
            edits: Edits::new(document),
            spelling: document.spelling(),
            present: LeafSet::new(),
            forced: LeafSet::new(),
            anchors: Vec::new(),
            properties_at: document.start(),
            class_at: document.start(),
            has_class: false,
            has_template: false,
            has_id: false,
            has_position: false,
            version_node: None,
            items: Vec::new(),
            // A file of an older version is brought to the current one as a whole.
            to_current: opened.class_version() < opened.class().version(),
        }
    }

    /// Appends the edited text; whether a byte differs.
    fn edit(mut self, out: &mut Vec<u8>) -> Result<bool, Overlap> {
        let moved = is_moved(self.read, self.entity);
        let migration = self.read.migrated.as_deref();
        self.nodes(moved, migration);
        self.directives(migration);
        self.item_lines();
        // A migration may give a position that no line of the file has.
        self.absent(moved || migration.is_some() && self.read.position.is_some());
        self.strays(migration);
        let start = out.len();
        self.edits.apply(out)?;
        Ok(&out[start..] != self.opened.document().text().as_bytes())
    }

    /// Replaces what has a line.
    fn nodes(&mut self, moved: bool, migration: Option<&Migrated>) {
        for node in self.opened.document().nodes() {
            match (node.kind, node.name) {
                (NodeKind::Directive, "component") => break,
                (NodeKind::Directive, _) => self.directive(node),
                (NodeKind::Property, "Position" | "position") => self.position(&node, moved, migration),
                (NodeKind::Property, _) => self.property(&node, migration),
                (NodeKind::Removal, _) => self.removal(&node, migration),
                _ => {}
            }
        }
        for line in migration.iter().flat_map(|migration| migration.touched()) {
            match find_named(self.opened.class().ty(), &line.key) {
                Ok(Named::Property(path)) => drop(self.forced.insert_all(path.first_leaf(), path.leaves())),
                Ok(Named::Item(path)) => drop(self.forced.insert(path.leaf())),
                Err(_) => {}
            }
        }
    }

    fn directive(&mut self, node: Node<'a>) {
        self.properties_at = self.properties_at.max(node.span.end);
        match node.name {
            // The template says which class it is.
            "class" | "entity_type" | "version"
                if self.opened.template().is_none() && self.entity.template().is_some() =>
            {
                self.class_at = node.span.end;
                self.edits.remove(&node);
            }
            "class" | "entity_type" => {
                self.class_at = node.span.end;
                self.has_class = true;
                if self.to_current && self.opened.class().aliases().contains(&node.value) {
                    self.edits.replace_value(&node, self.opened.class().name());
                }
            }
            "template" => self.template(&node),
            "class_version" => self.version_node = Some(node),
            "id" => {
                self.has_id = true;
                if self.entity.id != 0 && self.opened.id() != Some(self.entity.id) {
                    let id = EntityRef::new(self.entity.id);
                    self.edits.replace_value_with(&node, |out| id.write_hex(out));
                }
            }
            _ => {}
        }
    }

    fn template(&mut self, node: &Node<'a>) {
        if self.class_at == self.opened.document().start() {
            self.class_at = node.span.end;
        }
        match self.entity.template() {
            Some(path) if path == node.value => {}
            Some(path) => self.edits.replace_value(node, path),
            None => return self.edits.remove(node),
        }
        self.has_template = true;
    }

    fn position(&mut self, node: &Node<'a>, moved: bool, migration: Option<&Migrated>) {
        let Some(forced) = self.migrated(node, migration) else { return };
        self.properties_at = self.properties_at.max(node.span.end);
        self.has_position = true;
        if moved || forced {
            let (position, spelling) = (self.entity.position, self.spelling);
            self.edits.replace_value_with(node, |out| write_position(position, spelling, out));
        }
    }

    /// Whether the migration gave a line another text; `None` if it took the line away or renamed it, which is then done.
    fn migrated(&mut self, node: &Node<'a>, migration: Option<&Migrated>) -> Option<bool> {
        let Some(migration) = migration else { return Some(false) };
        match migration.line_of(node) {
            Some(line) if line.key == node.name => return Some(!line.is_untouched),
            Some(line) if self.is_unknown(&line.key) => {
                // Unknown under its new name too: kept, as every unknown line is.
                self.edits.insert_lines(node.span.end, |layout, out| match line.is_removal {
                    true => layout.write_removal(&line.key, out),
                    false => layout.write_property(&line.key, &line.text, out),
                });
            }
            _ => {}
        }
        self.edits.remove(node);
        None
    }

    fn is_unknown(&self, key: &str) -> bool {
        let ty = self.opened.class().ty();
        !is_position(key) && find_named(ty, key).is_err() && !is_removed(ty, key)
    }

    /// Takes the line of a property away that is gone; `false` if it is none.
    fn drop_removed(&mut self, node: &Node<'a>) -> bool {
        let is_due = self.to_current && is_removed(self.opened.class().ty(), node.name);
        if is_due {
            self.edits.remove(node);
        }
        is_due
    }

    fn removal(&mut self, node: &Node<'a>, migration: Option<&Migrated>) {
        if self.migrated(node, migration).is_some() && !self.drop_removed(node) {
            self.note_item(node);
        }
    }

    fn property(&mut self, node: &Node<'a>, migration: Option<&Migrated>) {
        let Some(forced) = self.migrated(node, migration) else { return };
        let Some(path) = find_leaf(self.opened.class().ty(), node.name) else {
            if self.drop_removed(node) || node.name.contains('[') && self.note_item(node) {
                return;
            }
            if forced {
                let line = migration.and_then(|migration| migration.line_of(node));
                self.edits.replace_value(node, line.map_or(node.value, |line| &line.text));
            }
            return;
        };
        let leaves = path.first_leaf()..path.first_leaf() + path.leaves();
        let is_outdated = self.is_outdated(path.property().ty(), node.value);
        if (forced || is_outdated) && self.says_a_part(leaves.clone()) {
            return self.replace_by_parts(node, leaves);
        }
        let said = leaves.clone().filter(|&leaf| self.entity.says(leaf)).count();
        if said < leaves.len() && !self.says_what_it_said(leaves.clone()) {
            // What of a struct in braces stays gets lines of its own, in its place.
            if said > 0 {
                self.anchors.push((i64::from(leaves.start) - 1, node.span.end));
            }
            return self.edits.remove(node);
        }
        self.rename_property(node, &path);
        self.anchors.push((i64::from(leaves.end) - 1, node.span.end));
        // What a struct in braces leaves out may be said from now on, with the value that was inherited.
        let is_new = |leaf| self.entity.inherits.is_some() && self.read.unsaid.contains(leaf);
        let changed =
            leaves.clone().any(|leaf| self.entity.says(leaf) && (self.changed.contains(leaf) || is_new(leaf)));
        self.present.insert_all(leaves.start, path.leaves());
        if (forced || changed || is_outdated)
            && let Some(value) = path.follow(self.entity.value)
        {
            let spelling = self.spelling;
            self.edits.replace_value_with(node, |out| write_value(value, spelling, out));
        }
    }

    /// Whether a line says some of the leaves it covers and leaves others to what is inherited.
    fn says_a_part(&self, leaves: core::ops::Range<u32>) -> bool {
        self.read.unsaid.contains_any(leaves.start, leaves.end - leaves.start)
    }

    /// Gives lines of their own to the leaves that a struct in braces says: written anew, the braces would say what they left out, too.
    fn replace_by_parts(&mut self, node: &Node<'a>, leaves: core::ops::Range<u32>) {
        self.anchors.push((i64::from(leaves.start) - 1, node.span.end));
        for leaf in leaves.filter(|&leaf| self.entity.says(leaf) && !self.read.unsaid.contains(leaf)) {
            self.forced.insert(leaf);
        }
        self.edits.remove(node);
    }

    /// Whether a line that does not say everything about the leaves it covers may stay: it says what is overridden, which may be nothing,
    /// and nothing of that changed.
    fn says_what_it_said(&self, mut leaves: core::ops::Range<u32>) -> bool {
        leaves.all(|leaf| {
            let said = self.read.leaves.contains(leaf) && !self.read.unsaid.contains(leaf);
            said == self.entity.says(leaf)
                && !(said && self.changed.contains(leaf))
                // Lines of single items do not go with a line that covers the whole.
                && (said || !self.entity.says_part_of(leaf))
        })
    }

    /// Class or template, id, and class version.
    fn directives(&mut self, migration: Option<&Migrated>) {
        let class_at = self.class_at;
        match self.entity.template() {
            Some(path) if !self.has_template => {
                self.edits.insert_lines(class_at, |layout, out| layout.write_directive("template", path, out));
            }
            None if !self.has_class => {
                let (name, class) = (class_directive(self.spelling), self.entity.class.name());
                self.edits.insert_lines(class_at, |layout, out| layout.write_directive(name, class, out));
            }
            _ => {}
        }
        if !self.has_id && self.entity.id != 0 {
            let id = EntityRef::new(self.entity.id);
            self.edits.insert_lines(class_at, |layout, out| {
                layout.begin_directive("id", out);
                id.write_hex(out);
                layout.end_value(out);
            });
        }
        let version = self.opened.class().version();
        // What a migration went through must not pass it twice, be it overridden or not known.
        let says = self.entity.has_class_version() || migration.is_some_and(Migrated::is_of_a_version);
        if self.opened.class_version() >= version || !says {
            return;
        }
        match self.version_node.take() {
            Some(node) => self.edits.replace_value_with(&node, |out| write_integer(version, out)),
            None => self.edits.insert_lines(self.class_at, |layout, out| {
                layout.begin_directive("class_version", out);
                write_integer(version, out);
                layout.end_value(out);
            }),
        }
    }

    /// Inserts the new lines of a migration that the program does not know: a later one may.
    fn strays(&mut self, migration: Option<&Migrated>) {
        let at = self.anchors.iter().map(|&(_, at)| at).fold(self.properties_at, usize::max);
        for line in migration.iter().flat_map(|migration| migration.new_lines()) {
            if self.is_unknown(&line.key) {
                self.edits.insert_lines(at, |layout, out| layout.write_property(&line.key, &line.text, out));
            }
        }
    }

    /// Inserts what changed and has no line.
    fn absent(&mut self, has_place: bool) {
        let Self { edits, entity, present, forced, changed, anchors, properties_at, has_position, .. } = self;
        let (spelling, properties_at) = (self.spelling, *properties_at);
        if has_place && !*has_position {
            let position = entity.position;
            edits.insert_lines(properties_at, |layout, out| {
                layout.begin_value(position_key(spelling), out);
                write_position(position, spelling, out);
                layout.end_value(out);
            });
        }
        anchors.sort_unstable();
        for_each_leaf(entity.value, spelling, &mut |leaf, key, value| {
            let due = match entity.inherits {
                None => changed.contains(leaf) || forced.contains(leaf),
                Some(_) => entity.says(leaf),
            };
            if present.contains(leaf) || !due {
                return;
            }
            let before = anchors.partition_point(|&(last, _)| last < i64::from(leaf));
            let at = before.checked_sub(1).map_or(properties_at, |index| anchors[index].1);
            edits.insert_lines(at, |layout, out| {
                layout.begin_value(key, out);
                write_value(value, spelling, out);
                layout.end_value(out);
            });
        });
    }
}
