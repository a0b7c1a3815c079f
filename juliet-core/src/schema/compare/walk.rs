//! The walk through two schemas: pairs of types, each once, the nearest first.
//!
//! ```text
//! class ──► its fields by key ──► pairs of types ──► queue ──► the next pair: its fields, variants, items ──► queue …
//! ```
//!
//! Leaves are compared where they stand. A queue, not recursion: no depth is too deep, and a change is told by the shortest path that leads there.

use std::collections::{HashMap, HashSet, VecDeque};
use std::rc::Rc;

use super::names::{Fields, Unwrapped};
use super::{Change, What, alias};
use crate::diag::Severity;
use crate::schema::data::{
    ClassSchema, DEPTH_LIMIT, DefaultSchema, PropertySchema, RangeSchema, Schema, Shape, TypeSchema, VariantSchema,
    VariantShape,
};
use crate::schema::page::{number, range_text, shown_name};

/// How many types of the new schema one of the old is compared with: two rings of types could meet in every pair.
const PAIRS_LIMIT: usize = 64;
/// How many names of a path are told.
const PATH_LIMIT: usize = 256;
/// How many bytes of a path are told, beside the last name.
const PATH_LIMIT_BYTES: usize = 1024;

/// One step of the way to a property.
#[derive(Clone, Copy)]
enum Step<'a> {
    Field(&'a str),
    Variant(&'a str),
    Place(usize),
    Item,
    Key,
}

impl Step<'_> {
    fn text(self) -> String {
        match self {
            Self::Field(name) => format!(".{name}"),
            Self::Variant(name) => format!("({name})"),
            Self::Place(index) => format!(".{index}"),
            Self::Item => "[]".to_owned(),
            Self::Key => "[key]".to_owned(),
        }
    }
}

/// The way to a property: a place among [`Walk::ways`]. None for the class itself.
type Way = Option<usize>;

/// Two types that stand at one place.
struct Pair<'a> {
    way: Way,
    old: &'a TypeSchema,
    new: &'a TypeSchema,
    /// Whether the defaults of their fields count, or stand in that of what holds them.
    defaults: bool,
}

pub(super) struct Walk<'a> {
    old: Unwrapped<'a>,
    new: Unwrapped<'a>,
    class: &'a str,
    /// The statement that settles everything about the class.
    migration: String,
    /// The steps of the class, each with the one before.
    ways: Vec<(Way, Step<'a>)>,
    /// Pairs of types that were met, and whether with their own defaults.
    seen: HashSet<(&'a str, &'a str, bool)>,
    /// How many pairs each old type is in.
    pairs: HashMap<&'a str, usize>,
    next: VecDeque<Pair<'a>>,
    /// By the place of what has the fields.
    fields: HashMap<usize, Rc<Fields<'a>>>,
    variants: HashMap<usize, Rc<HashMap<&'a str, &'a VariantSchema>>>,
    pub(super) changes: Vec<Change>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(old: &'a Schema, new: &'a Schema) -> Self {
        Self {
            old: Unwrapped::of(old),
            new: Unwrapped::of(new),
            class: "",
            migration: String::new(),
            ways: Vec::new(),
            seen: HashSet::new(),
            pairs: HashMap::new(),
            next: VecDeque::new(),
            fields: HashMap::new(),
            variants: HashMap::new(),
            changes: Vec::new(),
        }
    }

    /// Compares a class with the one that took its place, and all types that they lead to.
    pub(super) fn class(&mut self, old: &'a ClassSchema, new: &'a ClassSchema) {
        self.class = &old.name;
        self.migration = format!("version = {}, migrate = path", new.version.max(old.version.saturating_add(1)));
        self.ways.clear();
        let heirs = Rc::new(Fields::of(&new.properties, &new.removed));
        self.fields(None, &old.properties, &heirs, true);
        while let Some(pair) = self.next.pop_front() {
            self.pair(&pair);
        }
    }

    fn step(&mut self, way: Way, step: Step<'a>) -> Way {
        self.ways.push((way, step));
        Some(self.ways.len() - 1)
    }

    /// `a.b[](Wait).0`
    fn path(&self, mut way: Way) -> String {
        let (mut steps, mut bytes) = (Vec::new(), 0);
        while let Some((before, step)) = way.and_then(|way| self.ways.get(way)) {
            let text = step.text();
            if !steps.is_empty() && (steps.len() == PATH_LIMIT || bytes + text.len() > PATH_LIMIT_BYTES) {
                steps.push("…".to_owned());
                break;
            }
            bytes += if steps.is_empty() { 0 } else { text.len() };
            steps.push(text);
            way = *before;
        }
        let path: String = steps.iter().rev().map(String::as_str).collect();
        path.strip_prefix('.').map_or_else(|| path.clone(), str::to_owned)
    }

    fn push(&mut self, way: Way, what: What, severity: Severity, statement: String) {
        let (class, property) = (self.class.to_owned(), self.path(way));
        self.changes.push(Change { class, property, what, severity, statement });
    }

    fn push_migrated(&mut self, way: Way, what: What, severity: Severity) {
        let statement = self.migration.clone();
        self.push(way, what, severity, statement);
    }

    /// The fields of the type or variant at `place`, looked up once.
    fn fields_of<T>(&mut self, place: &T, fields: &'a [PropertySchema], removed: &[String]) -> Rc<Fields<'a>> {
        let place = core::ptr::from_ref(place).addr();
        self.fields.entry(place).or_insert_with(|| Rc::new(Fields::of(fields, removed))).clone()
    }

    fn fields_of_type(&mut self, ty: &'a TypeSchema) -> Option<Rc<Fields<'a>>> {
        match &ty.shape {
            Shape::Struct { fields, removed } => Some(self.fields_of(ty, fields, removed)),
            _ => None,
        }
    }

    fn variants_of(
        &mut self,
        ty: &'a TypeSchema,
        variants: &'a [VariantSchema],
    ) -> Rc<HashMap<&'a str, &'a VariantSchema>> {
        let by_name = || {
            let mut by_name: HashMap<&str, &VariantSchema> = HashMap::new();
            for variant in variants {
                for alias in &variant.aliases {
                    by_name.entry(alias).or_insert(variant);
                }
            }
            by_name.extend(variants.iter().map(|variant| (variant.name.as_str(), variant)));
            Rc::new(by_name)
        };
        self.variants.entry(core::ptr::from_ref(ty).addr()).or_insert_with(by_name).clone()
    }

    /// `defaults`: whether the defaults of these fields count, or stand in that of what holds them.
    fn fields(&mut self, way: Way, old: &'a [PropertySchema], new: &Fields<'a>, defaults: bool) {
        for property in old {
            let way = self.step(way, Step::Field(&property.name));
            let Some(heir) = new.find(&property.key).or_else(|| new.find(&property.name)) else {
                if !new.is_removed(&property.key) {
                    self.push(way, What::Vanished, Severity::Error, alias(&property.key));
                }
                continue;
            };
            for gone in &property.aliases {
                if !new.is_removed(gone) && new.find(gone).is_none_or(|it| it.key != heir.key) {
                    self.push(way, What::AliasVanished { alias: gone.clone() }, Severity::Error, alias(gone));
                }
            }
            self.property(way, property, heir, defaults);
        }
    }

    fn property(&mut self, way: Way, old: &'a PropertySchema, new: &'a PropertySchema, defaults: bool) {
        self.types(way, &old.ty, &new.ty, false);
        if defaults && old.default != new.default && !self.is_retyped(&old.ty, &new.ty) {
            self.defaults(way, [&old.ty, &new.ty], old.default.as_ref(), new.default.as_ref());
        }
        if old.unit != new.unit {
            let severity = if old.unit.is_empty() || new.unit.is_empty() { Severity::Warning } else { Severity::Error };
            self.push_migrated(way, What::UnitChanged { from: old.unit.clone(), to: new.unit.clone() }, severity);
        }
        if narrowed(old.range, new.range) {
            let what = What::RangeNarrowed { from: range_text(old.range), to: range_text(new.range) };
            self.push_migrated(way, what, Severity::Warning);
        }
    }

    /// Whether a change of the type tells already what a change of the default would.
    fn is_retyped(&self, old: &str, new: &str) -> bool {
        let (mut old, mut new) = (self.old.find(old), self.new.find(new));
        for _ in 0..DEPTH_LIMIT {
            match (old, new) {
                (Some(from), Some(to)) => match (&from.shape, &to.shape) {
                    (Shape::Option { item: from }, Shape::Option { item: to }) => {
                        (old, new) = (self.old.find(from), self.new.find(to));
                    }
                    _ => return !is_same_kind(from, to),
                },
                _ => return false,
            }
        }
        false
    }

    /// Leaf by leaf; leaves that only one side has are told as vanished, or are additions.
    fn defaults(&mut self, way: Way, types: [&'a str; 2], old: Option<&DefaultSchema>, new: Option<&DefaultSchema>) {
        match (old, new) {
            (Some(DefaultSchema::Fields(old)), Some(DefaultSchema::Fields(new))) => {
                let [from, to] = [self.old.find(types[0]), self.new.find(types[1])];
                let [Some(from), Some(to)] = [from, to].map(|ty| ty.and_then(|ty| self.fields_of_type(ty))) else {
                    return;
                };
                for (key, old) in old {
                    let Some((field, heir)) = from.by_key.get(key).zip(to.find(key)) else { continue };
                    let way = self.step(way, Step::Field(&field.name));
                    self.defaults(way, [&field.ty, &heir.ty], Some(old), new.get(&heir.key));
                }
            }
            (Some(DefaultSchema::Text(from)), Some(DefaultSchema::Text(to))) if from != to => {
                let what = What::DefaultChanged { from: from.clone(), to: to.clone() };
                self.push_migrated(way, what, Severity::Warning);
            }
            _ => {}
        }
    }

    /// Two types at one place: told at once if one is no heir of the other, compared later if they have parts.
    fn types(&mut self, way: Way, old: &str, new: &str, defaults: bool) {
        let (Some(old), Some(new)) = (self.old.find(old), self.new.find(new)) else { return };
        if !is_same_kind(old, new) {
            return self.type_changed(way, old, new);
        }
        let has_parts =
            old.shape.inner()[1].is_some() || matches!(old.shape, Shape::Struct { .. } | Shape::Enum { .. });
        if !has_parts || !self.seen.insert((&old.name, &new.name, defaults)) {
            return;
        }
        let pairs = self.pairs.entry(&old.name).or_default();
        *pairs += 1;
        if *pairs > PAIRS_LIMIT {
            return self.type_changed(way, old, new);
        }
        self.next.push_back(Pair { way, old, new, defaults });
    }

    fn pair(&mut self, pair: &Pair<'a>) {
        let &Pair { way, old, new, defaults } = pair;
        match (&old.shape, &new.shape) {
            (Shape::Struct { fields: from, .. }, Shape::Struct { .. }) => {
                if let Some(to) = self.fields_of_type(new) {
                    self.fields(way, from, &to, defaults);
                }
            }
            (Shape::Enum { variants: from }, Shape::Enum { variants: to }) => {
                let to = self.variants_of(new, to);
                self.variants(way, from, &to);
            }
            (Shape::Option { item: from }, Shape::Option { item: to }) => self.types(way, from, to, true),
            (Shape::List { item: from }, Shape::List { item: to })
            | (Shape::Array { item: from, .. }, Shape::Array { item: to, .. }) => {
                let way = self.step(way, Step::Item);
                self.types(way, from, to, true);
            }
            (Shape::Map { key, item }, Shape::Map { key: new_key, item: new_item }) => {
                let (key_way, way) = (self.step(way, Step::Key), self.step(way, Step::Item));
                self.types(key_way, key, new_key, true);
                self.types(way, item, new_item, true);
            }
            (Shape::KeyedList { item, key_field }, Shape::KeyedList { item: new_item, key_field: now }) => {
                if !self.is_field(new_item, key_field, now) {
                    let what = What::KeyFieldChanged { from: key_field.clone(), to: now.clone() };
                    self.push_migrated(way, what, Severity::Error);
                }
                let way = self.step(way, Step::Item);
                self.types(way, item, new_item, true);
            }
            _ => {}
        }
    }

    /// Whether the field that was called `old` is now called `new`.
    fn is_field(&mut self, item: &str, old: &str, new: &str) -> bool {
        match self.new.find(item).and_then(|ty| self.fields_of_type(ty)) {
            Some(fields) => fields.by_key.get(old).is_some_and(|field| field.name == new),
            None => old == new,
        }
    }

    fn type_changed(&mut self, way: Way, old: &TypeSchema, new: &TypeSchema) {
        let severity = if widened(&old.shape, &new.shape) { Severity::Warning } else { Severity::Error };
        let what = What::TypeChanged { from: described(old), to: described(new) };
        self.push_migrated(way, what, severity);
    }

    fn variants(&mut self, way: Way, old: &'a [VariantSchema], new: &HashMap<&'a str, &'a VariantSchema>) {
        for variant in old {
            let names = [&variant.name].into_iter().chain(&variant.aliases);
            for gone in names.filter(|name| !new.contains_key(name.as_str())) {
                self.push(way, What::VariantVanished { variant: gone.clone() }, Severity::Error, alias(gone));
            }
            let Some(&heir) = new.get(variant.name.as_str()) else { continue };
            let way = self.step(way, Step::Variant(&variant.name));
            match (variant.style, heir.style) {
                (VariantShape::Struct, VariantShape::Struct) => {
                    let heirs = self.fields_of(heir, &heir.fields, &heir.removed);
                    self.fields(way, &variant.fields, &heirs, true);
                }
                (VariantShape::Tuple, VariantShape::Tuple) if variant.fields.len() == heir.fields.len() => {
                    for (index, (old, new)) in variant.fields.iter().zip(&heir.fields).enumerate() {
                        let way = self.step(way, Step::Place(index));
                        self.property(way, old, new, false);
                    }
                }
                // Fields that are left out have their defaults, and so have all of them.
                (VariantShape::Unit, VariantShape::Unit | VariantShape::Struct) => {}
                _ => {
                    let what = What::TypeChanged { from: form(variant), to: form(heir) };
                    self.push_migrated(way, what, Severity::Error);
                }
            }
        }
    }
}

/// Whether only the parts of two types can tell them apart.
fn is_same_kind(old: &TypeSchema, new: &TypeSchema) -> bool {
    match (&old.shape, &new.shape) {
        (Shape::Array { count: from, .. }, Shape::Array { count: to, .. }) => from == to,
        (Shape::Struct { .. }, Shape::Struct { .. })
        | (Shape::Enum { .. }, Shape::Enum { .. })
        | (Shape::Option { .. }, Shape::Option { .. })
        | (Shape::List { .. }, Shape::List { .. })
        | (Shape::Map { .. }, Shape::Map { .. })
        | (Shape::KeyedList { .. }, Shape::KeyedList { .. }) => true,
        (Shape::Adapter, Shape::Adapter) => old.name == new.name,
        (from, to) => from == to,
    }
}

/// What a reader of the finding recognises: the name, and the shape where two types may share it.
fn described(ty: &TypeSchema) -> String {
    let name = shown_name(&ty.name);
    match ty.shape {
        Shape::Struct { .. } => format!("struct {name}"),
        Shape::Enum { .. } => format!("enum {name}"),
        Shape::KeyedList { ref key_field, .. } => format!("{name} by {key_field}"),
        _ => name,
    }
}

/// `Wait(…)`
fn form(variant: &VariantSchema) -> String {
    match variant.style {
        VariantShape::Unit => variant.name.clone(),
        VariantShape::Tuple => format!("{}({} values)", variant.name, number(variant.fields.len() as f64)),
        VariantShape::Struct => format!("{} {{ … }}", variant.name),
    }
}

/// Whether a value of `old` may lie outside of `new`.
fn narrowed(old: Option<RangeSchema>, new: Option<RangeSchema>) -> bool {
    let Some(new) = new else { return false };
    let old = old.unwrap_or(RangeSchema { min: None, max: None });
    let below = new.min.is_some_and(|new| old.min.is_none_or(|old| old < new));
    let above = new.max.is_some_and(|new| old.max.is_none_or(|old| old > new));
    below || above
}

/// Whether every text of an old value reads as nearly the same value of the new type.
fn widened(old: &Shape, new: &Shape) -> bool {
    match (old, new) {
        (&Shape::Integer { signed, bits }, &Shape::Integer { signed: now_signed, bits: now_bits }) => {
            if signed == now_signed { bits <= now_bits } else { now_signed && bits < now_bits }
        }
        (Shape::Float { bits }, Shape::Float { bits: now }) => bits <= now,
        (&Shape::Integer { bits, .. }, &Shape::Float { bits: now }) => bits < if now == 64 { 54 } else { 25 },
        (Shape::Text { capacity: old }, Shape::Text { capacity: new }) => {
            new.is_none_or(|new| old.is_some_and(|old| old <= new))
        }
        // A path of an asset keeps its form, whatever stands behind it.
        (Shape::AssetRef { .. }, Shape::AssetRef { .. }) => true,
        _ => false,
    }
}
