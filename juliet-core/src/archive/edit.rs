//! Memory → the text of a file that was read: only what changed changes.
//!
//! ```text
//! line of a changed leaf            → its value is replaced; key, blanks, line end stay
//! line of a leaf that is inherited  → taken away; a struct in braces gives way to lines of the leaves that stay
//! changed leaf without a line       → a line after the nearest earlier leaf of the file, in declaration order
//! component that is gone             → its section is taken away; one that is new gets a section behind everything else
//! everything else                   → untouched bytes
//! ```

mod current;
mod header;
mod items;
#[cfg(test)]
mod tests;

pub use current::current_name;

use super::header::Opened;
use super::leaves::{LeafSet, for_each_leaf};
use super::migrate::Migrated;
use super::part::Part;
use super::path::{find_leaf, is_position_of, is_removed};
use super::place::{Named, find_named};
use super::read::Read;
use super::write::{ComponentText, EntityText, PartText, write_section, write_value, write_version};
use crate::text::{Edits, Node, NodeKind, Overlap, Spelling, write_integer};
use header::Header;

/// Whether the file says what `entity` says: nothing in `changed`, the same position, template, overrides and components, and the same id
/// unless it names none.
pub fn says_the_same(opened: &Opened<'_>, read: &Read, changed: &LeafSet, entity: &EntityText<'_>) -> bool {
    let same_id = entity.id == 0 || opened.id().is_none_or(|id| id == entity.id);
    same_id
        && header::says_the_same(opened, read, entity)
        && says_same_values(&entity.body(), read, changed)
        && says_same_components(opened, read, entity)
}

/// Whether a part says what it said.
fn says_same_values(part: &PartText<'_>, read: &Read, changed: &LeafSet) -> bool {
    match part.overrides {
        None => changed.is_empty(),
        Some(overrides) => *overrides == read.overrides() && !changed.iter().any(|leaf| part.says_part_of(leaf)),
    }
}

/// Whether all sections say what they said, and there is none more or less.
fn says_same_components(opened: &Opened<'_>, read: &Read, entity: &EntityText<'_>) -> bool {
    let there: Vec<_> = opened.components().zip(&read.sections).collect();
    there.len() == entity.components.sections.len()
        && there.into_iter().all(|(part, read)| {
            let component = find_component(entity, part);
            component.is_some_and(|it| says_same_values(&entity.section(it), read, changed_of(it)))
        })
}

/// What `entity` says about the component of a section.
fn find_component<'e>(entity: &EntityText<'e>, part: &Part<'_>) -> Option<&'e ComponentText<'e>> {
    let ty = part.class().value_type_id();
    entity.components.sections.iter().find(|it| it.class.value_type_id() == ty)
}

fn changed_of<'c>(component: &ComponentText<'c>) -> &'c LeafSet {
    component.kept.map_or(const { &LeafSet::EMPTY }, |(changed, _)| changed)
}

/// Appends the text of `opened` with the leaves in `changed` as `entity` has them, and with its id, position and components.
///
/// `read` is what [`read_values`](super::read_values) and [`Read::add_component`] said of the same file. Returns whether a byte differs. A part
/// of an older class version is brought to the current one as soon as something in it changes. The section of a component that `entity` has
/// not goes as a whole, unknown lines included. Linear in the text and the leaves.
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
    edit(opened, read, changed, entity, false, out)
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
    edit(opened, read, const { &LeafSet::EMPTY }, entity, true, out)
}

/// The one list of edits of a file, part by part.
fn edit(
    opened: &Opened<'_>,
    read: &Read,
    changed: &LeafSet,
    entity: &EntityText<'_>,
    to_current: bool,
    out: &mut Vec<u8>,
) -> Result<bool, Overlap> {
    let document = *opened.document();
    let mut edits = Edits::new(document);
    let body = entity.body();
    let has_id = entity.id == 0 || opened.id() == Some(entity.id);
    if to_current || !has_id || !header::says_the_same(opened, read, entity) || !says_same_values(&body, read, changed)
    {
        let mut editor = Editor::new(&opened.body, read, body, changed, to_current, &mut edits);
        editor.header = Some(Header::new(opened, read, entity));
        editor.edit();
    }
    for (section, read) in opened.sections.iter().filter(|it| it.part.is_some()).zip(&read.sections) {
        let Some(part) = &section.part else { continue };
        let Some(component) = find_component(entity, part) else {
            edits.replace(section.said(&document), "");
            continue;
        };
        let (text, changed) = (entity.section(component), changed_of(component));
        if to_current || !says_same_values(&text, read, changed) {
            Editor::new(part, read, text, changed, to_current, &mut edits).edit();
        }
    }
    let there: Vec<_> = opened.components().map(|part| part.class().value_type_id()).collect();
    for component in entity.components.sections {
        if !there.contains(&component.class.value_type_id()) {
            let part = entity.section(component);
            edits.insert_lines(document.text().len(), |layout, out| write_section(&part, layout, out));
        }
    }
    let start = out.len();
    edits.apply(out)?;
    Ok(&out[start..] != document.text().as_bytes())
}

/// The edits of one part.
struct Editor<'e, 'a> {
    part: &'e Part<'a>,
    read: &'e Read,
    text: PartText<'e>,
    changed: &'e LeafSet,
    edits: &'e mut Edits<'a>,
    spelling: Spelling,
    /// Leaves that have a line, and leaves a migration gave another text.
    present: LeafSet,
    forced: LeafSet,
    /// (last leaf of a line, where the line ends)
    anchors: Vec<(i64, usize)>,
    /// Where properties begin: after the position, else after the directives.
    properties_at: usize,
    /// Behind the line that names the class or component.
    class_at: usize,
    version_node: Option<Node<'a>>,
    /// What belongs to the entity itself; `None` for a section.
    header: Option<Header<'e, 'a>>,
    /// Lines of single items.
    items: Vec<items::ItemLine<'a>>,
    /// Whether what is still read, but is of an older program, is replaced.
    to_current: bool,
}

impl<'e, 'a> Editor<'e, 'a> {
    fn new(
        part: &'e Part<'a>,
        read: &'e Read,
        text: PartText<'e>,
        changed: &'e LeafSet,
        to_current: bool,
        edits: &'e mut Edits<'a>,
    ) -> Self {
        let document = part.document;
        Self {
            part,
            read,
            text,
            changed,
            edits,
            spelling: document.spelling(),
            present: LeafSet::new(),
            forced: LeafSet::new(),
            anchors: Vec::new(),
            properties_at: document.start(),
            class_at: document.start(),
            version_node: None,
            header: None,
            items: Vec::new(),
            // What is of an older version is brought to the current one as a whole.
            to_current: to_current || part.class_version < part.class.version(),
        }
    }

    /// Makes all edits of the part.
    fn edit(mut self) {
        let migration = self.read.migrated.as_deref();
        self.nodes(migration);
        self.directives();
        self.version(migration);
        self.without();
        self.item_lines();
        self.place(migration);
        self.absent();
        self.strays(migration);
    }

    /// Replaces what has a line.
    fn nodes(&mut self, migration: Option<&Migrated>) {
        for node in self.part.document.nodes() {
            match node.kind {
                NodeKind::Directive => self.directive(node),
                NodeKind::Property if is_position_of(self.part.class, node.name) => {
                    self.position(&node, migration);
                }
                NodeKind::Property => self.property(&node, migration),
                NodeKind::Removal => self.removal(&node, migration),
                _ => {}
            }
        }
        for line in migration.iter().flat_map(|migration| migration.touched()) {
            match find_named(self.part.class.ty(), &line.key) {
                Ok(Named::Property(path)) => drop(self.forced.insert_all(path.first_leaf(), path.leaves())),
                Ok(Named::Item(path)) => drop(self.forced.insert(path.leaf())),
                Err(_) => {}
            }
        }
    }

    fn directive(&mut self, node: Node<'a>) {
        self.properties_at = self.properties_at.max(node.span.end);
        match node.name {
            "class_version" => self.version_node = Some(node),
            "component" => {
                self.class_at = node.span.end;
                self.name_class(&node);
            }
            _ => self.header_line(node),
        }
    }

    /// Gives a line that names the class by a former name the current one.
    fn name_class(&mut self, node: &Node<'a>) {
        if self.to_current && self.part.class.aliases().contains(&node.value) {
            self.edits.replace_value(node, self.part.class.name());
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
        let ty = self.part.class.ty();
        !is_position_of(self.part.class, key) && find_named(ty, key).is_err() && !is_removed(ty, key)
    }

    /// Takes the line of a property away that is gone; `false` if it is none.
    fn drop_removed(&mut self, node: &Node<'a>) -> bool {
        let is_due = self.to_current && is_removed(self.part.class.ty(), node.name);
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
        let Some(path) = find_leaf(self.part.class.ty(), node.name) else {
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
        let said = leaves.clone().filter(|&leaf| self.text.says(leaf)).count();
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
        let is_new = |leaf| self.text.overrides.is_some() && self.read.unsaid.contains(leaf);
        let changed = leaves.clone().any(|leaf| self.text.says(leaf) && (self.changed.contains(leaf) || is_new(leaf)));
        self.present.insert_all(leaves.start, path.leaves());
        if (forced || changed || is_outdated)
            && let Some(value) = path.follow(self.text.value)
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
        for leaf in leaves.filter(|&leaf| self.text.says(leaf) && !self.read.unsaid.contains(leaf)) {
            self.forced.insert(leaf);
        }
        self.edits.remove(node);
    }

    /// Whether a line that does not say everything about the leaves it covers may stay: it says what is overridden, which may be nothing,
    /// and nothing of that changed.
    fn says_what_it_said(&self, mut leaves: core::ops::Range<u32>) -> bool {
        leaves.all(|leaf| {
            let said = self.read.leaves.contains(leaf) && !self.read.unsaid.contains(leaf);
            said == self.text.says(leaf)
                && !(said && self.changed.contains(leaf))
                // Lines of single items do not go with a line that covers the whole.
                && (said || !self.text.says_part_of(leaf))
        })
    }

    /// The class version, where it says something.
    fn version(&mut self, migration: Option<&Migrated>) {
        let version = self.part.class.version();
        // What a migration went through must not pass it twice, be it overridden or not known.
        let says = self.text.has_class_version() || migration.is_some_and(|it| it.is_of_a_version(self.part.class));
        if self.part.class_version >= version || !says {
            return;
        }
        match self.version_node.take() {
            Some(node) => self.edits.replace_value_with(&node, |out| write_integer(version, out)),
            None => self.edits.insert_lines(self.class_at, |layout, out| {
                write_version(layout, "class_version", version, out);
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
    fn absent(&mut self) {
        let Self { edits, text, present, forced, changed, anchors, properties_at, spelling, .. } = self;
        let (spelling, properties_at) = (*spelling, *properties_at);
        anchors.sort_unstable();
        for_each_leaf(text.value, spelling, &mut |leaf, key, value| {
            let due = match text.overrides {
                None => changed.contains(leaf) || forced.contains(leaf),
                Some(_) => text.says(leaf),
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
