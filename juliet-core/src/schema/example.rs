//! The text of a file that says everything a class has by default, made from the schema alone.

use super::data::{ClassSchema, DefaultSchema, PropertySchema, Schema, Shape, Types};
use crate::text::{Layout, Spelling};

/// A file of `class` in which every property has its default, or a section of it if it is one of the components. Reads back as just that.
///
/// What the program's reader says of it is only sure of a schema that its own registry made.
pub fn example(schema: &Schema, class: &ClassSchema, spelling: Spelling) -> String {
    let is_component = schema.components.iter().any(|it| it.name == class.name);
    of(&Types::of(schema), class, is_component, spelling)
}

pub(super) fn of(types: &Types<'_>, class: &ClassSchema, is_component: bool, spelling: Spelling) -> String {
    let layout = Layout::new(spelling);
    let mut out = Vec::new();
    let node = spelling == Spelling::Node;
    if is_component {
        layout.write_directive("component", &class.name, &mut out);
    } else {
        layout.write_directive(if node { "class" } else { "entity_type" }, &class.name, &mut out);
        layout.write_directive("id", "0x0100000000000001", &mut out);
        layout.write_directive("version", "1", &mut out);
    }
    if class.version > 1 {
        layout.write_directive("class_version", &class.version.to_string(), &mut out);
    }
    let position = if node { ("position", "0.0 0.0 0.0") } else { ("Position", "0.0, 0.0, 0.0") };
    if !is_component {
        layout.write_property(position.0, position.1, &mut out);
    }
    for property in &class.properties {
        write(types, layout, "", property, property.default.as_ref(), &mut out);
    }
    // All of it comes from texts.
    String::from_utf8_lossy(&out).into_owned()
}

fn write(
    types: &Types<'_>,
    layout: Layout,
    prefix: &str,
    property: &PropertySchema,
    default: Option<&DefaultSchema>,
    out: &mut Vec<u8>,
) {
    let node = layout.spelling == Spelling::Node;
    let key = format!("{prefix}{}", if node { &property.name } else { &property.key });
    let ty = types.unwrapped(&property.ty);
    match (default, ty) {
        (Some(DefaultSchema::Text(text)), _) if node && is_numbers(types, &property.ty) => {
            layout.write_property(&key, &text.replace(", ", " "), out);
        }
        (Some(DefaultSchema::Text(text)), _) => layout.write_property(&key, text, out),
        (Some(DefaultSchema::Fields(defaults)), _) if defaults.is_empty() => layout.write_property(&key, "{}", out),
        (Some(DefaultSchema::Fields(defaults)), Some(ty)) => {
            for (name, default) in defaults {
                if let Some(field) = types.field(ty, name) {
                    write(types, layout, &format!("{key}."), field, Some(default), out);
                }
            }
        }
        _ => {}
    }
}

/// Whether a value is a row of numbers, which the node spelling separates by blanks.
fn is_numbers(types: &Types<'_>, name: &str) -> bool {
    let mut shape = types.unwrapped(name).map(|ty| &ty.shape);
    if let Some(Shape::Option { item }) = shape {
        shape = types.unwrapped(item).map(|ty| &ty.shape);
    }
    matches!(shape, Some(Shape::Vector { .. } | Shape::Quaternion | Shape::Color))
}
