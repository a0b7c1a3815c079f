//! Schema → tables: a registry without the Rust types.
//!
//! ```text
//! Schema ──check──► order of types ──► PropertyType each ──► its default, read by its own reader ──► Class ──► ClassRegistry
//! ```
//!
//! In: a schema, trusted by nobody. Out: a registry that every function takes as it takes the program's own. Tables live as long as the
//! program, as those of Rust types do; the same schema gives the same tables again. Absent on purpose: `post_init`, migrations, and what an
//! adapter makes of a text, which are code of the program.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use glam::{IVec2, IVec3, Quat, Vec2, Vec3, Vec4};

use super::check::{Plan, impossible, plan, schema_hash};
use super::data::{ClassSchema, PropertySchema, Schema, Shape, TypeSchema, VariantSchema, VariantShape};
use super::defaults::Defaults;
use super::error::SchemaError;
use crate::class::shape::{
    Color, EntityRef, MadeAdapter, MadeArray, MadeAsset, MadeChoice, MadeList, MadeMap, MadeOption, MadeSortedMap,
    MadeText, MadeVariant,
};
use crate::class::{
    AssetName, ClassParts, ClassRegistry, DataVariant, ItemType, Kind, MadeClass, Meta, MigrateFn, Range, Variant,
    VariantStyle,
};
use crate::mem::made::{Described, MadeField, MadeType};

/// The steps of a class, as [`Schema::registry_with`] takes them.
type Steps = &'static [(u32, MigrateFn)];

impl Schema {
    /// The classes and component types of the schema, for reading and writing files of a program that is not at hand. What is read, told and written is what
    /// the program's own registry gives, with these differences:
    ///
    /// * `post_init` does not run; skipped fields do not exist;
    /// * a file of an older class version that only the program's `migrate` can read is refused (`JA0406`);
    /// * a property with an adapter keeps its text as it is, and any text reads;
    /// * enums that are keys of a `BTreeMap` are in the order of their declaration.
    ///
    /// The tables live as long as the program: about 400 bytes for each property and type, and the texts and defaults of the schema. They are
    /// made once for each schema that differs; later calls with an equal one cost a comparison. Linear in the schema.
    ///
    /// # Errors
    /// [`SchemaError`], for whatever a stranger may have written: names and keys that files could not have, types that never end, defaults
    /// that do not read, and more of something than a program has: 65,536 parts of a value, 4,096 of an item, 64 types inside each other, 8,192
    /// keys, defaults of 1 MiB of text.
    pub fn registry(&self) -> Result<ClassRegistry, SchemaError> {
        self.registry_with(&|_| None)
    }

    /// As [`registry`](Self::registry), with the program's migrations: for a tool that reads the schema from a file and has these functions
    /// compiled in. `steps` gives those of a class, each with the newest version of the files it takes, as in
    /// `migrate(1 => path, 2 => path)`; [`u32::MAX`] for a single function, as in `migrate = path`. With none, a file of an older version of a
    /// class that has migrations is refused.
    ///
    /// # Errors
    /// As of [`registry`](Self::registry); and [`SchemaError::Impossible`] for steps that are not in the order of their versions, or end
    /// with another version than the schema says.
    ///
    /// ```
    /// use juliet_core::class::{MigrateError, MigrateFn, Migration};
    /// use juliet_core::schema::Schema;
    /// # let json = r#"{"schema_version": 1, "types": [], "classes": [{"name": "Thing", "crc": 2592932743, "version": 2,
    /// #     "schema_hash": "0123456789abcdef", "migrates": true, "migrates_until": 1, "properties": []}]}"#;
    /// fn rename(file: &mut Migration<'_>) -> Result<(), MigrateError> {
    ///     file.rename("Hp", "Health");
    ///     Ok(())
    /// }
    /// const STEPS: &[(u32, MigrateFn)] = &[(1, rename)];
    /// # let schema = Schema::from_json(json)?;
    /// let registry = schema.registry_with(&|class| (class.name == "Thing").then_some(STEPS))?;
    /// assert!(registry.classes()[0].has_migrate());
    /// # Ok::<(), juliet_core::schema::SchemaError>(())
    /// ```
    pub fn registry_with(&self, steps: &dyn Fn(&ClassSchema) -> Option<Steps>) -> Result<ClassRegistry, SchemaError> {
        let plan = plan(self)?;
        let steps: Vec<_> = self.all().map(steps).collect();
        for (class, steps) in self.all().zip(&steps) {
            steps.map_or(Ok(()), |steps| check_steps(class, steps))?;
        }
        // Steps live as long as the program: where they lie says which they are.
        let places_of_steps = steps.iter().map(|steps| steps.map_or((0, 0), |it| (it.as_ptr().addr(), it.len())));
        let key = (self.to_json(), places_of_steps.collect());
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        let made = made.get_or_insert_default();
        if let Some(made) = made.get(&key) {
            return made.outcome.clone();
        }
        let mut tables = Tables {
            schema: self,
            plan,
            places: places(self.types.len()),
            classes: Vec::new(),
            registry: ClassRegistry::new(),
        };
        let outcome = tables.make(&steps).map(|()| tables.registry.clone());
        made.insert(key, MadeOf { _places: tables.places, _classes: tables.classes, outcome: outcome.clone() });
        outcome
    }
}

/// Whether steps are those of the class: the reader takes their order for granted.
fn check_steps(class: &ClassSchema, steps: &[(u32, MigrateFn)]) -> Result<(), SchemaError> {
    let told = |why: String| Err(impossible(&class.name, why));
    if !steps.is_sorted_by(|(a, _), (b, _)| a < b) {
        return told("its migrations are not in the order of their versions".to_owned());
    }
    let until = steps.last().map(|&(until, _)| if until == u32::MAX { 0 } else { until });
    match until.or((!class.migrates).then_some(0)) {
        Some(until) if class.migrates != steps.is_empty() && class.migrates_until == until => Ok(()),
        _ => told("its migrations are not those of the schema: they end with another version".to_owned()),
    }
}

/// A schema as text, and where the steps of each class lie.
type Key = (String, Vec<(usize, usize)>);

/// The registries that were made, by what they were made of.
static MADE: Mutex<Option<HashMap<Key, MadeOf>>> = Mutex::new(None);

/// What was made of a schema. Holds on to all of it, whatever came of it.
struct MadeOf {
    _places: &'static [OnceLock<Described>],
    _classes: Vec<MadeClass>,
    outcome: Result<ClassRegistry, SchemaError>,
}

fn places(count: usize) -> &'static [OnceLock<Described>] {
    (0..count).map(|_| OnceLock::new()).collect::<Vec<_>>().leak()
}

struct Tables<'s> {
    schema: &'s Schema,
    plan: Plan<'s>,
    /// Where each type of the schema is, once it is made.
    places: &'static [OnceLock<Described>],
    classes: Vec<MadeClass>,
    registry: ClassRegistry,
}

impl Tables<'_> {
    fn make(&mut self, steps: &[Option<&'static [(u32, MigrateFn)]>]) -> Result<(), SchemaError> {
        for &index in &self.plan.order {
            let ty = &self.schema.types[index];
            let made = self.ty(ty)?;
            // The order has each type once.
            let _ = self.places[index].set(made);
        }
        let mut defaults = Defaults::default();
        for &index in &self.plan.order {
            let ty = &self.schema.types[index];
            defaults.ty(ty, self.made(&ty.name)?)?;
        }
        let count = self.schema.classes.len();
        for ((index, class), steps) in self.schema.all().enumerate().zip(steps) {
            let made = self.class(class, *steps, index >= count)?;
            self.classes.push(made);
            self.registry.register_made(made)?;
            defaults.fields(&class.name, made.class().ty(), &class.properties)?;
        }
        Ok(())
    }

    fn class(
        &self,
        class: &ClassSchema,
        steps: Option<&'static [(u32, MigrateFn)]>,
        is_component: bool,
    ) -> Result<MadeClass, SchemaError> {
        let ty = self.structure(&class.name, &class.doc, &class.properties)?.with_removed(leak_all(&class.removed));
        let parts = ClassParts {
            name: leak(&class.name),
            version: class.version,
            aliases: leak_all(&class.aliases),
            migrates: class.migrates,
            migrates_until: class.migrates_until,
            steps,
            schema_hash: schema_hash(class)?,
            blittable: class.blittable,
            is_component,
        };
        Ok(MadeClass::new(parts, ty))
    }

    /// The place of a type, to be filled by now or later.
    fn place(&self, name: &str) -> Result<&'static OnceLock<Described>, SchemaError> {
        let index = self.plan.find(name);
        index.map(|index| &self.places[index]).ok_or_else(|| impossible(name, "there is no such type"))
    }

    /// A type that was made before.
    fn made(&self, name: &str) -> Result<Described, SchemaError> {
        self.place(name)?.get().copied().ok_or_else(|| SchemaError::Endless { name: name.to_owned() })
    }

    fn item(&self, name: &str) -> Result<ItemType, SchemaError> {
        self.place(name).map(ItemType::at)
    }

    fn ty(&self, ty: &TypeSchema) -> Result<Described, SchemaError> {
        let name = base_name(&ty.name);
        if let Some(known) = known(&ty.shape, name) {
            return Ok(known);
        }
        let doc = leak(&ty.doc);
        let no_variants = Vec::new();
        let made = match &ty.shape {
            Shape::Text { capacity } => {
                let capacity = capacity.map(|capacity| usize::try_from(capacity).unwrap_or(usize::MAX));
                MadeType::leaf::<MadeText>("InlineString", doc, Kind::Text { capacity }, no_variants)
            }
            Shape::AssetRef { asset } => {
                let asset = AssetName::named(leak(asset));
                MadeType::plain_leaf::<MadeAsset>("AssetRef", doc, Kind::AssetRef { asset })
            }
            Shape::Enum { variants } if variants.iter().all(|variant| variant.style == VariantShape::Unit) => {
                let variants = variants.iter().map(unit_variant).collect::<Vec<_>>().leak();
                MadeType::plain_leaf::<MadeVariant>(leak(name), doc, Kind::Enum { variants })
            }
            Shape::Enum { variants } => {
                let types: Vec<_> = variants.iter().map(|it| self.variant_type(ty, it)).collect::<Result<_, _>>()?;
                let variants = variants.iter().zip(&types).map(|(it, ty)| data_variant(it, *ty));
                let variants = variants.collect::<Vec<_>>().leak();
                MadeType::leaf::<MadeChoice>(leak(name), doc, Kind::DataEnum { variants }, types)
            }
            Shape::Struct { fields, removed } => {
                let made = self.structure(&ty.name, &ty.doc, fields)?;
                return Ok(made.with_removed(leak_all(removed)).leak());
            }
            Shape::Newtype { item } => {
                let plain = PropertySchema::plain("0", "0", item);
                let field =
                    self.field(&PropertySchema { ty: item.clone(), ..ty.value.as_deref().unwrap_or(&plain).clone() })?;
                MadeType::newtype(leak(name), doc, field)
            }
            Shape::Array { count, item } => {
                let kind = Kind::Array { count: usize::try_from(*count).unwrap_or_default(), item: self.item(item)? };
                MadeType::leaf::<MadeArray>("array", doc, kind, no_variants)
            }
            Shape::List { item } => {
                MadeType::leaf::<MadeList>("Vec", doc, Kind::List { item: self.item(item)? }, no_variants)
            }
            Shape::KeyedList { item, key_field } => {
                let key_field = self.key_field(item, key_field)?;
                let kind = Kind::KeyedList { item: self.item(item)?, key_field };
                MadeType::leaf::<MadeList>("Vec", doc, kind, no_variants)
            }
            Shape::Map { key, item } => {
                let kind = Kind::Map { key: self.item(key)?, item: self.item(item)? };
                if name.starts_with("BTreeMap<") {
                    MadeType::leaf::<MadeSortedMap>("BTreeMap", doc, kind, no_variants)
                } else {
                    MadeType::leaf::<MadeMap>("IndexMap", doc, kind, no_variants)
                }
            }
            Shape::Option { item } => {
                MadeType::leaf::<MadeOption>("Option", doc, Kind::Option { item: self.item(item)? }, no_variants)
            }
            Shape::Adapter => MadeType::leaf::<MadeAdapter>(leak(name), doc, Kind::Adapter, no_variants),
            _ => None,
        };
        made.map(MadeType::leak).ok_or_else(|| impossible(&ty.name, "there is no such type"))
    }

    fn structure(&self, name: &str, doc: &str, fields: &[PropertySchema]) -> Result<MadeType, SchemaError> {
        let fields = fields.iter().map(|field| self.field(field)).collect::<Result<_, _>>()?;
        let made = MadeType::structure(leak(base_name(name)), leak(doc), fields);
        made.ok_or_else(|| impossible(name, "a value takes too much memory"))
    }

    /// What a variant holds, as a struct.
    fn variant_type(&self, ty: &TypeSchema, variant: &VariantSchema) -> Result<Described, SchemaError> {
        Ok(self.structure(&ty.name, &variant.doc, &variant.fields)?.leak())
    }

    fn field(&self, field: &PropertySchema) -> Result<MadeField, SchemaError> {
        let split = u16::try_from(field.key.len() + 2);
        Ok(MadeField {
            openings: leak(&format!("{}: ; {}\n", field.key, field.name)),
            split: split.map_err(|_| impossible(&field.key, "the key is too long"))?,
            ty: self.made(&field.ty)?,
            meta: meta(field),
        })
    }

    fn key_field(&self, item: &str, name: &str) -> Result<usize, SchemaError> {
        let fields = match self.plan.find(item).map(|index| &self.schema.types[index].shape) {
            Some(Shape::Struct { fields, .. }) => fields.as_slice(),
            _ => &[],
        };
        let place = fields.iter().position(|field| field.name == name);
        place.ok_or_else(|| impossible(item, format!("there is no field `{name}`")))
    }
}

/// The name in the program: the second of two types of one name ends with `#2` in a schema.
fn base_name(name: &str) -> &str {
    match name.rsplit_once('#') {
        Some((base, count)) if !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()) => base,
        _ => name,
    }
}

/// Types of this crate that need no table.
fn known(shape: &Shape, name: &str) -> Option<Described> {
    let pointer_sized = |bits: u8| u32::from(bits) == usize::BITS;
    Some(match *shape {
        Shape::Bool => Described::of::<bool>(),
        Shape::Integer { signed: true, bits } if name == "isize" && pointer_sized(bits) => Described::of::<isize>(),
        Shape::Integer { signed: false, bits } if name == "usize" && pointer_sized(bits) => Described::of::<usize>(),
        Shape::Integer { signed: true, bits: 8 } => Described::of::<i8>(),
        Shape::Integer { signed: true, bits: 16 } => Described::of::<i16>(),
        Shape::Integer { signed: true, bits: 32 } => Described::of::<i32>(),
        Shape::Integer { signed: true, bits: 64 } => Described::of::<i64>(),
        Shape::Integer { signed: true, bits: 128 } => Described::of::<i128>(),
        Shape::Integer { signed: false, bits: 8 } => Described::of::<u8>(),
        Shape::Integer { signed: false, bits: 16 } => Described::of::<u16>(),
        Shape::Integer { signed: false, bits: 32 } => Described::of::<u32>(),
        Shape::Integer { signed: false, bits: 64 } => Described::of::<u64>(),
        Shape::Integer { signed: false, bits: 128 } => Described::of::<u128>(),
        Shape::Float { bits: 32 } => Described::of::<f32>(),
        Shape::Float { bits: 64 } => Described::of::<f64>(),
        Shape::Char => Described::of::<char>(),
        Shape::Text { capacity: None } => Described::of::<String>(),
        Shape::Vector { count: 2, float: true } => Described::of::<Vec2>(),
        Shape::Vector { count: 3, float: true } => Described::of::<Vec3>(),
        Shape::Vector { count: 4, float: true } => Described::of::<Vec4>(),
        Shape::Vector { count: 2, float: false } => Described::of::<IVec2>(),
        Shape::Vector { count: 3, float: false } => Described::of::<IVec3>(),
        Shape::Quaternion => Described::of::<Quat>(),
        Shape::Color => Described::of::<Color>(),
        Shape::EntityRef => Described::of::<EntityRef>(),
        _ => return None,
    })
}

fn unit_variant(variant: &VariantSchema) -> Variant {
    Variant { name: leak(&variant.name), aliases: leak_all(&variant.aliases), doc: leak(&variant.doc) }
}

/// `ty` is the struct of what it holds.
fn data_variant(variant: &VariantSchema, ty: Described) -> DataVariant {
    let Variant { name, aliases, doc } = unit_variant(variant);
    let style = match variant.style {
        VariantShape::Unit => VariantStyle::Unit,
        VariantShape::Tuple => VariantStyle::Tuple,
        VariantShape::Struct => VariantStyle::Struct,
    };
    DataVariant { name, aliases, doc, style, removed: leak_all(&variant.removed), fields: ty.ty().fields() }
}

fn meta(field: &PropertySchema) -> &'static Meta {
    let plain =
        PropertySchema { default: field.default.clone(), ..PropertySchema::plain(&field.key, &field.name, &field.ty) };
    if *field == plain {
        return Meta::NONE;
    }
    Box::leak(Box::new(Meta {
        doc: leak(&field.doc),
        default: leak(&field.default_source),
        range: field.range.map(|range| Range {
            min: range.min.unwrap_or(f64::NEG_INFINITY),
            max: range.max.unwrap_or(f64::INFINITY),
        }),
        step: field.step.unwrap_or_default(),
        unit: leak(&field.unit),
        group: leak(&field.group),
        since: field.since,
        aliases: leak_all(&field.aliases),
        hidden: field.hidden,
        read_only: field.read_only,
    }))
}

fn leak(text: &str) -> &'static str {
    if text.is_empty() { "" } else { text.to_owned().leak() }
}

fn leak_all(texts: &[String]) -> &'static [&'static str] {
    if texts.is_empty() { &[] } else { texts.iter().map(|text| leak(text)).collect::<Vec<_>>().leak() }
}

#[cfg(test)]
mod tests;
