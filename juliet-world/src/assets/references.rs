//! A loaded world → the assets that its entities refer to, found by walking the property tables.
//!
//! Of each class it is worked out once which leaves can hold a reference at all; only these are looked at. Lists, options, maps and
//! enums with data are looked into. Skipped fields and what an adapter hides in text are no references.

use std::collections::{BTreeSet, HashMap, HashSet};

use juliet_core::archive::{for_each_leaf, line_of_leaf};
use juliet_core::class::{Class, Kind, Property, PropertyType, TypeIdentity};
use juliet_core::diag::Related;
use juliet_core::entity::EntityHandle;
use juliet_core::mem::ErasedRef;
use juliet_core::text::Spelling;
use juliet_core::value::Value;

use super::handle::AnyHandle;
use super::manager::Assets;
use crate::world::{Subject, World};

/// The assets of a world. They stay loaded as long as this lives.
#[derive(Debug, Default)]
pub struct Preloaded {
    /// A handle for each asset, in the order in which the world first refers to them.
    pub handles: Vec<AnyHandle>,
    /// Paths that no loader is known for, sorted: of types of assets that the program loads by other means.
    pub left_out: BTreeSet<String>,
}

impl Assets {
    /// Asks for all assets that the entities of `world` and their components refer to, each once.
    ///
    /// The type is that of the property (`AssetRef<Mesh>`) if a loader makes it; else the extension of the path decides, in the order in which types became
    /// known. What fails later names, beside the asset, the file and the line that referred to it first.
    ///
    /// Costs a walk over the values of all properties that can hold a reference, on this thread; nothing is opened.
    pub fn preload(&mut self, world: &World) -> Preloaded {
        let mut preloaded = Preloaded::default();
        // By the name of the type and the path as properties have them.
        let mut known: HashMap<&'static str, HashSet<String>> = HashMap::new();
        // Two names may come to one type.
        let mut taken: HashSet<(usize, String)> = HashSet::new();
        // Where the property of the last new reference is written: one property may have very many.
        let mut place: Option<(PropertyOf, Related)> = None;
        for_each_reference(world, &mut |reference| {
            let of_type = known.entry(reference.asset).or_default();
            if of_type.contains(reference.path) {
                return;
            }
            of_type.insert(reference.path.to_owned());
            match self.type_for(&reference) {
                Some(ty) => {
                    let handle = self.load_as(ty, reference.path, || match &place {
                        Some((of, known)) if *of == reference.property() => Some(known.clone()),
                        _ => Some(place.insert((reference.property(), origin(world, &reference))).1.clone()),
                    });
                    if taken.insert((ty, handle.path().to_owned())) {
                        preloaded.handles.push(handle);
                    }
                }
                None => drop(preloaded.left_out.insert(reference.path.to_owned())),
            }
        });
        preloaded
    }

    fn type_for(&self, reference: &Reference<'_>) -> Option<usize> {
        let by_name = self.types.iter().position(|it| it.name == reference.asset && it.has_loaders());
        by_name.or_else(|| self.types.iter().position(|it| it.loader_for(reference.path).is_some()))
    }
}

/// One reference of an entity.
struct Reference<'a> {
    /// Name of the type of the asset.
    asset: &'static str,
    path: &'a str,
    entity: EntityHandle,
    leaf: u32,
    /// The type of the value that the number counts in.
    ty: &'static PropertyType,
    /// Its name in the colon spelling.
    key: &'a str,
    /// The component that has the property; `None` for the entity itself.
    component: Option<&'static Class>,
}

/// One property of an entity or of one of its components.
type PropertyOf = (EntityHandle, Option<&'static str>, u32);

impl Reference<'_> {
    fn property(&self) -> PropertyOf {
        (self.entity, self.component.map(Class::name), self.leaf)
    }
}

/// Where a reference is written: a line of the entity or of one of its templates; the entity alone for the default of a class.
///
/// Linear in the files of the chain, so it is asked once for each property of an entity.
fn origin(world: &World, reference: &Reference<'_>) -> Related {
    let (entity, component) = (reference.entity, reference.component);
    let key = match component {
        Some(component) => format!("{}/{}", component.name(), reference.key),
        None => reference.key.to_owned(),
    };
    let label = format!("`{key}` refers to it").into_boxed_str();
    let mut level = Some(Subject::from(entity));
    while let Some(subject) = level {
        let line = world.file_of_subject(subject).and_then(|file| {
            let line = line_of_leaf(&file.text, component, reference.ty, reference.leaf)?;
            Some((file.label.clone(), line))
        });
        if let Some((file, line)) = line {
            return Related { file, line, column: 1, label };
        }
        // What is overridden and not saved yet is on no line.
        let above = world.template_of(subject).filter(|_| !world.is_overridden(subject, &key));
        level = above.map(Subject::from);
    }
    Related { file: world.file_of(entity).unwrap_or_default().into(), line: 0, column: 0, label }
}

fn for_each_reference(world: &World, each: &mut dyn FnMut(Reference<'_>)) {
    let manager = world.entities();
    // By the type of the value of a class: the leaves that can hold a reference.
    let mut leaves: HashMap<TypeIdentity, Vec<u32>> = HashMap::new();
    for base in manager.iter() {
        let entity = base.handle();
        let own = manager.value(entity).map(|value| (value, None)).into_iter();
        let components = manager.components_of(entity);
        let components = components.map(|(kind, value)| (value, manager.component_class(kind)));
        for (value, component) in own.chain(components) {
            let ty = value.ty();
            let leaves = leaves.entry(ty.type_id()).or_insert_with(|| leaves_with_references(value));
            if leaves.is_empty() {
                continue;
            }
            for_each_leaf(value, Spelling::Colon, &mut |leaf, key, value| {
                if leaves.binary_search(&leaf).is_ok() {
                    collect(&Value::of(value), value.ty(), &mut |asset, path| {
                        each(Reference { asset, path, entity, leaf, ty, key, component });
                    });
                }
            });
        }
    }
}

/// The leaves of a class that can hold a reference, ascending.
fn leaves_with_references(value: ErasedRef<'_>) -> Vec<u32> {
    let mut found = Vec::new();
    for_each_leaf(value, Spelling::Colon, &mut |leaf, _, value| {
        if can_hold(value.ty(), &mut HashSet::new()) {
            found.push(leaf);
        }
    });
    found
}

/// Whether a value of the type can hold a reference. Types may hold themselves: each is asked once.
fn can_hold(ty: &'static PropertyType, asked: &mut HashSet<TypeIdentity>) -> bool {
    if !asked.insert(ty.type_id()) {
        return false;
    }
    match *ty.kind() {
        Kind::AssetRef { .. } => true,
        Kind::Newtype { field } => can_hold(field.ty(), asked),
        Kind::Struct { fields } => fields.iter().any(|field| can_hold(field.ty(), asked)),
        Kind::DataEnum { variants } => {
            variants.iter().flat_map(|variant| variant.fields).any(|field| can_hold(field.ty(), asked))
        }
        Kind::Array { item, .. }
        | Kind::List { item }
        | Kind::Map { item, .. }
        | Kind::KeyedList { item, .. }
        | Kind::Option { item } => can_hold(item.get(), asked),
        _ => false,
    }
}

/// Calls `found` with the type and the path of each reference in a value. As deep as text may nest.
fn collect(value: &Value, ty: &'static PropertyType, found: &mut dyn FnMut(&'static str, &str)) {
    match (value, *ty.kind()) {
        (_, Kind::Newtype { field }) => collect(value, field.ty(), found),
        (Value::Asset(path), Kind::AssetRef { asset }) if !path.is_empty() => found(asset.get(), path),
        (Value::None, _) => {}
        (_, Kind::Option { item }) => collect(value, item.get(), found),
        (Value::List(items), Kind::Array { item, .. } | Kind::List { item })
        | (Value::KeyedList { items, .. }, Kind::KeyedList { item, .. }) => {
            items.iter().for_each(|value| collect(value, item.get(), found));
        }
        (Value::Map(items), Kind::Map { item, .. }) => {
            items.values().for_each(|value| collect(value, item.get(), found));
        }
        (Value::Struct(_), Kind::Struct { fields }) => collect_fields(value, fields, found),
        (Value::Variant { name, data }, Kind::DataEnum { variants }) => {
            if let Some(variant) = variants.iter().find(|variant| variant.name == name) {
                collect_fields(data, variant.fields, found);
            }
        }
        _ => {}
    }
}

/// The same for fields by name or by place.
fn collect_fields(value: &Value, fields: &'static [Property], found: &mut dyn FnMut(&'static str, &str)) {
    match value {
        Value::Struct(values) => {
            for field in fields {
                if let Some(value) = values.get(field.key()) {
                    collect(value, field.ty(), found);
                }
            }
        }
        Value::List(items) => {
            items.iter().zip(fields).for_each(|(value, field)| collect(value, field.ty(), found));
        }
        _ => {}
    }
}
