//! The components of a file as values of their own: for those who have no rows to read them into.

use std::collections::HashMap;

use super::findings::Findings;
use super::header::Opened;
use super::part::Part;
use super::read::{Read, read_component};
use super::write::{Components, EntityText, LOST, lost_leaf};
use crate::class::{ClassKind, TypeIdentity, value};
use crate::mem::{ErasedRef, OwnedValue};
use crate::text::Spelling;

/// Reads all of [`Opened::components`], each on top of what `inherited` gives for its kind, or the defaults of its type. The values come in
/// the order of the sections; what each said is added to `read`. Linear in the text; an allocation for each.
///
/// # Panics
/// If the default or a clone of the user does.
pub fn read_components<'i>(
    opened: &Opened<'_>,
    read: &mut Read,
    inherited: &dyn Fn(ClassKind) -> Option<ErasedRef<'i>>,
    findings: &mut Findings,
) -> Vec<OwnedValue> {
    let read_one = |part: &Part<'_>| {
        let mut value = OwnedValue::of_type(part.class().ty());
        if let Some(inherited) = inherited(part.kind()) {
            value::assign(value.as_mut(), inherited);
        }
        read.add_component(read_component(opened, part, value.as_mut(), findings));
        value
    };
    opened.components().map(read_one).collect()
}

/// Whether a text says about components what was meant; else the property, and what is wrong.
pub(super) fn verify_components(
    opened: &Opened<'_>,
    entity: &EntityText<'_>,
    spelling: Spelling,
) -> Result<(), (String, String)> {
    let Components { sections, without } = entity.components;
    let there = opened.components().count();
    if there != sections.len() || opened.without().count() != without.len() {
        return Err((String::new(), "the text names other components".to_owned()));
    }
    if let Some(lost) = without.iter().find(|class| !opened.without().any(|(_, it)| it == **class)) {
        return Err((lost.name().to_owned(), "the component does not stay away".to_owned()));
    }
    let by_class: HashMap<TypeIdentity, &Part<'_>> =
        opened.components().map(|part| (part.class.value_type_id(), part)).collect();
    for component in sections {
        let name = component.class.name();
        let Some(part) = by_class.get(&component.class.value_type_id()) else {
            return Err((name.to_owned(), "the component does not read back".to_owned()));
        };
        let mut scratch = OwnedValue::of_type(component.class.ty());
        if let Some(inherited) = component.inherited {
            value::assign(scratch.as_mut(), inherited);
        }
        let mut findings = Findings::new();
        let read = read_component(opened, part, scratch.as_mut(), &mut findings);
        if let Some(error) = findings.first_error() {
            let property = format!("{name}/{}", error.property);
            return Err((property, format!("the text would be refused by the reader ({})", error.message)));
        }
        if component.overrides.is_some_and(|overrides| *overrides != read.overrides()) {
            return Err((name.to_owned(), "the text says more or less than what is overridden".to_owned()));
        }
        let lost = lost_leaf(&entity.section(component), component.kept, scratch.as_ref(), spelling);
        if let Some(key) = lost {
            return Err((format!("{name}/{key}"), LOST.to_owned()));
        }
    }
    Ok(())
}
