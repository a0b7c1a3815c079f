//! What one build of the program knows: names, types, defaults, and what its migrations do.

use juliet::core::class::MigrateFn;
use juliet::schema::{
    ClassSchema, DefaultSchema, PropertySchema, SCHEMA_VERSION, Schema, Shape, TypeSchema, VariantSchema, VariantShape,
};
use juliet::{ClassRegistry, IndexMap};

use super::plan::{self, Action};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Int,
    Float,
    Bool,
    Text,
    Vec3,
    Mood,
    List,
    Map,
    Part,
}

impl Ty {
    pub(super) const ALL: [Self; 9] =
        [Self::Int, Self::Float, Self::Bool, Self::Text, Self::Vec3, Self::Mood, Self::List, Self::Map, Self::Part];
    /// Those that a field of the struct may have.
    pub(super) const FIELDS: [Self; 5] = [Self::Int, Self::Float, Self::Bool, Self::Text, Self::Mood];

    fn name(self) -> &'static str {
        match self {
            Self::Int => "i32",
            Self::Float => "f32",
            Self::Bool => "bool",
            Self::Text => "String",
            Self::Vec3 => "Vec3",
            Self::Mood => "Mood",
            Self::List => "Vec<i32>",
            Self::Map => "IndexMap<String, i32>",
            Self::Part => "Part",
        }
    }
}

/// A property, or a field of the struct.
#[derive(Clone, Debug)]
pub(super) struct Prop {
    pub(super) id: usize,
    /// Keys: the current one, then its aliases.
    pub(super) names: Vec<String>,
    pub(super) ty: Ty,
    pub(super) default: String,
}

#[derive(Clone, Debug)]
pub(super) struct Program {
    /// The current name of the class, then its aliases.
    pub(super) class: Vec<String>,
    pub(super) version: u32,
    pub(super) props: Vec<Prop>,
    pub(super) removed: Vec<String>,
    pub(super) part: Vec<Prop>,
    pub(super) part_removed: Vec<String>,
    /// Variants, each with its current name first.
    pub(super) mood: Vec<Vec<String>>,
    pub(super) plan: Vec<Action>,
    /// Whether there is a step for each version, or one function for all.
    pub(super) chained: bool,
    /// What is gone without a word.
    pub(super) lost: Vec<Prop>,
    pub(super) lost_fields: Vec<Prop>,
    /// Former keys of a property that does not say them.
    pub(super) strays: Vec<(Vec<String>, usize)>,
    /// Names that were given so far.
    pub(super) count: usize,
}

/// `Key` of `key`, and back.
pub(super) fn node_name(key: &str) -> String {
    let (head, item) = key.split_at(key.find('[').unwrap_or(key.len()));
    let mut name = String::new();
    for letter in head.chars() {
        if letter.is_uppercase() && !name.is_empty() && !name.ends_with('.') {
            name.push('_');
        }
        name.extend(letter.to_lowercase());
    }
    name + item
}

impl Program {
    pub(super) fn prop(&self, id: usize) -> Option<&Prop> {
        self.props.iter().find(|prop| prop.id == id)
    }

    /// The leaves: keys, types and defaults, in declaration order.
    pub(super) fn leaves(&self) -> Vec<(String, Ty, String)> {
        let mut leaves = Vec::new();
        for prop in &self.props {
            match prop.ty {
                Ty::Part => {
                    leaves.extend(self.part.iter().map(|field| {
                        (format!("{}.{}", prop.names[0], field.names[0]), field.ty, self.default_of(field))
                    }))
                }
                ty => leaves.push((prop.names[0].clone(), ty, self.default_of(prop))),
            }
        }
        leaves
    }

    /// The default under the current names.
    fn default_of(&self, prop: &Prop) -> String {
        self.canonical(prop.ty, &prop.default)
    }

    /// The one text of a value.
    pub(super) fn canonical(&self, ty: Ty, text: &str) -> String {
        let float = |text: &str| format!("{:?}", text.parse::<f32>().unwrap());
        match ty {
            Ty::Int => text.parse::<i32>().unwrap().to_string(),
            Ty::Float => float(text),
            Ty::Bool => text.to_owned(),
            Ty::Text => text.trim_matches('"').to_owned(),
            Ty::Vec3 => plan::words(text).map(float).collect::<Vec<_>>().join(", "),
            Ty::Mood => {
                let variant = self.mood.iter().find(|names| names.iter().any(|name| name == text));
                variant.unwrap_or_else(|| panic!("no mood {text}"))[0].clone()
            }
            Ty::List => format!("[{}]", plan::words(text).collect::<Vec<_>>().join(", ")),
            Ty::Map => {
                let items: Vec<(&str, &str)> = pairs(text).collect();
                map_text(items.into_iter())
            }
            Ty::Part => unreachable!("a struct has parts"),
        }
    }

    pub(super) fn registry(&self) -> ClassRegistry {
        let schema = self.schema();
        let steps: Option<&'static [(u32, MigrateFn)]> = (!self.plan.is_empty()).then(|| match self.chained {
            true => &plan::CHAIN[..self.version as usize - 1],
            false => &plan::WHOLE,
        });
        schema.registry_with(&|_| steps).unwrap()
    }

    fn schema(&self) -> Schema {
        let property = |prop: &Prop| PropertySchema {
            key: prop.names[0].clone(),
            name: node_name(&prop.names[0]),
            ty: prop.ty.name().to_owned(),
            default: (prop.ty != Ty::Part).then(|| DefaultSchema::Text(self.default_of(prop))),
            default_source: String::new(),
            doc: String::new(),
            unit: String::new(),
            range: None,
            step: None,
            group: String::new(),
            since: 0,
            aliases: prop.names[1..].to_vec(),
            hidden: false,
            read_only: false,
        };
        let plan = Prop { id: 0, names: vec!["Plan".into()], ty: Ty::Text, default: plan::encode(&self.plan) };
        let class = ClassSchema {
            name: self.class[0].clone(),
            crc: crc(self.class[0].as_bytes()),
            version: self.version,
            aliases: self.class[1..].to_vec(),
            doc: String::new(),
            schema_hash: "0".repeat(16),
            blittable: false,
            migrates: !self.plan.is_empty(),
            migrates_until: if self.chained && !self.plan.is_empty() { self.version - 1 } else { 0 },
            removed: self.removed.clone(),
            properties: self.props.iter().chain([&plan]).map(property).collect(),
        };
        let fields: Vec<_> = self.part.iter().map(property).collect();
        let variant = |names: &Vec<String>| VariantSchema {
            name: names[0].clone(),
            aliases: names[1..].to_vec(),
            doc: String::new(),
            style: VariantShape::Unit,
            fields: Vec::new(),
            removed: Vec::new(),
        };
        let types = Ty::ALL.map(|ty| {
            let shape = match ty {
                Ty::Int => Shape::Integer { signed: true, bits: 32 },
                Ty::Float => Shape::Float { bits: 32 },
                Ty::Bool => Shape::Bool,
                Ty::Text => Shape::Text { capacity: None },
                Ty::Vec3 => Shape::Vector { count: 3, float: true },
                Ty::Mood => Shape::Enum { variants: self.mood.iter().map(variant).collect() },
                Ty::List => Shape::List { item: "i32".into() },
                Ty::Map => Shape::Map { key: "String".into(), item: "i32".into() },
                Ty::Part => Shape::Struct { fields: fields.clone(), removed: self.part_removed.clone() },
            };
            TypeSchema { name: ty.name().into(), doc: String::new(), default: None, value: None, shape }
        });
        Schema { schema_version: SCHEMA_VERSION, classes: vec![class], components: Vec::new(), types: types.into() }
    }
}

/// The pairs of `{ a: 1, b: 2 }`.
pub(super) fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let inside = text.trim_matches(['{', '}', ' ']).split(',').filter(|pair| !pair.trim().is_empty());
    inside.map(|pair| pair.split_once(':').map(|(key, value)| (key.trim(), value.trim())).unwrap())
}

pub(super) fn map_text<'a>(items: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let items: Vec<String> = items.map(|(key, value)| format!("{key}: {value}")).collect();
    if items.is_empty() { "{}".into() } else { format!("{{ {} }}", items.join(", ")) }
}

/// A map in its order.
pub(super) fn map_of(text: &str) -> IndexMap<String, String> {
    pairs(text).map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// CRC-32 (IEEE), bit by bit.
fn crc(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| step(crc)))
}
