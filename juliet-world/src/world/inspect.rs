//! What an inspector shows: every property with its value, what is inherited, and from where; and why a property has its value.
//!
//! All of it comes from one walk: the levels of a subject, from the defaults of its class down to itself, each with what it says.

use std::borrow::Cow;

use juliet_core::Class;
use juliet_core::archive::{
    ItemSays, ItemsByKey, LeafPath, Named, Overrides, for_each_item, for_each_leaf, line_of_item, line_of_leaf,
    path_of_leaf, write_value,
};
use juliet_core::class::{Kind, Property, PropertyType, Range};
use juliet_core::entity::Stale;
use juliet_core::mem::{ErasedRef, OwnedValue};
use juliet_core::text::Spelling;

use super::edit::{named, type_name};
use super::parts::{Part, prefix_of};
use super::{EntityFile, SetError, Subject, TemplateHandle, World, unknown};

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// The default of the class.
    ClassDefault,
    /// A template.
    Template(TemplateHandle),
    /// The entity, or the template that was asked about.
    Own,
}

/// An overridden property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its key in the colon spelling, dotted where it is nested.
    pub key: String,
    /// Its value, as a file would hold it.
    pub value: String,
    /// What it would inherit; empty for an item that nothing above has.
    pub inherited: String,
    /// Where that comes from.
    pub source: Level,
}

/// A property as an inspector shows it.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its key in the colon spelling, dotted where it is nested.
    pub key: String,
    /// Its value, as a file would hold it.
    pub value: String,
    /// What it inherits or would inherit; the default of the class for an entity that stands alone.
    pub inherited: String,
    /// Where that comes from.
    pub inherited_from: Level,
    /// Where the value comes from.
    pub source: Level,
    /// Whether it is overridden: shown bold, with a button to revert it. Of a map or keyed list, whether it is as a whole: each item has a
    /// row of its own.
    pub overridden: bool,
    /// The property, with type, unit, range, step, group and docs.
    pub property: &'static Property,
    /// Its type as Rust code names it.
    pub type_name: Box<str>,
    /// Its group, or that of the struct around it; empty if none is said.
    pub group: &'static str,
    /// Its unit; empty if it has none.
    pub unit: &'static str,
    /// Its range, if it has one.
    pub range: Option<Range>,
    /// Its doc comment.
    pub doc: &'static str,
}

/// Why a property has its value: what each level says about it, from the class down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Why {
    /// The key in the colon spelling.
    pub key: String,
    /// The value it has.
    pub value: String,
    /// The class default, each template of the chain from the top, the subject itself. The last one that says something decides.
    pub reasons: Vec<Reason>,
}

/// What one level says about a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The level.
    pub level: Level,
    /// Its file as diagnostics name it; the name of the class for its default.
    pub place: Box<str>,
    /// The line of the file, from 1; `None` for the class, and for what is not saved yet.
    pub line: Option<u32>,
    /// What it says; empty for an item that it takes out, `None` if it says nothing.
    pub value: Option<String>,
}

impl Why {
    /// The level that decides.
    pub fn source(&self) -> Level {
        self.reasons.iter().rev().find(|it| it.value.is_some()).map_or(Level::ClassDefault, |it| it.level)
    }
}

/// One level of a subject.
struct Layer<'w> {
    level: Level,
    place: Box<str>,
    file: Option<&'w EntityFile>,
    value: ErasedRef<'w>,
    /// `None` if it says everything.
    overrides: Option<Cow<'w, Overrides>>,
}

impl Layer<'_> {
    /// Whether it says something about the leaf, or about an item of it.
    fn says(&self, leaf: u32) -> bool {
        self.overrides.as_ref().is_none_or(|overrides| overrides.contains_any(leaf, 1))
    }

    /// Whether it says something about an item, or a part of it.
    fn says_item(&self, leaf: u32, key: &str, part: Option<u32>) -> bool {
        let Some(overrides) = &self.overrides else { return true };
        overrides.contains(leaf)
            || match overrides.item(leaf, key) {
                Some(ItemSays::Leaves(parts)) => part.is_none_or(|part| parts.contains(part)),
                Some(ItemSays::Removed) => true,
                None => false,
            }
    }

    /// What it has there. An item that is not there is something that a level says; the class just has no such item.
    fn text_of(&self, named: &Named<'_>) -> Option<String> {
        match named.follow(self.value) {
            None if self.level == Level::ClassDefault => None,
            value => Some(value.map(text_of).unwrap_or_default()),
        }
    }

    fn says_named(&self, named: &Named<'_>) -> bool {
        match named {
            Named::Property(path) => self.says(path.first_leaf()),
            Named::Item(path) => {
                let items = path.list.follow(self.value).and_then(ErasedRef::keyed);
                let key = items.and_then(|items| path.canonical(items)).unwrap_or_default();
                self.says_item(path.leaf(), &key, path.covered().next())
            }
        }
    }
}

impl World {
    /// The levels of a part of a subject, from the defaults of its class, of which `fresh` is a value, down to itself.
    fn layers<'w>(&'w self, subject: Subject, part: Part, fresh: &'w OwnedValue) -> Result<Vec<Layer<'w>>, Stale> {
        let gone = || Stale { handle: subject.handle() };
        let class = self.class_of_part(subject, part).ok_or_else(gone)?;
        let value = self.live_value(subject, part)?;
        let mut layers = vec![Layer {
            level: Level::ClassDefault,
            place: class.name().into(),
            file: None,
            value: fresh.as_ref(),
            overrides: None,
        }];
        let above: Vec<_> = self.templates.chain(self.template_of(subject)).collect();
        for template in above.into_iter().rev() {
            let value = self.value_of(template.handle.into(), part);
            if value.is_none() {
                // What stands above a template without the component reaches nothing below it.
                layers.iter_mut().skip(1).for_each(|layer| layer.overrides = Some(Cow::Owned(Overrides::NONE)));
            }
            layers.push(Layer {
                level: Level::Template(template.handle),
                place: self.name_of(template.handle.into()),
                file: template.file.as_ref(),
                value: value.unwrap_or(fresh.as_ref()),
                overrides: Some(Cow::Borrowed(self.marked(template.handle.into(), part))),
            });
        }
        let own = self.is_based(subject).then(|| self.effective_overrides(subject, part));
        layers.push(Layer {
            level: Level::Own,
            place: self.name_of(subject),
            file: self.file_of_subject(subject),
            value,
            overrides: own,
        });
        Ok(layers)
    }

    fn fresh(&self, subject: Subject, part: Part) -> Result<OwnedValue, Stale> {
        Ok(OwnedValue::like(self.live_value(subject, part)?))
    }

    /// Every property that is overridden, with its value and what it would inherit, and every component that is not inherited or was taken
    /// away, under its name and `/`. Empty for one that stands alone or is gone. Linear in the properties and the depth of the chain.
    pub fn diff(&self, subject: impl Into<Subject>) -> Vec<Difference> {
        let subject = subject.into();
        if !self.is_based(subject) {
            return Vec::new();
        }
        let mut found = Vec::new();
        self.differences_of(subject, Part::Body, &mut found);
        for component in self.components(subject) {
            let Ok((kind, class)) = self.component_named(component.class.name()) else { continue };
            let part = Part::Component(kind);
            if component.overridden {
                let text = |value: Option<ErasedRef<'_>>| value.map(text_of).unwrap_or_default();
                found.push(Difference {
                    key: prefix_of(part, class),
                    value: text(self.value_of(subject, part)),
                    inherited: text(self.inherited_component(subject, kind)),
                    source: if component.is_there { Level::ClassDefault } else { component.source },
                });
            }
            self.differences_of(subject, part, &mut found);
        }
        found
    }

    fn differences_of(&self, subject: Subject, part: Part, found: &mut Vec<Difference>) {
        let mut rows = Vec::new();
        self.rows_of(subject, part, &mut rows);
        let overridden = rows.into_iter().filter(|row| row.overridden);
        found.extend(overridden.map(|Row { key, value, inherited, inherited_from, .. }| Difference {
            key,
            value,
            inherited,
            source: inherited_from,
        }));
    }

    /// Every property of an entity or a template in declaration order, structs leaf by leaf, then those of its components. Empty for one that is
    /// gone. Linear in the properties and the depth of the chain.
    pub fn rows(&self, subject: impl Into<Subject>) -> Vec<Row> {
        let subject = subject.into();
        let mut rows = Vec::new();
        for part in self.parts_of(subject) {
            self.rows_of(subject, part, &mut rows);
        }
        rows
    }

    fn rows_of(&self, subject: Subject, part: Part, rows: &mut Vec<Row>) {
        let Ok(fresh) = self.fresh(subject, part) else { return };
        let Ok(layers) = self.layers(subject, part, &fresh) else { return };
        let Some((own, above)) = layers.split_last() else { return };
        let prefix = self.class_of_part(subject, part).map(|class| prefix_of(part, class)).unwrap_or_default();
        for_each_leaf(own.value, Spelling::Colon, &mut |leaf, key, value| {
            let Some(path) = path_of_leaf(own.value.ty(), leaf) else { return };
            let key = format!("{prefix}{key}");
            let inherited = above.iter().rfind(|layer| layer.says(leaf)).unwrap_or(&above[0]);
            let overridden = own.overrides.as_ref().is_some_and(|overrides| overrides.contains(leaf));
            let alone = own.overrides.is_none();
            let property = path.property();
            let meta = property.meta();
            rows.push(Row {
                key: key.clone(),
                value: text_of(value),
                inherited: path.follow(inherited.value).map(text_of).unwrap_or_default(),
                inherited_from: inherited.level,
                source: if overridden || alone { Level::Own } else { inherited.level },
                overridden,
                property,
                type_name: type_name(property.ty()),
                group: group_of(own.value, &path),
                unit: meta.unit,
                range: meta.range,
                doc: meta.doc,
            });
            if value.ty().is_keyed() {
                add_item_rows(&layers, leaf, &path, &key, rows);
            }
        });
    }

    /// Why a property has its value: what the class, each template of the chain and the subject itself say, with file and line.
    ///
    /// # Errors
    /// [`SetError::Stale`], [`SetError::UnknownClass`], [`SetError::UnknownProperty`], [`SetError::NoComponent`], and [`SetError::Struct`] for a
    /// key of several values.
    pub fn why(&self, subject: impl Into<Subject>, key: &str) -> Result<Why, SetError> {
        let subject = subject.into();
        let place = self.place_of(subject, key)?;
        let (part, class) = (place.part, place.class);
        let fresh = self.fresh(subject, part)?;
        let layers = self.layers(subject, part, &fresh)?;
        let named = named(class, place.rest)?;
        let own = layers.last().map_or(fresh.as_ref(), |it| it.value);
        let path = named.property();
        let mut full = None;
        for_each_leaf(fresh.as_ref(), Spelling::Colon, &mut |leaf, key, _| {
            if leaf == path.first_leaf() {
                full = Some(format!("{}{key}", place.prefix()));
            }
        });
        let mut full = full.unwrap_or_else(|| key.to_owned());
        let ty = match &named {
            Named::Property(path) => path.property().ty(),
            Named::Item(item) => {
                let items = item.list.follow(own).and_then(ErasedRef::keyed);
                let key = items.and_then(|items| item.canonical(items)).unwrap_or_else(|| item.key.to_owned());
                full = format!("{full}[{key}]");
                if let Some(rest) = &item.rest {
                    let names: Vec<&str> = rest.properties(item.item_type()).map(Property::key).collect();
                    full = format!("{full}.{}", names.join("."));
                }
                item.ty()
            }
        };
        if ty.leaves() != 1 || matches!(ty.kind(), Kind::Struct { fields: [_, ..] }) {
            // The key of an item is no value of it.
            let first = match &named {
                Named::Property(_) => full,
                Named::Item(item) => {
                    let part = item.covered().next().and_then(|part| path_of_leaf(item.item_type(), part));
                    let above = item.rest.as_ref().map_or(0, |rest| rest.properties(item.item_type()).count());
                    let below = part.iter().flat_map(|part| part.properties(item.item_type())).skip(above);
                    below.fold(full, |name, property| format!("{name}.{}", property.key()))
                }
            };
            return Err(SetError::Struct { key: key.into(), first: first.into() });
        }
        let section = match part {
            Part::Body => None,
            Part::Component(_) => Some(class),
        };
        let reasons = layers.iter().map(|layer| {
            let says = layer.says_named(&named);
            let line_in = |file: &EntityFile| line_of(&file.text, section, class.ty(), &named);
            Reason {
                level: layer.level,
                place: layer.place.clone(),
                line: layer.file.filter(|_| says).and_then(line_in),
                value: layer.text_of(&named).filter(|_| says),
            }
        });
        let reasons: Vec<Reason> = reasons.collect();
        if named.follow(own).is_none() && reasons.iter().all(|reason| reason.value.is_none()) {
            // An item that nobody has.
            return Err(unknown(class, place.rest));
        }
        let value = named.follow(own).map(text_of).unwrap_or_default();
        Ok(Why { key: full, value, reasons })
    }
}

/// The rows of the items of the map or list at `path`, inherited ones that are removed included.
fn add_item_rows<'a>(layers: &[Layer<'a>], leaf: u32, path: &LeafPath, list: &str, rows: &mut Vec<Row>) {
    let Some((own, above)) = layers.split_last() else { return };
    let Some(own_items) = path.follow(own.value).and_then(ErasedRef::keyed) else { return };
    let (property, group) = (path.property(), group_of(own.value, path));
    let items_of = |layer: &Layer<'a>| path.follow(layer.value).and_then(ErasedRef::keyed).map(ItemsByKey::new);
    let by_key: Vec<Option<ItemsByKey<'a>>> = above.iter().map(items_of).collect();
    let inherited_row = |key: String, value: String, item: &str, part: Option<u32>, property: &'static Property| {
        let source = above.iter().rposition(|layer| layer.says_item(leaf, item, part)).unwrap_or_default();
        let layer = &above[source];
        let inherited = by_key[source].as_ref().and_then(|items| items.get(item));
        let inherited = inherited.and_then(|it| match part.and_then(|part| path_of_leaf(it.ty(), part)) {
            Some(path) => path.follow(it),
            None => Some(it),
        });
        let overridden = own.overrides.is_some() && own.says_item(leaf, item, part);
        Row {
            key,
            value,
            inherited: inherited.map(text_of).unwrap_or_default(),
            inherited_from: layer.level,
            source: if overridden || own.overrides.is_none() { Level::Own } else { layer.level },
            overridden,
            property,
            type_name: type_name(property.ty()),
            group,
            unit: property.meta().unit,
            range: property.meta().range,
            doc: property.meta().doc,
        }
    };
    for_each_item(own_items, &mut |item, value| {
        if value.ty().leaves() == 1 && value.unwrapped().ty().fields().is_empty() {
            let key = format!("{list}[{item}]");
            rows.push(inherited_row(key, text_of(value), item, Some(0), property));
            return;
        }
        for_each_leaf(value, Spelling::Colon, &mut |part, name, value| {
            let Some(path) = path_of_leaf(own_items.item_type(), part) else { return };
            let key = format!("{list}[{item}].{name}");
            if own_items.key_field() != path.first_step() {
                rows.push(inherited_row(key, text_of(value), item, Some(part), path.property()));
            }
        });
    });
    let removed = own.overrides.iter().flat_map(|overrides| overrides.items_of(leaf));
    for (item, _) in removed.filter(|(_, says)| **says == ItemSays::Removed) {
        rows.push(inherited_row(format!("{list}[{item}]"), String::new(), item, None, property));
    }
}

/// The line of a file that says something about what is named, in the section of `component` if it is in one.
fn line_of(text: &str, component: Option<&'static Class>, ty: &'static PropertyType, named: &Named<'_>) -> Option<u32> {
    match named {
        Named::Property(path) => line_of_leaf(text, component, ty, path.first_leaf()),
        Named::Item(path) => {
            line_of_item(text, component, ty, path).or_else(|| line_of_leaf(text, component, ty, path.leaf()))
        }
    }
}

fn text_of(value: ErasedRef<'_>) -> String {
    let mut out = Vec::new();
    write_value(value, Spelling::Colon, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// The group of a property, or of the struct around it.
fn group_of(value: ErasedRef<'_>, path: &LeafPath) -> &'static str {
    let groups = path.properties(value.ty()).map(|property| property.meta().group);
    groups.filter(|group| !group.is_empty()).last().unwrap_or_default()
}
