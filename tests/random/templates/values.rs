//! The classes of the model test, and values of their leaves as the model holds them: by bits, without a line of the project.

use juliet::prelude::*;
use juliet::{Subject, TemplateHandle};

use super::super::values::{Rng, text};

/// A struct inside of a class: three leaves.
#[derive(Property, Clone)]
pub(crate) struct Light {
    color: Vec3,
    #[jasset(default = 5.0)]
    radius: f32,
    label: String,
}

/// Eight leaves.
#[derive(Entity)]
pub(crate) struct Prop {
    #[jasset(default = 1.0)]
    mass: f32,
    hits: u8,
    #[jasset(default = "a prop")]
    title: String,
    tags: Vec<i32>,
    light: Light,
    #[jasset(default = Vec3::ONE)]
    scale: Vec3,
}

/// Plain data, and of a later class version.
#[derive(Entity, Clone)]
#[jasset(version = 2)]
pub(crate) struct Spare {
    #[jasset(default = 2.5)]
    weight: f32,
    #[jasset(default = -0.0)]
    drag: f32,
    count: u8,
}

/// What a leaf is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Float,
    Byte,
    Text,
    List,
    Vector,
}

/// The value of a leaf; floats by their bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Leaf {
    Float(u32),
    Byte(u8),
    Text(String),
    List(Vec<i32>),
    Vector([u32; 3]),
}

/// A class of the model: its name, version, and its leaves with what they are.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) version: u32,
    pub(crate) leaves: &'static [(&'static str, Kind)],
    /// Keys of structs, with the leaves below.
    pub(crate) structs: &'static [(&'static str, std::ops::Range<usize>)],
}

pub(crate) static SHAPES: [Shape; 2] = [
    Shape {
        name: "Prop",
        version: 1,
        leaves: &[
            ("Mass", Kind::Float),
            ("Hits", Kind::Byte),
            ("Title", Kind::Text),
            ("Tags", Kind::List),
            ("Light.Color", Kind::Vector),
            ("Light.Radius", Kind::Float),
            ("Light.Label", Kind::Text),
            ("Scale", Kind::Vector),
        ],
        structs: &[("Light", 4..7)],
    },
    Shape {
        name: "Spare",
        version: 2,
        leaves: &[("Weight", Kind::Float), ("Drag", Kind::Float), ("Count", Kind::Byte)],
        structs: &[],
    },
];

/// The default of a leaf.
pub(crate) fn default(class: usize, leaf: usize) -> Leaf {
    match (class, leaf) {
        (0, 0) => Leaf::Float(1.0_f32.to_bits()),
        (0, 1) | (1, 2) => Leaf::Byte(0),
        (0, 2) => Leaf::Text("a prop".into()),
        (0, 3) => Leaf::List(Vec::new()),
        (0, 4) => Leaf::Vector([0; 3]),
        (0, 5) => Leaf::Float(5.0_f32.to_bits()),
        (0, 6) => Leaf::Text(String::new()),
        (0, 7) => Leaf::Vector([1.0_f32.to_bits(); 3]),
        (1, 0) => Leaf::Float(2.5_f32.to_bits()),
        _ => Leaf::Float((-0.0_f32).to_bits()),
    }
}

/// A bit pattern that a file can hold; few of them, so that equal values meet.
fn float(rng: &mut Rng) -> u32 {
    let any = f32::from_bits(rng.bits() as u32);
    let float = match rng.below(8) {
        0 => rng.pick(&[f32::NAN, f32::INFINITY, 1e-45, f32::MAX]),
        1 if !any.is_nan() => any,
        _ => rng.pick(&[0.0, -0.0, 1.0, 2.5, 5.0]),
    };
    float.to_bits()
}

/// A random value.
pub(crate) fn random(rng: &mut Rng, kind: Kind) -> Leaf {
    match kind {
        Kind::Float => Leaf::Float(float(rng)),
        Kind::Byte => Leaf::Byte(rng.below(4) as u8),
        Kind::Text if rng.one_in(3) => Leaf::Text(text(rng)),
        Kind::Text => Leaf::Text(rng.pick(&["", "a prop", "none"]).into()),
        Kind::List => Leaf::List((0..rng.below(3)).map(|_| rng.pick(&[-1, 0, 7])).collect()),
        Kind::Vector => Leaf::Vector([float(rng), float(rng), rng.pick(&[0, 1.0_f32.to_bits()])]),
    }
}

fn vec3(bits: [u32; 3]) -> Vec3 {
    Vec3::from_array(bits.map(f32::from_bits))
}

fn bits(vector: Vec3) -> Leaf {
    Leaf::Vector(vector.to_array().map(f32::to_bits))
}

/// What the world holds.
pub(crate) fn read(world: &World, handle: EntityHandle) -> Vec<Leaf> {
    if let Some(Prop { mass, hits, title, tags, light: Light { color, radius, label }, scale }) = world.get(handle) {
        return vec![
            Leaf::Float(mass.to_bits()),
            Leaf::Byte(*hits),
            Leaf::Text(title.clone()),
            Leaf::List(tags.clone()),
            bits(*color),
            Leaf::Float(radius.to_bits()),
            Leaf::Text(label.clone()),
            bits(*scale),
        ];
    }
    let Spare { weight, drag, count } = world.get(handle).unwrap();
    vec![Leaf::Float(weight.to_bits()), Leaf::Float(drag.to_bits()), Leaf::Byte(*count)]
}

/// What the image of a template holds.
pub(crate) fn read_template(world: &World, class: usize, template: TemplateHandle) -> Vec<Leaf> {
    let leaves = SHAPES[class].leaves.iter();
    let read = |&(key, kind): &(&str, Kind)| match kind {
        Kind::Float => Leaf::Float(world.get_property::<f32>(template, key).unwrap().to_bits()),
        Kind::Byte => Leaf::Byte(*world.get_property(template, key).unwrap()),
        Kind::Text => Leaf::Text(world.get_property::<String>(template, key).unwrap().clone()),
        Kind::List => Leaf::List(world.get_property::<Vec<i32>>(template, key).unwrap().clone()),
        Kind::Vector => bits(*world.get_property(template, key).unwrap()),
    };
    leaves.map(read).collect()
}

/// Sets a leaf by its key.
pub(crate) fn set(world: &mut World, subject: impl Into<Subject>, key: &str, value: &Leaf) -> bool {
    match value {
        Leaf::Float(bits) => world.set(subject, key, f32::from_bits(*bits)),
        Leaf::Byte(byte) => world.set(subject, key, *byte),
        Leaf::Text(text) => world.set(subject, key, text.clone()),
        Leaf::List(list) => world.set(subject, key, list.clone()),
        Leaf::Vector(bits) => world.set(subject, key, vec3(*bits)),
    }
    .unwrap()
}

/// Sets the struct at once.
pub(crate) fn set_light(world: &mut World, subject: impl Into<Subject>, values: &[Leaf]) -> bool {
    let [Leaf::Vector(color), Leaf::Float(radius), Leaf::Text(label)] = values else { panic!("three leaves") };
    let light = Light { color: vec3(*color), radius: f32::from_bits(*radius), label: label.clone() };
    world.set(subject, "light", light).unwrap()
}

/// Writes leaves of a value in one go.
pub(crate) fn write(world: &mut World, handle: EntityHandle, class: usize, values: &[(usize, Leaf)]) {
    match class {
        0 => {
            let mut prop = world.get_mut::<Prop>(handle).unwrap();
            values.iter().for_each(|(leaf, value)| write_prop(&mut prop, *leaf, value));
        }
        _ => {
            let mut spare = world.get_mut::<Spare>(handle).unwrap();
            values.iter().for_each(|(leaf, value)| write_spare(&mut spare, *leaf, value));
        }
    }
}

/// Writes a leaf of every entity of a class.
pub(crate) fn write_all(world: &mut World, class: usize, leaf: usize, value: &Leaf) {
    match class {
        0 => world.iter_of_mut::<Prop>().for_each(|mut item| write_prop(&mut item.value, leaf, value)),
        _ => world.iter_of_mut::<Spare>().for_each(|mut item| write_spare(&mut item.value, leaf, value)),
    }
}

fn write_prop(prop: &mut Prop, leaf: usize, value: &Leaf) {
    match (leaf, value) {
        (0, Leaf::Float(bits)) => prop.mass = f32::from_bits(*bits),
        (1, Leaf::Byte(byte)) => prop.hits = *byte,
        (2, Leaf::Text(text)) => prop.title.clone_from(text),
        (3, Leaf::List(list)) => prop.tags.clone_from(list),
        (4, Leaf::Vector(bits)) => prop.light.color = vec3(*bits),
        (5, Leaf::Float(bits)) => prop.light.radius = f32::from_bits(*bits),
        (6, Leaf::Text(text)) => prop.light.label.clone_from(text),
        (7, Leaf::Vector(bits)) => prop.scale = vec3(*bits),
        _ => panic!("leaf {leaf} is no {value:?}"),
    }
}

fn write_spare(spare: &mut Spare, leaf: usize, value: &Leaf) {
    match (leaf, value) {
        (0, Leaf::Float(bits)) => spare.weight = f32::from_bits(*bits),
        (1, Leaf::Float(bits)) => spare.drag = f32::from_bits(*bits),
        (2, Leaf::Byte(byte)) => spare.count = *byte,
        _ => panic!("leaf {leaf} is no {value:?}"),
    }
}
