//! Classes: a template and what is based on it is one group, since an instance is of the class of its template.

use std::collections::{HashMap, HashSet};

use juliet_core::Class;
use juliet_core::archive::{Inherited, class_line};
use juliet_core::diag::{Code, Diagnostic, Severity};
use juliet_core::text::{Document, Edits};

use super::{edited, new_text, not_bound};
use crate::upkeep::{Files, LineChange, Surveyed, Work, lines_of, named_template, role_of};
use crate::world::{LineCount, TemplateHandle};

/// A template of an unknown class and what is based on it is one group.
pub(super) fn bind_class(files: &Files<'_>, old: &str, class: &'static Class, work: &mut Work) {
    let is_old = |file: &&Surveyed<'_>| !file.opened.class().is_known() && &*file.class_name == old;
    let mut groups: Vec<Vec<(&Surveyed<'_>, String)>> = Vec::new();
    let mut group_of: HashMap<TemplateHandle, usize> = HashMap::new();
    let mut faults: HashMap<usize, (&str, Box<Diagnostic>)> = HashMap::new();
    let there: HashSet<String> = files.list.iter().map(|file| file.path(files.project)).collect();
    for file in files.list.iter().filter(is_old) {
        let top = match file.template {
            Some(template) => files.world.chain_of(template).last(),
            None => files.world.find_template(&file.path(files.project)),
        };
        let group = match top {
            Some(top) => *group_of.entry(top).or_insert(groups.len()),
            None => groups.len(),
        };
        if group == groups.len() {
            groups.push(Vec::new());
        }
        let mut edits = Edits::new(*file.opened.document());
        if let Some(node) = class_line(file.text) {
            edits.replace_value(&node, class.name());
        }
        let kind = files.project.registry().find_kind_of(class);
        let inherited = file.template.and(kind).map(|kind| Inherited { kind, unknown: None, file: "" });
        let above = file.template.and_then(|template| files.world.template_path(template));
        let is_there = match above.filter(|path| !there.contains(*path)) {
            // Reached by a link that is not followed.
            Some(path) => Err(Box::new(
                Diagnostic::new(
                    Code::TemplateUnavailable,
                    format!("its template `{path}` is not among the files that are looked at"),
                )
                .in_file(file.label),
            )),
            None => new_text(file, &edits),
        };
        match is_there.and_then(|text| files.read(file, &text, inherited).map(|_| text)) {
            Ok(text) => groups[group].push((file, text)),
            Err(why) => {
                work.refuse(not_bound((*why).clone()));
                groups[group].push((file, String::new()));
                faults.entry(group).or_insert((file.label, why));
            }
        }
    }
    for (index, group) in groups.into_iter().enumerate() {
        if let Some((cause, why)) = faults.get(&index) {
            let others = group.iter().filter(|(file, text)| file.label != *cause && !text.is_empty());
            let message = format!("not bound: `{cause}`, which belongs to it through a template, would not read");
            for (file, _) in others {
                let diagnostic = Diagnostic::new(why.code, &*message).severity(Severity::Error);
                work.refuse(diagnostic.in_file(file.label));
            }
            continue;
        }
        let mut top = None;
        for (file, text) in group {
            let Some(line) = class_change(file.text, &text) else { continue };
            work.change(file, class.name(), text.into_bytes(), vec![line]);
            match top {
                Some(top) => work.only_with(top),
                None => top = Some(file.label),
            }
        }
    }
}

/// The line that names the class, before and after.
fn class_change(before: &str, after: &str) -> Option<LineChange> {
    let node = class_line(before)?;
    Some(LineChange {
        property: node.name.into(),
        line: LineCount::default().of(before, node.name_at),
        before: Some(lines_of(before, &node).into()),
        after: class_line(after).map(|node| lines_of(after, &node).into()),
    })
}

/// Files that name the old class below a template that is of the new one already: by hand, or since one of the two could not be written.
pub(super) fn bind_left_behind(files: &Files<'_>, old: &str, class: &'static Class, work: &mut Work) {
    for &(label, text) in &files.closed {
        let Some(node) = class_line(text).filter(|node| node.value == old) else { continue };
        let Some(template) = named_template(label, text).and_then(|path| files.world.find_template(path)) else {
            continue;
        };
        let kind = files.world.inherited_from(template).map(|inherited| inherited.kind);
        if kind.is_none() || kind != files.project.registry().find_kind_of(class) {
            continue;
        }
        let mut edits = Edits::new(Document::new(text));
        edits.replace_value(&node, class.name());
        let role = role_of(files.project, label, true);
        let new =
            edited(label, &edits).and_then(|new| files.read_as((label, role, Some(template)), &new, None).map(|_| new));
        match new {
            Ok(new) => {
                let lines = class_change(text, &new).into_iter().collect();
                work.mend((label, text), class.name(), new.into_bytes(), lines);
            }
            Err(why) => work.refuse(not_bound(*why)),
        }
    }
}
