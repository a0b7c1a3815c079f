//! What a program does not know gets a name that it knows, in every file of a project.
//!
//! ```text
//! key OldArmor → Armor       OldArmor: 55 → Armor: 55        OldArmor.X, OldLoot[gold], ! OldLoot[gold] with it
//! class OldRock → Rock       ; entity_type: OldRock → ; entity_type: Rock
//! section OldMotion → Motion ; component: OldMotion → ; component: Motion, and so in `; without` lines
//! ```
//!
//! A file that would not read afterwards stays as it is. Templates of an unknown class and everything based on them are bound together or not
//! at all, since an instance is of the class of its template. If the disk refuses one of them all the same, the next call binds it.

mod class;
mod key;

use juliet_core::Class;
use juliet_core::archive::{UnknownLine, UnknownPart, unknown_lines};
use juliet_core::diag::{Code, Diagnostic, nearest};
use juliet_core::text::Edits;

use self::class::{bind_class, bind_left_behind};
use self::key::{KeyBinding, bind_key};
use super::{Files, LineChange, Mode, Survey, Surveyed, UpkeepError, UpkeepReport, Work, lines_of};
use crate::project::Project;
use crate::world::LineCount;

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
    /// The key `old` of files of `class`, or of sections of the component `class`, becomes `new`, with all of its parts and items. Both in either spelling; `Light.OldHue` for what is
    /// nested, `Loot[].OldHue` for a part of every item of a list.
    pub fn key(class: &str, old: &str, new: &str) -> Self {
        Self { what: What::Key(class.into()), old: old.into(), new: new.into() }
    }

    /// Files of the class `old` become files of `new`, with them those that name `old` below a template of `new`.
    pub fn class(old: &str, new: &str) -> Self {
        Self { what: What::Class, old: old.into(), new: new.into() }
    }

    /// The section `old` becomes `new`, in files of every class, and so do lines that take that component away.
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
                let class = match self.registry().find_component_by_name(class) {
                    Some((_, component)) => component,
                    None => self.known_class(class)?,
                };
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
                if self.registry().find_component_by_name(old).is_some() {
                    return Err(BindError::Known { name: old.clone() }.into());
                }
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

fn bind_section(files: &Files<'_>, file: &Surveyed<'_>, old: &str, new: &str, work: &mut Work) {
    let (mut edits, mut lines, mut count) = (Edits::new(*file.opened.document()), Vec::new(), LineCount::default());
    let unknown = unknown_lines(&file.opened);
    let sections = || unknown.iter().filter(|line| line.part == UnknownPart::Section).map(|line| &line.node);
    let taken = sections().find(|node| node.value == new);
    let is_without = |line: &&UnknownLine<'_>| line.part == UnknownPart::Directive && line.node.name == "without";
    let without = unknown.iter().filter(is_without).map(|line| &line.node);
    for node in without.chain(sections()).filter(|node| node.value == old) {
        if let Some(other) = taken.filter(|_| node.name == "component") {
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
