//! Memory → text of a new file, and the proof that a text says what memory says.

use super::components::verify_components;
use super::decode::FILE_LIMIT_BYTES;
use super::findings::Findings;
use super::header::{BASE_VERSION, Inherit, Inherited, TemplateLine, open_with};
use super::items::{for_each_item, for_each_item_line, key_leaf, mark_own_items};
use super::leaves::{LeafSet, changed_leaves, for_each_leaf, for_each_leaf_of};
use super::overrides::Overrides;
use super::path::path_of_leaf;
use super::read::read_values;
use crate::class::shape::{EntityRef, ValueWriter};
use crate::class::{Class, ClassRegistry, value};
use crate::diag::{Code, Diagnostic};
use crate::mem::{ErasedMut, ErasedRef, OwnedValue};
use crate::text::{Layout, Spelling, write_f32, write_integer};

/// What a file says about one entity.
#[derive(Clone, Copy)]
pub struct EntityText<'a> {
    /// The class.
    pub class: &'static Class,
    /// The id; 0 for a template, which has none.
    pub id: u64,
    /// The position; three numbers are written.
    pub position: [f32; 4],
    /// The derived value.
    pub value: ErasedRef<'a>,
    /// What the file leaves to others; `None` for an entity that stands alone, whose file says everything.
    pub inherits: Option<Inherits<'a>>,
    /// What it says about components.
    pub components: Components<'a>,
}

/// What a file says about components.
#[derive(Clone, Copy)]
pub struct Components<'a> {
    /// Those that have a section, in the order of new ones.
    pub sections: &'a [ComponentText<'a>],
    /// Inherited ones that are not there.
    pub without: &'a [&'static Class],
}

impl Components<'_> {
    /// Nothing.
    pub const NONE: Self = Self { sections: &[], without: &[] };
}

/// What a section says about a component.
#[derive(Clone, Copy)]
pub struct ComponentText<'a> {
    /// The component type.
    pub class: &'static Class,
    /// The value.
    pub value: ErasedRef<'a>,
    /// What the section says itself; `None` if it says everything.
    pub overrides: Option<&'a Overrides>,
    /// What a section is read on top of; `None` for the defaults of the type.
    pub inherited: Option<ErasedRef<'a>>,
    /// Of a component that has a section in the file that is edited: the leaves that were changed, and the value as that section says.
    pub kept: Option<(&'a LeafSet, ErasedRef<'a>)>,
}

/// What one part of a file says.
#[derive(Clone, Copy)]
pub(super) struct PartText<'a> {
    pub(super) class: &'static Class,
    pub(super) value: ErasedRef<'a>,
    /// What it says itself; `None` if it says everything.
    pub(super) overrides: Option<&'a Overrides>,
    /// Whether the file names a template.
    pub(super) is_based: bool,
}

impl PartText<'_> {
    /// Whether the file has a line for `leaf`.
    #[inline]
    pub(super) fn says(&self, leaf: u32) -> bool {
        self.overrides.is_none_or(|overrides| overrides.contains(leaf))
    }

    /// Whether the file has a line for `leaf` or for an item of it.
    pub(super) fn says_part_of(&self, leaf: u32) -> bool {
        self.overrides.is_none_or(|overrides| overrides.contains_any(leaf, 1))
    }

    /// The class version as a directive. A part without a property of its class has none to be of a version.
    pub(super) fn has_class_version(&self) -> bool {
        self.class.version() > 1 && self.overrides.is_none_or(|it| !self.is_based || !it.is_empty())
    }
}

/// What a sparse file is written from.
#[derive(Clone, Copy)]
pub struct Inherits<'a> {
    /// The path after `; template`; `None` for a template that has none, and inherits the defaults of its class.
    pub template: Option<&'a str>,
    /// What the file says itself.
    pub overrides: &'a Overrides,
    /// The position of one whose file names none.
    pub position: [f32; 4],
}

impl EntityText<'_> {
    /// The path after `; template`.
    pub(super) fn template(&self) -> Option<&str> {
        self.inherits.and_then(|inherits| inherits.template)
    }

    /// The position of a file that names none.
    pub(super) fn default_position(&self) -> [f32; 4] {
        self.inherits.map_or([0.0, 0.0, 0.0, 1.0], |inherits| inherits.position)
    }

    /// What it says about the entity itself.
    pub(super) fn body(&self) -> PartText<'_> {
        let overrides = self.inherits.map(|inherits| inherits.overrides);
        PartText { class: self.class, value: self.value, overrides, is_based: self.template().is_some() }
    }

    /// What it says about a component.
    pub(super) fn section<'c>(&self, component: &ComponentText<'c>) -> PartText<'c> {
        let ComponentText { class, value, overrides, .. } = *component;
        PartText { class, value, overrides, is_based: self.template().is_some() }
    }
}

/// Appends the text of a new file: directives, position, then every leaf in declaration order, one form per value, then a section for each
/// component. Of an instance or a template only the leaves that it overrides.
///
/// The same entity gives the same bytes on every machine. Linear in the text; allocates to grow `out`, and for the keys of nested
/// structs.
pub fn write_entity(entity: &EntityText<'_>, spelling: Spelling, out: &mut Vec<u8>) {
    let layout = Layout::new(spelling);
    match entity.template() {
        Some(path) => layout.write_directive("template", path, out),
        None => layout.write_directive(class_directive(spelling), entity.class.name(), out),
    }
    if entity.id != 0 {
        layout.begin_directive("id", out);
        EntityRef::new(entity.id).write_hex(out);
        layout.end_value(out);
    }
    if entity.template().is_none() {
        write_version(layout, "version", BASE_VERSION, out);
    }
    let body = entity.body();
    if body.has_class_version() {
        write_version(layout, "class_version", body.class.version(), out);
    }
    for class in entity.components.without {
        layout.write_directive("without", class.name(), out);
    }
    layout.begin_value(position_key(spelling), out);
    write_position(entity.position, spelling, out);
    layout.end_value(out);
    write_part(&body, layout, out);
    for component in entity.components.sections {
        write_section(&entity.section(component), layout, out);
    }
}

/// Appends the section of a component.
pub(super) fn write_section(part: &PartText<'_>, layout: Layout, out: &mut Vec<u8>) {
    layout.write_directive("component", part.class.name(), out);
    if part.has_class_version() {
        write_version(layout, "class_version", part.class.version(), out);
    }
    write_part(part, layout, out);
}

/// Appends a line for everything that a part says.
fn write_part(part: &PartText<'_>, layout: Layout, out: &mut Vec<u8>) {
    let Some(overrides) = part.overrides else { return write_leaves(part.value, layout, out) };
    for_each_leaf(part.value, layout.spelling, &mut |leaf, key, value| {
        if overrides.contains(leaf) {
            write_line(key, value, layout, out);
        } else {
            write_items(value, leaf, key, layout, overrides, out);
        }
    });
}

fn write_line(key: &str, value: ErasedRef<'_>, layout: Layout, out: &mut Vec<u8>) {
    layout.begin_value(key, out);
    write_value(value, layout.spelling, out);
    layout.end_value(out);
}

/// Lines for what `overrides` says about single items.
fn write_items(value: ErasedRef<'_>, leaf: u32, list: &str, layout: Layout, overrides: &Overrides, out: &mut Vec<u8>) {
    for_each_item_line(value, leaf, list, layout.spelling, overrides, &mut |_, key, part, value| match (value, part) {
        (Some(value), Some(_)) => write_line(key, value, layout, out),
        (Some(_), None) => layout.write_property(key, "{}", out),
        (None, _) => layout.write_removal(key, out),
    });
}

/// Lines for all items of a map or keyed list that stands alone; `default` is what it has without a line. One line for the whole if they
/// could not say it.
#[cold]
fn write_all_items(
    value: ErasedRef<'_>,
    default: Option<ErasedRef<'_>>,
    list: &str,
    layout: Layout,
    out: &mut Vec<u8>,
) {
    let mut says = Overrides::NONE;
    mark_own_items(value, default, 0, &mut says);
    if says.contains(0) {
        return write_line(list, value, layout, out);
    }
    // What is there by default is said, too.
    if let Some(items) = value.keyed() {
        let parts = items.item_type().leaves();
        let key = key_leaf(items);
        for_each_item(items, &mut |item, _| {
            for part in (0..parts).filter(|&part| Some(part) != key) {
                says.insert_item(0, item, part, 1);
            }
        });
    }
    write_items(value, 0, list, layout, &says, out);
}

/// The directive that names the class.
pub(super) fn class_directive(spelling: Spelling) -> &'static str {
    if spelling == Spelling::Node { "class" } else { "entity_type" }
}

/// Appends a line for every leaf of `value`, in declaration order.
pub fn write_leaves(value: ErasedRef<'_>, layout: Layout, out: &mut Vec<u8>) {
    // Defaults, for what is said item by item.
    let mut fresh: Option<OwnedValue> = None;
    let whole = value;
    let value = value.unwrapped();
    for (index, field) in value.ty().fields().iter().enumerate() {
        let Some(inner) = value.field(index) else { continue };
        if inner.ty().is_leaf() && !inner.ty().is_keyed() {
            layout.begin_with(field.opening(layout.spelling), out);
            inner.write_leaf(&mut ValueWriter::of_line(out, layout.spelling == Spelling::Node));
            layout.end_value(out);
        } else {
            for_each_leaf_of(field, inner, layout.spelling, &mut |leaf, key, value| {
                if value.ty().is_keyed() {
                    let fresh = fresh.get_or_insert_with(|| OwnedValue::like(whole));
                    let field = fresh.as_ref().unwrapped().field(index);
                    let default = field.and_then(|field| match path_of_leaf(field.ty(), leaf) {
                        Some(path) => path.follow(field),
                        None => Some(field),
                    });
                    write_all_items(value, default, key, layout, out);
                } else {
                    write_line(key, value, layout, out);
                }
            });
        }
    }
}

pub(super) fn write_version(layout: Layout, name: &str, version: u32, out: &mut Vec<u8>) {
    layout.begin_directive(name, out);
    write_integer(version, out);
    layout.end_value(out);
}

/// The key of the position.
pub(super) fn position_key(spelling: Spelling) -> &'static str {
    if spelling == Spelling::Node { "position" } else { "Position" }
}

/// Appends three numbers.
pub(super) fn write_position(position: [f32; 4], spelling: Spelling, out: &mut Vec<u8>) {
    let separator: &[u8] = if spelling == Spelling::Node { b" " } else { b", " };
    write_f32(position[0], out);
    out.extend_from_slice(separator);
    write_f32(position[1], out);
    out.extend_from_slice(separator);
    write_f32(position[2], out);
}

/// Appends a whole value as it stands on a line of a file in `spelling`, a struct in braces.
#[inline]
pub fn write_value(value: ErasedRef<'_>, spelling: Spelling, out: &mut Vec<u8>) {
    value::write(value, &mut ValueWriter::of_line(out, spelling == Spelling::Node));
}

/// Reads `text` back and compares it with what was meant: class, id, position, and every property, bit for bit.
///
/// `kept` names the leaves that were changed, and the value the others have in the file that was edited; without it every leaf has to be
/// that of `entity`. Of a file that inherits, only what it says itself is compared, and that it says all of it and no more. `scratch` is a
/// value of the class that holds its defaults, or what is inherited; afterwards it holds what the text says. Costs one read.
///
/// # Errors
/// What the reader says, or the property that would not come back: a limit was passed, or an adapter writes what it does not read.
pub fn verify(
    registry: &ClassRegistry,
    file: &str,
    text: &str,
    entity: &EntityText<'_>,
    kept: Option<(&LeafSet, ErasedRef<'_>)>,
    mut scratch: ErasedMut<'_>,
) -> Result<(), Box<Diagnostic>> {
    let mut findings = Findings::new();
    let inherit = |_: &TemplateLine<'_>| match registry.find_kind_of(entity.class) {
        Some(kind) => Inherit::From(Inherited { kind, unknown: None, file: "" }),
        None => Inherit::Later,
    };
    let opened = open_with(registry, file, text, &mut { inherit }, &mut findings);
    let read = opened.as_ref().map(|opened| (opened, read_values(opened, scratch.reborrow(), &mut findings)));
    let refuse = |property: &str, why: &str| {
        let colon = if property.is_empty() { "" } else { ": " };
        let message = format!("{property}{colon}{why}; the entity is not saved");
        Err(Box::new(Diagnostic::new(Code::WriteFailed, message).in_file(file).property(property)))
    };
    if text.len() as u64 > FILE_LIMIT_BYTES {
        return refuse("", &format!("the file would have {} bytes, the limit is {FILE_LIMIT_BYTES}", text.len()));
    }
    if !findings.is_ok() {
        let first = findings.into_diagnostics(file).into_iter().find(Diagnostic::is_error);
        let why = first.as_ref().map_or_else(String::new, |first| first.message.to_string());
        let property = first.map(|first| first.property).unwrap_or_default();
        return refuse(&property, &format!("the text would be refused by the reader ({why})"));
    }
    let Some((opened, read)) = read else { return refuse("", "the text names no class") };
    // A template may keep an id that it has no use for.
    if opened.class() != entity.class || entity.id != 0 && opened.id() != Some(entity.id) {
        return refuse("id", "class or id do not read back");
    }
    if opened.template() != entity.template() {
        return refuse("template", "the path does not read back");
    }
    if entity.inherits.is_some_and(|inherits| *inherits.overrides != read.overrides()) {
        return refuse("", "the text says more or less than what is overridden");
    }
    if !same_position(read.position.unwrap_or(entity.default_position()), entity.position) {
        return refuse("Position", "the value does not read back");
    }
    let spelling = opened.document().spelling();
    if let Some(key) = lost_leaf(&entity.body(), kept, scratch.as_ref(), spelling) {
        return refuse(&key, LOST);
    }
    match verify_components(opened, entity, spelling) {
        Ok(()) => Ok(()),
        Err((property, why)) => refuse(&property, &why),
    }
}

pub(super) const LOST: &str = "the value does not read back as it was written";

/// The key of a leaf that `there` should have from `part`, and has not.
pub(super) fn lost_leaf(
    part: &PartText<'_>,
    kept: Option<(&LeafSet, ErasedRef<'_>)>,
    there: ErasedRef<'_>,
    spelling: Spelling,
) -> Option<String> {
    let wrong = changed_leaves(there, part.value);
    let not_kept = kept.map(|(changed, saved)| (changed, changed_leaves(there, saved)));
    let mut first = None;
    for_each_leaf(part.value, spelling, &mut |leaf, key, _| {
        if !part.says_part_of(leaf) {
            return;
        }
        let differs = match &not_kept {
            Some((changed, not_kept)) if !changed.contains(leaf) => not_kept.contains(leaf),
            _ => wrong.contains(leaf),
        };
        if differs && first.is_none() {
            first = Some(key.to_owned());
        }
    });
    first
}

/// Whether two positions have the same bits; the fourth number does not count.
pub(super) fn same_position(a: [f32; 4], b: [f32; 4]) -> bool {
    a[..3].iter().zip(&b[..3]).all(|(a, b)| value::same(ErasedRef::new(a), ErasedRef::new(b)))
}
