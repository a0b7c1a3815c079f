//! Keys: which line becomes which, and whether its place is free.

use std::collections::BTreeMap;

use juliet_core::Class;
use juliet_core::archive::{
    ItemFault, LeafPath, NamePart, Named, Part, UnknownLine, UnknownPart, find_named, is_unknown_key, part_of_key,
    unknown_lines,
};
use juliet_core::class::Property;
use juliet_core::diag::{Code, Diagnostic, Severity, nearest};
use juliet_core::text::{Edits, Node, NodeKind, Spelling};

use super::{BindError, apply, check_key, of_some_item};
use crate::upkeep::{Files, LineChange, Surveyed, Work, lines_of};
use crate::world::LineCount;

/// A key that is not known, and the property it becomes.
pub(super) struct KeyBinding<'k> {
    class: &'static Class,
    old: &'k str,
    /// The properties that lead to the new one, within an item if it is part of one.
    properties: Vec<&'static Property>,
}

impl<'k> KeyBinding<'k> {
    pub(super) fn new(class: &'static Class, old: &'k str, new: &str) -> Result<Self, BindError> {
        let ty = class.ty();
        check_key(old)?;
        if !is_unknown_key(class, &of_some_item(old)) {
            return Err(BindError::Known { name: format!("{}.{old}", class.name()).into() });
        }
        let other_list = || BindError::OtherList { old: old.into(), new: new.into() };
        let some_item = of_some_item(new);
        let properties = match find_named(ty, &some_item) {
            Ok(Named::Property(path)) if !old.contains("[]") => path.properties(ty).collect(),
            Ok(Named::Item(path)) if new.contains("[]") => {
                // An unknown part of an item leads to its list as the known one does.
                let same_list = old.split_once("[]").is_some_and(|(list, _)| {
                    find_named(ty, list).is_ok_and(|it| it.property().first_leaf() == path.leaf())
                });
                let rest = path.rest.as_ref().filter(|_| same_list).ok_or_else(other_list)?;
                rest.properties(path.item_type()).collect()
            }
            Ok(_) => return Err(other_list()),
            Err(_) => {
                let keys = class.properties().iter();
                let keys = keys.map(if new.starts_with(char::is_uppercase) { Property::key } else { Property::name });
                let suggestion = nearest(new, keys).map(Into::into);
                return Err(BindError::UnknownProperty { class: class.name().into(), key: new.into(), suggestion });
            }
        };
        Ok(Self { class, old, properties })
    }

    /// What a name of a file becomes; `None` if it is not one of those.
    fn renamed(&self, name: &str, spelling: Spelling) -> Option<String> {
        let NamePart { item, rest } = part_of_key(name, self.old)?;
        let keys = self.properties.iter().copied();
        let keys = keys.map(if spelling == Spelling::Colon { Property::key } else { Property::name });
        let parts: Vec<&str> = Some(item).filter(|item| !item.is_empty()).into_iter().chain(keys).collect();
        Some(format!("{}{rest}", parts.join(".")))
    }
}

pub(super) fn bind_key(files: &Files<'_>, file: &Surveyed<'_>, key: &KeyBinding<'_>, work: &mut Work) {
    let part = match key.class.is_component() {
        false => Some(file.opened.body()).filter(|part| part.class() == key.class),
        true => file.opened.components().find(|part| part.class() == key.class),
    };
    let Some(part) = part else { return };
    let document = file.opened.document();
    let (mut edits, mut lines, mut count) = (Edits::new(*document), Vec::new(), LineCount::default());
    let is_here = |line: &UnknownLine<'_>| match line.component {
        Some(component) => component == key.class,
        None => !key.class.is_component(),
    };
    let strays = unknown_lines(&file.opened).into_iter();
    let strays = strays.filter(|line| line.part == UnknownPart::Key && is_here(line));
    let strays = strays.filter_map(|line| Some((key.renamed(line.node.name, document.spelling())?, line.node)));
    let mut said = None;
    for (new, node) in strays {
        let said = said.get_or_insert_with(|| SaidLeaves::of(part));
        if let Err(why) = check_place(file, part, said, &node, &new) {
            return work.refuse(*why);
        }
        edits.replace(node.name_range(), &new);
        let before = lines_of(file.text, &node);
        let after = renamed_lines(file.text, &node, &new);
        lines.push(LineChange {
            property: node.name.into(),
            line: count.of(file.text, node.name_at),
            before: Some(before.into()),
            after: Some(after.into()),
        });
    }
    apply(files, file, &file.class_name, &edits, lines, work);
}

/// The lines of a node with another name.
fn renamed_lines(text: &str, node: &Node<'_>, new: &str) -> String {
    let range = node.name_range();
    let (before, after) = (text.get(node.span.start..range.start), text.get(range.end..node.span.end));
    let whole = format!("{}{new}{}", before.unwrap_or_default(), after.unwrap_or_default());
    whole.trim_end_matches(['\n', '\r']).to_owned()
}

/// The leaves that lines of a file say something about: ranges that do not meet, by their first leaf, each with its end and a line.
#[derive(Default)]
struct SaidLeaves(BTreeMap<u32, (u32, usize, &'static str)>);

impl SaidLeaves {
    /// O(lines × log lines).
    fn of(part: &Part<'_>) -> Self {
        let ty = part.class().ty();
        let mut said = Self::default();
        for node in part.document().nodes().filter(|node| matches!(node.kind, NodeKind::Property | NodeKind::Removal)) {
            if let Ok(named) = find_named(ty, node.name) {
                said.insert(named.property(), node.name_at);
            }
        }
        said
    }

    /// Of two ranges one holds the other, or they do not meet.
    fn insert(&mut self, path: &LeafPath, at: usize) {
        let (first, end) = (path.first_leaf(), path.first_leaf() + path.leaves());
        if first == end || self.0.range(..=first).next_back().is_some_and(|(_, it)| it.0 >= end) {
            return;
        }
        while let Some((&inner, _)) = self.0.range(first..end).next() {
            self.0.remove(&inner);
        }
        self.0.insert(first, (end, at, path.property().key()));
    }

    /// Where a line is that says something about the leaves of `path`, and the key of its property.
    fn find(&self, path: &LeafPath) -> Option<(usize, &'static str)> {
        let (_, &(end, at, key)) = self.0.range(..path.first_leaf() + path.leaves()).next_back()?;
        (end > path.first_leaf()).then_some((at, key))
    }
}

/// Whether a line can be called `new`: that names something, and no other line says anything about it.
fn check_place(
    file: &Surveyed<'_>,
    part: &Part<'_>,
    said: &SaidLeaves,
    node: &Node<'_>,
    new: &str,
) -> Result<(), Box<Diagnostic>> {
    let (source, ty) = (file.opened.source(), part.class().ty());
    let Ok(named) = find_named(ty, new) else {
        if !is_unknown_key(part.class(), new) {
            // A part that is gone, which may be said: the line is read as nothing.
            return Ok(());
        }
        let message = format!("not bound: `{}` has no property `{new}`", ty.name());
        let diagnostic = source.diagnostic(Code::UnknownKey, node.name_range(), message).severity(Severity::Error);
        return Err(Box::new(diagnostic.property(node.name).found(new)));
    };
    if let Named::Item(_) = named
        && matches!(find_named(ty, node.name), Err(ItemFault::UnknownPart(..)))
    {
        // A part of an item: which items are the same is known by reading them.
        return Ok(());
    }
    match said.find(named.property()) {
        None => Ok(()),
        Some((at, other)) => {
            let message = format!("not bound: `{}` would be `{new}`, and `{other}` is set already", node.name);
            let diagnostic = source.diagnostic(Code::DuplicateKey, node.name_range(), message);
            let diagnostic = diagnostic.property(node.name).related(source.related(at, "set here"));
            Err(Box::new(diagnostic.help("keep one of the two lines")))
        }
    }
}
