//! What a program does not know gets a name that it knows, in every file of a project.
//!
//! ```text
//! key OldArmor → Armor       OldArmor: 55 → Armor: 55        OldArmor.X, OldLoot[gold], ! OldLoot[gold] with it
//! class OldRock → Rock       ; entity_type: OldRock → ; entity_type: Rock
//! section OldMotion → Motion ; component: OldMotion → ; component: Motion
//! ```
//!
//! A file that would not read afterwards stays as it is. Templates of an unknown class and everything based on them are bound together or not
//! at all, since an instance is of the class of its template. If the disk refuses one of them all the same, the next call binds it.

use std::collections::{BTreeMap, HashMap, HashSet};

use juliet_core::Class;
use juliet_core::archive::{
    Inherited, ItemFault, LeafPath, NamePart, Named, UnknownPart, class_line, find_named, is_unknown_key, part_of_key,
    unknown_lines,
};
use juliet_core::class::Property;
use juliet_core::diag::{Code, Diagnostic, Severity, nearest};
use juliet_core::text::{Document, Edits, Node, NodeKind, Spelling};

use super::{
    Files, LineChange, Mode, Survey, Surveyed, UpkeepError, UpkeepReport, Work, lines_of, named_template, role_of,
};
use crate::project::Project;
use crate::world::{LineCount, TemplateHandle};

/// Which unknown name becomes which known one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    what: What,
    old: Box<str>,
    new: Box<str>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// Of files of this class.
    Key(Box<str>),
    Class,
    Section,
}

impl Binding {
    /// The key `old` of files of `class` becomes `new`, with all of its parts and items. Both in either spelling; `Light.OldHue` for what is
    /// nested, `Loot[].OldHue` for a part of every item of a list.
    pub fn key(class: &str, old: &str, new: &str) -> Self {
        Self { what: What::Key(class.into()), old: old.into(), new: new.into() }
    }

    /// Files of the class `old` become files of `new`, with them those that name `old` below a template of `new`.
    pub fn class(old: &str, new: &str) -> Self {
        Self { what: What::Class, old: old.into(), new: new.into() }
    }

    /// The section `old` becomes `new`, in files of every class.
    pub fn section(old: &str, new: &str) -> Self {
        Self { what: What::Section, old: old.into(), new: new.into() }
    }
}

/// What was asked for cannot be done in any file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// The program does not know the class that is to be bound to, or whose keys are.
    #[error("the class `{class}` is not registered in this program{}", told(suggestion))]
    UnknownClass {
        /// The class.
        class: Box<str>,
        /// A class of nearly that name.
        suggestion: Option<Box<str>>,
    },
    /// The program does not know the property that is to be bound to.
    #[error("`{class}` has no property `{key}`{}", told(suggestion))]
    UnknownProperty {
        /// The class.
        class: Box<str>,
        /// The key.
        key: Box<str>,
        /// A property of nearly that name.
        suggestion: Option<Box<str>>,
    },
    /// What is to be bound or deleted is known, so that it is no stray.
    #[error("`{name}` is known to this program")]
    Known {
        /// The class, or the class and the key.
        name: Box<str>,
    },
    /// Parts of items stay in their list.
    #[error("`{old}` and `{new}` are no parts of the items of one list")]
    OtherList {
        /// The key that is to be bound.
        old: Box<str>,
        /// What it is to be bound to.
        new: Box<str>,
    },
    /// The name is none that a file could hold.
    #[error("`{name}` is no name")]
    Name {
        /// The name.
        name: Box<str>,
    },
}

fn told(suggestion: &Option<Box<str>>) -> String {
    suggestion.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

impl Project {
    /// Gives what this program does not know a name that it knows, in every file of the project that has it, templates included. Only names
    /// change, and each in the spelling of its file.
    ///
    /// A file is left as it is, and told with the line, where the new key is there already, where a text does not read as the new property,
    /// or the file would not load for another reason. All others are written in one transaction; a second call changes nothing. Reads every
    /// file of the project: O(bytes).
    ///
    /// Worlds that are loaded do not learn of it: save and drop them before, and load them again after. Their save refuses files that were
    /// changed here.
    ///
    /// # Errors
    /// [`UpkeepError`]; no file has changed then.
    pub fn bind(&self, binding: &Binding, mode: Mode) -> Result<UpkeepReport, UpkeepError> {
        let Binding { what, old, new } = binding;
        let mut work = Work::default();
        match what {
            What::Key(class) => {
                let class = self.known_class(class)?;
                let key = KeyBinding::new(class, old, new)?;
                let mut survey = Survey::of(self, mode)?;
                let files = survey.files(&mut work);
                files.list.iter().for_each(|file| bind_key(&files, file, &key, &mut work));
            }
            What::Class => {
                let class = self.known_class(new)?;
                if self.registry().find_by_name(old).is_some() {
                    return Err(BindError::Known { name: old.clone() }.into());
                }
                let mut survey = Survey::of(self, mode)?;
                let files = survey.files(&mut work);
                bind_class(&files, old, class, &mut work);
                bind_left_behind(&files, old, class, &mut work);
            }
            What::Section => {
                check_name(new)?;
                let mut survey = Survey::of(self, mode)?;
                let files = survey.files(&mut work);
                files.list.iter().for_each(|file| bind_section(&files, file, old, new, &mut work));
            }
        }
        work.finish(self, mode)
    }

    /// The class of a name, former names included.
    fn known_class(&self, class: &str) -> Result<&'static Class, BindError> {
        let registry = self.registry();
        registry.find_by_name(class).map(|(_, class)| class).ok_or_else(|| {
            let names = registry.classes().iter().map(|class| class.name());
            BindError::UnknownClass { class: class.into(), suggestion: nearest(class, names).map(Into::into) }
        })
    }
}

/// Letters, digits and what joins them: read the same in every place of a line.
fn check_name(name: &str) -> Result<(), BindError> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.' | ':');
    let begins = name.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_');
    if begins && name.chars().all(is_part) { Ok(()) } else { Err(BindError::Name { name: name.into() }) }
}

/// A key of files, in which brackets stand for every item.
pub(super) fn check_key(key: &str) -> Result<(), BindError> {
    let bare = key.replacen("[]", "", 1);
    if bare.is_empty() || bare.contains(['[', ']']) { Err(BindError::Name { name: key.into() }) } else { Ok(()) }
}

/// A key with `[]` for any item as one of some item.
pub(super) fn of_some_item(key: &str) -> String {
    key.replacen("[]", "[0]", 1)
}

/// A key that is not known, and the property it becomes.
struct KeyBinding<'k> {
    class: &'static Class,
    old: &'k str,
    /// The properties that lead to the new one, within an item if it is part of one.
    properties: Vec<&'static Property>,
}

impl<'k> KeyBinding<'k> {
    fn new(class: &'static Class, old: &'k str, new: &str) -> Result<Self, BindError> {
        let ty = class.ty();
        check_key(old)?;
        if !is_unknown_key(ty, &of_some_item(old)) {
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

fn bind_key(files: &Files<'_>, file: &Surveyed<'_>, key: &KeyBinding<'_>, work: &mut Work) {
    if file.opened.class() != key.class {
        return;
    }
    let document = file.opened.document();
    let (mut edits, mut lines, mut count) = (Edits::new(*document), Vec::new(), LineCount::default());
    let strays = unknown_lines(&file.opened).into_iter().filter(|line| line.part == UnknownPart::Key);
    let strays = strays.filter_map(|line| Some((key.renamed(line.node.name, document.spelling())?, line.node)));
    let mut said = None;
    for (new, node) in strays {
        let said = said.get_or_insert_with(|| SaidLeaves::of(file));
        if let Err(why) = check_place(file, said, &node, &new) {
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
    fn of(file: &Surveyed<'_>) -> Self {
        let ty = file.opened.class().ty();
        let is_section = |node: &Node<'_>| node.kind == NodeKind::Directive && node.name == "component";
        let own = file.opened.document().nodes().take_while(|node| !is_section(node));
        let mut said = Self::default();
        for node in own.filter(|node| matches!(node.kind, NodeKind::Property | NodeKind::Removal)) {
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
fn check_place(file: &Surveyed<'_>, said: &SaidLeaves, node: &Node<'_>, new: &str) -> Result<(), Box<Diagnostic>> {
    let (source, ty) = (file.opened.source(), file.opened.class().ty());
    let Ok(named) = find_named(ty, new) else {
        if !is_unknown_key(ty, new) {
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

/// Puts the edits of a file into `work` if the new text reads.
fn apply(
    files: &Files<'_>,
    file: &Surveyed<'_>,
    class: &str,
    edits: &Edits<'_>,
    lines: Vec<LineChange>,
    work: &mut Work,
) {
    if edits.is_empty() {
        return;
    }
    match new_text(file, edits).and_then(|text| files.read(file, &text, None).map(|_| text)) {
        Ok(text) => work.change(file, class, text.into_bytes(), lines),
        Err(why) => work.refuse(not_bound(*why)),
    }
}

fn not_bound(why: Diagnostic) -> Diagnostic {
    Diagnostic { message: format!("not bound: {}", why.message).into(), ..why }
}

/// The text of a file with its edits.
pub(super) fn new_text(file: &Surveyed<'_>, edits: &Edits<'_>) -> Result<String, Box<Diagnostic>> {
    edited(file.label, edits)
}

fn edited(label: &str, edits: &Edits<'_>) -> Result<String, Box<Diagnostic>> {
    let mut out = Vec::new();
    let done = edits.apply(&mut out).map_err(|overlap| overlap.to_string());
    done.and_then(|()| String::from_utf8(out).map_err(|error| error.to_string()))
        .map_err(|why| Box::new(Diagnostic::new(Code::WriteFailed, format!("not changed: {why}")).in_file(label)))
}

/// A template of an unknown class and what is based on it is one group.
fn bind_class(files: &Files<'_>, old: &str, class: &'static Class, work: &mut Work) {
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
fn bind_left_behind(files: &Files<'_>, old: &str, class: &'static Class, work: &mut Work) {
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

fn bind_section(files: &Files<'_>, file: &Surveyed<'_>, old: &str, new: &str, work: &mut Work) {
    let (mut edits, mut lines, mut count) = (Edits::new(*file.opened.document()), Vec::new(), LineCount::default());
    let unknown = unknown_lines(&file.opened);
    let sections = || unknown.iter().filter(|line| line.part == UnknownPart::Section).map(|line| &line.node);
    let taken = sections().find(|node| node.value == new);
    for node in sections().filter(|node| node.value == old) {
        if let Some(other) = taken {
            let source = file.opened.source();
            let message = format!("not bound: there is a section `{new}` already");
            let diagnostic = source.diagnostic(Code::DuplicateKey, node.value_range(), message);
            let diagnostic = diagnostic.property("component").related(source.related(other.name_at, "it begins here"));
            return work.refuse(diagnostic.help("keep one of the two sections"));
        }
        edits.replace_value(node, new);
        let range = node.value_range();
        let (head, tail) = (file.text.get(node.span.start..range.start), file.text.get(range.end..node.span.end));
        let after = format!("{}{new}{}", head.unwrap_or_default(), tail.unwrap_or_default());
        lines.push(LineChange {
            property: node.value.into(),
            line: count.of(file.text, node.name_at),
            before: Some(lines_of(file.text, node).into()),
            after: Some(after.trim_end_matches(['\n', '\r']).into()),
        });
    }
    apply(files, file, &file.class_name, &edits, lines, work);
}
