//! What a file says of the entity itself beside its properties: class or template, id, position, and which components it does without.

use super::Editor;
use crate::archive::header::Opened;
use crate::archive::migrate::Migrated;
use crate::archive::read::Read;
use crate::archive::write::{EntityText, class_directive, position_key, same_position, write_position};
use crate::class::Class;
use crate::class::shape::EntityRef;
use crate::text::{Node, NodeKind};

/// Whether position, template, and the components that are taken away are those of the file.
pub(super) fn says_the_same(opened: &Opened<'_>, read: &Read, entity: &EntityText<'_>) -> bool {
    !is_moved(read, entity) && opened.template() == entity.template() && has_same_without(opened, entity)
}

fn is_moved(read: &Read, entity: &EntityText<'_>) -> bool {
    !same_position(read.position.unwrap_or(entity.default_position()), entity.position)
}

fn has_same_without(opened: &Opened<'_>, entity: &EntityText<'_>) -> bool {
    opened.without().count() == entity.components.without.len()
        && opened.without().all(|(_, class)| is_without(entity, class))
}

fn is_without(entity: &EntityText<'_>, class: &Class) -> bool {
    entity.components.without.iter().any(|it| it.value_type_id() == class.value_type_id())
}

/// What is found on the way through the lines of the entity.
pub(super) struct Header<'e, 'a> {
    opened: &'e Opened<'a>,
    entity: &'e EntityText<'e>,
    is_moved: bool,
    has_class: bool,
    has_template: bool,
    has_id: bool,
    has_position: bool,
}

impl<'e, 'a> Header<'e, 'a> {
    pub(super) fn new(opened: &'e Opened<'a>, read: &Read, entity: &'e EntityText<'e>) -> Self {
        let is_moved = is_moved(read, entity);
        Self { opened, entity, is_moved, has_class: false, has_template: false, has_id: false, has_position: false }
    }
}

impl<'a> Editor<'_, 'a> {
    /// A directive of the entity.
    pub(super) fn header_line(&mut self, node: Node<'a>) {
        let Some(header) = &mut self.header else { return };
        let (opened, entity) = (header.opened, header.entity);
        match node.name {
            // The template says which class it is.
            "class" | "entity_type" | "version" if opened.template().is_none() && entity.template().is_some() => {
                self.class_at = node.span.end;
                self.edits.remove(&node);
            }
            "class" | "entity_type" => {
                self.class_at = node.span.end;
                header.has_class = true;
                self.name_class(&node);
            }
            "template" => {
                if self.class_at == opened.document().start() {
                    self.class_at = node.span.end;
                }
                match entity.template() {
                    Some(path) if path == node.value => {}
                    Some(path) => self.edits.replace_value(&node, path),
                    None => return self.edits.remove(&node),
                }
                header.has_template = true;
            }
            "id" => {
                header.has_id = true;
                if entity.id != 0 && opened.id() != Some(entity.id) {
                    let id = EntityRef::new(entity.id);
                    self.edits.replace_value_with(&node, |out| id.write_hex(out));
                }
            }
            "without" => {
                let line = opened.without.binary_search_by_key(&node.span.start, |line| line.node.span.start);
                let component = line.ok().and_then(|index| opened.without[index].component);
                match component {
                    // Nothing is inherited any more, and such a line would be refused.
                    None if entity.template().is_none() => self.edits.remove(&node),
                    Some((_, class)) if !is_without(entity, class) => self.edits.remove(&node),
                    Some((_, class)) if self.to_current && class.aliases().contains(&node.value) => {
                        self.edits.replace_value(&node, class.name());
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    pub(super) fn position(&mut self, node: &Node<'a>, migration: Option<&Migrated>) {
        let Some(forced) = self.migrated(node, migration) else { return };
        self.properties_at = self.properties_at.max(node.span.end);
        let Some(header) = &mut self.header else { return };
        header.has_position = true;
        if header.is_moved || forced {
            let (position, spelling) = (header.entity.position, self.spelling);
            self.edits.replace_value_with(node, |out| write_position(position, spelling, out));
        }
    }

    /// Class or template, and id.
    pub(super) fn directives(&mut self) {
        let Some(header) = &self.header else { return };
        let (class_at, entity) = (self.class_at, header.entity);
        match entity.template() {
            Some(path) if !header.has_template => {
                self.edits.insert_lines(class_at, |layout, out| layout.write_directive("template", path, out));
            }
            None if !header.has_class => {
                let (name, class) = (class_directive(self.spelling), entity.class.name());
                self.edits.insert_lines(class_at, |layout, out| layout.write_directive(name, class, out));
            }
            _ => {}
        }
        if !header.has_id && entity.id != 0 {
            let id = EntityRef::new(entity.id);
            self.edits.insert_lines(class_at, |layout, out| {
                layout.begin_directive("id", out);
                id.write_hex(out);
                layout.end_value(out);
            });
        }
    }

    /// Lines for the components that are taken away from now on, behind all other directives.
    pub(super) fn without(&mut self) {
        let Some(header) = &self.header else { return };
        let (opened, entity) = (header.opened, header.entity);
        let last = opened.body.document.nodes().filter(|node| node.kind == NodeKind::Directive).last();
        let at = last.map_or(self.class_at, |node| node.span.end);
        for class in entity.components.without {
            if !opened.without().any(|(_, it)| it.value_type_id() == class.value_type_id()) {
                self.edits.insert_lines(at, |layout, out| layout.write_directive("without", class.name(), out));
            }
        }
    }

    /// Inserts the position, if it has to be said and has no line. A migration may give one that no line of the file has.
    pub(super) fn place(&mut self, migration: Option<&Migrated>) {
        let Some(header) = &self.header else { return };
        let is_due = header.is_moved || migration.is_some() && self.read.position.is_some();
        if is_due && !header.has_position {
            let (position, spelling) = (header.entity.position, self.spelling);
            self.edits.insert_lines(self.properties_at, |layout, out| {
                layout.begin_value(position_key(spelling), out);
                write_position(position, spelling, out);
                layout.end_value(out);
            });
        }
    }
}
