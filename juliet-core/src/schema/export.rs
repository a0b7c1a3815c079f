//! Tables → schema.

use indexmap::IndexMap;
use std::collections::{HashMap, HashSet};

use super::data::{
    ClassSchema, DefaultSchema, PropertySchema, RangeSchema, SCHEMA_VERSION, Schema, Shape, TypeSchema, VariantSchema,
    VariantShape,
};
use crate::class::shape::{Place, ValueWriter};
use crate::class::{
    Class, ClassRegistry, DataVariant, Kind, Property, PropertyType, Range, TypeIdentity, VariantStyle, last_segment,
    value,
};
use crate::mem::{ErasedRef, OwnedValue};
use crate::text::Pairs;

impl ClassRegistry {
    /// What the tables of all classes and component types say, as plain data. The same program gives the same schema on every run.
    ///
    /// Makes the default value of each class and of each struct that a property has; linear in the size of the tables.
    ///
    /// # Panics
    /// If a default of the user's does.
    pub fn schema(&self) -> Schema {
        let mut export = Export::default();
        let classes = self.classes().iter().map(|class| export.class(class)).collect();
        let components = self.components().iter().map(|class| export.class(class)).collect();
        Schema { schema_version: SCHEMA_VERSION, classes, components, types: export.types }
    }
}

/// What tells types apart: an adapter has the Rust type of what it adapts.
type TypeKey = (TypeIdentity, bool, &'static str);

#[derive(Default)]
struct Export {
    types: Vec<TypeSchema>,
    known: HashMap<TypeKey, String>,
    names: HashSet<String>,
}

impl Export {
    fn class(&mut self, class: &'static Class) -> ClassSchema {
        let fresh = OwnedValue::of_type(class.ty());
        ClassSchema {
            name: class.name().to_owned(),
            crc: class.crc(),
            version: class.version(),
            aliases: owned(class.aliases()),
            doc: class.doc().to_owned(),
            schema_hash: format!("{:016x}", class.schema_hash()),
            blittable: class.is_blittable_in_rust(),
            migrates: class.has_migrate(),
            migrates_until: class.migrates_until(),
            removed: owned(class.ty().removed()),
            properties: self.fields(class.properties(), fresh.as_ref()),
        }
    }

    /// The fields of `value`, with what they have in it as their defaults.
    fn fields(&mut self, fields: &'static [Property], value: ErasedRef<'_>) -> Vec<PropertySchema> {
        let described = fields.iter().enumerate();
        described.map(|(index, field)| self.property(field, value.field(index).map(default_of))).collect()
    }

    fn property(&mut self, property: &'static Property, default: Option<DefaultSchema>) -> PropertySchema {
        let meta = property.meta();
        PropertySchema {
            key: property.key().to_owned(),
            name: property.name().to_owned(),
            ty: self.ty(property.ty()),
            default,
            default_source: meta.default.to_owned(),
            doc: meta.doc.to_owned(),
            unit: meta.unit.to_owned(),
            range: meta.range.map(range),
            step: (meta.step != 0.0 && meta.step.is_finite()).then_some(meta.step),
            group: meta.group.to_owned(),
            since: meta.since,
            aliases: owned(meta.aliases),
            hidden: meta.hidden,
            read_only: meta.read_only,
        }
    }

    /// The name of a type, which is described at its first call.
    fn ty(&mut self, ty: &'static PropertyType) -> String {
        let id = (ty.type_id(), matches!(ty.kind(), Kind::Adapter), ty.name());
        if let Some(name) = self.known.get(&id) {
            return name.clone();
        }
        let shown = self.name_of(ty);
        // The items of a container may lead back to it.
        if let Some(name) = self.known.get(&id) {
            return name.clone();
        }
        // Two types of one name: in two modules, or two instances of one generic type.
        let mut name = shown.clone();
        let mut count = 1;
        while self.names.contains(&name) {
            count += 1;
            name = format!("{shown}#{count}");
        }
        self.names.insert(name.clone());
        self.known.insert(id, name.clone());
        // The place is taken before the parts are described, since a type may contain itself.
        let place = self.types.len();
        let (default, value) = (None, None);
        self.types.push(TypeSchema {
            name: name.clone(),
            doc: ty.doc().to_owned(),
            default,
            value,
            shape: Shape::Bool,
        });
        self.types[place].shape = self.shape(ty);
        self.types[place].default = own_default(ty);
        if let Kind::Newtype { field } = *ty.kind() {
            let value = self.property(field, None);
            let plain = PropertySchema::plain(&value.key, &value.name, &value.ty);
            self.types[place].value = (value != plain).then(|| Box::new(value));
        }
        name
    }

    fn name_of(&mut self, ty: &'static PropertyType) -> String {
        match *ty.kind() {
            Kind::Text { capacity: Some(capacity) } => format!("{}<{capacity}>", ty.name()),
            Kind::AssetRef { asset } => format!("{}<{}>", ty.name(), last_segment(asset.get())),
            Kind::Array { count, item } => format!("[{}; {count}]", self.ty(item.get())),
            Kind::List { item } | Kind::KeyedList { item, .. } | Kind::Option { item } => {
                format!("{}<{}>", ty.name(), self.ty(item.get()))
            }
            Kind::Map { key, item } => format!("{}<{}, {}>", ty.name(), self.ty(key.get()), self.ty(item.get())),
            _ => ty.name().to_owned(),
        }
    }

    fn shape(&mut self, ty: &'static PropertyType) -> Shape {
        match *ty.kind() {
            Kind::Bool => Shape::Bool,
            Kind::Integer { signed, bits } => Shape::Integer { signed, bits },
            Kind::Float { bits } => Shape::Float { bits },
            Kind::Char => Shape::Char,
            Kind::Text { capacity } => Shape::Text { capacity: capacity.map(|capacity| capacity as u64) },
            Kind::Vector { count, float } => Shape::Vector { count, float },
            Kind::Quaternion => Shape::Quaternion,
            Kind::Color => Shape::Color,
            Kind::AssetRef { asset } => Shape::AssetRef { asset: last_segment(asset.get()).to_owned() },
            Kind::EntityRef => Shape::EntityRef,
            Kind::Enum { variants } => {
                let variants = variants.iter().map(|variant| VariantSchema {
                    name: variant.name.to_owned(),
                    aliases: owned(variant.aliases),
                    doc: variant.doc.to_owned(),
                    style: VariantShape::Unit,
                    fields: Vec::new(),
                    removed: Vec::new(),
                });
                Shape::Enum { variants: variants.collect() }
            }
            Kind::DataEnum { variants } => {
                Shape::Enum { variants: variants.iter().map(|variant| self.variant(ty, variant)).collect() }
            }
            Kind::Struct { fields } => {
                let fresh = OwnedValue::of_type(ty);
                Shape::Struct { fields: self.fields(fields, fresh.as_ref()), removed: owned(ty.removed()) }
            }
            Kind::Newtype { field } => Shape::Newtype { item: self.ty(field.ty()) },
            Kind::Array { count, item } => Shape::Array { count: count as u64, item: self.ty(item.get()) },
            Kind::List { item } => Shape::List { item: self.ty(item.get()) },
            Kind::Map { key, item } => Shape::Map { key: self.ty(key.get()), item: self.ty(item.get()) },
            Kind::KeyedList { item, key_field } => {
                let key_field = item.get().fields().get(key_field).map_or("", Property::name).to_owned();
                Shape::KeyedList { item: self.ty(item.get()), key_field }
            }
            Kind::Option { item } => Shape::Option { item: self.ty(item.get()) },
            Kind::Adapter => Shape::Adapter,
        }
    }

    fn variant(&mut self, ty: &'static PropertyType, variant: &'static DataVariant) -> VariantSchema {
        let defaults = variant_defaults(ty, variant);
        let fields = variant.fields.iter();
        VariantSchema {
            name: variant.name.to_owned(),
            aliases: owned(variant.aliases),
            doc: variant.doc.to_owned(),
            style: match variant.style {
                VariantStyle::Unit => VariantShape::Unit,
                VariantStyle::Tuple => VariantShape::Tuple,
                VariantStyle::Struct => VariantShape::Struct,
            },
            fields: fields
                .map(|field| self.property(field, defaults.get(field.key()).cloned().map(DefaultSchema::Text)))
                .collect(),
            removed: owned(variant.removed),
        }
    }
}

/// The texts of the fields of a variant of which a file says the name only. Data that stands by place has to be said.
fn variant_defaults(ty: &'static PropertyType, variant: &'static DataVariant) -> HashMap<String, String> {
    if variant.style != VariantStyle::Struct {
        return HashMap::new();
    }
    let mut fresh = OwnedValue::of_type(ty);
    if value::read(fresh.as_mut(), variant.name, Place::Line).is_err() {
        return HashMap::new();
    }
    let text = text_of(fresh.as_ref());
    let body = text.find('{').map_or("", |at| &text[at..]);
    let Ok(mut pairs) = Pairs::new(body) else { return HashMap::new() };
    let in_parentheses =
        |key: &str| variant.fields.iter().any(|field| field.ty().takes_parentheses() && field.is_named(key));
    core::iter::from_fn(|| pairs.next_pair(in_parentheses))
        .map_while(Result::ok)
        .map(|(key, text)| (key.to_owned(), text.to_owned()))
        .collect()
}

/// The default of an enum or a wrapper, unless its parts say it.
fn own_default(ty: &'static PropertyType) -> Option<DefaultSchema> {
    let usual = match *ty.kind() {
        Kind::Enum { variants } => DefaultSchema::Text(variants.first()?.name.to_owned()),
        Kind::DataEnum { variants } => {
            let mut first = OwnedValue::of_type(ty);
            let read = value::read(first.as_mut(), variants.first()?.name, Place::Line);
            // Data that stands by place has to be said.
            DefaultSchema::Text(if read.is_ok() { text_of(first.as_ref()) } else { String::new() })
        }
        Kind::Newtype { field } => default_of(OwnedValue::of_type(field.ty()).as_ref()),
        _ => return None,
    };
    let own = default_of(OwnedValue::of_type(ty).as_ref());
    (own != usual).then_some(own)
}

fn default_of(value: ErasedRef<'_>) -> DefaultSchema {
    let value = value.unwrapped();
    let Kind::Struct { fields } = value.ty().kind() else { return DefaultSchema::Text(text_of(value)) };
    let described = fields.iter().enumerate();
    let fields: IndexMap<String, DefaultSchema> = described
        .filter_map(|(index, field)| Some((field.key().to_owned(), default_of(value.field(index)?))))
        .collect();
    DefaultSchema::Fields(fields)
}

fn text_of(from: ErasedRef<'_>) -> String {
    let mut text = Vec::new();
    value::write(from, &mut ValueWriter::new(&mut text));
    String::from_utf8_lossy(&text).into_owned()
}

fn range(range: Range) -> RangeSchema {
    let end = |end: f64| end.is_finite().then_some(end);
    RangeSchema { min: end(range.min), max: end(range.max) }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}
