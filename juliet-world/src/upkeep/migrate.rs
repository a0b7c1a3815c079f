//! Every file of a project becomes what the current program would have written, values unchanged.
//!
//! ```text
//! ; class_version: 1 ──steps of the class──► ; class_version: 5      former names of classes, properties and variants replaced,
//!                                                                    lines of removed properties gone
//! ```
//!
//! Templates come first: what an instance inherits is of the current version before the instance is migrated.

use std::collections::HashMap;

use juliet_core::ClassRegistry;
use juliet_core::archive::{
    ComponentText, Components, EntityText, Findings, Inherits, Overrides, Read, bring_to_current, current_name,
    read_components, read_values, verify,
};
use juliet_core::class::{Class, Role, value};
use juliet_core::diag::{Code, Diagnostic};
use juliet_core::mem::OwnedValue;
use juliet_core::text::{Document, Node, NodeKind, Spelling};

use super::{Files, LineChange, Mode, Survey, Surveyed, UpkeepError, UpkeepReport, Work, lines_of};
use crate::project::Project;

impl Project {
    /// Brings every file to the current versions of its classes: their `migrate` steps are run, former names of classes, properties and variants
    /// are replaced, lines of `removed` properties go. Values, comments, order and all other lines stay; unknown data stays as it is.
    ///
    /// The report lists each changed line of each file. A file that does not load, or a migration that refuses it, is told and left as it is;
    /// all others are written in one transaction. Templates are migrated before what is based on them. A second call changes nothing. Reads
    /// every file of the project: O(bytes).
    ///
    /// Worlds that are loaded do not learn of it: save and drop them before, and load them again after. Their save refuses files that were
    /// changed here.
    ///
    /// # Errors
    /// [`UpkeepError`] if the project cannot be read, or nothing could be written.
    pub fn migrate(&self, mode: Mode) -> Result<UpkeepReport, UpkeepError> {
        let mut work = Work::default();
        let mut survey = Survey::of(self, mode)?;
        let files = survey.files(&mut work);
        let is_known =
            |file: &&Surveyed<'_>| file.opened.class().is_known() || file.opened.components().next().is_some();
        for file in files.list.iter().filter(is_known) {
            match current_text(&files, file) {
                Ok(None) => {}
                Ok(Some(new)) => {
                    let lines = changed_lines(&files, file, &new);
                    work.change(file, &file.class_name, new.into_bytes(), lines);
                }
                Err(why) => work.refuse(*why),
            }
        }
        work.finish(self, mode)
    }
}

/// The text that the current program would have; `None` if the file has it.
fn current_text(files: &Files<'_>, file: &Surveyed<'_>) -> Result<Option<String>, Box<Diagnostic>> {
    let registry = files.project.registry();
    let opened = &file.opened;
    let image = file.template.and_then(|template| files.world.image_of(template));
    let fresh = || -> Result<OwnedValue, Box<Diagnostic>> {
        let made = OwnedValue::new(registry, opened.kind());
        let mut value =
            made.map_err(|error| Diagnostic::new(Code::ReadFailed, error.to_string()).in_file(file.label))?;
        if let Some(image) = image {
            value::assign(value.as_mut(), image);
        }
        Ok(value)
    };
    let (mut value, mut findings) = (fresh()?, Findings::new());
    let mut read = read_values(opened, value.as_mut(), &mut findings);
    let above = |kind| files.world.component_of(file.template?, kind);
    let components = read_components(opened, &mut read, &above, &mut findings);
    if !findings.is_ok() {
        let error = findings.into_diagnostics(file.label).into_iter().find(Diagnostic::is_error);
        return Err(Box::new(
            error.unwrap_or_else(|| Diagnostic::new(Code::ReadFailed, "cannot be read").in_file(file.label)),
        ));
    }
    let overrides = read.overrides();
    let place = file.template.and_then(|template| files.world.template_position(template));
    let position = place.unwrap_or_default().to_array();
    // A template says what differs from its class, an entity that stands alone says everything.
    let inherits = (file.role != Role::Standalone).then_some(Inherits {
        template: opened.template(),
        overrides: &overrides,
        position,
    });
    let of_sections: Vec<Overrides> = read.components().iter().map(Read::overrides).collect();
    let is_based = inherits.is_some();
    let values = opened.components().zip(&components).zip(&of_sections);
    let sections: Vec<ComponentText<'_>> = values
        .map(|((part, value), overrides)| ComponentText {
            class: part.class(),
            value: value.as_ref(),
            overrides: is_based.then_some(overrides),
            inherited: above(part.kind()),
            kept: None,
        })
        .collect();
    let without: Vec<&'static Class> = opened.without().map(|(_, class)| class).collect();
    let entity = EntityText {
        components: Components { sections: &sections, without: &without },
        class: opened.class(),
        id: opened.id().unwrap_or_default(),
        position: read.position.unwrap_or(if inherits.is_some() { position } else { [0.0, 0.0, 0.0, 1.0] }),
        value: value.as_ref(),
        inherits,
    };
    let mut out = Vec::new();
    let refuse = |why: &dyn std::fmt::Display| {
        let message = format!("cannot be brought to the current version: {why}");
        Box::new(Diagnostic::new(Code::WriteFailed, message).in_file(file.label))
    };
    if !bring_to_current(opened, &read, &entity, &mut out).map_err(|overlap| refuse(&overlap))? {
        return Ok(None);
    }
    let text = String::from_utf8(out).map_err(|error| refuse(&error))?;
    let mut scratch = fresh()?;
    verify(registry, file.label, &text, &entity, None, scratch.as_mut())?;
    Ok(Some(text))
}

/// What a line is about: the section it stands in, and its current name.
type Subject = (usize, String);

struct Line<'t> {
    subject: Subject,
    name: &'t str,
    /// From 1.
    number: u32,
    /// The first line behind it.
    next: u32,
    text: &'t str,
}

/// The lines that differ, by what they are about.
fn changed_lines(files: &Files<'_>, file: &Surveyed<'_>, new: &str) -> Vec<LineChange> {
    let registry = files.project.registry();
    let (old, new) = (lines(file.text, file.opened.class(), registry), lines(new, file.opened.class(), registry));
    let after: HashMap<&Subject, &Line<'_>> = new.iter().map(|line| (&line.subject, line)).collect();
    let before: HashMap<&Subject, &Line<'_>> = old.iter().map(|line| (&line.subject, line)).collect();
    let mut changes = Vec::new();
    for line in &old {
        let now = after.get(&line.subject).map(|line| line.text);
        if now != Some(line.text) {
            changes.push(LineChange {
                property: line.name.into(),
                line: line.number,
                before: Some(line.text.into()),
                after: now.map(Into::into),
            });
        }
    }
    let mut at = 1;
    for line in &new {
        match before.get(&line.subject) {
            Some(old) => at = old.next,
            None => changes.push(LineChange {
                property: line.name.into(),
                line: at,
                before: None,
                after: Some(line.text.into()),
            }),
        }
    }
    changes.sort_by_key(|change| change.line);
    changes
}

fn lines<'t>(text: &'t str, class: &'static Class, registry: &ClassRegistry) -> Vec<Line<'t>> {
    let (mut lines, mut at, mut number) = (Vec::new(), 0, 1_u32);
    let mut section = Section { index: 0, class: Some(class) };
    for node in Document::new(text).nodes() {
        number += text.get(at..node.span.start).unwrap_or_default().matches('\n').count() as u32;
        at = node.span.start;
        let Some(name) = subject(&node, &mut section, registry) else { continue };
        let shown = lines_of(text, &node);
        let height = text.get(node.span.clone()).unwrap_or_default().matches('\n').count().max(1) as u32;
        lines.push(Line {
            subject: (section.index, name),
            name: node.name,
            number,
            next: number + height,
            text: shown,
        });
    }
    lines
}

/// Where lines stand: in the entity itself, or in which section.
struct Section {
    index: usize,
    /// `None` if the program does not know it.
    class: Option<&'static Class>,
}

fn subject(node: &Node<'_>, section: &mut Section, registry: &ClassRegistry) -> Option<String> {
    match node.kind {
        NodeKind::Directive if node.name == "component" => {
            section.index += 1;
            section.class = registry.find_component_by_name(node.value).map(|(_, class)| class);
            Some("; component".to_owned())
        }
        NodeKind::Directive if node.name == "class" => Some("; entity_type".to_owned()),
        NodeKind::Directive => Some(format!("; {}", node.name)),
        NodeKind::Property | NodeKind::Removal => {
            let known = section.class.and_then(|class| current_name(class.ty(), node.name, Spelling::Colon));
            Some(known.unwrap_or_else(|| node.name.to_owned()))
        }
        _ => None,
    }
}
